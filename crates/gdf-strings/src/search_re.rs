//! What a search for a regular expression says of each row.

use gdf_core::{Column, ColumnView, Result};
use gdf_engine::regex::{self, Answer, Regex};

use crate::Ctx;

/// Whether a regular expression matches anywhere in each row: `gdf_api::strings::contains_re`, with its errors.
pub fn contains_re(column: ColumnView<'_>, regex: &Regex, ctx: Ctx<'_>) -> Result<Column> {
    regex::search("contains_re", column, regex, Answer::Contains, ctx)
}

/// Whether a match begins with each row: `gdf_api::strings::matches_re`, with its errors.
pub fn matches_re(column: ColumnView<'_>, regex: &Regex, ctx: Ctx<'_>) -> Result<Column> {
    regex::search("matches_re", column, regex, Answer::Matches, ctx)
}

/// The number of matches in each row: `gdf_api::strings::count_re`, with its errors.
pub fn count_re(column: ColumnView<'_>, regex: &Regex, ctx: Ctx<'_>) -> Result<Column> {
    regex::search("count_re", column, regex, Answer::Count, ctx)
}

/// The character at which the first match of each row begins: `gdf_api::strings::find_re`, with its errors.
pub fn find_re(column: ColumnView<'_>, regex: &Regex, ctx: Ctx<'_>) -> Result<Column> {
    regex::search("find_re", column, regex, Answer::Find, ctx)
}
