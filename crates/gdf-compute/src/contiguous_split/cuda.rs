//! Packing on CUDA: one launch copies all buffers.

use gdf_core::{Error, Result};
use gdf_engine::cuda::{Bytes, In, Kernel, Listed, Out};
use gdf_kernels::generated::contiguous_split::{CopySegments, Task as CopyTask};
use gdf_memory::{Access, AccessMut};

use super::plan::Task;
use crate::Ctx;

/// Executes the copy tasks.
pub(super) fn copy(tasks: &[Task<'_>], first: usize, target: &AccessMut<'_>, ctx: Ctx<'_>) -> Result<()> {
    if tasks.is_empty() {
        return Ok(());
    }
    let of_one_buffer = |a: &Task<'_>, b: &Task<'_>| std::ptr::eq(a.segment.buffer, b.segment.buffer);
    let accesses = tasks.chunk_by(of_one_buffer).map(|tasks| Ok((tasks, tasks[0].segment.buffer.read_on(ctx.stream)?)));
    let accesses = accesses.collect::<Result<Vec<(&[Task<'_>], Access<'_>)>>>()?;
    let mut list = Vec::with_capacity(tasks.len());
    for (access, task) in accesses.iter().flat_map(|(tasks, access)| tasks.iter().map(move |task| (access, task))) {
        let segment = task.segment;
        let (source, end) = (In::<u8>::of(access), task.to() - first + task.bytes + task.padding);
        if segment.from + segment.bytes > access.len() || end > target.len() {
            return Err(Error::buffer_too_small("data", end, target.len()));
        }
        list.push(CopyTask {
            source: source.at(segment.from + task.skip),
            base: source.at(segment.from),
            target: (task.to() - first) as i64,
            bytes: Bytes::new(task.bytes),
            width: segment.width as i32,
            padding: task.padding as i32,
        });
    }
    let list = Listed::new(&list, ctx.stream, ctx.mr.temporary)?;
    let list = list.read_on(ctx.stream)?;
    let kernel = Kernel::find(ctx.stream)?;
    let arguments = CopySegments { tasks: list.first(), count: tasks.len() as i64, target: Out::of(target) };
    let blocks = tasks.len().min(1 << 30) as u32;
    // SAFETY: the list has `count` tasks. Each task reads bytes of a buffer whose access is held, and the bytes lie
    // within the buffer, as was checked above. Offsets are read at multiples of their width, because buffers of
    // offsets are aligned to the width. Each task writes bytes of `target` that no other task writes. The bytes begin
    // at a multiple of 64 and are followed by less than 64 zeros, which lie within `target`, as was checked above.
    unsafe { kernel.launch(ctx.stream, blocks, 1, &arguments)? };
    Ok(())
}
