//! Lowers unary operators and casts to steps.

use gdf_core::{PhysicalType, Result, physical_type};
use gdf_engine::binary::operators::Arithmetic;
use gdf_engine::rounding::power_of_ten;
use gdf_expr::NodeId;
use gdf_expr::types::{CastPlan, ScaleOperation};

use super::super::program::{Lane, Operand, Work};
use super::Lowering;
use crate::unary::plan::{Bits, UnaryPlan};

impl Lowering<'_> {
    pub(super) fn unary(&mut self, plan: UnaryPlan, argument: NodeId, home: Lane) -> Result<Option<Operand>> {
        let Some(own) = self.home(argument) else { return Ok(None) };
        let physical = physical_type(&self.graph.node(argument).data_type);
        let value = self.value(argument)?;
        Ok(Some(match plan {
            UnaryPlan::Math(_) => return Ok(None),
            UnaryPlan::Bits(Bits::Copy, _) => self.converted(value, own, home),
            UnaryPlan::Bits(Bits::FlipSign, _) => self.push(Work::Sign { clears: false }, own, &[value]),
            UnaryPlan::Bits(Bits::ClearSign, _) => self.push(Work::Sign { clears: true }, own, &[value]),
            UnaryPlan::Bits(op, _) => {
                let lane = if [own, home].contains(&Lane::I128) { Lane::I128 } else { Lane::I64 };
                let value = self.converted(value, own, lane);
                let ones = Operand::Constant(if lane == Lane::I128 { u128::MAX } else { u128::from(u64::MAX) });
                if op == Bits::Invert {
                    let inverted = self.arithmetic(Arithmetic::BitXor, lane, value, ones);
                    return Ok(Some(self.stored(inverted, lane, physical, home)));
                }
                let negative = self.arithmetic(Arithmetic::Sub, lane, Operand::Constant(0), value);
                let negative = self.stored(negative, lane, physical, lane);
                match op {
                    Bits::Absolute => {
                        let absolute = self.arithmetic(Arithmetic::Maximum, lane, value, negative);
                        self.converted(absolute, lane, home)
                    }
                    _ => self.converted(negative, lane, home),
                }
            }
            UnaryPlan::Rounding(function, _) => self.push(Work::Rounding(function), own, &[value]),
            UnaryPlan::Decimal { up, power } => {
                let Some(unit) = 10_i128.checked_pow(power) else { return Ok(None) };
                let (lane, unit) = (Lane::I128, Operand::Constant(unit as u128));
                let value = self.converted(value, own, lane);
                let rest = self.arithmetic(Arithmetic::PyMod, lane, value, unit);
                let result = if up {
                    // `-value` is not used to compute the distance to the next multiple, because the smallest integer
                    // has no negative.
                    let missing = self.arithmetic(Arithmetic::Sub, lane, unit, rest);
                    let missing = self.arithmetic(Arithmetic::PyMod, lane, missing, unit);
                    self.arithmetic(Arithmetic::Add, lane, value, missing)
                } else {
                    self.arithmetic(Arithmetic::Sub, lane, value, rest)
                };
                self.stored(result, lane, physical, home)
            }
            UnaryPlan::BitCount(PhysicalType::Bool) => self.converted(value, Lane::Boolean, Lane::I64),
            UnaryPlan::BitCount(width) => {
                let word = self.stored(value, own, width, Lane::I64);
                self.push(Work::BitCount, Lane::I64, &[word])
            }
            UnaryPlan::Truth { negated: true } => self.push(Work::Invert, Lane::Boolean, &[value]),
            UnaryPlan::Truth { negated: false } => value,
            UnaryPlan::NotNumbers => {
                let is = self.push(Work::NotZero, own, &[value]);
                self.push(Work::Invert, Lane::Boolean, &[is])
            }
        }))
    }

    pub(super) fn cast(&mut self, argument: NodeId, id: NodeId) -> Result<Option<Operand>> {
        let (from, to) = (&self.graph.node(argument).data_type, &self.graph.node(id).data_type);
        let (Some(own), Some(home)) = (self.home(argument), self.home(id)) else { return Ok(None) };
        let (source, target) = (physical_type(from), physical_type(to));
        let Some(plan) = CastPlan::new(from, to) else { return Ok(None) };
        let is_float = |lane| matches!(lane, Lane::F32 | Lane::F64);
        let value = self.value(argument)?;
        Ok(Some(match plan {
            CastPlan::Relabel if source == target => self.converted(value, own, home),
            CastPlan::Relabel => self.stored(value, own, target, home),
            CastPlan::NonZero => self.push(Work::NotZero, own, &[value]),
            CastPlan::Numbers if home == Lane::Boolean => self.push(Work::NotZero, own, &[value]),
            // Steps would round twice: to single precision and then to half precision. `cast` rounds once.
            CastPlan::Numbers if target == PhysicalType::F16 && source != PhysicalType::F32 => return Ok(None),
            CastPlan::Numbers if is_float(own) && !is_float(home) => {
                let word = self.converted(value, own, home);
                match limits(target) {
                    Some([low, high]) => {
                        let word = self.arithmetic(Arithmetic::Maximum, home, word, low);
                        self.arithmetic(Arithmetic::Minimum, home, word, high)
                    }
                    None => word,
                }
            }
            CastPlan::Numbers => self.stored(value, own, target, home),
            CastPlan::Scale(scale) if source == PhysicalType::I128 || target == PhysicalType::I128 => {
                let (operation, factor) = scale.in_128_bits();
                let (op, lane) = match operation {
                    // The low 64 bits of a product depend only on the low 64 bits of its factors.
                    ScaleOperation::Multiply if home != Lane::I128 => (Arithmetic::Mul, Lane::I64),
                    ScaleOperation::Multiply => (Arithmetic::Mul, Lane::I128),
                    ScaleOperation::Divide if own == Lane::I64 && i64::try_from(factor).is_ok() => {
                        (Arithmetic::Div, Lane::I64)
                    }
                    ScaleOperation::Divide => (Arithmetic::Div, Lane::I128),
                    ScaleOperation::DivideFloor => return Ok(None),
                };
                let value = self.converted(value, own, lane);
                let bits = if lane == Lane::I64 { u128::from(factor as u64) } else { factor as u128 };
                let result =
                    if factor == 1 { value } else { self.arithmetic(op, lane, value, Operand::Constant(bits)) };
                self.stored(result, lane, target, home)
            }
            CastPlan::Scale(scale) => {
                let (operation, factor) = scale.in_64_bits(source);
                let (op, lane) = match operation {
                    ScaleOperation::Multiply => (Arithmetic::Mul, Lane::I64),
                    ScaleOperation::DivideFloor => (Arithmetic::FloorDiv, Lane::I64),
                    ScaleOperation::Divide if source == PhysicalType::U64 => (Arithmetic::Div, Lane::U64),
                    ScaleOperation::Divide => (Arithmetic::Div, Lane::I64),
                };
                let value = self.converted(value, own, lane);
                let result = self.arithmetic(op, lane, value, Operand::Constant(u128::from(factor)));
                self.stored(result, lane, target, home)
            }
            // Steps would round the quotient twice: to single precision and then to half precision. `cast` rounds once.
            CastPlan::FromDecimal(_) if target == PhysicalType::F16 => return Ok(None),
            CastPlan::FromDecimal(scale) => {
                let number = self.converted(value, own, Lane::F64);
                let power = Operand::Constant(u128::from(power_of_ten(scale.unsigned_abs()).to_bits()));
                let op = if scale > 0 { Arithmetic::Div } else { Arithmetic::Mul };
                let result = self.arithmetic(op, Lane::F64, number, power);
                self.converted(result, Lane::F64, home)
            }
            CastPlan::ToDecimal(_) | CastPlan::Offsets | CastPlan::ToViews | CastPlan::OfViews | CastPlan::Decode => {
                return Ok(None);
            }
        }))
    }
}

/// Returns the smallest and the largest value of an integer type of fewer than 64 bits, or `None` for any other type.
fn limits(physical: PhysicalType) -> Option<[Operand; 2]> {
    let of = |low: i64, high: i64| Some([low, high].map(|word| Operand::Constant(u128::from(word as u64))));
    match physical {
        PhysicalType::I8 => of(i8::MIN.into(), i8::MAX.into()),
        PhysicalType::I16 => of(i16::MIN.into(), i16::MAX.into()),
        PhysicalType::I32 => of(i32::MIN.into(), i32::MAX.into()),
        PhysicalType::U8 => of(0, u8::MAX.into()),
        PhysicalType::U16 => of(0, u16::MAX.into()),
        PhysicalType::U32 => of(0, u32::MAX.into()),
        _ => None,
    }
}
