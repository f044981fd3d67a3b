//! Steps over rows in batches.
//!
//! All batches have the same conditions and expressions. Verbs that need only one row at a time change only these. The
//! sinks are the operators of [`gdf_external`], which keep their memory below the limit of the scope's
//! [`SpillManager`](gdf_memory::SpillManager). Most other verbs, and window functions without keys, need all rows in
//! one table.

use std::sync::Arc;

use gdf_api::join::JoinKeys;
use gdf_api::unary::cast;
use gdf_core::{Error, Result, Table};
use gdf_expr::lit;
use gdf_external::bounds::{self, Shape};
use gdf_external::{self as external, Budget, Keys, Request};

use super::aggregate::{Grouped, Outputs, is_one_row};
use super::conditional::Conditional;
use super::join::{LEFT_NOT_DISTINCT, RIGHT_NOT_DISTINCT, Sides, check_distinct, check_keys, joined};
use super::key_types::Unified;
use super::lowered::Lowered;
use super::needed::Needed;
use super::rows::exact;
use super::scan::Scanned;
use super::sinks::{nullable, sort_keys, table_of};
use super::widths::{typed_columns, widen_tables};
use super::{Grouping, Rows, Step};
use crate::columns::Columns;
use crate::expr::{Aggregate, Expr, SortBy};
use crate::join::{Join, JoinKind};
use crate::names::check_names;

pub(super) fn all_of(batches: &[Columns], budget: &Budget) -> Result<Columns> {
    let tables: Vec<Table> = batches.iter().map(|columns| columns.table().clone()).collect();
    let whole = tables.iter().map(Shape::of).reduce(Shape::above).unwrap_or_default();
    let _reserved = (tables.len() > 1)
        .then(|| budget.clone().with_bytes(bounds::concatenate(&whole).saturating_mul(2)).reserve())
        .transpose()?;
    let table = budget.whole(&tables)?.ok_or_else(|| Error::internal("a plan has no batches"))?;
    Ok(Columns::trusted(batches[0].schema().clone(), table))
}

/// Rows in batches. There is at least one batch. All batches have equal conditions and expressions.
pub(super) struct Batches<'b> {
    pub(super) rows: Vec<Rows>,
    /// Rows that are not read yet. `rows` then has one element without rows, with the conditions and expressions of all
    /// batches.
    pub(super) unread: Option<Unread>,
    pub(super) budget: &'b Budget,
}

/// Rows that are read when a verb needs them.
pub(super) enum Unread {
    /// The batches of a scan, one after another.
    Batches(Scanned),
    /// A node of gdf-exec, whose threads read pieces of a scan at the same time.
    Node(Lowered),
}

/// An iterator over the tables of the batches, which are computed one after another.
type Tables<'t> = Box<dyn Iterator<Item = Result<Table>> + 't>;

/// An iterator over batches.
type Sources<'t> = Box<dyn Iterator<Item = Result<Rows>> + 't>;

/// Returns the batches of a scan, with the conditions and expressions of `rows`. The first batch is `rows` itself,
/// whose source has no rows.
fn scanned(scan: &Scanned, rows: &Rows, budget: &Budget) -> Sources<'static> {
    let (rows, budget) = (rows.clone(), budget.clone());
    let first = std::iter::once(Ok(rows.clone()));
    match scan.open() {
        Ok(batches) => Box::new(first.chain(batches.map(move |batch| {
            let (_, table) = batch?.into_parts();
            Ok(rows.of_slice(&budget.keep(table)))
        }))),
        Err(error) => failed(error),
    }
}

/// Returns the computed rows of a node as batches.
fn computed(node: &Lowered, rows: &Rows) -> Result<Vec<Rows>> {
    let (tables, outputs) = (node.tables(rows, &rows.values())?, rows.outputs());
    tables.into_iter().map(|table| Ok(Rows::new(rows.columns_of(table, &outputs)?))).collect()
}

fn failed<'t, T: 't>(error: Error) -> Box<dyn Iterator<Item = Result<T>> + 't> {
    Box::new(std::iter::once(Err(error)))
}

impl Batches<'_> {
    pub(super) fn new(rows: Vec<Rows>, budget: &Budget) -> Batches<'_> {
        Batches { rows, unread: None, budget }
    }

    pub(super) fn take_sources(&mut self) -> Sources<'static> {
        let rows = std::mem::take(&mut self.rows);
        match self.unread.take() {
            Some(Unread::Batches(scan)) => scanned(&scan, &rows[0], self.budget),
            Some(Unread::Node(node)) => match computed(&node, &rows[0]) {
                Ok(rows) => Box::new(rows.into_iter().map(Ok)),
                Err(error) => failed(error),
            },
            None => Box::new(rows.into_iter().map(Ok)),
        }
    }

    /// Computes expressions over the sources of all batches.
    pub(super) fn tables(&self, values: Vec<gdf_expr::Expr>) -> Tables<'_> {
        let sources: Sources<'_> = match &self.unread {
            Some(Unread::Batches(scan)) => scanned(scan, &self.rows[0], self.budget),
            Some(Unread::Node(node)) => match node.tables(&self.rows[0], &values) {
                Ok(tables) => return Box::new(tables.into_iter().map(Ok)),
                Err(error) => return failed(error),
            },
            None => Box::new(self.rows.iter().cloned().map(Ok)),
        };
        let of = move |rows: Result<Rows>| {
            let pieces = rows.and_then(|rows| {
                self.budget.in_pieces(rows.source().table(), &mut |slice| {
                    Ok(self.budget.keep(Arc::unwrap_or_clone(rows.of_slice(slice).project(&values)?)))
                })
            });
            match pieces {
                Ok(tables) => tables.into_iter().map(Ok).collect(),
                Err(error) => vec![Err(error)],
            }
        };
        Box::new(sources.flat_map(of))
    }

    pub(super) fn compute(&mut self) -> Result<()> {
        self.each(Rows::into_columns)
    }

    fn each(&mut self, mut run: impl FnMut(Rows) -> Result<Columns>) -> Result<()> {
        let mut results = Vec::with_capacity(self.rows.len());
        for rows in self.take_sources() {
            let rows = rows?;
            let source = rows.source().table().clone();
            let found = self.budget.in_pieces(&source, &mut |slice| {
                let columns = run(rows.of_slice(slice))?;
                self.budget.keep(columns.table().clone());
                Ok(Rows::new(columns))
            });
            results.extend(found?);
        }
        self.rows = results;
        Ok(())
    }

    pub(super) fn set_tables(&mut self, tables: Vec<Table>, columns: impl Fn(Table) -> Result<Columns>) -> Result<()> {
        self.rows = tables.into_iter().map(|table| Ok(Rows::new(columns(table)?))).collect::<Result<_>>()?;
        self.unread = None;
        if self.rows.is_empty() { Err(Error::internal("an operator returned no batches")) } else { Ok(()) }
    }

    /// Applies a step to the batches. `inputs` are the batches of the step's other inputs.
    pub(super) fn step(&mut self, step: &Step, mut inputs: Vec<Vec<Columns>>, after: &Needed) -> Result<()> {
        match step {
            Step::Filter(condition) => self.of_rows(step, std::slice::from_ref(condition), after),
            Step::Select(outputs) => {
                let expanded = self.rows[0].expanded(outputs)?;
                if is_one_row(&expanded) {
                    return self.group(&Grouping {
                        keys: Vec::new(),
                        values: expanded.into_owned(),
                        drops_null_keys: false,
                    });
                }
                self.of_rows(step, &expanded, after)
            }
            Step::With(outputs) => {
                let expanded = self.rows[0].expanded(outputs)?;
                self.of_rows(step, &expanded, after)
            }
            Step::Rename(_) | Step::Drop(_) => self.rows.iter_mut().try_for_each(|rows| step.run(rows, after)),
            Step::DropNulls(_) | Step::Explode(_) => {
                if self.map_node(step, &[], after)? {
                    return Ok(());
                }
                self.each(|mut rows| {
                    step.run(&mut rows, after)?;
                    rows.into_columns()
                })
            }
            Step::Reverse => {
                self.each(|mut rows| {
                    step.run(&mut rows, after)?;
                    rows.into_columns()
                })?;
                self.rows.reverse();
                Ok(())
            }
            Step::Aggregate(grouping) => self.group(grouping),
            Step::Sort { keys, limit } => self.sort(keys, *limit),
            Step::Slice { offset, len } => self.slice(*offset, *len),
            Step::Tail(count) => {
                self.compute()?;
                let rows: usize = self.rows.iter().map(|rows| rows.source().table().num_rows()).sum();
                self.slice(rows.saturating_sub(*count), *count)
            }
            Step::Distinct { subset, keep } => {
                let rows = self.rows[0].clone();
                let (keys, outputs) = (rows.positions(subset)?, rows.outputs());
                let found = external::distinct(self.tables(rows.values()), &keys, *keep, self.budget)?;
                self.set_tables(found, |table| rows.columns_of(table, &outputs))
            }
            Step::Join(join) => {
                let right = inputs.pop().ok_or_else(|| Error::internal("a join has no right side"))?;
                self.join(right, &join.1, after)
            }
            Step::Concat(_) => self.concat(inputs),
            Step::Rolling(rolled) => self.roll(step, rolled, after),
            Step::Whole(whole) => {
                let others = inputs.iter().map(|input| all_of(input, self.budget)).collect::<Result<Vec<_>>>()?;
                if whole.is_by_batch() {
                    if self.map_node(step, &others, after)? {
                        return Ok(());
                    }
                    self.compute()?;
                    return self.each(|rows| whole.run(&rows.into_columns()?, &others));
                }
                self.gather()?;
                self.rows[0] = Rows::new(whole.run(self.rows[0].source(), &others)?);
                Ok(())
            }
        }
    }

    /// Applies a step that needs one batch at a time to the rows of a node. Returns false if the rows are not those of a
    /// node.
    fn map_node(&mut self, step: &Step, others: &[Columns], after: &Needed) -> Result<bool> {
        let Some(Unread::Node(node)) = &self.unread else { return Ok(false) };
        let (node, rows) = node.mapped(&self.rows[0], step, others.to_vec(), after)?;
        (self.rows, self.unread) = (vec![rows], Some(Unread::Node(node)));
        Ok(true)
    }

    pub(super) fn gather(&mut self) -> Result<()> {
        self.compute()?;
        let batches: Vec<Columns> = self.rows.iter().map(|rows| rows.source().clone()).collect();
        self.rows = vec![Rows::new(all_of(&batches, self.budget)?)];
        Ok(())
    }

    pub(super) fn in_one(&mut self, step: &Step, after: &Needed) -> Result<()> {
        self.gather()?;
        step.run(&mut self.rows[0], after)
    }

    fn of_rows(&mut self, step: &Step, expressions: &[Expr], after: &Needed) -> Result<()> {
        self.prepare(expressions.iter())?;
        for rows in &mut self.rows {
            step.run(rows, after)?;
            rows.set_known(Vec::new());
        }
        Ok(())
    }

    fn group(&mut self, grouping: &Grouping) -> Result<()> {
        let of = Outputs::new(&self.rows[0], &grouping.keys, &grouping.values)?;
        let values = of.aggregates.iter().filter_map(|aggregate| aggregate.values.as_ref());
        self.prepare(of.keys.iter().chain(values))?;
        let groups = self.groups(&of.keys, &of.aggregates, grouping.drops_null_keys)?;
        self.rows = groups.into_iter().map(|groups| Rows::with_outputs(groups, of.named.clone())).collect();
        self.unread = None;
        Ok(())
    }

    /// Does the same as [`groups`](super::aggregate::groups). Without keys, the result has exactly one batch.
    pub(super) fn groups(
        &mut self,
        keys: &[Expr],
        aggregates: &[Arc<Aggregate>],
        drops_nulls: bool,
    ) -> Result<Vec<Columns>> {
        let mut of = Grouped::new(&mut self.rows[0], keys, aggregates)?;
        let of_all_rows = keys.is_empty();
        if let Some(Unread::Node(node)) = &self.unread
            && let Some(table) = of.of_node(node, &self.rows[0], aggregates, drops_nulls)?
        {
            return Ok(vec![of.columns(&self.rows[0], keys, aggregates, table, &[])?]);
        }
        if of_all_rows && !of.has_groups(aggregates)? {
            let values = self.whole(of.values().to_vec())?;
            let reductions = of.of_columns().reductions(aggregates, Some(values.num_rows()));
            let table = reductions.run(&exact(&values))?;
            return Ok(vec![of.columns(&self.rows[0], keys, aggregates, table, &[])?]);
        }
        let count = match self.unread {
            Some(_) => None,
            None => Some(self.rows.iter().map(|rows| rows.source().table().num_rows()).sum()),
        };
        let reductions = of.reductions(aggregates, count);
        if of_all_rows {
            of.keys.push(lit(0));
        }
        let of_groups = of.requests(aggregates, count)?;
        let mut values = of.keys.clone();
        let request = |request: gdf_api::pipeline::GroupRequest| {
            values.push(request.values);
            Request { column: values.len() - 1, aggregations: request.aggregations }
        };
        let requests: Vec<Request> = of_groups.requests.iter().cloned().map(request).collect();
        let policy = match drops_nulls {
            true => gdf_api::groupby::NullPolicy::Exclude,
            false => gdf_api::groupby::NullPolicy::Include,
        };
        let count = of.keys.len();
        let groups = external::group_by(self.tables(values), count, policy, &requests, self.budget)?;
        let mut tables = groups.iter().map(|groups| of_groups.outputs(groups)).collect::<Result<Vec<_>>>()?;
        if of_all_rows {
            of.keys.clear();
            // An aggregation of all rows has one result, also if there are no rows. The results get the types of a
            // reduction.
            let none = self.rows[0].of_slice(&self.rows[0].source().table().slice(0, 0)?);
            let without_rows = reductions.run(&none.pipeline())?;
            let groups: Vec<Table> = tables.into_iter().filter(|table| table.num_rows() > 0).collect();
            tables = vec![match groups.first() {
                None => without_rows,
                Some(groups) => {
                    let results = groups.columns()[1..].iter().zip(without_rows.data_types());
                    Table::try_with_rows(results.map(|(of, to)| cast(of, to)).collect::<Result<_>>()?, 1)?
                }
            }];
        }
        if tables.is_empty() {
            return Err(Error::internal("a group-by returned no batches"));
        }
        tables.into_iter().map(|table| of.columns(&self.rows[0], keys, aggregates, table, &[])).collect()
    }

    fn sort(&mut self, keys: &[SortBy], limit: Option<usize>) -> Result<()> {
        self.prepare(keys.iter().map(|key| &key.values))?;
        let first = &mut self.rows[0];
        let keys = sort_keys(first, keys)?;
        let (outputs, width) = (first.outputs(), first.width());
        if let Some(Unread::Node(node)) = &self.unread {
            let rows = first.clone();
            return self.set_tables(node.sorted(&rows, &keys, limit)?, |table| rows.columns_of(table, &outputs));
        }
        let values = first.values().into_iter().chain(keys.iter().map(|key| key.values.clone())).collect();
        let order = Keys {
            columns: (width..width + keys.len()).collect(),
            orders: keys.iter().map(|key| key.order).collect(),
            null_orders: keys.iter().map(|key| key.null_order).collect(),
        };
        let sorted = match limit {
            Some(limit) => vec![external::top(self.tables(values), &order, limit, self.budget)?],
            None => external::sort(self.tables(values), &order, self.budget)?,
        };
        let kept: Vec<usize> = (0..width).collect();
        let rows = self.rows[0].clone();
        self.set_tables(sorted, |table| rows.columns_of(table.select(&kept)?, &outputs))
    }

    fn slice(&mut self, offset: usize, len: usize) -> Result<()> {
        if let Some(Unread::Node(node)) = &self.unread {
            let rows = self.rows[0].clone();
            let outputs = rows.outputs();
            return self.set_tables(node.slice(&rows, offset, len)?, |table| rows.columns_of(table, &outputs));
        }
        let (mut skipped, mut wanted, mut kept) = (offset, len, Vec::new());
        for rows in self.take_sources() {
            let mut one = Batches::new(vec![rows?], self.budget);
            one.compute()?;
            for rows in one.rows {
                let table = rows.source().table();
                let start = skipped.min(table.num_rows());
                let count = wanted.min(table.num_rows() - start);
                skipped -= start;
                wanted -= count;
                if count > 0 || kept.is_empty() {
                    kept.push(rows.of_slice(&table.slice(start, count)?));
                }
            }
            if wanted == 0 {
                break;
            }
        }
        self.rows = kept;
        Ok(())
    }

    fn join(&mut self, right: Vec<Columns>, join: &Join, after: &Needed) -> Result<()> {
        check_keys(join)?;
        let right = right.into_iter().map(Rows::new).collect();
        let mut right = Batches::new(right, self.budget);
        let unified = Unified::new(&self.rows[0], &right.rows[0], join)?;
        self.rows.iter_mut().try_for_each(|rows| unified.left.apply(rows))?;
        right.rows.iter_mut().try_for_each(|rows| unified.right.apply(rows))?;
        let join = &*unified.join;
        self.prepare(join.keys.iter().map(|(left, _)| left))?;
        right.prepare(join.keys.iter().map(|(_, right)| right))?;
        let left_keys = self.rows[0].resolve_all(join.keys.iter().map(|(left, _)| left))?;
        let right_keys = right.rows[0].resolve_all(join.keys.iter().map(|(_, right)| right))?;
        if join.validate.right() {
            check_distinct(&right.whole(right_keys.clone())?, RIGHT_NOT_DISTINCT)?;
        }
        if join.validate.left() {
            check_distinct(&self.whole(left_keys.clone())?, LEFT_NOT_DISTINCT)?;
        }
        let (rows, right_rows) = (self.rows[0].clone(), right.rows[0].clone());
        if let Some(condition) = &join.condition {
            let of = Conditional::new(&rows, &right_rows, [&left_keys, &right_keys], (join, condition), after)?;
            of.check(&rows, &right_rows, condition)?;
            let (left, right) = (self.tables(of.sides.left.clone()), right.tables(of.sides.right.clone()));
            let found = of.tables(left, right, join, self.budget)?;
            let outputs = of.sides.outputs(&rows);
            return self.set_tables(found, |table| joined(&rows, &right_rows, table, &outputs, join.kind));
        }
        let sides = Sides::new(&rows, &right_rows, [&left_keys, &right_keys], join, after)?;
        if let Some(Unread::Node(node)) = &self.unread {
            let right = || right.whole(sides.right.clone());
            if let Some((node, rows)) = node.joined([&rows, &right_rows], &sides, right, join)? {
                (self.rows, self.unread) = (vec![rows], Some(Unread::Node(node)));
                return Ok(());
            }
        }
        let (left_tables, right_tables) = (self.tables(sides.left.clone()), right.tables(sides.right.clone()));
        let on = JoinKeys::new(&sides.left_on, &sides.right_on).with_nulls(join.nulls());
        let kind = match join.kind {
            JoinKind::Inner => external::JoinKind::Inner,
            JoinKind::Left | JoinKind::Right => external::JoinKind::Left,
            JoinKind::Full => external::JoinKind::Full,
            JoinKind::Semi => external::JoinKind::Semi,
            JoinKind::Anti => external::JoinKind::Anti,
        };
        let found = match join.kind {
            JoinKind::Right => {
                let on = JoinKeys::new(&sides.right_on, &sides.left_on).with_nulls(join.nulls());
                external::join(right_tables, left_tables.collect::<Result<_>>()?, &on, kind, self.budget)?
            }
            _ => external::join(left_tables, right_tables.collect::<Result<_>>()?, &on, kind, self.budget)?,
        };
        let outputs = sides.outputs(&rows);
        self.set_tables(found, |table| {
            joined(&rows, &right_rows, sides.columns_of_result(table, join.kind)?, &outputs, join.kind)
        })
    }

    fn whole(&self, values: Vec<gdf_expr::Expr>) -> Result<Table> {
        let tables = self.tables(values).collect::<Result<Vec<_>>>()?;
        self.budget.whole(&tables)?.ok_or_else(|| Error::internal("there are no batches"))
    }

    fn concat(&mut self, inputs: Vec<Vec<Columns>>) -> Result<()> {
        self.compute()?;
        let columns = self.rows[0].source().clone();
        check_names(columns.names())?;
        let mut tables: Vec<_> = self.rows.iter().map(|rows| rows.source().shared_table().clone()).collect();
        for other in inputs.iter().flatten() {
            tables.push(table_of(other, &columns)?);
        }
        widen_tables(&mut tables)?;
        let columns = nullable(&typed_columns(&columns, tables[0].clone()), tables[0].clone());
        self.rows =
            tables.into_iter().map(|table| Rows::new(Columns::trusted(columns.schema().clone(), table))).collect();
        Ok(())
    }
}
