//! Tests of the interfaces.
