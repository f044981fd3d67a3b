//! Bloom filters of rows.

use gdf_core::{Column, Result, TableView};
use gdf_detail as detail;

use crate::scope::Scope;

/// A Bloom filter: bits that say of a row that it was not inserted, or that it probably was.
///
/// [`contains`](Self::contains) is true for all rows that were inserted, and for a small share of other rows. A filter
/// of the keys of one side of a join selects the rows of the other side that can have a match, before these rows are
/// sent, spilled or looked up. Filters of batches can be merged.
///
/// The bits of a row follow from its [`xxhash_64`](crate::hashing::xxhash_64) hash. The same rows give the same filter
/// on every device, in any order and in any division into batches.
///
/// In libcudf the prefilter of `mark_join`, which is not public; in Spark `BloomFilter`.
///
/// ```
/// use gdf::reduction::BloomFilter;
/// use gdf::stream_compaction::apply_boolean_mask;
/// use gdf::{Column, Table};
///
/// let table = |first: i64, rows| Table::try_new(vec![Column::sequence(first, 1, rows)?]);
/// let filter = BloomFilter::try_new(&table(0, 1000)?, 2000, 0.01)?;
/// let filter = filter.merge(&BloomFilter::try_new(&table(5000, 1000)?, 2000, 0.01)?)?;
/// // The keys 0 to 999 and 5000 to 5999 are kept, and a few others.
/// let probes = table(0, 100_000)?;
/// let kept = apply_boolean_mask(&probes, &filter.contains(&probes)?)?.num_rows();
/// assert!((2000..4000).contains(&kept));
/// # Ok::<(), gdf::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct BloomFilter {
    bits: Column,
    hashes: u8,
}

impl BloomFilter {
    /// Makes the filter of the rows of a table. `rows` is the number of different rows for which the filter is made,
    /// including the rows of other filters that are merged later.
    ///
    /// For that many rows, [`contains`](Self::contains) is true for about the share `rate` of the rows that were not
    /// inserted. The filter has about `rows` · 1.44 · log₂(1 / `rate`) bits, rounded up to a power of two, and at least
    /// 64.
    ///
    /// # Types
    /// The types of [`xxhash_64`](crate::hashing::xxhash_64). Nulls are equal to each other. All NaNs are equal, and
    /// 0.0 equals −0.0, except within structs and lists, where −0.0 and 0.0 are two values.
    ///
    /// # Costs
    /// The waits of [`xxhash_64`](crate::hashing::xxhash_64). See the table of costs, `docs/guide/costs.md`.
    ///
    /// # Errors
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) if `rate` is not greater than 0 and less than 1, if the
    ///   filter would have more than 2³² bits, and for a table without columns.
    /// * [`Unsupported`](gdf_core::Error::Unsupported) for list views, unions and run-end encoded columns.
    /// * Driver and memory errors.
    #[doc(alias("bloom_filter", "prefilter", "might_contain"))]
    pub fn try_new<'a>(table: impl Into<TableView<'a>>, rows: usize, rate: f64) -> Result<Self> {
        let table = table.into();
        Scope::for_inputs("bloom_filter", &[&table])?.run(|ctx| {
            let (bits, hashes) = detail::reduction::bloom_size(rows, rate)?;
            Ok(Self { bits: detail::reduction::bloom_bits(&table, bits, hashes, ctx)?, hashes })
        })
    }

    /// Makes a filter of [`bits`](Self::bits) and [`hashes`](Self::hashes) that another program has stored.
    ///
    /// # Errors
    /// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the column is not `Boolean`.
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): the column has nulls or a number of rows that no filter
    ///   has, or `hashes` is not in the range from 1 to 32.
    pub fn from_bits(bits: Column, hashes: u8) -> Result<Self> {
        Scope::for_inputs("bloom_filter.from_bits", &[&bits.view()])?
            .run(|ctx| detail::reduction::check_bloom_bits(&bits, hashes, ctx))?;
        Ok(Self { bits, hashes })
    }

    /// Returns the bits, as `Boolean`.
    pub fn bits(&self) -> &Column {
        &self.bits
    }

    /// Returns the number of bits that belong to each row.
    pub fn hashes(&self) -> u8 {
        self.hashes
    }

    /// Returns the filter of the rows of both filters. The method does not wait for the device.
    ///
    /// # Errors
    /// * [`LengthMismatch`](gdf_core::Error::LengthMismatch) for filters of different numbers of bits, and
    ///   [`InvalidArgument`](gdf_core::Error::InvalidArgument) for filters of different numbers of hashes.
    /// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
    pub fn merge(&self, other: &Self) -> Result<Self> {
        let bits = Scope::for_inputs("bloom_filter.merge", &[&self.bits.view(), &other.bits.view()])?.run(|ctx| {
            detail::reduction::check_same_hashes(self.hashes, other.hashes)?;
            detail::reduction::merge_bloom_bits(&self.bits, &other.bits, ctx)
        })?;
        Ok(Self { bits, hashes: self.hashes })
    }

    /// Returns for each row of a table whether the row was probably inserted, as `Boolean` without nulls. The columns
    /// must have the types of the inserted columns: rows of other types have other hashes, and are not found.
    ///
    /// # Costs
    /// The waits of [`xxhash_64`](crate::hashing::xxhash_64). See the table of costs, `docs/guide/costs.md`.
    ///
    /// # Errors
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for a table without columns.
    /// * [`Unsupported`](gdf_core::Error::Unsupported) for list views, unions and run-end encoded columns.
    /// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
    pub fn contains<'a>(&self, table: impl Into<TableView<'a>>) -> Result<Column> {
        let table = table.into();
        Scope::for_inputs("bloom_filter.contains", &[&table, &self.bits.view()])?
            .run(|ctx| detail::reduction::bloom_contains(&self.bits, self.hashes, &table, ctx))
    }
}
