//! Operations on the rows of groups.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::concatenate::concatenate_columns;
use gdf_compute::copying::{OutOfBoundsPolicy, copy_if_else, scatter};
use gdf_compute::keys::{Purpose, prepare};
use gdf_compute::replace::{ReplacePolicy, replace_nulls_by_policy};
use gdf_compute::scan::Runs;
use gdf_compute::sorting::{NullOrder, Order, sorted_order};
use gdf_compute::stream_compaction::{NullEquality, apply_boolean_mask, heads};
use gdf_compute::unary::{UnaryOperator, is_valid, unary_operation};
use gdf_core::{Column, ColumnView, DataType, Error, Literal, Operand, Result, Table, TableView};
use gdf_engine::check;
use gdf_engine::keys::row_indices;
use gdf_engine::mask::bitmask_and;
use gdf_engine::operand::one_value;

use super::NullPolicy;
use super::aggregate::check as check_keys;
use super::empty::empty_column;
use crate::Ctx;
use crate::vouch::{gather_column, gather_trusted};

pub(super) const OPERATION: &str = "groupby";

/// Implements `gdf_api::groupby::GroupBy::shift` with the stream and the resources of `ctx`.
pub fn shift(
    keys: &TableView<'_>,
    null_policy: NullPolicy,
    values: ColumnView<'_>,
    offset: i64,
    fill_value: Operand<'_>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    check_keys(keys, std::iter::once(values), ctx)?;
    let value = one_value(fill_value, values.data_type(), ctx).map_err(|error| error.in_argument("fill_value"))?;
    check::types(values.data_type(), value.data_type()).map_err(|error| error.in_argument("fill_value"))?;
    if values.is_empty() {
        return empty_column(values.data_type(), ctx);
    }
    let (scratch, long) = (ctx.scratch(), &DataType::Int64);
    let groups = GroupRows::new(keys, null_policy, scratch)?;
    // No group has more rows than the table, so a larger offset has the same effect as the number of rows.
    let most = values.len() as i64;
    let from = of(&groups.runs.position, Op::Sub, offset.clamp(-most, most).into(), long, scratch)?;
    let source = groups.input_rows(&from, [true, true])?;
    let moved = gather_trusted(&TableView::from(values), source.view(), scratch)?;
    let found = is_valid(source.view(), scratch)?;
    let Some(grouped) = &groups.grouped else {
        return copy_if_else(moved.column(0)?.into(), (&value).into(), found.view(), ctx);
    };
    let filled = copy_if_else(moved.column(0)?.into(), (&value).into(), found.view(), scratch)?;
    copy_if_else((&filled).into(), Literal::null(values.data_type()).into(), grouped.view(), ctx)
}

/// Implements `gdf_api::groupby::GroupBy::replace_nulls_by_policy` with the stream and the resources of `ctx`.
pub fn replace_group_nulls(
    keys: &TableView<'_>,
    null_policy: NullPolicy,
    values: ColumnView<'_>,
    policy: ReplacePolicy,
    ctx: Ctx<'_>,
) -> Result<Column> {
    check_keys(keys, std::iter::once(values), ctx)?;
    if values.is_empty() {
        return empty_column(values.data_type(), ctx);
    }
    let scratch = ctx.scratch();
    let groups = GroupRows::new(keys, null_policy, scratch)?;
    let valid = is_valid(values, scratch)?;
    let valid = gather_trusted(&TableView::from(valid.view()), groups.order.view(), scratch)?;
    let null = Literal::null(&DataType::Int64);
    let named = copy_if_else((&groups.runs.position).into(), null.into(), valid.column(0)?.view(), scratch)?;
    let nearest = replace_nulls_by_policy(named.view(), policy, scratch)?;
    let preceding = policy == ReplacePolicy::Preceding;
    let source = groups.input_rows(&nearest, [preceding, !preceding])?;
    gather_column(values, source.view(), ctx)
}

/// Implements `gdf_api::groupby::GroupBy::groups` with the stream and the resources of `ctx`.
pub fn groups(keys: &TableView<'_>, null_policy: NullPolicy, ctx: Ctx<'_>) -> Result<(Column, Column)> {
    check_keys(keys, std::iter::empty(), ctx)?;
    let scratch = ctx.scratch();
    let none = || -> Result<_> {
        let rows = empty_column(&row_indices(keys.num_rows()), ctx)?;
        Ok((rows, Column::from_slice_on(&[0_i64], ctx.stream, ctx.mr.output)?))
    };
    if keys.num_rows() == 0 {
        return none();
    }
    let [prepared] = prepare(OPERATION, [keys], Purpose::order(&[]), scratch)?;
    let keys = &prepared.view()?;
    let groups = GroupRows::new(keys, null_policy, scratch)?;
    let rows = match &groups.grouped {
        None => keys.num_rows(),
        Some(_) => keys.num_rows() - bitmask_and(keys, scratch)?.null_count(ctx.stream)?,
    };
    if rows == 0 {
        return none();
    }
    let starts = groups.runs.starts()?;
    let below = of(&starts, Op::LessEqual, (rows as i64).into(), &DataType::Boolean, scratch)?;
    let kept = apply_boolean_mask(TableView::try_new(vec![starts.view()])?, below.view(), scratch)?;
    let begins = of(kept.column(0)?, Op::Sub, 1_i64.into(), &DataType::Int64, scratch)?;
    let end = Column::from_slice_on(&[rows as i64], ctx.stream, ctx.mr.temporary)?;
    let offsets = concatenate_columns(&[begins.view(), end.view()], ctx)?;
    let order = Table::try_new(vec![groups.order.slice(0, rows)?])?.deep_copy(ctx.stream, ctx.mr.output)?;
    Ok((order.column(0)?.clone(), offsets))
}

pub(super) struct GroupRows<'a> {
    /// The row numbers, sorted by group.
    pub(super) order: Column,
    /// The runs of `order`.
    pub(super) runs: Runs<'a>,
    /// Whether each row of the input is in a group. `None` if all rows are in groups.
    grouped: Option<Column>,
    ctx: Ctx<'a>,
}

impl<'a> GroupRows<'a> {
    pub(super) fn new(keys: &TableView<'_>, null_policy: NullPolicy, ctx: Ctx<'a>) -> Result<Self> {
        Self::ordered(keys, null_policy, &[], ctx)
    }

    /// Sorts the rows by group.
    pub(super) fn ordered(
        keys: &TableView<'_>,
        null_policy: NullPolicy,
        by: &[(ColumnView<'_>, Order, NullOrder)],
        ctx: Ctx<'a>,
    ) -> Result<Self> {
        let [prepared] = prepare(OPERATION, [keys], Purpose::order(&[]), ctx)?;
        let keys = &prepared.view()?;
        let mut columns = keys.columns().to_vec();
        let mut grouped = None;
        let ungrouped;
        if null_policy == NullPolicy::Exclude && columns.iter().any(|key| key.has_validity()) {
            let valid = bitmask_and(keys, ctx)?.to_column()?;
            ungrouped = unary_operation(valid.view(), UnaryOperator::Not, ctx)?;
            columns.insert(0, ungrouped.view());
            grouped = Some(valid);
        }
        let keys = TableView::try_new(columns.clone())?;
        let (mut orders, mut null_orders) =
            (vec![Order::default(); columns.len()], vec![NullOrder::default(); columns.len()]);
        for (column, order, nulls) in by {
            columns.push(*column);
            orders.push(*order);
            null_orders.push(*nulls);
        }
        let order = sorted_order(TableView::try_new(columns)?, &orders, &null_orders, ctx)?;
        let sorted = gather_trusted(&keys, order.view(), ctx)?;
        let runs = Runs::new(heads(OPERATION, &sorted.view(), NullEquality::Equal, ctx)?, ctx)?;
        Ok(Self { order, runs, grouped, ctx })
    }

    /// Moves the rows of `column` from the order `order` to the order of the input. Rows in no group, and rows in which
    /// a column of `nulls` is null, become null.
    pub(super) fn in_input_order(&self, column: &Column, nulls: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Column> {
        let nulls: Vec<_> = nulls.iter().copied().filter(|column| column.has_validity()).collect();
        let valid = match (nulls.is_empty(), &self.grouped) {
            (true, grouped) => grouped.clone(),
            (false, None) => Some(bitmask_and(&TableView::try_new(nulls)?, self.ctx)?.to_column()?),
            (false, Some(grouped)) => {
                let valid = bitmask_and(&TableView::try_new(nulls)?, self.ctx)?.to_column()?;
                Some(of(grouped, Op::LogicalAnd, (&valid).into(), &DataType::Boolean, self.ctx)?)
            }
        };
        let rows = TableView::try_new(vec![column.view()])?;
        let moved = |ctx: Ctx<'_>| {
            let moved = scatter(rows.clone(), self.order.view(), rows.clone(), OutOfBoundsPolicy::Nullify, ctx)?;
            Ok::<_, Error>(moved.column(0)?.clone())
        };
        let Some(valid) = valid else { return moved(ctx) };
        copy_if_else((&moved(self.ctx)?).into(), Literal::null(column.data_type()).into(), valid.view(), ctx)
    }

    /// For each row, returns the number of the input row that is at `position` in the sorted order. The result is null
    /// if `first` is set and the position is before the group of the row. It is also null if `last` is set and the
    /// position is after the group.
    fn input_rows(&self, position: &Column, [first, last]: [bool; 2]) -> Result<Column> {
        let (ctx, boolean) = (self.ctx, &DataType::Boolean);
        let mut row = of(position, Op::Sub, 1_i64.into(), &DataType::Int64, ctx)?;
        let mut keep = |op: Op, bound: Column| {
            let inside = of(position, op, (&bound).into(), boolean, ctx)?;
            row = copy_if_else((&row).into(), Literal::null(&DataType::Int64).into(), inside.view(), ctx)?;
            Ok::<_, Error>(())
        };
        if first {
            keep(Op::GreaterEqual, self.runs.first()?)?;
        }
        if last {
            keep(Op::LessEqual, self.runs.last()?)?;
        }
        let rows = gather_trusted(&TableView::from(self.order.view()), row.view(), ctx)?;
        let (policy, order) = (OutOfBoundsPolicy::Nullify, self.order.view());
        let rows = scatter(rows.view(), order, rows.view(), policy, ctx)?.column(0)?.clone();
        match &self.grouped {
            None => Ok(rows),
            Some(grouped) => copy_if_else((&rows).into(), Literal::null(rows.data_type()).into(), grouped.view(), ctx),
        }
    }
}
