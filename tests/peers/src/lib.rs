//! The functions of gdf for the interoperability tests in `tests/peers/pairs.py`. Each function imports C structs and
//! exports C structs. The result 0 means success. After any other result, [`gdf_last_error`] returns the message.

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

/// Returns the message of the last failed call on this thread.
#[unsafe(no_mangle)]
pub extern "C" fn gdf_last_error() -> *const c_char {
    LAST_ERROR.with(|error| error.borrow().as_ptr())
}

pub(crate) fn code(result: Result<()>) -> c_int {
    let Err(error) = result else { return 0 };
    LAST_ERROR.with(|last| *last.borrow_mut() = CString::new(error.to_string().replace('\0', " ")).unwrap_or_default());
    1
}

fn device_of(kind: DeviceType, id: i64) -> Result<Device> {
    kind.device(id).ok_or(InteropError::UnsupportedDevice { device_type: kind, device_id: id })
}

/// Returns the device of an ordinal.
pub(crate) fn device(ordinal: c_int) -> Device {
    u32::try_from(ordinal).map_or(Device::Cpu, Device::Cuda)
}

/// Imports the array and exports the column. With `owning`, the export moves the column. Otherwise, the export shares
/// the column.
///
/// # Safety
/// - All four pointers point to structs.
/// - `array` and `schema` point to valid structs. The call takes ownership of both structs.
/// - `out` and `out_schema` are valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_round_trip(
    array: *mut ArrowDeviceArray,
    schema: *mut ArrowSchema,
    owning: c_int,
    out: *mut ArrowDeviceArray,
    out_schema: *mut ArrowSchema,
) -> c_int {
    // SAFETY: the caller passes valid structs and gives up their ownership.
    let (array, schema) = unsafe { (ArrowDeviceArray::from_raw(array), ArrowSchema::from_raw(schema)) };
    code((|| {
        let field = schema.to_field()?;
        let stream = Stream::new(device_of(array.device_type(), array.device_id())?)?;
        let mr = current_resource(stream.device())?;
        // SAFETY: the caller passes a valid array, and `schema` describes the array.
        let column = unsafe { from_arrow_device(array, &schema, &stream, mr.as_ref())? };
        let exported = if owning != 0 {
            to_arrow_device(column, &stream)?
        } else {
            let exported = to_arrow_device(&column, &stream)?;
            drop(column);
            exported
        };
        // SAFETY: the caller passes an `out` and an `out_schema` that are valid for writes.
        unsafe {
            exported.write_to(out);
            to_arrow_schema(&field)?.write_to(out_schema);
        }
        Ok(())
    })())
}

/// Imports a struct array as a table and exports the table.
///
/// # Safety
/// - The requirements of [`gdf_round_trip`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_table_round_trip(
    array: *mut ArrowDeviceArray,
    schema: *mut ArrowSchema,
    out: *mut ArrowDeviceArray,
    out_schema: *mut ArrowSchema,
) -> c_int {
    // SAFETY: the caller passes valid structs and gives up their ownership.
    let (array, schema) = unsafe { (ArrowDeviceArray::from_raw(array), ArrowSchema::from_raw(schema)) };
    code((|| {
        let stream = Stream::new(device_of(array.device_type(), array.device_id())?)?;
        let mr = current_resource(stream.device())?;
        // SAFETY: the caller passes a valid array, and `schema` describes the array.
        let table = unsafe { from_arrow_device_table(array, &schema, &stream, mr.as_ref())? };
        // SAFETY: the caller passes an `out` and an `out_schema` that are valid for writes.
        unsafe {
            to_arrow_device(table, &stream)?.write_to(out);
            to_arrow_schema(&schema.to_schema()?)?.write_to(out_schema);
        }
        Ok(())
    })())
}

/// Imports an array of the CPU to a device, and exports the resulting column of this device. The device −1 is the
/// CPU.
///
/// # Safety
/// - The requirements of [`gdf_round_trip`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_to_device(
    array: *mut ArrowArray,
    schema: *mut ArrowSchema,
    ordinal: c_int,
    out: *mut ArrowDeviceArray,
) -> c_int {
    // SAFETY: the caller passes valid structs and gives up their ownership.
    let (array, schema) = unsafe { (ArrowArray::from_raw(array), ArrowSchema::from_raw(schema)) };
    code((|| {
        let stream = Stream::new(device(ordinal))?;
        let mr = current_resource(stream.device())?;
        // SAFETY: the caller passes a valid array, and `schema` describes the array.
        let column = unsafe { from_arrow_host(array, &schema, &stream, mr.as_ref())? };
        // SAFETY: the caller passes an `out` that is valid for writes.
        unsafe { to_arrow_device(column, &stream)?.write_to(out) };
        Ok(())
    })())
}

/// Imports an array on the device that holds the array. Then exports the column on the CPU.
///
/// # Safety
/// - The requirements of [`gdf_round_trip`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_to_host(
    array: *mut ArrowDeviceArray,
    schema: *mut ArrowSchema,
    out: *mut ArrowArray,
    out_schema: *mut ArrowSchema,
) -> c_int {
    // SAFETY: the caller passes valid structs and gives up their ownership.
    let (array, schema) = unsafe { (ArrowDeviceArray::from_raw(array), ArrowSchema::from_raw(schema)) };
    code((|| {
        let stream = Stream::new(device_of(array.device_type(), array.device_id())?)?;
        let mr = current_resource(stream.device())?;
        // SAFETY: the caller passes a valid array, and `schema` describes the array.
        let column = unsafe { from_arrow_device(array, &schema, &stream, mr.as_ref())? };
        let exported = to_arrow_host(column, &stream)?.into_array()?;
        // SAFETY: the caller passes an `out` and an `out_schema` that are valid for writes.
        unsafe {
            exported.write_to(out);
            to_arrow_schema(&schema.to_field()?)?.write_to(out_schema);
        }
        Ok(())
    })())
}

/// Borrows an array until the call returns. Returns the number of nulls, or -1 after an error.
///
/// # Safety
/// - Both pointers point to valid structs, which the caller continues to own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_lent_nulls(array: *const ArrowDeviceArray, schema: *const ArrowSchema) -> i64 {
    // SAFETY: the caller passes pointers to valid structs that live until the call returns.
    let (array, schema) = unsafe { (&*array, &*schema) };
    let mut nulls = -1;
    code((|| {
        let stream = Stream::new(device_of(array.device_type(), array.device_id())?)?;
        let mr = current_resource(stream.device())?;
        let count = |column: &Column| column.null_count_on(&stream);
        // SAFETY: the caller passes a valid array and its schema. The closure returns a number, so no reference to the
        // memory of the array leaves the closure.
        nulls =
            unsafe { with_arrow_device(array, schema, &stream, mr.as_ref(), |view| count(&view.to_column()))?? as i64 };
        Ok(())
    })());
    nulls
}

/// Reads all tables of a stream, and exports them as a stream.
///
/// # Safety
/// - `source` points to a valid struct. The call takes ownership of the struct.
/// - `out` is valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_stream_round_trip(source: *mut ArrowArrayStream, out: *mut ArrowArrayStream) -> c_int {
    // SAFETY: the caller passes a valid struct and gives up its ownership.
    let source = unsafe { ArrowArrayStream::from_raw(source) };
    code((|| {
        let stream = Stream::cpu();
        // SAFETY: the caller passes a valid stream.
        let reader = unsafe { from_arrow_stream(source, &stream, &current_resource(Device::Cpu)?)? };
        let schema = reader.schema().clone();
        let tables = reader.collect::<Result<Vec<Table>>>()?;
        // SAFETY: the caller passes an `out` that is valid for writes.
        unsafe { to_arrow_stream(&schema, tables.into_iter().map(Result::<_>::Ok), &stream).write_to(out) };
        Ok(())
    })())
}

/// Does the same as [`gdf_stream_round_trip`], but for device streams. A table is imported when the consumer requests
/// it.
///
/// # Safety
/// - The requirements of [`gdf_stream_round_trip`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gdf_device_stream_round_trip(
    source: *mut ArrowDeviceArrayStream,
    ordinal: c_int,
    out: *mut ArrowDeviceArrayStream,
) -> c_int {
    // SAFETY: the caller passes a valid struct and gives up its ownership.
    let source = unsafe { ArrowDeviceArrayStream::from_raw(source) };
    code((|| {
        let stream = Stream::new(device(ordinal))?;
        // SAFETY: the caller passes a valid stream.
        let reader = unsafe { from_arrow_device_stream(source, &stream, &current_resource(stream.device())?)? };
        let schema = reader.schema().clone();
        // SAFETY: the caller passes an `out` that is valid for writes.
        unsafe { to_arrow_device_stream(&schema, reader, &stream).write_to(out) };
        Ok(())
    })())
}
