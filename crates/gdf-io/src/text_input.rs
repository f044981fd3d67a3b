//! What readers of text files are asked for, and how the types of the columns are found.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use crate::contain::contained;
use crate::lines;
use crate::{Error, Result};

/// Records that types are inferred from, unless asked for others.
const INFERRED: usize = 10_000;

/// A path, and the schema of its files as far as it was given.
#[derive(Clone, Debug)]
pub(crate) struct TextInput {
    pub(crate) path: PathBuf,
    pub(crate) infer_records: usize,
    pub(crate) schema: Option<SchemaRef>,
    pub(crate) types: Vec<(String, DataType)>,
}

impl TextInput {
    pub(crate) fn new(path: &Path) -> TextInput {
        TextInput { path: path.to_owned(), infer_records: INFERRED, schema: None, types: Vec::new() }
    }

    /// The schema that was given; else what `infer` finds in the first records of a file, with the types that were given. A type of a
    /// column that was not found adds the column, or is an error where the file names all of them.
    ///
    /// # Errors
    /// - [`Error::NotFound`], [`Error::Read`], [`Error::NoColumn`]; those of `infer`, as `failed` has them.
    pub(crate) fn file_schema(
        &self,
        path: &Path,
        names_all: bool,
        infer: impl FnOnce(BufReader<File>, usize) -> Result<Schema, ArrowError>,
        failed: impl FnOnce(ArrowError) -> Error,
    ) -> Result<SchemaRef> {
        if let Some(schema) = &self.schema {
            return Ok(schema.clone());
        }
        let file = BufReader::new(lines::open(path)?);
        let inferred = contained(|| infer(file, self.infer_records), ArrowError::ParseError).map_err(failed)?;
        let mut fields: Vec<Field> = inferred.fields().iter().map(|field| Field::clone(field)).collect();
        for (name, data_type) in &self.types {
            let field = Field::new(name, data_type.clone(), true);
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

/// The methods that readers of text have, over fields `input` and `options`; `$records` is what the format calls a row.
macro_rules! text_reader_options {
    ($records:literal) => {
        crate::options::reader_options!("Only these columns, in this order.");

        #[doc = concat!("How many ", $records, " types are inferred from, 10,000 unless set.")]
        #[must_use]
        pub fn infer_records(mut self, records: usize) -> Self {
            self.input.infer_records = records;
            self
        }

        /// Names and types of all columns, instead of those that the file names and inferred ones. A header is passed over.
        #[must_use]
        pub fn schema(mut self, schema: arrow_schema::SchemaRef) -> Self {
            self.input.schema = Some(schema);
            self
        }

        /// The types of some columns, instead of inferred ones.
        #[must_use]
        pub fn types<N: Into<String>>(mut self, types: impl IntoIterator<Item = (N, arrow_schema::DataType)>) -> Self {
            self.input.types.extend(types.into_iter().map(|(name, data_type)| (name.into(), data_type)));
            self
        }
    };
}

pub(crate) use text_reader_options;
