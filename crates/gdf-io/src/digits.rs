//! The digits of decimals that are written.

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType};
use arrow_array::{Array, OffsetSizeTrait};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;

/// The text of the error for a decimal that is not written.
pub(crate) const TOO_MANY_DIGITS: &str =
    "a decimal has more digits than its type; cast the column to a decimal of a larger precision";

/// Returns whether each decimal has at most as many digits as its type. Only rows that are valid in `parents` count.
pub(crate) fn has_digits_of_type(array: &dyn Array, parents: Option<&NullBuffer>) -> bool {
    let valid = NullBuffer::union(parents, array.nulls());
    match array.data_type() {
        DataType::Decimal32(precision, _) => have_digits::<Decimal32Type>(array, valid.as_ref(), *precision),
        DataType::Decimal64(precision, _) => have_digits::<Decimal64Type>(array, valid.as_ref(), *precision),
        DataType::Decimal128(precision, _) => have_digits::<Decimal128Type>(array, valid.as_ref(), *precision),
        DataType::Decimal256(precision, _) => have_digits::<Decimal256Type>(array, valid.as_ref(), *precision),
        DataType::Struct(_) => {
            array.as_struct().columns().iter().all(|column| has_digits_of_type(column, valid.as_ref()))
        }
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            have_lists_digits(list.values(), list.value_offsets())
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            have_lists_digits(list.values(), list.value_offsets())
        }
        DataType::Map(..) => {
            let map = array.as_map();
            have_lists_digits(map.entries(), map.value_offsets())
        }
        DataType::FixedSizeList(_, size) => {
            let size = usize::try_from(*size).unwrap_or(0);
            let elements = valid.map(|valid| valid.expand(size));
            has_digits_of_type(array.as_fixed_size_list().values(), elements.as_ref())
        }
        DataType::Dictionary(..) => has_digits_of_type(array.as_any_dictionary().values(), None),
        _ => true,
    }
}

fn have_digits<T: DecimalType>(array: &dyn Array, valid: Option<&NullBuffer>, precision: u8) -> bool {
    let values = array.as_primitive::<T>().values();
    let fits = |value: T::Native| T::is_valid_decimal_precision(value, precision);
    match valid {
        Some(valid) => valid.valid_indices().all(|row| fits(values[row])),
        None => values.iter().all(|value| fits(*value)),
    }
}

/// Returns whether the decimals in the elements between the first and the last offset have the digits of their type.
fn have_lists_digits<O: OffsetSizeTrait>(elements: &dyn Array, offsets: &[O]) -> bool {
    let [Some(start), Some(end)] = [offsets.first(), offsets.last()].map(|offset| offset.map(|at| at.as_usize()))
    else {
        return true;
    };
    has_digits_of_type(&elements.slice(start, end - start), None)
}
