//! The table of driver functions.
#![allow(non_snake_case, reason = "the functions keep the driver's names")]

use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint, c_void};
use std::sync::OnceLock;

use crate::raw::{AccessDescription, AllocationProperties, IpcHandle, Location, Pointer, PoolProperties};
use crate::status::Text;
use crate::{Device, DriverError, Result, Status, exit, forked, poison};

/// The unchecked status that a driver function returned.
#[must_use]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    pub(crate) call: &'static str,
    pub(crate) status: Status,
}

impl Outcome {
    /// Returns `Ok` if the status means success, and otherwise an error that names `device`.
    pub(crate) fn on(self, device: Device) -> Result<()> {
        if self.status.is_success() {
            return Ok(());
        }
        if self.status.is_fatal() {
            poison::set(device, self.status);
        }
        Err(DriverError::Call { call: self.call, status: self.status, device: Some(device) })
    }

    /// Returns `Ok` if the status means success, and otherwise an error that names no device.
    pub(crate) fn anywhere(self) -> Result<()> {
        if self.status.is_success() {
            return Ok(());
        }
        Err(DriverError::Call { call: self.call, status: self.status, device: None })
    }

    /// Returns `Ok(true)` if the status means success, and `Ok(false)` if the status means that the work has not
    /// completed.
    pub(crate) fn completed_on(self, device: Device) -> Result<bool> {
        if self.status == Status::NOT_READY {
            return Ok(false);
        }
        self.on(device).map(|()| true)
    }
}

#[cfg(feature = "cuda")]
fn library() -> Result<&'static libloading::Library> {
    static LIBRARY: OnceLock<Result<libloading::Library, String>> = OnceLock::new();
    const NAME: &str = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" };
    let library = LIBRARY.get_or_init(|| {
        // SAFETY: the driver's initializers have no preconditions. The library is kept in a static and is never
        // unloaded.
        unsafe { libloading::Library::new(NAME) }.map_err(|error| error.to_string())
    });
    library.as_ref().map_err(|reason| DriverError::NoDriver { reason: reason.clone() })
}

/// Returns the address of a function of the driver.
#[cfg(feature = "cuda")]
fn address(symbol: &'static str) -> Option<Pointer> {
    let library = library().ok()?;
    // SAFETY: any symbol may be read as an address. The caller makes sure that the address is used with the right
    // signature.
    let found = unsafe { library.get::<Pointer>(symbol.as_bytes()) }.ok()?;
    Some(*found).filter(|address| !address.is_null())
}

#[cfg(not(feature = "cuda"))]
fn library() -> Result<()> {
    Err(DriverError::NoDriver { reason: r#"built without feature "cuda""#.to_owned() })
}

#[cfg(not(feature = "cuda"))]
fn address(_symbol: &'static str) -> Option<Pointer> {
    None
}

fn unavailable(name: &'static str) -> DriverError {
    library().err().unwrap_or(DriverError::SymbolMissing(name))
}

macro_rules! functions {
    ($( $name:ident($($argument:ident: $kind:ty),* $(,)?); )*) => { $(
        /// Calls the driver's function of this name.
        ///
        /// # Safety
        /// - the preconditions in the driver's manual hold: pointers are valid for the data that the function reads
        ///   and writes, handles are alive, and a context is current if the function needs one
        #[allow(clippy::too_many_arguments, reason = "the driver's signature")]
        pub(crate) unsafe fn $name($($argument: $kind),*) -> Result<Outcome> {
            type Signature = unsafe extern "system" fn($($kind),*) -> c_uint;
            static SLOT: OnceLock<Option<Signature>> = OnceLock::new();
            let slot = SLOT.get_or_init(|| {
                address(concat!(stringify!($name), "\0")).map(|address| {
                    // SAFETY: the address is not null. The address is the driver's function of this name, whose C
                    // signature is written in this table.
                    unsafe { std::mem::transmute::<Pointer, Signature>(address) }
                })
            });
            let Some(function) = *slot else { return Err(unavailable(stringify!($name))) };
            forked::check()?;
            if exit::process_is_exiting() {
                return Ok(Outcome { call: stringify!($name), status: Status::DEINITIALIZED });
            }
            // SAFETY: the caller promises the preconditions in the function's manual.
            let status = unsafe { function($($argument),*) };
            Ok(Outcome { call: stringify!($name), status: Status(status) })
        }
    )* };
}

functions! {
    cuInit(flags: c_uint);
    cuDriverGetVersion(version: *mut c_int);
    cuGetErrorName(status: c_uint, text: *mut *const c_char);
    cuGetErrorString(status: c_uint, text: *mut *const c_char);

    cuDeviceGetCount(count: *mut c_int);
    cuDeviceGet(device: *mut c_int, ordinal: c_int);
    cuDeviceGetName(name: *mut c_char, length: c_int, device: c_int);
    cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int);
    cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int);
    cuDevicePrimaryCtxRetain(context: *mut Pointer, device: c_int);
    cuCtxPushCurrent_v2(context: Pointer);
    cuCtxPopCurrent_v2(context: *mut Pointer);
    cuCtxGetCurrent(context: *mut Pointer);
    cuCtxSynchronize();
    cuCtxRecordEvent(context: Pointer, event: Pointer);
    cuCtxGetDevice(device: *mut c_int);

    cuThreadExchangeStreamCaptureMode(mode: *mut c_int);
    cuStreamCreate(stream: *mut Pointer, flags: c_uint);
    cuStreamSynchronize(stream: Pointer);
    cuStreamQuery(stream: Pointer);
    cuStreamWaitEvent(stream: Pointer, event: Pointer, flags: c_uint);
    cuEventCreate(event: *mut Pointer, flags: c_uint);
    cuEventRecord(event: Pointer, stream: Pointer);
    cuEventQuery(event: Pointer);
    cuEventSynchronize(event: Pointer);
    cuEventDestroy_v2(event: Pointer);

    cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    cuMemAlloc_v2(address: *mut u64, bytes: usize);
    cuMemFree_v2(address: u64);
    cuMemHostAlloc(address: *mut *mut c_void, bytes: usize, flags: c_uint);
    cuMemFreeHost(address: *mut c_void);
    cuMemHostGetDevicePointer_v2(address: *mut u64, host: *mut c_void, flags: c_uint);
    cuMemAllocManaged(address: *mut u64, bytes: usize, flags: c_uint);
    cuMemPrefetchAsync_v2(address: u64, bytes: usize, location: Location, flags: c_uint, stream: Pointer);
    cuDeviceGetDefaultMemPool(pool: *mut Pointer, device: c_int);
    cuMemPoolCreate(pool: *mut Pointer, properties: *const PoolProperties);
    cuMemPoolDestroy(pool: Pointer);
    cuMemPoolSetAttribute(pool: Pointer, attribute: c_int, value: *mut c_void);
    cuMemPoolGetAttribute(pool: Pointer, attribute: c_int, value: *mut c_void);
    cuMemPoolTrimTo(pool: Pointer, bytes: usize);
    cuMemAllocFromPoolAsync(address: *mut u64, bytes: usize, pool: Pointer, stream: Pointer);
    cuMemFreeAsync(address: u64, stream: Pointer);
    cuMemcpyAsync(to: u64, from: u64, bytes: usize, stream: Pointer);
    cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: Pointer);
    cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, bytes: usize, stream: Pointer);
    cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize);
    cuMemcpyPeerAsync(
        to: u64, to_context: Pointer, from: u64, from_context: Pointer, bytes: usize, stream: Pointer,
    );
    cuMemsetD8Async(address: u64, value: c_uchar, bytes: usize, stream: Pointer);

    cuMemGetAllocationGranularity(bytes: *mut usize, properties: *const AllocationProperties, option: c_int);
    cuMemAddressReserve(address: *mut u64, bytes: usize, alignment: usize, near: u64, flags: u64);
    cuMemAddressFree(address: u64, bytes: usize);
    cuMemCreate(handle: *mut u64, bytes: usize, properties: *const AllocationProperties, flags: u64);
    cuMemRelease(handle: u64);
    cuMemMap(address: u64, bytes: usize, offset: usize, handle: u64, flags: u64);
    cuMemUnmap(address: u64, bytes: usize);
    cuMemSetAccess(address: u64, bytes: usize, access: *const AccessDescription, count: usize);

    cuPointerGetAttributes(count: c_uint, attributes: *mut c_int, values: *mut *mut c_void, address: u64);
    cuIpcGetMemHandle(handle: *mut IpcHandle, address: u64);
    cuIpcOpenMemHandle_v2(address: *mut u64, handle: IpcHandle, flags: c_uint);
    cuIpcCloseMemHandle(address: u64);
    cuIpcGetEventHandle(handle: *mut IpcHandle, event: Pointer);
    cuIpcOpenEventHandle(event: *mut Pointer, handle: IpcHandle);

    cuModuleLoadData(module: *mut Pointer, image: *const c_void);
    cuModuleUnload(module: Pointer);
    cuModuleGetFunction(function: *mut Pointer, module: Pointer, name: *const c_char);
    cuFuncLoad(function: Pointer);
    cuModuleGetGlobal_v2(address: *mut u64, bytes: *mut usize, module: Pointer, name: *const c_char);
    cuFuncSetAttribute(function: Pointer, attribute: c_int, value: c_int);
    cuFuncGetAttribute(value: *mut c_int, attribute: c_int, function: Pointer);
    cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: *mut c_int, function: Pointer, threads: c_int, shared: usize);
    cuLaunchKernel(
        function: Pointer, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared: c_uint, stream: Pointer, parameters: *mut *mut c_void, extra: *mut *mut c_void,
    );
    cuLaunchCooperativeKernel(
        function: Pointer, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared: c_uint, stream: Pointer, parameters: *mut *mut c_void,
    );
}

pub(crate) fn status_text(code: u32, text: Text) -> Option<&'static str> {
    let mut answer: *const c_char = std::ptr::null();
    let outcome = match text {
        // SAFETY: `answer` is a writable pointer. The call accepts any code.
        Text::Name => unsafe { cuGetErrorName(code, &mut answer) },
        // SAFETY: `answer` is a writable pointer. The call accepts any code.
        Text::Description => unsafe { cuGetErrorString(code, &mut answer) },
    };
    if !outcome.ok()?.status.is_success() || answer.is_null() {
        return None;
    }
    // SAFETY: on success the driver returns the address of a NUL-terminated constant, and the driver is never
    // unloaded.
    unsafe { CStr::from_ptr(answer) }.to_str().ok()
}

// These functions are only for tests.
#[cfg(test)]
functions! {
    cuStreamBeginCapture_v2(stream: Pointer, mode: c_int);
    cuStreamEndCapture(stream: Pointer, graph: *mut Pointer);
    cuGraphDestroy(graph: Pointer);
}
