//! Tables from `ArrowArrayStream` and `ArrowDeviceArrayStream`.

use std::ffi::{CStr, c_char, c_int};

use gdf_core::scope::{current_device, current_resources, current_stream};
use gdf_core::{Schema, Table, enter_span};
use gdf_driver::Stream;
use gdf_memory::Resource;

use super::host::import_host;
use super::importer::{Importer, to_table};
use crate::error::malformed;
use crate::{
    ArrowArray, ArrowArrayStream, ArrowDeviceArray, ArrowDeviceArrayStream, ArrowSchema, InteropError, Result,
};

/// Reads the tables of somebody's stream, each when it is asked for. Made by [`from_foreign_stream`], [`from_arrow_stream`] and
/// [`from_arrow_device_stream`]. After an error it ends.
#[derive(Debug)]
pub struct TableReader {
    source: Source,
    schema: Schema,
    importer: Importer,
    stream: Stream,
    mr: Resource,
    is_over: bool,
}

#[derive(Debug)]
enum Source {
    Host(ArrowArrayStream),
    Device(ArrowDeviceArrayStream),
}

/// Record batches of another crate, or of another version of one, as tables: arrow-rs of any major version, polars, nanoarrow, DuckDB,
/// and whoever else makes a `struct ArrowArrayStream`.
///
/// Rust takes `RecordBatch`es of two versions of arrow-rs for different types, and frames of polars are others again. They all export
/// Arrow's C stream interface, and `F` is that struct as the other crate declares it. Each batch becomes a table when it is asked for, on the
/// current device, with the stream and the resource of this thread's [`scope`](gdf_core::scope): shared on the CPU without a copy,
/// copied to a GPU. Names and types of the columns are [`TableReader::schema`].
///
/// | from | the struct is made by |
/// |---|---|
/// | arrow-rs | `arrow::ffi_stream::FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new(batches, schema)))` |
/// | polars | `polars_arrow::ffi::export_iterator`, of struct arrays made of `DataFrame::iter_chunks`; `CompatLevel::oldest()` gives text as `LargeUtf8`, which all operations take |
///
/// A single array comes in by [`ArrowArray::from_foreign`] and [`from_arrow_host`](crate::from_arrow_host); tables leave by
/// [`to_arrow_stream`](crate::to_arrow_stream) and [`ArrowArrayStream::into_foreign`].
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } pub mod arrow { pub use arrow_array as array; } }
/// use gdf::arrow::array::ffi_stream::FFI_ArrowArrayStream; // of any version
/// use gdf::arrow::array::{ArrayRef, Int64Array, RecordBatch, RecordBatchIterator};
/// use gdf::interop::from_foreign_stream;
///
/// let ids: ArrayRef = std::sync::Arc::new(Int64Array::from(vec![1, 2, 3]));
/// let batch = RecordBatch::try_from_iter([("id", ids)])?;
/// let schema = batch.schema();
/// let batches = RecordBatchIterator::new(vec![Ok(batch)], schema);
/// // SAFETY: arrow-rs declares the struct as Arrow specifies it, and exports sound data.
/// let tables = unsafe { from_foreign_stream(FFI_ArrowArrayStream::new(Box::new(batches)))? };
/// assert_eq!(tables.schema().field(0).name(), "id");
/// for table in tables {
///     assert_eq!(table?.num_rows(), 3);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Safety
/// - `F` is as [`ArrowArrayStream::from_foreign`] says, and what it says holds of `foreign`; so it does of the two above.
/// - The arrays are as [`from_arrow_device`](crate::from_arrow_device) says.
///
/// # Errors
/// - As [`from_arrow_stream`]; those of opening the current device.
pub unsafe fn from_foreign_stream<F>(foreign: F) -> Result<TableReader> {
    // SAFETY: as the caller promises.
    let source = unsafe { ArrowArrayStream::from_foreign(foreign) };
    let device = current_device();
    let (stream, (output, _)) = (current_stream(device)?, current_resources(device)?);
    // SAFETY: as the caller promises.
    unsafe { from_arrow_stream(source, &stream, &output) }
}

/// Reads a stream of arrays of the CPU as tables on the device of `stream`, each as by
/// [`from_arrow_host_table`](crate::from_arrow_host_table): shared on the CPU, copied to a GPU.
///
/// See [`to_arrow_stream`](crate::to_arrow_stream) for an example.
///
/// # Safety
/// - `source` is valid as [`ArrowArrayStream::from_raw`] says, and its arrays are as [`from_arrow_device`] says.
///
/// # Errors
/// - [`InteropError::Released`], [`InteropError::Malformed`], [`InteropError::Producer`], and those of [`ArrowSchema::to_schema`].
///
/// [`from_arrow_device`]: crate::from_arrow_device
pub unsafe fn from_arrow_stream(source: ArrowArrayStream, stream: &Stream, mr: &Resource) -> Result<TableReader> {
    let _span = enter_span("from_arrow_stream", stream.device());
    TableReader::new(Source::Host(source), stream, mr)
}

/// Reads a stream of device arrays as tables on the device of `stream`, each as by
/// [`from_arrow_device_table`](crate::from_arrow_device_table), without a copy.
///
/// # Safety
/// - `source` is valid as [`ArrowDeviceArrayStream::from_raw`] says, and its arrays are as [`from_arrow_device`] says.
///
/// # Errors
/// - As [`from_arrow_stream`].
///
/// [`from_arrow_device`]: crate::from_arrow_device
pub unsafe fn from_arrow_device_stream(
    source: ArrowDeviceArrayStream,
    stream: &Stream,
    mr: &Resource,
) -> Result<TableReader> {
    let _span = enter_span("from_arrow_device_stream", stream.device());
    TableReader::new(Source::Device(source), stream, mr)
}

impl TableReader {
    fn new(mut source: Source, stream: &Stream, mr: &Resource) -> Result<TableReader> {
        if source.is_released() {
            return Err(InteropError::Released { what: "stream" });
        }
        let schema = source.schema()?.to_schema()?;
        let importer = Importer::of_schema(&schema);
        Ok(TableReader { source, schema, importer, stream: stream.clone(), mr: mr.clone(), is_over: false })
    }

    /// Believes the data of the CPU; see [`Importer::without_validation`].
    pub fn without_validation(mut self) -> TableReader {
        self.importer = self.importer.without_validation();
        self
    }

    /// Names, types and metadata of all tables.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    fn read(&mut self) -> Result<Option<Table>> {
        let (stream, mr) = (&self.stream, self.mr.as_ref());
        match &mut self.source {
            Source::Host(source) => {
                let mut array = ArrowArray::empty();
                let next = source.get_next.ok_or(malformed("a stream without get_next"))?;
                // SAFETY: the stream is valid and borrowed exclusively; there is room for an array.
                check(unsafe { next(&mut *source, &mut array) }, || last_error_of_host(source))?;
                if array.is_released() {
                    return Ok(None);
                }
                // SAFETY: whoever made the reader promised it of all arrays.
                Ok(Some(to_table(unsafe { import_host(&self.importer, array, stream, mr)? }, stream)?))
            }
            Source::Device(source) => {
                let mut array = ArrowDeviceArray::empty();
                let next = source.get_next.ok_or(malformed("a stream without get_next"))?;
                // SAFETY: the stream is valid and borrowed exclusively; there is room for an array.
                check(unsafe { next(&mut *source, &mut array) }, || last_error_of_device(source))?;
                if array.is_released() {
                    return Ok(None);
                }
                if array.device_type != source.device_type {
                    return Err(malformed("an array on another kind of device than its stream's"));
                }
                // SAFETY: whoever made the reader promised it of all arrays.
                unsafe { self.importer.table(array, stream, mr).map(Some) }
            }
        }
    }
}

impl Iterator for TableReader {
    type Item = Result<Table>;

    fn next(&mut self) -> Option<Result<Table>> {
        if self.is_over {
            return None;
        }
        let _span = enter_span("TableReader::next", self.stream.device());
        let table = self.read().transpose();
        self.is_over = !matches!(table, Some(Ok(_)));
        table
    }
}

impl Source {
    fn is_released(&self) -> bool {
        match self {
            Source::Host(source) => source.is_released(),
            Source::Device(source) => source.is_released(),
        }
    }

    fn schema(&mut self) -> Result<ArrowSchema> {
        let mut schema = ArrowSchema::empty();
        let missing = || malformed("a stream without get_schema");
        match self {
            Source::Host(source) => {
                let get = source.get_schema.ok_or_else(missing)?;
                // SAFETY: the stream is valid and borrowed exclusively; there is room for a schema.
                check(unsafe { get(&mut *source, &mut schema) }, || last_error_of_host(source))?;
            }
            Source::Device(source) => {
                let get = source.get_schema.ok_or_else(missing)?;
                // SAFETY: the stream is valid and borrowed exclusively; there is room for a schema.
                check(unsafe { get(&mut *source, &mut schema) }, || last_error_of_device(source))?;
            }
        }
        Ok(schema)
    }
}

fn check(code: c_int, message: impl FnOnce() -> String) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(InteropError::Producer { code, message: message() }) }
}

fn last_error_of_host(source: &mut ArrowArrayStream) -> String {
    // SAFETY: the stream is valid and its last call failed.
    source.get_last_error.map_or(String::new(), |get| unsafe { text(get(source)) })
}

fn last_error_of_device(source: &mut ArrowDeviceArrayStream) -> String {
    // SAFETY: the stream is valid and its last call failed.
    source.get_last_error.map_or(String::new(), |get| unsafe { text(get(source)) })
}

/// # Safety
/// - `at` is null, or leads to a string that ends with a zero byte.
unsafe fn text(at: *const c_char) -> String {
    if at.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned()
}
