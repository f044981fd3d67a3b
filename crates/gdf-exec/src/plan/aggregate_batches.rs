//! Runs aggregates in batches of rows. Each batch gives states of groups, and states of the same group are merged.

use std::ops::ControlFlow;

use gdf_api::filling::from_scalar;
use gdf_api::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy, PartialGroups};
use gdf_api::pipeline::Pipeline;
use gdf_core::{Column, Error, Table};
use gdf_expr::{Expr, col};

use super::aggregate::retyped;
use super::{Aggregate, Run};
use crate::error::Result;

/// The number of partial results that are merged at a time.
const MERGED: usize = 8;

impl Aggregate {
    /// Aggregates one batch after another.
    pub(super) fn run_batches(&self, run: &Run<'_>, rows: usize) -> Result<Table> {
        let kept = self.kept_keys();
        let mut groups: Vec<Vec<PartialGroups>> = vec![Vec::new(); kept.len()];
        let mut empty = None;
        let _ended = run.each_batch(&self.rows.input, rows, &mut |batch| {
            let outputs = self.rows.of_table(batch, run)?;
            for (groups, keys) in groups.iter_mut().zip(&kept) {
                groups.push(self.partial(&outputs, keys)?);
                if groups.len() == MERGED {
                    *groups = vec![merged(groups)?];
                }
            }
            empty = Some(outputs.slice(0, 0)?);
            Ok(ControlFlow::Continue(()))
        })?;
        self.assembled(|at, keys| {
            let (found, results) = merged(&groups[at])?.finalize()?;
            match &empty {
                // Without keys, the result has one row even if there are no input rows.
                Some(empty) if keys.is_empty() && found.num_rows() == 0 => {
                    let outputs: Vec<Expr> = (0..self.rows.outputs.len()).map(col).collect();
                    self.measured(Pipeline::new(empty), &outputs, keys, &self.requests)
                }
                _ => {
                    let results = results.into_iter().flatten().zip(&self.requests);
                    let results = results.map(|(column, request)| retyped(&column, &request.data_type));
                    let found = if keys.is_empty() { Vec::new() } else { found.into_columns() };
                    Ok((found, results.collect::<Result<_>>()?))
                }
            }
        })
    }

    /// Groups the rows of `outputs` by the columns at the positions `keys`, and returns the partial results of the
    /// groups. Without keys, all rows are one group.
    fn partial(&self, outputs: &Table, keys: &[usize]) -> Result<PartialGroups> {
        let keys = match keys {
            [] => Table::try_new(vec![from_scalar(0_i32, outputs.num_rows())?])?,
            keys => outputs.select(keys)?,
        };
        let any = keys.column(0)?;
        let requests = self.requests.iter().map(|request| {
            let values: &Column = request.values.map_or(Ok(any), |at| outputs.column(at))?;
            Ok(AggregationRequest::new(values, [request.measure.of_groups()]))
        });
        let mut requests = requests.collect::<Result<Vec<_>, Error>>()?;
        if requests.is_empty() {
            requests.push(AggregationRequest::new(any, [GroupByAggregation::CountAll]));
        }
        Ok(GroupBy::new(&keys, NullPolicy::Include).aggregate_partial(&requests)?)
    }
}

fn merged(groups: &[PartialGroups]) -> Result<PartialGroups> {
    match groups {
        [only] => Ok(only.clone()),
        groups => Ok(PartialGroups::merge(&groups.iter().collect::<Vec<_>>())?),
    }
}
