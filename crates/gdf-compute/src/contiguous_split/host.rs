//! Packing on the CPU: the copy tasks run on all threads.

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_engine::host::{for_each_task, split_mut};
use gdf_memory::{Access, AccessMut};

use super::plan::Task;

pub(super) fn copy(tasks: &[Task<'_>], target: AccessMut<'_>, stream: &Stream) -> Result<()> {
    let sources =
        tasks.iter().map(|task| Ok(task.segment.buffer.read_on(stream)?)).collect::<Result<Vec<Access<'_>>>>()?;
    let sources = sources.iter().map(|access| Ok(access.as_slice::<u8>()?)).collect::<Result<Vec<_>>>()?;
    let pieces = split_mut(target.into_mut_slice::<u8>()?, tasks.iter().map(|task| task.bytes + task.padding));
    let work: Vec<_> = tasks.iter().zip(sources).zip(pieces).collect();
    for_each_task(work, |_, ((task, source), piece)| {
        let segment = &source[task.segment.from..task.segment.from + task.segment.bytes];
        let (bytes, padding) = piece.split_at_mut(task.bytes);
        let own = &segment[task.skip..task.skip + task.bytes];
        match task.segment.width {
            4 => relative(segment, own, bytes, i32::from_ne_bytes, i32::wrapping_sub, i32::to_ne_bytes),
            8 => relative(segment, own, bytes, i64::from_ne_bytes, i64::wrapping_sub, i64::to_ne_bytes),
            _ => bytes.copy_from_slice(own),
        }
        padding.fill(0);
    });
    Ok(())
}

fn relative<T: Copy, const N: usize>(
    all: &[u8],
    own: &[u8],
    to: &mut [u8],
    read: impl Fn([u8; N]) -> T,
    less: impl Fn(T, T) -> T,
    write: impl Fn(T) -> [u8; N],
) {
    let Some(first) = all.first_chunk().map(|bytes| read(*bytes)) else { return };
    for (slot, offset) in to.as_chunks_mut().0.iter_mut().zip(own.as_chunks().0) {
        *slot = write(less(read(*offset), first));
    }
}
