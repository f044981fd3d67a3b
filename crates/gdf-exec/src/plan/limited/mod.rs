//! Runs plans in parts, for plans that would otherwise run out of memory.
//!
//! The rows of a node are an iterator of tables, its *parts*, each of which has a small share of the memory. Scans,
//! filters, projections, unnested rows and limits pass on one part after another. So does a join whose right side fits.
//! Everything else is an operator of [`gdf_external`]: it divides the rows by hashes or ranges of keys, and spills what
//! waits. Three things must fit in memory: all rows of a window function without partitions, the rows of one partition of
//! a window, and the distinct values of one group. A function of the caller says in [`Needs`] what must fit.

mod aggregate;
mod join;

use std::collections::VecDeque;

use gdf_core::Table;
use gdf_external::{Budget, Keys, distinct, prefetch, rows_of, sort, top, transform};

use super::profile::address;
use super::shared::Shared;
use super::tables::{nulls, selected, whole};
use super::{Distinct, Mapped, Needs, Node, Rows, Run, Sort, Window};
use crate::error::{Error, Result};
use crate::scan::{Scan, ScanRequest};

/// The parts of the rows of a node, in the order of the rows. There is at least one part.
pub(super) type Parts<'r> = Box<dyn Iterator<Item = Result<Table>> + 'r>;

fn one<'r>(table: Table) -> Parts<'r> {
    Box::new(std::iter::once(Ok(table)))
}

fn list<'r>(tables: Vec<Table>) -> Parts<'r> {
    Box::new(tables.into_iter().map(Ok))
}

/// Converts the errors of parts, so that an operator of [`gdf_external`] can pass them on.
fn operands<'r>(parts: Parts<'r>) -> impl Iterator<Item = gdf_core::Result<Table>> + 'r {
    parts.map(|part| part.map_err(Error::into_operation))
}

/// A run whose operators share the memory of a budget.
#[derive(Clone, Copy)]
pub(super) struct Limited<'r> {
    pub(super) run: &'r Run<'r>,
    pub(super) budget: &'r Budget,
}

impl Run<'_> {
    /// Returns the run in parts, if there is a budget.
    pub(super) fn limited(&self) -> Option<Limited<'_>> {
        self.budget.map(|budget| Limited { run: self, budget })
    }
}

impl<'r> Limited<'r> {
    /// Returns the rows of a node in parts.
    pub(super) fn parts(self, node: &'r Node) -> Result<Parts<'r>> {
        self.run.check_canceled()?;
        let run = self.run;
        let mut parts: Parts<'r> = match node {
            Node::Input(number) => self.of_scan(node, run.input(*number)?)?,
            Node::Files(scan) => self.of_scan(node, scan.as_ref())?,
            Node::Resident(table) => list(self.budget.slices(table)?),
            Node::NullRow(types) => one(nulls(types, 1)?),
            Node::Empty(types) => one(nulls(types, 0)?),
            Node::Rows(rows) => self.mapped(Some(node), &rows.input, move |part| rows.of_table(part, run))?,
            Node::Computed(of) => {
                self.mapped(Some(node), &of.rows.input, move |part| of.of(part.into(), run)?.into_table())?
            }
            Node::Unnest(of) => self.mapped(Some(node), &of.input, move |part| of.of(part, run))?,
            Node::Mapped(of) => self.function(node, of)?,
            Node::Limit { input, skip, fetch } => limited(self.parts(input)?, *skip, fetch.unwrap_or(usize::MAX)),
            Node::Union(nodes) => Box::new(nodes.iter().flat_map(move |node| match self.parts(node) {
                Ok(parts) => parts,
                Err(error) => Box::new(std::iter::once(Err(error))),
            })),
            Node::Shared(step) => list(self.shared(step)?),
            Node::Scalars { input, subqueries } => {
                run.run_subqueries(subqueries)?;
                self.parts(input)?
            }
            Node::Join(join) => self.join(node, join)?,
            Node::Aggregate(aggregate) => list(self.measured(node, || self.aggregate(aggregate))?),
            Node::Distinct(of) => list(self.measured(node, || self.distinct(of))?),
            Node::Sort(of) => list(self.measured(node, || self.sort(of))?),
            Node::Window(window) => list(self.measured(node, || self.window(window))?),
        };
        let mut ends = node.has_work();
        Ok(Box::new(std::iter::from_fn(move || {
            if let Err(error) = run.check_canceled() {
                return Some(Err(error));
            }
            let part = parts.next();
            if part.is_none() && std::mem::take(&mut ends) {
                run.pipelines_have_ended(1);
            }
            part
        })))
    }

    /// Returns all rows of a node as one table.
    pub(super) fn whole(self, node: &'r Node) -> Result<Table> {
        whole(self.kept(self.parts(node)?)?)
    }

    /// Returns parts that wait for others. They can be spilled.
    fn kept(self, parts: Parts<'r>) -> Result<Vec<Table>> {
        Ok(self.budget.kept(operands(parts))?)
    }

    /// Returns the outputs of rows. The node that owns the rows measures the work.
    fn outputs(self, rows: &'r Rows) -> Result<Parts<'r>> {
        let run = self.run;
        self.mapped(None, &rows.input, move |part| rows.of_table(part, run))
    }

    /// Returns the results of `map` for the parts of `input`. If memory runs out, a part is halved.
    fn mapped(
        self,
        node: Option<&'r Node>,
        input: &'r Node,
        map: impl Fn(Table) -> Result<Table> + 'r,
    ) -> Result<Parts<'r>> {
        Ok(self.mapped_parts(node, self.parts(input)?, map))
    }

    fn mapped_parts(
        self,
        node: Option<&'r Node>,
        parts: Parts<'r>,
        map: impl Fn(Table) -> Result<Table> + 'r,
    ) -> Parts<'r> {
        let of = move |part: Table| {
            let pieces = || {
                let mut map = |piece: &Table| {
                    let found = map(piece.clone()).map_err(Error::into_operation)?;
                    Ok(self.budget.keep(found))
                };
                Ok(self.budget.in_pieces(&part, &mut map)?)
            };
            match node {
                Some(node) => self.measured(node, pieces),
                None => pieces(),
            }
        };
        Box::new(parts.flat_map(move |part| match part.and_then(&of) {
            Ok(pieces) => list(pieces),
            Err(error) => Box::new(std::iter::once(Err(error))),
        }))
    }

    /// Returns the results of a function of rows. If the function needs rows together that do not fit in memory, the run
    /// fails.
    fn function(self, node: &'r Node, of: &'r Mapped) -> Result<Parts<'r>> {
        match of.function.needs() {
            Needs::Piece => self.mapped(Some(node), &of.input, move |part| of.of(part.into())?.into_table()),
            Needs::Partition(keys) => {
                let parts = self.parts(&of.input)?;
                let mut run = |partition: &Table| of.function.run(partition.clone());
                let results = || match &of.reads {
                    None => Ok(transform(operands(parts), &keys, self.budget, &mut run)?),
                    Some(reads) => {
                        let parts = self.kept(parts)?;
                        let read = parts.iter().map(|part| part.select(reads));
                        let added = transform(read, &keys, self.budget, &mut run)?;
                        self.beside(parts, added)
                    }
                };
                Ok(list(self.measured(node, results)?))
            }
            Needs::All => {
                let all = self.whole(&of.input)?;
                let result = || Ok(vec![self.budget.keep(of.of(all.into())?.into_table()?)]);
                Ok(list(self.measured(node, result)?))
            }
        }
    }

    /// Returns parts with the columns of `added`, whose rows are divided in another way.
    fn beside(self, parts: Vec<Table>, added: Vec<Table>) -> Result<Vec<Table>> {
        let empty = added.first().map(|table| table.slice(0, 0)).transpose()?;
        let (mut added, mut results) = (VecDeque::from(added), Vec::with_capacity(parts.len()));
        let missing = || Error::internal("a function of rows has returned too few rows");
        for part in parts {
            let (mut wanted, mut pieces) = (part.num_rows(), Vec::new());
            while wanted > 0 {
                let next = added.pop_front().ok_or_else(missing)?;
                let count = wanted.min(next.num_rows());
                pieces.push(next.slice(0, count)?);
                if count < next.num_rows() {
                    added.push_front(next.slice(count, next.num_rows() - count)?);
                }
                wanted -= count;
            }
            let rows = part.num_rows();
            let beside = self.budget.whole(&pieces)?.or_else(|| empty.clone()).ok_or_else(missing)?;
            let columns = part.into_columns().into_iter().chain(beside.into_columns()).collect();
            results.push(self.budget.keep(Table::try_with_rows(columns, rows)?));
        }
        Ok(results)
    }

    fn measured(self, node: &Node, work: impl FnOnce() -> Result<Vec<Table>>) -> Result<Vec<Table>> {
        self.run.measured(address(node), |parts: &Vec<Table>| parts.iter().map(Table::num_rows).sum(), work)
    }

    /// Reads a source. Another thread reads the next part while a part is used.
    fn of_scan(self, node: &'r Node, scan: &dyn Scan) -> Result<Parts<'r>> {
        let pieces = scan.open(&ScanRequest::Limited(self.budget.source_bytes()))?;
        let tables = pieces.map(|piece| piece.and_then(|piece| piece()).map_err(Error::into_operation));
        let budget = self.budget.clone();
        let mut tables = prefetch(tables.map(move |table| Ok(budget.keep(table?))))?;
        let rows = |table: &Option<Table>| table.as_ref().map_or(0, Table::num_rows);
        let mut read = move || {
            let table = tables.next().transpose()?;
            table.iter().for_each(|table| self.run.has_read(table));
            Ok(table)
        };
        let next = move || self.run.measured(address(node), rows, &mut read).transpose();
        Ok(Box::new(std::iter::from_fn(next)))
    }

    /// Returns the parts of a shared step, which runs at its first use.
    fn shared(self, step: &'r Shared) -> Result<Vec<Table>> {
        self.run.once(step, &self.run.shared_parts, || self.kept(self.parts(&step.node)?))
    }

    fn distinct(self, of: &'r Distinct) -> Result<Vec<Table>> {
        Ok(distinct(operands(self.parts(&of.input)?), &of.keys, of.keep, self.budget)?)
    }

    fn sort(self, of: &'r Sort) -> Result<Vec<Table>> {
        let keys = Keys {
            columns: of.keys.iter().map(|key| key.output).collect(),
            orders: of.keys.iter().map(|key| key.order()).collect(),
            null_orders: of.keys.iter().map(|key| key.null_order()).collect(),
        };
        let mut parts = operands(self.outputs(&of.rows)?).peekable();
        // The first rows of two parts are merged at a time, which must fit.
        let most = parts.peek().and_then(|part| part.as_ref().ok());
        let most = most.map_or(0, |part| rows_of(self.budget.part_bytes(), part.data_types()));
        let sorted = match of.fetch {
            Some(fetch) if fetch <= most => vec![top(parts, &keys, fetch, self.budget)?],
            Some(fetch) => limited(list(sort(parts, &keys, self.budget)?), 0, fetch).collect::<Result<_>>()?,
            None => sort(parts, &keys, self.budget)?,
        };
        let kept: Vec<usize> = (0..of.width).collect();
        sorted.iter().map(|part| selected(part, &kept)).collect()
    }

    fn window(self, window: &'r Window) -> Result<Vec<Table>> {
        let parts = self.outputs(&window.rows)?;
        if window.partition.is_empty() {
            let table = whole(self.kept(parts)?)?;
            return Ok(vec![window.of(&table, self.run)?]);
        }
        Ok(transform(operands(parts), &window.partition, self.budget, &mut |partition| {
            window.of(partition, self.run).map_err(Error::into_operation)
        })?)
    }
}

/// Returns the rows of parts from the row `skip` on, at most `missing` of them.
fn limited(mut parts: Parts<'_>, mut skip: usize, mut missing: usize) -> Parts<'_> {
    let mut has_ended = false;
    Box::new(std::iter::from_fn(move || {
        if has_ended {
            return None;
        }
        let part = match parts.next()? {
            Ok(part) => part,
            Err(error) => return Some(Err(error)),
        };
        let start = skip.min(part.num_rows());
        let count = (part.num_rows() - start).min(missing);
        (skip, missing) = (skip - start, missing - count);
        has_ended = missing == 0;
        Some(part.slice(start, count).map_err(Error::from))
    }))
}
