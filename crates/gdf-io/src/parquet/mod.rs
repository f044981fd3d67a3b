//! Parquet files.

mod chunk;
mod deltas;
mod file;
mod footer;
mod header;
mod indexes;
#[cfg(feature = "object_store")]
mod object;
mod pages;
mod place;
mod plan;
mod read;
mod runs;
mod scan;
mod shapes;
mod source;
mod thrift;
mod types;
mod write;

use std::path::Path;

use arrow_schema::{DECIMAL64_MAX_PRECISION, DataType, FieldRef, Fields, Schema, SchemaRef, TimeUnit};
use rayon::prelude::*;

use self::file::ParquetFile;
use self::plan::Plan;
use self::source::Source;
use crate::dataset::{Dataset, Partition};
use crate::options::{Options, reader_options};
use crate::target::Target;
use crate::{Batch, Result};

pub use self::scan::ParquetScan;
pub use self::write::{Compression, ParquetWriter, write_parquet};

/// Reads a Parquet file, or all files of a pattern or folder, onto the current device.
///
/// This function is the short form of [`ParquetReader`], whose documentation lists the kinds of `path` and the
/// options.
///
/// ```
/// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("trips.parquet");
/// # gdf::io::write_parquet(&gdf::io::example_batch()?, &path)?;
/// let trips = gdf::io::read_parquet(&path)?;
/// println!("{trips}");
/// assert_eq!(trips.column("id")?.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// - The errors of [`ParquetReader::open`] and [`ParquetReader::read`].
pub fn read_parquet(path: impl AsRef<Path>) -> Result<Batch> {
    ParquetReader::open(path)?.read()
}

/// Reads Parquet files batch by batch, in bounded memory. This function is the short form of [`ParquetReader::scan`].
///
/// # Errors
/// - The errors of [`ParquetReader::open`] and [`ParquetReader::scan`].
pub fn scan_parquet(path: impl AsRef<Path>) -> Result<ParquetScan> {
    ParquetReader::open(path)?.scan()
}

/// Reads Parquet files.
///
/// # Files
/// A path names a file, a pattern (`data/*.parquet`, `data/**/part-?.parquet`) or a folder. A folder stands for all
/// files below the folder that end in `.parquet` or `.pq`. Several files are read as one file, in the order of their
/// paths. The columns are the columns of the first file. The other files may have the columns in another order, and
/// may have additional columns.
///
/// Folders named `key=value` give partition columns, which follow the columns of the files. A partition column has
/// 64-bit integers if all its values are integers, days if all its values are days (`2026-01-31`), and text
/// otherwise.
///
/// The reader ignores some files and folders below the path:
///
/// - A file or folder is ignored if its name begins with `.`.
/// - A file or folder is ignored if its name begins with `_` and does not have the form `key=value`.
/// - A file of another format is ignored.
///
/// If several columns have the same name, a read of all columns returns all these columns. A selection by that name is
/// an [`Error::AmbiguousColumn`](crate::Error::AmbiguousColumn). Columns of the same name are matched between files by
/// their order.
///
/// # Types
/// The columns have Arrow types, which Parquet writers store in the metadata as an Arrow schema. View types of text
/// and binary are read as `Utf8` and `Binary`. All encodings are supported, and all codecs except LZO. An encrypted
/// file is an [`Error::Encrypted`](crate::Error::Encrypted).
///
/// If a text or binary column has more than 2³¹ − 1 bytes in all rows of all files, the column gets 64-bit offsets, as
/// `LargeUtf8` or `LargeBinary` ([`text_limit`](ParquetReader::text_limit)). The number of bytes comes from the
/// metadata of the files. If the metadata do not state the number, the uncompressed size of the pages is used instead.
///
/// # Work and memory
/// The threads of rayon decode the columns of row groups in parallel. The returned columns are allocated from the
/// memory resource of the current scope of this thread. Temporary memory comes from the global allocator. For
/// numbers, and for text whose size the file states, this memory is a few pages. For other text and for nested
/// columns, this memory is the size of the data.
///
/// Columns for a GPU are first decoded into pinned memory of the [current pinned
/// resource](gdf_memory::current_pinned_resource). Each thread takes as much pinned memory as one column of a row
/// group needs. The transfer runs while the next columns are decoded, and may still run when the call returns. The
/// initial pinned resource is a pool, which grows during the first reads. The first reads therefore take longer.
///
/// A read has spans of `tracing` with target `gdf` and level `debug`. One span times the read, and a span `decode`
/// times each column of a row group, with fields `column`, `row_group` and `rows`. These spans can drive a progress
/// display. An event states how many row groups were skipped.
///
/// ```
/// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
/// use gdf::io::{ParquetReader, Predicate};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("trips.parquet");
/// # gdf::io::write_parquet(&gdf::io::example_batch()?, &path)?;
/// let reader = ParquetReader::open(&path)?;
/// assert_eq!(reader.num_rows(), 3);
/// let trips = reader.columns(["city"]).predicate(Predicate::gt("id", 1)).read()?;
/// assert_eq!((trips.num_rows(), trips.num_columns()), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ParquetReader {
    files: Vec<ParquetFile>,
    partitions: Vec<Partition>,
    options: Options,
}

impl ParquetReader {
    /// Opens a file, or all files of a pattern or folder, and reads their metadata.
    ///
    /// # Errors
    /// - [`Error::NotFound`](crate::Error::NotFound), [`Error::NoFiles`](crate::Error::NoFiles),
    ///   [`Error::BadPattern`](crate::Error::BadPattern), [`Error::Read`](crate::Error::Read).
    /// - [`Error::Malformed`](crate::Error::Malformed): a file is truncated, damaged or not Parquet.
    /// - [`Error::Encrypted`](crate::Error::Encrypted).
    pub fn open(path: impl AsRef<Path>) -> Result<ParquetReader> {
        let Dataset { files, partitions } = Dataset::find(path.as_ref(), &["parquet", "pq"])?;
        gdf_core::prepare_threads();
        let files = files.par_iter().map(|file| ParquetFile::open(file)).collect::<Result<_>>()?;
        Ok(ParquetReader { files, partitions, options: Options::default() })
    }

    /// Makes a reader of a Parquet file in memory, and reads its metadata.
    ///
    /// # Errors
    /// - The errors of [`ParquetReader::open`].
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Result<ParquetReader> {
        Self::from_source(Path::new("bytes in memory"), Source::of_bytes(bytes.into().into()))
    }

    /// Makes a reader of a source, and reads the metadata. `path` is the name of the source in errors.
    fn from_source(path: &Path, source: Source) -> Result<ParquetReader> {
        let file = ParquetFile::of_source(path, source)?;
        Ok(ParquetReader { files: vec![file], partitions: Vec::new(), options: Options::default() })
    }

    reader_options!(
        "Reads only the columns with these names, in the given order. A path with dots selects a field of a nested \
        column (`address.city`). The selected fields of one column form one column, in the order of the file."
    );

    /// Sets the types of some columns, in place of the types that the writer stored in the metadata. Examples are
    /// `LargeUtf8` for more than 2 GiB of text, `Utf8` in place of a dictionary, a dictionary in place of `Utf8`, and
    /// another time unit. Text is not parsed. A type that the stored values cannot be decoded to is an error.
    ///
    /// # Errors
    /// - [`Error::NoColumn`](crate::Error::NoColumn), [`Error::ColumnType`](crate::Error::ColumnType).
    pub fn types<N: Into<String>>(mut self, types: impl IntoIterator<Item = (N, DataType)>) -> Result<Self> {
        let types: Vec<(String, DataType)> = types.into_iter().map(|(name, of)| (name.into(), of)).collect();
        self.files = self.files.into_iter().map(|file| file.with_types(&types)).collect::<Result<_>>()?;
        Ok(self)
    }

    /// Reads decimals of at most 18 digits as `Decimal64`. Writers usually store `Decimal128` in the metadata
    /// regardless of the number of digits, and `Decimal64` takes half the memory. Precision and scale stay the same.
    /// Decimals of more digits and decimals in nested columns keep their types.
    ///
    /// # Errors
    /// - [`Error::ColumnType`](crate::Error::ColumnType): the file does not store the values as decimals.
    #[doc(alias("decimal64"))]
    pub fn narrow_decimals(self) -> Result<Self> {
        let narrow = |field: &FieldRef| match *field.data_type() {
            DataType::Decimal128(precision @ ..=DECIMAL64_MAX_PRECISION, scale) => {
                Some(DataType::Decimal64(precision, scale))
            }
            _ => None,
        };
        self.with_types(narrow)
    }

    /// Sets the types of columns in each file. `find` returns the new type of a column, or `None` if the type stays.
    fn with_types(mut self, find: impl Fn(&FieldRef) -> Option<DataType>) -> Result<Self> {
        let of_file = |file: ParquetFile| {
            let fields = file.schema().fields().iter().enumerate();
            let types: Vec<_> = fields.filter_map(|(index, field)| Some((index, find(field)?))).collect();
            file.with_types_at(&types)
        };
        self.files = self.files.into_iter().map(of_file).collect::<Result<_>>()?;
        Ok(self)
    }

    /// Sets the unit of timestamps of the old physical type INT96, which Spark, Hive and Impala write. The default is
    /// nanoseconds. 64-bit nanoseconds cover the years 1677 to 2262 only. A value outside that range is an
    /// [`Error::Malformed`](crate::Error::Malformed) whose message suggests microseconds. Microseconds cover all
    /// INT96 timestamps in practice.
    ///
    /// # Errors
    /// - [`Error::Malformed`](crate::Error::Malformed): the Parquet schema has no Arrow equivalent.
    #[doc(alias("coerce_int96_timestamp_unit"))]
    pub fn int96_unit(mut self, unit: TimeUnit) -> Result<Self> {
        self.files = self.files.into_iter().map(|file| file.with_int96_unit(unit)).collect::<Result<_>>()?;
        Ok(self)
    }

    /// Reads columns with the types of the Parquet schema, and ignores the Arrow schema that the writer stored in the
    /// metadata. For example, a dictionary or `LargeUtf8` becomes `Utf8`, and a type without a Parquet equivalent
    /// becomes binary. Call this method before other methods that choose types.
    ///
    /// ```
    /// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
    /// use gdf::DataType;
    /// use gdf::io::ParquetReader;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("trips.parquet");
    /// # gdf::io::write_parquet(&gdf::io::example_batch()?, &path)?;
    /// let reader = ParquetReader::open(&path)?.skip_arrow_metadata()?;
    /// assert_eq!(reader.schema().field_with_name("city")?.data_type(), &DataType::Utf8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::Malformed`](crate::Error::Malformed): the Parquet schema has no Arrow equivalent.
    #[doc(alias("use_arrow_schema"))]
    pub fn skip_arrow_metadata(mut self) -> Result<Self> {
        self.files = self.files.into_iter().map(ParquetFile::without_note).collect::<Result<_>>()?;
        Ok(self)
    }

    /// Reads only the given row groups, in the given order. Row groups are counted from 0 over all files.
    /// [`rows`](Self::rows) then counts the rows of these row groups only.
    ///
    /// ```
    /// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("trips.parquet");
    /// # gdf::io::write_parquet(&gdf::io::example_batch()?, &path)?;
    /// let reader = gdf::io::ParquetReader::open(&path)?;
    /// let last = reader.num_row_groups() - 1;
    /// assert_eq!(reader.row_groups([last]).read()?.num_rows(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn row_groups(mut self, row_groups: impl IntoIterator<Item = usize>) -> Self {
        self.options.row_groups = Some(row_groups.into_iter().collect());
        self
    }

    /// Returns the names and types of all columns of the files, regardless of the selected columns.
    pub fn schema(&self) -> SchemaRef {
        let schema = self.files[0].schema();
        let stored = schema.fields().iter().cloned();
        let folders = self.partitions.iter().map(|partition| partition.field.clone());
        let folders = folders.filter(|field| schema.index_of(field.name()).is_err());
        let fields: Fields = stored.chain(folders).collect();
        Schema::new_with_metadata(fields, schema.metadata().clone()).into()
    }

    /// Returns the number of rows of all files, regardless of the selected rows.
    pub fn num_rows(&self) -> usize {
        let of_file = |file: &ParquetFile| (0..file.num_groups()).map(|group| file.group_rows(group)).sum::<usize>();
        self.files.iter().map(of_file).sum()
    }

    /// Returns the number of row groups of all files.
    pub fn num_row_groups(&self) -> usize {
        self.files.iter().map(ParquetFile::num_groups).sum()
    }

    /// Reads all selected rows and columns.
    ///
    /// # Errors
    /// - [`Error::NoColumn`](crate::Error::NoColumn), [`Error::AmbiguousColumn`](crate::Error::AmbiguousColumn),
    ///   [`Error::ColumnType`](crate::Error::ColumnType), [`Error::Predicate`](crate::Error::Predicate).
    /// - [`Error::Malformed`](crate::Error::Malformed), [`Error::Unimplemented`](crate::Error::Unimplemented), with
    ///   the row group.
    /// - [`Error::OffsetOverflow`](crate::Error::OffsetOverflow): a column has more than 2 GiB of text, and either
    ///   the caller asked for `Utf8`, or the files do not state the size.
    /// - [`Error::Gdf`](crate::Error::Gdf): an allocation failed, the device does not exist, or a row group does not
    ///   exist.
    pub fn read(self) -> Result<Batch> {
        Target::run("read_parquet", self.options.device, |target| {
            Plan::new(self.files, &self.partitions, &self.options)?.read(target)
        })
    }

    /// Reads the selected rows and columns batch by batch.
    ///
    /// At any time, memory holds one batch and its decoded arrays. A batch has at most
    /// [`batch_rows`](Self::batch_rows) rows, regardless of the size of the row groups. The columns of a batch are
    /// decoded in parallel.
    ///
    /// # Errors
    /// - The errors of [`ParquetReader::read`]. The iterator returns the errors that concern the data.
    pub fn scan(self) -> Result<ParquetScan> {
        ParquetScan::new(Plan::new(self.files, &self.partitions, &self.options)?, &self.options)
    }
}
