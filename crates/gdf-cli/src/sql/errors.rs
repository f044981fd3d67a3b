//! Formats an error of a statement as one line: the position, the error, and similar names.

use datafusion::common::SchemaError;
use datafusion::error::DataFusionError;

const OFFERED: usize = 3;

/// The minimum similarity of a name that an error lists. The similarity of equal names is 1.
const SIMILAR: f64 = 0.5;

const NESTED: &str =
    "the statement nests more than 50 parentheses, functions or subqueries; name the inner parts by WITH";

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
            if text.contains("recursion limit exceeded") {
                return NESTED.to_owned();
            }
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
    let what = without_dump(&of_function(&what).unwrap_or(what))
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    match place {
        Some((line, column)) if line > 0 => format!("line {line}, column {column}: {what}"),
        _ => what,
    }
}

/// Returns the message for arguments that a function does not take. DataFusion lists the errors of all its signatures.
fn of_function(text: &str) -> Option<String> {
    let Some((_, rest)) = text.split_once("No function matches the given name and argument types '") else {
        let (before, _) = text.split_once("' failed to match any signature")?;
        let (_, name) = before.rsplit_once('\'')?;
        return Some(format!(
            "the function {name} does not take arguments of these types; cast them to types that it takes"
        ));
    };
    let (call, _) = rest.split_once('\'')?;
    let (name, types) = call.split_once('(')?;
    Some(format!(
        "the function {name} does not take arguments of the types ({types}; cast them to the types that it takes"
    ))
}

/// Removes the dump of a syntax tree, the text of its `Debug`, from the end of a message. The name of the node stays.
fn without_dump(text: &str) -> String {
    const MARKS: [&str; 7] = ["Ident {", "Span(", "span: ", "Location(", "ObjectName(", "relation: ", "Column {"];
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts = text.char_indices().filter(|(at, c)| c.is_ascii_uppercase() && !text[..*at].ends_with(is_word));
    for (start, _) in starts {
        let word = text[start..].find(|c: char| !is_word(c)).map_or(text.len(), |end| start + end);
        let rest = &text[word..];
        let is_dump = (rest.starts_with(" {") || rest.starts_with('(')) && MARKS.iter().any(|mark| rest.contains(mark));
        if is_dump {
            let kept = text[..word].replace("Unsupported ast node in sqltorel", "this part of SQL is not supported");
            return kept;
        }
    }
    text.to_owned()
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
    // Several tables may have columns of one name.
    near.retain(|(likeness, _)| *likeness >= SIMILAR);
    near.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(one.cmp(other)));
    near.dedup();
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
        assert_eq!(offer("not", &["note".to_owned(), "note".to_owned()]), "; similar names: note");
    }

    #[test]
    fn dumps_of_syntax_trees_are_left_out() {
        let dump =
            "Unsupported ast node in sqltorel: Collate { expr: Identifier(Ident { value: \"a\", span: Span(1) }) }";
        assert_eq!(without_dump(dump), "this part of SQL is not supported: Collate");
        let dump = "Physical plan does not support logical expression InSubquery(InSubquery { expr: Column(Column { relation: None })";
        assert_eq!(without_dump(dump), "Physical plan does not support logical expression InSubquery");
        let plain = "Cannot cast string 'Span(' to value of Decimal128(38, 10) type";
        assert_eq!(without_dump(plain), plain);
        let call = "Internal error: Function 'sum' failed, errors: x. No function matches the given name and argument types \
                    'sum(Utf8)'. You might need to add explicit type casts.";
        assert_eq!(
            of_function(call).unwrap(),
            "the function sum does not take arguments of the types (Utf8); cast them to the types that it takes"
        );
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
