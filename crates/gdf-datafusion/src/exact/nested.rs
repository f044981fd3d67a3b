//! The values that null structs and null maps hide become null. Arrow allows values below a null, but no query may see them.
//! DataFusion's functions return fields and entries without regard to the nulls of their parent.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeListArray, GenericListArray, MapArray, OffsetSizeTrait, StructArray,
    UInt64Array,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{ArrowError, DataType, FieldRef};
use datafusion::arrow::compute::{nullif, take};

/// Returns whether values of a type may hide values below a null that a function could return.
pub(super) fn may_hide(data_type: &DataType) -> bool {
    match data_type {
        DataType::Struct(_) | DataType::Map(..) => true,
        DataType::List(element) | DataType::LargeList(element) | DataType::FixedSizeList(element, _) => {
            may_hide(element.data_type())
        }
        DataType::Dictionary(_, values) => may_hide(values),
        _ => false,
    }
}

/// Returns the values with null fields in null structs, and without entries in null maps, at each depth. An array that
/// hides nothing is returned as it is.
pub(super) fn visible(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    map_leaves(array, &|leaf| Ok(Arc::clone(leaf)))
}

/// Does the same as [`visible`], and replaces each array that has no children by the result of `leaf`.
pub(super) fn map_leaves(
    array: &ArrayRef,
    leaf: &dyn Fn(&ArrayRef) -> Result<ArrayRef, ArrowError>,
) -> Result<ArrayRef, ArrowError> {
    Ok(match array.data_type() {
        DataType::Struct(fields) => {
            let structs = array.as_struct();
            let nulls = structs.nulls().filter(|nulls| nulls.null_count() > 0);
            let child = |child: &ArrayRef| map_leaves(&masked(child, nulls)?, leaf);
            let children = structs.columns().iter().map(child).collect::<Result<Vec<_>, _>>()?;
            if children.iter().zip(structs.columns()).all(|(new, old)| Arc::ptr_eq(new, old)) {
                return Ok(Arc::clone(array));
            }
            let nulls = structs.nulls().cloned();
            Arc::new(StructArray::try_new_with_length(fields.clone(), children, nulls, structs.len())?)
        }
        DataType::Map(entries, is_sorted) => {
            let array = without_hidden(array)?;
            let map = array.as_map();
            let old: ArrayRef = Arc::new(map.entries().clone());
            let new = map_leaves(&old, leaf)?;
            match Arc::ptr_eq(&old, &new) {
                true => array,
                false => {
                    let (offsets, nulls) = (map.offsets().clone(), map.nulls().cloned());
                    let new = new.as_struct().clone();
                    Arc::new(MapArray::try_new(Arc::clone(entries), offsets, new, nulls, *is_sorted)?)
                }
            }
        }
        DataType::List(element) => list_of::<i32>(array, element, leaf)?,
        DataType::LargeList(element) => list_of::<i64>(array, element, leaf)?,
        DataType::FixedSizeList(element, size) => {
            let list = array.as_fixed_size_list();
            let new = map_leaves(list.values(), leaf)?;
            match Arc::ptr_eq(list.values(), &new) {
                true => Arc::clone(array),
                false => {
                    let nulls = list.nulls().cloned();
                    let element = Arc::clone(element);
                    Arc::new(FixedSizeListArray::try_new_with_length(element, *size, new, nulls, list.len())?)
                }
            }
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let new = map_leaves(dictionary.values(), leaf)?;
            match Arc::ptr_eq(dictionary.values(), &new) {
                true => Arc::clone(array),
                false => dictionary.with_values(new),
            }
        }
        _ => leaf(array)?,
    })
}

fn list_of<O: OffsetSizeTrait>(
    array: &ArrayRef,
    element: &FieldRef,
    leaf: &dyn Fn(&ArrayRef) -> Result<ArrayRef, ArrowError>,
) -> Result<ArrayRef, ArrowError> {
    let array = without_hidden(array)?;
    let list = array.as_list::<O>();
    let new = map_leaves(list.values(), leaf)?;
    if Arc::ptr_eq(list.values(), &new) {
        return Ok(array);
    }
    let (offsets, nulls) = (list.offsets().clone(), list.nulls().cloned());
    Ok(Arc::new(GenericListArray::<O>::try_new(Arc::clone(element), offsets, new, nulls)?))
}

/// Returns the array with nulls also where `nulls` has nulls.
fn masked(array: &ArrayRef, nulls: Option<&NullBuffer>) -> Result<ArrayRef, ArrowError> {
    let Some(nulls) = nulls else { return Ok(Arc::clone(array)) };
    if matches!(array.data_type(), DataType::Null | DataType::Union(..) | DataType::RunEndEncoded(..)) {
        return Ok(Arc::clone(array));
    }
    if array.nulls().is_some_and(|own| own.contains(nulls)) {
        return Ok(Arc::clone(array));
    }
    nullif(array, &BooleanArray::new(!nulls.inner(), None))
}

/// Returns lists or maps whose nulls have no elements.
fn without_hidden(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) else { return Ok(Arc::clone(array)) };
    let hides = match array.data_type() {
        DataType::Map(..) => any_null_has_elements(array.as_map().offsets(), nulls),
        DataType::List(_) => any_null_has_elements(array.as_list::<i32>().offsets(), nulls),
        DataType::LargeList(_) => any_null_has_elements(array.as_list::<i64>().offsets(), nulls),
        _ => false,
    };
    if !hides {
        return Ok(Arc::clone(array));
    }
    let rows = (0..array.len()).map(|row| nulls.is_valid(row).then_some(row as u64));
    take(array, &UInt64Array::from_iter(rows), None)
}

fn any_null_has_elements<O: OffsetSizeTrait>(offsets: &[O], nulls: &NullBuffer) -> bool {
    offsets.windows(2).enumerate().any(|(row, ends)| nulls.is_null(row) && ends[0] != ends[1])
}
