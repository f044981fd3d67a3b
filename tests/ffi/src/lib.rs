//! C functions of gdf for tests that exchange data with Python libraries. `tests/ffi/*.py` load this library through
//! ctypes. The functions are not an interface for users.
#![allow(
    clippy::missing_safety_doc,
    reason = "only tests call the functions, and each function documents its arguments"
)]

pub mod device;
