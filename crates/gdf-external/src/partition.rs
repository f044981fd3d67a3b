//! Divides parts by the hashes of keys.

use gdf_api::contiguous_split::contiguous_split;
use gdf_api::partitioning::{HashFunction, hash_partition};
use gdf_core::{Result, Table};

use crate::Budget;

/// The largest number of partitions of one division.
const MAX_PARTITIONS: usize = 128;
/// The number of divisions after which a partition stays as it is. All its rows may have the same key.
pub(crate) const MAX_DEPTH: u32 = 4;

/// Returns the number of partitions so that each has about half of `budget` bytes.
pub(crate) fn partitions(bytes: usize, budget: usize) -> usize {
    (bytes.div_ceil(budget.max(2) / 2)).next_power_of_two().clamp(2, MAX_PARTITIONS)
}

/// Divides the rows of parts into partitions: rows with equal keys are in the same partition. `depth` is the number of
/// divisions before this one. The rows of a partition keep their order.
///
/// Each part is dropped when it is divided.
pub(crate) fn divide(
    parts: impl IntoIterator<Item = Result<Table>>,
    keys: &[usize],
    count: usize,
    depth: u32,
    budget: &Budget,
) -> Result<Vec<Vec<Table>>> {
    let mut partitions: Vec<Vec<Table>> = vec![Vec::new(); count];
    for part in parts {
        let part = part?;
        let pieces = budget.in_pieces(&part, &mut |piece| {
            let (ordered, offsets) = hash_partition(piece, keys, count, HashFunction::Murmur3, depth)?;
            split(&ordered, &offsets[1..count], budget)
        })?;
        drop(part);
        for pieces in pieces {
            for (partition, piece) in partitions.iter_mut().zip(pieces) {
                if piece.num_rows() > 0 {
                    partition.push(piece);
                }
            }
        }
    }
    Ok(partitions)
}

/// Copies the pieces of a table between the rows `splits`. Each piece is one buffer, so that it can be spilled alone.
pub(crate) fn split(table: &Table, splits: &[usize], budget: &Budget) -> Result<Vec<Table>> {
    let pieces = contiguous_split(table, splits)?;
    pieces.into_iter().map(|piece| Ok(budget.keep(piece.unpack()?))).collect()
}
