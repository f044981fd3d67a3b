//! Exchanges memory by address and by handle of the driver, for libraries whose buffers have no column types. Also
//! exports a column whose values are written late.

use std::ffi::c_int;
use std::sync::Arc;

use gdf_core::{Column, DataType, Field};
use gdf_driver::ipc::{HandleBytes, OpenedMemory};
use gdf_driver::{Device, LaunchConfig, Module, Stream};
use gdf_interop::{
    Arguments, ArrowDeviceArray, ArrowSchema, InteropError, IpcHandle, Result, SharedBuffer, buffer_from_address,
    device_of, to_arrow_device, to_arrow_schema,
};
use gdf_memory::{Buffer, Owner, current_resource};

use crate::{code, device};

/// A kernel of one block.
const PTX: &str = include_str!("../../../crates/gdf-interop/tests/cuda/slow_add.ptx");

/// Writes the ordinal of the CUDA device that owns `address`, or -1 for the CPU.
///
/// # Safety
/// - `out` is valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_device_of(address: u64, out: *mut c_int) -> c_int {
    code(device_of(address).map(|device| {
        let ordinal = match device {
            Device::Cuda(ordinal) => ordinal as c_int,
            Device::Cpu => -1,
        };
        // SAFETY: the caller passes an `out` that is valid for writes.
        unsafe { out.write(ordinal) };
    }))
}

/// Copies `len` bytes at an address to `out`. `owner` keeps the memory alive.
///
/// # Safety
/// - `len` bytes at `address` are initialized, and no code writes the bytes while `owner` lives.
/// - `out` is valid for writes of `len` bytes.
unsafe fn read(address: u64, len: usize, owner: Arc<dyn Owner>, stream: &Stream, out: *mut u8) -> Result<()> {
    // SAFETY: the caller ensures that the bytes are initialized, and that the bytes stay valid and unchanged while
    // `owner` lives.
    let buffer = unsafe { buffer_from_address(address, len, owner, stream) }?;
    let bytes = buffer.to_host(stream)?;
    // SAFETY: `bytes` has `len` bytes, the caller passes an `out` that is valid for writes of `len` bytes, and the
    // copy of the bytes on the host does not overlap `out`.
    unsafe { out.copy_from_nonoverlapping(bytes.as_ptr(), len) };
    Ok(())
}

/// Copies `len` bytes at `address` to `out`. The caller owns the bytes at `address`.
///
/// # Safety
/// - `len` bytes at `address` are initialized, and no code writes the bytes until the call returns.
/// - `out` is valid for writes of `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_read_address(address: u64, len: usize, ordinal: c_int, out: *mut u8) -> c_int {
    code((|| {
        let stream = Stream::new(device(ordinal))?;
        // SAFETY: the caller ensures that the bytes are initialized and unchanged until the call returns, and that
        // `out` is valid for writes of `len` bytes. The buffer is dropped before the call returns.
        unsafe { read(address, len, Arc::new(()), &stream, out) }
    })())
}

/// Writes the bytes of the handle to `handle`. Also writes a pointer to the shared buffer to `out`.
unsafe fn give(shared: SharedBuffer, handle: *mut u8, out: *mut *mut SharedBuffer) {
    let bytes = shared.handle().to_bytes();
    // SAFETY: the caller passes a `handle` that is valid for writes of a handle, and an `out` that is valid for a
    // write of a pointer.
    unsafe {
        handle.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        out.write(Box::into_raw(Box::new(shared)));
    }
}

/// Shares memory of the caller with other processes until `gdf_unshare`. The other processes open the memory with
/// `handle`.
///
/// # Safety
/// - `len` bytes at `address` are initialized and stay valid until `gdf_unshare`.
/// - `handle` is valid for writes of [`IpcHandle::BYTES`] bytes, and `out` is valid for a write of a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_share_address(
    address: u64,
    len: usize,
    ordinal: c_int,
    handle: *mut u8,
    out: *mut *mut SharedBuffer,
) -> c_int {
    code((|| {
        let stream = Stream::new(device(ordinal))?;
        // SAFETY: the caller ensures that `len` bytes at `address` are initialized and stay valid until `gdf_unshare`,
        // which drops the buffer.
        let buffer = unsafe { buffer_from_address(address, len, Arc::new(()), &stream) }?;
        let shared = SharedBuffer::new(&buffer, &stream)?;
        // SAFETY: the caller passes a valid `handle` and a valid `out`, as the `# Safety` section requires.
        unsafe { give(shared, handle, out) };
        Ok(())
    })())
}

/// Does the same as [`gdf_share_address`] for a copy of the bytes in gdf's own memory. The copy is complete when the
/// call returns.
///
/// # Safety
/// - `bytes` points to `len` initialized bytes.
/// - `handle` is valid for writes of [`IpcHandle::BYTES`] bytes, and `out` is valid for a write of a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_share_bytes(
    bytes: *const u8,
    len: usize,
    ordinal: c_int,
    handle: *mut u8,
    out: *mut *mut SharedBuffer,
) -> c_int {
    code((|| {
        let stream = Stream::new(device(ordinal))?;
        let mr = current_resource(stream.device())?;
        // SAFETY: the caller passes a pointer to `len` initialized bytes, and no code writes the bytes during the
        // call.
        let bytes = unsafe { std::slice::from_raw_parts(bytes, len) };
        let buffer = Buffer::from_host(bytes, &stream, mr.as_ref())?;
        let shared = SharedBuffer::new(&buffer, &stream)?;
        stream.synchronize()?;
        // SAFETY: the caller passes a valid `handle` and a valid `out`, as the `# Safety` section requires.
        unsafe { give(shared, handle, out) };
        Ok(())
    })())
}

/// Ends the sharing of a buffer.
///
/// # Safety
/// - `shared` comes from `gdf_share_address` or `gdf_share_bytes`, and is passed to this function only once.
/// - No other process uses the memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_unshare(shared: *mut SharedBuffer) {
    // SAFETY: `shared` comes from `Box::into_raw`, and the caller passes `shared` only once.
    drop(unsafe { Box::from_raw(shared) });
}

/// Copies `len` bytes to `out`. Another process shares these bytes by gdf's handle.
///
/// # Safety
/// - `handle` points to [`IpcHandle::BYTES`] bytes of [`gdf_share_address`] or [`gdf_share_bytes`] in another process.
/// - The other process keeps the buffer until the call returns.
/// - `out` is valid for writes of `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_open_shared(handle: *const u8, len: usize, ordinal: c_int, out: *mut u8) -> c_int {
    code((|| {
        // SAFETY: the caller passes a pointer to `IpcHandle::BYTES` bytes.
        let handle = unsafe { std::slice::from_raw_parts(handle, IpcHandle::BYTES) };
        let stream = Stream::new(device(ordinal))?;
        // SAFETY: the other process keeps the buffer until the call returns, as the caller ensures. The opened buffer
        // is dropped before the call returns.
        let buffer = unsafe { IpcHandle::from_bytes(handle)?.open(&stream) }?;
        let bytes = buffer.to_host(&stream)?;
        let bytes = bytes.get(..len).ok_or(gdf_core::Error::out_of_bounds(len as i128, bytes.len()))?;
        // SAFETY: `bytes` has `len` bytes, the caller passes an `out` that is valid for writes of `len` bytes, and the
        // copy of the bytes on the host does not overlap `out`.
        unsafe { out.copy_from_nonoverlapping(bytes.as_ptr(), len) };
        Ok(())
    })())
}

/// Copies the first `len` bytes of an allocation of another process to `out`. `handle` is the driver's handle of 64
/// bytes.
///
/// # Safety
/// - The first `len` bytes of the allocation are initialized, and the other process keeps the allocation until the
///   call returns.
/// - `handle` points to the 64 bytes, and `out` is valid for writes of `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_open_driver_handle(
    handle: *const HandleBytes,
    len: usize,
    ordinal: c_int,
    out: *mut u8,
) -> c_int {
    code((|| {
        let stream = Stream::new(device(ordinal))?;
        // SAFETY: the caller passes a pointer to the 64 bytes of the handle.
        let memory = OpenedMemory::open(stream.device(), unsafe { *handle })?;
        let base = memory.base();
        // SAFETY: the other process keeps the allocation, and `memory` keeps the allocation open while the buffer
        // lives. The caller passes an `out` that is valid for writes of `len` bytes.
        unsafe { read(base, len, Arc::new(memory), &stream, out) }
    })())
}

/// Exports a column of `rows` int32 values, which are all equal to `term`. On a GPU, the kernel waits for `nanoseconds`
/// before it writes the values. On the CPU, the values are written at once.
///
/// # Safety
/// - `out` and `out_schema` are valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_slow_column(
    rows: usize,
    term: i32,
    nanoseconds: u64,
    ordinal: c_int,
    out: *mut ArrowDeviceArray,
    out_schema: *mut ArrowSchema,
) -> c_int {
    code((|| {
        let stream = Stream::new(device(ordinal))?;
        let mr = current_resource(stream.device())?;
        let begin = if stream.device().is_cpu() { term } else { 0 };
        let mut column = Column::from_slice_on(&vec![begin; rows], &stream, mr.as_ref())?;
        if !stream.device().is_cpu() {
            let kernel = Module::load(stream.device(), PTX.as_bytes())?.function("slow_add")?;
            let count =
                u32::try_from(rows).map_err(|_| InteropError::from(gdf_core::Error::out_of_bounds(rows as i128, 0)))?;
            let arguments = Arguments::on(&stream).column_mut::<i32>(&mut column)?;
            let arguments = arguments.scalar(count).scalar(term).scalar(nanoseconds);
            // SAFETY: `slow_add` has these four parameters. The kernel reads and writes `count` numbers, which are all
            // numbers of the column that is borrowed mutably.
            unsafe { arguments.launch(&kernel, LaunchConfig::linear(1, 256)) }?;
        }
        // SAFETY: the caller passes an `out` and an `out_schema` that are valid for writes.
        unsafe {
            to_arrow_device(column, &stream)?.write_to(out);
            to_arrow_schema(&Field::new("", DataType::Int32, false))?.write_to(out_schema);
        }
        Ok(())
    })())
}
