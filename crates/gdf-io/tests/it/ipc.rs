//! Tests files and streams of Arrow IPC with every type, with whole reads and partial reads.

use std::fs::{self, File};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int8Array, ListArray, RecordBatch};
use arrow_buffer::OffsetBuffer;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::Field;
use arrow_select::concat::concat_batches;
use gdf_core::layout::MAX_TYPE_LEVELS;
use gdf_io::{Error, IpcCompression, IpcReader, IpcWriter, Predicate, read_ipc, scan_ipc, write_ipc};

use crate::all_types::{batch_of, fixed_width, nested, only_ipc, text_and_binary};
use crate::{Folder, batch, collect};

fn all(rows: usize) -> RecordBatch {
    batch_of([fixed_width(rows), text_and_binary(rows), nested(rows), only_ipc(rows)].concat())
}

#[test]
fn every_type_as_file_and_stream() {
    let folder = Folder::new();
    let path = folder.path("t.arrow");
    for rows in [0, 1, 9, 100] {
        let expected = all(rows);
        for is_stream in [false, true] {
            for compression in [IpcCompression::Uncompressed, IpcCompression::Lz4, IpcCompression::Zstd] {
                let mut writer = IpcWriter::new(&path, &expected.schema()).stream(is_stream).compression(compression);
                writer.write(&batch(&expected)).unwrap();
                writer.finish().unwrap();
                let found = read_ipc(&path).unwrap().to_arrow().unwrap();
                assert_eq!(found.schema(), expected.schema());
                for (index, field) in expected.schema().fields().iter().enumerate() {
                    assert_eq!(found.column(index), expected.column(index), "{field}, {rows}, {is_stream}");
                    found.column(index).to_data().validate_full().unwrap();
                    let alone = IpcReader::open(&path).unwrap().columns([field.name().as_str()]).read().unwrap();
                    assert_eq!(alone.to_arrow().unwrap().column(0), expected.column(index), "{field} alone");
                }
            }
        }
    }
}

#[test]
fn batches_of_arrow_rs_in_pieces() {
    let folder = Folder::new();
    // Several batches can only be concatenated if the library supports the type.
    let expected = batch_of([fixed_width(100), text_and_binary(100), nested(100)].concat());
    let schema = expected.schema();
    let parts = [(0, 10), (10, 0), (10, 60), (70, 30)].map(|(start, rows)| expected.slice(start, rows));
    let (file, stream) = (folder.path("f.arrow"), folder.path("s.arrows"));
    let mut writer = FileWriter::try_new(File::create(&file).unwrap(), &schema).unwrap();
    parts.iter().for_each(|part| writer.write(part).unwrap());
    writer.finish().unwrap();
    let mut writer = StreamWriter::try_new(File::create(&stream).unwrap(), &schema).unwrap();
    parts.iter().for_each(|part| writer.write(part).unwrap());
    writer.finish().unwrap();
    // A stream may end without a marker for its end.
    let open_end = folder.path("o.arrows");
    let bytes = fs::read(&stream).unwrap();
    fs::write(&open_end, &bytes[..bytes.len() - 8]).unwrap();
    for path in [&file, &stream, &open_end] {
        assert_eq!(read_ipc(path).unwrap().to_arrow().unwrap(), expected, "{}", path.display());
        let batches = collect(IpcReader::open(path).unwrap().rows(5..90).batch_rows(25).scan().unwrap());
        assert!(batches.iter().all(|batch| (1..=25).contains(&batch.num_rows())));
        assert_eq!(concat_batches(&schema, &batches).unwrap(), expected.slice(5, 85));
        let few = IpcReader::open(path).unwrap().columns(["utf8", "i8"]).predicate(Predicate::eq("i16", 42));
        let few = few.read().unwrap();
        assert_eq!((few.num_rows(), few.num_columns()), (1, 2));
        assert!(matches!(IpcReader::open(path).unwrap().columns(["none"]).read(), Err(Error::NoColumn { .. })));
    }
}

#[test]
fn no_columns_and_no_batches() {
    let folder = Folder::new();
    let path = folder.path("t.arrow");
    let none = batch(&all(0)).select(&[]).unwrap();
    for is_stream in [false, true] {
        IpcWriter::new(&path, none.schema()).stream(is_stream).finish().unwrap();
        assert_eq!(read_ipc(&path).unwrap().num_columns(), 0);
        assert_eq!(scan_ipc(&path).unwrap().count(), 0);
        let three = gdf_io::example_batch().unwrap().select(&[]).unwrap();
        let mut writer = IpcWriter::new(&path, three.schema()).stream(is_stream);
        writer.write(&three).unwrap();
        writer.write(&three).unwrap();
        writer.finish().unwrap();
        assert_eq!(read_ipc(&path).unwrap().num_rows(), 6, "{is_stream}");
    }
}

#[test]
fn truncated_and_foreign_files_are_errors() {
    let folder = Folder::new();
    let (whole, path) = (folder.path("w.arrow"), folder.path("t.arrow"));
    for (is_stream, step) in [(false, 97), (true, 97)] {
        let of = batch(&all(20));
        let mut writer = IpcWriter::new(&whole, of.schema()).stream(is_stream);
        writer.write(&of).unwrap();
        writer.finish().unwrap();
        let bytes = fs::read(&whole).unwrap();
        for kept in (0..bytes.len() - 8).step_by(step) {
            fs::write(&path, &bytes[..kept]).unwrap();
            match read_ipc(&path) {
                Err(Error::Malformed { .. }) => {}
                // If a stream is cut between two messages, it is still a valid stream.
                Ok(found) if is_stream => assert!(found.num_rows() == 0 || found.num_rows() == 20),
                other => panic!("{kept} of {}: {other:?}", bytes.len()),
            }
        }
    }
    for bytes in [&b""[..], b"ARROW1", b"ARROW1\0\0ARROW1", b"PAR1PAR1PAR1", &[0xff; 64], b"a,b\n1,2\n"] {
        fs::write(&path, bytes).unwrap();
        assert!(matches!(read_ipc(&path), Err(Error::Malformed { .. })), "{bytes:?}");
    }
    assert!(matches!(read_ipc("/no/such.arrow"), Err(Error::NotFound { .. })));
}

/// Writes a batch with one row. The row is a value in nested lists, and the type has the given number of levels.
fn write_levels(path: &std::path::Path, levels: usize, is_stream: bool) {
    let list = |of: ArrayRef, _| -> ArrayRef {
        let field = Field::new_list_field(of.data_type().clone(), true);
        let offsets = OffsetBuffer::from_lengths([of.len()]);
        Arc::new(ListArray::new(field.into(), offsets, of, None))
    };
    let value: ArrayRef = Arc::new(Int8Array::from(vec![7]));
    let batch = RecordBatch::try_from_iter([("deep", (1..levels).fold(value, list))]).unwrap();
    let file = File::create(path).unwrap();
    if is_stream {
        let mut writer = StreamWriter::try_new(file, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
    } else {
        let mut writer = FileWriter::try_new(file, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
    }
}

#[test]
fn types_of_too_many_levels_are_errors() {
    let folder = Folder::new();
    let path = folder.path("levels.arrow");
    for is_stream in [false, true] {
        for levels in [1, 2, 30, 60] {
            write_levels(&path, levels, is_stream);
            assert_eq!(read_ipc(&path).unwrap().num_rows(), 1, "{levels}");
        }
        for levels in [MAX_TYPE_LEVELS + 1, 100, 500] {
            write_levels(&path, levels, is_stream);
            assert!(matches!(read_ipc(&path), Err(Error::Malformed { .. })), "{levels}");
        }
    }
}

#[test]
fn damage_never_panics_and_never_allocates_what_it_claims() {
    let folder = Folder::new();
    let (whole, path) = (folder.path("w.arrow"), folder.path("t.arrow"));
    for is_stream in [false, true] {
        let of = batch(&all(20));
        let mut writer = IpcWriter::new(&whole, of.schema()).stream(is_stream).compression(IpcCompression::Lz4);
        writer.write(&of).unwrap();
        writer.finish().unwrap();
        let bytes = fs::read(&whole).unwrap();
        for at in (0..bytes.len()).step_by(29) {
            for value in [0x00, 0xff, 0x7f, bytes[at] ^ 0x10] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                fs::write(&path, &damaged).unwrap();
                drop(read_ipc(&path));
                // The other columns are skipped.
                drop(IpcReader::open(&path).unwrap().columns(["nulls"]).read());
            }
        }
    }
}

#[test]
fn a_file_that_cannot_be_written_is_not_there() {
    let folder = Folder::new();
    let of = gdf_io::example_batch().unwrap();
    let error = write_ipc(&of, folder.path("x").join("gone/t.arrow")).unwrap_err();
    assert!(matches!(error, Error::Write { .. }), "{error}");
    let mut writer = IpcWriter::new(folder.path("t.arrow"), of.schema());
    writer.write(&of).unwrap();
    drop(writer);
    assert!(folder.names().is_empty());
}

#[test]
fn columns_of_nulls_only_have_the_rows_of_their_file() {
    let folder = Folder::new();
    let path = folder.path("t.arrow");
    let nulls: ArrayRef = Arc::new(arrow_array::NullArray::new(12_345));
    let only = RecordBatch::try_from_iter([("n", nulls.clone()), ("m", nulls.clone())]).unwrap();
    write_ipc(&batch(&only), &path).unwrap();
    assert_eq!(read_ipc(&path).unwrap().to_arrow().unwrap(), only);
    let numbers: ArrayRef = Arc::new(Int8Array::from(vec![0; 12_345]));
    let both = RecordBatch::try_from_iter([("n", nulls), ("i", numbers)]).unwrap();
    write_ipc(&batch(&both), &path).unwrap();
    let read = || IpcReader::open(&path).unwrap().columns(["n"]).read();
    assert_eq!((read().unwrap().num_rows(), read().unwrap().num_columns()), (12_345, 1));
    // A batch that claims more rows than another column has is refused, also if that column is not wanted.
    let mut bytes = fs::read(&path).unwrap();
    for at in 0..bytes.len() - 8 {
        if bytes[at..at + 8] == 12_345_i64.to_le_bytes() {
            bytes[at..at + 8].copy_from_slice(&(1_i64 << 40).to_le_bytes());
        }
    }
    fs::write(&path, bytes).unwrap();
    assert!(matches!(read(), Err(Error::Malformed { .. })));
}

/// A few compressed bytes may claim more memory than a machine has.
#[test]
fn compressed_batches_have_a_limit() {
    let folder = Folder::new();
    let path = folder.path("t.arrow");
    let zeros: ArrayRef = Arc::new(arrow_array::Int64Array::from(vec![0; 1 << 17]));
    let of = RecordBatch::try_from_iter([("n", zeros.clone()), ("m", zeros)]).unwrap();
    for compression in [IpcCompression::Lz4, IpcCompression::Zstd] {
        for is_stream in [false, true] {
            let mut writer = IpcWriter::new(&path, &of.schema()).compression(compression).stream(is_stream);
            writer.write(&batch(&of)).unwrap();
            writer.finish().unwrap();
            let limited = |bytes: usize| IpcReader::open(&path).unwrap().unpacked_limit(bytes).read();
            // Each column has 1 MiB, and the limit counts both.
            let error = limited(1 << 20).unwrap_err();
            assert!(matches!(error, Error::Malformed { .. }), "{error}");
            assert!(error.to_string().contains("raise the limit with `IpcReader::unpacked_limit`"), "{error}");
            assert_eq!(limited(1 << 21).unwrap().to_arrow().unwrap(), of);
        }
    }
}

/// Files of polars have integers of 128 bits, which arrow-rs reports by a panic.
#[test]
fn types_that_arrow_rs_does_not_know_are_one_error() {
    let folder = Folder::new();
    let path = folder.path("t.arrow");
    let numbers: ArrayRef = Arc::new(arrow_array::Int64Array::from(vec![1]));
    let of = RecordBatch::try_from_iter([("i", numbers)]).unwrap();
    for is_stream in [false, true] {
        let mut writer = IpcWriter::new(&path, &of.schema()).stream(is_stream);
        writer.write(&batch(&of)).unwrap();
        writer.finish().unwrap();
        let bytes = fs::read(&path).unwrap();
        // One of the numbers 64 is the width of the integer in the schema that is read.
        let places = (0..bytes.len() - 4).filter(|at| bytes[*at..at + 4] == 64_i32.to_le_bytes());
        let mut unknown = 0;
        for at in places {
            let mut changed = bytes.clone();
            changed[at..at + 4].copy_from_slice(&128_i32.to_le_bytes());
            fs::write(&path, changed).unwrap();
            let Err(error @ Error::Unimplemented { .. }) = read_ipc(&path) else { continue };
            let text = error.to_string();
            assert!(text.contains("128") && !text.contains("panicked"), "{text}");
            assert_eq!(text.matches("not supported").count(), 1, "{text}");
            unknown += 1;
        }
        assert_eq!(unknown, 1, "{is_stream}");
    }
}
