//! The CPU's stand-in for physical memory and addresses apart: parts of a file in memory, mapped into a reserved range.

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{MemoryError, Result};

/// Parts of the file: how many there are, and which are free.
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

/// A part of the file, which holds zeros when it is made. It goes back when dropped.
#[derive(Debug)]
pub(super) struct FilePart {
    backing: Arc<Backing>,
    number: usize,
}

/// Reserved addresses of this process; unmapped when dropped.
#[derive(Debug)]
pub(super) struct HostRange {
    base: NonNull<u8>,
    bytes: usize,
    backing: Arc<Backing>,
}

// SAFETY: the addresses are this range's alone, and what is mapped there is changed by system calls only.
unsafe impl Send for HostRange {}
// SAFETY: as above; all state is behind a mutex.
unsafe impl Sync for HostRange {}

fn out_of_memory(requested: usize) -> MemoryError {
    MemoryError::OutOfMemory { requested, free: None, resource: "virtual_pool" }
}

impl HostRange {
    pub(super) fn reserve(bytes: usize, granule: usize) -> Result<Self> {
        // SAFETY: the name is a C string; child processes do not inherit the descriptor.
        let descriptor = unsafe { libc::memfd_create(c"gdf".as_ptr(), libc::MFD_CLOEXEC) };
        if descriptor < 0 {
            return Err(out_of_memory(bytes));
        }
        // SAFETY: the descriptor was opened just above and belongs to nobody else.
        let file = unsafe { File::from_raw_fd(descriptor) };
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: the system chooses the place; nothing of ours is touched.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_NONE, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(out_of_memory(bytes));
        }
        let base = NonNull::new(base.cast::<u8>()).ok_or_else(|| out_of_memory(bytes))?;
        // Blocks are found by their addresses later.
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
        // SAFETY: the place lies in the range that was reserved, so what is replaced is the range's own.
        let mapped = unsafe { libc::mmap(place, bytes, access, flags | libc::MAP_FIXED, file, at as libc::off_t) };
        if mapped == libc::MAP_FAILED { Err(out_of_memory(bytes)) } else { Ok(()) }
    }
}

impl Drop for HostRange {
    fn drop(&mut self) {
        // SAFETY: the range was reserved with this size; its last user has waited for all users of the memory.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}

impl Drop for FilePart {
    fn drop(&mut self) {
        let Backing { file, granule, parts } = &*self.backing;
        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        let (at, bytes) = ((self.number * granule) as libc::off_t, *granule as libc::off_t);
        // SAFETY: the descriptor is open; the call changes the file's content only, which nobody looks at.
        let emptied = unsafe { libc::fallocate(file.as_raw_fd(), mode, at, bytes) };
        if emptied == 0 {
            parts.lock().unwrap_or_else(PoisonError::into_inner).free.push(self.number);
        }
    }
}
