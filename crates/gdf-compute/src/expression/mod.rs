//! Evaluates expressions, several in one pass over the columns.
//!
//! A bound graph (`gdf-expr`) becomes a program of a small virtual machine (`program`). The CPU runs the program on
//! blocks of rows (`host`), and CUDA runs it on tiles of rows (`cuda`). Some nodes have no machine steps: text
//! functions, mathematical functions, and operations on 256-bit values. Such nodes are computed as whole columns before
//! the program runs.

mod cuda;
mod host;
mod leaves;
mod lower;
mod pairs;
mod program;
mod projection;
mod reduce;
mod reduced_output;
mod slots;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use gdf_core::{Column, ColumnView, DataType, Result, TableView, can_have_validity, numbers_of_order};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::decoded::has_null_values;
use gdf_engine::host::HostColumn;
use gdf_expr::{Function, Graph, Input, KeySet, NodeId, Operation, Value};

pub use self::cuda::DeviceMatches;
pub use self::host::{ProjectedBlock, ProjectedBlocks};
use self::leaves::Argument;
use self::lower::Fusable;
pub use self::pairs::{Condition, PairCondition};
pub use self::program::Wanted;
use self::program::{Lane, Program};
pub use self::projection::Projection;
pub use self::reduce::{NodeReduction, Reductions};
use crate::Ctx;
use crate::vouch::gather_column;

/// The operations on whole columns that expressions call, and that crates on top of this crate implement.
pub trait Functions: Sync {
    /// Computes a function of the arguments.
    ///
    /// # Errors
    /// * The errors of the function.
    fn call(&self, function: Function, arguments: &[gdf_core::Operand<'_>], ctx: Ctx<'_>) -> Result<Column>;

    /// Converts a column to another type, to a dictionary too.
    ///
    /// # Errors
    /// * The errors of a cast.
    fn cast(&self, column: ColumnView<'_>, target: &DataType, ctx: Ctx<'_>) -> Result<Column>;

    /// Returns for each row of `column` whether the row equals a value of `list`. The values have the type of the
    /// column and are not null.
    ///
    /// # Errors
    /// * The errors of a search.
    fn is_in(&self, column: ColumnView<'_>, list: &[Value], ctx: Ctx<'_>) -> Result<Column>;

    /// Returns for each row of `rows` whether the row may be a row of a set of keys. The columns have the types of the
    /// keys.
    ///
    /// # Errors
    /// * The errors of a join.
    fn is_key(&self, rows: &TableView<'_>, set: &KeySet, ctx: Ctx<'_>) -> Result<Column>;
}

/// Returns the inputs of a graph for the columns of a table. An input states the type of its column, whether the column
/// has no nulls, and the range of its numbers if the column stores bounds.
pub fn inputs(table: &TableView<'_>) -> Vec<Input> {
    let of = |view: &ColumnView<'_>| {
        let range = view.outer_bounds().flatten().and_then(|bounds| numbers_of_order(bounds, view.data_type()));
        let input = Input { range, ..Input::new(view.data_type().clone()) };
        // Unions and run-end encoded columns have the nulls of their values.
        let may_be_null = view.has_validity() || has_null_values(*view) || !can_have_validity(view.data_type());
        if may_be_null { input } else { input.not_null() }
    };
    table.columns().iter().map(of).collect()
}

/// Computes the values of nodes for each row of the table. The columns of the table are the inputs of the graph.
///
/// # Errors
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch), [`BrokenData`](gdf_core::Error::BrokenData).
/// * The errors of functions, driver errors and memory errors.
pub fn evaluate(
    graph: &Graph,
    roots: &[NodeId],
    table: &TableView<'_>,
    functions: &dyn Functions,
    ctx: Ctx<'_>,
) -> Result<Vec<Column>> {
    let (graph, roots) = graph.fold_constants(roots, folded)?;
    check::table(table, ctx)?;
    let mut evaluation = Evaluation { graph: &graph, table, functions, ctx, computed: HashMap::new() };
    evaluation.compute_leaves(&roots)?;
    evaluation.columns(&roots, ctx)
}

/// Returns a column with the text of each code. Code `i` stands for `texts[i]`.
///
/// # Errors
/// * The errors of a gather; driver and memory errors.
pub fn decode_text(codes: &Column, texts: &[Value], ctx: Ctx<'_>) -> Result<Column> {
    let data_type = texts.first().map_or(&DataType::Utf8, Value::data_type);
    let texts = leaves::text_column(texts, data_type, ctx.scratch())?;
    gather_column(texts.view(), codes.view(), ctx)
}

/// Computes the value of a node whose arguments are literals, by a program that runs on the CPU.
fn folded(graph: &Graph, id: NodeId) -> Result<Option<Value>> {
    if graph.may_overflow(id) || !Fusable::new(graph).is_fusable(id)? {
        return Ok(None);
    }
    let program = Program::new(graph, &[id])?;
    host::one_value(&program)
}

/// Returns the nodes below `roots` that have no machine steps, in the order in which they can be computed. Steps do not
/// find out whether a decimal has too many digits, so nodes whose results may have too many are among them.
fn leaves(graph: &Graph, roots: &[NodeId]) -> Result<Vec<NodeId>> {
    let overflowing = graph.overflowing(roots);
    let (mut leaves, mut fusable) = (Vec::new(), Fusable::new(graph));
    for id in graph.reachable(roots) {
        let is_leaf = match graph.node(id).operation {
            Operation::Column(_) | Operation::Literal(_) => false,
            _ => overflowing.contains(&id) || !fusable.is_fusable(id)?,
        };
        if is_leaf {
            leaves.push(id);
        }
    }
    Ok(leaves)
}

/// A graph, with the nodes that have been computed so far and the inputs for computing the other nodes.
struct Evaluation<'a> {
    graph: &'a Graph,
    table: &'a TableView<'a>,
    functions: &'a dyn Functions,
    ctx: Ctx<'a>,
    computed: HashMap<NodeId, Column>,
}

impl Evaluation<'_> {
    fn rows(&self) -> usize {
        self.table.num_rows()
    }

    /// Computes all nodes that have no machine steps.
    fn compute_leaves(&mut self, roots: &[NodeId]) -> Result<()> {
        for id in leaves(self.graph, roots)? {
            let ctx = if roots.contains(&id) { self.ctx } else { self.ctx.scratch() };
            self.compute_leaf(id, ctx)?;
        }
        Ok(())
    }

    fn compute_leaf(&mut self, id: NodeId, ctx: Ctx<'_>) -> Result<()> {
        let arguments = self.graph.node(id).arguments.clone();
        self.materialize(&arguments)?;
        let argument = |id: &NodeId| match self.graph.value(*id) {
            Some(value) => Ok(Argument::Literal(value)),
            None if self.computed.contains_key(id) => self.known(*id).map(Argument::Computed),
            None => self.known(*id).map(Argument::Column),
        };
        let arguments = arguments.iter().map(argument).collect::<Result<Vec<_>>>()?;
        let result = leaves::compute(self.graph, id, &arguments, self.rows(), self.functions, ctx)?;
        self.computed.insert(id, result);
        Ok(())
    }

    /// Returns whether the value of the node is known without a program: it is a literal, a column of the table, or a
    /// node that has been computed.
    fn is_known(&self, id: NodeId) -> bool {
        self.graph.value(id).is_some() || self.graph.column(id).is_some() || self.computed.contains_key(&id)
    }

    fn known(&self, id: NodeId) -> Result<Column> {
        let computed = self.computed.get(&id).cloned();
        let of_table = || self.graph.column(id).map(|position| self.table.columns()[position].to_column());
        computed.or_else(of_table).ok_or_else(|| gdf_core::Error::internal("an argument has not been computed"))
    }

    /// Computes the nodes as columns in scratch memory, except for literals, columns of the table, and nodes that have
    /// been computed.
    fn materialize(&mut self, ids: &[NodeId]) -> Result<()> {
        let mut missing: Vec<NodeId> = ids.iter().copied().filter(|id| !self.is_known(*id)).collect();
        missing.sort_unstable();
        missing.dedup();
        if missing.is_empty() {
            return Ok(());
        }
        let columns = self.run(&missing, self.ctx.scratch())?;
        self.computed.extend(missing.into_iter().zip(columns));
        Ok(())
    }

    /// Returns the roots as columns.
    fn columns(&mut self, roots: &[NodeId], ctx: Ctx<'_>) -> Result<Vec<Column>> {
        let is_missing = |id: &NodeId| {
            let is_other = self.graph.value(*id).is_some_and(|_| !self.is_machine_literal(*id));
            self.graph.column(*id).is_none() && !self.computed.contains_key(id) && !is_other
        };
        let mut missing: Vec<NodeId> = roots.iter().copied().filter(is_missing).collect();
        missing.sort_unstable();
        missing.dedup();
        let columns = self.run(&missing, ctx)?;
        self.computed.extend(missing.into_iter().zip(columns));
        let column = |id: &NodeId| match self.graph.value(*id) {
            Some(value) if !self.computed.contains_key(id) => leaves::repeated(value, self.rows(), ctx),
            _ => self.known(*id),
        };
        roots.iter().map(column).collect()
    }

    /// Returns whether a program can write a literal as a column.
    fn is_machine_literal(&self, id: NodeId) -> bool {
        Lane::of_type(&self.graph.node(id).data_type).is_some()
    }

    /// Computes nodes by programs.
    fn run(&mut self, ids: &[NodeId], ctx: Ctx<'_>) -> Result<Vec<Column>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        loop {
            if let Some(columns) = self.run_at_once(ids, ctx)? {
                return Ok(columns);
            }
            let [root] = *ids else {
                let (first, second) = ids.split_at(ids.len() / 2);
                let mut columns = self.run(first, ctx)?;
                columns.extend(self.run(second, ctx)?);
                return Ok(columns);
            };
            let Some((part, column)) = self.largest_part(root)? else {
                // A single operation that is too large for a launch is computed by the operation on whole columns.
                self.compute_leaf(root, ctx)?;
                return Ok(vec![self.known(root)?]);
            };
            self.computed.insert(part, column);
        }
    }

    /// Examines the nodes on which `root` depends, and finds the last of these nodes that a single launch can compute.
    fn largest_part(&self, root: NodeId) -> Result<Option<(NodeId, Column)>> {
        let mut parts: Vec<NodeId> = Vec::new();
        let mut waiting = self.graph.node(root).arguments.to_vec();
        while let Some(id) = waiting.pop() {
            if !self.is_known(id) && !parts.contains(&id) {
                parts.push(id);
                waiting.extend(&self.graph.node(id).arguments);
            }
        }
        parts.sort_unstable();
        for part in parts.into_iter().rev() {
            if let Some(columns) = self.run_at_once(&[part], self.ctx.scratch())? {
                return Ok(columns.into_iter().next().map(|column| (part, column)));
            }
        }
        Ok(None)
    }

    /// Computes nodes by one program.
    fn run_at_once(&self, ids: &[NodeId], ctx: Ctx<'_>) -> Result<Option<Vec<Column>>> {
        let mut computed: Vec<NodeId> = self.computed.keys().copied().collect();
        computed.sort_unstable();
        let (graph, roots) = self.graph.with_columns_for(ids, &computed)?;
        let program = match roots.as_slice() {
            [root] => Program::of_condition(&graph, *root)?,
            roots => Program::new(&graph, roots)?,
        };
        if self.rows() == 0 {
            return program.outputs.iter().map(|output| leaves::empty(output, ctx)).collect::<Result<_>>().map(Some);
        }
        let made: Vec<&Column> = computed.iter().map(|id| &self.computed[id]).collect();
        let of_table = self.table.columns().len();
        let view = |position: &usize| match position.checked_sub(of_table) {
            Some(made_position) => made[made_position].view(),
            None => self.table.columns()[*position],
        };
        let views: Vec<ColumnView<'_>> = program.columns.iter().map(view).collect();
        match ctx.stream.device() {
            Device::Cpu => {
                let columns = views.iter().map(|view| HostColumn::open(*view, ctx.stream));
                let columns = columns.collect::<Result<Vec<_>>>()?;
                host::project(&program, &columns, self.rows(), ctx).map(Some)
            }
            Device::Cuda(_) => {
                let Some(encoded) = cuda::encoded(&program) else { return Ok(None) };
                cuda::project(&program, &encoded, &views, self.rows(), ctx).map(Some)
            }
        }
    }
}
