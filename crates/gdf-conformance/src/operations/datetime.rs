//! Area `datetime`.

use gdf_api::datetime::extract_day;

use super::Operation;
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[("extract_datetime_component", |call| {
    call.choice("component", &[("DAY", ())])?;
    Ok(Answer::column(extract_day(&call.column("input")?)?)?)
})];
