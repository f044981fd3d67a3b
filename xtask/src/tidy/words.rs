//! Checks that identifiers and file names do not contain words that the lexicon rejects. A finding states the word to
//! use instead.

use super::{Files, Finding};
use crate::text::{code_only, is_word};

pub(super) const LEXICON: &str = "docs/guide/lexicon.md";

const FOLDERS: [&str; 4] = ["crates/", "fuzz/", "kernels/", "xtask/"];
const ENDINGS: [&str; 3] = [".rs", ".cu", ".cuh"];

/// Words that no identifier may contain as a part.
const BANNED: [(&str, &str); 8] = [
    ("way", "strategy, mode"),
    ("room", "capacity, scratch"),
    ("told", "reported, published"),
    ("least", "min"),
    ("greatest", "max"),
    ("nobody", "unowned, none"),
    ("ground", "free granules"),
    ("centre", "center"),
];

/// Terms that are allowed although they contain a rejected word, because the field or the public API uses them.
const TERMS: [&str; 2] = ["three_way", "least_rows"];

pub(super) fn check(repository: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in repository {
        let ending = ENDINGS.iter().find(|ending| path.ends_with(**ending));
        let Some(ending) = ending.filter(|_| FOLDERS.iter().any(|folder| path.starts_with(folder))) else { continue };
        let stem = path.rsplit('/').next().unwrap_or_default().trim_end_matches(ending);
        findings.extend(refusal(stem).map(|what| Finding::file(path, what)));
        for (number, line) in (1..).zip(code_only(text).lines()) {
            findings.extend(identifiers(line).filter_map(refusal).map(|what| Finding::new(path, number, what)));
        }
    }
    if let Some(lexicon) = repository.get(LEXICON) {
        let missing = BANNED.iter().filter(|(word, _)| !lexicon.contains(&format!("`{word}`")));
        findings
            .extend(missing.map(|(word, _)| Finding::file(LEXICON, format!("does not reject `{word}`, as tidy does"))));
    }
    findings
}

fn identifiers(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c| !is_word(c)).filter(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// If `name` contains a rejected word, returns a message with the term to use instead.
fn refusal(name: &str) -> Option<String> {
    if TERMS.contains(&name) {
        return None;
    }
    let parts = parts(name);
    let (word, instead) = BANNED.iter().find(|(word, _)| parts.iter().any(|part| part == word))?;
    Some(format!("`{name}`: instead of `{word}` say {instead}"))
}

/// Returns the words of a name in lower case.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut before = '_';
    for c in name.chars() {
        if c == '_' || c.is_uppercase() && before.is_lowercase() {
            parts.push(String::new());
        }
        if let (true, Some(part)) = (c != '_', parts.last_mut()) {
            part.extend(c.to_lowercase());
        }
        before = c;
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::super::repository_of;
    use super::*;

    #[test]
    fn names_fall_into_words() {
        assert_eq!(parts("min_capacity"), ["min", "capacity"]);
        assert_eq!(parts("FirstRow"), ["first", "row"]);
        assert_eq!(parts("MAX_ROWS"), ["max", "rows"]);
        assert_eq!(parts("_tile2D"), ["tile2d"]);
        assert_eq!(parts("background"), ["background"]);
    }

    #[test]
    fn only_code_is_read() {
        let text = format!("//! A {0}.\nfn f() {{ let {0}s = \"{0}\"; }} // {0}\n", BANNED[0].0);
        assert_eq!(check(&repository_of([("crates/a/src/a.rs", &text), ("docs/a.rs", "")])), []);
    }

    #[test]
    fn names_of_things_and_of_files_are_found() {
        let (word, instead) = BANNED[1];
        let text =
            format!("// A.\nint const {word}_of = 1;\nstruct Small{}{} {{}};\n", word[..1].to_uppercase(), &word[1..]);
        let path = format!("kernels/a/{word}.cu");
        let found = check(&repository_of([(&path, &text)]));
        assert_eq!(found.iter().map(|finding| finding.line).collect::<Vec<_>>(), [0, 2, 3]);
        assert!(found[1].what.ends_with(instead), "{}", found[1]);
    }

    #[test]
    fn terms_of_the_field_stay() {
        let text = format!("fn {}() {{}}\n", TERMS[0]);
        assert_eq!(check(&repository_of([("xtask/src/a.rs", &text)])), []);
    }

    #[test]
    fn the_lexicon_refuses_the_same_words() {
        let page: String = BANNED[1..].iter().map(|(word, _)| format!("`{word}` ")).collect();
        let found = check(&repository_of([(LEXICON, &page)]));
        assert_eq!((found.len(), found[0].path.as_str()), (1, LEXICON));
    }
}
