//! All matches of a regular expression in each row.

use gdf_core::{Column, ColumnView, Error, Result};
use gdf_engine::elementwise::Nulls;
use gdf_engine::regex::{Regex, Wanted, spans};

use crate::Ctx;

/// Returns the matches of each row, or the group of each match if the pattern has one group. Implements
/// `gdf_api::strings::findall`, and returns the same errors.
pub fn findall(column: ColumnView<'_>, regex: &Regex, ctx: Ctx<'_>) -> Result<Column> {
    let groups = regex.groups();
    if groups > 1 {
        return Err(Error::beyond_limit("the number of groups", groups as i128, 1)
            .in_argument("regex")
            .with_remedy("use one group, or call `extract_all_record`"));
    }
    let nulls = if groups == 0 { Nulls::Never } else { Nulls::Own { nullable: true } };
    spans("findall", column, regex, Wanted::groups(groups, 1), ctx)?.into_lists(nulls, ctx)
}
