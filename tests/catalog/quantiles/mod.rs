//! Entries of `quantiles`.

pub(super) mod tdigest;

use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::quantiles::{Interpolation, QuantileOrder, quantile, quantiles};
use gdf_api::reduction::ReduceAggregation;
use gdf_api::sorting::{NullOrder, Order};
use gdf_core::{Column, Error, Result};

use super::shared::tables::as_table;
use super::{Case, Entry, SliceCosts};
use crate::documented_types::reduced_type;
use crate::naive;
use crate::naive::sorting::Direction;
use gdf_test::builders::{ints, plain};
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, random_array};
use gdf_test::value::{Value, to_values};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("quantiles.quantile", Equality::Exact, values),
        Entry::new("quantiles.quantiles", Equality::Exact, rows),
    ]
}

const ALL: [Interpolation; 5] = [
    Interpolation::Linear,
    Interpolation::Lower,
    Interpolation::Higher,
    Interpolation::Midpoint,
    Interpolation::Nearest,
];

const SHARES: [f64; 9] = [0.0, 0.1, 0.25, 0.5, 0.77, 1.0, -0.5, 1.5, 1.0 / 3.0];

/// The order of the rows that the operation gets: none, the order in which the rows already are, or the order in the
/// last input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Nothing,
    Rows,
    Input,
}

impl By {
    fn order(self, inputs: &[Column]) -> QuantileOrder<'_> {
        match (self, inputs.last()) {
            (By::Rows, _) => QuantileOrder::Sorted,
            (By::Input, Some(order)) => QuantileOrder::By(order.view()),
            _ => QuantileOrder::Unsorted,
        }
    }

    fn columns<T>(self, inputs: &[T]) -> &[T] {
        &inputs[..inputs.len() - usize::from(self == By::Input)]
    }

    /// Returns the rows in order. With `from_end`, negative row numbers count from the end.
    fn rows(self, inputs: &[ArrayRef], from_end: bool, sorted: impl Fn() -> Vec<Option<usize>>) -> Vec<Option<usize>> {
        match self {
            By::Nothing => sorted(),
            By::Rows => (0..inputs[0].len()).map(Some).collect(),
            By::Input => {
                let len = inputs[0].len();
                let row = |row: &Value| match row.as_i128()? {
                    row if row < 0 && from_end => usize::try_from(row + len as i128).ok(),
                    row => usize::try_from(row).ok(),
                };
                let rows = to_values(&inputs[inputs.len() - 1]);
                rows.iter().map(|value| row(value.as_ref()?).filter(|row| *row < len)).collect()
            }
        }
    }
}

fn value_case(label: &str, inputs: Vec<ArrayRef>, interpolation: Interpolation, by: By, output: &DataType) -> Case {
    let label = format!("{} to {output}/{interpolation:?}/{by:?}/{label}", inputs[0].data_type());
    let (own, output) = (output.clone(), output.clone());
    // If the rows are unsorted, the operation waits for the null count and for a sort.
    let waits = if by == By::Nothing { 6 } else { 0 };
    Case::new(
        label,
        inputs,
        move |inputs| Ok(vec![quantile(&inputs[0], &SHARES, interpolation, by.order(inputs), &own)?]),
        move |inputs| {
            let rows = by.rows(inputs, false, || naive::quantiles::sorted(&inputs[0]));
            naive::quantiles::quantile(&inputs[0], &SHARES, interpolation, &rows, &output)
        },
        waits,
    )
    .with_slice_costs(SliceCosts::NullCount)
}

/// Returns row numbers.
fn some_rows(rows: usize) -> ArrayRef {
    let rows = rows as i32;
    ints::<Int32Type>([Some(rows - 1), Some(0), None, Some(rows), Some(rows / 2), Some(-1), Some(1)])
}

fn values() -> Vec<Case> {
    let mut cases = Vec::new();
    let numbers = [data::numeric(), data::decimal(), vec![DataType::Boolean]].concat();
    for (seed, data_type) in (0..).zip([numbers, data::temporal()].concat()) {
        let is_number = reduced_type(ReduceAggregation::Median, &data_type).is_some();
        let mut outputs = vec![data_type.clone(), DataType::Float64];
        outputs.dedup();
        outputs.retain(|output| if *output == data_type { data_type != DataType::Boolean } else { is_number });
        for (rows, nulls) in
            [(0, NullPattern::None), (1, NullPattern::None), (77, NullPattern::Some), (64, NullPattern::All)]
        {
            let column = random_array(&data_type, rows, nulls, seed);
            let label = format!("{rows}/{nulls:?}");
            for output in &outputs {
                for interpolation in ALL {
                    let mixes = matches!(interpolation, Interpolation::Linear | Interpolation::Midpoint);
                    if matches!(output, DataType::Decimal256(..)) && mixes {
                        continue;
                    }
                    cases.push(value_case(&label, vec![column.clone()], interpolation, By::Nothing, output));
                    cases.push(value_case(&label, vec![column.clone()], interpolation, By::Rows, output));
                }
                if rows > 2 {
                    let inputs = vec![column.clone(), some_rows(rows)];
                    cases.push(value_case(&label, inputs, Interpolation::Lower, By::Input, output));
                }
            }
        }
    }
    for (seed, &rows) in (0..).zip(SMALL_BRACKETS) {
        let column = random_array(&DataType::Int64, rows, NullPattern::Every(7), seed);
        cases.push(value_case(
            &format!("{rows}"),
            vec![column],
            Interpolation::Linear,
            By::Nothing,
            &DataType::Float64,
        ));
    }
    let special = plain::<Float64Type>([f64::NAN, 1.0, f64::INFINITY, -0.0, f64::NEG_INFINITY, 0.0]);
    for interpolation in ALL {
        cases.push(value_case("special", vec![special.clone()], interpolation, By::Nothing, &DataType::Float64));
    }
    cases.push(value_case("few", vec![special, some_rows(6)], Interpolation::Linear, By::Input, &DataType::Float64));
    cases.extend(refused_values());
    cases
}

fn refused_values() -> Vec<Case> {
    let refused = |label: &str, data_type: &DataType, q: f64, output: DataType, is: fn(&Error) -> bool| {
        let column = random_array(data_type, 5, NullPattern::None, 1);
        let run = move |inputs: &[Column]| -> Result<Vec<Column>> {
            Ok(vec![quantile(&inputs[0], &[q], Interpolation::Linear, QuantileOrder::Unsorted, &output)?])
        };
        Case::refused(format!("refused {label}/{data_type}"), vec![column], run, is)
    };
    let unsupported = |error: &Error| matches!(error, Error::Unsupported { .. });
    let mismatch = |error: &Error| matches!(error, Error::TypeMismatch { .. });
    let argument = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    let text = [data::strings(), data::nested(), vec![DataType::Null]].concat();
    let mut cases: Vec<_> =
        text.iter().map(|data_type| refused("type", data_type, 0.5, DataType::Float64, unsupported)).collect();
    cases.push(refused("dates as doubles", &DataType::Date32, 0.5, DataType::Float64, unsupported));
    cases.push(refused("wide", &DataType::Decimal256(76, 0), 0.5, DataType::Decimal256(76, 0), unsupported));
    cases.push(refused("output", &DataType::Int32, 0.5, DataType::Int64, mismatch));
    cases.push(refused("NaN", &DataType::Int32, f64::NAN, DataType::Float64, argument));
    cases
}

/// The order of each column, or no elements for the default order.
type Orders = (Vec<Order>, Vec<NullOrder>);

fn row_case(
    label: String,
    inputs: Vec<ArrayRef>,
    interpolation: Interpolation,
    by: By,
    (orders, nulls): Orders,
) -> Case {
    let direction = |column: usize| Direction {
        descending: orders.get(column) == Some(&Order::Descending),
        nulls_smallest: nulls.get(column).is_none_or(|nulls| *nulls == NullOrder::Before),
    };
    let directions: Vec<_> = (0..by.columns(&inputs).len()).map(direction).collect();
    let run = move |inputs: &[Column]| {
        run_rows(by.columns(inputs), &SHARES, interpolation, by.order(inputs), (&orders[..], &nulls[..]))
    };
    let naive = move |inputs: &[ArrayRef]| {
        let columns = by.columns(inputs);
        let sorted = || naive::sorting::order(columns, &directions).into_iter().map(Some).collect();
        naive::quantiles::quantiles(columns, &SHARES, interpolation, &by.rows(inputs, true, sorted))
    };
    // The number of waits includes the waits of sorting short texts and of gathering text.
    Case::new(format!("{interpolation:?}/{by:?}/{label}"), inputs, run, naive, 40)
}

fn run_rows(
    columns: &[Column],
    q: &[f64],
    interpolation: Interpolation,
    by: QuantileOrder,
    (orders, nulls): (&[Order], &[NullOrder]),
) -> Result<Vec<Column>> {
    Ok(quantiles(&as_table(columns)?, q, interpolation, by, orders, nulls)?.into_columns())
}

fn rows() -> Vec<Case> {
    let mut cases = Vec::new();
    for (seed, rows) in [(0, 1), (1, 33), (2, 257)] {
        let column = |data_type: &DataType, nulls, seed| random_array(data_type, rows, nulls, seed);
        let columns = vec![
            column(&DataType::Boolean, NullPattern::Some, seed),
            column(&DataType::Utf8, NullPattern::Every(3), seed + 1),
            column(&DataType::Int64, NullPattern::None, seed + 2),
        ];
        for interpolation in [Interpolation::Lower, Interpolation::Higher, Interpolation::Nearest] {
            let label = format!("{rows}");
            cases.push(row_case(label.clone(), columns.clone(), interpolation, By::Nothing, Orders::default()));
            cases.push(row_case(label.clone(), columns.clone(), interpolation, By::Rows, Orders::default()));
            let ordered = [columns.clone(), vec![some_rows(rows)]].concat();
            cases.push(row_case(label, ordered, interpolation, By::Input, Orders::default()));
        }
        let (up, down) = (Order::Ascending, Order::Descending);
        let (before, after) = (NullOrder::Before, NullOrder::After);
        for (orders, nulls) in [
            (vec![down, up, down], vec![after, before, before]),
            (vec![up, down, up], Vec::new()),
            (Vec::new(), vec![after, after, before]),
        ] {
            for by in [By::Nothing, By::Rows] {
                let label = format!("{rows}, {orders:?}, {nulls:?}");
                let orders = (orders.clone(), nulls.clone());
                cases.push(row_case(label, columns.clone(), Interpolation::Lower, by, orders));
            }
        }
    }
    let refused = |label: &str, rows: usize, interpolation: Interpolation, q: f64| {
        let column = random_array(&DataType::Int32, rows, NullPattern::None, 1);
        let run =
            move |inputs: &[Column]| run_rows(inputs, &[q], interpolation, QuantileOrder::Sorted, Default::default());
        Case::refused(label, vec![column], run, |error| matches!(error, Error::InvalidArgument { .. }))
    };
    cases.push(refused("refused no rows", 0, Interpolation::Lower, 0.5));
    cases.push(refused("refused linear", 3, Interpolation::Linear, 0.5));
    cases.push(refused("refused midpoint", 3, Interpolation::Midpoint, 0.5));
    cases.push(refused("refused NaN", 3, Interpolation::Lower, f64::NAN));
    cases
}
