//! Operands as algorithms take them: with literals brought to the device. The one place that does so.

use gdf_core::{Column, DataType, Literal, Operand, Result, Scalar};

use crate::Ctx;
use crate::check;
use crate::decoded::Decoded;
use crate::input::Input;

/// Scalars of those operands that are literals, for as long as the operation runs.
///
/// On the CPU they are read where the caller has them. On a GPU each goes to scratch memory, through pinned memory and
/// without a wait, which takes 2 to 5 µs of the CPU and 1.5 µs of the stream (H200, 2026-11-22). Kernels could take them by
/// value, but `column_in` knows addresses only, and one of a kernel's own arguments is no global one, as wide types are read by.
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

    /// The operands that these were made of.
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

/// Those operands, decoded, that are views or dictionaries, for as long as the operation runs.
#[derive(Debug)]
pub struct DecodedOperands<const N: usize>([Option<DecodedOperand>; N]);

#[derive(Debug)]
enum DecodedOperand {
    Column(Column),
    Scalar(Scalar),
}

impl<const N: usize> DecodedOperands<N> {
    /// # Errors
    /// * Those of [`Decoded::of`].
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

    /// The operands that these were made of.
    pub fn resolve<'a>(&'a self, operands: [Operand<'a>; N]) -> [Operand<'a>; N] {
        let mut decoded = self.0.iter();
        operands.map(|operand| match decoded.next() {
            Some(Some(DecodedOperand::Column(column))) => Operand::Column(column.view()),
            Some(Some(DecodedOperand::Scalar(scalar))) => Operand::Scalar(scalar),
            _ => operand,
        })
    }
}

/// The operands, of which a literal takes the type of what is no literal, where that has the same value: for operations whose
/// inputs are of one type.
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

/// The operand as one value on the device. A literal takes the type of `like` where that has the same value.
///
/// # Errors
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): a column of other than one row.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch), [`BrokenData`](gdf_core::Error::BrokenData); driver and memory
///   errors.
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
