//! Where the decoders put the rows of a unit: values or text, and which rows are null.

use arrow_array::{Array, ArrayRef};
use arrow_buffer::{ArrowNativeType, ToByteSlice};
use arrow_data::ArrayData;
use gdf_decode::RowValidity;

pub(super) enum Slot<'a> {
    Values(&'a mut [u8]),
    Text {
        /// For each row, the offset of its end.
        ends: &'a mut [u8],
        bytes: &'a mut [u8],
        /// The number of bytes of text in all units before this unit.
        first: usize,
    },
}

/// The validity of the rows of a unit.
#[derive(Default)]
pub(super) struct Nulls {
    pub(super) validity: RowValidity,
    /// Whether the module `pages` could not decode the unit, so that arrow-rs has decoded it.
    pub(super) given_up: bool,
}

impl<'a> Slot<'a> {
    /// Makes a slot.
    pub(super) fn new(parts: &'a mut [&mut [u8]], first: usize) -> Self {
        match parts {
            [ends, bytes] => Slot::Text { ends, bytes, first },
            [values] => Slot::Values(values),
            _ => Slot::Values(&mut []),
        }
    }

    /// Writes rows.
    pub(super) fn fill(&mut self, data: &ArrayData, row: usize, rows: usize) -> Option<()> {
        let buffer = |at: usize| data.buffers().get(at).map_or(&[][..], |buffer| buffer.as_slice());
        match self {
            Slot::Values(place) => {
                let width = place.len() / rows.max(1);
                let (start, len) = (data.offset() * width, data.len() * width);
                place.get_mut(row * width..row * width + len)?.copy_from_slice(buffer(0).get(start..start + len)?);
            }
            Slot::Text { ends, bytes, first } => {
                let width = ends.len() / rows.max(1);
                let ends = ends.get_mut(row * width..(row + data.len()) * width)?;
                let ranges = data.offset()..data.offset() + data.len() + 1;
                let used = match width {
                    4 => write_ends(ends, data.buffers().first()?.typed_data::<i32>().get(ranges)?, *first),
                    _ => write_ends(ends, data.buffers().first()?.typed_data::<i64>().get(ranges)?, *first),
                }?;
                let text = buffer(1).get(used)?;
                let (own, rest) = std::mem::take(bytes).split_at_mut_checked(text.len())?;
                own.copy_from_slice(text);
                (*bytes, *first) = (rest, *first + text.len());
            }
        }
        Some(())
    }

    /// Returns whether the text that was written has the size that the file states.
    pub(super) fn is_full(&self) -> bool {
        match self {
            Slot::Values(_) => true,
            Slot::Text { bytes, .. } => bytes.is_empty(),
        }
    }
}

/// Writes the offset of the end of each row. The text of the first row begins at `first`. Returns the range of the text
/// of these rows in their array.
fn write_ends<O: ArrowNativeType>(ends: &mut [u8], offsets: &[O], first: usize) -> Option<std::ops::Range<usize>> {
    let (start, last) = (offsets.first()?.as_usize(), offsets.last()?.as_usize());
    let moved = first.wrapping_sub(start);
    for (end, offset) in ends.chunks_exact_mut(size_of::<O>()).zip(&offsets[1..]) {
        end.copy_from_slice(O::usize_as(offset.as_usize().wrapping_add(moved)).to_byte_slice());
    }
    Some(start..last)
}

impl Nulls {
    /// Appends the validity of the rows of `array`.
    pub(super) fn push(&mut self, array: &ArrayRef) {
        match array.nulls() {
            Some(nulls) => {
                self.validity.push_bits(nulls.validity(), nulls.offset(), array.len(), nulls.null_count());
            }
            None => self.validity.push_valid(array.len()),
        }
    }

    pub(super) fn given_up(&self) -> bool {
        self.given_up
    }
}
