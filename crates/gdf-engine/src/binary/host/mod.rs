//! `binary_operation` on the CPU: calls the loops that the plan selects.

pub mod arithmetic;
mod comparison;
pub mod logic;

pub use self::arithmetic as worked;
pub(super) use self::arithmetic::{Functor, Worked};
use gdf_core::{Column, Result};

use super::plan::BinaryPlan;
use crate::elementwise::{Nulls, Rows};

pub(super) fn binary_operation(rows: &Rows<'_, 2>, plan: &BinaryPlan, nulls: Nulls) -> Result<Column> {
    match *plan {
        BinaryPlan::SameIntegers { op, physical } => arithmetic::same_integers(rows, op, physical),
        BinaryPlan::SameFloats { op, physical } => arithmetic::same_floats(rows, op, physical),
        BinaryPlan::Converted { op, compute, scaling, bits } => {
            arithmetic::converted(rows, compute, arithmetic::Detail { op, scaling, bits, nulls })
        }
        BinaryPlan::Comparison { spec, domain } => comparison::compare(rows, spec, domain),
        BinaryPlan::Logic(op) => logic::logic(rows, op),
    }
}
