//! Tests that an imported column is marked as validated only if the import has validated its data.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, DictionaryArray, FixedSizeListArray, Int8Array, Int32Array, ListArray, StringArray,
    StringViewArray, StructArray, UnionArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use gdf_core::{Column, DataType, Error, Field, Fields};

use super::{column, cpu, schema_of};
use crate::{ArrowArray, ArrowDeviceArray, Importer, InteropError, Result, from_arrow_device, to_arrow_device};

const TEXT: [&str; 12] = ["first", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "last"];

fn text() -> ArrayRef {
    Arc::new(StringArray::from(TEXT.to_vec()))
}

fn views() -> ArrayRef {
    Arc::new(StringViewArray::from(TEXT.to_vec()))
}

fn keys() -> ArrayRef {
    let words = Arc::new(StringArray::from(vec!["x", "y"]));
    Arc::new(DictionaryArray::new(Int8Array::from_iter_values((0..12).map(|i| i % 2)), words))
}

fn lists() -> ArrayRef {
    let item = Arc::new(Field::new_list_field(DataType::Int32, true));
    let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(0..24));
    Arc::new(ListArray::new(item, OffsetBuffer::from_lengths([2; 12]), numbers, None))
}

fn unions() -> ArrayRef {
    let fields = [(0, Arc::new(Field::new("a", DataType::Int32, true)))].into_iter().collect();
    let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(0..12));
    Arc::new(UnionArray::try_new(fields, ScalarBuffer::from(vec![0_i8; 12]), None, vec![numbers]).unwrap())
}

fn within(child: ArrayRef, nulls: Option<NullBuffer>) -> ArrayRef {
    let fields = Fields::from(vec![Field::new("field", child.data_type().clone(), true)]);
    Arc::new(StructArray::new(fields, vec![child], nulls))
}

fn pairs(child: ArrayRef) -> ArrayRef {
    let item = Arc::new(Field::new_list_field(child.data_type().clone(), true));
    Arc::new(FixedSizeListArray::new(item, 2, child, None))
}

fn sparse(child: ArrayRef) -> ArrayRef {
    let fields = [(0, Arc::new(Field::new("a", child.data_type().clone(), true)))].into_iter().collect();
    Arc::new(UnionArray::try_new(fields, ScalarBuffer::from(vec![0_i8; child.len()]), None, vec![child]).unwrap())
}

/// Exports the array.
fn exported(array: &ArrayRef) -> ArrowDeviceArray {
    let (stream, mr) = cpu();
    to_arrow_device(column(array).deep_copy(&stream, mr.as_ref()).unwrap(), &stream).unwrap()
}

fn import(array: ArrowDeviceArray, like: &ArrayRef) -> Result<Column> {
    let (stream, mr) = cpu();
    // SAFETY: gdf exported the array, and the tests' changes do not make the array need longer buffers.
    unsafe { from_arrow_device(array, &schema_of(like), &stream, mr.as_ref()) }
}

fn child(array: &mut ArrowArray) -> &mut ArrowArray {
    // SAFETY: tests call this function only with arrays that have a child.
    unsafe { &mut **array.children }
}

fn put<T>(array: &mut ArrowArray, i: usize, at: usize, value: T) {
    // SAFETY: the exported array is the only owner of its buffers, and the buffers hold more values than the tests
    // write.
    unsafe { array.buffers.add(i).read().cast_mut().cast::<T>().add(at).write(value) };
}

/// Checks that the column and all its descendants are marked as validated, and that the full validation of arrow-rs
/// accepts the data.
fn check(column: &Column) {
    let (stream, _) = cpu();
    assert!(column.validated());
    column.to_arrow(&stream).unwrap().to_data().validate_full().unwrap();
    column.children().iter().for_each(check);
}

type Spoil = fn(&mut ArrowArray);

/// Returns arrays of twelve rows.
fn spoiled_in_the_first_row() -> [(&'static str, ArrayRef, Spoil); 6] {
    [
        ("text", text(), |array| put(array, 2, 0, 0xff_u8)),
        ("offsets", text(), |array| put(array, 1, 0, 90_i32)),
        ("views", views(), |array| put(array, 1, 0, u128::MAX)),
        ("keys", keys(), |array| put(array, 1, 0, 99_i8)),
        ("list offsets", lists(), |array| put(array, 1, 0, 90_i32)),
        ("type ids", unions(), |array| put(array, 0, 0, 7_i8)),
    ]
}

#[test]
fn rows_that_were_not_checked_are_not_given_out() {
    type Nest = fn(ArrayRef) -> ArrayRef;
    let parents: [(&str, Nest, usize); 4] = [
        ("struct", |child| within(child, None), 1),
        ("struct in struct", |child| within(within(child, None), None), 2),
        ("fixed-size list", pairs, 1),
        ("sparse union", sparse, 1),
    ];
    for (spoiled, leaf, spoil) in spoiled_in_the_first_row().into_iter().step_by(if cfg!(miri) { 3 } else { 1 }) {
        for (what, nest, depth) in parents {
            let array = nest(leaf.clone());
            let rows = array.len() as i64;
            for (offset, length) in [(0, rows), (1, rows - 1), (2, 1), (0, 0)] {
                let mut exported = exported(&array);
                (exported.array.offset, exported.array.length) = (offset, length);
                spoil((0..depth).fold(&mut exported.array, |array, _| child(array)));
                let imported = import(exported, &array);
                // Whether an array without rows is refused is not fixed.
                if length > 0 {
                    assert_eq!(imported.is_err(), offset == 0, "{spoiled} in {what}, {length} from {offset}");
                }
                if let Ok(imported) = imported {
                    check(&imported);
                }
            }
        }
    }
}

#[test]
fn a_mask_keeps_rows_of_its_first_byte_which_are_looked_at() {
    let nulls: NullBuffer = (0..12).map(|i| i != 10).collect();
    let array = within(text(), Some(nulls));
    for (offset, is_refused) in [(1, true), (7, true), (8, false), (9, false)] {
        let mut exported = exported(&array);
        (exported.array.offset, exported.array.length) = (offset, 12 - offset);
        exported.array.null_count = -1;
        put(child(&mut exported.array), 2, 0, 0xff_u8);
        let imported = import(exported, &array);
        assert_eq!(imported.is_err(), is_refused, "from {offset}");
        if let Ok(imported) = imported {
            check(&imported);
            assert_eq!(imported.known_null_count(), Some(1));
            let (stream, _) = cpu();
            assert_eq!(&imported.to_arrow(&stream).unwrap(), &array.slice(offset as usize, 12 - offset as usize));
        }
    }
}

/// Children of lists are validated completely.
#[test]
fn a_struct_within_a_list_is_no_exception() {
    let item = Arc::new(Field::new_list_field(within(text(), None).data_type().clone(), true));
    let array: ArrayRef =
        Arc::new(ListArray::new(item, OffsetBuffer::from_lengths([11]), within(text(), None).slice(0, 11), None));
    for first in [0, 1] {
        let whole: ArrayRef = within(text(), None);
        let mut list = exported(&array);
        let mut longer = exported(&whole);
        std::mem::swap(child(&mut list.array), &mut longer.array);
        let elements = child(&mut list.array);
        (elements.offset, elements.length) = (first, 11);
        put(child(elements), 2, 0, 0xff_u8);
        let imported = import(list, &array);
        assert_eq!(imported.is_err(), first == 0);
        if let Ok(imported) = imported {
            check(&imported);
        }
    }
}

/// The null count of a foreign array is compared with the mask.
#[test]
fn a_null_count_of_zero_is_checked() {
    let array: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None, Some(3)]));
    let reported = |null_count, offset, length| {
        let mut exported = exported(&array);
        exported.array.null_count = null_count;
        (exported.array.offset, exported.array.length) = (offset, length);
        exported
    };
    let refused = import(reported(0, 0, 3), &array);
    let rule = "the null count differs from the number of nulls in the validity mask";
    assert!(matches!(refused, Err(InteropError::Core(Error::InvalidData { what, .. })) if what == rule));
    // The last row is not null.
    let right = import(reported(0, 2, 1), &array).unwrap();
    assert!(!right.has_validity() && right.sanitized());
    let (stream, mr) = cpu();
    let importer = Importer::of_type(DataType::Int32).without_validation();
    // SAFETY: gdf exported the array.
    let believed = unsafe { importer.column(reported(0, 0, 3), &stream, mr.as_ref()).unwrap() };
    assert_eq!((believed.has_validity(), believed.known_null_count()), (false, Some(0)));
}
