//! Detects the format of a file by its extension. If the extension is unknown, the format is detected by the first
//! bytes of the file.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use gdf::io::{Error, command};

pub(super) const STANDARD_INPUT: &str = "-";

/// A format of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    Parquet,
    Csv,
    /// Values that are separated by tabs
    Tsv,
    /// One JSON object per line, or an array of objects
    Json,
    /// Arrow IPC: file (Feather) or stream
    Arrow,
}

impl Format {
    /// Returns the format of a file, of the files that match a pattern, or of the files in a folder.
    pub(crate) fn of(path: &Path) -> Result<Self> {
        if path.is_dir() {
            let found = formats_below(path)?;
            let [(format, _)] = found[..] else {
                ensure!(
                    !found.is_empty(),
                    "the folder {} has no file of a known format; name the format with --format",
                    path.display()
                );
                let found: Vec<String> = found.iter().map(|(format, count)| format!("{format:?} ({count})")).collect();
                bail!(
                    "{} has files of several formats: {}; name one format with --format, or select files with a \
                     pattern",
                    path.display(),
                    found.join(", ")
                );
            };
            return Ok(format);
        }
        if let Some(format) = Self::of_extension(path) {
            return Ok(format);
        }
        if path == Path::new(STANDARD_INPUT) {
            bail!("the format of the standard input is unknown; name the format with --format");
        }
        if !path.exists() {
            let matching = path.to_str().and_then(|pattern| glob::glob(pattern).ok()?.find_map(Result::ok));
            return match matching {
                Some(file) => Self::of(&file),
                None => bail!("the file {} does not exist; check the path", path.display()),
            };
        }
        let is_file = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?.is_file();
        ensure!(is_file, "{} is a pipe or a device; name the format with --format", path.display());
        let mut start = Vec::new();
        let read = File::open(path).and_then(|file| file.take(64).read_to_end(&mut start));
        read.with_context(|| format!("cannot read {}", path.display()))?;
        Self::of_bytes(&start).with_context(|| {
            format!(
                "neither the extension nor the bytes of {} show the format of the file; name the format with --format",
                path.display()
            )
        })
    }

    pub(crate) fn of_extension(path: &Path) -> Option<Self> {
        let extension = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
        let last = extension(path)?;
        if matches!(last.as_str(), "gz" | "zst") {
            // Only text formats are compressed as whole files.
            let inner = Self::of_extension(Path::new(path.file_stem()?));
            return inner.filter(|format| matches!(format, Self::Csv | Self::Tsv | Self::Json));
        }
        Self::all().iter().copied().find(|format| format.extensions().contains(&last.as_str()))
    }

    fn all() -> &'static [Self] {
        <Self as clap::ValueEnum>::value_variants()
    }

    /// Returns the extensions of files of the format, in lower case.
    pub(super) fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Parquet => &["parquet", "pq"],
            Self::Csv => &["csv"],
            Self::Tsv => &["tsv", "tab"],
            Self::Json => &["json", "jsonl", "ndjson"],
            Self::Arrow => &["arrow", "arrows", "ipc", "feather"],
        }
    }

    fn of_bytes(start: &[u8]) -> Option<Self> {
        let text = start.trim_ascii_start();
        match start {
            [b'P', b'A', b'R', b'1' | b'E', ..] => Some(Self::Parquet),
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] | [0xff, 0xff, 0xff, 0xff, ..] => Some(Self::Arrow),
            _ if text.starts_with(b"{") || text.starts_with(b"[") => Some(Self::Json),
            _ => None,
        }
    }
}

/// Counts the files of each known format in a folder and its subfolders. Hidden files do not count.
fn formats_below(folder: &Path) -> Result<Vec<(Format, usize)>> {
    let files = match command::files_of(folder, |file| Format::of_extension(file).is_some()) {
        Err(Error::NoFiles { .. }) => Vec::new(),
        files => files?,
    };
    let mut found: Vec<(Format, usize)> = Vec::new();
    for format in files.iter().filter_map(|file| Format::of_extension(file)) {
        match found.iter_mut().find(|(known, _)| *known == format) {
            Some((_, count)) => *count += 1,
            None => found.push((format, 1)),
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_and_bytes_tell_formats() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, bytes).unwrap();
            path
        };
        assert_eq!(Format::of(Path::new("no/such.PARQUET")).unwrap(), Format::Parquet);
        assert_eq!(Format::of(&file("a", b"PAR1....")).unwrap(), Format::Parquet);
        assert_eq!(Format::of(&file("b.x", b"ARROW1..")).unwrap(), Format::Arrow);
        assert_eq!(Format::of(&file("c", b" \n{\"a\": 1}")).unwrap(), Format::Json);
        for (name, format) in [
            ("a.csv.gz", Some(Format::Csv)),
            ("a.jsonl.ZST", Some(Format::Json)),
            ("a.parquet.gz", None),
            ("a.gz", None),
        ] {
            assert_eq!(Format::of_extension(Path::new(name)), format, "{name}");
        }
        assert!(Format::of(Path::new("-")).unwrap_err().to_string().contains("--format"));
        for (name, bytes) in [("d", &b"a,b\n1,2\n"[..]), ("e", b""), ("f", b"P")] {
            let error = Format::of(&file(name, bytes)).unwrap_err().to_string();
            assert!(error.contains("--format"), "{error}");
        }
        assert!(Format::of(&folder.path().join("none")).unwrap_err().to_string().contains("does not exist"));
        assert!(Format::of(&folder.path().join("x*y")).is_err());
        assert_eq!(Format::of(&folder.path().join("a*")).unwrap(), Format::Parquet);
        file("set/_tmp.csv", b"");
        file("set/year=1/x.ndjson", b"");
        assert_eq!(Format::of(&folder.path().join("set")).unwrap(), Format::Json);
        file("set/_year=2/x.ndjson", b"");
        file("set/deep/x.csv", b"");
        let error = Format::of(&folder.path().join("set")).unwrap_err().to_string();
        assert!(error.contains("Json (2), Csv (1)") && error.contains("--format"), "{error}");
        assert_eq!(Format::of(&file("g", b"PARE....")).unwrap(), Format::Parquet);
        fs::create_dir(folder.path().join("empty")).unwrap();
        assert!(Format::of(&folder.path().join("empty")).is_err());
    }
}
