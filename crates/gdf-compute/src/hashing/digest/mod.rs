//! Cryptographic digests of rows, as hexadecimal text.

mod cuda;
mod host;
mod lists;

use gdf_core::{Abilities, Column, DataType, Error, Result, TableView, is_temporal};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::decoded::{Decoded, DecodedColumns};
use gdf_engine::row_hash::{HashedColumn, hashed_columns};
use gdf_engine::strings;
use gdf_kernels::generated::hashing::DigestKernel;

use self::lists::is_list;
use crate::Ctx;

/// A cryptographic hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DigestFunction {
    /// MD5, 128 bits. Collisions can be constructed, so do not use MD5 to protect secrets.
    Md5,
    /// SHA-1, 160 bits. Collisions can be constructed, so do not use SHA-1 to protect secrets.
    Sha1,
    /// SHA-224, of the SHA-2 family.
    Sha224,
    /// SHA-256, of the SHA-2 family.
    Sha256,
    /// SHA-384, of the SHA-2 family.
    Sha384,
    /// SHA-512, of the SHA-2 family.
    Sha512,
}

impl DigestFunction {
    /// Every function.
    pub const ALL: &'static [Self] = &[Self::Md5, Self::Sha1, Self::Sha224, Self::Sha256, Self::Sha384, Self::Sha512];

    fn parts(self) -> (&'static str, DigestKernel) {
        match self {
            Self::Md5 => ("md5", DigestKernel::Md5),
            Self::Sha1 => ("sha1", DigestKernel::Sha1),
            Self::Sha224 => ("sha224", DigestKernel::Sha224),
            Self::Sha256 => ("sha256", DigestKernel::Sha256),
            Self::Sha384 => ("sha384", DigestKernel::Sha384),
            Self::Sha512 => ("sha512", DigestKernel::Sha512),
        }
    }

    /// Returns the number of characters of a digest.
    fn characters(self) -> usize {
        match self {
            Self::Md5 => 32,
            Self::Sha1 => 40,
            Self::Sha224 => 56,
            Self::Sha256 => 64,
            Self::Sha384 => 96,
            Self::Sha512 => 128,
        }
    }
}

/// Implements `gdf_api::hashing::digest` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn digest(table: TableView<'_>, function: DigestFunction, ctx: Ctx<'_>) -> Result<Column> {
    let (name, kernel) = function.parts();
    check::table(&table, ctx)?;
    let decoded = DecodedColumns::by(&table, ctx.scratch(), |_, column| match column.data_type() {
        // Only MD5 takes lists, as in libcudf.
        other if function == DigestFunction::Md5 && is_list(other) => {
            lists::bytes_of(name, column, ctx.scratch()).map(Decoded::Made)
        }
        DataType::Dictionary(_, values) if !Abilities::of(values).encoded => Ok(Decoded::Given(column)),
        _ => Decoded::of(column, ctx.scratch()),
    })?;
    let columns = hashed_columns(name, &decoded.view()?)?;
    let temporal = |column: &&HashedColumn<'_>| is_temporal(column.values.unwrap_or(column.view).data_type());
    if let Some(column) = columns.iter().find(temporal) {
        return Err(Error::unsupported(name, column.view.data_type()));
    }
    let rows = table.num_rows();
    if rows == 0 {
        return strings::empty(&DataType::Utf8, ctx);
    }
    match ctx.stream.device() {
        Device::Cpu => host::digest(&columns, rows, function, ctx),
        Device::Cuda(_) => cuda::digest(&columns, rows, function.characters(), kernel, ctx),
    }
}
