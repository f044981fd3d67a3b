//! Batches to Parquet files.

use std::path::{Path, PathBuf};

use arrow_schema::SchemaRef;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowWriter, encode_arrow_schema};
use parquet::basic::{BrotliLevel, Compression as Codec, GzipLevel, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use super::types::{CREATED_BY, stored_batch, stored_schema};
use crate::error::Format;
use crate::output::Output;
use crate::write::{check_schema, check_types};
use crate::{Batch, Error, Result};

/// Rows of a row group, unless asked for others.
const ROW_GROUP_ROWS: usize = 1 << 20;

/// How pages of a Parquet file are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compression {
    /// No compression.
    Uncompressed,
    /// Fast, and read by everybody; the default.
    #[default]
    Snappy,
    /// Smaller: Zstandard of a level from 1 (fast) to 22.
    Zstd(u8),
    /// For readers that have nothing else: levels 0 to 9.
    Gzip(u8),
    /// As fast as Snappy.
    Lz4,
    /// Small and slow: levels 0 to 11.
    Brotli(u8),
}

impl Compression {
    /// The codec; levels that do not exist are the nearest that do.
    fn codec(self) -> Result<Codec, ParquetError> {
        Ok(match self {
            Compression::Uncompressed => Codec::UNCOMPRESSED,
            Compression::Snappy => Codec::SNAPPY,
            Compression::Zstd(level) => Codec::ZSTD(ZstdLevel::try_new(i32::from(level).clamp(1, 22))?),
            Compression::Gzip(level) => Codec::GZIP(GzipLevel::try_new(u32::from(level).min(9))?),
            Compression::Lz4 => Codec::LZ4_RAW,
            Compression::Brotli(level) => Codec::BROTLI(BrotliLevel::try_new(u32::from(level).min(11))?),
        })
    }
}

/// Writes a batch to a Parquet file. The short form of [`ParquetWriter`].
///
/// # Errors
/// - As [`ParquetWriter::write`] and [`ParquetWriter::finish`].
pub fn write_parquet(batch: &Batch, path: impl AsRef<Path>) -> Result<()> {
    let mut writer = ParquetWriter::new(path, batch.schema());
    writer.write(batch)?;
    writer.finish()
}

/// Writes batches to a Parquet file, which appears under its name once it is finished, and not at all if something fails.
///
/// Values are written in the encodings that readers of every kind know (dictionary, plain), with statistics, a page index, and a
/// note of the Arrow types. Parquet has no seconds and no `Date64`: timestamps and times of day of seconds are stored as milliseconds, and
/// `Date64` as days, as pyarrow does; [`ParquetReader`](crate::ParquetReader) gives the types of the note. Batches of a GPU are copied to the CPU first, which **waits**.
///
/// ```
/// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
/// use gdf::io::{Compression, ParquetWriter};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("trips.parquet");
/// let batch = gdf::io::example_batch()?;
/// let mut writer = ParquetWriter::new(&path, batch.schema()).compression(Compression::Zstd(3));
/// writer.write(&batch)?;
/// writer.write(&batch.slice(0, 2)?)?;
/// writer.finish()?;
/// assert_eq!(gdf::io::read_parquet(&path)?.num_rows(), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ParquetWriter {
    path: PathBuf,
    schema: SchemaRef,
    /// The schema of the types that the file stores.
    stored: SchemaRef,
    compression: Compression,
    row_group_rows: usize,
    writer: Option<ArrowWriter<Output>>,
}

impl ParquetWriter {
    /// A writer of batches with these columns. Nothing is opened yet.
    pub fn new(path: impl AsRef<Path>, schema: &SchemaRef) -> ParquetWriter {
        ParquetWriter {
            path: path.as_ref().to_owned(),
            schema: schema.clone(),
            stored: stored_schema(schema),
            compression: Compression::default(),
            row_group_rows: ROW_GROUP_ROWS,
            writer: None,
        }
    }

    /// How pages are compressed, before the first batch.
    #[must_use]
    pub fn compression(mut self, compression: Compression) -> Self {
        self.compression = compression;
        self
    }

    /// How many rows a row group has at most, 1,048,576 unless set; at least 1. Before the first batch.
    #[must_use]
    pub fn row_group_rows(mut self, rows: usize) -> Self {
        self.row_group_rows = rows.max(1);
        self
    }

    /// Adds the rows of a batch. **Waits** for device memory.
    ///
    /// # Errors
    /// - [`Error::SchemaMismatch`]: the batch has other columns.
    /// - [`Error::Unsupported`]: a type has no form in Parquet; [`Error::UnsupportedValue`]: seconds that milliseconds do not reach, or a
    ///   `Date64` within a day.
    /// - [`Error::Write`]; the writer is not to be used after that.
    /// - [`Error::Gdf`]: the batch cannot be copied to the CPU.
    pub fn write(&mut self, batch: &Batch) -> Result<()> {
        check_schema(&self.schema, batch.schema())?;
        let (_, table) = batch.clone().into_parts();
        let batch = stored_batch(&Batch::try_new(self.schema.clone(), table)?.to_arrow()?, &self.stored)?;
        let path = self.path.clone();
        self.open()?.write(&batch).map_err(|error| failure(&path, error))
    }

    /// Completes the file and gives it its name; what had the name is replaced.
    ///
    /// # Errors
    /// - [`Error::Write`], [`Error::Unsupported`].
    pub fn finish(mut self) -> Result<()> {
        self.open()?;
        let Some(writer) = self.writer.take() else { return Ok(()) };
        writer.into_inner().map_err(|error| failure(&self.path, error))?.persist()
    }

    fn open(&mut self) -> Result<&mut ArrowWriter<Output>> {
        if self.writer.is_none() {
            check_types(Format::Parquet, &self.schema)?;
            let failed = |error| failure(&self.path, error);
            let properties = WriterProperties::builder()
                .set_compression(self.compression.codec().map_err(failed)?)
                .set_max_row_group_row_count(Some(self.row_group_rows))
                .set_created_by(CREATED_BY.to_owned());
            let note = KeyValue::new(ARROW_SCHEMA_META_KEY.to_owned(), encode_arrow_schema(&self.schema));
            let properties = properties.set_key_value_metadata(Some(vec![note])).build();
            let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
            let output = Output::create(&self.path)?;
            let writer = ArrowWriter::try_new_with_options(output, self.stored.clone(), options);
            self.writer = Some(writer.map_err(failed)?);
        }
        match &mut self.writer {
            Some(writer) => Ok(writer),
            None => Err(Error::writing(&self.path, std::io::ErrorKind::NotFound.into())),
        }
    }
}

impl std::fmt::Debug for ParquetWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetWriter").field("path", &self.path).finish_non_exhaustive()
    }
}

fn failure(path: &Path, error: ParquetError) -> Error {
    let other = |source| Error::writing(path, std::io::Error::other(source));
    match error {
        ParquetError::External(source) => match source.downcast::<std::io::Error>() {
            Ok(source) => Error::writing(path, *source),
            Err(source) => other(source),
        },
        error => other(error.into()),
    }
}
