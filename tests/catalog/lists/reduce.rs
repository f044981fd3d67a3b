//! Entries of `lists` that return one value for each list.

use arrow_schema::DataType;
use gdf_api::lists as api;
use gdf_api::reduction::{NullPolicy, ReduceAggregation as Aggregation};
use gdf_core::{Abilities, Column, Result};

use super::elements::{case, columns, comparable, element_type, refused_numbers};
use crate::catalog::{Case, Entry};
use crate::documented_types::{decoded, reduced_type};
use crate::naive::lists as naive;
use gdf_test::compare::Equality;

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("lists.all", Equality::Exact, || short_forms(Aggregation::All)),
        Entry::new("lists.any", Equality::Exact, || short_forms(Aggregation::Any)),
        Entry::new("lists.max", Equality::Exact, || short_forms(Aggregation::Max)).guessing(),
        Entry::new("lists.mean", Equality::Ulp(4), || short_forms(Aggregation::Mean)),
        Entry::new("lists.min", Equality::Exact, || short_forms(Aggregation::Min)).guessing(),
        Entry::new("lists.reduce", Equality::Exact, reduce),
        Entry::new("lists.sum", Equality::Exact, || short_forms(Aggregation::Sum)),
    ]
}

fn is_exact(data_type: &DataType) -> bool {
    !matches!(data_type, DataType::Float32 | DataType::Float64)
}

fn reduce() -> Vec<Case> {
    let mut cases = Vec::new();
    for (label, lists) in columns(&comparable()) {
        for of in [Aggregation::Product, Aggregation::CountValid, Aggregation::Max, Aggregation::Sum, Aggregation::All]
        {
            let item = element_type(lists.data_type()).clone();
            let adds = matches!(of, Aggregation::Sum | Aggregation::Product);
            let Some(output) = reduced_type(of, decoded(&item)) else { continue };
            if adds && !is_exact(&item) {
                continue;
            }
            for policy in [NullPolicy::Exclude, NullPolicy::Include] {
                let (output, own) = (output.clone(), output.clone());
                cases.push(case(
                    format!("{of:?}/{label}/{policy:?}"),
                    vec![lists.clone()],
                    move |inputs| api::reduce(&inputs[0], of, &own, policy),
                    move |inputs| naive::reduce(&inputs[0], of, &output, policy == NullPolicy::Include),
                ));
            }
        }
    }
    let run = |inputs: &[Column]| api::reduce(&inputs[0], Aggregation::Sum, &DataType::Int64, NullPolicy::Exclude);
    cases.push(refused_numbers(run));
    cases
}

fn short_forms(of: Aggregation) -> Vec<Case> {
    let run: fn(&Column) -> Result<Column> = match of {
        Aggregation::Sum => |lists| api::sum(lists),
        Aggregation::Min => |lists| api::min(lists),
        Aggregation::Max => |lists| api::max(lists),
        Aggregation::Mean => |lists| api::mean(lists),
        Aggregation::Any => |lists| api::any(lists),
        _ => |lists| api::all(lists),
    };
    let adds = matches!(of, Aggregation::Sum | Aggregation::Mean);
    let mut cases = Vec::new();
    for (label, lists) in columns(&comparable()) {
        let item = element_type(lists.data_type()).clone();
        let Some(output) = reduced_type(of, decoded(&item)) else { continue };
        if (adds && !is_exact(&item)) || !Abilities::of(&item).rows {
            continue;
        }
        cases.push(case(
            label,
            vec![lists],
            move |inputs| run(&inputs[0]),
            move |inputs| naive::reduce(&inputs[0], of, &output, false),
        ));
    }
    cases.push(refused_numbers(move |inputs| run(&inputs[0])));
    cases
}
