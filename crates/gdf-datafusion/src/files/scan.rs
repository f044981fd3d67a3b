//! Reads files with gdf-io.

use std::fmt;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef};
use gdf_api::concatenate::concatenate;
use gdf_api::filling::from_scalar;
use gdf_core::{Literal, Table, TableView};
use gdf_io::{Batch, CsvReader, IpcReader, JsonReader, ParquetReader, Predicate};

use super::FileFormat;
use crate::edge::{retyped, upload};
use crate::error::{IslandError, Result};
use crate::types::{plain_types, same};

/// The files, columns and rows that a query reads.
#[derive(Clone, Debug)]
pub(crate) struct FileScan {
    pub(super) path: PathBuf,
    pub(super) format: FileFormat,
    pub(super) columns: Vec<usize>,
    /// The fields of the columns, as the table declares them.
    pub(super) schema: SchemaRef,
    pub(super) predicate: Option<Predicate>,
    pub(super) limit: Option<usize>,
}

type Batches = Box<dyn Iterator<Item = gdf_io::Result<Batch>>>;

/// Calls the macro `$body` with an open reader for the format.
macro_rules! with_reader {
    ($format:expr, $path:expr, $body:ident) => {
        match $format {
            FileFormat::Parquet => $body!(ParquetReader::open($path)?),
            FileFormat::Csv => $body!(CsvReader::open($path)?),
            FileFormat::Tsv => $body!(CsvReader::open($path)?.delimiter(b'\t')),
            FileFormat::Json => $body!(JsonReader::open($path)?),
            FileFormat::Arrow => $body!(IpcReader::open($path)?),
        }
    };
}

/// Returns the schema of files, and the number of their rows. The number is `None` if the format does not store it.
pub(super) fn described(path: &Path, format: FileFormat) -> Result<(SchemaRef, Option<usize>), IslandError> {
    if format == FileFormat::Parquet {
        let reader = ParquetReader::open(path)?;
        return Ok((reader.schema(), Some(reader.num_rows())));
    }
    macro_rules! schema {
        ($reader:expr) => {
            $reader.rows(0..0).scan()?.schema().clone()
        };
    }
    Ok((with_reader!(format, path, schema), None))
}

impl FileScan {
    /// Reads the rows to the current device, as columns with plain types.
    pub(crate) fn read(&self) -> Result<Table> {
        let batches = match (&self.predicate, self.limit) {
            // The number of rows that match the predicate is known only after the rows are read.
            (Some(_), Some(_)) => self.first_batches()?,
            _ => vec![self.whole()?],
        };
        let tables = batches.iter().map(|batch| self.plain(batch)).collect::<Result<Vec<Table>>>()?;
        match <[Table; 1]>::try_from(tables) {
            Ok([table]) => Ok(table),
            Err(tables) if tables.is_empty() => self.no_rows(),
            Err(tables) if self.columns.is_empty() => {
                Ok(Table::try_with_rows(Vec::new(), tables.iter().map(Table::num_rows).sum())?)
            }
            Err(tables) => Ok(concatenate(&tables.iter().map(Table::view).collect::<Vec<TableView<'_>>>())?),
        }
    }

    /// Returns batches of at most `rows` rows, with the types that the table declares. If there is a predicate, the
    /// limit is not applied.
    pub(super) fn declared(&self, rows: usize) -> Result<impl Iterator<Item = Result<RecordBatch>> + use<>> {
        let scan = self.clone();
        let declared = move |batch: gdf_io::Result<Batch>| {
            let batch = batch.map_err(IslandError::from)?;
            scan.check_names(batch.schema())?;
            retyped(&batch.to_arrow()?, &scan.schema)
        };
        Ok(self.batches(rows)?.map(declared))
    }

    /// Checks that the columns that were read have the names that the table declares.
    fn check_names(&self, found: &SchemaRef) -> Result<(), IslandError> {
        let (found, declared) = (found.fields(), self.schema.fields());
        let are_same = found.iter().zip(declared).all(|(found, declared)| found.name() == declared.name());
        match are_same && found.len() == declared.len() {
            true => Ok(()),
            false => Err(IslandError::Changed { path: self.path.clone() }),
        }
    }

    fn whole(&self) -> Result<Batch, IslandError> {
        macro_rules! read {
            ($reader:expr) => {{
                let mut reader = $reader.column_indices(self.columns.iter().copied());
                if let Some(predicate) = &self.predicate {
                    reader = reader.predicate(predicate.clone());
                }
                if let Some(limit) = self.limit {
                    reader = reader.rows(..limit);
                }
                reader.read()?
            }};
        }
        Ok(with_reader!(self.format, &self.path, read))
    }

    fn batches(&self, rows: usize) -> Result<Batches, IslandError> {
        macro_rules! scan {
            ($reader:expr) => {{
                let mut reader = $reader.column_indices(self.columns.iter().copied()).batch_rows(rows);
                match (&self.predicate, self.limit) {
                    (Some(predicate), _) => reader = reader.predicate(predicate.clone()),
                    (None, Some(limit)) => reader = reader.rows(..limit),
                    (None, None) => {}
                }
                Box::new(reader.scan()?) as Batches
            }};
        }
        Ok(with_reader!(self.format, &self.path, scan))
    }

    /// Returns the first batches. Together they have as many rows as the limit, or fewer if the files have fewer rows.
    fn first_batches(&self) -> Result<Vec<Batch>, IslandError> {
        const BATCH_ROWS: usize = 1 << 20;
        let mut missing = self.limit.unwrap_or(usize::MAX);
        let mut kept = Vec::new();
        let mut batches = self.batches(BATCH_ROWS)?;
        while missing > 0 {
            let Some(batch) = batches.next() else { break };
            let batch = batch?;
            let batch = batch.slice(0, batch.num_rows().min(missing))?;
            missing -= batch.num_rows();
            kept.push(batch);
        }
        Ok(kept)
    }

    fn plain(&self, batch: &Batch) -> Result<Table> {
        let types = plain_types(&self.schema).map_err(|refusal| IslandError::internal(refusal.to_string()))?;
        let table = batch.table();
        self.check_names(batch.schema())?;
        if table.data_types().zip(&types).all(|(found, wanted)| same(found, wanted)) {
            return Ok(table.clone());
        }
        // Columns that are views or dictionaries in the file become columns of values.
        let batch = batch.to_arrow()?;
        for (found, declared) in batch.schema().fields().iter().zip(self.schema.fields()) {
            let path = || self.path.clone();
            match (found.data_type(), declared.data_type()) {
                (found, declared) if found == declared => {}
                // gdf-io uses 64-bit offsets for columns with more than 2 GiB of text.
                (DataType::LargeUtf8, DataType::Utf8) | (DataType::LargeBinary, DataType::Binary) => {
                    return Err(IslandError::LongText { path: path(), column: declared.name().clone() }.into());
                }
                _ => return Err(IslandError::Changed { path: path() }.into()),
            }
        }
        upload(&self.schema, &[batch])
    }

    fn no_rows(&self) -> Result<Table> {
        let types = plain_types(&self.schema).map_err(|refusal| IslandError::internal(refusal.to_string()))?;
        let columns = types.iter().map(|data_type| from_scalar(Literal::null(data_type), 0));
        Ok(Table::try_with_rows(columns.collect::<gdf_core::Result<_>>()?, 0)?)
    }
}

impl fmt::Display for FileScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns: Vec<&str> = self.schema.fields().iter().map(|field| field.name().as_str()).collect();
        write!(f, "path={}, format={}, columns=[{}]", self.path.display(), self.format.name(), columns.join(", "))?;
        if let Some(predicate) = &self.predicate {
            write!(f, ", predicate={predicate}")?;
        }
        match self.limit {
            Some(limit) => write!(f, ", limit={limit}"),
            None => Ok(()),
        }
    }
}
