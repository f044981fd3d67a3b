//! Entries of `transform::compute_column` and `compute_columns`.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field, TimeUnit};
use gdf_api::stream_compaction::filter;
use gdf_api::transform::{compute_column, compute_columns};
use gdf_core::{Error, Table};
use gdf_expr::{BinaryOperator, Component, Expr, Function, UnaryOperator, coalesce, col, lit, when};

use crate::catalog::{Case, Entry, SliceCosts, binaryop};
use crate::documented_types::{expression_type, has_component, is_cast, unary_type};
use crate::naive::stream_compaction;
use crate::naive::transform::expression::evaluate;
use crate::random_expressions::RandomExpressions;
use gdf_test::compare::Equality;
use gdf_test::data::{BRACKETS, NullPattern, random_array};
use gdf_test::value::{Value, from_values};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("transform.compute_column", Equality::Exact, single),
        Entry::new("stream_compaction.filter", Equality::Exact, filters),
        Entry::new("transform.compute_columns", Equality::Exact, several).sharing_inputs(),
    ]
}

fn case(label: &str, inputs: Vec<ArrayRef>, expressions: Vec<Expr>) -> Case {
    waiting(label, inputs, expressions, 0)
}

fn waiting(label: &str, inputs: Vec<ArrayRef>, expressions: Vec<Expr>, waits: u64) -> Case {
    let rows = inputs.first().map_or(0, |input| input.len());
    let own = expressions.clone();
    Case::new(
        format!("{label}/{rows}"),
        inputs,
        move |inputs| Ok(compute_columns(&Table::try_new(inputs.to_vec())?, &own)?.columns().to_vec()),
        move |inputs| {
            let results = expressions.iter().map(|expression| evaluate(inputs, rows, expression));
            results.collect()
        },
        waits,
    )
}

fn one(label: &str, inputs: Vec<ArrayRef>, expression: Expr) -> Case {
    let rows = inputs.first().map_or(0, |input| input.len());
    let own = expression.clone();
    Case::new(
        format!("{label}/{rows}"),
        inputs,
        move |inputs| Ok(vec![compute_column(&Table::try_new(inputs.to_vec())?, &own)?]),
        move |inputs| Ok(vec![evaluate(inputs, rows, &expression)?]),
        0,
    )
}

fn columns(types: &[DataType], rows: usize, nulls: NullPattern, seed: u64) -> Vec<ArrayRef> {
    types.iter().zip(seed..).map(|(data_type, seed)| random_array(data_type, rows, nulls, seed)).collect()
}

/// Returns the types of the operands of operators.
fn operand_types() -> Vec<DataType> {
    use DataType::*;
    vec![
        Int8,
        Int32,
        Int64,
        UInt8,
        UInt32,
        UInt64,
        Float16,
        Float32,
        Float64,
        Boolean,
        Decimal32(7, 2),
        Decimal64(15, 2),
        Decimal128(30, 3),
        Date32,
        Timestamp(TimeUnit::Millisecond, None),
        Duration(TimeUnit::Second),
    ]
}

fn exact_operators() -> impl Iterator<Item = BinaryOperator> {
    BinaryOperator::ALL.iter().copied().filter(|op| op.is_exact())
}

/// Returns whether the oracle has a result for a documented operator.
fn has_oracle(op: BinaryOperator, left: &DataType, right: &DataType) -> bool {
    left == right || !matches!(op, BinaryOperator::NullMax | BinaryOperator::NullMin)
}

/// Adds cases of every operator of two operands, for each pair of types for which the operator is documented.
fn operators(cases: &mut Vec<Case>) {
    let types = operand_types();
    for (seed, (left, right)) in types.iter().flat_map(|left| types.iter().map(move |right| (left, right))).enumerate()
    {
        // Two equal types meet both null patterns. Other types meet both patterns as the left and as the right type.
        let patterns = [NullPattern::Some, NullPattern::None];
        let other = (seed / types.len() + seed) % 2;
        for &nulls in if left == right { &patterns[..] } else { &patterns[other..=other] } {
            let inputs = columns(&[left.clone(), right.clone()], 147, nulls, 2 * seed as u64);
            let documented = exact_operators().filter(|op| expression_type(*op, left, right).is_some());
            // The operator is also used inside another expression.
            let expressions: Vec<Expr> = documented
                .filter(|op| has_oracle(*op, left, right))
                .flat_map(|op| [col(0).binary(op, col(1)), coalesce([col(0).binary(op, col(1)).is_null(), lit(true)])])
                .collect();
            if !expressions.is_empty() {
                cases.push(case(&format!("{left} and {right}"), inputs, expressions));
            }
        }
    }
}

/// Returns the types of columns to which operators of one operand, casts and components are applied.
fn converted_types() -> Vec<DataType> {
    use DataType::*;
    vec![
        Int8,
        Int16,
        Int32,
        Int64,
        UInt8,
        UInt16,
        UInt32,
        UInt64,
        Float16,
        Float32,
        Float64,
        Boolean,
        Decimal32(7, 2),
        Decimal64(15, 2),
        Decimal128(30, 3),
        Date32,
        Date64,
        Timestamp(TimeUnit::Nanosecond, None),
        Duration(TimeUnit::Millisecond),
        Time64(TimeUnit::Microsecond),
    ]
}

/// Returns every operator of one operand, every cast, every component and the tests of one column, and whether the
/// documentation states each for a column of this type.
fn conversions_of(data_type: &DataType) -> Vec<(Expr, bool)> {
    let unary = UnaryOperator::ALL.iter().filter(|op| op.is_exact());
    let unary = unary.map(|op| (col(0).unary(*op), unary_type(*op, data_type).is_some()));
    let casts = converted_types().into_iter().map(|to| (col(0).cast(to.clone()), is_cast(data_type, &to)));
    let components = Component::ALL.iter();
    let components = components.map(|of| (col(0).extract(*of), has_component(*of, data_type)));
    let is_nan = Expr::call(Function::IsNan, [col(0)]);
    let tests = [
        (col(0).is_null(), true),
        (col(0).is_not_null(), true),
        (is_nan, matches!(data_type, DataType::Float16 | DataType::Float32 | DataType::Float64)),
    ];
    unary.chain(casts).chain(components).chain(tests).collect()
}

/// Adds cases of every documented operator of one operand, cast and component.
fn conversions(cases: &mut Vec<Case>) {
    for (data_type, seed) in converted_types().iter().zip(1_u64..) {
        let inputs = columns(std::slice::from_ref(data_type), 147, NullPattern::Some, seed);
        let documented = conversions_of(data_type).into_iter().filter(|(_, is_documented)| *is_documented);
        cases.push(case(&format!("{data_type}"), inputs, documented.map(|(expression, _)| expression).collect()));
    }
}

/// Adds cases of casts to dictionaries, alone and within other expressions.
fn encodings(cases: &mut Vec<Case>) {
    use DataType::{FixedSizeBinary, Float64, Int8, Int16, Int32, Int64, Utf8};
    let dictionary = |keys, values: &DataType| DataType::Dictionary(Box::new(keys), Box::new(values.clone()));
    let list = DataType::List(Arc::new(Field::new_list_field(Utf8, true)));
    for (data_type_of, seed) in [Int32, Utf8, list, FixedSizeBinary(3)].iter().zip(1_u64..) {
        for (rows, nulls) in [(0, NullPattern::None), (147, NullPattern::Some), (33, NullPattern::All)] {
            let inputs = columns(&[data_type_of.clone(), Int8], rows, nulls, seed);
            let encoded = col(0).cast(dictionary(Int16, data_type_of));
            let mut expressions = vec![encoded.clone(), encoded.clone().is_null()];
            expressions.extend((*data_type_of == Int32).then(|| encoded + col(1)));
            expressions.push((col(1) + 1).cast(dictionary(Int64, &Float64)));
            let mut case = waiting(&format!("encoded {data_type_of}/{nulls:?}"), inputs, expressions, 64);
            case.slices = SliceCosts::Own;
            cases.push(case);
        }
    }
}

fn filters() -> Vec<Case> {
    use DataType::{Float64, Int32, Utf8};
    let mut cases = Vec::new();
    let condition = col(0).gt(0).and(col(1).lt(0.5)).or(col(2).starts_with("t"));
    for (&rows, seed) in BRACKETS.iter().zip(1_u64..) {
        for (&nulls, seed) in [NullPattern::None, NullPattern::Some, NullPattern::All].iter().zip(5 * seed..) {
            let inputs = columns(&[Int32, Float64, Utf8], rows, nulls, seed);
            let (own, condition) = (condition.clone(), condition.clone());
            cases.push(Case::new(
                format!("{nulls:?}/{rows}"),
                inputs,
                move |inputs| Ok(filter(&Table::try_new(inputs.to_vec())?, &own)?.columns().to_vec()),
                move |inputs| {
                    let mask = evaluate(inputs, rows, &condition)?;
                    stream_compaction::apply_boolean_mask(inputs, &mask)
                },
                1,
            ));
        }
    }
    let inputs = columns(&[Int32], 5, NullPattern::None, 1);
    cases.push(Case::refused(
        "refused type",
        inputs,
        |inputs| Ok(filter(&Table::try_new(inputs.to_vec())?, &(col(0) + 1))?.columns().to_vec()),
        |error| matches!(error, Error::TypeMismatch { .. }),
    ));
    cases
}

/// Adds cases whose results depend on the bits that narrow integers wrap, and on the ends of texts.
fn edges(cases: &mut Vec<Case>) {
    use DataType::{Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32};
    for (data_type, seed) in [Int8, Int16, Int32, UInt8, UInt16, UInt32].iter().zip(1_u64..) {
        let inputs = columns(&[data_type.clone(), data_type.clone()], 147, NullPattern::Some, seed);
        let results = [col(0) + col(1), col(0) - col(1), col(0) * col(1)];
        let wide = results.iter().flat_map(|of| [of.clone().cast(Int64), of.clone().gt(col(0))]);
        cases.push(case(&format!("wrapped {data_type}"), inputs, wide.collect()));
    }
    let texts = ["", "a", "ab", "abc", "abcd", "b", "ab\0", "abcdefghijklmnop", "abcdefghijklmnopq"];
    let texts: Vec<_> = (0..147).map(|row| (row % 11 != 3).then(|| Value::Str(texts[row % 9].to_owned()))).collect();
    for data_type in [DataType::Utf8, DataType::LargeUtf8] {
        let inputs = vec![from_values(&data_type, &texts)];
        let own = ["", "ab", "abcd", "abcdefghijklmnop"];
        let expressions = own.iter().flat_map(|text| [col(0).eq(*text), col(0).ne(*text), col(0).starts_with(text)]);
        cases.push(case(&format!("begins of {data_type}"), inputs, expressions.collect()));
    }
}

fn several() -> Vec<Case> {
    let mut cases = Vec::new();
    edges(&mut cases);
    operators(&mut cases);
    conversions(&mut cases);
    encodings(&mut cases);
    cases.extend(binaryop::nested::expressions());
    for (&rows, seed) in BRACKETS.iter().zip(1_u64..) {
        for seed in [seed, seed + 1000, seed + 2000] {
            let random = RandomExpressions::new(rows, seed);
            let case = waiting(&format!("random {seed}"), random.columns, random.expressions, 8);
            cases.push(case.with_slice_costs(SliceCosts::Own));
        }
    }
    let ints = columns(&[DataType::Int32, DataType::Int32], 300, NullPattern::Some, 1);
    cases.push(case(
        "columns and literals",
        ints.clone(),
        vec![col(1), lit(3), col(0), lit("text"), lit(None::<i64>), col(1)],
    ));
    cases.push(case("nothing", ints, Vec::new()));
    // These cases have more columns, more results, more steps or more slots than one launch takes.
    let many = columns(&vec![DataType::Int64; 24], 300, NullPattern::Some, 3);
    let sum = (1..24).fold(col(0), |sum, position| sum + col(position));
    let products: Vec<Expr> = (0..12).map(|at| col(at) * col(at + 12)).collect();
    let tree = (0..24).map(|at| col(at) - 1).collect::<Vec<_>>();
    let tree = balanced(&tree);
    cases.push(case("many columns", many.clone(), vec![sum]));
    cases.push(case("many results", many.clone(), products));
    cases.push(case("many slots", many, vec![tree]));
    let text = columns(&[DataType::Utf8, DataType::Int32], 300, NullPattern::Some, 5);
    let calls = vec![
        Expr::call(Function::ToUpper, [col(0)]),
        Expr::call(Function::CountCharacters, [Expr::call(Function::ToUpper, [col(0)])]) * col(1),
        when(col(0).contains("a"), col(0)).otherwise("none"),
        coalesce([when(col(1).gt(0), col(0)).end(), lit("none")]),
        sizes(),
        when(col(1).gt(0), "some").when(col(1).lt(-50), col(0)).otherwise("none"),
        Expr::call(Function::Slice, [col(0), lit(1), lit(None::<i32>)]),
        col(0).eq("the").or(col(0).starts_with("a")),
        col(0).is_in(["a", "the", "a text that is longer than sixteen bytes"]),
    ];
    cases.push(waiting("text", text, calls, 9));
    cases.push(parts_of_text());
    cases
}

/// Returns a case of functions that make other texts, or numbers and dates, of texts.
fn parts_of_text() -> Case {
    use DataType::{Date32, Float64, Int32, Int64};
    let texts = ["-12", "2024-02-29", "a-b-é", "", "1.5e3", "7", "ab12-cd", "99999999999"];
    let texts: Vec<_> = (0..300).map(|row| (row % 11 != 3).then(|| Value::Str(texts[row % 8].to_owned()))).collect();
    let inputs = vec![
        from_values(&DataType::Utf8, &texts),
        random_array(&Date32, 300, NullPattern::Some, 1),
        random_array(&Int32, 300, NullPattern::Some, 2),
    ];
    let calls = vec![
        col(0).replace("-", "—"),
        col(0).replace_re("[a-z]+", "x"),
        col(0).count_re("[0-9]") + 1,
        col(0).find("-").gt(0),
        col(0).repeat(2),
        col(0).repeat(-1),
        col(0).reverse(),
        col(0).zfill(6),
        col(0).split_part("-", 1),
        coalesce([col(0).split_part("-", -1), lit("none")]),
        col(0).extract_re("([a-z]+)([0-9]+)", 2),
        col(0).to_integers(&Int32) + col(2),
        col(0).to_floats(&Float64).is_null(),
        col(0).to_timestamps(&Date32, "%Y-%m-%d"),
        col(0).split_part("-", 0).to_integers(&Int64) * 2,
        col(1).add_months(1),
        col(1).add_months(col(2)),
    ];
    waiting("parts of text", inputs, calls, 40).with_slice_costs(SliceCosts::Own)
}

/// Returns one of a few texts, one of which is longer than the others, or null.
pub(crate) fn sizes() -> Expr {
    let long = "a text that is longer than sixteen bytes";
    when(col(1).gt(50), "some").when(col(1).lt(-50), long).when(col(1).gt(0), lit(None::<&str>)).otherwise("some")
}

/// Returns the sum of all terms.
fn balanced(terms: &[Expr]) -> Expr {
    match terms {
        [one] => one.clone(),
        _ => {
            let (left, right) = terms.split_at(terms.len() / 2);
            balanced(left) + balanced(right)
        }
    }
}

fn single() -> Vec<Case> {
    use DataType::{Boolean, Decimal64, Float64, Int32, Int64, Utf8};
    let mut cases = Vec::new();
    let money = [Decimal64(12, 2), Decimal64(12, 2), Decimal64(12, 2)];
    let numbers = [Int32, Int64, Float64, Boolean];
    let revenue = || col(0) * (lit(1) - col(1)) * (lit(1) + col(2));
    let chosen = when(col(0).gt(0), col(1) + 1).when(col(3), col(0)).otherwise(-col(1));
    let kleene = (col(0).lt(5).and(col(3))).or(!col(2).ge(0.5));
    for (&rows, seed) in BRACKETS.iter().zip(1_u64..) {
        for (&nulls, seed) in [NullPattern::None, NullPattern::Some, NullPattern::All].iter().zip(11 * seed..) {
            let inputs = || columns(&numbers, rows, nulls, seed);
            cases.push(one(&format!("revenue/{nulls:?}"), columns(&money, rows, nulls, seed), revenue()));
            cases.push(one(&format!("case/{nulls:?}"), inputs(), chosen.clone()));
            cases.push(one(&format!("kleene/{nulls:?}"), inputs(), kleene.clone()));
            cases.push(one(&format!("shared/{nulls:?}"), inputs(), (col(0) + col(1)) * (col(0) + col(1)) % 7));
        }
    }
    let ints = || columns(&[Int32], 70, NullPattern::Some, 9);
    cases.push(one("constants", ints(), col(0) + (lit(2) * 3 - 1) * 2));
    cases.push(one("a constant alone", ints(), lit(2) * 3));
    let refused = |label: &str, expression: Expr, is_right: fn(&Error) -> bool| {
        let inputs = columns(&[Int32, Utf8], 3, NullPattern::None, 1);
        Case::refused(
            format!("refused {label}"),
            inputs,
            move |inputs| Ok(vec![compute_column(&Table::try_new(inputs.to_vec())?, &expression)?]),
            is_right,
        )
    };
    cases.push(refused("types", col(0) + col(1), |error| {
        let names_the_part = error.context().and_then(|context| context.expression()) == Some("#0 + #1");
        matches!(error, Error::TypeMismatch { .. } | Error::Unsupported { .. }) && names_the_part
    }));
    cases.push(refused("column", col(7), |error| matches!(error, Error::OutOfBounds { .. })));
    cases.push(refused("pattern", col(1).contains_re("("), |error| matches!(error, Error::InvalidPattern { .. })));
    cases
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive::transform::expression::data_type;
    use gdf_test::runner::{RunnerOptions, run_entry};

    #[test]
    fn expressions_have_the_documented_types() {
        let inputs = |types: &[&DataType]| types.iter().map(|of| from_values(of, &[])).collect::<Vec<_>>();
        let types = operand_types();
        for (left, right) in types.iter().flat_map(|left| types.iter().map(move |right| (left, right))) {
            let columns = inputs(&[left, right]);
            for op in exact_operators() {
                let (found, documented) =
                    (data_type(&columns, &col(0).binary(op, col(1))).ok(), expression_type(op, left, right));
                assert_eq!(found, documented, "{op:?} of {left} and {right}");
            }
        }
        for of in converted_types() {
            for (expression, is_documented) in conversions_of(&of) {
                let found = data_type(&inputs(&[&of]), &expression);
                assert_eq!(found.is_ok(), is_documented, "{expression} of {of}: {found:?}");
            }
        }
    }

    #[test]
    fn passes_on_the_cpu() {
        for entry in super::entries() {
            run_entry(&entry, gdf_driver::Device::Cpu, &RunnerOptions::default()).assert_passed();
        }
    }
}
