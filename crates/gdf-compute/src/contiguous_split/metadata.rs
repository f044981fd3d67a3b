//! The metadata of a packed table, as bytes that can be sent to another process.

use gdf_core::layout::child_types;
use gdf_core::{Column, ColumnParts, DataType, Error, NullCount, Result, Table};
use gdf_memory::Buffer;
use serde::{Deserialize, Serialize};

use crate::vouch;

/// The version of the format that this code writes and reads.
pub(super) const VERSION: u32 = 1;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Metadata {
    pub(super) version: u32,
    pub(super) rows: usize,
    pub(super) bytes: usize,
    pub(super) types: Vec<DataType>,
    pub(super) columns: Vec<Node>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Node {
    pub(super) len: usize,
    pub(super) offset: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) validity: Option<[usize; 2]>,
    pub(super) buffers: Vec<[usize; 2]>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) children: Vec<Node>,
}

/// The origin of the metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// This process has made the metadata, so the columns are not checked.
    Own,
    /// The metadata may come from another process, so the columns are checked.
    Unknown,
}

impl Metadata {
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(|_| Error::internal("the metadata of a packed table cannot be written"))
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let unreadable = || {
            Error::invalid_data("the metadata cannot be read; pass the bytes of `PackedTable::metadata`")
                .in_argument("metadata")
        };
        let metadata: Self = serde_json::from_slice(bytes).map_err(|_| unreadable())?;
        if metadata.version != VERSION {
            let version = i128::from(metadata.version);
            return Err(Error::invalid_number("expected metadata of version 1", version).in_argument("metadata"));
        }
        Ok(metadata)
    }

    pub(super) fn table(&self, data: &Buffer, origin: Origin) -> Result<Table> {
        if self.bytes > data.len() {
            return Err(Error::buffer_too_small("data", self.bytes, data.len()));
        }
        if self.types.len() != self.columns.len() {
            return Err(Error::column_count(self.types.len(), self.columns.len()));
        }
        let columns =
            self.types.iter().zip(&self.columns).map(|(data_type, node)| node.column(data_type, data, origin));
        Table::try_with_rows(columns.collect::<Result<_>>()?, self.rows)
    }
}

impl Node {
    fn column(&self, data_type: &DataType, data: &Buffer, origin: Origin) -> Result<Column> {
        let mut parts = ColumnParts::new(data_type.clone(), data.device(), self.len);
        parts.offset = self.offset;
        for &[at, len] in &self.buffers {
            parts.buffers.push(data.slice(at, len)?);
        }
        if let Some([at, len]) = self.validity {
            (parts.validity, parts.null_count) = (Some(data.slice(at, len)?), NullCount::Unknown);
            parts.sanitized = false;
        }
        let types = child_types(data_type);
        if types.len() != self.children.len() {
            return Err(Error::child_count(data_type, types.len(), self.children.len()));
        }
        let children = types.iter().zip(&self.children).map(|(child, node)| node.column(child, data, origin));
        parts.children = children.collect::<Result<_>>()?;
        match origin {
            Origin::Own => vouch::result(parts),
            Origin::Unknown => Column::try_from_parts(parts),
        }
    }
}
