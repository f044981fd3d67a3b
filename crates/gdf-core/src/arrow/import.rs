//! Columns from Arrow arrays.
//!
//! A column on the CPU shares the memory of the array. The import to the CPU copies in two cases only: a buffer is not
//! aligned for its elements, or the bits of the mask cannot have the same offset as the data. The import to a GPU
//! copies each buffer once, and only the range that the rows need.

use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::Array;
use arrow_buffer::Buffer as ArrowBuffer;
use arrow_data::ArrayData;
use gdf_driver::{Device, Stream};
use gdf_memory::{Buffer, ResourceRef};

use super::misaligned::count_copied_misaligned;
use super::upload::{is_sanitized, upload};
use crate::layout::{Content, Layout, check_levels, layout, rows_per_parent};
use crate::scope::here;
use crate::types::physical_type;
use crate::{Column, ColumnParts, Counted, Error, NullCount, Result, Scalar, bitmask, enter_span};

pub use super::misaligned::copied_misaligned;

impl Column {
    /// Returns the array as a column on the stream's device. A column on the CPU shares the memory of the array. A
    /// column on a GPU is a copy.
    ///
    /// If null rows may have data, the column is marked as unsanitized.
    ///
    /// # Errors
    /// - [`Error::InvalidArgument`]: the type of the array is invalid, or has more than 64 levels.
    /// - Driver and memory errors.
    pub fn from_arrow<'r>(array: &dyn Array, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Column> {
        check_levels(array.data_type())?;
        Self::from_array_data(&array.to_data(), stream, mr)
    }

    /// Returns the array as a column on the [current device](crate::scope::current_device).
    ///
    /// A column on the CPU shares the memory of the array. A column on a GPU is a copy in memory of the current scope.
    /// [`Column::from_arrow`] takes a stream and a memory resource from the caller instead.
    ///
    /// ```
    /// # mod gdf { pub use gdf_core::*; pub mod core { pub use gdf_core::*; } pub mod arrow { pub use arrow_array as array; } }
    /// use gdf::arrow::array::Int32Array;
    /// use gdf::Column;
    ///
    /// let column = Column::from_array(&Int32Array::from(vec![Some(1), None]))?;
    /// assert_eq!(column.null_count()?, 1);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// - The errors of [`Column::from_arrow`].
    pub fn from_array(array: &dyn Array) -> Result<Column> {
        here(|ctx| Self::from_arrow(array, ctx.stream, ctx.mr.output))
    }

    /// Does the same as [`Column::from_arrow`] for an array that is given as [`ArrayData`].
    ///
    /// # Errors
    /// - The errors of [`Column::from_arrow`].
    pub fn from_array_data<'r>(data: &ArrayData, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Column> {
        check_levels(data.data_type())?;
        let mr = mr.into();
        let _span = enter_span("Column::from_arrow", stream.device());
        if stream.device().is_cpu() { adopt(data, stream, mr) } else { upload(data, 0, data.len(), stream, mr) }
    }
}

impl Scalar {
    /// Returns the only row of an Arrow array as a scalar. The type of the array may be nested.
    ///
    /// # Errors
    /// - [`Error::LengthMismatch`]: the array does not have exactly one row.
    /// - The errors of [`Column::from_arrow`].
    pub fn from_arrow<'r>(array: &dyn Array, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Scalar> {
        if array.len() != 1 {
            return Err(Error::length_mismatch(1, array.len()));
        }
        Scalar::from_column(Column::from_arrow(array, stream, mr)?)
    }
}

/// Returns the bytes of an Arrow buffer as a buffer on the stream's device. A buffer on the CPU shares the memory. A
/// buffer on a GPU is a copy.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod core { pub use gdf_core::*; } }
/// use gdf::core::arrow_export::buffer_to_arrow;
/// use gdf::core::arrow_import::buffer_from_arrow;
/// use gdf::{Device, Stream};
///
/// let (stream, mr) = (Stream::cpu(), gdf::memory::current_resource(Device::Cpu)?);
/// let column = gdf::Column::from_slice_on(&[1, 2, 3], &stream, mr.as_ref())?;
/// let arrow = column.to_arrow(&stream)?.to_data().buffers()[0].clone();
/// let buffer = buffer_from_arrow(&arrow, &stream, mr.as_ref())?;
/// let tail = buffer_to_arrow(&buffer.slice(4, 8)?, &stream)?;
/// assert_eq!(tail.typed_data::<i32>(), [2, 3]);
/// # Ok::<(), gdf_core::Error>(())
/// ```
///
/// # Errors
/// - Driver and memory errors.
pub fn buffer_from_arrow<'r>(buffer: &ArrowBuffer, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Buffer> {
    match stream.device().is_cpu() {
        true => Ok(share(buffer, 0, stream)),
        false => Ok(Buffer::from_host(buffer, stream, mr.into())?),
    }
}

/// The offset of an imported column, and the start of its buffers.
#[derive(Debug, PartialEq, Eq)]
struct Placement {
    offset: usize,
    /// The number of rows from the start of the array's buffers to the start of the column's buffers. The number is
    /// negative if the column's buffers begin first.
    shift: isize,
    mask: Mask,
}

#[derive(Debug, PartialEq, Eq)]
enum Mask {
    None,
    /// The column shares the mask's buffer with the array, from this byte on.
    Shared(usize),
    Copied,
}

/// Chooses the offset of the column and the start of its buffers.
///
/// An Arrow array has one offset for data and another offset for validity. A column has a single offset for both.
fn place(data: &ArrayData, layout: &Layout) -> Placement {
    let data_offset = data.offset();
    let Some(nulls) = data.nulls() else {
        return Placement { offset: data_offset, shift: 0, mask: Mask::None };
    };
    let bit = nulls.offset();
    if bit >= data_offset && (bit - data_offset).is_multiple_of(8) {
        return Placement { offset: data_offset, shift: 0, mask: Mask::Shared((bit - data_offset) / 8) };
    }
    let has_bits = layout.buffers.iter().any(|(_, content)| *content == Content::Bits);
    let offset = bit % 8;
    let shift = data_offset as isize - offset as isize;
    let fits = match usize::try_from(shift) {
        Ok(forward) => !has_bits || forward.is_multiple_of(8),
        Err(_) => !has_bits && can_move_back(data, layout, offset - data_offset),
    };
    if fits {
        return Placement { offset, shift, mask: Mask::Shared(bit / 8) };
    }
    let offset = if has_bits { data_offset % 8 } else { 0 };
    Placement { offset, shift: (data_offset - offset) as isize, mask: Mask::Copied }
}

/// Returns whether the column's buffers can begin `rows` rows before the array's buffers. The allocation of each buffer
/// must begin early enough. Each buffer must also be aligned, because the import copies a misaligned buffer. The result
/// is `false` for types in which the offset applies to the children.
fn can_move_back(data: &ArrayData, layout: &Layout, rows: usize) -> bool {
    let along = rows_per_parent(physical_type(data.data_type())).is_some();
    !along
        && data.buffers().iter().zip(&layout.buffers).all(|(buffer, (_, content))| match content.row_width() {
            Some(width) => buffer.ptr_offset() >= rows * width && is_aligned(buffer.as_ptr(), content.alignment()),
            None => true,
        })
}

fn is_aligned(ptr: *const u8, alignment: usize) -> bool {
    ptr.addr().is_multiple_of(alignment)
}

fn adopt(data: &ArrayData, stream: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
    let layout = layout(data.data_type());
    let Placement { offset, shift, mask } = place(data, &layout);
    let mut parts = ColumnParts::new(data.data_type().clone(), Device::Cpu, data.len());
    parts.offset = offset;
    parts.sanitized = is_sanitized(data);
    if let Some(nulls) = data.nulls() {
        parts.null_count = NullCount::Known(nulls.null_count());
        parts.validity = match mask {
            Mask::None => None,
            Mask::Shared(start) => Some(share(nulls.buffer(), start as isize, stream)),
            Mask::Copied => {
                let mut copy = Buffer::zeroed(bitmask::bytes(offset + data.len()), stream, mr)?;
                let mut access = copy.write_on(stream)?;
                let bits = access.as_mut_slice::<u8>()?;
                bitmask::copy_bits(nulls.buffer(), nulls.offset(), bits, offset, data.len());
                drop(access);
                Some(copy)
            }
        };
    }
    let rest = std::iter::repeat(&("data", Content::Bytes));
    for (buffer, (_, content)) in data.buffers().iter().zip(layout.buffers.iter().chain(rest)) {
        parts.buffers.push(adopt_buffer(buffer, *content, shift, offset + data.len(), stream, mr)?);
    }
    let along = rows_per_parent(physical_type(data.data_type()));
    for child in data.child_data() {
        let child = adopt(child, stream, mr)?;
        let start = along.unwrap_or(0) * usize::try_from(shift).unwrap_or(0);
        let len = child
            .len()
            .checked_sub(start)
            .ok_or_else(|| Error::index_out_of_bounds(Counted::Rows, start, child.len()))?;
        parts.children.push(child.slice(start, len)?);
    }
    Column::assemble(parts, true)
}

fn adopt_buffer(
    buffer: &ArrowBuffer,
    content: Content,
    shift: isize,
    rows: usize,
    stream: &Stream,
    mr: ResourceRef<'_>,
) -> Result<Buffer> {
    if let (Content::Offsets { width }, true) = (content, buffer.is_empty()) {
        // Arrow allows arrays without rows to omit the offsets.
        return Ok(Buffer::zeroed((rows + 1) * width, stream, mr)?);
    }
    let start = match content {
        Content::Bits => shift / 8,
        Content::Bytes => 0,
        Content::Fixed { width, .. } | Content::Offsets { width } => shift * width as isize,
    };
    let shared = share(buffer, start, stream);
    if buffer.is_empty() || is_aligned(buffer.as_ptr(), content.alignment()) {
        return Ok(shared);
    }
    count_copied_misaligned();
    Ok(shared.deep_copy(stream, mr)?)
}

/// Returns a buffer that shares the memory of an Arrow buffer from byte `start` on.
fn share(buffer: &ArrowBuffer, start: isize, stream: &Stream) -> Buffer {
    let origin = buffer.ptr_offset() as isize;
    // The clamp keeps `start` within the allocation of the Arrow buffer, even if a caller passes a wrong value.
    let start = start.clamp(-origin, buffer.len() as isize);
    let len = (buffer.len() as isize - start) as usize;
    let first = (origin + start) as usize;
    let owner = Arc::new(buffer.clone());
    // SAFETY: `first` is at most `origin + buffer.len()`, which lies within, or one past, the memory that starts at
    // `data_ptr`.
    let ptr: NonNull<u8> = unsafe { buffer.data_ptr().add(first) };
    // SAFETY: the memory behind an Arrow buffer is initialized, and was written before this call. The memory is valid
    // and immutable while a clone of the Arrow buffer exists, and `owner` is a clone. `ptr` and `len` lie within the
    // memory, as shown above.
    unsafe { Buffer::from_foreign(Device::Cpu, ptr, len, owner, stream) }
}

#[cfg(test)]
#[path = "import_tests.rs"]
mod tests;
