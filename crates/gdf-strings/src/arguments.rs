//! Arguments of operations on text besides the column of text: a value for each row, or one value for all rows.

use gdf_compute::unary::signed;
use gdf_core::{Abilities, Column, ColumnView, DataType, Error, Operand, Result, Scalar};
use gdf_engine::decoded::Decoded;
use gdf_engine::host::{Bits, HostColumn};
use gdf_engine::input::Input;
use gdf_engine::layout::characters;
use gdf_engine::strings;

use crate::Ctx;

pub(super) enum Argument<'a> {
    Given(Input<'a>),
    Made(Column),
    One(Scalar),
}

impl<'a> Argument<'a> {
    /// Takes the column of text that the operation works on, without a conversion.
    ///
    /// # Errors
    /// * [`Unsupported`](Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
    pub(super) fn column(operation: &'static str, column: ColumnView<'a>) -> Result<Self> {
        strings::is_large(operation, column)?;
        Ok(Argument::Given(column.into()))
    }

    /// Takes an argument of text.
    ///
    /// # Errors
    /// * [`TypeMismatch`](Error::TypeMismatch) for columns other than `Utf8` or `LargeUtf8`; driver and memory errors.
    pub(super) fn text(name: &'static str, operand: Operand<'a>, ctx: Ctx<'_>) -> Result<Self> {
        if !Abilities::of(operand.data_type()).text {
            return Err(Error::type_mismatch("Utf8 or LargeUtf8", operand.data_type()).in_argument(name));
        }
        Ok(match operand {
            Operand::Column(view) => match Decoded::of(view, ctx.scratch())? {
                Decoded::Given(text) => Argument::Given(text.into()),
                Decoded::Made(text) => Argument::Made(text),
            },
            Operand::Scalar(scalar) => match Decoded::of(scalar.view(), ctx.scratch())? {
                Decoded::Given(_) => Argument::Given(Input::Scalar(scalar)),
                Decoded::Made(text) => Argument::One(Scalar::from_column(text)?),
            },
            Operand::Literal(literal) => Argument::One(literal.to_operand_scalar(ctx.stream, ctx.mr.temporary)?),
        })
    }

    /// Returns an argument of integers, converted to `Int64`. Integers that do not fit become the largest `Int64`.
    ///
    /// # Errors
    /// * [`TypeMismatch`](Error::TypeMismatch) for columns that are not integers; driver and memory errors.
    pub(super) fn integers(name: &'static str, operand: Operand<'a>, ctx: Ctx<'_>) -> Result<Self> {
        let wanted = &DataType::Int64;
        if !operand.data_type().is_integer() {
            return Err(Error::type_mismatch("an integer type", operand.data_type()).in_argument(name));
        }
        Ok(match operand {
            Operand::Column(view) if view.data_type() == wanted => Argument::Given(view.into()),
            Operand::Column(view) => Argument::Made(signed(view, ctx.scratch())?),
            Operand::Scalar(scalar) if scalar.data_type() == wanted => Argument::Given(Input::Scalar(scalar)),
            Operand::Scalar(scalar) => Argument::One(Scalar::from_column(signed(scalar.view(), ctx.scratch())?)?),
            Operand::Literal(literal) => {
                // The type is an integer, so a literal without the wanted type is too large.
                let literal = literal.with_type(wanted).unwrap_or_else(|_| i64::MAX.into());
                Argument::One(literal.to_operand_scalar(ctx.stream, ctx.mr.temporary)?)
            }
        })
    }

    /// Estimates the number of bytes of the texts of `rows` rows.
    pub(super) fn estimated_bytes(&self, rows: usize) -> usize {
        match self.input() {
            Input::Scalar(text) => characters(text.view()).get().saturating_mul(rows),
            column => strings::estimated_bytes(column),
        }
    }

    pub(super) fn input(&self) -> Input<'_> {
        match self {
            Argument::Given(input) => *input,
            Argument::Made(column) => Input::Column(column.view()),
            Argument::One(scalar) => Input::Scalar(scalar),
        }
    }
}

/// Returns the value of an integer literal, which the CPU knows without a copy. The result is `None` for other operands
/// and for negative literals.
pub(super) fn known_integer(operand: Operand<'_>) -> Option<usize> {
    let Operand::Literal(literal) = operand else { return None };
    usize::try_from(literal.with_type(&DataType::Int64).ok()?.stored_word()? as i64).ok()
}

/// The integers of [`Argument::integers`], readable on the CPU.
pub(super) struct Integers<'a> {
    values: &'a [i64],
    validity: Option<Bits<'a>>,
    broadcast: bool,
}

impl<'a> Integers<'a> {
    pub(super) fn open(column: &'a HostColumn<'_>) -> Result<Self> {
        Ok(Self { values: column.values()?, validity: column.validity()?, broadcast: column.broadcast() })
    }

    pub(super) fn get(&self, row: usize) -> Option<i64> {
        let row = if self.broadcast { 0 } else { row };
        let valid = self.validity.is_none_or(|validity| validity.get(row));
        self.values.get(row).copied().filter(|_| valid)
    }
}
