//! Finds the uses between the modules of a crate. An import or a path is followed through re-exports to the module that
//! defines the item.

mod graph;
mod source;

pub(crate) use graph::{Arrow, Graph, ModuleName, circles};
