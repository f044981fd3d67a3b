//! Footers of files that were read before. A footer with many row groups takes longer to parse than some queries take.

use std::collections::VecDeque;
use std::fs::File;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use parquet::arrow::arrow_reader::ArrowReaderMetadata;

/// The largest number of bytes of all footers together.
const MOST_BYTES: usize = 64 << 20;
/// The largest number of footers. They are searched one after the other.
const MOST_FOOTERS: usize = 256;
/// A file that changed within this time before its footer was read may change again without another time of change, because
/// file systems count in ticks of a clock.
const YOUNG: Duration = Duration::from_secs(2);

/// The footers, the last one that was used first.
static FOOTERS: Mutex<VecDeque<Footer>> = Mutex::new(VecDeque::new());

struct Footer {
    file: FileState,
    metadata: ArrowReaderMetadata,
    bytes: usize,
}

/// A file and its state. A file that was written since has another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileState {
    device: u64,
    inode: u64,
    len: u64,
    /// The seconds and nanoseconds of the last change of the bytes, and of the last change of the file's attributes.
    times: [(i64, i64); 2],
}

impl FileState {
    /// Returns the state of an open file, or `None` if the system does not say enough, or the file has just changed.
    pub(super) fn of(file: &File) -> Option<FileState> {
        Self::of_age(file, YOUNG)
    }

    #[cfg(unix)]
    fn of_age(file: &File, age: Duration) -> Option<FileState> {
        use std::os::unix::fs::MetadataExt;

        let found = file.metadata().ok()?;
        let times = [(found.mtime(), found.mtime_nsec()), (found.ctime(), found.ctime_nsec())];
        let state = FileState { device: found.dev(), inode: found.ino(), len: found.len(), times };
        let (seconds, nanoseconds) = times[0].max(times[1]);
        let since = Duration::new(u64::try_from(seconds).ok()?, u32::try_from(nanoseconds).ok()?);
        let changed = SystemTime::UNIX_EPOCH.checked_add(since)?;
        SystemTime::now().duration_since(changed).is_ok_and(|found| found >= age).then_some(state)
    }

    #[cfg(not(unix))]
    fn of_age(_: &File, _: Duration) -> Option<FileState> {
        None
    }

    /// Returns the footer of the file if it was read in this state.
    pub(super) fn footer(&self) -> Option<ArrowReaderMetadata> {
        let mut footers = footers();
        let place = footers.iter().position(|footer| footer.file == *self)?;
        let found = footers.remove(place)?;
        let metadata = found.metadata.clone();
        footers.push_front(found);
        Some(metadata)
    }

    /// Keeps the footer of the file, unless it is too large, and forgets those that were not used for the longest time.
    pub(super) fn keep(self, metadata: &ArrowReaderMetadata) {
        let bytes = metadata.metadata().memory_size();
        if bytes > MOST_BYTES {
            return;
        }
        let mut footers = footers();
        footers.retain(|footer| footer.file != self);
        footers.push_front(Footer { file: self, metadata: metadata.clone(), bytes });
        let mut total = 0;
        let kept = footers.iter().take_while(|footer| {
            total += footer.bytes;
            total <= MOST_BYTES
        });
        let kept = kept.count().min(MOST_FOOTERS);
        footers.truncate(kept);
    }
}

fn footers() -> MutexGuard<'static, VecDeque<Footer>> {
    // A poisoned lock is usable, because the list is consistent after every statement.
    FOOTERS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(all(test, unix))]
mod tests {
    use parquet::arrow::arrow_reader::ArrowReaderOptions;

    use super::*;
    use crate::example_batch;

    #[test]
    fn a_footer_belongs_to_a_state_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        crate::write_parquet(&example_batch().unwrap(), &path).unwrap();
        let file = File::open(&path).unwrap();
        assert_eq!(FileState::of(&file), None, "the file has just changed");
        let state = FileState::of_age(&file, Duration::ZERO).unwrap();
        assert!(state.footer().is_none());
        let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()).unwrap();
        state.keep(&metadata);
        state.keep(&metadata);
        assert_eq!(state.footer().unwrap().metadata(), metadata.metadata());
        // The same bytes at another time are another state.
        std::thread::sleep(Duration::from_millis(20));
        std::fs::write(&path, std::fs::read(&path).unwrap()).unwrap();
        let later = FileState::of_age(&File::open(&path).unwrap(), Duration::ZERO).unwrap();
        assert_ne!(later, state);
        assert!(later.footer().is_none());
        // Footers that were not used are forgotten.
        for inode in 0..MOST_FOOTERS as u64 {
            FileState { device: u64::MAX, inode, ..state }.keep(&metadata);
        }
        assert!(state.footer().is_none());
        assert!(footers().len() <= MOST_FOOTERS);
    }
}
