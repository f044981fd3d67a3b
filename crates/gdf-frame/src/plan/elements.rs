//! Functions that evaluate an expression for each element of lists.

use std::sync::Arc;

use gdf_api::lists::{aggregate_elements, filter_elements, transform_elements};
use gdf_api::reduction::NullPolicy;
use gdf_core::{Column, Error, Result, Table};
use gdf_expr::col;

use super::Rows;
use crate::expr::{ElementFunction, Elements, Expr, Leaf};

/// Returns the values of a function of elements, with a row for each row of the source. The rows must have no
/// conditions.
pub(super) fn values(rows: &mut Rows, of: &Elements) -> Result<Column> {
    let others: Vec<Expr> = of.other_leaves().cloned().map(Expr::leaf).collect();
    let mut resolved = rows.resolve_all(std::iter::once(&of.lists).chain(&others))?;
    let mut others = resolved.split_off(1).into_iter();
    let mut columns = rows.source().table().columns().to_vec();
    let at = columns.len();
    let lists = Arc::unwrap_or_clone(rows.project(&resolved)?).into_columns();
    columns.extend(lists);
    let table = Table::try_with_rows(columns, rows.source().table().num_rows())?;
    let value = |leaf: &Leaf| match leaf {
        Leaf::Element => Ok(col(at)),
        _ => others.next().ok_or_else(|| Error::internal("a part of an expression over elements has no value")),
    };
    let values = of.body.leaves().iter().map(value).collect::<Result<Vec<_>>>()?;
    let body = of.body.tree().substitute(|position| Ok(values[position].clone()))?;
    match of.function {
        ElementFunction::Transform => transform_elements(&table, at, &body),
        ElementFunction::Filter => filter_elements(&table, at, &body),
        ElementFunction::Aggregate(aggregation) => {
            aggregate_elements(&table, at, &body, aggregation.of_all_rows(), NullPolicy::Exclude)
        }
    }
}

impl Rows {
    /// Returns whether the values of a function of elements depend only on the columns of the same row.
    pub(super) fn is_of_one_row(&self, of: &Elements) -> bool {
        let is_column = |leaf: &Leaf| matches!(leaf, Leaf::Column(_));
        self.over_source(&of.lists).is_some() && of.other_leaves().all(is_column)
    }
}
