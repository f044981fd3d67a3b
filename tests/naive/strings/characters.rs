//! Oracles of operations that replace characters. The oracles apply the standard library to one character at a time.

use std::ops::RangeInclusive;

use arrow_array::ArrayRef;
use gdf_detail::strings::Filter;

use super::edit::{column, texts, with};

/// Applies `f` to each row.
pub fn map(column: &ArrayRef, f: impl Fn(&str) -> String) -> ArrayRef {
    with(column, &[Some(())], |text, ()| f(text))
}

/// Returns the lower case of the character at byte `at`.
fn lower_at(text: &str, at: usize) -> String {
    let one = text[at..].chars().next().unwrap_or_default();
    if one == 'Σ' {
        text.to_lowercase()[text[..at].to_lowercase().len()..][..2].to_owned()
    } else {
        one.to_lowercase().to_string()
    }
}

/// Returns the title case of a character, as the Unicode data define it.
pub fn title(one: char) -> String {
    let upper = one.to_uppercase().to_string();
    match one {
        // Latin digraphs have a separate title case.
        'Ǆ'..='ǆ' => "ǅ".into(),
        'Ǉ'..='ǉ' => "ǈ".into(),
        'Ǌ'..='ǌ' => "ǋ".into(),
        'Ǳ'..='ǳ' => "ǲ".into(),
        'ა'..='ჿ' => one.into(),
        // Some Greek letters with iota have a separate letter for the title case. The title case of the other letters
        // is the upper case with an iota below.
        '\u{1f80}'..='\u{1ffc}' if upper.chars().count() > 1 && upper.ends_with('Ι') => {
            let is_title = |of: &char| of.to_lowercase().ne([*of]) && of.to_uppercase().ne([*of]);
            let mut letters = ('\u{1f88}'..='\u{1ffc}').filter(is_title);
            let own = letters.find(|of| of.to_lowercase().eq(one.to_lowercase()));
            own.map_or_else(|| upper.replace('Ι', "\u{345}"), String::from)
        }
        // The upper case of a ligature has several letters. The title case has the first letter in upper case.
        _ => {
            let mut characters = upper.chars();
            let first = characters.next().unwrap_or(one);
            let rest = characters.as_str();
            first.to_string() + &if first.is_uppercase() { rest.to_lowercase() } else { rest.to_owned() }
        }
    }
}

/// Converts a character to title case if `begins` returns true for the previous character, and to lower case otherwise.
fn words(text: &str, begins: impl Fn(Option<char>) -> bool) -> String {
    let mut before = None;
    let mut result = String::new();
    for (at, one) in text.char_indices() {
        result += &if begins(before) { title(one) } else { lower_at(text, at) };
        before = Some(one);
    }
    result
}

/// Swaps the case of each character that has another case.
pub fn swapcase(text: &str) -> String {
    let mut swapped = String::new();
    for (at, one) in text.char_indices() {
        match (one.to_lowercase().eq([one]), one.to_uppercase().eq([one])) {
            (true, false) => swapped.extend(one.to_uppercase()),
            (false, true) => swapped += &lower_at(text, at),
            _ => swapped.push(one),
        }
    }
    swapped
}

/// Converts the first character and the characters after delimiters to title case, and all other characters to lower
/// case.
pub fn capitalize(text: &str, delimiters: &str) -> String {
    words(text, |before| before.is_none_or(|before| delimiters.contains(before)))
}

/// Converts the first character of each word to title case, and all other characters to lower case. A word consists of
/// characters for which `is` returns true.
pub fn title_of(text: &str, is: fn(char) -> bool) -> String {
    words(text, |before| before.is_none_or(|before| !is(before)))
}

/// Replaces or removes characters by a table.
pub fn translate(text: &str, table: &[(char, Option<char>)]) -> String {
    let to = |one| table.iter().find(|(from, _)| *from == one).map_or(Some(one), |(_, to)| *to);
    text.chars().filter_map(to).collect()
}

/// Replaces the given characters or, with `Filter::Keep`, all other characters.
pub fn filter(text: &str, is_given: impl Fn(char) -> bool, filter: Filter, replacement: &str) -> String {
    let mut result = String::new();
    for one in text.chars() {
        if is_given(one) == (filter == Filter::Keep) {
            result.push(one);
        } else {
            result += replacement;
        }
    }
    result
}

/// Returns a function that tells whether a character is in one of the ranges.
pub fn within(ranges: &[RangeInclusive<char>]) -> impl Fn(char) -> bool + '_ {
    |one| ranges.iter().any(|range| range.contains(&one))
}

/// Wraps a text into lines, one line after another.
pub fn wrap(text: &str, width: usize) -> String {
    let mut rest: Vec<char> = text.chars().collect();
    let mut lines = Vec::new();
    let mut after_break = false;
    loop {
        // The previous line ended with a break. This break counts as one of the characters of the line.
        let first = width - usize::from(after_break);
        let space = |at: &usize| rest[*at] <= ' ';
        let end = rest.len().min(first.saturating_add(1));
        let found =
            if rest.len() <= first { None } else { (0..end).rev().find(space).or((end..rest.len()).find(space)) };
        let Some(at) = found else {
            lines.push(rest.iter().collect::<String>());
            return lines.join("\n");
        };
        lines.push(rest[..at].iter().collect());
        rest = rest[at + 1..].to_vec();
        after_break = true;
    }
}

/// Percent-encodes all bytes except ASCII letters, ASCII digits and `-._~`.
pub fn url_encode(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

/// Decodes percent-encoded bytes.
pub fn url_decode(escaped: &ArrayRef) -> ArrayRef {
    let decoded = |text: &String| {
        let parts: Vec<&str> = text.split('%').collect();
        let mut bytes = parts[0].as_bytes().to_vec();
        for part in &parts[1..] {
            let digits = part.get(..2).filter(|two| two.chars().all(|one| one.is_ascii_hexdigit()));
            if let Some(byte) = digits.and_then(|two| u8::from_str_radix(two, 16).ok()) {
                bytes.push(byte);
                bytes.extend_from_slice(&part.as_bytes()[2..]);
            } else {
                bytes.push(b'%');
                bytes.extend_from_slice(part.as_bytes());
            }
        }
        String::from_utf8(bytes).ok()
    };
    column(escaped, texts(escaped).iter().map(|text| text.as_ref().and_then(decoded)).collect())
}
