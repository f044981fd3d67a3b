//! Which modules of a crate use which: imports and paths, followed through re-exports to where an item is defined.
//!
//! Code of tests is left out. What a macro's tokens name counts like any other path.

mod graph;
mod source;

pub(crate) use graph::{Arrow, Graph, ModuleName, circles};
