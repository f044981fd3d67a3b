//! The form of keys that do not depend on the tables that they are compared with.

use std::sync::Arc;

use gdf_core::{Result, TableView};
use gdf_engine::keys::NullEquality;

use super::fields::Fields;

/// The form of the keys of a table that is prepared before the tables that it is compared with. The tables have columns
/// of the same types.
#[derive(Clone, Debug)]
pub struct Form(pub(super) Arc<Fields>);

impl Form {
    /// Returns the form for a table and for later tables. The result is `None` if keys can only be prepared together
    /// with those of the other table, such as lists, and if there would be too many columns. The function reads no
    /// rows.
    ///
    /// # Errors
    /// * Errors of the fields, which do not occur if the columns are valid.
    pub fn of(keys: &TableView<'_>, nulls: NullEquality) -> Result<Option<Self>> {
        Ok(Fields::for_later(keys, nulls)?.map(|fields| Self(Arc::new(fields))))
    }
}
