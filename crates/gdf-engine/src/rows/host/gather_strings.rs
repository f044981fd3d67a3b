//! Gathers text by row number. The lengths of the rows are first turned into offsets within a chunk. The bytes are then
//! copied.

use gdf_core::{Error, Result, physical_type};
use gdf_memory::Buffer;
use smallvec::SmallVec;

use super::row_map::RowMap;
use super::{LeafValidity, RowBits};
use crate::Ctx;
use crate::host::{HostColumn, Offset, map_chunks, memory_for_offsets, task_rows, write_strings};

/// The number of bytes that are copied at once.
const STEP: usize = 32;

/// Returns the offsets and bytes of the rows of the map.
///
/// # Errors
/// * [`OffsetOverflow`](Error::OffsetOverflow); [`InvalidData`](Error::InvalidData) if an offset lies beyond the
///   bytes.
pub(super) fn gather_strings(
    column: &HostColumn<'_>,
    hiding: Option<&LeafValidity<'_>>,
    map: &RowMap<'_>,
    ctx: Ctx<'_>,
) -> Result<SmallVec<[Buffer; 2]>> {
    let large = physical_type(column.view().data_type()).is_large();
    if large { gather::<i64>(column, hiding, map, ctx) } else { gather::<i32>(column, hiding, map, ctx) }
}

/// Calls `work(row, at)` for the result rows from `64 * word` on, at most `len` of them.
#[inline(always)]
fn for_each_row(
    map: &RowMap<'_>,
    hiding: Option<&LeafValidity<'_>>,
    word: usize,
    len: usize,
    mut work: impl FnMut(Option<usize>, usize),
) {
    let (rows, has) = map.word(word);
    if has == u64::MAX && hiding.is_none() {
        rows.iter().take(len).enumerate().for_each(|(at, row)| work(Some(*row), at));
        return;
    }
    for (at, row) in rows.into_iter().enumerate().take(len) {
        let valid = has >> at & 1 == 1 && hiding.is_none_or(|hiding| hiding.get(row));
        work(valid.then_some(row), at);
    }
}

fn gather<O: Offset>(
    column: &HostColumn<'_>,
    hiding: Option<&LeafValidity<'_>>,
    map: &RowMap<'_>,
    ctx: Ctx<'_>,
) -> Result<SmallVec<[Buffer; 2]>> {
    let (source, chars) = (column.offsets::<O>()?, column.chars()?);
    let task_rows = task_rows();
    let offsets = memory_for_offsets::<O>(map.len(), ctx)?;
    let sizes = map_chunks(map.len(), |rows| {
        let (mut total, mut outside) = (0_usize, false);
        for word in rows.clone().step_by(64) {
            for_each_row(map, hiding, word / 64, rows.end - word, |row, _| {
                if let Some(row) = row {
                    let (begin, end) = (source[row].position(), source[row + 1].position());
                    outside |= begin > end || end > chars.len();
                    total = total.wrapping_add(end.wrapping_sub(begin));
                }
            });
        }
        (!outside).then_some(total)
    });
    let sizes = sizes.into_iter().collect::<Option<Vec<usize>>>();
    let sizes = sizes.ok_or_else(|| {
        Error::invalid_data(
            "the offsets descend, or an offset points outside of the bytes of the column; validate the column",
        )
    })?;
    write_strings::<O>(offsets, &sizes, sizes.iter().map(|_| task_rows), ctx, |chunk, part| {
        let mut to = 0;
        for (word, ends) in part.ends.chunks_mut(64).enumerate() {
            for_each_row(map, hiding, chunk * (task_rows / 64) + word, ends.len(), |row, at| {
                if let Some(row) = row {
                    let (begin, end) = (source[row].position(), source[row + 1].position());
                    copy(chars, begin..end, part.bytes, to);
                    to += end - begin;
                }
                ends[at] = O::new(part.start + to);
            });
        }
    })
}

/// Copies a range of `from` to `to`, from position `at` on. The range must be within `from`. The function may also
/// write bytes after the row, because it copies blocks of fixed size. Rows are written in order, so that the next row
/// overwrites these bytes.
#[inline(always)]
fn copy(from: &[u8], range: std::ops::Range<usize>, to: &mut [u8], at: usize) {
    if range.len() <= STEP
        && let Some(from) = from.get(range.start..).and_then(|from| from.first_chunk::<STEP>())
        && let Some(to) = to.get_mut(at..).and_then(|to| to.first_chunk_mut::<STEP>())
    {
        *to = *from;
        return;
    }
    if let Some(to) = to.get_mut(at..at + range.len()) {
        to.copy_from_slice(&from[range]);
    }
}
