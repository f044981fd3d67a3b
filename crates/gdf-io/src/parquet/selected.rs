//! Rows of row groups of which a read wants only some.

use std::ops::Range;

use arrow_buffer::BooleanBufferBuilder;
use parquet::arrow::arrow_reader::RowSelection;

use super::plan::Unit;

impl Unit {
    /// Returns the unit with other rows of its row group, or `None` if there are none.
    pub(super) fn with_rows(&self, selection: RowSelection) -> Option<Unit> {
        let rows = selection.row_count();
        (rows > 0).then(|| Unit { selection: Some(selection), rows, ..self.clone() })
    }

    /// Restricts the unit to those of its rows that are in `rows`. Returns `None` if there are none.
    pub(super) fn within(&self, rows: RowSelection) -> Option<Unit> {
        self.with_rows(match &self.selection {
            Some(selection) => selection.intersection(&rows),
            None => rows,
        })
    }
}

/// Returns the selected rows as ranges, in ascending order.
pub(super) fn ranges_of(selection: &RowSelection) -> Vec<Range<usize>> {
    let (mut ranges, mut row) = (Vec::<Range<usize>>::new(), 0);
    for run in selection.iter() {
        let start = row;
        row += run.row_count;
        if !run.skip && run.row_count > 0 {
            extend(&mut ranges, start..row);
        }
    }
    ranges
}

/// Appends rows that follow those of all ranges.
pub(super) fn extend(ranges: &mut Vec<Range<usize>>, rows: Range<usize>) {
    match ranges.last_mut().filter(|last| last.end == rows.start) {
        Some(last) => last.end = rows.end,
        None => ranges.push(rows),
    }
}

/// Appends a bit for each row of `decoded`, which says whether the row is wanted. All ranges ascend.
pub(super) fn append_wanted(bits: &mut BooleanBufferBuilder, decoded: &[Range<usize>], wanted: &[Range<usize>]) {
    let mut wanted = wanted.iter().peekable();
    for Range { start, end } in decoded {
        let mut row = *start;
        while row < *end {
            match wanted.peek() {
                Some(next) if next.end <= row => drop(wanted.next()),
                Some(next) if next.start <= row => {
                    let last = next.end.min(*end);
                    bits.append_n(last - row, true);
                    row = last;
                }
                next => {
                    let last = next.map_or(*end, |next| next.start.min(*end));
                    bits.append_n(last - row, false);
                    row = last;
                }
            }
        }
    }
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "the ranges are lists of rows")]
mod tests {
    use parquet::arrow::arrow_reader::RowSelector;

    use super::*;

    #[test]
    fn ranges_are_the_selected_rows() {
        let (select, skip) = (RowSelector::select, RowSelector::skip);
        for (runs, expected) in [
            (vec![], vec![]),
            (vec![select(3)], vec![0..3]),
            (vec![skip(2), select(3), skip(1), select(1), skip(9)], vec![2..5, 6..7]),
        ] {
            assert_eq!(ranges_of(&RowSelection::from(runs)), expected);
        }
    }

    #[test]
    fn bits_say_which_rows_are_wanted() {
        for (decoded, wanted) in [
            (vec![0..10], vec![]),
            (vec![0..10], vec![0..10]),
            (vec![0..10], vec![0..1, 3..4, 9..10]),
            (vec![2..5, 8..10], vec![3..9]),
            (vec![2..5, 5..7, 8..10], vec![0..2, 4..6, 7..8, 10..12]),
            (vec![], vec![3..4]),
        ] {
            let mut bits = BooleanBufferBuilder::new(0);
            append_wanted(&mut bits, &decoded, &wanted);
            let expected = decoded.iter().cloned().flatten().map(|row| wanted.iter().any(|rows| rows.contains(&row)));
            assert!(bits.finish().iter().eq(expected), "{decoded:?} {wanted:?}");
        }
    }
}
