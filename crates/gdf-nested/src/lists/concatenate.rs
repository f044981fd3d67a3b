//! `concatenate_rows` and `concatenate_list_elements`: concatenate several lists to one list.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::concatenate::concatenate_columns;
use gdf_compute::filling::sequence;
use gdf_compute::lists::{Lists, Ranges, as_lists, check_total, make_lists};
use gdf_compute::reshape::interleave_columns;
use gdf_compute::unary::{UnaryOperator, is_valid, unary_operation};
use gdf_core::{Column, ColumnView, DataType, Error, ListsView, Position, Result, TableView};
use gdf_engine::check;
use gdf_engine::mask::{bitmask_or, null_unless_true};

use super::elements::{Elements, Hidden, element_type, without_scratch};
use super::search::{any, contains_nulls};
use crate::Ctx;
use crate::vouch::gather_column;

/// The treatment of rows in which a list is null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ConcatenateNullPolicy {
    /// A null list counts as empty. If all lists of the row are null, the row is null.
    #[default]
    Ignore,
    /// The row is null.
    NullifyOutputRow,
}

/// Concatenates the lists of each row.
///
/// Implements `gdf_api::lists::concatenate_rows` with the stream and the memory resources of `ctx`.
pub fn concatenate_rows(table: &TableView<'_>, nulls: ConcatenateNullPolicy, ctx: Ctx<'_>) -> Result<Column> {
    const OPERATION: &str = "concatenate_rows";
    let (scratch, long) = (ctx.scratch(), &DataType::Int64);
    let columns = table.columns().iter().zip(0..);
    let columns =
        columns.map(|(column, i)| as_lists(OPERATION, *column, scratch).map_err(|error| error.at(Position::Column(i))));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let views: Vec<_> = columns.iter().map(Column::view).collect();
    let Some(first) = views.first() else {
        return Err(Error::invalid_argument("the table has no columns; pass at least 1 column").in_argument("table"));
    };
    for (i, column) in views.iter().enumerate() {
        check::types(first.data_type(), column.data_type()).map_err(|error| error.at(Position::Column(i)))?;
    }
    let around: &[ColumnView<'_>] = if nulls == ConcatenateNullPolicy::Ignore { &[] } else { &views };
    let around: Vec<_> = around.iter().copied().filter(|column| column.has_validity()).collect();
    let lists = views.iter().map(|view| Lists::open(ListsView::try_from(*view)?, &around, scratch));
    let lists = lists.collect::<Result<Vec<_>>>()?;
    let (mut elements, mut begins, mut total) = (Vec::new(), Vec::new(), 0_usize);
    for (lists, range) in lists.iter().zip(Lists::ranges(&lists, scratch)?) {
        elements.push(lists.elements.slice(range.start, range.len())?);
        let moved = total as i64 - range.start as i64;
        begins.push(of(&lists.begins()?, Op::Add, moved.into(), long, scratch)?);
        total += range.len();
    }
    let elements: Vec<_> = elements.iter().map(Column::view).collect();
    let elements = concatenate_columns(&elements, scratch)?;
    let interleaved = |columns: Vec<ColumnView<'_>>| interleave_columns(TableView::try_new(columns)?, scratch);
    let begins = interleaved(begins.iter().map(Column::view).collect())?;
    let sizes = interleaved(lists.iter().map(|lists| lists.sizes.view()).collect())?;
    let (ranges, offsets) = Ranges::new(begins, &sizes, scratch)?;
    check_total(first.data_type(), ranges.total)?;
    let of_rows = sequence(0_i64.into(), (views.len() as i64).into(), table.num_rows() + 1, scratch)?;
    let offsets = gather_column(offsets.view(), of_rows.view(), scratch)?;
    let copy = |ctx: Ctx<'_>| ranges.copy_column(elements.view(), ctx);
    let values = without_scratch(elements.data_type(), ctx, copy)?;
    if nulls == ConcatenateNullPolicy::NullifyOutputRow || views.len() == 1 {
        return make_lists(first.data_type(), &offsets, values, &views, ctx);
    }
    if !views.iter().all(|column| column.has_validity()) {
        return make_lists(first.data_type(), &offsets, values, &[], ctx);
    }
    let any_valid = bitmask_or(&TableView::try_new(views.clone())?, scratch)?.to_column()?;
    let any_valid = null_unless_true(any_valid.view(), scratch)?;
    make_lists(first.data_type(), &offsets, values, &[any_valid.view()], ctx)
}

/// Concatenates the lists that are the elements of each list.
///
/// Implements `gdf_api::lists::concatenate_list_elements` with the stream and the memory resources of `ctx`.
pub fn concatenate_list_elements(column: ColumnView<'_>, nulls: ConcatenateNullPolicy, ctx: Ctx<'_>) -> Result<Column> {
    const OPERATION: &str = "concatenate_list_elements";
    let scratch = ctx.scratch();
    if element_type(column.data_type()).and_then(element_type).is_none() {
        return Err(Error::unsupported(OPERATION, column.data_type()).with_remedy("pass a column of lists of lists"));
    }
    let lists = as_lists(OPERATION, column, scratch)?;
    let mut around = vec![lists.view()];
    let without_nulls;
    if nulls == ConcatenateNullPolicy::NullifyOutputRow {
        let has_nulls = contains_nulls(lists.view(), scratch)?;
        let has_none = unary_operation(has_nulls.view(), UnaryOperator::Not, scratch)?;
        without_nulls = null_unless_true(has_none.view(), scratch)?;
        around.push(without_nulls.view());
    }
    let outer = Elements::open(OPERATION, lists.view(), &around[1..], Hidden::Purged, scratch)?;
    let some_valid;
    if nulls == ConcatenateNullPolicy::Ignore && outer.values.has_validity() {
        // A list that contains only null lists becomes null.
        let boolean = &DataType::Boolean;
        let found = any(&is_valid(outer.values.view(), scratch)?, &outer, scratch)?;
        let is_empty = of(&outer.sizes, Op::Equal, 0_i64.into(), boolean, scratch)?;
        let found = of(&found, Op::LogicalOr, (&is_empty).into(), boolean, scratch)?;
        some_valid = null_unless_true(found.view(), scratch)?;
        around.push(some_valid.view());
    }
    let inner = Elements::open(OPERATION, outer.values.view(), &[], Hidden::Purged, scratch)?;
    let offsets = gather_column(inner.offsets.view(), outer.offsets.view(), scratch)?;
    let every = sequence(0_i64.into(), 1_i64.into(), inner.values.len(), scratch)?;
    let values = gather_column(inner.values.view(), every.view(), ctx)?;
    make_lists(inner.column.data_type(), &offsets, values, &around, ctx)
}
