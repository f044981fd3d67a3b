//! `slice` and `split`: views of ranges of rows. Neither operation copies data.

use gdf_core::{ColumnView, Error, Result, TableView};
use gdf_engine::check::len_of;

/// Returns a view for each pair of a begin and an end in `indices`. Implements `gdf_api::copying::slice`. Returns the
/// errors of that function.
pub fn slice<'a>(table: &TableView<'a>, indices: &[usize]) -> Result<Vec<TableView<'a>>> {
    let parts = parts(indices)?;
    parts.map(|part| part.and_then(|(begin, len)| table.slice(begin, len))).collect()
}

/// Slices a column in the same way as [`slice()`] slices a table.
pub fn slice_column<'a>(column: ColumnView<'a>, indices: &[usize]) -> Result<Vec<ColumnView<'a>>> {
    let parts = parts(indices)?;
    parts.map(|part| part.and_then(|(begin, len)| column.slice(begin, len))).collect()
}

/// Returns views of the rows between the `splits`. Implements `gdf_api::copying::split`. Returns the errors of that
/// function.
pub fn split<'a>(table: &TableView<'a>, splits: &[usize]) -> Result<Vec<TableView<'a>>> {
    slice(table, &bounds(splits, table.num_rows()))
}

/// Splits a column in the same way as [`split()`] splits a table.
pub fn split_column<'a>(column: ColumnView<'a>, splits: &[usize]) -> Result<Vec<ColumnView<'a>>> {
    slice_column(column, &bounds(splits, column.len()))
}

fn parts(indices: &[usize]) -> Result<impl Iterator<Item = Result<(usize, usize)>>> {
    let (pairs, rest) = indices.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(Error::invalid_number("the number of indices must be even", indices.len() as i128)
            .with_remedy("pass a begin and an end for each slice"));
    }
    Ok(pairs.iter().map(|&[begin, end]| Ok((begin, len_of(&(begin..end))?))))
}

/// Returns the begin and the end of each part between the splits.
fn bounds(splits: &[usize], rows: usize) -> Vec<usize> {
    let inner = splits.iter().flat_map(|&split| [split, split]);
    [0].into_iter().chain(inner).chain([rows]).collect()
}

#[cfg(test)]
mod tests {
    use gdf_core::{Column, Table};

    use super::*;

    fn table() -> Table {
        let (stream, mr) = gdf_engine::test_device::setup();
        Table::try_new(vec![Column::from_options_on(&[Some(1), None, Some(3)], &stream, mr.as_ref()).unwrap()]).unwrap()
    }

    fn ranges(parts: &[TableView<'_>]) -> Vec<(usize, usize)> {
        parts.iter().map(|part| (part.columns()[0].offset(), part.num_rows())).collect()
    }

    #[test]
    fn parts_are_where_they_are_asked_for() {
        let table = table();
        assert_eq!(ranges(&slice(&table.view(), &[0, 2, 3, 3, 1, 3]).unwrap()), [(0, 2), (3, 0), (1, 2)]);
        assert!(slice(&table.view(), &[]).unwrap().is_empty());
        assert_eq!(ranges(&split(&table.view(), &[1, 1]).unwrap()), [(0, 1), (1, 0), (1, 2)]);
        assert_eq!(ranges(&split(&table.view(), &[]).unwrap()), [(0, 3)]);
        let part = table.view().slice(1, 2).unwrap();
        assert_eq!(ranges(&split(&part, &[1]).unwrap()), [(1, 1), (2, 1)]);
        let columns = split_column(table.columns()[0].view(), &[2]).unwrap();
        assert_eq!(columns.iter().map(|column| column.len()).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn what_is_no_part_is_a_typed_error() {
        let table = table();
        let view = table.view();
        for indices in [&[0, 1, 2][..], &[2, 1]] {
            assert!(matches!(slice(&view, indices), Err(Error::InvalidArgument { .. })), "{indices:?}");
        }
        assert!(matches!(slice(&view, &[0, 4]), Err(Error::OutOfBounds { index: 4, len: 3, .. })));
        assert!(matches!(slice_column(view.columns()[0], &[4, 4]), Err(Error::OutOfBounds { .. })));
        assert!(matches!(split(&view, &[2, 1]), Err(Error::InvalidArgument { .. })));
        assert!(matches!(split(&view, &[4]), Err(Error::OutOfBounds { index: 4, len: 3, .. })));
    }
}
