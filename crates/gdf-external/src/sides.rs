//! The common steps of all joins of parts: both sides are divided by the hashes of the keys, and the rows of the left
//! side are looked up in one block of the right side after another.

use gdf_api::join::JoinKeys;
use gdf_core::{Error, Result, Table};

use crate::Budget;
use crate::partition::{divide, partitions};

/// The rows that a join returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JoinKind {
    /// A row for each pair of rows with equal keys.
    Inner,
    /// The rows of an inner join, and the rows of the left side without a match, with nulls in the columns of the right
    /// side.
    Left,
    /// The rows of a left join, and the rows of the right side without a match, with nulls in the columns of the left
    /// side.
    Full,
    /// The rows of the left side with a match.
    Semi,
    /// The rows of the left side without a match.
    Anti,
}

pub(crate) fn no_parts() -> Error {
    Error::invalid_argument("a side of the join has no parts; pass at least one table, which may have no rows")
}

/// Divides both sides by the hashes of the keys, and calls `run` with the parts of each pair of partitions that may
/// have results. `bytes` is the number of bytes that must be divided: those of the right side, or of both sides for a
/// full join without a condition. `depth` is the number of divisions before this one. In place of a partition without
/// rows, `run` gets one of the tables `empty`, which have the types of the sides.
pub(crate) fn divided(
    left: &mut dyn Iterator<Item = Result<Table>>,
    right: Vec<Table>,
    empty: [&Table; 2],
    (on, kind): (&JoinKeys<'_>, JoinKind),
    (bytes, depth): (usize, u32),
    budget: &Budget,
    run: &mut dyn FnMut(Vec<Table>, Vec<Table>) -> Result<()>,
) -> Result<()> {
    let count = partitions(bytes, budget.build_bytes(), budget);
    tracing::debug!(target: "gdf", bytes, partitions = count, depth, "dividing both sides of a join by hashes");
    let right = divide(right.into_iter().map(Ok), on.right, count, depth, budget)?;
    let left = divide(left, on.left, count, depth, budget)?;
    let mut rest = left.into_iter().zip(right).collect::<Vec<_>>().into_iter();
    while let Some((mut left, mut right)) = rest.next() {
        // The right side comes back first, for the hash table.
        let _ahead = rest.as_slice().first().map(|(_, next)| budget.fetch_ahead(next));
        let needs_left = kind != JoinKind::Full;
        let needs_right = matches!(kind, JoinKind::Inner | JoinKind::Semi);
        let has_none = left.is_empty() && right.is_empty();
        if has_none || (left.is_empty() && needs_left) || (right.is_empty() && needs_right) {
            continue;
        }
        for (side, empty) in [&mut left, &mut right].into_iter().zip(empty) {
            if side.is_empty() {
                side.push(empty.clone());
            }
        }
        run(left, right)?;
    }
    Ok(())
}

/// Joins rows of the left side with a block of the right side, and adds the results.
type LookUp<'f> = dyn Fn(JoinKind, &[Table], &mut Vec<Table>) -> Result<()> + 'f;

/// The rows of the left side of a join whose right side is read in blocks.
pub(crate) struct LeftRows {
    kind: JoinKind,
    rows: Vec<Table>,
    /// The rows without a match in the blocks so far.
    unmatched: Vec<Table>,
}

impl LeftRows {
    pub(crate) fn new(kind: JoinKind, rows: Vec<Table>) -> LeftRows {
        LeftRows { kind, unmatched: rows.clone(), rows }
    }

    pub(crate) fn rows(&self) -> &[Table] {
        &self.rows
    }

    /// Adds the results of one block of the right side. `look_up` joins rows with the block.
    pub(crate) fn look_up(&mut self, results: &mut Vec<Table>, look_up: &LookUp<'_>) -> Result<()> {
        match self.kind {
            JoinKind::Inner | JoinKind::Left | JoinKind::Full => look_up(JoinKind::Inner, &self.rows, results)?,
            JoinKind::Semi => look_up(JoinKind::Semi, &self.unmatched, results)?,
            JoinKind::Anti => {}
        }
        if self.kind != JoinKind::Inner {
            let mut rest = Vec::new();
            look_up(JoinKind::Anti, &self.unmatched, &mut rest)?;
            self.unmatched = rest;
        }
        Ok(())
    }

    /// Adds the rows without a match in any block, if the join returns these. `with_nulls` adds rows with nulls in the
    /// columns of the right side.
    pub(crate) fn finish(
        self,
        results: &mut Vec<Table>,
        with_nulls: impl FnOnce(Vec<Table>, &mut Vec<Table>) -> Result<()>,
    ) -> Result<()> {
        match self.kind {
            JoinKind::Inner | JoinKind::Semi => Ok(()),
            JoinKind::Anti => {
                results.extend(self.unmatched);
                Ok(())
            }
            JoinKind::Left | JoinKind::Full => with_nulls(self.unmatched, results),
        }
    }
}
