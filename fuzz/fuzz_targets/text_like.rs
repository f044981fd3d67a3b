//! `LIKE` patterns of SQL with any escape character. A pattern must match the same texts as a regular expression, for
//! all rows at once and for each row.
#![no_main]

use gdf_api::strings::like;
use gdf_fuzz::texts::{column, map, rows, text};
use libfuzzer_sys::arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;

/// Converts a pattern to a regular expression. An escape character at the end of the pattern stands for itself.
fn regex(pattern: &str, escape: Option<char>) -> regex::Regex {
    let mut text = r"(?s)\A".to_owned();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            _ if Some(character) == escape => {
                text += &regex::escape(&characters.next().unwrap_or(character).to_string());
            }
            '%' => text += ".*",
            '_' => text += ".",
            other => text += &regex::escape(&other.to_string()),
        }
    }
    regex::Regex::new(&(text + r"\z")).expect("the translated pattern is a regular expression")
}

fn run(bytes: &mut Unstructured<'_>) -> Result<()> {
    let escape = match bytes.int_in_range(0..=3)? {
        0 => None,
        1 => Some('\\'),
        2 => Some(*bytes.choose(&['%', '_', 'a', 'é', '🦀'])?),
        _ => Some(char::arbitrary(bytes)?),
    };
    let (pattern, rows) = (text(bytes, 9)?, rows(bytes)?);
    let (oracle, column_of_rows) = (regex(&pattern, escape), column(&rows));
    let expected = map(&rows, |text| oracle.is_match(text));
    let all = like(&column_of_rows, pattern.as_str(), escape).unwrap();
    assert_eq!(all.to_vec::<bool>().unwrap(), expected, "{pattern:?} {escape:?}");
    let patterns = column(&vec![Some(pattern.clone()); rows.len()]);
    let each = like(&column_of_rows, &patterns, escape).unwrap();
    assert_eq!(each.to_vec::<bool>().unwrap(), expected, "{pattern:?} {escape:?} for each row");
    Ok(())
}

fuzz_target!(|bytes: &[u8]| {
    let _ = run(&mut Unstructured::new(bytes));
});
