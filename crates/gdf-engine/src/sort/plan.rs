//! Normalized keys: all key columns of a row as one unsigned integer. The integers have the order of the rows.
//!
//! If a column has nulls, its field has one more bit for them. The fields of all columns are adjacent, and the field of
//! the first column is the highest.

/// The statistics of the valid rows of a piece of a column. The values of rows are mapped to unsigned integers of the
/// same order, which are called ordered values. The default is the statistics of no rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stats {
    /// The largest ordered value.
    pub max: u128,
    /// The smallest ordered value.
    pub min: u128,
    /// The bits that differ between at least two of the ordered values.
    pub(crate) varying: u128,
    /// Whether any row is valid.
    pub valid: bool,
    /// Whether any row is null.
    pub null: bool,
    pub(crate) lossy: bool,
}

/// An unsigned integer of at most 128 bits that a column contributes to the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub column: usize,
    /// The number of the half: 1 for the lower half of an integer of 256 bits, and 0 otherwise.
    pub part: u32,
    pub descending: bool,
    pub nulls_first: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub piece: Piece,
    /// The base that is subtracted from ordered integers. In descending order, ordered integers are subtracted from the
    /// base.
    pub base: u128,
    /// The number of low bits of the difference that are dropped.
    pub shift: u32,
    /// The number of bits of the field, from `position` on.
    pub bits: u32,
    pub position: u32,
    /// The position of the bit that distinguishes nulls from values, or `None` if the column has no nulls.
    pub(crate) null_position: Option<u32>,
    pub(crate) all_null: bool,
    pub(crate) lossy: bool,
}

impl Field {
    fn new(piece: Piece, stats: &Stats) -> Self {
        let shift = if stats.varying == 0 { 0 } else { stats.varying.trailing_zeros() };
        let range = (stats.max - stats.min) >> shift;
        let nullable = piece.part == 0 && stats.null && stats.valid;
        Field {
            piece,
            base: if piece.descending { stats.max } else { stats.min },
            shift,
            bits: 128 - range.leading_zeros(),
            position: 0,
            null_position: nullable.then_some(0),
            all_null: !stats.valid,
            lossy: stats.lossy,
        }
    }

    fn width(&self) -> u32 {
        self.bits + u32::from(self.null_position.is_some())
    }

    pub(crate) fn overlaps(&self, word: Word) -> bool {
        let within = |from: u32, bits: u32| from < word.start + word.bits && from + bits > word.start;
        (self.bits > 0 && within(self.position, self.bits)) || self.null_position.is_some_and(|at| within(at, 1))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub start: u32,
    /// The number of bits, at most 64.
    pub bits: u32,
}

/// The maximum number of fields of a word, which a kernel takes by value.
pub(crate) const WORD_FIELDS: usize = gdf_kernels::generated::sorting::MAX_FIELDS;

#[derive(Clone, Debug)]
pub(crate) struct KeyPlan {
    /// The fields of the key, from the most significant on.
    pub fields: Vec<Field>,
    pub bits: u32,
}

impl KeyPlan {
    /// Makes the layout of a key that consists of these pieces. The first piece is the most significant.
    pub(crate) fn new(pieces: impl IntoIterator<Item = (Piece, Stats)>) -> Self {
        let mut fields: Vec<Field> = pieces.into_iter().map(|(piece, stats)| Field::new(piece, &stats)).collect();
        let bits = fields.iter().map(Field::width).sum();
        let mut end = bits;
        for field in &mut fields {
            if let Some(position) = &mut field.null_position {
                end -= 1;
                *position = end;
            }
            end -= field.bits;
            field.position = end;
        }
        KeyPlan { fields, bits }
    }

    /// Returns the words of the key, the least significant first.
    pub(crate) fn words(&self) -> Vec<Word> {
        let mut words: Vec<Word> = Vec::new();
        let mut fields = 0;
        let mut add = |mut start: u32, mut bits: u32| {
            fields += 1;
            while bits > 0 {
                match words.last_mut() {
                    Some(word) if word.bits < 64 && fields <= WORD_FIELDS => {
                        let taken = bits.min(64 - word.bits);
                        word.bits += taken;
                        start += taken;
                        bits -= taken;
                    }
                    _ => {
                        words.push(Word { start, bits: 0 });
                        fields = 1;
                    }
                }
            }
        };
        for field in self.fields.iter().rev() {
            add(field.position, field.width());
        }
        words
    }

    /// Returns whether all values can be restored from one word. The whole key must then be one word of at most
    /// `WORD_FIELDS` fields.
    pub(crate) fn is_reversible(&self) -> bool {
        self.bits <= 64 && self.fields.len() <= WORD_FIELDS && self.fields.iter().all(|field| !field.lossy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(column: usize, descending: bool) -> Piece {
        Piece { column, part: 0, descending, nulls_first: true }
    }

    fn stats(min: u128, max: u128, varying: u128, null: bool) -> Stats {
        Stats { max, min, varying, valid: true, null, lossy: false }
    }

    #[test]
    fn fields_take_the_bits_that_values_need() {
        let plan = KeyPlan::new([
            (piece(0, false), stats(1000, 1255, 0xff, true)),
            (piece(1, true), stats(8, 24, 0x18, false)),
            (piece(2, false), stats(5, 5, 0, false)),
            (piece(3, false), Stats { null: true, ..Stats::default() }),
        ]);
        let layout: Vec<_> = plan.fields.iter().map(|f| (f.null_position, f.position, f.bits, f.shift)).collect();
        assert_eq!(plan.bits, 11);
        assert_eq!(layout, [(Some(10), 2, 8, 0), (None, 0, 2, 3), (None, 0, 0, 0), (None, 0, 0, 0)]);
        assert_eq!((plan.fields[0].base, plan.fields[1].base), (1000, 24));
        assert!(plan.fields[3].all_null);
        assert_eq!(plan.words(), [Word { start: 0, bits: 11 }]);
    }

    #[test]
    fn wide_keys_take_several_words() {
        let wide = stats(0, u128::MAX, u128::MAX, true);
        let plan = KeyPlan::new([(piece(0, false), wide), (piece(1, false), stats(0, 1, 1, false))]);
        assert_eq!(plan.bits, 130);
        let words: Vec<_> = plan.words().iter().map(|w| (w.start, w.bits)).collect();
        assert_eq!(words, [(0, 64), (64, 64), (128, 2)]);
        let overlapping = |w: Word| plan.fields.iter().filter(|f| f.overlaps(w)).count();
        assert_eq!(plan.words().into_iter().map(overlapping).collect::<Vec<_>>(), [2, 1, 1]);
        assert!(!plan.is_reversible());
    }

    #[test]
    fn words_have_few_fields() {
        let plan = KeyPlan::new((0..64).map(|i| (piece(i, false), stats(0, 1, 1, false))));
        let words = plan.words();
        assert_eq!(words.iter().map(|w| w.bits).sum::<u32>(), 64);
        for word in &words {
            assert!(plan.fields.iter().filter(|f| f.overlaps(*word)).count() <= WORD_FIELDS);
        }
        assert!(KeyPlan::new([]).words().is_empty());
    }
}
