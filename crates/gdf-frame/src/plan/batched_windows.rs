//! Window functions of rows in batches.
//!
//! The rows are divided by hashes of the keys of the partitions, so that each partition is in one table. The results
//! are then put back in the order of the rows ([`transform`], [`broadcast`]). Window functions without keys depend on
//! all rows, and need all rows in one table.

use std::collections::VecDeque;
use std::sync::Arc;

use gdf_core::{Error, Result, Table};
use gdf_expr::col;
use gdf_external::{broadcast, transform};

use super::batches::{Batches, Unread};
use super::needed::Needed;
use super::rolling::{Bounds, Rolled};
use super::rows::literals;
use super::window::{aggregates_of, of_column};
use super::{Rows, Step};
use crate::columns::Columns;
use crate::expr::{Expr, Leaf, Window, WindowFunction, distinct_leaves, same};

impl Batches<'_> {
    /// Computes the parts of expressions that are more than columns: aggregations of all rows, window functions and
    /// functions of elements. The expressions can then be computed batch by batch. Afterwards the caller must clear the
    /// results with [`Rows::set_known`], or replace the rows.
    pub(super) fn prepare<'e>(&mut self, expressions: impl Iterator<Item = &'e Expr> + Clone) -> Result<()> {
        let windows = distinct_leaves(expressions.clone(), Leaf::window);
        let elements = distinct_leaves(expressions.clone(), Leaf::elements);
        let aggregates = distinct_leaves(expressions, Leaf::aggregate);
        let is_of_columns = |value: &Expr| self.rows[0].over_source(value).is_some();
        let is_divisible = windows.iter().all(|window| self.has_partitions(window))
            && elements.iter().all(|of| self.rows[0].is_of_one_row(of))
            && aggregates.iter().flat_map(|of| &of.values).all(is_of_columns);
        if !is_divisible {
            // One batch with all rows needs no preparation.
            return self.gather();
        }
        let mut known = Vec::new();
        if !aggregates.is_empty() {
            if let Some(Unread::Node(node)) = &self.unread
                && !node.is_scan()
            {
                // A scan is read twice, but a join does not run twice.
                self.compute()?;
            }
            let results = self.groups(&[], &aggregates, false)?;
            known = literals(aggregates, results[0].table())?;
        }
        if !(windows.is_empty() && elements.is_empty()) && (self.rows[0].is_filtered() || self.unread.is_some()) {
            self.compute()?;
        }
        if !windows.is_empty() {
            known.extend(self.windows(windows)?);
        }
        for of in elements {
            let mut position = 0;
            for rows in &mut self.rows {
                let column = super::elements::values(rows, &of)?;
                position = rows.add_column(column)?;
            }
            known.push((Leaf::Elements(of), col(position)));
        }
        self.rows.iter_mut().for_each(|rows| rows.set_known(known.clone()));
        Ok(())
    }

    /// Returns whether the window function has keys, and all its expressions contain only columns.
    fn has_partitions(&self, window: &Window) -> bool {
        let of_columns = |values: &Expr| self.rows[0].over_source(values).is_some();
        let keys = self.rows[0].expanded(&window.keys).unwrap_or_default();
        !keys.is_empty() && keys.iter().chain(&window.values).all(of_columns)
    }

    /// Computes window functions, jointly for the same keys. The results become columns of the sources.
    fn windows(&mut self, mut waiting: Vec<Arc<Window>>) -> Result<Vec<(Leaf, gdf_expr::Expr)>> {
        let is_aggregate = |window: &Window| matches!(window.function, WindowFunction::Aggregate(_));
        let mut computed = Vec::with_capacity(waiting.len());
        while let Some(window) = waiting.pop() {
            let is_joint = |of: &Arc<Window>| is_aggregate(of) == is_aggregate(&window) && same(&of.keys, &window.keys);
            let (mut joint, others): (Vec<_>, Vec<_>) = waiting.into_iter().partition(is_joint);
            waiting = others;
            joint.push(window.clone());
            let found = if is_aggregate(&window) { self.of_groups(&joint)? } else { self.of_partitions(&joint)? };
            let positions = self.add_columns(found)?;
            computed.extend(joint.into_iter().map(Leaf::Window).zip(positions.into_iter().map(col)));
        }
        Ok(computed)
    }

    fn over_source<'e>(&self, expressions: impl IntoIterator<Item = &'e Expr>) -> Result<Vec<gdf_expr::Expr>> {
        let unknown = || Error::internal("a window function in batches contains more than columns");
        expressions.into_iter().map(|value| self.rows[0].over_source(value).ok_or_else(unknown)).collect()
    }

    fn of_groups(&mut self, windows: &[Arc<Window>]) -> Result<Vec<Table>> {
        let aggregates = aggregates_of(windows)?;
        let keys = self.rows[0].expanded(&windows[0].keys)?;
        let groups = self.groups(&keys, &aggregates, false)?;
        let groups = groups.iter().map(|groups| groups.table().clone()).collect();
        let rows = self.tables(self.over_source(&*keys)?);
        broadcast(rows, groups, keys.len(), self.budget)
    }

    fn of_partitions(&self, windows: &[Arc<Window>]) -> Result<Vec<Table>> {
        let keys = self.rows[0].expanded(&windows[0].keys)?;
        let values = windows.iter().flat_map(|window| &window.values);
        let values = self.over_source(keys.iter().chain(values))?;
        let on: Vec<usize> = (0..keys.len()).collect();
        transform(self.tables(values), &on, self.budget, &mut |partition| {
            let keys = partition.select(&on)?;
            let of = |(at, window): (usize, &Arc<Window>)| {
                of_column(window.function, partition.column(on.len() + at)?, Some(&keys))
            };
            let columns = windows.iter().enumerate().map(of).collect::<Result<_>>()?;
            Table::try_with_rows(columns, partition.num_rows())
        })
    }

    /// Adds columns to the sources of the batches, and returns their positions. `found` has a row for each row of all
    /// batches.
    fn add_columns(&mut self, found: Vec<Table>) -> Result<Vec<usize>> {
        let empty = found.first().ok_or_else(|| Error::internal("window functions have no result"))?.slice(0, 0)?;
        let (mut found, mut positions) = (VecDeque::from(found), Vec::new());
        for rows in &mut self.rows {
            let (mut wanted, mut pieces) = (rows.source().table().num_rows(), Vec::new());
            while wanted > 0 {
                let next = found.pop_front().ok_or_else(|| {
                    Error::internal("the results of window functions have fewer rows than the batches")
                })?;
                let count = wanted.min(next.num_rows());
                pieces.push(next.slice(0, count)?);
                if count < next.num_rows() {
                    found.push_front(next.slice(count, next.num_rows() - count)?);
                }
                wanted -= count;
            }
            let whole = self.budget.whole(&pieces)?.unwrap_or_else(|| empty.clone());
            positions = whole.into_columns().into_iter().map(|of| rows.add_column(of)).collect::<Result<_>>()?;
        }
        Ok(positions)
    }

    /// Aggregates windows of rows. If the windows have keys, the rows are divided by hashes of the keys.
    pub(super) fn roll(&mut self, step: &Step, rolled: &Rolled, after: &Needed) -> Result<()> {
        self.compute()?;
        let mut keys = self.rows[0].expanded(&rolled.grouping.keys)?.into_owned();
        if matches!(rolled.bounds, Bounds::Period { .. }) {
            keys.pop();
        }
        let Ok(on) = self.over_source(&*keys) else { return self.in_one(step, after) };
        if on.is_empty() || !distinct_leaves(&rolled.grouping.values, Leaf::window).is_empty() {
            return self.in_one(step, after);
        }
        let source = self.rows[0].source().clone();
        let (all, width): (Vec<usize>, usize) = ((0..source.len()).collect(), source.len());
        let values = self.rows[0].values().into_iter().chain(on).collect();
        let positions: Vec<usize> = (width..width + keys.len()).collect();
        let mut schema = None;
        let found = transform(self.tables(values), &positions, self.budget, &mut |partition| {
            let mut rows = Rows::new(Columns::trusted(source.schema().clone(), partition.select(&all)?));
            step.run(&mut rows, after)?;
            let (of_result, table) = rows.into_columns()?.into_parts();
            schema = Some(of_result);
            Ok(table)
        })?;
        let schema = schema.ok_or_else(|| Error::internal("rolling windows have no result"))?;
        self.set_tables(found, |table| Ok(Columns::trusted(schema.clone(), table)))
    }
}
