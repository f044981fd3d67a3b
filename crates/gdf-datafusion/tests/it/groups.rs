//! Tests four kinds of plans: aggregates with keys that other keys determine, aggregates below joins, joins that ask
//! whether two values differ, and steps that occur several times. Each result is compared with the result of DataFusion
//! alone.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, Date32Array, Decimal128Array, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::kit::{Checked, session};

const CUSTOMERS: i64 = 120;
const ORDERS: i64 = 900;

/// Returns four tables. The customers `c` have a unique `cid`, and a `ctwin` with one value that occurs twice. The
/// nations are `n`. The customer of an order in `o` may be null or unknown. The table `e` has no rows.
fn tables() -> Vec<(&'static str, RecordBatch)> {
    let rng = &mut SmallRng::seed_from_u64(23);
    let batch = |columns: Vec<(&str, ArrayRef)>| {
        RecordBatch::try_from_iter_with_nullable(
            columns.into_iter().map(|(name, array)| (name, array, !name.ends_with("id"))),
        )
    };
    let customers = batch(vec![
        ("cid", Arc::new(Int64Array::from_iter_values((0..CUSTOMERS).map(|at| at * 2)))),
        (
            "ctwin",
            Arc::new(Int64Array::from_iter_values((0..CUSTOMERS).map(|at| if at == 7 { 500 } else { at * 5 + 5 }))),
        ),
        ("chole", Arc::new(Int64Array::from_iter((0..CUSTOMERS).map(|at| (at != 9).then_some(at))))),
        ("cname", Arc::new(StringArray::from_iter_values((0..CUSTOMERS).map(|at| format!("c{}", at % 90))))),
        ("cnation", Arc::new(Int32Array::from_iter((0..CUSTOMERS as i32).map(|at| (at % 9 != 0).then_some(at % 14))))),
        (
            "cmoney",
            Arc::new(
                Decimal128Array::from_iter((0..CUSTOMERS).map(|at| (at % 7 != 0).then_some(i128::from(at % 40))))
                    .with_precision_and_scale(12, 2)
                    .unwrap(),
            ),
        ),
    ]);
    let nations = batch(vec![
        ("nid", Arc::new(Int32Array::from_iter_values(0..11))),
        ("nname", Arc::new(StringArray::from_iter_values((0..11).map(|at| format!("n{}", at % 6))))),
    ]);
    let mut numbers = |of: i64| (0..ORDERS).map(|_| rng.random_ratio(9, 10).then(|| rng.random_range(0..of))).collect();
    let customer: Vec<Option<i64>> = numbers(2 * CUSTOMERS + 40);
    let price: Vec<Option<i64>> = numbers(50);
    let day: Vec<Option<i64>> = numbers(5);
    let orders = batch(vec![
        ("oid", Arc::new(Int64Array::from_iter_values((0..ORDERS).map(|at| at * 3 + 1)))),
        ("ocustomer", Arc::new(Int64Array::from_iter(customer.iter().map(|of| of.map(|of| of / 2 * 2))))),
        ("oprice", Arc::new(Int64Array::from(price.clone()))),
        (
            "omoney",
            Arc::new(
                Decimal128Array::from_iter(price.iter().map(|of| of.map(i128::from)))
                    .with_precision_and_scale(12, 2)
                    .unwrap(),
            ),
        ),
        ("oday", Arc::new(Date32Array::from_iter(day.iter().map(|of| of.map(|of| of as i32))))),
        (
            "ofloat",
            Arc::new(Float64Array::from_iter(
                day.iter().map(|of| of.map(|of| if of == 0 { f64::NAN } else { of as f64 })),
            )),
        ),
        ("otext", Arc::new(StringArray::from_iter(day.iter().map(|of| of.map(|of| format!("t{of}")))))),
    ]);
    let (customers, nations, orders) = (customers.unwrap(), nations.unwrap(), orders.unwrap());
    let empty = batch(vec![
        ("eid", Arc::new(Int64Array::from_iter_values(0..0))),
        ("evalue", Arc::new(Int64Array::from_iter_values(0..0))),
    ]);
    vec![("c", customers), ("n", nations), ("o", orders), ("e", empty.unwrap())]
}

fn checked() -> Checked {
    Checked::beside(session(tables(), false), session(tables(), true))
}

/// Returns the pipelines of a query.
async fn pipelines(checked: &Checked, query: &str) -> String {
    let rows = checked.ctx.sql(&format!("EXPLAIN ANALYZE {query}")).await.unwrap().collect().await.unwrap();
    datafusion::arrow::util::pretty::pretty_format_batches(&rows).unwrap().to_string()
}

/// Queries, and the number of keys that other keys determine.
const DETERMINED: [(usize, &str); 19] = [
    // Nations without a customer have no `cnation`.
    (
        0,
        "SELECT cnation, nname, count(*) FROM (SELECT * FROM c WHERE cid < 8) AS few FULL JOIN n ON cnation = nid \
            GROUP BY cnation, nname",
    ),
    (
        3,
        "SELECT cid, cname, cmoney, nname, sum(oprice) FROM c JOIN o ON cid = ocustomer JOIN n ON cnation = nid \
        GROUP BY cid, cname, cmoney, nname",
    ),
    (
        3,
        "SELECT nname, cname, cid, cmoney, count(*), max(otext) FROM c LEFT JOIN n ON cnation = nid \
        LEFT JOIN o ON cid = ocustomer GROUP BY nname, cname, cid, cmoney",
    ),
    (1, "SELECT ocustomer, cname, count(*) FROM o JOIN c ON cid = ocustomer GROUP BY ocustomer, cname"),
    (1, "SELECT ocustomer, cname, count(*) FROM o LEFT JOIN c ON cid = ocustomer GROUP BY ocustomer, cname"),
    (
        1,
        "SELECT ocustomer, cname, oprice, count(*) FROM o LEFT JOIN c ON cid = ocustomer GROUP BY ocustomer, cname, oprice",
    ),
    (1, "SELECT cid, cname, oprice, count(*) FROM c FULL JOIN o ON cid = ocustomer GROUP BY cid, cname, oprice"),
    (2, "SELECT cid, cname, cmoney, max(cmoney) FROM c WHERE cmoney > 0.05 GROUP BY cid, cname, cmoney"),
    (2, "SELECT DISTINCT cid, cname, nname FROM c JOIN n ON cnation = nid"),
    (
        2,
        "SELECT oid, cname, nname, count(DISTINCT otext) FROM o JOIN c ON cid = ocustomer JOIN n ON cnation = nid \
        GROUP BY oid, cname, nname",
    ),
    (
        1,
        "SELECT cid, cname, sum(oprice) AS s FROM c JOIN o ON cid = ocustomer GROUP BY cid, cname \
        HAVING sum(oprice) > 100 ORDER BY s DESC, cid LIMIT 5",
    ),
    (1, "SELECT cid, cname, avg(omoney) FROM c JOIN o ON cid = ocustomer GROUP BY cid, cname"),
    // These keys determine nothing. They have null values or repeated values, or belong to other columns, or are
    // expressions.
    (0, "SELECT ctwin, cname, count(*) FROM c GROUP BY ctwin, cname"),
    (0, "SELECT chole, cname, count(*) FROM c GROUP BY chole, cname"),
    (0, "SELECT nname, cname, count(*) FROM c JOIN n ON cnation = nid GROUP BY nname, cname"),
    (
        0,
        "SELECT ocustomer, cname, count(*) FROM o LEFT JOIN c ON cid = ocustomer AND oprice > 20 \
        GROUP BY ocustomer, cname",
    ),
    (0, "SELECT cid + 0 AS k, cname, count(*) FROM c GROUP BY k, cname"),
    (0, "SELECT cid, cname, count(*) FROM c GROUP BY GROUPING SETS ((cid), (cid, cname), ())"),
    (0, "SELECT cnation, cname, count(*) FROM c FULL JOIN n ON cnation = nid GROUP BY cnation, cname"),
];

#[tokio::test]
async fn keys_that_other_keys_determine() {
    let checked = checked();
    for (determined, query) in DETERMINED {
        checked.whole(query).await;
        let shown = pipelines(&checked, query).await;
        match determined {
            0 => assert!(!shown.contains("determined)"), "{query}\n{shown}"),
            _ => assert!(shown.contains(&format!("({determined} determined)")), "{query}\n{shown}"),
        }
    }
}

/// Queries, and whether their rows are grouped below the join.
const GROUPED_EARLY: [(bool, &str); 15] = [
    (
        true,
        "SELECT cid, count(oid), sum(oprice), min(omoney), max(oday) FROM c LEFT JOIN o ON cid = ocustomer GROUP BY cid",
    ),
    (true, "SELECT cname, count(oprice), sum(omoney) FROM c LEFT JOIN o ON cid = ocustomer GROUP BY cname"),
    (
        true,
        "SELECT cnation, max(otext), sum(ofloat) FROM c LEFT JOIN o ON cid = ocustomer AND otext NOT LIKE '%3' GROUP BY cnation",
    ),
    (
        true,
        "SELECT n, count(*) FROM (SELECT cid, count(oid) AS n FROM c LEFT JOIN o ON cid = ocustomer AND oprice < 20 \
        GROUP BY cid) AS s GROUP BY n",
    ),
    (true, "SELECT cid % 3 AS k, sum(oprice), count(oprice) FROM c LEFT JOIN o ON cid = ocustomer GROUP BY k"),
    (
        true,
        "SELECT cid, cname, sum(oprice) FROM c LEFT JOIN o ON cid = ocustomer WHERE cmoney > 0.1 GROUP BY cid, cname",
    ),
    (true, "SELECT cid, count(oid) FROM c LEFT JOIN o ON cid = ocustomer AND oprice > 1000 GROUP BY cid"),
    (false, "SELECT cid, count(*) FROM c LEFT JOIN o ON cid = ocustomer GROUP BY cid"),
    (false, "SELECT cid, avg(omoney) FROM c LEFT JOIN o ON cid = ocustomer GROUP BY cid"),
    (false, "SELECT cid, count(DISTINCT oprice) FROM c LEFT JOIN o ON cid = ocustomer GROUP BY cid"),
    (false, "SELECT cid, sum(coalesce(oprice, 1)) FROM c LEFT JOIN o ON cid = ocustomer GROUP BY cid"),
    (false, "SELECT cid, sum(oprice), sum(cmoney) FROM c LEFT JOIN o ON cid = ocustomer GROUP BY cid"),
    (false, "SELECT cid, oday, sum(oprice) FROM c LEFT JOIN o ON cid = ocustomer GROUP BY cid, oday"),
    (false, "SELECT cid, count(oid) FROM c JOIN o ON cid = ocustomer GROUP BY cid"),
    (false, "SELECT ocustomer, count(nid) FROM o LEFT JOIN n ON oprice = nid GROUP BY ocustomer"),
];

#[tokio::test]
async fn values_of_left_joins_are_grouped_before_they_are_joined() {
    let checked = checked();
    for (is_early, query) in GROUPED_EARLY {
        checked.whole(query).await;
        let shown = pipelines(&checked, query).await;
        let below = shown.split_once("join (").map_or("", |(_, below)| below);
        assert_eq!(below.contains("group by"), is_early, "{query}\n{shown}");
    }
}

#[tokio::test]
async fn rows_for_which_a_value_differs() {
    let checked = checked();
    for value in ["oprice", "omoney", "oday", "oid", "ofloat", "otext"] {
        for negated in ["", "NOT "] {
            for filters in [["true", "true"], ["x.oprice > 20", "y.oprice < 30"], ["true", "y.oprice > 1000"]] {
                let [of_left, of_right] = filters;
                let exists = format!(
                    "{negated}EXISTS (SELECT 1 FROM o AS y WHERE y.ocustomer = x.ocustomer AND y.{value} <> x.{value} \
                        AND {of_right})"
                );
                checked.whole(&format!("SELECT oid, oprice FROM o AS x WHERE {of_left} AND {exists}")).await;
                checked.whole(&format!("SELECT oid, oprice FROM o AS x WHERE oprice = 3 OR {exists}")).await;
            }
        }
    }
    for query in [
        "SELECT cid FROM c WHERE EXISTS (SELECT 1 FROM o WHERE ocustomer = cid AND oprice <> cid + 1)",
        "SELECT cid FROM c WHERE NOT EXISTS (SELECT 1 FROM o WHERE ocustomer = cid AND cid <> oprice)",
        "SELECT cid FROM c WHERE NOT EXISTS (SELECT 1 FROM e WHERE eid = cid AND evalue <> cid)",
        "SELECT eid FROM e WHERE NOT EXISTS (SELECT 1 FROM o WHERE eid = oid AND evalue <> oprice)",
        "SELECT oid FROM o AS x WHERE EXISTS (SELECT 1 FROM o AS y WHERE x.ocustomer = y.ocustomer AND x.oday = y.oday \
            AND y.oprice <> x.oprice)",
    ] {
        checked.whole(query).await;
    }
}

/// Joins that return columns of only one side, and whether they are semi joins.
#[tokio::test]
async fn joins_that_return_one_side() {
    let checked = checked();
    for (is_semi, query) in [
        (true, "SELECT oid, oprice FROM o JOIN c ON ocustomer = cid WHERE cmoney > 0.1"),
        (true, "SELECT count(*) FROM o JOIN c ON ocustomer = cid"),
        (true, "SELECT oid FROM o JOIN (SELECT DISTINCT ctwin AS k FROM c) AS s ON oprice = k"),
        (true, "SELECT oid FROM o JOIN c ON ocustomer = cid AND oprice > cid - 100"),
        (true, "SELECT sum(oprice) FROM o JOIN c ON ocustomer = cid JOIN n ON cnation = nid WHERE nname = 'n1'"),
        (false, "SELECT oid FROM o JOIN c ON oprice = ctwin"),
        (false, "SELECT oid FROM o JOIN (SELECT ocustomer AS k, oday AS d FROM o GROUP BY k, d) AS s ON ocustomer = k"),
        (false, "SELECT cid, cname FROM o JOIN c ON ocustomer = cid"),
        (false, "SELECT oid, cname FROM o JOIN c ON ocustomer = cid"),
        (false, "SELECT oid FROM o LEFT JOIN c ON ocustomer = cid"),
    ] {
        checked.whole(query).await;
        let shown = pipelines(&checked, query).await;
        assert_eq!(shown.contains("join (semi)"), is_semi, "{query}\n{shown}");
    }
}

/// Joins with conditions, whose right rows have distinct keys.
#[tokio::test]
async fn conditions_of_joins_with_distinct_keys() {
    let checked = checked();
    for query in [
        "SELECT oid, cname FROM o JOIN c ON ocustomer = cid AND oprice > cid - 100",
        "SELECT oid, cname FROM o JOIN c ON ocustomer = cid AND (oprice > 20 OR cmoney > 0.2)",
        "SELECT oid, cname FROM o JOIN c ON ocustomer = cid AND (oprice > 20 OR cmoney > 0.2) WHERE oday < DATE '1970-01-04'",
        "SELECT oid, cname, nname FROM o JOIN c ON ocustomer = cid JOIN n ON cnation = nid AND nid <> oprice",
        "SELECT oid FROM o WHERE EXISTS (SELECT 1 FROM c WHERE cid = ocustomer AND cmoney < omoney)",
        "SELECT oid FROM o WHERE oprice = 4 OR EXISTS (SELECT 1 FROM c WHERE cid = ocustomer AND cmoney < omoney)",
        "SELECT oid FROM o WHERE NOT EXISTS (SELECT 1 FROM c WHERE cid = ocustomer AND cmoney < omoney)",
        "SELECT cid FROM c WHERE cid > (SELECT 0.1 * sum(oprice) FROM o WHERE ocustomer = cid)",
        "SELECT oid, n FROM o JOIN (SELECT ocustomer AS k, oday AS d, count(*) AS n FROM o GROUP BY k, d) AS s \
            ON ocustomer = k AND oday = d AND n < oprice",
        "SELECT oid, n FROM o JOIN (SELECT ocustomer AS k, oday AS d, count(*) AS n FROM o GROUP BY k, d) AS s \
            ON ocustomer = k AND n < oprice",
        "SELECT oid, ctwin FROM o JOIN c ON oprice * 10 = ctwin AND oid > cid",
        "SELECT x.oid, y.oid FROM o AS x JOIN o AS y ON x.oprice = y.oprice AND x.oid < y.oid",
    ] {
        checked.whole(query).await;
    }
}

/// Queries, and the number of steps that are read again.
const SHARED: [(usize, &str); 9] = [
    (
        1,
        "WITH s AS (SELECT ocustomer AS k, sum(oprice) AS v FROM o GROUP BY k) \
        SELECT k, v FROM s WHERE v = (SELECT max(v) FROM s)",
    ),
    (
        1,
        "WITH s AS (SELECT ocustomer AS k, sum(oprice) AS v FROM o GROUP BY k) \
        SELECT x.k, y.k FROM s AS x JOIN s AS y ON x.v = y.v AND x.k < y.k",
    ),
    (
        2,
        "WITH s AS (SELECT oday AS k, count(*) AS v FROM o JOIN c ON ocustomer = cid GROUP BY k) \
        SELECT k, v FROM s WHERE v > 9 UNION ALL SELECT k, v FROM s UNION ALL SELECT k, v + 1 FROM s",
    ),
    (
        0,
        "SELECT nname, sum(oprice) FROM o JOIN c ON ocustomer = cid JOIN n ON cnation = nid GROUP BY nname \
        HAVING sum(oprice) > (SELECT sum(oprice) * 0.15 FROM o JOIN c ON ocustomer = cid JOIN n ON cnation = nid)",
    ),
    (
        0,
        "WITH s AS (SELECT ocustomer AS k, sum(oprice) AS v FROM o GROUP BY k) \
        SELECT k, v FROM s WHERE v = (SELECT max(oprice) FROM o)",
    ),
    (
        0,
        "SELECT * FROM (SELECT oday, min(oprice) FROM o GROUP BY oday) AS s \
        UNION ALL SELECT * FROM (SELECT oday, max(oprice) FROM o GROUP BY oday) AS t",
    ),
    (
        0,
        "SELECT * FROM (SELECT oday, min(oprice) FROM o WHERE oprice > 3 GROUP BY oday) AS s \
        UNION ALL SELECT * FROM (SELECT oday, min(oprice) FROM o WHERE oprice > 4 GROUP BY oday) AS t",
    ),
    (
        0,
        "SELECT * FROM (SELECT oid, cname FROM o JOIN c ON ocustomer = cid) AS s \
        UNION ALL SELECT * FROM (SELECT oid, cname FROM o LEFT JOIN c ON ocustomer = cid) AS t",
    ),
    (
        0,
        "SELECT * FROM (SELECT oid, cname FROM o JOIN c ON ocustomer = cid) AS s \
        UNION ALL SELECT * FROM (SELECT oid, cname FROM o JOIN c ON oid = cid) AS t",
    ),
];

#[tokio::test]
async fn steps_that_occur_several_times_run_once() {
    let checked = checked();
    for (again, query) in SHARED {
        checked.whole(query).await;
        let shown = pipelines(&checked, query).await;
        assert_eq!(shown.matches("again: ").count(), again, "{query}\n{shown}");
    }
}

#[tokio::test]
async fn files_that_several_steps_read_are_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let checked = Checked::beside(crate::small::session(false), crate::small::files(folder.path()));
    let query = "WITH s AS (SELECT ak, sum(av) AS v FROM a WHERE au > 3 GROUP BY ak) \
        SELECT ak, v FROM s WHERE v >= (SELECT avg(v) FROM s)";
    checked.whole(query).await;
    let shown = pipelines(&checked, query).await;
    assert_eq!((shown.matches("again: ").count(), shown.matches(": read ").count()), (1, 0), "{shown}");
    assert_eq!(shown.matches("  read ").count(), 1, "{shown}");
}
