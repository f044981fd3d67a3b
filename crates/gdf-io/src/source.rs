//! The bytes of text files, pipes and the standard input.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use crate::error::Format;
use crate::file;
use crate::{Error, Result};

/// The first bytes of a gzip member.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The first bytes of a Zstandard frame.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The number of bytes that are read and discarded at a time in order to reach a later position.
const PASSED: u64 = 1 << 20;

/// The decompressed bytes of a text file, which are read in order.
pub(crate) struct Source {
    reader: Box<dyn Read + Send>,
    compression: Option<&'static str>,
    /// Whether a second open of the source gives the same bytes.
    pub(crate) is_repeatable: bool,
}

impl Source {
    /// Opens a file or a pipe.
    ///
    /// # Errors
    /// - [`Error::NotFound`], [`Error::Read`].
    /// - [`Error::Unimplemented`]: the data are compressed by Zstandard, and feature `zstd` is off.
    pub(crate) fn open(path: &Path, format: Format) -> Result<Source> {
        let is_standard_input = path == Path::new("-") && !path.exists();
        let (mut plain, is_repeatable): (Box<dyn Read + Send>, bool) = if is_standard_input {
            (Box::new(io::stdin()), false)
        } else {
            let file = file::open(path)?;
            let is_repeatable = is_regular(&file).map_err(|error| Error::reading(path, error))?;
            (Box::new(file), is_repeatable)
        };
        let mut start = Vec::new();
        let read = plain.by_ref().take(ZSTD.len() as u64).read_to_end(&mut start);
        read.map_err(|error| Error::reading(path, error))?;
        let (is_gzip, is_zstd) = (start.starts_with(&GZIP), start.starts_with(&ZSTD));
        let whole: Box<dyn Read + Send> = Box::new(Cursor::new(start).chain(plain));
        let (reader, compression) = if is_gzip {
            let members: Box<dyn Read + Send> = Box::new(flate2::read::MultiGzDecoder::new(whole));
            (members, Some("gzip"))
        } else if is_zstd {
            (frames(path, format, whole)?, Some("Zstandard"))
        } else {
            (whole, None)
        };
        Ok(Source { reader, compression, is_repeatable })
    }

    /// Opens a file; see [`open`](Source::open).
    ///
    /// # Errors
    /// - The errors of [`open`](Source::open) and [`read`](Source::read).
    pub(crate) fn open_at(path: &Path, format: Format, start: u64) -> Result<Source> {
        let mut source = Source::open(path, format)?;
        if source.compression.is_none() && source.is_repeatable {
            let mut file = file::open(path)?;
            file.seek(SeekFrom::Start(start)).map_err(|error| Error::reading(path, error))?;
            return Ok(Source { reader: Box::new(file), ..source });
        }
        let mut passed = Vec::new();
        let mut left = start;
        while left > 0 {
            passed.clear();
            let read = source.read(path, format, left.min(PASSED), &mut passed)? as u64;
            left = if read == 0 { 0 } else { left - read };
        }
        Ok(source)
    }

    /// Appends up to `bytes` bytes to `to`.
    ///
    /// # Errors
    /// - [`Error::Read`].
    /// - [`Error::Malformed`]: the compressed data are damaged.
    pub(crate) fn read(&mut self, path: &Path, format: Format, bytes: u64, to: &mut Vec<u8>) -> Result<usize> {
        let read = self.reader.by_ref().take(bytes).read_to_end(to);
        read.map_err(|error| match (self.compression, error.raw_os_error()) {
            (Some(compression), None) => {
                let what = format!("the {compression} data of the file are damaged: {error}");
                Error::Malformed { path: path.to_owned(), format, position: None, what }
            }
            _ => Error::reading(path, error),
        })
    }
}

fn is_regular(file: &File) -> io::Result<bool> {
    Ok(file.metadata()?.is_file())
}

#[cfg(feature = "zstd")]
fn frames(path: &Path, _: Format, compressed: Box<dyn Read + Send>) -> Result<Box<dyn Read + Send>> {
    let decoder = zstd::stream::read::Decoder::new(compressed).map_err(|error| Error::reading(path, error))?;
    Ok(Box::new(decoder))
}

#[cfg(not(feature = "zstd"))]
fn frames(path: &Path, format: Format, _: Box<dyn Read + Send>) -> Result<Box<dyn Read + Send>> {
    Err(no_zstd(path, format))
}

fn no_zstd(path: &Path, format: Format) -> Error {
    let what = "compression by Zstandard; build gdf-io with the feature \"zstd\"".to_owned();
    Error::Unimplemented { path: path.to_owned(), format, position: None, what }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    None,
    Gzip,
    Zstd,
}

impl Compression {
    /// Returns the compression that the extension of the path selects.
    pub(crate) fn of(path: &Path) -> Compression {
        match path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase()).as_deref() {
            Some("gz") => Compression::Gzip,
            Some("zst") => Compression::Zstd,
            _ => Compression::None,
        }
    }

    /// Returns an error if this build cannot compress the file.
    ///
    /// # Errors
    /// - [`Error::Unimplemented`]: the compression is Zstandard, and feature `zstd` is off.
    pub(crate) fn check(self, path: &Path, format: Format) -> Result<()> {
        match self {
            Compression::Zstd if !cfg!(feature = "zstd") => Err(no_zstd(path, format)),
            _ => Ok(()),
        }
    }

    /// Compresses `bytes` into one gzip member or one Zstandard frame.
    pub(crate) fn compress(self, bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        match self {
            Compression::None => Ok(bytes),
            Compression::Gzip => {
                let mut member = Vec::new();
                flate2::read::GzEncoder::new(&bytes[..], flate2::Compression::default()).read_to_end(&mut member)?;
                Ok(member)
            }
            #[cfg(feature = "zstd")]
            Compression::Zstd => zstd::bulk::compress(&bytes, zstd::DEFAULT_COMPRESSION_LEVEL),
            #[cfg(not(feature = "zstd"))]
            Compression::Zstd => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}
