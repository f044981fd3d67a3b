//! Orders conditions by their estimated costs and selectivities.

use std::collections::HashSet;

use gdf_core::width;

use crate::function::Function;
use crate::graph::{Graph, NodeId, Operation};
use crate::operators::{BinaryOperator, NullRule, UnaryOperator};

/// The estimated cost and selectivity of a condition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The cost per row in bytes: the bytes that are read, plus a fixed number of bytes for each operation.
    pub cost: f64,
    /// The share of the rows that satisfy the condition.
    pub selectivity: f64,
}

impl Graph {
    /// Returns the conditions that `AND` joins in `root`, in the order in which the conditions should be tested.
    /// Conditions that remove many rows at a low cost come first. In three-valued logic, the order does not change
    /// the result.
    ///
    /// The order follows J. Hellerstein and M. Stonebraker, Predicate Migration (SIGMOD 1993): ascending by
    /// `(selectivity - 1) / cost`. The selectivity of a comparison follows from the range of its column, if that is
    /// known. Other selectivities are guesses by the kind of condition, as in System R.
    ///
    /// ```
    /// use gdf_core::DataType;
    /// use gdf_expr::{Graph, Input, col};
    ///
    /// let mut graph = Graph::new(vec![Input::new(DataType::Utf8), Input::new(DataType::Date32)]);
    /// let root = graph.bind(&col(0).contains("special").and(col(1).is_not_null()).and(col(0).eq("R")))?;
    /// let texts: Vec<_> = graph.conjuncts(root).into_iter().map(|id| graph.text(id)).collect();
    /// assert_eq!(texts, ["#0 = 'R'", "#1 IS NOT NULL", "contains(#0, 'special')"]);
    /// # Ok::<(), gdf_core::Error>(())
    /// ```
    pub fn conjuncts(&self, root: NodeId) -> Vec<NodeId> {
        let conjuncts = self.terms(root, BinaryOperator::NullLogicalAnd);
        let rank = |(id, of): (NodeId, Estimate)| ((of.selectivity - 1.0) / of.cost, id);
        let estimates = self.estimates(&conjuncts);
        let mut ranked: Vec<(f64, NodeId)> = conjuncts.into_iter().zip(estimates).map(rank).collect();
        ranked.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        ranked.into_iter().map(|(_, id)| id).collect()
    }

    /// Returns the conditions that `OR` joins in `root`, in the order of the expression.
    pub fn disjuncts(&self, root: NodeId) -> Vec<NodeId> {
        self.terms(root, BinaryOperator::NullLogicalOr)
    }

    /// Returns the distinct nodes that a chain of `operator` joins in `root`, in the order of the expression.
    pub(crate) fn terms(&self, root: NodeId, operator: BinaryOperator) -> Vec<NodeId> {
        let mut terms = Vec::new();
        let mut waiting = vec![root];
        // Shared nodes are visited once: their number of paths grows exponentially.
        let mut visited = HashSet::new();
        while let Some(id) = waiting.pop() {
            if !visited.insert(id) {
                continue;
            }
            let node = self.node(id);
            match node.operation {
                Operation::Binary(found) if found == operator => waiting.extend(node.arguments.iter().rev()),
                _ => terms.push(id),
            }
        }
        terms
    }

    /// Returns the estimated cost and selectivity of a condition.
    pub fn estimate(&self, id: NodeId) -> Estimate {
        self.estimates(&[id]).pop().unwrap_or(Estimate { cost: 0.0, selectivity: 1.0 })
    }

    /// Returns the estimates of several conditions. The time for many conditions that share few nodes is linear.
    fn estimates(&self, ids: &[NodeId]) -> Vec<Estimate> {
        // Arguments precede the nodes that read them. Each node is estimated once, because a shared node has many paths.
        let mut known = vec![1.0; self.len()];
        for id in self.reachable(ids) {
            known[id.index()] = self.selectivity(id, &known);
        }
        // For each node, the number of the last condition that was found to depend on it.
        let mut found = vec![0; self.len()];
        let estimate = |(number, id): (usize, &NodeId)| {
            let (mut nodes, mut next) = (vec![*id], 0);
            while let Some(id) = nodes.get(next) {
                let is_new = |argument: &NodeId| std::mem::replace(&mut found[argument.index()], number) != number;
                nodes.extend(self.node(*id).arguments.clone().into_iter().filter(is_new));
                next += 1;
            }
            // The sum of floats depends on the order.
            nodes.sort_unstable();
            Estimate { cost: nodes.into_iter().map(|id| self.own_cost(id)).sum(), selectivity: known[id.index()] }
        };
        (1..).zip(ids).map(estimate).collect()
    }

    fn own_cost(&self, id: NodeId) -> f64 {
        let node = self.node(id);
        match &node.operation {
            Operation::Literal(_) => 0.0,
            // The offsets of a text, and a few of its bytes.
            Operation::Column(_) => width(&node.data_type).map_or(12.0, |width| width as f64),
            Operation::Call(Function::Extract(_)) => 1.0,
            Operation::Call(_) => 40.0,
            Operation::IsKey(_) => 2.0,
            Operation::IsIn(list) => 0.25 * list.len() as f64,
            _ => 0.25,
        }
    }

    /// Returns the share of the rows for which a node is true. `known` has the shares of its arguments.
    fn selectivity(&self, id: NodeId, known: &[f64]) -> f64 {
        use BinaryOperator::*;
        let node = self.node(id);
        let of = |at: usize| known[node.arguments[at].index()];
        match &node.operation {
            Operation::Literal(value) => f64::from(u8::from(value.boolean() == Some(true))),
            Operation::Binary(NullLogicalAnd) => of(0) * of(1),
            Operation::Binary(NullLogicalOr) => 1.0 - (1.0 - of(0)) * (1.0 - of(1)),
            Operation::Unary(UnaryOperator::Not) => 1.0 - of(0),
            Operation::Binary(op @ (Less | LessEqual | Greater | GreaterEqual)) => {
                self.share_of_range(*op, id).unwrap_or(1.0 / 3.0)
            }
            Operation::Binary(Equal | NullEquals) => 0.1,
            Operation::Binary(NotEqual | NullNotEquals) => 0.9,
            Operation::IsNull => 0.1,
            Operation::IsKey(set) => set.selectivity(),
            Operation::IsIn(list) => (0.1 * list.len() as f64).min(0.5),
            Operation::Call(_) => 0.1,
            Operation::Binary(op) if op.null_rule() == NullRule::Undecided => 0.5,
            _ => 0.5,
        }
    }

    /// Returns the share of the rows that satisfy the comparison of a column with a literal, if the values are spread
    /// evenly over the known range of the column. Returns `None` without a range, and for literals that are no integers
    /// of the column's type.
    fn share_of_range(&self, op: BinaryOperator, id: NodeId) -> Option<f64> {
        let [lhs, rhs] = *self.node(id).arguments.as_slice() else { return None };
        let (column, literal, op) = match (self.column(lhs), self.column(rhs)) {
            (Some(column), _) => (column, rhs, op),
            (None, Some(column)) => (column, lhs, op.mirrored()?),
            (None, None) => return None,
        };
        let (low, high) = self.inputs()[column].range?;
        if self.node(literal).data_type != self.inputs()[column].data_type {
            return None;
        }
        let below = (self.value(literal)?.integer()? as f64 - low as f64) / ((high as f64 - low as f64).max(1.0));
        let below = below.clamp(0.0, 1.0);
        match op {
            BinaryOperator::Less | BinaryOperator::LessEqual => Some(below),
            _ => Some(1.0 - below),
        }
    }
}
