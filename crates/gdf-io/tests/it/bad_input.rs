//! Tests invalid files and invalid requests.

use std::fs;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use gdf_io::{
    Compression, Error, ParquetReader, ParquetWriter, Position, read_csv, read_ipc, read_json, read_parquet, write_csv,
    write_ipc, write_json, write_parquet,
};

use crate::all_types::{batch_of, for_parquet, only_ipc};
use crate::{Folder, batch};

fn whole(folder: &Folder) -> Vec<u8> {
    let path = folder.path("whole.parquet");
    let of = for_parquet(60);
    let mut writer = ParquetWriter::new(&path, &of.schema()).row_group_rows(25);
    writer.write(&batch(&of)).unwrap();
    writer.finish().unwrap();
    fs::read(path).unwrap()
}

#[test]
fn missing_files_and_folders() {
    let folder = Folder::new();
    let path = folder.path("none");
    for error in [
        read_parquet(&path).unwrap_err(),
        read_csv(&path).unwrap_err(),
        read_json(&path).unwrap_err(),
        read_ipc(&path).unwrap_err(),
    ] {
        assert!(matches!(&error, Error::NotFound { path: found } if *found == path), "{error}");
        assert_eq!(error.path(), Some(path.as_path()));
        assert_eq!(error.to_string(), format!("{} does not exist", path.display()));
    }
    assert!(matches!(read_parquet(folder.path("*.parquet")), Err(Error::NoFiles { .. })));
    assert!(matches!(read_parquet(folder.0.path()), Err(Error::NoFiles { .. })));
}

#[test]
fn foreign_files_are_no_parquet() {
    for bytes in [&b""[..], b"PAR1", b"PAR1PAR1", b"a,b\n1,2\n", &[0; 4096], &[0xff; 64], b"ARROW1\0\0"] {
        assert!(matches!(ParquetReader::from_bytes(bytes), Err(Error::Malformed { .. })), "{bytes:?}");
    }
    let encrypted = [&b"PARE"[..], &[7; 100], b"PARE"].concat();
    assert!(matches!(ParquetReader::from_bytes(encrypted), Err(Error::Encrypted { .. })));
}

#[test]
fn truncated_parquet() {
    let whole = whole(&Folder::new());
    for kept in (0..whole.len()).step_by(211).chain([whole.len() - 1]) {
        assert!(matches!(ParquetReader::from_bytes(&whole[..kept]), Err(Error::Malformed { .. })), "{kept}");
    }
}

#[test]
fn damaged_parquet_names_the_row_group() {
    let whole = whole(&Folder::new());
    let mut positions = Vec::new();
    for at in (0..whole.len()).step_by(41) {
        for value in [0x00, 0xff, whole[at] ^ 0x10] {
            let mut damaged = whole.clone();
            damaged[at] = value;
            // A reader may not notice a changed value, because Parquet files have no checksums by default.
            let read = ParquetReader::from_bytes(damaged.clone()).and_then(ParquetReader::read);
            if let Err(Error::Malformed { position: Some(position), .. }) = &read {
                positions.push(position.clone());
            }
            let scan = ParquetReader::from_bytes(damaged).and_then(ParquetReader::scan);
            assert!(scan.into_iter().flatten().take(100).count() < 100, "a scan ends");
        }
    }
    let is_named = |position: &Position| matches!(position, Position::RowGroup { row_group: 0..3, column: Some(_) });
    assert!(positions.len() > 20 && positions.iter().all(is_named), "{positions:?}");
}

#[test]
fn text_that_is_no_utf_8_names_the_row_group() {
    let folder = Folder::new();
    let path = folder.path("text.parquet");
    let text: ArrayRef = Arc::new(StringArray::from(vec!["first", "second", "needle", "last"]));
    let of = RecordBatch::try_from_iter([("text", text)]).unwrap();
    let mut writer = ParquetWriter::new(&path, &of.schema()).compression(Compression::Uncompressed).row_group_rows(2);
    writer.write(&batch(&of)).unwrap();
    writer.finish().unwrap();
    let mut bytes = fs::read(path).unwrap();
    for at in 0..bytes.len() - 6 {
        if bytes[at..].starts_with(b"needle") {
            bytes[at + 5] = 0xff;
        }
    }
    let error = ParquetReader::from_bytes(bytes).unwrap().read().unwrap_err();
    let Error::Malformed { position: Some(Position::RowGroup { row_group, column }), .. } = error else {
        panic!("{error}");
    };
    assert_eq!((row_group, column.as_deref()), (1, Some("text")));
}

#[test]
fn a_column_chunk_beyond_the_file_is_refused_before_memory_is_taken() {
    let whole = whole(&Folder::new());
    // The test overwrites four bytes of the footer at a time with a large number. Some of these bytes are lengths.
    let footer = u32::from_le_bytes(whole[whole.len() - 8..whole.len() - 4].try_into().unwrap()) as usize;
    let places: Vec<usize> = (whole.len() - 8 - footer..whole.len() - 12).step_by(17).collect();
    let is_refused = |at: &&usize| {
        let mut damaged = whole.clone();
        damaged[**at..**at + 4].copy_from_slice(&[0xff, 0xff, 0xff, 0x0f]);
        ParquetReader::from_bytes(damaged).and_then(ParquetReader::read).is_err()
    };
    // Some of the bytes are statistics or names, which the columns do not need.
    assert!(places.iter().filter(is_refused).count() > places.len() / 2);
}

#[test]
fn unknown_columns_are_listed() {
    let bytes = whole(&Folder::new());
    let error = ParquetReader::from_bytes(bytes).unwrap().columns(["i9"]).read().unwrap_err();
    assert!(matches!(&error, Error::NoColumn { column, known, .. } if column == "i9" && known.len() > 20));
    assert!(error.to_string().contains("has no column i9; existing columns: i8, i16,"), "{error}");
    assert!(error.to_string().contains(" more"), "{error}");
}

#[test]
fn types_without_a_form_leave_no_file() {
    let folder = Folder::new();
    for name in ["runs", "list_view", "union", "interval_mdn"] {
        let of = batch(&batch_of(only_ipc(3).into_iter().filter(|(column, _)| column == name).collect()));
        let error = write_parquet(&of, folder.path("t.parquet")).unwrap_err();
        assert!(matches!(&error, Error::Unsupported { column, .. } if column == name), "{error}");
    }
    assert!(folder.names().is_empty());
}

#[test]
fn a_failed_write_leaves_what_was_there() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let of = batch(&for_parquet(10));
    write_parquet(&of, &path).unwrap();
    let before = fs::read(&path).unwrap();
    let mut writer = ParquetWriter::new(&path, of.schema());
    writer.write(&of).unwrap();
    let other = of.select(&["i8"]).unwrap();
    let error = writer.write(&other).unwrap_err();
    assert!(matches!(error, Error::SchemaMismatch { .. }), "{error}");
    drop(writer);
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(folder.names(), ["t.parquet"]);
}

/// Writes to `/dev/full`, which behaves like a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let of = gdf_io::example_batch().unwrap();
    let full = "/dev/full";
    for error in [
        write_parquet(&of, full).unwrap_err(),
        write_csv(&of, full).unwrap_err(),
        write_json(&of, full).unwrap_err(),
        write_ipc(&of, full).unwrap_err(),
    ] {
        assert!(
            matches!(&error, Error::Write { source, .. } if source.kind() == std::io::ErrorKind::StorageFull),
            "{error:?}"
        );
    }
}
