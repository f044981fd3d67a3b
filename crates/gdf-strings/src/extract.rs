//! The groups of a regular expression's matches.

use gdf_core::{Column, ColumnView, Error, Result, Table};
use gdf_engine::elementwise::Nulls;
use gdf_engine::regex::{Regex, Wanted, spans};

use crate::Ctx;

fn check_groups(regex: &Regex) -> Result<usize> {
    match regex.groups() {
        0 => {
            Err(Error::invalid_argument("the regular expression has no group; put the part to extract in parentheses")
                .in_argument("regex"))
        }
        groups => Ok(groups),
    }
}

/// Returns a column for each group of the first match of each row. Implements `gdf_api::strings::extract`, and returns
/// the same errors.
pub fn extract(column: ColumnView<'_>, regex: &Regex, ctx: Ctx<'_>) -> Result<Table> {
    let groups = check_groups(regex)?;
    let wanted = Wanted { limit: Some(1), ..Wanted::groups(1, groups) };
    let columns = spans("extract", column, regex, wanted, ctx.scratch())?.into_columns(Some(groups), ctx)?;
    Table::try_with_rows(columns, column.len())
}

/// Returns one group of the first match of each row. Implements `gdf_api::strings::extract_single`, and returns the
/// same errors.
pub fn extract_single(column: ColumnView<'_>, regex: &Regex, group: usize, ctx: Ctx<'_>) -> Result<Column> {
    let groups = regex.groups();
    if group > groups {
        return Err(Error::beyond_limit("the number of the group", group as i128, groups as i128).in_argument("group"));
    }
    let wanted = Wanted { limit: Some(1), ..Wanted::groups(group, 1) };
    let mut columns = spans("extract_single", column, regex, wanted, ctx.scratch())?.into_columns(Some(1), ctx)?;
    columns.pop().ok_or_else(|| Error::column_count(1, 0))
}

/// Returns all groups of all matches of each row. Implements `gdf_api::strings::extract_all_record`, and returns the
/// same errors.
pub fn extract_all_record(column: ColumnView<'_>, regex: &Regex, ctx: Ctx<'_>) -> Result<Column> {
    let wanted = Wanted { null_without_match: true, ..Wanted::groups(1, check_groups(regex)?) };
    spans("extract_all_record", column, regex, wanted, ctx)?.into_lists(Nulls::Own { nullable: true }, ctx)
}
