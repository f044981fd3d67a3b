//! Group-bys with keys that are structs. The fields of the structs are the keys.

use gdf_compute::filling::row_numbers;
use gdf_compute::flattened_keys::FlattenedKeys;
use gdf_compute::stream_compaction::apply_boolean_mask;
use gdf_core::{Column, Result, Table, TableView};
use gdf_engine::decoded::{Reads, has_null_values};
use gdf_engine::mask::{MaskState, bitmask_and, create_null_mask};

use super::plan::AggregationPlan;
use super::{GroupByLimits, first_rows, run_decoded};
use crate::Ctx;
use crate::groupby::NullPolicy;
use crate::vouch::gather_trusted;

pub(super) fn run(
    keys: &TableView<'_>,
    flattened: &FlattenedKeys<'_>,
    null_policy: NullPolicy,
    plan: AggregationPlan<'_>,
    limits: &GroupByLimits,
    ctx: Ctx<'_>,
) -> Result<(Table, Vec<Vec<Column>>)> {
    // A null field of a struct is a value of the key and does not make the key null. Therefore fields with nulls need
    // the policy `Include`.
    let with_null_fields = null_policy == NullPolicy::Exclude && FlattenedKeys::has_null_fields(keys)?;
    let policy = if with_null_fields { NullPolicy::Include } else { null_policy };
    let filtered = with_null_fields && keys.columns().iter().any(|key| key.has_validity() || has_null_values(*key));
    // Dictionaries and views of keys and results share their values with the inputs, and never with scratch memory.
    let output = ctx;
    let ctx = if filtered { ctx.scratch() } else { ctx };
    let columns = &flattened.decoded.view()?;
    let (columns, results) = if flattened.all_rebuilt() {
        let (own, results) = run_decoded(columns, policy, &plan, limits, ctx)?;
        (flattened.rebuilt(own.columns(), ctx)?, results)
    } else {
        let rows = row_numbers(keys.num_rows(), ctx.scratch())?;
        let mut plan = plan;
        plan.add_first_rows(rows.view())?;
        let (own, mut results) = run_decoded(columns, policy, &plan, limits, ctx)?;
        let first = first_rows(&mut results)?;
        let mut columns = flattened.rebuilt(own.columns(), ctx)?;
        let places: Vec<_> = (0..columns.len()).filter(|place| columns[*place].is_none()).collect();
        let given = gather_trusted(&keys.select(&places)?, first.view(), ctx)?;
        places.into_iter().zip(given.into_columns()).for_each(|(place, column)| columns[place] = Some(column));
        (columns, results)
    };
    let keys: Vec<_> = columns.into_iter().flatten().collect();
    if filtered { without_null_keys(keys, results, output) } else { Ok((Table::try_new(keys)?, results)) }
}

fn without_null_keys(keys: Vec<Column>, results: Vec<Vec<Column>>, ctx: Ctx<'_>) -> Result<(Table, Vec<Vec<Column>>)> {
    let scratch = ctx.scratch();
    let all = TableView::try_new(keys.iter().chain(results.iter().flatten()).map(Column::view).collect())?;
    let decoded = keys.iter().map(|key| Reads::Nulls.decode(key.view(), scratch)).collect::<Result<Vec<_>>>()?;
    let nullable: Vec<_> = decoded.iter().map(|key| key.view()).filter(|key| key.has_validity()).collect();
    let valid = match nullable.is_empty() {
        true => create_null_mask(all.num_rows(), MaskState::AllValid, scratch)?,
        false => bitmask_and(&TableView::try_new(nullable)?, scratch)?,
    };
    let mut kept = apply_boolean_mask(all, valid.to_column()?.view(), ctx)?.into_columns().into_iter();
    let keys = Table::try_new(kept.by_ref().take(keys.len()).collect())?;
    Ok((keys, results.iter().map(|columns| kept.by_ref().take(columns.len()).collect()).collect()))
}
