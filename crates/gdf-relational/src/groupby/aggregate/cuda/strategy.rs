//! The choice of a strategy for a group-by.

use gdf_core::{Error, Result};
use gdf_engine::cuda::{Grid, Kernel, Memory, Out, Rows};
use gdf_engine::limits::GroupByLimits;
use gdf_kernels::OneKernel as _;
use gdf_kernels::generated::groupby::{self as kernels, AggregateTiny, SAMPLE_WORDS, SampleKernel, SampleTable};
use gdf_memory::{Buffer, Mailbox};

use super::cells::{self, ComputedCells};
use super::request::{Attempt, BEGINNINGS, Request};
use super::{dense, global, partitioned, runs, shared_memory, single_pass, tiny};

/// A method of aggregation. All but the first three insert the rows into a table of groups in global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strategy {
    /// One block aggregates the rows in one launch and writes the results.
    Tiny,
    /// Each group is a run of rows.
    Runs,
    /// Packed keys in a range of at most `most` keys are the numbers of groups.
    Dense { most: usize },
    /// One launch clears the table and inserts the rows.
    SinglePass,
    /// Each thread has accumulators of its own for about `groups` groups in shared memory.
    Cells { groups: usize },
    /// Each block has a table for about `groups` groups in shared memory.
    SharedMemory { groups: usize, keep: bool },
    /// Every row is inserted into the table in global memory.
    Global,
    /// Rows are first moved to partitions, one for each part of the table in global memory. Then the rows are inserted
    /// into the table.
    Partitioned,
}

/// The strategies that may suit a request, and what a sample of its rows has told.
#[derive(Debug)]
pub(super) struct Decision<'p, 'a> {
    strategy: Strategy,
    /// The strategies to try next if the rows do not suit.
    others: std::vec::IntoIter<Strategy>,
    /// The number of groups for which a table has room.
    capacity: usize,
    /// The launch that computes the values of the plan, if the plan has computed values.
    computed: Option<ComputedCells<'p, 'a>>,
}

impl<'p, 'a> Decision<'p, 'a> {
    /// Chooses a strategy. **Waits** for a sample of the rows, unless they are few or known to be sorted.
    pub(super) fn new(request: &Request<'p, 'a>) -> Result<Self> {
        let is_sorted = request.keys.is_ascending && request.has_one_pass() && request.plan.computed.is_none();
        if is_sorted && request.keys.rows > request.limits.few_rows {
            let (strategy, others) = (Strategy::Runs, Vec::new().into_iter());
            return Ok(Self { strategy, others, capacity: request.keys.rows, computed: None });
        }
        Self::from_sample(request)
    }

    fn from_sample(request: &Request<'p, 'a>) -> Result<Self> {
        let estimate = Estimate::new(request)?;
        let mut computed = None;
        if let Strategy::Cells { groups } = estimate.table {
            computed = ComputedCells::new(request, groups)?;
        }
        let one_pass = request.has_one_pass();
        let most = estimate.groups.saturating_mul(request.limits.dense_range);
        let candidates = [
            (Strategy::Runs, estimate.runs && one_pass),
            (Strategy::Dense { most }, one_pass && estimate.may_be_dense(request, most)),
            (Strategy::Tiny, one_pass && is_tiny(request) && computed.is_none()),
        ];
        let suitable = candidates.into_iter().filter(|(_, is_suitable)| *is_suitable).map(|(strategy, _)| strategy);
        let mut others = suitable.chain([estimate.table]).collect::<Vec<_>>().into_iter();
        let strategy = others.next().unwrap_or(estimate.table);
        Ok(Self { strategy, others, capacity: estimate.capacity, computed })
    }

    /// Returns whether the launches compute the values of the plan, so that the values need not become columns.
    pub(super) fn computes_values(&self) -> bool {
        self.computed.is_some()
    }

    /// Aggregates the rows by the strategy.
    pub(super) fn enqueue(&self, request: &Request<'_, '_>) -> Result<Attempt> {
        let capacity = self.capacity;
        match self.strategy {
            Strategy::Tiny => tiny::enqueue(request),
            Strategy::Runs => runs::enqueue(request),
            Strategy::Dense { most } => dense::enqueue(request, most),
            Strategy::SinglePass => single_pass::enqueue(request, capacity),
            Strategy::Cells { groups } => cells::enqueue(request, groups, self.computed.as_ref(), capacity),
            Strategy::SharedMemory { groups, keep } => shared_memory::enqueue(request, groups, keep, capacity),
            Strategy::Global => global::enqueue(request, capacity),
            Strategy::Partitioned => partitioned::enqueue(request, capacity),
        }
    }

    /// Chooses another strategy, because the rows are not as the strategy requires.
    pub(super) fn choose_other(&mut self, request: &Request<'p, 'a>) -> Result<()> {
        match self.others.next() {
            Some(strategy) => self.strategy = strategy,
            None => *self = Self::from_sample(request)?,
        }
        Ok(())
    }

    /// Enlarges the table, because `found` groups were found among `seen` rows and the table was full.
    pub(super) fn enlarge(&mut self, found: u64, seen: u64, rows: usize) -> Result<()> {
        let most = rows.min(MAX_CAPACITY);
        if self.capacity >= most {
            return Err(Error::internal("the table of groups overflowed at its largest capacity"));
        }
        let expected = self.more_groups(found as f64, seen as f64, rows);
        self.capacity = expected.max(self.capacity.saturating_mul(4)).min(most);
        tracing::debug!(capacity = self.capacity, "groupby begins again");
        Ok(())
    }

    /// Estimates the number of groups from the rows that were seen before the overflow, and adds 20%. For few rows,
    /// returns the number of rows.
    fn more_groups(&self, found: f64, seen: f64, rows: usize) -> usize {
        if rows <= RETRY_CAPACITY {
            return rows;
        }
        let rows = rows as f64;
        let groups = match self.strategy {
            Strategy::Partitioned => found * rows / seen.max(1.0),
            _ => expected_groups(found, seen, rows),
        };
        (groups * 1.2) as usize
    }
}

/// Returns whether one block can aggregate the rows. The kernel has a single block, and each thread takes one row.
fn is_tiny(request: &Request<'_, '_>) -> bool {
    let threads = AggregateTiny::ID.info().policy.threads as usize;
    request.keys.rows <= request.limits.tiny_rows.min(threads) && request.plan.words <= BEGINNINGS
}

/// What is known about the groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Estimate {
    /// The strategy by which rows are inserted into a table of groups.
    table: Strategy,
    capacity: usize,
    /// Whether each group is probably a run of rows.
    runs: bool,
    /// An estimate of the number of groups.
    groups: usize,
    /// The difference between the largest and the smallest packed key of the sample.
    range: u64,
}

impl Estimate {
    fn new(request: &Request<'_, '_>) -> Result<Self> {
        let (rows, limits) = (request.keys.rows, request.limits);
        if rows <= limits.few_rows {
            let (table, range) = (Strategy::SinglePass, u64::MAX);
            return Ok(Self { table, capacity: rows, runs: false, groups: rows, range });
        }
        let sample = take_sample(request, limits.sample_rows.min(rows / 2).max(1))?;
        let mut estimate = decide(sample, rows, request.keys.movable, limits);
        tracing::debug!(?sample, ?estimate, rows, "groupby has taken a sample");
        if let (Strategy::SharedMemory { groups, keep: false }, true) = (estimate.table, request.keys.packed) {
            estimate.table = Strategy::Cells { groups };
        }
        Ok(estimate)
    }

    /// Returns whether the range of the keys is probably at most `most`.
    fn may_be_dense(&self, request: &Request<'_, '_>, most: usize) -> bool {
        let has_many = matches!(self.table, Strategy::Global | Strategy::Partitioned);
        let is_near = match request.columns.columns() {
            [_] => self.range <= most as u64,
            columns => columns.iter().all(|column| column.outer_bounds().is_some()),
        };
        request.keys.rows >= request.limits.dense_rows && request.packing.is_some() && has_many && is_near
    }
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

fn take_sample(request: &Request<'_, '_>, sample: usize) -> Result<Sample> {
    let (keys, ctx) = (request.keys, request.ctx);
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
    request.run(&kernel, Grid::Cooperative(kernel.blocks(slots), 1), &arguments)?;
    let posted = mailbox.wait()?;
    let [groups, once, twice, most, up, down, resumes] = [0, 1, 2, 3, 4, 5, 6].map(|word| posted[word] as usize);
    let range = posted[7].saturating_sub(!posted[8]);
    Ok(Sample { rows: sample, groups, once, twice, most, up, down, resumes, range })
}

fn decide(sample: Sample, rows: usize, movable: bool, limits: &GroupByLimits) -> Estimate {
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
    let table = if sample.groups <= limits.local_groups || skewed {
        Strategy::SharedMemory { groups: sample.groups, keep: skewed && sample.groups > limits.local_groups }
    } else if movable && expected as usize > limits.cached_groups {
        Strategy::Partitioned
    } else {
        Strategy::Global
    };
    let in_order = (sample.up == 0 || sample.down == 0) && sample.resumes <= 1;
    let runs = sample.groups > limits.local_groups && in_order;
    Estimate { table, capacity, runs, groups: expected as usize, range: sample.range }
}

/// Estimates the number of runs of equal keys among `rows` rows.
fn changes(sample: Sample, rows: usize) -> f64 {
    let changes = (sample.up + sample.down + sample.resumes) as f64;
    (changes + 4.0 * (changes + 1.0).sqrt()) / sample.rows.max(1) as f64 * rows as f64 + 1.0
}

/// Up to this number of rows, a retry uses a capacity of one group per row.
const RETRY_CAPACITY: usize = 1 << 20;
/// The largest number of groups of a table.
const MAX_CAPACITY: usize = (1 << 31) - 16;

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
fn expected_groups(found: f64, seen: f64, rows: f64) -> f64 {
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
        assert_eq!((ten.table, ten.capacity), (Strategy::SharedMemory { groups: 10, keep: false }, 4096));
        let thousands = decided(10_000, 0, 0, 30, true);
        assert_eq!(thousands.table, Strategy::Global);
        assert!((10_900..11_300).contains(&thousands.capacity), "{thousands:?}");
        let million = decided(122_900, 115_000, 7_540, 4, true);
        assert_eq!(million.table, Strategy::Global);
        assert!((1 << 20..9 << 17).contains(&million.capacity), "{million:?}");
        let millions = decided(130_216, 129_370, 836, 3, true);
        assert_eq!(millions.table, Strategy::Partitioned);
        assert!((11_000_000..13_000_000).contains(&millions.capacity), "{millions:?}");
        assert_eq!(decided(130_216, 129_370, 836, 3, false).table, Strategy::Global);
        let all = decided(131_072, 131_072, 0, 1, true);
        assert_eq!((all.table, all.capacity), (Strategy::Partitioned, rows));
        // One group contains 7% of the rows.
        let skewed = decided(45_000, 36_000, 4_500, 9_000, true);
        assert_eq!((skewed.table, skewed.capacity), (Strategy::SharedMemory { groups: 45_000, keep: true }, 1 << 20));
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
    fn full_tables_are_enlarged() {
        let rows = 100_000_000;
        let enlarged = |strategy, capacity, found, seen, rows| {
            let others = Vec::new().into_iter();
            let mut decision = Decision { strategy, others, capacity, computed: None };
            decision.enlarge(found, seen, rows).map(|()| decision.capacity)
        };
        // The capacity is at least four times as large, and at most the number of rows.
        assert_eq!(enlarged(Strategy::Global, 4096, 4096, 50_000_000, rows).unwrap(), 16_384);
        assert_eq!(enlarged(Strategy::Global, 4096, 4096, 5000, 1 << 20).unwrap(), 1 << 20);
        assert_eq!(enlarged(Strategy::Global, 80_000_000, 80_000_000, 90_000_000, rows).unwrap(), rows);
        // Partitioned rows were seen part by part, so that the groups grow with the rows.
        assert_eq!(enlarged(Strategy::Partitioned, 1000, 1_000_000, 10_000_000, rows).unwrap(), 12_000_000);
        let error = enlarged(Strategy::Global, rows, rows as u64, rows as u64, rows).unwrap_err();
        assert!(matches!(error, Error::Internal { .. }), "{error}");
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
