//! Writing CSV files.

use std::path::Path;

use arrow_array::RecordBatch;
use arrow_csv::WriterBuilder;
use arrow_schema::{ArrowError, SchemaRef};

#[cfg(doc)]
use crate::Error;
use crate::error::Format;
use crate::text_output::TextOutput;
use crate::write::check_schema;
use crate::{Batch, Result};

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
/// A name that ends in `.gz` makes it gzip, one in `.zst` Zstandard where feature `zstd` is on: a member or frame of some thousand rows after
/// the other, compressed by several threads.
///
/// Cells are quoted where they must be. Null is an empty cell, as is the empty text: reading gives null for both, unless
/// another text is chosen for nulls. Days and times are written as ISO 8601 has them, bytes in hexadecimal digits; floats so
/// that reading gives the same.
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
    /// - [`Error::Gdf`]: the batch cannot be copied to the CPU; a value has no text, such as a day beyond all calendars.
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
        self.text.write_text(header)
    }

    fn format(builder: &WriterBuilder, rows: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
        let mut writer = builder.clone().build(Vec::new());
        writer.write(rows)?;
        Ok(writer.into_inner())
    }
}
