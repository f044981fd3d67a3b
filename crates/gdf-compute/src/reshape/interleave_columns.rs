//! `interleave_columns`: the first row of each column, then the second row of each column, and so on. If the columns
//! have a fixed width, one pass computes the rows of the result.

use gdf_core::{
    Column, Error, NativeType, PhysicalType, Position, Result, TableView, dispatch_fixed_width, physical_type,
};
use gdf_engine::check;
use gdf_engine::cuda::CudaColumn;
use gdf_engine::elementwise::{self, Inputs, Nulls, Rows};
use gdf_engine::host::{HostColumn, HostMask};
use gdf_engine::rows::{AffineRows, rows_times};
use gdf_kernels::generated::common::TableIn;
use gdf_kernels::generated::reshape::InterleaveColumns;

use crate::Ctx;
use crate::concatenate::concatenate_columns;
use crate::lists::{copy_affine_column, may_share_values};

const INTERLEAVE: &str = "interleave_columns";

const MAX_COLUMNS: usize = 32;

/// Returns the first row of each column, then the second row of each column, and so on.
///
/// Implements `gdf_api::reshape::interleave_columns` with the stream and the memory resources of `ctx`. Returns the
/// errors of that function.
pub fn interleave_columns(table: TableView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    interleaved(INTERLEAVE, &table, ctx)
}

pub(super) fn interleaved(operation: &'static str, table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let Some(first) = table.columns().first() else {
        return Err(Error::invalid_argument("the table has no columns; pass at least 1 column").in_argument("table"));
    };
    for (i, column) in table.columns().iter().enumerate() {
        check::types(first.data_type(), column.data_type()).map_err(|error| error.at(Position::Column(i)))?;
    }
    check::table(table, ctx)?;
    let (rows, columns) = (table.num_rows(), table.num_columns());
    let length = rows_times(rows, columns)?;
    let physical = physical_type(first.data_type());
    let is_native = dispatch_fixed_width!(physical, T => size_of::<T>() > 0, else => false);
    if (2..=MAX_COLUMNS).contains(&columns) && is_native {
        return of_fixed_width(operation, table, physical, length as usize, ctx);
    }
    // A single column is shared, and rows of some types share values with the concatenated columns.
    let is_kept = columns == 1 || may_share_values(first.data_type());
    let joined = concatenate_columns(table.columns(), if is_kept { ctx } else { ctx.scratch() })?;
    let formula = AffineRows { length, divisor: columns as i64, by_quotient: 1, by_remainder: rows as i64, first: 0 };
    copy_affine_column(operation, joined.view(), formula, ctx)
}

fn of_fixed_width(
    operation: &'static str,
    table: &TableView<'_>,
    physical: PhysicalType,
    length: usize,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let columns = table.columns();
    elementwise::map(
        Inputs::for_rows([], length, ctx)?,
        columns[0].data_type(),
        Nulls::Own { nullable: columns.iter().any(|column| column.has_validity()) },
        ctx,
        |rows| {
            let columns = columns.iter().map(|column| HostColumn::open(*column, ctx.stream));
            let columns = columns.collect::<Result<Vec<_>>>()?;
            dispatch_fixed_width!(physical, T => on_host::<T>(rows, &columns),
                else => Err(Error::unsupported(operation, table.columns()[0].data_type())))
        },
        |launch| {
            let opened = columns.iter().map(|column| CudaColumn::open(*column, ctx.stream));
            let opened = opened.collect::<Result<Vec<_>>>()?;
            let mut input = TableIn::default();
            input.column.iter_mut().zip(&opened).for_each(|(slot, column)| *slot = column.desc());
            let (columns, out) = (columns.len() as i32, launch.out);
            launch.run_only(&InterleaveColumns { input, columns, out })
        },
    )
}

fn on_host<T: NativeType>(rows: &Rows<'_, 0>, columns: &[HostColumn<'_>]) -> Result<Column> {
    let values = columns.iter().map(HostColumn::values::<T>).collect::<Result<Vec<_>>>()?;
    let masks = columns.iter().map(HostColumn::validity).collect::<Result<Vec<_>>>()?;
    let count = columns.len();
    let mask = || -> Result<HostMask> {
        rows.mask_by(|word, []| {
            let rows = word * 64..rows.len().min(word * 64 + 64);
            let is_valid = |row: usize| masks[row % count].as_ref().is_none_or(|mask| mask.get(row / count));
            rows.enumerate().fold(0, |bits, (bit, row)| bits | u64::from(is_valid(row)) << bit)
        })
    };
    rows.filled(mask, |first, out: &mut [T]| {
        let (mut at, mut from) = (first / count, first % count);
        for slot in out {
            *slot = values[from][at];
            from += 1;
            if from == count {
                (at, from) = (at + 1, 0);
            }
        }
    })
}
