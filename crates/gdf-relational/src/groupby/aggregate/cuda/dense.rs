//! Aggregation by keys whose range is little larger than the number of groups. A packed key is the number of its group,
//! so that there is no hash table. The groups are in the order of their keys.

use gdf_core::{Column, ColumnParts, DataType, NullCount, Result};
use gdf_engine::cuda::{CudaColumn, Grid, Kernel, Memory, Out};
use gdf_engine::hash_table::{RangePacking, pack_by_ranges};
use gdf_engine::keys::OpenKeys;
use gdf_engine::rows::selected_rows;
use gdf_kernels::generated::common::GroupState;
use gdf_kernels::generated::groupby::{AccumulatorInput, AggregateDense, AggregateDenseParts, CombineOp, DensePlan};
use gdf_memory::{Buffer, DeviceVec};

use super::finish::{Finish, Strings};
use super::partition::{PartRule, PartitionedRows};
use super::request::{Attempt, Groups, Keys, OpenSteps, Request};
use super::shared_memory::RESERVED;
use crate::Ctx;
use crate::groupby::aggregate::plan::Accumulator;
use crate::vouch;

/// The smallest number of rows that a block takes of a part.
const MIN_CHUNK: usize = 1 << 18;
/// The largest number of times that rows are read.
const MAX_PASSES: usize = 4;
/// From this number of parts on, rows are moved in such short pieces that fewer parts in several passes take less time.
const MANY_PARTS: usize = 256;
const CHEAP_PASSES: usize = 3;
/// The number of keys of a block is a multiple of this number, so that planes begin at multiples of eight bytes.
const WARP: usize = 32;

/// Returns the number of planes of 32 bits that a step has in shared memory, or `None` if it cannot be there.
fn planes(step: &Accumulator) -> Option<usize> {
    match (step.op, step.input) {
        (_, AccumulatorInput::RowNumber) => None,
        (CombineOp::Add, AccumulatorInput::One) => Some(1),
        (CombineOp::Add | CombineOp::AddF64 | CombineOp::Minimum | CombineOp::Maximum, _) => Some(2),
        (CombineOp::AddI128, _) => Some(4),
        (CombineOp::Multiply | CombineOp::MultiplyF64 | CombineOp::Argmin | CombineOp::Argmax, _) => None,
    }
}

/// Aggregates the rows if the range of the keys is at most `most` and every accumulator can be in shared memory.
pub(super) fn enqueue(request: &Request<'_, '_>, most: usize) -> Result<Attempt> {
    let (keys, ctx) = (request.columns, request.ctx);
    if request.plan.accumulators.iter().any(|step| planes(step).is_none()) {
        return Ok(Attempt::Unsuitable);
    }
    let Some(RangePacking { packing, bound }) = pack_by_ranges(keys, request.policy, ctx.scratch())? else {
        return Ok(Attempt::Unsuitable);
    };
    // The numbers of keys have 32 bits.
    let range = u32::try_from(bound).ok().filter(|range| *range < u32::MAX).map_or(usize::MAX, |range| range as usize);
    if range > most.min(u32::MAX as usize) {
        return Ok(Attempt::Unsuitable);
    }
    let finish = Finish::new(request, Some(&packing));
    if !finish.is_direct() {
        return Ok(Attempt::Unsuitable);
    }
    let shared = ctx.stream.device().properties()?.shared_bytes_per_block.saturating_sub(RESERVED) as usize;
    let budget = shared.min(request.limits.dense_bytes);
    let opened = OpenKeys::new(keys, request.policy, Some(&packing), ctx.stream)?;
    let desc = opened.desc();
    let dense_keys = Keys { desc: &desc, signs: 0, ..request.keys };
    let dense = Dense { request: Request { keys: dense_keys, ..*request }, range, budget };
    let Some(work) = dense.work()? else { return Ok(Attempt::Unsuitable) };
    tracing::debug!(range, ?work, "groupby has dense keys");
    let columns = dense.aggregate(&work, &finish)?;
    if let ([_], [key, ..]) = (keys.columns(), &columns[..]) {
        vouch::ascending(key.view());
    }
    Ok(Attempt::Complete(columns))
}

/// How blocks share the rows.
#[derive(Debug)]
enum Work<'p> {
    /// Each launch accumulates its steps for all keys.
    InOrder { launches: Vec<&'p [Accumulator]>, blocks: u32 },
    /// Rows are moved to parts, and one launch accumulates all steps for `slots` keys of a part at a time.
    Moved { rule: PartRule, slots: usize, chunk: usize },
}

struct Dense<'d, 'a> {
    /// The request with keys that are numbers of groups.
    request: Request<'d, 'a>,
    /// The number of possible keys.
    range: usize,
    /// The number of bytes of shared memory that a block may have.
    budget: usize,
}

/// Returns the number of bytes of shared memory of [`WARP`] keys: a word for each key and plane, and a bit for each
/// key.
fn warp_bytes(steps: &[Accumulator]) -> usize {
    4 * WARP * steps.iter().filter_map(planes).sum::<usize>() + WARP / 8
}

impl<'d> Dense<'d, '_> {
    /// Divides the rows among blocks. Returns `None` if rows would be read too often, or if there are too few rows.
    fn work(&self) -> Result<Option<Work<'d>>> {
        let (rows, range) = (self.request.keys.rows, self.range);
        let rows_per_key = self.request.limits.dense_rows_per_key;
        let blocks = self.request.ctx.stream.device().properties()?.multiprocessors as usize;
        let busy = blocks.min(rows / (range * rows_per_key).max(1));
        let fitting = self.fitting_launches();
        if let Some(launches) = fitting.filter(|launches| launches.len() <= MAX_PASSES && busy * 2 >= blocks) {
            return Ok(Some(Work::InOrder { launches, blocks: busy as u32 }));
        }
        let slots = self.budget / warp_bytes(&self.request.plan.accumulators) * WARP;
        if !self.request.keys.movable || slots == 0 || range < blocks.max(256) || rows / range < 2 {
            return Ok(None);
        }
        let passes = |rule: PartRule| (range.div_ceil(rule.parts) + 1).div_ceil(slots);
        let mut rule = PartRule::of_ranges(range, slots);
        // A pass over the rows takes less time than moving them to so many parts.
        let half = PartRule::of_ranges(range, range.div_ceil(MANY_PARTS / 2));
        if rule.parts >= MANY_PARTS && passes(half) <= CHEAP_PASSES {
            rule = half;
        }
        let keys = range.div_ceil(rule.parts) + 1;
        let chunk = MIN_CHUNK.max(keys * rows_per_key);
        let needed = passes(rule);
        let slots = slots.min(keys.next_multiple_of(WARP));
        Ok((needed <= MAX_PASSES).then_some(Work::Moved { rule, slots, chunk }))
    }

    /// Splits the steps into launches whose accumulators of all keys fit in shared memory. Returns `None` if a step
    /// does not fit.
    fn fitting_launches(&self) -> Option<Vec<&'d [Accumulator]>> {
        let warps = self.range.div_ceil(WARP);
        let fits = |steps: &[Accumulator]| warp_bytes(steps).saturating_mul(warps) <= self.budget;
        let mut cut = Vec::new();
        for mut rest in self.request.launches() {
            loop {
                let count = (0..=rest.len()).rev().find(|count| fits(&rest[..*count]))?;
                if count == 0 && !rest.is_empty() {
                    return None;
                }
                let (launch, after) = rest.split_at(count);
                cut.push(launch);
                rest = after;
                if rest.is_empty() {
                    break;
                }
            }
        }
        Some(cut)
    }

    fn aggregate(&self, work: &Work<'_>, finish: &Finish<'_>) -> Result<Vec<Column>> {
        let (request, Ctx { stream, mr }) = (&self.request, self.request.ctx);
        let mut state = Buffer::zeroed(size_of::<GroupState>(), stream, mr.temporary)?;
        let words = request.plan.words.saturating_mul(self.range);
        let mut acc = DeviceVec::<u64>::uninitialized(words, stream, mr.temporary)?;
        let words_of_bits = self.range.div_ceil(32) + 1;
        let mut present = Buffer::zeroed(words_of_bits * size_of::<u32>(), stream, mr.temporary)?;
        let (state, acc) = (state.write_on(stream)?, acc.write_on(stream)?);
        let mut groups = Groups::without_table(self.range, request.plan.words, Memory::of(&state), Memory::of(&acc))?;
        request.clear(&groups)?;
        {
            let access = present.write_on(stream)?;
            self.accumulate(work, &groups, Memory::of(&access).array(0, words_of_bits)?)?;
        }
        let mut mask = ColumnParts::new(DataType::Boolean, stream.device(), self.range);
        (mask.buffers, mask.null_count) = ([present].into_iter().collect(), NullCount::Known(0));
        let numbers = selected_rows(vouch::result(mask)?.view(), request.ctx.scratch())?;
        if numbers.is_empty() {
            return finish.empty(request.ctx);
        }
        let opened = CudaColumn::open(numbers.view(), stream)?;
        groups.acc.keys = opened.values(size_of::<u32>()).array(0, numbers.len())?;
        finish.write(numbers.len(), &groups, Strings { counts: None, bytes: &[] }, request.ctx)
    }

    fn accumulate(&self, work: &Work<'_>, groups: &Groups<'_>, present: Out<'_, u32>) -> Result<()> {
        let Self { request, range, .. } = self;
        let (range, keys, stream) = (*range, request.keys, request.ctx.stream);
        let plan_of = |slots: usize, chunk: usize, planes: i32| DensePlan {
            present,
            chunk: chunk as i64,
            keys: range as u32,
            slots: slots as i32,
            planes,
            unused: 0,
        };
        match work {
            Work::InOrder { launches, blocks } => {
                let kernel = Kernel::<AggregateDense>::find(stream)?;
                kernel.allow_shared(self.budget as u32)?;
                let slots = range.next_multiple_of(WARP);
                let chunk = keys.rows.div_ceil(*blocks as usize).next_multiple_of(kernel.tile());
                for steps in launches {
                    let mut open = request.open(steps)?;
                    let planes = place(&mut open, steps);
                    let input = request.accumulation(&open, groups);
                    let plan = plan_of(slots, chunk, planes);
                    let arguments = AggregateDense { input, plan };
                    let bytes = (slots / WARP * warp_bytes(steps)) as u32;
                    request.run(&kernel, Grid::Shared(*blocks, bytes), &arguments)?;
                }
            }
            Work::Moved { rule, slots, chunk } => {
                let kernel = Kernel::<AggregateDenseParts>::find(stream)?;
                kernel.allow_shared(self.budget as u32)?;
                let steps = &request.plan.accumulators;
                let mut open = request.open(steps)?;
                let rows = PartitionedRows::new(request, &open, *rule)?;
                let planes = place(&mut open, steps);
                let partitioned = rows.open(stream)?;
                let arguments = AggregateDenseParts {
                    words: partitioned.narrow_words(),
                    values: open.values(),
                    partitioned: partitioned.values(),
                    steps: open.steps,
                    acc: groups.acc,
                    ranges: partitioned.ranges(),
                    plan: plan_of(*slots, *chunk, planes),
                };
                let bytes = (slots / WARP * warp_bytes(steps)) as u32;
                request.run(&kernel, Grid::Shared(kernel.blocks(keys.rows), bytes), &arguments)?;
            }
        }
        Ok(())
    }
}

/// Gives each step its first plane, and returns the number of planes.
fn place(open: &mut OpenSteps<'_>, steps: &[Accumulator]) -> i32 {
    let mut next = 0;
    for (step, out) in steps.iter().zip(&mut open.steps.step) {
        out.local = next;
        next += planes(step).unwrap_or(0) as i32;
    }
    next
}
