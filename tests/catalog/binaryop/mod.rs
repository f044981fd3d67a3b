//! Entries of `binaryop`.

pub(super) mod checked;
pub(super) mod nested;

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use gdf_api::binaryop::{self, BinaryOperator};
use gdf_core::{Column, Error, Operand, Result, Scalar, is_binary, is_string};

use super::shared::refusals;
use super::shared::tables::{nested_key_slices, nested_key_waits};
use super::{Case, Entry};
use crate::documented_types::binary_type;
use crate::naive;
use gdf_test::builders::{decimals, plain, strings};
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, random_array};

use BinaryOperator::*;

pub(super) const COMPARISONS: [BinaryOperator; 8] =
    [Equal, NotEqual, Less, Greater, LessEqual, GreaterEqual, NullEquals, NullNotEquals];
const ARITHMETIC: [BinaryOperator; 11] = [NullMax, NullMin, Add, Sub, Mul, Div, TrueDiv, FloorDiv, Mod, PMod, PyMod];
const LOGIC: [BinaryOperator; 4] = [LogicalAnd, LogicalOr, NullLogicalAnd, NullLogicalOr];

pub(super) fn entries() -> Vec<Entry> {
    let name = "binaryop.binary_operation";
    vec![Entry::new(name, Equality::Exact, cases).exact_types(), Entry::new(name, Equality::Ulp(ULP), functions)]
}

/// The largest accepted difference from the expected value, in units in the last place.
const ULP: u32 = 4;

/// The operands that are scalars.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    Columns,
    ScalarRight,
    ScalarLeft,
}

pub(super) const SHAPES: [Shape; 3] = [Shape::Columns, Shape::ScalarRight, Shape::ScalarLeft];

fn operand<'a>(column: &'a Column, scalar: &'a Option<Scalar>) -> Operand<'a> {
    scalar.as_ref().map_or(column.into(), Operand::from)
}

pub(super) fn case(op: BinaryOperator, shape: Shape, lhs: &ArrayRef, rhs: &ArrayRef, output: &DataType) -> Case {
    let rows = if matches!(shape, Shape::ScalarLeft) { rhs.len() } else { lhs.len() };
    let nulls = |of: &ArrayRef| if of.nulls().is_some() { "?" } else { "" };
    let (left, right) = (lhs.data_type(), rhs.data_type());
    let label = format!("{op:?}/{left}{}/{right}{}/{output}/{shape:?}/{rows}", nulls(lhs), nulls(rhs));
    let scalars = move |inputs: &[Column]| -> gdf_core::Result<[Option<Scalar>; 2]> {
        let of = |column: &Column| Scalar::from_column(column.clone()).map(Some);
        Ok(match shape {
            Shape::Columns => [None, None],
            Shape::ScalarRight => [None, of(&inputs[1])?],
            Shape::ScalarLeft => [of(&inputs[0])?, None],
        })
    };
    let (run_type, naive_type) = (output.clone(), output.clone());
    Case::new(
        label,
        vec![lhs.clone(), rhs.clone()],
        move |inputs| {
            let [left, right] = scalars(inputs)?;
            let (lhs, rhs) = (operand(&inputs[0], &left), operand(&inputs[1], &right));
            Ok(vec![operation(lhs, rhs, op, &run_type)?])
        },
        move |inputs| {
            let (lhs, rhs) = (inputs[0].as_ref(), inputs[1].as_ref());
            Ok(vec![naive::binaryop::binary_operation(lhs, rhs, op, &naive_type)?])
        },
        // An operation with text results waits, because the sizes of the texts must be known first.
        nested_key_waits(&[lhs.clone(), rhs.clone()]) + if is_string(output) || is_binary(output) { 2 } else { 0 },
    )
    .with_slice_costs(nested_key_slices(&[lhs.clone(), rhs.clone()]))
}

/// Calls the short form of the operation if there is one, if the result type is the default type, and if rows of the
/// left operand may be null.
fn operation<'a>(lhs: Operand<'a>, rhs: Operand<'a>, op: BinaryOperator, output: &DataType) -> Result<Column> {
    let default = binaryop::default_output_type(op, lhs.data_type(), rhs.data_type());
    match binaryop::SHORT_FORMS.iter().find(|(short, _)| *short == op) {
        Some((_, short)) if lhs.has_validity() && default.is_ok_and(|of| of == *output) => short(lhs, rhs),
        _ => binaryop::binary_operation(lhs, rhs, op, output),
    }
}

pub(super) fn refused(op: BinaryOperator, lhs: &DataType, rhs: &DataType) -> Case {
    let inputs = [lhs, rhs].map(|of| random_array(of, 3, NullPattern::None, 1));
    Case::refused(
        format!("refused {op:?}/{lhs}/{rhs}"),
        inputs.to_vec(),
        move |inputs| {
            let outputs = [inputs[0].data_type(), inputs[1].data_type(), &DataType::Boolean, &DataType::Int64];
            let mut last = None;
            for output in outputs {
                last = Some(binaryop::binary_operation(&inputs[0], &inputs[1], op, output)?);
            }
            Ok(last.into_iter().collect())
        },
        |error| matches!(error, Error::Unsupported { .. } | Error::TypeMismatch { .. }),
    )
}

/// Collects the cases of one pair of types.
#[derive(Default)]
struct Cases {
    cases: Vec<Case>,
    turn: usize,
}

impl Cases {
    fn push(&mut self, op: BinaryOperator, lhs: &DataType, rhs: &DataType, output: &DataType, rows: usize) {
        self.turn += 1;
        let shape = SHAPES[self.turn % 3];
        let nulls = [
            (NullPattern::None, NullPattern::None),
            (NullPattern::Some, NullPattern::Every(3)),
            (NullPattern::None, NullPattern::Some),
            (NullPattern::Some, NullPattern::None),
        ];
        let (left, right) = nulls[self.turn % 4];
        let lens = match shape {
            Shape::Columns => (rows, rows),
            Shape::ScalarRight => (rows, 1),
            Shape::ScalarLeft => (1, rows),
        };
        let seed = self.turn as u64;
        let (lhs, rhs) = (random_array(lhs, lens.0, left, seed), random_array(rhs, lens.1, right, seed ^ 0xff));
        self.cases.push(case(op, shape, &lhs, &rhs, output));
    }

    fn push_default(&mut self, op: BinaryOperator, lhs: &DataType, rhs: &DataType, rows: usize) {
        match binary_type(op, lhs, rhs) {
            Some(output) => self.push(op, lhs, rhs, &output, rows),
            None => self.cases.push(refused(op, lhs, rhs)),
        }
    }
}

/// The number of rows of the cases about types: several mask words, the last of which is incomplete.
const ROWS: usize = 147;

fn cases() -> Vec<Case> {
    let mut all = Cases::default();
    brackets(&mut all);
    numbers(&mut all);
    bits_and_logic(&mut all);
    comparisons(&mut all);
    exact(&mut all);
    composed(&mut all);
    all.cases.extend(nested::comparisons());
    for data_type in refusals::types() {
        for &op in BinaryOperator::ALL {
            if binary_type(op, &data_type, &data_type).is_none() {
                all.cases.push(refused(op, &data_type, &data_type));
            }
        }
    }
    all.cases
}

/// Adds cases of one operator for each strategy of iterating over the rows.
fn brackets(all: &mut Cases) {
    for (rows, seed) in data::limit_brackets().into_iter().zip(1..) {
        let (lhs, rhs) = (DataType::Int16, DataType::Int32);
        let lhs = random_array(&lhs, rows, NullPattern::Every(7), seed);
        let rhs = random_array(&rhs, rows, NullPattern::None, seed + 1);
        all.cases.push(case(Add, Shape::Columns, &lhs, &rhs, &DataType::Int32));
    }
    let decimal = DataType::Decimal128(12, 2);
    for &rows in BRACKETS {
        for &nulls in NullPattern::ALL {
            for (op, data_type) in [
                (Add, DataType::Int64),
                (Mul, DataType::Float32),
                (Div, DataType::Int32),
                (NullMax, DataType::Int16),
                (Mul, decimal.clone()),
                (Less, DataType::Float64),
                (NullLogicalAnd, DataType::Boolean),
                (GreaterEqual, DataType::Utf8),
            ] {
                let of = |seed| random_array(&data_type, rows, nulls, seed + rows as u64);
                if let Some(output) = binary_type(op, &data_type, &data_type) {
                    all.cases.push(case(op, Shape::Columns, &of(1), &of(2), &output));
                }
            }
        }
    }
}

fn numbers(all: &mut Cases) {
    use DataType::*;
    for data_type in data::numeric() {
        for op in ARITHMETIC {
            for _ in 0..2 {
                all.push_default(op, &data_type, &data_type, ROWS);
            }
        }
    }
    let mixed = [
        (Int8, UInt8),
        (Int8, Int32),
        (UInt32, Int32),
        (UInt64, Int64),
        (Int16, UInt64),
        (UInt64, UInt8),
        (Boolean, Int32),
        (Int8, Float16),
        (UInt16, Float32),
        (Int32, Float32),
        (UInt64, Float64),
        (Float16, Float64),
        (Float32, Float16),
        (Int64, Float32),
    ];
    for (lhs, rhs) in mixed {
        for op in ARITHMETIC {
            if !matches!(op, NullMax | NullMin) {
                all.push_default(op, &lhs, &rhs, ROWS);
                all.push_default(op, &rhs, &lhs, ROWS);
            }
        }
    }
    let to = [
        (Int32, Int32, Int64),
        (Int32, Int32, Float64),
        (Int32, Int32, Float32),
        (Int64, Int64, Int8),
        (Int8, Int8, UInt64),
        (Float64, Float64, Int32),
        (Float64, Float64, UInt8),
        (Float32, Float32, Int64),
        (Float64, Float64, UInt64),
        (Float64, Float64, Float16),
        (UInt16, UInt16, Float16),
        (UInt64, UInt64, Int16),
        (Float32, Float32, Int8),
    ];
    for (lhs, rhs, output) in to {
        for op in [Add, Mul, Div, FloorDiv, PyMod] {
            all.push(op, &lhs, &rhs, &output, ROWS);
        }
    }
}

/// Adds cases that use numbers as booleans, and cases that return the larger of two texts.
fn composed(all: &mut Cases) {
    use DataType::*;
    for op in [Add, Sub, Div, PMod] {
        all.push(op, &Int32, &Int32, &Boolean, ROWS);
        all.push(op, &Float64, &Int8, &Boolean, ROWS);
    }
    let wide =
        [(Decimal256(76, 0), Decimal256(40, 6)), (Decimal256(40, 6), Decimal64(18, 4)), (Decimal256(60, -3), Int32)];
    for (lhs, rhs) in &wide {
        for op in [Div, FloorDiv, Mod, PMod, PyMod] {
            all.push_default(op, lhs, rhs, ROWS);
            all.push_default(op, rhs, lhs, ROWS);
            all.push(op, lhs, rhs, &Decimal128(38, 2), ROWS);
        }
        all.push(Mul, lhs, rhs, &Decimal256(76, 1), ROWS);
        all.push(Add, lhs, rhs, &Decimal64(18, 0), ROWS);
    }
    let texts = data::strings().into_iter().map(|of| [of.clone(), of]);
    for [lhs, rhs] in texts.chain([[Utf8, LargeUtf8]]) {
        for op in [NullMax, NullMin, NullMax, NullMin] {
            all.push_default(op, &lhs, &rhs, ROWS);
        }
    }
}

/// Builds cases of functions whose results may differ by some units in the last place.
fn functions() -> Vec<Case> {
    use DataType::*;
    let mut all = Cases::default();
    let ends = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, 1e-300, 1e200, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let pairs = ends.iter().flat_map(|a| ends.iter().map(move |b| (*a, *b)));
    let (left, right): (Vec<f64>, Vec<f64>) = pairs.unzip();
    let [left, right] = [left, right].map(plain::<arrow_array::types::Float64Type>);
    let types = [
        (Float64, Float64),
        (Float32, Float32),
        (Float16, Float16),
        (Float32, Float64),
        (Int32, Int32),
        (UInt64, Int8),
        (Boolean, Float64),
        (Int16, Float32),
    ];
    for op in [Pow, LogBase, Atan2] {
        all.cases.push(case(op, Shape::Columns, &left, &right, &Float64));
        for (lhs, rhs) in &types {
            all.push_default(op, lhs, rhs, ROWS);
        }
        for &rows in BRACKETS {
            all.push_default(op, &Float64, &Float32, rows);
        }
        all.push_default(op, &Utf8, &Float64, 3);
        all.push_default(op, &Decimal128(9, 2), &Float64, 3);
    }
    all.push(Pow, &Float32, &UInt8, &Int32, ROWS);
    all.push(Atan2, &Float64, &Float64, &Float32, ROWS);
    all.cases
}

fn bits_and_logic(all: &mut Cases) {
    use DataType::*;
    let shifts = [ShiftLeft, ShiftRight, ShiftRightUnsigned];
    for lhs in data::integral() {
        for op in shifts {
            all.push_default(op, &lhs, &lhs, ROWS);
            all.push_default(op, &lhs, &Int32, ROWS);
            all.push(op, &lhs, &UInt8, &Int64, ROWS);
        }
        for op in [BitwiseAnd, BitwiseOr, BitwiseXor] {
            all.push_default(op, &lhs, &lhs, ROWS);
            all.push_default(op, &lhs, &UInt32, ROWS);
        }
    }
    let booleans = [BitwiseAnd, BitwiseOr, BitwiseXor, NullMax, NullMin];
    for op in LOGIC.into_iter().chain(booleans).chain(COMPARISONS) {
        for _ in 0..6 {
            all.push_default(op, &Boolean, &Boolean, ROWS);
        }
    }
    for op in LOGIC {
        for (lhs, rhs) in [(Int32, Float64), (Boolean, UInt64), (Float16, Boolean), (Int8, Int8)] {
            all.push_default(op, &lhs, &rhs, ROWS);
            all.push_default(op, &lhs, &rhs, ROWS);
        }
    }
}

fn comparisons(all: &mut Cases) {
    use DataType::*;
    let same = [data::numeric(), data::decimal(), data::temporal(), data::strings()].concat();
    let seconds = Timestamp(TimeUnit::Second, None);
    let mixed = [
        (Int8, Int64),
        (UInt8, Int8),
        (Int64, UInt64),
        (UInt64, Int32),
        (UInt64, UInt16),
        (Boolean, Int16),
        (Float16, Float32),
        (Float32, Float64),
        (Int64, Float64),
        (Float32, UInt64),
        (Float16, Float16),
        (Decimal32(9, 2), Decimal64(18, 4)),
        (Decimal128(38, 10), Decimal128(12, 2)),
        (Decimal128(20, -3), Int64),
        (Decimal128(38, 38), Decimal128(38, -20)),
        (Decimal128(38, 10), Decimal256(76, 0)),
        (Decimal256(70, 40), UInt64),
        (Decimal64(18, 4), UInt64),
        (Date32, Date64),
        (Date32, seconds.clone()),
        (seconds, Timestamp(TimeUnit::Nanosecond, None)),
        (Duration(TimeUnit::Millisecond), Duration(TimeUnit::Second)),
        (Time32(TimeUnit::Second), Time64(TimeUnit::Nanosecond)),
        (Utf8, LargeUtf8),
        (LargeBinary, Binary),
    ];
    let pairs = same.into_iter().map(|of| (of.clone(), of)).chain(mixed);
    for (lhs, rhs) in pairs {
        for op in COMPARISONS {
            all.push_default(op, &lhs, &rhs, ROWS);
            all.push_default(op, &rhs, &lhs, ROWS);
        }
    }
    // The texts include equal texts, long texts, and texts that differ late, in every alignment.
    let words: Vec<String> = (0..90).map(|i| format!("{}{}", "é".repeat(i % 23), i % 2)).collect();
    let others: Vec<String> = (0..90).map(|i| format!("{}{}", "é".repeat(i % 23), i % 3 % 2)).collect();
    let (lhs, rhs) =
        (strings(words.iter().map(|s| Some(s.as_str()))), strings(others.iter().map(|s| Some(s.as_str()))));
    let long = [1, 2].map(|seed| data::long_texts(300, NullPattern::Every(7), seed));
    for op in COMPARISONS {
        all.cases.push(case(op, Shape::Columns, &lhs, &rhs, &Boolean));
        all.cases.push(case(op, Shape::Columns, &long[0], &long[1], &Boolean));
    }
}

/// Adds cases of decimals and times.
fn exact(all: &mut Cases) {
    use DataType::*;
    let decimals_of = [
        (Decimal32(9, 2), Decimal32(9, 2)),
        (Decimal64(18, 4), Decimal64(10, 1)),
        (Decimal128(38, 10), Decimal128(38, 10)),
        (Decimal128(12, 2), Decimal32(5, 0)),
        (Decimal128(20, -3), Decimal128(12, 2)),
        (Decimal64(18, 2), Int32),
        (UInt64, Decimal128(15, 2)),
        (Decimal256(76, 0), Decimal256(40, 6)),
        (Decimal256(40, 6), Decimal64(18, 4)),
    ];
    for (lhs, rhs) in &decimals_of {
        for op in ARITHMETIC {
            if lhs == rhs || !matches!(op, NullMax | NullMin) {
                let wide = [lhs, rhs].iter().any(|of| matches!(of, Decimal256(..)));
                if !wide || matches!(op, Add | Sub | Mul) {
                    all.push_default(op, lhs, rhs, ROWS);
                    all.push_default(op, rhs, lhs, ROWS);
                }
            }
        }
    }
    // These cases have non-default scales, other widths, and overflow.
    let money = decimals(15, 2, (0..99).map(|i| (i % 10 != 3).then_some(i * 12_345 - 500_000)));
    let rate = decimals(15, 2, (0..99).map(|i| Some(i % 11 - 5)));
    let outputs = [
        Decimal128(38, 0),
        Decimal128(38, 1),
        Decimal128(38, 4),
        Decimal128(38, 9),
        Decimal128(38, -2),
        Decimal64(18, 2),
        Decimal32(9, 4),
    ];
    for output in &outputs {
        for op in ARITHMETIC.into_iter().filter(|op| *op != TrueDiv) {
            all.cases.push(case(op, Shape::Columns, &money, &rate, output));
        }
    }
    all.push(NullMin, &Decimal256(70, 3), &Decimal256(70, 3), &Decimal256(76, 5), ROWS);
    all.push(NullMax, &Decimal32(9, 3), &Decimal32(9, 3), &Decimal256(76, 5), ROWS);

    let (second, milli, nano) = (TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Nanosecond);
    let at = |unit| Timestamp(unit, None);
    let pairs = [
        (at(second), Duration(second)),
        (at(milli), Duration(second)),
        (at(second), Duration(nano)),
        (at(nano), at(nano)),
        (at(second), at(milli)),
        (Date32, Date32),
        (Date64, Date32),
        (Duration(second), Duration(second)),
        (Duration(milli), Duration(nano)),
        (Duration(second), Int64),
        (Duration(nano), UInt8),
        (Timestamp(nano, Some("UTC".into())), Duration(nano)),
    ];
    for (lhs, rhs) in &pairs {
        for op in [Add, Sub, Mul, Div, FloorDiv, Mod, PMod, PyMod] {
            all.push_default(op, lhs, rhs, ROWS);
            all.push_default(op, rhs, lhs, ROWS);
        }
    }
    for data_type in data::temporal() {
        all.push_default(NullMax, &data_type, &data_type, ROWS);
        all.push_default(NullMin, &data_type, &data_type, ROWS);
    }
    all.push(Sub, &at(nano), &at(nano), &Duration(milli), ROWS);
    all.push(Add, &at(milli), &Duration(milli), &at(second), ROWS);

    // The quotient of the smallest integer and −1 is the only quotient that wraps.
    let min = plain::<arrow_array::types::Int64Type>([i64::MIN, i64::MIN, 7, 0]);
    let by = plain::<arrow_array::types::Int64Type>([-1, 0, -1, -1]);
    for op in [Div, FloorDiv, Mod, PMod, PyMod] {
        all.cases.push(case(op, Shape::Columns, &min, &by, &Int64));
    }
    for lhs in data::integral() {
        for rhs in [&lhs, &Int8, &UInt64] {
            all.push_default(IntPow, &lhs, rhs, ROWS);
        }
        let small = plain::<arrow_array::types::Int32Type>((0..ROWS as i32).map(|row| row % 9 - 2));
        let base = random_array(&lhs, ROWS, NullPattern::Every(5), 7);
        all.cases.push(case(IntPow, Shape::Columns, &base, &small, &lhs));
    }
}
