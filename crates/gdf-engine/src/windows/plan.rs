//! Which rows the windows have.

use gdf_core::ColumnView;
use gdf_kernels::generated::common::WindowPlan;

use super::WindowBound;
use crate::input::Input;

/// A column that bounds windows.
pub(super) type ColumnBound<'a> = Option<(WindowBound, ColumnView<'a>)>;

/// A window for each of `rows` rows: of row `i` the rows from `i - preceding + 1` to `i + following`, as far as there are such
/// rows and columns do not say less.
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
    /// Of numbers of rows, of which [`i64::MAX`] is all that there are.
    pub fn new(rows: usize, preceding: i64, following: i64) -> Self {
        let limit = rows as i64 + 1;
        let within = |bound: i64| bound.clamp(-limit, limit);
        let (preceding, following) = (within(preceding), within(following));
        let has_own_row = preceding >= 1 && following >= 0;
        Self { rows, preceding, following, lower: None, upper: None, has_own_row }
    }

    /// With columns, as long, of integers, that bound them further, or alone where they are relative.
    pub fn within(self, lower: ColumnBound<'a>, upper: ColumnBound<'a>) -> Self {
        Self { has_own_row: false, ..self.around_rows(lower, upper) }
    }

    /// As [`within`](Self::within), of bounds that leave each row in its window.
    pub fn around_rows(self, lower: ColumnBound<'a>, upper: ColumnBound<'a>) -> Self {
        Self { lower, upper, ..self }
    }

    /// Whether columns bound the windows below and above.
    pub(super) fn has_columns(&self) -> [bool; 2] {
        [self.lower.is_some(), self.upper.is_some()]
    }

    /// The rows of each window that no end of the column cuts off, unless columns bound them.
    pub(super) fn fixed_rows(&self) -> Option<usize> {
        let rows = usize::try_from(self.preceding + self.following).unwrap_or(0);
        (self.has_columns() == [false; 2]).then_some(rows)
    }

    /// The rows that any window has, at the ends of the column, too.
    pub(super) fn min_rows(&self) -> usize {
        usize::from(self.has_own_row)
    }

    /// Whether a column says how many rows a window has.
    pub(super) fn is_relative(&self) -> bool {
        let relative = |bound: &Option<(WindowBound, _)>| matches!(bound, Some((WindowBound::Relative, _)));
        relative(&self.lower) || relative(&self.upper)
    }

    /// The rows that a window may have.
    pub(super) fn max_rows(&self) -> usize {
        if self.is_relative() {
            return self.rows;
        }
        usize::try_from(self.preceding + self.following).map_or(0, |rows| rows.min(self.rows))
    }

    /// What a kernel takes: the input, and the bounds, for which it stands where there are none.
    pub(super) fn inputs(&self, input: ColumnView<'a>) -> [Input<'a>; 3] {
        let or_input = |bound: ColumnBound<'a>| bound.map_or(input, |(_, column)| column);
        [input.into(), or_input(self.lower).into(), or_input(self.upper).into()]
    }

    /// Without what is aggregated.
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

    /// Those of these rows whose window is the one before, a row further at both ends; of windows that no column bounds and
    /// that have their own row.
    pub(super) fn steady(&self, rows: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let start = (rows.start as i64 + 1).max(self.preceding);
        let end = (rows.end as i64).min(self.rows as i64 - self.following);
        start as usize..end.max(start) as usize
    }

    /// Whether [`steady`](Self::steady) applies to these windows.
    pub(super) fn are_steady(&self) -> bool {
        self.has_columns() == [false; 2] && self.has_own_row
    }

    /// The rows of the window of a row; `None` stands for a bound that is null.
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
