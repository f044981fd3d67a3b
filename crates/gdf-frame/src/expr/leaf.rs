//! The leaves of expressions. The values of the leaves are computed before the operators and functions of the
//! expression.

use std::fmt;
use std::sync::Arc;

use super::{Aggregation, Expr, WindowFunction};
use crate::names::Quoted;
use crate::selector::Selector;

/// A part of an expression that is more than a single column of the row.
#[derive(Clone)]
pub(crate) enum Leaf {
    Column(Arc<str>),
    /// Several columns. The expression is repeated for each of these columns.
    Columns(Arc<Selector>),
    /// An aggregation of the rows, or of the rows of a group.
    Aggregate(Arc<Aggregate>),
    /// A value of each row that depends on the rows of its partition.
    Window(Arc<Window>),
    /// A function of the elements of lists.
    Elements(Arc<Elements>),
    /// The element of a list, in the expression of [`Elements`].
    Element,
}

pub(crate) struct Aggregate {
    pub(crate) function: Aggregation,
    /// The values. `None` if the aggregation only counts rows.
    pub(crate) values: Option<Expr>,
}

/// A window function: a value for each row that depends on the rows of its partition. A partition consists of the rows
/// with equal keys. If there are no keys, all rows are one partition.
pub(crate) struct Window {
    pub(crate) function: WindowFunction,
    /// The values. `None` if the function only counts rows.
    pub(crate) values: Option<Expr>,
    pub(crate) keys: Vec<Expr>,
}

/// Lists, and an expression that is evaluated for each of their elements.
pub(crate) struct Elements {
    pub(crate) function: ElementFunction,
    pub(crate) lists: Expr,
    /// The expression over [`Leaf::Element`] and the columns of the row.
    pub(crate) body: Expr,
}

/// How deeply the aggregations, window functions and functions of elements of an expression are nested, and their
/// number. A shared function counts at each of its places.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Nesting {
    depth: u32,
    count: u32,
}

impl Nesting {
    const DEEPEST: u32 = 32;
    const MOST: u32 = 4096;
    /// The nesting of an expression that exceeds a limit, and of every larger expression.
    pub(super) const TOO_DEEP: Nesting = Nesting { depth: Self::DEEPEST + 1, count: Self::MOST + 1 };

    /// Returns the nesting of an expression with these leaves, or `None` if the nesting exceeds a limit.
    pub(super) fn of(leaves: &[Leaf]) -> Option<Nesting> {
        let mut all = Nesting::default();
        for leaf in leaves {
            let mut add = |parts: &mut dyn Iterator<Item = &Expr>| {
                let mut own = Nesting { depth: 0, count: 1 };
                for Nesting { depth, count } in parts.map(|part| part.nesting) {
                    own = Nesting { depth: own.depth.max(depth), count: own.count + count };
                    if own.count > Nesting::MOST {
                        break;
                    }
                }
                all = Nesting { depth: all.depth.max(own.depth + 1), count: all.count + own.count };
            };
            match leaf {
                Leaf::Column(_) | Leaf::Columns(_) | Leaf::Element => {}
                Leaf::Aggregate(of) => add(&mut of.values.iter()),
                Leaf::Window(of) => add(&mut of.values.iter().chain(&of.keys)),
                Leaf::Elements(of) => add(&mut [&of.lists, &of.body].into_iter()),
            }
            if all.depth > Nesting::DEEPEST || all.count > Nesting::MOST {
                return None;
            }
        }
        Some(all)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ElementFunction {
    /// Replaces each element by the value of the expression.
    Transform,
    /// Keeps the elements for which the expression is true.
    Filter,
    /// Aggregates the values of the expression.
    Aggregate(Aggregation),
}

impl Leaf {
    pub(crate) fn aggregate(&self) -> Option<&Arc<Aggregate>> {
        match self {
            Leaf::Aggregate(aggregate) => Some(aggregate),
            _ => None,
        }
    }

    pub(crate) fn window(&self) -> Option<&Arc<Window>> {
        match self {
            Leaf::Window(window) => Some(window),
            _ => None,
        }
    }

    /// Returns the function of elements if the leaf is a function of elements.
    pub(crate) fn elements(&self) -> Option<&Arc<Elements>> {
        match self {
            Leaf::Elements(elements) => Some(elements),
            _ => None,
        }
    }

    /// Returns whether the leaf is an aggregation, or a function of elements that contains an aggregation.
    pub(crate) fn has_aggregate(&self) -> bool {
        match self {
            Leaf::Aggregate(_) => true,
            Leaf::Elements(of) => of.lists.leaves().iter().chain(of.body.leaves()).any(Leaf::has_aggregate),
            _ => false,
        }
    }

    /// Returns the name of the result of an expression whose first leaf is this leaf.
    pub(crate) fn name(&self) -> Arc<str> {
        match self {
            Leaf::Column(name) => name.clone(),
            Leaf::Columns(_) => Arc::from("columns"),
            Leaf::Aggregate(aggregate) => match &aggregate.values {
                Some(values) => values.name(),
                None => Arc::from("len"),
            },
            Leaf::Window(window) => window.values.as_ref().map_or_else(|| Arc::from("len"), Expr::name),
            Leaf::Elements(elements) => elements.lists.name(),
            Leaf::Element => Arc::from("element"),
        }
    }
}

impl Elements {
    /// Returns the leaves of the expression other than the element.
    pub(crate) fn other_leaves(&self) -> impl Iterator<Item = &Leaf> + Clone {
        self.body.leaves().iter().filter(|leaf| !matches!(leaf, Leaf::Element))
    }
}

impl PartialEq for Elements {
    fn eq(&self, other: &Elements) -> bool {
        self.function == other.function && self.lists.same(&other.lists) && self.body.same(&other.body)
    }
}

impl fmt::Display for Elements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Elements { lists, body, .. } = self;
        match self.function {
            ElementFunction::Transform => write!(f, "list_transform({lists}, {body})"),
            ElementFunction::Filter => write!(f, "list_filter({lists}, {body})"),
            ElementFunction::Aggregate(aggregation) => {
                write!(f, "list_aggregate({lists}, ")?;
                aggregation.write(f, Some(body))?;
                f.write_str(")")
            }
        }
    }
}

impl Expr {
    /// Aggregates the values of the expression.
    pub fn aggregate(self, function: Aggregation) -> Expr {
        let alias = self.alias_name().cloned();
        let aggregated = Expr::leaf(Leaf::Aggregate(Arc::new(Aggregate { function, values: Some(self) })));
        alias.map_or(aggregated.clone(), |alias| aggregated.alias(alias))
    }
}

impl PartialEq for Leaf {
    fn eq(&self, other: &Leaf) -> bool {
        match (self, other) {
            (Leaf::Column(a), Leaf::Column(b)) => a == b,
            (Leaf::Columns(a), Leaf::Columns(b)) => Arc::ptr_eq(a, b),
            (Leaf::Aggregate(a), Leaf::Aggregate(b)) => Arc::ptr_eq(a, b) || a == b,
            (Leaf::Window(a), Leaf::Window(b)) => Arc::ptr_eq(a, b) || a == b,
            (Leaf::Elements(a), Leaf::Elements(b)) => Arc::ptr_eq(a, b) || a == b,
            (Leaf::Element, Leaf::Element) => true,
            _ => false,
        }
    }
}

impl PartialEq for Aggregate {
    fn eq(&self, other: &Aggregate) -> bool {
        self.function == other.function && same(self.values.as_slice(), other.values.as_slice())
    }
}

impl PartialEq for Window {
    fn eq(&self, other: &Window) -> bool {
        self.function == other.function
            && same(self.values.as_slice(), other.values.as_slice())
            && same(&self.keys, &other.keys)
    }
}

/// Returns the distinct leaves that `pick` accepts, in the order of their first occurrence.
pub(crate) fn distinct_leaves<'e, T: PartialEq + 'e>(
    expressions: impl IntoIterator<Item = &'e Expr>,
    pick: fn(&Leaf) -> Option<&Arc<T>>,
) -> Vec<Arc<T>> {
    let mut found: Vec<Arc<T>> = Vec::new();
    for leaf in expressions.into_iter().flat_map(Expr::leaves).filter_map(pick) {
        if !found.contains(leaf) {
            found.push(leaf.clone());
        }
    }
    found
}

pub(crate) fn same(a: &[Expr], b: &[Expr]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
}

impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Leaf::Column(name) => Quoted(name).fmt(f),
            Leaf::Columns(selector) => selector.fmt(f),
            Leaf::Aggregate(aggregate) => aggregate.function.write(f, aggregate.values.as_ref()),
            Leaf::Elements(elements) => elements.fmt(f),
            Leaf::Element => f.write_str("element()"),
            Leaf::Window(window) => {
                window.function.write(f, window.values.as_ref())?;
                f.write_str(" OVER (")?;
                for (at, key) in window.keys.iter().enumerate() {
                    write!(f, "{}{key}", if at == 0 { "PARTITION BY " } else { ", " })?;
                }
                f.write_str(")")
            }
        }
    }
}
