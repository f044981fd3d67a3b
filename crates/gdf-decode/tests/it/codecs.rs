//! Compressed pages: each form of elements, damaged streams, and wrong sizes.

use gdf_core::DataType;
use gdf_decode::{
    Chunk, Codec, ColumnPages, Compression, DictionaryPage, Encoding, Flaw, Levels, Page, PageHeader, Refused, Stored,
};

use crate::check::check;
use crate::compressor::{CODECS, bytes_of, compress, compressed, hadoop_block, lz4, snappy};
use crate::elements::{Element, Element::Copy, decompress};
use crate::encoder::{Encoded, stored_text};
use crate::programs::random_batch;
use crate::random::Random;

/// The sizes of kernels: the bytes of the page and of the output that are in shared memory, and the number of threads.
const STAGE: usize = 4096;
const RECENT: usize = 8192;
const THREADS: usize = 256;

/// Streams of pages, each with the number of bytes that the header claims. A page has one binary value.
#[derive(Default)]
pub(crate) struct Streams(pub(crate) Vec<(Codec, Vec<u8>, usize)>);

pub(crate) fn literal(size: usize, random: &mut Random) -> Element {
    Element::Literal((0..size).map(|_| random.next() as u8).collect())
}

/// Bytes in which much repeats, little, or nothing.
fn random_bytes(size: usize, random: &mut Random) -> Vec<u8> {
    let (choices, width, period) = (random.of(&[1, 2, 3, 256]), random.of(&[1, 4, 8, 16]), 1 + random.below(5000));
    let mut bytes: Vec<u8> = Vec::with_capacity(size);
    for at in 0..size {
        let byte = match random.below(40) {
            0 => random.next() as u8,
            1..20 if at >= width => bytes[at - width],
            20..35 if at >= period => bytes[at - period],
            _ => random.below(choices) as u8,
        };
        bytes.push(byte);
    }
    bytes
}

impl Streams {
    /// Appends the elements in each form that can have them, behind a literal that makes a value of them.
    pub(crate) fn push(&mut self, elements: &[Element], random: &mut Random) {
        let size = bytes_of(&[&[Element::Literal(vec![0; 4])], elements].concat()).len() - 4;
        let all = [&[Element::Literal((size as u32).to_le_bytes().to_vec())], elements].concat();
        self.0.push((Codec::Snappy, snappy(&all, random), size + 4));
        if all.iter().all(|element| !matches!(element, Copy(0x1_0000.., _) | Copy(_, ..4))) {
            let block = lz4(&all);
            self.0.push((Codec::Lz4Hadoop, hadoop_block(size + 4, &block), size + 4));
            self.0.push((Codec::Lz4Raw, block, size + 4));
        }
    }

    /// Appends a value in the form of all codecs.
    fn push_bytes(&mut self, bytes: &[u8], random: &mut Random) {
        let page = stored_text(bytes);
        self.0.extend(CODECS.map(|codec| (codec, compress(codec, &page, random), page.len())));
    }

    /// Decodes all streams as columns of one batch. Returns the flaw of each.
    pub(crate) fn check(&self, what: &dyn std::fmt::Display) -> Vec<Option<Flaw>> {
        let mut encoded = Encoded::default();
        for (codec, stream, size) in &self.0 {
            encoded.bytes.resize(encoded.bytes.len() + stream.len() % 19, 0x5a);
            let (at, compression) = (encoded.bytes.len(), Some(Compression { codec: *codec, size: *size }));
            encoded.bytes.extend_from_slice(stream);
            let header = PageHeader { rows: 1, encoding: Encoding::Plain, levels: Levels::None, nulls: None };
            let pages = vec![Page { at, len: stream.len(), compression, header }];
            let chunks = vec![Chunk { dictionary: None, pages }];
            let (data_type, stored) = (DataType::LargeBinary, Stored::ByteArray);
            encoded.batch.columns.push(ColumnPages { data_type, stored, is_optional: false, nesting: None, chunks });
        }
        let found = check(&encoded.finish(), what);
        found.into_iter().map(|found| found.err().map(|refused| refused.flaw)).collect()
    }

    pub(crate) fn check_whole(&self, what: &dyn std::fmt::Display) {
        for (found, (codec, ..)) in self.check(what).iter().zip(&self.0) {
            assert_eq!(*found, None, "{what}: {codec:?}");
        }
    }
}

#[test]
fn literals_of_every_length_come_back() {
    let mut random = Random(1);
    for size in [1, 2, 15, 16, 17, 59, 60, 61, 62, 64, 65, 255, 256, 257, 269, 270, 271, 4095, 65_535, 65_537, 300_000]
    {
        let mut streams = Streams::default();
        // Each form of the length occurs.
        for _ in 0..12 {
            let elements = [literal(size, &mut random), Copy(1 + size.min(60), 9), literal(size, &mut random)];
            streams.push(&elements[..1 + random.below(3)], &mut random);
        }
        streams.check_whole(&format!("{size} bytes"));
    }
    // A length of 4 bytes for more than 2²⁴.
    let mut streams = Streams::default();
    streams.push(&[literal((1 << 24) + 5, &mut random), Copy(65_000, 100)], &mut random);
    streams.check_whole(&"a long literal");
}

#[test]
fn copies_may_overlap() {
    let mut random = Random(2);
    for distance in (1..=17).chain([31, 32, 33, 63, 64, 65, 100]) {
        let mut streams = Streams::default();
        let first = literal(distance, &mut random);
        for length in [1, 3, 4, 5, 11, 12, 31, 32, 33, 64, 65, 100, 4095, 4097, 20_000] {
            let elements = [first.clone(), Copy(distance, length), literal(3, &mut random), Copy(distance, length)];
            streams.push(&elements, &mut random);
        }
        streams.check_whole(&format!("distance {distance}"));
    }
}

#[test]
fn copies_depend_on_one_another() {
    let mut random = Random(3);
    // The typical form of numbers whose low bytes differ.
    let numbers: Vec<_> = (0..3000).flat_map(|_| [literal(1, &mut random), Copy(8, 7)]).collect();
    let mut streams = Streams::default();
    streams.push(&[&[literal(8, &mut random)], &numbers[..]].concat(), &mut random);
    let same: Vec<_> = (0..500).flat_map(|_| [Copy(5, 64), Copy(5, 3), Copy(6, 4), Copy(6, 4)]).collect();
    streams.push(&[&[literal(9, &mut random)], &same[..]].concat(), &mut random);
    for count in [62, THREADS / 2, THREADS / 2 + 1, THREADS, THREADS + 1, 4 * THREADS + 1] {
        let copies: Vec<_> = (0..count).map(|index| Copy(1 + index % 4, 1 + index % 5)).collect();
        streams.push(&[&[literal(4, &mut random)], &copies[..]].concat(), &mut random);
        let copies: Vec<_> = (0..count).map(|index| Copy(4 + index % 2, 4)).collect();
        streams.push(&[&[literal(8, &mut random)], &copies[..]].concat(), &mut random);
    }
    streams.check_whole(&"dependent copies");
}

#[test]
fn sizes_around_those_of_kernels_come_back() {
    let around = |size: usize| [size - 5, size - 4, size - 1, size, size + 1];
    let sizes = [16, 32, STAGE / 2, STAGE, RECENT, 2 * RECENT, 2 * RECENT + STAGE, 8 * RECENT];
    for size in [0, 1, 2, 3].into_iter().chain(sizes.into_iter().flat_map(around)) {
        let mut random = Random(size as u64);
        let mut streams = Streams::default();
        for bytes in [
            vec![0; size],
            (0..size).map(|_| random.next() as u8).collect(),
            random_bytes(size, &mut random),
            (0..size).map(|at| ((at / 8) >> (at % 8 * 8)) as u8).collect(),
        ] {
            streams.push_bytes(&bytes, &mut random);
        }
        streams.check_whole(&format!("{size} bytes"));
    }
}

#[test]
fn copies_reach_far_back() {
    let mut random = Random(5);
    let distances = [RECENT / 2, RECENT, 3 * RECENT / 2, 2 * RECENT, 32_768, 65_535, 65_536, 100_000, 250_000];
    for distance in distances {
        for near in [distance - 70, distance - 4, distance - 1, distance, distance + 1, distance + 70] {
            let mut streams = Streams::default();
            let mut elements = vec![literal(distance + 100, &mut random)];
            for length in [1, 4, 7, 8, 9, 63, 64, 65, 67, 200, 5000, 1] {
                elements.extend([literal(1 + random.below(70), &mut random), Copy(near, length)]);
            }
            elements.extend((0..300).map(|index| Copy(near - index % 5, 4 + index % 60)));
            streams.push(&elements, &mut random);
            // Without what has 3 bytes or fewer, for LZ4.
            elements.retain(|element| !matches!(element, Copy(_, ..4)));
            streams.push(&elements, &mut random);
            streams.check_whole(&format!("distance {near}"));
        }
    }
}

#[test]
fn elements_follow_long_literals() {
    let mut random = Random(6);
    for size in [STAGE - 20, STAGE - 1, STAGE, STAGE + 1, STAGE + 64, 2 * STAGE, 3 * STAGE, 10 * STAGE + 7] {
        for few in [0, 1, 40, 200] {
            let mut elements = vec![];
            for _ in 0..4 {
                elements.push(literal(size + random.below(20), &mut random));
                elements
                    .extend((0..few).flat_map(|_| [Copy(1 + random.below(50), 5), literal(1 + few % 64, &mut random)]));
            }
            let mut streams = Streams::default();
            streams.push(&elements, &mut random);
            streams.check_whole(&format!("{few} elements behind {size} bytes"));
        }
    }
    // All literals have the size up to which they are read from the stage, or one byte more.
    for size in [60, 63, 64, 65] {
        let elements: Vec<_> = (0..600).flat_map(|_| [literal(size, &mut random), Copy(40, 4)]).collect();
        let mut streams = Streams::default();
        streams.push(&elements, &mut random);
        streams.check_whole(&format!("literals of {size} bytes"));
    }
}

#[test]
fn random_streams_come_back() {
    for seed in 0..60 {
        let mut random = Random(0xc0dec + seed);
        let mut streams = Streams::default();
        for _ in 0..4 {
            let most = random.of(&[20, 300, 5000, 100_000]);
            let size = random.below(most);
            streams.push_bytes(&random_bytes(size, &mut random), &mut random);
        }
        streams.check_whole(&format!("seed {seed}"));
    }
}

#[test]
fn damaged_streams_have_one_answer() {
    let (mut refused, mut all) = (0, 0);
    for seed in 0..80 {
        let mut random = Random(0xbad + seed);
        let mut whole = Streams::default();
        for _ in 0..3 {
            let most = random.of(&[20, 300, 9000, 50_000]);
            let size = random.below(most);
            whole.push_bytes(&random_bytes(size, &mut random), &mut random);
        }
        for change in 0..4 {
            let mut streams = Streams(whole.0.clone());
            for (_, stream, size) in &mut streams.0 {
                match random.below(8) {
                    0 => stream.truncate(random.below(stream.len() + 1)),
                    1 => stream.push(random.next() as u8),
                    2 => *size = random.of(&[*size + 1, size.saturating_sub(1), *size * 2, *size / 2, 0, 4]),
                    _ => {
                        for _ in 0..1 + random.below(3) {
                            let reach = random.of(&[2, 12, stream.len()]).min(stream.len());
                            let at = random.below(reach);
                            let any = random.next() as u8;
                            stream[at] = random.of(&[0, 0xff, any, stream[at] ^ 1]);
                        }
                    }
                }
            }
            let found = streams.check(&format!("seed {seed}, change {change}"));
            refused += found.iter().flatten().count();
            all += found.len();
        }
    }
    assert!(refused > all / 3, "{refused} of {all} damaged streams were refused");
}

#[test]
fn each_element_is_checked() {
    // A value of 8 bytes begins with its size.
    let value = |of: &[u8]| [&[12, 11 << 2, 8, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8][..], of].concat();
    let size = |size: u8, stream: Vec<u8>| [&[size], &stream[1..]].concat();
    let snappy = [
        (value(&[]), 12, None),
        ([&[0x8c, 0x80, 0x80, 0x80, 0][..], &value(&[])[1..]].concat(), 12, None),
        ([&[0x8c, 0x80, 0x80, 0x80, 0x80, 0][..], &value(&[])[1..]].concat(), 12, Some(Flaw::Compression)),
        ([&[0x8c, 0x80, 0x80, 0x80, 0x10][..], &value(&[])[1..]].concat(), 12, Some(Flaw::Compression)),
        (vec![0x8c], 12, Some(Flaw::Compression)),
        (vec![], 12, Some(Flaw::Size)),
        (value(&[]), 13, Some(Flaw::Size)),
        (value(&[]), 11, Some(Flaw::Size)),
        (value(&[])[..13].to_vec(), 12, Some(Flaw::Compression)),
        (value(&[0]), 12, Some(Flaw::Compression)),
        (size(13, value(&[])), 13, Some(Flaw::Compression)),
        (size(16, value(&[1, 12])), 16, None),
        (size(16, value(&[1, 13])), 16, Some(Flaw::Compression)),
        (size(16, value(&[1, 0])), 16, Some(Flaw::Compression)),
        (size(16, value(&[1])), 16, Some(Flaw::Compression)),
        (size(15, value(&[1, 12])), 15, Some(Flaw::Compression)),
        (size(16, value(&[3 << 2 | 2, 12, 0])), 16, None),
        (size(16, value(&[3 << 2 | 2, 12, 1])), 16, Some(Flaw::Compression)),
        (size(16, value(&[3 << 2 | 2, 12])), 16, Some(Flaw::Compression)),
        (size(16, value(&[3 << 2 | 3, 12, 0, 0, 0])), 16, None),
        (size(16, value(&[3 << 2 | 3, 12, 0, 0, 0x80])), 16, Some(Flaw::Compression)),
        (size(16, value(&[3 << 2 | 3, 12, 0, 0])), 16, Some(Flaw::Compression)),
        (size(14, value(&[60 << 2, 1, 7, 7])), 14, None),
        (size(14, value(&[63 << 2, 1, 0, 0, 0, 7, 7])), 14, None),
        (size(14, value(&[63 << 2, 1, 0, 0, 0, 7])), 14, Some(Flaw::Compression)),
        (size(14, value(&[63 << 2, 1, 0, 0])), 14, Some(Flaw::Compression)),
        (size(14, value(&[63 << 2, 0xff, 0xff, 0xff, 0xff, 7])), 14, Some(Flaw::Compression)),
    ];
    let snappy = snappy.map(|(stream, size, flaw)| (Codec::Snappy, stream, size, flaw));
    let value = |of: &[u8]| [&[0xc0, 8, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8][..], of].concat();
    let token = |token: u8, stream: Vec<u8>| [&[token], &stream[1..]].concat();
    let lz4 = [
        (value(&[]), 12, None),
        (value(&[]), 13, Some(Flaw::Size)),
        (value(&[]), 11, Some(Flaw::Size)),
        (vec![], 0, None),
        (value(&[])[..12].to_vec(), 12, Some(Flaw::Compression)),
        (value(&[1]), 12, Some(Flaw::Compression)),
        (value(&[12, 0]), 16, Some(Flaw::Compression)),
        (value(&[12, 0, 0]), 16, None),
        (value(&[12, 0, 0]), 15, Some(Flaw::Size)),
        (value(&[13, 0, 0]), 16, Some(Flaw::Compression)),
        (value(&[0, 0, 0]), 16, Some(Flaw::Compression)),
        (value(&[12, 0, 0x10, 9]), 17, None),
        (value(&[12, 0, 0x20, 9]), 17, Some(Flaw::Compression)),
        (value(&[12, 0, 0x20, 9, 9]), 17, Some(Flaw::Size)),
        (token(0xcf, value(&[12, 0, 1, 0])), 32, None),
        (token(0xcf, value(&[12, 0])), 32, Some(Flaw::Compression)),
        (token(0xcf, value(&[12, 0, 255])), 287, Some(Flaw::Compression)),
        (token(0xcf, value(&[12, 0, 255, 0, 0])), 286, None),
        (token(0xcf, value(&[12, 0, 255, 0, 0])), 285, Some(Flaw::Size)),
        (value(&[12, 0, 0xf0]), 17, Some(Flaw::Compression)),
        (value(&[12, 0, 0xf0, 0]), 31, Some(Flaw::Compression)),
    ];
    let lz4 = lz4.map(|(stream, size, flaw)| (Codec::Lz4Raw, stream, size, flaw));
    let block = |size, of: &[u8]| hadoop_block(size, of);
    let two = |first: &[u8]| [first, &block(8, &[0x80, 1, 2, 3, 4, 5, 6, 7, 8])].concat();
    let first = |of: &[u8]| block(4, &[&[0x40, 8, 0, 0, 0], of].concat());
    let hadoop = [
        (block(12, &value(&[])), 12, None),
        (block(12, &value(&[])), 13, Some(Flaw::Size)),
        (block(12, &value(&[])), 11, Some(Flaw::Size)),
        (block(13, &value(&[])), 13, Some(Flaw::Compression)),
        (block(11, &value(&[])), 12, Some(Flaw::Compression)),
        (two(&first(&[])), 12, None),
        (two(&[first(&[]), block(0, &[0])].concat()), 12, None),
        (two(&[first(&[]), block(0, &[])].concat()), 12, Some(Flaw::Compression)),
        (two(&first(&[4, 0, 0])), 16, Some(Flaw::Compression)),
        ([two(&first(&[])), vec![0; 7]].concat(), 12, Some(Flaw::Compression)),
        (two(&first(&[]))[..20].to_vec(), 12, Some(Flaw::Compression)),
        (vec![0, 0, 0, 4, 0xff, 0xff, 0xff, 0xff, 0], 12, Some(Flaw::Compression)),
        (vec![], 0, None),
    ];
    let hadoop = hadoop.map(|(stream, size, flaw)| (Codec::Lz4Hadoop, stream, size, flaw));
    for (codec, stream, size, flaw) in snappy.into_iter().chain(lz4).chain(hadoop) {
        let what = format!("{codec:?} {stream:?} as {size} bytes");
        let found = Streams(vec![(codec, stream, size)]).check(&what).remove(0);
        // A page must have the bytes of its value.
        let is_empty = size == 0 && found == Some(Flaw::Values);
        assert!(found == flaw || is_empty, "{what}: {found:?}, not {flaw:?}");
    }
}

#[test]
fn copies_stay_within_their_block() {
    // The second block copies from the first one, or from itself.
    let first = [0x80, 13, 0, 0, 0, 1, 2, 3, 4];
    for (distance, flaw) in [(1, None), (5, None), (6, Some(Flaw::Compression)), (9, Some(Flaw::Compression))] {
        let second = [0x50, 5, 6, 7, 8, 9, distance, 0, 0];
        let stream = [hadoop_block(8, &first), hadoop_block(9, &second)].concat();
        let found = Streams(vec![(Codec::Lz4Hadoop, stream, 17)]).check(&distance);
        assert_eq!(found, [flaw], "{distance}");
    }
}

#[test]
fn levels_of_version_2_are_not_compressed() {
    let values = [1, 2, 3].map(i32::to_le_bytes).concat();
    let column = |levels: &[u8], codec: Codec, stream: &[u8], size: usize| {
        let mut encoded = Encoded { bytes: vec![0x5a; 3], ..Encoded::default() };
        let header =
            PageHeader { rows: 3, encoding: Encoding::Plain, levels: Levels::Sized(levels.len()), nulls: None };
        let page = [levels, stream].concat();
        encoded.bytes.extend_from_slice(&page);
        let pages = vec![Page { at: 3, len: page.len(), compression: Some(Compression { codec, size }), header }];
        let chunks = vec![Chunk { dictionary: None, pages }];
        let (data_type, stored) = (DataType::Int32, Stored::Int32);
        encoded.batch.columns.push(ColumnPages { data_type, stored, is_optional: true, nesting: None, chunks });
        check(&encoded.finish(), &format!("{codec:?}, {levels:?}")).remove(0).err().map(|refused| refused.flaw)
    };
    let mut random = Random(8);
    for codec in CODECS {
        let stream = compress(codec, &values, &mut random);
        assert_eq!(column(&[6, 1], codec, &stream, 14), None);
        assert_eq!(column(&[6, 1, 9, 9, 9], codec, &stream, 17), None);
        assert_eq!(column(&[6, 1], codec, &stream, 15), Some(Flaw::Size), "{codec:?}");
        // Without values, the stream is not looked at.
        for stream in [&[][..], &[0xff], &[0xff; 40]] {
            let found = column(&[6, 0], codec, stream, 2);
            let expected = (codec == Codec::Uncompressed && !stream.is_empty()).then_some(Flaw::Size);
            assert_eq!(found, expected, "{codec:?}");
        }
    }
    // The first copy refers to the levels.
    assert_eq!(column(&[6, 1], Codec::Snappy, &[12, 11 << 2 | 2, 2, 0], 14), Some(Flaw::Compression));
    assert_eq!(column(&[6, 1], Codec::Lz4Raw, &[0x08, 2, 0, 0], 14), Some(Flaw::Compression));
    assert_eq!(column(&[6, 1], Codec::Snappy, &[12, 3 << 2, 6, 1, 6, 1, 1 | 4 << 2, 2], 14), None);
}

#[test]
fn impossible_sizes_are_refused_before_memory_is_taken() {
    let flaw = |codec, len: usize, size| Streams(vec![(codec, vec![0; len], size)]).check(&size)[0];
    for (codec, most) in [(Codec::Snappy, 22), (Codec::Lz4Raw, 255), (Codec::Lz4Hadoop, 255)] {
        for size in [most * 10 + 1, 1 << 31, usize::MAX] {
            assert_eq!(flaw(codec, 10, size), Some(Flaw::Size), "{codec:?} {size}");
        }
    }
    let column = Streams(vec![(Codec::Snappy, vec![0; 10], 1 << 40)]);
    column.check(&"a claim of 2⁴⁰ bytes");
    assert_eq!(flaw(Codec::Uncompressed, 10, 11), Some(Flaw::Size));
    assert_eq!(flaw(Codec::Uncompressed, 10, 9), Some(Flaw::Size));
}

#[test]
fn a_damaged_page_refuses_its_column_only() {
    let mut encoded = Encoded::default();
    let header = PageHeader { rows: 2, encoding: Encoding::Keys, levels: Levels::None, nulls: None };
    let mut random = Random(9);
    let [dictionary, keys] =
        [&[5, 0, 0, 0, 6, 0, 0, 0][..], &[1, 3, 0b10]].map(|page| compress(Codec::Snappy, page, &mut random));
    for bad in [None, Some(0), Some(2), Some(1)] {
        let mut number = 0;
        let mut place = |page: &[u8], size: usize| {
            let (at, mut page) = (encoded.bytes.len(), page.to_vec());
            if bad == Some(number) {
                *page.last_mut().unwrap() = 0xff;
                page.push(1);
            }
            number += 1;
            encoded.bytes.extend_from_slice(&page);
            (at, page.len(), Some(Compression { codec: Codec::Snappy, size }))
        };
        let (at, len, compression) = place(&dictionary, 8);
        let dictionary = Some(DictionaryPage { at, len, compression, values: 2 });
        let pages = [(); 2].map(|()| place(&keys, 3));
        let pages = pages.map(|(at, len, compression)| Page { at, len, compression, header }).to_vec();
        let (data_type, stored, chunks) = (DataType::Int32, Stored::Int32, vec![Chunk { dictionary, pages }]);
        encoded.batch.columns.push(ColumnPages { data_type, stored, is_optional: false, nesting: None, chunks });
    }
    let found = check(&encoded.finish(), &"several columns");
    assert!(found[0].is_ok());
    for (column, page) in [(1, 0), (2, 2), (3, 1)] {
        let refused = found[column].as_ref().err().copied();
        assert_eq!(refused, Some(Refused { column, page, flaw: Flaw::Compression }));
    }
}

#[test]
fn compressed_batches_come_back() {
    for seed in 0..50 {
        let mut random = Random(0xba7c + seed);
        let encoded = random_batch(&mut random, 5, &[0, 1, 33, 500, 2049, 6500]);
        let found = check(&compressed(&encoded, &mut random), &format!("seed {seed}"));
        assert!(found.iter().all(Result::is_ok), "seed {seed}");
    }
}

#[test]
fn flipped_bits_of_compressed_batches_have_one_answer() {
    let mut refused = 0;
    for seed in 0..40 {
        let mut random = Random(0xf11c + seed);
        let encoded = random_batch(&mut random, 3, &[1, 33, 64, 500, 2049]);
        let whole = compressed(&encoded, &mut random);
        for change in 0..6 {
            let mut encoded = whole.clone();
            for _ in 0..1 + random.below(2 + encoded.bytes.len() / 3000) {
                let at = random.below(encoded.bytes.len());
                let any = random.next() as u8;
                encoded.bytes[at] = random.of(&[0, 0xff, any, encoded.bytes[at] ^ 1]);
            }
            let found = check(&encoded, &format!("seed {seed}, change {change}"));
            refused += found.iter().filter(|column| column.is_err()).count();
        }
    }
    assert!(refused > 50, "{refused} of the damaged columns were refused");
}

#[test]
fn the_naive_decompressor_reads_what_other_crates_write() {
    for seed in 0..100 {
        let mut random = Random(seed);
        let bytes = random_bytes(random.clone().below(5000), &mut random);
        for codec in CODECS {
            let stream = compress(codec, &bytes, &mut random);
            assert_eq!(decompress(codec, &stream).as_ref(), Some(&bytes), "seed {seed}, {codec:?}");
        }
        let snappy = crate::compressor::snappy(&crate::compressor::elements_of(&bytes, 1, &mut random), &mut random);
        assert_eq!(snap::raw::Decoder::new().decompress_vec(&snappy).unwrap(), bytes, "seed {seed}");
    }
}
