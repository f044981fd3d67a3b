//! Prefix sort: radix passes over a prefix of the keys that few rows share, then one launch that orders these by the rest.

use gdf_core::Result;
use gdf_kernels::generated::sorting::{Codec, SortTies};
use gdf_memory::{Buffer, Mailbox};

use super::decode::decode;
use super::passes::{DIGIT_BITS, PassBuffers, Passes, Payload, passes_for};
use super::sorted_order::{KeyLayout, Sorting, Target};
use super::{bin_sort, codec};
use crate::cuda::{In, Kernel, OpenOutput, Out, Scratch};
use crate::engine::rows::byte_len;
use crate::engine::sort::plan::Word;

/// Passes that have to be saved for what comes on top.
const SAVED: usize = 2;
/// Bits beyond those of a row number: of 2⁵ rows one agrees with another.
const MORE: u32 = 5;
/// Rows that may agree with each other, as far as the digits tell; the kernel puts up to 32 in order.
const EXPECTED: f64 = 4.0;

/// What is sorted, and where to.
#[derive(Clone, Copy)]
pub(super) enum Sorted<'a, 'o> {
    /// The values at the first address, of whose type the codec is, into the second.
    Values { source: (In<u8>, Codec), target: Out<u8> },
    /// Keys of this layout, of which these columns are made.
    Keys { layout: &'a KeyLayout, open: &'a [OpenOutput<'o>] },
}

/// Sorts by keys of `bits` bits; false, and nothing of use done, if that does not save enough, or too many rows agree.
/// **Waits** twice.
///
/// # Safety
/// Of [`Sorted::Values`], the source is what `sorting`'s [`codec`](Sorting::codec) gives, or `rows` values of the same
/// type, and the target has room for as many. [`Sorted::Keys`] has outputs of `rows` rows and of the types of the
/// layout's keys. All are held until this returns.
pub(super) unsafe fn sort(sorting: &mut Sorting<'_, '_>, bits: u32, what: Sorted<'_, '_>) -> Result<bool> {
    let (rows, ctx) = (sorting.rows, sorting.ctx);
    let row_bits = usize::BITS - rows.saturating_sub(1).leading_zeros();
    let upper = (row_bits + MORE).div_ceil(DIGIT_BITS) * DIGIT_BITS;
    if rows <= bin_sort::MAX_ROWS || passes_for(bits) < passes_for(upper) + SAVED {
        return Ok(false);
    }
    let lower = bits - upper;
    let (passes, mut state) = Passes::new(rows, upper, 8, Payload::None, sorting.wide, ctx)?;
    let bytes = byte_len(rows, 8, ctx.mr)?;
    let mut keys = [(); 2].map(|()| Buffer::uninitialized(bytes, ctx.stream, ctx.mr.temporary));
    let [Ok(a), Ok(b)] = &mut keys else {
        let [a, b] = keys;
        return a.and(b).map(|_| false).map_err(Into::into);
    };
    let (state_access, a, b) = (state.write_on(ctx.stream)?, a.write_on(ctx.stream)?, b.write_on(ctx.stream)?);
    let (keys, state) = ([Out::of(&a), Out::of(&b)], Out::of(&state_access));
    let digits = Mailbox::new(ctx.stream, passes.count())?;
    let mailbox = Out::of(&digits);
    match what {
        Sorted::Values { source: (values, of), .. } => {
            let (source, count_bytes) = ((values, codec::above(of, lower)), if upper > 32 { 8 } else { 4 });
            // SAFETY: the codec is that of the `rows` values at `source`, for keys without their lower bits; the state is that
            // of `passes`, the mailbox has a word for each. All are held until the launch is enqueued on their stream.
            unsafe { sorting.count(source, count_bytes, &passes, state, mailbox) }?;
        }
        Sorted::Keys { layout, .. } => {
            let target = Target { first_bit: lower, mailbox, ..Target::new(Word { start: 0, bits }, 8, keys[0]) };
            // SAFETY: the key buffer has room for `rows` keys of 64 bits; the state is that of `passes`, the mailbox has a word
            // for each. All are held until the launch is enqueued on their stream.
            unsafe { sorting.encode(layout, &target, &passes, state) }?;
        }
    }
    let most = digits.wait()?;
    let share: f64 = most.iter().take(passes.count()).map(|&most| most as f64 / rows as f64).product();
    if share * rows as f64 > EXPECTED {
        return Ok(false);
    }
    let (in_order, free) = (keys[passes.count() % 2], keys[(passes.count() + 1) % 2]);
    // Ties of keys are put in order on the way to the other buffer.
    let (source, column, of) = match what {
        Sorted::Values { source, target } => (Some(source), target, source.1),
        Sorted::Keys { .. } => (None, free, codec::of_keys()),
    };
    let buffers = PassBuffers { keys, key_bytes: 8, source, first_bit: lower, ..PassBuffers::default() };
    let kernel = Kernel::find(ctx.stream)?;
    let verdict = Mailbox::new(ctx.stream, 1)?;
    let arguments = SortTies {
        keys: in_order.read().cast(),
        column,
        of,
        rows: rows as i64,
        bit: lower as i32,
        scratch: Scratch::of(ctx.stream)?,
        mailbox: Out::of(&verdict),
    };
    // SAFETY: for the passes, the digits that they sort by have been counted, of the same values or keys; the key buffers have
    // room for `rows` keys. The kernel's keys are those that the passes leave, and what it writes has room for as many
    // values of the codec. All are held until the launches are enqueued on their stream.
    unsafe {
        passes.run(state, &buffers, ctx.stream)?;
        kernel.launch(ctx.stream, kernel.blocks(rows), 1, &arguments)?;
    }
    if let Sorted::Keys { layout, open } = what {
        decode(open, layout, column.read(), 8, rows, ctx.stream)?;
    }
    drop((state_access, a, b));
    let [long, ..] = verdict.wait()?;
    Ok(long == 0)
}
