//! Compares results by the rules of the corpus.
//!
//! Both results are first converted to plain values. The types and the numbers of rows must be equal under every rule.
//! The values of null rows are ignored.

mod rows;
mod types;
mod values;

use arrow_array::RecordBatch;
use gdf_test::value::Value;
use serde_json::Value as Json;

use crate::case::{Order, Rule};
use crate::output::Output;

/// One element of a table.
type Cell = Option<Value>;

/// Compares all parts of an answer.
///
/// # Errors
/// - The parts differ. The text describes the first difference.
pub fn compare(expected: &Output, got: &Output, rule: &Rule) -> Result<(), String> {
    // The values are compared first, because a value may be the offsets of the partitions. The comparison of partitions
    // requires equal offsets.
    compare_values(expected.value.as_ref(), got.value.as_ref())?;
    let splits = splits(expected.value.as_ref());
    pair("table", expected.table.as_ref(), got.table.as_ref(), |expected, got| {
        compare_tables(expected, got, rule, &splits)
    })?;
    pair("scalar", expected.scalar.as_ref(), got.scalar.as_ref(), |expected, got| {
        compare_tables(expected, got, rule, &splits)
    })?;
    pair("tables", expected.tables.as_ref(), got.tables.as_ref(), |expected, got| {
        if expected.len() != got.len() {
            return Err(format!("expected {} tables, got {}", expected.len(), got.len()));
        }
        let mut each = expected.iter().zip(got).enumerate();
        each.try_for_each(|(i, (expected, got))| {
            compare_tables(expected, got, rule, &splits).map_err(|difference| format!("table {i}: {difference}"))
        })
    })
}

fn pair<T>(
    what: &str,
    expected: Option<&T>,
    got: Option<&T>,
    compare: impl FnOnce(&T, &T) -> Result<(), String>,
) -> Result<(), String> {
    match (expected, got) {
        (Some(expected), Some(got)) => compare(expected, got),
        (None, None) => Ok(()),
        (Some(_), None) => Err(format!("expected a {what}, got none")),
        (None, Some(_)) => Err(format!("expected no {what}, got one")),
    }
}

fn compare_values(expected: Option<&Json>, got: Option<&Json>) -> Result<(), String> {
    pair("value", expected, got, |expected, got| {
        if expected == got { Ok(()) } else { Err(format!("expected the value {expected}, got {got}")) }
    })
}

/// Returns the row numbers in a value that is a list. For other values, the result is empty.
fn splits(value: Option<&Json>) -> Vec<usize> {
    let numbers = value.and_then(Json::as_array).into_iter().flatten();
    numbers.filter_map(|number| usize::try_from(number.as_u64()?).ok()).collect()
}

fn compare_tables(expected: &RecordBatch, got: &RecordBatch, rule: &Rule, splits: &[usize]) -> Result<(), String> {
    types::compare(expected, got, rule)?;
    if expected.num_rows() != got.num_rows() {
        return Err(format!("expected {} rows, got {}", expected.num_rows(), got.num_rows()));
    }
    let expected = values::columns(expected, rule);
    let got = values::columns(got, rule);
    match rule.order {
        Order::Exact => rows::in_order(&expected, &got, rule.tolerance),
        Order::Any => rows::in_any_order(&expected, &got, rule),
        Order::ByKeys => {
            let keys =
                |columns: &[Vec<Cell>]| rule.keys.iter().filter_map(|i| columns.get(*i).cloned()).collect::<Vec<_>>();
            rows::in_order(&keys(&expected), &keys(&got), rule.tolerance)?;
            rows::in_any_order(&expected, &got, rule)
        }
        Order::Partitioned => rows::in_partitions(&expected, &got, splits, rule),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array, Int32Array};
    use serde_json::json;

    use super::*;
    use crate::case::Tolerance;
    use crate::output::batch;

    fn rule(order: Order) -> Rule {
        Rule {
            order,
            tolerance: None,
            keys: Vec::new(),
            signed_zeros: false,
            unordered_lists: false,
            decode: false,
            names: false,
        }
    }

    fn table(ints: &[Option<i32>], floats: &[f64]) -> Output {
        let ints: ArrayRef = Arc::new(Int32Array::from(ints.to_vec()));
        let floats: ArrayRef = Arc::new(Float64Array::from(floats.to_vec()));
        Output { table: Some(batch(vec![ints, floats]).unwrap()), ..Output::default() }
    }

    #[test]
    fn exact_forgives_zeros_and_nan_only() {
        let expected = table(&[Some(1), None], &[0.0, f64::NAN]);
        let exact = rule(Order::Exact);
        assert_eq!(compare(&expected, &table(&[Some(1), None], &[-0.0, -f64::NAN]), &exact), Ok(()));
        let signed = Rule { signed_zeros: true, ..exact.clone() };
        assert!(compare(&expected, &table(&[Some(1), None], &[-0.0, f64::NAN]), &signed).is_err());
        assert!(compare(&expected, &table(&[Some(1), Some(0)], &[0.0, f64::NAN]), &exact).is_err());
        assert!(compare(&expected, &table(&[Some(1)], &[0.0]), &exact).is_err());
        assert!(compare(&expected, &Output::default(), &exact).is_err());
        let ulp = f64::from_bits(1.0f64.to_bits() + 1);
        assert!(compare(&table(&[None], &[1.0]), &table(&[None], &[ulp]), &exact).is_err());
    }

    #[test]
    fn tolerance_is_for_finite_floats() {
        let rule = Rule { tolerance: Some(Tolerance { relative: 0.1, absolute: 0.0 }), ..rule(Order::Exact) };
        let one = |value| table(&[Some(1)], &[value]);
        assert_eq!(compare(&one(10.0), &one(10.9), &rule), Ok(()));
        assert!(compare(&one(10.0), &one(11.1), &rule).is_err());
        assert!(compare(&one(f64::INFINITY), &one(1e300), &rule).is_err());
        assert!(compare(&one(f64::NAN), &one(1.0), &rule).is_err());
        assert_eq!(compare(&one(f64::NEG_INFINITY), &one(f64::NEG_INFINITY), &rule), Ok(()));
    }

    #[test]
    fn rows_move_together() {
        let expected = table(&[Some(1), Some(2), Some(2)], &[1.0, 2.0, 3.0]);
        let any = rule(Order::Any);
        assert_eq!(compare(&expected, &table(&[Some(2), Some(1), Some(2)], &[3.0, 1.0, 2.0]), &any), Ok(()));
        assert!(compare(&expected, &table(&[Some(2), Some(1), Some(2)], &[1.0, 3.0, 2.0]), &any).is_err());
        assert!(compare(&expected, &table(&[Some(1), Some(1), Some(2)], &[1.0, 2.0, 3.0]), &any).is_err());
    }

    #[test]
    fn rows_with_tolerance_are_matched_by_keys() {
        let tolerance = Some(Tolerance { relative: 0.01, absolute: 0.0 });
        let rule = Rule { tolerance, keys: vec![0], ..rule(Order::Any) };
        let expected = table(&[Some(1), Some(2)], &[100.0, 100.5]);
        assert_eq!(compare(&expected, &table(&[Some(2), Some(1)], &[100.0, 100.9]), &rule), Ok(()));
        assert!(compare(&expected, &table(&[Some(2), Some(1)], &[100.0, 103.0]), &rule).is_err());
        assert!(compare(&expected, &table(&[Some(3), Some(1)], &[100.5, 100.0]), &rule).is_err());
    }

    #[test]
    fn keys_are_in_order_and_the_rest_is_not() {
        let rule = Rule { keys: vec![0], ..rule(Order::ByKeys) };
        let expected = table(&[Some(1), Some(1), Some(2)], &[1.0, 2.0, 3.0]);
        assert_eq!(compare(&expected, &table(&[Some(1), Some(1), Some(2)], &[2.0, 1.0, 3.0]), &rule), Ok(()));
        assert!(compare(&expected, &table(&[Some(1), Some(2), Some(1)], &[2.0, 3.0, 1.0]), &rule).is_err());
    }

    #[test]
    fn partitions_are_multisets() {
        let rule = rule(Order::Partitioned);
        let of = |ints: &[Option<i32>], offsets: Json| Output {
            value: Some(offsets),
            ..table(ints, &vec![0.0; ints.len()])
        };
        let expected = of(&[Some(1), Some(2), Some(3)], json!([0, 2, 3]));
        assert_eq!(compare(&expected, &of(&[Some(2), Some(1), Some(3)], json!([0, 2, 3])), &rule), Ok(()));
        assert!(compare(&expected, &of(&[Some(3), Some(1), Some(2)], json!([0, 2, 3])), &rule).is_err());
        assert!(compare(&expected, &of(&[Some(1), Some(2), Some(3)], json!([0, 1, 3])), &rule).is_err());
    }
}
