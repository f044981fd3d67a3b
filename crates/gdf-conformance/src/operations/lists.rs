//! Area `lists`: elements of lists as rows.

use gdf_api::lists::explode_outer;

use super::Operation;
use crate::call::{Answered, Call};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[("lists.explode_outer", run_explode_outer)];

fn run_explode_outer(call: &Call<'_>) -> Answered {
    Ok(Answer::table(explode_outer(&call.table("input")?, call.position("column")?)?))
}
