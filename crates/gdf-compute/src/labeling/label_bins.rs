//! `label_bins`: finds the bin of each row.

use gdf_core::{
    Abilities, Column, ColumnView, DataType, Error, Literal, NativeType, PhysicalType, Result, TableView, ValueOrder,
    physical_type,
};
use gdf_engine::check;
use gdf_engine::cuda::CudaColumn;
use gdf_engine::decoded::Decoded;
use gdf_engine::elementwise::{self, Launch, Nulls, Rows};
use gdf_engine::host::HostColumn;
use gdf_engine::null_count::null_count;
use gdf_kernels::generated::labeling::{Edges, LabelBins};

use crate::Ctx;
use crate::binaryop::{BinaryOperator, binary_operation};
use crate::copying::copy_if_else;
use crate::search::{lower_bound, upper_bound};

const OPERATION: &str = "label_bins";

/// Whether a bin includes the values that equal its edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Edge {
    /// The bin includes these values.
    Inclusive,
    /// The bin does not include these values.
    Exclusive,
}

#[derive(Clone, Copy)]
struct Bins<'a> {
    left: ColumnView<'a>,
    left_edge: Edge,
    right: ColumnView<'a>,
    right_edge: Edge,
}

/// Implements `gdf_api::labeling::label_bins` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn label_bins(
    column: ColumnView<'_>,
    left: ColumnView<'_>,
    left_edge: Edge,
    right: ColumnView<'_>,
    right_edge: Edge,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let scratch = ctx.scratch();
    let column = Decoded::of(column, scratch)?;
    let (left, right) = (Decoded::of(left, scratch)?, Decoded::of(right, scratch)?);
    let (column, left, right) = (column.view(), left.view(), right.view());
    let bins = Bins { left, left_edge, right, right_edge };
    check::column(column, ctx)?;
    for (edges, argument) in [(left, "left_edges"), (right, "right_edges")] {
        check::column(edges, ctx)?;
        check::types(column.data_type(), edges.data_type()).map_err(|error| error.in_argument(argument))?;
        if null_count(edges, 0, edges.len(), ctx.stream)? > 0 {
            return Err(Error::invalid_argument("an edge is null; remove bins with a null edge").in_argument(argument));
        }
    }
    check::length(left.len(), right.len()).map_err(|error| error.in_argument("right_edges"))?;
    if left.len() > i32::MAX as usize {
        return Err(Error::beyond_limit("the number of bins", left.len() as i128, i128::from(i32::MAX)));
    }
    match (Abilities::of(column.data_type()).order, physical_type(column.data_type())) {
        (None, _) => Err(Error::unsupported(OPERATION, column.data_type())),
        (Some(ValueOrder::Bytes), _) | (_, PhysicalType::Bool) => by_search(column, bins, ctx),
        (Some(ValueOrder::Words | ValueOrder::Wide), physical) => of_numbers(column, physical, bins, ctx),
    }
}

/// Finds the bin of each row from two counts: the bins that have begun at the value of the row, and the bins that have
/// ended before it.
fn by_search(column: ColumnView<'_>, bins: Bins<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let scratch = ctx.scratch();
    let table = |view| TableView::try_new(vec![view]);
    let search = |edges, includes_equal: bool| {
        let search = if includes_equal { upper_bound } else { lower_bound };
        search(&table(edges)?, &table(column)?, &[], &[], scratch)
    };
    // A null row comes before all edges, so both counts are 0 and the row has no bin.
    let begun = search(bins.left, bins.left_edge == Edge::Inclusive)?;
    let ended = search(bins.right, bins.right_edge == Edge::Exclusive)?;
    let inside = binary_operation((&ended).into(), (&begun).into(), BinaryOperator::Less, &DataType::Boolean, scratch)?;
    let labels = binary_operation((&begun).into(), 1_i64.into(), BinaryOperator::Sub, &DataType::Int32, scratch)?;
    copy_if_else((&labels).into(), Literal::null(&DataType::Int32).into(), inside.view(), ctx)
}

fn of_numbers(column: ColumnView<'_>, physical: PhysicalType, bins: Bins<'_>, ctx: Ctx<'_>) -> Result<Column> {
    elementwise::map_column(
        column,
        &DataType::Int32,
        Nulls::Own { nullable: true },
        ctx,
        |rows| {
            let (left, right) = (HostColumn::open(bins.left, ctx.stream)?, HostColumn::open(bins.right, ctx.stream)?);
            gdf_core::dispatch_fixed_width!(physical, T => labels::<T>(rows, left.values()?, right.values()?, bins),
                else => Err(Error::unsupported(OPERATION, column.data_type())))
        },
        |launch| {
            let Launch { inputs: [input], out, .. } = *launch;
            let (left, right) = (CudaColumn::open(bins.left, ctx.stream)?, CudaColumn::open(bins.right, ctx.stream)?);
            let inclusive = |edge, flag: Edges| if edge == Edge::Inclusive { flag as i32 } else { 0 };
            let edges =
                inclusive(bins.left_edge, Edges::LeftInclusive) | inclusive(bins.right_edge, Edges::RightInclusive);
            launch.run_only(&LabelBins { input, left: left.desc(), right: right.desc(), edges, out })
        },
    )
}

fn labels<T: NativeType + PartialOrd>(rows: &Rows<'_, 1>, left: &[T], right: &[T], bins: Bins<'_>) -> Result<Column> {
    let label = |value: T| {
        let bin =
            left.partition_point(|&edge| if bins.left_edge == Edge::Inclusive { edge <= value } else { edge < value });
        let bin = bin.checked_sub(1)?;
        let inside = if bins.right_edge == Edge::Inclusive { value <= right[bin] } else { value < right[bin] };
        inside.then_some(bin as i32)
    };
    Ok(rows.attempt(1, 0, |value| label(value).map_or((-1, 1), |bin| (bin, 0)))?.0)
}
