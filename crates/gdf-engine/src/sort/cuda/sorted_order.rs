//! `sorted_order` on CUDA: the choice of the sort, and keys in which ranks replace long texts.

use gdf_core::{Column, Result};
use gdf_memory::{Buffer, Resources};

use super::bin_sort::Attempt;
use super::sorting::{FIELD_TEXT, KeyLayout, Sorting};
use super::{bin_sort, block_sort, text};
use crate::Ctx;
use crate::keys::order_column;
use crate::sort::KeyColumn;
use crate::sort::plan::{KeyPlan, Piece, Stats};

/// Returns the first `count` row numbers in sorted order, as a column. `rows` must be greater than 0.
pub fn sorted_order(keys: &[KeyColumn<'_>], rows: usize, count: usize, ctx: Ctx<'_>) -> Result<Column> {
    if block_sort::supports(keys, rows) {
        return block_sort::sorted_order(keys, rows, count, ctx);
    }
    whole_order(keys, rows, ctx)?.slice(0, count)
}

/// Returns all row numbers in sorted order. The caller has found that a block sort does not support these keys.
pub(super) fn whole_order(keys: &[KeyColumn<'_>], rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    let mut result = None;
    if bin_sort::supports(keys, rows) {
        match bin_sort::sorted_order(keys, rows, ctx)? {
            Attempt::Sorted(order) => return Ok(order),
            Attempt::Left(order) => result = Some(order),
        }
    }
    Sorting::new(keys, rows, ctx)?.order(result, ctx.mr)
}

impl Sorting<'_, '_> {
    /// Makes the layout of the keys.
    pub(super) fn layout(&self) -> Result<KeyLayout> {
        let mut pieces: Vec<(Piece, Stats)> = Vec::with_capacity(self.measured.len());
        let mut ranks = vec![None; self.inputs.columns.len()];
        for i in 0..self.measured.len() {
            let measured = self.measured[i];
            if measured.text <= FIELD_TEXT {
                pieces.push((measured.piece, measured.stats));
                continue;
            }
            let column = measured.piece.column;
            let desc = self.inputs.columns[column].desc();
            let (numbers, runs) = text::ranks(self, &measured, desc)?;
            ranks[column] = Some(order_column(numbers, self.rows, self.ctx.stream)?);
            let max = u128::from(runs.saturating_sub(1));
            let varying = max | u128::from(max > 0);
            let piece = Piece { descending: false, nulls_first: false, ..measured.piece };
            pieces.push((piece, Stats { max, varying, valid: true, lossy: true, ..Stats::default() }));
        }
        Ok(KeyLayout { plan: KeyPlan::new(pieces), ranks })
    }

    /// Returns the row numbers in sorted order.
    pub(super) fn order(self, result: Option<Buffer>, mr: Resources<'_>) -> Result<Column> {
        if let Some((measured, column)) = self.long_text() {
            let order = text::order(&self, &measured, column, None, result, mr)?;
            return order_column(order, self.rows, self.ctx.stream);
        }
        let layout = self.layout()?;
        let order = self.order_by(&layout, result, mr)?;
        order_column(order, self.rows, self.ctx.stream)
    }
}
