//! Many keys of many bits: passes over as many of the upper ones as hardly any two rows agree in, then the rows that do.

use gdf_core::Result;
use gdf_memory::{Buffer, Mailbox};

use super::codec::Codec;
use super::passes::{Moved, Passes, Payload, passes_for};
use super::sorted_order::Sorting;
use super::{CAPABILITY, middle};
use crate::cuda::{CudaOutput, Kernel, args};

/// Passes that have to be saved for what comes on top.
const SAVED: usize = 2;
/// Bits of a pass.
const DIGIT: u32 = 8;
/// Bits beyond those of a row number: of 2⁵ rows one agrees with another.
const MORE: u32 = 5;
/// Rows that may agree with each other, as far as the digits tell; the kernel puts up to 32 in order.
const EXPECTED: f64 = 4.0;

/// Sorts the values at `source`, with keys of `bits` bits, into `output`; false, and nothing of use done, if that does not
/// save enough, or too many rows agree. **Waits** twice.
pub(super) fn sort(
    sorting: &mut Sorting<'_, '_>,
    source: u64,
    codec: Codec,
    bits: u32,
    output: &mut CudaOutput,
) -> Result<bool> {
    let (rows, stream, mr) = (sorting.rows, sorting.stream, sorting.mr);
    let row_bits = usize::BITS - rows.saturating_sub(1).leading_zeros();
    let upper = (row_bits + MORE).div_ceil(DIGIT) * DIGIT;
    if rows <= middle::MAX_ROWS || passes_for(bits) < passes_for(upper) + SAVED {
        return Ok(false);
    }
    let lower = bits - upper;
    let (passes, mut state) = Passes::new(rows, upper, 8, Payload::None, sorting.wide, stream, mr)?;
    let mut keys = [(); 2].map(|()| Buffer::uninitialized(rows * 8, stream, mr.temporary));
    let [Ok(a), Ok(b)] = &mut keys else {
        let [a, b] = keys;
        return a.and(b).map(|_| false).map_err(Into::into);
    };
    let (state, a, b) = (state.write_on(stream)?, a.write_on(stream)?, b.write_on(stream)?);
    let digits = Mailbox::new(stream, passes.count())?;
    let count_bytes = if upper > 32 { 8 } else { 4 };
    // SAFETY: the codec is that of the column, whose `rows` rows are at `source`, for keys without their lower bits; the
    // state is that of `passes`, the mailbox has a word for each. All are held until the launch is enqueued on their stream.
    unsafe {
        sorting.count(source, codec.above(lower), count_bytes, &passes, state.address(), digits.address())?;
    }
    let most = digits.wait()?;
    let share: f64 = most.iter().take(passes.count()).map(|&most| most as f64 / rows as f64).product();
    if share * rows as f64 > EXPECTED {
        return Ok(false);
    }
    let open = output.open(stream)?;
    let moved = Moved {
        keys: [a.address(), b.address()],
        key_bytes: 8,
        source: Some((source, codec)),
        first_bit: lower,
        ..Moved::default()
    };
    let kernel = Kernel::find(stream, CAPABILITY, "sort_ties_kernel", "sort_ties")?;
    let verdict = Mailbox::new(stream, 1)?;
    let (values, length, bit) = (open.desc.data, rows as i64, lower as i32);
    let (scratch, address, sorted) = (stream.scratch()?, verdict.address(), moved.keys[passes.count() % 2]);
    // SAFETY: for the passes, the digits that they sort by have been counted, of the same column; the key buffers have room
    // for `rows` keys. The kernel's parameters are (keys*, values*, codec, int64 rows, int bit, scratch*, mailbox*), passed
    // in this order and type; the keys are those that the passes leave, the output has room for as many values of the
    // column's width. All are held until the launches are enqueued on their stream.
    unsafe {
        passes.run(state.address(), &moved, stream)?;
        kernel.launch(stream, kernel.blocks(rows), 1, args![sorted, values, codec, length, bit, scratch, address])?;
    }
    drop((open, state, a, b));
    let [long, ..] = verdict.wait()?;
    Ok(long == 0)
}
