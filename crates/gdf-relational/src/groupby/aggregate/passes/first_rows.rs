//! The first row of each group, for keys of the result that are gathered from the given keys.

use gdf_compute::filling::row_numbers;
use gdf_core::{Column, Error, Result, TableView};

use crate::Ctx;
use crate::groupby::aggregate::plan::AggregationPlan;
use crate::vouch::gather_trusted;

/// The numbers of the rows. The last request of the plan finds the smallest number of each group.
pub(super) struct FirstRows(Column);

impl FirstRows {
    pub(super) fn prepare(rows: usize, ctx: Ctx<'_>) -> Result<Self> {
        row_numbers(rows, ctx).map(Self)
    }

    /// Adds the request for the first rows to a plan.
    pub(super) fn add_to<'p>(&'p self, plan: &mut AggregationPlan<'p>) -> Result<()> {
        plan.add_first_rows(self.0.view())
    }

    /// Removes the first rows from the results, and returns the given keys in these rows.
    pub(super) fn keys(given: &TableView<'_>, results: &mut Vec<Vec<Column>>, ctx: Ctx<'_>) -> Result<Vec<Column>> {
        let first = results.pop().and_then(|mut columns| columns.pop());
        let first = first.ok_or_else(|| Error::internal("the results of a group-by lack the column of first rows"))?;
        Ok(gather_trusted(given, first.view(), ctx)?.into_columns())
    }
}
