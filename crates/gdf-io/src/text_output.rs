//! Text files that are written. Several threads format the text.

use std::io::Write;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use rayon::prelude::*;

use crate::digits::{TOO_MANY_DIGITS, has_digits_of_type};
use crate::error::Format;
use crate::output::{Output, failed_earlier};
use crate::source::Compression;
use crate::write::check_types;
use crate::{Error, Result};

/// The number of rows that a thread formats at a time.
const ROWS: usize = 1 << 14;

/// A text file to which rows are appended.
#[derive(Debug)]
pub(crate) struct TextOutput {
    path: PathBuf,
    format: Format,
    compression: Compression,
    output: Option<Output>,
    has_bytes: bool,
    has_failed: bool,
}

impl TextOutput {
    pub(crate) fn new(path: &Path, format: Format) -> TextOutput {
        let compression = Compression::of(path);
        TextOutput { path: path.to_owned(), format, compression, output: None, has_bytes: false, has_failed: false }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.output.is_some()
    }

    /// Checks that the format can represent the schema, and opens the file.
    ///
    /// # Errors
    /// - [`Error::Unsupported`], [`Error::Unimplemented`].
    /// - [`Error::Write`]: the file cannot be created, or an earlier write failed.
    pub(crate) fn open(&mut self, schema: &SchemaRef) -> Result<()> {
        if self.has_failed {
            return Err(Error::writing(&self.path, failed_earlier()));
        }
        if self.output.is_none() {
            check_types(self.format, schema)?;
            self.compression.check(&self.path, self.format)?;
            self.output = Some(Output::create(&self.path)?);
        }
        Ok(())
    }

    /// Checks that the text of each decimal has all of its digits.
    ///
    /// # Errors
    /// - [`Error::UnsupportedValue`].
    pub(crate) fn check_digits(&self, batch: &RecordBatch) -> Result<()> {
        // arrow-rs would leave out the last digits of such decimals.
        for (field, array) in batch.schema().fields().iter().zip(batch.columns()) {
            if !has_digits_of_type(array, None) {
                return Err(Error::UnsupportedValue {
                    format: self.format,
                    column: field.name().clone(),
                    data_type: array.data_type().clone(),
                    what: TOO_MANY_DIGITS,
                });
            }
        }
        Ok(())
    }

    /// Appends the rows of a batch.
    ///
    /// # Errors
    /// - [`Error::Write`], [`Error::Gdf`].
    pub(crate) fn write(
        &mut self,
        batch: &RecordBatch,
        format: impl Fn(&RecordBatch) -> Result<Vec<u8>, ArrowError> + Sync,
    ) -> Result<()> {
        let starts: Vec<usize> = (0..batch.num_rows()).step_by(ROWS).collect();
        for starts in starts.chunks(4 * gdf_core::thread_count()) {
            let text = |start: &usize| {
                let text = format(&batch.slice(*start, ROWS.min(batch.num_rows() - start)))?;
                Ok(self.compression.compress(text)?)
            };
            let texts: Vec<_> = starts.par_iter().map(text).collect();
            texts.into_iter().try_for_each(|text| self.add(text))?;
        }
        Ok(())
    }

    /// Appends a text.
    ///
    /// # Errors
    /// - [`Error::Write`], [`Error::Gdf`].
    pub(crate) fn write_text(&mut self, text: Result<Vec<u8>, ArrowError>) -> Result<()> {
        self.add(text.and_then(|text| Ok(self.compression.compress(text)?)))
    }

    fn add(&mut self, bytes: Result<Vec<u8>, ArrowError>) -> Result<()> {
        let written = bytes.map_err(|error| Error::encoding(&self.path, error)).and_then(|bytes| {
            let Some(output) = &mut self.output else { return Ok(()) };
            self.has_bytes |= !bytes.is_empty();
            output.write_all(&bytes).map_err(|error| Error::writing(&self.path, error))
        });
        if written.is_err() {
            (self.output, self.has_failed) = (None, true);
        }
        written
    }

    /// Completes the file.
    ///
    /// # Errors
    /// - [`Error::Write`].
    pub(crate) fn finish(&mut self) -> Result<()> {
        if !self.has_bytes {
            // A compressed file without a member or a frame would not be valid.
            self.write_text(Ok(Vec::new()))?;
        }
        self.output.take().map_or(Ok(()), Output::persist)
    }
}

#[cfg(all(test, not(feature = "zstd")))]
mod tests {
    use std::sync::Arc;

    use arrow_schema::Schema;

    use super::*;

    #[test]
    fn compression_that_is_not_built_in_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut output = TextOutput::new(&folder.path().join("t.csv.zst"), Format::Csv);
        let error = output.open(&Arc::new(Schema::empty())).unwrap_err();
        assert!(matches!(&error, Error::Unimplemented { what, .. } if what.contains("\"zstd\"")), "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
