//! Test kit of gdf: what shows that an operation is right, tidy with memory and as cheap as it says.
//!
//! | to | use |
//! |---|---|
//! | write down a column | [`builders`] |
//! | get one at random, with everything nasty in it | [`data`] |
//! | compute the expected answer, obviously | [`value`], [`naive`] |
//! | compare | [`compare`] |
//! | register an operation with all its checks | [`catalog`] |
//! | keep what each case costs | [`costs`] |
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
mod documented_types;
pub mod malformed;
pub mod naive;
pub mod resources;
pub mod runner;
pub mod value;
