//! The arguments that verbs accept in place of an expression: names of columns, selectors, and sort orders.

use std::sync::Arc;

use gdf_core::{Error, Result};

use super::{Aggregate, Elements, Expr, Leaf, Window, col};
use crate::selector::Selector;

/// A column, an expression or several columns, as an argument of a verb: `"name"`, `col("price") * 2`, `all()`.
///
/// As an argument of a verb, text is the name of a column. Within an expression, text is a value, as in
/// `col("city").eq("Lyon")`.
#[derive(Clone, Debug)]
pub struct Output(pub(crate) Expr);

impl From<Expr> for Output {
    fn from(expression: Expr) -> Output {
        Output(expression)
    }
}

impl From<&Expr> for Output {
    fn from(expression: &Expr) -> Output {
        Output(expression.clone())
    }
}

impl From<Selector> for Output {
    fn from(selector: Selector) -> Output {
        Output(selector.into())
    }
}

macro_rules! names {
    ($($Name:ty),*) => {$(
        impl From<$Name> for Output {
            fn from(name: $Name) -> Output {
                let name: &str = name.as_ref();
                Output(col(name))
            }
        }

        impl From<$Name> for SortBy {
            fn from(name: $Name) -> SortBy {
                Output::from(name).0.asc()
            }
        }
    )*};
}

names!(&str, String, &String);

/// A key of a sort: values, the order of the values, and the position of nulls.
#[derive(Clone, Debug)]
#[must_use]
pub struct SortBy {
    pub(crate) values: Expr,
    pub(crate) descending: bool,
    pub(crate) nulls_first: bool,
}

impl SortBy {
    /// Places nulls before all values.
    pub fn nulls_first(self) -> SortBy {
        SortBy { nulls_first: true, ..self }
    }

    /// Places nulls after all values. This is the default in both orders.
    pub fn nulls_last(self) -> SortBy {
        SortBy { nulls_first: false, ..self }
    }
}

impl From<Expr> for SortBy {
    fn from(expression: Expr) -> SortBy {
        expression.asc()
    }
}

impl Expr {
    /// Returns a key of a sort from the smallest to the largest value. Nulls come last.
    pub fn asc(self) -> SortBy {
        SortBy { values: self, descending: false, nulls_first: false }
    }

    /// Returns a key of a sort from the largest to the smallest value. Nulls come last.
    pub fn desc(self) -> SortBy {
        SortBy { values: self, descending: true, nulls_first: false }
    }
}

pub(crate) fn exprs(outputs: impl IntoIterator<Item = impl Into<Output>>) -> Vec<Expr> {
    outputs.into_iter().map(|output| output.into().0).collect()
}

impl Expr {
    /// Adds the expression to a list: once, or once for each column that its selectors select.
    ///
    /// # Errors
    /// * The errors of `names`, which returns the names of the columns of a selector.
    /// * [`InvalidArgument`](Error::InvalidArgument): two selectors select different numbers of columns.
    pub(crate) fn expand(&self, to: &mut Vec<Expr>, names: &dyn Fn(&Selector) -> Result<Vec<Arc<str>>>) -> Result<()> {
        let mut parts = Vec::with_capacity(self.leaves().len());
        for leaf in self.leaves() {
            parts.push(leaf.expanded(names)?);
        }
        let mut counts = parts.iter().flatten().map(Vec::len);
        let Some(count) = counts.next() else {
            to.push(self.clone());
            return Ok(());
        };
        if counts.any(|other| other != count) {
            return Err(Error::invalid_argument(
                "the selectors of an expression select different numbers of columns; select equally many columns with \
                 each selector",
            ));
        }
        to.extend((0..count).map(|at| {
            let leaf = |(leaf, part): (&Leaf, &Option<Vec<Leaf>>)| {
                part.as_ref().map_or_else(|| leaf.clone(), |columns| columns[at].clone())
            };
            self.with_leaves(self.leaves().iter().zip(&parts).map(leaf).collect())
        }));
        Ok(())
    }
}

impl Leaf {
    /// Returns the leaves that replace a leaf with a selector, or `None` for a leaf without a selector.
    fn expanded(&self, names: &dyn Fn(&Selector) -> Result<Vec<Arc<str>>>) -> Result<Option<Vec<Leaf>>> {
        let all = |expression: &Expr| {
            let mut expanded = Vec::new();
            expression.expand(&mut expanded, names).map(|()| expanded)
        };
        Ok(match self {
            Leaf::Column(_) | Leaf::Element => None,
            Leaf::Elements(of) if of.lists.has_selector() => {
                let with = |lists| Elements { function: of.function, lists, body: of.body.clone() };
                Some(all(&of.lists)?.into_iter().map(|lists| Leaf::Elements(Arc::new(with(lists)))).collect())
            }
            Leaf::Elements(_) => None,
            Leaf::Columns(selector) => Some(names(selector)?.into_iter().map(Leaf::Column).collect()),
            Leaf::Aggregate(aggregate) => match &aggregate.values {
                Some(values) if values.has_selector() => {
                    let of = |values| Aggregate { function: aggregate.function, values: Some(values) };
                    Some(all(values)?.into_iter().map(|values| Leaf::Aggregate(Arc::new(of(values)))).collect())
                }
                _ => None,
            },
            Leaf::Window(window) => match &window.values {
                Some(values) if values.has_selector() => {
                    let of =
                        |values| Window { function: window.function, values: Some(values), keys: window.keys.clone() };
                    Some(all(values)?.into_iter().map(|values| Leaf::Window(Arc::new(of(values)))).collect())
                }
                _ => None,
            },
        })
    }
}

impl Expr {
    pub(crate) fn has_selector(&self) -> bool {
        self.leaves().iter().any(|leaf| match leaf {
            Leaf::Column(_) | Leaf::Element => false,
            Leaf::Columns(_) => true,
            Leaf::Elements(of) => of.lists.has_selector(),
            Leaf::Aggregate(aggregate) => aggregate.values.as_ref().is_some_and(Expr::has_selector),
            Leaf::Window(window) => window.values.as_ref().is_some_and(Expr::has_selector),
        })
    }
}

impl Selector {
    /// Returns the selector as an expression. A computation on this expression is made for each of the selected
    /// columns.
    pub fn as_expr(self) -> Expr {
        self.into()
    }
}
