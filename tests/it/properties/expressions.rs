//! Tests random expressions on each device. The expected results come from the oracles of the operations, which are
//! applied to whole columns one after another.

use gdf_api::transform::compute_columns;
use gdf_tests::naive::expression::evaluate;
use gdf_tests::random_expressions::RandomExpressions;
use proptest::prelude::*;

use super::{check, offsets};

/// Generates numbers of rows near the sizes of mask words, of CPU blocks and of kernel tiles.
fn rows() -> impl Strategy<Value = usize> {
    prop_oneof![0..200_usize, Just(511), Just(512), Just(513), Just(1023), Just(1024), Just(1025), 1000..3000_usize]
}

#[test]
fn random_graphs_have_the_results_of_their_operations() {
    check(
        1000,
        || (rows(), any::<u64>(), offsets()),
        |bench, (rows, seed, offset)| {
            let RandomExpressions { columns, expressions } = RandomExpressions::new(rows, seed);
            let table = bench.table(&columns, offset)?;
            let expected = expressions
                .iter()
                .map(|expression| evaluate(&columns, rows, expression).map_err(TestCaseError::reject));
            let expected = expected.collect::<Result<Vec<_>, TestCaseError>>()?;
            let got = compute_columns(&table, &expressions)?;
            for ((expected, got), expression) in expected.iter().zip(got.columns()).zip(&expressions) {
                bench.same(expected, got).map_err(|error| TestCaseError::fail(format!("{expression}: {error}")))?;
            }
            Ok(())
        },
    );
}
