//! Evaluation of the steps on CUDA in one launch.

use gdf_core::{Column, DataType, Result};
use gdf_engine::cuda::{CudaColumn, CudaOutput, Kernel, in_table};
use gdf_kernels::TableIn;
use gdf_kernels::generated::predicate::{EvaluatePredicate, EvaluateTextPredicate, MAX_COLUMNS, Program, Step, Test};

use super::plan::{Plan, PlannedStep};
use crate::Ctx;

pub(super) fn evaluate(plan: &Plan<'_>, rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    let stream = ctx.stream;
    let views = plan.columns();
    let columns = views.iter().map(|view| CudaColumn::open(*view, stream)).collect::<Result<Vec<_>>>()?;
    let table: TableIn<'_, MAX_COLUMNS> = in_table(&columns)?;
    let mut p = Program { count: plan.steps.len() as i32, ..Program::default() };
    for (slot, planned) in p.steps.iter_mut().zip(&plan.steps) {
        *slot = step(planned);
    }
    let mut output = CudaOutput::fixed_width(&DataType::Boolean, rows, ctx)?.nullable(plan.nullable(), ctx)?;
    let open = output.open(stream)?;
    let out = open.desc();
    // SAFETY: every column has `rows` rows, except the bits of a set of keys, of which the step has the number and
    // which have no nulls. All columns are open until after the launch. `Plan::new` ensures that steps name columns of
    // the table whose types their tests support, and that the intermediate results fit the stack of the kernel. The
    // output has `rows` rows. The first kernel takes texts, and the second kernel has no step with a text.
    unsafe {
        if plan.steps.iter().any(|step| matches!(step.test, Test::Text | Test::StartsWith)) {
            let kernel = Kernel::<EvaluateTextPredicate>::find(stream)?;
            let arguments = EvaluateTextPredicate { table, p, out };
            kernel.launch(stream, kernel.streaming_blocks(rows), 1, &arguments)?;
        } else {
            let kernel = Kernel::<EvaluatePredicate>::find(stream)?;
            let arguments = EvaluatePredicate { table, p, out };
            kernel.launch(stream, kernel.streaming_blocks(rows), 1, &arguments)?;
        }
    }
    drop((columns, open));
    output.finish(stream)
}

fn step(planned: &PlannedStep) -> Step {
    let [low, high, third, fourth] = planned.bounds;
    Step {
        test: planned.test as i32,
        combine: planned.combine as i32,
        column: planned.column as i32,
        other: planned.other.map_or(-1, |other| other as i32),
        negated: i32::from(planned.negated),
        size: planned.size as i32,
        low,
        high,
        third,
        fourth,
    }
}
