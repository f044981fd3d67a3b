//! Compares queries with and without the rule that orders joins.

use std::sync::Arc;

use arrow_array::{Int64Array, RecordBatch};
use datafusion::prelude::SessionContext;
use gdf_datafusion::{Fallback, GdfFiles, GdfOptions, GdfSession, GdfTable};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::kit::{device, lines};

fn both(tables: &[(String, RecordBatch)]) -> [SessionContext; 2] {
    [true, false].map(|orders| {
        let options = GdfOptions::on(device()).with_fallback(Fallback::Forbidden).with_join_order(orders);
        let ctx = SessionContext::new();
        for (name, batch) in tables {
            let table = GdfTable::from_batches(std::slice::from_ref(batch), device()).unwrap();
            ctx.register_table(name.as_str(), Arc::new(table)).unwrap();
        }
        ctx.with_gdf(options)
    })
}

async fn plan_and_rows(ctx: &SessionContext, query: &str) -> (String, Vec<String>) {
    let frame = ctx.sql(query).await.unwrap_or_else(|error| panic!("{query}: {error}"));
    let plan = frame.clone().create_physical_plan().await.unwrap_or_else(|error| panic!("{query}: {error}"));
    let rows = frame.collect().await.unwrap_or_else(|error| panic!("{query}: {error}"));
    (gdf_datafusion::explain(&plan), lines(&rows))
}

/// Returns a table of `rows` rows. The columns `k0` to `k3` have few values, some of them null.
fn table(name: &str, rows: usize, numbers: &mut SmallRng) -> RecordBatch {
    let id: Int64Array = (0..rows as i64).map(Some).collect();
    let mut columns = vec![(format!("{name}id"), Arc::new(id) as _)];
    for key in 0..4 {
        let values = numbers.random_range(3..40);
        let column: Int64Array =
            (0..rows).map(|_| numbers.random_bool(0.9).then(|| numbers.random_range(0..values))).collect();
        columns.push((format!("{name}k{key}"), Arc::new(column) as _));
    }
    RecordBatch::try_from_iter(columns).unwrap()
}

#[tokio::test]
async fn random_join_graphs_return_the_same_rows() {
    let mut numbers = SmallRng::seed_from_u64(40);
    let mut reordered = 0;
    for _ in 0..40 {
        let relations = numbers.random_range(3..7);
        let tables: Vec<(String, RecordBatch)> = (0..relations)
            .map(|at| {
                let rows = [1, 3, 10, 30, 60][numbers.random_range(0..5)];
                (format!("t{at}"), table(&format!("t{at}"), rows, &mut numbers))
            })
            .collect();
        let key = |at: usize, numbers: &mut SmallRng| format!("t{at}k{}", numbers.random_range(0..4));
        let mut from = "t0".to_owned();
        // A second form of the query lists the tables, and has the conditions of the joins in its WHERE clause.
        let (mut listed, mut is_inner) = (Vec::new(), true);
        for at in 1..relations {
            let other = numbers.random_range(0..at);
            let mut on = format!("{} = {}", key(other, &mut numbers), key(at, &mut numbers));
            match numbers.random_range(0..6) {
                0 => on += &format!(" AND {} < {}", key(other, &mut numbers), key(at, &mut numbers)),
                1 if at > 1 => {
                    let third = numbers.random_range(0..at);
                    on += &format!(
                        " AND {} + {} = {}",
                        key(third, &mut numbers),
                        key(other, &mut numbers),
                        key(at, &mut numbers)
                    );
                }
                2 => on += &format!(" AND {} > 5", key(at, &mut numbers)),
                _ => {}
            }
            let kind = if numbers.random_bool(0.15) { "LEFT JOIN" } else { "JOIN" };
            is_inner &= kind == "JOIN";
            from += &format!(" {kind} t{at} ON {on}");
            listed.push(on);
        }
        if is_inner && numbers.random_bool(0.7) {
            let tables: Vec<String> = (0..relations).map(|at| format!("t{at}")).collect();
            let subquery = "t0id IN (SELECT t1k0 FROM t1) AND t1k1 >= (SELECT min(t0k0) FROM t0)";
            from = format!("{} WHERE {} AND {subquery}", tables.join(", "), listed.join(" AND "));
        }
        let ids: Vec<String> = (0..relations).map(|at| format!("sum(t{at}id)")).collect();
        let query = format!("SELECT count(*), {} FROM {from}", ids.join(", "));
        let [with, without] = both(&tables);
        let (found, expected) = (plan_and_rows(&with, &query).await, plan_and_rows(&without, &query).await);
        assert_eq!(found.1, expected.1, "{query}\n{}\n{}", found.0, expected.0);
        let has_product = |plan: &str| plan.contains("CrossJoinExec") || plan.contains("NestedLoopJoinExec");
        assert!(!has_product(&found.0) || has_product(&expected.0), "{query}\n{}\n{}", found.0, expected.0);
        reordered += usize::from(found.0 != expected.0);
    }
    assert!(reordered > 10, "only {reordered} of 40 queries have another order");
}

#[tokio::test]
async fn a_small_join_comes_before_a_large_one() {
    let count = |rows: i64, values: i64| -> arrow_array::ArrayRef {
        Arc::new(Int64Array::from_iter_values((0..rows).map(|row| row % values)))
    };
    let batch = |columns: Vec<(&str, arrow_array::ArrayRef)>| RecordBatch::try_from_iter(columns).unwrap();
    let tables = [
        ("large".to_owned(), batch(vec![("a", count(3_000, 10)), ("b", count(3_000, 3_000))])),
        ("wide".to_owned(), batch(vec![("c", count(1_000, 10))])),
        ("one".to_owned(), batch(vec![("d", count(1, 1))])),
    ];
    let query = "SELECT count(*) FROM large JOIN wide ON a = c JOIN one ON b = d";
    let [with, without] = both(&tables);
    let (found, expected) = (plan_and_rows(&with, query).await, plan_and_rows(&without, query).await);
    assert_eq!(found.1, ["100"]);
    assert_eq!(found.1, expected.1);
    let depth = |plan: &str| plan.lines().find(|line| line.contains("rows=1000")).map(|line| line.find("Gdf").unwrap());
    assert!(depth(&found.0) < depth(&expected.0), "{}\n{}", found.0, expected.0);
    // The footers of Parquet files tell the same.
    let folder = tempfile::tempdir().unwrap();
    let [with, without] = [true, false].map(|orders| {
        let options = GdfOptions::on(device()).with_fallback(Fallback::Forbidden).with_join_order(orders);
        let ctx = SessionContext::new();
        for (name, batch) in &tables {
            let path = folder.path().join(format!("{name}.parquet"));
            gdf_io::write_parquet(&gdf_io::Batch::from_arrow(batch).unwrap(), &path).unwrap();
            ctx.register_table(name.as_str(), Arc::new(GdfFiles::open(&path).unwrap())).unwrap();
        }
        ctx.with_gdf(options)
    });
    let (found, expected) = (plan_and_rows(&with, query).await, plan_and_rows(&without, query).await);
    assert_eq!((&found.1, &expected.1), (&vec!["100".to_owned()], &vec!["100".to_owned()]));
    let depth =
        |plan: &str| plan.lines().find(|line| line.contains("wide.parquet")).map(|line| line.find("Gdf").unwrap());
    assert!(depth(&found.0) < depth(&expected.0), "{}\n{}", found.0, expected.0);
}
