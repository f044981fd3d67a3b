//! Area `strings`: operations that replace characters.

use gdf_api::strings as api;
use gdf_api::strings::{CharacterTypes, Filter};

use super::search::character_types;
use crate::call::{Call, Failure};
use crate::operations::Operation;
use crate::output::Answer;

pub(crate) const OPERATIONS: &[(&str, Operation)] = &[
    ("strings.capitalize", |call| {
        let delimiters = if call.has("delimiters") { text(call, "delimiters")? } else { String::new() };
        Ok(Answer::column(api::capitalize(&call.column("input")?, &delimiters)?)?)
    }),
    ("strings.filter_characters", |call| {
        let filter = call.choice("keep", &[("KEEP", Filter::Keep), ("REMOVE", Filter::Remove)])?;
        let ranges: Vec<_> =
            pairs(call, "ranges")?.into_iter().map(|(first, last)| first..=last.unwrap_or(first)).collect();
        let with = text(call, "replacement")?;
        Ok(Answer::column(api::filter_characters(&call.column("input")?, &ranges, filter, &with)?)?)
    }),
    ("strings.filter_characters_of_type", |call| {
        let (remove, keep) = (character_types(call, "remove")?, character_types(call, "keep")?);
        let (types, filter) = match (remove == CharacterTypes::ALL_TYPES, keep == CharacterTypes::ALL_TYPES) {
            (false, true) => (remove, Filter::Remove),
            (true, false) => (keep, Filter::Keep),
            _ => return Err(gdf_core::Error::invalid_argument("give either `remove` or `keep`").into()),
        };
        let with = text(call, "replacement")?;
        Ok(Answer::column(api::filter_characters_of_type(&call.column("input")?, types, filter, &with)?)?)
    }),
    ("strings.reverse", |call| Ok(Answer::column(api::reverse(&call.column("input")?)?)?)),
    ("strings.swapcase", |call| Ok(Answer::column(api::swapcase(&call.column("input")?)?)?)),
    ("strings.title", |call| Ok(Answer::column(api::title(&call.column("input")?, character_types(call, "types")?)?)?)),
    ("strings.to_lower", |call| Ok(Answer::column(api::to_lower(&call.column("input")?)?)?)),
    ("strings.translate", |call| Ok(Answer::column(api::translate(&call.column("input")?, &pairs(call, "table")?)?)?)),
    ("strings.url_decode", |call| Ok(Answer::column(api::url_decode(&call.column("input")?)?)?)),
    ("strings.url_encode", |call| Ok(Answer::column(api::url_encode(&call.column("input")?)?)?)),
    ("strings.wrap", |call| Ok(Answer::column(api::wrap(&call.column("input")?, call.count("width")?)?)?)),
];

/// Reads a map of characters. If a text of the map has several characters, only the first character counts.
fn pairs(call: &Call<'_>, name: &str) -> Result<Vec<(char, Option<char>)>, Failure> {
    let object = call.arg(name).and_then(|value| value.as_object()).cloned().unwrap_or_default();
    let first = |text: &str| text.chars().next();
    let pair = |(from, to): (&String, &serde_json::Value)| Some((first(from)?, to.as_str().and_then(first)));
    Ok(object.iter().filter_map(pair).collect())
}

/// Returns the text of a scalar that must not be null.
fn text(call: &Call<'_>, name: &str) -> Result<String, Failure> {
    let text = call.scalar(name)?.value::<String>()?;
    text.ok_or_else(|| gdf_core::Error::invalid_argument("the argument is null; pass a text").into())
}
