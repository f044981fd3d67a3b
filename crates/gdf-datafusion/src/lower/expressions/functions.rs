//! Lowers scalar functions of DataFusion for which gdf returns the same results.

use std::any::Any;

use arrow_schema::DataType;
use datafusion::functions::core::coalesce::CoalesceFunc;
use datafusion::functions::core::nullif::NullIfFunc;
use datafusion::functions::datetime::date_part::DatePartFunc;
use datafusion::functions::regex::regexplike::RegexpLikeFunc;
use datafusion::functions::string::{concat::ConcatFunc, contains::ContainsFunc, ends_with::EndsWithFunc};
use datafusion::functions::string::{lower::LowerFunc, octet_length::OctetLengthFunc};
use datafusion::functions::string::{starts_with::StartsWithFunc, upper::UpperFunc};
use datafusion::functions::unicode::substr::SubstrFunc;
use datafusion::functions::unicode::{character_length::CharacterLengthFunc, left::LeftFunc, right::RightFunc};
use datafusion::logical_expr::{Operator, ScalarUDF};
use datafusion::physical_expr::ScalarFunctionExpr;
use gdf_core::is_string;
use gdf_exec::ColumnCall;
use gdf_expr::{Component, Expr, Function, Value, coalesce, lit, when};

use super::arguments::{integer, only};
use super::binary::compare;
use super::lowered::Lowered;
use super::numbers::{date_trunc, number_function};
use super::text::{matches, text_function};
use crate::error::Refusal;
use crate::exact::OwnFunction;

/// Lowers a call of a function whose arguments are lowered. `output` is the plain type of the result.
pub(crate) fn function(
    call: &ScalarFunctionExpr,
    arguments: Vec<Lowered>,
    output: &DataType,
    calls: &mut Vec<ColumnCall>,
) -> Result<Lowered, Refusal> {
    let refused = || Refusal::Function(call.to_string());
    let fun = call.fun();
    let lowered = if is_a::<OwnFunction>(fun) {
        // Comparisons and arithmetic of islands do the same.
        only(arguments).map(|[argument]| argument)
    } else if is_a::<DatePartFunc>(fun) {
        date_part(arguments)
    } else if is_a::<SubstrFunc>(fun) {
        substring(arguments)
    } else if is_a::<LeftFunc>(fun) || is_a::<RightFunc>(fun) {
        end(arguments, is_a::<LeftFunc>(fun))
    } else if is_a::<CharacterLengthFunc>(fun) {
        length(arguments, Function::CountCharacters)
    } else if is_a::<OctetLengthFunc>(fun) {
        length(arguments, Function::CountBytes)
    } else if is_a::<LowerFunc>(fun) {
        recased(arguments, Function::ToLower)
    } else if is_a::<UpperFunc>(fun) {
        recased(arguments, Function::ToUpper)
    } else if is_a::<StartsWithFunc>(fun) {
        search(arguments, Function::StartsWith)
    } else if is_a::<EndsWithFunc>(fun) {
        search(arguments, Function::EndsWith)
    } else if is_a::<ContainsFunc>(fun) {
        search(arguments, Function::Contains)
    } else if is_a::<ConcatFunc>(fun) {
        concat(arguments)
    } else if is_a::<CoalesceFunc>(fun) {
        first_valid(arguments)
    } else if is_a::<NullIfFunc>(fun) {
        null_if(arguments)
    } else if is_a::<RegexpLikeFunc>(fun) {
        regexp_like(arguments)
    } else {
        let inner: &dyn Any = fun.inner().as_ref();
        date_trunc(inner, arguments.clone())
            .or_else(|| number_function(inner, fun.name(), arguments.clone()))
            .or_else(|| text_function(inner, arguments, calls))
    };
    let lowered = lowered.ok_or_else(refused)?;
    match (&lowered.data_type, output) {
        (found, wanted) if found == wanted => Ok(lowered),
        (DataType::Int16, DataType::Int32) | (DataType::Int32, DataType::Int64) => {
            Ok(lowered.map(output.clone(), |value| value.cast(output.clone())))
        }
        (found, wanted) if is_string(found) && is_string(wanted) => {
            Ok(lowered.map(output.clone(), |value| value.cast(output.clone())))
        }
        _ => Err(refused()),
    }
}

/// Returns whether `fun` is the function `T` of DataFusion, and not a user-defined function with the same name.
fn is_a<T: Any>(fun: &ScalarUDF) -> bool {
    let inner: &dyn Any = fun.inner().as_ref();
    inner.is::<T>()
}

fn date_part(arguments: Vec<Lowered>) -> Option<Lowered> {
    let [part, moment] = only(arguments)?;
    let part = part.literal()?.text()?.trim_matches(['\'', '"']).to_ascii_lowercase();
    let component = match part.as_str() {
        "year" => Component::Year,
        "quarter" => Component::Quarter,
        "month" => Component::Month,
        "week" => Component::IsoWeek,
        "day" => Component::Day,
        "doy" => Component::DayOfYear,
        "hour" => Component::Hour,
        "minute" => Component::Minute,
        _ => return None,
    };
    let of = component.is_of(&moment.data_type).then_some(moment)?;
    Some(of.map(component.data_type(), |value| value.extract(component)))
}

/// Lowers `substr`. Positions count from 1. If the start is before the text, the positions before the text count toward
/// the length.
fn substring(arguments: Vec<Lowered>) -> Option<Lowered> {
    let mut arguments = arguments.into_iter();
    let (text, start, length) = (arguments.next()?, integer(&arguments.next()?)?, arguments.next());
    let start = start.checked_sub(1)?;
    let stop = match length.as_ref().map(integer) {
        None => None,
        Some(length) => Some(start.checked_add(length.filter(|length| *length >= 0)?)?.max(0)),
    };
    slice(text, start.max(0), stop)
}

/// Lowers `left` and `right`. A negative count removes characters at the other end of the text.
fn end(arguments: Vec<Lowered>, is_left: bool) -> Option<Lowered> {
    let [text, count] = only(arguments)?;
    match (is_left, integer(&count)?) {
        (true, count) => slice(text, 0, Some(count)),
        (false, 0) => slice(text, 0, Some(0)),
        (false, count) => slice(text, count.checked_neg()?, None),
    }
}

fn slice(text: Lowered, start: i64, stop: Option<i64>) -> Option<Lowered> {
    let data_type = is_string(&text.data_type).then(|| text.data_type.clone())?;
    let stop = stop.map_or_else(|| lit(Value::null(DataType::Int64)), lit);
    Some(text.map(data_type, |value| Expr::call(Function::Slice, [value, lit(start), stop])))
}

fn length(arguments: Vec<Lowered>, function: Function) -> Option<Lowered> {
    let [text] = only(arguments)?;
    let data_type = match &text.data_type {
        DataType::Utf8 => DataType::Int32,
        DataType::LargeUtf8 => DataType::Int64,
        _ => return None,
    };
    Some(text.map(data_type, |value| Expr::call(function, [value])))
}

fn recased(arguments: Vec<Lowered>, function: Function) -> Option<Lowered> {
    let [text] = only(arguments)?;
    let data_type = is_string(&text.data_type).then(|| text.data_type.clone())?;
    Some(text.map(data_type, |value| Expr::call(function, [value])))
}

fn search(arguments: Vec<Lowered>, function: Function) -> Option<Lowered> {
    let [text, part] = only(arguments)?;
    part.literal()?.text()?;
    is_string(&text.data_type).then_some(())?;
    Some(text.map(DataType::Boolean, |value| Expr::call(function, [value, part.value])))
}

/// Lowers `concat`, which treats null as the empty text.
fn concat(arguments: Vec<Lowered>) -> Option<Lowered> {
    let data_type = arguments.first()?.data_type.clone();
    if !is_string(&data_type) || arguments.iter().any(|argument| argument.data_type != data_type) {
        return None;
    }
    let checks = arguments.iter().flat_map(|argument| argument.checks.clone()).collect();
    let texts: Vec<Expr> = arguments.into_iter().map(|argument| coalesce([argument.value, lit("")])).collect();
    let value = match texts.len() {
        1 => texts.into_iter().next()?,
        _ => Expr::call(Function::Concat, texts),
    };
    Some(Lowered { value, data_type, checks })
}

/// Lowers `regexp_like`. Both libraries support the syntax of the crate `regex`.
fn regexp_like(arguments: Vec<Lowered>) -> Option<Lowered> {
    let mut arguments = arguments.into_iter();
    let (text, pattern, flags) = (arguments.next()?, arguments.next()?, arguments.next());
    let flags = match &flags {
        None => "",
        Some(flags) => flags.literal()?.text()?,
    };
    matches(text, pattern.literal()?.text()?, flags)
}

fn first_valid(arguments: Vec<Lowered>) -> Option<Lowered> {
    let data_type = arguments.first()?.data_type.clone();
    // DataFusion evaluates an argument only where all earlier arguments are null.
    let may_fail = arguments.iter().any(|argument| !argument.checks.is_empty());
    if may_fail || arguments.iter().any(|argument| argument.data_type != data_type) {
        return None;
    }
    Some(Lowered::new(coalesce(arguments.into_iter().map(|argument| argument.value)), data_type))
}

fn null_if(arguments: Vec<Lowered>) -> Option<Lowered> {
    let [value, other] = only(arguments)?;
    let (kept, data_type) = (value.value.clone(), value.data_type.clone());
    let equal = compare(Operator::Eq, value, other)?;
    let null = lit(Value::null(data_type.clone()));
    Some(equal.map(data_type, |equal| when(equal, null).otherwise(kept)))
}
