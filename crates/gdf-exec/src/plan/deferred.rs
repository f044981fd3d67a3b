//! Rows whose columns are gathered only when a node computes with them.
//!
//! Filters, joins, sorts and limits return row numbers. Their result keeps the columns of the input beside the row
//! numbers. The next such node does not gather these columns, but composes the row numbers with its own. A column is
//! gathered when an expression, a key, an aggregate or the edge of the plan reads it. The gathered copy then takes
//! the place of the column. A column that only passes through nodes is therefore gathered once, for the rows that
//! remain. The literature calls this late materialization.

use std::collections::BTreeSet;

use gdf_api::copying::{OutOfBoundsPolicy, gather};
use gdf_api::pipeline::Pipeline;
use gdf_core::{Column, Table};
use gdf_expr::{Expr, ExprKind, col};

use crate::error::{Error, Result};

/// Columns with the same number of rows. A column that is not gathered yet has a selection, which has the numbers of
/// its rows.
#[derive(Clone, Debug)]
pub(super) struct Deferred {
    /// The columns. `None` is a column that no node reads.
    columns: Vec<Option<Source>>,
    selections: Vec<Selection>,
    rows: usize,
    /// Whether a decimal with more digits than its type is an error in expressions over the columns.
    pub(super) has_exact_decimals: bool,
}

/// A column, and the number of the selection that selects rows of it. Without a selection, the column has all rows.
#[derive(Clone, Debug)]
struct Source {
    column: Column,
    selection: Option<usize>,
}

/// The numbers of the selected rows of a column. A null in place of a number selects a null row. So does a number out
/// of bounds, if `policy` allows such numbers.
#[derive(Clone, Debug)]
struct Selection {
    rows: Column,
    policy: OutOfBoundsPolicy,
}

/// The table of the columns that some expressions read.
pub(super) struct Narrow {
    pub(super) table: Table,
    /// The position of each column of the table among all columns.
    positions: Vec<usize>,
    has_exact_decimals: bool,
}

impl Narrow {
    /// Converts an expression over all columns to an expression over the columns of the table.
    pub(super) fn expression(&self, expression: &Expr) -> Result<Expr> {
        let place = |position: usize| match self.positions.binary_search(&position) {
            Ok(place) => Ok(col(place)),
            Err(_) => Err(gdf_core::Error::internal("an expression reads a column that was not gathered")),
        };
        Ok(expression.substitute(place)?)
    }

    pub(super) fn expressions(&self, expressions: &[Expr]) -> Result<Vec<Expr>> {
        expressions.iter().map(|expression| self.expression(expression)).collect()
    }

    /// Returns the rows of the table that pass the conditions. The conditions are expressions over all columns.
    pub(super) fn pipeline(&self, conditions: &[Expr]) -> Result<Pipeline<'_>> {
        Ok(pipeline(&self.table, self.expressions(conditions)?, self.has_exact_decimals))
    }
}

/// Returns the rows of a table that pass the conditions.
pub(super) fn pipeline(table: &Table, conditions: Vec<Expr>, has_exact_decimals: bool) -> Pipeline<'_> {
    let rows = Pipeline::new(table);
    let rows = if has_exact_decimals { rows.with_exact_decimals() } else { rows };
    conditions.into_iter().fold(rows, Pipeline::filter)
}

impl From<Table> for Deferred {
    fn from(table: Table) -> Deferred {
        let rows = table.num_rows();
        let source = |column| Some(Source { column, selection: None });
        let columns = table.into_columns().into_iter().map(source).collect();
        Deferred { columns, selections: Vec::new(), rows, has_exact_decimals: false }
    }
}

impl Deferred {
    pub(super) fn num_rows(&self) -> usize {
        self.rows
    }

    fn source(&self, position: usize) -> Result<&Source> {
        let source = self.columns.get(position).and_then(Option::as_ref);
        source.ok_or_else(|| Error::internal("a node reads a column that its input does not have"))
    }

    /// Returns whether a column that one of the expressions reads is not gathered.
    pub(super) fn is_pending(&self, expressions: &[Expr]) -> Result<bool> {
        for position in columns_of(expressions) {
            if self.source(position)?.selection.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Gathers the columns at these positions. Columns of the same selection are gathered together.
    fn gather(&mut self, positions: &BTreeSet<usize>) -> Result<()> {
        for (number, selection) in self.selections.iter().enumerate() {
            let mut found: Vec<usize> = Vec::new();
            for position in positions {
                let source = self.columns.get(*position).and_then(Option::as_ref);
                found.extend(source.filter(|source| source.selection == Some(number)).map(|_| *position));
            }
            if found.is_empty() {
                continue;
            }
            let pending = found.iter().flat_map(|position| &self.columns[*position]);
            let pending = Table::try_new(pending.map(|source| source.column.clone()).collect())?;
            let gathered = gather(&pending, &selection.rows, selection.policy)?.into_columns();
            for (position, column) in found.into_iter().zip(gathered) {
                self.columns[position] = Some(Source { column, selection: None });
            }
        }
        Ok(())
    }

    /// Gathers the columns that the expressions read, and returns these columns.
    pub(super) fn narrow<'e>(&mut self, expressions: impl IntoIterator<Item = &'e Expr>) -> Result<Narrow> {
        let positions = columns_of(expressions);
        self.gather(&positions)?;
        let columns = positions.iter().map(|position| Ok(self.source(*position)?.column.clone()));
        let table = Table::try_with_rows(columns.collect::<Result<_>>()?, self.rows)?;
        let (positions, has_exact_decimals) = (positions.into_iter().collect(), self.has_exact_decimals);
        Ok(Narrow { table, positions, has_exact_decimals })
    }

    /// Returns the rows with the given numbers. The result has only the columns that the expressions read. The function
    /// gathers row numbers, but no columns.
    pub(super) fn taken(&self, rows: &Column, policy: OutOfBoundsPolicy, read_by: &[Expr]) -> Result<Deferred> {
        let mut columns: Vec<Option<Source>> = vec![None; self.columns.len()];
        let mut used = BTreeSet::new();
        for position in columns_of(read_by) {
            let source = self.source(position)?.clone();
            used.extend(source.selection);
            columns[position] = Some(source);
        }
        let numbers: Vec<Column> = used.iter().map(|number| self.selections[*number].rows.clone()).collect();
        let numbers = match numbers.is_empty() {
            true => Vec::new(),
            false => gather(&Table::try_new(numbers)?, rows, policy)?.into_columns(),
        };
        let composed = used.iter().zip(numbers);
        let composed = composed.map(|(old, rows)| Selection { rows, policy: self.selections[*old].policy });
        // The last selection is for the columns that had no selection.
        let selections = composed.chain([Selection { rows: rows.clone(), policy }]).collect();
        for source in columns.iter_mut().flatten() {
            source.selection = Some(source.selection.map_or(used.len(), |old| used.range(..old).count()));
        }
        Ok(Deferred { columns, selections, rows: rows.len(), ..*self })
    }

    /// Returns the values of expressions over the columns. A column that an expression only names is not gathered.
    pub(super) fn projected(&mut self, outputs: &[Expr]) -> Result<Deferred> {
        let is_computed = |output: &&Expr| !matches!(output.kind(), ExprKind::Column(_));
        let computed: Vec<Expr> = outputs.iter().filter(is_computed).cloned().collect();
        let mut values = match computed.is_empty() {
            true => Vec::new(),
            false => {
                let narrow = self.narrow(&computed)?;
                narrow.pipeline(&[])?.project(&narrow.expressions(&computed)?)?.into_columns()
            }
        }
        .into_iter();
        let source = |output: &Expr| match output.kind() {
            ExprKind::Column(position) => Ok(Some(self.source(*position)?.clone())),
            _ => match values.next() {
                Some(column) => Ok(Some(Source { column, selection: None })),
                None => Err(Error::internal("a projection has too few columns")),
            },
        };
        let columns = outputs.iter().map(source).collect::<Result<_>>()?;
        Ok(Deferred { columns, selections: self.selections.clone(), ..*self })
    }

    /// Returns the columns of `self`, followed by the columns of `other`. Both must have the same number of rows.
    pub(super) fn beside(mut self, other: Deferred) -> Result<Deferred> {
        if self.rows != other.rows {
            return Err(Error::internal("columns of different numbers of rows are put side by side"));
        }
        let start = self.selections.len();
        let moved = |source: Source| Source { selection: source.selection.map(|number| start + number), ..source };
        self.columns.extend(other.columns.into_iter().map(|source| source.map(moved)));
        self.selections.extend(other.selections);
        Ok(self)
    }

    /// Returns `rows` rows from the row `start` on.
    pub(super) fn slice(&self, start: usize, rows: usize) -> Result<Deferred> {
        let cut = |column: &Column| Ok::<_, Error>(column.slice(start, rows)?);
        let of_selection =
            |selection: &Selection| Ok(Selection { rows: cut(&selection.rows)?, policy: selection.policy });
        let of_column = |source: &Option<Source>| match source {
            Some(Source { column, selection: None }) => Ok(Some(Source { column: cut(column)?, selection: None })),
            other => Ok(other.clone()),
        };
        let selections = self.selections.iter().map(of_selection).collect::<Result<_>>()?;
        Ok(Deferred { columns: self.columns.iter().map(of_column).collect::<Result<_>>()?, selections, rows, ..*self })
    }

    /// Gathers all columns.
    pub(super) fn into_table(mut self) -> Result<Table> {
        let all: Vec<Expr> = (0..self.columns.len()).map(col).collect();
        Ok(self.narrow(&all)?.table)
    }
}

fn columns_of<'e>(expressions: impl IntoIterator<Item = &'e Expr>) -> BTreeSet<usize> {
    expressions.into_iter().flat_map(Expr::columns).collect()
}
