//! Tables: columns of one length on one device. A table stores no column names. Names are stored in a schema.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use gdf_driver::{Device, Stream};
use gdf_memory::{AccessMut, ResourceRef, SpillManager};

use crate::column::check_range;
use crate::{Column, ColumnView, Counted, Error, OneOrMany, Position, Result};

/// Columns of one length on one device.
#[derive(Clone)]
pub struct Table {
    columns: Vec<Column>,
    num_rows: usize,
}

impl Table {
    /// Makes a table of these columns. A table without columns has no rows.
    ///
    /// # Errors
    /// - [`Error::LengthMismatch`], [`Error::DeviceMismatch`]: the columns differ in length or device.
    pub fn try_new(columns: Vec<Column>) -> Result<Table> {
        let rows = columns.first().map_or(0, Column::len);
        Self::try_with_rows(columns, rows)
    }

    /// Makes a table of these columns with `num_rows` rows. The number also applies to a table without columns.
    ///
    /// # Errors
    /// - [`Error::LengthMismatch`], [`Error::DeviceMismatch`]: the columns differ in device, or do not have `num_rows`
    ///   rows.
    pub fn try_with_rows(columns: Vec<Column>, num_rows: usize) -> Result<Table> {
        check_columns(columns.iter().map(Column::view), num_rows)?;
        Ok(Table { columns, num_rows })
    }

    /// Returns the columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Returns column `i`.
    ///
    /// # Errors
    /// - [`Error::OutOfBounds`]: the table has no column `i`.
    pub fn column(&self, i: usize) -> Result<&Column> {
        self.columns.get(i).ok_or_else(|| Error::index_out_of_bounds(Counted::Columns, i, self.columns.len()))
    }

    /// Returns write access to the values of column `i`; see [`Column::make_mut`].
    ///
    /// ```
    /// # use gdf_core as gdf;
    /// use gdf::{Column, Table};
    ///
    /// let mut table = Table::try_new(vec![Column::from_slice(&[1, 2])?])?;
    /// let before = table.clone();
    /// table.make_mut(0)?.as_mut_slice::<i32>()?[1] = 20;
    /// assert_eq!(table.column(0)?.to_vec::<i32>()?, [Some(1), Some(20)]);
    /// assert_eq!(before.column(0)?.to_vec::<i32>()?, [Some(1), Some(2)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::OutOfBounds`], and the errors of [`Column::make_mut`].
    pub fn make_mut(&mut self, i: usize) -> Result<AccessMut<'_>> {
        let count = self.columns.len();
        let column = self.columns.get_mut(i);
        column.ok_or_else(|| Error::index_out_of_bounds(Counted::Columns, i, count))?.make_mut()
    }

    /// Returns the number of rows.
    pub fn num_rows(&self) -> usize {
        self.num_rows
    }

    /// Returns the number of columns.
    pub fn num_columns(&self) -> usize {
        self.columns.len()
    }

    /// Returns the device of the columns, or `None` if there are no columns.
    pub fn device(&self) -> Option<Device> {
        self.columns.first().map(Column::device)
    }

    /// Returns the columns' types.
    pub fn data_types(&self) -> impl ExactSizeIterator<Item = &DataType> {
        self.columns.iter().map(Column::data_type)
    }

    /// Returns a view of all columns and rows.
    pub fn view(&self) -> TableView<'_> {
        TableView::from(self)
    }

    /// Returns the columns.
    pub fn into_columns(self) -> Vec<Column> {
        self.columns
    }

    /// Returns the `len` rows from `offset` on. The result shares all buffers.
    ///
    /// # Errors
    /// - [`Error::OutOfBounds`]: the table does not have these rows.
    pub fn slice(&self, offset: usize, len: usize) -> Result<Table> {
        check_range(offset, len, self.num_rows).map_err(|error| error.in_operation("slice"))?;
        let columns = self.columns.iter().map(|column| column.slice(offset, len)).collect::<Result<_>>()?;
        Ok(Table { columns, num_rows: len })
    }

    /// Returns the first `rows` rows, or all rows of a shorter table. The result shares all buffers.
    #[doc(alias("limit"))]
    pub fn head(&self, rows: usize) -> Table {
        let rows = rows.min(self.num_rows);
        let columns = self.columns.iter().map(|column| column.head(rows)).collect();
        Table { columns, num_rows: rows }
    }

    /// Returns the last `rows` rows, or all rows of a shorter table. The result shares all buffers.
    pub fn tail(&self, rows: usize) -> Table {
        let rows = rows.min(self.num_rows);
        let columns = self.columns.iter().map(|column| column.tail(rows)).collect();
        Table { columns, num_rows: rows }
    }

    /// Returns the columns at the positions `columns`. The positions may be in any order, and may repeat.
    ///
    /// # Errors
    /// - [`Error::OutOfBounds`]: the table has no column at one of the positions.
    pub fn select(&self, columns: &[usize]) -> Result<Table> {
        let columns = columns.iter().map(|i| self.column(*i).cloned()).collect::<Result<_>>()?;
        Ok(Table { columns, num_rows: self.num_rows })
    }

    /// Returns a copy that shares no buffers, in memory of `mr` on the same device.
    ///
    /// # Errors
    /// - Driver and memory errors.
    pub fn deep_copy<'r>(&self, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Table> {
        let mr = mr.into();
        let columns = self.columns.iter().map(|column| column.deep_copy(stream, mr)).collect::<Result<_>>()?;
        Ok(Table { columns, num_rows: self.num_rows })
    }

    /// Makes `stream` the stream that owns the memory of the columns; see [`Column::rebind`].
    ///
    /// # Errors
    /// - The errors of [`Column::rebind`].
    pub fn rebind(&mut self, stream: &Stream) -> Result<()> {
        self.columns.iter_mut().try_for_each(|column| column.rebind(stream))
    }

    /// Returns a copy that shares no buffers, in memory of `mr`, on the same or another device; see
    /// [`Column::copy_to`].
    ///
    /// # Errors
    /// - The errors of [`Column::copy_to`].
    pub fn copy_to<'r>(&self, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Table> {
        let mr = mr.into();
        let columns = self.columns.iter().map(|column| column.copy_to(stream, mr)).collect::<Result<_>>()?;
        Ok(Table { columns, num_rows: self.num_rows })
    }

    /// Returns the number of bytes of all buffers. If several columns share a buffer, each of these columns counts the
    /// buffer.
    pub fn alloc_size(&self) -> usize {
        self.columns.iter().map(Column::alloc_size).sum()
    }

    /// Makes the buffers of all columns spillable; see [`SpillManager::watch`](gdf_memory::SpillManager::watch).
    ///
    /// ```
    /// # mod gdf { pub use gdf_core::*; pub use gdf_memory as memory; }
    /// use gdf::{Column, Table};
    /// use gdf::memory::{HostResource, Resource, SpillManager, SpillOptions};
    ///
    /// let manager = SpillManager::new(Resource::new(HostResource::new()), SpillOptions::new());
    /// let table = gdf::scope::with_resource(&manager.resource(), || Table::try_new(vec![Column::from_slice(&[7_i64; 5000])?]))?;
    /// table.watch(&manager);
    /// assert!(manager.spill(usize::MAX)? >= 40_000);
    /// assert_eq!(table.column(0)?.get(4999)?, Some(7_i64));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    pub fn watch(&self, manager: &SpillManager) {
        self.columns().iter().for_each(|column| column.watch(manager));
    }

    /// Does the same as [`watch`](Self::watch) for the memory that the manager's resource has allocated; see
    /// [`SpillManager::watch_own`](gdf_memory::SpillManager::watch_own).
    pub fn watch_own(&self, manager: &SpillManager) {
        self.columns().iter().for_each(|column| column.watch_own(manager));
    }

    /// Returns a schema with the types of the columns. The fields have the given names and are nullable.
    ///
    /// If there are fewer names than columns, the position of a column without a name becomes its name.
    pub fn schema(&self, names: &[&str]) -> SchemaRef {
        let field = |(i, data_type): (usize, &DataType)| {
            let name = names.get(i).map_or_else(|| i.to_string(), |name| (*name).to_owned());
            Field::new(name, data_type.clone(), true)
        };
        Arc::new(Schema::new(self.data_types().enumerate().map(field).collect::<Vec<_>>()))
    }
}

/// Borrowed columns of one length on one device.
#[derive(Clone)]
pub struct TableView<'a> {
    /// The columns. `OneOrMany` allocates no memory for a single column, and many tables have only one column.
    columns: OneOrMany<ColumnView<'a>>,
    num_rows: usize,
}

impl<'a> TableView<'a> {
    /// Makes a view of these columns. A view without columns has no rows.
    ///
    /// # Errors
    /// - [`Error::LengthMismatch`], [`Error::DeviceMismatch`]: the columns differ in length or device.
    pub fn try_new(columns: Vec<ColumnView<'a>>) -> Result<TableView<'a>> {
        let rows = columns.first().map_or(0, |column| column.len());
        Self::try_with_rows(columns, rows)
    }

    /// Makes a view of these columns with `num_rows` rows. The number also applies to a view without columns.
    ///
    /// # Errors
    /// - [`Error::LengthMismatch`], [`Error::DeviceMismatch`]: the columns differ in device, or do not have `num_rows`
    ///   rows.
    pub fn try_with_rows(columns: Vec<ColumnView<'a>>, num_rows: usize) -> Result<TableView<'a>> {
        check_columns(columns.iter().copied(), num_rows)?;
        Ok(TableView { columns: columns.into(), num_rows })
    }

    /// Returns the columns.
    pub fn columns(&self) -> &[ColumnView<'a>] {
        &self.columns
    }

    /// Returns column `i`.
    ///
    /// # Errors
    /// - [`Error::OutOfBounds`]: the view has no column `i`.
    pub fn column(&self, i: usize) -> Result<ColumnView<'a>> {
        self.columns.get(i).copied().ok_or_else(|| Error::index_out_of_bounds(Counted::Columns, i, self.columns.len()))
    }

    /// Returns the number of rows.
    pub fn num_rows(&self) -> usize {
        self.num_rows
    }

    /// Returns the number of columns.
    pub fn num_columns(&self) -> usize {
        self.columns.len()
    }

    /// Returns the device of the columns, or `None` if there are no columns.
    pub fn device(&self) -> Option<Device> {
        self.columns.first().map(|column| column.device())
    }

    /// Returns whether any column has a validity mask.
    pub fn has_validity(&self) -> bool {
        self.columns.iter().any(|column| column.has_validity())
    }

    /// Returns the columns at the positions `columns`. The positions may be in any order, and may repeat.
    ///
    /// # Errors
    /// - [`Error::OutOfBounds`]: the view has no column at one of the positions.
    pub fn select(&self, columns: &[usize]) -> Result<TableView<'a>> {
        let columns = columns.iter().map(|i| self.column(*i)).collect::<Result<_>>()?;
        Ok(TableView { columns, num_rows: self.num_rows })
    }

    /// Returns the `len` rows from `offset` on.
    ///
    /// # Errors
    /// - [`Error::OutOfBounds`]: the view does not have these rows.
    pub fn slice(&self, offset: usize, len: usize) -> Result<TableView<'a>> {
        check_range(offset, len, self.num_rows).map_err(|error| error.in_operation("slice"))?;
        let columns = self.columns.iter().map(|column| column.slice(offset, len)).collect::<Result<_>>()?;
        Ok(TableView { columns, num_rows: len })
    }

    /// Returns these rows as a table that shares the buffers.
    pub fn to_table(&self) -> Table {
        let columns = self.columns.iter().map(|column| column.to_column()).collect();
        Table { columns, num_rows: self.num_rows }
    }
}

impl<'a> From<&'a Table> for TableView<'a> {
    fn from(table: &'a Table) -> Self {
        TableView { columns: table.columns.iter().map(Column::view).collect(), num_rows: table.num_rows }
    }
}

impl<'a> From<ColumnView<'a>> for TableView<'a> {
    fn from(column: ColumnView<'a>) -> Self {
        TableView { columns: OneOrMany::One([column]), num_rows: column.len() }
    }
}

fn check_columns<'a>(columns: impl Iterator<Item = ColumnView<'a>>, num_rows: usize) -> Result<()> {
    let mut device = None;
    for (i, column) in columns.enumerate() {
        if column.len() != num_rows {
            return Err(Error::length_mismatch(num_rows, column.len()).at(Position::Column(i)));
        }
        let expected = *device.get_or_insert(column.device());
        if column.device() != expected {
            return Err(Error::device_mismatch(expected, column.device()).at(Position::Column(i)));
        }
    }
    Ok(())
}

#[cfg(all(test, feature = "arrow-rs"))]
#[path = "table_tests.rs"]
mod tests;
