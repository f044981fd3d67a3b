//! JSON files of one object per line.

use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_json::ReaderBuilder;
use arrow_json::reader::infer_json_schema;
use arrow_json::writer::{LineDelimited, WriterBuilder};
use arrow_schema::{ArrowError, Schema, SchemaRef};

use crate::batches::{Batches, Decoder, Open, scan_iterator};
use crate::contain::contained;
use crate::dataset::Dataset;
use crate::error::Format;
use crate::lines::{Piece, PieceDecoder, Pieces};
use crate::options::Options;
use crate::text_input::{TextInput, text_reader_options};
use crate::text_output::TextOutput;
use crate::write::check_schema;
use crate::{Batch, Error, Position, Result};

/// Rows that are decoded at a time.
const ROWS: usize = 1 << 16;

/// Reads a JSON file of one object per line, or all files of a pattern or folder, onto the current device.
///
/// The short form of [`JsonReader`], which says what can be chosen.
///
/// ```
/// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub use gdf_io as io; }
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

/// Reads JSON files of one object per line (JSON lines, NDJSON), in UTF-8.
///
/// # Files
/// A path is a file, a pattern, or a folder, which stands for all files below it that end in `.jsonl`, `.ndjson` or `.json`; folders
/// named `key=value` give columns, as for [`ParquetReader`](crate::ParquetReader).
///
/// # Types
/// Unless given, names and types are inferred from the first 10,000 objects of the first file: `Int64`, `Float64`, `Boolean`,
/// `Utf8`, lists and structs of these. Days and times are text unless the schema says otherwise. All columns are nullable:
/// a member that an object lacks is null. Members that the schema lacks are passed over.
///
/// # Work and memory
/// Pieces of 4 MiB are decoded side by side on the threads of rayon, into arrays of arrow-rs; then the columns are made in
/// memory of the resource of this thread's scope.
#[derive(Clone, Debug)]
pub struct JsonReader {
    input: TextInput,
    options: Options,
}

impl JsonReader {
    /// A reader of a file, a pattern, or a folder. Files are looked for when they are read.
    ///
    /// # Errors
    /// - none today; the signature is that of the other readers.
    pub fn open(path: impl AsRef<Path>) -> Result<JsonReader> {
        Ok(JsonReader { input: TextInput::new(path.as_ref()), options: Options::default() })
    }

    text_reader_options!("objects");

    /// Reads everything that was asked for.
    ///
    /// # Errors
    /// - [`Error::NotFound`], [`Error::NoFiles`], [`Error::BadPattern`], [`Error::Read`].
    /// - [`Error::NoColumn`], [`Error::Predicate`].
    /// - [`Error::Malformed`], with the line: what is no JSON, or no value of its column's type.
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
        let infer = |file, records| infer_json_schema(file, Some(records)).map(|(schema, _)| schema);
        let schema = self.input.file_schema(first, false, infer, |error| failure(first, None, error))?;
        let (options, of_files) = (self.options, schema.clone());
        let open: Open = Box::new(move |path, columns| {
            let fields: Vec<_> = columns.iter().map(|index| of_files.fields()[*index].clone()).collect();
            let schema: SchemaRef = Arc::new(Schema::new(fields));
            let pieces = Pieces::open(path, Format::Json, None)?;
            let decode = move |path: &Path, piece: &Piece| decode_piece(path, piece, &schema);
            Ok(Box::new(PieceDecoder { pieces, decode }) as Box<dyn Decoder>)
        });
        Batches::new(dataset, &schema, &options, open)
    }
}

fn decode_piece(path: &Path, piece: &Piece, schema: &SchemaRef) -> Result<Vec<RecordBatch>> {
    decode(&piece.bytes, schema).map_err(|error| {
        // The message has no position: the line is found by decoding one after the other.
        let mut first = piece.first_line;
        let lines = piece.bytes.split_inclusive(|byte| *byte == b'\n');
        let failing = lines.map(|line| {
            first += 1;
            decode(line, schema).map_err(|error| (first - 1, error)).err()
        });
        match failing.flatten().next() {
            Some((line, error)) => failure(path, Some(Position::Line(line)), error),
            None => failure(path, Some(Position::Line(piece.first_line)), error),
        }
    })
}

fn decode(mut bytes: &[u8], schema: &SchemaRef) -> Result<Vec<RecordBatch>, ArrowError> {
    let decode = || {
        let mut decoder = ReaderBuilder::new(schema.clone()).with_batch_size(ROWS).build_decoder()?;
        let mut batches = Vec::new();
        loop {
            let used = decoder.decode(bytes)?;
            bytes = &bytes[used..];
            match decoder.flush()? {
                Some(batch) => batches.push(batch),
                None if bytes.is_empty() => return Ok(batches),
                None if used == 0 => return Err(ArrowError::JsonError("not one object per line".to_owned())),
                None => {}
            }
        }
    };
    contained(decode, ArrowError::JsonError)
}

fn failure(path: &Path, position: Option<Position>, error: ArrowError) -> Error {
    match error {
        ArrowError::JsonError(what) => Error::Malformed { path: path.to_owned(), format: Format::Json, position, what },
        error => Error::decoding(path, Format::Json, position, error),
    }
}

scan_iterator!(
    /// An iterator of batches of JSON files; made by [`JsonReader::scan`].
    JsonScan,
    "scan_json"
);

/// Writes a batch to a JSON file of one object per line. The short form of [`JsonWriter`].
///
/// # Errors
/// - As [`JsonWriter::write`] and [`JsonWriter::finish`].
pub fn write_json(batch: &Batch, path: impl AsRef<Path>) -> Result<()> {
    let mut writer = JsonWriter::new(path, batch.schema());
    writer.write(batch)?;
    writer.finish()
}

/// Writes batches to a JSON file of one object per line, which appears under its name once it is finished, and not at all if
/// something fails.
///
/// Null members are left out unless asked for. Days and times are written as ISO 8601 has them, bytes in hexadecimal digits,
/// NaN and infinite numbers as null.
///
/// ```
/// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub use gdf_io as io; }
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("trips.jsonl");
/// gdf::io::write_json(&gdf::io::example_batch()?, &path)?;
/// assert_eq!(std::fs::read_to_string(&path)?.lines().nth(1), Some(r#"{"id":2}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct JsonWriter {
    schema: SchemaRef,
    writes_nulls: bool,
    text: TextOutput,
}

impl JsonWriter {
    /// A writer of batches with these columns. Nothing is opened yet.
    pub fn new(path: impl AsRef<Path>, schema: &SchemaRef) -> JsonWriter {
        let text = TextOutput::new(path.as_ref(), Format::Json);
        JsonWriter { schema: schema.clone(), writes_nulls: false, text }
    }

    /// Whether null members are written, as `null`.
    #[must_use]
    pub fn explicit_nulls(mut self, writes_nulls: bool) -> Self {
        self.writes_nulls = writes_nulls;
        self
    }

    /// Adds the rows of a batch, formatted on the threads of rayon. **Waits** for device memory.
    ///
    /// # Errors
    /// - [`Error::SchemaMismatch`]: the batch has other columns.
    /// - [`Error::Unsupported`]: a type has no form in JSON.
    /// - [`Error::Write`], also from then on.
    /// - [`Error::Gdf`]: the batch cannot be copied to the CPU.
    pub fn write(&mut self, batch: &Batch) -> Result<()> {
        check_schema(&self.schema, batch)?;
        self.text.open(&self.schema)?;
        let builder = WriterBuilder::new().with_explicit_nulls(self.writes_nulls);
        self.text.write(&batch.to_arrow()?, |rows| {
            let mut writer = builder.clone().build::<_, LineDelimited>(Vec::new());
            writer.write(rows)?;
            writer.finish()?;
            Ok(writer.into_inner())
        })
    }

    /// Completes the file and gives it its name; what had the name is replaced.
    ///
    /// # Errors
    /// - [`Error::Write`], [`Error::Unsupported`].
    pub fn finish(mut self) -> Result<()> {
        self.text.open(&self.schema)?;
        self.text.finish()
    }
}
