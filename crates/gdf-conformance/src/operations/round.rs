//! Area `round`.

use gdf_api::round::{RoundingMethod, round};

use super::Operation;
use crate::call::{Answered, Call};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[("round", rounded), ("round_decimal", rounded)];

fn rounded(call: &Call<'_>) -> Answered {
    let methods = [("HALF_UP", RoundingMethod::HalfUp), ("HALF_EVEN", RoundingMethod::HalfEven)];
    let places = i32::try_from(call.integer("places")?)
        .map_err(|_| call.unreadable("the number of decimal places exceeds 32 bits".into()))?;
    Ok(Answer::column(round(&call.column("input")?, places, call.choice("method", &methods)?)?)?)
}
