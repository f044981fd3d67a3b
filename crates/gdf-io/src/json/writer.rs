//! Writing JSON files.

use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_json::writer::{LineDelimited, WriterBuilder};
use arrow_schema::{ArrowError, SchemaRef};
use memchr::memmem;

use super::encode::Encoders;
#[cfg(doc)]
use crate::Error;
use crate::error::Format;
use crate::text_output::TextOutput;
use crate::write::{check_schema, check_types};
use crate::{Batch, Result};

/// Writes a batch to a JSON file of one object per line. This function is the short form of [`JsonWriter`].
///
/// # Errors
/// - The errors of [`JsonWriter::write`] and [`JsonWriter::finish`].
pub fn write_json(batch: &Batch, path: impl AsRef<Path>) -> Result<()> {
    let mut writer = JsonWriter::new(path, batch.schema());
    writer.write(batch)?;
    writer.finish()
}

/// Writes batches to a JSON file. The file contains one object per line, or one array of objects.
///
/// While the writer works, the file has a temporary name. `finish` gives the file its final name. If anything fails,
/// the file does not appear under that name.
///
/// If the name of the file ends in `.gz`, the file is compressed by gzip. With feature `zstd`, a file whose name ends
/// in `.zst` is compressed by Zstandard. Threads compress in parallel: each gzip member or Zstandard frame contains
/// some thousand rows, and the file is the sequence of the members or frames.
///
/// Members that are null are written as `null`, so that each object has all columns in their order. See
/// [`explicit_nulls`](JsonWriter::explicit_nulls). Days and times are written in ISO 8601, and bytes as hexadecimal digits. NaN and infinite
/// numbers are written as the texts `"NaN"`, `"Infinity"` and `"-Infinity"`, which a reader takes for these numbers if the
/// caller says that the column has floats. If the time zone of a column had an offset with seconds at some time, as zones had
/// until 1972, that time is written in UTC.
///
/// ```
/// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("trips.jsonl");
/// gdf::io::write_json(&gdf::io::example_batch()?, &path)?;
/// assert_eq!(std::fs::read_to_string(&path)?.lines().nth(1), Some(r#"{"id":2,"city":null}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct JsonWriter {
    schema: SchemaRef,
    writes_nulls: bool,
    is_array: bool,
    is_ascii: bool,
    /// Whether at least one object has been written to the array.
    has_objects: bool,
    text: TextOutput,
}

impl JsonWriter {
    /// Makes a writer of batches with the columns of `schema`. The file is not opened yet.
    pub fn new(path: impl AsRef<Path>, schema: &SchemaRef) -> JsonWriter {
        let text = TextOutput::new(path.as_ref(), Format::Json);
        JsonWriter {
            schema: schema.clone(),
            writes_nulls: true,
            is_array: false,
            is_ascii: false,
            has_objects: false,
            text,
        }
    }

    /// Sets whether a member that is null is written as `null`. The default is `true`. If the value is `false`, such
    /// members are left out, except entries of maps. A reader then does not find a column of nulls only, and finds the
    /// other columns in the order in which they first have values.
    #[must_use]
    pub fn explicit_nulls(mut self, writes_nulls: bool) -> Self {
        self.writes_nulls = writes_nulls;
        self
    }

    /// Sets whether each object has a line of its own. The default is `true`. If the value is `false`, the file
    /// contains one array of objects. Call this method before the first batch is written.
    ///
    /// ```
    /// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("cities.json");
    /// let batch = gdf::io::example_batch()?.select(&["city"])?;
    /// let mut writer = gdf::io::JsonWriter::new(&path, batch.schema()).lines(false);
    /// writer.write(&batch)?;
    /// writer.finish()?;
    /// assert_eq!(std::fs::read_to_string(&path)?, r#"[{"city":"Lyon"},{"city":null},{"city":"Nantes"}]"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn lines(mut self, lines: bool) -> Self {
        self.is_array = !lines;
        self
    }

    /// Sets whether characters outside of ASCII are written as escapes (`\u00e9`), for readers that do not support
    /// UTF-8.
    #[must_use]
    #[doc(alias("utf8_escaped"))]
    pub fn force_ascii(mut self, is_ascii: bool) -> Self {
        self.is_ascii = is_ascii;
        self
    }

    /// Writes the rows of a batch. The threads of rayon format the rows. **Waits** for device memory.
    ///
    /// # Errors
    /// - [`Error::SchemaMismatch`]: the batch has other columns.
    /// - [`Error::Unsupported`]: JSON cannot represent a type.
    /// - [`Error::UnsupportedValue`]: a decimal has more digits than its type.
    /// - [`Error::Unimplemented`]: the name of the file ends in `.zst`, and feature `zstd` is off.
    /// - [`Error::Write`]: the file cannot be written. All later calls also return this error.
    /// - [`Error::Gdf`]: the batch cannot be copied to the CPU, or a value cannot be written as text. For example, a
    ///   day outside the calendar has no text.
    pub fn write(&mut self, batch: &Batch) -> Result<()> {
        check_schema(&self.schema, batch.schema())?;
        self.start()?;
        let (writes_nulls, is_array, is_ascii) = (self.writes_nulls, self.is_array, self.is_ascii);
        let format = |rows: &RecordBatch| {
            let text = format(rows, writes_nulls)?;
            let text = if is_array { elements(text) } else { text };
            if is_ascii { escaped(text) } else { Ok(text) }
        };
        let mut rows = batch.to_arrow()?;
        self.text.check_digits(&rows)?;
        if is_array && !self.has_objects && rows.num_rows() > 0 {
            // A comma precedes each object, except the first object of the file.
            let first = format(&rows.slice(0, 1)).map(|text| text[1..].to_vec());
            self.text.write_text(first)?;
            self.has_objects = true;
            rows = rows.slice(1, rows.num_rows() - 1);
        }
        self.text.write(&rows, format)
    }

    fn start(&mut self) -> Result<()> {
        if self.text.is_open() {
            return Ok(());
        }
        self.text.open(&self.schema)?;
        if self.is_array { self.text.write_text(Ok(b"[".to_vec())) } else { Ok(()) }
    }

    /// Completes the file and gives it its final name. If a file with that name exists, it is replaced.
    ///
    /// # Errors
    /// - [`Error::Write`], [`Error::Unsupported`].
    pub fn finish(mut self) -> Result<()> {
        self.start()?;
        if self.is_array {
            self.text.write_text(Ok(b"]".to_vec()))?;
        }
        self.text.finish()
    }
}

/// Returns the rows of a record batch as text, with one object per line. Members that are null are written.
///
/// # Errors
/// - [`Error::Unsupported`], [`Error::RepeatedColumn`]: JSON cannot represent the columns.
/// - [`Error::Gdf`]: a value cannot be written as text.
pub fn json_text(rows: &RecordBatch) -> Result<Vec<u8>> {
    check_types(Format::Json, &rows.schema())?;
    Ok(format(rows, true).map_err(gdf_core::Error::from)?)
}

fn format(rows: &RecordBatch, writes_nulls: bool) -> Result<Vec<u8>, ArrowError> {
    let builder = WriterBuilder::new().with_explicit_nulls(writes_nulls).with_encoder_factory(Arc::new(Encoders));
    let mut writer = builder.build::<_, LineDelimited>(Vec::new());
    writer.write(rows)?;
    writer.finish()?;
    let text = writer.into_inner();
    check_values(rows, &text)?;
    Ok(text)
}

/// Turns lines of objects into elements of an array. A comma precedes each element.
fn elements(mut lines: Vec<u8>) -> Vec<u8> {
    lines.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b',');
    if !lines.is_empty() {
        lines.rotate_right(1);
    }
    lines
}

/// Replaces characters outside of ASCII by escapes.
fn escaped(text: Vec<u8>) -> Result<Vec<u8>, ArrowError> {
    let text = String::from_utf8(text).map_err(|error| ArrowError::JsonError(error.to_string()))?;
    let mut ascii = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_ascii() {
            ascii.push(letter);
        } else {
            let units =
                letter.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
            ascii.push_str(&units);
        }
    }
    Ok(ascii.into_bytes())
}

/// Returns an error if a value cannot be written as text, such as a day outside the calendar.
fn check_values(rows: &RecordBatch, text: &[u8]) -> Result<(), ArrowError> {
    if memmem::find(text, b"\"ERROR: ").is_none() {
        return Ok(());
    }
    let options = FormatOptions::new().with_display_error(false);
    for column in rows.columns() {
        let values = ArrayFormatter::try_new(column, &options)?;
        (0..rows.num_rows()).try_for_each(|row| values.value(row).try_to_string().map(drop))?;
    }
    Ok(())
}
