//! Decodes pieces of CSV into record batches with arrow-csv.

use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_csv::ReaderBuilder;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use memchr::memchr2_iter;

use super::cells::Cells;
use super::values::no_value;
use super::{CsvReader, Dialect, FirstFile};
use crate::batches::Decoder;
use crate::contain::contained;
use crate::error::Format;
use crate::names::{matching, without};
use crate::options::Columns;
use crate::pieces::{Begun, Piece, PieceDecoder};
use crate::text_input::{check_utf8, excerpt};
use crate::{Error, Position, Result};

/// The maximum number of rows of a decoded record batch.
const ROWS: usize = 1 << 16;
/// The quote character for files that have no quotes. arrow-csv always needs one.
const NO_QUOTE: u8 = 0xff;

struct FileDecoder {
    reader: CsvReader,
    file: SchemaRef,
    /// The schema that is passed to arrow-csv.
    of_arrow: SchemaRef,
    /// For each wanted column, its index in the file.
    places: Vec<usize>,
    wanted: SchemaRef,
    nulls: Option<regex::Regex>,
}

impl CsvReader {
    /// Makes a decoder of the given columns of a file.
    pub(super) fn decoder(
        &self,
        path: &Path,
        first: &FirstFile,
        schema: &SchemaRef,
        columns: &[usize],
        mut begun: Begun,
    ) -> Result<Box<dyn Decoder>> {
        if begun.read.is_empty() {
            begun.read.extend(begun.pieces.next()?);
        }
        let header =
            begun.read.front().filter(|_| self.has_header).map(|piece| self.header(path, piece)).transpose()?;
        let (file, places) = match header.flatten() {
            Some(header) => self.columns_of((path, first), schema, columns, &header)?,
            None => (schema.clone(), columns.to_vec()),
        };
        let decoder = FileDecoder {
            of_arrow: CsvReader::retyped(&file, |data_type| self.is_own(data_type)),
            wanted: Arc::new(file.project(&places).map_err(gdf_core::Error::from)?),
            file,
            places,
            nulls: self.null_expression(),
            reader: self.clone(),
        };
        let decode = move |path: &Path, piece: &Piece| decoder.decode(path, piece);
        Ok(Box::new(PieceDecoder { begun, decode }))
    }

    pub(super) fn header(&self, path: &Path, piece: &Piece) -> Result<Option<(Vec<String>, u64)>> {
        check_utf8(path, Format::Csv, piece)?;
        let start = self.dialect.starts(&piece.bytes).next();
        Ok(Cells::new(self.dialect, &piece.bytes).next().zip(start.map(|start| piece.line(start))))
    }

    /// Returns the position of the first byte after the header.
    pub(super) fn header_end(&self, piece: &Piece) -> usize {
        let mut cells = Cells::new(self.dialect, &piece.bytes);
        if piece.is_first && self.has_header {
            cells.next();
        }
        piece.bytes.len() - cells.rest().len()
    }

    /// Returns the schema of a file with a header, and for each wanted column its index in the file.
    ///
    /// # Errors
    /// - [`Error::OtherColumns`]: all columns are read, and the file has other columns than the first file.
    /// - [`Error::NoColumn`], [`Error::AmbiguousColumn`]: some columns are read, and the file has one of these columns
    ///   not at all or several times.
    fn columns_of(
        &self,
        (path, first): (&Path, &FirstFile),
        schema: &SchemaRef,
        columns: &[usize],
        (names, line): &(Vec<String>, u64),
    ) -> Result<(SchemaRef, Vec<usize>)> {
        let known = match &first.header {
            Some(known) if known != names && known.len() == schema.fields().len() => known,
            _ => {
                if names.len() != schema.fields().len() {
                    let what = format!("the header must have {} columns, found {}", schema.fields().len(), names.len());
                    let position = Some(Position::Line(*line));
                    return Err(Error::Malformed { path: path.to_owned(), format: Format::Csv, position, what });
                }
                return Ok((schema.clone(), columns.to_vec()));
            }
        };
        let (missing, additional) = (without(known, names), without(names, known));
        if self.options.columns == Columns::All && !(missing.is_empty() && additional.is_empty()) {
            let first = first.path.clone();
            return Err(Error::OtherColumns { path: path.to_owned(), first, missing, additional });
        }
        let mut fields: Vec<Field> = names.iter().map(|name| Field::new(name, DataType::Utf8, true)).collect();
        let mut places = Vec::with_capacity(columns.len());
        for column in columns {
            let place = matching(known, *column, names, path)?;
            fields[place] = schema.field(*column).clone();
            places.push(place);
        }
        Ok((Arc::new(Schema::new(fields)), places))
    }

    fn null_expression(&self) -> Option<regex::Regex> {
        if self.nulls.is_empty() {
            return None;
        }
        let texts: Vec<String> = self.nulls.iter().map(|text| regex::escape(text)).collect();
        regex::Regex::new(&format!("^(?:|{})$", texts.join("|"))).ok()
    }
}

impl FileDecoder {
    fn decode(&self, path: &Path, piece: &Piece) -> Result<Vec<RecordBatch>> {
        check_utf8(path, Format::Csv, piece)?;
        let mut batches = Vec::new();
        let bytes = self.records(piece);
        let decoded = self.batches(bytes, batch_rows(bytes, self.file.fields().len()), |batch| batches.push(batch));
        match decoded {
            Ok(()) => Ok(batches),
            Err(error) => Err(self.failure(path, piece, error)),
        }
    }

    fn records<'a>(&self, piece: &'a Piece) -> &'a [u8] {
        &piece.bytes[self.reader.header_end(piece)..]
    }

    fn batches(&self, bytes: &[u8], rows: usize, mut done: impl FnMut(RecordBatch)) -> Result<(), ArrowError> {
        let Dialect { delimiter, quote, escape, comment } = self.reader.dialect;
        let mut builder = ReaderBuilder::new(self.of_arrow.clone())
            .with_delimiter(delimiter)
            .with_quote(quote.unwrap_or(NO_QUOTE))
            .with_batch_size(rows)
            .with_projection(self.places.clone());
        if let Some(escape) = escape {
            builder = builder.with_escape(escape);
        }
        if let Some(comment) = comment {
            builder = builder.with_comment(comment);
        }
        if let Some(nulls) = &self.nulls {
            builder = builder.with_null_regex(nulls.clone());
        }
        let decode = || {
            let mut decoder = builder.build_decoder();
            // A line break comes first, so that csv-core does not skip a byte order mark. In the middle of a file,
            // these bytes are data.
            for mut part in [b"\n", bytes, b"\n"] {
                while !part.is_empty() {
                    part = &part[decoder.decode(part)?..];
                    if decoder.capacity() == 0
                        && let Some(batch) = decoder.flush()?
                    {
                        done(self.reader.typed(batch, &self.wanted)?);
                    }
                }
            }
            // A call without bytes ends the last record.
            decoder.decode(&[])?;
            if let Some(batch) = decoder.flush()? {
                done(self.reader.typed(batch, &self.wanted)?);
            }
            Ok(())
        };
        contained(decode, ArrowError::CsvError)
    }

    /// Returns the error for a damaged piece.
    fn failure(&self, path: &Path, piece: &Piece, error: ArrowError) -> Error {
        if let Some(unsupported) = self.unsupported(&error) {
            return unsupported;
        }
        // The records are decoded one at a time, to find the record with the error.
        let (bytes, mut whole) = (self.records(piece), 0);
        let error = self.batches(bytes, 1, |_| whole += 1).err().unwrap_or(error);
        let start = self.reader.dialect.starts(bytes).nth(whole).unwrap_or(bytes.len());
        let position = Some(Position::Line(piece.line(piece.bytes.len() - bytes.len() + start)));
        match error {
            ArrowError::CsvError(what) | ArrowError::ParseError(what) => {
                let what = self.explained(&what, bytes.get(start..).unwrap_or_default());
                Error::Malformed { path: path.to_owned(), format: Format::Csv, position, what }
            }
            error => Error::decoding(path, Format::Csv, position, error),
        }
    }

    /// Returns an error if arrow-csv does not support the type of a column.
    fn unsupported(&self, error: &ArrowError) -> Option<Error> {
        let unread = error.to_string();
        let (_, unread) = unread.split_once("Unsupported data type ")?;
        let mut fields = self.of_arrow.fields().iter();
        let is_unread = |of: &DataType| of.to_string() == unread || format!("{of:?}") == unread;
        let field = fields.find(|field| is_unread(field.data_type()))?;
        let (column, data_type) = (field.name().clone(), field.data_type().clone());
        Some(Error::Unsupported { format: Format::Csv, column, data_type })
    }

    /// Adds the name of the column to a message of arrow-csv. `record` begins with the record of the error.
    fn explained(&self, what: &str, record: &[u8]) -> String {
        let what = what.split(". Row data:").next().unwrap_or(what);
        let name = |number: &str| self.file.fields().get(number.parse::<usize>().ok()?).map(|field| field.name());
        if let Some((value, place)) = what.rsplit_once(" for column ")
            && let Some(column) = place.split_once(" at line ").and_then(|(number, _)| name(number))
            && let Some((value, data_type)) = value.rsplit_once("' as type '")
            && let Some(value) = value.strip_prefix("Error while parsing value '")
        {
            let ArrowError::ParseError(text) = no_value(value, data_type.trim_end_matches('\''), column) else {
                return excerpt(what);
            };
            return self.with_remedy(text, column);
        }
        if let Some((number, rest)) =
            what.strip_prefix("Error parsing column ").and_then(|at| at.split_once(" at line "))
            && let Some(column) = name(number)
            && let Some((_, reason)) = rest.split_once(": ")
        {
            return self.with_remedy(format!("column {column}: {}", excerpt(reason)), column);
        }
        if let Some((start, counts)) = what.split_once(" for line ") {
            let counts = counts.trim_start_matches(|c: char| c.is_ascii_digit());
            return match self.likely_delimiter(record) {
                Some(other) => {
                    format!("{start}{counts}; if cells are separated by `{}`, set the delimiter", other.escape_ascii())
                }
                None => format!("{start}{counts}"),
            };
        }
        excerpt(what)
    }

    /// Returns the usual delimiter that the header or the record has more often than the delimiter of this reader.
    fn likely_delimiter(&self, record: &[u8]) -> Option<u8> {
        let line = record.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
        let count = |text: &[u8], delimiter: u8| text.iter().filter(|byte| **byte == delimiter).count();
        let names = self.file.fields().iter().map(|field| field.name().as_bytes());
        let own = self.reader.dialect.delimiter;
        let excess = |other: u8| {
            let in_header = names.clone().map(|name| count(name, other)).sum::<usize>();
            let more_in_header = (in_header + 1).saturating_sub(self.file.fields().len());
            more_in_header + count(line, other).saturating_sub(count(line, own))
        };
        let others = [b';', b'\t', b'|', b','].into_iter().filter(|other| *other != own);
        others.map(|other| (excess(other), other)).filter(|(excess, _)| *excess > 0).max().map(|(_, other)| other)
    }

    /// If the type of the column was inferred, adds the advice that the caller can give the type.
    fn with_remedy(&self, text: String, column: &str) -> String {
        let input = &self.reader.input;
        match input.schema.is_some() || input.types.iter().any(|(name, _)| name == column) {
            true => text,
            false => format!("{text}; give the type of this column, or infer types from more records"),
        }
    }
}

/// Returns the number of rows to decode at a time. arrow-csv allocates memory for all cells of a batch at once.
fn batch_rows(bytes: &[u8], columns: usize) -> usize {
    let lines = memchr2_iter(b'\n', b'\r', bytes).count() + 1;
    ROWS.min(lines).min(bytes.len() / columns.max(1) + 1)
}
