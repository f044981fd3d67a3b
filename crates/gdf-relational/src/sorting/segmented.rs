//! Sorting within segments.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::concatenate::concatenate_columns;
use gdf_compute::copying::copy_if_else;
use gdf_compute::filling::row_numbers;
use gdf_compute::lists::offsets_of;
use gdf_compute::replace::replace_nulls;
use gdf_compute::search::upper_bound;
use gdf_compute::sorting::{NullOrder, Order, check_keys, is_sorted, sorted_order};
use gdf_compute::stream_compaction::apply_boolean_mask;
use gdf_core::{Column, ColumnParts, ColumnView, DataType, Error, Literal, Result, Table, TableView, is_integral};
use gdf_engine::cast::cast;
use gdf_engine::check;

use crate::Ctx;
use crate::vouch;
use crate::vouch::{gather_column, gather_trusted};

/// Implements `gdf_api::sorting::segmented_sorted_order` with the stream and the memory resources of `ctx`. Returns the
/// errors of that function.
pub fn segmented_sorted_order(
    keys: &TableView<'_>,
    offsets: ColumnView<'_>,
    orders: &[Order],
    null_orders: &[NullOrder],
    ctx: Ctx<'_>,
) -> Result<Column> {
    check_keys("segmented_sorted_order", keys, orders, null_orders, ctx)?;
    Segments::new(offsets, keys.num_rows(), ctx.scratch())?.sorted_order(keys, orders, null_orders, ctx)
}

/// Implements `gdf_api::sorting::segmented_sort_by_key` with the stream and the memory resources of `ctx`. Returns the
/// errors of that function.
pub fn segmented_sort_by_key(
    values: &TableView<'_>,
    keys: &TableView<'_>,
    offsets: ColumnView<'_>,
    orders: &[Order],
    null_orders: &[NullOrder],
    ctx: Ctx<'_>,
) -> Result<Table> {
    check::length(keys.num_rows(), values.num_rows()).map_err(|error| error.in_argument("values"))?;
    check::table(values, ctx)?;
    let order = segmented_sorted_order(keys, offsets, orders, null_orders, ctx.scratch())?;
    gather_trusted(values, order.view(), ctx)
}

/// Implements `gdf_api::sorting::segmented_top_k` with the stream and the memory resources of `ctx`. Returns the errors
/// of that function.
pub fn segmented_top_k(
    column: ColumnView<'_>,
    offsets: ColumnView<'_>,
    k: usize,
    order: Order,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (rows, offsets) = first_rows("segmented_top_k", column, offsets, k, order, ctx.scratch(), ctx)?;
    lists_of(gather_column(column, rows.view(), ctx)?, &offsets)
}

/// Implements `gdf_api::sorting::segmented_top_k_order` with the stream and the memory resources of `ctx`. Returns the
/// errors of that function.
pub fn segmented_top_k_order(
    column: ColumnView<'_>,
    offsets: ColumnView<'_>,
    k: usize,
    order: Order,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (rows, offsets) = first_rows("segmented_top_k_order", column, offsets, k, order, ctx, ctx)?;
    lists_of(rows, &offsets)
}

/// Returns the numbers of the first `k` rows of each segment, and the offsets of the segments among these numbers, as
/// `Int32`.
fn first_rows(
    operation: &'static str,
    column: ColumnView<'_>,
    offsets: ColumnView<'_>,
    k: usize,
    order: Order,
    rows_ctx: Ctx<'_>,
    ctx: Ctx<'_>,
) -> Result<(Column, Column)> {
    let (scratch, long, boolean) = (ctx.scratch(), &DataType::Int64, &DataType::Boolean);
    let keys = TableView::from(column);
    // Nulls come last in either order.
    let nulls = [if order == Order::Ascending { NullOrder::After } else { NullOrder::Before }];
    check_keys(operation, &keys, &[order], &nulls, ctx)?;
    let segments = Segments::new(offsets, column.len(), scratch)?;
    let k = k.min(column.len()) as i64;
    let count = segments.count();
    let sizes = match count {
        0 => Column::empty_on(long, ctx.stream.device())?,
        _ => {
            let [begins, ends] = [0, 1].map(|first| segments.offsets.slice(first, count));
            let sizes = of(&ends?, Op::Sub, (&begins?).into(), long, scratch)?;
            of(&sizes, Op::NullMin, k.into(), long, scratch)?
        }
    };
    let kept = match count {
        0 => Column::from_slice_on(&[0_i32], ctx.stream, ctx.mr.output)?,
        // The offsets of lists have 32 bits.
        _ if column.len() > i32::MAX as usize => return Err(Error::offset_overflow(column.len() as u64)),
        _ => cast(offsets_of(&sizes, scratch)?.view(), &DataType::Int32, ctx)?,
    };
    let sorted = segments.sorted_order(&keys, &[order], &nulls, scratch)?;
    let last = of(&segments.begins, Op::Add, (k - 1).into(), long, scratch)?;
    let first = of(&segments.numbers, Op::LessEqual, (&last).into(), boolean, scratch)?;
    let first = of(&first, Op::LogicalAnd, (&segments.inside).into(), boolean, scratch)?;
    let rows = apply_boolean_mask(TableView::from(sorted.view()), first.view(), rows_ctx)?;
    Ok((rows.column(0)?.clone(), kept))
}

/// Returns a column of lists.
fn lists_of(elements: Column, offsets: &Column) -> Result<Column> {
    vouch::result(ColumnParts::lists(offsets.len() - 1, offsets.buffers()[0].clone(), false, elements, true))
}

/// The rows of a table in segments.
struct Segments {
    offsets: Column,
    numbers: Column,
    inside: Column,
    /// For each row, the first row of its segment. A row in no segment has its own number.
    begins: Column,
}

impl Segments {
    /// Checks the offsets, and computes the segments.
    fn new(offsets: ColumnView<'_>, rows: usize, ctx: Ctx<'_>) -> Result<Self> {
        if !is_integral(offsets.data_type()) {
            return Err(Error::type_mismatch("an integer type", offsets.data_type()).in_argument("offsets"));
        }
        let (long, boolean) = (&DataType::Int64, &DataType::Boolean);
        let offsets = cast(offsets, long, ctx)?;
        let ends = Column::from_slice_on(&[0, rows as i64], ctx.stream, ctx.mr.temporary)?;
        let ([first, last], offset) = ([ends.slice(0, 1)?, ends.slice(1, 1)?], offsets.view());
        let all = concatenate_columns(&[first.view(), offset, last.view()], ctx)?;
        if !is_sorted(TableView::from(all.view()), &[], &[], ctx)? {
            let text = "an offset is null, negative, less than the offset before it, or greater than the number of \
                        rows; pass offsets that ascend";
            return Err(Error::invalid_argument(text).in_argument("offsets"));
        }
        let numbers = cast(row_numbers(rows, ctx)?.view(), long, ctx)?;
        let after = upper_bound(&offset.into(), &numbers.view().into(), &[], &[], ctx)?;
        let segment = of(&cast(after.view(), long, ctx)?, Op::Sub, 1_i64.into(), long, ctx)?;
        let from = of(&segment, Op::GreaterEqual, 0_i64.into(), boolean, ctx)?;
        let to = of(&segment, Op::Less, (offsets.len() as i64 - 1).into(), boolean, ctx)?;
        let inside = of(&from, Op::LogicalAnd, (&to).into(), boolean, ctx)?;
        let segment = copy_if_else((&segment).into(), Literal::null(long).into(), inside.view(), ctx)?;
        let begins = gather_column(offset, segment.view(), ctx)?;
        let begins = replace_nulls(begins.view(), (&numbers).into(), ctx)?;
        Ok(Self { offsets, numbers, inside, begins })
    }

    fn count(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Returns the row numbers, sorted within each segment.
    fn sorted_order(
        &self,
        keys: &TableView<'_>,
        orders: &[Order],
        null_orders: &[NullOrder],
        ctx: Ctx<'_>,
    ) -> Result<Column> {
        let columns = std::iter::once(self.begins.view()).chain(keys.columns().iter().copied()).collect();
        let order = |i: usize| i.checked_sub(1).and_then(|key| orders.get(key)).copied().unwrap_or_default();
        let nulls = |i: usize| i.checked_sub(1).and_then(|key| null_orders.get(key)).copied().unwrap_or_default();
        let all = 0..=keys.num_columns();
        let (orders, null_orders): (Vec<_>, Vec<_>) = all.map(|i| (order(i), nulls(i))).unzip();
        sorted_order(TableView::try_new(columns)?, &orders, &null_orders, ctx)
    }
}

#[cfg(test)]
mod tests {
    use gdf_core::{Error, Table};
    use gdf_engine::test_device::setup;

    use super::*;

    #[test]
    fn rows_without_keys_are_refused() {
        let (stream, mr) = setup();
        let ctx = Ctx::new(&stream, &mr);
        let keys = Table::try_with_rows(Vec::new(), 3).unwrap();
        let offsets = Column::from_slice_on(&[0, 3], &stream, &mr).unwrap();
        let found = segmented_sorted_order(&keys.view(), offsets.view(), &[], &[], ctx);
        assert!(matches!(found, Err(Error::InvalidArgument { .. })));
    }
}
