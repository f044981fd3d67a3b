//! Area `replace`: replaces nulls, NaN, values out of range, and values in a list.

use gdf_api::replace::{
    ReplacePolicy, clamp, clamp_with_replacements, find_and_replace_all, normalize_nans_and_zeros, replace_nulls,
    replace_nulls_by_policy,
};

use super::Operation;
use crate::call::{Answered, Call};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[
    ("replace_nulls", run_replace_nulls),
    ("clamp", run_clamp),
    ("find_and_replace_all", run_find_and_replace_all),
    ("normalize_nans_and_zeros", run_normalize_nans_and_zeros),
];

fn run_replace_nulls(call: &Call<'_>) -> Answered {
    let input = call.column("input")?;
    if call.arg("policy").is_some() {
        let policies = [("PRECEDING", ReplacePolicy::Preceding), ("FOLLOWING", ReplacePolicy::Following)];
        return Ok(Answer::column(replace_nulls_by_policy(&input, call.choice("policy", &policies)?)?)?);
    }
    let replacement = call.given("replacement")?;
    Ok(Answer::column(replace_nulls(&input, replacement.operand())?)?)
}

fn run_clamp(call: &Call<'_>) -> Answered {
    let (input, low, high) = (call.column("input")?, call.scalar("lo")?, call.scalar("hi")?);
    if !call.has("lo_replace") {
        return Ok(Answer::column(clamp(&input, &low, &high)?)?);
    }
    let (to_low, to_high) = (call.scalar("lo_replace")?, call.scalar("hi_replace")?);
    let (low, high) = ([(&low).into(), (&to_low).into()], [(&high).into(), (&to_high).into()]);
    Ok(Answer::column(clamp_with_replacements(&input, low, high)?)?)
}

fn run_find_and_replace_all(call: &Call<'_>) -> Answered {
    let (input, from, to) = (call.column("input")?, call.column("from")?, call.column("to")?);
    Ok(Answer::column(find_and_replace_all(&input, &from, &to)?)?)
}

fn run_normalize_nans_and_zeros(call: &Call<'_>) -> Answered {
    Ok(Answer::column(normalize_nans_and_zeros(&call.column("input")?)?)?)
}
