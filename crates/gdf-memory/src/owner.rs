//! Foreign owners of memory.

use std::any::Any;
use std::fmt::Debug;

/// Keeps memory alive that no resource of ours allocated; dropped when nothing uses the memory any more.
///
/// Dropping happens on whatever thread lets go last, or on the reaper thread when work on a GPU stream still used the
/// memory at that moment; never inside a driver callback.
pub trait Owner: Any + Send + Sync + Debug {}

impl<T: Any + Send + Sync + Debug> Owner for T {}
