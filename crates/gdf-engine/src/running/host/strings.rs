//! The smallest or largest string up to each row. A scan finds the row of that string, and then the strings are
//! copied.

use gdf_core::{Column, Error, Result, physical_type};
use gdf_memory::HostVec;

use crate::host::{HostMask, StringRows, column, strings_by_row};
use crate::running::host::{ResultNulls, ScanWork};
use crate::running::{OPERATION, ScanPlan};
use crate::scan::host::Steps;

const NONE: u64 = u64::MAX;

pub(super) fn scan(work: &ScanWork<'_, '_>, nulls: ResultNulls<'_>, mask: HostMask) -> Result<Column> {
    let data_type = work.task.input.data_type();
    if !physical_type(data_type).has_byte_offsets() {
        return Err(Error::unsupported(OPERATION, data_type));
    }
    let strings = StringRows::open(&work.input)?;
    let minimum = work.task.plan == ScanPlan::Strings { minimum: true };
    let better = |a: u64, b: u64| match (a, b) {
        (NONE, b) => b,
        (a, NONE) => a,
        (a, b) => {
            let (before, after) = (strings.get(a as usize), strings.get(b as usize));
            if if minimum { after < before } else { after > before } { b } else { a }
        }
    };
    let load = |first: usize, out: &mut [u64]| {
        for (row, out) in (first as u64..).zip(out) {
            *out = row;
        }
    };
    let steps = Steps { identity: NONE, load, operation: better, valid: work.input.validity()?, exclusive: false };
    let mut best = HostVec::<u64>::zeroed(work.rows(), work.ctx.stream, work.ctx.mr.temporary)?;
    steps.run(&mut best, |row| row);

    let result = |row: usize| -> &[u8] { if nulls.is_null(row) { &[] } else { strings.get(best[row] as usize) } };
    let buffers = strings_by_row(data_type, work.rows(), work.ctx, result)?;
    column(data_type, work.rows(), buffers, mask)
}
