//! Tests readers and writers through the public API.

mod all_types;
mod bad_input;
mod conditions;
mod csv;
mod datasets;
mod decimals;
mod devices;
mod dictionaries;
mod fixtures;
mod hidden;
mod hostile;
mod int96;
mod ipc;
mod json;
mod large_text;
mod layouts;
mod names;
mod options;
mod other_readers;
mod parquet;
mod pieces;
mod predicates;
mod sources;
mod statistics;
mod zones;

use std::path::PathBuf;

use arrow_array::RecordBatch;
use gdf_io::Batch;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn batch(of: &RecordBatch) -> Batch {
    Batch::from_arrow(of).unwrap()
}

fn collect(scan: impl Iterator<Item = gdf_io::Result<Batch>>) -> Vec<RecordBatch> {
    scan.map(|batch| batch.unwrap().to_arrow().unwrap()).collect()
}
