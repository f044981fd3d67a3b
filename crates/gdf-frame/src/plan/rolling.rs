//! Aggregations of a window of rows for each row.

use std::fmt;

use gdf_api::copying::{OutOfBoundsPolicy, gather, scatter};
use gdf_api::rolling::{
    RangeWindow, RangeWindowBound, RollingAggregation, grouped_rolling_window, make_range_windows, rolling_window,
    variable_rolling_window,
};
use gdf_api::sorting::{is_sorted, sorted_order};
use gdf_core::{Column, DataType, Error, Literal, Result, Table, is_numeric};
use gdf_expr::Value;

use super::aggregate::{Grouped, Outputs};
use super::{Grouping, Rows, sums};
use crate::expr::{Aggregation, Expr};

/// Which ends of a window of values belong to the window. A window ends at the value of its row, and begins one period
/// before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Closed {
    /// The window includes the value of the row, and excludes the value one period before. Windows one period apart
    /// have no row in common.
    #[default]
    Right,
    /// The window includes the value one period before, and excludes the value of the row.
    Left,
    /// The window includes both ends.
    Both,
    /// The window excludes both ends.
    Neither,
}

/// The rows of the windows.
#[derive(Clone)]
pub(crate) enum Bounds {
    /// The last rows up to and including the current row.
    Rows(usize),
    /// The rows whose value of the last key lies in the period that ends at the value of the current row.
    Period { period: Value, closed: Closed },
}

/// The aggregations of windows. The keys of the grouping are the keys of the partitions. For windows of a period, the
/// ordered column is the last key.
#[derive(Clone)]
pub(crate) struct Rolled {
    pub(crate) grouping: Grouping,
    pub(crate) bounds: Bounds,
    /// See [`Rolling::min_rows`](crate::Rolling::min_rows).
    pub(crate) min_rows: usize,
}

impl Rolled {
    pub(super) fn name(&self) -> &'static str {
        match self.bounds {
            Bounds::Rows(_) => "frame.rolling",
            Bounds::Period { .. } => "frame.group_by_rolling",
        }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bounds::Rows(rows) => write!(f, "rolling {rows} rows"),
            Bounds::Period { period, closed } => write!(f, "rolling {period}, closed {closed:?},"),
        }
    }
}

/// Aggregates a window of rows for each row. The result has the keys and the outputs, in the order of the rows.
///
/// Rows whose partitions or values are out of order are sorted first, and the results are put back in the order of the
/// rows.
pub(super) fn roll(rows: &mut Rows, rolled: &Rolled) -> Result<()> {
    let has_period = matches!(rolled.bounds, Bounds::Period { .. });
    if has_period && rolled.grouping.keys.last().is_some_and(Expr::has_selector) {
        let error = Error::invalid_argument("windows are ordered by one column, found a selector; name the column");
        return Err(error.in_argument("on"));
    }
    let of = Outputs::new(rows, &rolled.grouping.keys, &rolled.grouping.values)?;
    let grouped = Grouped::new(rows, &of.keys, &of.aggregates)?;
    let count = grouped.keys.len();
    let values = grouped.values().to_vec();
    let all: Vec<_> = grouped.keys.iter().chain(&values).cloned().collect();
    let table = rows.project(&all)?;
    let keys = table.select(&(0..count).collect::<Vec<_>>())?;
    let order = match count == 0 || is_sorted(&keys, &[], &[])? {
        true => None,
        false => Some(sorted_order(&keys, &[], &[])?),
    };
    let sorted = match &order {
        Some(order) => gather(&*table, order, OutOfBoundsPolicy::Nullify)?,
        None => Table::clone(&table),
    };
    let windows = Windows::new(&sorted, count, rolled)?;
    let found = of.aggregates.iter().zip(&sorted.columns()[count..]).map(|(aggregate, values)| {
        let function = aggregate.function.of_windows()?;
        let wide = sums::of_windows(aggregate.function, values)?;
        let is_sum = aggregate.function == Aggregation::Sum;
        sums::checked(is_sum, values.data_type(), &wide, |values| windows.aggregate(values, function))
    });
    let found = Table::try_with_rows(found.collect::<Result<_>>()?, sorted.num_rows())?;
    let found = match &order {
        Some(order) => scatter(&found, order, &found, OutOfBoundsPolicy::Nullify)?,
        None => found,
    };
    let columns = keys.into_columns().into_iter().chain(found.into_columns()).collect();
    let result = Table::try_with_rows(columns, sorted.num_rows())?;
    let result = grouped.columns(rows, &of.keys, &of.aggregates, result, &[])?;
    *rows = Rows::with_outputs(result, of.named);
    Ok(())
}

struct Windows {
    partitions: Table,
    /// The number of rows of each window, or the numbers of rows before and after each row.
    extent: Extent,
    min_rows: usize,
}

enum Extent {
    Rows(i64),
    Each(Box<[Column; 2]>),
}

impl Windows {
    /// Determines the windows of `sorted`, whose first `count` columns are the keys.
    fn new(sorted: &Table, count: usize, rolled: &Rolled) -> Result<Windows> {
        let keys = |range: std::ops::Range<usize>| sorted.select(&range.collect::<Vec<_>>());
        let min_rows = rolled.min_rows;
        match &rolled.bounds {
            Bounds::Rows(0) => {
                Err(Error::invalid_argument("a window has 0 rows; pass at least 1 row").in_argument("rows"))
            }
            Bounds::Rows(rows) => {
                let rows = i64::try_from(*rows).unwrap_or(i64::MAX);
                Ok(Windows { partitions: keys(0..count)?, extent: Extent::Rows(rows), min_rows })
            }
            Bounds::Period { period, closed } => {
                let partitions = keys(0..count - 1)?;
                let on = sorted.column(count - 1)?;
                let difference = difference(on.data_type())?;
                let period = period_as(period, &difference).map_err(|error| error.in_argument("period"))?;
                let (period, zero) = (period.literal()?, Literal::from(0_i64));
                let zero = match is_numeric(&difference) {
                    true => zero.with_type(&difference)?,
                    false => Literal::typed(Some(0_i64), &difference)?,
                };
                let preceding = match closed {
                    Closed::Right | Closed::Neither => RangeWindowBound::BoundedOpen(period.into()),
                    Closed::Left | Closed::Both => RangeWindowBound::BoundedClosed(period.into()),
                };
                let following = match closed {
                    Closed::Right | Closed::Both => RangeWindowBound::CurrentRow,
                    Closed::Left | Closed::Neither => RangeWindowBound::BoundedOpen(zero.into()),
                };
                let window = RangeWindow { preceding, following, ..RangeWindow::default() };
                let on = Table::try_new(vec![on.clone()])?;
                let each = make_range_windows(&partitions, &on, window)?;
                Ok(Windows { partitions, extent: Extent::Each(each.into()), min_rows })
            }
        }
    }

    fn aggregate(&self, values: &Column, function: RollingAggregation) -> Result<Column> {
        let min_rows = match function {
            // A number of rows is never null.
            RollingAggregation::CountAll | RollingAggregation::CountValid => 0,
            _ => self.min_rows,
        };
        match &self.extent {
            Extent::Rows(rows) if self.partitions.num_columns() == 0 => {
                rolling_window(values, *rows, 0, min_rows, function)
            }
            Extent::Rows(rows) => grouped_rolling_window(&self.partitions, values, *rows, 0, min_rows, function),
            Extent::Each(each) => {
                let [before, after] = &**each;
                variable_rolling_window(values, before, after, min_rows, function)
            }
        }
    }
}

fn difference(of: &DataType) -> Result<DataType> {
    Ok(match of {
        DataType::Timestamp(unit, _) | DataType::Time32(unit) | DataType::Time64(unit) => DataType::Duration(*unit),
        DataType::Date64 => DataType::Duration(gdf_core::TimeUnit::Millisecond),
        DataType::Date32 => DataType::Int32,
        other => other.clone(),
    })
}

/// Converts a period to the type of the differences between values. A duration must be a whole number of the units of
/// that type.
fn period_as(period: &Value, to: &DataType) -> Result<Value> {
    use gdf_core::TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    let nanoseconds = |of: &DataType| match of {
        DataType::Duration(Second) => Some(1_000_000_000_i128),
        DataType::Duration(Millisecond) => Some(1_000_000),
        DataType::Duration(Microsecond) => Some(1_000),
        DataType::Duration(Nanosecond) => Some(1),
        DataType::Int32 => Some(86_400 * 1_000_000_000),
        _ => None,
    };
    let refused = || {
        let error = Error::type_mismatch(to, period.data_type());
        error.with_remedy("pass a duration for a column of times, or a number for a column of numbers")
    };
    let is_duration = matches!(period.data_type(), DataType::Duration(_));
    let found = match (nanoseconds(period.data_type()), nanoseconds(to), period.integer()) {
        (Some(from), Some(unit), Some(ticks)) if is_duration => {
            let total = ticks * from;
            if total % unit != 0 {
                let what = "the period is not a whole number of the units of the ordering column";
                let remedy = "pass a multiple of the unit, or convert the column to a finer unit";
                return Err(Error::invalid_argument(what).with_remedy(remedy));
            }
            let ticks = i64::try_from(total / unit).map_err(|_| {
                Error::invalid_argument("the period is too long for the unit of the ordering column")
                    .with_remedy("pass a shorter period, or convert the column to a coarser unit")
            })?;
            match to {
                DataType::Int32 => Value::from(ticks).with_type(to)?,
                _ => Value::new(Literal::typed(Some(ticks), to)?),
            }
        }
        _ => period.with_type(to).map_err(|_| refused())?,
    };
    let is_positive = found.integer().map(|number| number > 0).or(found.float().map(|number| number > 0.0));
    match is_positive {
        Some(true) => Ok(found),
        _ => Err(Error::invalid_argument("the period is null, NaN or not greater than 0; pass a positive period")),
    }
}

impl Aggregation {
    pub(super) fn of_windows(self) -> Result<RollingAggregation> {
        let nth = |n| RollingAggregation::NthElement { n, null_policy: gdf_api::groupby::NullPolicy::Include };
        Ok(match self {
            Aggregation::Len => RollingAggregation::CountAll,
            Aggregation::Count => RollingAggregation::CountValid,
            Aggregation::Sum => RollingAggregation::Sum,
            Aggregation::Mean => RollingAggregation::Mean,
            Aggregation::Min => RollingAggregation::Min,
            Aggregation::Max => RollingAggregation::Max,
            Aggregation::Var => RollingAggregation::Variance { ddof: 1 },
            Aggregation::Std => RollingAggregation::Std { ddof: 1 },
            Aggregation::First => nth(0),
            Aggregation::Last => nth(-1),
            Aggregation::Product | Aggregation::Median | Aggregation::NUnique | Aggregation::Quantile { .. } => {
                return Err(Error::invalid_argument("rolling windows do not support this aggregation")
                    .in_variant(self.sql_name())
                    .with_remedy("use Sum, Mean, Min, Max, Count, Len, Var, Std, First or Last"));
            }
        })
    }
}
