//! Lowers functions of text that gdf computes for whole columns.

use std::any::Any;

use arrow_schema::DataType;
use datafusion::functions::string::{
    btrim::BTrimFunc, ltrim::LtrimFunc, repeat::RepeatFunc, replace::ReplaceFunc, rtrim::RtrimFunc,
    split_part::SplitPartFunc,
};
use datafusion::functions::unicode::{lpad::LPadFunc, reverse::ReverseFunc, rpad::RPadFunc, strpos::StrposFunc};
use gdf_api::strings::Side;
use gdf_core::is_string;
use gdf_exec::{ColumnCall, ColumnFunction, FIRST_CALL};
use gdf_expr::{Expr, ExprKind, Function, Value, coalesce, col, lit, when};

use super::arguments::integer;
use super::lowered::Lowered;

/// The maximum width for which gdf runs `lpad` and `rpad`, in characters.
const WIDEST: i64 = 1 << 14;

/// Adds a call to `calls`, unless it is there already, and returns an expression for its result.
pub(super) fn call(
    calls: &mut Vec<ColumnCall>,
    function: ColumnFunction,
    argument: Lowered,
    data_type: DataType,
) -> Lowered {
    let is_same = |known: &ColumnCall| known.function == function && known.argument.same(&argument.value);
    let at = calls.iter().position(is_same).unwrap_or_else(|| {
        calls.push(ColumnCall { function, argument: argument.value.clone(), data_type: data_type.clone() });
        calls.len() - 1
    });
    argument.map(data_type, |_| col(FIRST_CALL + at))
}

/// Lowers a call of a function of text. Returns `None` for other functions, and for further arguments that are not
/// literals.
pub(super) fn text_function(fun: &dyn Any, arguments: Vec<Lowered>, calls: &mut Vec<ColumnCall>) -> Option<Lowered> {
    let mut arguments = arguments.into_iter();
    let (text, rest) = (arguments.next()?, arguments.collect::<Vec<_>>());
    let data_type = is_string(&text.data_type).then(|| text.data_type.clone())?;
    let literal = |at: usize| rest.get(at)?.literal()?.text();
    let of_text = |calls: &mut Vec<ColumnCall>, function| Some(call(calls, function, text.clone(), data_type.clone()));
    let side = if fun.is::<BTrimFunc>() {
        Some(Side::Both)
    } else if fun.is::<LtrimFunc>() {
        Some(Side::Left)
    } else {
        fun.is::<RtrimFunc>().then_some(Side::Right)
    };
    if let Some(side) = side {
        let characters = if rest.is_empty() { " " } else { literal(0)? };
        // An empty set of characters would make gdf remove white space.
        return match characters.is_empty() {
            true => Some(text.clone()),
            false => of_text(calls, ColumnFunction::Strip { side, characters: characters.to_owned() }),
        };
    }
    if fun.is::<ReplaceFunc>() {
        let (target, replacement) = (literal(0)?.to_owned(), literal(1)?.to_owned());
        return of_text(calls, ColumnFunction::Replace { target, replacement });
    }
    if fun.is::<ReverseFunc>() {
        return of_text(calls, ColumnFunction::Reverse);
    }
    if fun.is::<RepeatFunc>() {
        return of_text(calls, ColumnFunction::Repeat(integer(rest.first()?)?));
    }
    if fun.is::<StrposFunc>() {
        let position = if data_type == DataType::Utf8 { DataType::Int32 } else { DataType::Int64 };
        let found = call(calls, ColumnFunction::Find(literal(0)?.to_owned()), text.clone(), position.clone());
        return Some(found.map(position, |at| at + 1));
    }
    if fun.is::<LPadFunc>() || fun.is::<RPadFunc>() {
        let width = integer(rest.first()?)?.max(0);
        let fill = if rest.len() == 1 { " " } else { literal(1)? };
        let mut letters = fill.chars();
        let (Some(fill), None) = (letters.next(), letters.next()) else { return None };
        let side = if fun.is::<LPadFunc>() { Side::Left } else { Side::Right };
        return (width <= WIDEST).then(|| of_text(calls, ColumnFunction::Pad { side, width, fill }))?;
    }
    if fun.is::<SplitPartFunc>() {
        let (delimiter, index) = (literal(0)?.to_owned(), integer(rest.get(1)?)?);
        let index = match index.signum() {
            1 => index - 1,
            // DataFusion searches from the end of the text. A longer delimiter that overlaps itself would give another
            // result.
            -1 if delimiter.chars().count() == 1 => index,
            _ => return None,
        };
        if delimiter.is_empty() {
            return None;
        }
        let part = of_text(calls, ColumnFunction::SplitPart { delimiter, index })?;
        // A part that the text does not have is the empty text.
        let empty = lit(Value::from("")).cast(data_type.clone());
        let value = |part: Expr| when(text.value.clone().is_not_null(), coalesce([part, empty])).end();
        return Some(part.map(data_type.clone(), value));
    }
    None
}

/// The largest number of prefixes that are tested one after another.
const MAX_PREFIXES: usize = 16;

/// Returns the condition that `value` is one of `texts`, as tests of prefixes. Returns `None` unless `value` has the
/// first characters of another text, and all of `texts` have that number of characters. A test of a prefix makes no new
/// text, and a pipeline can test it as a part of its condition.
pub(super) fn begins_with<'t>(value: &Expr, texts: impl IntoIterator<Item = Option<&'t str>>) -> Option<Expr> {
    let ExprKind::Call(Function::Slice, arguments) = value.kind() else { return None };
    let [text, start, stop] = arguments.as_slice() else { return None };
    let integer = |of: &Expr| match of.kind() {
        ExprKind::Literal(value) => value.integer(),
        _ => None,
    };
    let (0, count) = (integer(start)?, usize::try_from(integer(stop)?).ok()?) else { return None };
    let prefix = |of: Option<&str>| {
        let of = of.filter(|of| count > 0 && of.chars().count() == count)?;
        Some(Expr::call(Function::StartsWith, [text.clone(), lit(of)]))
    };
    let tests = texts.into_iter().map(prefix).collect::<Option<Vec<Expr>>>()?;
    if tests.len() > MAX_PREFIXES { None } else { tests.into_iter().reduce(Expr::or) }
}

/// Returns an expression that is true where a regular expression matches a part of the text. Returns `None` for a flag
/// that gdf does not support, and for `\Z`, which is an error in DataFusion and the end of the text in gdf.
pub(super) fn matches(text: Lowered, pattern: &str, flags: &str) -> Option<Lowered> {
    let are_known = flags.chars().all(|flag| matches!(flag, 'i' | 'm' | 's' | 'x'));
    let has_end_of_python = pattern.replace(r"\\", "").contains(r"\Z");
    if !is_string(&text.data_type) || !are_known || has_end_of_python {
        return None;
    }
    let pattern = if flags.is_empty() { pattern.to_owned() } else { format!("(?{flags}){pattern}") };
    Some(text.map(DataType::Boolean, |value| Expr::call(Function::ContainsRe, [value, lit(&pattern)])))
}
