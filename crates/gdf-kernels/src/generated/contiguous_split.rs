//! Kernels of kernels/contiguous_split.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

/// A range of bytes to copy, followed by zeros.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Task<'a> {
    pub source: In<'a, u8>,
    /// offsets: the offset that is subtracted from all offsets
    pub base: In<'a, u8>,
    /// position in the packed memory, a multiple of 64
    pub target: i64,
    pub bytes: Bytes,
    /// width of offsets, which divides their addresses; 0 for other bytes
    pub width: i32,
    /// the number of zero bytes after the copy, less than 64
    pub padding: i32,
}

plain!(Task { source, base, target, bytes, width, padding });

const _: () = assert!(size_of::<Task>() == 40 && align_of::<Task>() == 8);

pub(super) const KERNELS: &[KernelInfo] =
    &[KernelInfo { symbol: "copy_segments_kernel", unit: 0, policy: Policy::new(256, 4, 4) }];

/// Executes `count` tasks. The target ranges of the tasks in `target` are disjoint, and the address of `target` is a
/// multiple of 64.
#[derive(Clone, Copy, Debug)]
pub struct CopySegments<'a> {
    pub tasks: In<'a, Task<'a>>,
    pub count: i64,
    pub target: Out<'a, u8>,
}

arguments!(CopySegments { tasks, count, target });

impl OneKernel for CopySegments<'static> {
    const ID: KernelId = KernelId::new(image::CONTIGUOUS_SPLIT, 0);
}
