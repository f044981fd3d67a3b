//! Foreign owners of memory.

use std::any::Any;
use std::fmt::Debug;

/// Keeps memory alive that no [`MemoryResource`](crate::MemoryResource) allocated. The owner is dropped after the
/// last use of the memory.
///
/// The thread that drops the last reference drops the owner. The reaper thread drops the owner instead when work on a
/// GPU stream still uses the memory at that time. The owner is never dropped inside a driver callback.
pub trait Owner: Any + Send + Sync + Debug {}

impl<T: Any + Send + Sync + Debug> Owner for T {}
