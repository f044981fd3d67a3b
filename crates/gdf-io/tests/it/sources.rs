//! Tests pipes and compressed files.

use std::fs;
use std::path::PathBuf;

use gdf_io::{CsvReader, Error, JsonReader, read_csv, read_json, write_csv, write_json};

use crate::{Folder, collect};

#[cfg(target_os = "linux")]
fn pipe(text: String) -> (PathBuf, impl FnOnce()) {
    use std::io::Write;
    use std::os::fd::AsRawFd;
    let (reader, mut writer) = std::io::pipe().unwrap();
    let path = PathBuf::from(format!("/proc/self/fd/{}", reader.as_raw_fd()));
    let thread = std::thread::spawn(move || drop(writer.write_all(text.as_bytes())));
    (path, move || {
        drop(reader);
        thread.join().unwrap();
    })
}

/// Makes a text that is longer than one piece, and that has more records than type inference reads.
fn csv(rows: usize) -> String {
    let rows = (0..rows).map(|row| format!("{row},\"{}\n\"\n", "x".repeat(row % 90)));
    std::iter::once("a,b\n".to_owned()).chain(rows).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn pipes_are_read_once() {
    for rows in [0, 3, 200_000] {
        let (path, done) = pipe(csv(rows));
        let found = read_csv(&path).unwrap();
        done();
        let numbers = found.column("a").unwrap();
        assert_eq!(found.num_rows(), rows);
        if rows > 0 {
            assert!(numbers.to_vec::<i64>().unwrap().into_iter().eq((0..rows as i64).map(Some)));
        }
    }
    let (path, done) = pipe(csv(100_000));
    let batches = collect(CsvReader::open(&path).unwrap().infer_records(usize::MAX).rows(5..90_000).scan().unwrap());
    done();
    assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 89_995);

    let objects: Vec<String> = (0..200_000).map(|row| format!("{{\"a\": {row}, \"b\": \"{row:040}\"}}")).collect();
    for text in [objects.join("\n"), format!("[{}]", objects.join(","))] {
        let (path, done) = pipe(text);
        let found = read_json(&path).unwrap().column("a").unwrap().to_vec::<i64>().unwrap();
        done();
        assert!(found.into_iter().eq((0..200_000).map(Some)));
    }
}

#[test]
fn compressed_text_is_written_and_read() {
    let folder = Folder::new();
    let plain = folder.path("t.csv");
    fs::write(&plain, csv(100_000)).unwrap();
    let expected = read_csv(&plain).unwrap();
    for (name, start) in [("t.csv.gz", &[0x1f, 0x8b][..]), ("t.csv.zst", &[0x28, 0xb5, 0x2f, 0xfd])] {
        let path = folder.path(name);
        write_csv(&expected, &path).unwrap();
        let bytes = fs::read(&path).unwrap();
        assert!(bytes.starts_with(start) && bytes.len() < fs::read(&plain).unwrap().len() / 4, "{name}");
        assert_eq!(read_csv(&path).unwrap().to_arrow().unwrap(), expected.to_arrow().unwrap(), "{name}");
        // The name of the file has no influence.
        fs::rename(&path, folder.path("other.csv")).unwrap();
        assert_eq!(read_csv(folder.path("other.csv")).unwrap().num_rows(), 100_000, "{name}");
    }
    for name in ["t.jsonl.gz", "t.json.zst"] {
        let path = folder.path(name);
        write_json(&expected, &path).unwrap();
        assert_eq!(read_json(&path).unwrap().num_rows(), 100_000, "{name}");
        let some = JsonReader::open(&path).unwrap().columns(["a"]).rows(99_998..).read().unwrap();
        assert_eq!(some.column("a").unwrap().to_vec::<i64>().unwrap(), [Some(99_998), Some(99_999)]);
    }
}

/// A compressed file without rows is a valid archive, and the case of its extension does not matter.
#[test]
fn compressed_files_without_rows_are_archives() {
    use gdf_io::{CsvWriter, JsonWriter};
    let folder = Folder::new();
    let schema = gdf_io::example_batch().unwrap().schema().clone();
    for (name, start) in [("t.jsonl.gz", &[0x1f, 0x8b][..]), ("t.json.ZST", &[0x28, 0xb5, 0x2f, 0xfd])] {
        JsonWriter::new(folder.path(name), &schema).finish().unwrap();
        let bytes = fs::read(folder.path(name)).unwrap();
        assert!(bytes.starts_with(start), "{name}: {bytes:?}");
        assert_eq!(read_json(folder.path(name)).unwrap().num_rows(), 0, "{name}");
    }
    for (name, start) in [("t.CSV.GZ", &[0x1f, 0x8b][..]), ("t.csv.zst", &[0x28, 0xb5, 0x2f, 0xfd])] {
        CsvWriter::new(folder.path(name), &schema).has_header(false).finish().unwrap();
        let bytes = fs::read(folder.path(name)).unwrap();
        assert!(bytes.starts_with(start), "{name}: {bytes:?}");
        let found =
            CsvReader::open(folder.path(name)).unwrap().has_header(false).schema(schema.clone()).read().unwrap();
        assert_eq!((found.num_rows(), found.num_columns()), (0, 2), "{name}");
    }
}

#[test]
fn damaged_compression_is_an_error() {
    let folder = Folder::new();
    let plain = folder.path("t.csv");
    fs::write(&plain, csv(1000)).unwrap();
    let expected = read_csv(&plain).unwrap();
    for name in ["t.csv.gz", "t.csv.zst"] {
        let path = folder.path(name);
        write_csv(&expected, &path).unwrap();
        let whole = fs::read(&path).unwrap();
        for kept in [4, 5, whole.len() / 2, whole.len() - 1] {
            fs::write(&path, &whole[..kept]).unwrap();
            let error = read_csv(&path).unwrap_err();
            assert!(matches!(&error, Error::Malformed { path: found, .. } if *found == path), "{name} {kept}: {error}");
            assert!(error.to_string().contains("data of the file are damaged"), "{name} {kept}: {error}");
        }
    }
}

#[test]
fn a_scan_ends_after_an_error_in_the_first_of_two_files() {
    let folder = Folder::new();
    fs::write(folder.path("d/a.csv"), "n\n1\nx\n").unwrap();
    fs::write(folder.path("d/b.csv"), "n\n2\n").unwrap();
    fs::write(folder.path("d/a.jsonl"), "{\"n\": 1}\n{\"n\": \"x\"}\n").unwrap();
    fs::write(folder.path("d/b.jsonl"), "{\"n\": 2}\n").unwrap();
    let csv = CsvReader::open(folder.path("d")).unwrap().infer_records(1).scan().unwrap();
    let json = JsonReader::open(folder.path("d")).unwrap().infer_records(1).scan().unwrap();
    let scans: [Box<dyn Iterator<Item = gdf_io::Result<gdf_io::Batch>>>; 2] = [Box::new(csv), Box::new(json)];
    for mut scan in scans {
        assert!(matches!(scan.next(), Some(Err(Error::Malformed { .. }))));
        assert!(scan.next().is_none() && scan.next().is_none());
    }
}

/// A day outside of the calendar cannot be written.
#[test]
fn a_writer_makes_no_file_after_a_failure() {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Date32Array, RecordBatch};
    use gdf_io::{CsvWriter, JsonWriter};
    let of = |day: i32| {
        let days: ArrayRef = Arc::new(Date32Array::from(vec![day]));
        crate::batch(&RecordBatch::try_from_iter([("day", days)]).unwrap())
    };
    let (good, bad) = (of(0), of(i32::MAX));
    let folder = Folder::new();
    let mut csv = CsvWriter::new(folder.path("t.csv"), good.schema());
    csv.write(&good).unwrap();
    assert!(csv.write(&bad).is_err());
    assert!(matches!(csv.write(&good), Err(Error::Write { .. })));
    assert!(matches!(csv.finish(), Err(Error::Write { .. })));
    let mut json = JsonWriter::new(folder.path("t.jsonl"), good.schema());
    json.write(&good).unwrap();
    assert!(json.write(&bad).is_err());
    assert!(matches!(json.finish(), Err(Error::Write { .. })));
    assert!(folder.names().is_empty(), "{:?}", folder.names());
    // A value may look like an error message of arrow-json.
    let text: ArrayRef = Arc::new(arrow_array::StringArray::from(vec!["ERROR: none"]));
    let text = crate::batch(&RecordBatch::try_from_iter([("text", text)]).unwrap());
    write_json(&text, folder.path("t.jsonl")).unwrap();
}

#[test]
fn folders_have_compressed_files() {
    let folder = Folder::new();
    let of = gdf_io::example_batch().unwrap();
    for name in ["d/a.csv", "d/b.csv.gz", "d/c.CSV.zst"] {
        write_csv(&of, folder.path(name)).unwrap();
    }
    fs::write(folder.path("d/x.gz"), "").unwrap();
    assert_eq!(read_csv(folder.path("d")).unwrap().num_rows(), 9);
}
