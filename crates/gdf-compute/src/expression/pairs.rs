//! Conditions on a row of a left table and a row of a right table.

use std::ops::Range;

use gdf_core::{Column, DataType, Error, Result, Table, TableView};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::host::HostColumn;
use gdf_expr::{Expr, Graph, NodeId, Operation};

use super::cuda::{CudaPairs, DeviceMatches};
use super::host::PairProgram;
use super::lower::Fusable;
use super::program::{Program, Wanted};
use super::{Functions, evaluate, folded, inputs};
use crate::Ctx;

/// A boolean expression over the columns of two tables. The columns of the left table come first and are followed by
/// the columns of the right table.
#[derive(Clone, Copy)]
pub struct Condition<'e> {
    /// The expression.
    pub expression: &'e Expr,
    /// The functions that the expression may call.
    pub functions: &'e dyn Functions,
}

/// A condition, bound to the columns of two tables.
pub struct PairCondition<'e> {
    /// The remaining condition. Its columns are those of `left`, followed by those of `right`.
    graph: Graph,
    root: NodeId,
    left: Table,
    right: Table,
    functions: &'e dyn Functions,
    /// The program of the condition for the device.
    program: Option<DeviceProgram>,
}

enum DeviceProgram {
    Host(PairProgram),
    Cuda(CudaPairs),
}

impl<'e> PairCondition<'e> {
    /// Binds a condition to two tables. The function also computes, in scratch memory, the parts of the condition that
    /// depend on only one of the tables.
    ///
    /// # Errors
    /// * The errors of [`Graph::bind`] and [`evaluate`].
    /// * [`TypeMismatch`](Error::TypeMismatch): the condition is not boolean.
    pub fn new(
        condition: Condition<'e>,
        left: &TableView<'_>,
        right: &TableView<'_>,
        ctx: Ctx<'_>,
    ) -> Result<PairCondition<'e>> {
        let Condition { expression, functions } = condition;
        [left, right].into_iter().try_for_each(|table| check::table(table, ctx))?;
        let mut graph = Graph::new([inputs(left), inputs(right)].concat());
        let root = graph.bind(expression).map_err(|error| error.in_argument("condition"))?;
        check::types(&DataType::Boolean, &graph.node(root).data_type)
            .map_err(|error| error.in_argument("condition").in_expression(|| expression.to_string()))?;
        let (graph, roots) = graph.fold_constants(&[root], folded)?;

        let (of_left, all) = (left.num_columns(), graph.inputs().len());
        let [left_parts, right_parts] = parts(&graph, &roots, of_left);
        let made = |parts: &[NodeId], positions: Range<usize>, table: &TableView<'_>| {
            if parts.is_empty() {
                return Ok(Vec::new());
            }
            let (graph, roots) = graph.with_only_columns(parts, &positions.collect::<Vec<_>>())?;
            evaluate(&graph, &roots, table, functions, ctx.scratch())
        };
        let left_made = made(&left_parts, 0..of_left, left)?;
        let right_made = made(&right_parts, of_left..all, right)?;

        let (graph, roots) = graph.with_columns_for(&roots, &[left_parts, right_parts].concat())?;
        let is_left = |position: &usize| *position < of_left || (all..all + left_made.len()).contains(position);
        let (left_used, right_used): (Vec<usize>, Vec<usize>) = graph.columns(&roots).into_iter().partition(is_left);
        let (graph, roots) = graph.with_only_columns(&roots, &[left_used.as_slice(), &right_used].concat())?;
        let column = |position: &usize| match position.checked_sub(all) {
            Some(at) => left_made.iter().chain(&right_made).nth(at).cloned(),
            None => left.columns().iter().chain(right.columns()).nth(*position).map(|view| view.to_column()),
        };
        let table = |used: &[usize], rows: usize| Table::try_with_rows(used.iter().filter_map(column).collect(), rows);
        let (left, right) = (table(&left_used, left.num_rows())?, table(&right_used, right.num_rows())?);
        let root = *roots.first().ok_or_else(|| Error::internal("a condition has no node"))?;
        let program = program(&graph, root, left.num_columns(), ctx.stream.device())?;
        Ok(PairCondition { graph, root, left, right, functions, program })
    }

    /// Returns the columns that the remaining condition reads of the left table. Parts that have been computed are also
    /// columns of the result. The result has the rows of the left table.
    pub fn left(&self) -> &Table {
        &self.left
    }

    /// Returns the columns that the remaining condition reads of the right table. Parts that have been computed are
    /// also columns of the result. The result has the rows of the right table.
    pub fn right(&self) -> &Table {
        &self.right
    }

    /// Returns for each row of `pairs` whether the condition is true. `pairs` has the columns of [`left`](Self::left),
    /// followed by those of [`right`](Self::right).
    ///
    /// # Errors
    /// * The errors of [`evaluate`].
    pub fn evaluate(&self, pairs: &TableView<'_>, ctx: Ctx<'_>) -> Result<Column> {
        let columns = evaluate(&self.graph, &[self.root], pairs, self.functions, ctx)?;
        columns.into_iter().next().ok_or_else(|| Error::internal("the condition has no result"))
    }

    /// Returns whether there is a program, so that [`find`](Self::find) or [`matches`](Self::matches) can be called.
    pub fn has_program(&self) -> bool {
        self.program.is_some()
    }

    /// Finds the matches of left rows on the CPU. The left rows are those from `start` on, one for each element of
    /// `counts`. The function adds the number of matches of a left row to its element.
    ///
    /// # Errors
    /// * [`Internal`](Error::Internal) if there is no [program](Self::has_program) for the CPU.
    pub fn find(&self, start: usize, wanted: Wanted, counts: &mut [u64], bits: &mut [u64], ctx: Ctx<'_>) -> Result<()> {
        let Some(DeviceProgram::Host(program)) = &self.program else {
            return Err(Error::internal("the condition has no program for the CPU"));
        };
        let left = opened(&self.left, program.left_columns(), ctx)?;
        let right = opened(&self.right, program.right_columns(), ctx)?;
        program.open(&left, &right, self.right.num_rows(), wanted)?.find(start, counts, bits)
    }

    /// Finds the matches of a range of left rows on CUDA. Both tables have rows.
    ///
    /// # Errors
    /// * [`Internal`](Error::Internal) if there is no [program](Self::has_program) for CUDA.
    /// * Driver and memory errors.
    pub fn matches(&self, rows: Range<usize>, wanted: Wanted, has_bits: bool, ctx: Ctx<'_>) -> Result<DeviceMatches> {
        let Some(DeviceProgram::Cuda(program)) = &self.program else {
            return Err(Error::internal("the condition has no program for CUDA"));
        };
        program.find([&self.left, &self.right], rows, wanted, has_bits, ctx)
    }
}

fn opened<'t>(table: &'t Table, positions: &[usize], ctx: Ctx<'_>) -> Result<Vec<HostColumn<'t>>> {
    positions.iter().map(|position| HostColumn::open(table.columns()[*position].view(), ctx.stream)).collect()
}

/// Returns the largest parts of the roots that read only left columns, and the largest parts that read only right
/// columns.
fn parts(graph: &Graph, roots: &[NodeId], left_columns: usize) -> [Vec<NodeId>; 2] {
    const SIDES: [u8; 2] = [1, 2];
    let mut sides = vec![0_u8; graph.len()];
    for id in graph.reachable(roots) {
        sides[id.index()] = match graph.column(id) {
            Some(position) => SIDES[usize::from(position >= left_columns)],
            None => graph.node(id).arguments.iter().fold(0, |side, argument| side | sides[argument.index()]),
        };
    }
    let mut found = [Vec::new(), Vec::new()];
    let mut waiting = roots.to_vec();
    let mut is_seen = vec![false; graph.len()];
    while let Some(id) = waiting.pop() {
        if std::mem::replace(&mut is_seen[id.index()], true) {
            continue;
        }
        let node = graph.node(id);
        match SIDES.iter().position(|side| *side == sides[id.index()]) {
            Some(side) if !matches!(node.operation, Operation::Column(_)) => found[side].push(id),
            Some(_) => {}
            None => waiting.extend(&node.arguments),
        }
    }
    found.iter_mut().for_each(|parts| parts.sort_unstable());
    found
}

/// Returns the program of a condition.
fn program(graph: &Graph, root: NodeId, left_columns: usize, device: Device) -> Result<Option<DeviceProgram>> {
    let mut fusable = Fusable::new(graph);
    for id in graph.reachable(&[root]) {
        let is_computed = !matches!(graph.node(id).operation, Operation::Column(_) | Operation::Literal(_));
        if is_computed && !fusable.is_fusable(id)? {
            return Ok(None);
        }
    }
    Ok(match device {
        Device::Cpu => Some(DeviceProgram::Host(PairProgram::new(&Program::new(graph, &[root])?, left_columns))),
        Device::Cuda(_) => CudaPairs::new(&Program::of_condition(graph, root)?, left_columns).map(DeviceProgram::Cuda),
    })
}
