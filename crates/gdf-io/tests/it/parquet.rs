//! Writes Parquet files and reads them again. Whole reads, partial reads and scans must return the same data.

use std::sync::Arc;

use arrow_array::*;
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, TimeUnit};
use arrow_select::concat::concat_batches;
use gdf_io::{Batch, Compression, Error, ParquetReader, ParquetWriter, read_parquet, scan_parquet, write_parquet};

use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaDataBuilder, ParquetMetaDataReader, ParquetMetaDataWriter,
};

use crate::all_types::{batch_of, fixed_width, for_parquet, nested, text_and_binary};
use crate::{Folder, batch, collect};

fn written(folder: &Folder, of: &RecordBatch, group_rows: usize) -> std::path::PathBuf {
    let path = folder.path("t.parquet");
    let mut writer = ParquetWriter::new(&path, &of.schema()).row_group_rows(group_rows);
    writer.write(&batch(of)).unwrap();
    writer.finish().unwrap();
    path
}

#[test]
fn every_type_in_row_groups_of_every_kind() {
    let folder = Folder::new();
    for rows in [0, 1, 7, 8, 9, 100, 1000] {
        let expected = for_parquet(rows);
        for group_rows in [1 << 20, 64, 37] {
            let found = read_parquet(written(&folder, &expected, group_rows)).unwrap().to_arrow().unwrap();
            for (index, field) in expected.schema().fields().iter().enumerate() {
                assert_eq!(found.schema().field(index), field.as_ref());
                assert_eq!(found.column(index), expected.column(index), "{field}, {rows} rows by {group_rows}");
                found.column(index).to_data().validate_full().unwrap();
            }
            assert_eq!(found.num_rows(), rows);
        }
    }
}

#[test]
fn every_codec() {
    let folder = Folder::new();
    let expected = for_parquet(500);
    use Compression::{Brotli, Gzip, Lz4, Snappy, Uncompressed, Zstd};
    for compression in [Uncompressed, Snappy, Zstd(1), Zstd(200), Gzip(6), Gzip(99), Lz4, Brotli(3), Brotli(99)] {
        let path = folder.path("c.parquet");
        let mut writer = ParquetWriter::new(&path, &expected.schema()).compression(compression);
        writer.write(&batch(&expected)).unwrap();
        writer.finish().unwrap();
        assert_eq!(read_parquet(&path).unwrap().to_arrow().unwrap(), expected, "{compression:?}");
    }
    assert_eq!(folder.names(), ["c.parquet"]);
}

#[test]
fn several_batches_and_none() {
    let folder = Folder::new();
    let (path, expected) = (folder.path("t.parquet"), for_parquet(40));
    let mut writer = ParquetWriter::new(&path, &expected.schema()).row_group_rows(13);
    for (start, rows) in [(0, 5), (5, 0), (5, 20), (25, 15)] {
        writer.write(&batch(&expected).slice(start, rows).unwrap()).unwrap();
    }
    writer.finish().unwrap();
    let reader = ParquetReader::open(&path).unwrap();
    assert_eq!((reader.num_rows(), reader.num_row_groups()), (40, 4));
    assert_eq!(reader.read().unwrap().to_arrow().unwrap(), expected);

    ParquetWriter::new(&path, &expected.schema()).finish().unwrap();
    assert_eq!(read_parquet(&path).unwrap().to_arrow().unwrap(), expected.slice(0, 0));
}

#[test]
fn rows_of_a_range() {
    let folder = Folder::new();
    let expected = for_parquet(100);
    let path = written(&folder, &expected, 30);
    let read = |reader: ParquetReader| reader.read().unwrap().to_arrow().unwrap();
    let open = || ParquetReader::open(&path).unwrap();
    for (start, end) in [(0, 100), (0, 1), (29, 31), (30, 60), (31, 59), (5, 95), (99, 100), (50, 50), (100, 200)] {
        let len = end.min(100) - start;
        assert_eq!(read(open().rows(start..end)), expected.slice(start, len), "{start}..{end}");
        let batches = collect(open().rows(start..end).batch_rows(7).scan().unwrap());
        assert!(batches.iter().all(|batch| (1..=7).contains(&batch.num_rows())));
        assert_eq!(concat_batches(&expected.schema(), &batches).unwrap(), expected.slice(start, len));
    }
    assert_eq!(read(open().rows(..=4)), expected.slice(0, 5));
    assert_eq!(read(open().rows(90..)), expected.slice(90, 10));
    assert_eq!(read(open().rows(1000..)), expected.slice(0, 0));
}

#[test]
fn columns_in_the_order_asked_for() {
    let folder = Folder::new();
    let expected = for_parquet(50);
    let path = written(&folder, &expected, 20);
    let read = |names: &[&str]| ParquetReader::open(&path).unwrap().columns(names.iter().copied()).read().unwrap();
    let found = read(&["utf8", "i8", "struct"]).to_arrow().unwrap();
    let indices = ["utf8", "i8", "struct"].map(|name| expected.schema().index_of(name).unwrap());
    assert_eq!(found, expected.project(&indices).unwrap());
    let none = read(&[]);
    assert_eq!((none.num_rows(), none.num_columns()), (50, 0));
    assert_eq!(read(&["i8", "i8"]).num_columns(), 2);
}

#[test]
fn fields_of_nested_columns() {
    let folder = Folder::new();
    let expected = batch_of(nested(50));
    let path = written(&folder, &expected, 20);
    let read = |names: &[&str]| ParquetReader::open(&path).unwrap().columns(names.iter().copied()).read().unwrap();
    let found = read(&["struct.text", "list"]);
    assert_eq!(found.schema().field(0).data_type().to_string(), r#"Struct("text": Utf8)"#);
    let texts = found.to_arrow().unwrap();
    let column = |of: &RecordBatch, index: usize| {
        let of_struct = of.column(0).as_any().downcast_ref::<arrow_array::StructArray>().unwrap().clone();
        of_struct.column(index).clone()
    };
    let whole = read(&["struct"]).to_arrow().unwrap();
    assert_eq!(&column(&texts, 0), &column(&whole, 1));
    assert_eq!(read(&["struct.text", "struct.number"]).to_arrow().unwrap(), whole);
    assert!(ParquetReader::open(&path).unwrap().columns(["struct.none"]).read().is_err());
}

#[test]
fn scans_have_all_rows_in_batches() {
    let folder = Folder::new();
    let expected = for_parquet(100);
    let path = written(&folder, &expected, 30);
    for rows in [1, 7, 30, 64, 1000] {
        let scan = ParquetReader::open(&path).unwrap().batch_rows(rows).scan().unwrap();
        assert_eq!(scan.schema(), &expected.schema());
        let batches = collect(scan);
        assert!(batches.iter().all(|batch| (1..=rows).contains(&batch.num_rows())));
        assert_eq!(concat_batches(&expected.schema(), &batches).unwrap(), expected, "by {rows}");
    }
    assert_eq!(scan_parquet(written(&folder, &expected.slice(0, 0), 30)).unwrap().count(), 0);
}

#[test]
fn slices_are_written_as_their_rows() {
    let folder = Folder::new();
    let all = batch_of([fixed_width(100), text_and_binary(100), nested(100)].concat());
    let slice = batch(&all).slice(13, 51).unwrap();
    let path = folder.path("t.parquet");
    write_parquet(&slice, &path).unwrap();
    assert_eq!(read_parquet(&path).unwrap().to_arrow().unwrap(), all.slice(13, 51));
}

#[test]
fn text_in_views_becomes_plain() {
    let folder = Folder::new();
    let texts = [Some("a"), None, Some("a longer text than twelve bytes")];
    let views: arrow_array::ArrayRef = std::sync::Arc::new(arrow_array::StringViewArray::from_iter(texts));
    let path = folder.path("t.parquet");
    write_parquet(&batch(&RecordBatch::try_from_iter([("t", views)]).unwrap()), &path).unwrap();
    let found: Batch = read_parquet(&path).unwrap();
    assert_eq!(found.schema().field(0).data_type(), &DataType::Utf8);
    let found = found.to_arrow().unwrap();
    assert_eq!(found.column(0).as_ref(), &arrow_array::StringArray::from_iter(texts) as &dyn Array);
}

#[test]
fn bytes_in_memory() {
    let folder = Folder::new();
    let expected = for_parquet(20);
    let bytes = std::fs::read(written(&folder, &expected, 7)).unwrap();
    assert_eq!(ParquetReader::from_bytes(bytes).unwrap().read().unwrap().to_arrow().unwrap(), expected);
}

#[test]
fn other_types_for_columns() {
    let folder = Folder::new();
    let expected = batch_of(text_and_binary(30).into_iter().chain(fixed_width(30)).collect());
    let path = written(&folder, &expected, 20);
    let open = || ParquetReader::open(&path).unwrap();
    let large = open().types([("utf8", DataType::LargeUtf8), ("large_utf8", DataType::Utf8)]).unwrap();
    let found = large.columns(["utf8", "large_utf8"]).read().unwrap().to_arrow().unwrap();
    assert_eq!(found.column(0), expected.column(1));
    assert_eq!(found.column(1), expected.column(0));
    let error = open().types([("i8", DataType::Utf8)]).unwrap_err();
    assert!(matches!(&error, Error::ColumnType { column, .. } if column == "i8"), "{error}");
    assert!(matches!(open().types([("none", DataType::Utf8)]), Err(Error::NoColumn { .. })));
}

/// The stored integers of a time or a decimal mean another value in another unit or scale.
#[test]
fn other_units_and_scales_of_columns() {
    let folder = Folder::new();
    let moments: ArrayRef = Arc::new(TimestampNanosecondArray::from(vec![Some(1_700_000_000_123_456_000), None]));
    let money = Decimal128Array::from(vec![Some(4998), None]).with_precision_and_scale(15, 2).unwrap();
    let money: ArrayRef = Arc::new(money);
    let batch = RecordBatch::try_from_iter([("moment", moments.clone()), ("money", money.clone())]).unwrap();
    let path = written(&folder, &batch, 20);
    let read = |column: &str, data_type: &DataType| {
        let reader = ParquetReader::open(&path)?.types([(column, data_type.clone())])?;
        Ok::<_, Error>(reader.columns([column]).read()?.to_arrow().unwrap().column(0).clone())
    };
    for unit in [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond] {
        let other = DataType::Timestamp(unit, None);
        assert_eq!(&read("moment", &other).unwrap(), &cast(&moments, &other).unwrap());
    }
    for same in [DataType::Decimal64(15, 2), DataType::Decimal64(18, 2)] {
        assert_eq!(&read("money", &same).unwrap(), &cast(&money, &same).unwrap());
    }
    for other in [DataType::Decimal64(15, 0), DataType::Decimal128(14, 2), DataType::Decimal32(9, 2)] {
        let error = read("money", &other).unwrap_err();
        assert!(matches!(&error, Error::ColumnType { column, .. } if column == "money"), "{error}");
    }
}

#[test]
fn decimals_as_narrow_as_their_digits() {
    let folder = Folder::new();
    let decimals = |precision| {
        let values = (0..40_i128).map(|value| (value % 7 != 3).then_some(value * 12_345 - 90_000));
        Arc::new(values.collect::<Decimal128Array>().with_precision_and_scale(precision, 2).unwrap()) as ArrayRef
    };
    let expected =
        RecordBatch::try_from_iter([8, 15, 18, 19].map(|precision| (precision.to_string(), decimals(precision))));
    let path = written(&folder, &expected.unwrap(), 16);
    let found = ParquetReader::open(&path).unwrap().narrow_decimals().unwrap().read().unwrap().to_arrow().unwrap();
    for (precision, column) in [8, 15, 18].into_iter().zip(found.columns()) {
        assert_eq!(column.data_type(), &DataType::Decimal64(precision, 2));
        assert_eq!(&cast(column, &DataType::Decimal128(precision, 2)).unwrap(), &decimals(precision));
    }
    assert_eq!(found.column(3), &decimals(19));
}

fn decimals(values: Vec<Option<i128>>, precision: u8) -> ArrayRef {
    Arc::new(Decimal128Array::from(values).with_precision_and_scale(precision, 2).unwrap())
}

/// arrow-rs stores decimals of few digits in few bytes, and drops the other bytes of a value.
#[test]
fn decimals_with_more_digits_than_their_type_are_refused() {
    let folder = Folder::new();
    let wide = || decimals(vec![Some(1), Some(100_000_000_000)], 5);
    let field = |data_type: &DataType| Arc::new(Field::new("item", data_type.clone(), true));
    let of_struct = |array: ArrayRef, valid| {
        Arc::new(StructArray::new(vec![field(array.data_type())].into(), vec![array], valid)) as ArrayRef
    };
    let list = ListArray::new(field(wide().data_type()), OffsetBuffer::from_lengths([1, 1]), wide(), None);
    let fixed = FixedSizeListArray::new(field(wide().data_type()), 1, wide(), None);
    let coded = DictionaryArray::new(Int8Array::from(vec![0, 1]), wide());
    let arrays: [ArrayRef; 5] = [wide(), of_struct(wide(), None), Arc::new(list), Arc::new(fixed), Arc::new(coded)];
    for array in arrays {
        let of = RecordBatch::try_from_iter([("x", array)]).unwrap();
        let error = write_parquet(&batch(&of), folder.path("t.parquet")).unwrap_err();
        assert!(matches!(&error, Error::UnsupportedValue { column, .. } if column == "x"), "{error}");
        assert!(error.to_string().contains("more digits than its type; cast the column"), "{error}");
    }
    assert!(folder.names().is_empty());
    // The rows of null structs, and the elements outside of a slice, are not written.
    let valid = NullBuffer::from(vec![true, false]);
    let hidden = RecordBatch::try_from_iter([("x", of_struct(wide(), Some(valid)))]).unwrap();
    write_parquet(&batch(&hidden), folder.path("t.parquet")).unwrap();
    let list = ListArray::new(field(wide().data_type()), OffsetBuffer::from_lengths([1, 1]), wide(), None);
    let part = RecordBatch::try_from_iter([("x", Arc::new(list) as ArrayRef)]).unwrap();
    write_parquet(&batch(&part).slice(0, 1).unwrap(), folder.path("t.parquet")).unwrap();
}

#[test]
fn batches_of_decimals_have_no_more_digits_than_the_file() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let of =
        |value, precision| batch(&RecordBatch::try_from_iter([("x", decimals(vec![Some(value)], precision))]).unwrap());
    let mut writer = ParquetWriter::new(&path, of(1, 5).schema());
    writer.write(&of(99_999, 5)).unwrap();
    writer.write(&of(9, 3)).unwrap();
    let error = writer.write(&of(100_000_000_000, 20)).unwrap_err();
    assert!(matches!(&error, Error::SchemaMismatch { .. }), "{error}");
    writer.finish().unwrap();
    let found = read_parquet(&path).unwrap().to_arrow().unwrap();
    assert_eq!(found.column(0), &decimals(vec![Some(99_999), Some(9)], 5));
    let wide = DataType::Decimal128(20, 2);
    let found = ParquetReader::open(&path).unwrap().types([("x", wide)]).unwrap().read().unwrap().to_arrow().unwrap();
    assert_eq!(found.column(0), &decimals(vec![Some(99_999), Some(9)], 20));
}

#[test]
fn rows_without_columns_are_refused() {
    let folder = Folder::new();
    let path = written(&folder, &for_parquet(3), 20);
    let rows = ParquetReader::open(&path).unwrap().columns(Vec::<String>::new()).read().unwrap();
    assert_eq!((rows.num_rows(), rows.num_columns()), (3, 0));
    let error = write_parquet(&rows, folder.path("none.parquet")).unwrap_err();
    assert!(error.to_string().contains("a batch without columns must have 0 rows"), "{error}");
    assert!(!folder.names().contains(&"none.parquet".to_owned()));
}

/// Returns the file with another claimed number of bytes of text.
pub(crate) fn with_text_bytes(bytes: &[u8], claim: impl Fn(i64) -> Option<i64>) -> Vec<u8> {
    use parquet::file::metadata::{ParquetMetaDataReader, ParquetMetaDataWriter, RowGroupMetaData};
    let file = bytes::Bytes::copy_from_slice(bytes);
    let mut metadata = ParquetMetaDataReader::new().parse_and_finish(&file).unwrap().into_builder();
    let changed = |group: RowGroupMetaData| {
        let columns = group.columns().iter().map(|column| {
            let known = column.unencoded_byte_array_data_bytes();
            column.clone().into_builder().set_unencoded_byte_array_data_bytes(known.and_then(&claim)).build().unwrap()
        });
        let columns = columns.collect();
        group.into_builder().set_column_metadata(columns).build().unwrap()
    };
    let groups = metadata.take_row_groups().into_iter().map(changed).collect();
    let metadata = metadata.set_row_groups(groups).build();
    let mut changed = bytes.to_vec();
    ParquetMetaDataWriter::new(&mut changed, &metadata).finish().unwrap();
    changed
}

#[test]
fn what_a_file_says_of_its_text_may_be_wrong() {
    let folder = Folder::new();
    let expected = for_parquet(1000);
    let bytes = std::fs::read(written(&folder, &expected, 300)).unwrap();
    let claims: [&dyn Fn(i64) -> Option<i64>; 8] = [
        &Some,
        &|_| None,
        &|known| Some(known + 1),
        &|known| Some(known - 1),
        &|_| Some(0),
        &|_| Some(-1),
        &|known| Some(known * 1000),
        &|_| Some(i64::MAX),
    ];
    for (case, claim) in claims.iter().enumerate() {
        let found = ParquetReader::from_bytes(with_text_bytes(&bytes, claim)).unwrap().read().unwrap();
        assert_eq!(found.to_arrow().unwrap(), expected, "claim {case}");
    }
}

fn with_columns(bytes: &[u8], change: impl Fn(&ColumnChunkMetaData) -> ColumnChunkMetaData) -> Vec<u8> {
    let file = bytes::Bytes::copy_from_slice(bytes);
    let mut metadata = ParquetMetaDataReader::new().parse_and_finish(&file).unwrap().into_builder();
    let groups = metadata.take_row_groups().into_iter().map(|group| {
        let columns = group.columns().iter().map(&change).collect();
        group.into_builder().set_column_metadata(columns).build().unwrap()
    });
    let metadata = metadata.set_row_groups(groups.collect()).build();
    let mut changed = bytes.to_vec();
    ParquetMetaDataWriter::new(&mut changed, &metadata).finish().unwrap();
    changed
}

#[test]
fn rows_that_only_row_groups_count_are_read() {
    let folder = Folder::new();
    let expected = for_parquet(60);
    let bytes = std::fs::read(written(&folder, &expected, 25)).unwrap();
    // These bytes are the row count, which is 60, followed by the start of the field of row groups.
    let at = bytes.windows(3).rposition(|field| field == [0x16, 2 * 60, 0x19]).unwrap() + 1;
    for rows in [0, 1, 63] {
        let mut changed = bytes.clone();
        changed[at] = 2 * rows;
        let open = || ParquetReader::from_bytes(changed.clone()).unwrap();
        assert_eq!(open().read().unwrap().to_arrow().unwrap(), expected, "{rows}");
        let batches = collect(open().scan().unwrap());
        assert_eq!(concat_batches(&expected.schema(), &batches).unwrap(), expected, "{rows}");
    }
}

#[test]
fn a_dictionary_at_offset_0_is_where_the_pages_begin() {
    let folder = Folder::new();
    let expected = for_parquet(60);
    let bytes = std::fs::read(written(&folder, &expected, 25)).unwrap();
    let changed = with_columns(&bytes, |column| {
        let column_of = column.clone().into_builder().set_dictionary_page_offset(Some(0));
        column_of.set_data_page_offset(column.byte_range().0 as i64).build().unwrap()
    });
    assert_eq!(ParquetReader::from_bytes(changed).unwrap().read().unwrap().to_arrow().unwrap(), expected);
}

/// Returns the file with sizes that are `less` bytes too small, as if `writer` had not counted the header of each
/// dictionary page.
fn with_less_of_headers(bytes: &[u8], writer: &str, less: i64) -> Vec<u8> {
    let file = bytes::Bytes::copy_from_slice(bytes);
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&file).unwrap();
    let shorter = |column: &ColumnChunkMetaData| {
        let less = if column.dictionary_page_offset().is_some() { less } else { 0 };
        let size = column.compressed_size() - less;
        let column_of = column.clone().into_builder().set_dictionary_page_offset(None);
        column_of.set_total_compressed_size(size).set_data_page_offset(column.byte_range().0 as i64).build().unwrap()
    };
    let groups = metadata.row_groups().iter().map(|group| {
        let columns = group.columns().iter().map(shorter).collect();
        group.clone().into_builder().set_column_metadata(columns).build().unwrap()
    });
    let known = metadata.file_metadata();
    let (rows, schema) = (known.num_rows(), known.schema_descr_ptr());
    let written =
        FileMetaData::new(1, rows, Some(writer.to_owned()), known.key_value_metadata().cloned(), schema, None);
    let changed = ParquetMetaDataBuilder::new(written).set_row_groups(groups.collect()).build();
    // The new footer begins where the pages end.
    let ends = metadata.row_groups().iter().flat_map(|group| group.columns()).map(|column| column.byte_range());
    let end = ends.map(|(start, size)| start + size).max().unwrap();
    let mut bytes = bytes[..end as usize].to_vec();
    ParquetMetaDataWriter::new(&mut bytes, &changed).finish().unwrap();
    bytes
}

#[test]
fn column_chunks_without_the_header_of_their_dictionary_are_read_whole() {
    let folder = Folder::new();
    let bytes = std::fs::read(written(&folder, &for_parquet(60), 25)).unwrap();
    let by = |writer, less| {
        let read = ParquetReader::from_bytes(with_less_of_headers(&bytes, writer, less)).unwrap().read();
        read.map(|found| found.to_arrow().unwrap())
    };
    let expected = by("parquet-mr", 0).unwrap();
    assert_eq!(expected.num_rows(), 60);
    for writer in ["parquet-mr", "parquet-mr version 1.2.8"] {
        assert_eq!(by(writer, 13).unwrap(), expected, "{writer}");
    }
    assert!(matches!(by("parquet-mr version 1.2.9", 13), Err(Error::Malformed { .. })));
}
