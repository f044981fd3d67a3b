//! Test kit of gdf: what shows that an operation is right, tidy with memory and as cheap as it says.
//!
//! | to | use |
//! |---|---|
//! | write down a column | [`builders`] |
//! | get one at random, with everything nasty in it | [`data`] |
//! | compute the expected answer, obviously | [`value`] |
//! | compare | [`compare`] |
//! | say what an operation must do, case by case | [`catalog`] |
//! | keep what cases cost, and how many there are | [`costs`] |
//! | run those checks on a device | [`runner`], [`device`] |
//! | call operations with columns that break the rules of their types | [`malformed`] |
//! | let memory fail or watch it | [`resources`] |
//!
//! The kit panics where a test is written wrongly (a value that does not fit its type, lengths that
//! do not add up) and says so in `# Panics`.

pub mod builders;
pub mod catalog;
pub mod compare;
pub mod costs;
pub mod data;
pub mod device;
pub mod malformed;
pub mod resources;
pub mod runner;
pub mod value;
