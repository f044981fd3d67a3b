//! What a fetch or a build says while it runs.

use std::path::Path;
use std::time::Duration;

use anyhow::Error;

/// What was made of the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Translation units of the images.
    pub units: usize,
    /// Those of them that were not in the cache.
    pub compiled: usize,
    /// The size of all images in the folder.
    pub bytes: u64,
    /// What it took.
    pub time: Duration,
}

/// Hears of a fetch or a build; called from several threads. What is not implemented is passed over.
pub trait Progress: Sync {
    /// A file is fetched: bytes so far, and in all where the server says so.
    fn fetched(&self, file: &str, bytes: u64, total: Option<u64>) {
        let _ = (file, bytes, total);
    }

    /// So many translation units are ahead.
    fn begin(&self, units: usize) {
        let _ = units;
    }

    /// One of them is there, from the cache or compiled.
    fn unit(&self) {}

    /// One was compiled to so many kernels and bytes.
    fn compiled(&self, file: &str, kernels: usize, bytes: usize, time: Duration) {
        let _ = (file, kernels, bytes, time);
    }

    /// One did not compile.
    fn failed(&self, file: &str, error: &Error) {
        eprintln!("{file}: {error:#}");
    }

    /// The compiler's words, or a warning about them.
    fn remark(&self, text: &str) {
        eprintln!("{text}");
    }

    /// The images of one folder are done.
    fn end(&self, summary: &Summary, folder: &Path) {
        let _ = (summary, folder);
    }
}

/// A line for each file that was compiled and for each folder of images.
#[derive(Clone, Copy, Debug)]
pub struct Lines;

impl Progress for Lines {
    fn fetched(&self, file: &str, bytes: u64, total: Option<u64>) {
        if total == Some(bytes) {
            eprintln!("fetched {file}, {bytes} bytes");
        }
    }

    fn compiled(&self, file: &str, kernels: usize, bytes: usize, time: Duration) {
        println!("{file}: {kernels} kernels, {bytes} bytes, {:.1} s", time.as_secs_f64());
    }

    fn end(&self, summary: &Summary, folder: &Path) {
        let Summary { units, compiled, bytes, time } = summary;
        let seconds = time.as_secs_f64();
        println!("{units} units ({compiled} compiled), {bytes} bytes in {}, {seconds:.1} s", folder.display());
    }
}
