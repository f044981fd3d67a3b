//! The host half: what each leaf takes, whatever the source of its rows.

mod gather;
mod gather_strings;
mod row_map;
mod runs;

use bytemuck::Pod;
use gdf_core::{NullCount, Result, Table};
use gdf_driver::Stream;
use gdf_memory::Buffer;
use smallvec::SmallVec;

pub use self::gather::Gather;
pub use self::row_map::{RowMap, check_bounds};
pub use self::runs::{RowRuns, Run, bytes_of_runs, copy_runs};
use super::{Leaf, RowPlan};
use crate::Ctx;
use crate::host::{Bits, HostColumn};
use crate::layout::{OutputBuffers, RowKind, byte_len};

/// All leaves of a plan, open for reading.
pub(crate) fn open_leaves<'a>(plan: &RowPlan<'a>, stream: &Stream) -> Result<Vec<HostColumn<'a>>> {
    plan.leaves().iter().map(|leaf| HostColumn::open(leaf.view, stream)).collect()
}

/// Bits of the rows of an input: booleans or validity.
pub(crate) trait RowBits: Sync {
    fn get(&self, row: usize) -> bool;
    /// Rows `64 * index ..`.
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

/// The masks of a leaf and of the structs around it; a row is valid where all say so.
#[derive(Clone, Debug)]
pub struct LeafValidity<'a>(Vec<Bits<'a>>);

impl<'a> LeafValidity<'a> {
    /// Absent when all rows are valid.
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

/// Which rows of a table the result has.
pub(crate) trait RowSource: Sync {
    /// Number of rows of the result.
    fn rows(&self) -> usize;

    /// Whether rows of the result may be null where those of the input are not.
    fn nullable(&self) -> bool {
        false
    }

    /// Writes all rows of `to`.
    fn copy_values<T: Pod + Send + Sync>(&self, from: &[T], to: &mut [T]);

    /// As [`copy_values`](Self::copy_values), of rows of `width` bytes, which is not 0.
    fn copy_bytes(&self, from: &[u8], width: usize, to: &mut [u8]);

    /// The bits of the rows, all of them set in an input without, and how many are set.
    fn copy_bits(&self, from: Option<&impl RowBits>, ctx: Ctx<'_>) -> Result<(Buffer, usize)>;

    /// Offsets and bytes of the rows; those that are null in `hiding` are empty.
    fn copy_strings(
        &self,
        from: &HostColumn<'_>,
        hiding: Option<&LeafValidity<'_>>,
        ctx: Ctx<'_>,
    ) -> Result<SmallVec<[Buffer; 2]>>;
}

/// The rows of a plan's table that `source` says.
///
/// # Errors
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); memory errors.
pub(crate) fn copy_table(plan: &RowPlan<'_>, source: &impl RowSource, ctx: Ctx<'_>) -> Result<Table> {
    let columns = open_leaves(plan, ctx.stream)?;
    let copy_leaf = |(at, leaf): (usize, &Leaf<'_>)| -> Result<OutputBuffers> {
        let validity = LeafValidity::open(plan, &columns, at)?;
        let buffers = copy_leaf(leaf, &columns[at], validity.as_ref(), source, ctx)?;
        let nullable = (source.nullable() || validity.is_some()) && leaf.kind != RowKind::Null;
        if !nullable {
            return Ok(OutputBuffers { buffers, validity: None, null_count: NullCount::Known(0) });
        }
        let (mask, valid) = source.copy_bits(validity.as_ref(), ctx)?;
        Ok(OutputBuffers { buffers, validity: Some(mask), null_count: NullCount::Known(source.rows() - valid) })
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
            // Null rows of a sanitized column are empty already.
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

/// A result of rows of `width` bytes, to be written.
pub fn values_buffer(rows: usize, width: usize, ctx: Ctx<'_>) -> Result<Buffer> {
    Ok(Buffer::uninitialized(byte_len(rows, width, ctx.mr)?, ctx.stream, ctx.mr.output)?)
}

/// The expression with `T` as bytes of this width, which need no alignment; that behind `else` for other widths.
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
