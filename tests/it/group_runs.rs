//! Tests sums of decimals. Equal keys are neighbors, so each group is a run of rows.

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Int64Type};
use arrow_array::{Decimal128Array, Int64Array};
use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
use gdf::prelude::*;
use gdf_test::device::{new_stream, test_device};

use crate::coverage::assert_launched;

/// The number of rows.
const ROWS: i64 = 700_001;

/// Returns a value below or above the limit up to which a warp adds its 256 rows in 64 bits.
fn value(row: i64) -> i128 {
    match row / 256 % 6 {
        0 => (1 << 54) - 1,
        1 => -(1 << 54),
        2 if row % 256 == 200 => 1 << 90,
        2 => i128::from(row),
        3 if row % 256 == 7 => -(1 << 54) - 1,
        3 => -i128::from(row),
        4 => 1 << 60,
        _ => (i128::from(row) << 70) * if row % 2 == 0 { 1 } else { -3 },
    }
}

#[test]
fn sums_of_runs_fit_64_bits_here_and_not_there() {
    let (device, values) = (test_device(), (0..ROWS).map(value));
    let stream = new_stream(device).unwrap();
    let resource = gdf::memory::current_resource(device).unwrap();
    let values = Decimal128Array::from_iter_values(values).with_precision_and_scale(38, 2).unwrap();
    let values = Column::from_arrow(&values, &stream, resource.as_ref()).unwrap();
    for length in [1, 4, 31, 255, 256, 257, 3000] {
        let keys = Int64Array::from_iter_values((0..ROWS).map(|row| row / length));
        let keys = Column::from_arrow(&keys, &stream, resource.as_ref()).unwrap();
        let keys = Table::try_new(vec![keys]).unwrap();
        gdf::scope::with_stream(&stream, || {
            let request = AggregationRequest::new(&values, [GroupByAggregation::Sum]);
            let groups = GroupBy::new(&keys, NullPolicy::Exclude).agg(&[request]).unwrap();
            let column = |index| groups.column(index).unwrap().to_arrow(&stream).unwrap();
            let (keys, sums) = (column(0), column(1));
            let keys = keys.as_primitive::<Int64Type>().values().iter().copied();
            let mut found: Vec<_> = keys.zip(sums.as_primitive::<Decimal128Type>().values().iter().copied()).collect();
            // The order of groups is unspecified.
            found.sort_unstable();
            let mut rows = (0..ROWS).map(value);
            let sum_of = |key| (key, rows.by_ref().take(length as usize).sum());
            let expected: Vec<(i64, i128)> = (0..=(ROWS - 1) / length).map(sum_of).collect();
            assert!(found == expected, "runs of {length}");
        });
    }
    assert_launched("groupby", &["groupby_aggregate_runs_kernel"]);
}
