//! Tests of the sets of keys that joins pass on. Each result is compared with the result of DataFusion alone.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use gdf_datafusion::{Fallback, GdfOptions, GdfSession, explain};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::kit::{Checked, device, lines, session};

const PARTS: i64 = 1_000;

/// A set of keys filters only 16,384 rows or more.
const LINES: usize = 20_000;

/// Returns a table `p` of parts and a table `l` of lines. One part has no code. The part and the code of a line may be
/// null.
fn tables() -> [(&'static str, RecordBatch); 2] {
    let rng = &mut SmallRng::seed_from_u64(17);
    let text = |part: Option<i64>| part.map(|part| format!("code {part}"));
    let parts: ArrayRef = Arc::new(Int64Array::from_iter_values(0..PARTS));
    let kinds: ArrayRef = Arc::new(Int64Array::from_iter_values((0..PARTS).map(|part| part % 50)));
    let codes: ArrayRef =
        Arc::new((0..PARTS).map(|part| text(Some(part).filter(|part| *part != 3))).collect::<StringArray>());
    let parts = RecordBatch::try_from_iter([("pid", parts), ("pkind", kinds), ("pcode", codes)]).unwrap();
    let keys: Vec<Option<i64>> =
        (0..LINES).map(|_| rng.random_ratio(14, 15).then(|| rng.random_range(0..PARTS * 3 / 2))).collect();
    let codes: ArrayRef = Arc::new(keys.iter().map(|part| text(*part)).collect::<StringArray>());
    let quantities: ArrayRef =
        Arc::new((0..LINES).map(|_| rng.random_ratio(8, 9).then(|| rng.random_range(1..60))).collect::<Int64Array>());
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..LINES as i64));
    let keys: ArrayRef = Arc::new(Int64Array::from(keys));
    let lines = RecordBatch::try_from_iter([("lid", ids), ("lpart", keys), ("lcode", codes), ("lq", quantities)]);
    [("p", parts), ("l", lines.unwrap())]
}

/// No set of keys filters a step that occurs twice, because its other occurrence needs all rows.
#[tokio::test]
async fn steps_that_occur_several_times_are_not_filtered() {
    let checked = Checked::beside(session(tables(), false), session(tables(), true));
    // The first occurrence is the one that a set of keys could filter.
    checked
        .whole(
            "WITH s AS (SELECT lpart, count(*) AS n FROM l GROUP BY lpart) \
                SELECT pid, n FROM p JOIN s ON pid = lpart WHERE pkind = 3 UNION ALL SELECT lpart, n FROM s",
        )
        .await;
    checked
        .whole(
            "WITH s AS (SELECT lpart, count(*) AS n FROM l GROUP BY lpart) \
                SELECT pid, n, (SELECT sum(n) FROM s) AS lines FROM p JOIN s ON pid = lpart WHERE pkind = 3",
        )
        .await;
}

/// Queries in which a join has a side of few rows, and the rows of the other side pass through further nodes.
const APPLIED: [&str; 10] = [
    "SELECT sum(lq) FROM l, p WHERE lpart = pid AND pkind = 3 AND lq < (SELECT 0.5 * avg(lq) FROM l WHERE lpart = pid)",
    "SELECT pid, n FROM p JOIN (SELECT lpart, count(*) AS n FROM l GROUP BY lpart) AS s ON pid = lpart WHERE pkind = 3",
    "SELECT pid, n FROM p LEFT JOIN (SELECT lpart, count(*) AS n FROM l GROUP BY lpart) AS s ON pid = lpart \
        WHERE pkind = 3",
    "SELECT pid, n FROM p JOIN (SELECT lcode, count(*) AS n FROM l GROUP BY lcode) AS s \
        ON pcode IS NOT DISTINCT FROM lcode WHERE pkind = 3",
    "SELECT pid, n FROM p JOIN (SELECT lcode, lpart, count(*) AS n FROM l GROUP BY lpart, lcode) AS s \
        ON pcode = lcode AND pid = lpart WHERE pkind IN (3, 4)",
    "SELECT pid, lid FROM p JOIN (SELECT lid, lpart FROM l WHERE lq > 9 UNION ALL SELECT -lid, lpart + 1 FROM l) AS s \
        ON pid = lpart WHERE pkind = 3",
    "SELECT count(*), sum(lid) FROM p JOIN l AS k ON pid = lpart WHERE pkind = 3 \
        AND NOT EXISTS (SELECT 1 FROM l AS m WHERE m.lpart = k.lpart AND m.lq > k.lq)",
    "SELECT count(*), sum(lid) FROM p JOIN l AS k ON pid = lpart WHERE pkind = 3 \
        AND EXISTS (SELECT 1 FROM l AS m WHERE m.lpart = k.lpart AND m.lq > k.lq)",
    "SELECT pid, pkind FROM p WHERE pkind = 3 AND NOT EXISTS (SELECT 1 FROM l WHERE lpart = pid AND lq > pkind + 40)",
    "SELECT pid, n FROM p JOIN (SELECT lpart, count(*) AS n FROM l GROUP BY lpart) AS s ON pid = lpart \
        WHERE pid IN (SELECT lpart FROM l WHERE lid < 9 AND lq > 0)",
];

/// Queries to which no filter applies: the other side must keep its rows, no rows of the first side were dropped, or
/// the first side is empty.
const NOT_APPLIED: [&str; 9] = [
    "SELECT pid, n FROM (SELECT * FROM p WHERE pkind = 3) AS p FULL JOIN \
        (SELECT lpart, count(*) AS n FROM l GROUP BY lpart) AS s ON pid = lpart",
    "SELECT pid, n FROM (SELECT * FROM p WHERE pkind = 3) AS p RIGHT JOIN \
        (SELECT lpart, count(*) AS n FROM l GROUP BY lpart) AS s ON pid = lpart",
    "SELECT pid, n FROM p JOIN (SELECT lpart, count(*) AS n FROM l GROUP BY lpart) AS s ON pid = lpart",
    "SELECT n FROM (SELECT lpart, count(*) AS n FROM l GROUP BY lpart) AS s \
        WHERE lpart NOT IN (SELECT pid FROM p WHERE pkind = 3)",
    "SELECT pid, n FROM p JOIN (SELECT lpart, count(*) AS n FROM l GROUP BY ROLLUP (lpart)) AS s ON pid = lpart \
        WHERE pkind = 3",
    "SELECT pid, n FROM p JOIN (SELECT max(lpart) AS m, count(*) AS n FROM l GROUP BY lq) AS s ON pid = m \
        WHERE pkind = 3",
    "SELECT pid, lid FROM p JOIN (SELECT lpart, lid FROM l ORDER BY lid LIMIT 17000) AS s ON pid = lpart \
        WHERE pkind = 3",
    "SELECT pid, n FROM p JOIN (SELECT lpart, row_number() OVER (ORDER BY lid) AS n FROM l) AS s ON pid = lpart \
        WHERE pkind = 3",
    "SELECT pid, n FROM p JOIN (SELECT lpart, count(*) AS n FROM l GROUP BY lpart) AS s ON pid = lpart \
        WHERE pkind = 77",
];

#[tokio::test]
async fn sets_of_keys_filter_rows_below_other_nodes() {
    for is_resident in [true, false] {
        let checked = Checked::new(session(tables(), is_resident));
        for query in APPLIED {
            let before = checked.options.counts().key_filters;
            checked.whole(query).await;
            let plan = explain(&checked.plan(query).await.unwrap());
            assert!(checked.options.counts().key_filters > before, "{query}\n{plan}");
            assert!(plan.contains(", key_filters="), "{query}\n{plan}");
        }
        assert_eq!(checked.options.counts().fallbacks, 0);
    }
}

#[tokio::test]
async fn rows_that_a_join_keeps_are_not_filtered() {
    let checked = Checked::new(session(tables(), true));
    for query in NOT_APPLIED {
        checked.whole(query).await;
        let plan = explain(&checked.plan(query).await.unwrap());
        assert_eq!(checked.options.counts().key_filters, 0, "{query}\n{plan}");
    }
    // The rows of this session are copied to the device.
    let checked = Checked::new(session(tables(), false));
    for query in NOT_APPLIED {
        checked.whole(query).await;
    }
}

#[tokio::test]
async fn the_option_removes_key_filters() {
    let options = GdfOptions::on(device()).with_key_filters(false);
    let (plain, ctx) = (session(tables(), true), session(tables(), true).with_gdf(options.clone()));
    for query in APPLIED {
        let frame = ctx.sql(query).await.unwrap();
        let plan = explain(&frame.clone().create_physical_plan().await.unwrap());
        assert!(!plan.contains("key_filters"), "{plan}");
        let expected = plain.sql(query).await.unwrap().collect().await.unwrap();
        assert_eq!(lines(&frame.collect().await.unwrap()), lines(&expected), "{query}");
    }
    assert_eq!((options.counts().islands, options.counts().key_filters), (APPLIED.len() as u64, 0));
}

/// A run in parts passes on the keys of right sides that fit.
#[tokio::test]
async fn runs_in_parts_pass_on_keys() {
    let options = GdfOptions::on(device()).with_fallback(Fallback::Forbidden).with_parts(true);
    let options = options.with_memory_limit(64 << 20);
    let (plain, ctx) = (session(tables(), true), session(tables(), true).with_gdf(options.clone()));
    let mut passed = 0;
    for query in APPLIED.iter().chain(&NOT_APPLIED) {
        let before = options.counts().key_filters;
        let found = ctx.sql(query).await.unwrap().collect().await.unwrap();
        let expected = plain.sql(query).await.unwrap().collect().await.unwrap();
        assert_eq!(lines(&found), lines(&expected), "{query}");
        passed += usize::from(options.counts().key_filters > before);
    }
    assert!(passed >= APPLIED.len() / 2, "{passed} queries have passed on keys");
    assert_eq!(options.counts().in_parts, options.counts().islands);
    // A condition on groups leaves few of them. The number of groups before the condition is unknown.
    let query = "SELECT count(*), sum(lid) FROM p JOIN l ON pid = lpart WHERE pid IN \
        (SELECT lpart FROM l GROUP BY lpart HAVING min(lid) < 9)";
    let before = options.counts().key_filters;
    let found = ctx.sql(query).await.unwrap().collect().await.unwrap();
    assert_eq!(lines(&found), lines(&plain.sql(query).await.unwrap().collect().await.unwrap()));
    assert!(options.counts().key_filters > before, "{:?}", options.counts());
}

#[tokio::test]
async fn explain_analyze_counts_key_filters() {
    let ctx = session(tables(), true).with_gdf(GdfOptions::on(device()));
    let rows = ctx.sql(&format!("EXPLAIN ANALYZE {}", APPLIED[1])).await.unwrap().collect().await.unwrap();
    let text = lines(&rows).join("\n");
    assert!(text.contains("key_filters=1"), "{text}");
}

/// A group that is dropped causes no error above the aggregate.
#[tokio::test]
async fn rows_that_are_dropped_cause_no_error() {
    let query = "SELECT pid, n FROM p JOIN (SELECT lpart, 100 / (lpart - 1400) AS n FROM \
        (SELECT lpart, count(*) FROM l GROUP BY lpart) AS g) AS s ON pid = lpart WHERE pkind = 3";
    let (plain, expected) = (session(tables(), true), query.replace("lpart - 1400", "nullif(lpart - 1400, 0)"));
    assert!(plain.sql(query).await.unwrap().collect().await.is_err());
    let expected = lines(&plain.sql(&expected).await.unwrap().collect().await.unwrap());
    let options = GdfOptions::on(device()).with_fallback(Fallback::Forbidden);
    let ctx = plain.clone().with_gdf(options.clone());
    assert_eq!(lines(&ctx.sql(query).await.unwrap().collect().await.unwrap()), expected);
    let ctx = plain.with_gdf(options.with_key_filters(false));
    assert!(ctx.sql(query).await.unwrap().collect().await.is_err());
}
