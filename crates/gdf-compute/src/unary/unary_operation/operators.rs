//! The functors of each operator.

pub(crate) use gdf_expr::{UnaryGroup, UnaryOperator};
pub(crate) use gdf_kernels::generated::unary::{
    OperationBitsCode as Bits, OperationMathCode as Function, OperationRounding as Rounding,
};

use super::functors::{arc_cosh, arc_sinh, arc_tanh, sign};

pub(crate) const OPERATION: &str = "unary_operation";

/// A function of doubles: its code for kernels and its implementation on the CPU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MathFunctor {
    pub(crate) code: Function,
    /// The function for floats in their stored precision.
    pub(crate) rounding: Option<Rounding>,
    pub(crate) host: fn(f64) -> f64,
}

const fn math(code: Function, host: fn(f64) -> f64) -> Option<MathFunctor> {
    Some(MathFunctor { code, rounding: None, host })
}

const fn exact(rounding: Rounding, code: Function, host: fn(f64) -> f64) -> Option<MathFunctor> {
    Some(MathFunctor { code, rounding: Some(rounding), host })
}

pub(crate) trait HasFunctor {
    /// Returns the functor, or `None` for operators that do not compute with doubles.
    fn code(self) -> Option<MathFunctor>;
}

impl HasFunctor for UnaryOperator {
    fn code(self) -> Option<MathFunctor> {
        FUNCTORS[self as usize].1
    }
}

const FUNCTORS: [(UnaryOperator, Option<MathFunctor>); UnaryOperator::ALL.len()] = {
    use UnaryOperator::*;
    [
        (Sin, math(Function::Sin, f64::sin)),
        (Cos, math(Function::Cos, f64::cos)),
        (Tan, math(Function::Tan, f64::tan)),
        (ArcSin, math(Function::Asin, f64::asin)),
        (ArcCos, math(Function::Acos, f64::acos)),
        (ArcTan, math(Function::Atan, f64::atan)),
        (Sinh, math(Function::Sinh, f64::sinh)),
        (Cosh, math(Function::Cosh, f64::cosh)),
        (Tanh, math(Function::Tanh, f64::tanh)),
        (ArcSinh, math(Function::Asinh, arc_sinh)),
        (ArcCosh, math(Function::Acosh, arc_cosh)),
        (ArcTanh, math(Function::Atanh, arc_tanh)),
        (Exp, math(Function::Exp, f64::exp)),
        (Log, math(Function::Log, f64::ln)),
        (Sqrt, exact(Rounding::Sqrt, Function::Sqrt, f64::sqrt)),
        (Cbrt, math(Function::Cbrt, f64::cbrt)),
        (Exp2, math(Function::Exp2, f64::exp2)),
        (Expm1, math(Function::Expm1, f64::exp_m1)),
        (Log2, math(Function::Log2, f64::log2)),
        (Log10, math(Function::Log10, f64::log10)),
        (Log1p, math(Function::Log1p, f64::ln_1p)),
        (Degrees, math(Function::Degrees, f64::to_degrees)),
        (Radians, math(Function::Radians, f64::to_radians)),
        (Sign, math(Function::Sign, sign)),
        (Ceil, exact(Rounding::Ceil, Function::Ceil, f64::ceil)),
        (Floor, exact(Rounding::Floor, Function::Floor, f64::floor)),
        (Abs, None),
        (Rint, exact(Rounding::Rint, Function::Rint, f64::round_ties_even)),
        (Trunc, math(Function::Trunc, f64::trunc)),
        (BitCount, None),
        (BitInvert, None),
        (Not, None),
        (Negate, None),
    ]
};

const _: () = {
    let mut row = 0;
    while row < FUNCTORS.len() {
        assert!(FUNCTORS[row].0 as usize == row, "the rows are not in the order of the operators");
        row += 1;
    }
};
