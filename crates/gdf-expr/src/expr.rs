//! Expressions as users write them: trees of columns, literals, operators and functions. Expressions have no types.

mod lists;

use std::sync::Arc;

use gdf_core::{DataType, Error, Result};

use self::lists::List;
use crate::function::Function;
use crate::key_set::KeySet;
use crate::operators::{BinaryOperator, UnaryOperator};
use crate::value::Value;

/// The deepest nesting that [`bind`](crate::Graph::bind) accepts.
pub const MAX_DEPTH: usize = 200;

/// An expression over the columns of a table. Columns are referred to by position.
///
/// An expression has no type until the expression is bound to the types of columns. Cloning is cheap, because clones
/// share the tree.
///
/// A chain of conditions joined by `and`, or by `or`, is one list, which may have any number of members. Other parts may
/// be nested [`MAX_DEPTH`] levels deep.
///
/// ```
/// use gdf_expr::{col, lit, when};
///
/// let revenue = col(0) * (lit(1) - col(1));
/// assert_eq!(revenue.to_string(), "#0 * (1 - #1)");
/// let bonus = when(revenue.clone().gt(1000), revenue / 10).otherwise(0);
/// assert_eq!(bonus.to_string(), "CASE WHEN #0 * (1 - #1) > 1000 THEN #0 * (1 - #1) / 10 ELSE 0 END");
/// ```
#[derive(Clone)]
pub struct Expr {
    kind: Arc<ExprKind>,
    depth: u32,
}

/// The outermost part of an expression.
#[non_exhaustive]
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ExprKind {
    /// The column at this position of the table.
    Column(usize),
    /// A value.
    Literal(Value),
    /// An operator of one operand.
    Unary(UnaryOperator, Expr),
    /// An operator of two operands. Conjunctions and disjunctions in three-valued logic are [`All`](Self::All) and
    /// [`Any`](Self::Any) instead: [`Expr::new`] makes lists of them.
    Binary(BinaryOperator, Expr, Expr),
    /// Whether all conditions are true, in three-valued logic. There are two or more conditions.
    All(Vec<Expr>),
    /// Whether at least one condition is true, in three-valued logic. There are two or more conditions.
    Any(Vec<Expr>),
    /// The value, converted to another type.
    Cast(Expr, DataType),
    /// Whether the value is null.
    IsNull(Expr),
    /// The value of the first branch whose condition is true. If no condition is true, the result is the last value.
    /// If the last value is absent, the result is null.
    Case {
        /// The branches. Each branch has a condition and a value.
        branches: Vec<(Expr, Expr)>,
        /// The value if no condition is true.
        otherwise: Option<Expr>,
    },
    /// The first value that is not null.
    Coalesce(Vec<Expr>),
    /// Whether the value lies between two other values. Both limits belong to the range.
    Between {
        /// The value that is compared.
        value: Expr,
        /// The lowest value of the range.
        low: Expr,
        /// The highest value of the range.
        high: Expr,
    },
    /// Whether the value equals a value of a list.
    IsIn {
        /// The value to look for.
        value: Expr,
        /// The values of the list.
        list: Vec<Value>,
    },
    /// Whether the values may be a row of a set of keys.
    IsKey {
        /// The values, one for each key column of the set.
        values: Vec<Expr>,
        /// The keys.
        set: KeySet,
    },
    /// A function of the arguments.
    Call(Function, Vec<Expr>),
}

impl ExprKind {
    pub(crate) fn children(&self) -> Vec<&Expr> {
        match self {
            ExprKind::Column(_) | ExprKind::Literal(_) => vec![],
            ExprKind::Unary(_, value) | ExprKind::Cast(value, _) | ExprKind::IsNull(value) => vec![value],
            ExprKind::IsIn { value, .. } => vec![value],
            ExprKind::Binary(_, lhs, rhs) => vec![lhs, rhs],
            ExprKind::Between { value, low, high } => vec![value, low, high],
            ExprKind::All(values)
            | ExprKind::Any(values)
            | ExprKind::Coalesce(values)
            | ExprKind::Call(_, values)
            | ExprKind::IsKey { values, .. } => values.iter().collect(),
            ExprKind::Case { branches, otherwise } => {
                branches.iter().flat_map(|(condition, value)| [condition, value]).chain(otherwise).collect()
            }
        }
    }

    fn into_children(self) -> Vec<Expr> {
        match self {
            ExprKind::Column(_) | ExprKind::Literal(_) => vec![],
            ExprKind::Unary(_, value) | ExprKind::Cast(value, _) | ExprKind::IsNull(value) => vec![value],
            ExprKind::IsIn { value, .. } => vec![value],
            ExprKind::Binary(_, lhs, rhs) => vec![lhs, rhs],
            ExprKind::Between { value, low, high } => vec![value, low, high],
            ExprKind::All(values)
            | ExprKind::Any(values)
            | ExprKind::Coalesce(values)
            | ExprKind::Call(_, values)
            | ExprKind::IsKey { values, .. } => values,
            ExprKind::Case { branches, otherwise } => {
                branches.into_iter().flat_map(|(condition, value)| [condition, value]).chain(otherwise).collect()
            }
        }
    }
}

/// Frees deep expressions without recursion, which could overflow the stack.
impl Drop for Expr {
    fn drop(&mut self) {
        if self.depth < 32 {
            return;
        }
        let leaf = || Arc::new(ExprKind::Column(0));
        let mut waiting = vec![std::mem::replace(&mut self.kind, leaf())];
        while let Some(kind) = waiting.pop() {
            if let Some(kind) = Arc::into_inner(kind) {
                for mut child in kind.into_children() {
                    child.depth = 0;
                    waiting.push(std::mem::replace(&mut child.kind, leaf()));
                }
            }
        }
    }
}

fn check_nesting(depth: usize) -> Result<()> {
    if depth <= MAX_DEPTH {
        return Ok(());
    }
    let (what, most) = ("the nesting depth of the expression", MAX_DEPTH as i128);
    Err(Error::beyond_limit(what, depth as i128, most).with_remedy("compute a part of it first"))
}

/// Returns the column at a position of the table.
pub fn col(position: usize) -> Expr {
    Expr::new(ExprKind::Column(position))
}

/// Returns a value that is the same for every row.
pub fn lit(value: impl Into<Value>) -> Expr {
    Expr::new(ExprKind::Literal(value.into()))
}

/// Begins a `CASE` with the value `value` for rows where `condition` is true. The methods of [`Case`] add more
/// branches, and the value of all other rows.
pub fn when(condition: impl Into<Expr>, value: impl Into<Expr>) -> Case {
    Case { branches: vec![(condition.into(), value.into())] }
}

/// Returns the first value that is not null.
pub fn coalesce<E: Into<Expr>>(values: impl IntoIterator<Item = E>) -> Expr {
    Expr::new(ExprKind::Coalesce(values.into_iter().map(Into::into).collect()))
}

/// Returns whether all conditions are true, in three-valued logic: [`Expr::and`] of any number of conditions. Without
/// conditions, the result is true.
///
/// ```
/// use gdf_expr::{all_of, col};
///
/// assert_eq!(all_of([col(0).gt(3), col(1).eq("a"), col(2).is_null()]).to_string(), "#0 > 3 AND #1 = 'a' AND #2 IS NULL");
/// ```
pub fn all_of(conditions: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::new(ExprKind::All(conditions.into_iter().collect()))
}

/// Returns whether at least one condition is true, in three-valued logic: [`Expr::or`] of any number of conditions.
/// Without conditions, the result is false.
///
/// ```
/// use gdf_expr::{any_of, col};
///
/// assert_eq!(any_of((0..3).map(|number| col(0).eq(number))).to_string(), "#0 = 0 OR #0 = 1 OR #0 = 2");
/// ```
pub fn any_of(conditions: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::new(ExprKind::Any(conditions.into_iter().collect()))
}

/// The branches of a `CASE`. The methods [`otherwise`](Self::otherwise) and [`end`](Self::end) make an expression
/// from the branches.
#[derive(Clone, Debug)]
#[must_use]
pub struct Case {
    branches: Vec<(Expr, Expr)>,
}

impl Case {
    /// Adds a branch for rows in which no earlier condition is true.
    pub fn when(mut self, condition: impl Into<Expr>, value: impl Into<Expr>) -> Case {
        self.branches.push((condition.into(), value.into()));
        self
    }

    /// Returns the expression. `value` is the value of rows in which no condition is true.
    pub fn otherwise(self, value: impl Into<Expr>) -> Expr {
        Expr::new(ExprKind::Case { branches: self.branches, otherwise: Some(value.into()) })
    }

    /// Returns the expression. Rows in which no condition is true are null.
    pub fn end(self) -> Expr {
        Expr::new(ExprKind::Case { branches: self.branches, otherwise: None })
    }
}

impl Expr {
    /// Returns the expression of this kind. Conjunctions and disjunctions become lists: `a AND (b AND c)` is
    /// [`ExprKind::All`] of three conditions. A list of one condition is this condition. A list without conditions is
    /// `TRUE` or `FALSE`.
    pub fn new(kind: ExprKind) -> Expr {
        match kind {
            ExprKind::Binary(BinaryOperator::NullLogicalAnd, lhs, rhs) => lists::joined(lhs, rhs, List::All),
            ExprKind::Binary(BinaryOperator::NullLogicalOr, lhs, rhs) => lists::joined(lhs, rhs, List::Any),
            ExprKind::All(members) => lists::list(members, List::All),
            ExprKind::Any(members) => lists::list(members, List::Any),
            kind => Expr::of_kind(kind),
        }
    }

    fn of_kind(kind: ExprKind) -> Expr {
        let depth = kind.children().iter().map(|child| child.depth).max().unwrap_or(0).saturating_add(1);
        Expr { kind: Arc::new(kind), depth }
    }

    /// Returns the outermost part of the expression.
    pub fn kind(&self) -> &ExprKind {
        &self.kind
    }

    /// Checks that the nesting is at most [`MAX_DEPTH`].
    pub(crate) fn check_depth(&self) -> Result<()> {
        check_nesting(self.depth as usize)
    }

    /// Returns the tree, which clones share.
    pub(crate) fn shared(&self) -> &Arc<ExprKind> {
        &self.kind
    }

    /// Returns the nesting depth of the expression. A column or a literal has depth 1.
    pub fn depth(&self) -> usize {
        self.depth as usize
    }

    /// Returns the address of the tree. Clones have the same address.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.kind) as usize
    }

    /// Applies an operator of one operand.
    #[must_use]
    pub fn unary(self, op: UnaryOperator) -> Expr {
        Expr::new(ExprKind::Unary(op, self))
    }

    /// Applies an operator of two operands.
    #[must_use]
    pub fn binary(self, op: BinaryOperator, rhs: impl Into<Expr>) -> Expr {
        Expr::new(ExprKind::Binary(op, self, rhs.into()))
    }

    /// Calls a function with the given arguments.
    pub fn call(function: Function, arguments: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::new(ExprKind::Call(function, arguments.into_iter().collect()))
    }

    /// Returns whether `values` may be a row of a set of keys. The result is true for every row of the set. For other
    /// rows, the result is false or, for some sets, rarely true. The result is null if a value is null.
    pub fn is_key(values: impl IntoIterator<Item = Expr>, set: &KeySet) -> Expr {
        Expr::new(ExprKind::IsKey { values: values.into_iter().collect(), set: set.clone() })
    }

    fn of<const N: usize>(parts: [Expr; N], make: impl FnOnce([Expr; N]) -> ExprKind) -> Expr {
        Expr::new(make(parts))
    }

    fn function(self, function: Function, further: Vec<Expr>) -> Expr {
        Expr::call(function, std::iter::once(self).chain(further))
    }

    crate::builder_methods!();
    crate::function_table!(crate::all_function_methods);
}

crate::builder_operators!();

#[cfg(feature = "serde")]
impl serde::Serialize for Expr {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        // Serialization is recursive, and a deeper expression could overflow the stack.
        if let Err(error) = self.check_depth() {
            return Err(serde::ser::Error::custom(error));
        }
        self.kind.serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Expr {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        // Deserialization is recursive, too, and a format need not limit the nesting.
        let nested = Nested::enter().map_err(serde::de::Error::custom)?;
        let expression = ExprKind::deserialize(deserializer).map(Expr::new);
        drop(nested);
        expression
    }
}

/// A call of `deserialize` that has not returned. The value counts these calls for each thread.
#[cfg(feature = "serde")]
struct Nested;

#[cfg(feature = "serde")]
thread_local! {
    static NESTED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(feature = "serde")]
impl Nested {
    fn enter() -> Result<Nested> {
        let depth = NESTED.get() + 1;
        check_nesting(depth)?;
        NESTED.set(depth);
        Ok(Nested)
    }
}

#[cfg(feature = "serde")]
impl Drop for Nested {
    fn drop(&mut self) {
        NESTED.set(NESTED.get() - 1);
    }
}
