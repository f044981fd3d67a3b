//! Errors of memory as errors of operations.

use gdf_memory::MemoryError;

use super::Error;
use super::context::Context;

impl gdf_memory::RanOut for Error {
    fn ran_out(&self) -> Option<usize> {
        match self {
            Error::OutOfMemory { refusal, .. } => refusal.ran_out(),
            Error::Memory(error) => error.ran_out(),
            _ => self.is_out_of_memory().then_some(0),
        }
    }
}

impl From<MemoryError> for Error {
    fn from(error: MemoryError) -> Error {
        match error {
            refusal @ MemoryError::OutOfMemory { .. } => Error::OutOfMemory { refusal, context: Context::EMPTY },
            other => Error::Memory(other),
        }
    }
}
