//! The size of the table that a block keeps in shared memory.

use super::descriptors::Keys;
use gdf_driver::DeviceProperties;
use gdf_engine::limits::cuda as limits;
use gdf_kernels::generated::groupby::{LocalPlan, TEXT_WORDS};

/// The largest number of groups of a table in shared memory.
const MAX_GROUPS: usize = limits::GROUP_LOCAL_KEYS;
/// The largest number of accumulators of a table with replicated accumulators.
const MANY_CELLS: usize = 2048;
/// The number of bytes of shared memory that a block needs besides the table: its static shared memory, and 1 KiB
/// reserved by CUDA.
pub(super) const RESERVED: u64 = 2048;

#[derive(Clone, Copy, Debug)]
pub(super) struct SharedTable {
    pub(super) plan: LocalPlan,
    pub(super) bytes: u32,
    /// The largest dynamic shared memory that any plan needs on the device.
    pub(super) limit: u32,
}

const TEXT: usize = TEXT_WORDS * 8 + 4;

/// Returns the number of bytes of a table with the layout of `local_table` in `aggregate.cu`.
fn local_bytes(plan: LocalPlan, words: usize, key: usize) -> usize {
    let [slots, groups, copies] = [plan.slots, plan.groups, plan.copies].map(|number| number as usize);
    groups * words * copies * 8 + (slots + 2) * 12 + groups * (12 + key)
}

impl SharedTable {
    /// Plans a table for about `groups` groups with accumulators of `words` words.
    pub(super) fn new(words: usize, groups: usize, keys: Keys<'_>, properties: &DeviceProperties) -> Self {
        let budget = block_budget(properties);
        let key = if keys.texts { TEXT } else { 0 };
        let plan = fitting(words, groups, key, budget);
        Self { plan, bytes: local_bytes(plan, words, key) as u32, limit: budget as u32 }
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
