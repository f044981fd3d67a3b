//! Converts expressions over names to expressions over the source of rows. Aggregations, window functions and functions
//! of elements are computed before.

use std::sync::Arc;

use gdf_core::Result;

use super::rows::{col, literals};
use super::{Rows, aggregate, elements, window};
use crate::expr::{Aggregate, Expr, Leaf, distinct_leaves};

impl Rows {
    /// Converts expressions over names to expressions over the source. Aggregations of all rows become literals. Window
    /// functions and functions of the elements of lists become columns of the source.
    ///
    /// # Errors
    /// * [`NameNotFound`](Error::NameNotFound): no column has a name that an expression contains.
    /// * The errors of the aggregations and of the window functions.
    pub(crate) fn resolve_all<'e>(
        &mut self,
        expressions: impl Iterator<Item = &'e Expr> + Clone,
    ) -> Result<Vec<gdf_expr::Expr>> {
        let mut leaves = expressions.clone().flat_map(Expr::leaves);
        if leaves.all(|leaf| matches!(leaf, Leaf::Column(_))) {
            return expressions.map(|expression| self.resolve(expression, &[])).collect();
        }
        let mut computed = self.aggregated(distinct_leaves(expressions.clone(), Leaf::aggregate))?;
        // Conditions are applied before window functions and functions of elements become columns of the source.
        // Computing the rows later would change the positions of these columns.
        let mut windows = distinct_leaves(expressions.clone(), Leaf::window);
        windows.retain(|window| !computed.iter().any(|(known, _)| known.window() == Some(window)));
        let mut elements = distinct_leaves(expressions.clone(), Leaf::elements);
        elements.retain(|of| !computed.iter().any(|(known, _)| known.elements() == Some(of)));
        if self.is_filtered() && !(windows.is_empty() && elements.is_empty()) {
            self.compute()?;
        }
        for (of, column) in window::values(self, windows)? {
            computed.push((Leaf::Window(of), col(self.add_column(column)?)));
        }
        for of in elements {
            let column = elements::values(self, &of)?;
            computed.push((Leaf::Elements(of), col(self.add_column(column)?)));
        }
        expressions.map(|expression| self.resolve(expression, &computed)).collect()
    }

    fn aggregated(&mut self, mut aggregates: Vec<Arc<Aggregate>>) -> Result<Vec<(Leaf, gdf_expr::Expr)>> {
        let mut computed = self.known.clone();
        aggregates.retain(|aggregate| !computed.iter().any(|(known, _)| known.aggregate() == Some(aggregate)));
        if !aggregates.is_empty() {
            let results = aggregate::groups(self, &[], &aggregates, false)?;
            computed.extend(literals(aggregates, results.table())?);
        }
        Ok(computed)
    }
}
