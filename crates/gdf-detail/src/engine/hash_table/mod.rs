//! Hash tables of rows by key, for grouping, joining and distinct rows: see README.md.

mod cuda;
mod grouping;
mod host;

pub(crate) use cuda::{KeyTableLayout, fill, pack_by_values};
pub(crate) use grouping::{GroupTable, Grouping, RangeGroups, Visit};
pub(crate) use host::{KeySlots, KeyTable, Lookups, Matches, NO_MATCH, members, open_key_columns};
