//! A log of what is allocated and given back, in RMM's columns (RMM's `logging_resource_adaptor`).

use std::fmt;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{SystemTime, UNIX_EPOCH};

use gdf_driver::Stream;

use super::around::{Around, Request, adaptor};
use crate::{Resource, Result};

/// The first line of a log.
pub const LOG_HEADER: &str = "Thread,Time,Action,Pointer,Size,Stream";

/// Lines are handed to the writer when so many bytes of them have gathered.
const GATHERED: usize = 8 << 10;
/// So often at most a thread writes what others left meanwhile: a writer that allocates leaves lines each time.
const ROUNDS: usize = 4;
/// More than this is not gathered for a writer that does not come back.
const MAX_GATHERED: usize = 64 << 20;

/// Two locks, so that no code of the writer's runs under the one that allocations take.
struct Log {
    /// Lines that nobody has written yet.
    lines: Mutex<Vec<u8>>,
    /// Taken without waiting: who finds it taken leaves its lines to whoever has it. `None` after a panic.
    out: Mutex<Option<Box<dyn Write + Send>>>,
    /// The number of the thread that writes; 0 for none.
    writing: AtomicU64,
}

type Out<'a> = MutexGuard<'a, Option<Box<dyn Write + Send>>>;

impl Log {
    fn lines(&self) -> MutexGuard<'_, Vec<u8>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what is gathered, unless another thread, or this one further up, is doing so.
    fn write_if_free(&self, flush: bool) -> std::io::Result<()> {
        match self.out.try_lock() {
            Ok(out) => self.write(out, flush),
            Err(TryLockError::Poisoned(poisoned)) => self.write(poisoned.into_inner(), flush),
            Err(TryLockError::WouldBlock) => Ok(()),
        }
    }

    fn write(&self, mut out: Out<'_>, flush: bool) -> std::io::Result<()> {
        self.writing.store(thread_number(), Ordering::Relaxed);
        let outcome = self.write_rounds(&mut out, flush);
        self.writing.store(0, Ordering::Relaxed);
        outcome
    }

    fn write_rounds(&self, out: &mut Out<'_>, flush: bool) -> std::io::Result<()> {
        let Some(writer) = &mut **out else { return Err(std::io::Error::other("the writer panicked before")) };
        for _ in 0..ROUNDS {
            let lines = std::mem::take(&mut *self.lines());
            let write = || {
                writer.write_all(&lines)?;
                if flush { writer.flush() } else { Ok(()) }
            };
            match catch_unwind(AssertUnwindSafe(write)) {
                Ok(outcome) => outcome?,
                Err(panic) => {
                    // Not its drop either, which may go on with what the panic broke off.
                    std::mem::forget(out.take());
                    let text = panic.downcast_ref::<&str>().map_or("", |text| *text);
                    return Err(std::io::Error::other(format!("the writer panicked: {text}")));
                }
            }
            // Those who came meanwhile have left their lines here.
            if self.lines().len() < if flush { 1 } else { GATHERED } {
                break;
            }
        }
        Ok(())
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        if let Err(error) = self.write_if_free(true) {
            tell(&error);
        }
    }
}

fn tell(error: &std::io::Error) {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| tracing::warn!(%error, "lines of an allocation log are lost"));
}

/// Writes a line of CSV for every block that is handed out, refused or given back: thread, time of day (UTC), `allocate`,
/// `allocate failure` or `free`, address, size, and the stream's number. `cargo xtask replay` times other resources on
/// such a log. Clones share it.
///
/// What cannot be written is dropped, with a warning at the first line; allocation goes on. The writer is called on threads
/// that allocate or give back, one at a time, and with no lock that they wait for: it may use this resource itself, and a
/// thread that finds it at work leaves its lines to be written with later ones. After a panic of the writer's, which ends
/// there, it is not called again.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use gdf::Stream;
/// use gdf::memory::{Buffer, HostResource, LoggingResource, Resource};
///
/// let path = std::env::temp_dir().join("gdf-logging-example.csv");
/// let logging = LoggingResource::to_file(Resource::new(HostResource::new()), &path)?;
/// let (stream, resource) = (Stream::cpu(), Resource::new(logging.clone()));
/// drop(Buffer::zeroed(64, &stream, resource.as_ref()).unwrap());
/// logging.flush()?;
/// let text = std::fs::read_to_string(&path)?;
/// assert_eq!(text.lines().next(), Some(gdf::memory::LOG_HEADER));
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
        let mut out: Box<dyn Write + Send> = Box::new(out);
        writeln!(out, "{LOG_HEADER}")?;
        let log = Log { lines: Mutex::default(), out: Mutex::new(Some(out)), writing: AtomicU64::new(0) };
        Ok(Self { upstream, log: Arc::new(log), auto_flush: false })
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
    /// Those of writing; [`ResourceBusy`](std::io::ErrorKind::ResourceBusy) from within the writer.
    pub fn flush(&self) -> std::io::Result<()> {
        if self.log.writing.load(Ordering::Relaxed) == thread_number() {
            return Err(std::io::ErrorKind::ResourceBusy.into());
        }
        self.log.write(self.log.out.lock().unwrap_or_else(PoisonError::into_inner), true)
    }

    fn note(&self, action: &str, address: usize, bytes: usize, stream: Option<&Stream>) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let (seconds, micros) = (now.as_secs() % 86_400, now.subsec_micros());
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let (thread, stream) = (thread_number(), stream.map_or(0, Stream::id));
        let line = format!(
            "{thread},{hour:02}:{minute:02}:{second:02}.{micros:06},{action},{address:#x},{bytes},{stream:#x}\n"
        );
        let gathered = {
            let mut lines = self.log.lines();
            if lines.len() < MAX_GATHERED {
                lines.extend_from_slice(line.as_bytes());
            }
            lines.len()
        };
        if (self.auto_flush || gathered >= GATHERED)
            && let Err(error) = self.log.write_if_free(self.auto_flush)
        {
            tell(&error);
        }
    }
}

/// A small number for each thread, in the order of their first lines.
fn thread_number() -> u64 {
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

    fn on_deallocate(&self, ptr: NonNull<u8>, bytes: usize, stream: Option<&Stream>) {
        self.note("free", ptr.as_ptr().addr(), bytes, stream);
    }
}

adaptor!(LoggingResource);
