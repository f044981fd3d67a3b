//! Copies rows whose numbers are computed. Row `r` of the result is row `first + r / divisor * by_quotient + r %
//! divisor * by_remainder` of the table.

use gdf_core::{Column, ColumnView, DataType, Error, Result, Table, TableView, width};
use gdf_driver::Device;
pub use gdf_kernels::generated::copying::AffineRows;
use gdf_kernels::generated::copying::{Affine, AffineKernel, AffineSizes, AffineValues};

use super::RowPlan;
use super::cuda::TiledCopy;
use super::host::{Gather, RowMap, copy_table};
use super::nested::{SourceRows, beside_flat};
use crate::Ctx;
use crate::cuda::{Grid, Kernel, Tiles};
use crate::vouch;

/// Returns the rows of `table` whose numbers the formula yields. The caller must have checked the table. All numbers
/// that the formula yields must be rows of the table.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) under the conditions of [`RowPlan::new`];
///   [`OffsetOverflow`](Error::OffsetOverflow).
pub fn copy_affine(operation: &'static str, table: &TableView<'_>, rows: AffineRows, ctx: Ctx<'_>) -> Result<Table> {
    match ctx.stream.device() {
        Device::Cpu => {
            let plan = RowPlan::with_lists(operation, table)?;
            if rows.length == 0 {
                return plan.empty(ctx);
            }
            copy_table(&plan, &Gather { map: RowMap::affine(rows), nulls: false }, ctx)
        }
        Device::Cuda(_) => beside_flat(operation, table, SourceRows::Affine(rows), ctx, |table| {
            let plan = RowPlan::new(operation, table)?;
            if rows.length == 0 { plan.empty(ctx) } else { on_cuda(&plan, rows, ctx) }
        }),
    }
}

/// Returns the bytes of fixed-width values as `UInt8`. The bytes of each value are in reverse order.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument) under the conditions of [`rows_times`]; driver and memory errors.
pub fn reversed_bytes(operation: &'static str, values: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let width = width(values.data_type()).ok_or_else(|| Error::unsupported(operation, values.data_type()))?;
    let (length, size) = (rows_times(values.len(), width)?, values.len() * width);
    let bytes = values.buffers()[0].slice(values.offset() * width, size)?;
    let bytes = vouch::numbers(DataType::UInt8, bytes, size, ctx.stream)?;
    let width = width as i64;
    let rows = AffineRows { length, divisor: width, by_quotient: width, by_remainder: -1, first: width - 1 };
    Ok(copy_affine(operation, &TableView::from(bytes.view()), rows, ctx)?.column(0)?.clone())
}

/// Returns the formula of the numbers of all rows.
///
/// # Errors
/// * The errors of [`rows_times`].
pub fn every_row(rows: usize) -> Result<AffineRows> {
    Ok(AffineRows { length: rows_times(rows, 1)?, divisor: 1, by_quotient: 1, by_remainder: 0, first: 0 })
}

/// Returns the formula that yields the number of the first row `times` times.
///
/// # Errors
/// * The errors of [`rows_times`].
pub fn first_row_repeated(times: usize) -> Result<AffineRows> {
    Ok(AffineRows { by_quotient: 0, ..every_row(times)? })
}

/// Returns the number of rows of a result that repeats each of `rows` rows `times` times.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument): the number does not fit in 64 bits.
pub fn rows_times(rows: usize, times: usize) -> Result<i64> {
    let product = rows.checked_mul(times).filter(|product| *product < isize::MAX as usize);
    product
        .map(|product| product as i64)
        .ok_or_else(|| Error::invalid_argument("the result would have 2^63 - 1 rows or more; use fewer rows"))
}

fn on_cuda(plan: &RowPlan<'_>, rows: AffineRows, ctx: Ctx<'_>) -> Result<Table> {
    let stream = ctx.stream;
    let length = rows.length as usize;
    let fixed = Kernel::<Affine>::choose(AffineKernel::Fixed, stream)?;
    let text = Kernel::<Affine>::choose(AffineKernel::Text, stream)?;
    let values = Kernel::<AffineValues>::find(stream)?;
    let measuring = Kernel::find(stream)?;
    let share = fixed.share(length);
    let tiles = length.div_ceil(share * fixed.threads());
    let (share, tile_count) = (share as i32, Tiles::new(tiles));
    TiledCopy { plan, length, nullable: false, tiles, ctx }.run(
        |open, counts, mailbox| {
            let (input, copy) = (open.input, open.copy);
            let arguments = AffineSizes { rows, input, copy, counts, share, tiles: tile_count, mailbox };
            open.run(&measuring, Grid::Columns(measuring.spread_blocks(length), open.columns()), &arguments)
        },
        |open, counts, all_text| {
            let kernel = if all_text { &text } else { &fixed };
            let (input, out, copy, columns) = (open.input, open.out, open.copy, open.columns());
            let mut copied = copy.column.iter().zip(&out.column).take(columns as usize);
            if copied.all(|(copy, out)| copy.kind > 0 && out.validity.is_null()) {
                let arguments = AffineValues { rows, input, out, copy, multiplier: multiplier(rows) };
                return open.run(&values, Grid::Columns(values.streaming_blocks(length), columns), &arguments);
            }
            let arguments = Affine { rows, input, out, copy, counts, share, tiles: tile_count };
            open.run(kernel, Grid::Columns(kernel.spread_blocks(length), columns), &arguments)
        },
    )
}

/// Returns the number by which kernels multiply instead of dividing by `rows.divisor`. The result is 0 if no such
/// number is needed, or if row numbers have more than 32 bits.
fn multiplier(rows: AffineRows) -> u32 {
    match (u32::try_from(rows.length), u32::try_from(rows.divisor)) {
        (Ok(length), Ok(divisor)) if divisor > 1 && divisor < length => {
            let bits = u32::BITS - (divisor - 1).leading_zeros();
            let divisor = u64::from(divisor);
            // The quotient is below 2^32, because the power of two is less than twice the divisor.
            ((((1 << bits) - divisor) << 32) / divisor) as u32 + 1
        }
        _ => 0,
    }
}
