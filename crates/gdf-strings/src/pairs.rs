//! Operations on a column of text and a second text. The second text is either a column with a text for each row, or
//! one text for all rows.

use gdf_core::{Column, ColumnView, DataType, Operand, Result};
use gdf_engine::cuda::Bytes;
use gdf_engine::elementwise::{self, Inputs, Launch, Nulls, Rows};
use gdf_engine::host::StringRows;
use gdf_engine::layout::characters;
use gdf_engine::operand::{DecodedOperands, Literals};
use gdf_engine::strings::is_large;

use crate::Ctx;

/// Computes a column of `output_type` from each row of `column` and `target`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`; the errors of
///   [`Inputs::new`]; driver and memory errors.
pub(super) fn pairs(
    operation: &'static str,
    column: ColumnView<'_>,
    target: Operand<'_>,
    output_type: &DataType,
    ctx: Ctx<'_>,
    host: impl Fn(&Rows<'_, 2>, &StringRows<'_>, &StringRows<'_>) -> Result<Column>,
    device: impl Fn(&Launch<'_, 2>, Bytes, Bytes) -> Result<()>,
) -> Result<Column> {
    let decoded = DecodedOperands::new(&[column.into(), target], ctx)?;
    let operands = decoded.resolve([column.into(), target]);
    let literals = Literals::new(&operands, ctx)?;
    let inputs = Inputs::new(literals.resolve(operands), ctx)?;
    is_large(operation, inputs.operands[0].view())?;
    is_large(operation, inputs.operands[1].view()).map_err(|error| error.in_argument("target"))?;
    let bytes = inputs.operands.map(|operand| characters(operand.view()));
    elementwise::map(
        inputs,
        output_type,
        Nulls::Keep,
        ctx,
        |rows| {
            let [texts, targets] = rows.columns();
            host(rows, &StringRows::open(texts)?, &StringRows::open(targets)?)
        },
        |launch| device(launch, bytes[0], bytes[1]),
    )
}
