//! Computes the parts of expressions that are more than columns of a row.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_schema::FieldRef;
use gdf_core::{Result, Table};
use gdf_exec::{Mapped, Needs, Node, RowsFunction};
use gdf_expr::{ExprKind, col};

use super::functions::Leaves;
use super::{Lowered, Runner};
use crate::expr::{Elements, Expr, Leaf, Window, distinct_leaves, same};
use crate::plan::rows::literals;

type Known = Vec<(Leaf, gdf_expr::Expr)>;

impl Lowered {
    /// Prepares the parts of expressions that are more than columns: aggregations of all rows become literals, and window
    /// functions and functions of elements become columns of the node. Afterwards the caller must clear the results with
    /// [`Rows::set_known`](crate::plan::Rows::set_known), or replace the rows.
    ///
    /// Returns false if an expression needs all rows in one table.
    pub(super) fn prepare<'e>(
        &mut self,
        expressions: impl Iterator<Item = &'e Expr> + Clone,
        run: &Runner<'_>,
    ) -> Result<bool> {
        let windows = distinct_leaves(expressions.clone(), Leaf::window);
        let elements = distinct_leaves(expressions.clone(), Leaf::elements);
        let aggregates = distinct_leaves(expressions, Leaf::aggregate);
        let is_of_columns = |value: &Expr| self.rows.over_source(value).is_some();
        let is_divisible = windows.iter().all(|window| self.has_partitions(window))
            && elements.iter().all(|of| self.rows.is_of_one_row(of))
            && aggregates.iter().flat_map(|of| &of.values).all(is_of_columns);
        if !is_divisible {
            return Ok(false);
        }
        let mut known = Known::new();
        if !aggregates.is_empty() {
            if !self.is_source {
                self.materialize(run)?;
            }
            let (node, _) = self.groups(&[], &aggregates, false, run)?;
            known = literals(aggregates, &run.whole(node)?)?;
        }
        if !windows.is_empty() || !elements.is_empty() {
            self.compute()?;
            self.add_windows(windows, &mut known)?;
            self.add_elements(elements, &mut known)?;
        }
        self.rows.set_known(known);
        Ok(true)
    }

    /// Returns whether the window function has keys, and all its expressions contain only columns.
    fn has_partitions(&self, window: &Window) -> bool {
        let of_columns = |values: &Expr| self.rows.over_source(values).is_some();
        let keys = self.rows.expanded(&window.keys).unwrap_or_default();
        !keys.is_empty() && keys.iter().chain(&window.values).all(of_columns)
    }

    /// Adds the values of window functions, jointly for the same keys.
    fn add_windows(&mut self, mut waiting: Vec<Arc<Window>>, known: &mut Known) -> Result<()> {
        while let Some(first) = waiting.first().cloned() {
            let (windows, others): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|of| same(&of.keys, &first.keys));
            waiting = others;
            let keys = self.rows.expanded(&first.keys)?;
            let keys: Vec<_> = keys.iter().filter_map(|key| self.rows.over_source(key)).collect();
            let keys = keys.into_iter().map(|key| self.place(key)).collect::<Result<Vec<_>>>()?;
            self.add(windows, Vec::new(), keys, known)?;
        }
        Ok(())
    }

    fn add_elements(&mut self, elements: Vec<Arc<Elements>>, known: &mut Known) -> Result<()> {
        if elements.is_empty() { Ok(()) } else { self.add(Vec::new(), elements, Vec::new(), known) }
    }

    /// Returns the position of the column of the node that has a value. If there is none, adds a column to the node.
    fn place(&mut self, value: gdf_expr::Expr) -> Result<usize> {
        if let ExprKind::Column(position) = value.kind() {
            return Ok(*position);
        }
        let width = self.rows.source().len();
        let column = self.rows.project(std::slice::from_ref(&value))?.column(0)?.clone();
        let mut rows = gdf_exec::Rows::all(self.node.clone(), width);
        let values: Vec<_> = (0..width).map(col).chain([value]).collect();
        rows.project(&values, &[]).map_err(gdf_exec::Error::into_operation)?;
        (self.node, self.is_source) = (Node::Rows(Box::new(rows)), false);
        self.rows.add_column(column)
    }

    /// Adds columns to the node, which the rows do not show. Without keys, the columns depend on one row.
    fn add(
        &mut self,
        windows: Vec<Arc<Window>>,
        elements: Vec<Arc<Elements>>,
        keys: Vec<usize>,
        known: &mut Known,
    ) -> Result<()> {
        let source = self.rows.source();
        let of_windows = windows.iter().flat_map(|window| window.keys.iter().chain(&window.values)).cloned();
        let of_elements = elements.iter().flat_map(|of| {
            let others = of.other_leaves().cloned().map(Expr::leaf);
            others.chain([of.lists.clone()])
        });
        let read: Vec<Expr> = of_windows.chain(of_elements).collect();
        let read = self.rows.expanded(&read)?;
        let columns = read.iter().filter_map(|value| self.rows.over_source(value)).flat_map(|value| value.columns());
        let reads: BTreeSet<usize> = columns.chain(keys.iter().copied()).collect();
        let reads: Vec<usize> = reads.into_iter().collect();
        let needs = match keys.is_empty() {
            true => Needs::Piece,
            false => Needs::Partition(keys.iter().filter_map(|key| reads.binary_search(key).ok()).collect()),
        };
        let fields: Vec<FieldRef> = reads.iter().map(|at| source.field(*at).clone()).collect();
        let schema = source.replaced(fields, Table::try_new(Vec::new())?).schema().clone();
        let of_windows = windows.iter().cloned().map(Leaf::Window);
        let leaves: Vec<Leaf> = of_windows.chain(elements.iter().cloned().map(Leaf::Elements)).collect();
        let function = Leaves { schema, windows, elements, needs };
        let added = function.run(source.table().select(&reads)?)?;
        let input = std::mem::replace(&mut self.node, Node::Empty(Vec::new()));
        self.node = Node::Mapped(Box::new(Mapped { input, function: Arc::new(function), reads: Some(reads) }));
        self.is_source = false;
        for (leaf, column) in leaves.into_iter().zip(added.into_columns()) {
            known.push((leaf, col(self.rows.add_column(column)?)));
        }
        Ok(())
    }
}
