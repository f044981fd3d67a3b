//! Streams of Arrow IPC.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::root_as_message;
use arrow_schema::{ArrowError, SchemaRef};

use super::{check_sizes, contained};
use crate::batches::Decoder;
use crate::error::Format;
use crate::{Error, Position, Result};

/// The maximum number of bytes that are read from a stream with one call of `read_exact`.
const CHUNK: usize = 8 << 20;

/// A stream whose schema has been read.
pub(super) struct StreamSource {
    path: PathBuf,
    file: BufReader<File>,
    decoder: StreamDecoder,
    pub(super) schema: Option<SchemaRef>,
    /// The number of bytes of the file that have not been read yet.
    left: u64,
    next: usize,
    at_end: bool,
    unpacked_limit: usize,
}

/// Some columns of a stream. The decoder of streams decodes all columns.
pub(super) struct Projected {
    pub(super) stream: StreamSource,
    pub(super) columns: Vec<usize>,
}

impl Decoder for Projected {
    fn next(&mut self) -> Result<Option<Vec<RecordBatch>>> {
        let Some(batches) = self.stream.next()? else { return Ok(None) };
        let project = |batch: RecordBatch| batch.project(&self.columns);
        let batches = batches.into_iter().map(project).collect::<Result<_, _>>();
        Ok(Some(batches.map_err(gdf_core::Error::from)?))
    }
}

impl StreamSource {
    pub(super) fn open(path: &Path, file: File, len: u64, unpacked_limit: usize) -> Result<StreamSource> {
        let mut stream = StreamSource {
            path: path.to_owned(),
            file: BufReader::with_capacity(1 << 16, file),
            decoder: StreamDecoder::new(),
            schema: None,
            left: len,
            next: 0,
            at_end: false,
            unpacked_limit,
        };
        let batches = stream.message()?;
        match &stream.schema {
            Some(_) if batches.is_empty() => Ok(stream),
            _ => Err(stream.failure("the stream does not begin with a schema".to_owned())),
        }
    }

    fn failure(&self, what: String) -> Error {
        let position = self.schema.is_some().then_some(Position::Batch(self.next));
        Error::Malformed { path: self.path.clone(), format: Format::Ipc, position, what }
    }

    fn undecoded(&self, error: ArrowError) -> Error {
        let position = self.schema.is_some().then_some(Position::Batch(self.next));
        Error::decoding(&self.path, Format::Ipc, position, error)
    }

    pub(super) fn next(&mut self) -> Result<Option<Vec<RecordBatch>>> {
        while !self.at_end {
            let batches = self.message()?;
            if !batches.is_empty() {
                self.next += batches.len();
                return Ok(Some(batches));
            }
        }
        Ok(None)
    }

    /// Decodes one message.
    fn message(&mut self) -> Result<Vec<RecordBatch>> {
        if self.left == 0 {
            // A stream may end without a marker for its end.
            self.at_end = true;
            return self.decode([Buffer::from(&[0xff; 4])]);
        }
        let mut head = self.take(4)?;
        // The length of the metadata takes 4 bytes.
        let mut length: [u8; 4] = head[..4].try_into().unwrap_or_default();
        if length == [0xff; 4] {
            let more = self.take(4)?;
            length = more[..4].try_into().unwrap_or_default();
            head.extend_from_slice(&more);
        }
        let length = u32::from_le_bytes(length) as usize;
        if length == 0 {
            (self.at_end, self.left) = (true, 0);
            return self.decode([head.into()]);
        }
        let metadata = self.take(length)?;
        let parsed = contained(|| {
            let message = root_as_message(&metadata).map_err(|error| ArrowError::IpcError(error.to_string()))?;
            let schema = message.header_as_schema();
            if schema.is_some_and(|schema| !schema.endianness().equals_to_target_endianness()) {
                return Err(ArrowError::NotYetImplemented(
                    "data in a byte order other than the order of this CPU".to_owned(),
                ));
            }
            Ok((message.bodyLength(), schema.map(fb_to_schema)))
        });
        let (body, schema) = parsed.map_err(|error| Error::decoding(&self.path, Format::Ipc, None, error))?;
        if let (None, Some(schema)) = (&self.schema, schema) {
            self.schema = Some(Arc::new(schema));
        }
        let body_len = usize::try_from(body)
            .map_err(|_| self.failure(format!("a message claims a body of {body} bytes, which is negative")))?;
        let body = self.take(body_len)?;
        contained(|| check_sizes(&metadata, &body, self.unpacked_limit)).map_err(|error| self.undecoded(error))?;
        self.decode([head.into(), metadata.into(), body.into()])
    }

    fn decode<const N: usize>(&mut self, parts: [Buffer; N]) -> Result<Vec<RecordBatch>> {
        let decoder = &mut self.decoder;
        let decoded = contained(|| {
            let mut batches = Vec::new();
            for mut part in parts {
                while !part.is_empty() {
                    batches.extend(decoder.decode(&mut part)?);
                }
            }
            Ok(batches)
        });
        decoded.map_err(|error| self.failure(error.to_string()))
    }

    fn take(&mut self, count: usize) -> Result<MutableBuffer> {
        if count as u64 > self.left {
            return Err(self.failure(format!("a message needs {count} more bytes, but the file has {}", self.left)));
        }
        let mut bytes = MutableBuffer::from_len_zeroed(count);
        for chunk in bytes.as_slice_mut().chunks_mut(CHUNK) {
            self.file.read_exact(chunk).map_err(|error| Error::reading(&self.path, error))?;
        }
        self.left -= count as u64;
        Ok(bytes)
    }
}
