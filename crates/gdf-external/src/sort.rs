//! Sorts the rows of parts.

use gdf_api::concatenate::concatenate;
use gdf_api::copying::{OutOfBoundsPolicy, gather};
use gdf_api::merge::merge;
use gdf_api::scope::with_device;
use gdf_api::search::{lower_bound, upper_bound};
use gdf_api::sorting::{NullOrder, Order, sort_by_key, sorted_order};
use gdf_core::{Column, Device, Error, Result, Table};

use crate::Budget;
use crate::budget::bytes_of_all;
use crate::partition::{FEWEST_BYTES, split};

/// The number of rows of the sample for each range.
const SAMPLED: usize = 64;
/// The largest number of ranges.
const MAX_RANGES: usize = 128;
/// The golden ratio as a fraction of 2⁶⁴. Its multiples are spread evenly over the fractions.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The keys of a sort: the columns that determine the order of the rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Keys {
    /// The positions of the columns. The first column is the most significant key.
    pub columns: Vec<usize>,
    /// The order of each column.
    pub orders: Vec<Order>,
    /// Whether nulls are smaller or larger than values, for each column; see [`sort`](gdf_api::sorting::sort).
    pub null_orders: Vec<NullOrder>,
}

impl Keys {
    fn of(&self, table: &Table) -> Result<Table> {
        table.select(&self.columns)
    }

    fn sorted(&self, table: &Table) -> Result<Table> {
        sort_by_key(table, &self.of(table)?, &self.orders, &self.null_orders)
    }

    /// Returns the first `limit` sorted rows. They are a copy, because a slice would keep all rows in memory.
    fn first(&self, table: &Table, limit: usize, budget: &Budget) -> Result<Vec<Table>> {
        let sorted = self.sorted(table)?;
        match sorted.num_rows() > limit {
            true => split(&sorted.head(limit), &[], budget),
            false => Ok(vec![budget.keep(sorted)]),
        }
    }
}

/// Sorts the rows of parts. The rows of the result are in order from part to part. The order of rows with equal keys is
/// not specified.
///
/// Each part is sorted. A sample of the keys gives splitters, which divide the sorted parts into ranges. Each range is
/// merged alone. Rows that are equal to a splitter are a range of their own, which needs no merge.
///
/// ```
/// use gdf::external::{Budget, Keys, sort};
/// use gdf::sorting::{NullOrder, Order};
/// use gdf::{Column, Table};
///
/// let part = |rows: &[i32]| Table::try_new(vec![Column::from_slice(rows)?]);
/// let keys = Keys { columns: vec![0], orders: vec![Order::Descending], null_orders: vec![NullOrder::Before] };
/// let sorted = sort([part(&[1, 7]), part(&[9, 3])], &keys, &Budget::unlimited())?;
/// assert_eq!(sorted[0].column(0)?.to_vec::<i32>()?, [9, 7, 3, 1].map(Some));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * The errors of [`sort_by_key`]; [`InvalidArgument`](Error::InvalidArgument) without parts or keys.
pub fn sort(parts: impl IntoIterator<Item = Result<Table>>, keys: &Keys, budget: &Budget) -> Result<Vec<Table>> {
    let _reserved = budget.reserve()?;
    let mut sorted = Vec::new();
    for part in parts {
        let part = part?;
        sorted.extend(budget.in_pieces(&part, &mut |piece| Ok(budget.keep(keys.sorted(piece)?)))?);
    }
    let bytes = bytes_of_all(&sorted);
    if bytes <= budget.build_bytes() {
        return Ok(vec![merged(&sorted, keys, budget)?]);
    }
    sorted.retain(|part| part.num_rows() > 0);
    if sorted.len() <= 1 {
        return Ok(sorted);
    }
    let count = bytes.div_ceil((budget.build_bytes() / 2).max(1)).clamp(2, MAX_RANGES);
    let splitters = splitters(&sorted, keys, count)?;
    tracing::debug!(target: "gdf", bytes, ranges = count, "sorting range by range");
    // Range 2·i holds the rows before splitter i, and range 2·i + 1 the rows that are equal to it.
    let mut ranges: Vec<Range> = vec![Range::default(); 2 * splitters.num_rows() + 1];
    for part in sorted {
        let part_keys = keys.of(&part)?;
        let lower = rows_of(&lower_bound(&part_keys, &splitters, &keys.orders, &keys.null_orders)?)?;
        let upper = rows_of(&upper_bound(&part_keys, &splitters, &keys.orders, &keys.null_orders)?)?;
        let splits: Vec<usize> = lower.into_iter().zip(upper).flat_map(|(lower, upper)| [lower, upper]).collect();
        for (range, piece) in ranges.iter_mut().zip(split(&part, &splits, budget)?) {
            range.push(piece, keys, budget)?;
        }
    }
    let mut results = Vec::new();
    let (mut rest, mut at) = (ranges.into_iter(), 0);
    while let Some(range) = rest.next() {
        // Ranges of equal rows are not merged, so the next range to be merged is the one after.
        let next = rest.as_slice().get(1).filter(|next| at % 2 == 0 && next.pieces.len() > 1);
        let _ahead = next.map(|next| budget.fetch_ahead(&next.pieces));
        let pieces = range.pieces.into_iter().chain(range.small).collect::<Vec<_>>();
        match at % 2 {
            0 if pieces.len() > 1 => results.push(merged(&pieces, keys, budget)?),
            _ => results.extend(pieces),
        }
        at += 1;
    }
    Ok(results)
}

/// The sorted pieces of a range of keys.
#[derive(Clone, Default)]
struct Range {
    pieces: Vec<Table>,
    /// The last pieces, which are merged with later pieces because they are too small to be spilled.
    small: Vec<Table>,
}

impl Range {
    fn push(&mut self, piece: Table, keys: &Keys, budget: &Budget) -> Result<()> {
        if piece.num_rows() == 0 {
            return Ok(());
        }
        self.small.push(piece);
        if bytes_of_all(&self.small) < FEWEST_BYTES {
            return Ok(());
        }
        match self.small.as_slice() {
            [piece] => self.pieces.push(piece.clone()),
            pieces => self.pieces.extend(split(&merged(pieces, keys, budget)?, &[], budget)?),
        }
        self.small.clear();
        Ok(())
    }
}

/// Returns the first `limit` rows of the sorted rows of parts, in order, as one table.
///
/// # Errors
/// * The errors of [`sort`].
pub fn top(
    parts: impl IntoIterator<Item = Result<Table>>,
    keys: &Keys,
    limit: usize,
    budget: &Budget,
) -> Result<Table> {
    let _reserved = budget.reserve()?;
    let mut first: Vec<Table> = Vec::new();
    for part in parts {
        let part = part?;
        first.extend(budget.in_pieces(&part, &mut |piece| keys.first(piece, limit, budget))?.into_iter().flatten());
        if first.len() > 1 && bytes_of_all(&first) > budget.build_bytes() / 4 {
            let merged = merged(&first, keys, budget)?.head(limit);
            first = split(&merged, &[], budget)?;
        }
    }
    Ok(merged(&first, keys, budget)?.head(limit))
}

fn merged(parts: &[Table], keys: &Keys, budget: &Budget) -> Result<Table> {
    match parts {
        [] => Err(Error::invalid_argument("there are no parts; pass at least one table")),
        [part] => Ok(part.clone()),
        parts => {
            let views: Vec<_> = parts.iter().map(Table::view).collect();
            Ok(budget.keep(merge(&views, &keys.columns, &keys.orders, &keys.null_orders)?))
        }
    }
}

/// Returns the distinct keys that divide the rows of sorted parts into about `count` ranges of equal size.
fn splitters(parts: &[Table], keys: &Keys, count: usize) -> Result<Table> {
    let rows: usize = parts.iter().map(Table::num_rows).sum();
    let step = (rows / (count * SAMPLED)).max(1);
    let sample = |(at, part): (usize, &Table)| {
        // The first row of the sample differs from part to part. Parts of less than `step` rows are therefore sampled,
        // too, and at different places of their order.
        let turn = (at as u64 + 1).wrapping_mul(GOLDEN);
        let first = ((u128::from(turn) * step as u128) >> 64) as usize;
        let positions: Vec<u64> = (first..part.num_rows()).step_by(step).map(|row| row as u64).collect();
        gather(&keys.of(part)?, &row_numbers(&positions, parts)?, OutOfBoundsPolicy::Nullify)
    };
    let samples = parts.iter().enumerate().map(sample).collect::<Result<Vec<_>>>()?;
    let sample = concatenate(&samples.iter().map(Table::view).collect::<Vec<_>>())?;
    let order = sorted_order(&sample, &keys.orders, &keys.null_orders)?;
    let sorted = gather(&sample, &order, OutOfBoundsPolicy::Nullify)?;
    let positions: Vec<u64> = (1..count).map(|at| (at * sorted.num_rows() / count) as u64).collect();
    let chosen = gather(&sorted, &row_numbers(&positions, parts)?, OutOfBoundsPolicy::Nullify)?;
    // Equal keys become one splitter: the first of them.
    let first = rows_of(&lower_bound(&chosen, &chosen, &keys.orders, &keys.null_orders)?)?;
    let distinct: Vec<u64> = first.iter().enumerate().filter(|(at, of)| at == *of).map(|(at, _)| at as u64).collect();
    gather(&chosen, &row_numbers(&distinct, parts)?, OutOfBoundsPolicy::Nullify)
}

fn row_numbers(rows: &[u64], parts: &[Table]) -> Result<Column> {
    let device = parts.iter().find_map(Table::device).unwrap_or(Device::Cpu);
    with_device(device, || Column::from_slice(rows))
}

fn rows_of(column: &Column) -> Result<Vec<usize>> {
    let wide = gdf_api::unary::cast(column, &gdf_core::DataType::UInt64)?;
    Ok(wide.to_vec::<u64>()?.into_iter().flatten().map(|row| row as usize).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitters_of_many_small_parts_divide_the_rows_evenly() {
        // Part `at` has every 2,000th number, and fewer rows than lie between two rows of the sample.
        let part = |at: i64| Table::try_new(vec![Column::sequence(at, 2_000, 4).unwrap()]).unwrap();
        let parts: Vec<Table> = (0..2_000).map(part).collect();
        let keys = Keys { columns: vec![0], orders: vec![Order::Ascending], null_orders: vec![NullOrder::Before] };
        let found = splitters(&parts, &keys, 4).unwrap().column(0).unwrap().to_vec::<i64>().unwrap();
        assert_eq!(found.len(), 3);
        for (splitter, quarter) in found.into_iter().zip([2_000_i64, 4_000, 6_000]) {
            assert!(splitter.is_some_and(|splitter| splitter.abs_diff(quarter) < 200), "{splitter:?}");
        }
    }
}
