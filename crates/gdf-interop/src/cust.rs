//! Interoperability with `cust`, the host library of the Rust CUDA project. `cust` can use gdf's devices, streams and
//! columns, and gdf can use `cust`'s contexts, streams, buffers and kernels.
//!
//! | object of `cust` | how gdf uses the object |
//! |---|---|
//! | a context | [`device_of_context`]: both libraries use primary contexts, so no conversion is necessary |
//! | a stream | [`stream_from_cust`] |
//! | a device buffer | [`column_from_cust`], which shares the buffer and drops the buffer after the last use |
//! | a function of a module | [`launch`], with [`Arguments`](crate::Arguments) |
//!
//! | object of gdf | how `cust` uses the object |
//! |---|---|
//! | a device | [`to_cust_context`] |
//! | a stream | [`BorrowedStream`]: for `launch!`, asynchronous copies, events |
//! | an access to a column or buffer | [`device_pointer`], [`device_pointer_mut`] |
//!
//! Nearly all functions of `cust` need a current context on the calling thread. Therefore keep the context that
//! [`to_cust_context`] returns. `cust` 0.3.2 knows only the driver's status codes of CUDA 11.4. If the driver returns a
//! newer code, `cust` converts the code with undefined behavior. Where gdf has its own driver call, the functions of
//! this module use that call instead of `cust`.
//!
//! A program with this feature is linked to `libcuda`. Without the feature, gdf is not. docs/guide/user-kernels.md
//! explains how to build such a program.

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

fn reported<T>(result: Result<T, CudaError>, call: &'static str, device: Option<Device>) -> Result<T> {
    result.map_err(|error| DriverError::Call { call, status: Status(error as u32), device }.into())
}

/// Returns the primary context of a device as a context of `cust`. Both libraries share the primary context. The
/// function also makes the context current on this thread, as `cust::quick_init` does.
///
/// # Errors
/// - [`DriverError::DeviceMismatch`]: `device` is the CPU.
/// - Driver errors of opening the device.
pub fn to_cust_context(device: Device) -> Result<Context> {
    let Device::Cuda(ordinal) = device else {
        return Err(DriverError::DeviceMismatch { expected: Device::Cuda(0), found: device }.into());
    };
    device.open()?;
    let found = reported(CustDevice::get_device(ordinal), "cuDeviceGet", Some(device))?;
    reported(Context::new(found), "cuDevicePrimaryCtxRetain", Some(device))
}

/// Returns the device whose primary context is `context`. Contexts of `cust::context::legacy` are not primary contexts.
/// gdf can use neither their memory nor their streams.
///
/// # Errors
/// - [`Error::InvalidArgument`]: `context` is not the primary context of any device.
/// - Driver errors.
pub fn device_of_context(context: &Context) -> Result<Device> {
    let raw = context.as_raw().cast();
    for device in (0..Device::cuda_count()?).map(Device::Cuda) {
        if device.raw_context()? == raw {
            return Ok(device);
        }
    }
    Err(Error::invalid_argument("the context is not the primary context of a device; pass the primary context").into())
}

/// Returns a gdf stream for a stream of `cust`. Operations and accesses enqueue their work on the stream of `cust`.
/// `cust` still owns the stream and destroys it.
///
/// # Safety
/// - The stream was made while `device`'s primary context was current.
/// - The stream outlives every clone of the result, and every buffer, column and event that was used with the result.
///
/// # Errors
/// - Driver errors of opening the device.
pub unsafe fn stream_from_cust(stream: &CustStream, device: Device) -> Result<Stream> {
    // SAFETY: the caller promises that the stream belongs to `device`'s primary context and outlives every use of the
    // result.
    Ok(unsafe { Stream::from_raw(device, stream.as_inner().cast()) }?)
}

/// A gdf stream that is lent to functions of `cust`. `launch!` and asynchronous copies of `cust` enqueue work on the
/// stream. `event.record(&stream)` records an event of `cust` on the stream. `stream.wait_event` makes the stream wait
/// for an event.
#[derive(Debug)]
pub struct BorrowedStream<'a> {
    stream: ManuallyDrop<CustStream>,
    lender: PhantomData<&'a Stream>,
}

impl<'a> BorrowedStream<'a> {
    /// Lends a stream of a GPU. gdf's counters of enqueued work do not include the work that `cust` enqueues.
    ///
    /// # Errors
    /// - [`Error::DeviceMismatch`]: `stream` is a stream of the CPU.
    pub fn new(stream: &'a Stream) -> Result<BorrowedStream<'a>> {
        const { assert!(size_of::<CustStream>() == size_of::<*mut std::ffi::c_void>()) };
        let Some(raw) = stream.raw() else {
            return Err(Error::device_mismatch(Device::Cuda(0), stream.device()).into());
        };
        // SAFETY: the only field of `CustStream` is the driver's handle, because the assertion above shows that both
        // have the same size. Every handle is a valid value of that field. `ManuallyDrop` never drops the
        // `CustStream`, so the driver's stream is not destroyed.
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

/// Returns the address of an access as a pointer of `cust`, for kernels and copies that only read. The address is valid
/// for work that is enqueued on the stream of the access while the access is held.
pub fn device_pointer<T: DeviceCopy>(access: &Access<'_>) -> DevicePointer<T> {
    DevicePointer::from_raw(access.address())
}

/// Returns the address of an access as a pointer of `cust`, for kernels and copies that also write. In all other
/// respects the function does the same as [`device_pointer`].
pub fn device_pointer_mut<T: DeviceCopy>(access: &mut AccessMut<'_>) -> DevicePointer<T> {
    DevicePointer::from_raw(access.address())
}

/// Launches a function of `cust` with gdf's arguments. The function does the same as [`Arguments::launch`], but for
/// modules that `cust` has loaded. An example is a module that the Rust CUDA compiler has made.
///
/// # Safety
/// - The conditions of [`Arguments::launch`].
/// - The function's module is loaded on the stream's device, and stays loaded until the kernel has finished.
///
/// # Errors
/// - [`Error::DeviceMismatch`]: the stream of the arguments is a stream of the CPU.
/// - Driver errors of the launch.
pub unsafe fn launch(arguments: Arguments<'_>, function: &Function<'_>, config: LaunchConfig) -> Result<()> {
    let (grid, block) = (config.grid, config.block);
    arguments.with_pointers(|stream, pointers| {
        let (device, lent) = (stream.device(), BorrowedStream::new(stream)?);
        // SAFETY: the caller promises that the parameters match the function. `arguments` holds the accesses behind
        // the pointers until the launch is enqueued. `with_current` makes the context of the stream and the function
        // current.
        let launched =
            device.with_current(|| unsafe { lent.launch(function, grid, block, config.shared_bytes, pointers) })?;
        reported(launched, "cuLaunchKernel", Some(device))
    })
}

/// A buffer of `cust`.
#[derive(Debug)]
struct Owned<T: DeviceCopy> {
    buffer: ManuallyDrop<DeviceBuffer<T>>,
    device: Device,
}

impl<T: DeviceCopy> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: the field is dropped once, here, and not used afterwards.
        let freed = self.device.with_current(|| unsafe { ManuallyDrop::drop(&mut self.buffer) });
        if let Err(error) = freed {
            tracing::warn!(%error, "a buffer of cust is leaked");
        }
    }
}

/// Converts a buffer of `cust` to a column without nulls. The column has the type [`NativeType::DATA_TYPE`] of `T`. The
/// column shares the buffer's memory. The column is on the device that owns the memory, according to the driver. The
/// buffer is dropped after the last use of the memory.
///
/// # Safety
/// - All earlier writes to the buffer precede all work that is enqueued on `stream` from now on.
/// - Nobody writes to the buffer's memory while the column, or anything that shares its memory, exists.
///
/// # Errors
/// - [`Error::DeviceMismatch`]: the buffer is on a different device than `stream`. The buffer is then dropped.
/// - Driver errors.
pub unsafe fn column_from_cust<T: NativeType + DeviceCopy>(buffer: DeviceBuffer<T>, stream: &Stream) -> Result<Column> {
    let _span = enter_span("column_from_cust", stream.device());
    let (address, rows) = (buffer.as_device_ptr().as_raw(), buffer.len());
    let device = if rows == 0 { stream.device() } else { device_of(address)? };
    let owner = Arc::new(Owned { buffer: ManuallyDrop::new(buffer), device });
    let pointer = std::ptr::with_exposed_provenance_mut(address as usize);
    // SAFETY: the owner keeps the buffer, which holds `rows` values. The caller promises that earlier writes are
    // ordered before work on `stream`, and that nobody writes later.
    let buffer = unsafe { wrap(pointer, rows * size_of::<T>(), owner, stream, true) }?;
    Ok(Column::try_from_parts(ColumnParts::new(T::DATA_TYPE, stream.device(), rows).buffer(buffer))?)
}
