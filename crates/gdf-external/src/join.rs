//! Joins the rows of parts.

use gdf_api::copying::{OutOfBoundsPolicy, gather};
use gdf_api::join::{HashJoin, JoinKeys, NullEquality, full};
use gdf_api::stream_compaction::drop_nulls;
use gdf_api::unary::cast;
use gdf_core::{Column, Error, Result, Table, TableView, same_type};
use gdf_expr::types::decoded_type;

use crate::Budget;
use crate::budget::bytes_of_all;
use crate::partition::MAX_DEPTH;
use crate::sides::{JoinKind, LeftRows, divided, no_parts};

/// Joins the rows of the parts of two sides. The hash table is built from the right side, so the right side should be
/// the smaller side.
///
/// The result has the columns of the left side, followed by the columns of the right side that are not keys, as in
/// [`inner`](gdf_api::join::inner). Semi and anti joins have the columns of the left side only. The rows are in no
/// particular order. Each side needs at least one part, which states the types of the side and may have no rows.
///
/// ```
/// use gdf::external::{Budget, JoinKind, join};
/// use gdf::join::JoinKeys;
/// use gdf::{Column, Table};
///
/// let part = |rows: &[i32]| Table::try_new(vec![Column::from_slice(rows)?]);
/// let (left, right) = ([part(&[1, 2]), part(&[3])], vec![part(&[3])?, part(&[2])?]);
/// let found = join(left, right, &JoinKeys::new(&[0], &[0]), JoinKind::Inner, &Budget::unlimited())?;
/// assert_eq!(found.iter().map(Table::num_rows).sum::<usize>(), 2);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * The errors of [`inner`](gdf_api::join::inner); [`InvalidArgument`](Error::InvalidArgument) if a side has no parts.
/// * Memory errors, if the join of a single row of the left side does not fit in memory.
pub fn join(
    left: impl IntoIterator<Item = Result<Table>>,
    right: Vec<Table>,
    on: &JoinKeys<'_>,
    kind: JoinKind,
    budget: &Budget,
) -> Result<Vec<Table>> {
    let _reserved = budget.reserve()?;
    let mut results = Vec::new();
    let sides = Sides { on, kind, budget };
    let right = match (on.nulls, kind) {
        (NullEquality::Unequal, JoinKind::Inner | JoinKind::Left | JoinKind::Semi | JoinKind::Anti) => {
            without_null_keys(right, on, budget)?
        }
        _ => right,
    };
    sides.join(&mut left.into_iter(), right, 0, &mut results)?;
    Ok(results)
}

/// Leaves out the rows of the right side with a null key, which match no row and would all be in one partition.
fn without_null_keys(right: Vec<Table>, on: &JoinKeys<'_>, budget: &Budget) -> Result<Vec<Table>> {
    let of = |part: Table| {
        let has_nulls = on.right.iter().any(|key| part.column(*key).is_ok_and(|key| key.validity().is_some()));
        match has_nulls {
            true => budget.in_pieces(&part, &mut |piece| Ok(budget.keep(drop_nulls(piece, on.right, on.right.len())?))),
            false => Ok(vec![part]),
        }
    };
    Ok(right.into_iter().map(of).collect::<Result<Vec<_>>>()?.concat())
}

struct Sides<'a> {
    on: &'a JoinKeys<'a>,
    kind: JoinKind,
    budget: &'a Budget,
}

impl Sides<'_> {
    fn join(
        &self,
        left: &mut dyn Iterator<Item = Result<Table>>,
        right: Vec<Table>,
        depth: u32,
        results: &mut Vec<Table>,
    ) -> Result<()> {
        let budget = self.budget;
        let bytes = bytes_of_all(&right);
        if self.kind == JoinKind::Full {
            // The unmatched rows of the right side are known only after all rows of the left side were looked up.
            let left = budget.kept(left)?;
            let bytes = bytes + bytes_of_all(&left);
            return match depth {
                _ if bytes <= budget.build_bytes() => self.whole(&left, &right, results),
                MAX_DEPTH.. => self.full_by_blocks(left, right, results),
                _ => self.divide(&mut left.into_iter().map(Ok), right, bytes, depth, results),
            };
        }
        if bytes > budget.build_bytes() {
            return match depth < MAX_DEPTH {
                true => self.divide(left, right, bytes, depth, results),
                false => self.by_blocks(left, right, results),
            };
        }
        let right = budget.whole(&right)?.ok_or_else(no_parts)?;
        self.probe(left, &right, results)
    }

    /// Looks up the rows of the left side in one part of the right side after another. Hashes do not divide the right
    /// side any further, for example because most of its rows have the same key.
    fn by_blocks(
        &self,
        left: &mut dyn Iterator<Item = Result<Table>>,
        right: Vec<Table>,
        results: &mut Vec<Table>,
    ) -> Result<()> {
        let empty_right = right.first().ok_or_else(no_parts)?.slice(0, 0)?;
        let probe = |kind: JoinKind, left: &[Table], right: &Table, results: &mut Vec<Table>| {
            Sides { kind, ..*self }.probe(&mut left.iter().cloned().map(Ok), right, results)
        };
        let mut left = LeftRows::new(self.kind, self.budget.kept(left)?);
        for part in right {
            for block in self.budget.build_blocks(part)? {
                left.look_up(results, &|kind, rows, results| probe(kind, rows, &block, results))?;
            }
        }
        left.finish(results, |rows, results| probe(JoinKind::Left, &rows, &empty_right, results))
    }

    /// Does the same as [`by_blocks`](Self::by_blocks) for full joins: a left join, and the rows of the right side
    /// without a match.
    fn full_by_blocks(&self, left: Vec<Table>, right: Vec<Table>, results: &mut Vec<Table>) -> Result<()> {
        let empty_left = left.first().ok_or_else(no_parts)?.slice(0, 0)?;
        let exchanged = JoinKeys { left: self.on.right, right: self.on.left, ..*self.on };
        let mut unmatched = Vec::new();
        let anti = Sides { on: &exchanged, kind: JoinKind::Anti, budget: self.budget };
        anti.by_blocks(&mut right.iter().cloned().map(Ok), left.clone(), &mut unmatched)?;
        let mut matched = Vec::new();
        Sides { kind: JoinKind::Left, ..*self }.by_blocks(&mut left.into_iter().map(Ok), right, &mut matched)?;
        for part in matched {
            let of = |piece: &Table| Ok(self.budget.keep(with_plain_keys(piece, self.on.left)?));
            results.extend(self.budget.in_pieces(&part, &mut |piece| of(piece))?);
        }
        for part in unmatched {
            let of = |piece: &Table| Ok(self.budget.keep(full(&empty_left, piece, self.on)?));
            results.extend(self.budget.in_pieces(&part, &mut |piece| of(piece))?);
        }
        Ok(())
    }

    /// Looks up the rows of each part of the left side in a hash table of the right side.
    fn probe(
        &self,
        left: &mut dyn Iterator<Item = Result<Table>>,
        right: &Table,
        results: &mut Vec<Table>,
    ) -> Result<()> {
        let (on, budget) = (self.on, self.budget);
        let keys = right.view().select(on.right)?;
        let built = HashJoin::try_new(keys, on.nulls)?;
        let payload = self.payload(right)?;
        let mut is_empty = true;
        let found = left.flat_map(|part| {
            is_empty = false;
            let pieces = part.and_then(|part| {
                budget.in_pieces(&part, &mut |piece| Ok(budget.keep(self.probe_one(piece, &built, &payload)?)))
            });
            pieces.map_or_else(|error| vec![Err(error)], |pieces| pieces.into_iter().map(Ok).collect())
        });
        results.extend(budget.kept(found)?);
        if is_empty { Err(no_parts()) } else { Ok(()) }
    }

    /// Returns the columns of the right side that are not keys.
    fn payload<'t>(&self, right: &'t Table) -> Result<TableView<'t>> {
        let columns: Vec<usize> = (0..right.num_columns()).filter(|at| !self.on.right.contains(at)).collect();
        right.view().select(&columns)
    }

    fn probe_one(&self, left: &Table, built: &HashJoin<'_>, payload: &TableView<'_>) -> Result<Table> {
        let keys = left.view().select(self.on.left)?;
        let of_left = |rows: &Column| gather(left, rows, OutOfBoundsPolicy::Nullify);
        let (left_rows, right_rows) = match self.kind {
            JoinKind::Semi => return of_left(&built.semi_join(keys)?),
            JoinKind::Anti => return of_left(&built.anti_join(keys)?),
            JoinKind::Inner => built.inner_join(keys)?,
            JoinKind::Left => built.left_join(keys)?,
            JoinKind::Full => return Err(Error::internal("a full join looks up one part of the left side")),
        };
        let mut columns = of_left(&left_rows)?.into_columns();
        if payload.num_columns() > 0 {
            columns.extend(gather(payload.clone(), &right_rows, OutOfBoundsPolicy::Nullify)?.into_columns());
        }
        Table::try_with_rows(columns, left_rows.len())
    }

    fn whole(&self, left: &[Table], right: &[Table], results: &mut Vec<Table>) -> Result<()> {
        let (left, right) = (self.budget.whole(left)?, self.budget.whole(right)?);
        let (Some(left), Some(right)) = (left, right) else { return Err(no_parts()) };
        results.push(self.budget.keep(full(&left, &right, self.on)?));
        Ok(())
    }

    /// Divides both sides by the hashes of the keys, and joins each pair of partitions.
    fn divide(
        &self,
        left: &mut dyn Iterator<Item = Result<Table>>,
        right: Vec<Table>,
        bytes: usize,
        depth: u32,
        results: &mut Vec<Table>,
    ) -> Result<()> {
        let empty_right = right.first().ok_or_else(no_parts)?.slice(0, 0)?;
        let mut left = left.peekable();
        let empty_left = match left.peek() {
            Some(Ok(first)) => first.slice(0, 0)?,
            _ => return left.next().map_or_else(|| Err(no_parts()), |part| part.map(|_| ())),
        };
        let (empty, of, size) = ([&empty_left, &empty_right], (self.on, self.kind), (bytes, depth));
        divided(&mut left, right, empty, of, size, self.budget, &mut |left, right| {
            // If one partition has most of the bytes, most rows probably have the same key, and another hash would not
            // divide them.
            let is_skewed = bytes_of_all(&right) > bytes / 4 * 3;
            let depth = if is_skewed { MAX_DEPTH } else { depth + 1 };
            self.join(&mut left.into_iter().map(Ok), right, depth, results)
        })?;
        if results.is_empty() {
            // The result has no rows, but the columns of the join.
            let right = HashJoin::try_new(empty_right.view().select(self.on.right)?, self.on.nulls)?;
            let payload = self.payload(&empty_right)?;
            results.push(match self.kind {
                JoinKind::Full => full(&empty_left, &empty_right, self.on)?,
                _ => self.probe_one(&empty_left, &right, &payload)?,
            });
        }
        Ok(())
    }
}

/// Returns the rows with plain key columns in place of views and dictionaries, as the keys of a full join are.
fn with_plain_keys(rows: &Table, keys: &[usize]) -> Result<Table> {
    let plain = |(at, column): (usize, &Column)| {
        let data_type = decoded_type(column.data_type());
        match keys.contains(&at) && !same_type(data_type, column.data_type()) {
            true => cast(column, data_type),
            false => Ok(column.clone()),
        }
    };
    let columns = rows.columns().iter().enumerate().map(plain).collect::<Result<_>>()?;
    Table::try_with_rows(columns, rows.num_rows())
}
