//! Replacing values by a table of old and new ones.

mod find_and_replace_all;

pub use find_and_replace_all::find_and_replace_all;
