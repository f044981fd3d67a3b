//! `binary_operation` on the CPU: from the plan to the loops.

mod arithmetic;
mod comparison;
mod logic;

pub(super) use self::arithmetic::Worked;
use gdf_core::{Column, Result};
use gdf_engine::elementwise::Rows;

use super::plan::BinaryPlan;

pub(super) fn binary_operation(rows: &Rows<'_, 2>, plan: &BinaryPlan) -> Result<Column> {
    match *plan {
        BinaryPlan::Same { op, physical } => arithmetic::same(rows, op, physical),
        BinaryPlan::Converted { op, compute, scaling, bits } => {
            arithmetic::converted(rows, plan, compute, arithmetic::Detail { op, scaling, bits })
        }
        BinaryPlan::Comparison { spec, domain } => comparison::compare(rows, spec, domain),
        BinaryPlan::Logic(op) => logic::logic(rows, op),
    }
}
