//! Parquet files to gdf tables on a device.

use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema};
use gdf::concatenate::concatenate;
use gdf::memory::{Resource, current_resource};
use gdf::scope::current_stream;
use gdf::types::NativeValue;
use gdf::{Column, Device, Scalar, Stream, Table};

use crate::generate::TpchTable;
use crate::queries::Kind;
use crate::read::{self, ReadError};

/// Why a table could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum LoadError {
    /// The file cannot be read as the table.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The device refused the table.
    #[error("loading {table} onto {device}")]
    Device {
        /// The table.
        table: TpchTable,
        /// Where to.
        device: Device,
        /// What it said.
        source: gdf::Error,
    },
}

/// Tables on one device, with the stream that their queries run on.
#[derive(Debug)]
pub(crate) struct Database {
    stream: Stream,
    resource: Resource,
    tables: Vec<Loaded>,
}

#[derive(Debug)]
struct Loaded {
    name: TpchTable,
    columns: Vec<&'static str>,
    table: Table,
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
    ) -> Result<usize, LoadError> {
        let batches = read::batches(&folder.join(name.file_name()), columns)?;
        let table = self.import(&batches).map_err(|source| LoadError::Device {
            table: name,
            device: self.stream.device(),
            source,
        })?;
        let rows = table.num_rows();
        self.tables.push(Loaded { name, columns: columns.iter().map(|(column, _)| *column).collect(), table });
        Ok(rows)
    }

    fn import(&self, batches: &[RecordBatch]) -> gdf::Result<Table> {
        let parts: Vec<Table> = batches
            .iter()
            .map(|batch| Table::from_arrow(batch, &self.stream, self.resource.as_ref()))
            .collect::<gdf::Result<_>>()?;
        let table = match <[Table; 1]>::try_from(parts) {
            Ok([only]) => only,
            Err(parts) => concatenate(&parts.iter().map(Table::view).collect::<Vec<_>>())?,
        };
        self.stream.synchronize()?;
        Ok(table)
    }

    /// A loaded column.
    ///
    /// # Errors
    /// - the column was not loaded.
    pub(crate) fn column(&self, table: TpchTable, name: &str) -> gdf::Result<&Column> {
        let loaded = self.tables.iter().find(|loaded| loaded.name == table);
        let found = loaded.and_then(|loaded| Some((loaded, loaded.columns.iter().position(|column| *column == name)?)));
        match found {
            Some((loaded, index)) => loaded.table.column(index),
            None => Err(gdf::Error::invalid_argument("a query asks for a column that it did not name")),
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
