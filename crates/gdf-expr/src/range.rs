//! Computes the ranges of the numbers of nodes by interval arithmetic. The ranges show which 128-bit numbers fit in 64
//! bits.

use gdf_core::{DataType, PhysicalType, decimal_parts, is_floating, physical_type};

use crate::graph::{Graph, NodeId, Operation};
use crate::operators::{BinaryOperator, UnaryOperator};
use crate::types::{CastPlan, ScaleOperation};
use crate::value::Value;

/// The smallest and the largest number. Both belong to the range.
pub type Range = (i128, i128);

impl Graph {
    /// Returns the range of the stored numbers of a node, for integers, decimals of up to 128 bits, dates, times and
    /// durations. Returns `None` for nodes of other types, and for 128-bit nodes whose numbers may have any value. Null
    /// rows do not count.
    ///
    /// The range of a column is [`Input::range`](crate::Input::range), or else the range of its type. The declared
    /// precision of a decimal does not limit the range, because columns may exceed their precision.
    pub fn range(&self, id: NodeId) -> Option<Range> {
        self.ranges(&[id]).pop().flatten()
    }

    /// Returns the ranges of several nodes.
    pub fn ranges(&self, ids: &[NodeId]) -> Vec<Option<Range>> {
        let mut known: Vec<Option<Range>> = vec![None; self.len()];
        for id in self.reachable(ids) {
            known[id.index()] = self.range_of(id, &known);
        }
        ids.iter().map(|id| known[id.index()]).collect()
    }

    fn range_of(&self, id: NodeId, known: &[Option<Range>]) -> Option<Range> {
        let node = self.node(id);
        let stored = stored_range(&node.data_type);
        let of = |at: usize| node.arguments.get(at).and_then(|id| known[id.index()]);
        let exact = match &node.operation {
            Operation::Column(position) => self.inputs()[*position].range,
            Operation::Literal(value) => value.integer().map(|value| (value, value)),
            // Values of different units would have to be converted first.
            Operation::Binary(_) if self.has_units(id) => None,
            Operation::Binary(op) => binary(*op, self.scaled(id, of(0), of(1))?),
            Operation::Unary(UnaryOperator::Negate) => {
                of(0).and_then(|(low, high)| Some((high.checked_neg()?, low.checked_neg()?)))
            }
            Operation::Unary(UnaryOperator::Abs) => of(0).and_then(|(low, high)| {
                let most = low.checked_abs()?.max(high.checked_abs()?);
                Some((if low > 0 { low } else { 0 }, most))
            }),
            Operation::Cast => self.cast_range(node.arguments[0], &node.data_type, of(0)),
            Operation::Case => {
                let values = (1..node.arguments.len()).step_by(2).chain([node.arguments.len() - 1]);
                values.map(of).reduce(union).flatten()
            }
            Operation::Coalesce => (0..node.arguments.len()).map(of).reduce(union).flatten(),
            _ => None,
        };
        // A result that can exceed the type wraps, and may then be any value of the type.
        match (exact, stored) {
            (Some(exact), Some(stored)) if stored.0 <= exact.0 && exact.1 <= stored.1 => Some(exact),
            (Some(exact), None) if physical_type(&node.data_type) == PhysicalType::I128 => Some(exact),
            (_, stored) => stored,
        }
    }

    /// Returns whether an operand of a node is a date, a time or a duration.
    fn has_units(&self, id: NodeId) -> bool {
        self.node(id).arguments.iter().any(|argument| self.node(*argument).data_type.is_temporal())
    }

    /// Returns the ranges of the operands as the operator reads them: decimals of different scales get the larger
    /// scale, except for a multiplication. Returns `None` if the node is not an operator of two operands.
    fn scaled(&self, id: NodeId, lhs: Option<Range>, rhs: Option<Range>) -> Option<[Option<Range>; 2]> {
        let node = self.node(id);
        let Operation::Binary(op) = node.operation else { return None };
        let scale = |id: NodeId| decimal_parts(&self.node(id).data_type).map_or(0, |(_, _, scale)| i32::from(scale));
        let (left, right) = (scale(node.arguments[0]), scale(node.arguments[1]));
        if op == BinaryOperator::Mul || left == right {
            return Some([lhs, rhs]);
        }
        let common = left.max(right);
        let times = |range: Option<Range>, from: i32| {
            let factor = 10_i128.checked_pow(u32::try_from(common - from).ok()?)?;
            let (low, high) = range?;
            Some((low.checked_mul(factor)?, high.checked_mul(factor)?))
        };
        Some([times(lhs, left), times(rhs, right)])
    }

    fn cast_range(&self, from: NodeId, to: &DataType, range: Option<Range>) -> Option<Range> {
        let from = &self.node(from).data_type;
        if is_floating(from) {
            return None;
        }
        let (low, high) = range?;
        match CastPlan::new(from, to)? {
            CastPlan::Relabel | CastPlan::Numbers => Some((low, high)),
            CastPlan::Scale(scale) => {
                let (operation, factor) = scale.exact();
                let factor = factor.to_i128()?;
                Some(match operation {
                    ScaleOperation::Multiply => (low.checked_mul(factor)?, high.checked_mul(factor)?),
                    ScaleOperation::Divide => (low.checked_div(factor)?, high.checked_div(factor)?),
                    ScaleOperation::DivideFloor => (low.checked_div_euclid(factor)?, high.checked_div_euclid(factor)?),
                })
            }
            _ => None,
        }
    }
}

fn union(a: Option<Range>, b: Option<Range>) -> Option<Range> {
    let ((a_low, a_high), (b_low, b_high)) = (a?, b?);
    Some((a_low.min(b_low), a_high.max(b_high)))
}

fn binary(op: BinaryOperator, [lhs, rhs]: [Option<Range>; 2]) -> Option<Range> {
    let ((low, high), (other_low, other_high)) = (lhs?, rhs?);
    Some(match op {
        BinaryOperator::Add => (low.checked_add(other_low)?, high.checked_add(other_high)?),
        BinaryOperator::Sub => (low.checked_sub(other_high)?, high.checked_sub(other_low)?),
        BinaryOperator::Mul => {
            let corners = [(low, other_low), (low, other_high), (high, other_low), (high, other_high)];
            let mut products = [0; 4];
            for (product, (a, b)) in products.iter_mut().zip(corners) {
                *product = a.checked_mul(b)?;
            }
            (products.into_iter().min()?, products.into_iter().max()?)
        }
        BinaryOperator::NullMax | BinaryOperator::NullMin => (low.min(other_low), high.max(other_high)),
        _ => return None,
    })
}

/// Returns the range of numbers that columns of the type can store, or `None` for floats, text, nested types, and types
/// of 128 bits and more.
fn stored_range(data_type: &DataType) -> Option<Range> {
    Some(match physical_type(data_type) {
        PhysicalType::Bool => (0, 1),
        PhysicalType::I8 => (i8::MIN.into(), i8::MAX.into()),
        PhysicalType::I16 => (i16::MIN.into(), i16::MAX.into()),
        PhysicalType::I32 => (i32::MIN.into(), i32::MAX.into()),
        PhysicalType::I64 => (i64::MIN.into(), i64::MAX.into()),
        PhysicalType::U8 => (0, u8::MAX.into()),
        PhysicalType::U16 => (0, u16::MAX.into()),
        PhysicalType::U32 => (0, u32::MAX.into()),
        PhysicalType::U64 => (0, u64::MAX.into()),
        _ => return None,
    })
}

impl Value {
    /// Returns the range that contains only this value.
    pub fn range(&self) -> Option<Range> {
        self.integer().map(|value| (value, value))
    }
}
