//! The bounds of windows.

use gdf_core::ColumnView;
use gdf_kernels::generated::common::WindowPlan;

use super::WindowBound;
use crate::input::Input;

pub(super) type ColumnBound<'a> = Option<(WindowBound, ColumnView<'a>)>;

/// A window for each of `rows` rows. The window of row `i` consists of the rows from `i - preceding + 1` to `i +
/// following` that exist in the column. Columns of bounds may shrink or replace this range.
#[derive(Clone, Copy, Debug)]
pub struct Windows<'a> {
    pub rows: usize,
    preceding: i64,
    following: i64,
    lower: ColumnBound<'a>,
    upper: ColumnBound<'a>,
    has_own_row: bool,
}

impl<'a> Windows<'a> {
    /// Creates windows from numbers of rows. [`i64::MAX`] stands for all rows of the column.
    pub fn new(rows: usize, preceding: i64, following: i64) -> Self {
        let limit = rows as i64 + 1;
        let within = |bound: i64| bound.clamp(-limit, limit);
        let (preceding, following) = (within(preceding), within(following));
        let has_own_row = preceding >= 1 && following >= 0;
        Self { rows, preceding, following, lower: None, upper: None, has_own_row }
    }

    /// Adds columns of bounds, which contain an integer for each window. An absolute bound is a row number and shrinks
    /// the window. A relative bound is a number of rows and replaces `preceding` or `following`.
    pub fn within(self, lower: ColumnBound<'a>, upper: ColumnBound<'a>) -> Self {
        Self { has_own_row: false, ..self.around_rows(lower, upper) }
    }

    /// Adds columns of bounds in the same way as [`within`](Self::within). The caller guarantees that the window of
    /// each row contains the row.
    pub fn around_rows(self, lower: ColumnBound<'a>, upper: ColumnBound<'a>) -> Self {
        Self { lower, upper, ..self }
    }

    pub(super) fn has_columns(&self) -> [bool; 2] {
        [self.lower.is_some(), self.upper.is_some()]
    }

    /// Returns the number of rows of a window that lies completely within the column. The result is `None` if a column
    /// contains bounds.
    pub(super) fn fixed_rows(&self) -> Option<usize> {
        let rows = usize::try_from(self.preceding + self.following).unwrap_or(0);
        (self.has_columns() == [false; 2]).then_some(rows)
    }

    /// Returns a lower bound of the number of rows of each window, including windows at the ends of the column.
    pub(super) fn min_rows(&self) -> usize {
        usize::from(self.has_own_row)
    }

    pub(super) fn is_relative(&self) -> bool {
        let relative = |bound: &Option<(WindowBound, _)>| matches!(bound, Some((WindowBound::Relative, _)));
        relative(&self.lower) || relative(&self.upper)
    }

    pub(super) fn max_rows(&self) -> usize {
        if self.is_relative() {
            return self.rows;
        }
        usize::try_from(self.preceding + self.following).map_or(0, |rows| rows.min(self.rows))
    }

    /// Returns the three inputs of a kernel: the input, the lower bounds and the upper bounds.
    pub(super) fn inputs(&self, input: ColumnView<'a>) -> [Input<'a>; 3] {
        let or_input = |bound: ColumnBound<'a>| bound.map_or(input, |(_, column)| column);
        [input.into(), or_input(self.lower).into(), or_input(self.upper).into()]
    }

    /// Returns the description of the windows for kernels.
    pub(super) fn plan(&self) -> WindowPlan {
        let bound = |bound: Option<(WindowBound, _)>| bound.map_or(WindowBound::Open, |(bound, _)| bound) as i32;
        WindowPlan {
            preceding: self.preceding,
            following: self.following,
            lower: bound(self.lower),
            upper: bound(self.upper),
            ..WindowPlan::default()
        }
    }

    /// Returns the part of `rows` in which each window moves by one row: both bounds of the window are one more than
    /// those of the window of the row before.
    pub(super) fn steady(&self, rows: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let start = (rows.start as i64 + 1).max(self.preceding);
        let end = (rows.end as i64).min(self.rows as i64 - self.following);
        start as usize..end.max(start) as usize
    }

    /// Returns whether [`steady`](Self::steady) may be called for these windows: no column contains bounds, and each
    /// window contains its own row.
    pub(super) fn are_steady(&self) -> bool {
        self.has_columns() == [false; 2] && self.has_own_row
    }

    /// Returns the rows of the window of a row.
    pub(super) fn bounds(&self, row: usize, lower: Option<i64>, upper: Option<i64>) -> std::ops::Range<usize> {
        let (row, rows) = (row as i64, self.rows as i64);
        let limited = |number: i64| number.clamp(-rows - 1, rows + 1);
        let begin = match (self.lower, lower) {
            (Some((WindowBound::Relative, _)), Some(before)) => row - limited(before) + 1,
            (Some((WindowBound::First, _)), Some(first)) => first.max(row - self.preceding + 1),
            (Some(_), None) => return 0..0,
            _ => row - self.preceding + 1,
        };
        let own = row + self.following + 1;
        let end = match (self.upper, upper) {
            (Some((WindowBound::Relative, _)), Some(after)) => row + limited(after) + 1,
            (Some((WindowBound::Last, _)), Some(last)) => own.min(last + 1),
            (Some((WindowBound::End, _)), Some(end)) => own.min(end),
            (Some(_), None) => return 0..0,
            _ => own,
        };
        let begin = begin.clamp(0, rows);
        begin as usize..end.clamp(begin, rows) as usize
    }
}
