//! Merges the fields of files that are read together. A field may allow nulls, or have decimals of a larger precision,
//! in some of the files only. The merged field allows nulls if any of the files does, and has the largest precision.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, make_array};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema, SchemaRef};
use gdf_core::layout::{child_types, same_named_type};

use crate::{Result, names};

/// Returns the first schema, with nulls allowed in the fields that allow nulls in `other`, and with the larger of both
/// precisions of decimals, at every level of nesting. Columns are matched by name. A column that `other` does not have
/// with the same type stays unchanged.
pub fn merged_schema(first: &SchemaRef, other: &Schema) -> SchemaRef {
    let names_of = |schema: &Schema| schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
    let (known, found) = (names_of(first), names_of(other));
    let is_same_order = known == found;
    let merge = |(index, field): (usize, &FieldRef)| {
        let place = match is_same_order {
            true => Some(index),
            // The path occurs only in the error, which is dropped.
            false => names::matching(&known, index, &found, Path::new("")).ok(),
        };
        let found = place.map(|place| other.field(place));
        let found = found.filter(|found| same_named_type(field.data_type(), found.data_type()));
        found.map_or_else(|| field.clone(), |found| merged_field(field, found))
    };
    let fields: Vec<FieldRef> = first.fields().iter().enumerate().map(merge).collect();
    if fields[..] == first.fields()[..] {
        return first.clone();
    }
    Arc::new(Schema::new_with_metadata(fields, first.metadata().clone()))
}

/// Returns the first field, with nulls allowed where `other` allows nulls, and with the larger of both precisions of
/// decimals. Both fields have the same type.
pub(crate) fn merged_field(first: &FieldRef, other: &Field) -> FieldRef {
    let is_nullable = first.is_nullable() || other.is_nullable();
    let data_type = merged_type(first.data_type(), other.data_type());
    if is_nullable == first.is_nullable() && data_type == *first.data_type() {
        return first.clone();
    }
    Arc::new(Field::clone(first).with_nullable(is_nullable).with_data_type(data_type))
}

pub(crate) fn merged_type(first: &DataType, other: &DataType) -> DataType {
    use DataType as T;
    match (first, other) {
        (T::List(a), T::List(b)) => T::List(merged_field(a, b)),
        (T::LargeList(a), T::LargeList(b)) => T::LargeList(merged_field(a, b)),
        (T::ListView(a), T::ListView(b)) => T::ListView(merged_field(a, b)),
        (T::LargeListView(a), T::LargeListView(b)) => T::LargeListView(merged_field(a, b)),
        (T::FixedSizeList(a, size), T::FixedSizeList(b, _)) => T::FixedSizeList(merged_field(a, b), *size),
        (T::Map(a, is_sorted), T::Map(b, also)) => T::Map(merged_field(a, b), *is_sorted && *also),
        (T::Struct(a), T::Struct(b)) if a.len() == b.len() => {
            T::Struct(a.iter().zip(b.iter()).map(|(a, b)| merged_field(a, b)).collect())
        }
        (T::Union(a, mode), T::Union(b, _)) if a.len() == b.len() => {
            T::Union(a.iter().zip(b.iter()).map(|((id, a), (_, b))| (id, merged_field(a, b))).collect(), *mode)
        }
        (T::Dictionary(keys, a), T::Dictionary(_, b)) => T::Dictionary(keys.clone(), Box::new(merged_type(a, b))),
        (T::RunEndEncoded(ends, a), T::RunEndEncoded(_, b)) => T::RunEndEncoded(ends.clone(), merged_field(a, b)),
        _ => match (gdf_core::decimal_parts(first), gdf_core::decimal_parts(other)) {
            (Some((_, precision, _)), Some((_, larger, _))) if larger > precision => other.clone(),
            _ => first.clone(),
        },
    }
}

/// Returns the array with nulls allowed in the nested fields in which `data_type` allows nulls, and with the precisions
/// of `data_type` if they are larger. If both types are the same by [`same_named_type`], the result shares the memory of
/// the array. Otherwise, the array is cast.
///
/// # Errors
/// - The data of the array are invalid.
pub(crate) fn widened(array: ArrayRef, data_type: &DataType) -> Result<ArrayRef> {
    if !same_named_type(array.data_type(), data_type) {
        let options = CastOptions { safe: false, ..CastOptions::default() };
        return Ok(cast_with_options(&array, data_type, &options).map_err(gdf_core::Error::from)?);
    }
    let merged = merged_type(array.data_type(), data_type);
    if merged == *array.data_type() {
        return Ok(array);
    }
    Ok(make_array(retyped(array.to_data(), &merged).map_err(gdf_core::Error::from)?))
}

fn retyped(data: ArrayData, data_type: &DataType) -> Result<ArrayData, ArrowError> {
    if data.data_type() == data_type {
        return Ok(data);
    }
    let children = data.child_data().iter().zip(child_types(data_type));
    let children = children.map(|(child, of)| retyped(child.clone(), of)).collect::<Result<Vec<_>, _>>()?;
    data.into_builder().data_type(data_type.clone()).child_data(children).build()
}

#[cfg(test)]
mod tests {
    use arrow_array::types::Int32Type;
    use arrow_array::{DictionaryArray, Int32Array, ListArray, StructArray};
    use arrow_buffer::OffsetBuffer;
    use arrow_schema::UnionFields;

    use super::*;

    fn field(name: &str, data_type: DataType, is_nullable: bool) -> FieldRef {
        Arc::new(Field::new(name, data_type, is_nullable))
    }

    /// Returns a type of each kind of nesting, whose innermost fields all allow nulls, or all allow none.
    fn nested(is_nullable: bool) -> Vec<DataType> {
        let item = || field("item", DataType::Int32, is_nullable);
        let of_struct = DataType::Struct([field("a", DataType::Int32, true), item()].into_iter().collect());
        let entries = [field("key", DataType::Utf8, false), field("value", DataType::Int32, is_nullable)];
        let of_union = [(0, item()), (1, field("text", DataType::Utf8, true))];
        vec![
            DataType::List(item()),
            DataType::LargeList(item()),
            DataType::ListView(item()),
            DataType::LargeListView(item()),
            DataType::FixedSizeList(item(), 2),
            DataType::Map(field("entries", DataType::Struct(entries.into_iter().collect()), false), false),
            DataType::List(field("item", of_struct.clone(), true)),
            of_struct.clone(),
            DataType::Union(of_union.into_iter().collect::<UnionFields>(), arrow_schema::UnionMode::Dense),
            DataType::Dictionary(Box::new(DataType::Int8), Box::new(of_struct)),
            DataType::RunEndEncoded(field("run_ends", DataType::Int32, false), item()),
        ]
    }

    #[test]
    fn a_field_of_any_nesting_allows_nulls_if_either_does() {
        for (strict, loose) in nested(false).into_iter().zip(nested(true)) {
            assert_ne!(strict, loose);
            assert_eq!(merged_type(&strict, &loose), loose);
            assert_eq!(merged_type(&loose, &strict), loose);
            assert_eq!(merged_type(&strict, &strict), strict);
        }
    }

    #[test]
    fn decimals_get_the_larger_precision() {
        let list = |precision: u8| DataType::List(field("item", DataType::Decimal64(precision, 2), true));
        for (first, other) in [(list(5), list(9)), (list(9), list(5)), (list(9), list(9))] {
            assert_eq!(merged_type(&first, &other), list(9));
        }
    }

    #[test]
    fn maps_are_sorted_if_both_are() {
        let entries = nested(true).into_iter().find_map(|of| match of {
            DataType::Map(entries, _) => Some(entries),
            _ => None,
        });
        let map = |is_sorted| DataType::Map(entries.clone().unwrap(), is_sorted);
        for (first, other) in [(true, true), (true, false), (false, true)] {
            assert_eq!(merged_type(&map(first), &map(other)), map(first && other));
        }
        let array = arrow_array::new_empty_array(&map(true));
        assert_eq!(widened(array, &map(false)).unwrap().data_type(), &map(false));
    }

    #[test]
    fn columns_are_matched_by_name_and_keep_what_differs() {
        let schema = |fields: [FieldRef; 3]| Arc::new(Schema::new(fields.to_vec()));
        let int = |name, is_nullable| field(name, DataType::Int32, is_nullable);
        let first = schema([int("a", false), int("b", false), int("c", false)]);
        let other = schema([int("c", true), field("b", DataType::Utf8, true), int("a", false)]);
        let merged = merged_schema(&first, &other);
        assert_eq!(merged, schema([int("a", false), int("b", false), int("c", true)]));
        assert!(Arc::ptr_eq(&merged_schema(&merged, &first), &merged));
    }

    #[test]
    fn arrays_get_the_wider_type_and_keep_their_rows() {
        for (strict, loose) in nested(false).into_iter().zip(nested(true)) {
            let array = arrow_array::new_empty_array(&strict);
            assert_eq!(widened(array, &loose).unwrap().data_type(), &loose);
        }
        let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
        let structs = StructArray::new(vec![field("a", DataType::Int32, false)].into(), vec![numbers], None);
        let keys = Int32Array::from(vec![Some(2), None, Some(0)]);
        let dictionary: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::new(keys, Arc::new(structs)));
        let item = field("item", dictionary.data_type().clone(), true);
        let lists = ListArray::new(item, OffsetBuffer::from_lengths([2, 0, 1]), dictionary, None);
        let of_struct = DataType::Struct([field("a", DataType::Int32, true)].into_iter().collect());
        let of_dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(of_struct));
        let wanted = DataType::List(field("item", of_dictionary, true));
        let sliced: ArrayRef = Arc::new(lists.slice(1, 2));
        let found = widened(sliced, &wanted).unwrap();
        assert_eq!((found.data_type(), found.len()), (&wanted, 2));
        found.to_data().validate_full().unwrap();
        // An array that allows nulls already stays what it is.
        assert_eq!(widened(found, lists.data_type()).unwrap().data_type(), &wanted);
    }
}
