//! Conditions in the order in which they are tested.

use gdf_core::width;

use crate::function::Function;
use crate::graph::{Graph, NodeId, Operation};
use crate::operators::{BinaryOperator, NullRule, UnaryOperator};

/// What a condition is expected to cost and to keep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Bytes that are read for each row, with operations counted as bytes.
    pub cost: f64,
    /// The share of the rows that are kept.
    pub selectivity: f64,
}

impl Graph {
    /// The conditions that `AND` joins in `root`, in the order in which they should be tested: those first that remove
    /// the most rows for what they cost. In three-valued logic their order does not change the result.
    ///
    /// The order is that of J. Hellerstein and M. Stonebraker, Predicate Migration (SIGMOD 1993): ascending by
    /// `(selectivity - 1) / cost`. Selectivities are guesses by the kind of test, as in System R, unless the ranges of
    /// columns are known.
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
        let mut conjuncts = Vec::new();
        let mut waiting = vec![root];
        while let Some(id) = waiting.pop() {
            let node = self.node(id);
            match node.operation {
                Operation::Binary(BinaryOperator::NullLogicalAnd) => waiting.extend(node.arguments.iter().rev()),
                _ if conjuncts.contains(&id) => {}
                _ => conjuncts.push(id),
            }
        }
        let rank = |id: &NodeId| {
            let Estimate { cost, selectivity } = self.estimate(*id);
            (selectivity - 1.0) / cost
        };
        conjuncts.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
        conjuncts
    }

    /// What testing a condition costs, and which share of the rows it keeps.
    pub fn estimate(&self, id: NodeId) -> Estimate {
        let cost = self.reachable(&[id]).into_iter().map(|id| self.own_cost(id)).sum();
        Estimate { cost, selectivity: self.selectivity(id, 0) }
    }

    fn own_cost(&self, id: NodeId) -> f64 {
        let node = self.node(id);
        match &node.operation {
            Operation::Literal(_) => 0.0,
            // offsets, and a few bytes of the text
            Operation::Column(_) => width(&node.data_type).map_or(12.0, |width| width as f64),
            Operation::Call(Function::Extract(_)) => 1.0,
            Operation::Call(_) => 40.0,
            Operation::IsIn(list) => 0.25 * list.len() as f64,
            _ => 0.25,
        }
    }

    fn selectivity(&self, id: NodeId, depth: usize) -> f64 {
        use BinaryOperator::*;
        let node = self.node(id);
        let of = |at: usize| self.selectivity(node.arguments[at], depth + 1);
        match &node.operation {
            // Estimates of deep conditions are no better than a guess, and cost time.
            _ if depth > 16 => 0.5,
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
            Operation::IsIn(list) => (0.1 * list.len() as f64).min(0.5),
            Operation::Call(_) => 0.1,
            Operation::Binary(op) if op.null_rule() == NullRule::Undecided => 0.5,
            _ => 0.5,
        }
    }

    /// The share of the rows that satisfy a comparison with a literal, if the range of the other operand is known from
    /// more than its type and its values are spread evenly.
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
