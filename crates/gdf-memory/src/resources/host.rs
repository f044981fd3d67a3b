//! Pageable memory of the CPU.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::fmt;
use std::ptr::NonNull;

use gdf_driver::{Device, Stream};

use super::{check_alignment, dangling, refused};
use crate::allocation::release_on;
use crate::large_pages::{LARGE_BLOCK, LARGE_PAGE, ask_for_large_pages};
use crate::{MemoryResource, Properties, Result};

/// Memory of the system's allocator, for the CPU. Large blocks ask for large pages.
#[derive(Clone, Default)]
pub struct HostResource(());

impl fmt::Debug for HostResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostResource")
    }
}

/// What the block itself is aligned to; the system's zeroed pages come cheap only up to its natural alignment.
const BASE_ALIGN: usize = 16;
const MAX_ALIGN: usize = 1 << 20;

impl HostResource {
    /// Memory of the system's allocator.
    pub fn new() -> Self {
        Self(())
    }

    /// The block behind `bytes` at `align`: room for the alignment and, before the aligned address, the distance to
    /// the block's start. Also the alignment that the address gets.
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
        // SAFETY: the layout's size is not zero.
        let base = NonNull::new(unsafe { allocator(layout) });
        let base = base.ok_or_else(|| refused(bytes, Device::Cpu, "host"))?;
        let distance = align - base.as_ptr().addr() % align;
        // SAFETY: 16 <= distance <= align, and the block is `bytes + align` long.
        let ptr = unsafe { base.add(distance) };
        // SAFETY: the eight bytes before `ptr` lie in the block (distance >= 16) and are aligned to 8.
        unsafe { ptr.cast::<usize>().sub(1).write(distance) };
        // SAFETY: behind `ptr` the block has room for `bytes`, which nobody else knows of yet.
        ask_for_large_pages(unsafe { std::slice::from_raw_parts_mut(ptr.as_ptr().cast(), bytes) });
        Ok(ptr)
    }
}

// SAFETY: blocks come from the system's allocator, disjoint, as large and aligned as asked; they go back once the
// stream's work until then is done (`release_on`).
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

// SAFETY: the block is owned memory on its way back to the allocator.
unsafe impl Send for HostBlock {}

impl HostBlock {
    fn free(self) {
        // SAFETY: `take` wrote the distance right before the aligned address.
        let distance = unsafe { self.ptr.cast::<usize>().sub(1).read() };
        // SAFETY: `take` added the distance to the start of the same block.
        let base = unsafe { self.ptr.sub(distance) };
        // SAFETY: the block came from the system's allocator with this layout.
        unsafe { dealloc(base.as_ptr(), self.layout) };
    }
}
