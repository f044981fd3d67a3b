//! Keys of rows for group-by, join, distinct and sort: the packing of keys into 64 bits, and the type of row numbers.

mod cuda;
pub mod host;
mod row_keys;
mod short_texts;
mod text;

pub use crate::layout::row_indices;
use gdf_core::{Abilities, Column, ColumnView, Error, PhysicalType, Position, Result, TableView, physical_type};
use gdf_driver::Stream;
use gdf_memory::Buffer;

pub use self::cuda::{NumberedKeys, Numberings, NumbersLaunch, OpenKeys, WordBits, common_length, numbers};
pub use self::host::{EXCLUDED, HostKeys, KEY_BLOCK, KeyedRow, VALID};
pub use self::row_keys::{KeyColumn, mix64};
pub use self::text::{KeyTexts, Text, TextPrefix};
use crate::policy::NullPolicy;
use crate::vouch;

/// The maximum number of key columns of one call.
pub const MAX_KEYS: usize = 32;

/// The maximum number of rows of a table of keys. Positions in a hash table have 32 bits, and a hash table has twice as
/// many slots as rows.
pub const MAX_ROWS: usize = (1 << 31) - 16;

/// Whether nulls in keys are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum NullEquality {
    /// A null is equal to other nulls, and differs from every value.
    #[default]
    Equal,
    /// A null differs from every value and from every other null.
    Unequal,
}

/// Whether NaNs in keys are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum NanEquality {
    /// All NaNs are equal to each other.
    #[default]
    AllEqual,
    /// A NaN differs from every value, including other NaNs.
    Unequal,
}

pub fn order_column(numbers: Buffer, rows: usize, stream: &Stream) -> Result<Column> {
    vouch::numbers(row_indices(rows), numbers, rows, stream)
}

/// Checks the number of key columns of one call.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument) if there are no columns, or more than 32 columns.
pub fn check_key_count(columns: usize) -> Result<()> {
    let remedy = match columns {
        1..=MAX_KEYS => return Ok(()),
        0 => "pass at least 1 key column",
        _ => "pass several of them as one column of structs, made by `structs::from_columns`",
    };
    let what = "the number of key columns must be in the range from 1 to 32";
    Err(Error::invalid_number(what, columns as i128).with_remedy(remedy))
}

/// The key columns of a table, with the packing of the keys and the policies for nulls and NaNs.
#[derive(Clone, Debug)]
pub struct KeySide<'a> {
    pub keys: TableView<'a>,
    /// Whether rows with a null have keys like other rows or are excluded.
    pub null_policy: NullPolicy,
    /// Whether rows with a NaN are excluded.
    pub exclude_nans: bool,
    /// The packing of the keys into 64 bits, or `None` if the keys are not packed.
    pub packing: Option<Packing>,
}

impl<'a> KeySide<'a> {
    /// Checks the key columns and chooses their packing.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument) if there are no columns, more than 32 columns, or more than 2³¹
    ///   − 16 rows.
    /// * [`Unsupported`](Error::Unsupported) for columns of types that cannot be compared.
    pub fn try_new(operation: &'static str, keys: TableView<'a>, nulls: NullEquality) -> Result<Self> {
        check_key_count(keys.num_columns())?;
        if keys.num_rows() > MAX_ROWS {
            return Err(Error::beyond_limit(
                "the number of rows of the key columns",
                keys.num_rows() as i128,
                MAX_ROWS as i128,
            ));
        }
        let has_no_equality = |column: &ColumnView<'_>| !Abilities::of(column.data_type()).as_stored().equality;
        if let Some(i) = keys.columns().iter().position(has_no_equality) {
            return Err(Error::unsupported(operation, keys.column(i)?.data_type()).at(Position::Column(i)));
        }
        let null_policy = if nulls == NullEquality::Equal { NullPolicy::Include } else { NullPolicy::Exclude };
        let packing = Packing::new(&keys, null_policy);
        Ok(Self { keys, null_policy, exclude_nans: false, packing })
    }

    pub fn rows(&self) -> usize {
        self.keys.num_rows()
    }
}

/// The maximum size of a range of keys for which an operation keeps a bit per value. More bits would not fit in the L2
/// cache.
pub const MAX_VALUE_BITS: u64 = 1 << 28;

/// Returns whether a column has integers of 32 or 64 bits, or values that are stored as such, without a null mask.
pub fn is_plain_integer(column: &ColumnView<'_>) -> bool {
    let physical = physical_type(column.data_type());
    physical.is_integral() && matches!(physical.width(), Some(4 | 8)) && !column.has_validity()
}

/// The layout of packed keys: the bits of a 64-bit word that each key column takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packing {
    bits: usize,
    /// The lowest bit of each column in the word.
    pub shifts: Vec<u8>,
    /// The number of bits of each column's values.
    pub widths: Vec<u8>,
    /// The bit of the word that is set if the column is null.
    pub null_bits: Vec<Option<u8>>,
    /// Whether nulls of the only column count as keys, and the values of the column take all bits of the word. The word
    /// then has no bit for nulls.
    pub special_null: bool,
    /// The order number of the smallest value of each column, or `None` if the column is packed by its type. Order
    /// numbers are unsigned integers that have the same order as the values.
    pub bases: Vec<Option<u64>>,
}

impl Packing {
    /// Returns the number of bits of a word that the columns take.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// Returns the packing in which each column has all bits of its type. The result is `None` if a type cannot be
    /// packed, or if the columns need more than 64 bits together.
    pub fn new(keys: &TableView<'_>, null_policy: NullPolicy) -> Option<Self> {
        Self::of_columns(keys, null_policy, |_, bits| Some((bits, None)))
    }

    /// Returns the packing in which the width of each column is the number of bits of the difference between its
    /// largest and its smallest order number. `ranges` has the smallest and the largest order number of each column.
    /// The result is `None` if a type cannot be packed, or if the columns need more than 64 bits together.
    pub(crate) fn of_ranges(keys: &TableView<'_>, ranges: &[Option<(u64, u64)>], nulls: NullPolicy) -> Option<Self> {
        Self::of_columns(keys, nulls, |index, _| {
            let (min, max) = ranges.get(index).copied().flatten().unwrap_or((0, 0));
            Some(((u64::BITS - max.checked_sub(min)?.leading_zeros()) as usize, Some(min)))
        })
    }

    /// Packs the columns. The first column takes the highest bits.
    fn of_columns(
        keys: &TableView<'_>,
        null_policy: NullPolicy,
        range: impl Fn(usize, usize) -> Option<(usize, Option<u64>)>,
    ) -> Option<Self> {
        let mut packing = Packing::default();
        for (index, column) in keys.columns().iter().enumerate().rev() {
            let (bits, base) = range(index, Self::bits_of(column)?)?;
            packing.add(column, bits, base, keys.num_columns(), null_policy)?;
        }
        packing.shifts.reverse();
        packing.widths.reverse();
        packing.null_bits.reverse();
        packing.bases.reverse();
        Some(packing)
    }

    /// Returns a word in which the null bits of all columns are set.
    pub fn null_mask(&self) -> u64 {
        self.null_bits.iter().flatten().fold(0, |mask, bit| mask | 1 << bit)
    }

    /// Returns a word in which the sign bits are set of all signed integers that are packed by their type. If these
    /// bits are flipped in packed keys, the keys have the order of the rows, as unsigned numbers. This does not hold
    /// for floats, which are also packed by their type.
    pub fn signs(&self, keys: &TableView<'_>) -> u64 {
        let sign = |(index, column): (usize, &ColumnView<'_>)| {
            let by_range = self.bases.get(index).copied().flatten().is_some();
            let signed = physical_type(column.data_type()).is_signed() && !by_range;
            if signed { 1 << (self.shifts[index] + self.widths[index] - 1) } else { 0 }
        };
        keys.columns().iter().enumerate().map(sign).fold(0, |signs, sign| signs | sign)
    }

    /// Returns the number of bits of the column's type, if the type is a number of up to 64 bits or a pair of 32-bit
    /// numbers.
    fn bits_of(column: &ColumnView<'_>) -> Option<usize> {
        match physical_type(column.data_type()) {
            PhysicalType::Bool => Some(1),
            PhysicalType::IntervalDayTime => Some(64),
            physical if physical.is_integral() || physical.is_floating() => {
                physical.width().map(|width| width * 8).filter(|bits| *bits <= 64)
            }
            _ => None,
        }
    }

    fn add(
        &mut self,
        column: &ColumnView<'_>,
        width: usize,
        base: Option<u64>,
        columns: usize,
        null_policy: NullPolicy,
    ) -> Option<()> {
        let nulls = column.has_validity() && null_policy == NullPolicy::Include;
        // The values of a column with one distinct value take no bits. Any shift below 64 is correct for such a column.
        self.shifts.push(self.bits.min(63) as u8);
        self.widths.push(width as u8);
        self.bits += width;
        self.bases.push(base);
        let special = nulls && width == 64 && columns == 1;
        self.special_null |= special;
        self.null_bits.push((nulls && !special).then_some(self.bits as u8));
        self.bits += usize::from(nulls && !special);
        (self.bits <= 64).then_some(())
    }
}
