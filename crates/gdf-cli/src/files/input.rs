//! The files that a command reads, and the selection of their rows and columns.

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use gdf::arrow::array::RecordBatch;
use gdf::arrow::schema::{Schema, SchemaRef};
use gdf::io::{Batch, CsvReader, IpcReader, JsonReader, ParquetReader, Predicate, command, merged_schema};
use gdf::{Device, Table};
use indicatif::{ProgressBar, ProgressStyle};

use super::condition;
use super::dialect::Dialect;
use super::format::{Format, STANDARD_INPUT};

#[derive(clap::Args)]
pub(crate) struct Input {
    /// Files, folders of files, patterns such as 'data/*.parquet', or - for the standard input
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) selection: Selection,
}

/// The selection of columns and rows to read.
#[derive(Clone, clap::Args)]
pub(crate) struct Selection {
    /// Read only these columns, in this order
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub(super) columns: Option<Vec<String>>,
    /// Read only rows that meet a condition: "price > 3 and (city = 'Lyon' or city is null)"
    #[arg(long, value_name = "CONDITION", value_parser = condition::parse)]
    pub(super) r#where: Option<Predicate>,
    /// The device on which columns are created: cpu, cuda:0, …
    #[arg(long, default_value = "cpu")]
    pub(super) device: Device,
    /// The format of the files [default: by extension, else by content]
    #[arg(long)]
    pub(super) format: Option<Format>,
    #[command(flatten)]
    dialect: Dialect,
}

/// The batches of one path.
pub(super) struct Scan {
    pub(super) schema: SchemaRef,
    pub(super) batches: Box<dyn Iterator<Item = gdf::io::Result<Batch>>>,
}

impl Selection {
    pub(super) fn format_of(&self, path: &Path) -> Result<Format> {
        let format = self.format.map_or_else(|| Format::of(path), Ok)?;
        if matches!(format, Format::Parquet | Format::Arrow) && path == Path::new(STANDARD_INPUT) {
            bail!("the standard input must be CSV or JSON; write {format:?} to a file, and name the file");
        }
        Ok(format)
    }

    /// Scans the given rows of a path in batches of at most `batch_rows` rows. The range `rows` counts all rows,
    /// whether or not they meet the condition.
    pub(super) fn scan(&self, path: &Path, rows: Range<usize>, batch_rows: usize) -> Result<Scan> {
        macro_rules! scan {
            ($reader:expr) => {{
                let mut reader = $reader.rows(rows).batch_rows(batch_rows).on(self.device);
                if let Some(columns) = &self.columns {
                    reader = reader.columns(columns.iter().cloned());
                }
                if let Some(predicate) = &self.r#where {
                    reader = reader.predicate(predicate.clone());
                }
                let scan = reader.scan()?;
                Scan { schema: scan.schema().clone(), batches: Box::new(scan) }
            }};
        }
        let format = self.format_of(path)?;
        if !matches!(format, Format::Csv | Format::Tsv) {
            self.dialect.check_unused(format)?;
        }
        Ok(match format {
            Format::Parquet => scan!(ParquetReader::open(path)?),
            Format::Csv => scan!(self.dialect.reader(CsvReader::open(path)?)?),
            Format::Tsv => {
                let reader = CsvReader::open(path)?.extensions(format.extensions().iter().copied());
                scan!(self.dialect.reader(reader.delimiter(b'\t'))?)
            }
            Format::Json => {
                let reader = JsonReader::open(path)?;
                match self.dialect.infer_records {
                    Some(records) => scan!(reader.infer_records(records)),
                    None => scan!(reader),
                }
            }
            Format::Arrow => scan!(IpcReader::open(path)?),
        })
    }

    /// Returns the files that a path means.
    pub(super) fn files(&self, path: &Path) -> Result<Vec<PathBuf>> {
        let format = self.format_of(path)?;
        Ok(command::files_of(path, |file| Format::of_extension(file) == Some(format))?)
    }

    /// Returns the number of rows of a path if it is known without reading rows: for Parquet without a condition.
    pub(super) fn known_rows(&self, path: &Path) -> Result<Option<usize>> {
        Ok(match (self.format_of(path)?, &self.r#where) {
            (Format::Parquet, None) => Some(ParquetReader::open(path)?.num_rows()),
            _ => None,
        })
    }
}

/// Adds the columns of a path to `all`, the columns of the paths before it. A field of the result allows nulls if it
/// allows nulls in any path, and decimals have the largest precision.
pub(super) fn add_schema(all: &mut Option<SchemaRef>, schema: &SchemaRef, path: &Path) -> Result<SchemaRef> {
    let united = match all {
        None => schema.clone(),
        Some(first) => {
            check_same(first, schema, path)?;
            merged_schema(first, schema)
        }
    };
    *all = Some(united.clone());
    Ok(united)
}

fn check_same(first: &Schema, schema: &Schema, path: &Path) -> Result<()> {
    let (expected, found) = (first.fields(), schema.fields());
    let same = expected.len() == found.len()
        && expected.iter().zip(found).all(|(one, other)| {
            one.name() == other.name() && command::same_named_type(one.data_type(), other.data_type())
        });
    ensure!(
        same,
        "the columns of {} differ from the columns of the first file: found {}, expected {}; read only files with the \
         same columns",
        path.display(),
        listed(schema),
        listed(first)
    );
    Ok(())
}

fn listed(schema: &Schema) -> String {
    let fields = schema.fields().iter().map(|field| format!("{}: {}", field.name(), field.data_type()));
    fields.collect::<Vec<_>>().join(", ")
}

pub(super) fn joined(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<RecordBatch> {
    // A field may allow nulls in some batches only.
    let schema = batches.iter().fold(schema.clone(), |schema, batch| merged_schema(&schema, batch.schema_ref()));
    let renamed: Result<Vec<_>, _> =
        batches.iter().map(|batch| Table::from_batch(batch).and_then(|rows| rows.to_batch(&schema))).collect();
    let batches = renamed.context("the files have different columns; read files with the same columns")?;
    arrow_select::concat::concat_batches(&schema, &batches).context("the batches of the files cannot be concatenated")
}

/// Returns a line that shows the number of rows done so far. The line is shown on terminals only.
pub(super) fn progress() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {human_pos} rows, {elapsed}");
    ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
}
