//! Tests statements with tens of thousands of operators, on threads with stacks of 2 MiB. Programs that are not optimized
//! get a tenth of the operators, because DataFusion plans them a hundred times slower.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use arrow_array::Int64Array;
use datafusion::error::Result;
use datafusion::prelude::{SessionContext, col, lit};
use gdf_datafusion::{GdfOptions, GdfSession, PlanCache};

use crate::kit::device;

/// Returns the largest resident memory of this process so far, in MiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).map_or(0, |kib| kib >> 10)
}

/// Returns the number of operators of a statement.
fn operators(count: usize) -> usize {
    if cfg!(debug_assertions) { count / 10 } else { count }
}

fn joined(count: usize, word: &str, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().join(word)
}

/// Returns the conditions, each with the sum of `a` over the rows 1 to 1,000 that meet it.
fn conditions() -> Vec<(&'static str, String, i64)> {
    let terms = operators(5_000);
    let below = (1..=1_000).filter(|number| *number < terms as i64).sum();
    let ors = |count| joined(operators(count), " OR ", |number| format!("a = {}", number * 2));
    vec![
        ("50,000 OR of one column", ors(50_000), 250_500),
        (
            "50,000 OR of two columns",
            joined(operators(50_000), " OR ", |number| format!("a = {number} AND b < 7")),
            1 + 2 + 3 + 4 + 5 + 6,
        ),
        ("10,000 AND", joined(operators(10_000), " AND ", |number| format!("a <> {}", number * 2 + 1)), 250_500),
        (
            "10,000 AND of sums",
            joined(operators(10_000), " AND ", |number| format!("a + b <> {}", number * 4 + 2)),
            250_500,
        ),
        ("5,000 +", format!("a < {}", joined(terms, " + ", |_| "1".to_owned())), below),
        ("5,000 + of a column", format!("a >= {}", joined(terms, " + ", |_| "b - b".to_owned())), 500_500),
    ]
}

async fn session() -> Result<SessionContext> {
    let ctx = SessionContext::new().with_gdf(GdfOptions::on(device()));
    let rows = ctx.sql("SELECT value AS a, value AS b FROM generate_series(1, 1000)").await?.collect().await?;
    let rows = arrow_select::concat::concat_batches(&rows[0].schema(), &rows)?;
    ctx.register_batch("t", rows)?;
    Ok(ctx)
}

#[tokio::test]
async fn deep_expressions_are_answered() {
    let cache = PlanCache::new(session().await.unwrap(), 10);
    for (name, condition, expected) in conditions() {
        let (begin, before) = (Instant::now(), peak());
        let rows = cache.collect(&format!("SELECT sum(a) FROM t WHERE {condition}"), &[]).await.unwrap();
        let took = begin.elapsed();
        println!("{name}: {took:.2?}, peak memory {before} to {} MiB", peak());
        assert_eq!(rows[0].column(0).as_ref(), &Int64Array::from(vec![expected]), "{name}");
        // Most of the time is planning by DataFusion, a second or two of an idle core with optimization. Time that grows
        // with the square of the number of operators would be minutes.
        let limit = if cfg!(debug_assertions) { 120 } else { 30 };
        assert!(took < Duration::from_secs(limit), "{name}: {took:.2?}");
    }
}

/// Statements that `SessionContext::sql` parses are planned and dropped on the stack of the caller.
#[test]
fn sessions_need_a_stack_for_the_tree_of_the_parser_alone() {
    let work = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let ctx = session().await.unwrap();
            for (name, condition, expected) in conditions() {
                let (begin, before) = (Instant::now(), peak());
                let query = format!("SELECT sum(a) FROM t WHERE {condition}");
                let rows = ctx.sql(&query).await.unwrap().collect().await.unwrap();
                println!("{name}: {:.2?}, peak memory {before} to {} MiB", begin.elapsed(), peak());
                assert_eq!(rows[0].column(0).as_ref(), &Int64Array::from(vec![expected]), "{name}");
            }
        });
    };
    std::thread::Builder::new().stack_size(64 << 20).spawn(work).unwrap().join().unwrap();
}

/// Each of 40 common table expressions uses the columns of the one before it twice, and conditions refer to them.
#[tokio::test]
async fn conditions_on_shared_expressions_stay_small() {
    type Step = fn(i64, i64) -> (i64, i64);
    let cases: [(&str, &str, Step, fn(i64, i64) -> bool); 3] = [
        (
            "a % 7 + b AS a, (a + b) % 3 AS b",
            "a > 3 AND b >= 0",
            |a, b| (a % 7 + b, (a + b) % 3),
            |a, b| a > 3 && b >= 0,
        ),
        (
            "CASE WHEN a > b THEN a - b ELSE b - a END AS a, b + a % 2 AS b",
            "a > 2",
            |a, b| ((a - b).abs(), b + a % 2),
            |a, _| a > 2,
        ),
        (
            "(a + b) % 1000 AS a, (a - b) % 10 AS b",
            "a + b > 5",
            |a, b| ((a + b) % 1_000, (a - b) % 10),
            |a, b| a + b > 5,
        ),
    ];
    let ctx = session().await.unwrap();
    for (step, condition, next, is_wanted) in cases {
        let steps = (1..=40).map(|at| format!(", c{at} AS (SELECT {step} FROM c{})", at - 1)).collect::<String>();
        let query =
            format!("WITH c0 AS (SELECT a, b % 2 AS b FROM t){steps} SELECT count(*) FROM c40 WHERE {condition}");
        let last = |a| (0..40).fold((a, a % 2), |(a, b), _| next(a, b));
        let expected = (1..=1_000).map(last).filter(|(a, b)| is_wanted(*a, *b)).count() as i64;
        assert!((1..1_000).contains(&expected), "{step}: {expected}");
        let (begin, before) = (Instant::now(), peak());
        let rows = ctx.sql(&query).await.unwrap().collect().await.unwrap();
        let took = begin.elapsed();
        println!("40 shared expressions, {step}: {took:.2?}, peak memory {before} to {} MiB", peak());
        assert_eq!(rows[0].column(0).as_ref(), &Int64Array::from(vec![expected]), "{step}");
        let limit = if cfg!(debug_assertions) { 20 } else { 1 };
        assert!(took < Duration::from_secs(limit), "{step}: {took:.2?}");
    }
}

/// Each of 40 common table expressions groups by keys that use the columns of the one before it twice.
#[tokio::test]
async fn conditions_on_shared_keys_stay_small() {
    let (a, b) = ("(a + b) % 1000", "(a - b) % 10");
    let step = |at| format!(", c{at} AS (SELECT {a} AS a, {b} AS b FROM c{} GROUP BY {a}, {b})", at - 1);
    let steps = (1..=40).map(step).collect::<String>();
    let query = format!("WITH c0 AS (SELECT a, b % 2 AS b FROM t){steps} SELECT count(*) FROM c40 WHERE a + b > 5");
    let next = |(a, b): (i64, i64)| ((a + b) % 1_000, (a - b) % 10);
    let first = (1..=1_000).map(|a| (a, a % 2)).collect::<BTreeSet<_>>();
    let last = (0..40).fold(first, |keys, _| keys.into_iter().map(next).collect());
    let expected = last.into_iter().filter(|(a, b)| a + b > 5).count() as i64;
    let begin = Instant::now();
    let rows = session().await.unwrap().sql(&query).await.unwrap().collect().await.unwrap();
    let took = begin.elapsed();
    println!("40 shared keys: {took:.2?}, peak memory {} MiB", peak());
    assert_eq!(rows[0].column(0).as_ref(), &Int64Array::from(vec![expected]));
    let limit = if cfg!(debug_assertions) { 40 } else { 2 };
    assert!(took < Duration::from_secs(limit), "{took:.2?}");
}

/// Data frames have no aliases between their projections. Filters between the projections are merged.
#[tokio::test]
async fn filters_of_data_frames_stay_small() {
    for is_filtered in [false, true] {
        let begin = Instant::now();
        let mut frame = session().await.unwrap().table("t").await.unwrap();
        frame = frame.select([col("a"), (col("b") % lit(2_i64)).alias("b")]).unwrap();
        for _ in 0..40 {
            if is_filtered {
                frame = frame.filter(col("b").gt_eq(lit(0_i64))).unwrap();
            }
            let a = (col("a") % lit(7_i64) + col("b")).alias("a");
            let b = ((col("a") + col("b")) % lit(3_i64)).alias("b");
            frame = frame.select([a, b]).unwrap();
        }
        let found = frame.filter(col("a").gt(lit(3_i64))).unwrap().count().await.unwrap();
        let took = begin.elapsed();
        println!("data frame, filters between: {is_filtered}: {took:.2?}, peak memory {} MiB", peak());
        let last = |a| (0..40).fold((a, a % 2), |(a, b), _| (a % 7 + b, (a + b) % 3));
        assert_eq!(found, (1_i64..=1_000).map(last).filter(|(a, _)| *a > 3).count());
        let limit = if cfg!(debug_assertions) { 40 } else { 2 };
        assert!(took < Duration::from_secs(limit), "{took:.2?}");
    }
}
