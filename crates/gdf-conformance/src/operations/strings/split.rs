//! Area `strings`: splitting and joining.

use gdf_api::strings as api;
use gdf_api::strings::JoinOptions;
use gdf_core::{Operand, Result as Gdf, Table};

use crate::call::{Answered, Call, Failure, Given};
use crate::operations::Operation;
use crate::output::Answer;

pub(crate) const OPERATIONS: &[(&str, Operation)] = &[
    ("strings.concatenate", |call| {
        let (null, separator_null) = (option(call, "narep")?, option(call, "narep")?);
        let null = if call.has("col_narep") { option(call, "col_narep")? } else { null };
        let options = options(call, null.as_deref(), separator_null.as_deref())?;
        let separator = call.given("separator")?;
        Ok(Answer::column(api::concatenate(&call.table("input")?, separator.operand(), options)?)?)
    }),
    ("strings.format_list_column", |call| {
        let separators = call.column("separators")?.to_strings()?;
        let texts: Vec<&str> = separators.iter().flatten().map(String::as_str).collect();
        let marks = match texts[..] {
            [] => [",", "[", "]"],
            [separator, open, close] => [separator, open, close],
            _ => return Err(gdf_core::Error::invalid_argument("the number of separators must be 0 or 3").into()),
        };
        let null = required(call, "narep")?;
        Ok(Answer::column(api::format_list_column(&call.column("input")?, &null, marks)?)?)
    }),
    ("strings.join_list_elements", |call| {
        let (null, separator_null) = (option(call, "narep")?, option(call, "separator_narep")?);
        let separator = call.given("separator")?;
        // If the separator is a scalar, libcudf replaces null texts by the argument `separator_narep` of the case, and
        // ignores `narep`.
        let null = if matches!(separator, Given::Scalar(_)) { separator_null.clone() } else { null };
        let options = options(call, null.as_deref(), separator_null.as_deref())?;
        Ok(Answer::column(api::join_list_elements(&call.column("input")?, separator.operand(), options)?)?)
    }),
    ("strings.join_strings", |call| {
        let (separator, null) = (required(call, "separator")?, option(call, "narep")?);
        let joined = api::join_strings(&call.column("input")?, &separator, null.as_deref())?;
        Ok(Answer::column(joined.into_column())?)
    }),
    ("strings.partition", |call| table(call, |text, delimiter, _| api::partition(text, delimiter))),
    ("strings.rpartition", |call| table(call, |text, delimiter, _| api::rpartition(text, delimiter))),
    ("strings.rsplit", |call| table(call, |text, delimiter, max| api::rsplit(text, delimiter, max))),
    ("strings.rsplit_record", |call| {
        table(call, |text, delimiter, max| Table::try_new(vec![api::rsplit_record(text, delimiter, max)?]))
    }),
    ("strings.split", |call| table(call, |text, delimiter, max| api::split(text, delimiter, max))),
    ("strings.split_part", |call| {
        let delimiter = call.given("delimiter")?;
        let index = call.integer("index")?;
        Ok(Answer::column(api::split_part(&call.column("input")?, delimiter.operand(), index)?)?)
    }),
    ("strings.split_record", |call| {
        table(call, |text, delimiter, max| Table::try_new(vec![api::split_record(text, delimiter, max)?]))
    }),
];

fn table(call: &Call<'_>, split: impl FnOnce(&gdf_core::Column, Operand<'_>, Option<usize>) -> Gdf<Table>) -> Answered {
    let max = match call.arg("max") {
        Some(_) => usize::try_from(call.integer("max")?).ok(),
        None => None,
    };
    let delimiter = call.given("delimiter")?;
    Ok(Answer::table(split(&call.column("input")?, delimiter.operand(), max)?))
}

fn options<'a>(
    call: &Call<'_>,
    null: Option<&'a str>,
    separator_null: Option<&'a str>,
) -> Result<JoinOptions<'a>, Failure> {
    let unseparated_nulls = call.choice("separate_nulls", &[("YES", false), ("NO", true)])?;
    let empty = [("EMPTY_STRING", false), ("NULL_ELEMENT", true)];
    let empty_is_null = call.arg("empty").is_some() && call.choice("empty", &empty)?;
    Ok(JoinOptions { null, separator_null, unseparated_nulls, empty_is_null })
}

/// Returns the text of a scalar, or `None` if the scalar is absent or null.
fn option(call: &Call<'_>, name: &str) -> Result<Option<String>, Failure> {
    Ok(if call.has(name) { call.scalar(name)?.value::<String>()? } else { None })
}

fn required(call: &Call<'_>, name: &str) -> Result<String, Failure> {
    option(call, name)?.ok_or_else(|| gdf_core::Error::invalid_argument("the argument is null; pass a text").into())
}
