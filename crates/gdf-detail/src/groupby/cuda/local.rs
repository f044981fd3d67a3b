//! How many groups a block keeps in shared memory.

use gdf_driver::DeviceProperties;

use super::descriptors::LocalPlan;

/// Groups beyond which shared memory is no better than L2.
const MOST_SHARED: usize = 2048;
/// Groups beyond which copies for each thread are not tried.
const MOST_PRIVATE: usize = 128;
/// What a block needs besides: static shared memory, and the kilobyte that the system takes.
const RESERVED: u64 = 2048;

/// The tables of a block, and the dynamic shared memory for the larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LocalPlans {
    pub(super) private: LocalPlan,
    pub(super) shared: LocalPlan,
    pub(super) bytes: u32,
    /// The most that any plan needs on the device: what kernels are allowed, the same whoever else launches them.
    pub(super) limit: u32,
}

/// As `local_table` in `aggregate.cu` lays it out.
fn local_bytes(plan: LocalPlan, words: usize, copies: usize) -> usize {
    let (slots, groups) = (plan.slots as usize, plan.groups as usize);
    groups * words * copies * 8 + (slots + 2) * 12 + groups * 12
}

impl LocalPlans {
    /// For accumulators of `words` words in blocks of `threads` threads, two blocks to a multiprocessor.
    pub(super) fn new(words: usize, threads: usize, properties: &DeviceProperties) -> Self {
        let half = (properties.shared_bytes_per_multiprocessor / 2).saturating_sub(RESERVED);
        let budget = half.min(properties.shared_bytes_per_block.saturating_sub(RESERVED)) as usize;
        let private = if words == 0 { LocalPlan::default() } else { largest(words, threads, MOST_PRIVATE, budget) };
        let shared = largest(words, 1, MOST_SHARED, budget);
        let bytes = local_bytes(private, words, threads).max(local_bytes(shared, words, 1));
        Self { private, shared, bytes: bytes as u32, limit: budget as u32 }
    }
}

/// The most groups within the budget; none below two.
fn largest(words: usize, copies: usize, most: usize, budget: usize) -> LocalPlan {
    let mut groups = most;
    while groups >= 2 {
        let slots = (groups * 2).next_power_of_two().max(64);
        let plan = LocalPlan { slots: slots as i32, groups: groups as i32 };
        if local_bytes(plan, words, copies) <= budget {
            return plan;
        }
        groups = if groups > 32 { groups - groups / 16 } else { groups - 1 };
    }
    LocalPlan::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_keep_within_the_budget() {
        for budget in [0, 1000, 30_000, 100_000, 116_000] {
            for words in [0, 1, 2, 5, 11, 33, 64] {
                for (copies, most) in [(1, MOST_SHARED), (256, MOST_PRIVATE)] {
                    let plan = largest(words, copies, most, budget);
                    assert!(plan.slots == 0 || local_bytes(plan, words, copies) <= budget);
                    assert!(plan.slots == 0 || (plan.slots as u32).is_power_of_two() && plan.slots >= 2 * plan.groups);
                }
            }
        }
        // Query 1 of TPC-H: four groups of eleven words.
        assert!(largest(11, 256, MOST_PRIVATE, 114_688).groups >= 4);
    }
}
