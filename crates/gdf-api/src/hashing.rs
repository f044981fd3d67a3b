//! Published hash functions of rows. The hashes equal those of libcudf. The functions serve programs that store
//! hashes, or that compare hashes with those of other programs. Joins and group-bys do not need these functions.

use gdf_core::{Column, Result, Table, TableView};
use gdf_detail as detail;

pub use gdf_detail::hashing::DigestFunction;

use crate::scope::Scope;
pub use crate::short_forms::hashing::*;

/// Computes the hash MurmurHash3_x86_32 of each row of `table`.
///
/// # Shapes
/// The result is a `UInt32` column with as many rows as `table`, without nulls.
///
/// # Types
/// Everything of fixed width, booleans, decimals, strings and binary with offsets of either width, views of strings
/// and binary, dictionaries, and columns of type `Null`. The hash of an element is the hash of its bytes,
/// little-endian. A boolean is hashed as one byte 0 or 1, a decimal as its unscaled integer, and a dictionary row as
/// its value. Structs, lists and maps of these types, to any depth, are hashed by the rules for lists and structs.
///
/// # Nulls and NaN
/// A null hashes as 2³²−1. All NaNs have the same hash. −0.0 has the hash of 0.0.
///
/// # Lists and structs
/// The hash of a nested row starts from 0, and three kinds of numbers are combined into it, level by level:
/// * the validity of each struct or list: 0 if valid, 2³²−1 if null;
/// * for each list, the hash of its size, as a 32-bit integer with seed 0;
/// * the hash of each value.
///
/// The validity of a struct is combined only once, together with its first field. Each further field is hashed like a
/// separate column, which is in the same lists as the struct, and null where the struct is null. libcudf has the same
/// rules for columns with null rows. In columns without null rows, libcudf does not hash the nulls of fields and
/// elements. gdf always does, so that a hash depends only on its row.
///
/// Each column is hashed with the same `seed`. The hashes of the columns of a row are combined in the order of the
/// columns, so the order of the columns matters. For a single column, the hash of a row is the hash of its element.
/// In libcudf the function has the same name. polars' `hash` is another hash function.
///
/// ```
/// use gdf::hashing::murmurhash3_x86_32;
/// use gdf::{Column, Table};
///
/// let words = Column::from_strs([Some("The quick brown fox jumps over the lazy dog"), None])?;
/// let hashes = murmurhash3_x86_32(&Table::try_new(vec![words])?, 0)?;
/// assert_eq!(hashes.to_vec::<u32>()?, [Some(0x2e4f_f723), Some(u32::MAX)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device only for nested columns. Each level of lists needs at most 1 wait, and the waits
/// of [`gather`](crate::copying::gather). See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for list views, unions and run-end encoded columns.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for a table without columns.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("hash", "hash_rows", "hash_values"))]
pub fn murmurhash3_x86_32<'a>(table: impl Into<TableView<'a>>, seed: u32) -> Result<Column> {
    let table = table.into();
    Scope::for_inputs("murmurhash3_x86_32", &[&table])?.run(|ctx| detail::hashing::murmurhash3_x86_32(table, seed, ctx))
}

/// Computes the hash MurmurHash3_x64_128 of each row of `table`.
///
/// # Shapes
/// The result is two `UInt64` columns with as many rows as `table`, without nulls. The first column holds the lower
/// words.
///
/// # Types
/// The same as for [`murmurhash3_x86_32`].
///
/// # Nulls and NaN
/// A null hashes as 2⁶⁴−1 in both words. All NaNs have the same hash; −0.0 and 0.0 have different hashes.
///
/// The first column is hashed with `seed`. Each further column is hashed with the lower word of the hash of the
/// previous columns as seed. The hash of the last column is the hash of the row. For a table with a column of lists,
/// structs or maps, the rules of [`xxhash_64`] hold instead: each column is hashed with `seed`, and the hashes are
/// combined separately for each of the two words. Nulls at any depth count as for [`xxhash_64`].
///
/// Costs: as for [`murmurhash3_x86_32`]. In libcudf the function has the same name, and refuses nested columns.
///
/// ```
/// use gdf::hashing::murmurhash3_x64_128;
/// use gdf::{Column, Table};
///
/// let words = Column::from_strs([Some("The quick brown fox jumps over the lazy dog"), None])?;
/// let hashes = murmurhash3_x64_128(&Table::try_new(vec![words])?, 0)?;
/// assert_eq!(hashes.column(0)?.to_vec::<u64>()?, [Some(0xe34b_bc7b_bc07_1b6c), Some(u64::MAX)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// The errors of [`murmurhash3_x86_32`].
#[doc(alias("hash", "hash_rows"))]
pub fn murmurhash3_x64_128<'a>(table: impl Into<TableView<'a>>, seed: u64) -> Result<Table> {
    let table = table.into();
    Scope::for_inputs("murmurhash3_x64_128", &[&table])?
        .run(|ctx| detail::hashing::murmurhash3_x64_128(table, seed, ctx))
}

/// Computes the hash XXH32 of each row of `table`. In all other respects, the function is like [`murmurhash3_x86_32`].
///
/// ```
/// use gdf::hashing::xxhash_32;
/// use gdf::{Column, Table};
///
/// let words = Column::from_strs([Some("The quick brown fox jumps over the lazy dog"), None])?;
/// let hashes = xxhash_32(&Table::try_new(vec![words])?, 0)?;
/// assert_eq!(hashes.to_vec::<u32>()?, [Some(0xe85e_a4de), Some(u32::MAX)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// The errors of [`murmurhash3_x86_32`].
#[doc(alias("hash", "hash_rows", "xxh32"))]
pub fn xxhash_32<'a>(table: impl Into<TableView<'a>>, seed: u32) -> Result<Column> {
    let table = table.into();
    Scope::for_inputs("xxhash_32", &[&table])?.run(|ctx| detail::hashing::xxhash_32(table, seed, ctx))
}

/// Computes the hash XXH64 of each row of `table`, as `UInt64`. A null hashes as 2⁶⁴−1, and −0.0 and 0.0 have
/// different hashes. In all other respects, the function is like [`murmurhash3_x86_32`].
///
/// ```
/// use gdf::hashing::xxhash_64;
/// use gdf::{Column, Table};
///
/// let words = Column::from_strs([Some("The quick brown fox jumps over the lazy dog"), None])?;
/// let hashes = xxhash_64(&Table::try_new(vec![words])?, 0)?;
/// assert_eq!(hashes.to_vec::<u64>()?, [Some(0x0b24_2d36_1fda_71bc), Some(u64::MAX)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// The errors of [`murmurhash3_x86_32`].
#[doc(alias("hash", "hash_rows", "xxh64"))]
pub fn xxhash_64<'a>(table: impl Into<TableView<'a>>, seed: u64) -> Result<Column> {
    let table = table.into();
    Scope::for_inputs("xxhash_64", &[&table])?.run(|ctx| detail::hashing::xxhash_64(table, seed, ctx))
}

/// Computes a cryptographic digest of each row of `table`, as hexadecimal text in lower case. [`md5`], [`sha1`],
/// [`sha224`], [`sha256`], [`sha384`] and [`sha512`] are short forms.
///
/// # Shapes
/// The result is a `Utf8` column with as many rows as `table`, without nulls.
///
/// # Types
/// Booleans, numbers, decimals of any width, strings and binary with offsets of either width, views of strings and
/// binary, fixed-size binary, dictionaries of these, and columns of type `Null`. Numbers are digested as little-endian
/// bytes. A boolean is digested as one byte 0 or 1, a decimal as its unscaled integer, and a dictionary row as its
/// value. As in libcudf, only MD5 also takes lists of these types. The elements of a list that are not null are
/// digested one after the other. Temporal types are not supported, because the bytes of a moment depend on its unit. To
/// hash such a column, cast the column to integers first.
///
/// # Nulls and NaN
/// The digest of a row is the digest of the concatenated bytes of its elements that are not null, in the order of the
/// columns. A row that has only nulls therefore has the digest of an empty text. All NaNs have the same digest, and
/// −0.0 has the digest of 0.0. No separator stands between the bytes of two columns: the rows `"ab", "c"` and `"a",
/// "bc"` have the same digest.
///
/// In libcudf `md5`, `sha1`, `sha224`, …; in SQL `MD5(x)` and `SHA256(x)` of one column.
///
/// ```
/// use gdf::hashing::{DigestFunction, digest, md5};
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_strs([Some("The quick brown fox jumps over the lazy dog"), None])?])?;
/// let texts = [Some("9e107d9d372bb6826bd81d3542a419d6".to_owned()), Some("d41d8cd98f00b204e9800998ecf8427e".to_owned())];
/// assert_eq!(digest(&table, DigestFunction::Md5)?.to_strings()?, texts);
/// assert_eq!(md5(&table)?.to_strings()?, texts);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device only for lists, at most 4 times. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for temporal types, structs and other nested types. Lists are
///   supported only by MD5.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for a table without columns.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) when the digests have more than 2³¹−1 characters in all.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("hash", "checksum"))]
pub fn digest<'a>(table: impl Into<TableView<'a>>, function: DigestFunction) -> Result<Column> {
    let table = table.into();
    Scope::for_inputs("digest", &[&table])?.run(|ctx| detail::hashing::digest(table, function, ctx))
}
