//! The assignment of rows to partitions in turn.

/// The parameters of the assignment.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundRobin {
    pub(super) rows: usize,
    pub(super) partitions: usize,
    pub(super) start: usize,
}

impl RoundRobin {
    /// The first input row of a partition, which is also its turn.
    pub(super) fn first_row_of(self, partition: usize) -> usize {
        let RoundRobin { partitions, start, .. } = self;
        if partition >= start { partition - start } else { partition + partitions - start }
    }

    /// The offset at which a partition begins in the output.
    pub(super) fn begin(self, partition: usize) -> usize {
        let RoundRobin { rows, partitions, start } = self;
        let (full, extra) = (rows / partitions, rows % partitions);
        // Partitions with one row more have the first turns: partitions [start, start + extra), wrapped around.
        let wrapped = extra.saturating_sub(partitions - start).min(partition.min(start));
        partition * full + wrapped + partition.saturating_sub(start).min(extra)
    }
}
