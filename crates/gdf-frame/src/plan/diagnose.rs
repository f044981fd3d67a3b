//! Errors of expressions, with the verbs and the column names that the user wrote.
//!
//! A pipeline knows only positions of columns and fused expressions. When a pipeline fails, the expressions of its
//! verbs are bound again, verb by verb, with the names of the columns. The user gets the first error of these bindings.

use std::sync::Arc;

use gdf_api::reduction::{ReduceAggregation, default_output_type};
use gdf_api::scan::RankMethod;
use gdf_core::{DataType, Error, Field, Result};
use gdf_expr::types::nested::element_type;
use gdf_expr::{Graph, Input};

use super::{Grouping, Rows, Step};
use crate::expr::{ElementFunction, Expr, Leaf, Scan, WindowFunction};
use crate::selector::Described;

/// Returns the error of the first of the fused verbs whose expressions fail to bind, or else `error`.
#[cold]
pub(super) fn located(error: Error, start: &Rows, steps: &[Step]) -> Error {
    let Some(last) = steps.last() else { return error };
    let Ok(mut columns) = typed(start) else { return error.in_operation(last.name()) };
    for step in steps {
        match step.check(&mut columns) {
            Ok(true) => {}
            // The types after the step are unknown, so later steps cannot be checked.
            Ok(false) => break,
            Err(found) => return found.in_operation(step.name()),
        }
    }
    error.in_operation(last.name())
}

pub(super) type Typed = Vec<(Arc<str>, DataType)>;

fn typed(rows: &Rows) -> Result<Typed> {
    let mut graph = rows.graph();
    let typed = |output: super::Named| {
        let id = graph.bind(&output.value)?;
        Ok((output.name.to_shared(), graph.node(id).data_type.clone()))
    };
    rows.outputs().into_iter().map(typed).collect()
}

impl Step {
    /// Binds the expressions of the step, and changes the columns as the step does. Returns whether the columns are
    /// known afterwards.
    fn check(&self, columns: &mut Typed) -> Result<bool> {
        match self {
            Step::Filter(condition) => {
                let found = type_of(condition, columns)?;
                match found {
                    DataType::Boolean => Ok(true),
                    found => Err(no_condition(&found).in_expression(|| condition.to_string())),
                }
            }
            Step::Select(outputs) | Step::With(outputs) => {
                let is_with = matches!(self, Step::With(_));
                let mut results = if is_with { columns.clone() } else { Vec::new() };
                for output in &expanded(outputs, columns)? {
                    let of = (output.name(), type_of(output, columns)?);
                    match results.iter().position(|(name, _)| *name == of.0) {
                        Some(position) => results[position] = of,
                        None => results.push(of),
                    }
                }
                *columns = results;
                Ok(true)
            }
            Step::Rename(names) => {
                // Two columns may exchange their names, so that each old name is a name before the step.
                for (name, _) in columns.iter_mut() {
                    if let Some((_, new)) = names.iter().rev().find(|(old, _)| *old == *name) {
                        *name = new.clone();
                    }
                }
                Ok(true)
            }
            Step::Sort { keys, .. } => {
                keys.iter().try_for_each(|key| type_of(&key.values, columns).map(|_| ()))?;
                Ok(true)
            }
            Step::Rolling(rolled) => {
                let Grouping { keys, values, .. } = &rolled.grouping;
                for of in expanded(keys, columns)?.iter().chain(&expanded(values, columns)?) {
                    type_of(of, columns)?;
                }
                Ok(false)
            }
            Step::Aggregate(grouping) => {
                for of in expanded(&grouping.keys, columns)?.iter().chain(&expanded(&grouping.values, columns)?) {
                    type_of(of, columns)?;
                }
                Ok(false)
            }
            Step::Join(join) => {
                join.1.keys.iter().try_for_each(|(left, _)| type_of(left, columns).map(|_| ()))?;
                Ok(false)
            }
            Step::Slice { .. } | Step::Tail(_) | Step::Reverse => Ok(true),
            Step::Drop(_) | Step::Distinct { .. } | Step::DropNulls(_) => Ok(false),
            Step::Explode(_) | Step::Concat(_) | Step::Whole(_) => Ok(false),
        }
    }
}

/// Replaces the selectors in expressions by columns.
fn expanded(expressions: &[Expr], columns: &Typed) -> Result<Vec<Expr>> {
    let mut all = Vec::with_capacity(expressions.len());
    for expression in expressions {
        expression.expand(&mut all, &|selector| {
            let positions = selector.positions(columns)?;
            Ok(positions.into_iter().map(|position| columns[position].0.clone()).collect())
        })?;
    }
    Ok(all)
}

impl Described for Typed {
    fn width(&self) -> usize {
        self.len()
    }

    fn name(&self, position: usize) -> &str {
        &self[position].0
    }

    fn data_type(&self, position: usize) -> Result<DataType> {
        Ok(self[position].1.clone())
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.iter().position(|(of, _)| **of == *name)
    }
}

/// Returns the error for a condition that is not boolean.
pub(super) fn no_condition(found: &DataType) -> Error {
    let error = Error::type_mismatch(DataType::Boolean, found);
    error.with_remedy("compare the values, for example by `eq`, `gt` or `is_not_null`")
}

pub(super) fn type_of(expression: &Expr, columns: &Typed) -> Result<DataType> {
    let types = expression.leaves().iter().map(|leaf| leaf.data_type(columns)).collect::<Result<Vec<_>>>();
    let types = types.map_err(|error| error.in_whole_expression(|| expression.to_string()))?;
    let mut graph = Graph::new(types.into_iter().map(Input::new).collect());
    let id = graph.bind(expression.tree()).or_else(|_| {
        // The expression is bound a second time, with the names of its leaves for the error.
        let names: Vec<String> = expression.leaves().iter().map(ToString::to_string).collect();
        graph
            .bind_named(expression.tree(), &names.iter().map(String::as_str).collect::<Vec<_>>())
            .map_err(|error| error.in_whole_expression(|| expression.to_string()))
    })?;
    Ok(graph.node(id).data_type.clone())
}

impl Leaf {
    fn data_type(&self, columns: &Typed) -> Result<DataType> {
        match self {
            Leaf::Column(name) => {
                let found = columns.iter().find(|(of, _)| of == name);
                found
                    .map(|(_, data_type)| data_type.clone())
                    .ok_or_else(|| crate::names::unknown_name(name, columns.iter().map(|(name, _)| &**name)))
            }
            Leaf::Aggregate(aggregate) => match &aggregate.values {
                None => Ok(DataType::Int64),
                Some(values) => {
                    let of = type_of(values, columns)?;
                    default_output_type(aggregate.function.of_all_rows(), &of)
                        .map_err(|error| error.in_expression(|| self.to_string()))
                }
            },
            Leaf::Window(window) => {
                for key in &expanded(&window.keys, columns)? {
                    type_of(key, columns)?;
                }
                let of = window.values.as_ref().map_or(Ok(DataType::Int64), |values| type_of(values, columns))?;
                window.function.result_type(&of).map_err(|error| error.in_expression(|| self.to_string()))
            }
            Leaf::Elements(of) => {
                let lists = type_of(&of.lists, columns)?;
                let element = element_type(&lists).cloned().ok_or_else(|| {
                    Error::type_mismatch("a type of lists", &lists).in_expression(|| self.to_string())
                })?;
                let mut columns = columns.clone();
                columns.retain(|(name, _)| **name != *ELEMENT);
                columns.push((ELEMENT.into(), element));
                let body = type_of(&of.body, &columns)?;
                of.function.result_type(&lists, &body).map_err(|error| error.in_expression(|| self.to_string()))
            }
            Leaf::Element => {
                let found = columns.iter().find(|(name, _)| **name == *ELEMENT);
                found.map(|(_, data_type)| data_type.clone()).ok_or_else(super::rows::element_outside)
            }
            Leaf::Columns(_) => Err(Error::internal("a selector was not expanded")),
        }
    }
}

/// The name under which the type of the element is known within an expression over elements. No column has the name.
const ELEMENT: &str = "\0element";

impl ElementFunction {
    fn result_type(self, lists: &DataType, body: &DataType) -> Result<DataType> {
        let of_lists = |element: &DataType| {
            let item = Arc::new(Field::new("item", element.clone(), true));
            if matches!(lists, DataType::LargeList(_)) { DataType::LargeList(item) } else { DataType::List(item) }
        };
        match (self, lists) {
            (ElementFunction::Transform, _) => Ok(of_lists(body)),
            (ElementFunction::Filter, _) if *body != DataType::Boolean => {
                Err(no_condition(body).in_argument("condition"))
            }
            (ElementFunction::Filter, DataType::FixedSizeList(item, _)) => Ok(DataType::List(item.clone())),
            (ElementFunction::Filter, lists) => Ok(lists.clone()),
            (ElementFunction::Aggregate(aggregation), _) => default_output_type(aggregation.of_all_rows(), body),
        }
    }
}

impl WindowFunction {
    fn result_type(self, of: &DataType) -> Result<DataType> {
        let reduced = |aggregation| default_output_type(aggregation, of);
        match self {
            WindowFunction::Aggregate(aggregation) | WindowFunction::Rolling { aggregation, .. } => {
                reduced(aggregation.of_all_rows())
            }
            WindowFunction::Shift(_) | WindowFunction::Fill { .. } => Ok(of.clone()),
            WindowFunction::Scan(Scan::Sum) => reduced(ReduceAggregation::Sum),
            WindowFunction::Scan(Scan::Product) => reduced(ReduceAggregation::Product),
            WindowFunction::Scan(Scan::Min | Scan::Max) => Ok(of.clone()),
            WindowFunction::Rank { method: RankMethod::Average, .. } => Ok(DataType::Float64),
            WindowFunction::Rank { .. } => Ok(DataType::UInt32),
        }
    }
}
