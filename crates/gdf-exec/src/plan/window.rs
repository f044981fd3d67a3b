//! Runs window functions.

use std::cell::OnceCell;

use arrow_schema::{ArrowError, DataType};
use gdf_api::filling::from_scalar;
use gdf_api::groupby::NullPolicy;
use gdf_api::pipeline::Pipeline;
use gdf_api::rolling::{
    NullOrder, Order, RangeWindow, RangeWindowBound, RollingAggregation, WindowBound, grouped_rolling_window,
    make_range_windows, variable_rolling_window,
};
use gdf_core::{Column, Table};
use gdf_expr::{Expr, Value, col, lit, when};

use super::aggregate::{decimal_mean, retyped};
use super::check::{LARGEST_SUM, range_of};
use super::{Rows, Run};
use crate::error::{Error, Result};

/// A function of the rows of a partition.
#[derive(Clone, Debug)]
pub enum WindowFunction {
    /// The number of the row in its partition, counted from 1.
    RowNumber,
    /// The number of the first row with the same order keys, counted from 1.
    Rank,
    /// The number of the group of rows with the same order keys, counted from 1.
    DenseRank,
    /// The rank as a fraction: 0 in the first row, 1 at most.
    PercentRank,
    /// The fraction of the rows that come before the row, or have the same order keys.
    CumeDist,
    /// The number of the bucket of the row, if the partition is divided into this number of buckets.
    Ntile(i64),
    /// The value of the row that is `offset` rows earlier, or the default where the partition has no such row.
    Shift {
        /// The offset. A negative offset reads a later row.
        offset: i64,
        /// The default.
        default: Option<Value>,
    },
    /// The value at a position of the frame. Negative positions count from the end.
    Nth {
        /// The position, counted from 0.
        position: i64,
        /// Whether nulls are not counted.
        ignores_nulls: bool,
    },
    /// An aggregation of the values of the frame.
    Aggregate(WindowMeasure),
}

/// An aggregation of the values of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowMeasure {
    /// The number of rows.
    CountRows,
    /// The number of values that are not null.
    Count,
    /// The sum.
    Sum,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// The arithmetic mean.
    Mean,
    /// The sum divided by the count, as a decimal with more digits than the sum.
    DecimalMean,
}

/// The rows of the partition that a function reads for the current row.
#[derive(Clone, Debug)]
pub enum Frame {
    /// A number of rows before and after the current row.
    Rows {
        /// The first row.
        preceding: WindowBound,
        /// The last row.
        following: WindowBound,
    },
    /// The rows whose order key is in a range around the order key of the current row.
    Range {
        /// The start.
        preceding: RangeEnd,
        /// The end.
        following: RangeEnd,
        /// The order of the key.
        order: Order,
        /// The place of nulls among the keys.
        null_order: NullOrder,
        /// For the start and the end of the frame, the condition that the end lies outside of the integers of the order
        /// key. The condition reads the key as column 0.
        outside: [Option<Expr>; 2],
    },
    /// The rows of a range of groups of peers. The range is relative to the group of the current row.
    Groups {
        /// The start.
        preceding: RangeEnd,
        /// The end.
        following: RangeEnd,
    },
}

/// An end of a frame.
#[derive(Clone, Debug)]
pub enum RangeEnd {
    /// The end of the partition.
    Unbounded,
    /// The rows with the same order keys as the current row.
    Peers,
    /// The rows whose keys are within this distance of the key of the current row. If the distance is negative, the
    /// frame starts after the current row, or ends before it.
    Distance(Value),
}

impl Frame {
    /// The frame of all rows of the partition.
    pub const ALL: Frame = Frame::Rows { preceding: WindowBound::Unbounded, following: WindowBound::Unbounded };

    /// Returns whether the frame begins at the first row of the partition.
    pub fn begins_at_start(&self) -> bool {
        match self {
            Frame::Rows { preceding, .. } => *preceding == WindowBound::Unbounded,
            Frame::Range { preceding, .. } | Frame::Groups { preceding, .. } => {
                matches!(preceding, RangeEnd::Unbounded)
            }
        }
    }
}

impl RangeEnd {
    fn bound(&self) -> Result<RangeWindowBound<'_>> {
        Ok(match self {
            RangeEnd::Unbounded => RangeWindowBound::Unbounded,
            RangeEnd::Peers => RangeWindowBound::CurrentRow,
            RangeEnd::Distance(distance) => RangeWindowBound::BoundedClosed(distance.literal()?.into()),
        })
    }
}

/// A result column.
#[derive(Clone, Debug)]
pub struct WindowCall {
    /// The function.
    pub function: WindowFunction,
    /// The rows that the function reads.
    pub frame: Frame,
    /// The position of the argument among the outputs of the rows, if the function has an argument.
    pub value: Option<usize>,
    /// The type of the result.
    pub data_type: DataType,
}

impl WindowCall {
    /// Returns whether the result depends on the order of rows with equal keys.
    pub fn depends_on_ties(&self) -> bool {
        match self.function {
            WindowFunction::Rank
            | WindowFunction::DenseRank
            | WindowFunction::PercentRank
            | WindowFunction::CumeDist => false,
            WindowFunction::Aggregate(_) => {
                let all = WindowBound::Unbounded;
                matches!(self.frame, Frame::Rows { preceding, following } if preceding != all || following != all)
            }
            WindowFunction::RowNumber
            | WindowFunction::Ntile(_)
            | WindowFunction::Shift { .. }
            | WindowFunction::Nth { .. } => true,
        }
    }
}

/// Sorted rows, and window functions over these rows.
#[derive(Clone, Debug)]
pub struct Window {
    /// The columns of the input, followed by keys and arguments.
    pub rows: Rows,
    /// The number of columns of the input.
    pub width: usize,
    /// The positions of the keys by which the rows are divided into partitions.
    pub partition: Vec<usize>,
    /// The positions of the keys by which the rows of a partition are sorted.
    pub order: Vec<usize>,
    /// The columns of the result after those of the input.
    pub calls: Vec<WindowCall>,
}

impl Window {
    pub(super) fn run(&self, run: &Run<'_>) -> Result<Table> {
        self.of(&self.rows.run(run)?.into_table()?, run)
    }

    /// Returns the result for rows that have all rows of their partitions.
    pub(super) fn of(&self, table: &Table, run: &Run<'_>) -> Result<Table> {
        let partitions = Partitions::new(self, table)?;
        let mut columns = table.columns()[..self.width].to_vec();
        for call in &self.calls {
            run.check_canceled()?;
            columns.push(retyped(&partitions.call(call)?, &call.data_type)?);
        }
        Ok(Table::try_with_rows(columns, table.num_rows())?)
    }
}

/// The positions of the columns of [`Partitions::numbers`].
const NUMBER: usize = 0;
const BEFORE: usize = 1;
const AFTER: usize = 2;
const SIZE: usize = 3;

/// Sorted rows that are divided into partitions.
struct Partitions<'t> {
    table: &'t Table,
    keys: Table,
    order: Table,
    /// A column with one element for each row. Only its length is used.
    any: Column,
    numbers: OnceCell<Table>,
}

impl<'t> Partitions<'t> {
    fn new(of: &Window, table: &'t Table) -> Result<Partitions<'t>> {
        let of_keys = |places: &[usize]| match places {
            [] => Table::try_new(Vec::new()),
            places => table.select(places),
        };
        let any = match table.columns().first() {
            Some(column) => column.clone(),
            None => from_scalar(true, table.num_rows())?,
        };
        let (keys, order) = (of_keys(&of.partition)?, of_keys(&of.order)?);
        Ok(Partitions { table, keys, order, any, numbers: OnceCell::new() })
    }

    fn call(&self, call: &WindowCall) -> Result<Column> {
        let one = || lit(1_i64);
        match &call.function {
            WindowFunction::RowNumber => self.number(),
            WindowFunction::Rank => self.of_numbers(rank()),
            WindowFunction::PercentRank => {
                let others = when(col(SIZE).gt(one()), col(SIZE) - one()).otherwise(one());
                self.of_numbers((rank() - one()).cast(DataType::Float64) / others.cast(DataType::Float64))
            }
            WindowFunction::CumeDist => {
                let rows = (col(NUMBER) + col(AFTER)).cast(DataType::Float64);
                self.of_numbers(rows / col(SIZE).cast(DataType::Float64))
            }
            WindowFunction::DenseRank => self.dense_rank(),
            WindowFunction::Ntile(buckets) => self.of_numbers(ntile(*buckets)),
            WindowFunction::Shift { offset, default } => self.shifted(self.value(call)?, *offset, default.as_ref()),
            WindowFunction::Nth { position, ignores_nulls } => {
                let null_policy = if *ignores_nulls { NullPolicy::Exclude } else { NullPolicy::Include };
                let nth = RollingAggregation::NthElement { n: *position, null_policy };
                self.over(self.value(call)?, &call.frame, 1, nth)
            }
            WindowFunction::Aggregate(measure) => {
                let aggregation = match measure {
                    WindowMeasure::CountRows => {
                        return self.over(&self.any, &call.frame, 0, RollingAggregation::CountAll);
                    }
                    WindowMeasure::Count => {
                        return self.over(self.value(call)?, &call.frame, 0, RollingAggregation::CountValid);
                    }
                    WindowMeasure::DecimalMean => {
                        let values = self.value(call)?;
                        let sum = self.over(values, &call.frame, 1, RollingAggregation::Sum)?;
                        let count = self.over(values, &call.frame, 0, RollingAggregation::CountValid)?;
                        return decimal_mean(&sum, &count, &call.data_type);
                    }
                    WindowMeasure::Sum => {
                        check_window_sum(self.value(call)?)?;
                        RollingAggregation::Sum
                    }
                    WindowMeasure::Min => RollingAggregation::Min,
                    WindowMeasure::Max => RollingAggregation::Max,
                    WindowMeasure::Mean => RollingAggregation::Mean,
                };
                self.over(self.value(call)?, &call.frame, 1, aggregation)
            }
        }
    }

    fn value(&self, call: &WindowCall) -> Result<&Column> {
        let at = call.value.ok_or_else(|| Error::internal("a window function has no argument"))?;
        Ok(self.table.column(at)?)
    }

    fn over(
        &self,
        values: &Column,
        frame: &Frame,
        min_periods: usize,
        aggregation: RollingAggregation,
    ) -> Result<Column> {
        let [before, after] = match frame {
            Frame::Rows { preceding, following } => {
                return self.rolling(values, *preceding, *following, min_periods, aggregation);
            }
            Frame::Groups { preceding, following } => {
                // A distance is a number of groups of peers, so the order key is the number of the group.
                let order = Table::try_new(vec![self.dense_rank()?])?;
                let window = RangeWindow {
                    order: Order::Ascending,
                    null_order: NullOrder::Before,
                    preceding: preceding.bound()?,
                    following: following.bound()?,
                };
                make_range_windows(&self.keys, &order, window)?
            }
            Frame::Range { preceding, following, order, null_order, outside } => {
                let window = RangeWindow {
                    order: *order,
                    null_order: *null_order,
                    preceding: preceding.bound()?,
                    following: following.bound()?,
                };
                let windows = make_range_windows(&self.keys, &self.order, window)?;
                let nulls_are_last = (*order == Order::Ascending) == (*null_order == NullOrder::After);
                self.moved_to_ends(windows, preceding, nulls_are_last, outside)?
            }
        };
        Ok(variable_rolling_window(values, &before, &after, min_periods, aggregation)?)
    }

    /// Moves the ends of frames that lie outside of the integers of the order key to the first or the last row of the
    /// partition, as DataFusion does. There may be rows with null keys in between.
    ///
    /// A frame that starts after the current row then begins behind the last row. DataFusion searches the start of the
    /// next frame from there on, so the frames of null keys that come last are empty, too.
    fn moved_to_ends(
        &self,
        windows: [Column; 2],
        preceding: &RangeEnd,
        nulls_are_last: bool,
        [start_is_outside, end_is_outside]: &[Option<Expr>; 2],
    ) -> Result<[Column; 2]> {
        let [key] = self.order.columns() else { return Ok(windows) };
        if (start_is_outside.is_none() && end_is_outside.is_none()) || key.null_count()? == 0 {
            return Ok(windows);
        }
        let numbers = self.row_numbers()?;
        let [before, after] = windows;
        let mut columns =
            vec![key.clone(), numbers.column(NUMBER)?.clone(), numbers.column(SIZE)?.clone(), before, after];
        let is_after = match preceding {
            RangeEnd::Distance(distance) => distance.integer().is_some_and(|distance| distance < 0),
            RangeEnd::Peers | RangeEnd::Unbounded => false,
        };
        let mut start_is_moved = start_is_outside.clone();
        if let Some(is_outside) = start_is_outside.as_ref().filter(|_| is_after && nulls_are_last) {
            let mark = when(is_outside.clone(), lit(1_i64)).otherwise(lit(0_i64));
            let marks = Pipeline::new(&self.order).project(&[mark])?.into_columns().swap_remove(0);
            let all = WindowBound::Unbounded;
            columns.push(self.rolling(&marks, all, all, 1, RollingAggregation::Max)?);
            start_is_moved = Some(is_outside.clone() | (col(0).is_null() & col(5).eq(lit(1_i64))));
        }
        let start = if is_after { col(1) - col(2) } else { col(1) };
        let moved = |is_moved: &Option<Expr>, end: Expr, old: Expr| match is_moved {
            Some(is_moved) => when(is_moved.clone(), end).otherwise(old),
            None => old,
        };
        let ends = [moved(&start_is_moved, start, col(3)), moved(end_is_outside, col(2) - col(1), col(4))];
        let columns = Pipeline::new(&Table::try_new(columns)?).project(&ends)?.into_columns();
        <[Column; 2]>::try_from(columns).map_err(|_| Error::internal("the ends of frames are not two columns"))
    }

    fn rolling(
        &self,
        values: &Column,
        preceding: WindowBound,
        following: WindowBound,
        min_periods: usize,
        aggregation: RollingAggregation,
    ) -> Result<Column> {
        Ok(grouped_rolling_window(&self.keys, values, preceding, following, min_periods, aggregation)?)
    }

    /// Returns for each row the number of its group of peers in the partition, counted from 1.
    fn dense_rank(&self) -> Result<Column> {
        let begins = self.of_numbers(when(col(BEFORE).eq(lit(1_i64)), lit(1_i64)).otherwise(lit(0_i64)))?;
        self.rolling(&begins, WindowBound::Unbounded, 0.into(), 1, RollingAggregation::Sum)
    }

    /// Returns the number of each row in its partition, counted from 1.
    fn number(&self) -> Result<Column> {
        self.rolling(&self.any, WindowBound::Unbounded, 0.into(), 1, RollingAggregation::RowNumber)
    }

    /// Returns four numbers of each row:
    /// * `NUMBER`: the number of the row in its partition, counted from 1;
    /// * `BEFORE`: the number of peers up to and including the row;
    /// * `AFTER`: the number of peers after the row;
    /// * `SIZE`: the number of rows of the partition.
    fn row_numbers(&self) -> Result<&Table> {
        match self.numbers.get() {
            Some(numbers) => Ok(numbers),
            None => {
                let found = self.found_numbers()?;
                Ok(self.numbers.get_or_init(|| found))
            }
        }
    }

    /// Computes an expression over the [`row_numbers`](Self::row_numbers).
    fn of_numbers(&self, expression: Expr) -> Result<Column> {
        Ok(Pipeline::new(self.row_numbers()?).project(&[expression])?.into_columns().swap_remove(0))
    }

    fn found_numbers(&self) -> Result<Table> {
        let all = WindowBound::Unbounded;
        let number = self.number()?;
        let size = self.rolling(&self.any, all, all, 1, RollingAggregation::CountAll)?;
        let [before, after] = if self.order.num_columns() == 0 {
            // Without order keys, all rows of a partition are peers.
            let rest = Table::try_new(vec![number.clone(), size.clone()])?;
            let rest = Pipeline::new(&rest).project(&[col(1) - col(0)])?.into_columns().swap_remove(0);
            [number.clone(), rest]
        } else {
            let window = RangeWindow { preceding: RangeWindowBound::CurrentRow, ..RangeWindow::default() };
            make_range_windows(&self.keys, &self.order, window)?
        };
        Ok(Table::try_new(vec![number, before, after, size])?)
    }

    /// Returns for each row the value of the row that is `offset` rows earlier. A negative offset reads a later row.
    fn shifted(&self, values: &Column, offset: i64, default: Option<&Value>) -> Result<Column> {
        let all = WindowBound::Unbounded;
        let rows = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX).min(self.table.num_rows());
        let shift = if offset < 0 { RollingAggregation::Lead(rows) } else { RollingAggregation::Lag(rows) };
        let found = self.rolling(values, all, all, 1, shift)?;
        let Some(default) = default else { return Ok(found) };
        let distance = lit(i64::try_from(rows).unwrap_or(i64::MAX));
        let is_outside = match offset < 0 {
            true => (col(NUMBER) + distance).gt(col(SIZE)),
            false => col(NUMBER).le(distance),
        };
        let is_outside = self.of_numbers(is_outside)?;
        let both = Table::try_new(vec![found, is_outside])?;
        let value = when(col(1), lit(default.clone())).otherwise(col(0));
        Ok(Pipeline::new(&both).project(&[value])?.into_columns().swap_remove(0))
    }
}

/// Checks that no sum of the values exceeds 38 digits, where a rolling window would wrap.
fn check_window_sum(values: &Column) -> Result<()> {
    if !matches!(values.data_type(), DataType::Decimal128(..)) {
        return Ok(());
    }
    let largest = range_of(values)?.map(|(low, high)| low.unsigned_abs().max(high.unsigned_abs()));
    match largest {
        Some(largest) if largest as f64 * values.len() as f64 <= LARGEST_SUM => Ok(()),
        _ => {
            let what = "a sum of decimals in a window may not fit Decimal128; cast them to fewer digits";
            Err(ArrowError::ArithmeticOverflow(what.to_owned()).into())
        }
    }
}

fn rank() -> Expr {
    col(NUMBER) - col(BEFORE) + lit(1_i64)
}

/// Returns the number of the bucket of a row, counted from 1. If the rows cannot be divided evenly, each of the first
/// buckets has one row more.
fn ntile(buckets: i64) -> Expr {
    let one = || lit(1_i64);
    let index = || col(NUMBER) - one();
    let base = || col(SIZE) / lit(buckets);
    let remainder = || col(SIZE) % lit(buckets);
    let in_large = || remainder() * (base() + one());
    let large = index() / (base() + one()) + one();
    let small = remainder() + (index() - in_large()) / base() + one();
    when(index().lt(in_large()), large).otherwise(small)
}
