//! Binds lists of conditions.

use std::collections::{HashMap, HashSet};

use gdf_core::{Error, Result, same_type};

use super::{Known, Operand};
use crate::expr::{Expr, ExprKind};
use crate::graph::{Graph, LONGEST_CHAIN, NodeId, Operation};
use crate::operators::{BinaryOperator, UnaryOperator};
use crate::value::Value;

/// The largest number of tests of one value for equality, within a long list, that remain comparisons.
const COMPARED: usize = 16;

/// Tests of one value for equality, or for inequality, by their places in a list.
#[derive(Default)]
struct Tests {
    places: Vec<usize>,
    literals: Vec<Value>,
}

/// A condition that an operator does not accept, by its place in a list.
struct Refused {
    at: usize,
    error: Error,
}

impl Refused {
    fn at(at: usize, error: Error) -> Box<Refused> {
        Box::new(Refused { at, error })
    }

    fn after(mut self: Box<Self>, others: usize) -> Box<Refused> {
        self.at += others;
        self
    }
}

/// Returns the members of a list, and the members of long lists of the same kind among them, each list once.
fn flat(op: BinaryOperator, members: &[Expr]) -> Vec<&Expr> {
    let (mut flat, mut known) = (Vec::with_capacity(members.len()), HashSet::new());
    let mut waiting: Vec<&Expr> = members.iter().rev().collect();
    while let Some(member) = waiting.pop() {
        match (op, member.kind()) {
            (BinaryOperator::NullLogicalAnd, ExprKind::All(inner))
            | (BinaryOperator::NullLogicalOr, ExprKind::Any(inner)) => {
                if known.insert(member.address()) {
                    waiting.extend(inner.iter().rev());
                }
            }
            _ => flat.push(member),
        }
    }
    flat
}

impl Graph {
    /// Adds a list of conditions that `op` joins.
    pub(super) fn add_list(&mut self, op: BinaryOperator, members: &[Expr], known: &mut Known<'_>) -> Result<NodeId> {
        let members = flat(op, members);
        let mut operands = members.iter().map(|member| self.add_value(member, known)).collect::<Result<Vec<_>>>()?;
        let mut places: Vec<usize> = (0..operands.len()).collect();
        if operands.len() > LONGEST_CHAIN {
            places = self.with_sets(op, &mut operands)?;
        }
        let joined = self.joined(op, &operands);
        joined.map(|all| all.id).map_err(|refused| {
            // The smallest part without a type consists of the members up to the one that the operator refuses.
            let members = members[..=places[refused.at]].iter().map(|member| (*member).clone()).collect();
            let is_all = op == BinaryOperator::NullLogicalAnd;
            known.located(
                refused.error,
                &Expr::new(if is_all { ExprKind::All(members) } else { ExprKind::Any(members) }),
            )
        })
    }

    /// Joins conditions.
    fn joined(&mut self, op: BinaryOperator, operands: &[Operand]) -> std::result::Result<Operand, Box<Refused>> {
        let computed = |id| Operand { id, is_literal: false };
        if operands.len() > LONGEST_CHAIN {
            let (first, second) = operands.split_at(operands.len() / 2);
            let lhs = self.joined(op, first)?;
            let rhs = self.joined(op, second).map_err(|refused| refused.after(first.len()))?;
            return self.add_operands(op, lhs, rhs).map(computed).map_err(|error| Refused::at(first.len(), error));
        }
        let mut all = operands[0];
        for (at, operand) in operands.iter().enumerate().skip(1) {
            all = self.add_operands(op, all, *operand).map(computed).map_err(|error| Refused::at(at, error))?;
        }
        Ok(all)
    }

    /// Replaces many tests of one value for equality by one test for membership: `x = 1 OR x = 2 …` by `x IN (1, 2, …)`,
    /// and `x <> 1 AND x <> 2 …` by its negation. Returns the places that the remaining conditions had.
    fn with_sets(&mut self, op: BinaryOperator, operands: &mut Vec<Operand>) -> Result<Vec<usize>> {
        let is_all = op == BinaryOperator::NullLogicalAnd;
        let tested = if is_all { BinaryOperator::NotEqual } else { BinaryOperator::Equal };
        let mut tests: HashMap<NodeId, Tests> = HashMap::new();
        for (place, operand) in operands.iter().enumerate() {
            if let Some((value, literal)) = self.test(tested, operand.id) {
                let of_value = tests.entry(value).or_default();
                of_value.places.push(place);
                of_value.literals.push(literal.clone());
            }
        }
        let mut tests: Vec<_> = tests.into_iter().filter(|(_, of)| of.places.len() > COMPARED).collect();
        // The order of a map is random.
        tests.sort_unstable_by_key(|(_, of)| of.places.first().copied());
        let mut is_kept = vec![true; operands.len()];
        for (value, of) in tests {
            let is_in = self.add_is_in(value, &of.literals)?;
            let data_type = self.node(is_in).data_type.clone();
            let id = if is_all { self.unary(UnaryOperator::Not, is_in, data_type) } else { is_in };
            of.places.iter().for_each(|place| is_kept[*place] = false);
            operands[of.places[0]] = Operand { id, is_literal: false };
            is_kept[of.places[0]] = true;
        }
        let places: Vec<usize> = (0..operands.len()).filter(|place| is_kept[*place]).collect();
        *operands = places.iter().map(|place| operands[*place]).collect();
        Ok(places)
    }

    /// Returns the value and the literal of a comparison by `op`, if a set can contain the literal.
    fn test(&self, op: BinaryOperator, id: NodeId) -> Option<(NodeId, &Value)> {
        let node = self.node(id);
        let [lhs, rhs] = *node.arguments.as_slice() else { return None };
        if node.operation != Operation::Binary(op) {
            return None;
        }
        let (value, literal) = match (self.value(lhs), self.value(rhs)) {
            (None, Some(literal)) => (lhs, literal),
            (Some(literal), None) => (rhs, literal),
            _ => return None,
        };
        let types = [&self.node(value).data_type, literal.data_type()];
        let are_alike = same_type(types[0], types[1]) || types.iter().all(|of| of.is_integer());
        (are_alike && !literal.is_null()).then_some((value, literal))
    }
}
