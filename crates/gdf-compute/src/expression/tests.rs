//! Tests of the programs that expressions become: the numbers of steps, their lanes, and the limits of a launch.

use gdf_core::{DataType, Literal};
use gdf_expr::{Expr, Function, Graph, Input, Value, col, lit};
use gdf_kernels::generated::expression::Opcode;

use super::cuda::encoded;
use super::lower::Fusable;
use super::program::{Decided, Lane, Operand, Program, Work};

fn program(inputs: &[Input], expressions: &[Expr]) -> Program {
    let mut graph = Graph::new(inputs.to_vec());
    let roots: Vec<_> = expressions.iter().map(|expression| graph.bind(expression).unwrap()).collect();
    Program::new(&graph, &roots).unwrap()
}

#[test]
fn a_step_after_each_term_but_the_last_decides_rows() {
    let mut graph = Graph::new(vec![Input::new(DataType::Int64); 3]);
    let terms = [col(0).lt(1_i64), col(1).gt(2_i64), col(2).eq(3_i64)];
    for (is_conjunction, expected) in [(true, Decided::IfFalse), (false, Decided::IfTrue)] {
        let join = |a: Expr, b: Expr| if is_conjunction { a.and(b) } else { a.or(b) };
        let root = graph.bind(&terms.clone().into_iter().reduce(join).unwrap()).unwrap();
        let program = Program::of_condition(&graph, root).unwrap();
        let decides: Vec<_> = program.steps.iter().filter(|step| matches!(step.work, Work::Decide(_))).collect();
        assert_eq!(decides.len(), 2);
        assert!(decides.iter().all(|step| step.work == Work::Decide(expected)));
        let encoded = encoded(&program).unwrap();
        let steps = &encoded.steps[..encoded.count as usize];
        let output = steps.iter().position(|step| step.operation == Opcode::Emit as i32).unwrap();
        let targets = steps.iter().filter(|step| step.operation == Opcode::Decide as i32).map(|step| step.extra);
        assert_eq!(targets.collect::<Vec<_>>(), [output as i32; 2]);
    }
}

fn money(value: i64) -> Expr {
    let literal = Literal::typed(Some(value), &DataType::Decimal64(12, 2)).unwrap();
    lit(Value::new(literal))
}

#[test]
fn shared_parts_are_computed_once() {
    let inputs = vec![Input::new(DataType::Decimal64(12, 2)).not_null(); 3];
    let discounted = col(0) * (money(100) - col(1));
    let charged = discounted.clone() * (money(100) + col(2));
    let program = program(&inputs, &[discounted, charged]);
    assert_eq!((program.steps.len(), program.columns.len()), (7, 3));
    assert!(program.steps.iter().all(|step| step.lane == Lane::I64));
    let encoded = encoded(&program).unwrap();
    assert_eq!((encoded.count, encoded.outputs), (9, 2));
    assert!(encoded.slots <= 3, "{}", encoded.slots);
}

#[test]
fn wide_decimals_that_fit_are_computed_in_64_bits() {
    let narrow = Input { data_type: DataType::Decimal128(15, 2), nullable: false, range: Some((0, 1_000_000)) };
    let wide = Input { range: None, ..narrow.clone() };
    let lanes = |inputs: &[Input]| {
        let program = program(inputs, &[col(0) * col(1)]);
        (program.steps.last().unwrap().lane, program.outputs[0].lane)
    };
    assert_eq!(lanes(&[narrow.clone(), narrow.clone()]), (Lane::I64, Lane::I64));
    assert_eq!(lanes(&[narrow, wide]), (Lane::I128, Lane::I128));
}

#[test]
fn decimals_that_fit_are_cast_in_64_bits() {
    let input = Input { data_type: DataType::Decimal64(15, 2), nullable: false, range: Some((0, 10_000_000)) };
    let wide = |position: usize| col(position).cast(DataType::Decimal128(15, 2));
    let one = Value::new(Literal::typed(Some(1_i128), &DataType::Decimal128(20, 0)).unwrap());
    let discounted = (wide(0) * (lit(one) - wide(1))).cast(DataType::Decimal64(18, 4));
    let steps = program(&[input.clone(), input.clone()], &[discounted]).steps;
    assert_eq!(steps.len(), 4, "two loads, a difference and a product: {steps:?}");
    let truncated = wide(0).cast(DataType::Decimal128(15, 1)) + wide(1).cast(DataType::Decimal128(15, 4));
    let steps_of_scales = program(&[input.clone(), input], &[truncated]).steps;
    assert!(steps.iter().chain(&steps_of_scales).all(|step| step.lane == Lane::I64), "{steps_of_scales:?}");
    let unknown = Input { data_type: DataType::Decimal128(38, 2), nullable: false, range: None };
    let steps = program(&[unknown], &[col(0).cast(DataType::Decimal128(38, 3))]).steps;
    assert_eq!(steps.last().unwrap().lane, Lane::I128);
}

#[test]
fn exact_decimals_that_fit_stay_in_one_program() {
    let checked = |range: Option<[(i128, i128); 3]>, expression: &Expr| {
        let input = |at: usize| Input {
            range: range.map(|ranges| ranges[at]),
            ..Input::new(DataType::Decimal128(15, 2)).not_null()
        };
        let mut graph = Graph::new((0..3).map(input).collect()).with_exact_decimals();
        let root = graph.bind(expression).unwrap();
        let leaves = super::leaves(&graph, &[root]).unwrap();
        assert_eq!(leaves, graph.overflowing(&[root]));
        leaves.len()
    };
    // The revenue and the charge of TPC-H.
    let revenue = col(0) * (lit(1) - col(1));
    let charge = revenue.clone() * (lit(1) + col(2));
    assert_eq!((checked(None, &revenue), checked(None, &(col(0) * col(1)))), (0, 0));
    assert_eq!(checked(None, &charge), 1, "48 digits are possible");
    assert_eq!(checked(Some([(90_000, 10_495_000), (0, 10), (0, 8)]), &charge), 0);
}

#[test]
fn small_integers_wrap_in_their_type() {
    let program = program(&[Input::new(DataType::Int8), Input::new(DataType::Int8)], &[col(0) + col(1)]);
    assert!(matches!(program.steps.last().unwrap().work, Work::Wrap(gdf_core::PhysicalType::I8)));
    assert!(matches!(program.outputs[0].operand, Operand::Step(3)));
}

#[test]
fn what_has_no_steps() {
    let mut graph = Graph::new(vec![Input::new(DataType::Utf8), Input::new(DataType::Float64)]);
    let mut fusable = |expression: Expr| {
        let id = graph.bind(&expression).unwrap();
        Fusable::new(&graph).is_fusable(id).unwrap()
    };
    assert!(fusable(col(0).eq("sixteen bytes ar")));
    assert!(!fusable(col(0).eq("seventeen bytes ar")));
    assert!(fusable(col(0).starts_with("a")));
    assert!(!fusable(col(0).contains("a")));
    assert!(!fusable(Expr::call(Function::ToUpper, [col(0)])));
    assert!(fusable(col(1) * 2.0));
    assert!(!fusable(col(1).binary(gdf_expr::BinaryOperator::Pow, 2.0)));
}

#[test]
fn a_launch_has_limits() {
    let inputs = vec![Input::new(DataType::Int64); 17];
    let sum = |columns: usize| (1..columns).fold(col(0), |sum, position| sum + col(position));
    assert!(encoded(&program(&inputs, &[sum(16)])).is_some());
    assert!(encoded(&program(&inputs, &[sum(17)])).is_none(), "more columns than a launch takes");
    let results: Vec<Expr> = (0..9).map(|number| col(0) + number).collect();
    assert!(encoded(&program(&inputs, &results[..8])).is_some());
    assert!(encoded(&program(&inputs, &results)).is_none(), "more results than a launch takes");
    let long = (0..70).fold(col(0), |sum, _| sum * col(1) + 1);
    assert!(encoded(&program(&inputs, &[long])).is_none(), "more steps than a launch takes");
}

#[test]
fn the_deepest_expression_fits_the_stack_of_a_thread() {
    let deepest = (1..gdf_expr::MAX_DEPTH).fold(col(0), |sum, _| sum + 1);
    let program = program(&[Input::new(DataType::Int64)], &[deepest]);
    assert_eq!(program.steps.len(), gdf_expr::MAX_DEPTH);
}
