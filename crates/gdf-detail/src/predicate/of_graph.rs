//! Conversion of a bound condition to a predicate with the same result.

use std::cell::Cell;

use gdf_core::{DataType, Literal, Operand, TableView, can_have_validity};
use gdf_expr::{BinaryOperator, Function, Graph, NodeId, Operation, UnaryOperator, Value};

use super::keys::filter_of;
use super::plan::{MAX_STEPS, is_direct};
use super::{DEEPEST, Node, Predicate, list};

/// Returns the predicate of the condition `id`. The columns of the graph are the columns of the table.
///
/// Returns `None` in these cases, in which the condition has to be evaluated as an expression:
/// - The condition is a column.
/// - A test of the condition cannot be evaluated in one launch together with the other tests.
/// - There are more tests than one launch evaluates, or the tests are nested too deeply.
pub(crate) fn of_condition<'a>(graph: &'a Graph, id: NodeId, table: &TableView<'a>) -> Option<Predicate<'a>> {
    if graph.column(id).is_some() {
        return None;
    }
    let predicate = Predicate::from(test(graph, id, table)?);
    (predicate.node.tests() <= MAX_STEPS && predicate.depth <= DEEPEST).then_some(predicate)
}

/// Returns the predicate of all or any of many conditions, which takes several launches, and the conditions that have to
/// be evaluated as expressions.
pub(crate) fn of_conditions<'a>(
    graph: &'a Graph,
    ids: &[NodeId],
    is_all: bool,
    table: &TableView<'a>,
) -> (Option<Predicate<'a>>, Vec<NodeId>) {
    let (mut nodes, mut others) = (Vec::new(), Vec::new());
    for id in ids {
        match test(graph, *id, table).filter(|node| node.levels() < DEEPEST) {
            Some(node) => nodes.push(node),
            None => others.push(*id),
        }
    }
    ((!nodes.is_empty()).then(|| list(is_all, nodes).into()), others)
}

fn test<'a>(graph: &'a Graph, id: NodeId, table: &TableView<'a>) -> Option<Node<'a>> {
    Conversion { graph, table, left: Cell::new(MAX_VISITS) }.node(id)
}

/// The largest number of nodes that are visited. A shared node is visited once for each path to it, and the number of
/// paths grows exponentially. A condition of at most [`MAX_STEPS`] tests has fewer nodes.
const MAX_VISITS: usize = 16 * MAX_STEPS;

struct Conversion<'a, 't> {
    graph: &'a Graph,
    table: &'t TableView<'a>,
    /// The number of nodes that may still be visited.
    left: Cell<usize>,
}

impl<'a> Conversion<'a, '_> {
    fn node(&self, id: NodeId) -> Option<Node<'a>> {
        self.left.set(self.left.get().checked_sub(1)?);
        let node = self.graph.node(id);
        if node.data_type != DataType::Boolean {
            return None;
        }
        let all = |ids: &[NodeId]| match ids.len() <= MAX_STEPS {
            true => ids.iter().map(|id| self.node(*id)).collect::<Option<Vec<_>>>(),
            false => None,
        };
        match (&node.operation, node.arguments.as_slice()) {
            (Operation::Column(position), _) => Some(Node::True(*self.table.columns().get(*position)?)),
            (Operation::Binary(BinaryOperator::NullLogicalAnd), _) => all(&self.graph.conjuncts(id)).map(Node::All),
            (Operation::Binary(BinaryOperator::NullLogicalOr), _) => all(&self.graph.disjuncts(id)).map(Node::Any),
            (Operation::Unary(UnaryOperator::Not), [inner]) => Some(Node::Not(Box::new(self.node(*inner)?))),
            (Operation::Binary(op), [left, right]) => self.comparison(self.operand(*left)?, *op, self.operand(*right)?),
            (Operation::IsNull, [argument]) => {
                let column = *self.table.columns().get(self.graph.column(*argument)?)?;
                can_have_validity(column.data_type()).then(|| Node::Not(Box::new(Node::Valid(column))))
            }
            (Operation::IsIn(list), [argument]) if (1..=MAX_STEPS).contains(&list.len()) => {
                let column = self.operand(*argument)?;
                let equal = |value: &'a Value| {
                    self.comparison(column, BinaryOperator::Equal, Operand::Literal(value.literal().ok()?))
                };
                list.iter().map(equal).collect::<Option<Vec<_>>>().map(Node::Any)
            }
            (Operation::Call(Function::StartsWith), [column, prefix]) => {
                let column = *self.table.columns().get(self.graph.column(*column)?)?;
                let prefix = self.graph.value(*prefix)?.text()?;
                let equal = Operand::Literal(Literal::from(prefix));
                is_direct(Operand::Column(column), BinaryOperator::Equal, equal)
                    .then_some(Node::StartsWith { column, prefix })
            }
            (Operation::IsKey(set), [argument]) => {
                let filter = filter_of(set).ok()?;
                let column = *self.table.columns().get(self.graph.column(*argument)?)?;
                Some(Node::Key { column, first: filter.first()?, bits: filter.bits().view() })
            }
            _ => None,
        }
    }

    fn comparison(&self, lhs: Operand<'a>, op: BinaryOperator, rhs: Operand<'a>) -> Option<Node<'a>> {
        is_direct(lhs, op, rhs).then_some(Node::Compare { lhs, op, rhs })
    }

    /// Returns a column of the table, or a literal. Returns `None` for the result of an operation.
    fn operand(&self, id: NodeId) -> Option<Operand<'a>> {
        match self.graph.value(id) {
            Some(value) => Some(Operand::Literal(value.literal().ok()?)),
            None => Some(Operand::Column(*self.table.columns().get(self.graph.column(id)?)?)),
        }
    }
}
