//! Booleans, whose pages share words of bits, and what is wrong with them.

use gdf_core::DataType;
use gdf_decode::{Chunk, ColumnPages, Encoding, Flaw, Levels, Page, PageHeader, Stored};

use crate::check::check;
use crate::encoder::{Encoded, Encoder};
use crate::programs::nulls_of;
use crate::random::Random;

/// Returns a column of booleans with one page.
fn column(page: &[u8], rows: usize, encoding: Encoding, levels: Levels) -> Encoded {
    let mut encoded = Encoded::default();
    let header = PageHeader { rows, encoding, levels, nulls: None };
    let page = Page { at: encoded.push(page), len: page.len(), compression: None, header };
    let chunks = vec![Chunk { dictionary: None, pages: vec![page] }];
    let is_optional = levels != Levels::None;
    encoded.batch.columns.push(ColumnPages {
        data_type: DataType::Boolean,
        stored: Stored::Boolean,
        is_optional,
        nesting: None,
        chunks,
    });
    encoded.finish()
}

fn flaw_of(encoded: &Encoded, what: &dyn std::fmt::Display) -> Option<Flaw> {
    check(encoded, what).remove(0).err().map(|refused| refused.flaw)
}

#[test]
fn pages_share_words() {
    for encoding in [Encoding::Plain, Encoding::Rle] {
        for is_optional in [false, true] {
            for rows in [1, 5, 31, 32, 33, 100, 2047, 2049, 32_767, 32_769, 70_000] {
                let mut random = Random(rows as u64);
                let mut encoded = Encoded::default();
                let mut seeds = Random(7);
                let mut encoder = Encoder::new(&mut seeds, Stored::Boolean, DataType::Boolean, is_optional);
                encoder.begin_chunk(None, &mut encoded);
                for page in 0..4 {
                    if page == 2 {
                        encoder.begin_chunk(None, &mut encoded);
                    }
                    let nulls = nulls_of(rows, is_optional, &mut random);
                    let value = |random: &mut Random| random.below(2) as i128;
                    let rows: Vec<_> = nulls.iter().map(|is_null| (!is_null).then(|| value(&mut random))).collect();
                    encoder.page(&rows, encoding, &mut encoded);
                }
                encoder.finish(&mut encoded);
                let what = format!("{encoding:?}, {rows} rows, optional: {is_optional}");
                assert_eq!(flaw_of(&encoded.finish(), &what), None, "{what}");
            }
        }
    }
}

#[test]
fn booleans_are_checked() {
    let plain = |page: &[u8], rows| flaw_of(&column(page, rows, Encoding::Plain, Levels::None), &rows);
    assert_eq!(plain(&[0b1010_0101, 1], 16), None);
    assert_eq!(plain(&[0b1010_0101, 1], 17), Some(Flaw::Values));
    assert_eq!(plain(&[], 0), None);
    let optional = |page: &[u8], rows, encoding| {
        let page = [&[2 * rows as u8, 1][..], page].concat();
        flaw_of(&column(&page, rows, encoding, Levels::Sized(2)), &rows)
    };
    assert_eq!(optional(&[0b1010_0101, 1], 16, Encoding::Plain), None);
    assert_eq!(optional(&[0b1010_0101, 1], 17, Encoding::Plain), Some(Flaw::Values));
    for (page, rows, expected) in [
        (&[2, 0, 0, 0, 8, 1][..], 4, None),
        (&[2, 0, 0, 0, 8, 1, 9, 9], 4, None), // bytes behind the runs
        (&[2, 0, 0, 0, 3, 0b1010_0101], 8, None),
        (&[2, 0, 0, 0, 3, 0b1010_0101], 9, Some(Flaw::Keys)),
        (&[4, 0, 0, 0, 8, 1, 8, 0], 8, None),
        (&[2, 0, 0, 0, 8, 1, 8, 0], 8, Some(Flaw::Keys)), // the second run is behind the runs
        (&[2, 0, 0, 0, 8, 2], 4, Some(Flaw::Key)),
        (&[4, 0, 0, 0, 8, 1, 8, 2], 4, None), // no row has it
        (&[3, 0, 0, 0, 8, 1], 4, Some(Flaw::Keys)),
        (&[0xff, 0xff, 0xff, 0xff, 8, 1], 4, Some(Flaw::Keys)),
        (&[2, 0, 0], 4, Some(Flaw::Keys)),
        (&[], 4, Some(Flaw::Keys)),
        (&[], 0, None),
    ] {
        let what = format!("{page:?}, {rows} rows");
        assert_eq!(flaw_of(&column(page, rows, Encoding::Rle, Levels::None), &what), expected, "{what}");
        assert_eq!(optional(page, rows, Encoding::Rle), expected, "{what}, optional");
    }
    assert_eq!(flaw_of(&column(&[1, 8, 1], 4, Encoding::Keys, Levels::None), &"keys"), Some(Flaw::Unsupported));
}
