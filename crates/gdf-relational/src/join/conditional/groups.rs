//! The results of a join, group by group.

use std::ops::Range;

use gdf_compute::concatenate::{concatenate, concatenate_columns};
use gdf_compute::copying::{OutOfBoundsPolicy, scatter_scalars};
use gdf_compute::expression::PairCondition;
use gdf_compute::filling::row_numbers;
use gdf_compute::stream_compaction::apply_boolean_mask;
use gdf_core::{Column, DataType, Error, Literal, Result, Table, TableView};
use gdf_engine::keys::row_indices;
use gdf_engine::limits::HostLimits;

use crate::Ctx;
use crate::join::JOIN_NO_MATCH;
use crate::join::hash_join::{Kind, Request};

/// The maximum number of bytes of values that are gathered at a time to evaluate a condition.
const TILE_BYTES: usize = 1 << 28;

pub(super) struct Rows {
    pub(super) left: Column,
    /// The right rows.
    pub(super) right: Option<Column>,
}

impl Rows {
    pub(super) fn into_pairs(self) -> Result<(Column, Column)> {
        let right = self.right.ok_or_else(|| Error::internal("a join of row pairs returned no right row numbers"))?;
        Ok((self.left, right))
    }
}

pub(super) trait Groups {
    fn left_rows(&self) -> usize;

    fn right_rows(&self) -> usize;

    /// Returns the left rows of each group, in order.
    fn ranges(&self, kind: Kind, ctx: Ctx<'_>) -> Result<Vec<Range<usize>>>;

    fn rows(&self, range: Range<usize>, kind: Kind, ctx: Ctx<'_>) -> Result<Rows>;

    fn all(&self, request: Request, ctx: Ctx<'_>) -> Result<Rows> {
        if self.left_rows() == 0 || self.right_rows() == 0 {
            return self.without_pairs(request, ctx);
        }
        let ranges = self.ranges(request.kind, ctx)?;
        if let ([range], false) = (ranges.as_slice(), request.full) {
            return self.rows(range.clone(), request.kind, ctx);
        }
        let mut parts = Vec::new();
        let mut is_unmatched = match request.full {
            true => Some(Column::full_on(true, self.right_rows(), ctx.stream, ctx.mr.temporary)?),
            false => None,
        };
        for range in ranges {
            let part = self.rows(range, request.kind, ctx.scratch())?;
            if let (Some(marks), Some(right)) = (&mut is_unmatched, &part.right) {
                *marks = marked(marks, right, false, ctx.scratch())?;
            }
            parts.push(part);
        }
        if let Some(marks) = is_unmatched {
            let rows = row_numbers(self.right_rows(), ctx.scratch())?;
            let right = rows_where(&rows, &marks, ctx.scratch())?;
            let left = no_rows(self.left_rows(), right.len(), ctx.scratch())?;
            parts.push(Rows { left, right: Some(right) });
        }
        let left = in_order(parts.iter().map(|part| &part.left), ctx)?;
        let right = parts.iter().map(|part| part.right.as_ref()).collect::<Option<Vec<_>>>();
        Ok(Rows { left, right: right.map(|right| in_order(right.into_iter(), ctx)).transpose()? })
    }

    fn without_pairs(&self, request: Request, ctx: Ctx<'_>) -> Result<Rows> {
        let (left_rows, right_rows) = (self.left_rows(), self.right_rows());
        let none = |rows: usize| Column::empty_on(&row_indices(rows), ctx.stream.device());
        match request.kind {
            Kind::Inner => Ok(Rows { left: none(left_rows)?, right: Some(none(right_rows)?) }),
            Kind::Semi => Ok(Rows { left: none(left_rows)?, right: None }),
            Kind::Anti => Ok(Rows { left: row_numbers(left_rows, ctx)?, right: None }),
            Kind::Left if request.full && left_rows == 0 => {
                let left = no_rows(left_rows, right_rows, ctx)?;
                Ok(Rows { left, right: Some(row_numbers(right_rows, ctx)?) })
            }
            Kind::Left => {
                let right = no_rows(right_rows, left_rows, ctx)?;
                Ok(Rows { left: row_numbers(left_rows, ctx)?, right: Some(right) })
            }
        }
    }

    /// Returns the number of results.
    fn size(&self, kind: Kind, ctx: Ctx<'_>) -> Result<usize> {
        self.sum_of_sizes(kind, ctx)
    }

    fn sum_of_sizes(&self, kind: Kind, ctx: Ctx<'_>) -> Result<usize> {
        if self.left_rows() == 0 || self.right_rows() == 0 {
            return Ok(if matches!(kind, Kind::Inner | Kind::Semi) { 0 } else { self.left_rows() });
        }
        let mut size = 0;
        for range in self.ranges(kind, ctx)? {
            size += self.rows(range, kind, ctx.scratch())?.left.len();
        }
        Ok(size)
    }
}

/// Returns the maximum number of pairs whose values are gathered at a time to evaluate a condition.
pub(in crate::join) fn tile_pairs(condition: &PairCondition<'_>) -> usize {
    let bytes = row_bytes(condition.left()) + row_bytes(condition.right());
    HostLimits::current().join_pairs.min(TILE_BYTES / bytes.max(1)).max(1)
}

/// Concatenates tables.
pub(super) fn joined(mut tables: Vec<Table>, ctx: Ctx<'_>) -> Result<Option<Table>> {
    match tables.len() {
        0 | 1 => Ok(tables.pop()),
        _ => Ok(Some(concatenate(&tables.iter().map(Table::view).collect::<Vec<_>>(), ctx)?)),
    }
}

/// Concatenates columns from scratch memory into output memory.
pub(in crate::join) fn in_order<'c>(columns: impl Iterator<Item = &'c Column> + Clone, ctx: Ctx<'_>) -> Result<Column> {
    let filled: Vec<_> = columns.clone().filter(|column| !column.is_empty()).map(Column::view).collect();
    match (filled.as_slice(), columns.clone().next()) {
        ([], Some(first)) => Column::empty_on(first.data_type(), ctx.stream.device()),
        // The copy is necessary because a concatenation of one column may share the memory of the column.
        ([one], _) => one.to_column().deep_copy(ctx.stream, ctx.mr.output),
        _ => concatenate_columns(&filled, ctx),
    }
}

/// Returns a row number of a table as a literal of the type of its row numbers.
pub(in crate::join) fn row_number(number: usize, data_type: &DataType) -> Literal<'static> {
    match data_type {
        DataType::UInt32 => Literal::from(number as u32),
        _ => Literal::from(number as u64),
    }
}

/// Returns `len` row numbers that mean "no row".
pub(in crate::join) fn no_rows(rows: usize, len: usize, ctx: Ctx<'_>) -> Result<Column> {
    let number = match row_indices(rows) {
        DataType::UInt32 => Literal::from(JOIN_NO_MATCH),
        _ => Literal::from(u64::MAX),
    };
    Column::full_on(number, len, ctx.stream, ctx.mr.output)
}

/// Returns `marks` with the value `mark` in the rows whose numbers are in `rows`.
pub(in crate::join) fn marked(marks: &Column, rows: &Column, mark: bool, ctx: Ctx<'_>) -> Result<Column> {
    let target = TableView::from(marks.view());
    let table = scatter_scalars(&[Literal::from(mark).into()], rows.view(), target, OutOfBoundsPolicy::Nullify, ctx)?;
    Ok(table.column(0)?.clone())
}

pub(in crate::join) fn rows_where(rows: &Column, marks: &Column, ctx: Ctx<'_>) -> Result<Column> {
    let table: Table = apply_boolean_mask(TableView::from(rows.view()), marks.view(), ctx)?;
    Ok(table.column(0)?.clone())
}

/// Returns the approximate number of bytes of a row.
fn row_bytes(table: &Table) -> usize {
    let bytes = |column: &Column| match gdf_core::width(column.data_type()) {
        Some(width) => width,
        None => {
            let bytes: usize = column.buffers().iter().map(gdf_memory::Buffer::len).sum();
            bytes.div_ceil(column.len().max(1))
        }
    };
    table.columns().iter().map(bytes).sum()
}
