//! Data that null rows hide. A null struct may have fields with values, and a null list may have elements.
//!
//! Some writers leave such data in files. A reader removes them, so that no operation on fields or elements finds them.
//! A writer of memory as it is removes them too, so that the file does not contain what a caller has masked.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeListArray, GenericListArray, MapArray, OffsetSizeTrait, StructArray,
    UInt64Array, make_array,
};
#[cfg(feature = "ipc")]
use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_data::transform::MutableArrayData;
use arrow_schema::{ArrowError, DataType, FieldRef};

/// Which data are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remove {
    /// Fields and elements of null rows.
    Nested,
    /// Fields, elements and values of null rows: the numbers and texts that only the mask hides.
    #[cfg(feature = "ipc")]
    All,
}

/// Removes hidden data from all columns of a batch.
#[cfg(feature = "ipc")]
pub(crate) fn cleared_batch(batch: &RecordBatch, remove: Remove) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().map(|column| cleared(column, remove)).collect::<Result<_, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(batch.schema(), columns, &options)
}

/// Removes hidden data from an array: fields of null structs become null, and null lists become empty. Arrays without
/// such data share memory with the result.
pub(crate) fn cleared(array: &ArrayRef, remove: Remove) -> Result<ArrayRef, ArrowError> {
    if !concerns(array.data_type(), remove) {
        return Ok(array.clone());
    }
    map_leaves(array, &|leaf| if concerns(leaf.data_type(), remove) { blanked(leaf) } else { Ok(leaf.clone()) })
}

/// Removes fields and elements of null rows at each depth, and replaces each array without children by the result of
/// `leaf`, which must have as many rows.
///
/// # Errors
/// - The errors of `leaf`, and errors of arrays that are not valid.
pub fn map_leaves(
    array: &ArrayRef,
    leaf: &dyn Fn(&ArrayRef) -> Result<ArrayRef, ArrowError>,
) -> Result<ArrayRef, ArrowError> {
    Ok(match array.data_type() {
        DataType::Struct(fields) => {
            let columns =
                array.as_struct().columns().iter().map(|column| map_leaves(&masked(column, array.nulls())?, leaf));
            let columns = columns.collect::<Result<Vec<_>, _>>()?;
            Arc::new(StructArray::try_new_with_length(fields.clone(), columns, array.nulls().cloned(), array.len())?)
        }
        DataType::List(item) => list_of_leaves::<i32>(array, item, leaf)?,
        DataType::LargeList(item) => list_of_leaves::<i64>(array, item, leaf)?,
        DataType::Map(entries, is_sorted) => {
            let map = array.as_map();
            let all: ArrayRef = Arc::new(map.entries().clone());
            let (offsets, all) = without_hidden(map.offsets(), &all, map.nulls())?;
            let all = map_leaves(&all, leaf)?.as_struct().clone();
            Arc::new(MapArray::try_new(entries.clone(), offsets, all, map.nulls().cloned(), *is_sorted)?)
        }
        DataType::FixedSizeList(item, size) => {
            let list = array.as_fixed_size_list();
            let expanded = list.nulls().map(|nulls| nulls.expand(usize::try_from(*size).unwrap_or(0)));
            let values = map_leaves(&masked(list.values(), expanded.as_ref())?, leaf)?;
            let nulls = list.nulls().cloned();
            Arc::new(FixedSizeListArray::try_new_with_length(item.clone(), *size, values, nulls, list.len())?)
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            dictionary.with_values(map_leaves(dictionary.values(), leaf)?)
        }
        _ => leaf(array)?,
    })
}

/// Returns whether an array of the type may have data that are to be removed.
fn concerns(data_type: &DataType, remove: Remove) -> bool {
    match data_type {
        DataType::Struct(_)
        | DataType::List(_)
        | DataType::LargeList(_)
        | DataType::Map(..)
        | DataType::FixedSizeList(..) => true,
        DataType::Dictionary(_, values) => remove != Remove::Nested || concerns(values, remove),
        // These have no mask, or the mask is not the only thing that says what a row has.
        DataType::Null
        | DataType::Union(..)
        | DataType::RunEndEncoded(..)
        | DataType::ListView(_)
        | DataType::LargeListView(_) => false,
        _ => remove != Remove::Nested,
    }
}

/// Returns the array, in which the rows that are null in `nulls` are null too.
fn masked(array: &ArrayRef, nulls: Option<&NullBuffer>) -> Result<ArrayRef, ArrowError> {
    let Some(nulls) = nulls.filter(|nulls| nulls.null_count() > 0) else { return Ok(array.clone()) };
    let has_mask = !matches!(array.data_type(), DataType::Null | DataType::Union(..) | DataType::RunEndEncoded(..));
    if !has_mask || array.nulls().is_some_and(|own| own.contains(nulls)) {
        return Ok(array.clone());
    }
    arrow_select::nullif::nullif(array, &BooleanArray::new(!nulls.inner(), None))
}

fn list_of_leaves<O: OffsetSizeTrait>(
    array: &ArrayRef,
    item: &FieldRef,
    leaf: &dyn Fn(&ArrayRef) -> Result<ArrayRef, ArrowError>,
) -> Result<ArrayRef, ArrowError> {
    let list = array.as_list::<O>();
    let (offsets, values) = without_hidden(list.offsets(), list.values(), list.nulls())?;
    let values = map_leaves(&values, leaf)?;
    Ok(Arc::new(GenericListArray::try_new(item.clone(), offsets, values, list.nulls().cloned())?))
}

/// Removes the elements of null rows, if there are any, and the elements outside of a slice.
fn without_hidden<O: OffsetSizeTrait>(
    offsets: &OffsetBuffer<O>,
    values: &ArrayRef,
    nulls: Option<&NullBuffer>,
) -> Result<(OffsetBuffer<O>, ArrayRef), ArrowError> {
    let rows = || offsets.windows(2).map(|pair| pair[0].as_usize()..pair[1].as_usize());
    let hides = |nulls: &&NullBuffer| {
        nulls.null_count() > 0 && rows().zip(*nulls).any(|(row, valid)| !valid && !row.is_empty())
    };
    let Some(nulls) = nulls.filter(hides) else {
        let used =
            offsets.first().map_or(0, |first| first.as_usize())..offsets.last().map_or(0, |last| last.as_usize());
        if used == (0..values.len()) {
            return Ok((offsets.clone(), values.clone()));
        }
        return Ok((OffsetBuffer::from_lengths(offsets.lengths()), values.slice(used.start, used.len())));
    };
    let kept = rows().zip(nulls).map(|(row, valid)| if valid { row } else { 0..0 });
    let lengths: Vec<usize> = kept.clone().map(|row| row.len()).collect();
    let elements: UInt64Array = kept.flatten().map(|element| Some(element as u64)).collect();
    Ok((OffsetBuffer::from_lengths(lengths), arrow_select::take::take(values, &elements, None)?))
}

/// Replaces the values of null rows by zeros and empty texts.
fn blanked(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) else { return Ok(array.clone()) };
    let data = array.to_data();
    let mut rows = MutableArrayData::new(vec![&data], true, data.len());
    let mut row = 0;
    for (start, end) in nulls.valid_slices() {
        rows.try_extend_nulls(start - row)?;
        rows.try_extend(0, start, end)?;
        row = end;
    }
    rows.try_extend_nulls(data.len() - row)?;
    let taken = make_array(rows.freeze());
    Ok(match taken.data_type() {
        // The buffers of views still have the texts that no view names.
        DataType::Utf8View => Arc::new(taken.as_string_view().gc()),
        DataType::BinaryView => Arc::new(taken.as_binary_view().gc()),
        _ => taken,
    })
}

#[cfg(test)]
mod tests {
    use arrow_array::types::Int32Type;
    use arrow_array::{Int32Array, ListArray, StringArray, StringViewArray};
    use arrow_schema::{Field, Fields};

    use super::*;

    fn field(name: &str, array: &dyn Array, is_nullable: bool) -> FieldRef {
        Arc::new(Field::new(name, array.data_type().clone(), is_nullable))
    }

    /// Returns structs of a struct of a number that is declared without nulls. Row 1 is null.
    fn structs() -> ArrayRef {
        let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1, 99, 3]));
        let inner: ArrayRef = Arc::new(StructArray::new(vec![field("x", &numbers, false)].into(), vec![numbers], None));
        let nulls = NullBuffer::from(vec![true, false, true]);
        Arc::new(StructArray::new(Fields::from(vec![field("s", &inner, false)]), vec![inner], Some(nulls)))
    }

    fn numbers_of(structs: &ArrayRef) -> Int32Array {
        structs.as_struct().column(0).as_struct().column(0).as_primitive::<Int32Type>().clone()
    }

    #[test]
    fn fields_of_null_structs_are_null_at_each_depth() {
        let found = cleared(&structs(), Remove::Nested).unwrap();
        found.to_data().validate_full().unwrap();
        assert_eq!(found.data_type(), structs().data_type());
        assert_eq!(numbers_of(&found), Int32Array::from(vec![Some(1), None, Some(3)]));
        let sliced = cleared(&structs().slice(1, 2), Remove::Nested).unwrap();
        assert_eq!(numbers_of(&sliced), Int32Array::from(vec![None, Some(3)]));
        // The field has other nulls than the struct.
        let numbers: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), Some(99), None]));
        let nulls = NullBuffer::from(vec![true, false, true]);
        let structs: ArrayRef =
            Arc::new(StructArray::new(vec![field("x", &numbers, true)].into(), vec![numbers], Some(nulls)));
        let found = cleared(&structs, Remove::Nested).unwrap();
        let found = found.as_struct().column(0).as_primitive::<Int32Type>();
        assert_eq!(found, &Int32Array::from(vec![Some(1), None, None]));
    }

    #[test]
    fn null_lists_and_maps_are_empty() {
        let elements: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3, 4, 5]));
        let nulls = Some(NullBuffer::from(vec![true, false, true]));
        let offsets = OffsetBuffer::from_lengths([1, 3, 1]);
        let list: ArrayRef =
            Arc::new(ListArray::new(field("item", &elements, false), offsets.clone(), elements.clone(), nulls.clone()));
        let found = cleared(&list, Remove::Nested).unwrap();
        assert_eq!(&found, &list);
        assert_eq!(found.as_list::<i32>().values().as_primitive::<Int32Type>().values(), &[1, 5]);
        assert_eq!(found.as_list::<i32>().value_offsets(), &[0, 1, 1, 2]);
        let sliced = cleared(&list.slice(2, 1), Remove::Nested).unwrap();
        assert_eq!((&sliced, sliced.as_list::<i32>().values().len()), (&list.slice(2, 1), 1));

        let texts: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c", "d", "e"]));
        let fields = Fields::from(vec![field("keys", &texts, false), field("values", &elements, true)]);
        let entries = StructArray::new(fields, vec![texts, elements.clone()], None);
        let map: ArrayRef = Arc::new(MapArray::new(field("entries", &entries, false), offsets, entries, nulls, false));
        let found = cleared(&map, Remove::Nested).unwrap();
        assert_eq!((&found, found.as_map().keys().len()), (&map, 2));

        let nulls = Some(NullBuffer::from(vec![true, false]));
        let fixed: ArrayRef =
            Arc::new(FixedSizeListArray::new(field("item", &elements, true), 2, elements.slice(0, 4), nulls));
        let found = cleared(&fixed, Remove::Nested).unwrap();
        assert_eq!(found.as_fixed_size_list().values().null_count(), 2);
    }

    #[test]
    fn values_of_null_rows_are_blank() {
        let hidden = |array: ArrayRef| -> ArrayRef {
            arrow_select::nullif::nullif(&array, &BooleanArray::from(vec![false, true, false])).unwrap()
        };
        let numbers = hidden(Arc::new(Int32Array::from(vec![1, 99, 3])));
        let found = cleared(&numbers, Remove::All).unwrap();
        assert_eq!(found.as_primitive::<Int32Type>().values(), &[1, 0, 3]);
        let found = cleared(&numbers.slice(1, 2), Remove::All).unwrap();
        assert_eq!(found.as_primitive::<Int32Type>().values(), &[0, 3]);
        let texts = hidden(Arc::new(StringArray::from(vec!["ab", "SECRET", "cd"])));
        let found = cleared(&texts, Remove::All).unwrap();
        assert_eq!((&found, found.as_string::<i32>().value_data()), (&texts, &b"abcd"[..]));
        let long = "a text that does not fit a view";
        let views = hidden(Arc::new(StringViewArray::from(vec![long, "a SECRET that does not fit a view", "b"])));
        let found = cleared(&views, Remove::All).unwrap();
        assert_eq!(&found, &views);
        assert_eq!(found.as_string_view().data_buffers().iter().map(|buffer| buffer.len()).sum::<usize>(), long.len());
        assert_eq!(&cleared(&texts, Remove::Nested).unwrap(), &texts);
    }
}
