//! The host half: sizes of all rows, then their bytes, in chunks on all threads.

use gdf_core::{Column, ColumnView, Error, Result};
use gdf_memory::Buffer;

use crate::Ctx;
use crate::engine::rows::{RowKind, byte_len, check_offsets};
use crate::host::{HostColumn, HostMask, Offset, StringRows, column, for_each_task, split_mut, task_rows};

/// The input, open for reading, and what the result is made with.
pub(crate) struct Texts<'a> {
    input: HostColumn<'a>,
    large: bool,
    ctx: Ctx<'a>,
}

impl<'a> Texts<'a> {
    pub(super) fn open(view: ColumnView<'a>, large: bool, ctx: Ctx<'a>) -> Result<Self> {
        Ok(Self { input: HostColumn::open(view, ctx.stream)?, large, ctx })
    }

    /// Of each row `size` bytes, which `write` puts into a slice that has as many. Neither is called for nulls.
    pub(crate) fn map(
        &self,
        size: impl Fn(&[u8]) -> usize + Sync,
        write: impl Fn(&[u8], &mut [u8]) + Sync,
    ) -> Result<Column> {
        if self.large { self.map_with::<i64>(size, write) } else { self.map_with::<i32>(size, write) }
    }

    fn map_with<O: Offset>(
        &self,
        size: impl Fn(&[u8]) -> usize + Sync,
        write: impl Fn(&[u8], &mut [u8]) + Sync,
    ) -> Result<Column> {
        let ctx = self.ctx;
        let (rows, texts) = (self.input.len(), StringRows::open(&self.input, self.large)?);
        let mut offsets =
            Buffer::uninitialized(byte_len(rows + 1, size_of::<O>(), ctx.mr)?, ctx.stream, ctx.mr.output)?;
        let Some((first, ends)) = offsets.write_on(ctx.stream)?.into_mut_slice::<O>()?.split_first_mut() else {
            return Err(Error::invalid_data("offsets of no rows"));
        };
        *first = O::zeroed();

        // Where each row ends within its chunk; wrapped where that is refused below.
        let (validity, task_rows) = (self.input.validity()?, task_rows());
        let mut sizes = vec![0; rows.div_ceil(task_rows)];
        for_each_task(ends.chunks_mut(task_rows).zip(&mut sizes).collect(), |chunk, (ends, total)| {
            let mut at = 0;
            for (row, end) in (chunk * task_rows..).zip(ends) {
                if validity.is_none_or(|mask| mask.get(row)) {
                    at += size(texts.get(row));
                }
                *end = O::new(at);
            }
            *total = at;
        });
        let total = sizes.iter().map(|size| *size as u64).sum();
        check_offsets(RowKind::Strings { large: self.large }, total)?;

        let mut bytes = Buffer::uninitialized(usize::try_from(total).unwrap_or(usize::MAX), ctx.stream, ctx.mr.output)?;
        let pieces = split_mut(bytes.write_on(ctx.stream)?.into_mut_slice::<u8>()?, sizes.iter().copied());
        let starts = sizes.iter().scan(0, |next, size| {
            let start = *next;
            *next += size;
            Some(start)
        });
        let tasks = ends.chunks_mut(task_rows).zip(pieces).zip(starts).collect();
        for_each_task(tasks, |chunk, ((ends, piece), start)| {
            let mut at = 0;
            for (row, end) in (chunk * task_rows..).zip(ends) {
                let next = end.position();
                if let Some(target) = piece.get_mut(at..next).filter(|target| !target.is_empty()) {
                    write(texts.get(row), target);
                }
                at = next;
                *end = O::new(start + next);
            }
        });
        let mask = match validity {
            None => HostMask::none(),
            Some(bits) => HostMask::from_words(rows, ctx.stream, ctx.mr.output, |index| bits.word(index))?,
        };
        column(self.input.view().data_type(), rows, [offsets, bytes], mask)
    }
}

#[cfg(test)]
mod tests {
    use gdf_core::DataType;
    use gdf_driver::{Device, Stream};
    use gdf_memory::{Resources, current_resource};

    use super::*;

    /// Whether so many bytes in two rows are refused before a byte is written.
    fn overflows(bytes: usize) -> bool {
        let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu).unwrap());
        let ctx = Ctx::new(&stream, Resources::new(&mr, &mr));
        let offsets = Buffer::from_host(bytemuck::cast_slice(&[0_i32, 1, 2]), &stream, mr.as_ref()).unwrap();
        let characters = Buffer::from_host(b"ab", &stream, mr.as_ref()).unwrap();
        let input = column(&DataType::Utf8, 2, [offsets, characters], HostMask::none()).unwrap();
        let texts = Texts::open(input.view(), false, ctx).unwrap();
        let size = |text: &[u8]| if text == b"a" { 1 } else { bytes - 1 };
        let result = texts.map(size, |_, _| panic!("written"));
        matches!(result, Err(Error::OffsetOverflow { needed, .. }) if needed == bytes as u64)
    }

    #[test]
    fn overflow_is_found_before_anything_is_written() {
        assert!(overflows(1 << 31));
        assert!(overflows((1 << 32) + 1));
    }
}
