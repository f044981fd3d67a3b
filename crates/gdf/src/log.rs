//! Logging of an application that uses gdf.
//!
//! gdf reports through [`tracing`] and never sets anything up by itself. Levels:
//!
//! | level | used for |
//! |---|---|
//! | `error` | the process can go on, but something was lost, such as a device after a fatal driver error |
//! | `warn` | something the user should know: leaked memory of a failed stream, a refused option |
//! | `info` | rare milestones: a device was opened, a pool grew |
//! | `debug` | one span per public function, with its device |
//! | `trace` | steps inside of functions: launches, allocations |
//! | off | nothing |

use std::fmt;
use std::fs::File;
use std::sync::Mutex;

use tracing::span::{Attributes, Id};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::EnvFilter;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

/// A layer that shows gdf's spans as ranges in NVIDIA's profilers (NVTX).
///
/// The profiler's library is looked for on first use; without it the layer does nothing. Add it to a subscriber of your
/// own, or let [`init_from_env`] do so by setting `GDF_NVTX=1`.
///
/// ```
/// use tracing_subscriber::layer::SubscriberExt;
///
/// let subscriber = tracing_subscriber::registry().with(gdf::log::NvtxLayer::default());
/// tracing::subscriber::with_default(subscriber, || { /* calls of gdf are ranges here */ });
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct NvtxLayer(());

/// The operation that a span stands for: the field `name` of gdf's spans.
struct RangeName(String);

impl tracing::field::Visit for RangeName {
    fn record_str(&mut self, field: &tracing::field::Field, value: &str) {
        if field.name() == "name" {
            value.clone_into(&mut self.0);
        }
    }

    fn record_debug(&mut self, _field: &tracing::field::Field, _value: &dyn fmt::Debug) {}
}

impl<S: tracing::Subscriber + for<'a> LookupSpan<'a>> Layer<S> for NvtxLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut name = RangeName(attributes.metadata().name().to_owned());
        attributes.record(&mut name);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(name);
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        let span = context.span(id);
        let name = span.as_ref().map(|span| span.extensions());
        let name = name.as_ref().and_then(|extensions| extensions.get::<RangeName>());
        gdf_driver::nvtx::push(name.map_or("gdf", |name| &name.0));
    }

    fn on_exit(&self, _id: &Id, _context: Context<'_, S>) {
        gdf_driver::nvtx::pop();
    }
}

/// Why logging could not be set up.
#[non_exhaustive]
#[derive(Debug)]
pub enum LogError {
    /// `GDF_LOG` is no filter.
    Filter(String),
    /// `GDF_LOG_FILE` could not be opened.
    File {
        /// The path.
        path: String,
        /// The system's answer.
        error: std::io::Error,
    },
    /// A subscriber was set before.
    AlreadySet,
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Filter(text) => write!(f, "GDF_LOG is not a log filter: {text}"),
            Self::File { path, error } => write!(f, "cannot open the log file {path}: {error}"),
            Self::AlreadySet => f.write_str("logging was set up before"),
        }
    }
}

impl std::error::Error for LogError {}

/// Sets up logging for the whole process: the levels of `GDF_LOG` (as `debug` or `gdf=debug,gdf_memory=trace`; `warn`
/// without it), to standard error or to the file named by `GDF_LOG_FILE`, and with `GDF_NVTX=1` ranges for profilers.
///
/// For applications only; a library leaves this to the application that uses it.
///
/// # Errors
/// [`LogError`] for a bad filter, a file that cannot be opened, or a second call.
pub fn init_from_env() -> Result<(), LogError> {
    let filter = match std::env::var("GDF_LOG") {
        Ok(text) => EnvFilter::try_new(text).map_err(|error| LogError::Filter(error.to_string()))?,
        Err(_) => EnvFilter::new("warn"),
    };
    let ranges = std::env::var("GDF_NVTX").is_ok_and(|value| value == "1").then(NvtxLayer::default);
    let ranges = ranges.map(|layer| layer.with_filter(EnvFilter::new("gdf=debug")));
    let registry = tracing_subscriber::registry().with(ranges);
    let done = match std::env::var("GDF_LOG_FILE") {
        Ok(path) => {
            let file = File::options().create(true).append(true).open(&path);
            let file = file.map_err(|error| LogError::File { path, error })?;
            let layer = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(Mutex::new(file));
            registry.with(layer.with_filter(filter)).try_init()
        }
        Err(_) => {
            let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
            registry.with(layer.with_filter(filter)).try_init()
        }
    };
    done.map_err(|_| LogError::AlreadySet)
}
