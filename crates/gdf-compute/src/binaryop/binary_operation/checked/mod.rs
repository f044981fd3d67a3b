//! Arithmetic whose results are worked out exactly and compared with what their type holds: `binary_operation_checked`, and
//! for `unary_operation_checked` and `cast_checked`, which are such arithmetic, too.

mod cuda;
mod host;

use arrow_buffer::i256;
use gdf_core::{
    Column, DataType, Error, Operand, PhysicalType, Result, decimal_parts, is_floating, physical_type, width,
};
use gdf_engine::elementwise::{self, Inputs, Nulls};
use gdf_engine::operand::{DecodedOperands, Literals};
use gdf_engine::policy::{ArithmeticPolicy, OverflowPolicy, ZeroDivisionPolicy};
use gdf_kernels::generated::binaryop::CheckedFailure as Failure;

use super::operators::{BinaryGroup, BinaryOperator, NullRule};
use super::plan::{self, Arithmetic, BinaryPlan, Compute, Scaling};
use crate::Ctx;

/// The name of the operation in errors.
const OPERATION: &str = "binary_operation_checked";

/// [`binary_operation`](super::binary_operation()) of the operators from `Add` to `PyMod`, with `policy` for rows that have
/// no result.
///
/// # Errors
/// * [`InvalidData`](Error::InvalidData) where the policy says so.
/// * [`Unsupported`](Error::Unsupported): another operator; and those of `binary_operation`.
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

/// What is worked out.
#[derive(Clone, Copy, Debug)]
pub struct CheckedPlan {
    /// 128 bits for operands of at most 64, 256 bits for scaled and wider ones, or a float.
    compute: Compute,
    code: Arithmetic,
    pub(crate) scaling: Scaling,
    /// The division by `scaling.down` rounds down.
    pub(crate) floors: bool,
    /// The absolute value is taken of the result.
    pub(crate) absolute: bool,
    /// A divisor of zero has no result.
    divides: bool,
    /// What the result can be, unless a float.
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
            return Err(
                Error::unsupported(OPERATION, lhs).with_remedy("`binary_operation` has operators that never fail")
            );
        }
        let mut plan = Self::integers(plan::arithmetic(op)?, [lhs, rhs, output], scaling);
        plan.compute = float.unwrap_or(plan.compute);
        plan.divides = op.null_rule() == NullRule::ZeroDivisor;
        Ok(plan)
    }

    /// Of integers, of which each of `types` has some; the last is the type of the result. `code` is no division.
    pub fn integers(code: Arithmetic, types: [&DataType; 3], scaling: Scaling) -> Self {
        let wide = scaling != Scaling::NONE || types.into_iter().any(|of| width(of).is_some_and(|bytes| bytes > 8));
        let compute = if wide { Compute::I256 } else { Compute::I128 };
        Self { compute, code, scaling, floors: false, absolute: false, divides: false, range: range(types[2]) }
    }

    /// Of floats that become integers.
    pub(crate) fn truncation(output: &DataType) -> Self {
        Self { compute: Compute::F64, ..Self::integers(Arithmetic::Add, [output; 3], Scaling::NONE) }
    }

    /// Whether all that the one type holds the other does.
    pub(crate) fn always_fits(from: &DataType, to: &DataType) -> bool {
        range(from).zip(range(to)).is_some_and(|(from, to)| to[0] <= from[0] && from[1] <= to[1])
    }

    /// The smallest float, cut off, that an integer of the range can be made of, and the first that is too large.
    fn float_range(&self) -> [f64; 2] {
        let float = |of: i256| of.to_i128().map_or(f64::INFINITY, |of| of as f64);
        self.range.map_or([f64::NEG_INFINITY, f64::INFINITY], |[lower, upper]| {
            [float(lower), float(upper.wrapping_add(i256::ONE))]
        })
    }
}

/// What a type holds: decimals as many digits as their precision says.
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

/// Bits of [`Failure`]: which make nulls, and which errors.
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

    /// Whether divisors of zero fail, or have results.
    fn zeros_fail(self) -> bool {
        (self.nulls | self.reports) & Failure::ZeroDivisor as i32 != 0
    }

    /// The error of the failures that were reported.
    fn verdict(self, overflow: bool, zero: bool) -> Result<()> {
        match (overflow, zero) {
            (_, true) => Err(Error::invalid_data("a divisor is zero")),
            (true, _) => Err(Error::invalid_data("a result does not fit its type")),
            _ => Ok(()),
        }
    }
}

/// A column of `output_type` of what the plan works out.
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
