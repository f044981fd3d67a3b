//! The state that the process keeps per CUDA device: the retained primary context, the properties, and handles for
//! reuse.
//!
//! The process keeps this state until it ends.

use std::collections::VecDeque;
use std::ffi::{c_char, c_int};
use std::marker::PhantomData;
use std::sync::{Mutex, OnceLock};

use crate::lock::lock;
use crate::raw::{self, Handle, Pointer};
use crate::{Device, DeviceProperties, DriverError, MemoryInfo, Result, Status, poison, status, table};

/// The oldest CUDA version whose driver runs the images that nvcc 13.0 builds. The number has the form of
/// `cuDriverGetVersion`.
pub const NEEDED_DRIVER_VERSION: u32 = 13_000;

/// The largest number of unused events that a device keeps for reuse.
const MAX_POOLED_EVENTS: usize = 16_384;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Driver {
    pub(crate) version: u32,
    pub(crate) devices: u32,
}

/// A stream in the recycle list of a device, with its scratch memory if the stream has any.
#[derive(Debug)]
pub(crate) struct OwnedStream {
    pub(crate) raw: Handle,
    pub(crate) scratch: Option<u64>,
}

/// Scratch memory of a foreign stream after the last clone of the stream was dropped.
#[derive(Debug)]
pub(crate) struct SpareScratch {
    pub(crate) address: u64,
    pub(crate) event: Handle,
}

#[derive(Debug)]
pub(crate) struct DeviceState {
    pub(crate) device: Device,
    pub(crate) ordinal: c_int,
    context: Handle,
    pub(crate) properties: DeviceProperties,
    /// The recycle lists, indexed by [`Legacy`](crate::stream_handle::Legacy).
    pub(crate) streams: [Mutex<VecDeque<OwnedStream>>; 2],
    pub(crate) events: Mutex<Vec<Handle>>,
    pub(crate) spare_scratch: Mutex<Vec<SpareScratch>>,
}

static FIRST: OnceLock<&'static DeviceState> = OnceLock::new();

/// Returns the device that was opened first.
pub(crate) fn first_opened() -> Option<&'static DeviceState> {
    FIRST.get().copied()
}

pub(crate) fn driver() -> Result<Driver> {
    static DRIVER: OnceLock<Result<Driver>> = OnceLock::new();
    DRIVER.get_or_init(initialize).clone()
}

fn initialize() -> Result<Driver> {
    status::explain_with(table::status_text);
    let mut version: c_int = 0;
    // SAFETY: `version` is writable. The driver need not be initialized for this call.
    unsafe { table::cuDriverGetVersion(&mut version) }?.anywhere()?;
    let version = u32::try_from(version).unwrap_or(0);
    // SAFETY: 0 is the only flag value that `cuInit` accepts.
    let outcome = unsafe { table::cuInit(0) }?;
    match outcome.status {
        Status::NO_DEVICE => return Ok(Driver { version, devices: 0 }),
        Status::STUB_LIBRARY => return Err(DriverError::NoDriver { reason: outcome.status.to_string() }),
        _ => {}
    }
    if version < NEEDED_DRIVER_VERSION {
        return Err(DriverError::DriverTooOld { found: version, needed: NEEDED_DRIVER_VERSION });
    }
    outcome.anywhere()?;
    let mut count: c_int = 0;
    // SAFETY: `count` is writable and the driver is initialized.
    unsafe { table::cuDeviceGetCount(&mut count) }?.anywhere()?;
    crate::exit::watch();
    crate::forked::watch();
    Ok(Driver { version, devices: u32::try_from(count).unwrap_or(0) })
}

/// Returns the device of this thread's current context.
pub(crate) fn current() -> Result<Option<Device>> {
    driver()?;
    let mut current: Pointer = std::ptr::null_mut();
    // SAFETY: `current` is writable and the driver is initialized.
    unsafe { table::cuCtxGetCurrent(&mut current) }?.anywhere()?;
    if current.is_null() {
        return Ok(None);
    }
    let mut handle: c_int = 0;
    // SAFETY: `handle` is writable and a context is current.
    unsafe { table::cuCtxGetDevice(&mut handle) }?.anywhere()?;
    Ok(u32::try_from(handle).ok().map(Device::Cuda))
}

/// Returns the state of a CUDA device.
pub(crate) fn open(device: Device) -> Result<&'static DeviceState> {
    static STATES: [OnceLock<DeviceState>; poison::MAX_DEVICES] = [const { OnceLock::new() }; poison::MAX_DEVICES];
    static OPENING: Mutex<()> = Mutex::new(());

    let Device::Cuda(ordinal) = device else {
        return Err(DriverError::DeviceMismatch { expected: Device::Cuda(0), found: device });
    };
    poison::check(device)?;
    if let Some(state) = STATES.get(ordinal as usize).and_then(OnceLock::get) {
        return Ok(state);
    }
    let driver = driver()?;
    let slot = STATES.get(ordinal as usize).filter(|_| ordinal < driver.devices);
    let slot = slot.ok_or(DriverError::InvalidDevice { ordinal, count: driver.devices })?;
    // Only one thread at a time opens devices, so that each context is retained once.
    let _opening = lock(&OPENING);
    if let Some(state) = slot.get() {
        return Ok(state);
    }
    let state = DeviceState::new(device, ordinal as c_int, driver)?;
    let state = slot.get_or_init(|| state);
    let (major, minor) = (driver.version / 1000, driver.version % 1000 / 10);
    tracing::info!(%device, name = state.properties.name, driver = format!("{major}.{minor}"), "device opened");
    FIRST.get_or_init(|| state);
    Ok(state)
}

impl DeviceState {
    fn new(device: Device, ordinal: c_int, driver: Driver) -> Result<DeviceState> {
        let mut handle: c_int = 0;
        // SAFETY: `handle` is writable and the driver is initialized.
        unsafe { table::cuDeviceGet(&mut handle, ordinal) }?.on(device)?;
        let properties = read_properties(device, handle, driver)?;
        let mut context: Pointer = std::ptr::null_mut();
        // SAFETY: `context` is writable and `handle` names a device.
        unsafe { table::cuDevicePrimaryCtxRetain(&mut context, handle) }?.on(device)?;
        // The driver may register exit handlers when it makes a context. The exit handler of this crate must run before
        // the handlers of the driver.
        crate::exit::watch();
        Ok(DeviceState {
            device,
            ordinal: handle,
            context: Handle(context),
            properties,
            streams: Default::default(),
            events: Mutex::default(),
            spare_scratch: Mutex::default(),
        })
    }

    pub(crate) fn raw_context(&self) -> Pointer {
        self.context.0
    }

    /// Makes this device's context current until the guard is dropped.
    pub(crate) fn enter(&self) -> Result<Entered> {
        self.enter_unless(|current| current == self.context.0)
    }

    /// Prepares a driver call that takes its context from a stream or an event. Such a call also works if no context is
    /// current. Therefore this device's context is made current only if another context is current.
    pub(crate) fn enter_loosely(&self) -> Result<Entered> {
        self.enter_unless(|current| current == self.context.0 || current.is_null())
    }

    fn enter_unless(&self, fits: impl FnOnce(Pointer) -> bool) -> Result<Entered> {
        let mut current: Pointer = std::ptr::null_mut();
        // SAFETY: `current` is writable. The driver is initialized, because a device state exists.
        unsafe { table::cuCtxGetCurrent(&mut current) }?.on(self.device)?;
        let pushed = !fits(current);
        if pushed {
            // SAFETY: the context is retained and never released.
            unsafe { table::cuCtxPushCurrent_v2(self.context.0) }?.on(self.device)?;
        }
        Ok(Entered { pushed, thread_bound: PhantomData })
    }

    /// Records `event` after all work that any code of this process has enqueued on this device so far.
    pub(crate) fn record_all(&self, event: Handle) -> Result<()> {
        let _entered = self.enter()?;
        // SAFETY: the context is retained and never released. The event belongs to this context.
        unsafe { table::cuCtxRecordEvent(self.context.0, event.0) }?.on(self.device)
    }

    pub(crate) fn memory_info(&self) -> Result<MemoryInfo> {
        let _entered = self.enter()?;
        let (mut free, mut total) = (0usize, 0usize);
        // SAFETY: both variables are writable, and a context is current.
        unsafe { table::cuMemGetInfo_v2(&mut free, &mut total) }?.on(self.device)?;
        Ok(MemoryInfo { free: free as u64, total: total as u64 })
    }

    /// Takes an event from the pool.
    pub(crate) fn take_event(&self) -> Result<Handle> {
        if let Some(event) = lock(&self.events).pop() {
            return Ok(event);
        }
        let _entered = self.enter()?;
        let mut event: Pointer = std::ptr::null_mut();
        // SAFETY: `event` is writable and this device's context is current.
        unsafe { table::cuEventCreate(&mut event, raw::EVENT_DISABLE_TIMING) }?.on(self.device)?;
        Ok(Handle(event))
    }

    /// Returns an event to the pool.
    pub(crate) fn return_event(&self, event: Handle) {
        if poison::check(self.device).is_err() {
            tracing::warn!(device = %self.device, "an event of an unusable device is leaked");
            return;
        }
        let mut events = lock(&self.events);
        if events.len() < MAX_POOLED_EVENTS {
            events.push(event);
            return;
        }
        drop(events);
        // SAFETY: no other value refers to the event. The driver allows destroying an event that has not completed,
        // and does not wait.
        let outcome = unsafe { table::cuEventDestroy_v2(event.0) }.and_then(|outcome| outcome.on(self.device));
        if let Err(error) = outcome {
            tracing::warn!(%error, "an event is leaked");
        }
    }
}

/// A guard that keeps the device's context current on this thread until the guard is dropped.
#[must_use]
pub(crate) struct Entered {
    pushed: bool,
    // The driver has one stack of contexts per thread. Therefore the guard must stay on its thread.
    thread_bound: PhantomData<*const ()>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        if !self.pushed {
            return;
        }
        let mut popped: Pointer = std::ptr::null_mut();
        // SAFETY: `popped` is writable. The function that made the guard has pushed a context onto this thread's
        // stack, and the guard never leaves its thread.
        let outcome = unsafe { table::cuCtxPopCurrent_v2(&mut popped) };
        if !outcome.is_ok_and(|outcome| outcome.status.is_success()) {
            tracing::warn!("the caller's current context could not be restored");
        }
    }
}

fn read_properties(device: Device, handle: c_int, driver: Driver) -> Result<DeviceProperties> {
    let attribute = |attribute: c_int| -> Result<u32> {
        let mut value: c_int = 0;
        // SAFETY: `value` is writable and `handle` names a device.
        unsafe { table::cuDeviceGetAttribute(&mut value, attribute, handle) }?.on(device)?;
        Ok(u32::try_from(value).unwrap_or(0))
    };
    let mut name = [0u8; 256];
    // SAFETY: `name` is writable for the length given.
    unsafe { table::cuDeviceGetName(name.as_mut_ptr().cast::<c_char>(), name.len() as c_int, handle) }?.on(device)?;
    let length = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
    let mut total = 0usize;
    // SAFETY: `total` is writable and `handle` names a device.
    unsafe { table::cuDeviceTotalMem_v2(&mut total, handle) }?.on(device)?;
    Ok(DeviceProperties {
        name: String::from_utf8_lossy(&name[..length]).into_owned(),
        compute_capability: (
            attribute(raw::ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(raw::ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ),
        multiprocessors: attribute(raw::ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        l2_bytes: u64::from(attribute(raw::ATTRIBUTE_L2_CACHE_SIZE)?),
        shared_bytes_per_block: u64::from(attribute(raw::ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?),
        shared_bytes_per_multiprocessor: u64::from(attribute(raw::ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?),
        threads_per_multiprocessor: attribute(raw::ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        total_bytes: total as u64,
        driver_version: driver.version,
    })
}
