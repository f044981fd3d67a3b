//! `drop_nulls`, `drop_nans` and `apply_deletion_mask`: compute masks for `apply_boolean_mask`.

use gdf_core::{Column, ColumnView, DataType, Error, Position, Result, Table, TableView, is_floating};
use gdf_engine::check;

use super::apply_boolean_mask;
use super::distinct::key_columns;
use crate::Ctx;
use crate::binaryop::{BinaryOperator, binary_operation};
use crate::unary::{UnaryOperator, is_not_nan, is_valid, unary_operation};

/// Implements `gdf_api::stream_compaction::drop_nulls` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn drop_nulls(input: &TableView<'_>, keys: &[usize], keep_threshold: usize, ctx: Ctx<'_>) -> Result<Table> {
    drop_rows(input, keys, keep_threshold, is_valid, ctx)
}

/// Implements `gdf_api::stream_compaction::drop_nans` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn drop_nans(input: &TableView<'_>, keys: &[usize], keep_threshold: usize, ctx: Ctx<'_>) -> Result<Table> {
    for (i, key) in key_columns(input, keys)?.columns().iter().enumerate() {
        if !is_floating(key.data_type()) {
            return Err(Error::unsupported("drop_nans", key.data_type()).at(Position::Column(i)));
        }
    }
    drop_rows(input, keys, keep_threshold, is_not_nan, ctx)
}

/// Implements `gdf_api::stream_compaction::apply_deletion_mask` on the stream of `ctx`, with memory from the
/// resources of `ctx`.
pub fn apply_deletion_mask(table: TableView<'_>, mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    check::boolean(&mask).map_err(|error| error.in_argument("mask"))?;
    check::length(table.num_rows(), mask.len()).map_err(|error| error.in_argument("mask"))?;
    let kept = unary_operation(mask, UnaryOperator::Not, ctx.scratch())?;
    apply_boolean_mask(table, kept.view(), ctx)
}

fn drop_rows(
    input: &TableView<'_>,
    keys: &[usize],
    threshold: usize,
    is: fn(ColumnView<'_>, Ctx<'_>) -> Result<Column>,
    ctx: Ctx<'_>,
) -> Result<Table> {
    check::table(input, ctx)?;
    let keys = key_columns(input, keys)?;
    if keys.num_columns() == 0 || threshold == 0 {
        return Ok(input.to_table());
    }
    let scratch = ctx.scratch();
    let mut answers = keys.columns().iter().map(|key| is(*key, scratch));
    let first = answers.next().transpose()?.ok_or_else(|| Error::column_count(1, 0))?;
    let both = |op, output_type: DataType| {
        move |left: Column, right: Result<Column>| {
            binary_operation((&left).into(), (&right?).into(), op, &output_type, scratch)
        }
    };
    let mask = match threshold {
        all if all == keys.num_columns() => {
            answers.try_fold(first, both(BinaryOperator::BitwiseAnd, DataType::Boolean))?
        }
        1 => answers.try_fold(first, both(BinaryOperator::BitwiseOr, DataType::Boolean))?,
        _ => {
            let zero = binary_operation((&first).into(), 0_i32.into(), BinaryOperator::Add, &DataType::Int32, scratch)?;
            let count = answers.try_fold(zero, both(BinaryOperator::Add, DataType::Int32))?;
            let needed = i64::try_from(threshold).unwrap_or(i64::MAX);
            let op = BinaryOperator::GreaterEqual;
            binary_operation((&count).into(), needed.into(), op, &DataType::Boolean, scratch)?
        }
    };
    apply_boolean_mask(input.clone(), mask.view(), ctx)
}
