//! Joins of sorted rows by binary search.

use gdf_compute::binaryop::{self, BinaryOperator as B};
use gdf_compute::copying::{OutOfBoundsPolicy, gather};
use gdf_compute::filling::{repeat, row_numbers, sequence};
use gdf_compute::replace::replace_nulls;
use gdf_compute::scan::{NullPolicy, ScanAggregation, ScanType, scan};
use gdf_compute::sorting::sorted_order;
use gdf_compute::unary::{cast, is_valid};
use gdf_core::{Column, DataType, Error, Literal, Result, TableView};
use gdf_engine::decoded::Decoded;
use gdf_engine::keys::row_indices;

use super::matches::{Equal, equal_rows};
use super::{JOIN_NO_MATCH, JoinKind, NullEquality};
use crate::Ctx;

const JOIN: &str = "sort_merge_join";

/// The order of the right side, as the caller states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Presorted {
    /// The rows are in ascending order, and nulls come first.
    Yes,
    /// The rows are in any order.
    #[default]
    No,
}

/// Implements `gdf_api::join::sort_merge_inner_join` and `sort_merge_left_join`.
///
/// If the caller says wrongly that the right side is sorted, the result has wrong pairs. The row numbers are rows of
/// both sides even then, because the two searches return positions, and a negative number of matches becomes zero.
pub fn sort_merge_join(
    kind: JoinKind,
    left: &TableView<'_>,
    right: &TableView<'_>,
    nulls: NullEquality,
    presorted: Presorted,
    ctx: Ctx<'_>,
) -> Result<(Column, Column)> {
    if left.num_columns() == 0 {
        return Err(Error::invalid_argument("the table has no columns; pass at least 1 key column").in_argument("left"));
    }
    let scratch = ctx.scratch();
    let order = match presorted {
        Presorted::Yes => None,
        Presorted::No => Some(sorted_order(right.clone(), &[], &[], scratch)?),
    };
    let sorted = match &order {
        Some(order) => Some(gather(right.clone(), order.view(), OutOfBoundsPolicy::Nullify, scratch)?),
        None => None,
    };
    let haystack = sorted.as_ref().map_or_else(|| right.clone(), |sorted| sorted.view());
    let Equal { first, counts } = equal_rows(&haystack, left, scratch)?;
    let of = |lhs: &Column, op, rhs: &Column| binaryop::of(lhs, op, rhs.into(), &DataType::Int64, scratch);
    let no_less =
        |lhs: &Column, min: i64| binaryop::of(lhs, B::NullMax, Literal::from(min).into(), &DataType::Int64, scratch);
    let mut matches = no_less(&counts, 0)?;
    if nulls == NullEquality::Unequal {
        for column in left.columns() {
            if column.data_type().is_nested() {
                return Err(Error::unsupported(JOIN, column.data_type())
                    .with_remedy("use `inner_join` or `left_join`, or NullEquality::Equal"));
            }
            let decoded = Decoded::of(*column, scratch)?;
            if decoded.view().has_validity() {
                let valid = cast(is_valid(decoded.view(), scratch)?.view(), &DataType::Int64, scratch)?;
                matches = of(&matches, B::Mul, &valid)?;
            }
        }
    }
    let results = if kind == JoinKind::Inner { matches.clone() } else { no_less(&matches, 1)? };
    let begins = scan(results.view(), ScanAggregation::Sum, ScanType::Exclusive, NullPolicy::Exclude, scratch)?;
    let shift = of(&first, B::Sub, &begins)?;
    let numbers = row_numbers(left.num_rows(), scratch)?;
    let columns = TableView::try_new(vec![shift.view(), matches.view()])?;
    let rows = repeat(columns, (&results).into(), scratch)?;
    let (shift, matches) = (rows.column(0)?, rows.column(1)?);
    let left_rows = repeat(TableView::from(numbers.view()), (&results).into(), ctx)?.column(0)?.clone();
    let places = sequence(Literal::from(0_i64).into(), Literal::from(1_i64).into(), rows.num_rows(), scratch)?;
    let mut positions = of(&places, B::Add, shift)?;
    let data_type = row_indices(right.num_rows());
    if kind != JoinKind::Inner {
        let is_match = binaryop::of(matches, B::Greater, Literal::from(0_i64).into(), &DataType::Boolean, scratch)?;
        let nothing = Literal::typed(None::<i64>, &DataType::Int64)?;
        positions = gdf_compute::copying::copy_if_else((&positions).into(), nothing.into(), is_match.view(), scratch)?;
    }
    let found = if kind == JoinKind::Inner { ctx } else { scratch };
    let right_rows = match &order {
        Some(order) => gather(TableView::from(order.view()), positions.view(), OutOfBoundsPolicy::Nullify, found)?
            .column(0)?
            .clone(),
        None => cast(positions.view(), &data_type, found)?,
    };
    if kind == JoinKind::Inner {
        return Ok((left_rows, right_rows));
    }
    let nothing = match data_type {
        DataType::UInt32 => Literal::from(JOIN_NO_MATCH),
        _ => Literal::from(u64::MAX),
    };
    Ok((left_rows, replace_nulls(right_rows.view(), nothing.into(), ctx)?))
}
