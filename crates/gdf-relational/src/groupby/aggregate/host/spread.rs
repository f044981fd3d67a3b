//! The second pass on the CPU for variances of groups whose sums of squares have lost too many digits.

use gdf_core::{Result, dispatch_numeric};
use gdf_driver::Stream;
use gdf_engine::hash_table::{Grouping, RangeGroups};
use gdf_engine::host::{Bits, map_tasks};
use gdf_memory::{HostVec, ResourceRef};

use super::cells::ValueColumn;
use super::finish::Accumulators;
use super::number::HostNumber;
use crate::groupby::aggregate::plan::VarianceCorrection;

/// For each group, the sum and the sum of squares from which the variance is computed.
pub(super) struct CorrectedVariance<'r> {
    pub(super) sums: HostVec<'r, u64>,
    pub(super) squares: HostVec<'r, u64>,
}

impl<'r> CorrectedVariance<'r> {
    pub(super) fn new(
        correction: &VarianceCorrection,
        columns: &[ValueColumn<'_>],
        accumulators: &Accumulators<'_>,
        grouping: &Grouping<'_>,
        stream: &Stream,
        mr: ResourceRef<'r>,
    ) -> Result<Self> {
        let mut sums = HostVec::from_slice(accumulators.words(correction.sum), stream, mr)?;
        let mut squares = HostVec::from_slice(accumulators.words(correction.squares), stream, mr)?;
        let mut means = HostVec::<f64>::uninitialized(sums.len(), stream, mr)?;
        let mut lost = false;
        let cells = sums.iter_mut().zip(squares.iter_mut()).zip(accumulators.words(correction.count));
        for (mean, ((sum, square), count)) in means.iter_mut().zip(cells) {
            let begun = VarianceCorrection::begin(f64::from_bits(*sum), f64::from_bits(*square), *count);
            (*mean, *sum, *square) = (begun[0], begun[1].to_bits(), begun[2].to_bits());
            lost |= !mean.is_nan();
        }
        if !lost {
            return Ok(Self { sums, squares });
        }
        let rows = RowSpreads::new(correction, columns)?;
        let of_range = |range: &RangeGroups<'_>| rows.range(range, grouping, &means, stream, mr);
        let parts = map_tasks(grouping.ranges.iter().collect(), &|_, range| of_range(range));
        let parts: Vec<HostVec<'_, [f64; 2]>> = parts.into_iter().collect::<Result<_>>()?;
        for (range, part) in grouping.ranges.iter().zip(&parts) {
            for (id, [sum, square]) in (1..).zip(&part[1..]) {
                let group = range.group(id) - 1;
                if !means[group].is_nan() {
                    sums[group] = (f64::from_bits(sums[group]) + sum).to_bits();
                    squares[group] = (f64::from_bits(squares[group]) + square).to_bits();
                }
            }
        }
        Ok(Self { sums, squares })
    }
}

/// The columns from which the differences and squares are computed.
struct RowSpreads<'a> {
    values: ValueColumn<'a>,
    batches: Option<BatchColumns<'a>>,
}

struct BatchColumns<'a> {
    counts: &'a [i64],
    m2: &'a [f64],
    valid: [Option<Bits<'a>>; 2],
}

impl<'a> RowSpreads<'a> {
    fn new(correction: &VarianceCorrection, columns: &[ValueColumn<'a>]) -> Result<Self> {
        let batches = correction.batches.map(|batches| -> Result<_> {
            let (count, m2) = (&columns[batches.count], &columns[batches.m2]);
            Ok(BatchColumns { counts: count.values()?, m2: m2.values()?, valid: [count.validity, m2.validity] })
        });
        Ok(Self { values: columns[correction.values], batches: batches.transpose()? })
    }

    /// Returns the number of values that a row represents, and the sum of squared differences that the row contributes.
    fn weight(&self, row: usize) -> Option<(f64, f64)> {
        let has = |bits: &Option<Bits<'_>>| bits.is_none_or(|bits| bits.get(row));
        let Some(batches) = &self.batches else { return has(&self.values.validity).then_some((1.0, 0.0)) };
        let counts = has(&self.values.validity) && batches.valid.iter().all(has) && batches.counts[row] > 0;
        counts.then(|| (batches.counts[row] as f64, batches.m2[row]))
    }

    /// Returns the sums of differences and the sums of squared differences of a range.
    fn range<'r>(
        &self,
        range: &RangeGroups<'_>,
        grouping: &Grouping<'_>,
        means: &[f64],
        stream: &Stream,
        mr: ResourceRef<'r>,
    ) -> Result<HostVec<'r, [f64; 2]>> {
        let mut cells = HostVec::<[f64; 2]>::zeroed(range.groups + 1, stream, mr)?;
        let mut of_group = HostVec::<f64>::zeroed(range.groups + 1, stream, mr)?;
        for (id, mean) in (1..).zip(&mut of_group[1..]) {
            *mean = means[range.group(id) - 1];
        }
        dispatch_numeric!(self.values.physical, T => {
            let values = self.values.values::<T>()?;
            for position in range.positions.clone() {
                let row = grouping.rows.as_ref().map_or(position, |rows| rows[position] as usize);
                let Some((weight, m2)) = self.weight(row) else { continue };
                let id = grouping.ids[position] as usize;
                let difference = HostNumber::number(values[row]) - of_group[id];
                let [sum, square] = &mut cells[id];
                *sum += weight * difference;
                *square += weight * difference * difference + m2;
            }
        }, else => {});
        Ok(cells)
    }
}
