//! Parquet files to gdf tables on a device.

use std::path::Path;

use arrow_array::RecordBatch;
use gdf::io::{Batch, ParquetReader};
use gdf::scope::current_stream;
use gdf::{Column, Device, Table};

use crate::generate::TpchTable;
use crate::queries::Kind;

/// Tables on one device.
#[derive(Debug)]
pub(crate) struct Database {
    device: Device,
    tables: Vec<(TpchTable, Batch)>,
}

impl Database {
    /// A database without tables.
    pub(crate) fn new(device: Device) -> Database {
        Database { device, tables: Vec::new() }
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
            .on(self.device)
            .read()?;
        current_stream(self.device)?.synchronize()?;
        let rows = batch.num_rows();
        self.tables.push((name, batch));
        Ok(rows)
    }

    /// A loaded table.
    ///
    /// # Errors
    /// - the table was not loaded.
    pub(crate) fn table(&self, table: TpchTable) -> gdf::Result<&Batch> {
        let found = self.tables.iter().find(|(loaded, _)| *loaded == table);
        found
            .map(|(_, batch)| batch)
            .ok_or(gdf::Error::invalid_argument("a query asks for a table that it did not name"))
    }
}

/// Brings result columns to the host under their names; waits for them.
///
/// # Errors
/// - the columns' lengths differ, or an earlier operation failed on the device.
pub(crate) fn collect(names: &[&str], columns: Vec<Column>) -> gdf::Result<RecordBatch> {
    Table::try_new(columns)?.to_batch(names)
}
