//! `aggregate` on CUDA. The first launches clear a table of groups and the accumulators. Then one pass over the rows
//! fills both.

use gdf_core::{Column, Error, Result, Table, TableView, physical_type};
use gdf_driver::Stream;
use gdf_engine::cuda::{Grid, Kernel, Memory, Out};
use gdf_engine::hash_table::pack_by_values;
use gdf_engine::keys::{NumberedKeys, OpenKeys, Packing, WordBits};
use gdf_engine::limits::GroupByLimits;
use gdf_kernels::OneKernel as _;
use gdf_kernels::generated::groupby::{
    Accumulation, Aggregate, AggregateFew, AggregateFewKernel, AggregateKernel, AggregateMany, AggregateManyKernel,
    AggregateParts, AggregateTiny,
};
use gdf_memory::{Buffer, DeviceVec, Mailbox};

use super::cells::{ComputedCells, aggregate_cells};
use super::dense::aggregate_dense;
use super::descriptors::{
    BEGINNINGS, Groups, Keys, OpenSteps, accumulation, beginnings, check_rows, clear, launches, run,
};
use super::finish::{Finish, Strings, Written};
use super::local::SharedTable;
use super::nunique::nunique;
use super::partition::{PartRule, PartitionedRows, movable};
use super::runs::Runs;
use super::spread::correct_variance;
use super::strategy::{MAX_CAPACITY, Strategy, StrategyChoice, choose, expected_groups};
use crate::Ctx;
use crate::groupby::NullPolicy;
use crate::groupby::aggregate::plan::{Accumulator, AggregationPlan};
use crate::vouch;

/// Up to this number of rows, a retry uses a capacity of one group per row.
const RETRY_CAPACITY: usize = 1 << 20;
/// The number of mailbox words before the words of string columns.
const STATE_WORDS: usize = 3;

pub(in crate::groupby) fn aggregate(
    keys: &TableView<'_>,
    policy: NullPolicy,
    plan: &AggregationPlan<'_>,
    limits: &GroupByLimits,
    ctx: Ctx<'_>,
) -> Result<(Table, Vec<Vec<Column>>)> {
    let rows = keys.num_rows();
    let numbered = NumberedKeys::of(keys, limits.text_rows, WordBits::Single, ctx.scratch())?;
    // The columns in `hashed` are used to hash and compare rows.
    let hashed = numbered.as_ref().map_or_else(|| Ok(keys.clone()), |numbered| numbered.view(keys))?;
    let packing = pack_by_values(&hashed, policy, limits.measured_rows, ctx)?;
    if packing.is_none() && rows >= u32::MAX as usize {
        let what = "the number of rows of a group-by on a GPU with keys of more than 64 bits";
        return Err(Error::beyond_limit(what, rows as i128, i128::from(u32::MAX - 1))
            .with_remedy("aggregate fewer rows at a time, or use the CPU"));
    }
    if !plan.distincts.is_empty() && rows >= u32::MAX as usize {
        let what = "the number of rows of a group-by on a GPU with `Nunique`";
        return Err(Error::beyond_limit(what, rows as i128, i128::from(u32::MAX - 1)).with_remedy("use the CPU"));
    }
    check_rows(rows, keys.columns().iter().chain(&plan.values))?;
    let open = OpenKeys::new(&hashed, policy, packing.as_ref(), ctx.stream)?;
    let texts = matches!(hashed.columns(), [column] if physical_type(column.data_type()).has_byte_offsets());
    let signs = packing.as_ref().map_or(0, |packing| packing.signs(&hashed));
    let null_bits = packing.as_ref().map_or(0, Packing::null_mask);
    let desc = open.desc();
    let packed = packing.is_some();
    // The rows that the parts move have packed keys in place of row numbers. The keys of the result are unpacked from
    // them, and cannot be unpacked from numbers of texts.
    let movable = numbered.is_none() && movable(plan, packing.as_ref());
    let keys_in = Keys { desc: &desc, packed, signs, null_bits, texts, rows, movable };
    // The key columns of the result can be unpacked from packed keys only if the packed keys contain no numbers of
    // texts.
    let packing = packing.filter(|_| numbered.is_none());
    let one_pass = plan.distincts.is_empty() && plan.corrections.is_empty();
    let runs = RunKeys { keys, keys_in, policy, packing: packing.as_ref().filter(|packing| !packing.special_null) };
    let is_known =
        matches!(keys.columns(), [key] if key.is_known_ascending() && physical_type(key.data_type()).is_integral());
    if is_known
        && one_pass
        && plan.computed.is_none()
        && rows > limits.few_rows
        && let Some(columns) = runs.aggregate(plan, ctx)?
    {
        return split(columns, keys.num_columns(), plan);
    }
    let choice = choose(keys_in, limits, ctx)?;
    let StrategyChoice { strategy, mut capacity, .. } = choice;
    let cells = match strategy {
        Strategy::SharedMemory { groups, keep: false } if keys_in.packed && !choice.runs => {
            ComputedCells::new(plan, groups, ctx)?
        }
        _ => None,
    };
    // Without a launch that computes the values, the values become columns.
    let columns = if cells.is_none() { plan.computed_columns(ctx.scratch())? } else { Vec::new() };
    let with_columns;
    let plan = match &cells {
        Some(_) => plan,
        None => {
            with_columns = plan.clone().with_columns(&columns);
            &with_columns
        }
    };
    let direct = packing.as_ref().filter(|packing| !packing.special_null);
    if choice.runs
        && one_pass
        && let Some(columns) = runs.aggregate(plan, ctx)?
    {
        return split(columns, keys.num_columns(), plan);
    }
    if numbered.is_none()
        && one_pass
        && let Some(columns) = aggregate_dense(keys, policy, keys_in, choice, plan, limits, ctx)?
    {
        if let ([key], [_]) = (&columns[..1], keys.columns()) {
            vouch::ascending(key.view());
        }
        return split(columns, keys.num_columns(), plan);
    }
    // The kernel has a single block, and each thread takes one row.
    let tiny_rows = limits.tiny_rows.min(AggregateTiny::ID.info().policy.threads as usize);
    let tiny = rows <= tiny_rows && one_pass && plan.words <= BEGINNINGS && cells.is_none();
    if let (true, Some(packing), [steps]) = (tiny, direct, &launches(&plan.accumulators)[..]) {
        let finish = Finish::new(keys, policy, plan, Some(packing));
        if finish.is_direct() {
            let pass = Pass { keys: keys_in, plan, finish: &finish, strategy, capacity: rows, cells: cells.as_ref() };
            return split(pass.tiny(steps, ctx)?, keys.num_columns(), plan);
        }
    }
    let finish = Finish::new(keys, policy, plan, packing.as_ref().filter(|_| strategy == Strategy::Partitioned));
    check_strings(&finish)?;
    loop {
        let pass = Pass { keys: keys_in, plan, finish: &finish, strategy, capacity, cells: cells.as_ref() };
        match pass.run(ctx)? {
            PassResult::Complete(columns) => return split(columns, keys.num_columns(), plan),
            PassResult::CapacityExceeded(_) if capacity >= rows.min(MAX_CAPACITY) => {
                return Err(Error::internal("the table of groups overflowed at its largest capacity"));
            }
            PassResult::CapacityExceeded(expected) => {
                capacity = expected.max(capacity.saturating_mul(4)).min(rows).min(MAX_CAPACITY);
                tracing::debug!(capacity, "groupby begins again");
            }
        }
    }
}

/// Keys that may be runs of rows.
struct RunKeys<'p, 'a> {
    keys: &'p TableView<'a>,
    keys_in: Keys<'p>,
    policy: NullPolicy,
    packing: Option<&'p Packing>,
}

impl RunKeys<'_, '_> {
    /// Aggregates the rows if the rows of each group follow each other. **Waits** for the number of groups.
    fn aggregate(&self, plan: &AggregationPlan<'_>, ctx: Ctx<'_>) -> Result<Option<Vec<Column>>> {
        let Some(packing) = self.packing else { return Ok(None) };
        let Some(runs) = Runs::find(self.keys_in, ctx)? else { return Ok(None) };
        let is_ascending = runs.is_ascending;
        let finish = Finish::new(self.keys, self.policy, plan, Some(packing));
        check_strings(&finish)?;
        let columns = runs.aggregate(self.keys_in, plan, &finish, ctx)?;
        // Of several columns, only the first one ascends, and packed floats have another order than their bits.
        if let ([key], [group, ..], true) = (self.keys.columns(), &columns[..], is_ascending)
            && physical_type(key.data_type()).is_integral()
            && !key.has_validity()
        {
            vouch::ascending(*key);
            vouch::ascending(group.view());
        }
        Ok(Some(columns))
    }
}

fn check_strings(finish: &Finish<'_>) -> Result<()> {
    let most = Mailbox::MAX_WORDS - STATE_WORDS;
    if finish.strings() > most {
        let what = "the number of string columns that a group-by on a GPU returns";
        return Err(
            Error::beyond_limit(what, finish.strings() as i128, most as i128).with_remedy("aggregate in several calls")
        );
    }
    Ok(())
}

fn split(columns: Vec<Column>, keys: usize, plan: &AggregationPlan<'_>) -> Result<(Table, Vec<Vec<Column>>)> {
    let mut columns = columns.into_iter();
    let keys = Table::try_new(columns.by_ref().take(keys).collect())?;
    let results = plan.results.iter().map(|results| columns.by_ref().take(results.len()).collect()).collect();
    Ok((keys, results))
}

enum PassResult {
    Complete(Vec<Column>),
    /// There are more groups than the capacity of the table.
    CapacityExceeded(usize),
}

/// One attempt to aggregate with a given strategy and capacity.
struct Pass<'p, 'a> {
    keys: Keys<'p>,
    plan: &'p AggregationPlan<'a>,
    finish: &'p Finish<'a>,
    strategy: Strategy,
    capacity: usize,
    /// The launch that computes the values of the plan, if the plan has computed values.
    cells: Option<&'p ComputedCells<'p, 'a>>,
}

impl Pass<'_, '_> {
    fn memory(&self, ctx: Ctx<'_>) -> Result<(Buffer, DeviceVec<u64>)> {
        let table = Buffer::uninitialized(Groups::table_bytes(self.capacity), ctx.stream, ctx.mr.temporary)?;
        let words = self.plan.words.saturating_mul(self.capacity);
        Ok((table, DeviceVec::uninitialized(words, ctx.stream, ctx.mr.temporary)?))
    }

    fn tiny(&self, steps: &[Accumulator], ctx: Ctx<'_>) -> Result<Vec<Column>> {
        let (mut table, mut acc) = self.memory(ctx)?;
        let (table, acc) = (table.write_on(ctx.stream)?, acc.write_on(ctx.stream)?);
        let groups = Groups::new(self.capacity, self.plan.words, Memory::of(&table), Memory::of(&acc))?;
        let open = OpenSteps::new(steps, &self.plan.values, ctx.stream)?;
        let (beginnings, begin_words) = beginnings(&self.plan.accumulators, self.plan.words, 0);
        let kernel = Kernel::find(ctx.stream)?;
        let launch = |written: Written<'_>| {
            let mailbox = Mailbox::new(ctx.stream, 1)?;
            let arguments = AggregateTiny {
                input: accumulation(self.keys, &open, &groups),
                beginnings,
                begin_words,
                results: written.results,
                out: written.out,
                columns: written.columns,
                mailbox: Out::of(&mailbox),
            };
            run(&kernel, Grid::Blocks(1), &arguments, ctx.stream)?;
            Ok(usize::try_from(mailbox.wait()?[0]).unwrap_or(0))
        };
        self.finish.write_within(self.keys.rows, launch, ctx)
    }

    fn run(&self, ctx: Ctx<'_>) -> Result<PassResult> {
        let (mut table, mut acc) = self.memory(ctx)?;
        let (table, acc) = (table.write_on(ctx.stream)?, acc.write_on(ctx.stream)?);
        let groups = Groups::new(self.capacity, self.plan.words, Memory::of(&table), Memory::of(&acc))?;
        let mailbox = Mailbox::new(ctx.stream, STATE_WORDS + self.finish.strings())?;
        let words = Out::of(&mailbox);

        self.accumulate(&groups, words, ctx)?;
        let counts = self.finish.sizes(&groups, words.element(STATE_WORDS), ctx)?;
        let posted = mailbox.wait()?;

        let found = usize::try_from(posted[0]).unwrap_or(usize::MAX);
        if posted[1] != 0 {
            return Ok(PassResult::CapacityExceeded(self.more_groups(posted[0] as f64, posted[2] as f64)));
        }
        if found == 0 {
            return Ok(PassResult::Complete(self.finish.empty(ctx)?));
        }
        for distinct in &self.plan.distincts {
            nunique(self.keys, self.plan.values[distinct.request], *distinct, &groups, ctx)?;
        }
        for index in 0..self.plan.corrections.len() {
            correct_variance(self.keys, self.plan, index, found, &groups, ctx.stream)?;
        }
        let strings = Strings { counts: counts.as_ref(), bytes: &posted[STATE_WORDS..] };
        Ok(PassResult::Complete(self.finish.write(found, &groups, strings, ctx)?))
    }

    /// Estimates the number of groups from the rows that were seen before the overflow, and adds 20%. For few rows,
    /// returns the number of rows.
    fn more_groups(&self, found: f64, seen: f64) -> usize {
        if self.keys.rows <= RETRY_CAPACITY {
            return self.keys.rows;
        }
        let rows = self.keys.rows as f64;
        let groups = if self.strategy == Strategy::Partitioned {
            found * rows / seen.max(1.0)
        } else {
            expected_groups(found, seen, rows)
        };
        (groups * 1.2) as usize
    }

    /// Enqueues the launches that fill the table and the accumulators.
    fn accumulate(&self, groups: &Groups<'_>, mailbox: Out<'_, u64>, ctx: Ctx<'_>) -> Result<()> {
        let begins = self.strategy == Strategy::SinglePass && self.plan.words <= BEGINNINGS;
        if !begins {
            clear(groups, self.plan, ctx.stream)?;
        }
        for (index, steps) in launches(&self.plan.accumulators).into_iter().enumerate() {
            let open = OpenSteps::new(steps, &self.plan.values, ctx.stream)?;
            let first = index == 0;
            let mailbox = if first { mailbox } else { Out::NULL };
            let input = accumulation(self.keys, &open, groups);
            match self.strategy {
                Strategy::SinglePass => self.few(&input, first && begins, mailbox, ctx.stream)?,
                Strategy::SharedMemory { groups: expected, keep } => {
                    if let Some(cells) = self.cells {
                        cells.aggregate(&input, self.keys.rows, mailbox, ctx)?;
                        continue;
                    }
                    let words = open.words();
                    let properties = ctx.stream.device().properties()?;
                    if self.keys.packed
                        && !keep
                        && aggregate_cells(&input, steps, self.plan, self.keys.rows, expected, mailbox, ctx)?
                    {
                        continue;
                    }
                    let mut local = SharedTable::new(words, expected, self.keys, properties);
                    local.plan.keep = i32::from(keep);
                    if keep || local.plan.groups >= expected.min(i32::MAX as usize) as i32 {
                        self.local(&input, &local, mailbox, ctx.stream)?;
                    } else {
                        self.many(&input, mailbox, ctx.stream)?;
                    }
                }
                Strategy::Global => self.many(&input, mailbox, ctx.stream)?,
                Strategy::Partitioned => self.parts(&open, groups, mailbox, ctx)?,
            }
        }
        Ok(())
    }

    fn few(&self, input: &Accumulation<'_>, begins: bool, mailbox: Out<'_, u64>, stream: &Stream) -> Result<()> {
        let kernel = if self.keys.packed { AggregateFewKernel::Packed } else { AggregateFewKernel::Rows };
        let kernel = Kernel::choose(kernel, stream)?;
        let (beginnings, all) = beginnings(&self.plan.accumulators, self.plan.words, 0);
        let arguments = AggregateFew { input: *input, beginnings, begin_words: if begins { all } else { 0 }, mailbox };
        run(&kernel, Grid::Cooperative(kernel.blocks(self.keys.rows), 1), &arguments, stream)
    }

    fn local(
        &self,
        input: &Accumulation<'_>,
        local: &SharedTable,
        mailbox: Out<'_, u64>,
        stream: &Stream,
    ) -> Result<()> {
        let kernel = match self.keys {
            Keys { packed: true, .. } => AggregateKernel::Packed,
            Keys { texts: true, .. } => AggregateKernel::Texts,
            _ => AggregateKernel::Rows,
        };
        let kernel = Kernel::choose(kernel, stream)?;
        kernel.allow_shared(local.limit)?;
        let arguments = Aggregate { input: *input, plan: local.plan, mailbox };
        run(&kernel, Grid::Shared(kernel.blocks(self.keys.rows), local.bytes), &arguments, stream)
    }

    fn many(&self, input: &Accumulation<'_>, mailbox: Out<'_, u64>, stream: &Stream) -> Result<()> {
        let kernel = if self.keys.packed { AggregateManyKernel::Packed } else { AggregateManyKernel::Rows };
        let kernel = Kernel::choose(kernel, stream)?;
        let arguments = AggregateMany { input: *input, mailbox };
        run(&kernel, Grid::Blocks(kernel.blocks(self.keys.rows)), &arguments, stream)
    }

    fn parts(&self, open: &OpenSteps<'_>, groups: &Groups<'_>, mailbox: Out<'_, u64>, ctx: Ctx<'_>) -> Result<()> {
        let rule = PartRule::of_table(groups, self.plan.words);
        let rows = PartitionedRows::new(self.keys, open, rule, ctx)?;
        let moved = rows.open(ctx.stream)?;
        let (words, rows, partitioned) = (moved.words(), moved.rows(), moved.values());
        let (values, steps, table, acc) = (open.values(), open.steps, groups.table, groups.acc);
        let kernel = Kernel::find(ctx.stream)?;
        let arguments = AggregateParts { words, rows, values, partitioned, steps, table, acc, mailbox };
        run(&kernel, Grid::Blocks(kernel.blocks(self.keys.rows)), &arguments, ctx.stream)
    }
}
