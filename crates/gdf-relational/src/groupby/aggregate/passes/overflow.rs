//! Sums with overflow flags. Accumulators compute exact sums.

use gdf_compute::reduction::with_overflow;
use gdf_core::{Column, Result, Table};

use super::{Groups, Pass};
use crate::Ctx;
use crate::groupby::GroupByAggregation;

/// The aggregations of each request, at least one of which is `SumOverflow`.
pub(crate) struct Overflow<'a>(Vec<&'a [GroupByAggregation]>);

impl<'a> Overflow<'a> {
    /// Prepares the pass. Returns `None` if no aggregation is `SumOverflow`.
    pub(crate) fn prepare(aggregations: impl IntoIterator<Item = &'a [GroupByAggregation]>) -> Option<Self> {
        let aggregations: Vec<_> = aggregations.into_iter().collect();
        let has_sums = aggregations.iter().any(|of| of.contains(&GroupByAggregation::SumOverflow));
        has_sums.then_some(Self(aggregations))
    }
}

impl Pass for Overflow<'_> {
    fn inner<'c>(&self, ctx: Ctx<'c>) -> Ctx<'c> {
        ctx.scratch()
    }

    /// Makes structs of a wrapped sum and an overflow flag from the exact sums.
    fn finish(&self, (keys, results): Groups, ctx: Ctx<'_>) -> Result<Groups> {
        let kept = |column: &Column| column.deep_copy(ctx.stream, ctx.mr.output);
        let result = |(of, column): (&GroupByAggregation, &Column)| match of {
            GroupByAggregation::SumOverflow => with_overflow(column, ctx),
            _ => kept(column),
        };
        let results = self.0.iter().zip(&results);
        let results = results.map(|(of, columns)| of.iter().zip(columns).map(result).collect::<Result<Vec<_>>>());
        let results = results.collect::<Result<_>>()?;
        Ok((Table::try_new(keys.columns().iter().map(kept).collect::<Result<_>>()?)?, results))
    }
}
