//! Prefix sort: radix passes over a prefix of the keys that few rows share, then one launch that orders these by the rest.

use gdf_core::Result;
use gdf_kernels::generated::sorting::{SortTies, SortTiesSample};
use gdf_memory::{Buffer, Mailbox};

use super::decode::{decode, write};
use super::passes::{CodedValues, DIGIT_BITS, PassBuffers, Passes, Payload, passes_for};
use super::sorted_order::{KeyLayout, Sorting, Target};
use super::{bin_sort, codec};
use crate::cuda::{Grid, Kernel, Memory, OpenOutput, Out, Rows};
use crate::layout::byte_len;
use crate::sort::plan::Word;

/// Passes that have to be saved for what comes on top.
const SAVED: usize = 2;
/// Bits beyond those of a row number: of 2⁵ rows one agrees with another.
const MORE: u32 = 5;
/// Rows that may agree with each other, as far as the digits tell; the kernel puts up to 32 in order.
const EXPECTED: f64 = 4.0;

/// What is sorted, and where to.
#[derive(Clone, Copy)]
pub(super) enum Sorted<'a, 'o> {
    /// Values, of whose type the codec is, into memory for as many.
    Values { source: CodedValues<'a>, target: Memory<'a> },
    /// Keys of this layout, of which these columns are made.
    Keys { layout: &'a KeyLayout, open: &'a [OpenOutput<'o>] },
}

/// Sorts by keys of `bits` bits; false, and nothing of use done, if that does not save enough, or too many rows agree.
/// **Waits** twice, and once more where few values are repeated many times.
pub(super) fn sort(sorting: &Sorting<'_, '_>, bits: u32, what: Sorted<'_, '_>) -> Result<bool> {
    let (rows, ctx) = (sorting.rows, sorting.ctx);
    let row_bits = usize::BITS - rows.saturating_sub(1).leading_zeros();
    let upper = (row_bits + MORE).div_ceil(DIGIT_BITS) * DIGIT_BITS;
    if rows <= bin_sort::MAX_ROWS || passes_for(bits) < passes_for(upper) + SAVED {
        return Ok(false);
    }
    let lower = bits - upper;
    let (passes, mut state) = Passes::new(rows, upper, 8, Payload::None, sorting.wide, ctx)?;
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
    // Many rows that agree are in order if they are equal.
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
    // Ties of keys are put in order on the way to the other buffer.
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

/// Whether rows of a sample agree in the bits of their keys from `bit` on and differ below. **Waits.**
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
    // SAFETY: the one block reads rows of `values`, which has `rows` of the width that the codec takes (`rows` above), more
    // than threads of the block (`bin_sort::MAX_ROWS`); the mailbox has a word. The caller holds both until this returns.
    unsafe { kernel.launch_grid(stream, Grid::Blocks(1), &arguments)? };
    Ok(mailbox.wait()?[0] != 0)
}
