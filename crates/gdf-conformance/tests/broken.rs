//! Tests a corpus with many kinds of faults. Each fault must make only its own case fail, and the other cases must run.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Int32Array, StringArray};
use arrow_ipc::writer::StreamWriter;
use gdf_conformance::call::{Answered, Call};
use gdf_conformance::operations::{self, Operation};
use gdf_conformance::output::batch;
use gdf_conformance::report::Report;
use gdf_conformance::runner::{Options, run};
use gdf_driver::Device;

fn stream(column: ArrayRef) -> Vec<u8> {
    let batch = batch(vec![column]).unwrap();
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

fn broken_strings() -> Vec<u8> {
    let mut bytes = stream(Arc::new(StringArray::from(vec!["a", "marker", "b"])));
    let at = bytes.windows(6).position(|window| window == b"marker").unwrap();
    bytes[at] = 0xff;
    bytes
}

struct Corpus {
    data: Vec<u8>,
    lines: Vec<Vec<u8>>,
}

impl Corpus {
    fn put(&mut self, bytes: &[u8]) -> String {
        self.data.resize(self.data.len().next_multiple_of(8), 0);
        let range = format!("[{},{}]", self.data.len(), bytes.len());
        self.data.extend_from_slice(bytes);
        range
    }

    fn case(&mut self, id: &str, op: &str, input: &str, expect: &str) {
        let inputs = if input.is_empty() { String::new() } else { format!(r#""input":{input}"#) };
        let line = format!(
            r#"{{"id":"{id}","op":"{op}","args":{{}},"inputs":{{{inputs}}},"expect":{expect},"compare":"exact"}}"#
        );
        self.lines.push(line.into_bytes());
    }

    fn write(&self, dir: &Path, name: &str) {
        fs::write(dir.join(format!("{name}.jsonl")), self.lines.join(&b'\n')).unwrap();
        fs::write(dir.join(format!("{name}.bin")), &self.data).unwrap();
    }
}

fn panics(_: &Call<'_>) -> Answered {
    panic!("this operation always panics")
}

fn with_one_that_panics(op: &str) -> Option<Operation> {
    if op == "panics" { Some(panics) } else { operations::find(op) }
}

fn what<'a>(report: &'a Report, id: &str) -> &'a str {
    let found = report.failures.iter().find(|finding| finding.id == id);
    found.map_or_else(|| panic!("{id} did not fail\n{report}"), |finding| finding.what.as_str())
}

#[test]
fn each_fault_fails_its_case_and_the_others_are_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut corpus = Corpus { data: Vec::new(), lines: Vec::new() };
    let numbers = corpus.put(&stream(Arc::new(Int32Array::from(vec![Some(1), None]))));
    let valid = corpus.put(&stream(Arc::new(BooleanArray::from(vec![true, false]))));
    let strings = corpus.put(&broken_strings());
    let noise = corpus.put(b"not an Arrow stream");
    let good = format!(r#"{{"table":{valid}}}"#);
    corpus.case("faults-0001", "is_valid", &numbers, &good);
    corpus.case("faults-0002", "is_valid", &strings, &good);
    corpus.case("faults-0003", "is_valid", &numbers, &format!(r#"{{"table":{strings}}}"#));
    corpus.case("faults-0004", "is_valid", &numbers, &format!(r#"{{"table":{noise}}}"#));
    corpus.case("faults-0005", "is_valid", "[0,99999999]", &good);
    corpus.case("faults-0006", "is_valid", "", &good);
    corpus.case("faults-0007", "panics", &numbers, &good);
    corpus.case("faults-0008", "is_valid", &numbers, "{}");
    corpus.lines.push(b"{\"id\": \xff}".to_vec());
    corpus.lines.push(b"not JSON".to_vec());
    corpus.case("faults-0011", "no_such_operation", &numbers, &good);
    corpus.case("faults-0012", "is_valid", &numbers, &good);
    corpus.case("faults-0013", "panics", &numbers, r#"{"error":"other"}"#);
    corpus.write(folder.path(), "faults");
    // One area has no data file, and the file of another area cannot be decompressed.
    fs::write(folder.path().join("lost.jsonl"), "").unwrap();
    fs::write(folder.path().join("packed.jsonl.zst"), b"not compressed").unwrap();

    let emitted = folder.path().join("out");
    // An earlier run had answers for a case that panics now, and more tables for a case that has one table now.
    fs::create_dir(&emitted).unwrap();
    for earlier in ["faults-0007.arrow", "faults-0007.0.arrow", "faults-0012.0.arrow", "faults-0012.1.arrow"] {
        fs::write(emitted.join(earlier), b"earlier").unwrap();
    }
    let options = Options {
        operations: with_one_that_panics,
        emit: Some(emitted.clone()),
        ..Options::new(folder.path(), Device::Cpu)
    };
    let report = run(&options).unwrap();
    let counts = report.areas["faults"];
    assert_eq!((counts.passed, counts.failed, counts.absent, counts.total()), (2, 10, 1, 13), "{report}");
    for id in ["faults-0002", "faults-0003"] {
        assert!(what(&report, id).contains("UTF-8") || what(&report, id).contains("UTF8"), "{}", what(&report, id));
    }
    for id in ["faults-0004", "faults-0005", "faults-0006", "faults-0008", "faults, line 9", "faults, line 10"] {
        assert!(what(&report, id).starts_with("unreadable: "), "{id}: {}", what(&report, id));
    }
    for id in ["faults-0007", "faults-0013"] {
        assert_eq!(what(&report, id), "panicked: this operation always panics");
    }
    for area in ["lost", "packed"] {
        assert!(what(&report, area).starts_with("unreadable: "), "{}", what(&report, area));
    }
    assert!(!report.is_good());
    assert!(emitted.join("faults-0012.arrow").is_file() && !emitted.join("faults-0007.arrow").exists());
    for earlier in ["faults-0007.0.arrow", "faults-0012.0.arrow", "faults-0012.1.arrow"] {
        assert!(!emitted.join(earlier).exists(), "{earlier}");
    }
}
