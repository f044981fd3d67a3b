//! The four functions: checks, and the choice of backend.

use gdf_core::{Column, DataType, Result, Table, TableView};
use gdf_driver::Device;

use crate::check;
use crate::context::Ctx;
use crate::engine::row_hash::{Function, Murmur32, Murmur128, XxHash32, XxHash64, cuda, hashed_columns, host};

/// MurmurHash3_x86_32 of each row, as `UInt32`, never null.
///
/// Every element is hashed from its bytes with `seed`, a null as 2³²−1, NaNs as one NaN, −0.0 as 0.0; the hashes of the
/// columns are combined as libcudf does.
///
/// CUDA: 1 launch per 32 columns (a dictionary counts twice), no wait.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for nested types, views and run-end encoded columns.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for a table without columns.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
pub fn murmurhash3_x86_32(table: TableView<'_>, seed: u32, ctx: Ctx<'_>) -> Result<Column> {
    single::<Murmur32>("murmurhash3_x86_32", &DataType::UInt32, table, seed, ctx)
}

/// XXH32 of each row, as `UInt32`, never null; otherwise as [`murmurhash3_x86_32`].
///
/// # Errors
/// As [`murmurhash3_x86_32`].
pub fn xxhash_32(table: TableView<'_>, seed: u32, ctx: Ctx<'_>) -> Result<Column> {
    single::<XxHash32>("xxhash_32", &DataType::UInt32, table, seed, ctx)
}

/// XXH64 of each row, as `UInt64`, never null; a null hashes as 2⁶⁴−1, −0.0 differs from 0.0; otherwise as
/// [`murmurhash3_x86_32`].
///
/// # Errors
/// As [`murmurhash3_x86_32`].
pub fn xxhash_64(table: TableView<'_>, seed: u64, ctx: Ctx<'_>) -> Result<Column> {
    single::<XxHash64>("xxhash_64", &DataType::UInt64, table, seed, ctx)
}

/// MurmurHash3_x64_128 of each row, as two columns `UInt64`, the lower words first, never null.
///
/// Each column is hashed with the lower word of the column before it as its seed, the first with `seed`; a null is all
/// ones in both words, −0.0 differs from 0.0, all NaNs are one.
///
/// CUDA: as [`murmurhash3_x86_32`].
///
/// # Errors
/// As [`murmurhash3_x86_32`].
pub fn murmurhash3_x64_128(table: TableView<'_>, seed: u64, ctx: Ctx<'_>) -> Result<Table> {
    Table::try_new(hash::<Murmur128>("murmurhash3_x64_128", &DataType::UInt64, table, seed, ctx)?)
}

fn single<F: Function>(
    operation: &'static str,
    data_type: &DataType,
    table: TableView<'_>,
    seed: F::Seed,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let mut columns = hash::<F>(operation, data_type, table, seed, ctx)?;
    columns.pop().ok_or(gdf_core::Error::ColumnCount { expected: 1, found: 0 })
}

fn hash<F: Function>(
    operation: &'static str,
    data_type: &DataType,
    table: TableView<'_>,
    seed: F::Seed,
    ctx: Ctx<'_>,
) -> Result<Vec<Column>> {
    check::table(&table, ctx)?;
    let columns = hashed_columns(operation, &table)?;
    if table.num_rows() == 0 {
        return (0..F::WORDS).map(|_| Column::empty(data_type, ctx.stream.device())).collect();
    }
    match ctx.stream.device() {
        Device::Cpu => host::hash::<F>(&columns, table.num_rows(), data_type, seed, ctx),
        Device::Cuda(_) => cuda::hash::<F>(F::KERNEL, &columns, table.num_rows(), data_type, seed, ctx),
    }
}
