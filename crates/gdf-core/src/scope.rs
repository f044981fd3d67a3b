//! The scope of a thread: the stream and the memory resources of functions that take neither from their caller.
//!
//! If the program sets no scope, work goes to the default stream of the inputs' device, and memory comes from the
//! current resource of that device. Functions without inputs create their results on the CPU. [`with_device`],
//! [`with_stream`], [`with_resource`] and [`with_resources`] change these settings for a closure. An [`Entered`] guard
//! changes the settings for the rest of a block. A [`ScopeHandle`] carries the settings to other threads and into
//! futures.
//!
//! Functions whose name ends in `_on` take the stream from the caller. If their result needs memory, they also take a
//! resource. Some of these functions take both as a [`Ctx`].
//!
//! ```
//! # use gdf_core as gdf;
//! use gdf::{Column, Device, Stream, scope};
//!
//! let stream = Stream::new(Device::Cpu)?;
//! let column = scope::with_stream(&stream, || {
//!     assert_eq!(scope::current_stream(Device::Cpu).unwrap(), stream);
//!     Column::from_slice(&[1, 2, 3])
//! })?;
//! assert_eq!(column.buffers()[0].writer(), stream);
//! # Ok::<(), gdf::Error>(())
//! ```

use std::cell::RefCell;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use gdf_driver::{Device, Stream};
use gdf_memory::{Resource, Resources, current_resource};

use crate::{Error, Result};

/// The stream on which an operation runs, and the resources from which the operation allocates.
#[derive(Clone, Copy, Debug)]
pub struct Ctx<'a> {
    /// The stream on which the operation is enqueued. The operation runs on the device of this stream.
    pub stream: &'a Stream,
    /// The resources from which results and scratch memory are allocated.
    pub mr: Resources<'a>,
}

impl<'a> Ctx<'a> {
    /// Creates a context from a stream and memory resources.
    pub fn new(stream: &'a Stream, mr: impl Into<Resources<'a>>) -> Self {
        Self { stream, mr: mr.into() }
    }

    /// Returns a context with the same stream, in which results also come from the resource of scratch memory.
    ///
    /// Operations use such a context for intermediate columns, which are dropped before the operation returns.
    pub fn scratch(self) -> Self {
        Self { mr: self.mr.scratch(), ..self }
    }
}

#[derive(Clone, Debug, Default)]
struct Settings {
    streams: Vec<Stream>,
    resources: Vec<(Resource, Resource)>,
    device: Option<Device>,
}

thread_local! {
    static SETTINGS: RefCell<Settings> = RefCell::default();
}

/// A guard that restores the earlier settings of its thread when the guard is dropped. The guard cannot move to another
/// thread.
#[derive(Debug)]
pub struct Entered {
    before: Option<Settings>,
    on_this_thread: PhantomData<*const ()>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        if let Some(before) = self.before.take() {
            // While a thread ends, the thread-local settings may already be destroyed. In that case there is nothing to
            // restore.
            let _ = SETTINGS.try_with(|settings| settings.replace(before));
        }
    }
}

fn enter(change: impl FnOnce(&mut Settings)) -> Entered {
    let before = SETTINGS.with(|settings| {
        let before = settings.borrow().clone();
        change(&mut settings.borrow_mut());
        before
    });
    Entered { before: Some(before), on_this_thread: PhantomData }
}

/// Makes `stream` the current stream of its device, until the guard is dropped.
pub fn enter_stream(stream: &Stream) -> Entered {
    enter(|settings| {
        settings.streams.retain(|known| known.device() != stream.device());
        settings.streams.push(stream.clone());
    })
}

/// Makes `output` the resource for results and `temporary` the resource for scratch memory, until the guard is dropped.
/// Both resources must belong to one device.
///
/// # Errors
/// [`DeviceMismatch`](Error::DeviceMismatch) if the resources belong to different devices.
pub fn enter_resources(output: &Resource, temporary: &Resource) -> Result<Entered> {
    if output.device() != temporary.device() {
        return Err(Error::device_mismatch(output.device(), temporary.device()));
    }
    Ok(enter_pair(output, temporary))
}

/// Makes `resource` the resource for results and for scratch memory on its device, until the guard is dropped.
pub fn enter_resource(resource: &Resource) -> Entered {
    enter_pair(resource, resource)
}

/// Does the work of [`enter_resources`] for two resources that are known to belong to the same device.
fn enter_pair(output: &Resource, temporary: &Resource) -> Entered {
    enter(|settings| {
        settings.resources.retain(|(known, _)| known.device() != output.device());
        settings.resources.push((output.clone(), temporary.clone()));
    })
}

/// Makes `device` the device on which functions without inputs create their results, until the guard is dropped.
pub fn enter_device(device: Device) -> Entered {
    enter(|settings| settings.device = Some(device))
}

/// Runs `work` with `stream` as the current stream of its device.
pub fn with_stream<R>(stream: &Stream, work: impl FnOnce() -> R) -> R {
    let _entered = enter_stream(stream);
    work()
}

/// Runs `work` with `resource` as the resource for results and for scratch memory on its device.
///
/// ```
/// # use gdf_core as gdf;
/// use gdf::{Column, Device, scope};
/// use gdf::memory::{Resource, StatisticsResource, current_resource};
///
/// let resource = Resource::new(StatisticsResource::new(current_resource(Device::Cpu)?));
/// let column = scope::with_resource(&resource, || Column::from_slice(&[1.5, 2.5]))?;
/// assert_eq!(column.len(), 2);
/// # Ok::<(), gdf::Error>(())
/// ```
pub fn with_resource<R>(resource: &Resource, work: impl FnOnce() -> R) -> R {
    let _entered = enter_resource(resource);
    work()
}

/// Runs `work` with `output` as the resource for results and `temporary` as the resource for scratch memory.
///
/// # Errors
/// The errors of [`enter_resources`].
pub fn with_resources<R>(output: &Resource, temporary: &Resource, work: impl FnOnce() -> R) -> Result<R> {
    let _entered = enter_resources(output, temporary)?;
    Ok(work())
}

/// Runs `work`. Within `work`, functions without inputs create their results on `device`.
pub fn with_device<R>(device: Device, work: impl FnOnce() -> R) -> R {
    let _entered = enter_device(device);
    work()
}

/// Returns the device on which functions without inputs create their results: the CPU, unless another device was set.
pub fn current_device() -> Device {
    SETTINGS.with(|settings| settings.borrow().device.unwrap_or(Device::Cpu))
}

/// Returns the stream that public functions use on `device` in this thread.
///
/// # Errors
/// The errors of opening `device`.
pub fn current_stream(device: Device) -> Result<Stream> {
    let set =
        SETTINGS.with(|settings| settings.borrow().streams.iter().find(|known| known.device() == device).cloned());
    match set {
        Some(stream) => Ok(stream),
        None => Ok(Stream::default_for(device)?),
    }
}

/// Returns the resources that public functions use on `device` in this thread: first the resource of results, then
/// the resource of scratch memory.
///
/// # Errors
/// The errors of opening `device`.
pub fn current_resources(device: Device) -> Result<(Resource, Resource)> {
    let set = SETTINGS
        .with(|settings| settings.borrow().resources.iter().find(|(known, _)| known.device() == device).cloned());
    match set {
        Some(pair) => Ok(pair),
        None => {
            let both = current_resource(device)?;
            Ok((both.clone(), both))
        }
    }
}

/// Calls `work` with the current stream and the current resources of `device` in this thread.
///
/// # Errors
/// The errors of opening `device`, and the errors of `work`.
pub(crate) fn run_on<R>(device: Device, work: impl FnOnce(Ctx<'_>) -> Result<R>) -> Result<R> {
    let stream = current_stream(device)?;
    let (output, temporary) = current_resources(device)?;
    work(Ctx::new(&stream, Resources::new(&output, &temporary)))
}

pub(crate) fn here<R>(work: impl FnOnce(Ctx<'_>) -> Result<R>) -> Result<R> {
    run_on(current_device(), work)
}

/// The settings of a thread, stored for use in other threads.
#[derive(Clone, Debug)]
pub struct ScopeHandle(Settings);

impl ScopeHandle {
    /// Captures the current settings of this thread.
    pub fn capture() -> Self {
        Self(SETTINGS.with(|settings| settings.borrow().clone()))
    }

    /// Runs `work` under these settings on the calling thread, which need not be the thread of
    /// [`ScopeHandle::capture`].
    pub fn run<R>(&self, work: impl FnOnce() -> R) -> R {
        let _entered = enter(|settings| settings.clone_from(&self.0));
        work()
    }

    /// Returns a future that polls `future` under these settings. The settings apply on every thread that polls the
    /// returned future.
    pub fn in_scope<F: Future>(&self, future: F) -> InScope<F> {
        InScope { handle: self.clone(), future: Box::pin(future) }
    }
}

/// A future that runs under the settings of a [`ScopeHandle`].
#[derive(Debug)]
pub struct InScope<F> {
    handle: ScopeHandle,
    future: Pin<Box<F>>,
}

impl<F: Future> Future for InScope<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let handle = self.handle.clone();
        handle.run(|| self.future.as_mut().poll(context))
    }
}
