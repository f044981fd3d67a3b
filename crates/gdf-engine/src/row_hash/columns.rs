//! Selects the buffers of the columns to be hashed, and rejects types that cannot be hashed.

use gdf_core::{Abilities, ColumnView, DictionaryView, Error, PhysicalType, Result, TableView, physical_type};

/// A column to be hashed.
#[derive(Clone, Copy)]
pub struct HashedColumn<'a> {
    /// The rows of the column. If the column is a dictionary column, its rows are the keys.
    pub view: ColumnView<'a>,
    /// The values of a dictionary column.
    pub values: Option<ColumnView<'a>>,
}

/// Returns the columns of a table to be hashed.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for nested types, views and run-end encoded columns.
/// * [`InvalidArgument`](Error::InvalidArgument) if the table has no columns.
pub fn hashed_columns<'a>(operation: &'static str, table: &TableView<'a>) -> Result<Vec<HashedColumn<'a>>> {
    if table.num_columns() == 0 {
        return Err(Error::invalid_argument("the table has no columns to hash; pass at least 1 column"));
    }
    table.columns().iter().map(|view| hashed_column(operation, *view)).collect()
}

fn hashed_column<'a>(operation: &'static str, view: ColumnView<'a>) -> Result<HashedColumn<'a>> {
    let unsupported = || Error::unsupported(operation, view.data_type());
    if physical_type(view.data_type()) == PhysicalType::Dictionary {
        let values = DictionaryView::try_from(view)?.values();
        return if is_plain(values) { Ok(HashedColumn { view, values: Some(values) }) } else { Err(unsupported()) };
    }
    if is_plain(view) { Ok(HashedColumn { view, values: None }) } else { Err(unsupported()) }
}

fn is_plain(view: ColumnView<'_>) -> bool {
    let abilities = Abilities::of(view.data_type()).as_stored();
    abilities.hash && !abilities.nested
}
