//! Sorts texts that are too long for a key. The first round sorts by the first bytes of the texts. Each later round
//! sorts only the rows that still tie, by the next 3 to 7 bytes.

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_kernels::generated::sorting::{
    self as kernels, DECODE_ALL_NULL, SortTextMark, SortTextRanks, SortTextRefine, SortTextRuns, Sweep, TextLayout,
};
use gdf_kernels::{Arguments, ColumnIn};
use gdf_memory::{Access, Buffer, Mailbox, Resources};

use super::key_stats::{Measured, flags, words};
use super::passes::{Digits, FirstKeys, PassBuffers, PassInput, Passes, Payload, count_digits};
use super::sorting::{FIELD_TEXT, KeyLayout, Sorting, Target};
use crate::cuda::{Bytes32, Grid, In, Kernel, Memory, Out, Rows, Tiles, Values};
use crate::layout::byte_len;
use crate::sort::plan::{KeyPlan, Word};

const SYMBOL_BITS: u32 = kernels::SYMBOL_BITS as u32;

/// The rows that a round sorts: their keys, their row numbers, and their positions in the order.
struct Round {
    keys: Buffer,
    /// The row numbers. The field is `None` in the first round, which sorts all rows.
    numbers: Option<Buffer>,
    positions: Option<Buffer>,
    rows: usize,
    layout: TextLayout,
    /// The number of leading bytes of each text by which the rows have been sorted so far.
    done: u64,
}

/// The rows that still tie after a round. A run is a group of rows whose texts agree in all bytes that have been
/// compared so far.
struct Open {
    counts: Buffer,
    rows: usize,
    runs: u64,
}

/// Returns the row numbers in the order of one text column, as 32-bit numbers. **Waits** once per round.
pub(super) fn order(
    sorting: &Sorting<'_, '_>,
    measured: &Measured,
    column: ColumnIn<'_>,
    mut heads: Option<&mut Buffer>,
    result: Option<Buffer>,
    mr: Resources<'_>,
) -> Result<Buffer> {
    let plan = KeyPlan::new([(measured.piece, measured.stats)]);
    let (mut order, first) = first_round(sorting, plan, result, mr)?;
    let mut round = first;
    loop {
        let open = mark(sorting, &round, &mut order, heads.as_deref_mut())?;
        if open.rows == 0 || round.done >= measured.text {
            return Ok(order);
        }
        round = refine(sorting, measured, column, &round, &order, &open)?;
    }
}

/// Returns for each row the rank of its text among the distinct texts of the column. The second result is the number of
/// ranks. **Waits** once per round and once for the number of ranks.
pub(super) fn ranks(sorting: &Sorting<'_, '_>, measured: &Measured, column: ColumnIn<'_>) -> Result<(Buffer, u64)> {
    let (ctx, rows) = (sorting.ctx, sorting.rows);
    let mut heads = Buffer::uninitialized(rows, ctx.stream, ctx.mr.temporary)?;
    let order = order(sorting, measured, column, Some(&mut heads), None, ctx.mr)?;
    let kernel = Kernel::<SortTextRuns>::find(ctx.stream)?;
    let tiles = kernel.tiles(rows);
    let mut counts = Buffer::uninitialized(tiles * 8, ctx.stream, ctx.mr.temporary)?;
    let mut ranks = Buffer::uninitialized(byte_len(rows, 4, ctx.mr)?, ctx.stream, ctx.mr.temporary)?;
    let mailbox = Mailbox::new(ctx.stream, 1)?;
    let (head_access, order_access) = (heads.read_on(ctx.stream)?, order.read_on(ctx.stream)?);
    let (count_access, rank_access) = (counts.write_on(ctx.stream)?, ranks.write_on(ctx.stream)?);
    let (heads, length) = (Values::of(&head_access).array(0, rows)?, Rows::new(rows));
    let counts = Memory::of(&count_access).array(0, tiles)?;
    let mailbox_at = Out::of(&mailbox);
    let runs = SortTextRuns { heads, rows: length, counts, tiles: Tiles::new(tiles), mailbox: mailbox_at };
    run(&kernel, rows, &runs, ctx.stream)?;
    let kernel = Kernel::find(ctx.stream)?;
    let (order, ranks_at) = (Values::of(&order_access).array(0, rows)?, Memory::of(&rank_access).array(0, rows)?);
    let numbers = SortTextRanks { heads, order, rows: length, counts: counts.read(), ranks: ranks_at };
    run(&kernel, rows, &numbers, ctx.stream)?;
    drop((head_access, order_access, count_access, rank_access));
    let [runs, ..] = mailbox.wait()?;
    Ok((ranks, runs))
}

fn run<A: Arguments>(kernel: &Kernel<A::Static>, rows: usize, arguments: &A, stream: &Stream) -> Result<()> {
    // SAFETY: The kernels read and write arrays of the round and of the whole sort.
    // - `Memory` and `Values` have compared the size of each array with its memory. Each array has one element for
    //   each row, or one word for each tile of the kernel's policy.
    // - The order and the heads have an element for each row of the whole sort. The positions of a round's rows are
    //   distinct and less than this number of rows.
    // - The order is a permutation of the rows.
    // - All heads are written when the rounds are done. The launch before has written the counts.
    // - The caller holds all memory until the launch is enqueued.
    unsafe { kernel.launch(stream, kernel.blocks(rows), 1, arguments)? };
    Ok(())
}

fn first_round(
    sorting: &Sorting<'_, '_>,
    plan: KeyPlan,
    result: Option<Buffer>,
    mr: Resources<'_>,
) -> Result<(Buffer, Round)> {
    let (stream, rows) = (sorting.ctx.stream, sorting.rows);
    let (bits, field) = (plan.bits, plan.fields.first().copied());
    let layout = TextLayout {
        base: field.map_or(0, |field| words(field.base)[0]),
        bits: field.map_or(0, |field| field.bits as i32),
        shift: field.map_or(0, |field| field.shift as i32),
        null_position: field.and_then(|field| field.null_position).map_or(-1, |position| position as i32),
        flags: field.map_or(0, |field| flags(&field.piece) + if field.all_null { DECODE_ALL_NULL } else { 0 }),
    };
    let (key_bytes, number_bytes) = (byte_len(rows, 8, mr)?, byte_len(rows, 4, mr)?);
    let temporary = |bytes: usize| Buffer::uninitialized(bytes, stream, sorting.ctx.mr.temporary);
    let (mut keys_a, mut keys_b) = (temporary(key_bytes)?, temporary(key_bytes)?);
    let mut result = result.map_or_else(|| Buffer::uninitialized(number_bytes, stream, mr.output), Ok)?;
    let mut other = temporary(number_bytes)?;
    let input = PassInput { rows, bits, key_bytes: 8, payload: Payload::Four, wide: false };
    let (passes, mut state) = Passes::new(input, sorting.ctx)?;
    let odd = passes.count() % 2 == 1;
    {
        let (state, a, b) = (state.write_on(stream)?, keys_a.write_on(stream)?, keys_b.write_on(stream)?);
        let (result, other) = (result.write_on(stream)?, other.write_on(stream)?);
        let (keys, result, other) = ([Memory::of(&a), Memory::of(&b)], Memory::of(&result), Memory::of(&other));
        let values = if odd { [other, result] } else { [result, other] };
        let row_numbers = (passes.count() == 0).then_some(values[0]);
        let target = Target { row_numbers, ..Target::new(Word { start: 0, bits }, keys[0]) };
        let layout = KeyLayout::of_plan(plan, sorting.key_columns());
        let counted = sorting.encode(&layout, &target, &passes, Memory::of(&state))?;
        counted.run(&PassBuffers { keys, values, ..PassBuffers::default() }, stream)?;
    }
    let keys = if odd { keys_b } else { keys_a };
    Ok((result, Round { keys, numbers: None, positions: None, rows, layout, done: FIELD_TEXT }))
}

/// Writes the row numbers of a round to their positions in the order, and marks the first row of each run in `heads`.
/// The function counts the rows that still tie, and their runs. **Waits** for the counts.
fn mark(sorting: &Sorting<'_, '_>, round: &Round, order: &mut Buffer, heads: Option<&mut Buffer>) -> Result<Open> {
    let stream = sorting.ctx.stream;
    let kernel = Kernel::<SortTextMark>::find(stream)?;
    let tiles = kernel.tiles(round.rows);
    let mut counts = Buffer::uninitialized(tiles * 8, stream, sorting.ctx.mr.temporary)?;
    let mailbox = Mailbox::new(stream, 1)?;
    let key_access = round.keys.read_on(stream)?;
    let positions = round.positions.as_ref().map(|positions| positions.read_on(stream)).transpose()?;
    let numbers = round.numbers.as_ref().map(|numbers| numbers.read_on(stream)).transpose()?;
    let (order_access, count_access) = (order.write_on(stream)?, counts.write_on(stream)?);
    let heads = heads.map(|heads| heads.write_on(stream)).transpose()?;
    let arguments = SortTextMark {
        keys: Values::of(&key_access).array(0, round.rows)?,
        rows: Rows::new(round.rows),
        positions: numbers_of(positions.as_ref(), round)?,
        row_numbers: numbers_of(numbers.as_ref(), round)?,
        order: Memory::of(&order_access).array(0, sorting.rows)?,
        heads: heads.as_ref().map(|heads| Memory::of(heads).array(0, sorting.rows)).transpose()?.unwrap_or_default(),
        of: round.layout,
        counts: Memory::of(&count_access).array(0, tiles)?,
        tiles: Tiles::new(tiles),
        mailbox: Out::of(&mailbox),
    };
    run(&kernel, round.rows, &arguments, stream)?;
    drop((key_access, positions, numbers, order_access, count_access, heads));
    let [total, ..] = mailbox.wait()?;
    Ok(Open { counts, rows: total as u32 as usize, runs: total >> 32 })
}

/// Opens the row numbers or positions of a round.
fn numbers_of<'n>(access: Option<&'n Access<'_>>, round: &Round) -> Result<In<'n, u32>> {
    access.map_or(Ok(In::NULL), |access| Values::of(access).array(0, round.rows))
}

fn refine(
    sorting: &Sorting<'_, '_>,
    measured: &Measured,
    column: ColumnIn<'_>,
    round: &Round,
    order: &Buffer,
    open: &Open,
) -> Result<Round> {
    let stream = sorting.ctx.stream;
    let run_bits = u64::BITS - open.runs.saturating_sub(1).leading_zeros();
    let bytes = ((64 - run_bits) / SYMBOL_BITS).min(FIELD_TEXT as u32);
    let bits = bytes * SYMBOL_BITS;
    let mask = u64::MAX >> (64 - bits);
    let descending = measured.piece.descending;
    let layout = TextLayout {
        base: if descending { mask } else { 0 },
        bits: bits as i32,
        shift: 0,
        null_position: -1,
        flags: flags(&measured.piece),
    };
    let temporary = |width: usize| Buffer::uninitialized(open.rows * width, stream, sorting.ctx.mr.temporary);
    let (mut keys_a, mut keys_b) = (temporary(8)?, temporary(8)?);
    let (mut numbers_a, mut numbers_b, mut positions) = (temporary(4)?, temporary(4)?, temporary(4)?);
    let bits_of_round = run_bits + bits;
    let input = PassInput { rows: open.rows, bits: bits_of_round, key_bytes: 8, payload: Payload::Four, wide: false };
    let (passes, mut state) = Passes::new(input, sorting.ctx)?;
    {
        let (state, a, b) = (state.write_on(stream)?, keys_a.write_on(stream)?, keys_b.write_on(stream)?);
        let (number_a, number_b) = (numbers_a.write_on(stream)?, numbers_b.write_on(stream)?);
        let position_access = positions.write_on(stream)?;
        let (old_keys, count_access) = (round.keys.read_on(stream)?, open.counts.read_on(stream)?);
        let old_positions = round.positions.as_ref().map(|positions| positions.read_on(stream)).transpose()?;
        let old_numbers = round.numbers.as_ref().unwrap_or(order).read_on(stream)?;
        let (keys, values) = ([Memory::of(&a), Memory::of(&b)], [Memory::of(&number_a), Memory::of(&number_b)]);
        let kernel = Kernel::find(stream)?;
        let positions = old_positions.as_ref().map(|access| Values::of(access).array(0, round.rows)).transpose()?;
        let grid = Grid::Blocks(kernel.blocks(round.rows));
        let launch = |state: Sweep<'_>| {
            let arguments = SortTextRefine {
                column,
                from: round.done as i64,
                bytes: Bytes32::new(bytes as usize),
                keys: Values::of(&old_keys).array(0, round.rows)?,
                rows: Rows::new(round.rows),
                positions: positions.unwrap_or_default(),
                row_numbers: Values::of(&old_numbers).array(0, round.rows)?,
                // The kernel reads the keys of the previous round, which have the layout of that round. Both rounds
                // have the same direction.
                of: round.layout,
                counts: Values::of(&count_access).array(0, kernel.tiles(round.rows))?,
                open_keys: keys[0].array(0, open.rows)?,
                open_positions: Memory::of(&position_access).array(0, open.rows)?,
                open_rows: values[0].array(0, open.rows)?,
                state,
            };
            count_digits(&kernel, grid, &arguments, stream)
        };
        let digits = Digits { keys: FirstKeys::Written(keys[0]), first_bit: 0, mailbox: Out::NULL };
        let counted = passes.counted(Memory::of(&state), &sorting.counts, digits, launch, stream)?;
        let first_values = Some(values[0].read());
        counted.run(&PassBuffers { keys, values, first_values, ..PassBuffers::default() }, stream)?;
    }
    let (keys, numbers) = if passes.count() % 2 == 1 { (keys_b, numbers_b) } else { (keys_a, numbers_a) };
    let done = round.done + u64::from(bytes);
    Ok(Round { keys, numbers: Some(numbers), positions: Some(positions), rows: open.rows, layout, done })
}
