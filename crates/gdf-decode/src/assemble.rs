//! Lists and structs of decoded leaf columns.

use gdf_core::layout::child_types;
use gdf_core::{Column, ColumnParts, DataType, NullCount, Result};
use gdf_driver::Device;

use crate::batch::{DecodedColumn, DecodedNode};
use crate::vouch;

/// Makes a column of lists, maps and structs of its decoded leaf columns, which are in the order of the type's leaves. The
/// nodes of each leaf must be those of the type, see [`Nesting`](crate::Nesting): a list for `List` and `LargeList`, a list
/// and a required struct for `Map`, and a struct for `Struct`. No data is copied.
///
/// `None` means that the leaves disagree about the number of lists or structs, or do not have the nodes of the type.
///
/// # Errors
/// * The parts do not have the layout of the type.
pub fn assemble(data_type: &DataType, device: Device, leaves: Vec<DecodedColumn>) -> Result<Option<Column>> {
    let leaf = |leaf: DecodedColumn| Leaf { values: leaf.values, nodes: leaf.nodes.into_iter() };
    let mut leaves = leaves.into_iter().map(leaf).collect();
    let made = column(data_type, device, &mut leaves)?;
    Ok(made.filter(|_| leaves.is_empty()))
}

struct Leaf {
    values: Column,
    /// The nodes that are not made yet.
    nodes: std::vec::IntoIter<DecodedNode>,
}

/// Returns whether columns of a type are made of their leaves.
fn is_assembled(data_type: &DataType) -> bool {
    matches!(data_type, DataType::List(_) | DataType::LargeList(_) | DataType::Map(..) | DataType::Struct(_))
}

/// Returns the number of leaves of a type.
fn leaves_of(data_type: &DataType) -> usize {
    if is_assembled(data_type) { child_types(data_type).into_iter().map(leaves_of).sum() } else { 1 }
}

/// Makes a column of the first leaves, and removes them.
fn column(data_type: &DataType, device: Device, leaves: &mut Vec<Leaf>) -> Result<Option<Column>> {
    let count = leaves_of(data_type);
    if count == 0 || leaves.len() < count {
        return Ok(None);
    }
    if !is_assembled(data_type) {
        let leaf = leaves.remove(0);
        let is_whole = leaf.nodes.len() == 0 && leaf.values.data_type() == data_type;
        return Ok(is_whole.then_some(leaf.values));
    }
    let Some(node) = next_node(&mut leaves[..count]) else { return Ok(None) };
    let mut parts = ColumnParts::new(data_type.clone(), device, node.rows);
    let is_list = !matches!(data_type, DataType::Struct(_));
    if is_list != node.offsets.is_some() {
        return Ok(None);
    }
    let elements = node.elements;
    for child in child_types(data_type) {
        let Some(child) = column(child, device, leaves)? else { return Ok(None) };
        if !is_list && child.len() != node.rows || elements.is_some_and(|elements| elements != child.len()) {
            return Ok(None);
        }
        parts = parts.child(child);
    }
    parts = node.offsets.into_iter().fold(parts, ColumnParts::buffer);
    if let Some((bits, nulls)) = node.validity {
        parts = parts.validity(Some(bits), NullCount::Known(nulls));
    }
    vouch::nested(parts).map(Some)
}

/// Takes the next node of each leaf, and returns that of the first one. `None` means that they have other numbers of rows.
fn next_node(leaves: &mut [Leaf]) -> Option<DecodedNode> {
    let mut nodes = leaves.iter_mut().map(|leaf| leaf.nodes.next());
    let first = nodes.next()??;
    let is_same =
        |node: Option<DecodedNode>| node.is_some_and(|node| node.rows == first.rows && node.elements == first.elements);
    nodes.all(is_same).then_some(first)
}
