//! Tests joins by random conditions. The expected results come from nested loops that evaluate the condition with the
//! oracle.

use std::slice::from_ref;

use gdf_api::join::HashJoin;
use gdf_api::join::{JoinKeys, NullEquality, conditional_full_join, conditional_left_anti_join, mixed_left_join};
use gdf_api::join::{conditional_inner_join, conditional_inner_join_size, conditional_left_semi_join};
use gdf_api::pipeline::Pipeline;
use gdf_core::{DataType, Table};
use gdf_expr::{Expr, col};
use gdf_test::data::{self, NullPattern, random_array};
use gdf_test::value::{Value, to_values};
use gdf_tests::naive::join::{condition_matches, filtered, filtered_of, mixed_matches, pairs_of};
use gdf_tests::naive::transform::expression::data_type;
use gdf_tests::random_expressions::RandomExpressions;
use proptest::prelude::*;

use super::{check, offsets};

#[test]
fn random_conditions_match_the_pairs_of_nested_loops() {
    check(
        300,
        || (1..50_usize, 1..70_usize, any::<u64>(), any::<prop::sample::Index>(), offsets()),
        |bench, (left_rows, right_rows, seed, split, offset)| {
            let RandomExpressions { columns, expressions } = RandomExpressions::new(left_rows.max(right_rows), seed);
            let split = 1 + split.index(columns.len() - 1);
            let left: Vec<_> = columns[..split].iter().map(|column| column.slice(0, left_rows)).collect();
            let right: Vec<_> = columns[split..].iter().map(|column| column.slice(0, right_rows)).collect();
            let condition = condition_of(&columns, &expressions);
            let found = condition_matches(&left, &right, &condition).map_err(TestCaseError::reject)?;
            let (left_table, right_table) = (bench.table(&left, offset)?, bench.table(&right, offset)?);
            let pairs = |(left, right)| Table::try_new(vec![left, right]);
            let full = pairs(conditional_full_join(&left_table, &right_table, &condition)?)?;
            bench.same_table(&pairs_of(&found, right_rows, true, true), &full)?;
            let inner = pairs(conditional_inner_join(&left_table, &right_table, &condition)?)?;
            bench.same_table(&pairs_of(&found, right_rows, false, false), &inner)?;
            let size = conditional_inner_join_size(&left_table, &right_table, &condition)?;
            prop_assert_eq!(size, inner.num_rows());
            let semi = conditional_left_semi_join(&left_table, &right_table, &condition)?;
            bench.same(&filtered_of(&found, false)[0], &semi)?;
            let anti = conditional_left_anti_join(&left_table, &right_table, &condition)?;
            bench.same(&filtered_of(&found, true)[0], &anti)?;
            if gdf_core::same_type(left[0].data_type(), right[0].data_type()) {
                let on = JoinKeys::new(&[0], &[0]).with_nulls(NullEquality::Equal);
                let found = mixed_matches(&left, &right, &on, &condition).map_err(TestCaseError::reject)?;
                let mixed = pairs(mixed_left_join(&left_table, &right_table, &on, &condition)?)?;
                bench.same_table(&pairs_of(&found, right_rows, true, false), &mixed)?;
            }
            Ok(())
        },
    );
}

/// The condition of a hash table is true for each row with a match.
#[test]
fn conditions_of_hash_tables_keep_the_rows_that_match() {
    let types = [data::numeric(), data::decimal(), data::temporal(), data::strings(), vec![DataType::Boolean]].concat();
    let nulls = || prop::sample::select(NullPattern::ALL);
    check(
        300,
        move || {
            (
                prop::sample::select(types.clone()),
                (0..60_usize, nulls()),
                (0..6_usize, nulls()),
                any::<u64>(),
                offsets(),
            )
        },
        |bench, (of, (left_rows, left_nulls), (right_rows, right_nulls), seed, offset)| {
            let left = random_array(&of, left_rows, left_nulls, seed);
            let right = random_array(&of, right_rows, right_nulls, seed + 1);
            let (left_table, right_table) =
                (bench.table(from_ref(&left), offset)?, bench.table(from_ref(&right), offset)?);
            for equality in [NullEquality::Equal, NullEquality::Unequal] {
                let join = HashJoin::try_new(&right_table, equality)?;
                let condition = join.filter(&[0])?;
                let passing = Pipeline::new(&left_table).filter(condition.clone()).row_numbers()?.to_vec::<u32>()?;
                let passing: Vec<usize> = passing.into_iter().flatten().map(|row| row as usize).collect();
                let matching = to_values(&filtered(from_ref(&left), from_ref(&right), equality, false)[0]);
                let matching: Vec<_> =
                    matching.iter().flatten().filter_map(Value::as_i128).map(|row| row as usize).collect();
                let is_kept = matching.iter().all(|row| passing.contains(row));
                prop_assert!(is_kept, "{condition} drops one of {matching:?}");
                // If the type has at most 16 bits, the filter has a bit for each value in the range of the keys. The
                // filter then keeps no row without a match.
                if gdf_core::width(&of).is_some_and(|width| width <= 2) && gdf_core::is_integral(&of) {
                    prop_assert_eq!(passing, matching);
                } else if data::integral().contains(&of) {
                    let keys: Vec<Value> = to_values(&right).into_iter().flatten().collect();
                    let keeps_null = equality == NullEquality::Equal && keys.len() < right_rows;
                    let left = to_values(&left);
                    let may_pass = |row: &usize| match &left[*row] {
                        Some(key) => keys.iter().any(|least| least <= key) && keys.iter().any(|most| key <= most),
                        None => keeps_null,
                    };
                    prop_assert!(passing.iter().all(may_pass), "{} keeps a row beyond the range", condition);
                }
            }
            Ok(())
        },
    );
}

/// Returns a condition.
fn condition_of(columns: &[arrow_array::ArrayRef], expressions: &[Expr]) -> Expr {
    let boolean = |expression: &Expr| match data_type(columns, expression) {
        Ok(arrow_schema::DataType::Boolean) => expression.clone(),
        _ => expression.clone().is_not_null(),
    };
    let conditions = expressions.iter().map(boolean);
    conditions.reduce(|a, b| a.or(b)).unwrap_or_else(|| col(0).is_null())
}
