//! Lowers functions of numbers, and `date_trunc`.

use std::any::Any;

use arrow_schema::{DataType, TimeUnit};
use datafusion::functions::datetime::date_trunc::DateTruncFunc;
use datafusion::functions::math::abs::AbsFunc;
use datafusion::functions::math::ceil::CeilFunc;
use datafusion::functions::math::floor::FloorFunc;
use datafusion::functions::math::power::PowerFunc;
use datafusion::functions::math::round::RoundFunc;
use gdf_core::{decimal_parts, is_floating, is_integral, is_unsigned_integral, width};
use gdf_exec::Problem;
use gdf_expr::{BinaryOperator, Component, Expr, Function, UnaryOperator, Value, lit, when};

use super::arguments::{integer, only};
use super::cast::{OnOverflow, cast};
use super::lowered::{Lowered, stored};

pub(super) fn number_function(fun: &dyn Any, name: &str, arguments: Vec<Lowered>) -> Option<Lowered> {
    if fun.is::<AbsFunc>() {
        let [of] = only(arguments)?;
        return absolute(of);
    }
    if fun.is::<PowerFunc>() {
        let [base, exponent] = only(arguments)?;
        let are_doubles = base.data_type == DataType::Float64 && exponent.data_type == DataType::Float64;
        return are_doubles.then(|| {
            let is_negative = exponent.value.clone().lt(0.0);
            let undefined = base.value.clone().eq(0.0).and(is_negative);
            let may_be_negative = exponent.literal().and_then(|value| value.float()).is_none_or(|power| power < 0.0);
            let mut result = base.binary(BinaryOperator::Pow, exponent, DataType::Float64);
            if may_be_negative {
                result.check(undefined, Problem::OutOfDomain("power"));
            }
            result
        });
    }
    if fun.is::<RoundFunc>() {
        let mut arguments = arguments.into_iter();
        return rounded(arguments.next()?, arguments.next());
    }
    let op = if fun.is::<CeilFunc>() {
        UnaryOperator::Ceil
    } else if fun.is::<FloorFunc>() {
        UnaryOperator::Floor
    } else {
        elementary(fun, name)?
    };
    let [of] = only(arguments)?;
    let data_type = is_floating(&of.data_type).then(|| of.data_type.clone())?;
    let (argument, mut result) = (of.value.clone(), of.map(data_type, |value| value.unary(op)));
    if op == UnaryOperator::Sqrt {
        result.check(argument.lt(lit(0)), Problem::OutOfDomain("sqrt"));
    }
    Some(result)
}

/// Returns the operator for an elementary function of DataFusion, but not for a user-defined function of that name.
fn elementary(fun: &dyn Any, name: &str) -> Option<UnaryOperator> {
    use datafusion::functions::math;
    let (own, op) = match name {
        "sqrt" => (math::sqrt(), UnaryOperator::Sqrt),
        "exp" => (math::exp(), UnaryOperator::Exp),
        "ln" => (math::ln(), UnaryOperator::Log),
        "log2" => (math::log2(), UnaryOperator::Log2),
        "log10" => (math::log10(), UnaryOperator::Log10),
        "sin" => (math::sin(), UnaryOperator::Sin),
        "cos" => (math::cos(), UnaryOperator::Cos),
        "tan" => (math::tan(), UnaryOperator::Tan),
        "atan" => (math::atan(), UnaryOperator::ArcTan),
        _ => return None,
    };
    let own: &dyn Any = own.inner().as_ref();
    (own.type_id() == fun.type_id()).then_some(op)
}

/// Lowers `round` of floats. As in DataFusion, the value is multiplied by a power of ten, rounded, and divided again.
fn rounded(of: Lowered, places: Option<Lowered>) -> Option<Lowered> {
    let places = match places {
        None => 0,
        Some(places) => i32::try_from(integer(&places)?).ok()?,
    };
    let factor = 10_f64.powi(places);
    let factor = match &of.data_type {
        DataType::Float64 => Value::from(factor),
        DataType::Float32 => Value::from(factor as f32),
        _ => return None,
    };
    let whole = |value: Expr| Expr::call(Function::Round, [value, lit(0)]);
    Some(of.map_same(|value| match places {
        0 => whole(value),
        _ => whole(value * lit(factor.clone())) / lit(factor),
    }))
}

/// Lowers `abs`. The smallest integer has no absolute value, and fails the query.
fn absolute(of: Lowered) -> Option<Lowered> {
    let data_type = of.data_type.clone();
    if is_unsigned_integral(&data_type) {
        return Some(of);
    }
    let is_number = is_integral(&data_type) || is_floating(&data_type) || decimal_parts(&data_type).is_some();
    let value = of.value.clone();
    let mut result = is_number.then(|| of.map(data_type.clone(), |value| value.abs()))?;
    if is_integral(&data_type) {
        let bits = u32::try_from(width(&data_type)? * 8).ok()?;
        let smallest = stored(-(1_i128 << (bits - 1)), &data_type).ok()?;
        result.check(value.eq(smallest), Problem::CastOverflow(data_type));
    }
    Some(result)
}

/// Lowers `date_trunc` of a timestamp without a time zone.
pub(super) fn date_trunc(fun: &dyn Any, arguments: Vec<Lowered>) -> Option<Lowered> {
    if !fun.is::<DateTruncFunc>() {
        return None;
    }
    let [part, moment] = only(arguments)?;
    let DataType::Timestamp(unit, None) = moment.data_type.clone() else { return None };
    let second: i64 = match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    };
    let data_type = moment.data_type.clone();
    let part = part.literal()?.text()?.to_ascii_lowercase();
    let seconds = match part.as_str() {
        "second" => Some(1),
        "minute" => Some(60),
        "hour" => Some(3_600),
        "day" => Some(86_400),
        _ => None,
    };
    if let Some(seconds) = seconds {
        let truncated = |value: Expr| {
            let value = value.cast(DataType::Int64);
            let rest = value.clone().binary(BinaryOperator::PMod, lit(seconds * second));
            (value - rest).cast(data_type.clone())
        };
        return Some(moment.map(data_type.clone(), truncated));
    }
    // The days since the first day of the week, month, quarter or year are subtracted.
    let days_since = |value: Expr| {
        let part_of = |component| value.clone().extract(component).cast(DataType::Int32);
        match part.as_str() {
            "week" => {
                Some((value.clone().cast(DataType::Date32).cast(DataType::Int32) + 3).binary(BinaryOperator::PMod, 7))
            }
            "month" => Some(part_of(Component::Day) - 1),
            "quarter" => {
                let (quarter, year) = (part_of(Component::Quarter), part_of(Component::Year));
                let divides = |number: i32| (year.clone() % number).eq(0);
                let is_leap = divides(400).or(divides(4).and(!divides(100)));
                let leap_days = when(quarter.clone().gt(1).and(is_leap), lit(1)).otherwise(lit(0));
                let begins = when(quarter.clone().eq(1), lit(0)).when(quarter.clone().eq(2), lit(90));
                let begins = begins.when(quarter.eq(3), lit(181)).otherwise(lit(273));
                Some(part_of(Component::DayOfYear) - 1 - begins - leap_days)
            }
            "year" => Some(part_of(Component::DayOfYear) - 1),
            _ => None,
        }
    };
    let since = days_since(moment.value.clone())?;
    let day = moment.map(DataType::Date32, |value| {
        (value.cast(DataType::Date32).cast(DataType::Int32) - since).cast(DataType::Date32)
    });
    cast(day, &data_type, OnOverflow::Fail).ok()
}
