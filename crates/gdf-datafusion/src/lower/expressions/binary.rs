//! Lowers binary operators.

use arrow_schema::DataType;
use datafusion::logical_expr::Operator;
use gdf_core::{decimal_parts, is_floating, is_integral, is_string, is_unsigned_integral, same_type};
use gdf_exec::{Check, Problem, with_width};
use gdf_expr::types::default_output_type;
use gdf_expr::{BinaryOperator, Expr, Function, Value};

use super::cast::limits;
use super::lowered::{Lowered, is_not_true, stored};
use super::text::{begins_with, matches};
use crate::error::Refusal;

/// Lowers a binary operator whose operands are lowered. `output` is the plain type of the result.
pub(crate) fn binary(
    op: Operator,
    left: Lowered,
    right: Lowered,
    output: &DataType,
    text: &dyn std::fmt::Display,
) -> Result<Lowered, Refusal> {
    let refused = || Refusal::expression(text);
    match op {
        Operator::And | Operator::Or => {
            let (is_and, value) = (op == Operator::And, &left.value);
            let op = if is_and { BinaryOperator::NullLogicalAnd } else { BinaryOperator::NullLogicalOr };
            // DataFusion does not evaluate the right side where the left side determines the result. A chain whose value
            // a guard shares does not grow in place, so the guard is made only if it is needed.
            let right = match right.checks.is_empty() {
                true => right,
                false if is_and => right.guarded(&value.clone().is_null().or(value.clone())),
                false => right.guarded(&is_not_true(value.clone())),
            };
            Ok(left.binary(op, right, DataType::Boolean))
        }
        Operator::Eq | Operator::NotEq | Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq => {
            compare(op, left, right).ok_or_else(refused)
        }
        Operator::IsDistinctFrom | Operator::IsNotDistinctFrom => {
            if is_floating(&left.data_type) || !same_type(&left.data_type, &right.data_type) {
                return Err(refused());
            }
            let equal = left.binary(BinaryOperator::NullEquals, right, DataType::Boolean);
            Ok(if op == Operator::IsDistinctFrom { equal.map(DataType::Boolean, |value| !value) } else { equal })
        }
        Operator::Plus | Operator::Minus if left.data_type == DataType::Date32 => Err(refused()),
        Operator::Plus => arithmetic(BinaryOperator::Add, left, right, output).ok_or_else(refused),
        Operator::Minus => arithmetic(BinaryOperator::Sub, left, right, output).ok_or_else(refused),
        Operator::Multiply => arithmetic(BinaryOperator::Mul, left, right, output).ok_or_else(refused),
        Operator::Divide => arithmetic(BinaryOperator::Div, left, right, output).ok_or_else(refused),
        Operator::Modulo => arithmetic(BinaryOperator::Mod, left, right, output).ok_or_else(refused),
        Operator::BitwiseAnd => bitwise(BinaryOperator::BitwiseAnd, left, right).ok_or_else(refused),
        Operator::BitwiseOr => bitwise(BinaryOperator::BitwiseOr, left, right).ok_or_else(refused),
        Operator::BitwiseXor => bitwise(BinaryOperator::BitwiseXor, left, right).ok_or_else(refused),
        Operator::BitwiseShiftLeft => shift(BinaryOperator::ShiftLeft, left, right).ok_or_else(refused),
        Operator::BitwiseShiftRight => shift(BinaryOperator::ShiftRight, left, right).ok_or_else(refused),
        Operator::StringConcat if is_string(&left.data_type) && left.data_type == right.data_type => {
            let checks = left.checks.into_iter().chain(right.checks).collect();
            let value = Expr::call(Function::Concat, [left.value, right.value]);
            Ok(Lowered { value, data_type: left.data_type, checks })
        }
        Operator::RegexMatch | Operator::RegexIMatch | Operator::RegexNotMatch | Operator::RegexNotIMatch => {
            let is_insensitive = matches!(op, Operator::RegexIMatch | Operator::RegexNotIMatch);
            let pattern = right.literal().and_then(|pattern| pattern.text()).ok_or_else(refused)?;
            let found = matches(left, pattern, if is_insensitive { "i" } else { "" }).ok_or_else(refused)?;
            Ok(match matches!(op, Operator::RegexNotMatch | Operator::RegexNotIMatch) {
                true => found.map(DataType::Boolean, |value| !value),
                false => found,
            })
        }
        _ => Err(refused()),
    }
}

fn bitwise(op: BinaryOperator, left: Lowered, right: Lowered) -> Option<Lowered> {
    let data_type = left.data_type.clone();
    (is_integral(&data_type) && data_type == right.data_type).then(|| left.binary(op, right, data_type))
}

/// Lowers a shift by a literal that is less than the number of bits of the type.
fn shift(op: BinaryOperator, left: Lowered, right: Lowered) -> Option<Lowered> {
    let bits = i128::try_from(left.data_type.primitive_width()? * 8).ok()?;
    let is_inside = right.literal()?.integer().is_some_and(|distance| (0..bits).contains(&distance));
    is_inside.then(|| bitwise(op, left, right))?
}

/// Lowers arithmetic. Integers wrap in both libraries, except for the smallest integer divided by −1, which is an
/// error. Integers and decimals divided by zero are an error, too.
fn arithmetic(op: BinaryOperator, left: Lowered, right: Lowered, output: &DataType) -> Option<Lowered> {
    let (of_left, of_right) = (decimal_parts(&left.data_type), decimal_parts(&right.data_type));
    let needed = digits(op, of_left, of_right, output);
    if let (Some((of_left, ..)), Some((of_right, ..)), Some((of_output, ..))) =
        (of_left, of_right, decimal_parts(output))
    {
        let mut width = of_left.max(of_right).max(of_output);
        // The scaled operands of a remainder may have more digits than the result.
        if op == BinaryOperator::Mod && needed > most_digits(width) {
            width = width.max(16);
        }
        if [of_left, of_right, of_output].iter().any(|part| *part != width) {
            let [left, right] = [left, right].map(|side| widened(side, width));
            let result = arithmetic(op, left, right, &with_width(output, width))?;
            return Some(result.map(output.clone(), |value| value.cast(output.clone())));
        }
    }
    let fits = match (of_left, of_right) {
        (Some(_), Some(_)) => same_type(&default_output_type(op, &left.data_type, &right.data_type).ok()?, output),
        (None, None) => {
            let is_number = is_integral(&left.data_type) || is_floating(&left.data_type);
            is_number && left.data_type == right.data_type && left.data_type == *output
        }
        _ => false,
    };
    if !fits {
        return None;
    }
    let overflows = of_left.is_some_and(|(width, ..)| needed > most_digits(width));
    let divides = matches!(op, BinaryOperator::Div | BinaryOperator::Mod) && !is_floating(output);
    let divisor = right.literal().and_then(|value| value.integer());
    let is_other = divisor.is_some_and(|divisor| divisor != 0);
    let may_wrap = op == BinaryOperator::Div
        && is_integral(output)
        && !is_unsigned_integral(output)
        && divisor.is_none_or(|divisor| divisor == -1);
    let min = if may_wrap { Some(stored(limits(output)?[0], output).ok()?) } else { None };
    let operands = [left.value.clone(), right.value.clone()];
    let mut result = left.binary(op, right, output.clone());
    if divides && !is_other {
        let [dividend, divisor] = operands.clone();
        result.check(dividend.is_not_null().and(divisor.eq(0)), Problem::DivideByZero);
    }
    if let Some(min) = min {
        let [dividend, divisor] = operands.clone();
        result.check(dividend.eq(min).and(divisor.eq(-1)), Problem::CastOverflow(output.clone()));
    }
    if overflows {
        result.checks.push(Check::Fits { guard: None, op, operands, data_type: output.clone() });
    }
    Some(result)
}

/// Converts a decimal to a decimal of `width` bytes with the same precision and scale.
fn widened(of: Lowered, width: usize) -> Lowered {
    let wide = with_width(&of.data_type, width);
    match of.data_type == wide {
        true => of,
        false => of.map(wide.clone(), |value| value.cast(wide)),
    }
}

/// Returns the maximum number of digits of decimals that are `width` bytes wide.
fn most_digits(width: usize) -> i32 {
    match width {
        4 => 9,
        8 => 18,
        16 => 38,
        _ => 76,
    }
}

/// Returns the largest number of digits that decimal arithmetic needs for operands of their declared precision. Returns
/// 0 for other arithmetic.
fn digits(op: BinaryOperator, left: Option<(usize, u8, i8)>, right: Option<(usize, u8, i8)>, output: &DataType) -> i32 {
    let (Some((_, precision, scale)), Some((_, other_precision, other_scale))) = (left, right) else { return 0 };
    let [precision, other_precision] = [precision, other_precision].map(i32::from);
    let [scale, other_scale] = [scale, other_scale].map(i32::from);
    let common = scale.max(other_scale);
    let scaled = (precision + common - scale).max(other_precision + common - other_scale);
    match op {
        BinaryOperator::Mul => precision + other_precision,
        BinaryOperator::Div => {
            let output = decimal_parts(output).map_or(0, |(_, _, scale)| i32::from(scale));
            (precision + (output + other_scale - scale).max(0)).max(other_precision)
        }
        BinaryOperator::Mod => scaled,
        _ => scaled + 1,
    }
}

/// Compares values of one type. DataFusion orders floats totally: NaN equals NaN, and is greater than every number.
pub(crate) fn compare(op: Operator, left: Lowered, right: Lowered) -> Option<Lowered> {
    let are_decimals = [&left, &right].iter().all(|side| decimal_parts(&side.data_type).is_some());
    if !are_decimals && !same_type(&left.data_type, &right.data_type) {
        return None;
    }
    if matches!(op, Operator::Eq | Operator::NotEq) {
        for (one, other) in [(&left, &right), (&right, &left)] {
            let text = other.literal().and_then(Value::text);
            if let Some(found) = text.and_then(|text| begins_with(&one.value, [Some(text)])) {
                let found = if op == Operator::Eq { found } else { !found };
                return Some(one.clone().map(DataType::Boolean, |_| found));
            }
        }
    }
    let (a, b) = (left.value.clone(), right.value.clone());
    let nans = is_floating(&left.data_type).then(|| (nan(&left), nan(&right)));
    let ((left_nan, right_nan), checks) =
        (nans.unwrap_or((None, None)), left.checks.into_iter().chain(right.checks).collect());
    let or = |plain: Expr, or: Option<Expr>| match or {
        Some(or) => plain.or(or),
        None => plain,
    };
    let both = |a: Option<Expr>, b: Option<Expr>| Some(a?.and(b?));
    let equal = |a: Expr, b: Expr| or(a.eq(b), both(left_nan.clone(), right_nan.clone()));
    // The result is also true where `b` is NaN and `a` is not NaN.
    let less = |a: Expr, b: Expr, of_a: &Option<Expr>, of_b: &Option<Expr>| {
        let is_less = of_b.clone().map(|of_b| match of_a {
            Some(of_a) => of_b.and(!of_a.clone()),
            None => of_b.and(a.clone().is_not_null()),
        });
        or(a.lt(b), is_less)
    };
    // The expression in parentheses is null where `a` is null, and true in all other rows.
    let at_most = |a: Expr, b: Expr, of_b: &Option<Expr>| {
        let is_nan = of_b.clone().map(|of_b| of_b.and(a.clone().is_not_null().or(a.clone().eq(a.clone()))));
        or(a.le(b), is_nan)
    };
    let value = match op {
        Operator::Eq => equal(a, b),
        Operator::NotEq => !equal(a, b),
        Operator::Lt => less(a, b, &left_nan, &right_nan),
        Operator::Gt => less(b, a, &right_nan, &left_nan),
        Operator::LtEq => at_most(a, b, &right_nan),
        Operator::GtEq => at_most(b, a, &left_nan),
        _ => return None,
    };
    Some(Lowered { value, data_type: DataType::Boolean, checks })
}

/// Returns an expression that is true where a float is NaN, or `None` for a literal that is a number.
fn nan(of: &Lowered) -> Option<Expr> {
    let is_number = of.literal().and_then(|value| value.float()).is_some_and(|value| !value.is_nan());
    (!is_number).then(|| Expr::call(Function::IsNan, [of.value.clone()]))
}
