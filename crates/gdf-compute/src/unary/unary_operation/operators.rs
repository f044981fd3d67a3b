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
    /// Of floats as they are stored, where that is exact.
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
    /// What [`unary_operation`](super::unary_operation()) computes; the names are libcudf's, as far as it has them.
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
            /// `e` to this power.
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
            /// 2 to this power.
            Exp2 = "EXP2" => math(Function::Exp2, f64::exp2);
            /// `e` to this power, less 1: exact also for small numbers.
            Expm1 = "EXPM1" => math(Function::Expm1, f64::exp_m1);
            /// Logarithm to the base 2.
            Log2 = "LOG2" => math(Function::Log2, f64::log2);
            /// Logarithm to the base 10.
            Log10 = "LOG10" => math(Function::Log10, f64::log10);
            /// Natural logarithm of 1 more: exact also for small numbers.
            Log1p = "LOG1P" => math(Function::Log1p, f64::ln_1p);
            /// Radians as degrees.
            #[doc(alias("rad2deg"))]
            Degrees = "DEGREES" => math(Function::Degrees, f64::to_degrees);
            /// Degrees as radians.
            #[doc(alias("deg2rad"))]
            Radians = "RADIANS" => math(Function::Radians, f64::to_radians);
        }
        Sign: "floats, integers" => "the same type" {
            /// -1, 0 or 1, as the number is below, equal to or above 0; zeros and NaN stay as they are.
            #[doc(alias("signum", "sgn"))]
            Sign = "SIGN" => math(Function::Sign, sign);
        }
        Rounding: "floats, integers (as they are), decimals" => "the same type" {
            /// The smallest integer that is not less.
            #[doc(alias("ceiling"))]
            Ceil = "CEIL" => exact(Rounding::Ceil, Function::Ceil, f64::ceil);
            /// The largest integer that is not greater.
            Floor = "FLOOR" => exact(Rounding::Floor, Function::Floor, f64::floor);
        }
        Absolute: "floats, integers, decimals, booleans (as they are)" => "the same type" {
            /// Absolute value.
            #[doc(alias("absolute"))]
            Abs = "ABS" => None;
        }
        Nearest: "floats" => "the same type" {
            /// The nearest integer, the even one of two.
            #[doc(alias("round_half_even"))]
            Rint = "RINT" => exact(Rounding::Rint, Function::Rint, f64::round_ties_even);
            /// The integer part.
            #[doc(alias("truncate", "fix"))]
            Trunc = "TRUNC" => math(Function::Trunc, f64::trunc);
        }
        BitCount: "integers, booleans" => "`Int32`" {
            /// How many bits are ones.
            #[doc(alias("popcount", "count_ones"))]
            BitCount = "BIT_COUNT" => None;
        }
        BitInversion: "integers" => "the same type" {
            /// All bits turned over.
            #[doc(alias("~", "bitwise_not"))]
            BitInvert = "BIT_INVERT" => None;
        }
        Not: "booleans; integers and floats (whether 0)" => "`Boolean`" {
            /// Whether it is false, or 0.
            #[doc(alias("!", "invert"))]
            Not = "NOT" => None;
        }
        Negation: "floats, signed integers, decimals, durations" => "the same type" {
            /// The opposite.
            #[doc(alias("neg", "-"))]
            Negate = "NEGATE" => None;
        }
    }
}

impl UnaryOperator {
    /// Whether results are exact, rather than some units in the last place off.
    pub fn is_exact(self) -> bool {
        self.group() != UnaryGroup::Math || self == UnaryOperator::Sqrt
    }
}
