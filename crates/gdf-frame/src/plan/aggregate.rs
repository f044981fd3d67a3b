//! Group-by and aggregations of all rows.

use std::sync::Arc;

use arrow_schema::{Field, FieldRef, Schema};
use gdf_api::groupby::{GroupByAggregation, NullPolicy};
use gdf_api::pipeline::{GroupRequest, Reduction};
use gdf_core::{DataType, Error, Result, Table, is_decimal};
use gdf_expr::col;

use super::rows::project;
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

/// Aggregates groups. Means of decimals are floats, as they are without keys: the quotients of sums and counts.
fn grouped(
    rows: &Rows,
    keys: Vec<gdf_expr::Expr>,
    values: &[gdf_expr::Expr],
    aggregates: &Aggregates,
    drops_nulls: bool,
) -> Result<Table> {
    let count = keys.len();
    let mut requests = Requests::default();
    let mut parts = Vec::with_capacity(values.len());
    for (value, aggregate) in values.iter().zip(&aggregates.0) {
        parts.push(match aggregate.function {
            Aggregation::Mean if is_decimal(&rows.type_of(value)?) => {
                let sum = requests.add(value, GroupByAggregation::Sum);
                (sum, Some(requests.add(value, GroupByAggregation::CountValid)))
            }
            function => (requests.add(value, function.of_groups()), None),
        });
    }
    if parts.is_empty() {
        // Keys without aggregations are the distinct keys.
        requests.add(&keys[0], Aggregation::Len.of_groups());
    }
    let policy = if drops_nulls { NullPolicy::Exclude } else { NullPolicy::Include };
    let table = rows.pipeline().group_by(keys, policy).agg(&requests.0)?;
    let starts = requests.starts(count);
    let result = |(request, at): Place| col(starts[request] + at);
    let output = |(value, divisor): (Place, Option<Place>)| match divisor {
        Some(divisor) => result(value).cast(DataType::Float64) / result(divisor).cast(DataType::Float64),
        None => result(value),
    };
    let outputs: Vec<gdf_expr::Expr> = (0..count).map(col).chain(parts.into_iter().map(output)).collect();
    project(&table, &outputs)
}

/// The requests of a group-by. Aggregations of the same values are one request.
#[derive(Default)]
struct Requests(Vec<GroupRequest>);

/// The position of a request, and of an aggregation in the request.
type Place = (usize, usize);

impl Requests {
    /// Adds an aggregation, unless it is there already.
    fn add(&mut self, values: &gdf_expr::Expr, aggregation: GroupByAggregation) -> Place {
        let Requests(requests) = self;
        let request = requests.iter().position(|request| request.values.same(values)).unwrap_or_else(|| {
            requests.push(GroupRequest::new(values.clone(), Vec::new()));
            requests.len() - 1
        });
        let aggregations = &mut requests[request].aggregations;
        let at = aggregations.iter().position(|known| *known == aggregation).unwrap_or_else(|| {
            aggregations.push(aggregation);
            aggregations.len() - 1
        });
        (request, at)
    }

    /// Returns the position of the first result of each request, in a table that begins with keys.
    fn starts(&self, keys: usize) -> Vec<usize> {
        let end = |end: &mut usize, request: &GroupRequest| {
            let start = *end;
            *end += request.aggregations.len();
            Some(start)
        };
        self.0.iter().scan(keys, end).collect()
    }
}

#[cfg(test)]
mod tests {
    use gdf_core::{Column, DataType};

    use crate::{Frame, col};

    #[test]
    fn means_of_decimals_are_floats_with_and_without_keys() {
        let prices = Column::from_options_typed(&[Some(5_i64), Some(6), None], &DataType::Decimal64(9, 2)).unwrap();
        let keys = Column::from_slice(&[1, 1, 2]).unwrap();
        let frame = Frame::try_new([("k", keys), ("price", prices)]).unwrap();
        let all = frame.select([col("price").mean()]).unwrap();
        assert_eq!(all.column("price").unwrap().get::<f64>(0).unwrap(), Some(0.055));
        let means = frame.group_by(["k"]).agg([col("price").mean(), col("price").sum().alias("sum")]).unwrap();
        let means = means.sort(["k"]).unwrap();
        assert_eq!(means.names().collect::<Vec<_>>(), ["k", "price", "sum"]);
        assert_eq!(means.column("price").unwrap().to_vec::<f64>().unwrap(), [Some(0.055), None]);
        let of_rows = frame.select([(col("price").mean().over(["k"]) * 2.0).alias("twice")]).unwrap();
        assert_eq!(of_rows.column("twice").unwrap().to_vec::<f64>().unwrap(), [Some(0.11), Some(0.11), None]);
    }
}
