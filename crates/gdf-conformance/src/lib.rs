#![forbid(unsafe_code)]
//! Runs a corpus of cases. The corpus has the recorded answers of libcudf. The program reports in which cases gdf gives
//! the same answer.
//!
//! | step | module |
//! |---|---|
//! | A line of `AREA.jsonl` is converted to a [`case::Case`]. | [`area`], [`case`] |
//! | A range of `AREA.bin` is converted to a column. | [`area`], [`call`] |
//! | The name of the operation selects the function that calls gdf. | [`operations`] |
//! | The answer of the operation is copied to the host. | [`output`] |
//! | Counts and positions are converted to the width of libcudf's types. | [`narrow`] |
//! | The answer is compared by the rule of the case. | [`compare`], [`verdict`] |
//! | If gdf differs on purpose, its answer is compared with its recorded answer. | [`differences`], [`answers`] |
//! | The results are counted, printed and written. | [`runner`], [`report`], [`emit`] |
//! | The counts and the unsupported cases are compared with the recorded ones. | [`ratchet`] |
//!
//! To add an operation, write a function `fn(&Call<'_>) -> Answered` in the module of its family under [`operations`].
//! Add the name of the operation to `OPERATIONS` of that module. If the operation returns counts or positions, also add
//! its name to [`narrow`]. If gdf differs from libcudf on purpose, add the cases and the reason to [`differences`].

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
