//! Oracles of operations that make text longer or shorter. The oracles apply the standard library to one character at a
//! time.

use arrow_array::ArrayRef;
use gdf_detail::strings::Side;

use gdf_test::value::{Value, from_values, to_values};

/// Returns the texts of a column.
pub fn texts(column: &ArrayRef) -> Vec<Option<String>> {
    let text = |row: Option<Value>| match row {
        Some(Value::Str(text)) => Some(text),
        _ => None,
    };
    to_values(column).into_iter().map(text).collect()
}

/// Returns the integers of a column.
pub fn integers(column: &ArrayRef) -> Vec<Option<i64>> {
    let integer = |row: Option<Value>| match row {
        Some(Value::Int(value)) => i64::try_from(value).ok(),
        Some(Value::UInt(value)) => i64::try_from(value).ok(),
        _ => None,
    };
    to_values(column).into_iter().map(integer).collect()
}

/// Builds a column of the type of `like` from the texts.
pub fn column(like: &ArrayRef, rows: Vec<Option<String>>) -> ArrayRef {
    from_values(like.data_type(), &rows.into_iter().map(|row| row.map(Value::Str)).collect::<Vec<_>>())
}

/// Applies `f` to each text and its argument.
pub fn with<T: Clone>(text: &ArrayRef, argument: &[Option<T>], f: impl Fn(&str, T) -> String) -> ArrayRef {
    let argument = argument.iter().cycle();
    column(text, texts(text).iter().zip(argument).map(|(text, of)| Some(f(text.as_ref()?, of.clone()?))).collect())
}

/// Pads `text` with `fill` up to `width` characters.
pub fn pad(text: &str, width: i64, side: Side, fill: char) -> String {
    let mut padded: Vec<char> = text.chars().collect();
    let mut left = match side {
        Side::Left => true,
        Side::Right => false,
        // If the number of fill characters is odd, one side gets one more character. Python chooses the left side if
        // the width is odd.
        Side::Both => (width - padded.len() as i64) % 2 == 0 || width % 2 != 0,
    };
    while (padded.len() as i64) < width {
        padded.insert(if left { 0 } else { padded.len() }, fill);
        left ^= side == Side::Both;
    }
    padded.into_iter().collect()
}

/// Inserts zeros after the sign of `text`, up to `width` characters.
pub fn zfill(text: &str, width: i64) -> String {
    let (sign, rest) = text.split_at(usize::from(text.starts_with(['+', '-'])));
    sign.to_owned() + &pad(rest, width - sign.len() as i64, Side::Left, '0')
}

/// Returns Python's `text[start:stop:step]`.
pub fn slice(text: &str, start: Option<i64>, stop: Option<i64>, step: i64) -> String {
    let characters: Vec<char> = text.chars().collect();
    let len = characters.len() as i64;
    let from_end = |at: i64| if at < 0 { at.saturating_add(len) } else { at };
    let (start, stop) = (start.map(from_end), stop.map(from_end));
    let within = |at: i64| {
        if step > 0 {
            start.is_none_or(|start| at >= start) && stop.is_none_or(|stop| at < stop)
        } else {
            start.is_none_or(|start| at <= start) && stop.is_none_or(|stop| at > stop)
        }
    };
    let mut numbers: Vec<i64> = (0..len).filter(|at| within(*at)).collect();
    if step < 0 {
        numbers.reverse();
    }
    numbers.into_iter().step_by(step.unsigned_abs() as usize).map(|at| characters[at as usize]).collect()
}

/// Removes the given characters from one or both ends of `text`. If no characters are given, removes white space.
pub fn strip(text: &str, side: Side, characters: &str) -> String {
    let strips = |one: char| if characters.is_empty() { one.is_whitespace() } else { characters.contains(one) };
    match side {
        Side::Left => text.trim_start_matches(strips),
        Side::Right => text.trim_end_matches(strips),
        Side::Both => text.trim_matches(strips),
    }
    .to_owned()
}

/// Replaces the first `max` occurrences of `target`.
pub fn replace(text: &str, target: &str, replacement: &str, max: Option<usize>) -> String {
    if target.is_empty() { text.to_owned() } else { text.replacen(target, replacement, max.unwrap_or(usize::MAX)) }
}

/// Replaces the occurrences of several targets.
pub fn replace_multiple(text: &str, targets: &[Option<String>], replacements: &[Option<String>]) -> String {
    let (mut rest, mut result) = (text, String::new());
    while let Some(first) = rest.chars().next() {
        let found = targets.iter().position(|target| {
            target.as_ref().is_some_and(|target| !target.is_empty() && rest.starts_with(target.as_str()))
        });
        if let Some((at, target)) = found.and_then(|at| Some((at, targets[at].as_ref()?))) {
            result += replacements[if replacements.len() == 1 { 0 } else { at }].as_deref().unwrap_or("");
            rest = &rest[target.len()..];
        } else {
            result.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    result
}

/// Replaces the characters from `start` to `stop`.
pub fn replace_slice(text: &str, replacement: &str, start: usize, stop: Option<usize>) -> String {
    let characters: Vec<char> = text.chars().collect();
    let start = start.min(characters.len());
    let stop = stop.unwrap_or(usize::MAX).min(characters.len());
    let part = |of: &[char]| of.iter().collect::<String>();
    part(&characters[..start]) + replacement + &part(&characters[stop..])
}
