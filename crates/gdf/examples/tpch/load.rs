//! gdf tables on a device, of Parquet files or made in memory.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema};
use gdf::concatenate::concatenate;
use gdf::io::{Batch, ParquetReader};
use gdf::scope::current_stream;
use gdf::{Column, DataType, Device, Table, TableView};
use rayon::prelude::*;

use crate::generate::{self, TpchTable};
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

    /// Makes the named columns of a table in memory of the CPU and brings them to the device; returns its rows.
    ///
    /// # Errors
    /// - the generator has other columns;
    /// - the device has no room.
    pub(crate) fn make(&mut self, name: TpchTable, columns: &BTreeSet<&'static str>) -> anyhow::Result<usize> {
        let columns: Vec<(&str, DataType)> = columns.iter().map(|column| (*column, type_of(column))).collect();
        let together =
            |tables: Vec<Table>| concatenate(&tables.iter().map(Table::view).collect::<Vec<TableView<'_>>>());
        let part =
            |batches: Vec<RecordBatch>| together(batches.iter().map(Table::from_batch).collect::<Result<_, _>>()?);
        let parts = generate::in_memory(name, self.scale, &columns)?;
        let table = together(parts.into_par_iter().map(part).collect::<gdf::Result<_>>()?)?.to_device(self.device)?;
        current_stream(self.device)?.synchronize()?;
        let fields = columns.into_iter().map(|(column, data_type)| Field::new(column, data_type, false));
        let batch = Batch::try_new(Arc::new(Schema::new(fields.collect::<Vec<_>>())), table)?;
        let rows = batch.num_rows();
        self.tables.push((name, batch));
        Ok(rows)
    }

    /// The same tables on another device.
    ///
    /// # Errors
    /// - the device does not open, or has no room.
    pub(crate) fn to_device(&self, device: Device) -> anyhow::Result<Database> {
        let copy = |(name, batch): &(TpchTable, Batch)| {
            Ok((*name, Batch::try_new(batch.schema().clone(), batch.table().to_device(device)?)?))
        };
        let tables = self.tables.iter().map(copy).collect::<gdf::Result<_>>()?;
        current_stream(device)?.synchronize()?;
        Ok(Database { device, scale: self.scale, tables })
    }

    /// The device of the tables.
    pub(crate) fn device(&self) -> Device {
        self.device
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
