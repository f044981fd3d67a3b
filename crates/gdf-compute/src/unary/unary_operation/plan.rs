//! Plans of unary operations. A plan selects the algorithm for rows of a type, and serves both backends.

use gdf_core::{
    DataType, Error, PhysicalType, Result, decimal_parts, is_floating, is_integral, is_signed_integral, physical_type,
};

pub(crate) use super::operators::{Bits, Rounding};
use super::operators::{HasFunctor, MathFunctor, OPERATION, UnaryGroup as Group, UnaryOperator};

#[derive(Clone, Copy, Debug)]
pub(crate) enum UnaryPlan {
    /// Computes an operator on the bits of the stored value.
    Bits(Bits, PhysicalType),
    /// Computes an exact function of floats in their stored precision, which is single or double.
    Rounding(Rounding, PhysicalType),
    /// Computes a function in double precision, for any stored type.
    Math(MathFunctor),
    /// Rounds a decimal up or down to a multiple of ten to the power of `power`.
    Decimal {
        up: bool,
        power: u32,
    },
    BitCount(PhysicalType),
    Truth {
        negated: bool,
    },
    NotNumbers,
}

/// Returns the type of the same width that stands for bits without a sign.
fn bits_of(data_type: &DataType) -> Option<PhysicalType> {
    use PhysicalType as P;
    Some(match physical_type(data_type) {
        P::I8 | P::U8 => P::U8,
        P::I16 | P::U16 | P::F16 => P::U16,
        P::I32 | P::U32 | P::F32 => P::U32,
        P::I64 | P::U64 | P::F64 => P::U64,
        P::I128 => P::I128,
        P::I256 => P::I256,
        _ => return None,
    })
}

pub(crate) fn plan(op: UnaryOperator, data_type: &DataType) -> Result<UnaryPlan> {
    let refused = || Error::unsupported(OPERATION, data_type);
    let (integer, float) = (is_integral(data_type), is_floating(data_type));
    let (boolean, decimal) = (*data_type == DataType::Boolean, decimal_parts(data_type));
    let signed = is_signed_integral(data_type) || decimal.is_some();
    let bits = |op: Bits| bits_of(data_type).map(|width| UnaryPlan::Bits(op, width)).ok_or_else(refused);
    let math = || {
        let functor = op.code().ok_or_else(refused)?;
        Ok(match (physical_type(data_type), functor.rounding) {
            (stored @ (PhysicalType::F32 | PhysicalType::F64), Some(rounding)) => UnaryPlan::Rounding(rounding, stored),
            _ => UnaryPlan::Math(functor),
        })
    };
    match op.group() {
        Group::Math | Group::Sign if integer || float => math(),
        Group::Rounding if integer => bits(Bits::Copy),
        Group::Rounding if float => math(),
        Group::Rounding => match u32::try_from(decimal.ok_or_else(refused)?.2) {
            Ok(power @ 1..) => Ok(UnaryPlan::Decimal { up: op == UnaryOperator::Ceil, power }),
            _ => bits(Bits::Copy),
        },
        Group::Nearest if float => math(),
        Group::Absolute if boolean => Ok(UnaryPlan::Truth { negated: false }),
        Group::Absolute if float => bits(Bits::ClearSign),
        Group::Absolute if signed => bits(Bits::Absolute),
        Group::Absolute if integer => bits(Bits::Copy),
        Group::Negation if float => bits(Bits::FlipSign),
        Group::Negation if signed || matches!(data_type, DataType::Duration(_)) => bits(Bits::Negate),
        Group::BitInversion if integer => bits(Bits::Invert),
        Group::BitCount if boolean => Ok(UnaryPlan::BitCount(PhysicalType::Bool)),
        Group::BitCount if integer => bits_of(data_type).map(UnaryPlan::BitCount).ok_or_else(refused),
        Group::Not if boolean => Ok(UnaryPlan::Truth { negated: true }),
        Group::Not if integer || float => Ok(UnaryPlan::NotNumbers),
        _ => Err(refused()),
    }
}
