//! Decodes row groups and columns in parallel into memory of gdf.
//!
//! The unit of work is one column of one row group.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::atomic::Ordering;

use arrow_array::{ArrayRef, BooleanArray};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use gdf_core::{Abilities, Column, Table, map_indices, map_items};
use gdf_driver::Device;

use super::decode::decode;
use super::device::Finish;
use super::place::{Destination, Place, Scratch};
use super::plan::{Origin, Plan, PlanColumn, Unit, rows_of};
use super::refusal::{Refusal, report};
use super::slot::Nulls;
use crate::merge::widened;
use crate::target::{Target, can_concatenate};
use crate::{Batch, Error, Result, keys, large};

/// If the decoded arrays are kept, this number of rows is decoded at a time.
const KEPT_ROWS: usize = 1 << 20;

/// The number of rows that a thread decodes at a time, if some of them are dropped afterwards.
const MASKED_ROWS: usize = 1 << 17;
/// The number of rows that a GPU decodes at a time, if some of them are dropped afterwards.
const MASKED_ROWS_OF_GPU: usize = 1 << 25;
/// If the runs of selected and skipped rows have fewer rows than this on average, all rows are decoded.
const FEWEST_ROWS_OF_RUN: usize = 64;

/// The result of decoding a column of a row group.
enum Part {
    /// The values are in their final memory.
    Placed(Nulls),
    /// The values could not be written to their final memory, because their size differs from the size that the file
    /// states.
    Refused,
    Arrays(Vec<ArrayRef>),
}

impl Plan {
    /// Reads all selected rows.
    ///
    /// # Errors
    /// - A file is damaged, or an allocation failed.
    pub(crate) fn read(&self, target: Target<'_>) -> Result<Batch> {
        // The rows that do not pass are dropped piece by piece, and never take memory together.
        let read = |units: Range<usize>| self.read_units(&self.units[units], target);
        let tables = match (self.is_masked_on(target), target.is_cpu()) {
            (false, _) => return self.batch(self.read_units(&self.units, target)?),
            (true, true) => map_items(self.pieces(MASKED_ROWS), &read).into_iter().collect::<Result<_>>()?,
            (true, false) => {
                let pieces = self.pieces(MASKED_ROWS_OF_GPU);
                let parts: Vec<&[Unit]> = pieces.iter().map(|units| &self.units[units.clone()]).collect();
                match self.filtered_on_device(&parts, target)? {
                    Some(tables) => tables,
                    None => pieces.into_iter().map(read).collect::<Result<_>>()?,
                }
            }
        };
        self.batch(target.joined(tables)?)
    }

    /// Reads the selected rows of some units.
    ///
    /// # Errors
    /// - The errors of [`Plan::read`].
    pub(crate) fn read_piece(&self, units: Range<usize>, target: Target<'_>) -> Result<Batch> {
        self.read_selected(&self.units[units], target)
    }

    /// Reads the selected rows of units, which are units of the plan or parts of them.
    ///
    /// # Errors
    /// - The errors of [`Plan::read`].
    pub(super) fn read_selected(&self, units: &[Unit], target: Target<'_>) -> Result<Batch> {
        self.batch(self.read_units(units, target)?)
    }

    fn batch(&self, table: Table) -> Result<Batch> {
        let schema = keys::schema_of(&self.schema, table.columns());
        Ok(Batch::try_new(schema, table)?)
    }

    fn read_units(&self, units: &[Unit], target: Target<'_>) -> Result<Table> {
        if !target.is_cpu()
            && let Some(table) = self.filtered_on_device(&[units], target)?.and_then(|mut tables| tables.pop())
        {
            return Ok(table);
        }
        self.read_filtered(units, target, !target.is_cpu())
    }

    /// Reads the selected rows of units without a GPU, whatever the device of the target is.
    ///
    /// # Errors
    /// - The errors of [`Plan::read`].
    pub(super) fn read_on_cpu(&self, units: &[Unit], target: Target<'_>) -> Result<Batch> {
        report(self.columns.iter().map(|column| (column, Refusal::Memory)), target.stream.device());
        self.batch(self.read_filtered(units, target, false)?)
    }

    /// Reads the selected rows of units that satisfy the predicate, which the CPU tests. A GPU may decode the columns.
    fn read_filtered(&self, units: &[Unit], target: Target<'_>, may_use_gpu: bool) -> Result<Table> {
        let units = map_indices(units.len(), &|unit| self.filtered(&units[unit]));
        let mut units: Vec<Unit> = units.into_iter().collect::<Result<_>>()?;
        units.retain(|unit| unit.rows > 0);
        let is_masked = self.is_masked_on(target);
        let masks = units.iter().map(|unit| if is_masked { self.mask(unit, target) } else { None });
        let masks: Vec<Option<BooleanBuffer>> = masks.collect();
        let decoded = |(unit, mask): (Unit, &Option<BooleanBuffer>)| match mask {
            Some(mask) => Unit { selection: None, rows: mask.len(), ..unit },
            None => unit,
        };
        let units: Vec<Unit> = units.into_iter().zip(&masks).map(decoded).collect();
        let rows = rows_of(&units)?;
        let columns: Vec<&PlanColumn> = self.columns.iter().collect();
        let columns = match may_use_gpu {
            true => self.read_columns(&columns, &units, rows, target)?,
            false => self.read_on_host(&columns, &units, rows, target)?,
        };
        let table = Table::try_with_rows(columns, rows)?;
        if masks.iter().all(Option::is_none) {
            return Ok(table);
        }
        let mut bits = BooleanBufferBuilder::new(rows);
        for (unit, mask) in units.iter().zip(&masks) {
            match mask {
                Some(mask) => bits.append_buffer(mask),
                None => bits.append_n(unit.rows, true),
            }
        }
        Ok(target.masked(table, &BooleanArray::new(bits.finish(), None))?)
    }

    /// Decodes all rows of a row group of a column on the CPU.
    ///
    /// # Errors
    /// - The errors of [`Plan::read`].
    pub(crate) fn decoded(&self, column: &PlanColumn, unit: &Unit) -> Result<ArrayRef> {
        let unit = Unit { selection: None, ..unit.clone() };
        let decoded = Target::run("read_parquet", Some(Device::Cpu), |target| {
            self.read_columns(&[column], std::slice::from_ref(&unit), unit.rows, target)
        })?;
        let decoded = decoded.first().ok_or_else(|| gdf_core::Error::internal("a read has no column"))?;
        Ok(decoded.to_array()?)
    }

    /// Returns whether rows that do not pass the predicate may be decoded, and dropped afterwards. If a row group has too
    /// many elements for the offsets of its lists, those that pass may have few enough.
    pub(super) fn is_masked(&self) -> bool {
        let can_concatenate = |column: &PlanColumn| can_concatenate(column.field.data_type());
        self.has_filter() && self.columns.iter().all(can_concatenate) && self.has_representable_lists()
    }

    /// Does the same as [`is_masked`](Self::is_masked) for a target. The CPU skips lists more quickly than it decodes and
    /// drops them: one row in 100 of two million took 95 ms instead of 155 ms (2026-12-01, two cores), and half of them as
    /// long.
    fn is_masked_on(&self, target: Target<'_>) -> bool {
        let has_lists = |column: &PlanColumn| Abilities::of(column.field.data_type()).lists;
        self.is_masked() && !(target.is_cpu() && self.columns.iter().any(has_lists))
    }

    /// Returns the selected rows of a row group as bits, if the decoder would have to skip rows too often. To decode
    /// all rows and to drop some is then quicker. For a GPU, at least half of the rows must pass, because all are
    /// copied.
    fn mask(&self, unit: &Unit, target: Target<'_>) -> Option<BooleanBuffer> {
        let selection = unit.selection.as_ref()?;
        let total = self.files[unit.file].group_rows(unit.group);
        if !target.is_cpu() && unit.rows < total / 2 {
            return None;
        }
        if selection.iter().count().saturating_mul(FEWEST_ROWS_OF_RUN) < total {
            return None;
        }
        let mut bits = BooleanBufferBuilder::new(total);
        selection.iter().for_each(|run| bits.append_n(run.row_count, !run.skip));
        bits.append_n(total.saturating_sub(bits.len()), false);
        Some(bits.finish())
    }

    pub(super) fn read_columns(
        &self,
        columns: &[&PlanColumn],
        units: &[Unit],
        rows: usize,
        target: Target<'_>,
    ) -> Result<Vec<Column>> {
        if target.is_cpu() || units.is_empty() {
            return self.read_on_host(columns, units, rows, target);
        }
        let mut all = Vec::new();
        self.read_parts(columns, &[units], target, &mut |_, found| {
            all = found;
            Ok(())
        })?;
        Ok(all)
    }

    /// Decodes columns on a GPU, part by part, and the columns that it does not decode on the CPU. `finish` gets the
    /// columns of each part.
    pub(super) fn read_parts(
        &self,
        columns: &[&PlanColumn],
        parts: &[&[Unit]],
        target: Target<'_>,
        finish: &mut Finish<'_, Column>,
    ) -> Result<()> {
        self.read_on_device(columns, parts, target, &mut |units, on_device| {
            let refused =
                columns.iter().zip(&on_device).filter_map(|(column, found)| Some((*column, *found.as_ref().err()?)));
            let refused: Vec<(&PlanColumn, Refusal)> = refused.collect();
            report(refused.iter().copied(), target.stream.device());
            let others: Vec<&PlanColumn> = refused.into_iter().map(|(column, _)| column).collect();
            let mut others = self.read_on_host(&others, units, rows_of(units)?, target)?.into_iter();
            let columns = on_device.into_iter().map(|found| found.ok().or_else(|| others.next()));
            let missing = || gdf_core::Error::internal("a read has no column");
            finish(units, columns.map(|column| Ok(column.ok_or_else(missing)?)).collect::<Result<_>>()?)
        })
    }

    /// Decodes columns on the CPU.
    pub(super) fn read_on_host(
        &self,
        columns: &[&PlanColumn],
        units: &[Unit],
        rows: usize,
        target: Target<'_>,
    ) -> Result<Vec<Column>> {
        let place = |column: &&PlanColumn| Place::find(column, &self.files, units, target);
        let mut places = columns.iter().map(place).collect::<Result<Vec<_>>>()?;
        let mut work = Vec::with_capacity(columns.len() * units.len());
        for (&column, place) in columns.iter().zip(&mut places) {
            let destinations = place.as_mut().map(|place| place.destinations(target)).transpose()?;
            let destinations = destinations.into_iter().flatten().map(Some).chain(std::iter::repeat_with(|| None));
            work.extend(units.iter().zip(destinations).map(|(unit, destination)| (column, unit, destination)));
        }
        let scratch = Scratch::new(target)?;
        let parent = tracing::Span::current();
        let run = |(column, unit, destination): (&PlanColumn, &Unit, _)| {
            let (name, row_group, rows) = (column.field.name(), unit.group, unit.rows);
            let span = tracing::debug_span!(target: "gdf", parent: &parent, "decode", column = name, row_group, rows);
            span.in_scope(|| self.part(column, unit, destination, scratch.as_ref()))
        };
        // The work that takes longest starts first.
        let mut work: Vec<_> = work.into_iter().enumerate().collect();
        work.sort_by_key(|(_, (column, unit, _))| Reverse(self.stored_bytes(column, unit)));
        let parts = map_items(work, &|(index, work)| Ok((index, run(work)?)));
        let mut parts = parts.into_iter().collect::<Result<Vec<(usize, Part)>>>()?;
        parts.sort_by_key(|(index, _)| *index);

        let mut parts = parts.into_iter().map(|(_, part)| part);
        let of_columns: Vec<_> = columns
            .iter()
            .zip(places)
            .map(|(&column, place)| (column, place, parts.by_ref().take(units.len()).collect::<Vec<_>>()))
            .collect();
        let finish = |(column, place, parts): (&PlanColumn, Option<Place>, Vec<Part>)| {
            let data_type = column.field.data_type();
            let Some(place) = place else { return together(column, parts, target) };
            let nulls: Option<Vec<&Nulls>> = parts.iter().map(Part::nulls).collect();
            if nulls.iter().flatten().any(|nulls| nulls.given_up()) {
                self.give_up(column);
            }
            match nulls.map(|nulls| place.finish(data_type, rows, &nulls, units, target)) {
                // Some values did not have the size that the file states, or the text is not valid UTF-8.
                None | Some(Err(Error::Gdf(gdf_core::Error::BrokenData { .. }))) => {
                    self.give_up(column);
                    let again = map_indices(units.len(), &|unit| self.part(column, &units[unit], None, None));
                    together(column, again.into_iter().collect::<Result<_>>()?, target)
                }
                Some(placed) => placed,
            }
        };
        map_items(of_columns, &finish).into_iter().collect()
    }

    /// Counts a column that gdf's own decoder has begun but could not finish.
    pub(super) fn give_up(&self, column: &PlanColumn) {
        tracing::debug!(target: "gdf", column = column.field.name(), "decoded again");
        self.given_up.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the uncompressed size of a column in a row group, in bytes.
    fn stored_bytes(&self, column: &PlanColumn, unit: &Unit) -> i64 {
        let Origin::Stored { leaves } = &column.origin else { return 0 };
        let group = self.files[unit.file].metadata.metadata().row_group(unit.group);
        leaves[unit.file].iter().map(|leaf| group.column(*leaf).uncompressed_size()).fold(0, i64::saturating_add)
    }

    fn part(
        &self,
        column: &PlanColumn,
        unit: &Unit,
        destination: Option<Destination<'_>>,
        scratch: Option<&Scratch<'_>>,
    ) -> Result<Part> {
        let file = &self.files[unit.file];
        let data_type = column.field.data_type();
        let Origin::Stored { leaves } = &column.origin else {
            return Ok(Part::Arrays(vec![column.repeat(unit.file, unit.rows)?]));
        };
        let leaves = &leaves[unit.file];
        if let Some(destination) = destination {
            let placed = destination.decode(file, unit, leaves, data_type, scratch)?;
            return Ok(placed.map_or(Part::Refused, Part::Placed));
        }
        let mut arrays = Vec::new();
        decode(file, unit, leaves, KEPT_ROWS, |array| {
            arrays.push(widened(array, data_type)?);
            Ok(())
        })?;
        Ok(Part::Arrays(arrays))
    }
}

impl Part {
    fn nulls(&self) -> Option<&Nulls> {
        if let Part::Placed(nulls) = self { Some(nulls) } else { None }
    }
}

fn together(column: &PlanColumn, parts: Vec<Part>, target: Target<'_>) -> Result<Column> {
    let arrays = parts.into_iter().flat_map(|part| if let Part::Arrays(arrays) = part { arrays } else { Vec::new() });
    let landed = target.land_all(column.field.data_type(), arrays.collect());
    landed.map_err(|error| large::named(column.field.name(), error))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use arrow_array::{
        ArrayRef, Date32Array, Float64Array, Int64Array, LargeStringArray, RecordBatch, StringArray,
        TimestampMicrosecondArray,
    };
    use parquet::arrow::ArrowWriter;
    use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};

    use super::*;
    use crate::options::Options;
    use crate::parquet::Source;
    use crate::parquet::file::ParquetFile;

    /// Returns a table in which the columns have nulls in different places: at the start of row groups of 100 rows, at
    /// their end, in other places, or nowhere.
    fn table() -> RecordBatch {
        let rows = || 0..350;
        let first = |row: &usize| row % 100 >= 7;
        let text = |row: usize| format!("{}{row}", "tüb".repeat(row % 9));
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("first", Arc::new(rows().map(|row| Some(text(row)).filter(|_| first(&row))).collect::<StringArray>())),
            ("last", Arc::new(rows().map(|row| Some(text(row)).filter(|_| row % 100 < 90)).collect::<StringArray>())),
            (
                "large",
                Arc::new(rows().map(|row| Some(text(row)).filter(|_| first(&row))).collect::<LargeStringArray>()),
            ),
            ("none", Arc::new(rows().map(|row| Some(text(row)).filter(|_| row < 100)).collect::<StringArray>())),
            ("few", Arc::new(rows().map(|row| Some(["x", "yy"][row % 2])).collect::<StringArray>())),
            ("number", Arc::new(rows().map(|row| Some(row as i64).filter(|_| row % 3 > 0)).collect::<Int64Array>())),
            ("float", Arc::new(rows().map(|row| row as f64 / 3.0).collect::<Float64Array>())),
            ("day", Arc::new(rows().map(|row| Some(row as i32).filter(|_| first(&row))).collect::<Date32Array>())),
            ("at", Arc::new(rows().map(|row| Some(row as i64)).collect::<TimestampMicrosecondArray>())),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    /// Reads a file.
    fn read(bytes: Vec<u8>) -> (RecordBatch, usize) {
        let file = ParquetFile::of_source(Path::new("test"), Source::of_bytes(bytes.into())).unwrap();
        let plan = Plan::new(vec![file], &[], &Options::default()).unwrap();
        let found = Target::run("test", None, |target| plan.read(target)).unwrap();
        (found.to_arrow().unwrap(), plan.given_up.load(Ordering::Relaxed))
    }

    fn written(properties: WriterProperties) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, table().schema(), Some(properties)).unwrap();
        writer.write(&table()).unwrap();
        writer.close().unwrap();
        bytes
    }

    #[test]
    fn usual_files_are_decoded_once() {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for rows in [100, 1 << 20] {
                let properties = WriterProperties::builder()
                    .set_writer_version(version)
                    .set_max_row_group_row_count(Some(rows))
                    .set_statistics_enabled(EnabledStatistics::Page)
                    .build();
                assert_eq!(read(written(properties)), (table(), 0), "{version:?} {rows}");
            }
        }
    }

    #[test]
    fn what_is_given_up_is_counted() {
        // One byte is changed, so that the text is no longer valid UTF-8. gdf's own decoder and the decoder of arrow-rs
        // must both refuse the column.
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(100)).build();
        let bytes = written(properties);
        let file = ParquetFile::of_source(Path::new("test"), Source::of_bytes(bytes.clone().into())).unwrap();
        let (start, length) = file.metadata.metadata().row_group(1).column(0).byte_range();
        let mut damaged = bytes;
        let chunk = &mut damaged[start as usize..(start + length) as usize];
        let at = chunk.windows(3).position(|bytes| bytes == "tü".as_bytes()).unwrap();
        chunk[at + 1] = 0xff;
        let file = ParquetFile::of_source(Path::new("test"), Source::of_bytes(damaged.into())).unwrap();
        let plan = Plan::new(vec![file], &[], &Options::default()).unwrap();
        assert!(Target::run("test", None, |target| plan.read(target)).is_err());
        assert_eq!(plan.given_up.load(Ordering::Relaxed), 1);
    }
}
