//! Accumulates rows that were split into parts by their keys. The rows of a part are gathered first.

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_engine::hash_table::{Grouping, RangeGroups};
use gdf_engine::host::{Bits, map_tasks, split_mut};
use gdf_memory::{HostVec, ResourceRef};

use super::cells::{Cells, ValueColumn, column_of};
use super::step::{GroupedRows, step_of};
use crate::groupby::aggregate::plan::{Accumulator, AccumulatorInput, CombineOp};

/// Returns the accumulators of all groups for rows that were split into parts by their keys.
pub(super) fn accumulate_parts<'r>(
    accumulators: &[Accumulator],
    columns: &[ValueColumn<'_>],
    grouping: &Grouping<'_>,
    rows: &[u32],
    stream: &Stream,
    mr: ResourceRef<'r>,
) -> Result<Vec<Cells<'r>>> {
    let uninitialized = |accumulator: &Accumulator| Cells::uninitialized(accumulator.op, grouping.groups(), stream, mr);
    let mut all = accumulators.iter().map(uninitialized).collect::<Result<Vec<_>>>()?;
    let mut tasks: Vec<(&RangeGroups<'_>, Vec<ValuePiece<'_>>)> =
        grouping.ranges.iter().map(|range| (range, Vec::with_capacity(accumulators.len()))).collect();
    for cells in &mut all {
        let lengths = grouping.ranges.iter().map(|range| range.groups);
        tasks.iter_mut().zip(cells.pieces(lengths)).for_each(|(task, piece)| task.1.push(piece));
    }
    let of = |request: usize| accumulators.iter().filter(move |accumulator| accumulator.request == Some(request));
    let used = |request: usize| of(request).any(|accumulator| accumulator.input != AccumulatorInput::RowNumber);
    // Counts read only the validity mask.
    let read = |request: usize| {
        of(request).any(|accumulator| !matches!(accumulator.input, AccumulatorInput::RowNumber | AccumulatorInput::One))
    };
    let together = gdf_engine::limits::HostLimits::current().group_gather_rows;
    let accumulated = map_tasks(tasks, &|_, (range, mut pieces)| -> Result<()> {
        let (ids, rows) = (&grouping.ids[range.positions.clone()], &rows[range.positions.clone()]);
        let cells = accumulators.iter().map(|accumulator| Cells::new(accumulator.op, range.groups, stream, mr));
        let mut cells = cells.collect::<Result<Vec<_>>>()?;
        for (ids, rows) in ids.chunks(together).zip(rows.chunks(together)) {
            let gather = |(request, column): (usize, &ValueColumn<'_>)| {
                used(request).then(|| Gathered::new(column, read(request), rows, stream, mr)).transpose()
            };
            let gathered = columns.iter().enumerate().map(gather).collect::<Result<Vec<_>>>()?;
            let mut local = columns.to_vec();
            for (gathered, column) in gathered.iter().zip(&mut local) {
                if let Some(gathered) = gathered {
                    *column = gathered.view(column);
                }
            }
            for (accumulator, cells) in accumulators.iter().zip(&mut cells) {
                let (columns, numbers) = if accumulator.input == AccumulatorInput::RowNumber {
                    (columns, Some(rows))
                } else {
                    (&local[..], None)
                };
                let column = column_of(accumulator, columns);
                step_of(accumulator, column, GroupedRows { first: 0, ids, numbers }, cells)?;
            }
        }
        pieces.iter_mut().zip(&cells).for_each(|(piece, cells)| piece.fill(cells, 0));
        Ok(())
    });
    accumulated.into_iter().collect::<Result<()>>()?;
    Ok(all)
}

/// The piece of the accumulators that belongs to the groups of one part.
pub(super) enum ValuePiece<'a> {
    Words(&'a mut [u64]),
    Wide(&'a mut [i128]),
}

impl ValuePiece<'_> {
    /// Copies the cells of the groups after the first `skipped` groups.
    pub(super) fn fill(&mut self, from: &Cells<'_>, skipped: usize) {
        match self {
            ValuePiece::Words(words) => words.copy_from_slice(&from.words()[skipped..]),
            ValuePiece::Wide(sums) => sums.copy_from_slice(&from.wide()[skipped..]),
        }
    }
}

/// The values of selected rows, gathered into contiguous memory.
struct Gathered<'r> {
    bytes: HostVec<'r, u8>,
    valid: Option<HostVec<'r, u64>>,
    rows: usize,
}

impl<'r> Gathered<'r> {
    /// Gathers the values of `rows` and their validity bits.
    fn new(column: &ValueColumn<'_>, values: bool, rows: &[u32], stream: &Stream, mr: ResourceRef<'r>) -> Result<Self> {
        fn gather<const N: usize>(from: &[u8], rows: &[u32], to: &mut [u8]) {
            let (from, to) = (from.as_chunks::<N>().0, to.as_chunks_mut::<N>().0);
            to.iter_mut().zip(rows).for_each(|(to, row)| *to = from[*row as usize]);
        }
        let width = column.physical.width().filter(|_| values).unwrap_or(0);
        let mut bytes = HostVec::<u8>::uninitialized(rows.len() * width, stream, mr)?;
        match width {
            0 => {}
            1 => gather::<1>(column.bytes, rows, &mut bytes),
            2 => gather::<2>(column.bytes, rows, &mut bytes),
            4 => gather::<4>(column.bytes, rows, &mut bytes),
            8 => gather::<8>(column.bytes, rows, &mut bytes),
            16 => gather::<16>(column.bytes, rows, &mut bytes),
            _ => gather::<32>(column.bytes, rows, &mut bytes),
        }
        let Some(validity) = column.validity else { return Ok(Self { bytes, valid: None, rows: rows.len() }) };
        let mut valid = HostVec::<u64>::uninitialized(rows.len().div_ceil(64), stream, mr)?;
        for (word, rows) in valid.iter_mut().zip(rows.chunks(64)) {
            let bit = |(at, row): (usize, &u32)| u64::from(validity.get(*row as usize)) << at;
            *word = rows.iter().enumerate().map(bit).fold(0, |all, bit| all | bit).to_le();
        }
        Ok(Self { bytes, valid: Some(valid), rows: rows.len() })
    }

    fn view<'a>(&'a self, column: &ValueColumn<'a>) -> ValueColumn<'a> {
        let validity = self.valid.as_ref().map(|words| Bits::new(bytemuck::cast_slice(words), 0, self.rows));
        ValueColumn { physical: column.physical, bytes: &self.bytes, text: None, validity }
    }
}

impl<'r> Cells<'r> {
    /// Allocates cells without initializing the cells.
    pub(super) fn uninitialized(op: CombineOp, groups: usize, stream: &Stream, mr: ResourceRef<'r>) -> Result<Self> {
        Ok(match op {
            CombineOp::AddI128 => Self::Wide(HostVec::uninitialized(groups + 1, stream, mr)?),
            _ => Self::Words(HostVec::uninitialized(groups + 1, stream, mr)?),
        })
    }

    /// Splits the cells of all groups into consecutive pieces of the given lengths.
    pub(super) fn pieces(&mut self, lengths: impl Iterator<Item = usize>) -> Vec<ValuePiece<'_>> {
        match self {
            Cells::Words(words) => split_mut(&mut words[1..], lengths).into_iter().map(ValuePiece::Words).collect(),
            Cells::Wide(sums) => split_mut(&mut sums[1..], lengths).into_iter().map(ValuePiece::Wide).collect(),
        }
    }
}
