//! Tests properties that hold for random inputs. The properties are laws between operations, and agreement with std,
//! `chrono`, `num-bigint`, `regex` and the oracles of the test kit.

mod dates;
mod decimals;
mod expressions;
mod groups;
mod joins;
mod json;
mod moves;
mod nested;
mod numbers;
mod pipelines;
mod regexes;
mod text;
mod windows;

use std::fmt::Debug;
use std::ops::Range;

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_core::{Column, Table};
use gdf_detail::limits::{HostLimits, SmallLimits};
use gdf_driver::Stream;
use gdf_memory::Resource;
use gdf_test::compare::{Equality, assert_arrays, assert_tables};
use gdf_test::data::{NullPattern, padded, random_array, soiled};
use gdf_test::device::test_device;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseResult, TestRunner};

/// The number of rows of a CPU task.
const TASK_ROWS: usize = 128;

/// Tests the property with random values.
#[track_caller]
fn check<S: Strategy>(
    cases: u32,
    values: impl FnOnce() -> S + Send,
    property: impl Fn(&Bench, S::Value) -> TestCaseResult + Sync,
) {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = asked.unwrap_or(cases);
    let config = Config {
        cases,
        max_global_rejects: 1024 + 16 * cases,
        rng_seed: if asked.is_some() { RngSeed::Random } else { RngSeed::Fixed(1) },
        failure_persistence: None,
        max_shrink_iters: 2_000,
        ..Config::default()
    };
    let look = || {
        let bench = Bench::new();
        let found = TestRunner::new(config).run(&values(), |value| property(&bench, value));
        found.map_err(|error| error.to_string())
    };
    let found = match test_device().is_cpu() {
        true => SmallLimits::new(HostLimits::small(TASK_ROWS)).expect("threads can be started").run(look),
        false => look(),
    };
    found.unwrap_or_else(|error| panic!("{error}"));
}

/// The device, the stream and the resource of new columns.
struct Bench {
    stream: Stream,
    resource: Resource,
}

impl Bench {
    fn new() -> Bench {
        let device = test_device();
        let stream = Stream::default_for(device).expect("the device of the tests can be opened");
        Bench { stream, resource: gdf_memory::current_resource(device).expect("the device has a memory resource") }
    }

    /// Builds a column. If `offset` is not 0, the column is a slice of a longer column, and its null rows have
    /// arbitrary data.
    fn column(&self, array: &ArrayRef, offset: usize) -> gdf_core::Result<Column> {
        if offset == 0 {
            return Column::from_arrow(array, &self.stream, self.resource.as_ref());
        }
        let around = if array.nulls().is_some() { NullPattern::Some } else { NullPattern::None };
        let long = padded(&soiled(array), offset, 37, around);
        Column::from_arrow(&long, &self.stream, self.resource.as_ref())?.slice(offset, array.len())
    }

    /// Returns a table.
    fn table(&self, arrays: &[ArrayRef], offset: usize) -> gdf_core::Result<Table> {
        let column = |(at, array)| self.column(array, if offset == 0 { 0 } else { offset + 3 * at });
        Table::try_new(arrays.iter().enumerate().map(column).collect::<gdf_core::Result<_>>()?)
    }

    fn array(&self, column: &Column) -> gdf_core::Result<ArrayRef> {
        column.to_arrow(&self.stream)
    }

    fn same(&self, expected: &dyn Array, got: &Column) -> TestCaseResult {
        self.near(expected, got, Equality::Exact)
    }

    fn near(&self, expected: &dyn Array, got: &Column, equality: Equality) -> TestCaseResult {
        Ok(assert_arrays(expected, &self.array(got)?, equality)?)
    }

    fn same_table(&self, expected: &[ArrayRef], got: &Table) -> TestCaseResult {
        let got = got.columns().iter().map(|column| self.array(column)).collect::<gdf_core::Result<Vec<_>>>()?;
        Ok(assert_tables(expected, &got, Equality::Exact)?)
    }
}

fn oracle(message: String) -> TestCaseError {
    TestCaseError::fail(message)
}

/// The seed and parameters of a random column, and the start of its slice.
#[derive(Clone, Debug)]
struct Sample {
    data_type: DataType,
    rows: usize,
    nulls: NullPattern,
    seed: u64,
    offset: usize,
}

impl Sample {
    fn array(&self) -> ArrayRef {
        random_array(&self.data_type, self.rows, self.nulls, self.seed)
    }

    fn beside(&self, data_type: &DataType) -> ArrayRef {
        random_array(data_type, self.rows, self.nulls, self.seed ^ 0x5eed)
    }
}

fn samples(types: Vec<DataType>, rows: Range<usize>) -> impl Strategy<Value = Sample> {
    let nulls = proptest::sample::select(NullPattern::ALL);
    (proptest::sample::select(types), rows, nulls, any::<u64>(), offsets())
        .prop_map(|(data_type, rows, nulls, seed, offset)| Sample { data_type, rows, nulls, seed, offset })
}

/// Makes offsets of slices.
fn offsets() -> impl Strategy<Value = usize> {
    prop_oneof![Just(0_usize), 1..70_usize]
}

fn one_of<T: Clone + Debug + 'static>(values: &'static [T]) -> impl Strategy<Value = T> {
    proptest::sample::select(values)
}
