//! Labels of rows.

use gdf_core::{Column, ColumnView, Result};
use gdf_detail as detail;
pub use gdf_detail::labeling::Edge;

use crate::scope::Scope;

/// The number of the bin that each row is in, as `Int32`: of the bins from `left_edges` to `right_edges`.
///
/// # Shapes
/// Both have an edge for each bin, and ascend; no bin begins before the one before it ends. Without that the labels mean
/// nothing. The result is as long as `column`.
///
/// # Types
/// The same of all three: numbers, booleans, decimals, everything temporal but intervals with days, strings and binary with
/// offsets of either width. Views and dictionaries are decoded first.
///
/// # Nulls and NaN
/// A row that is null, NaN, or in no bin is null.
///
/// Order: that of the column. In libcudf `label_bins`, in pandas and polars `cut`.
///
/// ```
/// use gdf::Column;
/// use gdf::labeling::{Edge, label_bins};
///
/// let column = Column::from_slice(&[0, 10, 15, 30])?;
/// let (left, right) = (Column::from_slice(&[0, 10])?, Column::from_slice(&[10, 30])?);
/// let labels = label_bins(&column, &left, Edge::Inclusive, &right, Edge::Exclusive)?;
/// assert_eq!(labels.to_vec::<i32>()?, [Some(0), Some(1), Some(1), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// 1 wait for each column of edges whose null count is not known. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch), [`LengthMismatch`](gdf_core::Error::LengthMismatch): the three differ
///   in type, or the edges in length.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): an edge is null, or there are more than 2³¹−1 bins.
/// * [`Unsupported`](gdf_core::Error::Unsupported): types without an order.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("cut", "digitize", "width_bucket", "histogram", "bucketize", "searchsorted"))]
pub fn label_bins<'a, 'l, 'r>(
    column: impl Into<ColumnView<'a>>,
    left_edges: impl Into<ColumnView<'l>>,
    left_edge: Edge,
    right_edges: impl Into<ColumnView<'r>>,
    right_edge: Edge,
) -> Result<Column> {
    let (column, left, right) = (column.into(), left_edges.into(), right_edges.into());
    Scope::for_inputs("label_bins", &[&column, &left, &right])?
        .run(|ctx| detail::labeling::label_bins(column, left, left_edge, right, right_edge, ctx))
}
