//! The file of spilled bytes.
//!
//! The file has no name, so other users cannot open it. The system frees its space when the process ends, even if the
//! process is killed. Bytes are stored in ranges. A freed range is merged with its free neighbors and is used again.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::faults::{Faulty, SpillFaults};
use crate::{MemoryError, Result};

const GRANULE: u64 = 4096;

#[derive(Debug)]
struct State {
    file: File,
    /// The free ranges before `end`.
    free: BTreeMap<u64, u64>,
    end: u64,
    used: u64,
}

/// A file that is removed from its directory when it is made.
#[derive(Debug)]
pub(super) struct SpillFile {
    directory: PathBuf,
    /// The maximum number of used bytes.
    limit: u64,
    faults: Option<SpillFaults>,
    state: Mutex<State>,
}

#[derive(Debug)]
pub(super) struct Extent {
    file: Arc<SpillFile>,
    offset: u64,
    len: u64,
}

impl Drop for Extent {
    fn drop(&mut self) {
        self.file.state().free(self.offset, self.len);
    }
}

impl SpillFile {
    pub(super) fn new(directory: &Path, limit: usize, faults: Option<SpillFaults>) -> Result<Self> {
        let file = tempfile::tempfile_in(directory);
        let file = file.map_err(|error| MemoryError::spill("make a file for spilled bytes", directory, &error))?;
        let state = State { file, free: BTreeMap::new(), end: 0, used: 0 };
        Ok(Self { directory: directory.to_owned(), limit: limit as u64, faults, state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A poisoned lock is sound to use, because the ranges are consistent after every statement.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn used(&self) -> u64 {
        self.state().used
    }

    pub(super) fn store(
        self: &Arc<Self>,
        bytes: usize,
        fill: impl FnOnce(&mut dyn Write) -> Result<()>,
    ) -> Result<Extent> {
        let mut state = self.state();
        if state.used.saturating_add((bytes as u64).next_multiple_of(GRANULE)) > self.limit {
            let what = format!("the limit of {} bytes is reached", self.limit);
            return Err(self.write_error(&io::Error::new(io::ErrorKind::StorageFull, what)));
        }
        let (offset, len) = state.take(bytes as u64);
        let result = state.file.seek(SeekFrom::Start(offset));
        let result = result
            .map_err(|error| self.write_error(&error))
            .and_then(|_| fill(&mut Faulty { file: &mut state.file, faults: self.faults.as_ref() }));
        if let Err(error) = result {
            state.free(offset, len);
            return Err(error);
        }
        drop(state);
        Ok(Extent { file: self.clone(), offset, len })
    }

    pub(super) fn write_error(&self, error: &io::Error) -> MemoryError {
        MemoryError::spill("write spilled bytes", &self.directory, error)
    }
}

impl Extent {
    /// Reads the bytes in order.
    pub(super) fn load(&self, read: impl FnOnce(&mut dyn Read) -> Result<()>) -> Result<()> {
        let mut state = self.file.state();
        state.file.seek(SeekFrom::Start(self.offset)).map_err(|error| self.read_error(&error))?;
        read(&mut Faulty { file: &mut state.file, faults: self.file.faults.as_ref() })
    }

    pub(super) fn read_error(&self, error: &io::Error) -> MemoryError {
        MemoryError::spill("read spilled bytes", &self.file.directory, error)
    }
}

impl State {
    /// Takes a range of at least `bytes` bytes: the smallest free range that is long enough, or a range at the end.
    fn take(&mut self, bytes: u64) -> (u64, u64) {
        let len = bytes.next_multiple_of(GRANULE);
        self.used += len;
        let fitting = self.free.iter().filter(|(_, free)| **free >= len).min_by_key(|(_, free)| **free);
        let Some((&offset, &free)) = fitting else {
            let offset = self.end;
            self.end += len;
            return (offset, len);
        };
        self.free.remove(&offset);
        if free > len {
            self.free.insert(offset + len, free - len);
        }
        (offset, len)
    }

    /// Frees a range.
    fn free(&mut self, mut offset: u64, mut len: u64) {
        self.used -= len;
        if let Some(next) = self.free.remove(&(offset + len)) {
            len += next;
        }
        if let Some((&before, &free)) = self.free.range(..offset).next_back()
            && before + free == offset
        {
            self.free.remove(&before);
            (offset, len) = (before, free + len);
        }
        if offset + len < self.end {
            self.free.insert(offset, len);
            return;
        }
        self.end = offset;
        if let Err(error) = self.file.set_len(offset) {
            tracing::warn!(%error, "the file of spilled bytes cannot be shortened");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(file: &Arc<SpillFile>, bytes: &[u8]) -> Extent {
        file.store(bytes.len(), |to| to.write_all(bytes).map_err(|error| file.write_error(&error))).unwrap()
    }

    fn loaded(extent: &Extent, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        extent.load(|from| from.read_exact(&mut bytes).map_err(|error| extent.read_error(&error))).unwrap();
        bytes
    }

    #[test]
    fn ranges_are_used_again_and_join_their_neighbors() {
        let folder = tempfile::tempdir().unwrap();
        let file = Arc::new(SpillFile::new(folder.path(), usize::MAX, None).unwrap());
        let parts: Vec<Extent> = (0..4u8).map(|part| stored(&file, &[part; 5000])).collect();
        let offsets: Vec<u64> = parts.iter().map(|part| part.offset).collect();
        assert_eq!(offsets, [0, 8192, 16384, 24576]);
        let [first, second, third, fourth] = <[Extent; 4]>::try_from(parts).unwrap();
        drop(second);
        drop(first);
        // The two free ranges were merged to one range.
        let both = stored(&file, &[9; 16000]);
        assert_eq!((both.offset, both.len), (0, 16384));
        assert_eq!((loaded(&both, 16000), loaded(&third, 5000)), (vec![9; 16000], vec![2; 5000]));
        assert_eq!(file.used(), 32768);
        drop(fourth);
        assert_eq!(file.state().file.metadata().unwrap().len(), 24576);
        drop((both, third));
        assert_eq!((file.used(), file.state().end), (0, 0));
        // The file was removed from the directory when it was made.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_full_file_takes_bytes_again_after_others_are_freed() {
        let folder = tempfile::tempdir().unwrap();
        let file = Arc::new(SpillFile::new(folder.path(), 10_000, None).unwrap());
        let first = stored(&file, &[1; 8000]);
        let error = file.store(1, |_| unreachable!("nothing is written")).unwrap_err().to_string();
        assert!(error.contains(": the limit of 10000 bytes is reached; free space there"), "{error}");
        assert_eq!(file.used(), 8192);
        drop(first);
        drop(stored(&file, &[2; 8000]));
    }

    #[test]
    fn a_short_write_and_a_short_read_are_errors_of_one_access() {
        let folder = tempfile::tempdir().unwrap();
        let file = |faults| Arc::new(SpillFile::new(folder.path(), usize::MAX, Some(faults)).unwrap());
        let faults = SpillFaults::of_write(2);
        let written = file(faults.clone());
        let first = stored(&written, &[1; 100]);
        assert!(!faults.has_failed());
        let write = |to: &mut dyn Write| to.write_all(&[2; 100]).map_err(|error| written.write_error(&error));
        let error = written.store(100, write).unwrap_err();
        assert!(error.to_string().contains("cannot write spilled bytes") && faults.has_failed(), "{error}");
        assert_eq!(written.used(), GRANULE);
        let third = stored(&written, &[3; 100]);
        assert_eq!((loaded(&first, 100), loaded(&third, 100)), (vec![1; 100], vec![3; 100]));
        let read = file(SpillFaults::of_read(1));
        let extent = stored(&read, &[4; 100]);
        let mut bytes = [0; 100];
        let error = extent.load(|from| from.read_exact(&mut bytes).map_err(|error| extent.read_error(&error)));
        assert!(error.unwrap_err().to_string().contains("cannot read spilled bytes"));
        assert_eq!(loaded(&extent, 100), vec![4; 100]);
    }

    #[test]
    fn a_failed_write_gives_its_range_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = Arc::new(SpillFile::new(folder.path(), usize::MAX, None).unwrap());
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let error = file.store(100, |_| Err(file.write_error(&full))).unwrap_err();
        assert!(error.to_string().starts_with("cannot write spilled bytes in the directory"), "{error}");
        assert_eq!(file.used(), 0);
        let error = SpillFile::new(&folder.path().join("absent"), usize::MAX, None).unwrap_err();
        assert!(matches!(error, MemoryError::Spill { .. }), "{error}");
    }
}
