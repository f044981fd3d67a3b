//! The CPU's versions.

mod hash_partition;
mod identity;
mod move_rows;
mod partition;
mod round_robin_partition;

pub(super) use hash_partition::hash_partition;
pub(super) use partition::partition;
pub(super) use round_robin_partition::round_robin_order;

use move_rows::{Ids, move_rows};
