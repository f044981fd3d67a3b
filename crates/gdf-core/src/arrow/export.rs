//! Arrow arrays from columns.
//!
//! The array of a column on the CPU shares the memory of the column and keeps the memory alive.
//!
//! Readers of Arrow arrays trust the data. Therefore the export validates columns that are not yet
//! [validated](Column::validated).

use arrow_array::{ArrayRef, make_array};
use arrow_buffer::{BooleanBuffer, Buffer as ArrowBuffer};
use arrow_data::ArrayData;
use gdf_driver::Stream;
use gdf_memory::Buffer;

use super::build::{build, null_buffer, share_buffer, without_rows};
use super::download::download;
use crate::layout::rows_per_parent;
use crate::types::physical_type;
use crate::{Column, ColumnView, Error, Result, Scalar, enter_span, scope, validation};

impl Column {
    /// Converts the rows to an Arrow array. The array shares the memory of a column on the CPU. If the column is on a
    /// GPU, the function **waits** for device memory.
    ///
    /// # Errors
    /// - [`Error::BrokenData`]: the data of a column on the CPU violate the rules of their type.
    /// - [`Error::Arrow`]: the data of a column on a GPU violate the rules of their type.
    /// - Both errors only occur for columns that are not [validated](Column::validated).
    /// - [`Error::DeviceMismatch`]: `stream` belongs to a different device than the column.
    /// - Driver and memory errors.
    pub fn to_arrow(&self, stream: &Stream) -> Result<ArrayRef> {
        Ok(make_array(self.to_array_data(stream)?))
    }

    /// Does the work of [`Column::to_arrow`] on the current stream of the [scope](crate::scope).
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
    /// - The errors of [`Column::to_arrow`].
    pub fn to_array(&self) -> Result<ArrayRef> {
        scope::run_on(self.device(), |ctx| self.to_arrow(ctx.stream))
    }

    /// Does the same as [`Column::to_arrow`], and returns the array as [`ArrayData`].
    ///
    /// # Errors
    /// - The errors of [`Column::to_arrow`].
    pub fn to_array_data(&self, stream: &Stream) -> Result<ArrayData> {
        let _span = enter_span("Column::to_arrow", self.device());
        self.export(stream)
    }

    /// Does the work of [`Column::to_array_data`] without opening a span. `Debug` uses this function, because `Debug`
    /// may run while a span is written to a log.
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
    /// Returns the rows as an Arrow array; see [`Column::to_arrow`].
    ///
    /// # Errors
    /// - The errors of [`Column::to_arrow`].
    pub fn to_arrow(self, stream: &Stream) -> Result<ArrayRef> {
        self.to_column().to_arrow(stream)
    }

    /// Does the work of [`ColumnView::to_arrow`] on the current stream of the [scope](crate::scope).
    ///
    /// # Errors
    /// - The errors of [`Column::to_arrow`].
    pub fn to_array(self) -> Result<ArrayRef> {
        self.to_column().to_array()
    }
}

impl Scalar {
    /// Returns the value as an Arrow array of one row. **Waits** for device memory.
    ///
    /// # Errors
    /// - The errors of [`Column::to_arrow`].
    pub fn to_arrow(&self, stream: &Stream) -> Result<ArrayRef> {
        self.column().to_arrow(stream)
    }
}

/// Returns the bytes of a buffer as an Arrow buffer.
///
/// If `stream` is a stream of the CPU, the result shares the memory of the buffer. The CPU must be able to read that
/// memory. The call waits for the work that writes the memory. If `stream` is a stream of a GPU, the call copies the
/// bytes to the CPU and **waits**. The opposite function is
/// [`buffer_from_arrow`](crate::arrow::import::buffer_from_arrow).
///
/// Arrow's functions only accept Arrow's own buffers and arrays, so GPU memory cannot reach these functions by
/// mistake:
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
/// - [`MemoryError::NotHostAccessible`](gdf_memory::MemoryError::NotHostAccessible): device memory with a stream of the
///   CPU.
/// - Driver and memory errors.
pub fn buffer_to_arrow(buffer: &Buffer, stream: &Stream) -> Result<ArrowBuffer> {
    if stream.device().is_cpu() { share_buffer(buffer, stream) } else { Ok(buffer.to_host(stream)?.into()) }
}

/// Builds the array of a validated column on the CPU. The array shares the memory of the column.
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
    // Some functions of arrow-rs slice the children of an array twice if the array has an offset. Therefore the offset
    // is moved to the children where that is possible.
    let (offset, buffers, children) = match rows_per_parent(physical_type(column.data_type())) {
        Some(each) => {
            // The children of these types have a fixed number of rows per row of the parent.
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

#[cfg(test)]
#[path = "export_tests.rs"]
mod tests;
