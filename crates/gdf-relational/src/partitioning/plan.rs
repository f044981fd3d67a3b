//! Functions and types that all partitioning operations share: the number of partitions, hash functions, and tables of
//! selected columns.

use gdf_core::{Column, ColumnView, Context, Counted, DataType, Error, Result, Table, TableView, physical_type};
use gdf_engine::layout::RowKind;
use gdf_engine::rows::Leaf;
use gdf_memory::MemoryError;

/// A table, and the offsets of its partitions.
pub(super) type Partitioned = (Table, Vec<usize>);

pub(super) const NULL_IN_MAP: Error =
    Error::invalid_data("the partition map contains a null; replace the nulls with partition numbers");

/// The hash function of rows. The partition of a row is its hash modulo the number of partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HashFunction {
    /// [`murmurhash3_x86_32`](gdf_compute::hashing::murmurhash3_x86_32).
    Murmur3,
    /// The hash of a value is the value itself.
    Identity,
}

/// Returns the number of partitions in the type that kernels take.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument) for zero partitions, and for 2³¹ partitions or more.
pub(super) fn partition_count(partitions: usize) -> Result<i32> {
    match i32::try_from(partitions) {
        Ok(0) => Err(Error::beyond_limit("the number of partitions", 0, 1)),
        Ok(count) => Ok(count),
        Err(_) => Err(Error::beyond_limit("the number of partitions", partitions as i128, i32::MAX.into())),
    }
}

pub(super) fn out_of_bounds(index: i128, partitions: usize) -> Error {
    Error::OutOfBounds { index, len: partitions, offset: None, of: Counted::Partitions, context: Context::default() }
}

/// Returns the offsets of `partitions` partitions.
pub(super) fn offsets(partitions: usize, rows: usize, begins: impl Iterator<Item = usize>) -> Result<Vec<usize>> {
    let mut offsets = Vec::new();
    let bytes = (partitions + 1).saturating_mul(size_of::<usize>());
    let full = |_| MemoryError::OutOfMemory { requested: bytes, free: None, resource: "vector" };
    offsets.try_reserve_exact(partitions + 1).map_err(full)?;
    offsets.push(0);
    offsets.extend(begins.take(partitions - 1).map(|begin| begin.min(rows)));
    offsets.resize(partitions, rows);
    offsets.push(rows);
    Ok(offsets)
}

pub(super) fn no_rows(partitions: usize) -> Result<Vec<usize>> {
    offsets(partitions, 0, std::iter::empty())
}

/// Returns whether kernels can write the rows of a column to partitions directly.
pub(super) fn is_short(column: &ColumnView<'_>) -> bool {
    let width = match column.data_type() {
        DataType::Dictionary(keys, _) => gdf_core::width(keys),
        DataType::FixedSizeBinary(_) => None,
        other => physical_type(other).width(),
    };
    matches!(width, Some(1 | 2 | 4 | 8 | 16))
}

pub(super) fn width(leaf: &Leaf<'_>) -> usize {
    match leaf.kind {
        RowKind::Bytes(width) => width,
        _ => 0,
    }
}

/// Splits a table into two tables: the columns that are `staged`, and the other columns.
pub(super) fn split<'a>(table: &TableView<'a>, staged: &[bool]) -> Result<[TableView<'a>; 2]> {
    let (these, others): (Vec<_>, Vec<_>) = table.columns().iter().zip(staged).partition(|(_, staged)| **staged);
    let view = |columns: Vec<(&ColumnView<'a>, _)>| {
        TableView::try_with_rows(columns.into_iter().map(|(column, _)| *column).collect(), table.num_rows())
    };
    Ok([view(these)?, view(others)?])
}

pub(super) fn joined(staged: &[bool], rows: usize, these: Table, others: Option<Table>) -> Result<Table> {
    let mut these = these.into_columns().into_iter();
    let mut others = others.map(Table::into_columns).unwrap_or_default().into_iter();
    let next = |staged: &bool| if *staged { these.next() } else { others.next() };
    let columns: Option<Vec<Column>> = staged.iter().map(next).collect();
    let columns =
        columns.ok_or_else(|| Error::internal("the result of a partitioning has fewer columns than the input"))?;
    Table::try_with_rows(columns, rows)
}
