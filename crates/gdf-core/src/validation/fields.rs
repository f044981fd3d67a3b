//! Checks of fields that are declared without nulls; see [`DataRule::NonNullable`](crate::DataRule::NonNullable).

use gdf_driver::Stream;

use super::host::first_row;
use super::{Node, TASK_ROWS};
use crate::layout::{is_required, rows_per_parent};
use crate::{ColumnView, DataRule, Error, Result, bitmask, physical_type};

pub(super) fn check(node: &Node<'_>, stream: &Stream) -> Result<()> {
    for (index, child) in node.view.children().iter().enumerate() {
        if !is_required(node.view.data_type(), index) {
            continue;
        }
        if let Some(row) = first_null(node.view, index, stream)? {
            let path = node.path.iter().copied().chain([index]).collect();
            let (data_type, rule) = (child.data_type().clone(), DataRule::NonNullable);
            return Err(Error::broken_data(data_type, rule, Some(row), path));
        }
    }
    Ok(())
}

/// Returns the first row of the child that must not be null but is null. In a struct or in a list of a fixed size, a
/// row of the child may be null if the row of the parent is null. In a list with offsets or in a map, no row of the
/// child may be null.
fn first_null(view: ColumnView<'_>, index: usize, stream: &Stream) -> Result<Option<usize>> {
    let child = view.child(index)?;
    if !child.has_validity() {
        return Ok(None);
    }
    let (rows, parent, each) = match rows_per_parent(physical_type(view.data_type())) {
        Some(each) => (child.slice(view.offset() * each, view.len() * each)?, Some(view), each),
        None => (child, None, 1),
    };
    if rows.null_count_on(stream)? == 0 {
        return Ok(None);
    }
    let (own, hiding) = (Bits::of(rows, stream)?, parent.map(|parent| Bits::of(parent, stream)).transpose()?);
    let is_bare = |row: usize| !own.get(row) && hiding.as_ref().is_none_or(|parent| parent.get(row / each));
    let row = first_row(rows.len(), TASK_ROWS, is_bare);
    Ok(row.map(|row| rows.offset() - child.offset() + row))
}

/// The validity of rows, in memory of the CPU.
struct Bits {
    bytes: Vec<u8>,
    first: usize,
}

impl Bits {
    /// Copies the validity of the rows to the CPU.
    fn of(view: ColumnView<'_>, stream: &Stream) -> Result<Bits> {
        let first = view.offset() % 8;
        let bytes = match view.validity() {
            Some(mask) => mask.slice(view.offset() / 8, bitmask::used_bytes(first + view.len()))?.to_host(stream)?,
            None => Vec::new(),
        };
        Ok(Bits { bytes, first })
    }

    fn get(&self, row: usize) -> bool {
        self.bytes.is_empty() || bitmask::get_bit(&self.bytes, self.first + row)
    }
}
