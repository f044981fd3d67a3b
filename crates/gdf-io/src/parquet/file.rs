//! One Parquet file: its bytes and its metadata.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::arrow::{ProjectionMask, parquet_to_arrow_schema_by_columns};
use parquet::errors::ParquetError;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaDataReader};
use parquet::file::serialized_reader::SerializedPageReader;

use super::source::Source;
use crate::contain::contain;
use crate::error::{Format, Position};
use crate::{Error, Result};

/// An open file.
#[derive(Clone, Debug)]
pub(crate) struct ParquetFile {
    pub(crate) path: PathBuf,
    source: Source,
    pub(crate) metadata: ArrowReaderMetadata,
}

impl ParquetFile {
    /// Reads the metadata of a file.
    ///
    /// # Errors
    /// - the file is missing, encrypted, or no whole Parquet file.
    pub(crate) fn open(path: &Path) -> Result<ParquetFile> {
        Self::of_source(path, Source::open(path)?)
    }

    /// As [`ParquetFile::open`], from any source; `path` is its name.
    ///
    /// # Errors
    /// - As [`ParquetFile::open`].
    pub(crate) fn of_source(path: &Path, source: Source) -> Result<ParquetFile> {
        let failed = |error| failure(path, None, error);
        if is_encrypted(&source) {
            return Err(Error::Encrypted { path: path.to_owned() });
        }
        let load = || {
            let metadata = ArrowReaderMetadata::load(&source, ArrowReaderOptions::new())?;
            let plain = without_views(metadata.schema());
            if plain == *metadata.schema() {
                return Ok(metadata);
            }
            let options = ArrowReaderOptions::new().with_schema(plain);
            ArrowReaderMetadata::try_new(metadata.metadata().clone(), options)
        };
        let metadata = contained(load).map_err(failed)?;
        for group in metadata.metadata().row_groups() {
            if group.num_rows() < 0 {
                return Err(failed(ParquetError::General("a row group has fewer than no rows".to_owned())));
            }
        }
        Ok(ParquetFile { path: path.to_owned(), source, metadata })
    }

    /// The file with other types for some of its columns.
    ///
    /// # Errors
    /// - [`Error::NoColumn`]; [`Error::ColumnType`]: values do not come as such a type.
    pub(crate) fn with_types(self, types: &[(String, DataType)]) -> Result<ParquetFile> {
        let mut fields: Vec<FieldRef> = self.schema().fields().iter().cloned().collect();
        for (name, data_type) in types {
            let index = self.schema().index_of(name).map_err(|_| self.no_column(name))?;
            let field = Field::clone(&fields[index]).with_data_type(data_type.clone());
            if *field.data_type() == *fields[index].data_type() {
                continue;
            }
            let found = std::mem::replace(&mut fields[index], Arc::new(field));
            // One after the other, so that the error is about a column.
            let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields.clone())));
            let known = self.metadata.metadata().clone();
            contained(|| ArrowReaderMetadata::try_new(known, options)).map_err(|_| Error::ColumnType {
                path: self.path.clone(),
                column: name.clone(),
                expected: data_type.clone(),
                found: found.data_type().clone(),
            })?;
        }
        let schema = Schema::new_with_metadata(fields, self.schema().metadata().clone());
        let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
        let metadata = contained(|| ArrowReaderMetadata::try_new(self.metadata.metadata().clone(), options));
        let metadata = metadata.map_err(|error| failure(&self.path, None, error))?;
        Ok(ParquetFile { metadata, ..self })
    }

    /// The error of a column that is not there.
    pub(crate) fn no_column(&self, column: &str) -> Error {
        Error::NoColumn {
            path: self.path.clone(),
            column: column.to_owned(),
            known: self.schema().fields().iter().map(|field| field.name().clone()).collect(),
        }
    }

    /// The file with its page index, where it has one that can be read; it only saves work.
    pub(crate) fn with_page_index(self) -> ParquetFile {
        let load = || {
            let known = self.metadata.metadata().as_ref().clone();
            let mut reader = ParquetMetaDataReader::new_with_metadata(known)
                .with_column_index_policy(PageIndexPolicy::Optional)
                .with_offset_index_policy(PageIndexPolicy::Optional);
            reader.read_page_indexes(&self.source)?;
            let options = ArrowReaderOptions::new().with_schema(self.metadata.schema().clone());
            ArrowReaderMetadata::try_new(Arc::new(reader.finish()?), options)
        };
        match contained(load) {
            Ok(metadata) => ParquetFile { metadata, ..self },
            Err(error) => {
                tracing::debug!(target: "gdf", path = %self.path.display(), %error, "no page index");
                self
            }
        }
    }

    /// Names and types of the columns.
    pub(crate) fn schema(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    /// The rows of a row group.
    pub(crate) fn group_rows(&self, group: usize) -> usize {
        // not below zero, see `of_source`
        self.metadata.metadata().row_group(group).num_rows() as usize
    }

    /// The number of row groups.
    pub(crate) fn num_groups(&self) -> usize {
        self.metadata.metadata().num_row_groups()
    }

    /// The leaves of a column by name, or of some of its fields by a path with dots; empty if there are none. With them the
    /// position of the column.
    pub(crate) fn leaves(&self, name: &str) -> Option<(usize, Vec<usize>)> {
        let descriptor = self.metadata.parquet_schema();
        let all = 0..descriptor.num_columns();
        if let Ok(root) = self.schema().index_of(name) {
            return Some((root, all.filter(|leaf| descriptor.get_column_root_idx(*leaf) == root).collect()));
        }
        let matches = |leaf: &usize| {
            let column = descriptor.column(*leaf);
            let parts = column.path().parts();
            let short: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !is_repeated_group(part)).collect();
            let is_below =
                |path: &str| path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            is_below(&parts.join(".")) || is_below(&short.join("."))
        };
        let leaves: Vec<usize> = all.filter(matches).collect();
        let root = descriptor.get_column_root_idx(*leaves.first()?);
        Some((root, leaves))
    }

    /// The field of a column with only these of its leaves.
    ///
    /// # Errors
    /// - [`Error::Malformed`]: the schema makes no sense.
    pub(crate) fn field(&self, root: usize, leaves: &[usize]) -> Result<FieldRef> {
        let descriptor = self.metadata.parquet_schema();
        let of_root =
            (0..descriptor.num_columns()).filter(|leaf| descriptor.get_column_root_idx(*leaf) == root).count();
        if leaves.len() == of_root {
            return Ok(self.schema().fields()[root].clone());
        }
        let mask = ProjectionMask::leaves(descriptor, leaves.iter().copied());
        let key_values = self.metadata.metadata().file_metadata().key_value_metadata();
        let schema = contained(|| parquet_to_arrow_schema_by_columns(descriptor, mask, key_values))
            .map_err(|error| failure(&self.path, None, error))?;
        let field = schema.fields().first().cloned();
        let field = field.ok_or_else(|| failure(&self.path, None, ParquetError::General("no such column".into())))?;
        Ok(plain_field(&field))
    }

    /// A reader of these leaves in a row group.
    ///
    /// # Errors
    /// - the column chunk cannot be read.
    pub(crate) fn reader(
        &self,
        group: usize,
        leaves: &[usize],
        selection: Option<RowSelection>,
        batch_rows: usize,
    ) -> Result<GroupReader> {
        let build = || {
            let mask = ProjectionMask::leaves(self.metadata.parquet_schema(), leaves.iter().copied());
            let source = match (leaves, &selection) {
                // Skipping pages is for what is not fetched.
                ([leaf], None) => self.fetched(group, *leaf)?,
                _ => self.source.clone(),
            };
            let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(source, self.metadata.clone())
                .with_projection(mask)
                .with_row_groups(vec![group])
                .with_batch_size(batch_rows.min(self.group_rows(group)).max(1));
            if let Some(selection) = selection {
                builder = builder.with_row_selection(selection);
            }
            builder.build()
        };
        let reader = contained(build).map_err(|error| failure(&self.path, self.position(group, leaves), error))?;
        Ok(GroupReader { path: self.path.clone(), position: self.position(group, leaves), reader })
    }

    /// The source of all pages of a column.
    fn fetched(&self, group: usize, leaf: usize) -> Result<Source, ParquetError> {
        let (start, length) = self.metadata.metadata().row_group(group).column(leaf).byte_range();
        self.source.prefetch(start..start.saturating_add(length))
    }

    /// The pages of a column in a row group, decompressed.
    ///
    /// # Errors
    /// - the column chunk cannot be read.
    pub(super) fn pages(&self, group: usize, leaf: usize) -> Result<SerializedPageReader<Source>, ParquetError> {
        let chunk = self.metadata.metadata().row_group(group).column(leaf);
        SerializedPageReader::new(Arc::new(self.fetched(group, leaf)?), chunk, self.group_rows(group), None)
    }

    /// The type of a column that the file's own schema says, whatever its writer noted.
    pub(super) fn stored_type(&self, leaf: usize) -> Option<DataType> {
        let descriptor = self.metadata.parquet_schema();
        let mask = ProjectionMask::leaves(descriptor, [leaf]);
        let schema = contained(|| parquet_to_arrow_schema_by_columns(descriptor, mask, None)).ok()?;
        schema.fields().first().map(|field| field.data_type().clone())
    }

    /// A row group, and the column if all leaves are of one.
    pub(crate) fn position(&self, group: usize, leaves: &[usize]) -> Option<Position> {
        let roots: Vec<usize> =
            leaves.iter().map(|leaf| self.metadata.parquet_schema().get_column_root_idx(*leaf)).collect();
        let column = match roots.split_first() {
            Some((first, rest)) if rest.iter().all(|root| root == first) => {
                self.schema().fields().get(*first).map(|field| field.name().clone())
            }
            _ => None,
        };
        Some(Position::RowGroup { row_group: group, column })
    }
}

/// Reads batches of a row group.
pub(crate) struct GroupReader {
    path: PathBuf,
    position: Option<Position>,
    reader: ParquetRecordBatchReader,
}

impl GroupReader {
    /// The next rows, a column for each that the leaves are of.
    ///
    /// # Errors
    /// - the file is damaged, or uses what arrow-rs cannot decode.
    pub(crate) fn next(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        let (path, position) = (&self.path, || self.position.clone());
        match contain(|| self.reader.next()) {
            Ok(None) => Ok(None),
            Ok(Some(Ok(batch))) => Ok(Some(batch.columns().to_vec())),
            Ok(Some(Err(error))) => Err(arrow_failure(path, position(), error)),
            Err(what) => Err(malformed(path, position(), what)),
        }
    }

    /// The error of a group that has another number of rows than it says.
    pub(crate) fn wrong_rows(&self, expected: usize, found: usize) -> Error {
        let what = format!("{found} rows instead of {expected}");
        malformed(&self.path, self.position.clone(), what)
    }
}

fn malformed(path: &Path, position: Option<Position>, what: String) -> Error {
    Error::Malformed { path: path.to_owned(), format: Format::Parquet, position, what }
}

/// Names that Parquet writers give to the inner nodes of lists and maps.
fn is_repeated_group(part: &str) -> bool {
    matches!(part, "list" | "element" | "item" | "array" | "bag" | "array_element" | "key_value")
}

/// Runs a function of the parquet crate; a panic becomes an error.
pub(crate) fn contained<T>(decode: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    crate::contain::contained(decode, ParquetError::General)
}

/// What the parquet crate said.
pub(crate) fn failure(path: &Path, position: Option<Position>, error: ParquetError) -> Error {
    match error {
        ParquetError::External(source) => match source.downcast::<std::io::Error>() {
            Ok(source) if source.kind() != std::io::ErrorKind::UnexpectedEof => Error::reading(path, *source),
            Ok(source) => malformed(path, position, source.to_string()),
            Err(source) => malformed(path, position, source.to_string()),
        },
        ParquetError::NYI(what) => {
            Error::Unimplemented { path: path.to_owned(), format: Format::Parquet, position, what }
        }
        ParquetError::General(what) | ParquetError::EOF(what) | ParquetError::ArrowError(what) => {
            malformed(path, position, what)
        }
        error => malformed(path, position, error.to_string()),
    }
}

/// What it said through arrow-rs, whose error has its text alone.
fn arrow_failure(path: &Path, position: Option<Position>, error: ArrowError) -> Error {
    match error {
        ArrowError::ParquetError(what) => match what.strip_prefix("NYI: ") {
            Some(what) => failure(path, position, ParquetError::NYI(what.to_owned())),
            None => malformed(path, position, what),
        },
        error => Error::decoding(path, Format::Parquet, position, error),
    }
}

/// Whether the last bytes say that the footer is encrypted.
fn is_encrypted(source: &Source) -> bool {
    use parquet::file::reader::{ChunkReader, Length};
    let len = source.len();
    len >= 8 && source.get_bytes(len - 4, 4).is_ok_and(|magic| magic.as_ref() == b"PARE")
}

/// Text and binary in Arrow's plain layouts instead of views, which operations of gdf take.
fn without_views(schema: &SchemaRef) -> SchemaRef {
    let fields: Fields = schema.fields().iter().map(plain_field).collect();
    if fields == *schema.fields() {
        return schema.clone();
    }
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

fn plain_field(field: &FieldRef) -> FieldRef {
    let plain = plain_type(field.data_type());
    if plain == *field.data_type() {
        return field.clone();
    }
    Arc::new(Field::clone(field).with_data_type(plain))
}

fn plain_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Utf8View => DataType::Utf8,
        DataType::BinaryView => DataType::Binary,
        DataType::List(item) => DataType::List(plain_field(item)),
        DataType::LargeList(item) => DataType::LargeList(plain_field(item)),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(plain_field(item), *size),
        DataType::Map(entries, sorted) => DataType::Map(plain_field(entries), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(plain_field).collect()),
        DataType::Dictionary(keys, values) => DataType::Dictionary(keys.clone(), Box::new(plain_type(values))),
        other => other.clone(),
    }
}
