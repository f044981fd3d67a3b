//! Spans of texts as columns: the n-th span of each row is in column n.

use gdf_core::{Column, Result};
use gdf_driver::Device;

use super::{Spans, cuda};
use crate::Ctx;
use crate::elementwise::Nulls;
use crate::host::map_chunks;

impl Spans<'_> {
    /// Makes `columns` columns. Column n has the n-th text of each row, and is null where a row has fewer texts. If
    /// `columns` is `None`, the number of columns is the largest number of texts of a row, but at least 1.
    ///
    /// # Errors
    /// * The errors of [`into_lists`](Self::into_lists).
    pub fn into_columns(self, columns: Option<usize>, ctx: Ctx<'_>) -> Result<Vec<Column>> {
        if self.rows > 0 && ctx.stream.device() != Device::Cpu {
            return cuda::columns(&self, columns, ctx);
        }
        let columns = columns.map_or_else(|| self.most(ctx), Ok)?;
        let nulls = Nulls::Own { nullable: true };
        (0..columns).map(|nth| self.texts(self.rows, Some(nth), nulls, ctx)).collect()
    }

    /// Returns the largest number of spans of a row, but at least 1.
    fn most(&self, ctx: Ctx<'_>) -> Result<usize> {
        if self.rows == 0 {
            return Ok(1);
        }
        let offsets = self.offsets()?.read_on(ctx.stream)?;
        let offsets = offsets.as_slice::<i32>()?;
        let most = map_chunks(self.rows, |range| {
            let ends = offsets.get(range.start + 1..=range.end).unwrap_or_default();
            ends.iter().zip(&offsets[range]).map(|(end, begin)| end - begin).max()
        });
        Ok(most.into_iter().flatten().max().map_or(1, |most| most.max(1) as usize))
    }
}
