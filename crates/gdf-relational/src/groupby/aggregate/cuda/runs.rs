//! Group-by of rows that are sorted by their keys. Each group is a run of rows. No hash table is needed. The number
//! of accumulators equals the number of groups.

use gdf_core::{Column, Result, physical_type};
use gdf_engine::cuda::{Grid, Kernel, Memory, Out, Rows, Tiles};
use gdf_kernels::generated::common::GroupState;
use gdf_kernels::generated::groupby::{AggregateRuns, CountRuns, JoinRuns, Partial, RUN_WORDS};
use gdf_memory::{Buffer, DeviceVec, Mailbox};

use super::finish::{Finish, Strings};
use super::request::{Attempt, Groups, Request};
use crate::vouch;

/// Aggregates the rows if the rows of each group follow each other. **Waits** for the number of groups.
pub(super) fn enqueue(request: &Request<'_, '_>) -> Result<Attempt> {
    let Some(packing) = request.plain_packing() else { return Ok(Attempt::Unsuitable) };
    let Some(runs) = Runs::find(request)? else { return Ok(Attempt::Unsuitable) };
    let is_ascending = runs.is_ascending;
    let finish = Finish::new(request, Some(packing));
    finish.check_strings()?;
    let columns = runs.aggregate(request, &finish)?;
    // Of several columns, only the first one ascends, and packed floats have another order than their bits.
    if let ([key], [group, ..], true) = (request.columns.columns(), &columns[..], is_ascending)
        && physical_type(key.data_type()).is_integral()
        && !key.has_validity()
    {
        vouch::ascending(*key);
        vouch::ascending(group.view());
    }
    Ok(Attempt::Complete(columns))
}

/// The runs of rows with equal keys.
#[derive(Debug)]
struct Runs {
    /// The counts of the tiles, followed by a [`GroupState`].
    counts: Buffer,
    tiles: usize,
    count: usize,
    /// Whether the rows that take part follow each other, and none has a smaller key than the row before.
    is_ascending: bool,
}

impl Runs {
    /// Counts the runs of packed keys in one launch.
    fn find(request: &Request<'_, '_>) -> Result<Option<Self>> {
        let (keys, ctx) = (request.keys, request.ctx);
        let kernel = Kernel::<CountRuns>::find(ctx.stream)?;
        let tiles = kernel.tiles(keys.rows);
        let bytes = (tiles + 1) * size_of::<u64>() + size_of::<GroupState>();
        let mut counts = Buffer::uninitialized(bytes, ctx.stream, ctx.mr.temporary)?;
        let mailbox = Mailbox::new(ctx.stream, RUN_WORDS)?;
        {
            let access = counts.write_on(ctx.stream)?;
            let memory = Memory::of(&access);
            let arguments = CountRuns {
                keys: *keys.desc,
                signs: keys.signs,
                rows: Rows::new(keys.rows),
                counts: memory.array(0, tiles + 1)?,
                tiles: Tiles::new(tiles),
                state: memory.array((tiles + 1) * size_of::<u64>(), 1)?,
                mailbox: Out::of(&mailbox),
            };
            request.run(&kernel, Grid::Blocks(kernel.blocks(keys.rows)), &arguments)?;
        }
        let posted = mailbox.wait()?;
        let [count, up, down, resumes] = [0, 1, 2, 3].map(|word| posted[word]);
        let in_order = (up == 0 || down == 0) && resumes <= 1;
        tracing::debug!(count, in_order, "groupby has counted runs");
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let is_ascending = down == 0 && resumes <= 1;
        Ok(in_order.then_some(Self { counts, tiles, count, is_ascending }))
    }

    /// Returns the keys and the results of all groups.
    fn aggregate(mut self, request: &Request<'_, '_>, finish: &Finish<'_>) -> Result<Vec<Column>> {
        let (plan, ctx) = (request.plan, request.ctx);
        if self.count == 0 {
            return finish.empty(ctx);
        }
        let words = plan.words.saturating_mul(self.count);
        let mut acc = DeviceVec::<u64>::uninitialized(words, ctx.stream, ctx.mr.temporary)?;
        let acc = acc.write_on(ctx.stream)?;
        let access = self.counts.write_on(ctx.stream)?;
        let memory = Memory::of(&access);
        let state = memory.skip((self.tiles + 1) * size_of::<u64>());
        let groups = Groups::without_table(self.count, plan.words, state, Memory::of(&acc))?;
        let (counts, tiles) = (memory.read().array(0, self.tiles + 1)?, Tiles::new(self.tiles));

        for steps in request.launches() {
            let open = request.open(steps)?;
            let (values, steps) = (open.values(), open.steps);
            let partials = self.tiles * steps.count as usize;
            let mut buffer = DeviceVec::<Partial>::uninitialized(partials, ctx.stream, ctx.mr.temporary)?;
            let access = buffer.write_on(ctx.stream)?;
            let partials = Memory::of(&access).array(0, partials)?;
            let kernel = Kernel::find(ctx.stream)?;
            let input = request.accumulation(&open, &groups);
            let arguments = AggregateRuns { input, counts, tiles, partials };
            request.run(&kernel, Grid::Blocks(kernel.blocks(request.keys.rows)), &arguments)?;
            if steps.count == 0 {
                continue;
            }
            let kernel = Kernel::find(ctx.stream)?;
            let acc = groups.acc;
            let arguments = JoinRuns { values, steps, acc, counts, tiles, partials: partials.read() };
            request.run(&kernel, Grid::Blocks(kernel.blocks(self.tiles * 32)), &arguments)?;
        }
        if finish.strings() == 0 {
            return finish.write(self.count, &groups, Strings { counts: None, bytes: &[] }, ctx);
        }
        let mailbox = Mailbox::new(ctx.stream, finish.strings())?;
        let sizes = finish.sizes(&groups, Out::of(&mailbox), ctx)?;
        let posted = mailbox.wait()?;
        finish.write(self.count, &groups, Strings { counts: sizes.as_ref(), bytes: &posted }, ctx)
    }
}
