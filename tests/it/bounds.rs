//! Tests joins and group-bys of columns that store the bounds of their values. The results must be the same as without
//! stored bounds.

use std::collections::HashMap;

use gdf::filling::fill_in_place;
use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
use gdf::join::{self, NullEquality};
use gdf::prelude::*;
use gdf::{copying, scope, stream_compaction};
use gdf_test::device::test_device;

const ROWS: i64 = 400_000;

fn table(columns: impl IntoIterator<Item = Column>) -> Table {
    Table::try_new(columns.into_iter().collect()).unwrap()
}

fn copy_of(column: &Column) -> Column {
    let stream = Stream::default_for(column.device()).unwrap();
    column.deep_copy(&stream, gdf::memory::current_resource(column.device()).unwrap().as_ref()).unwrap()
}

fn values(column: &Column) -> Vec<Option<i64>> {
    column.to_vec::<i64>().unwrap()
}

fn check_join(left: &Column, right: &Column, name: &str) {
    let keys: HashMap<i64, ()> = values(right).into_iter().flatten().map(|key| (key, ())).collect();
    let expected: Vec<u32> = (0..)
        .zip(values(left))
        .filter(|(_, key)| key.is_some_and(|key| keys.contains_key(&key)))
        .map(|x| x.0)
        .collect();
    let (left, right) = (table([left.clone()]), table([right.clone()]));
    for time in ["first", "second"] {
        let (rows, _) = join::inner_join(&left, &right, NullEquality::Unequal).unwrap();
        let rows: Vec<u32> = rows.to_vec::<u32>().unwrap().into_iter().flatten().collect();
        assert!(rows == expected, "the {time} join {name}: {} rows, expected {}", rows.len(), expected.len());
    }
}

fn check_groups(keys: &Table, name: &str) {
    let columns = [values(keys.column(0).unwrap()), values(keys.column(1).unwrap())];
    let mut expected: HashMap<_, i64> = HashMap::new();
    for row in columns[0].iter().zip(&columns[1]) {
        *expected.entry(row).or_default() += 1;
    }
    for time in ["first", "second"] {
        let request = AggregationRequest::new(keys.column(0).unwrap(), [GroupByAggregation::CountAll]);
        let groups = GroupBy::new(keys, NullPolicy::Include).agg(&[request]).unwrap();
        let counts = groups.column(2).unwrap().to_vec::<i64>().unwrap();
        let groups = [values(groups.column(0).unwrap()), values(groups.column(1).unwrap())];
        let found: HashMap<_, _> = groups[0].iter().zip(&groups[1]).zip(counts.into_iter().flatten()).collect();
        assert!(found == expected, "the {time} group-by {name}: {} groups, expected {}", found.len(), expected.len());
    }
}

#[test]
fn bounds_follow_the_values() {
    scope::with_device(test_device(), || {
        let left = Column::from_slice(&(0..ROWS).map(|row| row * 7919 % 90_000 - 20_000).collect::<Vec<_>>()).unwrap();
        let right = Column::from_slice(&(0..10_000_i64).map(|row| row * 5 - 10_000).collect::<Vec<_>>()).unwrap();
        check_join(&left, &right, "of columns");
        // The columns of a selection and of a slice store bounds that may be wider than their values.
        let mask = Column::from_slice(&(0..10_000).map(|row| row % 9 == 4).collect::<Vec<_>>()).unwrap();
        let some = stream_compaction::apply_boolean_mask(&table([right.clone()]), &mask).unwrap();
        check_join(&left, some.column(0).unwrap(), "of selected rows");
        check_join(&left, &right.slice(700, 40).unwrap(), "of a slice");
        let map = Column::from_slice(&(0..300).map(|row| row * 31).collect::<Vec<i32>>()).unwrap();
        let gathered = copying::gather(&table([right.clone()]), &map, copying::OutOfBoundsPolicy::Nullify).unwrap();
        check_join(&left, gathered.column(0).unwrap(), "of gathered rows");
        // Values that are written afterwards lie outside of the bounds that the column stored.
        let mut written = copy_of(&right);
        check_join(&left, &written, "of a copy");
        for (rows, value) in [(0..1, -15_001), (4000..4001, 60_001), (1..2, i64::MIN), (9..10, i64::MAX)] {
            fill_in_place(&mut written, rows, value).unwrap();
            check_join(&left, &written, "of values that were written in place");
        }
        check_join(&left, &right, "of the columns as they were");
    });
}

#[test]
fn groups_of_packed_keys_follow_the_values() {
    scope::with_device(test_device(), || {
        let key = |factor: i64, range: i64| {
            let value = |row: i64| (row % 11 != 3).then_some(row * factor % range - range / 2);
            Column::from_options(&(0..ROWS).map(value).collect::<Vec<_>>()).unwrap()
        };
        let (mut first, second) = (key(7919, 300), key(104_729, 70));
        check_groups(&table([first.clone(), second.clone()]), "of columns");
        let mask = Column::from_slice(&(0..ROWS).map(|row| row % 3 == 1).collect::<Vec<_>>()).unwrap();
        let some = stream_compaction::apply_boolean_mask(&table([first.clone(), second.clone()]), &mask).unwrap();
        check_groups(&some, "of selected rows");
        first.unshare().unwrap();
        fill_in_place(&mut first, 17..19, 1_000_000_007).unwrap();
        check_groups(&table([first.clone(), second.clone()]), "of values that were written in place");
        fill_in_place(&mut first, 20..22, i64::MIN).unwrap();
        check_groups(&table([first, second]), "of values of the whole range");
    });
}
