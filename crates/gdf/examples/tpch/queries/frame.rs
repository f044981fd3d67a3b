//! Columns by name, as the queries write them.

use arrow_array::RecordBatch;
use gdf::expr::{Expr, col};
use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
use gdf::join::{self, JoinKeys};
use gdf::predicate::{Predicate, evaluate_predicate};
use gdf::sorting::{Order, sort_by_key};
use gdf::stream_compaction::apply_boolean_mask;
use gdf::transform::{compute_column, compute_columns};
use gdf::{Column, Error, Result, Table, TableView};

use super::amount;

/// A table whose columns have names.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    names: Vec<&'static str>,
    table: Table,
}

type Joined = fn(TableView<'_>, TableView<'_>, &JoinKeys<'_>) -> Result<Table>;

impl Frame {
    /// Creates a table with a name for each column.
    pub(crate) fn new(names: &[&'static str], table: Table) -> Frame {
        Frame { names: names.to_vec(), table }
    }

    fn position(&self, name: &str) -> Result<usize> {
        let found = self.names.iter().position(|known| *known == name);
        found.ok_or_else(|| Error::invalid_argument("the frame has no column with the name that a query uses"))
    }

    /// Returns the column with this name, for an expression on the table.
    pub(crate) fn col(&self, name: &str) -> Result<Expr> {
        Ok(col(self.position(name)?))
    }

    fn positions(&self, names: &[&str]) -> Result<Vec<usize>> {
        names.iter().map(|name| self.position(name)).collect()
    }

    /// Returns the column with this name.
    pub(crate) fn column(&self, name: &str) -> Result<&Column> {
        self.table.column(self.position(name)?)
    }

    /// Returns the table with only the named columns.
    pub(crate) fn select(&self, names: &[&'static str]) -> Result<Frame> {
        Ok(Frame::new(names, self.table.select(&self.positions(names)?)?))
    }

    /// Renames all columns.
    pub(crate) fn named(self, names: &[&'static str]) -> Frame {
        Frame::new(names, self.table)
    }

    /// Appends a column.
    pub(crate) fn with(mut self, name: &'static str, column: Column) -> Result<Frame> {
        let mut columns = self.table.into_columns();
        columns.push(column);
        self.names.push(name);
        Ok(Frame { names: self.names, table: Table::try_new(columns)? })
    }

    /// Returns the rows where `wanted` is true.
    pub(crate) fn filter(&self, wanted: Predicate<'_>) -> Result<Frame> {
        Ok(Frame::new(&self.names, apply_boolean_mask(&self.table, &evaluate_predicate(&wanted)?)?))
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

    /// As [`join`](Self::join), but keeps the rows of `self` without match, with nulls in the columns of `right`.
    pub(crate) fn left_join(&self, right: &Frame, left_on: &[&str], right_on: &[&str]) -> Result<Frame> {
        let table = self.joined(right, [left_on, right_on], |left, right, on| join::left(left, right, on))?;
        Ok(Frame { names: self.beside(right, right_on), table })
    }

    /// Returns the rows that have a match in `right`.
    pub(crate) fn semi(&self, right: &Frame, left_on: &[&str], right_on: &[&str]) -> Result<Frame> {
        let table = self.joined(right, [left_on, right_on], |left, right, on| join::semi(left, right, on))?;
        Ok(Frame::new(&self.names, table))
    }

    /// Returns the rows that have no match in `right`.
    pub(crate) fn anti(&self, right: &Frame, left_on: &[&str], right_on: &[&str]) -> Result<Frame> {
        let table = self.joined(right, [left_on, right_on], |left, right, on| join::anti(left, right, on))?;
        Ok(Frame::new(&self.names, table))
    }

    /// Groups by the columns `keys`. The result has one row for each group, with the keys and the results. Each
    /// result is given by its name, the aggregation, and the column to aggregate.
    pub(crate) fn group(
        &self,
        keys: &[&'static str],
        results: &[(&'static str, GroupByAggregation, &str)],
    ) -> Result<Frame> {
        let request = |(_, aggregation, name): &(&str, _, &str)| -> Result<_> {
            Ok(AggregationRequest::new(self.column(name)?, [*aggregation]))
        };
        let requests = results.iter().map(request).collect::<Result<Vec<_>>>()?;
        let by = self.table.select(&self.positions(keys)?)?;
        let table = GroupBy::new(&by, NullPolicy::Include).agg(&requests)?;
        let names = keys.iter().copied().chain(results.iter().map(|(name, ..)| *name)).collect();
        Ok(Frame { names, table })
    }

    /// Sorts the rows by the given columns.
    pub(crate) fn sort(&self, by: &[(&str, Order)]) -> Result<Frame> {
        let keys = by.iter().map(|(name, _)| self.position(name)).collect::<Result<Vec<_>>>()?;
        let orders: Vec<Order> = by.iter().map(|(_, order)| *order).collect();
        Ok(Frame::new(&self.names, sort_by_key(&self.table, &self.table.select(&keys)?, &orders, &[])?))
    }

    /// Returns the first `rows` rows.
    pub(crate) fn head(&self, rows: usize) -> Frame {
        Frame::new(&self.names, self.table.head(rows))
    }

    /// Copies the named columns to the host. Waits for the columns.
    pub(crate) fn collect(&self, names: &[&'static str]) -> Result<RecordBatch> {
        self.select(names)?.table.to_batch(names)
    }

    /// Appends columns that expressions compute, in one pass.
    pub(crate) fn compute(self, results: &[(&'static str, Expr)]) -> Result<Frame> {
        let expressions: Vec<Expr> = results.iter().map(|(_, expression)| expression.clone()).collect();
        let computed = compute_columns(&self.table, &expressions)?.into_columns();
        results.iter().zip(computed).try_fold(self, |frame, ((name, _), column)| frame.with(name, column))
    }

    /// Returns `l_extendedprice * (1 - l_discount)`.
    pub(crate) fn volume(&self) -> Result<Expr> {
        Ok(self.col("l_extendedprice")? * (amount(100) - self.col("l_discount")?))
    }

    /// Returns the column that an expression computes.
    pub(crate) fn computed(&self, expression: &Expr) -> Result<Column> {
        compute_column(&self.table, expression)
    }
}
