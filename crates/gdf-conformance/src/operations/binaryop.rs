//! Area `binaryop`: operations on two columns.

use gdf_api::binaryop::{BinaryOperator, binary_operation};
use gdf_core::{Column, Error};

use super::Operation;
use crate::call::{Answered, Call, Failure};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] =
    &[("binaryop", run_binary_operation), ("is_supported_operation", is_supported_operation)];

/// Returns the operator. The function fails for libcudf's invalid operator, because gdf does not have an invalid
/// operator.
fn operator(call: &Call<'_>) -> Result<BinaryOperator, Failure> {
    if call.text("op")? == "INVALID_BINARY" {
        return Err(Error::unsupported("binary_operation", &call.data_type("out")?).into());
    }
    call.choice("op", BinaryOperator::NAMES)
}

fn run_binary_operation(call: &Call<'_>) -> Answered {
    let (lhs, rhs) = (call.given("lhs")?, call.given("rhs")?);
    let result = binary_operation(lhs.operand(), rhs.operand(), operator(call)?, &call.data_type("out")?)?;
    Ok(Answer::column(result)?)
}

/// gdf has no function that returns whether an operation is supported. Therefore the operation is called without rows.
/// gdf checks the types before the data, so the call returns an error if the operation is not supported.
fn is_supported_operation(call: &Call<'_>) -> Answered {
    let empty = |name: &str| Ok::<_, Failure>(Column::empty_on(&call.data_type(name)?, call.device())?);
    let (lhs, rhs) = (empty("lhs")?, empty("rhs")?);
    Ok(Answer::value(binary_operation(&lhs, &rhs, operator(call)?, &call.data_type("out")?).is_ok()))
}
