//! Each flaw, and what is not one.

use gdf_core::{DataType, TimeUnit};
use gdf_decode::{
    Batch, Chunk, ColumnPages, DictionaryPage, Encoding, Flaw, Levels, PADDING, Page, PageHeader, Refused, Stored,
};

use crate::check::{check, decoded};
use crate::encoder::Encoded;

/// A column of `Int32` with one page.
fn page(bytes: &[u8], rows: usize, encoding: Encoding, levels: Levels, nulls: Option<usize>) -> Encoded {
    let header = PageHeader { rows, encoding, levels, nulls };
    let column = ColumnPages {
        data_type: DataType::Int32,
        stored: Stored::Int32,
        is_optional: levels != Levels::None,
        nesting: None,
        chunks: vec![Chunk {
            dictionary: None,
            pages: vec![Page { at: 0, len: bytes.len(), compression: None, header }],
        }],
    };
    let mut bytes = bytes.to_vec();
    bytes.resize(bytes.len().next_multiple_of(16) + PADDING, 0);
    Encoded { batch: Batch { columns: vec![column] }, bytes }
}

/// Appends a dictionary of values of `Int32` to the only column.
fn with_dictionary(mut encoded: Encoded, values: &[i32]) -> Encoded {
    let at = encoded.bytes.len().next_multiple_of(16);
    encoded.bytes.resize(at, 0);
    encoded.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    encoded.bytes.resize(encoded.bytes.len() + PADDING, 0);
    let dictionary = DictionaryPage { at, len: values.len() * 4, compression: None, values: values.len() };
    encoded.batch.columns[0].chunks[0].dictionary = Some(dictionary);
    encoded
}

fn flaw_of(encoded: &Encoded, what: &str) -> Option<Flaw> {
    check(encoded, &what).remove(0).err().map(|refused| refused.flaw)
}

#[test]
fn levels_are_checked() {
    let levels = |bytes: &[u8], rows, nulls| page(bytes, rows, Encoding::Plain, Levels::Sized(bytes.len()), nulls);
    for (bytes, rows, nulls, expected) in [
        (&[6, 0][..], 3, None, None),
        (&[6, 0], 3, Some(3), None),
        (&[0xff, 0xff, 0xff, 0xff, 0x0f], 0, Some(0), None), // no level is read
        (&[0x80, 0x80, 0x80, 0x80, 0x00, 0, 6, 0], 3, None, None),
        (&[0, 9, 1, 0, 9, 6, 0], 3, None, None), // empty runs have no value
        (&[6, 0], 3, Some(2), Some(Flaw::NullCount)),
        (&[6, 0], 4, None, Some(Flaw::Levels)),
        (&[6, 2], 3, None, Some(Flaw::Levels)),
        (&[6], 3, None, Some(Flaw::Levels)),
        (&[], 3, None, Some(Flaw::Levels)),
        (&[5, 0], 9, None, Some(Flaw::Levels)), // the second group is missing
        (&[0x80, 0x80, 0x80, 0x80, 0x80, 0, 6, 0], 3, None, Some(Flaw::Levels)),
    ] {
        let encoded = levels(bytes, rows, nulls);
        assert_eq!(flaw_of(&encoded, &format!("{bytes:?}")), expected, "{bytes:?} {rows} {nulls:?}");
    }
    let prefixed = |bytes: &[u8], rows| page(bytes, rows, Encoding::Plain, Levels::Prefixed, None);
    assert_eq!(flaw_of(&prefixed(&[2, 0, 0, 0, 6, 0], 3), "prefixed"), None);
    assert_eq!(flaw_of(&prefixed(&[0, 0, 0, 0], 0), "no rows"), None);
    assert_eq!(flaw_of(&prefixed(&[3, 0, 0, 0, 6, 0], 3), "too large"), Some(Flaw::Levels));
    assert_eq!(flaw_of(&prefixed(&[3, 0, 0, 0, 6, 0], 0), "too large, no rows"), Some(Flaw::Levels));
    assert_eq!(flaw_of(&prefixed(&[0xff, 0xff, 0xff, 0xff, 6, 0], 3), "negative"), Some(Flaw::Levels));
    assert_eq!(flaw_of(&prefixed(&[2, 0, 0], 3), "cut"), Some(Flaw::Levels));
}

#[test]
fn keys_are_checked() {
    let keys = |bytes: &[u8], rows| page(bytes, rows, Encoding::Keys, Levels::None, None);
    for (bytes, rows, expected) in [
        (&[1, 8, 1][..], 4, None),
        (&[1, 3, 0b0101], 4, None), // the keys behind the rows are not read
        (&[1, 3, 0b1111_0101], 4, None),
        (&[0, 8], 4, None),
        (&[1, 3, 0b0101, 3, 0b0101, 3, 1], 24, None),
        (&[1, 3, 0b0101, 3, 0b0101, 3], 24, Some(Flaw::Keys)), // the third run is cut
        (&[0, 3], 8, None),                                    // a group without bits
        (&[2, 0, 3, 8, 1], 4, None),                           // an empty run has no key
        (&[32, 8, 1, 0, 0, 0], 4, None),
        (&[8, 8, 2], 4, Some(Flaw::Key)),
        (&[2, 3, 0b1110_0100, 0], 4, Some(Flaw::Key)),
        (&[32, 8, 1, 0, 0, 0x80], 4, Some(Flaw::Key)),
        (&[33, 8, 1, 0, 0, 0, 0], 4, Some(Flaw::KeyWidth)),
        (&[32, 8, 1, 0, 0], 4, Some(Flaw::Keys)),
        (&[2, 3, 0], 4, Some(Flaw::Keys)),
        (&[1, 6, 1], 4, Some(Flaw::Keys)),
        (&[1], 4, Some(Flaw::Keys)),
        (&[], 4, Some(Flaw::Keys)),
        (&[], 0, None),
        (&[1, 0xff, 0xff, 0xff, 0xff, 0xff, 1], 4, Some(Flaw::Keys)),
    ] {
        let encoded = with_dictionary(keys(bytes, rows), &[5, 6]);
        assert_eq!(flaw_of(&encoded, &format!("{bytes:?}")), expected, "{bytes:?} {rows}");
    }
    assert_eq!(flaw_of(&keys(&[1, 8, 1], 4), "no dictionary"), Some(Flaw::NoDictionary));
    assert_eq!(flaw_of(&keys(&[1, 8, 1], 0), "no dictionary, no rows"), None);
    assert_eq!(flaw_of(&with_dictionary(keys(&[0, 8], 4), &[]), "an empty dictionary"), Some(Flaw::Key));
    let nulls_only = |rows, nulls| page(&[6, 0], rows, Encoding::Keys, Levels::Sized(2), nulls);
    assert_eq!(flaw_of(&nulls_only(3, Some(3)), "nulls need no dictionary"), None);
    let one = page(&[2, 1, 4, 0, 1, 2, 0], 3, Encoding::Keys, Levels::Sized(4), None);
    assert_eq!(flaw_of(&one, "a value needs a dictionary"), Some(Flaw::NoDictionary));
}

#[test]
fn plain_values_are_checked() {
    let plain = |bytes: &[u8], rows, levels| page(bytes, rows, Encoding::Plain, levels, None);
    assert_eq!(flaw_of(&plain(&[1; 12], 3, Levels::None), "whole"), None);
    assert_eq!(flaw_of(&plain(&[1; 11], 3, Levels::None), "cut"), Some(Flaw::Values));
    let with_levels = |values: usize| [&[6, 1][..], &vec![7; values]].concat();
    assert_eq!(flaw_of(&plain(&with_levels(12), 3, Levels::Sized(2)), "optional"), None);
    assert_eq!(flaw_of(&plain(&with_levels(11), 3, Levels::Sized(2)), "optional, cut"), Some(Flaw::Values));
}

#[test]
fn digits_are_checked() {
    let decimal = |encoded: &Encoded, data_type| {
        let mut encoded = encoded.clone();
        encoded.batch.columns[0].data_type = data_type;
        encoded
    };
    for (value, fits) in [(99, true), (-99, true), (100, false), (-100, false), (i32::MIN, false), (i32::MAX, false)] {
        let bytes = [0, value, 1].map(i32::to_le_bytes).concat();
        let plain = page(&bytes, 3, Encoding::Plain, Levels::None, None);
        let keys = page(&[2, 2, 0, 2, 1, 2, 2], 3, Encoding::Keys, Levels::None, None);
        let unused = page(&[2, 6, 0], 3, Encoding::Keys, Levels::None, None);
        for data_type in [DataType::Decimal32(2, 1), DataType::Decimal64(2, 1), DataType::Decimal128(2, 1)] {
            let expected = (!fits).then_some(Refused { column: 0, page: 0, flaw: Flaw::Digits });
            for encoded in
                [&plain, &with_dictionary(keys.clone(), &[0, value, 1]), &with_dictionary(unused.clone(), &[0, value])]
            {
                let found = check(&decimal(encoded, data_type.clone()), &value).remove(0);
                assert_eq!(found.err(), expected, "{value} {data_type}");
            }
        }
    }
}

#[test]
fn streams_are_checked() {
    let streams = |bytes: &[u8], rows, levels| page(bytes, rows, Encoding::ByteStreamSplit, levels, None);
    assert_eq!(flaw_of(&streams(&[1; 12], 3, Levels::None), "whole"), None);
    assert_eq!(flaw_of(&streams(&[1; 12], 2, Levels::None), "more values"), None);
    assert_eq!(flaw_of(&streams(&[1; 13], 3, Levels::None), "a byte more"), Some(Flaw::Values));
    assert_eq!(flaw_of(&streams(&[1; 12], 4, Levels::None), "cut"), Some(Flaw::Values));
    assert_eq!(flaw_of(&streams(&[], 0, Levels::None), "no rows"), None);
    let optional = |values: usize| streams(&[&[6, 1][..], &vec![7; values]].concat(), 3, Levels::Sized(2));
    assert_eq!(flaw_of(&optional(12), "optional"), None);
    assert_eq!(flaw_of(&optional(13), "optional, a byte more"), Some(Flaw::Values));
    assert_eq!(flaw_of(&optional(8), "optional, cut"), Some(Flaw::Values));
    let nulls = [6, 0, 9, 9, 9];
    assert_eq!(flaw_of(&streams(&nulls, 3, Levels::Sized(2)), "nulls need no values"), None);
    assert_eq!(flaw_of(&streams(&[3, 0, 0, 0, 6, 0], 3, Levels::Prefixed), "levels"), Some(Flaw::Levels));
}

#[test]
fn timestamps_are_checked() {
    let stored = |day: i32, nanoseconds: i64| [&nanoseconds.to_le_bytes()[..], &day.to_le_bytes()].concat();
    for (value, fits) in [
        (stored(2_440_588, 0), true),
        (stored(2_440_588 + 106_751, 85_635_999_999_999), true),
        (stored(2_440_588 + 106_751, 85_636_000_000_000), false),
        (stored(2_440_588 - 106_752, 764_000_000_000), true),
        (stored(2_440_588 - 106_752, 763_000_000_000), false),
        (stored(0, 0), false),
        (stored(i32::MIN, i64::MIN), false),
        (stored(i32::MAX, i64::MAX), false),
    ] {
        let plain = page(&value, 1, Encoding::Plain, Levels::None, None);
        let keys = page(&[0, 2], 1, Encoding::Keys, Levels::None, None);
        let mut keys = with_dictionary(keys, &[0, 0, 0]);
        let dictionary = keys.batch.columns[0].chunks[0].dictionary.as_mut().unwrap();
        dictionary.values = 1;
        let at = dictionary.at;
        keys.bytes[at..at + 12].copy_from_slice(&value);
        for mut encoded in [plain, keys] {
            for unit in [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond] {
                let column = &mut encoded.batch.columns[0];
                (column.stored, column.data_type) = (Stored::Int96, DataType::Timestamp(unit, None));
                let expected = (!fits && unit == TimeUnit::Nanosecond).then_some(Flaw::Timestamp);
                assert_eq!(flaw_of(&encoded, "a timestamp"), expected, "{value:?} {unit:?}");
            }
        }
    }
}

#[test]
fn the_first_bad_page_is_reported_and_other_columns_are_decoded() {
    let mut encoded = page(&[1; 12], 3, Encoding::Plain, Levels::None, None);
    let good = encoded.batch.columns[0].clone();
    let header = PageHeader { rows: 3, encoding: Encoding::Keys, levels: Levels::Sized(0), nulls: None };
    let mut bad = good.clone();
    bad.is_optional = true;
    bad.chunks[0].pages.clear();
    for size in [2, 5, 3, 4] {
        // The levels are those of `encoded`, [1, 1, 1…], which are packed: 8 valid rows are null but the first.
        let levels = Levels::Sized(size);
        let rows = if size == 2 { 8 } else { 20 };
        let header = PageHeader { rows, encoding: Encoding::Plain, levels, nulls: None };
        bad.chunks[0].pages.push(Page { at: 0, len: 12, compression: None, header });
    }
    let mut impossible = good.clone();
    impossible.chunks[0].pages.push(Page { at: 8, len: 1, compression: None, header });
    let mut unsupported = good.clone();
    unsupported.data_type = DataType::Utf8; // of numbers
    encoded.batch.columns = vec![bad, good.clone(), impossible, good.clone(), unsupported, good];
    let found = check(&encoded, &"several columns");
    assert!([1, 3, 5].iter().all(|index| found[*index].is_ok()));
    let refused: Vec<_> = found.into_iter().filter_map(Result::err).collect();
    assert_eq!(refused[0].column, 0);
    assert_eq!(refused[1], Refused { column: 2, page: 1, flaw: Flaw::Position });
    assert_eq!(refused[2], Refused { column: 4, page: 0, flaw: Flaw::Unsupported });
}

#[test]
fn impossible_descriptors_are_refused() {
    let good = || with_dictionary(page(&[1, 8, 1], 4, Encoding::Keys, Levels::None, None), &[5, 6]);
    let flaw = |change: &dyn Fn(&mut ColumnPages, &mut Vec<u8>)| {
        let mut encoded = good();
        change(&mut encoded.batch.columns[0], &mut encoded.bytes);
        flaw_of(&encoded, "changed")
    };
    assert_eq!(flaw(&|_, _| {}), None);
    for at in [1, 8, 15, 17, 1 << 40, usize::MAX, usize::MAX - 15] {
        assert_eq!(flaw(&|column, _| column.chunks[0].pages[0].at = at), Some(Flaw::Position), "{at}");
        let of_dictionary = flaw(&|column, _| column.chunks[0].dictionary.as_mut().unwrap().at = at);
        assert_eq!(of_dictionary, Some(Flaw::Position), "{at}");
    }
    for len in [1 << 20, 1 << 31, usize::MAX] {
        assert_eq!(flaw(&|column, _| column.chunks[0].pages[0].len = len), Some(Flaw::Position), "{len}");
    }
    assert_eq!(flaw(&|_, bytes| bytes.truncate(bytes.len() - 1)), Some(Flaw::Position), "no padding");
    for values in [3, 1 << 62, usize::MAX] {
        let of_dictionary = flaw(&|column, _| column.chunks[0].dictionary.as_mut().unwrap().values = values);
        assert_eq!(of_dictionary, Some(Flaw::Dictionary), "{values}");
    }
    for rows in [1 << 31, usize::MAX] {
        assert_eq!(flaw(&|column, _| column.chunks[0].pages[0].header.rows = rows), Some(Flaw::Rows), "{rows}");
    }
    for levels in [Levels::Prefixed, Levels::Sized(4), Levels::Sized(usize::MAX)] {
        assert_eq!(flaw(&|column, _| column.chunks[0].pages[0].header.levels = levels), Some(Flaw::Levels));
    }
    assert_eq!(flaw(&|column, _| column.is_optional = true), Some(Flaw::Levels));
    assert_eq!(flaw(&|column, _| column.chunks[0].pages[0].header.nulls = Some(1)), Some(Flaw::NullCount));
    assert_eq!(flaw(&|column, _| column.stored = Stored::FixedLenByteArray(3)), Some(Flaw::Unsupported));
}

#[test]
fn batches_may_be_empty() {
    assert!(decoded(&Encoded::default()).is_empty());
    let mut encoded = page(&[], 0, Encoding::Plain, Levels::None, None);
    encoded.batch.columns[0].chunks[0].pages.clear();
    check(&encoded, &"no pages");
    encoded.batch.columns[0].chunks.clear();
    encoded.batch.columns[0].is_optional = true;
    check(&encoded, &"no chunks");
}
