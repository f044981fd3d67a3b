//! Arrays of descriptors in device memory.

use std::marker::PhantomData;

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_kernels::{In, Plain, bytes_of};
use gdf_memory::{Access, Buffer, ResourceRef};

/// An array of descriptors in device memory.
#[derive(Debug)]
pub struct Listed<T> {
    memory: Buffer,
    of: PhantomData<T>,
}

impl<T: Plain> Listed<T> {
    pub fn new(descriptors: &[T], stream: &Stream, mr: ResourceRef<'_>) -> Result<Self> {
        Ok(Self { memory: Buffer::from_host(bytes_of(descriptors), stream, mr)?, of: PhantomData })
    }

    pub fn read_on(&self, stream: &Stream) -> Result<OpenListed<'_, T>> {
        Ok(OpenListed { access: self.memory.read_on(stream)?, of: PhantomData })
    }
}

#[derive(Debug)]
pub struct OpenListed<'l, T> {
    access: Access<'l>,
    of: PhantomData<T>,
}

impl<T> OpenListed<'_, T> {
    pub fn first(&self) -> In<'_, T> {
        In::of(&self.access)
    }
}
