//! Views of columns: all rows or some rows of a borrowed column.

use arrow_schema::DataType;
use gdf_driver::Device;
use gdf_memory::{Access, Buffer};

use super::{Column, check_range};
use crate::{Counted, Error, ExpectedType, NativeType, Result, scope};
use crate::{OrderBounds, TextFacts, ValueBounds};

/// All rows or a range of rows of a borrowed [`Column`]. A view is cheap to copy and to slice.
///
/// A view holds no addresses of memory. Code gets an address only through an access to a buffer, because the access
/// makes the stream wait for the work that writes the buffer.
#[derive(Clone, Copy)]
pub struct ColumnView<'a> {
    pub(super) column: &'a Column,
    offset: usize,
    len: usize,
}

impl<'a> ColumnView<'a> {
    pub(crate) fn whole(column: &'a Column) -> Self {
        ColumnView { column, offset: column.offset(), len: column.len() }
    }

    /// Returns the `len` rows from `offset` on.
    ///
    /// # Errors
    /// - [`Error::OutOfBounds`]: the view does not have these rows.
    pub fn slice(self, offset: usize, len: usize) -> Result<ColumnView<'a>> {
        check_range(offset, len, self.len).map_err(|error| error.in_operation("slice"))?;
        Ok(ColumnView { offset: self.offset + offset, len, ..self })
    }

    /// Returns the column to which the rows belong.
    pub fn column(self) -> &'a Column {
        self.column
    }

    /// Returns the logical type.
    pub fn data_type(self) -> &'a DataType {
        self.column.data_type()
    }

    /// Returns the number of rows.
    pub fn len(self) -> usize {
        self.len
    }

    /// Returns whether the view has no rows.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Returns the number of rows to skip at the start of the validity mask and of the own buffers. The number
    /// includes the column's own offset.
    pub fn offset(self) -> usize {
        self.offset
    }

    /// Returns the device of the buffers.
    pub fn device(self) -> Device {
        self.column.device()
    }

    /// Returns the validity mask. The bit of row `i` is bit `offset + i`.
    pub fn validity(self) -> Option<&'a Buffer> {
        self.column.validity()
    }

    /// Returns whether the column has a validity mask, that is, whether rows may be null.
    pub fn has_validity(self) -> bool {
        self.column.has_validity()
    }

    /// Returns the column's own buffers. The buffers are not sliced to the rows of the view.
    /// [`ColumnParts`](crate::ColumnParts) lists the buffers of each type.
    pub fn buffers(self) -> &'a [Buffer] {
        self.column.buffers()
    }

    /// Returns buffer `i` of the column's own buffers.
    ///
    /// # Errors
    /// - [`Error::OutOfBounds`]: the column does not have this buffer.
    pub fn buffer(self, i: usize) -> Result<&'a Buffer> {
        self.buffers().get(i).ok_or_else(|| Error::index_out_of_bounds(Counted::Buffers, i, self.buffers().len()))
    }

    /// Returns the children. The children are not sliced to the rows of the view. The typed views return sliced
    /// children.
    pub fn children(self) -> &'a [Column] {
        self.column.children()
    }

    /// Returns child `i`. The child is not sliced to the rows of the view.
    ///
    /// # Errors
    /// - [`Error::OutOfBounds`]: the column does not have this child.
    pub fn child(self, i: usize) -> Result<ColumnView<'a>> {
        self.children()
            .get(i)
            .map(Column::view)
            .ok_or_else(|| Error::index_out_of_bounds(Counted::Children, i, self.children().len()))
    }

    /// Returns whether null rows certainly have no data; see [`Column::sanitized`].
    pub fn sanitized(self) -> bool {
        self.column.sanitized()
    }

    /// Returns the facts that operations have stored about the texts or byte strings of the column; see
    /// [`Column::text_facts`]. Returns `None` if the view does not contain all rows of the column, because the facts
    /// are about all rows.
    #[doc(hidden)]
    pub fn text_facts(self) -> Option<&'a TextFacts> {
        self.column.text_facts().filter(|_| self.is_whole())
    }

    /// Returns the smallest and the largest order number of the column's valid rows, if they are stored. Returns `None`
    /// if the view does not contain all rows of the column.
    #[doc(hidden)]
    pub fn exact_bounds(self) -> Option<OrderBounds> {
        self.column.value_bounds().filter(|_| self.is_whole())?.exact()
    }

    /// Returns order numbers between which all valid values lie, if such bounds are stored.
    #[doc(hidden)]
    pub fn outer_bounds(self) -> Option<OrderBounds> {
        self.column.value_bounds()?.outer()
    }

    /// Stores the smallest and the largest order number of the view's valid rows. The call has no effect unless the
    /// view contains all rows of the column.
    ///
    /// # Safety
    /// * Unless bounds are stored, `bounds` must be the smallest and the largest order number of the valid rows.
    #[doc(hidden)]
    pub unsafe fn keep_exact_bounds(self, bounds: OrderBounds) {
        if let Some(stored) = self.column.value_bounds().filter(|_| self.is_whole()) {
            // SAFETY: the caller promises it of the view, which contains all rows of the column.
            unsafe { stored.keep_exact(bounds) };
        }
    }

    /// Returns whether it is known that no row is null or smaller than the row before.
    #[doc(hidden)]
    pub fn is_known_ascending(self) -> bool {
        self.column.value_bounds().is_some_and(ValueBounds::is_ascending)
    }

    /// Returns whether it is known that no row is null or equal to another row.
    #[doc(hidden)]
    pub fn is_known_distinct(self) -> bool {
        self.column.value_bounds().is_some_and(ValueBounds::is_distinct)
    }

    /// Returns a number of rows such that all valid values are known to be indices of these rows; see
    /// [`ValueBounds::row_numbers_of`].
    #[doc(hidden)]
    pub fn row_numbers_of(self) -> Option<usize> {
        self.column.value_bounds()?.row_numbers_of()
    }

    /// Stores that no row is smaller than the row before. The call has no effect if the view does not contain all rows
    /// of the column, or has a validity mask.
    ///
    /// # Safety
    /// * No row of the view may be smaller than the row before.
    #[doc(hidden)]
    pub unsafe fn keep_ascending(self) {
        if let Some(facts) = self.own_facts() {
            // SAFETY: the caller promises the order of the view, which contains all rows of the column and no null.
            unsafe { facts.keep_ascending() };
        }
    }

    /// Stores that no two rows are equal. The call has no effect if the view does not contain all rows of the column,
    /// or has a validity mask.
    ///
    /// ```compile_fail,E0133
    /// # use gdf_core as gdf;
    /// let column = gdf::Column::from_slice(&[1, 1])?;
    /// column.view().keep_distinct();
    /// # Ok::<(), gdf_core::Error>(())
    /// ```
    ///
    /// # Safety
    /// * No row of the view may be equal to another row.
    #[doc(hidden)]
    pub unsafe fn keep_distinct(self) {
        if let Some(facts) = self.own_facts() {
            // SAFETY: the caller promises it of the view, which contains all rows of the column and no null.
            unsafe { facts.keep_distinct() };
        }
    }

    /// Stores that the rows ascend or are distinct, if this is known of `of`. The call has no effect if the view does
    /// not contain all rows of its column, or has a validity mask.
    ///
    /// # Safety
    /// * `of` must contain the rows of this view in the same order, each of them once.
    #[doc(hidden)]
    pub unsafe fn keep_order_of(self, of: ColumnView<'_>) {
        if let (Some(facts), Some(of)) = (self.own_facts(), of.column.value_bounds()) {
            // SAFETY: the caller promises that the column of `of` contains the rows of the view, which are all rows of
            // this column. None of them is null.
            unsafe { facts.keep_of_rows(of) };
        }
    }

    fn own_facts(self) -> Option<&'a ValueBounds> {
        self.column.value_bounds().filter(|_| self.is_whole() && !self.has_validity())
    }

    pub(super) fn is_whole(self) -> bool {
        self.len == self.column.len()
    }

    /// Returns the null count, if the count is known without reading device memory and without counting bits.
    pub fn known_null_count(self) -> Option<usize> {
        match self.data_type() {
            DataType::Null => Some(self.len),
            _ => self.column.null_count_state().of_slice(self.column.len(), self.len).known(),
        }
    }

    /// Returns the number of null rows. A column of type `Null` has only null rows. In all other columns the validity
    /// mask determines the number.
    ///
    /// If the number is stored in device memory, the call **waits**. If the number is unknown, the call counts bits,
    /// and **waits** if the bits are in device memory. The number of a slice is unknown unless the column is known to
    /// have no nulls or only nulls.
    ///
    /// # Errors
    /// - Driver errors and memory errors of reading the count or the bits.
    /// - [`Error::Unsupported`]: bits in device memory must be counted, and the program is linked without the operation
    ///   that counts bits there.
    pub fn null_count(self) -> Result<usize> {
        match self.known_null_count() {
            Some(count) => Ok(count),
            None => scope::run_on(self.device(), |ctx| self.null_count_on(ctx.stream)),
        }
    }

    /// Returns the rows as a column that shares the buffers.
    pub fn to_column(self) -> Column {
        let start = self.offset - self.column.offset();
        self.column.slice(start, self.len).unwrap_or_else(|_| self.column.clone())
    }

    /// Returns the values of the rows as a slice, for code on the CPU. `access` must be an access to the first own
    /// buffer.
    ///
    /// # Errors
    /// - [`Error::TypeMismatch`]: the column does not store values of `T`.
    /// - [`Error::Memory`]: the access is not an access for the CPU.
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

    /// Returns the `len + 1` offsets of the rows, for code on the CPU. `access` must be an access to the first own
    /// buffer of a column of strings, binary values, lists or maps.
    ///
    /// # Errors
    /// - [`Error::TypeMismatch`]: the column has no offsets of this width.
    /// - [`Error::Memory`]: the access is not an access for the CPU.
    pub fn offsets<'s, T: NativeType>(self, access: &'s Access<'_>) -> Result<&'s [T]> {
        use crate::PhysicalType as P;
        let large = match crate::physical_type(self.data_type()) {
            P::String { large } | P::Binary { large } | P::List { large } => large,
            P::Map => false,
            _ => {
                return Err(Error::type_mismatch(
                    "a type of strings, binary values, lists or maps with offsets",
                    self.data_type(),
                ));
            }
        };
        if T::PHYSICAL != if large { P::I64 } else { P::I32 } {
            return Err(Error::type_mismatch(ExpectedType::OffsetsOf(T::NAME), self.data_type()));
        }
        elements(access, self.offset, self.len + 1)
    }
}

/// Returns the `len` elements from element `start` on.
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
