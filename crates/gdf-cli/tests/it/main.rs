//! Tests the command as users start it: its output, the files that it leaves and its exit status. No test needs a GPU
//! or the network.

mod doctor;
mod files;
mod kernels;
mod program;
#[cfg(feature = "sql")]
mod sql;
mod usage;
