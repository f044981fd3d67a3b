//! String and binary results that are assembled row by row. The operation decides where the bytes of a row come from.

use std::ops::Range;

use gdf_core::{DataType, Error, Result, physical_type};
use gdf_memory::Buffer;
use smallvec::SmallVec;

use super::{HostColumn, Offset, for_each_task, map_chunks, split_mut, task_rows};
use crate::Ctx;
use crate::layout::{RowKind, byte_len, check_offsets};

/// The number of bytes that are read and written at once. Most texts are shorter.
pub const BLOCK: usize = 32;

/// Returns the `N` bytes of `source` that begin where `part` begins.
#[inline(always)]
pub fn block_of<'a, const N: usize>(source: &'a [u8], part: &[u8]) -> Option<&'a [u8; N]> {
    source.get(part.as_ptr().addr().wrapping_sub(source.as_ptr().addr())..)?.first_chunk()
}

/// The rows of a string or binary column with offsets of either width. The single row of a scalar represents every
/// row.
#[derive(Clone, Copy, Debug)]
pub struct StringRows<'a> {
    offsets: Offsets<'a>,
    bytes: &'a [u8],
    validity: Option<super::Bits<'a>>,
    broadcast: bool,
}

#[derive(Clone, Copy, Debug)]
enum Offsets<'a> {
    Narrow(&'a [i32]),
    Wide(&'a [i64]),
}

impl<'a> StringRows<'a> {
    pub fn open(column: &'a HostColumn<'_>) -> Result<Self> {
        let large = physical_type(column.view().data_type()).is_large();
        let offsets = if large { Offsets::Wide(column.offsets()?) } else { Offsets::Narrow(column.offsets()?) };
        Ok(Self { offsets, bytes: column.chars()?, validity: column.validity()?, broadcast: column.broadcast() })
    }

    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the bytes of a row. There are no bytes if the row is null or the offsets are invalid.
    pub fn get(&self, row: usize) -> &'a [u8] {
        if self.validity.is_some_and(|mask| !mask.get(if self.broadcast { 0 } else { row })) {
            return &[];
        }
        self.get_valid(row)
    }

    /// Returns the bytes of a row that is not null. There are no bytes if the offsets are invalid.
    #[inline]
    pub fn get_valid(&self, row: usize) -> &'a [u8] {
        let row = if self.broadcast { 0 } else { row };
        let (begin, end) = match self.offsets {
            Offsets::Narrow(offsets) => (position(offsets, row), position(offsets, row + 1)),
            Offsets::Wide(offsets) => (position(offsets, row), position(offsets, row + 1)),
        };
        self.bytes.get(begin..end).unwrap_or_default()
    }
}

#[inline]
fn position<O: Copy + Into<i64>>(offsets: &[O], at: usize) -> usize {
    offsets.get(at).and_then(|offset| usize::try_from((*offset).into()).ok()).unwrap_or(usize::MAX)
}

/// The part of a text result that a task writes: the ends of its rows and their bytes. `start` is the position of the
/// first byte in the whole result.
pub struct TextPart<'a, O> {
    pub ends: &'a mut [O],
    pub bytes: &'a mut [u8],
    pub start: usize,
}

/// Allocates memory for the offsets of `rows` rows. Callers allocate the memory before they measure the rows.
///
/// # Errors
/// * Memory errors.
pub fn memory_for_offsets<O: Offset>(rows: usize, ctx: Ctx<'_>) -> Result<Buffer> {
    let bytes = byte_len(rows.saturating_add(1), size_of::<O>(), ctx.mr)?;
    Ok(Buffer::uninitialized(bytes, ctx.stream, ctx.mr.output)?)
}

/// Makes offsets and bytes of rows that tasks write. `offsets` is the memory of the offsets. Task `i` writes
/// `sizes[i]` bytes. The `i`-th item of `task_rows` is the number of rows of task `i`.
///
/// # Errors
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) if there are more bytes than the offsets can represent;
///   memory errors.
pub fn write_strings<O: Offset>(
    mut offsets: Buffer,
    sizes: &[usize],
    task_rows: impl IntoIterator<Item = usize>,
    ctx: Ctx<'_>,
    write: impl Fn(usize, TextPart<'_, O>) + Sync,
) -> Result<SmallVec<[Buffer; 2]>> {
    let total = sizes.iter().fold(0, |total: u64, size| total.saturating_add(*size as u64));
    check_offsets(RowKind::Strings { large: O::LARGE }, total)?;
    let total = usize::try_from(total).unwrap_or(usize::MAX); // the allocation fails in this case
    let mut bytes = Buffer::uninitialized(total, ctx.stream, ctx.mr.output)?;
    let Some((first, ends)) = offsets.write_on(ctx.stream)?.into_mut_slice::<O>()?.split_first_mut() else {
        return Err(Error::invalid_data("the buffer of offsets has no room for the first offset"));
    };
    *first = O::zeroed();
    let pieces = split_mut(bytes.write_on(ctx.stream)?.into_mut_slice::<u8>()?, sizes.iter().copied());
    let mut next = 0;
    let parts = split_mut(ends, task_rows).into_iter().zip(pieces).map(|(ends, bytes)| {
        let start = next;
        next += bytes.len();
        TextPart { ends, bytes, start }
    });
    for_each_task(parts.collect(), write);
    Ok(SmallVec::from_iter([offsets, bytes]))
}

/// Makes offsets and bytes of `rows` rows. `data_type` decides the width of the offsets. `row(i)` returns the bytes
/// of a row.
///
/// # Errors
/// * The errors of [`write_strings`].
pub fn strings_by_row<'a>(
    data_type: &DataType,
    rows: usize,
    ctx: Ctx<'_>,
    row: impl Fn(usize) -> &'a [u8] + Sync,
) -> Result<SmallVec<[Buffer; 2]>> {
    match physical_type(data_type).is_large() {
        true => write_rows::<i64>(rows, ctx, row),
        false => write_rows::<i32>(rows, ctx, row),
    }
}

fn write_rows<'a, O: Offset>(
    rows: usize,
    ctx: Ctx<'_>,
    row: impl Fn(usize) -> &'a [u8] + Sync,
) -> Result<SmallVec<[Buffer; 2]>> {
    let task_rows = task_rows();
    let offsets = memory_for_offsets::<O>(rows, ctx)?;
    let size = |chunk: Range<usize>| chunk.fold(0_usize, |size, i| size.saturating_add(row(i).len()));
    let sizes = map_chunks(rows, size);
    write_strings::<O>(offsets, &sizes, sizes.iter().map(|_| task_rows), ctx, |chunk, part| {
        let mut at = 0;
        for (i, end) in part.ends.iter_mut().enumerate() {
            let source = row(chunk * task_rows + i);
            if let Some(target) = part.bytes.get_mut(at..at + source.len()) {
                target.copy_from_slice(source);
            }
            at += source.len();
            *end = O::new(part.start + at);
        }
    })
}
