//! `std::io` over buffers on the CPU or on a GPU: `BufferReader` reads bytes, and `BufferWriter` writes bytes.

use std::io::{self, BufRead, Read, Seek, SeekFrom, Write};

use gdf_driver::Stream;

use crate::{Buffer, DeviceVec, MemoryError, ResourceRef, Result};

/// The number of bytes of one transfer between the CPU and a GPU. The number is the size of two staging chunks.
const CHUNK: usize = 4 << 20;

/// Reads the bytes of a buffer. If the buffer is on a GPU, the reader fetches chunks of 4 MiB and waits for each chunk.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use std::io::{Read, Seek, SeekFrom};
/// use gdf::Stream;
/// use gdf::memory::{Buffer, BufferReader, HostResource, Resource};
///
/// let (stream, resource) = (Stream::cpu(), Resource::new(HostResource::new()));
/// let mut reader = BufferReader::new(Buffer::from_host(b"columnar", &stream, resource.as_ref())?, &stream);
/// let mut text = String::new();
/// reader.seek(SeekFrom::End(-2)).unwrap();
/// reader.read_to_string(&mut text).unwrap();
/// assert_eq!(text, "ar");
/// # Ok::<(), gdf_memory::MemoryError>(())
/// ```
#[derive(Debug)]
pub struct BufferReader {
    buffer: Buffer,
    stream: Stream,
    position: u64,
    /// The fetched bytes. The first fetched byte is byte `fetched_at` of the buffer.
    fetched: Vec<u8>,
    fetched_at: u64,
}

impl BufferReader {
    /// Makes a reader that starts at the first byte. `stream` must belong to the device of the buffer. If the CPU can
    /// access the memory, `stream` may also be a CPU stream.
    pub fn new(buffer: Buffer, stream: &Stream) -> Self {
        Self { buffer, stream: stream.clone(), position: 0, fetched: Vec::new(), fetched_at: 0 }
    }

    /// Returns the buffer.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Returns the bytes from the position to the end, as a slice of the buffer. The slice shares the memory of the
    /// buffer. The position does not change.
    ///
    /// # Errors
    /// Never occur, because the start of the slice is limited to the length of the buffer.
    pub fn rest(&self) -> Result<Buffer> {
        let start = self.start();
        self.buffer.slice(start, self.buffer.len() - start)
    }

    fn start(&self) -> usize {
        usize::try_from(self.position).unwrap_or(usize::MAX).min(self.buffer.len())
    }
}

impl BufRead for BufferReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let start = self.start();
        let within = |at: u64, len: usize| self.position >= at && self.position - at < len as u64;
        if !within(self.fetched_at, self.fetched.len()) {
            let len = CHUNK.min(self.buffer.len() - start);
            self.fetched.clear();
            self.fetched_at = start as u64;
            if len > 0 {
                let chunk = self.buffer.slice(start, len).map_err(io_error)?;
                self.fetched.try_reserve_exact(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
                self.fetched.resize(len, 0);
                if let Err(error) = chunk.read_into(&mut self.fetched, &self.stream) {
                    self.fetched.clear();
                    return Err(io_error(error));
                }
            }
        }
        let from = start - self.fetched_at as usize;
        Ok(self.fetched.get(from..).unwrap_or_default())
    }

    fn consume(&mut self, amount: usize) {
        self.position = self.position.saturating_add(amount as u64);
    }
}

impl Read for BufferReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let start = self.start();
        let fetched = self.position.checked_sub(self.fetched_at).is_some_and(|at| at < self.fetched.len() as u64);
        if !fetched && (self.stream.device().is_cpu() || into.len() >= CHUNK) {
            // The bytes are copied directly to the caller's slice. The vector `fetched` is not used.
            let len = into.len().min(self.buffer.len() - start);
            let chunk = self.buffer.slice(start, len).map_err(io_error)?;
            chunk.read_into(&mut into[..len], &self.stream).map_err(io_error)?;
            self.consume(len);
            return Ok(len);
        }
        let available = self.fill_buf()?;
        let len = available.len().min(into.len());
        into[..len].copy_from_slice(&available[..len]);
        self.consume(len);
        Ok(len)
    }
}

impl Seek for BufferReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.position = moved(self.position, self.buffer.len(), to)?;
        Ok(self.position)
    }
}

/// Writes bytes to memory of a resource. The writer collects the bytes on the CPU. The writer transfers the bytes when
/// 4 MiB are collected, and at [`flush`](Write::flush).
///
/// A growing writer allocates more memory as needed. A writer over a given buffer accepts no bytes after the end of the
/// buffer. The standard library's writer over a slice does the same.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use std::io::Write;
/// use gdf::Stream;
/// use gdf::memory::{BufferWriter, HostResource, Resource};
///
/// let (stream, resource) = (Stream::cpu(), Resource::new(HostResource::new()));
/// let mut writer = BufferWriter::growing(&stream, resource.as_ref())?;
/// write!(writer, "{} rows", 3).unwrap();
/// assert_eq!(writer.into_buffer()?.to_host(&stream)?, b"3 rows");
/// # Ok::<(), gdf_memory::MemoryError>(())
/// ```
#[derive(Debug)]
pub struct BufferWriter<'r> {
    target: Target<'r>,
    stream: Stream,
    /// The offset of the next byte to write.
    position: u64,
    /// Bytes that have not been transferred. The last of these bytes belongs directly before `position`.
    pending: Vec<u8>,
}

#[derive(Debug)]
enum Target<'r> {
    Growing { bytes: DeviceVec<u8>, mr: ResourceRef<'r> },
    Fixed(Buffer),
}

impl<'r> BufferWriter<'r> {
    /// Makes a writer that allocates memory of `mr` as needed.
    ///
    /// # Errors
    /// The errors of [`Buffer::uninitialized`].
    pub fn growing(stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        let mr = mr.into();
        let bytes = DeviceVec::uninitialized(0, stream, mr)?;
        Ok(Self::over(Target::Growing { bytes, mr }, stream))
    }

    /// Makes a writer over the bytes of `buffer`. The writer starts at the first byte. Bytes that are not written keep
    /// their values.
    pub fn fixed(buffer: Buffer, stream: &Stream) -> BufferWriter<'static> {
        BufferWriter::over(Target::Fixed(buffer), stream)
    }

    fn over(target: Target<'r>, stream: &Stream) -> Self {
        Self { target, stream: stream.clone(), position: 0, pending: Vec::new() }
    }

    /// Returns the length in bytes.
    fn len(&self) -> usize {
        match &self.target {
            Target::Growing { bytes, .. } if self.pending.is_empty() => bytes.len(),
            Target::Growing { bytes, .. } => bytes.len().max(usize::try_from(self.position).unwrap_or(usize::MAX)),
            Target::Fixed(buffer) => buffer.len(),
        }
    }

    fn send(&mut self) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let size = self.len();
        let end = usize::try_from(self.position).unwrap_or(usize::MAX);
        let start = end - self.pending.len();
        match &mut self.target {
            Target::Growing { bytes, mr } => {
                if end > bytes.len() {
                    let capacity = bytes.capacity();
                    if end > capacity {
                        bytes.reserve(end.max(capacity.saturating_mul(2)), &self.stream, *mr)?;
                    }
                    bytes.resize_zeroed(end, &self.stream, *mr)?;
                }
                bytes.write_from(start, &self.pending, &self.stream)?;
            }
            Target::Fixed(buffer) if end <= size => buffer.write_from(start, &self.pending, &self.stream)?,
            Target::Fixed(_) => return Err(MemoryError::OutOfRange { offset: start, len: self.pending.len(), size }),
        }
        self.pending.clear();
        Ok(())
    }

    /// Returns the written bytes as a buffer. The writer of the buffer is the stream of this `BufferWriter`.
    ///
    /// # Errors
    /// The errors of the last transfer.
    pub fn into_buffer(mut self) -> Result<Buffer> {
        self.send()?;
        Ok(match self.target {
            Target::Growing { bytes, .. } => bytes.into_buffer(),
            Target::Fixed(buffer) => buffer,
        })
    }
}

impl Write for BufferWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let capacity = match &self.target {
            Target::Growing { .. } => usize::MAX,
            Target::Fixed(buffer) => {
                buffer.len() - usize::try_from(self.position).unwrap_or(usize::MAX).min(buffer.len())
            }
        };
        let len = bytes.len().min(capacity).min(CHUNK);
        if len == 0 {
            return Ok(0);
        }
        if self.pending.len() + len > CHUNK {
            self.send().map_err(io_error)?;
        }
        self.pending.try_reserve(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.pending.extend_from_slice(&bytes[..len]);
        self.position += len as u64;
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.send().map_err(io_error)
    }
}

impl Seek for BufferWriter<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = moved(self.position, self.len(), to)?;
        self.send().map_err(io_error)?;
        self.position = position;
        Ok(position)
    }
}

fn moved(position: u64, len: usize, to: SeekFrom) -> io::Result<u64> {
    let moved = match to {
        SeekFrom::Start(at) => Some(at),
        SeekFrom::Current(by) => position.checked_add_signed(by),
        SeekFrom::End(by) => (len as u64).checked_add_signed(by),
    };
    moved.filter(|&at| at <= isize::MAX as u64).ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

fn io_error(error: MemoryError) -> io::Error {
    let kind = if error.is_out_of_memory() { io::ErrorKind::OutOfMemory } else { io::ErrorKind::Other };
    io::Error::new(kind, error)
}
