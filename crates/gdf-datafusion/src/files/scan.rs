//! Reads files with gdf-io.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::Expr;
use gdf_api::concatenate::concatenate;
use gdf_api::filling::from_scalar;
use gdf_core::{Literal, Table, TableView};
use gdf_exec::{Piece, Pieces, Scan, ScanRequest, plain, plain_types, row_bytes, rows_of};
use gdf_io::{Batch, IpcReader, ParquetPiece, ParquetReader, Predicate};

use super::predicate::predicate;
use super::{FileFormat, FileOptions};
use crate::edge::{narrowed, retyped, upload};
use crate::error::{IslandError, Result};
use crate::schema::{name_in_file, table_schema};

/// The selection of files, columns and rows that a query reads.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Selection {
    /// The files, patterns and folders. There is at least one.
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) format: FileFormat,
    pub(crate) options: FileOptions,
    /// The columns of the files, as the table declares them.
    pub(crate) table: SchemaRef,
    pub(crate) columns: Vec<usize>,
    /// The scan returns the rows that pass all of these filters.
    pub(crate) filters: Vec<Expr>,
    pub(crate) limit: Option<usize>,
    /// The rows that are read, counted before the filters, or `None` for all rows.
    pub(crate) rows: Option<Range<usize>>,
}

/// The smallest number of rows that are decoded at a time.
pub(super) const FEWEST_ROWS: usize = 1 << 16;
/// The largest number of rows of a piece when all rows are read at once, but have too much text for one read.
const LONG_ROWS: usize = 1 << 22;

/// A scan of a [`Selection`].
#[derive(Clone, Debug)]
pub(crate) struct FileScan {
    selection: Selection,
    /// The number of rows that are read before the predicate, if it is known.
    pub(super) known_rows: Option<usize>,
    /// The number of bytes of the texts of the selected column that has most of them, if it is known.
    pub(crate) text_bytes: Option<u64>,
    /// The fields of the selected columns.
    pub(super) schema: SchemaRef,
    pub(super) predicate: Option<Predicate>,
}

type Batches = Box<dyn Iterator<Item = gdf_io::Result<Batch>> + Send>;

/// Calls the macro `$body` with an open reader for the format.
macro_rules! with_reader {
    ($format:expr, $paths:expr, $options:expr, $body:ident) => {
        match $format {
            FileFormat::Parquet => $body!(open_parquet($paths)?),
            format @ (FileFormat::Csv | FileFormat::Tsv) => $body!($options.csv($paths, format)?),
            FileFormat::Json => $body!($options.json($paths)?),
            FileFormat::Arrow => $body!(IpcReader::open_all($paths)?),
        }
    };
}

/// Selects the columns and rows of a scan from a reader.
macro_rules! selected {
    ($scan:expr, $reader:expr) => {{
        let mut reader = $reader.column_indices($scan.selection.columns.iter().copied());
        if let Some(predicate) = &$scan.predicate {
            reader = reader.predicate(predicate.clone());
        }
        if let Some(rows) = $scan.row_range() {
            reader = reader.rows(rows);
        }
        reader
    }};
}

fn open_parquet(paths: &[PathBuf]) -> gdf_io::Result<ParquetReader> {
    ParquetReader::open_all(paths)?.narrow_decimals()
}

/// The columns of files.
pub(super) struct Described {
    pub(super) schema: SchemaRef,
    /// A reader of the files, if their footers state more than the schema.
    pub(super) reader: Option<ParquetReader>,
}

/// Reads the schema of files.
pub(super) fn described(
    paths: &[PathBuf],
    format: FileFormat,
    options: &FileOptions,
) -> Result<Described, IslandError> {
    if format == FileFormat::Parquet {
        let reader = ParquetReader::open_all(paths)?;
        // Pieces and batches have these types. A read of all rows may have wider ones.
        let schema = table_schema(reader.clone().scan()?.schema());
        return Ok(Described { schema, reader: Some(reader) });
    }
    macro_rules! schema {
        ($reader:expr) => {
            table_schema($reader.rows(0..0).scan()?.schema())
        };
    }
    Ok(Described { schema: with_reader!(format, paths, options, schema), reader: None })
}

impl FileScan {
    /// Makes a scan.
    ///
    /// # Errors
    /// * [`DataFusionError::Plan`]: scans do not support a filter.
    /// * [`DataFusionError::ArrowError`]: a column does not exist.
    pub(crate) fn new(selection: Selection) -> datafusion::error::Result<FileScan> {
        let of_filter = |filter: &Expr| {
            predicate(filter, &selection.table).ok_or_else(|| {
                DataFusionError::Plan(format!("GdfFiles::scan: the scan does not support the filter `{filter}`"))
            })
        };
        let predicates = selection.filters.iter().map(of_filter).collect::<Result<Vec<Predicate>, _>>()?;
        let schema = Arc::new(selection.table.project(&selection.columns)?);
        let predicate = predicates.into_iter().reduce(Predicate::and);
        Ok(FileScan { known_rows: None, text_bytes: None, schema, predicate, selection })
    }

    pub(crate) fn selection(&self) -> &Selection {
        &self.selection
    }

    /// Returns the text of all paths.
    pub(crate) fn paths(&self) -> String {
        let paths = self.selection.paths.iter().map(|path| path.display().to_string());
        paths.collect::<Vec<String>>().join(" and ")
    }

    pub(super) fn limit(&self) -> Option<usize> {
        self.selection.limit
    }

    /// Returns the scan of the rows in `rows` only, counted before the filters.
    pub(super) fn part(&self, rows: Range<usize>) -> FileScan {
        let mut part = self.clone();
        part.selection.rows = Some(rows);
        part
    }

    /// Returns the rows that are read, or `None` for all rows. A limit without a predicate is part of the range.
    fn row_range(&self) -> Option<Range<usize>> {
        match (&self.predicate, self.limit(), &self.selection.rows) {
            (None, Some(limit), None) => Some(0..limit),
            (None, Some(limit), Some(rows)) => Some(rows.start..rows.end.min(rows.start.saturating_add(limit))),
            (_, _, rows) => rows.clone(),
        }
    }

    /// Reads the rows to the current device, as columns with plain types.
    fn read(&self) -> Result<Table> {
        let batches = match (&self.predicate, self.limit()) {
            // With a predicate, the number of rows to read for the limit is known only while the rows are read.
            (Some(_), Some(_)) => self.first_batches()?,
            _ => self.whole()?,
        };
        let tables = batches.iter().map(|batch| self.plain(batch)).collect::<Result<Vec<Table>>>()?;
        match <[Table; 1]>::try_from(tables) {
            Ok([table]) => Ok(table),
            Err(tables) if tables.is_empty() => self.no_rows(),
            Err(tables) if self.selection.columns.is_empty() => {
                Ok(Table::try_with_rows(Vec::new(), tables.iter().map(Table::num_rows).sum())?)
            }
            Err(tables) => Ok(concatenate(&tables.iter().map(Table::view).collect::<Vec<TableView<'_>>>())?),
        }
    }

    /// Reads tables of at most `rows` rows to the current device, one after another, with plain types. There is at
    /// least one table.
    fn tables(&self, rows: usize) -> Result<impl Iterator<Item = Result<Table>> + Send + use<>> {
        let (scan, mut missing) = (self.clone(), self.limit().unwrap_or(usize::MAX));
        let mut batches = self.batches(rows)?;
        let mut is_empty = true;
        Ok(std::iter::from_fn(move || {
            let Some(next) = (missing > 0).then(|| batches.next()).flatten() else {
                return std::mem::take(&mut is_empty).then(|| scan.no_rows());
            };
            is_empty = false;
            let table = next.map_err(|error| IslandError::from(error).into()).and_then(|batch| scan.plain(&batch));
            let table = table.and_then(|table| Ok(table.slice(0, table.num_rows().min(missing))?));
            missing -= table.as_ref().map_or(0, Table::num_rows);
            Some(table)
        }))
    }

    /// Returns [`tables`](Self::tables) as pieces that are read when the iterator returns them.
    fn read_pieces(&self, rows: usize) -> Result<Pieces> {
        let piece = |table: Result<Table>| Ok(Box::new(move || Ok(table?)) as Piece);
        Ok(Box::new(self.tables(rows)?.map(piece)))
    }

    /// Returns pieces of row groups with about `rows` rows. Returns `None` for other formats, and if only a reader of
    /// all rows before knows which rows are within the limit.
    fn row_groups(&self, rows: usize) -> Result<Option<Pieces>> {
        if self.selection.format != FileFormat::Parquet || (self.predicate.is_some() && self.limit().is_some()) {
            return Ok(None);
        }
        let scan = Arc::new(self.clone());
        let pieces = || -> gdf_io::Result<Vec<ParquetPiece>> {
            selected!(self, open_parquet(&self.selection.paths)?).batch_rows(rows).pieces()
        };
        let piece = move |piece: ParquetPiece| {
            let scan = Arc::clone(&scan);
            let read = move || scan.plain(&piece.read().map_err(IslandError::from)?);
            Ok(Box::new(move || Ok(read()?)) as Piece)
        };
        Ok(Some(Box::new(pieces().map_err(IslandError::from)?.into_iter().map(piece))))
    }

    /// Returns batches of at most `rows` rows, with the types that the table declares. A limit beside a predicate is
    /// not applied.
    pub(super) fn declared(&self, rows: usize) -> Result<impl Iterator<Item = Result<RecordBatch>> + use<>> {
        let scan = self.clone();
        let declared = move |batch: gdf_io::Result<Batch>| -> Result<RecordBatch> {
            let batch = batch.map_err(IslandError::from)?;
            scan.check_names(batch.schema())?;
            Ok(retyped(&batch.to_arrow()?, &scan.schema)?)
        };
        Ok(self.batches(rows)?.map(declared))
    }

    /// Returns the first path, for errors.
    fn path(&self) -> PathBuf {
        self.selection.paths.first().cloned().unwrap_or_default()
    }

    fn check_names(&self, found: &SchemaRef) -> Result<(), IslandError> {
        let (found, declared) = (found.fields(), self.schema.fields());
        let are_same = found.iter().zip(declared).all(|(found, declared)| found.name() == name_in_file(declared));
        match are_same && found.len() == declared.len() {
            true => Ok(()),
            false => Err(IslandError::Changed { path: self.path() }),
        }
    }

    /// Reads all rows, as one batch or as pieces.
    fn whole(&self) -> Result<Vec<Batch>, IslandError> {
        macro_rules! read {
            ($reader:expr) => {
                vec![selected!(self, $reader).read()?]
            };
        }
        // One read would have 64-bit offsets, even if the predicate leaves few rows.
        let is_long = self.text_bytes.is_some_and(|bytes| i32::try_from(bytes).is_err());
        if is_long && self.selection.format == FileFormat::Parquet {
            let pieces = selected!(self, open_parquet(&self.selection.paths)?).batch_rows(LONG_ROWS).pieces()?;
            return Ok(pieces.iter().map(ParquetPiece::read).collect::<gdf_io::Result<_>>()?);
        }
        Ok(with_reader!(self.selection.format, &self.selection.paths, self.selection.options, read))
    }

    fn batches(&self, rows: usize) -> Result<Batches, IslandError> {
        macro_rules! scan {
            ($reader:expr) => {
                Box::new(selected!(self, $reader).batch_rows(rows).scan()?) as Batches
            };
        }
        Ok(with_reader!(self.selection.format, &self.selection.paths, self.selection.options, scan))
    }

    /// Reads batches until they have as many rows together as the limit, or until the end of the files.
    fn first_batches(&self) -> Result<Vec<Batch>, IslandError> {
        const BATCH_ROWS: usize = 1 << 20;
        let mut missing = self.limit().unwrap_or(usize::MAX);
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
        let types = plain_types(&self.schema).map_err(|error| IslandError::internal(error.to_string()))?;
        let table = batch.table();
        self.check_names(batch.schema())?;
        if let Some(table) = narrowed(table, &types)? {
            return Ok(table);
        }
        // Columns that are views or dictionaries in the file become columns of values.
        let batch = batch.to_arrow()?;
        for (found, declared) in batch.schema().fields().iter().zip(self.schema.fields()) {
            let path = || self.path();
            match (found.data_type(), declared.data_type()) {
                (found, declared) if found == declared => {}
                (DataType::Decimal64(..), wide) if plain(wide).is_ok_and(|narrow| narrow == *found.data_type()) => {}
                // Dictionaries have wider keys in the table, or are columns of values.
                (DataType::Dictionary(_, values), DataType::Dictionary(_, declared)) if values == declared => {}
                (DataType::Dictionary(_, values), declared) if values.as_ref() == declared => {}
                // The footers did not state before the query that the column has more than 2 GiB of text.
                (DataType::LargeUtf8, DataType::Utf8) | (DataType::LargeBinary, DataType::Binary) => {
                    return Err(IslandError::LongText { path: path(), column: declared.name().clone() }.into());
                }
                _ => return Err(IslandError::Changed { path: path() }.into()),
            }
        }
        Ok(upload(&batch.schema(), std::slice::from_ref(&batch))?)
    }

    fn no_rows(&self) -> Result<Table> {
        let types = plain_types(&self.schema).map_err(|error| IslandError::internal(error.to_string()))?;
        let columns = types.iter().map(|data_type| from_scalar(Literal::null(data_type), 0));
        Ok(Table::try_with_rows(columns.collect::<gdf_core::Result<_>>()?, 0)?)
    }
}

impl Scan for FileScan {
    fn text(&self) -> String {
        self.paths()
    }

    fn num_rows(&self) -> Option<usize> {
        self.known_rows
    }

    fn read_bytes(&self) -> Option<usize> {
        Some(self.known_rows?.saturating_mul(row_bytes(self.schema.fields().iter().map(|field| field.data_type()))))
    }

    fn text_bytes(&self) -> Option<u64> {
        self.text_bytes
    }

    fn open(&self, request: &ScanRequest) -> gdf_exec::Result<Pieces> {
        let types = || self.schema.fields().iter().map(|field| field.data_type());
        Ok(match *request {
            ScanRequest::Whole => {
                let scan = self.clone();
                Box::new(std::iter::once(Ok(Box::new(move || Ok(scan.read()?)) as Piece)))
            }
            ScanRequest::Pieces { bytes, rows } => {
                let rows = rows.unwrap_or_else(|| rows_of(bytes, types())).max(1);
                match self.row_groups(rows)? {
                    Some(pieces) => pieces,
                    None => self.read_pieces(rows.max(FEWEST_ROWS))?,
                }
            }
            ScanRequest::Limited(bytes) => self.read_pieces(rows_of(bytes, types()))?,
        })
    }

    fn is_same(&self, other: &dyn Scan) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<FileScan>().is_some_and(|other| other.selection == self.selection)
    }
}

impl fmt::Display for FileScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns: Vec<&str> = self.schema.fields().iter().map(|field| field.name().as_str()).collect();
        let Selection { format, rows, limit, .. } = &self.selection;
        write!(f, "path={}, format={}, columns=[{}]", self.paths(), format.name(), columns.join(", "))?;
        if let Some(rows) = rows {
            write!(f, ", rows={}..{}", rows.start, rows.end)?;
        }
        if let Some(predicate) = &self.predicate {
            write!(f, ", predicate={predicate}")?;
        }
        match limit {
            Some(limit) => write!(f, ", limit={limit}"),
            None => Ok(()),
        }
    }
}
