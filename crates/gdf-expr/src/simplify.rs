//! Constructors of nodes. Each constructor returns the simplest node that is equal to the requested node.
//!
//! No rule changes any bit of a result. The rules for `AND`, `OR` and `NOT` are the rules of three-valued logic.

use std::collections::HashMap;

use gdf_core::{DataType, decimal_parts, is_floating, same_type};

use crate::graph::{Graph, LONGEST_CHAIN, NodeId, Operation};
use crate::operators::{BinaryOperator, UnaryOperator};
use crate::value::Value;

impl Graph {
    fn boolean(&mut self, value: bool) -> NodeId {
        self.literal(Value::from(value))
    }

    fn truth(&self, id: NodeId) -> Option<bool> {
        self.value(id).and_then(Value::boolean)
    }

    pub(crate) fn unary(&mut self, op: UnaryOperator, value: NodeId, data_type: DataType) -> NodeId {
        if op == UnaryOperator::Not
            && self.node(value).data_type == DataType::Boolean
            && let Some(simpler) = self.negated(value, &mut HashMap::new())
        {
            return simpler;
        }
        self.intern(Operation::Unary(op), &[value], data_type)
    }

    /// Returns a node without `NOT` that equals `NOT value`, if there is one. `known` has the negations that were found.
    /// A graph of `n` nodes has up to 2ⁿ paths, because nodes are shared, so each node is negated once.
    fn negated(&mut self, value: NodeId, known: &mut HashMap<NodeId, Option<NodeId>>) -> Option<NodeId> {
        if let Some(negated) = known.get(&value) {
            return *negated;
        }
        let negated = self.negated_anew(value, known);
        known.insert(value, negated);
        negated
    }

    fn negated_anew(&mut self, value: NodeId, known: &mut HashMap<NodeId, Option<NodeId>>) -> Option<NodeId> {
        use BinaryOperator::*;
        let node = self.node(value).clone();
        if node.data_type != DataType::Boolean {
            return None;
        }
        match node.operation {
            Operation::Literal(literal) => {
                let negated = literal.boolean().map(|truth| !truth);
                Some(self.literal(Value::from(negated)))
            }
            Operation::Unary(UnaryOperator::Not) => {
                let inner = node.arguments[0];
                (self.node(inner).data_type == DataType::Boolean).then_some(inner)
            }
            Operation::Binary(op @ (NullLogicalAnd | NullLogicalOr)) => {
                let dual = if op == NullLogicalAnd { NullLogicalOr } else { NullLogicalAnd };
                // The negation moves into the members only if all have a simpler negation, as comparisons have.
                let members = self.terms(value, op).into_iter().map(|member| self.negated(member, known));
                let members = members.collect::<Option<Vec<_>>>()?;
                Some(self.connected(dual, &members))
            }
            Operation::Binary(op) => {
                let of_floats = node.arguments.iter().any(|id| is_floating(&self.node(*id).data_type));
                let opposite = match op {
                    Equal => NotEqual,
                    NotEqual => Equal,
                    NullEquals => NullNotEquals,
                    NullNotEquals => NullEquals,
                    // With a NaN, neither the comparison nor its opposite is true.
                    _ if of_floats => return None,
                    Less => GreaterEqual,
                    GreaterEqual => Less,
                    Greater => LessEqual,
                    LessEqual => Greater,
                    _ => return None,
                };
                Some(self.intern(Operation::Binary(opposite), &node.arguments, DataType::Boolean))
            }
            _ => None,
        }
    }

    pub(crate) fn binary(&mut self, op: BinaryOperator, lhs: NodeId, rhs: NodeId, data_type: DataType) -> NodeId {
        let are_booleans = [lhs, rhs].iter().all(|id| self.node(*id).data_type == DataType::Boolean);
        if are_booleans && let Some(simpler) = self.connective(op, lhs, rhs) {
            return simpler;
        }
        self.intern(Operation::Binary(op), &[lhs, rhs], data_type)
    }

    /// Returns the node of a list of booleans that `op` joins. The nodes of a long list are not nested deeply.
    fn connected(&mut self, op: BinaryOperator, members: &[NodeId]) -> NodeId {
        if members.len() > LONGEST_CHAIN {
            let (first, second) = members.split_at(members.len() / 2);
            let (first, second) = (self.connected(op, first), self.connected(op, second));
            return self.binary(op, first, second, DataType::Boolean);
        }
        let joined = members.iter().copied().reduce(|all, member| self.binary(op, all, member, DataType::Boolean));
        joined.unwrap_or_else(|| self.boolean(op == BinaryOperator::NullLogicalAnd))
    }

    /// Simplifies `AND` and `OR` of booleans if an operand is a literal, or if both operands are the same node.
    fn connective(&mut self, op: BinaryOperator, lhs: NodeId, rhs: NodeId) -> Option<NodeId> {
        // An operand of this value decides the result.
        let deciding = match op {
            BinaryOperator::NullLogicalAnd => false,
            BinaryOperator::NullLogicalOr => true,
            _ => return None,
        };
        if lhs == rhs {
            return Some(lhs);
        }
        [(lhs, rhs), (rhs, lhs)].into_iter().find_map(|(literal, other)| match self.truth(literal) {
            Some(truth) if truth == deciding => Some(literal),
            Some(_) => Some(other),
            None => None,
        })
    }

    pub(crate) fn cast(&mut self, value: NodeId, to: &DataType) -> NodeId {
        let from = &self.node(value).data_type;
        let digits = |of: &DataType| decimal_parts(of).map(|(_, digits, _)| digits);
        if same_type(from, to) && digits(from) <= digits(to) {
            return value;
        }
        match self.value(value).and_then(|value| value.with_type(to).ok().or_else(|| value.with_scale_of(to))) {
            Some(value) => self.literal(value),
            None => self.intern(Operation::Cast, &[value], to.clone()),
        }
    }

    pub(crate) fn is_null(&mut self, value: NodeId) -> NodeId {
        match self.value(value).map(Value::is_null) {
            Some(is_null) => self.boolean(is_null),
            None if !self.is_nullable(value) => self.boolean(false),
            None => self.intern(Operation::IsNull, &[value], DataType::Boolean),
        }
    }

    pub(crate) fn coalesce(&mut self, values: &[NodeId], data_type: DataType) -> NodeId {
        let mut kept: Vec<NodeId> = Vec::new();
        for &value in values {
            if !self.value(value).is_some_and(Value::is_null) && !kept.contains(&value) {
                kept.push(value);
            }
            if !self.is_nullable(value) {
                break;
            }
        }
        match kept.as_slice() {
            [] => self.literal(Value::null(data_type)),
            [only] => *only,
            kept => self.intern(Operation::Coalesce, kept, data_type),
        }
    }

    /// Returns the node of a `CASE`. `values` has one value more than `conditions`: the default.
    pub(crate) fn case(&mut self, conditions: Vec<NodeId>, values: Vec<NodeId>, data_type: DataType) -> NodeId {
        let mut arguments = Vec::new();
        let mut last = values.last().copied();
        for (condition, value) in conditions.into_iter().zip(values) {
            match self.value(condition).map(Value::boolean) {
                Some(Some(true)) => {
                    last = Some(value);
                    break;
                }
                Some(Some(false) | None) => {}
                None => arguments.extend([condition, value]),
            }
        }
        let Some(last) = last else { return self.literal(Value::null(data_type)) };
        // A last branch with the default value is superfluous.
        while arguments.last() == Some(&last) {
            arguments.truncate(arguments.len() - 2);
        }
        if arguments.is_empty() {
            return last;
        }
        arguments.push(last);
        self.intern(Operation::Case, &arguments, data_type)
    }

    /// Returns the node of an `IN` list. The values in `list` must have the type of `value` and must not be null.
    pub(crate) fn is_in(&mut self, value: NodeId, mut list: Vec<Value>) -> NodeId {
        list.sort_by_cached_key(|element| (element.integer(), element.to_string()));
        list.dedup();
        if list.is_empty() {
            let (is_null, null) = (self.is_null(value), self.literal(Value::null(DataType::Boolean)));
            let none = self.boolean(false);
            return self.case(vec![is_null], vec![null, none], DataType::Boolean);
        }
        self.intern(Operation::IsIn(list.into()), &[value], DataType::Boolean)
    }
}
