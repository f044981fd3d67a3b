//! The CUDA half: one launch for all buffers.

use gdf_core::{Error, Result};
use gdf_engine::cuda::{Bytes, In, Kernel, Listed, Out};
use gdf_kernels::generated::contiguous_split::{CopySegments, Task as CopyTask};
use gdf_memory::{Access, AccessMut};

use super::plan::Task;
use crate::Ctx;

/// Does the tasks, which cover `target` from byte `first` of the packed buffer on.
pub(super) fn copy(tasks: &[Task<'_>], first: usize, target: &AccessMut<'_>, ctx: Ctx<'_>) -> Result<()> {
    if tasks.is_empty() {
        return Ok(());
    }
    // Long buffers have many tasks, which share an access.
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
    // SAFETY: there are as many tasks as are said. Each reads bytes of a buffer whose access is held, as many as it has
    // (checked above), offsets at multiples of their width, since buffers of offsets are aligned so; each writes bytes of
    // `target` that no other one does, from a multiple of 64 on, with less than 64 zeros behind them.
    unsafe { kernel.launch(ctx.stream, blocks, 1, &arguments)? };
    Ok(())
}
