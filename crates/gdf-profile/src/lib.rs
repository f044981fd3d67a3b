//! Measurement of the operations that a closure calls. The umbrella crate has it as `gdf::log::profile`.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

use std::fmt::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gdf_core::Result;
use gdf_core::scope::{current_resources, current_stream, with_resource};
use gdf_driver::{Counters, Device};
use gdf_memory::{Resource, Statistics, StatisticsResource};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

/// The measures of one call of a public function.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct OperationProfile {
    /// The name of the function.
    pub name: String,
    /// The number of measured calls in which this call is nested.
    pub depth: usize,
    /// The time from the beginning of the call to its end. On a GPU, the work that the call has enqueued may still run
    /// then.
    pub elapsed: Duration,
    /// The launches, waits and copied bytes of the call, on the current stream of the device.
    pub counters: Counters,
    /// The memory that the call has allocated from the current resource of the device. `bytes.peak` is the largest
    /// number of bytes that the call held at a time, including results.
    pub memory: Statistics,
    /// The decisions of the call that gdf logs at level `debug`: strategies, and the expressions of pipelines.
    pub notes: Vec<String>,
}

/// The calls that [`profile`] has measured, in the order in which they began.
///
/// `Display` writes a table with a line for each call, and below each line the notes of the call.
#[non_exhaustive]
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// The calls.
    pub operations: Vec<OperationProfile>,
    /// Notes that belong to no call.
    pub notes: Vec<String>,
}

/// Runs `work` and measures the operations that `work` calls in this thread and that run on `device`.
///
/// The measures are the elapsed time, launches, waits, copied bytes, memory, and the decisions of each operation. The
/// measurement adds no waits. While `work` runs, a resource that counts allocations stands before the current resource
/// of the device. The events of this thread go to the profile instead of the application's subscriber.
///
/// ```
/// use gdf::log::profile;
/// use gdf::prelude::*;
/// use gdf::sorting;
///
/// let table = Table::try_new(vec![Column::from_slice(&[3, 1, 2])?])?;
/// let (sorted, profile) = profile(Device::Cpu, || sorting::sort(&table, &[], &[]))?;
/// assert_eq!(sorted?.column(0)?.to_vec::<i32>()?, [1, 2, 3].map(Some));
/// assert_eq!(profile.operations[0].name, "sort");
/// assert!(profile.operations[0].memory.bytes.peak >= 12);
/// println!("{profile}");
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * The errors of opening the device. Errors of `work` are in the result of `work`.
pub fn profile<R>(device: Device, work: impl FnOnce() -> R) -> Result<(R, Profile)> {
    current_stream(device)?;
    let memory = StatisticsResource::new(current_resources(device)?.0);
    let recorder = Recorder { device, memory: memory.clone(), state: Arc::default() };
    let state = Arc::clone(&recorder.state);
    let is_wanted = |of: &Metadata<'_>| of.target().starts_with("gdf") && *of.level() <= Level::DEBUG;
    let subscriber = tracing_subscriber::registry().with(recorder.with_filter(filter_fn(is_wanted)));
    let result = tracing::subscriber::with_default(subscriber, || with_resource(&Resource::new(memory), work));
    let profile = std::mem::take(&mut lock(&state).profile);
    Ok((result, profile))
}

#[derive(Default)]
struct State {
    profile: Profile,
    /// The calls that have begun and not ended, the innermost last.
    open: Vec<Open>,
}

struct Open {
    /// The position of the call among the operations of the profile.
    index: usize,
    started: Instant,
    counters: Counters,
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The layer that records calls and events.
struct Recorder {
    device: Device,
    memory: StatisticsResource,
    state: Arc<Mutex<State>>,
}

impl Recorder {
    fn counters(&self) -> Counters {
        current_stream(self.device).map(|stream| stream.counters()).unwrap_or_default()
    }
}

#[derive(Default)]
struct Fields {
    name: Option<String>,
    device: Option<String>,
    text: String,
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "name" {
            self.name = Some(value.to_owned());
        }
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let separator = if self.text.is_empty() { "" } else { ", " };
        // Writing to a string does not fail.
        let _ = match field.name() {
            "message" if self.text.is_empty() => write!(self.text, "{value:?}"),
            "message" => {
                self.text = format!("{value:?}, {}", self.text);
                Ok(())
            }
            "device" => {
                self.device = Some(format!("{value:?}"));
                Ok(())
            }
            name => write!(self.text, "{separator}{name} = {value:?}"),
        };
    }
}

/// A span of an operation that runs on the measured device.
struct Operation(String);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Recorder {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let is_here = fields.device.as_deref() == Some(self.device.to_string().as_str());
        if let (Some(name), true, Some(span)) = (fields.name, is_here, context.span(id)) {
            span.extensions_mut().insert(Operation(name));
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let Some(name) = span.extensions().get::<Operation>().map(|operation| operation.0.clone()) else { return };
        self.memory.push();
        let counters = self.counters();
        let mut state = lock(&self.state);
        let (index, depth) = (state.profile.operations.len(), state.open.len());
        state.profile.operations.push(OperationProfile {
            name,
            depth,
            elapsed: Duration::ZERO,
            counters: Counters::default(),
            memory: Statistics::default(),
            notes: Vec::new(),
        });
        state.open.push(Open { index, started: Instant::now(), counters });
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if span.extensions().get::<Operation>().is_none() {
            return;
        }
        let (counters, memory) = (self.counters(), self.memory.pop());
        let mut state = lock(&self.state);
        let Some(open) = state.open.pop() else { return };
        if let Some(operation) = state.profile.operations.get_mut(open.index) {
            operation.elapsed = open.started.elapsed();
            operation.counters = counters - open.counters;
            operation.memory = memory.unwrap_or_default();
        }
    }

    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let mut state = lock(&self.state);
        let inner = state.open.last().map(|open| open.index);
        let notes = match inner.and_then(|index| state.profile.operations.get_mut(index)) {
            Some(operation) => &mut operation.notes,
            None => &mut state.profile.notes,
        };
        notes.push(fields.text);
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name_of = |operation: &OperationProfile| format!("{:1$}{2}", "", 2 * operation.depth, operation.name);
        let width = self.operations.iter().map(|operation| name_of(operation).len()).max().unwrap_or(0).max(9);
        for note in &self.notes {
            write_note(f, note, 0)?;
        }
        writeln!(f, "{:width$}  {:>9}  launches  waits  to host B   peak MB", "operation", "ms")?;
        for operation in &self.operations {
            let OperationProfile { counters, memory, .. } = operation;
            writeln!(
                f,
                "{:width$}  {:>9.3}  {:>8}  {:>5}  {:>9}  {:>8.2}",
                name_of(operation),
                operation.elapsed.as_secs_f64() * 1e3,
                counters.launches,
                counters.waits,
                counters.device_to_host_bytes,
                memory.bytes.peak as f64 / 1e6,
            )?;
            operation.notes.iter().try_for_each(|note| write_note(f, note, 2 * operation.depth + 2))?;
        }
        Ok(())
    }
}

fn write_note(f: &mut fmt::Formatter<'_>, note: &str, indent: usize) -> fmt::Result {
    note.lines().try_for_each(|line| writeln!(f, "{:indent$}| {line}", ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_nested_and_keep_their_notes() {
        let work = || {
            tracing::debug!(target: "gdf", "before");
            let outer = gdf_core::enter_span("outer", Device::Cpu);
            tracing::debug!(target: "gdf", rows = 3, "chosen");
            drop(gdf_core::enter_span("inner", Device::Cpu));
            // Events of other libraries, and events at level `trace`, do not become notes.
            tracing::info!(target: "other", "elsewhere");
            tracing::trace!(target: "gdf", "launched");
            drop(outer);
            7
        };
        let (result, profile) = profile(Device::Cpu, work).unwrap();
        assert_eq!((result, profile.notes.as_slice()), (7, ["before".to_owned()].as_slice()));
        let calls: Vec<_> = profile.operations.iter().map(|of| (of.name.as_str(), of.depth)).collect();
        assert_eq!(calls, [("outer", 0), ("inner", 1)]);
        assert_eq!(profile.operations[0].notes, ["chosen, rows = 3"]);
        let text = profile.to_string();
        assert!(text.starts_with("| before\noperation") && text.contains("\n  | chosen, rows = 3\n  inner"), "{text}");
    }

    #[test]
    fn memory_is_that_of_each_call() {
        let work = || -> Result<()> {
            let _outer = gdf_core::enter_span("outer", Device::Cpu);
            let first = gdf_core::Column::from_slice(&[0_u8; 1000])?;
            let _inner = gdf_core::enter_span("inner", Device::Cpu);
            drop(gdf_core::Column::from_slice(&[0_u8; 3000])?);
            drop(first);
            Ok(())
        };
        let (result, profile) = profile(Device::Cpu, work).unwrap();
        result.unwrap();
        let peaks: Vec<_> = profile.operations.iter().map(|of| of.memory.bytes.peak).collect();
        assert!(peaks[0] >= 4000 && (3000..4000).contains(&peaks[1]), "{peaks:?}");
    }
}
