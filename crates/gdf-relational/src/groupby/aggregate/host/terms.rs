//! Computes the terms of the variances of batches.

use gdf_core::{Column, ColumnView, DataType, Result};
use gdf_engine::host::{Bits, HostColumn, HostMask, HostOutput, for_each_chunk};

use crate::Ctx;

pub(crate) fn spread_terms(columns: [ColumnView<'_>; 3], ctx: Ctx<'_>) -> Result<[Column; 2]> {
    let [count, mean, m2] = columns;
    let (count, mean, m2) =
        (HostColumn::open(count, ctx.stream)?, HostColumn::open(mean, ctx.stream)?, HostColumn::open(m2, ctx.stream)?);
    let valid = [count.validity()?, mean.validity()?, m2.validity()?];
    let (counts, means, m2s) = (count.values::<i64>()?, mean.values::<f64>()?, m2.values::<f64>()?);
    let has = |bits: &Option<Bits<'_>>, row: usize| bits.is_none_or(|bits| bits.get(row));
    let term = |row: usize| -> (f64, f64, f64) {
        if !valid.iter().all(|bits| has(bits, row)) || counts[row] <= 0 {
            return (0.0, 0.0, 0.0);
        }
        (counts[row] as f64, means[row], m2s[row])
    };
    let column = |of: fn(f64, f64, f64) -> f64| -> Result<Column> {
        let scratch = ctx.scratch();
        let mut output = HostOutput::<f64>::new(counts.len(), scratch)?;
        for_each_chunk(output.values(ctx.stream)?, |first, chunk| {
            chunk.iter_mut().enumerate().for_each(|(i, out)| {
                let (n, mean, m2) = term(first + i);
                *out = if n == 0.0 { 0.0 } else { of(n, mean, m2) };
            });
        });
        output.finish(&DataType::Float64, HostMask::none())
    };
    Ok([column(|n, mean, _| n * mean)?, column(|n, mean, m2| n * mean * mean + m2)?])
}
