//! Operations on truth values, 64 rows at a time.

use gdf_core::{Column, PhysicalType, Result, physical_type};

use super::super::plan::{Logic, Plan};
use super::binary_operation::Work;
use crate::host::{Bits, HostColumn, HostMask, NumberReader, column, mask_from_words};

/// Which rows are true: stored bits, or numbers other than 0.
enum Truth<'a> {
    One(bool),
    Bits(Bits<'a>),
    Numbers(NumberReader<'a, f64>),
}

impl<'a> Truth<'a> {
    fn new(column: &'a HostColumn<'_>) -> Result<Self> {
        let bits = physical_type(column.view().data_type()) == PhysicalType::Bool;
        Ok(match (bits, column.broadcast()) {
            (true, true) => Truth::One(column.bits()?.get(0)),
            (true, false) => Truth::Bits(column.bits()?),
            // No number but 0 becomes 0 as a double.
            (false, broadcast) => {
                let reader = NumberReader::new(column)?;
                if broadcast {
                    let mut one = [0.0];
                    reader.load(0, &mut one);
                    Truth::One(one[0] != 0.0)
                } else {
                    Truth::Numbers(reader)
                }
            }
        })
    }

    fn word(&self, index: usize, rows: usize) -> u64 {
        match self {
            Truth::One(one) => u64::from(*one).wrapping_neg(),
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

/// Values and validity of the result from those of the operands, bit by bit.
fn apply(op: Logic, (a, valid_a): (u64, u64), (b, valid_b): (u64, u64)) -> (u64, u64) {
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

/// [`Plan::Logic`].
pub(super) fn logic(work: &Work<'_, '_>, plan: &Plan, op: Logic) -> Result<Column> {
    let (lhs, rhs) = (Truth::new(&work.lhs)?, Truth::new(&work.rhs)?);
    let valid = work.valid_words()?;
    let rows = work.rows;
    let words = |index| {
        let (valid_a, valid_b) = valid(index);
        apply(op, (lhs.word(index, rows), valid_a), (rhs.word(index, rows), valid_b))
    };
    let (bits, _) = mask_from_words(work.rows, work.ctx.stream, work.ctx.mr.output, |index| words(index).0)?;
    let mask = if plan.nullable(work.lhs.view().has_validity(), work.rhs.view().has_validity()) {
        HostMask::from_words(work.rows, work.ctx.stream, work.ctx.mr.output, |index| words(index).1)?
    } else {
        HostMask::none()
    };
    column(work.output_type, work.rows, [bits], mask)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_of_kleene() {
        let (yes, no, null) = ((1, 1), (0, 1), (1, 0));
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
