//! Builds Arrow arrays from shared buffers.

use std::panic::AssertUnwindSafe;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_buffer::{BooleanBuffer, Buffer as ArrowBuffer, NullBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use gdf_driver::Stream;
use gdf_memory::{Buffer, OwnedAccess};

use crate::types::physical_type;
use crate::{Column, NullCount, Result};

/// Builds an array of no rows for a column whose type has offsets.
///
/// The array gets a new offset 0 instead of the first offset of the column. arrow-rs trusts the first offset, but the
/// validation of a column without rows does not check the first offset.
pub(crate) fn without_rows(
    column: &Column,
    len: usize,
    child: impl FnMut(&Column) -> Result<ArrayData>,
) -> Result<Option<ArrayData>> {
    use crate::PhysicalType as P;
    let (large, values) = match physical_type(column.data_type()) {
        P::String { large } | P::Binary { large } => (large, 1),
        P::List { large } => (large, 0),
        P::Map => (false, 0),
        _ => return Ok(None),
    };
    if len > 0 {
        return Ok(None);
    }
    let mut buffers = vec![ArrowBuffer::from(vec![0_i64; 1]).slice_with_length(0, if large { 8 } else { 4 })];
    buffers.extend(std::iter::repeat_n(ArrowBuffer::from(Vec::<u8>::new()), values));
    let children = column.children().iter().map(child).collect::<Result<_>>()?;
    let builder = ArrayData::builder(column.data_type().clone()).len(0);
    build(builder.buffers(buffers).child_data(children), column).map(Some)
}

/// Shares one buffer with Arrow.
pub(crate) fn share_buffer(buffer: &Buffer, stream: &Stream) -> Result<ArrowBuffer> {
    let access = OwnedAccess::new(buffer.clone(), stream)?;
    let bytes = access.as_slice::<u8>()?;
    let (start, len) = (NonNull::from(bytes).cast(), bytes.len());
    // SAFETY: pointer and length are those of an initialized slice. The access keeps the memory alive and in its place.
    // The access is a second reference to the memory, so nobody can write to the memory.
    Ok(unsafe { ArrowBuffer::from_custom_allocation(start, len, Arc::new(AssertUnwindSafe(access))) })
}

/// Returns the mask with its null count. If the column does not know the count, the function counts the zeros of the
/// mask.
pub(crate) fn null_buffer(bits: BooleanBuffer, column: &Column) -> NullBuffer {
    match column.null_count_state() {
        NullCount::Known(count) => {
            // SAFETY: a column returns a known count only if the count was computed, or if a caller promised its
            // correctness. `bits` covers all rows of the column.
            unsafe { NullBuffer::new_unchecked(bits, *count) }
        }
        _ => NullBuffer::new(bits),
    }
}

/// Builds the array. If the column is not validated, Arrow validates the data.
pub(crate) fn build(builder: ArrayDataBuilder, column: &Column) -> Result<ArrayData> {
    let builder = builder.align_buffers(true);
    if !column.own_data_validated() {
        return Ok(builder.build()?);
    }
    // SAFETY: the lengths of buffers and children were checked when the column was made. The offsets, keys, views and
    // UTF-8 of the column's own buffers are validated, as the check above shows, or do not occur in this type.
    let builder = unsafe { builder.skip_validation(true) };
    Ok(builder.build()?)
}
