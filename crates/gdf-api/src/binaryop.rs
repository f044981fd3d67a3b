//! Operations on two columns, element by element.
//!
//! [`binary_operation`] takes the operator and the type of the result. Each operator also has a function of its own,
//! whose result has the default type. An operand is a column, a scalar, or a [literal](gdf_core::Literal): a number,
//! text or date of Rust.
//!
//! ```
//! use gdf::binaryop::{add, and, gt, lt};
//! use gdf::Column;
//!
//! let prices = Column::from_options(&[Some(2.5), None, Some(10.0)])?;
//! assert_eq!(add(&prices, 1.0)?.to_vec::<f64>()?, [Some(3.5), None, Some(11.0)]);
//! let moderate = and(&gt(&prices, 1)?, &lt(&prices, 5)?)?;
//! assert_eq!(moderate.to_vec::<bool>()?, [Some(true), None, Some(false)]);
//! # Ok::<(), gdf::Error>(())
//! ```

use gdf_core::{Column, DataType, Operand, Result};
use gdf_detail as detail;
pub use gdf_detail::binaryop::{
    ArithmeticPolicy, BinaryOperator, OverflowPolicy, ZeroDivisionPolicy, default_output_type,
};

use crate::scope::Scope;
pub use crate::short_forms::binaryop::*;

/// Computes `lhs op rhs`, element by element, as a column of `output_type`. A scalar stands for every row.
///
/// [`default_output_type`] returns the type that needs no conversion, and documents which types can be combined.
///
/// # Shapes
/// A column and a column of the same length, a column and a scalar, or a scalar and a column. A
/// [literal](gdf_core::Literal) is a scalar with the type of its Rust value. For example, a `Float32` column and the
/// literal `2.0` give `Float64`, and with the literal `2.0_f32` they give `Float32`.
///
/// # Types
/// * Integers and floats are computed in the common type of `lhs`, `rhs` and `output_type`. `Int32 + Int32` with the
///   result type `Int64` does not overflow, and `Int32 / Int32` with the result type `Float64` is not truncated.
/// * `TrueDiv` is computed in a float type. Booleans count as unsigned 8-bit integers. Integers of 32 or 64 bits with
///   `Float32` are computed in `Float64`. Signed integers with `UInt64` are computed exactly, in 128 bits. Half
///   precision is computed in single precision.
/// * An integer result is converted to an integer type by wrapping. A float result is converted to an integer type by
///   truncation: NaN becomes 0, and a result that is too large becomes the largest integer.
/// * Shifts are computed in the type of `lhs`. The shift amount is taken modulo the number of bits of that type.
/// * Decimals: an integer beside a decimal has scale 0. Operands are rescaled to one scale, except for `Mul`. The
///   result is rescaled to the scale of `output_type`. All steps use 128 bits. They use 256 bits if one of the types has
///   256 bits, and for quotients, remainders and truncated results whose scaled operands may need more than 128 bits. A
///   result that fits in `output_type` is therefore right, and any other result wraps, as integers do.
///   Excess digits are truncated, not rounded. The quotient of `Div` has as many digits after the point as the
///   scale of `output_type`.
/// * Timestamps, durations, dates, times: see [`default_output_type`]. Operands are converted to the finer unit. The
///   result is truncated towards zero where `output_type` is coarser.
/// * Strings and byte strings with offsets of either width are compared by bytes, in any mixture of these types.
///   `NullMax` and `NullMin` need two operands of the same type.
/// * Views of strings and byte strings, and dictionaries, are decoded first, at the costs of
///   [`cast`](crate::unary::cast).
/// * Structs, lists and maps of one type are compared in the order in which [`sort`](crate::sorting::sort) puts them.
///   Their rows must have an order. Names of fields may differ. Structs compare by their first field that differs, and
///   lists by their first element that differs. A list comes before the lists that begin with it.
/// * `Pow`, `LogBase` and `Atan2` are computed in double precision. Their results may have an error of some units in
///   the last place, and may differ between devices.
/// * Comparisons and logical operators return `Boolean`. Other operators of numbers with the `output_type` `Boolean`
///   return whether the result of the default type is not 0.
/// * Comparisons are exact between signed and unsigned integers, between decimals of different scales, and between
///   units of time. Integers are compared with floats as `Float64`.
///
/// # Nulls, overflow, NaN
/// * A row is null where either operand is null, except for the operators whose name begins with `Null`.
/// * Division of integers, decimals or durations by zero (`Div`, `FloorDiv`, `Mod`, `PMod`, `PyMod`) gives null. The
///   result of such an operator always has a mask.
/// * Within structs and lists, nulls are equal to each other and smaller than every value. A NaN there equals another
///   NaN and is larger than every number. The row itself is null where a struct or list is null.
/// * Integers and decimals wrap at the width of their type; `MIN / -1` wraps too.
/// * Floats follow IEEE 754: a NaN is not equal to any value, including NaN, and `x / 0` is infinite or NaN. `NullMax`
///   and `NullMin` return `rhs` where one operand is NaN.
///
/// Order: the order of the inputs. In libcudf `binary_operation`. polars and arrow-rs have one function or kernel for
/// each operator.
///
/// ```
/// use gdf::binaryop::{BinaryOperator, binary_operation};
/// use gdf::{Column, DataType};
///
/// let lhs = Column::from_options(&[Some(7), Some(7), None])?;
/// let rhs = Column::from_slice(&[2, 0, 1])?;
/// let whole = binary_operation(&lhs, &rhs, BinaryOperator::Div, &DataType::Int32)?;
/// assert_eq!(whole.to_vec::<i32>()?, [Some(3), None, None]);
/// let exact = binary_operation(&lhs, 2, BinaryOperator::Div, &DataType::Float64)?;
/// assert_eq!(exact.to_vec::<f64>()?, [Some(3.5), Some(3.5), None]);
///
/// let lists = |elements| gdf::core::make_lists_column(&Column::from_slice(&[0, 1, 2, 3])?, elements, None);
/// let (left, right) = (lists(lhs)?, lists(rhs)?); // [7], [7], [null] and [2], [0], [1]
/// let less = binary_operation(&left, &right, BinaryOperator::Less, &DataType::Boolean)?;
/// assert_eq!(less.to_vec::<bool>()?, [Some(false), Some(false), Some(true)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device only in two cases. `NullMax` and `NullMin` of strings wait at most twice, for the
/// sizes of the strings. Comparisons of lists, and of structs for their order, sort the elements of each level, and
/// wait as a sort does. Structs are compared for equality field by field, without a sort. See the table of
/// costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) when both operands are scalars. Also when the scales of
///   two decimals differ by so much that the rescaled operands do not fit 128 (256) bits.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
/// * [`Unsupported`](gdf_core::Error::Unsupported) when the operator does not exist for a type.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when the two types cannot be combined.
/// * Driver and memory errors.
#[doc(alias("add", "subtract", "multiply", "divide", "compare", "arithmetic", "and", "or", "eq", "lt", "gt"))]
pub fn binary_operation<'a>(
    lhs: impl Into<Operand<'a>>,
    rhs: impl Into<Operand<'a>>,
    op: BinaryOperator,
    output_type: &DataType,
) -> Result<Column> {
    let (lhs, rhs) = (lhs.into(), rhs.into());
    Scope::for_inputs("binary_operation", &[&lhs, &rhs])?
        .run(|ctx| detail::binaryop::binary_operation(lhs, rhs, op, output_type, ctx))
}

/// Computes the same as [`binary_operation`], with a policy for rows that overflow and a policy for rows whose divisor
/// is zero.
///
/// # Types
/// The types of [`binary_operation`] for `Add`, `Sub`, `Mul`, `Div`, `TrueDiv`, `FloorDiv`, `Mod`, `PMod` and `PyMod`,
/// except `Boolean` results. Integers, decimals, dates and durations are computed exactly, in 128 or 256 bits, and then
/// compared with `output_type`:
/// * An integer result overflows if it exceeds the bits of the type.
/// * A decimal result overflows if it exceeds the *precision* of the type. Truncated digits beyond the scale do not
///   count.
/// * `Decimal256` also overflows if rescaled operands or results need more than 256 bits.
/// * A float result becomes infinite and never overflows. Converted to an integer, it overflows if it is NaN or if the
///   truncated value is out of range.
///
/// # Nulls
/// A row is null if either operand is null, or if a policy is `Null` and applies to the row. With
/// [`ZeroDivisionPolicy::Ieee`], integers and decimals divided by zero become null. Rows with a null operand never
/// fail. [`OverflowPolicy::Wrap`] keeps the lowest bits of the exact result.
///
/// In arrow-rs `add` and similar functions fail on overflow, and `add_wrapping` wraps. In SQL overflow and division
/// by zero fail, and the functions with the prefix `TRY_` make nulls.
///
/// ```
/// use gdf::binaryop::{ArithmeticPolicy, BinaryOperator, OverflowPolicy, binary_operation_checked};
/// use gdf::{Column, DataType};
///
/// let (lhs, rhs) = (Column::from_slice(&[100_i8, 1])?, Column::from_slice(&[100_i8, 2])?);
/// let policy = |overflow| ArithmeticPolicy { overflow, ..ArithmeticPolicy::default() };
/// let add = |overflow| binary_operation_checked(&lhs, &rhs, BinaryOperator::Add, &DataType::Int8, policy(overflow));
/// assert_eq!(add(OverflowPolicy::Null)?.to_vec::<i8>()?, [None, Some(3)]);
/// assert!(add(OverflowPolicy::Error).is_err());
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device only if a policy is `Error`, once. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidData`](gdf_core::Error::InvalidData) if a policy is `Error` and applies to a row.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other operators.
/// * The errors of [`binary_operation`].
#[doc(alias("try_add", "checked_add", "overflow", "ansi", "add_checked"))]
pub fn binary_operation_checked<'a>(
    lhs: impl Into<Operand<'a>>,
    rhs: impl Into<Operand<'a>>,
    op: BinaryOperator,
    output_type: &DataType,
    policy: ArithmeticPolicy,
) -> Result<Column> {
    let (lhs, rhs) = (lhs.into(), rhs.into());
    Scope::for_inputs("binary_operation_checked", &[&lhs, &rhs])?
        .run(|ctx| detail::binaryop::binary_operation_checked(lhs, rhs, op, output_type, policy, ctx))
}
