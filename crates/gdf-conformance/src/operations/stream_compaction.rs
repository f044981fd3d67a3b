//! Area `stream_compaction`: keeping some of the rows.

use gdf_api::stream_compaction::apply_boolean_mask;

use super::Operation;
use crate::call::{Answered, Call};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] =
    &[("apply_boolean_mask", run_apply_boolean_mask), ("apply_retention_mask", run_apply_boolean_mask)];

fn run_apply_boolean_mask(call: &Call<'_>) -> Answered {
    Ok(Answer::table(apply_boolean_mask(&call.table("input")?, &call.column("mask")?)?))
}
