//! Copy-on-write: mutable access to the memory of a column. The access first copies memory that other columns share.

use std::sync::Arc;

use gdf_driver::Stream;
use gdf_memory::{AccessMut, Buffer, ResourceRef};

use super::Column;
use crate::layout::has_rules_on_data;
use crate::types::physical_type;
use crate::{Error, NullCount, PhysicalType, Result, ValueBounds, scope};

/// If a column has a mask or is boolean, a copy begins at a row that is a multiple of this number.
const ROWS_AT_ONCE: usize = 512;

/// # Copy-on-write
/// Clones and slices share memory. A write to shared memory would change the other columns. Therefore these methods
/// first replace shared memory by a copy, so that a write changes this column alone.
///
/// A buffer is shared while a clone, a slice or a view of another library holds the buffer. A buffer that was exported
/// is shared for an unlimited time; see [`Buffer::is_unique`]. Memory of a foreign owner is always shared. A copy
/// contains the rows of this column. If the column is a slice with a mask, or a slice of booleans, the copy also
/// contains up to 511 rows before the slice. All other rows outside of a slice are not copied. Memory that only this
/// column holds is not copied. Memory that is not written is not copied either. There is one exception: if the mask is
/// in the allocation of the values, as in results of some operations on CUDA, the mask is copied instead of the values.
///
/// For example, three columns share a buffer. The first column that is written gets a copy, and so does the second. The
/// third column is then the only owner, and is written in place.
///
/// ```
/// # use gdf_core as gdf;
/// use gdf::Column;
///
/// let mut first = Column::from_slice(&[1, 2, 3, 4])?;
/// let mut second = first.clone();
/// let mut third = second.clone();
/// let memory = |column: &Column| column.buffers()[0].clone();
/// assert!(memory(&first).same_allocation(&memory(&third)));
///
/// second.make_mut()?.as_mut_slice::<i32>()?[..2].fill(10);
/// assert_eq!(second.to_vec::<i32>()?, [10, 10, 3, 4].map(Some));
/// assert_eq!(first.to_vec::<i32>()?, [1, 2, 3, 4].map(Some));
/// assert!(memory(&first).same_allocation(&memory(&third)) && !memory(&first).same_allocation(&memory(&second)));
///
/// // The first and the third column still share their memory, so the next write copies, too.
/// first.make_mut()?.as_mut_slice::<i32>()?[..2].fill(11);
/// assert_eq!(third.to_vec::<i32>()?, [1, 2, 3, 4].map(Some));
/// // Nobody shares the memory of the third column any more.
/// third.make_mut()?.as_mut_slice::<i32>()?[0] = 12;
/// assert_eq!(third.to_vec::<i32>()?, [12, 2, 3, 4].map(Some));
/// # Ok::<(), gdf::Error>(())
/// ```
impl Column {
    /// Returns write access to the values of the rows, on the stream and with the resources of the scope. If the buffer
    /// of values is shared, the function first replaces the buffer by a copy.
    ///
    /// The column must have a fixed width. The validity mask stays unchanged and shared. Bytes that a
    /// [`SpillManager`](gdf_memory::SpillManager) has spilled are brought back, and stay in place from then on, until
    /// the column is [watched](Self::watch) again. The call does not wait.
    ///
    /// The function corresponds to `Buffer.get_ptr(mode="write")` in cuDF and to `Arc::make_mut` in Rust.
    ///
    /// # Errors
    /// - [`Error::Unsupported`]: the type has no fixed width. Arbitrary bytes are then not always valid values.
    /// - Driver and memory errors. The column is then unchanged.
    pub fn make_mut(&mut self) -> Result<AccessMut<'_>> {
        scope::run_on(self.device, |ctx| {
            self.unshare_parts(false, ctx.stream, ctx.mr.output)?;
            self.write_values_on(ctx.stream)
        })
    }

    /// Does the work of [`Column::make_mut`] on `stream`. A copy is in memory of `mr`.
    ///
    /// # Errors
    /// - The errors of [`Column::make_mut`].
    /// - [`Error::DeviceMismatch`]: the stream belongs to a different device than the column.
    pub fn make_mut_on<'r>(&mut self, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<AccessMut<'_>> {
        self.unshare_parts(false, stream, mr.into())?;
        self.write_values_on(stream)
    }

    /// Replaces shared buffers, including the validity mask, by copies. Functions that write in place, such as
    /// `gdf::filling::fill_in_place`, then accept the column.
    ///
    /// The type must be `Boolean` or have a fixed width.
    ///
    /// ```
    /// # use gdf_core as gdf;
    /// use gdf::Column;
    ///
    /// let all = Column::from_options(&[Some(1), None, Some(3)])?;
    /// let mut part = all.slice(1, 2)?;
    /// part.unshare()?;
    /// assert!(!part.buffers()[0].same_allocation(&all.buffers()[0]));
    /// assert_eq!(part.to_vec::<i32>()?, [None, Some(3)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// - The errors of [`Column::make_mut`].
    pub fn unshare(&mut self) -> Result<()> {
        scope::run_on(self.device, |ctx| self.unshare_parts(true, ctx.stream, ctx.mr.output))
    }

    /// Does the work of [`Column::unshare`] on `stream`. Copies are in memory of `mr`.
    ///
    /// # Errors
    /// - The errors of [`Column::make_mut_on`].
    pub fn unshare_on<'r>(&mut self, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<()> {
        self.unshare_parts(true, stream, mr.into())
    }

    /// Replaces the buffer of values by a copy if the buffer is shared. If `with_mask` is true, the function does the
    /// same with the validity mask.
    fn unshare_parts(&mut self, with_mask: bool, stream: &Stream, mr: ResourceRef<'_>) -> Result<()> {
        let unsupported = || {
            Error::unsupported("make_mut", &self.data_type)
                .with_remedy("pass a column of a type of fixed width, or compute a new column")
        };
        let bits = match physical_type(&self.data_type) {
            PhysicalType::Bool => Some(1),
            other => other.width().filter(|_| !has_rules_on_data(&self.data_type)).map(|width| width * 8),
        };
        let Some(bits) = bits.filter(|_| !self.buffers.is_empty()) else { return Err(unsupported()) };
        if stream.device() != self.device {
            return Err(Error::device_mismatch(self.device, stream.device()));
        }
        self.separate_values(stream, mr)?;
        let values = &mut self.buffers[0];
        self.bounds = ValueBounds::of(&self.data_type);
        let mask = self.validity.as_mut();
        // The question whether a mask is shared stops its spilling.
        let mask_is_shared = with_mask && mask.is_some_and(|mask| !mask.is_unique());
        let has_mask = self.validity.is_some();
        if values.is_unique() {
            if with_mask && mask_is_shared {
                self.validity = self.validity.as_ref().map(|mask| mask.deep_copy(stream, mr)).transpose()?;
            }
            return Ok(());
        }
        let first = if has_mask || bits == 1 { self.offset - self.offset % ROWS_AT_ONCE } else { self.offset };
        let rows = self.offset - first + self.len;
        let of_rows = |buffer: &Buffer, bits: usize| buffer.slice(first * bits / 8, (rows * bits).div_ceil(8));
        let copy = of_rows(values, bits)?.deep_copy(stream, mr)?;
        let mask = match &self.validity {
            Some(mask) if with_mask && mask_is_shared => Some(of_rows(mask, 1)?.deep_copy(stream, mr)?),
            Some(mask) => Some(of_rows(mask, 1)?),
            None => None,
        };
        self.buffers[0] = copy;
        self.validity = mask;
        self.offset -= first;
        Ok(())
    }

    /// Copies the mask and the null count if they are in the allocation of the values, and nobody else uses the
    /// allocation. Operations on CUDA make such columns. The values are then the only owner of the allocation.
    pub(super) fn separate_values(&mut self, stream: &Stream, mr: ResourceRef<'_>) -> Result<()> {
        let (Some(values), Some(mask)) = (self.buffers.first(), &self.validity) else { return Ok(()) };
        let word = match &self.null_count {
            NullCount::Device { word, cache } if word.same_allocation(values) => Some((word, cache)),
            NullCount::Device { .. } | NullCount::Known(_) | NullCount::Unknown => None,
        };
        let own = 2 + usize::from(word.is_some());
        if !mask.same_allocation(values) || !values.is_unique_among(own) {
            return Ok(());
        }
        let mask = mask.deep_copy(stream, mr)?;
        if let Some((word, cache)) = word {
            let (word, cache) = (word.deep_copy(stream, mr)?, Arc::clone(cache));
            self.null_count = NullCount::Device { word, cache };
        }
        self.validity = Some(mask);
        Ok(())
    }
}

#[cfg(all(test, feature = "arrow-rs"))]
#[path = "copy_on_write_tests.rs"]
mod tests;
