//! Parquet files.

mod chunk;
mod codecs;
mod decode;
mod deltas;
mod device;
mod failure;
mod file;
mod filtered;
mod footer;
mod footer_cache;
mod group;
mod header;
mod indexes;
mod layout;
mod leaf;
#[cfg(feature = "object_store")]
mod object;
mod packed;
mod pages;
mod piece;
mod place;
mod plan;
mod read;
mod refusal;
mod scan;
mod selected;
mod shapes;
mod slot;
mod source;
mod staging;
mod statistics;
mod text;
mod thrift;
mod types;
mod unify;
mod write;

use std::path::Path;

use arrow_schema::{DECIMAL64_MAX_PRECISION, DataType, FieldRef, Fields, Schema, SchemaRef, TimeUnit};
use rayon::prelude::*;

use self::file::ParquetFile;
use self::plan::Plan;
use self::source::Source;
use self::unify::{Together, widened, with_common_types};
use crate::dataset::{Dataset, Partition};
use crate::merge::merged_schema;
use crate::options::{Options, reader_options};
use crate::target::Target;
use crate::{Batch, Result};

pub use self::layout::ParquetEncoding;
pub use self::piece::ParquetPiece;
pub use self::scan::ParquetScan;
pub use self::statistics::ParquetColumnStatistics;
pub use self::write::{Compression, ParquetWriter, write_parquet};

/// Reads a Parquet file, or all files of a pattern or folder, onto the current device.
///
/// This function is the short form of [`ParquetReader`]. The documentation of the reader describes the options, and
/// what `path` can be.
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
/// A path names a file, a pattern (`data/*.parquet`, `data/**/part-?.parquet`) or a folder. A folder means all files
/// below the folder that end in `.parquet` or `.pq`. Several files are read like one file, in the order of their paths.
/// The result has the columns of the first file. In the other files, the columns may have another order, and there may
/// be additional columns. A field of the result allows nulls if it allows nulls in any of the files, and decimals have
/// the largest precision that their column has in any file. If a column has other types in other files, the result has
/// their common type: the wider integer or float, the finer unit of time, text for text with other offsets and for
/// dictionaries of text. If there is no common type, the read returns
/// [`Error::ColumnType`](crate::Error::ColumnType). The fields of structs must have the same names in the same
/// order in all files.
///
/// If folders have names like `key=value`, they give partition columns, which follow after the columns of the files. If
/// all valid values of a partition column are integers without leading zeros, the column has 64-bit integers. If all
/// valid values are days (`2026-01-31`), the column has days. In all other cases the column has text.
///
/// The reader ignores some files and folders below the path:
///
/// - A file or folder is ignored if its name begins with `.`.
/// - A file or folder is ignored if its name begins with `_` and does not have the form `key=value`.
/// - A file of another format is ignored.
///
/// If several columns have the same name, a read of all columns returns all of them. A selection by that name returns
/// [`Error::AmbiguousColumn`](crate::Error::AmbiguousColumn). Columns with the same name are matched between files by
/// their order.
///
/// # Types
/// The columns have the Arrow types that the writer has stored in the metadata as an Arrow schema. The view types of
/// text and binary are read as `Utf8` and `Binary`. All encodings are supported, and all codecs except LZO. If a file
/// is encrypted, the read returns [`Error::Encrypted`](crate::Error::Encrypted).
///
/// If a text or binary column has more than 2³¹ − 1 bytes in all rows of all files, [`read`](ParquetReader::read) gives
/// the column 64-bit offsets. Its type is then `LargeUtf8` or `LargeBinary` ([`text_limit`](ParquetReader::text_limit)).
/// [`pieces`](ParquetReader::pieces) and [`scan`](ParquetReader::scan) do so only if a row group alone has more bytes.
/// The types of all pieces and batches are then the same; [`types_of_read`](ParquetReader::types_of_read) gives them
/// the types of a read. The number of bytes comes from the metadata of the files. If the metadata do not contain the
/// number, the uncompressed size of the pages is used instead.
///
/// # Work and memory
/// The threads of rayon decode the columns of row groups in parallel. The returned columns are allocated from the
/// memory resource of the current scope of this thread. Temporary memory comes from the global allocator. For numbers,
/// and for text whose size the file states, the temporary memory is a few pages. For other text and for nested columns,
/// the temporary memory is as large as the data.
///
/// If the columns are for a GPU, they are first decoded into pinned memory of the [current pinned
/// resource](gdf_memory::current_pinned_resource). Each thread takes as much pinned memory as one column of a row group
/// needs. The transfer runs while the next columns are decoded, and may still run when the call returns. By default,
/// the pinned resource is a pool. The pool grows during the first reads, so the first reads take longer.
///
/// A read has spans of `tracing` with the target `gdf` and the level `debug`. One span measures the whole read. For
/// each column of a row group, a span `decode` measures the decoding, with the fields `column`, `row_group` and `rows`.
/// A program can use these spans to display the progress. An event states how many row groups were skipped.
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
        Self::open_all([path])
    }

    /// Opens the files of several paths, and reads their metadata. The files are read one path after the other, as the
    /// files of a folder are.
    ///
    /// # Errors
    /// - The errors of [`ParquetReader::open`].
    pub fn open_all<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<ParquetReader> {
        let paths: Vec<P> = paths.into_iter().collect();
        let Dataset { files, partitions } = Dataset::find(&paths, &["parquet", "pq"])?;
        gdf_core::prepare_threads();
        let files = files.par_iter().map(|file| ParquetFile::open(file)).collect::<Result<Vec<_>>>()?;
        let files = with_common_types(files)?;
        Ok(ParquetReader { files, partitions, options: Options::default() })
    }

    /// Makes a reader of a Parquet file in memory, and reads its metadata.
    ///
    /// # Errors
    /// - The errors of [`ParquetReader::open`].
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Result<ParquetReader> {
        Self::from_source(Path::new("bytes in memory"), Source::of_bytes(bytes.into().into()))
    }

    /// Makes a reader of a source, and reads its metadata.
    fn from_source(path: &Path, source: Source) -> Result<ParquetReader> {
        let file = ParquetFile::of_source(path, source)?;
        Ok(ParquetReader { files: vec![file], partitions: Vec::new(), options: Options::default() })
    }

    reader_options!(
        "Reads only the columns with these names, in the given order. A path with dots selects a field of a nested \
        column (`address.city`). The selected fields of one column form one column, in the order of the file."
    );

    /// Sets the types of some columns. These types replace the types that the writer has stored in the metadata.
    /// Examples are `LargeUtf8` for more than 2 GiB of text, `Utf8` in place of a dictionary, a dictionary in place of
    /// `Utf8`, and another time unit. Text is not parsed. If the stored values cannot be decoded to a type, the result
    /// is an error.
    ///
    /// # Errors
    /// - [`Error::NoColumn`](crate::Error::NoColumn), [`Error::ColumnType`](crate::Error::ColumnType).
    pub fn types<N: Into<String>>(mut self, types: impl IntoIterator<Item = (N, DataType)>) -> Result<Self> {
        let types: Vec<(String, DataType)> = types.into_iter().map(|(name, of)| (name.into(), of)).collect();
        self.files = self.files.into_iter().map(|file| file.with_types(&types)).collect::<Result<_>>()?;
        Ok(self)
    }

    /// Reads decimals of at most 18 digits as `Decimal64`. Writers usually store the type `Decimal128` in the metadata,
    /// whatever the number of digits. `Decimal64` takes half the memory, and is decoded without a detour over 128 bits.
    /// Precision and scale stay the same. A value with more digits than the type is an error. Decimals with more digits,
    /// and decimals in nested columns, keep their types.
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

    /// Sets the types of columns in each file.
    fn with_types(mut self, find: impl Fn(&FieldRef) -> Option<DataType>) -> Result<Self> {
        let of_file = |file: ParquetFile| {
            let fields = file.schema().fields().iter().enumerate();
            let types: Vec<_> = fields.filter_map(|(index, field)| Some((index, find(field)?))).collect();
            file.with_types_at(&types)
        };
        self.files = self.files.into_iter().map(of_file).collect::<Result<_>>()?;
        Ok(self)
    }

    /// Gives pieces and batches the types that [`read`](Self::read) returns: text with more bytes than
    /// [`text_limit`](Self::text_limit) in all rows of all files has 64-bit offsets. The rows of several pieces can then
    /// be put together in one column. Call this method after `text_limit` and the methods that select columns.
    ///
    /// ```
    /// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
    /// use gdf::DataType;
    /// use gdf::io::ParquetReader;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("trips.parquet");
    /// # gdf::io::write_parquet(&gdf::io::example_batch()?, &path)?;
    /// let scan = ParquetReader::open(&path)?.columns(["city"]).text_limit(1).types_of_read()?.scan()?;
    /// assert_eq!(scan.schema().field(0).data_type(), &DataType::LargeUtf8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::ColumnType`](crate::Error::ColumnType): the values of a column cannot be decoded to the type.
    pub fn types_of_read(mut self) -> Result<Self> {
        self.files = widened(self.files, &self.options, Together::All)?;
        Ok(self)
    }

    /// Sets the unit of timestamps that have the old physical type INT96. Spark, Hive and Impala write such timestamps.
    /// The default is nanoseconds. 64-bit nanoseconds only cover the years 1677 to 2262. If a value is outside of that
    /// range, the read returns [`Error::Malformed`](crate::Error::Malformed) with the advice to use microseconds.
    /// Microseconds cover all INT96 timestamps that occur in practice.
    ///
    /// # Errors
    /// - [`Error::Malformed`](crate::Error::Malformed): the Parquet schema has no Arrow equivalent.
    #[doc(alias("coerce_int96_timestamp_unit"))]
    pub fn int96_unit(mut self, unit: TimeUnit) -> Result<Self> {
        self.files = self.files.into_iter().map(|file| file.with_int96_unit(unit)).collect::<Result<_>>()?;
        Ok(self)
    }

    /// Reads columns with the types of the Parquet schema. The Arrow schema that the writer has stored in the metadata
    /// is ignored. For example, a dictionary or `LargeUtf8` becomes `Utf8`, and a type that Parquet does not have
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
        let files = self.files.into_iter().map(ParquetFile::without_note).collect::<Result<Vec<_>>>()?;
        self.files = with_common_types(files)?;
        Ok(self)
    }

    /// Reads only the given row groups, in the given order. Row groups are counted from 0 over all files.
    /// [`rows`](Self::rows) then counts only the rows of these row groups.
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

    /// Returns the names and types of all columns of the files. A field allows nulls if it allows nulls in any file.
    /// The result does not depend on the selected columns, nor on the sizes of texts: a column that has `Utf8` here has
    /// `LargeUtf8` in the result of [`read`](Self::read) if it has more bytes than [`text_limit`](Self::text_limit).
    /// [`ParquetPiece::schema`] and [`ParquetScan::schema`] have the types of pieces and batches.
    pub fn schema(&self) -> SchemaRef {
        let (first, others) = (self.files[0].schema(), &self.files[1..]);
        let schema = others.iter().fold(first.clone(), |schema, file| merged_schema(&schema, file.schema()));
        let stored = schema.fields().iter().cloned();
        let folders = self.partitions.iter().map(|partition| partition.field.clone());
        let folders = folders.filter(|field| schema.index_of(field.name()).is_err());
        let fields: Fields = stored.chain(folders).collect();
        Schema::new_with_metadata(fields, schema.metadata().clone()).into()
    }

    /// Returns the number of rows of all files. The result does not depend on the selected rows.
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
    /// - [`Error::OffsetOverflow`](crate::Error::OffsetOverflow): a column has more than 2 GiB of text, and either the
    ///   caller requested `Utf8`, or the files do not state the size.
    /// - [`Error::Gdf`](crate::Error::Gdf): an allocation failed, the device does not exist, or a row group does not
    ///   exist.
    pub fn read(self) -> Result<Batch> {
        Target::run("read_parquet", self.options.device, |target| {
            Plan::new(self.files, &self.partitions, &self.options)?.for_read(&self.options).read(target)
        })
    }

    /// Divides the selected rows into pieces of consecutive row groups, in the order of the rows, for threads that read
    /// different pieces at the same time. There is at least one piece. A piece has at most
    /// [`batch_rows`](Self::batch_rows) rows before the predicate, at most [`text_limit`](Self::text_limit) bytes of
    /// text in each column with 32-bit offsets, and at most 2³¹ − 1 elements in each column of lists with such offsets,
    /// or is one row group. Row groups whose statistics exclude the predicate belong to no piece.
    ///
    /// All pieces have the same types. Text has 64-bit offsets only if a row group of the files, selected or not, has
    /// more bytes than the limit. So `Utf8` in pieces may be `LargeUtf8` in the result of [`read`](Self::read).
    ///
    /// ```
    /// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
    /// use gdf::io::{ParquetPiece, ParquetReader};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("trips.parquet");
    /// # gdf::io::write_parquet(&gdf::io::example_batch()?, &path)?;
    /// let pieces = ParquetReader::open(&path)?.columns(["id"]).pieces()?;
    /// let threads: Vec<_> = pieces.into_iter().map(|piece| std::thread::spawn(move || piece.read())).collect();
    /// let batches: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Result<_, _>>()?;
    /// assert_eq!(batches[0].num_rows(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// - The errors of [`ParquetReader::read`]. Errors in the data are returned by [`ParquetPiece::read`].
    pub fn pieces(self) -> Result<Vec<ParquetPiece>> {
        let plan = Plan::divided(self.files, &self.partitions, &self.options)?.for_read(&self.options);
        Ok(ParquetPiece::all(plan, &self.options))
    }

    /// Reads the selected rows and columns batch by batch.
    ///
    /// At any time, memory contains one batch and the decoded arrays of that batch. A batch has at most
    /// [`batch_rows`](Self::batch_rows) rows, even if the row groups have more rows. The columns of a batch are decoded
    /// in parallel. A GPU decodes batches of at least 131,072 rows, and needs memory for the pages that have rows of the
    /// batch, too. The types are those of [`pieces`](Self::pieces).
    ///
    /// # Errors
    /// - The errors of [`ParquetReader::read`]. Errors in the data are returned by the iterator and not by this
    ///   function.
    pub fn scan(self) -> Result<ParquetScan> {
        let plan = Plan::divided(self.files, &self.partitions, &self.options)?.with_page_indexes(&self.options);
        ParquetScan::new(plan, &self.options)
    }
}

#[cfg(feature = "object_store")]
impl ParquetReader {
    /// Opens an object of a store. The crate [`object_store`] has stores for S3, Google Cloud, Azure, HTTP and
    /// memory.
    ///
    /// The reader fetches only the column chunks that are needed. If a column is not nested and all its rows are read,
    /// a chunk of at most 256 MiB is fetched with one request. All other chunks are fetched page by page. There are as
    /// many concurrent requests as there are threads. This call and the calls that read data block until the network
    /// answers. Therefore async code should make these calls on a thread for blocking work.
    ///
    /// ```
    /// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
    /// use std::sync::Arc;
    ///
    /// use gdf::io::ParquetReader;
    /// use gdf::io::object_store::{ObjectStoreExt, memory::InMemory};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("trips.parquet");
    /// # gdf::io::write_parquet(&gdf::io::example_batch()?, &path)?;
    /// # let bytes = std::fs::read(&path)?;
    /// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    /// let store = Arc::new(InMemory::new());
    /// # runtime.block_on(store.put(&"2026/trips.parquet".into(), bytes.into()))?;
    /// let trips = ParquetReader::open_object(store, "2026/trips.parquet")?.columns(["id"]).read()?;
    /// assert_eq!(trips.num_rows(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::NotFound`](crate::Error::NotFound), [`Error::Read`](crate::Error::Read): the request to the store
    ///   failed.
    /// - The errors of [`ParquetReader::open`].
    pub fn open_object(
        store: std::sync::Arc<dyn object_store::ObjectStore>,
        location: impl Into<object_store::path::Path>,
    ) -> Result<ParquetReader> {
        let object = object::Object::find(store, location.into())?;
        let path = object.path();
        Self::from_source(Path::new(&path), Source::Object(object))
    }
}
