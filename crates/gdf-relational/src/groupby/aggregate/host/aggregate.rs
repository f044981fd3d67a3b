//! `aggregate` on the CPU.

use gdf_core::{Column, Result, Table, TableView};
use gdf_engine::hash_table::Grouping;
use gdf_engine::host::HostColumn;
use gdf_engine::keys::{HostKeys, KeyColumn};
use gdf_memory::HostVec;

use super::accumulators::{Accumulation, Computed};
use super::cells::{ValueColumn, expanded};
use super::finish::{self, Accumulators};
use super::nunique::nunique;
use super::spread::CorrectedVariance;
use crate::Ctx;
use crate::groupby::NullPolicy;
use crate::groupby::aggregate::plan::{AggregationPlan, ResultColumn};
use crate::groupby::request::AGGREGATE;

pub(crate) fn aggregate(
    keys: &TableView<'_>,
    policy: NullPolicy,
    plan: &AggregationPlan<'_>,
    ctx: Ctx<'_>,
) -> Result<(Table, Vec<Vec<Column>>)> {
    let key_columns =
        keys.columns().iter().map(|key| HostColumn::open(*key, ctx.stream)).collect::<Result<Vec<_>>>()?;
    let opened = HostKeys::open(AGGREGATE, &key_columns, policy)?;

    let columns = plan.values.iter().map(|view| HostColumn::open(*view, ctx.stream)).collect::<Result<Vec<_>>>()?;
    let bytes =
        columns.iter().map(|column| expanded(column, ctx.stream, ctx.mr.temporary)).collect::<Result<Vec<_>>>()?;
    let values = columns.iter().zip(&bytes).map(|(column, bytes)| ValueColumn::new(column, bytes.as_deref()));
    let values = values.collect::<Result<Vec<_>>>()?;
    let inputs = plan.computed.map(|projection| projection.host_columns(ctx.stream)).transpose()?.unwrap_or_default();
    let computed = plan.computed.map(|projection| Computed::open(projection, &inputs)).transpose()?;
    let accumulation = Accumulation { plan, columns: &values, computed, ctx };
    let (grouping, ranges) = Grouping::new(&opened, keys.num_rows(), &accumulation, ctx.stream, ctx.mr.temporary)?;
    let cells = accumulation.finish(&grouping, ranges)?;
    let distincts = plan.distincts.iter().map(|distinct| {
        let values = KeyColumn::open(AGGREGATE, &columns[distinct.request])?;
        nunique(&values, keys.num_rows(), distinct.null_policy, &grouping, ctx.stream, ctx.mr.temporary)
    });
    let distincts: Vec<HostVec<'_, u64>> = distincts.collect::<Result<_>>()?;

    let mut accumulators =
        Accumulators { groups: grouping.groups(), cells: vec![None; plan.words], others: vec![None; plan.words] };
    for (accumulator, cells) in plan.accumulators.iter().zip(&cells) {
        accumulators.cells[accumulator.word] = Some(cells);
    }
    for (distinct, counts) in plan.distincts.iter().zip(&distincts) {
        accumulators.others[distinct.word] = Some(counts);
    }
    let corrected = plan.corrections.iter();
    let corrected = corrected.map(|correction| {
        CorrectedVariance::new(correction, &values, &accumulators, &grouping, ctx.stream, ctx.mr.temporary)
    });
    let corrected = corrected.collect::<Result<Vec<_>>>()?;
    for (correction, corrected) in plan.corrections.iter().zip(&corrected) {
        accumulators.others[correction.mean + 1] = Some(&corrected.sums);
        accumulators.others[correction.mean + 2] = Some(&corrected.squares);
    }
    let first_rows = &grouping.first_rows[..];
    let keys = keys.columns().iter().map(|key| finish::key(*key, policy, first_rows, ctx));
    let keys = Table::try_with_rows(keys.collect::<Result<_>>()?, grouping.groups())?;
    let results = plan.results.iter().map(|results| {
        let finish = |result_column: &ResultColumn| {
            accumulators.finish(result_column, plan.values.get(result_column.request).copied(), ctx)
        };
        results.iter().map(finish).collect::<Result<Vec<_>>>()
    });
    Ok((keys, results.collect::<Result<_>>()?))
}
