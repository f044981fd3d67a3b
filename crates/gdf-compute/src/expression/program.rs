//! Expressions as steps of a virtual machine that both backends implement. Each step computes all rows of a block or
//! tile from the results of earlier steps. A step computes in one of six types, called lanes.
//!
//! The numbers of lanes and steps are small, so that both implementations are small.

use gdf_core::{DataType, PhysicalType, physical_type};
use gdf_kernels::generated::datetime::{Component, Unit};
pub(super) use gdf_kernels::generated::expression::Decided;
use smallvec::SmallVec;

use crate::binaryop::plan::{Arithmetic, Compute, Logic, Order};
use crate::unary::plan::Rounding;

/// The largest number of bytes of a text literal that a step can compare with a column.
pub(super) const MAX_TEXT: usize = 16;

/// The type in which a step computes. Smaller integers are extended to 64 bits, and half precision is extended to
/// single precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Lane {
    Boolean,
    I64,
    U64,
    F32,
    F64,
    I128,
}

impl Lane {
    /// Returns the lane of a physical type. Returns `None` if steps do not compute with the type.
    pub(super) fn of(physical: PhysicalType) -> Option<Lane> {
        use PhysicalType as P;
        Some(match physical {
            P::Bool => Lane::Boolean,
            P::I8 | P::I16 | P::I32 | P::I64 | P::U8 | P::U16 | P::U32 => Lane::I64,
            P::U64 => Lane::U64,
            P::F16 | P::F32 => Lane::F32,
            P::F64 => Lane::F64,
            P::I128 => Lane::I128,
            _ => return None,
        })
    }

    /// Returns the lane of a logical type.
    pub(super) fn of_type(data_type: &DataType) -> Option<Lane> {
        Lane::of(physical_type(data_type))
    }

    pub(super) fn of_compute(compute: Compute) -> Option<Lane> {
        Some(match compute {
            Compute::I64 => Lane::I64,
            Compute::U64 => Lane::U64,
            Compute::F32 => Lane::F32,
            Compute::F64 => Lane::F64,
            Compute::I128 => Lane::I128,
            Compute::I256 => return None,
        })
    }

    /// Returns whether a value has the same bits in both lanes.
    pub(super) fn is_same_as(self, other: Lane) -> bool {
        let is_word = |lane| matches!(lane, Lane::I64 | Lane::U64);
        self == other || (is_word(self) && is_word(other))
    }
}

/// An input of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operand {
    /// The result of an earlier step.
    Step(usize),
    /// A value that is not null, as the bits of its lane.
    Constant(u128),
}

/// The operation of a step. A row of the result is null if an operand is null in the row, unless stated otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Work {
    /// The values of a column in the step's lane.
    Load { column: usize },
    /// Whether each row of a column of any type is valid. The result is never null.
    ColumnValid { column: usize },
    /// A null in every row.
    Null,
    /// An arithmetic operator in the step's lane. Integers wrap, and a division by zero gives 0. For shifts, `bits`
    /// is the width of the shifted type, and the width is negative if the type is signed.
    Arithmetic { op: Arithmetic, bits: i32 },
    /// The operand, converted from this lane to the step's lane. Integers wrap. Floats are truncated and saturate
    /// when they become integers.
    Convert { from: Lane },
    /// The operand, wrapped to the bits of this smaller type.
    Wrap(PhysicalType),
    /// A comparison of operands in the step's lane.
    Compare { order: Order, negated: bool },
    /// Whether an operand in the step's lane differs from 0.
    NotZero,
    /// A logical operation on booleans. The operation also decides which rows are null.
    Logic(Logic),
    /// `NOT` of a boolean.
    Invert,
    /// Whether an operand in the step's lane is valid. The result is never null.
    IsValid,
    /// The first operand. A row is also null if the second operand, a boolean, is not true.
    ValidIf,
    /// The second operand in rows where the first operand, a boolean, is true. The third operand in all other rows.
    Select,
    /// The first operand in rows where the first operand is valid. The second operand in all other rows.
    Coalesce,
    /// A rounding function of floats, whose result is exact.
    Rounding(Rounding),
    /// A float with the opposite sign, or with a positive sign if `clears` is set.
    Sign { clears: bool },
    /// The number of one bits of a 64-bit integer.
    BitCount,
    /// A date or time component of a number of ticks of this unit.
    Component { component: Component, unit: Unit },
    /// Whether the text of a column equals the text of `size` bytes in `words`. If `prefix` is set, whether the text
    /// begins with that text.
    Text { column: usize, prefix: bool, size: usize, words: [u64; 2] },
    /// Decides rows by the operand, a boolean. If all rows of a block or tile are decided, the program ends, and the
    /// only output has the result that `Decided` names. The step itself has no result.
    Decide(Decided),
}

/// A step. The position of the step among all steps is the number of its result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Step {
    pub(super) work: Work,
    /// The lane in which the step computes.
    pub(super) lane: Lane,
    pub(super) operands: SmallVec<[Operand; 3]>,
}

impl Step {
    /// Returns the lane of the result.
    pub(super) fn result(&self) -> Lane {
        match self.work {
            Work::ColumnValid { .. }
            | Work::Compare { .. }
            | Work::NotZero
            | Work::Logic(_)
            | Work::Invert
            | Work::IsValid
            | Work::Text { .. }
            | Work::Decide(_) => Lane::Boolean,
            Work::Component { component: Component::IsLeapYear, .. } => Lane::Boolean,
            Work::Component { .. } => Lane::I64,
            Work::Load { .. }
            | Work::Null
            | Work::Arithmetic { .. }
            | Work::Convert { .. }
            | Work::Wrap(_)
            | Work::ValidIf
            | Work::Select
            | Work::Coalesce
            | Work::Rounding(_)
            | Work::Sign { .. }
            | Work::BitCount => self.lane,
        }
    }
}

/// A result of a program.
#[derive(Clone, Debug)]
pub(super) struct Output {
    pub(super) operand: Operand,
    pub(super) lane: Lane,
    pub(super) data_type: DataType,
    pub(super) nullable: bool,
}

/// The steps in order, the columns that the steps read, and the outputs.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    /// The positions of the columns among the inputs of the graph.
    pub(super) columns: Vec<usize>,
    pub(super) steps: Vec<Step>,
    pub(super) outputs: Vec<Output>,
}

impl Program {
    /// Returns the program without the steps whose results nothing reads.
    pub(super) fn without_unread_steps(mut self) -> Program {
        let mut is_read: Vec<bool> = self.steps.iter().map(|step| matches!(step.work, Work::Decide(_))).collect();
        let note = |is_read: &mut Vec<bool>, operand: &Operand| {
            if let Operand::Step(step) = operand {
                is_read[*step] = true;
            }
        };
        self.outputs.iter().for_each(|output| note(&mut is_read, &output.operand));
        for (at, step) in self.steps.iter().enumerate().rev() {
            if is_read[at] {
                step.operands.iter().for_each(|operand| note(&mut is_read, operand));
            }
        }
        let before = |step: usize| is_read[..step].iter().filter(|is_read| **is_read).count();
        let moved = |operand: &mut Operand| {
            if let Operand::Step(step) = operand {
                *step = before(*step);
            }
        };
        self.steps.iter_mut().flat_map(|step| &mut step.operands).for_each(moved);
        self.outputs.iter_mut().for_each(|output| moved(&mut output.operand));
        let mut kept = is_read.iter();
        self.steps.retain(|_| kept.next().is_some_and(|is_read| *is_read));
        self
    }
}
