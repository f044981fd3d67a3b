//! Divides parts by the hashes of keys.

use gdf_api::concatenate::concatenate;
use gdf_api::contiguous_split::contiguous_split;
use gdf_api::partitioning::{HashFunction, hash_partition};
use gdf_api::unary::cast;
use gdf_core::{DataType, Result, Table};
use gdf_expr::types::decoded_type;

use crate::Budget;
use crate::budget::{bytes_of, bytes_of_all};

/// The largest number of partitions of one division.
const MAX_PARTITIONS: usize = 128;
/// The number of divisions after which a partition is not divided again, because all its rows may have the same key.
pub(crate) const MAX_DEPTH: u32 = 4;

impl Budget {
    /// Returns parts that wait for others, and can be spilled. Small parts are concatenated, because the smallest could
    /// not be spilled. If no part has rows, the first part is returned.
    ///
    /// # Errors
    /// * The errors of the parts, of [`concatenate`] and of [`contiguous_split`].
    pub fn kept(&self, parts: impl IntoIterator<Item = Result<Table>>) -> Result<Vec<Table>> {
        let (mut pieces, mut first) = (Pieces::default(), None);
        for part in parts {
            let part = part?;
            if first.is_none() && part.num_rows() == 0 {
                first = Some(part.clone());
            }
            pieces.push(part, self.joined_bytes(), self)?;
        }
        let pieces = pieces.finish(self)?;
        Ok(if pieces.is_empty() { first.into_iter().collect() } else { pieces })
    }

    /// Returns the number of bytes below which parts are concatenated.
    pub(crate) fn joined_bytes(&self) -> usize {
        (self.part_bytes() / 2).clamp(FEWEST_BYTES, MOST_BYTES)
    }
}

/// Returns a number of partitions such that a partition has about half of `wanted` bytes, or less. The number is
/// limited, because each partition may keep pieces of less than [`FEWEST_BYTES`] in memory: together, these have at
/// most the bytes of a build side.
pub(crate) fn partitions(bytes: usize, wanted: usize, budget: &Budget) -> usize {
    let most = 1 << (budget.build_bytes() / FEWEST_BYTES).clamp(2, MAX_PARTITIONS).ilog2();
    bytes.div_ceil((wanted / 2).max(1)).next_power_of_two().clamp(2, most)
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
    let joined_bytes = (budget.build_bytes() / count).clamp(FEWEST_BYTES, MOST_BYTES);
    let mut partitions = vec![Pieces::default(); count];
    for part in parts {
        let part = part?;
        let pieces = budget.in_pieces(&part, &mut |piece| {
            let (ordered, offsets) = hash_partition(piece, keys, count, HashFunction::Murmur3, depth)?;
            split(&ordered, &offsets[1..count], budget)
        })?;
        drop(part);
        for pieces in pieces {
            for (partition, piece) in partitions.iter_mut().zip(pieces) {
                partition.push(piece, joined_bytes, budget)?;
            }
        }
    }
    partitions.into_iter().map(|partition| partition.finish(budget)).collect()
}

/// Divides parts until each partition has at most `wanted` bytes, and calls `run` with the parts of each partition that
/// is not empty. `depth` is the number of divisions before the call.
pub(crate) fn divide_until_small(
    parts: Vec<Table>,
    keys: &[usize],
    depth: u32,
    (wanted, budget): (usize, &Budget),
    run: &mut dyn FnMut(Vec<Table>) -> Result<()>,
) -> Result<()> {
    let bytes = bytes_of_all(&parts);
    if parts.is_empty() {
        return Ok(());
    }
    if bytes <= wanted || depth >= MAX_DEPTH || keys.is_empty() {
        return run(parts);
    }
    let count = partitions(bytes, wanted, budget);
    let partitions = divide(parts.into_iter().map(Ok), keys, count, depth, budget)?;
    let mut rest = partitions.into_iter();
    while let Some(parts) = rest.next() {
        let _ahead = rest.as_slice().first().map(|next| budget.fetch_ahead(next));
        divide_until_small(parts, keys, depth + 1, (wanted, budget), run)?;
    }
    Ok(())
}

/// Divides parts by [`divide_until_small`] until a partition has at most the bytes of a build side, and returns the
/// tables that `run` returns. The keys are at the same positions in these tables.
///
/// While parts are divided, keys are plain columns in place of dictionaries, because each piece of a dictionary has all
/// values of the dictionary.
pub(crate) fn by_keys(
    parts: Vec<Table>,
    keys: &[usize],
    budget: &Budget,
    run: &mut dyn FnMut(Vec<Table>) -> Result<Option<Table>>,
) -> Result<Vec<Table>> {
    let Some(first) = parts.first() else { return Ok(Vec::new()) };
    let types: Vec<DataType> = first.data_types().cloned().collect();
    let is_dictionary = |key: &usize| types.get(*key).is_some_and(|of| matches!(of, DataType::Dictionary(..)));
    let dictionaries: Vec<usize> = keys.iter().copied().filter(is_dictionary).collect();
    let wanted = budget.build_bytes();
    let is_plain = !dictionaries.is_empty() && bytes_of_all(&parts) > wanted;
    let plain = |part: Table| -> Result<Table> {
        Ok(match is_plain {
            true => budget.keep(cast_columns(part, &dictionaries, &|key| decoded_type(&types[key]))?),
            false => part,
        })
    };
    let parts = parts.into_iter().map(plain).collect::<Result<Vec<_>>>()?;
    let mut results = Vec::new();
    divide_until_small(parts, keys, 0, (wanted, budget), &mut |parts| {
        if let Some(table) = run(parts)? {
            results.push(match is_plain {
                true => budget.keep(cast_columns(table, &dictionaries, &|key| &types[key])?),
                false => table,
            });
        }
        Ok(())
    })?;
    Ok(results)
}

/// Casts the columns at `positions`.
fn cast_columns<'t>(table: Table, positions: &[usize], to: &dyn Fn(usize) -> &'t DataType) -> Result<Table> {
    let rows = table.num_rows();
    let mut columns = table.into_columns();
    for position in positions {
        let cast = cast(&columns[*position], to(*position))?;
        columns[*position] = cast;
    }
    Table::try_with_rows(columns, rows)
}

/// The smallest number of bytes for which small pieces are collected before they are concatenated.
/// Small pieces take more time, and the smallest pieces cannot be spilled.
pub(crate) const FEWEST_BYTES: usize = 8192;
/// Collected pieces with at least this number of bytes are concatenated in any case.
const MOST_BYTES: usize = 1 << 20;

/// Rows in pieces that wait and can be spilled.
#[derive(Clone, Default)]
pub(crate) struct Pieces {
    pieces: Vec<Table>,
    /// The last pieces, which are concatenated with later pieces because they are too small.
    small: Vec<Table>,
    small_bytes: usize,
}

impl Pieces {
    /// Adds a piece. Small pieces are concatenated as soon as they have `joined_bytes` bytes together.
    pub(crate) fn push(&mut self, piece: Table, joined_bytes: usize, budget: &Budget) -> Result<()> {
        if piece.num_rows() > 0 {
            self.small_bytes += bytes_of(&piece);
            self.small.push(piece);
        }
        if self.small_bytes >= joined_bytes { self.join_small(budget) } else { Ok(()) }
    }

    fn join_small(&mut self, budget: &Budget) -> Result<()> {
        // Packed into one buffer, because buffers of single columns may be too small to be spilled.
        match self.small.as_slice() {
            [] => {}
            [piece] => self.pieces.push(budget.keep(piece.clone())),
            [first, ..] if first.num_columns() == 0 => {
                let rows = self.small.iter().map(Table::num_rows).sum();
                self.pieces.push(Table::try_with_rows(Vec::new(), rows)?);
            }
            pieces => {
                let views: Vec<_> = pieces.iter().map(Table::view).collect();
                self.pieces.extend(split(&concatenate(&views)?, &[], budget)?);
            }
        }
        self.small.clear();
        self.small_bytes = 0;
        Ok(())
    }

    pub(crate) fn finish(mut self, budget: &Budget) -> Result<Vec<Table>> {
        self.join_small(budget)?;
        Ok(self.pieces)
    }
}

/// Copies the pieces of a table between the rows `splits`. Each piece is one buffer, so that it can be spilled alone.
pub(crate) fn split(table: &Table, splits: &[usize], budget: &Budget) -> Result<Vec<Table>> {
    let pieces = contiguous_split(table, splits)?;
    pieces.into_iter().map(|piece| Ok(budget.keep(piece.unpack()?))).collect()
}
