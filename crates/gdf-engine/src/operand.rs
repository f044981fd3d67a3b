//! Operands in the form in which algorithms read them. Only this file copies literals to the device.

use gdf_core::{Column, DataType, Literal, Operand, Result, Scalar};

use crate::Ctx;
use crate::check;
use crate::decoded::Decoded;
use crate::input::Input;

/// The scalars that replace the literals among the operands. The operation keeps this value alive until its launches
/// are enqueued.
///
/// Kernels cannot take literals by value, because the descriptor `column_in` contains only addresses of global memory,
/// and a kernel argument is not in global memory.
#[derive(Debug)]
pub struct Literals<const N: usize>([Option<Scalar>; N]);

impl<const N: usize> Literals<N> {
    pub fn new(operands: &[Operand<'_>; N], ctx: Ctx<'_>) -> Result<Self> {
        let mut scalars = [const { None }; N];
        for (scalar, operand) in scalars.iter_mut().zip(operands) {
            if let Operand::Literal(literal) = operand {
                *scalar = Some(literal.to_operand_scalar(ctx.stream, ctx.mr.temporary)?);
            }
        }
        Ok(Self(scalars))
    }

    /// Replaces the literals among `operands` by their scalars. `operands` must be the operands from which
    /// [`new`](Self::new) made the scalars.
    pub fn resolve<'a>(&'a self, operands: [Operand<'a>; N]) -> [Input<'a>; N] {
        let mut scalars = self.0.iter();
        operands.map(|operand| match (operand, scalars.next()) {
            (_, Some(Some(literal))) => Input::Scalar(literal),
            (Operand::Scalar(scalar), _) => Input::Scalar(scalar),
            (Operand::Column(view), _) => Input::Column(view),
            (Operand::Literal(_), _) => unreachable!("a literal has a scalar"),
        })
    }
}

/// The decoded columns and scalars of those operands that contain views or have a dictionary. The operation keeps this
/// value alive until its launches are enqueued.
#[derive(Debug)]
pub struct DecodedOperands<const N: usize>([Option<DecodedOperand>; N]);

#[derive(Debug)]
enum DecodedOperand {
    Column(Column),
    Scalar(Scalar),
}

impl<const N: usize> DecodedOperands<N> {
    /// Decodes the columns and scalars among the operands that contain views or have a dictionary.
    ///
    /// # Errors
    /// * The errors of [`Decoded::of`].
    pub fn new(operands: &[Operand<'_>; N], ctx: Ctx<'_>) -> Result<Self> {
        let mut decoded = [const { None }; N];
        for (place, operand) in decoded.iter_mut().zip(operands) {
            *place = match operand {
                Operand::Column(view) => match Decoded::of(*view, ctx)? {
                    Decoded::Made(column) => Some(DecodedOperand::Column(column)),
                    Decoded::Given(_) => None,
                },
                Operand::Scalar(scalar) => match Decoded::of(scalar.view(), ctx)? {
                    Decoded::Made(value) => Some(DecodedOperand::Scalar(Scalar::from_column(value)?)),
                    Decoded::Given(_) => None,
                },
                Operand::Literal(_) => None,
            };
        }
        Ok(Self(decoded))
    }

    /// Replaces the operands that were decoded by their decoded form. `operands` must be the operands that were passed
    /// to [`new`](Self::new).
    pub fn resolve<'a>(&'a self, operands: [Operand<'a>; N]) -> [Operand<'a>; N] {
        let mut decoded = self.0.iter();
        operands.map(|operand| match decoded.next() {
            Some(Some(DecodedOperand::Column(column))) => Operand::Column(column.view()),
            Some(Some(DecodedOperand::Scalar(scalar))) => Operand::Scalar(scalar),
            _ => operand,
        })
    }
}

/// Converts a literal to the type of the other operand, for operations whose inputs have one type. The literal keeps
/// its own type if the other type cannot represent the same value.
pub fn of_one_type<'a>(lhs: Operand<'a>, rhs: Operand<'a>) -> [Operand<'a>; 2] {
    let to = |literal: Literal<'a>, other: Operand<'a>| {
        Operand::Literal(literal.with_type(other.data_type()).unwrap_or(literal))
    };
    match (lhs, rhs) {
        (Operand::Literal(_), Operand::Literal(_)) => [lhs, rhs],
        (Operand::Literal(literal), other) => [to(literal, other), other],
        (other, Operand::Literal(literal)) => [other, to(literal, other)],
        _ => [lhs, rhs],
    }
}

/// Returns the operand as a scalar on the device.
///
/// # Errors
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): the operand is a column that does not have exactly one row.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch), [`BrokenData`](gdf_core::Error::BrokenData); driver and
///   memory errors.
pub fn one_value(operand: Operand<'_>, like: &DataType, ctx: Ctx<'_>) -> Result<Scalar> {
    let scalar = match operand {
        Operand::Scalar(scalar) => scalar.clone(),
        Operand::Column(view) => Scalar::from_column(view.to_column())?,
        Operand::Literal(literal) => {
            literal.with_type(like).unwrap_or(literal).to_operand_scalar(ctx.stream, ctx.mr.temporary)?
        }
    };
    check::column(scalar.view(), ctx)?;
    Ok(scalar)
}
