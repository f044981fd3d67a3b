//! External operators: joins, group-bys, sorts and distinct rows of tables that do not fit in memory.
//!
//! A table that is too large is a list of tables, its *parts*, with the same columns. An operator takes parts and
//! returns parts. In between, it divides the rows by the hashes of keys, or by ranges of keys, into partitions that
//! fit, and runs the operation of [`gdf_api`] on each partition. Partitions that are still too large are divided again.
//! The parts that wait are spillable: a [`SpillManager`] moves their bytes out of the memory of the device. See
//! [`Budget`].
//!
//! An operator reserves the bytes of its budget, and waits for other threads instead of running out of memory; see
//! [`Budget::reserve`]. The iterator of the parts must not wait for a thread that reserves bytes of the same manager.
//!
//! [`prefetch()`] computes the next part, for example reads it from a file, while an operator works on the current one.
//! Operators bring the next partition back while they compute one, if the limit allows it.
//!
//! The rows of a part that is too large for an operation are halved.
//!
//! | operator | |
//! |---|---|
//! | [`group_by()`] | partial aggregates of each part, merged; if the groups are too many, by hashes of the keys |
//! | [`join()`] | each part of the left side looks up the right side; if the right side is too large, both by hashes |
//! | [`join_where()`] | the same, by a condition; without equal keys, part by part |
//! | [`sort()`] | sorted parts, divided by splitters of a sample, merged range by range |
//! | [`top()`] | the first rows of each part, merged |
//! | [`distinct()`] | the distinct rows of each part, then by hashes of the keys |
//! | [`transform()`] | rows of the rows with equal keys, such as window functions, by hashes of the keys, then in their order |
//! | [`broadcast()`] | the values of its group for each row, by a join, then in their order |
//!
//! The design follows external hash joins and sorts of databases: Goetz Graefe, "Query Evaluation Techniques for Large
//! Databases", ACM Computing Surveys 25(2), 1993.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod ahead;
pub mod bounds;
mod budget;
mod conditional;
mod distinct;
mod groups;
mod join;
mod partition;
mod prefetch;
mod sides;
mod sort;
mod transform;

pub use self::budget::{Budget, Reserved, row_bytes, rows_of, value_bytes};
pub use self::conditional::join_where;
pub use self::distinct::distinct;
pub use self::groups::{Request, group_by};
pub use self::join::join;
pub use self::prefetch::{Prefetch, prefetch};
pub use self::sides::JoinKind;
pub use self::sort::{Keys, sort, top};
pub use self::transform::{broadcast, transform};

#[cfg(doc)]
use gdf_memory::SpillManager;
