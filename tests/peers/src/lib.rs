//! gdf's side of the pairs that `tests/peers/pairs.py` plays with other libraries: each function takes C structs as an importer
//! does, and gives C structs as an exporter does. 0 is success; [`gdf_last_error`] says what else it was.

pub mod memory;

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int};

use gdf_core::{Column, Table};
use gdf_driver::{Device, Stream};
use gdf_interop::{
    ArrowArray, ArrowArrayStream, ArrowDeviceArray, ArrowDeviceArrayStream, ArrowSchema, DeviceType, InteropError,
    Result, from_arrow_device, from_arrow_device_stream, from_arrow_device_table, from_arrow_host, from_arrow_stream,
    to_arrow_device, to_arrow_device_stream, to_arrow_host, to_arrow_schema, to_arrow_stream, with_arrow_device,
};
use gdf_memory::current_resource;

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// What the last call on this thread that failed says.
#[unsafe(no_mangle)]
pub extern "C" fn gdf_last_error() -> *const c_char {
    LAST_ERROR.with(|error| error.borrow().as_ptr())
}

pub(crate) fn code(result: Result<()>) -> c_int {
    let Err(error) = result else { return 0 };
    LAST_ERROR.with(|last| *last.borrow_mut() = CString::new(error.to_string().replace('\0', " ")).unwrap_or_default());
    1
}

/// The device of an array of ours or theirs.
fn device_of(kind: DeviceType, id: i64) -> Result<Device> {
    kind.device(id).ok_or(InteropError::UnsupportedDevice { device_type: kind, device_id: id })
}

/// -1 is the CPU.
pub(crate) fn device(ordinal: c_int) -> Device {
    u32::try_from(ordinal).map_or(Device::Cpu, Device::Cuda)
}

/// Imports the array and exports the column: `owning` by moving it, else by sharing it.
///
/// # Safety
/// - all four lead to structs; the first two are valid, which this takes over, the others are to be written
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_round_trip(
    array: *mut ArrowDeviceArray,
    schema: *mut ArrowSchema,
    owning: c_int,
    out: *mut ArrowDeviceArray,
    out_schema: *mut ArrowSchema,
) -> c_int {
    // SAFETY: as the caller promises.
    let (array, schema) = unsafe { (ArrowDeviceArray::from_raw(array), ArrowSchema::from_raw(schema)) };
    code((|| {
        let field = schema.to_field()?;
        let stream = Stream::new(device_of(array.device_type(), array.device_id())?)?;
        let mr = current_resource(stream.device())?;
        // SAFETY: as the caller promises.
        let column = unsafe { from_arrow_device(array, &schema, &stream, mr.as_ref())? };
        let exported = if owning != 0 {
            to_arrow_device(column, &stream)?
        } else {
            let exported = to_arrow_device(&column, &stream)?;
            drop(column);
            exported
        };
        // SAFETY: as the caller promises.
        unsafe {
            exported.write_to(out);
            to_arrow_schema(&field)?.write_to(out_schema);
        }
        Ok(())
    })())
}

/// Imports a struct array as a table and exports it.
///
/// # Safety
/// - as [`gdf_round_trip`]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_table_round_trip(
    array: *mut ArrowDeviceArray,
    schema: *mut ArrowSchema,
    out: *mut ArrowDeviceArray,
    out_schema: *mut ArrowSchema,
) -> c_int {
    // SAFETY: as the caller promises.
    let (array, schema) = unsafe { (ArrowDeviceArray::from_raw(array), ArrowSchema::from_raw(schema)) };
    code((|| {
        let stream = Stream::new(device_of(array.device_type(), array.device_id())?)?;
        let mr = current_resource(stream.device())?;
        // SAFETY: as the caller promises.
        let table = unsafe { from_arrow_device_table(array, &schema, &stream, mr.as_ref())? };
        // SAFETY: as the caller promises.
        unsafe {
            to_arrow_device(table, &stream)?.write_to(out);
            to_arrow_schema(&schema.to_schema()?)?.write_to(out_schema);
        }
        Ok(())
    })())
}

/// Imports an array of the CPU to a device and exports it there. A device of -1 is the CPU.
///
/// # Safety
/// - as [`gdf_round_trip`]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_to_device(
    array: *mut ArrowArray,
    schema: *mut ArrowSchema,
    ordinal: c_int,
    out: *mut ArrowDeviceArray,
) -> c_int {
    // SAFETY: as the caller promises.
    let (array, schema) = unsafe { (ArrowArray::from_raw(array), ArrowSchema::from_raw(schema)) };
    code((|| {
        let stream = Stream::new(device(ordinal))?;
        let mr = current_resource(stream.device())?;
        // SAFETY: as the caller promises.
        let column = unsafe { from_arrow_host(array, &schema, &stream, mr.as_ref())? };
        // SAFETY: as the caller promises.
        unsafe { to_arrow_device(column, &stream)?.write_to(out) };
        Ok(())
    })())
}

/// Imports an array from where it is and exports it on the CPU.
///
/// # Safety
/// - as [`gdf_round_trip`]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_to_host(
    array: *mut ArrowDeviceArray,
    schema: *mut ArrowSchema,
    out: *mut ArrowArray,
    out_schema: *mut ArrowSchema,
) -> c_int {
    // SAFETY: as the caller promises.
    let (array, schema) = unsafe { (ArrowDeviceArray::from_raw(array), ArrowSchema::from_raw(schema)) };
    code((|| {
        let stream = Stream::new(device_of(array.device_type(), array.device_id())?)?;
        let mr = current_resource(stream.device())?;
        // SAFETY: as the caller promises.
        let column = unsafe { from_arrow_device(array, &schema, &stream, mr.as_ref())? };
        let exported = to_arrow_host(column, &stream)?.into_array()?;
        // SAFETY: as the caller promises.
        unsafe {
            exported.write_to(out);
            to_arrow_schema(&schema.to_field()?)?.write_to(out_schema);
        }
        Ok(())
    })())
}

/// Borrows an array for a call; gives its number of nulls, or -1.
///
/// # Safety
/// - both lead to valid structs, which stay the caller's
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_lent_nulls(array: *const ArrowDeviceArray, schema: *const ArrowSchema) -> i64 {
    // SAFETY: as the caller promises.
    let (array, schema) = unsafe { (&*array, &*schema) };
    let mut nulls = -1;
    code((|| {
        let stream = Stream::new(device_of(array.device_type(), array.device_id())?)?;
        let mr = current_resource(stream.device())?;
        let count = |column: &Column| column.null_count_on(&stream);
        // SAFETY: as the caller promises; nothing leaves the closure.
        nulls =
            unsafe { with_arrow_device(array, schema, &stream, mr.as_ref(), |view| count(&view.to_column()))?? as i64 };
        Ok(())
    })());
    nulls
}

/// Reads all tables of a stream, then gives them as a stream.
///
/// # Safety
/// - both lead to structs; the first is valid, which this takes over, the other is to be written
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_stream_round_trip(source: *mut ArrowArrayStream, out: *mut ArrowArrayStream) -> c_int {
    // SAFETY: as the caller promises.
    let source = unsafe { ArrowArrayStream::from_raw(source) };
    code((|| {
        let stream = Stream::cpu();
        // SAFETY: as the caller promises.
        let reader = unsafe { from_arrow_stream(source, &stream, &current_resource(Device::Cpu)?)? };
        let schema = reader.schema().clone();
        let tables = reader.collect::<Result<Vec<Table>>>()?;
        // SAFETY: as the caller promises.
        unsafe { to_arrow_stream(&schema, tables.into_iter().map(Result::<_>::Ok), &stream).write_to(out) };
        Ok(())
    })())
}

/// As [`gdf_stream_round_trip`], each table when it is asked for, on the device of the stream.
///
/// # Safety
/// - as [`gdf_stream_round_trip`]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_device_stream_round_trip(
    source: *mut ArrowDeviceArrayStream,
    ordinal: c_int,
    out: *mut ArrowDeviceArrayStream,
) -> c_int {
    // SAFETY: as the caller promises.
    let source = unsafe { ArrowDeviceArrayStream::from_raw(source) };
    code((|| {
        let stream = Stream::new(device(ordinal))?;
        // SAFETY: as the caller promises.
        let reader = unsafe { from_arrow_device_stream(source, &stream, &current_resource(stream.device())?)? };
        let schema = reader.schema().clone();
        // SAFETY: as the caller promises.
        unsafe { to_arrow_device_stream(&schema, reader, &stream).write_to(out) };
        Ok(())
    })())
}
