//! Hash tables of rows by key, for group-by, join and distinct: see README.md.

mod cuda;
mod grouping;
mod host;

pub use cuda::{KeyTableLayout, RangePacking, fill, pack_by_ranges, pack_by_values};
pub use grouping::{GroupTable, Grouping, RangeGroups, Visit};
pub use host::{KeySlots, KeyTable, Lookups, Matches, NO_MATCH, OpenKeyTable, members, open_key_columns};
