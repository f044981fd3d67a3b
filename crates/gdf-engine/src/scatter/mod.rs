//! Replaces rows of columns whose rows have fixed width, or are booleans, text or bytes.

mod cuda;
mod host;
mod plan;
#[cfg(test)]
mod tests;

use gdf_core::{ColumnView, Error, Operand, Position, Result, Scalar, Table, TableView, is_integral};
use gdf_driver::Device;

use self::plan::{SCATTER, Scatter, ScatterSource};
use crate::Ctx;
use crate::check;
use crate::choose::kind_of;
use crate::input::Input;
use crate::operand::one_value;
use crate::rows::{Bounds, OutOfBoundsPolicy, RowPlan};

/// Returns the rows of `target`, in which source row `i` replaces the row whose number is element `i` of `map`.
///
/// # Errors
/// * [`LengthMismatch`](Error::LengthMismatch) if the source has fewer rows than the map.
/// * [`ColumnCount`](Error::ColumnCount) and [`TypeMismatch`](Error::TypeMismatch) if the columns of both tables
///   differ in number or type, or if the map has no integers.
/// * [`Unsupported`](Error::Unsupported) for nested types, dictionaries, and views.
/// * [`OutOfBounds`](Error::OutOfBounds) by the policy; driver and memory errors.
pub fn scatter_rows(
    source: TableView<'_>,
    map: ColumnView<'_>,
    target: TableView<'_>,
    policy: OutOfBoundsPolicy,
    ctx: Ctx<'_>,
) -> Result<Table> {
    check::table(&source, ctx)?;
    if source.num_rows() < map.len() {
        return Err(Error::length_mismatch(map.len(), source.num_rows()).in_argument("source"));
    }
    let sources: Vec<_> = source.columns().iter().map(|column| Input::Column(*column)).collect();
    checked(&sources, map, &target, policy, ctx)
}

/// Scatters in the same way as [`scatter_rows`]. All elements of the map use the same source row, which consists of the
/// values `source`.
pub fn scatter_row(
    source: &[Operand<'_>],
    map: ColumnView<'_>,
    target: TableView<'_>,
    policy: OutOfBoundsPolicy,
    ctx: Ctx<'_>,
) -> Result<Table> {
    let values = row_of_values(source, &target, ctx)?;
    let sources: Vec<_> = values.iter().map(Input::Scalar).collect();
    checked(&sources, map, &target, policy, ctx)
}

/// Returns the values of one row of `target`.
pub fn row_of_values(source: &[Operand<'_>], target: &TableView<'_>, ctx: Ctx<'_>) -> Result<Vec<Scalar>> {
    if source.len() != target.num_columns() {
        return Err(Error::count_mismatch((target.num_columns(), "target column"), (source.len(), "source")));
    }
    let value = |(i, (&operand, column)): (usize, (&Operand<'_>, &ColumnView<'_>))| {
        let value = one_value(operand, column.data_type(), ctx);
        value.map_err(|error| error.in_argument("source").at(Position::Column(i)))
    };
    source.iter().zip(target.columns()).enumerate().map(value).collect()
}

fn checked<'a>(
    sources: &[Input<'a>],
    map: ColumnView<'a>,
    target: &TableView<'a>,
    policy: OutOfBoundsPolicy,
    ctx: Ctx<'_>,
) -> Result<Table> {
    if !is_integral(map.data_type()) {
        return Err(Error::type_mismatch("an integer type", map.data_type()).in_argument("map"));
    }
    check::column(map, ctx)?;
    check::table(target, ctx)?;
    if sources.len() != target.num_columns() {
        return Err(Error::count_mismatch((target.num_columns(), "target column"), (sources.len(), "source")));
    }
    let put = |(i, (&source, &target)): (usize, (&Input<'a>, &ColumnView<'a>))| {
        check::types(target.data_type(), source.data_type())
            .map_err(|error| error.in_argument("source").at(Position::Column(i)))?;
        let kind = kind_of(SCATTER, target.data_type())?;
        let nullable = target.has_validity() || source.has_validity();
        Ok(ScatterSource { source, target, kind, nullable })
    };
    let columns = sources.iter().zip(target.columns()).enumerate().map(put).collect::<Result<Vec<_>>>()?;
    let report = Bounds::from(policy) == Bounds::Report;
    let scatter = Scatter { columns, map, rows: target.num_rows(), report };
    let columns = match ctx.stream.device() {
        Device::Cpu => host::scatter(&scatter, ctx)?,
        Device::Cuda(_) => cuda::scatter(&scatter, ctx)?,
    };
    match columns {
        Some(columns) => Table::try_with_rows(columns, target.num_rows()),
        None => RowPlan::new(SCATTER, target)?.empty(ctx),
    }
}
