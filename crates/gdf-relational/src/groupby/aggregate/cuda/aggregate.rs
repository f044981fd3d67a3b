//! `aggregate` on CUDA: opens the keys and aggregates by the strategy that suits the rows.

use gdf_core::{Column, Error, Result, Table, TableView, physical_type};
use gdf_engine::hash_table::pack_by_values;
use gdf_engine::keys::{NumberedKeys, OpenKeys, Packing, WordBits};
use gdf_engine::limits::GroupByLimits;

use super::partition::movable;
use super::request::{Attempt, Keys, Request, check_rows};
use super::strategy::Decision;
use crate::Ctx;
use crate::groupby::NullPolicy;
use crate::groupby::aggregate::plan::AggregationPlan;

pub(crate) fn aggregate(
    keys: &TableView<'_>,
    policy: NullPolicy,
    plan: &AggregationPlan<'_>,
    limits: &GroupByLimits,
    ctx: Ctx<'_>,
) -> Result<(Table, Vec<Vec<Column>>)> {
    let rows = keys.num_rows();
    let numbered = NumberedKeys::of(keys, limits.text_rows, WordBits::Single, ctx.scratch())?;
    // The columns in `hashed` are used to hash and compare rows.
    let hashed = numbered.as_ref().map_or_else(|| Ok(keys.clone()), |numbered| numbered.view(keys))?;
    let packing = pack_by_values(&hashed, policy, limits.measured_rows, ctx)?;
    check_limits(rows, packing.as_ref(), plan)?;
    // The rows that the parts move have packed keys in place of row numbers. The keys of the result are unpacked from
    // them, and cannot be unpacked from numbers of texts.
    let movable = numbered.is_none() && movable(plan, packing.as_ref());
    check_rows(rows, keys.columns().iter().chain(&plan.values))?;
    let open = OpenKeys::new(&hashed, policy, packing.as_ref(), ctx.stream)?;
    let desc = open.desc();
    let keys_in = Keys {
        desc: &desc,
        packed: packing.is_some(),
        signs: packing.as_ref().map_or(0, |packing| packing.signs(&hashed)),
        null_bits: packing.as_ref().map_or(0, Packing::null_mask),
        texts: matches!(hashed.columns(), [column] if physical_type(column.data_type()).has_byte_offsets()),
        rows,
        movable,
        is_ascending: is_ascending(keys),
    };
    let packing = packing.as_ref().filter(|_| numbered.is_none());
    let request = Request { columns: keys, policy, keys: keys_in, packing, plan, limits, ctx };
    aggregate_request(&request)
}

/// Checks the limits of kernels that number rows with 32 bits.
fn check_limits(rows: usize, packing: Option<&Packing>, plan: &AggregationPlan<'_>) -> Result<()> {
    let beyond = |what| Error::beyond_limit(what, rows as i128, i128::from(u32::MAX - 1));
    if packing.is_none() && rows >= u32::MAX as usize {
        return Err(beyond("the number of rows of a group-by on a GPU with keys of more than 64 bits")
            .with_remedy("aggregate fewer rows at a time, or use the CPU"));
    }
    if !plan.distincts.is_empty() && rows >= u32::MAX as usize {
        return Err(beyond("the number of rows of a group-by on a GPU with `Nunique`").with_remedy("use the CPU"));
    }
    Ok(())
}

fn is_ascending(keys: &TableView<'_>) -> bool {
    matches!(keys.columns(), [key] if key.is_known_ascending() && physical_type(key.data_type()).is_integral())
}

fn aggregate_request(request: &Request<'_, '_>) -> Result<(Table, Vec<Vec<Column>>)> {
    let mut decision = Decision::new(request)?;
    let columns = match decision.computes_values() {
        true => Vec::new(),
        false => request.plan.computed_columns(request.ctx.scratch())?,
    };
    let with_columns = (!columns.is_empty()).then(|| request.plan.clone().with_columns(&columns));
    let request = &Request { plan: with_columns.as_ref().unwrap_or(request.plan), ..*request };
    loop {
        match decision.enqueue(request)? {
            Attempt::Complete(columns) => return split(columns, request),
            Attempt::Unsuitable => decision.choose_other(request)?,
            Attempt::Overflow { groups, rows } => decision.enlarge(groups, rows, request.keys.rows)?,
        }
    }
}

/// Divides the columns into the columns of the keys and those of each request.
fn split(columns: Vec<Column>, request: &Request<'_, '_>) -> Result<(Table, Vec<Vec<Column>>)> {
    let mut columns = columns.into_iter();
    let keys = Table::try_new(columns.by_ref().take(request.columns.num_columns()).collect())?;
    let results = request.plan.results.iter();
    Ok((keys, results.map(|results| columns.by_ref().take(results.len()).collect()).collect()))
}
