//! `row_bit_count` and `segmented_row_bit_count`.

use gdf_core::{
    Abilities, Column, ColumnParts, ColumnView, DataType, Error, PhysicalType, Result, Scalar, StructsView, TableView,
    physical_type,
};
use gdf_engine::check;
use gdf_engine::layout::RowKind;
use gdf_engine::mask::bitmask_and;
use gdf_engine::policy::NullPolicy;
use gdf_engine::rows::{Piece, RowPlan, join_pieces};

use crate::Ctx;
use crate::binaryop::{BinaryOperator, of};
use crate::copying::copy_if_else;
use crate::lists::Lists;
use crate::reduction::{ReduceAggregation, segmented_reduce};
use crate::replace::{clamp, replace_nulls};
use crate::scan::{ScanAggregation, ScanType, scan};
use crate::vouch;

const OPERATION: &str = "row_bit_count";

/// Implements `gdf_api::transform::row_bit_count` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn row_bit_count(table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    check::table(table, ctx)?;
    let mut bits = Bits::default();
    for (position, column) in table.columns().iter().enumerate() {
        bits.column = position;
        bits.add(*column, &mut Vec::new(), ctx.scratch())?;
    }
    match table.num_rows() {
        0 => Column::empty_on(&DataType::Int64, ctx.stream.device()),
        rows => bits.of_rows(rows, ctx),
    }
}

/// The numbers of bits of rows, summed over columns.
#[derive(Default)]
struct Bits {
    /// The position of the column in the table.
    column: usize,
    /// The number of bits that every row has.
    fixed: i64,
    /// The number of bytes of text of each row.
    text: Option<Column>,
    /// The number of bits of the list elements of each row.
    elements: Option<Column>,
}

impl Bits {
    /// Adds the bits of a column. `around` are the structs around the column.
    fn add<'a>(&mut self, view: ColumnView<'a>, around: &mut Vec<ColumnView<'a>>, ctx: Ctx<'_>) -> Result<()> {
        let lists = Abilities::of(view.data_type()).lists;
        match view.data_type() {
            DataType::Struct(_) => {
                self.fixed = self.fixed.saturating_add(i64::from(view.has_validity()));
                let fields = StructsView::try_from(view)?;
                around.push(view);
                (0..fields.num_children()).try_for_each(|field| self.add(fields.child(field)?, around, ctx))?;
                around.pop();
                Ok(())
            }
            _ if lists => self.add_lists(view, around, ctx),
            _ => self.add_plain(view, around, ctx),
        }
    }

    fn add_plain(&mut self, view: ColumnView<'_>, around: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<()> {
        let plan = RowPlan::of_column(OPERATION, view, self.column)?;
        for leaf in plan.leaves() {
            let fixed = bits_of(leaf.kind) + i64::from(leaf.view.has_validity());
            self.fixed = self.fixed.saturating_add(fixed);
            if leaf.kind.is_strings() && !view.is_empty() {
                let bytes = text_bytes(leaf.view, leaf.kind, ctx)?;
                add_to(&mut self.text, with_nulls_as_zero(bytes, around, ctx)?, ctx)?;
            }
        }
        Ok(())
    }

    fn add_lists(&mut self, view: ColumnView<'_>, around: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<()> {
        let offset = match physical_type(view.data_type()) {
            PhysicalType::FixedSizeList(_) => 0,
            physical if physical.is_large() => 64,
            _ => 32,
        };
        self.fixed = self.fixed.saturating_add(offset + i64::from(view.has_validity()));
        let lists = Lists::of(view, around, ctx)?;
        let range = Lists::ranges(std::slice::from_ref(&lists), ctx)?.remove(0);
        let mut bits = Bits { column: self.column, ..Bits::default() };
        bits.add(lists.elements.view().slice(range.start, range.len())?, &mut Vec::new(), ctx)?;
        match lists.width {
            // Columns without rows can have lists of any size.
            Some(width) => self.fixed = self.fixed.saturating_add(bits.fixed.saturating_mul(width as i64)),
            None => {
                let fixed = of(&lists.sizes, BinaryOperator::Mul, bits.fixed.into(), &DataType::Int64, ctx)?;
                add_to(&mut self.elements, fixed, ctx)?;
            }
        }
        bits.fixed = 0;
        if bits.text.is_none() && bits.elements.is_none() || range.is_empty() {
            return Ok(());
        }
        let bits = bits.of_rows(range.len(), ctx)?;
        let begin = (range.start as i64).into();
        let offsets = of(lists.offsets(), BinaryOperator::Sub, begin, &DataType::Int64, ctx)?;
        let sum = ReduceAggregation::Sum;
        let sums = segmented_reduce(bits.view(), offsets.view(), sum, &DataType::Int64, NullPolicy::Exclude, ctx)?;
        let sums = replace_nulls(sums.view(), 0_i64.into(), ctx)?;
        let levels: Vec<_> = around.iter().copied().chain([view]).collect();
        add_to(&mut self.elements, with_nulls_as_zero(sums, &levels, ctx)?, ctx)
    }

    /// Returns the bits of each row as `Int64`. There must be at least one row.
    fn of_rows(self, rows: usize, ctx: Ctx<'_>) -> Result<Column> {
        let (scratch, int64) = (ctx.scratch(), &DataType::Int64);
        let text = self.text.map(|bytes| of(&bytes, BinaryOperator::Mul, 8_i64.into(), int64, scratch)).transpose()?;
        let bits = match (text, self.elements) {
            (Some(text), Some(elements)) => of(&text, BinaryOperator::Add, (&elements).into(), int64, scratch)?,
            (Some(bits), None) | (None, Some(bits)) => bits,
            (None, None) => return repeated(self.fixed, rows, ctx),
        };
        of(&bits, BinaryOperator::Add, self.fixed.into(), int64, ctx)
    }
}

fn add_to(sum: &mut Option<Column>, other: Column, ctx: Ctx<'_>) -> Result<()> {
    *sum = Some(match sum.take() {
        None => other,
        Some(sum) => of(&sum, BinaryOperator::Add, (&other).into(), &DataType::Int64, ctx)?,
    });
    Ok(())
}

/// Returns `numbers` with 0 in the rows in which one of `levels` is null.
fn with_nulls_as_zero(numbers: Column, levels: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Column> {
    let nullable: Vec<_> = levels.iter().copied().filter(|level| level.has_validity()).collect();
    if nullable.is_empty() {
        return Ok(numbers);
    }
    let valid = bitmask_and(&TableView::try_new(nullable)?, ctx)?.to_column()?;
    copy_if_else((&numbers).into(), 0_i64.into(), valid.view(), ctx)
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
    let bytes = of(&offsets(1)?, BinaryOperator::Sub, (&offsets(0)?).into(), &DataType::Int64, ctx)?;
    replace_nulls(bytes.view(), 0_i64.into(), ctx)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gdf_core::Field;

    use super::*;

    #[test]
    fn lists_of_any_size_can_be_without_rows() {
        let lists = |of, size| DataType::FixedSizeList(Arc::new(Field::new("item", of, true)), size);
        let wide = lists(lists(lists(DataType::Int64, 4), i32::MAX), i32::MAX);
        let (stream, mr) = gdf_engine::test_device::setup();
        let column = Column::empty_in(&wide, &stream, mr.as_ref()).unwrap();
        let bits = row_bit_count(&TableView::from(column.view()), Ctx::new(&stream, &mr)).unwrap();
        assert!(bits.is_empty());
    }
}
