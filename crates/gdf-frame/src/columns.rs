//! The columns of a frame: an ordered collection with access by position, by name and by pattern.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use arrow_schema::{Field, FieldRef, Schema, SchemaRef};
use gdf_api::scope::current_resources;
use gdf_core::{Column, Error, Result, Table, same_type};
use gdf_memory::{AccessMut, SpillManager};

use crate::names::{SEARCHED, check_names, unknown_name};

/// The columns of a frame, in order, with their fields. A field has the name, the type, the nullability and the
/// metadata of a column.
///
/// No two columns have the same name. The type corresponds to `ColumnAccessor` of cuDF.
#[derive(Clone)]
pub struct Columns {
    schema: SchemaRef,
    /// Shared, because a plan clones its sources for each verb.
    table: Arc<Table>,
    positions: Arc<OnceLock<HashMap<Box<str>, usize>>>,
}

impl Columns {
    /// Combines a schema and a table.
    ///
    /// # Errors
    /// * [`ColumnCount`](Error::ColumnCount), [`TypeMismatch`](Error::TypeMismatch): the schema does not describe the
    ///   table.
    /// * [`DuplicateName`](Error::DuplicateName): two fields have the same name.
    pub fn try_new(schema: SchemaRef, table: Table) -> Result<Columns> {
        if schema.fields().len() != table.num_columns() {
            let error = Error::count_mismatch((schema.fields().len(), "field"), (table.num_columns(), "column"));
            return Err(error.with_remedy("pass a schema with a field for each column"));
        }
        for (field, data_type) in schema.fields().iter().zip(table.data_types()) {
            if !same_type(field.data_type(), data_type) {
                let error = Error::type_mismatch(field.data_type(), data_type);
                let error = error.in_expression(|| format!("column `{}`", field.name()));
                return Err(error.with_remedy("`cast` the column, or pass a schema with its type"));
            }
        }
        check_names(schema.fields().iter().map(|field| field.name().as_str()))?;
        Ok(Columns::trusted(schema, table))
    }

    /// Combines a schema and a table. The caller has checked that the schema describes the table and that no two names
    /// are equal.
    pub(crate) fn trusted(schema: SchemaRef, table: impl Into<Arc<Table>>) -> Columns {
        Columns { schema, table: table.into(), positions: Arc::default() }
    }

    /// Makes the memory spillable, if the current resource belongs to a spill manager.
    pub(crate) fn watched(self) -> Result<Columns> {
        if let Some(device) = self.table.device()
            && let Some(manager) = SpillManager::of(&current_resources(device)?.0)
        {
            self.table.watch(&manager);
        }
        Ok(self)
    }

    /// Returns the fields: names, types, nullability and metadata.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the columns without names.
    pub fn table(&self) -> &Table {
        &self.table
    }

    pub(crate) fn shared_table(&self) -> &Arc<Table> {
        &self.table
    }

    /// Returns the schema and the table.
    pub fn into_parts(self) -> (SchemaRef, Table) {
        (self.schema, Arc::unwrap_or_clone(self.table))
    }

    /// Returns the number of columns.
    pub fn len(&self) -> usize {
        self.table.num_columns()
    }

    /// Returns whether there are no columns.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the names, in the order of the columns.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.schema.fields().iter().map(|field| field.name().as_str())
    }

    /// Returns the fields and the columns.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&FieldRef, &Column)> {
        self.schema.fields().iter().zip(self.table.columns())
    }

    /// Returns the position of the column with this name, or `None` if no column has the name.
    pub fn position(&self, name: &str) -> Option<usize> {
        if self.len() <= SEARCHED {
            return self.names().position(|of| of == name);
        }
        let positions = self.positions.get_or_init(|| self.names().map(Box::from).zip(0..).collect());
        positions.get(name).copied()
    }

    /// Returns the position of the column with this name.
    ///
    /// # Errors
    /// * [`NameNotFound`](Error::NameNotFound).
    pub fn position_of(&self, name: &str) -> Result<usize> {
        self.position(name).ok_or_else(|| unknown_name(name, self.names()))
    }

    /// Returns the column with this name.
    ///
    /// # Errors
    /// * [`NameNotFound`](Error::NameNotFound).
    pub fn column(&self, name: &str) -> Result<&Column> {
        self.table.column(self.position_of(name)?)
    }

    pub(crate) fn make_mut(&mut self, position: usize) -> Result<AccessMut<'_>> {
        Arc::make_mut(&mut self.table).make_mut(position)
    }

    /// Changes columns, which keep their types, length and device. If `change` fails, it must leave the columns
    /// unchanged.
    pub(crate) fn change_columns(&mut self, change: impl FnOnce(&mut [Column]) -> Result<()>) -> Result<()> {
        // The columns are taken out of the table, so that the table does not share their memory.
        let (rows, none) = (self.table.num_rows(), Table::try_new(Vec::new())?);
        let mut columns = Arc::unwrap_or_clone(std::mem::replace(&mut self.table, Arc::new(none))).into_columns();
        let changed = change(&mut columns);
        self.table = Arc::new(Table::try_with_rows(columns, rows)?);
        changed
    }

    pub(crate) fn set_field(&mut self, position: usize, field: Field) {
        let mut fields: Vec<FieldRef> = self.schema.fields().to_vec();
        fields[position] = Arc::new(field);
        self.schema = Arc::new(Schema::new_with_metadata(fields, self.schema.metadata().clone()));
    }

    /// Makes columns with the schema metadata of these columns. The fields describe the table and have different names.
    pub(crate) fn replaced(&self, fields: Vec<FieldRef>, table: impl Into<Arc<Table>>) -> Columns {
        let schema = Schema::new_with_metadata(fields, self.schema.metadata().clone());
        Columns::trusted(schema.into(), table)
    }

    /// Returns the field of a column of another frame. A name that one of these columns has gets the suffix.
    pub(crate) fn with_suffix(&self, field: &FieldRef, suffix: &str) -> FieldRef {
        match self.position(field.name()) {
            Some(_) => renamed_field(field, &format!("{}{suffix}", field.name())),
            None => Arc::clone(field),
        }
    }

    pub(crate) fn field(&self, position: usize) -> &FieldRef {
        &self.schema.fields()[position]
    }
}

pub(crate) fn renamed_field(field: &FieldRef, name: &str) -> FieldRef {
    if field.name() == name { field.clone() } else { Arc::new(Field::clone(field).with_name(name)) }
}
