//! `copy_if_else` on CUDA: one launch; for strings a launch, a wait for their size, and another launch.

use gdf_core::{Column, ColumnView, Result};
use gdf_driver::Stream;
use gdf_kernels::KernelType;
use gdf_memory::{Buffer, Mailbox, Resources};

use super::super::copy_if_else::{Condition, Selection};
use crate::cuda::{CudaColumn, CudaOutput, Kernel, args};
use crate::rows::{Movement, check_offsets};

const CAPABILITY: &str = "copying";

pub(in super::super) fn copy_if_else(selection: Selection<'_>, stream: &Stream, mr: Resources<'_>) -> Result<Column> {
    let lhs = CudaColumn::open_operand(selection.lhs, stream)?;
    let rhs = CudaColumn::open_operand(selection.rhs, stream)?;
    let condition = CudaColumn::open(selection.condition.view(), stream)?;
    let by_validity = i32::from(matches!(selection.condition, Condition::Valid(_)));
    match selection.movement {
        Movement::Strings { .. } => strings(selection, (&lhs, &rhs, &condition), by_validity, stream, mr),
        Movement::Bytes(width) => fixed_width(selection, (&lhs, &rhs, &condition), by_validity, width, stream, mr),
        _ => fixed_width(selection, (&lhs, &rhs, &condition), by_validity, 0, stream, mr),
    }
}

type Inputs<'s, 'a> = (&'s CudaColumn<'a>, &'s CudaColumn<'a>, &'s CudaColumn<'a>);

fn fixed_width(
    selection: Selection<'_>,
    (lhs, rhs, condition): Inputs<'_, '_>,
    by_validity: i32,
    width: usize,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Column> {
    let Selection { rows, nullable, .. } = selection;
    let kernel = Kernel::find(stream, CAPABILITY, "copy_if_else_kernel", "copy_if_else")?;
    let scratch = stream.scratch()?;
    let mut output = CudaOutput::fixed_width(selection.lhs.data_type(), rows, nullable, stream, mr)?;
    let open = output.open(stream)?;
    let mut out = open.desc;
    // Rows that are less aligned than their width asks for are moved byte by byte, as those of no particular width.
    let aligned = (lhs.desc.data | rhs.desc.data).is_multiple_of(width.clamp(1, 8) as u64);
    if selection.movement != Movement::Bits && !aligned {
        out.data_type = KernelType::FixedBinary as i32;
    }
    let width = width as i64;
    // SAFETY: the parameters are `const column_in lhs, const column_in rhs, const column_in condition, int by_validity,
    // int64_t width, const column_out out, scratch*`, all by value. Inputs that are not broadcast, and the condition, have
    // `rows` rows, as does the output; types are the same and of that width, or boolean; the condition is boolean unless
    // its validity counts. Addresses are multiples of the width (or of 8) unless the type is fixed binary. All accesses,
    // of this stream, are held until after the launch.
    unsafe {
        kernel.launch(
            stream,
            kernel.streaming_blocks(rows),
            1,
            args![lhs.desc, rhs.desc, condition.desc, by_validity, width, out, scratch],
        )?;
    }
    drop(open);
    output.finish(stream)
}

/// Length of a string column's character buffer.
fn chars(view: ColumnView<'_>) -> i64 {
    view.buffers().get(1).map_or(0, |chars| chars.len() as i64)
}

fn strings(
    selection: Selection<'_>,
    (lhs, rhs, condition): Inputs<'_, '_>,
    by_validity: i32,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Column> {
    let Selection { rows, nullable, movement, .. } = selection;
    let sizes = Kernel::find(stream, CAPABILITY, "copy_if_else_sizes_kernel", "copy_if_else_strings")?;
    let write = Kernel::find(stream, CAPABILITY, "copy_if_else_strings_kernel", "copy_if_else_strings")?;
    let scratch = stream.scratch()?;
    let (lhs_bytes, rhs_bytes) = (chars(selection.lhs.view()), chars(selection.rhs.view()));
    let mailbox = Mailbox::new(stream, 1)?;
    let mut counts = Buffer::uninitialized(sizes.tiles(rows) * 8, stream, mr.temporary)?;
    let access = counts.write_on(stream)?;
    let (counts_address, total) = (access.address(), mailbox.address());
    // SAFETY: the parameters are `const column_in lhs, const column_in rhs, const column_in condition, int by_validity,
    // int64_t lhs_bytes, int64_t rhs_bytes, unsigned long long* counts, scratch*, unsigned long long* mailbox`. Inputs
    // that are not broadcast, and the condition, have `rows` rows and the lengths of their character buffers are passed;
    // there is a count per tile of the policy and a word in the mailbox. All accesses are of this stream and held.
    unsafe {
        sizes.launch(
            stream,
            sizes.blocks(rows),
            1,
            args![
                lhs.desc,
                rhs.desc,
                condition.desc,
                by_validity,
                lhs_bytes,
                rhs_bytes,
                counts_address,
                scratch,
                total
            ],
        )?;
    }
    let bytes = mailbox.wait()?[0];
    check_offsets(movement, bytes)?;
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    let mut output = CudaOutput::strings(selection.lhs.data_type(), rows, bytes, nullable, stream, mr)?;
    let open = output.open(stream)?;
    // SAFETY: the parameters are those above up to `rhs_bytes`, then `const column_out out, const unsigned long long*
    // counts, scratch*`. The output was made for `rows` rows and the bytes that the sizes kernel has counted; nothing
    // has written the inputs or the counts since, and all accesses are held until after the launch.
    unsafe {
        write.launch(
            stream,
            write.blocks(rows),
            1,
            args![
                lhs.desc,
                rhs.desc,
                condition.desc,
                by_validity,
                lhs_bytes,
                rhs_bytes,
                open.desc,
                counts_address,
                scratch
            ],
        )?;
    }
    drop((open, access));
    output.finish(stream)
}
