//! The source of the bytes of a Parquet file.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use gdf_decode::Spare;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};

use super::footer_cache::FileState;
use crate::{Error, Result};

/// If a column chunk in an object store has at most this number of bytes, the whole chunk is fetched at once.
const PREFETCHED: usize = 256 << 20;

/// The bytes of a file.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    File {
        file: Arc<File>,
        len: u64,
    },
    /// Bytes of a file that are in memory.
    Bytes {
        start: u64,
        bytes: Bytes,
        len: u64,
    },
    #[cfg(feature = "object_store")]
    Object(super::object::Object),
}

impl Source {
    /// Opens a file.
    ///
    /// # Errors
    /// - [`Error::NotFound`], [`Error::Read`].
    pub(crate) fn open(path: &Path) -> Result<Source> {
        let open = || {
            let file = File::open(path)?;
            let found = file.metadata()?;
            if found.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { Ok((file, found.len())) }
        };
        let (file, len) = open().map_err(|error| Error::reading(path, error))?;
        Ok(Source::File { file: Arc::new(file), len })
    }

    pub(crate) fn of_bytes(bytes: Bytes) -> Source {
        Source::Bytes { start: 0, len: bytes.len() as u64, bytes }
    }

    /// Returns the state of a file, if it says whether the file was changed since.
    pub(super) fn state(&self) -> Option<FileState> {
        match self {
            Source::File { file, .. } => FileState::of(file),
            Source::Bytes { .. } => None,
            #[cfg(feature = "object_store")]
            Source::Object(_) => None,
        }
    }

    /// Returns whether requests to the source are slow.
    pub(super) fn is_slow(&self) -> bool {
        match self {
            Source::File { .. } | Source::Bytes { .. } => false,
            #[cfg(feature = "object_store")]
            Source::Object(_) => true,
        }
    }

    /// If requests to the source are slow and the range has at most [`PREFETCHED`] bytes, fetches the range into
    /// memory.
    pub(crate) fn prefetch(&self, range: Range<u64>) -> ParquetResult<Source> {
        let length = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX);
        if !self.is_slow() || length > PREFETCHED {
            return Ok(self.clone());
        }
        Ok(Source::Bytes { start: range.start, bytes: self.get_bytes(range.start, length)?, len: self.len() })
    }

    /// Reads bytes from `start` on into memory, with one call.
    pub(crate) fn read_into(&self, start: u64, into: &mut [u8]) -> ParquetResult<()> {
        self.check(start, into.len())?;
        match self {
            Source::File { file, .. } => Ok(read_exact_at(file, into, start)?),
            source => {
                into.copy_from_slice(&source.get_bytes(start, into.len())?);
                Ok(())
            }
        }
    }

    /// Returns how many bytes to read in order to get the header of a page.
    pub(crate) fn header_bytes(&self) -> usize {
        match self {
            Source::File { .. } => 512,
            Source::Bytes { .. } => usize::MAX,
            #[cfg(feature = "object_store")]
            Source::Object(_) => 8 << 10,
        }
    }

    fn check(&self, start: u64, length: usize) -> ParquetResult<()> {
        let end = start.checked_add(length as u64);
        if end.is_some_and(|end| end <= self.len()) {
            return Ok(());
        }
        Err(ParquetError::EOF(format!("{length} bytes from byte {start} on exceed the file of {} bytes", self.len())))
    }
}

impl Length for Source {
    fn len(&self) -> u64 {
        match self {
            Source::File { len, .. } | Source::Bytes { len, .. } => *len,
            #[cfg(feature = "object_store")]
            Source::Object(object) => object.len(),
        }
    }
}

impl ChunkReader for Source {
    type T = BufReader<At>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        self.check(start, 0)?;
        Ok(BufReader::new(At { source: self.clone(), position: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        // Lengths come from the file and may be wrong.
        self.check(start, length)?;
        match self {
            Source::File { file, .. } => {
                let mut bytes = Spare::new(length);
                read_exact_at(file, bytes.as_mut_slice(), start)?;
                Ok(Bytes::from_owner(bytes))
            }
            Source::Bytes { start: first, bytes, .. } => {
                let from = start.checked_sub(*first).and_then(|from| usize::try_from(from).ok());
                let range = from.and_then(|from| Some(from..from.checked_add(length)?));
                match range.filter(|range| range.end <= bytes.len()) {
                    Some(range) => Ok(bytes.slice(range)),
                    None => Err(ParquetError::EOF(format!(
                        "{length} bytes from byte {start} on exceed the bytes of the column chunk"
                    ))),
                }
            }
            #[cfg(feature = "object_store")]
            Source::Object(object) => object.read(start, length),
        }
    }
}

#[derive(Debug)]
pub(crate) struct At {
    source: Source,
    position: u64,
}

impl Read for At {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = match &self.source {
            Source::File { file, .. } => read_at(file, into, self.position)?,
            source => {
                let end = match source {
                    Source::Bytes { start, bytes, .. } => start + bytes.len() as u64,
                    source => source.len(),
                };
                let left = usize::try_from(end.saturating_sub(self.position)).unwrap_or(usize::MAX);
                let bytes = source.get_bytes(self.position, into.len().min(left)).map_err(io::Error::other)?;
                into[..bytes.len()].copy_from_slice(&bytes);
                bytes.len()
            }
        };
        self.position += count as u64;
        Ok(count)
    }
}

#[cfg(unix)]
fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, into, at)
}

#[cfg(windows)]
fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, into, at)
}

fn read_exact_at(file: &File, mut into: &mut [u8], mut at: u64) -> io::Result<()> {
    while !into.is_empty() {
        match read_at(file, into, at) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                into = &mut into[count..];
                at += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
