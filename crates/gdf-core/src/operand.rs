//! Operands: the inputs of an operation, each a column or a single value.

use arrow_schema::DataType;
use gdf_driver::Device;

use crate::literal::LiteralValue;
use crate::{Column, ColumnView, Literal, Scalar};

/// An input of an operation: a column with one value per row, or a single value for all rows.
///
/// Numbers, booleans, text and dates convert to literals (see [`Literal`]). On the CPU, operations read the literal in
/// place. On a GPU, operations copy the literal to scratch memory, without a wait.
#[derive(Clone, Copy)]
pub enum Operand<'a> {
    /// A value per row.
    Column(ColumnView<'a>),
    /// One value for all rows, on the columns' device.
    Scalar(&'a Scalar),
    /// One value for all rows, on the CPU.
    Literal(Literal<'a>),
}

impl<'a> Operand<'a> {
    /// Returns the logical type.
    pub fn data_type(self) -> &'a DataType {
        match self {
            Operand::Column(view) => view.data_type(),
            Operand::Scalar(scalar) => scalar.data_type(),
            Operand::Literal(literal) => literal.data_type(),
        }
    }

    /// Returns the device of the values. Returns `None` for a literal, which can be combined with columns of any
    /// device.
    pub fn device(self) -> Option<Device> {
        match self {
            Operand::Column(view) => Some(view.device()),
            Operand::Scalar(scalar) => Some(scalar.device()),
            Operand::Literal(_) => None,
        }
    }

    /// Returns whether the operand is a single value for all rows.
    pub fn is_scalar(self) -> bool {
        !matches!(self, Operand::Column(_))
    }

    /// Returns the number of rows. Returns `None` for a scalar or a literal.
    pub fn len(self) -> Option<usize> {
        match self {
            Operand::Column(view) => Some(view.len()),
            Operand::Scalar(_) | Operand::Literal(_) => None,
        }
    }

    /// Returns whether the operand is a column without rows.
    pub fn is_empty(self) -> bool {
        self.len() == Some(0)
    }

    /// Returns whether rows may be null.
    pub fn has_validity(self) -> bool {
        match self {
            Operand::Column(view) => view.has_validity(),
            Operand::Scalar(scalar) => scalar.view().has_validity(),
            Operand::Literal(literal) => literal.is_null(),
        }
    }
}

impl<'a> From<&'a Column> for Operand<'a> {
    fn from(column: &'a Column) -> Self {
        Operand::Column(column.view())
    }
}

impl<'a> From<ColumnView<'a>> for Operand<'a> {
    fn from(view: ColumnView<'a>) -> Self {
        Operand::Column(view)
    }
}

impl<'a> From<&'a Scalar> for Operand<'a> {
    fn from(scalar: &'a Scalar) -> Self {
        Operand::Scalar(scalar)
    }
}

impl<'a> From<Literal<'a>> for Operand<'a> {
    fn from(literal: Literal<'a>) -> Self {
        Operand::Literal(literal)
    }
}

impl<'a, T: LiteralValue<'a>> From<T> for Operand<'a> {
    fn from(value: T) -> Self {
        Operand::Literal(value.into())
    }
}
