//! The keys of rows as words of 64 bits, as hash tables on the CPU use them. If all key columns of a row fit in 64
//! bits, the word of the row is the packed key. Otherwise the word is a hash of the key.

use gdf_core::{OrderBounds, PhysicalType, Result, dispatch_integer, physical_type};

use crate::host::{Bits, HostColumn, ends_of, map_chunks, vectorized};
use crate::keys::short_texts::{ShortTexts, TextEnds};
use crate::keys::text::KeyTexts;
use crate::keys::{KeyColumn, KeySide};
use crate::policy::NullPolicy;
use crate::vouch;

/// The number of rows whose words are computed at a time.
pub const KEY_BLOCK: usize = crate::limits::cpu::KEY_BLOCK;
/// Up to this number of rows, keys are packed in a buffer of this size.
const FEW_ROWS: usize = 8;

/// The flag of a row whose word describes its key.
pub const VALID: u32 = 0;
/// The flag of a null in the only key column, if the values of the column take all 64 bits of the word.
pub const NULL: u32 = 1;
/// The flag of an excluded row, which belongs to no group and matches nothing.
pub const EXCLUDED: u32 = 2;

/// A row with its key, in the form in which partitioning moves rows. The first element is the word of the key. The
/// second element has the row number in the low 32 bits and the flag in the high 32 bits.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct KeyedRow([u64; 2]);

impl KeyedRow {
    /// Makes the key of a row. `row` must fit in 32 bits.
    #[inline]
    pub fn new(word: u64, flag: u32, row: usize) -> Self {
        Self([word, row as u64 | u64::from(flag) << 32])
    }

    #[inline]
    pub fn word(&self) -> u64 {
        self.0[0]
    }

    #[inline]
    pub fn flag(&self) -> u32 {
        (self.0[1] >> 32) as u32
    }

    #[inline]
    pub fn row(&self) -> u32 {
        self.0[1] as u32
    }
}

/// The bits of a word that belong to a key column. They contain the difference between the value and the smallest value
/// of the column.
#[derive(Clone, Copy, Debug)]
struct Field {
    base: u64,
    /// The difference between the largest and the smallest value.
    span: u64,
    /// A mask of the bits of the column's type.
    bits: u64,
    shift: u32,
    /// The bit of the word that is set if the column is null.
    null_bit: Option<u32>,
    /// The conversion of texts to numbers, for text columns.
    texts: Option<ShortTexts>,
}

/// The layout of packed keys in 64 bits. A column of integers or short texts takes only the bits that the range of its
/// values needs.
#[derive(Clone, Debug)]
pub struct HostPacking {
    fields: Vec<Field>,
    bits: u32,
    /// Whether nulls of the only column count as keys, and the values of the column take all bits of the word. Such a
    /// null is marked by the flag [`NULL`].
    special_null: bool,
}

impl HostPacking {
    fn new(columns: &[HostColumn<'_>], null_policy: NullPolicy) -> Result<Option<Self>> {
        let mut packing = HostPacking { fields: Vec::new(), bits: 0, special_null: false };
        for column in columns {
            if !may_pack(column)? {
                return Ok(None);
            }
        }
        for column in columns {
            let Some(Range { base, span, bits, texts }) = range(column)? else { return Ok(None) };
            let width = u64::BITS - span.leading_zeros();
            let nulls = column.view().has_validity() && null_policy == NullPolicy::Include;
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

/// Returns whether the values of the column may fit in 64 bits.
fn may_pack(column: &HostColumn<'_>) -> Result<bool> {
    use gdf_core::PhysicalType as P;
    Ok(match physical_type(column.view().data_type()) {
        P::I128 | P::I256 | P::IntervalMonthDayNano => false,
        P::String { .. } | P::Binary { .. } => KeyColumn::open("keys", column)?.may_be_short(),
        _ => true,
    })
}

#[derive(Clone, Copy, Debug)]
struct Range {
    /// The smallest value, as an unsigned integer with the same bits.
    base: u64,
    /// The difference between the largest and the smallest value.
    span: u64,
    /// A mask of the bits of the type.
    bits: u64,
    /// The conversion of texts to numbers.
    texts: Option<ShortTexts>,
}

impl Range {
    fn all(width: usize) -> Option<Self> {
        let bits = u64::MAX >> (64 - 8 * width);
        Some(Range { base: 0, span: bits, bits, texts: None })
    }

    /// Returns the order number of zero for a type of integers. `bits` is a mask of the bits of the type.
    fn zero(physical: PhysicalType, bits: u64) -> u64 {
        if physical.is_signed() { bits ^ bits >> 1 } else { 0 }
    }

    fn of_order(low: u64, high: u64, physical: PhysicalType) -> Option<Self> {
        let bits = u64::MAX >> (64 - 8 * physical.width()?);
        Some(Self { base: low.wrapping_sub(Self::zero(physical, bits)), span: high - low, bits, texts: None })
    }

    fn order(self, physical: PhysicalType) -> OrderBounds {
        let low = self.base.wrapping_add(Self::zero(physical, self.bits));
        Some((low, low + self.span))
    }

    fn of_texts(column: &KeyColumn<'_>, rows: usize) -> Option<Self> {
        let ends = map_chunks(rows, |range| column.text_ends(range));
        let ends = ends.into_iter().flatten().reduce(TextEnds::with)?;
        let texts = ShortTexts::new(ends.lengths.0, ends.lengths.1)?;
        let numbers = ends.numbers.or_else(|| {
            let ends = map_chunks(rows, |range| column.text_number_ends(texts, range));
            ends.into_iter().flatten().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
        });
        let (base, max) = numbers?;
        Some(Range { base, span: max - base, bits: u64::MAX, texts: Some(texts) })
    }
}

/// Returns bounds of the values of a column of integers of at most 64 bits. If the column has no mask, the bounds are
/// stored with the column. Otherwise the bounds may include the values of null rows, and are not stored.
pub(crate) fn bounds(column: &HostColumn<'_>) -> Result<OrderBounds> {
    let physical = physical_type(column.view().data_type());
    Ok(range(column)?.filter(|_| physical.is_integral()).and_then(|range| range.order(physical)))
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
        _ if physical.is_integral() => match column.view().exact_bounds().flatten() {
            Some((low, high)) => Range::of_order(low, high, physical),
            None => {
                let range =
                    dispatch_integer!(physical, T => of(column.values::<T>()?, |value: T| value as i128), else => None);
                // The range includes the values of null rows, which the stored bounds of a column must not include.
                if let (Some(range), false) = (range, column.view().has_validity() || column.view().is_empty()) {
                    vouch::exact_bounds(column.view(), range.order(physical));
                }
                range
            }
        },
        _ => None,
    })
}

vectorized! {
    /// Subtracts `base` from each value, keeps the bits of `bits`, and inserts the difference into the word of the same
    /// row, shifted left by `shift` bits.
    fn place(values: &mut [u64], base: u64, bits: u64, shift: u32, words: &mut [u64]) {
        for (value, word) in values.iter_mut().zip(words) {
            *value = value.wrapping_sub(base) & bits;
            *word |= *value << shift;
        }
    }
}

vectorized! {
    /// Excludes the rows whose values are larger than `span`.
    fn exclude_beyond(values: &[u64], span: u64, flags: &mut [u32]) {
        for (value, flag) in values.iter().zip(flags) {
            *flag = if *value > span { EXCLUDED } else { *flag };
        }
    }
}

#[derive(Clone, Copy)]
struct KeyOfNull {
    word: u64,
    flag: u32,
}

vectorized! {
    /// Inserts the values of valid rows into their words in the same way as [`place`].
    fn place_valid(
        values: &mut [u64],
        field: &Field,
        validity: Bits<'_>,
        null: KeyOfNull,
        words: &mut [u64],
        flags: &mut [u32],
    ) {
        let Field { base, bits, shift, .. } = *field;
        let rows = values.chunks_mut(64).zip(words.chunks_mut(64)).zip(flags.chunks_mut(64));
        for (index, ((values, words), flags)) in rows.enumerate() {
            let valid = validity.word(index);
            for (row, ((value, word), flag)) in values.iter_mut().zip(words).zip(flags).enumerate() {
                let nulls = (valid >> row & 1).wrapping_sub(1);
                *value = value.wrapping_sub(base) & bits;
                *word |= *value << shift & !nulls | null.word & nulls;
                *flag |= null.flag & nulls as u32;
            }
        }
    }
}

/// The key columns of a table, open for reading, and their packing.
#[derive(Debug)]
pub struct HostKeys<'a> {
    columns: Vec<KeyColumn<'a>>,
    packing: Option<HostPacking>,
    /// Whether the packing was made for another table. Values may then be outside of the ranges of the packing.
    foreign: bool,
    /// Whether rows with a null have keys like other rows or are excluded.
    null_policy: NullPolicy,
    exclude_nans: bool,
}

impl<'a> HostKeys<'a> {
    pub fn open(operation: &'static str, columns: &'a [HostColumn<'_>], null_policy: NullPolicy) -> Result<Self> {
        let packing = HostPacking::new(columns, null_policy)?;
        let columns = columns.iter().map(|key| KeyColumn::open(operation, key)).collect::<Result<_>>()?;
        Ok(Self { columns, packing, foreign: false, null_policy, exclude_nans: false })
    }

    pub fn of_side(operation: &'static str, columns: &'a [HostColumn<'_>], side: &KeySide<'_>) -> Result<Self> {
        Ok(Self { exclude_nans: side.exclude_nans, ..Self::open(operation, columns, side.null_policy)? })
    }

    /// Opens the key columns of a side with a given packing, instead of choosing a packing as
    /// [`of_side`](Self::of_side) does.
    pub(crate) fn of_table(
        operation: &'static str,
        columns: &'a [HostColumn<'_>],
        packing: Option<&HostPacking>,
        side: &KeySide<'_>,
    ) -> Result<Self> {
        let columns = columns.iter().map(|key| KeyColumn::open(operation, key)).collect::<Result<_>>()?;
        let KeySide { null_policy, exclude_nans, .. } = *side;
        Ok(Self { columns, packing: packing.cloned(), foreign: false, null_policy, exclude_nans })
    }

    /// Returns the same keys, marked as keys of a table other than the one for which the packing was made.
    pub(crate) fn foreign(self) -> Self {
        Self { foreign: true, ..self }
    }

    /// Returns the packing, or `None` if words are hashes.
    pub fn packing(&self) -> Option<&HostPacking> {
        self.packing.as_ref()
    }

    /// Returns the number of bits of the packed keys, or `None` if words are hashes.
    pub(crate) fn packed_bits(&self) -> Option<u32> {
        self.packing.as_ref().map(|packing| packing.bits)
    }

    /// Returns whether no row can be excluded because of a null or a NaN.
    pub fn all_take_part(&self) -> bool {
        !(self.exclude_nans
            || self.null_policy == NullPolicy::Exclude && self.columns.iter().any(KeyColumn::has_validity))
    }

    /// Returns whether the columns have no masks and no row can be excluded because of a NaN. Unless the keys are
    /// [`foreign`](Self::foreign), the flag of every row is then [`VALID`].
    pub(crate) fn all_plain(&self) -> bool {
        !(self.exclude_nans || self.columns.iter().any(KeyColumn::has_validity))
    }

    /// Writes the words and flags of the rows from `first` on. The number of rows is the length of `words`, at most
    /// [`KEY_BLOCK`].
    pub fn words_into(&self, first: usize, words: &mut [u64], flags: &mut [u32]) {
        words.fill(0);
        flags.fill(VALID);
        match &self.packing {
            Some(packing) => self.pack_into(packing, first, words, flags),
            None => {
                self.columns.iter().for_each(|column| column.hash_into(first, words));
                if self.null_policy == NullPolicy::Exclude {
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
        // A single row does not pay for clearing a block.
        let (mut few, mut block);
        let values: &mut [u64] = if words.len() <= FEW_ROWS {
            few = [0; FEW_ROWS];
            &mut few[..words.len()]
        } else {
            block = [0; KEY_BLOCK];
            &mut block[..words.len()]
        };
        for (column, field) in self.columns.iter().zip(&packing.fields) {
            let Field { base, span, bits, shift, null_bit, texts } = field;
            match texts {
                Some(texts) => column.text_numbers_into(*texts, first, values),
                None => column.bits_into(first, values),
            }
            match column.validity(first, values.len()) {
                None => place(values, *base, *bits, *shift, words),
                Some(validity) => {
                    let null = match null_bit {
                        Some(bit) => KeyOfNull { word: 1 << bit, flag: VALID },
                        None if packing.special_null => KeyOfNull { word: 0, flag: NULL },
                        None => KeyOfNull { word: 0, flag: EXCLUDED },
                    };
                    place_valid(values, field, validity, null, words, flags);
                }
            }
            if self.foreign && span < bits {
                match column.validity(first, values.len()) {
                    None => exclude_beyond(values, *span, flags),
                    Some(_) => {
                        let beyond = (first..).zip(&*values).zip(&mut *flags).filter(|((_, value), _)| *value > span);
                        let beyond = beyond.filter(|((row, _), _)| column.is_valid(*row));
                        beyond.for_each(|(_, flag)| *flag = EXCLUDED);
                    }
                }
            }
        }
    }

    /// Returns the texts of all keys, if the keys are one text column and are not packed.
    pub fn texts(&self) -> Option<KeyTexts<'a>> {
        match &self.columns[..] {
            [column] if self.packing.is_none() => column.texts(self.null_policy),
            _ => None,
        }
    }

    /// Returns whether the key of row `i` equals the key of row `j` of `other`.
    pub fn same(&self, i: usize, other: &HostKeys<'_>, j: usize) -> bool {
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

#[cfg(test)]
mod tests {
    use gdf_core::{Column, DataType};
    use gdf_driver::Stream;

    use super::*;

    type Row = (Option<&'static str>, Option<bool>);

    const EVEN: &[&str] = &["A", "N", "R", "\0"];
    const UNEVEN: &[&str] = &["A", "A\0", "", "N", "RR", "\0"];
    const LONGER: &[&str] = &["seven!!", "seven!\0", "seven??"];

    fn rows(texts: &[&'static str], count: usize, nulls: usize) -> Vec<Row> {
        let text = |row: usize| (!(row + 1).is_multiple_of(nulls)).then(|| texts[row * 7 % texts.len()]);
        (0..count).map(|row| (text(row), (row % 5 != 3).then_some(row % 3 == 0))).collect()
    }

    fn columns(rows: &[Row], text: &DataType, skipped: usize) -> [Column; 2] {
        let (stream, mr) = (Stream::cpu(), gdf_memory::Resource::new(gdf_memory::HostResource::new()));
        let texts = Column::from_strs_typed_on(rows.iter().map(|row| row.0), text, &stream, mr.as_ref()).unwrap();
        let flags: Vec<_> = rows.iter().map(|row| row.1).collect();
        let flags = Column::from_options_on(&flags, &stream, mr.as_ref()).unwrap();
        [texts, flags].map(|column| column.slice(skipped, rows.len() - skipped).unwrap())
    }

    fn open(columns: &[Column; 2]) -> Vec<HostColumn<'_>> {
        columns.iter().map(|column| HostColumn::open(column.view(), &Stream::cpu()).unwrap()).collect()
    }

    fn words(keys: &HostKeys<'_>, rows: usize) -> Vec<(u64, u32)> {
        let (mut words, mut flags) = (vec![9; rows], vec![9; rows]);
        for first in (0..rows).step_by(KEY_BLOCK) {
            let block = first..rows.min(first + KEY_BLOCK);
            keys.words_into(first, &mut words[block.clone()], &mut flags[block]);
        }
        words.into_iter().zip(flags).collect()
    }

    /// Checks that equal rows have equal words, and that different rows have different words.
    #[track_caller]
    fn check(own: &[Row], other: &[Row], text: &DataType, exclude_nulls: bool) {
        let (mine, theirs) = (columns(own, text, 1), columns(other, text, 0));
        let (mine, theirs) = (open(&mine), open(&theirs));
        let null_policy = if exclude_nulls { NullPolicy::Exclude } else { NullPolicy::Include };
        let keys = HostKeys::open("keys", &mine, null_policy).unwrap();
        assert!(keys.packing().is_some());
        let others = HostKeys::open("keys", &theirs, null_policy).unwrap();
        let others = HostKeys { packing: keys.packing().cloned(), ..others }.foreign();
        let own = &own[1..];
        let (words, others) = (words(&keys, own.len()), words(&others, other.len()));
        let takes_part = |row: &Row| !exclude_nulls || row.0.is_some() && row.1.is_some();
        let mut found = std::collections::HashMap::new();
        for (row, (word, flag)) in own.iter().zip(words) {
            assert_eq!(flag, if takes_part(row) { VALID } else { EXCLUDED }, "{row:?}");
            if takes_part(row) {
                assert_eq!(*found.entry(*row).or_insert(word), word, "{row:?}");
            }
        }
        let all: std::collections::HashSet<_> = found.values().collect();
        assert_eq!(all.len(), found.len());
        for (row, (word, flag)) in other.iter().zip(others) {
            let there = takes_part(row).then(|| found.get(row)).flatten();
            match there {
                Some(expected) => assert_eq!((word, flag), (*expected, VALID), "{row:?}"),
                None => assert!(flag == EXCLUDED || !all.contains(&word), "{row:?}"),
            }
        }
    }

    #[test]
    fn words_are_equal_where_rows_are() {
        for count in [2, 64, 65, 66, KEY_BLOCK, KEY_BLOCK + 1, KEY_BLOCK + 2, 3 * KEY_BLOCK] {
            for (texts, others) in [(EVEN, EVEN), (EVEN, UNEVEN), (UNEVEN, EVEN), (UNEVEN, LONGER), (LONGER, EVEN)] {
                for (nulls, exclude) in [(usize::MAX, false), (usize::MAX, true), (3, false), (3, true), (900, false)] {
                    for text in [DataType::Utf8, DataType::LargeUtf8] {
                        check(&rows(texts, count, nulls), &rows(others, 200, nulls), &text, exclude);
                    }
                }
            }
        }
    }

    /// Tests texts of equal length with a single longer text. Each repetition puts the longer text into the rows of
    /// another task.
    #[test]
    fn one_text_of_many_is_longer() {
        let count = 2 * crate::host::task_rows() + 1;
        for at in [1, count / 2, count - 1] {
            let mut all = rows(EVEN, count, usize::MAX);
            all[at].0 = Some("A\0");
            check(&all, &rows(UNEVEN, 100, usize::MAX), &DataType::Utf8, false);
        }
    }
}
