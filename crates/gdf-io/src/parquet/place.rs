//! Final memory for columns whose size in bytes is known before they are decoded.
//!
//! The rows of each row group are decoded in batches that fit the CPU cache.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use arrow_array::Array;
use arrow_schema::DataType;
use gdf_core::{Column, ColumnParts, NullCount, bitmask};
use gdf_driver::{Device, Stream};
use gdf_memory::{AccessMut, Buffer, Resource, current_pinned_resource, current_resource};

use super::chunk::claimed_bytes;
use super::decode::decode;
use super::file::ParquetFile;
use super::pages::{decode_pages, suits};
use super::plan::{Origin, PlanColumn, Unit};
use super::slot::{Nulls, Slot};
use crate::Result;
use crate::target::Target;

/// The number of rows that are decoded at a time before they are copied to their final memory.
const CACHED_ROWS: usize = 1 << 15;

/// If a column chunk claims at most this number of bytes, its page headers are not checked.
const BELIEVED: usize = 1 << 20;
const BELIEVED_TIMES: usize = 64;

pub(super) struct Place {
    /// For each unit, the number of bytes of its part of each buffer.
    sizes: Vec<[usize; 2]>,
    buffers: Vec<Buffer>,
    /// The number of bytes of an offset, if the type has offsets.
    offset_width: Option<usize>,
}

pub(super) struct Destination<'a> {
    /// For values, the part of the buffer of values. For text, the parts of the buffers of offsets and of bytes.
    parts: Vec<AccessMut<'a>>,
    /// The number of bytes of text in all units before this unit.
    first: usize,
}

/// Staging memory for units that the CPU decodes for a GPU.
pub(super) struct Scratch<'a> {
    target: Target<'a>,
    resources: [Resource; 2],
    /// Free buffers, in the order in which their copies to the GPU were started.
    free: Mutex<VecDeque<Vec<Buffer>>>,
}

impl Place {
    /// Allocates memory for a column.
    ///
    /// # Errors
    /// - An allocation failed, or the metadata of a file claim more rows than its pages have.
    pub(super) fn find(
        column: &PlanColumn,
        files: &[ParquetFile],
        units: &[Unit],
        target: Target<'_>,
    ) -> Result<Option<Place>> {
        let Origin::Stored { leaves } = &column.origin else { return Ok(None) };
        let data_type = column.field.data_type();
        let offset_width = offset_width(data_type);
        // Nested columns have other buffers.
        if gdf_core::width(data_type).is_none() && offset_width.is_none() {
            return Ok(None);
        }
        let sizes = units.iter().map(|unit| unit_bytes(&files[unit.file], unit, &leaves[unit.file], data_type));
        let sizes: Option<Vec<[usize; 2]>> = sizes.collect();
        let Some(sizes) = sizes else { return Ok(None) };
        for (unit, size) in units.iter().zip(&sizes) {
            check_claim(&files[unit.file], unit, &leaves[unit.file], size[0].saturating_add(size[1]))?;
        }
        let total = |at: usize| sizes.iter().try_fold(0_usize, |sum, size| sum.checked_add(size[at]));
        let (Some(first), Some(second)) = (total(0), total(1)) else { return Ok(None) };
        let buffer = |bytes: usize| Buffer::uninitialized(bytes, target.stream, target.mr);
        let buffers = match offset_width {
            None => vec![buffer(first)?],
            Some(4) if i32::try_from(second).is_err() => return Ok(None),
            Some(width) => vec![buffer(first.saturating_add(width))?, buffer(second)?],
        };
        Ok(Some(Place { sizes, buffers, offset_width }))
    }

    /// Splits the memory into one destination for each unit.
    ///
    /// # Errors
    /// - The driver reports an error.
    pub(super) fn destinations(&mut self, target: Target<'_>) -> Result<Vec<Destination<'_>>> {
        let accesses = self.buffers.iter_mut().map(|buffer| buffer.write_on(target.stream));
        let mut left = accesses.collect::<Result<Vec<_>, _>>()?;
        if let (Some(width), Some(offsets)) = (self.offset_width, left.first_mut()) {
            offsets.split_off_front(width)?.fill(0..width, 0)?;
        }
        let mut first = 0;
        let destination = |sizes: &[usize; 2]| {
            let parts = left.iter_mut().zip(sizes).map(|(left, size)| left.split_off_front(*size));
            let destination = Destination { parts: parts.collect::<Result<_, _>>()?, first };
            first += sizes[1];
            Ok(destination)
        };
        self.sizes.iter().map(destination).collect()
    }

    /// Returns the finished column.
    ///
    /// # Errors
    /// - An allocation failed, or the decoded values are not valid values of the type.
    pub(super) fn finish(
        self,
        data_type: &DataType,
        rows: usize,
        parts: &[&Nulls],
        units: &[Unit],
        target: Target<'_>,
    ) -> Result<Column> {
        let count: usize = parts.iter().map(|nulls| nulls.validity.null_count()).sum();
        let parts_of = ColumnParts::new(data_type.clone(), target.stream.device(), rows);
        let mut column = self.buffers.into_iter().fold(parts_of, ColumnParts::buffer);
        if count > 0 {
            let mut bits = vec![0; bitmask::bytes(rows)];
            let mut row = 0;
            for (nulls, unit) in parts.iter().zip(units) {
                nulls.validity.write(&mut bits, row);
                row += unit.rows;
            }
            let validity = Buffer::from_host(&bits, target.stream, target.mr)?;
            column = column.validity(Some(validity), NullCount::Known(count));
        }
        // The column is validated, because the null count and the offsets come from unchecked data of the file.
        Ok(target.validated(Column::try_from_parts(column)?)?)
    }
}

pub(super) fn offset_width(data_type: &DataType) -> Option<usize> {
    match data_type {
        DataType::Utf8 | DataType::Binary => Some(4),
        DataType::LargeUtf8 | DataType::LargeBinary => Some(8),
        _ => None,
    }
}

/// Returns the numbers of bytes of a unit in the two buffers. Columns without offsets have only the first buffer.
/// Returns `None` if the file does not state the size of the text.
pub(super) fn unit_bytes(
    file: &ParquetFile,
    unit: &Unit,
    leaves: &[usize],
    data_type: &DataType,
) -> Option<[usize; 2]> {
    match (gdf_core::width(data_type), offset_width(data_type)) {
        (Some(width), _) => Some([unit.rows.checked_mul(width)?, 0]),
        (None, Some(width)) => Some([unit.rows.checked_mul(width)?, text_bytes(file, unit, leaves)?]),
        (None, None) => None,
    }
}

/// Compares the number of rows of a row group with its page headers.
///
/// # Errors
/// - The page headers claim another number of rows, or a page header is damaged.
fn check_claim(file: &ParquetFile, unit: &Unit, leaves: &[usize], bytes: usize) -> Result<()> {
    for leaf in leaves {
        let stored = file.metadata.metadata().row_group(unit.group).column(*leaf).compressed_size();
        let stored = usize::try_from(stored).unwrap_or(0);
        if bytes > BELIEVED && bytes / BELIEVED_TIMES > stored {
            file.check_rows(unit.group, *leaf)?;
        }
    }
    Ok(())
}

/// If the file states a plausible number of bytes of text for a unit, returns that number.
fn text_bytes(file: &ParquetFile, unit: &Unit, leaves: &[usize]) -> Option<usize> {
    let ([leaf], None) = (leaves, &unit.selection) else { return None };
    usize::try_from(claimed_bytes(file.metadata.metadata().row_group(unit.group).column(*leaf))?).ok()
}

impl Destination<'_> {
    /// Decodes the rows of a unit into their final memory.
    ///
    /// # Errors
    /// - The file is damaged, or the driver reports an error.
    pub(super) fn decode(
        mut self,
        file: &ParquetFile,
        unit: &Unit,
        leaves: &[usize],
        data_type: &DataType,
        scratch: Option<&Scratch<'_>>,
    ) -> Result<Option<Nulls>> {
        let Some(scratch) = scratch else {
            let mut parts =
                self.parts.iter_mut().map(AccessMut::as_mut_slice).collect::<Result<Vec<&mut [u8]>, _>>()?;
            return decode_placed(file, unit, leaves, data_type, Slot::new(&mut parts, self.first));
        };
        let mut memory = scratch.take(&self.parts)?;
        let cpu = Stream::cpu();
        let mut accesses = Vec::with_capacity(memory.len());
        for (buffer, part) in memory.iter_mut().zip(&self.parts) {
            accesses.push(buffer.write_part_on(0, part.len(), &cpu)?);
        }
        let mut slots = accesses.iter_mut().map(AccessMut::as_mut_slice).collect::<Result<Vec<&mut [u8]>, _>>()?;
        let nulls = decode_placed(file, unit, leaves, data_type, Slot::new(&mut slots, self.first))?;
        drop(accesses);
        if nulls.is_some() {
            scratch.send(&memory, &mut self.parts)?;
        }
        scratch.give_back(memory);
        Ok(nulls)
    }
}

impl<'a> Scratch<'a> {
    /// Makes staging memory for the target.
    ///
    /// # Errors
    /// - The current memory resources cannot be determined.
    pub(super) fn new(target: Target<'a>) -> Result<Option<Self>> {
        if target.is_cpu() {
            return Ok(None);
        }
        let resources = [current_pinned_resource(target.stream.device()), current_resource(Device::Cpu)];
        let [pinned, pageable] = resources.map(|resource| resource.map_err(gdf_core::Error::from));
        Ok(Some(Scratch { target, resources: [pinned?, pageable?], free: Mutex::default() }))
    }

    fn free(&self) -> MutexGuard<'_, VecDeque<Vec<Buffer>>> {
        // A poisoned lock is usable, because the list is consistent after every statement.
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns buffers of at least the sizes of `parts`.
    pub(super) fn take(&self, parts: &[AccessMut<'_>]) -> Result<Vec<Buffer>> {
        let [pinned, pageable] = &self.resources;
        let allocate = |bytes: usize| {
            Buffer::uninitialized(bytes, self.target.stream, pinned)
                .or_else(|_| Buffer::uninitialized(bytes, &Stream::cpu(), pageable))
        };
        let mut old = self.free().pop_front().unwrap_or_default().into_iter();
        let fitting = |part: &AccessMut<'_>| match old.next().filter(|buffer| buffer.len() >= part.len()) {
            Some(buffer) => Ok(buffer),
            None => allocate(part.len()),
        };
        Ok(parts.iter().map(fitting).collect::<Result<_, _>>()?)
    }

    /// Takes buffers back. They are used again when their copies have ended.
    pub(super) fn give_back(&self, buffers: Vec<Buffer>) {
        self.free().push_back(buffers);
    }

    /// Copies bytes from each buffer to the part with the same index.
    pub(super) fn send(&self, memory: &[Buffer], parts: &mut [AccessMut<'_>]) -> Result<()> {
        for (buffer, part) in memory.iter().zip(parts) {
            let bytes = buffer.slice(0, part.len())?;
            if buffer.device().is_cpu() {
                part.copy_from_host(0, bytes.read_on(&Stream::cpu())?.as_slice()?)?;
            } else {
                part.copy_from(&bytes.read_on(self.target.stream)?)?;
            }
        }
        Ok(())
    }
}

/// Decodes the rows of a unit into `slot`.
///
/// # Errors
/// - The file is damaged.
fn decode_placed(
    file: &ParquetFile,
    unit: &Unit,
    leaves: &[usize],
    data_type: &DataType,
    slot: Slot<'_>,
) -> Result<Option<Nulls>> {
    let mut slot = slot;
    let suits = suits(file, unit, leaves, data_type);
    if suits && let Some(validity) = decode_pages(file, unit, leaves, data_type, &mut slot) {
        return Ok(Some(Nulls { validity, given_up: false }));
    }
    let (mut row, mut nulls, mut fits) = (0, Nulls { given_up: suits, ..Nulls::default() }, true);
    decode(file, unit, leaves, CACHED_ROWS, |array| {
        let data = array.to_data();
        if !gdf_core::same_type(data.data_type(), data_type) {
            return Err(gdf_core::Error::type_mismatch(data_type, data.data_type()).into());
        }
        fits = fits && slot.fill(&data, row, unit.rows).is_some();
        nulls.push(&array);
        row += array.len();
        Ok(())
    })?;
    Ok((fits && slot.is_full()).then_some(nulls))
}
