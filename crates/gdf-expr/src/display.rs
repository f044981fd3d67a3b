//! Writes expressions as text that reads like SQL. Columns are written as `#0`, `#1` and so on, unless the caller
//! gives names.

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Write};

use crate::expr::{Expr, ExprKind};
use crate::function::Function;
use crate::graph::{Graph, NodeId, Operation};
use crate::operators::{BinaryOperator, Notation, UnaryOperator};

/// The largest number of bytes of the text of an expression. A shared part is written at each of its places, so a text
/// can be much longer than the expression.
const MAX_BYTES: usize = 4096;

/// The precedences of expressions that are not operators of two operands.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARISON: u8 = 4;
const NEGATIVE: u8 = 9;

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_limited(f, self, &[])
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expr({self})")
    }
}

impl Expr {
    /// Returns a value that displays the expression. A column is displayed with the name at its position in `names`.
    ///
    /// ```
    /// use gdf_expr::{col, lit};
    ///
    /// let expression = col(0).gt(3).and(!col(1).is_null());
    /// assert_eq!(expression.display_with(&["price"]).to_string(), "price > 3 AND #1 IS NOT NULL");
    /// ```
    pub fn display_with<'a>(&'a self, names: &'a [&'a str]) -> impl fmt::Display + 'a {
        struct Named<'a>(&'a Expr, &'a [&'a str]);
        impl fmt::Display for Named<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write_limited(f, self.0, self.1)
            }
        }
        Named(self, names)
    }
}

impl Graph {
    /// Returns the expression that a node computes, with the casts and simplifications of binding.
    pub fn expression(&self, id: NodeId) -> Expr {
        let nodes = self.reachable(&[id]);
        let is_read = self.read_outside_lists(&nodes, id);
        let mut known: HashMap<NodeId, Expr> = HashMap::new();
        for id in nodes {
            if !is_read.contains(&id) {
                continue;
            }
            let node = self.node(id);
            let mut arguments = node.arguments.iter().map(|argument| known[argument].clone());
            let mut next = || arguments.next().unwrap_or_else(|| crate::expr::col(0));
            let members = |op| self.terms(id, op).iter().map(|member| known[member].clone()).collect();
            let kind = match &node.operation {
                Operation::Column(position) => ExprKind::Column(*position),
                Operation::Literal(value) => ExprKind::Literal(value.clone()),
                Operation::Unary(op) => ExprKind::Unary(*op, next()),
                Operation::Binary(op @ BinaryOperator::NullLogicalAnd) => ExprKind::All(members(*op)),
                Operation::Binary(op @ BinaryOperator::NullLogicalOr) => ExprKind::Any(members(*op)),
                Operation::Binary(op) => ExprKind::Binary(*op, next(), next()),
                Operation::Cast => ExprKind::Cast(next(), node.data_type.clone()),
                Operation::IsNull => ExprKind::IsNull(next()),
                Operation::IsIn(list) => ExprKind::IsIn { value: next(), list: list.to_vec() },
                Operation::IsKey(set) => ExprKind::IsKey { values: arguments.collect(), set: set.clone() },
                Operation::Coalesce => ExprKind::Coalesce(arguments.collect()),
                Operation::Call(function) => ExprKind::Call(*function, arguments.collect()),
                Operation::Case => {
                    let branches = (0..node.arguments.len() / 2).map(|_| (next(), next())).collect();
                    ExprKind::Case { branches, otherwise: Some(next()) }
                }
            };
            known.insert(id, Expr::new(kind));
        }
        known.remove(&id).unwrap_or_else(|| crate::expr::col(0))
    }

    /// Returns the root, and the nodes that others read than a longer list of the same kind.
    fn read_outside_lists(&self, nodes: &[NodeId], root: NodeId) -> HashSet<NodeId> {
        let list = |id: NodeId| match self.node(id).operation {
            Operation::Binary(op @ (BinaryOperator::NullLogicalAnd | BinaryOperator::NullLogicalOr)) => Some(op),
            _ => None,
        };
        let mut read = HashSet::from([root]);
        for id in nodes {
            let own = list(*id);
            read.extend(self.node(*id).arguments.iter().filter(|argument| own.is_none() || list(**argument) != own));
        }
        read
    }

    /// Returns the text of a node's expression.
    pub fn text(&self, id: NodeId) -> String {
        self.expression(id).to_string()
    }
}

/// A writer that returns an error if a text would exceed the limit.
struct Limited<'a, 'f> {
    f: &'a mut fmt::Formatter<'f>,
    left: usize,
}

impl Write for Limited<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.left = self.left.checked_sub(text.len()).ok_or(fmt::Error)?;
        self.f.write_str(text)
    }
}

fn write_limited(f: &mut fmt::Formatter<'_>, expression: &Expr, names: &[&str]) -> fmt::Result {
    let mut limited = Limited { f, left: MAX_BYTES };
    let is_deep = expression.check_depth().is_err();
    match if is_deep { Err(fmt::Error) } else { write_expression(&mut limited, expression, names, 0) } {
        Ok(()) => Ok(()),
        Err(fmt::Error) => f.write_str("…"),
    }
}

/// Returns the precedence of the outermost part, which is 10 for a part that never needs parentheses.
fn precedence(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Unary(UnaryOperator::Not, value) if matches!(value.kind(), ExprKind::IsNull(_)) => COMPARISON,
        ExprKind::Unary(UnaryOperator::Not, _) => NOT,
        ExprKind::Unary(UnaryOperator::Negate, _) => NEGATIVE,
        ExprKind::Binary(op, ..) => match op.notation() {
            Notation::Infix { precedence, .. } => precedence,
            Notation::Call(_) => 10,
        },
        ExprKind::All(_) => AND,
        ExprKind::Any(_) => OR,
        ExprKind::IsNull(_) | ExprKind::Between { .. } | ExprKind::IsIn { .. } | ExprKind::IsKey { .. } => COMPARISON,
        ExprKind::Call(Function::Like, _) => COMPARISON,
        _ => 10,
    }
}

/// Writes the expression, in parentheses if its precedence is below `min`.
fn write_expression(f: &mut dyn Write, expression: &Expr, names: &[&str], min: u8) -> fmt::Result {
    let kind = expression.kind();
    let own = precedence(kind);
    if own < min {
        f.write_char('(')?;
        write_expression(f, expression, names, 0)?;
        return f.write_char(')');
    }
    let list = |f: &mut dyn Write, name: &str, arguments: &[&Expr]| {
        write!(f, "{name}(")?;
        for (at, argument) in arguments.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { ", " })?;
            write_expression(f, argument, names, 0)?;
        }
        f.write_char(')')
    };
    match kind {
        ExprKind::Column(position) => match names.get(*position) {
            Some(name) => f.write_str(name),
            None => write!(f, "#{position}"),
        },
        ExprKind::Literal(value) => write!(f, "{value}"),
        ExprKind::Unary(UnaryOperator::Not, value) => match value.kind() {
            ExprKind::IsNull(value) => {
                write_expression(f, value, names, COMPARISON + 1)?;
                f.write_str(" IS NOT NULL")
            }
            _ => {
                f.write_str("NOT ")?;
                write_expression(f, value, names, NOT)
            }
        },
        ExprKind::Unary(UnaryOperator::Negate, value) => {
            f.write_char('-')?;
            write_expression(f, value, names, NEGATIVE + 1)
        }
        ExprKind::Unary(op, value) => list(f, op.row(), &[value]),
        ExprKind::Binary(op, lhs, rhs) => match op.notation() {
            Notation::Infix { symbol, precedence } => {
                // Operators are left-associative, except comparisons, whose left operand needs parentheses, too.
                let left = if op.is_comparison() { precedence + 1 } else { precedence };
                write_expression(f, lhs, names, left)?;
                write!(f, " {symbol} ")?;
                write_expression(f, rhs, names, precedence + 1)
            }
            Notation::Call(name) => list(f, name, &[lhs, rhs]),
        },
        ExprKind::All(members) | ExprKind::Any(members) => {
            let separator = if own == AND { " AND " } else { " OR " };
            for (at, member) in members.iter().enumerate() {
                f.write_str(if at == 0 { "" } else { separator })?;
                // Only the first member may be a list of the same kind without parentheses.
                write_expression(f, member, names, if at == 0 { own } else { own + 1 })?;
            }
            Ok(())
        }
        ExprKind::Cast(value, data_type) => {
            f.write_str("CAST(")?;
            write_expression(f, value, names, 0)?;
            write!(f, " AS {data_type})")
        }
        ExprKind::IsNull(value) => {
            write_expression(f, value, names, COMPARISON + 1)?;
            f.write_str(" IS NULL")
        }
        ExprKind::Case { branches, otherwise } => {
            f.write_str("CASE")?;
            for (condition, value) in branches {
                f.write_str(" WHEN ")?;
                write_expression(f, condition, names, 0)?;
                f.write_str(" THEN ")?;
                write_expression(f, value, names, 0)?;
            }
            if let Some(otherwise) = otherwise {
                f.write_str(" ELSE ")?;
                write_expression(f, otherwise, names, 0)?;
            }
            f.write_str(" END")
        }
        ExprKind::Coalesce(values) => list(f, "COALESCE", &values.iter().collect::<Vec<_>>()),
        ExprKind::Between { value, low, high } => {
            write_expression(f, value, names, COMPARISON + 1)?;
            f.write_str(" BETWEEN ")?;
            write_expression(f, low, names, COMPARISON + 1)?;
            f.write_str(" AND ")?;
            write_expression(f, high, names, COMPARISON + 1)
        }
        ExprKind::IsIn { value, list } => {
            write_expression(f, value, names, COMPARISON + 1)?;
            f.write_str(" IN (")?;
            for (at, element) in list.iter().enumerate() {
                write!(f, "{}{element}", if at == 0 { "" } else { ", " })?;
            }
            f.write_char(')')
        }
        ExprKind::IsKey { values, set } => {
            match values.as_slice() {
                [value] => write_expression(f, value, names, COMPARISON + 1)?,
                values => list(f, "", &values.iter().collect::<Vec<_>>())?,
            }
            write!(f, " IN ({set})")
        }
        ExprKind::Call(Function::Extract(component), arguments) => {
            write!(f, "EXTRACT({} FROM ", component.sql_name())?;
            arguments.iter().try_for_each(|argument| write_expression(f, argument, names, 0))?;
            f.write_char(')')
        }
        ExprKind::Call(Function::Like, arguments) if arguments.len() == 2 => {
            write_expression(f, &arguments[0], names, COMPARISON + 1)?;
            f.write_str(" LIKE ")?;
            write_expression(f, &arguments[1], names, COMPARISON + 1)
        }
        ExprKind::Call(function, arguments) => list(f, function.name(), &arguments.iter().collect::<Vec<_>>()),
    }
}
