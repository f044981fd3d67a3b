//! Lowers nodes to steps.

mod unary;

use std::collections::{HashMap, HashSet};

use arrow_buffer::i256;
use gdf_core::{DataType, PhysicalType, Result, can_have_validity, physical_type};
use gdf_engine::binary::operators::HasCodes;
use gdf_engine::binary::operators::{Arithmetic, Logic, Order, SameFloats, SameIntegers};
use gdf_engine::binary::plan::{self, BinaryPlan, ComparisonDomain};
use gdf_expr::{BinaryOperator, Function, Graph, NodeId, NullRule, Operation, Value};

use super::program::{Decided, Lane, MAX_TEXT, Operand, Output, Program, Step, Work};
use crate::datetime::{component_code, component_unit};
use crate::unary::plan as unary_plan;

/// The maximum number of values of an `IN` list that steps compare one after the other.
const MAX_LIST: usize = 16;

impl Program {
    /// Lowers `roots` to a program.
    ///
    /// # Errors
    /// * [`Internal`](gdf_core::Error::Internal), if another node occurs.
    pub(super) fn new(graph: &Graph, roots: &[NodeId]) -> Result<Program> {
        let mut lowering = Lowering::new(graph, roots);
        lowering.below(roots)?;
        lowering.finish(roots)
    }

    /// Lowers a condition in the same way as [`new`](Self::new), with one addition: the program of a chain of `AND` or
    /// `OR` ends early if the first conditions decide all rows of a block or tile.
    ///
    /// # Errors
    /// * The errors of [`new`](Self::new).
    pub(super) fn of_condition(graph: &Graph, root: NodeId) -> Result<Program> {
        let (terms, logic, decided) = match graph.node(root).operation {
            Operation::Binary(BinaryOperator::NullLogicalAnd) => {
                (graph.conjuncts(root), Logic::KleeneAnd, Decided::IfFalse)
            }
            Operation::Binary(BinaryOperator::NullLogicalOr) => {
                (graph.disjuncts(root), Logic::KleeneOr, Decided::IfTrue)
            }
            _ => return Program::new(graph, &[root]),
        };
        let mut lowering = Lowering::new(graph, &[root]);
        let mut result: Option<Operand> = None;
        for term in terms {
            if let Some(before) = result {
                let step =
                    Step { work: Work::Decide(decided), lane: Lane::Boolean, operands: [before].as_slice().into() };
                lowering.program.steps.push(step);
            }
            lowering.below(&[term])?;
            let value = lowering.truth(term)?;
            result = Some(match result {
                None => value,
                Some(before) => lowering.push(Work::Logic(logic), Lane::Boolean, &[before, value]),
            });
        }
        lowering.known.insert(root, result.ok_or_else(not_fusable)?);
        lowering.finish(&[root])
    }
}

/// An output of a program that reduces rows.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reduced {
    Values(NodeId),
    /// Whether the values of a node are valid.
    Validity(NodeId),
    /// True in each row.
    EveryRow,
}

impl Reduced {
    /// Returns the node that the program reads.
    pub(super) fn node(self) -> Option<NodeId> {
        match self {
            Reduced::Values(id) | Reduced::Validity(id) => Some(id),
            Reduced::EveryRow => None,
        }
    }
}

impl Program {
    /// Lowers the outputs of a program that reduces rows.
    ///
    /// # Errors
    /// * The errors of [`new`](Self::new).
    pub(super) fn of_reductions(graph: &Graph, outputs: &[Reduced]) -> Result<Program> {
        let roots: Vec<NodeId> = outputs.iter().filter_map(|output| output.node()).collect();
        let mut lowering = Lowering::new(graph, &roots);
        lowering.below(&roots)?;
        for output in outputs {
            let (operand, lane, id) = match *output {
                Reduced::Values(id) => (lowering.value(id)?, lowering.home(id).ok_or_else(not_fusable)?, Some(id)),
                Reduced::Validity(id) => (lowering.validity(id)?.ok_or_else(not_fusable)?, Lane::Boolean, None),
                Reduced::EveryRow => (Operand::Constant(1), Lane::Boolean, None),
            };
            let data_type = id.map_or(DataType::Boolean, |id| graph.node(id).data_type.clone());
            let nullable = id.is_some_and(|id| graph.is_nullable(id));
            lowering.program.outputs.push(Output { operand, lane, data_type, nullable });
        }
        Ok(lowering.program.without_unread_steps())
    }
}

impl Lowering<'_> {
    /// Lowers all nodes on which `roots` depend, and the roots.
    fn below(&mut self, roots: &[NodeId]) -> Result<()> {
        // The nodes below a known node are known. A search of the whole graph for each condition of a long list would
        // take quadratic time.
        let (mut missing, mut found, mut waiting) = (Vec::new(), HashSet::new(), roots.to_vec());
        while let Some(id) = waiting.pop() {
            if !self.known.contains_key(&id) && found.insert(id) {
                missing.push(id);
                waiting.extend(&self.graph.node(id).arguments);
            }
        }
        missing.sort_unstable();
        for id in missing {
            if !matches!(self.graph.node(id).operation, Operation::Column(_) | Operation::Literal(_)) {
                self.value(id)?;
            }
        }
        Ok(())
    }

    fn finish(self, roots: &[NodeId]) -> Result<Program> {
        let (graph, mut lowering) = (self.graph, self);
        for root in roots {
            let operand = lowering.value(*root)?;
            let data_type = graph.node(*root).data_type.clone();
            let lane = lowering.home(*root).ok_or_else(not_fusable)?;
            lowering.program.outputs.push(Output { operand, lane, data_type, nullable: graph.is_nullable(*root) });
        }
        Ok(lowering.program.without_unread_steps())
    }
}

fn not_fusable() -> gdf_core::Error {
    gdf_core::Error::internal("a program contains an operation that no step computes")
}

/// Finds the nodes that steps can compute from their arguments.
pub(super) struct Fusable<'g>(Lowering<'g>);

impl<'g> Fusable<'g> {
    pub(super) fn new(graph: &'g Graph) -> Self {
        Fusable(Lowering::new(graph, &[]))
    }

    /// Returns whether steps can compute the node from its arguments.
    pub(super) fn is_fusable(&mut self, id: NodeId) -> Result<bool> {
        let lowering = &mut self.0;
        lowering.program = Program::default();
        lowering.known.clear();
        lowering.steps.clear();
        // The test replaces each argument by an input of the same type, because steps depend only on types and literals,
        // and not on the computation of the arguments.
        for argument in &lowering.graph.node(id).arguments {
            lowering.known.entry(*argument).or_insert(Operand::Step(usize::MAX));
        }
        Ok(lowering.lowered(id)?.is_some())
    }
}

/// Returns the bits that represent a literal in a lane.
fn bits(value: &Value, lane: Lane) -> Option<u128> {
    Some(match lane {
        Lane::Boolean => u128::from(value.boolean()?),
        Lane::I64 | Lane::U64 => u128::from(value.integer()? as u64),
        Lane::I128 => value.integer()? as u128,
        Lane::F64 => u128::from(value.float()?.to_bits()),
        Lane::F32 => u128::from(value.half_or_single()?.to_bits()),
    })
}

struct Lowering<'g> {
    graph: &'g Graph,
    program: Program,
    /// The value of each lowered node, in the node's home lane.
    known: HashMap<NodeId, Operand>,
    steps: HashMap<Step, usize>,
    /// For each node of 128-bit numbers, whether all of its numbers fit in 64 bits.
    is_narrow: Vec<bool>,
}

impl<'g> Lowering<'g> {
    fn new(graph: &'g Graph, roots: &[NodeId]) -> Self {
        let nodes = graph.reachable(roots);
        let mut is_narrow = vec![false; graph.len()];
        for (id, range) in nodes.iter().zip(graph.ranges(&nodes)) {
            let fits = |(low, high): (i128, i128)| i64::try_from(low).is_ok() && i64::try_from(high).is_ok();
            is_narrow[id.index()] = range.is_some_and(fits);
        }
        Self { graph, program: Program::default(), known: HashMap::new(), steps: HashMap::new(), is_narrow }
    }

    /// Returns the home lane of a node, in which the program keeps the value of the node.
    fn home(&self, id: NodeId) -> Option<Lane> {
        let lane = Lane::of(physical_type(&self.graph.node(id).data_type))?;
        Some(if lane == Lane::I128 && self.is_narrow[id.index()] { Lane::I64 } else { lane })
    }

    fn value(&mut self, id: NodeId) -> Result<Operand> {
        if let Some(known) = self.known.get(&id) {
            return Ok(*known);
        }
        let value = self.lowered(id)?.ok_or_else(not_fusable)?;
        self.known.insert(id, value);
        Ok(value)
    }

    fn push(&mut self, work: Work, lane: Lane, operands: &[Operand]) -> Operand {
        let step = Step { work, lane, operands: operands.into() };
        let next = self.program.steps.len();
        let at = *self.steps.entry(step.clone()).or_insert(next);
        if at == next {
            self.program.steps.push(step);
        }
        Operand::Step(at)
    }

    fn column(&mut self, position: usize) -> usize {
        let columns = &mut self.program.columns;
        columns.iter().position(|known| *known == position).unwrap_or_else(|| {
            columns.push(position);
            columns.len() - 1
        })
    }

    /// Returns the value of a node in its home lane, or `None` if no steps can compute the node.
    fn lowered(&mut self, id: NodeId) -> Result<Option<Operand>> {
        let node = self.graph.node(id);
        let home = self.home(id);
        let Some(lane) = home else { return Ok(None) };
        let arguments = &node.arguments;
        Ok(match &node.operation {
            Operation::Column(position) => {
                let column = self.column(*position);
                Some(self.push(Work::Load { column }, lane, &[]))
            }
            Operation::Literal(value) if value.is_null() => Some(self.push(Work::Null, lane, &[])),
            Operation::Literal(value) => bits(value, lane).map(Operand::Constant),
            Operation::Unary(op) => {
                let data_type = &self.graph.node(arguments[0]).data_type;
                let plan = unary_plan::plan(*op, data_type)?;
                self.unary(plan, arguments[0], lane)?
            }
            Operation::Binary(op) => self.binary(*op, id, lane)?,
            Operation::Cast => self.cast(arguments[0], id)?,
            Operation::IsNull => {
                let is_valid = self.validity(arguments[0])?;
                is_valid.map(|is_valid| self.push(Work::Invert, Lane::Boolean, &[is_valid]))
            }
            Operation::Case => {
                let (last, pairs) = arguments.split_last().ok_or_else(not_fusable)?;
                let mut result = self.in_lane(*last, lane)?;
                for pair in pairs.chunks_exact(2).rev() {
                    let (condition, value) = (self.value(pair[0])?, self.in_lane(pair[1], lane)?);
                    result = self.push(Work::Select, lane, &[condition, value, result]);
                }
                Some(result)
            }
            Operation::Coalesce => {
                let (last, rest) = arguments.split_last().ok_or_else(not_fusable)?;
                let mut result = self.in_lane(*last, lane)?;
                for id in rest.iter().rev() {
                    let value = self.in_lane(*id, lane)?;
                    result = self.push(Work::Coalesce, lane, &[value, result]);
                }
                Some(result)
            }
            Operation::IsIn(list) => self.is_in(arguments[0], list)?,
            Operation::Call(function) => self.call(*function, arguments)?,
            _ => None,
        })
    }

    /// Returns the value of a node in the lane `to`, which must represent all values of the node.
    fn in_lane(&mut self, id: NodeId, to: Lane) -> Result<Operand> {
        let from = self.home(id).ok_or_else(not_fusable)?;
        let value = self.value(id)?;
        Ok(self.converted(value, from, to))
    }

    fn converted(&mut self, value: Operand, from: Lane, to: Lane) -> Operand {
        if from.is_same_as(to) {
            return value;
        }
        match (value, from, to) {
            (Operand::Constant(bits), Lane::I64, Lane::I128) => {
                Operand::Constant(i128::from(bits as u64 as i64) as u128)
            }
            (Operand::Constant(bits), Lane::U64, Lane::I128) => Operand::Constant(bits),
            (Operand::Constant(bits), Lane::I128, Lane::I64 | Lane::U64) => Operand::Constant(u128::from(bits as u64)),
            (Operand::Constant(bits), Lane::I64, Lane::F64) => {
                Operand::Constant(u128::from((bits as u64 as i64 as f64).to_bits()))
            }
            _ => self.push(Work::Convert { from }, to, &[value]),
        }
    }

    /// Converts a value from `lane` to the lane `home`, and wraps it to the range of the type `physical`.
    fn stored(&mut self, value: Operand, lane: Lane, physical: PhysicalType, home: Lane) -> Operand {
        let value = self.converted(value, lane, home);
        match physical {
            PhysicalType::I8
            | PhysicalType::I16
            | PhysicalType::I32
            | PhysicalType::U8
            | PhysicalType::U16
            | PhysicalType::U32
            | PhysicalType::F16 => self.push(Work::Wrap(physical), home, &[value]),
            _ => value,
        }
    }

    fn arithmetic(&mut self, op: Arithmetic, lane: Lane, a: Operand, b: Operand) -> Operand {
        self.push(Work::Arithmetic { op, bits: 0 }, lane, &[a, b])
    }

    fn binary(&mut self, op: BinaryOperator, id: NodeId, home: Lane) -> Result<Option<Operand>> {
        let node = self.graph.node(id);
        let [left, right] = [node.arguments[0], node.arguments[1]];
        let [left_type, right_type] = [left, right].map(|id| &self.graph.node(id).data_type);
        if physical_type(left_type).has_byte_offsets() {
            return self.text_comparison(op, left, right);
        }
        let Some([left_home, right_home]) = self.home(left).zip(self.home(right)).map(|(a, b)| [a, b]) else {
            return Ok(None);
        };
        let physical = physical_type(&node.data_type);
        Ok(match plan::plan(op, left_type, right_type, &node.data_type)? {
            BinaryPlan::SameIntegers { op, .. } => {
                let lane = if [left_home, right_home, home].contains(&Lane::I128) { Lane::I128 } else { Lane::I64 };
                let (a, b) = (self.in_lane(left, lane)?, self.in_lane(right, lane)?);
                let result = self.arithmetic(of_integers(op), lane, a, b);
                Some(self.stored(result, lane, physical, home))
            }
            BinaryPlan::SameFloats { op, .. } => {
                let (a, b) = (self.value(left)?, self.value(right)?);
                Some(self.arithmetic(of_floats(op), home, a, b))
            }
            BinaryPlan::Converted { op: Arithmetic::Pow | Arithmetic::LogBase | Arithmetic::Atan2, .. } => None,
            BinaryPlan::Converted { op: arithmetic, compute, scaling, bits } => {
                let Some(mut lane) = Lane::of_compute(compute) else { return Ok(None) };
                // The low 64 bits of sums, differences and products depend only on the low 64 bits of the operands.
                let is_ring = matches!(arithmetic, Arithmetic::Add | Arithmetic::Sub | Arithmetic::Mul);
                if lane == Lane::I128 && home == Lane::I64 && is_ring && scaling.down == i256::ONE {
                    lane = Lane::I64;
                }
                let (mut a, mut b) = (self.in_lane(left, lane)?, self.in_lane(right, lane)?);
                let is_divided = op.null_rule() == NullRule::ZeroDivisor && !compute.is_float();
                let divisor = is_divided.then(|| self.push(Work::NotZero, lane, &[b]));
                let factor = |of: i256| of.to_i128().ok_or_else(not_fusable);
                let constant =
                    |bits: u128| Operand::Constant(if lane == Lane::I64 { u128::from(bits as u64) } else { bits });
                let times = |lowering: &mut Self, value: Operand, factor: i128| match (value, factor) {
                    (_, 1) => value,
                    (Operand::Constant(bits), _) if matches!(lane, Lane::I64 | Lane::I128) => {
                        constant(bits.wrapping_mul(factor as u128))
                    }
                    _ => lowering.arithmetic(Arithmetic::Mul, lane, value, constant(factor as u128)),
                };
                (a, b) = (times(self, a, factor(scaling.lhs)?), times(self, b, factor(scaling.rhs)?));
                if op.null_rule() == NullRule::Both {
                    (a, b) = (self.push(Work::Coalesce, lane, &[a, b]), self.push(Work::Coalesce, lane, &[b, a]));
                }
                let mut result = self.push(Work::Arithmetic { op: arithmetic, bits }, lane, &[a, b]);
                result = times(self, result, factor(scaling.up)?);
                match factor(scaling.down)? {
                    1 => {}
                    by => result = self.arithmetic(Arithmetic::Div, lane, result, Operand::Constant(by as u128)),
                }
                if let Some(divisor) = divisor {
                    result = self.push(Work::ValidIf, lane, &[result, divisor]);
                }
                Some(self.stored(result, lane, physical, home))
            }
            BinaryPlan::Logic(logic) => {
                let (mut a, mut b) = (self.truth(left)?, self.truth(right)?);
                if op.code().swapped {
                    (a, b) = (b, a);
                }
                Some(self.push(Work::Logic(logic), Lane::Boolean, &[a, b]))
            }
            BinaryPlan::Comparison { spec, domain } => {
                let (left, right) = if op.code().swapped { (right, left) } else { (left, right) };
                let Some((lane, a, b)) = self.compared(left, right, domain)? else { return Ok(None) };
                if !spec.nulls_equal {
                    let work = Work::Compare { order: spec.order, negated: spec.negated };
                    return Ok(Some(self.push(work, lane, &[a, b])));
                }
                let equal = self.push(Work::Compare { order: spec.order, negated: false }, lane, &[a, b]);
                let equal = self.push(Work::Coalesce, Lane::Boolean, &[equal, Operand::Constant(0)]);
                let [a, b] = [a, b].map(|value| self.push(Work::IsValid, lane, &[value]));
                let either = self.push(Work::Logic(Logic::LogicOr), Lane::Boolean, &[a, b]);
                let neither = self.push(Work::Invert, Lane::Boolean, &[either]);
                let result = self.push(Work::Logic(Logic::LogicOr), Lane::Boolean, &[equal, neither]);
                Some(if spec.negated { self.push(Work::Invert, Lane::Boolean, &[result]) } else { result })
            }
        })
    }

    /// Returns both operands of a comparison in a common lane, and the lane.
    fn compared(
        &mut self,
        left: NodeId,
        right: NodeId,
        domain: ComparisonDomain,
    ) -> Result<Option<(Lane, Operand, Operand)>> {
        let (compute, scale) = match domain {
            ComparisonDomain::Bytes => return Ok(None),
            ComparisonDomain::Same(physical) => {
                let Some(own) = Lane::of(physical) else { return Ok(None) };
                let homes = [left, right].map(|id| self.home(id));
                // If 128-bit numbers are known to fit in 64 bits, they are compared in 64 bits.
                let lane = if homes == [Some(Lane::I64); 2] { Lane::I64 } else { own };
                return Ok(Some((lane, self.in_lane(left, lane)?, self.in_lane(right, lane)?)));
            }
            ComparisonDomain::Converted(compute, scale) => (compute, scale),
        };
        let Some(mut lane) = Lane::of_compute(compute) else { return Ok(None) };
        let (mut a, mut b) = (self.in_lane(left, lane)?, self.in_lane(right, lane)?);
        for (operand, factor, id) in [(&mut a, scale.lhs, left), (&mut b, scale.rhs, right)] {
            match factor.to_i128() {
                Some(1) => {}
                // The product of a 64-bit number and a factor of at most 10^18 fits in 128 bits.
                Some(factor @ 2..=1_000_000_000_000_000_000) if self.home(id) != Some(Lane::I128) => {
                    *operand = match *operand {
                        Operand::Constant(bits) => Operand::Constant((bits as i128).wrapping_mul(factor) as u128),
                        step => self.arithmetic(Arithmetic::Mul, lane, step, Operand::Constant(factor as u128)),
                    };
                }
                _ => return Ok(None),
            }
        }
        // If a 64-bit number is compared with a constant that fits in 64 bits, both are compared in 64 bits and not
        // extended to 128 bits.
        let narrow = |lowering: &Self, value: Operand, id: NodeId| match value {
            Operand::Constant(bits) => {
                i64::try_from(bits as i128).ok().map(|word| Operand::Constant(u128::from(word as u64)))
            }
            Operand::Step(at) => {
                let step = lowering.program.steps.get(at)?;
                let is_extended =
                    step.work == Work::Convert { from: Lane::I64 } && lowering.home(id) == Some(Lane::I64);
                is_extended.then(|| step.operands[0])
            }
        };
        if lane == Lane::I128
            && let (Some(x), Some(y)) = (narrow(self, a, left), narrow(self, b, right))
        {
            (lane, a, b) = (Lane::I64, x, y);
        }
        Ok(Some((lane, a, b)))
    }

    /// Returns the comparison of a text column with a short literal, or `None` for any other comparison.
    fn text_comparison(&mut self, op: BinaryOperator, left: NodeId, right: NodeId) -> Result<Option<Operand>> {
        let negated = match op {
            BinaryOperator::Equal => false,
            BinaryOperator::NotEqual => true,
            _ => return Ok(None),
        };
        let (column, literal) = if self.graph.value(left).is_some() { (right, left) } else { (left, right) };
        let Some(is) = self.text_test(column, literal, false) else { return Ok(None) };
        Ok(Some(if negated { self.push(Work::Invert, Lane::Boolean, &[is]) } else { is }))
    }

    fn text_test(&mut self, column: NodeId, literal: NodeId, prefix: bool) -> Option<Operand> {
        let value = self.graph.value(literal)?.literal().ok()?;
        self.text_work(column, value.bytes()?, prefix)
    }

    fn text_work(&mut self, column: NodeId, bytes: &[u8], prefix: bool) -> Option<Operand> {
        let position = self.graph.column(column)?;
        if !physical_type(&self.graph.node(column).data_type).has_byte_offsets() {
            return None;
        }
        let mut padded = [0; MAX_TEXT];
        padded.get_mut(..bytes.len())?.copy_from_slice(bytes);
        let word = |at: usize| padded[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        let words = [word(0), word(8)];
        let column = self.column(position);
        Some(self.push(Work::Text { column, prefix, size: bytes.len(), words }, Lane::Boolean, &[]))
    }

    /// Returns the truth value of a boolean or a number.
    fn truth(&mut self, id: NodeId) -> Result<Operand> {
        let lane = self.home(id).ok_or_else(not_fusable)?;
        let value = self.value(id)?;
        Ok(if lane == Lane::Boolean { value } else { self.push(Work::NotZero, lane, &[value]) })
    }

    /// Returns whether each row of a node is valid, or `None` if no step can compute the result.
    fn validity(&mut self, id: NodeId) -> Result<Option<Operand>> {
        if let Some(position) = self.graph.column(id) {
            // A step reads the mask of the column.
            if !can_have_validity(&self.graph.node(id).data_type) {
                return Ok(None);
            }
            let column = self.column(position);
            return Ok(Some(self.push(Work::ColumnValid { column }, Lane::Boolean, &[])));
        }
        let Some(lane) = self.home(id) else { return Ok(None) };
        let value = self.value(id)?;
        Ok(Some(self.push(Work::IsValid, lane, &[value])))
    }

    fn is_in(&mut self, argument: NodeId, list: &[Value]) -> Result<Option<Operand>> {
        if list.len() > MAX_LIST {
            return Ok(None);
        }
        let mut result = None;
        for element in list {
            let literal = element.literal()?;
            let equal = match literal.bytes() {
                Some(bytes) => match self.text_work(argument, bytes, false) {
                    Some(test) => test,
                    None => return Ok(None),
                },
                None => {
                    let Some(home) = self.home(argument) else { return Ok(None) };
                    // The values of a decimal may be known to have 64 bits, although the element has more.
                    let is_long = element.integer().is_some_and(|number| i64::try_from(number).is_err());
                    let own = Lane::of_type(&self.graph.node(argument).data_type);
                    let lane = own.filter(|own| *own == Lane::I128 && is_long).unwrap_or(home);
                    let Some(constant) = bits(element, lane) else { return Ok(None) };
                    let value = self.in_lane(argument, lane)?;
                    let constant = Operand::Constant(constant);
                    match lane {
                        Lane::Boolean => self.push(Work::Logic(Logic::LogicEqual), lane, &[value, constant]),
                        _ => self.push(Work::Compare { order: Order::Equal, negated: false }, lane, &[value, constant]),
                    }
                }
            };
            result = Some(match result {
                None => equal,
                Some(before) => self.push(Work::Logic(Logic::LogicOr), Lane::Boolean, &[before, equal]),
            });
        }
        Ok(result)
    }

    fn call(&mut self, function: Function, arguments: &[NodeId]) -> Result<Option<Operand>> {
        Ok(match function {
            Function::Extract(component) => {
                let data_type = &self.graph.node(arguments[0]).data_type;
                let Some(unit) = component_unit(component, data_type) else { return Ok(None) };
                let ticks = self.in_lane(arguments[0], Lane::I64)?;
                let work = Work::Component { component: component_code(component), unit };
                Some(self.push(work, Lane::I64, &[ticks]))
            }
            Function::StartsWith => self.text_test(arguments[0], arguments[1], true),
            Function::IsNan | Function::IsNotNan => {
                let Some(lane) = self.home(arguments[0]) else { return Ok(None) };
                let value = self.value(arguments[0])?;
                let negated = function == Function::IsNan;
                Some(self.push(Work::Compare { order: Order::Equal, negated }, lane, &[value, value]))
            }
            _ => None,
        })
    }
}

fn of_integers(op: SameIntegers) -> Arithmetic {
    match op {
        SameIntegers::Add => Arithmetic::Add,
        SameIntegers::Sub => Arithmetic::Sub,
        SameIntegers::Mul => Arithmetic::Mul,
        SameIntegers::BitAnd => Arithmetic::BitAnd,
        SameIntegers::BitOr => Arithmetic::BitOr,
        SameIntegers::BitXor => Arithmetic::BitXor,
    }
}

fn of_floats(op: SameFloats) -> Arithmetic {
    match op {
        SameFloats::Add => Arithmetic::Add,
        SameFloats::Sub => Arithmetic::Sub,
        SameFloats::Mul => Arithmetic::Mul,
        SameFloats::Div => Arithmetic::Div,
    }
}
