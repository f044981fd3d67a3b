//! Memory resources, buffers and stream-ordered lifetimes for CPUs and GPUs.
//!
//! The crate has three main concepts:
//!
//! * A [`MemoryResource`] allocates memory in the order of a [`Stream`](gdf_driver::Stream). A [`Resource`] owns a
//!   memory resource, and a [`ResourceRef`] borrows a memory resource.
//! * A [`Buffer`] holds one allocation. Clones share the allocation. After the bytes are written, a buffer is
//!   immutable. A buffer remembers every stream that uses the allocation. Therefore safe code cannot free, reuse or
//!   overwrite memory while work uses the memory (the *lifetime rule*, see [`Buffer`]).
//! * An [`Access`] gives the address of a buffer for use on one stream. Making an access orders the stream after the
//!   earlier work on the buffer.
//!
//! | where memory comes from | |
//! |---|---|
//! | the system, the driver | [`HostResource`], [`CudaResource`], [`ManagedResource`], [`PinnedResource`], [`CudaAsyncResource`] |
//! | pools over any of them | [`PoolResource`], [`ArenaResource`], [`FixedSizeResource`], [`BinningResource`], [`CachingResource`] |
//! | a pool that never runs out by fragmentation | [`VirtualPoolResource`] |
//! | your own code | [`CallbackResource`], or implement [`MemoryResource`] |
//!
//! | adaptors, each over any resource | |
//! |---|---|
//! | limit, count, watch | [`LimitingResource`], [`StatisticsResource`], [`TrackingResource`], [`LoggingResource`] |
//! | fail, recover | [`FaultInjectionResource`], [`FailureCallbackResource`] |
//! | align, move | [`AlignedResource`], [`PrefetchResource`] |
//!
//! [`SpillManager`] is an adaptor too: it moves bytes of buffers to the CPU and to a disk while memory is short.
//!
//! Threads that share a limited amount of memory reserve bytes of a [`MemoryBudget`] before they allocate. A
//! reservation waits until enough bytes are free.
//!
//! If a resource has no memory for a request, the resource returns [`MemoryError::OutOfMemory`]. With [`retry`] and
//! [`split`], a program can continue after this error.
//!
//! ```
//! # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
//! use gdf::Stream;
//! use gdf::memory::{Buffer, HostResource, Resource};
//!
//! let stream = Stream::cpu();
//! let resource = Resource::new(HostResource::new());
//! let buffer = Buffer::from_host(b"columnar", &stream, resource.as_ref())?;
//! let tail = buffer.slice(6, 2)?;
//! assert_eq!(tail.read_on(&stream)?.as_slice::<u8>()?, b"ar");
//! # Ok::<(), gdf_memory::MemoryError>(())
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]

mod access;
mod adaptors;
mod alignment;
mod allocation;
mod budget;
mod buffer;
mod current;
mod current_pinned;
mod current_slot;
mod delegate;
mod device_copy;
mod device_vec;
mod error;
mod host_vec;
mod io;
mod large_pages;
mod mailbox;
mod owned_access;
mod owner;
mod pinned_slots;
mod pool;
mod reaper;
mod recovery;
mod reservation;
mod resource;
mod resources;
mod search_lock;
mod shared;
mod spill;
mod staging;
pub mod testing;
#[cfg(test)]
mod tests;

pub use access::{Access, AccessMut};
pub use adaptors::{
    AlignedResource, CallbackResource, Counter, FailureCallbackResource, Fault, FaultInjectionResource, LOG_HEADER,
    LimitingResource, LoggingResource, Outstanding, PrefetchResource, Statistics, StatisticsResource, TrackingResource,
};
pub use alignment::{BUFFER_ALIGNMENT, BUFFER_PADDING, align_down, align_up, is_aligned, is_supported_alignment};
pub use budget::{MemoryBudget, MemoryReservation};
pub use buffer::Buffer;
pub use bytemuck::Pod;
pub use current::{current_resource, reset_current_resource, set_current_resource};
pub use current_pinned::{current_pinned_resource, set_current_pinned_resource};
pub use device_vec::{DeviceScalar, DeviceVec};
pub use error::{FreeMemory, MemoryError, Result};
#[doc(hidden)]
pub use gdf_driver as __driver;
pub use host_vec::HostVec;
pub use io::{BufferReader, BufferWriter};
pub use mailbox::Mailbox;
pub use owned_access::OwnedAccess;
pub use owner::Owner;
pub use pool::{ArenaResource, BinningResource, FixedSizeResource, PoolOptions, PoolResource, VirtualPoolResource};
#[doc(hidden)]
pub use reaper::when_complete;
pub use recovery::{RanOut, SpillHook, SplitBounds, retry, set_spill_hook, split};
pub use resource::{
    AccessKind, DeviceAccessible, DeviceAsyncResourceRef, DeviceResourceRef, HostAccessible, HostAsyncResourceRef,
    HostDeviceAccessible, HostDeviceAsyncResourceRef, HostDeviceResourceRef, HostResourceRef, MemoryResource,
    OrderKind, Properties, Resource, ResourceRef, Resources, StreamOrdered, Synchronous,
};
pub use resources::{
    CachingResource, CudaAsyncOptions, CudaAsyncResource, CudaResource, ExportHandle, HostResource, ManagedResource,
    PinnedResource,
};
pub use spill::{SpillCompression, SpillManager, SpillOptions, SpillStatistics, SpillStatisticsLevel, Transfers};
