//! Lowers group-bys and aggregations of all rows.

use std::sync::Arc;

use gdf_api::groupby::GroupByAggregation;
use gdf_api::pipeline::Reduction;
use gdf_api::reduction::ReduceAggregation;
use gdf_api::unary::cast;
use gdf_core::{Column, DataType, Error, Result, Table};
use gdf_exec::{Aggregate as AggregateNode, Call, Finish, Measure, Needs, Node, Request, RowsFunction};

use super::{Lowered, Runner, mapped};
use crate::columns::Columns;
use crate::expr::{Aggregate, Expr};
use crate::plan::aggregate::{GroupRequests, Grouped, Outputs, Reductions};
use crate::plan::needed::Needed;
use crate::plan::rows::exact;
use crate::plan::{Grouping, Rows, Step};

/// A value, its measure, and the type of the result.
type Measured = (gdf_expr::Expr, Measure, DataType);

impl Lowered {
    /// Groups the rows by the keys. `step` is the verb.
    pub(super) fn group(&mut self, step: &Step, of: &Grouping, after: &Needed, run: &Runner<'_>) -> Result<()> {
        let outputs = Outputs::new(&self.rows, &of.keys, &of.values)?;
        let values = outputs.aggregates.iter().filter_map(|aggregate| aggregate.values.as_ref());
        if !self.prepare(outputs.keys.iter().chain(values), run)? {
            return self.verb(step, Needs::All, Vec::new(), after);
        }
        let (node, columns) = self.groups(&outputs.keys, &outputs.aggregates, of.drops_null_keys, run)?;
        self.set_node(node, columns);
        self.rows = Rows::of_scan_with_outputs(self.rows.source().clone(), outputs.named);
        Ok(())
    }

    /// Returns a node with a row for each group: the keys, then a column for each aggregation. Without keys, all rows are
    /// one group. Also returns the columns of the node without rows.
    pub(super) fn groups(
        &mut self,
        keys: &[Expr],
        aggregates: &[Arc<Aggregate>],
        drops_null_keys: bool,
        run: &Runner<'_>,
    ) -> Result<(Node, Columns)> {
        let of = Grouped::new(&mut self.rows, keys, aggregates)?;
        let (node, types, finish) = match keys.is_empty() {
            false => self.of_keys(&of.keys, drops_null_keys, of.requests(aggregates, None)?, None)?,
            true if !of.has_groups(aggregates)? => {
                let reductions = of.of_columns().reductions(aggregates, None);
                let node = Node::Rows(Box::new(self.rows_with(of.values())?));
                let values = self.rows.project(of.values())?;
                (node, values.data_types().cloned().collect(), Finishing::Reduce(reductions))
            }
            true if run.in_parts => {
                // In parts, sums and means of all rows are put together as those of a group are.
                let without_rows = of.reductions(aggregates, None).run(&exact(self.rows.source().table()))?;
                let of = of.of_one_group();
                self.of_keys(&of.keys, false, of.requests(aggregates, None)?, Some(without_rows))?
            }
            true => {
                let reductions = of.reductions(aggregates, None);
                // Rows without conditions have the same types.
                let without_rows = exact(self.rows.source().table()).reduce(reductions.all())?;
                let measured = |(reduction, data_type): (&Reduction, &DataType)| {
                    Ok((reduction.values.clone(), of_reduction(reduction.aggregation)?, data_type.clone()))
                };
                let measured = reductions.all().iter().zip(without_rows.data_types()).map(measured);
                let node = self.aggregate(&[], false, measured.collect::<Result<_>>()?)?;
                (node, without_rows.data_types().cloned().collect(), Finishing::Check(reductions))
            }
        };
        let columns = types.iter().map(Column::empty).collect::<Result<_>>()?;
        let table = finish.run(Table::try_with_rows(columns, 0)?)?.slice(0, 0)?;
        let columns = of.columns(&self.rows, keys, aggregates, table, &[])?;
        Ok((mapped(node, finish), columns))
    }

    /// Returns a node with the groups and its types. `one_row` is the result without rows if all rows are one group.
    fn of_keys(
        &self,
        keys: &[gdf_expr::Expr],
        drops_null_keys: bool,
        requests: GroupRequests,
        one_row: Option<Table>,
    ) -> Result<(Node, Vec<DataType>, Finishing)> {
        let mut types = keys.iter().map(|key| self.rows.type_of(key)).collect::<Result<Vec<_>>>()?;
        let mut measured: Vec<Measured> = Vec::new();
        for request in &requests.requests {
            let data_type = self.rows.type_of(&request.values)?;
            for aggregation in &request.aggregations {
                let result = aggregation.result_type(&data_type, 0)?;
                types.push(result.clone());
                measured.push((request.values.clone(), of_group(*aggregation)?, result));
            }
        }
        let node = self.aggregate(keys, drops_null_keys, measured)?;
        Ok((node, types, Finishing::Groups { requests, one_row }))
    }

    fn aggregate(&self, keys: &[gdf_expr::Expr], drops_null_keys: bool, of: Vec<Measured>) -> Result<Node> {
        let mut values = keys.to_vec();
        let mut requests = Vec::with_capacity(of.len());
        for (value, measure, data_type) in of {
            let at = values.iter().position(|known| known.same(&value)).unwrap_or_else(|| {
                values.push(value);
                values.len() - 1
            });
            requests.push(Request { values: Some(at), measure, data_type });
        }
        let call = |(at, request): (usize, &Request)| Call {
            finish: Finish::Request(at),
            data_type: request.data_type.clone(),
        };
        let calls = requests.iter().enumerate().map(call).collect();
        let key_types = keys.iter().map(|key| self.rows.type_of(key)).collect::<Result<Vec<_>>>()?;
        let mut rows = self.rows_with(&values)?;
        if drops_null_keys {
            for key in 0..keys.len() {
                rows.filter(&gdf_expr::col(key).is_not_null(), &[]).map_err(gdf_exec::Error::into_operation)?;
            }
        }
        let (groupings, determined) = (Vec::new(), Vec::new());
        let node = AggregateNode { rows, keys: key_types, requests, calls, groupings, determined };
        Ok(Node::Aggregate(Box::new(node)))
    }
}

/// The computation of the results of groups from what was measured.
enum Finishing {
    /// Reduces the values of all rows.
    Reduce(Reductions),
    /// Checks the reductions of all rows.
    Check(Reductions),
    Groups {
        requests: GroupRequests,
        /// The result without rows, if all rows are one group.
        one_row: Option<Table>,
    },
}

impl RowsFunction for Finishing {
    fn name(&self) -> &str {
        match self {
            Finishing::Reduce(_) => "aggregations",
            Finishing::Check(_) | Finishing::Groups { .. } => "results of groups",
        }
    }

    fn needs(&self) -> Needs {
        match self {
            Finishing::Reduce(_) | Finishing::Groups { one_row: Some(_), .. } => Needs::All,
            Finishing::Check(_) | Finishing::Groups { one_row: None, .. } => Needs::Piece,
        }
    }

    fn run(&self, rows: Table) -> Result<Table> {
        match self {
            Finishing::Reduce(reductions) => reductions.run(&exact(&rows)),
            Finishing::Check(reductions) => reductions.checked(rows),
            Finishing::Groups { requests, one_row: None } => requests.outputs(&rows),
            Finishing::Groups { one_row: Some(none), .. } if rows.num_rows() == 0 => Ok(none.clone()),
            Finishing::Groups { requests, one_row: Some(none) } => {
                let found = requests.outputs(&rows)?;
                let results = found.columns()[1..].iter().zip(none.data_types());
                Table::try_with_rows(results.map(|(of, to)| cast(of, to)).collect::<Result<_>>()?, rows.num_rows())
            }
        }
    }
}

fn unknown() -> Error {
    Error::internal("an aggregation of frames has no measure")
}

fn of_group(aggregation: GroupByAggregation) -> Result<Measure> {
    Ok(match aggregation {
        GroupByAggregation::CountAll => Measure::CountRows,
        GroupByAggregation::CountValid => Measure::Count,
        GroupByAggregation::Sum => Measure::Sum,
        GroupByAggregation::Product => Measure::Product,
        GroupByAggregation::Min => Measure::Min,
        GroupByAggregation::Max => Measure::Max,
        GroupByAggregation::Mean => Measure::Mean,
        GroupByAggregation::Median => Measure::Median,
        GroupByAggregation::Quantile { q, interpolation } => Measure::Quantile { q, interpolation },
        GroupByAggregation::Variance { ddof } => Measure::Variance { ddof },
        GroupByAggregation::Std { ddof } => Measure::Std { ddof },
        GroupByAggregation::Nunique(gdf_api::groupby::NullPolicy::Exclude) => Measure::CountDistinct,
        GroupByAggregation::NthElement { n: 0, nulls: gdf_api::groupby::NullPolicy::Include } => Measure::First,
        GroupByAggregation::NthElement { n: -1, nulls: gdf_api::groupby::NullPolicy::Include } => Measure::Last,
        _ => return Err(unknown()),
    })
}

fn of_reduction(aggregation: ReduceAggregation) -> Result<Measure> {
    Ok(match aggregation {
        ReduceAggregation::CountAll => Measure::CountRows,
        ReduceAggregation::CountValid => Measure::Count,
        ReduceAggregation::Sum => Measure::Sum,
        ReduceAggregation::Product => Measure::Product,
        ReduceAggregation::Min => Measure::Min,
        ReduceAggregation::Max => Measure::Max,
        ReduceAggregation::Mean => Measure::Mean,
        ReduceAggregation::Median => Measure::Median,
        ReduceAggregation::Quantile { q, interpolation } => Measure::Quantile { q, interpolation },
        ReduceAggregation::Variance { ddof } => Measure::Variance { ddof },
        ReduceAggregation::Std { ddof } => Measure::Std { ddof },
        ReduceAggregation::Nunique(gdf_api::reduction::NullPolicy::Exclude) => Measure::CountDistinct,
        ReduceAggregation::NthElement { n: 0, nulls: gdf_api::reduction::NullPolicy::Include } => Measure::First,
        ReduceAggregation::NthElement { n: -1, nulls: gdf_api::reduction::NullPolicy::Include } => Measure::Last,
        _ => return Err(unknown()),
    })
}
