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
use gdf_memory::Buffer;

use super::tables::whole;
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

    pub(super) fn num_columns(&self) -> usize {
        self.columns.len()
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

    /// Returns the number of the selection of a column that is not gathered.
    pub(super) fn selection_of(&self, position: usize) -> Option<usize> {
        self.columns.get(position)?.as_ref()?.selection
    }

    /// Returns whether every number of a selection is the number of a row.
    pub(super) fn selects_rows(&self, selection: usize) -> bool {
        let found = self.selections.get(selection);
        found.is_some_and(|of| of.policy == OutOfBoundsPolicy::Error && of.rows.validity().is_none())
    }

    /// Returns the column from which a column is selected.
    pub(super) fn pending_column(&self, position: usize) -> Result<&Column> {
        Ok(&self.source(position)?.column)
    }

    /// Adds a column from which a selection selects rows, and returns its position.
    pub(super) fn push_selected(&mut self, column: Column, selection: usize) -> usize {
        self.columns.push(Some(Source { column, selection: Some(selection) }));
        self.columns.len() - 1
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

    /// Returns the rows of all parts, one after the other. If all parts select rows of the same column, the column
    /// stays deferred, and only the numbers of its rows are put together.
    pub(super) fn concatenated(parts: Vec<Deferred>) -> Result<Deferred> {
        let (mut full, empty): (Vec<Deferred>, Vec<Deferred>) = parts.into_iter().partition(|part| part.rows > 0);
        if full.len() <= 1 {
            let only = full.pop().or_else(|| empty.into_iter().next());
            return only.ok_or_else(|| Error::internal("a node has passed on no part"));
        }
        let present: Vec<usize> = (0..full[0].columns.len()).filter(|at| full[0].columns[*at].is_some()).collect();
        let is_shared = |at: &usize| full[1..].iter().all(|part| full[0].selects_like(part, *at));
        let (shared, own): (Vec<usize>, Vec<usize>) = present.into_iter().partition(is_shared);
        let own = own.into_iter().collect();
        full.iter_mut().try_for_each(|part| part.gather(&own))?;

        // Columns that have a common selection in each part have a common selection in the result.
        let numbers = |at: usize| full.iter().map(|part| Ok(part.source(at)?.selection)).collect::<Result<Vec<_>>>();
        let (mut common, mut places) = (Vec::new(), Vec::with_capacity(shared.len()));
        for at in &shared {
            let numbers = numbers(*at)?;
            places.push(common.iter().position(|known| *known == numbers).unwrap_or_else(|| {
                common.push(numbers);
                common.len() - 1
            }));
        }
        let part = |(number, part): (usize, &Deferred)| {
            let gathered = own.iter().map(|at| Ok(part.source(*at)?.column.clone()));
            let rows = common.iter().flat_map(|numbers| numbers[number]).map(|of| Ok(part.selections[of].rows.clone()));
            Ok(Table::try_with_rows(gathered.chain(rows).collect::<Result<_>>()?, part.rows)?)
        };
        let tables = full.iter().enumerate().map(part).collect::<Result<Vec<Table>>>()?;
        let together = whole(tables)?;
        let rows = together.num_rows();
        let mut found = together.into_columns().into_iter();
        let mut columns = vec![None; full[0].columns.len()];
        for (at, column) in own.iter().zip(&mut found) {
            columns[*at] = Some(Source { column, selection: None });
        }
        for (at, place) in shared.iter().zip(places) {
            columns[*at] = Some(Source { column: full[0].source(*at)?.column.clone(), selection: Some(place) });
        }
        let policy = |numbers: &Vec<Option<usize>>| numbers[0].map(|of| full[0].selections[of].policy);
        let selections = common.iter().flat_map(policy).zip(found);
        let selections = selections.map(|(policy, rows)| Selection { rows, policy }).collect();
        Ok(Deferred { columns, selections, rows, ..full[0] })
    }

    /// Gathers the columns that [`concatenated`](Self::concatenated) could not leave deferred if `other` were one of the
    /// parts.
    pub(super) fn gather_unlike(&mut self, other: &Deferred) -> Result<()> {
        let unlike = (0..self.columns.len()).filter(|at| !self.selects_like(other, *at)).collect();
        self.gather(&unlike)
    }

    /// Returns whether the column at a position consists of selected rows of the same column as that of `other`.
    fn selects_like(&self, other: &Deferred, position: usize) -> bool {
        let selected = |of: &'_ Deferred| {
            let source = of.columns.get(position)?.clone()?;
            Some((source.column, of.selections.get(source.selection?)?.clone()))
        };
        let (Some((column, own)), Some((of_other, others))) = (selected(self), selected(other)) else { return false };
        own.policy == others.policy
            && own.rows.data_type() == others.rows.data_type()
            && is_same_memory(&column, &of_other)
    }

    /// Gathers all columns.
    pub(super) fn into_table(mut self) -> Result<Table> {
        let all: Vec<Expr> = (0..self.columns.len()).map(col).collect();
        Ok(self.narrow(&all)?.table)
    }
}

/// Returns whether two columns are the same rows of the same memory.
fn is_same_memory(a: &Column, b: &Column) -> bool {
    let is_same = |a: &Buffer, b: &Buffer| a.same_allocation(b) && a.offset() == b.offset() && a.len() == b.len();
    let are_same = |a: &[Buffer], b: &[Buffer]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b));
    a.data_type() == b.data_type()
        && (a.len(), a.offset()) == (b.len(), b.offset())
        && are_same(a.buffers(), b.buffers())
        && are_same(a.validity().map_or(&[], std::slice::from_ref), b.validity().map_or(&[], std::slice::from_ref))
        && a.children().len() == b.children().len()
        && a.children().iter().zip(b.children()).all(|(a, b)| is_same_memory(a, b))
}

fn columns_of<'e>(expressions: impl IntoIterator<Item = &'e Expr>) -> BTreeSet<usize> {
    expressions.into_iter().flat_map(Expr::columns).collect()
}
