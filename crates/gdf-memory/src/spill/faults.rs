//! Failures of the file of spilled bytes, for tests.

use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Disturbs the access to the file of spilled bytes that has a given number. That access moves only half of its bytes,
/// and the next access fails, as when a disk is full or a file has been cut off. Clones count together.
#[derive(Clone, Debug)]
pub struct SpillFaults(Arc<Fault>);

#[derive(Debug)]
struct Fault {
    is_write: bool,
    at: usize,
    seen: AtomicUsize,
    is_over: AtomicBool,
}

/// The outcome of an access.
enum Fate {
    Whole,
    Half,
    Fails,
}

impl SpillFaults {
    /// Makes write number `at` incomplete, and makes the next write fail. The first write has the number 1.
    pub fn of_write(at: usize) -> SpillFaults {
        SpillFaults::new(true, at)
    }

    /// Makes read number `at` incomplete, and makes the next read fail. The first read has the number 1.
    pub fn of_read(at: usize) -> SpillFaults {
        SpillFaults::new(false, at)
    }

    fn new(is_write: bool, at: usize) -> SpillFaults {
        let (seen, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        SpillFaults(Arc::new(Fault { is_write, at, seen, is_over }))
    }

    /// Lets all later accesses succeed.
    pub fn end(&self) {
        self.0.is_over.store(true, Ordering::SeqCst);
    }

    /// Returns whether the access with the given number was requested.
    pub fn has_failed(&self) -> bool {
        self.0.seen.load(Ordering::SeqCst) >= self.0.at
    }

    fn fate(&self, is_write: bool) -> Fate {
        if is_write != self.0.is_write || self.0.is_over.load(Ordering::SeqCst) {
            return Fate::Whole;
        }
        match self.0.seen.fetch_add(1, Ordering::SeqCst) + 1 {
            number if number == self.0.at => Fate::Half,
            number if number == self.0.at + 1 => Fate::Fails,
            _ => Fate::Whole,
        }
    }
}

/// Two values are equal if they count together.
impl PartialEq for SpillFaults {
    fn eq(&self, other: &SpillFaults) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SpillFaults {}

/// A file with failures.
pub(super) struct Faulty<'f> {
    pub(super) file: &'f mut File,
    pub(super) faults: Option<&'f SpillFaults>,
}

impl Faulty<'_> {
    fn fate(&self, is_write: bool) -> Fate {
        self.faults.map_or(Fate::Whole, |faults| faults.fate(is_write))
    }
}

impl Write for Faulty<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.fate(true) {
            Fate::Whole => self.file.write(bytes),
            Fate::Half => self.file.write(&bytes[..bytes.len() / 2]),
            Fate::Fails => Err(io::Error::from(io::ErrorKind::StorageFull)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Read for Faulty<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self.fate(false) {
            Fate::Whole => self.file.read(bytes),
            Fate::Half => {
                let half = bytes.len() / 2;
                self.file.read(&mut bytes[..half])
            }
            // The end of the file.
            Fate::Fails => Ok(0),
        }
    }
}
