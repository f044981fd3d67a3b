//! Tests the sizes of row groups, pages and dictionaries of written Parquet files, and the encodings of their columns.

use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::*;
use arrow_schema::DataType;
use gdf_io::{Batch, Error, ParquetEncoding, ParquetWriter, read_parquet};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, Encoding};
use parquet::column::page::Page;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::{Folder, batch};

/// The rows and bytes that `for_gpu` documents.
const GROUP_ROWS: usize = 1 << 21;
const PAGE_ROWS: usize = 1 << 14;
const PAGE_BYTES: usize = 64 << 10;
const DICTIONARY_BYTES: usize = 128 << 10;

fn table(rows: Range<usize>) -> RecordBatch {
    let price = rows.clone().map(|row| ((row * 7919) % 1_000_003) as i128).collect::<Decimal128Array>();
    let day = rows.clone().map(|row| Some((row % 2526) as i32).filter(|_| row % 10 > 0)).collect::<Date32Array>();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int64Array::from_iter_values(rows.clone().map(|row| row as i64)))),
        ("key", Arc::new(Int64Array::from_iter_values(rows.clone().map(|row| ((row * 31) % 10_000) as i64)))),
        ("price", Arc::new(price.with_precision_and_scale(38, 2).unwrap())),
        ("flag", Arc::new(rows.clone().map(|row| Some(["A", "N", "R"][row % 3])).collect::<StringArray>())),
        ("day", Arc::new(day)),
        ("comment", Arc::new(rows.map(|row| Some(format!("the comment of row {row}"))).collect::<StringArray>())),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Writes a file with the options that `set` sets.
fn written(path: &Path, tables: &[RecordBatch], set: impl FnOnce(ParquetWriter) -> ParquetWriter) {
    let batches: Vec<Batch> = tables.iter().map(batch).collect();
    let mut writer = set(ParquetWriter::new(path, batches[0].schema()));
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
}

fn metadata(path: &Path) -> ParquetMetaData {
    let reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Required);
    reader.parse_and_finish(&File::open(path).unwrap()).unwrap()
}

/// Returns the number of rows of each page of a column chunk, by the offset index.
fn page_rows(metadata: &ParquetMetaData, group: usize, column: usize) -> Vec<usize> {
    let pages = metadata.offset_index().unwrap()[group][column].page_locations();
    let starts = pages.iter().map(|page| page.first_row_index as usize);
    let ends = starts.clone().skip(1).chain([metadata.row_group(group).num_rows() as usize]);
    starts.zip(ends).map(|(start, end)| end - start).collect()
}

/// Returns the encoding and the decompressed bytes of the pages of a column chunk.
fn pages(path: &Path, group: usize, column: usize) -> Vec<(Encoding, usize, bool)> {
    let file = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let mut pages = file.get_row_group(group).unwrap().get_column_page_reader(column).unwrap();
    let page = |page: Page| (page.encoding(), page.buffer().len(), matches!(page, Page::DictionaryPage { .. }));
    std::iter::from_fn(|| pages.get_next_page().unwrap()).map(page).collect()
}

/// Returns the encodings of the data pages of the first row group, without repetitions, and whether it has a dictionary.
fn encodings(path: &Path, column: usize) -> (Vec<Encoding>, bool) {
    let pages = pages(path, 0, column);
    let mut encodings: Vec<Encoding> = pages.iter().filter(|page| !page.2).map(|page| page.0).collect();
    encodings.dedup();
    (encodings, pages.iter().any(|page| page.2))
}

/// Checks that the file reads back as `expected`, by gdf and by arrow-rs.
fn check_read(path: &Path, expected: &[RecordBatch]) {
    let expected = arrow_select::concat::concat_batches(&expected[0].schema(), expected).unwrap();
    assert!(read_parquet(path).unwrap().to_arrow().unwrap() == expected, "gdf reads other rows");
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let found: Vec<RecordBatch> = reader.build().unwrap().collect::<Result<_, _>>().unwrap();
    let found = arrow_select::concat::concat_batches(&found[0].schema(), &found).unwrap();
    assert!(found.columns() == expected.columns(), "arrow-rs reads other rows");
}

#[test]
fn files_for_gpus_have_many_small_pages() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let tables = [table(0..1 << 20), table(1 << 20..GROUP_ROWS + 5)];
    written(&path, &tables, ParquetWriter::for_gpu);
    check_read(&path, &tables);
    let metadata = metadata(&path);
    let groups: Vec<i64> = metadata.row_groups().iter().map(|group| group.num_rows()).collect();
    assert_eq!(groups, [GROUP_ROWS as i64, 5]);
    for (column, chunk) in metadata.row_group(0).columns().iter().enumerate() {
        let name = chunk.column_path().string();
        assert_eq!(chunk.compression(), Compression::SNAPPY, "{name}");
        assert!(chunk.column_index_offset().is_some(), "{name}");
        let rows = page_rows(&metadata, 0, column);
        assert!(rows.len() >= 128 && rows.iter().all(|rows| *rows <= PAGE_ROWS), "{name}: {rows:?}");
        for (_, bytes, is_dictionary) in pages(&path, 0, column) {
            // The last batch before a limit may exceed it, and a page also has levels.
            let most = if is_dictionary { DICTIONARY_BYTES } else { 2 * PAGE_BYTES };
            assert!(bytes <= most + 1024, "{name}: {bytes}");
        }
    }
    // Pages of numbers without nulls end where the row group ends.
    let of_numbers = [PAGE_BYTES / 8, PAGE_ROWS, PAGE_BYTES / 16, PAGE_ROWS];
    for (column, rows) in of_numbers.into_iter().enumerate() {
        let last: Vec<usize> = page_rows(&metadata, 0, column).into_iter().rev().take(100).collect();
        assert_eq!(last, [rows; 100], "{column}");
    }
    let (plain, keys) = (Encoding::PLAIN, Encoding::RLE_DICTIONARY);
    let expected = [vec![keys, plain], vec![keys], vec![plain], vec![keys], vec![keys], vec![keys, plain]];
    for (column, expected) in expected.into_iter().enumerate() {
        assert_eq!(encodings(&path, column).0, expected, "{column}");
    }
    let bytes: usize = tables
        .iter()
        .map(|table| table.column(5).as_any().downcast_ref::<StringArray>().unwrap().value_data().len())
        .sum();
    let sizes = metadata.row_groups().iter().map(|group| group.column(5).unencoded_byte_array_data_bytes().unwrap());
    assert_eq!(sizes.sum::<i64>(), bytes as i64);
}

#[test]
fn sizes_are_options() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let tables = [table(0..30_000)];
    let rows = |column: usize| page_rows(&metadata(&path), 0, column);
    written(&path, &tables, |writer| writer);
    // The limits of a page are tested after each 1,024 rows.
    assert_eq!((rows(0), rows(3)), (vec![20_480, 9_520], vec![20_480, 9_520]));
    assert_eq!(encodings(&path, 0), (vec![Encoding::RLE_DICTIONARY], true));
    written(&path, &tables, |writer| writer.page_rows(100));
    assert_eq!((rows(0), rows(4)), (vec![100; 300], vec![100; 300]));
    check_read(&path, &tables);
    written(&path, &tables, |writer| writer.page_rows(0).page_bytes(0).row_group_bytes(0).dictionary_bytes(1));
    assert_eq!(rows(3)[..3], [1; 3]);
    check_read(&path, &tables);
    written(&path, &tables, |writer| writer.page_bytes(8192).dictionary_bytes(0));
    assert_eq!(rows(0)[..29], [1024; 29]);
    assert_eq!(encodings(&path, 3), (vec![Encoding::PLAIN], false));
    check_read(&path, &tables);
    written(&path, &tables, |writer| writer.dictionary_bytes(80_000));
    assert_eq!(encodings(&path, 0).0, [Encoding::RLE_DICTIONARY, Encoding::PLAIN]);
    written(&path, &tables, |writer| writer.for_gpu().page_rows(1000).row_group_rows(10_000));
    assert_eq!((rows(0), metadata(&path).num_row_groups()), (vec![1000; 10], 3));
}

/// A batch may have more bytes than a row group.
#[test]
fn row_groups_end_at_a_number_of_bytes() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let tables = [table(0..150_000)];
    let rows = || metadata(&path).row_groups().iter().map(|group| group.num_rows()).collect::<Vec<_>>();
    written(&path, &tables, |writer| writer.row_group_bytes(1 << 18));
    assert_eq!(rows(), [1 << 16, 1 << 16, 150_000 - (1 << 17)]);
    check_read(&path, &tables);
    written(&path, &tables, |writer| writer.row_group_bytes(1 << 30));
    assert_eq!(rows(), [150_000]);
}

#[test]
fn columns_have_encodings_and_bloom_filters() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    // The columns of the file are counted by their values, so those behind a struct have other numbers there.
    let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(0..100));
    let pair = StructArray::try_from(vec![("a", numbers.clone()), ("b", numbers)]).unwrap();
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>((0..100).map(|row| Some(vec![Some(row), None])));
    let mut columns: Vec<(&str, ArrayRef)> = vec![("pair", Arc::new(pair))];
    let flat = table(0..100);
    columns.extend(flat.schema_ref().fields().iter().map(|field| field.name().as_str()).zip(flat.columns().to_vec()));
    columns.push(("list", Arc::new(list)));
    let tables = [RecordBatch::try_from_iter(columns).unwrap()];
    written(&path, &tables, |writer| {
        writer
            .encoding("pair", ParquetEncoding::Plain)
            .encoding("id", ParquetEncoding::DeltaBinaryPacked)
            .encoding("key", ParquetEncoding::Plain)
            .encoding("price", ParquetEncoding::ByteStreamSplit)
            .encoding("flag", ParquetEncoding::DeltaByteArray)
            .encoding("day", ParquetEncoding::Dictionary)
            .encoding("comment", ParquetEncoding::DeltaLengthByteArray)
            .encoding("list", ParquetEncoding::DeltaBinaryPacked)
            .bloom_filters(["key", "list"])
    });
    let expected = [
        (Encoding::PLAIN, false),
        (Encoding::PLAIN, false),
        (Encoding::DELTA_BINARY_PACKED, false),
        (Encoding::PLAIN, false),
        (Encoding::BYTE_STREAM_SPLIT, false),
        (Encoding::DELTA_BYTE_ARRAY, false),
        (Encoding::RLE_DICTIONARY, true),
        (Encoding::DELTA_LENGTH_BYTE_ARRAY, false),
        (Encoding::DELTA_BINARY_PACKED, false),
    ];
    let metadata = metadata(&path);
    for (column, (encoding, has_dictionary)) in expected.into_iter().enumerate() {
        assert_eq!(encodings(&path, column), (vec![encoding], has_dictionary), "{column}");
        let has_filter = metadata.row_group(0).column(column).bloom_filter_offset().is_some();
        assert_eq!(has_filter, [3, 8].contains(&column), "{column}");
    }
    check_read(&path, &tables);
}

#[test]
fn an_encoding_must_suit_its_column() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let error = |set: fn(ParquetWriter) -> ParquetWriter| {
        let of_writer = || set(ParquetWriter::new(&path, batch(&table(0..3)).schema()));
        let error = of_writer().write(&batch(&table(0..3))).unwrap_err();
        assert_eq!(of_writer().finish().unwrap_err().to_string(), error.to_string());
        assert!(folder.names().is_empty());
        error
    };
    let refused = error(|writer| writer.encoding("flag", ParquetEncoding::DeltaBinaryPacked));
    assert_eq!(
        refused.to_string(),
        "Parquet cannot encode column flag of type Utf8 as DeltaBinaryPacked; choose one of these encodings: Dictionary, \
         Plain, DeltaLengthByteArray, DeltaByteArray"
    );
    let refused = error(|writer| writer.encoding("id", ParquetEncoding::DeltaByteArray));
    let Error::Encoding { column, data_type, suitable, .. } = refused else { panic!("{refused}") };
    assert_eq!((&*column, data_type), ("id", DataType::Int64));
    assert_eq!(suitable, ["Dictionary", "Plain", "DeltaBinaryPacked", "ByteStreamSplit"]);
    let unknown = error(|writer| writer.encoding("town", ParquetEncoding::Plain));
    assert!(matches!(&unknown, Error::NoColumn { column, .. } if column == "town"), "{unknown}");
    let unknown = error(|writer| writer.bloom_filters(["id", "town"]));
    assert!(unknown.to_string().contains("existing columns: id, key"), "{unknown}");
}
