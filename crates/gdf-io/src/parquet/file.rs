//! An open Parquet file: its bytes and its metadata.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef, TimeUnit};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, RowSelection};
use parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels, parquet_to_arrow_schema_by_columns};
use parquet::basic::{Encoding, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaDataReader};
use parquet::file::reader::Length;

use super::chunk::{Group, Headers, Pages};
use super::failure::{contained, failure, malformed};
use super::footer::{is_encrypted, mended};
use super::group::{GroupReader, has_months};
use super::indexes::Indexes;
use super::source::Source;
use super::types::{is_int96, map_field, map_schema, months_schema, noted_schema, with_int96_unit, with_months};
use crate::error::Position;
use crate::{Error, Result, names};

#[derive(Clone, Debug)]
pub(crate) struct ParquetFile {
    pub(crate) path: PathBuf,
    source: Source,
    /// The metadata of the file.
    pub(crate) metadata: ArrowReaderMetadata,
    /// The types of the columns that a read returns.
    schema: SchemaRef,
    /// The indices of the columns whose types the caller requested.
    given: Vec<usize>,
    /// Whether the column types come from the Arrow schema that the writer stored in the file's metadata.
    has_note: bool,
}

impl ParquetFile {
    /// Reads the metadata of a file.
    ///
    /// # Errors
    /// - The file is missing, encrypted or not a complete Parquet file.
    pub(crate) fn open(path: &Path) -> Result<ParquetFile> {
        Self::of_source(path, Source::open(path)?)
    }

    /// Does the same as [`ParquetFile::open`], for any source.
    ///
    /// # Errors
    /// - The errors of [`ParquetFile::open`].
    pub(crate) fn of_source(path: &Path, source: Source) -> Result<ParquetFile> {
        let state = source.state();
        if let Some(metadata) = state.and_then(|state| state.footer()) {
            return Ok(ParquetFile::of_footer(path, source, metadata));
        }
        let failed = |error| failure(path, None, error);
        if is_encrypted(&source).map_err(failed)? {
            return Err(Error::Encrypted { path: path.to_owned() });
        }
        let load = || {
            let mut metadata = ArrowReaderMetadata::load(&source, ArrowReaderOptions::new())?;
            let mended = mended(metadata.metadata(), &source)?;
            if !Arc::ptr_eq(&mended, metadata.metadata()) {
                metadata = ArrowReaderMetadata::try_new(mended, ArrowReaderOptions::new())?;
            }
            let plain = map_schema(metadata.schema(), &mut without_view);
            if plain == *metadata.schema() {
                return Ok(metadata);
            }
            let options = ArrowReaderOptions::new().with_schema(plain);
            ArrowReaderMetadata::try_new(metadata.metadata().clone(), options)
        };
        let metadata = contained(load).map_err(failed)?;
        for (index, group) in metadata.metadata().row_groups().iter().enumerate() {
            let rows = group.num_rows();
            if rows < 0 {
                let what = format!("row group {index} must have at least 0 rows, found {rows}");
                return Err(failed(ParquetError::General(what)));
            }
        }
        if let Some(state) = state {
            state.keep(&metadata);
        }
        Ok(ParquetFile::of_footer(path, source, metadata))
    }

    fn of_footer(path: &Path, source: Source, metadata: ArrowReaderMetadata) -> ParquetFile {
        let schema = noted_schema(metadata.schema(), metadata.metadata().file_metadata());
        ParquetFile { path: path.to_owned(), source, metadata, schema, given: Vec::new(), has_note: true }
    }

    /// Returns the file with the column types of its Parquet schema, without the Arrow schema in the file's metadata.
    ///
    /// # Errors
    /// - [`Error::Malformed`]: the Parquet schema has no Arrow equivalent.
    pub(crate) fn without_note(self) -> Result<ParquetFile> {
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let known = self.metadata.metadata().clone();
        let metadata = contained(|| ArrowReaderMetadata::try_new(known, options))
            .map_err(|error| failure(&self.path, None, error))?;
        let schema = map_schema(metadata.schema(), &mut with_months);
        Ok(ParquetFile { metadata, schema, given: Vec::new(), has_note: false, ..self })
    }

    /// Returns the file with the given types for some of its columns.
    ///
    /// # Errors
    /// - [`Error::NoColumn`].
    /// - [`Error::ColumnType`]: the values of a column cannot be decoded to the given type.
    pub(crate) fn with_types(self, types: &[(String, DataType)]) -> Result<ParquetFile> {
        let place = |(name, data_type): &(String, DataType)| {
            let index = names::find(&self.names(), name, &self.path)?.ok_or_else(|| self.no_column(name))?;
            Ok((index, data_type.clone()))
        };
        let types = types.iter().map(place).collect::<Result<Vec<_>>>()?;
        let mut file = self.with_types_at(&types)?;
        file.given.extend(types.iter().map(|(index, _)| *index));
        Ok(file)
    }

    pub(crate) fn is_given(&self, index: usize) -> bool {
        self.given.contains(&index)
    }

    /// Does the same as [`ParquetFile::with_types`], except that columns are given by their indices.
    ///
    /// # Errors
    /// - The errors of [`ParquetFile::with_types`].
    pub(crate) fn with_types_at(self, types: &[(usize, DataType)]) -> Result<ParquetFile> {
        let decoded = self.metadata.schema();
        let mut fields: Vec<FieldRef> = decoded.fields().iter().cloned().collect();
        let mut given: Vec<FieldRef> = self.schema.fields().iter().cloned().collect();
        for (index, data_type) in types {
            let index = *index;
            let field = Field::clone(&fields[index]).with_data_type(data_type.clone());
            if field.data_type() == given[index].data_type() {
                continue;
            }
            // A column that is cast to the common type of several files is cast to another width of it instead.
            let scale = |data_type: &DataType| gdf_core::decimal_parts(data_type).map(|(_, _, scale)| scale);
            let is_cast = given[index].data_type() != fields[index].data_type()
                && scale(data_type).is_some()
                && scale(data_type) == scale(given[index].data_type());
            given[index] = Arc::new(field.clone());
            if is_cast {
                continue;
            }
            if field.data_type() == fields[index].data_type() {
                continue;
            }
            let found = fields[index].clone();
            let column_type = || Error::ColumnType {
                path: self.path.clone(),
                first: None,
                column: found.name().clone(),
                expected: data_type.clone(),
                found: found.data_type().clone(),
            };
            match self.change(index, found.data_type(), data_type) {
                Change::Decoder => {}
                Change::Cast => continue,
                Change::Impossible => return Err(column_type()),
            }
            fields[index] = Arc::new(field);
            // The types are applied one at a time, so that an error names the column that cannot have its type.
            let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields.clone())));
            let known = self.metadata.metadata().clone();
            contained(|| ArrowReaderMetadata::try_new(known, options)).map_err(|_| column_type())?;
        }
        let [decoded, given] =
            [fields, given].map(|fields| Schema::new_with_metadata(fields, decoded.metadata().clone()));
        let metadata = self.decoding_to(Arc::new(decoded))?;
        Ok(ParquetFile { metadata, schema: Arc::new(given), ..self })
    }

    /// Returns the file with another type for a column, to which the decoded column is cast.
    pub(crate) fn cast_to(self, index: usize, data_type: &DataType) -> ParquetFile {
        let mut fields: Vec<FieldRef> = self.schema.fields().iter().cloned().collect();
        fields[index] = Arc::new(Field::clone(&fields[index]).with_data_type(data_type.clone()));
        let schema = Schema::new_with_metadata(fields, self.schema.metadata().clone());
        ParquetFile { schema: Arc::new(schema), ..self }
    }

    /// Returns how a column gets another type. arrow-rs would take the stored integers of a time or a decimal as they
    /// are, without a conversion to the other unit or scale.
    fn change(&self, column: usize, from: &DataType, to: &DataType) -> Change {
        let stored = self.leaves_of(column).first().map(|leaf| self.metadata.parquet_schema().column(*leaf));
        let leaf = stored.as_ref().map(|column| column.physical_type());
        let is_long = |leaf: Option<PhysicalType>| match leaf {
            Some(PhysicalType::FIXED_LEN_BYTE_ARRAY) => stored.as_ref().is_some_and(|column| column.type_length() > 8),
            Some(PhysicalType::BYTE_ARRAY) => true,
            _ => false,
        };
        match (from, to) {
            (DataType::Timestamp(one, _), DataType::Timestamp(other, _)) if one != other => match leaf {
                Some(PhysicalType::INT96) => Change::Decoder,
                _ => Change::Cast,
            },
            _ => match (gdf_core::decimal_parts(from), gdf_core::decimal_parts(to)) {
                (Some((_, _, scale)), Some((_, _, other))) if scale != other => Change::Impossible,
                (Some((_, precision, _)), Some((_, other, _))) if other < precision => Change::Impossible,
                (Some(_), Some((4, ..))) if leaf != Some(PhysicalType::INT32) => Change::Impossible,
                // The decoder changes the width of a decimal, but not the precision alone.
                (Some((width, ..)), Some((other, ..))) if width == other => Change::Cast,
                // The decoder takes some bytes of a longer number. A cast checks the number.
                (Some((width, ..)), Some((other, ..))) if other < width && is_long(leaf) => Change::Cast,
                _ => Change::Decoder,
            },
        }
    }

    /// Returns the file with `unit` as the unit of timestamps that have the physical type INT96.
    ///
    /// # Errors
    /// - [`Error::Malformed`]: the Parquet schema has no Arrow equivalent.
    pub(crate) fn with_int96_unit(self, unit: TimeUnit) -> Result<ParquetFile> {
        let with_unit = |schema| with_int96_unit(schema, self.metadata.parquet_schema(), unit);
        let (decoded, schema) = (with_unit(self.metadata.schema()), with_unit(&self.schema));
        Ok(ParquetFile { metadata: self.decoding_to(decoded)?, schema, ..self })
    }

    /// Returns the metadata of the file, with `schema` as the types to which arrow-rs decodes the columns.
    fn decoding_to(&self, schema: SchemaRef) -> Result<ArrowReaderMetadata> {
        let options = ArrowReaderOptions::new().with_schema(schema);
        contained(|| ArrowReaderMetadata::try_new(self.metadata.metadata().clone(), options))
            .map_err(|error| failure(&self.path, None, error))
    }

    pub(crate) fn no_column(&self, column: &str) -> Error {
        names::no_column(&self.path, column, &self.names())
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.schema().fields().iter().map(|field| field.name().as_str()).collect()
    }

    /// If the file has a page index that can be read, returns the file with its page index.
    pub(crate) fn with_page_index(self) -> ParquetFile {
        let load = || {
            let known = self.metadata.metadata().as_ref().clone();
            let mut reader = ParquetMetaDataReader::new_with_metadata(known)
                .with_column_index_policy(PageIndexPolicy::Optional)
                .with_offset_index_policy(PageIndexPolicy::Optional);
            reader.read_page_indexes(&Indexes::new(&self.source, self.metadata.metadata()))?;
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

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    pub(crate) fn group_rows(&self, group: usize) -> usize {
        // `of_source` refuses files with negative row counts.
        self.metadata.metadata().row_group(group).num_rows() as usize
    }

    pub(crate) fn num_groups(&self) -> usize {
        self.metadata.metadata().num_row_groups()
    }

    pub(crate) fn leaves_of(&self, root: usize) -> Vec<usize> {
        let descriptor = self.metadata.parquet_schema();
        (0..descriptor.num_columns()).filter(|leaf| descriptor.get_column_root_idx(*leaf) == root).collect()
    }

    /// Returns the index of a column, and the indices of its leaf columns.
    ///
    /// # Errors
    /// - [`Error::AmbiguousColumn`]: the leaf columns belong to several columns.
    pub(crate) fn leaves(&self, name: &str) -> Result<Option<(usize, Vec<usize>)>> {
        if let Some(root) = names::find(&self.names(), name, &self.path)? {
            return Ok(Some((root, self.leaves_of(root))));
        }
        let descriptor = self.metadata.parquet_schema();
        let all = 0..descriptor.num_columns();
        let matches = |leaf: &usize| {
            let column = descriptor.column(*leaf);
            let parts = column.path().parts();
            let short: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !is_repeated_group(part)).collect();
            let is_below =
                |path: &str| path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            is_below(&parts.join(".")) || is_below(&short.join("."))
        };
        let leaves: Vec<usize> = all.filter(matches).collect();
        let mut roots: Vec<usize> = leaves.iter().map(|leaf| descriptor.get_column_root_idx(*leaf)).collect();
        roots.dedup();
        match roots[..] {
            [] => Ok(None),
            [root] => Ok(Some((root, leaves))),
            _ => Err(names::ambiguous(&self.path, name, roots.len())),
        }
    }

    /// Returns the field of a column.
    ///
    /// # Errors
    /// - [`Error::Malformed`]: the Parquet schema has no Arrow equivalent.
    pub(crate) fn field(&self, root: usize, leaves: &[usize]) -> Result<FieldRef> {
        let descriptor = self.metadata.parquet_schema();
        if leaves.len() == self.leaves_of(root).len() {
            return Ok(self.schema().fields()[root].clone());
        }
        let mask = ProjectionMask::leaves(descriptor, leaves.iter().copied());
        let key_values = self.metadata.metadata().file_metadata().key_value_metadata().filter(|_| self.has_note);
        let schema = contained(|| parquet_to_arrow_schema_by_columns(descriptor, mask, key_values))
            .map_err(|error| failure(&self.path, None, error))?;
        let field = schema.fields().first().cloned();
        let field = field.ok_or_else(|| {
            failure(&self.path, None, ParquetError::General("the selected fields do not belong to any column".into()))
        })?;
        let has_months =
            |leaf: &usize| has_months(self.schema().field(descriptor.get_column_root_idx(*leaf)).data_type());
        let field = if leaves.iter().any(has_months) { map_field(&field, &mut with_months) } else { field };
        Ok(map_field(&field, &mut without_view))
    }

    /// Makes a reader of the given leaf columns of a row group.
    ///
    /// # Errors
    /// - The column chunk cannot be read.
    pub(crate) fn reader(
        &self,
        group: usize,
        leaves: &[usize],
        selection: Option<RowSelection>,
        batch_rows: usize,
    ) -> Result<GroupReader> {
        let build = |metadata: &ArrowReaderMetadata| {
            let selection = selection.clone();
            let mask = ProjectionMask::leaves(self.metadata.parquet_schema(), leaves.iter().copied());
            let source = match (leaves, &selection) {
                // A whole column chunk is fetched only if every page is needed.
                ([leaf], None) => self.fetched(group, *leaf)?,
                _ => self.source.clone(),
            };
            let hint = Some(metadata.schema().fields());
            let levels = parquet_to_arrow_field_levels(self.metadata.parquet_schema(), mask, hint)?;
            let metadata = metadata.metadata();
            let batch_rows = batch_rows.min(self.group_rows(group)).max(1);
            let of_group = Group { metadata, group, source };
            ParquetRecordBatchReader::try_new_with_row_groups(&levels, &of_group, batch_rows, selection)
        };
        let build = |metadata: &ArrowReaderMetadata| {
            contained(|| build(metadata)).map_err(|error| failure(&self.path, self.position(group, leaves), error))
        };
        let is_long = |leaf: &usize| is_int96(self.metadata.parquet_schema(), *leaf);
        let seconds = if leaves.iter().any(is_long) && self.has_int96_nanoseconds() {
            let schema = with_int96_unit(self.metadata.schema(), self.metadata.parquet_schema(), TimeUnit::Second);
            Some(build(&self.decoding_to(schema)?)?)
        } else {
            None
        };
        let types = self.given_types(leaves);
        let months = if types.iter().flatten().any(has_months) {
            Some(build(&self.decoding_to(months_schema(self.metadata.schema()))?)?)
        } else {
            None
        };
        let (path, position) = (self.path.clone(), self.position(group, leaves));
        Ok(GroupReader { path, position, reader: build(&self.metadata)?, types, seconds, months })
    }

    /// Returns whether a column is flat text, whose pages in a row group all refer to a dictionary.
    pub(crate) fn has_dictionary(&self, group: usize, leaves: &[usize]) -> bool {
        let [leaf] = leaves else { return false };
        let descriptor = self.metadata.parquet_schema();
        let root = descriptor.get_column_root_idx(*leaf);
        let is_text =
            |schema: &SchemaRef| matches!(schema.field(root).data_type(), DataType::Utf8 | DataType::LargeUtf8);
        let is_flat =
            descriptor.column(*leaf).max_rep_level() == 0 && descriptor.column(*leaf).path().parts().len() == 1;
        is_flat && self.is_coded(group, *leaf) && is_text(self.metadata.schema()) && is_text(&self.schema)
    }

    /// Returns whether the pages of a column chunk all refer to a dictionary.
    pub(super) fn is_coded(&self, group: usize, leaf: usize) -> bool {
        let pages = self.metadata.metadata().row_group(group).column(leaf).page_encoding_stats_mask();
        pages.is_some_and(|pages| pages.is_only(Encoding::RLE_DICTIONARY) || pages.is_only(Encoding::PLAIN_DICTIONARY))
    }

    /// Makes a reader for which [`has_dictionary`](Self::has_dictionary) is true. The reader returns dictionaries.
    ///
    /// # Errors
    /// - The errors of [`ParquetFile::reader`].
    pub(crate) fn coded_reader(
        &self,
        group: usize,
        leaves: &[usize],
        selection: Option<RowSelection>,
        batch_rows: usize,
    ) -> Result<GroupReader> {
        let roots: Vec<usize> =
            leaves.iter().map(|leaf| self.metadata.parquet_schema().get_column_root_idx(*leaf)).collect();
        let schema = self.metadata.schema();
        let coded = |(index, field): (usize, &FieldRef)| match roots.contains(&index) {
            true => {
                let values = self.schema.field(index).data_type().clone();
                let coded = DataType::Dictionary(DataType::Int32.into(), values.into());
                Arc::new(Field::clone(field).with_data_type(coded))
            }
            false => field.clone(),
        };
        let fields: Vec<FieldRef> = schema.fields().iter().enumerate().map(coded).collect();
        let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
        let file = ParquetFile { metadata: self.decoding_to(schema.clone())?, schema, ..self.clone() };
        file.reader(group, leaves, selection, batch_rows)
    }

    /// Returns whether timestamps with the physical type INT96 are decoded as nanoseconds.
    fn has_int96_nanoseconds(&self) -> bool {
        let schema = self.metadata.schema();
        with_int96_unit(schema, self.metadata.parquet_schema(), TimeUnit::Nanosecond) == *schema
    }

    /// For each column that these leaf columns belong to, returns the type of the result.
    fn given_types(&self, leaves: &[usize]) -> Vec<Option<DataType>> {
        let mut roots: Vec<usize> =
            leaves.iter().map(|leaf| self.metadata.parquet_schema().get_column_root_idx(*leaf)).collect();
        roots.dedup();
        let given = |root: usize| {
            let all = self.leaves_of(root);
            let (decoded, given) = (self.metadata.schema().field(root), self.schema.field(root));
            let is_whole = all.iter().all(|leaf| leaves.contains(leaf));
            if !is_whole && has_months(given.data_type()) {
                let of_root: Vec<usize> = all.into_iter().filter(|leaf| leaves.contains(leaf)).collect();
                return self.field(root, &of_root).ok().map(|field| field.data_type().clone());
            }
            (is_whole && decoded.data_type() != given.data_type()).then(|| given.data_type().clone())
        };
        roots.into_iter().map(given).collect()
    }

    /// Returns a source for all pages of a column chunk.
    fn fetched(&self, group: usize, leaf: usize) -> Result<Source, ParquetError> {
        self.source.prefetch(self.chunk_range(group, leaf))
    }

    /// Returns the decompressed pages of a column in a row group.
    ///
    /// # Errors
    /// - The column chunk cannot be read.
    pub(super) fn pages(&self, group: usize, leaf: usize) -> Result<Pages, ParquetError> {
        Pages::new(self.metadata.metadata().row_group(group), leaf, self.fetched(group, leaf)?, None)
    }

    /// Returns the bytes of the file that a column chunk has.
    pub(super) fn chunk_range(&self, group: usize, leaf: usize) -> Range<u64> {
        let (start, length) = self.metadata.metadata().row_group(group).column(leaf).byte_range();
        start..start.saturating_add(length)
    }

    /// Returns a reader of the page headers of a column chunk, or `None` if each header would be a request to a store.
    pub(super) fn headers(&self, group: usize, leaf: usize) -> Option<Headers> {
        let metadata = self.metadata.metadata().row_group(group).column(leaf);
        (!self.source.is_slow()).then(|| Headers::new(self.source.clone(), metadata))
    }

    /// Reads bytes of the file from `start` on into memory, with one call.
    ///
    /// # Errors
    /// - The bytes cannot be read.
    pub(super) fn read_into(&self, start: u64, into: &mut [u8]) -> Result<(), ParquetError> {
        self.source.read_into(start, into)
    }

    /// Reads bytes of the file into the start of `into`, which grows if it is too small, with one call.
    ///
    /// # Errors
    /// - The bytes cannot be read.
    pub(super) fn read_range<'v>(
        &self,
        range: Range<u64>,
        into: &'v mut Vec<u8>,
    ) -> Result<&'v mut [u8], ParquetError> {
        let len = range.end.min(self.source.len()).saturating_sub(range.start);
        let len = usize::try_from(len).ok().filter(|_| range.end <= self.source.len());
        let len = len.ok_or_else(|| ParquetError::EOF("a column chunk exceeds the file".to_owned()))?;
        if into.len() < len {
            into.resize(len, 0);
        }
        let into = &mut into[..len];
        self.source.read_into(range.start, into)?;
        Ok(into)
    }

    /// Does the same as [`pages`](Self::pages), and reads each page when it is asked for.
    ///
    /// # Errors
    /// - The metadata are damaged.
    pub(super) fn unread_pages(&self, group: usize, leaf: usize) -> Result<Pages, ParquetError> {
        Pages::new(self.metadata.metadata().row_group(group), leaf, self.source.clone(), None)
    }

    /// Checks that the page headers of a flat column claim as many rows as the row group has.
    ///
    /// # Errors
    /// - The page headers claim another number of rows, or a page header is damaged.
    pub(super) fn check_rows(&self, group: usize, leaf: usize) -> Result<()> {
        let position = || self.position(group, &[leaf]);
        let claimed = contained(|| self.pages(group, leaf)?.claimed_values());
        let claimed = claimed.map_err(|error| failure(&self.path, position(), error))?;
        let rows = self.group_rows(group);
        if claimed == rows as u64 {
            return Ok(());
        }
        let what = format!("the metadata claim {rows} rows, but the page headers claim {claimed} rows");
        Err(malformed(&self.path, position(), what))
    }

    /// Returns the type that a column has in the Parquet schema of the file.
    pub(super) fn stored_type(&self, root: usize) -> Option<DataType> {
        let descriptor = self.metadata.parquet_schema();
        let mask = ProjectionMask::roots(descriptor, [root]);
        let schema = contained(|| parquet_to_arrow_schema_by_columns(descriptor, mask, None)).ok()?;
        schema.fields().first().map(|field| field.data_type().clone())
    }

    /// Returns the position of a row group, for use in errors.
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

/// The way in which a column gets another type.
enum Change {
    /// arrow-rs decodes the column to the type.
    Decoder,
    /// The decoded column is cast.
    Cast,
    Impossible,
}

/// Returns whether `part` is one of the names that Parquet writers give to the inner nodes of lists and maps.
fn is_repeated_group(part: &str) -> bool {
    matches!(part, "list" | "element" | "item" | "array" | "bag" | "array_element" | "key_value")
}

/// For the view types of text and binary, returns `Utf8` or `Binary`.
fn without_view(leaf: &DataType) -> Option<DataType> {
    match leaf {
        DataType::Utf8View => Some(DataType::Utf8),
        DataType::BinaryView => Some(DataType::Binary),
        _ => None,
    }
}
