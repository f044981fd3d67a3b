//! Tests that convert Arrow arrays to columns and back. The arrays have every type. Some arrays are slices, and some
//! arrays have masks that begin at other bit offsets than the data.

use arrow_array::builder::Int64Builder;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, PrimitiveArray, StringArray, StructArray, make_array};
use arrow_buffer::ScalarBuffer;

use super::super::download::download;
use super::super::prefetch::Prefetched;
use super::*;
use crate::test_arrays::{all, cpu, with_mask_at};

const SIZES: [usize; 10] = [0, 1, 2, 31, 32, 33, 63, 64, 65, 200];

#[track_caller]
fn check(array: &ArrayRef) -> Column {
    let (stream, mr) = cpu();
    let column = Column::from_arrow(array, &stream, mr.as_ref()).unwrap();
    assert_eq!(column.len(), array.len());
    assert_eq!(column.data_type(), array.data_type());
    assert!(column.validated());
    if array.data_type() != &crate::DataType::Null {
        assert_eq!(column.null_count_on(&stream).unwrap(), array.null_count());
    }
    let back = column.to_arrow(&stream).unwrap();
    assert_eq!(&back, array, "{}", array.data_type());
    back.to_data().validate_full().unwrap();
    column
}

#[test]
fn every_type_goes_round() {
    for len in SIZES {
        for array in all(len) {
            check(&array);
        }
    }
}

#[test]
fn slices_of_slices_go_round() {
    let (stream, _) = cpu();
    for array in all(200) {
        for (start, len) in [(0, 0), (1, 1), (3, 70), (8, 64), (64, 65), (77, 123), (200, 0)] {
            let part = array.slice(start, len);
            let column = check(&part);
            for (start, len) in [(0, len), (len / 3, len / 2), (len, 0)] {
                let again = part.slice(start, len);
                check(&again);
                assert_eq!(&column.slice(start, len).unwrap().to_arrow(&stream).unwrap(), &again);
                let twice = column.slice(start, len).unwrap().slice(len / 2, len - len / 2).unwrap();
                assert_eq!(&twice.to_arrow(&stream).unwrap(), &again.slice(len / 2, len - len / 2));
            }
        }
    }
}

#[test]
fn masks_at_every_bit_offset() {
    for array in all(70) {
        for bit in [0, 1, 2, 5, 7, 8, 9, 17, 64] {
            for part in [array.clone(), array.slice(3, 60), array.slice(16, 33)] {
                let Some(array) = with_mask_at(&part, bit) else { continue };
                check(&array);
            }
        }
    }
}

#[test]
fn upload_and_download_restrict_the_range() {
    let (stream, mr) = cpu();
    for array in all(200) {
        for (start, len) in [(0, 200), (0, 0), (1, 1), (3, 70), (8, 64), (77, 123), (200, 0)] {
            let part = array.slice(start, len);
            let column = upload(&part.to_data(), 0, len, &stream, mr.as_ref()).unwrap();
            assert_eq!(&column.to_arrow(&stream).unwrap(), &part, "{}", part.data_type());
            let back = download(&column, column.offset(), len, &stream).unwrap();
            back.validate_full().unwrap();
            assert_eq!(&make_array(back), &part);
            let shared = Column::from_arrow(&part, &stream, mr.as_ref()).unwrap().slice(len / 3, len / 2).unwrap();
            let back = download(&shared, shared.offset(), shared.len(), &stream).unwrap();
            back.validate_full().unwrap();
            assert_eq!(&make_array(back), &part.slice(len / 3, len / 2));
            // One prefetch gets all bytes that a small column needs.
            let rows = [(&shared, shared.offset(), shared.len())];
            assert!(Prefetched::new(&rows, &stream).unwrap().is_complete(), "{}", part.data_type());
        }
    }
    let long = StringArray::from_iter_values((0..1000).map(|i| i.to_string()));
    let column = upload(&long.to_data(), 10, 5, &stream, mr.as_ref()).unwrap();
    assert_eq!(column.buffers()[1].len(), 10);
}

fn first_bytes(column: &Column) -> Vec<u64> {
    // SAFETY: the test only compares the address and accesses no memory through the address.
    column.buffers().iter().map(|buffer| unsafe { buffer.danger_address() }).collect()
}

#[test]
fn memory_is_shared_both_ways() {
    let (stream, mr) = cpu();
    for array in all(200) {
        let column = Column::from_arrow(&array, &stream, mr.as_ref()).unwrap();
        let data = array.to_data();
        let back = column.to_array_data(&stream).unwrap();
        assert_same_memory(&data, &column, &back);
    }
}

fn assert_same_memory(data: &ArrayData, column: &Column, back: &ArrayData) {
    let imported = first_bytes(column);
    let layout = layout(data.data_type());
    for (index, (buffer, &address)) in data.buffers().iter().zip(&imported).enumerate() {
        // arrow-rs may have allocated memory with a smaller alignment than gdf requires. For example, views need 16
        // bytes. In that case the import copies the buffer.
        let alignment = layout.buffers.get(index).map_or(1, |(_, content)| content.alignment());
        let suits = buffer.is_empty() || buffer.as_ptr().addr().is_multiple_of(alignment);
        assert_eq!(address == buffer.as_ptr() as u64, suits, "{}, buffer {index}", data.data_type());
    }
    let returned: Vec<u64> = back.buffers().iter().map(|buffer| buffer.as_ptr() as u64).collect();
    assert_eq!(returned, imported);
    if let (Some(a), Some(b)) = (data.nulls(), back.nulls()) {
        assert_eq!(a.buffer().as_ptr(), b.buffer().as_ptr());
    }
    for ((data, column), back) in data.child_data().iter().zip(column.children()).zip(back.child_data()) {
        assert_same_memory(data, column, back);
    }
}

#[test]
fn slices_of_primitives_share_data_and_mask_at_any_bit() {
    let (stream, mr) = cpu();
    let array: ArrayRef = Arc::new((0..100).map(|i| (i % 3 > 0).then_some(i)).collect::<Int32Array>());
    for start in 0..20 {
        let part = array.slice(start, 50);
        let data = part.to_data();
        let column = check(&part);
        let address = first_bytes(&column)[0] + 4 * column.offset() as u64;
        assert_eq!(address, data.buffers()[0].as_ptr() as u64, "values shared at {start}");
        let mask = column.validity().unwrap();
        // SAFETY: the test only compares the address and accesses no memory through the address.
        let bit = unsafe { mask.danger_address() } * 8 + column.offset() as u64;
        let nulls = data.nulls().unwrap();
        assert_eq!(bit, nulls.buffer().as_ptr() as u64 * 8 + nulls.offset() as u64, "mask shared at {start}");
        drop((part, data));
        assert_eq!(column.null_count_on(&stream).unwrap(), column.to_arrow(&stream).unwrap().null_count());
        let _ = mr.clone();
    }
}

#[test]
fn the_column_keeps_the_array_alive_and_the_array_the_column() {
    let (stream, mr) = cpu();
    let column = {
        let array = Int64Array::from_iter_values(0..1000);
        Column::from_arrow(&array, &stream, mr.as_ref()).unwrap()
    };
    let array = column.to_arrow(&stream).unwrap();
    drop(column);
    assert_eq!(&array, &(Arc::new(Int64Array::from_iter_values(0..1000)) as ArrayRef));
}

#[test]
fn misaligned_data_are_copied_and_counted() {
    let (stream, mr) = cpu();
    let bytes = ArrowBuffer::from_slice_ref([0u8; 4 * 9 + 1]).slice(1);
    // SAFETY: zeros are valid integers. The misalignment is the subject of the test.
    let data = unsafe { ArrayData::builder(crate::DataType::Int32).len(9).add_buffer(bytes).build_unchecked() };
    let before = copied_misaligned();
    let column = Column::from_array_data(&data, &stream, mr.as_ref()).unwrap();
    assert!(copied_misaligned() > before);
    let array = column.to_arrow(&stream).unwrap();
    assert_eq!(&array, &(Arc::new(PrimitiveArray::<Int32Type>::from_value(0, 9)) as ArrayRef));
}

#[test]
fn dirty_columns_are_marked() {
    let (stream, mr) = cpu();
    let import = |array: &dyn Array| Column::from_arrow(array, &stream, mr.as_ref()).unwrap();
    assert!(import(&Int64Array::from(vec![Some(1), None])).sanitized());
    assert!(import(&StringArray::from(vec!["a", "b"])).sanitized());
    let strings = StringArray::from(vec![Some("a"), None]);
    assert!(!import(&strings).sanitized());
    let field = crate::Field::new("a", crate::DataType::Utf8, true);
    let structs = StructArray::new(vec![field].into(), vec![Arc::new(strings)], None);
    assert!(!import(&structs).sanitized(), "children count");
}

#[test]
fn arrays_without_rows_may_lack_offsets() {
    let (stream, mr) = cpu();
    let data = ArrayData::builder(crate::DataType::Utf8)
        .add_buffer(ArrowBuffer::from_slice_ref([0u8; 0]))
        .add_buffer(ArrowBuffer::from_slice_ref([0u8; 0]))
        .build()
        .unwrap();
    let column = Column::from_array_data(&data, &stream, mr.as_ref()).unwrap();
    assert_eq!(column.buffers()[0].len(), 4);
    assert_eq!(upload(&data, 0, 0, &stream, mr.as_ref()).unwrap().buffers()[0].len(), 4);
    assert_eq!(column.to_arrow(&stream).unwrap().len(), 0);
}

#[test]
fn offsets_of_data_and_mask_that_differ() {
    let (stream, mr) = cpu();
    // The data begin at row 5, and the mask begins at bit `bit`. The import moves the start of a buffer, or copies the
    // mask, so that one offset is correct for data and mask.
    let values: ScalarBuffer<i64> = (0..100).collect();
    for bit in [0usize, 3, 5, 13, 16, 31] {
        let mask: arrow_buffer::BooleanBuffer = (0..100).map(|i| i % 7 != 3).collect();
        let nulls = arrow_buffer::NullBuffer::new(mask.slice(bit, 40));
        let data = ArrayData::builder(crate::DataType::Int64)
            .len(40)
            .offset(5)
            .add_buffer(values.inner().clone())
            .nulls(Some(nulls))
            .build()
            .unwrap();
        let array = make_array(data.clone());
        let column = Column::from_array_data(&data, &stream, mr.as_ref()).unwrap();
        assert_eq!(&column.to_arrow(&stream).unwrap(), &array);
        assert_eq!(
            column.offset() % 8,
            match bit {
                13 => 5,
                31 => 0,
                bit => bit % 8,
            }
        );
    }
    let mut builder = Int64Builder::new();
    builder.append_null();
    check(&(Arc::new(builder.finish()) as ArrayRef));
}

#[test]
fn offsets_that_children_share() {
    let (stream, mr) = cpu();
    for array in all(50) {
        let data_type = array.data_type().clone();
        let (len, each) = match rows_per_parent(physical_type(&data_type)) {
            Some(each) => (40, each),
            None => continue,
        };
        // Other implementations of Arrow slice a struct by an offset in the parent only, and leave the children whole.
        let data = array.to_data();
        let nulls = data.nulls().map(|nulls| nulls.slice(7, len));
        // SAFETY: the data are valid, and the result has the rows of the data from row 7 on.
        let sliced = unsafe { data.into_builder().len(len).offset(7).nulls(nulls).build_unchecked() };
        for column in [
            Column::from_array_data(&sliced, &stream, mr.as_ref()).unwrap(),
            upload(&sliced, 0, len, &stream, mr.as_ref()).unwrap(),
        ] {
            assert_eq!(&column.to_arrow(&stream).unwrap(), &array.slice(7, len), "{data_type} {each}");
            let part = column.slice(3, 20).unwrap();
            assert_eq!(&part.to_arrow(&stream).unwrap(), &array.slice(10, 20), "{data_type} {each}");
        }
    }
}

/// The test makes the column with gdf, because arrow-rs cannot make an empty array of this type.
#[test]
fn lists_without_rows_may_be_of_unions_without_fields() {
    use crate::{DataType, Field, UnionFields, UnionMode};
    let (stream, _) = cpu();
    let union = DataType::Union(UnionFields::empty(), UnionMode::Sparse);
    let list = DataType::List(Arc::new(Field::new("item", union, true)));
    let empty = Column::empty_on(&list, stream.device()).unwrap().to_arrow(&stream).unwrap();
    assert_eq!((empty.len(), empty.data_type()), (0, &list));
}

#[test]
fn arrays_of_too_many_levels_are_refused() {
    let (stream, mr) = cpu();
    let offsets = || arrow_buffer::OffsetBuffer::new(vec![0, 1].into());
    let mut array: ArrayRef = Arc::new(Int64Array::from(vec![7]));
    for levels in 2..=100_000 {
        let field = Arc::new(arrow_schema::Field::new("item", array.data_type().clone(), true));
        array = Arc::new(arrow_array::ListArray::new(field, offsets(), array, None));
        match levels {
            64 => assert_eq!(
                &Column::from_arrow(&array, &stream, mr.as_ref()).unwrap().to_arrow(&stream).unwrap(),
                &array
            ),
            65 | 100_000 => {
                let found = Column::from_arrow(&array, &stream, mr.as_ref());
                assert!(matches!(found, Err(Error::InvalidArgument { .. })), "{levels}");
            }
            _ => {}
        }
    }
    // Arrow drops arrays recursively, which would overflow the stack.
    std::mem::forget(array);
}
