//! Integers that are stored as their differences.
//!
//! A header states the sizes of blocks, the number of integers and the first one. A block states the smallest difference
//! and the widths of its miniblocks, and the miniblocks pack how much larger each difference is. Sums wrap around.

use gdf_kernels::generated::decode::{MOST_BLOCK, MOST_MINIBLOCKS};

/// Each miniblock has a multiple of this number of differences, so that it has whole bytes.
const GROUP: usize = 32;

/// The integers of a page, which are read from the first one on.
pub(super) struct Deltas<'a> {
    /// What follows in the page.
    bytes: &'a [u8],
    miniblocks: usize,
    of_miniblock: usize,
    count: usize,
    first: u64,
}

impl<'a> Deltas<'a> {
    /// Reads the header. The result is `None` if the header is cut, or if its sizes are impossible or larger than those
    /// that all decoders take.
    pub(super) fn new(page: &'a [u8]) -> Option<Self> {
        let takes = |deltas: &Self| {
            deltas.miniblocks <= MOST_MINIBLOCKS && deltas.of_miniblock * deltas.miniblocks <= MOST_BLOCK
        };
        Self::of_any_size(page).filter(takes)
    }

    fn of_any_size(page: &'a [u8]) -> Option<Self> {
        let mut bytes = page;
        let [of_block, miniblocks, count, first] = [(); 4].map(|()| varint(&mut bytes));
        let [of_block, miniblocks, count] = [of_block?, miniblocks?, count?].map(|size| usize::try_from(size).ok());
        let (of_block, miniblocks) = (of_block?, miniblocks?);
        let of_miniblock = of_block.checked_div(miniblocks).filter(|size| *size > 0)?;
        let is_possible = of_miniblock * miniblocks == of_block && of_miniblock.is_multiple_of(GROUP);
        let first = from_zigzag(first?);
        is_possible.then_some(Deltas { bytes, miniblocks, of_miniblock, count: count?, first })
    }

    /// Returns the number of integers.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns what follows behind the integers that were read.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    /// Reads the first integers, or returns `None` if there are fewer.
    pub(super) fn read<const N: usize>(&mut self, out: &mut [[u8; N]]) -> Option<()> {
        if out.len() > self.count {
            return None;
        }
        let Some((first, mut left)) = out.split_first_mut() else { return Some(()) };
        let mut value = self.first;
        *first = low(value);
        self.walk(left.len(), |smallest, width, count, bits| {
            if width > 8 * N || (count * width).div_ceil(8) > bits.len() {
                return None;
            }
            let now = left.split_off_mut(..count)?;
            for (at, out) in now.iter_mut().enumerate() {
                value = value.wrapping_add(smallest).wrapping_add(unpacked(bits, at * width, width));
                *out = low(value);
            }
            Some(())
        })
    }

    /// Passes the miniblocks of `left` differences to `each`: the smallest difference, the width, the number of
    /// differences, and what follows in the page.
    fn walk(&mut self, left: usize, mut each: impl FnMut(u64, usize, usize, &[u8]) -> Option<()>) -> Option<()> {
        let mut left = left;
        while left > 0 {
            let smallest = from_zigzag(varint(&mut self.bytes)?);
            let (widths, mut bits) = self.bytes.split_at_checked(self.miniblocks)?;
            for width in widths {
                let (width, count) = (usize::from(*width), self.of_miniblock.min(left));
                if count == 0 {
                    break;
                }
                each(smallest, width, count, bits)?;
                // The last miniblock may be cut behind its last integer.
                let size = (self.of_miniblock / 8).saturating_mul(width);
                bits = &bits[size.min(bits.len())..];
                left -= count;
            }
            self.bytes = bits;
        }
        Some(())
    }
}

/// Returns what follows a set of at most `most` integers that are stored as their differences
/// ([`DeltaBinaryPacked`](crate::Encoding::DeltaBinaryPacked)). The result is `None` if the set has more integers, or if the
/// sizes of its blocks are impossible or cut. The integers themselves may be cut.
pub fn skip_deltas(bytes: &[u8], most: usize) -> Option<&[u8]> {
    let mut deltas = Deltas::of_any_size(bytes)?;
    if deltas.count > most {
        return None;
    }
    deltas.walk(deltas.count.saturating_sub(1), |_, _, _, _| Some(()))?;
    Some(deltas.bytes)
}

fn low<const N: usize>(value: u64) -> [u8; N] {
    let bytes = value.to_le_bytes();
    std::array::from_fn(|at| bytes[at])
}

/// Returns `width` bits, at most 64.
fn unpacked(bytes: &[u8], bit: usize, width: usize) -> u64 {
    let from = bytes.get(bit / 8..).unwrap_or_default();
    let word = from.first_chunk().copied().unwrap_or_else(|| {
        let mut word = [0; 16];
        word[..from.len()].copy_from_slice(from);
        word
    });
    let mask = (1_u128 << width) - 1;
    (u128::from_le_bytes(word) >> (bit % 8) & mask) as u64
}

/// Reads a number of at most 64 bits. Higher bits are dropped.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn from_zigzag(number: u64) -> u64 {
    number >> 1 ^ (number & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(page: &[u8], count: usize) -> Option<Vec<i64>> {
        let mut out = vec![[0; 8]; count];
        Deltas::new(page)?.read(&mut out)?;
        Some(out.into_iter().map(i64::from_le_bytes).collect())
    }

    #[test]
    fn differences_are_added() {
        // Blocks of 128 values in 4 miniblocks, 5 values from 7 on. The smallest difference is −2.
        let page = [0x80, 1, 4, 5, 14, 3, 3, 0, 0, 0, 0x50, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(read(&page, 5), Some(vec![7, 5, 5, 8, 7]));
        assert_eq!(read(&page, 3), Some(vec![7, 5, 5]));
        assert_eq!(read(&page, 6), None);
        assert_eq!(read(&page[..12], 5), Some(vec![7, 5, 5, 8, 7]), "the miniblock is cut behind its values");
        for end in 0..12 {
            assert_eq!(read(&page[..end], 5), None, "{end}");
        }
        assert_eq!(read(&[0x80, 1, 4, 1, 9], 1), Some(vec![-5]));
    }

    #[test]
    fn sizes_of_blocks_are_checked() {
        let header = |block: &[u8], miniblocks: &[u8]| read(&[block, miniblocks, &[1, 2]].concat(), 1);
        assert_eq!(header(&[0x80, 1], &[4]), Some(vec![1]));
        assert_eq!(header(&[0x20], &[1]), Some(vec![1]));
        for (block, miniblocks) in [(&[0x80, 1][..], &[0][..]), (&[0x80, 1], &[3]), (&[0x80, 1], &[8]), (&[0], &[1])] {
            assert_eq!(header(block, miniblocks), None, "{block:?} {miniblocks:?}");
        }
        assert_eq!(header(&[0xff; 10], &[4]), None);
        assert_eq!(header(&[0x80, 0x80, 0x80, 0x80, 1], &[1]), None, "too large");
    }

    #[test]
    fn sets_end_where_the_last_integer_does() {
        let set = [0x80, 1, 4, 3, 10, 0, 2, 7, 7, 7, 0, 0, 0, 0, 0, 0, 0, 0];
        let bytes = [&set[..], b"text"].concat();
        assert_eq!(skip_deltas(&bytes, 3), Some(&b"text"[..]));
        assert_eq!(skip_deltas(&bytes, 2), None);
        assert_eq!(skip_deltas(&[0x80, 1, 4, 1, 10, 9], 1), Some(&[9][..]));
        assert_eq!(skip_deltas(&[0x80, 1, 4, 0, 0, 9], 0), Some(&[9][..]));
        let large = [0x80, 0x80, 0x80, 1, 0x80, 4, 1, 0, 9];
        assert!(skip_deltas(&large, 1) == Some(&[9]) && Deltas::new(&large).is_none(), "large blocks");
        for end in 0..10 {
            assert_eq!(skip_deltas(&bytes[..end], 3), None, "{end}");
        }
        // The sets claim 2⁶³ integers, blocks without values, and blocks without miniblocks.
        let many = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        assert_eq!(skip_deltas(&[&[0x80, 1, 4], &many[..], &[0]].concat(), u32::MAX as usize), None);
        assert_eq!(skip_deltas(&[0, 4, 3, 0, 0, 0, 0, 0, 0], 3), None);
        assert_eq!(skip_deltas(&[0x80, 1, 0, 3, 0, 0], 3), None);
    }

    #[test]
    fn widths_reach_64_bits() {
        let values = [i64::MIN, i64::MAX, 0, -1, i64::MAX];
        let mut page = vec![0x20, 1, 5];
        let number = 0_u64.wrapping_sub(1); // the zigzag form of the smallest integer
        page.extend((0..9).map(|at| (number >> (7 * at)) as u8 | 0x80).chain([1]));
        page.extend([0, 64]);
        page.extend(values.windows(2).flat_map(|pair| pair[1].wrapping_sub(pair[0]).to_le_bytes()));
        assert_eq!(read(&page, 5), Some(values.to_vec()));
    }
}
