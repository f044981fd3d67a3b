//! Labels that are numbers with equal distances.

use std::ops::Range;
use std::sync::Arc;

use gdf_api::filling::sequence;
use gdf_api::scope::with_device;
use gdf_core::{Column, Counted, Error, Result};
use gdf_driver::Device;

/// Labels that are numbers with equal distances: `start`, `start + step`, `start + 2 * step`, … Labels are `Int64`.
///
/// The labels need no memory. Lookups, slices and intersections are arithmetic. [`to_column`](Self::to_column) makes a
/// column of the labels.
///
/// ```
/// use gdf::frame::index::RangeIndex;
///
/// let index = RangeIndex::with_step(10, 5, 4)?;
/// assert_eq!((index.get(3), index.position(15), index.position(16)), (Some(25), Some(1), None));
/// assert_eq!(index.slice(1, 2)?, RangeIndex::with_step(15, 5, 2)?);
/// # Ok::<(), gdf::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeIndex {
    start: i64,
    step: i64,
    len: usize,
    name: Option<Arc<str>>,
}

impl RangeIndex {
    /// Returns the labels `start`, `start + step`, … for `len` rows.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument): the step is 0, or a label exceeds `i64`.
    pub fn with_step(start: i64, step: i64, len: usize) -> Result<RangeIndex> {
        if step == 0 {
            return Err(
                Error::invalid_argument("the step of a range index is 0; pass another step").in_argument("step")
            );
        }
        let last = i128::from(start) + i128::from(step) * (len.max(1) as i128 - 1);
        if i64::try_from(last).is_err() {
            return Err(Error::invalid_number("the last label of a range index exceeds 64 bits", last)
                .with_remedy("pass a smaller step"));
        }
        Ok(RangeIndex { start, step, len, name: None })
    }

    /// Returns the labels 0, 1, 2, … for `len` rows.
    pub fn of_rows(len: usize) -> RangeIndex {
        RangeIndex { start: 0, step: 1, len, name: None }
    }

    /// Returns the same labels with a name.
    #[must_use]
    pub fn named(self, name: impl Into<Arc<str>>) -> RangeIndex {
        RangeIndex { name: Some(name.into()), ..self }
    }

    /// Returns the name.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the first label. An index without rows also has a start.
    pub fn start(&self) -> i64 {
        self.start
    }

    /// Returns the distance between neighboring labels.
    pub fn step(&self) -> i64 {
        self.step
    }

    /// Returns the label of a row, or `None` for a row that does not exist.
    pub fn get(&self, row: usize) -> Option<i64> {
        (row < self.len).then(|| self.start.wrapping_add(self.step.wrapping_mul(row as i64)))
    }

    /// Returns the row with a label, or `None` if no row has the label.
    pub fn position(&self, label: i64) -> Option<usize> {
        let distance = i128::from(label) - i128::from(self.start);
        let row = distance / i128::from(self.step);
        let is_label = distance % i128::from(self.step) == 0 && (0..self.len as i128).contains(&row);
        is_label.then_some(row as usize)
    }

    /// Returns the rows whose labels lie between two labels, both included. The labels need not exist.
    pub fn positions_between(&self, from: i64, to: i64) -> Range<usize> {
        let (first, last) = if self.step > 0 { (from, to) } else { (to, from) };
        let step = i128::from(self.step);
        let rows = |label: i64, extra: i128| {
            let distance = i128::from(label) - i128::from(self.start);
            // With an `extra` of `step.abs() - 1`, this is the number of labels before `label`. With an `extra` of
            // `step.abs()`, the number includes `label` itself.
            let count = (distance * step.signum() + extra).div_euclid(step.abs());
            count.clamp(0, self.len as i128) as usize
        };
        let begin = rows(first, step.abs() - 1);
        begin..rows(last, step.abs()).max(begin)
    }

    /// Returns the labels of `len` rows from row `offset` on.
    ///
    /// # Errors
    /// * [`OutOfBounds`](Error::OutOfBounds).
    pub fn slice(&self, offset: usize, len: usize) -> Result<RangeIndex> {
        if offset.checked_add(len).is_none_or(|end| end > self.len) {
            return Err(Error::range_out_of_bounds(Counted::Rows, offset, len, self.len));
        }
        // An empty slice behind the last row keeps the start, since its first label may exceed 64 bits.
        let start = self.get(offset).unwrap_or(self.start);
        Ok(RangeIndex { start, len, ..self.clone() })
    }

    /// Returns the first labels, or all labels of a shorter index.
    #[must_use]
    pub fn head(&self, rows: usize) -> RangeIndex {
        RangeIndex { len: rows.min(self.len), ..self.clone() }
    }

    /// Returns the last labels, or all labels of a shorter index.
    #[must_use]
    pub fn tail(&self, rows: usize) -> RangeIndex {
        let len = rows.min(self.len);
        let start = self.get(self.len - len).unwrap_or(self.start);
        RangeIndex { start, len, ..self.clone() }
    }

    /// Returns the labels that both indexes have, in the order of this index, or `None` if the steps differ.
    pub(super) fn intersection(&self, other: &RangeIndex) -> Option<RangeIndex> {
        if self.step != other.step {
            return None;
        }
        let none = || RangeIndex { len: 0, ..self.clone() };
        let rows = (0..other.len).filter_map(|row| other.get(row));
        let (Some(first), Some(last)) = (other.get(0), rows.clone().next_back()) else { return Some(none()) };
        let shift = i128::from(first) - i128::from(self.start);
        if shift % i128::from(self.step) != 0 {
            return Some(none());
        }
        let rows = self.positions_between(first.min(last), first.max(last));
        self.slice(rows.start, rows.len()).ok()
    }

    /// Returns the labels as a column on a device.
    ///
    /// # Errors
    /// * Driver and memory errors.
    pub fn to_column(&self, device: Device) -> Result<Column> {
        with_device(device, || sequence(self.start, self.step, self.len))
    }
}
