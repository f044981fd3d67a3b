//! Splitting of texts at the matches of a regular expression.

use gdf_core::{Column, ColumnView, Result, Table};
use gdf_engine::elementwise::Nulls;
use gdf_engine::regex::{Regex, Wanted, spans};
use gdf_engine::strings::Spans;

use super::split::SplitFrom;
use crate::Ctx;

fn pieces<'a>(
    operation: &'static str,
    column: ColumnView<'a>,
    regex: &Regex,
    limit: Option<usize>,
    from: SplitFrom,
    ctx: Ctx<'_>,
) -> Result<Spans<'a>> {
    let from_end = from == SplitFrom::Right && limit.is_some();
    spans(operation, column, regex, Wanted { limit, from_end, ..Wanted::groups(0, 0) }, ctx)
}

/// Returns a list of the parts of each row. Implements `split_record_re` and `rsplit_record_re` of `gdf_api::strings`,
/// and returns the same errors.
pub fn split_record_re(
    column: ColumnView<'_>,
    regex: &Regex,
    limit: Option<usize>,
    from: SplitFrom,
    ctx: Ctx<'_>,
) -> Result<Column> {
    pieces("split_record_re", column, regex, limit, from, ctx)?.into_lists(Nulls::Never, ctx)
}

/// Returns a column for each part of the row with the most parts. Implements `split_re` and `rsplit_re` of
/// `gdf_api::strings`, and returns the same errors.
pub fn split_re(
    column: ColumnView<'_>,
    regex: &Regex,
    limit: Option<usize>,
    from: SplitFrom,
    ctx: Ctx<'_>,
) -> Result<Table> {
    let (pieces, rows) = (pieces("split_re", column, regex, limit, from, ctx.scratch())?, column.len());
    Table::try_with_rows(pieces.into_columns(None, ctx)?, rows)
}
