//! Oracle of expressions. The oracle evaluates one operation after another on whole columns, with the oracles of these
//! operations.

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_expr::{BinaryOperator, Expr, ExprKind, Function, Graph, Input, Value as Literal};

use super::{
    binaryop, cast, copy_if_else, datetime, strings, strings_characters, strings_edit, strings_regex, strings_split,
    text_floats, text_numbers, text_search, text_times, unary_operation,
};
use gdf_api::strings::Side;
use gdf_core::{Column, physical_type};
use gdf_test::value::{Value, from_values, to_values};

/// Returns the result of the expression for each of `rows` rows.
///
/// # Errors
/// - A text, if the oracle does not support an operation.
pub fn evaluate(columns: &[ArrayRef], rows: usize, expression: &Expr) -> Result<ArrayRef, String> {
    let of = |expression: &Expr| evaluate(columns, rows, expression);
    match expression.kind() {
        ExprKind::Column(position) => Ok(columns[*position].clone()),
        ExprKind::Literal(value) => repeated(value, rows),
        ExprKind::Unary(op, value) => unary_operation::unary_operation(&of(&decoded(columns, value))?, *op),
        ExprKind::Binary(op, lhs, rhs) => {
            let output = data_type(columns, expression)?;
            binary(&of(&decoded(columns, lhs))?, &of(&decoded(columns, rhs))?, *op, &output)
        }
        ExprKind::Cast(value, to) => converted(&of(value)?, to),
        ExprKind::IsNull(value) => {
            let is_null: Vec<_> = to_values(&of(value)?).iter().map(|row| Some(Value::Bool(row.is_none()))).collect();
            Ok(from_values(&DataType::Boolean, &is_null))
        }
        ExprKind::Case { branches, otherwise } => {
            let output = data_type(columns, expression)?;
            let mut result = match otherwise {
                Some(otherwise) => converted(&of(otherwise)?, &output)?,
                None => from_values(&output, &vec![None; rows]),
            };
            for (condition, value) in branches.iter().rev() {
                result = copy_if_else::copy_if_else(&converted(&of(value)?, &output)?, &result, &of(condition)?)?;
            }
            Ok(result)
        }
        ExprKind::Coalesce(values) => {
            let output = data_type(columns, expression)?;
            let columns = values.iter().rev().map(|value| converted(&of(value)?, &output));
            let columns = columns.collect::<Result<Vec<_>, String>>()?;
            let mut columns = columns.into_iter();
            let last = columns.next().ok_or("`COALESCE` has no values")?;
            columns.try_fold(last, |result, value| copy_if_else::replace_nulls(&value, &result))
        }
        ExprKind::Between { value, low, high } => {
            let not_below = value.clone().ge(low.clone());
            of(&not_below.and(value.clone().le(high.clone())))
        }
        ExprKind::IsIn { value, list } => {
            let mut result = from_values(&DataType::Boolean, &vec![Some(Value::Bool(false)); rows]);
            let value = of(&decoded(columns, value))?;
            for element in list {
                let equal = binary(&value, &repeated(element, rows)?, BinaryOperator::Equal, &DataType::Boolean)?;
                result = binary(&result, &equal, BinaryOperator::NullLogicalOr, &DataType::Boolean)?;
            }
            Ok(result)
        }
        ExprKind::Call(function, arguments) => {
            let arguments = arguments.iter().map(|argument| of(&decoded(columns, argument)));
            call(*function, &arguments.collect::<Result<Vec<_>, String>>()?)
        }
        other => Err(format!("the oracle does not support {other:?}")),
    }
}

/// Returns the type of the expression over the columns.
///
/// # Errors
/// - The text of the error, if the expression has no type.
pub fn data_type(columns: &[ArrayRef], expression: &Expr) -> Result<DataType, String> {
    let inputs = columns.iter().map(|column| Input::new(column.data_type().clone())).collect();
    let mut graph = Graph::new(inputs);
    let id = graph.bind(expression).map_err(|error| error.to_string())?;
    Ok(graph.node(id).data_type.clone())
}

/// Returns the expression.
fn decoded(columns: &[ArrayRef], expression: &Expr) -> Expr {
    match data_type(columns, expression) {
        Ok(DataType::Utf8View) => expression.clone().cast(DataType::Utf8),
        Ok(DataType::BinaryView) => expression.clone().cast(DataType::Binary),
        Ok(DataType::Dictionary(_, values)) => expression.clone().cast((*values).clone()),
        _ => expression.clone(),
    }
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
    if gdf_core::same_type(column.data_type(), to) {
        return Ok(column.clone());
    }
    if let DataType::Dictionary(..) | DataType::Utf8View | DataType::BinaryView = column.data_type() {
        return Ok(from_values(to, &to_values(column)));
    }
    cast::cast(column, to).map(|mut columns| columns.remove(0))
}

fn repeated(value: &Literal, rows: usize) -> Result<ArrayRef, String> {
    let literal = value.literal().map_err(|error| error.to_string())?;
    if physical_type(value.data_type()).has_byte_offsets() {
        let row = match (value.text(), literal.bytes()) {
            (Some(text), _) => Some(Value::Str(text.into())),
            (None, Some(bytes)) => Some(Value::Bytes(bytes.into())),
            (None, None) => None,
        };
        return Ok(from_values(value.data_type(), &vec![row; rows]));
    }
    let column = Column::full_on(
        literal,
        rows,
        &gdf_driver::Stream::cpu(),
        gdf_memory::current_resource(gdf_driver::Device::Cpu).map_err(|error| error.to_string())?.as_ref(),
    );
    let array = column.and_then(|column| column.to_arrow(&gdf_driver::Stream::cpu()));
    array.map_err(|error| error.to_string())
}

fn call(function: Function, arguments: &[ArrayRef]) -> Result<ArrayRef, String> {
    let column = &arguments[0];
    if column.is_empty() {
        let types: Vec<_> = arguments.iter().map(|argument| argument.data_type().clone()).collect();
        return empty(function, &types);
    }
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
        Function::StartsWith => text_search::starts_with(column, &first(1)),
        Function::EndsWith => text_search::ends_with(column, &first(1)),
        Function::Contains => text_search::contains(column, &first(1)),
        Function::Like => text_search::like(column, &first(1), None),
        Function::ContainsRe => {
            let regex = strings_regex::compile(&text(1)?, "");
            strings_regex::map(column, &DataType::Boolean, |row| Some(Value::Bool(regex.is_match(row))))
        }
        Function::CountCharacters => text_search::count_characters(column),
        Function::CountBytes => text_search::count_bytes(column),
        Function::ToUpper => strings::to_upper(column),
        Function::ToLower => strings_characters::map(column, str::to_lowercase),
        Function::Strip => strings_characters::map(column, |row| strings_edit::strip(row, Side::Both, "")),
        Function::Slice => {
            let (start, stop) = (integer(1), integer(2));
            strings_characters::map(column, |row| strings_edit::slice(row, start, stop, 1))
        }
        Function::Replace => {
            let (target, replacement) = (text(1)?, text(2)?);
            strings_characters::map(column, |row| strings_edit::replace(row, &target, &replacement, None))
        }
        Function::ReplaceRe => {
            let (regex, replacement) = (strings_regex::compile(&text(1)?, ""), text(2)?);
            strings_characters::map(column, |row| strings_regex::replace(&regex, row, None, |_| replacement.clone()))
        }
        Function::CountRe => {
            let regex = strings_regex::compile(&text(1)?, "");
            let count = |row: &str| Some(Value::Int(regex.find_iter(row).count() as i128));
            strings_regex::map(column, &DataType::Int32, count)
        }
        Function::Find => text_search::find(column, &first(1), 0, None, false),
        Function::Repeat => {
            let times = integer(1).and_then(|times| usize::try_from(times).ok()).unwrap_or(0);
            strings_characters::map(column, |row| row.repeat(times))
        }
        Function::ReverseText => strings_characters::map(column, |row| row.chars().rev().collect()),
        Function::Zfill => {
            let width = integer(1).ok_or("the width is null")?;
            strings_characters::map(column, |row| strings_edit::zfill(row, width))
        }
        Function::SplitPart => strings_split::split_part(column, &[Some(text(1)?)], &[integer(2)]),
        Function::ExtractRe => {
            let (regex, group) = (strings_regex::compile(&text(1)?, ""), integer(2).unwrap_or(0) as usize);
            let group = |row: &str| Some(Value::Str(regex.captures(row)?.get(group)?.as_str().to_owned()));
            strings_regex::map(column, column.data_type(), group)
        }
        Function::ToIntegers => text_numbers::to_integers(column, arguments[1].data_type()),
        Function::ToFloats => text_floats::to_floats(column, arguments[1].data_type()),
        Function::ToTimestamps => text_times::to_timestamps(column, arguments[1].data_type(), &text(2)?),
        Function::AddMonths => datetime::add_calendrical_months(column, &arguments[1]),
        Function::IsNan => of_floats(f64::is_nan),
        Function::IsNotNan => of_floats(|value| !value.is_nan()),
        other => return Err(format!("the oracle does not support {other:?}")),
    })
}

fn empty(function: Function, types: &[DataType]) -> Result<ArrayRef, String> {
    let arguments: Vec<_> =
        types.iter().map(|data_type| gdf_expr::function::Argument { data_type, value: None }).collect();
    // The function gets no values of literals. A result without rows has the same type for all values, so any value
    // serves.
    let value = Literal::from("x");
    let number = Literal::from(1);
    let arguments: Vec<_> = arguments
        .into_iter()
        .enumerate()
        .map(|(at, argument)| {
            let is_text = gdf_core::is_string(argument.data_type);
            let known = if is_text { &value } else { &number };
            gdf_expr::function::Argument { value: (at > 0).then_some(known), ..argument }
        })
        .collect();
    function.output_type(&arguments).map(|output| from_values(&output, &[])).map_err(|error| error.to_string())
}
