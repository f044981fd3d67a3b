//! Tests that span files: on the CPU, and on a CUDA device where there is one.

mod cpu;
mod cuda;
mod deferred;
mod foreign;
mod order;

/// Held by tests that choose, or rely on, the mode of default streams: it is of the whole process.
static DEFAULT_MODE: std::sync::Mutex<()> = std::sync::Mutex::new(());
