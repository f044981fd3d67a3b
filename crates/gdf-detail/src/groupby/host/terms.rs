//! What adds up of numbers of values, means and sums of squared differences.

use gdf_core::{Column, ColumnView, DataType, Result};
use gdf_driver::Stream;
use gdf_memory::Resources;

use crate::host::{Bits, HostColumn, HostMask, HostOutput, for_each_chunk};

pub(in crate::groupby) fn spread_terms(
    columns: [ColumnView<'_>; 3],
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<[Column; 2]> {
    let [count, mean, m2] = columns;
    let (count, mean, m2) =
        (HostColumn::open(count, stream)?, HostColumn::open(mean, stream)?, HostColumn::open(m2, stream)?);
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
        let scratch = Resources { output: mr.temporary, ..mr };
        let mut output = HostOutput::<f64>::new(counts.len(), stream, scratch)?;
        for_each_chunk(output.values(stream)?, |first, chunk| {
            chunk.iter_mut().enumerate().for_each(|(i, out)| {
                let (n, mean, m2) = term(first + i);
                *out = if n == 0.0 { 0.0 } else { of(n, mean, m2) };
            });
        });
        output.finish(&DataType::Float64, HostMask::none())
    };
    Ok([column(|n, mean, _| n * mean)?, column(|n, mean, m2| n * mean * mean + m2)?])
}
