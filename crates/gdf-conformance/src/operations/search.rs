//! Area `search`: positions of rows in sorted tables, and membership of rows.

use gdf_api::search::{contains, lower_bound, upper_bound};

use super::Operation;
use super::sorting::orders;
use crate::call::{Answered, Call};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] =
    &[("lower_bound", run_lower_bound), ("upper_bound", run_upper_bound), ("contains", run_contains)];

fn run_lower_bound(call: &Call<'_>) -> Answered {
    let (orders, null_orders) = orders(call)?;
    let (haystack, needles) = (call.table("haystack")?, call.table("needles")?);
    Ok(Answer::column(lower_bound(&haystack, &needles, &orders, &null_orders)?)?)
}

fn run_upper_bound(call: &Call<'_>) -> Answered {
    let (orders, null_orders) = orders(call)?;
    let (haystack, needles) = (call.table("haystack")?, call.table("needles")?);
    Ok(Answer::column(upper_bound(&haystack, &needles, &orders, &null_orders)?)?)
}

fn run_contains(call: &Call<'_>) -> Answered {
    Ok(Answer::column(contains(&call.column("haystack")?, &call.column("needles")?)?)?)
}
