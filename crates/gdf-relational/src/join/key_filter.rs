//! Sets of the keys of joins, which conditions test for membership before the rows are joined.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::hashing::row_hashes;
use gdf_core::{Abilities, Column, ColumnView, DataType, Result, TableView, numbers_of_order, physical_type};
use gdf_driver::Device;
use gdf_engine::cast::cast;
use gdf_engine::check;
use gdf_engine::decoded::{DecodedColumns, decoded_type};
use gdf_engine::host::HostColumn;
use gdf_engine::mask::{bitmask_and, null_unless_selected};
use gdf_engine::sort::value_bounds;
use gdf_expr::Keys;
use gdf_memory::Buffer;

use super::hash_join::set_bits;
use crate::Ctx;
use crate::vouch;

/// The largest number of bits of a filter that does not depend on the number of keys.
const SMALL_BITS: usize = 1 << 16;
/// The largest number of bits for each key of a filter that has a bit for each value of a range.
const RANGE_BITS: usize = 64;
/// The largest number of bits for each row that is looked up in such a filter. To clear a bit takes less time than to
/// read a row.
const PROBE_BITS: usize = 2;
/// The smallest number of bits for each key of a filter of hashes. The share of other rows that such a filter contains
/// is at most 1/16.
const HASH_BITS: usize = 16;
/// The largest number of bits of a filter.
const MAX_BITS: usize = 1 << 32;

/// The number of the bit of a row of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Places {
    /// The number of the only key column, minus this number.
    Numbers { first: i128 },
    /// The upper bits of the hash of the row.
    Hashes,
}

/// The keys of a join as bits. A bit stands for a value in the range of the keys, or for all hashes with the same upper
/// bits.
#[derive(Debug)]
pub struct KeyFilter {
    types: Vec<DataType>,
    rows: usize,
    places: Places,
    bits: Column,
}

impl Keys for KeyFilter {
    fn types(&self) -> &[DataType] {
        &self.types
    }

    fn num_rows(&self) -> usize {
        self.rows
    }

    fn selectivity(&self) -> Option<f64> {
        let is_range = matches!(self.places, Places::Numbers { .. });
        is_range.then(|| (self.rows as f64 / self.bits.len().max(1) as f64).min(1.0))
    }
}

impl KeyFilter {
    /// Creates the filter of the rows of `keys`. Rows with nulls are not in the filter. Returns `None` for keys of
    /// types that cannot be hashed, and for more keys than a filter can have bits for. Waits for the range of a column
    /// of integers that stores no bounds.
    ///
    /// # Errors
    /// * Driver and memory errors.
    pub fn new(keys: &TableView<'_>, ctx: Ctx<'_>) -> Result<Option<KeyFilter>> {
        let scratch = ctx.scratch();
        let decoded = DecodedColumns::new(keys, scratch)?;
        let view = decoded.view()?;
        let types: Vec<DataType> = keys.columns().iter().map(|key| decoded_type(key.data_type()).clone()).collect();
        if types.iter().any(|of| !Abilities::of(of).hash || Abilities::of(of).composite) {
            return Ok(None);
        }
        let rows = keys.num_rows();
        if let Some(range) = range(&view, rows.saturating_mul(RANGE_BITS), scratch)? {
            return Self::of_numbers(types, view.columns()[0], range, ctx).map(Some);
        }
        let bits = rows.saturating_mul(HASH_BITS).max(SMALL_BITS).next_power_of_two();
        if bits > MAX_BITS {
            return Ok(None);
        }
        let numbers = hash_places(&view, bits, scratch)?.bit_cast(DataType::Int64)?;
        let bits = bits_of(numbers.view(), bits, ctx)?;
        Ok(Some(KeyFilter { types, rows, places: Places::Hashes, bits }))
    }

    /// Creates the filter of the rows of `keys`, with a bit for each value of their range. The filter contains no other
    /// rows. Returns `None` if the keys are not a column of integers, or if their range has too many values for the
    /// work on `probe_rows` rows. Waits for the range of a column that stores no bounds.
    ///
    /// # Errors
    /// * Driver and memory errors.
    pub fn of_range(keys: &TableView<'_>, probe_rows: usize, ctx: Ctx<'_>) -> Result<Option<KeyFilter>> {
        let most = keys.num_rows().saturating_mul(RANGE_BITS).max(probe_rows.saturating_mul(PROBE_BITS));
        let Some(range) = range(keys, most, ctx.scratch())? else { return Ok(None) };
        let types = keys.columns().iter().map(|key| key.data_type().clone()).collect();
        Self::of_numbers(types, keys.columns()[0], range, ctx).map(Some)
    }

    fn of_numbers(types: Vec<DataType>, key: ColumnView<'_>, range: Range, ctx: Ctx<'_>) -> Result<KeyFilter> {
        let Range { first, low, bits } = range;
        let bits = match ctx.stream.device() {
            Device::Cpu => bits_of(distances(key, first, ctx.scratch())?.view(), bits, ctx)?,
            Device::Cuda(_) => vouch::numbers(DataType::Boolean, set_bits(key, low, bits, ctx)?, bits, ctx.stream)?,
        };
        Ok(KeyFilter { types, rows: key.len(), places: Places::Numbers { first }, bits })
    }

    /// Returns the bits, which have no nulls.
    pub fn bits(&self) -> &Column {
        &self.bits
    }

    /// Returns the value of the first bit if the filter has a bit for each value of the only key column.
    pub fn first(&self) -> Option<i128> {
        match self.places {
            Places::Numbers { first } => Some(first),
            Places::Hashes => None,
        }
    }

    /// Returns the number of the bit of each row, for a filter of hashes. A row with a null key is null.
    ///
    /// # Errors
    /// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
    pub fn hash_places(&self, rows: &TableView<'_>, ctx: Ctx<'_>) -> Result<Column> {
        check::column(self.bits.view(), ctx)?;
        hash_places(rows, self.bits.len(), ctx)
    }
}

/// The values of a key column of numbers, from the smallest to the largest.
#[derive(Clone, Copy, Debug)]
struct Range {
    first: i128,
    /// The order number of the first value.
    low: u64,
    /// The number of values.
    bits: usize,
}

/// Returns the range of the only key column, or `None` if a filter cannot have a bit for each value of the range. The
/// limit is `most` bits, but at least [`SMALL_BITS`] and at most [`MAX_BITS`].
fn range(keys: &TableView<'_>, most: usize, ctx: Ctx<'_>) -> Result<Option<Range>> {
    let [key] = keys.columns() else { return Ok(None) };
    let physical = physical_type(key.data_type());
    if !physical.is_integral() || physical.width().is_none_or(|width| width > 8) {
        return Ok(None);
    }
    let bounds = if key.is_empty() { None } else { value_bounds(&[*key], ctx)?.into_iter().next().flatten() };
    let numbers = bounds.and_then(|bounds| Some((bounds.0, numbers_of_order(bounds, key.data_type())?)));
    let Some((low, (first, last))) = numbers else {
        return Ok(Some(Range { first: 0, low: 0, bits: 1 }));
    };
    let most = most.clamp(SMALL_BITS, MAX_BITS);
    let bits = usize::try_from(last - first).ok().and_then(|range| range.checked_add(1)).filter(|bits| *bits <= most);
    Ok(bits.map(|bits| Range { first, low, bits }))
}

/// Returns `count` bits. A bit is set if `numbers` contains its number. Each element of `numbers` is null or from 0 to
/// `count - 1`.
fn bits_of(numbers: ColumnView<'_>, count: usize, ctx: Ctx<'_>) -> Result<Column> {
    let buffer = match ctx.stream.device() {
        Device::Cpu => {
            let open = HostColumn::open(numbers, ctx.stream)?;
            let (values, validity) = (open.values::<i64>()?, open.validity()?);
            let mut buffer = Buffer::zeroed(count.div_ceil(64) * 8, ctx.stream, ctx.mr.output)?;
            let words = buffer.write_on(ctx.stream)?.into_mut_slice::<u64>()?;
            for (row, value) in values.iter().enumerate() {
                let at = *value as u64;
                let is_valid = validity.is_none_or(|validity| validity.get(row));
                if let Some(word) = words.get_mut((at / 64) as usize).filter(|_| is_valid) {
                    *word |= (1_u64 << (at % 64)).to_le();
                }
            }
            buffer
        }
        // The order number of 0 is 2⁶³.
        Device::Cuda(_) => set_bits(numbers, 1 << 63, count, ctx)?,
    };
    vouch::numbers(DataType::Boolean, buffer, count, ctx.stream)
}

/// Returns the distance of each number from `first`. No distance has more than 63 bits.
fn distances(numbers: ColumnView<'_>, first: i128, ctx: Ctx<'_>) -> Result<Column> {
    let physical = physical_type(numbers.data_type());
    let width = physical.width().unwrap_or(8);
    let stored = match (width, physical.is_signed()) {
        (1, true) => DataType::Int8,
        (2, true) => DataType::Int16,
        (4, true) => DataType::Int32,
        (1, false) => DataType::UInt8,
        (2, false) => DataType::UInt16,
        (4, false) => DataType::UInt32,
        _ => DataType::Int64,
    };
    let stored = numbers.to_column().bit_cast(stored)?;
    let long = if width == 8 { stored } else { cast(stored.view(), &DataType::Int64, ctx)? };
    of(&long, Op::Sub, (first as i64).into(), &DataType::Int64, ctx)
}

/// Returns the upper bits of the hash of each row. `bits` is a power of two. A row with a null key is null.
fn hash_places(rows: &TableView<'_>, bits: usize, ctx: Ctx<'_>) -> Result<Column> {
    let shift = u64::from(64 - bits.trailing_zeros());
    let hashes = row_hashes(rows, ctx)?;
    let places = of(&hashes, Op::ShiftRightUnsigned, shift.into(), &DataType::UInt64, ctx)?;
    if !rows.columns().iter().any(|column| column.has_validity()) {
        return Ok(places);
    }
    let valid = bitmask_and(rows, ctx)?.to_column()?;
    Ok(null_unless_selected(places.view(), valid.view(), ctx)?.unwrap_or(places))
}
