//! How the files of a table are read.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use datafusion::common::plan_err;
use datafusion::error::Result;
use gdf_io::{CsvReader, JsonReader};

use super::FileFormat;

/// The format of files, the dialect of CSV, and the number of records from which types are inferred.
///
/// What concerns another format than that of the files is ignored, so that one value serves tables of several formats.
///
/// ```
/// use gdf_datafusion::{FileOptions, GdfFiles};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("trips.csv");
/// std::fs::write(&path, "Lyon;2,5\nNantes;-\n")?;
/// let options = FileOptions::new().has_header(false).delimiter(b';').decimal_point(b',').null("-");
/// let trips = GdfFiles::open_with([&path], options.names(["city", "price"]))?;
/// # use datafusion::catalog::TableProvider;
/// assert_eq!(trips.schema().field(1).data_type(), &arrow_schema::DataType::Float64);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileOptions {
    pub(crate) format: Option<FileFormat>,
    pub(crate) delimiter: Option<u8>,
    /// The quote, and whether there is one, if it is not the default.
    pub(crate) quote: Option<Option<u8>>,
    pub(crate) escape: Option<u8>,
    pub(crate) comment: Option<u8>,
    pub(crate) nulls: Vec<String>,
    pub(crate) trues: Vec<String>,
    pub(crate) falses: Vec<String>,
    pub(crate) has_no_header: bool,
    pub(crate) names: Option<Vec<String>>,
    pub(crate) skipped_lines: usize,
    pub(crate) decimal_point: Option<u8>,
    pub(crate) has_no_dates: bool,
    pub(crate) infer_records: Option<usize>,
    /// The columns that a statement declares.
    pub(crate) declared: Option<SchemaRef>,
    /// The columns of JSON files, once they were inferred.
    pub(super) inferred: Option<SchemaRef>,
}

impl FileOptions {
    /// Makes options that change nothing.
    pub fn new() -> FileOptions {
        FileOptions::default()
    }

    /// Sets the format. By default, the extension tells it, or else the first bytes of the file.
    #[must_use]
    pub fn format(mut self, format: FileFormat) -> Self {
        self.format = Some(format);
        self
    }

    /// Sets the byte that separates cells of CSV. The default is a comma.
    #[must_use]
    pub fn delimiter(mut self, delimiter: u8) -> Self {
        self.delimiter = Some(delimiter);
        self
    }

    /// Sets the byte that quotes cells of CSV, or says that there is none. The default is `"`.
    #[must_use]
    pub fn quote(mut self, quote: impl Into<Option<u8>>) -> Self {
        self.quote = Some(quote.into());
        self
    }

    /// Sets the byte that escapes a quote within a quoted cell of CSV. By default, two quotes mean one.
    #[must_use]
    pub fn escape(mut self, escape: u8) -> Self {
        self.escape = Some(escape);
        self
    }

    /// Sets the byte that begins a comment of CSV. Lines that begin with it are skipped.
    #[must_use]
    pub fn comment(mut self, comment: u8) -> Self {
        self.comment = Some(comment);
        self
    }

    /// Adds a text that means null in CSV. The empty text always means null.
    #[must_use]
    pub fn null(mut self, text: impl Into<String>) -> Self {
        self.nulls.push(text.into());
        self
    }

    /// Adds a text that means true in CSV.
    #[must_use]
    pub fn true_value(mut self, text: impl Into<String>) -> Self {
        self.trues.push(text.into());
        self
    }

    /// Adds a text that means false in CSV.
    #[must_use]
    pub fn false_value(mut self, text: impl Into<String>) -> Self {
        self.falses.push(text.into());
        self
    }

    /// Sets whether the first record of CSV has the names of the columns. The default is `true`.
    #[must_use]
    pub fn has_header(mut self, has_header: bool) -> Self {
        self.has_no_header = !has_header;
        self
    }

    /// Sets the names of all columns of CSV, in place of those in the header.
    #[must_use]
    pub fn names<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.names = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the number of lines that are skipped at the start of each CSV file.
    #[must_use]
    pub fn skip_lines(mut self, lines: usize) -> Self {
        self.skipped_lines = lines;
        self
    }

    /// Sets the decimal separator of CSV. The default is a point.
    #[must_use]
    pub fn decimal_point(mut self, point: u8) -> Self {
        self.decimal_point = Some(point);
        self
    }

    /// Sets whether days and times are recognized when types of CSV are inferred. The default is `true`.
    #[must_use]
    pub fn parse_dates(mut self, parses: bool) -> Self {
        self.has_no_dates = !parses;
        self
    }

    /// Sets the number of records from which types of CSV and JSON are inferred.
    #[must_use]
    pub fn infer_records(mut self, records: usize) -> Self {
        self.infer_records = Some(records);
        self
    }

    /// Sets an option by the name that it has in `CREATE EXTERNAL TABLE … OPTIONS (…)`.
    ///
    /// # Errors
    /// * [`DataFusionError::Plan`](datafusion::error::DataFusionError::Plan): there is no such option, or the value is
    ///   not one that it takes.
    pub fn set(self, name: &str, value: &str) -> Result<FileOptions> {
        let listed = || value.split(',').map(|name| name.trim().to_owned());
        Ok(match name {
            "delimiter" => self.delimiter(letter(name, value)?),
            "quote" if value.eq_ignore_ascii_case("none") => self.quote(None),
            "quote" => self.quote(letter(name, value)?),
            "escape" => self.escape(letter(name, value)?),
            "comment" => self.comment(letter(name, value)?),
            "decimal_point" => self.decimal_point(letter(name, value)?),
            "null" => self.null(value),
            "true_value" => self.true_value(value),
            "false_value" => self.false_value(value),
            "has_header" => self.has_header(truth(name, value)?),
            "parse_dates" => self.parse_dates(truth(name, value)?),
            "names" => self.names(listed()),
            "skip_lines" => self.skip_lines(number(name, value)?),
            "infer_records" => self.infer_records(number(name, value)?),
            _ => {
                return plan_err!(
                    "there is no option {name}; the options of files are delimiter, quote, escape, comment, \
                     decimal_point, null, true_value, false_value, has_header, parse_dates, names, skip_lines and \
                     infer_records"
                );
            }
        })
    }

    pub(super) fn csv(&self, paths: &[PathBuf], format: FileFormat) -> gdf_io::Result<CsvReader> {
        let mut reader = CsvReader::open_all(paths)?;
        if format == FileFormat::Tsv {
            reader = reader.extensions(["tsv", "tab"]).delimiter(b'\t');
        }
        if let Some(delimiter) = self.delimiter {
            reader = reader.delimiter(delimiter);
        }
        if let Some(quote) = self.quote {
            reader = reader.quote(quote);
        }
        if let Some(escape) = self.escape {
            reader = reader.escape(escape);
        }
        if let Some(comment) = self.comment {
            reader = reader.comment(comment);
        }
        if let Some(point) = self.decimal_point {
            reader = reader.decimal_point(point);
        }
        if let Some(names) = &self.names {
            reader = reader.names(names.iter().cloned());
        }
        if let Some(records) = self.infer_records {
            reader = reader.infer_records(records);
        }
        if let Some(declared) = &self.declared {
            reader = reader.schema(Arc::clone(declared));
        }
        reader = self.nulls.iter().fold(reader, |reader, text| reader.null(text));
        reader = self.trues.iter().fold(reader, |reader, text| reader.true_value(text));
        reader = self.falses.iter().fold(reader, |reader, text| reader.false_value(text));
        Ok(reader.has_header(!self.has_no_header).skip_lines(self.skipped_lines).parse_dates(!self.has_no_dates))
    }

    pub(super) fn json(&self, paths: &[PathBuf]) -> gdf_io::Result<JsonReader> {
        let mut reader = JsonReader::open_all(paths)?;
        if let Some(records) = self.infer_records {
            reader = reader.infer_records(records);
        }
        if let Some(declared) = &self.declared {
            reader = reader.schema(Arc::clone(declared));
        }
        if let Some(inferred) = &self.inferred {
            reader = reader.inferred(Arc::clone(inferred));
        }
        Ok(reader)
    }
}

pub(super) fn letter(name: &str, value: &str) -> Result<u8> {
    match value.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [letter] if letter.is_ascii() => Ok(*letter),
        _ => plan_err!("the option {name} takes an ASCII character or `tab`, found '{value}'"),
    }
}

pub(super) fn truth(name: &str, value: &str) -> Result<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => plan_err!("the option {name} is true or false, found '{value}'"),
    }
}

pub(super) fn number(name: &str, value: &str) -> Result<usize> {
    value.parse().or_else(|_| plan_err!("the option {name} takes a number, found '{value}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_set_by_their_names() {
        let set = |name, value| FileOptions::new().set(name, value);
        assert_eq!(set("delimiter", "tab").unwrap(), FileOptions::new().delimiter(b'\t'));
        assert_eq!(set("quote", "none").unwrap(), FileOptions::new().quote(None));
        assert_eq!(set("has_header", "FALSE").unwrap(), FileOptions::new().has_header(false));
        assert_eq!(set("names", "a, b").unwrap(), FileOptions::new().names(["a", "b"]));
        assert_eq!(set("skip_lines", "2").unwrap(), FileOptions::new().skip_lines(2));
        for (name, value) in
            [("delimiter", ";;"), ("comment", "é"), ("has_header", "yes"), ("skip_lines", "-1"), ("colour", "red")]
        {
            let error = set(name, value).unwrap_err().to_string();
            assert!(error.contains(name) && (name == "colour" || error.contains(value)), "{error}");
        }
    }
}
