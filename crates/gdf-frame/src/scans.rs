//! Lazy frames over files, which are read when the frames are collected.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_schema::Schema;
use gdf_core::{Error, Result, SchemaRef, Table};
use gdf_driver::Device;
use gdf_io::Predicate;

use crate::columns::Columns;
use crate::expr::Expr;
use crate::lazy::LazyFrame;
use crate::names::check_names;
use crate::plan::{Plan, Scan, ScanRequest, ScannedBatches, ScannedPiece};
use crate::predicates::predicate_of;

/// A reader of files with the options of its user.
struct Files<R> {
    reader: R,
    text: String,
    /// The columns that the user selected, or all columns of the files.
    schema: SchemaRef,
    device: Device,
}

/// The functions that the readers of all formats have.
trait Reader: Clone + Send + Sync + Sized + 'static {
    type Batches: Iterator<Item = gdf_io::Result<gdf_io::Batch>> + Send + 'static;

    fn selects(&self) -> bool;
    fn with_columns(self, names: &[Arc<str>]) -> Self;
    fn with_predicate(self, predicate: Predicate) -> Self;
    fn with_batch_rows(self, rows: usize) -> Self;
    fn on_device(self, device: Device) -> Self;
    fn batches(self) -> gdf_io::Result<Self::Batches>;
    fn schema_of(batches: &Self::Batches) -> SchemaRef;
    fn max_batch_rows(&self) -> usize;

    /// Returns pieces that threads can read at the same time, or `None` if the format has no such pieces.
    fn pieces(self) -> gdf_io::Result<Option<Vec<ReadPiece>>>;

    /// Returns the reader with types that columns of all rows can have. The rows of a frame may come together in any
    /// verb.
    fn with_types_of_all_rows(self) -> gdf_io::Result<Self>;

    /// Returns the number of rows of the files, if it is known.
    fn num_rows(&self) -> Option<usize>;
}

type ReadPiece = Box<dyn FnOnce() -> gdf_io::Result<gdf_io::Batch> + Send>;

impl<R: Reader> Scan for Files<R> {
    fn text(&self) -> String {
        self.text.clone()
    }

    fn open(&self, request: &ScanRequest) -> Result<ScannedBatches> {
        let batches = self.begin(request, request.batch_rows, R::batches)?;
        let names = request.columns.clone();
        Ok(Box::new(batches.map(move |batch| selected(batch, &names))))
    }

    fn pieces(&self, request: &ScanRequest, rows: usize) -> Result<Option<Vec<ScannedPiece>>> {
        let piece = |piece: ReadPiece| {
            let names = request.columns.clone();
            Box::new(move || selected(piece(), &names)) as ScannedPiece
        };
        let pieces = self.begin(request, Some(rows), R::pieces)?;
        Ok(pieces.map(|pieces| pieces.into_iter().map(piece).collect()))
    }

    fn num_rows(&self) -> Option<usize> {
        self.reader.num_rows()
    }

    fn batch_rows(&self) -> usize {
        self.reader.max_batch_rows()
    }

    fn pushed(&self, conditions: &[Expr]) -> Option<String> {
        predicate_of(conditions, &self.schema).map(|predicate| predicate.to_string())
    }
}

impl<R: Reader> Files<R> {
    /// Calls `read` with a reader of the columns and rows of the request.
    fn begin<T>(&self, request: &ScanRequest, rows: Option<usize>, read: impl Fn(R) -> gdf_io::Result<T>) -> Result<T> {
        let mut reader = self.reader.clone().on_device(self.device);
        if !self.reader.selects() {
            reader = reader.with_columns(&request.columns);
        }
        if let Some(rows) = rows {
            reader = reader.with_batch_rows(rows);
        }
        Ok(match predicate_of(&request.conditions, &self.schema) {
            // A reader that does not support the predicate reads all rows. The frame applies the conditions in any
            // case.
            Some(predicate) => match read(reader.clone().with_predicate(predicate)) {
                Err(gdf_io::Error::Predicate { .. }) => read(reader)?,
                found => found?,
            },
            None => read(reader)?,
        })
    }
}

/// Returns the columns of a batch with these names.
fn selected(batch: gdf_io::Result<gdf_io::Batch>, names: &[Arc<str>]) -> Result<Columns> {
    let (schema, table) = batch?.into_parts();
    Columns::trusted(schema, table).select_names(names)
}

fn lazy<R: Reader>(reader: R, format: &str, path: Option<&Path>) -> Result<LazyFrame> {
    if let Some(path) = path {
        check_readable_again(path)?;
    }
    let reader = reader.with_types_of_all_rows()?;
    let schema = R::schema_of(&reader.clone().batches()?);
    check_names(schema.fields().iter().map(|field| field.name().as_str()))?;
    let device = gdf_api::scope::current_device();
    let text = path.map_or_else(|| format!("{format} files"), |path| format!("{format} {}", path.display()));
    let source = empty(&schema, device)?;
    let scan: Arc<dyn Scan> = Arc::new(Files { reader, text, schema, device });
    Ok(LazyFrame(Plan::of_scan(source, scan)))
}

/// Refuses a pipe, which cannot be read a second time.
fn check_readable_again(path: &Path) -> Result<()> {
    let is_pipe = std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
    match path == Path::new("-") || is_pipe {
        true => {
            Err(Error::invalid_argument("a pipe cannot be scanned, because a lazy frame may read it several times")
                .with_remedy("read it with `gdf::io` and call `Frame::lazy`"))
        }
        false => Ok(()),
    }
}

fn empty(schema: &Schema, device: Device) -> Result<Columns> {
    gdf_api::scope::with_device(device, || {
        let column = |field: &Arc<arrow_schema::Field>| gdf_core::Column::empty(field.data_type());
        let columns = schema.fields().iter().map(column).collect::<Result<Vec<_>>>()?;
        Ok(Columns::trusted(Arc::new(schema.clone()), Table::try_with_rows(columns, 0)?))
    })
}

#[cfg(feature = "parquet")]
fn parquet_pieces(reader: gdf_io::ParquetReader) -> gdf_io::Result<Option<Vec<ReadPiece>>> {
    let piece = |piece: gdf_io::ParquetPiece| Box::new(move || piece.read()) as ReadPiece;
    Ok(Some(reader.pieces()?.into_iter().map(piece).collect()))
}

impl Columns {
    fn select_names(&self, names: &[Arc<str>]) -> Result<Columns> {
        let positions = names.iter().map(|name| self.position_of(name)).collect::<Result<Vec<_>>>()?;
        let fields = positions.iter().map(|position| self.field(*position).clone()).collect();
        Ok(self.replaced(fields, self.table().select(&positions)?))
    }
}

/// Declares the scan of a format.
macro_rules! scan {
    (
        $feature:literal, $format:literal, $function:ident, $reader:ident, $batches:ident, $pieces:expr, $types:expr,
        $rows:expr, $($doc:literal)*
    ) => {
        #[cfg(feature = $feature)]
        impl Reader for gdf_io::$reader {
            type Batches = gdf_io::$batches;

            fn selects(&self) -> bool {
                self.selects_columns()
            }

            fn with_columns(self, names: &[Arc<str>]) -> Self {
                self.columns(names.iter().map(|name| name.to_string()))
            }

            fn with_predicate(self, predicate: Predicate) -> Self {
                self.and_predicate(predicate)
            }

            fn with_batch_rows(self, rows: usize) -> Self {
                self.batch_rows(rows)
            }

            fn on_device(self, device: Device) -> Self {
                self.on(device)
            }

            fn batches(self) -> gdf_io::Result<Self::Batches> {
                self.scan()
            }

            fn schema_of(batches: &Self::Batches) -> SchemaRef {
                batches.schema().clone()
            }

            fn max_batch_rows(&self) -> usize {
                self.max_batch_rows()
            }

            fn pieces(self) -> gdf_io::Result<Option<Vec<ReadPiece>>> {
                $pieces(self)
            }

            fn with_types_of_all_rows(self) -> gdf_io::Result<Self> {
                $types(self)
            }

            fn num_rows(&self) -> Option<usize> {
                $rows(self)
            }
        }

        #[cfg(feature = $feature)]
        impl LazyFrame {
            $(#[doc = $doc])*
            ///
            /// # Errors
            /// * [`Source`](Error::Source): the files cannot be read; [`DuplicateName`](Error::DuplicateName).
            /// * [`InvalidArgument`](Error::InvalidArgument): the path is a pipe, which cannot be read twice.
            pub fn $function(path: impl AsRef<Path>) -> Result<LazyFrame> {
                let path: PathBuf = path.as_ref().to_owned();
                check_readable_again(&path)?;
                lazy(gdf_io::$reader::open(&path)?, $format, Some(&path))
            }
        }

        /// Makes a lazy frame over the files of a reader with options. Batches have the number of rows that the reader
        /// is set to, unless memory has a limit. The files must not be pipes.
        ///
        /// # Errors
        /// * [`Source`](Error::Source): the files cannot be read; [`DuplicateName`](Error::DuplicateName).
        #[cfg(feature = $feature)]
        impl TryFrom<gdf_io::$reader> for LazyFrame {
            type Error = Error;

            fn try_from(reader: gdf_io::$reader) -> Result<LazyFrame> {
                lazy(reader, $format, None)
            }
        }
    };
}

scan!("parquet", "parquet", scan_parquet, ParquetReader, ParquetScan, parquet_pieces, Self::types_of_read,
    |of: &Self| Some(of.num_rows()),
    "Returns a lazy frame over a Parquet file, a pattern or a folder, on the current device. [`collect`](Self::collect) reads"
    "the files batch by batch, and reads the next batch while a batch is used."
    ""
    "Only the columns that the verbs need are read. If the first verbs are `filter`, their comparisons of columns with"
    "values leave out row groups and pages by their statistics. [`explain`](Self::explain) shows both. The files are read"
    "again at each `collect`, and must not change meanwhile. See [`ParquetReader`](gdf_io::ParquetReader)."
    ""
    "If rows are joined and columns of both sides are needed, each scan reads all its columns, because a name of the"
    "result does not tell the side. A `select` on each side before the join avoids this."
    ""
    "```"
    "use gdf::Column;"
    "use gdf::frame::{Frame, LazyFrame, col};"
    "# let folder = tempfile::tempdir()?;"
    "# let path = folder.path().join(\"t.parquet\");"
    ""
    "let trips = Frame::try_new([(\"km\", Column::from_slice(&[2, 30, 4])?), (\"day\", Column::from_slice(&[1, 1, 2])?)])?;"
    "# gdf_io::write_parquet(&trips.to_batch()?, &path)?;"
    "// The file has the rows of `trips`."
    "let long = LazyFrame::scan_parquet(&path)?.filter(col(\"km\").gt(3)).select([col(\"km\").sum()]);"
    "assert!(long.explain().contains(\"columns km, rows with km > 3\"));"
    "assert_eq!(long.collect()?.column(\"km\")?.get(0)?, Some(34_i64));"
    "# Ok::<(), Box<dyn std::error::Error>>(())"
    "```"
);
scan!("csv", "csv", scan_csv, CsvReader, CsvScan, |_| Ok(None), Ok, |_| None,
    "Does the same as [`scan_parquet`](Self::scan_parquet) for CSV files. The types of the columns are inferred now, and"
    "again at each `collect`. Only cells of the columns that the verbs need are decoded. See"
    "[`CsvReader`](gdf_io::CsvReader)."
);
scan!("json", "json", scan_json, JsonReader, JsonScan, |_| Ok(None), Ok, |_| None,
    "Does the same as [`scan_parquet`](Self::scan_parquet) for JSON files. The types of the columns are inferred now, and"
    "again at each `collect`. See [`JsonReader`](gdf_io::JsonReader)."
);
scan!("ipc", "ipc", scan_ipc, IpcReader, IpcScan, |_| Ok(None), Ok, |_| None,
    "Does the same as [`scan_parquet`](Self::scan_parquet) for files and streams of Arrow IPC. See"
    "[`IpcReader`](gdf_io::IpcReader)."
);
