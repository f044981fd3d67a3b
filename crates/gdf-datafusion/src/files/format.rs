//! Detects the format of files by the extension, or else by the first bytes of a file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use datafusion::error::{DataFusionError, Result};
use gdf_io::command;

/// A format of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileFormat {
    /// Apache Parquet.
    Parquet,
    /// Values that are separated by commas, below a header.
    Csv,
    /// Values that are separated by tabs, below a header.
    Tsv,
    /// One JSON object per line, or an array of objects.
    Json,
    /// Arrow IPC: file (Feather) or stream.
    Arrow,
}

impl FileFormat {
    /// Returns the format of a file, of the files of a pattern, or of the files of a folder.
    ///
    /// # Errors
    /// * [`DataFusionError::Plan`]: the path does not exist or cannot be read, the format is not known, or a folder has
    ///   files of several formats.
    pub fn of(path: &Path) -> Result<FileFormat> {
        let refused = |what: &str| DataFusionError::Plan(format!("{} {what}", path.display()));
        if path.is_dir() {
            return match formats_below(path)?[..] {
                [format] => Ok(format),
                [] => Err(refused("has no files of a known format; name a file or a pattern")),
                _ => Err(refused("has files of several formats; select files by a pattern such as 'folder/*.parquet'")),
            };
        }
        if let Some(format) = FileFormat::of_extension(path) {
            return Ok(format);
        }
        let mut start = [0; 64];
        let read = File::open(path).and_then(|file| {
            let mut bytes = Vec::new();
            file.take(64).read_to_end(&mut bytes)?;
            start[..bytes.len()].copy_from_slice(&bytes);
            Ok(bytes.len())
        });
        match read.map(|length| FileFormat::of_bytes(&start[..length])) {
            Ok(Some(format)) => Ok(format),
            Ok(None) => Err(refused(
                "shows its format neither by its extension nor by its first bytes; use .parquet, .csv, .tsv, .json or \
                 .arrow",
            )),
            Err(error) => Err(refused(&format!("cannot be read: {error}"))),
        }
    }

    /// Returns the format for the extension of a path, or `None` if the extension is not known.
    pub fn of_extension(path: &Path) -> Option<FileFormat> {
        let last = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match last.as_str() {
            // Only text formats are compressed as whole files.
            "gz" | "zst" => {
                let inner = FileFormat::of_extension(Path::new(path.file_stem()?));
                return inner.filter(|format| matches!(format, Self::Csv | Self::Tsv | Self::Json));
            }
            "parquet" | "pq" => Self::Parquet,
            "csv" => Self::Csv,
            "tsv" | "tab" => Self::Tsv,
            "json" | "jsonl" | "ndjson" => Self::Json,
            "arrow" | "arrows" | "ipc" | "feather" => Self::Arrow,
            _ => return None,
        })
    }

    fn of_bytes(start: &[u8]) -> Option<FileFormat> {
        let text = start.trim_ascii_start();
        match start {
            [b'P', b'A', b'R', b'1' | b'E', ..] => Some(Self::Parquet),
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] | [0xff, 0xff, 0xff, 0xff, ..] => Some(Self::Arrow),
            _ if text.starts_with(b"{") || text.starts_with(b"[") => Some(Self::Json),
            _ => None,
        }
    }

    #[cfg(feature = "codec")]
    pub(crate) fn of_name(name: &str) -> Option<FileFormat> {
        let all = [Self::Parquet, Self::Csv, Self::Tsv, Self::Json, Self::Arrow];
        all.into_iter().find(|format| format.name() == name)
    }

    /// Returns the name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Json => "json",
            Self::Arrow => "arrow",
        }
    }
}

/// Returns the formats of the files in a folder and its subfolders, each format once. Hidden files and unknown formats
/// are skipped.
fn formats_below(folder: &Path) -> Result<Vec<FileFormat>> {
    let files = match command::files_of(folder, |file| FileFormat::of_extension(file).is_some()) {
        Err(gdf_io::Error::NoFiles { .. }) => Vec::new(),
        files => files.map_err(|error| DataFusionError::Plan(error.to_string()))?,
    };
    let mut found = Vec::new();
    for format in files.iter().filter_map(|file| FileFormat::of_extension(file)) {
        if !found.contains(&format) {
            found.push(format);
        }
    }
    Ok(found)
}
