//! Text functions on the CPU that map each character to a character of the same number of bytes. The functions map the
//! bytes of all rows at once, and the result has the offsets of the input.

use gdf_core::{Column, ColumnParts, ColumnView, Result, physical_type};
use gdf_memory::Buffer;

use crate::Ctx;
use crate::check;
use crate::host::{
    HostColumn, HostOutput, Offset, Utf8Piece, for_each_chunk, for_each_task, map_tasks, pieces, split_mut, task_rows,
};
use crate::mask::copy_bitmask;
use crate::vouch;

/// A mapping of characters for which most characters keep their number of bytes. `ascii` maps a run of ASCII bytes in
/// place.
#[derive(Clone, Copy)]
pub struct InPlace<O> {
    pub ascii: fn(&mut [u8]),
    pub other: O,
}

impl<O: Fn(char) -> Option<char> + Sync> InPlace<O> {
    fn fits(&self, text: &[u8]) -> bool {
        text.is_ascii()
            || pieces(text).all(|piece| match piece {
                Utf8Piece::Ascii(_) => true,
                Utf8Piece::Character(one) => (self.other)(one).is_some_and(|to| to.len_utf8() == one.len_utf8()),
                Utf8Piece::Stray(_) => false,
            })
    }

    /// Writes the mapped characters of `text` to `target`.
    fn change(&self, text: &[u8], target: &mut [u8]) {
        let mut rest = target;
        for piece in pieces(text) {
            let (now, after) = std::mem::take(&mut rest).split_at_mut(piece.size());
            rest = after;
            match piece {
                Utf8Piece::Ascii(bytes) => {
                    now.copy_from_slice(bytes);
                    (self.ascii)(now);
                }
                Utf8Piece::Character(one) => {
                    let to = (self.other)(one).filter(|to| to.len_utf8() == now.len());
                    to.unwrap_or(one).encode_utf8(now);
                }
                Utf8Piece::Stray(byte) => now.fill(byte),
            }
        }
    }
}

/// Maps the rows of a text column without measuring rows. The result is `None` if a character changes its number of
/// bytes, if null rows may have bytes, or if there are no rows.
pub(super) fn map_bytes(
    column: ColumnView<'_>,
    ctx: Ctx<'_>,
    change: &InPlace<impl Fn(char) -> Option<char> + Sync>,
) -> Result<Option<Column>> {
    check::column(column, ctx)?;
    if column.is_empty() || (column.has_validity() && !column.sanitized()) {
        return Ok(None);
    }
    let input = HostColumn::open(column, ctx.stream)?;
    let large = physical_type(column.data_type()).is_large();
    let made = if large { buffers::<i64>(&input, change, ctx)? } else { buffers::<i32>(&input, change, ctx)? };
    let Some(buffers) = made else { return Ok(None) };
    let (validity, nulls) = copy_bitmask(column, ctx)?.into_parts();
    let parts = ColumnParts::new(column.data_type().clone(), ctx.stream.device(), column.len());
    let parts = buffers.into_iter().fold(parts, ColumnParts::buffer);
    vouch::result(parts.validity(validity, nulls)).map(Some)
}

fn buffers<O: Offset>(
    input: &HostColumn<'_>,
    change: &InPlace<impl Fn(char) -> Option<char> + Sync>,
    ctx: Ctx<'_>,
) -> Result<Option<[Buffer; 2]>> {
    let (offsets, chars) = (input.offsets::<O>()?, input.chars()?);
    let (start, end) = (offsets[0].position(), offsets[offsets.len() - 1].position());
    let Some(chars) = chars.get(start..end) else { return Ok(None) };
    let pieces = text_pieces(chars);
    if !map_tasks(pieces.clone(), &|_, piece: &[u8]| change.fits(piece)).into_iter().all(|fits| fits) {
        return Ok(None);
    }
    let mut ends = HostOutput::<O>::new(offsets.len(), ctx)?;
    for_each_chunk(ends.values(ctx.stream)?, |first, out| {
        for (slot, offset) in out.iter_mut().zip(&offsets[first..]) {
            *slot = O::new(offset.position().wrapping_sub(start));
        }
    });
    let mut bytes = HostOutput::<u8>::new(chars.len(), ctx)?;
    let targets = split_mut(bytes.values(ctx.stream)?, pieces.iter().map(|piece| piece.len()));
    for_each_task(pieces.into_iter().zip(targets).collect(), |_, (from, out)| change.change(from, out));
    Ok(Some([ends.into_buffer(), bytes.into_buffer()]))
}

/// Divides a text into one piece per task. Each piece begins at the first byte of a character.
fn text_pieces(text: &[u8]) -> Vec<&[u8]> {
    let mut rest = text;
    let piece = || {
        let behind = rest.iter().skip(task_rows()).position(|byte| byte & 0xc0 != 0x80);
        let (piece, after) = rest.split_at(behind.map_or(rest.len(), |more| task_rows() + more));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    };
    std::iter::from_fn(piece).collect()
}
