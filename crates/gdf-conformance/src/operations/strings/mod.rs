//! Area `strings`.

pub(super) mod characters;
pub(super) mod edit;
pub(super) mod numbers;
pub(super) mod nvtext;
pub(super) mod regex;
pub(super) mod search;
pub(super) mod split;

use arrow_array::cast::AsArray;
use gdf_api::strings::to_upper;

use super::Operation;
use crate::call::{Call, Failure, Given};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] =
    &[("strings.to_upper", |call| Ok(Answer::column(to_upper(&call.column("input")?)?)?))];

/// Returns the text of a scalar.
pub(super) fn literal(call: &Call<'_>, name: &str) -> Result<String, Failure> {
    let scalar = match call.given(name)? {
        Given::Scalar(scalar) => scalar.to_arrow(call.stream())?,
        Given::Column(_) => return Err(Failure::Unsupported(format!("a column as {name}"))),
    };
    match scalar.as_string_opt::<i32>().and_then(|text| text.iter().next().flatten()) {
        Some(text) => Ok(text.to_owned()),
        None => Err(Failure::Unsupported(format!("a null as {name}"))),
    }
}
