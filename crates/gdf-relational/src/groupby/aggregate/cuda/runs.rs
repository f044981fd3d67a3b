//! Group-by of rows that are sorted by their keys. Each group is a run of rows. No hash table is needed. The number
//! of accumulators equals the number of groups.

use gdf_core::{Column, Result};
use gdf_engine::cuda::{Grid, Kernel, Memory, Out, Rows, Tiles};
use gdf_kernels::generated::common::GroupState;
use gdf_kernels::generated::groupby::{AggregateRuns, CountRuns, JoinRuns, Partial, RUN_WORDS};
use gdf_memory::{Buffer, DeviceVec, Mailbox};

use super::descriptors::{Groups, Keys, OpenSteps, accumulation, launches, run};
use super::finish::{Finish, Strings};
use crate::Ctx;
use crate::groupby::aggregate::plan::AggregationPlan;

/// The runs of rows with equal keys.
#[derive(Debug)]
pub(super) struct Runs {
    /// The counts of the tiles, followed by a [`GroupState`].
    counts: Buffer,
    tiles: usize,
    count: usize,
    /// Whether the rows that take part follow each other, and none has a smaller key than the row before.
    pub(super) is_ascending: bool,
}

impl Runs {
    /// Counts the runs of packed keys in one launch.
    pub(super) fn find(keys: Keys<'_>, ctx: Ctx<'_>) -> Result<Option<Self>> {
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
            run(&kernel, Grid::Blocks(kernel.blocks(keys.rows)), &arguments, ctx.stream)?;
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
    pub(super) fn aggregate(
        mut self,
        keys: Keys<'_>,
        plan: &AggregationPlan<'_>,
        finish: &Finish<'_>,
        ctx: Ctx<'_>,
    ) -> Result<Vec<Column>> {
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

        for steps in launches(&plan.accumulators) {
            let open = OpenSteps::new(steps, &plan.values, ctx.stream)?;
            let (values, steps) = (open.values(), open.steps);
            let partials = self.tiles * steps.count as usize;
            let mut buffer = DeviceVec::<Partial>::uninitialized(partials, ctx.stream, ctx.mr.temporary)?;
            let access = buffer.write_on(ctx.stream)?;
            let partials = Memory::of(&access).array(0, partials)?;
            let kernel = Kernel::find(ctx.stream)?;
            let input = accumulation(keys, &open, &groups);
            let arguments = AggregateRuns { input, counts, tiles, partials };
            run(&kernel, Grid::Blocks(kernel.blocks(keys.rows)), &arguments, ctx.stream)?;
            if steps.count == 0 {
                continue;
            }
            let kernel = Kernel::find(ctx.stream)?;
            let acc = groups.acc;
            let arguments = JoinRuns { values, steps, acc, counts, tiles, partials: partials.read() };
            run(&kernel, Grid::Blocks(kernel.blocks(self.tiles * 32)), &arguments, ctx.stream)?;
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
