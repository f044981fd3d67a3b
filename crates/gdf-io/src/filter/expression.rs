//! Binds expressions over columns with names to the columns of a file.

use std::path::Path;

use arrow_schema::Field;
use gdf_core::{Column, DataType, Literal, Result as CoreResult, Scalar};
use gdf_driver::{Device, Stream};
use gdf_expr::types::decoded_type;
use gdf_expr::{BinaryOperator, Graph, Input, NodeId, Operation, UnaryOperator, Value};

use super::Filter;
use super::bind::{FEW, makes_sets, refused, set, values_type};
use crate::condition::Condition;
use crate::options::Options;
use crate::predicate::Comparison;
use crate::{Error, Result};

impl Filter {
    /// Binds the conditions of a read to `fields`, the columns that the conditions read.
    ///
    /// # Errors
    /// - [`Error::Predicate`], [`Error::NoColumn`], [`Error::Gdf`]: a condition does not fit the types of the columns.
    pub(crate) fn of(options: &Options, fields: &[&Field], path: &Path) -> Result<Filter> {
        let mut filters = Vec::new();
        if let Some(predicate) = &options.predicate {
            filters.push(Filter::bind(predicate, fields, path)?);
        }
        for condition in &options.conditions {
            filters.push(bind(condition, fields)?);
        }
        Ok(match <[Filter; 1]>::try_from(filters) {
            Ok([only]) => only,
            Err(filters) => Filter::All(filters),
        })
    }
}

fn bind(condition: &Condition, fields: &[&Field]) -> Result<Filter> {
    let names: Vec<&str> = condition.names().iter().map(String::as_str).collect();
    let place = |name: &&str| fields.iter().position(|field| field.name() == name);
    let places: Vec<Option<usize>> = names.iter().map(place).collect();
    let input = |place: &Option<usize>| {
        let Some(field) = place.map(|place| fields[place]) else { return Ok(Input::new(DataType::Null)) };
        let data_type = decoded_type(field.data_type());
        if gdf_core::is_nested(data_type) {
            return Err(refused(field, "nested columns cannot be compared; use a column that is not nested"));
        }
        Ok(Input::new(data_type.clone()))
    };
    let mut graph = Graph::new(places.iter().map(input).collect::<Result<Vec<_>>>()?);
    let in_condition = |error: gdf_core::Error| Error::from(error.in_argument("condition").in_operation("filter"));
    let root = graph.bind_named(condition.expression(), &names).map_err(in_condition)?;
    let found = &graph.node(root).data_type;
    if *found != DataType::Boolean {
        return Err(in_condition(gdf_core::Error::type_mismatch(DataType::Boolean, found)));
    }
    let rule = "the condition reads no column; compare at least 1 column";
    let first =
        condition.expression().columns().into_iter().find_map(|position| places.get(position).copied().flatten());
    let first = first.ok_or_else(|| in_condition(gdf_core::Error::invalid_argument(rule)))?;
    Ok(Binding { graph: &graph, places: &places, fields, first }.filter(root)?)
}

/// The nodes of a condition, and the places of its columns among the columns of all conditions.
struct Binding<'a> {
    graph: &'a Graph,
    places: &'a [Option<usize>],
    fields: &'a [&'a Field],
    /// A column, for conditions without any.
    first: usize,
}

impl Binding<'_> {
    fn filter(&self, id: NodeId) -> CoreResult<Filter> {
        let graph = self.graph;
        let node = graph.node(id);
        let each = |ids: Vec<NodeId>| ids.into_iter().map(|id| self.filter(id)).collect::<CoreResult<Vec<_>>>();
        let known = match (&node.operation, node.arguments.as_slice()) {
            (Operation::Binary(BinaryOperator::NullLogicalAnd), _) => Some(Filter::All(each(graph.conjuncts(id))?)),
            (Operation::Binary(BinaryOperator::NullLogicalOr), _) => Some(Filter::Any(each(graph.disjuncts(id))?)),
            (Operation::Literal(value), _) if value.boolean() != Some(true) => Some(Filter::Any(Vec::new())),
            (Operation::Column(_), _) => self.compared(id, BinaryOperator::Equal, &Value::from(true))?,
            (Operation::Binary(op), [lhs, rhs]) => match (graph.value(*lhs), graph.value(*rhs)) {
                (None, Some(value)) => self.compared(*lhs, *op, value)?,
                (Some(value), None) => match op.mirrored() {
                    Some(op) => self.compared(*rhs, op, value)?,
                    None => None,
                },
                _ => None,
            },
            (Operation::IsNull, [value]) => self.null(*value, true),
            (Operation::Unary(UnaryOperator::Not), [inner]) => match graph.node(*inner).operation {
                Operation::IsNull => self.null(graph.node(*inner).arguments[0], false),
                _ => None,
            },
            (Operation::IsIn(list), [value]) => self.one_of(*value, list)?,
            _ => None,
        };
        known.map_or_else(|| self.expression(id), Ok)
    }

    fn column(&self, id: NodeId) -> Option<usize> {
        self.places[self.graph.column(id)?]
    }

    fn null(&self, value: NodeId, is_null: bool) -> Option<Filter> {
        Some(Filter::Null { column: self.column(value)?, is_null })
    }

    fn compared(&self, value: NodeId, op: BinaryOperator, literal: &Value) -> CoreResult<Option<Filter>> {
        let comparison = match op {
            BinaryOperator::Equal => Comparison::Eq,
            BinaryOperator::NotEqual => Comparison::Neq,
            BinaryOperator::Less => Comparison::Lt,
            BinaryOperator::LessEqual => Comparison::LtEq,
            BinaryOperator::Greater => Comparison::Gt,
            BinaryOperator::GreaterEqual => Comparison::GtEq,
            _ => return Ok(None),
        };
        let Some(column) = self.column(value) else { return Ok(None) };
        // No comparison with a null is true.
        if literal.is_null() {
            return Ok(Some(Filter::Any(Vec::new())));
        }
        let literal = Scalar::from_column(on_cpu(literal.literal()?)?)?.into();
        Ok(Some(Filter::Compare { column, comparison, literal }))
    }

    /// Returns the condition that the value of a column equals one of the values, which have the type of the column.
    fn one_of(&self, value: NodeId, list: &[Value]) -> CoreResult<Option<Filter>> {
        let Some(column) = self.column(value) else { return Ok(None) };
        if list.len() <= FEW {
            let equal = |value: &Value| self.compared_column(column, value);
            return list.iter().map(equal).collect::<CoreResult<Vec<_>>>().map(Filter::Any).map(Some);
        }
        let data_type = values_type(self.fields[column].data_type());
        if !makes_sets(data_type) || list.iter().any(|value| value.data_type() != data_type) {
            return Ok(None);
        }
        let stream = Stream::cpu();
        let arrays = list.iter().map(|value| on_cpu(value.literal()?)?.to_arrow(&stream));
        let arrays = arrays.collect::<CoreResult<Vec<_>>>()?;
        let arrays: Vec<_> = arrays.iter().map(AsRef::as_ref).collect();
        let mr = gdf_memory::current_resource(Device::Cpu)?;
        let values = Column::from_arrow(&arrow_select::concat::concat(&arrays)?, &stream, mr.as_ref())?;
        set(column, values).map(Some)
    }

    fn compared_column(&self, column: usize, value: &Value) -> CoreResult<Filter> {
        let literal = Scalar::from_column(on_cpu(value.literal()?)?)?.into();
        Ok(Filter::Compare { column, comparison: Comparison::Eq, literal })
    }

    /// Returns a condition that is evaluated as an expression.
    fn expression(&self, id: NodeId) -> CoreResult<Filter> {
        let positions = self.graph.columns(&[id]);
        let columns: Vec<usize> = positions.iter().filter_map(|position| self.places[*position]).collect();
        let columns = if columns.is_empty() { vec![self.first] } else { columns };
        let (graph, roots) = self.graph.with_only_columns(&[id], &positions)?;
        Ok(Filter::Expression { columns, condition: graph.expression(roots[0]) })
    }
}

/// Returns a column of one row on the CPU.
fn on_cpu(literal: Literal<'_>) -> CoreResult<Column> {
    let mr = gdf_memory::current_resource(Device::Cpu)?;
    Column::full_on(literal, 1, &Stream::cpu(), mr.as_ref())
}
