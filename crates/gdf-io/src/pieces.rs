//! Splits text files into pieces. A piece consists of complete records, so threads can decode pieces in parallel.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use memchr::{memchr, memchr_iter};
use rayon::prelude::*;

use crate::batches::Decoder;
use crate::error::Format;
use crate::source::Source;
use crate::{Error, Position, Result};

/// The number of bytes of a piece.
const PIECE: usize = 4 << 20;
const SMALL_PIECE: usize = 256 << 10;
/// The maximum number of bytes of a record.
const LONGEST_RECORD: usize = 512 << 20;
/// The byte order mark that some programs write at the start of a UTF-8 text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Consecutive complete records of a text file.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) bytes: Vec<u8>,
    /// The number of the line on which the piece begins.
    pub(crate) first_line: u64,
    /// The position of the first byte of the piece in the text of the file.
    pub(crate) start: u64,
    pub(crate) is_first: bool,
}

impl Piece {
    /// Returns the number of the line that contains byte `at` of the piece.
    pub(crate) fn line(&self, at: usize) -> u64 {
        self.first_line + newlines(&self.bytes[..at])
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}

/// Returns whether there are carriage returns, but no line feeds.
fn has_only_returns(bytes: &[u8]) -> bool {
    memchr(b'\n', bytes).is_none() && memchr(b'\r', bytes).is_some()
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) what: String,
}

/// Finds the ends of the records of a format.
pub(crate) trait Records: Send {
    /// Returns the end of the last complete record of `bytes`.
    ///
    /// # Errors
    /// - No record can begin or end at some byte of `bytes`.
    fn cut(&mut self, bytes: &mut [u8], is_all: bool) -> Result<usize, Fault>;

    /// Returns the probable reason why a record is too long.
    fn unclosed(&self, bytes: &[u8]) -> Fault;
}

/// Splits a file into pieces.
pub(crate) struct Pieces {
    path: PathBuf,
    format: Format,
    source: Source,
    records: Box<dyn Records>,
    rest: Vec<u8>,
    /// The position of the first byte of `rest` in the text.
    at: u64,
    /// A record is wanted if it begins within this range of bytes.
    bytes: Range<u64>,
    /// Whether `rest` may begin in the middle of a record.
    is_cut: bool,
    /// The number of bytes that were skipped without being read.
    unread: u64,
    line: u64,
    piece: usize,
    /// The maximum number of bytes of a record.
    longest: usize,
    /// The number of lines at the start of the file that do not belong to records.
    skipped_lines: usize,
    is_first: bool,
    is_unread: bool,
    at_end: bool,
}

impl Pieces {
    /// Opens a file.
    ///
    /// # Errors
    /// - The errors of [`Source::open`].
    pub(crate) fn open(path: &Path, format: Format, records: Box<dyn Records>) -> Result<Pieces> {
        Ok(Pieces {
            path: path.to_owned(),
            format,
            source: Source::open(path, format)?,
            records,
            rest: Vec::new(),
            at: 0,
            bytes: 0..u64::MAX,
            is_cut: false,
            unread: 0,
            line: 1,
            piece: PIECE,
            longest: LONGEST_RECORD,
            skipped_lines: 0,
            is_first: true,
            is_unread: true,
            at_end: false,
        })
    }

    /// Reads small pieces, for callers that need only the first records.
    pub(crate) fn in_small_pieces(self) -> Pieces {
        Pieces { piece: SMALL_PIECE, ..self }
    }

    #[cfg(feature = "csv")]
    pub(crate) fn without_lines(self, lines: usize) -> Pieces {
        Pieces { skipped_lines: lines, ..self }
    }

    /// Restricts the file to the records that begin within the range `bytes` of its text.
    ///
    /// # Errors
    /// - The errors of [`Source::open_at`].
    pub(crate) fn within(self, bytes: Range<u64>) -> Result<Pieces> {
        // The byte before the range is also read. If it ends a line, a record begins at the start of the range.
        let Some(before) = bytes.start.checked_sub(1) else { return Ok(Pieces { bytes, ..self }) };
        let source = Source::open_at(&self.path, self.format, before)?;
        Ok(Pieces { source, bytes, at: before, unread: before, is_cut: true, is_unread: false, ..self })
    }

    /// Returns the error with a line number that is counted from the start of the whole file.
    pub(crate) fn located(&self, error: Error) -> Error {
        if self.unread == 0 {
            return error;
        }
        let count = || -> Result<u64> {
            let mut source = Source::open(&self.path, self.format)?;
            let (mut lines, mut left, mut bytes) = (0, self.unread, Vec::new());
            while left > 0 {
                bytes.clear();
                let read = source.read(&self.path, self.format, left.min(PIECE as u64), &mut bytes)? as u64;
                lines += newlines(&bytes);
                left = if read == 0 { 0 } else { left - read };
            }
            Ok(lines)
        };
        error.with_lines_before(count().unwrap_or(0))
    }

    pub(crate) fn is_repeatable(&self) -> bool {
        self.source.is_repeatable
    }

    /// Returns the next piece, or `None` at the end of the file.
    ///
    /// # Errors
    /// - [`Error::Read`].
    /// - [`Error::Malformed`]: the compressed data are damaged, or a record is not closed.
    pub(crate) fn next(&mut self) -> Result<Option<Piece>> {
        let mut wanted = self.piece;
        let mut has_returns = false;
        while self.is_cut {
            self.fill(wanted)?;
            let line = memchr(b'\n', &self.rest);
            has_returns |= has_only_returns(&self.rest);
            self.is_cut = line.is_none() && !self.at_end;
            if line.is_none() && self.at_end && has_returns {
                return Err(self.no_lines());
            }
            self.pass(line.map_or(self.rest.len(), |at| at + 1));
        }
        while self.skipped_lines > 0 && !(self.at_end && self.rest.is_empty()) {
            self.fill(wanted)?;
            let line = memchr_iter(b'\n', &self.rest).nth(self.skipped_lines - 1);
            has_returns |= has_only_returns(&self.rest);
            let passed = line.map_or(self.rest.len(), |at| at + 1);
            self.skipped_lines -= self.pass(passed) as usize;
            // The file has no line feed.
            if self.at_end && self.line == 1 && has_returns {
                return Err(self.no_lines());
            }
        }
        if self.at >= self.bytes.end {
            return Ok(None);
        }
        loop {
            self.fill(wanted)?;
            // A byte order mark may be all that is wanted.
            if self.at >= self.bytes.end {
                return Ok(None);
            }
            let end = self.records.cut(&mut self.rest, self.at_end);
            let end = end.map_err(|fault| self.failure(&fault))?;
            if end == 0 && self.at_end {
                return Ok(None);
            }
            if end > 0 {
                let end = self.last_wanted(end)?;
                let rest = self.rest.split_off(end);
                let bytes = std::mem::replace(&mut self.rest, rest);
                let piece = Piece { first_line: self.line, start: self.at, is_first: self.is_first, bytes };
                self.line += newlines(&piece.bytes);
                self.at += end as u64;
                self.is_first = false;
                return Ok(Some(piece));
            }
            if wanted >= self.longest {
                let Fault { at, what } = self.records.unclosed(&self.rest);
                let what = format!("a record has more than {} bytes; {what}", self.longest);
                return Err(self.failure(&Fault { at, what }));
            }
            // The text of a compressed file may be much longer than the file.
            wanted = wanted.saturating_mul(4).min(self.longest);
        }
    }

    /// Skips the given number of bytes, and returns the number of line ends among them.
    fn pass(&mut self, bytes: usize) -> u64 {
        let lines = newlines(&self.rest[..bytes]);
        self.rest.drain(..bytes);
        self.line += lines;
        self.at += bytes as u64;
        lines
    }

    /// Returns the end of the last wanted record.
    fn last_wanted(&mut self, end: usize) -> Result<usize> {
        let wanted = usize::try_from(self.bytes.end - self.at).unwrap_or(usize::MAX);
        if wanted >= end {
            return Ok(end);
        }
        if has_only_returns(&self.rest[..end]) {
            return Err(self.no_lines());
        }
        let ends: Vec<usize> = memchr_iter(b'\n', &self.rest[wanted - 1..end]).map(|line| wanted + line).collect();
        for line in ends {
            let whole = self.records.cut(&mut self.rest[..line], false).map_err(|fault| self.failure(&fault))?;
            if whole == line {
                return Ok(line);
            }
        }
        Ok(end)
    }

    fn fill(&mut self, wanted: usize) -> Result<()> {
        if self.at_end || self.rest.len() >= wanted {
            return Ok(());
        }
        let missing = (wanted - self.rest.len()) as u64;
        let read = self.source.read(&self.path, self.format, missing, &mut self.rest)?;
        self.at_end = (read as u64) < missing;
        if std::mem::take(&mut self.is_unread) && self.rest.starts_with(BYTE_ORDER_MARK) {
            self.rest.drain(..BYTE_ORDER_MARK.len());
            self.at += BYTE_ORDER_MARK.len() as u64;
        }
        Ok(())
    }

    /// Returns the error for lines that end with a carriage return only.
    fn no_lines(&self) -> Error {
        let what = "a range of bytes or lines to skip, with lines that end with a carriage return only; convert the \
                    file: tr '\\r' '\\n'";
        Error::Unimplemented { path: self.path.clone(), format: self.format, position: None, what: what.to_owned() }
    }

    fn failure(&self, fault: &Fault) -> Error {
        Error::Malformed {
            path: self.path.clone(),
            format: self.format,
            position: Some(Position::Line(self.line + newlines(&self.rest[..fault.at]))),
            what: fault.what.clone(),
        }
    }
}

/// The pieces that were already read from a file, and a reader of the remaining pieces.
pub(crate) struct Begun {
    pub(crate) read: VecDeque<Piece>,
    pub(crate) pieces: Pieces,
}

impl Begun {
    /// If the file cannot be read again, returns the pieces that inference has read.
    pub(crate) fn kept(self) -> Option<Begun> {
        (!self.pieces.is_repeatable()).then_some(self)
    }

    /// Returns the next piece, and keeps it in `read`.
    ///
    /// # Errors
    /// - The errors of [`Pieces::next`].
    pub(crate) fn read_on(&mut self) -> Result<Option<&Piece>> {
        if self.pieces.is_repeatable() {
            self.read.clear();
        }
        let Some(piece) = self.pieces.next()? else { return Ok(None) };
        self.read.push_back(piece);
        Ok(self.read.back())
    }
}

impl From<Pieces> for Begun {
    fn from(pieces: Pieces) -> Begun {
        Begun { read: VecDeque::new(), pieces }
    }
}

/// Decodes pieces in parallel.
pub(crate) struct PieceDecoder<D> {
    pub(crate) begun: Begun,
    pub(crate) decode: D,
}

impl<D: Fn(&Path, &Piece) -> Result<Vec<RecordBatch>> + Send + Sync> Decoder for PieceDecoder<D> {
    fn next(&mut self) -> Result<Option<Vec<RecordBatch>>> {
        self.next_batches().map_err(|error| self.begun.pieces.located(error))
    }
}

impl<D: Fn(&Path, &Piece) -> Result<Vec<RecordBatch>> + Send + Sync> PieceDecoder<D> {
    fn next_batches(&mut self) -> Result<Option<Vec<RecordBatch>>> {
        let Begun { read, pieces: file } = &mut self.begun;
        let mut pieces = Vec::new();
        while pieces.len() < gdf_core::thread_count() {
            match read.pop_front().map_or_else(|| file.next(), |piece| Ok(Some(piece)))? {
                Some(piece) => pieces.push(piece),
                None => break,
            }
        }
        if pieces.is_empty() {
            return Ok(None);
        }
        let path = &file.path;
        let batches = pieces.par_iter().map(|piece| (self.decode)(path, piece)).collect::<Result<Vec<_>>>()?;
        Ok(Some(batches.into_iter().flatten().collect()))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Splits a file into pieces.
    pub(crate) fn pieces(text: &str, piece: usize, records: Box<dyn Records>) -> Result<Vec<(u64, String)>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        std::fs::write(&path, text).unwrap();
        let mut pieces = Pieces { piece, ..Pieces::open(&path, Format::Csv, records)? };
        let mut all = Vec::new();
        while let Some(piece) = pieces.next()? {
            assert_eq!(piece.is_first, all.is_empty());
            all.push((piece.first_line, String::from_utf8(piece.bytes).unwrap()));
        }
        Ok(all)
    }

    /// Records that do not end.
    struct Endless;

    impl Records for Endless {
        fn cut(&mut self, _: &mut [u8], _: bool) -> Result<usize, Fault> {
            Ok(0)
        }

        fn unclosed(&self, _: &[u8]) -> Fault {
            Fault { at: 0, what: "it has no end".to_owned() }
        }
    }

    #[test]
    fn no_more_is_read_than_the_longest_record() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        std::fs::write(&path, "x".repeat(10_000)).unwrap();
        let opened = Pieces::open(&path, Format::Csv, Box::new(Endless)).unwrap();
        let mut pieces = Pieces { piece: 2_000, longest: 5_000, ..opened };
        let error = pieces.next().unwrap_err();
        assert!(matches!(error, Error::Malformed { .. }), "{error}");
        assert!(error.to_string().contains("a record has more than 5000 bytes; it has no end"), "{error}");
        assert_eq!(pieces.rest.len(), 5_000);
    }
}
