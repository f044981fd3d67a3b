//! Import of tables from `ArrowArrayStream` and `ArrowDeviceArrayStream`.

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

/// An iterator over the tables of a producer's stream. Each call of `next` reads one table from the stream.
/// [`from_foreign_stream`], [`from_arrow_stream`] and [`from_arrow_device_stream`] make readers. The iterator ends
/// after the first error.
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

/// Imports record batches of another crate, or of another version of arrow-rs, as tables. The producer can be arrow-rs
/// of any major version, polars, nanoarrow, DuckDB, or any other library that can make a `struct ArrowArrayStream`.
///
/// In Rust, the `RecordBatch`es of two versions of arrow-rs are different types, and data frames of polars are another
/// type again. All these crates can export Arrow's C stream interface. `F` is the `struct ArrowArrayStream` as the
/// other crate declares it.
///
/// Each call of `next` on the reader converts one batch to a table. The table is on the current device. The import uses
/// the stream and the resource of this thread's [`scope`](gdf_core::scope). If the device is the CPU, the table shares
/// the batch's memory. If the device is a GPU, the data are copied. [`TableReader::schema`] returns the names and types
/// of the columns.
///
/// | producer | how to make the struct |
/// |---|---|
/// | arrow-rs | `arrow_array::ffi_stream::FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new(batches, schema)))` |
/// | polars | `polars_arrow::ffi::export_iterator`, with struct arrays made from `DataFrame::iter_chunks`. `CompatLevel::oldest()` exports strings as `LargeUtf8`, which all operations support |
///
/// To import a single array, use [`ArrowArray::from_foreign`] and [`from_arrow_host`](crate::from_arrow_host). To
/// export tables to other crates, use [`to_arrow_stream`](crate::to_arrow_stream) and
/// [`ArrowArrayStream::into_foreign`].
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
/// - `F` and `foreign` fulfill the conditions of [`ArrowArrayStream::from_foreign`]. The two producers in the table
///   above fulfill them.
/// - The arrays fulfill the conditions of [`from_arrow_device`](crate::from_arrow_device).
///
/// # Errors
/// - The errors of [`from_arrow_stream`], and errors of opening the current device.
pub unsafe fn from_foreign_stream<F>(foreign: F) -> Result<TableReader> {
    // SAFETY: the caller promises the conditions of `from_foreign`.
    let source = unsafe { ArrowArrayStream::from_foreign(foreign) };
    let device = current_device();
    let (stream, (output, _)) = (current_stream(device)?, current_resources(device)?);
    // SAFETY: the caller promises a valid stream and valid arrays.
    unsafe { from_arrow_stream(source, &stream, &output) }
}

/// Imports a stream of arrays on the CPU as tables on the device of `stream`. If that device is the CPU, the tables
/// share the memory of the arrays. If that device is a GPU, the data are copied. See
/// [`from_arrow_host_table`](crate::from_arrow_host_table).
///
/// See [`to_arrow_stream`](crate::to_arrow_stream) for an example.
///
/// # Safety
/// - `source` is valid as [`ArrowArrayStream::from_raw`] demands, and its arrays fulfill the conditions of
///   [`from_arrow_device`].
///
/// # Errors
/// - [`InteropError::Released`], [`InteropError::Malformed`], [`InteropError::Producer`], and the errors of
///   [`ArrowSchema::to_schema`].
///
/// [`from_arrow_device`]: crate::from_arrow_device
pub unsafe fn from_arrow_stream(source: ArrowArrayStream, stream: &Stream, mr: &Resource) -> Result<TableReader> {
    let _span = enter_span("from_arrow_stream", stream.device());
    TableReader::new(Source::Host(source), stream, mr)
}

/// Imports a stream of device arrays as tables on the device of `stream`, without copying. See
/// [`from_arrow_device_table`](crate::from_arrow_device_table).
///
/// # Safety
/// - `source` is valid as [`ArrowDeviceArrayStream::from_raw`] demands, and its arrays fulfill the conditions of
///   [`from_arrow_device`].
///
/// # Errors
/// - The errors of [`from_arrow_stream`].
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

    /// Turns off the validation of data on the CPU. See [`Importer::without_validation`].
    pub fn without_validation(mut self) -> TableReader {
        self.importer = self.importer.without_validation();
        self
    }

    /// Returns the schema of all tables: names, types and metadata.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    fn read(&mut self) -> Result<Option<Table>> {
        let (stream, mr) = (&self.stream, self.mr.as_ref());
        match &mut self.source {
            Source::Host(source) => {
                let mut array = ArrowArray::empty();
                let next = source.get_next.ok_or(malformed("`get_next` of the stream is a null pointer"))?;
                // SAFETY: the stream is valid, and `&mut self` makes the access exclusive. `array` has room for the
                // result.
                check(unsafe { next(&mut *source, &mut array) }, || last_error_of_host(source))?;
                if array.is_released() {
                    return Ok(None);
                }
                // SAFETY: the caller of the function that made the reader promised that all arrays are valid.
                Ok(Some(to_table(unsafe { import_host(&self.importer, array, stream, mr)? }, stream)?))
            }
            Source::Device(source) => {
                let mut array = ArrowDeviceArray::empty();
                let next = source.get_next.ok_or(malformed("`get_next` of the stream is a null pointer"))?;
                // SAFETY: the stream is valid, and `&mut self` makes the access exclusive. `array` has room for the
                // result.
                check(unsafe { next(&mut *source, &mut array) }, || last_error_of_device(source))?;
                if array.is_released() {
                    return Ok(None);
                }
                if array.device_type != source.device_type {
                    return Err(malformed(format!(
                        "an array has device type {}, but its stream has device type {}",
                        array.device_type.0, source.device_type.0
                    )));
                }
                // SAFETY: the caller of the function that made the reader promised that all arrays are valid.
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
        let missing = || malformed("`get_schema` of the stream is a null pointer");
        match self {
            Source::Host(source) => {
                let get = source.get_schema.ok_or_else(missing)?;
                // SAFETY: the stream is valid, and `&mut self` makes the access exclusive. `schema` has room for the
                // result.
                check(unsafe { get(&mut *source, &mut schema) }, || last_error_of_host(source))?;
            }
            Source::Device(source) => {
                let get = source.get_schema.ok_or_else(missing)?;
                // SAFETY: the stream is valid, and `&mut self` makes the access exclusive. `schema` has room for the
                // result.
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
    // SAFETY: the stream is valid, and its last call failed, so the interface allows this call. The result is null or
    // a string that ends with a zero byte.
    source.get_last_error.map_or(String::new(), |get| unsafe { text(get(source)) })
}

fn last_error_of_device(source: &mut ArrowDeviceArrayStream) -> String {
    // SAFETY: the stream is valid, and its last call failed, so the interface allows this call. The result is null or
    // a string that ends with a zero byte.
    source.get_last_error.map_or(String::new(), |get| unsafe { text(get(source)) })
}

/// Copies a C string.
///
/// # Safety
/// - `at` is null, or points to a string that ends with a zero byte.
unsafe fn text(at: *const c_char) -> String {
    if at.is_null() {
        return String::new();
    }
    // SAFETY: the caller promises that the string ends with a zero byte, and `at` is not null.
    unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned()
}
