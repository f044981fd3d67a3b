//! Tests of the checks and of special cases of `aggregate`.

use std::sync::Arc;

use gdf_core::{Column, ColumnView, DataType, Error, Field, Scalar, Table, TableView, f16};
use gdf_driver::Stream;
use gdf_engine::host::HostColumn;
use gdf_engine::test_device::{on_host, setup};
use gdf_memory::Resource;

use crate::Ctx;
use crate::groupby::GroupByAggregation as A;
use crate::groupby::{AggregationRequest, NullPolicy, aggregate};

struct Bench {
    stream: Stream,
    resource: Resource,
}

impl Bench {
    fn new() -> Self {
        let (stream, resource) = setup();
        Self { stream, resource }
    }

    fn ctx(&self) -> Ctx<'_> {
        Ctx::new(&self.stream, &self.resource)
    }

    fn ints(&self, rows: &[Option<i64>]) -> Column {
        Column::from_options_on(rows, &self.stream, self.resource.as_ref()).unwrap()
    }

    fn doubles(&self, rows: &[Option<f64>]) -> Column {
        Column::from_options_on(rows, &self.stream, self.resource.as_ref()).unwrap()
    }

    fn strings(&self, rows: &[Option<&str>]) -> Column {
        Column::from_strs_on(rows, &self.stream, self.resource.as_ref()).unwrap()
    }

    fn run(&self, keys: Vec<&Column>, policy: NullPolicy, requests: &[AggregationRequest<'_>]) -> Vec<String> {
        let views = keys.into_iter().map(ColumnView::from).collect();
        let views = TableView::try_new(views).unwrap();
        let (keys, results) = aggregate(views, policy, requests, self.ctx()).unwrap();
        let columns: Vec<Column> = keys.into_columns().into_iter().chain(results.into_iter().flatten()).collect();
        let table = Table::try_new(columns).unwrap();
        let mut lines = Vec::new();
        for row in 0..table.num_rows() {
            let cells = table.columns().iter().map(|column| cell(column, row, &self.stream));
            lines.push(cells.collect::<Vec<_>>().join(" "));
        }
        lines.sort();
        lines
    }
}

fn cell(column: &Column, row: usize, stream: &Stream) -> String {
    let scalar = Scalar::from_column(column.slice(row, 1).unwrap()).unwrap();
    if !scalar.is_valid_on(stream).unwrap() {
        return "null".into();
    }
    match column.data_type() {
        DataType::Int64 => scalar.value_on::<i64>(stream).unwrap().unwrap().to_string(),
        DataType::UInt32 => scalar.value_on::<u32>(stream).unwrap().unwrap().to_string(),
        DataType::Float64 => format!("{:?}", scalar.value_on::<f64>(stream).unwrap().unwrap()),
        _ => String::new(),
    }
}

#[test]
fn sums_by_key_skip_nulls() {
    let bench = Bench::new();
    let keys = bench.ints(&[Some(1), Some(2), Some(1), None, Some(2), Some(3)]);
    let values = bench.ints(&[Some(10), Some(20), None, Some(40), Some(50), None]);
    let all = vec![A::Sum, A::CountValid, A::CountAll, A::Min, A::Max, A::Mean, A::ArgMax];
    let requests = [AggregationRequest::new(&values, all)];
    let excluded = bench.run(vec![&keys], NullPolicy::Exclude, &requests);
    assert_eq!(excluded, ["1 10 1 2 10 10 10.0 0", "2 70 2 2 20 50 35.0 4", "3 null 0 1 null null null null"]);
    let included = bench.run(vec![&keys], NullPolicy::Include, &requests);
    assert_eq!(included.len(), 4);
    assert_eq!(included[3], "null 40 1 1 40 40 40.0 3");
}

#[test]
fn zeros_are_one_key_and_so_are_nans() {
    let bench = Bench::new();
    let keys = bench.doubles(&[Some(0.0), Some(-0.0), Some(f64::NAN), Some(-f64::NAN), Some(1.0)]);
    let lines = bench.run(vec![&keys], NullPolicy::Exclude, &[AggregationRequest::new(&keys, vec![A::CountAll])]);
    assert_eq!(lines, ["0.0 2", "1.0 1", "NaN 2"]);
}

#[test]
fn keys_of_all_ones_and_null_are_two_groups() {
    let bench = Bench::new();
    let keys = bench.ints(&[Some(-1), None, Some(-1), None, Some(0)]);
    let lines = bench.run(vec![&keys], NullPolicy::Include, &[AggregationRequest::new(&keys, vec![A::CountAll])]);
    assert_eq!(lines, ["-1 2", "0 1", "null 2"]);
}

#[test]
fn several_keys_of_any_kind() {
    let bench = Bench::new();
    let names = bench.strings(&[Some("a"), Some("b"), Some("a"), Some(""), None, Some("a")]);
    let numbers = bench.ints(&[Some(1), Some(1), Some(1), Some(1), Some(1), Some(2)]);
    let flags = [Some(true), Some(false), Some(true), None, None, Some(true)];
    let flags = Column::from_options_on(&flags, &bench.stream, bench.resource.as_ref()).unwrap();
    let requests = [AggregationRequest::new(&numbers, vec![A::Sum])];
    for (policy, groups) in [(NullPolicy::Exclude, 3), (NullPolicy::Include, 5)] {
        assert_eq!(bench.run(vec![&names, &numbers, &flags], policy, &requests).len(), groups);
    }
}

#[test]
fn spread_is_that_of_the_values() {
    let bench = Bench::new();
    let keys = bench.ints(&[Some(1), Some(1), Some(1), Some(2)]);
    let values = bench.doubles(&[Some(1e9 + 1.0), Some(1e9 + 2.0), Some(1e9 + 3.0), Some(5.0)]);
    let spread = vec![A::Variance { ddof: 1 }, A::Std { ddof: 1 }, A::Variance { ddof: 0 }];
    let lines = bench.run(vec![&keys], NullPolicy::Exclude, &[AggregationRequest::new(&values, spread)]);
    assert_eq!(lines[0], format!("1 1.0 1.0 {:?}", 2.0 / 3.0));
    assert_eq!(lines[1], "2 null null 0.0");
}

#[test]
fn no_values_have_no_spread_and_no_variance() {
    let bench = Bench::new();
    let keys = bench.ints(&[Some(1), Some(1), Some(2), Some(2)]);
    let values = bench.doubles(&[None, None, Some(1.0), Some(3.0)]);
    let request = AggregationRequest::new(&values, vec![A::M2, A::Variance { ddof: 0 }, A::Mean]);
    let lines = bench.run(vec![&keys], NullPolicy::Exclude, &[request]);
    assert_eq!(lines, ["1 0.0 null null", "2 2.0 1.0 2.0"]);
}

/// Tests the variances of groups whose values are far from zero, from the column's first value, and from the values of
/// the other group.
#[test]
fn spread_keeps_its_digits() {
    let bench = Bench::new();
    let spread = |keys: &[Option<i64>], values: &[Option<f64>]| {
        let (keys, values) = (bench.ints(keys), bench.doubles(values));
        let request = AggregationRequest::new(&values, [A::Variance { ddof: 1 }, A::M2]);
        bench.run(vec![&keys], NullPolicy::Exclude, &[request])
    };
    let near = [Some(1e9 + 1.0), Some(1e9 + 2.0), Some(1e9 + 3.0)];
    assert_eq!(spread(&[Some(1); 4], &[&[None], &near[..]].concat()), ["1 1.0 2.0"]);
    let keys = [Some(0), Some(1), Some(1), Some(1)];
    assert_eq!(spread(&keys, &[&[Some(0.0)], &near[..]].concat()), ["0 null 0.0", "1 1.0 2.0"]);
    assert_eq!(spread(&keys, &[&[Some(1e200)], &near[..]].concat()), ["0 null 0.0", "1 1.0 2.0"]);
    let vast = [Some(1e200), Some(1e200), Some(1e200)];
    assert_eq!(spread(&[Some(1); 3], &vast), ["1 0.0 0.0"]);
    assert_eq!(spread(&[Some(1); 2], &[Some(f64::INFINITY), Some(1.0)]), ["1 NaN NaN"]);
}

/// 1 + 2^-11 lies halfway between two half-precision numbers.
#[test]
fn halves_are_rounded_once() {
    let bench = Bench::new();
    let keys = bench.ints(&[Some(1), Some(1), Some(1)]);
    let bits = [0x3c00, 0x1000, 0x0001].map(|bits| Some(f16::from_bits(bits)));
    let values = Column::from_options_on::<f16>(&bits, &bench.stream, bench.resource.as_ref()).unwrap();
    let keys = Table::try_new(vec![keys]).unwrap();
    let request = AggregationRequest::new(&values, [A::Sum]);
    let (_, results) = aggregate(&keys, NullPolicy::Exclude, &[request], bench.ctx()).unwrap();
    let sum = on_host(&results[0][0]);
    let sum = HostColumn::open(sum.view(), &Stream::cpu()).unwrap();
    assert_eq!(sum.values::<f16>().unwrap()[0].to_bits(), 0x3c01);
}

#[test]
fn distinct_values_are_counted() {
    let bench = Bench::new();
    let keys = bench.ints(&[Some(1), Some(1), Some(1), Some(1), Some(2), Some(2)]);
    let values = bench.strings(&[Some("x"), None, Some("x"), Some("y"), None, None]);
    let distinct = vec![A::Nunique(NullPolicy::Exclude), A::Nunique(NullPolicy::Include)];
    let lines = bench.run(vec![&keys], NullPolicy::Exclude, &[AggregationRequest::new(&values, distinct)]);
    assert_eq!(lines, ["1 2 3", "2 0 1"]);
}

#[test]
fn many_rows_on_many_threads_agree_with_few() {
    let bench = Bench::new();
    let rows = 200_000_i64;
    let keys: Vec<_> = (0..rows).map(|i| Some(i.wrapping_mul(2_654_435_761) % 10_007)).collect();
    let values: Vec<_> = (0..rows).map(|i| (i % 3 != 0).then_some(i)).collect();
    let (keys_in, values_in) = (bench.ints(&keys), bench.ints(&values));
    let all = vec![A::Sum, A::Min, A::ArgMax, A::Nunique(NullPolicy::Include)];
    let lines = bench.run(vec![&keys_in], NullPolicy::Exclude, &[AggregationRequest::new(&values_in, all)]);
    let mut expected = std::collections::BTreeMap::<i64, (i64, i64, usize, usize)>::new();
    for (row, (key, value)) in keys.iter().zip(&values).enumerate() {
        let group = expected.entry(key.unwrap()).or_insert((0, i64::MAX, 0, 0));
        if let Some(value) = value {
            *group = (group.0 + value, group.1.min(*value), row, group.3 + 1);
        } else {
            group.3 |= 1 << 40;
        }
    }
    let mut expected: Vec<_> = expected
        .into_iter()
        .map(|(key, (sum, min, row, distinct))| {
            let distinct = (distinct & 0xff_ffff) + usize::from(distinct >> 40 != 0);
            format!("{key} {sum} {min} {row} {distinct}")
        })
        .collect();
    expected.sort();
    assert_eq!(lines, expected);
}

#[test]
fn bad_requests_are_refused() {
    let bench = Bench::new();
    let keys = bench.ints(&[Some(1), Some(2)]);
    let table = || TableView::try_new(vec![keys.view()]).unwrap();
    let short = bench.ints(&[Some(1)]);
    let text = bench.strings(&[Some("a"), Some("b")]);
    let run = |keys: TableView<'_>, values: &Column, aggregation| {
        let request = AggregationRequest { values: values.view(), aggregations: vec![aggregation] };
        aggregate(keys, NullPolicy::Exclude, &[request], bench.ctx()).map(|_| ()).unwrap_err()
    };
    assert!(matches!(run(table(), &short, A::Sum), Error::LengthMismatch { expected: 2, found: 1, .. }));
    assert!(matches!(run(table(), &text, A::Sum), Error::Unsupported { .. }));
    let none = TableView::try_with_rows(Vec::new(), 2).unwrap();
    assert!(matches!(run(none, &keys, A::Sum), Error::InvalidArgument { .. }));
    let many = TableView::try_new(vec![keys.view(); 33]).unwrap();
    assert!(matches!(run(many, &keys, A::Sum), Error::InvalidArgument { .. }));
    let field = Arc::new(Field::new("item", DataType::Int32, true));
    let lists = Column::nulls_on(&DataType::ListView(field), 2, &bench.stream, bench.resource.as_ref()).unwrap();
    let nested = TableView::try_new(vec![lists.view()]).unwrap();
    assert!(matches!(run(nested, &keys, A::Sum), Error::Unsupported { .. }));
}

/// Rounding may make the variance negative.
#[test]
fn equal_values_have_no_deviation() {
    let bench = Bench::new();
    let groups = (2..60).flat_map(|count| [0.1, 0.3, 0.7, 1.1, 1e10 / 3.0, -5e-7 / 9.0].map(|value| (count, value)));
    let rows: Vec<_> =
        groups.enumerate().flat_map(|(group, (count, value))| vec![(group as i64, value); count]).collect();
    let keys = bench.ints(&rows.iter().map(|(group, _)| Some(*group)).collect::<Vec<_>>());
    let values = bench.doubles(&rows.iter().map(|(_, value)| Some(*value)).collect::<Vec<_>>());
    let requests = [AggregationRequest::new(&values, [A::Std { ddof: 1 }, A::Variance { ddof: 0 }, A::M2])];
    let keys = TableView::try_new(vec![keys.view()]).unwrap();
    let (_, results) = aggregate(keys, NullPolicy::Exclude, &requests, bench.ctx()).unwrap();
    for column in results.into_iter().flatten() {
        let bytes = column.buffers()[0].to_host(&bench.stream).unwrap();
        let found: Vec<f64> = bytes.as_chunks().0.iter().map(|bytes| f64::from_ne_bytes(*bytes)).collect();
        assert_eq!(found.len(), 58 * 6);
        assert!(found.iter().all(|spread| (0.0..1e-4).contains(spread)), "{found:?}");
    }
}
