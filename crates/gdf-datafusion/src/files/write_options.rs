//! The options of `COPY … TO`.

use std::collections::HashMap;

use datafusion::common::plan_err;
use datafusion::error::Result;
use gdf_io::{Compression, IpcCompression};

use super::FileFormat;
use super::options::{letter, number, truth};

/// How a file is written. What a statement does not set is as the writers of gdf-io have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WriteOptions {
    pub(super) parquet_compression: Option<Compression>,
    pub(super) for_gpu: bool,
    pub(super) row_group_rows: Option<usize>,
    pub(super) arrow_compression: Option<IpcCompression>,
    pub(super) delimiter: Option<u8>,
    pub(super) has_header: Option<bool>,
    pub(super) null: Option<String>,
    pub(super) true_value: Option<String>,
    pub(super) false_value: Option<String>,
    pub(super) lines: Option<bool>,
}

impl WriteOptions {
    /// Reads the options of a statement, whose names DataFusion gives the prefix `format.`.
    pub(super) fn of(format: FileFormat, given: &HashMap<String, String>) -> Result<WriteOptions> {
        let mut given: Vec<(&String, &String)> = given.iter().collect();
        given.sort();
        let set = |options: WriteOptions, (name, value): (&String, &String)| {
            options.set(format, name.strip_prefix("format.").unwrap_or(name), value)
        };
        given.into_iter().try_fold(WriteOptions::default(), set)
    }

    fn set(mut self, format: FileFormat, name: &str, value: &str) -> Result<WriteOptions> {
        use FileFormat::{Arrow, Csv, Json, Parquet, Tsv};
        match (format, name) {
            (Parquet, "compression") => self.parquet_compression = Some(parquet_compression(value)?),
            (Parquet, "for_gpu") => self.for_gpu = truth(name, value)?,
            (Parquet, "row_group_rows") => self.row_group_rows = Some(number(name, value)?),
            (Csv | Tsv, "delimiter") => self.delimiter = Some(letter(name, value)?),
            (Csv | Tsv, "has_header" | "header") => self.has_header = Some(truth(name, value)?),
            (Csv | Tsv, "null") => self.null = Some(value.to_owned()),
            (Csv | Tsv, "true_value") => self.true_value = Some(value.to_owned()),
            (Csv | Tsv, "false_value") => self.false_value = Some(value.to_owned()),
            (Json, "lines") => self.lines = Some(truth(name, value)?),
            (Arrow, "compression") => self.arrow_compression = Some(arrow_compression(value)?),
            _ => {
                let known = match format {
                    Parquet => "options compression, for_gpu and row_group_rows",
                    Csv | Tsv => "options delimiter, has_header, null, true_value and false_value",
                    Json => "option lines",
                    Arrow => "option compression",
                };
                return plan_err!(
                    "COPY: there is no option {name}; files of the format {} have the {known}",
                    format.name()
                );
            }
        }
        Ok(self)
    }
}

/// Reads the name of a codec, which may be followed by a level, as in `zstd(9)`.
fn parquet_compression(value: &str) -> Result<Compression> {
    let text = value.to_ascii_lowercase();
    let (name, level) = match text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        Some((name, level)) => (name.trim(), level.trim().parse::<u8>().map(Some)),
        None => (text.as_str(), Ok(None)),
    };
    let within = |range: std::ops::RangeInclusive<u8>, default: u8| match &level {
        Ok(level) if range.contains(&level.unwrap_or(default)) => Ok(level.unwrap_or(default)),
        _ => plan_err!(
            "COPY: the compression {name} has the levels {} to {}, found '{value}'",
            range.start(),
            range.end()
        ),
    };
    Ok(match (name, &level) {
        ("none" | "uncompressed", Ok(None)) => Compression::Uncompressed,
        ("snappy", Ok(None)) => Compression::Snappy,
        ("lz4" | "lz4_raw", Ok(None)) => Compression::Lz4,
        ("zstd", _) => Compression::Zstd(within(1..=22, 3)?),
        ("gzip", _) => Compression::Gzip(within(0..=9, 6)?),
        ("brotli", _) => Compression::Brotli(within(0..=11, 4)?),
        _ => {
            return plan_err!(
                "COPY: the option compression of Parquet is none, snappy, lz4, zstd, gzip or brotli, the last three also \
                 with a level as in 'zstd(9)', found '{value}'"
            );
        }
    })
}

fn arrow_compression(value: &str) -> Result<IpcCompression> {
    match value.to_ascii_lowercase().as_str() {
        "none" | "uncompressed" => Ok(IpcCompression::Uncompressed),
        "lz4" => Ok(IpcCompression::Lz4),
        "zstd" => Ok(IpcCompression::Zstd),
        _ => plan_err!("COPY: the option compression of Arrow is none, lz4 or zstd, found '{value}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(format: FileFormat, name: &str, value: &str) -> Result<WriteOptions> {
        WriteOptions::of(format, &HashMap::from([(format!("format.{name}"), value.to_owned())]))
    }

    #[test]
    fn codecs_have_levels() {
        let codec = |value| of(FileFormat::Parquet, "compression", value).unwrap().parquet_compression.unwrap();
        assert_eq!(codec("ZSTD"), Compression::Zstd(3));
        assert_eq!(codec("zstd(22)"), Compression::Zstd(22));
        assert_eq!(codec("gzip(0)"), Compression::Gzip(0));
        assert_eq!(codec("none"), Compression::Uncompressed);
        for value in ["zstd(23)", "zstd(0)", "zstd(x)", "snappy(1)", "xz", "zstd("] {
            let error = of(FileFormat::Parquet, "compression", value).unwrap_err().to_string();
            assert!(error.contains(&format!("found '{value}'")), "{error}");
        }
    }

    #[test]
    fn an_option_of_another_format_is_unknown() {
        assert_eq!(of(FileFormat::Csv, "header", "false").unwrap().has_header, Some(false));
        for (format, name, known) in [
            (FileFormat::Csv, "compression", "delimiter, has_header"),
            (FileFormat::Parquet, "delimiter", "compression, for_gpu and row_group_rows"),
            (FileFormat::Json, "color", "lines"),
            (FileFormat::Arrow, "lines", "compression"),
        ] {
            let error = of(format, name, "x").unwrap_err().to_string();
            assert!(error.contains(&format!("no option {name};")) && error.contains(known), "{error}");
        }
    }
}
