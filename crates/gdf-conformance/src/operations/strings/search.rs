//! Area `strings`: searches in texts, and checks of the types of their characters.

use gdf_api::strings::{self, CharacterTypes};

use crate::call::{Call, Failure};
use crate::operations::Operation;
use crate::output::Answer;

pub(crate) const OPERATIONS: &[(&str, Operation)] = &[
    ("strings.all_characters_of_type", |call| {
        let (types, verify) = (character_types(call, "types")?, character_types(call, "verify")?);
        Ok(Answer::column(strings::all_characters_of_type(&call.column("input")?, types, verify)?)?)
    }),
    ("strings.code_points", |call| Ok(Answer::column(strings::code_points(&call.column("input")?)?)?)),
    ("strings.contains", |call| {
        let target = call.given("target")?;
        Ok(Answer::column(strings::contains(&call.column("input")?, target.operand())?)?)
    }),
    ("strings.contains_multiple", |call| {
        let targets = targets(call)?;
        Ok(Answer::table(strings::contains_multiple(&call.column("input")?, &as_strs(&targets))?))
    }),
    ("strings.count_bytes", |call| Ok(Answer::column(strings::count_bytes(&call.column("input")?)?)?)),
    ("strings.count_characters", |call| Ok(Answer::column(strings::count_characters(&call.column("input")?)?)?)),
    ("strings.ends_with", |call| {
        let target = call.given("target")?;
        Ok(Answer::column(strings::ends_with(&call.column("input")?, target.operand())?)?)
    }),
    ("strings.find", |call| {
        let (target, (start, stop)) = (call.given("target")?, range(call)?);
        Ok(Answer::column(strings::find(&call.column("input")?, target.operand(), start, stop)?)?)
    }),
    ("strings.find_multiple", |call| {
        let targets = targets(call)?;
        Ok(Answer::column(strings::find_multiple(&call.column("input")?, &as_strs(&targets))?)?)
    }),
    ("strings.is_title", |call| Ok(Answer::column(strings::is_title(&call.column("input")?)?)?)),
    ("strings.like", |call| {
        let escape = call.arg("escape").and_then(|escape| escape.as_str()?.chars().next());
        Ok(Answer::column(strings::like(&call.column("input")?, call.text("like")?, escape)?)?)
    }),
    ("strings.rfind", |call| {
        let (target, (start, stop)) = (call.given("target")?, range(call)?);
        Ok(Answer::column(strings::rfind(&call.column("input")?, target.operand(), start, stop)?)?)
    }),
    ("strings.starts_with", |call| {
        let target = call.given("target")?;
        Ok(Answer::column(strings::starts_with(&call.column("input")?, target.operand())?)?)
    }),
];

/// Returns `start` and `stop`. A `stop` of −1 stands for the end of the text.
fn range(call: &Call<'_>) -> Result<(usize, Option<usize>), Failure> {
    let stop = call.arg("stop").is_some_and(|stop| stop.as_i64() != Some(-1));
    Ok((call.position("start")?, stop.then(|| call.position("stop")).transpose()?))
}

pub(crate) fn character_types(call: &Call<'_>, name: &str) -> Result<CharacterTypes, Failure> {
    let named = call.arg(name).and_then(|list| match list.as_array()?.as_slice() {
        [one] => one.as_str(),
        _ => None,
    });
    let types = match named.unwrap_or("several types") {
        "DECIMAL" => CharacterTypes::DECIMAL,
        "NUMERIC" => CharacterTypes::NUMERIC,
        "DIGIT" => CharacterTypes::DIGIT,
        "ALPHA" => CharacterTypes::ALPHA,
        "SPACE" => CharacterTypes::SPACE,
        "UPPER" => CharacterTypes::UPPER,
        "LOWER" => CharacterTypes::LOWER,
        "ALPHANUM" => CharacterTypes::ALPHANUM,
        "CASE_TYPES" => CharacterTypes::CASE_TYPES,
        "ALL_TYPES" => CharacterTypes::ALL_TYPES,
        other => return Err(Failure::Unsupported(format!("characters of type {other}"))),
    };
    Ok(types)
}

fn targets(call: &Call<'_>) -> Result<Vec<String>, Failure> {
    let column = call.column("targets")?;
    let rows = column.to_strings()?;
    rows.into_iter().map(|row| row.ok_or_else(|| Failure::Unsupported("a null in the targets".into()))).collect()
}

fn as_strs(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}
