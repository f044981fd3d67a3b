//! JSON files of objects: one per line, or an array of them.

mod decode;
mod order;
mod records;
mod writer;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_schema::{Schema, SchemaRef};

pub use self::writer::{JsonWriter, write_json};

use crate::batches::{Batches, Decoder, Open, scan_iterator};
use crate::dataset::Dataset;
use crate::error::Format;
use crate::options::{Columns, Options};
use crate::pieces::{Begun, Piece, PieceDecoder, Pieces};
use crate::text_input::{TextInput, text_reader_options};
use crate::{Batch, Error, Result};

/// Reads a JSON file of one object per line or of an array of objects, or all files of a pattern or folder, onto the current device.
///
/// The short form of [`JsonReader`], which says what can be chosen.
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
/// - As [`JsonReader::read`].
pub fn read_json(path: impl AsRef<Path>) -> Result<Batch> {
    JsonReader::open(path)?.read()
}

/// Reads JSON files batch by batch, in bounded memory. The short form of [`JsonReader::scan`].
///
/// # Errors
/// - As [`JsonReader::scan`].
pub fn scan_json(path: impl AsRef<Path>) -> Result<JsonScan> {
    JsonReader::open(path)?.scan()
}

/// Reads JSON files, in UTF-8: one object per line (JSON lines, NDJSON), objects over several lines, or one array of objects.
///
/// # Files
/// A path is a file, a pattern, or a folder, which stands for all files below it that end in `.jsonl`, `.ndjson` or `.json`, also before
/// `.gz` or `.zst`; folders
/// named `key=value` give columns, as for [`ParquetReader`](crate::ParquetReader).
///
/// A file may be compressed by gzip or, with feature `zstd`, by Zstandard, which is seen from its first bytes. It may also be a pipe, or `-`
/// for the standard input: each of its bytes is read once.
///
/// # Types
/// Unless given, names and types are inferred from the first 10,000 objects of the first file: `Int64`, `UInt64`, `Float64`, `Boolean`,
/// `Utf8`, lists and structs of these; columns stand in the order in which the file has them. Where a member is now a text, now a number or
/// boolean, all come as text. Days and times are text unless the schema says otherwise. All columns are nullable:
/// a member that an object lacks is null. Members that the schema lacks are passed over; where the first objects of a
/// later file have such, and neither a schema nor columns were given, that is an [`Error::OtherColumns`].
///
/// # Work and memory
/// Pieces of 4 MiB are decoded side by side on the threads of rayon, into arrays of arrow-rs; then the columns are made in
/// memory of the resource of this thread's scope. An array is never held as a whole. What compressed files hold is decompressed by one thread.
/// Of a pipe, the objects that types are inferred from stay in memory.
#[derive(Clone, Debug)]
pub struct JsonReader {
    input: TextInput,
    options: Options,
}

impl JsonReader {
    /// A reader of a file, a pattern, a folder, or, by the name `-`, of the standard input. Files are looked for when they are read.
    ///
    /// # Errors
    /// - none today; the signature is that of the other readers.
    pub fn open(path: impl AsRef<Path>) -> Result<JsonReader> {
        Ok(JsonReader { input: TextInput::new(path.as_ref()), options: Options::default() })
    }

    text_reader_options!("objects", "The file has an object on each line; an array of objects cannot be read so.");

    /// Reads everything that was asked for.
    ///
    /// # Errors
    /// - [`Error::NotFound`], [`Error::NoFiles`], [`Error::BadPattern`], [`Error::Read`].
    /// - [`Error::NoColumn`], [`Error::OtherColumns`], [`Error::Predicate`].
    /// - [`Error::Malformed`], with the line: what is no JSON, no object, or no value of its column's type, or bytes that are no UTF-8.
    /// - [`Error::Gdf`]: no memory, no such device.
    pub fn read(self) -> Result<Batch> {
        self.batches()?.read("read_json")
    }

    /// Reads batch by batch what was asked for; in memory are one piece of 4 MiB per thread, and its rows.
    ///
    /// # Errors
    /// - As [`JsonReader::read`]; those of the data come from the iterator.
    pub fn scan(self) -> Result<JsonScan> {
        Ok(JsonScan(self.batches()?))
    }

    fn batches(self) -> Result<Batches> {
        let dataset = Dataset::find(&self.input.path, &["jsonl", "ndjson", "json"])?;
        let first = &dataset.files[0];
        let (schema, begun) = match &self.input.schema {
            Some(schema) => (schema.clone(), None),
            None => {
                let mut begun = begin(first)?;
                let inferred = decode::infer(first, &mut begun, self.input.infer_records)?;
                (self.input.with_types(first, inferred, false)?, begun.kept())
            }
        };
        let begun = match &self.input.bytes {
            Some(_) => self.ranged(&dataset)?,
            None => begun,
        };
        let (first, known) = (first.clone(), schema.clone());
        let (input, options, of_files, begun) = (self.input, self.options, schema.clone(), Mutex::new(begun));
        let checks_members = input.schema.is_none() && options.columns == Columns::All;
        let open: Open = Box::new(move |path, columns| {
            let fields: Vec<_> = columns.iter().map(|index| of_files.fields()[*index].clone()).collect();
            let schema: SchemaRef = Arc::new(Schema::new(fields));
            // The first file is opened first. Its decoder continues with the pieces that inference read.
            let begun = begun.lock().unwrap_or_else(PoisonError::into_inner).take();
            let mut begun = begun.map_or_else(|| begin(path), Ok)?;
            if checks_members && path != first {
                let found = decode::infer(path, &mut begun, input.infer_records)?;
                check_members(path, &first, &known, &found)?;
                begun = begun.kept().map_or_else(|| begin(path), Ok)?;
            }
            let decode = move |path: &Path, piece: &Piece| decode::decode_piece(path, piece, &schema);
            Ok(Box::new(PieceDecoder { begun, decode }) as Box<dyn Decoder>)
        });
        Batches::new(dataset, &schema, &options, open)
    }

    /// The byte range that was asked for, of a file of lines.
    fn ranged(&self, dataset: &Dataset) -> Result<Option<Begun>> {
        let first = &dataset.files[0];
        let pieces = Pieces::open(first, Format::Json, Box::new(records::JsonRecords::lines()))?;
        let bytes = self.input.bytes_of(&dataset.files, pieces.is_repeatable())?;
        Ok(bytes.map(|bytes| pieces.within(bytes)).transpose()?.map(Begun::from))
    }
}

/// Returns an error if the file has members that the first file lacks, because they would be lost.
fn check_members(path: &Path, first: &Path, known: &Schema, found: &Schema) -> Result<()> {
    let is_unknown = |name: &&String| known.index_of(name).is_err();
    let additional: Vec<String> = found.fields().iter().map(|field| field.name()).filter(is_unknown).cloned().collect();
    if additional.is_empty() {
        return Ok(());
    }
    Err(Error::OtherColumns { path: path.to_owned(), first: first.to_owned(), missing: Vec::new(), additional })
}

/// Opens a file.
fn begin(path: &Path) -> Result<Begun> {
    Ok(Pieces::open(path, Format::Json, Box::new(records::JsonRecords::new()))?.into())
}

scan_iterator!(
    /// An iterator of batches of JSON files; made by [`JsonReader::scan`].
    JsonScan,
    "scan_json"
);
