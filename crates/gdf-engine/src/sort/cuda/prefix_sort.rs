//! Prefix sort: radix passes sort by a prefix of the keys. The prefix should be so long that few rows have the same
//! prefix. One more launch then sorts the rows with the same prefix by the remaining bits of their keys.

use gdf_core::Result;
use gdf_kernels::generated::sorting::{SortTies, SortTiesSample};
use gdf_memory::{Buffer, Mailbox};

use super::decode::{decode, write};
use super::passes::{CodedValues, DIGIT_BITS, PassBuffers, PassInput, Passes, Payload, passes_for};
use super::sorting::{KeyLayout, Sorting, Target};
use super::{bin_sort, codec};
use crate::cuda::{Grid, Kernel, Memory, OpenOutput, Out, Rows};
use crate::layout::byte_len;
use crate::sort::plan::Word;

/// The minimum number of passes that the prefix must save.
const SAVED: usize = 2;
/// The number of bits by which a prefix is longer than a row number.
const MORE: u32 = 5;
/// The maximum number of rows per prefix, as estimated from the digit counts.
const EXPECTED: f64 = 4.0;

#[derive(Clone, Copy)]
pub(super) enum Sorted<'a, 'o> {
    /// Values of the type of the codec.
    Values { source: CodedValues<'a>, target: Memory<'a> },
    /// Keys of the given layout. The columns `open` are decoded from the sorted keys.
    Keys { layout: &'a KeyLayout, open: &'a [OpenOutput<'o>] },
}

/// Sorts by keys of `bits` bits. The function returns false if a prefix sort would not pay, or if it has failed. The
/// caller must then sort in another way.
pub(super) fn sort(sorting: &Sorting<'_, '_>, bits: u32, what: Sorted<'_, '_>) -> Result<bool> {
    let (rows, ctx) = (sorting.rows, sorting.ctx);
    let row_bits = usize::BITS - rows.saturating_sub(1).leading_zeros();
    let upper = (row_bits + MORE).div_ceil(DIGIT_BITS) * DIGIT_BITS;
    if rows <= bin_sort::MAX_ROWS || passes_for(bits) < passes_for(upper) + SAVED {
        return Ok(false);
    }
    let lower = bits - upper;
    let input = PassInput { rows, bits: upper, key_bytes: 8, payload: Payload::None, wide: sorting.wide };
    let (passes, mut state) = Passes::new(input, ctx)?;
    let bytes = byte_len(rows, 8, ctx.mr)?;
    let new = || Buffer::uninitialized(bytes, ctx.stream, ctx.mr.temporary);
    let (mut a, mut b) = (new()?, new()?);
    let (state, a, b) = (state.write_on(ctx.stream)?, a.write_on(ctx.stream)?, b.write_on(ctx.stream)?);
    let (keys, state_memory) = ([Memory::of(&a), Memory::of(&b)], Memory::of(&state));
    let digits = Mailbox::new(ctx.stream, passes.count())?;
    let mailbox = Out::of(&digits);
    let counted = match what {
        Sorted::Values { source, .. } => {
            let count_bytes = if upper > 32 { 8 } else { 4 };
            sorting.count_upper(source, count_bytes, &passes, state_memory, lower, mailbox)?
        }
        Sorted::Keys { layout, .. } => {
            let target = Target { first_bit: lower, mailbox, ..Target::new(Word { start: 0, bits }, keys[0]) };
            sorting.encode(layout, &target, &passes, state_memory)?
        }
    };
    let most = digits.wait()?;
    let share: f64 = most.iter().take(passes.count()).map(|&most| most as f64 / rows as f64).product();
    // If many rows have the same prefix, the sort can succeed only if these rows have equal keys. A sample of the rows
    // decides whether the sort is tried.
    if share * rows as f64 > EXPECTED {
        let sampled = match what {
            Sorted::Values { source, .. } => source,
            Sorted::Keys { .. } => CodedValues { values: keys[0].read(), codec: codec::of_keys() },
        };
        if ties_differ(sorting, sampled, lower)? {
            return Ok(false);
        }
    }
    let (in_order, free) = (keys[passes.count() % 2], keys[(passes.count() + 1) % 2]);
    // The kernel that sorts rows with the same prefix writes either keys or values. Keys are written to the buffer that
    // the last pass did not write. Values are written to the target.
    let (column, of) = match what {
        Sorted::Values { source, target } => (target, source.codec),
        Sorted::Keys { .. } => (free, codec::of_keys()),
    };
    let kernel = Kernel::find(ctx.stream)?;
    let verdict = Mailbox::new(ctx.stream, 1)?;
    let arguments = SortTies {
        keys: in_order.read().array(0, rows)?,
        column: column.rows(rows, codec::width(of))?,
        of,
        rows: Rows::new(rows),
        bit: lower as i32,
        mailbox: Out::of(&verdict),
    };
    counted.run(&PassBuffers { keys, ..PassBuffers::default() }, ctx.stream)?;
    write(&kernel, rows, &arguments, ctx.stream)?;
    if let Sorted::Keys { layout, open } = what {
        decode(open, layout, column, 8, rows, ctx.stream)?;
    }
    drop((state, a, b));
    let [long, ..] = verdict.wait()?;
    Ok(long == 0)
}

/// Returns whether a sample contains two rows that have the same key bits from `bit` on and differ in the bits below.
fn ties_differ(
    sorting: &Sorting<'_, '_>,
    CodedValues { values, codec: of }: CodedValues<'_>,
    bit: u32,
) -> Result<bool> {
    let (rows, stream) = (sorting.rows, sorting.ctx.stream);
    let kernel = Kernel::find(stream)?;
    let mailbox = Mailbox::new(stream, 1)?;
    let values = values.rows(rows, codec::width(of))?;
    let arguments = SortTiesSample { values, of, rows: Rows::new(rows), bit: bit as i32, mailbox: Out::of(&mailbox) };
    // SAFETY: the only block reads rows of `values`. `values` has `rows` values of the width that the codec takes, as
    // `Values::rows` has checked above. `rows` is more than `bin_sort::MAX_ROWS`, and therefore more than the number
    // of threads of the block. The mailbox has one word. The caller holds the values and the mailbox until the
    // function returns.
    unsafe { kernel.launch_grid(stream, Grid::Blocks(1), &arguments)? };
    Ok(mailbox.wait()?[0] != 0)
}
