//! Oracles of `strings` for searches in texts and for types of characters. The oracles apply the standard library to
//! each row.

use arrow_array::ArrayRef;
use arrow_schema::DataType;

use super::map;
use gdf_test::value::{Value, from_values, to_values};

/// Applies `f` to each text and to the same row of `other`.
fn pairs(column: &ArrayRef, other: &ArrayRef, output_type: &DataType, f: impl Fn(&str, &str) -> Value) -> ArrayRef {
    let others = to_values(other);
    let of = |(row, text): (usize, &Option<Value>)| match (text, &others[if others.len() == 1 { 0 } else { row }]) {
        (Some(Value::Str(text)), Some(Value::Str(other))) => Some(f(text, other)),
        _ => None,
    };
    let rows: Vec<_> = to_values(column).iter().enumerate().map(of).collect();
    from_values(output_type, &rows)
}

fn number_type(column: &ArrayRef) -> DataType {
    if *column.data_type() == DataType::LargeUtf8 { DataType::Int64 } else { DataType::Int32 }
}

/// Returns whether each row contains `target`.
pub fn contains(column: &ArrayRef, target: &ArrayRef) -> ArrayRef {
    pairs(column, target, &DataType::Boolean, |text, target| Value::Bool(text.contains(target)))
}

/// Returns whether each row starts with `target`.
pub fn starts_with(column: &ArrayRef, target: &ArrayRef) -> ArrayRef {
    pairs(column, target, &DataType::Boolean, |text, target| Value::Bool(text.starts_with(target)))
}

/// Returns whether each row ends with `target`.
pub fn ends_with(column: &ArrayRef, target: &ArrayRef) -> ArrayRef {
    pairs(column, target, &DataType::Boolean, |text, target| Value::Bool(text.ends_with(target)))
}

/// Returns the number of the character at which the first or last occurrence of `target` between `start` and `stop`
/// begins, or −1 if there is none.
pub fn find(column: &ArrayRef, target: &ArrayRef, start: usize, stop: Option<usize>, last: bool) -> ArrayRef {
    pairs(column, target, &number_type(column), |text, target| {
        let (text, target): (Vec<char>, Vec<char>) = (text.chars().collect(), target.chars().collect());
        let end = stop.unwrap_or(text.len()).min(text.len());
        let mut places =
            (start..end + 1).filter(|at| text[..end].get(*at..).is_some_and(|rest| rest.starts_with(&target)));
        let place = if last { places.next_back() } else { places.next() };
        Value::Int(place.map_or(-1, |place| place as i128))
    })
}

/// Returns the number of characters of each row.
pub fn count_characters(column: &ArrayRef) -> ArrayRef {
    map(column, &number_type(column), |text| Value::Int(text.chars().count() as i128))
}

/// Returns the number of bytes of each row.
pub fn count_bytes(column: &ArrayRef) -> ArrayRef {
    map(column, &number_type(column), |text| Value::Int(text.len() as i128))
}

/// Returns the code point of each character.
pub fn code_points(column: &ArrayRef) -> ArrayRef {
    let mut codes = Vec::new();
    for row in to_values(column) {
        if let Some(Value::Str(text)) = row {
            codes.extend(text.chars().map(|character| Some(Value::Int(u32::from(character).into()))));
        }
    }
    from_values(&DataType::Int32, &codes)
}

/// Returns whether each row matches a `LIKE` pattern.
pub fn like(column: &ArrayRef, pattern: &ArrayRef, escape: Option<char>) -> ArrayRef {
    fn matches(text: &[char], pattern: &[char], escape: Option<char>) -> bool {
        match pattern {
            [] => text.is_empty(),
            [first, literal, rest @ ..] if Some(*first) == escape => {
                text.split_first().is_some_and(|(one, others)| one == literal && matches(others, rest, escape))
            }
            [first, rest @ ..] if *first == '%' && Some('%') != escape => {
                (0..=text.len()).any(|taken| matches(&text[taken..], rest, escape))
            }
            [first, rest @ ..] => text.split_first().is_some_and(|(one, others)| {
                (one == first || (*first == '_' && escape != Some('_'))) && matches(others, rest, escape)
            }),
        }
    }
    let chars = |text: &str| text.chars().collect::<Vec<_>>();
    pairs(column, pattern, &DataType::Boolean, |text, pattern| {
        Value::Bool(matches(&chars(text), &chars(pattern), escape))
    })
}

/// Returns whether each row has a character for which `verify` is true, and whether all such characters satisfy `is`.
pub fn all_characters(column: &ArrayRef, verify: fn(char) -> bool, is: fn(char) -> bool) -> ArrayRef {
    map(column, &DataType::Boolean, |text| {
        let verified: Vec<char> = text.chars().filter(|character| verify(*character)).collect();
        Value::Bool(!verified.is_empty() && verified.into_iter().all(is))
    })
}

/// Returns whether each row is in title case.
pub fn is_title(column: &ArrayRef) -> ArrayRef {
    map(column, &DataType::Boolean, |text| {
        let mut words =
            text.split(|character: char| !character.is_alphabetic()).filter(|word| !word.is_empty()).peekable();
        let is_any = words.peek().is_some();
        let is_title = |word: &str| word.char_indices().all(|(at, character)| character.is_uppercase() == (at == 0));
        Value::Bool(is_any && words.all(is_title))
    })
}
