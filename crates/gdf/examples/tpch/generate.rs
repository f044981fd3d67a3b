//! Generates the TPC-H tables as Parquet files, once.
//!
//! Threads generate and encode parts of a table, which become row groups in the order of the table. The file therefore
//! does not depend on the number of threads. It gets its final name when it is complete. The metadata of the file name
//! the generator and the scale, and a file with other metadata is generated again.

use std::fmt;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use gdf::io::ParquetReader;
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressStyle};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use rayon::prelude::*;

/// The key of the metadata entry that names the generator.
const MARK: &str = "gdf.tpch.generator";
/// The name of the generator, with its major version and the version of the layout of the files.
const GENERATOR: &str = "tpchgen 4, layout 1";

/// The number of rows of a part: few enough for several threads at the default scale, enough for good Parquet pages.
const ROWS_PER_PART: u64 = 250_000;
/// The largest number of parts. Each part is a row group, and Parquet counts row groups in 16 bits.
const MAX_PARTS: u64 = 16_384;

/// The suffix of the name of a file that is being written.
const UNFINISHED: &str = ".unfinished";
/// An unfinished file that was last written this long ago belongs to no running program.
const ABANDONED: Duration = Duration::from_secs(3_600);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TpchTable {
    Customer,
    Lineitem,
    Nation,
    Orders,
    Part,
    Partsupp,
    Region,
    Supplier,
}

impl fmt::Display for TpchTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TpchTable::Customer => "customer",
            TpchTable::Lineitem => "lineitem",
            TpchTable::Nation => "nation",
            TpchTable::Orders => "orders",
            TpchTable::Part => "part",
            TpchTable::Partsupp => "partsupp",
            TpchTable::Region => "region",
            TpchTable::Supplier => "supplier",
        })
    }
}

impl TpchTable {
    pub(crate) fn file_name(self) -> String {
        format!("{self}.parquet")
    }

    /// Returns the number of rows at scale 1. For lineitem the number is approximate.
    fn rows_at_scale_one(self) -> u64 {
        match self {
            TpchTable::Customer => 150_000,
            TpchTable::Lineitem => 6_000_000,
            TpchTable::Nation => 25,
            TpchTable::Orders => 1_500_000,
            TpchTable::Part => 200_000,
            TpchTable::Partsupp => 800_000,
            TpchTable::Region => 5,
            TpchTable::Supplier => 10_000,
        }
    }

    pub(crate) fn expected_rows(self, scale: f64) -> u64 {
        match self {
            TpchTable::Nation | TpchTable::Region => self.rows_at_scale_one(),
            _ => (self.rows_at_scale_one() as f64 * scale) as u64,
        }
    }

    pub(crate) fn parts(self, scale: f64, rows_per_part: u64) -> i32 {
        match self {
            // The generators of these two tables cannot generate parts.
            TpchTable::Nation | TpchTable::Region => 1,
            _ => self.expected_rows(scale).div_ceil(rows_per_part).clamp(1, MAX_PARTS) as i32,
        }
    }
}

/// Returns the folder for tables of this scale, below the target folder of the build.
pub(crate) fn default_folder(scale: f64) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from).unwrap_or_else(|| {
        // The folder of the sources does not exist if the program was built on another machine.
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        match root.canonicalize() {
            Ok(root) if root.join("Cargo.toml").is_file() => root.join("target"),
            _ => PathBuf::from("target"),
        }
    });
    target.join("tpch").join(format!("sf{scale}"))
}

/// Generates `<folder>/<table>.parquet`, unless this generator has already written the complete file at this scale.
pub(crate) fn ensure(folder: &Path, table: TpchTable, scale: f64) -> anyhow::Result<()> {
    let path = folder.join(table.file_name());
    if made_for(&path, scale) {
        return Ok(());
    }
    let started = Instant::now();
    let cannot_write = || format!("cannot write {}", path.display());
    fs::create_dir_all(folder).with_context(cannot_write)?;
    sweep(folder);
    let prefix = format!(".{table}-");
    let mut unfinished = tempfile::Builder::new();
    unfinished.prefix(&prefix).suffix(UNFINISHED);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // These are the usual permissions of a new file, to which the system applies the umask. `tempfile` would give
        // access only to the owner.
        unfinished.permissions(fs::Permissions::from_mode(0o666));
    }
    let unfinished = unfinished.tempfile_in(folder).with_context(cannot_write)?;
    let rows = write(unfinished.as_file(), table, scale).with_context(cannot_write)?;
    unfinished.persist(&path).with_context(cannot_write)?;
    let bytes = fs::metadata(&path).map(|found| found.len()).unwrap_or_default();
    eprintln!(
        "made {table}: {} rows, {} in {:.1} s",
        HumanCount(rows),
        HumanBytes(bytes),
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Removes unfinished files of runs that were killed.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let modified = entry.metadata().and_then(|found| found.modified());
        let age = modified.ok().and_then(|at| at.elapsed().ok()).unwrap_or_default();
        if entry.file_name().to_string_lossy().ends_with(UNFINISHED) && age > ABANDONED {
            // An unfinished file that cannot be removed does no harm.
            drop(fs::remove_file(entry.path()));
        }
    }
}

fn mark(scale: f64) -> String {
    format!("{GENERATOR}, scale {scale}")
}

fn made_for(path: &Path, scale: f64) -> bool {
    let notes = ParquetReader::open(path).map(|reader| reader.schema().metadata().clone());
    notes.is_ok_and(|notes| notes.get(MARK) == Some(&mark(scale)))
}

/// Writes all rows of a table, and returns the number of rows.
fn write(file: &File, table: TpchTable, scale: f64) -> Result<u64, ParquetError> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(vec![KeyValue::new(MARK.to_owned(), mark(scale))]))
        .build();
    let writer = ArrowWriter::try_new(BufWriter::new(file), table.schema(), Some(properties))?;
    let (mut file, factory) = writer.into_serialized_writer()?;

    let bar = progress(table, scale);
    let parts = table.parts(scale, ROWS_PER_PART);
    let all: Vec<i32> = (1..=parts).collect();
    // The parts are encoded in waves, to limit the memory of encoded parts.
    for wave in all.chunks(2 * rayon::current_num_threads()) {
        let encoded: Vec<Vec<ArrowColumnChunk>> =
            wave.par_iter().map(|&part| encode(&factory, table, scale, part, parts, &bar)).collect::<Result<_, _>>()?;
        for chunks in encoded {
            let mut group = file.next_row_group()?;
            for chunk in chunks {
                chunk.append_to_row_group(&mut group)?;
            }
            group.close()?;
        }
    }
    let metadata = file.close()?;
    bar.finish_and_clear();
    Ok(metadata.file_metadata().num_rows().unsigned_abs())
}

fn encode(
    factory: &ArrowRowGroupWriterFactory,
    table: TpchTable,
    scale: f64,
    part: i32,
    parts: i32,
    bar: &ProgressBar,
) -> Result<Vec<ArrowColumnChunk>, ParquetError> {
    let schema = table.schema();
    let mut writers = factory.create_column_writers(part as usize - 1)?;
    for batch in table.batches(scale, part, parts) {
        let batch = batch?;
        // No column is nested, so each column has exactly one writer.
        for ((field, column), writer) in schema.fields().iter().zip(batch.columns()).zip(&mut writers) {
            for leaf in compute_leaves(field, column)? {
                writer.write(&leaf)?;
            }
        }
        bar.inc(batch.num_rows() as u64);
    }
    writers.into_iter().map(|writer| writer.close()).collect()
}

/// Creates a progress bar on standard error. `indicatif` hides the bar if standard error is not a terminal.
fn progress(table: TpchTable, scale: f64) -> ProgressBar {
    let bar = ProgressBar::new(table.expected_rows(scale)).with_message(format!("making {table}"));
    match ProgressStyle::with_template("{msg:18} {wide_bar} {human_pos}/{human_len} rows, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [TpchTable; 8] = [
        TpchTable::Customer,
        TpchTable::Lineitem,
        TpchTable::Nation,
        TpchTable::Orders,
        TpchTable::Part,
        TpchTable::Partsupp,
        TpchTable::Region,
        TpchTable::Supplier,
    ];

    #[test]
    fn every_table_is_made_once_and_whole() {
        let folder = tempfile::tempdir().unwrap();
        for table in ALL {
            let path = folder.path().join(table.file_name());
            assert!(!made_for(&path, 0.001));
            ensure(folder.path(), table, 0.001).unwrap();
            assert!(made_for(&path, 0.001) && !made_for(&path, 0.01));
            let rows = ParquetReader::open(&path).unwrap().num_rows();
            let expected = if table == TpchTable::Lineitem { 6_005 } else { table.expected_rows(0.001) as usize };
            assert_eq!(rows, expected, "{table}");

            let made = fs::metadata(&path).unwrap().modified().unwrap();
            ensure(folder.path(), table, 0.001).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), made);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), ALL.len());
    }

    #[test]
    fn a_damaged_file_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("region.parquet");
        for damage in [&b""[..], b"PAR1", b"not a table at all"] {
            fs::write(&path, damage).unwrap();
            ensure(folder.path(), TpchTable::Region, 0.001).unwrap();
            assert!(made_for(&path, 0.001));
        }
    }

    #[test]
    fn leftovers_of_killed_runs_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join(".a.unfinished"), folder.path().join(".b.unfinished"));
        File::create(&new).unwrap();
        let file = File::create(&old).unwrap();
        file.set_modified(std::time::SystemTime::now() - 2 * ABANDONED).unwrap();
        sweep(folder.path());
        assert!(new.exists() && !old.exists());
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = ensure(&file.path().join("below"), TpchTable::Region, 0.001).unwrap_err();
        assert!(error.to_string().contains("cannot write"), "{error:?}");
    }

    #[test]
    fn parts_stay_countable() {
        for table in ALL {
            assert_eq!(table.parts(0.001, ROWS_PER_PART), 1);
            assert!(table.parts(100_000.0, ROWS_PER_PART) <= 16_384);
        }
        assert_eq!(TpchTable::Lineitem.parts(0.1, ROWS_PER_PART), 3);
    }
}
