//! Where rows belong among sorted rows, on the CPU: a binary search each.

use gdf_core::{Column, Result};
use gdf_driver::Stream;

use super::key_rows::{HostKey, compare_between};
use super::sorted_order::write_order;
use crate::Ctx;
use crate::engine::sort::{KeyColumn, SortedRows};
use crate::host::HostColumn;

/// For each of `count` rows of `needles` how many rows of `haystack` are less or, `upper`, not greater.
pub(crate) fn search_sorted(
    haystack: SortedRows<'_>,
    needles: &[KeyColumn<'_>],
    count: usize,
    upper: bool,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (sorted, searched) = (open(haystack.keys, ctx.stream)?, open(needles, ctx.stream)?);
    let sorted = sorted.iter().zip(haystack.keys).map(|(column, key)| HostKey::open(column, key));
    let sorted = sorted.collect::<Result<Vec<_>>>()?;
    let searched = searched.iter().zip(needles).map(|(column, key)| HostKey::open(column, key));
    let searched = searched.collect::<Result<Vec<_>>>()?;
    write_order(haystack.rows, count, ctx, |needle| {
        let (mut low, mut high) = (0, haystack.rows);
        while low < high {
            let middle = low + (high - low) / 2;
            let order = compare_between(&sorted, middle, &searched, needle);
            if order.is_lt() || (upper && order.is_eq()) { low = middle + 1 } else { high = middle }
        }
        low as u64
    })
}

fn open<'k>(keys: &[KeyColumn<'k>], stream: &Stream) -> Result<Vec<HostColumn<'k>>> {
    keys.iter().map(|key| HostColumn::open(key.view, stream)).collect()
}
