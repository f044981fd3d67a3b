//! `apply_boolean_mask` on the CPU: selected rows are counted per chunk, which tells every chunk where to write.

use bytemuck::Pod;
use gdf_core::{ColumnView, NullCount, Result, Table};
use gdf_memory::Buffer;
use smallvec::SmallVec;

use super::selection::Selection;
use crate::context::Ctx;
use crate::host::{HostColumn, LeafValidity, move_strings, open_leaves};
use crate::rows::{Leaf, OutputBuffers, RowKind, RowPlan, byte_len};

pub(in super::super) fn apply_boolean_mask(plan: &RowPlan<'_>, mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    if mask.is_empty() {
        return plan.empty(ctx);
    }
    let mask = HostColumn::open(mask, ctx.stream)?;
    let selection = Selection::new(&mask)?;
    let columns = open_leaves(plan, ctx.stream)?;
    let move_leaf = |(at, leaf): (usize, &Leaf<'_>)| -> Result<OutputBuffers> {
        let validity = LeafValidity::open(plan, &columns, at)?;
        let buffers = move_values(leaf, &columns[at], validity.as_ref(), &selection, ctx)?;
        let Some(validity) = validity else {
            return Ok(OutputBuffers { buffers, validity: None, null_count: NullCount::Known(0) });
        };
        let (mask, valid) = selection.compact_bits(ctx, |word| validity.word(word))?;
        Ok(OutputBuffers { buffers, validity: Some(mask), null_count: NullCount::Known(selection.total() - valid) })
    };
    let output_buffers: Vec<_> = plan.leaves().iter().enumerate().map(move_leaf).collect::<Result<_>>()?;
    plan.finish(selection.total(), ctx.stream.device(), output_buffers)
}

fn move_values(
    leaf: &Leaf<'_>,
    column: &HostColumn<'_>,
    validity: Option<&LeafValidity<'_>>,
    selection: &Selection<'_>,
    ctx: Ctx<'_>,
) -> Result<SmallVec<[Buffer; 2]>> {
    let compact = Compaction { column, selection, ctx };
    let buffer = match leaf.kind {
        RowKind::Validity | RowKind::Null => return Ok(SmallVec::new()),
        RowKind::Strings { large } => {
            // Null rows of a sanitized column are empty already.
            let hiding = validity.filter(|_| leaf.parent.is_some() || !leaf.view.sanitized());
            return move_strings(column, hiding, large, selection, selection.total(), ctx);
        }
        RowKind::Bits => {
            let bits = column.bits()?;
            selection.compact_bits(ctx, |word| bits.word(word))?.0
        }
        RowKind::Bytes(1) => compact.values::<u8>()?,
        RowKind::Bytes(2) => compact.values::<[u8; 2]>()?,
        RowKind::Bytes(4) => compact.values::<[u8; 4]>()?,
        RowKind::Bytes(8) => compact.values::<[u8; 8]>()?,
        RowKind::Bytes(16) => compact.values::<[u8; 16]>()?,
        RowKind::Bytes(32) => compact.values::<[u8; 32]>()?,
        RowKind::Bytes(width) => compact.bytes(width)?,
    };
    Ok(SmallVec::from_iter([buffer]))
}

struct Compaction<'a, 'c> {
    column: &'a HostColumn<'c>,
    selection: &'a Selection<'a>,
    ctx: Ctx<'a>,
}

impl Compaction<'_, '_> {
    fn buffer(&self, width: usize) -> Result<Buffer> {
        let bytes = byte_len(self.selection.total(), width, self.ctx.mr)?;
        Ok(Buffer::uninitialized(bytes, self.ctx.stream, self.ctx.mr.output)?)
    }

    /// Rows as arrays of bytes, which need no alignment.
    fn values<T: Pod + Send + Sync>(&self) -> Result<Buffer> {
        let mut buffer = self.buffer(size_of::<T>())?;
        let out = buffer.write_on(self.ctx.stream)?.into_mut_slice::<T>()?;
        self.selection.compact(self.column.values::<T>()?, out);
        Ok(buffer)
    }

    fn bytes(&self, width: usize) -> Result<Buffer> {
        let mut buffer = self.buffer(width)?;
        if width > 0 {
            let out = buffer.write_on(self.ctx.stream)?.into_mut_slice::<u8>()?;
            self.selection.compact_bytes(self.column.row_bytes(width)?, width, out);
        }
        Ok(buffer)
    }
}
