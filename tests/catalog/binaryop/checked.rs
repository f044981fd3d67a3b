//! Entries of arithmetic with a policy for rows that have no result: `binary_operation_checked`,
//! `unary_operation_checked` and `cast_checked`. The oracles compute with integers of any size.

use arrow_array::types::{Float64Type, Int8Type, Int32Type};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::i256;
use arrow_schema::{DataType, TimeUnit};
use gdf_api::binaryop::{self, ArithmeticPolicy, BinaryOperator, OverflowPolicy, ZeroDivisionPolicy};
use gdf_api::unary::{self, UnaryOperator};
use gdf_core::{Column, Error, Result};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::catalog::{Case, Entry};
use crate::documented_types::{binary_type, unary_type};
use crate::naive::binaryop::checked as naive;
use gdf_test::builders::{ints, plain};
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, random_array};
use gdf_test::value::{Value, from_values};

use BinaryOperator::{Add, Div, FloorDiv, Mod, Mul, PMod, PyMod, Sub, TrueDiv};

const OPERATORS: [BinaryOperator; 9] = [Add, Sub, Mul, Div, TrueDiv, FloorDiv, Mod, PMod, PyMod];

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("binaryop.binary_operation_checked", Equality::Exact, binary),
        Entry::new("unary.unary_operation_checked", Equality::Exact, unary),
        Entry::new("unary.cast_checked", Equality::Exact, casts).sharing_inputs(),
    ]
}

fn case(
    label: String,
    inputs: Vec<ArrayRef>,
    reports: bool,
    run: impl Fn(&[Column]) -> Result<Column> + Send + Sync + 'static,
    oracle: impl Fn(&[ArrayRef]) -> Result<Option<ArrayRef>, String> + Send + Sync + 'static,
) -> Case {
    let run = move |inputs: &[Column]| Ok(vec![run(inputs)?]);
    if oracle(&inputs).is_ok_and(|expected| expected.is_none()) {
        let is_right = |error: &Error| matches!(error, Error::InvalidData { .. });
        return Case::refused(format!("fails {label}"), inputs, run, is_right);
    }
    let oracle = move |inputs: &[ArrayRef]| Ok(vec![oracle(inputs)?.ok_or("the oracle refuses a row")?]);
    Case::new(label, inputs, run, oracle, u64::from(reports))
}

fn binary_case(
    op: BinaryOperator,
    [lhs, rhs]: [&ArrayRef; 2],
    output: &DataType,
    (overflow, zero_division): (OverflowPolicy, ZeroDivisionPolicy),
) -> Case {
    let policy = ArithmeticPolicy { overflow, zero_division };
    let nulls = |of: &ArrayRef| if of.nulls().is_some() { "?" } else { "" };
    let (left, right) = (lhs.data_type(), rhs.data_type());
    let types = format!("{left}{}/{right}{}/{output}", nulls(lhs), nulls(rhs));
    let label = format!("{op:?}/{types}/{overflow:?}/{zero_division:?}/{}", lhs.len());
    let [run_type, naive_type] = [output; 2].map(Clone::clone);
    let reports = overflow == OverflowPolicy::Error || zero_division == ZeroDivisionPolicy::Error;
    case(
        label,
        vec![lhs.clone(), rhs.clone()],
        reports,
        move |inputs| binaryop::binary_operation_checked(&inputs[0], &inputs[1], op, &run_type, policy),
        move |inputs| naive::binary_operation(&inputs[0], &inputs[1], op, &naive_type, policy),
    )
}

/// The number of rows of the cases about types: several mask words, the last of which is incomplete.
const ROWS: usize = 147;

fn binary() -> Vec<Case> {
    use DataType::*;
    use OverflowPolicy::{Error as Strict, Null, Wrap};
    use ZeroDivisionPolicy::{Error as Refuse, Ieee, Null as Nullify};
    let mut cases = Vec::new();
    let policies = [(Null, Ieee), (Null, Nullify), (Wrap, Nullify), (Strict, Nullify), (Null, Refuse), (Wrap, Ieee)];
    let (second, nano) = (TimeUnit::Second, TimeUnit::Nanosecond);
    let same = [data::numeric(), data::decimal()].concat().into_iter().map(|of| (of.clone(), of));
    let mixed = [
        (Int64, UInt64),
        (UInt8, Int16),
        (Boolean, Int16),
        (Int32, Float32),
        (UInt64, Decimal128(20, -3)),
        (Decimal64(18, 4), Decimal256(70, 6)),
        (Timestamp(second, None), Duration(nano)),
        (Duration(second), Duration(nano)),
        (Duration(nano), Int64),
        (Date32, Date32),
    ];
    let mut turn = 0;
    for (lhs, rhs) in same.chain(mixed) {
        for op in OPERATORS {
            let Some(output) = binary_type(op, &lhs, &rhs) else { continue };
            for _ in 0..2 {
                turn += 1;
                let nulls = [(NullPattern::None, NullPattern::None), (NullPattern::Some, NullPattern::Every(3))];
                let (left, right) = nulls[turn % 2];
                let arrays =
                    [random_array(&lhs, ROWS, left, turn as u64), random_array(&rhs, ROWS, right, turn as u64 ^ 0xff)];
                cases.push(binary_case(op, [&arrays[0], &arrays[1]], &output, policies[turn % policies.len()]));
            }
        }
    }
    // The result types are not the default types.
    for (of, to) in
        [(Int64, Int8), (Int32, UInt64), (Float64, Int32), (Float32, UInt8), (Float64, UInt64), (Int32, Float64)]
    {
        for op in [Add, Mul, Div, PyMod] {
            let arrays = [1, 2].map(|seed| random_array(&of, ROWS, NullPattern::Every(7), seed));
            cases.push(binary_case(op, [&arrays[0], &arrays[1]], &to, (Null, Ieee)));
        }
    }
    // The decimals have every width, and random scales and precisions.
    let mut rng = SmallRng::seed_from_u64(7);
    let mut random = |most: u8, make: fn(u8, i8) -> DataType| {
        let precision = rng.random_range(1..=most);
        make(precision, rng.random_range(-4..=precision as i8))
    };
    for turn in 0..120 {
        let mut of = |turn: usize| match turn % 4 {
            0 => random(9, Decimal32),
            1 => random(18, Decimal64),
            2 => random(38, Decimal128),
            _ => random(76, Decimal256),
        };
        let (lhs, rhs) = (of(turn), of(turn / 4));
        let op = OPERATORS[turn % OPERATORS.len()];
        let Some(output) = binary_type(op, &lhs, &rhs) else { continue };
        let arrays = [1, 2].map(|seed| (seed, if seed == 1 { &lhs } else { &rhs }));
        let arrays = arrays.map(|(seed, of)| random_array(of, ROWS, NullPattern::Every(9), seed + turn as u64));
        cases.push(binary_case(op, [&arrays[0], &arrays[1]], &output, (Null, Ieee)));
    }
    for &rows in BRACKETS {
        for &nulls in NullPattern::ALL {
            for of in [Int16, Decimal128(12, 2), Float32] {
                let arrays = [1, 2].map(|seed| random_array(&of, rows, nulls, seed + rows as u64));
                let Some(output) = binary_type(Mul, &of, &of) else { continue };
                cases.push(binary_case(Mul, [&arrays[0], &arrays[1]], &output, (Null, Nullify)));
                cases.push(binary_case(Div, [&arrays[0], &arrays[1]], &of, (Null, Nullify)));
            }
        }
    }
    // A product at and beyond the ends of 256 bits, before it is divided by a power of ten.
    let of = |exponents: [u8; 5], negative: bool| {
        let value = |exponent: u8| if negative { -(i256::ONE << exponent) } else { i256::ONE << exponent };
        let values: Vec<_> = exponents.iter().map(|exponent| Some(Value::Decimal(value(*exponent)))).collect();
        from_values(&Decimal256(76, 20), &values)
    };
    let rhs = of([55, 127, 5, 54, 56], false);
    for negative in [true, false] {
        cases.push(binary_case(
            Mul,
            [&of([200, 128, 250, 200, 200], negative), &rhs],
            &Decimal256(76, 10),
            (Null, Ieee),
        ));
    }
    errors(&mut cases);
    cases
}

/// Builds cases in which the last row determines whether the operation fails.
fn errors(cases: &mut Vec<Case>) {
    use DataType::{Int8, Int32};
    use OverflowPolicy::{Error as Strict, Null, Wrap};
    use ZeroDivisionPolicy::{Error as Refuse, Ieee};
    for &rows in BRACKETS {
        for last in [Some(1), Some(127), None] {
            let end = |last: Option<i8>, rest: Option<i8>| {
                ints::<Int8Type>((0..rows).map(move |row| if row + 1 == rows { last } else { rest }))
            };
            let (lhs, rhs) = (end(last, Some(3)), end(Some(1), Some(2)));
            cases.push(binary_case(Add, [&lhs, &rhs], &Int8, (Strict, Ieee)));
            let zero = end(last.map(|last| last / 100 - 1), Some(2));
            cases.push(binary_case(Mod, [&rhs, &zero], &Int8, (Wrap, Refuse)));
            cases.push(binary_case(Div, [&rhs, &zero], &Int32, (Null, Refuse)));
        }
    }
    let ends = |of: [f64; 3]| plain::<Float64Type>(of);
    let one = ends([1.0, 1.0, 1.0]);
    for of in [[1.5, 2.0, -7.9], [1.0, f64::NAN, 1.0], [1.0, 3e9, 1.0], [f64::NEG_INFINITY, 0.0, 0.0]] {
        cases.push(binary_case(Mul, [&ends(of), &one], &Int32, (Strict, Ieee)));
    }
    cases.push(binary_case(TrueDiv, [&one, &ends([0.0, -0.0, 1.0])], &DataType::Float64, (Strict, Ieee)));
    cases.push(binary_case(TrueDiv, [&one, &ends([0.0, -0.0, 1.0])], &DataType::Float64, (Strict, Refuse)));
    let input = plain::<Int32Type>([1, 2]);
    for op in [BinaryOperator::Less, BinaryOperator::BitwiseAnd, BinaryOperator::NullMax, BinaryOperator::IntPow] {
        cases.push(Case::refused(
            format!("refused {op:?}"),
            vec![input.clone()],
            move |inputs| {
                let policy = ArithmeticPolicy::default();
                let output = if op == BinaryOperator::Less { DataType::Boolean } else { Int32 };
                Ok(vec![binaryop::binary_operation_checked(&inputs[0], &inputs[0], op, &output, policy)?])
            },
            |error| matches!(error, Error::Unsupported { .. }),
        ));
    }
}

const OVERFLOW: [OverflowPolicy; 3] = [OverflowPolicy::Null, OverflowPolicy::Error, OverflowPolicy::Wrap];

fn unary() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut push = |op: UnaryOperator, input: ArrayRef, overflow: OverflowPolicy| {
        let label = format!("{op:?}/{}/{overflow:?}/{}", input.data_type(), input.len());
        cases.push(case(
            label,
            vec![input],
            overflow == OverflowPolicy::Error,
            move |inputs| unary::unary_operation_checked(&inputs[0], op, overflow),
            move |inputs| match op {
                UnaryOperator::Abs | UnaryOperator::Negate if !gdf_core::is_floating(inputs[0].data_type()) => {
                    naive::negation(&inputs[0], op == UnaryOperator::Abs, overflow)
                }
                _ => Ok(Some(crate::naive::unary::unary_operation(&inputs[0], op)?)),
            },
        ));
    };
    let durations = vec![DataType::Duration(TimeUnit::Second)];
    for (seed, data_type) in (0..).zip([data::numeric(), data::decimal(), durations].concat()) {
        for op in [UnaryOperator::Abs, UnaryOperator::Negate, UnaryOperator::Sqrt] {
            if unary_type(op, &data_type).is_some() && (op != UnaryOperator::Sqrt || seed == 3) {
                for overflow in OVERFLOW {
                    push(op, random_array(&data_type, ROWS, NullPattern::Every(5), seed), overflow);
                }
            }
        }
    }
    for &rows in BRACKETS {
        let ends = ints::<Int8Type>((0..rows).map(|row| if row % 5 == 4 { None } else { Some((row % 7) as i8 - 5) }));
        push(UnaryOperator::Abs, ends.clone(), OverflowPolicy::Error);
        push(UnaryOperator::Negate, random_array(&DataType::Int8, rows, NullPattern::None, 3), OverflowPolicy::Null);
    }
    cases
}

fn casts() -> Vec<Case> {
    use DataType::*;
    let mut cases = Vec::new();
    let mut push = |input: ArrayRef, target: &DataType, overflow: OverflowPolicy| {
        let label = format!("{} to {target}/{overflow:?}/{}", input.data_type(), input.len());
        let [run_type, naive_type] = [target; 2].map(Clone::clone);
        cases.push(case(
            label,
            vec![input],
            overflow == OverflowPolicy::Error,
            move |inputs| unary::cast_checked(&inputs[0], &run_type, overflow),
            move |inputs| naive::cast(&inputs[0], &naive_type, overflow),
        ));
    };
    let decimals = [
        Decimal32(5, 2),
        Decimal64(18, 5),
        Decimal64(12, -3),
        Decimal128(38, 10),
        Decimal128(20, 0),
        Decimal256(76, 20),
        Decimal256(70, -40),
        Decimal256(60, 22),
    ];
    let moments = [
        Date32,
        Date64,
        Timestamp(TimeUnit::Second, None),
        Timestamp(TimeUnit::Nanosecond, None),
        Duration(TimeUnit::Millisecond),
    ];
    let numbers = [data::numeric(), vec![Boolean]].concat();
    let exact = [numbers.clone(), decimals.to_vec()].concat();
    let mut turn = 0;
    let mut all = |from: &[DataType], to: &[DataType]| {
        for from in from {
            for to in to {
                turn += 1;
                let nulls = [NullPattern::None, NullPattern::Some, NullPattern::Every(3)][turn % 3];
                push(random_array(from, 65, nulls, turn as u64), to, OVERFLOW[turn % 8 / 3 % 3]);
            }
        }
    };
    all(&exact, &exact);
    all(&moments, &moments);
    all(&moments[2..], &[Int64, UInt64]);
    all(&data::integral(), &[Duration(TimeUnit::Second)]);
    for (from, to, overflow) in [
        (Decimal32(9, 2), Decimal32(5, 2), OverflowPolicy::Null),
        (Decimal64(18, 5), Decimal64(17, 5), OverflowPolicy::Error),
        (Decimal128(38, 10), Decimal128(20, 10), OverflowPolicy::Null),
        (Decimal256(76, 20), Decimal256(30, 20), OverflowPolicy::Null),
        (Decimal128(20, 10), Decimal128(38, 10), OverflowPolicy::Error),
    ] {
        push(random_array(&from, 65, NullPattern::Every(3), 7), &to, overflow);
    }
    for &rows in BRACKETS {
        for (from, to) in
            [(Int64, Int8), (Float64, Int32), (Decimal128(38, 10), Decimal64(10, 2)), (Float32, Decimal32(5, 1))]
        {
            push(random_array(&from, rows, NullPattern::Every(7), rows as u64), &to, OverflowPolicy::Null);
        }
        push(random_array(&UInt8, rows, NullPattern::Some, 1), &Int16, OverflowPolicy::Error);
    }
    cases
}
