//! Computes the hashes of rows of several columns, one block of rows at a time.

use gdf_core::{Column, DataType, Error, PhysicalType, Result, dispatch_integer, physical_type};
use gdf_driver::Stream;
use num_traits::{AsPrimitive, ToPrimitive};

use crate::Ctx;
use crate::host::{Bits, HostColumn, HostMask, HostOutput, for_each_chunk, for_each_task, task_rows};
use crate::row_hash::{Function, HashedColumn};

/// The columns to be hashed, open for reading.
pub struct OpenColumns<'a>(Vec<(HostColumn<'a>, Option<HostColumn<'a>>)>);

impl<'a> OpenColumns<'a> {
    pub fn open(columns: &[HashedColumn<'a>], stream: &Stream) -> Result<Self> {
        let open = |column: &HashedColumn<'a>| {
            let values = column.values.map(|values| HostColumn::open(values, stream)).transpose()?;
            Ok((HostColumn::open(column.view, stream)?, values))
        };
        Ok(Self(columns.iter().map(open).collect::<Result<_>>()?))
    }

    /// Returns the columns, without the values of dictionaries.
    pub fn columns(&self) -> impl Iterator<Item = &HostColumn<'a>> {
        self.0.iter().map(|(column, _)| column)
    }

    pub fn rows(&self) -> Result<HashedRows<'_>> {
        let open = self.0.iter().map(|(column, values)| Elements::open(column, values.as_ref()));
        Ok(HashedRows(open.collect::<Result<_>>()?))
    }
}

/// The rows of a table, ready to be hashed.
pub struct HashedRows<'a>(Vec<Elements<'a>>);

impl HashedRows<'_> {
    /// Writes the hashes of the rows from `first` on to `out`.
    pub fn hash_into<F: Function>(&self, first: usize, seed: F::Seed, out: &mut [F::Value]) {
        for (index, column) in self.0.iter().enumerate() {
            if index == 0 { column.add::<F, false>(first, seed, out) } else { column.add::<F, true>(first, seed, out) }
        }
    }
}

impl HashedRows<'_> {
    /// Calls `take` with the bytes of each element of the row that is not null, column by column. −0.0 has the same
    /// bytes as 0.0, and all NaNs have the same bytes.
    pub fn for_each_element(&self, row: usize, mut take: impl FnMut(&[u8])) {
        for column in &self.0 {
            column.with_bytes(row, true, |bytes| bytes.map_or((), &mut take));
        }
    }
}

type Keys<'a> = Box<dyn Fn(usize) -> usize + Sync + 'a>;

enum HashedValues<'a> {
    Nothing,
    Bits(Bits<'a>),
    W1(&'a [u8]),
    W2(&'a [u16], Float<u16>),
    W4(&'a [u32], Float<u32>),
    W8(&'a [u64], Float<u64>),
    W16(&'a [[u8; 16]]),
    W32(&'a [[u8; 32]]),
    Wide(&'a [u8], usize),
    Short(&'a [i32], &'a [u8]),
    Long(&'a [i64], &'a [u8]),
    Dictionary(Keys<'a>, Box<Elements<'a>>),
}

/// The bits of a float type: the sign bit, the bits of infinity, and the bits of the canonical NaN, which replaces all
/// NaNs.
type Float<T> = Option<(T, T, T)>;

struct Elements<'a> {
    values: HashedValues<'a>,
    validity: Option<Bits<'a>>,
    len: usize,
}

/// Returns the bits of a value. All NaNs have the same bits. If `one_zero` is true, −0.0 has the bits of 0.0.
macro_rules! normal {
    ($bits:expr, $float:expr, $one_zero:expr) => {
        match ($bits, $float) {
            (bits, Some((sign, infinity, nan))) => match bits & !sign {
                0 if $one_zero => 0,
                magnitude if magnitude > infinity => nan,
                _ => bits,
            },
            (bits, None) => bits,
        }
    };
}

impl<'a> Elements<'a> {
    fn open(column: &'a HostColumn<'_>, values: Option<&'a HostColumn<'_>>) -> Result<Self> {
        use PhysicalType as P;
        let view = column.view();
        let physical = physical_type(view.data_type());
        let unsupported = || Error::unsupported("hash", view.data_type());
        let own = match physical {
            P::Null => HashedValues::Nothing,
            P::Bool => HashedValues::Bits(column.bits()?),
            P::FixedBinary(width) => HashedValues::Wide(column.row_bytes(width)?, width),
            P::String { large: false } | P::Binary { large: false } => {
                HashedValues::Short(column.offsets()?, column.chars()?)
            }
            P::String { large: true } | P::Binary { large: true } => {
                HashedValues::Long(column.offsets()?, column.chars()?)
            }
            P::Dictionary => {
                let values = Elements::open(values.ok_or_else(unsupported)?, None)?;
                HashedValues::Dictionary(keys(column)?, Box::new(values))
            }
            P::F16 => HashedValues::W2(column.values()?, Some((0x8000, 0x7c00, 0x7e00))),
            P::F32 => HashedValues::W4(column.values()?, Some((1 << 31, 0x7f80_0000, 0x7fc0_0000))),
            P::F64 => HashedValues::W8(column.values()?, Some((1 << 63, 0x7ff0 << 48, 0x7ff8 << 48))),
            other => match other.width() {
                Some(1) => HashedValues::W1(column.values()?),
                Some(2) => HashedValues::W2(column.values()?, None),
                Some(4) => HashedValues::W4(column.values()?, None),
                Some(8) => HashedValues::W8(column.values()?, None),
                Some(16) => HashedValues::W16(column.values()?),
                Some(32) => HashedValues::W32(column.values()?),
                _ => return Err(unsupported()),
            },
        };
        Ok(Self { values: own, validity: column.validity()?, len: column.len() })
    }

    /// Combines the hashes in `out` with this column's hashes of the rows from `first` on.
    fn add<F: Function, const BEGUN: bool>(&self, first: usize, seed: F::Seed, out: &mut [F::Value]) {
        let range = first..first + out.len();
        match &self.values {
            HashedValues::W1(values) => {
                self.each::<F, BEGUN>(first, seed, out, values[range].iter().map(|value| [*value]));
            }
            HashedValues::W2(values, float) => {
                let bytes = |value: &u16| normal!(*value, *float, F::ONE_ZERO).to_le_bytes();
                self.each::<F, BEGUN>(first, seed, out, values[range].iter().map(bytes));
            }
            HashedValues::W4(values, float) => {
                let bytes = |value: &u32| normal!(*value, *float, F::ONE_ZERO).to_le_bytes();
                self.each::<F, BEGUN>(first, seed, out, values[range].iter().map(bytes));
            }
            HashedValues::W8(values, float) => {
                let bytes = |value: &u64| normal!(*value, *float, F::ONE_ZERO).to_le_bytes();
                self.each::<F, BEGUN>(first, seed, out, values[range].iter().map(bytes));
            }
            HashedValues::W16(values) => self.each::<F, BEGUN>(first, seed, out, values[range].iter().copied()),
            HashedValues::W32(values) => self.each::<F, BEGUN>(first, seed, out, values[range].iter().copied()),
            _ => {
                for (row, out) in range.zip(out) {
                    *out = next::<F, BEGUN>(*out, seed, |seed| self.hash::<F>(row, seed));
                }
            }
        }
    }

    #[inline(always)]
    fn each<F: Function, const BEGUN: bool>(
        &self,
        first: usize,
        seed: F::Seed,
        out: &mut [F::Value],
        rows: impl Iterator<Item = impl AsRef<[u8]>>,
    ) {
        match &self.validity {
            None => {
                for (out, bytes) in out.iter_mut().zip(rows) {
                    *out = next::<F, BEGUN>(*out, seed, |seed| F::hash(bytes.as_ref(), seed));
                }
            }
            Some(validity) => {
                for ((at, out), bytes) in out.iter_mut().enumerate().zip(rows) {
                    let hash = |seed| if validity.get(first + at) { F::hash(bytes.as_ref(), seed) } else { F::NULL };
                    *out = next::<F, BEGUN>(*out, seed, hash);
                }
            }
        }
    }

    fn hash<F: Function>(&self, row: usize, seed: F::Seed) -> F::Value {
        self.with_bytes(row, F::ONE_ZERO, |bytes| bytes.map_or(F::NULL, |bytes| F::hash(bytes, seed)))
    }

    #[inline]
    fn with_bytes<R>(&self, row: usize, one_zero: bool, f: impl FnOnce(Option<&[u8]>) -> R) -> R {
        if row >= self.len || self.validity.is_some_and(|validity| !validity.get(row)) {
            return f(None);
        }
        match &self.values {
            HashedValues::Nothing => f(None),
            HashedValues::Bits(bits) => f(Some(&[u8::from(bits.get(row))])),
            HashedValues::W1(values) => f(Some(&[values[row]])),
            HashedValues::W2(values, float) => f(Some(&normal!(values[row], *float, one_zero).to_le_bytes())),
            HashedValues::W4(values, float) => f(Some(&normal!(values[row], *float, one_zero).to_le_bytes())),
            HashedValues::W8(values, float) => f(Some(&normal!(values[row], *float, one_zero).to_le_bytes())),
            HashedValues::W16(values) => f(Some(&values[row])),
            HashedValues::W32(values) => f(Some(&values[row])),
            HashedValues::Wide(bytes, width) => f(Some(&bytes[row * width..(row + 1) * width])),
            HashedValues::Short(offsets, bytes) => f(Some(text(offsets, bytes, row))),
            HashedValues::Long(offsets, bytes) => f(Some(text(offsets, bytes, row))),
            HashedValues::Dictionary(keys, values) => values.with_bytes(keys(row), one_zero, f),
        }
    }
}

#[inline(always)]
fn next<F: Function, const BEGUN: bool>(
    before: F::Value,
    seed: F::Seed,
    hash: impl FnOnce(F::Seed) -> F::Value,
) -> F::Value {
    if BEGUN { F::combine(before, hash(F::seed_after(before, seed))) } else { hash(seed) }
}

/// Returns the bytes of a row.
fn text<'a, O: AsPrimitive<usize>>(offsets: &[O], bytes: &'a [u8], row: usize) -> &'a [u8] {
    let range = offsets.get(row).zip(offsets.get(row + 1));
    range.and_then(|(begin, end)| bytes.get(begin.as_()..end.as_())).unwrap_or_default()
}

/// Returns a function that maps a row to the position of its value in the dictionary.
fn keys<'a>(column: &'a HostColumn<'_>) -> Result<Keys<'a>> {
    let data_type = column.view().data_type();
    let gdf_core::DataType::Dictionary(keys, _) = data_type else {
        return Err(Error::unsupported("hash", data_type));
    };
    dispatch_integer!(
        physical_type(keys),
        K => {
            let keys = column.values::<K>()?;
            Ok(Box::new(move |row| keys[row].to_usize().unwrap_or(usize::MAX)))
        },
        else => Err(Error::unsupported("hash", data_type))
    )
}

/// The number of two-word hashes that are buffered before the two words are written to two columns.
const BLOCK: usize = crate::limits::cpu::HASH_BLOCK;

/// Computes the hashes. The result has a column for each word of a hash.
pub fn hash<F: Function>(
    columns: &[HashedColumn<'_>],
    rows: usize,
    data_type: &DataType,
    seed: F::Seed,
    ctx: Ctx<'_>,
) -> Result<Vec<Column>> {
    let open = OpenColumns::open(columns, ctx.stream)?;
    let hashed = open.rows()?;
    if F::WORDS == 1 {
        let mut output = HostOutput::<F::Value>::new(rows, ctx)?;
        for_each_chunk(output.values(ctx.stream)?, |first, chunk| hashed.hash_into::<F>(first, seed, chunk));
        return Ok(vec![output.finish(data_type, HostMask::none())?]);
    }
    let mut low = HostOutput::<u64>::new(rows, ctx)?;
    let mut high = HostOutput::<u64>::new(rows, ctx)?;
    let task = task_rows();
    let chunks = low.values(ctx.stream)?.chunks_mut(task).zip(high.values(ctx.stream)?.chunks_mut(task));
    for_each_task(chunks.collect(), |chunk, (low, high): (&mut [u64], &mut [u64])| {
        let mut block = [F::NULL; BLOCK];
        for (at, (low, high)) in low.chunks_mut(BLOCK).zip(high.chunks_mut(BLOCK)).enumerate() {
            let block = &mut block[..low.len()];
            hashed.hash_into::<F>(chunk * task + at * BLOCK, seed, block);
            for ((low, high), hash) in low.iter_mut().zip(high).zip(block) {
                *low = F::word(*hash, 0).unwrap_or_default();
                *high = F::word(*hash, 1).unwrap_or_default();
            }
        }
    });
    Ok(vec![low.finish(data_type, HostMask::none())?, high.finish(data_type, HostMask::none())?])
}
