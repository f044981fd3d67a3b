//! Area `reshape_filling`: reshapes columns.

use gdf_api::reshape::{interleave_columns, tile, transpose};

use super::Operation;
use crate::call::{Answered, Call};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] =
    &[("tile", run_tile), ("interleave_columns", run_interleave_columns), ("transpose", run_transpose)];

fn run_tile(call: &Call<'_>) -> Answered {
    Ok(Answer::table(tile(&call.table("input")?, call.count("count")?)?))
}

fn run_interleave_columns(call: &Call<'_>) -> Answered {
    Ok(Answer::column(interleave_columns(&call.table("input")?)?)?)
}

fn run_transpose(call: &Call<'_>) -> Answered {
    Ok(Answer::table(transpose(&call.table("input")?)?))
}
