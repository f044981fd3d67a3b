//! Decodes pieces of JSON into record batches with arrow-json, and infers the types of the members of objects.

use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_json::ReaderBuilder;
use arrow_json::reader::infer_json_schema_from_iterator;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use serde_json::{Deserializer, Value};

use super::order::Order;
use crate::contain::contained;
use crate::error::Format;
use crate::exact::is_exact;
use crate::pieces::{Begun, Piece};
use crate::text_input::{check_utf8, excerpt};
use crate::{Error, Position, Result};

const ROWS: usize = 1 << 16;
/// arrow-json allocates memory for this number of members of the rows of a batch, before it reads the first row.
const MEMBERS: usize = 1 << 22;

/// Infers the names and types of the members from the first `objects` objects of a file.
pub(super) fn infer(path: &Path, begun: &mut Begun, objects: usize) -> Result<Schema> {
    let order = Order::default();
    let mut objects = Objects { path, begun, left: objects, at: None, line: 1, stopped: None, order };
    let inferred = contained(|| infer_json_schema_from_iterator(&mut objects), ArrowError::JsonError);
    match objects.stopped {
        Some(error) => Err(error),
        None => {
            let remedy = "give the schema of the file (`schema`)";
            let inferred = inferred.map_err(|error| with_remedy(failure(path, objects.line, error), remedy))?;
            Ok(Schema::new(objects.order.arranged(inferred.fields())))
        }
    }
}

struct Objects<'a> {
    path: &'a Path,
    begun: &'a mut Begun,
    left: usize,
    /// The position of the next value within the last piece that was read, in bytes.
    at: Option<usize>,
    line: u64,
    /// The error that has ended the iteration, if there is one.
    stopped: Option<Error>,
    order: Order,
}

impl Objects<'_> {
    fn read_on(&mut self) -> Result<Option<Value>> {
        loop {
            if let (Some(at), Some(piece)) = (self.at, self.begun.read.back()) {
                match next_value(self.path, piece, at)? {
                    Some((mut value, start, end)) => {
                        drop_null_elements(&mut value);
                        (self.at, self.line) = (Some(end), piece.line(start));
                        self.order.see(&piece.bytes[start..end]);
                        return Ok(Some(value));
                    }
                    None => self.at = None,
                }
            }
            let Some(piece) = self.begun.read_on()? else { return Ok(None) };
            check_utf8(self.path, Format::Json, piece)?;
            self.at = Some(0);
        }
    }
}

impl Iterator for Objects<'_> {
    type Item = Result<Value, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        self.read_on()
            .unwrap_or_else(|error| {
                self.stopped = Some(error);
                None
            })
            .map(Ok)
    }
}

/// Removes nulls from arrays.
fn drop_null_elements(value: &mut Value) {
    match value {
        Value::Array(elements) => {
            elements.retain(|element| !element.is_null());
            elements.iter_mut().for_each(drop_null_elements);
        }
        Value::Object(members) => members.values_mut().for_each(drop_null_elements),
        _ => {}
    }
}

/// Parses the first value of a piece at byte `at` or after it.
///
/// # Errors
/// - [`Error::Malformed`]: the bytes are not a JSON value.
fn next_value(path: &Path, piece: &Piece, at: usize) -> Result<Option<(Value, usize, usize)>> {
    let rest = &piece.bytes[at..];
    let Some(start) = rest.iter().position(|byte| !byte.is_ascii_whitespace()) else { return Ok(None) };
    let start = at + start;
    let mut values = Deserializer::from_slice(&piece.bytes[start..]).into_iter::<Value>();
    match values.next() {
        None => Ok(None),
        Some(Ok(value)) => Ok(Some((value, start, start + values.byte_offset()))),
        Some(Err(error)) => {
            // If a value is truncated, serde_json reports the end of the input as the position.
            let below = if error.is_eof() { 0 } else { error.line().saturating_sub(1) as u64 };
            let what = error.to_string();
            let what = what.rsplit_once(" at line ").map_or(&*what, |(what, _)| what);
            Err(malformed(path, piece.line(start) + below, what))
        }
    }
}

/// The columns to decode, and what is done with members that are none of them.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) schema: SchemaRef,
    pub(super) others: Others,
}

/// The treatment of members that have no column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Others {
    /// The caller has given the schema. It need not have all members.
    Ignored,
    /// Types were inferred, and the caller selects some columns. Members of objects within these columns must be known.
    IgnoredAtTop,
    /// Types were inferred. All members must be known.
    Refused,
}

pub(super) fn decode_piece(path: &Path, piece: &Piece, wanted: &Wanted) -> Result<Vec<RecordBatch>> {
    check_utf8(path, Format::Json, piece)?;
    decode(&piece.bytes, wanted).map_err(|error| {
        // The errors of arrow-json have no position.
        let mut at = 0;
        loop {
            match next_value(path, piece, at) {
                Ok(Some((value, start, end))) => match decode(&piece.bytes[start..end], wanted) {
                    Ok(_) => at = end,
                    Err(error) => {
                        let line = piece.line(start);
                        return match unknown_member(&value, wanted) {
                            Some(unknown) => failure(path, line, unknown),
                            None if wanted.others != Others::Ignored && is_of_member(&error) => {
                                with_remedy(failure(path, line, error), OTHER_TYPE)
                            }
                            None => failure(path, line, error),
                        };
                    }
                },
                Ok(None) => return failure(path, piece.first_line, error),
                Err(error) => return error,
            }
        }
    })
}

fn decode(bytes: &[u8], Wanted { schema, others }: &Wanted) -> Result<Vec<RecordBatch>, ArrowError> {
    let batches = decode_to(bytes, schema, *others == Others::Refused)?;
    if *others == Others::IgnoredAtTop {
        super::members::check(bytes, schema)?;
    }
    check_exact(bytes, schema)?;
    Ok(batches)
}

/// Returns the error for a member without a column, if the object has one.
fn unknown_member(object: &Value, wanted: &Wanted) -> Option<ArrowError> {
    let is_known_at_top = wanted.others != Others::Refused;
    if wanted.others == Others::Ignored {
        return None;
    }
    let found = super::members::unknown(object, wanted.schema.fields(), is_known_at_top)?;
    Some(ArrowError::JsonError(super::members::text(&found)))
}

const OTHER_TYPE: &str = "give the type of this member (`types`), or infer types from more objects (`infer_records`)";

/// Returns whether the error is about a member whose type does not hold its value.
fn is_of_member(error: &ArrowError) -> bool {
    let text = error.to_string();
    ["whilst decoding field", " of the member "].iter().any(|words| text.contains(words))
}

fn with_remedy(mut error: Error, remedy: &str) -> Error {
    if let Error::Malformed { what, .. } = &mut error {
        *what = format!("{what}; {remedy}");
    }
    error
}

/// Checks that the types hold all values without loss. The values are read as text for this purpose, if the bytes may
/// have other values.
fn check_exact(bytes: &[u8], schema: &SchemaRef) -> Result<(), ArrowError> {
    let texts: Fields = schema.fields().iter().filter_map(texts_of).collect();
    let has_exponent = || memchr::memchr2_iter(b'e', b'E', bytes).any(|at| at > 0 && bytes[at - 1].is_ascii_digit());
    let may_lose = || has_dates(schema.fields()) || memchr::memchr(b'.', bytes).is_some() || has_exponent();
    if texts.is_empty() || !may_lose() {
        return Ok(());
    }
    for batch in decode_to(bytes, &Arc::new(Schema::new(texts)), false)? {
        for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            let wanted = schema.field_with_name(field.name())?;
            check_exact_column(column, wanted.data_type(), wanted.name())?;
        }
    }
    Ok(())
}

/// Returns the field with text in place of the types that may lose digits. Fields of other types are left out.
fn texts_of(field: &FieldRef) -> Option<FieldRef> {
    let data_type = match field.data_type() {
        other if may_lose_digits(other) => DataType::Utf8,
        DataType::List(element) => DataType::List(texts_of(element)?),
        DataType::LargeList(element) => DataType::LargeList(texts_of(element)?),
        DataType::FixedSizeList(element, size) => DataType::FixedSizeList(texts_of(element)?, *size),
        DataType::Struct(fields) => {
            let fields: Fields = fields.iter().filter_map(texts_of).collect();
            (!fields.is_empty()).then_some(DataType::Struct(fields))?
        }
        DataType::Map(entries, sorted) => {
            let DataType::Struct(fields) = entries.data_type() else { return None };
            let [key, value] = fields.as_ref() else { return None };
            let fields = Fields::from(vec![key.clone(), texts_of(value)?]);
            DataType::Map(Arc::new(Field::clone(entries).with_data_type(DataType::Struct(fields))), *sorted)
        }
        _ => return None,
    };
    Some(Arc::new(Field::clone(field).with_data_type(data_type)))
}

fn may_lose_digits(data_type: &DataType) -> bool {
    data_type.is_integer() || data_type.is_temporal() || gdf_core::is_decimal(data_type)
}

/// Returns whether a type, or a type within a type, has days.
fn has_dates(fields: &Fields) -> bool {
    fields.iter().any(|field| match field.data_type() {
        DataType::Date32 => true,
        DataType::Struct(fields) => has_dates(fields),
        DataType::List(element)
        | DataType::LargeList(element)
        | DataType::FixedSizeList(element, _)
        | DataType::Map(element, _) => has_dates(&Fields::from(vec![element.clone()])),
        _ => false,
    })
}

fn check_exact_column(texts: &ArrayRef, wanted: &DataType, name: &str) -> Result<(), ArrowError> {
    match wanted {
        DataType::List(element) => check_exact_column(texts.as_list::<i32>().values(), element.data_type(), name),
        DataType::LargeList(element) => check_exact_column(texts.as_list::<i64>().values(), element.data_type(), name),
        DataType::FixedSizeList(element, _) => {
            check_exact_column(texts.as_fixed_size_list().values(), element.data_type(), name)
        }
        DataType::Map(entries, _) => {
            let entries_of_texts: ArrayRef = Arc::new(texts.as_map().entries().clone());
            check_exact_column(&entries_of_texts, entries.data_type(), name)
        }
        DataType::Struct(fields) => {
            let texts = texts.as_struct();
            for field in fields {
                let own = texts.column_by_name(field.name()).filter(|_| texts_of(field).is_some());
                own.map_or(Ok(()), |own| check_exact_column(own, field.data_type(), field.name()))?;
            }
            Ok(())
        }
        wanted => {
            let lossy = texts.as_string::<i32>().iter().flatten().find(|text| !is_exact(text, wanted));
            lossy.map_or(Ok(()), |text| {
                let text = excerpt(text);
                Err(ArrowError::JsonError(format!("'{text}' of the member {name} is not a valid {wanted}")))
            })
        }
    }
}

fn decode_to(mut bytes: &[u8], schema: &SchemaRef, is_strict: bool) -> Result<Vec<RecordBatch>, ArrowError> {
    let decode = || {
        let mut decoder = ReaderBuilder::new(schema.clone())
            .with_batch_size(batch_rows(bytes, schema))
            .with_coerce_primitive(true)
            .with_strict_mode(is_strict)
            .build_decoder()?;
        let mut batches = Vec::new();
        loop {
            let used = decoder.decode(bytes)?;
            bytes = &bytes[used..];
            match decoder.flush()? {
                Some(batch) => batches.push(batch),
                None if bytes.is_empty() => return Ok(batches),
                None if used == 0 => return Err(ArrowError::JsonError("expected an object".to_owned())),
                None => {}
            }
        }
    };
    contained(decode, ArrowError::JsonError)
}

/// Returns the number of rows of a batch. A row takes at least 2 bytes.
fn batch_rows(bytes: &[u8], schema: &SchemaRef) -> usize {
    let members = schema.flattened_fields().len().max(1);
    ROWS.min(bytes.len() / 2 + 1).min(MEMBERS / members).max(1)
}

fn failure(path: &Path, line: u64, error: ArrowError) -> Error {
    match error {
        ArrowError::JsonError(what) => malformed(path, line, &what),
        error => Error::decoding(path, Format::Json, Some(Position::Line(line)), error),
    }
}

fn malformed(path: &Path, line: u64, what: &str) -> Error {
    let position = Some(Position::Line(line));
    Error::Malformed { path: path.to_owned(), format: Format::Json, position, what: excerpt(what) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_of_objects_with_many_members_has_few_rows() {
        let of = |members: usize| {
            let fields = (0..members).map(|member| Field::new(format!("c{member}"), DataType::Int64, true));
            Arc::new(Schema::new(fields.collect::<Vec<_>>()))
        };
        let bytes = vec![b'1'; 1 << 22];
        assert_eq!(batch_rows(&bytes, &of(1)), ROWS);
        assert_eq!(batch_rows(&bytes, &of(100_000)), MEMBERS / 100_000);
        assert_eq!(batch_rows(b"{}", &of(3)), 2);
    }
}
