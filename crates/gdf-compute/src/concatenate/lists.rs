//! Concatenation of tables that have list columns.

use std::ops::Range;

use gdf_core::{Column, ColumnView, DataType, Error, ListsView, Result, Table, TableView};
use gdf_engine::rows::{AffineRows, MAX_OFFSET_PIECES, join_offsets, offset_ends, rows_times};

use super::{concatenate as concatenate_tables, concatenate_columns};
use crate::Ctx;
use crate::binaryop::{BinaryOperator as Op, of};
use crate::lists::{
    Lists, Parts, check_total, copy_affine_column, for_each_list, gathered, given_offsets, list_skeleton, offsets_of,
    restore, shares_values,
};

/// Concatenates tables that have list columns.
pub(super) fn concatenate_lists(tables: &[&TableView<'_>], ctx: Ctx<'_>) -> Result<Table> {
    let mut columns: Vec<Pieces<'_>> = Vec::new();
    for table in tables {
        let mut at = 0;
        for_each_list(table, &mut |lists, around: &[ColumnView<'_>]| {
            if columns.len() == at {
                columns.push(Pieces::default());
            }
            let pieces = &mut columns[at];
            at += 1;
            pieces.views.push((lists, around.to_vec()));
            let is_hiding = |view: &ColumnView<'_>| view.has_validity() && !view.sanitized();
            pieces.hides |= around.iter().chain([&lists]).any(is_hiding);
            Ok(())
        })?;
    }
    let skeletons = tables.iter().map(|table| list_skeleton(table)).collect::<Result<Vec<_>>>()?;
    let skeleton = concatenate_tables(&skeletons.iter().map(Table::view).collect::<Vec<_>>(), ctx)?;
    let lists = columns.into_iter().map(|pieces| pieces.joined(ctx)).collect::<Result<_>>()?;
    let like =
        tables.first().ok_or_else(|| Error::internal("the table of the concatenated list columns is missing"))?;
    restore(like, skeleton, lists, ctx)
}

#[derive(Default)]
struct Pieces<'a> {
    views: Vec<(ColumnView<'a>, Vec<ColumnView<'a>>)>,
    /// Whether null lists may have elements. Such elements must not be copied, unless the lists have a fixed size.
    hides: bool,
}

impl Pieces<'_> {
    fn joined(self, ctx: Ctx<'_>) -> Result<Parts> {
        let has_offsets = |(lists, _): &(ColumnView<'_>, _)| !matches!(lists.data_type(), DataType::FixedSizeList(..));
        if !self.hides && self.views.len() <= MAX_OFFSET_PIECES && self.views.iter().all(has_offsets) {
            return self.moved(ctx);
        }
        let scratch = ctx.scratch();
        let all = self.views.iter().map(|(lists, around)| Lists::of(*lists, around, scratch));
        let all = all.collect::<Result<Vec<_>>>()?;
        let join = |columns: &[Column], ctx| joined(&columns.iter().map(Column::view).collect::<Vec<_>>(), ctx);
        let ranges = Lists::ranges(&all, ctx)?;
        let elements = all.iter().zip(&ranges).map(|(lists, range)| lists.elements.slice(range.start, range.len()));
        let elements = elements.collect::<Result<Vec<_>>>()?;
        let parts = |offsets, elements| Parts { offsets, is_final: false, elements, ranges: None };
        // Null lists of a fixed size have elements in every layout.
        if all.iter().all(|lists| lists.width.is_some()) {
            return Ok(parts(None, join(&elements, ctx)?));
        }
        let sizes = join(&all.iter().map(|lists| lists.sizes.clone()).collect::<Vec<_>>(), scratch)?;
        if !self.hides {
            return Ok(parts(Some(offsets_of(&sizes, scratch)?), join(&elements, ctx)?));
        }
        let (mut begins, mut before) = (Vec::new(), 0);
        for (lists, range) in all.iter().zip(ranges) {
            let moved = before as i64 - range.start as i64;
            begins.push(of(&lists.begins()?, Op::Add, moved.into(), &DataType::Int64, scratch)?);
            before += range.len();
        }
        // The gathered elements may share buffers, dictionary values or elements of list views with these pieces.
        let shares = elements.first().is_some_and(|elements| shares_values(elements.data_type()));
        let elements = join(&elements, if shares { ctx } else { scratch })?;
        gathered(&join(&begins, scratch)?, &sizes, elements, scratch)
    }
    /// Concatenates the elements as they are. Adds to the offsets of each piece the number of elements of all previous
    /// pieces.
    fn moved(&self, ctx: Ctx<'_>) -> Result<Parts> {
        let lists = self.views.iter().map(|(lists, _)| ListsView::try_from(*lists)).collect::<Result<Vec<_>>>()?;
        let offsets = lists.iter().map(|lists| given_offsets(*lists, ctx)).collect::<Result<Vec<_>>>()?;
        let ranges = offset_ends(&offsets.iter().map(Column::view).collect::<Vec<_>>(), ctx.scratch())?;
        let total: usize = ranges.iter().map(Range::len).sum();
        lists.first().map_or(Ok(()), |lists| check_total(lists.view().data_type(), total))?;
        let (mut elements, mut moved, mut before) = (Vec::new(), Vec::new(), 0);
        for (at, (lists, range)) in lists.iter().zip(ranges).enumerate() {
            elements.push(lists.child().slice(range.start, range.len())?);
            // The last offset of a piece is also the first offset of the next piece.
            let own = lists.view().len() + usize::from(at + 1 == self.views.len());
            moved.push((offsets[at].view().slice(0, own)?, before as i64 - range.start as i64));
            before += range.len();
        }
        let offsets = join_offsets(&moved, ctx)?;
        let elements = joined(&elements, ctx)?;
        Ok(Parts { offsets: Some(offsets), is_final: true, elements, ranges: None })
    }
}

/// Concatenates the elements of lists.
fn joined(elements: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Column> {
    let mut with_rows = elements.iter().filter(|elements| !elements.is_empty());
    match (with_rows.next(), with_rows.next()) {
        (Some(only), None) if only.has_validity() || only.offset() > 0 => {
            let length = rows_times(only.len(), 1)?;
            let rows = AffineRows { length, divisor: 1, by_quotient: 1, by_remainder: 0, first: 0 };
            copy_affine_column(super::OPERATION, *only, rows, ctx)
        }
        _ => concatenate_columns(elements, ctx),
    }
}
