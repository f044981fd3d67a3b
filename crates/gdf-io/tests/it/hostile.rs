//! Tests Parquet files that were made to keep a reader busy.

use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::time::Duration;
use std::{fs, thread};

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use gdf_io::{Error, ParquetReader, Predicate, write_parquet};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use crate::Folder;

/// A time limit.
const LIMIT: Duration = Duration::from_secs(60);

/// Returns the result of `work`. Fails the test if `work` panics, or does not end within the time limit.
fn within_limit<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(work()));
    receiver.recv_timeout(LIMIT).unwrap_or_else(|_| panic!("{name} panicked, or did not end within {LIMIT:?}"))
}

/// Returns inputs that the fuzz target has found, and that have revealed defects.
fn regressions() -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions/read_parquet");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        paths.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap())).collect();
    files.sort();
    files
}

#[test]
fn files_that_once_kept_the_reader_busy_end() {
    let files = regressions();
    assert!(files.len() >= 4, "{}", files.len());
    for (name, bytes) in files {
        let Ok(reader) = within_limit(&name, move || ParquetReader::from_bytes(bytes)) else { continue };
        // An error in one column would end a read of all columns.
        for (column, field) in reader.schema().fields().iter().enumerate() {
            let name = format!("{name}, column {column} ({})", field.name());
            let reader = reader.clone().column_indices([column]);
            let field = field.name().clone();
            let (of_rows, of_predicate, of_scan) = (reader.clone(), reader.clone(), reader.clone());
            within_limit(&name, move || drop(reader.read()));
            within_limit(&name, move || drop(of_rows.rows(1..3).read()));
            within_limit(&name, move || drop(of_predicate.predicate(Predicate::is_null(field)).read()));
            within_limit(&name, move || of_scan.batch_rows(2).scan().into_iter().flatten().take(100).count());
        }
    }
}

/// Makes a file.
fn with_footer_end(end: &[u8]) -> Vec<u8> {
    let folder = Folder::new();
    let path = folder.path("whole.parquet");
    write_parquet(&gdf_io::example_batch().unwrap(), &path).unwrap();
    let whole = fs::read(path).unwrap();
    let (rest, tail) = whole.split_at(whole.len() - 8);
    let size = u32::from_le_bytes(tail[..4].try_into().unwrap()) as usize;
    let footer = [&rest[rest.len() - size..rest.len() - 1], end].concat();
    [&rest[..rest.len() - size], &footer, &(footer.len() as u32).to_le_bytes(), b"PAR1"].concat()
}

#[test]
fn footers_that_claim_more_than_they_have_are_refused() {
    let read = |bytes: Vec<u8>| {
        within_limit("a footer", move || ParquetReader::from_bytes(bytes).and_then(ParquetReader::read))
    };
    let many = [0xff, 0xff, 0xff, 0xff, 7];
    // The footer has unknown fields from number 100 on.
    assert_eq!(read(with_footer_end(&[8, 0xc8, 1, 5, 1, 2, 3, 4, 5, 0])).unwrap().num_rows(), 3);
    let booleans = [&[0x09, 0xc8, 1, 0xf1][..], &many].concat().repeat(1000);
    let row_groups = [&[0x09, 8, 0xfc][..], &many].concat();
    let another_type = vec![0x08, 8, 0];
    for end in [booleans, row_groups, another_type] {
        let error = read(with_footer_end(&[&end[..], &[0]].concat())).unwrap_err();
        assert!(matches!(error, Error::Malformed { position: None, .. }), "{error}");
        assert!(error.to_string().contains("the footer is damaged"), "{error}");
    }
}

#[test]
fn rows_that_no_page_has_take_no_memory() {
    let (_, bytes) = regressions().into_iter().find(|(name, _)| name == "large_1").unwrap();
    let reader = ParquetReader::from_bytes(bytes).unwrap();
    let errors = (0..reader.schema().fields().len()).filter_map(|column| {
        let reader = reader.clone().column_indices([column]);
        within_limit("large_1", move || reader.read()).err().map(|error| error.to_string())
    });
    let errors: Vec<_> = errors.collect();
    assert!(errors.iter().any(|error| error.contains("rows, but the page headers claim")), "{errors:?}");
    assert!(errors.iter().all(|error| !error.contains("out of memory")), "{errors:?}");
}

#[test]
fn page_indexes_that_claim_more_than_they_have_are_not_used() {
    let folder = Folder::new();
    let path = folder.path("indexed.parquet");
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..1000));
    let of = RecordBatch::try_from_iter([("number", numbers)]).unwrap();
    let properties = WriterProperties::builder().set_data_page_row_count_limit(100).set_write_batch_size(100).build();
    let mut writer = ArrowWriter::try_new(fs::File::create(&path).unwrap(), of.schema(), Some(properties)).unwrap();
    writer.write(&of).unwrap();
    let chunk = writer.close().unwrap().row_group(0).column(0).clone();
    let whole = fs::read(&path).unwrap();
    let many = [0xff, 0xff, 0xff, 0xff, 7];
    let read = |bytes: Vec<u8>| {
        let reader = ParquetReader::from_bytes(bytes).unwrap().rows(450..460);
        within_limit("a page index", move || reader.read().unwrap().to_arrow().unwrap())
    };
    assert_eq!(read(whole.clone()), of.slice(450, 10));
    for offset in [chunk.column_index_offset(), chunk.offset_index_offset()] {
        let at = offset.unwrap() as usize;
        // Each `start` is the header of a Thrift list. The length `many` follows it.
        for start in [[0x09, 0xc8, 1, 0xf1], [0x19, 0xfc, 0xff, 0xff]] {
            let mut damaged = whole.clone();
            damaged[at..at + 9].copy_from_slice(&[&start[..], &many].concat());
            assert_eq!(read(damaged), of.slice(450, 10));
        }
    }
}
