//! Copies ranges of consecutive rows, one range after the other. The elements of copied lists are such ranges.

mod cuda;
mod host;

use gdf_core::{ColumnView, Result, Table, TableView};
use gdf_driver::Device;

use super::RowPlan;
use super::host::copy_table;
use crate::Ctx;

/// Ranges of rows of a table. All columns have type `Int64` and a row for each range.
#[derive(Clone, Copy, Debug)]
pub struct RowRanges<'a> {
    /// For each range, the row of the result after the last row of the range. The ends ascend and are not null. The
    /// last end is `rows`.
    pub ends: ColumnView<'a>,
    pub begins: Option<ColumnView<'a>>,
    /// If given, the rows of a range whose size is 0 are null. The sizes are not null.
    pub sizes: Option<ColumnView<'a>>,
    /// The number of rows of the result.
    pub rows: usize,
}

impl RowRanges<'_> {
    /// Returns whether rows of the result may be null although no row of the table is null.
    fn nullable(&self) -> bool {
        self.sizes.is_some() || self.begins.is_some_and(|begins| begins.has_validity())
    }
}

/// Returns the rows of `table` that `ranges` describes. The caller must have checked the table. If a range extends
/// beyond the table, the missing rows are zero or empty. If `begins` have a mask or `sizes` are given, the missing rows
/// are also null.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) under the conditions of [`RowPlan::new`];
///   [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
pub fn copy_ranges(table: &TableView<'_>, ranges: &RowRanges<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let plan = RowPlan::new("gather", table)?;
    if ranges.rows == 0 {
        return plan.empty(ctx);
    }
    match ctx.stream.device() {
        Device::Cpu => {
            let open = host::OpenRanges::open(ranges, ctx.stream)?;
            copy_table(&plan, &open.ranges(ranges, table.num_rows())?, ctx)
        }
        Device::Cuda(_) => cuda::copy_ranges(&plan, table.num_rows(), ranges, ctx),
    }
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
