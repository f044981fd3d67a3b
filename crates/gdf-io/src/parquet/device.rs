//! Columns that a GPU decodes.
//!
//! Threads read column chunks into pinned memory, from where they are copied to the GPU. Pages that are compressed by
//! Snappy or LZ4 are copied as they are, and others are decompressed before. gdf-decode then decompresses and decodes the
//! pages of all columns with one set of launches.

use std::cmp::Reverse;
use std::sync::mpsc::sync_channel;

use gdf_core::{Column, Table, map_items};
use gdf_decode::{
    Batch, Chunk, ColumnPages, Ctx, DictionaryPage, PADDING, PAGE_ALIGNMENT, Page as DataPage, Refused, Stored,
};
use gdf_driver::Stream;
use gdf_memory::{AccessMut, Buffer, Resources};
use parquet::column::page::{Page, PageReader};
use parquet::file::metadata::ColumnChunkMetaData;

use super::failure::contained;
use super::file::ParquetFile;
use super::header::encoding_of;
use super::packed::{codec_of, pages_of};
use super::pages::{header_of, stored, suits};
use super::place::Scratch;
use super::plan::{Origin, Plan, PlanColumn, Unit};
use super::read::rows_of;
use super::refusal::{Refusal, report};
use crate::Result;
use crate::target::Target;

/// A column chunk whose metadata claim more decompressed bytes for a compressed byte is left to the CPU, which reads it
/// page by page.
const MOST_EXPANSION: usize = 64;
/// The number of bytes of the pages of columns that are decoded together, or of one column. Pages that the GPU
/// decompresses count twice, compressed and decompressed. There are two groups at the same time.
const MOST_STAGED: usize = if cfg!(test) { 100_000 } else { 256 << 20 };
/// A thread copies at most this number of bytes at once to the GPU, or one row group. The start of a copy takes as long
/// as the link needs for some 100 KB.
const MOST_OF_TASK: usize = 8 << 20;
/// The number of copies of each thread, if they have less than [`MOST_OF_TASK`] bytes.
const TASKS_OF_THREAD: usize = 4;
/// A column chunk of at most this number of bytes may have any expansion.
const SMALL: usize = 1 << 20;

/// Consecutive row groups of a column whose pages a thread copies to the GPU.
struct Task<'a> {
    plan: &'a Plan,
    /// The number of the stored column in each file.
    leaves: &'a [Vec<usize>],
    units: &'a [Unit],
    /// The position in the buffer of all pages.
    at: usize,
}

/// A column whose pages are copied to the GPU.
struct Staging {
    /// The number of the column.
    column: usize,
    /// The number of bytes of each unit.
    sizes: Vec<usize>,
}

/// The pages of a group of columns.
struct Copied {
    bytes: Buffer,
    /// For each column, its units. `None` is a unit that the CPU must read.
    chunks: Vec<Option<Chunk>>,
}

/// The memory that the pages of a unit take on the GPU.
struct PageBytes {
    /// The number of bytes that are copied.
    staged: usize,
    /// The number of bytes that the GPU makes of them by decompression.
    decompressed: usize,
}

/// How a file stores a column.
#[derive(Clone, Copy, PartialEq)]
struct Form {
    stored: Stored,
    is_optional: bool,
}

impl PageBytes {
    /// Returns the bytes of a column chunk, or `None` if the metadata claim an unusual compression.
    fn of(chunk: &ColumnChunkMetaData) -> Option<PageBytes> {
        let bytes = usize::try_from(chunk.uncompressed_size()).ok()?;
        let compressed = usize::try_from(chunk.compressed_size()).ok()?;
        // A page grows by less than 16 bytes when it is aligned, and its header, which is not copied, is longer.
        let whole = bytes.checked_next_multiple_of(PAGE_ALIGNMENT)?.checked_add(PAGE_ALIGNMENT)?;
        let (staged, decompressed) = match codec_of(chunk) {
            Some(_) => (compressed, whole),
            None => (whole, 0),
        };
        (bytes <= SMALL || bytes / MOST_EXPANSION <= compressed).then_some(PageBytes { staged, decompressed })
    }
}

impl Form {
    fn of(file: &ParquetFile, leaf: usize) -> Option<Form> {
        let column = file.metadata.parquet_schema().column(leaf);
        Some(Form { stored: stored(&column)?, is_optional: column.max_def_level() > 0 })
    }
}

impl Plan {
    /// Reads the rows of units that satisfy the predicate. The GPU decodes all rows, and tests the predicate. Returns
    /// `None` if it cannot decode the columns of the predicate, which the CPU then tests before the rows are read.
    ///
    /// # Errors
    /// - The errors of [`Plan::read`].
    pub(super) fn filtered_on_device(&self, units: &[Unit], target: Target<'_>) -> Result<Option<Table>> {
        let Some((filter, tested)) = self.filter() else { return Ok(None) };
        if units.is_empty() || !self.is_masked() {
            return Ok(None);
        }
        let refusal = |column| Some((column, self.staged_bytes(column, units).err()?));
        let refused: Vec<(&PlanColumn, Refusal)> = tested.iter().filter_map(refusal).collect();
        if !refused.is_empty() {
            report(refused, target.stream.device());
            return Ok(None);
        }
        let rows = rows_of(units)?;
        let mut columns: Vec<&PlanColumn> = self.columns.iter().collect();
        let mut place = |column| {
            columns.iter().position(|known| known.is_same(column)).unwrap_or_else(|| {
                columns.push(column);
                columns.len() - 1
            })
        };
        let places: Vec<usize> = tested.iter().map(&mut place).collect();
        let mut found = self.read_columns(&columns, units, rows, target)?;
        let tested: Vec<Column> = places.into_iter().map(|place| found[place].clone()).collect();
        found.truncate(self.columns.len());
        let table = Table::try_with_rows(found, rows)?;
        let Some(mask) = filter.mask(&tested, target.stream, target.temporary)? else {
            return Ok(Some(table.slice(0, 0)?));
        };
        if table.num_columns() == 0 {
            let passing = target.passing(&Table::try_new(vec![mask.clone()])?, &mask)?;
            return Ok(Some(Table::try_with_rows(Vec::new(), passing.num_rows())?));
        }
        Ok(Some(target.passing(&table, &mask)?))
    }

    /// Returns whether the GPU tests the predicate on the rows of units.
    pub(super) fn tests_on_device(&self, units: &[Unit]) -> bool {
        let is_decoded = |column: &PlanColumn| self.staged_bytes(column, units).is_ok();
        !units.is_empty() && self.is_masked() && self.filter().is_some_and(|(_, tested)| tested.iter().all(is_decoded))
    }

    /// Returns the number of bytes of the pages of each unit, or why the GPU cannot decode the column.
    fn staged_bytes(&self, column: &PlanColumn, units: &[Unit]) -> Result<Vec<PageBytes>, Refusal> {
        let Origin::Stored { leaves } = &column.origin else { return Err(Refusal::Folders) };
        let (data_type, mut first) = (column.field.data_type(), None);
        let bytes = |unit: &Unit| {
            let (file, leaves) = (&self.files[unit.file], &leaves[unit.file]);
            let [leaf] = leaves.as_slice() else { return Err(Refusal::Form) };
            let form = Form::of(file, *leaf).ok_or(Refusal::Form)?;
            if unit.selection.is_some() {
                return Err(Refusal::SelectedRows);
            }
            let can_decode = suits(file, unit, leaves, data_type)
                && gdf_decode::supports(form.stored, data_type, gdf_decode::Encoding::Plain);
            if !can_decode {
                return Err(Refusal::Form);
            }
            if *first.get_or_insert(form) != form {
                return Err(Refusal::SeveralForms);
            }
            PageBytes::of(file.metadata.metadata().row_group(unit.group).column(*leaf)).ok_or(Refusal::Expansion)
        };
        units.iter().map(bytes).collect()
    }

    /// Decodes columns on the GPU. The result has the reason for a column that the GPU does not decode.
    ///
    /// # Errors
    /// - An allocation failed, or the driver reports an error.
    pub(super) fn read_on_device(
        &self,
        columns: &[&PlanColumn],
        units: &[Unit],
        target: Target<'_>,
    ) -> Result<Vec<Result<Column, Refusal>>> {
        let mut found: Vec<Result<Column, Refusal>> = columns.iter().map(|_| Err(Refusal::Expansion)).collect();
        let mut groups: Vec<Vec<Staging>> = Vec::new();
        let mut bytes = 0_usize;
        for (column, of_column) in columns.iter().enumerate() {
            let sizes = match self.staged_bytes(of_column, units) {
                Ok(sizes) => sizes,
                Err(refusal) => {
                    found[column] = Err(refusal);
                    continue;
                }
            };
            let total = sizes.iter().try_fold(0_usize, |sum, size| {
                sum.checked_add(size.staged).and_then(|sum| sum.checked_add(size.decompressed))
            });
            let Some(of_column) = total else { continue };
            let sizes: Vec<usize> = sizes.iter().map(|size| size.staged).collect();
            bytes = bytes.saturating_add(of_column);
            match groups.last_mut().filter(|_| bytes <= MOST_STAGED) {
                Some(group) => group.push(Staging { column, sizes }),
                None => {
                    groups.push(vec![Staging { column, sizes }]);
                    bytes = of_column;
                }
            }
        }
        let mut decode = |group: &[Staging], copied: Copied| -> Result<()> {
            for (column, decoded) in self.decode_group(columns, group, units, copied, target)? {
                if decoded.is_err() {
                    self.give_up(columns[column]);
                }
                found[column] = decoded;
            }
            Ok(())
        };
        if let [] | [_] = groups.as_slice() {
            groups.iter().try_for_each(|group| decode(group, self.copy_group(columns, group, units, target)?))?;
            return Ok(found);
        }
        // While the GPU decodes a group, the pages of the next one are copied.
        let stream = Stream::new(target.stream.device()).map_err(gdf_core::Error::from)?;
        std::thread::scope(|scope| {
            let (sender, receiver) = sync_channel(0);
            let (groups, stream) = (&groups, &stream);
            scope.spawn(move || {
                target.in_scope(|| {
                    let copied = groups.iter().map(|group| self.copy_group(columns, group, units, target.on(stream)));
                    // After an error, nobody receives.
                    copied.map(|copied| sender.send(copied)).take_while(|sent| sent.is_ok()).for_each(drop);
                });
            });
            groups.iter().zip(receiver).try_for_each(|(group, copied)| decode(group, copied?))
        })?;
        Ok(found)
    }

    /// Copies the pages of a group of columns to the GPU.
    fn copy_group(
        &self,
        columns: &[&PlanColumn],
        group: &[Staging],
        units: &[Unit],
        target: Target<'_>,
    ) -> Result<Copied> {
        let total = group.iter().flat_map(|of_column| &of_column.sizes).sum::<usize>().saturating_add(PADDING);
        let mut bytes = Buffer::uninitialized(total, target.stream, target.temporary)?;
        let chunks = self.staged(columns, group, units, &mut bytes, target)?;
        Ok(Copied { bytes, chunks })
    }

    /// Decodes a group of columns, with one set of launches. The result has the number of each column.
    fn decode_group(
        &self,
        columns: &[&PlanColumn],
        group: &[Staging],
        units: &[Unit],
        copied: Copied,
        target: Target<'_>,
    ) -> Result<Vec<(usize, Result<Column, Refusal>)>> {
        let Copied { bytes, chunks } = copied;
        let mut staged = chunks.into_iter();
        let (mut batch, mut are_staged) = (Batch::default(), Vec::with_capacity(group.len()));
        for Staging { column, sizes } in group {
            let of_units: Vec<Option<Chunk>> = staged.by_ref().take(sizes.len()).collect();
            let of_units: Option<Vec<Chunk>> = of_units.into_iter().collect();
            let pages = of_units.and_then(|chunks| self.described(columns[*column], units, chunks));
            are_staged.push(pages.is_some());
            batch.columns.extend(pages);
        }
        let resources = Resources::new(target.mr, target.temporary);
        let mut decoded = gdf_decode::decode(&batch, &bytes, Ctx::new(target.stream, resources))?.into_iter();
        let found = group.iter().zip(are_staged).map(|(Staging { column, .. }, is_staged)| {
            let found = if is_staged { decoded.next() } else { None };
            let log = |refused: &Refused| tracing::debug!(target: "gdf", %refused, "the GPU did not decode a column");
            let found = found
                .ok_or(Refusal::OtherPages)
                .and_then(|found| found.inspect_err(log).map_err(|refused| Refusal::Page(refused.flaw)));
            (*column, found)
        });
        Ok(found.collect())
    }

    /// Returns the description of a column for the decoder.
    fn described(&self, column: &PlanColumn, units: &[Unit], chunks: Vec<Chunk>) -> Option<ColumnPages> {
        let Origin::Stored { leaves } = &column.origin else { return None };
        let unit = units.first()?;
        let Form { stored, is_optional } = Form::of(&self.files[unit.file], *leaves[unit.file].first()?)?;
        Some(ColumnPages { data_type: column.field.data_type().clone(), stored, is_optional, chunks })
    }

    /// Copies the pages of columns to the GPU. The result has the units of each column, or `None` for a unit that the CPU
    /// must read.
    fn staged(
        &self,
        columns: &[&PlanColumn],
        group: &[Staging],
        units: &[Unit],
        bytes: &mut Buffer,
        target: Target<'_>,
    ) -> Result<Vec<Option<Chunk>>> {
        let scratch = Scratch::new(target)?;
        let most = (bytes.len() / (TASKS_OF_THREAD * gdf_core::thread_count())).min(MOST_OF_TASK);
        let mut left = bytes.write_on(target.stream)?;
        let (mut at, mut tasks) = (0, Vec::new());
        for Staging { column, sizes } in group {
            let Origin::Stored { leaves } = &columns[*column].origin else { continue };
            let mut first = 0;
            while first < units.len() {
                let (mut count, mut size) = (1, sizes[first]);
                while let Some(next) = sizes.get(first + count).filter(|next| size + **next <= most) {
                    (count, size) = (count + 1, size + next);
                }
                let units = &units[first..first + count];
                tasks.push((Task { plan: self, leaves, units, at }, left.split_off_front(size)?));
                (first, at) = (first + count, at + size);
            }
        }
        // The work that takes longest starts first.
        let mut tasks: Vec<_> = tasks.into_iter().enumerate().collect();
        tasks.sort_by_key(|(_, (_, memory))| Reverse(memory.len()));
        let parent = tracing::Span::current();
        let run = |(index, (task, memory)): (usize, (Task<'_>, AccessMut<'_>))| {
            let row_groups = task.units.len();
            let span = tracing::debug_span!(target: "gdf", parent: &parent, "copy_pages", row_groups);
            span.in_scope(|| Ok((index, task.run(memory, scratch.as_ref())?)))
        };
        let mut staged = map_items(tasks, &run).into_iter().collect::<Result<Vec<(usize, Vec<Option<Chunk>>)>>>()?;
        staged.sort_by_key(|(index, _)| *index);
        Ok(staged.into_iter().flat_map(|(_, staged)| staged).collect())
    }
}

impl Task<'_> {
    /// Decompresses the pages into pinned memory, and begins their copy to the GPU. Without staging memory, the target
    /// is the CPU. The result is `None` for a unit that has other pages than its metadata claim.
    fn run(self, mut memory: AccessMut<'_>, scratch: Option<&Scratch<'_>>) -> Result<Vec<Option<Chunk>>> {
        let Some(scratch) = scratch else { return Ok(self.copied(memory.as_mut_slice()?).0) };
        let mut staging = scratch.take(std::slice::from_ref(&memory))?;
        let (mut staged, mut used) = (Vec::new(), 0);
        if let Some(buffer) = staging.first_mut() {
            let mut access = buffer.write_part_on(0, memory.len(), &Stream::cpu())?;
            (staged, used) = self.copied(access.as_mut_slice()?);
        }
        scratch.send(&staging, &mut [memory.split_off_front(used)?])?;
        scratch.give_back(staging);
        Ok(staged)
    }

    /// Copies the pages of all units to `memory`. Also returns the number of bytes up to the end of the last page.
    fn copied(&self, memory: &mut [u8]) -> (Vec<Option<Chunk>>, usize) {
        let mut used = 0;
        let staged = self.units.iter().map(|unit| self.copied_unit(unit, memory, &mut used)).collect();
        (staged, used)
    }

    fn copied_unit(&self, unit: &Unit, memory: &mut [u8], used: &mut usize) -> Option<Chunk> {
        let (file, leaf) = (&self.plan.files[unit.file], *self.leaves[unit.file].first()?);
        let Form { is_optional, .. } = Form::of(file, leaf)?;
        let metadata = file.metadata.metadata().row_group(unit.group).column(leaf);
        if let Some(codec) = codec_of(metadata) {
            let (start, len) = (*used, usize::try_from(metadata.compressed_size()).ok()?);
            let bytes = memory.get_mut(start..start.checked_add(len)?)?;
            contained(|| file.read_chunk(unit.group, leaf, bytes)).ok()?;
            let chunk = pages_of(metadata, codec, bytes, self.at + start, is_optional, unit.rows)?;
            *used = start + len;
            return Some(chunk);
        }
        let (mut chunk, mut rows) = (Chunk::default(), 0_usize);
        let mut pages = contained(|| file.pages_at_once(unit.group, leaf)).ok()?;
        while let Some(page) = contained(|| pages.get_next_page()).ok()? {
            let body = page.buffer();
            let (start, len) = (used.next_multiple_of(PAGE_ALIGNMENT), body.len());
            memory.get_mut(start..start.checked_add(len)?)?.copy_from_slice(body);
            *used = start + len;
            let at = self.at + start;
            if let Page::DictionaryPage { num_values, encoding, .. } = &page {
                encoding_of(*encoding)?;
                let values = *num_values as usize;
                if chunk.dictionary.replace(DictionaryPage { at, len, compression: None, values }).is_some() {
                    return None;
                }
                continue;
            }
            let header = header_of(&page, is_optional)?;
            rows = rows.checked_add(header.rows)?;
            chunk.pages.push(DataPage { at, len, compression: None, header });
        }
        (rows == unit.rows).then_some(chunk)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::Ordering;

    use arrow_array::{
        ArrayRef, BooleanArray, Date32Array, Decimal128Array, FixedSizeBinaryArray, Float16Array, Float64Array,
        Int8Array, Int64Array, RecordBatch, StringArray,
    };
    use parquet::arrow::ArrowWriter;
    use parquet::basic::Encoding;
    use parquet::file::properties::{WriterProperties, WriterVersion};

    use super::*;
    use crate::Predicate;
    use crate::options::{Columns, Options};
    use crate::parquet::Source;

    const ROWS: usize = 5_000;

    /// What the pages of a file have.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Form {
        Plain,
        Dictionaries,
        /// Differences, prefixes, streams and runs.
        Others,
    }

    fn table() -> RecordBatch {
        let rows = || 0..ROWS;
        let some = |row: usize| !row.is_multiple_of(7) && !(1_000..2_100).contains(&row);
        let decimals = rows().map(|row| Some(row as i128 % 50 - 20)).collect::<Decimal128Array>();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("number", Arc::new(rows().map(|row| Some(row as i64 % 90).filter(|_| some(row))).collect::<Int64Array>())),
            ("small", Arc::new(rows().map(|row| Some(row as i8)).collect::<Int8Array>())),
            ("day", Arc::new(rows().map(|row| Some(row as i32 / 9).filter(|_| some(row))).collect::<Date32Array>())),
            ("float", Arc::new(rows().map(|row| row as f64 / 3.0).collect::<Float64Array>())),
            ("price", Arc::new(decimals.with_precision_and_scale(12, 2).unwrap())),
            ("text", Arc::new(rows().map(|row| Some("long ".repeat(40) + &row.to_string())).collect::<StringArray>())),
            ("flag", Arc::new(rows().map(|row| Some(row % 5 < 2).filter(|_| some(row))).collect::<BooleanArray>())),
            ("on", Arc::new(rows().map(|row| Some(row % 900 > 7)).collect::<BooleanArray>())),
            ("half", Arc::new(rows().map(|row| Some(half::f16::from_f32(row as f32))).collect::<Float16Array>())),
            (
                "kind",
                Arc::new(rows().map(|row| Some("tüb".repeat(row % 9)).filter(|_| some(row))).collect::<StringArray>()),
            ),
            (
                "name",
                Arc::new(
                    rows().map(|row| Some(format!("größe {}", row / 3)).filter(|_| some(row))).collect::<StringArray>(),
                ),
            ),
            (
                "code",
                Arc::new(FixedSizeBinaryArray::try_from_iter(rows().map(|row| format!("code {row:07}"))).unwrap()),
            ),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    fn files() -> impl Iterator<Item = Vec<u8>> {
        use parquet::basic::Compression::{LZ4, LZ4_RAW, SNAPPY, UNCOMPRESSED};

        let versions = [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0];
        let forms = [Form::Plain, Form::Dictionaries, Form::Others];
        let forms = versions.into_iter().flat_map(move |version| forms.map(|form| (version, form)));
        let forms = [SNAPPY, LZ4_RAW, LZ4, UNCOMPRESSED]
            .into_iter()
            .flat_map(move |codec| forms.clone().map(move |(version, form)| (codec, version, form)));
        forms.map(|(codec, version, form)| {
            let mut properties = WriterProperties::builder()
                .set_writer_version(version)
                .set_dictionary_enabled(form == Form::Dictionaries)
                .set_encoding(Encoding::PLAIN)
                .set_compression(codec)
                .set_dictionary_page_size_limit(20_000)
                .set_max_row_group_row_count(Some(1_700))
                .set_data_page_row_count_limit(300)
                .set_write_batch_size(100);
            if form == Form::Others {
                for (column, encoding) in [
                    ("number", Encoding::DELTA_BINARY_PACKED),
                    ("small", Encoding::DELTA_BINARY_PACKED),
                    ("day", Encoding::BYTE_STREAM_SPLIT),
                    ("float", Encoding::BYTE_STREAM_SPLIT),
                    ("price", Encoding::DELTA_BINARY_PACKED),
                    ("text", Encoding::DELTA_LENGTH_BYTE_ARRAY),
                    ("flag", Encoding::RLE),
                    ("half", Encoding::BYTE_STREAM_SPLIT),
                    ("kind", Encoding::DELTA_LENGTH_BYTE_ARRAY),
                    ("name", Encoding::DELTA_BYTE_ARRAY),
                    ("code", Encoding::DELTA_BYTE_ARRAY),
                ] {
                    properties = properties.set_column_encoding(column.into(), encoding);
                }
            }
            let mut bytes = Vec::new();
            let mut writer = ArrowWriter::try_new(&mut bytes, table().schema(), Some(properties.build())).unwrap();
            writer.write(&table()).unwrap();
            writer.close().unwrap();
            bytes
        })
    }

    fn plan(bytes: Vec<u8>, options: &Options) -> Plan {
        let file = ParquetFile::of_source(Path::new("test"), Source::of_bytes(bytes.into())).unwrap();
        Plan::new(vec![file], &[], options).unwrap()
    }

    #[test]
    fn pages_of_all_columns_are_decoded_together() {
        for bytes in files() {
            let plan = plan(bytes, &Options::default());
            let columns: Vec<&PlanColumn> = plan.columns.iter().collect();
            let found = Target::run("test", None, |target| plan.read_on_device(&columns, &plan.units, target)).unwrap();
            assert_eq!(plan.given_up.load(Ordering::Relaxed), 0);
            for (column, (expected, field)) in found.iter().zip(table().columns().iter().zip(table().schema().fields()))
            {
                match (column, field.name().as_str()) {
                    (Ok(column), _) => assert_eq!(&column.to_array().unwrap(), expected, "{}", field.name()),
                    (Err(refusal), name) => panic!("{name} was not decoded: {refusal}"),
                }
            }
        }
    }

    #[test]
    fn files_of_other_writers_are_decoded() {
        use arrow_schema::TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};

        for (name, decoded) in [
            ("plain", 17),
            ("dictionary_v1", 17),
            ("dictionary_v2", 17),
            ("delta", 5),
            ("delta_length", 3),
            ("int96", 1),
        ] {
            let path = format!("{}/tests/data/pyarrow_{name}.parquet", env!("CARGO_MANIFEST_DIR"));
            let bytes = std::fs::read(&path).unwrap();
            for unit in [Nanosecond, Microsecond, Millisecond, Second] {
                let file = ParquetFile::of_source(Path::new(&path), Source::of_bytes(bytes.clone().into())).unwrap();
                let file = file.with_int96_unit(unit).unwrap();
                let plan = Plan::new(vec![file], &[], &Options::default()).unwrap();
                let columns: Vec<&PlanColumn> = plan.columns.iter().collect();
                let found = Target::run("test", None, |target| plan.read_on_device(&columns, &plan.units, target));
                let found = found.unwrap();
                let expected = Target::run("test", None, |target| plan.read(target)).unwrap();
                assert_eq!(plan.given_up.load(Ordering::Relaxed), 0, "{name}");
                assert_eq!(found.iter().flatten().count(), decoded, "{name}");
                for (found, expected) in found.iter().zip(expected.table().columns()) {
                    let Ok(found) = found else { continue };
                    assert_eq!(&found.to_array().unwrap(), &expected.to_array().unwrap(), "{name} {unit:?}");
                }
            }
        }
    }

    #[test]
    fn predicates_are_tested_after_all_rows_are_decoded() {
        let few = Predicate::is_in("number", (0..40).step_by(3)).and(Predicate::gt("price", 0.05));
        let predicates = [
            Predicate::lt("day", "1970-02-01"),
            few.clone().or(Predicate::is_null("number")),
            few.or(Predicate::eq("float", 2.0)),
            Predicate::is_in("small", [1, 2, 3, 4, 5, 6]).and(Predicate::is_in("small", [5, 6, 7, 8, 9, 10])),
            Predicate::is_in("day", Vec::<i64>::new()).and(Predicate::gt("float", 1.0)),
        ];
        for bytes in files() {
            for predicate in &predicates {
                for columns in [Columns::All, Columns::Numbered(vec![5, 1]), Columns::Numbered(Vec::new())] {
                    let options = Options { predicate: Some(predicate.clone()), columns, ..Options::default() };
                    let plan = plan(bytes.clone(), &options);
                    let read = || Target::run("test", None, |target| plan.read(target)).unwrap();
                    let found = Target::run("test", None, |target| plan.filtered_on_device(&plan.units, target));
                    let Some(found) = found.unwrap() else {
                        assert!(plan.units.is_empty(), "{predicate}");
                        continue;
                    };
                    let expected = read();
                    assert_eq!(found.num_rows(), expected.num_rows(), "{predicate}");
                    for (found, expected) in found.columns().iter().zip(expected.table().columns()) {
                        assert_eq!(&found.to_array().unwrap(), &expected.to_array().unwrap(), "{predicate}");
                    }
                }
            }
        }
    }
}
