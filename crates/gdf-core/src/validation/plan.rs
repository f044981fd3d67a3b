//! The list of columns to check: a column and all its descendants. If several columns are invalid, the error is about
//! the first invalid column of the list.

use arrow_schema::DataType;
use gdf_memory::Buffer;

use crate::{Column, ColumnView, PhysicalType, is_signed_integral, physical_type};

/// A column or a child, without its own children.
#[derive(Debug)]
pub struct Node<'a> {
    /// All rows of the column or child.
    pub view: ColumnView<'a>,
    /// The path to the node: the position of each ancestor within its own parent, from the outermost level inward, and
    /// then the position of the node.
    pub path: Vec<usize>,
    /// The rules that the node's own buffers must obey.
    pub check: Check,
}

/// The rules for the column's own buffers.
#[derive(Clone, Debug)]
pub enum Check {
    /// No rule applies, except that the null count must be correct.
    Nulls,
    /// Offsets must lie within `limit` bytes or rows. Offsets have 64 bits if `large` is true, and 32 bits otherwise.
    Offsets { large: bool, limit: usize, text: bool },
    /// Offsets and sizes must lie within the rows of the child. Both have 64 bits if `large` is true, and 32 bits
    /// otherwise.
    ListViews { large: bool, limit: usize },
    /// Keys are integers of `width` bytes. The keys of valid rows must be at least 0, and less than `limit`, the number
    /// of rows of the dictionary.
    Keys { width: usize, signed: bool, limit: usize },
    /// Views of text or bytes.
    Views { utf8: bool },
    /// Every type id must be one of `ids`. If the union is dense, `dense` has the number of rows of each child.
    TypeIds { ids: Vec<i8>, dense: Vec<(i8, usize)> },
    /// The run ends are the first child. The last run end must be at least `reach`.
    RunEnds { width: usize, reach: usize },
}

impl Check {
    fn new(view: ColumnView<'_>) -> Check {
        use PhysicalType as P;
        let rows_of_child = |child: usize| view.children().get(child).map_or(0, Column::len);
        let bytes = view.buffers().get(1).map_or(0, Buffer::len);
        match (physical_type(view.data_type()), view.data_type()) {
            (P::String { large }, _) => Check::Offsets { large, limit: bytes, text: true },
            (P::Binary { large }, _) => Check::Offsets { large, limit: bytes, text: false },
            (P::List { large }, _) => Check::Offsets { large, limit: rows_of_child(0), text: false },
            (P::Map, _) => Check::Offsets { large: false, limit: rows_of_child(0), text: false },
            (P::ListView { large }, _) => Check::ListViews { large, limit: rows_of_child(0) },
            (P::View { utf8 }, _) => Check::Views { utf8 },
            (_, DataType::Dictionary(keys, _)) => {
                let width = physical_type(keys).width().unwrap_or(0);
                Check::Keys { width, signed: is_signed_integral(keys), limit: rows_of_child(0) }
            }
            (P::Union { dense }, DataType::Union(fields, _)) => {
                let ids: Vec<i8> = fields.iter().map(|(id, _)| id).collect();
                let children = ids.iter().enumerate().map(|(child, &id)| (id, rows_of_child(child)));
                Check::TypeIds { dense: if dense { children.collect() } else { Vec::new() }, ids }
            }
            (_, DataType::RunEndEncoded(ends, _)) => {
                let width = physical_type(ends.data_type()).width().unwrap_or(0);
                let reach = if view.is_empty() { 0 } else { view.offset() + view.len() };
                Check::RunEnds { width, reach }
            }
            _ => Check::Nulls,
        }
    }
}

/// Adds the column to `nodes`, followed by all its descendants.
pub fn add<'a>(view: ColumnView<'a>, path: Vec<usize>, nodes: &mut Vec<Node<'a>>) {
    let below = |child: usize| path.iter().copied().chain([child]).collect();
    let children: Vec<_> = view.children().iter().enumerate().map(|(i, child)| (child.view(), below(i))).collect();
    nodes.push(Node { view, path, check: Check::new(view) });
    for (child, path) in children {
        add(child, path, nodes);
    }
}
