//! Parquet files to gdf tables on a device.

use std::collections::BTreeSet;
use std::path::Path;

use arrow_array::RecordBatch;
use gdf::io::{Batch, ParquetReader};
use gdf::scope::current_stream;
use gdf::{Column, Device, Table};

use crate::generate::TpchTable;
use crate::queries::{frame::Frame, table_of, type_of};

/// Tables on one device.
#[derive(Debug)]
pub(crate) struct Database {
    device: Device,
    scale: f64,
    tables: Vec<(TpchTable, Batch)>,
}

impl Database {
    /// A database without tables, of the scale that they have.
    pub(crate) fn new(device: Device, scale: f64) -> Database {
        Database { device, scale, tables: Vec::new() }
    }

    /// The scale of the tables.
    pub(crate) fn scale(&self) -> f64 {
        self.scale
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
        columns: &BTreeSet<&'static str>,
    ) -> gdf::io::Result<usize> {
        // By the types of the queries: a note of the writer's Arrow types would make them depend on the writer.
        let batch = ParquetReader::open(folder.join(name.file_name()))?
            .types(columns.iter().map(|column| (*column, type_of(column))))?
            .columns(columns.iter().copied())
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

    /// Some columns of one table.
    ///
    /// # Errors
    /// - a column was not loaded.
    pub(crate) fn read(&self, columns: &[&'static str]) -> gdf::Result<Frame> {
        let table = columns.first().map_or(TpchTable::Lineitem, |column| table_of(column));
        Ok(Frame::new(columns, self.table(table)?.select(columns)?.table().clone()))
    }
}

/// Brings result columns to the host under their names; waits for them.
///
/// # Errors
/// - the columns' lengths differ, or an earlier operation failed on the device.
pub(crate) fn collect(names: &[&str], columns: Vec<Column>) -> gdf::Result<RecordBatch> {
    Table::try_new(columns)?.to_batch(names)
}
