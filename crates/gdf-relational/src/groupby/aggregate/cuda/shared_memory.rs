//! Group-by with few groups, or with a few groups that have most rows. Each block keeps a table of them in shared
//! memory.

use gdf_core::Result;
use gdf_driver::DeviceProperties;
use gdf_engine::cuda::{Grid, Kernel};
use gdf_engine::limits::cuda as limits;
use gdf_kernels::generated::groupby::{Aggregate, AggregateKernel, LocalPlan, TEXT_WORDS};

use super::finish::Finish;
use super::global;
use super::request::{Attempt, Keys, Request};
use super::table::{Launch, attempt};

/// The largest number of groups of a table in shared memory.
const MAX_GROUPS: usize = limits::GROUP_LOCAL_KEYS;
/// The largest number of accumulators of a table with replicated accumulators.
const MANY_CELLS: usize = 2048;
/// The number of bytes of shared memory that a block needs besides the table: its static shared memory, and 1 KiB
/// reserved by CUDA.
pub(super) const RESERVED: u64 = 2048;

/// Aggregates the rows with a table for `capacity` groups. If `keep` is set, the tables of blocks keep the first groups
/// that they meet, and other rows are inserted into the table in global memory. **Waits** for the number of groups.
pub(super) fn enqueue(request: &Request<'_, '_>, groups: usize, keep: bool, capacity: usize) -> Result<Attempt> {
    attempt(request, &Finish::new(request, None), capacity, |table| {
        table.clear()?;
        table.fill(|launch| if keep { insert_frequent(launch, groups) } else { insert(launch, groups) })
    })
}

/// Inserts rows of about `groups` groups. If the table of a block cannot hold all groups, every row is inserted into
/// the table in global memory.
pub(super) fn insert(launch: &Launch<'_, '_>, groups: usize) -> Result<()> {
    let local = SharedTable::new(launch, groups)?;
    if (local.plan.groups as usize) < groups.min(i32::MAX as usize) {
        return global::insert(launch);
    }
    local.enqueue(launch)
}

/// Inserts rows of so many groups that the tables of blocks can keep only those that are met first.
fn insert_frequent(launch: &Launch<'_, '_>, groups: usize) -> Result<()> {
    let mut local = SharedTable::new(launch, groups)?;
    local.plan.keep = 1;
    local.enqueue(launch)
}

#[derive(Clone, Copy, Debug)]
struct SharedTable {
    plan: LocalPlan,
    bytes: u32,
    /// The largest dynamic shared memory that any plan needs on the device.
    limit: u32,
}

const TEXT: usize = TEXT_WORDS * 8 + 4;

/// Returns the number of bytes of a table with the layout of `local_table` in `aggregate.cu`.
fn local_bytes(plan: LocalPlan, words: usize, key: usize) -> usize {
    let [slots, groups, copies] = [plan.slots, plan.groups, plan.copies].map(|number| number as usize);
    groups * words * copies * 8 + (slots + 2) * 12 + groups * (12 + key)
}

impl SharedTable {
    /// Plans a table for about `groups` groups with the accumulators of a launch.
    fn new(launch: &Launch<'_, '_>, groups: usize) -> Result<Self> {
        let request = launch.request;
        let words = launch.open.words();
        let budget = block_budget(request.ctx.stream.device().properties()?);
        let key = if request.keys.texts { TEXT } else { 0 };
        let plan = fitting(words, groups, key, budget);
        Ok(Self { plan, bytes: local_bytes(plan, words, key) as u32, limit: budget as u32 })
    }

    fn enqueue(&self, launch: &Launch<'_, '_>) -> Result<()> {
        let request = launch.request;
        let kernel = match request.keys {
            Keys { packed: true, .. } => AggregateKernel::Packed,
            Keys { texts: true, .. } => AggregateKernel::Texts,
            _ => AggregateKernel::Rows,
        };
        let kernel = Kernel::choose(kernel, request.ctx.stream)?;
        kernel.allow_shared(self.limit)?;
        let arguments = Aggregate { input: launch.input, plan: self.plan, mailbox: launch.mailbox };
        request.run(&kernel, Grid::Shared(kernel.blocks(request.keys.rows), self.bytes), &arguments)
    }
}

pub(super) fn block_budget(properties: &DeviceProperties) -> usize {
    let half = (properties.shared_bytes_per_multiprocessor / 2).saturating_sub(RESERVED);
    half.min(properties.shared_bytes_per_block.saturating_sub(RESERVED)) as usize
}

/// Returns a plan that fits in `budget` bytes, or the plan for one group if no plan fits.
fn fitting(words: usize, groups: usize, key: usize, budget: usize) -> LocalPlan {
    let local_bytes = |plan| local_bytes(plan, words, key);
    let mut groups = groups.saturating_mul(2).clamp(16, MAX_GROUPS);
    loop {
        let slots = (groups * 2).next_power_of_two() as i32;
        let mut plan = LocalPlan { slots, groups: groups as i32, copies: 32, keep: 0 };
        while plan.copies > 1 && (groups * plan.copies as usize > MANY_CELLS || local_bytes(plan) > budget) {
            plan.copies /= 2;
        }
        if local_bytes(plan) <= budget || groups == 1 {
            return plan;
        }
        groups = if groups > 32 { groups - groups / 16 } else { groups - 1 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_keep_within_the_budget() {
        for budget in [1000, 30_000, 100_000, 116_000] {
            for words in [0, 1, 2, 5, 11, 33, 64] {
                for (groups, key) in [(1, 0), (10, TEXT), (100, 0), (1000, TEXT), (10_000, 0), (usize::MAX, TEXT)] {
                    let plan = fitting(words, groups, key, budget);
                    assert!(local_bytes(plan, words, key) <= budget, "{plan:?}, {words}, {key}, {budget}");
                    assert!((plan.slots as u32).is_power_of_two() && plan.slots >= 2 * plan.groups);
                    assert!((plan.copies as u32).is_power_of_two() && plan.copies <= 32);
                }
            }
        }
        let plan = fitting(1, 10, 0, 114_688);
        assert_eq!((plan.groups, plan.slots, plan.copies), (20, 64, 32));
        assert_eq!(fitting(1, 1000, 0, 114_688).copies, 1);
    }
}
