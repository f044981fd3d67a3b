//! Approximate counts of distinct rows.

use gdf_core::{Column, Result, TableView};
use gdf_detail as detail;
use gdf_detail::reduction::NullPolicy;

use crate::scope::Scope;

/// A sketch of rows, from which the number of distinct rows is estimated. Sketches of batches can be merged, so that
/// any number of rows can be counted in a few kilobytes.
///
/// The sketch is a HyperLogLog sketch of [`xxhash_64`](crate::hashing::xxhash_64) hashes: 2^`precision` registers of
/// one byte. The standard error of the estimate is 1.04 / √(2^`precision`): 1.6 % for the usual precision of 12, and
/// 0.2 % for the largest. Small numbers are estimated more exactly. The same rows give the same sketch on every device,
/// in any order and in any division into batches.
///
/// In libcudf `approx_distinct_count`, whose sketches differ; in SQL `APPROX_COUNT_DISTINCT`, in polars
/// `approx_n_unique`.
///
/// ```
/// use gdf::reduction::{DistinctSketch, NullPolicy};
/// use gdf::{Column, Table};
///
/// let batch = |first: i32| Table::try_new(vec![Column::sequence(first, 1, 60_000)?]);
/// let all = DistinctSketch::try_new(&batch(0)?, NullPolicy::Exclude, 14)?;
/// let all = all.merge(&DistinctSketch::try_new(&batch(40_000)?, NullPolicy::Exclude, 14)?)?;
/// assert!((97_000..103_000).contains(&all.estimate()?));
/// # Ok::<(), gdf::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DistinctSketch {
    registers: Column,
}

impl DistinctSketch {
    /// Makes the sketch of the rows of a table. With [`NullPolicy::Exclude`], rows with a null are not counted.
    ///
    /// # Types
    /// The types of [`xxhash_64`](crate::hashing::xxhash_64). All NaNs are equal, and 0.0 equals −0.0, except within
    /// structs and lists, where −0.0 and 0.0 are two values.
    ///
    /// # Costs
    /// The method has the waits of [`xxhash_64`](crate::hashing::xxhash_64) and of
    /// [`GroupBy::aggregate`](crate::groupby::GroupBy::aggregate), and 1 wait if rows with nulls are left out. See the
    /// table of costs, `docs/guide/costs.md`.
    ///
    /// # Errors
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for a `precision` that is not in the range from 4 to 18,
    ///   and for a table without columns.
    /// * [`Unsupported`](gdf_core::Error::Unsupported) for list views, unions and run-end encoded columns.
    /// * Driver and memory errors.
    #[doc(alias("approx_distinct_count", "approx_n_unique", "hyperloglog", "cardinality"))]
    pub fn try_new<'a>(table: impl Into<TableView<'a>>, nulls: NullPolicy, precision: u8) -> Result<Self> {
        let table = table.into();
        let registers = Scope::for_inputs("distinct_sketch", &[&table])?
            .run(|ctx| detail::reduction::distinct_registers(&table, nulls, precision, ctx))?;
        Ok(Self { registers })
    }

    /// Makes a sketch of [`registers`](Self::registers) that another program has stored.
    ///
    /// # Errors
    /// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the column is not `UInt8`.
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): the column has nulls, or its number of rows is not
    ///   2^`precision` for any valid precision.
    pub fn from_registers(registers: Column) -> Result<Self> {
        Scope::for_inputs("distinct_sketch.from_registers", &[&registers.view()])?
            .run(|ctx| detail::reduction::check_registers(&registers, ctx))?;
        Ok(Self { registers })
    }

    /// Returns the registers, as `UInt8`.
    pub fn registers(&self) -> &Column {
        &self.registers
    }

    /// Returns the sketch of the rows of both sketches. The method does not wait for the device.
    ///
    /// # Errors
    /// * [`LengthMismatch`](gdf_core::Error::LengthMismatch) for sketches of different precisions.
    /// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
    pub fn merge(&self, other: &Self) -> Result<Self> {
        let registers = Scope::for_inputs("distinct_sketch.merge", &[&self.registers.view(), &other.registers.view()])?
            .run(|ctx| detail::reduction::merge_distinct_registers(&self.registers, &other.registers, ctx))?;
        Ok(Self { registers })
    }

    /// Returns the estimate of the number of distinct rows. The method waits once.
    ///
    /// # Errors
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for a register whose value no sketch can have.
    /// * Driver and memory errors.
    pub fn estimate(&self) -> Result<u64> {
        let estimate = Scope::for_inputs("distinct_sketch.estimate", &[&self.registers.view()])?
            .run(|ctx| detail::reduction::estimate_distinct(&self.registers, ctx.stream))?;
        Ok(estimate.round() as u64)
    }
}
