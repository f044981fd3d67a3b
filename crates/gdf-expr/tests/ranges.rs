//! Tests of the ranges of numbers, and of lists of values of other types.

use gdf_core::DataType;
use gdf_expr::{Expr, Graph, Input, UnaryOperator, Value, col, when};

fn numbers(low: i128, high: i128) -> Input {
    Input { range: Some((low, high)), ..Input::new(DataType::Int64) }
}

fn range(inputs: &[Input], expression: &Expr) -> Option<(i128, i128)> {
    let mut graph = Graph::new(inputs.to_vec());
    let id = graph.bind(expression).unwrap();
    graph.range(id)
}

#[test]
fn the_absolute_values_of_negative_numbers_have_the_range_of_both_ends() {
    let of = |low, high| range(&[numbers(low, high)], &col(0).unary(UnaryOperator::Abs));
    assert_eq!(of(-10, -3), Some((0, 10)));
    assert_eq!(of(-10, 4), Some((0, 10)));
    assert_eq!(of(-4, 10), Some((0, 10)));
    assert_eq!(of(3, 10), Some((3, 10)));
}

#[test]
fn the_default_of_a_case_is_in_its_range() {
    let inputs = [numbers(0, 10), numbers(-7, 90)];
    assert_eq!(range(&inputs, &when(col(0).gt(1), col(0)).otherwise(col(1))), Some((-7, 90)));
    assert_eq!(
        range(&inputs, &when(col(0).gt(1), col(0)).when(col(0).lt(0), col(1)).otherwise(99_i64)),
        Some((-7, 99))
    );
}

/// `=` compares a number of 64 bits with a float as floats, so that different numbers can be equal. A list does the
/// same.
#[test]
fn floats_in_lists_are_compared_as_floats() {
    let text = |data_type: DataType, list: [f64; 2]| {
        let mut graph = Graph::new(vec![Input::new(data_type)]);
        let id = graph.bind(&col(0).is_in(list)).unwrap();
        graph.text(id)
    };
    assert!(!text(DataType::Int64, [2.0, 1.5]).contains("IN ("));
    assert!(text(DataType::Int64, [2.0, 1.5]).contains("#0 = 2.0"));
    // Floats of 64 bits have all numbers of 32 bits.
    assert_eq!(text(DataType::Int32, [2.0, 1.5]), "#0 IN (2)");
    let mut graph = Graph::new(vec![Input::new(DataType::Int64)]);
    let id = graph.bind(&col(0).is_in([Value::from(3), Value::from(2.5)])).unwrap();
    assert_eq!(graph.text(id), "#0 IN (3) OR #0 = 2.5");
}
