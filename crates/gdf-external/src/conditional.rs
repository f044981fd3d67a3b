//! Joins the rows of parts by a condition on the columns of both sides.

use gdf_api::copying::{OutOfBoundsPolicy, gather};
use gdf_api::join::{
    JoinKeys, conditional_full_join, conditional_inner_join, conditional_left_anti_join, conditional_left_join,
    conditional_left_semi_join, mixed_full_join, mixed_inner_join, mixed_left_anti_join, mixed_left_join,
    mixed_left_semi_join,
};
use gdf_core::{Column, Result, Table};
use gdf_expr::{Expr, col};

use crate::budget::{bytes_of, bytes_of_all};
use crate::sides::{LeftRows, divided, no_parts};
use crate::{Budget, JoinKind};

/// Joins the rows of the parts of two sides by a condition, and by equal keys if there are any.
///
/// The condition is an expression over the columns of both sides: column `j` of the right side is
/// `col(left.num_columns() + j)`. A pair of rows for which the condition is null is no match. The result has the
/// columns of the left side, followed by all columns of the right side. Semi and anti joins have the columns of the
/// left side only. The rows are in no particular order. Each side needs at least one part, which states the types of
/// the side and may have no rows.
///
/// If the right side is too large, both sides are divided by the hashes of the keys. If a partition of the right side
/// is still too large, or if there are no keys, the blocks of the right side are joined one after another.
///
/// ```
/// use gdf::expr::col;
/// use gdf::external::{Budget, JoinKind, join_where};
/// use gdf::join::JoinKeys;
/// use gdf::{Column, Table};
///
/// let part = |rows: &[i32]| Table::try_new(vec![Column::from_slice(rows)?]);
/// let (left, right) = ([part(&[1, 5]), part(&[3])], vec![part(&[4])?, part(&[2])?]);
/// let on = JoinKeys::new(&[], &[]);
/// let found = join_where(left, right, &on, &col(0).lt(col(1)), JoinKind::Inner, &Budget::unlimited())?;
/// assert_eq!(found.iter().map(Table::num_rows).sum::<usize>(), 3);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * The errors of [`conditional_inner_join`] and of [`mixed_inner_join`];
///   [`InvalidArgument`](gdf_core::Error::InvalidArgument) if a side has no parts.
/// * Memory errors, if the join of a single row of the left side with a part of the right side does not fit in memory.
pub fn join_where(
    left: impl IntoIterator<Item = Result<Table>>,
    right: Vec<Table>,
    on: &JoinKeys<'_>,
    condition: &Expr,
    kind: JoinKind,
    budget: &Budget,
) -> Result<Vec<Table>> {
    let _reserved = budget.reserve()?;
    let mut left = left.into_iter().peekable();
    let empty_left = match left.peek() {
        Some(Ok(first)) => first.slice(0, 0)?,
        _ => return left.next().map_or_else(|| Err(no_parts()), |part| part.map(|_| Vec::new())),
    };
    let empty_right = right.first().ok_or_else(no_parts)?.slice(0, 0)?;
    let sides = Sides { on, condition, kind, empty_left, empty_right, budget };
    let mut results = Vec::new();
    let bytes = bytes_of_all(&right);
    if bytes <= budget.build_bytes() || on.left.is_empty() {
        sides.join(&mut left, right, &mut results)?;
    } else {
        sides.divide(&mut left, right, bytes, &mut results)?;
    }
    if results.is_empty() {
        results.push(sides.found(kind, &sides.empty_left, &sides.empty_right)?);
    }
    Ok(results)
}

struct Sides<'a> {
    on: &'a JoinKeys<'a>,
    condition: &'a Expr,
    kind: JoinKind,
    empty_left: Table,
    empty_right: Table,
    budget: &'a Budget,
}

impl Sides<'_> {
    /// Divides both sides by the hashes of the keys, and joins each pair of partitions.
    fn divide(
        &self,
        left: &mut dyn Iterator<Item = Result<Table>>,
        right: Vec<Table>,
        bytes: usize,
        results: &mut Vec<Table>,
    ) -> Result<()> {
        let (empty, of) = ([&self.empty_left, &self.empty_right], (self.on, self.kind));
        divided(left, right, empty, of, (bytes, 0), self.budget, &mut |left, right| {
            let left = self.blocks(left)?;
            self.join(&mut left.into_iter().map(Ok), right, results)
        })
    }

    /// Joins the left side with one block of the right side after another.
    fn join(
        &self,
        left: &mut dyn Iterator<Item = Result<Table>>,
        right: Vec<Table>,
        results: &mut Vec<Table>,
    ) -> Result<()> {
        let budget = self.budget;
        let right = self.blocks(right)?;
        if let ([block], false) = (&*right, self.kind == JoinKind::Full) {
            for part in left {
                self.rows(self.kind, &part?, block, results)?;
            }
            return Ok(());
        }
        let left = budget.kept(left)?;
        if let ([part], [block]) = (&*left, &*right) {
            match self.found(self.kind, part, block) {
                Err(error) if error.is_out_of_memory() => {}
                found => {
                    results.push(budget.keep(found?));
                    return Ok(());
                }
            }
        }
        self.by_blocks(left, right, results)
    }

    /// Concatenates small parts of a side, and divides large parts. The results of small parts would be too small to be
    /// spilled.
    fn blocks(&self, parts: Vec<Table>) -> Result<Vec<Table>> {
        let (mut blocks, mut open) = (Vec::new(), Vec::new());
        let divided = parts.into_iter().map(|part| self.budget.build_blocks(part)).collect::<Result<Vec<_>>>()?;
        for part in divided.into_iter().flatten() {
            if !open.is_empty() && bytes_of_all(&open) + bytes_of(&part) > self.budget.build_bytes() {
                blocks.extend(self.budget.whole(&open)?);
                open.clear();
            }
            open.push(part);
        }
        blocks.extend(self.budget.whole(&open)?);
        Ok(blocks)
    }

    fn by_blocks(&self, left: Vec<Table>, right: Vec<Table>, results: &mut Vec<Table>) -> Result<()> {
        let all = |kind: JoinKind, left: &[Table], right: &Table, results: &mut Vec<Table>| {
            left.iter().try_for_each(|part| self.rows(kind, part, right, results))
        };
        let mut left = LeftRows::new(self.kind, left);
        for block in right {
            left.look_up(results, &|kind, rows, results| all(kind, rows, &block, results))?;
            if self.kind == JoinKind::Full {
                self.only_right(block, left.rows(), results)?;
            }
        }
        left.finish(results, |rows, results| all(JoinKind::Left, &rows, &self.empty_right, results))
    }

    /// Adds the rows of a right block that have no match in any part of the left side, with nulls in the left columns.
    fn only_right(&self, block: Table, left: &[Table], results: &mut Vec<Table>) -> Result<()> {
        let (width, right_width) = (self.empty_left.num_columns(), self.empty_right.num_columns());
        let condition = exchanged(self.condition, width, right_width)?;
        let on = JoinKeys { left: self.on.right, right: self.on.left, ..*self.on };
        let (empty_left, empty_right) = (self.empty_right.clone(), self.empty_left.clone());
        let sides = Sides { on: &on, condition: &condition, empty_left, empty_right, ..*self };
        let mut unmatched = vec![block];
        for part in left {
            let mut rest = Vec::new();
            unmatched.iter().try_for_each(|block| sides.rows(JoinKind::Anti, block, part, &mut rest))?;
            unmatched = rest;
        }
        let order: Vec<usize> = (right_width..right_width + width).chain(0..right_width).collect();
        let mut found = Vec::new();
        unmatched.iter().try_for_each(|part| sides.rows(JoinKind::Left, part, &self.empty_left, &mut found))?;
        for part in found {
            results.push(part.select(&order)?);
        }
        Ok(())
    }

    fn rows(&self, kind: JoinKind, left: &Table, right: &Table, results: &mut Vec<Table>) -> Result<()> {
        let budget = self.budget;
        results.extend(budget.in_pieces(left, &mut |piece| Ok(budget.keep(self.found(kind, piece, right)?)))?);
        Ok(())
    }

    fn found(&self, kind: JoinKind, left: &Table, right: &Table) -> Result<Table> {
        let (on, condition, has_keys) = (self.on, self.condition, !self.on.left.is_empty());
        let (left_rows, right_rows) = match kind {
            JoinKind::Semi if has_keys => return rows_of(left, &mixed_left_semi_join(left, right, on, condition)?),
            JoinKind::Semi => return rows_of(left, &conditional_left_semi_join(left, right, condition)?),
            JoinKind::Anti if has_keys => return rows_of(left, &mixed_left_anti_join(left, right, on, condition)?),
            JoinKind::Anti => return rows_of(left, &conditional_left_anti_join(left, right, condition)?),
            JoinKind::Inner if has_keys => mixed_inner_join(left, right, on, condition)?,
            JoinKind::Inner => conditional_inner_join(left, right, condition)?,
            JoinKind::Left if has_keys => mixed_left_join(left, right, on, condition)?,
            JoinKind::Left => conditional_left_join(left, right, condition)?,
            JoinKind::Full if has_keys => mixed_full_join(left, right, on, condition)?,
            JoinKind::Full => conditional_full_join(left, right, condition)?,
        };
        let mut columns = rows_of(left, &left_rows)?.into_columns();
        columns.extend(rows_of(right, &right_rows)?.into_columns());
        Table::try_with_rows(columns, left_rows.len())
    }
}

fn rows_of(table: &Table, rows: &Column) -> Result<Table> {
    match table.num_columns() {
        0 => Table::try_with_rows(Vec::new(), rows.len()),
        _ => gather(table, rows, OutOfBoundsPolicy::Nullify),
    }
}

/// Returns the condition for exchanged sides, where the columns of the right side come first.
fn exchanged(condition: &Expr, width: usize, right_width: usize) -> Result<Expr> {
    condition.substitute(|position| Ok(col(if position < width { right_width + position } else { position - width })))
}
