//! Text that goes on after the bytes that a key holds: sorted by these, then again and again by what follows, the rows
//! that still tie alone. Each round takes 3 to 7 bytes, so there are at most a third as many as bytes that two rows
//! have in common.

use bytemuck::{Pod, Zeroable};
use gdf_core::Result;
use gdf_kernels::ColumnIn;
use gdf_memory::{Buffer, Mailbox, Resources};

use super::CAPABILITY;
use super::measure::{Measured, flags, words};
use super::passes::{Moved, Passes, Payload};
use super::sorted_order::{Layout, Sorting, Target};
use crate::cuda::{Kernel, args};
use crate::rows::byte_len;
use crate::sorting::plan::{Plan, Word};

/// `sorting_text::layout` of kernels/sorting/text.cu.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct KeyLayout {
    base: u64,
    bits: i32,
    shift: i32,
    null_position: i32,
    flags: i32,
}

const ALL_NULL: i32 = 4;
const SYMBOL_BITS: u32 = 9;
const FIRST_BYTES: u64 = 7;

/// Rows that are still to be sorted, after a round: keys, numbers of rows, places in the order.
struct Round {
    keys: Buffer,
    /// None in the first round, where they are the order.
    numbers: Option<Buffer>,
    places: Option<Buffer>,
    rows: usize,
    layout: KeyLayout,
    /// Bytes of text that have been sorted by.
    done: u64,
}

/// Row numbers in the order of one text column, of 32 bits, in `result` or memory of `mr`'s output; and, if `heads` are wanted, a
/// byte per place that is set where the text differs from the one before. **Waits** once per round.
pub(super) fn order(
    sorting: &mut Sorting<'_, '_>,
    measured: &Measured,
    column: ColumnIn,
    heads: bool,
    result: Option<Buffer>,
    mr: Resources<'_>,
) -> Result<(Buffer, Option<Buffer>)> {
    let rows = sorting.rows;
    let plan = Plan::new([(measured.piece, measured.stats)]);
    let (mut order, first) = first_round(sorting, plan, result, mr)?;
    let mut heads = heads.then(|| Buffer::uninitialized(rows, sorting.stream, sorting.mr.temporary)).transpose()?;
    let mut round = first;
    loop {
        let (counts, total) = mark(sorting, &round, &mut order, heads.as_mut())?;
        let (open, runs) = (total as u32 as usize, total >> 32);
        if open == 0 || round.done >= measured.text {
            return Ok((order, heads));
        }
        round = refine(sorting, measured, column, &round, &order, &counts, open, runs)?;
    }
}

/// For each row the number of its text among all different ones, in the order that is asked for, nulls included; and
/// how many there are. **Waits** once per round and once for that.
pub(super) fn ranks(sorting: &mut Sorting<'_, '_>, measured: &Measured, column: ColumnIn) -> Result<(Buffer, u64)> {
    let (stream, mr, rows) = (sorting.stream, sorting.mr, sorting.rows);
    let (order, heads) = order(sorting, measured, column, true, None, mr)?;
    let Some(heads) = heads else { return Ok((order, 0)) };
    let kernel = Kernel::find(stream, CAPABILITY, "sort_text_runs_kernel", "sort_text")?;
    let tiles = kernel.tiles(rows);
    let mut counts = Buffer::uninitialized(tiles * 8, stream, mr.temporary)?;
    let mut ranks = Buffer::uninitialized(byte_len(rows, 4, mr)?, stream, mr.temporary)?;
    let mailbox = Mailbox::new(stream, 1)?;
    let (head_access, order_access) = (heads.read_on(stream)?, order.read_on(stream)?);
    let (count_access, rank_access) = (counts.write_on(stream)?, ranks.write_on(stream)?);
    let (head, numbers) = (head_access.address(), order_access.address());
    let (count, target) = (count_access.address(), rank_access.address());
    let (length, tile_count, scratch, address) = (rows as i64, tiles as i64, stream.scratch()?, mailbox.address());
    // SAFETY: the parameters are (heads*, int64 rows, counts*, int64 tiles, scratch*, mailbox*), passed in this order
    // and type; `heads` has `rows` bytes, all written, `counts` a word per tile of the policy. Accesses are held
    // meanwhile.
    unsafe {
        kernel.launch(stream, kernel.blocks(rows), 1, args![head, length, count, tile_count, scratch, address])?;
    }
    let kernel = Kernel::find(stream, CAPABILITY, "sort_text_ranks_kernel", "sort_text")?;
    // SAFETY: the parameters are (heads*, order*, int64 rows, counts*, ranks*), passed in this order and type; `order`
    // is a permutation of the rows, `counts` is as the launch before leaves it, `ranks` has room for 32 bits per row.
    // Accesses are held until both are enqueued.
    unsafe {
        kernel.launch(stream, kernel.blocks(rows), 1, args![head, numbers, length, count, target])?;
    }
    drop((head_access, order_access, count_access, rank_access));
    let [runs, ..] = mailbox.wait()?;
    Ok((ranks, runs))
}

/// Sorts all rows by their first bytes.
fn first_round(
    sorting: &mut Sorting<'_, '_>,
    plan: Plan,
    result: Option<Buffer>,
    mr: Resources<'_>,
) -> Result<(Buffer, Round)> {
    let (stream, rows) = (sorting.stream, sorting.rows);
    let (bits, field) = (plan.bits, plan.fields.first().copied());
    let layout = KeyLayout {
        base: field.map_or(0, |field| words(field.base)[0]),
        bits: field.map_or(0, |field| field.bits as i32),
        shift: field.map_or(0, |field| field.shift as i32),
        null_position: field.and_then(|field| field.null_position).map_or(-1, |position| position as i32),
        flags: field.map_or(0, |field| flags(&field.piece) + if field.all_null { ALL_NULL } else { 0 }),
    };
    let (key_bytes, number_bytes) = (byte_len(rows, 8, mr)?, byte_len(rows, 4, mr)?);
    let keys = [(); 2].map(|()| Buffer::uninitialized(key_bytes, stream, sorting.mr.temporary));
    let [keys_a, keys_b] = keys;
    let (mut keys_a, mut keys_b) = (keys_a?, keys_b?);
    let mut result = result.map_or_else(|| Buffer::uninitialized(number_bytes, stream, mr.output), Ok)?;
    let mut other = Buffer::uninitialized(number_bytes, stream, sorting.mr.temporary)?;
    let (passes, mut state) = Passes::new(rows, bits, 8, Payload::Four, false, stream, sorting.mr)?;
    let odd = passes.count() % 2 == 1;
    {
        let (state, a, b) = (state.write_on(stream)?, keys_a.write_on(stream)?, keys_b.write_on(stream)?);
        let (result, other) = (result.write_on(stream)?, other.write_on(stream)?);
        let (result, other) = (result.address(), other.address());
        let values = if odd { [other, result] } else { [result, other] };
        let word = Word { start: 0, bits };
        let row_numbers = if passes.count() == 0 { values[0] } else { 0 };
        let keys = a.address();
        let target = Target { word, key_bytes: 8, keys, order: 0, row_numbers, first_bit: 0, mailbox: 0 };
        let keys = [a.address(), b.address()];
        let moved = Moved { keys, key_bytes: 8, values, value_bytes: 4, ..Moved::default() };
        let layout = Layout::of_plan(plan, sorting.key_columns());
        // SAFETY: keys and numbers have room for a key of 64 and a number of 32 bits per row, of which there are fewer
        // than 2^32; the state is that of `passes`. All are held until the launches are enqueued on their stream.
        unsafe {
            sorting.encode(&layout, &target, &passes, state.address())?;
            passes.run(state.address(), &moved, stream)?;
        }
    }
    let keys = if odd { keys_b } else { keys_a };
    Ok((result, Round { keys, numbers: None, places: None, rows, layout, done: FIRST_BYTES }))
}

/// Puts the rows of a round into their places; the counts of open rows per tile, and their total, which it **waits**
/// for.
fn mark(
    sorting: &mut Sorting<'_, '_>,
    round: &Round,
    order: &mut Buffer,
    heads: Option<&mut Buffer>,
) -> Result<(Buffer, u64)> {
    let stream = sorting.stream;
    let kernel = Kernel::find(stream, CAPABILITY, "sort_text_mark_kernel", "sort_text")?;
    let tiles = kernel.tiles(round.rows);
    let mut counts = Buffer::uninitialized(tiles * 8, stream, sorting.mr.temporary)?;
    let mailbox = Mailbox::new(stream, 1)?;
    let key_access = round.keys.read_on(stream)?;
    let places = round.places.as_ref().map(|places| places.read_on(stream)).transpose()?;
    let numbers = round.numbers.as_ref().map(|numbers| numbers.read_on(stream)).transpose()?;
    let (order, count_access) = (order.write_on(stream)?, counts.write_on(stream)?);
    let heads = heads.map(|heads| heads.write_on(stream)).transpose()?;
    let (keys, rows, layout) = (key_access.address(), round.rows as i64, round.layout);
    let place = places.as_ref().map_or(0, |places| places.address());
    let number = numbers.as_ref().map_or(0, |numbers| numbers.address());
    let head = heads.as_ref().map_or(0, |heads| heads.address());
    let (target, count, tile_count) = (order.address(), count_access.address(), tiles as i64);
    let (scratch, address) = (stream.scratch()?, mailbox.address());
    // SAFETY: the parameters are (keys*, int64 rows, places*, numbers*, order*, heads*, layout, counts*, int64 tiles,
    // scratch*, mailbox*), passed in this order and type. Keys, and after the first round places and numbers, have
    // `rows` entries; the places are distinct and below the length of `order` and of `heads`. `counts` has a word per
    // tile of the policy. Accesses are held until the launch is enqueued on their stream.
    unsafe {
        kernel.launch(
            stream,
            kernel.blocks(round.rows),
            1,
            args![keys, rows, place, number, target, head, layout, count, tile_count, scratch, address],
        )?;
    }
    drop((key_access, places, numbers, order, count_access, heads));
    let [total, ..] = mailbox.wait()?;
    Ok((counts, total))
}

/// Takes the `open` rows of `runs` runs out and sorts them by their runs and next bytes.
fn refine(
    sorting: &mut Sorting<'_, '_>,
    measured: &Measured,
    column: ColumnIn,
    round: &Round,
    order: &Buffer,
    counts: &Buffer,
    open: usize,
    runs: u64,
) -> Result<Round> {
    let stream = sorting.stream;
    let run_bits = u64::BITS - runs.saturating_sub(1).leading_zeros();
    let bytes = ((64 - run_bits) / SYMBOL_BITS).min(FIRST_BYTES as u32);
    let bits = bytes * SYMBOL_BITS;
    let mask = u64::MAX >> (64 - bits);
    let descending = measured.piece.descending;
    let layout = KeyLayout {
        base: if descending { mask } else { 0 },
        bits: bits as i32,
        shift: 0,
        null_position: -1,
        flags: flags(&measured.piece),
    };
    let temporary = |width: usize| Buffer::uninitialized(open * width, stream, sorting.mr.temporary);
    let (mut keys_a, mut keys_b) = (temporary(8)?, temporary(8)?);
    let (mut numbers_a, mut numbers_b, mut places) = (temporary(4)?, temporary(4)?, temporary(4)?);
    let (passes, mut state) = Passes::new(open, run_bits + bits, 8, Payload::Four, false, stream, sorting.mr)?;
    {
        let (state, a, b) = (state.write_on(stream)?, keys_a.write_on(stream)?, keys_b.write_on(stream)?);
        let (number_a, number_b) = (numbers_a.write_on(stream)?, numbers_b.write_on(stream)?);
        let place_access = places.write_on(stream)?;
        let (old_keys, count_access) = (round.keys.read_on(stream)?, counts.read_on(stream)?);
        let old_places = round.places.as_ref().map(|places| places.read_on(stream)).transpose()?;
        let old_numbers = round.numbers.as_ref().unwrap_or(order).read_on(stream)?;
        let digit_counts = sorting.counts.write_on(stream)?;
        let kernel = Kernel::find(stream, CAPABILITY, "sort_text_refine_kernel", "sort_text")?;
        let (from, byte_count, rows, old) = (round.done as i64, bytes as i32, round.rows as i64, round.layout);
        // The kernel reads old keys by the old layout; the direction is the same in both.
        let (keys, place) = (old_keys.address(), old_places.as_ref().map_or(0, |places| places.address()));
        let (number, count) = (old_numbers.address(), count_access.address());
        let (open_keys, open_places, open_rows) = (a.address(), place_access.address(), number_a.address());
        let sweep = passes.sweep(state.address(), digit_counts.address());
        let scratch = stream.scratch()?;
        // SAFETY: the parameters are (column_in, int64 from, int bytes, keys*, int64 rows, places*, numbers*, layout,
        // counts*, open_keys*, open_places*, open_rows*, sweep, scratch*), passed in this order and type. The column is
        // text of the sorting's rows, which `numbers` name; keys, places and `counts` are those of the launch that
        // marked, which found `open` rows, for which the results have room. The digit counters are zero between
        // launches, on this one stream. For the passes: keys[0] and values are what this kernel writes. All are held
        // until they are enqueued.
        unsafe {
            kernel.launch(
                stream,
                kernel.blocks(round.rows),
                1,
                args![
                    column,
                    from,
                    byte_count,
                    keys,
                    rows,
                    place,
                    number,
                    old,
                    count,
                    open_keys,
                    open_places,
                    open_rows,
                    sweep,
                    scratch
                ],
            )?;
            let values = [number_a.address(), number_b.address()];
            let keys = [a.address(), b.address()];
            let moved =
                Moved { keys, key_bytes: 8, values, first_values: values[0], value_bytes: 4, ..Moved::default() };
            passes.run(state.address(), &moved, stream)?;
        }
    }
    let (keys, numbers) = if passes.count() % 2 == 1 { (keys_b, numbers_b) } else { (keys_a, numbers_a) };
    let done = round.done + u64::from(bytes);
    Ok(Round { keys, numbers: Some(numbers), places: Some(places), rows: open, layout, done })
}
