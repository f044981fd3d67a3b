//! `count_elements`, `extract_list_element` and `segmented_gather`: lengths of lists, and elements at positions.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::copying::OutOfBoundsPolicy;
use gdf_compute::lists::{Lists, as_lists, check_total, make_lists};
use gdf_compute::unary::signed;
use gdf_core::{Column, ColumnView, DataType, Error, ListsView, Operand, Result, Scalar, is_integral};
use gdf_engine::check;
use gdf_engine::operand::one_value;

use super::elements::{Elements, Hidden, element_type, nullable_elements, position_type, with_nulls};
use super::positions::{Positions, check_positions};
use crate::Ctx;
use crate::vouch::gather_column;

/// Returns the number of elements of each list.
///
/// Implements `gdf_api::lists::count_elements` with the stream and the memory resources of `ctx`.
pub fn count_elements(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let scratch = ctx.scratch();
    let lists = as_lists("count_elements", column, scratch)?;
    let opened = Lists::open(ListsView::try_from(lists.view())?, &[], scratch)?;
    let counts = of(&opened.sizes, Op::Add, 0_i64.into(), &position_type(lists.data_type()), ctx)?;
    with_nulls(counts, &[lists.view()], ctx)
}

/// Returns the element of each list at the position `index`.
///
/// Implements `gdf_api::lists::extract_list_element` with the stream and the memory resources of `ctx`.
pub fn extract_list_element(column: ColumnView<'_>, index: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let scratch = ctx.scratch();
    let lists = as_lists("extract_list_element", column, scratch)?;
    let in_argument = |error: Error| error.in_argument("index");
    if !is_integral(index.data_type()) {
        return Err(in_argument(Error::type_mismatch("an integer type", index.data_type())));
    }
    let opened = Lists::open(ListsView::try_from(lists.view())?, &[], scratch)?;
    let begins = opened.begins()?;
    let positions = match index {
        Operand::Column(index) => {
            check_positions(index, lists.len(), scratch).map_err(in_argument)?;
            Positions::of(index, &begins, &opened.sizes, scratch)?
        }
        index => {
            let index = one_value(index, &DataType::Int64, scratch).map_err(in_argument)?;
            let index = Scalar::from_column(signed(index.view(), scratch)?)?.value_on::<i64>(ctx.stream)?;
            let null = || Error::invalid_argument("the index is null; pass a number");
            Positions::at(index.ok_or_else(|| in_argument(null()))?, &begins, &opened.sizes, scratch)?
        }
    };
    gather_column(opened.elements.view(), positions.or_null(scratch)?.view(), ctx)
}

/// Returns the elements of each list at the positions in the list of `map` of the same row.
///
/// Implements `gdf_api::lists::segmented_gather` with the stream and the memory resources of `ctx`.
pub fn segmented_gather(
    column: ColumnView<'_>,
    map: ColumnView<'_>,
    policy: OutOfBoundsPolicy,
    ctx: Ctx<'_>,
) -> Result<Column> {
    const OPERATION: &str = "segmented_gather";
    let scratch = ctx.scratch();
    let in_map = |error: Error| error.in_argument("map");
    check::length(column.len(), map.len()).map_err(in_map)?;
    let lists = as_lists(OPERATION, column, scratch)?;
    let is_positions = element_type(map.data_type()).is_some_and(is_integral);
    if !is_positions {
        return Err(in_map(Error::type_mismatch("a column of lists of integers", map.data_type())));
    }
    let opened = Lists::open(ListsView::try_from(lists.view())?, &[], scratch)?;
    let map = Elements::open(OPERATION, map, &[lists.view()], Hidden::Purged, scratch).map_err(in_map)?;
    let like = nullable_elements(lists.data_type());
    check_total(&like, map.values.len())?;
    let parents = map.parents(scratch)?;
    let of_parents = |column: &Column| gather_column(column.view(), parents.view(), scratch);
    let (begins, sizes) = (of_parents(&opened.begins()?)?, of_parents(&opened.sizes)?);
    let positions = Positions::of(map.values.view(), &begins, &sizes, scratch)?;
    if policy == OutOfBoundsPolicy::Error {
        positions.check(ctx).map_err(in_map)?;
    }
    let values = gather_column(opened.elements.view(), positions.or_null(scratch)?.view(), ctx)?;
    make_lists(&like, &map.offsets, values, &[lists.view(), map.column.view()], ctx)
}
