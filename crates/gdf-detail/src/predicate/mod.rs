//! Conditions on several columns, joined by `and` and `or`, which `evaluate_predicate` evaluates in one pass.

mod cuda;
mod host;
mod keys;
mod of_graph;
mod plan;

use std::cell::RefCell;
use std::ops::Not;

use gdf_compute::binaryop::BinaryOperator;
use gdf_compute::binaryop::binary_operation;
use gdf_core::{Column, ColumnView, DataType, Error, Literal, Operand, Result};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::decoded::Decoded;
use gdf_expr::types::temporal::exact_comparison;

pub(crate) use self::keys::is_key;
pub(crate) use self::of_graph::{of_condition, of_conditions};
use self::plan::{Plan, is_same};
use crate::Ctx;

/// A condition on the rows of columns: comparisons and tests, joined by [`and`](Self::and), [`or`](Self::or) and `!`.
///
/// A predicate borrows its columns and computes nothing. `gdf_api::predicate::evaluate_predicate` evaluates a
/// predicate. Each comparison accepts the same operands and gives the same results as [`binary_operation`]. If an
/// operand is NaN, only `ne` is true. If an operand is null, every comparison is null.
///
/// ```
/// # mod gdf { pub use gdf_core::{self as core, *}; pub use gdf_detail::*; }
/// use gdf::Column;
/// use gdf::predicate::Predicate;
///
/// let (age, city) = (Column::from_slice(&[31, 17, 65])?, Column::from_strs(["Oslo", "Bergen", "Oslo"])?);
/// let wanted = Predicate::between(&age, 18, 64).and(Predicate::is_in(&city, ["Oslo", "Bergen"]));
/// let others = !wanted;
/// # Ok::<(), gdf_core::Error>(())
/// ```
///
/// A chain of conditions joined by `and`, or by `or`, is one list. It may have any number of members. Lists of `or`
/// within lists of `and`, and the reverse, may be nested 64 levels deep. An evaluation refuses more levels.
#[derive(Clone, Debug)]
pub struct Predicate<'a> {
    node: Node<'a>,
    /// The number of lists and negations around the innermost test.
    depth: usize,
}

/// The largest number of nested lists and negations. A predicate that is nested more deeply keeps no conditions, so that
/// functions that visit conditions recursively need little stack.
const DEEPEST: usize = 64;

#[derive(Clone, Debug)]
enum Node<'a> {
    Compare {
        lhs: Operand<'a>,
        op: BinaryOperator,
        rhs: Operand<'a>,
    },
    StartsWith {
        column: ColumnView<'a>,
        prefix: &'a str,
    },
    /// The condition that the number of the column is a key of a set: the bit at the distance of the number from
    /// `first` is set.
    Key {
        column: ColumnView<'a>,
        first: i128,
        bits: ColumnView<'a>,
    },
    Valid(ColumnView<'a>),
    True(ColumnView<'a>),
    Never(ColumnView<'a>),
    Not(Box<Node<'a>>),
    /// The conjunction of one or more nodes.
    All(Vec<Node<'a>>),
    /// The disjunction of one or more nodes.
    Any(Vec<Node<'a>>),
    /// A predicate that was nested too deeply.
    TooDeep,
}

impl<'a> Predicate<'a> {
    fn compare(lhs: impl Into<Operand<'a>>, op: BinaryOperator, rhs: impl Into<Operand<'a>>) -> Self {
        let (op, [lhs, rhs]) = exact_comparison(op, [lhs.into(), rhs.into()]);
        Node::Compare { lhs, op, rhs }.into()
    }

    /// Returns the condition `lhs = rhs`.
    pub fn eq(lhs: impl Into<Operand<'a>>, rhs: impl Into<Operand<'a>>) -> Self {
        Self::compare(lhs, BinaryOperator::Equal, rhs)
    }

    /// Returns the condition `lhs <> rhs`.
    pub fn ne(lhs: impl Into<Operand<'a>>, rhs: impl Into<Operand<'a>>) -> Self {
        Self::compare(lhs, BinaryOperator::NotEqual, rhs)
    }

    /// Returns the condition `lhs < rhs`.
    pub fn lt(lhs: impl Into<Operand<'a>>, rhs: impl Into<Operand<'a>>) -> Self {
        Self::compare(lhs, BinaryOperator::Less, rhs)
    }

    /// Returns the condition `lhs <= rhs`.
    pub fn le(lhs: impl Into<Operand<'a>>, rhs: impl Into<Operand<'a>>) -> Self {
        Self::compare(lhs, BinaryOperator::LessEqual, rhs)
    }

    /// Returns the condition `lhs > rhs`.
    pub fn gt(lhs: impl Into<Operand<'a>>, rhs: impl Into<Operand<'a>>) -> Self {
        Self::compare(lhs, BinaryOperator::Greater, rhs)
    }

    /// Returns the condition `lhs >= rhs`.
    pub fn ge(lhs: impl Into<Operand<'a>>, rhs: impl Into<Operand<'a>>) -> Self {
        Self::compare(lhs, BinaryOperator::GreaterEqual, rhs)
    }

    /// Returns the condition `value >= low and value <= high`.
    pub fn between(value: impl Into<Operand<'a>>, low: impl Into<Operand<'a>>, high: impl Into<Operand<'a>>) -> Self {
        let value = value.into();
        Self::ge(value, low).and(Self::le(value, high))
    }

    /// Returns the condition that the value of the column equals one of `values`. If `values` is empty, the condition
    /// is false. For long lists, [`contains`](gdf_relational::search::contains) is faster.
    pub fn is_in<V: Into<Literal<'a>>>(column: impl Into<ColumnView<'a>>, values: impl IntoIterator<Item = V>) -> Self {
        let column = column.into();
        let equal = |value: V| {
            let operands = [Operand::Column(column), Operand::Literal(value.into())];
            let (op, [lhs, rhs]) = exact_comparison(BinaryOperator::Equal, operands);
            Node::Compare { lhs, op, rhs }
        };
        let equal: Vec<_> = values.into_iter().map(equal).collect();
        if equal.is_empty() { Node::Never(column).into() } else { Predicate { node: Node::Any(equal), depth: 1 } }
    }

    /// Returns the condition that the text begins with `prefix`.
    pub fn starts_with(column: impl Into<ColumnView<'a>>, prefix: &'a str) -> Self {
        Node::StartsWith { column: column.into(), prefix }.into()
    }

    /// Returns the condition that the row is null.
    pub fn is_null(column: impl Into<ColumnView<'a>>) -> Self {
        !Self::is_not_null(column)
    }

    /// Returns the condition that the row is not null.
    pub fn is_not_null(column: impl Into<ColumnView<'a>>) -> Self {
        Node::Valid(column.into()).into()
    }

    /// Returns the condition that the value of a boolean column is true. The column may be the result of any other
    /// operation.
    pub fn is_true(column: impl Into<ColumnView<'a>>) -> Self {
        Node::True(column.into()).into()
    }

    /// Returns the conjunction of two conditions. The result is false if a condition is false. Otherwise, the result is
    /// null if a condition is null.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.joined(other, true)
    }

    /// Returns the disjunction of two conditions. The result is true if a condition is true. Otherwise, the result is
    /// null if a condition is null.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.joined(other, false)
    }

    /// Joins two conditions. The members of a list of the same kind become members of the result. Their order does not
    /// matter, so the shorter list is appended, and a long chain takes linear time from either end.
    fn joined(self, other: Self, is_all: bool) -> Self {
        let (first, second) = (self.members(is_all), other.members(is_all));
        let depth = first.1.max(second.1) + 1;
        if depth > DEEPEST {
            return Predicate { node: Node::TooDeep, depth };
        }
        let (mut nodes, more) = if first.0.len() >= second.0.len() { (first.0, second.0) } else { (second.0, first.0) };
        nodes.extend(more);
        Predicate { node: list(is_all, nodes), depth }
    }

    /// Returns the members of a list of the same kind, or the condition itself, with the depth of the deepest member.
    fn members(self, is_all: bool) -> (Vec<Node<'a>>, usize) {
        match (self.node, is_all) {
            (Node::All(nodes), true) | (Node::Any(nodes), false) => (nodes, self.depth.saturating_sub(1)),
            (node, _) => (vec![node], self.depth),
        }
    }

    /// Returns the columns and scalars of the predicate.
    pub fn operands(&self) -> Vec<Operand<'a>> {
        let mut operands = Vec::new();
        self.node.visit(&mut |operand| operands.push(operand));
        operands
    }
}

impl Not for Predicate<'_> {
    type Output = Self;

    fn not(self) -> Self {
        let depth = self.depth + 1;
        match self.node {
            Node::Not(inner) => Predicate { node: *inner, depth: self.depth.saturating_sub(1) },
            _ if depth > DEEPEST => Predicate { node: Node::TooDeep, depth },
            node => Predicate { node: Node::Not(Box::new(node)), depth },
        }
    }
}

impl<'a> From<Node<'a>> for Predicate<'a> {
    fn from(node: Node<'a>) -> Self {
        Predicate { depth: node.levels(), node }
    }
}

impl<'a> Node<'a> {
    /// Returns the same condition, in which the column of each comparison, prefix test and test of keys is replaced by
    /// the result of `column`.
    fn with_columns<'b>(&self, column: &dyn Fn(ColumnView<'a>) -> ColumnView<'b>) -> Node<'b>
    where
        'a: 'b,
    {
        let operand = |operand: Operand<'a>| match operand {
            Operand::Column(view) => Operand::Column(column(view)),
            other => other,
        };
        let each = |nodes: &[Node<'a>]| nodes.iter().map(|node| node.with_columns(column)).collect();
        match self {
            Node::Compare { lhs, op, rhs } => Node::Compare { lhs: operand(*lhs), op: *op, rhs: operand(*rhs) },
            Node::StartsWith { column: view, prefix } => Node::StartsWith { column: column(*view), prefix },
            Node::Key { column: view, first, bits } => Node::Key { column: column(*view), first: *first, bits: *bits },
            Node::Valid(view) => Node::Valid(*view),
            Node::True(view) => Node::True(*view),
            Node::Never(view) => Node::Never(*view),
            Node::Not(inner) => Node::Not(Box::new(inner.with_columns(column))),
            Node::All(nodes) => Node::All(each(nodes)),
            Node::Any(nodes) => Node::Any(each(nodes)),
            Node::TooDeep => Node::TooDeep,
        }
    }

    /// Returns the number of lists and negations around the innermost test.
    fn levels(&self) -> usize {
        match self {
            Node::Not(inner) => inner.levels() + 1,
            Node::All(nodes) | Node::Any(nodes) => nodes.iter().map(Node::levels).max().unwrap_or(0) + 1,
            _ => 0,
        }
    }

    fn visit(&self, each: &mut dyn FnMut(Operand<'a>)) {
        match self {
            Node::Compare { lhs, rhs, .. } => [*lhs, *rhs].into_iter().for_each(each),
            Node::StartsWith { column, .. }
            | Node::Key { column, .. }
            | Node::Valid(column)
            | Node::True(column)
            | Node::Never(column) => each(Operand::Column(*column)),
            Node::Not(inner) => inner.visit(each),
            Node::All(nodes) | Node::Any(nodes) => nodes.iter().for_each(|node| node.visit(each)),
            Node::TooDeep => {}
        }
    }
}

/// Implements `gdf_api::predicate::evaluate_predicate` with the stream and the resources of `ctx`.
pub fn evaluate_predicate(predicate: &Predicate<'_>, ctx: Ctx<'_>) -> Result<Column> {
    if predicate.depth > DEEPEST {
        let rule = "lists of conditions may be nested 64 levels deep; join conditions of one kind, so that they form one \
                    list, or evaluate a part first and use `Predicate::is_true`";
        return Err(Error::invalid_argument(rule));
    }
    let columns: Vec<_> = predicate.operands();
    let columns = columns.iter().filter_map(|operand| match operand {
        Operand::Column(column) => Some(*column),
        _ => None,
    });
    let mut rows = None;
    // A list may name the same column many times.
    let mut last = None;
    for column in columns {
        if last.replace(column).is_some_and(|last| is_same(last, column)) {
            continue;
        }
        check::column(column, ctx)?;
        check::length(*rows.get_or_insert(column.len()), column.len())?;
    }
    let compared = RefCell::new(Vec::<ColumnView<'_>>::new());
    predicate.node.with_columns(&|column| {
        let is_known = compared.borrow().last().is_some_and(|last| is_same(*last, column));
        if !is_known {
            compared.borrow_mut().push(column);
        }
        column
    });
    let mut decoded: Vec<(ColumnView<'_>, Column)> = Vec::new();
    for column in compared.into_inner() {
        if decoded.iter().any(|(given, _)| is_same(*given, column)) {
            continue;
        }
        if let Decoded::Made(values) = Decoded::of(column, ctx.scratch())? {
            decoded.push((column, values));
        }
    }
    let rows =
        rows.ok_or_else(|| Error::invalid_argument("the predicate names no column; compare at least 1 column"))?;
    if decoded.is_empty() {
        return evaluate(&predicate.node, rows, ctx);
    }
    let values =
        |column| decoded.iter().find(|(given, _)| is_same(*given, column)).map_or(column, |(_, values)| values.view());
    evaluate(&predicate.node.with_columns(&values), rows, ctx)
}

fn evaluate(node: &Node<'_>, rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    let Some(plan) = Plan::new(node, ctx)? else { return in_parts(node, rows, ctx) };
    if rows == 0 {
        return Column::empty_on(&DataType::Boolean, ctx.stream.device());
    }
    match ctx.stream.device() {
        Device::Cpu => host::evaluate(&plan, rows, ctx),
        Device::Cuda(_) => cuda::evaluate(&plan, rows, ctx),
    }
}

/// Evaluates a predicate for which there is no [`Plan`], because a single pass cannot evaluate it. The function
/// evaluates each half of a list of conditions separately, and then combines the two results. It also evaluates the
/// operand of a negation separately.
fn in_parts(node: &Node<'_>, rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    let (nodes, is_all) = match node {
        Node::All(nodes) => (nodes, true),
        Node::Any(nodes) => (nodes, false),
        Node::Not(inner) => {
            let inner = evaluate(inner, rows, ctx.scratch())?;
            return evaluate(&Node::Not(Box::new(Node::True(inner.view()))), rows, ctx);
        }
        _ => return Err(Error::internal("a single test needs more than one pass")),
    };
    if let [only] = nodes.as_slice() {
        return evaluate(only, rows, ctx);
    }
    let (first, second) = nodes.split_at(nodes.len() / 2);
    let half = |nodes: &[Node<'_>]| evaluate(&list(is_all, nodes.to_vec()), rows, ctx.scratch());
    let (first, second) = (half(first)?, half(second)?);
    evaluate(&list(is_all, vec![Node::True(first.view()), Node::True(second.view())]), rows, ctx)
}

fn list(is_all: bool, nodes: Vec<Node<'_>>) -> Node<'_> {
    if is_all { Node::All(nodes) } else { Node::Any(nodes) }
}

/// Evaluates a comparison that cannot be a step of a [`Plan`], as a separate operation.
fn compared(lhs: Operand<'_>, op: BinaryOperator, rhs: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    binary_operation(lhs, rhs, op, &DataType::Boolean, ctx.scratch())
}

#[cfg(test)]
mod tests {
    use gdf_driver::{Device, Stream};

    use super::*;

    fn selected(predicate: &Predicate<'_>) -> Result<Vec<Option<bool>>> {
        let stream = Stream::cpu();
        let (resource, _) = gdf_core::scope::current_resources(Device::Cpu)?;
        evaluate_predicate(predicate, Ctx::new(&stream, resource.as_ref()))?.to_vec::<bool>()
    }

    #[test]
    fn long_chains_take_little_time_and_stack() -> Result<()> {
        let column = Column::from_options(&[Some(7), None, Some(-1), Some(99_999)])?;
        let many = || (0..100_000).map(|id| Predicate::eq(&column, id));
        let expected = [Some(true), None, Some(false), Some(true)];
        let left = many().reduce(Predicate::or).unwrap();
        let right = many().reduce(|all, next| next.or(all)).unwrap();
        assert_eq!([left.operands().len(), right.operands().len()], [200_000; 2]);
        drop((left.clone(), right.clone()));
        let few = || (0..1000).map(|id| Predicate::eq(&column, id)).chain([Predicate::eq(&column, 99_999)]);
        for chain in [few().reduce(Predicate::or).unwrap(), few().reduce(|all, next| next.or(all)).unwrap()] {
            assert_eq!(selected(&chain)?, expected);
            assert_eq!(selected(&!!chain)?, expected);
        }
        let both = few().map(|one| !one).reduce(Predicate::and).unwrap();
        assert_eq!(selected(&both)?, [Some(false), None, Some(true), Some(false)]);
        Ok(())
    }

    #[test]
    fn columns_have_the_same_number_of_rows() -> Result<()> {
        let (long, short) = (Column::from_slice(&[1, 2, 3])?, Column::from_slice(&[1])?);
        let both = Predicate::gt(&long, 0).and(Predicate::gt(&short, 0));
        assert!(selected(&both).is_err());
        assert!(selected(&Predicate::gt(&long, 0).or(Predicate::is_null(&short))).is_err());
        Ok(())
    }

    #[test]
    fn deep_conditions_are_evaluated_or_refused() -> Result<()> {
        let column = Column::from_slice(&[1, 2])?;
        let nested = |depth: usize| {
            (0..depth).fold(Predicate::eq(&column, 1), |all, at| match at % 3 {
                0 => all.and(Predicate::gt(&column, 0)),
                1 => all.or(Predicate::lt(&column, 0)),
                _ => !(all.and(Predicate::gt(&column, 0)).or(Predicate::lt(&column, 0))),
            })
        };
        assert_eq!(selected(&nested(3))?, [Some(false), Some(true)]);
        assert_eq!(selected(&nested(36))?.len(), 2);
        let error = selected(&nested(100_000)).unwrap_err();
        assert!(error.to_string().contains("64 levels"), "{error}");
        let negated = (0..100_000).fold(Predicate::eq(&column, 1), |all, _| !all);
        assert_eq!(selected(&negated)?, [Some(true), Some(false)]);
        Ok(())
    }
}
