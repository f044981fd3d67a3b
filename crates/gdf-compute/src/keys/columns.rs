//! The key columns of columns that do not become their fields.

use gdf_core::{ColumnView, Error, Position, Result, TableView};
use gdf_engine::check;
use gdf_engine::decoded::Decoded;
use gdf_engine::keys::{NanEquality, NullEquality};
use gdf_engine::sort::NullOrder;
use smallvec::SmallVec;

use super::ranks::{Nulls, has_floats, is_replaced, replaced};
use crate::Ctx;

/// An element for each of the tables that are prepared together.
pub(super) type Sides<T> = SmallVec<[T; 2]>;

/// One of the tables that are prepared together.
pub(super) struct Side<'t, 'a> {
    pub(super) table: &'t TableView<'a>,
    /// The key columns that are prepared.
    pub(super) keys: Vec<Decoded<'a>>,
}

/// The rules by which a column of each table becomes a key column.
#[derive(Clone, Copy)]
pub(super) struct Rules<'c> {
    pub(super) operation: &'static str,
    pub(super) nulls: NullEquality,
    pub(super) nans: NanEquality,
    /// Whether rows are compared only with rows of the same table, so that the ranks of the values of a dictionary can
    /// replace the values.
    pub(super) is_alone: bool,
    pub(super) ctx: Ctx<'c>,
}

impl Rules<'_> {
    /// Returns a key column for each of `columns`, whose rows are compared with each other.
    pub(super) fn keys<'a>(&self, columns: &[ColumnView<'a>], order: NullOrder) -> Result<Sides<Decoded<'a>>> {
        if !columns.iter().any(|column| self.replaces(*column)) {
            return columns.iter().map(|column| self.decoded(*column)).collect();
        }
        let mut others = columns[1..].iter();
        others.try_for_each(|other| check::types(columns[0].data_type(), other.data_type()))?;
        let nulls = Nulls { order, equality: self.nulls };
        Ok(replaced(self.operation, columns, nulls, self.ctx)?.into_iter().map(Decoded::Made).collect())
    }

    fn replaces(&self, column: ColumnView<'_>) -> bool {
        let of = column.data_type();
        is_replaced(of) && (self.nans == NanEquality::AllEqual || !has_floats(of))
    }

    fn decoded<'a>(&self, column: ColumnView<'a>) -> Result<Decoded<'a>> {
        let is_ranked = self.is_alone && self.nans == NanEquality::AllEqual;
        if is_ranked { Decoded::ranked(column, self.ctx) } else { Decoded::of(column, self.ctx) }
    }
}

/// Prepares each column as one key column.
pub(super) fn prepare_columns(sides: &mut [Side<'_, '_>], null_orders: &[NullOrder], rules: &Rules<'_>) -> Result<()> {
    let columns = sides.iter().map(|side| side.table.num_columns()).max().unwrap_or(0);
    for i in 0..columns {
        let in_column = |error: Error| error.at(Position::Column(i));
        let given: Sides<_> = sides.iter().filter_map(|side| side.table.columns().get(i).copied()).collect();
        let keys = if given.len() == sides.len() {
            rules.keys(&given, null_orders.get(i).copied().unwrap_or_default())
        } else {
            // The operations find that one table has more columns, and name the tables in the error.
            given.iter().map(|column| Decoded::of(*column, rules.ctx)).collect()
        };
        let sides = sides.iter_mut().filter(|side| i < side.table.num_columns());
        sides.zip(keys.map_err(in_column)?).for_each(|(side, key)| side.keys.push(key));
    }
    Ok(())
}
