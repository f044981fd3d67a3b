//! Tests of several files together: on the CPU, and on a CUDA device if there is one.

mod cpu;
mod cuda;
mod deferred;
mod foreign;
mod order;

/// A lock for tests that set or use the mode of default streams.
static DEFAULT_MODE: std::sync::Mutex<()> = std::sync::Mutex::new(());
