//! `concatenate` on the CPU. Bytes are copied in parts that are so small that all threads have work.

use std::ops::Range;

use gdf_core::{Column, ColumnView, Error, FixedSizeListsView, ListsView, NullCount, Result, TableView};
use gdf_memory::{Access, Buffer};
use smallvec::SmallVec;

use super::join_columns;
use super::plan::{Join, hides_bytes};
use crate::Ctx;
use crate::host::{
    Bits, HostColumn, HostMask, Offset, for_each_chunk, for_each_task, mask_from_words, memory_for_offsets, split_mut,
    task_rows,
};
use crate::layout::{OutputBuffers, RowKind, byte_len, check_offsets};
use crate::limits::HostLimits;
use crate::rows::host::{LeafValidity, RowRuns, Run, bytes_of_runs, copy_runs, open_leaves, values_buffer};
use crate::rows::{AffineRows, ListLeaf, copy_affine, rows_times};

pub(super) fn concatenate(join: &Join<'_, '_>, ctx: Ctx<'_>) -> Result<Vec<OutputBuffers>> {
    let pieces = join.plans().iter().map(|plan| open_leaves(plan, ctx.stream)).collect::<Result<Vec<_>>>()?;
    (0..join.leaves()).try_for_each(|leaf| check_size(join, &pieces, leaf))?;
    (0..join.leaves()).map(|leaf| join_leaf(join, &pieces, leaf, ctx)).collect()
}

fn join_leaf(join: &Join<'_, '_>, pieces: &[Vec<HostColumn<'_>>], leaf: usize, ctx: Ctx<'_>) -> Result<OutputBuffers> {
    let rows = join.rows();
    let mask = if join.nullable(leaf) {
        let mut bits = JoinedBits { join, pieces: Vec::with_capacity(pieces.len()) };
        for piece in pieces {
            let mut masks = SmallVec::new();
            for at in join.with_parents(leaf) {
                masks.extend(piece[at].validity()?);
            }
            bits.pieces.push(masks);
        }
        HostMask::from_words(rows, ctx.stream, ctx.mr.output, |word| bits.word(word))?
    } else {
        HostMask::none()
    };
    let buffers = match join.leaf(leaf).kind {
        RowKind::Bits => {
            let mut bits = JoinedBits { join, pieces: Vec::with_capacity(pieces.len()) };
            for piece in pieces {
                bits.pieces.push(SmallVec::from_iter([piece[leaf].bits()?]));
            }
            let (values, _) = mask_from_words(rows, ctx.stream, ctx.mr.output, |word| bits.word(word))?;
            SmallVec::from_iter([values.slice(0, rows.div_ceil(8))?])
        }
        RowKind::Bytes(width) => {
            let sources = pieces.iter().map(|piece| piece[leaf].row_bytes(width)).collect::<Result<Vec<_>>>()?;
            let mut buffer = values_buffer(rows, width, ctx)?;
            copy_all(join, buffer.write_on(ctx.stream)?.into_mut_slice()?, &sources);
            SmallVec::from_iter([buffer])
        }
        RowKind::Strings { large: true } => join_strings::<i64>(join, pieces, leaf, ctx)?,
        RowKind::Strings { large: false } => join_strings::<i32>(join, pieces, leaf, ctx)?,
        RowKind::Validity | RowKind::Null => SmallVec::new(),
    };
    let mut output =
        OutputBuffers { buffers, validity: mask.validity, null_count: NullCount::Known(mask.nulls), elements: None };
    match join.leaf(leaf).lists {
        None => {}
        Some(ListLeaf::Offsets { large: false }) => join_lists::<i32>(join, pieces, leaf, &mut output, ctx)?,
        Some(ListLeaf::Offsets { large: true }) => join_lists::<i64>(join, pieces, leaf, &mut output, ctx)?,
        Some(ListLeaf::Fixed(_)) => {
            let elements = join.pieces(leaf).map(|piece| FixedSizeListsView::try_from(piece.view)?.sliced_child());
            output.elements = Some(join_elements(&elements.collect::<Result<Vec<_>>>()?, ctx)?);
        }
    }
    Ok(output)
}

/// Concatenates the elements of lists, and moves the offsets of each piece behind the elements of all earlier pieces.
fn join_lists<O: Offset>(
    join: &Join<'_, '_>,
    pieces: &[Vec<HostColumn<'_>>],
    leaf: usize,
    output: &mut OutputBuffers,
    ctx: Ctx<'_>,
) -> Result<()> {
    let from = pieces.iter().map(|piece| piece[leaf].offsets::<O>()).collect::<Result<Vec<_>>>()?;
    let ranges = from.iter().map(|offsets| text_range(offsets).ok_or_else(invalid)).collect::<Result<Vec<_>>>()?;
    let total = ranges.iter().fold(0_u64, |total, range| total.saturating_add(range.len() as u64));
    check_offsets(RowKind::Strings { large: O::LARGE }, total)?;
    let mut elements = Vec::with_capacity(ranges.len());
    for (piece, range) in join.pieces(leaf).zip(&ranges) {
        elements.push(ListsView::try_from(piece.view)?.child().slice(range.start, range.len())?);
    }
    let mut offsets = memory_for_offsets::<O>(join.rows(), ctx)?;
    let out = offsets.write_on(ctx.stream)?.into_mut_slice::<O>()?;
    let (first, mut rest) = out.split_at_mut(1);
    first[0] = O::new(0);
    let mut before = 0;
    for (from, range) in from.iter().zip(&ranges) {
        let (own, others) = rest.split_at_mut(from.len() - 1);
        for_each_chunk(own, |first, chunk| {
            for (to, from) in chunk.iter_mut().zip(&from[first + 1..]) {
                *to = O::new(from.position() - range.start + before);
            }
        });
        (rest, before) = (others, before + range.len());
    }
    output.buffers.push(offsets);
    output.elements = Some(join_elements(&elements, ctx)?);
    Ok(())
}

/// Concatenates elements. If only one piece has elements, the result shares its memory, or is a copy without rows
/// outside of the piece.
fn join_elements(elements: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Column> {
    let mut with_rows = elements.iter().filter(|elements| !elements.is_empty());
    match (with_rows.next(), with_rows.next()) {
        (Some(only), None) if only.has_validity() || only.offset() > 0 => {
            let (length, first) = (rows_times(only.len(), 1)?, 0);
            let rows = AffineRows { length, divisor: 1, by_quotient: 1, by_remainder: 0, first };
            Ok(copy_affine("concatenate", &TableView::from(*only), rows, ctx)?.column(0)?.clone())
        }
        _ => join_columns(elements, ctx),
    }
}

/// Returns an error if a string column has more bytes than its offsets can address.
fn check_size(join: &Join<'_, '_>, pieces: &[Vec<HostColumn<'_>>], leaf: usize) -> Result<()> {
    let kind = join.leaf(leaf).kind;
    let RowKind::Strings { large: false } = kind else { return Ok(()) };
    let mut most = 0_u64;
    for (index, piece) in pieces.iter().enumerate() {
        let bytes = text_range(piece[leaf].offsets::<i32>()?).ok_or_else(invalid)?.len();
        most = most.saturating_add(bytes.saturating_mul(join.times(index)) as u64);
    }
    let checked = check_offsets(kind, most);
    if checked.is_ok() || !join.hides_bytes(leaf) {
        return checked;
    }
    // The bytes of null rows are not copied and therefore do not count.
    let mut needed = 0_u64;
    for (index, (plan, piece)) in join.plans().iter().zip(pieces).enumerate() {
        let hiding = hides_bytes(plan, leaf).then(|| LeafValidity::open(plan, piece, leaf)).transpose()?.flatten();
        let all = AllRows { rows: piece[leaf].len(), task: task_rows() };
        let bytes = bytes_of_runs(&piece[leaf], hiding.as_ref(), &all)?;
        needed = needed.saturating_add(bytes.saturating_mul(join.times(index) as u64));
    }
    check_offsets(kind, needed)
}

fn invalid() -> Error {
    Error::invalid_data(
        "the offsets descend, or an offset points outside of the bytes of the column; validate the column",
    )
}

fn text_range<O: Offset>(offsets: &[O]) -> Option<Range<usize>> {
    let (begin, end) = (offsets.first()?.position(), offsets.last()?.position());
    (begin <= end && end <= isize::MAX as usize).then_some(begin..end)
}

/// The bits of all pieces, one piece after the other. A bit is the AND of the masks of the piece. If the piece has no
/// mask, all of its bits are set.
struct JoinedBits<'j, 'p, 'a> {
    join: &'j Join<'p, 'a>,
    pieces: Vec<SmallVec<[Bits<'j>; 2]>>,
}

impl JoinedBits<'_, '_, '_> {
    /// Returns the bits of rows `64 * index ..`. Bits after the last row are unspecified.
    fn word(&self, index: usize) -> u64 {
        let row = index * 64;
        let starts = self.join.starts();
        let first = starts.partition_point(|start| *start <= row).saturating_sub(1);
        let mut word = 0;
        let mut at = row;
        for (index, (piece, bounds)) in self.pieces.iter().zip(starts.windows(2)).enumerate().skip(first) {
            if at >= row + 64 {
                break;
            }
            let (start, end) = (bounds[0], bounds[1]);
            let bits = piece.iter().fold(u64::MAX, |all, bits| {
                let repeated = self.join.repeats(index).then(|| if bits.get(0) { u64::MAX } else { 0 });
                all & repeated.unwrap_or_else(|| bits.slice(at - start, end - at).word(0))
            });
            word = word & gdf_core::bitmask::low_bits(at - row) | bits << (at - row);
            at = end;
        }
        word
    }
}

/// Copies the sources to `target`, one after the other.
fn copy_all(join: &Join<'_, '_>, target: &mut [u8], sources: &[&[u8]]) {
    let (total, most) = (target.len(), HostLimits::current().copy_bytes);
    let lengths = sources.iter().enumerate().map(|(index, source)| source.len().saturating_mul(join.times(index)));
    let targets = split_mut(target, lengths).into_iter().zip(sources);
    let chunks =
        targets.flat_map(|(to, from)| to.chunks_mut(most).enumerate().map(move |(at, to)| (to, at * most, *from)));
    let tasks: Vec<_> = chunks.collect();
    let copy = |(to, first, from): (&mut [u8], usize, &[u8])| match from.get(first..first + to.len()) {
        Some(from) => to.copy_from_slice(from),
        None => repeat(from, first, to),
    };
    if total <= most {
        // Waking other threads would take longer than these small copies.
        tasks.into_iter().for_each(copy);
    } else {
        for_each_task(tasks, |_, task| copy(task));
    }
}

/// Fills `to` with repetitions of the bytes of `row`. `first` is the position of `to` in the sequence of all
/// repetitions.
fn repeat(row: &[u8], first: usize, to: &mut [u8]) {
    let mut done = row.len().min(to.len());
    for (at, slot) in to[..done].iter_mut().enumerate() {
        *slot = row[(first + at) % row.len()];
    }
    while done < to.len() {
        let more = done.min(to.len() - done);
        to.copy_within(..more, done);
        done += more;
    }
}

/// All rows of a piece, divided into tasks of `task` rows.
struct AllRows {
    rows: usize,
    task: usize,
}

impl RowRuns for AllRows {
    fn tasks(&self) -> usize {
        self.rows.div_ceil(self.task)
    }

    fn task_rows(&self, task: usize) -> usize {
        self.rows.saturating_sub(task * self.task).min(self.task)
    }

    fn for_each_run(&self, task: usize, mut emit: impl FnMut(Run)) {
        emit(Run::Rows { first: task * self.task, len: self.task_rows(task) });
    }
}

fn join_strings<O: Offset>(
    join: &Join<'_, '_>,
    pieces: &[Vec<HostColumn<'_>>],
    leaf: usize,
    ctx: Ctx<'_>,
) -> Result<SmallVec<[Buffer; 2]>> {
    // If null rows of a piece may have bytes, the piece is first copied without these bytes. `cleaned` has such copies.
    let mut cleaned: Vec<Option<SmallVec<[Buffer; 2]>>> = Vec::with_capacity(pieces.len());
    for (plan, piece) in join.plans().iter().zip(pieces) {
        cleaned.push(match LeafValidity::open(plan, piece, leaf)? {
            Some(validity) if hides_bytes(plan, leaf) => {
                let rows = piece[leaf].len();
                let all = AllRows { rows, task: task_rows() };
                Some(copy_runs(&piece[leaf], Some(&validity), &all, rows, ctx.scratch())?)
            }
            _ => None,
        });
    }
    let opened: Vec<Option<SmallVec<[Access<'_>; 2]>>> = cleaned
        .iter()
        .map(|buffers| {
            buffers.as_ref().map(|all| all.iter().map(|buffer| buffer.read_on(ctx.stream)).collect()).transpose()
        })
        .collect::<Result<_, _>>()?;

    let mut offsets_of: Vec<&[O]> = Vec::with_capacity(pieces.len());
    let mut bytes_of: Vec<&[u8]> = Vec::with_capacity(pieces.len());
    for (piece, opened) in pieces.iter().zip(&opened) {
        let (offsets, bytes) = match opened.as_deref() {
            Some([offsets, bytes]) => (offsets.as_slice::<O>()?, bytes.as_slice::<u8>()?),
            _ => (piece[leaf].offsets::<O>()?, piece[leaf].chars()?),
        };
        bytes_of.push(text_range(offsets).and_then(|range| bytes.get(range)).ok_or_else(invalid)?);
        offsets_of.push(offsets);
    }

    let sizes: Vec<_> =
        bytes_of.iter().enumerate().map(|(index, bytes)| bytes.len().saturating_mul(join.times(index))).collect();
    let total = sizes.iter().copied().fold(0, usize::saturating_add);
    let mut offsets =
        Buffer::uninitialized(byte_len(join.rows() + 1, size_of::<O>(), ctx.mr)?, ctx.stream, ctx.mr.output)?;
    let mut bytes = Buffer::uninitialized(total, ctx.stream, ctx.mr.output)?;
    copy_all(join, bytes.write_on(ctx.stream)?.into_mut_slice()?, &bytes_of);

    let Some((first, ends)) = offsets.write_on(ctx.stream)?.into_mut_slice::<O>()?.split_first_mut() else {
        return Err(Error::invalid_data("the buffer of offsets has no room for the first offset"));
    };
    *first = O::zeroed();
    let ends = split_mut(ends, join.starts().windows(2).map(|rows| rows[1] - rows[0]));
    let mut before = 0;
    let (task, mut tasks) = (task_rows(), Vec::new());
    for (index, (ends, offsets)) in ends.into_iter().zip(&offsets_of).enumerate() {
        let begin = offsets[0].position();
        if join.repeats(index) {
            let of_row = bytes_of[index].len();
            let chunks = ends.chunks_mut(task).enumerate();
            tasks.extend(chunks.map(|(at, ends)| (ends, &[][..], before + at * task * of_row, of_row)));
        } else {
            let chunks = ends.chunks_mut(task).zip(offsets[1..].chunks(task));
            tasks.extend(chunks.map(|(ends, offsets)| (ends, offsets, before, begin)));
        }
        before += sizes[index];
    }
    for_each_task(tasks, |_, (ends, offsets, before, begin): (&mut [O], &[O], usize, usize)| {
        if offsets.is_empty() {
            (1..).zip(ends).for_each(|(row, end)| *end = O::new(before + row * begin));
            return;
        }
        for (end, offset) in ends.iter_mut().zip(offsets) {
            *end = O::new(offset.position().wrapping_sub(begin).wrapping_add(before));
        }
    });
    Ok(SmallVec::from_iter([offsets, bytes]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_repeat_from_any_byte_on() {
        for (first, len) in [(0, 0), (0, 2), (2, 1), (1, 7), (5, 20)] {
            let mut to = vec![0; len];
            repeat(b"abc", first, &mut to);
            let expected: Vec<u8> = b"abc".iter().copied().cycle().skip(first).take(len).collect();
            assert_eq!(to, expected, "{len} bytes from {first} on");
        }
    }
}
