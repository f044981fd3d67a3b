//! Operations on two columns, element by element.
//!
//! [`binary_operation`] takes the operator and the type of the result. Each operator is a function of its own, too, with the default type
//! of its result. Either side is a column, a scalar, or a [literal](gdf_core::Literal): numbers, text and dates as they are in Rust.
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

/// `lhs op rhs`, element by element, as a column of `output_type`; a scalar stands for every row.
///
/// [`default_output_type`] gives the type that needs no conversion, and says which types go together.
///
/// # Shapes
/// A column and a column of the same length, a column and a scalar, or a scalar and a column. A [literal](gdf_core::Literal) is a scalar
/// with the type of its Rust value, so that `2.0` beside `Float32` gives `Float64`, and `2.0_f32` does not.
///
/// # Types
/// * Integers and floats, of the same or of different types, are worked on in the common type of `lhs`, `rhs` and
///   `output_type` (`TrueDiv`: in a float), booleans counting as unsigned 8-bit integers. So `Int32 + Int32` as `Int64`
///   does not overflow, and `Int32 / Int32` as `Float64` is not truncated. Integers of 32 or 64 bits beside `Float32` are worked
///   on in `Float64`; signed integers beside `UInt64` exactly, in 128 bits. Half precision is worked on in single
///   precision. A result is converted to an integer type by wrapping, or, if a float, by truncation, NaN being 0 and
///   what is too large the largest.
/// * Shifts work in the type of `lhs`, by amounts modulo its number of bits.
/// * Decimals, and integers beside them (scale 0): operands are brought to one scale (not for `Mul`), the result is brought
///   to the scale of `output_type`, all in 128 bits, or 256 where a type has these; digits too many are cut off, not
///   rounded. `Div` has as many digits as `output_type` shows.
/// * Timestamps, durations, dates, times: see [`default_output_type`]; units are brought to the finer one, and cut off
///   towards zero where `output_type` is coarser.
/// * Strings and byte strings with offsets of either width, in any mixture: comparisons, by bytes; of one type: `NullMax`
///   and `NullMin`.
/// * Views of these, and dictionaries, are decoded first, as by [`cast`](crate::unary::cast), with its launches and its
///   wait.
/// * `Pow`, `LogBase` and `Atan2` are worked out in double precision; they are some units in the last place off, not the
///   same ones on every device.
/// * Comparisons and logic give `Boolean`; of other operators of numbers, as `Boolean`, whether the result of the default
///   type is not 0. Comparisons are exact: between signed and unsigned integers, decimals of
///   different scales, units of time; integers beside floats are compared as `Float64`.
///
/// # Nulls, overflow, NaN
/// * A row is null where either operand is, but for the `Null…` operators. Dividing integers, decimals or durations by
///   zero (`Div`, `FloorDiv`, `Mod`, `PMod`, `PyMod`) gives null; such a result always has a mask.
/// * Integers and decimals wrap at the width of their type, `MIN / -1` too.
/// * Floats follow IEEE 754: NaN equals nothing, itself included, and `x / 0` is infinite or NaN. `NullMax` and
///   `NullMin` give `rhs` where one operand is NaN.
///
/// Order: that of the inputs. In libcudf `binary_operation`, in polars and arrow-rs an operation (or kernel) per
/// operator.
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
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// No wait; of strings at most 2, for their sizes. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) when both operands are scalars, or scales of decimals lie so
///   far apart that they do not fit 128 (256) bits.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
/// * [`Unsupported`](gdf_core::Error::Unsupported) when the operator does not exist for a type.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when the types do not go together.
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

/// As [`binary_operation`], with a choice of what becomes of rows that have no result: those that overflow, and those whose
/// divisor is zero.
///
/// # Types
/// Those of [`binary_operation`], of the operators from `Add` to `PyMod` in its list, but for `Boolean` results. Integers,
/// decimals, dates and durations are worked out exactly, in 128 or 256 bits, and then compared with `output_type`: with the
/// bits of an integer, with the *precision* of a decimal; `Decimal256` overflows also where operands or results, brought
/// to one scale, take more than 256 bits. Digits that the scale cuts off are no overflow. Floats never
/// overflow, they become infinite; floats as integers overflow where they, cut off, do not fit, and as NaN.
///
/// # Nulls
/// A row is null where either operand is, and where a policy says `Null`. [`ZeroDivisionPolicy::Ieee`] makes integers and
/// decimals null. Null rows never fail. [`OverflowPolicy::Wrap`] leaves the lowest bits of the exact result.
///
/// In arrow-rs `add` and the like fail and `add_wrapping` wraps; in SQL both fail, and `TRY_` forms make nulls.
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
/// No wait; 1 if a policy is `Error`. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidData`](gdf_core::Error::InvalidData) where a policy says `Error` and a row fails.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other operators.
/// * Those of [`binary_operation`].
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
