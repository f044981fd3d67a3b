//! The tests of this crate: containers, resources and the lifetime rule.

mod accesses;
mod adaptors;
mod at_once;
mod budget;
mod caching;
mod conformance;
mod containers;
mod gpu;
mod guards;
mod io;
mod lifetime;
mod pool;
mod programs;
mod recovery;
mod rule;
mod spill;
mod streams;
#[cfg(not(miri))]
mod virtual_pool;

use crate::{HostResource, Resource};

fn host() -> Resource {
    Resource::new(HostResource::new())
}
