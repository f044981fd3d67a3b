//! `aggregate` on CUDA: a table of groups and their accumulators are made empty, filled in one pass over the rows, and
//! turned into keys and results once the number of groups is known.

use gdf_core::{Column, Error, Result, Table, TableView};
use gdf_driver::Stream;
use gdf_memory::{Buffer, Mailbox, MemoryError, Resources};

use super::descriptors::{AccumulatorsOut, BEGINNINGS, GroupTable, OpenSteps, beginnings, launches};
use super::finish::{Finish, Written};
use super::local::SharedTable;
use super::nunique::nunique;
use super::parts::{MovedRows, movable};
use super::spread::centre;
use super::ways::{Choice, MOST_ROOM, Way, choose, expected_groups};
use crate::cuda::{Kernel, OpenKeys, args};
use crate::groupby::NullPolicy;
use crate::groupby::limits::GroupByLimits;
use crate::groupby::plan::{Plan, Step};
use crate::keys::{Packing, has_order_number};
use crate::sorting::ranges;

/// Threads of the block that does all.
const TINY: usize = 1024;
/// Bytes of a slot and of the state of a table.
const SLOT: usize = 16;
const STATE: usize = 32;
/// Rows that there is room for as groups, without a second look.
const FEW_ROOM: usize = 1 << 20;
/// Words of the mailbox before those of strings: groups, overflow, rows seen.
const STATE_WORDS: usize = 3;

pub(in crate::groupby) fn aggregate(
    keys: &TableView<'_>,
    policy: NullPolicy,
    plan: &Plan<'_>,
    limits: &GroupByLimits,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<(Table, Vec<Vec<Column>>)> {
    let rows = keys.num_rows();
    let packing = packing(keys, policy == NullPolicy::Exclude, limits.measured_rows, stream, mr)?;
    if packing.is_none() && rows >= u32::MAX as usize {
        return Err(Error::InvalidArgument { what: "keys of more than 64 bits of at most 2^32 - 2 rows" });
    }
    if !plan.distincts.is_empty() && rows >= u32::MAX as usize {
        return Err(Error::InvalidArgument { what: "distinct values of at most 2^32 - 2 rows" });
    }
    let open = OpenKeys::new(keys, policy == NullPolicy::Exclude, packing.as_ref(), stream)?;
    let packed = packing.is_some();
    let Choice { way, mut room } = choose(&open, packed, movable(plan, packing.as_ref()), rows, limits, stream, mr)?;
    let direct = packing.as_ref().filter(|packing| !packing.special_null);
    let one_pass = plan.distincts.is_empty() && plan.spreads.is_empty();
    let tiny = rows <= limits.tiny_rows.min(TINY) && one_pass && plan.words <= BEGINNINGS;
    if let (true, Some(packing), [steps]) = (tiny, direct, &launches(&plan.steps)[..]) {
        let finish = Finish::new(keys, policy, plan, Some(packing));
        if finish.is_direct() {
            let pass = Pass { keys: &open, rows, packed, plan, finish: &finish, way, room: rows };
            return split(pass.tiny(steps, stream, mr)?, keys.num_columns(), plan);
        }
    }
    let finish = Finish::new(keys, policy, plan, packing.as_ref().filter(|_| way == Way::Parts));
    if STATE_WORDS + finish.strings() > Mailbox::MAX_WORDS {
        return Err(Error::InvalidArgument { what: "more string columns than a call takes" });
    }
    loop {
        let pass = Pass { keys: &open, rows, packed, plan, finish: &finish, way, room };
        match pass.run(stream, mr)? {
            Outcome::Done(columns) => return split(columns, keys.num_columns(), plan),
            Outcome::MoreGroups(_) if room >= rows.min(MOST_ROOM) => {
                return Err(Error::InvalidArgument { what: "more groups than a call takes" });
            }
            Outcome::MoreGroups(expected) => {
                room = expected.max(room.saturating_mul(4)).min(rows).min(MOST_ROOM);
                tracing::debug!(room, "groupby begins again");
            }
        }
    }
}

fn split(columns: Vec<Column>, keys: usize, plan: &Plan<'_>) -> Result<(Table, Vec<Vec<Column>>)> {
    let mut columns = columns.into_iter();
    let keys = Table::try_new(columns.by_ref().take(keys).collect())?;
    let results = plan.outcomes.iter().map(|outcomes| columns.by_ref().take(outcomes.len()).collect()).collect();
    Ok((keys, results))
}

/// How keys pack into 64 bits: as their types do, or else as their values do, which takes a launch and a wait. What does
/// not pack is hashed and compared as rows, which takes many times as long for many rows.
fn packing(
    keys: &TableView<'_>,
    exclude_nulls: bool,
    measured_rows: usize,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Option<Packing>> {
    let by_type = Packing::new(keys, exclude_nulls);
    let has_numbers = || keys.columns().iter().all(|column| has_order_number(column.data_type()));
    if by_type.is_some() || keys.num_rows() <= measured_rows || !has_numbers() {
        return Ok(by_type);
    }
    let scratch = Resources { output: mr.temporary, ..mr };
    Ok(Packing::of_ranges(keys, &ranges(keys.columns(), stream, scratch)?, exclude_nulls))
}

enum Outcome {
    Done(Vec<Column>),
    /// There were more groups than room, about as many as this.
    MoreGroups(usize),
}

/// One try.
struct Pass<'p, 'a> {
    keys: &'p OpenKeys<'a>,
    rows: usize,
    packed: bool,
    plan: &'p Plan<'a>,
    finish: &'p Finish<'a>,
    way: Way,
    /// Groups.
    room: usize,
}

impl Pass<'_, '_> {
    /// A table with its state, and accumulators.
    fn memory(&self, stream: &Stream, mr: Resources<'_>) -> Result<(Buffer, Buffer)> {
        let table = Buffer::uninitialized((slots(self.room) + 2) * SLOT + STATE, stream, mr.temporary)?;
        let bytes = self.plan.words.checked_mul(self.room).and_then(|words| words.checked_mul(8));
        let bytes = bytes.ok_or(MemoryError::OutOfMemory {
            requested: usize::MAX,
            free: None,
            resource: mr.temporary.resource().name(),
        })?;
        Ok((table, Buffer::uninitialized(bytes, stream, mr.temporary)?))
    }

    fn describe(&self, table: u64, acc: u64) -> (GroupTable, AccumulatorsOut) {
        let slots = slots(self.room);
        let desc = GroupTable {
            slots: table,
            mask: slots as u64 - 1,
            state: table + ((slots + 2) * SLOT) as u64,
            first_row: acc,
            room: self.room as u64,
        };
        (desc, AccumulatorsOut { words: acc, stride: self.room as i64 })
    }

    /// All in one launch, of one block.
    fn tiny(&self, steps: &[Step], stream: &Stream, mr: Resources<'_>) -> Result<Vec<Column>> {
        let (mut table, mut acc) = self.memory(stream, mr)?;
        let (table, acc) = (table.write_on(stream)?, acc.write_on(stream)?);
        let (table_in, acc_out) = self.describe(table.address(), acc.address());
        let open = OpenSteps::new(steps, &self.plan.values, stream)?;
        let (begin, begin_words) = beginnings(&self.plan.steps, self.plan.words, 0);
        let kernel = Kernel::find(stream, "groupby", "aggregate_tiny_kernel", "aggregate_tiny")?;
        let launch = |written: Written| {
            let mailbox = Mailbox::new(stream, 1)?;
            let (rows, address) = (self.rows as i64, mailbox.address());
            let args = args![
                self.keys.desc,
                open.values,
                open.steps,
                rows,
                table_in,
                acc_out,
                begin,
                begin_words,
                written.results,
                written.out,
                written.columns,
                address,
            ];
            // SAFETY: the kernel takes (keys, row_table<16>, steps, rows, group_table, accumulators, beginnings, words,
            // results, table_out<16>, int columns, mailbox). Keys and values have `rows` rows, at most as many as a block
            // has threads, and are open for reading on this stream; the table has mask + 3 slots and a state behind
            // them, the accumulators `words` words of `room` groups, which are as many as rows; the outputs have room
            // for as many; all of these are exclusively ours; the mailbox has one word. There is one block.
            unsafe { kernel.launch(stream, 1, 1, args)? };
            Ok(usize::try_from(mailbox.wait()?[0]).unwrap_or(0))
        };
        self.finish.write_within(self.rows, launch, stream, mr)
    }

    fn run(&self, stream: &Stream, mr: Resources<'_>) -> Result<Outcome> {
        let (mut table, mut acc) = self.memory(stream, mr)?;
        let (table, acc) = (table.write_on(stream)?, acc.write_on(stream)?);
        let (desc, acc_out) = self.describe(table.address(), acc.address());
        let mailbox = Mailbox::new(stream, STATE_WORDS + self.finish.strings())?;

        self.accumulate(desc, acc_out, mailbox.address(), stream, mr)?;
        let string_words = mailbox.address() + STATE_WORDS as u64 * 8;
        let counts = self.finish.sizes(desc.state, acc_out, self.room, string_words, stream, mr)?;
        let posted = mailbox.wait()?;

        let groups = usize::try_from(posted[0]).unwrap_or(usize::MAX);
        if posted[1] != 0 {
            return Ok(Outcome::MoreGroups(self.more_groups(posted[0] as f64, posted[2] as f64)));
        }
        if groups == 0 {
            return Ok(Outcome::Done(self.finish.empty(stream, mr)?));
        }
        for distinct in &self.plan.distincts {
            let values = self.plan.values[distinct.request];
            nunique(&self.keys.desc, self.packed, values, *distinct, desc, acc_out, stream, mr)?;
        }
        for (index, spread) in self.plan.spreads.iter().enumerate() {
            centre(&self.keys.desc, self.packed, &self.plan.values, spread, index, groups, desc, acc_out, stream)?;
        }
        let strings = &posted[STATE_WORDS..];
        let columns = self.finish.write(groups, acc_out, self.room, counts.as_ref(), strings, stream, mr)?;
        Ok(Outcome::Done(columns))
    }

    /// As many as the rows that were seen promise, and some more. Rows that were moved are no sample.
    fn more_groups(&self, found: f64, seen: f64) -> usize {
        if self.rows <= FEW_ROOM {
            return self.rows;
        }
        let rows = self.rows as f64;
        let groups =
            if self.way == Way::Parts { found * rows / seen.max(1.0) } else { expected_groups(found, seen, rows) };
        (groups * 1.2) as usize
    }

    /// Enqueues all that fills the table and the accumulators.
    fn accumulate(
        &self,
        table: GroupTable,
        acc: AccumulatorsOut,
        mailbox: u64,
        stream: &Stream,
        mr: Resources<'_>,
    ) -> Result<()> {
        let words = self.plan.words;
        let begins = self.way == Way::Few && words <= BEGINNINGS;
        if !begins {
            self.clear(table, acc, stream)?;
        }
        for (index, steps) in launches(&self.plan.steps).into_iter().enumerate() {
            let open = OpenSteps::new(steps, &self.plan.values, stream)?;
            let first = index == 0;
            let mailbox = if first { mailbox } else { 0 };
            match self.way {
                Way::Few => self.few(&open, first && begins, table, acc, mailbox, stream)?,
                Way::Local { groups, keep } => self.local(&open, groups, keep, table, acc, mailbox, stream)?,
                Way::Many => self.many(&open, table, acc, mailbox, stream)?,
                Way::Parts => self.parts(&open, table, acc, mailbox, stream, mr)?,
            }
        }
        Ok(())
    }

    fn kernel(&self, packed: &str, any: &str, policy: &str, stream: &Stream) -> Result<Kernel> {
        Kernel::find(stream, "groupby", if self.packed { packed } else { any }, policy)
    }

    fn few(
        &self,
        open: &OpenSteps<'_>,
        begins: bool,
        table: GroupTable,
        acc: AccumulatorsOut,
        mailbox: u64,
        stream: &Stream,
    ) -> Result<()> {
        let kernel =
            self.kernel("aggregate_few_packed_kernel", "aggregate_few_rows_kernel", "aggregate_few", stream)?;
        let (begin, all) = beginnings(&self.plan.steps, self.plan.words, 0);
        let begin_words = if begins { all } else { 0 };
        let (rows, scratch) = (self.rows as i64, stream.scratch()?);
        let args =
            args![self.keys.desc, open.values, open.steps, rows, table, acc, begin, begin_words, scratch, mailbox,];
        // SAFETY: the kernel takes (keys, row_table<16>, steps, rows, group_table, accumulators, beginnings, words,
        // scratch, mailbox). Keys and values have `rows` rows and are open for reading on this stream; the table has
        // mask + 3 slots and a state behind them, the accumulators `words` words of `room` groups, both exclusively
        // ours, and emptied before or by this launch; the mailbox has three words; the scratch memory is the stream's.
        // The launch is cooperative, as the barrier asks.
        unsafe { kernel.launch_cooperative(stream, kernel.blocks(self.rows), args) }
    }

    fn local(
        &self,
        open: &OpenSteps<'_>,
        groups: usize,
        keep: bool,
        table: GroupTable,
        acc: AccumulatorsOut,
        mailbox: u64,
        stream: &Stream,
    ) -> Result<()> {
        let kernel = self.kernel("aggregate_packed_kernel", "aggregate_rows_kernel", "aggregate", stream)?;
        let local = SharedTable::new(open.words(), groups, keep, stream.device().properties()?);
        if !keep && local.plan.groups < groups.min(i32::MAX as usize) as i32 {
            return self.many(open, table, acc, mailbox, stream);
        }
        kernel.allow_shared(local.limit)?;
        let (rows, scratch) = (self.rows as i64, stream.scratch()?);
        let args = args![self.keys.desc, open.values, open.steps, rows, table, acc, local.plan, scratch, mailbox];
        // SAFETY: the kernel takes (keys, row_table<16>, steps, rows, group_table, accumulators, local_plan, scratch,
        // mailbox). Keys and values have `rows` rows and are open for reading on this stream;
        // the table has mask + 3 slots and a state behind them, the accumulators `words` words of `room` groups, both
        // exclusively ours and emptied before; dynamic shared memory is what the plan needs; the mailbox has three
        // words; the scratch memory is the stream's.
        unsafe { kernel.launch_shared(stream, kernel.blocks(self.rows), local.bytes, args) }
    }

    fn many(
        &self,
        open: &OpenSteps<'_>,
        table: GroupTable,
        acc: AccumulatorsOut,
        mailbox: u64,
        stream: &Stream,
    ) -> Result<()> {
        let kernel =
            self.kernel("aggregate_many_packed_kernel", "aggregate_many_rows_kernel", "aggregate_many", stream)?;
        let (rows, scratch) = (self.rows as i64, stream.scratch()?);
        let args = args![self.keys.desc, open.values, open.steps, rows, table, acc, scratch, mailbox];
        // SAFETY: the kernel takes (keys, row_table<16>, steps, rows, group_table, accumulators, scratch, mailbox).
        // Keys and values have `rows` rows and are open for reading on this stream; the table has mask + 3 slots and a
        // state behind them, the accumulators `words` words of `room` groups, both exclusively ours and emptied before;
        // the mailbox has three words; the scratch memory is the stream's.
        unsafe { kernel.launch(stream, kernel.blocks(self.rows), 1, args) }
    }

    fn parts(
        &self,
        open: &OpenSteps<'_>,
        table: GroupTable,
        acc: AccumulatorsOut,
        mailbox: u64,
        stream: &Stream,
        mr: Resources<'_>,
    ) -> Result<()> {
        let moved =
            MovedRows::new(self.keys, open, self.rows, slots(self.room), self.room * self.plan.words, stream, mr)?;
        let (_access, words, total, values) = moved.open(stream)?;
        let kernel = Kernel::find(stream, "groupby", "aggregate_parts_kernel", "aggregate_parts")?;
        let scratch = stream.scratch()?;
        let args = args![words, total, open.values, values, open.steps, table, acc, scratch, mailbox];
        // SAFETY: the kernel takes (words*, rows*, row_table<16>, moved_values, steps, group_table, accumulators,
        // scratch, mailbox). The launches before have written as many words and values as the word of rows says, in
        // stream order; the columns are open for reading on this stream; the table has mask + 3 slots and a state behind
        // them, the accumulators `words` words of `room` groups, both exclusively ours and emptied before; the mailbox
        // has three words; the scratch memory is the stream's.
        unsafe { kernel.launch(stream, kernel.blocks(self.rows), 1, args) }
    }

    /// Enqueues what makes the table and the accumulators empty.
    fn clear(&self, table: GroupTable, acc: AccumulatorsOut, stream: &Stream) -> Result<()> {
        let kernel = Kernel::find(stream, "groupby", "aggregate_init_kernel", "aggregate_init")?;
        let words = self.plan.words;
        for first in (0..words).step_by(BEGINNINGS) {
            let (begin, count) = beginnings(&self.plan.steps, words, first);
            let (acc, with_table) = (acc.after_word(first), i32::from(first == 0));
            let blocks = kernel.blocks(table.mask as usize + 3);
            // SAFETY: the kernel takes (group_table, accumulators, beginnings, words, with_table) and writes mask + 3
            // slots, the state, and `count` words of `room` groups, all of which there are and exclusively ours.
            unsafe { kernel.launch(stream, blocks, 1, args![table, acc, begin, count, with_table])? };
        }
        Ok(())
    }
}

/// Slots of a table of so many groups: at most two of three are taken.
fn slots(room: usize) -> usize {
    (room + room / 2).next_power_of_two().max(64)
}
