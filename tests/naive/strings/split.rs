//! Oracles of splitting and joining. The oracles apply the standard library to vectors of texts.

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field};
use gdf_detail::strings::JoinOptions;

use super::edit::texts;
use gdf_test::value::{Value, from_values, to_values};

/// Splits a text at most `max` times. If `max` is 0 or `None`, splits the text at every delimiter. An empty delimiter
/// means white space.
pub fn pieces(text: &str, delimiter: &str, max: Option<usize>, right: bool) -> Vec<String> {
    let max = max.filter(|max| *max > 0).map_or(usize::MAX, |max| max.saturating_add(1));
    let mut pieces: Vec<&str> = match (delimiter.is_empty(), right) {
        (false, false) => text.splitn(max, delimiter).collect(),
        (false, true) => text.rsplitn(max, delimiter).collect(),
        (true, _) => Vec::new(),
    };
    let mut rest = text;
    while delimiter.is_empty() {
        rest = if right { rest.trim_end() } else { rest.trim_start() };
        if rest.is_empty() {
            break;
        }
        let found = if right { rest.rfind(char::is_whitespace) } else { rest.find(char::is_whitespace) };
        let Some(at) = found.filter(|_| pieces.len() + 1 < max) else {
            pieces.push(rest);
            break;
        };
        let space = rest[at..].chars().next().map_or(0, char::len_utf8);
        let (before, after) = (&rest[..at], &rest[at + space..]);
        pieces.push(if right { after } else { before });
        rest = if right { before } else { after };
    }
    if right {
        pieces.reverse();
    }
    pieces.into_iter().map(str::to_owned).collect()
}

/// Returns the text before the delimiter, the delimiter, and the text after the delimiter.
pub fn parts(text: &str, delimiter: &str, right: bool) -> [String; 3] {
    let split = match (delimiter.is_empty(), right) {
        (true, false) => text.split_once(char::is_whitespace),
        (true, true) => text.rsplit_once(char::is_whitespace),
        (false, false) => text.split_once(delimiter),
        (false, true) => text.rsplit_once(delimiter),
    };
    match split {
        Some((a, b)) => [a, &text[a.len()..text.len() - b.len()], b].map(str::to_owned),
        None if right => [String::new(), String::new(), text.to_owned()],
        None => [text.to_owned(), String::new(), String::new()],
    }
}

/// Returns each text with its delimiter.
fn rows<'a>(
    column: &ArrayRef,
    delimiters: &'a [Option<String>],
) -> impl Iterator<Item = (Option<String>, Option<&'a str>)> {
    texts(column).into_iter().zip(delimiters.iter().cycle().map(|text| text.as_deref()))
}

/// Returns the pieces of each row as a list.
pub fn split_record(column: &ArrayRef, delimiters: &[Option<String>], max: Option<usize>, right: bool) -> ArrayRef {
    let list = |pieces: Vec<String>| Value::List(pieces.into_iter().map(|piece| Some(Value::Str(piece))).collect());
    let lists: Vec<_> =
        rows(column, delimiters).map(|(text, delimiter)| Some(list(pieces(&text?, delimiter?, max, right)))).collect();
    from_values(&DataType::List(Field::new_list_field(column.data_type().clone(), true).into()), &lists)
}

/// Returns the pieces of all rows as columns, one column for each position.
pub fn split(column: &ArrayRef, delimiters: &[Option<String>], max: Option<usize>, right: bool) -> Vec<ArrayRef> {
    let all: Vec<_> =
        rows(column, delimiters).map(|(text, delimiter)| Some(pieces(&text?, delimiter?, max, right))).collect();
    let columns = all.iter().flatten().map(Vec::len).max().unwrap_or(0).max(1);
    columns_of(column, &all, columns)
}

/// Returns three columns: the text before the delimiter, the delimiter, and the text after the delimiter.
pub fn partition(column: &ArrayRef, delimiters: &[Option<String>], right: bool) -> Vec<ArrayRef> {
    let all: Vec<_> =
        rows(column, delimiters).map(|(text, delimiter)| Some(parts(&text?, delimiter?, right).to_vec())).collect();
    columns_of(column, &all, 3)
}

fn columns_of(column: &ArrayRef, rows: &[Option<Vec<String>>], columns: usize) -> Vec<ArrayRef> {
    let value = |row: &Option<Vec<String>>, at: usize| Some(Value::Str(row.as_ref()?.get(at)?.clone()));
    let column =
        |at: usize| from_values(column.data_type(), &rows.iter().map(|row| value(row, at)).collect::<Vec<_>>());
    (0..columns).map(column).collect()
}

/// Returns the piece at `index` of each row.
pub fn split_part(column: &ArrayRef, delimiters: &[Option<String>], index: &[Option<i64>]) -> ArrayRef {
    let part = |text: String, delimiter: &str, index: i64| {
        let mut pieces = pieces(&text, delimiter, None, index < 0);
        if index < 0 {
            pieces.reverse();
        }
        pieces.into_iter().nth(usize::try_from(if index < 0 { -(index + 1) } else { index }).ok()?)
    };
    let rows: Vec<_> = rows(column, delimiters)
        .zip(index.iter().cycle())
        .map(|((text, delimiter), index)| part(text?, delimiter?, (*index)?).map(Value::Str))
        .collect();
    from_values(column.data_type(), &rows)
}

/// Returns the text between the markers `start` and `end`.
pub fn extract_between(column: &ArrayRef, start: &str, end: &str) -> ArrayRef {
    let between = |text: String| Some(text.split_once(start)?.1.split_once(end)?.0.to_owned());
    let rows: Vec<_> = texts(column).into_iter().map(|text| between(text?).map(Value::Str)).collect();
    from_values(column.data_type(), &rows)
}

/// Joins the texts of a row into one text.
pub fn join(texts: &[Option<String>], separator: Option<&str>, options: JoinOptions<'_>) -> Option<String> {
    let separator = separator.or(options.separator_null)?;
    if texts.is_empty() && options.empty_is_null {
        return None;
    }
    let mut joined = String::new();
    let mut pending = false;
    for text in texts {
        let separated = text.is_some() || !options.unseparated_nulls;
        if pending && separated {
            joined += separator;
            pending = false;
        }
        joined += text.as_deref().or(options.null)?;
        pending |= separated;
    }
    Some(joined)
}

/// Joins the texts of each row of a table into one text.
pub fn concatenate(columns: &[ArrayRef], separators: &[Option<String>], options: JoinOptions<'_>) -> ArrayRef {
    let all: Vec<_> = columns.iter().map(texts).collect();
    let row = |row: usize| {
        let texts: Vec<_> = all.iter().map(|column| column[row].clone()).collect();
        join(&texts, separators[row % separators.len()].as_deref(), options).map(Value::Str)
    };
    from_values(columns[0].data_type(), &(0..columns[0].len()).map(row).collect::<Vec<_>>())
}

fn list(row: Vec<Option<Value>>) -> Vec<Option<String>> {
    let text = |element| match element {
        Some(Value::Str(text)) => Some(text),
        _ => None,
    };
    row.into_iter().map(text).collect()
}

/// Joins the texts of each list.
pub fn join_list_elements(lists: &ArrayRef, separators: &[Option<String>], options: JoinOptions<'_>) -> ArrayRef {
    let rows: Vec<_> = to_values(lists)
        .into_iter()
        .zip(separators.iter().cycle())
        .map(|(row, separator)| match row {
            Some(Value::List(texts)) => join(&list(texts), separator.as_deref(), options).map(Value::Str),
            _ => None,
        })
        .collect();
    from_values(&innermost(lists.data_type()), &rows)
}

fn innermost(data_type: &DataType) -> DataType {
    match data_type {
        DataType::List(field) | DataType::LargeList(field) => innermost(field.data_type()),
        other => other.clone(),
    }
}

/// Formats each list as a text, with the mark `open` before the elements, the mark `close` after the elements, and the
/// separator between the elements.
pub fn format_list_column(lists: &ArrayRef, null: &str, [separator, open, close]: [&str; 3]) -> ArrayRef {
    fn text(value: Option<Value>, null: &str, marks: [&str; 3]) -> String {
        match value {
            Some(Value::Str(text)) => text,
            Some(Value::List(elements)) => {
                let texts: Vec<_> = elements.into_iter().map(|element| text(element, null, marks)).collect();
                format!("{}{}{}", marks[1], texts.join(marks[0]), marks[2])
            }
            _ => null.to_owned(),
        }
    }
    let marks = [separator, open, close];
    let rows: Vec<_> = to_values(lists).into_iter().map(|row| Some(Value::Str(text(row, null, marks)))).collect();
    from_values(&innermost(lists.data_type()), &rows)
}

/// Joins all texts of a column into one text.
pub fn join_strings(column: &ArrayRef, separator: &str, null: Option<&str>) -> ArrayRef {
    let texts: Vec<_> = texts(column).into_iter().filter_map(|text| text.or(null.map(str::to_owned))).collect();
    from_values(column.data_type(), &[Some(Value::Str(texts.join(separator)))])
}
