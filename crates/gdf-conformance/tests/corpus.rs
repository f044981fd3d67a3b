//! The small corpus of the repository on the device of the test run, and the machinery on it.

use std::fs;
use std::path::{Path, PathBuf};

use gdf_conformance::area::Area;
use gdf_conformance::compare::compare;
use gdf_conformance::operations;
use gdf_conformance::output::Output;
use gdf_conformance::runner::{Options, run};
use gdf_conformance::subset;
use gdf_driver::Device;
use gdf_test::device::test_device;

/// What a repository may carry for this.
const LIMIT_BYTES: u64 = 300_000;

/// Operations that refuse every type that they are asked for so far, and one whose cases all differ on purpose.
const WITHOUT_CASES: [&str; 5] =
    ["dictionary.concatenate", "dictionary.groupby", "dictionary.reduce", "dictionary.sort", "struct_child"];

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

fn areas() -> Vec<Area> {
    Area::names(&corpus()).unwrap().iter().map(|name| Area::open(&corpus(), name).unwrap()).collect()
}

#[test]
fn gdf_answers_as_libcudf() {
    let report = run(&Options::new(corpus(), test_device())).unwrap();
    println!("{report}");
    assert!(report.is_good(), "{report}");
    assert_eq!(report.outdated, Vec::<String>::new());
    assert_eq!(report.totals().unsupported, 0, "{report}");
}

#[test]
fn every_operation_has_a_case() {
    let covered: Vec<String> = areas().iter().flat_map(|area| area.cases.iter().map(|case| case.op.clone())).collect();
    for op in operations::names().filter(|op| !WITHOUT_CASES.contains(op)) {
        assert!(covered.iter().any(|covered| covered == op), "no case of {op} in {}", corpus().display());
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
fn the_corpus_is_small_and_made_of_the_listed_cases() {
    let files = fs::read_dir(corpus()).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len());
    let bytes: u64 = files.sum();
    assert!(bytes <= LIMIT_BYTES, "{bytes} bytes");
    let mut listed = subset::case_list(&corpus().join("cases.txt").to_string_lossy()).unwrap();
    let mut found: Vec<String> =
        areas().iter().flat_map(|area| area.cases.iter().map(|case| case.id.clone())).collect();
    listed.sort();
    found.sort();
    assert_eq!(listed, found);
}

#[test]
fn a_subset_of_a_subset_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let cases = subset::case_list(&corpus().join("cases.txt").to_string_lossy()).unwrap();
    subset::write(&corpus(), &cases, folder.path()).unwrap();
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let original = corpus().join(path.file_name().unwrap());
        assert!(fs::read(&path).unwrap() == fs::read(original).unwrap(), "{} differs", path.display());
    }
    assert!(subset::write(&corpus(), &["binaryop-none".to_owned()], folder.path()).is_err());
}

#[test]
fn results_are_written_in_the_form_of_the_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { emit: Some(folder.path().to_owned()), ..Options::new(corpus(), Device::Cpu) };
    run(&options).unwrap();
    for area in areas() {
        for case in &area.cases {
            let exists = |end: &str| folder.path().join(format!("{}.{end}", case.id)).is_file();
            let expect = &case.expect;
            assert_eq!(exists("arrow"), expect.table.is_some() || expect.scalar.is_some(), "{}", case.id);
            assert_eq!(exists("0.arrow"), expect.tables.is_some(), "{}", case.id);
            assert_eq!(exists("value.json"), expect.value.is_some(), "{}", case.id);
            assert_eq!(exists("error"), expect.error.is_some(), "{}", case.id);
        }
    }
}

#[test]
fn what_does_not_exist_is_refused() {
    let all = || Options::new(corpus(), Device::Cpu);
    assert!(run(&Options { areas: vec!["none".into()], ..all() }).is_err());
    assert!(run(&Options { cases: vec!["binaryop-none".into()], ..all() }).is_err());
    assert!(run(&Options::new(corpus().join("none"), Device::Cpu)).is_err());
}
