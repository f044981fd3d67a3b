//! An area of the corpus. The area has cases, and the data to which the cases refer.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use ruzstd::decoding::StreamingDecoder;
use serde_json::Value as Json;

use crate::case::{Case, Range};

const COMPRESSED: &str = "zst";

/// The contents of `AREA.jsonl` and `AREA.bin`. Each of the two files may be compressed, and then has the extension
/// `.zst`.
#[derive(Clone, Debug)]
pub struct Area {
    /// The common name of the two files.
    pub name: String,
    /// The cases. Each valid line is a case.
    pub cases: Vec<Case>,
    /// The lines that are not valid cases.
    pub broken: Vec<Broken>,
    data: Vec<u8>,
}

/// A line that cannot be read.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The id of the case, or the number of the line if the line has no id.
    pub id: String,
    /// The reason why the line is invalid.
    pub reason: String,
}

impl Area {
    /// Returns the sorted names of the areas in a folder.
    ///
    /// # Errors
    /// - The folder cannot be read, or contains no area.
    pub fn names(dir: &Path) -> Result<Vec<String>> {
        let entries = fs::read_dir(dir).with_context(|| format!("could not read {}", dir.display()))?;
        let mut names = BTreeSet::new();
        for entry in entries {
            let name = entry?.file_name().to_string_lossy().into_owned();
            let plain = name.strip_suffix(&format!(".{COMPRESSED}")).unwrap_or(&name);
            names.extend(plain.strip_suffix(".jsonl").map(str::to_owned));
        }
        ensure!(!names.is_empty(), "the folder {} contains no area (*.jsonl)", dir.display());
        Ok(names.into_iter().collect())
    }

    /// Reads both files.
    ///
    /// # Errors
    /// - A file cannot be read or decompressed.
    pub fn open(dir: &Path, name: &str) -> Result<Area> {
        let lines = read(dir, &format!("{name}.jsonl"))?;
        Ok(Area::from_bytes(name, &lines, read(dir, &format!("{name}.bin"))?))
    }

    /// Parses the contents of both files. A line that is not a valid case is added to [`broken`](Area::broken).
    pub fn from_bytes(name: &str, lines: &[u8], data: Vec<u8>) -> Area {
        let mut area = Area { name: name.to_owned(), cases: Vec::new(), broken: Vec::new(), data };
        for (number, line) in (1..).zip(lines.split(|byte| *byte == b'\n')).filter(|(_, line)| !line.is_empty()) {
            match Case::read(line, name) {
                Ok(case) => area.cases.push(case),
                Err(error) => {
                    let json = serde_json::from_slice::<Json>(line).unwrap_or_default();
                    let id = json["id"].as_str().map_or_else(|| format!("{name}, line {number}"), str::to_owned);
                    area.broken.push(Broken { id, reason: format!("{error:#}") });
                }
            }
        }
        area
    }

    /// Returns the bytes of a range.
    ///
    /// # Errors
    /// - The range exceeds the file.
    pub fn bytes(&self, range: Range) -> Result<&[u8]> {
        let end = range.offset.checked_add(range.len);
        let bytes = end.and_then(|end| self.data.get(range.offset..end));
        bytes.with_context(|| {
            format!("{}.bin has {} bytes and does not contain the range {range:?}", self.name, self.data.len())
        })
    }

    /// Returns the record batch of a range.
    ///
    /// # Errors
    /// - The range exceeds the file, or is not an Arrow IPC stream of one batch.
    pub fn batch(&self, range: Range) -> Result<RecordBatch> {
        let mut batches = StreamReader::try_new(self.bytes(range)?, None)?;
        let batch = batches.next().context("the Arrow stream has no batch")??;
        ensure!(batches.next().is_none(), "the Arrow stream has more than one batch");
        Ok(batch)
    }
}

/// Reads a file of the folder. If the folder has only the compressed file, the function decompresses it.
fn read(dir: &Path, name: &str) -> Result<Vec<u8>> {
    let (plain, compressed) = (dir.join(name), dir.join(format!("{name}.{COMPRESSED}")));
    if plain.exists() || !compressed.exists() {
        return fs::read(&plain).with_context(|| format!("could not read {}", plain.display()));
    }
    let mut bytes = Vec::new();
    let file = fs::read(&compressed).with_context(|| format!("could not read {}", compressed.display()))?;
    StreamingDecoder::new(file.as_slice())
        .map_err(anyhow::Error::new)
        .and_then(|mut decoder| Ok(decoder.read_to_end(&mut bytes)?))
        .with_context(|| format!("could not decompress {}", compressed.display()))?;
    Ok(bytes)
}
