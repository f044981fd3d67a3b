//! The first and the last offset of columns of offsets.

use std::ops::Range;

use bytemuck::Pod;
use gdf_core::{ColumnView, DataType, Error, Result};
use gdf_driver::Device;
use gdf_kernels::generated::concatenate::OFFSET_PIECES;
use num_traits::AsPrimitive;

use super::cuda;
use crate::Ctx;
use crate::host::HostColumn;

/// The maximum number of columns that [`offset_ends`] takes.
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
