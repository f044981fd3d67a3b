//! Reads several files as one sequence of record batches. The readers of CSV, JSON and Arrow IPC share this code.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, FieldRef, Schema, SchemaRef};
use gdf_driver::Device;

use crate::dataset::{Dataset, Partition};
use crate::filter::Filter;
use crate::hidden::{self, Remove};
use crate::options::{Columns, Options};
use crate::target::Target;
use crate::{Batch, Result, large, merge, names};

pub(crate) trait Decoder: Send {
    /// Returns the next batches, which one or more threads have decoded.
    ///
    /// # Errors
    /// - The file is damaged or cannot be read.
    fn next(&mut self) -> Result<Option<Vec<RecordBatch>>>;
}

/// Opens a file, to decode the columns with the given indices in the given order.
pub(crate) type Open = Box<dyn Fn(&Path, &[usize]) -> Result<Box<dyn Decoder>> + Send>;

/// The source of a column of the result.
#[derive(Clone, Debug)]
enum Origin {
    /// The column is decoded.
    Decoded(usize),
    Partition(Partition),
}

/// Batches of the columns and rows that the caller selected.
pub(crate) struct Batches {
    files: std::iter::Enumerate<std::vec::IntoIter<PathBuf>>,
    open: Open,
    current: Option<(usize, Box<dyn Decoder>)>,
    ready: VecDeque<RecordBatch>,
    schema: SchemaRef,
    /// The columns to decode, as indices of the columns of the first file.
    decoded: Vec<usize>,
    columns: Vec<Origin>,
    filter: Option<(Filter, Vec<(FieldRef, Origin)>)>,
    /// The number of rows that were decoded so far, over all files.
    row: usize,
    rows: Range<usize>,
    batch_rows: usize,
    text_limit: usize,
    device: Option<Device>,
}

impl Batches {
    /// Makes batches of the files of `dataset`, whose columns are the columns of `schema`.
    ///
    /// # Errors
    /// - [`Error::NoColumn`], [`Error::Predicate`].
    pub(crate) fn new(dataset: Dataset, schema: &SchemaRef, options: &Options, open: Open) -> Result<Batches> {
        let Dataset { files, partitions } = dataset;
        let first = files.first().cloned().unwrap_or_default();
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        let of_folder = |partition: &Partition| (partition.field.clone(), Origin::Partition(partition.clone()));
        let mut decoded = Vec::new();
        let stored = |index: usize, decoded: &mut Vec<usize>| {
            let at = decoded.iter().position(|known| *known == index).unwrap_or_else(|| {
                decoded.push(index);
                decoded.len() - 1
            });
            (schema.fields()[index].clone(), Origin::Decoded(at))
        };
        let find = |name: &str, decoded: &mut Vec<usize>| -> Result<(FieldRef, Origin)> {
            if let Some(index) = names::find(&names, name, &first)? {
                return Ok(stored(index, decoded));
            }
            let partition = partitions.iter().find(|partition| partition.field.name() == name);
            partition.map(of_folder).ok_or_else(|| names::no_column(&first, name, &names))
        };
        let folders = partitions.iter().filter(|partition| !names.contains(&partition.field.name().as_str()));
        let columns = match &options.columns {
            Columns::Named(wanted) => wanted.iter().map(|name| find(name, &mut decoded)).collect::<Result<Vec<_>>>()?,
            Columns::Numbered(wanted) => {
                let folders: Vec<&Partition> = folders.collect();
                let at = |place: &usize| match place.checked_sub(names.len()).map(|place| folders.get(place)) {
                    None => Ok(stored(*place, &mut decoded)),
                    Some(Some(partition)) => Ok(of_folder(partition)),
                    Some(None) => Err(names::no_place(&first, *place, &names)),
                };
                wanted.iter().map(at).collect::<Result<Vec<_>>>()?
            }
            Columns::All => {
                (0..names.len()).map(|index| stored(index, &mut decoded)).chain(folders.map(of_folder)).collect()
            }
        };
        let (fields, columns): (Vec<FieldRef>, Vec<Origin>) = columns.into_iter().unzip();
        let mut filter = None;
        if options.has_conditions() {
            let found = options.tested().into_iter().map(|name| find(name, &mut decoded));
            let found = found.collect::<Result<Vec<_>>>()?;
            let fields: Vec<&Field> = found.iter().map(|(field, _)| field.as_ref()).collect();
            filter = Some((Filter::of(options, &fields, &first)?, found));
        }
        let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
        Ok(Batches {
            files: files.into_iter().enumerate(),
            open,
            current: None,
            ready: VecDeque::new(),
            schema,
            decoded,
            columns,
            filter,
            row: 0,
            rows: options.rows.clone(),
            batch_rows: options.batch_rows,
            text_limit: options.text_limit,
            device: options.device,
        })
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Reads all rows into one batch.
    ///
    /// # Errors
    /// - A file is damaged, or an allocation failed.
    pub(crate) fn read(mut self, name: &'static str) -> Result<Batch> {
        Target::run(name, self.device, |target| {
            let mut batches = Vec::new();
            while let Some(batch) = self.next_arrow()? {
                batches.push(batch);
            }
            let schema = large::widen(&self.schema, &mut batches, self.text_limit)?;
            Batch::land(schema, &batches, target)
        })
    }

    /// Returns the next batch, of at most `batch_rows` rows.
    pub(crate) fn next_batch(&mut self, name: &'static str) -> Option<Result<Batch>> {
        let next = |batches: &mut Batches| {
            let Some(batch) = batches.next_arrow()? else { return Ok(None) };
            if batch.num_rows() > batches.batch_rows {
                let rest = batch.slice(batches.batch_rows, batch.num_rows() - batches.batch_rows);
                batches.ready.push_front(rest);
            }
            let batch = batch.slice(0, batch.num_rows().min(batches.batch_rows));
            Target::run(name, batches.device, |target| Ok(Some(Batch::land_one(&batch, target)?)))
        };
        let batch = next(self);
        if batch.is_err() {
            // After an error, the iterator returns no more batches.
            self.ready.clear();
            self.current = None;
            self.rows = 0..0;
        }
        batch.transpose()
    }

    fn next_arrow(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.ready.pop_front() {
                return Ok(Some(batch));
            }
            if self.row >= self.rows.end {
                return Ok(None);
            }
            let Some((file, decoder)) = &mut self.current else {
                let Some((file, path)) = self.files.next() else { return Ok(None) };
                self.current = Some((file, (self.open)(&path, &self.decoded)?));
                continue;
            };
            let file = *file;
            match decoder.next()? {
                Some(batches) => {
                    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
                    tracing::debug!(target: "gdf", file, from_row = self.row, rows, "decoded");
                    for batch in batches {
                        if let Some(batch) = self.finish(&batch, file)? {
                            self.ready.push_back(batch);
                        }
                    }
                }
                None => self.current = None,
            }
        }
    }

    /// Returns the selected rows and columns of a decoded batch.
    fn finish(&mut self, batch: &RecordBatch, file: usize) -> Result<Option<RecordBatch>> {
        let first = self.row;
        self.row += batch.num_rows();
        let start = self.rows.start.saturating_sub(first).min(batch.num_rows());
        let end = self.rows.end.saturating_sub(first).min(batch.num_rows());
        if start >= end {
            return Ok(None);
        }
        let mut batch = batch.slice(start, end - start);
        if let Some((filter, columns)) = &self.filter {
            let arrays = columns.iter().map(|(field, column)| column.widened(&batch, file, field));
            let arrays = arrays.collect::<Result<Vec<_>>>()?;
            let fields: Vec<Field> =
                arrays.iter().map(|array| Field::new("", array.data_type().clone(), true)).collect();
            let of_filter = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays);
            let mask = filter.evaluate(&of_filter.map_err(gdf_core::Error::from)?)?;
            if mask.true_count() == 0 {
                return Ok(None);
            }
            batch = arrow_select::filter::filter_record_batch(&batch, &mask).map_err(gdf_core::Error::from)?;
        }
        let columns = self.columns.iter().zip(self.schema.fields());
        let arrays = columns.map(|(column, field)| column.widened(&batch, file, field));
        let arrays = arrays.collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows())).with_match_field_names(false);
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options);
        Ok(Some(batch.map_err(gdf_core::Error::from)?))
    }
}

impl Origin {
    /// Returns the rows of the column with the type of `field`, the column of all files.
    fn widened(&self, batch: &RecordBatch, file: usize, field: &Field) -> Result<ArrayRef> {
        let array = match self {
            Origin::Decoded(at) => batch.column(*at).clone(),
            Origin::Partition(partition) => partition.repeat(file, batch.num_rows()).map_err(gdf_core::Error::from)?,
        };
        let array = hidden::cleared(&array, Remove::Nested).map_err(gdf_core::Error::from)?;
        merge::widened(array, field.data_type())
    }
}

/// Declares the iterator that a format's `scan` returns.
macro_rules! scan_iterator {
    ($(#[$doc:meta])* $name:ident, $span:literal) => {
        $(#[$doc])*
        ///
        /// The iterator ends after an error.
        pub struct $name(crate::batches::Batches);

        impl $name {
            /// Returns the names and types of the batches' columns.
            pub fn schema(&self) -> &arrow_schema::SchemaRef {
                self.0.schema()
            }
        }

        impl Iterator for $name {
            type Item = crate::Result<crate::Batch>;

            fn next(&mut self) -> Option<Self::Item> {
                self.0.next_batch($span)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name)).field("schema", self.schema()).finish_non_exhaustive()
            }
        }
    };
}

pub(crate) use scan_iterator;
