//! Tests that grouping, merging and finalizing batches gives the results of grouping all rows in one table.

use std::collections::HashMap;

use gdf_core::{Column, ColumnParts, DataType, Table};
use gdf_driver::Stream;
use gdf_engine::host::HostColumn;
use gdf_engine::test_device::on_host;
use gdf_memory::{Resource, Resources};

use super::{Partial, PartialRequest, aggregate_partial, finalize, merge};
use crate::Ctx;
use crate::groupby::{AggregationRequest, GroupByAggregation as A, NullPolicy, aggregate};

fn random(i: u64) -> u64 {
    let x = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20
}

fn key(row: u64) -> Option<i32> {
    (!row.is_multiple_of(17)).then_some((random(row) % 300) as i32)
}

/// Returns values far from zero, like timestamps.
fn value(row: u64) -> Option<f64> {
    (!random(row + 7).is_multiple_of(4)).then_some(1e9 + (random(row * 3) % 1000) as f64 / 8.0)
}

const WANTED: [A; 7] = [A::Sum, A::Mean, A::Variance { ddof: 1 }, A::Std { ddof: 0 }, A::M2, A::Max, A::CountValid];

struct Batch {
    keys: Table,
    values: Column,
}

impl Batch {
    fn new(rows: std::ops::Range<u64>, stream: &Stream, mr: &Resource) -> Self {
        let keys: Vec<_> = rows.clone().map(key).collect();
        let values: Vec<_> = rows.map(value).collect();
        let keys = Table::try_new(vec![Column::from_options_on::<i32>(&keys, stream, mr.as_ref()).unwrap()]).unwrap();
        Self { keys, values: Column::from_options_on::<f64>(&values, stream, mr.as_ref()).unwrap() }
    }

    fn request(&self) -> AggregationRequest<'_> {
        AggregationRequest::new(&self.values, WANTED)
    }
}

type Groups = (Table, Vec<PartialRequest>, Vec<Column>, usize);

fn groups(keys: &Table, policy: NullPolicy, request: &AggregationRequest<'_>, ctx: Ctx<'_>) -> Groups {
    let rows = keys.num_rows();
    let (keys, states) = aggregate_partial(keys, policy, std::slice::from_ref(request), ctx).unwrap();
    (keys, vec![request.into()], states, rows)
}

fn partial((keys, requests, states, rows): &Groups) -> Partial<'_> {
    Partial::try_new(keys, requests, states, *rows).unwrap()
}

fn merged(batches: &[Groups], ctx: Ctx<'_>) -> Groups {
    let partials: Vec<_> = batches.iter().map(partial).collect();
    let (keys, states, rows) = merge(&partials, ctx).unwrap();
    (keys, batches[0].1.clone(), states, rows)
}

type Rows = HashMap<Option<i32>, Vec<Option<f64>>>;

fn rows(keys: &Table, results: &[Vec<Column>]) -> Rows {
    let mut rows: Rows = HashMap::new();
    let (key, cpu) = (on_host(&keys.columns()[0]), Stream::cpu());
    let key = HostColumn::open(key.view(), &cpu).unwrap();
    let valid = key.validity().unwrap();
    for group in 0..keys.num_rows() {
        let name = valid.is_none_or(|valid| valid.get(group)).then(|| key.values::<i32>().unwrap()[group]);
        let mut row = Vec::new();
        for column in &results[0] {
            let column = on_host(column);
            let host = HostColumn::open(column.view(), &cpu).unwrap();
            let is_valid = host.validity().unwrap().is_none_or(|valid| valid.get(group));
            row.push(is_valid.then(|| match column.data_type() {
                DataType::Int64 => host.values::<i64>().unwrap()[group] as f64,
                _ => host.values::<f64>().unwrap()[group],
            }));
        }
        assert!(rows.insert(name, row).is_none(), "a group occurs twice");
    }
    rows
}

#[test]
fn batches_are_as_the_whole() {
    let (stream, resource) = gdf_engine::test_device::setup();
    let mr = Resources::new(&resource, &resource);
    for policy in [NullPolicy::Exclude, NullPolicy::Include] {
        let whole = Batch::new(0..6000, &stream, &resource);
        let (keys, results) = aggregate(&whole.keys, policy, &[whole.request()], Ctx::new(&stream, mr)).unwrap();
        let whole = rows(&keys, &results);
        let parts: Vec<_> = [0..10, 10..10, 10..3000, 3000..6000]
            .into_iter()
            .map(|range| {
                let batch = Batch::new(range, &stream, &resource);
                groups(&batch.keys, policy, &batch.request(), Ctx::new(&stream, mr))
            })
            .collect();
        // The batches are merged in one step.
        let at_once = merged(&parts, Ctx::new(&stream, mr));
        let mut in_turn = parts[0].clone();
        for part in &parts[1..] {
            in_turn = merged(&[in_turn, part.clone()], Ctx::new(&stream, mr));
        }
        for merged in [at_once, in_turn] {
            assert_eq!(merged.0.num_rows(), whole.len());
            let (keys, results) = finalize(partial(&merged), Ctx::new(&stream, mr)).unwrap();
            let found = rows(&keys, &results);
            for (key, expected) in &whole {
                for (at, (found, expected)) in found[key].iter().zip(expected).enumerate() {
                    let near = match (found, expected) {
                        (Some(found), Some(expected)) => (found - expected).abs() <= 1e-8 * expected.abs(),
                        (found, expected) => found == expected,
                    };
                    assert!(near, "{key:?}, {:?}: found {found:?}, expected {expected:?}", WANTED[at]);
                }
            }
        }
    }
}

#[test]
fn spreads_merge_without_loss() {
    let (stream, resource) = gdf_engine::test_device::setup();
    let mr = Resources::new(&resource, &resource);
    let batch = |rows: &[(i32, Option<f64>)]| {
        let keys: Vec<_> = rows.iter().map(|row| Some(row.0)).collect();
        let values: Vec<_> = rows.iter().map(|row| row.1).collect();
        let keys =
            Table::try_new(vec![Column::from_options_on::<i32>(&keys, &stream, resource.as_ref()).unwrap()]).unwrap();
        let values = Column::from_options_on::<f64>(&values, &stream, resource.as_ref()).unwrap();
        let request = AggregationRequest::new(&values, [A::M2, A::Variance { ddof: 1 }]);
        groups(&keys, NullPolicy::Exclude, &request, Ctx::new(&stream, mr))
    };
    let parts = [
        batch(&[(0, Some(0.0)), (2, None)]),
        batch(&[(1, Some(1e9 + 1.0)), (1, Some(1e9 + 2.0)), (2, None)]),
        batch(&[(1, Some(1e9 + 3.0))]),
    ];
    let merged = merged(&parts, Ctx::new(&stream, mr));
    let (keys, results) = finalize(partial(&merged), Ctx::new(&stream, mr)).unwrap();
    let found = rows(&keys, &results);
    assert_eq!(found[&Some(0)], [Some(0.0), None]);
    assert_eq!(found[&Some(1)], [Some(2.0), Some(1.0)]);
    assert_eq!(found[&Some(2)], [Some(0.0), None], "without a valid value in any batch");
}

#[test]
fn what_does_not_go_together_is_refused() {
    let (stream, resource) = gdf_engine::test_device::setup();
    let mr = Resources::new(&resource, &resource);
    let batch = Batch::new(0..100, &stream, &resource);
    let ctx = Ctx::new(&stream, mr);
    for aggregation in [A::Median, A::NthElement { n: 1, nulls: NullPolicy::Include }] {
        let request = AggregationRequest::new(&batch.values, [aggregation]);
        let refused = aggregate_partial(&batch.keys, NullPolicy::Exclude, &[request], ctx);
        assert!(matches!(refused, Err(gdf_core::Error::Unsupported { .. })));
    }
    let one = groups(&batch.keys, NullPolicy::Exclude, &batch.request(), ctx);
    let other = AggregationRequest::new(&batch.values, [A::Sum]);
    let other = groups(&batch.keys, NullPolicy::Exclude, &other, ctx);
    let refused = |error: gdf_core::Error| assert!(matches!(error, gdf_core::Error::InvalidArgument { .. }));
    refused(merge(&[partial(&one), partial(&other)], ctx).unwrap_err());
    refused(merge(&[], ctx).unwrap_err());
    let (keys, requests, mut states, rows) = one;
    let endless = Partial::try_new(&keys, &requests, &states, usize::MAX).unwrap();
    refused(merge(&[endless, endless], ctx).unwrap_err());
    states.pop();
    refused(Partial::try_new(&keys, &requests, &states, rows).unwrap_err());
}

#[test]
fn decimals_merge_whatever_their_precision() {
    let (stream, resource) = gdf_engine::test_device::setup();
    let mr = Resources::new(&resource, &resource);
    let batch = |precision: u8, value: i64| {
        let keys = Column::from_options_on::<i32>(&[Some(7)], &stream, resource.as_ref()).unwrap();
        let parts = Column::from_options_on::<i64>(&[Some(value)], &stream, resource.as_ref()).unwrap().into_parts();
        let values = ColumnParts { data_type: DataType::Decimal64(precision, 2), ..parts };
        let values = Column::try_from_parts(values).unwrap();
        let keys = Table::try_new(vec![keys]).unwrap();
        let request = AggregationRequest::new(&values, [A::Sum, A::Max]);
        groups(&keys, NullPolicy::Exclude, &request, Ctx::new(&stream, mr))
    };
    let merged = merged(&[batch(9, 125), batch(10, 250)], Ctx::new(&stream, mr));
    let (_, results) = finalize(partial(&merged), Ctx::new(&stream, mr)).unwrap();
    let sums = on_host(&results[0][0]);
    let sums = HostColumn::open(sums.view(), &Stream::cpu()).unwrap();
    assert_eq!(sums.values::<i128>().unwrap(), [375]);
}
