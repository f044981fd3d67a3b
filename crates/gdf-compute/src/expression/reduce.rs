//! Reductions of expressions, in one pass over the inputs.

use gdf_core::{Column, ColumnView, DataType, Result, TableView, is_integral, physical_type};
use gdf_driver::{Device, Stream};
use gdf_engine::check;
use gdf_engine::host::HostColumn;
use gdf_expr::{Graph, NodeId};
use gdf_kernels::generated::expression::Program as Encoded;

use super::lower::Reduced;
use super::program::{Lane, Program};
use super::reduced_output::{ReducedOutput, Reduction};
use super::{cuda, folded, host, leaves};
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

/// Returns how a program computes a reduction, or `None` if programs do not support the reduction.
fn planned(graph: &Graph, of: &NodeReduction<'_>) -> Option<(Reduced, Reduction)> {
    let data_type = &graph.node(of.values).data_type;
    // The result is a struct that is made from an exact sum.
    if of.aggregation == ReduceAggregation::SumOverflow {
        return None;
    }
    if of.aggregation == ReduceAggregation::CountAll && is_integral(of.output_type) {
        return Some((Reduced::EveryRow, Reduction::Count));
    }
    let lane = Lane::of_type(data_type);
    // A program counts the nulls of types without a lane by a mask. Texts have a mask unless they are literals. Other
    // such types can have their nulls in other buffers.
    let has_mask = physical_type(data_type).has_byte_offsets() && graph.value(of.values).is_none();
    if lane.is_none() && !has_mask {
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

/// Reductions of expressions that one pass over a table computes.
#[derive(Debug)]
pub struct Reductions {
    program: Program,
    outputs: Vec<ReducedOutput>,
    /// The program in the form that kernels take. `None` on the CPU.
    encoded: Option<Box<Encoded>>,
}

impl Reductions {
    /// Plans reductions of the nodes of a graph, on the device of `stream`.
    ///
    /// Returns `None` if one program cannot compute all reductions. A node that has no machine steps is such a case,
    /// because the node might be expensive for rows that are not selected.
    ///
    /// # Errors
    /// * The errors of plans of operators.
    pub fn new(graph: &Graph, reductions: &[NodeReduction<'_>], stream: &Stream) -> Result<Option<Self>> {
        let roots: Vec<NodeId> = reductions.iter().map(|of| of.values).collect();
        let (graph, roots) = graph.fold_constants(&roots, folded)?;
        let of = |(of, id): (&NodeReduction<'_>, &NodeId)| planned(&graph, &NodeReduction { values: *id, ..*of });
        let Some(planned) = reductions.iter().zip(&roots).map(of).collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        let (reduced, how): (Vec<_>, Vec<_>) = planned.into_iter().unzip();
        let read: Vec<NodeId> = reduced.iter().filter_map(|reduced| reduced.node()).collect();
        if !leaves(&graph, &read)?.is_empty() {
            return Ok(None);
        }
        let program = Program::of_reductions(&graph, &reduced)?;
        let outputs = how.into_iter().zip(reductions).zip(&program.outputs);
        let outputs = outputs.map(|((reduction, of), output)| ReducedOutput {
            reduction,
            data_type: of.output_type.clone(),
            nullable: output.nullable,
        });
        let outputs = outputs.collect();
        let encoded = match stream.device() {
            Device::Cpu => None,
            Device::Cuda(_) => match cuda::encoded(&program) {
                Some(encoded) => Some(Box::new(encoded)),
                None => return Ok(None),
            },
        };
        Ok(Some(Reductions { program, outputs, encoded }))
    }

    /// Reduces the rows of the table for which the mask is true. Without a mask, reduces all rows. Returns a column of
    /// one row for each reduction. The table must have rows, and its columns are the inputs of the graph.
    ///
    /// # Errors
    /// * The errors of [`evaluate`](super::evaluate) and of [`reduce`](crate::reduction::reduce).
    pub fn run(mut self, table: &TableView<'_>, mask: Option<ColumnView<'_>>, ctx: Ctx<'_>) -> Result<Vec<Column>> {
        check::table(table, ctx)?;
        for output in &mut self.outputs {
            output.nullable = output.reduction != Reduction::Count && (output.nullable || mask.is_some());
        }
        let views: Vec<_> = self.program.columns.iter().map(|position| table.columns()[*position]).collect();
        let rows = table.num_rows();
        match &self.encoded {
            None => {
                let columns = views.iter().map(|view| HostColumn::open(*view, ctx.stream));
                let columns = columns.collect::<Result<Vec<_>>>()?;
                let mask = mask.map(|mask| HostColumn::open(mask, ctx.stream)).transpose()?;
                host::reduce(&self.program, &self.outputs, &columns, mask.as_ref(), rows, ctx)
            }
            Some(encoded) => cuda::reduce(encoded, &self.outputs, &views, mask, rows, ctx),
        }
    }
}
