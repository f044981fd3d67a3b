//! Tests Arrow's C device interface on a GPU, in both directions. The exchange uses events instead of waits, and an
//! array may be released while a kernel still uses its memory.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use arrow_array::{Array, ArrayRef, Int32Array, LargeStringArray, StringArray, StringViewArray};
use gdf::interop::{
    ArrowDeviceArray, DeviceType, InteropError, from_arrow_device, from_arrow_device_stream, from_arrow_stream,
    to_arrow_device, to_arrow_device_stream, to_arrow_schema, to_arrow_stream, with_arrow_device,
};
use gdf_core::{Column, ColumnParts, DataType, Table};
use gdf_driver::{Device, Event, Stream, foreign, memory};
use gdf_memory::{
    Buffer, CudaAsyncResource, DeviceScalar, ManagedResource, PinnedResource, Resource, current_resource, testing,
};
use gdf_test::device::cuda_device;

use crate::pattern_kernels::{BLOCK, Kernels};

#[allow(dead_code, unreachable_pub, reason = "shared with gdf-core, which uses all of it")]
#[path = "../../crates/gdf-core/src/test_arrays.rs"]
mod arrays;

const ROUNDS: usize = 1_000;

fn written(kernels: &Kernels, value: u8, nanoseconds: i64, stream: &Stream, mr: &Resource) -> Column {
    let mut buffer = Buffer::uninitialized(BLOCK, stream, mr.as_ref()).unwrap();
    let access = buffer.write_on(stream).unwrap();
    kernels.write(access.address(), value, nanoseconds, stream);
    drop(access);
    Column::try_from_parts(ColumnParts::new(DataType::UInt8, stream.device(), BLOCK).buffer(buffer)).unwrap()
}

/// The C layout of `struct ArrowDeviceArray`.
#[repr(C)]
struct Raw {
    numbers: [i64; 5],
    buffers: *mut *const c_void,
    children: *mut *mut c_void,
    dictionary: *mut c_void,
    release: Option<unsafe extern "C" fn(*mut Raw)>,
    private: *mut c_void,
    device_id: i64,
    device_type: i32,
    sync_event: *mut *mut c_void,
    reserved: [i64; 3],
}

/// Acts as a C consumer of gdf's export.
fn consume(array: ArrowDeviceArray, waits: bool, stream: &Stream, enqueue: impl FnOnce(&[u64])) {
    let mut array = std::mem::ManuallyDrop::new(array);
    let raw = (&raw mut *array).cast::<Raw>();
    // SAFETY: `ArrowDeviceArray` has the layout of `Raw`. This function owns the struct, and releases the struct once.
    // The event and the buffers are valid until the release.
    unsafe {
        if waits {
            stream.wait_raw(*(*raw).sync_event).unwrap();
        }
        let buffers = (0..(*raw).numbers[3] as usize).map(|i| (*(*raw).buffers.add(i)).expose_provenance() as u64);
        enqueue(&buffers.collect::<Vec<_>>());
        ((*raw).release.unwrap())(raw);
        assert!((*raw).release.is_none());
    }
}

/// A producer that does not use gdf's buffers.
struct Foreign {
    address: u64,
    buffers: [*const c_void; 2],
    raw_event: *mut c_void,
    _event: Event,
    stream: Stream,
    released: Arc<AtomicUsize>,
}

unsafe extern "C" fn release_foreign(raw: *mut Raw) {
    // SAFETY: the consumer calls `release` once, with a struct that `produce` made. `private` therefore points to a
    // `Foreign` from `Box::into_raw`.
    let private = unsafe {
        (*raw).release = None;
        Box::from_raw((*raw).private.cast::<Foreign>())
    };
    // SAFETY: the address comes from `pool_alloc`, and is freed only here.
    unsafe { memory::free_async(private.address, &private.stream).unwrap() };
    private.released.fetch_add(1, Ordering::SeqCst);
}

fn produce(
    kernels: &Kernels,
    pool: &memory::RawPool,
    value: u8,
    stream: &Stream,
    has_event: bool,
    nanoseconds: i64,
    released: &Arc<AtomicUsize>,
) -> ArrowDeviceArray {
    let address = memory::pool_alloc(pool, BLOCK, stream).unwrap();
    kernels.write(address, value, nanoseconds, stream);
    let event = stream.record().unwrap();
    let private = Box::into_raw(Box::new(Foreign {
        address,
        buffers: [std::ptr::null(), std::ptr::with_exposed_provenance(address as usize)],
        raw_event: event.raw_event().unwrap(),
        _event: event,
        stream: stream.clone(),
        released: Arc::clone(released),
    }));
    // SAFETY: `Box::into_raw` has just returned the pointer, and the box is not moved or freed before the release.
    let (buffers, event) = unsafe { ((*private).buffers.as_mut_ptr(), &raw mut (*private).raw_event) };
    let raw = Raw {
        numbers: [BLOCK as i64, 0, 0, 2, 0],
        buffers,
        children: std::ptr::null_mut(),
        dictionary: std::ptr::null_mut(),
        release: Some(release_foreign),
        private: private.cast(),
        device_id: DeviceType::of(stream.device()).1,
        device_type: 2,
        sync_event: if has_event { event } else { std::ptr::null_mut() },
        reserved: [0; 3],
    };
    // SAFETY: `Raw` and `ArrowDeviceArray` have the same layout.
    unsafe { std::mem::transmute::<Raw, ArrowDeviceArray>(raw) }
}

fn violations(device: Device, rounds: usize, mut round: impl FnMut(usize, u8, u64)) -> u64 {
    let (stream, mr) = (Stream::new(device).unwrap(), current_resource(device).unwrap());
    let count = DeviceScalar::new(0_u64, &stream, mr.as_ref()).unwrap();
    stream.synchronize().unwrap();
    let address = count.read_on(&stream).unwrap().address();
    for i in 0..rounds {
        round(i, (i % 250) as u8, address);
    }
    foreign::synchronize_all(device).unwrap();
    count.value(&stream).unwrap()
}

/// Returns whether a race without protection is detected.
fn is_noticed(race: impl FnMut(i64) -> u64) -> bool {
    [1, 10, 100].into_iter().map(race).any(|found| found > 0)
}

/// Exports memory that a slow kernel of gdf writes.
fn export_race(device: Device, rounds: usize, waits: bool, slower: i64) -> u64 {
    let kernels = Kernels::load(device);
    let mr = Resource::new(CudaAsyncResource::new(device).unwrap());
    let (producer, consumer) = (Stream::new(device).unwrap(), Stream::new(device).unwrap());
    violations(device, rounds, |i, value, count| {
        let column = written(&kernels, value, 20_000 * slower, &producer, &mr);
        let array = if i % 2 == 0 {
            to_arrow_device(column, &producer).unwrap()
        } else {
            to_arrow_device(&column, &producer).unwrap()
        };
        // A consumer that does not wait must read at once to detect the race.
        let nanoseconds = if waits { 30_000 } else { 0 };
        consume(array, waits, &consumer, |buffers| kernels.check(buffers[1], value, nanoseconds, &consumer, count));
    })
}

#[test]
fn consumers_that_release_at_once_see_what_was_written() {
    let Some(device) = cuda_device("export while a consumer reads") else { return };
    assert_eq!(export_race(device, ROUNDS, true, 1), 0);
    let noticed = is_noticed(|slower| export_race(device, 100, false, slower));
    assert!(noticed, "the missing wait for the event was not detected");
}

/// Runs the same race as `export_race`, but for an import.
fn import_race(device: Device, rounds: usize, has_event: bool, tracking: bool, slower: i64) -> u64 {
    let kernels = Kernels::load(device);
    let pool = memory::pool_create(device, 0).unwrap();
    let mr = current_resource(device).unwrap();
    let (producer, own, other) =
        (Stream::new(device).unwrap(), Stream::new(device).unwrap(), Stream::new(device).unwrap());
    let released = Arc::new(AtomicUsize::new(0));
    let schema = to_arrow_schema(&DataType::UInt8).unwrap();
    let written = if has_event { 20_000 } else { 20_000 * slower };
    let found = violations(device, rounds, |_, value, count| {
        let array = produce(&kernels, &pool, value, &producer, has_event, written, &released);
        // SAFETY: the array is valid. If `has_event` is set, the producer writes the memory before the event.
        // Otherwise the test counts the bytes that are read too early.
        let column = unsafe { from_arrow_device(array, &schema, &own, mr.as_ref()).unwrap() };
        // SAFETY: the pool keeps freed memory mapped, so each access stays valid. The test counts wrong bytes, and no
        // other code relies on the bytes.
        unsafe { testing::set_tracking(tracking) };
        let access = column.buffers()[0].read_on(&other).unwrap();
        // An early read shows that an event is missing. A late read shows that memory was freed too early.
        let nanoseconds = match (has_event, tracking) {
            (false, _) => 0,
            (true, true) => 30_000,
            (true, false) => 200_000 * slower,
        };
        kernels.check(access.address(), value, nanoseconds, &other, count);
        drop(access);
        drop(column);
        // SAFETY: the call enables the tracking again, which is the default.
        unsafe { testing::set_tracking(true) };
    });
    let begin = std::time::Instant::now();
    while released.load(Ordering::SeqCst) < rounds && begin.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(released.load(Ordering::SeqCst), rounds);
    found
}

#[test]
fn producers_that_free_at_once_are_read_to_the_end() {
    let Some(device) = cuda_device("import from a producer that frees at once") else { return };
    assert_eq!(import_race(device, ROUNDS, true, true, 1), 0);
    let noticed = is_noticed(|slower| import_race(device, 100, false, true, slower));
    assert!(noticed, "the missing event was not detected");
    let noticed = is_noticed(|slower| import_race(device, 100, true, false, slower));
    assert!(noticed, "a release that does not wait for readers was not detected");
}

#[test]
fn lent_arrays_can_be_freed_when_the_call_returns() {
    let Some(device) = cuda_device("arrays that are lent for a call") else { return };
    let kernels = Kernels::load(device);
    let pool = memory::pool_create(device, 0).unwrap();
    let mr = current_resource(device).unwrap();
    let (producer, own, other) =
        (Stream::new(device).unwrap(), Stream::new(device).unwrap(), Stream::new(device).unwrap());
    let released = Arc::new(AtomicUsize::new(0));
    let schema = to_arrow_schema(&DataType::UInt8).unwrap();
    let found = violations(device, 200, |_, value, count| {
        let array = produce(&kernels, &pool, value, &producer, true, 20_000, &released);
        // SAFETY: the array is valid, and no reference to its memory leaves the closure.
        let lent = unsafe {
            with_arrow_device(&array, &schema, &own, mr.as_ref(), |view| {
                let access = view.buffer(0).unwrap().read_on(&other).unwrap();
                kernels.check(access.address(), value, 30_000, &other, count);
            })
        };
        lent.unwrap();
    });
    assert_eq!((found, released.load(Ordering::SeqCst)), (0, 200));
}

#[test]
fn one_event_covers_the_writers_of_all_buffers() {
    let Some(device) = cuda_device("one event for several writers") else { return };
    let kernels = Kernels::load(device);
    let mr = Resource::new(CudaAsyncResource::new(device).unwrap());
    let streams: Vec<Stream> = (0..4).map(|_| Stream::new(device).unwrap()).collect();
    let found = violations(device, 200, |_, value, count| {
        let columns = streams[..3].iter().map(|stream| written(&kernels, value, 30_000, stream, &mr)).collect();
        let table = Table::try_new(columns).unwrap();
        let addresses: Vec<u64> = table
            .columns()
            .iter()
            // SAFETY: the consumer uses the addresses after the event and before the consumer releases the array.
            .map(|column| unsafe { column.buffers()[0].danger_address() })
            .collect();
        let array = to_arrow_device(table, &streams[0]).unwrap();
        assert_eq!(array.device_type(), DeviceType::CUDA);
        consume(array, true, &streams[3], |_| {
            addresses.iter().for_each(|address| kernels.check(*address, value, 0, &streams[3], count));
        });
    });
    assert_eq!(found, 0);
}

#[test]
fn exchange_does_no_work_on_the_device() {
    let Some(device) = cuda_device("costs of exchange") else { return };
    let (stream, mr) = (Stream::new(device).unwrap(), current_resource(device).unwrap());
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![Some(1), None, Some(3)])),
        Arc::new(StringArray::from(vec![Some("a"), None, Some("a text of some length")])),
        Arc::new(LargeStringArray::from(vec!["a", "b", "c"])),
        Arc::new(StringViewArray::from(vec!["a", "a text of some length", "another text of some length"])),
    ];
    for array in arrays {
        let column = Column::from_arrow(&array, &stream, mr.as_ref()).unwrap();
        let schema = to_arrow_schema(array.data_type()).unwrap();
        for disguised in [false, true] {
            let before = stream.counters();
            let mut exported = to_arrow_device(&column, &stream).unwrap();
            if disguised {
                exported = disguise(exported);
            }
            // SAFETY: gdf exported the array and the schema, so both are valid.
            let again = unsafe { from_arrow_device(exported, &schema, &stream, mr.as_ref()).unwrap() };
            assert_eq!(stream.counters() - before, gdf_driver::Counters::default(), "{}", array.data_type());
            assert_eq!(&again.to_arrow(&stream).unwrap(), &array);
            let copy = again.deep_copy(&stream, mr.as_ref()).unwrap();
            assert_eq!(copy.alloc_size(), column.alloc_size(), "{}", array.data_type());
            assert_eq!(&copy.to_arrow(&stream).unwrap(), &array);
        }
    }
}

/// Returns the same array with another release callback.
fn disguise(array: ArrowDeviceArray) -> ArrowDeviceArray {
    unsafe extern "C" fn release(raw: *mut Raw) {
        // SAFETY: the consumer calls `release` once, with the struct that `disguise` made. `private` therefore points
        // to an `ArrowDeviceArray` from `Box::into_raw`.
        unsafe {
            (*raw).release = None;
            drop(Box::from_raw((*raw).private.cast::<ArrowDeviceArray>()));
        }
    }
    let inner = Box::into_raw(Box::new(array));
    // SAFETY: `Raw` and `ArrowDeviceArray` have the same layout. `private` owns the original struct, so only `release`
    // above frees the original.
    unsafe {
        let mut outer = std::ptr::read(inner.cast::<Raw>());
        outer.release = Some(release);
        outer.private = inner.cast();
        std::mem::transmute::<Raw, ArrowDeviceArray>(outer)
    }
}

#[test]
fn the_kind_of_memory_is_told() {
    let Some(device) = cuda_device("kinds of memory") else { return };
    let (stream, cpu) = (Stream::new(device).unwrap(), Stream::cpu());
    let array: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None, Some(3)]));
    let schema = to_arrow_schema(array.data_type()).unwrap();
    let resources = [
        (current_resource(device).unwrap(), DeviceType::CUDA),
        (Resource::new(PinnedResource::new(device).unwrap()), DeviceType::CUDA_HOST),
        (Resource::new(ManagedResource::new(device).unwrap()), DeviceType::CUDA_MANAGED),
    ];
    for (mr, kind) in resources {
        let column = Column::from_arrow(&array, &stream, mr.as_ref()).unwrap();
        let exported = disguise(to_arrow_device(&column, &stream).unwrap());
        assert_eq!((exported.device_type(), exported.device_id()), (kind, DeviceType::of(device).1));
        // SAFETY: gdf exported the array and the schema, so both are valid.
        let again = unsafe { from_arrow_device(exported, &schema, &stream, mr.as_ref()).unwrap() };
        assert_eq!(&again.to_arrow(&stream).unwrap(), &array);
        // An imported column is exported with the same device type.
        assert_eq!(to_arrow_device(&again, &stream).unwrap().device_type(), kind);
        if kind == DeviceType::CUDA {
            continue;
        }
        let host = current_resource(Device::Cpu).unwrap();
        let exported = disguise(to_arrow_device(&column, &stream).unwrap());
        // SAFETY: gdf exported the array and the schema, so both are valid.
        let on_cpu = unsafe { from_arrow_device(exported, &schema, &cpu, host.as_ref()).unwrap() };
        assert_eq!((on_cpu.device(), &on_cpu.to_arrow(&cpu).unwrap()), (Device::Cpu, &array));
    }
}

#[test]
fn every_type_goes_round() {
    let Some(device) = cuda_device("pairs of gdf with itself") else { return };
    let (stream, mr) = (Stream::new(device).unwrap(), current_resource(device).unwrap());
    let mut pairs = 0;
    for array in arrays::all(37).into_iter().chain(arrays::all(0)) {
        let column = Column::from_arrow(&array, &stream, mr.as_ref()).unwrap();
        let schema = to_arrow_schema(array.data_type()).unwrap();
        for (start, rows) in [(0, array.len()), (array.len() / 3, array.len() / 2)] {
            let (array, column) = (array.slice(start, rows), column.slice(start, rows).unwrap());
            for (owning, disguised) in [(false, false), (false, true), (true, false), (true, true)] {
                let exported = if owning {
                    to_arrow_device(column.clone(), &stream).unwrap()
                } else {
                    to_arrow_device(&column, &stream).unwrap()
                };
                let exported = if disguised { disguise(exported) } else { exported };
                // SAFETY: gdf exported the array and the schema, so both are valid.
                let again = unsafe { from_arrow_device(exported, &schema, &stream, mr.as_ref()).unwrap() };
                assert_eq!(&again.to_arrow(&stream).unwrap(), &array, "{}", array.data_type());
                pairs += 1;
            }
        }
    }
    println!("{pairs} pairs of gdf with itself on {device}");
}

#[test]
fn streams_of_tables_go_round() {
    let Some(device) = cuda_device("streams of tables") else { return };
    let (stream, mr) = (Stream::new(device).unwrap(), current_resource(device).unwrap());
    let columns = arrays::all(21).into_iter().map(|array| Column::from_arrow(&array, &stream, mr.as_ref()).unwrap());
    let table = Table::try_new(columns.collect()).unwrap();
    let schema = table.schema(&[]);
    let parts: Vec<Table> = [(0, 21), (4, 9), (7, 0)].map(|(start, rows)| table.slice(start, rows).unwrap()).into();
    let again = parts.clone().into_iter().map(Ok::<_, InteropError>);
    let exported = to_arrow_device_stream(&schema, again, &stream);
    assert_eq!(exported.device_type(), DeviceType::CUDA);
    // SAFETY: gdf exported the stream, so the stream is valid.
    let read = unsafe { from_arrow_device_stream(exported, &stream, &mr).unwrap() };
    for (read, part) in read.map(Result::unwrap).zip(&parts) {
        assert_eq!(read.to_arrow(&schema, &stream).unwrap(), part.to_arrow(&schema, &stream).unwrap());
    }
    // The stream is copied to the CPU, imported from the CPU to the GPU, and copied back.
    let exported = to_arrow_stream(&schema, parts.clone().into_iter().map(Ok::<_, InteropError>), &stream);
    // SAFETY: gdf exported the stream, so the stream is valid.
    let read = unsafe { from_arrow_stream(exported, &stream, &mr).unwrap() };
    let read: Vec<Table> = read.map(Result::unwrap).collect();
    assert_eq!(read.len(), parts.len());
    for (read, part) in read.iter().zip(&parts) {
        assert_eq!(read.device(), Some(device));
        assert_eq!(read.to_arrow(&schema, &stream).unwrap(), part.to_arrow(&schema, &stream).unwrap());
    }
}
