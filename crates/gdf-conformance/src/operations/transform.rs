//! Area `transform`: converts columns to other forms.

use gdf_api::transform::{encode, nans_to_nulls, one_hot_encode};
use gdf_core::Table;

use super::Operation;
use super::null_mask::run_bools_to_mask;
use crate::call::{Answered, Call};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[
    ("encode", run_encode),
    ("one_hot_encode", run_one_hot_encode),
    ("nans_to_nulls", run_nans_to_nulls),
    ("bools_to_mask", run_bools_to_mask),
];

fn run_encode(call: &Call<'_>) -> Answered {
    let (keys, codes) = encode(&call.table("input")?)?;
    Ok(Answer::tables(vec![keys, Table::try_new(vec![codes])?]))
}

fn run_one_hot_encode(call: &Call<'_>) -> Answered {
    Ok(Answer::table(one_hot_encode(&call.column("input")?, &call.column("categories")?)?))
}

fn run_nans_to_nulls(call: &Call<'_>) -> Answered {
    Ok(Answer::column(nans_to_nulls(&call.column("input")?)?)?)
}
