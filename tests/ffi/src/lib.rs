//! C functions of gdf for tests that exchange data with Python libraries. `tests/ffi/*.py` load this library through
//! ctypes. The functions are not an interface for users.
#![allow(clippy::missing_safety_doc, reason = "the tests' own callers; each function says what it takes")]

pub mod device;
