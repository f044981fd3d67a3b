//! Which rows a partition gets.

/// How rows are dealt.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundRobin {
    pub(super) rows: usize,
    pub(super) partitions: usize,
    pub(super) start: usize,
}

impl RoundRobin {
    /// The first row of a partition: its turn.
    pub(super) fn first_row_of(self, partition: usize) -> usize {
        let RoundRobin { partitions, start, .. } = self;
        if partition >= start { partition - start } else { partition + partitions - start }
    }

    /// Where a partition begins.
    pub(super) fn begin(self, partition: usize) -> usize {
        let RoundRobin { rows, partitions, start } = self;
        let (full, extra) = (rows / partitions, rows % partitions);
        // Those with a row more have the first turns: partitions [start, start + extra), wrapped around.
        let wrapped = extra.saturating_sub(partitions - start).min(partition.min(start));
        partition * full + wrapped + partition.saturating_sub(start).min(extra)
    }
}
