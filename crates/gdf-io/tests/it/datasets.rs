//! Tests reads of several files as one: patterns, folders and partitions.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Decimal128Type, Int64Type};
use arrow_array::*;
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, TimeUnit};
use arrow_select::concat::concat_batches;
use gdf_io::{CsvReader, Error, IpcReader, IpcWriter, JsonReader, ParquetReader, Predicate, read_csv, read_json};
use gdf_io::{read_parquet, write_csv, write_ipc, write_json, write_parquet};

use crate::{Folder, batch, collect};

fn numbers(range: std::ops::Range<i64>) -> RecordBatch {
    let n: ArrayRef = Arc::new(Int64Array::from_iter_values(range.clone()));
    let t: ArrayRef = Arc::new(StringArray::from_iter_values(range.map(|n| format!("t{n}"))));
    RecordBatch::try_from_iter([("n", n), ("t", t)]).unwrap()
}

/// Writes files named `year=…/kind=…/part` with the given writer.
fn partitioned(folder: &Folder, extension: &str, write: impl Fn(&gdf_io::Batch, &Path)) -> std::path::PathBuf {
    let parts = [("2025", "a", 0..10), ("2025", "b%20c", 10..15), ("2026", "__HIVE_DEFAULT_PARTITION__", 15..30)];
    for (year, kind, range) in parts {
        let path = folder.path(&format!("d/year={year}/kind={kind}/part.{extension}"));
        write(&batch(&numbers(range)), &path);
    }
    folder.path("d/x").parent().unwrap().to_owned()
}

#[test]
fn several_paths_are_read_one_after_the_other() {
    let folder = Folder::new();
    let check = |found: gdf_io::Result<gdf_io::Batch>| {
        let found = found.unwrap().to_arrow().unwrap();
        assert_eq!(found.column(0).as_primitive::<Int64Type>().values(), &[3, 4, 0, 1, 2, 7]);
    };
    let paths = |extension: &str, write: &dyn Fn(&gdf_io::Batch, &Path)| {
        write(&batch(&numbers(3..5)), &folder.path(&format!("z.{extension}")));
        write(&batch(&numbers(0..3)), &folder.path(&format!("{extension}/a.{extension}")));
        write(&batch(&numbers(7..8)), &folder.path(&format!("{extension}/b.{extension}")));
        [folder.path(&format!("z.{extension}")), folder.path(extension)]
    };
    let found = paths("parquet", &|batch, path| write_parquet(batch, path).unwrap());
    assert_eq!(ParquetReader::open_all(&found).unwrap().num_rows(), 6);
    check(ParquetReader::open_all(&found).unwrap().read());
    check(CsvReader::open_all(paths("csv", &|batch, path| write_csv(batch, path).unwrap())).unwrap().read());
    check(JsonReader::open_all(paths("jsonl", &|batch, path| write_json(batch, path).unwrap())).unwrap().read());
    check(IpcReader::open_all(paths("arrow", &|batch, path| write_ipc(batch, path).unwrap())).unwrap().read());
    assert!(matches!(ParquetReader::open_all([""; 0]), Err(Error::NoFiles { .. })));

    // Each path has its own keys, and all of them have the same ones.
    for year in [2025, 2026] {
        write_csv(&batch(&numbers(0..1)), folder.path(&format!("{year}/year={year}/x.csv"))).unwrap();
    }
    let years = CsvReader::open_all([folder.path("2025"), folder.path("2026")]).unwrap().columns(["year"]).read();
    let years = years.unwrap().to_arrow().unwrap();
    assert_eq!(years.column(0).as_primitive::<Int64Type>().values(), &[2025, 2026]);
    let mixed = CsvReader::open_all([folder.path("2025"), folder.path("z.csv")]).unwrap().read();
    assert!(matches!(mixed, Err(Error::Partitions { .. })), "{mixed:?}");
}

#[test]
fn partitions_are_columns_in_every_format() {
    let folder = Folder::new();
    let check = |found: gdf_io::Batch| {
        let found = found.to_arrow().unwrap();
        let names: Vec<String> = found.schema().fields().iter().map(|field| field.name().clone()).collect();
        assert_eq!(names, ["n", "t", "year", "kind"]);
        assert_eq!(found.column(0).as_primitive::<Int64Type>().values(), &(0..30).collect::<Vec<i64>>()[..]);
        assert_eq!(
            found.column(2).as_primitive::<Int64Type>().values()[9..16],
            [2025, 2025, 2025, 2025, 2025, 2025, 2026]
        );
        let kinds = found.column(3).as_string::<i32>();
        assert_eq!((kinds.value(0), kinds.value(10), kinds.null_count()), ("a", "b c", 15));
    };
    let root = partitioned(&folder, "parquet", |batch, path| write_parquet(batch, path).unwrap());
    check(read_parquet(&root).unwrap());
    check(read_parquet(root.join("**/*.parquet")).unwrap());
    let root = partitioned(&folder, "csv", |batch, path| write_csv(batch, path).unwrap());
    check(CsvReader::open(&root).unwrap().read().unwrap());
    let root = partitioned(&folder, "jsonl", |batch, path| write_json(batch, path).unwrap());
    check(JsonReader::open(&root).unwrap().read().unwrap());
    let root = partitioned(&folder, "arrow", |batch, path| write_ipc(batch, path).unwrap());
    check(IpcReader::open(&root).unwrap().read().unwrap());
    assert_eq!(IpcReader::open(&root).unwrap().columns(["kind"]).read().unwrap().num_rows(), 30);
}

#[test]
fn partitions_in_columns_rows_and_predicates() {
    let folder = Folder::new();
    let root = partitioned(&folder, "parquet", |batch, path| write_parquet(batch, path).unwrap());
    let csv = partitioned(&folder, "csv", |batch, path| write_csv(batch, path).unwrap());
    let predicate = || Predicate::eq("year", 2025).and(Predicate::gt_eq("n", 8)).or(Predicate::is_null("kind"));
    let expected: Vec<i64> = (8..30).collect();
    let n = |batch: &RecordBatch| batch.column(1).as_primitive::<Int64Type>().values().to_vec();
    let columns = ["year", "n"];
    let read = ParquetReader::open(&root).unwrap().columns(columns).predicate(predicate()).read().unwrap();
    assert_eq!(n(&read.to_arrow().unwrap()), expected);
    let scan =
        ParquetReader::open(&root).unwrap().columns(columns).predicate(predicate()).batch_rows(4).scan().unwrap();
    assert_eq!(collect(scan).iter().flat_map(n).collect::<Vec<_>>(), expected);
    let read = CsvReader::open(&csv).unwrap().columns(columns).predicate(predicate()).read().unwrap();
    assert_eq!(n(&read.to_arrow().unwrap()), expected);
    let rows = ParquetReader::open(&root).unwrap().rows(9..16).read().unwrap();
    assert_eq!(rows.num_rows(), 7);
    let only = ParquetReader::open(&root).unwrap().columns(["kind"]).predicate(Predicate::eq("kind", "b c")).read();
    assert_eq!(only.unwrap().num_rows(), 5);
}

#[test]
fn other_files_may_have_more_columns_in_any_order() {
    let folder = Folder::new();
    let (first, second) = (numbers(0..3), numbers(3..5));
    let more: ArrayRef = Arc::new(Date32Array::from(vec![1, 2]));
    let columns = vec![("day", more), ("t", second.column(1).clone()), ("n", second.column(0).clone())];
    let second = RecordBatch::try_from_iter(columns).unwrap();
    for (name, of) in [("a", &first), ("b", &second)] {
        write_parquet(&batch(of), folder.path(&format!("{name}.parquet"))).unwrap();
        write_ipc(&batch(of), folder.path(&format!("{name}.arrow"))).unwrap();
    }
    assert_eq!(read_parquet(folder.path("*.parquet")).unwrap().to_arrow().unwrap(), numbers(0..5));
    let found = IpcReader::open(folder.path("*.arrow")).unwrap().read().unwrap();
    assert_eq!(found.to_arrow().unwrap(), numbers(0..5));
    // The result has the columns of the first file in the order of the paths.
    fs::rename(folder.path("b.parquet"), folder.path("0.parquet")).unwrap();
    let error = read_parquet(folder.path("*.parquet")).unwrap_err();
    assert!(matches!(&error, Error::NoColumn { column, path, .. } if column == "day" && path.ends_with("a.parquet")));
    let days = ParquetReader::open(folder.path("0.parquet")).unwrap().columns(["day"]).read().unwrap();
    assert_eq!(days.to_arrow().unwrap().column(0).as_primitive::<Date32Type>().values(), &[1, 2]);
}

#[test]
fn types_of_all_files_agree() {
    let folder = Folder::new();
    let n: ArrayRef = Arc::new(Float64Array::from(vec![1.0]));
    let other = RecordBatch::try_from_iter([("n", n), ("t", Arc::new(StringArray::from(vec!["x"])) as ArrayRef)]);
    for (name, of) in [("a", &numbers(0..3)), ("b", &other.unwrap())] {
        write_parquet(&batch(of), folder.path(&format!("{name}.parquet"))).unwrap();
        write_ipc(&batch(of), folder.path(&format!("{name}.arrow"))).unwrap();
    }
    for error in [
        read_parquet(folder.path("*.parquet")).unwrap_err(),
        IpcReader::open(folder.path("*.arrow")).unwrap().read().unwrap_err(),
    ] {
        assert!(
            matches!(&error, Error::ColumnType { column, path, .. }
            if column == "n" && path.file_stem().unwrap() == "b"),
            "{error}"
        );
    }
    // A column that is not selected may have different types in the files.
    let reader = ParquetReader::open(folder.path("*.parquet")).unwrap().columns(["t"]);
    assert_eq!(reader.read().unwrap().num_rows(), 4);
}

#[test]
fn decimals_have_the_largest_precision_of_all_files() {
    let folder = Folder::new();
    let decimals = |precision, value: i128| -> ArrayRef {
        Arc::new(Decimal128Array::from(vec![value]).with_precision_and_scale(precision, 2).unwrap())
    };
    let numbers = [123, 100_000_000_000, 1];
    for ((name, precision), number) in [("a", 5), ("b", 20), ("c", 12)].into_iter().zip(numbers) {
        let x = decimals(precision, number);
        let field = Arc::new(Field::new("y", x.data_type().clone(), true));
        let nested: ArrayRef = Arc::new(StructArray::from(vec![(field, x.clone())]));
        let of = batch(&RecordBatch::try_from_iter([("x", x), ("nested", nested)]).unwrap());
        write_parquet(&of, folder.path(&format!("{name}.parquet"))).unwrap();
        write_ipc(&of, folder.path(&format!("{name}.arrow"))).unwrap();
    }
    let widest = DataType::Decimal128(20, 2);
    let of_struct = DataType::Struct(vec![Field::new("y", widest.clone(), true)].into());
    let check = |batches: Vec<RecordBatch>| {
        let values = |array: &ArrayRef| array.as_primitive::<Decimal128Type>().values().to_vec();
        for batch in &batches {
            assert_eq!([batch.column(0).data_type(), batch.column(1).data_type()], [&widest, &of_struct]);
            assert_eq!(values(batch.column(0)), values(batch.column(1).as_struct().column(0)));
        }
        assert_eq!(batches.iter().flat_map(|batch| values(batch.column(0))).collect::<Vec<_>>(), numbers);
    };
    let open = || ParquetReader::open(folder.path("*.parquet")).unwrap();
    for reader in [open(), open().skip_arrow_metadata().unwrap(), open().narrow_decimals().unwrap()] {
        assert_eq!(reader.schema().field(0).data_type(), &widest);
        assert_eq!(reader.schema().field(1).data_type(), &of_struct);
        check(vec![reader.clone().read().unwrap().to_arrow().unwrap()]);
        check(collect(reader.scan().unwrap()));
    }
    assert_eq!(open().predicate(Predicate::gt("x", "1.00")).read().unwrap().num_rows(), 2);
    let open = || IpcReader::open(folder.path("*.arrow")).unwrap();
    check(vec![open().read().unwrap().to_arrow().unwrap()]);
    check(collect(open().scan().unwrap()));
    assert_eq!(open().predicate(Predicate::gt("x", "1.00")).read().unwrap().num_rows(), 2);
}

#[test]
fn decimals_of_batches_get_the_precision_of_the_schema() {
    let of = |precision, value: i128| {
        let x = Decimal128Array::from(vec![value]).with_precision_and_scale(precision, 2).unwrap();
        RecordBatch::try_from_iter([("x", Arc::new(x) as ArrayRef)]).unwrap()
    };
    let (few, many) = (of(5, 123), of(20, 100_000_000_000));
    let found = gdf_io::Batch::from_batches(&many.schema(), vec![few.clone(), many.clone()]).unwrap();
    assert_eq!(found.column("x").unwrap().data_type(), &DataType::Decimal128(20, 2));
    let expected = concat_batches(&many.schema(), [&of(20, 123), &many]).unwrap();
    assert_eq!(found.to_arrow().unwrap(), expected);
    let refused = gdf_io::Batch::from_batches(&few.schema(), vec![many]);
    assert!(matches!(refused, Err(Error::SchemaMismatch { .. })));
}

/// The structs of the second file have the same types of fields, but the names in another order.
#[test]
fn fields_of_structs_are_not_mixed_up() {
    let folder = Folder::new();
    let of = |names: [&str; 2]| {
        let values = [1, 2].map(|value| Arc::new(Int64Array::from(vec![value])) as ArrayRef);
        let fields = names.map(|name| Arc::new(Field::new(name, DataType::Int64, false)));
        let points: ArrayRef = Arc::new(StructArray::from(fields.into_iter().zip(values).collect::<Vec<_>>()));
        batch(&RecordBatch::try_from_iter([("p", points)]).unwrap())
    };
    for (name, names) in [("a", ["x", "y"]), ("b", ["y", "x"])] {
        write_parquet(&of(names), folder.path(&format!("{name}.parquet"))).unwrap();
        write_ipc(&of(names), folder.path(&format!("{name}.arrow"))).unwrap();
    }
    for error in [
        read_parquet(folder.path("*.parquet")).unwrap_err(),
        IpcReader::open(folder.path("*.arrow")).unwrap().read().unwrap_err(),
    ] {
        assert!(
            matches!(&error, Error::ColumnType { column, path, .. }
            if column == "p" && path.file_stem().unwrap() == "b"),
            "{error}"
        );
    }
    let mut writer = IpcWriter::new(folder.path("c.arrow"), of(["x", "y"]).schema());
    assert!(matches!(writer.write(&of(["y", "x"])), Err(Error::SchemaMismatch { .. })));
}

#[test]
fn a_later_file_may_have_nulls() {
    let folder = Folder::new();
    let schema = |nullable| {
        arrow_schema::Schema::new(vec![arrow_schema::Field::new("n", arrow_schema::DataType::Int8, nullable)])
    };
    let first = RecordBatch::try_new(schema(false).into(), vec![Arc::new(Int8Array::from(vec![1]))]).unwrap();
    let second = RecordBatch::try_new(schema(true).into(), vec![Arc::new(Int8Array::from(vec![None]))]).unwrap();
    write_parquet(&batch(&first), folder.path("a.parquet")).unwrap();
    write_parquet(&batch(&second), folder.path("b.parquet")).unwrap();
    let found = read_parquet(folder.path("*.parquet")).unwrap();
    assert!(found.schema().field(0).is_nullable());
    assert_eq!(found.to_arrow().unwrap().column(0).null_count(), 1);
}

/// Returns columns of numbers, lists, structs and maps. All fields but the keys of the maps allow nulls, or none does.
fn of_fields(is_nullable: bool, has_nulls: bool) -> RecordBatch {
    let field = |name: &str, data_type: &DataType| Arc::new(Field::new(name, data_type.clone(), is_nullable));
    let numbers: ArrayRef = Arc::new(Int8Array::from(vec![Some(1), (!has_nulls).then_some(2)]));
    let offsets = || OffsetBuffer::from_lengths([1, 1]);
    let lists: ArrayRef =
        Arc::new(ListArray::new(field("item", numbers.data_type()), offsets(), numbers.clone(), None));
    let fields = vec![field("a", lists.data_type()), field("b", numbers.data_type())];
    let structs = StructArray::new(fields.into(), vec![lists.clone(), numbers.clone()], None);
    let keys: ArrayRef = Arc::new(StringArray::from(vec!["x", "y"]));
    let fields = vec![Arc::new(Field::new("keys", DataType::Utf8, false)), field("values", numbers.data_type())];
    let entries = StructArray::new(fields.into(), vec![keys, numbers.clone()], None);
    let of_entries = Arc::new(Field::new("entries", entries.data_type().clone(), false));
    let maps: ArrayRef = Arc::new(MapArray::new(of_entries, offsets(), entries, None, false));
    let columns = [("n", numbers), ("list", lists), ("struct", Arc::new(structs) as ArrayRef), ("map", maps)];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, is_nullable))).unwrap()
}

#[test]
fn a_field_at_any_level_allows_nulls_if_it_does_in_any_file() {
    for first_has_nulls in [false, true] {
        let folder = Folder::new();
        for (name, has_nulls) in [("a", first_has_nulls), ("b", !first_has_nulls)] {
            let of = batch(&of_fields(has_nulls, has_nulls));
            write_parquet(&of, folder.path(&format!("{name}.parquet"))).unwrap();
            write_ipc(&of, folder.path(&format!("{name}.arrow"))).unwrap();
            let mut stream = IpcWriter::new(folder.path(&format!("{name}.arrows")), of.schema()).stream(true);
            stream.write(&of).unwrap();
            stream.finish().unwrap();
        }
        let parts = [first_has_nulls, !first_has_nulls].map(|has_nulls| of_fields(true, has_nulls));
        let schema = parts[0].schema();
        let expected = concat_batches(&schema, &parts).unwrap();

        let parquet = ParquetReader::open(folder.path("*.parquet")).unwrap();
        assert_eq!(parquet.schema(), schema);
        assert_eq!(parquet.clone().read().unwrap().to_arrow().unwrap(), expected);
        assert_eq!(concat_batches(&schema, &collect(parquet.scan().unwrap())).unwrap(), expected);
        for pattern in ["*.arrow", "*.arrows"] {
            let ipc = IpcReader::open(folder.path(pattern)).unwrap();
            assert_eq!(ipc.clone().read().unwrap().to_arrow().unwrap(), expected, "{pattern}");
            let scan = ipc.clone().scan().unwrap();
            assert_eq!(scan.schema(), &schema, "{pattern}");
            assert_eq!(concat_batches(&schema, &collect(scan)).unwrap(), expected, "{pattern}");
            let last = ipc.columns(["struct", "n"]).predicate(Predicate::is_null("n")).read().unwrap();
            assert_eq!((last.num_rows(), last.num_columns()), (1, 2), "{pattern}");
        }
    }
}

/// A scan comes to a later file only when the rows before it are read.
#[test]
fn a_later_file_that_is_damaged_is_an_error_of_the_iterator() {
    let folder = Folder::new();
    write_ipc(&batch(&numbers(0..3)), folder.path("a.arrow")).unwrap();
    fs::write(folder.path("b.arrow"), "ARROW1").unwrap();
    let mut scan = IpcReader::open(folder.path("*.arrow")).unwrap().scan().unwrap();
    assert_eq!(scan.next().unwrap().unwrap().num_rows(), 3);
    assert!(matches!(scan.next(), Some(Err(Error::Malformed { path, .. })) if path.ends_with("b.arrow")));
}

#[test]
fn hidden_folders_are_no_data() {
    let folder = Folder::new();
    let of = batch(&numbers(0..3));
    let hidden = ["d/_delta_log/checkpoint", "d/_temporary/0/part-1", "d/.tmp/part-2", "d/year=1/_x/part"];
    for name in ["d/part-0"].into_iter().chain(hidden) {
        write_parquet(&of, folder.path(&format!("{name}.parquet"))).unwrap();
        write_csv(&of, folder.path(&format!("{name}.csv"))).unwrap();
    }
    let root = folder.path("d/x").parent().unwrap().to_owned();
    assert_eq!(read_parquet(&root).unwrap().to_arrow().unwrap(), numbers(0..3));
    assert_eq!(CsvReader::open(&root).unwrap().read().unwrap().num_rows(), 3);
    assert_eq!(read_parquet(root.join("**/*.parquet")).unwrap().num_rows(), 3);
}

#[test]
fn only_text_files_are_compressed_as_a_whole() {
    let folder = Folder::new();
    let of = batch(&numbers(0..3));
    for name in ["a.csv.gz", "b.csv"] {
        write_csv(&of, folder.path(name)).unwrap();
    }
    write_json(&of, folder.path("c.jsonl.GZ")).unwrap();
    write_parquet(&of, folder.path("d.parquet")).unwrap();
    write_ipc(&of, folder.path("e.arrow")).unwrap();
    for name in ["old.parquet.gz", "old.arrow.zst", "old.feather.gz"] {
        fs::write(folder.path(name), "not read").unwrap();
    }
    let root = folder.path("d").parent().unwrap().to_owned();
    assert_eq!(CsvReader::open(&root).unwrap().read().unwrap().num_rows(), 6);
    assert_eq!(JsonReader::open(&root).unwrap().read().unwrap().num_rows(), 3);
    assert_eq!(read_parquet(&root).unwrap().to_arrow().unwrap(), numbers(0..3));
    assert_eq!(IpcReader::open(&root).unwrap().read().unwrap().to_arrow().unwrap(), numbers(0..3));
}

#[test]
fn an_iterator_ends_after_an_error() {
    let folder = Folder::new();
    fs::write(folder.path("a.csv"), "n\n1\nx\n").unwrap();
    fs::write(folder.path("b.csv"), "n\n2\n").unwrap();
    let mut scan = CsvReader::open(folder.path("*.csv")).unwrap().types([("n", DataType::Int64)]).scan().unwrap();
    assert!(matches!(scan.next(), Some(Err(Error::Malformed { .. }))));
    assert!(scan.next().is_none());
}

/// Columns that have other types in other files get a type that has the values of all files.
#[test]
fn columns_get_the_common_type_of_all_files() {
    let folder = Folder::new();
    let texts = StringArray::from(vec!["x", "y"]);
    let coded = arrow_cast::cast(&texts, &DataType::Dictionary(DataType::Int8.into(), DataType::Utf8.into())).unwrap();
    let large: ArrayRef = Arc::new(LargeStringArray::from(vec!["x", "z"]));
    let moments = |unit| arrow_cast::cast(&Int64Array::from(vec![1, 2]), &DataType::Timestamp(unit, None)).unwrap();
    let first: Vec<(&str, ArrayRef)> = vec![
        ("n", Arc::new(Int32Array::from(vec![1, 2]))),
        ("f", Arc::new(Float32Array::from(vec![0.5, 1.5]))),
        ("t", coded),
        ("at", moments(TimeUnit::Second)),
    ];
    let second: Vec<(&str, ArrayRef)> = vec![
        ("n", Arc::new(Int64Array::from(vec![3, 1 << 40]))),
        ("f", Arc::new(Float64Array::from(vec![0.1, 2.0]))),
        ("t", large),
        ("at", moments(TimeUnit::Microsecond)),
    ];
    for (name, of) in [("a", first), ("b", second)] {
        let of = batch(&RecordBatch::try_from_iter(of).unwrap());
        write_parquet(&of, folder.path(&format!("{name}.parquet"))).unwrap();
        write_ipc(&of, folder.path(&format!("{name}.arrow"))).unwrap();
    }
    let parquet = || ParquetReader::open(folder.path("*.parquet")).unwrap();
    let ipc = || IpcReader::open(folder.path("*.arrow")).unwrap();
    let check = |found: &RecordBatch| {
        let types: Vec<String> = found.schema().fields().iter().map(|field| field.data_type().to_string()).collect();
        assert_eq!(types, ["Int64", "Float64", "LargeUtf8", "Timestamp(µs)"]);
        assert_eq!(found.column(0).as_ref(), &Int64Array::from(vec![1, 2, 3, 1 << 40]) as &dyn Array);
        assert_eq!(found.column(1).as_ref(), &Float64Array::from(vec![0.5, 1.5, 0.1, 2.0]) as &dyn Array);
        assert_eq!(found.column(2).as_ref(), &LargeStringArray::from(vec!["x", "y", "x", "z"]) as &dyn Array);
        let at = TimestampMicrosecondArray::from(vec![1_000_000, 2_000_000, 1, 2]);
        assert_eq!(found.column(3).as_ref(), &at as &dyn Array);
    };
    check(&parquet().read().unwrap().to_arrow().unwrap());
    check(&ipc().read().unwrap().to_arrow().unwrap());
    for scanned in [collect(parquet().scan().unwrap()), collect(ipc().scan().unwrap())] {
        check(&arrow_select::concat::concat_batches(&scanned[0].schema(), &scanned).unwrap());
    }
    for (predicate, rows) in [
        (Predicate::gt("n", 2), 2),
        (Predicate::eq("n", 1), 1),
        (Predicate::lt("f", 0.2), 1),
        (Predicate::eq("t", "x"), 2),
        (Predicate::neq("t", "x"), 2),
        (Predicate::gt_eq("at", "1970-01-01T00:00:01"), 2),
    ] {
        assert_eq!(parquet().predicate(predicate.clone()).read().unwrap().num_rows(), rows, "{predicate}");
        assert_eq!(ipc().predicate(predicate.clone()).read().unwrap().num_rows(), rows, "{predicate}");
    }
}

#[test]
fn texts_of_all_files_have_a_common_type() {
    let folder = Folder::new();
    for (name, text) in [("a", "n,m,t\n1,1,1\n"), ("b", "n,m,t\n1.5,2,x\n"), ("c", "n,m,t\n,3,2026-01-31\n")] {
        fs::write(folder.path(&format!("{name}.csv")), text).unwrap();
        let lines: Vec<&str> = text.lines().nth(1).unwrap().split(',').collect();
        let member = |text: &str| if text.is_empty() { "null".to_owned() } else { text.to_owned() };
        let text = format!("{{\"n\":{},\"m\":{},\"t\":\"{}\"}}\n", member(lines[0]), lines[1], lines[2]);
        let text = if name == "a" { text.replace("\"1\"", "1") } else { text };
        fs::write(folder.path(&format!("{name}.jsonl")), text).unwrap();
    }
    let csv = read_csv(folder.path("*.csv")).unwrap().to_arrow().unwrap();
    let json = read_json(folder.path("*.jsonl")).unwrap().to_arrow().unwrap();
    for found in [csv, json] {
        assert_eq!(found.column(0).as_ref(), &Float64Array::from(vec![Some(1.0), Some(1.5), None]) as &dyn Array);
        assert_eq!(found.column(1).as_ref(), &Int64Array::from(vec![1, 2, 3]) as &dyn Array);
        assert_eq!(found.column(2).as_ref(), &StringArray::from(vec!["1", "x", "2026-01-31"]) as &dyn Array);
    }
}

/// Folders that give other keys for other files would hide the keys.
#[test]
fn folders_of_other_keys_are_refused() {
    let folder = Folder::new();
    for name in ["odd/k=1", "odd/l=2", "twice/a=1/a=2"] {
        write_parquet(&batch(&numbers(0..2)), folder.path(&format!("{name}/x.parquet"))).unwrap();
    }
    for (name, part) in [("odd", "its keys are l"), ("twice", "the key a occurs twice")] {
        let error = read_parquet(folder.path(name)).unwrap_err();
        assert!(matches!(&error, Error::Partitions { .. }) && error.to_string().contains(part), "{error}");
    }
}

/// The error for types without a common type names both files.
#[test]
fn types_without_a_common_type_are_errors_that_name_both_files() {
    let folder = Folder::new();
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    for (name, column) in [("a", texts), ("b", numbers)] {
        let of = batch(&RecordBatch::try_from_iter([("c", column)]).unwrap());
        write_parquet(&of, folder.path(&format!("{name}.parquet"))).unwrap();
        write_ipc(&of, folder.path(&format!("{name}.arrow"))).unwrap();
    }
    for error in [
        read_parquet(folder.path("*.parquet")).unwrap_err(),
        IpcReader::open(folder.path("*.arrow")).unwrap().read().unwrap_err(),
    ] {
        let text = error.to_string();
        assert!(text.contains("column c") && text.contains("/a.") && text.contains("/b."), "{text}");
    }
}
