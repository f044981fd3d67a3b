//! Aggregates the rows of parts. Each part gives states of groups, and the states of a group are merged.

use gdf_api::filling::from_scalar;
use gdf_api::groupby::{GroupByAggregation, NullPolicy};
use gdf_api::pipeline::Pipeline;
use gdf_core::{Column, Table};
use gdf_expr::{Expr, col};
use gdf_external::{Request, group_by};

use super::{Limited, list, operands};
use crate::error::{Error, Result};
use crate::plan::Aggregate;
use crate::plan::aggregate::retyped;

impl<'r> Limited<'r> {
    pub(super) fn aggregate(self, of: &'r Aggregate) -> Result<Vec<Table>> {
        let mut parts = self.outputs(&of.rows)?.peekable();
        let first = parts.peek().and_then(|part| part.as_ref().ok());
        let empty = first.map(|part| part.slice(0, 0)).transpose()?;
        let kept = of.kept_keys();
        if let [keys] = &*kept {
            return self.grouped(of, 0, keys, operands(Box::new(parts)), empty.as_ref());
        }
        let parts = self.kept(Box::new(parts))?;
        let mut results = Vec::new();
        for (at, keys) in kept.iter().enumerate() {
            results.extend(self.grouped(of, at, keys, operands(list(parts.clone())), empty.as_ref())?);
        }
        Ok(results)
    }

    /// Groups the rows by the columns at the positions `keys`, which the grouping with the number `at` has. Without
    /// keys, all rows are one group. `empty` has the types of the parts.
    fn grouped(
        self,
        of: &Aggregate,
        at: usize,
        keys: &[usize],
        parts: impl Iterator<Item = gdf_core::Result<Table>>,
        empty: Option<&Table>,
    ) -> Result<Vec<Table>> {
        let count = keys.len().max(1);
        let mut values: Vec<usize> = of.requests.iter().filter_map(|request| request.values).collect();
        values.sort_unstable();
        values.dedup();
        let place = |value: usize| {
            let place = values.binary_search(&value);
            place.map_or_else(|_| Err(Error::internal("an aggregate reads no such value")), |at| Ok(count + at))
        };
        let request = |request: &crate::plan::Request| {
            let column = request.values.map_or(Ok(0), place)?;
            Ok(Request { column, aggregations: vec![request.measure.of_groups()] })
        };
        let mut requests = of.requests.iter().map(request).collect::<Result<Vec<_>>>()?;
        if requests.is_empty() {
            requests.push(Request { column: 0, aggregations: vec![GroupByAggregation::CountAll] });
        }
        let read: Vec<usize> = keys.iter().chain(&values).copied().collect();
        let operand = |part: gdf_core::Result<Table>| {
            let part = part?;
            let read = part.select(&read)?.into_columns();
            let one_group = keys.is_empty().then(|| from_scalar(0_i32, part.num_rows())).transpose()?;
            Table::try_new(one_group.into_iter().chain(read).collect())
        };
        let groups = group_by(parts.map(operand), count, NullPolicy::Include, &requests, self.budget)?;
        if keys.is_empty() && groups.iter().all(|part| part.num_rows() == 0) {
            // Without keys, the result has one row even if there are no rows.
            let empty = empty.ok_or_else(|| Error::internal("an aggregate has read no part"))?;
            let outputs: Vec<Expr> = (0..of.rows.outputs.len()).map(col).collect();
            let (found, measured) = of.measured(Pipeline::new(empty), &outputs, keys, &of.requests)?;
            return Ok(vec![of.of_grouping(at, found, &measured)?]);
        }
        let result = |part: Table| {
            let mut found = part.into_columns();
            let results = found.split_off(count);
            if keys.is_empty() {
                found.clear();
            }
            let measured = results.iter().zip(&of.requests);
            let measured = measured.map(|(column, request)| retyped(column, &request.data_type));
            Ok(self.budget.keep(of.of_grouping(at, found, &measured.collect::<Result<Vec<Column>>>()?)?))
        };
        groups.into_iter().filter(|part| !keys.is_empty() || part.num_rows() > 0).map(result).collect()
    }
}
