//! Sums of integers with a flag that states whether the sum does not fit in 64 bits.

use gdf_core::{Column, ColumnParts, DataType, Field, Result};
use gdf_engine::cast::cast;

use crate::Ctx;
use crate::binaryop::{BinaryOperator, of};
use crate::vouch;

/// The type of an exact sum of integers of up to 64 bits, which cannot overflow.
pub const EXACT_SUM: DataType = DataType::Decimal128(38, 0);

/// Returns the type of a struct of a sum and its overflow flag.
pub fn sum_overflow_type() -> DataType {
    let field = |name, data_type| Field::new(name, data_type, true);
    DataType::Struct([field("sum", DataType::Int64), field("overflow", DataType::Boolean)].into_iter().collect())
}

/// Returns a struct for each exact sum: the sum wrapped to 64 bits, and whether the exact sum does not fit in 64 bits.
///
/// # Errors
/// * Driver and memory errors.
pub fn with_overflow(exact: &Column, ctx: Ctx<'_>) -> Result<Column> {
    let scratch = ctx.scratch();
    let sum = cast(exact.view(), &DataType::Int64, scratch)?.deep_copy(ctx.stream, ctx.mr.output)?;
    let wrapped = cast(sum.view(), &EXACT_SUM, scratch)?;
    let overflow = of(exact, BinaryOperator::NotEqual, (&wrapped).into(), &DataType::Boolean, ctx)?;
    let nulls = sum.clone().into_parts();
    let parts = ColumnParts::structs(ctx.stream.device(), exact.len(), [("sum", sum), ("overflow", overflow)]);
    vouch::result(ColumnParts { validity: nulls.validity, null_count: nulls.null_count, ..parts })
}
