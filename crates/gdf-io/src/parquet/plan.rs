//! Plans a read of Parquet files: which columns to read, and which rows of which row groups.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use arrow_array::{ArrayRef, RecordBatch, UInt64Array};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use gdf_api::scope::{current_device, current_resources, with_resource};
use gdf_core::layout::same_named_type;
use gdf_driver::Device;
use gdf_memory::{HostResource, Resource, SpillManager};
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::arrow::arrow_reader::{RowSelection, RowSelector};
use parquet::file::statistics::Statistics as Bounds;
use rayon::prelude::*;

use super::failure::{contained, failure};
use super::file::ParquetFile;
use super::group::GroupReader;
use super::unify::{Together, widened};
use crate::dataset::Partition;
use crate::filter::{Filter, Statistics};
use crate::merge::{self, merged_field};
use crate::options::{Columns, Options};
use crate::{Error, Result, names};

/// The number of rows per batch when the columns of a predicate are evaluated.
const FILTER_ROWS: usize = 1 << 16;
/// The number of rows per batch if all columns of the predicate are decoded to dictionaries, whose rows are keys.
const CODED_ROWS: usize = 1 << 20;

/// A read to a GPU with a predicate uses the page index if at most one of this number of row groups may have rows that pass.
const INDEXED: usize = 4;

/// The plan of a read: the files, the columns and the units.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) files: Vec<ParquetFile>,
    pub(crate) columns: Vec<PlanColumn>,
    pub(crate) schema: SchemaRef,
    pub(crate) units: Vec<Unit>,
    /// The maximum number of bytes of text in a column with 32-bit offsets.
    pub(super) text_limit: u64,
    filter: Option<(Filter, Vec<PlanColumn>)>,
    /// The number of columns that gdf's own decoder should have decoded, but that arrow-rs has decoded.
    pub(crate) given_up: AtomicUsize,
}

#[derive(Debug)]
pub(crate) struct PlanColumn {
    pub(crate) field: FieldRef,
    pub(crate) origin: Origin,
}

/// The source of the values of a column.
#[derive(Debug)]
pub(crate) enum Origin {
    /// The column is stored in the files.
    Stored {
        leaves: Vec<Vec<usize>>,
    },
    Partition(Partition),
}

/// The values of a column that a predicate reads, in a row group.
enum Values {
    Read(Box<GroupReader>),
    Decoded(ArrayRef),
    /// The value of a partition.
    Repeated,
}

/// The part of a row group that is read: the selected rows.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) file: usize,
    pub(crate) group: usize,
    /// The selected rows of the row group.
    pub(crate) selection: Option<RowSelection>,
    pub(crate) rows: usize,
}

impl Plan {
    /// Plans a read of open files, whose rows come together.
    ///
    /// # Errors
    /// - A column does not exist, or its type differs between files.
    /// - The predicate does not match the types of its columns.
    pub(crate) fn new(files: Vec<ParquetFile>, partitions: &[Partition], options: &Options) -> Result<Plan> {
        Plan::of(widened(files, options, Together::All)?, partitions, options)
    }

    /// Does the same as [`new`](Self::new), except that each piece or batch has columns of its own.
    ///
    /// # Errors
    /// - The errors of [`new`](Self::new).
    pub(super) fn divided(files: Vec<ParquetFile>, partitions: &[Partition], options: &Options) -> Result<Plan> {
        Plan::of(widened(files, options, Together::RowGroup)?, partitions, options)
    }

    fn of(files: Vec<ParquetFile>, partitions: &[Partition], options: &Options) -> Result<Plan> {
        // If a column of the files has the same name as a partition folder, the column of the files is used.
        let names = files[0].names();
        let folders = partitions.iter().filter(|partition| !names.contains(&partition.field.name().as_str()));
        let columns: Vec<PlanColumn> = match &options.columns {
            Columns::Named(wanted) => grouped(&files[0], partitions, wanted)?
                .into_iter()
                .map(|paths| PlanColumn::find(&files, partitions, paths))
                .collect::<Result<_>>()?,
            Columns::Numbered(wanted) => {
                let folders: Vec<&Partition> = folders.collect();
                let at = |place: &usize| match place.checked_sub(names.len()).map(|place| folders.get(place)) {
                    None => PlanColumn::stored(&files, &Wanted::Whole(*place)),
                    Some(Some(partition)) => Ok(PlanColumn::of_partition(partition)),
                    Some(None) => Err(names::no_place(&files[0].path, *place, &names)),
                };
                wanted.iter().map(at).collect::<Result<_>>()?
            }
            Columns::All => {
                let stored = (0..names.len()).map(|index| PlanColumn::stored(&files, &Wanted::Whole(index)));
                stored.chain(folders.map(|partition| Ok(PlanColumn::of_partition(partition)))).collect::<Result<_>>()?
            }
        };
        let filter = options.has_conditions().then(|| bind(&files, partitions, options)).transpose()?;
        let fields: Vec<FieldRef> = columns.iter().map(|column| column.field.clone()).collect();
        let metadata = files[0].schema().metadata().clone();
        let schema = Arc::new(Schema::new_with_metadata(fields, metadata));
        let units = units(&files, &row_groups(&files, options.row_groups.as_deref())?, &options.rows);
        let (text_limit, given_up) = (options.text_limit as u64, AtomicUsize::new(0));
        let mut plan = Plan { files, columns, schema, units, text_limit, filter, given_up };
        plan.prune();
        Ok(plan)
    }

    /// Returns the plan with the page indexes of the files, if pages may be skipped.
    pub(crate) fn with_page_indexes(mut self, options: &Options) -> Plan {
        if self.filter.is_some() || options.rows != (0..usize::MAX) {
            gdf_core::prepare_threads();
            self.files = self.files.into_par_iter().map(ParquetFile::with_page_index).collect();
        }
        self
    }

    /// Does the same as [`with_page_indexes`](Self::with_page_indexes) for a read to a device. For a GPU that tests the
    /// predicate, to read the page index may take longer than to decode all rows, so the index must be likely to exclude
    /// pages: the bounds of row groups have excluded most of them.
    pub(crate) fn for_read(self, options: &Options) -> Plan {
        let is_cpu = options.device.unwrap_or_else(current_device).is_cpu();
        let groups: usize = self.files.iter().map(ParquetFile::num_groups).sum();
        let are_few = self.units.len().saturating_mul(INDEXED) <= groups || groups < INDEXED;
        if !is_cpu && !are_few && self.tests_on_device(&self.units) { self } else { self.with_page_indexes(options) }
    }

    pub(crate) fn has_filter(&self) -> bool {
        self.filter.is_some()
    }

    /// Returns the predicate and its columns.
    pub(super) fn filter(&self) -> Option<&(Filter, Vec<PlanColumn>)> {
        self.filter.as_ref()
    }

    fn prune(&mut self) {
        let Some((filter, columns)) = &self.filter else { return };
        let planned = self.units.len();
        let mut kept = vec![false; planned];
        for (index, file) in self.files.iter().enumerate() {
            let of_file: Vec<usize> = (0..planned).filter(|unit| self.units[*unit].file == index).collect();
            let groups: Vec<usize> = of_file.iter().map(|unit| self.units[*unit].group).collect();
            let mut statistics = |column: usize| group_statistics(file, index, &groups, &columns[column]);
            let verdicts = filter.may_pass(groups.len(), &mut statistics);
            of_file.iter().zip(verdicts).for_each(|(unit, verdict)| kept[*unit] = verdict);
        }
        let mut verdicts = kept.iter();
        self.units.retain(|_| verdicts.next().copied().unwrap_or(true));
        tracing::debug!(target: "gdf", row_groups = self.units.len(), skipped = planned - self.units.len(), "pruned");
    }

    /// Restricts a unit to the rows that satisfy the predicate.
    ///
    /// # Errors
    /// - The columns that the predicate needs cannot be decoded.
    pub(crate) fn filtered(&self, unit: &Unit) -> Result<Unit> {
        let Some((filter, columns)) = &self.filter else { return Ok(unit.clone()) };
        let passing = || self.passing(unit, filter, columns);
        // The columns of a predicate are decoded for a whole row group, which may not fit in the limit of a spill
        // manager. They are freed before the rows are read.
        match SpillManager::of(&current_resources(Device::Cpu)?.0) {
            Some(_) => with_resource(&Resource::new(HostResource::new()), passing),
            None => passing(),
        }
    }

    fn passing(&self, unit: &Unit, filter: &Filter, columns: &[PlanColumn]) -> Result<Unit> {
        let file = &self.files[unit.file];
        let pages = self.pages(unit);
        let before = match (&unit.selection, pages) {
            (Some(rows), Some(pages)) => Some(rows.intersection(&pages)),
            (Some(rows), None) => Some(rows.clone()),
            (None, pages) => pages,
        };
        let total = before.as_ref().map_or(unit.rows, RowSelection::row_count);
        if total == 0 {
            return Ok(Unit { selection: before, rows: 0, ..unit.clone() });
        }
        // A condition on a dictionary is tested once for each value of the dictionary, so that all rows of a row group are
        // one batch.
        let leaves_of = |column: &PlanColumn| match &column.origin {
            Origin::Stored { leaves } => Some(leaves[unit.file].clone()),
            Origin::Partition(_) => None,
        };
        let is_coded = |leaves: &[usize]| file.has_dictionary(unit.group, leaves);
        let is_whole = before.is_none();
        let is_all_coded = columns.iter().filter_map(leaves_of).all(|leaves| is_coded(&leaves));
        let batch_rows = if is_whole || is_all_coded { CODED_ROWS } else { FILTER_ROWS };
        let mut sources = Vec::with_capacity(columns.len());
        for column in columns {
            sources.push(match leaves_of(column) {
                None => Values::Repeated,
                Some(leaves) if is_coded(&leaves) => {
                    Values::Read(Box::new(file.coded_reader(unit.group, &leaves, before.clone(), batch_rows)?))
                }
                // gdf's own decoder decodes whole row groups only.
                Some(_) if is_whole => Values::Decoded(self.decoded(column, unit)?),
                Some(leaves) => Values::Read(Box::new(file.reader(unit.group, &leaves, before.clone(), batch_rows)?)),
            });
        }
        let (mut masks, mut done) = (Vec::new(), 0);
        while done < total {
            let rows = batch_rows.min(total - done);
            let array = |(column, source): (&PlanColumn, &mut Values)| match source {
                Values::Repeated => column.repeat(unit.file, rows),
                Values::Decoded(array) => Ok(array.slice(done, rows)),
                Values::Read(reader) => {
                    let array = reader.next()?.and_then(|mut arrays| arrays.pop());
                    let found = array.as_ref().map_or(0, |array| array.len());
                    match array.filter(|_| found == rows) {
                        // A column of text that was decoded to a dictionary.
                        Some(array) if matches!(array.data_type(), DataType::Dictionary(..)) => Ok(array),
                        Some(array) => merge::widened(array, column.field.data_type()),
                        None => Err(reader.wrong_rows(rows, found)),
                    }
                }
            };
            let arrays = columns.iter().zip(&mut sources).map(array).collect::<Result<Vec<_>>>()?;
            let fields = columns.iter().zip(&arrays);
            let fields = fields.map(|(column, array)| Field::new(column.field.name(), array.data_type().clone(), true));
            let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
            let batch = RecordBatch::try_new(schema, arrays).map_err(gdf_core::Error::from)?;
            masks.push(filter.evaluate(&batch)?);
            done += rows;
        }
        let passing = RowSelection::from_filters(&masks);
        let selection = match before {
            Some(before) => before.and_then(&passing),
            None => passing,
        };
        let rows = selection.row_count();
        let is_all = rows == file.group_rows(unit.group);
        Ok(Unit { selection: (!is_all).then_some(selection), rows, ..unit.clone() })
    }

    /// Returns the rows of those pages that may have a row that satisfies the predicate.
    pub(super) fn pages(&self, unit: &Unit) -> Option<RowSelection> {
        let (filter, columns) = self.filter.as_ref()?;
        let file = &self.files[unit.file];
        // Different columns have different page boundaries, so each column gives its own selection.
        let mut selection: Option<RowSelection> = None;
        for (index, column) in columns.iter().enumerate() {
            let Some((rows, statistics)) = page_statistics(file, unit, column) else { continue };
            let mut of_column = |asked: usize| (asked == index).then(|| statistics.clone());
            let verdicts = filter.may_pass(rows.len(), &mut of_column);
            if verdicts.iter().all(|verdict| *verdict) {
                continue;
            }
            let selectors = rows
                .iter()
                .zip(verdicts)
                .map(|(rows, verdict)| if verdict { RowSelector::select(*rows) } else { RowSelector::skip(*rows) });
            let pages = RowSelection::from(selectors.collect::<Vec<_>>());
            selection = Some(match selection {
                Some(before) => before.intersection(&pages),
                None => pages,
            });
        }
        selection
    }
}

enum Wanted {
    /// All fields of a column. The number is the index of the column in the first file.
    Whole(usize),
    /// Some fields of a column.
    Paths(Vec<String>),
}

impl Wanted {
    /// Returns the index of the column in a file, and the indices of its leaf columns in that file.
    fn leaves(&self, first: &ParquetFile, file: &ParquetFile) -> Result<Option<(usize, Vec<usize>)>> {
        let paths = match self {
            Wanted::Whole(index) => {
                let root = names::matching(&first.names(), *index, &file.names(), &file.path)?;
                return Ok(Some((root, file.leaves_of(root))));
            }
            Wanted::Paths(paths) => paths,
        };
        let (mut root, mut leaves) = (None, Vec::new());
        for path in paths {
            let Some((of_path, found)) = file.leaves(path)? else { return Ok(None) };
            root = root.or(Some(of_path));
            leaves.extend(found);
        }
        leaves.sort_unstable();
        leaves.dedup();
        Ok(root.map(|root| (root, leaves)))
    }
}

impl PlanColumn {
    fn of_partition(partition: &Partition) -> PlanColumn {
        PlanColumn { field: partition.field.clone(), origin: Origin::Partition(partition.clone()) }
    }

    /// Finds a column among the columns of the files and the partition columns.
    fn find(files: &[ParquetFile], partitions: &[Partition], paths: Vec<String>) -> Result<PlanColumn> {
        let (first, name) = (&files[0], paths[0].clone());
        let partition = partitions.iter().find(|partition| paths[..] == [partition.field.name().as_str()]);
        let wanted = Wanted::Paths(paths);
        match (wanted.leaves(first, first)?, partition) {
            (Some(_), _) => Self::stored(files, &wanted),
            (None, Some(partition)) => Ok(Self::of_partition(partition)),
            (None, None) => Err(first.no_column(&name)),
        }
    }

    /// Makes a column of the files.
    fn stored(files: &[ParquetFile], wanted: &Wanted) -> Result<PlanColumn> {
        let (first, others) = (&files[0], &files[1..]);
        let leaves = |file: &ParquetFile| {
            wanted.leaves(first, file)?.ok_or_else(|| match wanted {
                Wanted::Whole(index) => file.no_column(first.schema().field(*index).name()),
                Wanted::Paths(paths) => file.no_column(&paths[0]),
            })
        };
        let (root, of_first) = leaves(first)?;
        let mut field = first.field(root, &of_first)?;
        let mut all = vec![of_first];
        for file in others {
            let (root, leaves) = leaves(file)?;
            let found = file.field(root, &leaves)?;
            let (expected, other) = (field.data_type(), found.data_type());
            if !same_named_type(expected, other) {
                return Err(Error::ColumnType {
                    path: file.path.clone(),
                    first: Some(Box::new(first.path.clone())),
                    column: field.name().clone(),
                    expected: field.data_type().clone(),
                    found: found.data_type().clone(),
                });
            }
            field = merged_field(&field, &found);
            all.push(leaves);
        }
        Ok(PlanColumn { field, origin: Origin::Stored { leaves: all } })
    }

    /// Returns whether both columns have the same values.
    pub(super) fn is_same(&self, other: &PlanColumn) -> bool {
        let is_same = match (&self.origin, &other.origin) {
            (Origin::Stored { leaves }, Origin::Stored { leaves: others }) => leaves == others,
            (Origin::Partition(_), _) | (_, Origin::Partition(_)) => false,
        };
        is_same && self.field.data_type() == other.field.data_type()
    }

    /// For a partition column, returns the value of a file, repeated `rows` times.
    pub(crate) fn repeat(&self, file: usize, rows: usize) -> Result<ArrayRef> {
        let array = match &self.origin {
            Origin::Partition(partition) => partition.repeat(file, rows).map_err(gdf_core::Error::from)?,
            Origin::Stored { .. } => arrow_array::new_empty_array(self.field.data_type()),
        };
        Ok(array)
    }
}

/// Groups the requested paths by column.
fn grouped(file: &ParquetFile, partitions: &[Partition], names: &[String]) -> Result<Vec<Vec<String>>> {
    let mut groups: Vec<(Option<usize>, Vec<String>)> = Vec::new();
    for name in names {
        let root = file.leaves(name)?.map(|(root, _)| root);
        if root.is_none() && !partitions.iter().any(|partition| partition.field.name() == name) {
            return Err(file.no_column(name));
        }
        // A path that names a whole column is a group of its own, even if the same column is requested twice.
        let fields_of = root.filter(|root| file.schema().field(*root).name() != name);
        let known = fields_of.and_then(|_| groups.iter_mut().find(|(known, _)| *known == fields_of));
        match known {
            Some((_, paths)) => paths.push(name.clone()),
            None => groups.push((fields_of, vec![name.clone()])),
        }
    }
    Ok(groups.into_iter().map(|(_, paths)| paths).collect())
}

fn bind(files: &[ParquetFile], partitions: &[Partition], options: &Options) -> Result<(Filter, Vec<PlanColumn>)> {
    let find = |name: &&str| PlanColumn::find(files, partitions, vec![(*name).to_owned()]);
    let columns = options.tested().iter().map(find).collect::<Result<Vec<_>>>()?;
    let fields: Vec<&Field> = columns.iter().map(|column| column.field.as_ref()).collect();
    Ok((Filter::of(options, &fields, &files[0].path)?, columns))
}

/// For each requested row group, returns the file and the index in the file.
///
/// # Errors
/// - [`gdf_core::Error::InvalidArgument`]: a number exceeds the number of row groups.
fn row_groups(files: &[ParquetFile], wanted: Option<&[usize]>) -> Result<Vec<(usize, usize)>> {
    let of_file = |(index, file): (usize, &ParquetFile)| (0..file.num_groups()).map(move |group| (index, group));
    let all: Vec<(usize, usize)> = files.iter().enumerate().flat_map(of_file).collect();
    let Some(wanted) = wanted else { return Ok(all) };
    let find = |number: &usize| {
        let rule = "the number of a row group, counted from 0, must be less than the number of row groups of all files";
        let beyond = || gdf_core::Error::invalid_number(rule, *number as i128).in_operation("row_groups");
        all.get(*number).copied().ok_or_else(beyond)
    };
    Ok(wanted.iter().map(find).collect::<gdf_core::Result<_>>()?)
}

/// Returns the number of rows of all units.
///
/// # Errors
/// - The files claim more rows than the address space has.
pub(super) fn rows_of(units: &[Unit]) -> Result<usize> {
    let rows = units.iter().map(|unit| unit.rows).try_fold(0_usize, usize::checked_add);
    Ok(rows.ok_or(gdf_core::Error::invalid_argument(
        "the number of rows exceeds the address space; read fewer rows at a time with `scan`",
    ))?)
}

/// Returns one unit for each given row group that contains at least one of the rows `rows`.
fn units(files: &[ParquetFile], row_groups: &[(usize, usize)], rows: &Range<usize>) -> Vec<Unit> {
    let (mut units, mut first) = (Vec::new(), 0_usize);
    for (file, group) in row_groups.iter().copied() {
        let count = files[file].group_rows(group);
        let start = rows.start.saturating_sub(first).min(count);
        let end = rows.end.saturating_sub(first).min(count);
        first = first.saturating_add(count);
        if start >= end {
            continue;
        }
        let is_all = (start, end) == (0, count);
        let selection = (!is_all).then(|| RowSelection::from_consecutive_ranges(std::iter::once(start..end), count));
        units.push(Unit { file, group, selection, rows: end - start });
    }
    units
}

/// Returns the statistics of row groups of the file with the number `index`, if they can be read.
pub(super) fn group_statistics(
    file: &ParquetFile,
    index: usize,
    groups: &[usize],
    column: &PlanColumn,
) -> Option<Statistics> {
    let row_counts: UInt64Array = groups.iter().map(|group| Some(file.group_rows(*group) as u64)).collect();
    let leaf = match &column.origin {
        Origin::Partition(_) => {
            let values = column.repeat(index, groups.len()).ok()?;
            let is_null = values.null_count() > 0;
            let null_counts = row_counts.iter().map(|rows| rows.map(|rows| if is_null { rows } else { 0 })).collect();
            return Some(Statistics { mins: values.clone(), maxes: values, null_counts, row_counts });
        }
        Origin::Stored { leaves } => *leaves[index].first()?,
    };
    let metadata = file.metadata.metadata();
    let chosen = || groups.iter().map(|group| metadata.row_group(*group));
    // Early versions of the format have bounds that are now deprecated. Statistics without bounds count as such, too.
    let is_deprecated = chosen().any(|group| {
        let has_bounds = |of: &Bounds| of.min_bytes_opt().is_some() || of.max_bytes_opt().is_some();
        group.column(leaf).statistics().is_some_and(|of| of.is_min_max_deprecated() && has_bounds(of))
    });
    if is_deprecated {
        return None;
    }
    let read = || {
        let converter = converter(file, column)?;
        Ok(Statistics {
            mins: as_given(converter.row_group_mins(chosen())?, column)?,
            maxes: as_given(converter.row_group_maxes(chosen())?, column)?,
            null_counts: converter.with_missing_null_counts_as_zero(false).row_group_null_counts(chosen())?,
            row_counts,
        })
    };
    usable(file, contained(read))
}

/// Returns the row count and the statistics of each page of a column in a row group.
fn page_statistics(file: &ParquetFile, unit: &Unit, column: &PlanColumn) -> Option<(Vec<usize>, Statistics)> {
    let Origin::Stored { leaves } = &column.origin else { return None };
    let leaf = *leaves[unit.file].first()?;
    let metadata = file.metadata.metadata();
    let (columns, offsets) = (metadata.column_index()?, metadata.offset_index()?);
    let pages = offsets.get(unit.group)?.get(leaf)?.page_locations().len();
    columns.get(unit.group)?.get(leaf)?;
    let groups = [unit.group];
    let read = || {
        let converter = converter(file, column)?;
        let counts = converter.data_page_row_counts(offsets, metadata.row_groups(), &groups)?;
        let Some(row_counts) = counts else { return Ok(None) };
        let converter = converter.with_missing_null_counts_as_zero(false);
        Ok(Some(Statistics {
            mins: as_given(converter.data_page_mins(columns, offsets, &groups)?, column)?,
            maxes: as_given(converter.data_page_maxes(columns, offsets, &groups)?, column)?,
            null_counts: converter.data_page_null_counts(columns, offsets, &groups)?,
            row_counts,
        }))
    };
    let statistics = usable(file, contained(read))??;
    let rows: Vec<usize> = statistics.row_counts.iter().map(|rows| rows.unwrap_or(0) as usize).collect();
    let total = rows.iter().try_fold(0_usize, |sum, rows| sum.checked_add(*rows));
    (rows.len() == pages && total == Some(file.group_rows(unit.group))).then_some((rows, statistics))
}

fn converter<'f>(
    file: &'f ParquetFile,
    column: &PlanColumn,
) -> Result<StatisticsConverter<'f>, parquet::errors::ParquetError> {
    StatisticsConverter::try_new(column.field.name(), file.metadata.schema(), file.metadata.parquet_schema())
}

/// Casts bounds to the type of the column.
fn as_given(bounds: ArrayRef, column: &PlanColumn) -> Result<ArrayRef, parquet::errors::ParquetError> {
    let is_time = |data_type: &DataType| matches!(data_type, DataType::Timestamp(..) | DataType::Time32(_));
    let is_number = |data_type: &DataType| data_type.is_integer() || gdf_core::is_floating(data_type);
    match column.field.data_type() {
        given if is_time(given) && given != bounds.data_type() => Ok(arrow_cast::cast(&bounds, given)?),
        // The file has a narrower type than other files.
        given if is_number(given) && is_number(bounds.data_type()) => Ok(arrow_cast::cast(&bounds, given)?),
        _ => Ok(bounds),
    }
}

/// Returns the statistics, if they can be read.
fn usable<T>(file: &ParquetFile, statistics: Result<T, parquet::errors::ParquetError>) -> Option<T> {
    statistics
        .map_err(|error| failure(&file.path, None, error))
        .inspect_err(|error| tracing::debug!(target: "gdf", %error, "statistics are not used"))
        .ok()
}
