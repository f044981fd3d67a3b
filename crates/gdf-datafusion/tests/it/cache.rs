//! Tests the cache of plans.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use arrow_schema::DataType;
use datafusion::error::Result;
use datafusion::physical_plan::collect;
use datafusion::prelude::SessionContext;
use datafusion::scalar::ScalarValue;
use datafusion::variable::{VarProvider, VarType};
use gdf_datafusion::{Fallback, GdfFiles, GdfOptions, GdfSession, GdfTable, PlanCache};

use crate::kit::{Checked, device, lines};
use crate::small::{batch, session};

fn options() -> GdfOptions {
    GdfOptions::on(device()).with_fallback(Fallback::Forbidden)
}

fn cache(options: &GdfOptions) -> PlanCache {
    PlanCache::new(session(true).with_gdf(options.clone()), 8)
}

async fn literal(query: &str) -> Vec<String> {
    lines(&session(true).sql(query).await.unwrap().collect().await.unwrap())
}

#[tokio::test]
async fn parameters_stay_parameters() {
    let options = options();
    let cache = cache(&options);
    let query = |ak: &str, limit: &str| {
        format!(
            "SELECT ak, sum(av) AS total FROM a WHERE ak > {ak} AND av < {limit} GROUP BY ak HAVING count(*) > {ak}"
        )
    };
    for (turn, ak) in [1_i64, 0, 3, 2].into_iter().enumerate() {
        let values = [ScalarValue::from(ak), ScalarValue::from(50_i64)];
        let found = cache.collect(&query("$1", "$2"), &values).await.unwrap();
        assert_eq!(lines(&found), literal(&query(&ak.to_string(), "50")).await);
        assert_eq!((cache.hits(), cache.misses()), (turn as u64, 1));
        assert_eq!(options.counts().islands, turn as u64 + 1);
    }
    let text = "  select AK, sum(av) as total -- the same\n from A where ak > $1 and av < $2 group by ak having count(*) > $1;";
    cache.collect(text, &[ScalarValue::from(1_i64), ScalarValue::from(2_i64)]).await.unwrap();
    assert_eq!((cache.hits(), cache.misses()), (4, 1));
}

#[tokio::test]
async fn parameters_where_only_literals_can_be_are_part_of_the_key() {
    let cache = cache(&options());
    for (limit, expected) in [(3_i64, (0, 1)), (5, (0, 2)), (3, (1, 2)), (5, (2, 2))] {
        let query = "SELECT aid FROM a ORDER BY aid LIMIT $1";
        let found = cache.collect(query, &[ScalarValue::from(limit)]).await.unwrap();
        assert_eq!(found.iter().map(RecordBatch::num_rows).sum::<usize>(), limit as usize);
        assert_eq!((cache.hits(), cache.misses()), expected);
    }
}

/// The number of digits determines the type of the rounded decimal.
#[tokio::test]
async fn numbers_of_digits_are_part_of_the_key() {
    let cache = cache(&options());
    for (digits, expected) in [(2_i64, (0, 1)), (0, (0, 2)), (1, (0, 3)), (0, (1, 3))] {
        let query = |digits: &str| format!("SELECT aid, round(am, {digits}) AS rounded FROM a");
        let found = cache.collect(&query("$1"), &[ScalarValue::from(digits)]).await.unwrap();
        let plain = session(true).sql(&query(&digits.to_string())).await.unwrap().collect().await.unwrap();
        assert_eq!(found[0].column(1).data_type(), plain[0].column(1).data_type(), "{digits}");
        assert_eq!(lines(&found), lines(&plain), "{digits}");
        assert_eq!((cache.hits(), cache.misses()), expected);
    }
}

#[tokio::test]
async fn changes_of_tables_files_and_settings_are_noticed() {
    let options = options();
    let cache = cache(&options);
    let count = "SELECT count(*), sum(aid) FROM a";
    let first = lines(&cache.collect(count, &[]).await.unwrap());
    let table = GdfTable::from_batches(&[batch("a", 7, 3)], device()).unwrap();
    cache.session().deregister_table("a").unwrap();
    cache.session().register_table("a", Arc::new(table)).unwrap();
    let second = lines(&cache.collect(count, &[]).await.unwrap());
    assert_ne!(first, second);
    assert_eq!(lines(&cache.collect(count, &[]).await.unwrap()), second);
    assert_eq!((cache.hits(), cache.misses()), (1, 2));
    cache.session().sql("SET datafusion.execution.batch_size = 2").await.unwrap().collect().await.unwrap();
    assert_eq!(cache.collect("SELECT aid FROM a WHERE aid > 2", &[]).await.unwrap()[0].num_rows(), 2);
    assert_eq!(lines(&cache.collect(count, &[]).await.unwrap()), second);
    assert_eq!((cache.hits(), cache.misses()), (1, 4));

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, "x\n1\n2\n").unwrap();
    cache.session().register_table("t", Arc::new(GdfFiles::open(&path).unwrap())).unwrap();
    for _ in 0..2 {
        assert_eq!(lines(&cache.collect("SELECT sum(x) FROM t", &[]).await.unwrap()), ["3"]);
    }
    assert_eq!((cache.hits(), cache.misses()), (2, 5));
    std::fs::write(&path, "x\n1\n2\n3\n").unwrap();
    assert_eq!(lines(&cache.collect("SELECT sum(x) FROM t", &[]).await.unwrap()), ["6"]);
    assert_eq!((cache.hits(), cache.misses()), (2, 6));
}

#[tokio::test]
async fn queries_that_cannot_be_kept_are_planned_each_time() {
    let cache = PlanCache::new(session(false).with_gdf(options()), 8);
    for turn in 1..=2 {
        cache.collect("SELECT count(*) FROM a WHERE ak > $1", &[ScalarValue::from(1_i64)]).await.unwrap();
        assert_eq!((cache.hits(), cache.misses()), (0, turn));
    }
    let cache = PlanCache::new(session(true).with_gdf(options()), 8);
    for query in ["SELECT now() > TIMESTAMP '2020-01-01' FROM a", "EXPLAIN SELECT aid FROM a"] {
        for _ in 0..2 {
            cache.collect(query, &[]).await.unwrap();
        }
    }
    assert_eq!((cache.hits(), cache.misses()), (0, 4));
}

#[derive(Debug, Default)]
struct Variable(AtomicI64);

impl VarProvider for Variable {
    fn get_value(&self, _names: Vec<String>) -> Result<ScalarValue> {
        Ok(ScalarValue::from(self.0.load(Ordering::Relaxed)))
    }

    fn get_type(&self, _names: &[String]) -> Option<DataType> {
        Some(DataType::Int64)
    }
}

#[tokio::test]
async fn queries_with_variables_read_the_variables_each_time() {
    let (cache, variable) = (cache(&options()), Arc::new(Variable::default()));
    cache.session().register_variable(VarType::UserDefined, variable.clone());
    for (turn, value) in [(1, 2), (2, 5)] {
        variable.0.store(value, Ordering::Relaxed);
        let found = cache.collect("SELECT count(*) FROM a WHERE aid < @first", &[]).await.unwrap();
        assert_eq!(lines(&found), [value.to_string()]);
        assert_eq!((cache.hits(), cache.misses()), (0, turn));
    }
}

#[tokio::test]
async fn the_plan_used_longest_ago_is_dropped() {
    let cache = PlanCache::new(session(true).with_gdf(options()), 2);
    for query in ["SELECT 1 + aid FROM a", "SELECT 2 + aid FROM a", "SELECT 1 + aid FROM a", "SELECT 3 + aid FROM a"] {
        cache.collect(query, &[]).await.unwrap();
    }
    cache.collect("SELECT 1 + aid FROM a", &[]).await.unwrap();
    assert_eq!((cache.hits(), cache.misses()), (2, 3));
    cache.collect("SELECT 2 + aid FROM a", &[]).await.unwrap();
    assert_eq!((cache.hits(), cache.misses()), (2, 4));
}

/// The plan of a query with a parameter as its limit is for the values of the parameters alone.
#[tokio::test]
async fn values_that_read_alike_have_plans_of_their_own() {
    let cache = cache(&options());
    let query = "SELECT aid FROM a WHERE $1 IS NULL LIMIT $2";
    for (value, expected) in [(Some("NULL"), 0), (None, 1), (Some("NULL"), 0)] {
        let values = [ScalarValue::Utf8(value.map(str::to_owned)), ScalarValue::from(1_i64)];
        let found = cache.collect(query, &values).await.unwrap();
        assert_eq!(found.iter().map(RecordBatch::num_rows).sum::<usize>(), expected, "{value:?}");
    }
    assert_eq!((cache.hits(), cache.misses()), (1, 2));
}

#[tokio::test]
async fn wrong_parameters_are_errors() {
    let cache = cache(&options());
    let query = "SELECT aid FROM a WHERE ak = $1 AND av > $2";
    let error = cache.collect(query, &[ScalarValue::from(1_i64)]).await.unwrap_err();
    assert!(error.to_string().contains("$2"), "{error}");
    let error = cache.collect(query, &[ScalarValue::from("text"), ScalarValue::from(1_i64)]).await.unwrap_err();
    assert!(error.to_string().contains("cannot be represented as Int32"), "{error}");
    assert!(cache.collect("SELECT nothing FROM a", &[]).await.is_err());
}

#[tokio::test]
async fn plans_run_again_and_at_the_same_time() {
    let checked = Checked::new(session(true));
    let query = "SELECT aid, bid FROM a JOIN b ON ak = bk WHERE av > (SELECT avg(bv) FROM b)";
    let plan = checked.plan(query).await.unwrap();
    let expected = lines(&checked.expected(query).await.unwrap());
    let run = || async { lines(&collect(Arc::clone(&plan), checked.ctx.task_ctx()).await.unwrap()) };
    for found in futures::future::join_all([run(), run(), run()]).await {
        assert_eq!(found, expected);
    }
}

/// Tests how much time the cache adds to the run of a plan. The limit is far above the time of an optimized build.
#[tokio::test]
async fn a_query_from_the_cache_takes_little_more_than_its_plan() {
    let options = options();
    let cache = cache(&options);
    let query = "SELECT ak, sum(av) FROM a WHERE av > $1 GROUP BY ak";
    let values = [ScalarValue::from(1_i64)];
    cache.collect(query, &values).await.unwrap();
    let ctx: SessionContext = session(true).with_gdf(options);
    let plan = ctx.sql("SELECT ak, sum(av) FROM a WHERE av > 1 GROUP BY ak").await.unwrap();
    let plan = plan.create_physical_plan().await.unwrap();
    let (mut alone, mut cached) = (Duration::MAX, Duration::MAX);
    for _ in 0..30 {
        let started = Instant::now();
        collect(Arc::clone(&plan), ctx.task_ctx()).await.unwrap();
        alone = alone.min(started.elapsed());
        let started = Instant::now();
        cache.collect(query, &values).await.unwrap();
        cached = cached.min(started.elapsed());
    }
    assert!(cached < alone + Duration::from_millis(3), "{cached:?} from the cache, {alone:?} for the plan");
}

#[tokio::test]
async fn values_are_not_rounded_to_the_types_of_columns() {
    let cache = cache(&options());
    for (query, value) in [
        ("SELECT count(*) FROM a WHERE ak >= $1", ScalarValue::from(1.5)),
        ("SELECT count(*) FROM a WHERE ak = $1", ScalarValue::from(1.5)),
        ("SELECT count(*) FROM a WHERE av < $1", ScalarValue::from(2.9)),
        ("SELECT count(*) FROM a WHERE am < $1", ScalarValue::Decimal128(Some(1_239), 10, 3)),
        ("SELECT count(*) FROM a WHERE am = $1", ScalarValue::from(1.239)),
        ("SELECT count(*) FROM a WHERE ad < $1", ScalarValue::TimestampSecond(Some(86_400 * 9_000 + 3_600), None)),
        ("SELECT ak + $1 FROM a", ScalarValue::from(0.5)),
    ] {
        let found = lines(&cache.collect(query, std::slice::from_ref(&value)).await.unwrap());
        let plain = session(true).sql(query).await.unwrap().with_param_values(vec![value]).unwrap();
        assert_eq!(found, lines(&plain.collect().await.unwrap()), "{query}");
    }
}
