//! Tests of the malformed columns, and tests that the sweep detects operations that do not check their inputs.

use arrow_array::ArrayRef;
use gdf_api::scope::Scope;
use gdf_core::{Column, DataType, Result};
use gdf_detail::Ctx;
use gdf_driver::{Device, Stream};
use gdf_memory::current_resource;

use super::*;
use crate::builders::strings;
use crate::catalog::Case;
use crate::data::{self, NullPattern, random_array};

type Operation = fn(&[Column], Ctx<'_>) -> Result<Vec<Column>>;

fn sweep(operation: Operation, strict: bool) -> MalformedReport {
    let options = MalformedOptions { entries: None, every: 1, strict };
    let mut sweep = Sweep::new(Device::Cpu, watch_current(Device::Cpu).unwrap(), &options);
    sweep.entry_of("test.operation", &case(operation)).unwrap();
    sweep.report
}

fn case(operation: Operation) -> Vec<Case> {
    let inputs = vec![strings([Some("one"), Some("two"), Some(""), Some("four"), Some("five")])];
    let run = move |inputs: &[Column]| operation(inputs, Scope::on("operation", Device::Cpu)?.ctx());
    vec![Case::new("Utf8/5", inputs, run, |inputs: &[ArrayRef]| Ok(inputs.to_vec()), 0)]
}

#[test]
fn validation_refuses_what_is_malformed() {
    let (stream, resource) = (Stream::cpu(), current_resource(Device::Cpu).unwrap());
    let mut refused = std::collections::BTreeSet::new();
    for data_type in data::all() {
        let array = random_array(&data_type, 70, NullPattern::None, 5);
        let whole = Column::from_arrow(&array, &stream, resource.as_ref()).unwrap();
        for malformation in Malformation::all_of(&data_type) {
            let Ok(column) = malformation.apply(whole.clone(), &stream, resource.as_ref()) else { continue };
            let verdict = gdf_detail::validation::validate(column.view(), Ctx::new(&stream, &resource));
            if verdict.is_err() {
                refused.insert(malformation.kind.to_string());
            }
        }
    }
    // Each kind of reference must be broken in both directions: before the start and after the end.
    let lanes =
        ["offsets", "list offsets", "map offsets", "list view offsets", "list view sizes", "view buffer", "keys"];
    for lane in lanes.into_iter().chain(["type ids", "union offsets", "view offset"]) {
        for pattern in ["Negative", "Max", "OnePastEnd", "FarPastEnd"] {
            assert!(refused.contains(&format!("{lane} {pattern}")), "{lane} {pattern}: {refused:?}");
        }
    }
    for kind in ["run ends Zero", "run ends Descending", "offsets Descending", "text Invalid", "view prefix Random"] {
        assert!(refused.contains(kind), "{kind}: {refused:?}");
    }
    for nulls in ["CountedAsNone", "CountedAsOne", "CountedAsAll", "NoneCountedAsAll", "ClaimedByStruct"] {
        assert!(refused.contains(&format!("nulls {nulls}")), "{nulls}: {refused:?}");
    }
    // Arbitrary numbers in null rows are allowed.
    assert!(!refused.contains("keys UnderNulls"));
}

#[test]
fn rules_are_those_of_children_too() {
    assert!(has_rules(&DataType::Utf8) && !has_rules(&DataType::Int64));
    let nested = data::nested().into_iter().filter(has_rules).count();
    assert!(nested >= 10 && has_rules(&data::unions()[0]));
}

#[test]
fn a_panic_is_noticed() {
    /// Returns results without checking the offsets.
    fn last(inputs: &[Column], ctx: Ctx<'_>) -> Result<Vec<Column>> {
        if inputs[0].data_type() != &DataType::Utf8 {
            return Ok(Vec::new());
        }
        let bytes = inputs[0].buffers()[0].to_host(ctx.stream)?;
        let (offsets, _) = bytes.as_chunks::<4>();
        let end = i32::from_le_bytes(offsets[inputs[0].offset() + inputs[0].len()]);
        let text = inputs[0].buffers()[1].to_host(ctx.stream)?;
        assert!(text.get(..end as usize).is_some(), "offset {end} of {}", text.len());
        Ok(Vec::new())
    }
    let report = sweep(last, false);
    let panics = report.failures.iter().filter(|failure| failure.contains("panicked")).count();
    assert!(panics > 0 && panics == report.failures.len(), "{report}");
    assert!(report.failures.iter().any(|failure| failure.contains("offsets OnePastEnd")), "{report}");
    assert!(report.to_string().contains("failures\n"), "{report}");
}

#[test]
fn results_of_broken_data_are_noticed_where_they_are_not_allowed() {
    fn delegate(inputs: &[Column], _: Ctx<'_>) -> Result<Vec<Column>> {
        Ok(inputs.to_vec())
    }
    let lenient = sweep(delegate, false);
    assert!(lenient.passed(), "{lenient}");
    assert!(lenient.covered.contains("test.operation") && lenient.values > 100, "{lenient}");
    let strict = sweep(delegate, true);
    assert!(strict.failures.iter().any(|failure| failure.contains("results although the data are broken")), "{strict}");
}

/// Makes one call of a sweep at a time.
#[test]
fn only_calls_with_broken_references_or_text_cover_a_function() {
    fn validate(inputs: &[Column], ctx: Ctx<'_>) -> Result<Vec<Column>> {
        inputs.iter().try_for_each(|input| gdf_detail::validation::validate(input.view(), ctx).map(drop))?;
        Ok(Vec::new())
    }
    let all = sweep(validate, true);
    assert!(all.passed() && !all.covered.is_empty(), "{all}");
    let options = MalformedOptions { entries: None, every: 1 << 40, strict: true };
    let mut sweep = Sweep::new(Device::Cpu, watch_current(Device::Cpu).unwrap(), &options);
    let cases = case(validate);
    let mut not_broken = std::collections::BTreeSet::new();
    for number in 1..=all.calls + all.refused_parts {
        (sweep.report, sweep.calls) = (MalformedReport::default(), options.every - number);
        sweep.entry_of("test.operation", &cases).unwrap();
        let report = &sweep.report;
        assert!(report.failures.is_empty() && report.calls + report.refused_parts == 1, "{number}: {report}");
        assert_eq!(report.pairs.len(), report.calls, "{number}: {report}");
        let is_of_nulls = report.pairs.iter().any(|(_, kind)| kind.starts_with("nulls "));
        let is_covered = report.broken_data == 1 && !is_of_nulls;
        assert_eq!(report.covered.len(), usize::from(is_covered), "{number}: {:?}", report.pairs);
        if report.broken_data == 0 {
            not_broken.extend(report.pairs.iter().map(|(_, kind)| kind.clone()));
        }
    }
    assert!(not_broken.contains("keys UnderNulls"), "{not_broken:?}");
}

#[test]
fn nothing_run_is_no_success() {
    let options = MalformedOptions { entries: Some("no.such_entry".to_owned()), every: 1, strict: false };
    assert!(!run_malformed(&[], Device::Cpu, &options).passed());
}
