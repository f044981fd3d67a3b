//! Tests of several files together: on the CPU, and on a CUDA device if there is one.

mod cpu;
mod cuda;
mod deferred;
mod foreign;
mod order;

/// A lock for tests that set the mode of default streams or depend on the mode, because the whole process has one
/// mode.
static DEFAULT_MODE: std::sync::Mutex<()> = std::sync::Mutex::new(());
