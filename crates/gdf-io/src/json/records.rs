//! Finds the ends of the objects of a JSON file. The file has one object per line, objects over several lines, or one
//! array of objects.

use memchr::{memchr, memchr2, memrchr};

use crate::pieces::{Fault, Records};

/// If the first object of a file does not end within this number of bytes, the file is read as one object per line.
const FIRST: usize = 4 << 20;

/// A position between objects, by the syntax that can follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Anything.
    Start,
    /// A line that contains one object.
    Line,
    /// An object.
    Object,
    /// The first element of an array, or the end of the array.
    First,
    /// An element of an array.
    Element,
    /// A comma, or the end of the array.
    Comma,
    /// Nothing but white space.
    Nothing,
}

/// Finds the objects of a file.
#[derive(Debug)]
pub(super) struct JsonRecords(Place);

impl JsonRecords {
    pub(super) fn new() -> JsonRecords {
        JsonRecords(Place::Start)
    }

    pub(super) fn lines() -> JsonRecords {
        JsonRecords(Place::Line)
    }

    /// Detects the layout of a file from its first bytes.
    fn layout(bytes: &[u8], is_all: bool) -> Option<Place> {
        let first = bytes.iter().position(|byte| !byte.is_ascii_whitespace())?;
        if bytes[first] == b'[' {
            return Some(Place::First);
        }
        let line = memchr(b'\n', &bytes[first..]).map_or(bytes.len(), |length| first + length);
        match object_end(bytes, first) {
            Some(end) => Some(if end > line { Place::Object } else { Place::Line }),
            None => (is_all || bytes.len() >= FIRST).then_some(Place::Line),
        }
    }

    /// Returns the end of the last complete object in `bytes`, and what can follow there.
    fn walk(&self, bytes: &[u8], is_all: bool, separators: &mut Vec<usize>) -> Result<(usize, Place), Fault> {
        let (mut at, mut place, mut end) = (0, self.0, (0, self.0));
        let fault = |at, what: &str| Err(Fault { at, what: what.to_owned() });
        while let Some(length) = bytes[at..].iter().position(|byte| !byte.is_ascii_whitespace()) {
            at += length;
            place = match (place, bytes[at]) {
                (Place::First | Place::Element | Place::Object, b'{') => {
                    // The object does not end within `bytes`.
                    let Some(after) = object_end(bytes, at) else {
                        return Ok(if is_all { (bytes.len(), Place::Nothing) } else { end });
                    };
                    at = after;
                    end = (at, if place == Place::Object { Place::Object } else { Place::Comma });
                    place = end.1;
                    continue;
                }
                (Place::First | Place::Comma, b']') => Place::Nothing,
                (Place::Comma, b',') => Place::Element,
                (Place::First | Place::Element, _) => return fault(at, "an element of the array is not an object"),
                (Place::Comma, _) => return fault(at, "expected a comma or the end of the array after an object"),
                (Place::Nothing, _) => return fault(at, "expected the end of the file after the array"),
                _ => return fault(at, "expected an object"),
            };
            separators.push(at);
            at += 1;
        }
        match place {
            Place::First | Place::Element | Place::Comma if is_all => {
                fault(at, "the closing bracket of the array is missing")
            }
            place if is_all => Ok((bytes.len(), place)),
            _ => Ok(end),
        }
    }
}

impl Records for JsonRecords {
    fn cut(&mut self, bytes: &mut [u8], is_all: bool) -> Result<usize, Fault> {
        if self.0 == Place::Start {
            match Self::layout(bytes, is_all) {
                Some(Place::First) => {
                    // The decoder must not see the bracket.
                    let bracket = bytes.iter().position(|byte| *byte == b'[').unwrap_or(0);
                    bytes[bracket] = b' ';
                    self.0 = Place::First;
                }
                Some(layout) => self.0 = layout,
                None => return Ok(if is_all { bytes.len() } else { 0 }),
            }
        }
        if self.0 == Place::Line {
            return Ok(if is_all { bytes.len() } else { memrchr(b'\n', bytes).map_or(0, |at| at + 1) });
        }
        let mut separators = Vec::new();
        let (end, place) = self.walk(bytes, is_all, &mut separators)?;
        separators.iter().filter(|at| **at < end).for_each(|at| bytes[*at] = b' ');
        self.0 = place;
        Ok(end)
    }

    fn unclosed(&self, _: &[u8]) -> Fault {
        Fault { at: 0, what: "the closing brace of this object may be missing".to_owned() }
    }
}

/// Returns the end of the object that begins at `at`.
fn object_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => at = text_end(bytes, at)?,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the end of a string, after the closing quote.
fn text_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pieces::tests::pieces;

    fn of(text: &str, piece: usize) -> crate::Result<Vec<serde_json::Value>> {
        let mut values = Vec::new();
        let mut line = 1;
        for (first_line, piece) in pieces(text, piece, Box::new(JsonRecords::new()))? {
            assert_eq!(first_line, line, "{text}");
            line += piece.matches('\n').count() as u64;
            let objects = serde_json::Deserializer::from_str(&piece).into_iter::<serde_json::Value>();
            values.extend(objects.map(|object| object.unwrap_or_else(|error| panic!("{piece:?}: {error}"))));
        }
        Ok(values)
    }

    #[test]
    fn objects_of_any_layout_are_found() {
        let expected: Vec<serde_json::Value> =
            serde_json::from_str(r#"[{"a": [1, {"b": "]},{"}]}, {}, {"c": "\\\"}\n,["}]"#).unwrap();
        let objects: Vec<String> = expected.iter().map(ToString::to_string).collect();
        let spread: Vec<String> = expected.iter().map(|object| serde_json::to_string_pretty(object).unwrap()).collect();
        for text in [
            objects.join("\n"),
            format!("\n\n{}\r\n\n", objects.join("\r\n")),
            spread.join("\n"),
            format!("\n{}\n\n", spread.join("")),
            format!("[{}]", objects.join(",")),
            format!(" \n[ {} ] \n", objects.join(" ,\n")),
            serde_json::to_string_pretty(&expected).unwrap(),
        ] {
            for piece in 1..40 {
                assert_eq!(of(&text, piece).unwrap(), expected, "{text} in pieces of {piece}");
            }
        }
        for text in ["", " \n", "[]", "[ \n]\n"] {
            assert!(of(text, 1).unwrap().is_empty(), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_array_of_objects_is_refused() {
        for (text, line, part) in [
            ("[", 1, "closing bracket"),
            ("[{},\n", 1, "closing bracket"),
            ("[{}\n", 1, "closing bracket"),
            ("[{},\n1]", 2, "not an object"),
            ("[[1]]", 1, "not an object"),
            ("[,{}]", 1, "not an object"),
            ("[{},]", 1, "not an object"),
            ("[{}\n{}]", 2, "a comma or the end of the array"),
            ("[{}]\n{}", 2, "end of the file after the array"),
            ("{\n}\n[]", 3, "expected an object"),
        ] {
            for piece in [1, 5, 100] {
                let error = of(text, piece).unwrap_err().to_string();
                assert!(error.contains(&format!("line {line}:")) && error.contains(part), "{text:?}: {error}");
            }
        }
    }
}
