//! The options of the readers of text files, and the schema that combines given types and inferred types.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use rayon::prelude::*;

use crate::common::{common_schema, common_type};
use crate::dataset::Dataset;
use crate::error::Format;
use crate::pieces::Piece;
use crate::{Error, Position, Result, names};

/// By default, types are inferred from this number of records.
const INFERRED: usize = 10_000;
/// By default, types of files after the first one are inferred from this number of records.
const INFERRED_LATER: usize = 1_000;

#[derive(Clone, Debug)]
pub(crate) struct TextInput {
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) infer_records: usize,
    pub(crate) schema: Option<SchemaRef>,
    pub(crate) types: Vec<(String, DataType)>,
    /// A range of bytes.
    pub(crate) bytes: Option<Range<u64>>,
}

impl TextInput {
    pub(crate) fn new(paths: Vec<PathBuf>) -> TextInput {
        TextInput { paths, infer_records: INFERRED, schema: None, types: Vec::new(), bytes: None }
    }

    /// Returns the number of records from which the types of a file after the first one are inferred.
    pub(crate) fn infer_records_later(&self) -> usize {
        if self.infer_records == INFERRED { INFERRED_LATER } else { self.infer_records }
    }

    /// Returns the files that the paths mean. The files of a folder have one of the extensions, and may be compressed.
    ///
    /// # Errors
    /// - [`Error::NoFiles`], [`Error::BadPattern`], [`Error::Read`].
    pub(crate) fn find<S: AsRef<str>>(&self, extensions: &[S]) -> Result<Dataset> {
        let packed = |known: &S| ["", ".gz", ".zst"].map(|packing| format!("{}{packing}", known.as_ref()));
        Dataset::find(&self.paths, &extensions.iter().flat_map(packed).collect::<Vec<String>>())
    }

    /// Returns the requested range of bytes.
    ///
    /// # Errors
    /// - [`gdf_core::Error::InvalidArgument`]: the path means several files, or a pipe.
    pub(crate) fn bytes_of(&self, files: &[PathBuf], is_repeatable: bool) -> Result<Option<Range<u64>>> {
        let Some(bytes) = &self.bytes else { return Ok(None) };
        if files.len() > 1 || !is_repeatable {
            let rule = "a byte range needs a single file that is not a pipe; read several files one by one";
            return Err(gdf_core::Error::invalid_argument(rule).in_operation("byte_range").into());
        }
        Ok(Some(bytes.clone()))
    }

    /// Returns the inferred schema, with the types that the caller has given for some columns.
    ///
    /// # Errors
    /// - [`Error::NoColumn`].
    pub(crate) fn with_types(&self, path: &Path, inferred: Schema, names_all: bool) -> Result<SchemaRef> {
        let mut fields: Vec<Field> = inferred.fields().iter().map(|field| Field::clone(field)).collect();
        for (name, data_type) in &self.types {
            let field = Field::new(name, data_type.clone(), true);
            let count = fields.iter().filter(|known| known.name() == name).count();
            if count > 1 {
                return Err(names::ambiguous(path, name, count));
            }
            match fields.iter_mut().find(|known| known.name() == name) {
                Some(known) => *known = field,
                None if names_all => {
                    let known = fields.iter().map(|field| field.name().clone()).collect();
                    return Err(Error::NoColumn { path: path.to_owned(), column: name.clone(), known });
                }
                None => fields.push(field),
            }
        }
        Ok(Arc::new(Schema::new(fields)))
    }
}

/// The inferred schemas of all files but the first, by their paths. Files whose types cannot be inferred are left out,
/// because a later read of the file returns the error.
#[derive(Debug, Default)]
pub(crate) struct Inferred(HashMap<PathBuf, Schema>);

impl Inferred {
    /// Infers the schemas of the files after the first one. Pipes are left out.
    pub(crate) fn of(files: &[PathBuf], infer: impl Fn(&Path) -> Result<Schema> + Sync) -> Inferred {
        gdf_core::prepare_threads();
        let others = files.get(1..).unwrap_or_default().par_iter().filter(|path| path.is_file());
        Inferred(others.filter_map(|path| Some((path.clone(), infer(path).ok()?))).collect())
    }

    /// Returns the schema that was inferred from a file.
    #[cfg(feature = "json")]
    pub(crate) fn get(&self, path: &Path) -> Option<&Schema> {
        self.0.get(path)
    }

    /// Returns the schema of the first file with the common types of all files, in the order of `files`.
    pub(crate) fn common(&self, first: Schema, files: &[PathBuf]) -> Schema {
        let schemas = files.iter().filter_map(|path| self.0.get(path));
        let common = schemas.fold(Arc::new(first), |all, other| common_schema(&all, other, common_text_type));
        Arc::unwrap_or_clone(common)
    }
}

/// Returns the common type of values that are written as text. Any two types of values without fields and elements have
/// one, because each value is a text.
fn common_text_type(a: &DataType, b: &DataType) -> Option<DataType> {
    let is_number = |data_type: &DataType| data_type.is_integer() || gdf_core::is_floating(data_type);
    let is_instant = |data_type: &DataType| matches!(data_type, DataType::Timestamp(_, None));
    common_type(a, b).or_else(|| match (gdf_core::is_nested(a), gdf_core::is_nested(b)) {
        // The text of a day is a time as well.
        _ if *a == DataType::Date32 && is_instant(b) => Some(b.clone()),
        _ if *b == DataType::Date32 && is_instant(a) => Some(a.clone()),
        (false, false) if is_number(a) && is_number(b) => Some(DataType::Float64),
        (false, false) => Some(DataType::Utf8),
        _ => None,
    })
}

/// Returns an error if the text is not valid UTF-8.
///
/// # Errors
/// - [`Error::Malformed`], with the line and the probable encoding.
pub(crate) fn check_utf8(path: &Path, format: Format, piece: &Piece) -> Result<()> {
    let Err(error) = std::str::from_utf8(&piece.bytes) else { return Ok(()) };
    let at = error.valid_up_to();
    let is_utf_16 = piece.is_first && matches!(piece.bytes[..], [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
    let what = match piece.bytes[at] {
        _ if is_utf_16 => "the file is UTF-16, not UTF-8; convert the file: iconv -f UTF-16 -t UTF-8".to_owned(),
        byte => format!(
            "the byte 0x{byte:02X} is not UTF-8; if the file is in Latin-1 or Windows-1252, convert the file: \
             iconv -f WINDOWS-1252 -t UTF-8"
        ),
    };
    Err(Error::Malformed { path: path.to_owned(), format, position: Some(Position::Line(piece.line(at))), what })
}

/// Returns the first 160 characters of a text.
pub(crate) fn excerpt(text: &str) -> String {
    const CHARACTERS: usize = 160;
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Declares the options that all readers of text files share. The reader must have the fields `input` and `options`.
/// `$records` is the word for a row of the format. `$lines` is a sentence that tells how the format finds rows within a
/// range of bytes.
macro_rules! text_reader_options {
    ($records:literal, $lines:literal) => {
        crate::options::reader_options!("Reads only the columns with these names, in the given order.");

        #[doc = concat!(
            "Sets the number of ", $records, " from which types are inferred. The default is 10,000 of the first file, ",
            "and 1,000 of each further file."
        )]
        #[must_use]
        pub fn infer_records(mut self, records: usize) -> Self {
            self.input.infer_records = records;
            self
        }

        #[doc = concat!(
            "Reads only the ", $records, " that begin within these bytes of the file. In a compressed file, the bytes ",
            "count in the decompressed text. Several programs can share the work on one file in this manner. Each ",
            "program reads names and types from the start of the file, so that all programs have the same names and ",
            "types. ",
            $lines
        )]
        ///
        /// A byte range is an error if the path stands for several files, or for a pipe.
        #[must_use]
        pub fn byte_range(mut self, bytes: std::ops::Range<u64>) -> Self {
            self.input.bytes = Some(bytes);
            self
        }

        /// Sets the names and types of all columns. They replace the names in the file and the inferred types. If the
        /// file has a header, the header is skipped.
        #[must_use]
        pub fn schema(mut self, schema: arrow_schema::SchemaRef) -> Self {
            self.input.schema = Some(schema);
            self
        }

        /// Sets the types of some columns. They replace the inferred types.
        #[must_use]
        pub fn types<N: Into<String>>(mut self, types: impl IntoIterator<Item = (N, arrow_schema::DataType)>) -> Self {
            self.input.types.extend(types.into_iter().map(|(name, data_type)| (name.into(), data_type)));
            self
        }
    };
}

pub(crate) use text_reader_options;
