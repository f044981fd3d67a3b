//! What operations have found out about all values of a column: their bounds, and whether they ascend or are distinct.

use std::sync::{Arc, OnceLock};

use arrow_schema::DataType;

use super::order::OrderBounds;
use crate::types::physical_type;

/// Facts about the values of a column of integers or floats of at most 64 bits. An operation that has read all rows
/// stores the facts with the column and its clones, so that later operations need not read the rows again.
///
/// Operations rely on the facts without a check, so a false fact gives wrong rows. Therefore the functions that store
/// facts are unsafe. A write to the column forgets the facts.
///
/// ```compile_fail,E0133
/// # use gdf_core as gdf;
/// let column = gdf::Column::from_slice(&[1, 1])?;
/// column.value_bounds().unwrap().keep_distinct();
/// # Ok::<(), gdf_core::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct ValueBounds {
    exact: OnceLock<OrderBounds>,
    outer: OnceLock<OrderBounds>,
    ascending: OnceLock<()>,
    distinct: OnceLock<()>,
    rows: OnceLock<usize>,
}

impl ValueBounds {
    pub(crate) fn of(data_type: &DataType) -> Option<Arc<Self>> {
        let physical = physical_type(data_type);
        let is_number = physical.is_integral() || physical.is_floating();
        (is_number && physical.width().is_some_and(|width| width <= 8)).then(Arc::default)
    }

    /// Returns whether no fact is stored.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { exact, outer, ascending, distinct, rows } = self;
        exact.get().is_none()
            && outer.get().is_none()
            && ascending.get().is_none()
            && distinct.get().is_none()
            && rows.get().is_none()
    }

    /// Returns the smallest and the largest order number of the column's valid rows, or `None` if they are not stored.
    pub fn exact(&self) -> Option<OrderBounds> {
        self.exact.get().copied()
    }

    /// Returns stored bounds between which all valid values lie. These are the exact bounds, if the exact bounds are
    /// stored. Returns `None` if no bounds are stored.
    pub fn outer(&self) -> Option<OrderBounds> {
        self.exact().or_else(|| self.outer.get().copied())
    }

    /// Stores the smallest and the largest order number. If these are already stored, the call has no effect.
    ///
    /// # Safety
    /// * Unless bounds are stored, `bounds` must be the smallest and the largest order number of the valid rows.
    pub unsafe fn keep_exact(&self, bounds: OrderBounds) {
        let _ = self.exact.set(bounds);
    }

    /// Stores bounds between which all values lie. If such bounds are already stored, the call has no effect.
    ///
    /// # Safety
    /// * Unless such bounds are stored, the order numbers of all valid rows must lie in `bounds`.
    pub unsafe fn keep_outer(&self, bounds: OrderBounds) {
        let _ = self.outer.set(bounds);
    }

    /// Returns whether it is known that no row is null or smaller than the row before.
    pub fn is_ascending(&self) -> bool {
        self.ascending.get().is_some()
    }

    /// Returns whether it is known that no row is null or equal to another row.
    pub fn is_distinct(&self) -> bool {
        self.distinct.get().is_some()
    }

    /// Returns a number of rows such that all valid values of the column are indices of these rows: at least 0, and
    /// less than the result. Code may access memory at these indices without a check. Returns `None` if no such number
    /// is known.
    pub fn row_numbers_of(&self) -> Option<usize> {
        self.rows.get().copied()
    }

    /// Stores that all valid values are indices of `rows` rows. If a number of rows is already stored, the call has no
    /// effect.
    ///
    /// # Safety
    /// * Every valid value of the column must be at least 0 and less than `rows`.
    pub unsafe fn vouch_row_numbers(&self, rows: usize) {
        let _ = self.rows.set(rows);
    }

    /// Stores that no row is null or smaller than the row before.
    ///
    /// # Safety
    /// * No row of the column may be null or smaller than the row before.
    pub unsafe fn keep_ascending(&self) {
        let _ = self.ascending.set(());
    }

    /// Stores that no row is null or equal to another row.
    ///
    /// # Safety
    /// * No row of the column may be null or equal to another row.
    pub unsafe fn keep_distinct(&self) {
        let _ = self.distinct.set(());
    }

    /// Stores that the rows ascend or are distinct, if this is known of `of`.
    ///
    /// # Safety
    /// * The column of `of` must contain the rows of this column in the same order, each of them once.
    /// * No row of this column may be null.
    pub unsafe fn keep_of_rows(&self, of: &ValueBounds) {
        if of.is_ascending() {
            // SAFETY: the rows are rows of an ascending column in the same order, and none is null.
            unsafe { self.keep_ascending() };
        }
        if of.is_distinct() {
            // SAFETY: the rows are different rows of a column with distinct values, and none is null.
            unsafe { self.keep_distinct() };
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Column, ColumnView};
    use gdf_driver::Stream;

    /// Stores the bounds of a column of unsigned numbers, which are their own order numbers.
    fn keep_exact(column: &Column, bounds: (u64, u64)) {
        // SAFETY: the tests state the bounds of their columns.
        unsafe { column.value_bounds().unwrap().keep_exact(Some(bounds)) };
    }

    /// Stores that the rows ascend and are distinct.
    fn keep_order(view: ColumnView<'_>) {
        // SAFETY: the valid rows of the tests are 1, 2 and 3, and the call has no effect on a view with a mask.
        unsafe { view.keep_ascending() };
        // SAFETY: as above.
        unsafe { view.keep_distinct() };
    }

    #[test]
    fn slices_know_of_which_rows_they_are_numbers() {
        let numbers = Column::from_slice(&[3_u32, 1, 2]).unwrap();
        // SAFETY: all values are less than 4.
        unsafe { numbers.value_bounds().unwrap().vouch_row_numbers(4) };
        assert_eq!(numbers.slice(1, 2).unwrap().view().row_numbers_of(), Some(4));
        let mut changed = numbers.clone();
        changed.make_mut().unwrap();
        assert_eq!((changed.view().row_numbers_of(), numbers.view().row_numbers_of()), (None, Some(4)));
    }

    #[test]
    fn clones_share_bounds_that_slices_know_as_outer() {
        let numbers = Column::from_slice(&[3_u64, 1, 2]).unwrap();
        let clone = numbers.clone();
        keep_exact(&numbers, (1, 3));
        // The second call has no effect.
        keep_exact(&numbers, (0, 9));
        assert_eq!(clone.view().exact_bounds(), Some(Some((1, 3))));
        let part = numbers.slice(0, 2).unwrap();
        assert_eq!((part.view().exact_bounds(), part.view().outer_bounds()), (None, Some(Some((1, 3)))));
        let part = numbers.view().slice(1, 2).unwrap();
        assert_eq!((part.exact_bounds(), part.outer_bounds()), (None, Some(Some((1, 3)))));
        assert!(Column::from_strs(["a"]).unwrap().value_bounds().is_none());
    }

    #[test]
    fn parts_of_a_column_know_the_order_of_its_rows() {
        let numbers = Column::from_slice(&[1_i64, 2, 3]).unwrap();
        assert!(!numbers.view().is_known_ascending() && !numbers.view().is_known_distinct());
        let part = numbers.view().slice(0, 2).unwrap();
        keep_order(part);
        assert!(!numbers.view().is_known_ascending() && !numbers.view().is_known_distinct());
        keep_order(numbers.view());
        for part in [numbers.clone(), numbers.slice(1, 2).unwrap(), numbers.slice(0, 0).unwrap()] {
            assert!(part.view().is_known_ascending() && part.view().is_known_distinct());
        }
        let mut changed = numbers.slice(1, 2).unwrap();
        changed.make_mut().unwrap();
        assert!(!changed.view().is_known_ascending() && !changed.view().is_known_distinct());
        let nullable = Column::from_options(&[Some(1), None]).unwrap();
        keep_order(nullable.view());
        assert!(!nullable.view().is_known_ascending() && !nullable.view().is_known_distinct());
    }

    #[test]
    fn values_that_other_code_may_write_have_no_bounds() {
        let numbers = Column::from_slice(&[3_u64, 1, 2]).unwrap();
        let part = numbers.slice(0, 2).unwrap();
        keep_exact(&numbers, (1, 3));
        numbers.buffers()[0].expose().unwrap();
        assert_eq!((numbers.view().exact_bounds(), numbers.view().outer_bounds()), (None, None));
        assert!(part.value_bounds().is_none() && numbers.slice(1, 1).unwrap().value_bounds().is_none());
        let resource = gdf_memory::current_resource(numbers.device()).unwrap();
        let deep = numbers.deep_copy(&Stream::cpu(), resource.as_ref()).unwrap();
        assert_eq!(deep.view().outer_bounds(), None);
    }

    #[test]
    fn values_that_change_lose_their_bounds() {
        let stream = Stream::cpu();
        let writes: [fn(&mut Column, &Stream); 3] = [
            |column, stream| drop(column.write_values_on(stream).unwrap()),
            |column, _| drop(column.make_mut().unwrap()),
            |column, _| column.unshare().unwrap(),
        ];
        for write in writes {
            let mut numbers = Column::from_slice(&[3_u32, 1, 2]).unwrap();
            keep_exact(&numbers, (1, 3));
            write(&mut numbers, &stream);
            assert_eq!(numbers.view().outer_bounds(), None);
        }
        let numbers = Column::from_slice(&[3_u32, 1, 2]).unwrap();
        keep_exact(&numbers, (1, 3));
        let mut shared = numbers.clone();
        shared.make_mut().unwrap();
        assert_eq!((shared.view().outer_bounds(), numbers.view().exact_bounds()), (None, Some(Some((1, 3)))));
    }
}
