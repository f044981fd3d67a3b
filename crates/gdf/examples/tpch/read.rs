//! Parquet files to record batches: the needed columns, row groups side by side.

use std::any::Any;
use std::cell::Cell;
use std::fs::File;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Once;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, DataType};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;
use rayon::prelude::*;

use crate::queries::Kind;

/// Rows per batch at most; the file's own counts are not trusted with the size of an allocation.
const ROWS_PER_BATCH: usize = 1 << 20;

/// Why a file cannot be read as a table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum ReadError {
    /// There is no such file.
    #[error("{} does not exist", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The system refuses to open the file.
    #[error("opening {}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is truncated, damaged, or no Parquet at all.
    #[error("{} is not a whole Parquet file", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What the Parquet reader said.
        source: ParquetError,
    },
    /// The file has no column of this name.
    #[error("{} has no column {column}", path.display())]
    ColumnMissing {
        /// The file.
        path: PathBuf,
        /// The column.
        column: &'static str,
    },
    /// The column has another type than the query needs.
    #[error("column {column} of {} is {found}, not {expected}", path.display())]
    ColumnType {
        /// The file.
        path: PathBuf,
        /// The column.
        column: &'static str,
        /// What the query needs.
        expected: DataType,
        /// What the file has.
        found: DataType,
    },
}

/// The named columns of a file in this order, as at least one batch.
///
/// # Errors
/// - the file is missing, not whole, or lacks a column of that name and type.
pub(crate) fn batches(path: &Path, columns: &[(&'static str, Kind)]) -> Result<Vec<RecordBatch>, ReadError> {
    let corrupt = |source| ReadError::Corrupt { path: path.to_owned(), source };
    let file = File::open(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => ReadError::Missing { path: path.to_owned() },
        _ => ReadError::Open { path: path.to_owned(), source },
    })?;
    // By Parquet's own types: a note of the writer's Arrow types would make them depend on the writer.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let metadata = guarded(|| ArrowReaderMetadata::load(&file, options)).map_err(corrupt)?;
    let wanted = check_columns(path, &metadata, columns)?;

    let groups = metadata.metadata().num_row_groups();
    let parts: Vec<Vec<RecordBatch>> = (0..groups)
        .into_par_iter()
        .map(|group| guarded(|| row_group(path, &metadata, &wanted, group)).map_err(corrupt))
        .collect::<Result<_, _>>()?;
    let mut batches = parts.concat();
    if batches.is_empty() {
        let schema = metadata.schema().project(&wanted).map_err(|error| corrupt(error.into()))?;
        batches.push(RecordBatch::new_empty(schema.into()));
    }
    Ok(batches)
}

/// Where the columns stand in the file.
fn check_columns(
    path: &Path,
    metadata: &ArrowReaderMetadata,
    columns: &[(&'static str, Kind)],
) -> Result<Vec<usize>, ReadError> {
    let fields = metadata.schema().fields();
    let find = |&(column, kind): &(&'static str, Kind)| {
        let (index, field) =
            fields.find(column).ok_or_else(|| ReadError::ColumnMissing { path: path.to_owned(), column })?;
        let (expected, found) = (kind.data_type(), field.data_type().clone());
        if expected == found {
            Ok(index)
        } else {
            Err(ReadError::ColumnType { path: path.to_owned(), column, expected, found })
        }
    };
    columns.iter().map(find).collect()
}

fn row_group(
    path: &Path,
    metadata: &ArrowReaderMetadata,
    wanted: &[usize],
    group: usize,
) -> Result<Vec<RecordBatch>, ParquetError> {
    let names: Vec<&String> = wanted.iter().map(|&index| metadata.schema().field(index).name()).collect();
    let mask = ProjectionMask::roots(metadata.parquet_schema(), wanted.iter().copied());
    let rows = usize::try_from(metadata.metadata().row_group(group).num_rows()).unwrap_or(0);
    // A file handle of its own: the position is not shared with other threads.
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(File::open(path)?, metadata.clone())
        .with_projection(mask)
        .with_row_groups(vec![group])
        .with_batch_size(rows.clamp(1, ROWS_PER_BATCH))
        .build()?;
    let in_order = |batch: RecordBatch| {
        let indices: Vec<usize> =
            names.iter().map(|name| batch.schema_ref().index_of(name)).collect::<Result<_, ArrowError>>()?;
        batch.project(&indices)
    };
    let batches: Vec<RecordBatch> = reader.map(|batch| batch.and_then(in_order)).collect::<Result<_, ArrowError>>()?;
    let found: usize = batches.iter().map(RecordBatch::num_rows).sum();
    if found == rows {
        Ok(batches)
    } else {
        Err(ParquetError::EOF(format!("row group {group} has {found} rows of {rows}")))
    }
}

/// Runs the Parquet reader, whose checks of damaged files are not complete: what it does not check,
/// it panics on. The panic becomes an error, and its message is not printed on the way.
pub(crate) fn guarded<T>(read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !GUARDED.get() {
                usual(info);
            }
        }));
    });
    let outer = GUARDED.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(outer);
    result.unwrap_or_else(|panic| Err(ParquetError::General(panic_text(&*panic).to_owned())))
}

thread_local! {
    /// Whether this thread's panics are caught by [`guarded`].
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("the reader gave up")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Date32Array, Decimal128Array, Float64Array};
    use parquet::arrow::ArrowWriter;
    use parquet::file::properties::WriterProperties;

    use super::*;

    const COLUMNS: &[(&str, Kind)] = &[("price", Kind::Money), ("day", Kind::Date)];

    fn table(rows: i32) -> RecordBatch {
        let price =
            Decimal128Array::from_iter_values((0..rows).map(i128::from)).with_precision_and_scale(15, 2).unwrap();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("day", Arc::new(Date32Array::from_iter_values(0..rows))),
            ("rate", Arc::new(Float64Array::from_iter_values((0..rows).map(f64::from)))),
            ("price", Arc::new(price)),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    fn file(rows: i32) -> Vec<u8> {
        let batch = table(rows);
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(100)).build();
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    }

    fn read(bytes: &[u8], columns: &[(&'static str, Kind)]) -> Result<Vec<RecordBatch>, ReadError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        fs::write(&path, bytes).unwrap();
        batches(&path, columns)
    }

    #[test]
    fn columns_come_in_the_order_asked_for_and_rows_in_the_file_s() {
        for rows in [0, 1, 99, 100, 101, 1000] {
            let batches = read(&file(rows), COLUMNS).unwrap();
            assert!(!batches.is_empty());
            let mut next = 0;
            for batch in &batches {
                assert_eq!(
                    batch.schema().fields().iter().map(|f| f.name().as_str()).collect::<Vec<_>>(),
                    ["price", "day"]
                );
                let expected = table(rows).slice(next, batch.num_rows());
                assert_eq!(batch.column(0), expected.column(2));
                assert_eq!(batch.column(1), expected.column(0));
                next += batch.num_rows();
            }
            assert_eq!(next, rows as usize);
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = batches(Path::new("/nowhere/lineitem.parquet"), COLUMNS).unwrap_err();
        assert!(matches!(error, ReadError::Missing { .. }));
        assert!(error.to_string().contains("/nowhere/lineitem.parquet"));
        let folder = tempfile::tempdir().unwrap();
        assert!(batches(folder.path(), COLUMNS).is_err());
    }

    #[test]
    fn foreign_and_truncated_files_are_errors() {
        for bytes in [&b""[..], b"PAR1", b"PAR1PAR1", b"a,b\n1,2\n", &[0; 4096], &[0xff; 64]] {
            assert!(matches!(read(bytes, COLUMNS), Err(ReadError::Corrupt { .. })));
        }
        let whole = file(300);
        for kept in (0..whole.len()).step_by(37).chain([whole.len() - 1]) {
            assert!(
                matches!(read(&whole[..kept], COLUMNS), Err(ReadError::Corrupt { .. })),
                "{kept} of {}",
                whole.len()
            );
        }
    }

    #[test]
    fn damage_never_panics() {
        let whole = file(300);
        for at in (0..whole.len()).step_by(13) {
            for value in [0x00, 0xff, whole[at] ^ 0x10] {
                let mut damaged = whole.clone();
                damaged[at] = value;
                // Values may change unnoticed: Parquet files carry no checksums by default.
                drop(read(&damaged, COLUMNS));
            }
        }
    }

    #[test]
    fn a_panic_of_the_reader_is_an_error() {
        let caught = guarded::<()>(|| panic!("at page {}", 7)).unwrap_err();
        assert!(caught.to_string().contains("at page 7"));
        assert!(!GUARDED.get());
        assert_eq!(guarded(|| Ok(1)).unwrap(), 1);
    }

    #[test]
    fn other_columns_and_types_are_named() {
        let error = read(&file(3), &[("day", Kind::Date), ("l_tax", Kind::Money)]).unwrap_err();
        assert!(matches!(error, ReadError::ColumnMissing { column: "l_tax", .. }));
        let error = read(&file(3), &[("rate", Kind::Money)]).unwrap_err();
        assert!(matches!(&error, ReadError::ColumnType { column: "rate", found: DataType::Float64, .. }));
        assert!(error.to_string().contains("t.parquet") && error.to_string().contains("Decimal128(15, 2)"), "{error}");
    }
}
