//! Entries of `rolling` whose windows are ranges of values.

use std::ops::Range;

use arrow_array::ArrayRef;
use arrow_array::types::{Float64Type, Int32Type};
use arrow_schema::{DataType, TimeUnit};
use gdf_api::rolling::{self, NullOrder, Order, RangeWindow, RangeWindowBound, RollingAggregation as Aggregation};
use gdf_core::{Column, Error, Operand, Result, Table};
use half::f16;

use super::{array, case};
use crate::catalog::shared::tables::as_table;
use crate::catalog::{Case, Entry};
use crate::naive::rolling::{Reach, by_range};
use crate::naive::sorting::{Direction, sort_by_key};
use gdf_test::builders::plain;
use gdf_test::compare::Equality;
use gdf_test::data::{BRACKETS, NullPattern, random_array};
use gdf_test::value::{Value, from_values};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("rolling.grouped_range_rolling_window", Equality::Exact, range_cases),
        Entry::new("rolling.make_range_windows", Equality::Exact, range_bound_cases),
    ]
}

/// A bound of a range window.
#[derive(Clone, Copy, Debug, PartialEq)]
enum To {
    Group,
    Peers,
    Closed(usize),
    Open(usize),
}

impl To {
    fn bound(self, inputs: &[Column]) -> RangeWindowBound<'_> {
        match self {
            To::Group => RangeWindowBound::Unbounded,
            To::Peers => RangeWindowBound::CurrentRow,
            To::Closed(at) => RangeWindowBound::BoundedClosed(Operand::from(&inputs[at])),
            To::Open(at) => RangeWindowBound::BoundedOpen(Operand::from(&inputs[at])),
        }
    }

    fn reach(self, inputs: &[ArrayRef]) -> Reach<'_> {
        match self {
            To::Group => Reach::Group,
            To::Peers => Reach::Peers,
            To::Closed(at) => Reach::Delta(&inputs[at], false),
            To::Open(at) => Reach::Delta(&inputs[at], true),
        }
    }
}

/// The order of the rows, and the two bounds of a range window.
#[derive(Clone, Copy, Debug)]
struct Span {
    order: Order,
    null_order: NullOrder,
    to: [To; 2],
}

impl Span {
    fn window<'a>(&self, inputs: &'a [Column]) -> RangeWindow<'a> {
        let [preceding, following] = self.to.map(|to| to.bound(inputs));
        RangeWindow { order: self.order, null_order: self.null_order, preceding, following }
    }

    fn make_windows(&self, inputs: &[Column]) -> Result<Vec<Column>> {
        let [keys, orderby] = tables(inputs)?;
        Ok(rolling::make_range_windows(&keys, &orderby, self.window(inputs))?.to_vec())
    }

    fn windows(&self, inputs: &[ArrayRef]) -> std::result::Result<Vec<Range<usize>>, String> {
        by_range(&inputs[..1], &inputs[1], self.order == Order::Descending, self.to.map(|to| to.reach(inputs)))
    }
}

fn tables(inputs: &[Column]) -> Result<[Table; 2]> {
    Ok([as_table(&inputs[..1])?, as_table(&inputs[1..2])?])
}

/// Returns the inputs of a case: the keys, the sorted order column, two distances, and the values.
fn range_inputs(data_type: &DataType, span: Span, deltas: [Option<Value>; 2], rows: usize, seed: u64) -> Vec<ArrayRef> {
    let keys = random_array(&DataType::Boolean, rows, NullPattern::Every(5), seed);
    let pool = gdf_test::value::to_values(&random_array(data_type, rows, NullPattern::Every(6), seed));
    let small = |row: usize, value: Option<Value>| match value {
        Some(Value::Int(_)) => Some(Value::Int((row * 7919 % 60) as i128)),
        Some(Value::UInt(_)) => Some(Value::UInt((row * 7919 % 60) as u64)),
        Some(Value::Decimal(_)) => Some(Value::Decimal(arrow_buffer::i256::from_i128((row * 7919 % 60) as i128))),
        other => other,
    };
    let values: Vec<_> =
        pool.into_iter().enumerate().map(|(row, value)| if row % 9 == 8 { value } else { small(row, value) }).collect();
    let orderby = from_values(data_type, &values);
    let directions = [
        Direction { descending: false, nulls_smallest: true },
        Direction { descending: span.order == Order::Descending, nulls_smallest: span.null_order == NullOrder::Before },
    ];
    let columns = [keys, orderby];
    let mut inputs = sort_by_key(&columns, &columns, &directions, rows).unwrap_or_default();
    let delta_type = match data_type {
        DataType::Timestamp(unit, _) | DataType::Time32(unit) | DataType::Time64(unit) => DataType::Duration(*unit),
        DataType::Date64 => DataType::Duration(TimeUnit::Millisecond),
        DataType::Date32 => DataType::Int32,
        other => other.clone(),
    };
    inputs.extend(deltas.map(|delta| from_values(&delta_type, &[delta])));
    inputs.push(array(&DataType::Int64, rows, NullPattern::Some, seed));
    inputs
}

fn deltas(data_type: &DataType) -> [Option<Value>; 2] {
    match data_type {
        DataType::Float16 => [1.5, 0.25].map(|delta| Some(Value::F16(f16::from_f32(delta)))),
        DataType::Float32 => [Some(Value::F32(1.5)), Some(Value::F32(0.25))],
        DataType::Float64 => [Some(Value::F64(1.5)), Some(Value::F64(f64::INFINITY))],
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => {
            [Some(Value::UInt(3)), Some(Value::UInt(5))]
        }
        DataType::Decimal128(..) | DataType::Decimal64(..) | DataType::Decimal32(..) => {
            [3, 5].map(|delta| Some(Value::Decimal(arrow_buffer::i256::from_i128(delta))))
        }
        DataType::Int16 => [Some(Value::Int(-2)), Some(Value::Int(7))],
        DataType::Int8 => [None, Some(Value::Int(1))],
        _ => [Some(Value::Int(3)), Some(Value::Int(5))],
    }
}

fn spans() -> Vec<Span> {
    let mut spans = Vec::new();
    for order in [Order::Ascending, Order::Descending] {
        for null_order in [NullOrder::Before, NullOrder::After] {
            for to in [
                [To::Closed(2), To::Closed(3)],
                [To::Open(2), To::Open(3)],
                [To::Group, To::Peers],
                [To::Peers, To::Group],
                [To::Closed(2), To::Group],
            ] {
                spans.push(Span { order, null_order, to });
            }
        }
    }
    spans
}

fn range(mut inputs: Vec<ArrayRef>, span: Span, how: (usize, Aggregation)) -> Option<Case> {
    if span.to.iter().all(|to| matches!(to, To::Group | To::Peers)) {
        inputs.drain(2..4); // the window does not use the deltas
    }
    let label = format!("{:?}/{:?}/{:?}/{}", span.order, span.null_order, span.to, inputs[1].data_type());
    case(
        &label,
        inputs,
        how,
        move |inputs| span.windows(inputs),
        move |inputs| {
            let ([keys, orderby], window) = (tables(inputs)?, span.window(inputs));
            rolling::grouped_range_rolling_window(&keys, &orderby, window, &inputs[inputs.len() - 1], how.0, how.1)
        },
    )
}

/// Returns a type of each kind and width that a bounded range accepts.
fn range_types() -> [DataType; 20] {
    [
        DataType::Int32,
        DataType::Int8,
        DataType::Int16,
        DataType::UInt64,
        DataType::Float32,
        DataType::Float64,
        DataType::Decimal128(38, 2),
        DataType::Decimal32(9, 2),
        DataType::Date32,
        DataType::Timestamp(TimeUnit::Millisecond, None),
        DataType::Int64,
        DataType::UInt8,
        DataType::UInt16,
        DataType::UInt32,
        DataType::Float16,
        DataType::Decimal64(18, 2),
        DataType::Date64,
        DataType::Time32(TimeUnit::Second),
        DataType::Time64(TimeUnit::Nanosecond),
        DataType::Duration(TimeUnit::Microsecond),
    ]
}

/// The aggregations, and the smallest number of rows of a window that has a result.
const HOW: [(usize, Aggregation); 3] = [(1, Aggregation::Sum), (0, Aggregation::CountAll), (4, Aggregation::Max)];

fn range_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (turn, data_type) in range_types().iter().enumerate() {
        // Each span occurs with each aggregation.
        for (at, span) in spans().into_iter().enumerate() {
            let inputs = range_inputs(data_type, span, deltas(data_type), 90, turn as u64 + 1);
            cases.extend(range(inputs, span, HOW[(turn + at) % HOW.len()]));
        }
    }
    let span = Span { order: Order::Ascending, null_order: NullOrder::Before, to: [To::Group, To::Peers] };
    let mut text = range_inputs(&DataType::Utf8, span, [None, None], 90, 3);
    text[2..4].fill(plain::<Int32Type>([1]));
    cases.extend(range(text.clone(), span, (1, Aggregation::Max)));
    let bounded = Span { to: [To::Closed(2), To::Peers], ..span };
    let refused = |label: &str, inputs, is_right| {
        Case::refused(format!("refused {label}"), inputs, move |inputs| bounded.make_windows(inputs), is_right)
    };
    cases.push(refused("text", text, |error| matches!(error, Error::Unsupported { .. })));
    let mut other = range_inputs(&DataType::Int32, span, deltas(&DataType::Int32), 9, 1);
    other[2] = plain::<Float64Type>([1.0]);
    cases.push(refused("delta", other, |error| matches!(error, Error::TypeMismatch { .. })));
    let numbers = || range_inputs(&DataType::Int32, span, deltas(&DataType::Int32), 9, 1);
    let mut short = numbers();
    short[4] = array(&DataType::Int64, 8, NullPattern::None, 1);
    let run = move |inputs: &[Column]| {
        let ([keys, orderby], window) = (tables(inputs)?, bounded.window(inputs));
        let sums = rolling::grouped_range_rolling_window(&keys, &orderby, window, &inputs[4], 1, Aggregation::Sum)?;
        Ok(vec![sums])
    };
    let is_of_lengths = |error: &Error| matches!(error, Error::LengthMismatch { .. });
    cases.push(Case::refused("refused lengths", short, run, is_of_lengths));
    let run = move |inputs: &[Column]| {
        let [keys, one] = tables(inputs)?;
        let two = Table::try_new([one.columns(), one.columns()].concat())?;
        Ok(rolling::make_range_windows(&keys, &two, bounded.window(inputs))?.to_vec())
    };
    let is_of_argument = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    cases.push(Case::refused("refused columns", numbers(), run, is_of_argument));
    cases
}

fn range_bound_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let spans = spans();
    // All spans occur, also with more than one row.
    for (&rows, seed) in BRACKETS.iter().chain(&[33, 257, 33, 257, 33, 257, 33, 257]).zip(1_u64..) {
        let span = spans[seed as usize * 7 % spans.len()];
        let inputs = range_inputs(&DataType::Int32, span, deltas(&DataType::Int32), rows, seed)[..4].to_vec();
        cases.push(Case::new(
            format!("{:?}/{:?}/{:?}/{rows}", span.order, span.null_order, span.to),
            inputs,
            move |inputs| span.make_windows(inputs),
            move |inputs| {
                let windows = span.windows(inputs)?;
                let numbers = |number: &dyn Fn(usize, &Range<usize>) -> i64| -> ArrayRef {
                    plain::<arrow_array::types::Int64Type>(
                        windows.iter().enumerate().map(|(row, window)| number(row, window)),
                    )
                };
                let before = numbers(&|row, window| row as i64 - window.start as i64 + 1);
                let after = numbers(&|row, window| window.end as i64 - row as i64 - 1);
                Ok(vec![before, after])
            },
            0,
        ));
    }
    cases
}

#[cfg(test)]
mod tests {
    use gdf_test::runner::{RunnerOptions, run_entry};

    #[test]
    fn passes_on_the_cpu() {
        for entry in super::entries() {
            run_entry(&entry, gdf_driver::Device::Cpu, &RunnerOptions::default()).assert_passed();
        }
    }
}
