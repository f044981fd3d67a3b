//! Tests of this crate: containers, resources, and the lifetime rule.

mod caching;
mod containers;
mod lifetime;
mod pool;
mod resources;

use crate::{HostResource, Resource};

fn host() -> Resource {
    Resource::new(HostResource::new())
}
