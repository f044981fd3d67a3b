//! The test kit of gdf. The kit checks three things: an operation returns the right results, manages its memory
//! correctly, and has the costs that its documentation promises.
//!
//! | to | use |
//! |---|---|
//! | write a column as literals | [`builders`] |
//! | get a random column with special values | [`data`] |
//! | compute the expected result with simple code | [`value`] |
//! | compare results | [`compare`] |
//! | describe the cases of an operation | [`catalog`] |
//! | compare costs and numbers of cases with committed files | [`costs`] |
//! | run the checks of a catalog on a device | [`runner`], [`device`] |
//! | call operations with columns that break the rules of their types | [`malformed`] |
//! | make allocations or the file of spilled bytes fail, or record allocations | [`resources`] |
//! | compare tables whose rows are in no particular order | [`rows`] |
//!
//! The functions of the kit panic if a test is wrong. Examples are a value that does not fit its type, and lengths that
//! do not add up. The `# Panics` sections name these conditions.

pub mod builders;
pub mod catalog;
pub mod compare;
pub mod costs;
pub mod data;
pub mod device;
pub mod malformed;
pub mod resources;
pub mod rows;
pub mod runner;
pub mod value;
