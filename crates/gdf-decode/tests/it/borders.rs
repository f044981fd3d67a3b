//! Elements at the borders of what the kernels decompress at the same time.
//!
//! A window has 32 bytes of the page, a group 256, a chunk 2048, and the stage 4096. A segment of output has 4096
//! bytes.

use gdf_decode::{Codec, Flaw};

use crate::codecs::{Streams, literal};
use crate::compressor::{bytes_of, hadoop_block, lz4, snappy};
use crate::elements::{Element, Element::Copy};
use crate::random::Random;

const CHUNK: usize = 2048;
const STAGE: usize = 4096;
const SEGMENT: usize = 4096;

/// Elements that are `bytes` bytes of a page. Each of them has 7 in both forms, after a first literal.
fn short_elements(bytes: usize, random: &mut Random) -> Vec<Element> {
    let first = 7 + bytes % 7;
    let mut elements = vec![literal(first, random)];
    elements.extend((0..bytes / 7).flat_map(|_| [literal(4, random), Copy(1 + random.below(7), 12)]));
    elements
}

#[test]
fn long_elements_begin_at_every_border() {
    let mut random = Random(21);
    for border in [32, 256, CHUNK - 72, CHUNK, STAGE - 72, STAGE] {
        let mut streams = Streams::default();
        for at in border - 20..border + 4 {
            let long = random.of(&[16, 60, 61, 73, 200, 270, 300, 700]);
            let longer = 4 + random.of(&[14, 15, 269, 270, 300, 5000]);
            let elements = [
                short_elements(at, &mut random),
                vec![literal(long, &mut random), Copy(5, longer)],
                short_elements(3 * CHUNK, &mut random),
            ];
            streams.push(&elements.concat(), &mut random);
        }
        streams.check_whole(&format!("around {border}"));
    }
}

#[test]
fn a_chunk_may_have_any_number_of_elements() {
    let mut random = Random(22);
    let mut streams = Streams::default();
    for count in [1, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2049, 5000] {
        // Elements of 2 bytes: as many as a chunk can have.
        let copies: Vec<_> = (0..count).map(|_| Copy(1 + random.below(4), 4)).collect();
        streams.push(&[&[literal(4, &mut random)], &copies[..]].concat(), &mut random);
        let literals: Vec<_> = (0..count).map(|_| literal(1, &mut random)).collect();
        streams.push(&literals, &mut random);
        // Sequences of 4 bytes with both.
        let both: Vec<_> = (0..count).flat_map(|_| [literal(1, &mut random), Copy(1 + random.below(5), 4)]).collect();
        streams.push(&both, &mut random);
    }
    streams.check_whole(&"many elements");
}

#[test]
fn elements_end_at_the_borders_of_segments() {
    let mut random = Random(23);
    for border in [SEGMENT, 2 * SEGMENT, 3 * SEGMENT] {
        let mut streams = Streams::default();
        for before in 0..20 {
            let copies = |bytes: usize| {
                let copies = std::iter::repeat_n(Copy(7, 64), bytes / 64);
                copies.chain((!bytes.is_multiple_of(64)).then_some(Copy(7, bytes % 64))).collect::<Vec<_>>()
            };
            let first = literal(8, &mut random);
            let elements = [vec![first], copies(border - 14 - before), vec![literal(2, &mut random)], copies(5000)];
            streams.push(&elements.concat(), &mut random);
        }
        streams.check_whole(&format!("around {border}"));
    }
}

#[test]
fn every_byte_of_a_segment_depends_on_the_one_before() {
    let mut random = Random(24);
    let mut streams = Streams::default();
    for distance in 1..=70 {
        let copies: Vec<_> = (0..2 * SEGMENT / 9).flat_map(|_| [Copy(distance, 5), Copy(distance, 4)]).collect();
        streams.push(&[&[literal(distance, &mut random)], &copies[..]].concat(), &mut random);
    }
    streams.check_whole(&"copies of copies");
}

#[test]
fn a_segment_may_have_short_and_long_elements() {
    let mut random = Random(25);
    let mut streams = Streams::default();
    for few in [1, 8, 40, 100, 300] {
        for long in [33, 64, 65, 129, 257, 1000, 1900] {
            let mut elements = short_elements(few * 7, &mut random);
            elements.extend([literal(long, &mut random), Copy(long + 3, 60), Copy(2, 64)]);
            elements.extend(short_elements(few * 7, &mut random));
            streams.push(&elements, &mut random);
        }
    }
    // Only long elements are copied.
    let elements: Vec<_> = (0..300).flat_map(|_| [literal(3, &mut random), Copy(40, 40)]).collect();
    streams.push(&[&[literal(40, &mut random)], &elements[..]].concat(), &mut random);
    streams.check_whole(&"short and long elements");
}

#[test]
fn lengths_of_lz4_have_any_number_of_bytes() {
    let mut random = Random(26);
    let lengths = [14, 15, 16, 15 + 254, 15 + 255, 15 + 256, 15 + 2 * 255 - 1, 15 + 2 * 255, 15 + 9 * 255, 20_000];
    for length in lengths {
        let mut streams = Streams::default();
        for other in lengths {
            let sequence = [literal(length, &mut random), Copy(1 + random.below(length), other + 4)];
            streams.push(&[&sequence[..], &sequence].concat(), &mut random);
        }
        streams.check_whole(&format!("{length} bytes"));
    }
}

#[test]
fn blocks_of_hadoop_may_be_short() {
    let mut random = Random(27);
    let mut streams = Streams::default();
    for size in [1, 5, 14, 40, 300, CHUNK, STAGE + 1] {
        let (mut stream, mut total) = (vec![], 4);
        stream.extend(hadoop_block(4, &lz4(&[Element::Literal((12 * size as u32).to_le_bytes().to_vec())])));
        for index in 0..12 {
            let elements = match index % 3 {
                0 => vec![literal(size, &mut random)],
                1 if size > 4 => vec![literal(1, &mut random), Copy(1, size - 1)],
                _ => (0..size).map(|_| literal(1, &mut random)).collect(),
            };
            assert_eq!(bytes_of(&elements).len(), size);
            stream.extend(hadoop_block(size, &lz4(&elements)));
            total += size;
        }
        streams.0.push((Codec::Lz4Hadoop, stream, total));
    }
    streams.check_whole(&"short blocks");
}

#[test]
fn the_first_bad_element_of_a_chunk_is_found() {
    let mut random = Random(28);
    for before in [0, 1, 30, 255, 256, 300, 700] {
        let elements = short_elements(before * 7, &mut random);
        let size = bytes_of(&elements).len();
        let all = [&[Element::Literal((size as u32 + 4).to_le_bytes().to_vec())], &elements[..]].concat();
        let mut streams = Streams::default();
        // A copy from before the page, a copy of more bytes than are left, and a distance of zero.
        for bad in [&[1, 0xff, 0xff][..], &[3 << 2 | 2, 0xff, 0xff], &[63 << 2 | 2, 1, 0], &[1, 0]] {
            let size = size + 8;
            let mut stream = snappy(&all, &mut random);
            let header = stream.iter().take_while(|byte| **byte >= 0x80).count() + 1;
            stream.drain(..header);
            let mut number = size;
            let mut claimed = vec![];
            while number >= 0x80 {
                claimed.push(number as u8 | 0x80);
                number >>= 7;
            }
            claimed.push(number as u8);
            let tail = [3 << 2, 1, 2, 3, 4].repeat(200);
            streams.0.push((Codec::Snappy, [&claimed[..], &stream, bad, &tail].concat(), size));
        }
        let found = streams.check(&format!("behind {before} elements"));
        assert!(found.iter().all(|flaw| *flaw == Some(Flaw::Compression)), "{found:?}");
    }
}
