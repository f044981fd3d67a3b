//! Texts around the windows and tiles of kernels, and what is wrong with texts.

use gdf_core::DataType;
use gdf_decode::{Chunk, ColumnPages, DictionaryPage, Encoding, Flaw, Levels, Page, PageHeader, Refused, Stored};

use crate::check::check;
use crate::deltas::encode;
use crate::encoder::{Encoded, stored_text};
use crate::random::Random;

/// The number of bytes of a page that a kernel looks at at once, and the size from which a block shares a text.
const WINDOW: usize = 16_384;
const LONG: usize = 512;

/// Each character form that is not UTF-8.
const BAD: [&[u8]; 9] = [
    &[0x80],
    &[0xc3],
    &[0xc0, 0x80],
    &[0xe2, 0x82],
    &[0xe0, 0x9f, 0x80],
    &[0xed, 0xa0, 0x80],
    &[0xf0, 0x9f, 0x98],
    &[0xf4, 0x90, 0x80, 0x80],
    &[0xff],
];

fn plain<T: AsRef<[u8]>>(texts: &[T]) -> Vec<u8> {
    texts.iter().flat_map(|text| stored_text(text.as_ref())).collect()
}

/// Returns a column with one chunk of a dictionary and a page.
fn column(data_type: DataType, dictionary: Option<(&[u8], usize)>, page: &[u8], header: PageHeader) -> Encoded {
    let mut encoded = Encoded::default();
    let dictionary = dictionary.map(|(page, values)| DictionaryPage {
        at: encoded.push(page),
        len: page.len(),
        compression: None,
        values,
    });
    let page = Page { at: encoded.push(page), len: page.len(), compression: None, header };
    let is_optional = header.levels != Levels::None;
    let chunks = vec![Chunk { dictionary, pages: vec![page] }];
    encoded.batch.columns.push(ColumnPages {
        data_type,
        stored: Stored::ByteArray,
        is_optional,
        nesting: None,
        chunks,
    });
    encoded.finish()
}

fn header(rows: usize, encoding: Encoding, levels: Levels) -> PageHeader {
    PageHeader { rows, encoding, levels, nulls: None }
}

fn flaw_of(encoded: &Encoded, what: &dyn std::fmt::Display) -> Option<Flaw> {
    check(encoded, what).remove(0).err().map(|refused| refused.flaw)
}

fn check_plain<T: AsRef<[u8]>>(texts: &[T], what: &dyn std::fmt::Display) -> Option<Flaw> {
    let page = plain(texts);
    flaw_of(&column(DataType::Utf8, None, &page, header(texts.len(), Encoding::Plain, Levels::None)), what)
}

#[test]
fn texts_end_anywhere_near_a_window() {
    // All bytes of its size but the last are not zero.
    let large = "z".repeat(0x1_1111);
    for short in 0..40 {
        for following in [&["ab", "", "c", "€"][..], &[""; 20], &[&large, "b"]] {
            let first = "x".repeat(WINDOW + 12 - short);
            let texts: Vec<&str> = [first.as_str()].into_iter().chain(following.iter().copied()).collect();
            assert_eq!(check_plain(&texts, &format!("ascii, {short}")), None);
            let first = first.clone() + "ü";
            let texts: Vec<&str> = [first.as_str()].into_iter().chain(following.iter().copied()).collect();
            assert_eq!(check_plain(&texts, &format!("not ascii, {short}")), None);
        }
    }
    for size in [3 * WINDOW - 5, 3 * WINDOW, 100_000] {
        let long = "größe".repeat(size / 7);
        assert_eq!(check_plain(&["a", &long, "b", &long], &size), None);
    }
}

#[test]
fn texts_may_be_empty() {
    for rows in [1, 2047, 2048, 2049, 4095, 4096, 4097, 9000] {
        assert_eq!(check_plain(&vec![""; rows], &rows), None);
        let mut texts = vec![""; rows];
        texts[rows - 1] = "last";
        assert_eq!(check_plain(&texts, &rows), None);
    }
    assert_eq!(check_plain::<&str>(&[], &"no rows"), None);
    let empty = column(DataType::LargeBinary, Some((&[], 0)), &[], header(0, Encoding::Keys, Levels::Sized(0)));
    assert_eq!(flaw_of(&empty, &"an empty dictionary"), None);
    let nulls = column(DataType::Utf8, None, &[6, 0], header(3, Encoding::Plain, Levels::Sized(2)));
    assert_eq!(flaw_of(&nulls, &"nulls only"), None);
}

#[test]
fn bytes_are_copied_at_any_place() {
    for step in [1, 3, 7, 16] {
        let texts: Vec<String> = (0..5000).map(|row| "0123456789abcdefg".repeat(3)[..row * step % 41].into()).collect();
        assert_eq!(check_plain(&texts, &step), None);
    }
}

#[test]
fn texts_must_be_utf8() {
    let as_binary = |texts: &[Vec<u8>]| {
        let header = header(texts.len(), Encoding::Plain, Levels::None);
        flaw_of(&column(DataType::Binary, None, &plain(texts), header), &"binary")
    };
    for bad in BAD {
        for before in [0, 1, 2, 11, 12, 13, 15, 16, LONG - 1, LONG, LONG + 1, 5000, WINDOW - 5, WINDOW, WINDOW + 1] {
            for after in [0, 1, 20] {
                let text = [&vec![b'x'; before], bad, &vec![b'y'; after]].concat();
                let texts = [b"good".to_vec(), text, "gut, größer".into()];
                let what = format!("{bad:?} behind {before}, before {after}");
                assert_eq!(check_plain(&texts, &what), Some(Flaw::Utf8), "{what}");
                if after == 1 {
                    assert_eq!(as_binary(&texts), None, "{what}");
                }
            }
        }
    }
    // Both halves of a character are texts of their own.
    for before in [0, 10, LONG, WINDOW - 6, WINDOW] {
        let first = [&vec![b'x'; before][..], &[0xc3]].concat();
        assert_eq!(check_plain(&[first, vec![0xbc]], &before), Some(Flaw::Utf8));
    }
    // The last byte of the size before is the first of no character, and a size may have any bytes.
    assert_eq!(check_plain(&["x".repeat(0xc3), "ü".repeat(100)], &"sizes above 0x7f"), None);
}

#[test]
fn texts_that_no_row_has_may_be_anything() {
    let bad = plain(&[&b"a"[..], &[0xff], b"b"]);
    let optional = |levels: &[u8], rows| {
        let page = [levels, &bad].concat();
        let header = header(rows, Encoding::Plain, Levels::Sized(levels.len()));
        flaw_of(&column(DataType::Utf8, None, &page, header), &rows)
    };
    assert_eq!(optional(&[3, 0b0001], 4), None, "the first text");
    assert_eq!(optional(&[3, 0b1001], 4), Some(Flaw::Utf8), "the first and the second text");
    let keys = |dictionary: &[u8], values| {
        let header = header(4, Encoding::Keys, Levels::None);
        check(&column(DataType::Utf8, Some((dictionary, values)), &[1, 8, 0], header), &values).remove(0).err()
    };
    assert_eq!(keys(&bad, 1), None, "the values behind the last one");
    assert_eq!(keys(&bad, 2), Some(Refused { column: 0, page: 0, flaw: Flaw::Utf8 }), "no key refers to it");
}

#[test]
fn sizes_are_checked() {
    let pages = [
        (plain(&["ab", "c"]), 2, None),
        (plain(&["ab", "c"]), 3, Some(())),
        (plain(&["ab", "c"])[..10].to_vec(), 2, Some(())),
        ([plain(&["ab"]), vec![0, 0, 0]].concat(), 2, Some(())),
        ([plain(&["ab"]), vec![1, 0, 0, 0]].concat(), 2, Some(())),
        ([plain(&["ab"]), vec![0xff; 8]].concat(), 2, Some(())),
        ([plain(&["ab"]), vec![0xfc, 0xff, 0xff, 0xff, 0, 0]].concat(), 2, Some(())),
        ([plain(&["ab"]), vec![0xff; 8]].concat(), 1, None),
        (plain(&["x".repeat(WINDOW - 6), "yz".into()])[..WINDOW].to_vec(), 2, Some(())),
    ];
    for (page, texts, bad) in pages {
        let what = format!("{} bytes, {texts} texts", page.len());
        let levels = [2 * texts as u8, 1];
        let optional = [&levels[..], &page].concat();
        let optional = column(DataType::Utf8, None, &optional, header(texts, Encoding::Plain, Levels::Sized(2)));
        assert_eq!(flaw_of(&optional, &what), bad.map(|()| Flaw::Values), "{what}");
        let required = column(DataType::LargeUtf8, None, &page, header(texts, Encoding::Plain, Levels::None));
        assert_eq!(flaw_of(&required, &what), bad.map(|()| Flaw::Values), "{what}");
        let by_keys = header(4, Encoding::Keys, Levels::None);
        let by_keys = column(DataType::Binary, Some((&page, texts)), &[1, 8, 0], by_keys);
        assert_eq!(flaw_of(&by_keys, &what), bad.map(|()| Flaw::Dictionary), "{what}");
    }
    let key =
        column(DataType::Utf8, Some((&plain(&["a", "b"]), 2)), &[2, 8, 2], header(4, Encoding::Keys, Levels::None));
    assert_eq!(flaw_of(&key, &"a key behind the dictionary"), Some(Flaw::Key));
}

#[test]
fn sizes_may_be_differences() {
    let page = |sizes: &[i64], texts: &[u8], random: &mut Random| [&encode(sizes, 32, false, random), texts].concat();
    let mut random = Random(3);
    let flaw = |page: &[u8], rows, data_type: DataType| {
        let what = format!("{} bytes, {rows} rows", page.len());
        let required = header(rows, Encoding::DeltaLengthByteArray, Levels::None);
        let found = flaw_of(&column(data_type.clone(), None, page, required), &what);
        if rows < 64 {
            let optional = [&[2 * rows as u8, 1][..], page].concat();
            let levels = header(rows, Encoding::DeltaLengthByteArray, Levels::Sized(2));
            assert_eq!(flaw_of(&column(data_type, None, &optional, levels), &what), found, "{what}");
        }
        found
    };
    for (sizes, texts, rows, expected) in [
        (&[2, 0, 1][..], &b"abc"[..], 3, None),
        (&[2, 0, 1], b"abcd", 3, None),
        (&[2, 0, 1], b"ab", 3, Some(Flaw::Values)),
        (&[2, 0, 1], b"abc", 4, Some(Flaw::Values)),
        (&[2, 0, 1], b"abc", 2, Some(Flaw::Values)), // more texts than rows
        (&[2, -1, 2], b"abc", 3, Some(Flaw::Values)),
        (&[0, 0, 0], b"", 3, None),
        (&[1 << 30, 1 << 30, 1 << 30, 1 << 30, 1], b"a", 5, Some(Flaw::Values)),
        (&[], b"abc", 0, None),
        (&[], b"abc", 1, Some(Flaw::Values)),
        (&[2, 1], &[b'a', 0xc3, 0xa4], 2, Some(Flaw::Utf8)),
        (&[1, 2], &[b'a', 0xc3, 0xa4], 2, None),
    ] {
        let page = page(sizes, texts, &mut random);
        assert_eq!(flaw(&page, rows, DataType::Utf8), expected, "{sizes:?}, {rows} rows");
    }
    for rows in [2047, 2048, 2049, 5000] {
        for long in [0, 255, 256, 257, 20_000] {
            let texts: Vec<Vec<u8>> = (0..rows)
                .map(|row| vec![b'a' + (row % 26) as u8; if row % 700 == 3 { long } else { row % 11 }])
                .collect();
            let sizes: Vec<i64> = texts.iter().map(|text| text.len() as i64).collect();
            let page = page(&sizes, &texts.concat(), &mut random);
            assert_eq!(flaw(&page, rows, DataType::LargeUtf8), None, "{rows} rows, {long} bytes");
            assert_eq!(
                flaw(&page[..page.len() - 1], rows, DataType::Binary),
                cut_of(&sizes),
                "{rows} rows, {long} bytes"
            );
        }
    }
    // The sizes are cut.
    let whole = encode(&vec![1; 200], 32, false, &mut Random(9));
    for end in 0..whole.len() {
        assert_eq!(flaw(&whole[..end], 200, DataType::Utf8), Some(Flaw::Values), "{end}");
    }
}

/// Returns the flaw of texts whose last byte is missing.
fn cut_of(sizes: &[i64]) -> Option<Flaw> {
    sizes.iter().any(|size| *size > 0).then_some(Flaw::Values)
}

#[test]
fn short_offsets_have_a_limit() {
    let text = plain(&["x".repeat(1 << 20)]);
    // 2,048 rows of one key, which has no bits.
    let page = [0, 0x80, 0x20];
    let column = |data_type| column(data_type, Some((&text, 1)), &page, header(2048, Encoding::Keys, Levels::None));
    for data_type in [DataType::Utf8, DataType::Binary] {
        let found = crate::check::decoded(&column(data_type)).remove(0);
        assert_eq!(found.err(), Some(Refused { column: 0, page: 0, flaw: Flaw::Offsets }));
    }
}

#[test]
fn columns_of_many_tiles_come_back() {
    // 600,000 rows are more tiles than a block adds at a time. The runs have a key of 8 bits each.
    let page = [&[8][..], &[0xc2, 0x9a, 0x0c, 1], &[0xd0, 0x0f, 2], &[0xd8, 0xfc, 0x3c, 0]].concat();
    let dictionary = plain(&["a", "", "größe"]);
    for data_type in [DataType::Utf8, DataType::LargeUtf8] {
        let header = header(600_000, Encoding::Keys, Levels::None);
        assert_eq!(flaw_of(&column(data_type, Some((&dictionary, 3)), &page, header), &"many tiles"), None);
    }
}
