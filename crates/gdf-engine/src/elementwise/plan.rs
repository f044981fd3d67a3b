//! What is decided before either backend begins.

use gdf_core::{ColumnView, Error, NullCount, Position, Result};
use gdf_memory::Buffer;

use crate::Ctx;
use crate::check;
use crate::input::Input;

/// Which rows of the result are null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    /// Those that are null in any input.
    Keep,
    /// As `Keep`, of one input, whose mask the result shares where it begins at bit 0.
    Share,
    /// Those that are null in every input.
    All,
    /// Those that the functor says; without `nullable`, none.
    Own { nullable: bool },
    /// None.
    Never,
}

/// One to three columns of one length on one device, and scalars, which stand for every row.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a, const N: usize> {
    pub operands: [Input<'a>; N],
    pub(super) rows: usize,
}

impl<'a, const N: usize> Inputs<'a, N> {
    /// # Errors
    /// * [`DeviceMismatch`](Error::DeviceMismatch), [`BrokenData`](Error::BrokenData); driver and memory errors.
    /// * [`LengthMismatch`](Error::LengthMismatch): a column is not as long as the first one.
    /// * [`InvalidArgument`](Error::InvalidArgument): all are scalars.
    pub fn new(operands: [Input<'a>; N], ctx: Ctx<'_>) -> Result<Self> {
        operands.iter().try_for_each(|operand| check::column(operand.view(), ctx))?;
        let mut lens = operands.iter().enumerate().filter_map(|(i, operand)| Some((i, operand.len()?)));
        let (_, first) = lens.next().ok_or_else(|| Error::invalid_argument("one of the operands must be a column"))?;
        lens.try_for_each(|(i, len)| check::length(first, len).map_err(|error| error.at(Position::Input(i))))?;
        Ok(Self { operands, rows: first })
    }

    /// As [`new`](Self::new), for results of `rows` rows, whatever the inputs have: the functor says which row it reads.
    ///
    /// # Errors
    /// * [`DeviceMismatch`](Error::DeviceMismatch), [`BrokenData`](Error::BrokenData); driver and memory errors.
    pub fn for_rows(operands: [Input<'a>; N], rows: usize, ctx: Ctx<'_>) -> Result<Self> {
        operands.iter().try_for_each(|operand| check::column(operand.view(), ctx))?;
        Ok(Self { operands, rows })
    }

    /// Rows of the result.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Whether the result has a mask that the engine makes.
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

/// The mask of a result that is null where its input is.
#[derive(Debug)]
pub enum SharedMask {
    /// All rows are valid.
    None,
    /// The input's begins at bit 0.
    Shared(Buffer, NullCount),
    /// The input's has to be copied to bit 0.
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

    /// The mask and its null count; `copied` makes the one that is not shared.
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
