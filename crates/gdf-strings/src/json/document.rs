//! Strict JSON: checks whether a text is one JSON document, and moves through texts that have been checked.
//! `kernels/include/gdf/json_document.cuh` does the same on CUDA.

use std::ops::Range;

use gdf_kernels::generated::common::JSON_MOST_LEVELS;

/// A text, with the functions that move through it. Positions beyond the end have no byte.
#[derive(Clone, Copy)]
pub(super) struct Document<'a>(pub(super) &'a [u8]);

/// The kind of each open object or array, as bits: the lowest bit is the innermost one, and 1 stands for an object.
#[derive(Default)]
struct Open {
    bits: u128,
    count: usize,
}

impl Open {
    fn is_object(&self) -> bool {
        self.bits & 1 != 0
    }

    fn push(&mut self, object: bool) -> Option<()> {
        self.bits = self.bits << 1 | u128::from(object);
        self.count += 1;
        (self.count <= JSON_MOST_LEVELS).then_some(())
    }

    fn pop(&mut self) {
        self.bits >>= 1;
        self.count -= 1;
    }
}

impl<'a> Document<'a> {
    pub(super) fn byte(self, at: usize) -> Option<u8> {
        self.0.get(at).copied()
    }

    pub(super) fn part(self, range: Range<usize>) -> &'a [u8] {
        self.0.get(range).unwrap_or_default()
    }

    fn skip_space(self, at: usize) -> usize {
        let rest = self.0.get(at..).unwrap_or_default();
        at + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t')).count()
    }

    fn is_digit(self, at: usize) -> bool {
        self.byte(at).is_some_and(|byte| byte.is_ascii_digit())
    }

    /// Returns the value of the four hexadecimal digits at `at`.
    fn unit_at(self, at: usize) -> Option<u32> {
        let digits = self.0.get(at..at + 4)?;
        digits.iter().try_fold(0, |unit, byte| Some(unit << 4 | char::from(*byte).to_digit(16)?))
    }

    /// Returns the end of the escape sequence at `at`. The result is `None` if the sequence is invalid, or is half of a
    /// pair of surrogates.
    fn check_escape(self, at: usize) -> Option<usize> {
        match self.byte(at + 1)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(at + 2),
            b'u' => match self.unit_at(at + 2)? {
                0xd800..=0xdbff => {
                    let low = self.unit_at(at + 8).filter(|_| self.part(at + 6..at + 8) == b"\\u")?;
                    (0xdc00..=0xdfff).contains(&low).then_some(at + 12)
                }
                0xdc00..=0xdfff => None,
                _ => Some(at + 6),
            },
            _ => None,
        }
    }

    /// Checks the string whose opening quote is at `at`, and returns the end of the string.
    fn check_string(self, at: usize) -> Option<usize> {
        let mut at = at + 1;
        loop {
            match self.byte(at)? {
                b'"' => return Some(at + 1),
                b'\\' => at = self.check_escape(at)?,
                0..b' ' => return None,
                _ => at += 1,
            }
        }
    }

    fn check_digits(self, at: usize) -> Option<usize> {
        let count = self.0.get(at..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
        (count > 0).then_some(at + count)
    }

    fn check_number(self, at: usize) -> Option<usize> {
        let at = at + usize::from(self.byte(at) == Some(b'-'));
        let mut at = if self.byte(at) == Some(b'0') { at + 1 } else { self.check_digits(at)? };
        if self.byte(at) == Some(b'.') {
            at = self.check_digits(at + 1)?;
        }
        if !matches!(self.byte(at), Some(b'e' | b'E')) {
            return Some(at);
        }
        let has_sign = matches!(self.byte(at + 1), Some(b'+' | b'-'));
        self.check_digits(at + 1 + usize::from(has_sign))
    }

    fn check_value(self, at: usize) -> Option<usize> {
        let word = |word: &[u8]| self.0.get(at..)?.starts_with(word).then_some(at + word.len());
        match self.byte(at)? {
            b'"' => self.check_string(at),
            b't' => word(b"true"),
            b'f' => word(b"false"),
            b'n' => word(b"null"),
            _ => self.check_number(at),
        }
    }

    /// Checks the name of a field and the colon that follows, and returns the position of the field's value.
    fn check_name(self, at: usize) -> Option<usize> {
        let end = self.check_string(at).filter(|_| self.byte(at) == Some(b'"'))?;
        let colon = self.skip_space(end);
        (self.byte(colon) == Some(b':')).then(|| self.skip_space(colon + 1))
    }

    /// Returns the value without the white space around it, or `None` if the text is not one document.
    pub(super) fn check(self) -> Option<&'a [u8]> {
        let mut open = Open::default();
        let begin = self.skip_space(0);
        let mut at = begin;
        loop {
            let first = self.byte(at)?;
            if matches!(first, b'{' | b'[') {
                let is_object = first == b'{';
                open.push(is_object)?;
                at = self.skip_space(at + 1);
                if self.byte(at) != Some(if is_object { b'}' } else { b']' }) {
                    at = if is_object { self.check_name(at)? } else { at };
                    continue;
                }
                open.pop();
                at += 1;
            } else {
                at = self.check_value(at)?;
            }
            loop {
                if open.count == 0 {
                    return (self.skip_space(at) == self.0.len()).then(|| self.part(begin..at));
                }
                at = self.skip_space(at);
                let next = self.byte(at)?;
                at += 1;
                if next == b',' {
                    at = self.skip_space(at);
                    at = if open.is_object() { self.check_name(at)? } else { at };
                    break;
                }
                if next != if open.is_object() { b'}' } else { b']' } {
                    return None;
                }
                open.pop();
            }
        }
    }

    /// Returns the end of the string of a checked text whose opening quote is at `at`.
    fn string_end(self, at: usize) -> usize {
        let mut at = at + 1;
        while let Some(offset) = memchr::memchr2(b'"', b'\\', self.0.get(at..).unwrap_or_default()) {
            if self.byte(at + offset) == Some(b'"') {
                return at + offset + 1;
            }
            at += offset + 2;
        }
        self.0.len()
    }

    /// Returns the end of a value of a checked text.
    fn value_end(self, at: usize) -> usize {
        if self.byte(at) == Some(b'"') {
            return self.string_end(at);
        }
        let (mut open, mut at) = (0_usize, at);
        while let Some(byte) = self.byte(at) {
            let closes = matches!(byte, b'}' | b']');
            if open == 0 && (closes || byte == b',' || byte <= b' ') {
                return at;
            }
            at = if byte == b'"' { self.string_end(at) } else { at + 1 };
            open += usize::from(matches!(byte, b'{' | b'['));
            if closes {
                open -= 1;
                if open == 0 {
                    return at;
                }
            }
        }
        self.0.len()
    }

    /// Calls `visit` for each part of a checked text. If `named` is true, the text must be an object, and `visit` gets
    /// the name and the value of each field. The name includes its quotes. Otherwise the text must be an array, and
    /// `visit` gets an empty name and each element.
    pub(super) fn for_each(self, named: bool, mut visit: impl FnMut(&'a [u8], &'a [u8])) {
        let mut at = self.skip_space(1);
        while self.byte(at).is_some_and(|byte| !matches!(byte, b']' | b'}')) {
            let mut name = at..at;
            if named {
                name.end = self.string_end(at);
                at = self.skip_space(self.skip_space(name.end) + 1);
            }
            let end = self.value_end(at);
            visit(self.part(name), self.part(at..end));
            at = self.skip_space(end);
            if self.byte(at) == Some(b',') {
                at = self.skip_space(at + 1);
            }
        }
    }
}

/// Calls `put` with the characters of a string of a checked text, part by part. `inside` is the text between the quotes
/// of the string.
pub(super) fn unescape(inside: &[u8], mut put: impl FnMut(&[u8])) {
    let (document, mut at) = (Document(inside), 0);
    while let Some(run) = memchr::memchr(b'\\', inside.get(at..).unwrap_or_default()) {
        put(document.part(at..at + run));
        at += run + 2;
        let character = match document.byte(at - 1) {
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let unit = document.unit_at(at).unwrap_or_default();
                at += 4;
                let code = if (0xd800..0xdc00).contains(&unit) {
                    let low = document.unit_at(at + 2).unwrap_or_default();
                    at += 6;
                    0x1_0000 + ((unit & 0x3ff) << 10 | (low & 0x3ff))
                } else {
                    unit
                };
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            other => char::from(other.unwrap_or_default()),
        };
        put(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
    put(inside.get(at..).unwrap_or_default());
}

/// Returns whether the characters of a name are `characters`. `name` includes its quotes.
pub(super) fn name_is(name: &[u8], characters: &[u8]) -> bool {
    let inside = name.get(1..name.len().saturating_sub(1)).unwrap_or_default();
    if !inside.contains(&b'\\') {
        return inside == characters;
    }
    let mut rest = Some(characters);
    unescape(inside, |part| rest = rest.and_then(|rest| rest.strip_prefix(part)));
    rest == Some(&[])
}

/// Calls `put` with the parts of a JSON string whose characters are those of `text`.
pub(super) fn quote(text: &[u8], mut put: impl FnMut(&[u8])) {
    put(b"\"");
    let mut rest = text;
    loop {
        let run = rest.iter().take_while(|byte| **byte >= b' ' && !matches!(byte, b'"' | b'\\')).count();
        let (kept, after) = rest.split_at(run);
        put(kept);
        let Some((byte, after)) = after.split_first() else { break };
        let short = match byte {
            8 => b'b',
            b'\t' => b't',
            b'\n' => b'n',
            12 => b'f',
            b'\r' => b'r',
            b'"' | b'\\' => *byte,
            _ => 0,
        };
        if short == 0 {
            let digit = |value: u8| if value < 10 { b'0' + value } else { b'a' + value - 10 };
            put(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 15)]);
        } else {
            put(&[b'\\', short]);
        }
        rest = after;
    }
    put(b"\"");
}

/// Completes a date, or a date and time, to the format [`MOMENT`], and calls `put` with the parts of the result. The
/// text may lack the time of day, the fraction of the second and the offset. If the text is no date and time, the
/// result is none either.
pub(super) fn complete_moment(text: &[u8], mut put: impl FnMut(&[u8])) {
    const DATE: usize = 10;
    const SECONDS: usize = 19;
    let given = Document(text);
    if text.len() <= DATE {
        put(text);
        return put(b"T00:00:00.000000000Z");
    }
    // The fraction would be put between the bytes of a character.
    if given.byte(SECONDS).is_some_and(|byte| byte & 0xc0 == 0x80) {
        return put(text);
    }
    put(given.part(0..DATE));
    put(&[match given.byte(DATE) {
        Some(b' ' | b't') => b'T',
        other => other.unwrap_or_default(),
    }]);
    put(given.part(DATE + 1..SECONDS.min(text.len())));
    put(b".");
    let mut at = SECONDS;
    let mut digits = 0;
    if given.byte(at) == Some(b'.') && given.is_digit(at + 1) {
        at = given.check_digits(at + 1).unwrap_or(text.len());
        digits = (at - SECONDS - 1).min(9);
        put(given.part(SECONDS + 1..SECONDS + 1 + digits));
    }
    put(&b"000000000"[digits..]);
    match text.get(at..).unwrap_or_default() {
        [] | [b'z'] => put(b"Z"),
        zone => put(zone),
    }
}

/// The format in which [`complete_moment`] writes a date and time.
pub(super) const MOMENT: &str = "%Y-%m-%dT%H:%M:%S.%9f%z";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_checked_strictly() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let good = [
            "1",
            "-0",
            "0.5e-7",
            "1E+9",
            "\"\"",
            "true",
            "null",
            "[]",
            "{}",
            "[1,[2,{}]]",
            "{\"\":1}",
            "{\"a\" : {\"a\":[ null ]}, \"b\":\"\\ud83d\\ude00\\u0041\\/\"}",
        ];
        for text in good.map(str::to_owned).into_iter().chain([nested(128)]) {
            let spaced = format!(" \n{text}\t\r");
            assert_eq!(Document(spaced.as_bytes()).check(), Some(text.as_bytes()), "{text}");
        }
        let bad = [
            "",
            " ",
            "01",
            "+1",
            "1.",
            ".5",
            "1e",
            "-",
            "tru",
            "nulll",
            "[1,]",
            "[,1]",
            "[1 2]",
            "[1}",
            "{\"a\":1]",
            "{\"a\"}",
            "{\"a\":}",
            "{a:1}",
            "{\"a\":1,}",
            "{\"a\" 1}",
            "[",
            "{",
            "]",
            "1 1",
            "\"\\x\"",
            "\"\\u12G4\"",
            "\"a",
            "\"\\",
            "\"\n\"",
            "'a'",
            "\"\\ud800\"",
            "\"\\udc00\"",
            "\"\\ud800\\u0041\"",
            "\"\\ud800x\"",
        ];
        for text in bad.map(str::to_owned).into_iter().chain([nested(129)]) {
            assert_eq!(Document(text.as_bytes()).check(), None, "{text}");
        }
    }

    #[test]
    fn names_are_compared_by_their_characters() {
        assert!(name_is(br#""a\u0062c""#, b"abc"));
        assert!(!name_is(br#""a\u0062c""#, b"abcd"));
        assert!(!name_is(br#""a\u0062cd""#, b"abc"));
        assert!(name_is(br#""""#, b""));
        assert!(name_is(r#""\ud83d\ude00""#.as_bytes(), "😀".as_bytes()));
    }

    #[test]
    fn moments_are_completed() {
        let complete = |text: &str| {
            let mut all = Vec::new();
            complete_moment(text.as_bytes(), |part| all.extend_from_slice(part));
            String::from_utf8(all).unwrap()
        };
        assert_eq!(complete("2024-02-29"), "2024-02-29T00:00:00.000000000Z");
        assert_eq!(complete("2024-02-29 01:02:03"), "2024-02-29T01:02:03.000000000Z");
        assert_eq!(complete("2024-02-29T01:02:03.25z"), "2024-02-29T01:02:03.250000000Z");
        assert_eq!(complete("2024-02-29t01:02:03.1234567891+02:00"), "2024-02-29T01:02:03.123456789+02:00");
        assert_eq!(complete("2024-02-29T"), "2024-02-29T.000000000Z");
        assert_eq!(complete("2024-02-29T01:02:0é"), "2024-02-29T01:02:0é");
    }
}
