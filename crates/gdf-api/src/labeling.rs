//! Labels of rows by bins.

use gdf_core::{Column, ColumnView, Result};
use gdf_detail as detail;
pub use gdf_detail::labeling::Edge;

use crate::scope::Scope;

/// Returns the number of the bin that each row lies in, as `Int32`. Bin `i` reaches from `left_edges[i]` to
/// `right_edges[i]`.
///
/// # Shapes
/// Both columns of edges have one edge for each bin, and ascend. No bin begins before the previous bin ends. If the
/// edges break these rules, the labels have no meaning. The result has as many rows as `column`.
///
/// # Types
/// All three columns have the same type: numbers, booleans, decimals, everything temporal except intervals with days,
/// strings and binary with offsets of either width. Views and dictionaries are decoded first.
///
/// # Nulls and NaN
/// The label is null for a row that is null, for a row that is NaN, and for a row that lies in no bin.
///
/// Order: the order of the column. In libcudf `label_bins`, in pandas and polars `cut`.
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
/// The function needs 1 wait for the device for each column of edges whose null count is not known. See the table of
/// costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the three columns differ in type.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): the two columns of edges differ in length.
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
