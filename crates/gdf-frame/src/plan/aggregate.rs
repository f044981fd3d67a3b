//! Group-by and aggregations of all rows.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_schema::{Field, FieldRef};
use gdf_api::groupby::{GroupByAggregation, NullPolicy};
use gdf_api::pipeline::{GroupRequest, Reduction};
use gdf_core::{DataType, Error, Result, Table, is_decimal};
use gdf_expr::ExprKind;

use super::rows::{col, element_outside, project};
use super::{Grouping, Named, Rows};
use crate::columns::Columns;
use crate::expr::{Aggregate, Aggregation, Expr, Leaf, distinct_leaves};
use crate::names::{check_names, unknown_name};

/// Returns whether a `select` of these outputs has one row.
pub(super) fn is_one_row(outputs: &[Expr]) -> bool {
    !outputs.is_empty() && outputs.iter().all(Expr::is_aggregated)
}

/// Replaces the columns. If every output is an aggregation or a literal, the result is one row.
pub(super) fn select(rows: &mut Rows, outputs: &[Expr]) -> Result<()> {
    let outputs = rows.expanded(outputs)?;
    if is_one_row(&outputs) {
        return grouped(rows, &[], &outputs, false);
    }
    let values = rows.resolve_all(outputs.iter())?;
    let named = outputs.iter().zip(values).map(|(output, value)| Named { name: output.name().into(), value });
    rows.set_outputs(named.collect())
}

/// Groups the rows by the keys. If there are no keys, all rows are one group.
pub(super) fn group(rows: &mut Rows, grouping: &Grouping) -> Result<()> {
    grouped(rows, &grouping.keys, &grouping.values, grouping.drops_null_keys)
}

fn grouped(rows: &mut Rows, keys: &[Expr], values: &[Expr], drops_null_keys: bool) -> Result<()> {
    let of = Outputs::new(rows, keys, values)?;
    let is_column = |(at, output): (usize, &Named)| matches!(output.value.kind(), ExprKind::Column(of) if *of == at);
    let are_columns = of.named.len() == of.keys.len() + of.aggregates.len();
    if are_columns && of.named.iter().enumerate().all(is_column) {
        *rows = Rows::new(named_groups(rows, &of.keys, &of.aggregates, drops_null_keys, &of.named)?);
        return Ok(());
    }
    let groups = groups(rows, &of.keys, &of.aggregates, drops_null_keys)?;
    *rows = Rows::with_outputs(groups, of.named);
    Ok(())
}

pub(super) struct Outputs<'e> {
    pub(super) keys: Cow<'e, [Expr]>,
    /// The distinct aggregations of all outputs.
    pub(super) aggregates: Vec<Arc<Aggregate>>,
    /// The keys and the outputs, as expressions over the columns that [`groups`] returns.
    pub(super) named: Vec<Named>,
}

impl<'e> Outputs<'e> {
    pub(super) fn new(rows: &Rows, keys: &'e [Expr], values: &[Expr]) -> Result<Outputs<'e>> {
        let keys = rows.expanded(keys)?;
        let outputs = rows.expanded(values)?;
        let aggregates = distinct_leaves(&*outputs, Leaf::aggregate);
        let mut named: Vec<Named> = Vec::with_capacity(keys.len() + outputs.len());
        named.extend(keys.iter().enumerate().map(|(at, key)| Named { name: key.name().into(), value: col(at) }));
        named.extend(outputs.iter().map(|output| Named { name: output.name().into(), value: col(0) }));
        check_names(named.iter().map(|output| &*output.name))?;
        check_nesting(&aggregates)?;
        for (named, output) in named[keys.len()..].iter_mut().zip(&*outputs) {
            named.value = output_value(output, &keys, &aggregates)?;
        }
        Ok(Outputs { keys, aggregates, named })
    }
}

/// Returns an output as an expression over the keys and aggregations that [`groups`] returns.
///
/// # Errors
/// * [`NameNotFound`](Error::NameNotFound): the output contains a column that is neither a key nor aggregated.
fn output_value(output: &Expr, keys: &[Expr], aggregates: &[Arc<Aggregate>]) -> Result<gdf_expr::Expr> {
    let position = |leaf: &Leaf| match leaf {
        Leaf::Aggregate(aggregate) => {
            // A quantile for NaN does not equal itself. The group-by refuses it later.
            let at = aggregates.iter().position(|known| Arc::ptr_eq(known, aggregate) || known == aggregate);
            at.map(|at| keys.len() + at).ok_or_else(|| Error::internal("an aggregation was not collected"))
        }
        Leaf::Column(name) => keys.iter().position(|key| key.name() == *name).ok_or_else(|| {
            let names: Vec<Arc<str>> = keys.iter().map(Expr::name).collect();
            unknown_name(name, names.iter().map(|name| &**name))
                .with_remedy("an output of a group-by consists of keys and of aggregations, such as `col(…).sum()`")
        }),
        Leaf::Window(_) => Err(Error::invalid_argument("an output of a group-by contains a window function")
            .with_remedy("compute the window function with `with` before the group-by")),
        Leaf::Elements(_) => {
            Err(Error::invalid_argument("an output of a group-by contains a function of the elements of lists")
                .with_remedy("compute the function with `with` before the group-by"))
        }
        Leaf::Element => Err(element_outside()),
        Leaf::Columns(_) => Err(Error::internal("a selector was not expanded")),
    };
    if let (ExprKind::Column(_), [leaf]) = (output.tree().kind(), output.leaves()) {
        return Ok(col(position(leaf)?));
    }
    let positions = output.leaves().iter().map(position).collect::<Result<Vec<_>>>()?;
    output.tree().substitute(|at| Ok(col(positions[at])))
}

/// Returns a row for each group: the keys, then a column for each aggregation. If there are no keys, all rows are one
/// group.
pub(super) fn groups(
    rows: &mut Rows,
    keys: &[Expr],
    aggregates: &[Arc<Aggregate>],
    drops_nulls: bool,
) -> Result<Columns> {
    named_groups(rows, keys, aggregates, drops_nulls, &[])
}

/// Does the same as [`groups`]. Aggregations get the names of their outputs in `named`, unless `named` is empty.
fn named_groups(
    rows: &mut Rows,
    keys: &[Expr],
    aggregates: &[Arc<Aggregate>],
    drops_nulls: bool,
    named: &[Named],
) -> Result<Columns> {
    let of = Grouped::new(rows, keys, aggregates)?;
    let table = match keys.is_empty() {
        true => rows.pipeline().reduce(&of.reductions(aggregates))?,
        false => {
            let (requests, outputs) = of.requests(rows, aggregates)?;
            let policy = if drops_nulls { NullPolicy::Exclude } else { NullPolicy::Include };
            let groups = rows.pipeline().group_by(of.keys.clone(), policy).agg(&requests)?;
            project(&groups, &outputs)?
        }
    };
    of.columns(rows, keys, aggregates, table, named)
}

/// The keys of a group-by, and the values of each aggregation, as expressions over the source.
pub(super) struct Grouped {
    pub(super) keys: Vec<gdf_expr::Expr>,
    values: Vec<gdf_expr::Expr>,
}

impl Grouped {
    pub(super) fn new(rows: &mut Rows, keys: &[Expr], aggregates: &[Arc<Aggregate>]) -> Result<Grouped> {
        let values = aggregates.iter().filter_map(|aggregate| aggregate.values.as_ref());
        let mut keys_and_values = rows.resolve_all(keys.iter().chain(values))?;
        let mut values = keys_and_values.split_off(keys.len()).into_iter();
        // An aggregation without values counts rows. The group-by needs a column for it, and any column will do.
        let any = keys_and_values.first().cloned().unwrap_or_else(|| gdf_expr::lit(0));
        let value = |aggregate: &Arc<Aggregate>| match &aggregate.values {
            Some(_) => values.next().ok_or_else(|| Error::internal("the values of an aggregation are missing")),
            None => Ok(any.clone()),
        };
        let values = aggregates.iter().map(value).collect::<Result<Vec<_>>>()?;
        Ok(Grouped { keys: keys_and_values, values })
    }

    pub(super) fn values(&self) -> &[gdf_expr::Expr] {
        &self.values
    }

    /// Returns whether a group-by supports the types of all values. A reduction supports more types.
    pub(super) fn has_groups(&self, rows: &Rows, aggregates: &[Arc<Aggregate>]) -> Result<bool> {
        for (value, aggregate) in self.values.iter().zip(aggregates) {
            let data_type = rows.type_of(value)?;
            let of = match aggregate.function {
                Aggregation::Mean if is_decimal(&data_type) => GroupByAggregation::Sum,
                function => function.of_groups(),
            };
            match of.result_type(&data_type, 0) {
                Err(Error::Unsupported { .. }) => return Ok(false),
                result => result.map(drop)?,
            }
        }
        Ok(true)
    }

    pub(super) fn reductions(&self, aggregates: &[Arc<Aggregate>]) -> Vec<Reduction> {
        let reduction = |(of, values): (&Arc<Aggregate>, &gdf_expr::Expr)| {
            Reduction::new(values.clone(), of.function.of_all_rows())
        };
        aggregates.iter().zip(&self.values).map(reduction).collect()
    }

    /// Returns the requests of the group-by, and the keys and results as expressions over the table of groups. The mean
    /// of a decimal is the quotient of its sum and its count, as a float.
    pub(super) fn requests(
        &self,
        rows: &Rows,
        aggregates: &[Arc<Aggregate>],
    ) -> Result<(Vec<GroupRequest>, Vec<gdf_expr::Expr>)> {
        let count = self.keys.len();
        let mut requests = Requests::default();
        let mut parts = Vec::with_capacity(self.values.len());
        for (value, aggregate) in self.values.iter().zip(aggregates) {
            parts.push(match aggregate.function {
                Aggregation::Mean if is_decimal(&rows.type_of(value)?) => {
                    let sum = requests.add(value, GroupByAggregation::Sum);
                    (sum, Some(requests.add(value, GroupByAggregation::CountValid)))
                }
                function => (requests.add(value, function.of_groups()), None),
            });
        }
        if parts.is_empty() {
            // A group-by needs at least one aggregation, so the rows are counted. The count is not in the result.
            requests.add(&self.keys[0], Aggregation::Len.of_groups());
        }
        let starts = requests.starts(count);
        let result = |(request, at): Place| col(starts[request] + at);
        let output = |(value, divisor): (Place, Option<Place>)| match divisor {
            Some(divisor) => result(value).cast(DataType::Float64) / result(divisor).cast(DataType::Float64),
            None => result(value),
        };
        let outputs = (0..count).map(col).chain(parts.into_iter().map(output)).collect();
        Ok((requests.0, outputs))
    }

    pub(super) fn columns(
        &self,
        rows: &Rows,
        keys: &[Expr],
        aggregates: &[Arc<Aggregate>],
        table: Table,
        named: &[Named],
    ) -> Result<Columns> {
        let mut fields: Vec<FieldRef> = Vec::with_capacity(table.num_columns());
        for (at, (key, value)) in keys.iter().zip(&self.keys).enumerate() {
            fields.push(rows.field(&key.name(), value, &table, at)?);
        }
        for (at, aggregate) in aggregates.iter().enumerate() {
            let counts = matches!(aggregate.function, Aggregation::Len | Aggregation::Count | Aggregation::NUnique);
            let data_type = table.column(keys.len() + at)?.data_type().clone();
            let name = named.get(keys.len() + at).map_or_else(|| format!("#{at}"), |output| output.name.to_string());
            fields.push(Arc::new(Field::new(name, data_type, !counts)));
        }
        Ok(rows.source().replaced(fields, table))
    }
}

pub(super) fn check_nesting(aggregates: &[Arc<Aggregate>]) -> Result<()> {
    let is_nested = |values: &&Expr| values.leaves().iter().any(Leaf::has_aggregate);
    match aggregates.iter().filter_map(|aggregate| aggregate.values.as_ref()).find(is_nested) {
        None => Ok(()),
        Some(values) => Err(Error::invalid_argument("an aggregation contains an aggregation")
            .in_expression(|| values.to_string())
            .with_remedy("compute the inner aggregation with `with` first")),
    }
}

/// The requests of a group-by. All aggregations of the same values belong to one request.
#[derive(Default)]
struct Requests(Vec<GroupRequest>);

/// The position of a request, and the position of an aggregation in the request.
type Place = (usize, usize);

impl Requests {
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

    use crate::{Frame, LazyFrame, col};

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

    #[test]
    fn means_of_decimals_leave_out_nulls() {
        let prices = [Some(5_i64), None, Some(6), None];
        let prices = Column::from_options_typed(&prices, &DataType::Decimal64(9, 2)).unwrap();
        let keys = Column::from_slice(&[1, 1, 1, 1]).unwrap();
        let frame = Frame::try_new([("k", keys), ("price", prices)]).unwrap();
        let batches = LazyFrame::from_batches([frame.slice(0, 2).unwrap(), frame.slice(2, 2).unwrap()]).unwrap();
        for lazy in [frame.lazy(), batches] {
            let means = lazy.clone().group_by(["k"]).agg([col("price").mean()]).collect().unwrap();
            assert_eq!(means.column("price").unwrap().get::<f64>(0).unwrap(), Some(0.055));
            let all = lazy.select([col("price").mean()]).collect().unwrap();
            assert_eq!(all.column("price").unwrap().get::<f64>(0).unwrap(), Some(0.055));
        }
    }
}
