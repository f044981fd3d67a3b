//! Area `datetime`.

use gdf_api::datetime::extract_day;

use super::Operation;
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[("extract_datetime_component", |call| {
    let extract = call.choice("component", &[("DAY", (|column| extract_day(column)) as fn(&gdf_core::Column) -> _)])?;
    Ok(Answer::column(extract(&call.column("input")?)?)?)
})];
