//! Concatenation of tables that have list columns.

use gdf_core::{Abilities, Column, ColumnView, DataType, Error, Result, Table, TableView};

use super::{concatenate as concatenate_tables, concatenate_columns};
use crate::Ctx;
use crate::binaryop::{BinaryOperator as Op, of};
use crate::lists::{Lists, Parts, for_each_list, gathered, offsets_of, restore, skeleton};

/// Concatenates tables that have list columns. The tables have the same types and have been checked. Waits for the
/// stream once for each list column.
pub(super) fn concatenate_lists(tables: &[&TableView<'_>], ctx: Ctx<'_>) -> Result<Table> {
    let mut columns: Vec<Pieces> = Vec::new();
    for table in tables {
        let mut at = 0;
        for_each_list(table, &mut |lists, around: &[ColumnView<'_>]| {
            if columns.len() == at {
                columns.push(Pieces::default());
            }
            let pieces = &mut columns[at];
            at += 1;
            pieces.lists.push(Lists::of(lists, around, ctx.scratch())?);
            // A null list of a fixed size also has elements in the result, so the elements of null lists are kept.
            let is_hiding = |view: &ColumnView<'_>| view.has_validity() && !view.sanitized();
            let has_offsets = !matches!(lists.data_type(), DataType::FixedSizeList(..));
            pieces.hides |= has_offsets && around.iter().chain([&lists]).any(is_hiding);
            Ok(())
        })?;
    }
    let skeletons = tables.iter().map(|table| skeleton(table)).collect::<Result<Vec<_>>>()?;
    let skeleton = concatenate_tables(&skeletons.iter().map(Table::view).collect::<Vec<_>>(), ctx)?;
    let lists = columns.into_iter().map(|pieces| pieces.joined(ctx)).collect::<Result<_>>()?;
    let like =
        tables.first().ok_or_else(|| Error::internal("the table of the concatenated list columns is missing"))?;
    restore(like, skeleton, lists, ctx)
}

/// The pieces of a list column, one for each table.
#[derive(Default)]
struct Pieces {
    lists: Vec<Lists>,
    /// Whether null lists may have elements, which must not be copied.
    hides: bool,
}

impl Pieces {
    fn joined(self, ctx: Ctx<'_>) -> Result<Parts> {
        let scratch = ctx.scratch();
        let join =
            |columns: &[Column], ctx| concatenate_columns(&columns.iter().map(Column::view).collect::<Vec<_>>(), ctx);
        let ranges = Lists::ranges(&self.lists, ctx)?;
        let elements =
            self.lists.iter().zip(&ranges).map(|(lists, range)| lists.elements.slice(range.start, range.len()));
        let elements = elements.collect::<Result<Vec<_>>>()?;
        if self.lists.iter().all(|lists| lists.width.is_some()) {
            return Ok(Parts { offsets: None, elements: join(&elements, ctx)?, rows: None, has_nulls: false });
        }
        let sizes = join(&self.lists.iter().map(|lists| lists.sizes.clone()).collect::<Vec<_>>(), scratch)?;
        if !self.hides {
            let (offsets, elements) = (offsets_of(&sizes, scratch)?, join(&elements, ctx)?);
            return Ok(Parts { offsets: Some(offsets), elements, rows: None, has_nulls: false });
        }
        let (mut begins, mut before) = (Vec::new(), 0);
        for (lists, range) in self.lists.iter().zip(ranges) {
            let moved = before as i64 - range.start as i64;
            begins.push(of(&lists.begins()?, Op::Add, moved.into(), &DataType::Int64, scratch)?);
            before += range.len();
        }
        // If the elements are views or dictionaries, the gathered elements share buffers or dictionary values with
        // these pieces. The pieces must then be in output memory.
        let shares = elements.first().is_some_and(|elements| Abilities::of(elements.data_type()).encoded);
        let elements = join(&elements, if shares { ctx } else { scratch })?;
        gathered(&join(&begins, scratch)?, &sizes, elements, scratch)
    }
}
