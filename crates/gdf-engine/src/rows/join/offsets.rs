//! The offsets of concatenated lists.

use std::ops::Range;

use bytemuck::Pod;
use gdf_core::{Column, ColumnView, DataType, Error, Result};
use gdf_driver::Device;
use gdf_kernels::generated::concatenate::OFFSET_PIECES;
use num_traits::AsPrimitive;

use super::cuda;
use crate::Ctx;
use crate::host::{HostColumn, HostMask, HostOutput, for_each_chunk};

/// The maximum number of columns that the functions of this module take.
pub const MAX_OFFSET_PIECES: usize = OFFSET_PIECES;

/// Returns the first and the last offset of each column. The columns are offsets of validated lists, of the type
/// `Int32` or `Int64`. **Waits** once.
///
/// # Errors
/// * Driver and memory errors.
pub fn offset_ends(offsets: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Vec<Range<usize>>> {
    fn ends<T: Pod + AsPrimitive<usize>>(column: &HostColumn<'_>) -> Result<Range<usize>> {
        let offsets = column.values::<T>()?;
        let missing = || Error::internal("a column of offsets is empty");
        Ok(offsets.first().ok_or_else(missing)?.as_()..offsets.last().ok_or_else(missing)?.as_())
    }
    if let Device::Cuda(_) = ctx.stream.device() {
        return cuda::offset_ends(offsets, ctx);
    }
    let of = |offsets: &ColumnView<'_>| {
        let column = HostColumn::open(*offsets, ctx.stream)?;
        if *offsets.data_type() == DataType::Int32 { ends::<i32>(&column) } else { ends::<i64>(&column) }
    };
    offsets.iter().map(of).collect()
}

/// Concatenates columns of offsets. The number that is paired with a column is added to each row of the column. The
/// columns must be columns that [`offset_ends`] accepts, and must have one type. On CUDA, the function enqueues one
/// launch.
///
/// # Errors
/// * Driver and memory errors.
pub fn join_offsets(pieces: &[(ColumnView<'_>, i64)], ctx: Ctx<'_>) -> Result<Column> {
    fn joined<T: Pod + Send + Sync + std::ops::Add<Output = T>>(
        pieces: &[(ColumnView<'_>, i64)],
        data_type: &DataType,
        narrow: impl Fn(i64) -> T,
        ctx: Ctx<'_>,
    ) -> Result<Column> {
        let rows = pieces.iter().map(|(offsets, _)| offsets.len()).sum();
        let mut output = HostOutput::<T>::new(rows, ctx)?;
        let mut rest = output.values(ctx.stream)?;
        for (offsets, moved) in pieces {
            let column = HostColumn::open(*offsets, ctx.stream)?;
            let (from, moved) = (column.values::<T>()?, narrow(*moved));
            let (own, others) = rest.split_at_mut(from.len());
            for_each_chunk(own, |first, chunk| {
                chunk.iter_mut().zip(&from[first..]).for_each(|(to, from)| *to = *from + moved);
            });
            rest = others;
        }
        output.finish(data_type, HostMask::none())
    }
    let Some((first, _)) = pieces.first() else { return Err(Error::internal("there are no offsets to concatenate")) };
    match (ctx.stream.device(), first.data_type()) {
        (Device::Cuda(_), data_type) => cuda::join_offsets(pieces, data_type, ctx),
        (_, DataType::Int32) => joined::<i32>(pieces, &DataType::Int32, |moved| moved as i32, ctx),
        _ => joined::<i64>(pieces, &DataType::Int64, |moved| moved, ctx),
    }
}
