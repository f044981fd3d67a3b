//! Area `replace`: other values for nulls.

use gdf_api::replace::replace_nulls;

use super::Operation;
use crate::call::{Answered, Call, Failure};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[("replace_nulls", run_replace_nulls)];

fn run_replace_nulls(call: &Call<'_>) -> Answered {
    if let Some(policy) = call.arg("policy") {
        return Err(Failure::Unsupported(format!("replace_nulls with policy {policy}")));
    }
    let replacement = call.given("replacement")?;
    Ok(Answer::column(replace_nulls(&call.column("input")?, replacement.operand())?)?)
}
