//! What there is to look at: a column and all that is below it, in the order in which faults count.

use arrow_schema::DataType;
use gdf_memory::Buffer;

use crate::{Column, ColumnView, PhysicalType, is_signed_integral, physical_type};

/// A column or child.
#[derive(Debug)]
pub struct Node<'a> {
    /// All of its rows.
    pub view: ColumnView<'a>,
    /// From the table, or from the column, down.
    pub path: Vec<usize>,
    /// What its own buffers have to obey.
    pub check: Check,
}

/// The rules on the own buffers.
#[derive(Clone, Debug)]
pub enum Check {
    /// None but that the null count is right.
    Nulls,
    /// Offsets of 64 bits or 32, within `limit` bytes or rows.
    Offsets { large: bool, limit: usize, text: bool },
    /// Offsets and sizes of 64 bits or 32, within the rows of the child.
    ListViews { large: bool, limit: usize },
    /// Integers of so many bytes, below the rows of the dictionary.
    Keys { width: usize, signed: bool, limit: usize },
    /// Views of text or bytes.
    Views { utf8: bool },
    /// The type numbers of fields, of a dense union with the rows of their children.
    TypeIds { ids: Vec<i8>, dense: Vec<(i8, usize)> },
    /// Of the first child; the last one reaches this row.
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

/// The column and, after it, its children and theirs.
pub fn add<'a>(view: ColumnView<'a>, path: Vec<usize>, nodes: &mut Vec<Node<'a>>) {
    let below = |child: usize| path.iter().copied().chain([child]).collect();
    let children: Vec<_> = view.children().iter().enumerate().map(|(i, child)| (child.view(), below(i))).collect();
    nodes.push(Node { view, path, check: Check::new(view) });
    for (child, path) in children {
        add(child, path, nodes);
    }
}
