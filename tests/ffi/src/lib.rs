//! gdf behind C functions, for tests that exchange data with Python libraries: `tests/ffi/*.py` load this library through
//! ctypes. Not an interface for users.
#![allow(clippy::missing_safety_doc, reason = "the tests' own callers; each function says what it takes")]

pub mod device;
