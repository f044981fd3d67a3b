//! `reverse` and `sort_lists`: change the order of the elements of each list.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::filling::sequence;
use gdf_compute::lists::{OffsetOwner, as_lists, given_offsets, with_elements};
use gdf_compute::sorting::{NullOrder, Order, sorted_order};
use gdf_core::{Column, ColumnView, DataType, Error, ListsView, Result, TableView};
use gdf_engine::sort::{LONGEST_SEGMENT, SegmentExtent, SortedSegments, keys, sort_segments, sorts_segments_of};

use super::elements::{Elements, Hidden, element_type};
use super::keys::key_columns;
use crate::Ctx;
use crate::vouch::gather_column;

/// Returns the elements of each list from the last to the first.
///
/// Implements `gdf_api::lists::reverse` with the stream and the memory resources of `ctx`.
pub fn reverse(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let (scratch, long) = (ctx.scratch(), &DataType::Int64);
    let lists = Elements::open("reverse", column, &[], Hidden::Purged, scratch)?;
    // For a list from row `begin` to row `end`, row `row` of the result is row `begin + end - 1 - row` of the elements.
    let sums = of(&lists.begins()?, Op::Add, (&lists.ends()?).into(), long, scratch)?;
    let sums = gather_column(sums.view(), lists.parents(scratch)?.view(), scratch)?;
    let rows = sequence(1_i64.into(), 1_i64.into(), lists.values.len(), scratch)?;
    let map = of(&sums, Op::Sub, (&rows).into(), long, scratch)?;
    lists.gathered(map.view(), ctx)
}

/// Returns the elements of each list in sorted order. Equal elements keep their order.
///
/// Implements `gdf_api::lists::sort_lists` with the stream and the memory resources of `ctx`.
pub fn sort_lists(column: ColumnView<'_>, order: Order, null_order: NullOrder, ctx: Ctx<'_>) -> Result<Column> {
    const OPERATION: &str = "sort_lists";
    let scratch = ctx.scratch();
    if let Some(sorted) = sort_short_lists(OPERATION, column, order, null_order, ctx)? {
        return Ok(sorted);
    }
    let lists = Elements::open(OPERATION, column, &[], Hidden::Purged, scratch)?;
    let mut keys = vec![lists.parents(scratch)?];
    keys.extend(key_columns(OPERATION, lists.values.view(), |abilities| abilities.sortable, scratch)?);
    let keys = TableView::try_new(keys.iter().map(Column::view).collect())?;
    let mut orders = vec![order; keys.num_columns()];
    orders[0] = Order::Ascending;
    let map = sorted_order(keys.clone(), &orders, &vec![null_order; keys.num_columns()], scratch)?;
    lists.gathered(map.view(), ctx)
}

/// Sorts each list separately. The result is `None` if [`sort_segments`] does not sort elements of this type, or if
/// [`ShortLists::open`] does not open the lists.
fn sort_short_lists(
    operation: &'static str,
    column: ColumnView<'_>,
    order: Order,
    null_order: NullOrder,
    ctx: Ctx<'_>,
) -> Result<Option<Column>> {
    if !element_type(column.data_type()).is_some_and(sorts_segments_of) {
        return Ok(None);
    }
    let scratch = ctx.scratch();
    let Some(ShortLists { column: lists, offsets, extent }) =
        ShortLists::open(operation, column, LONGEST_SEGMENT, ctx)?
    else {
        return Ok(None);
    };
    let lists = ListsView::try_from(lists.view())?;
    let keys = keys(operation, &TableView::from(lists.child()), &[order], &[null_order], scratch)?;
    let key = keys.first().ok_or_else(|| Error::column_count(1, 0))?;
    let elements = lists.child().slice(extent.begin, extent.rows())?;
    let sorted = match sort_segments(offsets.view(), *key, extent, ctx)? {
        SortedSegments::Values(values) => values,
        SortedSegments::Rows(rows) => gather_column(elements, rows.view(), ctx)?,
    };
    let owner = match column.data_type() {
        DataType::FixedSizeList(..) => OffsetOwner::Scratch,
        _ => OffsetOwner::Column,
    };
    with_elements(lists, extent.begin, sorted, owner, ctx).map(Some)
}

/// Lists of at most a given number of elements.
pub(super) struct ShortLists {
    pub(super) column: Column,
    pub(super) offsets: Column,
    pub(super) extent: SegmentExtent,
}

impl ShortLists {
    /// Opens the lists of `column`. The result is `None` if a list has more than `longest` elements, if null lists may
    /// have elements, or if there are no lists.
    pub(super) fn open(
        operation: &'static str,
        column: ColumnView<'_>,
        longest: usize,
        ctx: Ctx<'_>,
    ) -> Result<Option<Self>> {
        // `sanitized` says nothing about the elements of null lists of a fixed size.
        let has_offsets = !matches!(column.data_type(), DataType::FixedSizeList(..));
        let is_clean = !column.has_validity() || (has_offsets && column.sanitized());
        if !is_clean || column.is_empty() {
            return Ok(None);
        }
        let column = as_lists(operation, column, ctx.scratch())?;
        let offsets = given_offsets(ListsView::try_from(column.view())?, ctx)?;
        let extent = SegmentExtent::of(offsets.view(), ctx.scratch())?;
        Ok((extent.longest <= longest).then_some(Self { column, offsets, extent }))
    }
}
