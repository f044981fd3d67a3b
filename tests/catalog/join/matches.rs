//! Entries of joins that look up, count, divide and filter matches, and of joins of sorted rows.

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::concatenate::concatenate;
use gdf_api::join::{self as api, HashJoin, JOIN_NO_MATCH, JoinKind, NullEquality, Presorted};
use gdf_api::{sorting, stream_compaction};
use gdf_core::{Abilities, Column, Error, Result, Table, TableView};
use gdf_expr::{Expr, col, lit};

use crate::catalog::groupby::key_types;
use crate::catalog::shared::tables::{copied, scratch, shown, sides, view};
use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive;
use crate::naive::join::condition_matches;
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, random_array, with_validity};
use gdf_test::value::{Value, from_values, to_values};

pub(crate) fn entries() -> Vec<Entry> {
    let entry = |name, cases| Entry::new(name, Equality::Exact, cases).guessing();
    vec![
        entry("join.lookup", lookups),
        entry("join.match_counts", || keyed(Probe::Counts)),
        entry("join.right_semi_join", || keyed(Probe::RightSemi)),
        entry("join.right_anti_join", || keyed(Probe::RightAnti)),
        Entry::new("join.partitions", Equality::FirstColumnOrder, partitions).guessing(),
        entry("join.filter_join_pairs", filtered),
        Entry::new("join.sort_merge_inner_join", Equality::FirstColumnOrder, || sorted(JoinKind::Inner)).guessing(),
        Entry::new("join.sort_merge_left_join", Equality::FirstColumnOrder, || sorted(JoinKind::Left)).guessing(),
    ]
}

/// The largest number of waits of a case.
const WAITS: u64 = 60;

const EQUALITIES: [NullEquality; 2] = [NullEquality::Equal, NullEquality::Unequal];

/// The keys of both sides of a join.
#[derive(Clone)]
struct Keys {
    label: String,
    left: Vec<ArrayRef>,
    right: Vec<ArrayRef>,
}

fn small(len: usize, distinct: usize, nulls: NullPattern, seed: usize) -> ArrayRef {
    let values: Vec<_> = (0..len).map(|row| Some(Value::Int(((row * 7 + seed * 13) % distinct) as i128))).collect();
    with_validity(&from_values(&DataType::Int32, &values), nulls.validity(len, seed as u64))
}

fn keys() -> Vec<Keys> {
    let mut all = Vec::new();
    for (seed, data_type) in key_types().into_iter().chain(data::nested_keys()).enumerate() {
        for nulls in [NullPattern::None, NullPattern::Some] {
            let left = random_array(&data_type, 90, nulls, seed as u64);
            let right = left.slice(30, 50);
            all.push(Keys { label: format!("{data_type}/{nulls:?}"), left: vec![left], right: vec![right] });
        }
    }
    for len in SMALL_BRACKETS.iter().copied().chain([2049]) {
        for nulls in [NullPattern::None, NullPattern::Some, NullPattern::All] {
            let (left, right) = (small(len, 40, nulls, 1), small(30, 20, NullPattern::Some, 2));
            all.push(Keys {
                label: format!("left {len}/{nulls:?}"),
                left: vec![left.clone()],
                right: vec![right.clone()],
            });
            all.push(Keys { label: format!("right {len}/{nulls:?}"), left: vec![right], right: vec![left] });
        }
    }
    let two = |len, seed| {
        vec![small(len, 5, NullPattern::Some, seed), random_array(&DataType::Utf8, len, NullPattern::Some, 3)]
    };
    all.push(Keys { label: "two columns".into(), left: two(300, 1), right: two(200, 2) });
    all
}

/// Returns all keys with both equalities of nulls, and the place of the keys in their list. Equality must not depend on
/// that place, on which the pattern of nulls depends.
fn keys_of_both() -> impl Iterator<Item = (usize, Keys, NullEquality)> {
    keys().into_iter().enumerate().flat_map(|(turn, keys)| EQUALITIES.map(|nulls| (turn, keys.clone(), nulls)))
}

fn refused_types(run: impl Fn(&HashJoin<'_>, &TableView<'_>) -> Result<Vec<Column>> + Send + Sync + 'static) -> Case {
    let inputs = vec![small(3, 3, NullPattern::None, 1), random_array(&DataType::Utf8, 3, NullPattern::None, 1)];
    let run = move |inputs: &[Column]| {
        let (left, right) = sides(inputs, 1)?;
        run(&scratch(inputs[0].device(), || HashJoin::try_new(right, NullEquality::Equal))?, &left)
    };
    Case::refused("refused types", inputs, run, |error| matches!(error, Error::TypeMismatch { .. }))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Probe {
    Counts,
    RightSemi,
    RightAnti,
}

impl Probe {
    fn run(self, join: &HashJoin<'_>, left: &TableView<'_>) -> Result<Vec<Column>> {
        Ok(vec![match self {
            Probe::Counts => join.match_counts(left.clone())?,
            Probe::RightSemi => join.right_semi_join(left.clone())?,
            Probe::RightAnti => join.right_anti_join(left.clone())?,
        }])
    }

    fn naive(self, left: &[ArrayRef], right: &[ArrayRef], nulls: NullEquality) -> Vec<ArrayRef> {
        match self {
            Probe::Counts => vec![counts(&naive::join::pairs(left, right, nulls, false, false)[0], left[0].len())],
            Probe::RightSemi => naive::join::filtered(right, left, nulls, false),
            Probe::RightAnti => naive::join::filtered(right, left, nulls, true),
        }
    }
}

fn counts(left_rows: &ArrayRef, rows: usize) -> ArrayRef {
    let numbers = to_values(left_rows);
    let of = |row: usize| numbers.iter().filter(|number| **number == Some(Value::UInt(row as u64))).count();
    from_values(&DataType::Int64, &(0..rows).map(|row| Some(Value::Int(of(row) as i128))).collect::<Vec<_>>())
}

fn keyed(probe: Probe) -> Vec<Case> {
    let mut cases = Vec::new();
    for (_, Keys { label, left, right }, nulls) in keys_of_both() {
        let columns = left.len();
        let run = move |inputs: &[Column]| {
            let (left, right) = sides(inputs, columns)?;
            probe.run(&scratch(inputs[0].device(), || HashJoin::try_new(right, nulls))?, &left)
        };
        let oracle = move |inputs: &[ArrayRef]| {
            let (left, right) = inputs.split_at(columns);
            Ok(probe.naive(left, right, nulls))
        };
        let case = Case::new(format!("{label}/{nulls:?}"), [left, right].concat(), run, oracle, WAITS);
        cases.push(case.with_slice_costs(SliceCosts::Own));
    }
    cases.push(refused_types(move |join, left| probe.run(join, left)));
    cases
}

/// Builds the table from the distinct rows of the right side. A lookup therefore returns a dense number for each key.
fn lookups() -> Vec<Case> {
    let mut cases = Vec::new();
    for (_, Keys { label, left, right }, nulls) in keys_of_both() {
        let columns = left.len();
        let run = move |inputs: &[Column]| {
            let (left, right) = sides(inputs, columns)?;
            let device = inputs[0].device();
            let all: Vec<usize> = (0..columns).collect();
            let keep = stream_compaction::DuplicateKeepOption::First;
            let distinct = scratch(device, || {
                let (nulls, nans) = (NullEquality::Equal, stream_compaction::NanEquality::AllEqual);
                stream_compaction::distinct(right, &all, keep, nulls, nans)
            })?;
            let join = scratch(device, || HashJoin::try_new(&distinct, nulls))?;
            Ok(vec![join.lookup(left)?])
        };
        let oracle = move |inputs: &[ArrayRef]| {
            let (left, right) = inputs.split_at(columns);
            let own = naive::join::pairs(right, right, NullEquality::Equal, true, false);
            let first = first_matches(&own, right[0].len());
            let kept: Vec<usize> = (0..first.len()).filter(|row| first[*row] == *row).collect();
            let found = naive::join::pairs(left, right, nulls, true, false);
            let found = first_matches(&found, left[0].len());
            let id =
                |row: &usize| kept.iter().position(|kept| kept == row).map_or(u64::from(JOIN_NO_MATCH), |id| id as u64);
            let ids: Vec<_> = found.iter().map(|row| Some(Value::UInt(id(row)))).collect();
            Ok(vec![from_values(&DataType::UInt32, &ids)])
        };
        let inputs = [left.clone(), right.clone()].concat();
        let case = Case::new(format!("{label}/{nulls:?}"), inputs, run, oracle, WAITS);
        cases.push(case.with_slice_costs(SliceCosts::Own));
    }
    cases.push(refused_types(|join, left| Ok(vec![join.lookup(left.clone())?])));
    let repeated = vec![small(9, 3, NullPattern::None, 1), small(9, 3, NullPattern::None, 1)];
    let run = |inputs: &[Column]| {
        let (left, right) = sides(inputs, 1)?;
        let join = scratch(inputs[0].device(), || HashJoin::try_new(right, NullEquality::Equal))?;
        Ok(vec![join.lookup(left)?])
    };
    cases.push(Case::refused("refused equal rows", repeated, run, |error| {
        matches!(error, Error::InvalidArgument { .. })
    }));
    cases
}

/// Returns the first match of each left row of a left join.
fn first_matches(pairs: &[ArrayRef], rows: usize) -> Vec<usize> {
    let (left, right) = (to_values(&pairs[0]), to_values(&pairs[1]));
    let number = |value: &Option<Value>| match value {
        Some(Value::UInt(number)) => *number as usize,
        _ => usize::MAX,
    };
    let of = |row: usize| {
        let pair = left.iter().position(|left| number(left) == row);
        pair.map_or(usize::MAX, |pair| number(&right[pair]))
    };
    (0..rows).map(of).collect()
}

fn partitions() -> Vec<Case> {
    let mut cases = Vec::new();
    for (turn, Keys { label, left, right }) in keys().into_iter().enumerate() {
        let kind = [JoinKind::Inner, JoinKind::Left, JoinKind::Full][turn % 3];
        let nulls = EQUALITIES[turn / 3 % 2];
        let most = [1, 7, 40, 1 << 40][turn / 2 % 4];
        // Each part waits several times.
        if most < 40 && left[0].len() > 130 {
            continue;
        }
        let columns = left.len();
        let run = move |inputs: &[Column]| {
            let (left, right) = sides(inputs, columns)?;
            let device = inputs[0].device();
            let parts = scratch(device, || {
                let join = HashJoin::try_new(right, nulls)?;
                let parts = join.partitions(kind, left, most)?.collect::<Result<Vec<_>>>()?;
                for (left_rows, _) in &parts {
                    let rows = left_rows.to_vec::<u32>()?;
                    let is_right = rows.iter().all(|row| *row == Some(JOIN_NO_MATCH));
                    let is_one_row = rows.iter().all(|row| *row == rows[0]);
                    if rows.len() > most && !is_right && !is_one_row {
                        return Err(Error::invalid_data("a part has more pairs than the bound"));
                    }
                }
                parts.into_iter().map(|(left, right)| Table::try_new(vec![left, right])).collect::<Result<Vec<_>>>()
            })?;
            if parts.is_empty() {
                return Ok(vec![Column::from_slice::<u32>(&[])?, Column::from_slice::<u32>(&[])?]);
            }
            let parts: Vec<_> = parts.iter().map(Table::view).collect();
            let whole = scratch(device, || concatenate(&parts))?;
            whole.into_columns().iter().map(copied).collect()
        };
        let oracle = move |inputs: &[ArrayRef]| {
            let (left, right) = inputs.split_at(columns);
            let (unmatched_left, unmatched_right) = (kind != JoinKind::Inner, kind == JoinKind::Full);
            Ok(naive::join::pairs(left, right, nulls, unmatched_left, unmatched_right))
        };
        let case = Case::new(format!("{label}/{kind:?}/{most}"), [left, right].concat(), run, oracle, 1500);
        cases.push(case.with_slice_costs(SliceCosts::Own).with_host_values(3000));
    }
    let inputs = vec![small(3, 3, NullPattern::None, 1), small(3, 3, NullPattern::None, 2)];
    let run = |inputs: &[Column]| {
        let (left, right) = sides(inputs, 1)?;
        let join = scratch(inputs[0].device(), || HashJoin::try_new(right, NullEquality::Equal))?;
        join.partitions(JoinKind::Inner, left, 0)?;
        Ok(Vec::new())
    };
    cases.push(Case::refused("refused bound", inputs, run, |error| matches!(error, Error::InvalidArgument { .. })));
    cases
}

fn sorted(kind: JoinKind) -> Vec<Case> {
    let mut cases = Vec::new();
    for (turn, Keys { label, left, right }, nulls) in keys_of_both() {
        let is_nested = left[0].data_type().is_nested();
        let is_sortable = left.iter().all(|key| Abilities::of(key.data_type()).sortable);
        if !is_sortable || nulls == NullEquality::Unequal && is_nested {
            continue;
        }
        let presorted = [Presorted::No, Presorted::Yes][turn / 2 % 2];
        let columns = left.len();
        let join = |left: TableView<'_>, right: TableView<'_>, nulls, presorted, kind| match kind {
            JoinKind::Inner => api::sort_merge_inner_join(left, right, nulls, presorted),
            _ => api::sort_merge_left_join(left, right, nulls, presorted),
        };
        let run = move |inputs: &[Column]| {
            let (left, right) = sides(inputs, columns)?;
            if presorted == Presorted::No {
                let (left, right) = join(left, right, nulls, presorted, kind)?;
                return Ok(vec![left, right]);
            }
            // The right side is sorted here, so the numbers of sorted rows are turned into numbers of the rows.
            let device = inputs[0].device();
            let (order, table) = scratch(device, || {
                let order = sorting::sorted_order(right.clone(), &[], &[])?;
                let policy = gdf_api::copying::OutOfBoundsPolicy::Nullify;
                let table = gdf_api::copying::gather(right, &order, policy)?;
                Ok((order, table))
            })?;
            let (left, places) = scratch(device, || join(left, table.view(), nulls, presorted, kind))?;
            let rows = scratch(device, || {
                let policy = gdf_api::copying::OutOfBoundsPolicy::Nullify;
                gdf_api::copying::gather(order.view(), &places, policy)
            })?;
            let rows = scratch(device, || gdf_api::replace::replace_nulls(rows.column(0)?, JOIN_NO_MATCH))?;
            Ok(vec![copied(&left)?, copied(&rows)?])
        };
        let oracle = move |inputs: &[ArrayRef]| {
            let (left, right) = inputs.split_at(columns);
            Ok(naive::join::pairs(left, right, nulls, kind != JoinKind::Inner, false))
        };
        let case = Case::new(format!("{label}/{nulls:?}/{presorted:?}"), [left, right].concat(), run, oracle, WAITS);
        cases.push(case.with_slice_costs(SliceCosts::Own));
    }
    // The caller says wrongly that the rows are sorted. The result is any pairs of rows that exist.
    let unsorted = vec![small(70, 50, NullPattern::Some, 1), small(60, 50, NullPattern::Some, 2)];
    let run = move |inputs: &[Column]| {
        let (left, right) = sides(inputs, 1)?;
        let (left_rows, right_rows) = scratch(inputs[0].device(), || {
            let (left_rows, right_rows) = match kind {
                JoinKind::Inner => {
                    api::sort_merge_inner_join(left.clone(), right.clone(), NullEquality::Equal, Presorted::Yes)?
                }
                _ => api::sort_merge_left_join(left.clone(), right.clone(), NullEquality::Equal, Presorted::Yes)?,
            };
            Ok((left_rows.to_vec::<u32>()?, right_rows.to_vec::<u32>()?))
        })?;
        let within = |rows: &[Option<u32>], count: usize| {
            rows.iter().flatten().all(|row| (*row as usize) < count || *row == JOIN_NO_MATCH)
        };
        if !within(&left_rows, left.num_rows()) || !within(&right_rows, right.num_rows()) {
            return Err(Error::invalid_data("a row number is out of bounds"));
        }
        Ok(vec![shown(&[left_rows.len() == right_rows.len()], inputs[0].device())?])
    };
    let oracle = |_: &[ArrayRef]| Ok(vec![from_values(&DataType::Boolean, &[Some(Value::Bool(true))])]);
    let case = Case::new("not sorted", unsorted, run, oracle, WAITS);
    cases.push(case.with_slice_costs(SliceCosts::Own).with_host_values(10_000));
    let nested = data::nested_keys().swap_remove(0);
    let inputs = vec![random_array(&nested, 3, NullPattern::Some, 1), random_array(&nested, 3, NullPattern::Some, 2)];
    let run = |inputs: &[Column]| {
        let (left, right) = sides(inputs, 1)?;
        api::sort_merge_inner_join(left, right, NullEquality::Unequal, Presorted::No)?;
        Ok(Vec::new())
    };
    cases.push(Case::refused("refused nested", inputs, run, |error| matches!(error, Error::Unsupported { .. })));
    cases
}

/// Returns row numbers in which some of the numbers that are no rows of a table are null, or another such number.
fn unmatched(numbers: &ArrayRef, rows: usize) -> ArrayRef {
    let number = |(at, number): (usize, Option<Value>)| match number {
        Some(Value::UInt(row)) if row >= rows as u64 => [None, Some(Value::UInt(rows as u64)), number][at % 3].clone(),
        _ => number,
    };
    from_values(numbers.data_type(), &to_values(numbers).into_iter().enumerate().map(number).collect::<Vec<_>>())
}

/// Filters the pairs of a left or full join by equal keys. Some of the pairs have only one row.
fn filtered() -> Vec<Case> {
    let conditions: [(&str, Expr); 4] =
        [("less", col(1).lt(col(3))), ("null", lit(None::<bool>)), ("true", lit(true)), ("left", col(1).gt(10))];
    let mut cases = Vec::new();
    for (turn, (len, right_len)) in [(33, 20), (0, 5), (5, 0), (1, 1), (64, 300), (300, 65)].into_iter().enumerate() {
        for (name, condition) in &conditions {
            for kind in [JoinKind::Inner, JoinKind::Left, JoinKind::Full] {
                let side = |len, seed| {
                    vec![small(len, 9, NullPattern::Some, seed), small(len, 30, NullPattern::Some, seed + 1)]
                };
                let (left, right) = (side(len, turn), side(right_len, turn + 4));
                let pairs =
                    naive::join::pairs(&left[..1], &right[..1], NullEquality::Equal, true, kind == JoinKind::Full);
                let pairs: Vec<_> = pairs.iter().zip([len, right_len]).map(|(of, rows)| unmatched(of, rows)).collect();
                let (own, oracle_condition) = (condition.clone(), condition.clone());
                let given = pairs.clone();
                let run = move |inputs: &[Column]| {
                    let (left, right) = (view(&inputs[..2])?, view(&inputs[2..4])?);
                    let pairs = scratch(inputs[0].device(), || {
                        Ok([Column::from_array(&given[0])?, Column::from_array(&given[1])?])
                    })?;
                    let (left, right) = api::filter_join_pairs(kind, left, right, (&pairs[0], &pairs[1]), &own)?;
                    Ok(vec![left, right])
                };
                let oracle = move |inputs: &[ArrayRef]| {
                    let (left, right) = inputs.split_at(2);
                    let found = condition_matches(left, right, &oracle_condition)?;
                    Ok(naive::join::filtered_pairs(&pairs, &found, right[0].len(), kind))
                };
                let label = format!("{name}/{kind:?}/{len} rows, {right_len} rows");
                let case = Case::new(label, [left, right].concat(), run, oracle, WAITS);
                cases.push(case.with_slice_costs(SliceCosts::Own));
            }
        }
    }
    let refused = |label: &str, of: &DataType, is_right: fn(&Error) -> bool| {
        let rows = [2, 3].map(|rows| random_array(of, rows, NullPattern::None, 1));
        let run = |inputs: &[Column]| {
            let (left, right) = (view(&inputs[..1])?, view(&inputs[..1])?);
            let rows = (&inputs[1], &inputs[2]);
            let (left, right) = api::filter_join_pairs(JoinKind::Inner, left, right, rows, &lit(true))?;
            Ok(vec![left, right])
        };
        let inputs = [small(5, 3, NullPattern::None, 1)].into_iter().chain(rows).collect();
        Case::refused(format!("refused {label}"), inputs, run, is_right)
    };
    cases.push(refused("length", &DataType::UInt32, |error| matches!(error, Error::LengthMismatch { .. })));
    cases.push(refused("type", &DataType::Int64, |error| matches!(error, Error::TypeMismatch { .. })));
    cases
}
