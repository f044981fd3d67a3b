//! Pageable memory of the CPU.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::fmt;
use std::ptr::NonNull;

use gdf_driver::{Device, Stream};

use super::{check_alignment, dangling, refused};
use crate::allocation::release_on;
use crate::large_pages::{LARGE_BLOCK, LARGE_PAGE, ask_for_large_pages};
use crate::{MemoryResource, Properties, Result};

/// A resource that allocates CPU memory with the system's allocator. Large blocks use large pages, if the system has
/// large pages.
#[derive(Clone, Default)]
pub struct HostResource(());

impl fmt::Debug for HostResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostResource")
    }
}

/// The alignment of the layout that is passed to the allocator. Up to this alignment, the allocator returns zeroed
/// pages of the system without writing zeros.
const BASE_ALIGN: usize = 16;
const MAX_ALIGN: usize = 1 << 20;

impl HostResource {
    /// Makes a resource over the system's allocator.
    pub fn new() -> Self {
        Self(())
    }

    /// Returns the layout to allocate for a block of `bytes` bytes at `align`, and the alignment of the address that is
    /// returned to the caller. The layout has extra bytes for the alignment. The word before the aligned address stores
    /// the distance to the start of the layout.
    fn layout(bytes: usize, align: usize) -> Result<(Layout, usize)> {
        let align = align.max(if bytes >= LARGE_BLOCK { LARGE_PAGE } else { BASE_ALIGN });
        let size = bytes.checked_add(align).ok_or_else(|| refused(bytes, Device::Cpu, "host"))?;
        Ok((Layout::from_size_align(size, BASE_ALIGN).map_err(|_| refused(bytes, Device::Cpu, "host"))?, align))
    }

    fn take(bytes: usize, align: usize, allocator: unsafe fn(Layout) -> *mut u8) -> Result<NonNull<u8>> {
        check_alignment(align, MAX_ALIGN)?;
        if bytes == 0 {
            return Ok(dangling(align));
        }
        let (layout, align) = Self::layout(bytes, align)?;
        // SAFETY: the size of the layout is not zero, because `bytes` is not zero.
        let base = NonNull::new(unsafe { allocator(layout) });
        let base = base.ok_or_else(|| refused(bytes, Device::Cpu, "host"))?;
        let distance = align - base.as_ptr().addr() % align;
        // SAFETY: `distance` is at most `align`, and the block has `bytes + align` bytes.
        let ptr = unsafe { base.add(distance) };
        // SAFETY: `base` and `align` are multiples of 16, so `distance` is at least 16 and a multiple of 16. The word
        // before `ptr` therefore lies in the block and is aligned.
        unsafe { ptr.cast::<usize>().sub(1).write(distance) };
        // SAFETY: the block has room for `bytes` bytes from `ptr` on, no other reference to the bytes exists, and
        // `MaybeUninit<u8>` needs no initialization.
        ask_for_large_pages(unsafe { std::slice::from_raw_parts_mut(ptr.as_ptr().cast(), bytes) });
        Ok(ptr)
    }
}

// SAFETY: the system's allocator returns disjoint blocks, and `take` makes the blocks as large and aligned as
// requested. `release_on` frees a block only after the earlier work of the stream. `alloc_zeroed` returns zeroed
// blocks.
unsafe impl MemoryResource for HostResource {
    fn allocate(&self, bytes: usize, align: usize, _stream: &Stream) -> Result<NonNull<u8>> {
        Self::take(bytes, align, alloc)
    }

    fn allocate_zeroed(&self, bytes: usize, align: usize, _stream: &Stream) -> Result<NonNull<u8>> {
        Self::take(bytes, align, alloc_zeroed)
    }

    unsafe fn deallocate(&self, ptr: NonNull<u8>, bytes: usize, align: usize, stream: &Stream) {
        if bytes == 0 {
            return;
        }
        let Ok((layout, _)) = Self::layout(bytes, align) else { return };
        let block = HostBlock { ptr, layout };
        release_on(stream, move || block.free());
    }

    fn allocate_sync(&self, bytes: usize, align: usize) -> Result<NonNull<u8>> {
        Self::take(bytes, align, alloc)
    }

    unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, align: usize) {
        if bytes > 0
            && let Ok((layout, _)) = Self::layout(bytes, align)
        {
            HostBlock { ptr, layout }.free();
        }
    }

    fn properties(&self) -> Properties {
        Properties { device_accessible: true, host_accessible: true }
    }

    fn device(&self) -> Device {
        Device::Cpu
    }

    fn is_equal(&self, other: &dyn MemoryResource) -> bool {
        other.name() == self.name()
    }

    fn name(&self) -> &'static str {
        "host"
    }
}

struct HostBlock {
    ptr: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the block is owned by this value alone, and the system's allocator frees blocks on any thread.
unsafe impl Send for HostBlock {}

impl HostBlock {
    fn free(self) {
        // SAFETY: `take` wrote the distance to the word before the aligned address.
        let distance = unsafe { self.ptr.cast::<usize>().sub(1).read() };
        // SAFETY: `take` added the same distance to the start of the block.
        let base = unsafe { self.ptr.sub(distance) };
        // SAFETY: `take` allocated the block at `base` from the system's allocator with this layout. `deallocate` is
        // called once per block, after the last use.
        unsafe { dealloc(base.as_ptr(), self.layout) };
    }
}
