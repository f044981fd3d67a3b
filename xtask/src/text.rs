//! Finds the code in a Rust text. Comments and the contents of literals are not code.
//!
//! This scanner has few states, but suffices for searching words.

/// Replaces comments, strings and character literals by blanks.
pub(crate) fn code_only(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut previous = ' ';
    while let Some(next) = rest.chars().next() {
        let skipped = match next {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => block_comment(rest),
            '"' => string(rest, 0),
            'r' | 'b' | 'c' if !is_word(previous) => prefixed_string(rest),
            '\'' => character(rest),
            _ => 0,
        };
        if skipped == 0 {
            out.push(next);
            previous = next;
            rest = &rest[next.len_utf8()..];
        } else {
            out.extend(rest[..skipped].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            previous = ' ';
            rest = &rest[skipped..];
        }
    }
    out
}

pub(crate) fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back().is_some_and(is_word);
        let after = line[at + word.len()..].chars().next().is_some_and(is_word);
        !before && !after
    })
}

pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn block_comment(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            (at, depth) = (at + 2, depth + 1);
        } else if bytes[at..].starts_with(b"*/") {
            (at, depth) = (at + 2, depth - 1);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    bytes.len()
}

fn string(text: &str, start: usize) -> usize {
    let mut escaped = false;
    for (at, c) in text[start + 1..].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return start + 1 + at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of the literal at the start of `text`: `r"…"`, `r#"…"#`, `b"…"`, `br"…"` or `c"…"`.
fn prefixed_string(text: &str) -> usize {
    let prefix = text.bytes().take_while(|b| matches!(b, b'r' | b'b' | b'c')).count();
    let raw = text[..prefix].contains('r');
    let hashes = text[prefix..].bytes().take_while(|&b| b == b'#').count();
    let quote = prefix + hashes;
    if prefix > 2 || !text[quote..].starts_with('"') || (hashes > 0 && !raw) {
        return 0;
    }
    if !raw {
        return string(text, quote);
    }
    let end = format!("\"{}", "#".repeat(hashes));
    text[quote + 1..].find(&end).map_or(text.len(), |at| quote + 1 + at + end.len())
}

/// Returns the length of the character literal at the start of `text`.
fn character(text: &str) -> usize {
    let mut inner = text[1..].char_indices();
    match inner.next() {
        Some((_, '\\')) => {
            let escape = inner.next().map_or(1, |(at, c)| at + c.len_utf8());
            text[1 + escape..].find('\'').map_or(0, |at| 1 + escape + at + 1)
        }
        Some((_, c)) if c != '\'' => match inner.next() {
            Some((at, '\'')) => 1 + at + 1,
            _ => 0,
        },
        _ => 0,
    }
}

/// Returns the functions that a macro generates, and their positions.
pub(crate) fn functions_of_tables(code: &str) -> Vec<(usize, &str)> {
    if !code.contains("macro_rules! ") && !code.contains("short_forms! ") {
        return Vec::new();
    }
    let row = |line: &str| -> Option<usize> {
        let text = line.strip_prefix("    ")?.trim_start();
        let name = text.find(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'))?;
        let (first, rest) = text[name..].strip_prefix(" =").map(|rest| (rest, rest.trim_start_matches('>')))?;
        let item = rest.strip_prefix(' ')?;
        let end = if first.starts_with('>') { ',' } else { ';' };
        let word = item.find(|c: char| !is_word(c))?;
        (name > 0 && item.starts_with(|c: char| c.is_ascii_uppercase()) && item[word..].starts_with(end))
            .then_some(name)
    };
    let rows = (1..).zip(code.lines());
    rows.filter_map(|(number, line)| Some((number, &line.trim_start()[..row(line)?]))).collect()
}

/// Returns whether a file is written by hand.
pub(crate) fn is_written_by_hand(text: &str) -> bool {
    !text.lines().take(4).any(|line| line.contains("Written by `cargo xtask codegen`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squeezed(text: &str) -> String {
        code_only(text).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_vanish() {
        assert_eq!(squeezed("a // unsafe\nb /* x /* y */ z */ c"), "a b c");
        assert_eq!(squeezed("a /* open"), "a");
    }

    #[test]
    fn literals_vanish() {
        assert_eq!(squeezed(r#"f("unsafe \" x", 'x', '\'', '\u{1F600}', b"y", c"z") + 1"#), "f( , , , , , ) + 1");
        assert_eq!(squeezed("r#\"a \" b\"# + r\"c\\\" + br##\"d\"# e\"## + 2"), "+ + + 2");
    }

    #[test]
    fn lifetimes_and_names_stay() {
        assert_eq!(squeezed("fn f<'a>(x: &'a str, r: u8, abc: u8) {}"), "fn f<'a>(x: &'a str, r: u8, abc: u8) {}");
        assert_eq!(squeezed("'outer: loop { break 'outer }"), "'outer: loop { break 'outer }");
        assert_eq!(squeezed("r#type = br"), "r#type = br");
    }

    #[test]
    fn lines_stay_where_they_are() {
        let text = "a\n\"b\nc\" // d\n/* e\nf */ g";
        assert_eq!(code_only(text).lines().count(), text.lines().count());
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("let x = unsafe { 1 };", "unsafe"));
        assert!(!has_word("#![forbid(unsafe_code)]", "unsafe"));
    }

    #[test]
    fn rows_of_tables_are_functions() {
        let code = "macro_rules! x {}\n    add = Add;\n        sub2 = Sub;\n    year => Year, \"year\";\n    let a = B;\n    \
                    a => b,\n    Type => Other,\n    x = Some(1);\n";
        assert_eq!(functions_of_tables(code), [(2, "add"), (3, "sub2"), (4, "year")]);
        assert!(functions_of_tables("    add = Add;\n").is_empty());
    }
}
