//! Replaces values by means of a table of old values and new values.

mod find_and_replace_all;

pub use find_and_replace_all::find_and_replace_all;
