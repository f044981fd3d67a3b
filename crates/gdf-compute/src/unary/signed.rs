//! Conversion of integers of any type to `Int64`.

use gdf_core::{Column, ColumnView, DataType, Result};
use gdf_engine::binary::{BinaryOperator as Op, of};
use gdf_engine::cast::cast;
use gdf_engine::choose::choose;

use crate::Ctx;

/// Returns integers as `Int64`. Integers that do not fit become the largest number of this type.
pub fn signed(integers: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let long = &DataType::Int64;
    if *integers.data_type() != DataType::UInt64 {
        return cast(integers, long, ctx);
    }
    // An integer that does not fit has become negative in the cast.
    let wrapped = cast(integers, long, ctx)?;
    let is_beyond = of(&wrapped, Op::Less, 0_i64.into(), &DataType::Boolean, ctx)?;
    choose(i64::MAX.into(), (&wrapped).into(), is_beyond.view(), ctx)
}
