//! Access to the CUDA driver: devices, streams, events, modules and launches. The address of each driver function is
//! looked up at the first call of the function.
//!
//! | purpose | types |
//! |---|---|
//! | the place of memory and work | [`Device`] |
//! | the order of work | [`Stream`], [`Event`] |
//! | compiled device code | [`Module`], [`Function`], [`LaunchConfig`] |
//! | errors | [`DriverError`], [`Status`] |
//! | counts of launches, waits and copied bytes | [`Counters`] |
//!
//! The same types exist with and without the feature `cuda`. Without the feature, or without a driver on the machine,
//! opening a CUDA device returns [`DriverError::NoDriver`]. The build needs no CUDA toolkit.
//!
//! CPU streams run work at once, on the calling thread. The hidden [`deferred`] streams queue their work and run it
//! late, in a random order that respects streams and events. Tests use deferred streams to find code that does not
//! respect the order of streams.
//!
//! Only primary contexts are used. A primary context is retained once per process and never reset. If a driver call
//! needs a current context, the caller's current context is restored before the call returns.

mod background_threads;
mod context;
mod counters;
mod cpu;
pub mod deferred;
mod device;
mod error;
mod event;
mod executor;
mod exit;
pub mod foreign;
mod forked;
pub mod ipc;
mod lane;
mod launch;
mod lock;
pub mod memory;
mod module;
pub mod nvtx;
mod open;
mod peer;
mod pointer;
mod poison;
mod raw;
mod scratch;
mod status;
mod stream;
mod stream_default;
mod stream_handle;
mod stream_pool;
mod stream_work;
mod table;
pub mod test_hooks;
#[cfg(test)]
mod tests;
pub mod virtual_memory;

#[doc(hidden)]
pub use background_threads::enter_background_thread;
pub use context::NEEDED_DRIVER_VERSION;
pub use counters::Counters;
pub use device::{Device, DeviceProperties, MemoryInfo};
pub use error::{DriverError, Result};
pub use event::Event;
#[doc(hidden)]
pub use exit::at_exit;
pub use exit::process_is_exiting;
pub use lane::Lane;
pub use launch::LaunchConfig;
pub use module::{Function, Module};
pub use pointer::{MemoryKind, PointerInfo};
pub use scratch::SCRATCH_BYTES;
pub use status::Status;
pub use stream::{Stream, StreamRef};
pub use stream_default::{DefaultStreamMode, default_mode, set_default_mode};
pub use stream_pool::{StreamPool, fork, join};
pub use stream_work::CopyKind;
