//! `aggregate` on CUDA: a table of groups and their accumulators are made empty, filled in one pass over the rows, and
//! turned into keys and results once the number of groups is known.

use gdf_core::{Column, Error, Result, Table, TableView};
use gdf_driver::Stream;
use gdf_memory::{Buffer, Mailbox, MemoryError, Resources};

use super::descriptors::{AccumulatorsOut, BEGINNINGS, GroupTable, OpenSteps, beginnings, launches};
use super::finish::Finish;
use super::local::LocalPlans;
use super::nunique::nunique;
use crate::cuda::{Kernel, OpenKeys, args};
use crate::groupby::NullPolicy;
use crate::groupby::plan::Plan;
use crate::keys::{Packing, has_order_number};
use crate::sorting::ranges;

/// Groups that there is room for at first; with no more rows than that there is room for all.
const FIRST_ROOM: usize = 1 << 20;
/// Rows from which on it is worth a wait to know the ranges of keys.
const LEAST_MEASURED: usize = 8192;
/// Numbers of groups have 31 bits, a few of which mean something else.
const MOST_ROOM: usize = (1 << 31) - 16;
/// Words of the mailbox before those of strings: groups, overflow, rows seen.
const STATE_WORDS: usize = 3;

pub(in crate::groupby) fn aggregate(
    keys: &TableView<'_>,
    policy: NullPolicy,
    plan: &Plan<'_>,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<(Table, Vec<Vec<Column>>)> {
    let rows = keys.num_rows();
    let packing = packing(keys, policy == NullPolicy::Exclude, stream, mr)?;
    if packing.is_none() && rows >= u32::MAX as usize {
        return Err(Error::InvalidArgument { what: "keys of more than 64 bits of at most 2^32 - 2 rows" });
    }
    let finish = Finish::new(keys, policy, plan);
    if STATE_WORDS + finish.strings() > Mailbox::MAX_WORDS {
        return Err(Error::InvalidArgument { what: "more string columns than a call takes" });
    }
    let mut room = if rows <= FIRST_ROOM { rows } else { FIRST_ROOM };
    loop {
        let pass = Pass { keys, policy, packing: packing.as_ref(), plan, finish: &finish, room };
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
fn packing(keys: &TableView<'_>, exclude_nulls: bool, stream: &Stream, mr: Resources<'_>) -> Result<Option<Packing>> {
    let by_type = Packing::new(keys, exclude_nulls);
    let has_numbers = || keys.columns().iter().all(|column| has_order_number(column.data_type()));
    if by_type.is_some() || keys.num_rows() < LEAST_MEASURED || !has_numbers() {
        return Ok(by_type);
    }
    let scratch = Resources { output: mr.temporary, ..mr };
    Ok(Packing::of_ranges(keys, &ranges(keys.columns(), stream, scratch)?, exclude_nulls))
}

/// About how many groups `rows` rows have, of which `seen` had `found`: as if all groups were equally likely, and some
/// more. Of d such groups n rows meet d(1 − e^(−n/d)).
fn expected_groups(found: f64, seen: f64, rows: f64) -> usize {
    let met = |groups: f64, rows: f64| groups * -(-rows / groups).exp_m1();
    let (found, seen) = (found.max(1.0), seen.max(found + 1.0));
    let (mut low, mut high) = (found, rows.max(found) * 64.0);
    for _ in 0..64 {
        let middle = (low * high).sqrt();
        if met(middle, seen) < found { low = middle } else { high = middle }
    }
    (met(high, rows) * 1.2) as usize
}

enum Outcome {
    Done(Vec<Column>),
    /// There were more groups than room, about as many as this.
    MoreGroups(usize),
}

/// One try.
struct Pass<'p, 'a> {
    keys: &'p TableView<'a>,
    policy: NullPolicy,
    packing: Option<&'p Packing>,
    plan: &'p Plan<'a>,
    finish: &'p Finish<'a>,
    /// Groups.
    room: usize,
}

impl Pass<'_, '_> {
    fn run(&self, stream: &Stream, mr: Resources<'_>) -> Result<Outcome> {
        let rows = self.keys.num_rows();
        // At most half full, and the rows under way when room runs out find slots too.
        let slots = (self.room * 2).next_power_of_two().max(64) * if self.room < rows { 2 } else { 1 };
        let (slot_bytes, state_bytes) = ((slots + 2) * 16, 24);
        let mut table = Buffer::uninitialized(slot_bytes + state_bytes, stream, mr.temporary)?;
        let words = self.plan.words;
        let bytes = words.checked_mul(self.room).and_then(|words| words.checked_mul(8));
        let bytes = bytes.ok_or(MemoryError::OutOfMemory {
            requested: usize::MAX,
            free: None,
            resource: mr.temporary.resource().name(),
        })?;
        let mut acc = Buffer::uninitialized(bytes, stream, mr.temporary)?;
        let (table, acc) = (table.write_on(stream)?, acc.write_on(stream)?);
        let desc = GroupTable {
            slots: table.address(),
            mask: slots as u64 - 1,
            state: table.address() + slot_bytes as u64,
            first_row: acc.address(),
            room: self.room as u64,
        };
        let acc_out = AccumulatorsOut { words: acc.address(), stride: self.room as i64 };
        let mailbox = Mailbox::new(stream, STATE_WORDS + self.finish.strings())?;

        let keys = OpenKeys::new(self.keys, self.policy == NullPolicy::Exclude, self.packing, stream)?;
        self.accumulate(&keys, desc, acc_out, mailbox.address(), stream)?;
        let string_words = mailbox.address() + STATE_WORDS as u64 * 8;
        let counts = self.finish.sizes(desc.state, acc_out, self.room, string_words, stream, mr)?;
        let posted = mailbox.wait()?;

        let groups = usize::try_from(posted[0]).unwrap_or(usize::MAX);
        if posted[1] != 0 {
            return Ok(Outcome::MoreGroups(expected_groups(posted[0] as f64, posted[2] as f64, rows as f64)));
        }
        if groups == 0 {
            return Ok(Outcome::Done(self.finish.empty(stream, mr)?));
        }
        for distinct in &self.plan.distincts {
            let values = self.plan.values[distinct.request];
            let packed = self.packing.is_some();
            nunique(&keys.desc, packed, values, *distinct, desc, acc_out, stream, mr)?;
        }
        let strings = &posted[STATE_WORDS..];
        let columns = self.finish.write(groups, acc_out, self.room, counts.as_ref(), strings, stream, mr)?;
        Ok(Outcome::Done(columns))
    }

    /// Enqueues all that fills the table and the accumulators.
    fn accumulate(
        &self,
        keys: &OpenKeys<'_>,
        table: GroupTable,
        acc: AccumulatorsOut,
        mailbox: u64,
        stream: &Stream,
    ) -> Result<()> {
        let rows = self.keys.num_rows();
        let name = if self.packing.is_some() { "aggregate_packed_kernel" } else { "aggregate_rows_kernel" };
        let kernel = Kernel::find(stream, "groupby", name, "aggregate")?;
        let blocks = kernel.blocks(rows);
        let words = self.plan.words;
        let (begin, all) = beginnings(&self.plan.steps, words, 0);
        let begins = blocks == 1 && words <= BEGINNINGS;
        if !begins {
            self.clear(table, acc, stream)?;
        }
        let properties = stream.device().properties()?;
        for (index, steps) in launches(&self.plan.steps).into_iter().enumerate() {
            let open = OpenSteps::new(steps, &self.plan.values, stream)?;
            let local = LocalPlans::new(open.words(), kernel.threads(), properties);
            kernel.allow_shared(local.limit)?;
            let (begin_words, mailbox) = if index == 0 { (if begins { all } else { 0 }, mailbox) } else { (0, 0) };
            let (rows, scratch) = (rows as i64, stream.scratch()?);
            let args = args![
                keys.desc,
                open.values,
                open.steps,
                rows,
                table,
                acc,
                local.private,
                local.shared,
                begin,
                begin_words,
                scratch,
                mailbox,
            ];
            // SAFETY: the kernel takes (keys, row_table<16>, steps, rows, group_table, accumulators, local_plan,
            // local_plan, beginnings, words, scratch, mailbox). Keys and values have `rows` rows and are open for
            // reading on this stream; the table has mask + 3 slots and a state behind them, the accumulators `words`
            // words of `room` groups, both exclusively ours and emptied before, or by the one block itself; dynamic
            // shared memory is what the plans need; the mailbox has three words; the scratch memory is the stream's.
            unsafe { kernel.launch_shared(stream, blocks, local.bytes, args)? };
        }
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_estimated_from_a_sample() {
        let near = |found, seen, rows, expected: f64| {
            let estimate = expected_groups(found, seen, rows) as f64;
            assert!((1.1..1.4).contains(&(estimate / expected)), "{estimate} for {expected}");
        };
        // A million rows have 951,626 of ten million groups; a hundred million rows have all of them.
        near(951_626.0, 1e6, 1e8, 1e7);
        near(951_626.0, 1e6, 1e7, 6_321_206.0);
        // All rows seen are different: so may be the others.
        assert!(expected_groups(1e6, 1e6, 1e8) > 50_000_000);
        assert!(expected_groups(0.0, 0.0, 10.0) < 20);
    }
}
