//! Tests of the runner with wrong operations. The runner must detect each error.

use std::sync::{LazyLock, Mutex};

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Int32Array};
use gdf_api::scope::Scope;
use gdf_core::{Column, ColumnParts, DataType, Error, NullCount, Result};
use gdf_detail::Ctx;
use gdf_driver::{Device, Stream};
use gdf_memory::Buffer;

use super::*;
use crate::builders::{ints, plain};
use crate::compare::Equality;
use crate::data::{self, NullPattern, random_array};

type Operation = fn(&[Column], Ctx<'_>) -> Result<Vec<Column>>;

/// Returns a public function that takes its stream and resources from a scope and calls the operation.
fn scoped(run: Operation) -> impl Fn(&[Column]) -> Result<Vec<Column>> + Send + Sync + 'static {
    move |inputs| {
        let scope = Scope::on("operation", inputs[0].device())?;
        run(inputs, scope.ctx())
    }
}

fn case(run: Operation) -> Vec<Case> {
    let inputs = vec![ints::<Int32Type>((0..40).map(|i| (i % 3 != 0).then_some(i)))];
    vec![Case::new("int32/40/some", inputs, scoped(run), |inputs: &[ArrayRef]| Ok(inputs.to_vec()), 0)]
}

fn report(cases: fn() -> Vec<Case>) -> Report {
    let entry = Entry::new("test.operation", Equality::Exact, cases);
    run_entry(&entry, Device::Cpu, &RunnerOptions::default())
}

fn notices(cases: fn() -> Vec<Case>, expected: fn(&Problem) -> bool) {
    let report = report(cases);
    assert!(report.failures.iter().any(|failure| expected(&failure.problem)), "{report}");
    assert!(report.to_string().contains("FAILED"));
}

/// Copies the input correctly, with scratch from `temporary` and the result from `output`.
fn copy(inputs: &[Column], ctx: Ctx<'_>) -> Result<Vec<Column>> {
    let _scratch = Buffer::uninitialized(100, ctx.stream, ctx.mr.temporary)?;
    fresh(inputs, ctx)
}

/// Returns a copy of the input that starts at bit 0, independently of the offset of the input.
fn fresh(inputs: &[Column], ctx: Ctx<'_>) -> Result<Vec<Column>> {
    inputs
        .iter()
        .map(|column| {
            let values = crate::value::to_values(&column.to_arrow(ctx.stream)?);
            let array = crate::value::from_values(column.data_type(), &values);
            Column::from_arrow(&array, ctx.stream, ctx.mr.output)?.deep_copy(ctx.stream, ctx.mr.output)
        })
        .collect()
}

#[test]
fn a_correct_operation_passes_with_every_type() {
    fn cases() -> Vec<Case> {
        let mut cases = case(copy);
        for data_type in data::all() {
            for len in [0, 33] {
                let inputs = vec![random_array(&data_type, len, NullPattern::Some, 1)];
                let naive = |inputs: &[ArrayRef]| Ok(inputs.to_vec());
                cases.push(Case::new(format!("{data_type}/{len}"), inputs, scoped(copy), naive, 0));
            }
        }
        cases
    }
    let report = report(cases);
    report.assert_passed();
    assert!(report.injected >= 2, "{report}");
    assert_eq!(report.cases, cases().len());
    assert_eq!(report.runs, report.cases * 3);
}

#[test]
fn wrong_answers_are_noticed() {
    notices(
        || {
            case(|_, ctx| {
                Ok(vec![
                    Column::from_arrow(&Int32Array::from(vec![1; 40]), ctx.stream, ctx.mr.output)?
                        .deep_copy(ctx.stream, ctx.mr.output)?,
                ])
            })
        },
        |problem| matches!(problem, Problem::Difference(_)),
    );
    notices(|| case(|_, _| Ok(vec![])), |problem| matches!(problem, Problem::Difference(_)));
}

#[test]
fn other_precisions_are_noticed_where_types_are_exact() {
    fn decimals() -> Vec<Case> {
        let of = |precision: u8| {
            crate::value::from_values(&DataType::Decimal128(precision, 1), &[Some(crate::value::Value::Int(1))])
        };
        let naive = move |_: &[ArrayRef]| Ok(vec![of(10)]);
        vec![Case::new("Decimal128/1", vec![of(20)], scoped(copy), naive, 0)]
    }
    let entry = Entry::new("test.decimals", Equality::Exact, decimals);
    run_entry(&entry, Device::Cpu, &RunnerOptions::default()).assert_passed();
    let report = run_entry(&entry.exact_types(), Device::Cpu, &RunnerOptions::default());
    assert!(report.failures.iter().any(|failure| matches!(failure.problem, Problem::Difference(_))), "{report}");
}

#[test]
fn answers_that_ignore_the_offset_are_noticed() {
    fn ignore_offset(inputs: &[Column], ctx: Ctx<'_>) -> Result<Vec<Column>> {
        let mut parts = inputs[0].clone().into_parts();
        parts.offset = 0;
        parts.null_count = gdf_core::NullCount::Unknown;
        fresh(&[Column::try_from_parts(parts)?], ctx)
    }
    let report = report(|| case(ignore_offset));
    assert!(!report.passed());
    assert!(report.failures.iter().all(|failure| failure.variant != Variant::Plain), "{report}");
}

#[test]
fn errors_and_panics_are_noticed() {
    notices(|| case(|_, _| Err(Error::invalid_argument("nothing"))), |problem| matches!(problem, Problem::Error(_)));
    notices(|| case(|_, _| panic!("ouch")), |problem| matches!(problem, Problem::Panic(message) if message == "ouch"));
    fn oracle_fails() -> Vec<Case> {
        let naive = |_: &[ArrayRef]| Err("no idea".to_owned());
        vec![Case::new("x", vec![plain::<Int32Type>([1])], scoped(copy), naive, 0)]
    }
    notices(oracle_fails, |problem| matches!(problem, Problem::Naive(_)));
}

#[test]
fn results_from_temporary_are_noticed() {
    notices(
        || case(|inputs, ctx| fresh(inputs, ctx.scratch())),
        |problem| matches!(problem, Problem::ScratchKept { .. }),
    );
}

#[test]
fn scratch_from_output_is_noticed() {
    notices(
        || {
            case(|inputs, ctx| {
                let _scratch = Buffer::uninitialized(100, ctx.stream, ctx.mr.output)?;
                fresh(inputs, ctx)
            })
        },
        |problem| matches!(problem, Problem::ScratchFromOutput { blocks: 1.. }),
    );
}

#[test]
fn the_current_resource_is_noticed() {
    fn from_current(inputs: &[Column], ctx: Ctx<'_>) -> Result<Vec<Column>> {
        let current = gdf_memory::current_resource(Device::Cpu)?;
        fresh(inputs, Ctx::new(ctx.stream, &current))
    }
    notices(|| case(from_current), |problem| matches!(problem, Problem::CurrentResource { .. }));
    notices(|| case(from_current), |problem| matches!(problem, Problem::ResultElsewhere { from_output: 0, .. }));
}

#[test]
fn results_in_memory_of_no_resource_are_noticed() {
    fn foreign(inputs: &[Column], ctx: Ctx<'_>) -> Result<Vec<Column>> {
        let values = crate::value::to_values(&inputs[0].to_arrow(ctx.stream)?);
        let array = crate::value::from_values(inputs[0].data_type(), &values);
        Ok(vec![Column::from_arrow(&array, ctx.stream, ctx.mr.output)?])
    }
    notices(|| case(foreign), |problem| matches!(problem, Problem::ResultElsewhere { .. }));
}

#[test]
fn other_streams_are_noticed() {
    notices(
        || case(|inputs, ctx| fresh(inputs, Ctx { stream: &Stream::cpu(), ..ctx })),
        |problem| matches!(problem, Problem::ForeignStream { .. }),
    );
}

/// Copies the input, and writes one byte at the distance `AT` from the start of a block of 128 bytes.
fn writes<const AT: isize>(inputs: &[Column], ctx: Ctx<'_>) -> Result<Vec<Column>> {
    let mut scratch = Buffer::uninitialized(128, ctx.stream, ctx.mr.temporary)?;
    crate::resources::write_outside(&mut scratch, AT, ctx.stream);
    fresh(inputs, ctx)
}

#[test]
fn writes_outside_of_a_block_are_noticed() {
    notices(|| case(writes::<128>), |problem| matches!(problem, Problem::OutOfBounds(found) if found.first == 128));
    notices(|| case(writes::<-1>), |problem| matches!(problem, Problem::OutOfBounds(found) if found.first == -1));
    report(|| case(writes::<127>)).assert_passed();
    let overrun = report(|| case(writes::<130>)).to_string();
    assert!(overrun.contains("1 bytes were written after a block of 128 bytes, the first at offset 130"), "{overrun}");
}

#[test]
fn writes_to_the_padding_are_noticed() {
    fn careless(inputs: &[Column], ctx: Ctx<'_>) -> Result<Vec<Column>> {
        let mut parts = fresh(inputs, ctx)?.remove(0).into_parts();
        // The 40 values need 160 of the 192 bytes of the block, so byte 160 is the first byte of the padding.
        crate::resources::write_outside(&mut parts.buffers[0], 160, ctx.stream);
        Ok(vec![Column::try_from_parts(parts)?])
    }
    notices(|| case(careless), |problem| matches!(problem, Problem::Padding { result: 0 }));
}

#[test]
fn what_was_not_written_is_noticed() {
    fn lazy(_: &[Column], ctx: Ctx<'_>) -> Result<Vec<Column>> {
        let values = Buffer::uninitialized(160, ctx.stream, ctx.mr.output)?;
        let poison = values.to_host(ctx.stream)?;
        assert_eq!(poison, [0xA5; 160]);
        Ok(vec![Column::try_from_parts(ColumnParts::new(DataType::Int32, Device::Cpu, 40).buffer(values))?])
    }
    notices(|| case(lazy), |problem| matches!(problem, Problem::Difference(_)));
}

#[test]
fn leaks_are_noticed() {
    static KEPT: Mutex<Vec<Buffer>> = Mutex::new(Vec::new());
    fn leaky(inputs: &[Column], ctx: Ctx<'_>) -> Result<Vec<Column>> {
        KEPT.lock().unwrap().push(Buffer::uninitialized(100, ctx.stream, ctx.mr.output)?);
        fresh(inputs, ctx)
    }
    notices(|| case(leaky), |problem| matches!(problem, Problem::Leak { blocks: 1, .. }));
    notices(|| case(leaky), |problem| matches!(problem, Problem::LeakAfterFailure { .. }));
}

#[test]
fn swallowed_failures_are_noticed() {
    fn optimist(inputs: &[Column], ctx: Ctx<'_>) -> Result<Vec<Column>> {
        let _ = Buffer::uninitialized(100, ctx.stream, ctx.mr.temporary);
        fresh(inputs, ctx)
    }
    notices(|| case(optimist), |problem| matches!(problem, Problem::Swallowed { allocation: 1, .. }));
    fn liar(inputs: &[Column], ctx: Ctx<'_>) -> Result<Vec<Column>> {
        fresh(inputs, ctx).map_err(|_| Error::invalid_argument("memory"))
    }
    notices(|| case(liar), |problem| matches!(problem, Problem::Swallowed { .. }));
}

#[test]
fn failures_are_injected_into_each_strategy() {
    // If the input is long, the operation also allocates scratch memory, and ignores an error of this allocation.
    fn two_strategies(inputs: &[Column], ctx: Ctx<'_>) -> Result<Vec<Column>> {
        if inputs[0].len() > 500 {
            let _ = Buffer::uninitialized(100, ctx.stream, ctx.mr.temporary);
        }
        fresh(inputs, ctx)
    }
    fn cases() -> Vec<Case> {
        let long = vec![plain::<Int32Type>(0..600)];
        let naive = |inputs: &[ArrayRef]| Ok(inputs.to_vec());
        let mut cases = case(two_strategies);
        cases.push(Case::new("int32/600/none", long, scoped(two_strategies), naive, 0));
        cases
    }
    let report = report(cases);
    assert_eq!((report.strategies, report.strategies_cut), (2, 0), "{report}");
    assert!(report.failures.iter().all(|failure| failure.case == "int32/600/none"), "{report}");
    assert!(report.failures.iter().any(|failure| matches!(failure.problem, Problem::Swallowed { .. })), "{report}");
}

#[test]
fn a_strategy_with_very_many_allocations_is_said_to_be_cut() {
    fn many(inputs: &[Column], ctx: Ctx<'_>) -> Result<Vec<Column>> {
        for _ in 0..300 {
            Buffer::uninitialized(8, ctx.stream, ctx.mr.temporary)?;
        }
        fresh(inputs, ctx)
    }
    let report = report(|| case(many));
    report.assert_passed();
    assert_eq!((report.strategies, report.strategies_cut, report.injected), (1, 1, 200), "{report}");
    assert!(report.to_string().contains("not every allocation of 1 strategies was made to fail"));
}

#[test]
fn unsanitized_results_are_noticed() {
    fn slice(inputs: &[Column], _: Ctx<'_>) -> Result<Vec<Column>> {
        Ok(inputs.to_vec())
    }
    notices(|| case(slice), |problem| matches!(problem, Problem::Unsanitized { .. }));
    let entry = Entry::new("test.slice", Equality::Exact, || case(slice)).sharing_inputs();
    run_entry(&entry, Device::Cpu, &RunnerOptions::default()).assert_passed();

    // What is new beside the input's values is checked: the mask has bits for more rows.
    fn longer_mask(inputs: &[Column], ctx: Ctx<'_>) -> Result<Vec<Column>> {
        let bits = vec![0xFF; (inputs[0].offset() + inputs[0].len()) / 8 + 1];
        let mask = Buffer::from_host(&bits, ctx.stream, ctx.mr.output)?;
        let parts = inputs[0].clone().into_parts().validity(Some(mask), NullCount::Known(0));
        Ok(vec![Column::try_from_parts(parts)?])
    }
    let entry = Entry::new("test.mask", Equality::Exact, || case(longer_mask)).sharing_inputs();
    let report = run_entry(&entry, Device::Cpu, &RunnerOptions::default());
    let noticed = |problem: &Problem| matches!(problem, Problem::Unsanitized { .. });
    assert!(report.failures.iter().any(|failure| noticed(&failure.problem)), "{report}");
}

#[test]
fn rows_of_slices_and_their_null_counts_are_checked() {
    fn sliced(inputs: &[Column], ctx: Ctx<'_>) -> Result<Vec<Column>> {
        let rows = inputs[0].len();
        let values = Buffer::from_host(&vec![7; 4 * (rows + 1)], ctx.stream, ctx.mr.output)?;
        let parts = ColumnParts::new(DataType::Int32, Device::Cpu, rows + 1).buffer(values);
        Ok(vec![Column::try_from_parts(parts)?.slice(1, rows)?])
    }
    fn cases() -> Vec<Case> {
        let sevens = plain::<Int32Type>([0x0707_0707; 3]);
        vec![Case::new("int32/3", vec![sevens], scoped(sliced), |inputs: &[ArrayRef]| Ok(inputs.to_vec()), 0)]
    }
    notices(cases, |problem| matches!(problem, Problem::Unsanitized { .. }));
    let entry = Entry::new("test.slices", Equality::Exact, cases).slicing();
    run_entry(&entry, Device::Cpu, &RunnerOptions::default()).assert_passed();
}

#[test]
fn entries_that_share_nothing_are_noticed() {
    let entry = Entry::new("test.copy", Equality::Exact, || case(copy)).sharing_inputs();
    let report = run_entry(&entry, Device::Cpu, &RunnerOptions::default());
    assert!(matches!(report.failures[..], [Failure { problem: Problem::SharesNothing, .. }]), "{report}");
    let narrowed = RunnerOptions { cases: Some("int32".to_owned()), ..RunnerOptions::default() };
    run_entry(&entry, Device::Cpu, &narrowed).assert_passed();
}

#[test]
fn refused_inputs_are_a_verdict_of_their_own() {
    fn refused(run: Operation) -> Vec<Case> {
        let is_right = |error: &Error| matches!(error, Error::Unsupported { .. });
        vec![Case::refused("int32/1", vec![plain::<Int32Type>([1])], scoped(run), is_right)]
    }
    fn refuse(inputs: &[Column], _: Ctx<'_>) -> Result<Vec<Column>> {
        Err(Error::unsupported("refuse", inputs[0].data_type()))
    }
    report(|| refused(refuse)).assert_passed();
    notices(|| refused(copy), |problem| matches!(problem, Problem::Accepted));
    notices(|| refused(|_, _| Err(Error::invalid_argument("x"))), |p| matches!(p, Problem::Error(_)));
    notices(|| case(refuse), |problem| matches!(problem, Problem::Error(Error::Unsupported { .. })));
}

#[test]
fn options_choose_cases_and_checks() {
    let entry = Entry::new("test.operation", Equality::Exact, || case(copy));
    let options = RunnerOptions { slices: false, inject: false, ..RunnerOptions::default() };
    let report = run_entry(&entry, Device::Cpu, &options);
    assert_eq!((report.runs, report.injected), (1, 0));
    let options = RunnerOptions { cases: Some("int64".to_owned()), ..RunnerOptions::default() };
    let nothing = run_entry(&entry, Device::Cpu, &options);
    assert!(nothing.cases == 0 && !nothing.passed(), "{nothing}");
    let without_cases = Entry::new("test.nothing", Equality::Exact, Vec::new);
    assert!(!run_entry(&without_cases, Device::Cpu, &RunnerOptions::default()).passed());
    assert!(!RunnerOptions { entries: Some("join".to_owned()), ..options }.wants_entry(entry.name));
}

#[test]
fn costs_are_distinguished() {
    let committed = Cost { launches: 2, waits: 1, allocations: 3, device_to_host_bytes: 0 };
    let measured = Cost { launches: 1, ..committed };
    let device = Device::Cuda(0);
    let problem = Problem::Cost { committed: vec![committed], measured, device };
    let text = "cost: 1 launches instead of 2; if the change is intended: cargo xtask test --bless --device cuda:0";
    assert_eq!(problem.to_string(), text);
    let problem = Problem::Cost { committed: vec![committed, Cost::default()], measured, device };
    let text = "cost: 1 launches, 1 waits, 3 allocations, 0 bytes to the host instead of 2 launches, 1 waits, 3 allocations, \
                0 bytes to the host or 0 launches, 0 waits, 0 allocations, 0 bytes to the host; if the change is \
                intended: ";
    assert!(problem.to_string().starts_with(text), "{problem}");
    let problem = Problem::Cost { committed: Vec::new(), measured, device };
    assert!(problem.to_string().starts_with("no committed line of costs covers this case"), "{problem}");
    assert!(
        problem.to_string().ends_with("; if the change is intended: cargo xtask test --bless --device cuda:0"),
        "{problem}"
    );
}

#[test]
fn cases_without_a_line_are_noticed_where_snapshots_are_asked_for() {
    let entry = Entry::new("test.operation", Equality::Exact, || case(copy));
    static EMPTY: LazyLock<Snapshots> = LazyLock::new(|| Snapshots::new("", "", &[]));
    let options = RunnerOptions { snapshots: Some(&EMPTY), ..RunnerOptions::default() };
    let report = run_entry(&entry, Device::Cpu, &options);
    let missing =
        |failure: &Failure| matches!(&failure.problem, Problem::Cost { committed, .. } if committed.is_empty());
    assert_eq!(report.failures.iter().filter(|failure| missing(failure)).count(), 1, "{report}");
    assert_eq!(
        report.costs,
        [("test.operation", "int32/40/some".to_owned(), Cost { allocations: 3, ..Cost::default() })]
    );
}

#[test]
fn work_on_a_gpu_is_asked_for() {
    let mut problems = Vec::new();
    super::once::check_work(1, 64, 8, &mut problems);
    assert!(problems.is_empty());
    super::once::check_work(0, 129, 16, &mut problems);
    assert!(matches!(problems[..], [Problem::NoLaunch, Problem::CopiedToHost { bytes: 129, allowed: 128 }]));
}

#[test]
fn a_detour_over_the_host_is_noticed_on_a_gpu() {
    let Some(device) = crate::device::cuda_device("a_detour_over_the_host_is_noticed_on_a_gpu") else { return };
    fn long() -> Vec<Case> {
        let inputs = vec![plain::<Int32Type>(0..1000)];
        vec![Case::new("int32/1000", inputs, scoped(fresh), |inputs: &[ArrayRef]| Ok(inputs.to_vec()), 0)]
    }
    let entry = Entry::new("test.detour", Equality::Exact, long);
    let report = run_entry(&entry, device, &RunnerOptions::default());
    let found = |expected: fn(&Problem) -> bool| report.failures.iter().any(|failure| expected(&failure.problem));
    assert!(found(|problem| matches!(problem, Problem::NoLaunch)), "{report}");
    assert!(found(|problem| matches!(problem, Problem::CopiedToHost { .. })), "{report}");
    assert!(!found(|problem| matches!(problem, Problem::Difference(_))), "{report}");
}
