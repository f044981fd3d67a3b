//! Regular expressions of any kind. A pattern must be refused, or must find the same matches as the `regex` crate.
#![no_main]

use gdf_api::strings::{Regex, RegexFlags, contains_re, count_re, find_re, matches_re, replace_re, split_re};
use gdf_fuzz::texts::{column, map, rows, text};
use libfuzzer_sys::arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;

/// Returns a pattern. Half of the patterns consist of parts of patterns, and half consist of any characters.
fn pattern(bytes: &mut Unstructured<'_>) -> Result<String> {
    const PARTS: &[&str] = &[
        "a", "b", "é", ".", "*", "+", "?", "(", ")", "(?:", "|", "[", "]", "[^", "^", "$", "{2}", "{1,3}", r"\d",
        r"\w", r"\b", r"\B", r"\s", "-", "漢", "(?i)", r"\p{Lu}", r"\.", "(?P<a>", "🦀", r"\Z",
    ];
    if bool::arbitrary(bytes)? {
        return text(bytes, 12);
    }
    let len = bytes.int_in_range(0..=14)?;
    (0..len).map(|_| bytes.choose(PARTS).copied()).collect()
}

fn run(bytes: &mut Unstructured<'_>) -> Result<()> {
    let [ignore_case, multiline, dot_all] = <[bool; 3]>::arbitrary(bytes)?;
    let (pattern, rows) = (pattern(bytes)?, rows(bytes)?);
    let mut flags = RegexFlags::new();
    for (is, with) in [
        (ignore_case, RegexFlags::ignore_case as fn(RegexFlags) -> RegexFlags),
        (multiline, RegexFlags::multiline),
        (dot_all, RegexFlags::dot_all),
    ] {
        flags = if is { with(flags) } else { flags };
    }
    let ours = Regex::new(&pattern, flags);
    let theirs = regex::RegexBuilder::new(&pattern)
        .case_insensitive(ignore_case)
        .multi_line(multiline)
        .dot_matches_new_line(dot_all)
        .build();
    // The crate `regex` refuses `\Z`, which gdf accepts. The limits of pattern sizes also differ.
    let (regex, oracle) = match (ours, theirs) {
        (Ok(regex), Ok(oracle)) => (regex, oracle),
        (Err(error), Ok(_)) => return Ok(assert!(error.to_string().ends_with("too large"), "{pattern:?}: {error}")),
        _ => return Ok(()),
    };
    let column = column(&rows);
    let truths = map(&rows, |text| oracle.is_match(text));
    assert_eq!(contains_re(&column, &regex).unwrap().to_vec::<bool>().unwrap(), truths, "{pattern:?}");
    let begins = regex::Regex::new(&format!(r"\A(?:{pattern})"));
    if let (Ok(begins), false) = (begins, ignore_case || multiline || dot_all || pattern.contains("(?i)")) {
        let truths = map(&rows, |text| begins.is_match(text));
        assert_eq!(matches_re(&column, &regex).unwrap().to_vec::<bool>().unwrap(), truths, "{pattern:?}");
    }
    let counts = map(&rows, |text| oracle.find_iter(text).count() as i32);
    assert_eq!(count_re(&column, &regex).unwrap().to_vec::<i32>().unwrap(), counts, "{pattern:?}");
    let place = |text: &str| oracle.find(text).map_or(-1, |found| text[..found.start()].chars().count() as i32);
    assert_eq!(find_re(&column, &regex).unwrap().to_vec::<i32>().unwrap(), map(&rows, place), "{pattern:?}");
    let replaced = map(&rows, |text| oracle.replace_all(text, regex::NoExpand("<é>")).into_owned());
    assert_eq!(replace_re(&column, &regex, "<é>", None).unwrap().to_strings().unwrap(), replaced, "{pattern:?}");
    let pieces = split_re(&column, &regex, Some(2)).unwrap();
    let first = map(&rows, |text| oracle.splitn(text, 3).next().unwrap_or_default().to_owned());
    assert_eq!(pieces.column(0).unwrap().to_strings().unwrap(), first, "{pattern:?}");
    Ok(())
}

fuzz_target!(|bytes: &[u8]| {
    let _ = run(&mut Unstructured::new(bytes));
});
