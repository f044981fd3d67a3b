//! `binary_operation`: checks, plan, choice of backend.

use gdf_core::{Column, DataType, Error, Operand, Result};
use gdf_driver::Device;

use super::plan::plan;
use super::{BinaryOperator, cuda, host};
use crate::check;
use crate::context::Ctx;

/// `lhs op rhs`, element by element, as a column of type `output_type`; a scalar stands for every row.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument) when both operands are scalars, or the scales of decimals lie too far
///   apart for the type that the work is done in.
/// * [`LengthMismatch`](Error::LengthMismatch), [`DeviceMismatch`](Error::DeviceMismatch).
/// * [`Unsupported`](Error::Unsupported), [`TypeMismatch`](Error::TypeMismatch): see
///   [`default_output_type`](super::default_output_type()); and for output types that the result cannot be converted to.
/// * Driver and memory errors.
pub fn binary_operation(
    lhs: Operand<'_>,
    rhs: Operand<'_>,
    op: BinaryOperator,
    output_type: &DataType,
    ctx: Ctx<'_>,
) -> Result<Column> {
    check::column(lhs.view(), ctx)?;
    check::column(rhs.view(), ctx)?;
    let rows = match (lhs.len(), rhs.len()) {
        (Some(lhs), Some(rhs)) => {
            check::length(lhs, rhs)?;
            lhs
        }
        (Some(rows), None) | (None, Some(rows)) => rows,
        (None, None) => return Err(Error::InvalidArgument { what: "one of the operands must be a column" }),
    };
    let plan = plan(op, lhs.data_type(), rhs.data_type(), output_type)?;
    if rows == 0 {
        return Column::empty(output_type, ctx.stream.device());
    }
    match ctx.stream.device() {
        Device::Cpu => host::binary_operation(lhs, rhs, rows, plan, output_type, ctx),
        Device::Cuda(_) => cuda::binary_operation(lhs, rhs, rows, plan, output_type, ctx),
    }
}
