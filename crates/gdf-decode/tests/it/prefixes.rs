//! Values without the bytes that they share with the value before: what comes back, and what is wrong with pages.

use gdf_core::DataType;
use gdf_decode::{Chunk, Codec, ColumnPages, Compression, Encoding, Flaw, Levels, Page, PageHeader, Stored};

use crate::check::check;
use crate::deltas;
use crate::encoder::Encoded;
use crate::random::Random;

/// Numbers of values around the warps and the tiles of the kernel.
const SIZES: [usize; 14] = [1, 2, 7, 8, 9, 31, 33, 256, 257, 1023, 1024, 1025, 2049, 3000];

/// Encodes values. Most share as many bytes with the value before as they can.
pub(crate) fn encode(values: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let (mut prefixes, mut suffixes, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
    let mut before: &[u8] = &[];
    for value in values {
        let common = value.iter().zip(before).take_while(|(byte, before)| byte == before).count();
        let prefix = match random.below(8) {
            0 => 0,
            1 => random.below(common + 1),
            _ => common,
        };
        prefixes.push(prefix as i64);
        suffixes.push((value.len() - prefix) as i64);
        bytes.extend_from_slice(&value[prefix..]);
        before = value;
    }
    page_of(&prefixes, &suffixes, &bytes, random)
}

fn page_of(prefixes: &[i64], suffixes: &[i64], bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let sizes = [prefixes, suffixes].map(|sizes| deltas::encode(sizes, 32, false, random));
    [&sizes[0], &sizes[1], bytes].concat()
}

/// Returns a column with one page. In a column with levels, each row is valid that `nulls` does not have.
pub(crate) fn column(
    stored: Stored,
    data_type: DataType,
    page: &[u8],
    rows: usize,
    nulls: Option<&dyn Fn(usize) -> bool>,
) -> Encoded {
    let (mut encoded, mut levels) = (Encoded::default(), Vec::new());
    if let Some(is_null) = nulls {
        let header = rows.div_ceil(8) << 1 | 1;
        levels.extend([header as u8 | 0x80, (header >> 7) as u8 | 0x80, (header >> 14) as u8]);
        let bit = |row: usize| u8::from(row < rows && !is_null(row)) << (row % 8);
        levels.extend((0..rows.div_ceil(8)).map(|byte| (byte * 8..byte * 8 + 8).map(bit).sum::<u8>()));
    }
    let of_header = if nulls.is_some() { Levels::Sized(levels.len()) } else { Levels::None };
    let header = PageHeader { rows, encoding: Encoding::DeltaByteArray, levels: of_header, nulls: None };
    let page = [levels.as_slice(), page].concat();
    let page = Page { at: encoded.push(&page), len: page.len(), compression: None, header };
    let chunks = vec![Chunk { dictionary: None, pages: vec![page] }];
    encoded.batch.columns.push(ColumnPages { data_type, stored, is_optional: nulls.is_some(), nesting: None, chunks });
    encoded.finish()
}

fn flaw_of(encoded: &Encoded, what: &dyn std::fmt::Display) -> Option<Flaw> {
    check(encoded, what).remove(0).err().map(|refused| refused.flaw)
}

/// Decodes texts, without nulls and behind some.
fn check_texts(texts: &[Vec<u8>], data_type: &DataType, what: &dyn std::fmt::Display) {
    let mut random = Random(texts.len() as u64);
    let page = encode(texts, &mut random);
    let required = column(Stored::ByteArray, data_type.clone(), &page, texts.len(), None);
    assert_eq!(flaw_of(&required, what), None, "{what}");
    // As many rows as there are texts are not null.
    let optional = column(Stored::ByteArray, data_type.clone(), &page, 2 * texts.len(), Some(&|row| row % 2 == 0));
    assert_eq!(flaw_of(&optional, what), None, "{what}");
}

#[test]
fn texts_with_prefixes_come_back() {
    let forms: [(&str, &dyn Fn(usize) -> String); 9] = [
        ("sorted", &|row| format!("https://www.example.com/{:05}/page", row / 3)),
        ("equal", &|_| "all the same, longer than a warp has lanes".into()),
        ("growing", &|row| "ab".repeat(row % 100)),
        ("shrinking", &|row| "abc".repeat(99 - row % 100)),
        ("steps", &|row| format!("{}{row}", "x".repeat(row * 7 % 41))),
        ("empty", &|_| String::new()),
        ("half empty", &|row| "z".repeat(40 * (row % 2))),
        ("no prefixes", &|row| format!("{}{}", (b'a' + (row % 26) as u8) as char, row)),
        ("characters", &|row| format!("größe €{}\u{10ffff}{}", "ü".repeat(row % 5), "äöü€".repeat(row % 3))),
    ];
    for rows in SIZES {
        for (name, form) in forms {
            let texts: Vec<Vec<u8>> = (0..rows).map(|row| form(row).into_bytes()).collect();
            check_texts(&texts, &DataType::Utf8, &format!("{name}, {rows} rows"));
        }
    }
}

#[test]
fn random_prefixes_come_back() {
    for seed in 0..60 {
        let mut random = Random(seed);
        let (rows, letters) = (random.of(&SIZES), random.of(&[1, 2, 26]));
        let most = random.of(&[1, 3, 20, 70]);
        let mut text = Vec::new();
        let texts: Vec<Vec<u8>> = (0..rows)
            .map(|_| {
                text.truncate(if random.once_in(4) { random.below(text.len() + 1) } else { text.len() });
                text.extend((0..random.below(most)).map(|_| b'a' + random.below(letters) as u8));
                text.truncate(random.of(&[5, 50, 150, 150]));
                text.clone()
            })
            .collect();
        let data_type = random.of(&[DataType::LargeUtf8, DataType::Binary, DataType::LargeBinary]);
        check_texts(&texts, &data_type, &format!("seed {seed}, {rows} rows"));
    }
}

#[test]
fn long_texts_come_back() {
    for (rows, long) in [(1, 100_000), (40, 5_000), (300, 1_000), (1_030, 300)] {
        let text = |row: usize| match row % 5 {
            0 => "long".repeat(long / 4) + &row.to_string(),
            1 => "long".repeat(long / 8),
            2 => "long".repeat(long / 8) + &"er".repeat(long / 4),
            3 => format!("l{row}"),
            _ => String::new(),
        };
        let texts: Vec<Vec<u8>> = (0..rows).map(|row| text(row).into_bytes()).collect();
        check_texts(&texts, &DataType::Utf8, &format!("{rows} rows, {long} bytes"));
    }
}

#[test]
fn values_of_a_fixed_size_come_back() {
    let types = [
        (Stored::FixedLenByteArray(2), DataType::Float16),
        (Stored::FixedLenByteArray(16), DataType::Decimal128(38, 2)),
        (Stored::FixedLenByteArray(5), DataType::Decimal64(11, 2)),
        (Stored::FixedLenByteArray(1), DataType::FixedSizeBinary(1)),
        (Stored::FixedLenByteArray(33), DataType::FixedSizeBinary(33)),
        (Stored::FixedLenByteArray(300), DataType::FixedSizeBinary(300)),
    ];
    for (stored, data_type) in types {
        let Stored::FixedLenByteArray(size) = stored else { unreachable!("all have a fixed size") };
        for rows in [1, 2, 300, 1024, 1025, 3000] {
            let mut random = Random((size * rows) as u64);
            let value = |row: usize| {
                let number = (row as u64 / 2 * 77).to_be_bytes();
                (0..size).map(|at| if at + 8 < size { 0 } else { number[at + 8 - size] }).collect::<Vec<u8>>()
            };
            let values: Vec<Vec<u8>> = (0..rows).map(value).collect();
            let page = encode(&values, &mut random);
            let what = format!("{data_type}, {rows} rows");
            let required = column(stored, data_type.clone(), &page, rows, None);
            assert_eq!(flaw_of(&required, &what), None, "{what}");
            let optional = column(stored, data_type.clone(), &page, rows + rows / 3, Some(&|row| row % 4 == 1));
            assert_eq!(flaw_of(&optional, &what), None, "{what}");
        }
    }
}

/// Checks a page without and with levels, and returns its flaw.
fn both(stored: Stored, data_type: &DataType, page: &[u8], rows: usize, what: &str) -> Option<Flaw> {
    let found = flaw_of(&column(stored, data_type.clone(), page, rows, None), &what);
    let optional = column(stored, data_type.clone(), page, rows, Some(&|_| false));
    assert_eq!(flaw_of(&optional, &what), found, "{what}");
    found
}

#[test]
fn prefixes_are_checked() {
    let bad = Some(Flaw::Values);
    let mut random = Random(5);
    for (prefixes, suffixes, bytes, rows, expected) in [
        (&[0, 2, 1][..], &[2, 0, 1][..], &b"abc"[..], 3, None), // ab, ab, ac
        (&[0, 2, 1], &[2, 0, 1], b"abcd", 3, None),
        (&[0, 2, 1], &[2, 0, 1], b"ab", 3, bad),   // the last suffix is cut
        (&[0, 2, 1], &[2, 0, 1], b"abc", 4, bad),  // fewer texts than rows
        (&[0, 2, 1], &[2, 0, 1], b"abc", 2, bad),  // more texts than rows
        (&[0, 2, 1], &[2, 0], b"ab", 3, bad),      // fewer suffixes than prefixes
        (&[0, 2], &[2, 0, 1], b"abc", 3, bad),     // fewer prefixes than suffixes
        (&[1, 2, 1], &[2, 0, 1], b"abc", 3, bad),  // the first text has a prefix
        (&[0, 3, 1], &[2, 0, 1], b"abc", 3, bad),  // a prefix is longer than the text before
        (&[0, 2, 3], &[2, 0, 1], b"abc", 3, bad),  // also behind a text without a suffix
        (&[0, 2, 2], &[2, 1, 0], b"abc", 3, None), // ab, abc, ab
        (&[0, 3, 2], &[2, 1, 0], b"abc", 3, bad),
        (&[0, -1, 1], &[2, 0, 1], b"abc", 3, bad),
        (&[0, 2, 1], &[2, -1, 1], b"abc", 3, bad),
        (&[-1, 0, 0], &[2, 0, 1], b"abc", 3, bad),
        (&[0, 0, 0], &[-2, 4, 1], b"abc", 3, bad),
        (&[0, 0, 0], &[1 << 30, 1 << 30, 1], b"abc", 3, bad),
        (&[0, 0, 0], &[0, 0, 0], b"", 3, None),
        (&[], &[], b"abc", 0, None),
        (&[], &[], b"abc", 1, bad),
        (&[0], &[3], &[b'a', 0xc3, 0xa4], 1, None),
        (&[0, 2], &[3, 1], &[b'a', 0xc3, 0xa4, 0xb6], 2, None), // the prefix ends in a character
        (&[0, 2], &[3, 0], &[b'a', 0xc3, 0xa4], 2, Some(Flaw::Utf8)),
    ] {
        let page = page_of(prefixes, suffixes, bytes, &mut random);
        let what = format!("{prefixes:?} {suffixes:?} of {rows} rows");
        assert_eq!(both(Stored::ByteArray, &DataType::Utf8, &page, rows, &what), expected, "{what}");
    }
    // The rows that are not null may end before the first bad text.
    let page = page_of(&[0, 1, 9], &[1, 1, 1], b"abc", &mut random);
    for (nulls, expected) in [(3, None), (2, None), (1, None), (0, bad)] {
        let optional = column(Stored::ByteArray, DataType::Utf8, &page, 3, Some(&|row| row < nulls));
        assert_eq!(flaw_of(&optional, &"a bad text behind the others"), expected, "{nulls} nulls");
    }
    // Each value has a prefix and a suffix, also if no row has the value.
    for (prefixes, suffixes) in [(&[0, 1, 1][..], &[1, 1][..]), (&[0, 1], &[1, 1, 1])] {
        let page = page_of(prefixes, suffixes, b"abc", &mut random);
        let optional = column(Stored::ByteArray, DataType::Utf8, &page, 3, Some(&|row| row == 0));
        assert_eq!(flaw_of(&optional, &"unequal numbers"), bad, "{prefixes:?} {suffixes:?}");
    }
    let numbers = column(Stored::Int64, DataType::Int64, &page, 3, None);
    assert_eq!(flaw_of(&numbers, &"numbers"), Some(Flaw::Unsupported));
    let keys = column(Stored::ByteArray, DataType::UInt32, &page, 3, None);
    assert_eq!(flaw_of(&keys, &"keys"), Some(Flaw::Unsupported));
}

#[test]
fn values_must_have_the_fixed_size() {
    let bad = Some(Flaw::Values);
    let mut random = Random(6);
    let (stored, data_type) = (Stored::FixedLenByteArray(3), DataType::FixedSizeBinary(3));
    for (prefixes, suffixes, expected) in [
        (&[0, 2, 1][..], &[3, 1, 2][..], None),
        (&[0, 3, 3], &[3, 0, 0], None),
        (&[0, 2, 1], &[3, 1, 3], bad),
        (&[0, 2, 1], &[3, 0, 2], bad),
        (&[0, 2, 1], &[4, 1, 2], bad),
        (&[1, 2, 1], &[2, 1, 2], bad),
        (&[0, 4, 1], &[3, -1, 2], bad),
    ] {
        let page = page_of(prefixes, suffixes, b"abcdefghi", &mut random);
        let what = format!("{prefixes:?} {suffixes:?}");
        assert_eq!(both(stored, &data_type, &page, 3, &what), expected, "{what}");
    }
}

#[test]
fn bad_texts_are_found_anywhere() {
    for rows in [33, 1023, 1024, 1025, 2050] {
        for at in [0, 1, 127, 128, 1022, 1023, 1024, rows - 1].into_iter().filter(|at| *at < rows) {
            let mut random = Random((rows + at) as u64);
            // Each text repeats the one before, and has a letter more.
            let mut prefixes: Vec<i64> = (0..rows).map(|row| (row % 50) as i64).collect();
            let suffixes = vec![1; rows];
            let bytes = vec![b'q'; rows];
            let what = format!("{rows} rows, row {at}");
            let whole = page_of(&prefixes, &suffixes, &bytes, &mut random);
            assert_eq!(both(Stored::ByteArray, &DataType::LargeUtf8, &whole, rows, &what), None, "{what}");
            let cut = &whole[..whole.len() - 1];
            assert_eq!(both(Stored::ByteArray, &DataType::Utf8, cut, rows, &what), Some(Flaw::Values), "{what}");
            prefixes[at] = if at == 0 { 1 } else { prefixes[at - 1] + 2 };
            let page = page_of(&prefixes, &suffixes, &bytes, &mut random);
            assert_eq!(both(Stored::ByteArray, &DataType::Utf8, &page, rows, &what), Some(Flaw::Values), "{what}");
        }
    }
}

#[test]
fn cut_sizes_are_found() {
    let mut random = Random(8);
    let texts: Vec<Vec<u8>> = (0..70).map(|row| format!("prefix {}", row * row).into_bytes()).collect();
    let page = encode(&texts, &mut random);
    for end in (0..page.len()).step_by(2) {
        let found = both(Stored::ByteArray, &DataType::Binary, &page[..end], 70, &format!("{end} bytes"));
        assert_eq!(found, Some(Flaw::Values), "{end}");
    }
}

#[test]
fn texts_of_a_page_have_a_limit() {
    // The second text repeats the first, and so on, up to 2³¹ bytes.
    let rows = 2048;
    let prefixes: Vec<i64> = (0..rows).map(|row| if row == 0 { 0 } else { 1 << 20 }).collect();
    let suffixes: Vec<i64> = (0..rows).map(|row| if row == 0 { 1 << 20 } else { 0 }).collect();
    let page = page_of(&prefixes, &suffixes, &vec![b'x'; 1 << 20], &mut Random(3));
    for data_type in [DataType::Utf8, DataType::LargeUtf8] {
        let found = flaw_of(&column(Stored::ByteArray, data_type, &page, rows, None), &"2³¹ bytes");
        assert_eq!(found, Some(Flaw::Values));
    }
}

#[test]
fn damaged_pages_before_and_behind_do_not_change_the_answer() {
    let texts: Vec<Vec<u8>> = (0..40).map(|row| format!("text {row}").into_bytes()).collect();
    let good = encode(&texts, &mut Random(1));
    // Snappy, with one literal.
    let packed = [&[good.len() as u8 | 0x80, (good.len() >> 7) as u8, 61 << 2], &[0; 2][..], &good].concat();
    let literal = (good.len() - 1).to_le_bytes();
    let header = |rows| PageHeader { rows, encoding: Encoding::DeltaByteArray, levels: Levels::None, nulls: None };
    for damaged in 0..3 {
        for behind in [40, 41] {
            let mut encoded = Encoded::default();
            let pages = (0..3).map(|number| {
                let mut page = packed.clone();
                page[3..5].copy_from_slice(&literal[..2]);
                if number == damaged {
                    page[2] = 1; // a copy of what does not exist
                }
                let compression = Some(Compression { codec: Codec::Snappy, size: good.len() });
                let rows = if number > damaged { behind } else { 40 };
                Page { at: encoded.push(&page), len: page.len(), compression, header: header(rows) }
            });
            let chunks = vec![Chunk { dictionary: None, pages: pages.collect() }];
            let (stored, data_type) = (Stored::ByteArray, DataType::Utf8);
            encoded.batch.columns.push(ColumnPages { data_type, stored, is_optional: false, nesting: None, chunks });
            let found = check(&encoded.finish(), &damaged).remove(0).unwrap_err();
            assert_eq!((found.page, found.flaw), (damaged, Flaw::Compression), "{behind}");
        }
    }
}
