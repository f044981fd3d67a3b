//! Which stream and which memory resources public functions use in this thread.
//!
//! Without anything set, work goes to the default stream of the inputs' device and memory comes from that device's
//! current resource. [`with_stream`], [`with_resource`] and [`with_resources`] change that for a closure, an [`Entered`]
//! guard for the rest of a block. A [`ScopeHandle`] carries the settings to other threads and into futures.
//!
//! ```
//! use gdf::{Device, Stream, scope};
//!
//! let stream = Stream::new(Device::Cpu)?;
//! scope::with_stream(&stream, || {
//!     assert_eq!(scope::current_stream(Device::Cpu).unwrap(), stream);
//! });
//! # Ok::<(), gdf::DriverError>(())
//! ```

use std::cell::RefCell;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use gdf_core::{ColumnView, Error, Operand, Position, Result, Scalar, TableView};
pub use gdf_detail::Ctx;
use gdf_driver::{Device, Stream};
use gdf_memory::{Resource, Resources, current_resource};

#[derive(Clone, Debug, Default)]
struct Settings {
    /// At most one per device.
    streams: Vec<Stream>,
    /// Output and temporary resource, at most one pair per device.
    resources: Vec<(Resource, Resource)>,
    device: Option<Device>,
}

thread_local! {
    static SETTINGS: RefCell<Settings> = RefCell::default();
}

/// Puts the settings back that were in force before; for the rest of a block. Stays on its thread.
#[derive(Debug)]
pub struct Entered {
    before: Option<Settings>,
    on_this_thread: PhantomData<*const ()>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        if let Some(before) = self.before.take() {
            // During a thread's end the settings may be gone already, and then there is nothing to put back.
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

/// Makes `stream` the current one of its device, until the guard is dropped.
pub fn enter_stream(stream: &Stream) -> Entered {
    enter(|settings| {
        settings.streams.retain(|known| known.device() != stream.device());
        settings.streams.push(stream.clone());
    })
}

/// Makes results come from `output` and scratch from `temporary`, both of one device, until the guard is dropped.
///
/// # Errors
/// [`DeviceMismatch`](Error::DeviceMismatch) when the two belong to different devices.
pub fn enter_resources(output: &Resource, temporary: &Resource) -> Result<Entered> {
    if output.device() != temporary.device() {
        return Err(Error::device_mismatch(output.device(), temporary.device()));
    }
    Ok(enter(|settings| {
        settings.resources.retain(|(known, _)| known.device() != output.device());
        settings.resources.push((output.clone(), temporary.clone()));
    }))
}

/// Makes `device` the one that functions without inputs create things on, until the guard is dropped.
pub fn enter_device(device: Device) -> Entered {
    enter(|settings| settings.device = Some(device))
}

/// Runs `work` with `stream` as the current one of its device.
pub fn with_stream<R>(stream: &Stream, work: impl FnOnce() -> R) -> R {
    let _entered = enter_stream(stream);
    work()
}

/// Runs `work` with `resource` as the source of results and scratch.
///
/// # Errors
/// None today; the signature is that of [`with_resources`].
pub fn with_resource<R>(resource: &Resource, work: impl FnOnce() -> R) -> Result<R> {
    with_resources(resource, resource, work)
}

/// Runs `work` with results from `output` and scratch from `temporary`.
///
/// # Errors
/// As [`enter_resources`].
pub fn with_resources<R>(output: &Resource, temporary: &Resource, work: impl FnOnce() -> R) -> Result<R> {
    let _entered = enter_resources(output, temporary)?;
    Ok(work())
}

/// Runs `work` with `device` as the one that functions without inputs create things on.
pub fn with_device<R>(device: Device, work: impl FnOnce() -> R) -> R {
    let _entered = enter_device(device);
    work()
}

/// The device that functions without inputs create things on: the CPU unless set.
pub fn current_device() -> Device {
    SETTINGS.with(|settings| settings.borrow().device.unwrap_or(Device::Cpu))
}

/// The stream that public functions use on `device` in this thread.
///
/// # Errors
/// Those of opening `device`.
pub fn current_stream(device: Device) -> Result<Stream> {
    let set =
        SETTINGS.with(|settings| settings.borrow().streams.iter().find(|known| known.device() == device).cloned());
    match set {
        Some(stream) => Ok(stream),
        None => Ok(Stream::default_for(device)?),
    }
}

fn current_pair(device: Device) -> Result<(Resource, Resource)> {
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

/// The settings of a thread, to be used in others.
#[derive(Clone, Debug)]
pub struct ScopeHandle(Settings);

impl ScopeHandle {
    /// The settings of this thread as they are now.
    pub fn capture() -> Self {
        Self(SETTINGS.with(|settings| settings.borrow().clone()))
    }

    /// Runs `work` under these settings, on whatever thread this is.
    pub fn run<R>(&self, work: impl FnOnce() -> R) -> R {
        let _entered = enter(|settings| settings.clone_from(&self.0));
        work()
    }

    /// A future that polls `future` under these settings each time, on whatever thread that happens.
    pub fn in_scope<F: Future>(&self, future: F) -> InScope<F> {
        InScope { handle: self.clone(), future: Box::pin(future) }
    }
}

/// A future under the settings of a [`ScopeHandle`].
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

/// Something with a device: an input of a public function.
pub trait Input {
    /// Where it is; `None` for a table without columns, which is everywhere.
    fn input_device(&self) -> Option<Device>;
}

impl Input for ColumnView<'_> {
    fn input_device(&self) -> Option<Device> {
        Some(self.device())
    }
}

impl Input for TableView<'_> {
    fn input_device(&self) -> Option<Device> {
        self.device()
    }
}

impl Input for Scalar {
    fn input_device(&self) -> Option<Device> {
        Some(self.view().device())
    }
}

impl Input for Operand<'_> {
    fn input_device(&self) -> Option<Device> {
        match self {
            Operand::Column(column) => column.input_device(),
            Operand::Scalar(scalar) => scalar.input_device(),
        }
    }
}

/// What one call of a public function runs under.
#[derive(Debug)]
pub struct Scope {
    name: &'static str,
    stream: Stream,
    output: Resource,
    temporary: Resource,
    _span: tracing::span::EnteredSpan,
}

impl Scope {
    /// The scope of operation `name` over `inputs`: its span, their device, and that device's stream and resources.
    ///
    /// # Errors
    /// * [`DeviceMismatch`](Error::DeviceMismatch) when two inputs are on different devices.
    /// * Those of opening the device.
    pub fn for_inputs(name: &'static str, inputs: &[&dyn Input]) -> Result<Self> {
        let mut device = None;
        for (i, input) in inputs.iter().enumerate() {
            let Some(found) = input.input_device() else { continue };
            let expected = *device.get_or_insert(found);
            if found != expected {
                return Err(Error::device_mismatch(expected, found).at(Position::Input(i)).in_operation(name));
            }
        }
        Self::on(name, device.unwrap_or_else(current_device))
    }

    /// The scope of operation `name` on `device`.
    ///
    /// # Errors
    /// Those of opening the device.
    pub fn on(name: &'static str, device: Device) -> Result<Self> {
        gdf_detail::init();
        let span = gdf_core::enter_span(name, device);
        let stream = current_stream(device)?;
        let (output, temporary) = current_pair(device)?;
        Ok(Self { name, stream, output, temporary, _span: span })
    }

    /// Runs the operation. An error says that it came from this one, from whatever depth it comes.
    ///
    /// # Errors
    /// Those of `operation`.
    pub fn run<R>(self, operation: impl FnOnce(Ctx<'_>) -> Result<R>) -> Result<R> {
        operation(self.ctx()).map_err(|error| error.in_operation(self.name))
    }

    /// Where the operation enqueues its work.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Where it takes its memory from.
    pub fn resources(&self) -> Resources<'_> {
        Resources::new(&self.output, &self.temporary)
    }

    /// Both, as algorithms take them.
    pub fn ctx(&self) -> Ctx<'_> {
        Ctx::new(self.stream(), self.resources())
    }
}

#[cfg(test)]
#[path = "scope_tests.rs"]
mod tests;
