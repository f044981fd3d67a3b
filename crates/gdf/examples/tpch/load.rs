//! Parquet files to gdf tables on a device.

use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema};
use gdf::io::{Batch, ParquetReader};
use gdf::memory::{Resource, current_resource};
use gdf::scope::current_stream;
use gdf::types::NativeValue;
use gdf::{Column, Device, Scalar, Stream, Table};

use crate::generate::TpchTable;
use crate::queries::Kind;

/// Tables on one device, with the stream that their queries run on.
#[derive(Debug)]
pub(crate) struct Database {
    stream: Stream,
    resource: Resource,
    tables: Vec<(TpchTable, Batch)>,
}

impl Database {
    /// A database without tables.
    ///
    /// # Errors
    /// - the device cannot be opened.
    pub(crate) fn open(device: Device) -> gdf::Result<Database> {
        Ok(Database { stream: current_stream(device)?, resource: current_resource(device)?, tables: Vec::new() })
    }

    /// Loads the named columns of a table from `<folder>/<table>.parquet`; returns its rows.
    ///
    /// # Errors
    /// - the file is missing, damaged, or has other columns or types;
    /// - the device has no room.
    pub(crate) fn load(
        &mut self,
        folder: &Path,
        name: TpchTable,
        columns: &[(&'static str, Kind)],
    ) -> gdf::io::Result<usize> {
        // By the types of the queries: a note of the writer's Arrow types would make them depend on the writer.
        let batch = ParquetReader::open(folder.join(name.file_name()))?
            .types(columns.iter().map(|(column, kind)| (*column, kind.data_type())))?
            .columns(columns.iter().map(|(column, _)| *column))
            .on(self.stream.device())
            .read()?;
        self.stream.synchronize()?;
        let rows = batch.num_rows();
        self.tables.push((name, batch));
        Ok(rows)
    }

    /// A loaded column.
    ///
    /// # Errors
    /// - the column was not loaded.
    pub(crate) fn column(&self, table: TpchTable, name: &str) -> gdf::Result<&Column> {
        match self.tables.iter().find(|(loaded, _)| *loaded == table) {
            Some((_, batch)) => batch.column(name),
            None => Err(gdf::Error::invalid_argument("a query asks for a table that it did not name")),
        }
    }

    /// A value on this database's device.
    ///
    /// # Errors
    /// - the device has no room.
    pub(crate) fn scalar<T: NativeValue>(&self, value: T, data_type: &DataType) -> gdf::Result<Scalar> {
        Scalar::typed_on(Some(value), data_type, &self.stream, self.resource.as_ref())
    }

    /// A text on this database's device.
    ///
    /// # Errors
    /// - the device has no room.
    pub(crate) fn text(&self, value: &str) -> gdf::Result<Scalar> {
        Scalar::new_on(Some(value), &self.stream, self.resource.as_ref())
    }

    /// Brings result columns to the host under their names; waits for them.
    ///
    /// # Errors
    /// - the columns' lengths differ, or an earlier operation failed on the device.
    pub(crate) fn collect(&self, names: &[&str], columns: Vec<Column>) -> gdf::Result<RecordBatch> {
        let fields: Vec<Field> = names
            .iter()
            .zip(&columns)
            .map(|(name, column)| Field::new(*name, column.data_type().clone(), true))
            .collect();
        Table::try_new(columns)?.to_arrow(&Arc::new(Schema::new(fields)), &self.stream)
    }
}
