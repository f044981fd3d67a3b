//! Finds the ends of CSV records by the rules of csv-core. A quote has a meaning only at the start of a cell, and has
//! no meaning within a comment.

use memchr::{memchr, memchr2, memchr3, memrchr};

use super::Dialect;
use crate::pieces::{Fault, Records};

/// The kinds of text that can begin at a position between records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A record, an empty line or a comment, and the position of its end.
    Ends(usize),
    /// A record with a quote that is not closed, and the position of the quote.
    Quoted(usize),
    /// A record or a comment without an end of line.
    Open,
}

impl Dialect {
    /// Finds the end of the record, empty line or comment that begins at `start`.
    pub(super) fn next(&self, bytes: &[u8], start: usize) -> Next {
        if Some(bytes[start]) == self.comment {
            return memchr(b'\n', &bytes[start..]).map_or(Next::Open, |length| Next::Ends(start + length + 1));
        }
        let mut at = start;
        loop {
            let found = match self.quote {
                Some(quote) => memchr3(quote, b'\n', b'\r', &bytes[at..]),
                None => memchr2(b'\n', b'\r', &bytes[at..]),
            };
            let Some(found) = found.map(|length| at + length) else { return Next::Open };
            at = found + 1;
            match bytes[found] {
                b'\n' => return Next::Ends(at),
                b'\r' => return Next::Ends(at + usize::from(bytes.get(at) == Some(&b'\n'))),
                _ if found == start || bytes[found - 1] == self.delimiter => match self.closing(bytes, at) {
                    Some(closing) => at = closing + 1,
                    None => return Next::Quoted(found),
                },
                _ => {}
            }
        }
    }

    /// Returns whether a line that begins with this byte is a record.
    pub(super) fn is_record(&self, first: u8) -> bool {
        !matches!(first, b'\n' | b'\r') && Some(first) != self.comment
    }

    /// Returns the position of the quote that closes a cell.
    fn closing(&self, bytes: &[u8], mut at: usize) -> Option<usize> {
        let quote = self.quote?;
        loop {
            let rest = bytes.get(at..)?;
            let found = match self.escape {
                Some(escape) => memchr2(quote, escape, rest)?,
                None => memchr(quote, rest)?,
            };
            at += found;
            if bytes[at] == quote && bytes.get(at + 1) != Some(&quote) {
                return Some(at);
            }
            at += 2;
        }
    }

    /// Returns the end of the last complete record, and what begins there, if there are more bytes.
    fn walk(&self, bytes: &[u8]) -> (usize, Option<Next>) {
        let mut end = 0;
        while end < bytes.len() {
            match self.next(bytes, end) {
                Next::Ends(next) => end = next,
                other => return (end, Some(other)),
            }
        }
        (end, None)
    }

    pub(super) fn starts(&self, bytes: &[u8]) -> impl Iterator<Item = usize> {
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < bytes.len() {
                let start = at;
                at = match self.next(bytes, start) {
                    Next::Ends(end) => end,
                    Next::Quoted(_) | Next::Open => bytes.len(),
                };
                if self.is_record(bytes[start]) {
                    return Some(start);
                }
            }
            None
        })
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct CsvRecords(pub(super) Dialect);

impl Records for CsvRecords {
    fn cut(&mut self, bytes: &mut [u8], is_all: bool) -> Result<usize, Fault> {
        let has_quotes = self.0.quote.is_some_and(|quote| memchr(quote, bytes).is_some());
        if !has_quotes && is_all {
            return Ok(bytes.len());
        }
        if !has_quotes && let Some(last) = memrchr(b'\n', bytes) {
            return Ok(last + 1);
        }
        match self.0.walk(bytes) {
            (_, Some(Next::Quoted(at))) if is_all => {
                Err(Fault { at, what: "the closing quote of the cell that begins here is missing".to_owned() })
            }
            _ if is_all => Ok(bytes.len()),
            (end, _) => Ok(end),
        }
    }

    fn unclosed(&self, bytes: &[u8]) -> Fault {
        match self.0.walk(bytes) {
            (_, Some(Next::Quoted(at))) => {
                Fault { at, what: "the closing quote of the cell that begins here may be missing".to_owned() }
            }
            (end, _) => Fault { at: end, what: "the file is probably not CSV".to_owned() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pieces::tests::pieces;

    fn dialect(escape: Option<u8>, comment: Option<u8>) -> Dialect {
        Dialect { delimiter: b',', quote: Some(b'"'), escape, comment }
    }

    /// Parses the bytes with csv-core.
    fn of_csv_core(dialect: Dialect, bytes: &[u8]) -> (Vec<usize>, Vec<Vec<Vec<u8>>>) {
        let mut core = dialect.core();
        // For csv-core, a comment without an end of line is a record.
        let bytes = &[bytes, b"\n"].concat()[..];
        let (mut text, mut ends, mut at) = ([0; 64], [0; 32], 0);
        let (mut after, mut all, mut of_one, mut lengths) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        loop {
            let (result, read, written, cells) = core.read_record(&bytes[at..], &mut text, &mut ends);
            at += read;
            of_one.extend_from_slice(&text[..written]);
            lengths.extend_from_slice(&ends[..cells]);
            match result {
                csv_core::ReadRecordResult::Record => {
                    let starts = std::iter::once(0).chain(lengths.iter().copied());
                    all.push(starts.zip(&lengths).map(|(start, end)| of_one[start..*end].to_vec()).collect());
                    after.push(at);
                    (of_one, lengths) = (Vec::new(), Vec::new());
                }
                csv_core::ReadRecordResult::InputEmpty => {}
                csv_core::ReadRecordResult::End => return (after, all),
                other => panic!("{other:?}"),
            }
        }
    }

    fn texts(letters: &[u8], longest: usize) -> Vec<Vec<u8>> {
        let mut all = vec![Vec::new()];
        let mut from = 0;
        for _ in 0..longest {
            let until = all.len();
            for text in from..until {
                for letter in letters {
                    all.push([&all[text][..], &[*letter]].concat());
                }
            }
            from = until;
        }
        all
    }

    #[test]
    fn records_are_those_of_csv_core() {
        for (dialect, letters, longest) in [
            (dialect(None, Some(b'#')), &b"a,\"\n#"[..], 5),
            (dialect(None, None), b"a,\"\n\r", 5),
            (dialect(Some(b'\\'), None), b"a,\"\n\\", 5),
        ] {
            for text in texts(letters, longest) {
                let (_, records) = of_csv_core(dialect, &text);
                let starts: Vec<usize> = dialect.starts(&text).collect();
                assert_eq!(starts.len(), records.len(), "{:?}", String::from_utf8_lossy(&text));
                for (start, record) in starts.iter().zip(&records) {
                    let alone = of_csv_core(dialect, &text[*start..]).1;
                    assert_eq!(&alone[0], record, "{:?} from {start}", String::from_utf8_lossy(&text));
                }
                // `cut` splits the text.
                let mut cut = text.clone();
                let end = CsvRecords(dialect).cut(&mut cut, false).unwrap();
                let both = [of_csv_core(dialect, &text[..end]).1, of_csv_core(dialect, &text[end..]).1].concat();
                assert_eq!(both, records, "{:?} cut at {end}", String::from_utf8_lossy(&text));
            }
        }
    }

    #[test]
    fn pieces_are_whole_records() {
        for text in ["", "a\n", "a", "a\nbb\nccc\n", "a\n\n\nb", "aaaaaaaaaaaaaaaa\nb\n", "\"a\nb\"\nc\n\"\"\"\n\"\nd"]
        {
            for piece in 1..12 {
                let found = pieces(text, piece, Box::new(CsvRecords(dialect(None, None)))).unwrap();
                assert_eq!(found.iter().map(|(_, text)| text.as_str()).collect::<String>(), text);
                let mut line = 1;
                for (first_line, piece) in &found {
                    assert_eq!(*first_line, line, "{text:?}");
                    line += piece.matches('\n').count() as u64;
                    assert_eq!(piece.matches('"').count() % 2, 0, "{text:?}");
                }
            }
        }
    }

    #[test]
    fn an_open_quote_is_found_at_the_end() {
        let records = || Box::new(CsvRecords(dialect(None, Some(b'#'))));
        for (line, text) in [(2, "a\n\"b\nc\n"), (2, "\"a\"\n\"b\n\"\""), (2, "#\"\n\""), (1, "a,\"\"\"\n")] {
            let error = pieces(text, 3, records()).unwrap_err().to_string();
            assert!(error.contains(&format!("line {line}:")) && error.contains("closing quote"), "{text:?}: {error}");
        }
        for text in ["a\"\nb", "#\"\na", "\"\"", "\"a\"\"\"\n", "\"a\"b\"\n"] {
            assert!(pieces(text, 3, records()).is_ok(), "{text:?}");
        }
    }
}
