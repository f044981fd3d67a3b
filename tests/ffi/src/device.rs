//! C functions for tables on a device, for DLPack and for the CUDA array interface. `tests/ffi/device.py` calls these
//! functions.
//!
//! A function that fails returns null or −1, and `gdf_error` returns the reason. All pointers must be valid. A handle
//! comes from `gdf_column` or from an import function, and `gdf_free` frees the handle once.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::Arc;

use gdf_core::{Column, Error, Table};
use gdf_driver::{Device, LaunchConfig, Module, Stream};
use gdf_interop::dlpack::{DLManagedTensor, DLManagedTensorVersioned};
use gdf_interop::{
    Arguments, CudaArrayInterface, DlpackTensor, InteropError, Result, stream_from_number, stream_number,
};
use gdf_memory::current_resource;

/// A table, and the stream on which this library uses the table.
#[derive(Debug)]
pub struct Handle {
    table: Table,
    stream: Stream,
}

/// The fields of `__cuda_array_interface__` as a C struct.
#[derive(Debug)]
#[repr(C)]
pub struct Interface {
    address: u64,
    shape: [u64; 2],
    strides: [i64; 2],
    stream: u64,
    dimensions: u32,
    read_only: u32,
    has_strides: u32,
    has_mask: u32,
    typestr: [c_char; 8],
}

/// Owns imported memory of Python.
#[derive(Debug)]
struct Release(extern "C" fn());

impl Drop for Release {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// A kernel of one block.
const PTX: &str = include_str!("../../../crates/gdf-interop/tests/cuda/slow_add.ptx");

thread_local! {
    static ERROR: RefCell<CString> = RefCell::default();
}

fn told<T>(result: Result<T>, failed: T) -> T {
    result.unwrap_or_else(|error| {
        let text = CString::new(format!("{error}")).unwrap_or_default();
        ERROR.with(|slot| *slot.borrow_mut() = text);
        failed
    })
}

fn boxed(table: Table, stream: &Stream) -> *mut Handle {
    Box::into_raw(Box::new(Handle { table, stream: stream.clone() }))
}

/// Returns the text of the last error on this thread.
#[unsafe(no_mangle)]
pub extern "C" fn gdf_error() -> *const c_char {
    ERROR.with(|slot| slot.borrow().as_ptr())
}

fn device(ordinal: i32) -> Device {
    u32::try_from(ordinal).map_or(Device::Cpu, Device::Cuda)
}

/// Builds a table with one column. The column has the `len` numbers at `values`. The table is on the CUDA device
/// `ordinal`, or on the CPU if `ordinal` is −1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_column(ordinal: i32, values: *const i32, len: usize) -> *mut Handle {
    // SAFETY: the caller passes a pointer to `len` initialized numbers that nothing changes during the call.
    let values = unsafe { std::slice::from_raw_parts(values, len) };
    let made = (|| {
        let (stream, mr) = (Stream::new(device(ordinal))?, current_resource(device(ordinal))?);
        let column = Column::from_slice_on(values, &stream, mr.as_ref())?;
        Ok(boxed(Table::try_new(vec![column])?, &stream))
    })();
    told(made, std::ptr::null_mut())
}

/// Returns the ordinal of the CUDA device, or −1 for the CPU.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_device(handle: *const Handle) -> i32 {
    // SAFETY: the caller passes a live handle.
    match unsafe { &*handle }.stream.device() {
        Device::Cuda(ordinal) => ordinal as i32,
        Device::Cpu => -1,
    }
}

/// Returns the number of columns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_columns(handle: *const Handle) -> usize {
    // SAFETY: the caller passes a live handle.
    unsafe { &*handle }.table.num_columns()
}

/// Copies the bytes of column `i` to `out`, which has room for `room` bytes. Returns the number of copied bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_read(handle: *const Handle, i: usize, out: *mut u8, room: usize) -> i64 {
    // SAFETY: the caller passes a live handle, and `room` initialized bytes at `out` that nothing else uses.
    let (handle, out) = unsafe { (&*handle, std::slice::from_raw_parts_mut(out, room)) };
    let read = (|| {
        let array = handle.table.column(i)?.to_array_data(&handle.stream)?;
        let width = gdf_core::types::width(array.data_type()).unwrap_or(0);
        let bytes = array.buffers().first().map_or(&[][..], |buffer| buffer.as_slice());
        let start = array.offset() * width;
        let bytes =
            bytes.get(start..start + array.len() * width).ok_or(Error::out_of_bounds(start as i128, bytes.len()))?;
        let into = out.get_mut(..bytes.len()).ok_or(Error::out_of_bounds(bytes.len() as i128, room))?;
        into.copy_from_slice(bytes);
        Ok(bytes.len() as i64)
    })();
    told(read, -1)
}

/// Enqueues a kernel on the handle's stream. The kernel waits for `nanoseconds` and then adds `term` to each number of
/// the only column.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_slow_add(handle: *mut Handle, term: i32, nanoseconds: u64) -> i32 {
    // SAFETY: the caller passes a live handle that nothing else uses.
    let handle = unsafe { &mut *handle };
    let stream = handle.stream.clone();
    let launched = handle.with_column(|column| {
        let kernel = Module::load(stream.device(), PTX.as_bytes())?.function("slow_add")?;
        let count = column.len() as u32;
        let arguments = Arguments::on(&stream).column_mut::<i32>(column)?;
        let arguments = arguments.scalar(count).scalar(term).scalar(nanoseconds);
        // SAFETY: `slow_add` takes these four parameters. The kernel reads and writes `count` numbers, which are all
        // numbers of the column that is borrowed mutably.
        Ok(unsafe { arguments.launch(&kernel, LaunchConfig::linear(1, 256)) }?)
    });
    told(launched.map(|()| 0), -1)
}

impl Handle {
    /// Calls `use_it` with the only column of the table, and then puts the column back into the table.
    fn with_column<T>(&mut self, use_it: impl FnOnce(&mut Column) -> Result<T>) -> Result<T> {
        let table = std::mem::replace(&mut self.table, Table::try_new(Vec::new())?);
        let mut columns = table.into_columns();
        let result = match columns.first_mut() {
            Some(column) => use_it(column),
            None => Err(Error::column_count(1, 0).into()),
        };
        self.table = Table::try_new(columns)?;
        result
    }
}

/// Makes the stream of the handle wait for the stream `number`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_wait_for(handle: *const Handle, number: i64) -> i32 {
    // SAFETY: the caller passes a live handle, and the number of a stream that lives for the whole call.
    let waited = unsafe {
        let handle = &*handle;
        stream_from_number(handle.stream.device(), Some(number)).and_then(|other| Ok(handle.stream.wait_for(&other)?))
    };
    told(waited.map(|()| 0), -1)
}

/// Returns the number of the handle's stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_stream(handle: *const Handle) -> u64 {
    // SAFETY: the caller passes a live handle.
    stream_number(&unsafe { &*handle }.stream).unwrap_or(0)
}

/// Describes the only column by the CUDA array interface. With `writable`, the consumer may write to the column.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_interface(handle: *mut Handle, writable: bool, out: *mut Interface) -> i32 {
    // SAFETY: the caller passes a live handle that nothing else uses, and a valid `out` that nothing else uses.
    let (handle, out) = unsafe { (&mut *handle, &mut *out) };
    let stream = handle.stream.clone();
    let described = handle.with_column(|column| {
        if writable {
            CudaArrayInterface::of_column_mut(column, &stream)
        } else {
            CudaArrayInterface::of_column(column.view(), &stream)
        }
    });
    let filled = described.map(|interface| {
        let mut typestr = [0; 8];
        for (to, from) in typestr.iter_mut().zip(interface.typestr.bytes()) {
            *to = from as c_char;
        }
        *out = Interface {
            address: interface.data.0,
            shape: [interface.shape[0] as u64, 1],
            strides: [0, 0],
            stream: interface.stream.unwrap_or(0),
            dimensions: 1,
            read_only: u32::from(interface.data.1),
            has_strides: 0,
            has_mask: 0,
            typestr,
        };
    });
    told(filled.map(|()| 0), -1)
}

/// Imports an array of a device, and shares the memory of the array. `release` is called after the last use of the
/// memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_import_interface(interface: *const Interface, release: extern "C" fn()) -> *mut Handle {
    // SAFETY: the caller passes a pointer to a valid description.
    let from = unsafe { &*interface };
    let dimensions = (from.dimensions as usize).min(2);
    let owner = Arc::new(Release(release));
    let imported = (|| {
        // SAFETY: the caller ends `typestr` with a zero byte.
        let typestr = unsafe { CStr::from_ptr(from.typestr.as_ptr()) }.to_string_lossy().into_owned();
        let interface = CudaArrayInterface {
            shape: from.shape[..dimensions].iter().map(|&extent| extent as usize).collect(),
            typestr,
            data: (from.address, from.read_only != 0),
            strides: (from.has_strides != 0).then(|| from.strides[..dimensions].to_vec()),
            stream: (from.stream != 0).then_some(from.stream),
            version: 3,
            has_mask: from.has_mask != 0,
        };
        let stream = Stream::new(interface.device()?)?;
        // SAFETY: the caller describes a valid array that stays unchanged until `release` is called.
        Ok(boxed(unsafe { interface.into_table(owner, &stream) }?, &stream))
    })();
    told(imported, std::ptr::null_mut())
}

/// Exports the only column as a tensor that is ready on stream `number`. With `owned`, the tensor takes over the table
/// of the handle. Otherwise, the tensor shares the table.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_export_dlpack(
    handle: *mut Handle,
    number: i64,
    owned: bool,
) -> *mut DLManagedTensorVersioned {
    // SAFETY: the caller passes a live handle that nothing else uses, and the number of a stream that outlives the
    // tensor.
    let exported = unsafe { export(&mut *handle, number, owned) };
    told(exported.map(DlpackTensor::into_raw), std::ptr::null_mut())
}

/// Does the same as `gdf_export_dlpack` with `owned`, but returns the struct of DLPack versions before 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_export_dlpack_legacy(handle: *mut Handle, number: i64) -> *mut DLManagedTensor {
    // SAFETY: the caller passes a live handle that nothing else uses, and the number of a stream that outlives the
    // tensor.
    let exported = unsafe { export(&mut *handle, number, true) };
    told(exported.and_then(DlpackTensor::into_legacy), std::ptr::null_mut())
}

unsafe fn export(handle: &mut Handle, number: i64, owned: bool) -> Result<DlpackTensor> {
    // SAFETY: the caller passes the number of a stream that outlives the tensor.
    let stream = unsafe { stream_from_number(handle.stream.device(), Some(number)) }?;
    if !owned {
        return handle.with_column(|column| DlpackTensor::from_column(column, &stream));
    }
    let table = std::mem::replace(&mut handle.table, Table::try_new(Vec::new())?);
    let column = table.into_columns().pop().ok_or(Error::column_count(1, 0))?;
    DlpackTensor::from_owned_column(column, &stream)
}

/// Copies the table to a new tensor that is ready on stream `number`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_copy_to_dlpack(handle: *const Handle, number: i64) -> *mut DLManagedTensorVersioned {
    // SAFETY: the caller passes a live handle.
    let handle = unsafe { &*handle };
    let copied = (|| {
        // SAFETY: the caller passes the number of a stream that outlives the tensor.
        let stream = unsafe { stream_from_number(handle.stream.device(), Some(number)) }?;
        let mr = current_resource(stream.device())?;
        DlpackTensor::from_table(handle.table.view(), &stream, mr.as_ref())
    })();
    told(copied.map(DlpackTensor::into_raw), std::ptr::null_mut())
}

/// Creates a stream on which a tensor is imported. The stream is on the CUDA device `ordinal`, or on the CPU if
/// `ordinal` is −1.
#[unsafe(no_mangle)]
pub extern "C" fn gdf_new_stream(ordinal: i32) -> *mut Stream {
    told(
        Stream::new(device(ordinal)).map_err(InteropError::from).map(|stream| Box::into_raw(Box::new(stream))),
        std::ptr::null_mut(),
    )
}

/// Returns the number of a stream that `gdf_new_stream` created, or 0 on the CPU.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_number_of_stream(stream: *const Stream) -> u64 {
    // SAFETY: the caller passes a live stream.
    stream_number(unsafe { &*stream }).unwrap_or(0)
}

/// Frees a stream that `gdf_new_stream` created.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_free_stream(stream: *mut Stream) {
    // SAFETY: the caller passes a live stream of `gdf_new_stream`, and passes the stream to this function once only.
    drop(unsafe { Box::from_raw(stream) });
}

/// Imports a tensor and takes over its ownership. The producer has made the tensor ready for `stream`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_import_dlpack(raw: *mut c_void, legacy: bool, stream: *const Stream) -> *mut Handle {
    // SAFETY: the caller passes a live stream, and a tensor of the given form that nothing else frees.
    let imported = unsafe {
        let stream = &*stream;
        let tensor = if legacy {
            DlpackTensor::from_legacy(raw.cast(), stream)
        } else {
            DlpackTensor::from_raw(raw.cast(), stream)
        };
        tensor.and_then(DlpackTensor::into_table).map(|table| boxed(table, stream))
    };
    told(imported, std::ptr::null_mut())
}

/// Frees a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_free(handle: *mut Handle) {
    // SAFETY: the caller passes a live handle, and passes the handle to this function once only.
    drop(unsafe { Box::from_raw(handle) });
}
