//! `scatter` on CUDA to targets that are larger than the L2 cache.
//!
//! The target is divided into windows. Each source row is first copied to a list of its window. Then the rows are
//! written to the target, window by window, so that writes hit the cache.

use gdf_core::Result;
use gdf_kernels::generated::copying::{
    GatherChecks, SCATTER_WINDOWS_MAX_WINDOWS as MAX_WINDOWS, SCATTER_WINDOWS_PROGRESS_WORDS as PROGRESS_WORDS,
    ScatterWindowCount, ScatterWindowMove, ScatterWindowWrite, ScatterWindowsWindows,
};
use gdf_kernels::{ColumnIn, ColumnOut};
use gdf_memory::Buffer;

use super::Work;
use crate::cuda::{CudaColumn, Kernel, Memory, Out, Rows};
use crate::limits::cuda as limits;

/// A target of fewer bytes fits in the cache, so that no windows are needed.
const MIN_BYTES: usize = limits::SCATTER_WINDOWS_BYTES;
/// The size of a window in bytes.
const WINDOW_BYTES: usize = 8 << 20;
/// Windows are not used if the map has fewer elements than the number of target rows divided by `MIN_SHARE`.
const MIN_SHARE: usize = 8;

#[derive(Clone, Copy, Debug)]
pub(super) struct Plain<'a> {
    pub(super) source: ColumnIn<'a>,
    pub(super) target: ColumnIn<'a>,
    pub(super) out: ColumnOut<'a>,
    pub(super) width: i32,
}

/// The windows of a target of `rows` rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Windows {
    rows: usize,
    shift: u32,
}

impl Windows {
    /// Returns the windows.
    pub(super) fn new(rows: usize, elements: usize, width: usize) -> Option<Self> {
        let pays = rows.saturating_mul(width) >= MIN_BYTES && elements >= rows / MIN_SHARE;
        if !pays || u32::try_from(rows).is_err() {
            return None;
        }
        let mut shift = (WINDOW_BYTES / width).ilog2();
        while rows.div_ceil(1 << shift) > MAX_WINDOWS {
            shift += 1;
        }
        Some(Self { rows, shift })
    }

    fn count(self) -> usize {
        self.rows.div_ceil(1 << self.shift)
    }

    /// Copies the targets of all columns, and writes the source rows.
    pub(super) fn write(self, work: &Work<'_, '_>, columns: &[Plain<'_>], mailbox: Out<'_, u64>) -> Result<()> {
        let (map, ctx) = (work.scatter.map, work.ctx);
        let column = CudaColumn::open(map, ctx.stream)?;
        let widest = columns.iter().map(|column| column.width as usize).max().unwrap_or(0);
        let values = (map.len() * widest).next_multiple_of(16);
        let progress = values + (map.len() * 4).next_multiple_of(16);
        let bytes = progress + columns.len() * PROGRESS_WORDS * 8;
        let mut buffer = Buffer::uninitialized(bytes, ctx.stream, ctx.mr.temporary)?;
        let access = buffer.write_on(ctx.stream)?;
        let memory = Memory::of(&access);
        let windows = ScatterWindowsWindows {
            rows: memory.array(values, map.len())?,
            values: memory.rows(map.len(), widest)?,
            progress: memory.array(progress, columns.len() * PROGRESS_WORDS)?,
            target: self.rows as i64,
            shift: self.shift as i32,
            count: self.count() as i32,
        };
        let counting = Kernel::find(ctx.stream)?;
        let moving = Kernel::find(ctx.stream)?;
        let writing = Kernel::find(ctx.stream)?;
        let (rows, copies) = (Rows::new(self.rows), columns.len() as i32);
        let check = if mailbox.is_null() { GatherChecks::Null } else { GatherChecks::Report } as i32;
        let map_in = column.desc();
        let arguments = ScatterWindowCount { map: map_in, rows, check, windows, copies, mailbox };
        work.run(&counting, counting.blocks(map.len()), 1, &arguments)?;
        for (index, plain) in columns.iter().enumerate() {
            let Plain { source, target, out, width } = *plain;
            let windows =
                ScatterWindowsWindows { progress: windows.progress.element(index * PROGRESS_WORDS), ..windows };
            let to_windows = ScatterWindowMove { map: map_in, rows, source, width, windows };
            let written = ScatterWindowWrite { windows, width, target, out };
            work.run(&moving, moving.blocks(map.len()), 1, &to_windows)?;
            work.run(&writing, writing.blocks(map.len()), 1, &written)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_fit_the_cache_and_are_few() {
        assert_eq!(Windows::new(1 << 20, 1 << 20, 8), None);
        assert_eq!(Windows::new(12 << 20, 1 << 20, 8), None, "few elements");
        let shift =
            |rows: usize, width| Windows::new(rows, rows, width).map(|windows| (windows.shift, windows.count()));
        assert_eq!(shift(12 << 20, 8), Some((20, 12)));
        assert_eq!(shift(100_000_000, 8), Some((20, 96)));
        assert_eq!(shift(200_000_000, 1), Some((23, 24)));
        assert_eq!(shift(1_000_000_000, 8), Some((23, 120)));
        assert_eq!(shift(5_000_000_000, 1), None, "row numbers have 32 bits");
    }
}
