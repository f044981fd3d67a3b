//! CSV files.

mod cells;
mod decode;
mod infer;
mod records;
mod values;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_schema::{Field, Schema, SchemaRef};

pub use self::writer::{CsvWriter, QuoteStyle, csv_text, write_csv};

use crate::batches::{Batches, Open, scan_iterator};
use crate::dataset::Dataset;
use crate::error::Format;
use crate::options::Options;
use crate::pieces::{Begun, Pieces};
use crate::text_input::{Inferred, TextInput, text_reader_options};
use crate::{Batch, Error, Result};

/// Reads a CSV file with a header, or all files of a pattern or folder, onto the current device.
///
/// This function is the short form of [`CsvReader`], which has options.
///
/// ```
/// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("trips.csv");
/// std::fs::write(&path, "id,city,day\n1,Lyon,2026-01-31\n2,,2026-02-01\n")?;
/// let trips = gdf::io::read_csv(&path)?;
/// assert_eq!(trips.column("day")?.data_type(), &gdf::DataType::Date32);
/// assert_eq!(trips.column("city")?.known_null_count(), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// - The errors of [`CsvReader::read`].
pub fn read_csv(path: impl AsRef<Path>) -> Result<Batch> {
    CsvReader::open(path)?.read()
}

/// Reads CSV files batch by batch, in bounded memory. This function is the short form of [`CsvReader::scan`].
///
/// # Errors
/// - The errors of [`CsvReader::scan`].
pub fn scan_csv(path: impl AsRef<Path>) -> Result<CsvScan> {
    CsvReader::open(path)?.scan()
}

/// The bytes with a meaning in a CSV file: the separator, the quote, the escape, and the byte that begins a comment.
#[derive(Clone, Copy, Debug)]
struct Dialect {
    delimiter: u8,
    quote: Option<u8>,
    escape: Option<u8>,
    comment: Option<u8>,
}

/// The first of several files.
struct FirstFile {
    path: PathBuf,
    header: Option<Vec<String>>,
}

/// Reads CSV files in UTF-8, as described by RFC 4180.
///
/// # Files
/// A path names a file, a pattern or a folder. A folder means all files below the folder that end in `.csv`, `.csv.gz`
/// or `.csv.zst`. [`extensions`](CsvReader::extensions) sets other extensions. Files of other formats are ignored. If
/// folders have names like `key=value`, they give columns; see [`ParquetReader`](crate::ParquetReader).
///
/// The columns of several files are matched by the names in their headers, in any order. If the columns of a file
/// differ from those of the first file, the read returns [`Error::OtherColumns`]. If [`columns`](CsvReader::columns)
/// selects some columns, only these columns must be in each file. If the files have no headers, all files must have the
/// same number of columns.
///
/// A file may be compressed by gzip or, with feature `zstd`, by Zstandard. The reader detects the compression from the
/// first bytes of the file. A path may also name a pipe, or be `-` for the standard input. Each byte of a pipe is read
/// only once.
///
/// # Types
/// If the caller does not give a type, the type is inferred from the first 10,000 records of the first file and
/// the first 1,000 records of each further file. If the types of a column differ between files, the column has floats if
/// all types are numbers, and text otherwise. The inferred types are `Int64`, `UInt64` (if some values exceed `Int64`), `Float64`, `Boolean`, `Date32`, `Timestamp`
/// and `Utf8`. The unit of a `Timestamp` is nanoseconds if some value has more than six digits after the point, and
/// microseconds otherwise. All columns that fit none of the other types are `Utf8`.
///
/// If a later value does not fit the inferred type, the read returns an error that names the line. The caller can then
/// give the type of the column, or infer the types from more records. All columns are nullable. An empty cell is null,
/// even if the cell is quoted. The [`null`](CsvReader::null) values are also null.
///
/// # Files of lines
/// A file of lines without fields, such as a log, is read as one column with a delimiter that does not occur:
/// `CsvReader::open(path)?.delimiter(1).quote(None).has_header(false).names(["line"])`. Empty lines are left out.
///
/// # Work and memory
/// The threads of rayon decode pieces of 4 MiB in parallel into arrays of arrow-rs. After that, the columns are
/// allocated from the memory resource of the current scope of this thread. A compressed file is decompressed by one
/// thread. If types are inferred from a pipe, the records that inference has read stay in memory until they are
/// decoded.
#[derive(Clone, Debug)]
pub struct CsvReader {
    input: TextInput,
    options: Options,
    extensions: Vec<String>,
    dialect: Dialect,
    has_header: bool,
    skipped_lines: usize,
    names: Option<Vec<String>>,
    nulls: Vec<String>,
    trues: Vec<String>,
    falses: Vec<String>,
    decimal_point: u8,
    parses_dates: bool,
}

impl CsvReader {
    /// Makes a reader of a file, a pattern or a folder. The path `-` means the standard input. The reader looks for
    /// the files when `read` or `scan` is called.
    ///
    /// # Errors
    /// - Currently there are no errors. The function returns a `Result` so that its signature is the same as for the
    ///   other readers.
    pub fn open(path: impl AsRef<Path>) -> Result<CsvReader> {
        Self::open_all([path])
    }

    /// Makes a reader of several paths, whose files are read one path after the other, as the files of a folder are.
    ///
    /// # Errors
    /// - Currently there are no errors, as for [`open`](Self::open).
    pub fn open_all<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<CsvReader> {
        let paths = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        Ok(CsvReader {
            input: TextInput::new(paths),
            options: Options::default(),
            extensions: vec!["csv".to_owned()],
            dialect: Dialect { delimiter: b',', quote: Some(b'"'), escape: None, comment: None },
            has_header: true,
            skipped_lines: 0,
            names: None,
            nulls: Vec::new(),
            trues: Vec::new(),
            falses: Vec::new(),
            decimal_point: b'.',
            parses_dates: true,
        })
    }

    text_reader_options!(
        "records",
        "Every end of line in the range must end a record. A range that begins within a quoted value of several lines \
         therefore begins in the middle of a record. If the lines of the file end with a carriage return only, a range \
         is an error."
    );

    /// Sets the extensions of the files that are read if the path is a folder. The default is `csv`. The case of
    /// letters does not matter. After an extension, a file name may have `.gz` or `.zst`.
    ///
    /// ```
    /// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path();
    /// std::fs::write(path.join("t.tsv"), "id\tcity\n1\tLyon\n")?;
    /// let t = gdf::io::CsvReader::open(path)?.extensions(["tsv", "tab"]).delimiter(b'\t').read()?;
    /// assert_eq!((t.num_rows(), t.num_columns()), (1, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn extensions<N: Into<String>>(mut self, extensions: impl IntoIterator<Item = N>) -> Self {
        self.extensions = extensions.into_iter().map(|extension| extension.into().to_ascii_lowercase()).collect();
        self
    }

    /// Sets whether the first record contains the names of the columns. The default is `true`. If the value is `false`,
    /// the columns are named `column_1`, `column_2` and so on.
    #[must_use]
    pub fn has_header(mut self, has_header: bool) -> Self {
        self.has_header = has_header;
        self
    }

    /// Sets the names of all columns. The names replace the names in the header of the first file. Columns of later
    /// files are still matched by the header of the first file.
    ///
    /// ```
    /// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("t.csv");
    /// std::fs::write(&path, "made by hand\n1,Lyon\n")?;
    /// let t = gdf::io::CsvReader::open(&path)?.skip_lines(1).has_header(false).names(["id", "city"]).read()?;
    /// assert_eq!(t.column("id")?.to_vec::<i64>()?, [Some(1)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn names<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.names = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Skips the given number of lines at the start of each file. The skipped lines may have any content.
    ///
    /// If the file has a header, the header follows after the skipped lines. If the lines of the file end with a
    /// carriage return only, the read returns [`Error::Unimplemented`].
    #[must_use]
    pub fn skip_lines(mut self, lines: usize) -> Self {
        self.skipped_lines = lines;
        self
    }

    /// Sets the byte that separates cells. The default is a comma.
    #[must_use]
    pub fn delimiter(mut self, delimiter: u8) -> Self {
        self.dialect.delimiter = delimiter;
        self
    }

    /// Sets the byte that quotes cells. The default is `"`. Two quotes within a quoted cell mean one quote. If the
    /// value is `None`, a quote is an ordinary character, and no cell can contain an end of a line.
    #[must_use]
    pub fn quote(mut self, quote: impl Into<Option<u8>>) -> Self {
        self.dialect.quote = quote.into();
        self
    }

    /// Sets the byte that escapes a quote within a quoted cell. By default there is no such byte, and two quotes mean
    /// one quote.
    #[must_use]
    pub fn escape(mut self, escape: u8) -> Self {
        self.dialect.escape = Some(escape);
        self
    }

    /// Sets the byte that begins a comment. Lines that begin with this byte are skipped.
    #[must_use]
    pub fn comment(mut self, comment: u8) -> Self {
        self.dialect.comment = Some(comment);
        self
    }

    /// Adds a text that means null. The empty text always means null.
    #[must_use]
    pub fn null(mut self, text: impl Into<String>) -> Self {
        self.nulls.push(text.into());
        self
    }

    /// Adds a text that means true. `true` always means true, whatever the case of its letters.
    #[must_use]
    pub fn true_value(mut self, text: impl Into<String>) -> Self {
        self.trues.push(text.into());
        self
    }

    /// Adds a text that means false. `false` always means false, whatever the case of its letters.
    #[must_use]
    pub fn false_value(mut self, text: impl Into<String>) -> Self {
        self.falses.push(text.into());
        self
    }

    /// Sets the decimal separator of floats and decimals. The default is a point.
    ///
    /// ```
    /// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("t.csv");
    /// std::fs::write(&path, "price;paid\n2,50;ja\n3;nein\n")?;
    /// let reader = gdf::io::CsvReader::open(&path)?.delimiter(b';').decimal_point(b',');
    /// let t = reader.true_value("ja").false_value("nein").read()?;
    /// assert_eq!(t.column("price")?.to_vec::<f64>()?, [Some(2.5), Some(3.0)]);
    /// assert_eq!(t.column("paid")?.to_vec::<bool>()?, [Some(true), Some(false)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn decimal_point(mut self, point: u8) -> Self {
        self.decimal_point = point;
        self
    }

    /// Sets whether days and timestamps are recognized when types are inferred. The default is `true`. If the value is
    /// `false`, such columns are text.
    ///
    /// ```
    /// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("t.csv");
    /// std::fs::write(&path, "day\n2026-01-31\n")?;
    /// let t = gdf::io::CsvReader::open(&path)?.parse_dates(false).read()?;
    /// assert_eq!(t.column("day")?.data_type(), &gdf::DataType::Utf8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[doc(alias("try_parse_dates"))]
    pub fn parse_dates(mut self, parses: bool) -> Self {
        self.parses_dates = parses;
        self
    }

    /// Reads all selected rows and columns.
    ///
    /// # Errors
    /// - [`Error::NotFound`], [`Error::NoFiles`], [`Error::BadPattern`], [`Error::Read`].
    /// - [`Error::NoColumn`]: the first file or a later file does not have a column.
    /// - [`Error::AmbiguousColumn`], [`Error::OtherColumns`], [`Error::Predicate`].
    /// - [`Error::Malformed`], with the line: a record has another number of cells than the first record, a value does
    ///   not fit the type of its column, a quote is not closed, or bytes are not UTF-8.
    /// - [`Error::Malformed`], without a line: a file has no header, and the caller has given no schema.
    /// - [`Error::Unimplemented`]: lines end with a carriage return only, and the caller has given a range of bytes or
    ///   lines to skip.
    /// - [`Error::Gdf`]: an allocation failed, the device does not exist, or an option is invalid. The delimiter, the
    ///   quote, the escape and the comment must be different ASCII characters, and no line breaks. The decimal point
    ///   must be ASCII punctuation other than `-`.
    pub fn read(self) -> Result<Batch> {
        self.batches()?.read("read_csv")
    }

    /// Reads the selected rows and columns batch by batch. For each thread, the memory contains at most one piece of 4
    /// MiB, and the rows of that piece.
    ///
    /// # Errors
    /// - The errors of [`CsvReader::read`]. Errors in the data are returned by the iterator and not by this function.
    pub fn scan(self) -> Result<CsvScan> {
        Ok(CsvScan(self.batches()?))
    }

    fn batches(mut self) -> Result<Batches> {
        self.dialect.check(self.decimal_point)?;
        let dataset = self.input.find(&self.extensions)?;
        let first = &dataset.files[0];
        // `ranged` finds the first record by `has_header`, and is called before the assignment below changes
        // `has_header`.
        let ranged = self.ranged(&dataset)?;
        let (schema, begun) = match &self.input.schema {
            Some(schema) => (schema.clone(), None),
            None => {
                let mut begun = self.begin(first)?;
                let inferred = self.infer(first, &mut begun, self.input.infer_records)?;
                let others = Inferred::of(&dataset.files, |path| {
                    let begun = self.begin(path)?;
                    self.infer(path, &mut begun.pieces.in_small_pieces().into(), self.input.infer_records_later())
                });
                let inferred = others.common(inferred, &dataset.files);
                // A column without values in all files is text.
                let inferred = Self::retyped(&inferred.into(), |data_type| *data_type == arrow_schema::DataType::Null);
                let inferred = Arc::unwrap_or_clone(inferred);
                (self.input.with_types(first, inferred, true)?, begun.kept())
            }
        };
        let begun = match ranged {
            Some((begun, is_behind_header)) => {
                self.has_header &= !is_behind_header;
                Some(begun)
            }
            None => begun,
        };
        let (options, begun) = (self.options.clone(), Mutex::new(begun));
        let of_files = schema.clone();
        let first = FirstFile { path: first.clone(), header: self.first_header(&dataset)? };
        let open: Open = Box::new(move |path, columns| {
            // The first call opens the first file.
            let begun = begun.lock().unwrap_or_else(PoisonError::into_inner).take();
            let begun = begun.map_or_else(|| self.begin(path), Ok)?;
            self.decoder(path, &first, &of_files, columns, begun)
        });
        Batches::new(dataset, &schema, &options, open)
    }

    /// Returns the pieces of the requested range of bytes, and whether the range begins after the header.
    fn ranged(&self, dataset: &Dataset) -> Result<Option<(Begun, bool)>> {
        let Some(first) = dataset.files.first().filter(|_| self.input.bytes.is_some()) else { return Ok(None) };
        let mut whole = self.begin(first)?;
        let Some(bytes) = self.input.bytes_of(&dataset.files, whole.pieces.is_repeatable())? else { return Ok(None) };
        if bytes.start == 0 {
            return Ok(Some((whole.pieces.within(bytes)?.into(), false)));
        }
        let records = match whole.read_on()? {
            Some(piece) => piece.start + self.header_end(piece) as u64,
            None => 0,
        };
        let plain = CsvReader { skipped_lines: 0, ..self.clone() };
        let pieces = plain.begin(first)?.pieces.within(bytes.start.max(records)..bytes.end)?;
        Ok(Some((pieces.into(), true)))
    }

    /// If there are several files, returns the header of the first file.
    fn first_header(&self, dataset: &Dataset) -> Result<Option<Vec<String>>> {
        let [first, _, ..] = &dataset.files[..] else { return Ok(None) };
        let mut begun = self.begin(first)?;
        match begun.read_on()? {
            Some(piece) if self.has_header => Ok(self.header(first, piece)?.map(|(names, _)| names)),
            _ => Ok(None),
        }
    }

    fn begin(&self, path: &Path) -> Result<Begun> {
        let records = Box::new(records::CsvRecords(self.dialect));
        Ok(Pieces::open(path, Format::Csv, records)?.without_lines(self.skipped_lines).into())
    }

    fn infer(&self, path: &Path, begun: &mut Begun, records: usize) -> Result<Schema> {
        let mut inference = infer::Inference::new(self);
        while inference.wants_more(records)
            && let Some(piece) = begun.read_on()?
        {
            crate::text_input::check_utf8(path, Format::Csv, piece)?;
            inference.see(piece, records);
        }
        let found = inference.columns();
        let names = match (&self.names, found) {
            (Some(names), Some(found)) if names.len() != found.len() => {
                let what = format!(
                    "the number of columns of the file is {}, but the number of given names is {}",
                    found.len(),
                    names.len()
                );
                return Err(malformed(path, what));
            }
            (_, Some(found)) => found,
            (Some(names), None) if !self.has_header => {
                names.iter().map(|name| (name.clone(), arrow_schema::DataType::Utf8)).collect()
            }
            (_, None) => {
                let what =
                    "the file has no records, so the names of columns are unknown; give names and types in a schema";
                return Err(malformed(path, what.to_owned()));
            }
        };
        let named = names.into_iter().enumerate().map(|(at, (name, data_type))| {
            let name = self.names.as_ref().map_or(name, |names| names[at].clone());
            Field::new(name, data_type, true)
        });
        Ok(Schema::new(named.collect::<Vec<_>>()))
    }

    /// Returns the schema with the type `Utf8` for each column for whose type `text` returns true.
    fn retyped(schema: &SchemaRef, text: impl Fn(&arrow_schema::DataType) -> bool) -> SchemaRef {
        let fields = schema.fields().iter().map(|field| match text(field.data_type()) {
            true => Arc::new(field.as_ref().clone().with_data_type(arrow_schema::DataType::Utf8)),
            false => field.clone(),
        });
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
    }
}

fn malformed(path: &Path, what: String) -> Error {
    Error::Malformed { path: path.to_owned(), format: Format::Csv, position: None, what }
}

impl Dialect {
    /// Returns an error if one byte would have two meanings, or if a character is not allowed.
    fn check(&self, decimal_point: u8) -> Result<()> {
        let parts = [Some(self.delimiter), self.quote, self.escape, self.comment];
        let bytes: Vec<u8> = parts.into_iter().flatten().collect();
        let is_taken = |at: usize| bytes[..at].contains(&bytes[at]) || matches!(bytes[at], b'\n' | b'\r' | 0x80..);
        if (0..bytes.len()).any(is_taken) {
            let rule = "delimiter, quote, escape and comment must be different ASCII characters, and not line breaks";
            return Err(gdf_core::Error::invalid_argument(rule).in_operation("read_csv").into());
        }
        if !decimal_point.is_ascii_punctuation() || decimal_point == b'-' {
            let rule = "the decimal point must be an ASCII punctuation character other than `-`";
            return Err(gdf_core::Error::invalid_argument(rule).in_operation("read_csv").into());
        }
        Ok(())
    }

    /// Makes the csv-core parser for this dialect. arrow-csv uses the same parser.
    fn core(&self) -> csv_core::Reader {
        let mut builder = csv_core::ReaderBuilder::new();
        builder.delimiter(self.delimiter).escape(self.escape).comment(self.comment);
        match self.quote {
            Some(quote) => builder.quote(quote),
            None => builder.quoting(false),
        };
        builder.build()
    }
}

scan_iterator!(
    /// An iterator over batches of CSV files. [`CsvReader::scan`] makes the iterator.
    CsvScan,
    "scan_csv"
);
