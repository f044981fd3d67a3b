//! The errors of reading and writing files.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use arrow_schema::{ArrowError, DataType};

/// The result of reading or writing.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The error of reading or writing a file. An error names the file, the position in the file and the problem.
///
/// The messages are for people and may change. Programs should match on variants and fields. `{:?}` prints the message
/// and the messages of its causes, because Rust prints an error that `main` returns with `{:?}`.
#[non_exhaustive]
#[derive(thiserror::Error)]
pub enum Error {
    /// There is no such file or folder.
    #[error("{} does not exist", path.display())]
    NotFound {
        /// The file or folder.
        path: PathBuf,
    },
    /// No file matches the pattern, or the folder contains no file of the format.
    #[error("no file matches {pattern}; correct the pattern, or rename the files to the extension of their format")]
    NoFiles {
        /// The pattern, or the folder.
        pattern: String,
    },
    /// The pattern is not valid.
    #[error("the file pattern {pattern} is not valid; correct its wildcards")]
    BadPattern {
        /// The pattern.
        pattern: String,
        /// The problem of the pattern, and its position.
        source: glob::PatternError,
    },
    /// The operating system refuses to open or read a file.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The operating system refuses to write a file. If a file with that name already exists, it stays unchanged.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the operating system, such as a full disk.
        source: io::Error,
    },
    /// The file is truncated, damaged, or of another format.
    #[error("{}{} cannot be read as {format}: {what}", path.display(), At(.position))]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The expected format.
        format: Format,
        /// The position in the file, or `None` if the problem concerns the file as a whole.
        position: Option<Position>,
        /// The message of the decoder.
        what: String,
    },
    /// The file is encrypted, or some of its columns are encrypted.
    #[error("{} is encrypted, as a whole or in some columns; decrypt the file before you read it", path.display())]
    Encrypted {
        /// The file.
        path: PathBuf,
    },
    /// The file is valid but uses a feature that this version cannot decode.
    #[error("{}{} uses a {format} feature that gdf cannot decode: {what}", path.display(), At(.position))]
    Unimplemented {
        /// The file.
        path: PathBuf,
        /// Its format.
        format: Format,
        /// The position in the file, or `None` if the problem concerns the file as a whole.
        position: Option<Position>,
        /// The name of the missing feature.
        what: String,
    },
    /// No column has this name.
    #[error("{} has no column {column}{}", path.display(), Names("; existing columns:", .known))]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// The requested name.
        column: String,
        /// The names of the existing columns.
        known: Vec<String>,
    },
    /// Several columns have the requested name. The error also occurs if the number of columns with this name differs
    /// between the files of a dataset.
    #[error(
        "{} has {count} {} named {column}; read all columns and select the column by its position",
        path.display(),
        if *count == 1 { "column" } else { "columns" }
    )]
    AmbiguousColumn {
        /// The file.
        path: PathBuf,
        /// The name.
        column: String,
        /// The number of columns with this name in the file.
        count: usize,
    },
    /// A file of a folder or pattern has other columns than the first file.
    #[error(
        "{} has other columns than {}{}{}",
        path.display(),
        first.display(),
        Names("; missing columns:", .missing),
        Names("; additional columns:", .additional)
    )]
    OtherColumns {
        /// The file.
        path: PathBuf,
        /// The first file in the order of the paths.
        first: PathBuf,
        /// The columns that only the first file has.
        missing: Vec<String>,
        /// The columns that only this file has.
        additional: Vec<String>,
    },
    /// The type of a column has no common type with the type in the first file, or differs from the type that the caller
    /// requested.
    #[error(
        "column {column} of {} has type {found}, expected {expected}{}",
        path.display(),
        first.as_ref().map_or_else(String::new, |first| {
            format!(", the type in {}; read the files one by one, and cast the columns", first.display())
        })
    )]
    ColumnType {
        /// The file.
        path: PathBuf,
        /// The first file, which has the expected type. `None` if the caller requested the type.
        first: Option<Box<PathBuf>>,
        /// The column.
        column: String,
        /// The type that was expected.
        expected: DataType,
        /// The type that the file has.
        found: DataType,
    },
    /// The names of folders such as `year=2026` do not give the same columns for all files.
    #[error("the folders of {} do not form columns: {what}", path.display())]
    Partitions {
        /// The file.
        path: PathBuf,
        /// The difference, and a remedy.
        what: String,
    },
    /// A predicate cannot be evaluated.
    #[error("the predicate on column {column} ({data_type}) cannot be evaluated: {what}")]
    Predicate {
        /// The column of the condition.
        column: String,
        /// The type of that column.
        data_type: DataType,
        /// The problem.
        what: String,
    },
    /// The format cannot represent a type.
    #[error("{format} cannot store column {column} of type {data_type}; cast or drop the column")]
    Unsupported {
        /// The format.
        format: Format,
        /// The column.
        column: String,
        /// Its type.
        data_type: DataType,
    },
    /// The format cannot represent several columns of the same name.
    #[error("{format} cannot store {count} columns named {column}; rename the columns")]
    RepeatedColumn {
        /// The format.
        format: Format,
        /// The name.
        column: String,
        /// The number of columns with this name.
        count: usize,
    },
    /// The format can represent the type of a column, but not some of its values.
    #[error("{format} cannot store some values of column {column} ({data_type}): {what}")]
    UnsupportedValue {
        /// The format.
        format: Format,
        /// The column.
        column: String,
        /// Its type.
        data_type: DataType,
        /// The problem of the values, and a remedy.
        what: &'static str,
    },
    /// The requested encoding of a Parquet file cannot represent a column.
    #[error(
        "Parquet cannot encode column {column} of type {data_type} as {encoding}{}",
        Names("; choose one of these encodings:", .suitable)
    )]
    Encoding {
        /// The column.
        column: String,
        /// Its type.
        data_type: DataType,
        /// The requested encoding.
        encoding: String,
        /// The encodings that can represent the column.
        suitable: Vec<String>,
    },
    /// A column has more bytes of text, or more list elements, than 32-bit offsets can represent.
    #[error(
        "column {column} has {needed} bytes or elements, which exceed 32-bit offsets; read text as `LargeUtf8` with \
         `text_limit(0)` or `types`, or read fewer rows at a time with `scan`"
    )]
    OffsetOverflow {
        /// The column.
        column: String,
        /// The number of bytes or elements of the column.
        needed: u64,
    },
    /// The columns of a batch differ from the columns of the file.
    #[error(
        "the batch has the columns {found}, but the file has the columns {expected}; select the columns of the file in \
             this order, and cast them to its types"
    )]
    SchemaMismatch {
        /// The columns of the file.
        expected: String,
        /// The columns of the batch.
        found: String,
    },
    /// An operation on device columns failed. For example, an allocation failed, or the device does not exist.
    #[error(transparent)]
    Gdf(#[from] gdf_core::Error),
}

/// Converts the error to an error of operations on columns. The content of [`Error::Gdf`] is returned unchanged.
impl From<Error> for gdf_core::Error {
    fn from(error: Error) -> gdf_core::Error {
        match error {
            Error::Gdf(error) => error,
            error => gdf_core::Error::of_source(error),
        }
    }
}

/// A file format.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Apache Parquet.
    Parquet,
    /// Comma-separated values.
    Csv,
    /// JSON: one object per line, or an array of objects.
    Json,
    /// Arrow IPC, as a file or as a stream.
    Ipc,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Parquet => "Parquet",
            Format::Csv => "CSV",
            Format::Json => "JSON",
            Format::Ipc => "Arrow IPC",
        })
    }
}

/// A position in a file.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Position {
    /// A row group of a Parquet file, counted from 0, and the column that was decoded.
    RowGroup {
        /// The index of the row group.
        row_group: usize,
        /// The column, if the error concerns a single column.
        column: Option<String>,
    },
    /// A line of a text file, counted from 1.
    Line(u64),
    /// A record batch of an Arrow IPC file, counted from 0.
    Batch(usize),
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::RowGroup { row_group, column: None } => write!(f, "row group {row_group}"),
            Position::RowGroup { row_group, column: Some(column) } => {
                write!(f, "row group {row_group}, column {column}")
            }
            Position::Line(line) => write!(f, "line {line}"),
            Position::Batch(batch) => write!(f, "batch {batch}"),
        }
    }
}

struct At<'a>(&'a Option<Position>);

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(position) => write!(f, ", {position}:"),
            None => Ok(()),
        }
    }
}

/// Prints an introduction, followed by names.
struct Names<'a>(&'static str, &'a [String]);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 12;
        let Names(introduction, names) = self;
        if names.is_empty() {
            return Ok(());
        }
        write!(f, "{introduction} {}", names[..names.len().min(SHOWN)].join(", "))?;
        if names.len() > SHOWN { write!(f, " and {} more", names.len() - SHOWN) } else { Ok(()) }
    }
}

impl Error {
    /// Returns whether memory ran out. The operation may succeed with smaller inputs, or if more memory is free.
    pub fn is_out_of_memory(&self) -> bool {
        matches!(self, Error::Gdf(error) if error.is_out_of_memory())
    }

    /// Returns the file that the error concerns, if there is such a file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Error::NotFound { path }
            | Error::Read { path, .. }
            | Error::Write { path, .. }
            | Error::Malformed { path, .. }
            | Error::Encrypted { path }
            | Error::Unimplemented { path, .. }
            | Error::NoColumn { path, .. }
            | Error::AmbiguousColumn { path, .. }
            | Error::OtherColumns { path, .. }
            | Error::ColumnType { path, .. } => Some(path),
            _ => None,
        }
    }

    /// Returns the error with its line number increased by `lines`.
    #[cfg(any(feature = "csv", feature = "json"))]
    pub(crate) fn with_lines_before(mut self, lines: u64) -> Error {
        if let Error::Malformed { position: Some(Position::Line(line)), .. }
        | Error::Unimplemented { position: Some(Position::Line(line)), .. } = &mut self
        {
            *line += lines;
        }
        self
    }

    pub(crate) fn reading(path: &Path, source: io::Error) -> Error {
        match source.kind() {
            io::ErrorKind::NotFound => Error::NotFound { path: path.to_owned() },
            _ => Error::Read { path: path.to_owned(), source },
        }
    }

    pub(crate) fn writing(path: &Path, source: io::Error) -> Error {
        Error::Write { path: path.to_owned(), source }
    }

    pub(crate) fn decoding(path: &Path, format: Format, position: Option<Position>, error: ArrowError) -> Error {
        match error {
            ArrowError::IoError(_, source) if source.kind() != io::ErrorKind::UnexpectedEof => {
                Error::reading(path, source)
            }
            ArrowError::NotYetImplemented(what) => {
                Error::Unimplemented { path: path.to_owned(), format, position, what }
            }
            error => Error::Malformed { path: path.to_owned(), format, position, what: error.to_string() },
        }
    }

    pub(crate) fn encoding(path: &Path, error: ArrowError) -> Error {
        match error {
            ArrowError::IoError(_, source) => Error::writing(path, source),
            ArrowError::ExternalError(source) => match source.downcast::<io::Error>() {
                Ok(source) => Error::writing(path, *source),
                Err(source) => Error::writing(path, io::Error::other(source)),
            },
            error => Error::Gdf(error.into()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        gdf_core::fmt_with_causes(self, f)
    }
}

impl gdf_memory::RanOut for Error {
    fn ran_out(&self) -> Option<usize> {
        match self {
            Error::Gdf(error) => error.ran_out(),
            _ => None,
        }
    }
}

impl From<gdf_memory::MemoryError> for Error {
    fn from(error: gdf_memory::MemoryError) -> Error {
        Error::Gdf(error.into())
    }
}

impl From<gdf_driver::DriverError> for Error {
    fn from(error: gdf_driver::DriverError) -> Error {
        Error::Gdf(error.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_is_the_text_with_its_causes() {
        let source = io::Error::from(io::ErrorKind::PermissionDenied);
        let error = Error::reading(Path::new("t.csv"), source);
        assert_eq!(format!("{error:?}"), "cannot read t.csv\ncaused by: permission denied");
        let error = Error::from(gdf_core::Error::out_of_bounds(7, 5));
        assert_eq!(format!("{error:?}"), error.to_string());
    }

    #[test]
    fn differences_of_files_are_named() {
        let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        let error = |missing: &[&str], additional: &[&str]| {
            let (path, first) = (PathBuf::from("y"), PathBuf::from("x"));
            Error::OtherColumns { path, first, missing: names(missing), additional: names(additional) }.to_string()
        };
        assert_eq!(
            error(&["b"], &["c", "d"]),
            "y has other columns than x; missing columns: b; additional columns: c, d"
        );
        assert_eq!(error(&[], &["c"]), "y has other columns than x; additional columns: c");
    }
}
