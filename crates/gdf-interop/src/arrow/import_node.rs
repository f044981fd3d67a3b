//! One array of a tree of arrays as a column: what can be told without trusting the producer is checked here.

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

/// What all arrays of a tree share.
pub(super) struct Context<'a> {
    pub(super) owner: Arc<dyn Owner>,
    pub(super) device: Device,
    pub(super) stream: &'a Stream,
    pub(super) mr: ResourceRef<'a>,
    /// Whether the data are going to be looked at.
    pub(super) validate: bool,
    /// Whether somebody has promised that the data are right.
    pub(super) assume: bool,
}

/// The column of one array and those below it.
///
/// # Safety
/// - `array` is valid as `ArrowArray::from_raw` says, and its buffers are what its type, counts and offset ask for, readable by
///   `cx.device` in the order of `cx.stream` until `cx.owner` is dropped, and nobody writes there.
pub(super) unsafe fn import_node(array: &ArrowArray, data_type: &DataType, cx: &Context<'_>) -> Result<Column> {
    if array.is_released() {
        return Err(InteropError::Released { what: "child array" });
    }
    let number = |number: i64, what| usize::try_from(number).map_err(|_| malformed(what));
    let len = number(array.length, "a negative length")?;
    let offset = number(array.offset, "a negative offset")?;
    // one more for offsets, at 16 bytes each, is still within memory
    let fits = offset.checked_add(len).is_some_and(|rows| rows < isize::MAX as usize / 32);
    if !fits {
        return Err(malformed("a length beyond any memory"));
    }
    let node = Node { array, data_type, len, offset: if len == 0 { 0 } else { offset }, cx };
    let mut parts = ColumnParts::new(data_type.clone(), cx.device, len);
    parts.offset = node.offset;
    // SAFETY: as the caller promises.
    let addresses = unsafe { node.addresses()? };
    let skipped = usize::from(can_have_validity(data_type));
    let (mask, own) = addresses.split_at(skipped);
    // SAFETY: as the caller promises.
    (parts.validity, parts.null_count) = unsafe { node.validity(mask.first().copied())? };
    // SAFETY: as the caller promises.
    unsafe { node.own_buffers(own, skipped, &mut parts)? };
    // SAFETY: as the caller promises.
    parts.children = unsafe { node.children()? };
    parts.sanitized = parts.validity.is_none() || !can_be_dirty(data_type);
    if cx.assume {
        // SAFETY: promised to `Importer::assume_validated`.
        return Ok(unsafe { Column::try_from_vouched_parts(parts)? });
    }
    Ok(Column::try_from_parts(parts)?)
}

struct Node<'a> {
    array: &'a ArrowArray,
    data_type: &'a DataType,
    len: usize,
    /// 0 without rows, since buffers of no length need not hold what an offset skips.
    offset: usize,
    cx: &'a Context<'a>,
}

impl Node<'_> {
    fn rows(&self) -> usize {
        self.offset + self.len
    }

    /// The buffers' addresses, as many as the type has.
    ///
    /// # Safety
    /// - As [`import_node`].
    unsafe fn addresses(&self) -> Result<SmallVec<[*const c_void; 3]>> {
        let layout = layout(self.data_type);
        let expected = usize::from(can_have_validity(self.data_type)) + layout.buffers.len();
        let found = usize::try_from(self.array.n_buffers).map_err(|_| malformed("a negative number of buffers"))?;
        let fits = if layout.variadic { (expected..1 << 32).contains(&found) } else { found == expected };
        if !fits {
            return Err(Error::buffer_count(self.data_type, expected, found).into());
        }
        if found > 0 && self.array.buffers.is_null() {
            return Err(malformed("buffers at a null pointer"));
        }
        // SAFETY: `buffers` leads to `n_buffers` addresses.
        Ok((0..found).map(|i| unsafe { self.array.buffers.add(i).read() }).collect())
    }

    /// The mask and the number of its zeros.
    ///
    /// # Safety
    /// - As [`import_node`].
    unsafe fn validity(&self, mask: Option<*const c_void>) -> Result<(Option<Buffer>, NullCount)> {
        let reported = self.array.null_count;
        if reported < -1 || (reported > self.len as i64) {
            return Err(malformed("a null count that is negative or beyond the length"));
        }
        let Some(mask) = mask else { return Ok((None, NullCount::Known(0))) };
        // a mask beside a null count of 0 need not have zeros, so it is taken to be looked at only
        let is_needed = if mask.is_null() { reported > 0 } else { reported != 0 || self.cx.validate };
        if self.len == 0 || !is_needed {
            return Ok((None, NullCount::Known(0)));
        }
        let bytes = self.rows().div_ceil(8);
        // SAFETY: as the caller promises.
        let mask = unsafe { self.buffer(mask, bytes, Content::Bits, "validity")? };
        Ok((Some(mask), usize::try_from(reported).map_or(NullCount::Unknown, NullCount::Known)))
    }

    /// Adds the buffers but for the mask, which stand from `skipped` on in the struct.
    ///
    /// # Safety
    /// - As [`import_node`].
    unsafe fn own_buffers(&self, addresses: &[*const c_void], skipped: usize, parts: &mut ColumnParts) -> Result<()> {
        let layout = layout(self.data_type);
        let mut last_offset = None;
        for (i, (address, (name, content))) in addresses.iter().zip(&layout.buffers).enumerate() {
            if let (Content::Offsets { width }, 0) = (content, self.len) {
                // buffers of no length need not hold the one offset that columns have
                parts.buffers.push(Buffer::zeroed(*width, self.cx.stream, self.cx.mr)?);
                continue;
            }
            let bytes = match content {
                // SAFETY: as the caller promises; the offsets were looked at before.
                Content::Bytes => unsafe { self.byte_length(*address, skipped + i, last_offset)? },
                _ => content.needed(self.rows()).ok_or(malformed("a length beyond any memory"))?,
            };
            // SAFETY: as the caller promises.
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
            // SAFETY: as the caller promises; the last buffer holds a length for each data buffer.
            let bytes = unsafe { self.data_length(*address, skipped + layout.buffers.len() + i, lengths, i)? };
            // SAFETY: as the caller promises.
            parts.buffers.push(unsafe { self.buffer(*address, bytes, Content::Bytes, "data")? });
        }
        Ok(())
    }

    /// A buffer of `bytes` at `address`: the producer's memory, or a copy where its address does not suit its elements.
    ///
    /// # Safety
    /// - As [`import_node`].
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
            return Err(malformed("a length beyond any memory"));
        }
        // SAFETY: the caller promises memory that is readable and unwritten until the owner is dropped; the stream waits for
        // the producer's event.
        let buffer = unsafe { Buffer::from_foreign(*device, ptr, bytes, Arc::clone(owner), stream) };
        if ptr.addr().get().is_multiple_of(content.alignment()) {
            return Ok(buffer);
        }
        gdf_core::count_copied_misaligned();
        Ok(buffer.deep_copy(stream, *mr)?)
    }

    /// How many bytes the offsets may point into.
    ///
    /// # Safety
    /// - As [`import_node`]; `offsets` is where the offsets are, and how wide.
    unsafe fn byte_length(
        &self,
        bytes: *const c_void,
        i: usize,
        offsets: Option<(*const c_void, usize)>,
    ) -> Result<usize> {
        let Some((offsets, width)) = offsets else { return Ok(0) };
        // SAFETY: as the caller promises.
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
        // SAFETY: offsets hold an entry more than rows.
        let last = unsafe { self.read(offsets.cast::<u8>().add(self.rows() * width), width)? };
        usize::try_from(last).map_err(|_| Error::invalid_data("an offset is negative").into())
    }

    /// The length of data buffer `i` of a view, which is buffer `at` of the struct.
    ///
    /// # Safety
    /// - As [`import_node`]; `lengths` holds the lengths of all data buffers.
    unsafe fn data_length(&self, data: *const c_void, at: usize, lengths: *const c_void, i: usize) -> Result<usize> {
        // SAFETY: as the caller promises.
        if let Some(exact) = unsafe { own_length(self.array, at, data) } {
            return Ok(exact);
        }
        if lengths.is_null() {
            return Err(InteropError::NullBuffer { buffer: "lengths of data", data_type: self.data_type.clone() });
        }
        // Some producers keep the lengths in memory of the host, others in that of the device, where looking means waiting.
        let on_host = self.cx.device.is_cpu() || PointerInfo::of(lengths.addr() as u64)?.is_none();
        if !on_host && let Some(bound) = self.bound(data)? {
            return Ok(bound);
        }
        // SAFETY: there is a length for each data buffer.
        let length = unsafe {
            let length = lengths.cast::<u8>().add(i * 8);
            if on_host { length.cast::<i64>().read_unaligned() } else { self.read(length, 8)? }
        };
        usize::try_from(length).map_err(|_| malformed("a negative length of a data buffer"))
    }

    /// How many bytes the driver knows to be allocated from `address` on; nothing for mapped memory, of which it tells the
    /// reserved addresses.
    fn bound(&self, address: *const c_void) -> Result<Option<usize>> {
        let address = address.addr() as u64;
        Ok(PointerInfo::of(address)?.and_then(|info| info.bytes_from(address)))
    }

    /// Reads an integer of 4 or 8 bytes. **Waits** where it is in device memory.
    ///
    /// # Safety
    /// - `at` is readable by the device of the stream.
    unsafe fn read(&self, at: *const u8, width: usize) -> Result<i64> {
        let mut bytes = [0_u8; 8];
        let stream = self.cx.stream;
        if self.cx.device.is_cpu() {
            stream.settle()?;
            // SAFETY: the caller promises that the bytes can be read.
            unsafe { at.copy_to_nonoverlapping(bytes.as_mut_ptr(), width) };
        } else {
            let (to, from) = (bytes.as_mut_ptr().expose_provenance() as u64, at.expose_provenance() as u64);
            // SAFETY: the source is readable, the target has room for 8 bytes and lives until the copy has been waited for.
            unsafe { stream.copy(to, from, width, CopyKind::DeviceToHost)? };
            stream.synchronize()?;
        }
        let [a, b, c, d, ..] = bytes;
        Ok(if width == 8 { i64::from_ne_bytes(bytes) } else { i64::from(i32::from_ne_bytes([a, b, c, d])) })
    }

    /// The children, and the values of a dictionary.
    ///
    /// # Safety
    /// - As [`import_node`].
    unsafe fn children(&self) -> Result<Vec<Column>> {
        let types = child_types(self.data_type);
        let is_dictionary = physical_type(self.data_type) == PhysicalType::Dictionary;
        let expected = if is_dictionary { 0 } else { types.len() };
        let found = usize::try_from(self.array.n_children).map_err(|_| malformed("a negative number of children"))?;
        if found != expected {
            return Err(Error::child_count(self.data_type, expected, found).into());
        }
        if is_dictionary == self.array.dictionary.is_null() {
            return Err(malformed("a dictionary without values, or values of what is no dictionary"));
        }
        if found > 0 && self.array.children.is_null() {
            return Err(malformed("children at a null pointer"));
        }
        let child = |(i, data_type): (usize, &&DataType)| -> Result<Column> {
            // SAFETY: `children` leads to `n_children` pointers, `dictionary` was looked at.
            let child =
                unsafe { if is_dictionary { self.array.dictionary } else { self.array.children.add(i).read() } };
            // SAFETY: pointers to children are null or lead to arrays that the parent owns.
            let child = unsafe { child.as_ref() }.ok_or(malformed("a child at a null pointer"))?;
            // SAFETY: what is promised of an array is promised of its children.
            unsafe { import_node(child, data_type, self.cx) }
        };
        types.iter().enumerate().map(child).collect()
    }
}
