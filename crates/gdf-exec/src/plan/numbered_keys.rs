//! Keys of a group-by that are selected from the same rows of a smaller table.
//!
//! After a join, columns of the smaller side repeat its values, and are not gathered yet. If such columns are keys, the
//! rows of the smaller table are numbered first, so that rows with equal keys have the same number. The rows are then
//! grouped by the numbers, and neither texts nor several columns are gathered, hashed and compared for each row.

use std::collections::BTreeSet;

use arrow_schema::DataType;
use gdf_api::copying::{OutOfBoundsPolicy, gather};
use gdf_api::join::{HashJoin, NullEquality};
use gdf_api::stream_compaction::{DuplicateKeepOption, NanEquality, distinct_indices};
use gdf_core::{Column, Table};
use gdf_expr::{Expr, ExprKind, col};

use super::deferred::Deferred;
use super::rows::Ready;
use crate::error::{Error, Result};

/// With fewer rows, or fewer rows for each row of the smaller table, numbers cost more than they save.
const FEWEST_ROWS: usize = 1 << 16;
const FEWEST_ROWS_OF_ROW: usize = 2;

/// The place of a key in the result of a group-by.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// The key with this number.
    Key(usize),
    /// A column of the table of distinct values with this number. Its row numbers are a key.
    Numbered { table: usize, column: usize },
}

/// The keys of a group-by, some of which are replaced by numbers.
#[derive(Debug)]
pub(super) struct NumberedKeys {
    keys: Vec<usize>,
    places: Vec<Place>,
    /// The distinct values of replaced keys, each with the position of their numbers among the keys.
    tables: Vec<(usize, Table)>,
}

impl NumberedKeys {
    /// Replaces the outputs `keys` of `rows` by numbers, where this saves work. The outputs `values` are aggregated.
    pub(super) fn new(rows: &mut Ready, keys: &[usize], values: &[usize]) -> Result<NumberedKeys> {
        rows.filter_if_pending()?;
        let position = |key: &usize| match rows.outputs[*key].kind() {
            ExprKind::Column(position) => Some(*position),
            _ => None,
        };
        let positions: Vec<Option<usize>> = keys.iter().map(position).collect();
        let selections: Vec<Option<usize>> =
            positions.iter().map(|at| at.and_then(|at| rows.input.selection_of(at))).collect();
        let mut numbered = NumberedKeys { keys: Vec::new(), places: Vec::new(), tables: Vec::new() };
        let mut places: Vec<Option<Place>> = vec![None; keys.len()];
        for selection in selections.iter().flatten().copied().collect::<BTreeSet<usize>>() {
            let of: Vec<usize> = (0..keys.len()).filter(|at| selections[*at] == Some(selection)).collect();
            let columns = of.iter().filter_map(|at| positions[*at]).map(|at| rows.input.pending_column(at).cloned());
            let columns: Vec<Column> = columns.collect::<Result<_>>()?;
            if !rows.input.selects_rows(selection) || !is_worth(&columns, rows.input.num_rows()) {
                continue;
            }
            let (numbers, table) = numbers(&Table::try_new(columns)?)?;
            let number = rows.input.push_selected(numbers, selection);
            let key = numbered.keys.len();
            numbered.keys.push(rows.outputs.len());
            rows.outputs.push(col(number));
            for (column, at) in of.iter().enumerate() {
                // An output that is a key and no value is not read any more.
                if !values.contains(&keys[*at]) {
                    rows.outputs[keys[*at]] = col(number);
                }
                places[*at] = Some(Place::Numbered { table: numbered.tables.len(), column });
            }
            numbered.tables.push((key, table));
        }
        for (place, key) in places.into_iter().zip(keys) {
            numbered.places.push(place.unwrap_or_else(|| {
                numbered.keys.push(*key);
                Place::Key(numbered.keys.len() - 1)
            }));
        }
        Ok(numbered)
    }

    /// Returns the outputs by which the rows are grouped.
    pub(super) fn keys(&self) -> &[usize] {
        &self.keys
    }

    /// Returns whether no key is replaced.
    pub(super) fn are_given(&self) -> bool {
        self.tables.is_empty()
    }

    /// Returns the distinct values of the original keys. `found` has the distinct values of [`keys`](Self::keys). The
    /// values of replaced keys are gathered when they are read.
    pub(super) fn restored(&self, found: Vec<Column>) -> Result<Deferred> {
        let mut all = Deferred::from(Table::try_new(found.clone())?);
        let mut starts = Vec::with_capacity(self.tables.len());
        for (key, table) in &self.tables {
            let rows = found.get(*key).ok_or_else(|| Error::internal("a group-by has lost a key"))?;
            let columns: Vec<Expr> = (0..table.num_columns()).map(col).collect();
            starts.push(all.num_columns());
            all = all.beside(Deferred::from(table.clone()).taken(rows, OutOfBoundsPolicy::Error, &columns)?)?;
        }
        let place = |place: &Place| match *place {
            Place::Key(key) => col(key),
            Place::Numbered { table, column } => col(starts[table] + column),
        };
        let places: Vec<Expr> = self.places.iter().map(place).collect();
        all.projected(&places)
    }
}

/// Returns whether numbers for the rows of `columns` save work for a group-by of `rows` rows.
fn is_worth(columns: &[Column], rows: usize) -> bool {
    let is_text = |column: &Column| {
        use DataType::{Binary, LargeBinary, LargeUtf8, Utf8};
        matches!(column.data_type(), Utf8 | LargeUtf8 | Binary | LargeBinary)
    };
    let is_integer = |column: &Column| {
        let data_type = column.data_type();
        data_type.is_integer() || data_type.is_temporal() || gdf_core::decimal_parts(data_type).is_some()
    };
    let of_table = columns.first().map_or(usize::MAX, Column::len);
    rows >= FEWEST_ROWS
        && of_table.saturating_mul(FEWEST_ROWS_OF_ROW) <= rows
        && columns.iter().all(|column| is_text(column) || is_integer(column))
        && (columns.len() > 1 || columns.iter().any(is_text))
}

/// Returns a number for each row of a table, and a table that has the row at the place of the number.
fn numbers(table: &Table) -> Result<(Column, Table)> {
    let rows = distinct_indices(table, DuplicateKeepOption::Any, NullEquality::Equal, NanEquality::AllEqual)?;
    let distinct = gather(table, &rows, OutOfBoundsPolicy::Error)?;
    let numbers = HashJoin::for_rows(&distinct, NullEquality::Equal, table.num_rows())?.lookup(table)?;
    Ok((numbers, distinct))
}
