//! The keys of rows as words: packed where they fit 64 bits, hashed where not.

use gdf_core::{Result, dispatch_integer, physical_type};

use super::table::GroupTable;
use crate::groupby::NullPolicy;
use crate::host::{HostColumn, KeyColumn, map_chunks, vectorized};

/// Rows whose keys are worked out together.
pub(super) const BLOCK: usize = 1024;

/// Flags of a row: its key is its word; that and a null; it is in no group.
pub(super) const PLAIN: u32 = 0;
pub(super) const NULL: u32 = 1;
pub(super) const NOWHERE: u32 = 2;

/// Where a column lies in the word: its distance from its least value.
#[derive(Clone, Copy, Debug)]
struct Field {
    base: u64,
    mask: u64,
    shift: u32,
    /// The bit that is set where the column is null; none where nulls cannot be in a group, or are a case of their own.
    null_bit: Option<u32>,
}

/// How keys lie in 64 bits, if they do. Unlike on a GPU, integers take no more bits than they differ in: looking at them
/// first costs little here.
#[derive(Clone, Debug)]
struct Packing {
    fields: Vec<Field>,
    bits: u32,
    /// The one column takes all bits: its null is a case of its own.
    special_null: bool,
}

impl Packing {
    fn new(columns: &[HostColumn<'_>], policy: NullPolicy) -> Result<Option<Self>> {
        let mut packing = Packing { fields: Vec::new(), bits: 0, special_null: false };
        for column in columns {
            let Some((base, width)) = range(column)? else { return Ok(None) };
            let nulls = column.view().has_validity() && policy == NullPolicy::Include;
            let shift = packing.bits;
            packing.bits += width;
            let special = nulls && width == 64 && columns.len() == 1;
            packing.special_null |= special;
            let null_bit = (nulls && !special).then_some(packing.bits);
            packing.bits += u32::from(null_bit.is_some());
            if packing.bits > 64 {
                return Ok(None);
            }
            let mask = if width == 0 { 0 } else { u64::MAX >> (64 - width) };
            packing.fields.push(Field { base, mask, shift: shift.min(63), null_bit });
        }
        Ok(Some(packing))
    }
}

/// The least value of a column of up to 64 bits, as bits, and how many bits distances from it take.
fn range(column: &HostColumn<'_>) -> Result<Option<(u64, u32)>> {
    use gdf_core::PhysicalType as P;
    fn bits<T: Copy + Ord + Send + Sync>(values: &[T], wide: impl Fn(T) -> i128) -> (u64, u32) {
        let parts = map_chunks(values.len(), |range| ends_of(&values[range]));
        let ends = parts.into_iter().flatten().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        ends.map_or((0, 0), |(least, most)| {
            let distance = (wide(most) - wide(least)) as u64;
            (wide(least) as u64, 64 - distance.leading_zeros())
        })
    }
    let physical = physical_type(column.view().data_type());
    Ok(match physical {
        P::Bool => Some((0, 1)),
        P::IntervalDayTime => Some((0, 64)),
        _ if physical.is_floating() => physical.width().map(|width| (0, 8 * width as u32)),
        P::I128 | P::I256 => None,
        _ if physical.is_integral() => {
            Some(dispatch_integer!(physical, T => bits(column.values::<T>()?, |value: T| value as i128), else => {
                return Ok(None)
            }))
        }
        _ => None,
    })
}

vectorized! {
    /// The least and the greatest of some values.
    fn ends_of[T: Copy + Ord](values: &[T]) -> Option<(T, T)> {
        let first = *values.first()?;
        Some(values.iter().fold((first, first), |(least, most), value| (least.min(*value), most.max(*value))))
    }
}

/// The key columns, open, and how they pack.
#[derive(Debug)]
pub(super) struct Keys<'a> {
    columns: Vec<KeyColumn<'a>>,
    packing: Option<Packing>,
    /// Rows with a null are in no group.
    exclude: bool,
}

impl<'a> Keys<'a> {
    pub(super) fn open(operation: &'static str, columns: &'a [HostColumn<'_>], policy: NullPolicy) -> Result<Self> {
        let packing = Packing::new(columns, policy)?;
        let columns = columns.iter().map(|key| KeyColumn::open(operation, key)).collect::<Result<_>>()?;
        Ok(Self { columns, packing, exclude: policy == NullPolicy::Exclude })
    }

    /// Bits of a word, where words are packed keys.
    pub(super) fn packed_bits(&self) -> Option<u32> {
        self.packing.as_ref().map(|packing| packing.bits)
    }

    /// Whether no row is in no group.
    pub(super) fn all_in_groups(&self) -> bool {
        !self.exclude || self.columns.iter().all(|column| !column.has_validity())
    }

    /// Words and flags of rows `first ..`.
    pub(super) fn words_into(&self, first: usize, words: &mut [u64], flags: &mut [u32]) {
        words.fill(0);
        flags.fill(PLAIN);
        let Some(packing) = &self.packing else {
            self.columns.iter().for_each(|column| column.hash_into(first, words));
            if self.exclude {
                self.columns.iter().for_each(|column| mark_nulls(column, first, flags));
            }
            return;
        };
        let mut buffer = [0; BLOCK];
        let bits = &mut buffer[..words.len()];
        for (column, Field { base, mask, shift, null_bit }) in self.columns.iter().zip(&packing.fields) {
            column.bits_into(first, bits);
            let place = |bits: u64| (bits.wrapping_sub(*base) & mask) << shift;
            if !column.has_validity() {
                words.iter_mut().zip(&*bits).for_each(|(word, bits)| *word |= place(*bits));
                continue;
            }
            for (((row, word), bits), flag) in (first..).zip(&mut *words).zip(&*bits).zip(&mut *flags) {
                if column.is_valid(row) {
                    *word |= place(*bits);
                } else if let Some(bit) = null_bit {
                    *word |= 1 << bit;
                } else {
                    *flag = if packing.special_null { NULL } else { NOWHERE };
                }
            }
        }
    }

    /// Whether rows of equal words and flags have equal keys.
    pub(super) fn same(&self, i: usize, j: usize) -> bool {
        self.packing.is_some() || self.columns.iter().all(|column| column.equal(i, j))
    }

    /// The group of a row, in a table that may be of another range.
    pub(super) fn insert(&self, table: &mut GroupTable<'_>, row: usize) -> Result<u32> {
        let (mut word, mut flag) = ([0], [PLAIN]);
        self.words_into(row, &mut word, &mut flag);
        table.find_or_insert(word[0], flag[0], row, |other| self.same(row, other))
    }
}

fn mark_nulls(column: &KeyColumn<'_>, first: usize, flags: &mut [u32]) {
    if column.has_validity() {
        for (row, flag) in (first..).zip(flags) {
            if !column.is_valid(row) {
                *flag = NOWHERE;
            }
        }
    }
}
