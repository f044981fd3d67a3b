//! The keys of rows as words to look up in hash tables: packed where they fit 64 bits, hashed where not. The twin of
//! `kernels/include/gdf/row_keys.cuh`.

use gdf_core::{Result, dispatch_integer, physical_type};

use crate::engine::keys::KeyColumn;
use crate::engine::keys::short_texts::ShortTexts;
use crate::engine::keys::text::KeyTexts;
use crate::host::{HostColumn, map_chunks, vectorized};

/// Rows whose keys are worked out together.
pub(crate) const KEY_BLOCK: usize = crate::limits::cpu::KEY_BLOCK;

/// Flags of a row: its key is its word; its key is a null that has no bit of its own; it takes no part.
pub(crate) const VALID: u32 = 0;
pub(crate) const NULL: u32 = 1;
pub(crate) const EXCLUDED: u32 = 2;

/// A row with its key, as rows are moved: the word, then the flag above the row's number.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub(crate) struct KeyedRow([u64; 2]);

impl KeyedRow {
    /// `row` has 32 bits.
    #[inline]
    pub(crate) fn new(word: u64, flag: u32, row: usize) -> Self {
        Self([word, row as u64 | u64::from(flag) << 32])
    }

    #[inline]
    pub(crate) fn word(&self) -> u64 {
        self.0[0]
    }

    #[inline]
    pub(crate) fn flag(&self) -> u32 {
        (self.0[1] >> 32) as u32
    }

    #[inline]
    pub(crate) fn row(&self) -> u32 {
        self.0[1] as u32
    }
}

/// Where a column lies in the word: its distance from its smallest value.
#[derive(Clone, Copy, Debug)]
struct Field {
    base: u64,
    /// The largest distance.
    span: u64,
    /// The bits of the column's type.
    bits: u64,
    shift: u32,
    /// The bit that is set where the column is null; none where nulls take no part, or are a case of their own.
    null_bit: Option<u32>,
    /// How texts become numbers, in columns of such.
    texts: Option<ShortTexts>,
}

/// How keys lie in 64 bits, if they do. Unlike on a GPU, integers and texts of few bytes take no more bits than they differ in:
/// looking at them first costs little here.
#[derive(Clone, Debug)]
pub(crate) struct HostPacking {
    fields: Vec<Field>,
    bits: u32,
    /// The one column takes all bits: its null is a case of its own.
    special_null: bool,
}

impl HostPacking {
    fn new(columns: &[HostColumn<'_>], exclude_nulls: bool) -> Result<Option<Self>> {
        let mut packing = HostPacking { fields: Vec::new(), bits: 0, special_null: false };
        for column in columns {
            if !may_pack(column)? {
                return Ok(None);
            }
        }
        for column in columns {
            let Some(Range { base, span, bits, texts }) = range(column)? else { return Ok(None) };
            let width = u64::BITS - span.leading_zeros();
            let nulls = column.view().has_validity() && !exclude_nulls;
            let shift = packing.bits;
            packing.bits += width;
            let special = nulls && width == 64 && columns.len() == 1;
            packing.special_null |= special;
            let null_bit = (nulls && !special).then_some(packing.bits);
            packing.bits += u32::from(null_bit.is_some());
            if packing.bits > 64 {
                return Ok(None);
            }
            packing.fields.push(Field { base, span, bits, shift: shift.min(63), null_bit, texts });
        }
        Ok(Some(packing))
    }
}

/// Whether values of the column's type, or texts of as many bytes as there are on average, take at most 64 bits.
fn may_pack(column: &HostColumn<'_>) -> Result<bool> {
    use gdf_core::PhysicalType as P;
    Ok(match physical_type(column.view().data_type()) {
        P::I128 | P::I256 | P::IntervalMonthDayNano => false,
        P::String { .. } | P::Binary { .. } => KeyColumn::open("keys", column)?.may_be_short(),
        _ => true,
    })
}

/// The values of a column of up to 64 bits.
#[derive(Clone, Copy, Debug)]
struct Range {
    /// The smallest one, as bits.
    base: u64,
    /// How far the largest one is from it.
    span: u64,
    /// The bits of the type.
    bits: u64,
    /// How texts become these values.
    texts: Option<ShortTexts>,
}

impl Range {
    fn all(width: usize) -> Option<Self> {
        let bits = u64::MAX >> (64 - 8 * width);
        Some(Range { base: 0, span: bits, bits, texts: None })
    }

    fn of_texts(column: &KeyColumn<'_>, rows: usize) -> Option<Self> {
        let lengths = map_chunks(rows, |range| column.text_lengths(range));
        let (min, max) = lengths.into_iter().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
        let texts = ShortTexts::new(min, max)?;
        let ends = map_chunks(rows, |range| {
            let (mut first, mut ends, mut numbers) = (range.start, (u64::MAX, 0), [0; KEY_BLOCK]);
            while first < range.end {
                let numbers = &mut numbers[..KEY_BLOCK.min(range.end - first)];
                column.text_numbers_into(texts, first, numbers);
                ends = numbers.iter().fold(ends, |(min, max), number| (min.min(*number), max.max(*number)));
                first += numbers.len();
            }
            ends
        });
        let (base, max) = ends.into_iter().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
        Some(Range { base, span: max - base, bits: u64::MAX, texts: Some(texts) })
    }
}

fn range(column: &HostColumn<'_>) -> Result<Option<Range>> {
    use gdf_core::PhysicalType as P;
    fn of<T: Copy + Ord + Send + Sync>(values: &[T], wide: impl Fn(T) -> i128) -> Option<Range> {
        let parts = map_chunks(values.len(), |range| ends_of(&values[range]));
        let ends = parts.into_iter().flatten().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        let (base, span) = ends.map_or((0, 0), |(min, max)| (wide(min) as u64, (wide(max) - wide(min)) as u64));
        Some(Range { base, span, bits: u64::MAX >> (64 - 8 * size_of::<T>()), texts: None })
    }
    let physical = physical_type(column.view().data_type());
    Ok(match physical {
        P::Bool => Some(Range { base: 0, span: 1, bits: 1, texts: None }),
        P::String { .. } | P::Binary { .. } => Range::of_texts(&KeyColumn::open("keys", column)?, column.view().len()),
        P::IntervalDayTime => Range::all(8),
        _ if physical.is_floating() => physical.width().and_then(Range::all),
        P::I128 | P::I256 => None,
        _ if physical.is_integral() => {
            dispatch_integer!(physical, T => of(column.values::<T>()?, |value: T| value as i128), else => None)
        }
        _ => None,
    })
}

vectorized! {
    /// The smallest and the largest of some values.
    pub(crate) fn ends_of[T: Copy + Ord](values: &[T]) -> Option<(T, T)> {
        let first = *values.first()?;
        Some(values.iter().fold((first, first), |(min, max), value| (min.min(*value), max.max(*value))))
    }
}

/// The key columns, open, and how they pack.
#[derive(Debug)]
pub(crate) struct HostKeys<'a> {
    columns: Vec<KeyColumn<'a>>,
    packing: Option<HostPacking>,
    /// The packing is another table's: values may be out of its ranges.
    foreign: bool,
    /// Rows with a null take no part.
    exclude_nulls: bool,
    /// Rows with a NaN take no part.
    exclude_nans: bool,
}

impl<'a> HostKeys<'a> {
    pub(crate) fn open(
        operation: &'static str,
        columns: &'a [HostColumn<'_>],
        exclude_nulls: bool,
        exclude_nans: bool,
    ) -> Result<Self> {
        let packing = HostPacking::new(columns, exclude_nulls)?;
        Self::open_packed(operation, columns, packing.as_ref(), false, exclude_nulls, exclude_nans)
    }

    /// Keys that pack as those of a table that was made before: the same ones, or with `foreign` others, to be looked up.
    /// Those that cannot be there take no part.
    pub(crate) fn open_packed(
        operation: &'static str,
        columns: &'a [HostColumn<'_>],
        packing: Option<&HostPacking>,
        foreign: bool,
        exclude_nulls: bool,
        exclude_nans: bool,
    ) -> Result<Self> {
        let columns = columns.iter().map(|key| KeyColumn::open(operation, key)).collect::<Result<_>>()?;
        Ok(Self { columns, packing: packing.cloned(), foreign, exclude_nulls, exclude_nans })
    }

    /// How keys lie in their words.
    pub(crate) fn packing(&self) -> Option<&HostPacking> {
        self.packing.as_ref()
    }

    /// Bits of a word, where words are packed keys.
    pub(crate) fn packed_bits(&self) -> Option<u32> {
        self.packing.as_ref().map(|packing| packing.bits)
    }

    /// Whether every row takes part.
    pub(crate) fn all_take_part(&self) -> bool {
        !(self.exclude_nans || self.exclude_nulls && self.columns.iter().any(KeyColumn::has_validity))
    }

    /// Whether every row's flag is [`VALID`].
    pub(crate) fn all_plain(&self) -> bool {
        !(self.exclude_nans || self.columns.iter().any(KeyColumn::has_validity))
    }

    /// Words and flags of rows `first ..`, at most [`KEY_BLOCK`].
    pub(crate) fn words_into(&self, first: usize, words: &mut [u64], flags: &mut [u32]) {
        words.fill(0);
        flags.fill(VALID);
        match &self.packing {
            Some(packing) => self.pack_into(packing, first, words, flags),
            None => {
                self.columns.iter().for_each(|column| column.hash_into(first, words));
                if self.exclude_nulls {
                    self.columns.iter().for_each(|column| mark_nulls(column, first, flags));
                }
            }
        }
        if self.exclude_nans {
            for column in &self.columns {
                let nans = (first..).zip(&mut *flags).filter(|(row, _)| column.is_valid(*row) && column.is_nan(*row));
                nans.for_each(|(_, flag)| *flag = EXCLUDED);
            }
        }
    }

    fn pack_into(&self, packing: &HostPacking, first: usize, words: &mut [u64], flags: &mut [u32]) {
        let mut buffer = [0; KEY_BLOCK];
        let values = &mut buffer[..words.len()];
        for (column, field) in self.columns.iter().zip(&packing.fields) {
            let Field { base, span, bits, shift, null_bit, texts } = field;
            match texts {
                Some(texts) => column.text_numbers_into(*texts, first, values),
                None => column.bits_into(first, values),
            }
            values.iter_mut().for_each(|value| *value = value.wrapping_sub(*base) & bits);
            if !column.has_validity() {
                words.iter_mut().zip(&*values).for_each(|(word, value)| *word |= value << shift);
                if self.foreign && span < bits {
                    let beyond = values.iter().zip(&mut *flags).filter(|(value, _)| **value > *span);
                    beyond.for_each(|(_, flag)| *flag = EXCLUDED);
                }
                continue;
            }
            for (((row, word), value), flag) in (first..).zip(&mut *words).zip(&*values).zip(&mut *flags) {
                if column.is_valid(row) {
                    *word |= value << shift;
                    if self.foreign && value > span {
                        *flag = EXCLUDED;
                    }
                } else if let Some(bit) = null_bit {
                    *word |= 1 << bit;
                } else {
                    *flag = if packing.special_null { NULL } else { EXCLUDED };
                }
            }
        }
    }

    /// All keys, if they are one column of texts and do not pack.
    pub(crate) fn texts(&self) -> Option<KeyTexts<'a>> {
        match &self.columns[..] {
            [column] if self.packing.is_none() => column.texts(self.exclude_nulls),
            _ => None,
        }
    }

    /// Whether row `i` here has the key of row `j` there, when words and flags are the same.
    pub(crate) fn same(&self, i: usize, other: &HostKeys<'_>, j: usize) -> bool {
        self.packing.is_some() || self.columns.iter().zip(&other.columns).all(|(a, b)| a.equal(i, b, j))
    }
}

fn mark_nulls(column: &KeyColumn<'_>, first: usize, flags: &mut [u32]) {
    if column.has_validity() {
        for (row, flag) in (first..).zip(flags) {
            if !column.is_valid(row) {
                *flag = EXCLUDED;
            }
        }
    }
}
