//! Errors of the parquet crate as errors of gdf.

use std::path::Path;

use arrow_schema::ArrowError;
use parquet::errors::ParquetError;

use crate::error::{Format, Position};
use crate::{Error, Result};

pub(super) fn contained<T>(decode: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    crate::contain::contained(decode, |what| match crate::contain::is_unsupported(&what) {
        true => ParquetError::NYI(what),
        false => ParquetError::General(what),
    })
}

pub(super) fn failure(path: &Path, position: Option<Position>, error: ParquetError) -> Error {
    match error {
        ParquetError::External(source) => match source.downcast::<std::io::Error>() {
            Ok(source) if source.kind() != std::io::ErrorKind::UnexpectedEof => Error::reading(path, *source),
            Ok(source) => malformed(path, position, source.to_string()),
            Err(source) => malformed(path, position, source.to_string()),
        },
        ParquetError::NYI(what) => {
            Error::Unimplemented { path: path.to_owned(), format: Format::Parquet, position, what }
        }
        ParquetError::General(what) | ParquetError::EOF(what) | ParquetError::ArrowError(what) => {
            malformed(path, position, what)
        }
        error => malformed(path, position, error.to_string()),
    }
}

/// Converts an error of the parquet crate. arrow-rs has kept only the text of the error.
pub(super) fn arrow_failure(path: &Path, position: Option<Position>, error: ArrowError) -> Error {
    match error {
        ArrowError::ParquetError(what) if what.contains("index overflow decoding byte array") => {
            let what = "the text exceeds 32-bit offsets; read the column as `LargeUtf8` with ParquetReader::types, or \
                        read fewer rows at a time with `scan` and `batch_rows`";
            malformed(path, position, what.to_owned())
        }
        ArrowError::ParquetError(what) if what.contains("dictionary too large for index type") => {
            let what = "a dictionary has more values than the keys of the column can number; read the column with wider \
                        keys, or as text, with ParquetReader::types";
            malformed(path, position, what.to_owned())
        }
        ArrowError::ParquetError(what) => match what.strip_prefix("NYI: ") {
            Some(what) => failure(path, position, ParquetError::NYI(what.to_owned())),
            None => malformed(path, position, what),
        },
        error => Error::decoding(path, Format::Parquet, position, error),
    }
}

pub(super) fn malformed(path: &Path, position: Option<Position>, what: String) -> Error {
    Error::Malformed { path: path.to_owned(), format: Format::Parquet, position, what }
}

/// Converts an error of writing a file.
pub(super) fn write_failure(path: &Path, error: ParquetError) -> Error {
    let other = |source| Error::writing(path, std::io::Error::other(source));
    match error {
        ParquetError::External(source) => match source.downcast::<std::io::Error>() {
            Ok(source) => Error::writing(path, *source),
            Err(source) => other(source),
        },
        error => other(error.into()),
    }
}
