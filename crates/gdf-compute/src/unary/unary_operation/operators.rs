//! The table of operators.

pub(super) use gdf_kernels::generated::unary::{
    OperationBitsCode as Bits, OperationMathCode as Function, OperationRounding as Rounding,
};

use gdf_engine::elementwise::operators;

use super::functors::{arc_cosh, arc_sinh, arc_tanh, sign};

/// The name of the operation in errors.
pub(super) const OPERATION: &str = "unary_operation";

/// A function of doubles, on both devices.
#[derive(Clone, Copy, Debug)]
pub(super) struct MathFunctor {
    pub(super) code: Function,
    /// The function for floats in their stored precision, if the function is exact there.
    pub(super) rounding: Option<Rounding>,
    pub(super) host: fn(f64) -> f64,
}

fn math(code: Function, host: fn(f64) -> f64) -> Option<MathFunctor> {
    Some(MathFunctor { code, rounding: None, host })
}

fn exact(rounding: Rounding, code: Function, host: fn(f64) -> f64) -> Option<MathFunctor> {
    Some(MathFunctor { code, rounding: Some(rounding), host })
}

operators! {
    /// The operators of [`unary_operation`](super::unary_operation()). The names are those of libcudf where libcudf
    /// has the operator.
    pub enum UnaryOperator: UnaryGroup => Option<MathFunctor> {
        Math: "floats, integers" => "the same type" {
            /// Sine of radians.
            Sin = "SIN" => math(Function::Sin, f64::sin);
            /// Cosine of radians.
            Cos = "COS" => math(Function::Cos, f64::cos);
            /// Tangent of radians.
            Tan = "TAN" => math(Function::Tan, f64::tan);
            /// Arc sine, in radians.
            #[doc(alias("asin"))]
            ArcSin = "ARCSIN" => math(Function::Asin, f64::asin);
            /// Arc cosine, in radians.
            #[doc(alias("acos"))]
            ArcCos = "ARCCOS" => math(Function::Acos, f64::acos);
            /// Arc tangent, in radians.
            #[doc(alias("atan"))]
            ArcTan = "ARCTAN" => math(Function::Atan, f64::atan);
            /// Hyperbolic sine.
            Sinh = "SINH" => math(Function::Sinh, f64::sinh);
            /// Hyperbolic cosine.
            Cosh = "COSH" => math(Function::Cosh, f64::cosh);
            /// Hyperbolic tangent.
            Tanh = "TANH" => math(Function::Tanh, f64::tanh);
            /// Inverse of the hyperbolic sine.
            #[doc(alias("asinh"))]
            ArcSinh = "ARCSINH" => math(Function::Asinh, arc_sinh);
            /// Inverse of the hyperbolic cosine.
            #[doc(alias("acosh"))]
            ArcCosh = "ARCCOSH" => math(Function::Acosh, arc_cosh);
            /// Inverse of the hyperbolic tangent.
            #[doc(alias("atanh"))]
            ArcTanh = "ARCTANH" => math(Function::Atanh, arc_tanh);
            /// `e` to the power of the value.
            Exp = "EXP" => math(Function::Exp, f64::exp);
            /// Natural logarithm.
            #[doc(alias("ln", "natural log"))]
            Log = "LOG" => math(Function::Log, f64::ln);
            /// Square root.
            #[doc(alias("square root"))]
            Sqrt = "SQRT" => exact(Rounding::Sqrt, Function::Sqrt, f64::sqrt);
            /// Cube root.
            #[doc(alias("cube root"))]
            Cbrt = "CBRT" => math(Function::Cbrt, f64::cbrt);
            /// 2 to the power of the value.
            Exp2 = "EXP2" => math(Function::Exp2, f64::exp2);
            /// `e` to the power of the value, minus 1. The result is exact also for small values.
            Expm1 = "EXPM1" => math(Function::Expm1, f64::exp_m1);
            /// Logarithm to the base 2.
            Log2 = "LOG2" => math(Function::Log2, f64::log2);
            /// Logarithm to the base 10.
            Log10 = "LOG10" => math(Function::Log10, f64::log10);
            /// Natural logarithm of the value plus 1. The result is exact also for small values.
            Log1p = "LOG1P" => math(Function::Log1p, f64::ln_1p);
            /// Radians as degrees.
            #[doc(alias("rad2deg"))]
            Degrees = "DEGREES" => math(Function::Degrees, f64::to_degrees);
            /// Degrees as radians.
            #[doc(alias("deg2rad"))]
            Radians = "RADIANS" => math(Function::Radians, f64::to_radians);
        }
        Sign: "floats, integers" => "the same type" {
            /// -1, 0 or 1 if the value is below, equal to or above 0. Zeros and NaN stay as they are.
            #[doc(alias("signum", "sgn"))]
            Sign = "SIGN" => math(Function::Sign, sign);
        }
        Rounding: "floats, integers (as they are), decimals" => "the same type" {
            /// The smallest integer that is not less than the value.
            #[doc(alias("ceiling"))]
            Ceil = "CEIL" => exact(Rounding::Ceil, Function::Ceil, f64::ceil);
            /// The largest integer that is not greater than the value.
            Floor = "FLOOR" => exact(Rounding::Floor, Function::Floor, f64::floor);
        }
        Absolute: "floats, integers, decimals, booleans (as they are)" => "the same type" {
            /// Absolute value.
            #[doc(alias("absolute"))]
            Abs = "ABS" => None;
        }
        Nearest: "floats" => "the same type" {
            /// The nearest integer. Halfway between two integers, the even integer.
            #[doc(alias("round_half_even"))]
            Rint = "RINT" => exact(Rounding::Rint, Function::Rint, f64::round_ties_even);
            /// The integer part.
            #[doc(alias("truncate", "fix"))]
            Trunc = "TRUNC" => math(Function::Trunc, f64::trunc);
        }
        BitCount: "integers, booleans" => "`Int32`" {
            /// The number of bits that are ones.
            #[doc(alias("popcount", "count_ones"))]
            BitCount = "BIT_COUNT" => None;
        }
        BitInversion: "integers" => "the same type" {
            /// The value with all bits inverted.
            #[doc(alias("~", "bitwise_not"))]
            BitInvert = "BIT_INVERT" => None;
        }
        Not: "booleans; integers and floats (whether 0)" => "`Boolean`" {
            /// Whether the value is false, or 0.
            #[doc(alias("!", "invert"))]
            Not = "NOT" => None;
        }
        Negation: "floats, signed integers, decimals, durations" => "the same type" {
            /// The negated value.
            #[doc(alias("neg", "-"))]
            Negate = "NEGATE" => None;
        }
    }
}

impl UnaryOperator {
    /// Whether results are exact. The results of other operators may be off by some units in the last place.
    pub fn is_exact(self) -> bool {
        self.group() != UnaryGroup::Math || self == UnaryOperator::Sqrt
    }
}
