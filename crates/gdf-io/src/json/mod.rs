//! JSON files of objects, either one object per line or one array of objects.

mod decode;
mod encode;
mod members;
mod order;
mod records;
mod writer;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_schema::{Schema, SchemaRef};

pub use self::writer::{JsonWriter, json_text, write_json};

use self::decode::{Others, Wanted};
use crate::batches::{Batches, Decoder, Open, scan_iterator};
use crate::dataset::Dataset;
use crate::error::Format;
use crate::options::{Columns, Options};
use crate::pieces::{Begun, Piece, PieceDecoder, Pieces};
use crate::text_input::{Inferred, TextInput, text_reader_options};
use crate::{Batch, Error, Result};

/// Reads a JSON file, or all files of a pattern or folder, onto the current device.
///
/// A file holds either one object per line or one array of objects. This function is the short form of
/// [`JsonReader`], which has options.
///
/// ```
/// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("trips.jsonl");
/// std::fs::write(&path, "{\"id\": 1, \"stops\": [\"Lyon\"]}\n{\"id\": 2}\n")?;
/// let trips = gdf::io::read_json(&path)?;
/// assert_eq!(trips.num_rows(), 2);
/// assert_eq!(trips.column("stops")?.known_null_count(), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// - The errors of [`JsonReader::read`].
pub fn read_json(path: impl AsRef<Path>) -> Result<Batch> {
    JsonReader::open(path)?.read()
}

/// Reads JSON files batch by batch, in bounded memory. This function is the short form of [`JsonReader::scan`].
///
/// # Errors
/// - The errors of [`JsonReader::scan`].
pub fn scan_json(path: impl AsRef<Path>) -> Result<JsonScan> {
    JsonReader::open(path)?.scan()
}

/// Reads JSON files in UTF-8. A file has one of three layouts. It contains one object per line (JSON Lines, NDJSON),
/// objects that extend over several lines, or one array of objects.
///
/// # Files
/// A path names a file, a pattern or a folder. A folder means all files below the folder that end in `.jsonl`,
/// `.ndjson` or `.json`, optionally followed by `.gz` or `.zst`. If folders have names like `key=value`, they give
/// columns; see [`ParquetReader`](crate::ParquetReader).
///
/// A file may be compressed by gzip or, with feature `zstd`, by Zstandard. The reader detects the compression from the
/// first bytes of the file. A path may also name a pipe, or be `-` for the standard input. Each byte of a pipe is read
/// only once.
///
/// # Types
/// If the caller does not give a schema, the reader infers names and types from the first 10,000 objects of the first
/// file. A column whose type is another one in the first 1,000 objects of a further file gets the common type: floats
/// for numbers, and text for other values. The inferred types are `Int64`, `UInt64`, `Float64`, `Boolean`, `Utf8`, and lists and structs of these types.
/// The columns have the order in which the members first occur in the file. If a member is text in some objects, and a
/// number or boolean in other objects, the column is text. Days and times are text unless the schema gives them another
/// type. All columns are nullable. If an object does not have a member, the value is null.
///
/// If the caller gives a schema that does not have a member, the reader ignores the member. If the caller gives no
/// schema, and a member first occurs after the objects from which types were inferred, the read returns
/// [`Error::Malformed`] with the line and the name of the member. The same applies to members of objects within objects
/// and lists. If the caller selects some of the columns, only objects within these columns are checked. If the caller gives neither
/// a schema nor columns, and the first objects of a later file have a member that the first file does not have, the read
/// returns [`Error::OtherColumns`].
///
/// # Work and memory
/// The threads of rayon decode pieces of 4 MiB in parallel into arrays of arrow-rs. After that, the columns are
/// allocated from the memory resource of the current scope of this thread. The text of a JSON array is never in memory
/// as a whole. A compressed file is decompressed by one thread. If types are inferred from a pipe, the objects that
/// inference has read stay in memory until they are decoded.
#[derive(Clone, Debug)]
pub struct JsonReader {
    input: TextInput,
    options: Options,
    /// The names and types of all columns, if they were inferred before.
    inferred: Option<SchemaRef>,
}

impl JsonReader {
    /// Makes a reader of a file, a pattern or a folder. The path `-` means the standard input. The reader looks for
    /// the files when `read` or `scan` is called.
    ///
    /// # Errors
    /// - Currently there are no errors. The function returns a `Result` so that its signature is the same as for the
    ///   other readers.
    pub fn open(path: impl AsRef<Path>) -> Result<JsonReader> {
        Self::open_all([path])
    }

    /// Makes a reader of several paths, whose files are read one path after the other, as the files of a folder are.
    ///
    /// # Errors
    /// - Currently there are no errors, as for [`open`](Self::open).
    pub fn open_all<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<JsonReader> {
        let paths = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        Ok(JsonReader { input: TextInput::new(paths), options: Options::default(), inferred: None })
    }

    text_reader_options!(
        "objects",
        "The file must have one object per line. The file must not be an array of objects."
    );

    /// Reads all selected rows and columns.
    ///
    /// # Errors
    /// - [`Error::NotFound`], [`Error::NoFiles`], [`Error::BadPattern`], [`Error::Read`].
    /// - [`Error::NoColumn`], [`Error::OtherColumns`], [`Error::Predicate`].
    /// - [`Error::Malformed`], with the line: the text is not JSON, a value is not an object, a member does not fit the
    ///   type of its column, or bytes are not UTF-8.
    /// - [`Error::Gdf`]: an allocation failed, or the device does not exist.
    pub fn read(self) -> Result<Batch> {
        self.batches()?.read("read_json")
    }

    /// Reads the selected rows and columns batch by batch. For each thread, the memory contains at most one piece of 4
    /// MiB, and the rows of that piece.
    ///
    /// # Errors
    /// - The errors of [`JsonReader::read`]. Errors in the data are returned by the iterator and not by this function.
    pub fn scan(self) -> Result<JsonScan> {
        Ok(JsonScan(self.batches()?))
    }

    /// Returns the names and types that the reader infers, without columns of partitions. See
    /// [`inferred`](Self::inferred).
    ///
    /// # Errors
    /// - The errors of [`JsonReader::read`].
    #[doc(hidden)]
    pub fn infer(&self) -> Result<SchemaRef> {
        Ok(self.types_of(&self.dataset()?)?.0)
    }

    /// Sets the names and types that [`infer`](Self::infer) has returned, so that they are not inferred again. In contrast
    /// to [`schema`](Self::schema), members without a column are errors.
    #[doc(hidden)]
    #[must_use]
    pub fn inferred(mut self, schema: SchemaRef) -> Self {
        self.inferred = Some(schema);
        self
    }

    fn dataset(&self) -> Result<Dataset> {
        self.input.find(&["jsonl", "ndjson", "json"])
    }

    /// Returns the schema of all files, the start of the first file if it cannot be read again, and the types of the
    /// later files.
    fn types_of(&self, dataset: &Dataset) -> Result<(SchemaRef, Option<Begun>, Inferred)> {
        if let Some(schema) = self.input.schema.as_ref().or(self.inferred.as_ref()) {
            return Ok((schema.clone(), None, Inferred::default()));
        }
        let first = &dataset.files[0];
        let mut begun = begin(first)?;
        let inferred = decode::infer(first, &mut begun, self.input.infer_records)?;
        let others = Inferred::of(&dataset.files, |path| {
            let begun = begin(path)?;
            let later = self.input.infer_records_later();
            decode::infer(path, &mut begun.pieces.in_small_pieces().into(), later)
        });
        let inferred = others.common(inferred, &dataset.files);
        Ok((self.input.with_types(first, inferred, false)?, begun.kept(), others))
    }

    fn batches(self) -> Result<Batches> {
        let dataset = self.dataset()?;
        let first = &dataset.files[0];
        let (schema, begun, others_inferred) = self.types_of(&dataset)?;
        let begun = match &self.input.bytes {
            Some(_) => self.ranged(&dataset)?,
            None => begun,
        };
        let (first, known) = (first.clone(), schema.clone());
        let (input, options, of_files, begun) = (self.input, self.options, schema.clone(), Mutex::new(begun));
        let checks_members = input.schema.is_none() && self.inferred.is_none() && options.columns == Columns::All;
        let open: Open = Box::new(move |path, columns| {
            let fields: Vec<_> = columns.iter().map(|index| of_files.fields()[*index].clone()).collect();
            let schema: SchemaRef = Arc::new(Schema::new(fields));
            // The first call opens the first file.
            let begun = begun.lock().unwrap_or_else(PoisonError::into_inner).take();
            let mut begun = begun.map_or_else(|| begin(path), Ok)?;
            if checks_members && path != first {
                match others_inferred.get(path) {
                    Some(found) => check_members(path, &first, &known, found)?,
                    None => {
                        let found = decode::infer(path, &mut begun, input.infer_records)?;
                        check_members(path, &first, &known, &found)?;
                        begun = begun.kept().map_or_else(|| begin(path), Ok)?;
                    }
                }
            }
            let has_all = (0..of_files.fields().len()).all(|index| columns.contains(&index));
            let others = match (&input.schema, has_all) {
                (Some(_), _) => Others::Ignored,
                (None, true) => Others::Refused,
                (None, false) => Others::IgnoredAtTop,
            };
            let wanted = Wanted { schema, others };
            let decode = move |path: &Path, piece: &Piece| decode::decode_piece(path, piece, &wanted);
            Ok(Box::new(PieceDecoder { begun, decode }) as Box<dyn Decoder>)
        });
        Batches::new(dataset, &schema, &options, open)
    }

    /// If a range of bytes was requested, returns the pieces of a file in that range.
    fn ranged(&self, dataset: &Dataset) -> Result<Option<Begun>> {
        let first = &dataset.files[0];
        let pieces = Pieces::open(first, Format::Json, Box::new(records::JsonRecords::lines()))?;
        let bytes = self.input.bytes_of(&dataset.files, pieces.is_repeatable())?;
        Ok(bytes.map(|bytes| pieces.within(bytes)).transpose()?.map(Begun::from))
    }
}

/// Returns an error if the file has members that the first file does not have.
fn check_members(path: &Path, first: &Path, known: &Schema, found: &Schema) -> Result<()> {
    let is_unknown = |name: &&String| known.index_of(name).is_err();
    let additional: Vec<String> = found.fields().iter().map(|field| field.name()).filter(is_unknown).cloned().collect();
    if additional.is_empty() {
        return Ok(());
    }
    Err(Error::OtherColumns { path: path.to_owned(), first: first.to_owned(), missing: Vec::new(), additional })
}

fn begin(path: &Path) -> Result<Begun> {
    Ok(Pieces::open(path, Format::Json, Box::new(records::JsonRecords::new()))?.into())
}

scan_iterator!(
    /// An iterator over batches of JSON files. [`JsonReader::scan`] makes the iterator.
    JsonScan,
    "scan_json"
);
