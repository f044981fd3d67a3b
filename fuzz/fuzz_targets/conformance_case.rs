//! Lines of the corpus: refused, or a case whose parts can be looked at.
#![no_main]

use gdf_conformance::case::Case;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let filled = format!(r#"{{"id":"a-0","op":"b","args":{{}},"inputs":{{}},"expect":{{}},"compare":"exact",{text}}}"#);
    for text in [text, &filled] {
        let Ok(case) = Case::read(text, "sorting") else { continue };
        assert!(case.ranges().len() >= case.inputs.len());
        assert!(case.summary().starts_with(&case.op));
    }
});
