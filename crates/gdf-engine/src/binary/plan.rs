//! Plans: the algorithm and the working type of an operation.

use arrow_buffer::i256;
use gdf_core::{
    DataType, Error, Operand, PhysicalType, Result, decimal_parts, is_binary, is_decimal, is_string, physical_type,
};
use gdf_expr::types::decimal::{self, Decimal, Powers};
use gdf_expr::types::temporal::Temporal;
use gdf_expr::types::{Number, natural};

use super::operators::{
    Arithmetic, BinaryGroup, BinaryOperator, ComparisonSpec, HasCodes, Logic, NullRule, OPERATION, SameFloats,
    SameIntegers,
};
use crate::elementwise::Nulls;

const OUTPUT: &str = "output_type";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compute {
    I64,
    U64,
    F32,
    F64,
    I128,
    I256,
}

impl Compute {
    pub fn is_float(self) -> bool {
        match self {
            Compute::F32 | Compute::F64 => true,
            Compute::I64 | Compute::U64 | Compute::I128 | Compute::I256 => false,
        }
    }
}

/// The factors by which operands and results are multiplied, so that decimals get the right scale. A factor of 1
/// changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scaling {
    /// The factor that the left operand is multiplied by.
    pub lhs: i256,
    /// The factor that the right operand is multiplied by.
    pub rhs: i256,
    /// The factor that the result is multiplied by.
    pub up: i256,
    /// The divisor of the result. The quotient is truncated towards zero.
    pub down: i256,
}

impl Scaling {
    /// No scaling: all factors are 1.
    pub const NONE: Scaling = Scaling { lhs: i256::ONE, rhs: i256::ONE, up: i256::ONE, down: i256::ONE };

    fn of_powers(powers: Powers, compute: Compute) -> Result<Scaling> {
        let most = if compute == Compute::I256 { 76 } else { 38 };
        let ten = |power: u32| match power {
            power if power <= most => Ok(i256::from_i128(10).wrapping_pow(power)),
            power => {
                let conversion = "the power of ten that converts an operand or the result to its scale";
                Err(Error::beyond_limit(conversion, i128::from(power), i128::from(most))
                    .with_remedy("choose scales of the operands and of the result that differ less"))
            }
        };
        Ok(Scaling { lhs: ten(powers.lhs)?, rhs: ten(powers.rhs)?, up: ten(powers.up)?, down: ten(powers.down)? })
    }
}

/// The factors of a comparison of decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComparisonScale {
    pub lhs: i256,
    pub rhs: i256,
    pub lhs_max: i256,
    pub rhs_max: i256,
}

impl ComparisonScale {
    pub const NONE: ComparisonScale =
        ComparisonScale { lhs: i256::ONE, rhs: i256::ONE, lhs_max: i256::MAX, rhs_max: i256::MAX };

    fn new(lhs: Option<i256>, rhs: Option<i256>, max: i256) -> ComparisonScale {
        let factor = |factor: Option<i256>| factor.unwrap_or(i256::ZERO);
        let most = |factor: Option<i256>| factor.map_or(i256::ZERO, |factor| max.wrapping_div(factor));
        ComparisonScale { lhs: factor(lhs), rhs: factor(rhs), lhs_max: most(lhs), rhs_max: most(rhs) }
    }
}

/// The types in which rows are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonDomain {
    /// Both columns have this physical type.
    Same(PhysicalType),
    /// Both columns are converted to the working type and then scaled.
    Converted(Compute, ComparisonScale),
    /// Both columns hold strings or byte strings.
    Bytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryPlan {
    SameIntegers {
        op: SameIntegers,
        physical: PhysicalType,
    },
    SameFloats {
        op: SameFloats,
        physical: PhysicalType,
    },
    /// The operands have any numeric types and are converted to `compute`. The result is converted from `compute`.
    Converted {
        op: Arithmetic,
        compute: Compute,
        scaling: Scaling,
        bits: i32,
    },
    Comparison {
        spec: ComparisonSpec,
        domain: ComparisonDomain,
    },
    Logic(Logic),
}

impl BinaryPlan {
    /// Returns the rule for which rows of the result are null.
    pub fn nulls(&self, op: BinaryOperator, operands: [Operand<'_>; 2]) -> Nulls {
        let floats = match self {
            BinaryPlan::SameFloats { .. } => true,
            BinaryPlan::Converted { compute, .. } => compute.is_float(),
            BinaryPlan::SameIntegers { .. } | BinaryPlan::Comparison { .. } | BinaryPlan::Logic(_) => false,
        };
        match op.null_rule() {
            NullRule::ZeroDivisor if !floats => Nulls::Own { nullable: true },
            NullRule::Either | NullRule::ZeroDivisor => Nulls::Keep,
            NullRule::Both => Nulls::All,
            NullRule::Undecided => Nulls::Own { nullable: operands.into_iter().any(Operand::has_validity) },
            NullRule::Never => Nulls::Never,
        }
    }
}

pub fn plan(op: BinaryOperator, lhs: &DataType, rhs: &DataType, output: &DataType) -> Result<BinaryPlan> {
    let natural = natural(op, lhs, rhs)?;
    if natural == DataType::Boolean {
        if *output != DataType::Boolean {
            return Err(Error::type_mismatch(DataType::Boolean, output).in_argument(OUTPUT));
        }
        let booleans = *lhs == DataType::Boolean && *rhs == DataType::Boolean;
        let code = op.code();
        return match (code.logic, code.comparison) {
            (Some(op), None) => Ok(BinaryPlan::Logic(op)),
            (Some(op), _) if booleans => Ok(BinaryPlan::Logic(op)),
            (_, Some(spec)) => Ok(BinaryPlan::Comparison {
                spec,
                domain: if code.swapped { domain(rhs, lhs) } else { domain(lhs, rhs) },
            }),
            (None, None) => Err(Error::unsupported(OPERATION, &DataType::Boolean)),
        };
    }
    if let Some((left, right)) = Decimal::pair(lhs, rhs) {
        return of_decimals(op, [lhs, rhs], [left.scale, right.scale], output);
    }
    if is_decimal(output) {
        return Err(Error::type_mismatch(&natural, output).in_argument(OUTPUT));
    }
    if Temporal::of(lhs).is_some() || Temporal::of(rhs).is_some() {
        return of_temporals(op, lhs, rhs, &natural, output);
    }
    of_numbers(op, lhs, rhs, output)
}

pub fn arithmetic(op: BinaryOperator) -> Result<Arithmetic> {
    op.code().arithmetic.ok_or_else(|| Error::internal("the operator has no arithmetic code"))
}

fn domain(lhs: &DataType, rhs: &DataType) -> ComparisonDomain {
    if is_string(lhs) || is_binary(lhs) {
        return ComparisonDomain::Bytes;
    }
    let (left, right) = (physical_type(lhs), physical_type(rhs));
    let scales = |of: &DataType| decimal_parts(of).map_or(0, |(_, _, scale)| i32::from(scale));
    let scale = if let (Some(lhs), Some(rhs)) = (Temporal::of(lhs), Temporal::of(rhs)) {
        let finer = lhs.tick.min(rhs.tick);
        let factor = |of: Temporal| Some(i256::from_i128(of.tick / finer));
        ComparisonScale::new(factor(lhs), factor(rhs), i256::from_i128(i128::MAX))
    } else if is_decimal(lhs) || is_decimal(rhs) {
        let (a, b) = (scales(lhs), scales(rhs));
        let wide = left == PhysicalType::I256 || right == PhysicalType::I256;
        let (digits, max) = if wide { (76, i256::MAX) } else { (38, i256::from_i128(i128::MAX)) };
        let factor = |power: i32| match u32::try_from(power) {
            Ok(power) if power <= digits => Some(i256::from_i128(10).wrapping_pow(power)),
            Ok(_) => None,
            Err(_) => Some(i256::ONE),
        };
        ComparisonScale::new(factor(b - a), factor(a - b), max)
    } else {
        ComparisonScale::NONE
    };
    let scaled = scale.lhs != i256::ONE || scale.rhs != i256::ONE;
    if left == right && !scaled && left != PhysicalType::F16 {
        return ComparisonDomain::Same(left);
    }
    let either = |one: PhysicalType| left == one || right == one;
    let float = left.is_floating() || right.is_floating();
    let compute = if either(PhysicalType::I256) {
        Compute::I256
    } else if float {
        Compute::F64
    } else if scaled || either(PhysicalType::I128) || either(PhysicalType::U64) {
        Compute::I128
    } else {
        Compute::I64
    };
    ComparisonDomain::Converted(compute, scale)
}

/// Returns a plan that computes values as they are stored.
fn same(op: BinaryOperator, types: [&DataType; 3], scaling: Scaling) -> Option<BinaryPlan> {
    let [lhs, rhs, output] = types.map(physical_type);
    let widths = [lhs, rhs, output].map(PhysicalType::width);
    if scaling != Scaling::NONE || widths[0] != widths[1] || widths[0] != widths[2] {
        return None;
    }
    if [lhs, rhs, output].iter().any(|of| of.is_floating()) {
        let op = op.code().same_floats.filter(|_| lhs == rhs && lhs == output && lhs != PhysicalType::F16);
        return op.map(|op| BinaryPlan::SameFloats { op, physical: lhs });
    }
    let physical = match lhs {
        PhysicalType::I8 | PhysicalType::U8 => PhysicalType::U8,
        PhysicalType::I16 | PhysicalType::U16 => PhysicalType::U16,
        PhysicalType::I32 | PhysicalType::U32 => PhysicalType::U32,
        PhysicalType::I64 | PhysicalType::U64 => PhysicalType::U64,
        PhysicalType::I128 => PhysicalType::I128,
        _ => return None,
    };
    op.code().same_integers.map(|op| BinaryPlan::SameIntegers { op, physical })
}

fn of_decimals(
    op: BinaryOperator,
    [lhs, rhs]: [&DataType; 2],
    scales: [i32; 2],
    output: &DataType,
) -> Result<BinaryPlan> {
    let Some((_, _, scale)) = decimal_parts(output) else {
        return Err(Error::type_mismatch("a decimal", output).in_argument(OUTPUT));
    };
    let physical = [lhs, rhs, output].map(physical_type);
    let powers = decimal::powers(op, scales[0], scales[1], i32::from(scale));
    if physical.contains(&PhysicalType::I256) || !fits_128_bits(op, [lhs, rhs], powers) {
        let scaling = Scaling::of_powers(powers, Compute::I256)?;
        return Ok(BinaryPlan::Converted { op: arithmetic(op)?, compute: Compute::I256, scaling, bits: 0 });
    }
    scaled(op, [lhs, rhs, output], Scaling::of_powers(powers, Compute::I128)?)
}

/// Returns whether 128 bits suffice for a result that fits in its type. The low bits of sums and products do not depend
/// on the bits beyond, unless they are divided afterwards. Quotients and remainders depend on all bits of their scaled
/// operands.
fn fits_128_bits(op: BinaryOperator, types: [&DataType; 2], powers: Powers) -> bool {
    let [lhs, rhs] = types.map(|of| Decimal::of(of).map_or(0, |of| of.precision as u32));
    let (lhs, rhs) = (lhs + powers.lhs, rhs + powers.rhs);
    let digits = match op {
        _ if op.null_rule() == NullRule::ZeroDivisor || op.group() == BinaryGroup::Choice => lhs.max(rhs),
        _ if powers.down == 0 => 0,
        BinaryOperator::Mul => lhs + rhs,
        _ => lhs.max(rhs) + 1,
    };
    digits.max(powers.lhs).max(powers.rhs).max(powers.up).max(powers.down) <= 38
}

fn scaled(op: BinaryOperator, types: [&DataType; 3], scaling: Scaling) -> Result<BinaryPlan> {
    if let Some(plan) = same(op, types, scaling) {
        return Ok(plan);
    }
    let large = |of: &DataType| matches!(physical_type(of), PhysicalType::I128 | PhysicalType::U64);
    let compute = if scaling != Scaling::NONE || types.into_iter().any(large) { Compute::I128 } else { Compute::I64 };
    Ok(BinaryPlan::Converted { op: arithmetic(op)?, compute, scaling, bits: 0 })
}

fn of_temporals(
    op: BinaryOperator,
    lhs: &DataType,
    rhs: &DataType,
    natural: &DataType,
    output: &DataType,
) -> Result<BinaryPlan> {
    let mismatch = || Err(Error::type_mismatch(natural, output).in_argument(OUTPUT));
    let (from, to) = (Temporal::of(natural), Temporal::of(output));
    if from.map(|of| of.kind) != to.map(|of| of.kind) || (to.is_none() && natural != output) {
        return mismatch();
    }
    if let (DataType::Timestamp(_, a), DataType::Timestamp(_, b)) = (natural, output)
        && a != b
    {
        return mismatch();
    }
    let ticks = (Temporal::of(lhs).map(|of| of.tick), Temporal::of(rhs).map(|of| of.tick));
    let mut scaling = Scaling::NONE;
    let counted = match ticks {
        (Some(a), Some(b)) => {
            let finer = a.min(b);
            scaling.lhs = i256::from_i128(a / finer);
            scaling.rhs = i256::from_i128(b / finer);
            finer
        }
        (one, other) => one.or(other).unwrap_or(1),
    };
    if let Some(to) = to {
        scaling.up = i256::from_i128((counted / to.tick).max(1));
        scaling.down = i256::from_i128((to.tick / counted).max(1));
    }
    scaled(op, [lhs, rhs, output], scaling)
}

fn of_numbers(op: BinaryOperator, lhs: &DataType, rhs: &DataType, output: &DataType) -> Result<BinaryPlan> {
    let refused = || Error::unsupported(OPERATION, output);
    if *output == DataType::Boolean {
        return Err(refused());
    }
    let number = |of: &DataType| Number::of(of).ok_or_else(refused);
    let (left, right, result) = (number(lhs)?, number(rhs)?, number(output)?);
    if op.is_integral() && result.is_float() {
        return Err(refused());
    }
    let code = arithmetic(op)?;
    if op.group() == BinaryGroup::Shift {
        let (compute, bits) = match left {
            Number::Integer { signed: true, bits } => (Compute::I64, -(bits as i32)),
            Number::Integer { signed: false, bits: 64 } => (Compute::U64, 64),
            Number::Integer { signed: false, bits } => (Compute::I64, bits as i32),
            _ => return Err(refused()),
        };
        return Ok(BinaryPlan::Converted { op: code, compute, scaling: Scaling::NONE, bits });
    }
    if let Some(plan) = same(op, [lhs, rhs, output], Scaling::NONE) {
        return Ok(plan);
    }
    let common = match left.join(right).join(result) {
        _ if op.group() == BinaryGroup::Function => Number::Float { bits: 64 },
        common if op == BinaryOperator::TrueDiv && !common.is_float() => Number::Float { bits: 64 },
        common => common,
    };
    let compute = match common {
        Number::Integer { signed: false, bits: 64 } => Compute::U64,
        Number::Integer { .. } => Compute::I64,
        Number::Wide => Compute::I128,
        Number::Float { bits: 64 } => Compute::F64,
        Number::Float { .. } => Compute::F32,
    };
    Ok(BinaryPlan::Converted { op: code, compute, scaling: Scaling::NONE, bits: 0 })
}
