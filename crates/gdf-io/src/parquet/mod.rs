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
/// The short form of [`ParquetReader`], which says what `path` may be, and what can be chosen.
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
/// - As [`ParquetReader::open`] and [`ParquetReader::read`].
pub fn read_parquet(path: impl AsRef<Path>) -> Result<Batch> {
    ParquetReader::open(path)?.read()
}

/// Reads Parquet files batch by batch, in bounded memory. The short form of [`ParquetReader::scan`].
///
/// # Errors
/// - As [`ParquetReader::open`] and [`ParquetReader::scan`].
pub fn scan_parquet(path: impl AsRef<Path>) -> Result<ParquetScan> {
    ParquetReader::open(path)?.scan()
}

/// Reads Parquet files.
///
/// # Files
/// A path is a file, a pattern (`data/*.parquet`, `data/**/part-?.parquet`), or a folder, which stands for all files below
/// it that end in `.parquet` or `.pq`. Several files are read in the order of their paths as one, by the names of the
/// first one's columns; the others may have more columns, in any order. Folders named `key=value` give columns
/// of partitions, after those of the files: 64-bit integers if all values are, days (`2026-01-31`) if all are, else text. Files and
/// folders below the path whose names begin with `.`, or with `_` and are no `key=value`, are passed over, and so are files of other formats.
///
/// Columns of one name are read side by side. By that name they are not found, which is an
/// [`Error::AmbiguousColumn`](crate::Error::AmbiguousColumn); those of several files are matched in their order.
///
/// # Types
/// Those of Arrow, which Parquet writers leave a note of; text and binary come in Arrow's plain layouts where the note says
/// views. Every encoding and every codec but LZO is read; encrypted files are an [`Error::Encrypted`](crate::Error::Encrypted).
///
/// A column of text or bytes of more than 2³¹ − 1 bytes in all rows of all files comes with 64-bit offsets, as `LargeUtf8` or `LargeBinary`
/// ([`text_limit`](ParquetReader::text_limit)); its size is what the files say of it, or else that of its pages.
///
/// # Work and memory
/// Columns of row groups are decoded side by side on the threads of rayon. Everything that stays is memory of the
/// resource of this thread's scope. What decoding needs meanwhile is the global allocator's: some pages for numbers, and for
/// text whose size the file says; the data for other text and nested columns. Columns for a GPU are decoded into memory of its
/// [current pinned resource](gdf_memory::current_pinned_resource), of which each thread takes as much as a column of a row
/// group needs, and are sent from there while the next ones are decoded; transfers may still be under way when the call
/// returns. A pool of pinned memory, as the initial resource is, grows by the first reads, which therefore take longer.
///
/// Spans of `tracing` with target `gdf` and level `debug` time a read, and within it each column of a row group (`decode`, with
/// `column`, `row_group`, `rows`), from which progress can be shown; an event says how many row groups were skipped.
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
    /// - [`Error::Malformed`](crate::Error::Malformed): a file is truncated, damaged, or no Parquet.
    /// - [`Error::Encrypted`](crate::Error::Encrypted).
    pub fn open(path: impl AsRef<Path>) -> Result<ParquetReader> {
        let Dataset { files, partitions } = Dataset::find(path.as_ref(), &["parquet", "pq"])?;
        gdf_core::prepare_threads();
        let files = files.par_iter().map(|file| ParquetFile::open(file)).collect::<Result<_>>()?;
        Ok(ParquetReader { files, partitions, options: Options::default() })
    }

    /// Reads the metadata of a file in memory.
    ///
    /// # Errors
    /// - As [`ParquetReader::open`].
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Result<ParquetReader> {
        Self::from_source(Path::new("bytes in memory"), Source::of_bytes(bytes.into().into()))
    }

    /// Reads the metadata from a source; `path` is what errors call it.
    fn from_source(path: &Path, source: Source) -> Result<ParquetReader> {
        let file = ParquetFile::of_source(path, source)?;
        Ok(ParquetReader { files: vec![file], partitions: Vec::new(), options: Options::default() })
    }

    reader_options!(
        "Only these columns, in this order. A path with dots takes some fields of a nested column \
        (`address.city`); those of one column come together, in the file's order."
    );

    /// The types that some columns come as, instead of those that the writer noted: `LargeUtf8` for more than 2 GiB of text,
    /// `Utf8` instead of a dictionary or the reverse, another unit of time, and the like. Types that values do not come as are an
    /// error: nothing is parsed.
    ///
    /// # Errors
    /// - [`Error::NoColumn`](crate::Error::NoColumn), [`Error::ColumnType`](crate::Error::ColumnType).
    pub fn types<N: Into<String>>(mut self, types: impl IntoIterator<Item = (N, DataType)>) -> Result<Self> {
        let types: Vec<(String, DataType)> = types.into_iter().map(|(name, of)| (name.into(), of)).collect();
        self.files = self.files.into_iter().map(|file| file.with_types(&types)).collect::<Result<_>>()?;
        Ok(self)
    }

    /// Decimals that are declared with at most 18 digits come as `Decimal64`, which takes half the memory of the `Decimal128` that
    /// writers note whatever the digits. Precision and scale stay. Decimals of more digits, and those in nested columns, come as
    /// they are noted.
    ///
    /// # Errors
    /// - [`Error::ColumnType`](crate::Error::ColumnType): the file stores the values as no decimal.
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

    /// Gives the columns of each file the types that are found for them.
    fn with_types(mut self, find: impl Fn(&FieldRef) -> Option<DataType>) -> Result<Self> {
        let of_file = |file: ParquetFile| {
            let fields = file.schema().fields().iter().enumerate();
            let types: Vec<_> = fields.filter_map(|(index, field)| Some((index, find(field)?))).collect();
            file.with_types_at(&types)
        };
        self.files = self.files.into_iter().map(of_file).collect::<Result<_>>()?;
        Ok(self)
    }

    /// The unit in which timestamps of the old physical type INT96 come, which Spark, Hive and Impala write; nanoseconds unless set. Those
    /// reach from 1677 to 2262, and a value beyond is an [`Error::Malformed`](crate::Error::Malformed) that says so:
    /// microseconds reach as far as any.
    ///
    /// # Errors
    /// - [`Error::Malformed`](crate::Error::Malformed): the schema makes no sense.
    #[doc(alias("coerce_int96_timestamp_unit"))]
    pub fn int96_unit(mut self, unit: TimeUnit) -> Result<Self> {
        self.files = self.files.into_iter().map(|file| file.with_int96_unit(unit)).collect::<Result<_>>()?;
        Ok(self)
    }

    /// Columns come as the types that the Parquet schema says, whatever types of Arrow the writer noted: text instead of a dictionary or of
    /// `LargeUtf8`, bytes instead of other types that Parquet has not. Called before other methods that choose types.
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
    /// - [`Error::Malformed`](crate::Error::Malformed): the schema makes no sense.
    #[doc(alias("use_arrow_schema"))]
    pub fn skip_arrow_metadata(mut self) -> Result<Self> {
        self.files = self.files.into_iter().map(ParquetFile::without_note).collect::<Result<_>>()?;
        Ok(self)
    }

    /// Only these row groups, counted over all files from 0, in this order; [`rows`](Self::rows) are then counted over them.
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

    /// Names and types of all columns of the files, whatever columns are asked for.
    pub fn schema(&self) -> SchemaRef {
        let schema = self.files[0].schema();
        let stored = schema.fields().iter().cloned();
        let folders = self.partitions.iter().map(|partition| partition.field.clone());
        let folders = folders.filter(|field| schema.index_of(field.name()).is_err());
        let fields: Fields = stored.chain(folders).collect();
        Schema::new_with_metadata(fields, schema.metadata().clone()).into()
    }

    /// The rows of all files, whatever rows are asked for.
    pub fn num_rows(&self) -> usize {
        let of_file = |file: &ParquetFile| (0..file.num_groups()).map(|group| file.group_rows(group)).sum::<usize>();
        self.files.iter().map(of_file).sum()
    }

    /// The row groups of all files.
    pub fn num_row_groups(&self) -> usize {
        self.files.iter().map(ParquetFile::num_groups).sum()
    }

    /// Reads everything that was asked for.
    ///
    /// # Errors
    /// - [`Error::NoColumn`](crate::Error::NoColumn), [`Error::AmbiguousColumn`](crate::Error::AmbiguousColumn),
    ///   [`Error::ColumnType`](crate::Error::ColumnType), [`Error::Predicate`](crate::Error::Predicate).
    /// - [`Error::Malformed`](crate::Error::Malformed), [`Error::Unimplemented`](crate::Error::Unimplemented), with the row group.
    /// - [`Error::OffsetOverflow`](crate::Error::OffsetOverflow): more than 2 GiB of text in a column that was to be `Utf8`, or of which the
    ///   files do not say so.
    /// - [`Error::Gdf`](crate::Error::Gdf): no memory, no such device, no such row group.
    pub fn read(self) -> Result<Batch> {
        Target::run("read_parquet", self.options.device, |target| {
            Plan::new(self.files, &self.partitions, &self.options)?.read(target)
        })
    }

    /// Reads batch by batch what was asked for.
    ///
    /// At any time there are one batch and what is decoded of it, of at most [`batch_rows`](Self::batch_rows) rows, whatever
    /// the size of the row groups. The columns of a batch are decoded side by side.
    ///
    /// # Errors
    /// - As [`ParquetReader::read`]; those of the data come from the iterator.
    pub fn scan(self) -> Result<ParquetScan> {
        ParquetScan::new(Plan::new(self.files, &self.partitions, &self.options)?, &self.options)
    }
}
