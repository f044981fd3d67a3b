//! `validate` on the CPU. The implementation is part of gdf-core, because import and export also need it.

use gdf_core::Result;
use gdf_core::validation::{Found, Node};
use gdf_driver::Stream;

use crate::host::task_rows;

pub(super) fn look(nodes: &[Node<'_>], stream: &Stream) -> Result<Vec<Found>> {
    gdf_core::validation::look(nodes, task_rows(), stream)
}
