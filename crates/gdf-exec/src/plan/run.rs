//! Runs lowered plans.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use gdf_api::join::NullEquality;
use gdf_core::Table;
use gdf_expr::{Expr, Value, col, lit};
use gdf_external::Budget;

use super::deferred::Deferred;
use super::lock::locked;
use super::profile::{Trace, address};
use super::tables::{nulls, whole};
use super::{FIRST_PLACEHOLDER, Node, Plan};
use crate::error::{Error, Result};
use crate::options::Execution;
use crate::progress::{Progress, Running};
use crate::scan::{Piece, Scan, ScanRequest};

/// A filter of rows by a set of keys.
#[derive(Debug)]
pub(super) struct KeyFilter {
    /// The address of the rows.
    pub(super) address: usize,
    /// The keys as expressions over the input of the rows.
    pub(super) keys: Vec<Expr>,
    pub(super) set: Table,
    pub(super) nulls: NullEquality,
}

/// The result of a step that occurs several times, until its last use.
#[derive(Debug)]
pub(super) struct Kept<T> {
    pub(super) rows: T,
    pub(super) uses_left: usize,
}

/// A run of a plan on the current device.
///
/// The nodes run one after the other in the thread of the run. Other threads only compute pieces of a
/// [stream](super::stream).
pub(crate) struct Run<'p> {
    pub(super) plan: &'p Plan,
    inputs: &'p [Arc<dyn Scan>],
    /// The values of the subqueries, or `None` before a subquery is computed.
    scalars: Mutex<Vec<Option<Value>>>,
    pub(super) execution: &'p Execution<'p>,
    /// The memory for a run in parts. Without a budget, the nodes work on all rows at once.
    pub(super) budget: Option<&'p Budget>,
    pub(super) running: Running<'p>,
    pub(super) trace: Option<Trace>,
    /// The filters that apply at present.
    pub(super) key_filters: Mutex<Vec<Arc<KeyFilter>>>,
    /// The number of filters that were applied.
    pub(super) applied_key_filters: AtomicUsize,
    /// The results of shared steps, by the numbers of the steps.
    pub(super) shared: Mutex<Vec<Option<Kept<Deferred>>>>,
    /// The same for a run in parts.
    pub(super) shared_parts: Mutex<Vec<Option<Kept<Vec<Table>>>>>,
    /// The keys of right sides whose hash tables are used until the run in parts ends. There is a place for each join.
    pub(super) build_sides: Vec<OnceLock<Table>>,
    /// The addresses of the joins whose right rows were found to have distinct keys.
    distinct_sides: Mutex<HashSet<usize>>,
}

impl<'p> Run<'p> {
    /// Prepares a run of all rows at once, or in parts if there is a budget.
    pub(super) fn new(
        plan: &'p Plan,
        inputs: &'p [Arc<dyn Scan>],
        execution: &'p Execution<'p>,
        budget: Option<&'p Budget>,
    ) -> Run<'p> {
        let scalars = Mutex::new(vec![None; plan.placeholders.len()]);
        let running = execution.progress.running(plan.root.pipelines());
        let trace = execution.is_profiled.then(|| Trace::new(plan, execution.device));
        Run {
            plan,
            inputs,
            scalars,
            execution,
            budget,
            running,
            trace,
            key_filters: Mutex::default(),
            applied_key_filters: AtomicUsize::default(),
            shared: Mutex::default(),
            shared_parts: Mutex::default(),
            build_sides: (0..plan.root.joins()).map(|_| OnceLock::new()).collect(),
            distinct_sides: Mutex::default(),
        }
    }

    pub(super) fn passes_keys(&self) -> bool {
        self.execution.passes_keys && self.budget.is_none()
    }

    /// Keeps the keys of a right side until the run ends. Returns `None` if there is no place left.
    pub(super) fn kept_build_side(&self, keys: Table) -> Option<&Table> {
        let place = self.build_sides.iter().find(|place| place.get().is_none())?;
        Some(place.get_or_init(|| keys))
    }

    /// States that no two right rows of the join at `address` have equal keys.
    pub(super) fn set_distinct_side(&self, address: usize) {
        locked(&self.distinct_sides).insert(address);
    }

    /// Returns whether no two right rows of the join at `address` are known to have equal keys.
    pub(super) fn has_distinct_side(&self, address: usize) -> bool {
        locked(&self.distinct_sides).contains(&address)
    }

    pub(super) fn progress(&self) -> &Progress {
        self.execution.progress
    }

    /// Runs `work` for the node at `address`, and measures it if the run is profiled.
    pub(super) fn measured<T>(
        &self,
        address: usize,
        rows: impl FnOnce(&T) -> usize,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        match &self.trace {
            Some(trace) => trace.measured(address, rows, work),
            None => work(),
        }
    }

    /// Computes the rows of a node. Fails if the run was canceled.
    pub(super) fn node(&self, node: &Node) -> Result<Deferred> {
        self.check_canceled()?;
        if let Some(limited) = self.limited() {
            return Ok(limited.whole(node)?.into());
        }
        if self.streams(node) && !matches!(node, Node::Files(_)) {
            return self.collected_node(node);
        }
        let rows = self.measured(address(node), Deferred::num_rows, || self.computed(node))?;
        if node.has_work() {
            self.running.one_has_ended();
        }
        Ok(rows)
    }

    fn computed(&self, node: &Node) -> Result<Deferred> {
        let table = match node {
            Node::Shared(step) => return self.shared(step),
            Node::Rows(rows) => return rows.run(self),
            Node::Computed(computed) => return computed.run(self),
            Node::Join(join) => return join.run(self),
            Node::Aggregate(aggregate) => return aggregate.run(self),
            Node::Distinct(distinct) => return distinct.run(self),
            Node::Sort(sort) => return sort.run(self),
            Node::Mapped(mapped) => return mapped.run(self),
            Node::Limit { input, skip, fetch } => {
                let rows = match fetch {
                    Some(fetch) if self.streams(input) => self.first_rows(input, skip.saturating_add(*fetch))?,
                    _ => self.node(input)?,
                };
                let skip = (*skip).min(rows.num_rows());
                let rest = rows.num_rows() - skip;
                return rows.slice(skip, fetch.unwrap_or(rest).min(rest));
            }
            Node::Scalars { input, subqueries } => {
                self.run_subqueries(subqueries)?;
                return self.node(input);
            }
            Node::Resident(table) => Ok(table.clone()),
            Node::Input(number) => self.read_whole(self.input(*number)?),
            Node::Files(scan) => self.read_whole(scan.as_ref()),
            Node::NullRow(types) => nulls(types, 1),
            Node::Empty(types) => nulls(types, 0),
            Node::Window(window) => window.run(self),
            Node::Unnest(unnest) => unnest.run(self),
            Node::Union(nodes) => {
                let tables = nodes.iter().map(|node| self.node(node)?.into_table()).collect::<Result<Vec<_>>>()?;
                whole(tables)
            }
        }?;
        Ok(table.into())
    }

    /// Computes the values of subqueries. Each subquery has a node and the numbers of its placeholders.
    pub(super) fn run_subqueries(&self, subqueries: &[(Node, Vec<usize>)]) -> Result<()> {
        for (subquery, placeholders) in subqueries {
            let table = self.node(subquery)?.into_table()?;
            for placeholder in placeholders {
                let value = self.only_value(&table, *placeholder)?;
                locked(&self.scalars)[*placeholder] = Some(value);
            }
        }
        Ok(())
    }

    /// Counts pipelines as ended that do not run again, because their result was kept.
    pub(super) fn pipelines_have_ended(&self, count: u64) {
        (0..count).for_each(|_| self.running.one_has_ended());
    }

    fn read_whole(&self, scan: &dyn Scan) -> Result<Table> {
        let pieces = scan.open(&ScanRequest::Whole)?;
        whole(pieces.map(|piece| piece.and_then(|piece| self.read(piece))).collect::<Result<_>>()?)
    }

    /// Reads a piece of a source, and counts its rows.
    pub(super) fn read(&self, piece: Piece) -> Result<Table> {
        let table = piece()?;
        self.has_read(&table);
        Ok(table)
    }

    pub(super) fn has_read(&self, table: &Table) {
        self.running.has_read(table.num_rows(), table.alloc_size());
    }

    pub(super) fn check_canceled(&self) -> Result<()> {
        match self.execution.canceled.load(Ordering::Relaxed) {
            true => Err(Error::Canceled),
            false => Ok(()),
        }
    }

    pub(super) fn input(&self, number: usize) -> Result<&'p dyn Scan> {
        self.inputs.get(number).map(Arc::as_ref).ok_or_else(|| Error::internal("an input is missing"))
    }

    /// Returns the value of a scalar subquery. Without rows, the value is null.
    fn only_value(&self, table: &Table, placeholder: usize) -> Result<Value> {
        match table.num_rows() {
            0 => Ok(Value::null(self.plan.placeholders[placeholder].data_type.clone())),
            1 => Ok(Value::from_scalar(&gdf_core::Scalar::from_column(table.column(0)?.clone())?)?),
            rows => Err(Error::ManyRows(rows)),
        }
    }

    /// Replaces the placeholders in an expression by the values of the subqueries.
    pub(super) fn known(&self, expression: &Expr) -> Result<Expr> {
        if self.plan.placeholders.is_empty() {
            return Ok(expression.clone());
        }
        let mut failure = None;
        let known = expression.substitute(|position| {
            let Some(placeholder) = position.checked_sub(FIRST_PLACEHOLDER) else { return Ok(col(position)) };
            self.scalar(placeholder).map(lit).map_err(|error| {
                failure = Some(error);
                gdf_core::Error::internal("a scalar subquery has no value")
            })
        });
        match failure {
            Some(failure) => Err(failure),
            None => Ok(known?),
        }
    }

    pub(super) fn all_known(&self, expressions: &[Expr]) -> Result<Vec<Expr>> {
        expressions.iter().map(|expression| self.known(expression)).collect()
    }

    /// Returns the value of a subquery. Either this plan has computed the value, or it comes from outside of the plan.
    fn scalar(&self, placeholder: usize) -> Result<Value> {
        if let Some(value) = &locked(&self.scalars)[placeholder] {
            return Ok(value.clone());
        }
        self.plan.placeholders[placeholder].outer.value()
    }
}
