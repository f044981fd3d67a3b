//! The table of operators.

pub(super) use gdf_kernels::generated::unary::{OperationBitsCode as Bits, OperationMathCode as Function};

use super::functors::{arc_cosh, arc_sinh, arc_tanh};
use crate::engine::elementwise::operators;

/// The name of the operation in errors.
pub(super) const OPERATION: &str = "unary_operation";

/// A function of doubles, on both devices.
#[derive(Clone, Copy, Debug)]
pub(super) struct MathFunctor {
    pub(super) code: Function,
    pub(super) host: fn(f64) -> f64,
}

fn math(code: Function, host: fn(f64) -> f64) -> Option<MathFunctor> {
    Some(MathFunctor { code, host })
}

operators! {
    /// What [`unary_operation`](super::unary_operation()) computes; the names are libcudf's.
    pub enum UnaryOperator: UnaryGroup => Option<MathFunctor> {
        Math: "floats, integers" => "the same type" {
            /// Sine of radians.
            Sin = "SIN" => math(Function::Sin, f64::sin);
            /// Cosine of radians.
            Cos = "COS" => math(Function::Cos, f64::cos);
            /// Tangent of radians.
            Tan = "TAN" => math(Function::Tan, f64::tan);
            /// Arc sine, in radians.
            ArcSin = "ARCSIN" => math(Function::Asin, f64::asin);
            /// Arc cosine, in radians.
            ArcCos = "ARCCOS" => math(Function::Acos, f64::acos);
            /// Arc tangent, in radians.
            ArcTan = "ARCTAN" => math(Function::Atan, f64::atan);
            /// Hyperbolic sine.
            Sinh = "SINH" => math(Function::Sinh, f64::sinh);
            /// Hyperbolic cosine.
            Cosh = "COSH" => math(Function::Cosh, f64::cosh);
            /// Hyperbolic tangent.
            Tanh = "TANH" => math(Function::Tanh, f64::tanh);
            /// Inverse of the hyperbolic sine.
            ArcSinh = "ARCSINH" => math(Function::Asinh, arc_sinh);
            /// Inverse of the hyperbolic cosine.
            ArcCosh = "ARCCOSH" => math(Function::Acosh, arc_cosh);
            /// Inverse of the hyperbolic tangent.
            ArcTanh = "ARCTANH" => math(Function::Atanh, arc_tanh);
            /// `e` to this power.
            Exp = "EXP" => math(Function::Exp, f64::exp);
            /// Natural logarithm.
            Log = "LOG" => math(Function::Log, f64::ln);
            /// Square root.
            Sqrt = "SQRT" => math(Function::Sqrt, f64::sqrt);
            /// Cube root.
            Cbrt = "CBRT" => math(Function::Cbrt, f64::cbrt);
        }
        Rounding: "floats, integers (as they are), decimals of up to 128 bits" => "the same type" {
            /// The smallest integer that is not less.
            Ceil = "CEIL" => math(Function::Ceil, f64::ceil);
            /// The largest integer that is not greater.
            Floor = "FLOOR" => math(Function::Floor, f64::floor);
        }
        Absolute: "floats, integers, decimals" => "the same type" {
            /// Absolute value.
            Abs = "ABS" => None;
        }
        Nearest: "floats" => "the same type" {
            /// The nearest integer, the even one of two.
            Rint = "RINT" => math(Function::Rint, f64::round_ties_even);
        }
        BitCount: "integers" => "`Int32`" {
            /// How many bits are ones.
            BitCount = "BIT_COUNT" => None;
        }
        BitInversion: "integers" => "the same type" {
            /// All bits turned over.
            BitInvert = "BIT_INVERT" => None;
        }
        Not: "booleans; integers and floats (whether 0)" => "`Boolean`" {
            /// Whether it is false, or 0.
            Not = "NOT" => None;
        }
        Negation: "floats, signed integers, decimals, durations" => "the same type" {
            /// The opposite.
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
