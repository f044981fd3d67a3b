//! Counts distinct values per group. Pairs of group and value are inserted into a hash table. Each thread processes
//! its own groups.

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_engine::hash_table::{GroupTable, Grouping};
use gdf_engine::host::{map_indices, task_rows};
use gdf_engine::keys::{KeyColumn, mix64};
use gdf_memory::{HostVec, ResourceRef};

use crate::groupby::NullPolicy;

/// Returns the number of distinct values of each group.
pub(super) fn nunique<'r>(
    values: &KeyColumn<'_>,
    rows: usize,
    null_policy: NullPolicy,
    grouping: &Grouping<'_>,
    stream: &Stream,
    mr: ResourceRef<'r>,
) -> Result<HostVec<'r, u64>> {
    let threads = rows.div_ceil(task_rows()).clamp(1, gdf_core::thread_count().max(1));
    let mut groups = HostVec::<u32>::zeroed(rows, stream, mr)?;
    for range in &grouping.ranges {
        for position in range.positions.clone() {
            let row = grouping.rows.as_ref().map_or(position, |rows| rows[position] as usize);
            groups[row] = range.group(grouping.ids[position]) as u32;
        }
    }
    let groups = &groups[..];
    let part = |thread: usize| -> Result<HostVec<'r, u64>> {
        let mut table = GroupTable::new(stream, mr)?;
        let mut counts = HostVec::<u64>::zeroed(grouping.groups().div_ceil(threads), stream, mr)?;
        for (row, group) in groups.iter().enumerate().filter(|(_, group)| **group != 0) {
            let group = *group as usize - 1;
            if group % threads != thread {
                continue;
            }
            let valid = values.is_valid(row);
            if !valid && null_policy == NullPolicy::Exclude {
                continue;
            }
            let hash = if valid { mix64(values.hash(row) ^ 0x5bd1_e995) } else { 1 };
            let word = mix64(hash ^ (group as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let before = table.len();
            table.find_or_insert(word, u32::from(valid), row, |other| {
                groups[other] as usize == group + 1 && values.equal(row, values, other)
            })?;
            if table.len() != before {
                counts[group / threads] += 1;
            }
        }
        Ok(counts)
    };
    if threads == 1 {
        return part(0);
    }
    let parts: Vec<HostVec<'r, u64>> = map_indices(threads, &part).into_iter().collect::<Result<_>>()?;
    let mut counts = HostVec::<u64>::zeroed(grouping.groups(), stream, mr)?;
    counts.iter_mut().enumerate().for_each(|(group, count)| *count = parts[group % threads][group / threads]);
    Ok(counts)
}
