//! Tests the facts that columns store about the order of their rows. Every fact that an operation stores must be true
//! of the values.

use gdf::copying::{OutOfBoundsPolicy, gather, reverse};
use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation as G, NullPolicy};
use gdf::join::{self, HashJoin, JoinKeys, NullEquality};
use gdf::prelude::*;
use gdf::sorting::{NullOrder, Order, is_sorted, sort, sort_by_key};
use gdf::stream_compaction::apply_boolean_mask;
use gdf_test::device::test_device;

use crate::row_hash::hash;

/// Panics if a stored fact is not true of the values. Returns whether the column stores any fact.
fn check(column: &Column, name: &str) -> bool {
    let view = column.view();
    let (ascending, distinct) = (view.is_known_ascending(), view.is_known_distinct());
    if !ascending && !distinct {
        return false;
    }
    let values: Vec<Option<i128>> = match column.data_type() {
        DataType::UInt32 => column.to_vec::<u32>().unwrap().into_iter().map(|value| value.map(i128::from)).collect(),
        DataType::Int32 => column.to_vec::<i32>().unwrap().into_iter().map(|value| value.map(i128::from)).collect(),
        _ => column.to_vec::<i64>().unwrap().into_iter().map(|value| value.map(i128::from)).collect(),
    };
    assert!(values.iter().all(Option::is_some), "{name}: a null has a place in an order");
    if ascending {
        assert!(values.is_sorted(), "{name} does not ascend: {values:?}");
    }
    if distinct {
        let mut sorted = values.clone();
        sorted.sort_unstable();
        assert!(sorted.windows(2).all(|pair| pair[0] != pair[1]), "{name} is not distinct: {values:?}");
    }
    true
}

fn table(columns: Vec<Column>) -> Table {
    Table::try_new(columns).unwrap()
}

/// Returns columns of `rows` rows that store no facts yet: ascending, ascending with repeats, in no order, descending,
/// and with nulls.
fn columns(rows: i64) -> Vec<Column> {
    let of = |value: &dyn Fn(i64) -> i64| Column::from_slice(&(0..rows).map(value).collect::<Vec<_>>()).unwrap();
    let nullable: Vec<_> = (0..rows).map(|row| (row % 5 != 3).then_some(row / 2)).collect();
    vec![
        of(&|row| row * 3),
        of(&|row| row / 4),
        of(&|row| (hash(row) % 50) as i64),
        of(&|row| rows - row),
        Column::from_options(&nullable).unwrap(),
    ]
}

/// Rows of several columns have other values than the rows of the first one.
#[test]
fn joined_columns_have_no_facts_of_a_part() {
    use gdf::concatenate::concatenate_columns;
    use gdf::copying::shift;
    use gdf::filling::fill;
    gdf::scope::with_device(test_device(), || {
        let left = table(vec![Column::from_slice(&[1_i64, 2, 3])?]);
        let numbers = join::inner_join(&left, &left, NullEquality::Equal)?.0;
        assert_eq!(numbers.view().row_numbers_of(), Some(3));
        let beyond = Column::from_slice(&[7_u32])?;
        let maps = [
            concatenate_columns(&[numbers.view(), beyond.view()])?,
            fill(&numbers, 0..1, 1000_u32)?,
            shift(&numbers, 1, 1000_u32)?,
        ];
        for map in &maps {
            assert_eq!((map.view().row_numbers_of(), map.view().outer_bounds()), (None, None));
            let rows = gather(&left, map, OutOfBoundsPolicy::Error);
            assert!(matches!(rows, Err(gdf::Error::OutOfBounds { .. })), "{rows:?}");
        }
        let few = Column::from_slice(&[1_i64, 2])?;
        let bounds = gdf::core::order_of_numbers((1, 2), few.data_type()).unwrap();
        // SAFETY: the rows are 1 and 2.
        unsafe { few.view().keep_exact_bounds(Some(bounds)) };
        let large = Column::from_slice(&[10_000_000_000_i64])?;
        let all = concatenate_columns(&[few.view(), large.view()])?;
        assert_eq!(all.view().outer_bounds(), None);
        let wide = || gdf::expr::col(0).cast(DataType::Decimal128(38, 0));
        let squares = gdf::transform::compute_column(&table(vec![all]), &(wide() * wide()))?;
        assert_eq!(squares.to_vec::<i128>()?[2], Some(10_i128.pow(20)));
        Ok::<_, gdf::Error>(())
    })
    .unwrap();
}

#[test]
fn operations_store_only_what_is_true() {
    gdf::scope::with_device(test_device(), || {
        let mut known = 0;
        // For many rows, CUDA uses other algorithms for group-bys and joins.
        let many = if test_device().is_cpu() { 20_001 } else { 300_001 };
        for rows in [0, 1, 2, 33, 1025, many] {
            for (at, column) in columns(rows).into_iter().enumerate() {
                let mut see = |column: &Column, what: &str| {
                    known += usize::from(check(column, &format!("{what} of column {at}, {rows} rows")));
                };
                let one = table(vec![column.clone()]);
                for order in [Order::Ascending, Order::Descending] {
                    for nulls in [NullOrder::Before, NullOrder::After] {
                        let sorted = sort(&one, &[order], &[nulls]).unwrap();
                        see(sorted.column(0).unwrap(), "sort");
                        let by_other = sort_by_key(&one, &one, &[order], &[nulls]).unwrap();
                        see(by_other.column(0).unwrap(), "sort_by_key");
                        is_sorted(&one, &[order], &[nulls]).unwrap();
                        see(&column, "is_sorted");
                    }
                }
                let mask =
                    Column::from_slice(&(0..rows).map(|row| !hash(row).is_multiple_of(3)).collect::<Vec<_>>()).unwrap();
                see(apply_boolean_mask(&one, &mask).unwrap().column(0).unwrap(), "a filter");
                see(&column.slice(rows as usize / 3, rows as usize / 2).unwrap(), "a slice");
                see(reverse(&one).unwrap().column(0).unwrap(), "reversed rows");
                for policy in [NullPolicy::Include, NullPolicy::Exclude] {
                    for _ in 0..2 {
                        let counts = [AggregationRequest::new(&column, [G::CountAll, G::Sum])];
                        let groups = GroupBy::new(&one, policy).agg(&counts).unwrap();
                        groups.columns().iter().for_each(|column| see(column, "a group-by"));
                    }
                }
                see(&column, "the keys of a group-by");

                let right = table(vec![Column::from_slice(&[6_i64, 1, 6, 3, 100]).unwrap()]);
                let built = HashJoin::try_new(&right, NullEquality::Unequal).unwrap();
                let (left_rows, right_rows) = built.inner_join(&one).unwrap();
                let (full_left, full_right) = join::full_join(&one, &right, NullEquality::Equal).unwrap();
                let all = [
                    (left_rows, "left rows"),
                    (right_rows, "right rows"),
                    (full_left, "left rows of a full join"),
                    (full_right, "right rows of a full join"),
                    (built.semi_join(&one).unwrap(), "rows of a semi join"),
                    (built.anti_join(&one).unwrap(), "rows of an anti join"),
                ];
                for (numbers, what) in all {
                    see(&numbers, what);
                    let gathered = gather(&one, &numbers, OutOfBoundsPolicy::Nullify).unwrap();
                    see(gathered.column(0).unwrap(), &format!("rows gathered by {what}"));
                }
                for joined in [
                    join::inner(&one, &right, &JoinKeys::new(&[0], &[0])).unwrap(),
                    join::left(&one, &right, &JoinKeys::new(&[0], &[0])).unwrap(),
                    join::full(&one, &right, &JoinKeys::new(&[0], &[0])).unwrap(),
                    join::semi(&one, &right, &JoinKeys::new(&[0], &[0])).unwrap(),
                    join::anti(&one, &right, &JoinKeys::new(&[0], &[0])).unwrap(),
                ] {
                    joined.columns().iter().for_each(|column| see(column, "a join"));
                }
            }
        }
        assert!(known > 250, "only {known} columns know anything");
    });
}

#[test]
fn groups_of_sorted_keys_store_the_order_of_the_keys() {
    gdf::scope::with_device(test_device(), || {
        let rows = 400_003_i64;
        let grouped = |keys: &Column| {
            let table = table(vec![keys.clone()]);
            GroupBy::new(&table, NullPolicy::Exclude).agg(&[AggregationRequest::new(keys, [G::CountAll])]).unwrap();
        };
        let sorted = Column::from_slice(&(0..rows).map(|row| row / 3 - 7).collect::<Vec<_>>()).unwrap();
        grouped(&sorted);
        assert!(check(&sorted, "sorted keys") || test_device().is_cpu(), "a group-by by runs has stored nothing");
        let falls = Column::from_slice(&(0..rows).map(|row| (rows - row) / 3).collect::<Vec<_>>()).unwrap();
        let ends = |row: i64| (row < rows - 9).then_some(row / 3);
        let nulls = Column::from_options(&(0..rows).map(ends).collect::<Vec<_>>()).unwrap();
        for keys in [falls, nulls] {
            grouped(&keys);
            assert!(!keys.view().is_known_ascending());
        }
    });
}

/// The runner of the catalog checks the facts of all results by this function.
#[test]
fn false_facts_are_found() {
    use gdf_test::compare::check_facts;
    gdf::scope::with_device(test_device(), || {
        let stream = gdf::scope::current_stream(test_device())?;
        type Statement = (&'static str, fn(&Column));
        let false_facts: [Statement; 5] = [
            ("stored bounds", |column| {
                // SAFETY: the bounds are false, and no operation reads them.
                unsafe { column.value_bounds().unwrap().keep_exact(Some((3, 8))) };
            }),
            ("to lie in", |column| {
                // SAFETY: the bounds are false, and no operation reads them.
                unsafe { column.value_bounds().unwrap().keep_outer(Some((4, 9))) };
            }),
            ("numbers of 7 rows", |column| {
                // SAFETY: 7 is no number of 7 rows, and no operation gathers by the column.
                unsafe { column.value_bounds().unwrap().vouch_row_numbers(7) };
            }),
            ("to ascend", |column| {
                // SAFETY: the rows do not ascend, and no operation relies on it.
                unsafe { column.view().keep_ascending() };
            }),
            ("to be distinct", |column| {
                // SAFETY: the rows are not distinct, and no operation relies on it.
                unsafe { column.view().keep_distinct() };
            }),
        ];
        for (what, state) in false_facts {
            let column = Column::from_slice(&[3_u32, 7, 3])?;
            assert_eq!(check_facts(&column, &stream), Ok(()));
            state(&column);
            let error = check_facts(&column, &stream).unwrap_err();
            assert!(error.contains(what), "{error}");
        }
        let column = Column::from_slice(&[3_u32, 7])?;
        // SAFETY: the rows are 3 and 7.
        unsafe { column.view().keep_exact_bounds(Some((3, 7))) };
        // SAFETY: as above.
        unsafe { column.view().keep_ascending() };
        // SAFETY: as above.
        unsafe { column.view().keep_distinct() };
        assert_eq!(check_facts(&column, &stream), Ok(()));
        Ok::<_, gdf::Error>(())
    })
    .unwrap();
}
