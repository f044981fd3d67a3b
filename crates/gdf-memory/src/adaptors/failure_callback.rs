//! An adaptor that calls a callback when memory runs out (RMM's `failure_callback_resource_adaptor`).

use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use super::around::{Around, Request, adaptor};
use crate::{MemoryError, Resource, Result};

/// The arguments are the number of requested bytes, and the number of failures of the request so far.
type Callback = dyn Fn(usize, usize) -> bool + Send + Sync;

/// Calls a callback when the upstream is out of memory, and retries the request while the callback returns `true`. A
/// typical callback spills memory.
///
/// The callback runs on the allocating thread. The callback may use resources and free memory. If a pool allocates from
/// the adaptor, the callback may also use that pool. The callback must not wait for another thread that uses that pool,
/// because that thread may wait for the calling thread. Clones share the callback.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use std::sync::Mutex;
/// use gdf::Stream;
/// use gdf::memory::{Buffer, FailureCallbackResource, HostResource, LimitingResource, Resource};
///
/// let limited = Resource::new(LimitingResource::new(Resource::new(HostResource::new()), 4096));
/// let stream = Stream::cpu();
/// let cache = std::sync::Arc::new(Mutex::new(Some(Buffer::zeroed(4096, &stream, limited.as_ref())?)));
/// let spilled = cache.clone();
/// let spill = move |_bytes: usize, _failures: usize| spilled.lock().unwrap().take().is_some();
/// let resource = Resource::new(FailureCallbackResource::new(limited, spill));
/// assert!(Buffer::zeroed(4096, &stream, resource.as_ref()).is_ok());
/// # Ok::<(), gdf_memory::MemoryError>(())
/// ```
#[derive(Clone)]
pub struct FailureCallbackResource {
    upstream: Resource,
    callback: Arc<Callback>,
    every_error: bool,
}

impl FailureCallbackResource {
    /// Makes an adaptor over `upstream`. `callback` gets the number of requested bytes, and the number of times that
    /// this request has failed so far.
    pub fn new(upstream: Resource, callback: impl Fn(usize, usize) -> bool + Send + Sync + 'static) -> Self {
        Self { upstream, callback: Arc::new(callback), every_error: false }
    }

    /// Makes the adaptor call the callback for every error, and not only for out-of-memory errors.
    pub fn on_every_error(self) -> Self {
        Self { every_error: true, ..self }
    }

    fn is_meant(&self, error: &MemoryError) -> bool {
        self.every_error || error.is_out_of_memory()
    }
}

impl fmt::Debug for FailureCallbackResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FailureCallbackResource").field("upstream", &self.upstream).finish_non_exhaustive()
    }
}

impl Around for FailureCallbackResource {
    const NAME: &'static str = "failure_callback";

    fn upstream(&self) -> &Resource {
        &self.upstream
    }

    fn on_allocate(&self, request: Request<'_>) -> Result<NonNull<u8>> {
        let mut failures = 0;
        loop {
            match request.ask(&self.upstream) {
                Err(error) if self.is_meant(&error) => {
                    failures += 1;
                    if !(self.callback)(request.bytes, failures) {
                        return Err(error);
                    }
                }
                outcome => return outcome,
            }
        }
    }
}

adaptor!(pub FailureCallbackResource);
