//! Conditions on rows, as expressions over columns with names.

use gdf_expr::Expr;

/// An expression whose columns are positions in a list of names.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    names: Vec<String>,
    expression: Expr,
}

impl Condition {
    pub(crate) fn new(names: Vec<String>, expression: Expr) -> Condition {
        Condition { names, expression }
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn expression(&self) -> &Expr {
        &self.expression
    }

    /// Returns the names of the columns that the condition reads.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &str> {
        self.expression.columns().into_iter().filter_map(|position| self.names.get(position).map(String::as_str))
    }
}
