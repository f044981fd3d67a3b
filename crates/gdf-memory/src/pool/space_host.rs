//! The replacement of physical memory on the CPU. Parts of an in-memory file are mapped into a reserved range of
//! addresses.

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{MemoryError, Result};

#[derive(Debug, Default)]
struct Parts {
    made: usize,
    free: Vec<usize>,
}

#[derive(Debug)]
struct Backing {
    file: File,
    granule: usize,
    parts: Mutex<Parts>,
}

/// A part of the file.
#[derive(Debug)]
pub(super) struct FilePart {
    backing: Arc<Backing>,
    number: usize,
}

/// A reserved range of addresses of this process.
#[derive(Debug)]
pub(super) struct HostRange {
    base: NonNull<u8>,
    bytes: usize,
    backing: Arc<Backing>,
}

// SAFETY: the range owns its addresses, and only system calls of this type change the mappings. The type gives no
// access to the bytes, so a move to another thread is sound.
unsafe impl Send for HostRange {}
// SAFETY: `&HostRange` gives only the base address and system calls, which are thread-safe. The parts of the file are
// behind a mutex.
unsafe impl Sync for HostRange {}

fn out_of_memory(requested: usize) -> MemoryError {
    MemoryError::OutOfMemory { requested, free: None, resource: "virtual_pool" }
}

impl HostRange {
    pub(super) fn reserve(bytes: usize, granule: usize) -> Result<Self> {
        // SAFETY: the name is a C string with a static lifetime.
        let descriptor = unsafe { libc::memfd_create(c"gdf".as_ptr(), libc::MFD_CLOEXEC) };
        if descriptor < 0 {
            return Err(out_of_memory(bytes));
        }
        // SAFETY: the descriptor was opened above, and no other owner of the descriptor exists.
        let file = unsafe { File::from_raw_fd(descriptor) };
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: without `MAP_FIXED`, the system picks unused addresses, so the call replaces no existing mapping.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_NONE, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(out_of_memory(bytes));
        }
        let base = NonNull::new(base.cast::<u8>()).ok_or_else(|| out_of_memory(bytes))?;
        // The provenance is exposed, because blocks are later made from integer addresses.
        base.as_ptr().expose_provenance();
        let backing = Arc::new(Backing { file, granule, parts: Mutex::default() });
        Ok(Self { base, bytes, backing })
    }

    pub(super) fn base(&self) -> usize {
        self.base.as_ptr().addr()
    }

    pub(super) fn make(&self) -> Result<FilePart> {
        let Backing { file, granule, parts } = &*self.backing;
        let mut parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
        let number = match parts.free.pop() {
            Some(number) => number,
            None => {
                let bytes = (parts.made + 1) * granule;
                file.set_len(bytes as u64).map_err(|_| out_of_memory(*granule))?;
                parts.made += 1;
                parts.made - 1
            }
        };
        Ok(FilePart { backing: Arc::clone(&self.backing), number })
    }

    pub(super) fn map(&self, offset: usize, part: &FilePart) -> Result<()> {
        let (granule, at) = (self.backing.granule, part.number * self.backing.granule);
        let access = libc::PROT_READ | libc::PROT_WRITE;
        self.place(offset, access, libc::MAP_SHARED, part.backing.file.as_raw_fd(), at, granule)
    }

    pub(super) fn unmap(&self, offset: usize) -> Result<()> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        self.place(offset, libc::PROT_NONE, flags, -1, 0, self.backing.granule)
    }

    fn place(&self, offset: usize, access: i32, flags: i32, file: i32, at: usize, bytes: usize) -> Result<()> {
        if offset.checked_add(bytes).is_none_or(|end| end > self.bytes) {
            return Err(MemoryError::OutOfRange { offset, len: bytes, size: self.bytes });
        }
        let place = self.base.as_ptr().wrapping_add(offset).cast();
        // SAFETY: the check above keeps the place within the reserved range, so `MAP_FIXED` replaces only mappings of
        // the range.
        let mapped = unsafe { libc::mmap(place, bytes, access, flags | libc::MAP_FIXED, file, at as libc::off_t) };
        if mapped == libc::MAP_FAILED { Err(out_of_memory(bytes)) } else { Ok(()) }
    }
}

impl Drop for HostRange {
    fn drop(&mut self) {
        // SAFETY: `reserve` mapped the range with this size. The code that drops the space has waited for all users
        // of the memory, and no other code unmaps the range.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}

impl Drop for FilePart {
    fn drop(&mut self) {
        let Backing { file, granule, parts } = &*self.backing;
        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        let (at, bytes) = ((self.number * granule) as libc::off_t, *granule as libc::off_t);
        // SAFETY: the descriptor is open, because `backing` owns the file. The call changes only the content of the
        // part. Nothing reads the content before the part is used again.
        let emptied = unsafe { libc::fallocate(file.as_raw_fd(), mode, at, bytes) };
        if emptied == 0 {
            parts.lock().unwrap_or_else(PoisonError::into_inner).free.push(self.number);
        }
    }
}
