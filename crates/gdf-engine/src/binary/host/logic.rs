//! Operations on truth values, 64 rows at a time.

use gdf_core::{Column, PhysicalType, Result, physical_type};

use super::super::operators::Logic;
use crate::elementwise::{BitWords, Rows};
use crate::host::{HostColumn, NumberReader};

/// The truth values of a column.
enum Truth<'a> {
    Bits(BitWords<'a>),
    Numbers(NumberReader<'a, f64>),
}

impl<'a> Truth<'a> {
    fn new(column: &'a HostColumn<'_>) -> Result<Self> {
        if physical_type(column.view().data_type()) == PhysicalType::Bool {
            return BitWords::values(column).map(Truth::Bits);
        }
        // The conversion to a double maps only 0 to 0, and thus keeps the truth values.
        let reader = NumberReader::new(column)?;
        Ok(match reader.fixed() {
            Some(one) => Truth::Bits(BitWords::One(u64::from(one != 0.0).wrapping_neg())),
            None => Truth::Numbers(reader),
        })
    }

    fn word(&self, index: usize, rows: usize) -> u64 {
        match self {
            Truth::Bits(bits) => bits.word(index),
            Truth::Numbers(reader) => {
                let mut scratch = [0.0; 64];
                let values = &mut scratch[..(rows - index * 64).min(64)];
                reader.load(index * 64, values);
                values.iter().enumerate().fold(0, |word, (row, &value)| word | u64::from(value != 0.0) << row)
            }
        }
    }
}

/// The values and the validity of up to 64 rows, one bit for each row.
#[derive(Clone, Copy)]
pub struct RowBits {
    pub values: u64,
    pub valid: u64,
}

/// Computes the values and the validity of the result from the values and the validity of the operands.
pub fn apply(op: Logic, lhs: RowBits, rhs: RowBits) -> (u64, u64) {
    let (RowBits { values: a, valid: valid_a }, RowBits { values: b, valid: valid_b }) = (lhs, rhs);
    let both = valid_a & valid_b;
    match op {
        Logic::LogicAnd => (a & b, both),
        Logic::LogicOr => (a | b, both),
        Logic::LogicXor | Logic::LogicNotEqual => (a ^ b, both),
        Logic::LogicEqual => (!(a ^ b), both),
        Logic::LogicLess => (!a & b, both),
        Logic::LogicLessEqual => (!a | b, both),
        Logic::KleeneAnd => {
            let (false_a, false_b) = (valid_a & !a, valid_b & !b);
            (a & b & both, both | false_a | false_b)
        }
        Logic::KleeneOr => {
            let (true_a, true_b) = (valid_a & a, valid_b & b);
            (true_a | true_b, both | true_a | true_b)
        }
        Logic::LogicMax => ((a & valid_a) | (b & valid_b), valid_a | valid_b),
        Logic::LogicMin => ((a | !valid_a) & (b | !valid_b), valid_a | valid_b),
        Logic::NullEquals => ((!(a ^ b) & both) | !(valid_a | valid_b), u64::MAX),
        Logic::NullNotEquals => (((a ^ b) & both) | (valid_a ^ valid_b), u64::MAX),
    }
}

pub(super) fn logic(rows: &Rows<'_, 2>, op: Logic) -> Result<Column> {
    let [lhs, rhs] = rows.columns();
    let (lhs, rhs) = (Truth::new(lhs)?, Truth::new(rhs)?);
    let words = |index, [valid_a, valid_b]: [u64; 2]| {
        let lhs = RowBits { values: lhs.word(index, rows.len()), valid: valid_a };
        apply(op, lhs, RowBits { values: rhs.word(index, rows.len()), valid: valid_b })
    };
    let valid = rows.valid()?;
    rows.bits(|| rows.mask_by(|index, valid| words(index, valid).1), |index| words(index, valid(index)).0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_of_kleene() {
        let row = |values, valid| RowBits { values, valid };
        let (yes, no, null) = (row(1, 1), row(0, 1), row(1, 0));
        let of = |op, a, b| {
            let (value, valid) = apply(op, a, b);
            (valid & 1 == 1).then_some(value & 1 == 1)
        };
        for (a, b, and, or) in [
            (yes, yes, Some(true), Some(true)),
            (yes, no, Some(false), Some(true)),
            (no, no, Some(false), Some(false)),
            (yes, null, None, Some(true)),
            (no, null, Some(false), None),
            (null, null, None, None),
        ] {
            assert_eq!((of(Logic::KleeneAnd, a, b), of(Logic::KleeneAnd, b, a)), (and, and));
            assert_eq!((of(Logic::KleeneOr, a, b), of(Logic::KleeneOr, b, a)), (or, or));
        }
        assert_eq!(of(Logic::LogicMax, no, null), Some(false));
        assert_eq!(of(Logic::LogicMin, yes, null), Some(true));
        assert_eq!(of(Logic::LogicMin, no, yes), Some(false));
        assert_eq!(of(Logic::NullEquals, null, null), Some(true));
        assert_eq!(of(Logic::NullNotEquals, yes, null), Some(true));
        assert_eq!(of(Logic::LogicLess, no, yes), Some(true));
        assert_eq!(of(Logic::LogicLessEqual, yes, no), Some(false));
    }
}
