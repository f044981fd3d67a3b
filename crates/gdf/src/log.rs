//! Logging of an application that uses gdf.
//!
//! gdf reports through [`tracing`], and never installs a subscriber by itself. Nothing is written until the application
//! calls [`init_from_env`] or installs its own subscriber. The levels are the five levels of `tracing`, and `off`:
//!
//! | level | used for |
//! |---|---|
//! | `error` | something was lost, such as a device after a fatal driver error |
//! | `warn` | a fact that the user should know and that no error could return: leaked memory of a failed stream |
//! | `info` | rare events: a device was opened, kernels were loaded, a pool was created or grew |
//! | `debug` | one span for each public function, with its device and, at its end, its time; decisions of an operation |
//! | `trace` | every launch of a kernel, with its grid, and every wait for a GPU |
//! | `off` | nothing |
//!
//! `tracing` gets no events for allocations. To log allocations, use `LoggingResource` of gdf-memory, which writes a
//! line for each allocation.

use std::env::{self, VarError};
use std::fmt;
use std::fs::File;
use std::io::IsTerminal;
use std::sync::Mutex;

#[doc(no_inline)]
pub use tracing_subscriber;

pub use gdf_profile::{OperationProfile, Profile, profile};

use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

/// A layer that shows gdf's spans as ranges in NVIDIA's profilers (NVTX).
///
/// The layer does nothing without the library of the profiler, which it looks for on first use. Add the layer to your
/// own subscriber, or let [`init_from_env`] add it (`GDF_NVTX=1`). `gdf::driver::nvtx::Range` is a range of your own.
///
/// ```
/// use gdf::log::tracing_subscriber::layer::SubscriberExt;
/// use gdf::log::tracing_subscriber::util::SubscriberInitExt;
/// use gdf::log::{NvtxLayer, tracing_subscriber};
///
/// let _until_dropped = tracing_subscriber::registry().with(NvtxLayer::default()).set_default();
/// // calls of gdf are ranges here
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NvtxLayer {
    push: fn(&str),
    pop: fn(),
}

impl Default for NvtxLayer {
    fn default() -> Self {
        Self { push: gdf_driver::nvtx::push, pop: gdf_driver::nvtx::pop }
    }
}

/// The name of the operation of a span: the field `name` of gdf's spans.
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
        (self.push)(name.map_or("gdf", |name| &name.0));
    }

    fn on_exit(&self, _id: &Id, _context: Context<'_, S>) {
        (self.pop)();
    }
}

/// The reason why logging could not be set up.
#[non_exhaustive]
#[derive(Debug)]
pub enum LogError {
    /// The value of `GDF_LOG` is not a filter.
    Filter(String),
    /// `GDF_LOG_FILE` could not be opened.
    File {
        /// The path.
        path: String,
        /// The error of the operating system.
        error: std::io::Error,
    },
    /// The application or an earlier call has already installed a subscriber.
    AlreadySet,
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Filter(text) => write!(f, "GDF_LOG is not a valid log filter: {text}"),
            Self::File { path, error } => write!(f, "cannot open the log file {path}: {error}"),
            Self::AlreadySet => f.write_str("a log subscriber is already set: set only one subscriber in a process"),
        }
    }
}

impl std::error::Error for LogError {}

/// Sets up logging for the whole process.
///
/// | variable | meaning |
/// |---|---|
/// | `GDF_LOG` | a level (`debug`), or directives of target and level (`gdf=debug,gdf_memory=trace`); `warn` if unset or empty |
/// | `GDF_LOG_FILE` | a file to append to; standard error if unset or empty |
/// | `NO_COLOR` | any value that is not empty switches colors off; colors are written only to a terminal, never to files and pipes |
/// | `GDF_NVTX` | `1` adds [`NvtxLayer`], at level `debug`, whatever the value of `GDF_LOG` |
///
/// From level `debug` on, a line with `time.busy` and `time.idle` is written when a span closes. For work on a GPU,
/// these times include the time to enqueue the work. They include the time of the work itself only if the function
/// waits for it.
///
/// Only applications should call this function. A library should leave the setup to the application. If the function
/// returns an error, logging has not been changed.
///
/// # Errors
/// - [`LogError::Filter`]: the value of `GDF_LOG` is neither a level nor directives of the form `target=level`.
/// - [`LogError::File`]: the file `GDF_LOG_FILE` cannot be opened.
/// - [`LogError::AlreadySet`]: the function was already called, or the application has installed a subscriber.
pub fn init_from_env() -> Result<(), LogError> {
    let filter = filter(variable("GDF_LOG").map_err(LogError::Filter)?.as_deref().unwrap_or("warn"))?;
    let file = variable("GDF_LOG_FILE").map_err(|path| LogError::File { path, error: not_unicode() })?;
    let ranges = env::var("GDF_NVTX").is_ok_and(|value| value == "1").then(NvtxLayer::default);
    let ranges = ranges.map(|layer| layer.with_filter(EnvFilter::new("gdf=debug")));
    let registry = tracing_subscriber::registry().with(ranges);
    let lines = tracing_subscriber::fmt::layer().with_span_events(FmtSpan::CLOSE);
    let done = match file {
        Some(path) => {
            let file = File::options().create(true).append(true).open(&path);
            let file = file.map_err(|error| LogError::File { path, error })?;
            registry.with(lines.with_ansi(false).with_writer(Mutex::new(file)).with_filter(filter)).try_init()
        }
        None => {
            let has_colors =
                std::io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
            let lines = lines.with_ansi(has_colors).with_writer(std::io::stderr);
            registry.with(lines.with_filter(filter)).try_init()
        }
    };
    done.map_err(|_| LogError::AlreadySet)
}

/// Returns the value of a variable, or `None` if it is unset or empty. The error is a value that is not Unicode, with
/// invalid sequences replaced.
fn variable(name: &str) -> Result<Option<String>, String> {
    match env::var(name) {
        Ok(text) => Ok(Some(text).filter(|text| !text.is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(text)) => Err(text.to_string_lossy().into_owned()),
    }
}

fn not_unicode() -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::InvalidInput, "the path is not Unicode")
}

/// Parses a filter, and requires a level for each target. `tracing_subscriber` takes a misspelled level for a target,
/// and would log nothing.
fn filter(text: &str) -> Result<EnvFilter, LogError> {
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    let is_bare = |word: &&&str| !word.contains(['=', '[', ']', '}']) && word.parse::<LevelFilter>().is_err();
    if let Some(word) = words.iter().find(is_bare) {
        return Err(LogError::Filter(format!(
            "`{word}` is not a log level; write `{word}=debug` if `{word}` is a target"
        )));
    }
    EnvFilter::try_new(words.join(",")).map_err(|error| LogError::Filter(error.to_string()))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn filters_are_levels_and_directives() {
        for text in ["warn", "off", "DEBUG", "gdf=debug,gdf_memory=trace", "info, gdf=off", "[op{name=\"a\"}]=debug"] {
            assert!(filter(text).is_ok(), "{text}");
        }
        for text in ["verbose", "gdf", "gdf=loud", "info,verbose", "=="] {
            assert!(matches!(filter(text), Err(LogError::Filter(_))), "{text}");
        }
    }

    thread_local! {
        static RANGES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    }

    #[test]
    fn spans_are_ranges_under_the_name_of_the_function() {
        let push = |name: &str| RANGES.with(|ranges| ranges.borrow_mut().push(format!("open {name}")));
        let pop = || RANGES.with(|ranges| ranges.borrow_mut().push("close".to_owned()));
        let subscriber = tracing_subscriber::registry().with(NvtxLayer { push, pop });
        tracing::subscriber::with_default(subscriber, || {
            let outer = tracing::debug_span!("op", name = "gather", rows = 5);
            outer.in_scope(|| tracing::debug_span!("unnamed").in_scope(|| ()));
            outer.in_scope(|| ());
        });
        let ranges = RANGES.take();
        assert_eq!(ranges, ["open gather", "open unnamed", "close", "close", "open gather", "close"]);
    }
}
