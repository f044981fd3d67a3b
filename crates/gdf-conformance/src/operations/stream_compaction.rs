//! Area `stream_compaction`: keeping some of the rows.

use gdf_api::stream_compaction::{
    DuplicateKeepOption, NanEquality, NullEquality, apply_boolean_mask, distinct, distinct_indices,
};

use super::Operation;
use crate::call::{Answered, Call, Failure};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[
    ("apply_boolean_mask", run_apply_boolean_mask),
    ("apply_retention_mask", run_apply_boolean_mask),
    ("distinct", run_distinct),
    ("stable_distinct", run_distinct),
    ("distinct_indices", run_distinct_indices),
];

fn run_apply_boolean_mask(call: &Call<'_>) -> Answered {
    Ok(Answer::table(apply_boolean_mask(&call.table("input")?, &call.column("mask")?)?))
}

fn options(call: &Call<'_>) -> Result<(DuplicateKeepOption, NullEquality, NanEquality), Failure> {
    use DuplicateKeepOption as K;
    let keeps = [("KEEP_ANY", K::Any), ("KEEP_FIRST", K::First), ("KEEP_LAST", K::Last), ("KEEP_NONE", K::None)];
    let nulls = [("EQUAL", NullEquality::Equal), ("UNEQUAL", NullEquality::Unequal)];
    let nans = [("ALL_EQUAL", NanEquality::AllEqual), ("UNEQUAL", NanEquality::Unequal)];
    Ok((call.choice("keep", &keeps)?, call.choice("nulls_equal", &nulls)?, call.choice("nans_equal", &nans)?))
}

fn keys(call: &Call<'_>) -> Result<Vec<usize>, Failure> {
    let keys = call.integers("keys")?;
    let keys = keys
        .into_iter()
        .map(|key| usize::try_from(key).map_err(|_| gdf_core::Error::out_of_bounds(i128::from(key), 0).into()));
    keys.collect()
}

fn run_distinct(call: &Call<'_>) -> Answered {
    let (keep, nulls, nans) = options(call)?;
    Ok(Answer::table(distinct(&call.table("input")?, &keys(call)?, keep, nulls, nans)?))
}

fn run_distinct_indices(call: &Call<'_>) -> Answered {
    let (keep, nulls, nans) = options(call)?;
    Ok(Answer::column(distinct_indices(&call.table("input")?, keep, nulls, nans)?)?)
}
