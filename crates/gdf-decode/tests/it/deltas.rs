//! Integers as their differences: an encoder and a decoder that take one bit after the other, and what is wrong with pages.

use gdf_core::{DataType, TimeUnit};
use gdf_decode::{Chunk, ColumnPages, Encoding, Flaw, Levels, Page, PageHeader, Stored};

use crate::check::check;
use crate::encoder::Encoded;
use crate::random::Random;

/// Decodes integers of `bits` bits up to the last whole one, the number that the header claims, and the position behind
/// them. The result is `None` if the header is bad.
pub(crate) fn deltas(bytes: &[u8], bits: usize) -> Option<(Vec<i64>, u64, usize)> {
    let mut at = 0;
    let varint = |at: &mut usize| {
        let mut number = 0_u128;
        for byte in 0..10 {
            let next = *bytes.get(*at)?;
            *at += 1;
            number |= u128::from(next & 0x7f) << (7 * byte);
            if next < 0x80 {
                return Some(number as u64);
            }
        }
        None
    };
    let zigzag = |number: u64| if number % 2 == 1 { !(number / 2) } else { number / 2 };
    let (block, parts, count, first) = (varint(&mut at)?, varint(&mut at)?, varint(&mut at)?, varint(&mut at)?);
    if block > 1 << 20 || parts == 0 || parts > 256 || block % parts != 0 || block == 0 || block / parts % 32 != 0 {
        return None;
    }
    let (parts, of_part) = (parts as usize, (block / parts) as usize);
    let mut value = zigzag(first);
    let mut values = Vec::new();
    if count > 0 {
        values.push(value as i64);
    }
    while (values.len() as u64) < count {
        let Some(smallest) = varint(&mut at).map(zigzag) else { return Some((values, count, at)) };
        let Some(widths) = bytes.get(at..at + parts) else { return Some((values, count, at)) };
        at += parts;
        for width in widths {
            let width = usize::from(*width);
            if values.len() as u64 == count {
                break;
            }
            for number in 0..of_part {
                if values.len() as u64 == count {
                    break;
                }
                let bit = |bit: usize| Some(u64::from(*bytes.get(at + bit / 8)?) >> (bit % 8) & 1);
                if width > bits {
                    return Some((values, count, at));
                }
                let packed: Option<u64> = (0..width).map(|of| Some(bit(number * width + of)? << of)).sum();
                let Some(packed) = packed else { return Some((values, count, at)) };
                value = value.wrapping_add(smallest).wrapping_add(packed);
                values.push(value as i64);
            }
            at = (at + of_part * width / 8).min(bytes.len());
        }
    }
    Some((values, count, at))
}

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

/// Encodes integers of `bits` bits. Blocks and widths have any form that the format allows. Only what is the last in its
/// page may be cut behind its last integer.
pub(crate) fn encode(values: &[i64], bits: usize, is_last: bool, random: &mut Random) -> Vec<u8> {
    let wrapped = |number: i64| if bits == 32 { i64::from(number as i32) } else { number };
    let (block, parts) = random.of(&[(128, 4), (128, 1), (128, 4), (256, 8), (1024, 2), (4096, 128), (32, 1)]);
    let of_part = block / parts;
    let mut out = Vec::new();
    varint(block as u64, &mut out);
    varint(parts as u64, &mut out);
    varint(values.len() as u64, &mut out);
    varint(zigzag(values.first().copied().unwrap_or(7)), &mut out);
    let differences: Vec<i64> = values.windows(2).map(|pair| wrapped(pair[1].wrapping_sub(pair[0]))).collect();
    for block in differences.chunks(block) {
        let smallest = block.iter().min().copied().unwrap_or(0);
        // Any other number is correct too, because differences wrap around.
        let smallest = if random.once_in(10) { wrapped(random.next() as i64) } else { smallest };
        varint(zigzag(smallest), &mut out);
        let first_width = out.len();
        out.resize(first_width + parts, random.next() as u8);
        for (number, part) in block.chunks(of_part).enumerate() {
            let above = |difference: i64| {
                let above = difference.wrapping_sub(smallest) as u64;
                if bits == 32 { above & 0xffff_ffff } else { above }
            };
            let needed = 64 - part.iter().map(|difference| above(*difference).leading_zeros()).min().unwrap() as usize;
            let width = if random.once_in(5) { needed + random.below(bits + 1 - needed) } else { needed };
            out[first_width + number] = width as u8;
            let first = out.len();
            out.resize(first + of_part * width / 8, 0);
            for (at, difference) in part.iter().enumerate() {
                for bit in (0..width).filter(|bit| *bit < 64 && above(*difference) >> bit & 1 == 1) {
                    out[first + (at * width + bit) / 8] |= 1 << ((at * width + bit) % 8);
                }
            }
            if is_last && random.once_in(4) {
                out.truncate(first + (part.len() * width).div_ceil(8));
            }
        }
    }
    out
}

/// Returns a column with one page.
fn column(stored: Stored, data_type: DataType, page: &[u8], rows: usize, levels: Levels) -> Encoded {
    let mut encoded = Encoded::default();
    let header = PageHeader { rows, encoding: Encoding::DeltaBinaryPacked, levels, nulls: None };
    let page = Page { at: encoded.push(page), len: page.len(), compression: None, header };
    let chunks = vec![Chunk { dictionary: None, pages: vec![page] }];
    let is_optional = levels != Levels::None;
    encoded.batch.columns.push(ColumnPages { data_type, stored, is_optional, nesting: None, chunks });
    encoded.finish()
}

fn flaw_of(encoded: &Encoded, what: &dyn std::fmt::Display) -> Option<Flaw> {
    check(encoded, what).remove(0).err().map(|refused| refused.flaw)
}

/// A page of the integers 7, 5, 5, 8 and 7, in a block of 128 values in 4 miniblocks.
const FIVE: [u8; 22] = [0x80, 1, 4, 5, 14, 3, 3, 0, 0, 0, 0x50, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

#[test]
fn numbers_of_all_widths_come_back() {
    for width in 0..=64_u32 {
        for rows in [1, 2, 32, 33, 34, 129, 130, 2048, 2049, 2050, 5000] {
            let mut random = Random(u64::from(width) << 16 | rows as u64);
            let mut value = random.next() as i64;
            let step = |random: &mut Random| random.next().checked_shr(64 - width).unwrap_or(0) as i64;
            let values: Vec<i64> = (0..rows)
                .map(|_| {
                    value = value.wrapping_add(step(&mut random));
                    value
                })
                .collect();
            let page = encode(&values, 64, true, &mut random);
            let what = format!("{width} bits, {rows} rows");
            let timestamp = DataType::Timestamp(TimeUnit::Microsecond, None);
            assert_eq!(flaw_of(&column(Stored::Int64, timestamp, &page, rows, Levels::None), &what), None, "{what}");
            let values: Vec<i64> = values.iter().map(|value| i64::from(*value as i32)).collect();
            let page = encode(&values, 32, true, &mut random);
            assert_eq!(
                flaw_of(&column(Stored::Int32, DataType::Int32, &page, rows, Levels::None), &what),
                None,
                "{what}"
            );
        }
    }
}

#[test]
fn blocks_are_checked() {
    let int64 = |page: &[u8], rows, levels| {
        let what = format!("{page:?}, {rows} rows");
        flaw_of(&column(Stored::Int64, DataType::Int64, page, rows, levels), &what)
    };
    assert_eq!(int64(&FIVE, 5, Levels::None), None);
    assert_eq!(int64(&FIVE, 4, Levels::None), None, "more integers than rows");
    assert_eq!(int64(&FIVE, 6, Levels::None), Some(Flaw::Values));
    assert_eq!(int64(&FIVE[..12], 5, Levels::None), None, "the miniblock is cut behind its integers");
    for end in 0..12 {
        assert_eq!(int64(&FIVE[..end], 5, Levels::None), Some(Flaw::Values), "{end}");
        let optional = [&[10, 1][..], &FIVE[..end]].concat();
        assert_eq!(int64(&optional, 5, Levels::Sized(2)), Some(Flaw::Values), "{end}");
    }
    assert_eq!(int64(&[10, 0], 5, Levels::Sized(2)), None, "nulls need no integers");
    assert_eq!(int64(&[], 0, Levels::None), None);
    assert_eq!(int64(&[9, 0, 0, 0, 10, 0], 5, Levels::Prefixed), Some(Flaw::Levels));
    for (at, byte, flaw) in [
        (0, 0xff, Some(Flaw::Values)), // the size of blocks
        (2, 0, Some(Flaw::Values)),    // the number of miniblocks
        (2, 3, Some(Flaw::Values)),
        (2, 2, None),
        (2, 8, Some(Flaw::Values)),
        (3, 4, Some(Flaw::Values)), // the number of integers
        (3, 6, None),
        (5, 0xff, None), // the smallest difference has a byte more
        (6, 24, None),   // the width
        (6, 25, Some(Flaw::Values)),
        (6, 65, Some(Flaw::Values)),
        (7, 0xff, None), // the width of a miniblock that no integer needs
    ] {
        let mut page = FIVE;
        page[at] = byte;
        assert_eq!(int64(&page, 5, Levels::None), flaw, "{at}: {byte}");
    }
    // The block has an integer more than its three miniblocks.
    for (block, flaw) in [(0x60, None), (0x61, Some(Flaw::Values))] {
        let page = [&[block, 3, 5, 14, 3, 3, 0, 0], &FIVE[10..]].concat();
        assert_eq!(int64(&page, 5, Levels::None), flaw, "{block}");
    }
    let mut page = FIVE.to_vec();
    page[6] = 33;
    page.resize(200, 0);
    assert_eq!(int64(&page, 5, Levels::None), None);
    let int32 = column(Stored::Int32, DataType::Int32, &page, 5, Levels::None);
    assert_eq!(flaw_of(&int32, &"33 of 32 bits"), Some(Flaw::Values));
    let float = column(Stored::Float, DataType::Float32, &page, 5, Levels::None);
    assert_eq!(flaw_of(&float, &"floats have no differences"), Some(Flaw::Unsupported));
}

#[test]
fn large_blocks_and_many_blocks_come_back() {
    // Blocks of 2²⁰ values in 256 miniblocks, and in one miniblock more.
    for (parts, flaw) in [(&[0x80, 2][..], None), (&[0x80, 4], Some(Flaw::Values))] {
        let page = [&[0x80, 0x80, 0x40], parts, &[0x88, 0x27, 0, 2], &[0; 600]].concat();
        let column = column(Stored::Int64, DataType::Int64, &page, 5000, Levels::None);
        assert_eq!(flaw_of(&column, &"a large block"), flaw);
    }
    // Headers of blocks are at any place near the end of a window.
    for seed in 0..60 {
        let mut random = Random(seed);
        let rows = if seed < 4 { 70_001 } else { 12_000 };
        let values: Vec<i64> = (0..rows).map(|row| row + random.below(1 << (10 + seed % 30)) as i64).collect();
        let page = encode(&values, 64, true, &mut random);
        let column = column(Stored::Int64, DataType::Int64, &page, rows as usize, Levels::None);
        assert_eq!(flaw_of(&column, &seed), None, "{seed}");
    }
}
