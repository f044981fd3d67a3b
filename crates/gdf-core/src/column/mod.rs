//! Columns: a type, a number of rows, and shared buffers in Arrow's layout.

use std::sync::{Arc, OnceLock};

use arrow_schema::DataType;
use gdf_driver::{Device, Stream};
use gdf_memory::{AccessMut, Buffer, SpillManager};
use smallvec::SmallVec;

use crate::facts::null_count::read_word;
use crate::layout::{can_be_dirty, has_rules_on_data, is_required};
use crate::{Counted, Error, NullCount, Result, TextFacts, ValueBounds, scope};

mod copies;
mod copy_on_write;
mod null_counter;
mod offsets;
mod parts;
mod retype;
mod typed_views;
mod value;
mod view;

use self::null_counter::count_nulls;
pub use self::null_counter::set_null_counter;
pub(crate) use self::offsets::offsets_range;
pub use self::parts::ColumnParts;
pub use self::typed_views::{
    BinaryView, DictionaryView, FixedSizeListsView, ListsView, RunsView, StringsView, StructsView,
};
pub use self::value::ColumnValue;
pub use self::view::ColumnView;

/// A column: a type, a number of rows, and shared, immutable buffers in Arrow's layout on one device.
///
/// `clone` and [`slice`](Self::slice) share the buffers and copy no data. The [crate documentation](crate) lists the
/// rules of a column.
///
/// The *own buffers* of a column are the buffers of the column itself, without the validity mask and without the
/// buffers of its children.
#[derive(Clone)]
pub struct Column {
    data_type: DataType,
    device: Device,
    len: usize,
    offset: usize,
    validity: Option<Buffer>,
    null_count: NullCount,
    buffers: SmallVec<[Buffer; 2]>,
    children: Vec<Column>,
    sanitized: bool,
    trust: Trust,
    facts: Option<Arc<TextFacts>>,
    bounds: Option<Arc<ValueBounds>>,
}

/// The number of rows from which on a slice has a place for facts about its values although nothing is known of them.
const ROWS_WITH_FACTS: usize = 256;

/// Whether the data of the column itself are known to follow the rules of [`DataRule`](crate::DataRule). The children
/// have their own state.
///
/// `None` means that the data are valid. An empty cell means that the data have not been validated. When validation has
/// found the data valid, the cell holds the null count.
type Trust = Option<Arc<OnceLock<NullCount>>>;

impl Column {
    /// Makes a column of these parts. The function checks the sizes of the parts against each other.
    ///
    /// The function does not read the data. Therefore the column is not [validated](Column::validated) in three cases:
    /// the type has rules on its data, `null_count` states a number for a mask, or a field that is declared without
    /// nulls may have nulls.
    ///
    /// The function ignores `sanitized` if the column has a validity mask and holds lists, maps, structs, or text or
    /// binary values with offsets. Such a column is treated as unsanitized.
    ///
    /// # Errors
    /// - [`Error::BufferCount`], [`Error::BufferTooSmall`], [`Error::BufferMisaligned`]: the own buffers.
    /// - [`Error::ChildCount`], [`Error::ChildTooShort`], [`Error::TypeMismatch`], [`Error::LengthMismatch`]: the
    ///   children.
    /// - [`Error::DeviceMismatch`]: a buffer or child is on another device than the parts say.
    /// - [`Error::InvalidArgument`]: the type is invalid or has more than 64 levels, the null count does not fit the
    ///   mask or the length, the run ends have a mask, or the parts have too many rows.
    /// - [`Error::Unsupported`]: there is a validity mask, but the type cannot have one.
    pub fn try_from_parts(parts: ColumnParts) -> Result<Column> {
        Self::assemble(parts, false)
    }

    /// Makes a column of these parts without validating the data. The column counts as [validated](Column::validated),
    /// because the caller promises that the data are valid. In all other respects the function does the same as
    /// [`Column::try_from_parts`].
    ///
    /// # Safety
    /// - The conditions of [`Column::from_raw_parts`], except the first condition, which this function checks.
    ///
    /// # Errors
    /// - The errors of [`Column::try_from_parts`].
    pub unsafe fn try_from_vouched_parts(parts: ColumnParts) -> Result<Column> {
        Self::assemble(parts, true)
    }

    /// Makes a column of these parts. The sizes of the parts are checked in debug builds only.
    ///
    /// # Safety
    /// - [`Column::try_from_parts`] would accept the parts.
    /// - Offsets ascend and stay within the bytes or the child. Views, offsets and sizes of list views, and offsets of
    ///   unions stay within their buffer or child.
    /// - Keys are indices within the dictionary. Run ends ascend, and the last run end is at least `offset + len`. Type
    ///   ids belong to fields of the union. Text is UTF-8. Null rows are exempt from the rules from which Arrow exempts
    ///   null rows.
    /// - If the null count is known, or stored in device memory, the count is correct.
    ///
    /// `sanitized` should be correct too. Memory safety does not depend on `sanitized`, but the results of operations
    /// do.
    ///
    /// # Panics
    /// - The parts are invalid, and this is a debug build.
    pub unsafe fn from_raw_parts(mut parts: ColumnParts) -> Column {
        if cfg!(debug_assertions) {
            let checked = parts.check();
            assert!(checked.is_ok(), "the parts do not form a column: {checked:?}");
        }
        Self::unchecked(parts, true)
    }

    pub(crate) fn assemble(mut parts: ColumnParts, validated: bool) -> Result<Column> {
        parts.check()?;
        Ok(Self::unchecked(parts, validated))
    }

    fn unchecked(parts: ColumnParts, validated: bool) -> Column {
        let ColumnParts { data_type, device, len, offset, validity, null_count, buffers, children, sanitized } = parts;
        let looked_at = validated || validity.is_none() || !can_be_dirty(&data_type);
        let sanitized = sanitized && looked_at && children.iter().all(|child| child.sanitized);
        let trust = if validated { None } else { untrusted(&data_type, validity.is_some(), &null_count, &children) };
        let facts = TextFacts::of(&data_type);
        let bounds = ValueBounds::of(&data_type);
        Column {
            data_type,
            device,
            len,
            offset,
            validity,
            null_count,
            buffers,
            children,
            sanitized,
            trust,
            facts,
            bounds,
        }
    }

    /// Returns the parts of the column. If the null count of the column was stated by a caller and is not validated,
    /// the null count of the parts is not validated either.
    pub fn into_parts(self) -> ColumnParts {
        let null_count = self.own_count().clone();
        let Column { data_type, device, len, offset, validity, buffers, children, sanitized, .. } = self;
        ColumnParts { data_type, device, len, offset, validity, null_count, buffers, children, sanitized }
    }

    /// Returns the logical type.
    pub fn data_type(&self) -> &DataType {
        &self.data_type
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the number of rows to skip at the start of the validity mask and of the column's own buffers.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the device of the buffers.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Returns whether there is a validity mask, that is, whether rows may be null. The call reads no data. Therefore
    /// operations use this call, and not the null count, to choose between code with and without nulls.
    ///
    /// Null columns have no mask, although all their rows are null. Unions and run-end encoded columns have no mask
    /// of their own, because only their children have nulls.
    pub fn has_validity(&self) -> bool {
        self.validity.is_some()
    }

    /// Returns the validity mask. Row `i` of the column is bit `offset + i` of the mask.
    pub fn validity(&self) -> Option<&Buffer> {
        self.validity.as_ref()
    }

    /// Returns the column's own buffers, in the order of the table of [`ColumnParts`].
    pub fn buffers(&self) -> &[Buffer] {
        &self.buffers
    }

    /// Returns the children, in the order of the table of [`ColumnParts`]. The children are not sliced.
    pub fn children(&self) -> &[Column] {
        &self.children
    }

    /// Returns whether null rows of this column and of its children certainly have no data. In such a column, a null
    /// row has no text and no list elements, and the fields of a null struct are null. Lists of a fixed size have
    /// elements in null rows, too. Their values are unspecified until `copying::purge_nonempty_nulls` makes them null.
    ///
    /// Results of operations are sanitized. A column with nulls that other code made counts as unsanitized.
    pub fn sanitized(&self) -> bool {
        self.sanitized
    }

    /// Returns whether the data of the column and its children are known to follow the rules of
    /// [`DataRule`](crate::DataRule).
    ///
    /// Columns from Arrow and from operations are validated. [`Column::try_from_parts`] states which other new columns
    /// are not validated. A column with children is validated only if all its children are validated.
    ///
    /// The first operation that gets an unvalidated column validates the whole column. The column and its clones store
    /// the result. `gdf::validation::validate` validates a column ahead of time.
    pub fn validated(&self) -> bool {
        self.own_data_validated() && self.children.iter().all(Column::validated)
    }

    /// Returns whether the data of the column itself are known to be valid. The result ignores the children. See
    /// [`Column::validated`].
    #[doc(hidden)]
    pub fn own_data_validated(&self) -> bool {
        self.trust.as_ref().is_none_or(|cell| cell.get().is_some())
    }

    /// Marks this column and its clones as validated. The children are not marked. `nulls` is the number of zeros in
    /// the mask.
    ///
    /// # Safety
    /// - All rows of the column itself follow the rules that [`Column::from_raw_parts`] lists, and `nulls` was counted.
    #[doc(hidden)]
    pub unsafe fn mark_validated(&self, nulls: usize) {
        if let Some(cell) = &self.trust {
            // If another thread has already set the cell, that thread has counted the same bits.
            let _ = cell.set(NullCount::Known(nulls));
        }
    }

    /// Returns the facts that operations have stored about the texts or byte strings of all rows. Returns `None` if the
    /// type is not text or byte strings with offsets. Also returns `None` if other code knows the address of a buffer,
    /// because that code may write the buffer.
    #[doc(hidden)]
    pub fn text_facts(&self) -> Option<&TextFacts> {
        self.facts.as_deref().filter(|_| !self.buffers.iter().any(Buffer::is_exposed))
    }

    /// Returns the facts that operations have stored about the values of all rows. Returns `None` if the values are not
    /// stored as numbers of at most 64 bits. Also returns `None` if other code knows the address of the values, because
    /// that code may write the values.
    #[doc(hidden)]
    pub fn value_bounds(&self) -> Option<&ValueBounds> {
        self.bounds.as_deref().filter(|_| !self.buffers.iter().any(Buffer::is_exposed))
    }

    /// Returns the null count that validation has counted, or else the null count that was given to the constructor.
    fn own_count(&self) -> &NullCount {
        self.trust.as_ref().and_then(|cell| cell.get()).unwrap_or(&self.null_count)
    }

    /// Returns the null count that the caller of the constructor has stated, or `None` if the column has no mask or the
    /// count is unknown. The number may be wrong until validation compares the number with the mask.
    #[doc(hidden)]
    pub fn claimed_null_count(&self) -> Option<usize> {
        self.own_count().known().filter(|_| self.has_validity())
    }

    /// Returns the number of null rows. A column of type `Null` has only null rows. In all other columns the mask
    /// determines the number.
    ///
    /// If the number is stored in device memory, the call **waits**, and then stores the number with the column. If the
    /// number is unknown, the call counts bits, and **waits** if the bits are in device memory. The number is unknown
    /// in three cases. The number was not stated when the column was made. The column is not validated. The column is a
    /// slice. The number of a slice is only known if the original column is known to have no nulls, or to have only
    /// nulls.
    ///
    /// # Errors
    /// - Driver and memory errors of reading.
    /// - [`Error::Unsupported`]: bits in device memory must be counted, and the program is linked without the operation
    ///   that counts bits there.
    pub fn null_count(&self) -> Result<usize> {
        match self.known_null_count() {
            Some(count) => Ok(count),
            None => scope::run_on(self.device, |ctx| self.null_count_on(ctx.stream)),
        }
    }

    /// Does the work of [`Column::null_count`] on `stream`.
    ///
    /// # Errors
    /// - The errors of [`Column::null_count`].
    pub fn null_count_on(&self, stream: &Stream) -> Result<usize> {
        match self.null_count_state() {
            NullCount::Known(count) => Ok(*count),
            NullCount::Device { word, cache } => read_word(word, cache, stream),
            NullCount::Unknown => count_nulls(&self.view(), stream),
        }
    }

    /// Returns the null count, if the count is known without reading device memory and without counting bits.
    pub fn known_null_count(&self) -> Option<usize> {
        self.null_count_state().known()
    }

    /// Returns whether rows may be null, as far as this is known without reading or counting. A row of a dictionary is
    /// also null if its value is null.
    fn may_have_nulls(&self) -> bool {
        let is_dictionary = matches!(self.data_type, DataType::Dictionary(..));
        (self.has_validity() && self.known_null_count() != Some(0))
            || (is_dictionary && self.children.iter().any(Column::may_have_nulls))
    }

    /// Returns the state of the null count, so that the result of an operation can get the same null count. If a caller
    /// has stated the null count and the column is not validated, the result is [`NullCount::Unknown`].
    pub fn null_count_state(&self) -> &NullCount {
        if self.own_data_validated() || !self.has_validity() { self.own_count() } else { &NullCount::Unknown }
    }

    /// Returns a view of all rows.
    pub fn view(&self) -> ColumnView<'_> {
        ColumnView::from(self)
    }

    /// Returns the `len` rows from `offset` on. The result shares the buffers. The children are not sliced.
    ///
    /// # Errors
    /// - [`Error::OutOfBounds`]: the column does not have these rows.
    pub fn slice(&self, offset: usize, len: usize) -> Result<Column> {
        check_range(offset, len, self.len).map_err(|error| error.in_operation("slice"))?;
        let null_count = match self.data_type {
            DataType::Null => NullCount::Known(len),
            _ => self.own_count().of_slice(self.len, len),
        };
        let trust = match &self.trust {
            Some(_) if self.own_data_validated() => None,
            // Validating the slice does not validate the rows outside of the slice. Therefore the slice does not share
            // the validation state of the column.
            Some(_) if len < self.len => untrusted(&self.data_type, self.has_validity(), &null_count, &self.children),
            trust => trust.clone(),
        };
        let facts = if len == self.len { self.facts.clone() } else { TextFacts::of(&self.data_type) };
        let known = self.value_bounds().filter(|known| !known.is_empty());
        let bounds = match len == self.len {
            true => self.bounds.clone(),
            // Operations read a short slice faster than they allocate a place for facts about it.
            false if known.is_none() && len < ROWS_WITH_FACTS => None,
            false => ValueBounds::of(&self.data_type),
        };
        if let (Some(known), Some(bounds)) = (known, &bounds) {
            if let Some(outer) = known.outer() {
                // SAFETY: the values of the slice are values of the column.
                unsafe { bounds.keep_outer(outer) };
            }
            // SAFETY: the rows of the slice are rows of the column in the same order. If one of them is null, nothing
            // is known of the order of the column.
            unsafe { bounds.keep_of_rows(known) };
            if let Some(rows) = known.row_numbers_of() {
                // SAFETY: the values of the slice are values of the column.
                unsafe { bounds.vouch_row_numbers(rows) };
            }
        }
        let (data_type, device, sanitized) = (self.data_type.clone(), self.device, self.sanitized);
        let (validity, buffers, children) = (self.validity.clone(), self.buffers.clone(), self.children.clone());
        let offset = self.offset + offset;
        Ok(Column {
            data_type,
            device,
            len,
            offset,
            validity,
            null_count,
            buffers,
            children,
            sanitized,
            trust,
            facts,
            bounds,
        })
    }

    /// Returns the first `rows` rows, or all rows of a shorter column. The result shares the buffers.
    #[doc(alias("limit"))]
    pub fn head(&self, rows: usize) -> Column {
        self.slice(0, rows.min(self.len)).unwrap_or_else(|_| self.clone())
    }

    /// Returns the last `rows` rows, or all rows of a shorter column. The result shares the buffers.
    pub fn tail(&self, rows: usize) -> Column {
        let rows = rows.min(self.len);
        self.slice(self.len - rows, rows).unwrap_or_else(|_| self.clone())
    }

    /// Returns write access on `stream` to the values of the rows, in the memory of the column.
    ///
    /// The column must have a fixed width, and no other column may share its buffer of values. The validity mask stays
    /// unchanged. If the mask is in the allocation of the values, as in results of some operations on CUDA, the mask is
    /// first copied to memory of the scope's resource; with a stream of the CPU, such a column on a GPU is `Shared`.
    /// Kernels that users write change a column through this function. The call does not wait.
    ///
    /// ```
    /// # use gdf_core as gdf;
    /// use gdf::{Column, Stream};
    ///
    /// let stream = Stream::cpu();
    /// let mut column = Column::from_slice(&[1, 2, 3])?;
    /// column.write_values_on(&stream)?.as_mut_slice::<i32>()?[1] = 20;
    /// assert_eq!(column.to_vec::<i32>()?, [Some(1), Some(20), Some(3)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::Unsupported`]: the type has no fixed width. Arbitrary bytes are then not always valid values.
    /// - [`MemoryError::Shared`](gdf_memory::MemoryError::Shared): a clone, slice or array shares the buffer, or the
    ///   memory is foreign; see [`Column::make_mut`].
    /// - [`Error::DeviceMismatch`]: the stream belongs to a different device than the column. There is one exception: a
    ///   stream of the CPU may be used for a column on a GPU.
    /// - Driver errors of ordering the streams, and driver and memory errors of copying the mask.
    pub fn write_values_on(&mut self, stream: &Stream) -> Result<AccessMut<'_>> {
        let width = crate::width(&self.data_type).filter(|_| !has_rules_on_data(&self.data_type));
        let Some(width) = width.filter(|_| !self.buffers.is_empty()) else {
            let error = Error::unsupported("write_values_on", &self.data_type);
            return Err(error.with_remedy("pass a column of a type of fixed width, or compute a new column"));
        };
        let is_own = stream.device() == self.device;
        let is_of_host = stream.device().is_cpu() && self.device.is_cuda();
        if !is_own && !is_of_host {
            return Err(Error::device_mismatch(self.device, stream.device()));
        }
        if is_own && self.has_validity() && !self.buffers[0].is_unique() {
            let (output, _) = scope::current_resources(self.device)?;
            self.separate_values(stream, output.as_ref())?;
        }
        self.bounds = ValueBounds::of(&self.data_type);
        Ok(self.buffers[0].write_part_on(self.offset * width, self.len * width, stream)?)
    }

    /// Returns the number of bytes of all buffers, including the buffers of children. If several columns share a
    /// buffer, each of these columns counts the buffer.
    ///
    /// The length of a foreign character buffer on a GPU can be unknown. In that case the function counts the bytes up
    /// to the end of the allocation.
    pub fn alloc_size(&self) -> usize {
        let own = self.buffers.iter().chain(&self.validity).map(Buffer::len).sum::<usize>();
        own + self.children.iter().map(Column::alloc_size).sum::<usize>()
    }

    /// Makes the buffers of the column and of its children spillable; see
    /// [`SpillManager::watch`](gdf_memory::SpillManager::watch).
    pub fn watch(&self, manager: &SpillManager) {
        self.each_buffer(&|buffer| {
            manager.watch(buffer);
        });
    }

    /// Does the same as [`watch`](Self::watch) for the memory that the manager's resource has allocated; see
    /// [`SpillManager::watch_own`](gdf_memory::SpillManager::watch_own).
    pub fn watch_own(&self, manager: &SpillManager) {
        self.each_buffer(&|buffer| {
            manager.watch_own(buffer);
        });
    }

    fn each_buffer(&self, call: &dyn Fn(&Buffer)) {
        self.buffers.iter().chain(&self.validity).for_each(call);
        self.children.iter().for_each(|child| child.each_buffer(call));
    }
}

/// Returns the initial validation state of a column whose maker does not promise valid data.
fn untrusted(data_type: &DataType, has_validity: bool, null_count: &NullCount, children: &[Column]) -> Trust {
    let claims = has_validity && !matches!(null_count, NullCount::Unknown);
    let has_nulls = |(i, child): (usize, &Column)| is_required(data_type, i) && child.may_have_nulls();
    let has_rules = has_rules_on_data(data_type) || children.iter().enumerate().any(has_nulls);
    (claims || has_rules).then(Arc::default)
}

pub(crate) fn check_range(offset: usize, len: usize, of: usize) -> Result<()> {
    match offset.checked_add(len) {
        Some(end) if end <= of => Ok(()),
        _ => Err(Error::range_out_of_bounds(Counted::Rows, offset, len, of)),
    }
}

impl<'a> From<&'a Column> for ColumnView<'a> {
    fn from(column: &'a Column) -> Self {
        ColumnView::whole(column)
    }
}

#[cfg(all(test, feature = "arrow-rs"))]
mod tests;
