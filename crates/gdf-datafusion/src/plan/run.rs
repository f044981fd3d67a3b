//! Runs lowered plans.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_schema::DataType;
use gdf_api::concatenate::concatenate;
use gdf_api::filling::from_scalar;
use gdf_core::{Literal, Table, TableView};
use gdf_expr::{Expr, Value, col, lit};

use super::{FIRST_PLACEHOLDER, Node, Plan};
use crate::error::{IslandError, Result};
use crate::values::value_of;

pub(crate) struct Run<'p> {
    plan: &'p Plan,
    /// The rows of each input, or `None` after the plan has read the input.
    inputs: RefCell<Vec<Option<Table>>>,
    /// The values of the subqueries, or `None` before a subquery is computed.
    scalars: RefCell<Vec<Option<Value>>>,
    cancelled: &'p AtomicBool,
}

impl<'p> Run<'p> {
    pub(crate) fn new(plan: &'p Plan, inputs: Vec<Table>, cancelled: &'p AtomicBool) -> Run<'p> {
        let scalars = RefCell::new(vec![None; plan.placeholders.len()]);
        Run { plan, inputs: RefCell::new(inputs.into_iter().map(Some).collect()), scalars, cancelled }
    }

    /// Computes the rows of the plan.
    pub(crate) fn root(&self) -> Result<Table> {
        self.node(&self.plan.root)
    }

    /// Computes the rows of a node. Fails if the run was cancelled.
    pub(super) fn node(&self, node: &Node) -> Result<Table> {
        self.check_cancelled()?;
        match node {
            Node::Input(number) => self.input(*number),
            Node::Resident(table) => Ok(table.clone()),
            Node::Files(scan) => scan.read(),
            Node::NullRow(types) => nulls(types, 1),
            Node::Empty(types) => nulls(types, 0),
            Node::Rows(rows) => rows.run(self),
            Node::Computed(computed) => computed.run(self),
            Node::Join(join) => join.run(self),
            Node::Aggregate(aggregate) => aggregate.run(self),
            Node::Sort(sort) => sort.run(self),
            Node::Window(window) => window.run(self),
            Node::Unnest(unnest) => unnest.run(self),
            Node::Limit { input, skip, fetch } => {
                let table = self.node(input)?;
                let skip = (*skip).min(table.num_rows());
                let rest = table.num_rows() - skip;
                Ok(table.slice(skip, fetch.unwrap_or(rest).min(rest))?)
            }
            Node::Union(nodes) => {
                let tables = nodes.iter().map(|node| self.node(node)).collect::<Result<Vec<_>>>()?;
                if tables.iter().all(|table| table.num_columns() == 0) {
                    return Ok(Table::try_with_rows(Vec::new(), tables.iter().map(Table::num_rows).sum())?);
                }
                Ok(concatenate(&tables.iter().map(Table::view).collect::<Vec<TableView<'_>>>())?)
            }
            Node::Scalars { input, subqueries } => {
                for (subquery, placeholders) in subqueries {
                    let table = self.node(subquery)?;
                    for placeholder in placeholders {
                        let value = self.only_value(&table, *placeholder)?;
                        self.scalars.borrow_mut()[*placeholder] = Some(value);
                    }
                }
                self.node(input)
            }
        }
    }

    pub(super) fn check_cancelled(&self) -> Result<()> {
        match self.cancelled.load(Ordering::Relaxed) {
            true => Err(IslandError::Cancelled.into()),
            false => Ok(()),
        }
    }

    fn input(&self, number: usize) -> Result<Table> {
        let table = self.inputs.borrow_mut().get_mut(number).and_then(Option::take);
        table.ok_or_else(|| IslandError::internal("an input was read twice"))
    }

    /// Returns the value of a scalar subquery, which is null without rows.
    fn only_value(&self, table: &Table, placeholder: usize) -> Result<Value> {
        match table.num_rows() {
            0 => Ok(Value::null(self.plan.placeholders[placeholder].data_type.clone())),
            1 => Ok(Value::from_scalar(&gdf_core::Scalar::from_column(table.column(0)?.clone())?)?),
            rows => Err(IslandError::ManyRows(rows).into()),
        }
    }

    /// Returns the expression in which the values of subqueries replace the placeholders.
    pub(super) fn known(&self, expression: &Expr) -> Result<Expr> {
        if self.plan.placeholders.is_empty() {
            return Ok(expression.clone());
        }
        let mut failure = None;
        let known = expression.substitute(|position| {
            let Some(placeholder) = position.checked_sub(FIRST_PLACEHOLDER) else { return Ok(col(position)) };
            self.scalar(placeholder).map(lit).map_err(|error| {
                failure = Some(error);
                gdf_core::Error::internal("a scalar subquery has no value")
            })
        });
        match failure {
            Some(failure) => Err(failure),
            None => Ok(known?),
        }
    }

    pub(super) fn all_known(&self, expressions: &[Expr]) -> Result<Vec<Expr>> {
        expressions.iter().map(|expression| self.known(expression)).collect()
    }

    /// Returns the value of a subquery, which this plan or a node of DataFusion above the island has computed.
    fn scalar(&self, placeholder: usize) -> Result<Value> {
        if let Some(value) = &self.scalars.borrow()[placeholder] {
            return Ok(value.clone());
        }
        let outer = &self.plan.placeholders[placeholder];
        let value = outer.results.get(outer.index);
        let value = value.ok_or_else(|| IslandError::internal("a scalar subquery has not run"))?;
        value_of(&value).map_err(|refusal| IslandError::internal(refusal.to_string()))
    }
}

pub(super) fn nulls(types: &[DataType], rows: usize) -> Result<Table> {
    let columns = types.iter().map(|data_type| from_scalar(Literal::null(data_type), rows));
    Ok(Table::try_with_rows(columns.collect::<gdf_core::Result<_>>()?, rows)?)
}
