//! Runs the sqllogictest files of DataFusion in three kinds of session: DataFusion as its own tests run it, DataFusion
//! with one partition, and gdf. With gdf, each island is compared with DataFusion, and fallbacks are allowed.
//!
//! ```text
//! cargo run --bin files -- FOLDER [PART_OF_A_FILE_NAME…]
//! ```
//!
//! `FOLDER` holds the folder `test_files` of the package datafusion-sqllogictest, and is two levels below the folders
//! `testing` and `parquet-testing`, as in the repository of DataFusion. The program prints the number of records of
//! each file. Only records that pass without gdf count as failures of gdf. The file `failures.txt` in `FOLDER` holds
//! these failures, grouped by cause. If the variable `FORBID_FALLBACKS` is set, an error of gdf is a failure,
//! even where DataFusion could run the island instead.

mod report;
mod run;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::report::Report;
use crate::run::{Kind, run_file};

/// The files of these folders need data that a script of DataFusion generates.
const SKIPPED: &[&str] = &["tpch", "scratch"];

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = args.next().expect("usage: files FOLDER [PART_OF_A_FILE_NAME…]");
    let parts: Vec<String> = args.collect();
    // The files name their data by paths relative to the folder.
    std::env::set_current_dir(&folder).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let reasons = run::record_fallbacks();
    std::panic::set_hook(Box::new(|_| {}));
    let mut report = Report::default();
    for path in files(Path::new("test_files")) {
        let name = path.strip_prefix("test_files").unwrap().to_owned();
        let text = name.to_string_lossy().into_owned();
        if SKIPPED.iter().any(|skipped| name.starts_with(skipped))
            || !(parts.is_empty() || parts.iter().any(|part| text.contains(part.as_str())))
        {
            continue;
        }
        let [plain, single, gdf] = [Kind::Plain, Kind::OnePartition, Kind::Gdf].map(|kind| run_file(&name, kind));
        report.add(&text, &plain, &single, &gdf);
    }
    report.print(&reasons.lock().unwrap());
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = BTreeMap::new();
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for path in entries.map(|entry| entry.unwrap().path()) {
        match path.extension().is_some_and(|end| end == "slt") {
            true => _ = found.insert(path.clone(), vec![path]),
            false if path.is_dir() => _ = found.insert(path.clone(), files(&path)),
            false => {}
        }
    }
    found.into_values().flatten().collect()
}
