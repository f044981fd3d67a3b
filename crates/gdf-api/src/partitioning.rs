//! Putting the rows of a table together by partition.

use gdf_core::{ColumnView, Result, Table, TableView};
use gdf_detail as detail;
pub use gdf_detail::partitioning::HashFunction;

use crate::scope::Scope;

/// The rows of `table` by partition, which is the hash of their columns `columns_to_hash` modulo `num_partitions`.
///
/// # Shapes
/// The table has as many rows as before. Offset `p` is the first row of partition `p`; there are `num_partitions + 1`
/// offsets, from 0 to the number of rows. Partitions may be empty.
///
/// # Types
/// Columns: as [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask). Columns to hash: as
/// [`murmurhash3_x86_32`](crate::hashing::murmurhash3_x86_32), whose values these are; with [`HashFunction::Identity`]
/// integers, floats and booleans, which are then their own hashes.
///
/// # Nulls and NaN
/// A null hashes as 2³²−1; hashes of NaNs are equal, and those of zeros. Rows are moved as they are.
///
/// Order: rows of a partition keep their order, on both backends (libcudf promises none). In libcudf `hash_partition`;
/// in polars `partition_by` keeps groups apart.
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
/// At most 1 wait, for the number of rows of each partition, and the waits of a [`gather`](crate::copying::gather)
/// within bounds of the columns that have no fixed width of up to 16 bytes. More than 256 partitions may also take the
/// waits of sorting a column of numbers, and of gathering all columns. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) for a column that the table does not have.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for no partition, 2³¹ and more, and for no columns to hash.
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

/// The rows of `table` by partition: row `r` goes to partition `partition_map[r]`.
///
/// # Shapes
/// `partition_map` is as long as `table`. The result is as that of [`hash_partition`].
///
/// # Types
/// Columns: as [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask). Map: any integers.
///
/// # Nulls
/// The map has none. Rows are moved as they are.
///
/// Order and costs: as [`hash_partition`]; the map is checked at the same time. In libcudf `partition`, which does not
/// check it.
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
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) with the first number of the map that is no partition.
/// * [`InvalidData`](gdf_core::Error::InvalidData) for nulls in the map.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when the map is not of integers.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for no partition, and from 2³¹ partitions on.
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

/// The rows of `table` dealt to partitions in turn, the first one to partition `start_partition`.
///
/// # Shapes
/// As [`hash_partition`]; partitions differ by one row at most.
///
/// # Types
/// As [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask).
///
/// # Nulls
/// Rows are moved as they are.
///
/// Order: rows of a partition keep their order. The same name in libcudf.
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
/// The waits of a [`gather`](crate::copying::gather) within bounds. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for no partition, and from 2³¹ partitions on.
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) when `start_partition` is no partition.
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
