//! Writing CSV files.

use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, StringArray};
use arrow_csv::WriterBuilder;
use arrow_csv::writer::Terminator;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

#[cfg(doc)]
use crate::Error;
use crate::error::Format;
use crate::pieces::BYTE_ORDER_MARK;
use crate::text_output::TextOutput;
use crate::write::check_schema;
use crate::zones::ZonedTimes;
use crate::{Batch, Result};

/// Writes a batch to a CSV file with a header. This function is the short form of [`CsvWriter`].
///
/// # Errors
/// - The errors of [`CsvWriter::write`] and [`CsvWriter::finish`].
pub fn write_csv(batch: &Batch, path: impl AsRef<Path>) -> Result<()> {
    let mut writer = CsvWriter::new(path, batch.schema());
    writer.write(batch)?;
    writer.finish()
}

/// The cells that are quoted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuoteStyle {
    /// The cells that could not be read back without quotes. This is the default.
    #[default]
    Necessary,
    /// All cells that are not numbers. Nulls are also quoted.
    NonNumeric,
    /// All cells.
    Always,
}

/// Writes batches to a CSV file.
///
/// While the writer works, the file has a temporary name. `finish` gives the file its final name. If anything fails,
/// the file does not appear under that name.
///
/// If the name of the file ends in `.gz`, the file is compressed by gzip. With feature `zstd`, a file whose name ends
/// in `.zst` is compressed by Zstandard. Threads compress in parallel: each gzip member or Zstandard frame contains
/// some thousand rows, and the file is the sequence of the members or frames.
///
/// Only cells that need quotes are quoted. A null is written as an empty cell, and so is the empty text. A reader reads
/// an empty cell as null. [`null`](CsvWriter::null) sets another text for null. Days and times are written in ISO 8601,
/// and bytes as hexadecimal digits. Floats have so many digits that a reader gets the same value. If the time zone of a
/// column had an offset with seconds at some time, as zones had until 1972, that time is written in UTC.
///
/// ```
/// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
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
    words: Words,
    text: TextOutput,
}

impl CsvWriter {
    /// Makes a writer of batches with the columns of `schema`. The file is not opened yet.
    pub fn new(path: impl AsRef<Path>, schema: &SchemaRef) -> CsvWriter {
        let text = TextOutput::new(path.as_ref(), Format::Csv);
        CsvWriter { schema: schema.clone(), builder: WriterBuilder::new(), words: Words::default(), text }
    }

    /// Sets whether the first line names the columns. The default is `true`. Call this method before the first batch
    /// is written.
    #[must_use]
    pub fn has_header(mut self, has_header: bool) -> Self {
        self.builder = self.builder.with_header(has_header);
        self
    }

    /// Sets the separator of cells. The default is a comma. The separator must be an ASCII character other than `"` and
    /// line breaks. With [`QuoteStyle::NonNumeric`], it must not be a letter, a digit, or one of `.+-`, because numbers
    /// are not quoted. Call this method before the first batch is written.
    #[must_use]
    pub fn delimiter(mut self, delimiter: u8) -> Self {
        self.builder = self.builder.with_delimiter(delimiter);
        self
    }

    /// Sets the text for null. The default is an empty cell. Call this method before the first batch is written.
    #[must_use]
    pub fn null(mut self, text: impl Into<String>) -> Self {
        self.builder = self.builder.with_null(text.into());
        self
    }

    /// Sets the text for true. The default is `true`. Call this method before the first batch is written.
    ///
    /// ```
    /// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } pub mod arrow { pub use arrow_array as array; } }
    /// use std::sync::Arc;
    /// use gdf::arrow::array::{ArrayRef, BooleanArray, RecordBatch};
    /// use gdf::io::{Batch, CsvWriter};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("t.csv");
    /// let paid: ArrayRef = Arc::new(BooleanArray::from(vec![true, false]));
    /// let batch = Batch::from_arrow(&RecordBatch::try_from_iter([("paid", paid)])?)?;
    /// let mut writer = CsvWriter::new(&path, batch.schema()).true_value("ja").false_value("nein").crlf(true);
    /// writer.write(&batch)?;
    /// writer.finish()?;
    /// assert_eq!(std::fs::read_to_string(&path)?, "paid\r\nja\r\nnein\r\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn true_value(mut self, text: impl Into<String>) -> Self {
        self.words.true_value = Some(text.into());
        self
    }

    /// Sets the text for false. The default is `false`. Call this method before the first batch is written.
    #[must_use]
    pub fn false_value(mut self, text: impl Into<String>) -> Self {
        self.words.false_value = Some(text.into());
        self
    }

    /// Sets which cells are quoted, including the cells of the header. Call this method before the first batch is
    /// written.
    ///
    /// ```
    /// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
    /// use gdf::io::{CsvWriter, QuoteStyle};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("trips.csv");
    /// let batch = gdf::io::example_batch()?;
    /// let mut writer = CsvWriter::new(&path, batch.schema()).quote_style(QuoteStyle::NonNumeric);
    /// writer.write(&batch)?;
    /// writer.finish()?;
    /// assert_eq!(std::fs::read_to_string(&path)?.lines().nth(1), Some("1,\"Lyon\""));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn quote_style(mut self, style: QuoteStyle) -> Self {
        self.builder = self.builder.with_quote_style(match style {
            QuoteStyle::Necessary => arrow_csv::QuoteStyle::Necessary,
            QuoteStyle::NonNumeric => arrow_csv::QuoteStyle::NonNumeric,
            QuoteStyle::Always => arrow_csv::QuoteStyle::Always,
        });
        self
    }

    /// Sets whether lines end with a carriage return and a line feed, as RFC 4180 requires. The default is a line
    /// feed only. Call this method before the first batch is written.
    #[must_use]
    #[doc(alias("line_terminator"))]
    pub fn crlf(mut self, crlf: bool) -> Self {
        let terminator = if crlf { Terminator::CRLF } else { Terminator::Any(b'\n') };
        self.builder = self.builder.with_line_terminator(terminator);
        self
    }

    /// Writes the rows of a batch. The threads of rayon format the rows. **Waits** for device memory.
    ///
    /// # Errors
    /// - [`Error::SchemaMismatch`]: the batch has other columns.
    /// - [`Error::Unsupported`]: CSV cannot represent nested columns.
    /// - [`Error::UnsupportedValue`]: a decimal has more digits than its type.
    /// - [`Error::Unimplemented`]: the name of the file ends in `.zst`, and feature `zstd` is off.
    /// - [`Error::Write`]: the file cannot be written. All later calls also return this error.
    /// - [`Error::Gdf`]: the batch cannot be copied to the CPU, the separator is invalid, or a value cannot be written
    ///   as text. For example, a day outside the calendar has no text.
    pub fn write(&mut self, batch: &Batch) -> Result<()> {
        check_schema(&self.schema, batch.schema())?;
        self.start()?;
        let builder = self.builder.clone().with_header(false);
        let words = &self.words;
        let rows = batch.to_arrow()?;
        self.text.check_digits(&rows)?;
        self.text.write(&rows, |rows| format(&builder, &with_texts(&words.applied(rows)?)?))
    }

    /// Completes the file and gives it its final name. If a file with that name exists, it is replaced.
    ///
    /// # Errors
    /// - [`Error::Write`], [`Error::Unsupported`].
    pub fn finish(mut self) -> Result<()> {
        self.start()?;
        self.text.finish()
    }

    fn start(&mut self) -> Result<()> {
        if self.text.is_open() {
            return Ok(());
        }
        check_delimiter(&self.builder)?;
        self.text.open(&self.schema)?;
        if !self.builder.header() {
            return Ok(());
        }
        let header = format(&self.builder, &RecordBatch::new_empty(self.schema.clone()));
        self.text.write_text(header)
    }
}

/// Returns the rows of a record batch as text, with or without a line that names the columns.
///
/// # Errors
/// - [`Error::Gdf`]: a column is nested, or a value cannot be written as text.
pub fn csv_text(rows: &RecordBatch, has_header: bool) -> Result<Vec<u8>> {
    let builder = WriterBuilder::new().with_header(has_header);
    Ok(with_texts(rows).and_then(|rows| format(&builder, &rows)).map_err(gdf_core::Error::from)?)
}

fn format(builder: &WriterBuilder, rows: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
    let mut writer = builder.clone().build(Vec::new());
    writer.write(rows)?;
    Ok(with_mark_in_quotes(writer.into_inner(), builder))
}

/// Quotes the first cell if it begins with the byte order mark. A reader takes a mark at the start of a file as no part
/// of the first cell. In the middle of a file, the quotes change nothing.
fn with_mark_in_quotes(mut text: Vec<u8>, builder: &WriterBuilder) -> Vec<u8> {
    if text.starts_with(BYTE_ORDER_MARK) {
        let is_end = |byte: &u8| *byte == builder.delimiter() || matches!(byte, b'\n' | b'\r');
        let end = text.iter().position(is_end).unwrap_or(text.len());
        text.insert(end, builder.quote());
        text.insert(0, builder.quote());
    }
    text
}

/// Returns an error if a file with this separator could not be read back.
fn check_delimiter(builder: &WriterBuilder) -> Result<()> {
    let delimiter = builder.delimiter();
    let refused = |rule| Err(gdf_core::Error::invalid_argument(rule).in_operation("write_csv").into());
    if delimiter == builder.quote() || matches!(delimiter, b'\n' | b'\r' | 0x80..) {
        return refused("the delimiter must be an ASCII character other than `\"` and line breaks");
    }
    let is_of_number = delimiter.is_ascii_alphanumeric() || b".+-".contains(&delimiter);
    if is_of_number && matches!(builder.quote_style(), arrow_csv::QuoteStyle::NonNumeric) {
        return refused(
            "with `QuoteStyle::NonNumeric`, the delimiter must not be a letter, a digit, or one of `.+-`; quote cells \
             with `QuoteStyle::Necessary`",
        );
    }
    Ok(())
}

/// Replaces columns of times that RFC 3339 cannot represent in their time zone by columns of text.
fn with_texts(rows: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let texts = rows.columns().iter().map(times_as_text).collect::<Result<Vec<_>, _>>()?;
    if texts.iter().all(Option::is_none) {
        return Ok(rows.clone());
    }
    let columns = rows.columns().iter().zip(texts).map(|(column, text)| text.unwrap_or_else(|| column.clone()));
    replaced(rows, columns.collect())
}

/// Returns a column of timestamps as text, if some of their offsets from UTC have seconds.
fn times_as_text(column: &ArrayRef) -> Result<Option<ArrayRef>, ArrowError> {
    if let DataType::Dictionary(_, values) = column.data_type()
        && matches!(**values, DataType::Timestamp(_, Some(_)))
    {
        return times_as_text(&arrow_cast::cast(column, values)?);
    }
    let Some(times) = ZonedTimes::of(column)? else { return Ok(None) };
    let rows = 0..column.len();
    if !rows.clone().any(|row| column.is_valid(row) && times.has_seconds(row)) {
        return Ok(None);
    }
    let text = |row| column.is_valid(row).then(|| times.text(row)).transpose();
    Ok(Some(Arc::new(rows.map(text).collect::<Result<StringArray, _>>()?)))
}

/// Returns the rows with other columns, which may have other types.
fn replaced(rows: &RecordBatch, columns: Vec<ArrayRef>) -> Result<RecordBatch, ArrowError> {
    let schema = rows.schema();
    let typed = schema.fields().iter().zip(&columns);
    // The values of a dictionary may be null even if the field of the dictionary is not nullable.
    let fields = typed.map(|(field, column)| Field::new(field.name(), column.data_type().clone(), true));
    let options = RecordBatchOptions::new().with_row_count(Some(rows.num_rows()));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields.collect::<Vec<_>>())), columns, &options)
}

#[derive(Clone, Debug, Default)]
struct Words {
    true_value: Option<String>,
    false_value: Option<String>,
}

impl Words {
    fn applied(&self, rows: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        if self.true_value.is_none() && self.false_value.is_none() {
            return Ok(rows.clone());
        }
        let (yes, no) = (self.true_value.as_deref().unwrap_or("true"), self.false_value.as_deref().unwrap_or("false"));
        let words = |column: &ArrayRef| -> Result<ArrayRef, ArrowError> {
            let is_coded =
                matches!(column.data_type(), DataType::Dictionary(_, values) if **values == DataType::Boolean);
            let decoded = if is_coded { arrow_cast::cast(column, &DataType::Boolean)? } else { column.clone() };
            let word = |value: Option<bool>| value.map(|value| if value { yes } else { no });
            let Some(values) = decoded.as_boolean_opt() else { return Ok(decoded) };
            Ok(Arc::new(values.iter().map(word).collect::<StringArray>()))
        };
        replaced(rows, rows.columns().iter().map(words).collect::<Result<Vec<_>, _>>()?)
    }
}
