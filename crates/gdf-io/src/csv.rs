//! CSV files.

use std::path::Path;

use arrow_array::RecordBatch;
use arrow_csv::reader::Format as Dialect;
use arrow_csv::{ReaderBuilder, WriterBuilder};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use crate::batches::{Batches, Decoder, Open, scan_iterator};
use crate::contain::contained;
use crate::dataset::Dataset;
use crate::error::Format;
use crate::lines::{Piece, PieceDecoder, Pieces};
use crate::options::Options;
use crate::text_input::{TextInput, text_reader_options};
use crate::text_output::TextOutput;
use crate::write::check_schema;
use crate::{Batch, Error, Position, Result};

/// Rows that are decoded at a time.
const ROWS: usize = 1 << 16;

/// Reads a CSV file with a header, or all files of a pattern or folder, onto the current device.
///
/// The short form of [`CsvReader`], which says what can be chosen.
///
/// ```
/// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub use gdf_io as io; }
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("trips.csv");
/// std::fs::write(&path, "id,city,day\n1,Lyon,2026-01-31\n2,,2026-02-01\n")?;
/// let trips = gdf::io::read_csv(&path)?;
/// assert_eq!(trips.column("day")?.data_type(), &gdf::DataType::Date32);
/// assert_eq!(trips.column("city")?.known_null_count(), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// - As [`CsvReader::read`].
pub fn read_csv(path: impl AsRef<Path>) -> Result<Batch> {
    CsvReader::open(path)?.read()
}

/// Reads CSV files batch by batch, in bounded memory. The short form of [`CsvReader::scan`].
///
/// # Errors
/// - As [`CsvReader::scan`].
pub fn scan_csv(path: impl AsRef<Path>) -> Result<CsvScan> {
    CsvReader::open(path)?.scan()
}

/// Reads CSV files: RFC 4180, in UTF-8.
///
/// # Files
/// A path is a file, a pattern, or a folder, which stands for all files below it that end in `.csv`; folders named `key=value`
/// give columns, as for [`ParquetReader`](crate::ParquetReader). The files have the same columns in the same order.
///
/// # Types
/// Unless given, types are inferred from the first 10,000 records of the first file: `Int64`, `Float64`, `Boolean`, `Date32`,
/// `Timestamp`, else `Utf8`. A later value that does not suit is an error that names its line; give the type of that column, or infer
/// from more records. All columns are nullable: an empty cell is null, quoted or not, and so are the
/// [`null`](CsvReader::null) values.
///
/// # Work and memory
/// Pieces of 4 MiB are decoded side by side on the threads of rayon, into arrays of arrow-rs; then the columns are made in
/// memory of the resource of this thread's scope.
#[derive(Clone, Debug)]
pub struct CsvReader {
    input: TextInput,
    options: Options,
    has_header: bool,
    delimiter: u8,
    quote: u8,
    escape: Option<u8>,
    comment: Option<u8>,
    nulls: Vec<String>,
}

impl CsvReader {
    /// A reader of a file, a pattern, or a folder. Files are looked for when they are read.
    ///
    /// # Errors
    /// - none today; the signature is that of the other readers.
    pub fn open(path: impl AsRef<Path>) -> Result<CsvReader> {
        Ok(CsvReader {
            input: TextInput::new(path.as_ref()),
            options: Options::default(),
            has_header: true,
            delimiter: b',',
            quote: b'"',
            escape: None,
            comment: None,
            nulls: Vec::new(),
        })
    }

    text_reader_options!("records");

    /// Whether the first record names the columns, as it does unless set. Otherwise they are `column_1`, `column_2`, and so on.
    #[must_use]
    pub fn has_header(mut self, has_header: bool) -> Self {
        self.has_header = has_header;
        self
    }

    /// What separates cells, instead of a comma.
    #[must_use]
    pub fn delimiter(mut self, delimiter: u8) -> Self {
        self.delimiter = delimiter;
        self
    }

    /// What quotes cells, instead of `"`. Within quotes it is doubled.
    #[must_use]
    pub fn quote(mut self, quote: u8) -> Self {
        self.quote = quote;
        self
    }

    /// What stands before a quote within quotes, where it is not doubled. Files are then decoded by one thread.
    #[must_use]
    pub fn escape(mut self, escape: u8) -> Self {
        self.escape = Some(escape);
        self
    }

    /// Lines that begin with this are passed over.
    #[must_use]
    pub fn comment(mut self, comment: u8) -> Self {
        self.comment = Some(comment);
        self
    }

    /// A text that means null, beside the empty one; may be called again for more.
    #[must_use]
    pub fn null(mut self, text: impl Into<String>) -> Self {
        self.nulls.push(text.into());
        self
    }

    /// Reads everything that was asked for.
    ///
    /// # Errors
    /// - [`Error::NotFound`], [`Error::NoFiles`], [`Error::BadPattern`], [`Error::Read`].
    /// - [`Error::NoColumn`], [`Error::Predicate`].
    /// - [`Error::Malformed`], with the line: a record with more or fewer cells than the first, or a value that is none of its column's type.
    /// - [`Error::Gdf`]: no memory, no such device.
    pub fn read(self) -> Result<Batch> {
        self.batches()?.read("read_csv")
    }

    /// Reads batch by batch what was asked for; in memory are one piece of 4 MiB per thread, and its rows.
    ///
    /// # Errors
    /// - As [`CsvReader::read`]; those of the data come from the iterator.
    pub fn scan(self) -> Result<CsvScan> {
        Ok(CsvScan(self.batches()?))
    }

    fn batches(self) -> Result<Batches> {
        let dataset = Dataset::find(&self.input.path, &["csv"])?;
        let schema = self.file_schema(&dataset.files[0])?;
        let (options, of_files) = (self.options.clone(), schema.clone());
        let open: Open = Box::new(move |path, columns| self.decoder(path, &of_files, columns));
        Batches::new(dataset, &schema, &options, open)
    }

    fn file_schema(&self, path: &Path) -> Result<SchemaRef> {
        // Records of another length are found when they are decoded, with their line.
        let mut dialect = Dialect::default()
            .with_truncated_rows(true)
            .with_header(self.has_header)
            .with_delimiter(self.delimiter)
            .with_quote(self.quote);
        if let Some(escape) = self.escape {
            dialect = dialect.with_escape(escape);
        }
        if let Some(comment) = self.comment {
            dialect = dialect.with_comment(comment);
        }
        if let Some(nulls) = self.null_expression() {
            dialect = dialect.with_null_regex(nulls);
        }
        let infer = |file, records| {
            let (inferred, _) = dialect.infer_schema(file, Some(records))?;
            // A column without values is text, which takes any later ones.
            let fields = inferred.fields().iter().map(|field| match field.data_type() {
                DataType::Null => Field::new(field.name(), DataType::Utf8, true),
                known => Field::new(field.name(), known.clone(), true),
            });
            Ok(Schema::new(fields.collect::<Vec<_>>()))
        };
        self.input.file_schema(path, true, infer, |error| self.failure(path, None, error))
    }

    fn null_expression(&self) -> Option<regex::Regex> {
        if self.nulls.is_empty() {
            return None;
        }
        let texts: Vec<String> = self.nulls.iter().map(|text| regex::escape(text)).collect();
        regex::Regex::new(&format!("^(|{})$", texts.join("|"))).ok()
    }

    fn decoder(&self, path: &Path, schema: &SchemaRef, columns: &[usize]) -> Result<Box<dyn Decoder>> {
        let mut pieces = Pieces::open(path, Format::Csv, Some(self.quote))?;
        if self.escape.is_some() {
            pieces = pieces.whole();
        }
        let (reader, schema, columns) = (self.clone(), schema.clone(), columns.to_vec());
        let decode = move |path: &Path, piece: &Piece| reader.decode(path, piece, &schema, &columns);
        Ok(Box::new(PieceDecoder { pieces, decode }))
    }

    fn decode(&self, path: &Path, piece: &Piece, schema: &SchemaRef, columns: &[usize]) -> Result<Vec<RecordBatch>> {
        let mut builder = ReaderBuilder::new(schema.clone())
            .with_header(self.has_header && piece.is_first)
            .with_delimiter(self.delimiter)
            .with_quote(self.quote)
            .with_batch_size(ROWS)
            .with_projection(columns.to_vec());
        if let Some(escape) = self.escape {
            builder = builder.with_escape(escape);
        }
        if let Some(comment) = self.comment {
            builder = builder.with_comment(comment);
        }
        if let Some(nulls) = self.null_expression() {
            builder = builder.with_null_regex(nulls);
        }
        let decode = || {
            let mut decoder = builder.build_decoder();
            let (mut bytes, mut batches) = (&piece.bytes[..], Vec::new());
            loop {
                // without bytes it ends the last record
                let used = decoder.decode(bytes)?;
                bytes = &bytes[used..];
                if used == 0 || decoder.capacity() == 0 {
                    match decoder.flush()? {
                        Some(batch) => batches.push(batch),
                        None if bytes.is_empty() => return Ok(batches),
                        None => {}
                    }
                }
            }
        };
        contained(decode, ArrowError::CsvError).map_err(|error| self.failure(path, Some(piece), error))
    }

    /// What arrow-rs said, with the line in the file instead of the number of the record in the piece.
    fn failure(&self, path: &Path, piece: Option<&Piece>, error: ArrowError) -> Error {
        let what = match error {
            ArrowError::CsvError(what) | ArrowError::ParseError(what) => what,
            error => return Error::decoding(path, Format::Csv, None, error),
        };
        if let Some(unread) = what.strip_prefix("Unsupported data type ") {
            let fields = self.input.schema.iter().flat_map(|schema| schema.fields().iter());
            let given = self.input.types.iter().map(|(name, data_type)| (name, data_type));
            let mut all = fields.map(|field| (field.name(), field.data_type())).chain(given);
            if let Some((column, data_type)) = all.find(|(_, data_type)| data_type.to_string() == unread) {
                return Error::Unsupported {
                    format: Format::Csv,
                    column: column.clone(),
                    data_type: data_type.clone(),
                };
            }
        }
        let position = piece.zip(record_number(&what)).map(|(piece, record)| Position::Line(self.line(piece, record)));
        Error::Malformed { path: path.to_owned(), format: Format::Csv, position, what: without_line(&what) }
    }

    /// The line of the file that record `number`, from 1, of a piece begins on.
    fn line(&self, piece: &Piece, number: u64) -> u64 {
        let (mut line, mut records, mut bytes) = (piece.first_line, 0, &piece.bytes[..]);
        while !bytes.is_empty() {
            let is_passed_over = matches!(bytes[0], b'\n' | b'\r') || Some(bytes[0]) == self.comment;
            records += u64::from(!is_passed_over);
            if records == number {
                break;
            }
            let (mut is_quoted, mut at) = (false, 0);
            while let Some(byte) = bytes.get(at) {
                at += 1;
                if *byte == self.quote && !is_passed_over {
                    is_quoted = !is_quoted;
                } else if *byte == b'\n' {
                    line += 1;
                    if !is_quoted {
                        break;
                    }
                }
            }
            bytes = &bytes[at..];
        }
        line
    }
}

/// The number, from 1, of the record that a message of arrow-csv is about: it counts records "for line" from 1 and values "at line"
/// from 0.
fn record_number(what: &str) -> Option<u64> {
    let (rest, before) = match what.split_once(" at line ") {
        Some((_, rest)) => (rest, 1),
        None => (what.split_once(" for line ")?.1, 0),
    };
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    Some(rest[..end].parse::<u64>().ok()? + before)
}

/// The message without its own count of lines, and without the row, which may be long.
fn without_line(what: &str) -> String {
    let what = what.split(". Row data:").next().unwrap_or(what);
    for before in [" at line ", " for line "] {
        if let Some((start, rest)) = what.split_once(before) {
            return format!("{start}{}", rest.trim_start_matches(|c: char| c.is_ascii_digit()));
        }
    }
    what.to_owned()
}

scan_iterator!(
    /// An iterator of batches of CSV files; made by [`CsvReader::scan`].
    CsvScan,
    "scan_csv"
);

/// Writes a batch to a CSV file with a header. The short form of [`CsvWriter`].
///
/// # Errors
/// - As [`CsvWriter::write`] and [`CsvWriter::finish`].
pub fn write_csv(batch: &Batch, path: impl AsRef<Path>) -> Result<()> {
    let mut writer = CsvWriter::new(path, batch.schema());
    writer.write(batch)?;
    writer.finish()
}

/// Writes batches to a CSV file, which appears under its name once it is finished, and not at all if something fails.
///
/// Cells are quoted where they must be. Null is an empty cell, as is the empty text: reading gives null for both, unless
/// another text is chosen for nulls. Days and times are written as ISO 8601 has them, bytes in hexadecimal digits; floats so
/// that reading gives the same.
///
/// ```
/// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub use gdf_io as io; }
/// use gdf::io::CsvWriter;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("trips.csv");
/// let batch = gdf::io::example_batch()?;
/// let mut writer = CsvWriter::new(&path, batch.schema()).delimiter(b';').null("NA");
/// writer.write(&batch)?;
/// writer.finish()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "id;city\n1;Lyon\n2;NA\n3;Nantes\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CsvWriter {
    schema: SchemaRef,
    builder: WriterBuilder,
    text: TextOutput,
}

impl CsvWriter {
    /// A writer of batches with these columns. Nothing is opened yet.
    pub fn new(path: impl AsRef<Path>, schema: &SchemaRef) -> CsvWriter {
        let text = TextOutput::new(path.as_ref(), Format::Csv);
        CsvWriter { schema: schema.clone(), builder: WriterBuilder::new(), text }
    }

    /// Whether the first line names the columns, as it does unless set. Before the first batch.
    #[must_use]
    pub fn has_header(mut self, has_header: bool) -> Self {
        self.builder = self.builder.with_header(has_header);
        self
    }

    /// What separates cells, instead of a comma. Before the first batch.
    #[must_use]
    pub fn delimiter(mut self, delimiter: u8) -> Self {
        self.builder = self.builder.with_delimiter(delimiter);
        self
    }

    /// What is written for null, instead of nothing. Before the first batch.
    #[must_use]
    pub fn null(mut self, text: impl Into<String>) -> Self {
        self.builder = self.builder.with_null(text.into());
        self
    }

    /// Adds the rows of a batch, formatted on the threads of rayon. **Waits** for device memory.
    ///
    /// # Errors
    /// - [`Error::SchemaMismatch`]: the batch has other columns.
    /// - [`Error::Unsupported`]: nested columns have no form in CSV.
    /// - [`Error::Write`], also from then on.
    /// - [`Error::Gdf`]: the batch cannot be copied to the CPU.
    pub fn write(&mut self, batch: &Batch) -> Result<()> {
        check_schema(&self.schema, batch)?;
        self.start()?;
        let builder = self.builder.clone().with_header(false);
        self.text.write(&batch.to_arrow()?, |rows| Self::format(&builder, rows))
    }

    /// Completes the file and gives it its name; what had the name is replaced.
    ///
    /// # Errors
    /// - [`Error::Write`], [`Error::Unsupported`].
    pub fn finish(mut self) -> Result<()> {
        self.start()?;
        self.text.finish()
    }

    /// Opens the file and writes the header, once.
    fn start(&mut self) -> Result<()> {
        if self.text.is_open() {
            return Ok(());
        }
        self.text.open(&self.schema)?;
        if !self.builder.header() {
            return Ok(());
        }
        let header = Self::format(&self.builder, &RecordBatch::new_empty(self.schema.clone()));
        self.text.write_bytes(header)
    }

    fn format(builder: &WriterBuilder, rows: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
        let mut writer = builder.clone().build(Vec::new());
        writer.write(rows)?;
        Ok(writer.into_inner())
    }
}
