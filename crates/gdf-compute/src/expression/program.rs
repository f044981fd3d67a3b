//! Expressions as steps of a machine that both backends have: each step computes all rows of a block or tile from the
//! results of earlier steps, in one of six forms (lanes).
//!
//! Lanes and steps are few, so that the machines are small.

use gdf_core::{DataType, PhysicalType, physical_type};
use gdf_kernels::generated::datetime::{Component, Unit};
use smallvec::SmallVec;

use crate::binaryop::plan::{Arithmetic, Compute, Logic, Order};
use crate::unary::plan::Rounding;

/// The longest text, in bytes, that a step compares with.
pub(super) const MAX_TEXT: usize = 16;

/// The form in which a step computes. Smaller integers are extended to 64 bits, half precision to single precision.
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
    /// The lane of values of a type. `None` if steps do not compute with the type.
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

    /// The lane of values of a logical type.
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

    /// Whether values of both lanes have the same bits.
    pub(super) fn is_same_as(self, other: Lane) -> bool {
        let is_word = |lane| matches!(lane, Lane::I64 | Lane::U64);
        self == other || (is_word(self) && is_word(other))
    }
}

/// What a step reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operand {
    /// The result of an earlier step.
    Step(usize),
    /// A value that is not null, as the bits of its lane.
    Constant(u128),
}

/// What a step computes. Rows of the result are null if an operand is null there, unless stated otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Work {
    /// The values of a column in the step's lane.
    Load { column: usize },
    /// Whether the rows of a column of any type are not null. Never null.
    ColumnValid { column: usize },
    /// Nulls.
    Null,
    /// The operator, in the step's lane. Integers wrap, and divided by zero are 0. `bits` is the width of the type that
    /// is shifted, negative if it is signed.
    Arithmetic { op: Arithmetic, bits: i32 },
    /// The operand, from this lane to the step's. Integers wrap; floats become integers by truncation and saturation.
    Convert { from: Lane },
    /// The operand with the bits of this smaller type.
    Wrap(PhysicalType),
    /// A comparison of operands in the step's lane.
    Compare { order: Order, negated: bool },
    /// Whether an operand in the step's lane is not 0.
    NotZero,
    /// An operation on booleans, which decides about nulls, too.
    Logic(Logic),
    /// `NOT` of a boolean.
    Invert,
    /// Whether an operand in the step's lane is not null. Never null.
    IsValid,
    /// The first operand, null where the second one, a boolean, is not true.
    ValidIf,
    /// The second operand where the first one, a boolean, is true, else the third one.
    Select,
    /// The first operand where it is not null, else the second one.
    Coalesce,
    /// An exact function of floats.
    Rounding(Rounding),
    /// A float with the opposite sign, or without a sign.
    Sign { clears: bool },
    /// The number of ones of 64 bits.
    BitCount,
    /// A component of ticks of this unit.
    Component { component: Component, unit: Unit },
    /// Whether the text of a column is that of `size` bytes in `words`, or begins so.
    Text { column: usize, prefix: bool, size: usize, words: [u64; 2] },
}

/// A step. Its result has the number of the step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Step {
    pub(super) work: Work,
    /// The lane that the step computes in.
    pub(super) lane: Lane,
    pub(super) operands: SmallVec<[Operand; 3]>,
}

impl Step {
    /// The lane of the result.
    pub(super) fn result(&self) -> Lane {
        match self.work {
            Work::ColumnValid { .. }
            | Work::Compare { .. }
            | Work::NotZero
            | Work::Logic(_)
            | Work::Invert
            | Work::IsValid
            | Work::Text { .. } => Lane::Boolean,
            Work::Component { component: Component::IsLeapYear, .. } => Lane::Boolean,
            Work::Component { .. } => Lane::I64,
            _ => self.lane,
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

/// Steps in order, the columns that they read, and their results.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    /// Positions of the columns among the inputs of the graph.
    pub(super) columns: Vec<usize>,
    pub(super) steps: Vec<Step>,
    pub(super) outputs: Vec<Output>,
}
