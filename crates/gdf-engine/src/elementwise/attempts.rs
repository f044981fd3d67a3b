//! CPU code for computations that can fail in single rows. One pass computes the values, the mask and the reported
//! failures.

use bytemuck::Pod;
use gdf_core::{Column, Result};

use super::host::Rows;
use crate::host::{HostMask, HostOutput, map_tasks, task_rows};

struct Chunk {
    valid: usize,
    reported: i32,
}

impl Rows<'_, 1> {
    /// Computes each row by `f` from the stored value of the input. `f` returns the value of the result and a failure
    /// bit.
    ///
    /// A row becomes null if its failure bit is set in `nulls`. The second result contains each bit of `reports` that
    /// is the failure bit of at least one row. Rows that are null in the input are not reported.
    pub fn attempt<T: Pod + Send + Sync, O: Pod + Send>(
        &self,
        nulls: i32,
        reports: i32,
        f: impl Fn(T) -> (O, i32) + Sync,
    ) -> Result<(Column, i32)> {
        let (values, valid, stream) = (self.input().values::<T>()?, self.valid()?, self.ctx.stream);
        let mut output = HostOutput::<O>::new(self.len(), self.ctx)?;
        let mut mask = match self.is_nullable() {
            true => Some(HostOutput::<u64>::new(self.len().div_ceil(64), self.ctx)?),
            false => None,
        };
        let task = task_rows();
        let mut words = match &mut mask {
            Some(mask) => mask.values(stream)?,
            None => &mut [],
        }
        .chunks_mut(task / 64);
        let chunks = output.values(stream)?.chunks_mut(task).map(|chunk| (chunk, words.next().unwrap_or_default()));
        let chunk = |index: usize, (out, words): (&mut [O], &mut [u64])| {
            let mut came = Chunk { valid: 0, reported: 0 };
            for (block, out) in out.chunks_mut(64).enumerate() {
                let first = index * task + block * 64;
                let [has_value] = valid(first / 64);
                let has_value = has_value & (u64::MAX >> (64 - out.len()));
                let mut failed = 0;
                for (bit, (slot, value)) in out.iter_mut().zip(&values[first..]).enumerate() {
                    let failure;
                    (*slot, failure) = f(*value);
                    failed |= u64::from(failure & nulls != 0) << bit;
                    if has_value >> bit & 1 == 1 {
                        came.reported |= failure & reports;
                    }
                }
                if let Some(word) = words.get_mut(block) {
                    *word = (has_value & !failed).to_le();
                    came.valid += word.count_ones() as usize;
                }
            }
            came
        };
        let came = map_tasks(chunks.collect(), &chunk);
        let valid: usize = came.iter().map(|chunk| chunk.valid).sum();
        let mask = mask.map_or_else(HostMask::none, |mask| HostMask {
            validity: Some(mask.into_buffer()),
            nulls: self.len() - valid,
        });
        let column = output.finish(self.output_type, mask)?;
        Ok((column, came.iter().fold(0, |all, chunk| all | chunk.reported)))
    }
}
