//! `row_bit_count` and `segmented_row_bit_count`.

use gdf_core::{Column, ColumnParts, ColumnView, DataType, Error, Result, Scalar, TableView};
use gdf_engine::check;
use gdf_engine::layout::RowKind;
use gdf_engine::policy::NullPolicy;
use gdf_engine::rows::{Piece, RowPlan, join_pieces};
use gdf_engine::vouch;

use crate::Ctx;
use crate::binaryop::{BinaryOperator, binary_operation};
use crate::reduction::{ReduceAggregation, segmented_reduce};
use crate::replace::{clamp, replace_nulls};
use crate::scan::{ScanAggregation, ScanType, scan};

const OPERATION: &str = "row_bit_count";

/// Implements `gdf_api::transform::row_bit_count` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn row_bit_count(table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    check::table(table, ctx)?;
    let plan = RowPlan::new(OPERATION, table)?;
    if table.num_rows() == 0 {
        return Column::empty_on(&DataType::Int64, ctx.stream.device());
    }
    let bits = plan.leaves().iter().map(|leaf| bits_of(leaf.kind) + i64::from(leaf.view.has_validity())).sum();
    let scratch = ctx.scratch();
    let mut bytes: Option<Column> = None;
    for leaf in plan.leaves().iter().filter(|leaf| leaf.kind.is_strings()) {
        let own = text_bytes(leaf.view, leaf.kind, scratch)?;
        bytes = Some(match bytes {
            None => own,
            Some(other) => arithmetic(&other, &own, BinaryOperator::Add, scratch)?,
        });
    }
    let Some(bytes) = bytes else { return repeated(bits, table.num_rows(), ctx) };
    let of_text = binary_operation((&bytes).into(), 8_i64.into(), BinaryOperator::Mul, &DataType::Int64, scratch)?;
    binary_operation((&of_text).into(), bits.into(), BinaryOperator::Add, &DataType::Int64, ctx)
}

/// Implements `gdf_api::transform::segmented_row_bit_count` on the stream of `ctx`, with memory from the resources of
/// `ctx`.
pub fn segmented_row_bit_count(table: &TableView<'_>, segment_length: usize, ctx: Ctx<'_>) -> Result<Column> {
    let rows = table.num_rows();
    let length = i64::try_from(segment_length).unwrap_or(i64::MAX).min(rows.max(1) as i64);
    if length == 0 {
        return Err(Error::invalid_number("the length must be at least 1", 0).in_argument("segment_length"));
    }
    let (bits, scratch) = (row_bit_count(table, ctx.scratch())?, ctx.scratch());
    if rows == 0 {
        return Ok(bits);
    }
    // The offsets of the segments are the multiples of the segment length.
    let lengths = repeated(length, rows.div_ceil(length as usize) + 1, scratch)?;
    let ends = scan(lengths.view(), ScanAggregation::Sum, ScanType::Exclusive, NullPolicy::Exclude, scratch)?;
    let offsets = clamp(ends.view(), 0_i64.into(), (rows as i64).into(), scratch)?;
    let (sum, nulls) = (ReduceAggregation::Sum, NullPolicy::Exclude);
    segmented_reduce(bits.view(), offsets.view(), sum, &DataType::Int64, nulls, ctx)
}

/// Returns the number of bits that every row of this kind has, independent of the row's value.
fn bits_of(kind: RowKind) -> i64 {
    match kind {
        RowKind::Bits => 1,
        RowKind::Bytes(width) => 8 * width as i64,
        RowKind::Strings { large } => {
            if large {
                64
            } else {
                32
            }
        }
        RowKind::Validity | RowKind::Null => 0,
    }
}

fn repeated(value: i64, rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    let scalar = Scalar::new_on(value, ctx.stream, ctx.mr.temporary)?;
    join_pieces(OPERATION, scalar.view(), &[Piece::Repeated(&scalar, rows)], ctx)
}

fn arithmetic(lhs: &Column, rhs: &Column, op: BinaryOperator, ctx: Ctx<'_>) -> Result<Column> {
    binary_operation(lhs.into(), rhs.into(), op, &DataType::Int64, ctx)
}

/// Returns the number of bytes of each row of text.
fn text_bytes(view: ColumnView<'_>, kind: RowKind, ctx: Ctx<'_>) -> Result<Column> {
    let large = kind == RowKind::Strings { large: true };
    let data_type = if large { DataType::Int64 } else { DataType::Int32 };
    // Returns the offsets as a column of numbers, from offset number `later` on.
    let offsets = |later: usize| -> Result<Column> {
        let mut parts = ColumnParts::new(data_type.clone(), view.device(), view.len());
        parts.buffers.extend(view.buffers().first().cloned());
        parts.offset = view.offset() + later;
        if later == 0 && view.has_validity() {
            let own = view.to_column().into_parts();
            (parts.validity, parts.null_count) = (own.validity, own.null_count);
        }
        vouch::result(parts)
    };
    let bytes = arithmetic(&offsets(1)?, &offsets(0)?, BinaryOperator::Sub, ctx)?;
    replace_nulls(bytes.view(), 0_i64.into(), ctx)
}
