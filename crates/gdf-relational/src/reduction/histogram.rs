//! `histogram`: groups a column by its distinct values and counts the rows of each group.

use gdf_core::{Abilities, Column, ColumnView, Error, Result, TableView};
use gdf_engine::policy::NullPolicy;

use crate::Ctx;
use crate::groupby::{AggregationRequest, GroupByAggregation, aggregate};

/// Implements `gdf_api::reduction::histogram` with the stream and the resources of `ctx`.
pub fn histogram(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<(Column, Column)> {
    if !Abilities::of(column.data_type()).is_key() {
        return Err(Error::unsupported("histogram", column.data_type()));
    }
    let keys = TableView::try_new(vec![column])?;
    let request = AggregationRequest::new(column, [GroupByAggregation::CountAll]);
    let (keys, counts) = aggregate(keys, NullPolicy::Include, &[request], ctx)?;
    let counts = counts
        .into_iter()
        .flatten()
        .next()
        .ok_or(Error::internal("the group-by of the histogram returned no counts"))?;
    Ok((keys.column(0)?.clone(), counts))
}
