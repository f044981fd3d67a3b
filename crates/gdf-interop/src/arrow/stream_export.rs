//! Export of sequences of tables as `ArrowArrayStream` and `ArrowDeviceArrayStream`.

use std::ffi::{CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use gdf_core::{Schema, Table};
use gdf_driver::Stream;

use super::export::to_arrow_device;
use super::host::to_arrow_host;
use crate::{
    ArrowArray, ArrowArrayStream, ArrowDeviceArray, ArrowDeviceArrayStream, ArrowSchema, DeviceType, InteropError,
    Result,
};

/// The `errno` values for failed input or output (`EIO`), for exhausted memory (`ENOMEM`), and for an invalid call
/// (`EINVAL`).
const EIO: c_int = 5;
const ENOMEM: c_int = 12;
const EINVAL: c_int = 22;

struct StreamPrivate {
    tables: Box<dyn Iterator<Item = Result<Table>> + Send>,
    schema: Schema,
    stream: Stream,
    error: CString,
}

impl StreamPrivate {
    fn make<E: Into<InteropError>>(
        schema: &Schema,
        tables: impl Iterator<Item = Result<Table, E>> + Send + 'static,
        stream: &Stream,
    ) -> *mut c_void {
        let tables = Box::new(tables.map(|table| table.map_err(Into::into)));
        let private =
            StreamPrivate { tables, schema: schema.clone(), stream: stream.clone(), error: CString::default() };
        Box::into_raw(Box::new(private)).cast::<c_void>()
    }

    /// Runs the work of a callback.
    fn run(&mut self, work: impl FnOnce(&mut StreamPrivate) -> Result<()>) -> c_int {
        let outcome = catch_unwind(AssertUnwindSafe(|| work(self)));
        let (code, text) = match outcome {
            Ok(Ok(())) => return 0,
            Ok(Err(error)) => (if error.is_out_of_memory() { ENOMEM } else { EIO }, error.to_string()),
            Err(_) => (EIO, "the producer of the tables panicked".to_owned()),
        };
        self.error = CString::new(text.replace('\0', " ")).unwrap_or_default();
        code
    }

    /// Returns the next table.
    fn next(&mut self) -> Result<Option<Table>> {
        let Some(table) = self.tables.next().transpose()? else { return Ok(None) };
        let (expected, found) = (self.schema.fields().len(), table.num_columns());
        if expected != found {
            return Err(gdf_core::Error::column_count(expected, found).into());
        }
        for (field, found) in self.schema.fields().iter().zip(table.data_types()) {
            if !gdf_core::same_type(field.data_type(), found) {
                return Err(gdf_core::Error::type_mismatch(field.data_type(), found).into());
            }
        }
        Ok(Some(table))
    }
}

/// Exports the tables as a stream of arrays on the CPU. Each call of `get_next` takes one table from `tables`. If the
/// table is on the CPU, the array shares its memory. If the table is on a GPU, its data are copied, and `get_next`
/// **waits** for the copy.
///
/// `stream` must belong to the device of the tables. An error of `tables` becomes an error of the exported stream.
/// Columns that are not [validated](gdf_core::Column::validated) are validated before the export. Invalid data also
/// become an error of the exported stream.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// use gdf::{Column, Table};
/// use gdf::{Device, Stream};
/// use gdf::interop::{InteropError, from_arrow_stream, to_arrow_stream};
///
/// let (stream, mr) = (Stream::cpu(), gdf::memory::current_resource(Device::Cpu)?);
/// let table = Table::try_new(vec![Column::from_options_on(&[Some(1_i32), None], &stream, mr.as_ref())?])?;
/// let schema = table.schema(&["id"]);
/// let tables = vec![Ok::<_, InteropError>(table.clone()), Ok(table.slice(1, 1)?)];
/// let exported = to_arrow_stream(&schema, tables.into_iter(), &stream);
///
/// // SAFETY: gdf exported the stream.
/// let reader = unsafe { from_arrow_stream(exported, &stream, &mr)? };
/// assert_eq!(reader.schema(), &*schema);
/// let rows: Vec<usize> = reader.map(|table| Ok(table?.num_rows())).collect::<Result<_, InteropError>>()?;
/// assert_eq!(rows, [2, 1]);
/// # Ok::<(), gdf_interop::InteropError>(())
/// ```
pub fn to_arrow_stream<E: Into<InteropError>>(
    schema: &Schema,
    tables: impl Iterator<Item = Result<Table, E>> + Send + 'static,
    stream: &Stream,
) -> ArrowArrayStream {
    let mut exported = ArrowArrayStream::empty();
    exported.get_schema = Some(host_schema);
    exported.get_next = Some(host_next);
    exported.get_last_error = Some(host_error);
    exported.release = Some(host_release);
    exported.private_data = StreamPrivate::make(schema, tables, stream);
    exported
}

/// Exports the tables as a stream of device arrays, without copying. Each array has its own event; see
/// [`to_arrow_device`]. All arrays have the device type `CPU` or `CUDA`, even if their memory is pinned or managed.
///
/// All tables must be on the device of `stream`. See [`to_arrow_stream`] for an example.
pub fn to_arrow_device_stream<E: Into<InteropError>>(
    schema: &Schema,
    tables: impl Iterator<Item = Result<Table, E>> + Send + 'static,
    stream: &Stream,
) -> ArrowDeviceArrayStream {
    let mut exported = ArrowDeviceArrayStream::empty();
    exported.device_type = DeviceType::of(stream.device()).0;
    exported.get_schema = Some(device_schema);
    exported.get_next = Some(device_next);
    exported.get_last_error = Some(device_error);
    exported.release = Some(device_release);
    exported.private_data = StreamPrivate::make(schema, tables, stream);
    exported
}

/// Returns the private data of a callback's stream.
///
/// # Safety
/// - `private` is null or points to the private data that the stream was made with. No other call uses the private
///   data at the same time.
unsafe fn private<'a>(private: *mut c_void) -> Option<&'a mut StreamPrivate> {
    // SAFETY: the caller promises that the pointer is null or valid, and that the access is exclusive.
    unsafe { private.cast::<StreamPrivate>().as_mut() }
}

/// Defines the callbacks of one kind of stream.
macro_rules! callbacks {
    ($stream:ty, $array:ty, $schema:ident, $next:ident, $error:ident, $release:ident, $export:expr) => {
        unsafe extern "C" fn $schema(stream: *mut $stream, out: *mut ArrowSchema) -> c_int {
            // SAFETY: the interface requires consumers to call the callback with the stream's own struct, one call at
            // a time.
            let Some(private) = (unsafe { stream.as_mut().and_then(|stream| private(stream.private_data)) }) else {
                return EINVAL;
            };
            private.run(|private| {
                let schema = ArrowSchema::try_from(&private.schema)?;
                // SAFETY: the interface requires that `out` points to writable memory for a schema.
                unsafe { schema.write_to(out) };
                Ok(())
            })
        }

        unsafe extern "C" fn $next(stream: *mut $stream, out: *mut $array) -> c_int {
            // SAFETY: the interface requires consumers to call the callback with the stream's own struct, one call at
            // a time.
            let Some(private) = (unsafe { stream.as_mut().and_then(|stream| private(stream.private_data)) }) else {
                return EINVAL;
            };
            private.run(|private| {
                let array = match private.next()? {
                    Some(table) => $export(table, &private.stream)?,
                    None => <$array>::empty(),
                };
                // SAFETY: the interface requires that `out` points to writable memory for an array.
                unsafe { array.write_to(out) };
                Ok(())
            })
        }

        unsafe extern "C" fn $error(stream: *mut $stream) -> *const c_char {
            // SAFETY: the interface requires consumers to call the callback with the stream's own struct, one call at
            // a time.
            match unsafe { stream.as_mut().and_then(|stream| private(stream.private_data)) } {
                Some(private) if !private.error.is_empty() => private.error.as_ptr(),
                _ => std::ptr::null(),
            }
        }

        unsafe extern "C" fn $release(stream: *mut $stream) {
            // SAFETY: the interface requires consumers to call the callback with the stream's own struct.
            let Some(stream) = (unsafe { stream.as_mut() }) else { return };
            stream.release = None;
            let private = std::mem::replace(&mut stream.private_data, std::ptr::null_mut()).cast::<StreamPrivate>();
            if !private.is_null() {
                // SAFETY: `StreamPrivate::make` made this pointer from a box. The box is taken once, because the
                // stream's pointer is now null.
                let private = unsafe { Box::from_raw(private) };
                // Dropping the iterator may panic, and a panic must not unwind through C code.
                let _ = catch_unwind(AssertUnwindSafe(|| drop(private)));
            }
        }
    };
}

fn host_array(table: Table, stream: &Stream) -> Result<ArrowArray> {
    to_arrow_host(table, stream)?.into_array()
}

/// Exports a table with the device type `CPU` or `CUDA`.
fn device_array(table: Table, stream: &Stream) -> Result<ArrowDeviceArray> {
    let mut array = to_arrow_device(table, stream)?;
    (array.device_type, array.device_id) = DeviceType::of(stream.device());
    Ok(array)
}

callbacks!(ArrowArrayStream, ArrowArray, host_schema, host_next, host_error, host_release, host_array);
callbacks!(
    ArrowDeviceArrayStream,
    ArrowDeviceArray,
    device_schema,
    device_next,
    device_error,
    device_release,
    device_array
);
