//! Copies graphs with changes: constants are folded, or computed nodes become columns.

use std::collections::HashMap;

use gdf_core::{Counted, Error, Result};

use crate::graph::{Graph, Input, Node, NodeId, Operation};
use crate::value::Value;

impl Graph {
    /// Returns a copy of the graph in which each node with only literal arguments is replaced by its value, and the
    /// nodes of `roots` in the copy.
    ///
    /// `evaluate` computes the value of a node, or returns `None` for a node that is to be copied unchanged. A folded
    /// value has the same bits as the value that an evaluation of rows computes.
    ///
    /// # Errors
    /// * The errors of `evaluate`.
    pub fn fold_constants(
        &self,
        roots: &[NodeId],
        mut evaluate: impl FnMut(&Graph, NodeId) -> Result<Option<Value>>,
    ) -> Result<(Graph, Vec<NodeId>)> {
        let mut folded = self.over(self.inputs().to_vec());
        let roots = self.copy_to(&mut folded, roots, |graph, id| {
            let node = graph.node(id);
            let is_constant = !node.arguments.is_empty() && node.arguments.iter().all(|id| graph.value(*id).is_some());
            if !is_constant {
                return Ok(id);
            }
            let value = evaluate(graph, id)?;
            Ok(value.map_or(id, |value| graph.literal(value)))
        })?;
        Ok((folded, roots))
    }

    /// Returns a copy of the graph in which the nodes `computed` are columns, and the nodes of `roots` in the copy. The
    /// new columns follow the columns of this graph, with the types, the nullability and the ranges of the nodes.
    pub fn with_columns_for(&self, roots: &[NodeId], computed: &[NodeId]) -> Result<(Graph, Vec<NodeId>)> {
        let mut inputs = self.inputs().to_vec();
        let ranges = self.ranges(computed);
        inputs.extend(computed.iter().zip(ranges).map(|(id, range)| Input {
            data_type: self.node(*id).data_type.clone(),
            nullable: self.is_nullable(*id),
            range,
        }));
        let mut replaced = self.over(inputs);
        let mut ids: HashMap<NodeId, NodeId> = HashMap::new();
        for (at, id) in computed.iter().enumerate() {
            let position = self.inputs().len() + at;
            let data_type = self.node(*id).data_type.clone();
            ids.insert(*id, replaced.intern(Operation::Column(position), &[], data_type));
        }
        let roots = self.copy_known(&mut replaced, roots, ids, |_, id| Ok(id))?;
        Ok((replaced, roots))
    }

    /// Returns a copy of the graph over only the columns at `positions`, and the nodes of `roots` in the copy. Column
    /// `positions[at]` of this graph is column `at` of the copy.
    ///
    /// # Errors
    /// * [`OutOfBounds`](Error::OutOfBounds) if `roots` depend on a column that is missing in `positions`.
    pub fn with_only_columns(&self, roots: &[NodeId], positions: &[usize]) -> Result<(Graph, Vec<NodeId>)> {
        let input = |position: &usize| self.inputs()[*position].clone();
        let mut narrowed = self.over(positions.iter().map(input).collect());
        let mut ids: HashMap<NodeId, NodeId> = HashMap::new();
        for id in self.reachable(roots) {
            let Some(position) = self.column(id) else { continue };
            let missing = || Error::index_out_of_bounds(Counted::Columns, position, positions.len());
            let at = positions.iter().position(|known| *known == position).ok_or_else(missing)?;
            ids.insert(id, narrowed.intern(Operation::Column(at), &[], self.node(id).data_type.clone()));
        }
        let roots = self.copy_known(&mut narrowed, roots, ids, |_, id| Ok(id))?;
        Ok((narrowed, roots))
    }

    fn copy_to(
        &self,
        target: &mut Graph,
        roots: &[NodeId],
        change: impl FnMut(&mut Graph, NodeId) -> Result<NodeId>,
    ) -> Result<Vec<NodeId>> {
        self.copy_known(target, roots, HashMap::new(), change)
    }

    /// Copies nodes to another graph, and calls `change` for each node. Known nodes, and nodes that only these depend
    /// on, are not copied.
    fn copy_known(
        &self,
        target: &mut Graph,
        roots: &[NodeId],
        mut ids: HashMap<NodeId, NodeId>,
        mut change: impl FnMut(&mut Graph, NodeId) -> Result<NodeId>,
    ) -> Result<Vec<NodeId>> {
        for id in self.reachable_but(roots, &ids) {
            let node = self.node(id);
            let arguments: Vec<NodeId> = node.arguments.iter().map(|argument| ids[argument]).collect();
            let copied = target.add_node(node, &arguments);
            ids.insert(id, change(target, copied)?);
        }
        Ok(roots.iter().map(|root| ids[root]).collect())
    }

    /// Returns the nodes of [`reachable`](Self::reachable), without known nodes and nodes that only these depend on.
    fn reachable_but(&self, roots: &[NodeId], known: &HashMap<NodeId, NodeId>) -> Vec<NodeId> {
        let mut used: Vec<NodeId> = Vec::new();
        let mut is_used = vec![false; self.len()];
        let mut waiting: Vec<NodeId> = roots.to_vec();
        while let Some(id) = waiting.pop() {
            if !known.contains_key(&id) && !std::mem::replace(&mut is_used[id.index()], true) {
                used.push(id);
                waiting.extend(&self.node(id).arguments);
            }
        }
        used.sort_unstable();
        used
    }

    /// Adds a node by the constructor of its operation, so that the node is simplified.
    fn add_node(&mut self, node: &Node, arguments: &[NodeId]) -> NodeId {
        let data_type = node.data_type.clone();
        match (&node.operation, arguments) {
            (Operation::Literal(value), _) => self.literal(value.clone()),
            (Operation::Unary(op), [value]) => self.unary(*op, *value, data_type),
            (Operation::Binary(op), [lhs, rhs]) => self.binary(*op, *lhs, *rhs, data_type),
            (Operation::Cast, [value]) => self.cast(*value, &data_type),
            (Operation::IsNull, [value]) => self.is_null(*value),
            (Operation::Coalesce, values) => self.coalesce(values, data_type),
            (Operation::Case, [pairs @ .., last]) => {
                let (conditions, values): (Vec<_>, Vec<_>) =
                    pairs.chunks_exact(2).map(|pair| (pair[0], pair[1])).unzip();
                self.case(conditions, values.into_iter().chain([*last]).collect(), data_type)
            }
            (operation, arguments) => self.intern(operation.clone(), arguments, data_type),
        }
    }
}
