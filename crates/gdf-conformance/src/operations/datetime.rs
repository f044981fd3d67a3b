//! Area `datetime`.

use gdf_api::datetime::extract_day;
use gdf_core::Column;

use super::Operation;
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[("extract_datetime_component", |call| {
    let extract: fn(&Column) -> gdf_core::Result<Column> =
        call.choice("component", &[("DAY", day as fn(&Column) -> _)])?;
    Ok(Answer::column(extract(&call.column("input")?)?)?)
})];

fn day(column: &Column) -> gdf_core::Result<Column> {
    extract_day(column)
}
