//! Tests random expressions on each device. The expected results come from the oracles of the single operations.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array};
use gdf_api::transform::{compute_column, compute_columns};
use gdf_expr::{BinaryOperator, Expr, col};
use gdf_tests::naive::transform::expression::evaluate;
use gdf_tests::random_expressions::RandomExpressions;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::{Bench, check, offsets};

/// Generates numbers of rows near the sizes of mask words, of CPU blocks and of kernel tiles.
fn rows() -> impl Strategy<Value = usize> {
    prop_oneof![0..200_usize, Just(511), Just(512), Just(513), Just(1023), Just(1024), Just(1025), 1000..3000_usize]
}

fn graphs(bench: &Bench, rows: usize, seed: u64, offset: usize) -> TestCaseResult {
    let RandomExpressions { columns, expressions } = RandomExpressions::new(rows, seed);
    let table = bench.table(&columns, offset)?;
    let expected =
        expressions.iter().map(|expression| evaluate(&columns, rows, expression).map_err(TestCaseError::reject));
    let expected = expected.collect::<Result<Vec<_>, TestCaseError>>()?;
    let got = compute_columns(&table, &expressions)?;
    for ((expected, got), expression) in expected.iter().zip(got.columns()).zip(&expressions) {
        bench.same(expected, got).map_err(|error| TestCaseError::fail(format!("{expression}: {error}")))?;
    }
    Ok(())
}

#[test]
fn random_graphs_have_the_results_of_their_operations() {
    check(1000, || (rows(), any::<u64>(), offsets()), |bench, (rows, seed, offset)| graphs(bench, rows, seed, offset));
}

/// Seeds of expressions whose results once differed from the results of the oracles. The causes were a float that
/// equals the largest integer in a list, the ceiling of the smallest decimal, and a float of 77 digits as a decimal.
#[test]
fn graphs_that_once_differed_have_the_results_of_their_operations() {
    let seeds = [(6, 5806763417993870955_u64), (6, 1216809371211681984), (511, 2238605841112234110)];
    let chosen = || proptest::sample::select(seeds.to_vec());
    check(20, chosen, |bench, (rows, seed)| graphs(bench, rows, seed, 0));
}

/// Returns a term of a condition.
fn term(number: usize, choice: u16, rows: usize, other: &Expr) -> Expr {
    let limit = i64::from(choice / 8) % (rows as i64 + 200) - 100;
    match choice % 8 {
        0 => col(number).lt(limit),
        1 => col(number).ge(limit),
        2 => col(number + 1).lt(limit),
        3 => col(number + 1).ge(limit),
        4 => col(number).ne(limit),
        5 => col(number + 1).eq(limit).and(col(number).lt(limit)),
        6 => other.clone().is_null(),
        _ => !other.clone().is_null(),
    }
}

#[test]
fn conditions_have_the_results_of_their_terms() {
    let choices = || (any::<bool>(), proptest::collection::vec(any::<u16>(), 2..7));
    check(
        200,
        || (rows(), any::<u64>(), offsets(), choices()),
        |bench, (rows, seed, offset, (is_conjunction, choices))| {
            let RandomExpressions { mut columns, expressions } = RandomExpressions::new(rows, seed);
            let number = columns.len();
            let numbers = || 0..rows as i64;
            columns.push(Arc::new(Int64Array::from_iter_values(numbers())) as ArrayRef);
            columns.push(Arc::new(Int64Array::from_iter(numbers().map(|row| (row % 7 != 3).then_some(row)))));
            let terms = choices.iter().map(|choice| term(number, *choice, rows, &expressions[0]));
            let operator = match is_conjunction {
                true => BinaryOperator::NullLogicalAnd,
                false => BinaryOperator::NullLogicalOr,
            };
            let Some(condition) = terms.reduce(|a, b| a.binary(operator, b)) else { return Ok(()) };
            let table = bench.table(&columns, offset)?;
            let expected = evaluate(&columns, rows, &condition).map_err(TestCaseError::reject)?;
            let got = compute_column(&table, &condition)?;
            bench.same(&expected, &got).map_err(|error| TestCaseError::fail(format!("{condition}: {error}")))
        },
    );
}
