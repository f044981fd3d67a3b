//! Area `stream_compaction`: selects some of the rows.

use gdf_api::stream_compaction::{
    DuplicateKeepOption, NanEquality, NanPolicy, NullEquality, NullPolicy, apply_boolean_mask, apply_deletion_mask,
    distinct, distinct_count, distinct_count_rows, distinct_indices, drop_nans, drop_nulls, unique, unique_count,
    unique_count_rows,
};

use super::Operation;
use crate::call::{Answered, Call, Failure};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[
    ("apply_boolean_mask", run_apply_boolean_mask),
    ("apply_retention_mask", run_apply_boolean_mask),
    ("apply_deletion_mask", run_apply_deletion_mask),
    ("distinct", run_distinct),
    ("stable_distinct", run_distinct),
    ("distinct_indices", run_distinct_indices),
    ("drop_nulls", run_drop_nulls),
    ("drop_nans", run_drop_nans),
    ("unique", run_unique),
    ("unique_count", run_unique_count),
    ("unique_count_table", run_unique_count_rows),
    ("distinct_count", run_distinct_count),
    ("distinct_count_table", run_distinct_count_rows),
];

fn run_apply_boolean_mask(call: &Call<'_>) -> Answered {
    Ok(Answer::table(apply_boolean_mask(&call.table("input")?, &call.column("mask")?)?))
}

fn run_apply_deletion_mask(call: &Call<'_>) -> Answered {
    Ok(Answer::table(apply_deletion_mask(&call.table("input")?, &call.column("mask")?)?))
}

fn kept(call: &Call<'_>) -> Result<DuplicateKeepOption, Failure> {
    use DuplicateKeepOption as K;
    let keeps = [("KEEP_ANY", K::Any), ("KEEP_FIRST", K::First), ("KEEP_LAST", K::Last), ("KEEP_NONE", K::None)];
    call.choice("keep", &keeps)
}

fn nulls_equal(call: &Call<'_>) -> Result<NullEquality, Failure> {
    call.choice("nulls_equal", &[("EQUAL", NullEquality::Equal), ("UNEQUAL", NullEquality::Unequal)])
}

fn options(call: &Call<'_>) -> Result<(DuplicateKeepOption, NullEquality, NanEquality), Failure> {
    let nans = [("ALL_EQUAL", NanEquality::AllEqual), ("UNEQUAL", NanEquality::Unequal)];
    Ok((kept(call)?, nulls_equal(call)?, call.choice("nans_equal", &nans)?))
}

fn policies(call: &Call<'_>) -> Result<(NullPolicy, NanPolicy), Failure> {
    let nulls = [("INCLUDE", NullPolicy::Include), ("EXCLUDE", NullPolicy::Exclude)];
    let nans = [("NAN_IS_NULL", NanPolicy::IsNull), ("NAN_IS_VALID", NanPolicy::IsValid)];
    Ok((call.choice("null_policy", &nulls)?, call.choice("nan_policy", &nans)?))
}

fn run_drop_nulls(call: &Call<'_>) -> Answered {
    Ok(Answer::table(drop_nulls(&call.table("input")?, &keys(call)?, call.count("threshold")?)?))
}

fn run_drop_nans(call: &Call<'_>) -> Answered {
    Ok(Answer::table(drop_nans(&call.table("input")?, &keys(call)?, call.count("threshold")?)?))
}

fn run_unique(call: &Call<'_>) -> Answered {
    Ok(Answer::table(unique(&call.table("input")?, &keys(call)?, kept(call)?, nulls_equal(call)?)?))
}

fn run_unique_count(call: &Call<'_>) -> Answered {
    let (nulls, nans) = policies(call)?;
    Ok(Answer::value(unique_count(&call.column("input")?, nulls, nans)?))
}

fn run_unique_count_rows(call: &Call<'_>) -> Answered {
    Ok(Answer::value(unique_count_rows(&call.table("input")?, nulls_equal(call)?)?))
}

fn run_distinct_count(call: &Call<'_>) -> Answered {
    let (nulls, nans) = policies(call)?;
    Ok(Answer::value(distinct_count(&call.column("input")?, nulls, nans)?))
}

fn run_distinct_count_rows(call: &Call<'_>) -> Answered {
    Ok(Answer::value(distinct_count_rows(&call.table("input")?, nulls_equal(call)?)?))
}

/// Returns the numbers of the key columns.
pub(super) fn keys(call: &Call<'_>) -> Result<Vec<usize>, Failure> {
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
