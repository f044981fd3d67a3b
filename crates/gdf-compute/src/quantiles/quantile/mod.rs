//! `quantile`: sorts the rows and returns a value for each requested share of the rows.

mod cuda;
mod host;

use gdf_core::{
    Abilities, Column, ColumnView, DataType, Error, ExpectedType, PhysicalType, Result, TableView, decimal_parts,
    is_integral, is_numeric, is_temporal, physical_type, same_type,
};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::policy::Interpolation;
use gdf_engine::rounding::power_of_ten;

use super::position::InterpolationPoint;
use crate::Ctx;
use crate::sorting::{NullOrder, Order, sort, sorted_rows_at};

const OPERATION: &str = "quantile";

/// The order of the rows of a column.
#[derive(Clone, Copy, Debug, Default)]
pub enum QuantileOrder<'a> {
    /// The rows are not sorted. The operation sorts the rows and leaves out null rows.
    #[default]
    Unsorted,
    /// The rows are sorted. Null rows count as rows.
    Sorted,
    /// The column contains row numbers in the sorted order of their rows. The operation leaves out rows whose numbers
    /// are not in the column.
    By(ColumnView<'a>),
}

/// Implements `gdf_api::quantiles::quantile` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn quantile(
    column: ColumnView<'_>,
    q: &[f64],
    interpolation: Interpolation,
    order: QuantileOrder<'_>,
    output_type: &DataType,
    ctx: Ctx<'_>,
) -> Result<Column> {
    check::column(column, ctx)?;
    check::shares(q)?;
    check_types(column.data_type(), output_type, interpolation)?;
    let shares = Shares { q, interpolation, output_type };
    match order {
        QuantileOrder::Sorted => shares.of(column, RowOf::Position, column.len(), ctx),
        QuantileOrder::By(order) => {
            check::column(order, ctx)?;
            if !is_integral(order.data_type()) {
                return Err(Error::type_mismatch("an integer type", order.data_type()).in_argument("order"));
            }
            shares.of(column, RowOf::Named(order), order.len(), ctx)
        }
        QuantileOrder::Unsorted => {
            let rows = column.len() - column.to_column().null_count_on(ctx.stream)?;
            let positions = shares.positions(rows);
            if let Some(selected) = sorted_rows_at(column, &positions, ctx.scratch())? {
                return shares.of(selected.view(), RowOf::Selected(&positions), rows, ctx);
            }
            let table = TableView::try_new(vec![column])?;
            let sorted = sort(table, &[Order::Ascending], &[NullOrder::After], ctx.scratch())?;
            shares.of(sorted.column(0)?.view(), RowOf::Position, rows, ctx)
        }
    }
}

fn check_types(input: &DataType, output: &DataType, interpolation: Interpolation) -> Result<()> {
    let number = is_numeric(input);
    if *output == DataType::Float64 && (number || *input == DataType::Boolean) {
        return Ok(());
    }
    if !number && (!is_temporal(input) || Abilities::of(input).order.is_none() || *output == DataType::Float64) {
        return Err(Error::unsupported(OPERATION, input));
    }
    if !same_type(input, output) {
        let natural = if number { DataType::Float64 } else { input.clone() };
        return Err(Error::type_mismatch(ExpectedType::KindOf(natural), output).in_argument("output_type"));
    }
    if physical_type(input) == PhysicalType::I256 && interpolation.mixes() {
        return Err(Error::unsupported(OPERATION, input));
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum RowOf<'a> {
    Position,
    Named(ColumnView<'a>),
    /// The column has only the rows at these positions of the sorted order, in this order.
    Selected(&'a [usize]),
}

struct Shares<'a> {
    q: &'a [f64],
    interpolation: Interpolation,
    output_type: &'a DataType,
}

impl Shares<'_> {
    fn positions(&self, rows: usize) -> Vec<usize> {
        let of = |q: &f64| {
            let point = InterpolationPoint::new(*q, rows, self.interpolation);
            [point.low, point.high]
        };
        let mut positions: Vec<_> = if rows == 0 { Vec::new() } else { self.q.iter().flat_map(of).collect() };
        positions.sort_unstable();
        positions.dedup();
        positions
    }

    fn of(&self, column: ColumnView<'_>, row: RowOf<'_>, rows: usize, ctx: Ctx<'_>) -> Result<Column> {
        if self.q.is_empty() {
            return Column::empty_on(self.output_type, ctx.stream.device());
        }
        if rows == 0 {
            return Column::nulls_on(self.output_type, self.q.len(), ctx.stream, ctx.mr.output);
        }
        let order = if let RowOf::Named(order) = row { Some(order) } else { None };
        match ctx.stream.device() {
            Device::Cpu => host::quantile(self, column, row, rows, ctx),
            Device::Cuda(_) => cuda::quantile(self, column, order, rows, ctx),
        }
    }

    /// Returns the conversion of decimals to doubles: a power of ten, and a flag.
    fn scale(&self, data_type: &DataType) -> (f64, bool) {
        let scale = decimal_parts(data_type).map_or(0, |(_, _, scale)| i32::from(scale));
        (power_of_ten(scale.unsigned_abs()), scale > 0)
    }
}
