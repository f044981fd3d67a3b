//! Copies ranges of consecutive rows, one range after the other. The elements of copied lists are such ranges.

mod cuda;
mod host;
mod plan;

use gdf_core::{Result, Table, TableView};
use gdf_driver::Device;

pub(crate) use self::host::HostRanges;
pub use self::plan::RowRanges;
use super::RowPlan;
use super::host::copy_table;
use super::nested::{SourceRows, beside_flat};
use crate::Ctx;

const GATHER: &str = "gather";

/// Returns the rows of `table` that `ranges` describes. The caller must have checked the table. If a range extends
/// beyond the table, the missing rows are zero or empty. If `begins` have a mask or `sizes` are given, the missing rows
/// are also null.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) under the conditions of [`RowPlan::new`];
///   [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
pub fn copy_ranges(table: &TableView<'_>, ranges: &RowRanges<'_>, ctx: Ctx<'_>) -> Result<Table> {
    match ctx.stream.device() {
        Device::Cpu => {
            let plan = RowPlan::with_lists(GATHER, table)?;
            if ranges.rows == 0 {
                return plan.empty(ctx);
            }
            let open = host::OpenRanges::open(ranges, ctx.stream)?;
            copy_table(&plan, &open.ranges(ranges, table.num_rows())?, ctx)
        }
        Device::Cuda(_) if ranges.begins.is_some() => {
            beside_flat(GATHER, table, SourceRows::Ranges(*ranges), ctx, |table| on_cuda(table, ranges, ctx))
        }
        Device::Cuda(_) => on_cuda(table, ranges, ctx),
    }
}

fn on_cuda(table: &TableView<'_>, ranges: &RowRanges<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let plan = RowPlan::new(GATHER, table)?;
    if ranges.rows == 0 { plan.empty(ctx) } else { cuda::copy_ranges(&plan, table.num_rows(), ranges, ctx) }
}

#[cfg(test)]
mod tests {
    use gdf_core::Column;

    use super::*;
    use crate::test_device::{rows, setup};

    #[test]
    fn only_the_rows_beyond_the_table_are_null() {
        let (stream, mr) = setup();
        let table = Column::from_slice_on(&[10_i64, 11, 12], &stream, mr.as_ref()).unwrap();
        let ends = Column::from_slice_on(&[2_i64, 4, 5, 6], &stream, mr.as_ref()).unwrap();
        let begins = Column::from_options_on(&[Some(2_i64), Some(-1), Some(7), None], &stream, mr.as_ref()).unwrap();
        let ranges = RowRanges { ends: ends.view(), begins: Some(begins.view()), sizes: None, rows: 6 };
        let copied = copy_ranges(&TableView::from(table.view()), &ranges, Ctx::new(&stream, &mr)).unwrap();
        assert_eq!(rows(copied.column(0).unwrap()), [Some(12), None, None, Some(10), None, None]);
    }
}
