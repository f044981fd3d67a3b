//! What a packed table is made of, as bytes that can be sent: JSON, read by a parser that refuses what is malformed or nested
//! too deep. Nothing in it is believed: columns are made by [`Column::try_from_parts`], which checks all sizes, and their data
//! are validated by the first operation that gets them.

use gdf_core::layout::child_types;
use gdf_core::{Column, ColumnParts, DataType, Error, NullCount, Result, Table};
use gdf_engine::vouch;
use gdf_memory::Buffer;
use serde::{Deserialize, Serialize};

/// The version of what is written; others are refused.
pub(super) const VERSION: u32 = 1;

/// A packed table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Metadata {
    pub(super) version: u32,
    pub(super) rows: usize,
    /// Of the data.
    pub(super) bytes: usize,
    pub(super) types: Vec<DataType>,
    pub(super) columns: Vec<Node>,
}

/// A column or child; buffers by position and length.
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

/// How columns are made of their parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// By this process, which vouches for them.
    Own,
    /// By whomever.
    Unknown,
}

impl Metadata {
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(|_| Error::internal("metadata that cannot be written"))
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let unreadable =
            || Error::invalid_data("the bytes are not the metadata of a packed table").in_argument("metadata");
        let metadata: Self = serde_json::from_slice(bytes).map_err(|_| unreadable())?;
        if metadata.version != VERSION {
            let version = i128::from(metadata.version);
            return Err(Error::invalid_number("the version of a packed table", version).in_argument("metadata"));
        }
        Ok(metadata)
    }

    /// The table in the memory of `data`.
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
