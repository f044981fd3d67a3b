//! Copies the rows of list columns. The elements of each list are a range of rows of the elements, so that all elements
//! are copied as ranges.

use gdf_core::{Column, ColumnParts, ColumnView, Error, FixedSizeListsView, ListsView, Result, Table, TableView};
use gdf_memory::{Buffer, MemoryError};
use smallvec::SmallVec;

use super::{LeafValidity, RowBits, RowSource, copy_table, values_buffer};
use crate::Ctx;
use crate::host::{Bits, HostColumn, Offset, for_each_task, map_tasks, memory_for_offsets, split_mut, task_rows};
use crate::layout::{RowKind, byte_len, check_offsets};
use crate::rows::RowPlan;
use crate::rows::plan::ListLeaf;
use crate::rows::ranges::HostRanges;
use crate::vouch;

/// The offsets and the elements of copied lists.
pub(super) struct CopiedLists {
    pub(super) offsets: SmallVec<[Buffer; 2]>,
    pub(super) elements: Column,
}

/// The rows of a list column that are copied.
pub(super) struct ListCopy<'c, 'a, S> {
    pub(super) operation: &'static str,
    pub(super) column: &'c HostColumn<'a>,
    pub(super) validity: Option<&'c LeafValidity<'c>>,
    pub(super) source: &'c S,
    pub(super) ctx: Ctx<'c>,
}

impl<S: RowSource> ListCopy<'_, '_, S> {
    /// Copies the rows. Null lists with offsets have no elements in the result.
    pub(super) fn run(&self, lists: ListLeaf) -> Result<CopiedLists> {
        match lists {
            ListLeaf::Offsets { large: false } => self.by_offsets::<i32>(),
            ListLeaf::Offsets { large: true } => self.by_offsets::<i64>(),
            ListLeaf::Fixed(size) => self.of_fixed_size(size),
        }
    }

    /// Returns the number of the row of each row of the result. The number is negative for a row that comes from no row.
    fn row_numbers(&self) -> Result<Buffer> {
        let Ctx { stream, mr } = self.ctx;
        let bytes = byte_len(self.source.rows(), size_of::<i64>(), mr)?;
        let mut numbers = Buffer::uninitialized(bytes, stream, mr.temporary)?;
        self.source.write_row_numbers(numbers.write_on(stream)?.into_mut_slice()?);
        Ok(numbers)
    }

    fn by_offsets<O: Offset>(&self) -> Result<CopiedLists> {
        let (rows, Ctx { stream, mr }) = (self.source.rows(), self.ctx);
        let from = self.column.offsets::<O>()?;
        let elements = ListsView::try_from(self.column.view())?.child();
        // The row numbers become the positions of the first elements.
        let mut begins = self.row_numbers()?;
        let mut ends = Buffer::uninitialized(begins.len(), stream, mr.temporary)?;
        let mut offsets = memory_for_offsets::<O>(rows, self.ctx)?;
        let is_valid = |row: usize| self.validity.is_none_or(|validity| validity.get(row));
        let extent = |row: i64| match usize::try_from(row) {
            Ok(row) if is_valid(row) => {
                let (begin, end) = (from[row].position(), from[row + 1].position());
                if begin <= end && end <= elements.len() { Some(begin..end) } else { None }
            }
            _ => Some(0..0),
        };
        let begins_out = begins.write_on(stream)?.into_mut_slice::<i64>()?;
        let ends_out = ends.write_on(stream)?.into_mut_slice::<i64>()?;
        let chunk = task_rows();
        let pieces: Vec<_> = begins_out.chunks_mut(chunk).zip(ends_out.chunks_mut(chunk)).collect();
        let totals = map_tasks(pieces, &|_, (begins, ends): (&mut [i64], &mut [i64])| {
            let mut total = 0_u64;
            for (begin, end) in begins.iter_mut().zip(ends) {
                let extent = extent(*begin)?;
                total = total.saturating_add(extent.len() as u64);
                (*begin, *end) = (extent.start as i64, total as i64);
            }
            Some(total)
        });
        let totals: Option<Vec<u64>> = totals.into_iter().collect::<Vec<_>>().into_iter().collect();
        let totals = totals.ok_or_else(|| {
            Error::invalid_data("the offsets descend, or an offset points behind the elements; validate the column")
        })?;
        let total = totals.iter().fold(0_u64, |all, total| all.saturating_add(*total));
        check_offsets(RowKind::Strings { large: O::LARGE }, total)?;
        let total = usize::try_from(total).ok().filter(|total| *total < isize::MAX as usize);
        let total = total.ok_or_else(|| self.endless())?;
        let out = offsets.write_on(stream)?.into_mut_slice::<O>()?;
        let (first, rest) = out.split_at_mut(1);
        first[0] = O::new(0);
        let mut starts = Vec::with_capacity(totals.len());
        totals.iter().fold(0_u64, |start, total| {
            starts.push(start);
            start + total
        });
        let lengths: Vec<_> = ends_out.chunks(chunk).map(<[i64]>::len).collect();
        let pieces: Vec<_> = ends_out.chunks_mut(chunk).zip(split_mut(rest, lengths)).collect();
        for_each_task(pieces, |task, (ends, offsets): (&mut [i64], &mut [O])| {
            for (end, offset) in ends.iter_mut().zip(offsets) {
                *end += starts[task] as i64;
                *offset = O::new(*end as usize);
            }
        });
        let ranges = HostRanges::of_slices(ends_out, begins_out, None, total, elements.len());
        let elements = self.elements(elements, &ranges)?;
        Ok(CopiedLists { offsets: SmallVec::from_iter([offsets]), elements })
    }

    fn endless(&self) -> Error {
        let resource = self.ctx.mr.output.resource().name();
        MemoryError::OutOfMemory { requested: usize::MAX, free: None, resource }.into()
    }

    /// Copies rows of lists of a fixed size. The elements of rows that come from no row are null.
    fn of_fixed_size(&self, size: usize) -> Result<CopiedLists> {
        let (rows, Ctx { stream, mr }) = (self.source.rows(), self.ctx);
        let elements = FixedSizeListsView::try_from(self.column.view())?.sliced_child()?;
        let total = byte_len(rows, size, mr)?;
        if let Some(width) = width_of_rows(elements, size) {
            return Ok(CopiedLists { offsets: SmallVec::new(), elements: self.as_bytes(elements, width, total)? });
        }
        let mut begins = self.row_numbers()?;
        let mut ends = Buffer::uninitialized(begins.len(), stream, mr.temporary)?;
        let begins = begins.write_on(stream)?.into_mut_slice::<i64>()?;
        let ends = ends.write_on(stream)?.into_mut_slice::<i64>()?;
        let mut has_begin = vec![0_u8; rows.div_ceil(8)];
        for (row, (begin, end)) in begins.iter_mut().zip(ends.iter_mut()).enumerate() {
            has_begin[row / 8] |= u8::from(*begin >= 0) << (row % 8);
            // The caller has checked that the numbers of elements of both columns fit in memory.
            *begin = begin.wrapping_mul(size as i64);
            *end = ((row + 1) * size) as i64;
        }
        let has_begin = self.source.nullable().then(|| Bits::new(&has_begin, 0, rows));
        let ranges = HostRanges::of_slices(ends, begins, has_begin, total, elements.len());
        Ok(CopiedLists { offsets: SmallVec::new(), elements: self.elements(elements, &ranges)? })
    }

    /// Copies the elements of each list, which have `width` bytes, as one value.
    fn as_bytes(&self, elements: ColumnView<'_>, width: usize, total: usize) -> Result<Column> {
        let mut values = values_buffer(self.source.rows(), width, self.ctx)?;
        let column = HostColumn::open(elements, self.ctx.stream)?;
        let RowKind::Bytes(of_element) = RowKind::of(elements.data_type()).unwrap_or(RowKind::Null) else {
            return Err(Error::internal("the elements of a list of a fixed size have no width"));
        };
        let from = column.row_bytes(of_element)?;
        self.source.copy_bytes(from, width, values.write_on(self.ctx.stream)?.into_mut_slice()?);
        vouch::result(ColumnParts::new(elements.data_type().clone(), self.ctx.stream.device(), total).buffer(values))
    }

    fn elements(&self, elements: ColumnView<'_>, ranges: &HostRanges<'_>) -> Result<Column> {
        let plan = RowPlan::with_lists(self.operation, &TableView::from(elements))?;
        let copied: Table =
            if ranges.rows() == 0 { plan.empty(self.ctx)? } else { copy_table(&plan, ranges, self.ctx)? };
        Ok(copied.column(0)?.clone())
    }
}

/// Returns the number of bytes of the elements of a list, if all elements are in one buffer and none can be null.
fn width_of_rows(elements: ColumnView<'_>, size: usize) -> Option<usize> {
    let plain = !elements.has_validity() && elements.children().is_empty() && elements.buffers().len() == 1;
    match RowKind::of(elements.data_type()) {
        Some(RowKind::Bytes(width)) if plain => width.checked_mul(size).filter(|width| *width > 0),
        _ => None,
    }
}
