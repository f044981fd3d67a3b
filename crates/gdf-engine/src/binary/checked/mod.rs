//! Arithmetic that computes exact results and compares each result with the range of the output type.

mod cuda;
mod host;

use arrow_buffer::i256;
use gdf_core::{
    Column, DataType, Error, Operand, PhysicalType, Result, decimal_parts, is_floating, physical_type, width,
};
use gdf_kernels::generated::binaryop::CheckedFailure as Failure;

use super::operators::Arithmetic;
use super::operators::{BinaryGroup, BinaryOperator, NullRule};
use super::plan::{self, BinaryPlan, Compute, Scaling};
use crate::Ctx;
use crate::elementwise::{self, Inputs, Nulls};
use crate::operand::{DecodedOperands, Literals};
use crate::policy::{ArithmeticPolicy, OverflowPolicy, ZeroDivisionPolicy};

const OPERATION: &str = "binary_operation_checked";

/// Computes an operator from `Add` to `PyMod` in the same way as [`binary`](super::binary()),
/// except for two kinds of rows: rows whose result does not fit in the output type, and rows whose divisor is zero.
/// `policy` decides what happens in such rows.
///
/// # Errors
/// * [`InvalidData`](Error::InvalidData) when a row has no result and `policy` asks for an error.
/// * [`Unsupported`](Error::Unsupported) when `op` is not an operator from `Add` to `PyMod`.
/// * The errors of `binary_operation`.
pub fn binary_operation_checked(
    lhs: Operand<'_>,
    rhs: Operand<'_>,
    op: BinaryOperator,
    output_type: &DataType,
    policy: ArithmeticPolicy,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let decoded = DecodedOperands::new(&[lhs, rhs], ctx)?;
    let [lhs, rhs] = decoded.resolve([lhs, rhs]);
    let plan = CheckedPlan::of_operator(op, lhs.data_type(), rhs.data_type(), output_type);
    plan.and_then(|plan| run([lhs, rhs], &plan, output_type, policy, ctx)).map_err(|error| error.in_variant(op.name()))
}

/// The plan of a checked operation: the working type, the operator, the factors and the checks.
#[derive(Clone, Copy, Debug)]
pub struct CheckedPlan {
    /// The working type.
    compute: Compute,
    code: Arithmetic,
    pub scaling: Scaling,
    /// Whether the division by `scaling.down` rounds down instead of towards zero.
    pub floors: bool,
    /// Whether the result is replaced by its absolute value.
    pub absolute: bool,
    /// Whether the operator is a division, so that a divisor of zero gives no result.
    divides: bool,
    /// The smallest and the largest value of the output type. `None` for a float type.
    range: Option<[i256; 2]>,
}

impl CheckedPlan {
    fn of_operator(op: BinaryOperator, lhs: &DataType, rhs: &DataType, output: &DataType) -> Result<Self> {
        let (scaling, float) = match plan::plan(op, lhs, rhs, output)? {
            BinaryPlan::SameFloats { physical: PhysicalType::F32, .. } => (Scaling::NONE, Some(Compute::F32)),
            BinaryPlan::SameFloats { .. } => (Scaling::NONE, Some(Compute::F64)),
            BinaryPlan::SameIntegers { .. } => (Scaling::NONE, None),
            BinaryPlan::Converted { compute, .. } if compute.is_float() => (Scaling::NONE, Some(compute)),
            BinaryPlan::Converted { scaling, .. } => (scaling, None),
            BinaryPlan::Comparison { .. } | BinaryPlan::Logic(_) => return Err(Error::unsupported(OPERATION, lhs)),
        };
        if !matches!(op.group(), BinaryGroup::Arithmetic | BinaryGroup::TrueDivision | BinaryGroup::Division) {
            return Err(Error::unsupported(OPERATION, lhs).with_remedy("call `binary_operation` for this operator"));
        }
        let mut plan = Self::integers(plan::arithmetic(op)?, [lhs, rhs, output], scaling);
        plan.compute = float.unwrap_or(plan.compute);
        plan.divides = op.null_rule() == NullRule::ZeroDivisor;
        Ok(plan)
    }

    /// Returns the plan of an operation on integers, or on values that are stored as integers.
    pub fn integers(code: Arithmetic, types: [&DataType; 3], scaling: Scaling) -> Self {
        let wide = scaling != Scaling::NONE || types.into_iter().any(|of| width(of).is_some_and(|bytes| bytes > 8));
        let compute = if wide { Compute::I256 } else { Compute::I128 };
        Self { compute, code, scaling, floors: false, absolute: false, divides: false, range: range(types[2]) }
    }

    /// Returns the plan that truncates floats to integers of type `output`.
    pub fn truncation(output: &DataType) -> Self {
        Self { compute: Compute::F64, ..Self::integers(Arithmetic::Add, [output; 3], Scaling::NONE) }
    }

    /// Returns whether every value of `from` is also a value of `to`. Returns `false` if either type is a float type.
    pub fn always_fits(from: &DataType, to: &DataType) -> bool {
        range(from).zip(range(to)).is_some_and(|(from, to)| to[0] <= from[0] && from[1] <= to[1])
    }

    /// Returns the range of the truncated floats that fit in the output type: the smallest such float, and the
    /// exclusive upper end.
    fn float_range(&self) -> [f64; 2] {
        let float = |of: i256| of.to_i128().map_or(f64::INFINITY, |of| of as f64);
        self.range.map_or([f64::NEG_INFINITY, f64::INFINITY], |[lower, upper]| {
            [float(lower), float(upper.wrapping_add(i256::ONE))]
        })
    }
}

/// Returns the smallest and the largest value of a type, and `None` for a float type.
fn range(data_type: &DataType) -> Option<[i256; 2]> {
    if is_floating(data_type) {
        return None;
    }
    if let Some((_, precision, _)) = decimal_parts(data_type) {
        let most = i256::from_i128(10).wrapping_pow(u32::from(precision)).wrapping_sub(i256::ONE);
        return Some([most.wrapping_neg(), most]);
    }
    let bits = width(data_type).map_or(64, |bytes| 8 * bytes as u32);
    let unsigned = matches!(
        physical_type(data_type),
        PhysicalType::U8 | PhysicalType::U16 | PhysicalType::U32 | PhysicalType::U64
    );
    let power = |bits: u32| 1_i128 << bits;
    let [lower, upper] = if unsigned { [0, power(bits) - 1] } else { [-power(bits - 1), power(bits - 1) - 1] };
    Some([lower, upper].map(i256::from_i128))
}

/// The failures that make a row null, and the failures that the kernels report. Each set consists of bits of
/// [`Failure`].
#[derive(Clone, Copy, Debug)]
struct FailureMasks {
    nulls: i32,
    reports: i32,
}

impl FailureMasks {
    fn new(plan: &CheckedPlan, policy: ArithmeticPolicy) -> Self {
        let float = plan.compute.is_float();
        let bit = |kind: Failure, is: bool| if is { kind as i32 } else { 0 };
        let of = |overflow: OverflowPolicy, zero: bool| {
            let bounded = plan.range.is_some() && policy.overflow == overflow;
            bit(Failure::Overflow, bounded) | bit(Failure::ZeroDivisor, zero && plan.divides)
        };
        let null = match policy.zero_division {
            ZeroDivisionPolicy::Ieee => !float,
            ZeroDivisionPolicy::Null => true,
            ZeroDivisionPolicy::Error => false,
        };
        let error = policy.zero_division == ZeroDivisionPolicy::Error;
        Self { nulls: of(OverflowPolicy::Null, null), reports: of(OverflowPolicy::Error, error) }
    }

    fn zeros_fail(self) -> bool {
        (self.nulls | self.reports) & Failure::ZeroDivisor as i32 != 0
    }

    fn verdict(self, overflow: bool, zero: bool) -> Result<()> {
        match (overflow, zero) {
            (_, true) => {
                Err(Error::invalid_data("a divisor is zero; use `ZeroDivisionPolicy::Null` to get null for such rows"))
            }
            (true, _) => Err(Error::invalid_data("a result does not fit in the output type; use a wider output type")),
            _ => Ok(()),
        }
    }
}

/// Executes `plan` and returns the result as a column of `output_type`. `policy` decides what happens to a row whose
/// result does not fit or whose divisor is zero.
pub fn run(
    operands: [Operand<'_>; 2],
    plan: &CheckedPlan,
    output_type: &DataType,
    policy: ArithmeticPolicy,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let literals = Literals::new(&operands, ctx)?;
    let inputs = Inputs::new(literals.resolve(operands), ctx)?;
    let masks = FailureMasks::new(plan, policy);
    let nullable = masks.nulls != 0 || inputs.operands.iter().any(|operand| operand.has_validity());
    elementwise::map(
        inputs,
        output_type,
        Nulls::Own { nullable },
        ctx,
        |rows| host::checked(rows, plan, masks),
        |launch| cuda::checked(launch, plan, masks),
    )
}
