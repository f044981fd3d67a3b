//! Tests of arrays that are lent for the duration of a call.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::{Array, ArrayRef, Int32Array, StringArray, StructArray};
use gdf_core::{Column, DataType, Field, Fields};
use gdf_driver::Stream;
use gdf_driver::deferred::DeferredCpu;
use gdf_memory::ResourceRef;

use super::{column, cpu, in_struct, schema_of};
use crate::{
    ArrowDeviceArray, ArrowSchema, InteropError, Result, to_arrow_device, view_arrow_device, with_arrow_device,
    with_arrow_device_table,
};

fn lent() -> (ArrayRef, ArrowDeviceArray) {
    let array: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, Some("ccc")]));
    let exported = to_arrow_device(column(&array), &Stream::cpu()).unwrap();
    (array, exported)
}

#[test]
fn the_closure_sees_the_array_which_stays_the_callers() {
    let (stream, mr) = cpu();
    let (array, exported) = lent();
    for _ in 0..2 {
        // SAFETY: gdf exported the array, and no reference to the array leaves the closure.
        let seen = unsafe {
            with_arrow_device(&exported, &schema_of(&array), &stream, mr.as_ref(), |view| {
                view.to_column().deep_copy(&stream, mr.as_ref()).unwrap()
            })
        };
        assert_eq!(&seen.unwrap().to_arrow(&stream).unwrap(), &array);
    }
    assert!(!exported.is_released());
}

#[test]
fn tables_are_lent_as_well() {
    let (stream, mr) = cpu();
    let (array, _) = lent();
    let array = in_struct(&array).slice(0, 2);
    let exported = to_arrow_device(column(&array), &stream).unwrap();
    // SAFETY: gdf exported the array, and no reference to the array leaves the closure.
    let rows = unsafe {
        with_arrow_device_table(&exported, &schema_of(&array), &stream, mr.as_ref(), |view| {
            (view.num_rows(), view.num_columns())
        })
    };
    assert_eq!(rows.unwrap(), (2, 1));
}

#[test]
fn a_result_that_shares_the_memory_is_found() {
    let (stream, mr) = cpu();
    let (array, exported) = lent();
    let lend = |body: fn(gdf_core::ColumnView<'_>) -> Column| {
        // SAFETY: gdf exported the array. Outside of the closure, only the result of the closure shares the memory of
        // the array.
        unsafe { with_arrow_device(&exported, &schema_of(&array), &stream, mr.as_ref(), body) }
    };
    assert!(matches!(lend(|view| view.to_column()), Err(InteropError::Escaped)));
    assert!(matches!(lend(|view| view.slice(1, 1).unwrap().to_column()), Err(InteropError::Escaped)));
}

/// Returns an array and its export.
fn misaligned() -> (ArrayRef, ArrowDeviceArray) {
    let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values((0..9).map(|i| i << 8)));
    let shifted: ArrayRef = Arc::new(Int32Array::from_iter_values((0..10).map(|i| i << 16)));
    let fields = ["a", "b", "c"].map(|name| Field::new(name, DataType::Int32, true));
    let array = |first: &ArrayRef, len| -> ArrayRef {
        let columns = [first, first, &numbers].map(|column| column.slice(0, len)).to_vec();
        Arc::new(StructArray::new(Fields::from(fields.to_vec()), columns, None))
    };
    let mut exported = to_arrow_device(column(&array(&shifted, 9)), &Stream::cpu()).unwrap();
    // SAFETY: the buffers of the first two children hold ten numbers. The test uses fewer rows, so shifting the
    // address by one byte stays within the buffers.
    unsafe {
        for i in 0..2 {
            let child = *exported.array.children.add(i);
            *(*child).buffers.add(1) = (*(*child).buffers.add(1)).byte_add(1);
        }
    }
    exported.array.length = 9;
    (array(&numbers, 9), exported)
}

#[test]
fn copies_may_leave() {
    let (_, mr) = cpu();
    let (array, exported) = misaligned();
    let schema = schema_of(&array);
    let executor = DeferredCpu::new(4);
    let lend = |stream: &Stream, children: &'static [usize]| {
        let body = |view: gdf_core::ColumnView<'_>| {
            let columns: Vec<Column> = children.iter().map(|&i| view.child(i).unwrap().to_column()).collect();
            (columns, stream.record().unwrap())
        };
        // SAFETY: gdf exported the array. Outside of the closure, only the result of the closure shares the memory of
        // the array.
        unsafe { with_arrow_device(&exported, &schema, stream, mr.as_ref(), body) }
    };
    let stream = executor.stream();
    let (copies, made) = lend(&stream, &[0, 1]).unwrap();
    assert!(made.is_over());
    for escaping in [&[2][..], &[0, 2]] {
        assert!(matches!(lend(&stream, escaping), Err(InteropError::Escaped)));
    }
    drop(exported);
    let array = array.as_any().downcast_ref::<StructArray>().unwrap();
    for copy in copies {
        assert_eq!(&copy.to_arrow(&Stream::cpu()).unwrap(), array.column(0));
    }
}

#[test]
fn refused_arrays_are_not_lent() {
    let (stream, mr) = cpu();
    let (_, exported) = lent();
    let schema = crate::to_arrow_schema(&DataType::Int8).unwrap();
    // SAFETY: gdf exported the array. The import notices the wrong type from the number of buffers, before reading
    // any buffer.
    let result =
        unsafe { with_arrow_device::<()>(&exported, &schema, &stream, mr.as_ref(), |_| unreachable!("called")) };
    assert!(matches!(result, Err(InteropError::Core(gdf_core::Error::BufferCount { .. }))));
}

/// When the call returns or unwinds, all work on deferred streams must have run.
#[test]
fn work_is_waited_for_on_return_and_on_unwind() {
    for unwinds in [false, true] {
        let executor = DeferredCpu::new(3);
        let (own, other) = (executor.stream(), executor.stream());
        let (_, mr) = cpu();
        let array: ArrayRef = Arc::new(Int32Array::from_iter_values(0..10));
        let exported = to_arrow_device(column(&array), &Stream::cpu()).unwrap();
        let ran = Arc::new(AtomicUsize::new(0));
        let call = AssertUnwindSafe(|| {
            // SAFETY: gdf exported the array, and no reference to the array leaves the closure.
            unsafe {
                with_arrow_device(&exported, &schema_of(&array), &own, mr.as_ref(), |view| {
                    for stream in [&own, &other] {
                        let access = view.buffer(0).unwrap().read_on(stream).unwrap();
                        let ran = Arc::clone(&ran);
                        stream.enqueue(move || _ = ran.fetch_add(1, Ordering::SeqCst)).unwrap();
                        drop(access);
                    }
                    assert!(!unwinds, "out of the closure");
                })
            }
        });
        assert_eq!(catch_unwind(call).is_err(), unwinds);
        assert_eq!(ran.load(Ordering::SeqCst), 2, "unwinds: {unwinds}");
    }
}

#[test]
fn work_on_streams_of_other_threads_is_waited_for() {
    for unwinds in [false, true] {
        let executor = DeferredCpu::new(5);
        let own = executor.stream();
        let (_, mr) = cpu();
        let array: ArrayRef = Arc::new(Int32Array::from_iter_values(0..10));
        let exported = to_arrow_device(column(&array), &Stream::cpu()).unwrap();
        let ran = Arc::new(AtomicUsize::new(0));
        let body = |view: gdf_core::ColumnView<'_>| {
            let work = || {
                let stream = executor.thread_stream();
                let access = view.buffer(0).unwrap().read_on(&stream).unwrap();
                let ran = Arc::clone(&ran);
                stream.enqueue(move || _ = ran.fetch_add(1, Ordering::SeqCst)).unwrap();
                drop(access);
            };
            std::thread::scope(|scope| scope.spawn(work).join().unwrap());
            assert!(!unwinds, "out of the closure");
        };
        let call = AssertUnwindSafe(|| {
            // SAFETY: gdf exported the array, and no reference to the array leaves the closure.
            unsafe { with_arrow_device(&exported, &schema_of(&array), &own, mr.as_ref(), body) }.unwrap();
        });
        assert_eq!(catch_unwind(call).is_err(), unwinds);
        assert_eq!(ran.load(Ordering::SeqCst), 1, "unwinds: {unwinds}");
    }
}

#[test]
fn streams_that_are_lost_are_no_error() {
    let executor = DeferredCpu::new(5);
    let (own, other) = (executor.stream(), executor.stream());
    let (_, mr) = cpu();
    let (array, exported) = lent();
    let body = |view: gdf_core::ColumnView<'_>| {
        drop(view.buffer(1).unwrap().read_on(&other).unwrap());
        executor.lose(&other).unwrap();
    };
    // SAFETY: gdf exported the array, and no reference to the array leaves the closure.
    unsafe { with_arrow_device(&exported, &schema_of(&array), &own, mr.as_ref(), body) }.unwrap();
}

/// If one part of the array is refused, copies of misaligned buffers of another part may already be enqueued.
#[test]
fn an_array_that_is_refused_is_not_read_any_more() {
    let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(0..10));
    let fields = ["a", "b"].map(|name| Field::new(name, DataType::Int32, true));
    let array: ArrayRef =
        Arc::new(StructArray::new(Fields::from(fields.to_vec()), vec![numbers.clone(), numbers], None));
    let (_, mr) = cpu();
    let mut exported = to_arrow_device(column(&array), &Stream::cpu()).unwrap();
    // SAFETY: the struct has two children of two buffers each. The array has one row less than its buffers, so
    // shifting the first address by one byte stays within the buffers.
    unsafe {
        let [first, second] = [0, 1].map(|i| *exported.array.children.add(i));
        (*first).length = 9;
        *(*first).buffers.add(1) = (*(*first).buffers.add(1)).byte_add(1);
        *(*second).buffers.add(1) = std::ptr::null();
    }
    exported.array.length = 9;
    let schema = schema_of(&array);
    type Call = fn(&ArrowDeviceArray, &ArrowSchema, &Stream, ResourceRef<'_>) -> Result<()>;
    // SAFETY: gdf exported the readable parts of the array, and the import refuses the other parts.
    let calls: [Call; 3] = unsafe {
        [
            |array, schema, stream, mr| with_arrow_device(array, schema, stream, mr, |_| ()),
            |array, schema, stream, mr| with_arrow_device_table(array, schema, stream, mr, |_| ()),
            |array, schema, stream, mr| view_arrow_device(array, schema, stream, mr).map(drop),
        ]
    };
    for (i, call) in calls.into_iter().enumerate() {
        let stream = DeferredCpu::new(2).stream();
        let outcome = call(&exported, &schema, &stream, mr.as_ref());
        assert!(matches!(outcome, Err(InteropError::NullBuffer { .. })), "call {i}");
        assert_eq!(stream.is_idle(), Ok(true), "call {i}");
    }
}

#[test]
fn a_bare_view_releases_nothing() {
    let (stream, mr) = cpu();
    let (array, exported) = lent();
    // SAFETY: gdf exported the array, and the array outlives the column.
    let view = unsafe { view_arrow_device(&exported, &schema_of(&array), &stream, mr.as_ref()).unwrap() };
    assert_eq!(&view.to_arrow(&stream).unwrap(), &array);
    drop(view);
    assert!(!exported.is_released());
}
