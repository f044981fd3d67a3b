//! Entries of `validation`. Each case represents the result of a call by a text, which names the fault or the number of
//! nulls.

mod columns;

use arrow_array::{ArrayRef, StringArray};
use arrow_schema::DataType;
use gdf_api::validation as api;
use gdf_core::{Column, Error, Result, Table, scope};
use gdf_driver::Device;

use self::columns::*;
use super::{Case, Entry};
use crate::naive::validation::{Fault, Raw};
use gdf_test::compare::Equality;

pub(super) fn entries() -> Vec<Entry> {
    // If there is nothing to check, the operation launches nothing.
    vec![
        Entry::new("validation.validate", Equality::Exact, || columns().into_iter().map(case).collect())
            .launching_nothing(),
        Entry::new("validation.validate_table", Equality::Exact, || tables().into_iter().map(table_case).collect())
            .launching_nothing(),
    ]
}

/// Converts the result of a call to a column on `device`.
fn said(outcome: Result<Vec<Column>>, device: Device) -> Result<Vec<Column>> {
    let text = match outcome {
        Ok(columns) if columns.iter().all(Column::validated) => {
            let nulls: Vec<_> = columns.iter().map(Column::known_null_count).collect();
            format!("nulls: {nulls:?}")
        }
        Ok(_) => "not marked".to_owned(),
        Err(Error::BrokenData { rule, row, path, .. }) => format!("{rule:?} {row:?} {path:?}"),
        Err(other) => return Err(other),
    };
    scope::with_device(device, || Ok(vec![Column::from_strs([Some(text.as_str())])?]))
}

fn expected(columns: &[Raw], fault: Option<Fault>) -> ArrayRef {
    let nulls = || columns.iter().map(|raw| Some(raw.nulls())).collect::<Vec<_>>();
    let text = match fault {
        Some((rule, row, path)) => format!("{rule:?} {row:?} {path:?}"),
        None => format!("nulls: {:?}", nulls()),
    };
    std::sync::Arc::new(StringArray::from(vec![text]))
}

/// Returns the number of waits: one for each 32 checks.
fn waits(columns: &[Raw]) -> u64 {
    fn things(raw: &Raw) -> u64 {
        2 + raw.children.iter().map(|child| 1 + things(child)).sum::<u64>()
    }
    columns.iter().map(things).sum::<u64>().div_ceil(32)
}

fn case((label, raw): (String, Raw)) -> Case {
    let truth = raw.clone();
    let waits = waits(std::slice::from_ref(&raw));
    Case::new(
        label,
        arrays(&raw),
        move |inputs| {
            let column = column(&raw, &mut inputs.iter())?;
            said(api::validate(&column).map(|column| vec![column]), column.device())
        },
        move |_| Ok(vec![expected(std::slice::from_ref(&truth), truth.fault())]),
        waits,
    )
}

fn table_case((label, columns): (&str, Vec<Raw>)) -> Case {
    let (own, truth) = (columns.clone(), columns.clone());
    Case::new(
        label,
        columns.iter().flat_map(arrays).collect(),
        move |inputs| {
            let mut inputs = inputs.iter();
            let table = Table::try_new(own.iter().map(|raw| column(raw, &mut inputs)).collect::<Result<Vec<_>>>()?)?;
            let device = table.device().unwrap_or(Device::Cpu);
            said(api::validate_table(&table).map(Table::into_columns), device)
        },
        move |_| {
            let faults = truth
                .iter()
                .enumerate()
                .filter_map(|(i, raw)| raw.fault().map(|(rule, row, path)| (rule, row, [vec![i], path].concat())));
            let first = faults.into_iter().next();
            Ok(vec![expected(&truth, first)])
        },
        waits(&columns),
    )
}

fn tables() -> Vec<(&'static str, Vec<Raw>)> {
    let text = || rows_of_text(&[b"a", b"bc", b""]);
    let bad = || rows_of_text(&[b"a", b"b", b"\xe2\x82"]);
    let nulls = || numbers(3).masked(vec![5], None);
    vec![
        ("numbers", vec![numbers(3), numbers(3)]),
        ("nulls", vec![numbers(3), nulls(), text()]),
        ("the second is bad", vec![text(), bad(), nulls()]),
        ("two are bad", vec![nulls(), texts(DataType::Utf8, &[0, 2, 1, 3], b"abc"), bad()]),
        ("many columns", (0..40).map(|_| text()).collect()),
        ("many columns, the last is bad", (0..40).map(|i| if i == 39 { bad() } else { text() }).collect()),
    ]
}

/// Returns texts in which characters of one to four bytes follow each other in short runs.
fn mixed_text(rows: usize) -> Vec<Vec<u8>> {
    const PIECES: [&str; 9] = ["a", "é", "", "水", "𐍈", "plain text of some length", "ß-", "\u{fffd}", "zz\u{10ffff}"];
    (0..rows).map(|row| [PIECES[row * 7 % 9], PIECES[row / 3 % 9]].concat().into_bytes()).collect()
}

fn borrowed(rows: &[Vec<u8>]) -> Vec<&[u8]> {
    rows.iter().map(Vec::as_slice).collect()
}

fn columns() -> Vec<(String, Raw)> {
    let all = [text_cases(), nested_cases(), key_cases(), view_cases(), union_cases(), run_cases()];
    all.into_iter().flatten().collect()
}

fn text_cases() -> Vec<(String, Raw)> {
    let mut cases: Vec<(String, Raw)> = Vec::new();
    let mut add = |label: &str, raw: Raw| cases.push((format!("text/{label}"), raw));
    for rows in [0, 1, 33, 300, 5000] {
        let text = mixed_text(rows);
        add(&format!("{rows} rows"), rows_of_text(&borrowed(&text)));
        if rows > 7 {
            add(&format!("{rows} rows, sliced"), rows_of_text(&borrowed(&text)).skipping(7));
            let mut bad = text;
            for row in [rows - 2, rows / 2] {
                bad[row].push(0xff);
                add(&format!("{rows} rows, bad at {row}"), rows_of_text(&borrowed(&bad)));
            }
        }
    }
    // Each text contains one kind of invalid character.
    let bad: [&[u8]; 12] = [
        b"\x80",
        b"\xc0\x80",
        b"\xc1\xbf",
        b"\xe0\x9f\xbf",
        b"\xed\xa0\x80",
        b"\xf0\x8f\xbf\xbf",
        b"\xf4\x90\x80\x80",
        b"\xf5\x80\x80\x80",
        b"\xe2\x82",
        b"\xf0\x9f\x92",
        b"\xc3",
        b"\xc3\xa9\xa9",
    ];
    for (i, bad) in bad.into_iter().enumerate() {
        let padding = vec![b'x'; i * 3 % 17 + 14];
        add(&format!("bad {bad:x?}"), rows_of_text(&[b"", &padding, &[b"abc", bad, b"d"].concat(), b"\xff"]));
        add(&format!("bad {bad:x?} at the end"), rows_of_text(&[&padding, bad]));
        add(&format!("bad {bad:x?} at the start"), rows_of_text(&[bad, b"", &padding]));
    }
    let split = "a€b𐍈c".as_bytes();
    for cut in 0..=split.len() as i32 {
        add(&format!("cut at {cut}"), texts(DataType::Utf8, &[0, 0, cut, cut, split.len() as i32], split));
        add(&format!("bytes cut at {cut}"), texts(DataType::Binary, &[0, cut, split.len() as i32], split));
    }
    add("cut into bytes", texts(DataType::LargeUtf8, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], split));
    add("sliced within a character", texts(DataType::Utf8, &[0, 2, 5, 5], split).skipping(1));
    for data_type in [DataType::Utf8, DataType::LargeUtf8, DataType::Binary, DataType::LargeBinary] {
        for offsets in [[0, 2, 1, 5], [0, 1, 2, 6], [-1, 0, 2, 3], [0, 9, 9, 2], [3, 3, 3, 3], [0, 0, 7, 5]] {
            add(&format!("{data_type} {offsets:?}"), texts(data_type.clone(), &offsets, b"ab\xffcd"));
            add(&format!("{data_type} {offsets:?}, sliced"), texts(data_type.clone(), &offsets, b"abcde").skipping(1));
        }
    }
    let text = || rows_of_text(&[b"a", b"b", b"c", b"d", b"e"]);
    add("nulls", text().masked(vec![0b10101], Some(2)));
    add("nulls not counted", text().masked(vec![0b10101], None));
    add("nulls miscounted", text().masked(vec![0b10101], Some(1)));
    add("nulls, sliced", text().masked(vec![0b10101], Some(2)).skipping(1));
    add("bad under a null", rows_of_text(&[b"a", b"\xff", b"c"]).masked(vec![0b101], None));
    let many = vec![0b1101_0110; 1000];
    add("many nulls", numbers(8000).masked(many.clone(), None));
    add("many nulls, sliced", numbers(8000).masked(many, None).skipping(13));
    cases
}

fn nested_cases() -> Vec<(String, Raw)> {
    let mut cases: Vec<(String, Raw)> = Vec::new();
    let mut add = |label: &str, raw: Raw| cases.push((format!("nested/{label}"), raw));
    for large in [false, true] {
        for offsets in [[0, 2, 2, 5], [1, 2, 3, 4], [0, 3, 2, 5], [0, 2, 4, 6], [-2, 0, 1, 2]] {
            add(&format!("lists {large} {offsets:?}"), lists(large, &offsets, numbers(5)));
            add(&format!("lists {large} {offsets:?}, sliced"), lists(large, &offsets, numbers(5)).skipping(1));
        }
        for (offsets, sizes) in [
            ([4, 0, 2], [1, 5, 0]),
            ([4, 0, 5], [1, 5, 1]),
            ([0, -1, 2], [1, 1, 1]),
            ([0, 1, i32::MAX], [1, -1, i32::MAX]),
        ] {
            add(&format!("list views {large} {offsets:?}"), list_views(large, &offsets, &sizes, numbers(5)));
        }
    }
    let keys = |bytes: &[u8]| texts(DataType::Utf8, &[0, 1, 2, 3], bytes);
    add("maps", maps(&[0, 2, 3], keys(b"abc")));
    add("maps beyond", maps(&[0, 2, 4], keys(b"abc")));
    add("maps of bad text", maps(&[0, 2, 3], keys(b"ab\xff")));
    // The operation checks all rows of the child, also the rows that no list refers to.
    add("lists without the bad element", lists(false, &[0, 1, 2], keys(b"ab\xff")));
    add("lists of lists", lists(false, &[0, 1, 2], lists(true, &[0, 2, 1], numbers(3))));
    add("structs", structs(2, vec![numbers(2), rows_of_text(&[b"a", b"b"])]).masked(vec![1], Some(1)));
    add("structs, miscounted", structs(2, vec![numbers(2)]).masked(vec![1], Some(0)));
    add("structs of bad text", structs(2, vec![numbers(2), structs(2, vec![rows_of_text(&[b"a", b"\x80"])])]));
    add("arrays of bad text", arrays_of(2, 1, rows_of_text(&[b"a", b"\x80"])));
    add("arrays", arrays_of(2, 1, rows_of_text(&[b"a", b"b"])));
    cases
}

fn key_cases() -> Vec<(String, Raw)> {
    use DataType::{Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
    let mut cases: Vec<(String, Raw)> = Vec::new();
    for keys in [Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64] {
        for key in [[0, 1, 2, 0], [0, 3, 1, 9], [0, 1, -1, 2]] {
            let raw = || dictionary(keys.clone(), &key, rows_of_text(&[b"a", b"b", b"c"]));
            cases.push((format!("keys/{keys} {key:?}"), raw()));
            cases.push((format!("keys/{keys} {key:?}, nulls"), raw().masked(vec![0b0101], Some(2))));
            cases.push((format!("keys/{keys} {key:?}, sliced"), raw().skipping(1)));
        }
    }
    cases.push(("keys/bad values".to_owned(), dictionary(Int8, &[0], rows_of_text(&[b"a", b"\xff"]))));
    cases
}

fn view_cases() -> Vec<(String, Raw)> {
    let long: Vec<u8> = "a text of more than twelve bytes, ä ö ü, ".repeat(30).into_bytes();
    let mut broken = long.clone();
    broken[700] = 0xff;
    let mut padded = view(b"abc", 0, 0);
    padded[9] = 1;
    let mut beyond = view(&long, 0, 0);
    beyond[15] = 0x7f;
    let own = view("ümläüt".as_bytes(), 0, 0);
    let bad = view(b"ab\xc3", 0, 0);
    let columns: [(&str, Vec<[u8; 16]>); 11] = [
        ("own", vec![own, view(b"", 0, 0), view(b"twelve bytes", 0, 0)]),
        ("own, bad text", vec![own, bad, bad]),
        ("own, padded", vec![own, padded]),
        ("of buffers", vec![view(&long[..13], 0, 0), view(&long, 1, 0), own]),
        ("of buffers, long and bad", vec![view(&long, 0, 0), view(&broken, 2, 0), own]),
        ("of buffers, short and bad", vec![view(&long, 0, 0), view(&broken[690..710], 2, 690)]),
        ("of no buffer", vec![own, view(&long, 3, 0)]),
        ("of a buffer far off", vec![own, view(&long, u32::MAX, 0)]),
        ("beyond", vec![view(&long, 0, 0), view(&long[..20], 0, long.len() as u32 - 19)]),
        ("far beyond", vec![own, beyond]),
        ("another beginning", vec![own, view(&long[..20], 0, 1)]),
    ];
    let mut cases: Vec<(String, Raw)> = Vec::new();
    for (label, rows) in columns {
        for data_type in [DataType::Utf8View, DataType::BinaryView] {
            let raw = views(data_type.clone(), &rows, &[&long, &long, &broken]);
            cases.push((format!("views/{data_type} {label}"), raw.clone()));
            cases.push((format!("views/{data_type} {label}, sliced"), raw.masked(vec![0b11], None).skipping(1)));
        }
    }
    let many: Vec<_> = (0..500).map(|row| view(&long[..row % 40], 0, 0)).collect();
    cases.push(("views/many".to_owned(), views(DataType::BinaryView, &many, &[&long])));
    cases.push(("views/without buffers".to_owned(), views(DataType::Utf8View, &[own], &[])));
    cases
}

fn union_cases() -> Vec<(String, Raw)> {
    let mut cases: Vec<(String, Raw)> = Vec::new();
    let children = || vec![numbers(4), rows_of_text(&[b"a", b"b", b"c", b"d"])];
    for ids in [[3, 70, 3, 70], [3, 4, 3, 70], [3, -1, 3, 70], [70, 70, 127, 6]] {
        cases.push((format!("unions/{ids:?}"), union(&ids, None, children())));
        cases.push((format!("unions/{ids:?}, sliced"), union(&ids, None, children()).skipping(1)));
        for offsets in [[0, 0, 3, 3], [0, 4, 3, 3], [0, 1, -1, 9]] {
            cases.push((format!("unions/{ids:?} {offsets:?}"), union(&ids, Some(&offsets), children())));
        }
    }
    let bad = vec![numbers(2), rows_of_text(&[b"a", b"\xff"])];
    cases.push(("unions/bad child".to_owned(), union(&[3, 3], Some(&[0, 1]), bad)));
    cases
}

fn run_cases() -> Vec<(String, Raw)> {
    let mut cases: Vec<(String, Raw)> = Vec::new();
    for ends in [DataType::Int16, DataType::Int32, DataType::Int64] {
        for end in [[2, 5, 9], [2, 2, 9], [0, 5, 9], [2, 5, 8], [-1, 5, 9], [2, 11, 10]] {
            cases.push((format!("runs/{ends} {end:?}"), runs(ends.clone(), &end, 9)));
            cases.push((format!("runs/{ends} {end:?}, sliced"), runs(ends.clone(), &end, 9).skipping(4)));
        }
    }
    cases.push(("runs/none".to_owned(), runs(DataType::Int32, &[], 0)));
    cases
}

#[cfg(test)]
mod tests;
