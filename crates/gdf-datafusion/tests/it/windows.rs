//! Tests window functions.

use gdf_datafusion::explain;

use crate::kit::{Checked, lines};
use crate::small::session;

async fn all_whole(queries: &[&str]) {
    for is_resident in [true, false] {
        let checked = Checked::new(session(is_resident));
        for query in queries {
            checked.whole(query).await;
        }
    }
}

#[tokio::test]
async fn ranks() {
    all_whole(&[
        "SELECT aid, row_number() OVER (ORDER BY aid DESC) FROM a",
        "SELECT aid, row_number() OVER (PARTITION BY ak ORDER BY aid) FROM a",
        "SELECT aid, rank() OVER w, dense_rank() OVER w, percent_rank() OVER w, cume_dist() OVER w FROM a \
         WINDOW w AS (PARTITION BY ak ORDER BY ab)",
        "SELECT aid, rank() OVER w, dense_rank() OVER w, percent_rank() OVER w, cume_dist() OVER w FROM a \
         WINDOW w AS (ORDER BY ak DESC, ab NULLS FIRST)",
        "SELECT aid, rank() OVER (PARTITION BY aw), dense_rank() OVER (PARTITION BY aw) FROM a",
        "SELECT aid, percent_rank() OVER (), cume_dist() OVER (PARTITION BY ab) FROM a",
        "SELECT aid, ntile(4) OVER (ORDER BY aid), ntile(100) OVER (ORDER BY aid) FROM a",
        "SELECT aid, ntile(3) OVER (PARTITION BY ak ORDER BY av, aid), ntile(1) OVER (PARTITION BY ak ORDER BY av, aid) FROM a",
        "SELECT nonek, row_number() OVER (PARTITION BY nonek ORDER BY nonev), ntile(2) OVER (ORDER BY nonev) FROM none",
    ])
    .await;
}

#[tokio::test]
async fn neighbors() {
    all_whole(&[
        "SELECT aid, lag(av) OVER (ORDER BY aid), lead(av) OVER (ORDER BY aid) FROM a",
        "SELECT aid, lag(aw, 2) OVER w, lead(aw, 3, 'none') OVER w, lag(am, 1, 0) OVER w, lead(ad, 0) OVER w FROM a \
         WINDOW w AS (PARTITION BY ak ORDER BY aid)",
        "SELECT aid, lag(av, -2, 7) OVER w, lead(av, -1, -7) OVER w, lag(av, 1000, 1) OVER w FROM a \
         WINDOW w AS (PARTITION BY ab ORDER BY aid)",
        "SELECT aid, first_value(av) OVER w, last_value(av) OVER w, nth_value(av, 2) OVER w FROM a \
         WINDOW w AS (PARTITION BY ak ORDER BY aid)",
        "SELECT aid, first_value(aw) OVER w, last_value(aw) OVER w, nth_value(aw, 3) OVER w, nth_value(aw, -2) OVER w \
         FROM a WINDOW w AS (PARTITION BY ak ORDER BY aid ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)",
        "SELECT aid, first_value(av) IGNORE NULLS OVER w, last_value(av) IGNORE NULLS OVER w \
         FROM a WINDOW w AS (PARTITION BY ak ORDER BY aid ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)",
        "SELECT nonek, lag(nonev, 1, 3) OVER (ORDER BY nonek), first_value(nonew) OVER (ORDER BY nonek) FROM none",
    ])
    .await;
}

#[tokio::test]
async fn aggregates_over_frames() {
    all_whole(&[
        "SELECT aid, sum(av) OVER (PARTITION BY ak), count(*) OVER (PARTITION BY ak), max(aw) OVER () FROM a",
        "SELECT aid, sum(av) OVER (ORDER BY ab), avg(av) OVER (ORDER BY ab), count(av) OVER (ORDER BY ab) FROM a",
        "SELECT aid, sum(am) OVER w, avg(am) OVER w, min(am) OVER w, max(ad) OVER w, count(am) OVER w FROM a \
         WINDOW w AS (PARTITION BY ak ORDER BY ab)",
        "SELECT aid, sum(am) OVER w, avg(am) OVER w, min(aw) OVER w, max(ad) OVER w, count(*) OVER w FROM a \
         WINDOW w AS (PARTITION BY ak ORDER BY aid ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING)",
        "SELECT aid, sum(av) OVER w, count(av) OVER w, sum(au) OVER w FROM a \
         WINDOW w AS (ORDER BY aid ROWS BETWEEN 1 FOLLOWING AND 5 FOLLOWING)",
        "SELECT aid, sum(av) OVER w, min(av) OVER w FROM a \
         WINDOW w AS (PARTITION BY ab ORDER BY aid ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)",
        "SELECT aid, sum(av) OVER (ORDER BY ak RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM a",
        "SELECT aid, count(*) OVER (ORDER BY ak RANGE BETWEEN CURRENT ROW AND CURRENT ROW) FROM a",
        "SELECT aid, bool_and(ab) OVER (PARTITION BY ak), bool_or(av > 900) OVER (PARTITION BY ak) FROM a",
        "SELECT aid, sum(av + 1) OVER (PARTITION BY ak % 2 ORDER BY ab), avg(af) OVER (PARTITION BY ak) FROM a WHERE af < 9",
        "SELECT nonek, sum(nonev) OVER (PARTITION BY nonek), count(*) OVER (ORDER BY nonev) FROM none",
    ])
    .await;
}

#[tokio::test]
async fn ranges_of_keys() {
    all_whole(&[
        "SELECT aid, sum(av) OVER (ORDER BY av RANGE 100 PRECEDING), count(*) OVER (ORDER BY av RANGE 100 PRECEDING) FROM a",
        "SELECT aid, sum(av) OVER (ORDER BY av DESC RANGE BETWEEN 300 PRECEDING AND 50 FOLLOWING) FROM a",
        "SELECT aid, count(*) OVER (PARTITION BY ab ORDER BY ak NULLS FIRST RANGE BETWEEN 1 FOLLOWING AND 2 FOLLOWING) FROM a",
        "SELECT aid, min(aw) OVER (PARTITION BY ab ORDER BY av RANGE BETWEEN 500 PRECEDING AND 20 PRECEDING) FROM a",
        "SELECT aid, max(av) OVER (ORDER BY aid RANGE BETWEEN UNBOUNDED PRECEDING AND 3 FOLLOWING) FROM a",
        "SELECT aid, count(av) OVER (ORDER BY au RANGE BETWEEN 9 PRECEDING AND CURRENT ROW) FROM a",
        "SELECT aid, sum(am) OVER (ORDER BY ad RANGE BETWEEN INTERVAL '900' DAY PRECEDING AND INTERVAL '30' DAY FOLLOWING) FROM a",
        "SELECT aid, count(*) OVER (ORDER BY ad DESC NULLS LAST RANGE BETWEEN CURRENT ROW AND INTERVAL '400' DAY FOLLOWING) FROM a",
    ])
    .await;
}

/// The ends of these frames are outside of the integers of the key. DataFusion includes the null keys then, and gdf does
/// not, as for a wider key.
#[tokio::test]
async fn ranges_that_leave_the_type_of_the_key() {
    let checked = Checked::new(session(true));
    for (key, frame) in [
        ("au", "ORDER BY {key} RANGE BETWEEN CURRENT ROW AND 200 FOLLOWING"),
        ("au", "PARTITION BY ab ORDER BY {key} DESC RANGE BETWEEN 200 PRECEDING AND CURRENT ROW"),
        ("CAST(ak AS TINYINT)", "ORDER BY {key} RANGE BETWEEN 126 FOLLOWING AND UNBOUNDED FOLLOWING"),
        ("CAST(ak AS TINYINT)", "ORDER BY {key} NULLS FIRST RANGE BETWEEN 126 FOLLOWING AND UNBOUNDED FOLLOWING"),
        ("CAST(ak AS TINYINT)", "PARTITION BY ab ORDER BY {key} RANGE BETWEEN 123 FOLLOWING AND 125 FOLLOWING"),
        ("CAST(-ak AS TINYINT)", "ORDER BY {key} NULLS FIRST RANGE BETWEEN 127 PRECEDING AND 126 PRECEDING"),
    ] {
        let query = |key: &str| format!("SELECT aid, count(*) OVER ({}) FROM a", frame.replace("{key}", key));
        let expected = checked.expected(&query(&format!("CAST({key} AS BIGINT)"))).await.unwrap();
        let plan = checked.plan(&query(key)).await.unwrap();
        assert!(explain(&plan).contains("GdfExec"), "{}", explain(&plan));
        assert_eq!(lines(&checked.found(&plan).await.unwrap()), lines(&expected), "{}", query(key));
    }
}

#[tokio::test]
async fn rows_of_windows_go_on() {
    all_whole(&[
        "SELECT max(total) FROM (SELECT sum(av) OVER (PARTITION BY ak) AS total FROM a) AS t",
        "SELECT aid FROM (SELECT aid, row_number() OVER (PARTITION BY ak ORDER BY av DESC, aid) AS n FROM a) AS t WHERE n <= 2",
        "SELECT aid, rank() OVER (ORDER BY sum(av) DESC, aid) FROM a GROUP BY aid",
        "SELECT aid, row_number() OVER (ORDER BY aid), sum(av) OVER (PARTITION BY ak ORDER BY aid) FROM a ORDER BY aid LIMIT 9",
        "SELECT n, bid FROM (SELECT aid, row_number() OVER (ORDER BY aid) AS n FROM a) AS t JOIN b ON n = bid",
        "SELECT ak, total, row_number() OVER (ORDER BY ak) FROM \
         (SELECT ak, sum(av) AS total FROM (SELECT * FROM a ORDER BY ak, aid LIMIT 50) AS x GROUP BY ak) AS t",
    ])
    .await;
}

#[tokio::test]
async fn frames_of_groups_of_peers() {
    let mut queries = Vec::new();
    for frame in [
        "1 PRECEDING",
        "BETWEEN 2 PRECEDING AND 1 PRECEDING",
        "BETWEEN CURRENT ROW AND 1 FOLLOWING",
        "BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING",
        "BETWEEN 1 PRECEDING AND 1 FOLLOWING",
        "BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    ] {
        let over = format!("ORDER BY ak DESC NULLS LAST GROUPS {frame}");
        queries.push(format!("SELECT aid, count(*) OVER ({over}), sum(av) OVER ({over}) FROM a"));
        queries.push(format!("SELECT aid, min(aw) OVER (PARTITION BY ab {over}) FROM a"));
        queries.push(format!("SELECT aid, max(av) OVER (ORDER BY ab, ak GROUPS {frame}) FROM a"));
    }
    all_whole(&queries.iter().map(String::as_str).collect::<Vec<_>>()).await;
}

#[tokio::test]
async fn filters_of_window_aggregates() {
    all_whole(&[
        "SELECT aid, sum(av) FILTER (WHERE ab) OVER (ORDER BY aid) FROM a",
        "SELECT aid, count(*) FILTER (WHERE av > 0) OVER (PARTITION BY ak ORDER BY aid ROWS 3 PRECEDING) FROM a",
        "SELECT aid, min(aw) FILTER (WHERE av > 0 OR ab) OVER (PARTITION BY ak), count(av) FILTER (WHERE ab) OVER () FROM a",
        "SELECT aid, avg(am) FILTER (WHERE ak < 3) OVER (ORDER BY ak), max(av) OVER (ORDER BY ak) FROM a",
        "SELECT aid, sum(av) FILTER (WHERE ab) OVER (ORDER BY aid) + 1 AS one FROM a ORDER BY one, aid LIMIT 7",
    ])
    .await;
}

#[tokio::test]
async fn groups_of_ordered_rows_are_in_order() {
    // DataFusion omits the second sort, because its group-by keeps the order of the rows.
    let query = "SELECT ak, count(*) FROM (SELECT * FROM a ORDER BY ak, aid LIMIT 50) AS x GROUP BY ak ORDER BY ak";
    for is_resident in [true, false] {
        let checked = Checked::new(session(is_resident));
        let found = checked.whole(query).await;
        let expected = checked.expected(query).await.unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0], datafusion::arrow::compute::concat_batches(&expected[0].schema(), &expected).unwrap());
    }
}

#[tokio::test]
async fn other_windows_stay_with_datafusion() {
    let checked = Checked::new(session(true));
    for (query, reason) in [
        ("SELECT aid, sum(af) OVER (ORDER BY aid ROWS 2 PRECEDING) FROM a WHERE af < 9", "rounded differently"),
        ("SELECT aid, sum(av) OVER (ORDER BY am RANGE 5 PRECEDING) FROM a", "neither rows, nor integers"),
        ("SELECT aid, lag(av) IGNORE NULLS OVER (ORDER BY aid) FROM a", "ignores nulls"),
        ("SELECT aid, string_agg(aw, ',') OVER (ORDER BY aid) FROM a", "string_agg"),
    ] {
        checked.partly(query).await;
        let shown = gdf_datafusion::explain(&checked.plan(query).await.unwrap());
        assert!(shown.contains(reason), "{reason}\n{shown}");
    }
}
