//! Reductions of expressions, in one pass over the inputs.

use gdf_core::{Column, ColumnView, DataType, Result, TableView, is_integral, physical_type};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::host::HostColumn;
use gdf_expr::{Graph, NodeId};

use super::lower::Reduced;
use super::program::{Lane, Program};
use super::{Evaluation, Functions, cuda, folded, host};
use crate::Ctx;
use crate::reduction::{Arithmetic, KeyWidth, ReduceAggregation, ReducePlan};

/// A reduction of the values of a node.
#[derive(Clone, Copy, Debug)]
pub struct NodeReduction<'a> {
    /// The node.
    pub values: NodeId,
    /// The aggregation.
    pub aggregation: ReduceAggregation,
    /// The type of the result.
    pub output_type: &'a DataType,
}

/// The computation of a result from the rows of an output of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reduction {
    /// The sum of integers or booleans. If the result is a float, the sum is a decimal of `scale`.
    Sum { scale: i32, mean: bool },
    /// The sum of floats, in double precision.
    FloatSum { mean: bool },
    /// The minimum or maximum of rows of at most 64 bits.
    Extreme { minimum: bool },
    /// The minimum or maximum of rows of 128 bits.
    WideExtreme { minimum: bool },
    /// The number of rows in which a boolean is true.
    Count,
}

/// The reduction of an output of a program.
#[derive(Clone, Debug)]
pub(super) struct ReducedOutput {
    pub(super) reduction: Reduction,
    pub(super) data_type: DataType,
    /// Whether the result is null if there are no valid rows.
    pub(super) nullable: bool,
}

/// Returns how a program computes a reduction, or `None` if programs do not support the reduction.
fn planned(graph: &Graph, of: &NodeReduction<'_>) -> Option<(Reduced, Reduction)> {
    let data_type = &graph.node(of.values).data_type;
    if of.aggregation == ReduceAggregation::CountAll && is_integral(of.output_type) {
        return Some((Reduced::EveryRow, Reduction::Count));
    }
    let lane = Lane::of_type(data_type);
    // The nulls of all other types can be in other buffers than the mask.
    if lane.is_none() && !physical_type(data_type).has_byte_offsets() {
        return None;
    }
    let values = Reduced::Values(of.values);
    match ReducePlan::new(of.aggregation, data_type, of.output_type).ok()? {
        ReducePlan::Count { .. } => Some((Reduced::Validity(of.values), Reduction::Count)),
        ReducePlan::Words(Arithmetic::Sum) => Some((values, Reduction::Sum { scale: 0, mean: false })),
        ReducePlan::Wide { arithmetic: Arithmetic::Sum, scale, mean } => Some((values, Reduction::Sum { scale, mean })),
        ReducePlan::Floats { arithmetic: Arithmetic::Sum, mean } => Some((values, Reduction::FloatSum { mean })),
        ReducePlan::Extreme { minimum, width: KeyWidth::Words } if lane != Some(Lane::Boolean) => {
            Some((values, Reduction::Extreme { minimum }))
        }
        ReducePlan::Extreme { minimum, width: KeyWidth::Wide } => Some((values, Reduction::WideExtreme { minimum })),
        ReducePlan::Extreme { .. }
        | ReducePlan::Words(_)
        | ReducePlan::Wide { .. }
        | ReducePlan::Widest { .. }
        | ReducePlan::Floats { .. }
        | ReducePlan::ExtremeString { .. }
        | ReducePlan::AnyAll { .. }
        | ReducePlan::Bitwise(_)
        | ReducePlan::Variance { .. } => None,
    }
}

/// Reduces the values of nodes for the rows of the table for which the condition is true. Returns a column of one row
/// for each reduction. The columns of the table are the inputs of the graph.
///
/// Returns `None` if one program cannot compute all reductions, or if the table has no rows. A node of the values that
/// has no machine steps is such a case, because the node might be expensive for rows that do not pass.
///
/// # Errors
/// * The errors of [`evaluate`](super::evaluate) and of [`reduce`](crate::reduction::reduce).
pub fn reduce(
    graph: &Graph,
    condition: Option<NodeId>,
    reductions: &[NodeReduction<'_>],
    table: &TableView<'_>,
    functions: &dyn Functions,
    ctx: Ctx<'_>,
) -> Result<Option<Vec<Column>>> {
    check::table(table, ctx)?;
    let roots: Vec<NodeId> = reductions.iter().map(|of| of.values).chain(condition).collect();
    let (graph, roots) = graph.fold_constants(&roots, folded)?;
    let (values, condition) = roots.split_at(reductions.len());
    let mut evaluation = Evaluation::new(&graph, table, functions, ctx);
    let of = |(of, values): (&NodeReduction<'_>, &NodeId)| planned(&graph, &NodeReduction { values: *values, ..*of });
    let Some(planned) = reductions.iter().zip(values).map(of).collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let read = planned.iter().filter_map(|(reduced, _)| reduced.node()).collect::<Vec<_>>();
    if table.num_rows() == 0 || !evaluation.leaves(&read)?.is_empty() {
        return Ok(None);
    }
    let leaves = evaluation.leaves(condition)?;
    let reduced: Vec<Reduced> = planned.iter().map(|(reduced, _)| *reduced).collect();
    let roots: Vec<NodeId> = values.iter().chain(condition).copied().collect();
    let (narrowed, roots) = graph.with_columns_for(&roots, &leaves)?;
    let reduced: Vec<Reduced> = reduced.iter().zip(&roots).map(|(reduced, id)| reduced.of(*id)).collect();
    let program = Program::filtered(&narrowed, roots.get(reductions.len()).copied(), &reduced)?;
    let outputs: Vec<ReducedOutput> = planned
        .iter()
        .zip(reductions)
        .zip(&program.outputs)
        .map(|(((_, reduction), of), output)| ReducedOutput {
            reduction: *reduction,
            data_type: of.output_type.clone(),
            nullable: *reduction != Reduction::Count && (output.nullable || !condition.is_empty()),
        })
        .collect();
    let encoded = match ctx.stream.device() {
        Device::Cpu => None,
        Device::Cuda(_) => match cuda::encoded(&program) {
            Some(encoded) => Some(encoded),
            None => return Ok(None),
        },
    };
    for leaf in &leaves {
        evaluation.compute_leaf(*leaf, ctx.scratch())?;
    }
    let views: Vec<ColumnView<'_>> = evaluation.views(&program, &leaves)?;
    let rows = table.num_rows();
    match encoded {
        None => {
            let columns = views.iter().map(|view| HostColumn::open(*view, ctx.stream));
            host::reduce(&program, &outputs, &columns.collect::<Result<Vec<_>>>()?, rows, ctx)
        }
        Some(encoded) => cuda::reduce(&encoded, &outputs, &views, rows, ctx),
    }
    .map(Some)
}
