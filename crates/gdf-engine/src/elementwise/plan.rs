//! The part of an elementwise operation that is independent of the backend.

use gdf_core::{ColumnView, Error, NullCount, Position, Result};
use gdf_memory::Buffer;

use crate::Ctx;
use crate::check;
use crate::input::Input;

/// The rule that determines which rows of the result are null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    /// Rows that are null in any input.
    Keep,
    /// The rows that are null in the only input. The result shares the mask of the input if the mask begins at bit 0.
    Share,
    /// Rows that are null in every input.
    All,
    /// Rows for which the functor returns null. If `nullable` is false, no row is null.
    Own { nullable: bool },
    /// No row is null.
    Never,
}

/// One to three inputs on one device. The columns among the inputs have the same length. A scalar stands for every
/// row.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a, const N: usize> {
    pub operands: [Input<'a>; N],
    pub(super) rows: usize,
}

impl<'a, const N: usize> Inputs<'a, N> {
    /// Checks the inputs.
    ///
    /// # Errors
    /// * [`DeviceMismatch`](Error::DeviceMismatch), [`BrokenData`](Error::BrokenData); driver and memory errors.
    /// * [`LengthMismatch`](Error::LengthMismatch): a column does not have the length of the first column.
    /// * [`InvalidArgument`](Error::InvalidArgument): all inputs are scalars.
    pub fn new(operands: [Input<'a>; N], ctx: Ctx<'_>) -> Result<Self> {
        operands.iter().try_for_each(|operand| check::column(operand.view(), ctx))?;
        let mut lens = operands.iter().enumerate().filter_map(|(i, operand)| Some((i, operand.len()?)));
        let (_, first) =
            lens.next().ok_or_else(|| Error::invalid_argument("all operands are scalars; pass at least 1 column"))?;
        lens.try_for_each(|(i, len)| check::length(first, len).map_err(|error| error.at(Position::Input(i))))?;
        Ok(Self { operands, rows: first })
    }

    /// Checks the inputs of a result of `rows` rows in the same way as [`new`](Self::new). The lengths of the inputs
    /// are not checked, because the functor chooses the rows to read.
    ///
    /// # Errors
    /// * [`DeviceMismatch`](Error::DeviceMismatch), [`BrokenData`](Error::BrokenData); driver and memory errors.
    pub fn for_rows(operands: [Input<'a>; N], rows: usize, ctx: Ctx<'_>) -> Result<Self> {
        operands.iter().try_for_each(|operand| check::column(operand.view(), ctx))?;
        Ok(Self { operands, rows })
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns whether the engine writes a mask for the result.
    pub fn nullable(&self, nulls: Nulls) -> bool {
        let mut masks = self.operands.iter().map(|operand| operand.has_validity());
        match nulls {
            Nulls::Keep => masks.any(|has_mask| has_mask),
            Nulls::All => masks.all(|has_mask| has_mask),
            Nulls::Own { nullable } => nullable,
            Nulls::Share | Nulls::Never => false,
        }
    }
}

/// The mask of a result that is null in the same rows as its input.
#[derive(Debug)]
pub enum SharedMask {
    /// All rows are valid.
    None,
    /// The mask of the input begins at bit 0, and the result shares the mask.
    Shared(Buffer, NullCount),
    /// The mask of the input begins at another bit, and has to be copied to bit 0.
    Copied,
}

impl SharedMask {
    pub fn of(column: ColumnView<'_>) -> Result<Self> {
        Ok(match column.validity() {
            None => SharedMask::None,
            Some(mask) if column.offset() == 0 => {
                let mask = mask.slice(0, column.len().div_ceil(8))?;
                SharedMask::Shared(mask, column.to_column().null_count_state().clone())
            }
            Some(_) => SharedMask::Copied,
        })
    }

    /// Returns the mask and its null count. If the mask is not shared, `copied` makes the copy.
    pub fn finish(
        self,
        copied: impl FnOnce() -> Result<(Option<Buffer>, NullCount)>,
    ) -> Result<(Option<Buffer>, NullCount)> {
        match self {
            SharedMask::None => Ok((None, NullCount::Known(0))),
            SharedMask::Shared(mask, null_count) => Ok((Some(mask), null_count)),
            SharedMask::Copied => copied(),
        }
    }
}
