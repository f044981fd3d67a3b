//! Formats an error of a statement as one line: the position, the error, and similar names.

use datafusion::common::SchemaError;
use datafusion::error::DataFusionError;

const OFFERED: usize = 3;

/// The minimum similarity of a name that an error lists. The similarity of equal names is 1.
const SIMILAR: f64 = 0.5;

/// Formats an error of a statement. `tables` are the names of all tables.
pub(super) fn described(error: &DataFusionError, tables: &[String]) -> String {
    let span = error.diagnostic().and_then(|diagnostic| diagnostic.span);
    let place = span.map(|span| (span.start.line, span.start.column));
    let root = error.find_root();
    let (place, what) = match root {
        DataFusionError::SchemaError(of, _) => match of.as_ref() {
            SchemaError::FieldNotFound { field, valid_fields } => {
                let known: Vec<String> = valid_fields.iter().map(|column| column.name.clone()).collect();
                (place, format!("there is no column {}{}", shown(&field.name), offer(&field.name, &known)))
            }
            other => (place, other.to_string()),
        },
        DataFusionError::SQL(of, _) => {
            let text = of.to_string();
            let text = text.strip_prefix("sql parser error: ").unwrap_or(&text);
            let (what, found) = placed(text);
            (found.or(place), format!("the statement cannot be parsed: {what}"))
        }
        DataFusionError::Plan(text) => match missing_table(text) {
            Some(name) => (place, format!("there is no table {}{}", shown(name), offer(name, tables))),
            None => (place, text.clone()),
        },
        other => (place, other.message().into_owned()),
    };
    // Messages of several lines become one line.
    let what = what.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    match place {
        Some((line, column)) if line > 0 => format!("line {line}, column {column}: {what}"),
        _ => what,
    }
}

/// Splits a message of the parser into the text and the position at its end.
fn placed(text: &str) -> (&str, Option<(u64, u64)>) {
    let position = || {
        let (what, place) = text.rsplit_once(" at Line: ")?;
        let (line, column) = place.split_once(", Column: ")?;
        Some((what, (line.parse().ok()?, column.trim().parse().ok()?)))
    };
    match position() {
        Some((what, place)) => (what, Some(place)),
        None => (text, None),
    }
}

/// Returns the name of the table if the message says that a table does not exist. There are two such messages.
fn missing_table(text: &str) -> Option<&str> {
    if let Some(name) = text.strip_prefix("No table named '").and_then(|rest| rest.strip_suffix('\'')) {
        return Some(name);
    }
    let name = text.strip_prefix("table '")?.strip_suffix("' not found")?;
    Some(name.strip_prefix("datafusion.public.").unwrap_or(name))
}

/// Returns a name as it must be written in a statement. Names that are not plain are quoted.
fn shown(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if is_plain { name.to_owned() } else { format!("\"{name}\"") }
}

/// Lists the most similar names in `known`, or the first names if none is similar.
fn offer(name: &str, known: &[String]) -> String {
    let likeness = |other: &String| strsim::normalized_damerau_levenshtein(&name.to_lowercase(), &other.to_lowercase());
    let mut near: Vec<(f64, &String)> = known.iter().map(|other| (likeness(other), other)).collect();
    near.retain(|(likeness, _)| *likeness >= SIMILAR);
    near.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let list = |names: &mut dyn Iterator<Item = &String>| names.map(|name| shown(name)).collect::<Vec<_>>().join(", ");
    match (near.is_empty(), known.is_empty()) {
        (false, _) => format!("; similar names: {}", list(&mut near.iter().take(OFFERED).map(|(_, name)| *name))),
        (true, false) => format!("; existing names: {}", list(&mut known.iter().take(4 * OFFERED))),
        (true, true) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_offered_as_they_are_written() {
        let known = ["price".to_owned(), "City".to_owned(), "day".to_owned()];
        assert_eq!(offer("pric", &known), "; similar names: price");
        assert_eq!(offer("city", &known), "; similar names: \"City\"");
        assert_eq!(offer("Prices", &known), "; similar names: price");
        assert_eq!(offer("zzz", &known), "; existing names: price, \"City\", day");
        assert_eq!(offer("zzz", &[]), "");
    }

    #[test]
    fn positions_are_taken_off_messages() {
        assert_eq!(placed("Expected: x, found: y at Line: 2, Column: 17"), ("Expected: x, found: y", Some((2, 17))));
        assert_eq!(placed("nothing"), ("nothing", None));
        assert_eq!(missing_table("table 'datafusion.public.a.b' not found"), Some("a.b"));
        assert_eq!(missing_table("No table named 'a'"), Some("a"));
        assert_eq!(missing_table("table x"), None);
    }
}
