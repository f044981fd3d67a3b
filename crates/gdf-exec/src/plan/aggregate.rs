//! Runs aggregates.

use std::collections::BTreeSet;

use arrow_schema::{ArrowError, DataType};
use gdf_api::binaryop::BinaryOperator;
use gdf_api::concatenate::concatenate;
use gdf_api::copying::OutOfBoundsPolicy;
use gdf_api::filling::{from_scalar, sequence};
use gdf_api::groupby::{GroupByAggregation, NullPolicy};
use gdf_api::pipeline::{GroupRequest, Pipeline, Reduction};
use gdf_api::quantiles::Interpolation;
use gdf_api::reduction::ReduceAggregation;
use gdf_api::unary::cast;
use gdf_core::{Column, Literal, Table, TableView};
use gdf_expr::{Expr, Value, col, lit};

use super::check::{LARGEST_SUM, checked};
use super::deferred::{Deferred, pipeline};
use super::numbered_keys::NumberedKeys;
use super::rows::Ready;
use super::{Rows, Run};
use crate::error::{Error, Result};
use crate::types::with_width;

/// An aggregation of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// The number of rows.
    CountRows,
    /// The number of values that are not null.
    Count,
    /// The number of distinct values that are not null.
    CountDistinct,
    /// The sum.
    Sum,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// The arithmetic mean.
    Mean,
    /// The product.
    Product,
    /// The middle value, or the mean of the two middle values.
    Median,
    /// The quantile for the share `q` of the sorted values.
    Quantile {
        /// The share of the values before the quantile, from 0 to 1.
        q: f64,
        /// The value between two values.
        interpolation: Interpolation,
    },
    /// The value of the first row, which may be null.
    First,
    /// The value of the last row, which may be null.
    Last,
    /// The variance.
    Variance {
        /// What is subtracted from the number of values to get the divisor.
        ddof: u32,
    },
    /// The standard deviation.
    Std {
        /// What is subtracted from the number of values to get the divisor.
        ddof: u32,
    },
}

impl Measure {
    pub(super) fn of_groups(self) -> GroupByAggregation {
        match self {
            Measure::CountRows => GroupByAggregation::CountAll,
            Measure::Count => GroupByAggregation::CountValid,
            Measure::CountDistinct => GroupByAggregation::Nunique(NullPolicy::Exclude),
            Measure::Sum => GroupByAggregation::Sum,
            Measure::Min => GroupByAggregation::Min,
            Measure::Max => GroupByAggregation::Max,
            Measure::Mean => GroupByAggregation::Mean,
            Measure::Product => GroupByAggregation::Product,
            Measure::Median => GroupByAggregation::Median,
            Measure::Quantile { q, interpolation } => GroupByAggregation::Quantile { q, interpolation },
            Measure::First => GroupByAggregation::NthElement { n: 0, nulls: NullPolicy::Include },
            Measure::Last => GroupByAggregation::NthElement { n: -1, nulls: NullPolicy::Include },
            Measure::Variance { ddof } => GroupByAggregation::Variance { ddof },
            Measure::Std { ddof } => GroupByAggregation::Std { ddof },
        }
    }

    fn of_all_rows(self) -> ReduceAggregation {
        match self {
            Measure::CountRows => ReduceAggregation::CountAll,
            Measure::Count => ReduceAggregation::CountValid,
            Measure::CountDistinct => ReduceAggregation::Nunique(NullPolicy::Exclude),
            Measure::Sum => ReduceAggregation::Sum,
            Measure::Min => ReduceAggregation::Min,
            Measure::Max => ReduceAggregation::Max,
            Measure::Mean => ReduceAggregation::Mean,
            Measure::Product => ReduceAggregation::Product,
            Measure::Median => ReduceAggregation::Median,
            Measure::Quantile { q, interpolation } => ReduceAggregation::Quantile { q, interpolation },
            Measure::First => ReduceAggregation::NthElement { n: 0, nulls: NullPolicy::Include },
            Measure::Last => ReduceAggregation::NthElement { n: -1, nulls: NullPolicy::Include },
            Measure::Variance { ddof } => ReduceAggregation::Variance { ddof },
            Measure::Std { ddof } => ReduceAggregation::Std { ddof },
        }
    }
}

/// A measure of a column in each group.
#[derive(Clone, Debug)]
pub struct Request {
    /// The position of the values among the outputs of the rows, or `None` if the rows are counted.
    pub values: Option<usize>,
    /// The measure.
    pub measure: Measure,
    /// The type of the result.
    pub data_type: DataType,
}

/// The computation of a result column from the results of requests.
#[derive(Clone, Debug)]
pub enum Finish {
    /// The result of the request with this number.
    Request(usize),
    /// The sum divided by the count, as a decimal with more digits than the sum. The fields are numbers of requests.
    /// `bounds` are present if the sum may not fit 128 bits.
    DecimalMean {
        /// The request for the sum.
        sum: usize,
        /// The request for the number of values.
        count: usize,
        /// The requests for the smallest and the largest value.
        bounds: Option<[usize; 2]>,
    },
    /// The sum of decimals of 128 bits, which may not fit. The fields are numbers of requests.
    CheckedSum {
        /// The request for the sum.
        sum: usize,
        /// The request for the number of values.
        count: usize,
        /// The requests for the smallest and the largest value.
        bounds: [usize; 2],
    },
}

/// A result column.
#[derive(Clone, Debug)]
pub struct Call {
    /// How the column is computed.
    pub finish: Finish,
    /// The type of the column.
    pub data_type: DataType,
}

/// A grouping of `GROUPING SETS`: for each key, whether the grouping leaves it out; and the grouping id.
pub type Grouping = (Vec<bool>, Value);

/// The groups of rows with equal keys, and aggregations of each group. Without keys, all rows are one group.
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// The keys, followed by values.
    pub rows: Rows,
    /// The types of the keys.
    pub keys: Vec<DataType>,
    /// What is measured.
    pub requests: Vec<Request>,
    /// The columns of the result after the keys.
    pub calls: Vec<Call>,
    /// The groupings of `GROUPING SETS`. The list is empty for a plain group-by.
    pub groupings: Vec<Grouping>,
    /// The numbers of keys that the other keys determine. All rows of a group have the same value of such a key.
    pub determined: Vec<usize>,
}

impl Aggregate {
    pub(super) fn run(&self, run: &Run<'_>) -> Result<Deferred> {
        if run.streams(&self.rows.input) && self.has_states() {
            return self.of_pieces(run);
        }
        self.of_rows(self.rows.ready(run)?, &self.determined)
    }

    /// Aggregates rows. The keys with the numbers in `determined` are determined by the other keys.
    pub(super) fn of_rows(&self, mut rows: Ready, determined: &[usize]) -> Result<Deferred> {
        let (asked, _) = self.asked(&mut rows, LARGEST_SUM)?;
        if !self.groupings.is_empty() {
            let rows = rows.gathered()?;
            return Ok(self.assembled(|keys| self.measured(rows.pipeline(), &rows.outputs, keys, &asked))?.into());
        }
        if !determined.is_empty() {
            return self.by_other_keys(rows, determined, &asked);
        }
        let keys: Vec<usize> = (0..self.keys.len()).collect();
        let (numbered, found, measured) = self.by_numbers(rows, &keys, &asked)?;
        let results = found.len()..found.len() + self.calls.len();
        let groups = Deferred::from(self.finished(found.clone(), &measured)?);
        if numbered.are_given() {
            return Ok(groups);
        }
        let mut keys = numbered.restored(found)?.beside(groups)?;
        let start = self.keys.len();
        let places: Vec<Expr> = (0..start).chain(results.map(|at| start + at)).map(col).collect();
        keys.projected(&places)
    }

    /// Returns the requests. If the ranges of the columns tell that a sum is at most `most`, the requests that check
    /// the sum are replaced by counts, which cost nothing. The function also returns the numbers of these requests.
    pub(super) fn asked(&self, rows: &mut Ready, most: f64) -> Result<(Vec<Request>, Vec<usize>)> {
        let (mut asked, mut replaced) = (self.requests.clone(), Vec::new());
        for call in &self.calls {
            let Finish::CheckedSum { sum, count, bounds: [min, max] } = call.finish else { continue };
            let Some(values) = asked[sum].values else { continue };
            if rows.sum_is_within(values, most)? {
                for request in [min, max, count] {
                    asked[request] = Request { values: None, measure: Measure::CountRows, data_type: DataType::Int64 };
                    replaced.push(request);
                }
            }
        }
        Ok((asked, replaced))
    }

    /// Groups the rows by the keys that no other key determines. The determined keys of a group are the keys of its
    /// first row, and are gathered only when they are read.
    fn by_other_keys(&self, rows: Ready, determined: &[usize], asked: &[Request]) -> Result<Deferred> {
        let (determined, keys): (Vec<usize>, Vec<usize>) =
            (0..self.keys.len()).partition(|key| determined.contains(key));
        let (found, measured, others) = self.measured_by(rows, &keys, &determined, asked)?;
        let groups = Deferred::from(self.finished(found, &measured)?);
        let calls = keys.len()..keys.len() + self.calls.len();
        let place = |key: usize| match keys.binary_search(&key) {
            Ok(place) => place,
            Err(before) => calls.end + key - before,
        };
        let places: Vec<Expr> = (0..self.keys.len()).map(place).chain(calls.clone()).map(col).collect();
        groups.beside(others)?.projected(&places)
    }

    /// Groups the rows by the outputs `keys`. Returns the distinct values of the keys, the result of each request, and
    /// the outputs `determined` of the first row of each group.
    pub(super) fn measured_by(
        &self,
        mut rows: Ready,
        keys: &[usize],
        determined: &[usize],
        asked: &[Request],
    ) -> Result<(Vec<Column>, Vec<Column>, Deferred)> {
        rows.filter_if_pending()?;
        let values = asked.iter().filter_map(|request| request.values);
        let read: BTreeSet<usize> = keys.iter().copied().chain(values).collect();
        let read: Vec<usize> = read.into_iter().collect();
        let outputs = rows.outputs_at(&read);
        let narrow = rows.input.narrow(rows.conditions.iter().chain(&outputs))?;
        let (conditions, outputs) = (narrow.expressions(&rows.conditions)?, narrow.expressions(&outputs)?);
        let numbers = match i32::try_from(rows.input.num_rows()) {
            Ok(_) => sequence(0_i32, 1_i32, rows.input.num_rows())?,
            Err(_) => sequence(0_i64, 1_i64, rows.input.num_rows())?,
        };
        let (number, number_type) = (col(narrow.table.num_columns()), numbers.data_type().clone());
        let columns = narrow.table.columns().iter().cloned().chain([numbers]).collect();
        let table = Table::try_with_rows(columns, rows.input.num_rows())?;
        // In place of an output that is not read, there is the row number.
        let mut all = vec![number; rows.outputs.len() + 1];
        for (at, output) in read.into_iter().zip(outputs) {
            all[at] = output;
        }
        let first = Request { values: Some(all.len() - 1), measure: Measure::Min, data_type: number_type };
        let requests: Vec<Request> = asked.iter().cloned().chain([first]).collect();
        let pipeline = pipeline(&table, conditions, rows.input.has_exact_decimals);
        let (found, mut measured) = self.measured(pipeline, &all, keys, &requests)?;
        let first = measured.pop().ok_or_else(|| Error::internal("the first rows of groups are missing"))?;
        let others = rows.outputs_at(determined);
        let others = rows.input.taken(&first, OutOfBoundsPolicy::Error, &others)?.projected(&others)?;
        Ok((found, measured, others))
    }

    /// Returns the positions of the keys of each grouping. A plain group-by has one grouping.
    pub(super) fn kept_keys(&self) -> Vec<Vec<usize>> {
        let keys = 0..self.keys.len();
        if self.groupings.is_empty() {
            return vec![keys.collect()];
        }
        let kept = |(left_out, _): &Grouping| keys.clone().filter(|key| !left_out[*key]).collect();
        self.groupings.iter().map(kept).collect()
    }

    /// Returns the result columns. `measured` gets the positions of the keys of a grouping, and returns the distinct
    /// values of these keys and the result of each request.
    fn assembled(&self, measured: impl Fn(&[usize]) -> Result<(Vec<Column>, Vec<Column>)>) -> Result<Table> {
        let part = |(at, keys): (usize, &Vec<usize>)| {
            let (found, measured) = measured(keys)?;
            self.of_grouping(at, found, &measured)
        };
        let mut parts = self.kept_keys().iter().enumerate().map(part).collect::<Result<Vec<Table>>>()?;
        match parts.len() {
            1 => Ok(parts.swap_remove(0)),
            _ => Ok(concatenate(&parts.iter().map(Table::view).collect::<Vec<TableView<'_>>>())?),
        }
    }

    /// Returns the result columns of the grouping with the number `at`. `found` has the distinct values of its keys, and
    /// `measured` the result of each request.
    pub(super) fn of_grouping(&self, at: usize, found: Vec<Column>, measured: &[Column]) -> Result<Table> {
        let Some((left_out, number)) = self.groupings.get(at) else { return self.finished(found, measured) };
        let rows = found.first().or(measured.first()).map_or(1, Column::len);
        let mut found = found.into_iter();
        let mut columns = Vec::with_capacity(self.keys.len() + 1);
        for (key, data_type) in self.keys.iter().enumerate() {
            let missing = || from_scalar(Literal::null(data_type), rows);
            columns.push(if left_out[key] { missing()? } else { found.next().map_or_else(missing, Ok)? });
        }
        columns.push(from_scalar(number.literal()?, rows)?);
        self.finished(columns, measured)
    }

    /// Groups rows by the outputs `keys`, some of which are replaced by numbers. Returns the distinct values of these
    /// keys, and the result of each request of `asked`.
    pub(super) fn by_numbers(
        &self,
        mut rows: Ready,
        keys: &[usize],
        asked: &[Request],
    ) -> Result<(NumberedKeys, Vec<Column>, Vec<Column>)> {
        let values: Vec<usize> = asked.iter().filter_map(|request| request.values).collect();
        let numbered = NumberedKeys::new(&mut rows, keys, &values)?;
        let rows = rows.gathered()?;
        let (found, measured) = self.measured(rows.pipeline(), &rows.outputs, numbered.keys(), asked)?;
        Ok((numbered, found, measured))
    }

    /// Returns the distinct values of the keys with the positions `keys`, and the result of each request of `asked`.
    pub(super) fn measured(
        &self,
        rows: Pipeline<'_>,
        outputs: &[Expr],
        keys: &[usize],
        asked: &[Request],
    ) -> Result<(Vec<Column>, Vec<Column>)> {
        let values = |request: &Request| request.values.map_or_else(|| lit(0), |at| outputs[at].clone());
        if keys.is_empty() {
            if asked.is_empty() {
                return Ok((Vec::new(), Vec::new()));
            }
            let reduction = |request: &Request| {
                Reduction::new(values(request), request.measure.of_all_rows()).of_type(request.data_type.clone())
            };
            let reductions: Vec<Reduction> = asked.iter().map(reduction).collect();
            return Ok((Vec::new(), rows.reduce(&reductions)?.into_columns()));
        }
        let mut requests: Vec<GroupRequest> = Vec::new();
        let mut places = Vec::with_capacity(asked.len());
        for request in asked {
            let values = values(request);
            let at = requests.iter().position(|known| known.values.same(&values)).unwrap_or_else(|| {
                requests.push(GroupRequest::new(values, Vec::new()));
                requests.len() - 1
            });
            // Equal aggregations of the same values are computed once. For example, a sum and a mean of decimals share
            // the sum.
            let (aggregations, wanted) = (&mut requests[at].aggregations, request.measure.of_groups());
            let place = aggregations.iter().position(|known| *known == wanted).unwrap_or_else(|| {
                aggregations.push(wanted);
                aggregations.len() - 1
            });
            places.push((at, place));
        }
        if requests.is_empty() {
            requests.push(GroupRequest::new(outputs[keys[0]].clone(), [GroupByAggregation::CountAll]));
        }
        let starts: Vec<usize> = requests
            .iter()
            .scan(keys.len(), |end, request| Some(std::mem::replace(end, *end + request.aggregations.len())))
            .collect();
        let key_values = keys.iter().map(|key| outputs[*key].clone());
        let groups = rows.group_by(key_values, NullPolicy::Include).agg(&requests)?;
        let measured = places.iter().zip(asked).map(|((request, at), asked)| {
            let column = groups.column(starts[*request] + at)?;
            retyped(column, &asked.data_type)
        });
        let measured = measured.collect::<Result<Vec<_>>>()?;
        let mut columns = groups.into_columns();
        columns.truncate(keys.len());
        Ok((columns, measured))
    }

    fn finished(&self, keys: Vec<Column>, measured: &[Column]) -> Result<Table> {
        let rows = keys.first().or(measured.first()).map_or(1, Column::len);
        let of = |request: usize| {
            measured.get(request).ok_or_else(|| Error::internal("the result of an aggregation is missing"))
        };
        let result = |call: &Call| match &call.finish {
            Finish::Request(request) => retyped(of(*request)?, &call.data_type),
            Finish::DecimalMean { sum, count, bounds } => {
                if let Some([min, max]) = bounds {
                    check_sum(of(*min)?, of(*max)?, of(*count)?)?;
                }
                decimal_mean(of(*sum)?, of(*count)?, &call.data_type)
            }
            Finish::CheckedSum { sum, count, bounds: [min, max] } => {
                // Counts take the place of bounds that are not needed.
                if matches!(of(*min)?.data_type(), DataType::Decimal128(..)) {
                    check_sum(of(*min)?, of(*max)?, of(*count)?)?;
                }
                retyped(of(*sum)?, &call.data_type)
            }
        };
        let results = self.calls.iter().map(result).collect::<Result<Vec<_>>>()?;
        Ok(Table::try_with_rows(keys.into_iter().chain(results).collect(), rows)?)
    }
}

/// Checks that no sum of `count` decimals between `min` and `max` exceeds 128 bits, where an aggregation would wrap.
fn check_sum(min: &Column, max: &Column, count: &Column) -> Result<()> {
    let DataType::Decimal128(_, scale) = *min.data_type() else {
        return Err(Error::internal("the bounds of a mean are not decimals"));
    };
    let largest = LARGEST_SUM / 10_f64.powi(scale.into());
    let table = Table::try_new(vec![min.clone(), max.clone(), count.clone()])?;
    let [min, max, count] = [0, 1, 2].map(|at| col(at).cast(DataType::Float64));
    let is_large = (max * count.clone()).gt(lit(largest)).or((min * count).lt(lit(-largest)));
    match Pipeline::new(&table).filter(is_large).count()? {
        0 => Ok(()),
        _ => {
            let what = "the sum of decimals may not fit Decimal128; cast them to fewer digits";
            Err(ArrowError::ArithmeticOverflow(what.to_owned()).into())
        }
    }
}

/// Divides the sum of decimals by their count. The quotient is computed with 128 bits, even if `data_type` has 64 bits.
pub(super) fn decimal_mean(sum: &Column, count: &Column, data_type: &DataType) -> Result<Column> {
    retyped(&checked(sum, count, BinaryOperator::Div, &with_width(data_type, 16))?, data_type)
}

/// Converts a column to a type that can represent all of its values.
pub(super) fn retyped(column: &Column, data_type: &DataType) -> Result<Column> {
    if column.data_type() == data_type {
        return Ok(column.clone());
    }
    if gdf_core::same_type(column.data_type(), data_type) {
        return Ok(column.with_type(data_type.clone())?);
    }
    Ok(cast(column, data_type)?)
}
