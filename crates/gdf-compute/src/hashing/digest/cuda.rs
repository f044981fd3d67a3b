//! Digests on CUDA. A launch takes up to 32 columns.

use gdf_core::{Column, DataType, Result};
use gdf_engine::cuda::{CudaOutput, Kernel, Out, Rows};
use gdf_engine::layout::{RowKind, byte_len, check_offsets};
use gdf_engine::row_hash::{HashedColumn, OpenTable};
use gdf_kernels::generated::hashing::{DIGESTS_STATE_BYTES, Digest, DigestKernel};
use gdf_memory::Buffer;

use crate::Ctx;

pub(super) fn digest(
    columns: &[HashedColumn<'_>],
    rows: usize,
    characters: usize,
    kernel: DigestKernel,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let bytes = rows.saturating_mul(characters);
    check_offsets(RowKind::Strings { large: false }, bytes as u64)?;
    let mut output = CudaOutput::strings(&DataType::Utf8, rows, bytes, ctx)?;
    let kernel = Kernel::choose(kernel, ctx.stream)?;
    let (mut table, mut later) = OpenTable::open(columns, ctx.stream)?;
    let mut states = match later {
        [] => None,
        _ => Some(Buffer::uninitialized(byte_len(rows, DIGESTS_STATE_BYTES, ctx.mr)?, ctx.stream, ctx.mr.temporary)?),
    };
    let access = states.as_mut().map(|states| states.write_on(ctx.stream)).transpose()?;
    let open = output.open(ctx.stream)?;
    let mut begun = 0;
    loop {
        let ends = i32::from(later.is_empty());
        let states = Out::of_option(access.as_ref());
        let arguments = Digest { table: table.desc(), rows: Rows::new(rows), begun, ends, states, out: open.desc() };
        // SAFETY: All columns have `rows` rows, and `rows` is positive. The output has a text of the digest's length
        // for each row and has no mask. `check_offsets` has checked that the sum of the lengths fits in the offsets. If
        // there are several launches, `states` has a state for each row, and the previous launch has written the
        // states. Columns, states and output are held until the launch is enqueued.
        unsafe { kernel.launch(ctx.stream, kernel.streaming_blocks(rows), 1, &arguments)? };
        if later.is_empty() {
            break;
        }
        (table, later) = OpenTable::open(later, ctx.stream)?;
        begun = 1;
    }
    drop((table, open, access));
    output.finish(ctx.stream)
}
