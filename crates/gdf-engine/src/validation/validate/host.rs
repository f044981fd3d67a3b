//! `validate` on the CPU. The checks are part of gdf-core, because import and export also need them.

use gdf_core::Result;
use gdf_core::validation::{Found, Node};
use gdf_driver::Stream;

use crate::host::task_rows;

pub(super) fn look(nodes: &[Node<'_>], stream: &Stream) -> Result<Vec<Found>> {
    gdf_core::validation::look(nodes, task_rows(), stream)
}
