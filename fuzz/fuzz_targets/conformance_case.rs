//! Lines of the corpus. A line must be refused, or must give a case whose parts can be read.
#![no_main]

use gdf_conformance::case::Case;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &[u8]| {
    let begin: &[u8] = br#"{"id":"a-0","op":"b","args":{},"inputs":{},"expect":{},"compare":"exact","#;
    let filled = [begin, line, b"}"].concat();
    for line in [line, &filled] {
        let Ok(case) = Case::read(line, "sorting") else { continue };
        assert!(case.summary().starts_with(&case.op));
        let inputs = case.json["inputs"].as_object().expect("cases have inputs");
        assert!(case.inputs.keys().eq(inputs.keys().collect::<std::collections::BTreeSet<_>>()));
    }
});
