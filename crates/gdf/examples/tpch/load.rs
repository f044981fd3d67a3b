//! gdf tables on a device, of Parquet files or made in memory.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema};
use gdf::io::{Batch, ParquetReader};
use gdf::scope::{current_stream, with_device};
use gdf::{Column, DataType, Device, Table};

use crate::generate::{self, TpchTable};
use crate::queries::{frame::Frame, table_of, type_of};

/// Tables on one device.
#[derive(Debug)]
pub(crate) struct Database {
    device: Device,
    scale: f64,
    /// Bytes of text from which on a column has 64-bit offsets.
    text_limit: usize,
    tables: Vec<(TpchTable, Batch)>,
}

impl Database {
    /// A database without tables, of the scale that they have.
    pub(crate) fn new(device: Device, scale: f64, text_limit: usize) -> Database {
        Database { device, scale, text_limit, tables: Vec::new() }
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
        // Text keeps its type, so that the reader may choose 64-bit offsets for what needs them.
        let reader = ParquetReader::open(folder.join(name.file_name()))?;
        let schema = reader.schema();
        let is_plain_text = |column: &str| {
            let found = schema.field_with_name(column).map(Field::data_type);
            type_of(column) == DataType::Utf8 && matches!(found, Ok(DataType::Utf8 | DataType::LargeUtf8))
        };
        let typed = columns.iter().filter(|column| !is_plain_text(column));
        let batch = reader
            .types(typed.map(|column| (*column, type_of(column))))?
            .columns(columns.iter().copied())
            .text_limit(self.text_limit)
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
        let parts = generate::in_memory(name, self.scale, &columns)?;
        let fields = columns.into_iter().map(|(column, data_type)| Field::new(column, data_type, false));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let batches = parts.into_iter().flatten().collect();
        let made = with_device(Device::Cpu, || Batch::from_batches_within(&schema, batches, self.text_limit))?;
        let (schema, table) = made.into_parts();
        let batch = Batch::try_new(schema, table.to_device(self.device)?)?;
        current_stream(self.device)?.synchronize()?;
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
        Ok(Database { device, scale: self.scale, text_limit: self.text_limit, tables })
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
