//! Writing JSON files.

use std::path::Path;

use arrow_array::RecordBatch;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_json::writer::{LineDelimited, WriterBuilder};
use arrow_schema::{ArrowError, SchemaRef};
use memchr::memmem;

#[cfg(doc)]
use crate::Error;
use crate::error::Format;
use crate::text_output::TextOutput;
use crate::write::check_schema;
use crate::{Batch, Result};

/// Writes a batch to a JSON file of one object per line. The short form of [`JsonWriter`].
///
/// # Errors
/// - As [`JsonWriter::write`] and [`JsonWriter::finish`].
pub fn write_json(batch: &Batch, path: impl AsRef<Path>) -> Result<()> {
    let mut writer = JsonWriter::new(path, batch.schema());
    writer.write(batch)?;
    writer.finish()
}

/// Writes batches to a JSON file of one object per line, or of an array, which appears under its name once it is finished, and not at all if
/// something fails.
///
/// A name that ends in `.gz` makes it gzip, one in `.zst` Zstandard where feature `zstd` is on: a member or frame of some thousand rows after
/// the other, compressed by several threads.
///
/// Null members are left out unless asked for. Days and times are written as ISO 8601 has them, bytes in hexadecimal digits,
/// NaN and infinite numbers as null.
///
/// ```
/// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("trips.jsonl");
/// gdf::io::write_json(&gdf::io::example_batch()?, &path)?;
/// assert_eq!(std::fs::read_to_string(&path)?.lines().nth(1), Some(r#"{"id":2}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct JsonWriter {
    schema: SchemaRef,
    writes_nulls: bool,
    is_array: bool,
    is_ascii: bool,
    /// Whether an object was already written to the array.
    has_objects: bool,
    text: TextOutput,
}

impl JsonWriter {
    /// A writer of batches with these columns. Nothing is opened yet.
    pub fn new(path: impl AsRef<Path>, schema: &SchemaRef) -> JsonWriter {
        let text = TextOutput::new(path.as_ref(), Format::Json);
        JsonWriter {
            schema: schema.clone(),
            writes_nulls: false,
            is_array: false,
            is_ascii: false,
            has_objects: false,
            text,
        }
    }

    /// Whether null members are written, as `null`.
    #[must_use]
    pub fn explicit_nulls(mut self, writes_nulls: bool) -> Self {
        self.writes_nulls = writes_nulls;
        self
    }

    /// Whether each object has a line of its own, as it does unless set. Otherwise the file is one array. Before the first batch.
    ///
    /// ```
    /// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("cities.json");
    /// let batch = gdf::io::example_batch()?.select(&["city"])?;
    /// let mut writer = gdf::io::JsonWriter::new(&path, batch.schema()).lines(false);
    /// writer.write(&batch)?;
    /// writer.finish()?;
    /// assert_eq!(std::fs::read_to_string(&path)?, r#"[{"city":"Lyon"},{},{"city":"Nantes"}]"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn lines(mut self, lines: bool) -> Self {
        self.is_array = !lines;
        self
    }

    /// Whether letters beyond ASCII are written as escapes (`\u00e9`), for readers that do not know UTF-8.
    #[must_use]
    #[doc(alias("utf8_escaped"))]
    pub fn force_ascii(mut self, is_ascii: bool) -> Self {
        self.is_ascii = is_ascii;
        self
    }

    /// Adds the rows of a batch, formatted on the threads of rayon. **Waits** for device memory.
    ///
    /// # Errors
    /// - [`Error::SchemaMismatch`]: the batch has other columns.
    /// - [`Error::Unsupported`]: a type has no form in JSON.
    /// - [`Error::Write`], also from then on.
    /// - [`Error::Gdf`]: the batch cannot be copied to the CPU; a value has no text, such as a day beyond all calendars.
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
        if is_array && !self.has_objects && rows.num_rows() > 0 {
            // A comma precedes each object except the first one.
            let first = format(&rows.slice(0, 1)).map(|text| text[1..].to_vec());
            self.text.write_text(first)?;
            self.has_objects = true;
            rows = rows.slice(1, rows.num_rows() - 1);
        }
        self.text.write(&rows, format)
    }

    /// Opens the file, once.
    fn start(&mut self) -> Result<()> {
        if self.text.is_open() {
            return Ok(());
        }
        self.text.open(&self.schema)?;
        if self.is_array { self.text.write_text(Ok(b"[".to_vec())) } else { Ok(()) }
    }

    /// Completes the file and gives it its name; what had the name is replaced.
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

/// Formats the rows, each as an object on a line of its own.
fn format(rows: &RecordBatch, writes_nulls: bool) -> Result<Vec<u8>, ArrowError> {
    let builder = WriterBuilder::new().with_explicit_nulls(writes_nulls);
    let mut writer = builder.build::<_, LineDelimited>(Vec::new());
    writer.write(rows)?;
    writer.finish()?;
    let text = writer.into_inner();
    check_values(rows, &text)?;
    Ok(text)
}

/// Lines of objects as elements of an array, each behind a comma. Within objects there are no ends of lines.
fn elements(mut lines: Vec<u8>) -> Vec<u8> {
    lines.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b',');
    if !lines.is_empty() {
        lines.rotate_right(1);
    }
    lines
}

/// The text with escapes for letters beyond ASCII, which only stand within texts and names.
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

/// Refuses values that have no text, such as days beyond all calendars: arrow-json writes its error in their place.
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
