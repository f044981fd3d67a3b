//! `find_and_replace_all`: each row is looked up among the values to replace, then comes from one of two columns.

use gdf_core::{Column, ColumnView, DataType, Error, Result, TableView};

use crate::Ctx;
use crate::binaryop::{BinaryOperator, binary_operation};
use crate::check;
use crate::copying::{Condition, OutOfBoundsPolicy, gather, gather_trusted, select};
use crate::join::{JOIN_NO_MATCH, row_of_each};
use crate::null_mask::null_count;
use crate::stream_compaction::{DuplicateKeepOption, NanEquality, NullEquality, distinct_indices};

/// `gdf_api::replace::find_and_replace_all` on the stream and from the resources of `ctx`.
pub fn find_and_replace_all(
    column: ColumnView<'_>,
    values_to_replace: ColumnView<'_>,
    replacement_values: ColumnView<'_>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    check::column(column, ctx)?;
    for (values, argument) in [(values_to_replace, "values_to_replace"), (replacement_values, "replacement_values")] {
        check::column(values, ctx)?;
        check::types(column.data_type(), values.data_type()).map_err(|error| error.in_argument(argument))?;
    }
    check::length(values_to_replace.len(), replacement_values.len())
        .map_err(|error| error.in_argument("replacement_values"))?;
    if null_count(values_to_replace, 0, values_to_replace.len(), ctx.stream)? > 0 {
        return Err(Error::invalid_argument("a null is no value to replace")
            .with_remedy("replace_nulls replaces nulls")
            .in_argument("values_to_replace"));
    }
    if values_to_replace.is_empty() || column.is_empty() {
        return Ok(column.to_column());
    }
    let scratch = ctx.scratch();
    // Of equal values the first counts.
    let pairs = TableView::try_new(vec![values_to_replace, replacement_values])?;
    let keys = TableView::try_new(vec![values_to_replace])?;
    let first =
        distinct_indices(keys, DuplicateKeepOption::First, NullEquality::Equal, NanEquality::AllEqual, scratch)?;
    let pairs = gather_trusted(pairs, first.view(), scratch)?;
    let [keys, replacements] = [pairs.column(0)?, pairs.column(1)?];
    let row = row_of_each(&TableView::try_new(vec![column])?, &TableView::try_new(vec![keys.view()])?, scratch)?;
    let (row_number, none) = (row.view().into(), JOIN_NO_MATCH.into());
    let found = binary_operation(row_number, none, BinaryOperator::NotEqual, &DataType::Boolean, scratch)?;
    let replacements = TableView::try_new(vec![replacements.view()])?;
    let replaced = gather(replacements, row.view(), OutOfBoundsPolicy::Nullify, scratch)?;
    let nullable = column.has_validity() || replacement_values.has_validity();
    let replaced = replaced.column(0)?.view();
    select("find_and_replace_all", replaced.into(), column.into(), Condition::True(found.view()), nullable, ctx)
}
