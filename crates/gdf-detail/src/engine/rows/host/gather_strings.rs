//! Text by row number: lengths become offsets within a chunk, then bytes are copied a fixed number
//! at a time where that many lie on both sides, since most texts are short and calling a copy takes longer than it does.

use gdf_core::{Error, Result};
use gdf_memory::Buffer;
use smallvec::SmallVec;

use super::row_map::RowMap;
use super::{LeafValidity, RowBits};
use crate::context::Ctx;
use crate::engine::rows::{RowKind, byte_len, check_offsets};
use crate::host::{HostColumn, Offset, for_each_task, split_mut, task_rows};

/// Bytes that are copied at once.
const STEP: usize = 32;

/// Offsets and bytes of the rows that the map names; rows that have none, or are null in `hiding`, are empty.
///
/// # Errors
/// * [`OffsetOverflow`](Error::OffsetOverflow), [`InvalidData`](Error::InvalidData) for offsets beyond the bytes.
pub(super) fn gather_strings(
    column: &HostColumn<'_>,
    hiding: Option<&LeafValidity<'_>>,
    large: bool,
    map: &RowMap<'_>,
    ctx: Ctx<'_>,
) -> Result<SmallVec<[Buffer; 2]>> {
    if large { gather::<i64>(column, hiding, large, map, ctx) } else { gather::<i32>(column, hiding, large, map, ctx) }
}

/// `work(row, at)` with the table's row, where there is one, for result rows `64 * word ..`, at most `len`.
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
    large: bool,
    map: &RowMap<'_>,
    ctx: Ctx<'_>,
) -> Result<SmallVec<[Buffer; 2]>> {
    let (source, chars) = (column.offsets::<O>()?, column.chars()?);
    let mut offsets =
        Buffer::uninitialized(byte_len(map.len() + 1, size_of::<O>(), ctx.mr)?, ctx.stream, ctx.mr.output)?;
    let Some((first, ends)) = offsets.write_on(ctx.stream)?.into_mut_slice::<O>()?.split_first_mut() else {
        return Err(Error::InvalidData { what: "offsets of no rows" });
    };
    *first = O::new(0);

    let rows = task_rows();
    let mut sizes = vec![Some(0_usize); map.len().div_ceil(rows)];
    for_each_task(ends.chunks_mut(rows).zip(&mut sizes).collect(), |chunk, (ends, size)| {
        let (mut total, mut outside) = (0_usize, false);
        for (word, ends) in ends.chunks_mut(64).enumerate() {
            for_each_row(map, hiding, chunk * (rows / 64) + word, ends.len(), |row, at| {
                if let Some(row) = row {
                    let (begin, end) = (source[row].position(), source[row + 1].position());
                    outside |= begin > end || end > chars.len();
                    total = total.wrapping_add(end.wrapping_sub(begin));
                }
                ends[at] = O::new(total);
            });
        }
        *size = (!outside).then_some(total);
    });
    let sizes = sizes.into_iter().collect::<Option<Vec<usize>>>();
    let sizes = sizes.ok_or(Error::InvalidData { what: "offsets outside of what they point into" })?;
    let total = sizes.iter().sum::<usize>();
    check_offsets(RowKind::Strings { large }, total as u64)?;

    let mut bytes = Buffer::uninitialized(total, ctx.stream, ctx.mr.output)?;
    let pieces = split_mut(bytes.write_on(ctx.stream)?.into_mut_slice::<u8>()?, sizes.iter().copied());
    let mut start = 0;
    let starts = sizes.iter().map(|size| {
        start += size;
        start - size
    });
    let tasks = ends.chunks_mut(rows).zip(pieces).zip(starts).collect();
    for_each_task(tasks, |chunk, ((ends, piece), start): ((&mut [O], &mut [u8]), usize)| {
        let mut to = 0;
        for (word, ends) in ends.chunks_mut(64).enumerate() {
            for_each_row(map, hiding, chunk * (rows / 64) + word, ends.len(), |row, at| {
                if let Some(row) = row {
                    let (begin, end) = (source[row].position(), source[row + 1].position());
                    copy(chars, begin..end, piece, to);
                    to += end - begin;
                }
                ends[at] = O::new(start + to);
            });
        }
    });
    Ok(SmallVec::from_iter([offsets, bytes]))
}

/// Copies a range of `from`, which has it, to `at` and on. Rows are written in order, so what is written beyond is
/// written over.
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
