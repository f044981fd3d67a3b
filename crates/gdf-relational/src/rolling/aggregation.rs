//! The aggregations of windows, the types of their results, and the operations that implement the aggregations.

use gdf_compute::binaryop::{BinaryOperator, binary_operation, of};
use gdf_compute::collect::ListedRows;
use gdf_compute::copying::copy_if_else;
use gdf_compute::copying::{OutOfBoundsPolicy, gather};
use gdf_compute::filling::row_numbers;
use gdf_compute::keys::is_replaced;
use gdf_compute::lists::{list_of, rows_of_ranges};
use gdf_compute::scan::{RankedRows, by_ranks};
use gdf_compute::scan::{ScanAggregation, ScanType, scan};
use gdf_compute::stream_compaction::{NanEquality, NullEquality, apply_boolean_mask};
use gdf_compute::unary::is_valid;
use gdf_core::{
    Abilities, Column, ColumnView, DataType, Error, Operand, PhysicalType, Result, TableView, can_have_validity,
    has_known_nulls, is_decimal, is_floating, is_integral, physical_type,
};
use gdf_engine::cast::cast;
use gdf_engine::check;
use gdf_engine::decoded::{Reads, decoded_type, has_null_values};
use gdf_engine::operand::{Literals, of_one_type};
use gdf_engine::policy::NullPolicy;
use gdf_engine::rows::RowPlan;
use gdf_engine::windows::{
    Aggregate, Operation, Outcome, Position, RowPositions, StoredRows, Windows, aggregate, positions,
};

use crate::Ctx;

/// An aggregation of the rows of a window. Null rows are skipped unless stated otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RollingAggregation {
    /// The sum. The result is 0 for a window without valid rows. For booleans and integers the result is `Int64` and
    /// wraps. For floats the result has the type of the rows, and the values are added in `f64`. For decimals and
    /// durations the result has the type of the rows and wraps.
    Sum,
    /// The sum of squares. The result is 0 for a window without valid rows. For booleans and integers the result is
    /// `Int64` and wraps. For floats the result has the type of the rows.
    SumOfSquares,
    /// The sum divided by the number of valid rows. For booleans and numbers the result is `Float64`. For decimals
    /// and durations the result has the type of the rows and is truncated.
    Mean,
    /// The smallest value. −0.0 comes before 0.0, and NaN comes after every other value. The result has the type of
    /// the rows. Booleans, numbers, decimals, strings, binary, every temporal type except intervals with days, and
    /// structs and lists of these are supported. A null field or element is smaller than a value.
    Min,
    /// The largest value, in the order of [`Min`](Self::Min). The supported types and the type of the result are the
    /// same.
    Max,
    /// The number of the row of the column with the smallest value, as `Int64`. If several rows of the window have the
    /// smallest value, the result is the first of these rows. The supported types are the types of [`Min`](Self::Min).
    /// The order is the order of sorting, in which −0.0 equals 0.0.
    ArgMin,
    /// The number of the row of the column with the largest value, in the same way as [`ArgMin`](Self::ArgMin).
    ArgMax,
    /// The number of valid rows, as `Int64`. Every type that can have nulls is supported.
    CountValid,
    /// The number of rows, as `Int64`. Every type is supported.
    CountAll,
    /// The variance with the divisor `n − ddof`, as `Float64`. Booleans and numbers are supported. The result is null
    /// if a window has at most `ddof` valid rows.
    Variance {
        /// The number subtracted from the number of values to get the divisor: 1 for a sample, 0 for a population.
        ddof: u32,
    },
    /// The square root of the variance.
    Std {
        /// The number subtracted from the number of values, as for [`Variance`](Self::Variance).
        ddof: u32,
    },
    /// The number of the row in its window, counted from 1, as `Int64`.
    RowNumber,
    /// The value of the row that is this many rows later. The result is null if the window ends before that row. The
    /// result has the type of the rows, which can be any type that can be gathered.
    Lead(usize),
    /// The value of the row that is this many rows earlier. The result is null if the window begins after that row.
    Lag(usize),
    /// The value of the row at a position of the window. A negative position counts from the window's end. The result
    /// is null if the window has no such row. The result has the type of the rows, which can be any type that can be
    /// gathered; unions and run-end encoded values only with [`NullPolicy::Include`].
    NthElement {
        /// The position in the window. Position 0 is the first row, and position -1 is the last row.
        n: i64,
        /// Whether null rows are counted.
        null_policy: NullPolicy,
    },
    /// The rows of the window as a list, in the order of the input. The values can be of any type. Unions, run-end
    /// encoded values and values of type null need [`NullPolicy::Include`].
    CollectList {
        /// Whether null rows are elements of the list.
        nulls: NullPolicy,
    },
    /// The distinct rows of the window as a list, in the order of their first rows. Every type that keys can have is
    /// supported.
    CollectSet {
        /// Whether a null row is an element of the list.
        nulls: NullPolicy,
        /// Whether null rows are equal to each other. Otherwise each null row is an element.
        null_equality: NullEquality,
        /// Whether NaNs are equal to each other. Otherwise each NaN is an element.
        nan_equality: NanEquality,
    },
}

impl RollingAggregation {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sum => "Sum",
            Self::SumOfSquares => "SumOfSquares",
            Self::Mean => "Mean",
            Self::Min => "Min",
            Self::Max => "Max",
            Self::ArgMin => "ArgMin",
            Self::ArgMax => "ArgMax",
            Self::CountValid => "CountValid",
            Self::CountAll => "CountAll",
            Self::Variance { .. } => "Variance",
            Self::Std { .. } => "Std",
            Self::RowNumber => "RowNumber",
            Self::Lead(_) => "Lead",
            Self::Lag(_) => "Lag",
            Self::NthElement { .. } => "NthElement",
            Self::CollectList { .. } => "CollectList",
            Self::CollectSet { .. } => "CollectSet",
        }
    }

    /// Returns the number of rows from a row to the row that `Lead` or `Lag` returns.
    fn distance(self) -> Option<i64> {
        match self {
            Self::Lead(rows) => Some(i64::try_from(rows).unwrap_or(i64::MAX)),
            Self::Lag(rows) => Some(i64::try_from(rows).map_or(i64::MIN, |rows| -rows)),
            _ => None,
        }
    }

    fn reads(self) -> Reads {
        match self {
            Self::CountAll | Self::RowNumber | Self::Lead(_) | Self::Lag(_) | Self::NthElement { .. } => Reads::Rows,
            Self::CollectList { .. } | Self::CollectSet { .. } => Reads::Rows,
            Self::CountValid => Reads::Nulls,
            Self::Sum | Self::SumOfSquares | Self::Mean | Self::Min | Self::Max => Reads::Values,
            Self::Variance { .. } | Self::Std { .. } | Self::ArgMin | Self::ArgMax => Reads::Values,
        }
    }

    /// Returns the type of the result for rows of `data_type`.
    ///
    /// # Errors
    /// * [`Unsupported`](Error::Unsupported) if the aggregation does not support `data_type`.
    #[doc(alias = "is_valid_rolling_aggregation")]
    pub fn result_type(self, data_type: &DataType) -> Result<DataType> {
        let data_type = if self.reads() == Reads::Rows { data_type } else { decoded_type(data_type) };
        let whole = *data_type == DataType::Boolean || is_integral(data_type);
        let same = |exists: bool| exists.then(|| data_type.clone());
        let abilities = Abilities::of(data_type);
        let as_is = || same(is_decimal(data_type) || matches!(data_type, DataType::Duration(_)));
        let found = match self {
            Self::CountAll | Self::RowNumber => Some(DataType::Int64),
            Self::CountValid => can_have_validity(data_type).then_some(DataType::Int64),
            Self::Min | Self::Max => same(abilities.sortable),
            Self::ArgMin | Self::ArgMax => abilities.sortable.then_some(DataType::Int64),
            Self::Sum | Self::SumOfSquares if whole => Some(DataType::Int64),
            Self::Mean | Self::Variance { .. } | Self::Std { .. } if whole => Some(DataType::Float64),
            Self::Mean | Self::Variance { .. } | Self::Std { .. } if is_floating(data_type) => Some(DataType::Float64),
            Self::Sum | Self::SumOfSquares if is_floating(data_type) => Some(data_type.clone()),
            Self::Sum | Self::Mean => as_is(),
            Self::SumOfSquares | Self::Variance { .. } | Self::Std { .. } => None,
            Self::NthElement { null_policy: NullPolicy::Exclude, .. } => same(has_known_nulls(data_type)),
            Self::Lead(_) | Self::Lag(_) | Self::NthElement { .. } => same(true),
            Self::CollectList { nulls: NullPolicy::Exclude } if !can_have_validity(data_type) => None,
            Self::CollectList { .. } => abilities.is_movable().then(|| list_of(data_type)),
            Self::CollectSet { .. } => abilities.is_key().then(|| list_of(data_type)),
        };
        found.ok_or_else(|| Error::unsupported("rolling_window", data_type).in_variant(self.name()))
    }
}

/// Computes a row for each window of `input`.
pub(super) fn roll(
    input: ColumnView<'_>,
    windows: &Windows<'_>,
    min_periods: usize,
    aggregation: RollingAggregation,
    ctx: Ctx<'_>,
) -> Result<Column> {
    use RollingAggregation as A;
    check::column(input, ctx)?;
    let decoded = aggregation.reads().decode(input, ctx.scratch())?;
    let input = decoded.view();
    let data_type = aggregation.result_type(input.data_type())?;
    let number = |kind| positions(input, windows, RowPositions { kind, offset: 0, min_periods }, ctx);
    let row = |kind, offset: i64| {
        let rows = positions(input, windows, RowPositions { kind, offset, min_periods }, ctx.scratch())?;
        gathered(input, &rows, ctx)
    };
    match aggregation {
        A::CountAll => number(Position::RowsOfWindow),
        A::CountValid if !input.has_validity() => number(Position::RowsOfWindow),
        A::RowNumber => number(Position::RowNumber),
        A::Lead(_) | A::Lag(_) => row(Position::FromRow, aggregation.distance().unwrap_or_default()),
        A::NthElement { n, null_policy: NullPolicy::Exclude } if input.has_validity() || has_null_values(input) => {
            valid_element(input, windows, n, min_periods, ctx)
        }
        A::NthElement { n, .. } => row(if n < 0 { Position::FromEnd } else { Position::FromBegin }, n),
        A::CollectList { nulls } => collected(input, windows, nulls, min_periods, ctx, Ok),
        A::CollectSet { nulls, null_equality, nan_equality } => {
            collected(input, windows, nulls, min_periods, ctx, |rows| {
                rows.distinct(input, null_equality, nan_equality, ctx.scratch())
            })
        }
        A::Min | A::Max if is_replaced(input.data_type()) => by_ranks("rolling_window", input, ctx, |ranks, ctx| {
            aggregated(ranks, windows, min_periods, aggregation, ranks.data_type(), ctx)
        }),
        A::ArgMin | A::ArgMax => row_of_extreme(input, windows, min_periods, aggregation, ctx),
        A::CountValid | A::Sum | A::SumOfSquares | A::Mean | A::Min | A::Max | A::Variance { .. } | A::Std { .. } => {
            aggregated(input, windows, min_periods, aggregation, &data_type, ctx)
        }
    }
}

/// Computes `Lead` or `Lag` as [`roll`] does.
pub(super) fn roll_or(
    input: ColumnView<'_>,
    defaults: Operand<'_>,
    windows: &Windows<'_>,
    aggregation: RollingAggregation,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let Some(offset) = aggregation.distance() else {
        let text = "only Lead and Lag have default outputs; use Lead or Lag, or the function without default outputs";
        return Err(Error::invalid_argument(text).in_argument("aggregation").in_variant(aggregation.name()));
    };
    let in_defaults = |error: Error| error.in_argument("default_outputs");
    check::column(input, ctx)?;
    if let Operand::Column(rows) = defaults {
        check::length(input.len(), rows.len()).map_err(in_defaults)?;
    }
    let operands = of_one_type(input.into(), defaults);
    let literals = Literals::new(&operands, ctx).map_err(in_defaults)?;
    let [_, defaults] = literals.resolve(operands);
    check::types(input.data_type(), defaults.data_type()).map_err(in_defaults)?;
    check::column(defaults.view(), ctx).map_err(in_defaults)?;
    let scratch = ctx.scratch();
    let row = RowPositions { kind: Position::FromRow, offset, min_periods: 0 };
    let rows = positions(input, windows, row, scratch)?;
    let found = is_valid(rows.view(), scratch)?;
    let moved = gathered(input, &rows, scratch)?;
    let defaults = match defaults.len() {
        Some(_) => defaults.view().into(),
        None => operands[1],
    };
    copy_if_else((&moved).into(), defaults, found.view(), ctx)
}

fn gathered(input: ColumnView<'_>, rows: &Column, ctx: Ctx<'_>) -> Result<Column> {
    let table = gather(TableView::try_new(vec![input])?, rows.view(), OutOfBoundsPolicy::Nullify, ctx)?;
    Ok(table.column(0)?.clone())
}

/// Returns the `n`th valid row of each window.
fn valid_element(
    input: ColumnView<'_>,
    windows: &Windows<'_>,
    n: i64,
    min_periods: usize,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let scratch = ctx.scratch();
    let decoded = Reads::Nulls.decode(input, scratch)?;
    let nulls = decoded.view();
    let counts = scan(nulls, ScanAggregation::CountValid, ScanType::Inclusive, NullPolicy::Exclude, scratch)?;
    let kind = if n < 0 { Position::ValidFromEnd } else { Position::ValidFromBegin };
    let rows = positions(counts.view(), windows, RowPositions { kind, offset: n, min_periods }, scratch)?;
    let table = TableView::try_new(vec![input])?;
    let valid = apply_boolean_mask(table, is_valid(nulls, scratch)?.view(), scratch)?;
    gathered(valid.column(0)?.view(), &rows, ctx)
}

/// Returns the row of the smallest or largest value of each window.
fn row_of_extreme(
    input: ColumnView<'_>,
    windows: &Windows<'_>,
    min_periods: usize,
    aggregation: RollingAggregation,
    ctx: Ctx<'_>,
) -> Result<Column> {
    /// The largest number of rows whose square fits in 63 bits.
    const MOST: usize = 3_037_000_499;
    if input.len() > MOST {
        return Err(
            Error::beyond_limit("the number of rows", input.len() as i128, MOST as i128).in_variant(aggregation.name())
        );
    }
    let (scratch, long, rows) = (ctx.scratch(), &DataType::Int64, input.len() as i64);
    let numbers = cast(row_numbers(input.len(), scratch)?.view(), long, scratch)?;
    let from_end = |rows_of: &Column, ctx: Ctx<'_>| {
        binary_operation((rows - 1).into(), rows_of.into(), BinaryOperator::Sub, long, ctx)
    };
    let (of_extreme, numbers) = match aggregation {
        RollingAggregation::ArgMax => (RollingAggregation::Max, from_end(&numbers, scratch)?),
        _ => (RollingAggregation::Min, numbers),
    };
    let ranked = RankedRows::of("rolling_window", input, scratch)?;
    let ranks = cast(ranked.ranks(), long, scratch)?;
    let keys = of(&ranks, BinaryOperator::Mul, rows.max(1).into(), long, scratch)?;
    let keys = of(&keys, BinaryOperator::Add, (&numbers).into(), long, scratch)?;
    let found = aggregated(keys.view(), windows, min_periods, of_extreme, long, scratch)?;
    let is_last = of_extreme == RollingAggregation::Max;
    let found = of(&found, BinaryOperator::Mod, rows.max(1).into(), long, if is_last { scratch } else { ctx })?;
    if is_last { from_end(&found, ctx) } else { Ok(found) }
}

/// Returns the rows of each window as a list.
fn collected(
    input: ColumnView<'_>,
    windows: &Windows<'_>,
    nulls: NullPolicy,
    min_periods: usize,
    ctx: Ctx<'_>,
    chosen: impl FnOnce(ListedRows) -> Result<ListedRows>,
) -> Result<Column> {
    let (scratch, long) = (ctx.scratch(), &DataType::Int64);
    let number = |kind| positions(input, windows, RowPositions { kind, offset: 0, min_periods }, scratch);
    let (begins, counts) = (number(Position::FromBegin)?, number(Position::RowsOfWindow)?);
    let or_zero = |column: &Column| of(column, BinaryOperator::NullMax, 0_i64.into(), long, scratch);
    let (rows, offsets) = rows_of_ranges(&or_zero(&begins)?, &or_zero(&counts)?, input.len(), scratch)?;
    let rows = ListedRows { rows, offsets };
    let decoded = Reads::Nulls.decode(input, scratch)?;
    let valid = decoded.view();
    let may_be_null = valid.has_validity() || *valid.data_type() == DataType::Null;
    let rows = match nulls {
        NullPolicy::Exclude if may_be_null => rows.without_nulls(valid, scratch)?,
        NullPolicy::Exclude | NullPolicy::Include => rows,
    };
    chosen(rows)?.of(input, &[counts.view()], ctx)
}

fn aggregated(
    input: ColumnView<'_>,
    windows: &Windows<'_>,
    min_periods: usize,
    aggregation: RollingAggregation,
    data_type: &DataType,
    ctx: Ctx<'_>,
) -> Result<Column> {
    use RollingAggregation as A;
    let (operation, outcome, ddof) = match aggregation {
        A::Sum | A::SumOfSquares => (Operation::Sum, Outcome::Total, 0),
        A::Mean => (Operation::Sum, Outcome::Mean, 0),
        A::Min => (Operation::Minimum, Outcome::Value, 0),
        A::Max => (Operation::Maximum, Outcome::Value, 0),
        A::Variance { ddof } => (Operation::Sum, Outcome::Variance, ddof),
        A::Std { ddof } => (Operation::Sum, Outcome::Deviation, ddof),
        A::CountValid => (Operation::Count, Outcome::ValidRows, 0),
        A::CountAll
        | A::ArgMin
        | A::ArgMax
        | A::RowNumber
        | A::Lead(_)
        | A::Lag(_)
        | A::NthElement { .. }
        | A::CollectList { .. }
        | A::CollectSet { .. } => {
            return Err(Error::internal("an aggregation that is not a reduction reached the reduction of windows"));
        }
    };
    let with = |stored| Aggregate { stored, operation, outcome, ddof, min_periods };
    if operation == Operation::Count {
        return aggregate(input, windows, &with(StoredRows::Words), data_type, ctx);
    }
    let (column, stored) = match physical_type(input.data_type()) {
        PhysicalType::String { .. } | PhysicalType::Binary { .. } => {
            let rows = aggregate(input, windows, &with(StoredRows::Strings), &DataType::Int64, ctx.scratch())?;
            return gathered(input, &rows, ctx);
        }
        PhysicalType::I128 => (input.to_column(), StoredRows::Wide),
        PhysicalType::I256 => (input.to_column(), StoredRows::Widest),
        _ => stored_as(input, operation, data_type, ctx)?,
    };
    let column = if aggregation == A::SumOfSquares {
        let factor = Operand::from(&column);
        binary_operation(factor, factor, BinaryOperator::Mul, column.data_type(), ctx.scratch())?
    } else {
        column
    };
    let stored = match outcome {
        Outcome::Variance | Outcome::Deviation => StoredRows::Moments,
        Outcome::ValidRows | Outcome::Total | Outcome::Value | Outcome::Mean => stored,
    };
    if *data_type == DataType::Boolean {
        let rows = aggregate(column.view(), windows, &with(stored), &DataType::Int8, ctx.scratch())?;
        return binary_operation((&rows).into(), 0_i8.into(), BinaryOperator::NotEqual, data_type, ctx);
    }
    aggregate(column.view(), windows, &with(stored), data_type, ctx)
}

/// Converts the rows to the 64-bit numbers from which the result of type `result` is computed.
fn stored_as(
    input: ColumnView<'_>,
    operation: Operation,
    result: &DataType,
    ctx: Ctx<'_>,
) -> Result<(Column, StoredRows)> {
    let as_type = |column: ColumnView<'_>, data_type: &DataType| -> Result<Column> {
        if column.data_type() == data_type { Ok(column.to_column()) } else { cast(column, data_type, ctx.scratch()) }
    };
    if is_floating(input.data_type()) || is_floating(result) {
        let stored = if operation == Operation::Sum { StoredRows::Floats } else { StoredRows::Words };
        return Ok((as_type(input, &DataType::Float64)?, stored));
    }
    let column = match physical_type(input.data_type()) {
        PhysicalType::U64 | PhysicalType::I64 => input.to_column(),
        PhysicalType::I32 => as_type(input.to_column().bit_cast(DataType::Int32)?.view(), &DataType::Int64)?,
        _ => as_type(input, &DataType::Int64)?,
    };
    Ok((column, StoredRows::Words))
}

/// Returns an error if the aggregation gathers rows of `input` and the type of `input` cannot be gathered.
pub(super) fn check_rows(input: ColumnView<'_>, aggregation: RollingAggregation) -> Result<()> {
    use RollingAggregation as A;
    let abilities = Abilities::of(input.data_type());
    let gathers = matches!(aggregation, A::Lead(_) | A::Lag(_) | A::NthElement { .. });
    if gathers && !abilities.is_movable() {
        RowPlan::new("rolling_window", &TableView::try_new(vec![input])?)
            .map_err(|error| error.in_variant(aggregation.name()))?;
    }
    Ok(())
}
