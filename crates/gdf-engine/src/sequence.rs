//! Columns that are made of few values: numbers with a constant step, and repetitions of one value.

use std::ops::{Add, Mul};

use bytemuck::Pod;
use gdf_core::{Column, DataType, Error, Operand, PhysicalType, Result, Scalar, physical_type};
use gdf_kernels::generated::filling::Sequence;

use crate::Ctx;
use crate::check;
use crate::elementwise::{self, Inputs, Nulls, Rows};
use crate::input::Input;
use crate::keys::row_indices;
use crate::operand::{of_one_type, one_value};
use crate::rows::{Piece, join_pieces};
use crate::vouch;

/// Returns `init`, `init + step`, and so on, `rows` numbers in total.
///
/// Implements `gdf_api::filling::sequence` with the stream and the memory resources of `ctx`. Returns the errors of
/// that function.
pub fn sequence(init: Operand<'_>, step: Operand<'_>, rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    let [init, step] = of_one_type(init, step);
    let data_type = init.data_type();
    if !matches!(numeric_width(data_type), Some(1 | 2 | 4 | 8)) {
        return Err(Error::unsupported("sequence", data_type));
    }
    check::types(data_type, step.data_type()).map_err(|error| error.in_argument("step"))?;
    let value = |operand, argument| -> Result<Scalar> {
        let value = one_value(operand, data_type, ctx).map_err(|error| error.in_argument(argument))?;
        // Only a scalar with a mask can be null.
        if value.view().has_validity() && !value.is_valid_on(ctx.stream)? {
            return Err(Error::invalid_argument("the scalar is null; pass a valid number").in_argument(argument));
        }
        Ok(value)
    };
    steps(&value(init, "init")?, &value(step, "step")?, rows, ctx)
}

/// Returns the row numbers of `rows` rows, starting at 0.
pub fn row_numbers(rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    let data_type = row_indices(rows);
    let [zero, one] = [0_u8, 1].map(|number| one_value(number.into(), &data_type, ctx));
    let numbers = steps(&zero?, &one?, rows, ctx)?;
    vouch::ascending(numbers.view());
    vouch::distinct(numbers.view());
    vouch::row_numbers(&numbers, rows);
    Ok(numbers)
}

/// Returns a column of `rows` rows, all equal to `value`. The value has a type that [`join_pieces`] takes.
///
/// # Errors
/// * The errors of [`join_pieces`], and of the conversion of a literal.
pub fn constant(value: Operand<'_>, rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    let value = one_value(value, value.data_type(), ctx).map_err(|error| error.in_argument("value"))?;
    join_pieces("from_scalar", value.view(), &[Piece::Repeated(&value, rows)], ctx)
}

/// Returns `init`, `init + step`, and so on.
pub fn steps(init: &Scalar, step: &Scalar, rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    let physical = physical_type(init.data_type());
    elementwise::map(
        Inputs::for_rows([Input::Scalar(init), Input::Scalar(step)], rows, ctx)?,
        init.data_type(),
        Nulls::Never,
        ctx,
        |rows| {
            macro_rules! of {
                ($native:ty, $add:ident, $times:ident) => {
                    filled::<$native>(rows, |init, step, row| init.$add(step.$times(row as $native)))
                };
            }
            match physical {
                PhysicalType::F32 => of!(f32, add, mul),
                PhysicalType::F64 => of!(f64, add, mul),
                PhysicalType::I8 | PhysicalType::U8 => of!(u8, wrapping_add, wrapping_mul),
                PhysicalType::I16 | PhysicalType::U16 => of!(u16, wrapping_add, wrapping_mul),
                PhysicalType::I32 | PhysicalType::U32 => of!(u32, wrapping_add, wrapping_mul),
                PhysicalType::I64 | PhysicalType::U64 => of!(u64, wrapping_add, wrapping_mul),
                _ => Err(Error::unsupported("sequence", init.data_type())),
            }
        },
        |launch| {
            let [init, step] = launch.inputs;
            launch.run_only(&Sequence { init, step, out: launch.out })
        },
    )
}

fn filled<T: Pod + Send + Sync>(rows: &Rows<'_, 2>, after: impl Fn(T, T, usize) -> T + Sync) -> Result<Column> {
    let [init, step] = rows.columns();
    let (init, step) = (init.values::<T>()?[0], step.values::<T>()?[0]);
    rows.filled(
        || rows.mask(),
        |first, out: &mut [T]| {
            out.iter_mut().zip(first..).for_each(|(slot, row)| *slot = after(init, step, row));
        },
    )
}

/// Returns the width in bytes of an integer type of up to 64 bits, of `Float32` or of `Float64`.
fn numeric_width(data_type: &DataType) -> Option<usize> {
    let is_number = data_type.is_integer() || matches!(data_type, DataType::Float32 | DataType::Float64);
    if is_number { gdf_core::width(data_type) } else { None }
}
