//! Text files in pieces of whole records, which threads decode side by side.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use memchr::{memchr, memchr_iter, memchr2_iter, memrchr};
use rayon::prelude::*;

use crate::batches::Decoder;
use crate::error::Format;
use crate::{Error, Position, Result};

/// Bytes of a piece.
const PIECE: usize = 4 << 20;
/// A record of more bytes is taken for a quote that is not closed.
const LONGEST_RECORD: usize = 512 << 20;

/// Some records.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) bytes: Vec<u8>,
    /// The line of the file that it begins with, from 1.
    pub(crate) first_line: u64,
    /// Whether it is the first of the file.
    pub(crate) is_first: bool,
}

/// Cuts a file into pieces that end where records do.
#[derive(Debug)]
pub(crate) struct Pieces {
    path: PathBuf,
    format: Format,
    file: File,
    /// Between two of these, ends of lines do not end records.
    quote: Option<u8>,
    rest: Vec<u8>,
    line: u64,
    piece: usize,
    is_first: bool,
    at_end: bool,
}

impl Pieces {
    /// # Errors
    /// - [`Error::NotFound`], [`Error::Read`].
    pub(crate) fn open(path: &Path, format: Format, quote: Option<u8>) -> Result<Pieces> {
        Ok(Pieces {
            path: path.to_owned(),
            format,
            file: open(path)?,
            quote,
            rest: Vec::new(),
            line: 1,
            piece: PIECE,
            is_first: true,
            at_end: false,
        })
    }

    /// The whole file as one piece, where records cannot be told without decoding them.
    #[cfg(feature = "csv")]
    pub(crate) fn whole(self) -> Pieces {
        Pieces { piece: usize::MAX, ..self }
    }

    fn next(&mut self) -> Result<Option<Piece>> {
        let mut wanted = self.piece;
        loop {
            self.fill(wanted)?;
            let end = if self.at_end { self.rest.len() } else { self.last_end() };
            if end == 0 && self.at_end {
                return Ok(None);
            }
            if end > 0 {
                let rest = self.rest.split_off(end);
                let bytes = std::mem::replace(&mut self.rest, rest);
                let piece = Piece { first_line: self.line, is_first: self.is_first, bytes };
                self.line += memchr_iter(b'\n', &piece.bytes).count() as u64;
                self.is_first = false;
                return Ok(Some(piece));
            }
            if wanted >= LONGEST_RECORD {
                return Err(Error::Malformed {
                    path: self.path.clone(),
                    format: self.format,
                    position: Some(Position::Line(self.line)),
                    what: format!("a record of more than {LONGEST_RECORD} bytes; is a quote not closed?"),
                });
            }
            wanted *= 4;
        }
    }

    fn fill(&mut self, wanted: usize) -> Result<()> {
        if self.at_end || self.rest.len() >= wanted {
            return Ok(());
        }
        let missing = (wanted - self.rest.len()) as u64;
        let read = (&mut self.file).take(missing).read_to_end(&mut self.rest);
        let read = read.map_err(|error| Error::reading(&self.path, error))?;
        self.at_end = (read as u64) < missing;
        Ok(())
    }

    /// Where the last whole record of what has been read ends; 0 if there is none.
    fn last_end(&self) -> usize {
        let bytes = &self.rest[..];
        match self.quote.filter(|quote| memchr(*quote, bytes).is_some()) {
            None => memrchr(b'\n', bytes).map_or(0, |at| at + 1),
            Some(quote) => {
                let (mut end, mut is_quoted) = (0, false);
                for at in memchr2_iter(quote, b'\n', bytes) {
                    if bytes[at] == quote {
                        is_quoted = !is_quoted;
                    } else if !is_quoted {
                        end = at + 1;
                    }
                }
                end
            }
        }
    }
}

/// Opens a file that is no folder.
pub(crate) fn open(path: &Path) -> Result<File> {
    let open = || {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(file) }
    };
    open().map_err(|error| Error::reading(path, error))
}

/// Decodes as many pieces at a time as there are threads.
pub(crate) struct PieceDecoder<D> {
    pub(crate) pieces: Pieces,
    pub(crate) decode: D,
}

impl<D: Fn(&Path, &Piece) -> Result<Vec<RecordBatch>> + Send + Sync> Decoder for PieceDecoder<D> {
    fn next(&mut self) -> Result<Option<Vec<RecordBatch>>> {
        let mut pieces = Vec::new();
        while pieces.len() < rayon::current_num_threads() {
            match self.pieces.next()? {
                Some(piece) => pieces.push(piece),
                None => break,
            }
        }
        if pieces.is_empty() {
            return Ok(None);
        }
        let path = &self.pieces.path;
        let batches = pieces.par_iter().map(|piece| (self.decode)(path, piece)).collect::<Result<Vec<_>>>()?;
        Ok(Some(batches.into_iter().flatten().collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str, piece: usize, quote: Option<u8>) -> Vec<(u64, String)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        std::fs::write(&path, text).unwrap();
        let mut pieces = Pieces { piece, ..Pieces::open(&path, Format::Csv, quote).unwrap() };
        let mut all = Vec::new();
        while let Some(piece) = pieces.next().unwrap() {
            assert_eq!(piece.is_first, all.is_empty());
            all.push((piece.first_line, String::from_utf8(piece.bytes).unwrap()));
        }
        all
    }

    #[test]
    fn pieces_are_whole_records() {
        for text in ["", "a\n", "a", "a\nbb\nccc\n", "a\n\n\nb", "aaaaaaaaaaaaaaaa\nb\n", "\"a\nb\"\nc\n\"\"\"\n\"\nd"]
        {
            for piece in 1..12 {
                let found = pieces(text, piece, Some(b'"'));
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
    fn quotes_count_only_where_there_are_such() {
        assert_eq!(pieces("\"a\nb\n", 3, None).len(), 2);
        assert_eq!(pieces("\"a\nb\n", 3, Some(b'"')).len(), 1);
    }
}
