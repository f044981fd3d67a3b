//! Tests on a GPU of arrays that are lent for the duration of a call, and of streams of tables.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{Array, ArrayRef, Int32Array, StringArray, StructArray};
use arrow_buffer::NullBuffer;
use gdf_core::{Column, ColumnView, DataType, Field, Fields, Table};
use gdf_driver::{LaunchConfig, Module, Stream};
use gdf_interop::{
    Arguments, ArrowDeviceArray, DeviceType, DlpackTensor, InteropError, buffer_from_address, from_arrow_device,
    from_arrow_device_stream, to_arrow_device, to_arrow_device_stream, to_arrow_schema, with_arrow_device,
    with_arrow_device_table,
};
use gdf_memory::{
    ManagedResource, MemoryResource, PinnedResource, PoolOptions, Resource, TrackingResource, VirtualPoolResource,
    current_resource,
};

use super::{PTX, device};

/// Keeps the stream busy for a fifth of a second.
fn pass_time(stream: &Stream) {
    let kernel = Module::load(stream.device(), PTX.as_bytes()).unwrap().function("slow_add").unwrap();
    let arguments = Arguments::on(stream).scalar(0_u64).scalar(0_u32).scalar(0_i32).scalar(200_000_000_u64);
    // SAFETY: the kernel has these four parameters, and uses no memory for a count of 0.
    unsafe { arguments.launch(&kernel, LaunchConfig::linear(1, 1)) }.unwrap();
    assert_eq!(stream.is_idle(), Ok(false));
}

#[test]
fn exports_that_end_within_the_call_are_waited_for_and_have_not_escaped() {
    let Some(device) = device("exports_that_end_within_the_call_are_waited_for_and_have_not_escaped") else { return };
    let (stream, mr) = (Stream::new(device).unwrap(), current_resource(device).unwrap());
    // gdf does not know the consumer's work on the view. gdf only knows that the work runs on the device.
    let consumer = Stream::new(device).unwrap();
    let array = to_arrow_device(Column::from_slice_on(&[1_i32, 2], &stream, mr.as_ref()).unwrap(), &stream).unwrap();
    let schema = to_arrow_schema(&DataType::Int32).unwrap();
    let by_arrow = |view: ColumnView<'_>| {
        let export = to_arrow_device(view, &stream).unwrap();
        pass_time(&consumer);
        drop(export);
    };
    let by_dlpack = |view: ColumnView<'_>| {
        let export = DlpackTensor::from_column(&view.to_column(), &stream).unwrap();
        pass_time(&consumer);
        drop(export);
    };
    let exports: [&dyn Fn(ColumnView<'_>); 2] = [&by_arrow, &by_dlpack];
    for (export, unwinds) in exports.into_iter().flat_map(|export| [(export, false), (export, true)]) {
        let call = AssertUnwindSafe(|| {
            // SAFETY: gdf exported the array, and no reference to the array leaves the closure.
            let lent = unsafe {
                with_arrow_device(&array, &schema, &stream, mr.as_ref(), |view| {
                    export(view);
                    assert!(!unwinds, "out of the closure");
                })
            };
            lent.unwrap();
        });
        assert_eq!(catch_unwind(call).is_err(), unwinds);
        assert_eq!(consumer.is_idle(), Ok(true), "unwinds: {unwinds}");
    }
    // SAFETY: gdf exported the array, and only the result of the closure shares the array outside of the closure.
    let kept = unsafe {
        with_arrow_device(&array, &schema, &stream, mr.as_ref(), |view| {
            pass_time(&consumer);
            to_arrow_device(view, &stream).unwrap()
        })
    };
    assert!(matches!(kept, Err(InteropError::Escaped)));
    assert_eq!(consumer.is_idle(), Ok(true));
}

#[repr(C)]
struct Raw {
    length: i64,
    null_count: i64,
    numbers: [i64; 3],
    buffers: *mut *const c_void,
    children: *mut *mut Raw,
    dictionary: *mut Raw,
    release: Option<unsafe extern "C" fn(*mut Raw)>,
    private_data: *mut c_void,
}

/// Makes the array look like a foreign array by replacing the callback. gdf then does not know the lengths of the
/// buffers.
fn as_foreign(array: ArrowDeviceArray) -> ArrowDeviceArray {
    unsafe extern "C" fn release(array: *mut Raw) {
        // SAFETY: the importer calls the callback once, with the struct that was made below. The private data are the
        // box that was made below.
        unsafe {
            (*array).release = None;
            drop(Box::from_raw((*array).private_data.cast::<ArrowDeviceArray>()));
        }
    }
    let ours = Box::into_raw(Box::new(array));
    // SAFETY: the struct begins with the fields of `Raw`. The fields of the copy point to memory of the box, which
    // the copy owns.
    unsafe {
        let mut foreign = std::mem::MaybeUninit::<ArrowDeviceArray>::uninit();
        foreign.as_mut_ptr().copy_from_nonoverlapping(ours, 1);
        let raw = &mut *foreign.as_mut_ptr().cast::<Raw>();
        raw.release = Some(release);
        raw.private_data = ours.cast();
        foreign.assume_init()
    }
}

/// For mapped memory, the driver reports the reserved range of addresses.
#[test]
fn text_in_mapped_memory_ends_where_its_offsets_say() {
    let Some(device) = device("text_in_mapped_memory_ends_where_its_offsets_say") else { return };
    let stream = Stream::new(device).unwrap();
    let mapped = Resource::new(VirtualPoolResource::new(device, PoolOptions::new()).unwrap());
    // The buffer extends over more than one mapping.
    let array: ArrayRef = Arc::new(StringArray::from_iter_values((0..6).map(|i| format!("{i}").repeat(1 << 20))));
    let column = Column::from_arrow(&array, &stream, mapped.as_ref()).unwrap();
    let foreign = as_foreign(to_arrow_device(column, &stream).unwrap());
    let schema = to_arrow_schema(array.data_type()).unwrap();
    // SAFETY: gdf exported the array, and only the callback was replaced.
    let column = unsafe { from_arrow_device(foreign, &schema, &stream, mapped.as_ref()) }.unwrap();
    assert_eq!(column.buffers()[1].len(), 6 << 20);
    assert_eq!(&column.to_arrow(&stream).unwrap(), &array);
}

#[test]
fn the_offset_of_an_array_without_rows_is_zero() {
    let Some(device) = device("the_offset_of_an_array_without_rows_is_zero") else { return };
    let (writer, stream) = (Stream::new(device).unwrap(), Stream::new(device).unwrap());
    let mr = current_resource(device).unwrap();
    let array: ArrayRef = Arc::new(StringArray::from(vec!["a", "bc"]));
    let column = Column::from_arrow(&array, &writer, mr.as_ref()).unwrap();
    let exported = to_arrow_device(column.slice(1, 0).unwrap(), &stream).unwrap();
    assert_eq!((exported.array().length(), exported.array().offset()), (0, 0));
    assert!(!exported.sync_event().is_null());
    // SAFETY: the struct begins with the fields of `Raw`, and the second buffer holds one offset, which was written on
    // `stream` and which `exported` keeps.
    let offset = unsafe {
        let raw = &*(&raw const exported).cast::<Raw>();
        let address = (*raw.buffers.add(1)).expose_provenance() as u64;
        buffer_from_address(address, 4, Arc::new(()), &stream).unwrap()
    };
    assert_eq!(offset.to_host(&stream).unwrap(), [0; 4]);
}

#[test]
fn an_array_that_comes_back_is_kept_for_the_work_of_others() {
    let Some(device) = device("an_array_that_comes_back_is_kept_for_the_work_of_others") else { return };
    let stream = Stream::new(device).unwrap();
    let watch = Arc::new(TrackingResource::new(current_resource(device).unwrap(), false));
    let mr = Resource::from(Arc::clone(&watch) as Arc<dyn MemoryResource>);
    let column = Column::from_slice_on(&[1_i32, 2], &stream, mr.as_ref()).unwrap();
    let schema = to_arrow_schema(column.data_type()).unwrap();
    let array = to_arrow_device(column, &stream).unwrap();
    // gdf does not know the consumer's work on the array. gdf only knows that the work runs on the device.
    let consumer = Stream::new(device).unwrap();
    for _ in 0..5 {
        pass_time(&consumer);
    }
    // SAFETY: gdf exported the array.
    drop(unsafe { from_arrow_device(array, &schema, &stream, mr.as_ref()) }.unwrap());
    stream.synchronize().unwrap();
    // The reaper thread has time to drop the buffers.
    std::thread::sleep(Duration::from_millis(20));
    // If the driver cannot record an event of all work, the drop has waited for the work.
    let kept = watch.outstanding_bytes();
    assert!(kept > 0 || consumer.is_idle() == Ok(true), "{kept}");
    consumer.synchronize().unwrap();
    let begin = Instant::now();
    while watch.outstanding_bytes() > 0 && begin.elapsed() < Duration::from_secs(5) {
        std::thread::yield_now();
    }
    assert_eq!((watch.outstanding_bytes(), watch.faults()), (0, 0));
}

#[test]
fn a_table_that_is_refused_is_not_read_any_more() {
    let Some(device) = device("a_table_that_is_refused_is_not_read_any_more") else { return };
    let (stream, mr) = (Stream::new(device).unwrap(), current_resource(device).unwrap());
    let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(0..4));
    let fields = Fields::from(vec![Field::new("a", DataType::Int32, true)]);
    let nulls = NullBuffer::from(vec![true, false, true, true]);
    let array = StructArray::new(fields, vec![numbers], Some(nulls));
    let column = Column::from_arrow(&array, &stream, mr.as_ref()).unwrap();
    let mut exported: ArrowDeviceArray = to_arrow_device(column, &stream).unwrap();
    // SAFETY: the struct begins with the fields of `Raw`. The array has one row less than its buffer, so shifting the
    // address by one byte stays within the buffer.
    unsafe {
        let parent = &mut *(&raw mut exported).cast::<Raw>();
        let child = &mut **parent.children;
        (parent.length, parent.null_count, child.length) = (3, 1, 3);
        *child.buffers.add(1) = (*child.buffers.add(1)).byte_add(1);
    }
    let schema = to_arrow_schema(array.data_type()).unwrap();
    pass_time(&stream);
    // SAFETY: gdf exported the array, and the closure is not called.
    let refused = unsafe { with_arrow_device_table(&exported, &schema, &stream, mr.as_ref(), |_| ()) };
    assert!(matches!(refused, Err(InteropError::TopLevelNulls { count: 1 })));
    assert_eq!(stream.is_idle(), Ok(true));
}

#[test]
fn all_arrays_of_a_stream_are_of_its_kind() {
    let Some(device) = device("all_arrays_of_a_stream_are_of_its_kind") else { return };
    let (stream, mr) = (Stream::new(device).unwrap(), current_resource(device).unwrap());
    let resources = [
        mr.clone(),
        Resource::new(PinnedResource::new(device).unwrap()),
        Resource::new(ManagedResource::new(device).unwrap()),
    ];
    let table = |mr: &Resource| {
        Table::try_new(vec![Column::from_slice_on(&[1_i32, 2, 3], &stream, mr.as_ref()).unwrap()]).unwrap()
    };
    let tables: Vec<Table> = resources.iter().map(table).collect();
    let schema = tables[0].schema(&["n"]);
    let items: Vec<_> = tables.into_iter().map(Ok::<_, InteropError>).collect();
    let exported = to_arrow_device_stream(&schema, items.into_iter(), &stream);
    assert_eq!(exported.device_type(), DeviceType::CUDA);
    // SAFETY: gdf exported the stream.
    let reader = unsafe { from_arrow_device_stream(exported, &stream, &mr).unwrap() };
    let expected: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
    let mut read = 0;
    for table in reader {
        assert_eq!(&table.unwrap().columns()[0].to_arrow(&stream).unwrap(), &expected);
        read += 1;
    }
    assert_eq!(read, 3);
}
