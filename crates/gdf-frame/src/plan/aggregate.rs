//! Group-by and aggregations of all rows.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_schema::{Field, FieldRef};
use gdf_api::groupby::{GroupByAggregation, NullPolicy};
use gdf_api::pipeline::{GroupRequest, Pipeline, Reduction};
use gdf_core::{DataType, Error, Result, Table, is_decimal};
use gdf_expr::ExprKind;

use super::rows::{col, element_outside, project};
use super::{Grouping, Named, Rows, sums, wide_sums};
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
    let count = Some(rows.source().table().num_rows());
    let table = match keys.is_empty() {
        true => of.reductions(aggregates, count).run(&rows.pipeline())?,
        false => {
            let of_groups = of.requests(aggregates, count)?;
            let policy = if drops_nulls { NullPolicy::Exclude } else { NullPolicy::Include };
            let groups = rows.pipeline().group_by(of.keys.clone(), policy).agg(&of_groups.requests)?;
            of_groups.outputs(&groups)?
        }
    };
    of.columns(rows, keys, aggregates, table, named)
}

/// The keys of a group-by, and the values of each aggregation, as expressions over the source.
#[derive(Clone)]
pub(super) struct Grouped {
    pub(super) keys: Vec<gdf_expr::Expr>,
    values: Vec<gdf_expr::Expr>,
    /// The types of the values. A value whose type is not known yet has the type `Null`.
    types: Vec<DataType>,
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
        let mut values = aggregates.iter().map(value).collect::<Result<Vec<_>>>()?;
        // The pipeline returns the error of a value without a type.
        let mut types: Vec<DataType> =
            values.iter().map(|value| rows.type_of(value).unwrap_or(DataType::Null)).collect();
        for ((value, data_type), aggregate) in values.iter_mut().zip(&mut types).zip(aggregates) {
            let of_floats = match aggregate.function {
                Aggregation::Var | Aggregation::Std | Aggregation::Product => true,
                Aggregation::Median | Aggregation::Quantile { .. } => !keys.is_empty(),
                _ => false,
            };
            if of_floats && is_decimal(data_type) {
                (*value, *data_type) = (value.clone().cast(DataType::Float64), DataType::Float64);
            }
        }
        Ok(Grouped { keys: keys_and_values, values, types })
    }

    pub(super) fn values(&self) -> &[gdf_expr::Expr] {
        &self.values
    }

    /// Returns the same values as columns of a table, and no keys.
    pub(super) fn of_columns(&self) -> Grouped {
        Grouped { keys: Vec::new(), values: (0..self.values.len()).map(col).collect(), types: self.types.clone() }
    }

    /// Returns the same values with a key that is the same in all rows.
    pub(super) fn of_one_group(&self) -> Grouped {
        Grouped { keys: vec![gdf_expr::lit(0)], ..self.clone() }
    }

    /// Returns whether a group-by supports the types of all values. A reduction supports more types.
    pub(super) fn has_groups(&self, aggregates: &[Arc<Aggregate>]) -> Result<bool> {
        for (data_type, aggregate) in self.types.iter().zip(aggregates) {
            let of = match aggregate.function {
                Aggregation::Mean if is_decimal(data_type) => GroupByAggregation::Sum,
                function => function.of_groups(),
            };
            match of.result_type(data_type, 0) {
                Err(Error::Unsupported { .. }) => return Ok(false),
                result => result.map(drop)?,
            }
        }
        Ok(true)
    }

    /// Returns the reductions of `rows` rows. `None` stands for an unknown number.
    pub(super) fn reductions(&self, aggregates: &[Arc<Aggregate>], rows: Option<usize>) -> Reductions {
        let mut of = Reductions { reductions: Vec::new(), count: aggregates.len(), checks: Vec::new() };
        let mut rough = Vec::new();
        for ((aggregate, value), data_type) in aggregates.iter().zip(&self.values).zip(&self.types) {
            let as_floats = || value.clone().cast(DataType::Float64);
            let may_exceed = sums::may_exceed(data_type, rows);
            let values = match aggregate.function {
                Aggregation::Mean if may_exceed && matches!(data_type, DataType::Decimal256(..)) => as_floats(),
                _ => value.clone(),
            };
            if aggregate.function == Aggregation::Sum && may_exceed {
                of.checks.push((of.reductions.len(), aggregates.len() + rough.len()));
                rough.push(Reduction::new(as_floats(), Aggregation::Sum.of_all_rows()));
            }
            of.reductions.push(Reduction::new(values, aggregate.function.of_all_rows()));
        }
        of.reductions.extend(rough);
        of
    }

    /// Returns the requests of a group-by of `rows` rows. `None` stands for an unknown number. The mean of a decimal is
    /// the quotient of its sum and its count, as a float.
    ///
    /// # Errors
    /// * Memory errors.
    pub(super) fn requests(&self, aggregates: &[Arc<Aggregate>], rows: Option<usize>) -> Result<GroupRequests> {
        let count = self.keys.len();
        let mut requests = Requests::default();
        let mut of_results = Vec::with_capacity(self.values.len());
        for ((value, data_type), aggregate) in self.values.iter().zip(&self.types).zip(aggregates) {
            let is_summed = matches!(aggregate.function, Aggregation::Sum | Aggregation::Mean);
            let may_exceed = is_summed && sums::may_exceed(data_type, rows);
            let as_floats = || value.clone().cast(DataType::Float64);
            if let (true, DataType::Decimal256(_, scale)) = (is_summed, data_type) {
                let is_mean = aggregate.function == Aggregation::Mean;
                if is_mean && may_exceed {
                    let mean = requests.add(&as_floats(), GroupByAggregation::Mean);
                    of_results.push(Part::Result { value: mean, rough: None });
                    continue;
                }
                let parts = wide_sums::parts(value, *scale)?;
                let parts = parts.map(|part| requests.add(&part, GroupByAggregation::Sum));
                let count = is_mean.then(|| requests.add(value, GroupByAggregation::CountValid));
                of_results.push(Part::Wide { parts, scale: *scale, count });
                continue;
            }
            let rough = may_exceed.then(|| requests.add(&as_floats(), GroupByAggregation::Sum));
            of_results.push(match aggregate.function {
                Aggregation::Mean if is_decimal(data_type) => {
                    let sum = requests.add(value, GroupByAggregation::Sum);
                    let limit = sums::wrap_limit(data_type);
                    Part::Mean { sum, rough, limit, count: requests.add(value, GroupByAggregation::CountValid) }
                }
                Aggregation::Sum if *data_type == DataType::UInt64 => {
                    // The group-by adds the 64 bits of the numbers, and returns the sums as `Int64`.
                    Part::Unsigned(requests.add(value, GroupByAggregation::Sum))
                }
                function => Part::Result { value: requests.add(value, function.of_groups()), rough },
            });
        }
        if of_results.is_empty() {
            // A group-by needs at least one aggregation, so the rows are counted. The count is not in the result.
            requests.add(&self.keys[0], Aggregation::Len.of_groups());
        }
        let starts = requests.starts(count);
        let at = |(request, at): Place| starts[request] + at;
        let float = |place: Place| col(at(place)).cast(DataType::Float64);
        let output = |part: &Part| {
            Ok(match *part {
                Part::Result { value, .. } => col(at(value)),
                Part::Unsigned(sum) => col(at(sum)).cast(DataType::UInt64),
                Part::Wide { parts, scale, count } => {
                    let sum = wide_sums::of_parts(parts.map(|part| col(at(part))), scale)?;
                    match count {
                        Some(count) => sum.cast(DataType::Float64) / float(count),
                        None => sum,
                    }
                }
                Part::Mean { sum, rough: None, count, .. } => float(sum) / float(count),
                Part::Mean { sum, rough: Some(rough), limit, count } => {
                    let has_wrapped = (float(sum) - float(rough)).abs().gt(limit);
                    gdf_expr::when(has_wrapped, float(rough)).otherwise(float(sum)) / float(count)
                }
            })
        };
        let outputs = (0..count).map(|key| Ok(col(key))).chain(of_results.iter().map(output));
        let outputs = outputs.collect::<Result<_>>()?;
        let check = |part: &Part| match *part {
            Part::Result { value, rough: Some(rough) } => Some((at(value), at(rough))),
            _ => None,
        };
        Ok(GroupRequests { outputs, checks: of_results.iter().filter_map(check).collect(), requests: requests.0 })
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

/// Reductions of all rows, followed by reductions with which sums of decimals are checked.
pub(super) struct Reductions {
    reductions: Vec<Reduction>,
    /// The number of reductions that are results.
    count: usize,
    /// The positions of sums that may have too many digits, and of the same sums as floats.
    checks: Vec<(usize, usize)>,
}

impl Reductions {
    /// Returns one row with the results.
    pub(super) fn run(&self, pipeline: &Pipeline<'_>) -> Result<Table> {
        self.checked(pipeline.reduce(&self.reductions)?)
    }

    /// Returns the reductions, also those with which sums are checked.
    pub(super) fn all(&self) -> &[Reduction] {
        &self.reductions
    }

    /// Checks sums, and returns the results.
    pub(super) fn checked(&self, table: Table) -> Result<Table> {
        sums::check(&table, &self.checks)?;
        if self.checks.is_empty() { Ok(table) } else { table.select(&(0..self.count).collect::<Vec<_>>()) }
    }
}

/// The requests of a group-by, and the keys and results as expressions over the table of groups.
pub(super) struct GroupRequests {
    pub(super) requests: Vec<GroupRequest>,
    outputs: Vec<gdf_expr::Expr>,
    /// The positions of sums that may have too many digits, and of the same sums as floats.
    checks: Vec<(usize, usize)>,
}

impl GroupRequests {
    /// Returns the keys and the results of the groups.
    pub(super) fn outputs(&self, groups: &Table) -> Result<Table> {
        sums::check(groups, &self.checks)?;
        project(groups, &self.outputs)
    }
}

/// The parts of an aggregation in the table of groups. `rough` is the sum as a float, if the sum may have too many
/// digits.
enum Part {
    Result { value: Place, rough: Option<Place> },
    Unsigned(Place),
    Wide { parts: [Place; 3], scale: i8, count: Option<Place> },
    Mean { sum: Place, rough: Option<Place>, limit: f64, count: Place },
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
