//! A table with named columns, for the queries.

use std::borrow::Cow;

use crate::values::amount;
use arrow_array::RecordBatch;
use gdf::expr::{Expr, Value, col};
use gdf::groupby::{GroupByAggregation, NullPolicy};
use gdf::join::{self, JoinKeys};
use gdf::pipeline::{GroupRequest, Pipeline, Reduction, SortKey};
use gdf::predicate::{Predicate, evaluate_predicate};
use gdf::reduction::ReduceAggregation;
use gdf::sorting::Order;
use gdf::stream_compaction::apply_boolean_mask;
use gdf::{Column, Error, Result, Scalar, Table, TableView};

/// A table whose columns have names.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    names: Vec<&'static str>,
    table: Table,
}

type Joined = fn(TableView<'_>, TableView<'_>, &JoinKeys<'_>) -> Result<Table>;

impl Frame {
    pub(crate) fn new(names: &[&'static str], table: Table) -> Frame {
        Frame { names: names.to_vec(), table }
    }

    fn position(&self, name: &str) -> Result<usize> {
        let found = self.names.iter().position(|known| *known == name);
        found.ok_or_else(|| Error::invalid_argument("the frame has no column with the name that a query uses"))
    }

    fn positions(&self, names: &[&str]) -> Result<Vec<usize>> {
        names.iter().map(|name| self.position(name)).collect()
    }

    /// Returns the column with this name as an expression.
    pub(crate) fn col(&self, name: &str) -> Result<Expr> {
        Ok(col(self.position(name)?))
    }

    /// Returns the columns with these names as expressions.
    pub(crate) fn cols<const N: usize>(&self, names: [&str; N]) -> Result<[Expr; N]> {
        self.positions(&names)?;
        // All names were checked above.
        Ok(names.map(|name| col(self.position(name).unwrap_or_default())))
    }

    /// Returns `l_extendedprice * (1 - l_discount)`.
    pub(crate) fn volume(&self) -> Result<Expr> {
        Ok(self.col("l_extendedprice")? * (amount(100) - self.col("l_discount")?))
    }

    pub(crate) fn select(&self, names: &[&'static str]) -> Result<Frame> {
        Ok(Frame::new(names, self.table.select(&self.positions(names)?)?))
    }

    pub(crate) fn named(self, names: &[&'static str]) -> Frame {
        Frame::new(names, self.table)
    }

    pub(crate) fn rows(&self) -> Rows<'_> {
        Rows { frame: Cow::Borrowed(self), conditions: Vec::new() }
    }

    pub(crate) fn filter_by(&self, wanted: Predicate<'_>) -> Result<Frame> {
        Ok(Frame::new(&self.names, apply_boolean_mask(&self.table, &evaluate_predicate(&wanted)?)?))
    }

    pub(crate) fn filter(&self, wanted: Expr) -> Rows<'_> {
        self.rows().filter(wanted)
    }

    fn joined(&self, right: &Frame, on: [&[&str]; 2], join: Joined) -> Result<Table> {
        let (left_on, right_on) = (self.positions(on[0])?, right.positions(on[1])?);
        join(self.table.view(), right.table.view(), &JoinKeys::new(&left_on, &right_on))
    }

    fn beside(&self, right: &Frame, keys: &[&str]) -> Vec<&'static str> {
        let others = right.names.iter().filter(|name| !keys.contains(name));
        self.names.iter().chain(others).copied().collect()
    }

    /// Joins with `right` on equal keys (inner join). The result has all columns of `self`, and the columns of
    /// `right` that are not keys.
    pub(crate) fn join(&self, right: &Frame, left_on: &[&str], right_on: &[&str]) -> Result<Frame> {
        let table = self.joined(right, [left_on, right_on], |left, right, on| join::inner(left, right, on))?;
        Ok(Frame { names: self.beside(right, right_on), table })
    }

    /// Joins as [`join`](Self::join) does, and keeps the rows of `self` without a match, with nulls in the columns of
    /// `right`.
    pub(crate) fn left_join(&self, right: &Frame, left_on: &[&str], right_on: &[&str]) -> Result<Frame> {
        let table = self.joined(right, [left_on, right_on], |left, right, on| join::left(left, right, on))?;
        Ok(Frame { names: self.beside(right, right_on), table })
    }

    /// Returns the rows with a match in `right` (semi join).
    pub(crate) fn semi(&self, right: &Frame, left_on: &[&str], right_on: &[&str]) -> Result<Rows<'_>> {
        self.rows().semi(right, left_on, right_on)
    }

    pub(crate) fn anti(&self, right: &Frame, left_on: &[&str], right_on: &[&str]) -> Result<Frame> {
        let table = self.joined(right, [left_on, right_on], |left, right, on| join::anti(left, right, on))?;
        Ok(Frame::new(&self.names, table))
    }

    pub(crate) fn sort(&self, by: &[(&str, Order)]) -> Result<Frame> {
        self.top(usize::MAX, by)
    }

    pub(crate) fn top(&self, rows: usize, by: &[(&str, Order)]) -> Result<Frame> {
        let key = |(name, order): &(&str, Order)| match order {
            Order::Descending => Ok(SortKey::descending(self.col(name)?)),
            _ => Ok(SortKey::ascending(self.col(name)?)),
        };
        let keys = by.iter().map(key).collect::<Result<Vec<_>>>()?;
        let outputs: Vec<Expr> = (0..self.names.len()).map(col).collect();
        Ok(Frame::new(&self.names, Pipeline::new(&self.table).sort_by(keys).limit(rows).project(&outputs)?))
    }

    /// Copies the named columns to the host. Waits for the columns.
    pub(crate) fn collect(&self, names: &[&'static str]) -> Result<RecordBatch> {
        self.select(names)?.table.to_batch(names)
    }

    /// Copies all columns to the host. Waits for the columns.
    pub(crate) fn collect_all(&self) -> Result<RecordBatch> {
        self.collect(&self.names)
    }

    /// Appends the columns of another table with the same number of rows.
    pub(crate) fn with(mut self, other: Frame) -> Result<Frame> {
        let columns = self.table.into_columns().into_iter().chain(other.table.into_columns()).collect();
        self.names.extend(other.names);
        Ok(Frame { names: self.names, table: Table::try_new(columns)? })
    }

    pub(crate) fn numbered(self, name: &'static str) -> Result<Frame> {
        let numbers = Pipeline::new(&self.table).row_numbers()?;
        self.with(Frame::new(&[name], Table::try_new(vec![numbers])?))
    }

    /// Returns the only row of the column with this name, for an expression. Waits for the value.
    pub(crate) fn value(&self, name: &str) -> Result<Value> {
        Value::from_scalar(&Scalar::from_column(self.column(name)?.clone())?)
    }

    /// Returns the only row of the column with this name. Waits for the value.
    pub(crate) fn float(&self, name: &str) -> Result<Option<f64>> {
        self.column(name)?.get::<f64>(0)
    }

    pub(crate) fn column(&self, name: &str) -> Result<&Column> {
        self.table.column(self.position(name)?)
    }
}

/// The rows of a frame that pass conditions. Each method that returns a frame is a sink.
#[derive(Clone, Debug)]
pub(crate) struct Rows<'a> {
    frame: Cow<'a, Frame>,
    conditions: Vec<Expr>,
}

impl Rows<'_> {
    fn pipeline(&self) -> Pipeline<'_> {
        self.conditions.iter().cloned().fold(Pipeline::new(&self.frame.table), Pipeline::filter)
    }

    pub(crate) fn filter(mut self, wanted: Expr) -> Self {
        self.conditions.push(wanted);
        self
    }

    /// Keeps the rows with a match in `right`. If the right keys are integers of a small range, the match is a
    /// condition like others.
    pub(crate) fn semi(self, right: &Frame, left_on: &[&str], right_on: &[&str]) -> Result<Self> {
        let keys = left_on.iter().map(|name| self.frame.col(name)).collect::<Result<Vec<_>>>()?;
        let of_right = right.table.select(&right.positions(right_on)?)?;
        if let Some(condition) = join::semi_condition(&keys, &of_right, self.frame.table.num_rows())? {
            return Ok(self.filter(condition));
        }
        let rows = self.all()?;
        let table = rows.joined(right, [left_on, right_on], |left, right, on| join::semi(left, right, on))?;
        Ok(Rows { frame: Cow::Owned(Frame::new(&rows.names, table)), conditions: Vec::new() })
    }

    pub(crate) fn select(&self, names: &[&'static str]) -> Result<Frame> {
        let outputs = names.iter().map(|name| self.frame.col(name)).collect::<Result<Vec<_>>>()?;
        Ok(Frame::new(names, self.pipeline().project(&outputs)?))
    }

    pub(crate) fn all(&self) -> Result<Frame> {
        self.select(&self.frame.names)
    }

    /// Returns the values of expressions under the given names.
    pub(crate) fn project<const N: usize>(&self, outputs: [(&'static str, Expr); N]) -> Result<Frame> {
        let (names, outputs): (Vec<_>, Vec<_>) = outputs.into_iter().unzip();
        Ok(Frame::new(&names, self.pipeline().project(&outputs)?))
    }

    /// Returns one row of reductions. Each element of `results` is a name, an aggregation and the values.
    pub(crate) fn reduce<const N: usize>(
        &self,
        results: [(&'static str, ReduceAggregation, Expr); N],
    ) -> Result<Frame> {
        let names: Vec<_> = results.iter().map(|(name, ..)| *name).collect();
        let reductions = results.map(|(_, aggregation, values)| Reduction::new(values, aggregation));
        Ok(Frame::new(&names, self.pipeline().reduce(&reductions)?))
    }

    /// Groups by `keys`. The result has a row for each group, with the keys and the results. Each element of `results`
    /// is a name, an aggregation and the values.
    pub(crate) fn group<const K: usize, const N: usize>(
        &self,
        keys: [(&'static str, Expr); K],
        results: [(&'static str, GroupByAggregation, Expr); N],
    ) -> Result<Frame> {
        let names = keys.iter().map(|(name, _)| *name).chain(results.iter().map(|(name, ..)| *name)).collect();
        let requests = results.map(|(_, aggregation, values)| GroupRequest::new(values, [aggregation]));
        let keys = keys.map(|(_, key)| key);
        let table = self.pipeline().group_by(keys, NullPolicy::Include).agg(&requests)?;
        Ok(Frame { names, table })
    }
}
