//! The assignment of rows to partitions in turn.

#[derive(Clone, Copy, Debug)]
pub(super) struct RoundRobin {
    pub(super) rows: usize,
    pub(super) partitions: usize,
    pub(super) start: usize,
}

impl RoundRobin {
    pub(super) fn first_row_of(self, partition: usize) -> usize {
        let RoundRobin { partitions, start, .. } = self;
        if partition >= start { partition - start } else { partition + partitions - start }
    }

    pub(super) fn begin(self, partition: usize) -> usize {
        let RoundRobin { rows, partitions, start } = self;
        let (full, extra) = (rows / partitions, rows % partitions);
        // The last `extra` rows go to the partitions [start, start + extra).
        let wrapped = extra.saturating_sub(partitions - start).min(partition.min(start));
        partition * full + wrapped + partition.saturating_sub(start).min(extra)
    }
}
