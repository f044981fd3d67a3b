//! Joins of many probe rows that first mark the rows with a match, in a launch without waits.
//!
//! A semi or anti join of integers in a small range needs no table, but only a bit for each value.
//!
//! A semi or anti join returns the numbers of the marked rows. An inner join whose table has few of the keys in its
//! range joins the marked rows only.

use gdf_core::{Column, DataType, Result, TableView};
use gdf_engine::cuda::{CudaColumn, CudaOutput, Grid, Kernel};
use gdf_engine::hash_table::Lookups;
use gdf_engine::keys::{KeySide, MAX_ROWS, MAX_VALUE_BITS, NullEquality, OpenKeys, is_plain_integer};
use gdf_engine::limits::cuda as limits;
use gdf_engine::rows::selected_rows;
use gdf_engine::sort::value_bounds;
use gdf_kernels::generated::join::{Marks, SelectedRows};

use super::bits::{OpenBits, ValueBits};
use super::{Lookup, Table, kernel_kind};
use crate::Ctx;
use crate::join::hash_join::{JOIN, Kind, Request};
use crate::vouch::gather_column;

/// Returns the numbers of the rows of a semi or anti join of many left rows. The join looks the left rows up in a bit
/// for each value in the range of the right keys. Returns `None` for few left rows, and for more right rows than left
/// rows. Returns `None` for keys other than one column of integers of 32 or 64 bits without nulls, and for a range with
/// too many values. **Waits** for the range, if the right column does not store it, and for the number of rows.
pub(in crate::join) fn filter_by_bits(
    request: Request,
    left: &TableView<'_>,
    right: &TableView<'_>,
    nulls: NullEquality,
    ctx: Ctx<'_>,
) -> Result<Option<Column>> {
    let ([key], [probe]) = (right.columns(), left.columns()) else { return Ok(None) };
    let is_large = left.num_rows() >= limits::JOIN_VALUE_BITS_ROWS && left.num_rows() <= MAX_ROWS;
    if !is_large
        || !(1..=left.num_rows()).contains(&right.num_rows())
        || !is_plain_integer(key)
        || !is_plain_integer(probe)
    {
        return Ok(None);
    }
    let scratch = ctx.scratch();
    let Some(bounds) = value_bounds(&[*key], scratch)?.into_iter().next().flatten() else { return Ok(None) };
    let Some(bits) = ValueBits::of_range(*key, bounds, MAX_VALUE_BITS as usize, scratch)? else { return Ok(None) };
    // The bits take the place of the rows of the table.
    let side = KeySide::try_new(JOIN, right.slice(0, 0)?, nulls)?;
    let table = Table::new(&side, Lookups { is_set: true, probe_rows: 0 }, scratch)?.with_value_bits(bits);
    let probe = KeySide { keys: left.clone(), ..side.clone() };
    let (build, probe) = &table.sides(&side, &probe, None)?;
    // The kernel reads the bits only for keys that are packed by their type.
    if build.packing.as_ref().is_none_or(|packing| packing.bases.iter().any(Option::is_some)) {
        return Ok(None);
    }
    let lookup = Lookup { table: &table, build, probe, request, selected: None, ctx };
    let marks = lookup.marks(scratch)?;
    selected_rows(marks.view(), ctx).map(Some)
}

impl Lookup<'_, '_> {
    /// Joins the probe rows by marks. Returns `None` for joins that other launches do faster. **Waits** for the number
    /// of marked rows.
    pub(super) fn by_marks(&self) -> Result<Option<(Column, Option<Column>)>> {
        let is_selective = match self.request.kind {
            Kind::Semi | Kind::Anti => true,
            Kind::Inner => self.table.is_selective(),
            Kind::Left => false,
        };
        if !is_selective
            || self.request.full
            || self.build.packing.is_none()
            || self.probe.rows() < limits::JOIN_MARKED_ROWS
        {
            return Ok(None);
        }
        let scratch = self.ctx.scratch();
        let marks = self.marks(scratch)?;
        if self.request.kind != Kind::Inner {
            return Ok(Some((selected_rows(marks.view(), self.ctx)?, None)));
        }
        let rows = selected_rows(marks.view(), scratch)?;
        drop(marks);
        let keys = self.probe.keys.columns().iter().map(|key| gather_column(*key, rows.view(), scratch));
        let keys = keys.collect::<Result<Vec<_>>>()?;
        let keys = TableView::try_with_rows(keys.iter().map(Column::view).collect(), rows.len())?;
        let probe = KeySide { keys, ..self.probe.clone() };
        let of_marked = Lookup { probe: &probe, selected: None, build: self.build, table: self.table, ..*self };
        let (left, right) = of_marked.of_few_rows()?;
        Ok(Some((gather_column(rows.view(), left.view(), self.ctx)?, right)))
    }

    /// Returns for each probe row whether the row takes part and is in the result of a semi or anti join.
    fn marks(&self, ctx: Ctx<'_>) -> Result<Column> {
        let (stream, rows) = (ctx.stream, self.probe.rows());
        let kernel = Kernel::<Marks>::find(stream)?;
        let mut output = CudaOutput::fixed_width(&DataType::Boolean, rows, ctx)?;
        let open = output.open(stream)?;
        let (table, keys) = (self.table.open(stream)?, OpenKeys::of_side(self.probe, stream)?);
        let selected = self.selected.map(|mask| CudaColumn::open(mask, stream)).transpose()?;
        let mask = selected.as_ref().map(CudaColumn::desc).unwrap_or_default();
        let bits = self.table.value_bits().map(|bits| bits.open(ctx)).transpose()?;
        let arguments = Marks {
            input: self.input(&keys, self.probe, kernel_kind(self.request.kind), &table)?,
            bits: bits.as_ref().map(OpenBits::desc).transpose()?.unwrap_or_default(),
            selected: SelectedRows { mask },
            out: open.desc(),
        };
        self.run(&kernel, Grid::Blocks(kernel.streaming_blocks(rows)), &arguments)?;
        drop((open, table, keys, selected, bits));
        output.finish(stream)
    }
}
