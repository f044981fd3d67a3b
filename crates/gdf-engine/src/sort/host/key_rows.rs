//! Key columns that are open on the CPU: their statistics, their contribution to keys, and the comparison of rows.

use std::cmp::Ordering;

use gdf_core::{Error, Result};

use super::alphabet::Alphabet;
use super::ordered::{Ordered, Unsigned};
use crate::host::{Bits, HostColumn, HostValues, map_chunks, vectorized};
use crate::sort::KeyColumn;
use crate::sort::plan::{Field, Piece, Stats};

/// Evaluates `$body` for columns whose values can be mapped to unsigned integers of the same order (ordered integers).
/// For text, which has no ordered integers, the macro evaluates `$other`.
macro_rules! with_ordered {
    ($values:expr, $part:expr, |$get:ident, $lossy:ident| $body:expr, else $other:expr) => {
        with_ordered!(@arms $values, $part, $get, $lossy, $body, $other,
            I8 I16 I32 I64 U8 U16 U32 U64 F16 F32 F64 I128)
    };
    (@arms $values:expr, $part:expr, $get:ident, $lossy:ident, $body:expr, $other:expr, $($name:ident)*) => {
        match $values.0 {
            $(HostValues::$name(values) => {
                let $get = |row: usize| values[row].ordered();
                let $lossy = |row: usize| values[row].is_lossy();
                $body
            })*
            HostValues::Bool(bits) => {
                let $get = |row: usize| bits.get(row).ordered();
                let $lossy = |_: usize| false;
                $body
            }
            HostValues::I256(values) if $part == 0 => {
                let $get = |row: usize| values[row].0.to_parts().1.ordered();
                let $lossy = |_: usize| false;
                $body
            }
            HostValues::I256(values) => {
                let $get = |row: usize| values[row].0.to_parts().0;
                let $lossy = |_: usize| false;
                $body
            }
            HostValues::Text32(..) | HostValues::Text64(..) => $other,
        }
    };
}

#[derive(Clone, Copy, Debug)]
pub(super) struct KeyValues<'a>(HostValues<'a>);

impl<'a> KeyValues<'a> {
    fn open(column: &'a HostColumn<'_>) -> Result<Self> {
        let values = HostValues::open(column)?;
        values.map(Self).ok_or_else(|| Error::unsupported("sorting", column.view().data_type()))
    }

    fn parts(&self) -> u32 {
        match self.0 {
            HostValues::Text32(..) | HostValues::Text64(..) => 0,
            HostValues::I256(_) => 2,
            _ => 1,
        }
    }

    /// Returns the bytes of a row of text.
    fn text(&self, row: usize) -> &'a [u8] {
        let (range, chars) = match self.0 {
            HostValues::Text32(offsets, chars) => (offsets[row] as usize..offsets[row + 1] as usize, chars),
            HostValues::Text64(offsets, chars) => (offsets[row] as usize..offsets[row + 1] as usize, chars),
            _ => return &[],
        };
        chars.get(range).unwrap_or_default()
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        with_ordered!(self, 0, |get, _lossy| match get(a).cmp(&get(b)) {
            Ordering::Equal => with_ordered!(self, 1, |get, _lossy| get(a).cmp(&get(b)), else Ordering::Equal),
            unequal => unequal,
        }, else self.text(a).cmp(self.text(b)))
    }

    fn compare_with(&self, a: usize, other: &Self, b: usize) -> Ordering {
        let word = |values: &Self, part: u32, row: usize| -> u128 {
            with_ordered!(values, part, |get, _lossy| widened(get(row)), else 0)
        };
        match self.parts() {
            0 => self.text(a).cmp(other.text(b)),
            parts => (0..parts)
                .map(|part| word(self, part, a).cmp(&word(other, part, b)))
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct HostKey<'a> {
    pub(super) values: KeyValues<'a>,
    pub(super) validity: Option<Bits<'a>>,
    descending: bool,
    nulls_first: bool,
}

impl<'a> HostKey<'a> {
    pub(super) fn open(column: &'a HostColumn<'_>, key: &KeyColumn<'_>) -> Result<Self> {
        Ok(HostKey {
            values: KeyValues::open(column)?,
            validity: column.validity()?,
            descending: key.descending,
            nulls_first: key.nulls_first,
        })
    }

    pub(super) fn is_text(&self) -> bool {
        self.values.parts() == 0
    }

    pub(super) fn pieces(&self, column: usize, rows: usize) -> impl Iterator<Item = (Piece, Stats)> {
        let (descending, nulls_first) = (self.descending, self.nulls_first);
        let piece = move |part| Piece { column, part, descending, nulls_first };
        (0..self.values.parts()).map(move |part| (piece(part), self.stats(part, rows)))
    }

    fn stats(&self, part: u32, rows: usize) -> Stats {
        let nulls = self.validity.map_or(0, |bits| rows - bits.count_ones());
        let validity = self.validity.filter(|_| nulls > 0);
        let stats = with_ordered!(self.values, part, |get, lossy| gather_stats(rows, validity, get, lossy),
            else Stats::default());
        Stats { valid: nulls < rows, null: nulls > 0, ..stats }
    }

    /// Adds `field`, which is a piece of this column, to the keys of the rows from `first` on. Bits of the field below
    /// `start` are left out.
    pub(super) fn add_bits(&self, field: &Field, start: u32, first: usize, keys: &mut [u64]) {
        if let (Some(position), Some(valid)) = (field.null_position, self.validity)
            && position >= start
        {
            let bit = 1_u64 << (position - start);
            for (i, key) in keys.iter_mut().enumerate() {
                *key |= if valid.get(first + i) == self.nulls_first { bit } else { 0 };
            }
        }
        if field.bits > 0 && field.position + field.bits > start {
            // A 256-bit value has two pieces. Only the upper piece has a bit for nulls. For the lower piece, nulls must
            // be looked up here.
            let valid = self.validity.filter(|_| field.null_position.is_some() || field.piece.part > 0);
            with_ordered!(self.values, field.piece.part, |get, _lossy| {
                add_values(field, start, first, valid, &get, keys)
            }, else ());
        }
    }

    pub(super) fn has_words(&self) -> bool {
        let is_wide = matches!(self.values.0, HostValues::I128(_) | HostValues::I256(_));
        self.validity.is_none() && !self.is_text() && !is_wide
    }

    pub(super) fn words_into(&self, first: usize, words: &mut [u64]) {
        let flip = u64::from(self.descending).wrapping_neg();
        with_ordered!(self.values, 0, |get, _lossy| {
            words.iter_mut().zip(first..).for_each(|(word, row)| *word = get(row).low() ^ flip);
        }, else ());
    }

    /// Returns the bytes of a row of text. The result is empty if the row is null or has another type.
    pub(super) fn text(&self, row: usize) -> &'a [u8] {
        if self.validity.is_some_and(|valid| !valid.get(row)) { &[] } else { self.values.text(row) }
    }

    /// Adds the encoded texts to the keys of the rows from `first` on.
    pub(super) fn add_texts(&self, alphabet: &Alphabet, first: usize, keys: &mut [u64]) {
        let bits = alphabet.bits();
        let mask = u64::MAX.checked_shr(64 - bits).unwrap_or(0);
        for (row, key) in (first..).zip(keys) {
            let valid = self.validity.is_none_or(|valid| valid.get(row));
            if self.validity.is_some() && valid == self.nulls_first {
                *key |= 1 << bits;
            }
            if valid {
                let word = alphabet.word(self.values.text(row));
                *key |= if self.descending { mask - word } else { word };
            }
        }
    }

    pub(super) fn compare(&self, a: usize, b: usize) -> Ordering {
        self.with_nulls(self.is_valid(a), self.is_valid(b), || self.values.compare(a, b))
    }

    fn compare_with(&self, a: usize, other: &Self, b: usize) -> Ordering {
        self.with_nulls(self.is_valid(a), other.is_valid(b), || self.values.compare_with(a, &other.values, b))
    }

    fn is_valid(&self, row: usize) -> bool {
        self.validity.is_none_or(|valid| valid.get(row))
    }

    /// Compares two rows by their validity. If both rows are valid, `values` compares the rows.
    fn with_nulls(&self, a_is_valid: bool, b_is_valid: bool, values: impl FnOnce() -> Ordering) -> Ordering {
        let null_first =
            |null_is_a: bool| if null_is_a == self.nulls_first { Ordering::Less } else { Ordering::Greater };
        match (a_is_valid, b_is_valid) {
            (true, true) if self.descending => values().reverse(),
            (true, true) => values(),
            (false, false) => Ordering::Equal,
            (false, true) => null_first(true),
            (true, false) => null_first(false),
        }
    }
}

pub(super) fn compare_rows(keys: &[HostKey<'_>], a: usize, b: usize) -> Ordering {
    keys.iter().map(|key| key.compare(a, b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

fn widened<U: Unsigned>(value: U) -> u128 {
    value.into()
}

pub(super) fn compare_between(left: &[HostKey<'_>], a: usize, right: &[HostKey<'_>], b: usize) -> Ordering {
    let columns = left.iter().zip(right).map(|(left, right)| left.compare_with(a, right, b));
    columns.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

vectorized! {
    /// Returns statistics of the ordered integers of some rows: the largest integer, the smallest integer, the bits
    /// that are set in at least one integer, and the bits that are clear in at least one integer. The last result is
    /// whether `lossy` returns true for a row.
    #[allow(clippy::type_complexity, reason = "a step of `gather_stats`")]
    fn stats_of[U: Unsigned](
        rows: std::ops::Range<usize>,
        validity: Option<Bits<'_>>,
        get: &impl Fn(usize) -> U,
        lossy: &impl Fn(usize) -> bool,
    ) -> (U, U, U, U, bool) {
        let none = (U::default(), U::MAX, U::default(), U::default(), false);
        let add = |(max, min, ones, zeros, ambiguous): (U, U, U, U, bool), row: usize| {
            let value = get(row);
            (max.max(value), min.min(value), ones | value, zeros | !value, ambiguous | lossy(row))
        };
        match validity {
            None => rows.fold(none, add),
            Some(valid) => rows.filter(|row| valid.get(*row)).fold(none, add),
        }
    }
}

fn gather_stats<U: Unsigned>(
    rows: usize,
    validity: Option<Bits<'_>>,
    get: impl Fn(usize) -> U + Sync,
    lossy: impl Fn(usize) -> bool + Sync,
) -> Stats {
    let parts = map_chunks(rows, |range| stats_of(range, validity, &get, &lossy));
    let all = parts.into_iter().reduce(|a, b| (a.0.max(b.0), a.1.min(b.1), a.2 | b.2, a.3 | b.3, a.4 | b.4));
    match all {
        Some((max, min, ones, zeros, lossy)) if min <= max => {
            Stats { max: max.into(), min: min.into(), varying: (ones & zeros).into(), lossy, ..Stats::default() }
        }
        _ => Stats::default(),
    }
}

vectorized! {
    /// For each row, shifts the difference between the value and the base of the field to the position of the field,
    /// and adds it to the key of the row.
    fn add_values[U: Unsigned](
        field: &Field,
        start: u32,
        first: usize,
        valid: Option<Bits<'_>>,
        get: &impl Fn(usize) -> U,
        keys: &mut [u64],
    ) {
        let (base, descending) = (U::of(field.base), field.piece.descending);
        let (up, down) = (field.position.saturating_sub(start), start.saturating_sub(field.position) + field.shift);
        let bits = |row: usize| {
            let ordered = get(row);
            (if descending { base - ordered } else { ordered - base } >> down).low() << up
        };
        match valid {
            None => keys.iter_mut().enumerate().for_each(|(i, key)| *key |= bits(first + i)),
            Some(valid) => {
                let rows = keys.iter_mut().enumerate().filter(|(i, _)| valid.get(first + i));
                rows.for_each(|(i, key)| *key |= bits(first + i));
            }
        }
    }
}
