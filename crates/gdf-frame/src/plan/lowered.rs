//! Rows that gdf-exec computes: nodes that read the pieces of a scan.
//!
//! Verbs bind their names to the columns of [`Rows`] without rows, which have the types of the node's columns.
//! `filter`, `select`, `with`, `rename` and `drop` change the conditions and expressions of these rows. A join with a
//! right side whose rows are known becomes a node above them. A verb that needs all rows runs the node.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gdf_api::groupby::GroupByAggregation;
use gdf_api::pipeline::{GroupRequest, Reduction, SortKey};
use gdf_api::reduction::ReduceAggregation;
use gdf_api::sorting::{NullOrder, Order};
use gdf_core::{DataType, Error, Result, SchemaRef, Table};
use gdf_driver::Device;
use gdf_exec::{
    Call, Execution, Finish, Join as JoinNode, JoinKind as Kind, Key, Mapped, Measure, Node, Progress, Request,
    RowsFunction, Sort, Source,
};
use gdf_expr::types::decoded_type;

use super::join::{Sides, joined};
use super::pieces::PiecesOfScan;
use super::scan::Scanned;
use super::{Needed, Rows, Step};
use crate::columns::Columns;
use crate::join::{Join, JoinKind};

/// A node. Its columns are those of the source of [`Rows`] without rows.
#[derive(Clone)]
pub(super) struct Lowered {
    node: Node,
    is_scan: bool,
    /// The largest number of rows of a batch that the user gets.
    batch_rows: usize,
}

impl Lowered {
    /// Returns the rows of a scan. `source` has its columns without rows.
    pub(super) fn of_scan(scanned: Scanned, source: &Columns) -> Lowered {
        let batch_rows = scanned.scan.batch_rows();
        let types = source.table().data_types().cloned().collect();
        Lowered { node: Node::Files(Arc::new(PiecesOfScan { scanned, types })), is_scan: true, batch_rows }
    }

    /// Returns whether the node is a scan.
    pub(super) fn is_scan(&self) -> bool {
        self.is_scan
    }

    /// Returns the rows of the node that pass the conditions of `rows`, with `values` as outputs.
    fn rows(&self, rows: &Rows, values: &[gdf_expr::Expr]) -> Result<gdf_exec::Rows> {
        let width = rows.source().len();
        let mut found = gdf_exec::Rows::all(self.node.clone(), width);
        for (at, condition) in rows.conditions().iter().enumerate() {
            if at > 0 && rows.may_overflow(condition) {
                found = gdf_exec::Rows::all(Node::Rows(Box::new(found)), width);
            }
            found.filter(condition, &[]).map_err(gdf_exec::Error::into_operation)?;
        }
        found.project(values, &[]).map_err(gdf_exec::Error::into_operation)?;
        Ok(found)
    }

    /// Passes the values of `rows` to `each` as tables, in the order of the rows.
    pub(super) fn for_each(
        &self,
        rows: &Rows,
        values: &[gdf_expr::Expr],
        each: &mut (dyn FnMut(Table) -> Result<ControlFlow<()>> + Send),
    ) -> Result<()> {
        run(Node::Rows(Box::new(self.rows(rows, values)?)), each)
    }

    /// Returns the values of `rows` in tables. There is at least one table.
    pub(super) fn tables(&self, rows: &Rows, values: &[gdf_expr::Expr]) -> Result<Vec<Table>> {
        tables(Node::Rows(Box::new(self.rows(rows, values)?)))
    }

    /// Divides a table into batches for the user.
    pub(super) fn batches(&self, table: &Table) -> Result<Vec<Table>> {
        let (rows, most) = (table.num_rows(), self.batch_rows);
        if rows <= most {
            return Ok(vec![table.clone()]);
        }
        (0..rows).step_by(most).map(|start| table.slice(start, most.min(rows - start))).collect()
    }

    /// Returns at most `len` rows from row `offset` on.
    pub(super) fn slice(&self, rows: &Rows, offset: usize, len: usize) -> Result<Vec<Table>> {
        let input = Box::new(Node::Rows(Box::new(self.rows(rows, &rows.values())?)));
        tables(Node::Limit { input, skip: offset, fetch: Some(len) })
    }

    pub(super) fn sorted(&self, rows: &Rows, keys: &[SortKey], fetch: Option<usize>) -> Result<Vec<Table>> {
        let width = rows.width();
        let values: Vec<_> = rows.values().into_iter().chain(keys.iter().map(|key| key.values.clone())).collect();
        let key = |(at, key): (usize, &SortKey)| {
            let descending = key.order == Order::Descending;
            Key { output: width + at, descending, nulls_first: (key.null_order == NullOrder::Before) != descending }
        };
        let keys = keys.iter().enumerate().map(key).collect();
        tables(Node::Sort(Box::new(Sort { rows: self.rows(rows, &values)?, width, keys, fetch })))
    }

    /// Aggregates the rows. Without keys, all rows are one group. Returns the keys, then a column for each element
    /// of `of`.
    fn measured(
        &self,
        rows: &Rows,
        keys: &[gdf_expr::Expr],
        drops_null_keys: bool,
        of: Vec<(gdf_expr::Expr, Measure, DataType)>,
    ) -> Result<Table> {
        let mut values = keys.to_vec();
        let mut requests = Vec::with_capacity(of.len());
        for (value, measure, data_type) in of {
            let at = values.iter().position(|known| known.same(&value)).unwrap_or_else(|| {
                values.push(value);
                values.len() - 1
            });
            requests.push(Request { values: Some(at), measure, data_type });
        }
        let call = |(at, request): (usize, &Request)| Call {
            finish: Finish::Request(at),
            data_type: request.data_type.clone(),
        };
        let calls = requests.iter().enumerate().map(call).collect();
        let key_types = keys.iter().map(|key| rows.type_of(key)).collect::<Result<Vec<_>>>()?;
        let mut groups = self.rows(rows, &values)?;
        if drops_null_keys {
            for key in 0..keys.len() {
                groups.filter(&gdf_expr::col(key).is_not_null(), &[]).map_err(gdf_exec::Error::into_operation)?;
            }
        }
        let (groupings, determined) = (Vec::new(), Vec::new());
        let node = gdf_exec::Aggregate { rows: groups, keys: key_types, requests, calls, groupings, determined };
        whole(tables(Node::Aggregate(Box::new(node)))?)
    }

    /// Returns the table of the groups for the requests, or `None` if gdf-exec lacks one of the aggregations.
    pub(super) fn groups(
        &self,
        rows: &Rows,
        keys: &[gdf_expr::Expr],
        drops_null_keys: bool,
        requests: &[GroupRequest],
    ) -> Result<Option<Table>> {
        let mut of = Vec::new();
        for request in requests {
            let data_type = rows.type_of(&request.values)?;
            for aggregation in &request.aggregations {
                let Some(measure) = measure_of_groups(*aggregation) else { return Ok(None) };
                of.push((request.values.clone(), measure, aggregation.result_type(&data_type, 0)?));
            }
        }
        self.measured(rows, keys, drops_null_keys, of).map(Some)
    }

    /// Returns one row with the results of reductions, which have the types of `types`. Returns `None` if gdf-exec lacks
    /// one of the aggregations.
    pub(super) fn reduced(&self, rows: &Rows, reductions: &[Reduction], types: &[DataType]) -> Result<Option<Table>> {
        let of = reductions.iter().zip(types).map(|(reduction, data_type)| {
            Some((reduction.values.clone(), measure_of_rows(reduction.aggregation)?, data_type.clone()))
        });
        match of.collect() {
            Some(of) => self.measured(rows, &[], false, of).map(Some),
            None => Ok(None),
        }
    }

    /// Applies a step that needs one piece of the rows at a time. `inputs` are the rows of the step's other inputs, and
    /// `after` has the columns of the result that later steps need.
    pub(super) fn mapped(
        &self,
        rows: &Rows,
        step: &Step,
        inputs: Vec<Columns>,
        after: &Needed,
    ) -> Result<(Lowered, Rows)> {
        let columns = rows.clone().into_columns()?;
        let function = Verb { schema: columns.schema().clone(), step: step.clone(), inputs, after: after.clone() };
        let source = function.applied(columns.table().clone())?;
        let input = Node::Rows(Box::new(self.rows(rows, &rows.values())?));
        let node = Node::Mapped(Box::new(Mapped { input, function: Arc::new(function) }));
        Ok((Lowered { node, is_scan: false, ..*self }, Rows::of_scan(source)))
    }

    /// Joins the rows with the table of `sides.right`, which `right` computes. Returns the node and the rows over its columns, or `None` if the
    /// left rows cannot be looked up piece by piece.
    pub(super) fn joined(
        &self,
        [rows, right_rows]: [&Rows; 2],
        sides: &Sides,
        right: impl FnOnce() -> Result<Table>,
        join: &Join,
    ) -> Result<Option<(Lowered, Rows)>> {
        let kind = match join.kind {
            JoinKind::Inner => Kind::Inner,
            JoinKind::Left => Kind::Left,
            JoinKind::Semi => Kind::Semi,
            JoinKind::Anti => Kind::Anti,
            JoinKind::Right | JoinKind::Full => return Ok(None),
        };
        let types = sides.left.iter().map(|value| rows.type_of(value)).collect::<Result<Vec<_>>>()?;
        // The join of two tables decodes the keys.
        let is_decoded = |at: &usize| decoded_type(&types[*at]) == &types[*at];
        if join.condition.is_some() || !sides.left_on.iter().all(is_decoded) {
            return Ok(None);
        }
        let right = right()?;
        let payload = match kind {
            Kind::Semi | Kind::Anti => 0..0,
            _ => sides.right_on.len()..sides.right.len(),
        };
        let outputs = (0..sides.width).map(Source::Left).chain(payload.clone().map(Source::Right)).collect();
        let columns = rows.project(&sides.left[..sides.width])?;
        let of_right = right.slice(0, 0)?;
        let columns = columns.columns().iter().chain(&of_right.columns()[payload]);
        let columns = Table::try_with_rows(columns.cloned().collect(), 0)?;
        let source = joined(rows, right_rows, columns, &sides.outputs(rows), join.kind)?;
        let node = Node::Join(Box::new(JoinNode {
            left: self.rows(rows, &sides.left)?,
            right: gdf_exec::Rows::all(Node::Resident(right), sides.right.len()),
            kind,
            on: (sides.left_on.clone(), sides.right_on.clone()),
            nulls: join.nulls(),
            condition: None,
            outputs,
            decisive: None,
        }));
        Ok(Some((Lowered { node, is_scan: false, ..*self }, Rows::of_scan(source))))
    }
}

/// A step as a function of rows.
struct Verb {
    /// The names and fields of the rows.
    schema: SchemaRef,
    step: Step,
    inputs: Vec<Columns>,
    after: Needed,
}

impl Verb {
    fn applied(&self, rows: Table) -> Result<Columns> {
        let mut rows = Rows::new(Columns::trusted(self.schema.clone(), rows));
        self.step.run_with(&mut rows, &self.inputs, &self.after)?;
        rows.into_columns()
    }
}

impl RowsFunction for Verb {
    fn name(&self) -> &str {
        self.step.name()
    }

    fn run(&self, rows: Table) -> Result<Table> {
        Ok(self.applied(rows)?.into_parts().1)
    }
}

fn measure_of_groups(aggregation: GroupByAggregation) -> Option<Measure> {
    match aggregation {
        GroupByAggregation::CountAll => Some(Measure::CountRows),
        GroupByAggregation::CountValid => Some(Measure::Count),
        GroupByAggregation::Sum => Some(Measure::Sum),
        GroupByAggregation::Min => Some(Measure::Min),
        GroupByAggregation::Max => Some(Measure::Max),
        GroupByAggregation::Mean => Some(Measure::Mean),
        _ => None,
    }
}

fn measure_of_rows(aggregation: ReduceAggregation) -> Option<Measure> {
    match aggregation {
        ReduceAggregation::CountAll => Some(Measure::CountRows),
        ReduceAggregation::CountValid => Some(Measure::Count),
        ReduceAggregation::Sum => Some(Measure::Sum),
        ReduceAggregation::Min => Some(Measure::Min),
        ReduceAggregation::Max => Some(Measure::Max),
        ReduceAggregation::Mean => Some(Measure::Mean),
        _ => None,
    }
}

fn run(root: Node, each: &mut (dyn FnMut(Table) -> Result<ControlFlow<()>> + Send)) -> Result<()> {
    let plan = gdf_exec::Plan { root, placeholders: Vec::new(), cuts_rows: false, has_exact_decimals: true };
    let (canceled, progress) = (AtomicBool::new(false), Progress::default());
    let execution = Execution {
        device: Device::Cpu,
        // The right sides of joins are computed already. Keys of left sides would be collected in vain.
        passes_keys: false,
        in_parts: false,
        piece_rows: None,
        is_profiled: false,
        canceled: &canceled,
        progress: &progress,
    };
    plan.for_each_table(&[], &execution, &mut |table| Ok(each(table)?)).map_err(gdf_exec::Error::into_operation)?;
    Ok(())
}

fn tables(root: Node) -> Result<Vec<Table>> {
    let mut tables = Vec::new();
    run(root, &mut |table| {
        tables.push(table);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(tables)
}

fn whole(tables: Vec<Table>) -> Result<Table> {
    let found = gdf_external::Budget::unlimited().whole(&tables)?;
    found.ok_or_else(|| Error::internal("a plan returned no rows"))
}
