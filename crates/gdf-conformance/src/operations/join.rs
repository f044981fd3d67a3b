//! Area `join`: rows of two tables matched by keys.

use gdf_api::binaryop::{BinaryOperator, binary_operation};
use gdf_api::copying::copy_if_else;
use gdf_api::join::{self, JOIN_NO_MATCH, NullEquality};
use gdf_core::{Column, DataType, Scalar, Table};

use super::Operation;
use crate::call::{Answered, Call, Failure};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[
    ("inner_join", |call| pairs(call, |left, right, nulls| join::inner_join(left, right, nulls))),
    ("left_join", |call| pairs(call, |left, right, nulls| join::left_join(left, right, nulls))),
    ("full_join", |call| pairs(call, |left, right, nulls| join::full_join(left, right, nulls))),
    ("left_semi_join", |call| rows(call, |left, right, nulls| join::left_semi_join(left, right, nulls))),
    ("left_anti_join", |call| rows(call, |left, right, nulls| join::left_anti_join(left, right, nulls))),
];

const EQUALITIES: [(&str, NullEquality); 2] = [("EQUAL", NullEquality::Equal), ("UNEQUAL", NullEquality::Unequal)];

fn pairs(call: &Call<'_>, join: fn(&Table, &Table, NullEquality) -> gdf_core::Result<(Column, Column)>) -> Answered {
    let nulls = call.choice("nulls_equal", &EQUALITIES)?;
    let (left, right) = join(&call.table("left")?, &call.table("right")?, nulls)?;
    Ok(Answer::table(Table::try_new(vec![nulls_for_no_match(call, left)?, nulls_for_no_match(call, right)?])?))
}

fn rows(call: &Call<'_>, join: fn(&Table, &Table, NullEquality) -> gdf_core::Result<Column>) -> Answered {
    let nulls = call.choice("nulls_equal", &EQUALITIES)?;
    Ok(Answer::column(join(&call.table("left")?, &call.table("right")?, nulls)?)?)
}

/// Replaces gdf's row index for rows without match by the null that libcudf returns.
fn nulls_for_no_match(call: &Call<'_>, rows: Column) -> Result<Column, Failure> {
    let scalar = |value: Option<u32>| Scalar::typed_on(value, &DataType::UInt32, call.stream(), call.resource());
    let matched = binary_operation(&rows, &scalar(Some(JOIN_NO_MATCH))?, BinaryOperator::NotEqual, &DataType::Boolean)?;
    Ok(copy_if_else(&rows, &scalar(None)?, &matched)?)
}
