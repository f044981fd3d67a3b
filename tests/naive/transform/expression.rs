//! Oracle of expressions. The oracle evaluates one operation after another on whole columns, with the oracles of these
//! operations.

use arrow_array::{Array, ArrayRef};
use arrow_buffer::i256;
use arrow_schema::{DataType, TimeUnit};
use gdf_expr::{BinaryOperator, Expr, ExprKind, Function, Graph, Input, Value as Literal};
use half::f16;

use crate::documented_types::{binary_type, expression_type};
use crate::naive::copying::copy_if_else;
use crate::naive::unary::cast;
use crate::naive::{binaryop, datetime, strings, unary};
use gdf_api::strings::Side;
use gdf_core::{decimal_parts, is_floating, is_integral, same_type};
use gdf_test::value::{Value, from_values, to_values, try_from_values};

/// Returns the result of the expression for each of `rows` rows.
///
/// # Errors
/// - A text, if the oracle does not support an operation.
pub fn evaluate(columns: &[ArrayRef], rows: usize, expression: &Expr) -> Result<ArrayRef, String> {
    let of = |expression: &Expr| evaluate(columns, rows, expression);
    match expression.kind() {
        ExprKind::Column(position) => Ok(columns[*position].clone()),
        ExprKind::Literal(value) => repeated(value, rows),
        ExprKind::Unary(op, value) => unary::unary_operation(&decoded(&of(value)?), *op),
        ExprKind::Binary(op, lhs, rhs) => {
            let [lhs, rhs] = [operand(columns, rows, lhs)?, operand(columns, rows, rhs)?];
            binary(&lhs.column, &rhs.column, *op, &result_type(*op, &lhs, &rhs)?)
        }
        ExprKind::All(members) => list(columns, rows, members, BinaryOperator::NullLogicalAnd),
        ExprKind::Any(members) => list(columns, rows, members, BinaryOperator::NullLogicalOr),
        ExprKind::Cast(value, to) => converted(&of(value)?, to),
        ExprKind::IsNull(value) => {
            let is_null: Vec<_> = to_values(&of(value)?).iter().map(|row| Some(Value::Bool(row.is_none()))).collect();
            Ok(from_values(&DataType::Boolean, &is_null))
        }
        ExprKind::Case { branches, otherwise } => {
            let values = branches.iter().map(|(_, value)| value).chain(otherwise);
            let values = values.map(|value| operand(columns, rows, value)).collect::<Result<Vec<_>, String>>()?;
            let (mut values, output) = of_one_type(&values)?;
            let mut result = match otherwise {
                Some(_) => values.pop().ok_or("`CASE` has no values")?,
                None => from_values(&output, &vec![None; rows]),
            };
            for ((condition, _), value) in branches.iter().zip(values).rev() {
                result = copy_if_else::copy_if_else(&value, &result, &of(condition)?)?;
            }
            Ok(result)
        }
        ExprKind::Coalesce(values) => {
            let values = values.iter().map(|value| operand(columns, rows, value));
            let (values, _) = of_one_type(&values.collect::<Result<Vec<_>, String>>()?)?;
            let mut values = values.into_iter().rev();
            let last = values.next().ok_or("`COALESCE` has no values")?;
            values.try_fold(last, |result, value| copy_if_else::replace_nulls(&value, &result))
        }
        ExprKind::Between { value, low, high } => {
            let not_below = value.clone().ge(low.clone());
            of(&not_below.and(value.clone().le(high.clone())))
        }
        ExprKind::IsIn { value, list } => {
            let mut result = from_values(&DataType::Boolean, &vec![Some(Value::Bool(false)); rows]);
            let value = decoded(&of(value)?);
            for element in list {
                let equal = binary(&value, &repeated(element, rows)?, BinaryOperator::Equal, &DataType::Boolean)?;
                result = binary(&result, &equal, BinaryOperator::NullLogicalOr, &DataType::Boolean)?;
            }
            Ok(result)
        }
        ExprKind::Call(function, arguments) => {
            // Arguments that are literals have a row even if there are no rows.
            let argument = |argument: &Expr| match argument.kind() {
                ExprKind::Literal(value) => repeated(value, rows.max(1)).map(|column| decoded(&column)),
                _ => of(argument).map(|column| decoded(&column)),
            };
            let arguments = arguments.iter().map(argument).collect::<Result<Vec<_>, String>>()?;
            Ok(call(*function, &arguments)?.slice(0, rows))
        }
        other => Err(format!("the oracle does not support {other:?}")),
    }
}

/// Returns the conjunction or the disjunction of conditions.
fn list(columns: &[ArrayRef], rows: usize, members: &[Expr], op: BinaryOperator) -> Result<ArrayRef, String> {
    let mut operands = members.iter().map(|member| operand(columns, rows, member));
    let first = operands.next().ok_or("a list has no conditions")??;
    let joined = operands.try_fold(first, |all, next| {
        let next = next?;
        let column = binary(&all.column, &next.column, op, &result_type(op, &all, &next)?)?;
        Ok::<_, String>(Operand { column, literal: None })
    });
    joined.map(|all| all.column)
}

/// The rows of an operand, and the literal if the operand is a literal.
struct Operand<'e> {
    column: ArrayRef,
    literal: Option<&'e Literal>,
}

fn operand<'e>(columns: &[ArrayRef], rows: usize, expression: &'e Expr) -> Result<Operand<'e>, String> {
    let literal = match expression.kind() {
        ExprKind::Literal(value) => Some(value),
        _ => None,
    };
    Ok(Operand { column: decoded(&evaluate(columns, rows, expression)?), literal })
}

/// Returns the documented type of an operator's result. A date plus or minus a literal of whole days is a date.
fn result_type(op: BinaryOperator, lhs: &Operand<'_>, rhs: &Operand<'_>) -> Result<DataType, String> {
    let (left, right) = (lhs.column.data_type(), rhs.column.data_type());
    let days = match op {
        BinaryOperator::Add if is_whole_days(left, rhs)? => Some(left.clone()),
        BinaryOperator::Add if is_whole_days(right, lhs)? => Some(right.clone()),
        BinaryOperator::Sub if is_whole_days(left, rhs)? => Some(left.clone()),
        _ => None,
    };
    let undocumented = || format!("{op:?} of {left} and {right} is not documented");
    days.or_else(|| expression_type(op, left, right)).ok_or_else(undocumented)
}

/// Returns whether an operand is a literal of whole days beside a date. The days must fit 64 bits in the unit of the
/// date.
fn is_whole_days(date: &DataType, duration: &Operand<'_>) -> Result<bool, String> {
    let own = match date {
        DataType::Date32 => TimeUnit::Second,
        DataType::Date64 => TimeUnit::Millisecond,
        _ => return Ok(false),
    };
    let (Some(literal), Some(unit), Some(own)) =
        (duration.literal, cast::tick(duration.column.data_type()), cast::tick(&DataType::Duration(own)))
    else {
        return Ok(false);
    };
    let ticks = row_of(literal)?.and_then(|value| value.as_i128());
    let is_duration = matches!(literal.data_type(), DataType::Duration(_));
    Ok(is_duration
        && ticks.is_some_and(|ticks| {
            let nanoseconds = ticks * unit;
            nanoseconds % 86_400_000_000_000 == 0 && i64::try_from(nanoseconds / own).is_ok()
        }))
}

/// Converts the values of `CASE` or `COALESCE` to one type, which [`BinaryOperator::NullMax`] would also have. A
/// literal takes the type of the other values if that type can represent it.
fn of_one_type(values: &[Operand<'_>]) -> Result<(Vec<ArrayRef>, DataType), String> {
    let common = |a: &DataType, b: &DataType| match same_type(a, b) {
        true => Ok(a.clone()),
        false => {
            let undocumented = || format!("{a} and {b} have no documented common type");
            binary_type(BinaryOperator::NullMax, a, b).ok_or_else(undocumented)
        }
    };
    let mut output: Option<DataType> = None;
    for value in values.iter().filter(|value| value.literal.is_none()) {
        let own = value.column.data_type();
        output = Some(output.map_or_else(|| Ok(own.clone()), |output| common(&output, own))?);
    }
    for value in values {
        let (Some(literal), own) = (value.literal, value.column.data_type()) else { continue };
        output = Some(match output {
            Some(output) if can_represent(&output, row_of(literal)?.as_ref(), own) => output,
            Some(output) => common(&output, own)?,
            None => own.clone(),
        });
    }
    let output = output.ok_or("there are no values")?;
    let columns = values.iter().map(|value| converted(&value.column, &output)).collect::<Result<Vec<_>, String>>()?;
    Ok((columns, output))
}

/// Returns whether a type can represent a value of the type `from`, from the documentation of `Literal::with_type`.
fn can_represent(to: &DataType, value: Option<&Value>, from: &DataType) -> bool {
    let Some(value) = value.filter(|_| !same_type(from, to)) else { return true };
    if !is_integral(from) && !is_floating(from) {
        return match value {
            Value::Str(_) => matches!(to, DataType::Utf8 | DataType::LargeUtf8),
            Value::Bytes(_) => matches!(to, DataType::Binary | DataType::LargeBinary),
            _ => false,
        };
    }
    let whole = match value.as_f64() {
        Some(number) => (number.fract() == 0.0 && number.abs() < 1e30).then(|| i256::from_i128(number as i128)),
        None => value.as_i256(),
    };
    if is_floating(to) {
        let number = value.as_f64().or_else(|| value.as_i128().map(|number| number as f64));
        let rounded = number.and_then(|number| cast::float(number, to).as_f64());
        return match (value.as_f64(), rounded) {
            (Some(number), rounded) => number.is_nan() || rounded == Some(number),
            (None, Some(rounded)) => Some(rounded as i128) == value.as_i128(),
            (None, None) => false,
        };
    }
    match (whole, decimal_parts(to)) {
        (Some(whole), Some((_, precision, scale @ 0..))) => {
            let ten = |power: u32| i256::from_i128(10).wrapping_pow(power);
            let (scaled, limit) = (whole.checked_mul(ten(scale as u32)), ten(precision.into()));
            scaled.is_some_and(|scaled| scaled < limit && scaled > limit.wrapping_neg())
        }
        (Some(whole), None) if is_integral(to) => cast::integer(whole, to).as_i256() == Some(whole),
        _ => false,
    }
}

/// Returns the type that the graph under test gives the expression over the columns. Cases are chosen with this type,
/// but the oracle does not use it.
///
/// # Errors
/// - The text of the error, if the expression has no type.
pub fn data_type(columns: &[ArrayRef], expression: &Expr) -> Result<DataType, String> {
    let inputs = columns.iter().map(|column| Input::new(column.data_type().clone())).collect();
    let mut graph = Graph::new(inputs);
    let id = graph.bind(expression).map_err(|error| error.to_string())?;
    Ok(graph.node(id).data_type.clone())
}

/// Returns the plain values of views or of a dictionary, and other columns unchanged.
fn decoded(column: &ArrayRef) -> ArrayRef {
    let to: &DataType = match column.data_type() {
        DataType::Utf8View => &DataType::Utf8,
        DataType::BinaryView => &DataType::Binary,
        DataType::Dictionary(_, values) => values,
        _ => return column.clone(),
    };
    decoded(&from_values(to, &to_values(column)))
}

fn binary(lhs: &ArrayRef, rhs: &ArrayRef, op: BinaryOperator, output: &DataType) -> Result<ArrayRef, String> {
    let chooses = matches!(op, BinaryOperator::NullMax | BinaryOperator::NullMin);
    match lhs.is_empty() {
        _ if chooses && lhs.data_type() != rhs.data_type() => Err("NullMax and NullMin need one type".to_owned()),
        true => Ok(from_values(output, &[])),
        false => binaryop::binary_operation(lhs, rhs, op, output),
    }
}

fn converted(column: &ArrayRef, to: &DataType) -> Result<ArrayRef, String> {
    if same_type(column.data_type(), to) {
        return Ok(column.clone());
    }
    if let DataType::Dictionary(..) | DataType::Utf8View | DataType::BinaryView = column.data_type() {
        return Ok(from_values(to, &to_values(column)));
    }
    cast::cast(column, to).map(|mut columns| columns.remove(0))
}

fn repeated(literal: &Literal, rows: usize) -> Result<ArrayRef, String> {
    Ok(try_from_values(literal.data_type(), &vec![row_of(literal)?; rows])?)
}

/// Returns the value of a literal.
fn row_of(literal: &Literal) -> Result<Option<Value>, String> {
    let stored = literal.literal().map_err(|error| error.to_string())?;
    let Some(bytes) = stored.stored_bytes() else { return Ok(None) };
    Ok(Some(match literal.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => Value::Str(String::from_utf8_lossy(bytes).into_owned()),
        DataType::Binary | DataType::LargeBinary => Value::Bytes(bytes.to_vec()),
        DataType::Boolean => Value::Bool(bytes == [1]),
        DataType::Float16 => Value::F16(f16::from_bits(number_of(bytes).as_i128() as u16)),
        DataType::Float32 => Value::F32(f32::from_bits(number_of(bytes).as_i128() as u32)),
        DataType::Float64 => Value::F64(f64::from_bits(number_of(bytes).as_i128() as u64)),
        other => cast::integer(number_of(bytes), other),
    }))
}

/// Returns the number that little-endian bytes in two's complement stand for.
fn number_of(bytes: &[u8]) -> i256 {
    let is_negative = bytes.last().is_some_and(|byte| *byte >= 0x80);
    let mut all = [if is_negative { 0xff } else { 0 }; 32];
    all[..bytes.len()].copy_from_slice(bytes);
    i256::from_le_bytes(all)
}

fn call(function: Function, arguments: &[ArrayRef]) -> Result<ArrayRef, String> {
    let column = &arguments[0];
    let first = |at: usize| arguments[at].slice(0, 1);
    let text = |at: usize| to_values(&first(at)).remove(0).and_then(|value| value.as_str().map(str::to_owned));
    let text = |at: usize| text(at).ok_or("the literal is not a text");
    let integer =
        |at: usize| to_values(&first(at)).remove(0).and_then(|value| value.as_i128()).map(|value| value as i64);
    let of_floats = |is: fn(f64) -> bool| {
        let rows = to_values(column);
        let rows: Vec<_> =
            rows.iter().map(|row| row.as_ref().and_then(Value::as_f64).map(|row| Value::Bool(is(row)))).collect();
        from_values(&DataType::Boolean, &rows)
    };
    Ok(match function {
        Function::Extract(component) => datetime::extract_component(column, component),
        Function::StartsWith => strings::search::starts_with(column, &first(1)),
        Function::EndsWith => strings::search::ends_with(column, &first(1)),
        Function::Contains => strings::search::contains(column, &first(1)),
        Function::Like => strings::search::like(column, &first(1), None),
        Function::ContainsRe => {
            let regex = strings::regex::compile(&text(1)?, "");
            strings::regex::map(column, &DataType::Boolean, |row| Some(Value::Bool(regex.find(row).is_some())))
        }
        Function::CountCharacters => strings::search::count_characters(column),
        Function::CountBytes => strings::search::count_bytes(column),
        Function::ToUpper => strings::to_upper(column),
        Function::ToLower => strings::characters::map(column, str::to_lowercase),
        Function::Strip => strings::characters::map(column, |row| strings::edit::strip(row, Side::Both, "")),
        Function::Slice => {
            let (start, stop) = (integer(1), integer(2));
            strings::characters::map(column, |row| strings::edit::slice(row, start, stop, 1))
        }
        Function::Replace => {
            let (target, replacement) = (text(1)?, text(2)?);
            strings::characters::map(column, |row| strings::edit::replace(row, &target, &replacement, None))
        }
        Function::ReplaceRe => {
            let (regex, replacement) = (strings::regex::compile(&text(1)?, ""), text(2)?);
            strings::characters::map(column, |row| strings::regex::replace(&regex, row, None, |_| replacement.clone()))
        }
        Function::CountRe => {
            let regex = strings::regex::compile(&text(1)?, "");
            let count = |row: &str| Some(Value::Int(regex.find_iter(row).count() as i128));
            strings::regex::map(column, &DataType::Int32, count)
        }
        Function::Find => strings::search::find(column, &first(1), 0, None, false),
        Function::Repeat => {
            let times = integer(1).and_then(|times| usize::try_from(times).ok()).unwrap_or(0);
            strings::characters::map(column, |row| row.repeat(times))
        }
        Function::ReverseText => strings::characters::map(column, |row| row.chars().rev().collect()),
        Function::Zfill => {
            let width = integer(1).ok_or("the width is null")?;
            strings::characters::map(column, |row| strings::edit::zfill(row, width))
        }
        Function::SplitPart => strings::split::split_part(column, &[Some(text(1)?)], &[integer(2)]),
        Function::ExtractRe => {
            let (regex, group) = (strings::regex::compile(&text(1)?, ""), integer(2).unwrap_or(0) as usize);
            let group = |row: &str| Some(Value::Str(regex.captures(row)?.get(group)?.as_str().to_owned()));
            strings::regex::map(column, column.data_type(), group)
        }
        Function::ToIntegers => strings::numbers::to_integers(column, arguments[1].data_type()),
        Function::ToFloats => strings::floats::to_floats(column, arguments[1].data_type()),
        Function::ToTimestamps => strings::times::to_timestamps(column, arguments[1].data_type(), &text(2)?),
        Function::AddMonths => datetime::add_calendrical_months(column, &arguments[1]),
        Function::IsNan => of_floats(f64::is_nan),
        Function::IsNotNan => of_floats(|value| !value.is_nan()),
        other => return Err(format!("the oracle does not support {other:?}")),
    })
}
