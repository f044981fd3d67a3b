//! Functions that reorder the rows of a table so that the rows of each partition are adjacent.

use gdf_core::{ColumnView, Result, Table, TableView};
use gdf_detail as detail;
pub use gdf_detail::partitioning::HashFunction;

use crate::scope::Scope;

/// Reorders the rows of `table` by partition. The partition of a row is the hash of its columns `columns_to_hash`,
/// modulo `num_partitions`.
///
/// # Shapes
/// The resulting table has as many rows as `table`. Offset `p` is the first row of partition `p`. The result has
/// `num_partitions + 1` offsets, from 0 to the number of rows. Partitions may be empty.
///
/// # Types
/// The table may have the types of [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask). The columns to
/// hash may have the types of [`murmurhash3_x86_32`](crate::hashing::murmurhash3_x86_32), which computes the hashes.
/// With [`HashFunction::Identity`] the columns are integers, floats and booleans, and the value of a row is its hash.
///
/// # Nulls and NaN
/// A null hashes as 2³²−1. All NaNs have equal hashes, and both zeros have equal hashes. Null rows stay null.
///
/// Order: the rows of a partition keep their order, on the CPU and on CUDA (libcudf promises no order). In libcudf
/// `hash_partition`. polars has `partition_by`, which returns one table for each group.
///
/// ```
/// use gdf::partitioning::{HashFunction, hash_partition};
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_slice(&[5_i64, 6, 7, 8, 9])?])?;
/// let (table, offsets) = hash_partition(&table, &[0], 2, HashFunction::Identity, 0)?;
/// assert_eq!(offsets, [0, 2, 5]);
/// assert_eq!(table.column(0)?.to_vec::<i64>()?, [6, 8, 5, 7, 9].map(Some));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 1 wait for the device, for the number of rows of each partition. Columns without a fixed
/// width of up to 16 bytes add the waits of a [`gather`](crate::copying::gather) without bounds check. More than 256
/// partitions may add the waits of sorting a column of numbers and of gathering all columns. A table with lists is
/// partitioned twice. Keys of lists add the waits of [`murmurhash3_x86_32`](crate::hashing::murmurhash3_x86_32). See
/// the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) for a column that the table does not have.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for 0 partitions, for 2³¹ and more partitions, and without
///   columns to hash.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns that cannot be hashed or moved.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("repartition", "shuffle", "partition by hash"))]
pub fn hash_partition<'a>(
    table: impl Into<TableView<'a>>,
    columns_to_hash: &[usize],
    num_partitions: usize,
    function: HashFunction,
    seed: u32,
) -> Result<(Table, Vec<usize>)> {
    let table = table.into();
    Scope::for_inputs("hash_partition", &[&table])?
        .run(|ctx| detail::partitioning::hash_partition(table, columns_to_hash, num_partitions, function, seed, ctx))
}

/// Reorders the rows of `table` by partition: row `r` goes to partition `partition_map[r]`.
///
/// # Shapes
/// `partition_map` has as many rows as `table`. The result has the shape of the result of [`hash_partition`].
///
/// # Types
/// The table may have the types of [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask). The map
/// contains integers of any type.
///
/// # Nulls
/// The map must not have nulls. Null rows of the table stay null.
///
/// Order and costs are the same as for [`hash_partition`]. The check of the map needs no additional wait. In libcudf
/// `partition`, which does not check the map.
///
/// ```
/// use gdf::partitioning::partition;
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_slice(&[10, 11, 12, 13])?])?;
/// let map = Column::from_slice(&[2, 0, 2, 0])?;
/// let (table, offsets) = partition(&table, &map, 3)?;
/// assert_eq!(offsets, [0, 2, 2, 4]);
/// assert_eq!(table.column(0)?.to_vec::<i32>()?, [11, 13, 10, 12].map(Some));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) with the first number of the map that is not a partition.
/// * [`InvalidData`](gdf_core::Error::InvalidData) for nulls in the map.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when the map is not a column of integers.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for 0 partitions, and for 2³¹ and more partitions.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns that cannot be moved; driver and memory errors.
#[doc(alias("partition_by", "repartition"))]
pub fn partition<'a>(
    table: impl Into<TableView<'a>>,
    partition_map: impl Into<ColumnView<'a>>,
    num_partitions: usize,
) -> Result<(Table, Vec<usize>)> {
    let (table, map) = (table.into(), partition_map.into());
    Scope::for_inputs("partition", &[&table, &map])?
        .run(|ctx| detail::partitioning::partition(table, map, num_partitions, ctx))
}

/// Distributes the rows of `table` over partitions in turn. The first row goes to partition `start_partition`.
///
/// # Shapes
/// The same as for [`hash_partition`]. The sizes of two partitions differ by at most one row.
///
/// # Types
/// The same as for [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask).
///
/// # Nulls
/// Null rows stay null.
///
/// Order: the rows of a partition keep their order. In libcudf the function has the same name.
///
/// ```
/// use gdf::partitioning::round_robin_partition;
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_slice(&[1, 2, 3, 4, 5])?])?;
/// let (table, offsets) = round_robin_partition(&table, 2, 1)?;
/// assert_eq!(offsets, [0, 2, 5]);
/// assert_eq!(table.column(0)?.to_vec::<i32>()?, [2, 4, 1, 3, 5].map(Some));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of a [`gather`](crate::copying::gather) without bounds check. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for 0 partitions, and for 2³¹ and more partitions.
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) when `start_partition` is not a partition.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns that cannot be moved.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("repartition"))]
pub fn round_robin_partition<'a>(
    table: impl Into<TableView<'a>>,
    num_partitions: usize,
    start_partition: usize,
) -> Result<(Table, Vec<usize>)> {
    let table = table.into();
    Scope::for_inputs("round_robin_partition", &[&table])?
        .run(|ctx| detail::partitioning::round_robin_partition(table, num_partitions, start_partition, ctx))
}
