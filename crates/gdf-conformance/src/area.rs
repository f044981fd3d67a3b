//! An area of the corpus: its cases and the data they refer to.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;

use crate::case::{Case, Range};

/// `AREA.jsonl` and `AREA.bin`.
#[derive(Clone, Debug)]
pub struct Area {
    /// The files' common name.
    pub name: String,
    /// One for each line.
    pub cases: Vec<Case>,
    data: Vec<u8>,
}

impl Area {
    /// The names of the areas in a folder, sorted.
    ///
    /// # Errors
    /// - the folder cannot be read, or holds no area.
    pub fn names(dir: &Path) -> Result<Vec<String>> {
        let entries = fs::read_dir(dir).with_context(|| format!("could not read {}", dir.display()))?;
        let mut names = Vec::new();
        for entry in entries {
            let name = entry?.file_name();
            names.extend(name.to_string_lossy().strip_suffix(".jsonl").map(str::to_owned));
        }
        ensure!(!names.is_empty(), "no area (*.jsonl) in {}", dir.display());
        names.sort();
        Ok(names)
    }

    /// Reads both files.
    ///
    /// # Errors
    /// - a file cannot be read, or a line is no case.
    pub fn open(dir: &Path, name: &str) -> Result<Area> {
        let path = |end: &str| dir.join(format!("{name}.{end}"));
        let lines = path("jsonl");
        let text = fs::read_to_string(&lines).with_context(|| format!("could not read {}", lines.display()))?;
        let read = |(number, line): (usize, &str)| {
            Case::read(line, name).with_context(|| format!("{}, line {number}", lines.display()))
        };
        let cases = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()).map(read);
        let cases = cases.collect::<Result<_>>()?;
        let data = path("bin");
        let data = fs::read(&data).with_context(|| format!("could not read {}", data.display()))?;
        Ok(Area { name: name.to_owned(), cases, data })
    }

    /// The bytes of a range.
    ///
    /// # Errors
    /// - the range goes beyond the file.
    pub fn bytes(&self, range: Range) -> Result<&[u8]> {
        let end = range.offset.checked_add(range.len);
        let bytes = end.and_then(|end| self.data.get(range.offset..end));
        bytes.with_context(|| format!("{}.bin has {} bytes, so no {range:?}", self.name, self.data.len()))
    }

    /// The record batch of a range.
    ///
    /// # Errors
    /// - the range goes beyond the file, or holds no Arrow IPC stream of one batch.
    pub fn batch(&self, range: Range) -> Result<RecordBatch> {
        let mut batches = StreamReader::try_new(self.bytes(range)?, None)?;
        let batch = batches.next().context("a stream without a batch")??;
        ensure!(batches.next().is_none(), "a stream with more than one batch");
        Ok(batch)
    }
}
