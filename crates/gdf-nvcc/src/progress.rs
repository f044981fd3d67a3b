//! Progress reports of fetches and builds.

use std::path::Path;
use std::time::Duration;

use anyhow::Error;

/// The summary of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The number of translation units in the images.
    pub units: usize,
    /// The number of translation units that were not in the cache.
    pub compiled: usize,
    /// The size of all images in the folder, in bytes.
    pub bytes: u64,
    /// The duration of the build.
    pub time: Duration,
}

/// Receives the progress of a fetch or a build. Several threads call the methods. The default implementations of
/// [`failed`](Self::failed) and [`remark`](Self::remark) print the report. The default implementations of the other
/// methods ignore the report.
pub trait Progress: Sync {
    /// Reports how many bytes of a file have been fetched so far. The total is known only if the server states it.
    fn fetched(&self, file: &str, bytes: u64, total: Option<u64>) {
        let _ = (file, bytes, total);
    }

    /// Reports the start of a build of this number of translation units.
    fn begin(&self, units: usize) {
        let _ = units;
    }

    /// Reports that a translation unit is available. The unit was either in the cache or has been compiled.
    fn unit(&self) {}

    /// Reports that a translation unit has been compiled, with the number of its kernels and the size of its code in
    /// bytes.
    fn compiled(&self, file: &str, kernels: usize, bytes: usize, time: Duration) {
        let _ = (file, kernels, bytes, time);
    }

    /// Reports that a translation unit did not compile.
    fn failed(&self, file: &str, error: &Error) {
        eprintln!("{file}: {error:#}");
    }

    /// Reports a message of the compiler, or a warning about the compiled code.
    fn remark(&self, text: &str) {
        eprintln!("{text}");
    }

    /// Reports that the images of one folder are complete.
    fn end(&self, summary: &Summary, folder: &Path) {
        let _ = (summary, folder);
    }
}

/// Prints a line for each compiled file and for each folder of images.
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
