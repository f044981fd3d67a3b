//! Sharing of GPU buffers with another process on the same machine, without copying.

use std::num::NonZero;
use std::ptr::NonNull;
use std::sync::Arc;

use gdf_core::{Counted, Error, enter_span};
use gdf_driver::ipc::{HandleBytes, OpenedMemory, SharedEvent, export_memory};
use gdf_driver::{MemoryKind, PointerInfo, Stream};
use gdf_memory::Buffer;

use crate::Result;
use crate::error::malformed;

/// The data that another process needs to open a shared buffer. The handle can be converted to bytes. The program can
/// send the bytes through a pipe, a socket or a file.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// use gdf::interop::IpcHandle;
/// assert!(IpcHandle::from_bytes(b"nothing of ours").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IpcHandle {
    memory: HandleBytes,
    event: HandleBytes,
    /// The offset of the buffer's first byte from the start of the driver's allocation, in bytes.
    offset: u64,
    len: u64,
}

/// The first bytes of every handle.
const MAGIC: [u8; 8] = *b"gdf-ipc1";

impl IpcHandle {
    /// The number of bytes that [`to_bytes`](Self::to_bytes) returns.
    pub const BYTES: usize = 152;

    /// Converts the handle to bytes.
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let (offset, len) = (self.offset.to_le_bytes(), self.len.to_le_bytes());
        let parts: [&[u8]; 5] = [&MAGIC, &self.memory, &self.event, &offset, &len];
        for (byte, part) in bytes.iter_mut().zip(parts.into_iter().flatten()) {
            *byte = *part;
        }
        bytes
    }

    /// Parses the bytes of a handle.
    ///
    /// # Errors
    /// - [`InteropError::Malformed`](crate::InteropError::Malformed): the bytes do not come from
    ///   [`to_bytes`](Self::to_bytes).
    pub fn from_bytes(bytes: &[u8]) -> Result<IpcHandle> {
        let parsed = (|| {
            let (magic, rest) = bytes.split_first_chunk::<8>()?;
            let (memory, rest) = rest.split_first_chunk::<64>()?;
            let (event, rest) = rest.split_first_chunk::<64>()?;
            let (offset, rest) = rest.split_first_chunk::<8>()?;
            let (len, rest) = rest.split_first_chunk::<8>()?;
            let handle = IpcHandle {
                memory: *memory,
                event: *event,
                offset: u64::from_le_bytes(*offset),
                len: u64::from_le_bytes(*len),
            };
            (*magic == MAGIC && rest.is_empty()).then_some(handle)
        })();
        parsed.ok_or(malformed("the bytes are not an IPC handle; pass the bytes of `IpcHandle::to_bytes`"))
    }

    /// Opens the buffer in this process, on the device of `stream`. `stream` waits on the device for the writer of the
    /// buffer in the other process. After the last use of the buffer in this process, gdf closes the memory.
    ///
    /// # Safety
    /// - The handle is unchanged since [`SharedBuffer::handle`] of another process returned the handle.
    /// - The other process keeps the [`SharedBuffer`] until the result and everything that was made from the
    ///   result have been dropped.
    ///
    /// # Errors
    /// - [`Error::InvalidArgument`]: `stream` is a stream of the CPU.
    /// - [`Error::OutOfBounds`]: the buffer extends beyond the end of the allocation.
    /// - Driver errors, for example because the handle comes from this process, or because the other process has
    ///   ended.
    pub unsafe fn open(&self, stream: &Stream) -> Result<Buffer> {
        let _span = enter_span("IpcHandle::open", stream.device());
        let device = stream.device();
        if device.is_cpu() {
            return Err(Error::invalid_argument(
                "the stream belongs to the CPU; pass a stream of the GPU that owns the memory",
            )
            .into());
        }
        SharedEvent::open(device, self.event)?.wait_on(stream)?;
        let memory = OpenedMemory::open(device, self.memory)?;
        let address = memory.base().checked_add(self.offset).and_then(|address| usize::try_from(address).ok());
        let address =
            address.and_then(NonZero::new).ok_or(Error::index_out_of_bounds(Counted::Bytes, usize::MAX, 0))?;
        let len = usize::try_from(self.len).map_err(|_| Error::index_out_of_bounds(Counted::Bytes, usize::MAX, 0))?;
        if let Some(info) = PointerInfo::of(memory.base())? {
            let end = u128::from(self.offset) + u128::from(self.len);
            if end > info.range_bytes as u128 {
                return Err(
                    Error::range_out_of_bounds(Counted::Bytes, self.offset as usize, len, info.range_bytes).into()
                );
            }
        }
        let ptr = NonNull::with_exposed_provenance(address);
        // SAFETY: the range lies within an allocation of `device`, which `memory` keeps open. The caller promises
        // that the other process keeps its `SharedBuffer`. The `SharedBuffer` holds a second reference to the buffer,
        // so the other process does not write in place. `stream` has waited for the buffer's writer.
        Ok(unsafe { Buffer::from_foreign(device, ptr, len, Arc::new(memory), stream) })
    }
}

/// A buffer that another process may open. The value keeps the buffer's memory alive, and an event that is recorded
/// after the writer.
///
/// Keep the `SharedBuffer` until the other process has finished using the memory, because nothing else keeps the memory
/// alive. The driver shares whole allocations. If the buffer comes from a pool, the other process can therefore access
/// all memory of the pool that belongs to the same allocation.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// use gdf::{Device, Stream};
/// use gdf::interop::SharedBuffer;
/// use gdf::memory::Buffer;
///
/// let (stream, mr) = (Stream::cpu(), gdf::memory::current_resource(Device::Cpu)?);
/// let buffer = Buffer::from_host(b"columnar", &stream, mr.as_ref())?;
/// assert!(SharedBuffer::new(&buffer, &stream).is_err(), "for memory of GPUs");
/// # Ok::<(), gdf_interop::InteropError>(())
/// ```
#[derive(Debug)]
pub struct SharedBuffer {
    handle: IpcHandle,
    buffer: Buffer,
    _event: SharedEvent,
}

impl SharedBuffer {
    /// Shares a buffer on a GPU. `stream` must be a stream of the buffer's device. `stream` waits on the device for the
    /// buffer's writer. After that, an event is recorded on `stream`, and the other process waits for the event.
    ///
    /// # Errors
    /// - [`Error::InvalidArgument`]: the memory cannot be shared. Only memory of `CudaResource` can be shared, and
    ///   memory of pools over a `CudaResource`, such as the default resource. The driver would share memory of
    ///   `CudaAsyncResource` and `VirtualPoolResource` only through file descriptors, which gdf does not support. The
    ///   driver does not share managed memory, pinned memory and other kinds of foreign memory.
    /// - [`Error::DeviceMismatch`]: `stream` belongs to a different device than the buffer.
    /// - Driver errors.
    pub fn new(buffer: &Buffer, stream: &Stream) -> Result<SharedBuffer> {
        let _span = enter_span("SharedBuffer::new", stream.device());
        let device = buffer.device();
        if stream.device() != device {
            return Err(Error::device_mismatch(device, stream.device()).into());
        }
        let refused = Error::invalid_argument(
            "other processes cannot open this memory; use a buffer from a `CudaResource`, or from a pool over one",
        );
        if device.is_cpu() || buffer.is_empty() {
            return Err(refused.into());
        }
        // The other process keeps the address.
        buffer.expose()?;
        let access = buffer.read_on(stream)?;
        let address = access.address();
        let info = PointerInfo::of(address)?.filter(|info| info.kind == MemoryKind::Device && info.is_ipc_capable);
        let Some(info) = info else { return Err(refused.into()) };
        let memory = export_memory(device, info.range_start)?;
        let event = SharedEvent::record(stream)?;
        drop(access);
        let handle =
            IpcHandle { memory, event: event.handle()?, offset: address - info.range_start, len: buffer.len() as u64 };
        Ok(SharedBuffer { handle, buffer: buffer.clone(), _event: event })
    }

    /// Returns the handle with which the other process opens the buffer.
    pub fn handle(&self) -> &IpcHandle {
        &self.handle
    }

    /// Returns the shared buffer.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_bytes() {
        let handle = IpcHandle { memory: [7; 64], event: [9; 64], offset: 1 << 40, len: 12 };
        let bytes = handle.to_bytes();
        assert_eq!(IpcHandle::from_bytes(&bytes).unwrap(), handle);
        for wrong in [&bytes[..151], &bytes[1..], &[], &[bytes.as_slice(), &[0]].concat()] {
            assert!(IpcHandle::from_bytes(wrong).is_err());
        }
        // SAFETY: a stream of the CPU is refused before any memory is opened.
        assert!(unsafe { handle.open(&Stream::cpu()) }.is_err());
    }
}
