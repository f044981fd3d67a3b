//! The CPU half of the engine.

use bytemuck::Pod;
use gdf_core::{Column, DataType, Error, I256, NullCount, Result, physical_type};
use smallvec::SmallVec;

use super::plan::{Inputs, Nulls, SharedMask};
use crate::Ctx;
use crate::host::{
    Bits, FromNumber, HostColumn, HostMask, HostOutput, NUMBER_BLOCK, Number, NumberReader, column, for_each_chunk,
    mask_from_words, test_word,
};
use crate::vouch;

/// Runs [`map`](super::map) on the CPU.
pub fn map<'a, const N: usize>(
    inputs: Inputs<'a, N>,
    output_type: &'a DataType,
    nulls: Nulls,
    ctx: Ctx<'a>,
    host: &dyn Fn(&Rows<'_, N>) -> Result<Column>,
) -> Result<Column> {
    read_rows(inputs, output_type, nulls, ctx, |rows| shared(rows, host(rows)?))
}

/// Returns `result` with the mask of the input if the operation's rule for nulls is [`Nulls::Share`].
fn shared<const N: usize>(rows: &Rows<'_, N>, result: Column) -> Result<Column> {
    let Rows { inputs, nulls, ctx, .. } = *rows;
    if nulls != Nulls::Share {
        return Ok(result);
    }
    let mask = SharedMask::of(inputs.operands[0].view())?.finish(|| {
        let valid = rows.valid()?;
        let mask = HostMask::from_words(inputs.rows, ctx.stream, ctx.mr.output, |index| valid(index)[0])?;
        Ok((mask.validity, NullCount::Known(mask.nulls)))
    })?;
    vouch::result(result.into_parts().validity(mask.0, mask.1))
}

/// Returns the value that `host` computes from the inputs, for operations whose result is not a column.
pub fn read_rows<'a, R, const N: usize>(
    inputs: Inputs<'a, N>,
    output_type: &'a DataType,
    nulls: Nulls,
    ctx: Ctx<'a>,
    host: impl FnOnce(&Rows<'_, N>) -> Result<R>,
) -> Result<R> {
    host(&Rows::open(inputs, output_type, nulls, ctx)?)
}

/// The inputs, open for reading, and the context in which the result is made.
pub struct Rows<'a, const N: usize> {
    columns: SmallVec<[HostColumn<'a>; N]>,
    inputs: Inputs<'a, N>,
    pub output_type: &'a DataType,
    nulls: Nulls,
    pub ctx: Ctx<'a>,
}

/// Booleans in words of 64 bits. For a scalar, all bits have the value of the scalar. Bits past the last row are
/// unspecified.
pub enum BitWords<'a> {
    Rows(Bits<'a>),
    One(u64),
}

impl<'a> BitWords<'a> {
    fn new(bits: Bits<'a>, broadcast: bool) -> Self {
        if broadcast { BitWords::One(u64::from(bits.get(0)).wrapping_neg()) } else { BitWords::Rows(bits) }
    }

    pub fn values(column: &'a HostColumn<'_>) -> Result<Self> {
        Ok(Self::new(column.bits()?, column.broadcast()))
    }

    pub fn validity(column: &'a HostColumn<'_>) -> Result<Self> {
        Ok(column.validity()?.map_or(BitWords::One(u64::MAX), |bits| Self::new(bits, column.broadcast())))
    }

    pub fn word(&self, index: usize) -> u64 {
        match self {
            BitWords::Rows(bits) => bits.word(index),
            BitWords::One(word) => *word,
        }
    }
}

/// Values of an input as they are stored.
#[derive(Clone, Copy)]
pub enum Stored<'a, T> {
    Rows(&'a [T]),
    One(T),
}

impl<'a, T: Pod> Stored<'a, T> {
    pub fn open(column: &'a HostColumn<'_>) -> Result<Self> {
        let values = column.values::<T>()?;
        Ok(match values {
            [value, ..] if column.broadcast() => Stored::One(*value),
            rows => Stored::Rows(rows),
        })
    }
}

/// The values of an input for a block of rows. For a scalar, the value is repeated for each row of the block.
pub enum Block<'a, T> {
    Rows(&'a [T]),
    One([T; 64]),
}

impl<'a, T: Pod> Block<'a, T> {
    pub fn open(input: &'a HostColumn<'_>) -> Result<Self> {
        Ok(match Stored::open(input)? {
            Stored::Rows(rows) => Block::Rows(rows),
            Stored::One(value) => Block::One([value; 64]),
        })
    }

    /// Returns the values of `len` (at most 64) rows from `row` on.
    #[inline(always)]
    pub fn rows(&self, row: usize, len: usize) -> &[T] {
        match self {
            Block::Rows(values) => &values[row..row + len],
            Block::One(values) => &values[..len],
        }
    }
}

impl<'a, const N: usize> Rows<'a, N> {
    fn open(inputs: Inputs<'a, N>, output_type: &'a DataType, nulls: Nulls, ctx: Ctx<'a>) -> Result<Self> {
        let mut columns = SmallVec::new();
        for operand in inputs.operands {
            columns.push(HostColumn::open_input(operand, ctx.stream)?);
        }
        Ok(Self { columns, inputs, output_type, nulls, ctx })
    }

    pub fn len(&self) -> usize {
        self.inputs.rows
    }

    pub fn columns(&self) -> [&HostColumn<'a>; N] {
        std::array::from_fn(|index| &self.columns[index])
    }

    /// Returns a function of an index. For each input, the function returns a word with the validity of the rows
    /// `64 * index ..`. Bits past the last row are unspecified.
    pub fn valid(&self) -> Result<impl Fn(usize) -> [u64; N] + Sync> {
        let words: SmallVec<[BitWords<'_>; N]> = self.columns.iter().map(BitWords::validity).collect::<Result<_>>()?;
        Ok(move |index| std::array::from_fn(|input| words[input].word(index)))
    }

    pub(super) fn is_nullable(&self) -> bool {
        self.inputs.nullable(self.nulls)
    }

    /// Returns the mask of the result.
    pub fn mask(&self) -> Result<HostMask> {
        match self.nulls {
            Nulls::All => self.mask_by(|_, valid| valid.iter().fold(0, |all, word| all | word)),
            _ => self.mask_by(|_, valid| valid.iter().fold(u64::MAX, |all, word| all & word)),
        }
    }

    /// Makes the mask of the result in the same way as [`mask`](Self::mask). The validity of the rows `64 * index ..`
    /// of the result is `word(index, inputs)`.
    pub fn mask_by(&self, word: impl Fn(usize, [u64; N]) -> u64 + Sync) -> Result<HostMask> {
        if !self.is_nullable() {
            return Ok(HostMask::none());
        }
        let valid = self.valid()?;
        HostMask::from_words(self.len(), self.ctx.stream, self.ctx.mr.output, |index| word(index, valid(index)))
    }

    /// Returns a column with the mask that `mask` makes. Each call `fill(first_row, rows)` writes the values of a chunk
    /// of rows.
    pub fn filled<O: Pod + Send>(
        &self,
        mask: impl FnOnce() -> Result<HostMask>,
        fill: impl Fn(usize, &mut [O]) + Sync,
    ) -> Result<Column> {
        self.filled_by(&mut Some(mask), &fill)
    }

    /// Implements [`filled`](Self::filled) with a trait object. The compiler makes one copy of this code for each type
    /// `O`.
    fn filled_by<O: Pod + Send>(
        &self,
        mask: &mut dyn MakeMask,
        fill: &(dyn Fn(usize, &mut [O]) + Sync),
    ) -> Result<Column> {
        let mut output = HostOutput::<O>::new(self.len(), self.ctx)?;
        for_each_chunk(output.values(self.ctx.stream)?, fill);
        output.finish(self.output_type, mask.make()?)
    }

    /// Returns a column with the mask that `mask` makes, from inputs that are numbers of any type. The inputs are
    /// converted to `C` in blocks of at most `BLOCK` rows. Each call `f(first_row, inputs, rows)` writes the values of a
    /// block, and may overwrite the converted inputs.
    pub fn blocks<C: Number, O: Pod + Send, const BLOCK: usize>(
        &self,
        mask: impl FnOnce() -> Result<HostMask>,
        f: impl Fn(usize, [&mut [C]; N], &mut [O]) + Sync,
    ) -> Result<Column> {
        self.blocks_by::<C, O, BLOCK>(&mut Some(mask), &f)
    }

    /// Implements [`blocks`](Self::blocks) with trait objects, for the same reason as [`filled_by`](Self::filled_by).
    fn blocks_by<C: Number, O: Pod + Send, const BLOCK: usize>(
        &self,
        mask: &mut dyn MakeMask,
        f: &WriteBlock<'_, C, O, N>,
    ) -> Result<Column> {
        let readers = self.numbers::<C>()?;
        self.filled_by(mask, &|first, chunk: &mut [O]| {
            let mut scratch = [[C::default(); BLOCK]; N];
            for (block, out) in chunk.chunks_mut(BLOCK).enumerate() {
                let start = first + block * BLOCK;
                let mut inputs = scratch.each_mut().map(|rows| &mut rows[..out.len()]);
                for (reader, rows) in readers.iter().zip(&mut inputs) {
                    reader.load(start, rows);
                }
                f(start, inputs, out);
            }
        })
    }

    /// Makes a column by a computation in the type `C`, from inputs that are numbers of any type. The inputs are
    /// converted to `C` in blocks. Each call `f(first_row, inputs)` overwrites the first input of a block with the
    /// result, which is then converted to the output's type.
    pub fn computed<C: Number>(
        &self,
        operation: &'static str,
        mask: impl FnOnce() -> Result<HostMask>,
        f: &ComputeBlock<'_, C, N>,
    ) -> Result<Column> {
        gdf_core::dispatch_arms!(
            physical_type(self.output_type),
            O => self.stored::<C, O>(&mut Some(mask), f),
            Err(Error::unsupported(operation, self.output_type)),
            [I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F16 gdf_core::f16, F32 f32, F64 f64,
             I128 i128, I256 I256]
        )
    }

    fn stored<C: Number, O: FromNumber>(&self, mask: &mut dyn MakeMask, f: &ComputeBlock<'_, C, N>) -> Result<Column> {
        self.blocks_by::<C, O, NUMBER_BLOCK>(mask, &|start, mut inputs, out| {
            f(start, inputs.each_mut().map(|rows| &mut **rows));
            for (slot, value) in out.iter_mut().zip(&*inputs[0]) {
                *slot = value.to();
            }
        })
    }

    pub fn numbers<C: Number>(&self) -> Result<SmallVec<[NumberReader<'_, C>; N]>> {
        self.columns.iter().map(NumberReader::new).collect()
    }

    /// Returns a boolean column. The boolean of row `i` is bit `i % 64` of `word(i / 64)`.
    pub fn bits(&self, mask: impl FnOnce() -> Result<HostMask>, word: impl Fn(usize) -> u64 + Sync) -> Result<Column> {
        let (bits, _) = mask_from_words(self.len(), self.ctx.stream, self.ctx.mr.output, word)?;
        let bits = bits.slice(0, self.len().div_ceil(8))?;
        column(self.output_type, self.len(), [bits], mask()?)
    }
}

/// A function that writes the rows of a block of the output from the same rows of the inputs.
type WriteBlock<'f, C, O, const N: usize> = dyn Fn(usize, [&mut [C]; N], &mut [O]) + Sync + 'f;

/// A function that overwrites the first input of a block with the result.
type ComputeBlock<'f, C, const N: usize> = dyn Fn(usize, [&mut [C]; N]) + Sync + 'f;

/// A closure that makes a mask and is called at most once. The trait object avoids a copy of the code for each closure.
trait MakeMask {
    fn make(&mut self) -> Result<HostMask>;
}

impl<F: FnOnce() -> Result<HostMask>> MakeMask for Option<F> {
    fn make(&mut self) -> Result<HostMask> {
        self.take().map_or_else(|| Ok(HostMask::none()), |mask| mask())
    }
}

impl<'a> Rows<'a, 1> {
    pub fn input(&self) -> &HostColumn<'a> {
        &self.columns[0]
    }

    /// Applies `f` to each stored value of the input.
    pub fn map<T: Pod + Send + Sync, O: Pod + Send>(&self, f: impl Fn(T) -> O + Sync) -> Result<Column> {
        let rows = self.input().values::<T>()?;
        self.filled(
            || self.mask(),
            |start, out| {
                for (slot, &value) in out.iter_mut().zip(&rows[start..]) {
                    *slot = f(value);
                }
            },
        )
    }

    /// Applies `f` to each number of the input. Numbers of any type are converted to `C` first.
    pub fn convert<C: Number, O: FromNumber>(&self, f: impl Fn(C) -> O + Sync) -> Result<Column> {
        self.blocks::<C, O, NUMBER_BLOCK>(
            || self.mask(),
            |_, [rows], out| {
                for (slot, &mut value) in out.iter_mut().zip(rows) {
                    *slot = f(value);
                }
            },
        )
    }

    /// Returns a boolean column with the result of `is` for each number. Numbers of any type are converted to `C`
    /// first.
    pub fn test_numbers<C: Number>(&self, is: impl Fn(C) -> bool + Sync) -> Result<Column> {
        let readers = self.numbers::<C>()?;
        self.bits(
            || self.mask(),
            |word| {
                let mut rows = [C::default(); 64];
                let rows = &mut rows[..(self.len() - word * 64).min(64)];
                readers[0].load(word * 64, rows);
                rows.iter().enumerate().fold(0, |all, (bit, value)| all | u64::from(is(*value)) << bit)
            },
        )
    }

    /// Returns a boolean column. The boolean of a row is true if the row is valid and `is` returns true for the stored
    /// value. If `inverted`, the booleans are negated.
    pub fn test<T: Pod + Send + Sync>(&self, is: impl Fn(T) -> bool + Sync, inverted: bool) -> Result<Column> {
        let values = self.input().values::<T>()?;
        let valid = BitWords::validity(self.input())?;
        let flip = u64::from(inverted).wrapping_neg();
        self.bits(
            || self.mask(),
            |word| {
                let bits = test_word(&values[word * 64..values.len().min(word * 64 + 64)], &is);
                (bits & valid.word(word)) ^ flip
            },
        )
    }
}

/// Returns a word in which bit `i` is the result of `f` for the `i`-th pair of values.
#[inline(always)]
pub fn pack<T: Copy>(lhs: &[T], rhs: &[T], f: impl Fn(T, T) -> bool) -> u64 {
    let mut bytes = [0_u8; 64];
    for ((byte, &a), &b) in bytes.iter_mut().zip(lhs).zip(rhs) {
        *byte = u8::from(f(a, b));
    }
    /// Moves bit 0 of byte i to bit 56 + i.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (eights, _) = bytes.as_chunks::<8>();
    eights
        .iter()
        .enumerate()
        .fold(0, |word, (index, eight)| word | (u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56) << (8 * index))
}

/// Computes the same word as [`pack`].
#[inline(always)]
pub fn pack_stored<T: Copy>(lhs: &[T], rhs: &[T], is: impl Fn(T, T) -> bool) -> u64 {
    if let (8, Ok(lhs), Ok(rhs)) = (size_of::<T>(), <&[T; 64]>::try_from(lhs), <&[T; 64]>::try_from(rhs)) {
        return (0..64).fold(0, |bits, row| bits | if is(lhs[row], rhs[row]) { 1 << row } else { 0 });
    }
    pack(lhs, rhs, is)
}
