//! Entries of as-of joins.

use arrow_array::ArrayRef;
use arrow_array::types::Float64Type;
use arrow_schema::{DataType, TimeUnit};
use gdf_api::join::{AsofDirection, AsofKeys, JoinKeys, NullEquality, asof_join, asof_join_rows};
use gdf_core::{Column, Error, Literal};

use crate::catalog::shared::tables::{gather_waits, view};
use crate::catalog::{Case, Entry};
use crate::naive;
use crate::naive::join::asof::Side;
use gdf_test::builders::ints;
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, random_array, with_validity};
use gdf_test::value::{Value, from_values};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("join.asof_join_rows", Equality::Exact, || cases(false)),
        Entry::new("join.asof_join", Equality::Exact, || cases(true)).sharing_inputs(),
    ]
}

const DIRECTIONS: [AsofDirection; 3] = [AsofDirection::Backward, AsofDirection::Forward, AsofDirection::Nearest];

/// The largest distance of a match: the value that is passed to the function, and the same distance in the units of the
/// keys.
type Tolerance = Option<(Literal<'static>, f64)>;

/// The shape of a join.
#[derive(Clone)]
struct Shape {
    left_columns: usize,
    by: usize,
    nulls: NullEquality,
    direction: AsofDirection,
    tolerance: Tolerance,
}

/// The largest number of waits: for sorting the right keys, for filtering the right keys, and for the sizes of text.
const WAITS: u64 = 12;

fn case(label: String, left: Vec<ArrayRef>, right: Vec<ArrayRef>, shape: Shape, whole: bool) -> Case {
    let (waits, count, oracle) = (WAITS + gather_waits(&right), shape.left_columns, shape.clone());
    let run = move |inputs: &[Column]| {
        let (left, right) = (view(&inputs[..count])?, view(&inputs[count..])?);
        let by: Vec<usize> = (1..=shape.by).collect();
        let mut on = AsofKeys::new(0, 0).direction(shape.direction).by(JoinKeys::new(&by, &by).with_nulls(shape.nulls));
        if let Some((limit, _)) = shape.tolerance {
            on = on.within(limit);
        }
        if whole {
            Ok(asof_join(left, right, &on)?.into_columns())
        } else {
            Ok(vec![asof_join_rows(left, right, &on)?])
        }
    };
    let naive = move |inputs: &[ArrayRef]| {
        let (left, right) = inputs.split_at(count);
        let by: Vec<usize> = (1..=oracle.by).collect();
        let [left_side, right_side] = [left, right].map(|columns| Side { columns, by: &by, on: 0 });
        let limit = oracle.tolerance.map(|(_, limit)| limit);
        let rows = naive::join::asof::rows(&left_side, &right_side, oracle.direction, oracle.nulls, limit);
        let rows: Vec<_> = rows.into_iter().map(|row| row.map(|row| Value::UInt(row as u64))).collect();
        let rows = from_values(&DataType::UInt32, &rows);
        if !whole {
            return Ok(vec![rows]);
        }
        let kept: Vec<_> =
            right.iter().enumerate().filter(|(i, _)| !by.contains(i)).map(|(_, of)| of.clone()).collect();
        Ok([left.to_vec(), naive::copying::gather(&kept, &rows)?].concat())
    };
    Case::new(label, [left, right].concat(), run, naive, waits)
}

fn numbers(data_type: &DataType, len: usize, nulls: NullPattern, seed: u64) -> ArrayRef {
    let value = |row: usize| Some(Value::Int(((row as u64 * 7919 + seed * 104_729) % 200) as i128));
    let values: Vec<_> = (0..len).map(value).collect();
    with_validity(&from_values(data_type, &values), nulls.validity(len, seed))
}

fn plain(direction: AsofDirection) -> Shape {
    Shape { left_columns: 1, by: 0, nulls: NullEquality::Unequal, direction, tolerance: None }
}

fn cases(whole: bool) -> Vec<Case> {
    use NullPattern::{None as Plain, Some as Nulls};
    let mut cases = Vec::new();
    for (data_type, seed) in data::ordered().iter().zip(1_u64..) {
        for nulls in [Plain, Nulls] {
            let (left, right) =
                (random_array(data_type, 65, nulls, seed * 2), random_array(data_type, 90, nulls, seed * 2 + 1));
            let direction = DIRECTIONS[seed as usize % 2];
            let label = format!("types/{data_type}/{nulls:?}/{direction:?}");
            cases.push(case(label, vec![left], vec![right], plain(direction), whole));
        }
    }
    let milliseconds = DataType::Timestamp(TimeUnit::Millisecond, None);
    let seconds = |seconds: i64| {
        static SECONDS: DataType = DataType::Duration(TimeUnit::Second);
        Literal::typed(Some(seconds), &SECONDS).ok()
    };
    let tolerances: [(DataType, Vec<Tolerance>); 7] = [
        (DataType::Int32, vec![None, Some((3.into(), 3.0)), Some((0.into(), 0.0))]),
        (DataType::UInt8, vec![None, Some((3_u8.into(), 3.0))]),
        (DataType::UInt64, vec![None, Some((2_u64.into(), 2.0))]),
        (DataType::Int64, vec![None, Some((1.into(), 1.0))]),
        (DataType::Date32, vec![None, seconds(2 * 86_400 + 5).map(|limit| (limit, 2.0))]),
        (milliseconds, vec![None, seconds(0).map(|limit| (limit, 0.0)), seconds(1).map(|limit| (limit, 1000.0))]),
        (DataType::Time32(TimeUnit::Second), vec![None, seconds(4).map(|limit| (limit, 4.0))]),
    ];
    for (i, (data_type, tolerances)) in tolerances.iter().enumerate() {
        for &tolerance in tolerances {
            for direction in DIRECTIONS {
                for nulls in [Plain, Nulls] {
                    let seed = i as u64 * 8;
                    let (left, right) = (numbers(data_type, 70, nulls, seed), numbers(data_type, 33, nulls, seed + 1));
                    let label = format!("distances/{data_type}/{tolerance:?}/{direction:?}/{nulls:?}");
                    cases.push(case(label, vec![left], vec![right], Shape { tolerance, ..plain(direction) }, whole));
                }
            }
        }
    }
    // Some distances between these keys do not fit the type of the keys.
    let ends = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX].map(|number| Some(Value::Int(number.into())));
    let (left, right) =
        (from_values(&DataType::Int64, &ends), from_values(&DataType::Int64, &[ends[0].clone(), ends[6].clone()]));
    for direction in DIRECTIONS {
        cases.push(case(
            format!("ends/{direction:?}"),
            vec![left.clone()],
            vec![right.clone()],
            plain(direction),
            whole,
        ));
    }
    let floats = [None, Some(f64::NAN), Some(-0.0), Some(0.5), Some(f64::INFINITY), Some(f64::NEG_INFINITY), Some(3.0)];
    let others = [Some(f64::INFINITY), Some(0.0), None, Some(0.25), Some(f64::NAN), Some(f64::NEG_INFINITY), Some(4.0)];
    let (left, right) = (ints::<Float64Type>(floats), ints::<Float64Type>(others));
    for direction in DIRECTIONS {
        for tolerance in [None, Some((0.5.into(), 0.5))] {
            let shape = Shape { tolerance, ..plain(direction) };
            cases.push(case(
                format!("floats/{direction:?}/{tolerance:?}"),
                vec![left.clone()],
                vec![right.clone()],
                shape,
                whole,
            ));
        }
    }
    for (i, (left, right)) in [(0, 0), (0, 5), (5, 0), (1, 1), (33, 64), (70, 300), (2049, 90)].into_iter().enumerate()
    {
        for nulls in [NullEquality::Equal, NullEquality::Unequal] {
            for direction in DIRECTIONS {
                let columns = |rows: usize, seed: u64| {
                    let text = |row: usize| Some(Value::Str(["a", "b", ""][(row + seed as usize) % 3].to_owned()));
                    let text = from_values(&DataType::Utf8, &(0..rows).map(text).collect::<Vec<_>>());
                    vec![
                        numbers(&DataType::Int16, rows, Nulls, seed),
                        random_array(&DataType::Boolean, rows, Nulls, seed),
                        text,
                        random_array(&DataType::Utf8, rows, Nulls, seed + 9),
                    ]
                };
                let shape = Shape { left_columns: 4, by: 2, nulls, ..plain(direction) };
                let seed = i as u64 * 2;
                let label = format!("by/{left}, {right}/{nulls:?}/{direction:?}");
                cases.push(case(label, columns(left, seed), columns(right, seed + 1), shape, whole));
            }
        }
    }
    cases.extend(refusals(whole));
    cases
}

fn refusals(whole: bool) -> Vec<Case> {
    let refused = |label: &str, of: [&DataType; 2], on: AsofKeys<'static>, is_expected: fn(&Error) -> bool| {
        let inputs = of.map(|of| random_array(of, 3, NullPattern::None, 1)).to_vec();
        let run = move |inputs: &[Column]| {
            let (left, right) = (view(&inputs[..1])?, view(&inputs[1..])?);
            if whole {
                Ok(asof_join(left, right, &on)?.into_columns())
            } else {
                Ok(vec![asof_join_rows(left, right, &on)?])
            }
        };
        Case::refused(format!("refused/{label}"), inputs, run, is_expected)
    };
    let (int, keys) = (&DataType::Int32, AsofKeys::new(0, 0));
    let is_unsupported = |error: &Error| matches!(error, Error::Unsupported { .. });
    let is_invalid = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    let is_mismatch = |error: &Error| matches!(error, Error::TypeMismatch { .. });
    let date = &DataType::Date32;
    vec![
        refused("types", [int, &DataType::Int64], keys, is_mismatch),
        refused("unions", [&data::unions()[0]; 2], keys, is_unsupported),
        refused("no column", [int; 2], AsofKeys::new(0, 1), |error| matches!(error, Error::OutOfBounds { .. })),
        refused("distance of texts", [&DataType::Utf8; 2], keys.direction(AsofDirection::Nearest), is_unsupported),
        refused("negative", [int; 2], keys.within(-1), is_invalid),
        refused("null", [int; 2], keys.within(None::<i32>), is_invalid),
        refused("NaN", [&DataType::Float32; 2], keys.within(f64::NAN), is_invalid),
        refused("fraction", [int; 2], keys.within(0.5), is_mismatch),
        refused("days", [date; 2], keys.within(1), is_mismatch),
        refused("keys", [int; 2], keys.by(JoinKeys::new(&[0], &[])), |error| {
            matches!(error, Error::ColumnCount { .. })
        }),
    ]
}
