//! `unique`, and the numbers of runs and of distinct rows.

use gdf_core::{Column, ColumnView, DataType, Result, Table, TableView, is_floating, is_integral};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::decoded::Decoded;
use gdf_engine::keys::check_key_count;
use gdf_engine::mask::{bitmask_and, bools_to_mask, valid_and_true};
use gdf_engine::nans::nans_to_nulls;
use gdf_engine::policy::NullPolicy;
use gdf_engine::shift::shift_rows;
use gdf_engine::sort::{SortedRows, cuda, host, keys};

use super::distinct::{NanEquality, distinct_rows, key_columns};
use super::{DuplicateKeepOption, NullEquality, apply_boolean_mask};
use crate::Ctx;
use crate::binaryop::{BinaryOperator, binary_operation};
use crate::keys::{Purpose, prepare};
use crate::unary::{UnaryOperator, unary_operation};
use crate::vouch;

/// The meaning of NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum NanPolicy {
    /// NaN counts as null.
    IsNull,
    /// NaN is a value that equals only NaN.
    #[default]
    IsValid,
}

/// Implements `gdf_api::stream_compaction::unique` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn unique(
    input: &TableView<'_>,
    keys: &[usize],
    keep: DuplicateKeepOption,
    nulls: NullEquality,
    ctx: Ctx<'_>,
) -> Result<Table> {
    check::table(input, ctx)?;
    let scratch = ctx.scratch();
    let heads = heads("unique", &key_columns(input, keys)?, nulls, scratch)?;
    // The last row of a run is the row before the next head.
    let tails = || shift_rows(heads.view(), -1, true.into(), scratch);
    let mask = match keep {
        DuplicateKeepOption::Any | DuplicateKeepOption::First => heads,
        DuplicateKeepOption::Last => tails()?,
        DuplicateKeepOption::None => {
            let (tails, op) = (tails()?, BinaryOperator::BitwiseAnd);
            binary_operation((&heads).into(), (&tails).into(), op, &DataType::Boolean, scratch)?
        }
    };
    apply_boolean_mask(input.clone(), mask.view(), ctx)
}

/// Implements `gdf_api::stream_compaction::unique_count` on the stream of `ctx`, with scratch memory of `ctx`.
pub fn unique_count(column: ColumnView<'_>, nulls: NullPolicy, nans: NanPolicy, ctx: Ctx<'_>) -> Result<usize> {
    count(column, nulls, nans, ctx, |keys, ctx| heads("unique_count", &keys, NullEquality::Equal, ctx))
}

/// Implements `gdf_api::stream_compaction::unique_count_rows` on the stream of `ctx`, with scratch memory of `ctx`.
pub fn unique_count_rows(table: &TableView<'_>, nulls: NullEquality, ctx: Ctx<'_>) -> Result<usize> {
    true_rows(&heads("unique_count_rows", table, nulls, ctx.scratch())?, None, ctx)
}

/// Implements `gdf_api::stream_compaction::distinct_count` on the stream of `ctx`, with scratch memory of `ctx`.
pub fn distinct_count(column: ColumnView<'_>, nulls: NullPolicy, nans: NanPolicy, ctx: Ctx<'_>) -> Result<usize> {
    let distinct = count(column, nulls, nans, ctx, |keys, ctx| any_distinct(keys, NullEquality::Equal, ctx))?;
    // Equal integers have equal bits, so that no rule about NaN or −0.0 decides which rows are distinct.
    if distinct == column.len() && is_integral(column.data_type()) {
        vouch::distinct(column);
    }
    Ok(distinct)
}

/// Implements `gdf_api::stream_compaction::distinct_count_rows` on the stream of `ctx`, with scratch memory of `ctx`.
pub fn distinct_count_rows(table: TableView<'_>, nulls: NullEquality, ctx: Ctx<'_>) -> Result<usize> {
    true_rows(&any_distinct(table, nulls, ctx.scratch())?, None, ctx)
}

fn any_distinct(keys: TableView<'_>, nulls: NullEquality, ctx: Ctx<'_>) -> Result<Column> {
    distinct_rows(keys, DuplicateKeepOption::Any, nulls, NanEquality::AllEqual, ctx)
}

/// Returns the number of rows that `flags` marks. If `nulls` is `Exclude`, null rows do not count.
fn count(
    column: ColumnView<'_>,
    nulls: NullPolicy,
    nans: NanPolicy,
    ctx: Ctx<'_>,
    flags: impl FnOnce(TableView<'_>, Ctx<'_>) -> Result<Column>,
) -> Result<usize> {
    let scratch = ctx.scratch();
    let decoded = Decoded::of(column, scratch)?;
    let as_null = nans == NanPolicy::IsNull && is_floating(decoded.view().data_type());
    let column = if as_null { nans_to_nulls(decoded.view(), scratch)? } else { decoded.into_column() };
    let flags = flags(TableView::try_new(vec![column.view()])?, scratch)?;
    true_rows(&flags, Some(column.view()).filter(|_| nulls == NullPolicy::Exclude), ctx)
}

fn true_rows(flags: &Column, valid: Option<ColumnView<'_>>, ctx: Ctx<'_>) -> Result<usize> {
    let mask = match valid {
        Some(column) => valid_and_true(column, flags.view(), ctx.scratch())?,
        None => bools_to_mask(flags.view(), ctx.scratch())?,
    };
    Ok(flags.len() - mask.null_count(ctx.stream)?)
}

/// Returns whether each row differs from the row before. The first row counts as different. If nulls are unequal, every
/// row with a null counts as different, too.
pub fn heads(operation: &'static str, rows: &TableView<'_>, nulls: NullEquality, ctx: Ctx<'_>) -> Result<Column> {
    let purpose = Purpose::equality(nulls, NanEquality::AllEqual);
    let [prepared] = prepare(operation, [rows], purpose, ctx.scratch())?;
    let rows = &prepared.view()?;
    let columns = keys(operation, rows, &[], &[], ctx)?;
    check_key_count(columns.len())?;
    if rows.num_rows() == 0 {
        return Column::empty_on(&DataType::Boolean, ctx.stream.device());
    }
    let sorted = SortedRows { keys: &columns, rows: rows.num_rows() };
    let heads = match ctx.stream.device() {
        Device::Cpu => host::flag_heads(sorted, ctx)?,
        Device::Cuda(_) => cuda::flag_heads(sorted, ctx)?,
    };
    if nulls == NullEquality::Equal || !rows.columns().iter().any(|column| column.has_validity()) {
        return Ok(heads);
    }
    let valid = bitmask_and(rows, ctx)?.to_column()?;
    let null = unary_operation(valid.view(), UnaryOperator::Not, ctx)?;
    binary_operation((&heads).into(), (&null).into(), BinaryOperator::BitwiseOr, &DataType::Boolean, ctx)
}
