//! Joins of many probe rows that first mark the rows with a match, in a launch without waits.
//!
//! A semi or anti join returns the numbers of the marked rows. An inner join whose table has few of the keys in its
//! range joins the marked rows only.

use gdf_compute::lists::gather_column;
use gdf_core::{Column, DataType, Result, TableView};
use gdf_engine::cuda::{CudaColumn, CudaOutput, Grid, Kernel};
use gdf_engine::keys::{KeySide, OpenKeys};
use gdf_engine::limits::cuda as limits;
use gdf_engine::rows::selected_rows;
use gdf_kernels::generated::join::{Marks, SelectedRows};

use super::bits::OpenBits;
use super::{Lookup, kernel_kind};
use crate::Ctx;
use crate::join::hash_join::Kind;

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
