//! Hashes of rows without lists and structs: the choice of the backend.

use gdf_core::{Column, DataType, Result, TableView};
use gdf_driver::Device;
use gdf_engine::decoded::DecodedColumns;
use gdf_engine::row_hash::{Function, cuda, hashed_columns, host};

use crate::Ctx;

pub(super) fn plain<F: Function>(
    operation: &'static str,
    data_type: &DataType,
    table: &TableView<'_>,
    seed: F::Seed,
    ctx: Ctx<'_>,
) -> Result<Vec<Column>> {
    let decoded = DecodedColumns::without_views(table, ctx.scratch())?;
    let columns = hashed_columns(operation, &decoded.view()?)?;
    if table.num_rows() == 0 {
        return (0..F::WORDS).map(|_| Column::empty_on(data_type, ctx.stream.device())).collect();
    }
    match ctx.stream.device() {
        Device::Cpu => host::hash::<F>(&columns, table.num_rows(), data_type, seed, ctx),
        Device::Cuda(_) => cuda::hash::<F>(F::KERNEL, &columns, table.num_rows(), data_type, seed, ctx),
    }
}
