//! Tests the corpus of the repository, and the code of this crate, on the device of the test run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use gdf_conformance::area::Area;
use gdf_conformance::case::{ErrorClass, Range};
use gdf_conformance::compare::compare;
use gdf_conformance::output::Output;
use gdf_conformance::runner::{Options, run};
use gdf_conformance::{answers, differences, operations, ratchet};
use gdf_driver::Device;
use gdf_test::device::test_device;

const LIMIT_BYTES: u64 = 6_000_000;

/// The environment variable that makes the test rewrite the recorded results.
const BLESS: &str = "GDF_TEST_BLESS";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn corpus() -> PathBuf {
    folder().join("corpus")
}

fn areas() -> Vec<Area> {
    Area::names(&corpus()).unwrap().iter().map(|name| Area::open(&corpus(), name).unwrap()).collect()
}

#[test]
fn gdf_answers_as_libcudf_and_as_on_record() {
    let report = run(&Options::new(corpus(), test_device())).unwrap();
    println!("{report}");
    if env::var_os(BLESS).is_some() {
        let (lines, data) = answers::record(&report.declared).unwrap();
        fs::write(folder().join("answers/answers.jsonl"), lines).unwrap();
        fs::write(folder().join("answers/answers.bin"), data).unwrap();
        fs::write(corpus().join("ratchet.txt"), ratchet::text(&report)).unwrap();
        return;
    }
    assert!(report.is_good(), "{report}");
    assert_eq!(report.outdated, Vec::<String>::new(), "cases that are declared as differences, but do not differ");
    if let Some(changed) = ratchet::check(&report, &corpus().join("ratchet.txt")).unwrap() {
        panic!("the outcomes differ from the record; {BLESS}=1 rewrites the record:\n{changed}");
    }
}

#[test]
fn answers_on_record_are_those_of_the_declared_differences() {
    let declared: BTreeSet<&str> = differences::ids().collect();
    assert_eq!(declared.len(), differences::ids().count(), "declared twice");
    if env::var_os(BLESS).is_none() {
        assert_eq!(answers::ids().collect::<BTreeSet<_>>(), declared);
    }
}

#[test]
fn every_case_is_read_and_every_operation_has_one() {
    let areas = areas();
    let broken: Vec<_> = areas.iter().flat_map(|area| &area.broken).collect();
    assert!(broken.is_empty(), "{broken:?}");
    let cases: Vec<_> = areas.iter().flat_map(|area| &area.cases).collect();
    let ids: BTreeSet<_> = cases.iter().map(|case| case.id.as_str()).collect();
    assert_eq!((areas.len(), cases.len(), ids.len()), (33, 6016, 6016));
    let covered: BTreeSet<_> = cases.iter().map(|case| case.op.as_str()).collect();
    for op in operations::names() {
        assert!(covered.contains(op), "no case of {op}");
    }
}

#[test]
fn every_expectation_equals_itself_under_its_rule() {
    for area in areas() {
        for case in &area.cases {
            if let Some(expected) = Output::expected(&case.expect, &area).unwrap() {
                assert_eq!(compare(&expected, &expected.clone(), &case.rule), Ok(()), "{}", case.id);
            }
        }
    }
}

#[test]
fn the_corpus_is_small() {
    let files = fs::read_dir(corpus()).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len());
    let bytes: u64 = files.sum();
    assert!(bytes <= LIMIT_BYTES, "{bytes} bytes");
}

#[test]
fn results_are_written_in_the_form_of_the_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let areas = ["copying", "null_mask", "partitioning", "scan"].map(str::to_owned).to_vec();
    let options =
        Options { areas: areas.clone(), emit: Some(folder.path().to_owned()), ..Options::new(corpus(), Device::Cpu) };
    let report = run(&options).unwrap();
    let differs = |id: &str| differences::reason(id).is_some();
    let refused: BTreeSet<&String> = report.refused.values().chain(report.absent.values()).flatten().collect();
    let mut written = 0;
    for area in areas.iter().map(|name| Area::open(&corpus(), name).unwrap()) {
        for case in area.cases.iter().filter(|case| !differs(&case.id)) {
            let path = |end: &str| folder.path().join(format!("{}.{end}", case.id));
            if refused.contains(&case.id) {
                assert!(
                    ["arrow", "0.arrow", "value.json", "error"].iter().all(|end| !path(end).exists()),
                    "{}",
                    case.id
                );
                continue;
            }
            let expect = &case.expect;
            assert_eq!(path("arrow").is_file(), expect.table.is_some() || expect.scalar.is_some(), "{}", case.id);
            for i in 0..=expect.tables.as_ref().map_or(0, Vec::len) {
                let wanted = expect.tables.as_ref().is_some_and(|tables| i < tables.len());
                assert_eq!(path(&format!("{i}.arrow")).is_file(), wanted, "{}", case.id);
            }
            assert_eq!(path("value.json").is_file(), expect.value.is_some(), "{}", case.id);
            assert_eq!(path("error").is_file(), expect.error.is_some(), "{}", case.id);
            if let Some(value) = &expect.value {
                let text = fs::read_to_string(path("value.json")).unwrap();
                assert_eq!(&serde_json::from_str::<serde_json::Value>(&text).unwrap(), value, "{}", case.id);
            }
            if let Some(range) = expect.table.or(expect.scalar) {
                let bytes = fs::read(path("arrow")).unwrap();
                let whole = Range { offset: 0, len: bytes.len() };
                let found = Area::from_bytes("emitted", b"", bytes).batch(whole).unwrap();
                assert_eq!(found.num_rows(), area.batch(range).unwrap().num_rows(), "{}", case.id);
                written += 1;
            }
            if expect.error.is_some() {
                let class = fs::read_to_string(path("error")).unwrap();
                assert!(class.parse::<ErrorClass>().is_ok(), "{}: {class}", case.id);
            }
        }
    }
    assert!(written > 300, "{written}");
}

#[test]
fn what_does_not_exist_is_refused() {
    let all = || Options::new(corpus(), Device::Cpu);
    assert!(run(&Options { areas: vec!["none".into()], ..all() }).is_err());
    assert!(run(&Options { cases: vec!["binaryop-none".into()], ..all() }).is_err());
    assert!(run(&Options::new(corpus().join("none"), Device::Cpu)).is_err());
}
