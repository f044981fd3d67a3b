//! `gather`: checks the arguments.

#[cfg(test)]
mod tests;

use gdf_core::{ColumnView, Error, Result, Table, TableView, is_integral};
use gdf_engine::check;
use gdf_engine::rows::Bounds;

use crate::Ctx;
use crate::lists;
pub use gdf_engine::rows::OutOfBoundsPolicy;

/// Returns the rows of `table` whose numbers are in `map`, in the order of `map`.
///
/// Implements `gdf_api::copying::gather` with the stream and the memory resources of `ctx`. Returns the errors of that
/// function.
pub fn gather(table: TableView<'_>, map: ColumnView<'_>, policy: OutOfBoundsPolicy, ctx: Ctx<'_>) -> Result<Table> {
    checked(&table, map, Bounds::from(policy), ctx)
}

/// Gathers in the same way as [`gather`], but does not check whether the elements of `map` are rows of the table. The
/// function waits for the stream only if there are string or binary columns.
///
/// ```
/// # mod gdf { pub use gdf_core::{self as core, *}; pub use gdf_compute::*; }
/// use gdf::{Column, Table};
/// use gdf::{copying::gather_unchecked, scope::Ctx};
/// use gdf::{Device, Stream};
/// use gdf::memory::current_resource;
///
/// let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu)?);
/// let table = Table::try_new(vec![Column::from_slice_on(&[10, 11, 12], &stream, mr.as_ref())?])?;
/// let map = Column::from_slice_on(&[2_u32, 0], &stream, mr.as_ref())?;
/// // SAFETY: both elements are rows of the table.
/// let rows = unsafe { gather_unchecked(table.view(), map.view(), Ctx::new(&stream, &mr))? };
/// assert_eq!(rows.column(0)?.buffers()[0].read_on(&stream)?.as_slice::<i32>()?, [12, 10]);
/// # Ok::<(), gdf_core::Error>(())
/// ```
///
/// # Safety
/// * Every element of `map` that is not null must be the number of a row of `table`. A negative element counts from
///   the end and must be at least `-table.num_rows()`.
///
/// # Errors
/// The errors of [`gather`], except for `OutOfBounds`.
pub unsafe fn gather_unchecked(table: TableView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    checked(&table, map, crate::vouch::trusted(), ctx)
}

fn checked(table: &TableView<'_>, map: ColumnView<'_>, bounds: Bounds, ctx: Ctx<'_>) -> Result<Table> {
    if !is_integral(map.data_type()) {
        return Err(Error::type_mismatch("an integer type", map.data_type()).in_argument("map"));
    }
    check::column(map, ctx)?;
    check::table(table, ctx)?;
    lists::gather_rows(table, map, bounds, ctx)
}
