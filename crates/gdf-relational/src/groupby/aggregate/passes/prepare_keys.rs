//! Keys that the devices do not compare. Fields, ranks or plain values replace them, and the given keys are restored for
//! the result.

use gdf_compute::keys::{Prepared, Purpose, prepare};
use gdf_compute::stream_compaction::apply_boolean_mask;
use gdf_core::{Column, Result, Table, TableView};
use gdf_engine::decoded::{Reads, has_null_values};
use gdf_engine::keys::{NanEquality, NullEquality};
use gdf_engine::mask::{MaskState, bitmask_and, create_null_mask};

use super::first_rows::FirstRows;
use super::{Groups, Pass};
use crate::Ctx;
use crate::groupby::NullPolicy;
use crate::groupby::aggregate::plan::AggregationPlan;
use crate::groupby::request::AGGREGATE;

/// Key columns of which at least one is replaced.
pub(crate) struct PrepareKeys<'a> {
    keys: Prepared<'a>,
    /// The policy for null fields and null keys.
    pub(crate) null_policy: NullPolicy,
    /// Whether groups with a null key are removed from the result.
    is_filtered: bool,
    /// The row numbers, unless all keys of the result are made of the keys that replace them.
    rows: Option<FirstRows>,
    /// The values of the projection of the plan.
    computed: Vec<Column>,
}

impl<'a> PrepareKeys<'a> {
    /// Prepares the keys. Returns `None` if the devices compare the given keys.
    pub(crate) fn prepare(
        given: &TableView<'a>,
        null_policy: NullPolicy,
        plan: &AggregationPlan<'_>,
        ctx: Ctx<'_>,
    ) -> Result<Option<Self>> {
        let purpose = Purpose::equality(NullEquality::Equal, NanEquality::AllEqual);
        let [keys] = prepare(AGGREGATE, [given], purpose, ctx)?;
        if keys.is_unchanged() {
            return Ok(None);
        }
        let computed = plan.computed_columns(ctx)?;
        // A null field of a struct is a value of the key and does not make the key null. Therefore fields with nulls
        // need the policy `Include`.
        let with_null_fields = null_policy == NullPolicy::Exclude && keys.has_null_fields()?;
        let null_policy = if with_null_fields { NullPolicy::Include } else { null_policy };
        let may_be_null = given.columns().iter().any(|key| key.has_validity() || has_null_values(*key));
        let rows = keys.needs_rows().then(|| FirstRows::prepare(given.num_rows(), ctx)).transpose()?;
        let is_filtered = with_null_fields && may_be_null;
        Ok(Some(Self { keys, null_policy, is_filtered, rows, computed }))
    }

    /// Returns the keys that replace the given keys.
    pub(crate) fn keys(&self) -> Result<TableView<'_>> {
        self.keys.view()
    }

    /// Returns the plan that also finds the first row of each group, if the keys of the result need it.
    pub(crate) fn plan<'p>(&'p self, plan: AggregationPlan<'p>) -> Result<AggregationPlan<'p>> {
        let mut plan = plan.with_columns(&self.computed);
        self.rows.iter().try_for_each(|rows| rows.add_to(&mut plan))?;
        Ok(plan)
    }
}

impl Pass for PrepareKeys<'_> {
    fn inner<'c>(&self, ctx: Ctx<'c>) -> Ctx<'c> {
        if self.is_filtered { ctx.scratch() } else { ctx }
    }

    /// Restores the given keys, and removes the groups that the given policy excludes.
    fn finish(&self, (own, mut results): Groups, ctx: Ctx<'_>) -> Result<Groups> {
        // Dictionaries and views of keys and results share their values with the inputs, and never with scratch memory.
        let inner = self.inner(ctx);
        let gather = |given: &TableView<'_>| FirstRows::keys(given, &mut results, inner);
        let keys = self.keys.restore(own.columns(), gather, inner)?;
        if self.is_filtered { without_null_keys(keys, results, ctx) } else { Ok((Table::try_new(keys)?, results)) }
    }
}

fn without_null_keys(keys: Vec<Column>, results: Vec<Vec<Column>>, ctx: Ctx<'_>) -> Result<Groups> {
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
