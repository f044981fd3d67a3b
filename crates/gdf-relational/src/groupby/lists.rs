//! Aggregations whose results are lists that are made of other lists, and histograms.

use gdf_compute::collect::ListedRows;
use gdf_compute::lists::{Lists, as_lists};
use gdf_compute::reduction::{HistogramRows, histograms};
use gdf_core::{Column, ColumnView, Error, ListsView, Result};

use super::GroupByAggregation as Aggregation;
use super::request::AGGREGATE;
use crate::Ctx;

/// Returns the results of an aggregation of this module.
pub(super) fn result(
    aggregation: Aggregation,
    rows: ListedRows,
    values: ColumnView<'_>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (output, scratch) = (aggregation.result_type(values.data_type(), 0)?, ctx.scratch());
    if aggregation == Aggregation::Histogram {
        return histograms(AGGREGATE, &output, HistogramRows::Values, rows, values, ctx);
    }
    let lists = as_lists(AGGREGATE, values, scratch)?;
    let lists = Lists::open(ListsView::try_from(lists.view())?, &[], scratch)?;
    let rows = rows.elements(&lists, scratch)?;
    let elements = lists.elements.view();
    match aggregation {
        Aggregation::MergeLists => rows.of_type(&output, elements, &[], ctx),
        Aggregation::MergeSets { null_equality, nan_equality } => {
            rows.distinct(elements, null_equality, nan_equality, scratch)?.of_type(&output, elements, &[], ctx)
        }
        Aggregation::MergeHistogram => histograms(AGGREGATE, &output, HistogramRows::Entries, rows, elements, ctx),
        _ => Err(Error::internal("an aggregation that does not collect lists was passed to `lists::result`")),
    }
}
