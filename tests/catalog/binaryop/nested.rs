//! Cases of comparisons of structs, lists and maps.

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field, Fields};
use gdf_api::binaryop::BinaryOperator;
use gdf_api::transform::compute_columns;
use gdf_core::Table;
use gdf_expr::{Expr, coalesce, col, lit};
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, random_array};

use super::{COMPARISONS, SHAPES, Shape, case, refused};
use crate::catalog::shared::struct_keys::struct_keys;
use crate::catalog::shared::tables::few_nested;
use crate::catalog::{Case, SliceCosts};
use crate::naive::transform::expression::evaluate;

/// Returns types whose fields and elements have ranks, floats, dictionaries, views and bytes.
fn types() -> Vec<DataType> {
    let field = |name: &str, of: DataType| Field::new(name, of, true);
    let dictionary = |of: DataType| DataType::Dictionary(Box::new(DataType::Int8), Box::new(of));
    let structs = |of: Vec<DataType>| {
        let fields = of.into_iter().enumerate().map(|(i, of)| field(&format!("f{i}"), of));
        DataType::Struct(fields.collect::<Fields>())
    };
    let list = |of: DataType| DataType::new_list(of, true);
    let of_numbers = list(structs(vec![DataType::Float32, DataType::Boolean]));
    let others = vec![
        structs(vec![DataType::Float64]),
        structs(vec![DataType::Float16, dictionary(DataType::Utf8), DataType::Utf8View]),
        structs(vec![dictionary(DataType::Float64), DataType::Interval(arrow_schema::IntervalUnit::YearMonth)]),
        structs(vec![list(DataType::Float64), structs(vec![DataType::Int8, structs(vec![DataType::Boolean])])]),
        list(DataType::Interval(arrow_schema::IntervalUnit::YearMonth)),
        structs(vec![DataType::Interval(arrow_schema::IntervalUnit::YearMonth)]),
        dictionary(of_numbers.clone()),
        dictionary(structs(vec![DataType::Int32, list(DataType::Utf8)])),
        list(of_numbers),
    ];
    let nested = data::nested().into_iter().filter(|of| !matches!(of, DataType::Dictionary(..)));
    nested.chain(others).collect()
}

pub(crate) fn comparisons() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut turn = 0;
    for (data_type, seed) in types().iter().zip(1_u64..) {
        for op in COMPARISONS {
            for (rows, nulls) in [(67, NullPattern::Some), (40, NullPattern::None)] {
                turn += 1;
                let shape = SHAPES[turn % 3];
                // The seed of both operands is the same, so that many rows are equal.
                let both = few_nested(data_type, 3 * rows, 6, nulls, seed);
                let (left, right) = match shape {
                    Shape::Columns => (both.slice(0, rows), both.slice(rows + 3, rows)),
                    Shape::ScalarRight => (both.slice(0, rows), both.slice(rows + turn % 5, 1)),
                    Shape::ScalarLeft => (both.slice(rows + turn % 5, 1), both.slice(0, rows)),
                };
                cases.push(case(op, shape, &left, &right, &DataType::Boolean));
            }
        }
    }
    for ((name, left), (_, right)) in struct_keys(130, 1).into_iter().zip(struct_keys(130, 2)) {
        for op in COMPARISONS {
            let mut case = case(op, Shape::Columns, &left, &right, &DataType::Boolean);
            case.label = format!("{name}: {}", case.label);
            cases.push(case);
        }
    }
    let nested = data::nested();
    for &rows in SMALL_BRACKETS {
        for of in [&nested[0], &nested[8]] {
            let [left, right] = [1, 2].map(|seed| few_nested(of, rows, 4, NullPattern::Some, seed));
            for op in [BinaryOperator::Equal, BinaryOperator::LessEqual] {
                cases.push(case(op, Shape::Columns, &left, &right, &DataType::Boolean));
            }
        }
    }
    for op in COMPARISONS {
        cases.push(refused(op, &nested[0], &nested[1]));
        cases.push(refused(op, &nested[0], &DataType::Int32));
        cases.push(refused(op, &data::unions()[0], &data::unions()[0]));
        cases.push(refused(op, &data::views()[2], &data::views()[2]));
    }
    cases
}

/// Builds cases in which a comparison is a part of an expression.
pub(crate) fn expressions() -> Vec<Case> {
    let mut cases = Vec::new();
    for (data_type, seed) in types().into_iter().zip(1_u64..) {
        let rows = 90;
        let both = few_nested(&data_type, 2 * rows, 5, NullPattern::Some, seed);
        let numbers = random_array(&DataType::Int32, rows, NullPattern::Some, seed);
        let inputs: Vec<ArrayRef> = vec![both.slice(0, rows), both.slice(rows, rows), numbers];
        let own = vec![
            col(0).eq(col(1)).and(col(2).gt(0)),
            coalesce([col(0).lt(col(1)), lit(false)]),
            col(0).ge(col(1)).or(col(0).is_null()),
        ];
        let expressions: Vec<Expr> = own.clone();
        let run = move |inputs: &[gdf_core::Column]| {
            Ok(compute_columns(&Table::try_new(inputs.to_vec())?, &own)?.columns().to_vec())
        };
        let oracle = move |inputs: &[ArrayRef]| {
            expressions.iter().map(|expression| evaluate(inputs, rows, expression)).collect()
        };
        let case = Case::new(format!("comparisons of {data_type}"), inputs, run, oracle, 200);
        cases.push(case.with_slice_costs(SliceCosts::Own));
    }
    cases
}
