//! Finds which modules of a crate use which other modules. Imports and paths are followed through re-exports to the
//! module that defines the item.
//!
//! Test code is ignored. A path in the input of a macro counts like any other path.

mod graph;
mod source;

pub(crate) use graph::{Arrow, Graph, ModuleName, circles};
