//! Decodes pieces of JSON into record batches with arrow-json, and infers the types of the members of objects.

use std::path::Path;

use arrow_array::RecordBatch;
use arrow_json::ReaderBuilder;
use arrow_json::reader::infer_json_schema_from_iterator;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use serde_json::{Deserializer, Value};

use super::order::Order;
use crate::contain::contained;
use crate::error::Format;
use crate::pieces::{Begun, Piece};
use crate::text_input::{check_utf8, excerpt};
use crate::{Error, Position, Result};

const ROWS: usize = 1 << 16;

/// Infers the names and types of the members from the first `objects` objects of a file.
pub(super) fn infer(path: &Path, begun: &mut Begun, objects: usize) -> Result<Schema> {
    let order = Order::default();
    let mut objects = Objects { path, begun, left: objects, at: None, line: 1, stopped: None, order };
    let inferred = contained(|| infer_json_schema_from_iterator(&mut objects), ArrowError::JsonError);
    match objects.stopped {
        Some(error) => Err(error),
        None => {
            let inferred = inferred.map_err(|error| failure(path, objects.line, error))?;
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

pub(super) fn decode_piece(path: &Path, piece: &Piece, schema: &SchemaRef) -> Result<Vec<RecordBatch>> {
    check_utf8(path, Format::Json, piece)?;
    decode(&piece.bytes, schema).map_err(|error| {
        // The errors of arrow-json have no position.
        let mut at = 0;
        loop {
            match next_value(path, piece, at) {
                Ok(Some((_, start, end))) => match decode(&piece.bytes[start..end], schema) {
                    Ok(_) => at = end,
                    Err(error) => return failure(path, piece.line(start), error),
                },
                Ok(None) => return failure(path, piece.first_line, error),
                Err(error) => return error,
            }
        }
    })
}

fn decode(mut bytes: &[u8], schema: &SchemaRef) -> Result<Vec<RecordBatch>, ArrowError> {
    let decode = || {
        let mut decoder =
            ReaderBuilder::new(schema.clone()).with_batch_size(ROWS).with_coerce_primitive(true).build_decoder()?;
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
