//! Compresses pages in any form that Snappy and LZ4 allow.

use std::collections::HashMap;

use gdf_decode::{Batch, Codec, Compression, Levels};

use crate::elements::{Element, copy};
use crate::encoder::Encoded;
use crate::random::Random;

pub(crate) const CODECS: [Codec; 4] = [Codec::Uncompressed, Codec::Snappy, Codec::Lz4Raw, Codec::Lz4Hadoop];

/// Returns elements that stand for the bytes, chosen at random. Copies have at least `shortest` bytes.
pub(crate) fn elements_of(bytes: &[u8], shortest: usize, random: &mut Random) -> Vec<Element> {
    let mut elements = Vec::new();
    let (mut at, mut literal) = (0, 0);
    let mut last: HashMap<&[u8], usize> = HashMap::new();
    let rarely = random.of(&[1, 1, 2, 10]);
    while at < bytes.len() {
        let next = bytes.get(at..at + 4);
        let known = next.and_then(|next| last.insert(next, at));
        let near = at.saturating_sub(1 + random.below(20));
        let candidate = if random.once_in(3) { Some(near) } else { known };
        let length =
            candidate.map_or(0, |from| bytes[at..].iter().zip(&bytes[from..]).take_while(|(a, b)| a == b).count());
        if at == 0 || length < shortest || !random.once_in(rarely) {
            at += 1;
            continue;
        }
        let length = if random.once_in(8) { shortest + random.below(length - shortest + 1) } else { length };
        if literal < at {
            elements.push(Element::Literal(bytes[literal..at].to_vec()));
        }
        elements.push(Element::Copy(at - candidate.unwrap(), length));
        at += length;
        literal = at;
    }
    if literal < at {
        elements.push(Element::Literal(bytes[literal..at].to_vec()));
    }
    elements
}

/// Returns the bytes that elements stand for.
pub(crate) fn bytes_of(elements: &[Element]) -> Vec<u8> {
    let mut out = Vec::new();
    for element in elements {
        match element {
            Element::Literal(bytes) => out.extend_from_slice(bytes),
            Element::Copy(distance, length) => copy(&mut out, *distance, *length).unwrap(),
        }
    }
    out
}

fn varint(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Writes the elements as Snappy, in forms that are at times longer than they need to be.
pub(crate) fn snappy(elements: &[Element], random: &mut Random) -> Vec<u8> {
    let mut out = Vec::new();
    varint(bytes_of(elements).len(), &mut out);
    if random.once_in(20) && out.len() < 5 {
        *out.last_mut().unwrap() |= 0x80;
        out.push(0);
    }
    for element in elements {
        match element {
            Element::Literal(bytes) => {
                let below = bytes.len() - 1;
                let needed = (usize::BITS - below.leading_zeros()).div_ceil(8) as usize;
                let extra = if below < 60 && !random.once_in(30) { 0 } else { needed.max(1) };
                let extra = if extra > 0 && random.once_in(3) { extra + random.below(5 - extra) } else { extra };
                out.push(if extra == 0 { below << 2 } else { (59 + extra) << 2 } as u8);
                out.extend_from_slice(&below.to_le_bytes()[..extra]);
                out.extend_from_slice(bytes);
            }
            Element::Copy(distance, length) => {
                let mut left = *length;
                while left > 0 {
                    let part = if random.once_in(4) { 1 + random.below(left.min(64)) } else { left.min(64) };
                    left -= part;
                    let longer = random.once_in(20);
                    if *distance < 2048 && (4..12).contains(&part) && !longer {
                        out.push((distance >> 8 << 5 | (part - 4) << 2 | 1) as u8);
                        out.push(*distance as u8);
                    } else if *distance < 1 << 16 && !longer {
                        out.push(((part - 1) << 2 | 2) as u8);
                        out.extend_from_slice(&distance.to_le_bytes()[..2]);
                    } else {
                        out.push(((part - 1) << 2 | 3) as u8);
                        out.extend_from_slice(&distance.to_le_bytes()[..4]);
                    }
                }
            }
        }
    }
    out
}

/// Writes the elements as a block of LZ4. Copies have at least 4 bytes, and distances below 2¹⁶.
pub(crate) fn lz4(elements: &[Element]) -> Vec<u8> {
    fn more(mut length: usize, out: &mut Vec<u8>) {
        while length >= 255 {
            out.push(255);
            length -= 255;
        }
        out.push(length as u8);
    }

    let (mut out, mut literal) = (Vec::new(), Vec::new());
    let mut sequence = |literal: &[u8], copy: Option<(usize, usize)>| {
        let matched = copy.map_or(0, |(_, length)| length - 4);
        out.push((literal.len().min(15) << 4 | matched.min(15)) as u8);
        if literal.len() >= 15 {
            more(literal.len() - 15, &mut out);
        }
        out.extend_from_slice(literal);
        if let Some((distance, _)) = copy {
            out.extend_from_slice(&(distance as u16).to_le_bytes());
            if matched >= 15 {
                more(matched - 15, &mut out);
            }
        }
    };
    for element in elements {
        match element {
            Element::Literal(bytes) => literal.extend_from_slice(bytes),
            Element::Copy(distance, length) => {
                sequence(&literal, Some((*distance, *length)));
                literal.clear();
            }
        }
    }
    sequence(&literal, None);
    out
}

/// Puts the sizes before a block of LZ4.
pub(crate) fn hadoop_block(size: usize, block: &[u8]) -> Vec<u8> {
    [&(size as u32).to_be_bytes(), &(block.len() as u32).to_be_bytes(), block].concat()
}

/// Compresses bytes, by this compressor or by those of other crates.
pub(crate) fn compress(codec: Codec, bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let by_crate = random.once_in(2);
    let block = |bytes: &[u8], random: &mut Random| {
        if by_crate {
            return lz4_flex::block::compress(bytes);
        }
        let mut elements = elements_of(bytes, 4, random);
        // A distance has 16 bits.
        let mut at = 0;
        for element in &mut elements {
            let length = match element {
                Element::Literal(bytes) => bytes.len(),
                Element::Copy(_, length) => *length,
            };
            if matches!(element, Element::Copy(distance, _) if *distance > 0xffff) {
                *element = Element::Literal(bytes[at..at + length].to_vec());
            }
            at += length;
        }
        lz4(&elements)
    };
    match codec {
        Codec::Uncompressed => bytes.to_vec(),
        Codec::Snappy if by_crate => snap::raw::Encoder::new().compress_vec(bytes).unwrap(),
        Codec::Snappy => {
            let shortest = 1 + random.below(8);
            snappy(&elements_of(bytes, shortest, random), random)
        }
        Codec::Lz4Raw => block(bytes, random),
        Codec::Lz4Hadoop => {
            let size = random.of(&[1_000, 10_000, 1 << 20]);
            bytes.chunks(size).flat_map(|part| hadoop_block(part.len(), &block(part, random))).collect()
        }
    }
}

/// Returns a batch with the same rows, in which pages are compressed.
pub(crate) fn compressed(encoded: &Encoded, random: &mut Random) -> Encoded {
    let mut packed = Encoded { batch: Batch { columns: encoded.batch.columns.clone() }, bytes: Vec::new() };
    let mut columns = std::mem::take(&mut packed.batch.columns);
    let mut pack = |at: usize, len: usize, plain: usize, random: &mut Random| {
        let page = &encoded.bytes[at..at + len];
        if random.once_in(6) {
            return (packed.push(page), len, None);
        }
        let codec = random.of(&CODECS);
        let stream = match page.len() - plain {
            0 if random.once_in(2) => vec![7; random.below(3)],
            _ => compress(codec, &page[plain..], random),
        };
        let stream = [&page[..plain], &stream].concat();
        // The least number of compressed bytes is a check of its own.
        if codec == Codec::Uncompressed && stream.len() != len || len > 0 && stream.is_empty() {
            return (packed.push(page), len, None);
        }
        packed.bytes.resize(packed.bytes.len() + random.below(20), 0x5a);
        let at = packed.bytes.len();
        packed.bytes.extend_from_slice(&stream);
        (at, stream.len(), Some(Compression { codec, size: len }))
    };
    for chunk in columns.iter_mut().flat_map(|column| &mut column.chunks) {
        if let Some(page) = &mut chunk.dictionary {
            (page.at, page.len, page.compression) = pack(page.at, page.len, 0, random);
        }
        for page in &mut chunk.pages {
            let plain = match page.header.levels {
                Levels::Sized(size) => size,
                Levels::Both { repetition, definition } => repetition + definition,
                Levels::None | Levels::Prefixed => 0,
            };
            (page.at, page.len, page.compression) = pack(page.at, page.len, plain, random);
        }
    }
    packed.batch.columns = columns;
    packed.finish()
}
