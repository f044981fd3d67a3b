//! The type that a result has unless the caller wants another, which is also the check that operands go together.

use gdf_core::{Abilities, DataType, Error, Result, ValueOrder, is_floating, is_integral, is_string, same_type};

use super::decimal::{self, Decimal};
use super::decoded_type;
use super::number::Number;
use crate::{BinaryGroup as Group, BinaryOperator};

/// The name of the operation in errors.
const OPERATION: &str = "binary_operation";
use super::temporal::{self, Temporal};

/// The type of `lhs op rhs` that needs no conversion of the result.
///
/// | operands | operators | type |
/// |---|---|---|
/// | any two of a kind | comparisons | `Boolean` |
/// | booleans, numbers (no decimals) | logic | `Boolean` |
/// | booleans | `Bitwise…`, `NullMax`, `NullMin` | `Boolean` |
/// | integers | shifts | that of `lhs` |
/// | integers | `IntPow` | the common type |
/// | booleans, numbers | all others, but bits and `IntPow` of floats | the common type; `TrueDiv`, `Pow`, `LogBase`, `Atan2` of integers: `Float64` |
/// | decimals, or one and an integer | `Add`, `Sub` | scale `s = max(s1, s2)`, precision `max(p1 - s1, p2 - s2) + s + 1` |
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
/// | temporal ones of a kind | `NullMax`, `NullMin` | the finer one |
/// | strings or byte strings of one type | `NullMax`, `NullMin` | that type |
///
/// String views count as `Utf8`, binary views as `Binary`, and dictionaries as the type of their values.
///
/// A decimal result has the wider of the two widths and at most its precision. Integers have as many digits as their
/// type can show, booleans count as unsigned ones of 8 bits. Temporal results have the finer of the two units. The
/// *common type* is the wider one of two integers of one signedness or of two floats; the narrowest signed integer that
/// holds both of a signed and an unsigned one (`Int64` beside `UInt64`); and for an integer and a float a float of
/// twice the integer's width at least, at most `Float64`.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) when the operator does not exist for a type.
/// * [`TypeMismatch`](Error::TypeMismatch) when the types do not go together.
/// * [`InvalidArgument`](Error::InvalidArgument) when the scale of a product does not fit its type.
pub fn default_output_type(op: BinaryOperator, lhs: &DataType, rhs: &DataType) -> Result<DataType> {
    natural(op, lhs, rhs).map_err(|error| error.in_operation("default_output_type").in_variant(op.name()))
}

/// As [`default_output_type`], for callers that report errors under their own name.
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

/// Checks that the values of the two columns can be compared.
fn comparable(lhs: &DataType, rhs: &DataType) -> Result<()> {
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

/// Text or byte strings, whose order is that of bytes.
fn is_bytes(data_type: &DataType) -> bool {
    Abilities::of(data_type).order == Some(ValueOrder::Bytes)
}

/// Checks that the column's values are truth values: booleans, or numbers that count as true if they are not 0.
fn truth(data_type: &DataType) -> Result<()> {
    match Number::of(data_type) {
        Some(_) => Ok(()),
        None => Err(Error::unsupported(OPERATION, data_type)),
    }
}

/// The more precise of two errors: about a type without any operator, or about the pair of types.
fn refused(lhs: &DataType, rhs: &DataType) -> Error {
    let known = |of: &DataType| Abilities::of(of).order.is_some() && !matches!(of, DataType::Interval(_));
    match [lhs, rhs].into_iter().find(|of| !known(of)) {
        Some(of) => Error::unsupported(OPERATION, of),
        None if is_bytes(lhs) && same_type(lhs, rhs) => Error::unsupported_pair(OPERATION, lhs, rhs)
            .with_remedy("only comparisons, NullMin and NullMax take text and bytes"),
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
    }
}
