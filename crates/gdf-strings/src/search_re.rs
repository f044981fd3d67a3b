//! Searches for a regular expression in each row.

use gdf_core::{Column, ColumnView, Result};
use gdf_engine::regex::{self, Answer, Regex};

use crate::Ctx;

/// Returns whether a regular expression matches anywhere in each row. Implements `gdf_api::strings::contains_re`, and
/// returns the same errors.
pub fn contains_re(column: ColumnView<'_>, regex: &Regex, ctx: Ctx<'_>) -> Result<Column> {
    regex::search("contains_re", column, regex, Answer::Contains, ctx)
}

/// Returns whether a match begins at the start of each row. Implements `gdf_api::strings::matches_re`, and returns the
/// same errors.
pub fn matches_re(column: ColumnView<'_>, regex: &Regex, ctx: Ctx<'_>) -> Result<Column> {
    regex::search("matches_re", column, regex, Answer::Matches, ctx)
}

/// Returns the number of matches in each row. Implements `gdf_api::strings::count_re`, and returns the same errors.
pub fn count_re(column: ColumnView<'_>, regex: &Regex, ctx: Ctx<'_>) -> Result<Column> {
    regex::search("count_re", column, regex, Answer::Count, ctx)
}

/// Returns the character position of the first match in each row. Implements `gdf_api::strings::find_re`, and returns
/// the same errors.
pub fn find_re(column: ColumnView<'_>, regex: &Regex, ctx: Ctx<'_>) -> Result<Column> {
    regex::search("find_re", column, regex, Answer::Find, ctx)
}
