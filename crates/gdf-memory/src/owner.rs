//! Foreign owners of memory.

use std::any::Any;
use std::fmt::Debug;

/// An owner of memory that no [`MemoryResource`](crate::MemoryResource) allocated. The owner keeps the memory alive,
/// and is dropped after the last use of the memory.
///
/// Usually the thread that drops the last reference to the memory drops the owner. If work on a GPU stream still uses
/// the memory at that time, the reaper thread drops the owner later. The owner is never dropped inside a driver
/// callback.
pub trait Owner: Any + Send + Sync + Debug {}

impl<T: Any + Send + Sync + Debug> Owner for T {}
