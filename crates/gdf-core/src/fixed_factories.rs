//! Columns of fixed width and booleans from values on the CPU.

use arrow_schema::DataType;
use gdf_driver::Stream;
use gdf_memory::{Buffer, ResourceRef};

use crate::{
    Column, ColumnParts, Error, ExpectedType, NativeType, NativeValue, NullCount, PhysicalType, Result, Validity,
    bitmask, physical_type,
};

/// A column without nulls of the plainest type that stores `T`, on the stream's device.
///
/// ```
/// # use gdf_core as gdf;
/// use gdf::{Device, Stream, fixed_width_from_slice};
///
/// let (stream, mr) = (Stream::cpu(), gdf::memory::current_resource(Device::Cpu)?);
/// let column = fixed_width_from_slice(&[1i32, 2, 3], &stream, mr.as_ref())?;
/// assert_eq!(column.len(), 3);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// - Driver and memory errors.
pub fn fixed_width_from_slice<T: NativeType>(values: &[T], stream: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
    fixed_width_with_type(values, &T::DATA_TYPE, stream, mr)
}

/// A column without nulls of any type that stores `T`: dates of `i32`, decimals of `i128`, …
///
/// # Errors
/// - [`Error::TypeMismatch`]: `data_type` does not store `T`.
/// - Driver and memory errors.
pub fn fixed_width_with_type<T: NativeType>(
    values: &[T],
    data_type: &DataType,
    stream: &Stream,
    mr: ResourceRef<'_>,
) -> Result<Column> {
    expect_physical(T::PHYSICAL, data_type, T::NAME)?;
    let buffer = Buffer::from_host(bytemuck::cast_slice(values), stream, mr)?;
    let parts = ColumnParts::new(data_type.clone(), stream.device(), values.len()).buffer(buffer);
    Column::assemble(parts, true)
}

/// A column of the plainest type that stores `T`; `None` is null. Without any null there is no validity mask.
///
/// # Errors
/// - Driver and memory errors.
pub fn from_options<T: NativeType>(values: &[Option<T>], stream: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
    fixed_width_from_options(values, &T::DATA_TYPE, stream, mr)
}

/// As [`from_options`], of any type that stores `T`.
///
/// # Errors
/// - [`Error::TypeMismatch`]: `data_type` does not store `T`.
/// - Driver and memory errors.
pub fn fixed_width_from_options<T: NativeType>(
    values: &[Option<T>],
    data_type: &DataType,
    stream: &Stream,
    mr: ResourceRef<'_>,
) -> Result<Column> {
    let plain = host_vec(values.iter().map(|value| value.unwrap_or_default()))?;
    let column = fixed_width_with_type(&plain, data_type, stream, mr)?;
    with_counted_validity(column, validity_from(values.iter().map(Option::is_some), stream, mr)?)
}

/// A boolean column; `None` is null. Without any null there is no validity mask.
///
/// # Errors
/// - Driver and memory errors.
pub fn bool_from(values: &[Option<bool>], stream: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
    let column = bools(values.iter().map(|value| value.unwrap_or_default()), stream, mr)?;
    with_counted_validity(column, validity_from(values.iter().map(Option::is_some), stream, mr)?)
}

/// A boolean column without nulls.
///
/// # Errors
/// - Driver and memory errors.
pub fn bool_from_slice(values: &[bool], stream: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
    bools(values.iter().copied(), stream, mr)
}

fn bools(values: impl ExactSizeIterator<Item = bool>, stream: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
    let len = values.len();
    let mut bits = zeroed_host_vec(bitmask::used_bytes(len))?;
    bitmask::pack_bools(values, &mut bits);
    let buffer = Buffer::from_host(&bits, stream, mr)?;
    Column::assemble(ColumnParts::new(DataType::Boolean, stream.device(), len).buffer(buffer), true)
}

/// A validity mask of as many rows as the iterator says that it has, unless all are valid. Items beyond these are left alone;
/// rows without an item are null.
///
/// # Errors
/// - Driver and memory errors.
pub fn validity_from(
    valid: impl ExactSizeIterator<Item = bool>,
    stream: &Stream,
    mr: ResourceRef<'_>,
) -> Result<Option<Validity>> {
    let len = valid.len();
    let mut bits = zeroed_host_vec(bitmask::bytes(len))?;
    // an iterator may give more items than it says, or fewer
    bitmask::pack_bools(valid.take(len), &mut bits);
    let zeros = bitmask::count_zeros_in_range(&bits, 0, len);
    if zeros == 0 {
        return Ok(None);
    }
    let mask = Buffer::from_host(&bits, stream, mr)?;
    Ok(Some(Validity { mask, null_count: NullCount::Known(zeros) }))
}

/// One value of a [`NativeValue`], or zeros, as a column of one row without validity.
pub(crate) fn one_row<T: NativeValue>(
    value: T,
    data_type: &DataType,
    stream: &Stream,
    mr: ResourceRef<'_>,
) -> Result<Column> {
    expect_physical(T::PHYSICAL, data_type, T::NAME)?;
    let buffer = Buffer::from_host(bytemuck::bytes_of(&value.store()), stream, mr)?;
    Column::assemble(ColumnParts::new(data_type.clone(), stream.device(), 1).buffer(buffer), true)
}

fn expect_physical(expected: PhysicalType, data_type: &DataType, name: &'static str) -> Result<()> {
    if physical_type(data_type) != expected {
        return Err(Error::type_mismatch(ExpectedType::Storing(name), data_type));
    }
    Ok(())
}

/// The column with a validity that was counted here, and whose null rows hide nothing.
pub(crate) fn with_counted_validity(column: Column, validity: Option<Validity>) -> Result<Column> {
    let Some(Validity { mask, null_count }) = validity else { return Ok(column) };
    Column::assemble(column.into_parts().validity(Some(mask), null_count), true)
}

/// A vector on the CPU, with running out of memory as an error.
pub(crate) fn host_vec<T>(values: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>> {
    let mut vec = reserved(values.len())?;
    vec.extend(values);
    Ok(vec)
}

/// Zeros on the CPU, with running out of memory as an error.
pub(crate) fn zeroed_host_vec(len: usize) -> Result<Vec<u8>> {
    let mut vec = reserved(len)?;
    vec.resize(len, 0);
    Ok(vec)
}

/// Room for `len` values on the CPU, with running out of memory as an error.
pub(crate) fn reserved<T>(len: usize) -> Result<Vec<T>> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(len).map_err(|_| gdf_memory::MemoryError::OutOfMemory {
        requested: len.saturating_mul(size_of::<T>()),
        free: None,
        resource: "vector",
    })?;
    Ok(vec)
}
