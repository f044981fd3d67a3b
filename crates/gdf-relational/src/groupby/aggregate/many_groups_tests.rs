//! Tests group-by with so many rows and groups that rows are first split by their keys.

use std::collections::{HashMap, HashSet};

use gdf_core::{Column, ColumnParts, DataType, IntervalUnit, Table, TableView, Validity};
use gdf_driver::Stream;
use gdf_engine::host::HostColumn;
use gdf_engine::test_device::on_host;
use gdf_memory::{Buffer, Resource, Resources};

use crate::Ctx;
use crate::groupby::GroupByAggregation as A;
use crate::groupby::{AggregationRequest, NullPolicy, aggregate};

const ROWS: u64 = 140_000;

fn random(i: u64) -> u64 {
    let x = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20
}

/// Returns the group of a row.
fn group(row: u64) -> i64 {
    if row.is_multiple_of(3) { 11 } else { (random(row) % 60_000) as i64 }
}

fn value(row: u64) -> Option<i64> {
    (!row.is_multiple_of(5)).then_some((random(row) % 9) as i64)
}

#[derive(Default)]
struct Expected {
    rows: i64,
    sum: i64,
    valid: i64,
    max: Option<(i64, u64)>,
    distinct: HashSet<i64>,
}

/// Checks a group-by over `keys`.
fn check(name: &str, make: impl Fn(&Stream, &Resource) -> Vec<Column>) {
    let (stream, resource) = gdf_engine::test_device::setup();
    let mr = Resources::new(&resource, &resource);
    let keys = Table::try_new(make(&stream, &resource)).unwrap();
    let groups: Vec<_> = (0..ROWS).map(|row| Some(group(row))).collect();
    let groups = Column::from_options_on::<i64>(&groups, &stream, resource.as_ref()).unwrap();
    let values: Vec<_> = (0..ROWS).map(value).collect();
    let values = Column::from_options_on::<i64>(&values, &stream, resource.as_ref()).unwrap();
    for policy in [NullPolicy::Exclude, NullPolicy::Include] {
        let mut expected: HashMap<i64, Expected> = HashMap::new();
        for row in 0..ROWS {
            let null = group(row) <= 7;
            if null && policy == NullPolicy::Exclude {
                continue;
            }
            let group = expected.entry(if null { -1 } else { group(row) }).or_default();
            group.rows += 1;
            if let Some(value) = value(row) {
                group.sum += value;
                group.valid += 1;
                group.distinct.insert(value);
                if group.max.is_none_or(|(max, _)| value > max) {
                    group.max = Some((value, row));
                }
            }
        }
        let requests = [
            AggregationRequest { values: groups.view(), aggregations: vec![A::Min, A::Max, A::CountAll, A::ArgMin] },
            AggregationRequest {
                values: values.view(),
                aggregations: vec![A::Sum, A::CountValid, A::ArgMax, A::Nunique(NullPolicy::Exclude)],
            },
        ];
        let (found_keys, results) = aggregate(keys.view(), policy, &requests, Ctx::new(&stream, mr)).unwrap();
        assert_eq!(found_keys.num_rows(), expected.len(), "{name}, {policy:?}");
        let cpu = Stream::cpu();
        let open =
            |column: &Column| HostColumn::open(on_host(column).view(), &cpu).unwrap().values::<i64>().unwrap().to_vec();
        let [min, most, rows, sums, valid, distinct] =
            [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 3)].map(|(request, at)| open(&results[request][at]));
        let (first, max) = (on_host(&results[0][3]), on_host(&results[1][2]));
        let first = HostColumn::open(first.view(), &cpu).unwrap();
        let first = first.values::<u32>().unwrap();
        let max = HostColumn::open(max.view(), &cpu).unwrap();
        for group in 0..expected.len() {
            let key = if most[group] <= 7 { -1 } else { min[group] };
            assert!(key == -1 || min[group] == most[group], "{name}, {policy:?}: two groups are one");
            let expected = &expected[&key];
            assert_eq!(rows[group], expected.rows, "{name}, {policy:?}, group {key}");
            let found = (sums[group], valid[group], distinct[group]);
            let expected_table = (expected.sum, expected.valid, expected.distinct.len() as i64);
            if expected.valid > 0 {
                assert_eq!(found, expected_table, "{name}, {policy:?}, group {key}");
                let row = max.values::<u32>().unwrap()[group];
                assert_eq!(Some(u64::from(row)), expected.max.map(|(_, row)| row), "{name}, {policy:?}");
            }
        }
        // The key of a group is the key of any of its rows.
        let map: Vec<Option<u32>> = first.iter().map(|row| Some(*row)).collect();
        let map = Column::from_options_on::<u32>(&map, &stream, resource.as_ref()).unwrap();
        let policy = gdf_compute::copying::OutOfBoundsPolicy::Error;
        let table = TableView::try_new(keys.columns().iter().map(Column::view).collect()).unwrap();
        let expected_table = gdf_compute::copying::gather(table, map.view(), policy, Ctx::new(&stream, mr)).unwrap();
        for (found, expected_table) in found_keys.columns().iter().zip(expected_table.columns()) {
            assert_eq!(text(found), text(expected_table), "{name}");
        }
    }
}

/// Returns the rows as bytes.
fn text(column: &Column) -> Vec<Option<Vec<u8>>> {
    let (column, cpu) = (on_host(column), Stream::cpu());
    let column = HostColumn::open(column.view(), &cpu).unwrap();
    let valid = column.validity().unwrap();
    let row = |row: usize| {
        valid.is_none_or(|valid| valid.get(row)).then(|| match gdf_core::physical_type(column.view().data_type()) {
            gdf_core::PhysicalType::String { .. } => {
                let offsets = column.offsets::<i32>().unwrap();
                column.chars().unwrap()[offsets[row] as usize..offsets[row + 1] as usize].to_vec()
            }
            physical => {
                let width = physical.width().unwrap();
                column.row_bytes(width).unwrap()[row * width..(row + 1) * width].to_vec()
            }
        })
    };
    (0..column.len()).map(row).collect()
}

fn rows<T>(key: impl Fn(i64) -> T) -> Vec<Option<T>> {
    (0..ROWS).map(|row| (group(row) > 7).then(|| key(group(row)))).collect()
}

#[test]
fn keys_in_a_narrow_range() {
    check("narrow", |stream, resource| {
        vec![Column::from_options_on::<i32>(&rows(|group| group as i32 - 1000), stream, resource.as_ref()).unwrap()]
    });
}

#[test]
fn keys_of_all_bits() {
    check("wide", |stream, resource| {
        let key = |group: i64| if group == 8 { i64::MIN } else { group.wrapping_mul(0x1234_5678_9abc_def1) };
        vec![Column::from_options_on::<i64>(&rows(key), stream, resource.as_ref()).unwrap()]
    });
    check("floats", |stream, resource| {
        vec![Column::from_options_on::<f64>(&rows(|group| group as f64 / 7.0), stream, resource.as_ref()).unwrap()]
    });
}

#[test]
fn keys_of_two_columns() {
    check("packed", |stream, resource| {
        let second: Vec<_> = (0..ROWS).map(|row| Some((group(row) % 3) as i32)).collect();
        vec![
            Column::from_options_on::<i64>(&rows(|group| group / 3 * 1_000_003), stream, resource.as_ref()).unwrap(),
            Column::from_options_on::<i32>(&nulled(second), stream, resource.as_ref()).unwrap(),
        ]
    });
    check("compared", |stream, resource| {
        let second: Vec<_> = (0..ROWS).map(|row| Some((group(row) % 3) as f64)).collect();
        vec![
            Column::from_options_on::<f64>(&rows(|group| (group / 3) as f64), stream, resource.as_ref()).unwrap(),
            Column::from_options_on::<f64>(&nulled(second), stream, resource.as_ref()).unwrap(),
        ]
    });
}

/// In rows in which the other key column is null, sets the column to one common value, so that these rows form one
/// group.
fn nulled<T: Copy>(mut column: Vec<Option<T>>) -> Vec<Option<T>> {
    let one = column[0];
    column.iter_mut().zip(0..).filter(|(_, row)| group(*row) <= 7).for_each(|(value, _)| *value = one);
    column
}

#[test]
fn keys_of_text() {
    check("text", |stream, resource| {
        let texts = rows(|group| format!("the group of number {group}"));
        let texts: Vec<_> = texts.iter().map(Option::as_deref).collect();
        vec![Column::from_strs_on(&texts, stream, resource.as_ref()).unwrap()]
    });
}

#[test]
fn counts_of_opaque_values() {
    let (stream, resource) = gdf_engine::test_device::setup();
    let mr = Resources::new(&resource, &resource);
    let keys: Vec<_> = (0..ROWS).map(|row| Some(row as i64)).collect();
    let keys =
        Table::try_new(vec![Column::from_options_on::<i64>(&keys, &stream, resource.as_ref()).unwrap()]).unwrap();
    for (data_type, width) in [(DataType::FixedSizeBinary(4), 4), (DataType::Interval(IntervalUnit::DayTime), 8)] {
        let bytes = Buffer::zeroed(ROWS as usize * width, &stream, resource.as_ref()).unwrap();
        let valid: Vec<bool> = (0..ROWS).map(|row| row != 77).collect();
        let valid = Validity::from_bools_on(valid.into_iter(), &stream, resource.as_ref()).unwrap().unwrap();
        let parts = ColumnParts::new(data_type, stream.device(), ROWS as usize).buffer(bytes);
        let parts = parts.validity(Some(valid.mask), valid.null_count);
        let values = Column::try_from_parts(parts).unwrap();
        let request = AggregationRequest { values: values.view(), aggregations: vec![A::CountValid] };
        let ctx = Ctx::new(&stream, mr);
        let (found, results) = aggregate(keys.view(), NullPolicy::Exclude, &[request], ctx).unwrap();
        let (found, counts, cpu) = (on_host(&found.columns()[0]), on_host(&results[0][0]), Stream::cpu());
        let found = HostColumn::open(found.view(), &cpu).unwrap();
        let counts = HostColumn::open(counts.view(), &cpu).unwrap();
        let pairs = found.values::<i64>().unwrap().iter().zip(counts.values::<i64>().unwrap());
        assert_eq!(found.len(), ROWS as usize);
        assert!(pairs.into_iter().all(|(key, count)| *count == i64::from(*key != 77)));
    }
}

/// If the rows are sorted by their keys, sums of floats must not depend on the timing of blocks.
#[test]
fn floats_of_runs_have_one_sum() {
    let (stream, resource) = gdf_engine::test_device::setup();
    let ctx = Ctx::new(&stream, Resources::new(&resource, &resource));
    let rows = 400_000;
    let keys: Vec<_> = (0..rows).map(|row| Some(if row < 200_000 { row / 7 } else { 100_000 })).collect();
    let keys = Column::from_options_on::<i64>(&keys, &stream, resource.as_ref()).unwrap();
    let keys = Table::try_new(vec![keys]).unwrap();
    let values: Vec<_> = (0..rows as u64).map(|row| Some(((random(row) % 997) as f64 / 13.0).exp2().recip())).collect();
    let values = Column::from_options_on::<f64>(&values, &stream, resource.as_ref()).unwrap();
    let sums = || {
        let request = AggregationRequest { values: values.view(), aggregations: vec![A::Sum, A::Mean] };
        let (keys, results) = aggregate(keys.view(), NullPolicy::Exclude, &[request], ctx).unwrap();
        (text(&keys.columns()[0]), results[0].iter().map(text).collect::<Vec<_>>())
    };
    let first = sums();
    assert_eq!(first.0.len(), 200_000_usize.div_ceil(7) + 1);
    for _ in 0..5 {
        assert!(sums() == first, "sums differ from those of the first call");
    }
}
