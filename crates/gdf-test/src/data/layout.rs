//! The same elements in a more awkward layout: at an offset, with garbage under the nulls.

use arrow_array::{Array, ArrayRef, make_array};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::{NullPattern, element, random_array};
use crate::value::{Value, from_values, to_values};

/// Offsets that put a column's first bit everywhere a word reader can get it wrong.
pub const OFFSETS: &[usize] = &[1, 3, 7, 8, 31, 32, 33, 63, 65];

const FRONT_SEED: u64 = 0x0066_726f_6e74;
const BACK_SEED: u64 = 0x6261_636b;

/// `front` garbage rows, the rows of `array`, `back` garbage rows. Slicing `[front, front + len)`
/// out of it, or of the column made of it, gives `array` at an offset and with neighbors.
///
/// The garbage has nulls as `nulls` says: with some, the slice has a validity buffer even where no
/// row of `array` is null.
pub fn padded(array: &ArrayRef, front: usize, back: usize, nulls: NullPattern) -> ArrayRef {
    let data_type = array.data_type();
    let front = random_array(data_type, front, nulls, FRONT_SEED);
    let back = random_array(data_type, back, nulls, BACK_SEED);
    let parts: [&dyn Array; 3] = [&front, array, &back];
    match arrow_select::concat::concat(&parts) {
        Ok(array) => array,
        // Dictionaries whose keys cannot count the merged entries, and layouts concat lacks.
        Err(_) => {
            let values: Vec<_> = parts.iter().flat_map(|part| to_values(*part)).collect();
            from_values(data_type, &values)
        }
    }
}

/// An array equal to `array` whose first row is row `offset` of its buffers, with garbage before
/// and after.
pub fn sliced(array: &ArrayRef, offset: usize) -> ArrayRef {
    padded(array, offset, 5, NullPattern::Some).slice(offset, array.len())
}

/// `array` with another validity, everything else as it is: values below a new null stay. arrow
/// drops a validity without nulls; [`padded`] is the way to a buffer that says all rows are valid.
///
/// # Panics
/// - `validity` has another length than `array`, or the type has no validity.
pub fn with_validity(array: &ArrayRef, validity: Option<NullBuffer>) -> ArrayRef {
    let data = array.to_data().into_builder().nulls(validity);
    make_array(data.build().unwrap_or_else(|error| panic!("{error}")))
}

/// An array equal to `array` with garbage under its nulls: non-empty strings and lists, valid
/// children of null structs. Arrow allows such arrays, so operations meet them after an import.
pub fn soiled(array: &ArrayRef) -> ArrayRef {
    let data_type = array.data_type();
    let validity = match array.nulls() {
        Some(validity) if validity.null_count() > 0 && can_be_soiled(data_type) => validity.clone(),
        _ => return array.clone(),
    };
    let mut rng = SmallRng::seed_from_u64(FRONT_SEED);
    let values: Vec<Option<Value>> =
        to_values(array).into_iter().map(|value| Some(value.unwrap_or_else(|| garbage(data_type, &mut rng)))).collect();
    with_validity(&from_values(data_type, &values), Some(validity))
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
