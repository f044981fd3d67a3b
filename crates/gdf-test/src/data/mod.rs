//! Seeded inputs: random arrays of every type with values for which operations often fail, lists of lengths, lists of
//! types, arrays at an offset, and arrays with arbitrary data in their null rows.

mod element;
mod layout;
#[cfg(test)]
mod tests;
mod types;

use std::collections::BTreeSet;

use arrow_array::ArrayRef;
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use gdf_detail::limits::{self, HostLimits};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

pub use layout::{OFFSETS, padded, sliced, soiled, with_validity};
pub use types::{
    all, decimal, fixed_width, floating, integral, nested, nested_keys, numeric, ordered, strings, temporal, unions,
    views,
};

use crate::value::{Value, from_values};

/// Lengths around the number of rows of a mask word, of a block and of a tile. The last length is the length of many
/// tiles.
pub const BRACKETS: &[usize] = &[0, 1, 31, 32, 33, 64, 65, 255, 256, 257, 2047, 2048, 2049, 10_000];

/// The lengths of [`BRACKETS`] below a few hundred rows, for entries with many types.
pub const SMALL_BRACKETS: &[usize] = &[0, 1, 31, 32, 33, 64, 65, 257];

/// Returns lengths around every limit of rows in the code up to 5,000 rows, and lengths around the size of a CPU task.
/// The last length is so large that operations split it into three tasks of the default size. An entry uses these
/// lengths for one type whose cases take little time. If a limit is added to the table of `gdf-detail`, this function
/// includes the limit, too.
pub fn limit_brackets() -> Vec<usize> {
    let task = HostLimits::DEFAULT.task_rows;
    let rows = limits::all().into_iter().filter(|limit| limit.unit == limits::Unit::Rows).map(|limit| limit.default);
    let near = rows.filter(|rows| *rows <= 5_000).chain([task]).flat_map(|rows| [rows - 1, rows, rows + 1]);
    let all: BTreeSet<usize> = near.chain([2 * task + 77]).collect();
    all.into_iter().collect()
}

/// Determines which rows of a generated array are null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NullPattern {
    /// No row is null, and there is no validity buffer.
    None,
    /// About a quarter of the rows are null, at random.
    Some,
    /// All rows are null.
    All,
    /// Rows 0, n, 2n and so on are null. If n is 0, no row is null.
    Every(usize),
}

impl NullPattern {
    /// The patterns with which every operation is run.
    pub const ALL: &'static [NullPattern] =
        &[NullPattern::None, NullPattern::Some, NullPattern::All, NullPattern::Every(3)];

    /// Returns the validity of `len` rows. Returns `None` for [`NullPattern::None`].
    pub fn validity(self, len: usize, seed: u64) -> Option<NullBuffer> {
        let mut rng = SmallRng::seed_from_u64(seed ^ 0x6e75_6c6c);
        let valid: Vec<bool> = match self {
            NullPattern::None => return None,
            NullPattern::Some => (0..len).map(|_| rng.random_range(0..4) != 0).collect(),
            NullPattern::All => vec![false; len],
            NullPattern::Every(0) => vec![true; len],
            NullPattern::Every(n) => (0..len).map(|i| i % n != 0).collect(),
        };
        Some(NullBuffer::from(valid))
    }
}

/// Returns `len` random rows of `data_type`. The same arguments always give the same array.
///
/// * About a quarter of the rows are special values: NaN with several bit patterns, −0.0, infinities, the smallest
///   and the largest value, empty and non-ASCII strings, and empty lists.
/// * About half of the rows are from a small range, because values must repeat.
/// * The other rows are from the whole range.
/// * A null row of a fixed-width type has an arbitrary value. A null string or list is empty. The function [`soiled`]
///   makes null strings and lists that are not empty.
///
/// # Panics
/// - the type has a field that is declared without nulls, unless the field is a field of a struct or the key of a
///   map.
pub fn random_array(data_type: &DataType, len: usize, nulls: NullPattern, seed: u64) -> ArrayRef {
    let mut rng = SmallRng::seed_from_u64(seed);
    let validity = nulls.validity(len, seed);
    if matches!(data_type, DataType::Null) {
        return from_values(data_type, &vec![None; len]);
    }
    let fixed = has_fixed_width(data_type);
    let values: Vec<Option<Value>> = (0..len)
        .map(|row| {
            let value = element::random(data_type, &mut rng);
            let valid = validity.as_ref().is_none_or(|valid| valid.is_valid(row));
            (valid || fixed).then_some(value)
        })
        .collect();
    let array = from_values(data_type, &values);
    if fixed { with_validity(&array, validity) } else { array }
}

/// Returns texts that are longer than the texts of [`random_array`]. Most texts begin with the same URL of 48 bytes.
/// The URL is followed by nothing, by digits, or by a tail. The tails differ only in their last byte. A few texts are
/// shorter than the URL or have characters outside of ASCII.
pub fn long_texts(rows: usize, nulls: NullPattern, seed: u64) -> ArrayRef {
    let text = |row: usize| {
        let mixed = (row as u64 ^ seed << 24).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let beginning = "https://example.com/some/rather/long/path/to/it?";
        match mixed % 8 {
            0 => beginning.to_owned(),
            1 => format!("{beginning}{}{}", "x".repeat(65), mixed / 8 % 3),
            2 => "é".repeat(20 + (mixed / 8 % 30) as usize),
            3 => beginning[..(mixed / 8 % 48) as usize].to_owned(),
            _ => format!("{beginning}{}", mixed / 8 % 50),
        }
    };
    let validity = nulls.validity(rows, seed);
    let valid = |row: usize| validity.as_ref().is_none_or(|valid| valid.is_valid(row));
    let values: Vec<_> = (0..rows).map(|row| valid(row).then(|| Value::Str(text(row)))).collect();
    with_validity(&from_values(&DataType::Utf8, &values), validity)
}

/// Returns texts with about half a kilobyte or more. Their lengths are around multiples of 64 bytes. Many texts are
/// equal. The other texts differ in their first byte, in their last byte, or in a byte between.
pub fn striped_texts(rows: usize, nulls: NullPattern, seed: u64) -> ArrayRef {
    const LENGTHS: [usize; 8] = [511, 512, 513, 575, 576, 577, 640, 1000];
    let text = |row: usize| {
        let mixed = ((row as u64 ^ seed << 24).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize;
        let len = LENGTHS[mixed % LENGTHS.len()];
        let mut bytes: Vec<u8> = (0..len).map(|at| b'a' + (at % 23) as u8).collect();
        match mixed / LENGTHS.len() % 5 {
            0 => bytes[0] = b'#',
            1 => bytes[len - 1] = b'#',
            2 => bytes[len / 2] = b'#',
            _ => {}
        }
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let values: Vec<_> = (0..rows).map(|row| Some(Value::Str(text(row)))).collect();
    with_validity(&from_values(&DataType::Utf8, &values), nulls.validity(rows, seed))
}

/// Returns texts of 0 to 40 bytes. Their lengths are around the sizes of words. Most texts repeat one letter. Such a
/// text may differ from the others of its length in its first, middle or last byte. Other texts consist of zero bytes
/// or end in a zero byte.
pub fn edge_texts(rows: usize, nulls: NullPattern, seed: u64) -> ArrayRef {
    const LENGTHS: [usize; 13] = [0, 1, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40];
    let text = |row: usize| {
        let mixed = ((row as u64 ^ seed << 24).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize;
        let (len, kind) = (LENGTHS[mixed % LENGTHS.len()], mixed / LENGTHS.len() % 6);
        let mut bytes = vec![b'k'; len];
        match (kind, bytes.len()) {
            (_, 0) | (0, _) => {}
            (1, _) => bytes[0] = b'K',
            (2, last) => bytes[last - 1] = b'K',
            (3, last) => bytes[last - 1] = 0,
            (4, _) => bytes.fill(0),
            (_, last) => bytes[last / 2] = b'0' + (mixed / 78 % 10) as u8,
        }
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let validity = nulls.validity(rows, seed);
    let valid = |row: usize| validity.as_ref().is_none_or(|valid| valid.is_valid(row));
    let values: Vec<_> = (0..rows).map(|row| valid(row).then(|| Value::Str(text(row)))).collect();
    with_validity(&from_values(&DataType::Utf8, &values), validity)
}

/// Returns an array of every type with every length and every null pattern. The label of an array is like
/// `Int32/33/Some`. Most entries run on such arrays.
pub fn grid(types: &[DataType], lengths: &[usize]) -> Vec<(String, ArrayRef)> {
    let mut inputs = Vec::new();
    for data_type in types {
        for &len in lengths {
            for &nulls in NullPattern::ALL {
                let seed = inputs.len() as u64;
                inputs.push((format!("{data_type}/{len}/{nulls:?}"), random_array(data_type, len, nulls, seed)));
            }
        }
    }
    inputs
}

fn has_fixed_width(data_type: &DataType) -> bool {
    data_type.primitive_width().is_some() || matches!(data_type, DataType::Boolean | DataType::FixedSizeBinary(_))
}
