//! `binary_operation` on the CPU: from the plan to the loops.

mod arithmetic;
mod comparison;
mod logic;

use gdf_core::{Column, Result};

use super::plan::Plan;
use crate::engine::elementwise::Rows;

pub(super) fn binary_operation(rows: &Rows<'_, 2>, plan: &Plan) -> Result<Column> {
    match *plan {
        Plan::Same { op, physical } => arithmetic::same(rows, op, physical),
        Plan::Converted { op, compute, scaling, bits } => {
            arithmetic::converted(rows, plan, compute, arithmetic::Detail { op, scaling, bits })
        }
        Plan::Comparison { spec, domain } => comparison::compare(rows, spec, domain),
        Plan::Logic(op) => logic::logic(rows, op),
    }
}
