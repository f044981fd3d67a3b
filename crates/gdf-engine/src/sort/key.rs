//! Sort keys: columns, each with a direction and an order of nulls.

use gdf_core::{Abilities, ColumnView, Error, Position, Result, TableView};

use crate::Ctx;
use crate::check;

/// Whether values are sorted in ascending or descending order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// Small values come first.
    #[default]
    Ascending,
    /// Large values come first.
    Descending,
}

/// Whether nulls are smaller or larger than values. In ascending order, [`Before`](Self::Before) puts nulls first. In
/// descending order, [`Before`](Self::Before) puts nulls last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NullOrder {
    /// Nulls are smaller than every value.
    #[default]
    Before,
    /// Nulls are larger than every value.
    After,
    /// Nulls are larger than every value, but inside of lists they are smaller than every other element, as in libcudf.
    AfterOutsideOfLists,
}

impl NullOrder {
    /// Returns the order of the nulls inside of lists of a column with this order.
    pub fn inside_of_lists(self) -> Self {
        if self == NullOrder::After { NullOrder::After } else { NullOrder::Before }
    }
}

/// The position that a search returns if some of the sorted rows are equal to the row that is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    Lower,
    /// The position after the equal rows.
    Upper,
}

/// The maximum number of key columns of one call, which kernels take by value.
pub const MAX_KEYS: usize = gdf_kernels::generated::sorting::TEST_MAX_KEYS;

#[derive(Clone, Copy, Debug)]
pub struct KeyColumn<'a> {
    pub view: ColumnView<'a>,
    pub descending: bool,
    /// Whether nulls come first in the sorted rows. The direction is already taken into account.
    pub nulls_first: bool,
}

/// Rows that are already in the order of their keys.
#[derive(Clone, Copy, Debug)]
pub struct SortedRows<'a> {
    pub keys: &'a [KeyColumn<'a>],
    pub rows: usize,
}

/// Checks that a table with rows has columns to sort by.
pub fn check_has_keys(table: &TableView<'_>) -> Result<()> {
    if table.num_columns() == 0 && table.num_rows() > 0 {
        return Err(Error::invalid_argument("the table has no columns to sort by; pass at least 1 column"));
    }
    Ok(())
}

/// Returns the key columns of `table`.
pub fn keys<'a>(
    operation: &'static str,
    table: &TableView<'a>,
    orders: &[Order],
    null_orders: &[NullOrder],
    ctx: Ctx<'_>,
) -> Result<Vec<KeyColumn<'a>>> {
    check::table(table, ctx)?;
    let columns = table.num_columns();
    for given in [(orders.len(), "order"), (null_orders.len(), "null order")] {
        if given.0 != 0 && given.0 != columns {
            return Err(Error::count_mismatch((columns, "sort key"), given));
        }
    }
    check_has_keys(table)?;
    if columns > MAX_KEYS {
        return Err(Error::beyond_limit("the number of sort keys", columns as i128, MAX_KEYS as i128));
    }
    let key = |(i, &view): (usize, &ColumnView<'a>)| {
        if Abilities::of(view.data_type()).as_stored().order.is_none() {
            return Err(Error::unsupported(operation, view.data_type()).at(Position::Column(i)));
        }
        let descending = orders.get(i).copied().unwrap_or_default() == Order::Descending;
        let smallest = null_orders.get(i).copied().unwrap_or_default() == NullOrder::Before;
        Ok(KeyColumn { view, descending, nulls_first: smallest != descending })
    };
    table.columns().iter().enumerate().map(key).collect()
}
