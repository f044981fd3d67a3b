//! A log of allocations and frees with the columns of RMM (RMM's `logging_resource_adaptor`).

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

/// The header line of a log.
pub const LOG_HEADER: &str = "Thread,Time,Action,Pointer,Size,Stream";

/// When this many bytes of lines have been collected, the lines are passed to the writer.
const GATHERED: usize = 8 << 10;
/// While a thread writes lines, other threads may add lines. The thread then writes the new lines in another round, for
/// at most this many rounds. The limit is needed because a writer that itself allocates adds lines in every round.
const ROUNDS: usize = 4;
/// The maximum number of collected bytes. Further lines are dropped. The limit is needed because a call of the writer
/// may never return.
const MAX_GATHERED: usize = 64 << 20;

/// A log with two locks. Allocations take only the lock `lines`. The writer, which may be user code, runs under the
/// lock `out`.
struct Log {
    /// Lines that are not yet written.
    lines: Mutex<Vec<u8>>,
    /// The writer. An allocation never waits for this lock. If another thread holds the lock, that thread writes the
    /// new lines, too. The value is `None` after a panic of the writer.
    out: Mutex<Option<Box<dyn Write + Send>>>,
    /// The number of the thread that is writing, or 0 if no thread is writing.
    writing: AtomicU64,
}

type Out<'a> = MutexGuard<'a, Option<Box<dyn Write + Send>>>;

impl Log {
    fn lines(&self) -> MutexGuard<'_, Vec<u8>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the collected lines. Does nothing if another thread is writing, or if this thread was called by the
    /// writer.
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
        let Some(writer) = &mut **out else {
            return Err(std::io::Error::other(
                "the allocation log cannot be written, because an earlier write to its writer panicked; make a new log",
            ));
        };
        for _ in 0..ROUNDS {
            let lines = std::mem::take(&mut *self.lines());
            let write = || {
                writer.write_all(&lines)?;
                if flush { writer.flush() } else { Ok(()) }
            };
            match catch_unwind(AssertUnwindSafe(write)) {
                Ok(outcome) => outcome?,
                Err(panic) => {
                    // The writer is leaked instead of dropped, because its destructor might continue the work that the
                    // panic interrupted.
                    std::mem::forget(out.take());
                    let text = panic.downcast_ref::<&str>().map_or("", |text| *text);
                    return Err(std::io::Error::other(format!("the writer of the allocation log panicked: {text}")));
                }
            }
            // While this thread was writing, other threads may have added lines without waiting. If the lines are
            // enough, this thread writes them in another round.
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
    ONCE.call_once(|| tracing::warn!(%error, "an allocation log cannot be written; lines are lost"));
}

/// Writes a line of CSV for every allocation, refused allocation and free. The columns are the thread, the time of day
/// (UTC), the action (`allocate`, `allocate failure` or `free`), the address, the size and the id of the stream. Clones
/// share the log.
///
/// Lines that cannot be written are dropped, and allocation continues. The writer is called by one thread at a time, on
/// the threads that use the log. If the writer panics, the panic is caught, and the writer is not called again.
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
    /// Makes an adaptor that writes the log to `out`, starting with the header.
    ///
    /// # Errors
    /// The errors of writing the header.
    pub fn new(upstream: Resource, out: impl Write + Send + 'static) -> std::io::Result<Self> {
        let mut out: Box<dyn Write + Send> = Box::new(out);
        writeln!(out, "{LOG_HEADER}")?;
        let log = Log { lines: Mutex::default(), out: Mutex::new(Some(out)), writing: AtomicU64::new(0) };
        Ok(Self { upstream, log: Arc::new(log), auto_flush: false })
    }

    /// Makes an adaptor that writes the log to a file. An existing file is truncated.
    ///
    /// # Errors
    /// The errors of creating the file and of writing the header.
    pub fn to_file(upstream: Resource, path: impl AsRef<Path>) -> std::io::Result<Self> {
        Self::new(upstream, std::fs::File::create(path)?)
    }

    /// Makes the adaptor write and flush every line immediately, which is slow.
    pub fn auto_flush(self) -> Self {
        Self { auto_flush: true, ..self }
    }

    /// Writes the collected lines and flushes the writer.
    ///
    /// # Errors
    /// * The errors of writing.
    /// * [`ResourceBusy`](std::io::ErrorKind::ResourceBusy) when the writer itself calls this function.
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

/// Returns the number of the thread. Threads are numbered from 1 in the order of their first log lines.
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

    fn before_deallocate(&self, ptr: NonNull<u8>, bytes: usize, stream: Option<&Stream>) {
        self.note("free", ptr.as_ptr().addr(), bytes, stream);
    }
}

adaptor!(pub LoggingResource);
