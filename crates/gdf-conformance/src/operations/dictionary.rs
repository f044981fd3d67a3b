//! The cases with dictionaries of area `structs_dictionary`. The cases call operations of other areas with dictionary
//! columns.

use gdf_api::concatenate::concatenate;
use gdf_api::copying::{OutOfBoundsPolicy, gather, get_element};
use gdf_api::dictionary::decode;
use gdf_api::groupby::{AggregationRequest, GroupBy, NullPolicy};
use gdf_api::unary::is_null;
use gdf_core::{Scalar, Table};

use super::{Operation, groupby, hashing, reduction, sorting};
use crate::call::{Answered, Call};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[
    ("dictionary.roundtrip", roundtrip),
    ("dictionary.is_null", |call| Ok(Answer::column(is_null(&call.column("input")?)?)?)),
    ("dictionary.get_element", run_get_element),
    ("dictionary.sort", sorting::run_sorted_order),
    ("dictionary.reduce", reduction::run_reduce),
    ("dictionary.groupby", run_groupby),
    ("dictionary.concatenate", run_concatenate),
    ("dictionary.hash", hashing::run_murmurhash3_x86_32),
];

fn roundtrip(call: &Call<'_>) -> Answered {
    Ok(Answer::table(gather(&call.table("input")?, &call.column("map")?, OutOfBoundsPolicy::Error)?))
}

fn run_get_element(call: &Call<'_>) -> Answered {
    let element = get_element(&call.column("input")?, call.position("index")?)?;
    Ok(Answer::scalar(Scalar::from_column(decode(&element.into_column())?)?))
}

fn run_groupby(call: &Call<'_>) -> Answered {
    let (keys, values) = (call.table("keys")?, call.column("values")?);
    let agg = call.arg("agg").ok_or_else(|| call.unreadable("the case has no `agg`".to_owned()))?;
    let request = AggregationRequest::new(&values, vec![groupby::aggregation(call, agg)?]);
    groupby::flat(GroupBy::new(&keys, NullPolicy::Exclude).aggregate(&[request])?)
}

fn run_concatenate(call: &Call<'_>) -> Answered {
    let tables = call.tables()?;
    let views: Vec<_> = tables.iter().map(Table::view).collect();
    Ok(Answer::table(concatenate(&views)?))
}
