//! The sizes at which operations change how they work: one table of all of them, and the ones of the CPU, which tests
//! make smaller.
//!
//! Results never depend on these numbers. The catalog of the test kit takes its adversarial lengths from the table, and
//! runs the CPU's code under [`SmallLimits`], so that inputs of some hundred rows are split like those of millions.

mod groupby;

use std::cell::Cell;

pub use self::groupby::GroupByLimits;

/// The sizes from which on the CPU splits work.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostLimits {
    /// Rows of one task. The number is a multiple of 64, so that a task owns whole mask words. It is large enough to
    /// hide the cost of a task, and small enough that the inputs of a task stay in a core's cache.
    pub task_rows: usize,
    /// Bytes of one copy of `concatenate`.
    pub copy_bytes: usize,
    /// The number of rows from which on the build side of a join is worth several tasks.
    pub build_rows: usize,
    /// The approximate number of slots of one partition of a join's hash table: half a megabyte.
    pub build_part_places: usize,
    /// The number of rows from which on a group-by partitions its rows by their keys.
    pub group_split_rows: usize,
    /// The number of rows that a group-by samples to find out whether groups are many. It is at least 1,024, and at
    /// most `group_split_rows`.
    pub group_sample_rows: usize,
    /// The number of rows whose values a group-by gathers at a time. A few columns of that many values fit the
    /// second-level cache beside the accumulators.
    pub group_gather_rows: usize,
    /// The number of keys below which a sort only compares keys. It is at least twice `sort_part_rows`.
    pub sort_rows: usize,
    /// The number of keys of a part that is sorted by comparison instead of being split once more.
    pub sort_part_rows: usize,
    /// The number of keys from which on a part is worth more than one thread.
    pub sort_shared_rows: usize,
}

impl HostLimits {
    /// What holds outside of tests.
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
    };

    /// The smallest limits that work, with tasks of `task_rows` rows. `task_rows` is a multiple of 64.
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
        }
    }

    /// What holds on this thread.
    #[inline]
    pub fn current() -> Self {
        CURRENT.with(Cell::get)
    }
}

thread_local! {
    static CURRENT: Cell<HostLimits> = const { Cell::new(HostLimits::DEFAULT) };
}

/// Threads on which other limits hold. Operations called through [`run`](Self::run) begin there, and so do all of their
/// tasks: a limit is the same for the whole of an operation, and other operations of the process are not affected.
#[doc(hidden)]
#[derive(Debug)]
pub struct SmallLimits {
    threads: rayon::ThreadPool,
    limits: HostLimits,
}

impl SmallLimits {
    /// Three threads with these limits: not a power of two, so that shares are uneven.
    ///
    /// # Errors
    /// - threads cannot be started.
    pub fn new(limits: HostLimits) -> std::io::Result<Self> {
        let set = move |_| CURRENT.with(|current| current.set(limits));
        let threads = rayon::ThreadPoolBuilder::new().num_threads(3).start_handler(set).build();
        Ok(Self { threads: threads.map_err(std::io::Error::other)?, limits })
    }

    /// The limits that hold on its threads.
    pub fn limits(&self) -> HostLimits {
        self.limits
    }

    /// Runs `work` on one of the threads.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.threads.install(work)
    }
}

/// What a limit counts.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Rows of an input.
    Rows,
    /// Bytes of a column.
    Bytes,
    /// Groups or distinct keys.
    Keys,
    /// Pieces of a concatenation.
    Pieces,
    /// Partitions of a table.
    Partitions,
}

/// A size at which an operation changes how it works.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The backend, and what is limited: `"cpu.sort_rows"`.
    pub name: &'static str,
    /// What it counts.
    pub unit: Unit,
    /// What holds outside of tests.
    pub default: usize,
    /// What holds on this thread.
    pub current: usize,
}

/// Constants of a backend, which are in the table because they are defined here.
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
        /// Rows whose numbers are converted together.
        NUMBER_BLOCK: Rows = 256;
        /// Rows whose keys are made together.
        KEY_BLOCK: Rows = 1024;
        /// Rows that are produced together before they go to their parts.
        PARTITION_BLOCK: Rows = 512;
        /// Rows whose hashes of two words are held before they are written to two columns.
        HASH_BLOCK: Rows = 256;
        /// Rows that are cast together.
        CAST_BLOCK: Rows = 128;
    }
    cuda {
        /// Rows of the smaller of the two sorts of one block.
        SORT_FEW_ROWS: Rows = 1024;
        /// Rows of the larger one.
        SORT_BLOCK_ROWS: Rows = 4096;
        /// Bytes of text up to which one block sorts it, however alike the texts are.
        SORT_BLOCK_TEXT_BYTES: Bytes = 1 << 19;
        /// Rows up to which comparing within bins is quicker than passes.
        SORT_BIN_ROWS: Rows = 1 << 18;
        /// Up to so many rows, looking at the range of the keys costs more than it saves.
        KEY_HASHED_ROWS: Rows = 1024;
        /// Up to so many rows, memory is nothing and searches are to be short.
        KEY_FEW_ROWS: Rows = 1 << 16;
        /// Rows from which on it is worth to look whether texts among keys become numbers.
        KEY_TEXT_ROWS: Rows = 1 << 20;
        /// Rows from which on they are inserted in the order of the table: it is then larger than caches.
        JOIN_ORDERED_ROWS: Rows = 1 << 21;
        /// Up to so many rows, looking at the ranges of keys that are wider than 64 bits costs more than it saves.
        JOIN_MEASURED_ROWS: Rows = 1 << 18;
        /// Rows to be looked up from which on it is worth to wait for the range of the keys that they are looked up among.
        JOIN_WIDE_ROWS: Rows = 1 << 20;
        /// Up to so many rows, one block per column copies the target of a scatter and writes to it.
        SCATTER_COPIED_ROWS: Rows = 2048;
        /// Up to so many rows, one block clears and fills the inverse of a scatter map.
        SCATTER_BLOCK_ROWS: Rows = 8192;
        /// Targets of a scatter below this size stay in the cache as a whole.
        SCATTER_WINDOWS_BYTES: Bytes = 96 << 20;
        /// The most bytes that results get before their size is known, where that saves a launch and a wait.
        RESULT_GUESS_BYTES: Bytes = 16 << 20;
        /// Partitions whose rows are counted: ids of 8 bits.
        PARTITION_COUNTED: Partitions = 256;
        /// Partitions that two digits number, which a block has counters for.
        PARTITION_DIGITS: Partitions = 1 << 14;
        /// Pieces that the kernels add the bytes of by themselves; also, pieces of all leaves together that a launch
        /// takes by value.
        CONCATENATE_FEW_PIECES: Pieces = 32;
        /// Rows of 64 bits from which on a scan is pipelined, which takes some 10 µs to begin.
        SCAN_PIPELINE_ROWS: Rows = 3 << 20;
        /// Groups that the tables of blocks have places for.
        GROUP_LOCAL_KEYS: Keys = 4096;
    }
}

/// Every limit of both backends.
#[doc(hidden)]
pub fn all() -> Vec<Limit> {
    use Unit::{Bytes, Keys, Rows};
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
