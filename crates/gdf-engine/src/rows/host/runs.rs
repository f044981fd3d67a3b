//! Copies text in runs of neighboring rows. The bytes of a run are adjacent in memory and are copied together.

use gdf_core::{Error, Result, physical_type};
use gdf_memory::Buffer;
use smallvec::SmallVec;

use super::{LeafValidity, RowBits};
use crate::Ctx;
use crate::host::{HostColumn, Offset, TextPart, for_each_task, memory_for_offsets, write_strings};

/// Consecutive rows of the result.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// The `len` input rows from `first` on.
    Rows { first: usize, len: usize },
    /// Null rows, which come from no input row.
    Null { len: usize },
}

/// The input rows of a result, divided into tasks that are independent of each other.
pub trait RowRuns: Sync {
    fn tasks(&self) -> usize;
    fn task_rows(&self, task: usize) -> usize;
    fn for_each_run(&self, task: usize, emit: impl FnMut(Run));
}

/// Copies the offsets and bytes of the rows of `runs`. Null rows are empty in the result, even if the input has bytes
/// for them.
///
/// # Errors
/// * [`OffsetOverflow`](Error::OffsetOverflow); [`InvalidData`](Error::InvalidData) if an offset lies beyond the
///   bytes.
pub fn copy_runs(
    column: &HostColumn<'_>,
    validity: Option<&LeafValidity<'_>>,
    runs: &impl RowRuns,
    rows: usize,
    ctx: Ctx<'_>,
) -> Result<SmallVec<[Buffer; 2]>> {
    if physical_type(column.view().data_type()).is_large() {
        copy_with::<i64>(column, validity, runs, rows, ctx)
    } else {
        copy_with::<i32>(column, validity, runs, rows, ctx)
    }
}

/// Returns the number of bytes that [`copy_runs`] would copy.
///
/// # Errors
/// * [`InvalidData`](Error::InvalidData) if an offset lies beyond the bytes.
pub fn bytes_of_runs(column: &HostColumn<'_>, validity: Option<&LeafValidity<'_>>, runs: &impl RowRuns) -> Result<u64> {
    fn sizes<O: Offset>(
        column: &HostColumn<'_>,
        validity: Option<&LeafValidity<'_>>,
        runs: &impl RowRuns,
    ) -> Result<Vec<usize>> {
        measure(&Text::<O> { offsets: column.offsets()?, bytes: column.chars()?, validity }, runs)
    }
    let large = physical_type(column.view().data_type()).is_large();
    let sizes = if large { sizes::<i64>(column, validity, runs)? } else { sizes::<i32>(column, validity, runs)? };
    Ok(sizes.iter().map(|size| *size as u64).sum())
}

fn copy_with<O: Offset>(
    column: &HostColumn<'_>,
    validity: Option<&LeafValidity<'_>>,
    runs: &impl RowRuns,
    rows: usize,
    ctx: Ctx<'_>,
) -> Result<SmallVec<[Buffer; 2]>> {
    let source = Text::<O> { offsets: column.offsets()?, bytes: column.chars()?, validity };
    let offsets = memory_for_offsets::<O>(rows, ctx)?;
    let sizes = measure(&source, runs)?;
    let task_rows = (0..runs.tasks()).map(|task| runs.task_rows(task));
    write_strings(offsets, &sizes, task_rows, ctx, |task, part| {
        let mut writer = Writer { position: part.start, part };
        let mut waiting = SmallVec::<[Run; TOGETHER]>::new();
        runs.for_each_run(task, |run| {
            source.for_each_valid_run(run, |run| {
                waiting.push(run);
                if waiting.len() == TOGETHER {
                    writer.write_all(&source, &waiting);
                    waiting.clear();
                }
            });
        });
        writer.write_all(&source, &waiting);
    })
}

fn measure<O: Offset>(source: &Text<'_, O>, runs: &impl RowRuns) -> Result<Vec<usize>> {
    let mut sizes = vec![Some(0_usize); runs.tasks()];
    for_each_task(sizes.iter_mut().collect(), |task, size| {
        runs.for_each_run(task, |run| {
            source.for_each_valid_run(run, |run| {
                let own = match run {
                    Run::Rows { first, len } => source.bytes_of(first, len).map(<[u8]>::len),
                    Run::Null { .. } => Some(0),
                };
                *size = size.zip(own).and_then(|(all, own)| all.checked_add(own));
            });
        });
    });
    let sizes = sizes.into_iter().collect::<Option<_>>();
    sizes.ok_or_else(|| {
        Error::invalid_data(
            "the offsets descend, or an offset points outside of the bytes of the column; validate the column",
        )
    })
}

struct Text<'a, O> {
    offsets: &'a [O],
    bytes: &'a [u8],
    validity: Option<&'a LeafValidity<'a>>,
}

impl<'a, O: Offset> Text<'a, O> {
    fn bytes_of(&self, first: usize, len: usize) -> Option<&'a [u8]> {
        let (begin, end) = (self.offsets.get(first)?, self.offsets.get(first + len)?);
        self.bytes.get(begin.position()..end.position())
    }

    /// Calls `emit` with the parts of the run in which all rows are valid or all rows are null. Parts of null rows
    /// become null runs.
    fn for_each_valid_run(&self, run: Run, mut emit: impl FnMut(Run)) {
        match (run, self.validity) {
            (Run::Rows { first, len }, Some(validity)) => {
                let mut at = first;
                while at < first + len {
                    let valid = validity.get(at);
                    let rows = (at..first + len).take_while(|&row| validity.get(row) == valid).count();
                    emit(if valid { Run::Rows { first: at, len: rows } } else { Run::Null { len: rows } });
                    at += rows;
                }
            }
            _ => emit(run),
        }
    }
}

/// The number of runs that are written together, so that their memory accesses overlap.
const TOGETHER: usize = 32;

struct Writer<'a, O> {
    part: TextPart<'a, O>,
    position: usize,
}

impl<O: Offset> Writer<'_, O> {
    fn write_all(&mut self, source: &Text<'_, O>, runs: &[Run]) {
        let first_byte = |run: &Run| match *run {
            Run::Rows { first, len } => source.bytes_of(first, len)?.first().copied(),
            Run::Null { .. } => None,
        };
        // These loads do not depend on each other, so that their cache misses overlap. Without these loads, each copy
        // below would wait for its own offsets and bytes.
        std::hint::black_box(runs.iter().filter_map(first_byte).fold(0, |all, byte| all ^ byte));
        runs.iter().for_each(|run| self.write(source, *run));
    }

    fn write(&mut self, source: &Text<'_, O>, run: Run) {
        let len = match run {
            Run::Rows { len, .. } | Run::Null { len } => len,
        };
        let len = len.min(self.part.ends.len());
        let (ends, rest) = std::mem::take(&mut self.part.ends).split_at_mut(len);
        self.part.ends = rest;
        let Run::Rows { first, len } = run else {
            ends.fill(O::new(self.position));
            return;
        };
        // `measure` has checked that the bytes are within bounds.
        let Some(bytes) = source.bytes_of(first, len) else { return };
        let at = self.position - self.part.start;
        if let Some(target) = self.part.bytes.get_mut(at..at + bytes.len()) {
            target.copy_from_slice(bytes);
        }
        let begin = source.offsets[first].position();
        for (end, from) in ends.iter_mut().zip(&source.offsets[first + 1..]) {
            *end = O::new(from.position().wrapping_sub(begin).wrapping_add(self.position));
        }
        self.position += bytes.len();
    }
}
