//! Arrays with the same elements in an unusual layout: at an offset, and with arbitrary values in null rows.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, make_array};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::{NullPattern, element, random_array};
use crate::value::{Value, from_values, to_values};

/// The offsets of slices. The offsets move the first bit of a column to the positions within a word at which code that
/// reads words often fails.
pub const OFFSETS: &[usize] = &[1, 3, 7, 8, 31, 32, 33, 63, 65];

const FRONT_SEED: u64 = 0x0066_726f_6e74;
const BACK_SEED: u64 = 0x6261_636b;

/// Returns an array of `front` random rows, the rows of `array`, and `back` random rows. The slice of `array.len()`
/// rows from row `front` on equals `array`. The slice has an offset, and other rows before and after it. The slice may
/// be taken of the array, or of a column that is made from the array.
///
/// `nulls` determines which random rows are null. If a random row is null, the slice has a validity buffer even if no
/// row of `array` is null. Null rows of a dictionary have the keys that [`soiled`] makes.
pub fn padded(array: &ArrayRef, front: usize, back: usize, nulls: NullPattern) -> ArrayRef {
    if let DataType::Dictionary(..) = array.data_type() {
        // `concat` adds numbers to the keys of null rows, too. Therefore these keys are small until the end.
        return soiled(&concatenated(&with_keys_under_nulls(array, |_| 0), front, back, nulls));
    }
    concatenated(array, front, back, nulls)
}

fn concatenated(array: &ArrayRef, front: usize, back: usize, nulls: NullPattern) -> ArrayRef {
    let data_type = array.data_type();
    let front = random_array(data_type, front, nulls, FRONT_SEED);
    let back = random_array(data_type, back, nulls, BACK_SEED);
    let parts: [&dyn Array; 3] = [&front, array, &back];
    match arrow_select::concat::concat(&parts) {
        Ok(array) => array,
        // `concat` fails for some dictionaries, because their keys cannot count the merged entries.
        Err(_) => {
            let values: Vec<_> = parts.iter().flat_map(|part| to_values(*part)).collect();
            from_values(data_type, &values)
        }
    }
}

/// Returns an array that equals `array`. The first row of the result is row `offset` of its buffers. The buffers have
/// random rows before and after the rows of the result.
pub fn sliced(array: &ArrayRef, offset: usize) -> ArrayRef {
    padded(array, offset, 5, NullPattern::Some).slice(offset, array.len())
}

/// Returns `array` with another validity. Nothing else changes: the values of the rows that become null stay in the
/// array. arrow removes a validity without nulls. The function [`padded`] makes a validity buffer in which all rows are
/// valid.
///
/// # Panics
/// - `validity` has another length than `array`, or the type has no validity.
pub fn with_validity(array: &ArrayRef, validity: Option<NullBuffer>) -> ArrayRef {
    let data = array.to_data().into_builder().nulls(validity);
    make_array(data.build().unwrap_or_else(|error| panic!("{error}")))
}

/// Returns an array that equals `array`, with arbitrary data in its null rows. Null strings and lists are not empty,
/// the children of null structs are valid, and the keys of null rows of a dictionary are outside of the dictionary.
/// Arrow allows such arrays, so operations may receive such arrays from imports.
pub fn soiled(array: &ArrayRef) -> ArrayRef {
    let data_type = array.data_type();
    if let DataType::Dictionary(..) = data_type {
        return with_keys_under_nulls(array, key_outside);
    }
    let validity = match array.nulls() {
        Some(validity) if validity.null_count() > 0 && can_be_soiled(data_type) => validity.clone(),
        _ => return array.clone(),
    };
    let mut rng = SmallRng::seed_from_u64(FRONT_SEED);
    let values: Vec<Option<Value>> =
        to_values(array).into_iter().map(|value| Some(value.unwrap_or_else(|| garbage(data_type, &mut rng)))).collect();
    with_validity(&from_values(data_type, &values), Some(validity))
}

/// Returns the same dictionary column. The keys of null rows are those that `key` returns for the type of the keys.
fn with_keys_under_nulls(array: &ArrayRef, key: impl Fn(&DataType) -> i128) -> ArrayRef {
    let (DataType::Dictionary(key_type, _), Some(validity)) = (array.data_type(), array.nulls()) else {
        return array.clone();
    };
    let dictionary = array.as_any_dictionary();
    let key = Value::Int(key(key_type));
    let keys = to_values(dictionary.keys()).into_iter().map(|own| Some(own.unwrap_or_else(|| key.clone())));
    let keys = from_values(key_type, &keys.collect::<Vec<_>>()).to_data().into_builder();
    let column = keys.data_type(array.data_type().clone()).nulls(Some(validity.clone()));
    let column = column.add_child_data(dictionary.values().to_data()).build();
    make_array(column.unwrap_or_else(|error| panic!("{error}")))
}

/// Returns a key that selects no value: −1 or, for unsigned keys, the largest number. Only a dictionary with a value for
/// each number would have the latter key.
fn key_outside(key_type: &DataType) -> i128 {
    let bits = 8 * key_type.primitive_width().unwrap_or(1);
    if key_type.is_signed_integer() { -1 } else { (1 << bits) - 1 }
}

fn can_be_soiled(data_type: &DataType) -> bool {
    use DataType::{Binary, FixedSizeList, LargeBinary, LargeList, LargeUtf8, List, Map, Struct, Utf8};
    matches!(
        data_type,
        Utf8 | LargeUtf8 | Binary | LargeBinary | List(_) | LargeList(_) | FixedSizeList(_, _) | Map(_, _) | Struct(_)
    )
}

fn garbage(data_type: &DataType, rng: &mut SmallRng) -> Value {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 => Value::from("under a null"),
        DataType::Binary | DataType::LargeBinary => Value::from(&b"under a null"[..]),
        DataType::List(field) | DataType::LargeList(field) | DataType::Map(field, _) => {
            Value::List(vec![Some(garbage(field.data_type(), rng)); 2])
        }
        DataType::Struct(fields) => Value::Struct(fields.iter().map(|f| Some(garbage(f.data_type(), rng))).collect()),
        other => element::random(other, rng),
    }
}
