//! Arrow arrays from columns.
//!
//! On the CPU the array shares the column's memory and keeps it alive. From a GPU each buffer is copied once, only the range that
//! the rows need, to memory of the CPU's current resource, and the call waits.
//!
//! Safe code trusts an Arrow array's offsets, keys and UTF-8. Columns for which nobody vouches (see [`Column::validated`]) are
//! therefore validated here: on the CPU as operations do, once, and the verdict is kept; from a GPU what was copied is, by Arrow.

use std::panic::AssertUnwindSafe;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::{ArrayRef, make_array};
use arrow_buffer::{BooleanBuffer, Buffer as ArrowBuffer, NullBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use gdf_driver::Stream;
use gdf_memory::Buffer;

use crate::arrow_download::download;
use crate::data_type::physical_type;
use crate::layout::rows_per_parent;
use crate::{Column, ColumnView, Error, NullCount, Result, Scalar, enter_span, scope, validation};

impl Column {
    /// The rows as an Arrow array. Shares memory on the CPU; **waits** for device memory.
    ///
    /// # Errors
    /// - [`Error::BrokenData`], from a GPU [`Error::Arrow`]: the data break the rules of their type (only of a column that is not
    ///   [validated](Column::validated)).
    /// - [`Error::DeviceMismatch`]: the stream is not one of the column's device.
    /// - Driver and memory errors.
    pub fn to_arrow(&self, stream: &Stream) -> Result<ArrayRef> {
        Ok(make_array(self.to_array_data(stream)?))
    }

    /// As [`Column::to_arrow`], with the stream of the scope.
    ///
    /// ```
    /// # mod gdf { pub use gdf_core::*; pub mod core { pub use gdf_core::*; } pub mod arrow { pub use arrow_array as array; } }
    /// use gdf::arrow::array::{Array, Int64Array};
    /// use gdf::Column;
    ///
    /// let array = Column::from_slice(&[1_i64, 2])?.to_array()?;
    /// assert_eq!(array.as_any().downcast_ref(), Some(&Int64Array::from(vec![1, 2])));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// - As [`Column::to_arrow`].
    pub fn to_array(&self) -> Result<ArrayRef> {
        scope::run_on(self.device(), |ctx| self.to_arrow(ctx.stream))
    }

    /// As [`Column::to_arrow`].
    ///
    /// # Errors
    /// - As [`Column::to_arrow`].
    pub fn to_array_data(&self, stream: &Stream) -> Result<ArrayData> {
        let _span = enter_span("Column::to_arrow", self.device());
        self.export(stream)
    }

    /// As [`Column::to_array_data`], without a span: for `Debug`, which may run while a span is written to a log.
    pub(crate) fn export(&self, stream: &Stream) -> Result<ArrayData> {
        if stream.device() != self.device() {
            return Err(Error::device_mismatch(self.device(), stream.device()));
        }
        if !self.device().is_cpu() {
            return download(self, self.offset(), self.len(), stream);
        }
        validation::ensure(self, stream)?;
        share(self, stream)
    }
}

impl ColumnView<'_> {
    /// The rows as an Arrow array; see [`Column::to_arrow`].
    ///
    /// # Errors
    /// - As [`Column::to_arrow`].
    pub fn to_arrow(self, stream: &Stream) -> Result<ArrayRef> {
        self.to_column().to_arrow(stream)
    }

    /// As [`ColumnView::to_arrow`], with the stream of the scope.
    ///
    /// # Errors
    /// - As [`Column::to_arrow`].
    pub fn to_array(self) -> Result<ArrayRef> {
        self.to_column().to_array()
    }
}

impl Scalar {
    /// The value as an Arrow array of one row. **Waits** for device memory.
    ///
    /// # Errors
    /// - As [`Column::to_arrow`].
    pub fn to_arrow(&self, stream: &Stream) -> Result<ArrayRef> {
        self.column().to_arrow(stream)
    }
}

/// The bytes of a buffer as an Arrow buffer. Shares memory that the CPU can read, on a stream of the CPU (which waits for the
/// writer); **waits** for device memory, which is copied. See [`buffer_from_arrow`](crate::arrow_import::buffer_from_arrow).
///
/// Arrow's functions take Arrow's buffers and arrays, so that none of them meets memory of a GPU by mistake:
///
/// ```compile_fail,E0308
/// # mod gdf { pub use gdf_core::*; pub mod core { pub use gdf_core::*; } pub mod arrow { pub use arrow_array as array; pub use arrow_buffer as buffer; } }
/// fn is_equal(arrow: &gdf::arrow::buffer::Buffer, device: &gdf::memory::Buffer) -> bool {
///     arrow.eq(device)
/// }
/// ```
///
/// ```compile_fail,E0277
/// # mod gdf { pub use gdf_core::*; pub mod core { pub use gdf_core::*; } pub mod arrow { pub use arrow_array as array; } }
/// fn null_count(column: &gdf::Column) -> usize {
///     let array: &dyn gdf::arrow::array::Array = column;
///     array.null_count()
/// }
/// ```
///
/// # Errors
/// - [`MemoryError::NotHostAccessible`](gdf_memory::MemoryError::NotHostAccessible): device memory with a stream of the CPU.
/// - Driver and memory errors.
pub fn buffer_to_arrow(buffer: &Buffer, stream: &Stream) -> Result<ArrowBuffer> {
    if stream.device().is_cpu() { share_buffer(buffer, stream) } else { Ok(buffer.to_host(stream)?.into()) }
}

/// No rows of a type with offsets, of which `child` makes no rows of a child. Validation skips the first offset of such a
/// column, and arrow-rs reads it; its own empty arrays are none of unions without fields, for which it panics.
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

/// Shares the memory of a validated column on the CPU.
fn share(column: &Column, stream: &Stream) -> Result<ArrayData> {
    if let Some(empty) = without_rows(column, column.len(), |child| share(&child.slice(0, 0)?, stream))? {
        return Ok(empty);
    }
    let nulls = match column.validity() {
        Some(validity) => {
            let bits = BooleanBuffer::new(share_buffer(validity, stream)?, column.offset(), column.len());
            Some(null_buffer(bits, column))
        }
        None => None,
    };
    // Arrow's own handling of an offset that children share slices them twice in places; without an offset there is nothing to slice
    let (offset, buffers, children) = match rows_per_parent(physical_type(column.data_type())) {
        Some(each) => {
            // such columns have one byte per row in their buffers, if any
            let buffer = |buffer: &Buffer| share_buffer(&buffer.slice(column.offset(), column.len())?, stream);
            let child = |child: &Column| share(&child.slice(column.offset() * each, column.len() * each)?, stream);
            let buffers = column.buffers().iter().map(buffer).collect::<Result<_>>()?;
            (0, buffers, column.children().iter().map(child).collect::<Result<_>>()?)
        }
        None => {
            let buffers = column.buffers().iter().map(|buffer| share_buffer(buffer, stream)).collect::<Result<_>>()?;
            (
                column.offset(),
                buffers,
                column.children().iter().map(|child| share(child, stream)).collect::<Result<_>>()?,
            )
        }
    };
    let builder = ArrayData::builder(column.data_type().clone()).len(column.len()).offset(offset);
    build(builder.nulls(nulls).buffers(buffers).child_data(children), column)
}

/// Shares one buffer; the Arrow buffer owns a clone, so that nobody writes to the memory while it lives.
pub(crate) fn share_buffer(buffer: &Buffer, stream: &Stream) -> Result<ArrowBuffer> {
    let access = buffer.read_on(stream)?;
    let bytes = access.as_slice::<u8>()?;
    let owner = Arc::new(AssertUnwindSafe(buffer.clone()));
    // SAFETY: pointer and length are those of an initialized slice, whose memory the clone in `owner` keeps alive and, being a
    // second reference, unwritten.
    Ok(unsafe { ArrowBuffer::from_custom_allocation(NonNull::from(bytes).cast(), bytes.len(), owner) })
}

/// The mask with the count that is known, or counted where nobody vouches for it.
pub(crate) fn null_buffer(bits: BooleanBuffer, column: &Column) -> NullBuffer {
    match column.null_count_state() {
        NullCount::Known(count) => {
            // SAFETY: a column gives out only what was counted or vouched for; the bits are those of all its rows.
            unsafe { NullBuffer::new_unchecked(bits, *count) }
        }
        _ => NullBuffer::new(bits),
    }
}

/// Builds the array, with validation where nobody vouches for the data.
pub(crate) fn build(builder: ArrayDataBuilder, column: &Column) -> Result<ArrayData> {
    let builder = builder.align_buffers(true);
    if !column.own_data_validated() {
        return Ok(builder.build()?);
    }
    // SAFETY: lengths of buffers and children were checked when the column was made; offsets, keys, views and UTF-8 are vouched for
    // or do not occur in this type.
    let builder = unsafe { builder.skip_validation(true) };
    Ok(builder.build()?)
}

#[cfg(test)]
#[path = "arrow_export_tests.rs"]
mod tests;
