//! Entries of `labeling`.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::labeling::{Edge, label_bins};
use gdf_core::{Column, Error, Result};

use super::{Case, Entry};
use crate::naive;
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, random_array};
use gdf_test::value::{Value, from_values, to_values};

pub(super) fn entries() -> Vec<Entry> {
    vec![Entry::new("labeling.label_bins", Equality::Exact, cases)]
}

const EDGES: [(Edge, Edge); 4] = [
    (Edge::Inclusive, Edge::Exclusive),
    (Edge::Exclusive, Edge::Inclusive),
    (Edge::Inclusive, Edge::Inclusive),
    (Edge::Exclusive, Edge::Exclusive),
];

fn run(inputs: &[Column], left: Edge, right: Edge) -> Result<Vec<Column>> {
    Ok(vec![label_bins(&inputs[0], &inputs[1], left, &inputs[2], right)?])
}

fn case(label: &str, inputs: Vec<ArrayRef>, (left, right): (Edge, Edge)) -> Case {
    let label = format!("{label}/{}/{}/{left:?}/{right:?}", inputs[0].data_type(), inputs[0].len());
    Case::new(
        label,
        inputs,
        move |inputs| run(inputs, left, right),
        move |inputs| Ok(vec![naive::labeling::label_bins(&inputs[0], (&inputs[1], left), (&inputs[2], right))]),
        // The operation waits for the null count of each of the two edge columns.
        2,
    )
}

/// Returns the edges of bins.
fn bins(data_type: &DataType, bins: usize, seed: u64) -> [ArrayRef; 2] {
    let mut values: Vec<Value> =
        to_values(&random_array(data_type, 9 * bins + 60, NullPattern::None, seed)).into_iter().flatten().collect();
    values.retain(|value| !naive::replace::is_nan(value));
    values.sort();
    // Zeros of both signs are the same edge.
    values.dedup_by(|a, b| naive::replace::compare(a, b).is_some_and(|order| order.is_eq()));
    let step = (values.len().saturating_sub(1) / bins.max(1)).max(1);
    let edge = |bin: usize, end: usize| {
        values.get(bin * step + if bin % 3 == 1 { end * step.div_ceil(2) } else { end * step })
    };
    let edges = |end| (0..bins).map_while(|bin| Some(Some(edge(bin, end)?.clone()))).collect::<Vec<_>>();
    let (left, right) = (edges(0), edges(1));
    let len = left.len().min(right.len());
    [left, right].map(|edges| from_values(data_type, &edges[..len]))
}

fn cases() -> Vec<Case> {
    use NullPattern::{None as Plain, Some as Nulls};
    let mut cases = Vec::new();
    let types = [data::numeric(), data::decimal(), data::temporal(), data::strings(), vec![DataType::Boolean]].concat();
    for (data_type, seed) in types.iter().zip(1_u64..) {
        for (edges, nulls) in EDGES.into_iter().zip([Plain, Nulls, Nulls, Plain]) {
            let [left, right] = bins(data_type, 6, seed);
            cases.push(case("types", vec![random_array(data_type, 147, nulls, seed), left, right], edges));
        }
    }
    for (&rows, seed) in BRACKETS.iter().zip(1_u64..) {
        for (count, edges) in [0, 1, 2, 33].into_iter().zip(EDGES) {
            for data_type in [DataType::Int32, DataType::Float64, DataType::Utf8] {
                let [left, right] = bins(&data_type, count, seed);
                let input = random_array(&data_type, rows, Nulls, seed);
                cases.push(case(&format!("{count} bins"), vec![input, left, right], edges));
            }
        }
    }
    let refused = |label: &str, inputs: Vec<ArrayRef>, is_right: fn(&Error) -> bool| {
        let run = |inputs: &[Column]| run(inputs, Edge::Inclusive, Edge::Exclusive);
        Case::refused(format!("refused {label}"), inputs, run, is_right)
    };
    let ints = |rows, nulls| random_array(&DataType::Int32, rows, nulls, 1);
    let no_order = || random_array(&DataType::FixedSizeBinary(5), 3, Plain, 1);
    cases.push(refused("null edge", vec![ints(3, Plain), ints(3, NullPattern::Every(2)), ints(3, Plain)], |error| {
        matches!(error, Error::InvalidArgument { .. })
    }));
    cases.push(refused("lengths", vec![ints(3, Plain), ints(3, Plain), ints(2, Plain)], |error| {
        matches!(error, Error::LengthMismatch { .. })
    }));
    let floats = random_array(&DataType::Float64, 3, Plain, 1);
    cases.push(refused("types", vec![ints(3, Plain), ints(3, Plain), floats], |error| {
        matches!(error, Error::TypeMismatch { .. })
    }));
    cases.push(refused("no order", vec![no_order(), no_order(), no_order()], |error| {
        matches!(error, Error::Unsupported { .. })
    }));
    cases
}

#[cfg(test)]
mod tests {
    use gdf_test::runner::{RunnerOptions, run_entry};

    #[test]
    fn passes_on_the_cpu() {
        for entry in super::entries() {
            run_entry(&entry, gdf_driver::Device::Cpu, &RunnerOptions::default()).assert_passed();
        }
    }
}
