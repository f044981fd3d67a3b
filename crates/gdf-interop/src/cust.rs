//! `cust`, the Rust CUDA project's library for the host, beside gdf: its devices, contexts, streams, events, device
//! pointers, buffers and kernels with our columns, and ours with its functions.
//!
//! | `cust` has | gdf uses it through |
//! |---|---|
//! | a context | [`device_of_context`]: both libraries use the primary contexts, so nothing is converted |
//! | a stream, and so its events | [`stream_from_cust`] |
//! | a buffer of a device | [`column_from_cust`], which shares it and drops it in time |
//! | a function of a module | [`launch`], with [`Arguments`](crate::Arguments) |
//!
//! | gdf has | `cust` uses it through |
//! |---|---|
//! | a device | [`to_cust_context`] |
//! | a stream, and so its order | [`BorrowedStream`]: `launch!`, asynchronous copies, events |
//! | an access to a column or buffer | [`device_pointer`], [`device_pointer_mut`] |
//!
//! Nearly all of `cust` wants its context to be current on the calling thread: keep what [`to_cust_context`] gives.
//! `cust` 0.3.2 knows the driver's status codes of CUDA 11.4; a newer code that it returns is undefined behavior in it.
//! The functions here never ask it for one where gdf's own call does.
//!
//! A program with this feature links `libcuda`, other than gdf by itself; docs/guide/user-kernels.md says how to build it.

use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::Arc;

use ::cust::context::Context;
use ::cust::device::Device as CustDevice;
use ::cust::error::CudaError;
use ::cust::function::Function;
use ::cust::memory::{DeviceBuffer, DeviceCopy, DevicePointer};
use ::cust::stream::Stream as CustStream;
use gdf_core::{Column, ColumnParts, Error, NativeType, enter_span};
use gdf_driver::{Device, DriverError, LaunchConfig, Status, Stream};
use gdf_memory::{Access, AccessMut};

use crate::foreign::wrap;
use crate::{Arguments, Result, device_of};

/// What a call of `cust` returned, as our error.
fn reported<T>(result: Result<T, CudaError>, call: &'static str, device: Option<Device>) -> Result<T> {
    result.map_err(|error| DriverError::Call { call, status: Status(error as u32), device }.into())
}

/// The context of a device for `cust`: the primary one, which both libraries share. It is current on this thread
/// afterwards, as after `cust::quick_init`.
///
/// # Errors
/// - [`DriverError::DeviceMismatch`] for the CPU; the device cannot be opened.
pub fn to_cust_context(device: Device) -> Result<Context> {
    let Device::Cuda(ordinal) = device else {
        return Err(DriverError::DeviceMismatch { expected: Device::Cuda(0), found: device }.into());
    };
    device.open()?;
    let found = reported(CustDevice::get_device(ordinal), "cuDeviceGet", Some(device))?;
    reported(Context::new(found), "cuDevicePrimaryCtxRetain", Some(device))
}

/// The device whose primary context this is. Contexts of `cust::context::legacy` are others, whose memory and streams gdf
/// does not use.
///
/// # Errors
/// - [`Error::InvalidArgument`]: it is no device's primary context.
/// - Driver errors.
pub fn device_of_context(context: &Context) -> Result<Device> {
    let raw = context.as_raw().cast();
    for device in (0..Device::cuda_count()?).map(Device::Cuda) {
        if device.raw_context()? == raw {
            return Ok(device);
        }
    }
    Err(Error::invalid_argument("the context is not the primary context of a device").into())
}

/// A stream of `cust` as one of ours, for operations and accesses: what they enqueue runs in its order. It is `cust`'s to
/// destroy.
///
/// # Safety
/// - The stream was made while `device`'s context was current.
/// - It outlives every clone of the result, and every buffer, column and event that was used with it.
///
/// # Errors
/// - The device cannot be opened.
pub unsafe fn stream_from_cust(stream: &CustStream, device: Device) -> Result<Stream> {
    // SAFETY: the caller's promises.
    Ok(unsafe { Stream::from_raw(device, stream.as_inner().cast()) }?)
}

/// One of our streams for functions of `cust`, which enqueue in its order: `launch!` and asynchronous copies take it, and
/// events of `cust` are recorded on it (`event.record(&stream)`) and waited for by it (`stream.wait_event`).
#[derive(Debug)]
pub struct BorrowedStream<'a> {
    stream: ManuallyDrop<CustStream>,
    lender: PhantomData<&'a Stream>,
}

impl<'a> BorrowedStream<'a> {
    /// Lends a stream of a GPU. Its counters do not see what `cust` enqueues.
    ///
    /// # Errors
    /// - [`Error::DeviceMismatch`]: a stream of the CPU.
    pub fn new(stream: &'a Stream) -> Result<BorrowedStream<'a>> {
        const { assert!(size_of::<CustStream>() == size_of::<*mut std::ffi::c_void>()) };
        let Some(raw) = stream.raw() else {
            return Err(Error::device_mismatch(Device::Cuda(0), stream.device()).into());
        };
        // SAFETY: the one field of cust's stream is the driver's handle, as wide as all of it (asserted above), and any
        // handle is a value of that field. It is never dropped, so the driver's stream is not destroyed.
        let stream = ManuallyDrop::new(unsafe { std::mem::transmute::<*mut std::ffi::c_void, CustStream>(raw) });
        Ok(BorrowedStream { stream, lender: PhantomData })
    }
}

impl Deref for BorrowedStream<'_> {
    type Target = CustStream;

    fn deref(&self) -> &CustStream {
        &self.stream
    }
}

/// The address of an access as `cust` types it, for kernels and copies that only read. Good for what is enqueued on the
/// access's stream while the access is held.
pub fn device_pointer<T: DeviceCopy>(access: &Access<'_>) -> DevicePointer<T> {
    DevicePointer::from_raw(access.address())
}

/// As [`device_pointer`], for kernels and copies that write.
pub fn device_pointer_mut<T: DeviceCopy>(access: &mut AccessMut<'_>) -> DevicePointer<T> {
    DevicePointer::from_raw(access.address())
}

/// Launches a function of `cust` with arguments of ours. As [`Arguments::launch`], for modules that `cust` loaded, such as
/// those of the Rust CUDA compiler.
///
/// # Safety
/// - As [`Arguments::launch`]; the function's module is loaded on the stream's device, and stays loaded until the kernel has
///   run.
///
/// # Errors
/// - [`Error::DeviceMismatch`]: a stream of the CPU.
/// - The driver refuses the launch.
pub unsafe fn launch(arguments: Arguments<'_>, function: &Function<'_>, config: LaunchConfig) -> Result<()> {
    let (grid, block) = (config.grid, config.block);
    arguments.with_pointers(|stream, pointers| {
        let (device, lent) = (stream.device(), BorrowedStream::new(stream)?);
        // SAFETY: the caller promises that parameters and function fit; the accesses behind the pointers are held until the
        // launch is enqueued, and the context is the one that stream and function are of.
        let launched =
            device.with_current(|| unsafe { lent.launch(function, grid, block, config.shared_bytes, pointers) })?;
        reported(launched, "cuLaunchKernel", Some(device))
    })
}

/// A buffer of `cust` that is dropped while its context is current, whichever thread drops it.
#[derive(Debug)]
struct Owned<T: DeviceCopy> {
    buffer: ManuallyDrop<DeviceBuffer<T>>,
    device: Device,
}

impl<T: DeviceCopy> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: the field is not used again.
        let freed = self.device.with_current(|| unsafe { ManuallyDrop::drop(&mut self.buffer) });
        if let Err(error) = freed {
            tracing::warn!(%error, "a buffer of cust is leaked");
        }
    }
}

/// A buffer of `cust` as a column without nulls, of the plainest type that stores `T`. It shares the memory, on the device
/// that the driver finds behind it, and drops the buffer when nothing uses it any more.
///
/// # Safety
/// - Everything that wrote the buffer precedes what is enqueued on `stream` from now on, and nobody else writes there.
///
/// # Errors
/// - [`Error::DeviceMismatch`]: the buffer is on another device than the stream. It is dropped then.
/// - Driver errors.
pub unsafe fn column_from_cust<T: NativeType + DeviceCopy>(buffer: DeviceBuffer<T>, stream: &Stream) -> Result<Column> {
    let _span = enter_span("column_from_cust", stream.device());
    let (address, rows) = (buffer.as_device_ptr().as_raw(), buffer.len());
    let device = if rows == 0 { stream.device() } else { device_of(address)? };
    let owner = Arc::new(Owned { buffer: ManuallyDrop::new(buffer), device });
    let pointer = std::ptr::with_exposed_provenance_mut(address as usize);
    // SAFETY: the buffer, which the owner keeps, has `rows` values there; the caller promises the order and that nobody
    // writes.
    let buffer = unsafe { wrap(pointer, rows * size_of::<T>(), owner, stream, true) }?;
    Ok(Column::try_from_parts(ColumnParts::new(T::DATA_TYPE, stream.device(), rows).buffer(buffer))?)
}
