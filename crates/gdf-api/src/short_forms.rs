//! One function for each operator, for each aggregation of `reduce` without parameters, and for each digest, with the
//! default type of the result. The tests call all short forms through the lists `SHORT_FORMS`.

/// Defines one function for each item, and the list `SHORT_FORMS` of all these functions.
macro_rules! short_forms {
    (@function $family:literal $kind:ident ($($operand:ident: $input:ident),*) $result:ident $long:ident
        [$($doc:tt)*] $name:ident $item:ident
    ) => {
        $($doc)*
        #[doc = ""]
        #[doc = concat!("[`", stringify!($item), "`](", stringify!($kind), "::", stringify!($item), ") of")]
        #[doc = $family]
        pub fn $name<'a>($($operand: impl Into<$input<'a>>),*) -> Result<$result> {
            $long(stringify!($name), $kind::$item, $($operand.into()),*)
        }
    };
    (@pointer ($($operand:ident: $input:ident),*) $result:ident) => {
        for<'a> fn($($input<'a>),*) -> Result<$result>
    };
    (@call ($($operand:ident: $input:ident),*) $name:ident) => {
        |$($operand),*| $name($($operand),*)
    };
    (
        $family:literal, $kind:ident: fn $operands:tt -> $result:ident = $long:ident;
        $($(#[$doc:meta])* $name:ident = $item:ident;)*
    ) => {
        $(short_forms!(@function $family $kind $operands $result $long [$(#[$doc])*] $name $item);)*

        /// Every short form, with the operator, aggregation or function that the short form stands for.
        #[doc(hidden)]
        pub const SHORT_FORMS: &[($kind, short_forms!(@pointer $operands $result))] =
            &[$(($kind::$item, short_forms!(@call $operands $name)),)*];

        #[cfg(test)]
        mod tests {
            use super::*;

            #[test]
            fn every_item_has_one() {
                let of = |item: &$kind| SHORT_FORMS.iter().filter(|(short, _)| short == item).count();
                assert!($kind::ALL.iter().all(|item| of(item) == 1));
            }
        }
    };
}

/// The short forms of `binary_operation`.
pub(crate) mod binaryop {
    use gdf_core::{Column, Operand, Result};
    use gdf_detail as detail;

    use crate::binaryop::{BinaryOperator, default_output_type};
    use crate::scope::Scope;

    fn shortened<'a>(name: &'static str, op: BinaryOperator, lhs: Operand<'a>, rhs: Operand<'a>) -> Result<Column> {
        Scope::for_inputs(name, &[&lhs, &rhs])?.run_short_form(|ctx| {
            let output_type = default_output_type(op, lhs.data_type(), rhs.data_type())?;
            detail::binaryop::binary_operation(lhs, rhs, op, &output_type, ctx)
        })
    }

    short_forms! {
        "[`binary_operation`](crate::binaryop::binary_operation()), with the \
         [default type](crate::binaryop::default_output_type()) of the result. `binary_operation` documents types, \
         nulls, overflow, costs and errors. See the [module](crate::binaryop) for examples.",
        BinaryOperator: fn(lhs: Operand, rhs: Operand) -> Column = shortened;
        /// Returns `lhs + rhs`.
        add = Add;
        /// Returns `lhs - rhs`.
        #[doc(alias("subtract", "minus"))]
        sub = Sub;
        /// Returns `lhs * rhs`.
        #[doc(alias("multiply", "times"))]
        mul = Mul;
        /// Returns `lhs / rhs`. The quotient of integers is truncated towards zero, and is null if `rhs` is 0.
        #[doc(alias("divide"))]
        div = Div;
        /// Returns `lhs / rhs` of integers and floats, as floats.
        #[doc(alias("truediv"))]
        true_div = TrueDiv;
        /// Returns `lhs / rhs`, rounded down to an integer.
        #[doc(alias("floordiv"))]
        floor_div = FloorDiv;
        /// Returns the remainder of the truncated division, as Rust's `%` gives: the remainder has the sign of `lhs`.
        #[doc(alias("mod", "modulo"))]
        rem = Mod;
        /// Returns the same remainder as [`rem`], except that the result is never negative if `rhs` is positive.
        pmod = PMod;
        /// Returns the remainder of the floored division, as Python's `%` gives: the remainder has the sign of `rhs`.
        pymod = PyMod;
        /// Returns `lhs << rhs`, in the type of `lhs`.
        #[doc(alias("shl"))]
        shift_left = ShiftLeft;
        /// Returns `lhs >> rhs`, in the type of `lhs`. Negative numbers stay negative (an arithmetic shift).
        #[doc(alias("shr"))]
        shift_right = ShiftRight;
        /// Returns `lhs >> rhs` with zeros shifted in, independent of the sign (a logical shift).
        shift_right_unsigned = ShiftRightUnsigned;
        /// Returns `lhs & rhs`, bit by bit. To combine booleans in a filter, see [`and`].
        bitwise_and = BitwiseAnd;
        /// Returns `lhs | rhs`, bit by bit. To combine booleans in a filter, see [`or`].
        bitwise_or = BitwiseOr;
        /// Returns `lhs ^ rhs`, bit by bit.
        #[doc(alias("xor"))]
        bitwise_xor = BitwiseXor;
        /// Returns `lhs` to the power of `rhs`, for integers. The result is 0 if `rhs` is negative.
        int_pow = IntPow;
        /// Returns `lhs` to the power of `rhs`, as a float.
        #[doc(alias("power", "**"))]
        pow = Pow;
        /// Returns the logarithm of `lhs` to the base `rhs`.
        log_base = LogBase;
        /// Returns the angle of the point with the coordinates `y = lhs` and `x = rhs`, in radians from -π to π.
        #[doc(alias("arctan2"))]
        atan2 = Atan2;
        /// Returns whether both operands are true. The result is null if either operand is null. [`and`] is SQL's
        /// `AND`.
        logical_and = LogicalAnd;
        /// Returns whether at least one operand is true. The result is null if either operand is null. [`or`] is SQL's
        /// `OR`.
        logical_or = LogicalOr;
        /// Returns `lhs == rhs`.
        #[doc(alias("equal", "=="))]
        eq = Equal;
        /// Returns `lhs != rhs`.
        #[doc(alias("not_equal", "!="))]
        ne = NotEqual;
        /// Returns `lhs < rhs`.
        #[doc(alias("less"))]
        lt = Less;
        /// Returns `lhs > rhs`.
        #[doc(alias("greater"))]
        gt = Greater;
        /// Returns `lhs <= rhs`.
        #[doc(alias("less_equal"))]
        le = LessEqual;
        /// Returns `lhs >= rhs`.
        #[doc(alias("greater_equal"))]
        ge = GreaterEqual;
        /// Compares as [`eq`] does, except that the result is never null. A null equals a null, and differs from every
        /// value.
        #[doc(alias("eq_missing", "IS NOT DISTINCT FROM", "<=>"))]
        null_equals = NullEquals;
        /// Returns the opposite of [`null_equals`].
        #[doc(alias("ne_missing", "IS DISTINCT FROM"))]
        null_not_equals = NullNotEquals;
        /// Returns the greater of the two operands. If one operand is null, the result is the other operand.
        #[doc(alias("greatest"))]
        null_max = NullMax;
        /// Returns the smaller of the two operands. If one operand is null, the result is the other operand.
        #[doc(alias("least"))]
        null_min = NullMin;
        /// Computes SQL's `AND` (Kleene logic): the result is false if either operand is false. Otherwise, the result
        /// is null if either operand is null.
        #[doc(alias("AND", "and_kleene"))]
        and = NullLogicalAnd;
        /// Computes SQL's `OR` (Kleene logic): the result is true if either operand is true. Otherwise, the result is
        /// null if either operand is null.
        #[doc(alias("OR", "or_kleene"))]
        or = NullLogicalOr;
    }
}

/// The short forms of `unary_operation`.
pub(crate) mod unary {
    use gdf_core::{Column, ColumnView, Result};
    use gdf_detail as detail;

    use crate::scope::Scope;
    use crate::unary::UnaryOperator;

    fn shortened(name: &'static str, op: UnaryOperator, column: ColumnView<'_>) -> Result<Column> {
        Scope::for_inputs(name, &[&column])?.run_short_form(|ctx| detail::unary::unary_operation(column, op, ctx))
    }

    short_forms! {
        "[`unary_operation`](crate::unary::unary_operation()), which documents types, nulls, accuracy, costs and \
         errors. See the [module](crate::unary) for examples.",
        UnaryOperator: fn(column: ColumnView) -> Column = shortened;
        /// Returns the sine of each angle in radians.
        sin = Sin;
        /// Returns the cosine of each angle in radians.
        cos = Cos;
        /// Returns the tangent of each angle in radians.
        tan = Tan;
        /// Returns the arc sine of each row, in radians.
        asin = ArcSin;
        /// Returns the arc cosine of each row, in radians.
        acos = ArcCos;
        /// Returns the arc tangent of each row, in radians.
        atan = ArcTan;
        /// Returns the hyperbolic sine of each row.
        sinh = Sinh;
        /// Returns the hyperbolic cosine of each row.
        cosh = Cosh;
        /// Returns the hyperbolic tangent of each row.
        tanh = Tanh;
        /// Returns the inverse hyperbolic sine of each row.
        asinh = ArcSinh;
        /// Returns the inverse hyperbolic cosine of each row.
        acosh = ArcCosh;
        /// Returns the inverse hyperbolic tangent of each row.
        atanh = ArcTanh;
        /// Returns `e` to the power of each row.
        exp = Exp;
        /// Returns the natural logarithm of each row.
        #[doc(alias("log"))]
        ln = Log;
        /// Returns the square root of each row.
        sqrt = Sqrt;
        /// Returns the cube root of each row.
        cbrt = Cbrt;
        /// Returns 2 to the power of each row.
        exp2 = Exp2;
        /// Returns `e` to the power of the row, minus 1. The result is also accurate for numbers close to 0.
        expm1 = Expm1;
        /// Returns the logarithm of each row to the base 2.
        log2 = Log2;
        /// Returns the logarithm of each row to the base 10.
        log10 = Log10;
        /// Returns the natural logarithm of 1 plus the row. The result is also accurate for numbers close to 0.
        log1p = Log1p;
        /// Converts radians to degrees.
        #[doc(alias("rad2deg"))]
        degrees = Degrees;
        /// Converts degrees to radians.
        #[doc(alias("deg2rad"))]
        radians = Radians;
        /// Returns -1 for a negative number, and 1 for a positive number. Zeros and NaN stay as they are.
        #[doc(alias("signum", "sgn"))]
        sign = Sign;
        /// Returns the smallest integer that is not less than the row, in the type of the column.
        ceil = Ceil;
        /// Returns the largest integer that is not greater than the row, in the type of the column.
        floor = Floor;
        /// Returns the absolute value of each row.
        abs = Abs;
        /// Returns the integer nearest to each float. A float halfway between two integers is rounded to the even
        /// integer.
        #[doc(alias("round_ties_even"))]
        rint = Rint;
        /// Returns the integer part of each float.
        #[doc(alias("truncate"))]
        trunc = Trunc;
        /// Returns the number of bits of each row that are 1.
        #[doc(alias("count_ones"))]
        bit_count = BitCount;
        /// Inverts every bit of each row.
        #[doc(alias("bit_invert"))]
        bitwise_not = BitInvert;
        /// Returns whether each row is false or 0.
        not = Not;
        /// Returns each number with the opposite sign.
        #[doc(alias("negate"))]
        neg = Negate;
    }
}

/// The short forms of `reduce`.
pub(crate) mod reduction {
    use gdf_core::{ColumnView, Result, Scalar};
    use gdf_detail as detail;

    use crate::reduction::{ReduceAggregation, default_output_type};
    use crate::scope::Scope;

    fn shortened(name: &'static str, aggregation: ReduceAggregation, column: ColumnView<'_>) -> Result<Scalar> {
        Scope::for_inputs(name, &[&column])?.run_short_form(|ctx| {
            let output_type = default_output_type(aggregation, column.data_type())?;
            detail::reduction::reduce(column, aggregation, &output_type, ctx)
        })
    }

    short_forms! {
        "[`reduce`](crate::reduction::reduce()), with the [default type](crate::reduction::default_output_type()) of \
         the result. `reduce` documents types, nulls, NaN, overflow, costs and errors. See the \
         [module](crate::reduction) for examples.",
        ReduceAggregation: fn(column: ColumnView) -> Scalar = shortened;
        /// Returns the sum of the rows that are not null. The result is null if all rows are null.
        sum = Sum;
        /// Returns the sum of integers or booleans that are not null, and whether it does not fit 64 bits, as a struct.
        /// The result is null if all rows are null.
        sum_overflow = SumOverflow;
        /// Returns the product of the rows that are not null. The result is null if all rows are null.
        product = Product;
        /// Returns the smallest value. The result is null if all rows are null.
        min = Min;
        /// Returns the largest value. The result is null if all rows are null.
        max = Max;
        /// Returns the sum divided by the number of rows that are not null. The result is null if all rows are null.
        #[doc(alias("average", "avg"))]
        mean = Mean;
        /// Returns the sum of the squares of the rows that are not null. The result is null if all rows are null.
        sum_of_squares = SumOfSquares;
        /// Returns the number of rows that are not null.
        count = CountValid;
        /// Returns the number of rows, nulls included.
        count_all = CountAll;
        /// Returns the value in the middle of the sorted rows, or the mean of the two values in the middle. The result
        /// is null if all rows are null.
        median = Median;
        /// Returns the number of the first row with the smallest value. The result is null if all rows are null.
        #[doc(alias("arg_min", "idxmin"))]
        argmin = ArgMin;
        /// Returns the number of the first row with the largest value. The result is null if all rows are null.
        #[doc(alias("arg_max", "idxmax"))]
        argmax = ArgMax;
        /// Returns the bitwise AND of the rows that are not null. The result is null if all rows are null.
        #[doc(alias("bit_and"))]
        bitwise_and = BitwiseAnd;
        /// Returns the bitwise OR of the rows that are not null. The result is null if all rows are null.
        #[doc(alias("bit_or"))]
        bitwise_or = BitwiseOr;
        /// Returns the bitwise XOR of the rows that are not null. The result is null if all rows are null.
        #[doc(alias("bit_xor"))]
        bitwise_xor = BitwiseXor;
        /// Returns whether any row is true or not zero. The result is false if all rows are null.
        any = Any;
        /// Returns whether no row is false or zero. The result is true if all rows are null.
        all = All;
    }
}

/// The short forms of `digest`.
pub(crate) mod hashing {
    use gdf_core::{Column, Result, TableView};
    use gdf_detail as detail;

    use crate::hashing::DigestFunction;
    use crate::scope::Scope;

    fn shortened(name: &'static str, function: DigestFunction, table: TableView<'_>) -> Result<Column> {
        Scope::for_inputs(name, &[&table])?.run_short_form(|ctx| detail::hashing::digest(table, function, ctx))
    }

    short_forms! {
        "[`digest`](crate::hashing::digest()), which documents types, nulls, costs and errors.",
        DigestFunction: fn(table: TableView) -> Column = shortened;
        /// Returns the MD5 of each row: 32 hexadecimal digits.
        md5 = Md5;
        /// Returns the SHA-1 of each row: 40 hexadecimal digits.
        sha1 = Sha1;
        /// Returns the SHA-224 of each row: 56 hexadecimal digits.
        sha224 = Sha224;
        /// Returns the SHA-256 of each row: 64 hexadecimal digits.
        #[doc(alias("sha2", "fingerprint"))]
        sha256 = Sha256;
        /// Returns the SHA-384 of each row: 96 hexadecimal digits.
        sha384 = Sha384;
        /// Returns the SHA-512 of each row: 128 hexadecimal digits.
        sha512 = Sha512;
    }
}
