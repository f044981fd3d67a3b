//! The columns that a sort reads, and the launches of the kernels that compare and move their rows.

use std::array;

use gdf_core::{ColumnView, PhysicalType, Result, Table, TableView, physical_type};
use gdf_driver::Stream;
use gdf_kernels::generated::sorting::MAX_PIECES;
use gdf_kernels::{Arguments, TableIn, TableOut};

use crate::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, Grid, Kernel, OpenOutput, require};

#[derive(Debug)]
pub(super) struct SortColumns<'k> {
    pub(super) columns: Vec<CudaColumn<'k>>,
    pub(super) rows: usize,
}

impl<'k> SortColumns<'k> {
    /// Opens columns. The function returns an error if a column does not have `rows` rows.
    pub(super) fn open(
        views: impl IntoIterator<Item = ColumnView<'k>>,
        rows: usize,
        stream: &Stream,
    ) -> Result<SortColumns<'k>> {
        let columns = views.into_iter().map(|view| CudaColumn::open(view, stream)).collect::<Result<Vec<_>>>()?;
        require(columns.iter().all(|column| column.desc().length == rows as i64), "columns of a sort differ in rows")?;
        Ok(Self { columns, rows })
    }

    pub(super) fn run<A: Arguments>(
        &self,
        kernel: &Kernel<A::Static>,
        grid: Grid,
        arguments: &A,
        stream: &Stream,
    ) -> Result<()> {
        // SAFETY: The kernels read rows of these columns and of `GatheredColumns`, and write outputs, arrays and
        // mailboxes.
        // - The columns are keys and therefore have types that kernels can sort.
        // - The kernels read the `rows` rows of the columns, or the rows that an order names. A sort of `rows` rows
        //   has made the order.
        // - `GatheredColumns` has compared the types and the number of rows of its columns with those of its outputs.
        // - `Memory` has checked the sizes of the arrays that the kernels write.
        // - The kernels write at most the number of mailbox words that the mailbox has.
        // - The kernels read no more pieces and columns than their descriptors hold.
        // - All memory is open on this stream until `run` returns.
        unsafe { kernel.launch_grid(stream, grid, arguments)? };
        Ok(())
    }
}

/// The columns whose rows a launch moves to outputs.
#[derive(Default)]
pub(super) struct GatheredColumns<'m> {
    columns: Vec<CudaColumn<'m>>,
    outputs: &'m [OpenOutput<'m>],
}

impl<'m> GatheredColumns<'m> {
    /// Opens the columns of `values`.
    pub(super) fn new(
        values: &TableView<'m>,
        outputs: &'m [OpenOutput<'m>],
        requested: usize,
        stream: &Stream,
    ) -> Result<Self> {
        let open = SortColumns::open(values.columns().iter().copied(), values.num_rows(), stream)?.columns;
        let agrees = |(column, output): (&CudaColumn<'_>, &OpenOutput<'_>)| {
            (output.desc().length, output.desc().data_type) == (requested as i64, column.desc().data_type)
        };
        let fits = takes_values(values) && open.len() == outputs.len() && requested <= values.num_rows();
        require(fits && open.iter().zip(outputs).all(agrees), "columns and outputs of a sort differ in type or rows")?;
        Ok(Self { columns: open, outputs })
    }

    pub(super) fn values(&self) -> TableIn<'_, MAX_PIECES> {
        TableIn { column: array::from_fn(|at| self.columns.get(at).map_or_else(Default::default, CudaColumn::desc)) }
    }

    pub(super) fn out(&self) -> TableOut<'_, MAX_PIECES> {
        TableOut { column: array::from_fn(|at| self.outputs.get(at).map_or_else(Default::default, OpenOutput::desc)) }
    }

    pub(super) fn count(&self) -> i32 {
        self.columns.len() as i32
    }
}

/// Returns whether the kernels that sort keys can also move the rows of this table.
pub(super) fn takes_values(values: &TableView<'_>) -> bool {
    let fixed = |physical: PhysicalType| match physical {
        PhysicalType::Bool => true,
        PhysicalType::FixedBinary(_) => false,
        other => other.width().is_some(),
    };
    (1..=MAX_PIECES).contains(&values.num_columns())
        && values.columns().iter().all(|column| fixed(physical_type(column.data_type())))
}

/// Allocates fixed-width outputs for `rows` rows of the columns of `values`.
pub(super) fn outputs(values: &TableView<'_>, rows: usize, ctx: Ctx<'_>) -> Result<Vec<CudaOutput>> {
    let output = |column: &ColumnView<'_>| {
        CudaOutput::fixed_width(column.data_type(), rows, ctx)?.nullable(column.has_validity(), ctx)
    };
    values.columns().iter().map(output).collect()
}

pub(super) fn finish(outputs: Vec<CudaOutput>, rows: usize, stream: &Stream) -> Result<Table> {
    let columns = outputs.into_iter().map(|output| output.finish(stream)).collect::<Result<Vec<_>>>()?;
    Table::try_with_rows(columns, rows)
}
