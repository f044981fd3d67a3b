//! The default type of a result, and the check that the types of the operands can be combined.

use gdf_core::{Abilities, DataType, Error, Result, ValueOrder, is_floating, is_integral, is_string, same_type};

use super::decimal::{self, Decimal};
use super::decoded_type;
use super::number::Number;
use crate::{BinaryGroup as Group, BinaryOperator};

const OPERATION: &str = "binary_operation";
use super::temporal::{self, Temporal};

/// Returns the default type of `lhs op rhs`, which is the type that needs no conversion of the result.
///
/// | operands | operators | type |
/// |---|---|---|
/// | two comparable types | comparisons | `Boolean` |
/// | structs, lists or maps of one sortable type | comparisons | `Boolean` |
/// | booleans, numbers (no decimals) | logic | `Boolean` |
/// | booleans | `Bitwise…`, `NullMax`, `NullMin` | `Boolean` |
/// | integers | shifts | the type of `lhs` |
/// | integers | `IntPow` | the common type |
/// | integers | `TrueDiv`, `Pow`, `LogBase`, `Atan2` | `Float64` |
/// | booleans, numbers | all other operators (floats have neither bitwise operators nor `IntPow`) | the common type |
/// | decimals | `Add`, `Sub` | scale `s = max(s1, s2)`, precision `max(p1 - s1, p2 - s2) + s + 1` |
/// | | `Mul` | scale `s1 + s2`, precision `p1 + p2 + 1` |
/// | | `Div` | scale `s = min(s1 + 4, max_scale)`, precision `p1 + s - s1 + s2` |
/// | | `Mod`, `PMod`, `PyMod` | scale `s = max(s1, s2)`, precision `min(p1 - s1, p2 - s2) + s` |
/// | | `FloorDiv` | scale 0, precision `p1 - s1 + s2 + 1` |
/// | | `NullMax`, `NullMin` | scale `s = max(s1, s2)`, precision `max(p1 - s1, p2 - s2) + s` |
/// | timestamp, duration | `Add`, `Sub` | timestamp |
/// | timestamps, dates | `Sub` | duration |
/// | durations | `Add`, `Sub`, `Mod`, `PMod`, `PyMod` | duration |
/// | durations | `Div`, `FloorDiv` | `Int64` |
/// | duration, integer | `Mul`, `Div`, `FloorDiv` | duration |
/// | two temporal types of a kind | `NullMax`, `NullMin` | the type with the finer unit |
/// | strings or byte strings of one type | `NullMax`, `NullMin` | that type |
///
/// String views count as `Utf8`, binary views as `Binary`, and dictionaries as the type of their values.
///
/// In the rows for decimals, `p1` and `s1` are the precision and the scale of `lhs`, and `p2` and `s2` those of `rhs`.
/// An integer operand counts as a decimal of scale 0, with the digits of the largest value of its type. The result has
/// the wider of the two widths. Its precision is limited to the largest precision of that width.
///
/// Temporal results have the finer of the two units. Booleans count as 8-bit unsigned integers.
///
/// The *common type* of two numbers is:
/// * for two integers of one signedness, and for two floats, the wider type;
/// * for a signed and an unsigned integer, the narrowest signed type that holds both, and `Int64` if the unsigned
///   type is `UInt64`;
/// * for an integer and a float, the wider of the float type and the float type of twice the integer's width, up to
///   `Float64`.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) when the operator does not exist for a type.
/// * [`TypeMismatch`](Error::TypeMismatch) when the types cannot be combined.
/// * [`InvalidArgument`](Error::InvalidArgument) when the scale of the result does not fit its decimal type.
pub fn default_output_type(op: BinaryOperator, lhs: &DataType, rhs: &DataType) -> Result<DataType> {
    natural(op, lhs, rhs).map_err(|error| error.in_operation("default_output_type").in_variant(op.name()))
}

/// Returns the same type as [`default_output_type`]. The errors name no operation, which each caller adds.
pub fn natural(op: BinaryOperator, lhs: &DataType, rhs: &DataType) -> Result<DataType> {
    let (lhs, rhs) = (decoded_type(lhs), decoded_type(rhs));
    if op.is_comparison() {
        return comparable(lhs, rhs).map(|()| DataType::Boolean);
    }
    if op.is_logical() {
        return [lhs, rhs].into_iter().try_for_each(truth).map(|()| DataType::Boolean);
    }
    if op.group() == Group::Choice && is_bytes(lhs) && same_type(lhs, rhs) {
        return Ok(lhs.clone());
    }
    if let Some((lhs, rhs)) = Decimal::pair(lhs, rhs) {
        return decimal::output_type(op, lhs, rhs);
    }
    if Temporal::of(lhs).is_some() || Temporal::of(rhs).is_some() {
        return temporal::output_type(op, lhs, rhs).ok_or_else(|| refused(lhs, rhs));
    }
    if (lhs, rhs) == (&DataType::Boolean, &DataType::Boolean) && matches!(op.group(), Group::Choice | Group::Bitwise) {
        return Ok(DataType::Boolean);
    }
    let (Some(left), Some(right)) = (Number::of(lhs), Number::of(rhs)) else {
        return Err(refused(lhs, rhs));
    };
    if op.is_integral()
        && let Some(float) = [lhs, rhs].into_iter().find(|side| is_floating(side))
    {
        return Err(Error::unsupported(OPERATION, float));
    }
    if matches!(op.group(), Group::Shift | Group::Power) && !(is_integral(lhs) && is_integral(rhs)) {
        return Err(Error::unsupported(OPERATION, &DataType::Boolean));
    }
    if op.group() == Group::Shift {
        return Ok(lhs.clone());
    }
    Ok(match (op.group(), left.join(right)) {
        (Group::TrueDivision | Group::Function, common) if !common.is_float() => DataType::Float64,
        (_, common) => common.data_type(),
    })
}

fn comparable(lhs: &DataType, rhs: &DataType) -> Result<()> {
    if is_nested_key(lhs) && is_nested_key(rhs) {
        return if same_type(lhs, rhs) { Ok(()) } else { Err(Error::incompatible_types(lhs, rhs)) };
    }
    if is_bytes(lhs) && is_bytes(rhs) && is_string(lhs) == is_string(rhs) {
        return Ok(());
    }
    if let (Some(lhs), Some(rhs)) = (Temporal::of(lhs), Temporal::of(rhs))
        && lhs.comparable(rhs)
    {
        return Ok(());
    }
    let numbers = Number::of(lhs).is_some() && Number::of(rhs).is_some();
    if numbers || Decimal::pair(lhs, rhs).is_some() { Ok(()) } else { Err(refused(lhs, rhs)) }
}

/// Returns whether the type is a struct, a list or a map whose rows have an order.
fn is_nested_key(data_type: &DataType) -> bool {
    let abilities = Abilities::of(data_type);
    abilities.nested && abilities.sortable
}

/// Returns whether the type is a text or byte string type, whose values are ordered by their bytes.
fn is_bytes(data_type: &DataType) -> bool {
    Abilities::of(data_type).order == Some(ValueOrder::Bytes)
}

/// Checks that the values of a type can be truth values, as booleans and numbers can.
fn truth(data_type: &DataType) -> Result<()> {
    match Number::of(data_type) {
        Some(_) => Ok(()),
        None => Err(Error::unsupported(OPERATION, data_type)),
    }
}

/// Returns the error for two types that cannot be combined. A type without any operators is named alone.
fn refused(lhs: &DataType, rhs: &DataType) -> Error {
    let known = |of: &DataType| Abilities::of(of).order.is_some() && !matches!(of, DataType::Interval(_));
    match [lhs, rhs].into_iter().find(|of| !known(of)) {
        Some(of) => Error::unsupported(OPERATION, of),
        None if is_bytes(lhs) && same_type(lhs, rhs) => Error::unsupported_pair(OPERATION, lhs, rhs)
            .with_remedy("use comparisons, NullMin or NullMax for text or bytes"),
        None if same_type(lhs, rhs) => Error::unsupported_pair(OPERATION, lhs, rhs),
        None => Error::incompatible_types(lhs, rhs),
    }
}

#[cfg(test)]
mod tests {
    use gdf_core::TimeUnit::{Millisecond, Second};

    use super::*;
    use BinaryOperator::*;
    use DataType::*;

    #[test]
    fn defaults() {
        let of = |op, lhs, rhs| default_output_type(op, &lhs, &rhs).unwrap();
        assert_eq!(of(Add, Int8, UInt8), Int16);
        assert_eq!(of(TrueDiv, Int8, UInt8), Float64);
        assert_eq!(of(TrueDiv, Float32, Float32), Float32);
        assert_eq!(of(ShiftLeft, Int8, Int64), Int8);
        assert_eq!(of(BitwiseOr, Boolean, Boolean), Boolean);
        assert_eq!(of(Less, UInt64, Float16), Boolean);
        assert_eq!(of(Less, Utf8, LargeUtf8), Boolean);
        assert_eq!(of(Less, Date32, Timestamp(Second, None)), Boolean);
        assert_eq!(of(NullLogicalOr, Int32, Float64), Boolean);
        assert_eq!(of(Add, Duration(Millisecond), Timestamp(Second, None)), Timestamp(Millisecond, None));
        assert_eq!(of(Sub, Date32, Date32), Duration(Second));
        assert_eq!(of(Div, Duration(Second), Duration(Millisecond)), Int64);
        assert_eq!(of(NullMax, Date64, Date32), Date64);
        assert_eq!(of(LessEqual, list(Float64), list(Float64)), Boolean);
    }

    fn list(of: DataType) -> DataType {
        DataType::new_list(of, true)
    }

    #[test]
    fn refusals_are_typed() {
        let mismatch = |op, lhs, rhs| {
            assert!(matches!(default_output_type(op, &lhs, &rhs), Err(Error::TypeMismatch { .. })), "{op:?}");
        };
        mismatch(Less, Utf8, Int32);
        mismatch(Less, Utf8, Binary);
        mismatch(Add, Date32, Int32);
        mismatch(Less, Timestamp(Second, None), Timestamp(Second, Some("UTC".into())));
        mismatch(Mul, Duration(Second), Float64);
        mismatch(Add, Decimal128(5, 2), Float64);
        mismatch(Equal, list(Int32), list(Int64));
        let unsupported = |op, lhs, rhs| {
            assert!(matches!(default_output_type(op, &lhs, &rhs), Err(Error::Unsupported { .. })), "{op:?}");
        };
        unsupported(Add, Utf8, Utf8);
        unsupported(Add, Date32, Date32);
        unsupported(BitwiseAnd, Float32, Float32);
        unsupported(ShiftLeft, Boolean, Int32);
        unsupported(TrueDiv, Decimal32(5, 2), Decimal32(5, 2));
        unsupported(LogicalAnd, Utf8, Boolean);
        unsupported(Add, Utf8View, Utf8View);
        unsupported(Equal, Null, Null);
        unsupported(Equal, list(Int32), Int32);
        unsupported(Equal, list(Null), list(Null));
        unsupported(NullMax, list(Int32), list(Int32));
    }
}
