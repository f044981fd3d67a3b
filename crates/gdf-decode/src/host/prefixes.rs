//! Values without the bytes that they share with the value before.

use gdf_kernels::generated::decode::MOST_BYTES;

use super::deltas::Deltas;
use crate::spare::Spare;

/// Returns the first `count` values of a page of `rows` rows, with plain encoding. `width` is the number of bytes of a
/// value that is no text. A text follows its size.
pub(super) fn whole_values(width: Option<usize>, rows: usize, count: usize, page: &[u8]) -> Option<Spare> {
    let (prefixes, rest) = sizes(rows, page)?;
    let (suffixes, mut bytes) = sizes(rows, rest)?;
    let (prefixes, suffixes) = (prefixes.as_ref().as_chunks::<4>().0, suffixes.as_ref().as_chunks::<4>().0);
    if prefixes.len() != suffixes.len() || count > prefixes.len() {
        return None;
    }
    // A negative size is more than any text has.
    let sizes = || {
        let size = |size: &[u8; 4]| u32::from_le_bytes(*size) as usize;
        prefixes.iter().map(size).zip(suffixes.iter().map(size)).take(count)
    };
    let header = if width.is_none() { size_of::<u32>() } else { 0 };
    let (mut total, mut stored, mut before) = (0_usize, 0, 0);
    for (prefix, suffix) in sizes() {
        let size = prefix + suffix;
        if prefix > before || width.is_some_and(|width| width != size) {
            return None;
        }
        (total, stored, before) = (total + header + size, stored + suffix, size);
        if stored > bytes.len() || width.is_none() && total > MOST_BYTES as usize {
            return None;
        }
    }
    let mut plain = Spare::new(total);
    let out = plain.as_mut_slice();
    let (mut at, mut before) = (0, 0);
    for (prefix, suffix) in sizes() {
        let (own, rest) = bytes.split_at_checked(suffix)?;
        if header > 0 {
            out[at..at + header].copy_from_slice(&((prefix + suffix) as u32).to_le_bytes());
        }
        let value = at + header;
        out.copy_within(before..before + prefix, value);
        out[value + prefix..][..suffix].copy_from_slice(own);
        (at, before, bytes) = (value + prefix + suffix, value, rest);
    }
    Some(plain)
}

/// Reads the sizes of at most `most` values, of 4 bytes each. Also returns what follows them.
fn sizes(most: usize, page: &[u8]) -> Option<(Spare, &[u8])> {
    let mut deltas = Deltas::new(page)?;
    let mut sizes = Spare::new(if deltas.count() <= most { deltas.count() * size_of::<u32>() } else { return None });
    deltas.read(sizes.as_mut_slice().as_chunks_mut::<4>().0)?;
    Some((sizes, deltas.rest()))
}
