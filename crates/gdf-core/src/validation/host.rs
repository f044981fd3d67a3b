//! The checks of data on the CPU. Several threads check the chunks of a column at the same time.

use std::ops::Range;

use bytemuck::Pod;
use gdf_driver::Stream;

use super::{Check, Found, Node};
use crate::{ColumnView, DataRule, Error, Result, bitmask, map_indices};

/// Checks each column or child of `nodes`. All of them must be on the CPU. A task checks `task` rows. `task` is a
/// multiple of 64.
///
/// # Errors
/// - Driver and memory errors of reading.
pub fn look(nodes: &[Node<'_>], task: usize, stream: &Stream) -> Result<Vec<Found>> {
    nodes.iter().map(|node| look_at(node, task, stream)).collect()
}

fn look_at(node: &Node<'_>, task: usize, stream: &Stream) -> Result<Found> {
    let view = node.view;
    let validity = view.validity().map(|mask| mask.read_on(stream)).transpose()?;
    let mask = validity.as_ref().map(|access| access.as_slice::<u8>()).transpose()?;
    let counts = |mask: &[u8]| {
        let counts = map_chunks(view.len(), task, |rows| {
            bitmask::count_zeros_in_range(mask, view.offset() + rows.start, rows.len())
        });
        counts.into_iter().sum()
    };
    let nulls = mask.map_or(0, counts);
    let ends = matches!(node.check, Check::RunEnds { .. }).then(|| view.child(0)).transpose()?;
    let of = ends.unwrap_or(view);
    let accesses = of.buffers().iter().map(|buffer| buffer.read_on(stream)).collect::<Result<Vec<_>, _>>()?;
    let buffers = accesses.iter().map(|access| access.as_slice::<u8>()).collect::<Result<Vec<_>, _>>()?;
    let own = Own { view: of, buffers, mask, task };
    let fault = match node.check {
        Check::Nulls => None,
        _ if of.is_empty() => None,
        Check::Offsets { large: false, limit, text } => own.offsets::<i32>(limit, text)?,
        Check::Offsets { large: true, limit, text } => own.offsets::<i64>(limit, text)?,
        Check::ListViews { large: false, limit } => own.list_views::<i32>(limit)?,
        Check::ListViews { large: true, limit } => own.list_views::<i64>(limit)?,
        Check::Keys { width, signed, limit } => match (width, signed) {
            (1, true) => own.keys::<i8>(limit)?,
            (2, true) => own.keys::<i16>(limit)?,
            (4, true) => own.keys::<i32>(limit)?,
            (8, true) => own.keys::<i64>(limit)?,
            (1, false) => own.keys::<u8>(limit)?,
            (2, false) => own.keys::<u16>(limit)?,
            (4, false) => own.keys::<u32>(limit)?,
            _ => own.keys::<u64>(limit)?,
        },
        Check::Views { utf8 } => own.views(utf8)?,
        Check::TypeIds { ref ids, ref dense } => own.types(ids, dense)?,
        Check::RunEnds { width: 2, reach } => own.run_ends::<i16>(reach)?,
        Check::RunEnds { width: 4, reach } => own.run_ends::<i32>(reach)?,
        Check::RunEnds { reach, .. } => own.run_ends::<i64>(reach)?,
    };
    Ok(Found { nulls, fault })
}

type Fault = Option<(DataRule, usize)>;

/// Divides `0..len` into chunks of at most `task` rows, and runs `work(range)` for each chunk on all threads.
fn map_chunks<R: Send>(len: usize, task: usize, work: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
    match len.div_ceil(task) {
        0 => Vec::new(),
        1 => vec![work(0..len)],
        chunks => map_indices(chunks, &|index| work(index * task..((index + 1) * task).min(len))),
    }
}

/// Returns the first row for which `is_bad` returns true.
pub(super) fn first_row(rows: usize, task: usize, is_bad: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    map_chunks(rows, task, |mut rows| rows.find(|&row| is_bad(row))).into_iter().flatten().next()
}

/// The own buffers of a column. For run-end encoded columns, the own buffers of the run ends. The checks require at
/// least one row.
struct Own<'a> {
    view: ColumnView<'a>,
    buffers: Vec<&'a [u8]>,
    mask: Option<&'a [u8]>,
    task: usize,
}

impl Own<'_> {
    fn first_row(&self, rows: usize, is_bad: impl Fn(usize) -> bool + Sync) -> Option<usize> {
        first_row(rows, self.task, is_bad)
    }

    fn bytes(&self, buffer: usize) -> &[u8] {
        self.buffers.get(buffer).copied().unwrap_or(&[])
    }

    /// Returns the entries of a buffer that belong to the rows, and the `more` entries that follow.
    fn values<T: Pod>(&self, buffer: usize, more: usize) -> Result<&[T]> {
        let (first, rows) = (self.view.offset(), self.view.len() + more);
        let range = first * size_of::<T>()..(first + rows) * size_of::<T>();
        let found = self.bytes(buffer).len();
        let short = Error::buffer_too_small("values", range.end, found);
        let bytes = self.bytes(buffer).get(range).ok_or(short)?;
        bytemuck::try_cast_slice(bytes).map_err(|_| Error::buffer_misaligned("values", align_of::<T>()))
    }

    fn offsets<T: Pod + Into<i64> + PartialOrd + Sync>(&self, limit: usize, text: bool) -> Result<Fault> {
        let offsets = self.values::<T>(0, 1)?;
        let at = |entry: usize| usize::try_from(offsets[entry].into()).ok().filter(|&at| at <= limit);
        let range = |row: usize| Some(at(row)?..at(row + 1)?).filter(|range| range.start <= range.end);
        let bytes = if text { self.bytes(1) } else { &[] };
        let row_is_bad = |row: usize| {
            let text = range(row).and_then(|range| bytes.get(range));
            text.is_none_or(|text| std::str::from_utf8(text).is_err())
        };
        let begins_within = |row: usize| at(row).and_then(|at| bytes.get(at)).is_some_and(|byte| byte & 0xc0 == 0x80);
        // Checking many rows at once is much faster than checking each row.
        let fault_of = |mut rows: Range<usize>| {
            let entries = &offsets[rows.start..=rows.end];
            let descends = entries.iter().zip(&entries[1..]).fold(false, |any, (start, end)| any | (end < start));
            let Some((start, end)) = at(rows.start).zip(at(rows.end)).filter(|_| !descends) else {
                return rows.find(|&row| range(row).is_none()).map(|row| (DataRule::Offsets, row));
            };
            let is_text =
                |all: &[u8]| all.is_ascii() || (std::str::from_utf8(all).is_ok() && !rows.clone().any(begins_within));
            if !text || bytes.get(start..end).is_some_and(is_text) {
                return None;
            }
            rows.find(|&row| row_is_bad(row)).map(|row| (DataRule::Text, row))
        };
        let faults: Vec<Fault> = map_chunks(self.view.len(), self.task, fault_of);
        let mut faults = faults.into_iter().flatten();
        let Some(first) = faults.next() else { return Ok(None) };
        // Violations of rules on offsets are reported before violations of rules on text.
        let of_offsets = |fault: &(DataRule, usize)| fault.0 == DataRule::Offsets;
        Ok(Some(if of_offsets(&first) { first } else { faults.find(of_offsets).unwrap_or(first) }))
    }

    fn list_views<T: Pod + Into<i64> + Sync>(&self, limit: usize) -> Result<Fault> {
        let (offsets, sizes) = (self.values::<T>(0, 0)?, self.values::<T>(1, 0)?);
        let is_within = |row: usize| {
            let first = usize::try_from(offsets[row].into()).ok()?;
            let count = usize::try_from(sizes[row].into()).ok()?;
            first.checked_add(count).filter(|&end| end <= limit)
        };
        Ok(self.first_row(self.view.len(), |row| is_within(row).is_none()).map(|row| (DataRule::ListViews, row)))
    }

    fn keys<T: Pod + TryInto<usize> + Sync>(&self, limit: usize) -> Result<Fault> {
        let keys = self.values::<T>(0, 0)?;
        let is_valid = |row: usize| self.mask.is_none_or(|mask| bitmask::get_bit(mask, self.view.offset() + row));
        let is_bad = |row: usize| is_valid(row) && keys[row].try_into().ok().is_none_or(|key: usize| key >= limit);
        Ok(self.first_row(self.view.len(), is_bad).map(|row| (DataRule::Keys, row)))
    }

    /// Returns the bytes to which a view refers.
    fn viewed<'v>(&'v self, view: &'v [u8; 16]) -> Option<&'v [u8]> {
        let word = |at: usize| u32::from_le_bytes([view[at], view[at + 1], view[at + 2], view[at + 3]]) as usize;
        let size = word(0);
        if size <= 12 {
            let (text, rest) = view[4..].split_at(size);
            return rest.iter().all(|&byte| byte == 0).then_some(text);
        }
        let data = self.buffers.get(1..)?.get(word(8))?;
        let text = data.get(word(12)..word(12).checked_add(size)?)?;
        text.starts_with(&view[4..8]).then_some(text)
    }

    fn views(&self, utf8: bool) -> Result<Fault> {
        let views = self.values::<[u8; 16]>(0, 0)?;
        if let Some(row) = self.first_row(views.len(), |row| self.viewed(&views[row]).is_none()) {
            return Ok(Some((DataRule::Views, row)));
        }
        let is_bad = |row: usize| self.viewed(&views[row]).is_none_or(|text| std::str::from_utf8(text).is_err());
        Ok(if utf8 { self.first_row(views.len(), is_bad).map(|row| (DataRule::Text, row)) } else { None })
    }

    fn types(&self, ids: &[i8], dense: &[(i8, usize)]) -> Result<Fault> {
        let own = self.values::<i8>(0, 0)?;
        if let Some(row) = self.first_row(own.len(), |row| !ids.contains(&own[row])) {
            return Ok(Some((DataRule::TypeIds, row)));
        }
        if dense.is_empty() {
            return Ok(None);
        }
        let offsets = self.values::<i32>(1, 0)?;
        let is_bad = |row: usize| {
            let rows = dense.iter().find(|(id, _)| *id == own[row]).map_or(0, |&(_, rows)| rows);
            usize::try_from(offsets[row]).ok().is_none_or(|offset| offset >= rows)
        };
        Ok(self.first_row(own.len(), is_bad).map(|row| (DataRule::UnionOffsets, row)))
    }

    fn run_ends<T: Pod + Into<i64> + Sync>(&self, reach: usize) -> Result<Fault> {
        let ends = self.values::<T>(0, 0)?;
        let is_bad = |run: usize| {
            let end: i64 = ends[run].into();
            let before = if run == 0 { 0 } else { ends[run - 1].into() };
            end <= before || (run + 1 == ends.len() && usize::try_from(end).is_ok_and(|end| end < reach))
        };
        Ok(self.first_row(ends.len(), is_bad).map(|run| (DataRule::RunEnds, run)))
    }
}
