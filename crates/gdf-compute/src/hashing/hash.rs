//! The four hash functions: check the arguments.

use gdf_core::{Column, DataType, Result, Table, TableView};
use gdf_engine::check;
use gdf_engine::row_hash::{Function, Murmur32, Murmur128, XxHash32, XxHash64};

use super::nested::{Nested, is_nested};
use super::plain::plain;
use crate::Ctx;

/// Implements `gdf_api::hashing::murmurhash3_x86_32` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn murmurhash3_x86_32(table: TableView<'_>, seed: u32, ctx: Ctx<'_>) -> Result<Column> {
    single::<Murmur32>("murmurhash3_x86_32", &DataType::UInt32, table, seed, ctx)
}

/// Implements `gdf_api::hashing::xxhash_32` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn xxhash_32(table: TableView<'_>, seed: u32, ctx: Ctx<'_>) -> Result<Column> {
    single::<XxHash32>("xxhash_32", &DataType::UInt32, table, seed, ctx)
}

/// Implements `gdf_api::hashing::xxhash_64` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn xxhash_64(table: TableView<'_>, seed: u64, ctx: Ctx<'_>) -> Result<Column> {
    single::<XxHash64>("xxhash_64", &DataType::UInt64, table, seed, ctx)
}

/// Implements `gdf_api::hashing::murmurhash3_x64_128` on the stream of `ctx`, with memory from the resources of `ctx`.
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
    columns.pop().ok_or(gdf_core::Error::column_count(1, 0))
}

fn hash<F: Function>(
    operation: &'static str,
    data_type: &DataType,
    table: TableView<'_>,
    seed: F::Seed,
    ctx: Ctx<'_>,
) -> Result<Vec<Column>> {
    check::table(&table, ctx)?;
    if table.columns().iter().any(|column| is_nested(column.data_type())) {
        return Nested::<F> { operation, data_type, seed, ctx }.of_rows(&table);
    }
    plain::<F>(operation, data_type, &table, seed, ctx)
}
