//! The table of operators of one operand.

use gdf_core::{DataType, Error, Result, is_decimal, is_floating, is_integral, is_signed_integral};

use super::operators;

operators! {
    /// An operator of one operand. If libcudf has the operator, the name is libcudf's name.
    pub enum UnaryOperator: UnaryGroup => &'static str {
        Math: "floats, integers" => "the same type" {
            /// Sine of an angle in radians.
            Sin = "SIN" => "SIN";
            /// Cosine of an angle in radians.
            Cos = "COS" => "COS";
            /// Tangent of an angle in radians.
            Tan = "TAN" => "TAN";
            /// Arc sine, in radians.
            #[doc(alias("asin"))]
            ArcSin = "ARCSIN" => "ASIN";
            /// Arc cosine, in radians.
            #[doc(alias("acos"))]
            ArcCos = "ARCCOS" => "ACOS";
            /// Arc tangent, in radians.
            #[doc(alias("atan"))]
            ArcTan = "ARCTAN" => "ATAN";
            /// Hyperbolic sine.
            Sinh = "SINH" => "SINH";
            /// Hyperbolic cosine.
            Cosh = "COSH" => "COSH";
            /// Hyperbolic tangent.
            Tanh = "TANH" => "TANH";
            /// Inverse of the hyperbolic sine.
            #[doc(alias("asinh"))]
            ArcSinh = "ARCSINH" => "ASINH";
            /// Inverse of the hyperbolic cosine.
            #[doc(alias("acosh"))]
            ArcCosh = "ARCCOSH" => "ACOSH";
            /// Inverse of the hyperbolic tangent.
            #[doc(alias("atanh"))]
            ArcTanh = "ARCTANH" => "ATANH";
            /// `e` to the power of the value.
            Exp = "EXP" => "EXP";
            /// Natural logarithm.
            #[doc(alias("ln", "natural log"))]
            Log = "LOG" => "LN";
            /// Square root.
            #[doc(alias("square root"))]
            Sqrt = "SQRT" => "SQRT";
            /// Cube root.
            #[doc(alias("cube root"))]
            Cbrt = "CBRT" => "CBRT";
            /// 2 to the power of the value.
            Exp2 = "EXP2" => "EXP2";
            /// `e` to the power of the value, minus 1. The result is also accurate for values near 0.
            Expm1 = "EXPM1" => "EXPM1";
            /// Logarithm to the base 2.
            Log2 = "LOG2" => "LOG2";
            /// Logarithm to the base 10.
            Log10 = "LOG10" => "LOG10";
            /// Natural logarithm of 1 plus the value. The result is also accurate for values near 0.
            Log1p = "LOG1P" => "LOG1P";
            /// Converts radians to degrees.
            #[doc(alias("rad2deg"))]
            Degrees = "DEGREES" => "DEGREES";
            /// Converts degrees to radians.
            #[doc(alias("deg2rad"))]
            Radians = "RADIANS" => "RADIANS";
        }
        Sign: "floats, integers" => "the same type" {
            /// -1 for values below 0, and 1 for values above 0. Zeros and NaN are unchanged.
            #[doc(alias("signum", "sgn"))]
            Sign = "SIGN" => "SIGN";
        }
        Rounding: "floats, integers (as they are), decimals" => "the same type" {
            /// The smallest integer that is not less than the value.
            #[doc(alias("ceiling"))]
            Ceil = "CEIL" => "CEIL";
            /// The largest integer that is not greater than the value.
            Floor = "FLOOR" => "FLOOR";
        }
        Absolute: "floats, integers, decimals, booleans (as they are)" => "the same type" {
            /// Absolute value.
            #[doc(alias("absolute"))]
            Abs = "ABS" => "ABS";
        }
        Nearest: "floats" => "the same type" {
            /// The nearest integer. If two integers are equally near, the result is the even integer.
            #[doc(alias("round_half_even"))]
            Rint = "RINT" => "RINT";
            /// The integer part of the value.
            #[doc(alias("truncate", "fix"))]
            Trunc = "TRUNC" => "TRUNC";
        }
        BitCount: "integers, booleans" => "`Int32`" {
            /// The number of one bits.
            #[doc(alias("popcount", "count_ones"))]
            BitCount = "BIT_COUNT" => "BIT_COUNT";
        }
        BitInversion: "integers" => "the same type" {
            /// All bits inverted.
            #[doc(alias("~", "bitwise_not"))]
            BitInvert = "BIT_INVERT" => "BIT_NOT";
        }
        Not: "booleans; integers and floats (whether 0)" => "`Boolean`" {
            /// Whether the value is false or 0.
            #[doc(alias("!", "invert"))]
            Not = "NOT" => "NOT";
        }
        Negation: "floats, signed integers, decimals, durations" => "the same type" {
            /// The value with the opposite sign.
            #[doc(alias("neg", "-"))]
            Negate = "NEGATE" => "NEGATE";
        }
    }
}

impl UnaryOperator {
    /// Returns whether results are exact. The results of all other operators may differ from the exact result by a
    /// few units in the last place.
    pub fn is_exact(self) -> bool {
        self.group() != UnaryGroup::Math || self == UnaryOperator::Sqrt
    }

    /// Returns the type of the result for rows of `data_type`.
    ///
    /// # Errors
    /// [`Unsupported`](Error::Unsupported) when the operator does not exist for the type.
    pub fn output_type(self, data_type: &DataType) -> Result<DataType> {
        let (integer, float) = (is_integral(data_type), is_floating(data_type));
        let (boolean, decimal) = (*data_type == DataType::Boolean, is_decimal(data_type));
        let duration = matches!(data_type, DataType::Duration(_));
        let (exists, output) = match self.group() {
            UnaryGroup::Math | UnaryGroup::Sign => (integer || float, None),
            UnaryGroup::Rounding => (integer || float || decimal, None),
            UnaryGroup::Nearest => (float, None),
            UnaryGroup::Absolute => (boolean || integer || float || decimal, None),
            UnaryGroup::Negation => (float || is_signed_integral(data_type) || decimal || duration, None),
            UnaryGroup::BitInversion => (integer, None),
            UnaryGroup::BitCount => (boolean || integer, Some(DataType::Int32)),
            UnaryGroup::Not => (boolean || integer || float, Some(DataType::Boolean)),
        };
        match exists {
            true => Ok(output.unwrap_or_else(|| data_type.clone())),
            false => Err(Error::unsupported("unary_operation", data_type)),
        }
    }
}
