//! Short builders of columns from literals, such as `ints::<Int32Type>([Some(1), None])` or `masked(&a, null_at(3))`.
//!
//! Every builder returns an arrow array. [`upload`] copies an array to the device of a stream.

use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Decimal128Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, LargeStringArray, PrimitiveArray, StringArray, StructArray,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Fields, TimeUnit};
use gdf_core::Column;
use gdf_driver::Stream;

use crate::data::with_validity;
use crate::value::{Value, from_values};

/// Returns a column of any primitive type, such as integers, floats or dates: `ints::<Int32Type>([Some(1), None])`.
pub fn ints<T: ArrowPrimitiveType>(rows: impl IntoIterator<Item = Option<T::Native>>) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::from_iter(rows))
}

/// Returns a column of any primitive type without nulls: `plain::<Float64Type>([1.0, f64::NAN])`.
pub fn plain<T: ArrowPrimitiveType>(rows: impl IntoIterator<Item = T::Native>) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::from_iter_values(rows))
}

/// Returns a column of booleans.
pub fn bools(rows: impl IntoIterator<Item = Option<bool>>) -> ArrayRef {
    Arc::new(BooleanArray::from_iter(rows))
}

/// Returns a column of strings with 32-bit offsets.
pub fn strings<'a>(rows: impl IntoIterator<Item = Option<&'a str>>) -> ArrayRef {
    Arc::new(StringArray::from_iter(rows))
}

/// Returns a column of strings with 64-bit offsets.
pub fn large_strings<'a>(rows: impl IntoIterator<Item = Option<&'a str>>) -> ArrayRef {
    Arc::new(LargeStringArray::from_iter(rows))
}

/// Returns a column of binary values with 32-bit offsets.
pub fn binaries<'a>(rows: impl IntoIterator<Item = Option<&'a [u8]>>) -> ArrayRef {
    Arc::new(BinaryArray::from_iter(rows))
}

/// Returns a column of 128-bit decimals, given as unscaled integers. `decimals(12, 2, [Some(1_50)])` is 1.50.
///
/// # Panics
/// - arrow has no such precision and scale.
pub fn decimals(precision: u8, scale: i8, rows: impl IntoIterator<Item = Option<i128>>) -> ArrayRef {
    let array = PrimitiveArray::<Decimal128Type>::from_iter(rows);
    let array = array.with_precision_and_scale(precision, scale);
    Arc::new(array.unwrap_or_else(|error| panic!("{error}")))
}

/// Returns a column of timestamps without time zone.
pub fn timestamps(unit: TimeUnit, rows: impl IntoIterator<Item = Option<i64>>) -> ArrayRef {
    let rows: Vec<_> = rows.into_iter().map(|row| row.map(Value::from)).collect();
    from_values(&DataType::Timestamp(unit, None), &rows)
}

/// Returns a column of dates, given as days since 1970-01-01.
pub fn dates(rows: impl IntoIterator<Item = Option<i32>>) -> ArrayRef {
    ints::<arrow_array::types::Date32Type>(rows)
}

/// Returns a column of lists. The lists take the rows of `elements` one after the other. For example, `lists(&elements,
/// [Some(2), None, Some(0)])` makes a list of the first two elements, a null, and an empty list.
///
/// # Panics
/// - the lengths do not add up to the rows of `elements`.
pub fn lists(elements: &ArrayRef, lengths: impl IntoIterator<Item = Option<usize>>) -> ArrayRef {
    let lengths: Vec<Option<usize>> = lengths.into_iter().collect();
    let total: usize = lengths.iter().flatten().sum();
    assert_eq!(total, elements.len(), "the lengths must add up to the elements");
    let field = Arc::new(Field::new("item", elements.data_type().clone(), true));
    let offsets = arrow_buffer::OffsetBuffer::from_lengths(lengths.iter().map(|n| n.unwrap_or_default()));
    let valid = NullBuffer::from_iter(lengths.iter().map(Option::is_some));
    Arc::new(arrow_array::ListArray::new(field, offsets, elements.clone(), Some(valid)))
}

/// Returns a struct column with the named columns as fields. No row of the struct is null. The function [`masked`] adds
/// nulls.
///
/// # Panics
/// - the columns differ in length.
pub fn structs(columns: &[(&str, ArrayRef)]) -> ArrayRef {
    let fields: Fields = columns.iter().map(|(name, c)| Field::new(*name, c.data_type().clone(), true)).collect();
    let len = columns.first().map_or(0, |(_, column)| column.len());
    let columns = columns.iter().map(|(_, column)| column.clone()).collect();
    let array = StructArray::try_new_with_length(fields, columns, None, len);
    Arc::new(array.unwrap_or_else(|error| panic!("{error}")))
}

/// Returns a column of dictionary-encoded strings with 32-bit keys.
pub fn dictionary<'a>(rows: impl IntoIterator<Item = Option<&'a str>>) -> ArrayRef {
    let rows: Vec<_> = rows.into_iter().map(|row| row.map(Value::from)).collect();
    from_values(&DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)), &rows)
}

/// Returns a validity that is false at one row.
pub fn null_at(row: usize) -> impl Fn(usize) -> bool {
    move |i| i != row
}

/// Returns a validity that is false at the given rows.
pub fn nulls_at(rows: &[usize]) -> impl Fn(usize) -> bool + use<> {
    let rows = rows.to_vec();
    move |i| !rows.contains(&i)
}

/// Returns a validity that is false at rows 0, n, 2n and so on. If `n` is 0, the validity is true at all rows.
pub fn every(n: usize) -> impl Fn(usize) -> bool {
    move |i| n == 0 || i % n != 0
}

/// Returns a validity that is false at all rows.
pub fn all_null() -> impl Fn(usize) -> bool {
    |_| false
}

/// Returns `array` with the given validity. The values of the rows that become null stay in the array.
pub fn masked(array: &ArrayRef, valid: impl Fn(usize) -> bool) -> ArrayRef {
    with_validity(array, Some(NullBuffer::from_iter((0..array.len()).map(valid))))
}

/// Copies an array to the device of the stream. The current resource of the device allocates the memory.
///
/// # Errors
/// - the errors of the import: there is not enough memory, or the device does not exist.
pub fn upload(array: &dyn Array, stream: &Stream) -> gdf_core::Result<Column> {
    let resource = gdf_memory::current_resource(stream.device())?;
    Column::from_arrow(array, stream, &resource)
}

#[cfg(test)]
mod tests {
    use arrow_array::types::{Float64Type, Int32Type};
    use arrow_cast::display::array_value_to_string;

    use super::*;
    use crate::value::to_values;

    fn texts(array: &ArrayRef) -> Vec<String> {
        (0..array.len()).map(|i| array_value_to_string(array, i).unwrap()).collect()
    }

    #[test]
    fn literals_mean_what_they_say() {
        assert_eq!(texts(&ints::<Int32Type>([Some(1), None])), ["1", ""]);
        assert_eq!(texts(&plain::<Float64Type>([0.5])), ["0.5"]);
        assert_eq!(texts(&bools([Some(true), None])), ["true", ""]);
        assert_eq!(texts(&decimals(12, 2, [Some(150), None])), ["1.50", ""]);
        assert_eq!(texts(&timestamps(TimeUnit::Second, [Some(0)])), ["1970-01-01T00:00:00"]);
        assert_eq!(texts(&dates([Some(1)])), ["1970-01-02"]);
        assert_eq!(texts(&dictionary([Some("a"), None, Some("a")])), ["a", "", "a"]);
        let words = strings([Some("x"), None, Some("z")]);
        assert_eq!(texts(&lists(&words, [Some(2), None, Some(1), Some(0)])), ["[x, ]", "", "[z]", "[]"]);
        assert_eq!(texts(&structs(&[("w", words)])), ["{w: x}", "{w: }", "{w: z}"]);
        assert_eq!(to_values(&large_strings([Some("é")])), to_values(&strings([Some("é")])));
        assert_eq!(to_values(&binaries([Some(&b"a"[..])])), [Some(Value::Bytes(vec![b'a']))]);
    }

    #[test]
    fn validity_is_where_it_was_asked_for() {
        let array = plain::<Int32Type>(0..6);
        let nulls = |array: ArrayRef| (0..6).filter(|&i| array.is_null(i)).collect::<Vec<_>>();
        assert_eq!(nulls(masked(&array, null_at(4))), [4]);
        assert_eq!(nulls(masked(&array, nulls_at(&[1, 2]))), [1, 2]);
        assert_eq!(nulls(masked(&array, every(3))), [0, 3]);
        assert!(nulls(masked(&array, every(0))).is_empty());
        assert_eq!(nulls(masked(&array, all_null())).len(), 6);
    }

    #[test]
    fn columns_go_up_and_come_down() {
        let stream = crate::device::new_stream(crate::device::test_device()).unwrap();
        let array = strings([Some("x"), None]);
        let column = upload(&array, &stream).unwrap();
        assert_eq!(to_values(&column.to_arrow(&stream).unwrap()), to_values(&array));
    }
}
