//! Runs plans in batches of rows, for plans that would otherwise run out of memory.
//!
//! Scans, filters, projections, joins and limits pass on one batch after another. Aggregates keep only the states of
//! their groups. Sorts with a limit keep only the first rows. All rows must fit in memory for the right side of a join,
//! a full join, a sort without a limit, a window, and the result.

use std::ops::ControlFlow;

use gdf_core::Table;

use super::profile::address;
use super::tables::{nulls, whole};
use super::{Join, JoinKind, Node, Plan, Rows, Run};
use crate::edge::upload;
use crate::error::Result;
use crate::scan::ScanRequest;

/// A function that takes the next batch, and returns whether it wants more batches.
pub(super) type Sink<'s> = &'s mut dyn FnMut(Table) -> Result<ControlFlow<()>>;

const MORE: Result<ControlFlow<()>> = Ok(ControlFlow::Continue(()));

/// The batch sizes in rows. Each further attempt to run a plan uses the next size.
const BATCH_ROWS: [usize; 3] = [1 << 20, 1 << 16, 1 << 12];

impl Plan {
    /// Returns the batch sizes, in rows, with which the plan may need less memory than with all rows at once.
    pub fn batch_rows(&self) -> impl Iterator<Item = usize> + use<> {
        let most = self.root.most_rows();
        BATCH_ROWS.into_iter().filter(move |rows| most.is_none_or(|most| most > *rows))
    }
}

impl Node {
    /// Returns the number of rows of the largest table at or below the node, or `None` if a number is unknown.
    pub(super) fn most_rows(&self) -> Option<usize> {
        match self {
            Node::Input(_) | Node::Files(_) => None,
            Node::Resident(table) => Some(table.num_rows()),
            other => other.children().into_iter().try_fold(0, |most, child| Some(most.max(child.most_rows()?))),
        }
    }

    /// Returns whether the node returns the rows of one batch before it reads the next batch.
    pub(super) fn passes_batches(&self) -> bool {
        match self {
            Node::Rows(_) | Node::Computed(_) | Node::Unnest(_) | Node::Limit { .. } | Node::Union(_) => true,
            Node::Join(join) => join.kind != JoinKind::Full,
            _ => false,
        }
    }
}

impl Run<'_> {
    /// Passes the rows of a node to `sink`, in batches and in their order. There is at least one batch.
    pub(super) fn each_batch(&self, node: &Node, rows: usize, sink: Sink<'_>) -> Result<ControlFlow<()>> {
        self.check_canceled()?;
        match node {
            Node::Input(number) => self.each_of_input(node, *number, rows, sink),
            Node::Files(scan) => {
                let mut tables = scan.open(&ScanRequest { batch_rows: Some(rows) })?;
                let count = |table: &Option<Table>| table.as_ref().map_or(0, Table::num_rows);
                while let Some(table) = self.measured(address(node), count, || tables.next().transpose())? {
                    if sink(table)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                    self.check_canceled()?;
                }
                MORE
            }
            Node::Rows(of) => self.mapped(node, &of.input, rows, &|table| of.of_table(table, self), sink),
            Node::Computed(of) => {
                let computed = |table: Table| of.of(table.into(), self)?.into_table();
                self.mapped(node, &of.rows.input, rows, &computed, sink)
            }
            Node::Unnest(of) => self.mapped(node, &of.input, rows, &|table| of.of(table, self), sink),
            Node::Join(join) if node.passes_batches() => self.each_of_join(node, join, rows, sink),
            Node::Limit { input, skip, fetch } => {
                let (mut skip, mut missing) = (*skip, fetch.unwrap_or(usize::MAX));
                let mut flow = ControlFlow::Continue(());
                let _stopped = self.each_batch(input, rows, &mut |table| {
                    let start = skip.min(table.num_rows());
                    let count = (table.num_rows() - start).min(missing);
                    (skip, missing) = (skip - start, missing - count);
                    flow = sink(table.slice(start, count)?)?;
                    Ok(if missing == 0 { ControlFlow::Break(()) } else { flow })
                })?;
                Ok(flow)
            }
            Node::Union(nodes) => {
                for node in nodes {
                    if self.each_batch(node, rows, sink)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                MORE
            }
            Node::Shared(step) => self.each_batch(&step.node, rows, sink),
            Node::Scalars { input, subqueries } => {
                self.run_subqueries(subqueries)?;
                self.each_batch(input, rows, sink)
            }
            Node::Resident(_)
            | Node::NullRow(_)
            | Node::Empty(_)
            | Node::Join(_)
            | Node::Aggregate(_)
            | Node::Sort(_)
            | Node::Window(_) => each_slice(&self.node(node)?.into_table()?, rows, sink),
        }
    }

    fn each_of_input(&self, node: &Node, number: usize, rows: usize, sink: Sink<'_>) -> Result<ControlFlow<()>> {
        let input = self.input_rows(number)?;
        let slices = input.batches.iter().flat_map(|batch| {
            let starts = (0..batch.num_rows()).step_by(rows);
            starts.map(move |start| batch.slice(start, rows.min(batch.num_rows() - start)))
        });
        let mut is_empty = true;
        for slice in slices {
            is_empty = false;
            let table = self.measured(address(node), Table::num_rows, || upload(&input.schema, &[slice]))?;
            if sink(table)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            self.check_canceled()?;
        }
        if is_empty { sink(upload(&input.schema, &[])?) } else { MORE }
    }

    /// Passes the result of `map` for each batch of `input` to `sink`.
    fn mapped(
        &self,
        node: &Node,
        input: &Node,
        rows: usize,
        map: &dyn Fn(Table) -> Result<Table>,
        sink: Sink<'_>,
    ) -> Result<ControlFlow<()>> {
        self.each_batch(input, rows, &mut |table| sink(self.measured(address(node), Table::num_rows, || map(table))?))
    }

    fn each_of_join(&self, node: &Node, join: &Join, rows: usize, sink: Sink<'_>) -> Result<ControlFlow<()>> {
        let mut right = None;
        match &join.decisive {
            // The right side is not computed before there is a left row.
            Some(decisive) if decisive.is_left => {}
            decisive => {
                let mut found = join.right.ready(self)?;
                found.filter()?;
                match decisive {
                    Some(decisive) if found.input.num_rows() == 0 => return sink(nulls(&decisive.types, 0)?),
                    _ => right = Some(found),
                }
            }
        }
        self.each_batch(&join.left.input, rows, &mut |left| {
            let mut left = join.left.of(left.into(), self)?;
            let right = match (&mut right, &join.decisive) {
                (right @ None, decisive) => {
                    left.filter()?;
                    match decisive {
                        Some(decisive) if left.input.num_rows() == 0 => return sink(nulls(&decisive.types, 0)?),
                        _ => right.insert(join.right.ready(self)?),
                    }
                }
                (Some(right), _) => right,
            };
            let joined = || join.of(left, right.clone(), self)?.into_table();
            sink(self.measured(address(node), Table::num_rows, joined)?)
        })
    }

    /// Runs a node in batches, and returns all of its rows as one table.
    pub(super) fn collected(&self, node: &Node, rows: usize) -> Result<Table> {
        let mut parts = Vec::new();
        let _ended = self.each_batch(node, rows, &mut |table| {
            parts.push(table);
            MORE
        })?;
        whole(parts)
    }

    /// Computes the outputs of `of` for one batch of the input after another, and returns all of them as one table.
    pub(super) fn collected_outputs(&self, of: &Rows, rows: usize) -> Result<Table> {
        let mut parts = Vec::new();
        let _ended = self.each_batch(&of.input, rows, &mut |table| {
            parts.push(of.of_table(table, self)?);
            MORE
        })?;
        whole(parts)
    }
}

fn each_slice(table: &Table, rows: usize, sink: Sink<'_>) -> Result<ControlFlow<()>> {
    if table.num_rows() == 0 {
        return sink(table.clone());
    }
    for start in (0..table.num_rows()).step_by(rows) {
        if sink(table.slice(start, rows.min(table.num_rows() - start))?)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    MORE
}
