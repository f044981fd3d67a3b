//! Descriptors in device memory.

use std::marker::PhantomData;

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_kernels::{In, Plain, bytes_of};
use gdf_memory::{Access, Buffer, ResourceRef};

/// Descriptors in memory of kernels. As `T` they borrow the accesses that they were made of.
#[derive(Debug)]
pub struct Listed<T> {
    memory: Buffer,
    of: PhantomData<T>,
}

impl<T: Plain> Listed<T> {
    /// A copy of these, in memory of `mr`.
    pub fn new(descriptors: &[T], stream: &Stream, mr: ResourceRef<'_>) -> Result<Self> {
        Ok(Self { memory: Buffer::from_host(bytes_of(descriptors), stream, mr)?, of: PhantomData })
    }

    /// The same, open for kernels.
    pub fn read_on(&self, stream: &Stream) -> Result<OpenListed<'_, T>> {
        Ok(OpenListed { access: self.memory.read_on(stream)?, of: PhantomData })
    }
}

/// Descriptors that are open for kernels.
#[derive(Debug)]
pub struct OpenListed<'l, T> {
    access: Access<'l>,
    of: PhantomData<T>,
}

impl<T> OpenListed<'_, T> {
    /// The first of them.
    pub fn first(&self) -> In<'_, T> {
        In::of(&self.access)
    }
}
