//! `apply_mask`: a filter of the elements of each list.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::reduction::{ReduceAggregation, reduce};
use gdf_compute::unary::{UnaryOperator, unary_operation};
use gdf_core::{Column, ColumnView, DataType, Error, Result};
use gdf_engine::check;
use gdf_engine::mask::bools_to_mask;

use super::elements::{Elements, Hidden, element_type, filtered};
use crate::Ctx;

/// The treatment of the elements for which the element of the mask is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marked {
    /// The elements are kept.
    Kept,
    /// The elements are removed.
    Removed,
}

/// Returns for each list the elements that a mask keeps. A null in the mask counts as false.
///
/// Implements `gdf_api::lists::apply_boolean_mask` and `apply_deletion_mask` with the stream and the memory resources
/// of `ctx`.
pub fn apply_mask(column: ColumnView<'_>, mask: ColumnView<'_>, marked: Marked, ctx: Ctx<'_>) -> Result<Column> {
    let boolean = &DataType::Boolean;
    let operation = match marked {
        Marked::Kept => "apply_boolean_mask",
        Marked::Removed => "apply_deletion_mask",
    };
    let (scratch, in_mask) = (ctx.scratch(), |error: Error| error.in_argument("mask"));
    if element_type(mask.data_type()) != Some(boolean) {
        return Err(in_mask(Error::type_mismatch("a column of lists of booleans", mask.data_type())));
    }
    check::length(column.len(), mask.len()).map_err(in_mask)?;
    let lists = Elements::open(operation, column, &[mask], Hidden::Purged, scratch)?;
    let mask = Elements::open(operation, mask, &[column], Hidden::Purged, scratch).map_err(in_mask)?;
    let same = of(&lists.sizes, Op::Equal, (&mask.sizes).into(), boolean, scratch)?;
    let same = reduce(same.view(), ReduceAggregation::All, boolean, scratch)?.value_on::<bool>(ctx.stream)?;
    if same == Some(false) {
        let text = "a list of the mask has another length than the list in the same row of the column; pass lists of \
                    equal lengths";
        return Err(in_mask(Error::invalid_argument(text)));
    }
    let nulls = [lists.column.view(), mask.column.view()];
    let mut keep: Column = mask.values.clone();
    if keep.has_validity() {
        keep = bools_to_mask(keep.view(), scratch)?.to_column()?;
    }
    if marked == Marked::Removed {
        keep = unary_operation(keep.view(), UnaryOperator::Not, scratch)?;
    }
    filtered(&lists, &keep, &nulls, ctx)
}
