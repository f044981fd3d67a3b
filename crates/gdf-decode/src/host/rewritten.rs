//! Values of encodings in which a value has no place of its own, rewritten with plain encoding.

use super::deltas::Deltas;
use super::prefixes::whole_values;
use crate::batch::{Encoding, Flaw};
use crate::conversion::Conversion;
use crate::spare::Spare;

/// Returns the first `count` values of a page of `rows` rows, with plain encoding.
///
/// # Errors
/// - [`Flaw::Values`]: the page has fewer values.
pub(super) fn rewritten(
    encoding: Encoding,
    conversion: Conversion,
    rows: usize,
    count: usize,
    page: &[u8],
) -> Result<Spare, Flaw> {
    let width = conversion.stored_width();
    match encoding {
        Encoding::ByteStreamSplit => joined(width, count, page),
        Encoding::DeltaBinaryPacked => integers(width, count, page),
        Encoding::DeltaLengthByteArray => texts(rows, count, page),
        Encoding::DeltaByteArray => whole_values((!conversion.is_text()).then_some(width), rows, count, page),
        Encoding::Plain | Encoding::Keys | Encoding::Rle => None,
    }
    .ok_or(Flaw::Values)
}

/// Joins the bytes of values, which are in streams.
fn joined(width: usize, count: usize, page: &[u8]) -> Option<Spare> {
    let len = page.len() / width;
    if !page.len().is_multiple_of(width) || count > len {
        return None;
    }
    let mut values = Spare::new(count * width);
    for (byte, stream) in page.chunks_exact(len).enumerate() {
        let places = values.as_mut_slice().iter_mut().skip(byte).step_by(width);
        places.zip(stream).for_each(|(place, byte)| *place = *byte);
    }
    Some(values)
}

/// Adds the differences of integers.
fn integers(width: usize, count: usize, page: &[u8]) -> Option<Spare> {
    let mut deltas = Deltas::new(page)?;
    let mut values = Spare::new(count * width);
    let out = values.as_mut_slice();
    match width {
        4 => deltas.read(out.as_chunks_mut::<4>().0)?,
        _ => deltas.read(out.as_chunks_mut::<8>().0)?,
    }
    Some(values)
}

/// Puts the size of each text before its bytes.
fn texts(rows: usize, count: usize, page: &[u8]) -> Option<Spare> {
    let mut deltas = Deltas::new(page)?;
    if deltas.count() > rows || count > deltas.count() {
        return None;
    }
    let mut sizes = Spare::new(deltas.count() * 4);
    let sizes = sizes.as_mut_slice().as_chunks_mut::<4>().0;
    deltas.read(sizes)?;
    let (mut texts, sizes) = (deltas.rest(), &sizes[..count]);
    // A negative size is more than any page has.
    let total = sizes.iter().fold(0_usize, |sum, size| sum.saturating_add(u32::from_le_bytes(*size) as usize));
    let mut plain = Spare::new(if total <= texts.len() { 4 * count + total } else { return None });
    let mut left = plain.as_mut_slice();
    for size in sizes {
        let (text, after) = texts.split_at_checked(u32::from_le_bytes(*size) as usize)?;
        let (place, rest) = left.split_at_mut_checked(4 + text.len())?;
        place[..4].copy_from_slice(size);
        place[4..].copy_from_slice(text);
        (texts, left) = (after, rest);
    }
    Some(plain)
}
