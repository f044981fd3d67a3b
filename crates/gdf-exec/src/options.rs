//! What the caller of a run decides.

use std::sync::atomic::AtomicBool;

use gdf_driver::Device;

use crate::progress::Progress;

/// How a plan runs.
#[derive(Clone, Copy, Debug)]
pub struct Execution<'e> {
    /// The device. It must be the current device.
    pub device: Device,
    /// Whether a join passes on the set of the keys of the side that it computes first, to filter rows below the other
    /// side. A run in parts passes on the keys of right sides that fit.
    pub passes_keys: bool,
    /// Whether the plan runs in parts from the start. By default, it does so only after it has run out of memory.
    pub in_parts: bool,
    /// The number of rows of the pieces in which a source is read. By default, a piece has about 4 MiB on the CPU, and
    /// 1 GiB on a GPU, which reads sources of up to an eighth of its memory at once. A piece of a Parquet file has at
    /// least one row group.
    pub piece_rows: Option<usize>,
    /// Whether the pipelines are measured.
    pub is_profiled: bool,
    /// If another thread sets the flag, the run ends.
    pub canceled: &'e AtomicBool,
    /// The counters of the run.
    pub progress: &'e Progress,
}
