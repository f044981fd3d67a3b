//! `hash_partition`: checks, and the choice of backend.

mod host;

use std::cell::RefCell;

use gdf_compute::hashing::{is_nested, murmurhash3_x86_32};
use gdf_compute::lists::copy_flat;
use gdf_core::{ColumnView, Error, PhysicalType, Result, Table, TableView, physical_type};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::decoded::DecodedColumns;
use gdf_engine::row_hash::{HashedColumn, hashed_columns};
use gdf_engine::rows::RowPlan;

use super::cuda::{Source, partitioned};
pub use super::plan::HashFunction;
use super::plan::{Partitioned, no_rows, partition_count};
use crate::Ctx;

const HASH_PARTITION: &str = "hash_partition";

/// Returns the rows of `table`, ordered by the hash partition of the key columns, and the offsets of the partitions.
/// The function implements `gdf_api::partitioning::hash_partition` and returns the same errors.
pub fn hash_partition(
    table: TableView<'_>,
    columns_to_hash: &[usize],
    num_partitions: usize,
    function: HashFunction,
    seed: u32,
    ctx: Ctx<'_>,
) -> Result<(Table, Vec<usize>)> {
    check::table(&table, ctx)?;
    let partitions = partition_count(num_partitions)?;
    let keys = columns_to_hash.iter().map(|&column| table.column(column)).collect::<Result<Vec<_>>>()?;
    if function == HashFunction::Identity {
        keys.iter().try_for_each(|key| number(*key))?;
    }
    let keys = TableView::try_with_rows(keys, table.num_rows())?;
    if keys.columns().iter().any(|key| is_nested(key.data_type())) {
        // Nested rows are hashed first.
        let hashes =
            murmurhash3_x86_32(keys, seed, ctx.scratch()).map_err(|error| error.in_operation(HASH_PARTITION))?;
        let keys = TableView::from(hashes.view());
        return copied(&table, &hashed_columns(HASH_PARTITION, &keys)?, partitions, HashFunction::Identity, seed, ctx);
    }
    let decoded = DecodedColumns::without_views(&keys, ctx.scratch())?;
    copied(&table, &hashed_columns(HASH_PARTITION, &decoded.view()?)?, partitions, function, seed, ctx)
}

/// Copies the rows of `table` to the partitions.
fn copied(
    table: &TableView<'_>,
    keys: &[HashedColumn<'_>],
    partitions: i32,
    function: HashFunction,
    seed: u32,
    ctx: Ctx<'_>,
) -> Result<Partitioned> {
    let offsets = RefCell::new(no_rows(partitions as usize)?);
    let rows = copy_flat(table, ctx, |table, ctx| {
        let plan = RowPlan::new(HASH_PARTITION, table)?;
        if table.num_rows() == 0 {
            return plan.empty(ctx);
        }
        let (rows, begins) = match ctx.stream.device() {
            Device::Cpu => host::hash_partition(table, keys, partitions as usize, function, seed, ctx)?,
            Device::Cuda(_) => partitioned(table, Source::Hash { keys, function, seed }, partitions, ctx)?,
        };
        offsets.replace(begins);
        Ok(rows)
    })?;
    Ok((rows, offsets.into_inner()))
}

fn number(key: ColumnView<'_>) -> Result<()> {
    use PhysicalType as P;
    let data_type = key.data_type();
    let number =
        gdf_core::is_integral(data_type) || matches!(physical_type(data_type), P::Bool | P::F16 | P::F32 | P::F64);
    if number { Ok(()) } else { Err(Error::unsupported(HASH_PARTITION, data_type)) }
}
