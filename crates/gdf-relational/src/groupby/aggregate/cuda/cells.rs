//! Aggregation of many rows in few groups, with accumulators of each thread in shared memory.

use gdf_core::{ColumnView, PhysicalType, Result, physical_type};
use gdf_driver::DeviceProperties;
use gdf_engine::cuda::{Grid, Kernel, Out};
use gdf_kernels::generated::groupby::{Accumulation, AggregateCells, CellPlan};

use super::descriptors::run;
use super::local::{RESERVED, block_budget};
use crate::Ctx;
use crate::groupby::aggregate::plan::{Accumulator, AccumulatorInput, CombineOp};

/// A table of groups in the shared memory of a block, with a cell for each step, group and thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellTable {
    plan: CellPlan,
    bytes: u32,
}

impl CellTable {
    /// Plans a table for exactly `groups` groups.
    fn new(
        steps: &[Accumulator],
        values: &[ColumnView<'_>],
        groups: usize,
        threads: usize,
        budget: usize,
    ) -> Option<CellTable> {
        let is_supported = |step: &Accumulator| is_supported(step, step.request.map(|request| values[request]));
        if groups == 0 || groups > budget || steps.is_empty() || !steps.iter().all(is_supported) {
            return None;
        }
        let slots = (groups * 4).next_power_of_two();
        // The sizes are those of the arrays of `cell_table` in `cells.cu`.
        let bytes = 8 * (steps.len() * groups * threads + slots + groups) + 4 * (slots + 2 + groups);
        let plan = CellPlan { slots: slots as i32, groups: groups as i32 };
        (bytes <= budget).then_some(CellTable { plan, bytes: bytes as u32 })
    }

    fn resident(&self, properties: &DeviceProperties) -> usize {
        (properties.shared_bytes_per_multiprocessor / (u64::from(self.bytes) + RESERVED)).max(1) as usize
    }
}

fn is_supported(step: &Accumulator, values: Option<ColumnView<'_>>) -> bool {
    use PhysicalType::{F32, F64, I8, I16, I32, I64, I128, U8, U16, U32, U64};
    let stored = values.map(|values| physical_type(values.data_type()));
    // Cells have 64 bits, and a value with more bits is merged apart. Squares are of that kind, and so is half of U64.
    let is_apart =
        step.input == AccumulatorInput::WideSquare || step.input == AccumulatorInput::Wide && stored == Some(U64);
    let has_cell = match step.op {
        CombineOp::Add | CombineOp::AddF64 | CombineOp::AddI128 | CombineOp::Minimum | CombineOp::Maximum => true,
        CombineOp::Multiply | CombineOp::MultiplyF64 | CombineOp::Argmin | CombineOp::Argmax => false,
    };
    let is_number = matches!(stored, Some(I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64 | F32 | F64));
    let is_wide = step.input == AccumulatorInput::Wide && stored == Some(I128);
    let is_read = step.input == AccumulatorInput::One || is_number || is_wide;
    has_cell && is_read && !is_apart
}

/// Enqueues the aggregation of rows with packed keys in about `groups` groups.
pub(super) fn aggregate_cells(
    input: &Accumulation<'_>,
    steps: &[Accumulator],
    values: &[ColumnView<'_>],
    rows: usize,
    groups: usize,
    mailbox: Out<'_, u64>,
    ctx: Ctx<'_>,
) -> Result<bool> {
    let properties = ctx.stream.device().properties()?;
    let kernel = Kernel::<AggregateCells>::find(ctx.stream)?;
    let budget = block_budget(properties);
    let Some(table) = CellTable::new(steps, values, groups, kernel.threads(), budget) else { return Ok(false) };
    kernel.allow_shared(budget as u32)?;
    let resident = table.resident(properties) * properties.multiprocessors as usize;
    let blocks = kernel.blocks(rows).min(u32::try_from(resident).unwrap_or(u32::MAX));
    let arguments = AggregateCells { input: *input, plan: table.plan, mailbox };
    run(&kernel, Grid::Shared(blocks, table.bytes), &arguments, ctx.stream)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use gdf_core::Column;

    use super::*;

    #[test]
    fn threads_have_cells_where_they_fit() {
        let column = Column::from_slice(&[1_i64]).unwrap();
        let wide = Column::from_slice(&[1_i128]).unwrap();
        let text = Column::from_strs(["a"]).unwrap();
        let unsigned = Column::from_slice(&[1_u64]).unwrap();
        let values = [column.view(), wide.view(), text.view(), unsigned.view()];
        let step = |op, input, request| Accumulator { op, input, request, word: 0 };
        let sum = step(CombineOp::Add, AccumulatorInput::Integer, Some(0));
        let plan = |steps: &[Accumulator], groups| CellTable::new(steps, &values, groups, 256, 114_688);
        let table = plan(&[sum; 6], 4).unwrap();
        assert_eq!((table.plan.groups, table.plan.slots), (4, 16));
        assert!(table.bytes >= 6 * 4 * 256 * 8);
        assert!(plan(&[sum; 6], 10).is_none(), "122,880 bytes of cells exceed the budget");
        assert!(plan(&[sum], 54).is_some());
        assert!(plan(&[sum], 56).is_none());
        assert!(plan(&[], 4).is_none());
        assert!(plan(&[sum], 0).is_none());
        assert!(plan(&[sum], usize::MAX).is_none());
        for (op, input, request, expected) in [
            (CombineOp::Argmin, AccumulatorInput::RowNumber, Some(0), false),
            (CombineOp::Multiply, AccumulatorInput::Integer, Some(0), false),
            (CombineOp::AddI128, AccumulatorInput::Wide, Some(1), true),
            (CombineOp::AddI128, AccumulatorInput::Wide, Some(0), true),
            (CombineOp::AddI128, AccumulatorInput::Wide, Some(3), false),
            (CombineOp::AddI128, AccumulatorInput::WideSquare, Some(0), false),
            (CombineOp::AddI128, AccumulatorInput::WideSquare, Some(1), false),
            (CombineOp::Minimum, AccumulatorInput::Order, Some(1), false),
            (CombineOp::Minimum, AccumulatorInput::Order, Some(0), true),
            (CombineOp::Add, AccumulatorInput::Integer, Some(2), false),
            (CombineOp::Add, AccumulatorInput::One, Some(2), true),
            (CombineOp::Add, AccumulatorInput::One, None, true),
        ] {
            assert_eq!(plan(&[step(op, input, request)], 4).is_some(), expected, "{op:?} {input:?}");
        }
    }
}
