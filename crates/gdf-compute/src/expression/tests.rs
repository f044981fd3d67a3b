//! Programs and their results.
