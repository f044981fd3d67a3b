//! Loads tables to a device. The tables are read from Parquet files or generated in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

use arrow_schema::Field;
use gdf::frame::LazyFrame;
use gdf::io::ParquetReader;
use gdf::memory::SpillManager;
use gdf::scope::{current_stream, with_device, with_resource};
use gdf::{DataType, Device, Frame};

use crate::gather::Gathered;
use crate::generate::TpchTable;
use crate::parts::Parts;
use crate::schema::type_of;

/// The number of rows of a batch of a table, if memory is limited.
const BATCH_ROWS: usize = 100_000;

#[derive(Debug)]
pub(crate) struct Database {
    device: Device,
    scale: f64,
    /// A column with more bytes of text than this gets 64-bit offsets.
    text_limit: usize,
    /// The batches of each table: one with all rows, unless memory is limited.
    tables: Vec<(TpchTable, Vec<Frame>)>,
    /// The manager of the batches, if memory is limited.
    manager: Option<SpillManager>,
}

impl Database {
    /// Creates a database without tables. `scale` is the scale of the tables that will be loaded.
    pub(crate) fn new(device: Device, scale: f64, text_limit: usize) -> Database {
        Database { device, scale, text_limit, tables: Vec::new(), manager: None }
    }

    /// Creates a database whose tables are batches. The manager may spill the batches.
    pub(crate) fn spillable(device: Device, scale: f64, text_limit: usize, manager: SpillManager) -> Database {
        Database { manager: Some(manager), ..Database::new(device, scale, text_limit) }
    }

    pub(crate) fn manager(&self) -> Option<&SpillManager> {
        self.manager.as_ref()
    }

    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// Loads the named columns of a table from `<folder>/<table>.parquet`, and returns the number of rows.
    pub(crate) fn load(
        &mut self,
        folder: &Path,
        name: TpchTable,
        columns: &BTreeSet<&'static str>,
    ) -> gdf::io::Result<usize> {
        // The columns get the types that the queries use, whatever Arrow types the file states. Text columns keep their
        // type, so that the reader can choose 64-bit offsets.
        let reader = ParquetReader::open(folder.join(name.file_name()))?;
        let schema = reader.schema();
        let is_plain_text = |column: &str| {
            let found = schema.field_with_name(column).map(Field::data_type);
            type_of(column) == DataType::Utf8 && matches!(found, Ok(DataType::Utf8 | DataType::LargeUtf8))
        };
        let typed = columns.iter().filter(|column| !is_plain_text(column));
        let reader = reader
            .types(typed.map(|column| (*column, type_of(column))))?
            .columns(columns.iter().copied())
            .text_limit(self.text_limit)
            .on(self.device);
        let batches = match &self.manager {
            None => vec![Frame::try_from(reader.read()?)?],
            Some(manager) => with_resource(&manager.resource(), || {
                let batches = reader.batch_rows(BATCH_ROWS).scan()?;
                batches.map(|batch| Ok(Frame::try_from(batch?)?.spillable(manager))).collect::<gdf::io::Result<_>>()
            })?,
        };
        current_stream(self.device)?.synchronize()?;
        Ok(self.add(name, batches))
    }

    /// Adds a table, and returns the number of its rows.
    fn add(&mut self, name: TpchTable, batches: Vec<Frame>) -> usize {
        let rows = batches.iter().map(Frame::num_rows).sum();
        self.tables.push((name, batches));
        rows
    }

    /// Generates the named columns of a table in parts of `part_rows` rows, and copies each part to the device as soon
    /// as it is generated. Returns the number of rows of the table.
    pub(crate) fn make(
        &mut self,
        name: TpchTable,
        columns: &BTreeSet<&'static str>,
        part_rows: Option<u64>,
    ) -> anyhow::Result<usize> {
        let started = Instant::now();
        let columns: Vec<(&str, DataType)> = columns.iter().map(|column| (*column, type_of(column))).collect();
        if let Some(manager) = &self.manager {
            let parts = Parts::new(name, self.scale, &columns, Some(part_rows.unwrap_or(BATCH_ROWS as u64)));
            let mut batches = vec![None; parts.count()];
            with_resource(&manager.resource(), || {
                with_device(self.device, || {
                    parts.for_each(|place, batch| {
                        // On the CPU, the table shares the memory of the batch, which cannot be spilled.
                        let shared = gdf::Table::from_batch(&batch)?;
                        let own = shared.deep_copy(&current_stream(self.device)?, &manager.resource())?;
                        batches[place] = Some(Frame::from_table(batch.schema(), own)?.spillable(manager));
                        Ok(())
                    })
                })
            })?;
            return Ok(self.add(name, batches.into_iter().flatten().collect()));
        }
        let parts = Parts::new(name, self.scale, &columns, part_rows);
        let mut gathered = Gathered::new(self.device, parts.schema(), parts.count())?;
        parts.for_each(|place, batch| Ok(gathered.put(place, &batch)?))?;
        let made = started.elapsed().as_secs_f64();
        let frame = gathered.finish(self.text_limit)?;
        let (rows, joined) = (frame.num_rows(), started.elapsed().as_secs_f64() - made);
        eprintln!("made {name}: {rows} rows, {} parts in {made:.1} s, joined in {joined:.1} s", parts.count());
        Ok(self.add(name, vec![frame]))
    }

    /// Returns columns of tables, on the CPU and without a limit of memory. Columns on the CPU share their memory, and
    /// others are copied.
    pub(crate) fn on_cpu(&self, columns: BTreeMap<TpchTable, BTreeSet<&'static str>>) -> gdf::Result<Database> {
        let copy = |(name, columns): (TpchTable, BTreeSet<&'static str>)| {
            let batches = self.batches(name)?.iter();
            let copies = batches.map(|batch| batch.select(columns.iter().copied())?.to_device(Device::Cpu));
            Ok((name, copies.collect::<gdf::Result<_>>()?))
        };
        let tables = columns.into_iter().map(copy).collect::<gdf::Result<_>>()?;
        current_stream(Device::Cpu)?.synchronize()?;
        Ok(Database { tables, ..Database::new(Device::Cpu, self.scale, self.text_limit) })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.tables.iter().flat_map(|(_, batches)| batches).map(|batch| batch.table().alloc_size()).sum()
    }

    pub(crate) fn device(&self) -> Device {
        self.device
    }

    fn batches(&self, table: TpchTable) -> gdf::Result<&[Frame]> {
        let found = self.tables.iter().find(|(loaded, _)| *loaded == table);
        found
            .map(|(_, batches)| &**batches)
            .ok_or(gdf::Error::invalid_argument("a query reads a table that is missing in the `reads` of the query"))
    }

    /// Returns all loaded columns of a table, as a frame.
    pub(crate) fn frame(&self, table: TpchTable) -> gdf::Result<LazyFrame> {
        match (&self.manager, self.batches(table)?) {
            (None, [whole]) => Ok(whole.lazy()),
            (_, batches) => LazyFrame::from_batches(batches.iter().cloned()),
        }
    }
}
