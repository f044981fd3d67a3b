//! Keys of nested types, dictionaries and views. Their ranks or plain values are the keys, and the keys of the result
//! are the keys of the first row of each group.

use gdf_compute::nested_keys::{KeyNulls, ranked_keys};
use gdf_core::{Column, Result, Table, TableView};
use gdf_engine::decoded::DecodedColumns;

use super::first_rows::FirstRows;
use super::{Groups, Pass};
use crate::Ctx;
use crate::groupby::aggregate::plan::AggregationPlan;
use crate::groupby::request::AGGREGATE;

/// Key columns of which at least one is replaced.
pub(crate) struct RankKeys<'k, 'a> {
    keys: &'k TableView<'a>,
    ranked: DecodedColumns<'a>,
    rows: FirstRows,
    /// The values of the projection of the plan.
    computed: Vec<Column>,
}

impl<'k, 'a> RankKeys<'k, 'a> {
    /// Ranks the keys. Returns `None` if the devices compare the given keys.
    pub(crate) fn prepare(keys: &'k TableView<'a>, plan: &AggregationPlan<'_>, ctx: Ctx<'_>) -> Result<Option<Self>> {
        let ranked = ranked_keys(AGGREGATE, keys, KeyNulls::default(), ctx)?;
        if ranked.are_given() {
            return Ok(None);
        }
        let rows = FirstRows::prepare(keys.num_rows(), ctx)?;
        let computed = plan.computed_columns(ctx)?;
        Ok(Some(Self { keys, ranked, rows, computed }))
    }

    /// Returns the keys that replace the given keys.
    pub(crate) fn keys(&self) -> Result<TableView<'_>> {
        self.ranked.view()
    }

    /// Returns the plan that also finds the first row of each group.
    pub(crate) fn plan<'p>(&'p self, plan: AggregationPlan<'p>) -> Result<AggregationPlan<'p>> {
        let mut plan = plan.with_columns(&self.computed);
        self.rows.add_to(&mut plan)?;
        Ok(plan)
    }
}

impl Pass for RankKeys<'_, '_> {
    fn finish(&self, (own, mut results): Groups, ctx: Ctx<'_>) -> Result<Groups> {
        let places: Vec<_> = (0..self.keys.num_columns()).filter(|column| !self.ranked.is_given(*column)).collect();
        let mut given = FirstRows::keys(self.keys, &places, &mut results, ctx)?.into_iter();
        let column = |(i, own)| if self.ranked.is_given(i) { own } else { given.next().unwrap_or(own) };
        let columns = own.into_columns().into_iter().enumerate().map(column).collect();
        Ok((Table::try_new(columns)?, results))
    }
}
