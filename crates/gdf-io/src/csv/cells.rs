//! Reads the cells of single records.

use csv_core::{ReadRecordResult, Reader};

use super::Dialect;

pub(super) struct Cells<'a> {
    core: Reader,
    rest: &'a [u8],
    is_ended: bool,
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl<'a> Cells<'a> {
    /// Makes a reader of `bytes`, which consist of whole records.
    pub(super) fn new(dialect: Dialect, bytes: &'a [u8]) -> Cells<'a> {
        let mut core = dialect.core();
        // A line break comes first, so that csv-core does not skip a byte order mark. In the middle of a file, these
        // bytes are data.
        core.read_record(b"\n", &mut [0], &mut [0]);
        Cells { core, rest: bytes, is_ended: false, text: vec![0; 1 << 10], ends: vec![0; 1 << 5] }
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn next(&mut self) -> Option<Vec<String>> {
        let (mut written, mut cells) = (0, 0);
        loop {
            let (text, ends) = (&mut self.text[written..], &mut self.ends[cells..]);
            // A comment gets an end of line. Otherwise, csv-core would read it as a record.
            if self.rest.is_empty() && !self.is_ended {
                (self.rest, self.is_ended) = (b"\n", true);
            }
            let (result, read, wrote, ended) = self.core.read_record(self.rest, text, ends);
            self.rest = &self.rest[read..];
            written += wrote;
            cells += ended;
            match result {
                // The next call passes empty input to the parser.
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.text.resize(2 * self.text.len(), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::Record => {
                    let starts = std::iter::once(0).chain(self.ends.iter().copied());
                    let cell = |(start, end): (usize, &usize)| String::from_utf8_lossy(&self.text[start..*end]).into();
                    return Some(starts.zip(&self.ends[..cells]).map(cell).collect());
                }
                ReadRecordResult::End => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_any_size_are_read() {
        let dialect = Dialect { delimiter: b';', quote: Some(b'\''), escape: None, comment: Some(b'#') };
        let (long, wide) = ("é".repeat(5000), vec!["x"; 1000].join(";"));
        let text = format!("#\n\n'a;''';b\n{long};\n{wide}\n\u{feff}last\n#");
        let mut cells = Cells::new(dialect, text.as_bytes());
        assert_eq!(cells.next().unwrap(), ["a;'", "b"]);
        assert_eq!(cells.next().unwrap(), [&*long, ""]);
        assert_eq!(cells.next().unwrap(), vec!["x"; 1000]);
        assert_eq!(cells.next().unwrap(), ["\u{feff}last"]);
        assert_eq!((cells.next(), cells.next()), (None, None));
    }
}
