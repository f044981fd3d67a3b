//! Accumulators that are updated column by column over blocks of rows whose group numbers are known.

use gdf_compute::expression::{ProjectedBlock, ProjectedBlocks, Projection};
use gdf_core::Result;
use gdf_engine::hash_table::{Grouping, RangeGroups, Visit};
use gdf_engine::host::{HostColumn, for_each_task};

use super::cells::{Cells, ValueColumn, column_of};
use super::parts::accumulate_parts;
use super::step::{GroupedRows, not_combined, step_of, with_order};
use crate::Ctx;
use crate::groupby::aggregate::plan::{Accumulator, AggregationPlan, CombineOp};

/// Values that are computed for one block of rows at a time.
pub(super) struct Computed<'a> {
    projection: &'a Projection<'a>,
    blocks: ProjectedBlocks<'a>,
}

impl<'a> Computed<'a> {
    /// Opens a projection over its columns.
    pub(super) fn open(projection: &'a Projection<'a>, columns: &'a [HostColumn<'_>]) -> Result<Self> {
        Ok(Self { projection, blocks: projection.blocks(columns)? })
    }

    /// Returns the values of an output for the rows of a block.
    fn column<'b>(&self, block: &'b ProjectedBlock, output: usize) -> ValueColumn<'b> {
        let physical = self.projection.computed_type(output);
        ValueColumn { physical, bytes: block.values(output), text: None, validity: block.validity(output) }
    }
}

/// The accumulators of a plan, updated with blocks of rows whose group numbers are known.
pub(super) struct Accumulation<'a, 'r> {
    pub(super) plan: &'a AggregationPlan<'a>,
    pub(super) columns: &'a [ValueColumn<'a>],
    pub(super) computed: Option<Computed<'a>>,
    pub(super) ctx: Ctx<'r>,
}

/// The accumulators of a range of rows, and the computed values of the last block.
pub(super) struct RangeState<'r> {
    cells: Vec<Cells<'r>>,
    block: Option<ProjectedBlock>,
}

impl<'r> Visit for Accumulation<'_, 'r> {
    type State = RangeState<'r>;

    fn keeps_ids(&self) -> bool {
        !self.plan.distincts.is_empty() || !self.plan.corrections.is_empty()
    }

    fn begin(&self) -> Result<Self::State> {
        let (stream, mr) = (self.ctx.stream, self.ctx.mr.temporary);
        let cells = self.plan.accumulators.iter().map(|accumulator| Cells::new(accumulator.op, 0, stream, mr));
        let block = self.computed.as_ref().map(|computed| computed.projection.block());
        Ok(RangeState { cells: cells.collect::<Result<_>>()?, block })
    }

    fn rows(&self, state: &mut Self::State, first: usize, ids: &[u32], groups: usize) -> Result<()> {
        let stored = GroupedRows { first, ids, numbers: None };
        // The first row of a block of computed values is row 0.
        let of_block = GroupedRows { first: 0, ..stored };
        if let (Some(computed), Some(block)) = (&self.computed, &mut state.block)
            && ids.iter().any(|id| *id != 0)
        {
            computed.blocks.compute(block, first, ids.len())?;
        }
        self.plan.accumulators.iter().zip(&mut state.cells).try_for_each(|(accumulator, cells)| {
            cells.reach(accumulator.op, groups)?;
            let output = accumulator.request.and_then(|request| self.plan.output_of(request));
            match (output, &self.computed, &state.block) {
                (Some(output), Some(computed), Some(block)) => {
                    step_of(accumulator, Some(&computed.column(block, output)), of_block, cells)
                }
                _ => step_of(accumulator, column_of(accumulator, self.columns), stored, cells),
            }
        })
    }
}

impl<'r> Accumulation<'_, 'r> {
    /// Returns the accumulators of all groups.
    pub(super) fn finish(&self, grouping: &Grouping<'_>, mut ranges: Vec<RangeState<'r>>) -> Result<Vec<Cells<'r>>> {
        let (stream, mr) = (self.ctx.stream, self.ctx.mr.temporary);
        if let Some(rows) = &grouping.rows {
            // The rows of a part are not neighbors, so that blocks of values are of no use.
            let made = self.plan.computed_columns(self.ctx.scratch())?;
            let open = made.iter().map(|column| HostColumn::open(column.view(), stream)).collect::<Result<Vec<_>>>()?;
            let mut columns = self.columns.to_vec();
            for column in &open {
                columns.push(ValueColumn::new(column, None)?);
            }
            return accumulate_parts(&self.plan.accumulators, &columns, grouping, rows, stream, mr);
        }
        if ranges.len() == 1
            && let Some(range) = ranges.pop()
        {
            return Ok(range.cells);
        }
        let one = |(index, accumulator): (usize, &Accumulator)| {
            if grouping.ranges.iter().all(|range| range.map.is_none()) {
                return self.put_together(accumulator, grouping, &ranges, index);
            }
            let mut all = Cells::new(accumulator.op, grouping.groups(), stream, mr)?;
            for (range, state) in grouping.ranges.iter().zip(&ranges) {
                merge(accumulator, self.columns, (range, range.groups), &state.cells[index], &mut all)?;
            }
            Ok(all)
        };
        self.plan.accumulators.iter().enumerate().map(one).collect()
    }

    /// Returns the accumulators of all groups, if the groups of each range follow those of the range before. The
    /// accumulator has the number `index`.
    fn put_together(
        &self,
        accumulator: &Accumulator,
        grouping: &Grouping<'_>,
        ranges: &[RangeState<'r>],
        index: usize,
    ) -> Result<Cells<'r>> {
        let (stream, mr) = (self.ctx.stream, self.ctx.mr.temporary);
        let mut all = Cells::uninitialized(accumulator.op, grouping.groups(), stream, mr)?;
        let mut end = 0;
        let shared = grouping.ranges.iter().map(|range| {
            let shared = end - range.before;
            end = range.before + range.groups;
            shared
        });
        let shared: Vec<usize> = shared.collect();
        let lengths = grouping.ranges.iter().zip(&shared).map(|(range, shared)| range.groups - shared);
        let tasks: Vec<_> = all.pieces(lengths).into_iter().zip(&shared).zip(ranges).collect();
        for_each_task(tasks, |_, ((mut piece, shared), state)| piece.fill(&state.cells[index], *shared));
        // A group of two ranges has the accumulators of the first of them so far.
        for ((range, state), shared) in grouping.ranges.iter().zip(ranges).zip(shared) {
            merge(accumulator, self.columns, (range, shared), &state.cells[index], &mut all)?;
        }
        Ok(all)
    }
}

/// Merges the accumulators of the first groups of a range into the accumulators of all groups.
fn merge(
    accumulator: &Accumulator,
    columns: &[ValueColumn<'_>],
    (range, count): (&RangeGroups<'_>, usize),
    part: &Cells<'_>,
    all: &mut Cells<'_>,
) -> Result<()> {
    let groups = || (1..=count as u32).map(|id| range.group(id));
    match (part, all) {
        (Cells::Wide(part), Cells::Wide(all)) => {
            for (sum, group) in part[1..].iter().zip(groups()) {
                all[group] = all[group].wrapping_add(*sum);
            }
        }
        (Cells::Words(part), Cells::Words(all)) => {
            let pairs = part[1..].iter().copied().zip(groups());
            let number = |a: u64, b: u64, f: fn(f64, f64) -> f64| f(f64::from_bits(a), f64::from_bits(b)).to_bits();
            match accumulator.op {
                CombineOp::Add => pairs.for_each(|(v, g)| all[g] = all[g].wrapping_add(v)),
                CombineOp::AddF64 => pairs.for_each(|(v, g)| all[g] = number(all[g], v, |a, b| a + b)),
                CombineOp::Minimum => pairs.for_each(|(v, g)| all[g] = all[g].min(v)),
                CombineOp::Maximum => pairs.for_each(|(v, g)| all[g] = all[g].max(v)),
                CombineOp::Multiply => pairs.for_each(|(v, g)| all[g] = all[g].wrapping_mul(v)),
                CombineOp::MultiplyF64 => pairs.for_each(|(v, g)| all[g] = number(all[g], v, |a, b| a * b)),
                CombineOp::AddI128 => return Err(not_combined()),
                CombineOp::Argmin | CombineOp::Argmax => {
                    let Some(column) = accumulator.request.and_then(|request| columns.get(request)) else {
                        return Ok(());
                    };
                    with_order(accumulator.op, column, |precedes| {
                        for (row, group) in pairs.filter(|(row, _)| *row != u64::MAX) {
                            if all[group] == u64::MAX || precedes(row as usize, all[group] as usize) {
                                all[group] = row;
                            }
                        }
                    })?;
                }
            }
        }
        _ => return Err(not_combined()),
    }
    Ok(())
}
