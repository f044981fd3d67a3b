//! The ranges of the values of key columns, which the first launch of a sort finds, and the descriptors of key fields
//! for kernels.

use std::array;

use gdf_core::{ColumnView, OrderBounds, PhysicalType, Result, physical_type};
use gdf_kernels::generated::sorting::{
    self as kernels, Fields, PieceFlags, STATS_MAX_PIECES, STATS_SUMMARY_BYTES, SortStats, StatsPieces,
};
use gdf_kernels::{ColumnIn, KernelType};
use gdf_memory::{Buffer, Mailbox};

use super::inputs::SortColumns;
use super::passes::COUNT_BYTES;
use crate::Ctx;
use crate::cuda::{CudaColumn, Grid, Kernel, Memory, Out, Rows};
use crate::sort::KeyColumn;
use crate::sort::plan::{Field, Piece, Stats, Word};
use crate::vouch;

/// The number of bytes of the partial result of a block.
const PARTIAL_BYTES: usize = STATS_SUMMARY_BYTES;

/// Returns whether kernels treat the type as a number of at most 64 bits. `sorting_stats::has_runs` is the same test in
/// the kernels.
pub(super) fn is_number(kernel_type: i32) -> bool {
    use KernelType::{F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
    [I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64].iter().any(|&number| number as i32 == kernel_type)
}

/// Returns the two 64-bit words of an integer. The low word comes first.
pub(super) fn words(value: u128) -> [u64; 2] {
    [value as u64, (value >> 64) as u64]
}

pub(super) fn flags(piece: &Piece) -> i32 {
    order_flags(piece.descending, piece.nulls_first)
}

pub(super) fn key_flags(key: &KeyColumn<'_>) -> i32 {
    order_flags(key.descending, key.nulls_first)
}

fn order_flags(descending: bool, nulls_first: bool) -> i32 {
    let flag = |is_set: bool, flag: PieceFlags| if is_set { flag as i32 } else { 0 };
    flag(descending, PieceFlags::Descending) + flag(nulls_first, PieceFlags::NullsFirst)
}

pub(super) fn kernel_piece<'c>(piece: &Piece, column: ColumnIn<'c>) -> kernels::Piece<'c> {
    kernels::Piece { column, part: piece.part as i32, flags: flags(piece) }
}

/// Returns the descriptors of pieces of `columns` for kernels. Pieces beyond the `N`-th are left out.
pub(super) fn kernel_pieces<'c, const N: usize>(
    pieces: &[Piece],
    columns: &'c [CudaColumn<'_>],
) -> [kernels::Piece<'c>; N] {
    let of = |piece: &Piece| kernel_piece(piece, columns[piece.column].desc());
    array::from_fn(|index| pieces.get(index).map_or_else(Default::default, of))
}

/// Returns the descriptors of the fields that have bits in `word`, and the number of these fields.
pub(super) fn fields_of<'c>(fields: &[Field], word: Word, columns: &[ColumnIn<'c>]) -> (Fields<'c>, i32) {
    let mut all = Fields::default();
    let mut count = 0;
    for (slot, field) in all.at.iter_mut().zip(fields.iter().filter(|field| field.overlaps(word))) {
        *slot = kernels::Field {
            of: kernel_piece(&field.piece, columns[field.piece.column]),
            base: words(field.base),
            position: field.position as i32 - word.start as i32,
            bits: field.bits as i32,
            shift: field.shift as i32,
            null_position: field.null_position.map_or(-1, |position| position as i32 - word.start as i32),
        };
        count += 1;
    }
    (all, count)
}

pub(super) fn pieces(keys: &[KeyColumn<'_>]) -> Vec<Piece> {
    let of = |(column, key): (usize, &KeyColumn<'_>)| {
        let parts = if physical_type(key.view.data_type()) == PhysicalType::I256 { 2 } else { 1 };
        let (descending, nulls_first) = (key.descending, key.nulls_first);
        (0..parts).map(move |part| Piece { column, part, descending, nulls_first })
    };
    keys.iter().enumerate().flat_map(of).collect()
}

/// A piece, with the statistics of its values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    pub(super) piece: Piece,
    pub(super) stats: Stats,
    /// The number of bytes of the longest text.
    pub(super) text: u64,
}

/// Measures the values of all pieces of the key columns `inputs`.
pub(super) fn measure(
    keys: &[KeyColumn<'_>],
    inputs: &SortColumns<'_>,
    ctx: Ctx<'_>,
) -> Result<(Vec<Measured>, Buffer)> {
    let (pieces, rows) = (pieces(keys), inputs.rows);
    let kernel = Kernel::<SortStats>::find(ctx.stream)?;
    let blocks = kernel.blocks(rows);
    let mut counts = Buffer::uninitialized(COUNT_BYTES, ctx.stream, ctx.mr.temporary)?;
    let most = pieces.len().min(STATS_MAX_PIECES);
    let mut partials = Buffer::uninitialized(most * blocks as usize * PARTIAL_BYTES, ctx.stream, ctx.mr.temporary)?;
    let cleared = counts.write_on(ctx.stream)?;
    let partial = partials.write_on(ctx.stream)?;
    let mut mailboxes = Vec::with_capacity(pieces.len().div_ceil(STATS_MAX_PIECES));
    for group in pieces.chunks(STATS_MAX_PIECES) {
        let mailbox = Mailbox::new(ctx.stream, group.len() * 8)?;
        let arguments = SortStats {
            input: StatsPieces { at: kernel_pieces(group, &inputs.columns) },
            rows: Rows::new(rows),
            partials: Memory::of(&partial).rows(most * blocks as usize, PARTIAL_BYTES)?.cast(),
            mailbox: Out::of(&mailbox),
            clear: Memory::of(&cleared).array(0, COUNT_BYTES / 8)?,
            clear_words: (COUNT_BYTES / 8) as i64,
        };
        // Launches on one stream run one after another, so they can share `partials`.
        inputs.run(&kernel, Grid::Columns(blocks, group.len() as u32), &arguments, ctx.stream)?;
        mailboxes.push(mailbox);
    }
    drop((cleared, partial));
    let mut measured = Vec::with_capacity(pieces.len());
    for (group, mailbox) in pieces.chunks(STATS_MAX_PIECES).zip(mailboxes) {
        let words = mailbox.wait()?;
        let (posted, _) = words.as_chunks::<8>();
        measured.extend(group.iter().zip(posted).map(|(&piece, &posted)| read(piece, posted)));
    }
    Ok((measured, counts))
}

/// Returns the smallest and the largest order number of each column, or `None` for a column without valid rows. Order
/// numbers are unsigned integers that have the same order as the values. The values must have at most 64 bits.
pub fn ranges(columns: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Vec<OrderBounds>> {
    let known: Vec<_> = columns.iter().map(|column| column.exact_bounds()).collect();
    let unknown = columns.iter().zip(&known).filter(|(_, known)| known.is_none()).map(|(column, _)| *column);
    let unknown: Vec<_> = unknown.collect();
    let measured = measured_ranges(&unknown, ctx)?;
    for (column, bounds) in unknown.iter().zip(&measured) {
        vouch::exact_bounds(*column, *bounds);
    }
    let mut measured = measured.into_iter();
    Ok(known.into_iter().map(|known| known.unwrap_or_else(|| measured.next().flatten())).collect())
}

fn measured_ranges(columns: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Vec<OrderBounds>> {
    let Some(rows) = columns.first().map(|column| column.len()) else { return Ok(Vec::new()) };
    let keys: Vec<_> = columns.iter().map(|&view| KeyColumn { view, descending: false, nulls_first: false }).collect();
    let open = SortColumns::open(columns.iter().copied(), rows, ctx.stream)?;
    let (measured, _) = measure(&keys, &open, ctx)?;
    Ok(measured
        .iter()
        .map(|Measured { stats, .. }| stats.valid.then_some((stats.min as u64, stats.max as u64)))
        .collect())
}

fn read(piece: Piece, [max, max_high, min, min_high, varying, varying_high, flags, text]: [u64; 8]) -> Measured {
    let wide = |low: u64, high: u64| u128::from(high) << 64 | u128::from(low);
    let (valid, null, lossy) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0);
    let stats = if valid {
        Stats {
            max: wide(max, max_high),
            min: wide(min, min_high),
            varying: wide(varying, varying_high),
            valid,
            null,
            lossy,
        }
    } else {
        Stats { null, ..Stats::default() }
    };
    Measured { piece, stats, text }
}
