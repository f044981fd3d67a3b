//! Expressions as programs of a virtual machine.

use gdf_core::{DataType, PhysicalType, physical_type};
use gdf_kernels::generated::datetime::{Component, Unit};
pub(super) use gdf_kernels::generated::expression::Decided;
use smallvec::SmallVec;

use crate::unary::plan::Rounding;
use gdf_engine::binary::operators::{Arithmetic, Logic, Order};
use gdf_engine::binary::plan::Compute;

/// The maximum number of bytes of a text literal that a step can compare with a column.
pub(super) const MAX_TEXT: usize = 16;

/// The matches that a search looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All matches of each left row.
    All,
    /// At most one match of each left row.
    First,
}

/// The type in which a step computes.
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
    /// Returns the lane of a physical type, or `None` if steps do not support the type.
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

    /// Returns the lane of a logical type, or `None` if steps do not support the type.
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

    /// Returns whether a value has the same bits in both lanes, so that no conversion is needed.
    pub(super) fn is_same_as(self, other: Lane) -> bool {
        let is_word = |lane| matches!(lane, Lane::I64 | Lane::U64);
        self == other || (is_word(self) && is_word(other))
    }
}

/// The source of an operand of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operand {
    Step(usize),
    /// A value that is not null, given by its bits in the lane.
    Constant(u128),
}

/// The operation of a step. A row of the result is null if an operand is null in the row, unless stated otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Work {
    Load {
        column: usize,
    },
    /// Computes whether each row of a column of any type is valid.
    ColumnValid {
        column: usize,
    },
    /// Makes a null in every row.
    Null,
    /// Applies an arithmetic operator in the step's lane.
    Arithmetic {
        op: Arithmetic,
        bits: i32,
    },
    /// Converts the operand from the lane `from` to the step's lane.
    Convert {
        from: Lane,
    },
    Wrap(PhysicalType),
    Compare {
        order: Order,
        negated: bool,
    },
    /// Computes whether an operand in the step's lane differs from 0.
    NotZero,
    /// Applies a logical operation to booleans.
    Logic(Logic),
    Invert,
    /// Computes whether an operand in the step's lane is valid.
    IsValid,
    /// Returns the first operand. A row of the result is also null if the second operand, a boolean, is false.
    ValidIf,
    /// Selects between two operands by a boolean, which is the first operand. In rows where the boolean is true, the
    /// result is the second operand. In all other rows, the result is the third operand.
    Select,
    Coalesce,
    /// Applies a rounding function of floats, whose result is exact.
    Rounding(Rounding),
    /// Changes the sign of a float, or makes it positive if `clears` is set.
    Sign {
        clears: bool,
    },
    /// Counts the bits that are set in a 64-bit integer.
    BitCount,
    /// Extracts a component of a date or time.
    Component {
        component: Component,
        unit: Unit,
    },
    /// Computes whether the text of a column equals a text of `size` bytes or, if `prefix` is set, begins with it.
    /// `words` contains the bytes of the text.
    Text {
        column: usize,
        prefix: bool,
        size: usize,
        words: [u64; 2],
    },
    /// Marks rows as decided if the boolean operand has the value that `Decided` states.
    Decide(Decided),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Step {
    pub(super) work: Work,
    pub(super) lane: Lane,
    pub(super) operands: SmallVec<[Operand; 3]>,
}

impl Step {
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

#[derive(Clone, Debug)]
pub(super) struct Output {
    pub(super) operand: Operand,
    pub(super) lane: Lane,
    pub(super) data_type: DataType,
    pub(super) nullable: bool,
}

/// A sequence of steps, the columns that the steps read, and the outputs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(super) columns: Vec<usize>,
    pub(super) steps: Vec<Step>,
    pub(super) outputs: Vec<Output>,
}

impl Program {
    /// Returns the program without the steps that have unread results.
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
        let mut kept = 0;
        let place = |is_read: &bool| {
            let place = kept;
            kept += usize::from(*is_read);
            place
        };
        let places: Vec<usize> = is_read.iter().map(place).collect();
        let moved = |operand: &mut Operand| {
            if let Operand::Step(step) = operand {
                *step = places[*step];
            }
        };
        self.steps.iter_mut().flat_map(|step| &mut step.operands).for_each(moved);
        self.outputs.iter_mut().for_each(|output| moved(&mut output.operand));
        let mut kept = is_read.iter();
        self.steps.retain(|_| kept.next().is_some_and(|is_read| *is_read));
        self
    }
}
