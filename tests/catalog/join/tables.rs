//! Entries of the joins that return tables. The entries of `join` test which rows match and all strategies of the join.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array};
use arrow_schema::DataType;
use gdf_api::join::{self as api, JoinKeys, NullEquality};
use gdf_api::stream_compaction::filter;
use gdf_core::{Column, Error, Result, Table};
use gdf_expr::col;
use gdf_external::{JoinKind, bounds};

use crate::catalog::shared::tables::{shape_of, sides, view};
use crate::catalog::{Case, Entry};
use crate::naive;
use gdf_test::compare::Equality;
use gdf_test::data::{NullPattern, random_array, with_validity};
use gdf_test::value::{Value, from_values};

pub(crate) fn entries() -> Vec<Entry> {
    let entry = |name, cases| Entry::new(name, Equality::FirstColumnOrder, cases).guessing();
    vec![
        entry("join.inner", || cases(Join::Inner)),
        entry("join.left", || cases(Join::Left)),
        entry("join.full", || cases(Join::Full)),
        entry("join.semi", || cases(Join::Semi)),
        entry("join.anti", || cases(Join::Anti)),
        entry("join.semi_condition", condition_cases),
    ]
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Join {
    Inner,
    Left,
    Full,
    Semi,
    Anti,
}

#[derive(Clone, Debug)]
struct Shape {
    left: Vec<usize>,
    right: Vec<usize>,
    left_columns: usize,
    nulls: NullEquality,
    /// Whether the keys of the right table are distinct.
    is_unique: bool,
}

impl Shape {
    fn on(&self) -> JoinKeys<'_> {
        JoinKeys::new(&self.left, &self.right).with_nulls(self.nulls)
    }
}

impl Join {
    pub(crate) fn kind(self) -> JoinKind {
        match self {
            Join::Inner => JoinKind::Inner,
            Join::Left => JoinKind::Left,
            Join::Full => JoinKind::Full,
            Join::Semi => JoinKind::Semi,
            Join::Anti => JoinKind::Anti,
        }
    }

    fn run(self, shape: &Shape, inputs: &[Column]) -> Result<Table> {
        let (left, right) = sides(inputs, shape.left_columns)?;
        match self {
            Join::Inner => api::inner(left, right, &shape.on()),
            Join::Left => api::left(left, right, &shape.on()),
            Join::Full => api::full(left, right, &shape.on()),
            Join::Semi => api::semi(left, right, &shape.on()),
            Join::Anti => api::anti(left, right, &shape.on()),
        }
    }

    fn naive(self, shape: &Shape, inputs: &[ArrayRef]) -> Result<Vec<ArrayRef>, String> {
        let (left, right) = inputs.split_at(shape.left_columns);
        let pick = |side: &[ArrayRef], keys: &[usize]| keys.iter().map(|key| side[*key].clone()).collect::<Vec<_>>();
        let (left_keys, right_keys) = (pick(left, &shape.left), pick(right, &shape.right));
        if let Join::Semi | Join::Anti = self {
            let rows = naive::join::filtered(&left_keys, &right_keys, shape.nulls, self == Join::Anti);
            return naive::copying::gather(left, &rows[0]);
        }
        let full = self == Join::Full;
        let rows = naive::join::pairs(&left_keys, &right_keys, shape.nulls, self != Join::Inner, full);
        let mut columns = naive::copying::gather(left, &rows[0])?;
        for (&place, key) in shape.left.iter().zip(&naive::copying::gather(&right_keys, &rows[1])?) {
            if full {
                let filled =
                    gdf_test::value::to_values(&columns[place]).into_iter().zip(gdf_test::value::to_values(key));
                let filled: Vec<_> = filled.map(|(left, right)| left.or(right)).collect();
                columns[place] = from_values(key.data_type(), &filled);
            }
        }
        let rest: Vec<_> = (0..right.len()).filter(|column| !shape.right.contains(column)).collect();
        columns.extend(naive::copying::gather(&pick(right, &rest), &rows[1])?);
        Ok(columns)
    }
}

/// The largest number of waits: for the join, for the sizes of text on either side, and for the check of bounds.
const WAITS: u64 = 8;

fn case(join: Join, label: String, left: Vec<ArrayRef>, right: Vec<ArrayRef>, shape: Shape) -> Case {
    let (oracle, of_left, is_unique) = (shape.clone(), shape.left_columns, shape.is_unique);
    Case::new(
        label,
        [left, right].concat(),
        move |inputs| Ok(join.run(&shape, inputs)?.into_columns()),
        move |inputs| join.naive(&oracle, inputs),
        WAITS,
    )
    .with_bound(move |inputs| {
        let (left, right) = inputs.split_at(of_left);
        bounds::join(&shape_of(left), &shape_of(right), join.kind(), is_unique)
    })
}

/// The number of rows of the left table in the case with many rows.
const MANY: i64 = 1 << 18;
/// A prime. Multiplication by this prime modulo `len` permutes the numbers below `len`.
const MIXED: i64 = 7919;

/// Returns `len` numbers, many of which occur on both sides.
fn keys(data_type: &DataType, len: usize, first: usize, nulls: NullPattern, seed: u64) -> ArrayRef {
    let values: Vec<_> = (0..len).map(|row| Some(Value::Int((first + row * 7 % 50) as i128))).collect();
    with_validity(&from_values(data_type, &values), nulls.validity(len, seed))
}

fn cases(join: Join) -> Vec<Case> {
    let mut cases = Vec::new();
    let numbers = |len: usize| keys_in_order(len);
    for (left_len, right_len) in [(0, 0), (0, 5), (5, 0), (1, 1), (33, 20), (70, 64)] {
        for nulls in [NullPattern::None, NullPattern::Every(3)] {
            for equality in [NullEquality::Equal, NullEquality::Unequal] {
                let text = |len, seed| random_array(&DataType::Utf8, len, nulls, seed);
                let left = vec![numbers(left_len), text(left_len, 1), keys(&DataType::Int64, left_len, 0, nulls, 2)];
                let right = vec![
                    random_array(&DataType::Boolean, right_len, nulls, 3),
                    keys(&DataType::Int64, right_len, 30, nulls, 4),
                    text(right_len, 5),
                ];
                let shape = Shape { left: vec![2], right: vec![1], left_columns: 3, nulls: equality, is_unique: false };
                let label = format!("{left_len} rows, {right_len} rows/{nulls:?}/{equality:?}");
                cases.push(case(join, label, left, right, shape));
            }
        }
    }
    // The keys are a column of text and a column of numbers.
    for nulls in [NullPattern::None, NullPattern::Every(3)] {
        let text = |of: &ArrayRef| texts_of(of);
        let (left, right) = (keys(&DataType::Date32, 60, 0, nulls, 6), keys(&DataType::Date32, 40, 20, nulls, 7));
        let left = vec![numbers(60), text(&left), left];
        let right = vec![right.clone(), text(&right)];
        let nulls_equal = NullEquality::Equal;
        let shape =
            Shape { left: vec![2, 1], right: vec![0, 1], left_columns: 3, nulls: nulls_equal, is_unique: false };
        cases.push(case(join, format!("two keys/{nulls:?}"), left, right, shape));
    }
    // The bound of many rows with unique keys is near the peak.
    let unique = |len: i64, first: i64| -> ArrayRef {
        let keys = (0..len).map(|row| first + row.wrapping_mul(MIXED) % len);
        Arc::new(Int64Array::from_iter_values(keys))
    };
    let left = vec![unique(MANY, 0), keys_in_order(MANY as usize)];
    let right = vec![unique(MANY / 2, MANY / 4), keys_in_order(MANY as usize / 2)];
    let shape = Shape { left: vec![0], right: vec![0], left_columns: 2, nulls: NullEquality::Equal, is_unique: true };
    cases.push(case(join, "many rows, unique keys".into(), left, right, shape));
    cases
}

fn keys_in_order(len: usize) -> ArrayRef {
    from_values(&DataType::Int32, &(0..len).map(|row| Some(Value::Int(row as i128))).collect::<Vec<_>>())
}

fn texts_of(numbers: &ArrayRef) -> ArrayRef {
    let text = |number: Option<Value>| number.map(|number| Value::Str(format!("{number:?}")));
    from_values(&DataType::Utf8, &gdf_test::value::to_values(numbers).into_iter().map(text).collect::<Vec<_>>())
}

/// Builds cases in which a filter computes a semi join together with another condition.
fn condition_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let types = [
        DataType::Int8,
        DataType::UInt16,
        DataType::Int64,
        DataType::UInt64,
        DataType::Date32,
        DataType::Decimal64(9, 2),
    ];
    for data_type in types {
        for (left_len, right_len) in [(0, 0), (5, 0), (1, 1), (33, 20), (70, 64), (3000, 100)] {
            for nulls in [NullPattern::None, NullPattern::Every(3)] {
                let left = vec![
                    keys(&data_type, left_len, 0, nulls, 1),
                    random_array(&DataType::Utf8, left_len, nulls, 2),
                    random_array(&DataType::Boolean, left_len, nulls, 3),
                ];
                let right = vec![keys(&data_type, right_len, 20, nulls, 4)];
                let label = format!("{data_type}/{left_len}/{right_len}/{nulls:?}");
                cases.push(Case::new(
                    label,
                    [left, right].concat(),
                    |inputs| {
                        let (left, right) = (view(&inputs[..3])?, view(&inputs[3..])?);
                        let condition = api::semi_condition(&[col(0)], right, left.num_rows())?;
                        let missing = || Error::invalid_argument("the keys are not of a small range");
                        let condition = condition.ok_or_else(missing)?.and(col(2));
                        Ok(filter(left, &condition)?.into_columns())
                    },
                    |inputs| {
                        let (left, right) = inputs.split_at(3);
                        let wanted = naive::stream_compaction::apply_boolean_mask(left, &left[2])?;
                        let rows = naive::join::filtered(&wanted[..1], right, NullEquality::Unequal, false);
                        naive::copying::gather(&wanted, &rows[0])
                    },
                    WAITS,
                ));
            }
        }
    }
    let inputs = vec![keys_in_order(3), keys_in_order(3)];
    let run = |inputs: &[Column]| {
        api::semi_condition(&[col(0)], view(inputs)?, 9)?;
        Ok(Vec::new())
    };
    cases.push(Case::refused("refused keys", inputs, run, |error| matches!(error, Error::ColumnCount { .. })));
    cases
}
