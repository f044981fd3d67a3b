//! Nulls of structs, −0.0 and NaN, and decimals, in nodes that gdf runs beside nodes that DataFusion runs.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int8Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Decimal32Array, Decimal64Array, Decimal128Array, Decimal256Array, DictionaryArray,
    Float64Array, Int8Array, Int32Array, Int64Array, MapArray, RecordBatch, StringArray, StructArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer, i256};
use arrow_schema::{DataType, Field, Fields, Schema};
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::catalog::SchemaProvider;
use datafusion::datasource::MemTable;
use datafusion::error::Result;
use datafusion::prelude::SessionContext;
use gdf_datafusion::{Fallback, GdfFiles, GdfFolder, GdfOptions, GdfSession, GdfTable};

use crate::kit::{device, lines, lines_in_order};

/// Returns a session with gdf in which `batch` is the table `t`, resident on the device or of DataFusion.
fn over(batch: &RecordBatch, is_resident: bool) -> SessionContext {
    let ctx = SessionContext::new();
    match is_resident {
        true => {
            let table = GdfTable::from_batches(std::slice::from_ref(batch), device()).unwrap();
            ctx.register_table("t", Arc::new(table)).unwrap();
        }
        false => {
            let table = MemTable::try_new(batch.schema(), vec![vec![batch.clone()]]).unwrap();
            ctx.register_table("t", Arc::new(table)).unwrap();
        }
    }
    ctx.with_gdf(GdfOptions::on(device()).with_fallback(Fallback::Allowed))
}

async fn rows(ctx: &SessionContext, query: &str) -> Result<Vec<RecordBatch>> {
    ctx.sql(query).await?.collect().await
}

async fn text(ctx: &SessionContext, query: &str) -> String {
    match rows(ctx, query).await {
        Ok(found) => lines(&found).join(" "),
        Err(error) => panic!("{query}: {error}"),
    }
}

/// A struct with a required field and a struct below it, whose null rows hide 99.
fn structs() -> RecordBatch {
    let hidden: ArrayRef = Arc::new(Int32Array::from(vec![1, 99, 99, 4]));
    let inner_fields = Fields::from(vec![Field::new("b", DataType::Int32, false)]);
    let nulls = NullBuffer::from(vec![true, true, false, true]);
    let inner = StructArray::try_new(inner_fields.clone(), vec![hidden.clone()], Some(nulls)).unwrap();
    let fields = Fields::from(vec![
        Field::new("a", DataType::Int32, false),
        Field::new("in", DataType::Struct(inner_fields), true),
    ]);
    let nulls = NullBuffer::from(vec![true, false, true, true]);
    let outer = StructArray::try_new(fields.clone(), vec![hidden.clone(), Arc::new(inner)], Some(nulls)).unwrap();
    let entries =
        Fields::from(vec![Field::new("key", DataType::Utf8, false), Field::new("value", DataType::Int32, true)]);
    let keys: ArrayRef = Arc::new(StringArray::from(vec!["k"; 4]));
    let entries = StructArray::try_new(entries, vec![keys, hidden], None).unwrap();
    let entry = Arc::new(Field::new("entries", entries.data_type().clone(), false));
    let nulls = NullBuffer::from(vec![true, false, true, true]);
    let offsets = OffsetBuffer::new(vec![0, 1, 2, 3, 4].into());
    let map = MapArray::try_new(Arc::clone(&entry), offsets, entries, Some(nulls), false).unwrap();
    let schema = Schema::new(vec![
        Field::new("id", DataType::Int32, false),
        Field::new("s", DataType::Struct(fields), true),
        Field::new("m", DataType::Map(entry, false), true),
    ]);
    let ids: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3, 4]));
    RecordBatch::try_new(Arc::new(schema), vec![ids, Arc::new(outer), Arc::new(map)]).unwrap()
}

#[tokio::test]
async fn a_field_of_a_null_struct_is_null() {
    let without_map = structs().project(&[0, 1]).unwrap();
    for (batch, is_resident) in [(structs(), false), (without_map, true)] {
        let ctx = over(&batch, is_resident);
        for (query, expected) in [
            ("SELECT id, get_field(s, 'a') FROM t", "1|1 2|null 3|99 4|4"),
            ("SELECT id, get_field(get_field(s, 'in'), 'b') FROM t", "1|1 2|null 3|null 4|4"),
            ("SELECT id, get_field(s, 'in', 'b') FROM t", "1|1 2|null 3|null 4|4"),
            (
                "SELECT count(get_field(s, 'a')), sum(get_field(get_field(s, 'in'), 'b')), avg(get_field(get_field(s, 'in'), 'b')) FROM t",
                "3|5|2.50000000e0",
            ),
            ("SELECT id FROM t WHERE get_field(get_field(s, 'in'), 'b') IS NULL", "2 3"),
            ("SELECT id FROM t WHERE get_field(s, 'a') = 99", "3"),
            (
                "SELECT get_field(get_field(s, 'in'), 'b') AS b, count(*) FROM t GROUP BY get_field(get_field(s, 'in'), 'b')",
                "1|1 4|1 null|2",
            ),
            ("SELECT get_field(nullif(s, s), 'a') FROM t", "null null null null"),
            ("SELECT id, get_field(CASE WHEN id > 2 THEN s END, 'a') FROM t", "1|null 2|null 3|99 4|4"),
            ("SELECT id FROM t ORDER BY get_field(get_field(s, 'in'), 'b') DESC NULLS LAST LIMIT 2", "1 4"),
        ] {
            assert_eq!(text(&ctx, query).await, expected, "{query}");
        }
    }
    let ctx = over(&structs().project(&[0, 1]).unwrap(), true);
    assert_eq!(text(&ctx, "SELECT * FROM (SELECT unnest(s) FROM t)").await.matches("null").count(), 3);
}

#[tokio::test]
async fn a_null_map_has_no_entries() {
    let ctx = over(&structs(), false);
    for (query, expected) in [("SELECT id, get_field(m, 'k') FROM t", "1|1 2|null 3|99 4|4")] {
        assert_eq!(text(&ctx, query).await, expected, "{query}");
    }
}

#[tokio::test]
async fn hidden_values_of_files_stay_hidden() {
    let folder = tempfile::tempdir().unwrap();
    let batch = structs().project(&[0, 1]).unwrap();
    let rows = gdf_io::Batch::from_arrow(&batch).unwrap();
    let schema = rows.schema().clone();
    let mut arrow = gdf_io::IpcWriter::new(folder.path().join("t.arrow"), &schema);
    arrow.write(&rows).unwrap();
    arrow.finish().unwrap();
    let mut parquet = gdf_io::ParquetWriter::new(folder.path().join("t.parquet"), &schema).row_group_rows(2);
    parquet.write(&rows).unwrap();
    parquet.finish().unwrap();
    for name in ["t.arrow", "t.parquet"] {
        let ctx = SessionContext::new();
        ctx.register_table("t", Arc::new(GdfFiles::open(folder.path().join(name)).unwrap())).unwrap();
        let ctx = ctx.with_gdf(GdfOptions::on(device()));
        for (query, expected) in [
            ("SELECT id, get_field(s, 'a') FROM t", "1|1 2|null 3|99 4|4"),
            ("SELECT id, get_field(s, 'in', 'b') FROM t", "1|1 2|null 3|null 4|4"),
            ("SELECT id, a FROM (SELECT id, unnest(s) FROM t) AS u (id, a, b)", "1|1 2|null 3|99 4|4"),
            ("SELECT avg(get_field(s, 'a')), count(get_field(s, 'a')) FROM t", "3.46666667e1|3"),
        ] {
            assert_eq!(text(&ctx, query).await, expected, "{name}: {query}");
        }
    }
}

#[tokio::test]
async fn equal_names_of_columns_become_different() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.csv");
    std::fs::write(&path, "a,b,a,a_1,a\n1,2,3,4,5\n6,7,8,9,10\n").unwrap();
    let ctx = SessionContext::new();
    ctx.register_table("t", Arc::new(GdfFiles::open(&path).unwrap())).unwrap();
    let ctx = ctx.with_gdf(GdfOptions::on(device()));
    assert_eq!(text(&ctx, "SELECT * FROM t").await, "1|2|3|4|5 6|7|8|9|10");
    assert_eq!(text(&ctx, "SELECT a_2, count(*) FROM t WHERE a = 6 AND a_2 > 5 GROUP BY a_2").await, "8|1");
    let names: Vec<_> =
        rows(&ctx, "SELECT * FROM t").await.unwrap()[0].schema().fields().iter().map(|f| f.name().clone()).collect();
    assert_eq!(names, ["a", "b", "a_2", "a_1", "a_3"]);
}

#[tokio::test]
async fn tables_of_a_folder_are_opened_when_they_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("good.csv", "a\n1\n");
    write("broken.parquet", "no");
    write("two.csv", "a\n1\n");
    write("two.jsonl", "{\"a\":1}\n");
    write("_hidden.csv", "a\n1\n");
    let ctx = SessionContext::new().with_gdf(GdfOptions::on(device()));
    let tables = Arc::new(GdfFolder::open(folder.path()).unwrap());
    assert_eq!(tables.table_names(), ["broken", "good", "two"]);
    ctx.catalog("datafusion").unwrap().register_schema("public", tables).unwrap();
    assert_eq!(text(&ctx, "SELECT 1").await, "1");
    assert_eq!(text(&ctx, "SELECT a FROM good").await, "1");
    let error = async |query: &str| match ctx.sql(query).await {
        Ok(_) => panic!("{query}"),
        Err(error) => error.to_string(),
    };
    assert!(error("SELECT * FROM broken").await.contains("broken.parquet"));
    assert!(error("SELECT * FROM two").await.contains("two.jsonl both have the table name two"));
    rows(&ctx, "CREATE VIEW v AS SELECT a + 1 AS b FROM good").await.unwrap();
    assert_eq!(text(&ctx, "SELECT b FROM v").await, "2");
}

#[tokio::test]
async fn keys_of_dictionaries_number_the_values_of_all_batches() {
    let part = |part: i32| {
        let words: Vec<String> = (0..100).map(|word| format!("w{}", part * 100 + word)).collect();
        let keys = Int8Array::from_iter_values(0..100);
        let values: ArrayRef = Arc::new(StringArray::from(words));
        let dictionary: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::try_new(keys, values).unwrap());
        let flags: ArrayRef = Arc::new(BooleanArray::from(vec![true, false]));
        let flag_keys = Int8Array::from_iter_values((0..100).map(|row| row % 2));
        let flags: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::try_new(flag_keys, flags).unwrap());
        RecordBatch::try_from_iter([("k", dictionary), ("f", flags)]).unwrap()
    };
    let ctx = SessionContext::new();
    let parts = [part(0), part(1), part(2)];
    ctx.register_table("t", Arc::new(GdfTable::from_batches(&parts, device()).unwrap())).unwrap();
    let ctx = ctx.with_gdf(GdfOptions::on(device()));
    let query = "SELECT count(*), count(DISTINCT k) FROM (SELECT k, count(*) FROM t GROUP BY k)";
    assert_eq!(text(&ctx, query).await, "300|300");
    assert_eq!(
        rows(&ctx, "SELECT k FROM t GROUP BY k").await.unwrap().iter().map(RecordBatch::num_rows).sum::<usize>(),
        300
    );
    assert_eq!(text(&ctx, "SELECT f, count(*) FROM t GROUP BY f").await, "false|150 true|150");
    let folder = tempfile::tempdir().unwrap();
    for (at, part) in parts.iter().enumerate() {
        let rows = gdf_io::Batch::from_arrow(part).unwrap();
        let mut file = gdf_io::IpcWriter::new(folder.path().join(format!("{at}.arrow")), &rows.schema().clone());
        file.write(&rows).unwrap();
        file.finish().unwrap();
    }
    let ctx = SessionContext::new();
    ctx.register_table("t", Arc::new(GdfFiles::open(folder.path()).unwrap())).unwrap();
    let ctx = ctx.with_gdf(GdfOptions::on(device()));
    assert_eq!(text(&ctx, query).await, "300|300");
    assert_eq!(text(&ctx, "SELECT f, count(*) FROM t GROUP BY f").await, "false|150 true|150");
    assert_eq!(text(&ctx, "SELECT count(*) FROM (SELECT k, stddev(1) OVER (ORDER BY k) FROM t)").await, "300");
}

fn zeros() -> RecordBatch {
    let minus = -f64::NAN;
    let f = [0.0, -0.0, 0.0, -0.0, f64::NAN, minus, f64::from_bits(0x7ff8_0000_0000_0001), f64::NAN];
    RecordBatch::try_from_iter([
        ("i", Arc::new(Int64Array::from_iter_values(1..=8)) as ArrayRef),
        ("f", Arc::new(Float64Array::from(f.to_vec()))),
        ("v", Arc::new(Float64Array::from(vec![1.0; 8]))),
    ])
    .unwrap()
}

#[tokio::test]
async fn zeros_are_equal_and_nan_are_equal_in_all_nodes() {
    // Moving deviations and medians are functions that gdf does not run.
    let windows = ["count(*)", "stddev(v)", "median(v)"];
    for is_resident in [false, true] {
        let ctx = over(&zeros(), is_resident);
        for other in windows {
            for (query, expected) in [
                ("SELECT i, rank() OVER (ORDER BY f) r, {o} OVER (ORDER BY f) FROM t", vec!["1", "5"]),
                ("SELECT i, count(*) OVER (PARTITION BY f) r, {o} OVER (PARTITION BY f) FROM t", vec!["4"]),
                ("SELECT i, count(*) OVER (PARTITION BY -f) r, {o} OVER (PARTITION BY -f) FROM t", vec!["4"]),
                ("SELECT 0, count(*) r, {o} FROM t GROUP BY f", vec!["4"]),
                ("SELECT 0, count(*) r, {o} FROM t GROUP BY -f", vec!["4"]),
                ("SELECT 0, count(*) r, {o} FROM (SELECT -f AS g, v FROM t) GROUP BY g", vec!["4"]),
                ("SELECT 0, count(DISTINCT f) r, {o} FROM t", vec!["2"]),
                ("SELECT 0, count(DISTINCT f * -1) r, {o} FROM t", vec!["2"]),
                ("SELECT 0, count(*) r, {o} FROM (SELECT DISTINCT f, v FROM t)", vec!["2"]),
                ("SELECT 0, count(*) r, {o} FROM (SELECT a.v FROM t a JOIN t b ON a.f = b.f)", vec!["32"]),
                ("SELECT 0, count(*) r, {o} FROM (SELECT a.v FROM t a JOIN t b ON a.f = -b.f)", vec!["32"]),
                ("SELECT 0, count(*) r, {o} FROM t WHERE f IN (SELECT -f FROM t)", vec!["8"]),
                ("SELECT 0, count(*) r, {o} FROM t WHERE nullif(f, -0e0) IS NULL", vec!["4"]),
                ("SELECT 0, count(CASE f WHEN -0e0 THEN 1 END) r, {o} FROM t", vec!["4"]),
                ("SELECT 0, count(CASE -f WHEN 0e0 THEN 1 END) r, {o} FROM t", vec!["4"]),
                (
                    "SELECT 0, count(*) r, {o} FROM t WHERE f*f IN (-2.5e0, -0e0, 1e10) AND ceil(f) IS DISTINCT FROM v",
                    vec!["4"],
                ),
                ("SELECT 0, count(*) r, {o} FROM t WHERE -f = f", vec!["8"]),
                ("SELECT 0, count(*) r, {o} FROM t WHERE f BETWEEN -0e0 AND -0e0", vec!["4"]),
                ("SELECT 0, count(*) r, {o} FROM t WHERE f IN (0e0, 1e0, 2e0, 3e0, 4e0)", vec!["4"]),
            ] {
                let query = query.replace("{o}", other);
                let found = rows(&ctx, &query).await.unwrap_or_else(|error| panic!("{query}: {error}"));
                let mut ranks: Vec<String> = Vec::new();
                for batch in &found {
                    ranks.extend((0..batch.num_rows()).map(|row| array_value_to_string(batch.column(1), row).unwrap()));
                }
                ranks.sort();
                ranks.dedup();
                assert_eq!(ranks, expected, "resident {is_resident}: {query}");
            }
        }
        assert_eq!(text(&ctx, "SELECT 0e0 IN (-0e0, 0.5e0, 3e0, 4e0), -0e0 = 0e0").await, "true|true");
        // A query that compares nothing returns the bits that are stored.
        let found = rows(&ctx, "SELECT f FROM t LIMIT 2").await.unwrap();
        let value = found[0].column(0).as_primitive::<Float64Type>().value(1);
        assert!(value == 0.0 && value.is_sign_negative());
    }
}

/// Returns the largest decimal of `digits` digits in 40 rows, with the width of `data_type`.
fn largest(data_type: &DataType) -> Option<ArrayRef> {
    let rows = 40;
    Some(match *data_type {
        DataType::Decimal32(precision, scale) => {
            let values = vec![10_i32.checked_pow(precision.into())? - 1; rows];
            Arc::new(Decimal32Array::from(values).with_precision_and_scale(precision, scale).ok()?)
        }
        DataType::Decimal64(precision, scale) => {
            let values = vec![10_i64.checked_pow(precision.into())? - 1; rows];
            Arc::new(Decimal64Array::from(values).with_precision_and_scale(precision, scale).ok()?)
        }
        DataType::Decimal128(precision, scale) => {
            let values = vec![10_i128.checked_pow(precision.into())? - 1; rows];
            Arc::new(Decimal128Array::from(values).with_precision_and_scale(precision, scale).ok()?)
        }
        DataType::Decimal256(precision, scale) => {
            let value = i256::from_i128(10).checked_pow(precision.into())?.checked_sub(i256::ONE)?;
            Arc::new(Decimal256Array::from(vec![value; rows]).with_precision_and_scale(precision, scale).ok()?)
        }
        _ => return None,
    })
}

/// Writes an integer of units of 10⁻ˢ as a decimal.
fn decimal(units: &str, scale: usize) -> String {
    let padded = format!("{units:0>width$}", width = scale + 1);
    let (whole, fraction) = padded.split_at(padded.len() - scale);
    if scale == 0 { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

#[tokio::test]
async fn decimals_are_exact_or_an_error() {
    let types = [
        DataType::Decimal32(9, 2),
        DataType::Decimal32(5, 0),
        DataType::Decimal64(18, 2),
        DataType::Decimal64(12, 6),
        DataType::Decimal128(18, 2),
        DataType::Decimal128(19, 4),
        DataType::Decimal128(28, 2),
        DataType::Decimal128(30, 2),
        DataType::Decimal128(37, 2),
        DataType::Decimal128(38, 0),
        DataType::Decimal128(38, 10),
        DataType::Decimal256(40, 2),
        DataType::Decimal256(75, 3),
        DataType::Decimal256(76, 0),
    ];
    for data_type in types {
        let values = largest(&data_type).unwrap();
        let (precision, scale) = match data_type {
            DataType::Decimal32(precision, scale)
            | DataType::Decimal64(precision, scale)
            | DataType::Decimal128(precision, scale)
            | DataType::Decimal256(precision, scale) => (usize::from(precision), usize::try_from(scale).unwrap()),
            _ => unreachable!(),
        };
        let keys: ArrayRef = Arc::new(Int32Array::from_iter_values(0..40));
        let batch = RecordBatch::try_from_iter([("i", keys), ("d", values)]).unwrap();
        // The largest value is 9…9, so n times the value is n followed by zeros, less n.
        let times = |factor: u32| {
            let nines = "9".repeat(precision);
            let mut carry = 0_u32;
            let mut digits: Vec<u8> = Vec::new();
            for digit in nines.bytes().rev() {
                let product = u32::from(digit - b'0') * factor + carry;
                digits.push(b'0' + (product % 10) as u8);
                carry = product / 10;
            }
            while carry > 0 {
                digits.push(b'0' + (carry % 10) as u8);
                carry /= 10;
            }
            digits.reverse();
            decimal(&String::from_utf8(digits).unwrap(), scale)
        };
        for is_resident in [false, true] {
            let ctx = over(&batch, is_resident);
            for (query, factor) in [
                ("SELECT sum(d) FROM t", 40),
                ("SELECT sum(d), median(i) FROM t", 40),
                ("SELECT sum(d) FROM t GROUP BY i / 100", 40),
                ("SELECT sum(d) FILTER (WHERE i < 30) FROM t", 30),
                ("SELECT max(s) FROM (SELECT i % 1 AS k, sum(d) AS s FROM t GROUP BY ROLLUP (i % 1)) AS r", 40),
                ("SELECT sum(d) OVER (ORDER BY i) AS s FROM t ORDER BY i DESC LIMIT 1", 40),
                ("SELECT sum(d) OVER (ORDER BY i ROWS 2 PRECEDING) AS s FROM t ORDER BY i DESC LIMIT 1", 3),
                (
                    "SELECT sum(d) OVER (ORDER BY i ROWS 2 PRECEDING), stddev(i) OVER (ORDER BY i) FROM t ORDER BY i DESC LIMIT 1",
                    3,
                ),
                ("SELECT max(d + d) FROM t", 2),
                ("SELECT d + d FROM t LIMIT 1", 2),
                ("SELECT d + d, encode(arrow_cast(i, 'Utf8'), 'hex') FROM t LIMIT 1", 2),
                ("SELECT avg(d) FROM t", 1),
                ("SELECT avg(d) OVER (ORDER BY i) FROM t ORDER BY i DESC LIMIT 1", 1),
            ] {
                let found = match rows(&ctx, query).await {
                    Ok(found) => lines_in_order(&found).remove(0),
                    Err(error) => {
                        let what = error.to_string();
                        let is_overflow = what.contains("verflow");
                        let most = if matches!(data_type, DataType::Decimal256(..)) { 76 } else { 38 };
                        let digits = times(factor).replace('.', "").len();
                        let is_wide = digits + if query.contains("avg") { 4 } else { 0 } > most;
                        // The function is not in each build.
                        let is_missing = what.contains("Invalid function") || what.contains("not supported");
                        assert!((is_overflow && is_wide) || is_missing, "{data_type} {is_resident}: {query}: {what}");
                        continue;
                    }
                };
                let found = found.split('|').next().unwrap().to_owned();
                let found = if query.contains("avg") {
                    let cut = if scale == 0 { 5 } else { 4 };
                    found[..found.len() - cut].to_owned()
                } else {
                    found
                };
                assert_eq!(found, times(factor), "{data_type} {is_resident}: {query}");
            }
        }
    }
}

#[tokio::test]
async fn the_types_of_wide_results_pass_through_nodes() {
    let values = largest(&DataType::Decimal32(9, 2)).unwrap();
    let keys: ArrayRef = Arc::new(Int32Array::from_iter_values(0..40));
    let batch = RecordBatch::try_from_iter([("i", keys), ("d", values)]).unwrap();
    for is_resident in [false, true] {
        let ctx = over(&batch, is_resident);
        for (query, expected) in [
            (
                "SELECT max(a.x + b.x) FROM (SELECT i, d + d AS x FROM t) a JOIN (SELECT i, d + d AS x FROM t) b ON a.i = b.i",
                "39999999.96",
            ),
            ("SELECT max(x + x) FROM (SELECT d + d AS x FROM t UNION ALL SELECT d FROM t)", "39999999.96"),
            ("SELECT max(x + x) FROM (SELECT DISTINCT d + d AS x FROM t ORDER BY x LIMIT 3)", "39999999.96"),
            ("WITH c AS (SELECT d * d AS x FROM t) SELECT max(x) + max(x) FROM c", "199999999600000.0002"),
        ] {
            assert_eq!(text(&ctx, query).await, expected, "{query}");
        }
    }
}

#[tokio::test]
async fn decimals_with_more_digits_than_their_type_are_refused() {
    let value = 10_i128.pow(30);
    let values = Decimal128Array::from(vec![value]).with_precision_and_scale(20, 0).unwrap();
    let batch = RecordBatch::try_from_iter([("d", Arc::new(values) as ArrayRef)]).unwrap();
    assert!(GdfTable::from_batches(std::slice::from_ref(&batch), device()).is_err());
    let ctx = SessionContext::new();
    let table = MemTable::try_new(batch.schema(), vec![vec![batch]]).unwrap();
    ctx.register_table("t", Arc::new(table)).unwrap();
    let ctx = ctx.with_gdf(GdfOptions::on(device()).with_fallback(Fallback::Forbidden));
    let error = rows(&ctx, "SELECT d + 1 FROM t ORDER BY 1").await.unwrap_err();
    assert!(error.to_string().contains("more digits than its type Decimal128(20, 0) states"), "{error}");
}

#[tokio::test]
async fn long_lists_and_chains_are_planned() {
    let batch = zeros();
    for is_resident in [false, true] {
        let ctx = over(&batch, is_resident);
        let numbers: Vec<String> = (0..20_000).map(|number| number.to_string()).collect();
        let query = format!("SELECT count(*) FROM t WHERE i IN ({})", numbers.join(", "));
        assert_eq!(text(&ctx, &query).await, "8");
    }
}

#[tokio::test]
async fn extremes_of_floats_do_not_depend_on_the_order_of_rows() {
    for order in [[0.0, f64::NAN, 2.0], [f64::NAN, 2.0, 0.0], [2.0, 0.0, -f64::NAN]] {
        let values: ArrayRef = Arc::new(Float64Array::from(order.to_vec()));
        let batch = RecordBatch::try_from_iter([("x", values)]).unwrap();
        for is_resident in [false, true] {
            let ctx = over(&batch, is_resident);
            for rest in [
                "FROM t GROUP BY GROUPING SETS ((), ())",
                ", median(x) FROM t",
                ", stddev(x) FROM t GROUP BY x > 5 AND x < 4",
            ] {
                let query = format!("SELECT min(x), max(x) {rest}");
                let found = rows(&ctx, &query).await.unwrap();
                let float = |at: usize| found[0].column(at).as_primitive::<Float64Type>().value(0);
                assert!(float(0) == 0.0 && float(1).is_nan(), "{order:?} {rest}: {} {}", float(0), float(1));
            }
        }
    }
}

#[tokio::test]
async fn extremes_of_infinities_are_infinities() {
    let values: ArrayRef = Arc::new(Float64Array::from(vec![f64::INFINITY, f64::NEG_INFINITY]));
    let batch = RecordBatch::try_from_iter([("x", values)]).unwrap();
    for is_resident in [false, true] {
        let query = "SELECT min(x), max(x), median(x) FROM t GROUP BY GROUPING SETS ((x > 0), (x > 0))";
        let found = rows(&over(&batch, is_resident), query).await.unwrap();
        let mut extremes = Vec::new();
        for batch in &found {
            let [low, high] = [0, 1].map(|at| batch.column(at).as_primitive::<Float64Type>().values().to_vec());
            extremes.extend(low.into_iter().zip(high));
        }
        extremes.sort_by(|a, b| a.0.total_cmp(&b.0));
        let [low, high] = [f64::NEG_INFINITY, f64::INFINITY].map(|extreme| [(extreme, extreme); 2]);
        assert_eq!(extremes, [low, high].concat(), "{is_resident}");
    }
}
