//! `unary_operation`: the operators, checks, plan, choice of backend.

use gdf_core::{
    Column, ColumnView, DataType, Error, PhysicalType, Result, decimal_parts, is_floating, is_integral,
    is_signed_integral, physical_type,
};

use super::{cuda, host};
use crate::context::Ctx;
use crate::engine::elementwise::{self, Nulls};

pub(super) const OPERATION: &str = "unary_operation";

/// What [`unary_operation`] computes; the names are libcudf's.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// Sine of radians.
    Sin,
    /// Cosine of radians.
    Cos,
    /// Tangent of radians.
    Tan,
    /// Arc sine, in radians.
    ArcSin,
    /// Arc cosine, in radians.
    ArcCos,
    /// Arc tangent, in radians.
    ArcTan,
    /// Hyperbolic sine.
    Sinh,
    /// Hyperbolic cosine.
    Cosh,
    /// Hyperbolic tangent.
    Tanh,
    /// Inverse of the hyperbolic sine.
    ArcSinh,
    /// Inverse of the hyperbolic cosine.
    ArcCosh,
    /// Inverse of the hyperbolic tangent.
    ArcTanh,
    /// `e` to this power.
    Exp,
    /// Natural logarithm.
    Log,
    /// Square root.
    Sqrt,
    /// Cube root.
    Cbrt,
    /// The smallest integer that is not less.
    Ceil,
    /// The largest integer that is not greater.
    Floor,
    /// Absolute value.
    Abs,
    /// The nearest integer, the even one of two.
    Rint,
    /// How many bits are ones.
    BitCount,
    /// All bits turned over.
    BitInvert,
    /// Whether it is false, or 0.
    Not,
    /// The opposite.
    Negate,
}

impl UnaryOperator {
    /// Every operator.
    pub const ALL: &'static [UnaryOperator] = {
        use UnaryOperator::*;
        &[
            Sin, Cos, Tan, ArcSin, ArcCos, ArcTan, Sinh, Cosh, Tanh, ArcSinh, ArcCosh, ArcTanh, Exp, Log, Sqrt, Cbrt,
            Ceil, Floor, Abs, Rint, BitCount, BitInvert, Not, Negate,
        ]
    };

    /// Whether results are exact, rather than some units in the last place off.
    pub fn is_exact(self) -> bool {
        use UnaryOperator::*;
        matches!(self, Sqrt | Ceil | Floor | Abs | Rint | BitCount | BitInvert | Not | Negate)
    }

    /// The type of the result for rows of `data_type`.
    ///
    /// # Errors
    /// [`Unsupported`](Error::Unsupported) when the operator does not exist for the type.
    pub fn output_type(self, data_type: &DataType) -> Result<DataType> {
        plan(self, data_type)?;
        Ok(match self {
            UnaryOperator::Not => DataType::Boolean,
            UnaryOperator::BitCount => DataType::Int32,
            _ => data_type.clone(),
        })
    }
}

pub(super) use gdf_kernels::generated::unary::{OperationBitsCode as Bits, OperationMathCode as Function};

/// How the rows are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// On bits of this width, named by the unsigned (or 128-, 256-bit) type.
    Bits(Bits, PhysicalType),
    /// One of the exact functions in single or double precision, as stored.
    Rounding(Function, PhysicalType),
    /// In double precision, whatever is stored.
    Math(Function),
    /// A decimal, up or down to a multiple of ten to this power.
    Decimal { up: bool, power: u32 },
    /// The ones among bits of this width.
    BitCount(PhysicalType),
    /// Booleans.
    Not,
    /// Numbers.
    NotNumbers,
}

/// The type of the same width in which signs do not matter.
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

/// Decides how rows of `data_type` are computed.
pub(super) fn plan(op: UnaryOperator, data_type: &DataType) -> Result<Plan> {
    use UnaryOperator as U;
    let refused = || Error::unsupported(OPERATION, data_type);
    let (integer, float) = (is_integral(data_type), is_floating(data_type));
    let decimal = decimal_parts(data_type);
    let bits = |op: Bits| bits_of(data_type).map(|width| Plan::Bits(op, width)).ok_or_else(refused);
    let function = |function: Function| match physical_type(data_type) {
        stored @ (PhysicalType::F32 | PhysicalType::F64) if (function as i32) < 4 => Plan::Rounding(function, stored),
        _ => Plan::Math(function),
    };
    let math = |requested: Function| if integer || float { Ok(function(requested)) } else { Err(refused()) };
    let rounded = |requested: Function| match decimal {
        Some((32, ..)) => Err(refused()),
        Some((_, _, scale)) => match u32::try_from(scale) {
            Ok(power @ 1..) => Ok(Plan::Decimal { up: requested == Function::Ceil, power }),
            _ => bits(Bits::Copy),
        },
        None if integer => bits(Bits::Copy),
        None if float => Ok(function(requested)),
        None => Err(refused()),
    };
    match op {
        U::Sin => math(Function::Sin),
        U::Cos => math(Function::Cos),
        U::Tan => math(Function::Tan),
        U::ArcSin => math(Function::Asin),
        U::ArcCos => math(Function::Acos),
        U::ArcTan => math(Function::Atan),
        U::Sinh => math(Function::Sinh),
        U::Cosh => math(Function::Cosh),
        U::Tanh => math(Function::Tanh),
        U::ArcSinh => math(Function::Asinh),
        U::ArcCosh => math(Function::Acosh),
        U::ArcTanh => math(Function::Atanh),
        U::Exp => math(Function::Exp),
        U::Log => math(Function::Log),
        U::Sqrt => math(Function::Sqrt),
        U::Cbrt => math(Function::Cbrt),
        U::Ceil => rounded(Function::Ceil),
        U::Floor => rounded(Function::Floor),
        U::Rint if float => Ok(function(Function::Rint)),
        U::Abs if float => bits(Bits::ClearSign),
        U::Abs if is_signed_integral(data_type) || decimal.is_some() => bits(Bits::Absolute),
        U::Abs if integer => bits(Bits::Copy),
        U::Negate if float => bits(Bits::FlipSign),
        U::Negate if is_signed_integral(data_type) || decimal.is_some() => bits(Bits::Negate),
        U::Negate if matches!(data_type, DataType::Duration(_)) => bits(Bits::Negate),
        U::BitInvert if integer => bits(Bits::Invert),
        U::BitCount if integer => bits_of(data_type).map(Plan::BitCount).ok_or_else(refused),
        U::Not if *data_type == DataType::Boolean => Ok(Plan::Not),
        U::Not if integer || float => Ok(Plan::NotNumbers),
        _ => Err(refused()),
    }
}

/// `op` of every row; nulls stay null.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) when the operator does not exist for the type.
/// * [`DeviceMismatch`](Error::DeviceMismatch); driver and memory errors.
pub fn unary_operation(column: ColumnView<'_>, op: UnaryOperator, ctx: Ctx<'_>) -> Result<Column> {
    let data_type = column.data_type();
    let plan = plan(op, data_type)?;
    let output_type = op.output_type(data_type)?;
    elementwise::map(
        column,
        &output_type,
        Nulls::Keep,
        ctx,
        |rows| host::unary_operation(rows, plan),
        |launch| cuda::unary_operation(launch, plan, data_type),
    )
}

#[cfg(test)]
mod tests {
    use gdf_core::TimeUnit::Second;

    use super::*;
    use UnaryOperator::*;

    #[test]
    fn operators_know_their_types() {
        let of = |op: UnaryOperator, data_type: DataType| op.output_type(&data_type).unwrap();
        assert_eq!(of(Sin, DataType::Int16), DataType::Int16);
        assert_eq!(of(Not, DataType::Float32), DataType::Boolean);
        assert_eq!(of(BitCount, DataType::UInt64), DataType::Int32);
        assert_eq!(of(Negate, DataType::Duration(Second)), DataType::Duration(Second));
        assert_eq!(of(Floor, DataType::Decimal64(9, 2)), DataType::Decimal64(9, 2));
        for (op, data_type) in [
            (Negate, DataType::UInt8),
            (Abs, DataType::Duration(Second)),
            (Abs, DataType::Date32),
            (Rint, DataType::Int32),
            (Sqrt, DataType::Decimal64(9, 2)),
            (Floor, DataType::Decimal256(9, 2)),
            (Not, DataType::Utf8),
            (Not, DataType::Timestamp(Second, None)),
            (BitInvert, DataType::Float64),
            (Sin, DataType::Boolean),
        ] {
            assert!(matches!(op.output_type(&data_type), Err(Error::Unsupported { .. })), "{op:?} {data_type}");
        }
    }

    #[test]
    fn refuses_before_it_allocates() {
        let (stream, mr) = crate::test_device::setup();
        let column = Column::empty(&DataType::Utf8, stream.device()).unwrap();
        let refused = unary_operation(column.view(), Sin, Ctx::new(&stream, &mr));
        assert!(matches!(refused, Err(Error::Unsupported { operation: OPERATION, .. })));
        let column = Column::empty(&DataType::Int8, stream.device()).unwrap();
        let empty = unary_operation(column.view(), Not, Ctx::new(&stream, &mr)).unwrap();
        assert_eq!((empty.data_type(), empty.len()), (&DataType::Boolean, 0));
    }
}
