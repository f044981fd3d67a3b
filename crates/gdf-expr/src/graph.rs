//! Expressions with types, as a graph. Equal nodes are stored once.

use std::collections::HashMap;
use std::sync::Arc;

use gdf_core::DataType;
use smallvec::SmallVec;

use crate::function::Function;
use crate::key_set::KeySet;
use crate::operators::{BinaryOperator, UnaryOperator};
use crate::value::Value;

/// The known properties of a column of the table: its type, and facts about its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The type.
    pub data_type: DataType,
    /// Whether a row may be null.
    pub nullable: bool,
    /// The smallest and the largest stored number of the column, if they are known. Null rows do not count.
    pub range: Option<(i128, i128)>,
}

impl Input {
    /// Returns a column of this type without further facts. Rows of the column may be null.
    pub fn new(data_type: DataType) -> Input {
        Input { data_type, nullable: true, range: None }
    }

    /// Returns the same column with the fact that no row is null.
    #[must_use]
    pub fn not_null(self) -> Input {
        Input { nullable: false, ..self }
    }
}

/// A node of a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// Returns the position of the node. The arguments of a node have lower positions than the node.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The computation of a node from its arguments.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// The column at this position. The node has no arguments.
    Column(usize),
    /// A value. The node has no arguments.
    Literal(Value),
    /// An operator of one operand.
    Unary(UnaryOperator),
    /// An operator of two operands.
    Binary(BinaryOperator),
    /// The value, converted to the type of the node.
    Cast,
    /// Whether the value is null.
    IsNull,
    /// A `CASE`. The arguments are pairs of a condition and a value, followed by the default value. All values have
    /// the type of the node.
    Case,
    /// The first argument that is not null. All arguments have the type of the node.
    Coalesce,
    /// Whether the value equals an element of this list. The list is not empty. The elements have the type of the
    /// value, and are sorted, distinct and not null.
    IsIn(Arc<[Value]>),
    /// Whether the arguments may be a row of a set of keys. The arguments have the types of the keys.
    IsKey(KeySet),
    /// A function. Arguments that must be literals are literal nodes.
    Call(Function),
}

/// The longest list of conditions that are joined one after the other. The halves of a longer list are joined on their
/// own, so that functions that visit nodes recursively need little stack.
pub(crate) const LONGEST_CHAIN: usize = 200;

/// Arguments of a node.
pub type Arguments = SmallVec<[NodeId; 3]>;

/// An operation with its arguments, and the type of its result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// The computation of the node.
    pub operation: Operation,
    /// The nodes of the arguments.
    pub arguments: Arguments,
    /// The type of the result.
    pub data_type: DataType,
}

/// Expressions that are bound to the types of columns. Each distinct computation is one node.
///
/// ```
/// use gdf_core::DataType;
/// use gdf_expr::{Graph, Input, col, lit};
///
/// let mut graph = Graph::new(vec![Input::new(DataType::Int64), Input::new(DataType::Float64).not_null()]);
/// let first = graph.bind(&(col(0) * 2 + col(1)))?;
/// let second = graph.bind(&(col(0) * 2).lt(7))?; // the product is a node of the first expression
/// assert_eq!((graph.node(first).data_type.clone(), graph.is_nullable(first)), (DataType::Float64, true));
/// assert_eq!(graph.text(second).to_string(), "#0 * 2 < 7");
/// assert_eq!(graph.len(), 7);
///
/// let error = graph.bind(&(col(0) + 1 + lit("a"))).unwrap_err();
/// assert!(error.to_string().starts_with("bind(Add): #0 + 1 + 'a': "));
/// # Ok::<(), gdf_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Graph {
    inputs: Vec<Input>,
    nodes: Vec<Node>,
    /// Whether rows of each node may be null.
    nullable: Vec<bool>,
    ids: HashMap<Node, NodeId>,
    /// Whether a decimal with more digits than its type is an error.
    pub(crate) has_exact_decimals: bool,
}

impl Graph {
    /// Returns a graph over these columns. The graph has no nodes.
    pub fn new(inputs: Vec<Input>) -> Graph {
        Graph { inputs, ..Graph::default() }
    }

    /// Returns a graph over other columns, with the rules of this graph. The graph has no nodes.
    pub(crate) fn over(&self, inputs: Vec<Input>) -> Graph {
        Graph { has_exact_decimals: self.has_exact_decimals, ..Graph::new(inputs) }
    }

    /// Returns the columns.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// States the smallest and the largest number of a column. Null rows do not count.
    ///
    /// # Panics
    /// Panics if there is no such column.
    pub fn set_range(&mut self, column: usize, range: (i128, i128)) {
        self.inputs[column].range = Some(range);
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns a node of this graph.
    ///
    /// # Panics
    /// Panics if the node belongs to another graph and its position is not the position of a node of this graph.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Returns the value if the node is a literal.
    pub fn value(&self, id: NodeId) -> Option<&Value> {
        match &self.node(id).operation {
            Operation::Literal(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the position of the column if the node is a column.
    pub fn column(&self, id: NodeId) -> Option<usize> {
        match self.node(id).operation {
            Operation::Column(position) => Some(position),
            _ => None,
        }
    }

    /// Returns the roots and all nodes that the roots depend on. Arguments precede the nodes that read them.
    pub fn reachable(&self, roots: &[NodeId]) -> Vec<NodeId> {
        let mut is_used = vec![false; self.nodes.len()];
        let mut waiting = roots.to_vec();
        while let Some(id) = waiting.pop() {
            if !std::mem::replace(&mut is_used[id.index()], true) {
                waiting.extend(&self.node(id).arguments);
            }
        }
        (0..self.nodes.len() as u32).map(NodeId).filter(|id| is_used[id.index()]).collect()
    }

    /// Returns the positions of the columns that `roots` depend on, in ascending order.
    pub fn columns(&self, roots: &[NodeId]) -> Vec<usize> {
        let mut columns: Vec<_> = self.reachable(roots).into_iter().filter_map(|id| self.column(id)).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// Returns whether rows of the node may be null, by the types and the facts about columns.
    pub fn is_nullable(&self, id: NodeId) -> bool {
        self.nullable[id.index()]
    }

    fn may_be_null(&self, node: &Node) -> bool {
        let any = |arguments: &[NodeId]| arguments.iter().any(|id| self.is_nullable(*id));
        match &node.operation {
            Operation::Column(position) => self.inputs[*position].nullable,
            Operation::Literal(value) => value.is_null(),
            Operation::IsNull => false,
            Operation::Binary(op) => self.is_binary_nullable(*op, &node.arguments),
            Operation::Coalesce => node.arguments.iter().all(|id| self.is_nullable(*id)),
            Operation::Case => {
                let mut values = node.arguments.iter().skip(1).step_by(2).chain(node.arguments.last());
                values.any(|id| self.is_nullable(*id))
            }
            Operation::Call(function) => function.is_nested() || any(&node.arguments),
            Operation::Unary(_) | Operation::Cast | Operation::IsIn(_) | Operation::IsKey(_) => any(&node.arguments),
        }
    }

    fn is_binary_nullable(&self, op: BinaryOperator, arguments: &[NodeId]) -> bool {
        use crate::operators::NullRule;
        let mut nullable = arguments.iter().map(|id| self.is_nullable(*id));
        match op.null_rule() {
            NullRule::Never => false,
            NullRule::Both => nullable.all(|nullable| nullable),
            NullRule::Either | NullRule::Undecided => nullable.any(|nullable| nullable),
            NullRule::ZeroDivisor => {
                let computes_floats = arguments.iter().any(|id| gdf_core::is_floating(&self.node(*id).data_type));
                nullable.any(|nullable| nullable) || !(computes_floats || self.is_nonzero(arguments[1]))
            }
        }
    }

    /// Returns whether the node is an integer literal other than zero.
    fn is_nonzero(&self, id: NodeId) -> bool {
        self.value(id).and_then(Value::integer).is_some_and(|value| value != 0)
    }

    /// Returns the node of an operation, which is new unless the graph has an equal node. The caller has checked that
    /// the arguments and the type fit the operation.
    pub(crate) fn intern(&mut self, operation: Operation, arguments: &[NodeId], data_type: DataType) -> NodeId {
        let node = Node { operation, arguments: arguments.into(), data_type };
        if let Some(id) = self.ids.get(&node) {
            return *id;
        }
        let id = NodeId(self.nodes.len() as u32);
        self.nullable.push(self.may_be_null(&node));
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }

    /// Returns the node of a literal.
    pub fn literal(&mut self, value: Value) -> NodeId {
        let data_type = value.data_type().clone();
        self.intern(Operation::Literal(value), &[], data_type)
    }
}
