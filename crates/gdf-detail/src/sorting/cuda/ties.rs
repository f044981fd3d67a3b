//! Many keys of many bits: passes over as many of the upper ones as hardly any two rows agree in, then the rows that do.

use gdf_core::Result;
use gdf_memory::{Buffer, Mailbox};

use super::codec::Codec;
use super::passes::{Moved, Passes, Payload, passes_for};
use super::sort::decode;
use super::sorted_order::{Layout, Sorting, Target};
use super::{CAPABILITY, middle};
use crate::cuda::{Kernel, OpenOutput, args};
use crate::rows::byte_len;
use crate::sorting::plan::Word;

/// Passes that have to be saved for what comes on top.
const SAVED: usize = 2;
/// Bits of a pass.
const DIGIT: u32 = 8;
/// Bits beyond those of a row number: of 2⁵ rows one agrees with another.
const MORE: u32 = 5;
/// Rows that may agree with each other, as far as the digits tell; the kernel puts up to 32 in order.
const EXPECTED: f64 = 4.0;

/// What is sorted, and where to.
#[derive(Clone, Copy)]
pub(super) enum Sorted<'a, 'o> {
    /// The values at the first address, of whose type the codec is, into the second.
    Values { source: u64, codec: Codec, target: u64 },
    /// Keys of this layout, of which these columns are made.
    Keys { layout: &'a Layout, open: &'a [OpenOutput<'o>] },
}

/// Sorts by keys of `bits` bits; false, and nothing of use done, if that does not save enough, or too many rows agree.
/// **Waits** twice.
///
/// # Safety
/// Of [`Sorted::Values`], source and codec are what `sorting`'s [`codec`](Sorting::codec) gives, or those of `rows` values of
/// the same type, and the target has room for as many. [`Sorted::Keys`] has outputs of `rows` rows and of the types of the
/// layout's keys. All are held until this returns.
pub(super) unsafe fn sort(sorting: &mut Sorting<'_, '_>, bits: u32, what: Sorted<'_, '_>) -> Result<bool> {
    let (rows, stream, mr) = (sorting.rows, sorting.stream, sorting.mr);
    let row_bits = usize::BITS - rows.saturating_sub(1).leading_zeros();
    let upper = (row_bits + MORE).div_ceil(DIGIT) * DIGIT;
    if rows <= middle::MAX_ROWS || passes_for(bits) < passes_for(upper) + SAVED {
        return Ok(false);
    }
    let lower = bits - upper;
    let (passes, mut state) = Passes::new(rows, upper, 8, Payload::None, sorting.wide, stream, mr)?;
    let bytes = byte_len(rows, 8, mr)?;
    let mut keys = [(); 2].map(|()| Buffer::uninitialized(bytes, stream, mr.temporary));
    let [Ok(a), Ok(b)] = &mut keys else {
        let [a, b] = keys;
        return a.and(b).map(|_| false).map_err(Into::into);
    };
    let (state, a, b) = (state.write_on(stream)?, a.write_on(stream)?, b.write_on(stream)?);
    let digits = Mailbox::new(stream, passes.count())?;
    let mailbox = digits.address();
    match what {
        Sorted::Values { source, codec, .. } => {
            let count_bytes = if upper > 32 { 8 } else { 4 };
            // SAFETY: the codec is that of the `rows` values at `source`, for keys without their lower bits; the state is that
            // of `passes`, the mailbox has a word for each. All are held until the launch is enqueued on their stream.
            unsafe { sorting.count(source, codec.above(lower), count_bytes, &passes, state.address(), mailbox) }?;
        }
        Sorted::Keys { layout, .. } => {
            let (word, keys) = (Word { start: 0, bits }, a.address());
            let target = Target { word, key_bytes: 8, keys, order: 0, row_numbers: 0, first_bit: lower, mailbox };
            // SAFETY: the key buffer has room for `rows` keys of 64 bits; the state is that of `passes`, the mailbox has a word
            // for each. All are held until the launch is enqueued on their stream.
            unsafe { sorting.encode(layout, &target, &passes, state.address()) }?;
        }
    }
    let most = digits.wait()?;
    let share: f64 = most.iter().take(passes.count()).map(|&most| most as f64 / rows as f64).product();
    if share * rows as f64 > EXPECTED {
        return Ok(false);
    }
    let keys = [a.address(), b.address()];
    let (in_order, free) = (keys[passes.count() % 2], keys[(passes.count() + 1) % 2]);
    // Ties of keys are put in order on the way to the other buffer.
    let (source, values, codec) = match what {
        Sorted::Values { source, codec, target } => (Some((source, codec)), target, codec),
        Sorted::Keys { .. } => (None, free, Codec::of_keys()),
    };
    let moved = Moved { keys, key_bytes: 8, source, first_bit: lower, ..Moved::default() };
    let kernel = Kernel::find(stream, CAPABILITY, "sort_ties_kernel", "sort_ties")?;
    let verdict = Mailbox::new(stream, 1)?;
    let (length, bit, scratch, address) = (rows as i64, lower as i32, stream.scratch()?, verdict.address());
    // SAFETY: for the passes, the digits that they sort by have been counted, of the same values or keys; the key buffers have
    // room for `rows` keys. The kernel's parameters are (keys*, values*, codec, int64 rows, int bit, scratch*, mailbox*),
    // passed in this order and type; the keys are those that the passes leave, and what it writes has room for as many
    // values of the codec. All are held until the launches are enqueued on their stream.
    unsafe {
        passes.run(state.address(), &moved, stream)?;
        kernel.launch(stream, kernel.blocks(rows), 1, args![in_order, values, codec, length, bit, scratch, address])?;
    }
    if let Sorted::Keys { layout, open } = what {
        decode(open, layout, values, 8, rows, stream)?;
    }
    drop((state, a, b));
    let [long, ..] = verdict.wait()?;
    Ok(long == 0)
}
