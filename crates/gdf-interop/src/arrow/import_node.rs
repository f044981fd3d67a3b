//! Import of one array and its children as a column. This module checks everything that can be checked without reading
//! buffers.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use gdf_core::layout::{Content, can_be_dirty, child_types, layout};
use gdf_core::{Column, ColumnParts, DataType, Error, NullCount, PhysicalType, can_have_validity, physical_type};
use gdf_driver::{CopyKind, Device, PointerInfo, Stream};
use gdf_memory::{Buffer, Owner, ResourceRef};
use smallvec::SmallVec;

use super::export_release::own_length;
use crate::error::malformed;
use crate::{ArrowArray, InteropError, Result};

pub(super) struct Context<'a> {
    pub(super) owner: Arc<dyn Owner>,
    pub(super) device: Device,
    pub(super) stream: &'a Stream,
    pub(super) mr: ResourceRef<'a>,
    pub(super) validate: bool,
    /// Whether the caller promised that the data are valid.
    pub(super) assume: bool,
}

/// Returns a count of the producer as an unsigned number.
fn count(number: i64, what: &str) -> Result<usize> {
    usize::try_from(number).map_err(|_| malformed(format!("{what} must be at least 0, found {number}")))
}

/// Makes a column of `array` and its children.
///
/// # Safety
/// - `array` is valid as `ArrowArray::from_raw` demands.
/// - The buffers have the lengths that the type, the counts and the offset require.
/// - `cx.device` may read the buffers, in the order of `cx.stream`, until `cx.owner` is dropped. Nobody writes to the
///   buffers before then.
pub(super) unsafe fn import_node(array: &ArrowArray, data_type: &DataType, cx: &Context<'_>) -> Result<Column> {
    if array.is_released() {
        return Err(InteropError::Released { what: "child array" });
    }
    let len = count(array.length, "`length` of the array")?;
    let offset = count(array.offset, "`offset` of the array")?;
    // The limit keeps the size of every buffer below `isize::MAX` bytes.
    let row_bytes = match data_type {
        DataType::FixedSizeBinary(width) => usize::try_from(*width).unwrap_or(0).max(32),
        _ => 32,
    };
    let limit = isize::MAX as usize / row_bytes;
    if offset.checked_add(len).is_none_or(|rows| rows >= limit) {
        return Err(malformed(format!(
            "`length` plus `offset` of the array must be less than {limit}, found {len} plus {offset}"
        )));
    }
    let node = Node { array, data_type, len, offset: if len == 0 { 0 } else { offset }, cx };
    let mut parts = ColumnParts::new(data_type.clone(), cx.device, len);
    parts.offset = node.offset;
    // SAFETY: the caller fulfills the same conditions.
    let addresses = unsafe { node.addresses()? };
    let skipped = usize::from(can_have_validity(data_type));
    let (mask, own) = addresses.split_at(skipped);
    // SAFETY: the caller fulfills the same conditions.
    (parts.validity, parts.null_count) = unsafe { node.validity(mask.first().copied())? };
    // SAFETY: the caller fulfills the same conditions.
    unsafe { node.own_buffers(own, skipped, &mut parts)? };
    // SAFETY: the caller fulfills the same conditions.
    parts.children = unsafe { node.children()? };
    parts.sanitized = parts.validity.is_none() || !can_be_dirty(data_type);
    if cx.assume {
        // SAFETY: the caller of `Importer::assume_validated` promised valid data.
        return Ok(unsafe { Column::try_from_vouched_parts(parts)? });
    }
    Ok(Column::try_from_parts(parts)?)
}

struct Node<'a> {
    array: &'a ArrowArray,
    data_type: &'a DataType,
    len: usize,
    /// The index of the first row.
    offset: usize,
    cx: &'a Context<'a>,
}

impl Node<'_> {
    fn rows(&self) -> usize {
        self.offset + self.len
    }

    /// Checks the number of buffers against the type, and returns the addresses of the buffers.
    ///
    /// # Safety
    /// - The conditions of [`import_node`].
    unsafe fn addresses(&self) -> Result<SmallVec<[*const c_void; 3]>> {
        let layout = layout(self.data_type);
        let expected = usize::from(can_have_validity(self.data_type)) + layout.buffers.len();
        let found = count(self.array.n_buffers, "`n_buffers` of the array")?;
        let fits = if layout.variadic { (expected..1 << 32).contains(&found) } else { found == expected };
        if !fits {
            return Err(Error::buffer_count(self.data_type, expected, found).into());
        }
        if found > 0 && self.array.buffers.is_null() {
            return Err(malformed("`buffers` of the array is a null pointer, but `n_buffers` is not 0"));
        }
        // SAFETY: the caller promises that `buffers` points to `n_buffers` addresses. `buffers` is not null if there
        // are any.
        Ok((0..found).map(|i| unsafe { self.array.buffers.add(i).read() }).collect())
    }

    /// Returns the validity mask and the null count.
    ///
    /// # Safety
    /// - The conditions of [`import_node`].
    unsafe fn validity(&self, mask: Option<*const c_void>) -> Result<(Option<Buffer>, NullCount)> {
        let reported = self.array.null_count;
        if reported < -1 || (reported > self.len as i64) {
            return Err(malformed(format!(
                "`null_count` of the array must be in the range from -1 to {}, the length, found {reported}",
                self.len
            )));
        }
        let Some(mask) = mask else { return Ok((None, NullCount::Known(0))) };
        // If the producer reports no nulls, the mask is only needed to validate the report. If the mask is missing, the
        // import fails only if the producer reports nulls.
        let is_needed = if mask.is_null() { reported > 0 } else { reported != 0 || self.cx.validate };
        if self.len == 0 || !is_needed {
            return Ok((None, NullCount::Known(0)));
        }
        let bytes = self.rows().div_ceil(8);
        // SAFETY: the caller fulfills the same conditions, and a mask has one bit per row.
        let mask = unsafe { self.buffer(mask, bytes, Content::Bits, "validity")? };
        Ok((Some(mask), usize::try_from(reported).map_or(NullCount::Unknown, NullCount::Known)))
    }

    /// Adds all buffers except the mask to `parts`.
    ///
    /// # Safety
    /// - The conditions of [`import_node`].
    unsafe fn own_buffers(&self, addresses: &[*const c_void], skipped: usize, parts: &mut ColumnParts) -> Result<()> {
        let layout = layout(self.data_type);
        let mut last_offset = None;
        for (i, (address, (name, content))) in addresses.iter().zip(&layout.buffers).enumerate() {
            if let (Content::Offsets { width }, 0) = (content, self.len) {
                // Every column of a type with offsets has at least one offset.
                parts.buffers.push(Buffer::zeroed(*width, self.cx.stream, self.cx.mr)?);
                continue;
            }
            let bytes = match content {
                // SAFETY: the caller fulfills the same conditions. `last_offset` describes the buffer of offsets,
                // which precedes the buffer of bytes.
                Content::Bytes => unsafe { self.byte_length(*address, skipped + i, last_offset)? },
                _ => content.needed(self.rows()).ok_or_else(|| {
                    malformed(format!("the buffer `{name}` of {} rows exceeds the address space", self.rows()))
                })?,
            };
            // SAFETY: the caller fulfills the same conditions, and `bytes` is the length that the type requires.
            parts.buffers.push(unsafe { self.buffer(*address, bytes, *content, name)? });
            if let Content::Offsets { width } = *content {
                last_offset = Some((*address, width));
            }
        }
        if !layout.variadic || addresses.len() <= layout.buffers.len() {
            return Ok(());
        }
        let (lengths, data) = (addresses[addresses.len() - 1], &addresses[layout.buffers.len()..addresses.len() - 1]);
        for (i, address) in data.iter().enumerate() {
            // SAFETY: the caller fulfills the same conditions. The last buffer of a view array holds the length of
            // each data buffer.
            let bytes = unsafe { self.data_length(*address, skipped + layout.buffers.len() + i, lengths, i)? };
            // SAFETY: the caller fulfills the same conditions, and `bytes` is the length of the data buffer.
            parts.buffers.push(unsafe { self.buffer(*address, bytes, Content::Bytes, "data")? });
        }
        Ok(())
    }

    /// Makes a buffer of the `bytes` bytes at `address`.
    ///
    /// # Safety
    /// - The conditions of [`import_node`].
    unsafe fn buffer(
        &self,
        address: *const c_void,
        bytes: usize,
        content: Content,
        name: &'static str,
    ) -> Result<Buffer> {
        let Context { owner, device, stream, mr, .. } = self.cx;
        if bytes == 0 {
            return Ok(Buffer::uninitialized(0, stream, *mr)?);
        }
        let Some(ptr) = NonNull::new(address.cast_mut().cast::<u8>()) else {
            return Err(InteropError::NullBuffer { buffer: name, data_type: self.data_type.clone() });
        };
        if ptr.addr().get().checked_add(bytes).is_none() {
            return Err(malformed(format!(
                "the buffer `{name}` at {ptr:p} has {bytes} bytes, which exceed the address space"
            )));
        }
        // SAFETY: the caller promises that the memory is readable and not written until the owner is dropped. The
        // stream has waited for the producer's event.
        let buffer = unsafe { Buffer::from_foreign(*device, ptr, bytes, Arc::clone(owner), stream) };
        if ptr.addr().get().is_multiple_of(content.alignment()) {
            return Ok(buffer);
        }
        gdf_core::count_copied_misaligned();
        Ok(buffer.deep_copy(stream, *mr)?)
    }

    /// Returns the length of the buffer of bytes to which the offsets refer.
    ///
    /// # Safety
    /// - The conditions of [`import_node`].
    /// - `offsets` holds the address of the buffer of offsets and the width of an offset in bytes.
    unsafe fn byte_length(
        &self,
        bytes: *const c_void,
        i: usize,
        offsets: Option<(*const c_void, usize)>,
    ) -> Result<usize> {
        let Some((offsets, width)) = offsets else { return Ok(0) };
        // SAFETY: the caller promises that the array is valid.
        if let Some(exact) = unsafe { own_length(self.array, i, bytes) } {
            return Ok(exact);
        }
        if !self.cx.device.is_cpu() {
            if bytes.is_null() {
                return Ok(0);
            }
            if let Some(bound) = self.bound(bytes)? {
                return Ok(if width == 4 { bound.min(i32::MAX as usize) } else { bound });
            }
        }
        // SAFETY: a buffer of offsets has one more entry than the array has rows, so the entry at index `rows()` is
        // readable.
        let last = unsafe { self.read(offsets.cast::<u8>().add(self.rows() * width), width)? };
        usize::try_from(last).map_err(|_| {
            Error::invalid_data("the last offset of the array is negative; offsets must be at least 0").into()
        })
    }

    /// Returns the length of data buffer `i` of a view array.
    ///
    /// # Safety
    /// - The conditions of [`import_node`].
    /// - `lengths` is null or holds the lengths of all data buffers.
    unsafe fn data_length(&self, data: *const c_void, at: usize, lengths: *const c_void, i: usize) -> Result<usize> {
        // SAFETY: the caller promises that the array is valid.
        if let Some(exact) = unsafe { own_length(self.array, at, data) } {
            return Ok(exact);
        }
        if lengths.is_null() {
            return Err(InteropError::NullBuffer {
                buffer: "lengths of the data buffers",
                data_type: self.data_type.clone(),
            });
        }
        // Some producers store the lengths in memory of the CPU.
        let on_host = self.cx.device.is_cpu() || PointerInfo::of(lengths.addr() as u64)?.is_none();
        if !on_host && let Some(bound) = self.bound(data)? {
            return Ok(bound);
        }
        // SAFETY: `lengths` holds an 8-byte length for each data buffer, and `i` is the index of a data buffer.
        let length = unsafe {
            let length = lengths.cast::<u8>().add(i * 8);
            if on_host { length.cast::<i64>().read_unaligned() } else { self.read(length, 8)? }
        };
        count(length, "the length of a data buffer of views")
    }

    /// Returns the number of allocated bytes from `address` on, as the driver reports.
    fn bound(&self, address: *const c_void) -> Result<Option<usize>> {
        let address = address.addr() as u64;
        Ok(PointerInfo::of(address)?.and_then(|info| info.bytes_from(address)))
    }

    /// Reads an integer of 4 or 8 bytes.
    ///
    /// # Safety
    /// - The device of the stream may read `width` bytes at `at`.
    unsafe fn read(&self, at: *const u8, width: usize) -> Result<i64> {
        let mut bytes = [0_u8; 8];
        let stream = self.cx.stream;
        if self.cx.device.is_cpu() {
            stream.settle()?;
            // SAFETY: the caller promises that `width` bytes are readable, and `bytes` has room for 8 bytes.
            unsafe { at.copy_to_nonoverlapping(bytes.as_mut_ptr(), width) };
        } else {
            let (to, from) = (bytes.as_mut_ptr().expose_provenance() as u64, at.expose_provenance() as u64);
            // SAFETY: the caller promises that the source is readable. The target has room for 8 bytes, and lives
            // until `synchronize` has waited for the copy.
            unsafe { stream.copy(to, from, width, CopyKind::DeviceToHost)? };
            stream.synchronize()?;
        }
        let [a, b, c, d, ..] = bytes;
        Ok(if width == 8 { i64::from_ne_bytes(bytes) } else { i64::from(i32::from_ne_bytes([a, b, c, d])) })
    }

    /// Imports the children.
    ///
    /// # Safety
    /// - The conditions of [`import_node`].
    unsafe fn children(&self) -> Result<Vec<Column>> {
        let types = child_types(self.data_type);
        let is_dictionary = physical_type(self.data_type) == PhysicalType::Dictionary;
        let expected = if is_dictionary { 0 } else { types.len() };
        let found = count(self.array.n_children, "`n_children` of the array")?;
        if found != expected {
            return Err(Error::child_count(self.data_type, expected, found).into());
        }
        if is_dictionary == self.array.dictionary.is_null() {
            return Err(malformed(if is_dictionary {
                "`dictionary` of the array is a null pointer, but the type is a dictionary"
            } else {
                "`dictionary` of the array must be a null pointer, because the type is not a dictionary"
            }));
        }
        if found > 0 && self.array.children.is_null() {
            return Err(malformed("`children` of the array is a null pointer, but `n_children` is not 0"));
        }
        let child = |(i, data_type): (usize, &&DataType)| -> Result<Column> {
            // SAFETY: the caller promises that `children` points to `n_children` pointers, and `i` is less than
            // `n_children`. For a dictionary array, `dictionary` is not null, as checked above.
            let child =
                unsafe { if is_dictionary { self.array.dictionary } else { self.array.children.add(i).read() } };
            // SAFETY: the caller promises that each pointer to a child is null or points to an array that the parent
            // owns.
            let child =
                unsafe { child.as_ref() }.ok_or(malformed("`children` of the array contains a null pointer"))?;
            // SAFETY: the caller's promises about an array include the array's children.
            unsafe { import_node(child, data_type, self.cx) }
        };
        types.iter().enumerate().map(child).collect()
    }
}
