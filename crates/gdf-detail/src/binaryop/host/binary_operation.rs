//! `binary_operation` on the CPU: from the plan to the loops.

use gdf_core::{Column, DataType, Operand, Result};

use super::super::plan::{Compute, Plan};
use super::{arithmetic, comparison, logic, wide};
use crate::context::Ctx;
use crate::host::{Bits, HostColumn, HostMask};

/// The operands, open for reading, and what the result is made with.
pub(super) struct Work<'a, 'r> {
    pub(super) lhs: HostColumn<'a>,
    pub(super) rhs: HostColumn<'a>,
    pub(super) rows: usize,
    pub(super) output_type: &'a DataType,
    pub(super) ctx: Ctx<'r>,
}

impl Work<'_, '_> {
    /// The validity of rows `64 * index ..` of both operands; bits past the end are zero.
    pub(super) fn valid_words(&self) -> Result<impl Fn(usize) -> (u64, u64) + Sync> {
        let rows = self.rows;
        let (lhs, rhs) = (Validity::of(&self.lhs)?, Validity::of(&self.rhs)?);
        Ok(move |index| (lhs.word(index, rows), rhs.word(index, rows)))
    }

    /// The mask of a result that is null where either operand is, and where `also(index)` has a zero.
    pub(super) fn mask(&self, plan: &Plan, also: impl Fn(usize) -> u64 + Sync) -> Result<HostMask> {
        if !plan.nullable(self.lhs.view().has_validity(), self.rhs.view().has_validity()) {
            return Ok(HostMask::none());
        }
        let words = self.valid_words()?;
        let either = plan.either();
        HostMask::from_words(self.rows, self.ctx.stream, self.ctx.mr.output, |index| {
            let (lhs, rhs) = words(index);
            also(index) & if either { lhs | rhs } else { lhs & rhs }
        })
    }
}

/// Which rows of an operand are valid.
#[derive(Clone, Copy)]
enum Validity<'a> {
    All,
    None,
    Bits(Bits<'a>),
}

impl<'a> Validity<'a> {
    fn of(column: &'a HostColumn<'_>) -> Result<Self> {
        Ok(match column.validity()? {
            None => Validity::All,
            Some(bits) if column.broadcast() && bits.get(0) => Validity::All,
            Some(_) if column.broadcast() => Validity::None,
            Some(bits) => Validity::Bits(bits),
        })
    }

    fn word(self, index: usize, rows: usize) -> u64 {
        match self {
            Validity::All => u64::MAX >> (64 - rows.saturating_sub(index * 64).clamp(1, 64)),
            Validity::None => 0,
            Validity::Bits(bits) => bits.word(index),
        }
    }
}

pub(in super::super) fn binary_operation(
    lhs: Operand<'_>,
    rhs: Operand<'_>,
    rows: usize,
    plan: Plan,
    output_type: &DataType,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (lhs, rhs) = match plan {
        Plan::Comparison { swapped: true, .. } | Plan::Logic { swapped: true, .. } => (rhs, lhs),
        _ => (lhs, rhs),
    };
    let (lhs, rhs) = (HostColumn::open_operand(lhs, ctx.stream)?, HostColumn::open_operand(rhs, ctx.stream)?);
    let work = Work { lhs, rhs, rows, output_type, ctx };
    match plan {
        Plan::Same { op, physical } => arithmetic::same(&work, &plan, op, physical),
        Plan::Converted { op, compute: Compute::I256, scaling, .. } => wide::arithmetic(&work, &plan, op, scaling),
        Plan::Converted { op, compute, scaling, bits } => {
            arithmetic::converted(&work, &plan, op, compute, arithmetic::Detail { scaling, bits })
        }
        Plan::Comparison { order, negated, nulls, domain, .. } => {
            comparison::compare(&work, &plan, comparison::ComparisonSpec { order, negated, nulls }, domain)
        }
        Plan::Logic { op, .. } => logic::logic(&work, &plan, op),
    }
}
