//! Levels of nested pages that were made by hand: which are refused, and where rows begin.

use gdf_core::DataType;
use gdf_decode::{Batch, Chunk, ColumnPages, Encoding, Flaw, Levels, Nesting, Node, PADDING, Page, PageHeader, Stored};

use crate::check::decoded;
use crate::encoder::Encoded;

/// A page: the bytes of its levels, their number, and a claim of nulls.
type LevelPage<'p> = (&'p [u8], usize, Option<usize>);

/// A column of lists of `Int32` with plain pages. Each chunk is the number of its rows, and its pages.
fn lists(chunks: &[(usize, &[LevelPage<'_>])], levels: Levels) -> Encoded {
    let mut encoded = Encoded::default();
    let chunk = |(_, pages): &(usize, &[LevelPage<'_>])| {
        let page = |(bytes, rows, nulls): &LevelPage<'_>| {
            let bytes = [*bytes, &[1; 40]].concat();
            let header = PageHeader { rows: *rows, encoding: Encoding::Plain, levels, nulls: *nulls };
            Page { at: encoded.push(&bytes), len: bytes.len(), compression: None, header }
        };
        Chunk { dictionary: None, pages: pages.iter().map(page).collect() }
    };
    let chunk_rows = chunks.iter().map(|(rows, _)| *rows).collect();
    let column = ColumnPages {
        data_type: DataType::Int32,
        stored: Stored::Int32,
        is_optional: true,
        nesting: Some(Nesting { nodes: vec![Node::List { is_optional: true, is_large: false }], chunk_rows }),
        chunks: chunks.iter().map(chunk).collect(),
    };
    encoded.batch = Batch { columns: vec![column] };
    encoded.bytes.resize(encoded.bytes.len() + PADDING, 0);
    encoded
}

fn flaw_of(encoded: &Encoded) -> Option<(usize, Flaw)> {
    decoded(encoded).remove(0).err().map(|refused| (refused.page, refused.flaw))
}

/// Returns levels of one byte each: a packed run of repetition levels of one bit, and one of definition levels of two.
fn levels(levels: &[(u8, u8)]) -> Vec<u8> {
    assert_eq!(levels.len(), 8);
    let repetition = levels.iter().enumerate().fold(0, |bits, (at, (level, _))| bits | level << at);
    let definition =
        levels.iter().enumerate().fold(0_u16, |bits, (at, (_, level))| bits | u16::from(*level) << (2 * at));
    let [low, high] = definition.to_le_bytes();
    vec![2, 0, 0, 0, 3, repetition, 3, 0, 0, 0, 3, low, high]
}

#[test]
fn impossible_levels_are_refused() {
    let one = |of_page: &[(u8, u8)], rows| flaw_of(&lists(&[(rows, &[(&levels(of_page), 8, None)])], Levels::Prefixed));
    let good = [(0, 3), (1, 2), (0, 0), (0, 1), (0, 3), (1, 3), (1, 3), (0, 2)];
    assert_eq!(one(&good, 5), None);
    assert_eq!(one(&good, 4), Some((0, Flaw::Rows)));
    assert_eq!(one(&good, 6), Some((0, Flaw::Rows)));
    let with = |at: usize, level: (u8, u8)| {
        let mut levels = good;
        levels[at] = level;
        levels
    };
    assert_eq!(one(&with(0, (1, 3)), 4), Some((0, Flaw::Levels)), "a chunk begins with a row");
    assert_eq!(one(&with(3, (1, 3)), 4), Some((0, Flaw::Levels)), "a null list has no second element");
    assert_eq!(one(&with(4, (1, 3)), 4), Some((0, Flaw::Levels)), "an empty list has no second element");
    assert_eq!(one(&with(1, (1, 1)), 5), Some((0, Flaw::Levels)), "a second element is not empty");
    let claims = |nulls| flaw_of(&lists(&[(5, &[(&levels(&good), 8, Some(nulls))])], Levels::Prefixed));
    assert_eq!((claims(4), claims(3)), (None, Some((0, Flaw::NullCount))));
}

#[test]
fn rows_may_span_pages_but_not_chunks() {
    let first = levels(&[(0, 3), (1, 2), (0, 0), (0, 1), (0, 3), (1, 3), (1, 3), (0, 2)]);
    let next = levels(&[(1, 3), (1, 2), (0, 0), (0, 1), (0, 3), (1, 3), (1, 3), (0, 2)]);
    let (first, next): (LevelPage<'_>, LevelPage<'_>) = ((&first, 8, None), (&next, 8, None));
    let empty = (&[0, 0, 0, 0, 0, 0, 0, 0][..], 0, None);
    assert_eq!(flaw_of(&lists(&[(9, &[first, next])], Levels::Prefixed)), None);
    assert_eq!(flaw_of(&lists(&[(9, &[first, empty, next, empty])], Levels::Prefixed)), None);
    assert_eq!(flaw_of(&lists(&[(5, &[first]), (4, &[next])], Levels::Prefixed)), Some((1, Flaw::Levels)));
    assert_eq!(flaw_of(&lists(&[(5, &[first]), (4, &[empty, next])], Levels::Prefixed)), Some((2, Flaw::Levels)));
    assert_eq!(flaw_of(&lists(&[(4, &[first]), (6, &[first])], Levels::Prefixed)), Some((0, Flaw::Rows)));
    assert_eq!(flaw_of(&lists(&[(5, &[first]), (0, &[]), (5, &[first])], Levels::Prefixed)), None);
    assert_eq!(flaw_of(&lists(&[(5, &[first]), (1, &[])], Levels::Prefixed)), Some((0, Flaw::Rows)));
    let null = levels(&[(0, 3), (1, 2), (0, 0), (0, 1), (0, 3), (1, 3), (1, 3), (0, 0)]);
    let null: LevelPage<'_> = (&null, 8, None);
    assert_eq!(flaw_of(&lists(&[(9, &[null, next])], Levels::Prefixed)), Some((1, Flaw::Levels)), "after a null list");
}

#[test]
fn levels_of_nested_pages_are_whole() {
    let good = levels(&[(0, 3), (1, 2), (0, 0), (0, 1), (0, 3), (1, 3), (1, 3), (0, 2)]);
    for at in [0, 6] {
        for size in [1, 3, 0, 200, u32::MAX] {
            let mut page = good.clone();
            page[at..at + 4].copy_from_slice(&size.to_le_bytes());
            // A byte more after the levels of one kind belongs to nothing, if it is the first byte of the next size.
            let found = flaw_of(&lists(&[(5, &[(&page, 8, None)])], Levels::Prefixed));
            assert!(found.is_some_and(|(page, _)| page == 0) || (at, size) == (6, 3), "{at} {size}: {found:?}");
        }
    }
    let without_sizes = [&good[4..6], &good[10..13]].concat();
    let both = |repetition, definition| {
        flaw_of(&lists(&[(5, &[(&without_sizes, 8, None)])], Levels::Both { repetition, definition }))
    };
    assert_eq!(both(2, 3), None);
    for (repetition, definition) in [(1, 3), (2, 2), (0, 5), (5, 0), (2, 44), (usize::MAX, 1), (1, usize::MAX)] {
        assert_eq!(both(repetition, definition).map(|(_, flaw)| flaw), Some(Flaw::Levels), "{repetition} {definition}");
    }
    assert_eq!(flaw_of(&lists(&[(5, &[(&good, 9, None)])], Levels::Prefixed)), Some((0, Flaw::Levels)), "cut");
    for levels in [Levels::None, Levels::Sized(5)] {
        assert_eq!(flaw_of(&lists(&[(5, &[(&good, 8, None)])], levels)), Some((0, Flaw::Levels)));
    }
}
