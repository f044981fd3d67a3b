//! `copy_if_else`: checks and choice of backend; also for `replace_nulls`, which differs in its condition only.

use gdf_core::{Column, ColumnView, DataType, Error, Operand, PhysicalType, Result, TableView, physical_type};
use gdf_driver::Device;

use super::{cuda, host};
use crate::check;
use crate::context::Ctx;
use crate::rows::{RowKind, RowPlan};

/// Which rows are taken from the left input; the others are from the right.
#[derive(Clone, Copy)]
pub(crate) enum Condition<'a> {
    /// Those that are true and valid in this boolean column.
    True(ColumnView<'a>),
    /// Those that are valid in this column.
    Valid(ColumnView<'a>),
}

impl<'a> Condition<'a> {
    pub(super) fn view(self) -> ColumnView<'a> {
        match self {
            Condition::True(view) | Condition::Valid(view) => view,
        }
    }
}

/// What there is to do, once checked.
#[derive(Clone, Copy)]
pub(super) struct Selection<'a> {
    pub(super) lhs: Operand<'a>,
    pub(super) rhs: Operand<'a>,
    pub(super) condition: Condition<'a>,
    pub(super) kind: RowKind,
    /// Whether the result has a mask.
    pub(super) nullable: bool,
    /// Never 0.
    pub(super) rows: usize,
}

/// The row of `lhs` where `mask` is true and not null, else that of `rhs`; a scalar stands for every row.
///
/// # Errors
/// * [`TypeMismatch`](Error::TypeMismatch): `mask` is not boolean, or `lhs` and `rhs` differ in type.
/// * [`LengthMismatch`](Error::LengthMismatch): a column has another length than `mask`.
/// * [`Unsupported`](Error::Unsupported): nested types, dictionaries, and views.
/// * [`OffsetOverflow`](Error::OffsetOverflow): strings of more than 2³¹−1 bytes in all, unless the type is a Large one.
/// * [`DeviceMismatch`](Error::DeviceMismatch); driver and memory errors.
pub fn copy_if_else(lhs: Operand<'_>, rhs: Operand<'_>, mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    check::column(mask, ctx)?;
    check::boolean(&mask)?;
    let nullable = lhs.has_validity() || rhs.has_validity();
    select("copy_if_else", lhs, rhs, Condition::True(mask), nullable, ctx)
}

/// The rows of `lhs` where the condition holds, else of `rhs`, with the type of `lhs`. Checks all but the condition.
pub(crate) fn select(
    operation: &'static str,
    lhs: Operand<'_>,
    rhs: Operand<'_>,
    condition: Condition<'_>,
    nullable: bool,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let rows = condition.view().len();
    check::column(lhs.view(), ctx)?;
    check::column(rhs.view(), ctx)?;
    check::types(lhs.data_type(), rhs.data_type())?;
    for len in [lhs.len(), rhs.len()].into_iter().flatten() {
        check::length(rows, len)?;
    }
    let kind = kind_of(operation, lhs.data_type())?;
    let selection = Selection { lhs, rhs, condition, kind, nullable, rows };
    if rows == 0 {
        return empty(operation, lhs.view(), ctx);
    }
    match ctx.stream.device() {
        Device::Cpu => host::copy_if_else(selection, ctx),
        Device::Cuda(_) => cuda::copy_if_else(selection, ctx),
    }
}

/// How rows that come from two columns are moved, which share nothing with either.
pub(super) fn kind_of(operation: &'static str, data_type: &DataType) -> Result<RowKind> {
    Ok(match physical_type(data_type) {
        PhysicalType::Bool => RowKind::Bits,
        PhysicalType::String { large } | PhysicalType::Binary { large } => RowKind::Strings { large },
        other => RowKind::Bytes(other.width().ok_or_else(|| Error::unsupported(operation, data_type))?),
    })
}

/// A column without rows, of the type of `like`.
fn empty(operation: &'static str, like: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let table = RowPlan::new(operation, &TableView::try_new(vec![like])?)?.empty(ctx)?;
    Ok(table.column(0)?.clone())
}

#[cfg(test)]
#[path = "copy_if_else_tests.rs"]
mod tests;
