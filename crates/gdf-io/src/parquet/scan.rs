//! Reads Parquet files batch by batch.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use gdf_api::scope::current_device;
use gdf_driver::Device;
use rayon::prelude::*;

use super::group::GroupReader;
use super::plan::{Origin, Plan, Unit};
use super::refusal::{Refusal, report};
use crate::merge::widened;
use crate::options::Options;
use crate::target::Target;
use crate::{Batch, Result};

/// If batches have fewer rows, the CPU decodes them. They are small because there is little memory, and a GPU needs memory
/// for whole pages, of which a batch may have a small part.
const FEWEST_ROWS: usize = 1 << 17;

/// An iterator over batches in the order of the rows. [`ParquetReader::scan`](crate::ParquetReader::scan) makes the
/// iterator.
///
/// The iterator ends after an error.
pub struct ParquetScan {
    plan: Arc<Plan>,
    device: Option<Device>,
    batch_rows: usize,
    /// The rows of the batches that a GPU decodes. They are divided when the first batch is read.
    on_device: Option<VecDeque<Vec<Unit>>>,
    next: usize,
    current: Option<Current>,
}

struct Current {
    unit: Unit,
    /// The readers of the stored columns.
    readers: Vec<GroupReader>,
    done: usize,
}

impl ParquetScan {
    pub(super) fn new(plan: Plan, options: &Options) -> Result<ParquetScan> {
        let (device, batch_rows) = (options.device, options.batch_rows);
        Ok(ParquetScan { plan: Arc::new(plan), device, batch_rows, on_device: None, next: 0, current: None })
    }

    /// Returns the names and types of the batches' columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.plan.schema
    }

    fn advance(&mut self) -> Result<Option<Batch>> {
        let is_cpu = self.device.unwrap_or_else(current_device).is_cpu();
        if self.on_device.is_none() && self.next == 0 && !is_cpu && self.batch_rows >= FEWEST_ROWS {
            self.on_device = Some(self.plan.divided_units(self.batch_rows).into());
        }
        if self.on_device.is_some() { self.advance_on_device() } else { self.advance_on_host() }
    }

    /// Returns the next batch that has rows. The GPU decodes its pages.
    fn advance_on_device(&mut self) -> Result<Option<Batch>> {
        while let Some(units) = self.on_device.as_mut().and_then(VecDeque::pop_front) {
            let read = |target: Target<'_>| match self.plan.read_selected(&units, target) {
                Err(error) if error.is_out_of_memory() => self.plan.read_on_cpu(&units, target),
                read => read,
            };
            let batch = Target::run("scan_parquet", self.device, read)?;
            if batch.num_rows() > 0 {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    fn advance_on_host(&mut self) -> Result<Option<Batch>> {
        loop {
            if let Some(current) = &mut self.current {
                if current.done < current.unit.rows {
                    let batch = current.decode(&self.plan, self.batch_rows)?;
                    let land = |target: Target<'_>| {
                        if !target.is_cpu() {
                            let columns = self.plan.columns.iter();
                            report(columns.map(|column| (column, Refusal::Batches)), target.stream.device());
                        }
                        Batch::land_one(&batch, target)
                    };
                    return Target::run("scan_parquet", self.device, land).map(Some);
                }
                self.current = None;
            }
            let Some(unit) = self.plan.units.get(self.next) else { return Ok(None) };
            self.next += 1;
            let unit = self.plan.filtered(unit)?;
            if unit.rows > 0 {
                self.current = Some(Current::open(&self.plan, unit, self.batch_rows)?);
            }
        }
    }
}

impl Iterator for ParquetScan {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.advance();
        if batch.is_err() {
            (self.current, self.next) = (None, usize::MAX);
            self.on_device.iter_mut().for_each(VecDeque::clear);
        }
        batch.transpose()
    }
}

impl Current {
    fn open(plan: &Plan, unit: Unit, batch_rows: usize) -> Result<Current> {
        let mut readers = Vec::new();
        for column in &plan.columns {
            if let Origin::Stored { leaves } = &column.origin {
                let file = &plan.files[unit.file];
                readers.push(file.reader(unit.group, &leaves[unit.file], unit.selection.clone(), batch_rows)?);
            }
        }
        Ok(Current { unit, readers, done: 0 })
    }

    fn decode(&mut self, plan: &Plan, batch_rows: usize) -> Result<RecordBatch> {
        let rows = batch_rows.min(self.unit.rows - self.done);
        let decode = |reader: &mut GroupReader| {
            let array = reader.next()?.and_then(|mut arrays| arrays.pop());
            let found = array.as_ref().map_or(0, |array| array.len());
            array.filter(|_| found == rows).ok_or_else(|| reader.wrong_rows(rows, found))
        };
        gdf_core::prepare_threads();
        let stored: Vec<ArrayRef> = self.readers.par_iter_mut().map(decode).collect::<Result<_>>()?;
        self.done += rows;
        let mut stored = stored.into_iter();
        let arrays = plan.columns.iter().map(|column| match &column.origin {
            Origin::Partition(_) => column.repeat(self.unit.file, rows),
            Origin::Stored { .. } => match stored.next() {
                Some(array) => widened(array, column.field.data_type()),
                None => column.repeat(self.unit.file, rows),
            },
        });
        let arrays = arrays.collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows)).with_match_field_names(false);
        let batch = RecordBatch::try_new_with_options(plan.schema.clone(), arrays, &options);
        Ok(batch.map_err(gdf_core::Error::from)?)
    }
}

impl std::fmt::Debug for ParquetScan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (next, of) = (self.next, self.plan.units.len());
        f.debug_struct("ParquetScan").field("row_group", &next).field("row_groups", &of).finish_non_exhaustive()
    }
}
