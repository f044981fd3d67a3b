//! Which columns can be hashed, and what of them.

use gdf_core::{Abilities, ColumnView, DictionaryView, Error, PhysicalType, Result, TableView, physical_type};

/// A column of rows to be hashed.
#[derive(Clone, Copy)]
pub struct HashedColumn<'a> {
    /// The rows; of a dictionary column, their keys.
    pub view: ColumnView<'a>,
    /// What the keys of a dictionary column stand for.
    pub values: Option<ColumnView<'a>>,
}

/// The columns of a table that is to be hashed.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for nested types, views and run-end encoded columns.
/// * [`InvalidArgument`](Error::InvalidArgument) when there are none.
pub fn hashed_columns<'a>(operation: &'static str, table: &TableView<'a>) -> Result<Vec<HashedColumn<'a>>> {
    if table.num_columns() == 0 {
        return Err(Error::invalid_argument("the table has no columns to hash"));
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
    Abilities::of(view.data_type()).as_stored().hash
}
