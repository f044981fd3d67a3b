//! Expressions with types: a graph in which equal nodes are one node.

use std::collections::HashMap;
use std::sync::Arc;

use gdf_core::DataType;
use smallvec::SmallVec;

use crate::function::Function;
use crate::operators::{BinaryOperator, UnaryOperator};
use crate::value::Value;

/// What an expression knows of a column: its type and facts about its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The type.
    pub data_type: DataType,
    /// Whether a row may be null.
    pub nullable: bool,
    /// The lowest and the highest stored number of the column, if they are known. Rows that are null do not count.
    pub range: Option<(i128, i128)>,
}

impl Input {
    /// A column of this type, without facts: its rows may be null.
    pub fn new(data_type: DataType) -> Input {
        Input { data_type, nullable: true, range: None }
    }

    /// The same column, none of whose rows is null.
    #[must_use]
    pub fn not_null(self) -> Input {
        Input { nullable: false, ..self }
    }
}

/// A node of a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// The position of the node. Arguments of a node are at lower positions than the node.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node computes from its arguments.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// The column at this position. No arguments.
    Column(usize),
    /// A value. No arguments.
    Literal(Value),
    /// An operator of one operand.
    Unary(UnaryOperator),
    /// An operator of two operands.
    Binary(BinaryOperator),
    /// The value as the type of the node.
    Cast,
    /// Whether the value is null.
    IsNull,
    /// The arguments are pairs of a condition and a value, and a last value. All values have the type of the node.
    Case,
    /// The first of the arguments that is not null. All have the type of the node.
    Coalesce,
    /// Whether the value equals one of these, of which there is at least one. They are of its type, sorted, without
    /// duplicates and not null.
    IsIn(Arc<[Value]>),
    /// A function. Arguments that must be literals are nodes of literals.
    Call(Function),
}

/// Arguments of a node.
pub type Arguments = SmallVec<[NodeId; 3]>;

/// An operation with its arguments, and the type of its result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// What the node computes.
    pub operation: Operation,
    /// The nodes that it computes from.
    pub arguments: Arguments,
    /// The type of the result.
    pub data_type: DataType,
}

/// Expressions that are bound to the types of columns. Each distinct computation is one node, whichever expression it
/// comes from, and is computed once.
///
/// ```
/// use gdf_core::DataType;
/// use gdf_expr::{Graph, Input, col, lit};
///
/// let mut graph = Graph::new(vec![Input::new(DataType::Int64), Input::new(DataType::Float64).not_null()]);
/// let first = graph.bind(&(col(0) * 2 + col(1)))?;
/// let second = graph.bind(&(col(0) * 2).lt(7))?; // its product is that of the first expression
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
    /// Whether a row of each node may be null.
    nullable: Vec<bool>,
    ids: HashMap<Node, NodeId>,
}

impl Graph {
    /// A graph without nodes, over these columns.
    pub fn new(inputs: Vec<Input>) -> Graph {
        Graph { inputs, ..Graph::default() }
    }

    /// The columns.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A node of this graph.
    ///
    /// # Panics
    /// If the node is of another graph with more nodes.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The value, if the node is a literal.
    pub fn value(&self, id: NodeId) -> Option<&Value> {
        match &self.node(id).operation {
            Operation::Literal(value) => Some(value),
            _ => None,
        }
    }

    /// The position of the column, if the node is a column.
    pub fn column(&self, id: NodeId) -> Option<usize> {
        match self.node(id).operation {
            Operation::Column(position) => Some(position),
            _ => None,
        }
    }

    /// The nodes that `roots` are computed from, and the roots: arguments before what is computed from them.
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

    /// The positions of the columns that `roots` are computed from, in ascending order.
    pub fn columns(&self, roots: &[NodeId]) -> Vec<usize> {
        let mut columns: Vec<_> = self.reachable(roots).into_iter().filter_map(|id| self.column(id)).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// Whether a row of the node may be null, as far as types and columns tell.
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
            Operation::Unary(_) | Operation::Cast | Operation::IsIn(_) | Operation::Call(_) => any(&node.arguments),
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

    /// Whether the node is a literal other than zero.
    fn is_nonzero(&self, id: NodeId) -> bool {
        self.value(id).and_then(Value::integer).is_some_and(|value| value != 0)
    }

    /// The node of an operation whose arguments and type are known to fit. An equal node is used again.
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

    /// The node of a literal.
    pub fn literal(&mut self, value: Value) -> NodeId {
        let data_type = value.data_type().clone();
        self.intern(Operation::Literal(value), &[], data_type)
    }
}
