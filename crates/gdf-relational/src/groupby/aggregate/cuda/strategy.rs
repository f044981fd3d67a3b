//! Chooses a strategy for `aggregate`.

use gdf_core::Result;
use gdf_engine::cuda::{Grid, Kernel, Memory, Out, Rows};
use gdf_engine::limits::GroupByLimits;
use gdf_kernels::generated::groupby::{self as kernels, SAMPLE_WORDS, SampleKernel, SampleTable};
use gdf_memory::{Buffer, Mailbox};

use super::descriptors::{Keys, run};
use crate::Ctx;

/// The method by which rows are inserted into the table of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strategy {
    /// One launch clears the table and inserts the rows.
    SinglePass,
    /// Each block has a table for about `groups` groups in shared memory.
    SharedMemory { groups: usize, keep: bool },
    /// Every row is inserted into the table in global memory.
    Global,
    /// Rows are first moved to partitions, one for each part of the table in global memory. Then the rows are inserted
    /// into the table.
    Partitioned,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StrategyChoice {
    pub(super) strategy: Strategy,
    pub(super) capacity: usize,
    /// Whether each group is probably a run of rows.
    pub(super) runs: bool,
    /// An estimate of the number of groups.
    pub(super) groups: usize,
    /// The difference between the largest and the smallest packed key of the sample.
    pub(super) range: u64,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    rows: usize,
    /// The number of groups.
    groups: usize,
    once: usize,
    twice: usize,
    most: usize,
    /// The number of rows whose next row has a larger key.
    up: usize,
    down: usize,
    /// The number of rows that are excluded because of a null key and are followed by a row that is not excluded.
    resumes: usize,
    /// The difference between the largest and the smallest packed key.
    range: u64,
}

/// Chooses the strategy.
pub(super) fn choose(keys: Keys<'_>, limits: &GroupByLimits, ctx: Ctx<'_>) -> Result<StrategyChoice> {
    let rows = keys.rows;
    if rows <= limits.few_rows {
        return Ok(StrategyChoice {
            strategy: Strategy::SinglePass,
            capacity: rows,
            runs: false,
            groups: rows,
            range: u64::MAX,
        });
    }
    let sample = take_sample(keys, limits.sample_rows.min(rows / 2).max(1), ctx)?;
    let choice = decide(sample, rows, keys.movable, limits);
    tracing::debug!(?sample, ?choice, rows, "groupby has taken a sample");
    Ok(choice)
}

fn take_sample(keys: Keys<'_>, sample: usize, ctx: Ctx<'_>) -> Result<Sample> {
    let slots = (sample * 2).next_power_of_two();
    let mut memory = Buffer::uninitialized(slots * 12, ctx.stream, ctx.mr.temporary)?;
    let access = memory.write_on(ctx.stream)?;
    let memory = Memory::of(&access);
    let mailbox = Mailbox::new(ctx.stream, SAMPLE_WORDS)?;
    let kernel = Kernel::choose(if keys.packed { SampleKernel::Packed } else { SampleKernel::Rows }, ctx.stream)?;
    let (hashes, counts) = (memory.array(0, slots)?, memory.array(slots * 8, slots)?);
    let table = SampleTable { hashes, counts, mask: slots as u64 - 1 };
    let arguments = kernels::Sample {
        keys: *keys.desc,
        signs: keys.signs,
        null_bits: keys.null_bits,
        rows: Rows::new(keys.rows),
        sample: sample as i64,
        table,
        mailbox: Out::of(&mailbox),
    };
    run(&kernel, Grid::Cooperative(kernel.blocks(slots), 1), &arguments, ctx.stream)?;
    let posted = mailbox.wait()?;
    let [groups, once, twice, most, up, down, resumes] = [0, 1, 2, 3, 4, 5, 6].map(|word| posted[word] as usize);
    let range = posted[7].saturating_sub(!posted[8]);
    Ok(Sample { rows: sample, groups, once, twice, most, up, down, resumes, range })
}

fn decide(sample: Sample, rows: usize, movable: bool, limits: &GroupByLimits) -> StrategyChoice {
    let changes = changes(sample, rows);
    let expected = expected(sample, rows).min(changes);
    // A high estimate of the number of groups.
    let most = sample.groups as f64 + sample.once as f64 / sample.rows as f64 * rows as f64;
    // If many rows of the sample share a key, the estimate is reliable, and a small margin suffices.
    let common = (sample.rows - sample.groups.min(sample.rows)) as f64;
    let margin = 1.1 + 2.5 / (common + 1.0).sqrt();
    let capacity = (most * 1.1).min(limits.min_capacity as f64).max(expected * margin).min(changes);
    let capacity = (capacity as usize).max(limits.min_capacity.min(4096)).min(rows).min(MAX_CAPACITY);
    let skewed = sample.most > 64 && sample.most.saturating_mul(limits.skew) > sample.rows;
    let strategy = if sample.groups <= limits.local_groups || skewed {
        Strategy::SharedMemory { groups: sample.groups, keep: skewed && sample.groups > limits.local_groups }
    } else if movable && expected as usize > limits.cached_groups {
        Strategy::Partitioned
    } else {
        Strategy::Global
    };
    let in_order = (sample.up == 0 || sample.down == 0) && sample.resumes <= 1;
    let runs = sample.groups > limits.local_groups && in_order;
    StrategyChoice { strategy, capacity, runs, groups: expected as usize, range: sample.range }
}

/// Estimates the number of runs of equal keys among `rows` rows.
fn changes(sample: Sample, rows: usize) -> f64 {
    let changes = (sample.up + sample.down + sample.resumes) as f64;
    (changes + 4.0 * (changes + 1.0).sqrt()) / sample.rows.max(1) as f64 * rows as f64 + 1.0
}

/// The largest number of groups of a table.
pub(super) const MAX_CAPACITY: usize = (1 << 31) - 16;

/// Estimates the number of groups among `rows` rows.
fn expected(sample: Sample, rows: usize) -> f64 {
    let [found, once, twice] = [sample.groups, sample.once, sample.twice].map(|groups| groups as f64);
    let (seen, all) = (sample.rows as f64, rows as f64);
    // The rows of one frequent group would count as repeated rows of groups that have few rows each.
    let most = sample.most as f64;
    let others = expected_groups((found - 1.0).max(0.0), seen - most, all * (1.0 - most / seen.max(1.0))) + 1.0;
    let even = expected_groups(found, seen, all).max(others);
    let chao = found + once * once / (2.0 * twice.max(1.0));
    even.max(if twice > 32.0 { chao } else { 0.0 }).min(rows as f64)
}

/// Estimates the number of groups among `rows` rows from the number `found` of groups among `seen` rows.
pub(super) fn expected_groups(found: f64, seen: f64, rows: f64) -> f64 {
    let met = |groups: f64, rows: f64| groups * -(-rows / groups).exp_m1();
    let (found, seen) = (found.max(1.0), seen.max(found + 1.0));
    let (mut low, mut high) = (found, rows.max(found) * 64.0);
    for _ in 0..64 {
        let middle = (low * high).sqrt();
        if met(middle, seen) < found { low = middle } else { high = middle }
    }
    met(high, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_estimated_from_a_sample() {
        let near = |found, seen, rows, expected: f64| {
            let estimate = expected_groups(found, seen, rows);
            assert!(
                (0.9..1.2).contains(&(estimate / expected)),
                "the estimate is {estimate}, but there are {expected} groups"
            );
        };
        // With ten million groups, a million rows contain 951,626 groups, and a hundred million rows contain all
        // groups.
        near(951_626.0, 1e6, 1e8, 1e7);
        near(951_626.0, 1e6, 1e7, 6_321_206.0);
        // If all sampled rows have different keys, the other rows may also have different keys.
        assert!(expected_groups(1e6, 1e6, 1e8) > 5e7);
        assert!(expected_groups(0.0, 0.0, 10.0) < 20.0);
    }

    #[test]
    fn the_strategy_follows_the_groups() {
        let limits = GroupByLimits::default();
        let rows = 100_000_000;
        let decided = |groups, once, twice, most, movable| {
            let (up, down) = (65_536, 65_536);
            decide(
                Sample { rows: 131_072, groups, once, twice, most, up, down, resumes: 0, range: 0 },
                rows,
                movable,
                &limits,
            )
        };
        let ten = decided(10, 0, 0, 13_500, true);
        assert_eq!((ten.strategy, ten.capacity), (Strategy::SharedMemory { groups: 10, keep: false }, 4096));
        let thousands = decided(10_000, 0, 0, 30, true);
        assert_eq!(thousands.strategy, Strategy::Global);
        assert!((10_900..11_300).contains(&thousands.capacity), "{thousands:?}");
        let million = decided(122_900, 115_000, 7_540, 4, true);
        assert_eq!(million.strategy, Strategy::Global);
        assert!((1 << 20..9 << 17).contains(&million.capacity), "{million:?}");
        let millions = decided(130_216, 129_370, 836, 3, true);
        assert_eq!(millions.strategy, Strategy::Partitioned);
        assert!((11_000_000..13_000_000).contains(&millions.capacity), "{millions:?}");
        assert_eq!(decided(130_216, 129_370, 836, 3, false).strategy, Strategy::Global);
        let all = decided(131_072, 131_072, 0, 1, true);
        assert_eq!((all.strategy, all.capacity), (Strategy::Partitioned, rows));
        // One group contains 7% of the rows.
        let skewed = decided(45_000, 36_000, 4_500, 9_000, true);
        assert_eq!(
            (skewed.strategy, skewed.capacity),
            (Strategy::SharedMemory { groups: 45_000, keep: true }, 1 << 20)
        );
        // One group contains 1% of the rows, and each of the other rows has a key of its own.
        let hot = decided(129_763, 129_762, 0, 1_310, true);
        assert!(hot.capacity > 95_000_000, "{hot:?}");
        // Few rows have a unique key, but each of these rows may represent many groups.
        assert!(decided(30, 20, 0, 13_000, true).capacity > 8000);
        assert_eq!(decided(0, 0, 0, 0, true).capacity, 4096);
        // The capacity never exceeds the number of rows.
        let few =
            Sample { rows: 500, groups: 500, once: 500, twice: 0, most: 1, up: 250, down: 250, resumes: 0, range: 0 };
        assert_eq!(decide(few, 1000, true, &limits).capacity, 1000);
    }

    #[test]
    fn neighbors_tell_runs_and_bound_the_groups() {
        let limits = GroupByLimits::default();
        let rows = 60_000_000;
        // The rows form runs of four rows.
        let (up, down, resumes) = (32_768, 0, 0);
        let (groups, once, twice, most) = (130_950, 130_830, 119, 3);
        let sorted = Sample { rows: 131_072, groups, once, twice, most, up, down, resumes, range: 0 };
        let ascending = decide(sorted, rows, true, &limits);
        assert!(ascending.runs && (15_000_000..16_000_000).contains(&ascending.capacity), "{ascending:?}");
        assert!(decide(Sample { up: 0, down: 32_768, ..sorted }, rows, true, &limits).runs);
        // If the runs are not sorted by key, the number of runs is still an upper limit for the number of groups.
        let clustered = decide(Sample { up: 16_384, down: 16_384, ..sorted }, rows, true, &limits);
        assert_eq!((clustered.runs, clustered.capacity), (false, ascending.capacity));
        assert!(!decide(Sample { up: 32_767, down: 1, ..sorted }, rows, true, &limits).runs);
        // Excluded nulls may separate runs of the same group.
        let parted = decide(Sample { resumes: 32_768, ..sorted }, rows, true, &limits);
        assert!(!parted.runs && parted.capacity > 30_000_000, "{parted:?}");
        // If there are few groups, blocks use tables in shared memory, whether the rows are sorted or not.
        let few = Sample { groups: 10, once: 0, twice: 0, most: 13_500, up: 9, ..sorted };
        assert!(!decide(few, rows, true, &limits).runs);
    }
}
