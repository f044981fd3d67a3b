//! The default streams: one stream for each thread and device, or one stream for each device.

use std::cell::RefCell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::lock::lock;
use crate::stream::{Kind, Stream};
use crate::{Device, Result};

/// Whether threads share a default stream.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DefaultStreamMode {
    /// Each thread has its own default stream for each device. The streams are recycled when the thread exits.
    PerThread,
    /// All threads share one default stream for each device.
    PerDevice,
}

const PER_THREAD: u8 = 0;
const PER_DEVICE: u8 = 1;

static MODE: AtomicU8 = AtomicU8::new(PER_THREAD);
static SHARED: Mutex<Vec<Stream>> = Mutex::new(Vec::new());

thread_local! {
    static OWN: RefCell<Vec<Stream>> = const { RefCell::new(Vec::new()) };
}

/// Sets which stream [`Stream::default_for`] returns from now on. The mode applies to all threads.
pub fn set_default_mode(mode: DefaultStreamMode) {
    let mode = match mode {
        DefaultStreamMode::PerThread => PER_THREAD,
        DefaultStreamMode::PerDevice => PER_DEVICE,
    };
    MODE.store(mode, Ordering::Relaxed);
}

/// Returns the current mode of [`Stream::default_for`].
pub fn default_mode() -> DefaultStreamMode {
    match MODE.load(Ordering::Relaxed) {
        PER_DEVICE => DefaultStreamMode::PerDevice,
        _ => DefaultStreamMode::PerThread,
    }
}

impl Stream {
    /// Returns the default stream of `device`. The mode of [`set_default_mode`] decides whether each thread has its own
    /// default stream, or all threads share one.
    ///
    /// The default streams of a thread are recycled when the thread exits.
    ///
    /// # Errors
    /// - the errors of [`Stream::new`]
    ///
    /// [`set_default_mode`]: crate::set_default_mode
    pub fn default_for(device: Device) -> Result<Stream> {
        let stream = match default_mode() {
            DefaultStreamMode::PerThread => own(device)?,
            DefaultStreamMode::PerDevice => shared(device)?,
        };
        if let Kind::Cuda(cuda) = stream.kind() {
            cuda.check()?;
        }
        Ok(stream)
    }
}

fn own(device: Device) -> Result<Stream> {
    let find = |own: &RefCell<Vec<Stream>>| own.borrow().iter().find(|own| own.device() == device).cloned();
    match OWN.try_with(find) {
        Ok(Some(stream)) => Ok(stream),
        Ok(None) => {
            // The list must not be borrowed while the stream is created.
            let stream = Stream::new(device)?;
            let keep = |own: &RefCell<Vec<Stream>>| own.borrow_mut().push(stream.clone());
            match OWN.try_with(find) {
                Ok(Some(other)) => Ok(other),
                _ => {
                    // If the thread is ending, the stream is not stored.
                    let _ = OWN.try_with(keep);
                    Ok(stream)
                }
            }
        }
        Err(_) => Stream::new(device),
    }
}

fn shared(device: Device) -> Result<Stream> {
    let find = |shared: &[Stream]| shared.iter().find(|shared| shared.device() == device).cloned();
    if let Some(stream) = find(&lock(&SHARED)) {
        return Ok(stream);
    }
    let stream = Stream::new(device)?;
    let mut shared = lock(&SHARED);
    if let Some(other) = find(&shared) {
        return Ok(other);
    }
    shared.push(stream.clone());
    Ok(stream)
}
