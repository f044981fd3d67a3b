//! Joins.

use gdf_api::copying::{OutOfBoundsPolicy, gather};
use gdf_api::join::{HashJoin, JoinKeys, full};
use gdf_core::{Error, Result, Table, TableView};

use crate::Budget;
use crate::budget::bytes_of_all;
use crate::partition::{MAX_DEPTH, divide, partitions};

/// The rows that a join returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JoinKind {
    /// A row for each pair of rows with equal keys.
    Inner,
    /// The rows of an inner join, and the rows of the left side without a match, with nulls in the columns of the right side.
    Left,
    /// The rows of a left join, and the rows of the right side without a match, with nulls in the columns of the left side.
    Full,
    /// The rows of the left side with a match.
    Semi,
    /// The rows of the left side without a match.
    Anti,
}

/// Joins the rows of the parts of two sides. The hash table is built from the right side, so the right side should be the
/// smaller side.
///
/// The columns of the result are those of [`inner`](gdf_api::join::inner) and of its siblings: the columns of the left side,
/// then the columns of the right side that are not keys. Semi and anti joins have the columns of the left side only. The rows
/// are in no particular order. An empty list of parts on one side is an error, because its types are unknown: pass a table
/// without rows.
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
/// * Memory errors, if memory is out for 1,024 rows of the left side, or for the rows of one key of the right side.
pub fn join(
    left: impl IntoIterator<Item = Result<Table>>,
    right: Vec<Table>,
    on: &JoinKeys<'_>,
    kind: JoinKind,
    budget: &Budget,
) -> Result<Vec<Table>> {
    let mut results = Vec::new();
    let sides = Sides { on, kind, budget };
    sides.join(&mut left.into_iter(), right, 0, &mut results)?;
    Ok(results)
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
            // The rows of the right side without a match are known when all rows of the left side are.
            let left: Vec<Table> = left.map(|part| part.map(|part| budget.keep(part))).collect::<Result<_>>()?;
            let bytes = bytes + bytes_of_all(&left);
            return match bytes <= budget.build_bytes() || depth >= MAX_DEPTH {
                true => self.whole(&left, &right, results),
                false => self.divide(&mut left.into_iter().map(Ok), right, bytes, depth, results),
            };
        }
        if bytes > budget.build_bytes() && depth < MAX_DEPTH {
            return self.divide(left, right, bytes, depth, results);
        }
        let right = budget.whole(&right)?.ok_or_else(no_parts)?;
        self.probe(left, &right, results)
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
        let payload: Vec<usize> = (0..right.num_columns()).filter(|at| !on.right.contains(at)).collect();
        let payload = right.view().select(&payload)?;
        let mut is_empty = true;
        for part in left {
            let part = part?;
            is_empty = false;
            let found = budget.in_pieces(&part, &mut |piece| self.probe_one(piece, &built, &payload))?;
            drop(part);
            results.extend(found.into_iter().map(|found| budget.keep(found)));
        }
        if is_empty { Err(no_parts()) } else { Ok(()) }
    }

    fn probe_one(&self, left: &Table, built: &HashJoin<'_>, payload: &TableView<'_>) -> Result<Table> {
        let keys = left.view().select(self.on.left)?;
        let of_left = |rows: &gdf_core::Column| gather(left, rows, OutOfBoundsPolicy::Nullify);
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
        let budget = self.budget;
        let count = partitions(bytes, budget.build_bytes());
        let empty_right = right[0].slice(0, 0)?;
        let right = divide(right.into_iter().map(Ok), self.on.right, count, depth, budget)?;
        let mut left = left.peekable();
        let empty_left = match left.peek() {
            Some(Ok(first)) => first.slice(0, 0)?,
            _ => return left.next().map_or_else(|| Err(no_parts()), |part| part.map(|_| ())),
        };
        let left = divide(left, self.on.left, count, depth, budget)?;
        tracing::debug!(target: "gdf", bytes, partitions = count, depth, "dividing both sides of a join by hashes");
        for (mut left, mut right) in left.into_iter().zip(right) {
            let needs_left = !matches!(self.kind, JoinKind::Full);
            let needs_right = matches!(self.kind, JoinKind::Inner | JoinKind::Semi);
            if (left.is_empty() && needs_left)
                || (right.is_empty() && needs_right)
                || (left.is_empty() && right.is_empty())
            {
                continue;
            }
            if left.is_empty() {
                left.push(empty_left.clone());
            }
            if right.is_empty() {
                right.push(empty_right.clone());
            }
            self.join(&mut left.into_iter().map(Ok), right, depth + 1, results)?;
        }
        if results.is_empty() {
            // The result has no rows, but has types.
            let right = HashJoin::try_new(empty_right.view().select(self.on.right)?, self.on.nulls)?;
            let payload: Vec<usize> = (0..empty_right.num_columns()).filter(|at| !self.on.right.contains(at)).collect();
            let payload = empty_right.view().select(&payload)?;
            results.push(match self.kind {
                JoinKind::Full => full(&empty_left, &empty_right, self.on)?,
                _ => self.probe_one(&empty_left, &right, &payload)?,
            });
        }
        Ok(())
    }
}

fn no_parts() -> Error {
    Error::invalid_argument("a side of the join has no parts; pass at least one table, which may have no rows")
}
