//! Group-by and aggregations of all rows.

use std::sync::Arc;

use arrow_schema::{Field, FieldRef, Schema};
use gdf_api::groupby::NullPolicy;
use gdf_api::pipeline::{GroupRequest, Reduction};
use gdf_core::{Error, Result, Table};
use gdf_expr::col;

use super::{Grouping, Named, Rows};
use crate::columns::Columns;
use crate::expr::{Aggregate, Aggregation, Expr, Leaf};
use crate::names::{check_names, unknown_name};

/// Replaces the columns. If every output is an aggregation or a value, the result is one row.
pub(super) fn select(rows: &mut Rows, outputs: &[Expr]) -> Result<()> {
    let outputs = rows.expanded(outputs)?;
    if !outputs.is_empty() && outputs.iter().all(Expr::is_aggregated) {
        return group(rows, &Grouping { keys: Vec::new(), values: outputs, drops_null_keys: false });
    }
    let values = rows.resolve_all(outputs.iter())?;
    let named = outputs.iter().zip(values).map(|(output, value)| Named { name: output.name(), value });
    rows.set_outputs(named.collect())
}

/// Groups the rows by the keys. Without keys, all rows are one group.
pub(super) fn group(rows: &mut Rows, grouping: &Grouping) -> Result<()> {
    let keys = rows.expanded(&grouping.keys)?;
    let outputs = rows.expanded(&grouping.values)?;
    check_names(keys.iter().chain(&outputs).map(Expr::name).collect::<Vec<_>>().iter().map(|name| &**name))?;
    let aggregates = Aggregates::new(&outputs);
    let groups = groups(rows, &keys, &aggregates, grouping.drops_null_keys)?;
    let named = |(at, key): (usize, &Expr)| Named { name: key.name(), value: col(at) };
    let mut columns: Vec<Named> = keys.iter().enumerate().map(named).collect();
    for output in &outputs {
        columns.push(Named { name: output.name(), value: aggregates.value(output, &keys)? });
    }
    *rows = Rows::with_outputs(groups, columns);
    Ok(())
}

/// The distinct aggregations of expressions.
pub(super) struct Aggregates(Vec<Arc<Aggregate>>);

impl Aggregates {
    /// Returns these aggregations.
    pub(super) fn of(aggregates: Vec<Arc<Aggregate>>) -> Aggregates {
        Aggregates(aggregates)
    }

    /// Collects the aggregations of expressions.
    pub(super) fn new<'e>(outputs: impl IntoIterator<Item = &'e Expr>) -> Aggregates {
        let mut known: Vec<Leaf> = Vec::new();
        for leaf in outputs.into_iter().flat_map(Expr::leaves) {
            if matches!(leaf, Leaf::Aggregate(_)) && !known.contains(leaf) {
                known.push(leaf.clone());
            }
        }
        let aggregate = |leaf| match leaf {
            Leaf::Aggregate(aggregate) => Some(aggregate),
            _ => None,
        };
        Aggregates(known.into_iter().filter_map(aggregate).collect())
    }

    /// Returns an output as an expression over the columns that [`groups`] returns: the keys, then the aggregations.
    ///
    /// # Errors
    /// * [`NameNotFound`](Error::NameNotFound): the output contains a column that is neither a key nor aggregated.
    pub(super) fn value(&self, output: &Expr, keys: &[Expr]) -> Result<gdf_expr::Expr> {
        let position = |leaf: &Leaf| match leaf {
            Leaf::Aggregate(_) => {
                let at = self.0.iter().position(|known| Leaf::Aggregate(known.clone()) == *leaf);
                at.map(|at| keys.len() + at).ok_or_else(|| Error::internal("an aggregation was not collected"))
            }
            Leaf::Column(name) => keys.iter().position(|key| key.name() == *name).ok_or_else(|| {
                let names: Vec<Arc<str>> = keys.iter().map(Expr::name).collect();
                unknown_name(name, names.iter().map(|name| &**name))
                    .with_remedy("an output of a group-by consists of keys and of aggregations, such as `col(…).sum()`")
            }),
            Leaf::Window(_) => Err(Error::invalid_argument("an output of a group-by contains a window function")
                .with_remedy("compute it with `with` before the group-by")),
            Leaf::Columns(_) => Err(Error::internal("a selector was not expanded")),
        };
        let positions = output.leaves().iter().map(position).collect::<Result<Vec<_>>>()?;
        output.tree().substitute(|at| Ok(col(positions[at])))
    }
}

/// Returns a row for each group: the keys, then a column for each aggregation.
pub(super) fn groups(rows: &mut Rows, keys: &[Expr], aggregates: &Aggregates, drops_nulls: bool) -> Result<Columns> {
    let key_values = rows.resolve_all(keys.iter())?;
    let of_rows = key_values.first().cloned().unwrap_or_else(|| gdf_expr::lit(0));
    let mut values = Vec::with_capacity(aggregates.0.len());
    for aggregate in &aggregates.0 {
        values.push(match &aggregate.values {
            Some(of) => nested(of).map_or_else(|| rows.resolve_all(std::iter::once(of)), Err)?.remove(0),
            None => of_rows.clone(),
        });
    }
    let table = match keys.is_empty() {
        true => {
            let reduction =
                |(of, values): (&Arc<Aggregate>, gdf_expr::Expr)| Reduction::new(values, of.function.of_all_rows());
            let reductions: Vec<Reduction> = aggregates.0.iter().zip(values).map(reduction).collect();
            rows.pipeline().reduce(&reductions)?
        }
        false => grouped(rows, key_values.clone(), &values, aggregates, drops_nulls)?,
    };
    let mut fields: Vec<FieldRef> = Vec::with_capacity(table.num_columns());
    for (at, (key, value)) in keys.iter().zip(&key_values).enumerate() {
        fields.push(rows.field(&key.name(), value, &table, at)?);
    }
    for (at, aggregate) in aggregates.0.iter().enumerate() {
        let counts = matches!(aggregate.function, Aggregation::Len | Aggregation::Count | Aggregation::NUnique);
        let data_type = table.column(keys.len() + at)?.data_type().clone();
        fields.push(Arc::new(Field::new(format!("#{at}"), data_type, !counts)));
    }
    let schema = Schema::new_with_metadata(fields, rows.source().schema().metadata().clone());
    Ok(Columns::trusted(schema.into(), table))
}

/// Returns an error if the values of an aggregation contain an aggregation.
fn nested(values: &Expr) -> Option<Error> {
    values.leaves().iter().any(|leaf| matches!(leaf, Leaf::Aggregate(_))).then(|| {
        Error::invalid_argument("an aggregation contains an aggregation")
            .in_expression(|| values.to_string())
            .with_remedy("compute the inner one with `with` before")
    })
}

/// Aggregates groups. Aggregations of the same values are one request.
fn grouped(
    rows: &Rows,
    keys: Vec<gdf_expr::Expr>,
    values: &[gdf_expr::Expr],
    aggregates: &Aggregates,
    drops_nulls: bool,
) -> Result<Table> {
    let count = keys.len();
    let mut requests: Vec<GroupRequest> = Vec::new();
    // For each aggregation, its request and its position in the request.
    let mut places = Vec::with_capacity(values.len());
    for (value, aggregate) in values.iter().zip(&aggregates.0) {
        let at = requests.iter().position(|request| request.values.same(value)).unwrap_or_else(|| {
            requests.push(GroupRequest::new(value.clone(), Vec::new()));
            requests.len() - 1
        });
        places.push((at, requests[at].aggregations.len()));
        requests[at].aggregations.push(aggregate.function.of_groups());
    }
    if requests.is_empty() {
        // Keys without aggregations are the distinct keys.
        requests.push(GroupRequest::new(keys[0].clone(), vec![Aggregation::Len.of_groups()]));
    }
    let policy = if drops_nulls { NullPolicy::Exclude } else { NullPolicy::Include };
    let table = rows.pipeline().group_by(keys, policy).agg(&requests)?;
    let mut starts = vec![count];
    starts.extend(requests.iter().scan(count, |end, request| {
        *end += request.aggregations.len();
        Some(*end)
    }));
    let positions: Vec<usize> = (0..count).chain(places.iter().map(|(request, at)| starts[*request] + at)).collect();
    table.select(&positions)
}
