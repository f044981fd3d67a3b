//! Tests of ownership: how long exported and imported data live, and how often `release` is called.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::{Array, ArrayRef, DictionaryArray, Int32Array, StringArray, StructArray};
use gdf_core::{Column, ColumnParts, DataType, Field, Fields, Table};
use gdf_driver::Stream;
use gdf_driver::deferred::DeferredCpu;
use gdf_memory::{MemoryError, Resource, TrackingResource};

use super::{arrays, as_foreign, column, cpu, schema_of};
use crate::{ArrowArray, ArrowDeviceArray, from_arrow_device, to_arrow_device, to_arrow_schema};

/// Makes a column of an array.
fn watched(array: &ArrayRef) -> (Column, Arc<TrackingResource>) {
    let (stream, mr) = cpu();
    let watch = Arc::new(TrackingResource::new(mr.clone(), false));
    let resource = Resource::from(Arc::clone(&watch) as Arc<dyn gdf_memory::MemoryResource>);
    let column = column(array).deep_copy(&stream, resource.as_ref()).unwrap();
    assert!(watch.outstanding_bytes() > 0);
    (column, watch)
}

fn nested() -> ArrayRef {
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None, Some(3)]));
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c"]));
    let words = Arc::new(StringArray::from(vec!["x", "y"]));
    let keys: ArrayRef = Arc::new(DictionaryArray::new(Int32Array::from(vec![0, 1, 0]), words));
    let field = |name, array: &ArrayRef| Field::new(name, array.data_type().clone(), true);
    let fields = Fields::from(vec![field("n", &numbers), field("t", &texts), field("k", &keys)]);
    Arc::new(StructArray::new(fields, vec![numbers, texts, keys], None))
}

#[test]
fn moved_data_go_with_the_release_of_the_array_on_any_thread() {
    let (column, watch) = watched(&nested());
    let stream = Stream::cpu();
    let array = to_arrow_device(column, &stream).unwrap();
    drop(stream);
    assert!(watch.outstanding_bytes() > 0);
    std::thread::spawn(move || drop(array)).join().unwrap();
    assert_eq!((watch.outstanding_bytes(), watch.faults()), (0, 0));
}

#[test]
fn shared_data_outlive_the_column_and_cannot_be_written_again() {
    let (column, watch) = watched(&nested());
    let (stream, mr) = cpu();
    let first = to_arrow_device(&column, &stream).unwrap();
    let second = to_arrow_device(column.view().slice(1, 2).unwrap(), &stream).unwrap();
    let mut buffer = column.children()[0].buffers()[0].clone();
    drop((column, first));
    assert!(watch.outstanding_bytes() > 0);
    // SAFETY: gdf exported the array.
    let again = unsafe { from_arrow_device(second, &schema_of(&nested()), &stream, mr.as_ref()).unwrap() };
    assert_eq!(&again.to_arrow(&stream).unwrap(), &nested().slice(1, 2));
    drop(again);
    // Other code has received the address. Therefore the buffer cannot be written, although no other reference exists.
    assert!(!buffer.is_shared());
    assert!(matches!(buffer.write_on(&stream), Err(MemoryError::Shared)));
    drop(buffer);
    assert_eq!((watch.outstanding_bytes(), watch.faults()), (0, 0));
}

#[test]
fn children_and_dictionaries_can_be_moved_out() {
    let (column, watch) = watched(&nested());
    let (stream, mr) = cpu();
    let array = to_arrow_device(column, &stream).unwrap();
    // SAFETY: the array has three children, and the last child is a dictionary. The test moves them out as C code
    // would.
    let (text, words) = unsafe {
        let keys = &mut **array.array.children.add(2);
        (ArrowArray::from_raw(*array.array.children.add(1)), ArrowArray::from_raw(keys.dictionary))
    };
    let all = watch.outstanding_bytes();
    drop(array);
    assert!((1..all).contains(&watch.outstanding_bytes()));
    for (part, expected) in [(text, vec!["a", "b", "c"]), (words, vec!["x", "y"])] {
        let schema = to_arrow_schema(&DataType::Utf8).unwrap();
        // SAFETY: gdf exported the array.
        let part = unsafe { from_arrow_device(part.into(), &schema, &stream, mr.as_ref()).unwrap() };
        let expected: ArrayRef = Arc::new(StringArray::from(expected));
        assert_eq!(&part.to_arrow(&stream).unwrap(), &expected);
    }
    assert_eq!((watch.outstanding_bytes(), watch.faults()), (0, 0));
}

#[test]
fn one_release_for_all_buffers_of_an_array_by_the_last_of_them() {
    let (stream, mr) = cpu();
    let released = Arc::new(AtomicUsize::new(0));
    let array = as_foreign(to_arrow_device(column(&nested()), &stream).unwrap(), &released);
    // SAFETY: gdf exported the array.
    let imported = unsafe { from_arrow_device(array, &schema_of(&nested()), &stream, mr.as_ref()).unwrap() };
    let part = imported.children()[1].buffers()[1].clone();
    let slice = imported.children()[0].slice(0, 1).unwrap();
    drop(imported);
    assert_eq!(released.load(Ordering::SeqCst), 0);
    drop(slice);
    assert_eq!(released.load(Ordering::SeqCst), 0);
    drop(part);
    assert_eq!(released.load(Ordering::SeqCst), 1);
}

#[test]
fn arrays_that_are_refused_or_have_no_buffers_are_released() {
    let (stream, mr) = cpu();
    let released = Arc::new(AtomicUsize::new(0));
    let array = as_foreign(to_arrow_device(column(&nested()), &stream).unwrap(), &released);
    let schema = to_arrow_schema(&DataType::Utf8).unwrap();
    // SAFETY: gdf exported the array. The type is wrong, and the import notices the wrong number of buffers before
    // reading any buffer.
    assert!(unsafe { from_arrow_device(array, &schema, &stream, mr.as_ref()) }.is_err());
    assert_eq!(released.load(Ordering::SeqCst), 1);

    let null = Column::nulls_on(&DataType::Null, 5, &stream, mr.as_ref()).unwrap();
    let array = as_foreign(to_arrow_device(null, &stream).unwrap(), &released);
    let schema = to_arrow_schema(&DataType::Null).unwrap();
    // SAFETY: gdf exported the array.
    let null = unsafe { from_arrow_device(array, &schema, &stream, mr.as_ref()).unwrap() };
    assert_eq!((null.len(), released.load(Ordering::SeqCst)), (5, 2));
}

/// Imitates a GPU.
#[test]
fn release_waits_for_readers_on_every_stream() {
    for seed in 0..if cfg!(miri) { 3 } else { 20 } {
        let executor = DeferredCpu::new(seed);
        let (producer, consumer, other) = (executor.stream(), executor.stream(), executor.stream());
        let (_, mr) = cpu();
        let released = Arc::new(AtomicUsize::new(0));
        let source: ArrayRef = Arc::new(Int32Array::from_iter_values(0..100));
        let made = Column::from_arrow(&source, &producer, mr.as_ref()).unwrap();
        let array = as_foreign(to_arrow_device(made, &producer).unwrap(), &released);
        // SAFETY: gdf exported the array.
        let imported = unsafe { from_arrow_device(array, &schema_of(&source), &consumer, mr.as_ref()).unwrap() };
        let early = Arc::new(AtomicUsize::new(0));
        for stream in [&other, &consumer] {
            let access = imported.buffers()[0].read_on(stream).unwrap();
            let (released, early) = (Arc::clone(&released), Arc::clone(&early));
            stream.enqueue(move || _ = early.fetch_add(released.load(Ordering::SeqCst), Ordering::SeqCst)).unwrap();
            drop(access);
        }
        drop(imported);
        assert_eq!(released.load(Ordering::SeqCst), 0, "seed {seed}");
        executor.run_all();
        assert_eq!((released.load(Ordering::SeqCst), early.load(Ordering::SeqCst)), (1, 0), "seed {seed}");
    }
}

#[test]
fn memory_of_the_cpu_is_written_when_export_returns() {
    let executor = DeferredCpu::new(7);
    let (_, mr) = cpu();
    let (first, second) = (executor.stream(), executor.stream());
    let written = Arc::new(AtomicUsize::new(0));
    let mut columns = Vec::new();
    for stream in [&first, &second] {
        columns.push(gdf_core::Column::from_options_on(&[Some(1_i32), None], stream, mr.as_ref()).unwrap());
        let written = Arc::clone(&written);
        stream.enqueue(move || _ = written.fetch_add(1, Ordering::SeqCst)).unwrap();
    }
    let array = to_arrow_device(Table::try_new(columns).unwrap(), &Stream::cpu()).unwrap();
    assert_eq!(written.load(Ordering::SeqCst), 2);
    assert!(array.sync_event().is_null());
}

#[test]
fn structs_are_moved_through_pointers_and_released_once() {
    let (column, watch) = watched(&(arrays::all(9).swap_remove(5)));
    let mut place = ArrowDeviceArray::empty();
    // SAFETY: the place holds an empty struct.
    unsafe { to_arrow_device(column, &Stream::cpu()).unwrap().write_to(&mut place) };
    // SAFETY: the place holds an array that gdf exported.
    let taken = unsafe { ArrowDeviceArray::from_raw(&mut place) };
    assert!(place.is_released() && !taken.is_released());
    drop((place, taken));
    assert_eq!((watch.outstanding_bytes(), watch.faults()), (0, 0));
}

/// Dropping a foreign owner may panic.
#[test]
#[cfg_attr(miri, ignore = "a buffer whose owner panics loses its block")]
fn panics_of_owners_do_not_leave_release() {
    #[derive(Debug)]
    struct Panics(Vec<i32>, Arc<AtomicUsize>);
    impl Drop for Panics {
        fn drop(&mut self) {
            self.1.fetch_add(1, Ordering::SeqCst);
            panic!("in the owner");
        }
    }
    let stream = Stream::cpu();
    let dropped = Arc::new(AtomicUsize::new(0));
    let number = || {
        let owner = Arc::new(Panics(vec![1, 2, 3], Arc::clone(&dropped)));
        let address = owner.0.as_ptr().expose_provenance() as u64;
        // SAFETY: the vector has three values, which the owner keeps, and which nobody writes.
        let buffer = unsafe { crate::buffer_from_address(address, 12, owner, &stream) }.unwrap();
        Column::try_from_parts(ColumnParts::new(DataType::Int32, stream.device(), 3).buffer(buffer)).unwrap()
    };
    let table = Table::try_new(vec![number(), number(), number()]).unwrap();
    drop(to_arrow_device(table, &stream).unwrap());
    assert_eq!(dropped.load(Ordering::SeqCst), 3);
}
