//! Copies of buffers between devices, and copies into existing memory of the CPU.

use gdf_driver::Stream;

use crate::{Buffer, MemoryError, ResourceRef, Result, staging};

impl Buffer {
    /// Copies the bytes to memory of `mr`. `mr` may belong to any device. `stream` must belong to the device of `mr`.
    ///
    /// * If both memories belong to the same device, the function does the same as [`deep_copy`](Self::deep_copy).
    /// * Between two GPUs, the CPU does not wait. `stream` waits for the writer. The driver copies directly if the
    ///   devices can access each other's memory.
    /// * From the CPU to a GPU, the function does the same as [`from_host`](Self::from_host).
    /// * From a GPU to the CPU, the call **waits** for the transfer.
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
    /// use gdf::Stream;
    /// use gdf::memory::{Buffer, HostResource, Resource};
    ///
    /// let (stream, resource) = (Stream::cpu(), Resource::new(HostResource::new()));
    /// let buffer = Buffer::from_host(b"columnar", &stream, resource.as_ref())?;
    /// let copy = buffer.slice(0, 3)?.copy_to(&stream, resource.as_ref())?;
    /// assert_eq!(copy.to_host(&stream)?, b"col");
    /// # Ok::<(), gdf_memory::MemoryError>(())
    /// ```
    ///
    /// # Errors
    /// * The errors of [`uninitialized`](Self::uninitialized).
    /// * Driver errors of the transfer and of ordering the streams.
    pub fn copy_to<'r>(&self, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Buffer> {
        let mr = mr.into();
        let (from, to) = (self.device(), mr.device());
        if from == to {
            return self.deep_copy(stream, mr);
        }
        if stream.device() != to {
            return Err(MemoryError::DeviceMismatch { expected: to, found: stream.device() });
        }
        if from.is_cpu() {
            let source = self.read_on(&Stream::cpu())?;
            return Self::from_host(source.as_slice::<u8>()?, stream, mr);
        }
        let mut copy = Self::uninitialized(self.len(), stream, mr)?;
        if self.is_empty() {
            return Ok(copy);
        }
        if to.is_cpu() {
            let mut target = copy.write_on(stream)?;
            self.read_into(target.as_mut_slice::<u8>()?, &Stream::default_for(from)?)?;
            drop(target);
            return Ok(copy);
        }
        let source = self.read_on(stream)?;
        let target = copy.write_on(stream)?;
        // SAFETY: both ranges have `len` bytes on the named devices, and the new allocation makes the ranges
        // disjoint. Both accesses are for `stream`, so both ranges stay valid and free of conflicting work until the
        // copy has run.
        unsafe { stream.copy_between(to, target.address(), from, source.address(), self.len())? };
        drop((source, target));
        Ok(copy)
    }

    /// Copies the bytes to the slice `into` on the CPU. `stream` must be a stream of the buffer's device. The call
    /// **waits** for the transfer on `stream`.
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
    /// use gdf::Stream;
    /// use gdf::memory::{Buffer, HostResource, Resource};
    ///
    /// let (stream, resource) = (Stream::cpu(), Resource::new(HostResource::new()));
    /// let buffer = Buffer::from_host(b"columnar", &stream, resource.as_ref())?;
    /// let mut bytes = [0; 3];
    /// buffer.slice(0, 3)?.read_into(&mut bytes, &stream)?;
    /// assert_eq!(&bytes, b"col");
    /// # Ok::<(), gdf_memory::MemoryError>(())
    /// ```
    ///
    /// # Errors
    /// [`OutOfRange`](MemoryError::OutOfRange) when `into` and the buffer differ in length; the errors of
    /// [`to_host`](Self::to_host).
    pub fn read_into(&self, into: &mut [u8], stream: &Stream) -> Result<()> {
        if into.len() != self.len() {
            return Err(MemoryError::OutOfRange { offset: 0, len: into.len(), size: self.len() });
        }
        if into.is_empty() {
            return Ok(());
        }
        let source = self.read_on(stream)?;
        if stream.device().is_cpu() {
            into.copy_from_slice(source.as_slice::<u8>()?);
            return Ok(());
        }
        staging::to_host(&source, staging::as_uninit(into), stream)
    }

    /// Copies several buffers, one after the other, to the slice `into` on the CPU. `stream` must be a stream of the
    /// buffers' device. The call **waits** for the transfers on `stream`. If all buffers together have at most 2 MiB,
    /// the call waits only once.
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
    /// use gdf::Stream;
    /// use gdf::memory::{Buffer, HostResource, Resource};
    ///
    /// let (stream, resource) = (Stream::cpu(), Resource::new(HostResource::new()));
    /// let buffer = Buffer::from_host(b"columnar", &stream, resource.as_ref())?;
    /// let mut bytes = [0; 5];
    /// Buffer::read_all_into(&[buffer.slice(4, 2)?, buffer.slice(0, 3)?], &mut bytes, &stream)?;
    /// assert_eq!(&bytes, b"mncol");
    /// # Ok::<(), gdf_memory::MemoryError>(())
    /// ```
    ///
    /// # Errors
    /// [`OutOfRange`](MemoryError::OutOfRange) when the length of `into` differs from the total length of the
    /// buffers; the errors of [`to_host`](Self::to_host).
    pub fn read_all_into(buffers: &[Buffer], into: &mut [u8], stream: &Stream) -> Result<()> {
        let size = buffers.iter().fold(0_usize, |sum, buffer| sum.saturating_add(buffer.len()));
        if into.len() != size {
            return Err(MemoryError::OutOfRange { offset: 0, len: into.len(), size });
        }
        if stream.device().is_cpu() || size > staging::MOST_AT_ONCE {
            let mut rest = into;
            for buffer in buffers {
                let (part, behind) = rest.split_at_mut(buffer.len());
                buffer.read_into(part, stream)?;
                rest = behind;
            }
            return Ok(());
        }
        let filled = buffers.iter().filter(|buffer| !buffer.is_empty());
        let sources = filled.map(|buffer| buffer.read_on(stream)).collect::<Result<Vec<_>>>()?;
        if sources.is_empty() { Ok(()) } else { staging::all_to_host(&sources, staging::as_uninit(into), stream) }
    }

    /// Copies `bytes` from CPU memory to the bytes of the buffer from `offset` on, in the order of `stream`. `stream`
    /// must be a stream of the buffer's device. The caller may change or free the slice when the call returns.
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
    /// use gdf::Stream;
    /// use gdf::memory::{Buffer, HostResource, Resource};
    ///
    /// let (stream, resource) = (Stream::cpu(), Resource::new(HostResource::new()));
    /// let mut buffer = Buffer::from_host(b"columnar", &stream, resource.as_ref())?;
    /// buffer.write_from(5, b"bus", &stream)?;
    /// assert_eq!(buffer.to_host(&stream)?, b"columbus");
    /// # Ok::<(), gdf_memory::MemoryError>(())
    /// ```
    ///
    /// # Errors
    /// [`OutOfRange`](MemoryError::OutOfRange) when the range exceeds the buffer; the errors of
    /// [`write_on`](Self::write_on) and of the transfer.
    pub fn write_from(&mut self, offset: usize, bytes: &[u8], stream: &Stream) -> Result<()> {
        self.write_part_on(offset, bytes.len(), stream)?.copy_from_host(0, bytes)
    }
}
