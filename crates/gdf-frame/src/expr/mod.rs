//! Expressions over columns with names.

mod aggregation;
mod bins;
mod elements;
mod leaf;
mod methods;
mod outputs;
mod window;
mod window_function;

use std::fmt;
use std::sync::Arc;

use gdf_expr::{BinaryOperator, ExprKind, Function, UnaryOperator, Value};

pub use self::aggregation::Aggregation;
pub use self::elements::element;
pub(crate) use self::leaf::{Aggregate, ElementFunction, Elements, Leaf, Nesting, Window, distinct_leaves, same};
pub use self::methods::{Case, DateExpr, ListExpr, MapExpr, StructExpr, TextExpr, When};
pub(crate) use self::outputs::exprs;
pub use self::outputs::{Output, SortBy};
pub(crate) use self::window_function::{Scan, WindowFunction};
use crate::names::Quoted;
use crate::selector::Selector;

/// An expression over the columns of a frame. Columns are referred to by name.
///
/// An expression has no type until a verb of a frame evaluates it. Operators and methods build larger expressions, and
/// [`alias`](Self::alias) gives the result a name. Without an alias, the result has the name of the leftmost column of
/// the expression, as in polars. Cloning is cheap.
///
/// ```
/// use gdf::frame::{col, lit, when};
///
/// let revenue = col("price") * (1 - col("discount"));
/// assert_eq!(revenue.to_string(), "price * (1 - discount)");
/// let size = when(revenue.gt(1000)).then(lit("large")).otherwise("small").alias("size");
/// assert_eq!(size.to_string(), "CASE WHEN price * (1 - discount) > 1000 THEN 'large' ELSE 'small' END AS size");
/// ```
#[derive(Clone)]
#[must_use]
pub struct Expr {
    /// The computation. Its columns are positions in the list of leaves.
    tree: gdf_expr::Expr,
    leaves: Arc<[Leaf]>,
    alias: Option<Arc<str>>,
    nesting: Nesting,
}

/// Returns the column with this name.
pub fn col(name: impl Into<Arc<str>>) -> Expr {
    Expr::leaf(Leaf::Column(name.into()))
}

/// Returns a value that is the same for every row.
pub fn lit(value: impl Into<Value>) -> Expr {
    Expr { tree: gdf_expr::lit(value), leaves: Arc::default(), alias: None, nesting: Nesting::default() }
}

/// Returns the number of rows, or the number of rows of each group. The function corresponds to `COUNT(*)` in SQL.
pub fn len() -> Expr {
    Expr::leaf(Leaf::Aggregate(Arc::new(Aggregate { function: Aggregation::Len, values: None })))
}

/// Begins a `CASE`: `when(condition).then(value).otherwise(other)`.
pub fn when(condition: impl Into<Expr>) -> When {
    When::new(condition.into())
}

/// Returns the first value that is not null.
pub fn coalesce<E: Into<Expr>>(values: impl IntoIterator<Item = E>) -> Expr {
    Expr::of_all(values.into_iter().map(Into::into).collect(), ExprKind::Coalesce)
}

impl Expr {
    pub(crate) fn leaf(leaf: Leaf) -> Expr {
        Expr::of_leaves(gdf_expr::col(0), Arc::new([leaf]), None)
    }

    /// Returns the expression of these parts. If the leaves are nested too deeply, the result is an expression without
    /// leaves that no verb accepts. Therefore, functions that descend into leaves neither overflow the stack nor run for
    /// a time that grows exponentially.
    fn of_leaves(tree: gdf_expr::Expr, leaves: Arc<[Leaf]>, alias: Option<Arc<str>>) -> Expr {
        match Nesting::of(&leaves) {
            Some(nesting) => Expr { tree, leaves, alias, nesting },
            None => Expr::nested_too_deeply(alias),
        }
    }

    fn nested_too_deeply(alias: Option<Arc<str>>) -> Expr {
        Expr { tree: too_deep(), leaves: Arc::default(), alias, nesting: Nesting::TOO_DEEP }
    }

    /// Returns the computation. The columns of the computation are positions in [`leaves`](Self::leaves).
    pub(crate) fn tree(&self) -> &gdf_expr::Expr {
        &self.tree
    }

    pub(crate) fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    pub(crate) fn with_leaves(&self, leaves: Vec<Leaf>) -> Expr {
        Expr::of_leaves(self.tree.clone(), leaves.into(), self.alias.clone())
    }

    /// Makes one expression of several expressions. The leaves of the parts become the leaves of the result, without
    /// repetitions.
    fn of_all(parts: Vec<Expr>, make: impl FnOnce(Vec<gdf_expr::Expr>) -> ExprKind) -> Expr {
        if parts.iter().any(|part| part.nesting == Nesting::TOO_DEEP) {
            return Expr::nested_too_deeply(None);
        }
        let mut leaves = Vec::new();
        let trees = parts.into_iter().map(|part| part.into_tree(&mut leaves)).collect();
        Expr::of_leaves(gdf_expr::Expr::new(make(trees)), leaves.into(), None)
    }

    fn of<const N: usize>(parts: [Expr; N], make: impl FnOnce([gdf_expr::Expr; N]) -> ExprKind) -> Expr {
        if parts.iter().any(|part| part.nesting == Nesting::TOO_DEEP) {
            return Expr::nested_too_deeply(None);
        }
        let mut leaves = Vec::new();
        let trees = parts.map(|part| part.into_tree(&mut leaves));
        Expr::of_leaves(gdf_expr::Expr::new(make(trees)), leaves.into(), None)
    }

    /// Returns the tree with its columns renumbered for `leaves`. Leaves of the tree that `leaves` lacks are added.
    fn into_tree(self, leaves: &mut Vec<Leaf>) -> gdf_expr::Expr {
        if leaves.is_empty() {
            leaves.extend_from_slice(&self.leaves);
            return self.tree;
        }
        let positions: Vec<usize> = self.leaves.iter().map(|leaf| position_of(leaves, leaf)).collect();
        if positions.iter().enumerate().all(|(at, position)| at == *position) {
            return self.tree;
        }
        // The only possible error is a tree that is too deep. The result is then too deep, too, and a later step fails.
        self.tree.substitute(|at| Ok(gdf_expr::col(positions[at]))).unwrap_or_else(|_| too_deep())
    }

    /// Applies an operator of one operand.
    pub fn unary(self, op: UnaryOperator) -> Expr {
        Expr::of([self], |[value]| ExprKind::Unary(op, value))
    }

    /// Applies an operator of two operands.
    pub fn binary(self, op: BinaryOperator, rhs: impl Into<Expr>) -> Expr {
        Expr::of([self, rhs.into()], |[lhs, rhs]| ExprKind::Binary(op, lhs, rhs))
    }

    fn function(self, function: Function, further: Vec<Expr>) -> Expr {
        let parts = std::iter::once(self).chain(further).collect();
        Expr::of_all(parts, |arguments| ExprKind::Call(function, arguments))
    }

    /// Gives the result a name. The name belongs to the whole expression: larger expressions that are built from the
    /// expression do not have the name.
    #[doc(alias("as", "rename"))]
    pub fn alias(self, name: impl Into<Arc<str>>) -> Expr {
        Expr { alias: Some(name.into()), ..self }
    }

    /// Returns the name of the result: the alias, or the name of the leftmost column. Without an alias, [`len`] has the
    /// name `len`, and an expression without columns has the name `literal`.
    pub fn name(&self) -> Arc<str> {
        match (&self.alias, self.leaves.first()) {
            (Some(alias), _) => alias.clone(),
            (None, Some(leaf)) => leaf.name(),
            (None, None) => Arc::from("literal"),
        }
    }

    pub(crate) fn alias_name(&self) -> Option<&Arc<str>> {
        self.alias.as_ref()
    }

    /// Returns whether the expression has one value for all rows.
    pub(crate) fn is_aggregated(&self) -> bool {
        self.leaves.iter().all(|leaf| matches!(leaf, Leaf::Aggregate(_)))
    }

    /// Returns whether both expressions are built in the same way.
    pub(crate) fn same(&self, other: &Expr) -> bool {
        self.leaves == other.leaves && self.tree.same(&other.tree)
    }
}

/// Returns an expression that is too deep for a graph, so that a later step returns an error.
fn too_deep() -> gdf_expr::Expr {
    thread_local! {
        static TOO_DEEP: gdf_expr::Expr =
            (0..=gdf_expr::MAX_DEPTH).fold(gdf_expr::col(0), |expression, _| expression.is_null());
    }
    TOO_DEEP.with(Clone::clone)
}

fn position_of(leaves: &mut Vec<Leaf>, leaf: &Leaf) -> usize {
    leaves.iter().position(|known| known == leaf).unwrap_or_else(|| {
        leaves.push(leaf.clone());
        leaves.len() - 1
    })
}

impl From<Selector> for Expr {
    fn from(selector: Selector) -> Expr {
        Expr::leaf(Leaf::Columns(Arc::new(selector)))
    }
}

impl From<&Expr> for Expr {
    fn from(expression: &Expr) -> Expr {
        expression.clone()
    }
}

/// Writes the expression as text that reads like SQL.
impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.leaves.iter().map(ToString::to_string).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.tree.display_with(&names).fmt(f)?;
        match &self.alias {
            Some(alias) => write!(f, " AS {}", Quoted(alias)),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expr({self})")
    }
}
