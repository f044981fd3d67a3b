//! The dialect of the CSV files that a command reads.

use anyhow::{Context, Result, bail, ensure};
use gdf::io::CsvReader;

use super::format::Format;

/// An ASCII character, or no character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Letter(Option<u8>);

#[derive(Clone, Default, clap::Args)]
#[command(next_help_heading = "CSV")]
pub(crate) struct Dialect {
    /// The separator of cells: a character, or `tab` [default: a comma]
    #[arg(long, value_name = "LETTER", value_parser = letter)]
    delimiter: Option<Letter>,
    /// The quote character of cells: a character, or `none` [default: "]
    #[arg(long, value_name = "LETTER", value_parser = letter)]
    quote: Option<Letter>,
    /// Skip lines that begin with this character
    #[arg(long, value_name = "LETTER", value_parser = letter)]
    comment: Option<Letter>,
    /// A text that means null, in addition to the empty text; may be repeated
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    null: Vec<String>,
    /// Read the first record as data, not as a header; the columns are named column_1, column_2, …
    #[arg(long)]
    no_header: bool,
    /// The names of all columns, instead of the names in the header
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    names: Option<Vec<String>>,
    /// The number of lines to skip at the start of each file
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip_lines: usize,
    /// The decimal separator of numbers [default: a point]
    #[arg(long, value_name = "LETTER", value_parser = letter)]
    decimal_point: Option<Letter>,
    /// Read dates and times as text
    #[arg(long)]
    no_dates: bool,
    /// The number of records from which types are inferred, for CSV and JSON [default: 10000]
    #[arg(long, value_name = "N")]
    pub(super) infer_records: Option<usize>,
}

impl Dialect {
    pub(super) fn reader(&self, mut reader: CsvReader) -> Result<CsvReader> {
        if let Some(delimiter) = self.delimiter {
            reader = reader.delimiter(delimiter.some("--delimiter")?);
        }
        if let Some(Letter(quote)) = self.quote {
            reader = reader.quote(quote);
        }
        if let Some(comment) = self.comment {
            reader = reader.comment(comment.some("--comment")?);
        }
        if let Some(point) = self.decimal_point {
            reader = reader.decimal_point(point.some("--decimal-point")?);
        }
        if let Some(names) = &self.names {
            reader = reader.names(names.iter().cloned());
        }
        if let Some(records) = self.infer_records {
            reader = reader.infer_records(records);
        }
        reader = self.null.iter().fold(reader, |reader, null| reader.null(null));
        Ok(reader.has_header(!self.no_header).skip_lines(self.skip_lines).parse_dates(!self.no_dates))
    }

    /// Returns the options of tables. They concern the tables whose files are CSV.
    #[cfg(feature = "sql")]
    pub(crate) fn options(&self) -> Result<gdf_datafusion::FileOptions> {
        let mut options = gdf_datafusion::FileOptions::new();
        if let Some(delimiter) = self.delimiter {
            options = options.delimiter(delimiter.some("--delimiter")?);
        }
        if let Some(Letter(quote)) = self.quote {
            options = options.quote(quote);
        }
        if let Some(comment) = self.comment {
            options = options.comment(comment.some("--comment")?);
        }
        if let Some(point) = self.decimal_point {
            options = options.decimal_point(point.some("--decimal-point")?);
        }
        if let Some(names) = &self.names {
            options = options.names(names.iter().cloned());
        }
        if let Some(records) = self.infer_records {
            options = options.infer_records(records);
        }
        options = self.null.iter().fold(options, |options, null| options.null(null));
        Ok(options.has_header(!self.no_header).skip_lines(self.skip_lines).parse_dates(!self.no_dates))
    }

    /// Returns an error if arguments for CSV are given for files of another format.
    pub(super) fn check_unused(&self, format: Format) -> Result<()> {
        let given = [
            ("--delimiter", self.delimiter.is_some()),
            ("--quote", self.quote.is_some()),
            ("--comment", self.comment.is_some()),
            ("--null", !self.null.is_empty()),
            ("--no-header", self.no_header),
            ("--names", self.names.is_some()),
            ("--skip-lines", self.skip_lines > 0),
            ("--decimal-point", self.decimal_point.is_some()),
            ("--no-dates", self.no_dates),
            ("--infer-records", self.infer_records.is_some() && format != Format::Json),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => bail!("{name} applies to CSV files only; remove {name}, or pass --format csv"),
            None => Ok(()),
        }
    }
}

impl Letter {
    fn some(self, argument: &str) -> Result<u8> {
        self.0.with_context(|| format!("{argument} cannot be `none`; give a character"))
    }
}

fn letter(text: &str) -> Result<Letter> {
    match text.as_bytes() {
        b"none" => Ok(Letter(None)),
        b"tab" | b"\\t" => Ok(Letter(Some(b'\t'))),
        [letter] => Ok(Letter(Some(*letter))),
        _ => {
            ensure!(text.chars().count() != 1, "{text} is not ASCII; give an ASCII character, `tab` or `none`");
            bail!("{text:?} is not one character; give an ASCII character, `tab` or `none`");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_read() {
        for (text, expected) in [(";", Some(b';')), ("tab", Some(b'\t')), ("\\t", Some(b'\t')), ("none", None)] {
            assert_eq!(letter(text).unwrap(), Letter(expected));
        }
        for text in ["", ";;", "é"] {
            assert!(letter(text).is_err(), "{text}");
        }
    }
}
