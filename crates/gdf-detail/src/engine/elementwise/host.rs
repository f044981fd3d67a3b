//! The host half: rows in chunks on all threads.

use bytemuck::Pod;
use gdf_core::{Column, ColumnView, DataType, Result};

use super::Nulls;
use crate::context::Ctx;
use crate::host::{
    FromNumber, HostColumn, HostMask, HostOutput, NUMBER_BLOCK, Number, NumberReader, column, for_each_chunk,
    mask_from_words,
};

/// The input, open for reading, and what the result is made with.
pub(crate) struct Rows<'a> {
    pub(crate) input: HostColumn<'a>,
    pub(crate) output_type: &'a DataType,
    nulls: Nulls,
    ctx: Ctx<'a>,
}

impl<'a> Rows<'a> {
    pub(super) fn open(view: ColumnView<'a>, output_type: &'a DataType, nulls: Nulls, ctx: Ctx<'a>) -> Result<Self> {
        Ok(Self { input: HostColumn::open(view, ctx.stream)?, output_type, nulls, ctx })
    }

    /// The mask of the result, from bit 0 on.
    fn mask(&self) -> Result<HostMask> {
        match self.input.validity()?.filter(|_| self.nulls == Nulls::Keep) {
            None => Ok(HostMask::none()),
            Some(bits) => {
                HostMask::from_words(self.input.len(), self.ctx.stream, self.ctx.mr.output, |index| bits.word(index))
            }
        }
    }

    /// Of each value as it is stored.
    pub(crate) fn map<T: Pod + Send + Sync, O: Pod + Send>(&self, f: impl Fn(T) -> O + Sync) -> Result<Column> {
        let rows = self.input.values::<T>()?;
        let mut output = HostOutput::<O>::new(rows.len(), self.ctx)?;
        for_each_chunk(output.values(self.ctx.stream)?, |start, out| {
            for (slot, &value) in out.iter_mut().zip(&rows[start..]) {
                *slot = f(value);
            }
        });
        output.finish(self.output_type, self.mask()?)
    }

    /// Of each number, whatever its type, as `C`.
    pub(crate) fn convert<C: Number, O: FromNumber>(&self, f: impl Fn(C) -> O + Sync) -> Result<Column> {
        let reader = NumberReader::<C>::new(&self.input)?;
        let mut output = HostOutput::<O>::new(self.input.len(), self.ctx)?;
        for_each_chunk(output.values(self.ctx.stream)?, |start, chunk| {
            let mut block_rows = [C::default(); NUMBER_BLOCK];
            for (block, out) in chunk.chunks_mut(NUMBER_BLOCK).enumerate() {
                let rows = &mut block_rows[..out.len()];
                reader.load(start + block * NUMBER_BLOCK, rows);
                for (slot, &value) in out.iter_mut().zip(&*rows) {
                    *slot = f(value);
                }
            }
        });
        output.finish(self.output_type, self.mask()?)
    }

    /// A boolean of each row: bit `i % 64` of `word(i / 64)`.
    pub(crate) fn bits(&self, word: impl Fn(usize) -> u64 + Sync) -> Result<Column> {
        let rows = self.input.len();
        let (bits, _) = mask_from_words(rows, self.ctx.stream, self.ctx.mr.output, word)?;
        let bits = bits.slice(0, rows.div_ceil(8))?;
        column(self.output_type, rows, [bits], self.mask()?)
    }

    /// Whether a row is valid and its value, as it is stored, `is` so; the opposite if `inverted`.
    pub(crate) fn test<T: Pod + Send + Sync>(&self, is: impl Fn(T) -> bool + Sync, inverted: bool) -> Result<Column> {
        let values = self.input.values::<T>()?;
        let validity = self.input.validity()?;
        let flip = if inverted { u64::MAX } else { 0 };
        self.bits(|word| {
            let rows = &values[word * 64..values.len().min(word * 64 + 64)];
            let bits = rows.iter().enumerate().fold(0, |all, (bit, value)| all | u64::from(is(*value)) << bit);
            (bits & validity.map_or(u64::MAX, |mask| mask.word(word))) ^ flip
        })
    }
}
