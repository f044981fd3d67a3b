//! Runs the unchanged queries of TPC-H on generated tables.

use std::sync::Arc;

use arrow_array::RecordBatch;
use datafusion::datasource::MemTable;
use datafusion::prelude::SessionContext;
use gdf_datafusion::{Fallback, GdfFiles, GdfOptions, GdfSession, GdfTable, IslandError, explain};
use tpchgen::generators as rows;
use tpchgen_arrow as arrow;

use crate::kit::{Checked, assert_rows, device};

const SCALE: f64 = 0.01;

fn tables() -> Vec<(&'static str, Vec<RecordBatch>)> {
    macro_rules! table {
        ($name:literal, $generator:ident, $arrow:ident) => {
            ($name, arrow::$arrow::new(rows::$generator::new(SCALE, 1, 1)).collect::<Result<_, _>>().unwrap())
        };
    }
    vec![
        table!("customer", CustomerGenerator, CustomerArrow),
        table!("lineitem", LineItemGenerator, LineItemArrow),
        table!("nation", NationGenerator, NationArrow),
        table!("orders", OrderGenerator, OrderArrow),
        table!("part", PartGenerator, PartArrow),
        table!("partsupp", PartSuppGenerator, PartSuppArrow),
        table!("region", RegionGenerator, RegionArrow),
        table!("supplier", SupplierGenerator, SupplierArrow),
    ]
}

fn query(number: usize) -> String {
    let path = format!("{}/tests/tpch/q{number:02}.sql", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.replace("{FRACTION}", &(0.0001 / SCALE).to_string())
}

async fn all_queries_are_one_island(ctx: SessionContext) {
    let checked = Checked::new(ctx);
    for number in 1..=22 {
        checked.whole(&query(number)).await;
    }
    assert_eq!(checked.options.counts().verified, 22);
    assert_eq!(checked.options.counts().fallbacks, 0);
}

#[tokio::test]
async fn queries_on_resident_tables() {
    let ctx = SessionContext::new();
    for (name, batches) in tables() {
        let table = GdfTable::from_batches(&batches, device()).unwrap();
        ctx.register_table(name, Arc::new(table)).unwrap();
    }
    all_queries_are_one_island(ctx).await;
}

#[tokio::test]
async fn queries_return_the_same_rows_without_the_order_of_joins() {
    let session = |orders: bool| {
        let ctx = SessionContext::new();
        for (name, batches) in tables() {
            let table = GdfTable::from_batches(&batches, device()).unwrap();
            ctx.register_table(name, Arc::new(table)).unwrap();
        }
        ctx.with_gdf(GdfOptions::on(device()).with_fallback(Fallback::Forbidden).with_join_order(orders))
    };
    let [with, without] = [true, false].map(session);
    let mut reordered = 0;
    for number in 1..=22 {
        let query = query(number);
        let mut found = Vec::new();
        for ctx in [&with, &without] {
            let frame = ctx.sql(&query).await.unwrap();
            let plan = frame.clone().create_physical_plan().await.unwrap();
            found.push((explain(&plan), frame.collect().await.unwrap()));
        }
        let text = || format!("query {number}:\n{}\n{}", found[0].0, found[1].0);
        assert_rows(&with, &query, [&found[1].1, &found[0].1], text).await;
        reordered += usize::from(found[0].0 != found[1].0);
    }
    assert!(reordered > 3, "only {reordered} queries have another order");
}

#[tokio::test]
async fn queries_on_tables_of_datafusion() {
    let ctx = SessionContext::new();
    for (name, batches) in tables() {
        let table = MemTable::try_new(batches[0].schema(), vec![batches]).unwrap();
        ctx.register_table(name, Arc::new(table)).unwrap();
    }
    all_queries_are_one_island(ctx).await;
}

#[tokio::test]
async fn queries_on_files() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, ctx) = (SessionContext::new(), SessionContext::new());
    for (name, batches) in tables() {
        let path = folder.path().join(format!("{name}.parquet"));
        let rows = gdf_io::Batch::from_batches(&batches[0].schema(), batches.clone()).unwrap();
        gdf_io::write_parquet(&rows, &path).unwrap();
        ctx.register_table(name, Arc::new(GdfFiles::open(&path).unwrap())).unwrap();
        let table = MemTable::try_new(batches[0].schema(), vec![batches]).unwrap();
        plain.register_table(name, Arc::new(table)).unwrap();
    }
    let checked = Checked::beside(plain, ctx);
    for number in 1..=22 {
        let query = query(number);
        checked.whole(&query).await;
        // The island has no inputs, because it reads the files itself.
        assert!(checked.plan(&query).await.unwrap().children().is_empty(), "query {number}");
    }
    assert_eq!(checked.options.counts().fallbacks, 0);
}

/// With a twelfth of the bytes of the tables as the limit, the queries run in parts, and are right.
#[tokio::test]
async fn queries_with_less_memory_than_data() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, ctx) = (SessionContext::new(), SessionContext::new());
    let mut bytes = 0;
    for (name, batches) in tables() {
        let path = folder.path().join(format!("{name}.parquet"));
        let rows = gdf_io::Batch::from_batches(&batches[0].schema(), batches.clone()).unwrap();
        bytes += rows.table().columns().iter().map(gdf_core::Column::alloc_size).sum::<usize>();
        gdf_io::write_parquet(&rows, &path).unwrap();
        ctx.register_table(name, Arc::new(GdfFiles::open(&path).unwrap())).unwrap();
        let table = MemTable::try_new(batches[0].schema(), vec![batches]).unwrap();
        plain.register_table(name, Arc::new(table)).unwrap();
    }
    let limited = |fallback| GdfOptions::on(device()).with_memory_limit(bytes / 12).with_fallback(fallback);
    let (strict, lenient) = (limited(Fallback::Forbidden), limited(Fallback::Allowed));
    let (alone, fallen_back) = (ctx.clone().with_gdf(strict.clone()), ctx.with_gdf(lenient.clone()));
    let mut failed = Vec::new();
    for number in 1..=22 {
        let query = query(number);
        let expected = plain.sql(&query).await.unwrap().collect().await.unwrap();
        let text = || format!("query {number}");
        match alone.sql(&query).await.unwrap().collect().await {
            Ok(rows) => assert_rows(&plain, &query, [&rows, &expected], text).await,
            Err(error) => {
                let of = IslandError::of(&error);
                assert!(matches!(of, Some(IslandError::OutOfMemory { .. })), "query {number}: {error}");
                failed.push(number);
            }
        }
        let rows = fallen_back.sql(&query).await.unwrap().collect().await.unwrap();
        assert_rows(&plain, &query, [&rows, &expected], text).await;
    }
    let (strict, lenient) = (strict.counts(), lenient.counts());
    println!("limit of {} bytes: {} queries in parts, out of memory: {failed:?}", bytes / 12, strict.in_parts);
    assert_eq!(lenient.fallbacks, failed.len() as u64);
    assert!(failed.len() <= 3, "queries {failed:?} ran out of memory");
}
