//! Prepared keys, and the given keys that are restored from them.

use std::sync::Arc;

use gdf_core::{Column, Error, Result, TableView};
use gdf_engine::decoded::DecodedColumns;

use super::columns::Side;
use super::fields::{Fields, has_null_fields};
use crate::Ctx;

/// The keys of a table in the form that engines compare. An operation keeps this value alive while the operation reads
/// the keys.
#[derive(Debug)]
pub struct Prepared<'a> {
    given: TableView<'a>,
    columns: DecodedColumns<'a>,
    /// The fields that replace structs. `None` if each given column is one key column.
    fields: Option<Arc<Fields>>,
}

impl<'a> Prepared<'a> {
    pub(super) fn new(side: Side<'_, 'a>, fields: Option<Arc<Fields>>) -> Self {
        let columns = DecodedColumns::from_columns(side.keys, side.table.num_rows());
        Self { given: side.table.clone(), columns, fields }
    }

    /// Returns the key columns.
    ///
    /// # Errors
    /// * Errors of the key columns, which do not occur if the given columns are valid.
    pub fn view(&self) -> Result<TableView<'_>> {
        self.columns.view()
    }

    /// Returns whether the key columns are the given columns.
    pub fn is_unchanged(&self) -> bool {
        self.fields.is_none() && self.columns.are_given()
    }

    /// Returns the number of bytes of memory of the key columns that were made.
    pub fn memory_size(&self) -> usize {
        self.columns.memory_size()
    }

    /// Returns whether a key column may be null although the given key is not null. This is the null of a field of a
    /// struct, at any depth.
    ///
    /// # Errors
    /// * Errors of the fields, which do not occur if the columns are valid.
    pub fn has_null_fields(&self) -> Result<bool> {
        if self.fields.is_some() { has_null_fields(&self.given) } else { Ok(false) }
    }

    /// Returns whether [`restore`](Self::restore) gathers given columns, because their key columns do not determine
    /// them.
    pub fn needs_rows(&self) -> bool {
        match &self.fields {
            Some(fields) => !fields.restore_all(&self.given),
            None => !self.columns.are_given(),
        }
    }

    /// Restores the given keys for some rows. `keys` are the key columns of these rows. `gather` returns the columns of
    /// a part of the given table in these rows, and is called only if [`needs_rows`](Self::needs_rows) is true.
    ///
    /// # Errors
    /// * The errors of `gather`. Driver and memory errors.
    pub fn restore(
        &self,
        keys: &[Column],
        gather: impl FnOnce(&TableView<'_>) -> Result<Vec<Column>>,
        ctx: Ctx<'_>,
    ) -> Result<Vec<Column>> {
        let restored: Vec<Option<Column>> = match &self.fields {
            Some(fields) => fields.restore(&self.given, keys, ctx)?,
            None => {
                let keys = keys.iter().enumerate();
                keys.map(|(i, key)| self.columns.is_given(i).then(|| key.clone())).collect()
            }
        };
        let places: Vec<_> = (0..restored.len()).filter(|place| restored[*place].is_none()).collect();
        let gathered = if places.is_empty() { Vec::new() } else { gather(&self.given.select(&places)?)? };
        let mut gathered = gathered.into_iter();
        let missing = || Error::internal("a column of the given keys was not gathered");
        restored.into_iter().map(|column| column.or_else(|| gathered.next()).ok_or_else(missing)).collect()
    }
}
