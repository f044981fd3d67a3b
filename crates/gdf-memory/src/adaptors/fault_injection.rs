//! An adaptor that makes chosen allocations fail, for tests.

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::around::{Around, Request, adaptor};
use crate::{MemoryError, Resource, Result};

/// A rule that selects requests. The adaptor refuses the selected requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// The request with this number, counted from 1.
    Nth(u64),
    /// The request with this number, counted from 1, and all later requests.
    From(u64),
    /// Each request with a fixed probability. With the same seed, the same request numbers are refused in every run.
    Random {
        /// The probability, between 0 and 1.
        probability: f64,
        /// The seed of the generator.
        seed: u64,
    },
    /// All requests of more than this number of bytes.
    Above(usize),
}

impl Fault {
    fn strikes(self, number: u64, bytes: usize) -> bool {
        match self {
            Self::Nth(nth) => number == nth,
            Self::From(first) => number >= first,
            Self::Random { probability, seed } => {
                let top = mixed(seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15)) >> 11;
                (top as f64) < probability * (1_u64 << 53) as f64
            }
            Self::Above(most) => bytes > most,
        }
    }
}

fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Refuses chosen requests with `OutOfMemory`, and passes all other requests to the upstream. Requests of zero bytes
/// are not counted. Clones share the count.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use gdf::Stream;
/// use gdf::memory::{Buffer, Fault, FaultInjectionResource, HostResource, Resource};
///
/// let host = Resource::new(HostResource::new());
/// let (stream, resource) = (Stream::cpu(), Resource::new(FaultInjectionResource::new(host, [Fault::Nth(2)])));
/// assert!(Buffer::zeroed(64, &stream, resource.as_ref()).is_ok());
/// assert!(Buffer::zeroed(64, &stream, resource.as_ref()).unwrap_err().is_out_of_memory());
/// assert!(Buffer::zeroed(64, &stream, resource.as_ref()).is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct FaultInjectionResource {
    upstream: Resource,
    faults: Vec<Fault>,
    counts: Arc<(AtomicU64, AtomicU64)>,
}

impl FaultInjectionResource {
    /// Makes an adaptor that refuses each request that at least one of `faults` selects.
    pub fn new(upstream: Resource, faults: impl IntoIterator<Item = Fault>) -> Self {
        Self { upstream, faults: faults.into_iter().collect(), counts: Arc::default() }
    }

    /// Returns the number of requests so far.
    pub fn seen(&self) -> u64 {
        self.counts.0.load(Ordering::Relaxed)
    }

    /// Returns the number of refused requests so far.
    pub fn refused(&self) -> u64 {
        self.counts.1.load(Ordering::Relaxed)
    }
}

impl Around for FaultInjectionResource {
    const NAME: &'static str = "fault_injection";

    fn upstream(&self) -> &Resource {
        &self.upstream
    }

    fn on_allocate(&self, request: Request<'_>) -> Result<NonNull<u8>> {
        if request.bytes > 0 {
            let number = self.counts.0.fetch_add(1, Ordering::Relaxed) + 1;
            if self.faults.iter().any(|fault| fault.strikes(number, request.bytes)) {
                self.counts.1.fetch_add(1, Ordering::Relaxed);
                return Err(MemoryError::OutOfMemory { requested: request.bytes, free: None, resource: Self::NAME });
            }
        }
        request.ask(&self.upstream)
    }
}

adaptor!(pub FaultInjectionResource);
