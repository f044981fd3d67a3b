//! Seeded inputs: random arrays of every type that carry the values operations get wrong, brackets of
//! lengths, lists of types, and the same array again at an offset or with garbage under its nulls.

mod element;
mod layout;
#[cfg(test)]
mod tests;
mod types;

use arrow_array::ArrayRef;
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

pub use layout::{OFFSETS, padded, sliced, soiled, with_validity};
pub use types::{all, decimal, fixed_width, floating, integral, nested, numeric, strings, temporal, unions, views};

use crate::value::{Value, from_values};

/// Lengths around a mask word, a block, a tile, and one of many tiles.
pub const BRACKETS: &[usize] = &[0, 1, 31, 32, 33, 64, 65, 255, 256, 257, 2047, 2048, 2049, 10_000];

/// The lengths of [`BRACKETS`] below a few hundred rows, for entries with many types.
pub const SMALL_BRACKETS: &[usize] = &[0, 1, 31, 32, 33, 64, 65, 257];

/// Which rows of a generated array are null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NullPattern {
    /// None, and no validity buffer.
    None,
    /// About a quarter, at random.
    Some,
    /// All.
    All,
    /// Rows 0, n, 2n, …; none for 0.
    Every(usize),
}

impl NullPattern {
    /// The patterns every operation is run with.
    pub const ALL: &'static [NullPattern] =
        &[NullPattern::None, NullPattern::Some, NullPattern::All, NullPattern::Every(3)];

    /// The validity of `len` rows, `None` for [`NullPattern::None`].
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

/// `len` rows of `data_type`: about a quarter of them special values (NaN of several payloads, −0.0,
/// infinities, smallest and largest, empty and non-ASCII strings, empty lists), a half from a small
/// range so that values repeat, the rest from the whole range. Fixed width values under a null are
/// garbage; strings and lists there are empty ([`soiled`] fills them). The same arguments give the
/// same array.
///
/// # Panics
/// - on a type with a field that is declared without nulls and is not a struct's or a map's key.
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

/// Every type at every length with every null pattern, labelled `Int32/33/Some`: the loop that most
/// entries run over.
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
