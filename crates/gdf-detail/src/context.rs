//! Where an operation runs and what it allocates from.

use gdf_driver::Stream;
use gdf_memory::Resources;

/// The stream of an operation and the resources of its memory: what every algorithm is given, by value.
#[derive(Clone, Copy, Debug)]
pub struct Ctx<'a> {
    /// The operation is enqueued on it, and runs on its device.
    pub stream: &'a Stream,
    /// What results and scratch memory are taken from.
    pub mr: Resources<'a>,
}

impl<'a> Ctx<'a> {
    /// Of a stream and its resources.
    pub fn new(stream: &'a Stream, mr: impl Into<Resources<'a>>) -> Self {
        Self { stream, mr: mr.into() }
    }

    /// The same stream, with results where scratch memory is: for columns that live only within an operation.
    pub fn scratch(self) -> Self {
        Self { mr: self.mr.scratch(), ..self }
    }
}
