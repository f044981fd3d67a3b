//! Expressions that one program computes while another operation goes over the rows.

use gdf_core::{Column, ColumnView, DataType, PhysicalType, Result, TableView, numbers_of_order, physical_type};
use gdf_driver::{Device, Stream};
use gdf_engine::host::HostColumn;
use gdf_engine::sort::value_bounds;
use gdf_expr::{Graph, NodeId};
use gdf_kernels::generated::expression::Program as Encoded;

use super::host::{ProjectedBlock, ProjectedBlocks};
use super::program::{Lane, Program};
use super::{cuda, folded, host, leaves};
use crate::Ctx;

/// From this number of rows on, the bounds of columns are measured. For fewer rows, a measurement takes longer than
/// arithmetic in 128 bits.
const MEASURED_ROWS: usize = 1 << 18;

/// Adds the ranges of the columns that values of 128 bits depend on.
fn measure(graph: &mut Graph, roots: &[NodeId], table: &TableView<'_>, ctx: Ctx<'_>) -> Result<()> {
    let is_wide = |id: &NodeId| Lane::of_type(&graph.node(*id).data_type) == Some(Lane::I128);
    let wide: Vec<NodeId> = graph.reachable(roots).into_iter().filter(is_wide).collect();
    let is_integer = |position: &usize| {
        let physical = physical_type(table.columns()[*position].data_type());
        physical.is_integral() && physical.width().is_some_and(|width| width == 8)
    };
    let is_unknown = |position: &usize| graph.inputs()[*position].range.is_none() && is_integer(position);
    let unknown: Vec<usize> = graph.columns(&wide).into_iter().filter(is_unknown).collect();
    let views: Vec<ColumnView<'_>> = unknown.iter().map(|position| table.columns()[*position]).collect();
    for (position, (view, bounds)) in unknown.into_iter().zip(views.iter().zip(value_bounds(&views, ctx.scratch())?)) {
        if let Some(range) = bounds.and_then(|bounds| numbers_of_order(bounds, view.data_type())) {
            graph.set_range(position, range);
        }
    }
    Ok(())
}

/// The values of nodes over the rows of a table. One program computes all values, either as columns or for a block of
/// rows at a time.
#[derive(Debug)]
pub struct Projection<'a> {
    program: Program,
    /// The program in the form that kernels take. `None` on the CPU.
    encoded: Option<Box<Encoded>>,
    views: Vec<ColumnView<'a>>,
    rows: usize,
}

impl<'a> Projection<'a> {
    /// Plans the values of the nodes of a graph. The columns of the table are the inputs of the graph. The caller has
    /// checked the table.
    ///
    /// If the table has many rows and values have 128 bits, the function measures the 64-bit columns that do not store
    /// their bounds. With the bounds of the columns, most of these values turn out to fit in 64 bits.
    ///
    /// Returns `None` if one program cannot compute all values.
    ///
    /// # Errors
    /// * The errors of plans of operators; driver and memory errors.
    pub fn new(graph: &Graph, roots: &[NodeId], table: &TableView<'a>, ctx: Ctx<'_>) -> Result<Option<Self>> {
        let (mut graph, roots) = graph.fold_constants(roots, folded)?;
        if !leaves(&graph, &roots)?.is_empty() {
            return Ok(None);
        }
        if table.num_rows() >= MEASURED_ROWS {
            measure(&mut graph, &roots, table, ctx)?;
        }
        let program = Program::new(&graph, &roots)?;
        let encoded = match ctx.stream.device() {
            Device::Cpu => None,
            Device::Cuda(_) => match cuda::encoded(&program) {
                Some(encoded) => Some(Box::new(encoded)),
                None => return Ok(None),
            },
        };
        let views = program.columns.iter().map(|position| table.columns()[*position]).collect();
        Ok(Some(Self { program, encoded, views, rows: table.num_rows() }))
    }

    /// Returns the number of rows.
    pub fn num_rows(&self) -> usize {
        self.rows
    }

    /// Returns the type of each value, and whether the value can be null.
    pub fn outputs(&self) -> impl ExactSizeIterator<Item = (&DataType, bool)> {
        self.program.outputs.iter().map(|output| (&output.data_type, output.nullable))
    }

    /// Returns the physical type in which a block or tile has the value of an output. The type differs from the type of
    /// a column of the output only if all values of 128 bits fit in 64 bits.
    pub fn computed_type(&self, output: usize) -> PhysicalType {
        host::computed_type(&self.program.outputs[output])
    }

    /// Returns whether a program has steps for the type.
    pub fn supports(data_type: &DataType) -> bool {
        Lane::of_type(data_type).is_some()
    }

    /// Computes all values as columns.
    ///
    /// # Errors
    /// * Driver and memory errors.
    pub fn columns(&self, ctx: Ctx<'_>) -> Result<Vec<Column>> {
        match &self.encoded {
            None => host::project(&self.program, &self.host_columns(ctx.stream)?, self.rows, ctx),
            Some(encoded) => cuda::project(&self.program, encoded, &self.views, self.rows, ctx),
        }
    }

    /// Returns the program in the form that kernels take. Returns `None` on the CPU.
    pub fn encoded(&self) -> Option<&Encoded> {
        self.encoded.as_deref()
    }

    /// Returns the columns that the program reads.
    pub fn views(&self) -> &[ColumnView<'a>] {
        &self.views
    }

    /// Opens the columns that the program reads on the CPU.
    ///
    /// # Errors
    /// * Driver errors.
    pub fn host_columns(&self, stream: &Stream) -> Result<Vec<HostColumn<'_>>> {
        self.views.iter().map(|view| HostColumn::open(*view, stream)).collect()
    }

    /// Opens the program over its [columns](Self::host_columns) on the CPU.
    ///
    /// # Errors
    /// * [`BrokenData`](gdf_core::Error::BrokenData).
    pub fn blocks<'b>(&'b self, columns: &'b [HostColumn<'_>]) -> Result<ProjectedBlocks<'b>> {
        ProjectedBlocks::new(&self.program, columns)
    }

    /// Returns memory for the values of a block.
    pub fn block(&self) -> ProjectedBlock {
        ProjectedBlock::new(&self.program)
    }
}
