//! Joins of many probe rows in one launch, if each probe row has at most one result.

use gdf_core::{Column, Result};
use gdf_engine::cuda::{CudaColumn, Grid, Kernel, Out, Tiles};
use gdf_engine::keys::OpenKeys;
use gdf_engine::scan::cuda::look_back_states;
use gdf_kernels::Arguments;
use gdf_kernels::generated::common::{KEY_COLUMNS, RowTable};
use gdf_kernels::generated::join::{MatchTilesPacked, MatchTilesRows, SEVERAL_RESULTS, SelectedRows, SingleMatches};
use gdf_memory::{Buffer, Mailbox};

use super::{Lookup, kernel_kind, width};

/// A result is copied to memory of its size if the memory that was allocated for it is larger by this factor.
const SPARE_FACTOR: usize = 4;

impl Lookup<'_, '_> {
    /// Joins the probe rows in one launch, and **waits** for the number of results.
    pub(super) fn in_tiles(&self) -> Result<Option<(Column, Option<Column>)>> {
        if self.build.packing.is_some() {
            return self
                .tiles_by(&Kernel::find(self.ctx.stream)?, |kernel, grid, packed, _| self.run(kernel, grid, &packed));
        }
        self.tiles_by(&Kernel::find(self.ctx.stream)?, |kernel, grid, packed, build| {
            let MatchTilesPacked { input, selected, out, mailbox } = packed;
            self.run(kernel, grid, &MatchTilesRows { input, build, selected, out, mailbox })
        })
    }

    /// Implements [`in_tiles`](Self::in_tiles) for a kernel.
    fn tiles_by<S: Arguments<Static = S>>(
        &self,
        kernel: &Kernel<S>,
        launch: impl FnOnce(&Kernel<S>, Grid, MatchTilesPacked<'_>, RowTable<'_, KEY_COLUMNS>) -> Result<()>,
    ) -> Result<Option<(Column, Option<Column>)>> {
        let Self { ctx, request, .. } = *self;
        let (stream, rows) = (ctx.stream, self.probe.rows());
        if rows == 0 || request.full || (request.has_pairs() && self.table.has_several_results()) {
            return Ok(None);
        }
        let tiles = kernel.tiles(rows);
        let mut states = look_back_states(tiles, ctx)?;
        let (mut left, mut right) = self.buffers(rows)?;
        let mailbox = Mailbox::new(stream, 1)?;
        let left_access = left.write_on(stream)?;
        let right_access = right.as_mut().map(|right| right.write_on(stream)).transpose()?;
        let states_access = states.as_mut().map(|states| states.write_on(stream)).transpose()?;
        let table = self.table.open(stream)?;
        let [left_out, right_out] = self.outputs(&left_access, right_access.as_ref(), 0, rows)?;
        let keys = OpenKeys::of_side(self.probe, stream)?;
        let states = Out::of_option(states_access.as_ref());
        let selected = self.selected.map(|mask| CudaColumn::open(mask, stream)).transpose()?;
        let mask = selected.as_ref().map(CudaColumn::desc).unwrap_or_default();
        let packed = MatchTilesPacked {
            selected: SelectedRows { mask },
            input: self.input(&keys, self.probe, kernel_kind(request.kind), &table)?,
            out: SingleMatches { left: left_out, right: right_out, states, tiles: Tiles::new(tiles) },
            mailbox: Out::of(&mailbox),
        };
        let build = self.open_build()?;
        let build = build.as_ref().map(|build| build.desc().rows).unwrap_or_default();
        launch(kernel, Grid::Blocks(kernel.blocks(rows)), packed, build)?;
        drop((left_access, right_access, states_access));
        let [results, ..] = mailbox.wait()?;
        if results == SEVERAL_RESULTS {
            self.table.remember_several_results();
            return Ok(None);
        }
        let results = results as usize;
        let (left_type, right_type) = self.types();
        let left = self.trimmed(left, results * width(&left_type))?;
        let right = right.map(|right| self.trimmed(right, results * width(&right_type))).transpose()?;
        Ok(Some(self.columns(results, left, right)?))
    }

    /// Returns the first `bytes` bytes of a result.
    fn trimmed(&self, buffer: Buffer, bytes: usize) -> Result<Buffer> {
        let used = buffer.slice(0, bytes)?;
        if buffer.len() / SPARE_FACTOR <= bytes {
            return Ok(used);
        }
        Ok(used.deep_copy(self.ctx.stream, self.ctx.mr.output)?)
    }
}
