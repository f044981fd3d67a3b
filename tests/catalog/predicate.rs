//! Entries of `predicate`.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use gdf_api::binaryop::BinaryOperator::{self, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
use gdf_api::predicate::Predicate;
use gdf_core::{Column, Error, Literal, Operand, PhysicalType, Result, physical_type};

use super::{Case, Entry};
use crate::naive::predicate::{Condition, Right, evaluate_predicate};
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, random_array, with_validity};
use gdf_test::value::{Value, from_values, to_values};

pub(super) fn entries() -> Vec<Entry> {
    vec![Entry::new("predicate.evaluate_predicate", Equality::Exact, cases)]
}

const COMPARISONS: [BinaryOperator; 6] = [Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual];

fn case(label: &str, inputs: Vec<ArrayRef>, condition: Condition) -> Case {
    let mut used = Vec::new();
    let condition = condition.renumbered(&mut |column| {
        used.iter().position(|known| *known == column).unwrap_or_else(|| {
            used.push(column);
            used.len() - 1
        })
    });
    let inputs: Vec<_> = used.iter().map(|&column| inputs[column].clone()).collect();
    let rows = inputs.first().map_or(0, |input| input.len());
    let own = condition.clone();
    Case::new(
        format!("{label}/{rows}"),
        inputs,
        move |inputs| run(&own, inputs),
        move |inputs| Ok(vec![evaluate_predicate(inputs, &condition)?]),
        0,
    )
}

fn run(condition: &Condition, inputs: &[Column]) -> Result<Vec<Column>> {
    Ok(vec![gdf_api::predicate::evaluate_predicate(&predicate(condition, inputs))?])
}

fn predicate<'a>(condition: &'a Condition, columns: &'a [Column]) -> Predicate<'a> {
    let inner = |condition: &'a Condition| predicate(condition, columns);
    match condition {
        Condition::Compare(left, op, right, swapped) => {
            let left = Operand::from(&columns[*left]);
            let right = match right {
                Right::Column(right) => Operand::from(&columns[*right]),
                Right::Literal(array) => Operand::Literal(literal(array)),
            };
            let (lhs, rhs) = if *swapped { (right, left) } else { (left, right) };
            match op {
                Equal => Predicate::eq(lhs, rhs),
                NotEqual => Predicate::ne(lhs, rhs),
                Less => Predicate::lt(lhs, rhs),
                LessEqual => Predicate::le(lhs, rhs),
                Greater => Predicate::gt(lhs, rhs),
                _ => Predicate::ge(lhs, rhs),
            }
        }
        Condition::In(column, values) => Predicate::is_in(&columns[*column], values.iter().map(literal)),
        Condition::StartsWith(column, prefix) => Predicate::starts_with(&columns[*column], prefix),
        Condition::Valid(column) => Predicate::is_not_null(&columns[*column]),
        Condition::True(column) => Predicate::is_true(&columns[*column]),
        Condition::Not(condition) => !inner(condition),
        Condition::And(a, b) => inner(a).and(inner(b)),
        Condition::Or(a, b) => inner(a).or(inner(b)),
    }
}

fn literal(array: &ArrayRef) -> Literal<'_> {
    let data_type = array.data_type();
    let Some(Some(value)) = to_values(array).into_iter().next() else { return Literal::null(data_type) };
    let integer = || value.as_i256().and_then(|value| value.to_i128()).unwrap_or_default();
    match (physical_type(data_type), &value) {
        (PhysicalType::Bool, _) => Ok(Literal::from(value == Value::Bool(true))),
        (PhysicalType::I8, _) => Literal::typed(Some(integer() as i8), data_type),
        (PhysicalType::I16, _) => Literal::typed(Some(integer() as i16), data_type),
        (PhysicalType::I32, _) => Literal::typed(Some(integer() as i32), data_type),
        (PhysicalType::I64, _) => Literal::typed(Some(integer() as i64), data_type),
        (PhysicalType::U8, _) => Literal::typed(Some(integer() as u8), data_type),
        (PhysicalType::U16, _) => Literal::typed(Some(integer() as u16), data_type),
        (PhysicalType::U32, _) => Literal::typed(Some(integer() as u32), data_type),
        (PhysicalType::U64, _) => Literal::typed(Some(integer() as u64), data_type),
        (PhysicalType::I128, _) => Literal::typed(Some(integer()), data_type),
        (_, Value::F16(value)) => Literal::typed(Some(*value), data_type),
        (_, Value::F32(value)) => Literal::typed(Some(*value), data_type),
        (_, Value::F64(value)) => Literal::typed(Some(*value), data_type),
        _ => Ok(match data_type {
            DataType::Binary => Literal::binary(array.as_binary::<i32>().value(0)),
            DataType::LargeBinary => Literal::binary(array.as_binary::<i64>().value(0)),
            DataType::LargeUtf8 => Literal::from(array.as_string::<i64>().value(0)),
            _ => Literal::from(array.as_string::<i32>().value(0)),
        }),
    }
    .unwrap_or(Literal::null(data_type))
}

fn compare(column: usize, op: BinaryOperator, right: Right) -> Condition {
    Condition::Compare(column, op, right, false)
}

fn and(a: Condition, b: Condition) -> Condition {
    Condition::And(Box::new(a), Box::new(b))
}

fn or(a: Condition, b: Condition) -> Condition {
    Condition::Or(Box::new(a), Box::new(b))
}

fn not(a: Condition) -> Condition {
    Condition::Not(Box::new(a))
}

fn one(data_type: &DataType, value: Option<Value>) -> ArrayRef {
    from_values(data_type, &[value])
}

/// Returns literals to compare with a column of this type.
fn literals(column: &ArrayRef) -> Vec<ArrayRef> {
    let mut values: Vec<_> = to_values(column).into_iter().flatten().collect();
    values.sort();
    values.dedup();
    let chosen = [0, values.len() / 3, values.len() / 2, values.len().saturating_sub(1)];
    chosen.iter().filter_map(|&at| Some(one(column.data_type(), Some(values.get(at)?.clone())))).collect()
}

fn comparisons(cases: &mut Vec<Case>) {
    let decimals = vec![DataType::Decimal32(7, 2), DataType::Decimal64(15, 2), DataType::Decimal128(30, 3)];
    let times = vec![
        DataType::Date32,
        DataType::Timestamp(TimeUnit::Millisecond, None),
        DataType::Duration(TimeUnit::Second),
        DataType::Time64(TimeUnit::Nanosecond),
    ];
    let types = [data::numeric(), decimals, times, data::strings(), vec![DataType::Boolean]].concat();
    for (data_type, seed) in types.iter().zip(1_u64..) {
        let column = |nulls, seed| random_array(data_type, 147, nulls, seed);
        let tables = [NullPattern::Some, NullPattern::None].map(|nulls| {
            let (left, right) = (column(nulls, seed), column(NullPattern::Some, seed + 100));
            // Half of the rows of the second column are equal to the rows of the first column.
            let mixed: Vec<_> = to_values(&left).into_iter().zip(to_values(&right)).enumerate().collect();
            let mixed: Vec<_> = mixed.into_iter().map(|(row, (a, b))| if row % 2 == 0 { a } else { b }).collect();
            vec![left, from_values(data_type, &mixed)]
        });
        // Each operator meets both tables.
        let inputs = |turn: usize| &tables[(seed as usize + turn) % 2];
        for (at, op) in COMPARISONS.into_iter().enumerate() {
            let swapped = at % 2 == 1;
            for number in 0..4 {
                let inputs = inputs(at + number / 2);
                let Some(literal) = literals(&inputs[0]).into_iter().nth(number) else { continue };
                let condition = Condition::Compare(0, op, Right::Literal(literal), swapped ^ (number == 1));
                cases.push(case(&format!("{op:?}/{data_type}/{number}"), inputs.clone(), condition));
            }
            let condition = Condition::Compare(0, op, Right::Column(1), swapped);
            cases.push(case(&format!("{op:?}/{data_type}/columns"), inputs(at / 2).clone(), condition));
        }
        let null = Right::Literal(one(data_type, None));
        let conditions = or(compare(0, Less, null), Condition::In(0, literals(&inputs(0)[0])));
        cases.push(case(&format!("in/{data_type}"), inputs(0).clone(), conditions));
        let conditions = and(Condition::Valid(0), not(Condition::Valid(1)));
        cases.push(case(&format!("null/{data_type}"), inputs(1).clone(), conditions));
    }
}

/// Adds cases with zeros of both signs, NaN and infinities.
fn floats(cases: &mut Vec<Case>) {
    let special =
        [0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, 5e-324, -5e-324, 1.5];
    for data_type in [DataType::Float32, DataType::Float64] {
        let of = |x: f64| if data_type == DataType::Float32 { Value::F32(x as f32) } else { Value::F64(x) };
        let column = from_values(&data_type, &special.map(|x| Some(of(x))));
        for (op, x) in COMPARISONS.into_iter().flat_map(|op| special.map(|x| (op, x))) {
            let condition = compare(0, op, Right::Literal(one(&data_type, Some(of(x)))));
            cases.push(case(&format!("not {op:?} {x:?}/{data_type}"), vec![column.clone()], not(condition.clone())));
            cases.push(case(&format!("{op:?} {x:?}/{data_type}"), vec![column.clone()], condition));
        }
    }
}

fn table(rows: usize, nulls: NullPattern, seed: u64) -> Vec<ArrayRef> {
    let types =
        [DataType::Int64, DataType::Int32, DataType::Float64, DataType::Utf8, DataType::Boolean, DataType::LargeUtf8];
    types.iter().zip(seed..).map(|(data_type, seed)| random_array(data_type, rows, nulls, seed)).collect()
}

fn nested(inputs: &[ArrayRef]) -> Vec<(&'static str, Condition)> {
    let half = |column: usize, op| match literals(&inputs[column]).get(2) {
        Some(literal) => compare(column, op, Right::Literal(literal.clone())),
        None => Condition::Valid(column),
    };
    // Literal 1 is the value at a third of the sorted distinct values, and literal 2 is the value at half.
    let end = |at: usize, op| match literals(&inputs[0]).get(at) {
        Some(literal) => compare(0, op, Right::Literal(literal.clone())),
        None => Condition::Valid(0),
    };
    let within = || and(end(1, Greater), end(2, LessEqual));
    let without = |other: Condition| and(end(1, Less), and(end(2, GreaterEqual), other));
    let (a, b, c) = (half(0, Less), half(1, GreaterEqual), half(2, NotEqual));
    let (text, flag) = (half(3, Equal), Condition::True(4));
    let prefix = |column: usize, prefix: &str| Condition::StartsWith(column, prefix.to_owned());
    let of = [&a, &b, &c].map(Clone::clone);
    let [x, y, z] = of;
    vec![
        ("and", and(and(and(x.clone(), y.clone()), z.clone()), flag.clone())),
        ("or", or(x.clone(), or(y.clone(), or(z.clone(), flag.clone())))),
        ("or of ands", or(and(x.clone(), y.clone()), and(z.clone(), flag.clone()))),
        (
            "and of ors",
            and(or(x.clone(), text.clone()), and(or(y.clone(), flag.clone()), or(z.clone(), prefix(3, "a")))),
        ),
        ("not", not(and(or(not(x.clone()), y.clone()), not(or(z.clone(), flag.clone()))))),
        ("texts last", texts_last(&[x.clone(), y.clone(), flag.clone()], &[text.clone(), prefix(3, "b")])),
        (
            "deep",
            or(x.clone(), and(y.clone(), or(z.clone(), and(flag.clone(), or(text, and(y.clone(), or(x, z.clone()))))))),
        ),
        ("within", and(flag.clone(), within())),
        ("within or", or(flag.clone(), within())),
        ("or, and within", and(or(y.clone(), end(1, LessEqual)), end(2, GreaterEqual))),
        ("deep or, and within", deep(&flag, &z, and(or(y.clone(), end(1, LessEqual)), end(2, GreaterEqual)))),
        ("within and less", or(and(within(), end(3, Less)), and(z.clone(), end(1, Less)))),
        ("without", or(without(y.clone()), not(without(flag.clone())))),
        ("none", or(Condition::In(0, Vec::new()), and(flag.clone(), not(Condition::In(1, Vec::new()))))),
        (
            "prefixes",
            or(
                prefix(3, ""),
                or(prefix(5, "\u{e9}"), or(prefix(3, "sixteen bytes ar"), prefix(5, "more than sixteen"))),
            ),
        ),
    ]
}

/// Builds more lists in lists than results wait on the stack of a step. The innermost list is `inner`.
fn deep(flag: &Condition, other: &Condition, inner: Condition) -> Condition {
    (0..3).fold(inner, |inner, _| and(other.clone(), or(flag.clone(), inner)))
}

/// Builds lists in lists, in which conditions on texts come before and after conditions on numbers.
fn texts_last([x, y, flag]: &[Condition; 3], [text, prefix]: &[Condition; 2]) -> Condition {
    let either = || or(text.clone(), prefix.clone());
    let first = or(and(either(), x.clone()), and(y.clone(), not(or(text.clone(), flag.clone()))));
    let second = and(or(prefix.clone(), and(flag.clone(), or(text.clone(), x.clone()))), or(y.clone(), not(either())));
    or(and(first.clone(), second.clone()), and(not(second), not(first)))
}

/// Adds cases with literals around the lengths of words and the longest text of a step.
fn long_texts(cases: &mut Vec<Case>) {
    for length in [7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 33] {
        let literal: String = (0..length).map(|at| char::from(b'a' + (at % 26) as u8)).collect();
        let row = |row: usize| {
            let mut text = literal.clone().into_bytes();
            if row % 2 == 1 {
                text[row / 2 % length] = b'#';
            }
            match row % 7 {
                3 => text.truncate(length - 1),
                5 => text.extend(b"tail"),
                _ => {}
            }
            Some(Value::Str(String::from_utf8(text).unwrap_or_default()))
        };
        for data_type in [DataType::Utf8, DataType::LargeUtf8] {
            let texts = from_values(&data_type, &(0..300).map(row).collect::<Vec<_>>());
            let texts = with_validity(&texts, NullPattern::Some.validity(300, length as u64));
            let literal_array = one(&data_type, Some(Value::Str(literal.clone())));
            let equal = compare(0, Equal, Right::Literal(literal_array));
            let prefix = Condition::StartsWith(0, literal.clone());
            cases.push(case(&format!("{length} bytes/{data_type}"), vec![texts.clone()], equal));
            cases.push(case(&format!("prefix of {length} bytes/{data_type}"), vec![texts], not(prefix)));
        }
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    comparisons(&mut cases);
    floats(&mut cases);
    for (&rows, seed) in BRACKETS.iter().zip(1_u64..) {
        for (&nulls, seed) in [NullPattern::None, NullPattern::Some, NullPattern::All].iter().zip(7 * seed..) {
            let inputs = table(rows, nulls, seed);
            for (label, condition) in nested(&inputs) {
                cases.push(case(&format!("{label}/{nulls:?}"), inputs.clone(), condition));
            }
        }
    }
    let ints = random_array(&DataType::Int32, 70, NullPattern::Some, 9);
    cases.push(case("in nothing", vec![ints.clone()], Condition::In(0, Vec::new())));
    cases.push(case("not in nothing", vec![ints], not(Condition::In(0, Vec::new()))));
    let text = random_array(&DataType::Utf8, 300, NullPattern::Some, 3);
    let texts = to_values(&text).into_iter().flatten().map(|value| one(&DataType::Utf8, Some(value)));
    cases.push(case("texts", vec![text.clone()], Condition::In(0, texts.take(20).collect())));
    long_texts(&mut cases);
    // There are more conditions and more columns than one launch takes.
    let many = (0..60).map(|at| one(&DataType::Int32, Some(Value::Int(at - 30)))).collect();
    let ints = random_array(&DataType::Int32, 700, NullPattern::Some, 5);
    cases.push(case("many values", vec![ints], not(Condition::In(0, many))));
    let columns: Vec<_> = (0..40).map(|seed| random_array(&DataType::Boolean, 300, NullPattern::Some, seed)).collect();
    let each =
        (0..40).map(|column| if column % 7 == 0 { Condition::Valid(column) } else { not(Condition::True(column)) });
    let all = each.reduce(|all, next| if matches!(next, Condition::Valid(_)) { and(all, next) } else { or(all, next) });
    cases.extend(all.map(|all| case("many columns", columns, all)));
    cases.extend(refusals());
    cases
}

fn refusals() -> Vec<Case> {
    let ints = |rows| random_array(&DataType::Int32, rows, NullPattern::None, 1);
    let text = random_array(&DataType::Utf8, 3, NullPattern::None, 1);
    let refused = |label: &str, inputs: Vec<ArrayRef>, condition: Condition, is_right: fn(&Error) -> bool| {
        Case::refused(format!("refused {label}"), inputs, move |inputs| run(&condition, inputs), is_right)
    };
    vec![
        refused("lengths", vec![ints(3), ints(4)], and(Condition::Valid(0), Condition::Valid(1)), |error| {
            matches!(error, Error::LengthMismatch { .. })
        }),
        refused("types", vec![ints(3), text], compare(0, Less, Right::Column(1)), |error| {
            matches!(error, Error::TypeMismatch { .. } | Error::Unsupported { .. })
        }),
        refused("no boolean", vec![ints(3)], Condition::True(0), |error| matches!(error, Error::TypeMismatch { .. })),
        refused("no text", vec![ints(3)], Condition::StartsWith(0, "a".into()), |error| {
            matches!(error, Error::Unsupported { .. })
        }),
    ]
}

#[cfg(test)]
mod tests {
    use gdf_test::runner::{RunnerOptions, run_entry};

    #[test]
    fn passes_on_the_cpu() {
        for entry in super::entries() {
            run_entry(&entry, gdf_driver::Device::Cpu, &RunnerOptions::default()).assert_passed();
        }
    }
}
