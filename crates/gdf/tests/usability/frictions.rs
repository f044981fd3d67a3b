//! Tests that the twenty frictions of `docs/usability.md`, and the frictions of its section about a second look, are
//! gone.

use std::sync::Arc;

use gdf::arrow::array::ffi_stream::FFI_ArrowArrayStream;
use gdf::arrow::array::{
    ArrayRef, FixedSizeListArray, Int32Array, ListArray, ListViewArray, RecordBatch, RunArray, StructArray, UnionArray,
};
use gdf::arrow::buffer::OffsetBuffer;
use gdf::arrow::schema::Field;
use gdf::frame::{DuplicateKeepOption, Frame, Join, all, col, len};
use gdf::interop::from_foreign_stream;
use gdf::memory::{HostResource, Resource};
use gdf::prelude::*;
use gdf::types::TimeUnit;
use gdf::{binaryop, datetime, dictionary, join, reduction, scope, sorting, stream_compaction, strings, unary};

fn page(name: &str) -> Option<String> {
    std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)).ok()
}

#[test]
fn friction_01_the_first_example_needs_no_other_crate() -> gdf::Result<()> {
    let numbers: ArrayRef = std::sync::Arc::new(Int32Array::from(vec![1, 2, 3]));
    let table = Table::from_batch(&RecordBatch::try_from_iter([("x", numbers)])?)?;
    let kept = gdf::stream_compaction::apply_boolean_mask(&table, &binaryop::gt(table.column(0)?, 1)?)?;
    assert_eq!(kept.num_rows(), 2);
    Ok(())
}

#[test]
fn friction_02_examples_name_gdf_alone() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let uses = text.lines().filter(|line| line.starts_with("use "));
        let foreign = uses.filter(|line| ["gdf_", "arrow"].iter().any(|name| line["use ".len()..].starts_with(name)));
        assert_eq!(foreign.collect::<Vec<_>>(), [""; 0], "{}", path.display());
    }
}

#[test]
fn friction_03_columns_have_names() -> gdf::Result<()> {
    let frame = Frame::try_new([("k", Column::from_strs(["a", "b"])?), ("x", Column::from_slice(&[1, 2])?)])?;
    let sums = frame.join(&frame, Join::inner(["k"]))?.group_by(["k"]).agg([col("x").sum(), len()])?;
    assert_eq!(sums.names().collect::<Vec<_>>(), ["k", "x", "len"]);
    Ok(())
}

#[test]
fn friction_04_no_stream_and_no_resource() -> gdf::Result<()> {
    let column = Column::from_options(&[Some(1), None])?;
    assert_eq!((column.null_count()?, column.get::<i32>(0)?), (1, Some(1)));
    assert!(column.to_string().contains("null"));
    Ok(())
}

#[test]
fn friction_05_files_are_read_and_written() -> gdf::io::Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let frame = Frame::try_new([("x", Column::from_slice(&[1_i64, 2])?)])?;
    for name in ["x.parquet", "x.csv", "x.json", "x.arrow"] {
        let path = folder.path().join(name);
        let batch = frame.to_batch()?;
        let back = match name {
            "x.parquet" => gdf::io::write_parquet(&batch, &path).and_then(|()| gdf::io::read_parquet(&path))?,
            "x.csv" => gdf::io::write_csv(&batch, &path).and_then(|()| gdf::io::read_csv(&path))?,
            "x.json" => gdf::io::write_json(&batch, &path).and_then(|()| gdf::io::read_json(&path))?,
            _ => gdf::io::write_ipc(&batch, &path).and_then(|()| gdf::io::read_ipc(&path))?,
        };
        assert_eq!(Frame::try_from(back)?.to_string(), frame.to_string(), "{name}");
    }
    Ok(())
}

#[test]
fn friction_06_several_operators_are_one_expression() -> gdf::Result<()> {
    let frame = Frame::try_new([("a", Column::from_slice(&[1.5, 2.0])?)])?;
    let found = frame.select([(col("a") * 2 + 1).gt(4).alias("is_large")])?;
    assert_eq!(found.column("is_large")?.to_vec::<bool>()?, [false, true].map(Some));
    Ok(())
}

#[test]
fn friction_07_text() -> gdf::Result<()> {
    let words = Column::from_strs(["tea", "Rice"])?;
    assert_eq!(strings::to_upper(&words)?.get::<String>(1)?.as_deref(), Some("RICE"));
    let frame = Frame::try_new([("word", words)])?;
    assert_eq!(frame.filter(col("word").str().contains("ea"))?.num_rows(), 1);
    Ok(())
}

#[test]
fn friction_08_dictionaries_and_views_are_keys() -> gdf::Result<()> {
    let words = Column::from_strs(["b", "a", "b"])?;
    for column in [dictionary::encode(&words, &DataType::Int32)?, unary::cast(&words, &DataType::Utf8View)?] {
        let frame = Frame::try_new([("word", column)])?;
        assert_eq!(frame.filter(col("word").eq("b"))?.num_rows(), 2);
        assert_eq!(frame.group_by(["word"]).agg([len()])?.num_rows(), 2);
        assert_eq!(frame.join(&frame, Join::inner(["word"]))?.sort(["word"])?.num_rows(), 5);
        assert_eq!(frame.column("word")?.to_vec::<String>()?.len(), 3);
    }
    Ok(())
}

#[test]
fn friction_09_dates() -> gdf::Result<()> {
    let days = unary::cast(&Column::from_slice(&[19_753, 19_783])?, &DataType::Date32)?;
    assert_eq!(datetime::extract_month(&days)?.len(), 2);
    assert_eq!(datetime::add_calendrical_months(&days, 1)?.len(), 2);
    let seconds = DataType::Timestamp(TimeUnit::Second, None);
    let parsed = strings::to_timestamps(&Column::from_strs(["2024-01-31"])?, &seconds, "%Y-%m-%d")?;
    assert_eq!(datetime::extract_day(&parsed)?.len(), 1);
    let date = chrono::NaiveDate::from_ymd_opt(2024, 2, 1).unwrap();
    let frame = Frame::try_new([("day", days.clone())])?;
    assert_eq!(frame.filter(col("day").lt(date))?.num_rows(), 1);
    assert_eq!(frame.filter(col("day").lt("2024-02-01"))?.num_rows(), 1);
    // Dates cannot be added to durations or to numbers yet.
    let week = Column::from_slice_typed(&[7 * 86_400_i64; 2], &DataType::Duration(TimeUnit::Second))?;
    assert!(binaryop::add(&days, &week).is_err() && binaryop::add(&days, 7).is_err());
    Ok(())
}

/// `tests/foreign` imports batches of another version of arrow-rs, and frames of polars.
#[test]
fn friction_10_batches_of_other_versions() {
    let _ = from_foreign_stream::<FFI_ArrowArrayStream>;
    let (Some(workspace), Some(readme)) = (page("Cargo.toml"), page("README.md")) else { return };
    let major = |manifest: &str, name: &str| {
        let line = manifest.lines().find(|line| line.starts_with(&format!("{name} = "))).unwrap();
        line.split(|c: char| !c.is_ascii_digit()).find(|digits| !digits.is_empty()).unwrap().to_owned()
    };
    assert_eq!(major(&readme, "arrow"), major(&workspace, "arrow-array"));
    assert_ne!(major(&page("tests/foreign/Cargo.toml").unwrap(), "arrow-array"), major(&workspace, "arrow-array"));
}

/// The names that users of other libraries search for.
#[test]
fn friction_11_names_of_other_libraries_are_found() {
    if let Some(functions) = page("docs/guide/functions.md") {
        for name in ["merge_asof", "`cut`", "drop_duplicates", "value_counts", "COALESCE"] {
            assert!(functions.contains(name), "{name}");
        }
        assert!(functions.contains("\n## What is missing\n"));
    }
}

#[test]
fn friction_12_the_readme_says_what_a_build_takes() {
    let (Some(readme), Some(building)) = (page("README.md"), page("docs/guide/building.md")) else { return };
    assert!(readme.contains("(docs/guide/building.md)"));
    // The page's remedies are those that Cargo knows.
    assert!(building.contains("default-features = false") && building.contains("debug = \"line-tables-only\""));
    let manifest = page("crates/gdf/Cargo.toml").unwrap();
    let default = manifest.lines().find(|line| line.starts_with("default = ")).unwrap();
    for feature in ["log", "pretty"] {
        assert!(building.contains(&format!("`{feature}`")) && default.contains(&format!("\"{feature}\"")), "{feature}");
    }
    // What only arrow-cast needed is gone from the libraries of the default features.
    for name in ["gdf", "gdf-api", "gdf-core", "gdf-detail", "gdf-engine", "gdf-compute", "gdf-relational", "gdf-frame"]
    {
        let manifest = page(&format!("crates/{name}/Cargo.toml")).unwrap();
        let needed = manifest.split("\n[").find(|section| section.starts_with("dependencies]")).unwrap();
        assert!(!needed.contains("arrow-cast"), "{name}");
    }
}

#[test]
fn friction_13_printing() -> gdf::Result<()> {
    let frame = Frame::try_new([("x", Column::from_slice(&(0..100_000).collect::<Vec<i32>>())?)])?;
    assert!(frame.to_string().lines().count() < 30);
    assert_eq!((frame.head(3).num_rows(), frame.describe()?.num_rows()), (3, 6));
    Ok(())
}

#[test]
fn friction_14_errors_name_the_call_and_debug_is_text() -> gdf::Result<()> {
    let error = binaryop::add(&Column::from_slice(&[1])?, &Column::from_strs(["a"])?).unwrap_err();
    assert_eq!(error.to_string(), "add: Int32 and Utf8 cannot be combined");
    // If `main` returns an error, Rust prints the error with `{:?}`.
    assert!(format!("{error:?}").starts_with("add: Int32 and Utf8 cannot be combined"));
    Ok(())
}

#[test]
fn friction_15_results_are_tables_with_names() -> gdf::Result<()> {
    let table = Table::try_new(vec![Column::from_slice(&[1, 2])?, Column::from_slice(&[3, 4])?])?;
    let on = join::JoinKeys::new(&[0], &[0]);
    assert_eq!(join::inner(&table, &table, &on)?.num_columns(), 3);
    Ok(())
}

#[test]
fn friction_16_values_are_read() -> gdf::Result<()> {
    let part = Column::from_options(&[Some(1), None, Some(3)])?.slice(1, 2)?;
    assert_eq!(part.to_vec::<i32>()?, [None, Some(3)]);
    // `to_vec` does not change the width of integers, but `cast` does.
    assert!(part.to_vec::<i64>().is_err());
    assert_eq!(unary::cast(&part, &DataType::Int64)?.to_vec::<i64>()?, [None, Some(3)]);
    Ok(())
}

/// Columns of every nested type go through filters, concatenations, joins and sorts by other columns.
#[test]
fn friction_17_lists_are_moved() -> gdf::Result<()> {
    let number = || Arc::new(Int32Array::from(vec![7, 8, 9, 10])) as ArrayRef;
    let field = || Arc::new(Field::new_list_field(DataType::Int32, true));
    let union = [(0, Arc::new(Field::new("n", DataType::Int32, true)))].into_iter().collect();
    let nested: [(&str, ArrayRef); 6] = [
        ("list", Arc::new(ListArray::new(field(), OffsetBuffer::from_lengths([1, 3]), number(), None))),
        ("fixed", Arc::new(FixedSizeListArray::new(field(), 2, number(), None))),
        ("view", Arc::new(ListViewArray::new(field(), vec![0, 1].into(), vec![1, 3].into(), number(), None))),
        ("runs", Arc::new(RunArray::try_new(&Int32Array::from(vec![1, 2]), &number().slice(0, 2)).unwrap())),
        ("union", Arc::new(UnionArray::try_new(union, vec![0, 0].into(), None, vec![number().slice(0, 2)]).unwrap())),
        (
            "struct",
            Arc::new(StructArray::from(vec![(Arc::new(Field::new("n", DataType::Int32, true)), number().slice(0, 2))])),
        ),
    ];
    for (name, array) in nested {
        let frame = Frame::try_new([("id", Column::from_slice(&[1, 2])?), ("of", Column::from_array(&array)?)])?;
        let both = frame.filter(col("id").gt(0))?.concat([&frame])?.join(&frame, Join::inner(["id"]))?;
        let sorted = both.sort([col("id").desc()])?;
        assert_eq!(sorted.column("id")?.to_vec::<i32>()?, [2, 2, 1, 1].map(Some), "{name}");
        // Each row has the values that it had.
        let rows = |frame: &Frame, name: &str| -> gdf::Result<Vec<String>> {
            let column = frame.column(name)?;
            (0..column.len()).map(|row| Ok(column.slice(row, 1)?.to_string())).collect()
        };
        let before = rows(&frame, "of")?;
        assert_ne!(before[0], before[1], "{name}");
        let expected = [1, 1, 0, 0].map(|row: usize| before[row].clone());
        assert_eq!(rows(&sorted, "of")?, expected, "{name}");
        assert_eq!(rows(&sorted, "of_right")?, expected, "{name}");
    }
    Ok(())
}

/// Lists and structs are keys, and functions look into them.
#[test]
fn friction_17_lists_are_keys() -> gdf::Result<()> {
    let offsets = Column::from_slice(&[0, 2, 3, 5])?;
    let lists = gdf::core::make_lists_column(&offsets, Column::from_slice(&[7, 8, 9, 7, 8])?, None)?;
    let frame = Frame::try_new([("id", Column::from_slice(&[1, 2, 3])?), ("of", lists)])?;
    let groups = frame.group_by(["of"]).agg([col("id").sum()])?.sort(["of"])?;
    assert_eq!(groups.column("id")?.to_vec::<i64>()?, [4, 2].map(Some));
    assert_eq!(frame.join(&frame, Join::inner(["of"]))?.num_rows(), 5);
    assert_eq!(frame.explode("of")?.column("of")?.to_vec::<i32>()?, [7, 8, 9, 7, 8].map(Some));
    assert_eq!(frame.select([col("of").list().sum()])?.table().column(0)?.to_vec::<i64>()?, [15, 9, 15].map(Some));
    Ok(())
}

#[test]
fn friction_18_windows_quantiles_and_nulls_last() -> gdf::Result<()> {
    let frame = Frame::try_new([("x", Column::from_options(&[Some(2), None, Some(3)])?)])?;
    let sorted = frame.sort([col("x").desc()])?;
    assert_eq!(sorted.column("x")?.to_vec::<i32>()?, [Some(3), Some(2), None]);
    assert_eq!(frame.top_k(1, [col("x").desc()])?.column("x")?.get(0)?, Some(3));
    assert_eq!(frame.rolling(2).agg([col("x").sum()])?.num_rows(), 3);
    assert_eq!(frame.quantile("x", &[0.5], gdf::frame::Interpolation::Linear)?.column("x")?.get(0)?, Some(2.5));
    assert_eq!(sorting::top_k(frame.column("x")?, 1, sorting::Order::Descending)?.len(), 1);
    Ok(())
}

#[test]
fn friction_19_devices_say_why_they_do_not_work() -> gdf::Result<()> {
    let best = Device::best();
    best.usable()?;
    let sums = scope::with_device(best, || reduction::sum(&Column::from_slice(&[1_i64, 2])?)?.value::<i64>())?;
    assert_eq!(sums, Some(3));
    // The first device that works is the best one, and each device before it says what to do.
    let before = if let Device::Cuda(number) = best { number } else { 1 };
    for number in 0..before {
        let text = Device::Cuda(number).usable().unwrap_err().to_string();
        let remedies = ["install", "feature", "GDF_KERNELS_DIR", "the number of CUDA devices is"];
        assert!(remedies.iter().any(|remedy| text.contains(remedy)), "{text}");
    }
    let text = "gpu".parse::<Device>().unwrap_err().to_string();
    assert!(text.contains("gpu") && text.contains("cuda:N"), "{text}");
    Ok(())
}

#[test]
fn friction_20_a_scope_returns_what_its_closure_returns() -> gdf::Result<()> {
    let resource = Resource::new(HostResource::new());
    let column = scope::with_resource(&resource, || Column::from_slice(&[1, 2]))?;
    assert_eq!(column.len(), 2);
    Ok(())
}

#[test]
fn second_look_short_verbs_of_batches() -> gdf::Result<()> {
    let frame = Frame::try_new([("a", Column::from_slice(&[1, 1])?), ("b", Column::from_slice(&[2, 2])?)])?;
    assert_eq!(frame.distinct(all(), DuplicateKeepOption::Any)?.num_rows(), 1);
    let more = frame.rename([("a", "c")])?.drop("b")?.with([(col("c") * 2).alias("d")])?;
    assert_eq!((more.head(1).num_rows(), more.tail(1).num_rows(), more.num_columns()), (1, 1, 2));
    Ok(())
}

/// Tests the error texts that the second look of `docs/usability.md` lists.
#[test]
fn second_look_texts() -> gdf::Result<()> {
    let text = |error: gdf::Error| error.to_string();
    let cast = unary::cast(&Column::from_strs(["1"])?, &DataType::Int32).unwrap_err();
    let expected = "cast: the conversion from Utf8 to Int32 is not supported; use `strings::to_integers`, \
                    or `str().to_integers` in an expression";
    assert_eq!(text(cast), expected);
    let table = Table::try_new(vec![Column::from_slice(&[1])?, Column::from_slice(&[2])?])?;
    let names = table.to_batch(&["a"] as &[&str]).unwrap_err();
    assert_eq!(text(names), "2 columns but 1 name; pass a name for each column");
    let error = join::inner(&table, &table, &join::JoinKeys::new(&[0], &[])).unwrap_err();
    let expected = "the number of key columns must be in the range from 1 to 32, found 0; pass at least 1 key column";
    assert!(text(error).ends_with(expected));
    let many = Table::try_new(vec![Column::from_slice(&[1, 1])?; 33])?;
    let distinct = |table: &Table| {
        let keys: Vec<usize> = (0..table.num_columns()).collect();
        let keep = stream_compaction::DuplicateKeepOption::First;
        let (nulls, nans) = (join::NullEquality::Equal, stream_compaction::NanEquality::AllEqual);
        stream_compaction::distinct(table, &keys, keep, nulls, nans)
    };
    assert!(text(distinct(&many).unwrap_err()).ends_with("one column of structs, made by `structs::from_columns`"));
    let names: Vec<String> = (0..33).map(|column| column.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let rows = Table::try_new(vec![gdf::structs::from_columns(&many, &names)?])?;
    assert_eq!(distinct(&rows)?.num_rows(), 1);
    // The error of the frame states that the join has no keys.
    let frame = Frame::try_new([("a", Column::from_slice(&[1])?)])?;
    let error = frame.join(&frame, Join::inner([] as [&str; 0])).unwrap_err();
    assert!(text(error).ends_with("the join has no keys; pass at least 1 key, or a condition"));
    Ok(())
}
