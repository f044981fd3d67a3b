//! The CPU half of the engine: copies the rows of each kind of leaf. A `RowSource` decides which rows are copied.

mod gather;
mod gather_strings;
mod lists;
mod row_map;
mod runs;

use bytemuck::Pod;
use gdf_core::{NullCount, Result, Table};
use gdf_driver::Stream;
use gdf_memory::Buffer;
use smallvec::SmallVec;

pub use self::gather::Gather;
use self::lists::{CopiedLists, ListCopy};
pub use self::row_map::{RowMap, check_bounds};
pub use self::runs::{RowRuns, Run, bytes_of_runs, copy_runs};
use super::{Leaf, RowPlan};
use crate::Ctx;
use crate::host::{Bits, HostColumn};
use crate::layout::{OutputBuffers, RowKind, byte_len};

pub(crate) fn open_leaves<'a>(plan: &RowPlan<'a>, stream: &Stream) -> Result<Vec<HostColumn<'a>>> {
    plan.leaves().iter().map(|leaf| HostColumn::open(leaf.view, stream)).collect()
}

pub(crate) trait RowBits: Sync {
    fn get(&self, row: usize) -> bool;
    /// Returns the bits of the rows `64 * index ..` as a word.
    fn word(&self, index: usize) -> u64;
}

impl RowBits for Bits<'_> {
    fn get(&self, row: usize) -> bool {
        Bits::get(self, row)
    }
    fn word(&self, index: usize) -> u64 {
        Bits::word(self, index)
    }
}

/// The masks of a leaf and of the structs around the leaf. A row is valid if it is valid in all of these masks.
#[derive(Clone, Debug)]
pub struct LeafValidity<'a>(Vec<Bits<'a>>);

impl<'a> LeafValidity<'a> {
    /// Opens the masks. Returns `None` if all rows are valid.
    pub fn open(plan: &RowPlan<'_>, columns: &'a [HostColumn<'_>], leaf: usize) -> Result<Option<Self>> {
        let mut masks = Vec::new();
        for at in plan.with_parents(leaf) {
            masks.extend(columns[at].validity()?);
        }
        Ok(if masks.is_empty() { None } else { Some(Self(masks)) })
    }
}

impl RowBits for LeafValidity<'_> {
    fn get(&self, row: usize) -> bool {
        self.0.iter().all(|mask| mask.get(row))
    }
    fn word(&self, index: usize) -> u64 {
        self.0.iter().fold(u64::MAX, |all, mask| all & mask.word(index))
    }
}

pub(crate) trait RowSource: Sync {
    fn rows(&self) -> usize;

    fn nullable(&self) -> bool {
        false
    }

    /// Writes the number of the input row of each row of the result. The number is negative for a row that comes from
    /// no input row.
    fn write_row_numbers(&self, to: &mut [i64]);

    fn copy_values<T: Pod + Send + Sync>(&self, from: &[T], to: &mut [T]);

    /// Copies the rows to `to` in the same way as [`copy_values`](Self::copy_values). A row has `width` bytes. `width`
    /// is not 0.
    fn copy_bytes(&self, from: &[u8], width: usize, to: &mut [u8]);

    /// Copies the bits of the rows, and counts the bits that are set.
    fn copy_bits(&self, from: Option<&impl RowBits>, ctx: Ctx<'_>) -> Result<(Buffer, usize)>;

    /// Copies the offsets and bytes of the rows.
    fn copy_strings(
        &self,
        from: &HostColumn<'_>,
        hiding: Option<&LeafValidity<'_>>,
        ctx: Ctx<'_>,
    ) -> Result<SmallVec<[Buffer; 2]>>;
}

/// Returns the rows of a plan's table that `source` selects.
///
/// # Errors
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); memory errors.
pub(crate) fn copy_table(plan: &RowPlan<'_>, source: &impl RowSource, ctx: Ctx<'_>) -> Result<Table> {
    let columns = open_leaves(plan, ctx.stream)?;
    let copy_leaf = |(at, leaf): (usize, &Leaf<'_>)| -> Result<OutputBuffers> {
        let validity = LeafValidity::open(plan, &columns, at)?;
        let (buffers, elements) = match leaf.lists {
            None => (copy_leaf(leaf, &columns[at], validity.as_ref(), source, ctx)?, None),
            Some(lists) => {
                let (operation, column, validity) = (plan.operation(), &columns[at], validity.as_ref());
                let CopiedLists { offsets, elements } =
                    ListCopy { operation, column, validity, source, ctx }.run(lists)?;
                (offsets, Some(elements))
            }
        };
        let nullable = (source.nullable() || validity.is_some()) && leaf.kind != RowKind::Null;
        if !nullable {
            return Ok(OutputBuffers { buffers, elements, ..OutputBuffers::without_data() });
        }
        let (mask, valid) = source.copy_bits(validity.as_ref(), ctx)?;
        let null_count = NullCount::Known(source.rows() - valid);
        Ok(OutputBuffers { buffers, validity: Some(mask), null_count, elements })
    };
    let output_buffers: Vec<_> = plan.leaves().iter().enumerate().map(copy_leaf).collect::<Result<_>>()?;
    plan.finish(source.rows(), ctx.stream.device(), output_buffers)
}

fn copy_leaf(
    leaf: &Leaf<'_>,
    column: &HostColumn<'_>,
    validity: Option<&LeafValidity<'_>>,
    source: &impl RowSource,
    ctx: Ctx<'_>,
) -> Result<SmallVec<[Buffer; 2]>> {
    Ok(match leaf.kind {
        RowKind::Validity | RowKind::Null => SmallVec::new(),
        RowKind::Strings { .. } => {
            // If the column is sanitized, its null rows are already empty.
            let hiding = validity.filter(|_| leaf.parent.is_some() || !leaf.view.sanitized());
            source.copy_strings(column, hiding, ctx)?
        }
        RowKind::Bits => SmallVec::from_iter([source.copy_bits(Some(&column.bits()?), ctx)?.0]),
        RowKind::Bytes(width) => {
            let mut buffer = values_buffer(source.rows(), width, ctx)?;
            if width > 0 {
                let access = buffer.write_on(ctx.stream)?;
                by_width!(
                    width,
                    T => source.copy_values(column.values::<T>()?, access.into_mut_slice()?),
                    else => source.copy_bytes(column.row_bytes(width)?, width, access.into_mut_slice()?)
                );
            }
            SmallVec::from_iter([buffer])
        }
    })
}

/// Allocates the buffer of a result of rows of `width` bytes.
pub fn values_buffer(rows: usize, width: usize, ctx: Ctx<'_>) -> Result<Buffer> {
    Ok(Buffer::uninitialized(byte_len(rows, width, ctx.mr)?, ctx.stream, ctx.mr.output)?)
}

/// Evaluates the first expression. In the expression, `T` is an array of `width` bytes, which needs no alignment. If
/// the macro does not support the width, it evaluates the expression after `else` instead.
#[doc(hidden)]
#[macro_export]
macro_rules! by_width {
    ($width:expr, $T:ident => $do:expr, else => $other:expr) => {
        match $width {
            1 => {
                type $T = u8;
                $do
            }
            2 => {
                type $T = [u8; 2];
                $do
            }
            4 => {
                type $T = [u8; 4];
                $do
            }
            8 => {
                type $T = [u8; 8];
                $do
            }
            16 => {
                type $T = [u8; 16];
                $do
            }
            32 => {
                type $T = [u8; 32];
                $do
            }
            _ => $other,
        }
    };
}
pub use by_width;
