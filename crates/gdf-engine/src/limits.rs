//! The sizes at which operations change their algorithm.
//!
//! Results never depend on these numbers.

mod groupby;

use std::cell::Cell;

pub use self::groupby::GroupByLimits;

/// The sizes at which the CPU backend splits work or changes its algorithm.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostLimits {
    /// The number of rows of a task. The number is a multiple of 64, so that two tasks never write to the same word of
    /// a mask.
    pub task_rows: usize,
    /// The number of bytes that a task of `concatenate` copies.
    pub copy_bytes: usize,
    /// From this number of rows on, several tasks build the hash table of a join.
    pub build_rows: usize,
    /// The intended number of slots of a partition of a join's hash table. Such a partition has half a megabyte.
    pub build_part_places: usize,
    /// From this number of rows on, a group-by may partition its rows by their keys.
    pub group_split_rows: usize,
    /// The number of rows of the sample from which a group-by estimates whether there are many groups.
    pub group_sample_rows: usize,
    /// The number of rows whose values a group-by gathers at a time.
    pub group_gather_rows: usize,
    /// A sort of fewer keys than this uses only comparisons. The number is at least twice `sort_part_rows`.
    pub sort_rows: usize,
    /// The maximum number of keys of a part that is sorted by comparisons. Larger parts are split by further bits of
    /// the keys.
    pub sort_part_rows: usize,
    /// From this number of keys on, several threads sort a part together.
    pub sort_shared_rows: usize,
    /// The maximum number of pairs of rows for which a join evaluates a condition at a time. Both backends use this
    /// limit.
    pub join_pairs: usize,
}

impl HostLimits {
    pub const DEFAULT: Self = Self {
        task_rows: 1 << 15,
        copy_bytes: 1 << 20,
        build_rows: 1 << 16,
        build_part_places: 1 << 15,
        group_split_rows: 1 << 17,
        group_sample_rows: 1 << 15,
        group_gather_rows: 1 << 13,
        sort_rows: 1 << 14,
        sort_part_rows: 1 << 10,
        sort_shared_rows: 1 << 18,
        join_pairs: 1 << 22,
    };

    /// Returns the smallest limits for which the algorithms work. `task_rows` is rounded down to a multiple of 64, but
    /// is at least 64.
    pub const fn small(task_rows: usize) -> Self {
        Self {
            task_rows: if task_rows < 64 { 64 } else { task_rows / 64 * 64 },
            copy_bytes: 1 << 10,
            build_rows: 1 << 7,
            build_part_places: 1 << 6,
            group_split_rows: 1 << 11,
            group_sample_rows: 1 << 10,
            group_gather_rows: 1 << 7,
            sort_rows: 1 << 7,
            sort_part_rows: 1 << 6,
            sort_shared_rows: 1 << 8,
            join_pairs: 1 << 10,
        }
    }

    #[inline]
    pub fn current() -> Self {
        CURRENT.with(Cell::get)
    }
}

thread_local! {
    static CURRENT: Cell<HostLimits> = const { Cell::new(HostLimits::DEFAULT) };
}

/// A thread pool whose threads use other limits than the rest of the process. An operation called through
/// [`run`](Self::run) and all tasks of the operation run on threads of the pool.
#[doc(hidden)]
#[derive(Debug)]
pub struct SmallLimits {
    threads: rayon::ThreadPool,
    limits: HostLimits,
}

impl SmallLimits {
    /// Starts three threads with these limits. Three is not a power of two, so that the threads get unequal numbers of
    /// rows.
    ///
    /// # Errors
    /// - The operating system cannot start the threads.
    pub fn new(limits: HostLimits) -> std::io::Result<Self> {
        let set = move |_| CURRENT.with(|current| current.set(limits));
        let threads = rayon::ThreadPoolBuilder::new().num_threads(3).start_handler(set).build();
        Ok(Self { threads: threads.map_err(std::io::Error::other)?, limits })
    }

    pub fn limits(&self) -> HostLimits {
        self.limits
    }

    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.threads.install(work)
    }
}

/// The items that a limit counts.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    Rows,
    Bytes,
    /// Groups or distinct keys.
    Keys,
    Pieces,
    Partitions,
    Pairs,
}

/// A size at which an operation changes its algorithm.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The backend and the name of the limit, for example `"cpu.sort_rows"`.
    pub name: &'static str,
    pub unit: Unit,
    /// The value outside of tests.
    pub default: usize,
    /// The value on the current thread.
    pub current: usize,
}

/// Defines the constants of a backend, and adds each constant to the table of limits.
macro_rules! constants {
    ($($backend:ident {$($(#[$doc:meta])* $name:ident: $unit:ident = $value:expr;)*})*) => {
        $(pub mod $backend {
            use super::{Limit, Unit};

            $($(#[$doc])* pub const $name: usize = $value;)*

            pub(super) const LIMITS: &[Limit] = &[$(Limit {
                name: concat!(stringify!($backend), ".", stringify!($name)),
                unit: Unit::$unit,
                default: $name,
                current: $name,
            }),*];
        })*
    };
}

constants! {
    cpu {
        /// The number of rows whose values are converted to another number type at a time.
        NUMBER_BLOCK: Rows = 256;
        /// The number of rows whose keys are computed at a time.
        KEY_BLOCK: Rows = 1024;
        /// The number of rows that are produced at a time before the rows are moved to their partitions.
        PARTITION_BLOCK: Rows = 512;
        /// The number of two-word hashes that are buffered before the two words are written to two columns.
        HASH_BLOCK: Rows = 256;
        /// The number of rows that are cast at a time.
        CAST_BLOCK: Rows = 128;
    }
    cuda {
        /// The maximum number of rows of the smaller of two kernels that sort in a single block.
        SORT_FEW_ROWS: Rows = 1024;
        /// The maximum number of rows of the larger of two kernels that sort in a single block.
        SORT_BLOCK_ROWS: Rows = 4096;
        /// The maximum number of bytes of text that a single block sorts. Within this limit, the sort takes little time
        /// even if all texts have long common prefixes.
        SORT_BLOCK_TEXT_BYTES: Bytes = 1 << 19;
        /// Up to this number of rows, sorting by comparison within bins is faster than radix passes.
        SORT_BIN_ROWS: Rows = 1 << 18;
        /// Up to this number of rows, the range of the keys is not computed, because the computation would take longer
        /// than the range saves.
        KEY_HASHED_ROWS: Rows = 1024;
        /// Up to this number of rows, the memory of a key table does not matter. Such tables get more slots, so that
        /// probe sequences are short.
        KEY_FEW_ROWS: Rows = 1 << 16;
        /// From this number of rows on, the engine checks whether numbers can replace text keys.
        KEY_TEXT_ROWS: Rows = 1 << 20;
        /// From this number of rows on, the hash table of a join is larger than the caches, and a join inserts rows in
        /// the order of the table's slots.
        JOIN_ORDERED_ROWS: Rows = 1 << 21;
        /// Up to this number of rows, the ranges of keys wider than 64 bits are not computed, because the computation
        /// would take longer than the ranges save.
        JOIN_MEASURED_ROWS: Rows = 1 << 18;
        /// With fewer probe rows than this number, a join does not wait for the range of the build side's keys.
        JOIN_WIDE_ROWS: Rows = 1 << 20;
        /// From this number of probe rows on, a semi or anti join, or an inner join with presumably few matches, first
        /// marks the probe rows of the result.
        JOIN_MARKED_ROWS: Rows = 1 << 20;
        /// From this number of rows on, `distinct` measures the range of integer keys, and uses a bit for each value of
        /// the range in place of a table.
        DISTINCT_BITS_ROWS: Rows = 1 << 22;
        /// From this number of left rows on, a semi or anti join measures the range of integer keys, and uses a bit for
        /// each value of the range in place of a table.
        JOIN_VALUE_BITS_ROWS: Rows = 1 << 22;
        /// From this number of rows on, the range of integers is measured before their distinct values are counted.
        DISTINCT_RANGED_ROWS: Rows = 1 << 17;
        /// Up to this number of rows, one block per column both copies the target of a scatter and writes the source
        /// rows to the copy.
        SCATTER_COPIED_ROWS: Rows = 2048;
        /// Up to this number of rows, a single block clears and fills the inverse of a scatter map.
        SCATTER_BLOCK_ROWS: Rows = 8192;
        /// The size of a scatter's target up to which the whole target stays in the cache.
        SCATTER_WINDOWS_BYTES: Bytes = 96 << 20;
        /// The maximum number of bytes that are allocated for a result whose size is not known yet. Allocating by a
        /// guess saves a launch and a wait.
        RESULT_GUESS_BYTES: Bytes = 16 << 20;
        /// Up to this number of rows, a filter of lists takes each row as a range that may be empty. Such ranges take more
        /// memory than the numbers of the selected rows, but need one launch and one wait less.
        SELECT_LISTS_BY_MASK_ROWS: Rows = 1 << 20;
        /// Up to this number of partitions, a partition number has 8 bits, and rows are partitioned in one pass.
        PARTITION_COUNTED: Partitions = 256;
        /// Up to this number of partitions, a partition number has two digits, and rows are partitioned in two passes.
        /// A block does not have counters for more partitions.
        PARTITION_DIGITS: Partitions = 1 << 14;
        /// The maximum number of pieces of a concatenation whose sizes the kernels sum up themselves.
        CONCATENATE_FEW_PIECES: Pieces = 32;
        /// From this number of rows of 64 bits on, a scan is pipelined. The pipeline takes some 10 µs to start.
        SCAN_PIPELINE_ROWS: Rows = 3 << 20;
        /// The maximum number of groups of the hash table that a block keeps in shared memory. With more groups, shared
        /// memory is no faster than the L2 cache.
        GROUP_LOCAL_KEYS: Keys = 4096;
    }
}

#[doc(hidden)]
pub fn all() -> Vec<Limit> {
    use Unit::{Bytes, Keys, Pairs, Rows};
    let (host, groups) = (HostLimits::current(), GroupByLimits::default());
    let cpu = |name, unit, of: fn(&HostLimits) -> usize| {
        let (default, current) = (of(&HostLimits::DEFAULT), of(&host));
        Limit { name, unit, default, current }
    };
    let cuda = |name, unit, default| Limit { name, unit, default, current: default };
    let fields = [
        cpu("cpu.task_rows", Rows, |limits| limits.task_rows),
        cpu("cpu.copy_bytes", Bytes, |limits| limits.copy_bytes),
        cpu("cpu.build_rows", Rows, |limits| limits.build_rows),
        cpu("cpu.build_part_places", Keys, |limits| limits.build_part_places),
        cpu("cpu.group_split_rows", Rows, |limits| limits.group_split_rows),
        cpu("cpu.group_sample_rows", Rows, |limits| limits.group_sample_rows),
        cpu("cpu.group_gather_rows", Rows, |limits| limits.group_gather_rows),
        cpu("cpu.sort_rows", Rows, |limits| limits.sort_rows),
        cpu("cpu.sort_part_rows", Rows, |limits| limits.sort_part_rows),
        cpu("cpu.sort_shared_rows", Rows, |limits| limits.sort_shared_rows),
        cpu("cpu.join_pairs", Pairs, |limits| limits.join_pairs),
        cuda("cuda.group_tiny_rows", Rows, groups.tiny_rows),
        cuda("cuda.group_few_rows", Rows, groups.few_rows),
        cuda("cuda.group_measured_rows", Rows, groups.measured_rows),
        cuda("cuda.group_sample_rows", Rows, groups.sample_rows),
        cuda("cuda.group_local_groups", Keys, groups.local_groups),
        cuda("cuda.group_cached_groups", Keys, groups.cached_groups),
    ];
    [&fields, cpu::LIMITS, cuda::LIMITS].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_limits_hold_for_all_tasks_of_a_call_and_for_nothing_else() {
        use rayon::prelude::*;
        let limits = HostLimits::small(192);
        let small = SmallLimits::new(limits).unwrap();
        let seen: Vec<_> = small.run(|| (0..1000).into_par_iter().map(|_| HostLimits::current()).collect());
        assert!(seen.iter().all(|seen| *seen == limits));
        assert_eq!(HostLimits::current(), HostLimits::DEFAULT);
        let rows = |all: Vec<Limit>| all.iter().find(|limit| limit.name == "cpu.task_rows").copied();
        let (inside, outside) = (small.run(|| rows(all())).unwrap(), rows(all()).unwrap());
        assert_eq!((inside.current, inside.default, outside.current), (192, 1 << 15, 1 << 15));
    }

    #[test]
    fn limits_are_named_once() {
        let mut names: Vec<_> = all().iter().map(|limit| limit.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
