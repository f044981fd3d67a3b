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

/// Writes batches to a JSON file of one object per line, which appears under its name once it is finished, and not at all if
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
    text: TextOutput,
}

impl JsonWriter {
    /// A writer of batches with these columns. Nothing is opened yet.
    pub fn new(path: impl AsRef<Path>, schema: &SchemaRef) -> JsonWriter {
        let text = TextOutput::new(path.as_ref(), Format::Json);
        JsonWriter { schema: schema.clone(), writes_nulls: false, text }
    }

    /// Whether null members are written, as `null`.
    #[must_use]
    pub fn explicit_nulls(mut self, writes_nulls: bool) -> Self {
        self.writes_nulls = writes_nulls;
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
        check_schema(&self.schema, batch)?;
        self.text.open(&self.schema)?;
        let builder = WriterBuilder::new().with_explicit_nulls(self.writes_nulls);
        self.text.write(&batch.to_arrow()?, |rows| {
            let mut writer = builder.clone().build::<_, LineDelimited>(Vec::new());
            writer.write(rows)?;
            writer.finish()?;
            let text = writer.into_inner();
            check_values(rows, &text)?;
            Ok(text)
        })
    }

    /// Completes the file and gives it its name; what had the name is replaced.
    ///
    /// # Errors
    /// - [`Error::Write`], [`Error::Unsupported`].
    pub fn finish(mut self) -> Result<()> {
        self.text.open(&self.schema)?;
        self.text.finish()
    }
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
