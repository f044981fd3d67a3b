//! Pages with flipped bits, cut pages, and changed descriptors: the naive decoder says whether they can be decoded.

use gdf_core::DataType;
use gdf_decode::{ColumnPages, Compression, Encoding, Levels, Page, Stored};

use crate::check::check;
use crate::compressor::CODECS;
use crate::encoder::Encoded;
use crate::programs::{random_batch, types};
use crate::random::Random;

const SIZES: [usize; 9] = [1, 8, 33, 64, 300, 2047, 2049, 100, 900];

const ENCODINGS: [Encoding; 7] = [
    Encoding::Plain,
    Encoding::Keys,
    Encoding::Rle,
    Encoding::ByteStreamSplit,
    Encoding::DeltaBinaryPacked,
    Encoding::DeltaLengthByteArray,
    Encoding::DeltaByteArray,
];

/// Changes bytes, where damage is likely to be seen: near the start of a page.
fn flip(encoded: &mut Encoded, random: &mut Random) {
    if encoded.bytes.is_empty() {
        return;
    }
    for _ in 0..1 + random.below(3) {
        let pages: Vec<usize> = encoded
            .batch
            .columns
            .iter()
            .flat_map(|column| &column.chunks)
            .flat_map(|chunk| &chunk.pages)
            .map(|page| page.at)
            .collect();
        let near = if pages.is_empty() || random.once_in(3) { 0 } else { random.of(&pages) };
        let reach = random.of(&[1, 4, 8, 64, 4096, encoded.bytes.len()]);
        let at = (near + random.below(reach)).min(encoded.bytes.len() - 1);
        encoded.bytes[at] = match random.below(4) {
            0 => 0,
            1 => 0xff,
            2 => random.next() as u8,
            _ => encoded.bytes[at] ^ 1 << random.below(8),
        };
    }
}

fn changed_size(size: usize, random: &mut Random) -> usize {
    match random.below(8) {
        0 => 0,
        1 => size / 2,
        2 => size.saturating_sub(1),
        3 => size + 1,
        4 => size * 2,
        5 => usize::MAX - random.below(32),
        6 => size + (1 << 31),
        _ => random.below(size + 20),
    }
}

fn change_page(page: &mut Page, random: &mut Random) {
    match random.below(7) {
        6 => {
            let changed = changed_size(page.len, random);
            let size = random.of(&[page.len, changed]);
            page.compression = Some(Compression { codec: random.of(&CODECS), size });
        }
        0 => {
            let changed = changed_size(page.at, random);
            page.at = random.of(&[page.at + 16, page.at.saturating_sub(16), page.at + 1, changed]);
        }
        1 => page.len = changed_size(page.len, random),
        2 => page.header.rows = changed_size(page.header.rows, random),
        3 => page.header.encoding = random.of(&ENCODINGS),
        4 => {
            let size = match page.header.levels {
                Levels::Sized(size) => changed_size(size, random),
                Levels::None | Levels::Prefixed | Levels::Both { .. } => random.below(20),
            };
            page.header.levels = random.of(&[Levels::None, Levels::Prefixed, Levels::Sized(size)]);
        }
        _ => page.header.nulls = random.of(&[None, Some(0), Some(1), Some(page.header.rows), Some(usize::MAX)]),
    }
}

fn change_column(column: &mut ColumnPages, random: &mut Random) {
    let chunk = random.below(column.chunks.len().max(1));
    match random.below(8) {
        0 => column.is_optional = !column.is_optional,
        1 => column.stored = random.of(&types()).0,
        2 => column.data_type = random.of(&types()).1,
        3 => {
            let others = [DataType::Utf8, DataType::LargeBinary, DataType::Boolean, DataType::Decimal128(3, 0)];
            column.data_type = random.of(&others);
        }
        4 => {
            let size = random.below(20);
            column.stored = random.of(&[Stored::ByteArray, Stored::FixedLenByteArray(size)]);
        }
        5 => column.chunks.get_mut(chunk).into_iter().for_each(|chunk| chunk.dictionary = None),
        6 => {
            if let Some(page) = column.chunks.get_mut(chunk).and_then(|chunk| chunk.dictionary.as_mut()) {
                match random.below(3) {
                    0 => page.at = changed_size(page.at, random),
                    1 => page.len = changed_size(page.len, random),
                    _ => page.values = changed_size(page.values, random),
                }
            }
        }
        _ => {
            let pages = column.chunks.get_mut(chunk).map(|chunk| &mut chunk.pages);
            let page = pages.and_then(|pages| {
                let at = random.below(pages.len().max(1));
                pages.get_mut(at)
            });
            page.into_iter().for_each(|page| change_page(page, random));
        }
    }
}

#[test]
fn flipped_bits_have_one_answer() {
    let mut refused = 0;
    for seed in 0..60 {
        let mut random = Random(0xf11b + seed);
        let whole = random_batch(&mut random, 4, &SIZES);
        for change in 0..12 {
            let mut encoded = whole.clone();
            flip(&mut encoded, &mut random);
            let found = check(&encoded, &format!("seed {seed}, change {change}"));
            refused += found.iter().filter(|column| column.is_err()).count();
        }
    }
    assert!(refused > 50, "{refused} of the damaged columns were refused");
}

#[test]
fn changed_descriptors_have_one_answer() {
    let mut refused = 0;
    for seed in 0..60 {
        let mut random = Random(0xde5c + seed);
        let whole = random_batch(&mut random, 4, &SIZES);
        for change in 0..12 {
            let mut encoded = whole.clone();
            for column in &mut encoded.batch.columns {
                if random.once_in(2) {
                    change_column(column, &mut random);
                }
            }
            let found = check(&encoded, &format!("seed {seed}, change {change}"));
            refused += found.iter().filter(|column| column.is_err()).count();
        }
    }
    assert!(refused > 50, "{refused} of the changed columns were refused");
}

#[test]
fn cut_pages_have_one_answer() {
    for seed in 0..20 {
        let mut random = Random(0xc07 + seed);
        let whole = random_batch(&mut random, 2, &[1, 9, 40, 500]);
        let pages = |batch: &gdf_decode::Batch| -> usize {
            batch.columns.iter().flat_map(|column| &column.chunks).map(|chunk| chunk.pages.len()).sum()
        };
        for number in 0..pages(&whole.batch) {
            let mut encoded = whole.clone();
            let chunks = encoded.batch.columns.iter_mut().flat_map(|column| &mut column.chunks);
            let page = chunks.flat_map(|chunk| &mut chunk.pages).nth(number).unwrap();
            page.len = random.below(page.len + 1);
            check(&encoded, &format!("seed {seed}, page {number}"));
        }
    }
}
