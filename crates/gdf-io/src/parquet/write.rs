//! Writes batches to Parquet files.

use std::path::{Path, PathBuf};

use arrow_schema::SchemaRef;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowWriter, encode_arrow_schema};
use parquet::basic::{BrotliLevel, Compression as Codec, GzipLevel, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use super::failure::{contained, write_failure};
use super::layout::{Layout, ParquetEncoding};
use super::types::{CREATED_BY, stored_batch, stored_schema};
use crate::error::Format;
use crate::keys::Distinct;
use crate::output::{Output, failed_earlier};
use crate::write::{check_schema, check_types};
use crate::{Batch, Error, Result};

/// The number of rows that are written before the bytes of the row group are compared with their limit. The parquet crate
/// compares them once for each batch, which may have all rows of a file.
const ROWS_BETWEEN_LIMITS: usize = 1 << 16;

/// The compression of the pages of a Parquet file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compression {
    /// No compression.
    Uncompressed,
    /// Snappy. Snappy is the default, because it is fast and all Parquet readers support it.
    #[default]
    Snappy,
    /// Zstandard, with a level from 1 (fast) to 22 (small files). The files are smaller than with Snappy.
    Zstd(u8),
    /// Gzip, with a level from 0 to 9. Gzip is for readers that support no newer codec.
    Gzip(u8),
    /// LZ4 (`LZ4_RAW`), which is as fast as Snappy.
    Lz4,
    /// Brotli, with a level from 0 to 11. The files are small, and writing is slow.
    Brotli(u8),
}

impl Compression {
    /// Returns the codec.
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

/// Writes a batch to a Parquet file. This function is the short form of [`ParquetWriter`].
///
/// # Errors
/// - The errors of [`ParquetWriter::write`] and [`ParquetWriter::finish`].
pub fn write_parquet(batch: &Batch, path: impl AsRef<Path>) -> Result<()> {
    let mut writer = ParquetWriter::new(path, batch.schema());
    writer.write(batch)?;
    writer.finish()
}

/// Writes batches to a Parquet file.
///
/// While the writer works, the file has a temporary name. `finish` gives the file its final name. If anything fails,
/// the file does not appear under that name.
///
/// Without other options, the writer uses the dictionary encoding and the plain encoding, which all Parquet readers
/// support. The file has statistics (also of sizes), a page index, and the Arrow schema in its metadata. For files that
/// GPUs read fast, call [`for_gpu`](Self::for_gpu). Parquet has neither a unit of seconds nor `Date64`.
/// The writer stores timestamps and times of day in seconds as milliseconds, and `Date64` as days, as pyarrow does.
/// [`ParquetReader`](crate::ParquetReader) restores the types of the Arrow schema. If the dictionaries of all batches
/// together have more values than their keys can number, the Arrow schema of the file has wider keys.
///
/// A batch on a GPU is first copied to the CPU. The copy **waits** for the device.
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
    /// The schema with the types in which the file stores the columns.
    stored: SchemaRef,
    compression: Compression,
    layout: Layout,
    writer: Option<ArrowWriter<Output>>,
    distinct: Distinct,
    has_failed: bool,
}

impl ParquetWriter {
    /// Makes a writer of batches with the columns of `schema`. The file is not opened yet.
    pub fn new(path: impl AsRef<Path>, schema: &SchemaRef) -> ParquetWriter {
        ParquetWriter {
            path: path.as_ref().to_owned(),
            schema: schema.clone(),
            stored: stored_schema(schema),
            compression: Compression::default(),
            layout: Layout::default(),
            writer: None,
            distinct: Distinct::default(),
            has_failed: false,
        }
    }

    /// Sets the compression of the pages. Call this method before the first batch is written.
    #[must_use]
    pub fn compression(mut self, compression: Compression) -> Self {
        self.compression = compression;
        self
    }

    /// Chooses the sizes of row groups, pages and dictionaries for readers that decode on a GPU, such as gdf and libcudf.
    /// Other readers read these files as any others. The compression is not changed; GPUs decompress Snappy, which is the
    /// default, and LZ4. Options that are set afterwards replace what this method has chosen. Call this method before the
    /// first batch is written.
    ///
    /// A GPU decodes all pages of a read at the same time, but each of them by few threads. Therefore the file has many
    /// small pages in few large row groups:
    ///
    /// | part | at most about | without this method |
    /// |---|---|---|
    /// | page | 16,384 rows and 64 KiB of decompressed values | 20,000 rows and 1 MiB |
    /// | row group | 2,097,152 rows and 512 MiB in the file | 1,048,576 rows |
    /// | dictionary | 128 KiB; the values that follow are plain | 1 MiB |
    ///
    /// A full row group has at least 128 pages per column. The writer keeps the encoded pages of one row group in memory.
    ///
    /// ```
    /// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
    /// use gdf::io::ParquetWriter;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("trips.parquet");
    /// let batch = gdf::io::example_batch()?;
    /// let mut writer = ParquetWriter::new(&path, batch.schema()).for_gpu();
    /// writer.write(&batch)?;
    /// writer.finish()?;
    /// assert_eq!(gdf::io::read_parquet(&path)?.num_rows(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn for_gpu(mut self) -> Self {
        self.layout.make_for_gpu();
        self
    }

    /// Sets the largest number of rows of a row group. The default is 1,048,576. The value 0 means 1. Call this method
    /// before the first batch is written.
    #[must_use]
    #[doc(alias("row_group_size"))]
    pub fn row_group_rows(mut self, rows: usize) -> Self {
        self.layout.row_group_rows = rows.max(1);
        self
    }

    /// Sets the number of bytes in the file at which a row group ends, about. The default is no limit. The value 0 means
    /// 1. Call this method before the first batch is written.
    #[must_use]
    pub fn row_group_bytes(mut self, bytes: usize) -> Self {
        self.layout.row_group_bytes = Some(bytes.max(1));
        self
    }

    /// Sets the number of rows at which a page of a column ends, about. The default is 20,000. The value 0 means 1. With
    /// fewer rows, a predicate skips more of them by the page index, and the file is larger. Call this method before the
    /// first batch is written.
    #[must_use]
    pub fn page_rows(mut self, rows: usize) -> Self {
        self.layout.page_rows = rows.max(1);
        self
    }

    /// Sets the number of bytes of encoded values, before compression, at which a page of a column ends, about. The
    /// default is 1 MiB. The value 0 means 1. Call this method before the first batch is written.
    #[must_use]
    #[doc(alias("data_page_size"))]
    pub fn page_bytes(mut self, bytes: usize) -> Self {
        self.layout.page_bytes = bytes.max(1);
        self
    }

    /// Sets the number of bytes, before compression, at which the dictionary of a column chunk ends, about. The values
    /// that follow in the chunk are plain. The default is 1 MiB. With 0, no column has a dictionary. Call this method
    /// before the first batch is written.
    #[must_use]
    #[doc(alias("dictionary_pagesize_limit"))]
    pub fn dictionary_bytes(mut self, bytes: usize) -> Self {
        self.layout.dictionary_bytes = bytes;
        self
    }

    /// Sets the encoding of a column, and of all fields of a nested column. The default of all columns is
    /// [`ParquetEncoding::Dictionary`]. Call this method before the first batch is written, once for each column.
    ///
    /// ```
    /// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
    /// use gdf::io::{ParquetEncoding, ParquetWriter};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("trips.parquet");
    /// let batch = gdf::io::example_batch()?;
    /// let mut writer = ParquetWriter::new(&path, batch.schema()).encoding("id", ParquetEncoding::DeltaBinaryPacked);
    /// writer.write(&batch)?;
    /// writer.finish()?;
    /// assert_eq!(gdf::io::read_parquet(&path)?.num_rows(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[doc(alias("column_encoding"))]
    pub fn encoding(mut self, column: impl Into<String>, encoding: ParquetEncoding) -> Self {
        self.layout.encodings.push((column.into(), encoding));
        self
    }

    /// Adds Bloom filters of some columns to the file, and of all fields of nested columns. By these, other readers, such
    /// as DuckDB and Spark, skip row groups that do not have a value. gdf does not use the filters. Call this method
    /// before the first batch is written.
    #[must_use]
    pub fn bloom_filters<N: Into<String>>(mut self, columns: impl IntoIterator<Item = N>) -> Self {
        self.layout.bloom_filters = columns.into_iter().map(Into::into).collect();
        self
    }

    /// Writes the rows of a batch. **Waits** for device memory.
    ///
    /// # Errors
    /// - [`Error::SchemaMismatch`]: the batch has other columns, or decimals with more digits.
    /// - [`Error::Unsupported`]: Parquet cannot represent a type.
    /// - [`Error::NoColumn`], [`Error::AmbiguousColumn`], [`Error::Encoding`]: [`encoding`](Self::encoding) or
    ///   [`bloom_filters`](Self::bloom_filters) names a column that does not exist or occurs several times, or a column
    ///   cannot have the encoding.
    /// - [`Error::UnsupportedValue`]: a number of seconds exceeds the range of 64-bit milliseconds, a `Date64` is not a
    ///   whole number of days, or a decimal has more digits than its type.
    /// - [`Error::Write`]: the file cannot be written. All later calls also return this error.
    /// - [`Error::Gdf`]: the batch cannot be copied to the CPU, or the batch has rows but no columns.
    pub fn write(&mut self, batch: &Batch) -> Result<()> {
        check_schema(&self.schema, batch.schema())?;
        if batch.num_columns() == 0 && batch.num_rows() > 0 {
            let rule = "a batch without columns must have 0 rows, because Parquet counts the rows of columns; add a \
                        column";
            return Err(gdf_core::Error::invalid_argument(rule).in_operation("write_parquet").into());
        }
        let (_, table) = batch.clone().into_parts();
        let batch = Batch::try_new(self.schema.clone(), table)?.to_arrow()?;
        self.distinct.add(batch.columns());
        let batch = stored_batch(&batch, &self.stored)?;
        let path = self.path.clone();
        let rows = batch.num_rows();
        let step = if self.layout.row_group_bytes.is_some() { ROWS_BETWEEN_LIMITS } else { rows.max(1) };
        let writer = self.open()?;
        let mut write = |start: usize| writer.write(&batch.slice(start, step.min(rows - start)));
        let written = contained(|| (0..rows).step_by(step).try_for_each(&mut write));
        let written = written.map_err(|error| write_failure(&path, error));
        if written.is_err() {
            (self.writer, self.has_failed) = (None, true);
        }
        written
    }

    /// Completes the file and gives it its final name. If a file with that name exists, it is replaced.
    ///
    /// # Errors
    /// - [`Error::Write`], and if no batch was written, the errors of the schema and options that
    ///   [`write`](Self::write) returns.
    pub fn finish(mut self) -> Result<()> {
        self.open()?;
        let Some(mut writer) = self.writer.take() else { return Ok(()) };
        let note = encode_arrow_schema(&self.distinct.widened(&self.schema));
        writer.append_key_value_metadata(KeyValue::new(ARROW_SCHEMA_META_KEY.to_owned(), note));
        contained(|| writer.into_inner()).map_err(|error| write_failure(&self.path, error))?.persist()
    }

    fn open(&mut self) -> Result<&mut ArrowWriter<Output>> {
        if self.has_failed {
            return Err(Error::writing(&self.path, failed_earlier()));
        }
        if self.writer.is_none() {
            check_types(Format::Parquet, &self.schema)?;
            let failed = |error| write_failure(&self.path, error);
            let properties = WriterProperties::builder()
                .set_compression(self.compression.codec().map_err(failed)?)
                .set_created_by(CREATED_BY.to_owned());
            let properties = self.layout.applied(properties, &self.path, &self.schema, &self.stored)?;
            let options = ArrowWriterOptions::new().with_properties(properties.build()).with_skip_arrow_metadata(true);
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array, RecordBatch};

    use super::*;

    #[test]
    fn a_writer_that_failed_writes_no_file() {
        let column: ArrayRef = Arc::new(Int64Array::from_iter_values(0..1 << 17));
        let batch = Batch::from_arrow(&RecordBatch::try_from_iter([("n", column)]).unwrap()).unwrap();
        let mut writer = ParquetWriter::new("/dev/full", batch.schema()).compression(Compression::Uncompressed);
        writer = writer.row_group_rows(1 << 16);
        assert!(matches!(writer.write(&batch), Err(Error::Write { .. })));
        for error in [writer.write(&batch).unwrap_err(), writer.finish().unwrap_err()] {
            let Error::Write { source, .. } = &error else { panic!("{error}") };
            assert!(source.to_string().contains("an earlier write to this file failed"), "{source}");
        }
    }
}
