//! Aggregation of many rows in few groups, with accumulators of each thread in shared memory.

use gdf_compute::expression::Projection;
use gdf_core::{PhysicalType, Result, physical_type};
use gdf_driver::DeviceProperties;
use gdf_engine::cuda::{CudaColumn, Grid, Kernel, in_table, kernel_type};
use gdf_kernels::generated::expression::Program;
use gdf_kernels::generated::groupby::{AggregateCells, AggregateComputed, CellPlan, ComputedValues};

use super::finish::Finish;
use super::request::{Attempt, Request};
use super::shared_memory::{self, RESERVED, block_budget};
use super::table::{Launch, attempt};
use crate::groupby::aggregate::plan::{Accumulator, AccumulatorInput, CombineOp};

/// Aggregates rows with packed keys in about `groups` groups, with a table for `capacity` groups. **Waits** for the
/// number of groups.
pub(super) fn enqueue(
    request: &Request<'_, '_>,
    groups: usize,
    computed: Option<&ComputedCells<'_, '_>>,
    capacity: usize,
) -> Result<Attempt> {
    attempt(request, &Finish::new(request, None), capacity, |table| {
        table.clear()?;
        table.fill(|launch| match computed {
            Some(computed) => computed.insert(launch),
            None => insert(launch, groups),
        })
    })
}

/// Inserts rows of about `groups` groups. A launch whose accumulators cannot have cells has a table without cells.
fn insert(launch: &Launch<'_, '_>, groups: usize) -> Result<()> {
    let (request, steps) = (launch.request, launch.steps);
    let stored = |values| physical_type(request.plan.data_type(values));
    let properties = request.ctx.stream.device().properties()?;
    let kernel = Kernel::<AggregateCells>::find(request.ctx.stream)?;
    let budget = block_budget(properties);
    let Some(table) = CellTable::new(steps, stored, groups, kernel.threads(), budget) else {
        return shared_memory::insert(launch, groups);
    };
    kernel.allow_shared(budget as u32)?;
    let blocks = kernel.blocks(request.keys.rows).min(table.resident_blocks(properties));
    let arguments = AggregateCells { input: launch.input, plan: table.plan, mailbox: launch.mailbox };
    request.run(&kernel, Grid::Shared(blocks, table.bytes), &arguments)
}

/// A table of groups in the shared memory of a block, with a cell for each step, group and thread.
#[derive(Clone, Copy, Debug)]
struct CellTable {
    plan: CellPlan,
    bytes: u32,
}

impl CellTable {
    /// Plans a table for exactly `groups` groups. `stored` is the physical type of the values of a request.
    fn new(
        steps: &[Accumulator],
        stored: impl Fn(usize) -> PhysicalType,
        groups: usize,
        threads: usize,
        budget: usize,
    ) -> Option<CellTable> {
        let is_supported = |step: &Accumulator| is_supported(step, step.request.map(&stored));
        if groups == 0 || groups > budget || steps.is_empty() || !steps.iter().all(is_supported) {
            return None;
        }
        let slots = (groups * 4).next_power_of_two();
        // The sizes are those of the arrays of `cell_table` in `cells.cuh`, up to a multiple of eight bytes.
        let words = steps.len() * groups * threads + slots + groups + (slots + 2 + groups).div_ceil(2);
        let bytes = 8 * words;
        let plan = CellPlan { slots: slots as i32, groups: groups as i32 };
        (bytes <= budget).then_some(CellTable { plan, bytes: bytes as u32 })
    }

    /// Returns the number of blocks that the device runs at a time.
    fn resident_blocks(&self, properties: &DeviceProperties) -> u32 {
        let resident = (properties.shared_bytes_per_multiprocessor / (u64::from(self.bytes) + RESERVED)).max(1);
        u32::try_from(resident as usize * properties.multiprocessors as usize).unwrap_or(u32::MAX)
    }
}

fn is_supported(step: &Accumulator, stored: Option<PhysicalType>) -> bool {
    use PhysicalType::{F32, F64, I8, I16, I32, I64, I128, U8, U16, U32, U64};
    // Cells have 64 bits. A value with more bits is merged into the accumulators in global memory. That would be too
    // slow for 128-bit squares, and for U64, because half of its values exceed the range of a cell.
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

/// An aggregation whose launch computes the values of an expression.
#[derive(Debug)]
pub(super) struct ComputedCells<'p, 'a> {
    projection: &'p Projection<'a>,
    program: &'p Program,
    table: CellTable,
    values: ComputedValues,
    budget: u32,
}

impl<'p, 'a> ComputedCells<'p, 'a> {
    /// Plans the launch for about `groups` groups of packed keys. Returns `None` if the plan has no computed values,
    /// and if one launch cannot compute and aggregate the values.
    pub(super) fn new(request: &Request<'p, 'a>, groups: usize) -> Result<Option<Self>> {
        let (plan, stream) = (request.plan, request.ctx.stream);
        let Some(projection) = plan.computed else { return Ok(None) };
        let (Some(program), [steps]) = (projection.encoded(), &request.launches()[..]) else {
            return Ok(None);
        };
        let kernel = Kernel::<AggregateComputed>::find(stream)?;
        let properties = stream.device().properties()?;
        let slots = 8 * (program.cells as usize * kernel.tile() + program.slots as usize * kernel.threads());
        let budget = block_budget(properties);
        let stored = |request| match plan.output_of(request) {
            Some(output) => projection.computed_type(output),
            None => physical_type(plan.data_type(request)),
        };
        let table = CellTable::new(steps, stored, groups, kernel.threads(), budget.saturating_sub(slots));
        let Some(mut table) = table else { return Ok(None) };
        table.bytes += slots as u32;
        let mut values = ComputedValues::default();
        let of_step = |step: &Accumulator| step.request.and_then(|request| plan.output_of(request));
        for (slot, step) in values.output.iter_mut().zip(steps.iter().map(of_step).chain(std::iter::repeat(None))) {
            *slot = step.map_or(-1, |output| output as i16);
        }
        for (output, slot) in values.data_type.iter_mut().enumerate().take(projection.outputs().len()) {
            *slot = kernel_type(projection.computed_type(output)) as i16;
        }
        Ok(Some(Self { projection, program, table, values, budget: budget as u32 }))
    }

    fn insert(&self, launch: &Launch<'_, '_>) -> Result<()> {
        let (request, stream) = (launch.request, launch.request.ctx.stream);
        let kernel = Kernel::<AggregateComputed>::find(stream)?;
        kernel.allow_shared(self.budget)?;
        let columns = self.projection.views().iter().map(|view| CudaColumn::open(*view, stream));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let resident = self.table.resident_blocks(stream.device().properties()?);
        let blocks = kernel.blocks(request.keys.rows).min(resident);
        let arguments = AggregateComputed {
            input: launch.input,
            plan: self.table.plan,
            columns: in_table(&columns)?,
            p: *self.program,
            of: self.values,
            mailbox: launch.mailbox,
        };
        request.run(&kernel, Grid::Shared(blocks, self.table.bytes), &arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_have_cells_where_they_fit() {
        let text = physical_type(&gdf_core::DataType::Utf8);
        let values = [PhysicalType::I64, PhysicalType::I128, text, PhysicalType::U64];
        let step = |op, input, request| Accumulator { op, input, request, word: 0 };
        let sum = step(CombineOp::Add, AccumulatorInput::Integer, Some(0));
        let plan =
            |steps: &[Accumulator], groups| CellTable::new(steps, |request| values[request], groups, 256, 114_688);
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
