//! Columns of written files are decoded as a GPU does it, on the CPU.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Decimal128Array, FixedSizeBinaryArray, FixedSizeListArray,
    Float16Array, Float64Array, Int8Array, Int64Array, ListArray, RecordBatch, StringArray,
};
use arrow_select::filter::filter_record_batch;
use gdf_driver::Device;
use gdf_driver::test_hooks::test_device;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{WriterProperties, WriterVersion};

use super::*;
use crate::Predicate;
use crate::options::{Columns, Options};
use crate::parquet::Source;

mod damaged;

const ROWS: usize = 5_000;

/// What the pages of a file have.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Plain,
    Dictionaries,
    /// Differences, prefixes, streams and runs.
    Others,
}

fn table() -> RecordBatch {
    let rows = || 0..ROWS;
    let some = |row: usize| !row.is_multiple_of(7) && !(1_000..2_100).contains(&row);
    let decimals = rows().map(|row| Some(row as i128 % 50 - 20)).collect::<Decimal128Array>();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("number", Arc::new(rows().map(|row| Some(row as i64 % 90).filter(|_| some(row))).collect::<Int64Array>())),
        ("small", Arc::new(rows().map(|row| Some(row as i8)).collect::<Int8Array>())),
        ("day", Arc::new(rows().map(|row| Some(row as i32 / 9).filter(|_| some(row))).collect::<Date32Array>())),
        ("float", Arc::new(rows().map(|row| row as f64 / 3.0).collect::<Float64Array>())),
        ("price", Arc::new(decimals.with_precision_and_scale(12, 2).unwrap())),
        ("text", Arc::new(rows().map(|row| Some("long ".repeat(40) + &row.to_string())).collect::<StringArray>())),
        ("flag", Arc::new(rows().map(|row| Some(row % 5 < 2).filter(|_| some(row))).collect::<BooleanArray>())),
        ("on", Arc::new(rows().map(|row| Some(row % 900 > 7)).collect::<BooleanArray>())),
        ("half", Arc::new(rows().map(|row| Some(half::f16::from_f32(row as f32))).collect::<Float16Array>())),
        (
            "kind",
            Arc::new(rows().map(|row| Some("tüb".repeat(row % 9)).filter(|_| some(row))).collect::<StringArray>()),
        ),
        (
            "name",
            Arc::new(
                rows().map(|row| Some(format!("größe {}", row / 3)).filter(|_| some(row))).collect::<StringArray>(),
            ),
        ),
        ("code", Arc::new(FixedSizeBinaryArray::try_from_iter(rows().map(|row| format!("code {row:07}"))).unwrap())),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// The properties that a file is written with.
#[derive(Clone, Copy, Debug)]
struct Layout {
    codec: Compression,
    version: WriterVersion,
    form: Form,
    /// The number of rows of row groups.
    group: usize,
    /// The number of rows of pages.
    page: usize,
    /// The number of bytes of dictionaries, behind which pages have none.
    dictionary: usize,
}

/// Returns layouts with each codec, version and form.
fn layouts(group: usize, page: usize, dictionary: usize) -> Vec<Layout> {
    use Compression::{BROTLI, GZIP, LZ4, LZ4_RAW, SNAPPY, UNCOMPRESSED, ZSTD};

    let mut layouts = Vec::new();
    let of_cpu = [ZSTD(Default::default()), GZIP(Default::default()), BROTLI(Default::default())];
    for codec in [SNAPPY, LZ4_RAW, LZ4, UNCOMPRESSED].into_iter().chain(of_cpu) {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for form in [Form::Plain, Form::Dictionaries, Form::Others] {
                layouts.push(Layout { codec, version, form, group, page, dictionary });
            }
        }
    }
    layouts
}

fn written(table: &RecordBatch, layout: Layout) -> Vec<u8> {
    let Layout { codec, version, form, group, page, dictionary } = layout;
    let mut properties = WriterProperties::builder()
        .set_writer_version(version)
        .set_dictionary_enabled(form == Form::Dictionaries)
        .set_encoding(Encoding::PLAIN)
        .set_compression(codec)
        // The pages of this column are copied as they are, whatever the codec of the column behind it.
        .set_column_compression("small".into(), Compression::SNAPPY)
        .set_dictionary_page_size_limit(dictionary)
        .set_max_row_group_row_count(Some(group))
        .set_data_page_row_count_limit(page)
        .set_write_batch_size(page.div_ceil(3));
    if form == Form::Others {
        for (column, encoding) in [
            ("number", Encoding::DELTA_BINARY_PACKED),
            ("small", Encoding::DELTA_BINARY_PACKED),
            ("day", Encoding::BYTE_STREAM_SPLIT),
            ("float", Encoding::BYTE_STREAM_SPLIT),
            ("price", Encoding::DELTA_BINARY_PACKED),
            ("text", Encoding::DELTA_LENGTH_BYTE_ARRAY),
            ("flag", Encoding::RLE),
            ("half", Encoding::BYTE_STREAM_SPLIT),
            ("kind", Encoding::DELTA_LENGTH_BYTE_ARRAY),
            ("name", Encoding::DELTA_BYTE_ARRAY),
            ("code", Encoding::DELTA_BYTE_ARRAY),
            ("numbers.list.item", Encoding::DELTA_BINARY_PACKED),
            ("words.list.item.list.item", Encoding::DELTA_LENGTH_BYTE_ARRAY),
            ("people.list.item.id", Encoding::BYTE_STREAM_SPLIT),
            ("people.list.item.name", Encoding::DELTA_BYTE_ARRAY),
            ("person.tags.list.item", Encoding::DELTA_BYTE_ARRAY),
            ("counts.entries.keys", Encoding::DELTA_LENGTH_BYTE_ARRAY),
        ] {
            let path: Vec<String> = column.split('.').map(str::to_owned).collect();
            properties = properties.set_column_encoding(path.into(), encoding);
        }
    }
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, table.schema(), Some(properties.build())).unwrap();
    writer.write(table).unwrap();
    writer.close().unwrap();
    bytes
}

fn files() -> impl Iterator<Item = Vec<u8>> {
    layouts(1_700, 300, 20_000).into_iter().map(|layout| written(&table(), layout))
}

fn plan(bytes: Vec<u8>, options: &Options) -> Plan {
    let file = ParquetFile::of_source(Path::new("test"), Source::of_bytes(bytes.into())).unwrap();
    Plan::new(vec![file], &[], options).unwrap()
}

/// Returns the CPU, and the GPU of the test run.
fn devices() -> Vec<Device> {
    let gpu = Some(test_device()).filter(|device| device.is_cuda());
    [Device::Cpu].into_iter().chain(gpu).collect()
}

/// Decodes all columns as a GPU does.
fn all_columns(plan: &Plan) -> Vec<Result<Column, Refusal>> {
    let columns: Vec<&PlanColumn> = plan.columns.iter().collect();
    let mut all = Vec::new();
    let mut finish = |_: &[Unit], found| {
        all = found;
        Ok(())
    };
    let parts = [plan.units.as_slice()];
    Target::run("test", None, |target| plan.read_on_device(&columns, &parts, target, &mut finish)).unwrap();
    all
}

#[test]
fn pages_of_all_columns_are_decoded_together() {
    for bytes in files() {
        let plan = plan(bytes, &Options::default());
        let found = all_columns(&plan);
        assert_eq!(plan.given_up.load(Ordering::Relaxed), 0);
        for (column, (expected, field)) in found.iter().zip(table().columns().iter().zip(table().schema().fields())) {
            match (column, field.name().as_str()) {
                (Ok(column), _) => assert_eq!(&column.to_array().unwrap(), expected, "{}", field.name()),
                (Err(refusal), name) => panic!("{name} was not decoded: {refusal}"),
            }
        }
    }
}

/// Returns lists, structs and maps of different depths, in which some are null and some are empty.
fn nested() -> RecordBatch {
    use arrow_array::builder::{
        Int32Builder, Int64Builder, LargeListBuilder, ListBuilder, MapBuilder, StringBuilder, StructBuilder,
    };
    use arrow_schema::{DataType, Field, Fields};

    let mut numbers = ListBuilder::new(Int64Builder::new());
    let mut words = LargeListBuilder::new(ListBuilder::new(StringBuilder::new()));
    let fields = Fields::from(vec![
        Field::new("id", DataType::Int32, true),
        Field::new("name", DataType::Utf8, true),
        Field::new_list("tags", Field::new_list_field(DataType::Utf8, true), true),
    ]);
    let mut people = ListBuilder::new(StructBuilder::from_fields(fields.clone(), ROWS));
    let mut person = StructBuilder::from_fields(fields, ROWS);
    let mut counts = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    let fill = |builder: &mut StructBuilder, row: usize| {
        let is_valid = !row.is_multiple_of(5);
        builder
            .field_builder::<Int32Builder>(0)
            .unwrap()
            .append_option(Some(row as i32).filter(|row| is_valid && row % 3 > 0));
        builder
            .field_builder::<StringBuilder>(1)
            .unwrap()
            .append_option(is_valid.then(|| format!("name {}", row % 40)));
        let tags = builder.field_builder::<ListBuilder<Box<dyn arrow_array::builder::ArrayBuilder>>>(2).unwrap();
        for tag in 0..if is_valid { row % 4 } else { 0 } {
            let texts = tags.values().as_any_mut().downcast_mut::<StringBuilder>().unwrap();
            texts.append_option(Some("tag".repeat(tag)).filter(|_| !(row + tag).is_multiple_of(7)));
        }
        tags.append(is_valid && !row.is_multiple_of(11));
        builder.append(is_valid);
    };
    for row in 0..ROWS {
        (0..row % 6).for_each(|at| {
            numbers.values().append_option(Some((row * at) as i64).filter(|number| number % 4 > 0));
        });
        numbers.append(!row.is_multiple_of(6) || row.is_multiple_of(12));
        for list in 0..row % 3 {
            (0..list * 2).for_each(|at| words.values().values().append_value("w".repeat(at + row % 9)));
            words.values().append(list > 0 || row.is_multiple_of(2));
        }
        words.append(!row.is_multiple_of(9));
        (0..row % 4).for_each(|at| fill(people.values(), row + at));
        people.append(!row.is_multiple_of(4) || row.is_multiple_of(8));
        fill(&mut person, row);
        for at in 0..row % 3 {
            counts.keys().append_value(format!("key {at}"));
            counts.values().append_option(Some(row as i32).filter(|_| at == 0));
        }
        counts.append(!row.is_multiple_of(10)).unwrap();
    }
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("numbers", Arc::new(numbers.finish())),
        ("words", Arc::new(words.finish())),
        ("people", Arc::new(people.finish())),
        ("person", Arc::new(person.finish())),
        ("counts", Arc::new(counts.finish())),
        ("id", Arc::new((0..ROWS as i64).collect::<Int64Array>())),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

#[test]
fn lists_and_structs_are_decoded() {
    let expected = nested();
    for layout in layouts(1_700, 300, 2_000) {
        let plan = plan(written(&expected, layout), &Options::default());
        let found = all_columns(&plan);
        assert_eq!(plan.given_up.load(Ordering::Relaxed), 0, "{layout:?}");
        for ((found, expected), field) in found.iter().zip(expected.columns()).zip(expected.schema().fields()) {
            let found = found.as_ref().unwrap_or_else(|refusal| panic!("{}: {refusal}, {layout:?}", field.name()));
            assert_eq!(&found.to_array().unwrap(), expected, "{}: {layout:?}", field.name());
        }
    }
}

#[test]
fn files_of_other_writers_are_decoded() {
    use arrow_schema::TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};

    for (name, decoded) in
        [("plain", 17), ("dictionary_v1", 17), ("dictionary_v2", 17), ("delta", 5), ("delta_length", 3), ("int96", 1)]
    {
        let path = format!("{}/tests/data/pyarrow_{name}.parquet", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(&path).unwrap();
        for unit in [Nanosecond, Microsecond, Millisecond, Second] {
            let file = ParquetFile::of_source(Path::new(&path), Source::of_bytes(bytes.clone().into())).unwrap();
            let file = file.with_int96_unit(unit).unwrap();
            let plan = Plan::new(vec![file], &[], &Options::default()).unwrap();
            let found = all_columns(&plan);
            let expected = Target::run("test", None, |target| plan.read(target)).unwrap();
            assert_eq!(plan.given_up.load(Ordering::Relaxed), 0, "{name}");
            assert_eq!(found.iter().flatten().count(), decoded, "{name}");
            for (found, expected) in found.iter().zip(expected.table().columns()) {
                let Ok(found) = found else { continue };
                assert_eq!(&found.to_array().unwrap(), &expected.to_array().unwrap(), "{name} {unit:?}");
            }
        }
    }
}

/// Returns the rows that a predicate selects, as a GPU reads them on a device.
fn filtered(plan: &Plan, parts: &[&[Unit]], device: Device) -> Option<Table> {
    let read = |target: Target<'_>| {
        let tables = plan.filtered_on_device(parts, target)?;
        tables.map(|tables| target.joined(tables)).transpose().map_err(Error::from)
    };
    Target::run("test", Some(device), read).unwrap()
}

#[test]
fn lists_and_structs_are_filtered() {
    let pairs = (0..ROWS as i32).map(|row| (row % 8 > 0).then(|| vec![Some(row), Some(-row).filter(|_| row % 3 > 0)]));
    let pairs: ArrayRef = Arc::new(FixedSizeListArray::from_iter_primitive::<Int32Type, _, _>(pairs, 2));
    let even: ArrayRef = Arc::new((0..ROWS as i64).map(|row| row * 7 % 1_000 * 2).collect::<Int64Array>());
    let (nested, schema) = (nested(), nested().schema());
    let names = schema.fields().iter().map(|field| field.name().as_str());
    // The CPU decodes lists of a fixed size, and the GPU filters them.
    let more = [("pairs", pairs), ("even", even)];
    let all = RecordBatch::try_from_iter(names.zip(nested.columns().to_vec()).chain(more)).unwrap();
    type Passes = fn(usize) -> bool;
    let conditions: [(Predicate, Passes); 5] = [
        (Predicate::lt("id", 1_800), |row| row < 1_800),
        (Predicate::is_in("id", (0..ROWS as i64).step_by(3)), |row| row.is_multiple_of(3)),
        (Predicate::ge("even", 40).and(Predicate::ne("id", 3_399)), |row| row * 7 % 1_000 >= 20 && row != 3_399),
        (Predicate::eq("even", 999), |_| false),
        (Predicate::ge("id", 0), |_| true),
    ];
    for layout in layouts(1_700, 300, 2_000).into_iter().filter(|layout| layout.codec == Compression::SNAPPY) {
        let bytes = written(&all, layout);
        for (predicate, passes) in &conditions {
            let mask: BooleanArray = (0..ROWS).map(|row| Some(passes(row))).collect();
            let expected = filter_record_batch(&all, &mask).unwrap();
            for columns in [Columns::All, Columns::Numbered(vec![4, 0])] {
                let numbers = match &columns {
                    Columns::Numbered(numbers) => numbers.clone(),
                    _ => (0..all.num_columns()).collect(),
                };
                let check = |found: &Table, how: &str| {
                    assert_eq!(found.num_rows(), expected.num_rows(), "{predicate}, {layout:?}, {how}");
                    for (found, number) in found.columns().iter().zip(&numbers) {
                        let (found, name) =
                            (found.to_array().unwrap(), expected.schema().field(*number).name().clone());
                        assert_eq!(&found, expected.column(*number), "{name}: {predicate}, {layout:?}, {how}");
                        found.to_data().validate_full().unwrap();
                    }
                };
                let options = Options { predicate: Some(predicate.clone()), columns, ..Options::default() };
                let plan = plan(bytes.clone(), &options);
                let parts: Vec<&[Unit]> = plan.units.chunks(2).collect();
                for device in devices() {
                    check(&filtered(&plan, &parts, device).unwrap(), "as a GPU does it");
                    let read = Target::run("test", Some(device), |target| plan.read(target)).unwrap();
                    check(read.table(), &format!("on {device}"));
                }
            }
        }
    }
}

/// The rows that pass may fit in offsets of 32 bits although the rows of the row group do not.
#[test]
fn row_groups_with_too_many_elements_are_filtered_first() {
    let lists = (0..400).map(|row| Some((0..600).map(move |at| Some(row * at))));
    let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists));
    let id: ArrayRef = Arc::new((0..400).collect::<Int64Array>());
    let all = RecordBatch::try_from_iter([("lists", lists), ("id", id)]).unwrap();
    let options = Options { predicate: Some(Predicate::is_in("id", [3, 17, 150, 200, 399])), ..Options::default() };
    let mask: BooleanArray = (0..400).map(|row| Some([3, 17, 150, 200, 399].contains(&row))).collect();
    let expected = filter_record_batch(&all, &mask).unwrap();
    // A row group of 400 rows has too many elements. Two of 200 rows have, together.
    for (group, is_masked, pieces) in [(400, false, 1), (200, true, 2), (100, true, 2)] {
        let layout = Layout { group, ..layouts(0, 100, 2_000)[0] };
        let plan = plan(written(&all, layout), &options);
        assert_eq!((plan.is_masked(), plan.pieces(usize::MAX).len()), (is_masked, pieces), "{group}");
        for device in devices() {
            assert_eq!(filtered(&plan, &[&plan.units], device).is_some(), is_masked, "{group}");
            let read = Target::run("test", Some(device), |target| plan.read(target)).unwrap();
            assert_eq!(read.to_arrow().unwrap().columns(), expected.columns(), "{group} on {device}");
        }
    }
}

#[test]
fn predicates_are_tested_after_all_rows_are_decoded() {
    let few = Predicate::is_in("number", (0..40).step_by(3)).and(Predicate::gt("price", 0.05));
    let predicates = [
        Predicate::lt("day", "1970-02-01"),
        few.clone().or(Predicate::is_null("number")),
        few.or(Predicate::eq("float", 2.0)),
        Predicate::is_in("small", [1, 2, 3, 4, 5, 6]).and(Predicate::is_in("small", [5, 6, 7, 8, 9, 10])),
        Predicate::is_in("day", Vec::<i64>::new()).and(Predicate::gt("float", 1.0)),
    ];
    for bytes in files() {
        for predicate in &predicates {
            for columns in [Columns::All, Columns::Numbered(vec![5, 1]), Columns::Numbered(Vec::new())] {
                let options = Options { predicate: Some(predicate.clone()), columns, ..Options::default() };
                let plan = plan(bytes.clone(), &options);
                let read = || Target::run("test", None, |target| plan.read(target)).unwrap();
                let middle = plan.units.len() / 2;
                let parts: Vec<&[Unit]> = match middle {
                    0 => vec![&plan.units],
                    middle => vec![&plan.units[..middle], &plan.units[middle..]],
                };
                let found = Target::run("test", None, |target| {
                    plan.filtered_on_device(&parts, target)?
                        .map(|tables| target.joined(tables))
                        .transpose()
                        .map_err(Error::from)
                });
                let Some(found) = found.unwrap() else {
                    assert!(plan.units.is_empty(), "{predicate}");
                    continue;
                };
                let expected = read();
                assert_eq!(found.num_rows(), expected.num_rows(), "{predicate}");
                for (found, expected) in found.columns().iter().zip(expected.table().columns()) {
                    assert_eq!(&found.to_array().unwrap(), &expected.to_array().unwrap(), "{predicate}");
                }
            }
        }
    }
}
