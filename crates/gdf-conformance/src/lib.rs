#![forbid(unsafe_code)]
//! Runs a corpus of cases whose answers libcudf gave, and reports where gdf agrees.
//!
//! | step | module |
//! |---|---|
//! | a line of `AREA.jsonl` becomes a [`case::Case`], ranges of `AREA.bin` become columns | [`area`], [`case`], [`call`] |
//! | the operation's name finds the function that calls gdf | [`operations`] |
//! | its answer comes back to the host | [`output`] |
//! | counts and positions become as wide as libcudf's | [`narrow`] |
//! | the answer is compared under the case's rule | [`compare`], [`verdict`] |
//! | a difference that is meant is compared with gdf's answer on record | [`differences`], [`answers`] |
//! | results are counted, shown, written | [`runner`], [`report`], [`emit`] |
//! | numbers and refusals are compared with those on record | [`ratchet`] |
//!
//! To add an operation, write one function `fn(&Call<'_>) -> Answered` in the module of its family under
//! [`operations`], name it in that module's `OPERATIONS`, and, if it returns counts or positions, in [`narrow`]. Where
//! gdf differs from libcudf on purpose, [`differences`] has a line with the reason.

pub mod answers;
pub mod area;
pub mod call;
pub mod case;
pub mod compare;
pub mod differences;
pub mod emit;
pub mod names;
pub mod narrow;
pub mod operations;
pub mod output;
pub mod ratchet;
pub mod report;
pub mod runner;
pub mod verdict;
