//! A log of what is allocated and given back, in RMM's columns (RMM's `logging_resource_adaptor`).

use std::fmt;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use gdf_driver::Stream;

use super::around::{Around, Request, adaptor};
use crate::{Resource, Result};

/// The first line of a log.
pub const LOG_HEADER: &str = "Thread,Time,Action,Pointer,Size,Stream";

struct Log {
    out: Mutex<BufWriter<Box<dyn Write + Send>>>,
}

/// Writes a line of CSV for every block that is handed out, refused or given back: thread, time of day (UTC), `allocate`,
/// `allocate failure` or `free`, address, size, and the stream's number. `cargo xtask replay` times other resources on
/// such a log. Clones share it.
///
/// What cannot be written is dropped, with a warning at the first line; allocation goes on.
///
/// ```
/// use gdf_driver::Stream;
/// use gdf_memory::{Buffer, HostResource, LoggingResource, Resource};
///
/// let path = std::env::temp_dir().join("gdf-logging-example.csv");
/// let logging = LoggingResource::to_file(Resource::new(HostResource::new()), &path)?;
/// let (stream, resource) = (Stream::cpu(), Resource::new(logging.clone()));
/// drop(Buffer::zeroed(64, &stream, resource.as_ref()).unwrap());
/// logging.flush()?;
/// let text = std::fs::read_to_string(&path)?;
/// assert_eq!(text.lines().next(), Some(gdf_memory::LOG_HEADER));
/// assert_eq!(text.lines().count(), 3);
/// # std::fs::remove_file(path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
pub struct LoggingResource {
    upstream: Resource,
    log: Arc<Log>,
    auto_flush: bool,
}

impl LoggingResource {
    /// Logs to `out`, beginning with the header.
    ///
    /// # Errors
    /// The header cannot be written.
    pub fn new(upstream: Resource, out: impl Write + Send + 'static) -> std::io::Result<Self> {
        let mut out: BufWriter<Box<dyn Write + Send>> = BufWriter::new(Box::new(out));
        writeln!(out, "{LOG_HEADER}")?;
        Ok(Self { upstream, log: Arc::new(Log { out: Mutex::new(out) }), auto_flush: false })
    }

    /// Logs to a file, which is emptied first.
    ///
    /// # Errors
    /// The file cannot be made, or the header not be written.
    pub fn to_file(upstream: Resource, path: impl AsRef<Path>) -> std::io::Result<Self> {
        Self::new(upstream, std::fs::File::create(path)?)
    }

    /// Writes every line out at once, which is slow; otherwise lines are gathered until [`flush`](Self::flush), or until
    /// the last clone goes.
    pub fn auto_flush(self) -> Self {
        Self { auto_flush: true, ..self }
    }

    /// Writes out what is gathered.
    ///
    /// # Errors
    /// Those of writing.
    pub fn flush(&self) -> std::io::Result<()> {
        self.log.out.lock().unwrap_or_else(PoisonError::into_inner).flush()
    }

    fn note(&self, action: &str, address: usize, bytes: usize, stream: &Stream) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let (seconds, micros) = (now.as_secs() % 86_400, now.subsec_micros());
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let (thread, stream) = (thread_number(), stream.id());
        let mut out = self.log.out.lock().unwrap_or_else(PoisonError::into_inner);
        let written = writeln!(
            out,
            "{thread},{hour:02}:{minute:02}:{second:02}.{micros:06},{action},{address:#x},{bytes},{stream:#x}"
        );
        let written = written.and_then(|()| if self.auto_flush { out.flush() } else { Ok(()) });
        drop(out);
        if let Err(error) = written {
            static ONCE: std::sync::Once = std::sync::Once::new();
            ONCE.call_once(|| tracing::warn!(%error, "lines of an allocation log are lost"));
        }
    }
}

/// A small number for each thread, in the order of their first lines.
fn thread_number() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static OWN: u64 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    OWN.try_with(|own| *own).unwrap_or(0)
}

impl fmt::Debug for LoggingResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoggingResource").field("upstream", &self.upstream).finish_non_exhaustive()
    }
}

impl Around for LoggingResource {
    const NAME: &'static str = "logging";

    fn upstream(&self) -> &Resource {
        &self.upstream
    }

    fn on_allocate(&self, request: Request<'_>) -> Result<NonNull<u8>> {
        let outcome = request.ask(&self.upstream);
        match &outcome {
            Ok(ptr) => self.note("allocate", ptr.as_ptr().addr(), request.bytes, request.stream),
            Err(_) => self.note("allocate failure", 0, request.bytes, request.stream),
        }
        outcome
    }

    fn on_deallocate(&self, ptr: NonNull<u8>, bytes: usize, stream: &Stream) {
        self.note("free", ptr.as_ptr().addr(), bytes, stream);
    }
}

adaptor!(LoggingResource);
