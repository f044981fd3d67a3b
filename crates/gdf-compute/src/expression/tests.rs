//! Tests of programs and their results.
