//! `gdf convert`: converts files to one file of another format, batch by batch.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use gdf::arrow::schema::SchemaRef;
use gdf::io::{Batch, CsvWriter, IpcWriter, JsonWriter, ParquetWriter};

use super::format::Format;
use super::input::{Scan, Selection, add_schema, progress};
use super::signals;

/// The largest number of Parquet files that stay open after their columns were read. The number of files that a process
/// can open is limited.
const MOST_OPEN: usize = 256;

/// The number of rows of a batch, and of a row group in a Parquet file without `--for`: few enough for machines with
/// little memory.
const BATCH_ROWS: usize = 1 << 20;

#[derive(clap::Args)]
pub(crate) struct ConvertArgs {
    /// Files, folders or patterns to read, followed by the file to write
    #[arg(required = true, num_args = 2.., value_names = ["FILE", "OUT"])]
    files: Vec<PathBuf>,
    #[command(flatten)]
    selection: Selection,
    /// The format to write [default: by extension]
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,
    /// The reader that the sizes of row groups and pages of a Parquet file suit; other readers read the file, too
    #[arg(long = "for", value_name = "READER")]
    reader: Option<Reader>,
    /// Replace the file to write if the file exists
    #[arg(long)]
    force: bool,
}

/// A reader that a file can be written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Reader {
    /// A program that decodes Parquet on a GPU, such as gdf or libcudf
    Gpu,
}

pub(super) fn run(args: &ConvertArgs) -> Result<ExitCode> {
    let (out, inputs) =
        args.files.split_last().context("the output file is missing; name the output file after the input files")?;
    let Some(format) = args.to.or_else(|| Format::of_extension(out)) else {
        bail!("the extension of {} does not name a known format; name the format with --to", out.display());
    };
    ensure!(
        args.reader.is_none() || format == Format::Parquet,
        "--for gpu applies to Parquet only, but the output {} has another format; name a Parquet file, or drop --for",
        out.display()
    );
    ensure!(!out.is_dir(), "the output {} is a folder; name an output file", out.display());
    ensure!(args.force || !out.exists(), "the output file {} exists; pass --force to replace the file", out.display());
    let is_out = |path: &PathBuf| path.canonicalize().is_ok_and(|path| out.canonicalize().is_ok_and(|out| out == path));
    for path in inputs.iter().filter(|_| out.exists()) {
        ensure!(
            !args.selection.files(path)?.iter().any(is_out),
            "{} is both an input file and the output file; name another output file",
            out.display()
        );
    }
    signals::remove_files_at_end(signals::Interrupt::EndsCommand)?;
    let (schema, begun) = begin(&args.selection, inputs)?;
    let bar = progress();
    let mut writer = Writer::new(format, args.reader, out, &schema);
    for (path, scan) in inputs.iter().zip(begun) {
        let scan = scan.map_or_else(|| args.selection.scan(path, 0..usize::MAX, BATCH_ROWS), Ok)?;
        for batch in scan.batches {
            let batch = batch?;
            bar.inc(batch.num_rows() as u64);
            writer.write(&Batch::try_new(schema.clone(), batch.into_parts().1)?)?;
        }
    }
    bar.finish_and_clear();
    writer.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the columns of all inputs, and the scans that have begun. If the inputs are many Parquet files, some of the
/// scans are closed.
fn begin(selection: &Selection, inputs: &[PathBuf]) -> Result<(SchemaRef, Vec<Option<Scan>>)> {
    let mut all = None;
    let (mut scans, mut open) = (Vec::new(), 0);
    for path in inputs {
        let scan = selection.scan(path, 0..usize::MAX, BATCH_ROWS)?;
        add_schema(&mut all, &scan.schema, path)?;
        let is_kept = match selection.format_of(path)? {
            Format::Parquet => {
                open += selection.files(path)?.len();
                inputs.len() == 1 || open <= MOST_OPEN
            }
            // The scan of a pipe cannot begin again. A scan of files opens one file at a time.
            Format::Csv | Format::Tsv | Format::Json | Format::Arrow => true,
        };
        scans.push(is_kept.then_some(scan));
    }
    let schema = all.context("the input files are missing; name the input files before the output file")?;
    Ok((schema, scans))
}

enum Writer {
    Parquet(ParquetWriter),
    Csv(CsvWriter),
    Json(JsonWriter),
    Ipc(IpcWriter),
}

impl Writer {
    fn new(format: Format, reader: Option<Reader>, out: &Path, schema: &SchemaRef) -> Self {
        match format {
            Format::Parquet => {
                let writer = ParquetWriter::new(out, schema);
                Self::Parquet(match reader {
                    Some(Reader::Gpu) => writer.for_gpu(),
                    None => writer,
                })
            }
            Format::Csv => Self::Csv(CsvWriter::new(out, schema)),
            Format::Tsv => Self::Csv(CsvWriter::new(out, schema).delimiter(b'\t')),
            Format::Json => Self::Json(JsonWriter::new(out, schema)),
            Format::Arrow => {
                let is_stream = out.extension().is_some_and(|extension| extension == "arrows");
                Self::Ipc(IpcWriter::new(out, schema).stream(is_stream))
            }
        }
    }

    fn write(&mut self, batch: &Batch) -> gdf::io::Result<()> {
        match self {
            Self::Parquet(writer) => writer.write(batch),
            Self::Csv(writer) => writer.write(batch),
            Self::Json(writer) => writer.write(batch),
            Self::Ipc(writer) => writer.write(batch),
        }
    }

    fn finish(self) -> gdf::io::Result<()> {
        match self {
            Self::Parquet(writer) => writer.finish(),
            Self::Csv(writer) => writer.finish(),
            Self::Json(writer) => writer.finish(),
            Self::Ipc(writer) => writer.finish(),
        }
    }
}
