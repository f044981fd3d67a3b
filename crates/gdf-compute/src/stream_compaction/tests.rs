//! Tests of the checks and of unusual cases.

use std::collections::HashMap;

use gdf_core::{Column, ColumnParts, DataRule, Error, Table, Validity, make_structs_column};
use gdf_driver::Stream;
use gdf_engine::test_device::on_host;
use gdf_memory::{Resource, Resources};

use crate::Ctx;

use super::{DuplicateKeepOption, NanEquality, NullEquality, apply_boolean_mask, distinct_indices};

fn cpu() -> (Stream, Resource) {
    gdf_engine::test_device::setup()
}

fn apply(columns: Vec<Column>, mask: &Column) -> gdf_core::Result<Table> {
    let (stream, mr) = cpu();
    let table = Table::try_with_rows(columns, mask.len())?;
    apply_boolean_mask(table.view(), mask.view(), Ctx::new(&stream, &mr))
}

#[test]
fn bad_input_is_refused_by_type() {
    let (stream, mr) = cpu();
    let numbers = Column::from_options_on::<i32>(&[Some(1), None], &stream, mr.as_ref()).unwrap();
    let mask = Column::from_slice_on(&[true, false], &stream, mr.as_ref()).unwrap();
    let table = Table::try_new(vec![numbers.clone()]).unwrap();
    let run = |table: &Table, mask: &Column| apply_boolean_mask(table.view(), mask.view(), Ctx::new(&stream, &mr));
    assert!(matches!(run(&table, &numbers), Err(Error::TypeMismatch { .. })));
    let short = mask.slice(0, 1).unwrap();
    assert!(matches!(run(&table, &short), Err(Error::LengthMismatch { expected: 2, found: 1, .. })));
}

#[test]
fn tables_without_columns_keep_their_count() {
    let (stream, mr) = cpu();
    let mask = Column::from_options_on(&[Some(true), None, Some(false), Some(true)], &stream, mr.as_ref()).unwrap();
    assert_eq!(apply(vec![], &mask).unwrap().num_rows(), 2);
    assert_eq!(apply(vec![], &mask.slice(4, 0).unwrap()).unwrap().num_rows(), 0);
}

#[test]
fn dictionaries_share_their_values() {
    let (stream, mr) = cpu();
    let keys = Column::from_options_on::<i8>(&[Some(1), Some(0), None], &stream, mr.as_ref()).unwrap();
    let values = Column::from_strs_on(&[Some("a"), Some("b")], &stream, mr.as_ref()).unwrap();
    let column = Column::try_from_parts(ColumnParts::dictionary(keys, values.clone())).unwrap();
    let mask = Column::from_slice_on(&[true, false, true], &stream, mr.as_ref()).unwrap();
    let kept = apply(vec![column], &mask).unwrap();
    let kept = kept.column(0).unwrap();
    assert_eq!((kept.len(), kept.null_count_on(&stream).unwrap()), (2, 1));
    assert!(kept.children()[0].buffers()[1].same_allocation(&values.buffers()[1]));
}

#[test]
fn nulls_of_structs_reach_their_fields() {
    let (stream, mr) = cpu();
    let text = Column::from_strs_on(&[Some("hidden"), Some("shown"), Some("gone")], &stream, mr.as_ref()).unwrap();
    let validity = Validity::from_bools_on([false, true, true].into_iter(), &stream, mr.as_ref()).unwrap();
    let column = make_structs_column(vec![text], validity).unwrap();
    let mask = Column::from_slice_on(&[true, true, false], &stream, mr.as_ref()).unwrap();
    let kept = apply(vec![column], &mask).unwrap();
    let kept = kept.column(0).unwrap();
    let text = &kept.children()[0];
    assert!(kept.sanitized() && !text.validity().unwrap().is_empty());
    assert_eq!(text.null_count_on(&stream).unwrap(), 1);
    assert_eq!(text.buffers()[1].to_host(&stream).unwrap(), b"shown");
}

#[test]
fn offsets_beyond_the_characters_are_refused() {
    let (stream, mr) = cpu();
    let text = Column::from_strs_on(&[Some("ab"), Some("c")], &stream, mr.as_ref()).unwrap();
    let parts = text.into_parts();
    let short = parts.buffers[1].slice(0, 1).unwrap();
    let broken = ColumnParts { buffers: [parts.buffers[0].clone(), short].into_iter().collect(), ..parts };
    let broken = Column::try_from_parts(broken).unwrap();
    let mask = Column::from_slice_on(&[true, false], &stream, mr.as_ref()).unwrap();
    assert!(matches!(apply(vec![broken], &mask), Err(Error::BrokenData { rule: DataRule::Offsets, .. })));
}

#[test]
fn chunks_meet_within_words() {
    let (stream, mr) = cpu();
    let rows = 3 * gdf_engine::host::task_rows() + 1_001;
    for every in [1, 3, 700, 40_000] {
        let values: Vec<_> = (0..rows as i32).map(|i| (i % 5 != 1).then_some(i)).collect();
        let flags: Vec<_> = values.iter().map(|value| value.map(|value| value % 7 < 3)).collect();
        let text: Vec<_> = values.iter().map(|value| value.map(|value| value.to_string())).collect();
        let keep: Vec<_> = (0..rows).map(|i| i % every == 0).collect();
        let columns = vec![
            Column::from_options_on::<i32>(&values, &stream, mr.as_ref()).unwrap(),
            Column::from_options_on(&flags, &stream, mr.as_ref()).unwrap(),
            Column::from_strs_on(&text, &stream, mr.as_ref()).unwrap(),
        ];
        let mask = Column::from_slice_on(&keep, &stream, mr.as_ref()).unwrap();
        let kept = apply(columns, &mask).unwrap();
        let expected: Vec<_> = values.iter().step_by(every).copied().collect();
        let expected = Table::try_new(vec![
            Column::from_options_on::<i32>(&expected, &stream, mr.as_ref()).unwrap(),
            Column::from_options_on(&flags.iter().step_by(every).copied().collect::<Vec<_>>(), &stream, mr.as_ref())
                .unwrap(),
            Column::from_strs_on(text.into_iter().step_by(every).collect::<Vec<_>>(), &stream, mr.as_ref()).unwrap(),
        ])
        .unwrap();
        assert_eq!(kept.num_rows(), rows.div_ceil(every));
        for (kept, expected) in kept.columns().iter().zip(expected.columns()) {
            let (kept, expected) = (kept.to_arrow(&stream).unwrap(), expected.to_arrow(&stream).unwrap());
            assert!(kept.to_data() == expected.to_data(), "every {every}");
        }
    }
}

/// Tests which rows stay, for few keys in ranges of rows and for many keys in parts.
#[test]
fn distinct_rows_of_many() {
    let (stream, mr) = cpu();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    for (rows, keys) in [(0, 1), (1, 1), (100_000, 300), (140_000, 90_000)] {
        let key = |row: u64| (row * 0x9e37_79b9 % keys != 3).then_some((row * 0x9e37_79b9 % keys) as i64 * (1 << 40));
        let values: Vec<_> = (0..rows).map(key).collect();
        let table =
            Table::try_new(vec![Column::from_options_on::<i64>(&values, &stream, mr.as_ref()).unwrap()]).unwrap();
        let mut found: HashMap<Option<i64>, (u32, u32, u32)> = HashMap::new();
        for (key, row) in values.iter().zip(0..) {
            let entry = found.entry(*key).or_insert((row, row, 0));
            *entry = (entry.0, row, entry.2 + 1);
        }
        let chosen = |keep: DuplicateKeepOption, nulls: NullEquality| {
            let mut rows: Vec<u32> = (0..).zip(&values).filter(|(_, key)| key.is_none()).map(|(row, _)| row).collect();
            rows.retain(|_| nulls == NullEquality::Unequal);
            let keyed = found.iter().filter(|(key, _)| key.is_some() || nulls == NullEquality::Equal);
            rows.extend(keyed.filter_map(|(_, (first, last, count))| match keep {
                DuplicateKeepOption::Any | DuplicateKeepOption::First => Some(*first),
                DuplicateKeepOption::Last => Some(*last),
                DuplicateKeepOption::None => (*count == 1).then_some(*first),
            }));
            rows.sort_unstable();
            rows
        };
        for keep in [DuplicateKeepOption::First, DuplicateKeepOption::Last, DuplicateKeepOption::None] {
            for nulls in [NullEquality::Equal, NullEquality::Unequal] {
                let resources = Resources::from(&mr);
                let run =
                    || distinct_indices(table.view(), keep, nulls, NanEquality::AllEqual, Ctx::new(&stream, resources));
                let kept = pool.install(run).unwrap();
                let kept = on_host(&kept);
                let kept = kept.buffers()[0].read_on(&Stream::cpu()).unwrap();
                assert!(kept.as_slice::<u32>().unwrap() == chosen(keep, nulls), "{rows} rows, {keep:?}, {nulls:?}");
            }
        }
    }
}
