//! `distinct` and operations on the sets of elements of two lists.

use gdf_compute::concatenate::concatenate_columns;
use gdf_compute::lists::{kept_offsets, make_lists, offsets_of, select_rows};
use gdf_compute::stream_compaction::{DuplicateKeepOption, NanEquality, NullEquality, distinct_rows};
use gdf_compute::unary::{UnaryOperator, unary_operation};
use gdf_core::{Abilities, Column, ColumnView, DataType, Error, ListsView, Result, TableView, same_type};
use gdf_engine::cast::cast;
use gdf_engine::check;
use gdf_engine::sort::{KeptValue, MarkedSegments, longest_marked_segment, mark_distinct, marks_segments_of};

use super::concatenate::{ConcatenateNullPolicy, concatenate_rows};
use super::elements::{Elements, Hidden, element_type, filtered, with_nulls, without_scratch};
use super::keys::key_columns;
use super::search::any;
use super::sort::ShortLists;
use crate::Ctx;

/// Returns each list without repeated elements.
///
/// Implements `gdf_api::lists::distinct` with the stream and the memory resources of `ctx`.
pub fn distinct(
    column: ColumnView<'_>,
    keep: DuplicateKeepOption,
    nulls: NullEquality,
    nans: NanEquality,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let scratch = ctx.scratch();
    if let Some(kept) = distinct_of_short_lists(column, keep, ctx)? {
        return Ok(kept);
    }
    let lists = Elements::open("distinct", column, &[], Hidden::Purged, scratch)?;
    let parents = lists.parents(scratch)?;
    let mask = distinct_elements("distinct", &[(&lists.values, &parents)], keep, nulls, nans, scratch)?;
    filtered(&lists, &mask, &[lists.column.view()], ctx)
}

/// Does the same as [`distinct`], but looks at each list separately. The result is `None` unless the elements are
/// integers without nulls and all lists are short enough for the device.
fn distinct_of_short_lists(column: ColumnView<'_>, keep: DuplicateKeepOption, ctx: Ctx<'_>) -> Result<Option<Column>> {
    let scratch = ctx.scratch();
    if !element_type(column.data_type()).is_some_and(marks_segments_of) {
        return Ok(None);
    }
    let longest = longest_marked_segment(ctx.stream.device());
    let Some(ShortLists { column, offsets, extent }) = ShortLists::open("distinct", column, longest, ctx)? else {
        return Ok(None);
    };
    let elements = ListsView::try_from(column.view())?.child();
    if elements.has_validity() {
        return Ok(None);
    }
    let keep = match keep {
        DuplicateKeepOption::Any | DuplicateKeepOption::First => KeptValue::First,
        DuplicateKeepOption::Last => KeptValue::Last,
        DuplicateKeepOption::None => KeptValue::Alone,
    };
    let MarkedSegments { marks, sizes } = mark_distinct(offsets.view(), elements, extent, keep, scratch)?;
    let mask = cast(marks.view(), &DataType::Boolean, scratch)?;
    let offsets = offsets_of(&sizes, scratch)?;
    let kept = TableView::from(elements.slice(extent.begin, extent.rows())?);
    let kept = select_rows(&kept, mask.view(), ctx)?.column(0)?.clone();
    make_lists(column.data_type(), &offsets, kept, &[column.view()], ctx).map(Some)
}

/// Returns whether the lists of each row have an element in common.
///
/// Implements `gdf_api::lists::have_overlap` with the stream and the memory resources of `ctx`.
pub fn have_overlap(
    lhs: ColumnView<'_>,
    rhs: ColumnView<'_>,
    nulls: NullEquality,
    nans: NanEquality,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let sets = Sets::open("have_overlap", lhs, rhs, nulls, nans, ctx.scratch())?;
    let found = any(&not(&sets.only_lhs, ctx.scratch())?, &sets.distinct, ctx)?;
    with_nulls(found, &[lhs, rhs], ctx)
}

/// Returns for each row the distinct elements of the list of `lhs` that are also elements of the list of `rhs`.
///
/// Implements `gdf_api::lists::intersect_distinct` with the stream and the memory resources of `ctx`.
pub fn intersect_distinct(
    lhs: ColumnView<'_>,
    rhs: ColumnView<'_>,
    nulls: NullEquality,
    nans: NanEquality,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let sets = Sets::open("intersect_distinct", lhs, rhs, nulls, nans, ctx.scratch())?;
    filtered(&sets.distinct, &not(&sets.only_lhs, ctx.scratch())?, &[lhs, rhs], ctx)
}

/// Returns for each row the distinct elements of the list of `lhs` that are not elements of the list of `rhs`.
///
/// Implements `gdf_api::lists::difference_distinct` with the stream and the memory resources of `ctx`.
pub fn difference_distinct(
    lhs: ColumnView<'_>,
    rhs: ColumnView<'_>,
    nulls: NullEquality,
    nans: NanEquality,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let sets = Sets::open("difference_distinct", lhs, rhs, nulls, nans, ctx.scratch())?;
    filtered(&sets.distinct, &sets.only_lhs, &[lhs, rhs], ctx)
}

/// Returns for each row the distinct elements of both lists.
///
/// Implements `gdf_api::lists::union_distinct` with the stream and the memory resources of `ctx`.
pub fn union_distinct(
    lhs: ColumnView<'_>,
    rhs: ColumnView<'_>,
    nulls: NullEquality,
    nans: NanEquality,
    ctx: Ctx<'_>,
) -> Result<Column> {
    check_pair("union_distinct", lhs, rhs)?;
    if !same_type(lhs.data_type(), rhs.data_type()) {
        return Err(Error::incompatible_types(lhs.data_type(), rhs.data_type()).in_argument("rhs"));
    }
    let both = TableView::try_new(vec![lhs, rhs])?;
    let both = concatenate_rows(&both, ConcatenateNullPolicy::NullifyOutputRow, ctx.scratch())?;
    let work = |ctx: Ctx<'_>| distinct(both.view(), DuplicateKeepOption::First, nulls, nans, ctx);
    without_scratch(both.data_type(), ctx, work)
}

/// The distinct elements of the left lists, with a mark for the elements that are not in the right lists.
struct Sets {
    distinct: Elements,
    only_lhs: Column,
}

impl Sets {
    fn open(
        operation: &'static str,
        lhs: ColumnView<'_>,
        rhs: ColumnView<'_>,
        nulls: NullEquality,
        nans: NanEquality,
        ctx: Ctx<'_>,
    ) -> Result<Self> {
        check_pair(operation, lhs, rhs)?;
        let mut left = Elements::open(operation, lhs, &[rhs], Hidden::Purged, ctx)?;
        let right = Elements::open(operation, rhs, &[lhs], Hidden::Purged, ctx)?;
        let left_parents = left.parents(ctx)?;
        let first = DuplicateKeepOption::First;
        let mask = distinct_elements(operation, &[(&left.values, &left_parents)], first, nulls, nans, ctx)?;
        left.offsets = kept_offsets(&left.offsets, &mask, ctx)?;
        let kept = [left.values.view(), left_parents.view()];
        let mut kept = select_rows(&TableView::try_new(kept.to_vec())?, mask.view(), ctx)?.into_columns().into_iter();
        let (values, left_parents) = kept.next().zip(kept.next()).ok_or_else(|| Error::column_count(2, 0))?;
        left.values = values;
        // The left elements come before the right elements.
        let right_parents = right.parents(ctx)?;
        let both = [(&left.values, &left_parents), (&right.values, &right_parents)];
        let mask = distinct_elements(operation, &both, DuplicateKeepOption::Last, nulls, nans, ctx)?;
        Ok(Self { only_lhs: mask.slice(0, left.values.len())?, distinct: left })
    }
}

/// Returns for each element of all columns whether the element is kept.
fn distinct_elements(
    operation: &'static str,
    all: &[(&Column, &Column)],
    keep: DuplicateKeepOption,
    nulls: NullEquality,
    nans: NanEquality,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let joined = |columns: Vec<ColumnView<'_>>| concatenate_columns(&columns, ctx);
    let values = joined(all.iter().map(|(values, _)| values.view()).collect())?;
    let parents = joined(all.iter().map(|(_, parents)| parents.view()).collect())?;
    let mut keys = vec![parents];
    keys.extend(key_columns(operation, values.view(), Abilities::is_key, ctx)?);
    distinct_rows(TableView::try_new(keys.iter().map(Column::view).collect())?, keep, nulls, nans, ctx)
}

fn not(mask: &Column, ctx: Ctx<'_>) -> Result<Column> {
    unary_operation(mask.view(), UnaryOperator::Not, ctx)
}

/// Checks that two columns have the same number of rows, and that the elements of their lists have the same type.
fn check_pair(operation: &'static str, lhs: ColumnView<'_>, rhs: ColumnView<'_>) -> Result<()> {
    let in_rhs = |error: Error| error.in_argument("rhs");
    let Some(left) = element_type(lhs.data_type()) else {
        return Err(Error::unsupported(operation, lhs.data_type()).in_argument("lhs"));
    };
    let Some(right) = element_type(rhs.data_type()) else {
        return Err(in_rhs(Error::unsupported(operation, rhs.data_type())));
    };
    if !same_type(left, right) {
        return Err(in_rhs(Error::incompatible_types(lhs.data_type(), rhs.data_type())));
    }
    check::length(lhs.len(), rhs.len()).map_err(in_rhs)
}
