//! Tests of views of columns, and of slicing, copying, changing the type, and counting nulls.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int32Array};
use arrow_schema::Field;

use super::*;
use crate::test_arrays::{all, cpu, int32, timestamp};
use crate::*;

fn column(values: &[Option<i32>]) -> Column {
    let (stream, mr) = cpu();
    Column::from_options_on(values, &stream, mr.as_ref()).unwrap()
}

#[test]
fn ranges_are_checked() {
    let c = column(&[Some(1), None, Some(3)]);
    for (offset, len) in [(0, 4), (4, 0), (2, 2), (usize::MAX, 2), (1, usize::MAX)] {
        assert!(matches!(c.slice(offset, len), Err(Error::OutOfBounds { len: 3, .. })));
        assert!(matches!(c.view().slice(offset, len), Err(Error::OutOfBounds { len: 3, .. })));
    }
    assert_eq!(c.slice(3, 0).unwrap().len(), 0);
}

#[test]
fn memory_goes_back_in_the_order_of_the_stream_it_was_given_to() {
    let (first, second) = (gdf_driver::Stream::cpu(), gdf_driver::Stream::cpu());
    let (_, upstream) = cpu();
    let spy = gdf_memory::testing::SpyingResource::new(upstream);
    let mr = gdf_memory::Resource::new(spy.clone());
    let numbers = Column::from_options_on(&[Some(1_i32), None, Some(2)], &first, mr.as_ref()).unwrap();
    let shared = numbers.clone();
    let mut table = Table::try_new(vec![numbers]).unwrap();
    table.rebind(&second).unwrap();
    drop((table, shared));
    assert!(!spy.streams().contains(&second.id()), "both columns shared the memory");

    let mut numbers = Column::from_options_on(&[Some(1_i32), None, Some(2)], &first, mr.as_ref()).unwrap();
    numbers.rebind(&second).unwrap();
    drop(numbers);
    assert!(spy.streams().contains(&second.id()));
}

#[test]
fn null_counts_of_slices() {
    let (stream, mr) = cpu();
    let values: Vec<Option<i32>> = (0..200).map(|i| (i % 3 > 0).then_some(i)).collect();
    let c = column(&values);
    for (offset, len) in [(0, 200), (0, 0), (1, 1), (7, 64), (100, 65)] {
        let expected = values[offset..offset + len].iter().filter(|v| v.is_none()).count();
        assert_eq!(c.slice(offset, len).unwrap().null_count_on(&stream).unwrap(), expected);
        assert_eq!(c.view().slice(offset, len).unwrap().null_count_on(&stream).unwrap(), expected);
        let twice = c.slice(offset, len).unwrap();
        assert_eq!(twice.view().null_count_on(&stream).unwrap(), expected);
    }
    let none = Column::from_slice_on(&[1i32, 2], &stream, mr.as_ref()).unwrap();
    assert_eq!(none.slice(1, 1).unwrap().known_null_count(), Some(0));
    let all = Column::nulls_on(&DataType::Int32, 9, &stream, mr.as_ref()).unwrap();
    assert_eq!(all.slice(1, 4).unwrap().known_null_count(), Some(4));
    let null = Column::nulls_on(&DataType::Null, 9, &stream, mr.as_ref()).unwrap();
    assert_eq!(null.slice(1, 4).unwrap().null_count_on(&stream).unwrap(), 4);
    assert_eq!(null.view().slice(1, 3).unwrap().null_count_on(&stream).unwrap(), 3);
}

#[test]
fn counts_that_kernels_left() {
    let (stream, mr) = cpu();
    let word = Buffer::from_host(&1u64.to_ne_bytes(), &stream, mr.as_ref()).unwrap();
    let parts = ColumnParts { null_count: NullCount::device(word), ..column(&[Some(1), None]).into_parts() };
    // SAFETY: the mask has exactly one zero, as the count in `word` says.
    let c = unsafe { Column::try_from_vouched_parts(parts).unwrap() };
    assert_eq!(c.known_null_count(), None);
    let clone = c.clone();
    assert_eq!(c.view().null_count_on(&stream).unwrap(), 1);
    assert_eq!(clone.known_null_count(), Some(1), "kept for all clones");
    assert_eq!(c.slice(0, 1).unwrap().null_count_on(&stream).unwrap(), 0);
}

#[test]
fn views_become_columns() {
    let (stream, mr) = cpu();
    for array in all(65) {
        let c = Column::from_arrow(&array, &stream, mr.as_ref()).unwrap();
        let view = c.view().slice(3, 60).unwrap().slice(1, 40).unwrap();
        assert_eq!(&view.to_column().to_arrow(&stream).unwrap(), &array.slice(4, 40));
        assert_eq!(view.len(), 40);
    }
}

#[test]
fn deep_copies_share_nothing() {
    let (stream, mr) = cpu();
    for array in all(65) {
        let c = Column::from_arrow(&array, &stream, mr.as_ref()).unwrap();
        let copy = c.deep_copy(&stream, mr.as_ref()).unwrap();
        assert_eq!(&copy.to_arrow(&stream).unwrap(), &array);
        assert_eq!(copy.alloc_size(), c.alloc_size());
        for (a, b) in c.buffers().iter().zip(copy.buffers()) {
            assert!(!a.same_allocation(b));
        }
    }
}

#[test]
fn bit_casts() {
    let (stream, _) = cpu();
    let c = column(&[Some(1), None, Some(3)]);
    let dates = c.bit_cast(DataType::Date32).unwrap();
    assert_eq!(dates.null_count_on(&stream).unwrap(), 1);
    assert_eq!(int32(&dates.bit_cast(DataType::Int32).unwrap().to_arrow(&stream).unwrap()), [Some(1), None, Some(3)]);
    assert!(c.bit_cast(DataType::Float32).is_ok());
    assert!(c.bit_cast(DataType::FixedSizeBinary(4)).is_ok());
    assert!(matches!(c.bit_cast(DataType::Int64), Err(Error::TypeMismatch { .. })));
    assert!(matches!(c.bit_cast(DataType::Boolean), Err(Error::Unsupported { .. })));
    assert!(matches!(c.bit_cast(DataType::Utf8), Err(Error::Unsupported { .. })));
}

#[test]
fn bytes_may_not_suit_the_other_type() {
    let (stream, mr) = cpu();
    let buffer = Buffer::zeroed(41, &stream, mr.as_ref()).unwrap().slice(1, 40).unwrap();
    let bytes = ColumnParts::new(DataType::FixedSizeBinary(4), Device::Cpu, 10).buffer(buffer);
    let bytes = Column::try_from_parts(bytes).unwrap();
    assert!(matches!(bytes.bit_cast(DataType::Int32), Err(Error::BufferMisaligned { needed: 4, .. })));
}

#[test]
fn relabeling() {
    let (stream, mr) = cpu();
    let numbers = Column::from_slice_on(&[1i64, 2], &stream, mr.as_ref()).unwrap();
    assert_eq!(numbers.with_type(timestamp()).unwrap().data_type(), &timestamp());
    assert!(numbers.with_type(DataType::UInt64).is_err());
    let text = Column::from_strs_on(&[Some("a"), None], &stream, mr.as_ref()).unwrap();
    let bytes = text.with_type(DataType::Binary).unwrap();
    assert!(bytes.validated());
    let text = bytes.with_type(DataType::Utf8).unwrap();
    assert!(!text.validated(), "bytes need not be UTF-8");
    assert!(text.to_arrow(&stream).is_ok());
    assert!(text.with_type(DataType::LargeUtf8).is_err());
    let wrong = Column::from_binary_typed_on(&[Some([0xffu8])], &DataType::Binary, &stream, mr.as_ref()).unwrap();
    assert!(wrong.with_type(DataType::Utf8).unwrap().to_arrow(&stream).is_err());
    let structs = make_structs_column(vec![numbers.clone(), text], None).unwrap();
    let fields = vec![Field::new("n", timestamp(), true), Field::new("b", DataType::Binary, true)];
    let relabeled = structs.with_type(DataType::Struct(fields.clone().into())).unwrap();
    assert_eq!(relabeled.children()[0].data_type(), &timestamp());
    assert!(structs.with_type(DataType::Struct(fields[..1].to_vec().into())).is_err());
    assert!(relabeled.to_arrow(&stream).is_ok());
}

#[test]
fn values_and_offsets_for_host_code() {
    let (stream, mr) = cpu();
    let c = column(&[Some(1), Some(2), Some(3), Some(4)]);
    let view = c.view().slice(1, 2).unwrap();
    let access = view.buffer(0).unwrap().read_on(&stream).unwrap();
    assert_eq!(view.values::<i32>(&access).unwrap(), [2, 3]);
    assert!(view.values::<u32>(&access).is_err());
    assert!(view.offsets::<i32>(&access).is_err());
    assert!(view.buffer(1).is_err());
    let text = Column::from_strs_on(&[Some("ab"), Some("c"), None], &stream, mr.as_ref()).unwrap();
    let view = text.view().slice(1, 2).unwrap();
    let access = view.buffer(0).unwrap().read_on(&stream).unwrap();
    assert_eq!(view.offsets::<i32>(&access).unwrap(), [2, 3, 3]);
    assert!(view.offsets::<i64>(&access).is_err());
}

#[test]
fn typed_views_apply_the_slice() {
    let (stream, mr) = cpu();
    let text = Column::from_strs_on(&[Some("ab"), Some("c"), None, Some("def")], &stream, mr.as_ref()).unwrap();
    let view = StringsView::try_from(text.view().slice(1, 3).unwrap()).unwrap();
    assert_eq!(view.chars_range(&stream).unwrap(), (2, 6));
    let empty = StringsView::try_from(text.view().slice(2, 0).unwrap()).unwrap();
    assert_eq!(empty.chars_range(&stream).unwrap(), (0, 0), "the offset of a view without rows is not read");
    assert!(!view.is_large());
    assert!(ListsView::try_from(text.view()).is_err());
    let offsets = Column::from_slice_on(&[0i64, 1, 1, 4], &stream, mr.as_ref()).unwrap();
    let lists = make_lists_column(&offsets, text.clone(), None).unwrap();
    let view = ListsView::try_from(lists.view().slice(1, 2).unwrap()).unwrap();
    assert!(view.is_large());
    let child = view.sliced_child(&stream).unwrap();
    assert_eq!((child.offset(), child.len()), (1, 3));
    let structs = make_structs_column(vec![text.clone(), text.clone()], None).unwrap();
    let view = StructsView::try_from(structs.view().slice(2, 2).unwrap()).unwrap();
    assert_eq!(view.num_children(), 2);
    assert_eq!((view.child(1).unwrap().offset(), view.child(1).unwrap().len()), (2, 2));
    assert!(view.child(2).is_err());
    for array in all(65) {
        let c = Column::from_arrow(&array, &stream, mr.as_ref()).unwrap();
        let view = c.view().slice(10, 20).unwrap();
        if let Ok(dictionary) = DictionaryView::try_from(view) {
            assert_eq!(dictionary.keys().len(), 20);
            assert_eq!(dictionary.keys().data_type(), &DataType::UInt16);
            assert_eq!(dictionary.values().len(), 4);
        }
        if let Ok(lists) = FixedSizeListsView::try_from(view) {
            assert_eq!(lists.sliced_child().unwrap().len(), 60);
        }
        if let Ok(lists) = ListsView::try_from(view) {
            assert!(lists.sliced_child(&stream).unwrap().len() <= lists.child().len());
        }
        assert_eq!(RunsView::try_from(view).is_ok(), matches!(array.data_type(), DataType::RunEndEncoded(..)));
    }
}

#[test]
fn wrong_offsets_do_not_panic() {
    let (stream, mr) = cpu();
    for ends in [[0i32, 9], [2, 1], [-1, 1]] {
        let offsets = Column::from_slice_on(&ends, &stream, mr.as_ref()).unwrap();
        let lists = make_lists_column(&offsets, column(&[Some(1), Some(2)]), None).unwrap();
        let view = ListsView::try_from(lists.view()).unwrap();
        assert!(matches!(view.sliced_child(&stream), Err(Error::InvalidData { .. })));
    }
}

#[test]
fn empty_and_null_columns_of_every_type() {
    let (stream, mr) = cpu();
    for array in all(5) {
        let data_type = array.data_type();
        let empty = Column::empty_on(data_type, Device::Cpu).unwrap();
        assert_eq!(&empty.to_arrow(&stream).unwrap(), &array.slice(0, 0), "{data_type}");
        assert!(!empty.has_validity());
        for len in [0, 1, 33, 1000] {
            let nulls = Column::nulls_on(data_type, len, &stream, mr.as_ref()).unwrap();
            let expected = arrow_array::new_null_array(data_type, len);
            let found = nulls.to_arrow(&stream).unwrap();
            found.to_data().validate_full().unwrap();
            assert_eq!(found.logical_null_count(), expected.logical_null_count(), "{data_type}");
            assert_eq!(found.len(), len);
            if can_have_validity(data_type) {
                assert_eq!(&found, &expected, "{data_type}");
                assert_eq!(nulls.null_count_on(&stream).unwrap(), len);
            }
        }
    }
    let ends = Arc::new(Field::new("run_ends", DataType::Int16, false));
    let runs = DataType::RunEndEncoded(ends, Arc::new(Field::new("values", DataType::Int32, true)));
    let long = Column::nulls_on(&runs, 40000, &stream, mr.as_ref());
    assert!(matches!(long, Err(Error::OffsetOverflow { needed: 40000, .. })));
    assert!(Column::nulls_on(&DataType::Int64, usize::MAX / 2, &stream, mr.as_ref()).is_err());
}

#[test]
fn out_of_memory_is_recognized() {
    let error = Error::from(gdf_memory::MemoryError::OutOfMemory { requested: 1, free: None, resource: "test" });
    assert!(error.is_out_of_memory());
    assert!(!Error::invalid_argument("x").is_out_of_memory());
}

#[test]
fn arrays_of_the_arrow_crate_stay_what_they_were() {
    let (stream, mr) = cpu();
    let array: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None]));
    let c = Column::from_arrow(&array, &stream, mr.as_ref()).unwrap();
    assert_eq!(int32(&c.to_arrow(&stream).unwrap()), [Some(1), None]);
    assert!(matches!(c.clone().into_parts().null_count, NullCount::Known(1)));
}

#[test]
fn values_are_written_in_place_where_nothing_shares_them() {
    let (stream, mr) = cpu();
    let mut c = column(&[Some(1), None, Some(3), Some(4)]).slice(1, 2).unwrap();
    c.write_values_on(&stream).unwrap().as_mut_slice::<i32>().unwrap().copy_from_slice(&[20, 30]);
    assert_eq!(c.to_arrow(&stream).unwrap().as_ref(), &Int32Array::from(vec![None, Some(30)]) as &dyn Array);
    let shared = c.clone();
    let refused = |error| matches!(error, Error::Memory(gdf_memory::MemoryError::Shared));
    assert!(refused(c.write_values_on(&stream).unwrap_err()));
    drop(shared);
    assert!(c.write_values_on(&stream).is_ok());
    let mut foreign = Column::from_arrow(&Int32Array::from(vec![1, 2]), &stream, mr.as_ref()).unwrap();
    assert!(refused(foreign.write_values_on(&stream).unwrap_err()));
    for mut other in [
        Column::from_strs_on(&[Some("a")], &stream, mr.as_ref()).unwrap(),
        Column::from_slice_on(&[true], &stream, mr.as_ref()).unwrap(),
    ] {
        assert!(matches!(other.write_values_on(&stream), Err(Error::Unsupported { .. })));
    }
}

#[test]
fn validated_once_for_all_clones() {
    let (stream, mr) = cpu();
    let claims = |count| ColumnParts { null_count: count, ..column(&[Some(1), None, Some(3)]).into_parts() };
    assert!(Column::try_from_parts(claims(NullCount::Unknown)).unwrap().validated(), "no null count is stated");
    let c = Column::try_from_parts(claims(NullCount::Known(1))).unwrap();
    let (clone, part, whole) = (c.clone(), c.slice(0, 2).unwrap(), c.slice(0, 3).unwrap());
    assert!(!c.validated() && c.known_null_count().is_none() && c.claimed_null_count() == Some(1));
    assert!(part.validated(), "the null count of the slice is not stated");
    c.to_arrow(&stream).unwrap();
    assert!(c.validated() && clone.validated() && whole.validated());
    assert_eq!(clone.known_null_count(), Some(1));

    let offsets = Column::from_slice_on(&[0i32, 1, 9], &stream, mr.as_ref()).unwrap();
    let chars = Buffer::from_host(b"ab", &stream, mr.as_ref()).unwrap();
    let text = crate::make_strings_column(&offsets, chars, None).unwrap();
    let first = text.slice(0, 1).unwrap();
    first.to_arrow(&stream).unwrap();
    assert!(first.validated() && !text.validated(), "validating a slice does not validate the column");
    assert!(first.slice(0, 0).unwrap().validated() && text.to_arrow(&stream).is_err());
    assert!(!text.deep_copy(&stream, mr.as_ref()).unwrap().validated());
    assert!(first.deep_copy(&stream, mr.as_ref()).unwrap().validated());
    let bytes = first.with_type(DataType::Binary).unwrap();
    assert!(bytes.validated() && !bytes.with_type(DataType::Utf8).unwrap().validated());
}

#[test]
fn claimed_null_counts_are_not_believed() {
    let (stream, mr) = cpu();
    let mask = Buffer::zeroed(512, &stream, mr.as_ref()).unwrap();
    let parts = ColumnParts::new(DataType::Int32, Device::Cpu, 4096)
        .buffer(Buffer::zeroed(4096 * 4, &stream, mr.as_ref()).unwrap())
        .validity(Some(mask.clone()), NullCount::Known(1));
    let cast = Column::try_from_parts(parts).unwrap().bit_cast(DataType::UInt32).unwrap();
    assert!(!cast.validated());
    assert_eq!(cast.null_count_on(&stream).unwrap(), 4096);
    assert!(cast.to_arrow(&stream).is_err() && !cast.validated(), "the stated null count is wrong");
    // Reading a count in device memory makes the count known. The count of an unvalidated column may be wrong, so no
    // function reads that count.
    let in_memory = NullCount::device(Buffer::zeroed(8, &stream, mr.as_ref()).unwrap());
    for (claim, exported) in [(NullCount::Known(0), None), (in_memory, Some(4096))] {
        let child = Column::from_slice_on(&[1i32; 4096], &stream, mr.as_ref()).unwrap();
        let validity = Some(crate::Validity { mask: mask.clone(), null_count: claim });
        let structs = make_structs_column(vec![child], validity).unwrap();
        assert!(!structs.validated() && !structs.sanitized());
        assert_eq!(structs.null_count_on(&stream).unwrap(), 4096);
        assert_eq!(structs.to_arrow(&stream).ok().map(|array| array.null_count()), exported);
    }
}
