//! Borrowed columns: some or all rows of a column.

use arrow_schema::DataType;
use gdf_driver::{Device, Stream};
use gdf_memory::{Access, Buffer};

use super::{Column, check_range, count_nulls};
use crate::TextFacts;
use crate::{Counted, Error, ExpectedType, NativeType, Result, scope};

/// Some or all rows of a borrowed [`Column`]. Cheap to copy and to slice.
///
/// It holds no addresses: reading goes through the buffers' accesses, which order streams.
#[derive(Clone, Copy)]
pub struct ColumnView<'a> {
    column: &'a Column,
    offset: usize,
    len: usize,
}

impl<'a> ColumnView<'a> {
    pub(crate) fn whole(column: &'a Column) -> Self {
        ColumnView { column, offset: column.offset(), len: column.len() }
    }

    /// The `len` rows from `offset` on.
    ///
    /// # Errors
    /// - [`Error::OutOfBounds`].
    pub fn slice(self, offset: usize, len: usize) -> Result<ColumnView<'a>> {
        check_range(offset, len, self.len).map_err(|error| error.in_operation("slice"))?;
        Ok(ColumnView { offset: self.offset + offset, len, ..self })
    }

    /// The column whose rows these are.
    pub fn column(self) -> &'a Column {
        self.column
    }

    /// The logical type.
    pub fn data_type(self) -> &'a DataType {
        self.column.data_type()
    }

    /// Number of rows.
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there are no rows.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Rows to skip at the start of validity and own buffers (the column's own offset included).
    pub fn offset(self) -> usize {
        self.offset
    }

    /// The device of the buffers.
    pub fn device(self) -> Device {
        self.column.device()
    }

    /// The validity mask; row `i` is bit `offset + i`.
    pub fn validity(self) -> Option<&'a Buffer> {
        self.column.validity()
    }

    /// Whether there is a validity mask, that is, whether rows may be null.
    pub fn has_validity(self) -> bool {
        self.column.has_validity()
    }

    /// The own buffers, not sliced; see [`ColumnParts`](crate::ColumnParts).
    pub fn buffers(self) -> &'a [Buffer] {
        self.column.buffers()
    }

    /// Own buffer `i`.
    ///
    /// # Errors
    /// - [`Error::OutOfBounds`].
    pub fn buffer(self, i: usize) -> Result<&'a Buffer> {
        self.buffers().get(i).ok_or_else(|| Error::index_out_of_bounds(Counted::Buffers, i, self.buffers().len()))
    }

    /// The children, not sliced; see the typed views for sliced ones.
    pub fn children(self) -> &'a [Column] {
        self.column.children()
    }

    /// Child `i`, not sliced.
    ///
    /// # Errors
    /// - [`Error::OutOfBounds`].
    pub fn child(self, i: usize) -> Result<ColumnView<'a>> {
        self.children()
            .get(i)
            .map(Column::view)
            .ok_or_else(|| Error::index_out_of_bounds(Counted::Children, i, self.children().len()))
    }

    /// Whether null rows are known to have no data behind them; see [`Column::sanitized`].
    pub fn sanitized(self) -> bool {
        self.column.sanitized()
    }

    /// Facts that operations have stored about the texts of the column, if the view has all rows of the column.
    #[doc(hidden)]
    pub fn text_facts(self) -> Option<&'a TextFacts> {
        self.column.text_facts().filter(|_| self.is_whole())
    }

    fn is_whole(self) -> bool {
        self.len == self.column.len()
    }

    /// The null count, if it is known without reading device memory or counting bits.
    pub fn known_null_count(self) -> Option<usize> {
        match self.data_type() {
            DataType::Null => Some(self.len),
            _ => self.column.null_count_state().of_slice(self.column.len(), self.len).known(),
        }
    }

    /// How many rows the validity mask says are null; all rows of a null column.
    ///
    /// If the count is in device memory, the call **waits**. For a slice, the call counts bits.
    ///
    /// # Errors
    /// - Driver and memory errors of reading.
    /// - [`Error::Unsupported`]: the view is a slice in device memory, and the program links no operation that counts
    ///   bits there.
    pub fn null_count(self) -> Result<usize> {
        match self.known_null_count() {
            Some(count) => Ok(count),
            None => scope::run_on(self.device(), |ctx| self.null_count_on(ctx.stream)),
        }
    }

    /// Does the work of [`ColumnView::null_count`] on `stream`.
    ///
    /// # Errors
    /// - The errors of [`ColumnView::null_count`].
    pub fn null_count_on(self, stream: &Stream) -> Result<usize> {
        match self.known_null_count() {
            Some(count) => Ok(count),
            None if self.is_whole() => self.column.null_count_on(stream),
            None => count_nulls(&self, stream),
        }
    }

    /// These rows as a column that shares the buffers.
    pub fn to_column(self) -> Column {
        let start = self.offset - self.column.offset();
        self.column.slice(start, self.len).unwrap_or_else(|_| self.column.clone())
    }

    /// The values of the rows as a slice, for code on the CPU. `access` is an access to the first own buffer.
    ///
    /// # Errors
    /// - [`Error::TypeMismatch`]: the column does not store values of `T`.
    /// - [`Error::Memory`]: the access is not one for the CPU.
    pub fn values<'s, T: NativeType>(self, access: &'s Access<'_>) -> Result<&'s [T]> {
        let keys = match self.data_type() {
            DataType::Dictionary(keys, _) => keys,
            other => other,
        };
        if crate::physical_type(keys) != T::PHYSICAL {
            return Err(Error::type_mismatch(T::DATA_TYPE, self.data_type()));
        }
        elements(access, self.offset, self.len)
    }

    /// The rows' `len + 1` offsets, out of an access to the first own buffer of strings, binary, lists or maps, for
    /// code on the CPU.
    ///
    /// # Errors
    /// - [`Error::TypeMismatch`]: the column has no offsets of this width.
    /// - [`Error::Memory`]: the access is not one for the CPU.
    pub fn offsets<'s, T: NativeType>(self, access: &'s Access<'_>) -> Result<&'s [T]> {
        use crate::PhysicalType as P;
        let large = match crate::physical_type(self.data_type()) {
            P::String { large } | P::Binary { large } | P::List { large } => large,
            P::Map => false,
            _ => return Err(Error::type_mismatch("a type with offsets", self.data_type())),
        };
        if T::PHYSICAL != if large { P::I64 } else { P::I32 } {
            return Err(Error::type_mismatch(ExpectedType::OffsetsOf(T::NAME), self.data_type()));
        }
        elements(access, self.offset, self.len + 1)
    }
}

/// The `len` elements from `start` on. The buffer's length need not be a multiple of the element's size.
fn elements<'s, T: NativeType>(access: &'s Access<'_>, start: usize, len: usize) -> Result<&'s [T]> {
    let bytes = access.as_slice::<u8>()?;
    let bytes = start
        .checked_add(len)
        .and_then(|end| Some(start.checked_mul(size_of::<T>())?..end.checked_mul(size_of::<T>())?))
        .and_then(|range| bytes.get(range))
        .ok_or_else(|| Error::buffer_too_small("values", len * size_of::<T>(), bytes.len()))?;
    if bytes.is_empty() {
        return Ok(&[]);
    }
    bytemuck::try_cast_slice(bytes).map_err(|_| Error::buffer_misaligned("values", align_of::<T>()))
}
