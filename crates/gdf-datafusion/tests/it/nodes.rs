//! Tests each plan node and each expression that gdf supports.

use crate::kit::{Checked, strict};
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
async fn filters_and_projections() {
    all_whole(&[
        "SELECT aid, av + 1, -av, av * 2 - ak FROM a",
        "SELECT * FROM a WHERE av > 10 AND ak <> 3",
        "SELECT aid FROM a WHERE ab OR av < 0",
        "SELECT aid FROM a WHERE NOT ab",
        "SELECT ak FROM a WHERE am BETWEEN 1.5 AND 100 OR am IS NULL",
        "SELECT 1 AS one, aid + 0 AS id FROM a",
        "SELECT av / 7, av % 7, av / ak FROM a WHERE ak > 0",
        "SELECT am * am, am + 1, am - am, am / 3, am % 7.5 FROM a",
        "SELECT af + 1.5, af * 2, af / 0, af - af FROM a",
        "SELECT au + 1, au & 15, au | 1, av ^ 3, av >> 2, av << 3, au >> 1 FROM a",
        "SELECT ak, ab, sum(av), grouping(ak), grouping(ak, ab) FROM a GROUP BY ROLLUP (ak, ab)",
        "SELECT noneid + 1 FROM none WHERE nonev > 3",
    ])
    .await;
}

#[tokio::test]
async fn floats_are_ordered_totally() {
    all_whole(&[
        "SELECT aid FROM a WHERE af > 1",
        "SELECT aid FROM a WHERE af >= 2.25",
        "SELECT aid FROM a WHERE af < 2.25",
        "SELECT aid FROM a WHERE af <= 1e9",
        "SELECT aid, af = af, af <> af, af < af, af <= af, af > 2.25 - ak, af >= 2.25 - ak FROM a",
        "SELECT aid FROM a WHERE af = 'NaN'::double",
        "SELECT aid FROM a WHERE af < 'NaN'::double",
        "SELECT aid FROM a WHERE af IN (2.25, 'NaN'::double)",
        "SELECT min(af), max(af), count(af) FROM a",
        "SELECT ak, min(af), max(af) FROM a WHERE af < 'NaN'::double GROUP BY ak",
        "SELECT af, count(*) FROM a GROUP BY af",
        "SELECT af FROM a ORDER BY af DESC NULLS LAST",
        "SELECT aid, bid FROM a JOIN b ON af = bf",
        "SELECT aid FROM a WHERE af NOT IN (SELECT bf FROM b WHERE bf > 3)",
    ])
    .await;
}

#[tokio::test]
async fn expressions() {
    all_whole(&[
        "SELECT CASE WHEN av > 0 THEN 'plus' WHEN av < 0 THEN 'minus' END FROM a",
        "SELECT CASE ak WHEN 1 THEN av WHEN 2 THEN 0 ELSE NULL END FROM a",
        "SELECT CASE WHEN ak <> 0 THEN av / ak ELSE -1 END FROM a",
        "SELECT coalesce(ak, av, 5), nullif(ak, 3) FROM a",
        "SELECT aid FROM a WHERE ak IN (1, 2, NULL)",
        "SELECT aid FROM a WHERE ak NOT IN (1, 2)",
        "SELECT aid FROM a WHERE \"as\" IN ('a', 'Oslo') AND \"as\" >= 'Os'",
        "SELECT aid FROM a WHERE aw LIKE 'a%' OR aw LIKE '_b_' OR aw NOT LIKE '%o'",
        "SELECT aw || '-' || aw, concat(aw, '!', aw) FROM a",
        "SELECT aid FROM a WHERE substr(aw, 1, 2) IN ('ab', 'Os', '日本')",
        "SELECT aid FROM a WHERE substr(aw, 1, 2) NOT IN ('ab', 'Os') AND left(aw, 1) <> 's'",
        "SELECT substr(aw, 1, 1) IN ('a', 'b', 's'), substr(aw, 1, 1) NOT IN ('a', ''), substr(aw, 2, 1) = 'b' FROM a",
        "SELECT left(aw, 2) = 'ab', left(aw, 2) <> 'ab', left(aw, 2) = 'a', 'str' = left(aw, 3), left(aw, 0) = '' FROM a",
        "SELECT CAST(av / 8.0 AS DECIMAL(12, 2)), CAST(av / 16.0 AS DECIMAL(9, 0)), CAST(av * 0.5 AS DECIMAL(9, 0)) FROM a",
        "SELECT substr(aw, 2), substr(aw, 2, 1), substr(aw, -1, 3), left(aw, 2), right(aw, 2), left(aw, -1) FROM a",
        "SELECT right(aw, -1), right(aw, 0), character_length(aw), octet_length(aw) FROM a",
        "SELECT aid FROM a WHERE starts_with(aw, 'a') OR ends_with(aw, 'c') OR contains(aw, 'sl')",
        "SELECT ad IS NULL, av IS NOT NULL, ak IS DISTINCT FROM av, ak IS NOT DISTINCT FROM 3 FROM a",
        "SELECT date_part('year', ad), extract(month FROM ad), extract(day FROM ad), extract(doy FROM ad) FROM a",
        "SELECT extract(hour FROM at), extract(minute FROM at), extract(quarter FROM at), extract(week FROM at) FROM a",
        "SELECT aid FROM a WHERE ad >= DATE '1995-01-01' AND ad < DATE '2001-01-01' - INTERVAL '3' DAY",
        "SELECT ad + INTERVAL '5' DAY, ad - INTERVAL '1' DAY FROM a",
        "SELECT CAST(ak AS BIGINT), CAST(av AS INT), CAST(aid AS DOUBLE), CAST(au AS DECIMAL(20, 3)) FROM a",
        "SELECT CAST(am AS DOUBLE) AS a, CAST(am AS BIGINT) AS b, CAST(am AS DECIMAL(12, 1)) AS c FROM a",
        "SELECT CAST(am AS DECIMAL(20, 6)), CAST(-am / 3 AS DECIMAL(14, 3)) FROM a",
        "SELECT TRY_CAST(av AS TINYINT), TRY_CAST(af AS INT), TRY_CAST(am AS DECIMAL(4, 2)), TRY_CAST(at AS DATE) FROM a",
        "SELECT CAST(ab AS INT), CAST(ad AS TIMESTAMP), CAST(at AS DATE) FROM a",
        "SELECT CAST(CAST(am AS DOUBLE) * 1.25 AS DECIMAL(18, 4)) FROM a",
    ])
    .await;
}

#[tokio::test]
async fn texts() {
    all_whole(&[
        "SELECT trim(aw), btrim(aw, 'ac'), ltrim(aw, 'ab'), rtrim(aw, 'oc日'), btrim(aw, '') FROM a",
        "SELECT replace(aw, 'a', 'xx'), replace(aw, 's', ''), replace(aw, '本', 'b'), replace(aw, '', 'x') FROM a",
        "SELECT strpos(aw, 's'), strpos(aw, ''), strpos(aw, '本'), strpos(aw, 'abcd') FROM a",
        "SELECT reverse(aw), repeat(aw, 3), repeat(aw, 0), repeat(aw, -1), reverse(reverse(aw)) = aw FROM a",
        "SELECT lpad(aw, 5), rpad(aw, 5, '本'), lpad(aw, 2, 'x'), rpad(aw, 0), lpad(aw, -3, 'x') FROM a",
        "SELECT split_part(aw, 'a', 1), split_part(aw, 's', 2), split_part(aw, 'b', -1), split_part(aw, 'ss', 2) FROM a",
        "SELECT aid FROM a WHERE aw ILIKE 'A%' OR aw ILIKE '_B_' OR aw ILIKE '%SS%' OR aw NOT ILIKE '%O%'",
        "SELECT aid FROM a WHERE aw ILIKE 'STRAẞE' OR aw ILIKE 'b\u{212a}%'",
        "SELECT aid, regexp_like(aw, '^a.?c$'), regexp_like(aw, 'OSLO', 'i'), aw ~ 's+', aw !~ 'a', aw ~* 'S', aw !~* 'B' FROM a",
        r"SELECT aid, aw ~ 'o\z', aw ~ '[ab]\\Z' FROM a",
        "SELECT count(*), sum(strpos(aw, 'b')) FROM a WHERE length(reverse(aw)) > 2 GROUP BY reverse(aw) ORDER BY reverse(aw)",
        "SELECT x.aid, y.aid FROM a x JOIN a y ON reverse(x.aw) = lpad(y.aw, 3) ORDER BY lpad(x.aw, 1), x.aid, y.aid",
        "SELECT CASE WHEN aw LIKE 'a%' THEN upper(replace(aw, 'a', 'A')) ELSE reverse(lower(aw)) END FROM a",
        "SELECT aid, row_number() OVER (PARTITION BY reverse(aw) ORDER BY lpad(aw, 2), aid) FROM a",
    ])
    .await;
    // The end of the text is `\Z` in gdf, and not in DataFusion.
    for failing in [r"SELECT aw ~ 'o\Z' FROM a", r"SELECT aid FROM a WHERE regexp_like(aw, '[\\]\Z', 's')"] {
        assert_fails_as_in_datafusion(failing, true).await;
    }
}

#[tokio::test]
async fn casts_between_text_and_values() {
    all_whole(&[
        "SELECT CAST(ak AS VARCHAR), CAST(av AS VARCHAR), CAST(au AS VARCHAR), CAST(am AS VARCHAR), CAST(ab AS VARCHAR) FROM a",
        "SELECT CAST(am - 1000 AS VARCHAR), 'n' || av FROM a",
        "SELECT CAST(CAST(av AS VARCHAR) AS BIGINT), CAST(CAST(am AS VARCHAR) AS DOUBLE), CAST(CAST(au AS VARCHAR) AS SMALLINT) AS u FROM a",
        "SELECT CAST(ad AS VARCHAR), CAST(at AS VARCHAR), CAST(af AS VARCHAR), CAST(af / 3e7 AS VARCHAR) AS f FROM a",
        "SELECT CAST(CAST(ad AS VARCHAR) AS DATE), CAST(CAST(at AS VARCHAR) AS TIMESTAMP), CAST(CAST(ab AS VARCHAR) AS BOOLEAN) FROM a",
        "SELECT CAST(CAST(am AS VARCHAR) AS DECIMAL(12, 1)), CAST(CAST(au AS VARCHAR) AS INT UNSIGNED) AS u FROM a",
        "SELECT TRY_CAST(aw AS INT) AS i, TRY_CAST(aw AS DOUBLE) AS d, TRY_CAST(CAST(av AS VARCHAR) AS TINYINT) FROM a",
        "SELECT CASE WHEN aw = '' THEN 0 ELSE CAST(aw AS BIGINT) END FROM a WHERE aw IS NULL OR aw = ''",
    ])
    .await;
    let checked = Checked::new(numerals());
    for to in [
        "TINYINT",
        "INT",
        "BIGINT",
        "FLOAT",
        "DOUBLE",
        "BIGINT UNSIGNED",
        "DECIMAL(20, 3)",
        "DATE",
        "TIMESTAMP",
        "BOOLEAN",
    ] {
        checked.whole(&format!("SELECT n, TRY_CAST(n AS {to}) AS value FROM numerals")).await;
    }
    assert!(checked.ctx.sql("SELECT CAST(n AS INT) FROM numerals").await.unwrap().collect().await.is_err());
}

/// Returns a session with texts that are numbers, or that differ slightly from numbers.
fn numerals() -> datafusion::prelude::SessionContext {
    let texts = [
        "0",
        "-0",
        "+0",
        "1",
        "+1",
        "-1",
        "007",
        "127",
        "128",
        "-128",
        "-129",
        "2147483647",
        "2147483648",
        "1.0",
        "1.",
        ".5",
        "-.5",
        ".",
        "",
        " ",
        " 1",
        "1 ",
        "\t2\r\n",
        "\u{a0}3",
        " 4.5\u{c} ",
        "\u{b}5",
        "- 6",
        "1_000",
        "1,5",
        "0x10",
        "1e3",
        "1E-3",
        "1e",
        "e1",
        "inf",
        "-inf",
        "infinity",
        "INF",
        "nan",
        "NaN",
        "-nan",
        "18446744073709551615",
        "18446744073709551616",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "1e400",
        "-1e400",
        "1e-400",
        "4.9e-324",
        "0.1",
        "123456789.123456789",
        "١",
        "--1",
        "+-1",
        "1-",
        "true",
        "1f",
        "1d",
        "1e5.5",
        "1e+5",
        "00000000000000000000000000000000000001",
        "2024-02-29",
        "2023-02-29",
        "2024-2-9",
        "20240229",
        "2024-02-29T12:30:00.5",
        "2024-02-29 12:30",
        "12345-01-01",
        "yes",
        "F",
    ];
    let texts = arrow_array::StringArray::from_iter_values(texts);
    let batch = arrow_array::RecordBatch::try_from_iter([("n", std::sync::Arc::new(texts) as _)]).unwrap();
    let ctx = datafusion::prelude::SessionContext::new();
    ctx.register_batch("numerals", batch).unwrap();
    ctx
}

#[tokio::test]
async fn functions_of_numbers_and_moments() {
    all_whole(&[
        "SELECT abs(ak), abs(av), abs(au), abs(am), abs(af) FROM a",
        "SELECT round(af, 1), round(af * 1.23456e0, 3), round(av * 1.5e0, -2), round(CAST(af AS FLOAT), 1) AS r FROM a",
        "SELECT ceil(af), floor(af), round(af), round(af, 0), ceil(av / 7.5e0), floor(am::double) FROM a",
        "SELECT sqrt(abs(af)), exp(ak), ln(av + 2000), log2(av + 2000), log10(av + 2000) FROM a",
        "SELECT sin(av), cos(av), tan(av), atan(av), power(af, 2e0), power(abs(am::double), 0.5e0) FROM a",
        "SELECT CASE WHEN av >= 0 THEN sqrt(av) END FROM a",
        "SELECT date_trunc('second', at), date_trunc('minute', at), date_trunc('hour', at), date_trunc('day', at) FROM a",
        "SELECT date_trunc('week', at), date_trunc('month', at), date_trunc('quarter', at), date_trunc('year', at) FROM a",
        "SELECT date_trunc('month', ad), date_trunc('quarter', ad + INTERVAL '40' DAY) FROM a",
        "SELECT ad + INTERVAL '1' MONTH, ad - INTERVAL '1 year 3 days', ad + INTERVAL '25 months 40 days' FROM a",
        "SELECT at + INTERVAL '1' MONTH, at - INTERVAL '1 year 3 days 4 hours', at + INTERVAL '90' MINUTE, at - INTERVAL '1' DAY FROM a",
        "SELECT aid FROM a WHERE at > TIMESTAMP '1999-01-31 00:00:00' + INTERVAL '1' MONTH OR ad + INTERVAL '1' MONTH < at",
        "SELECT CAST(at AS TIMESTAMP(0)) AS s, CAST(at AS TIMESTAMP(3)) AS m, CAST(at AS TIMESTAMP(9)) AS n FROM a",
        "SELECT date_trunc('month', at), count(*) FROM a GROUP BY date_trunc('month', at)",
    ])
    .await;
    let smallest = "(CASE WHEN av < 2000 THEN -9223372036854775808 ELSE av END)";
    let far = "CAST(CAST(CAST(av * 0 + 100000000 AS INT) AS DATE) AS TIMESTAMP(0))";
    for (query, fails) in [
        ("SELECT sqrt(av) FROM a", true),
        ("SELECT abs(av * 0 - 9223372036854775807 - 1) FROM a", true),
        ("SELECT power(CAST(av AS DOUBLE) * 0, -1e0) FROM a", true),
        ("SELECT power(CAST(av AS DOUBLE) * 0, 1e0) FROM a", false),
        (format!("SELECT {smallest} / -1 FROM a").as_str(), true),
        (format!("SELECT {smallest} / (av - av - 1) FROM a").as_str(), true),
        (format!("SELECT {smallest} / 2 FROM a").as_str(), false),
        ("SELECT CAST(CAST(av * 0 + 200000000 AS INT) AS DATE) + INTERVAL '1' DAY FROM a", true),
        ("SELECT CASE WHEN av > 0 THEN TIMESTAMP '2262-01-01' END + INTERVAL '6' MONTH FROM a", true),
        // The last year of DataFusion is 262142, and the first is -262143.
        ("SELECT ad + INTERVAL '250000 years', ad - INTERVAL '250000 years' FROM a", false),
        ("SELECT ad + INTERVAL '300000 years' FROM a", true),
        ("SELECT ad - INTERVAL '270000 years' FROM a", true),
        ("SELECT ad + INTERVAL '99000000' DAY FROM a", true),
        ("SELECT ad - INTERVAL '99000000' DAY FROM a", true),
        ("SELECT CAST(CAST(av * 0 + 100000000 AS INT) AS DATE) - INTERVAL '30000000' DAY FROM a", true),
        ("SELECT CAST(CAST(av * 0 + 100000000 AS INT) AS DATE) - INTERVAL '100000 years' FROM a", true),
        ("SELECT at + INTERVAL '280000 years' FROM a", true),
        ("SELECT CAST(at AS TIMESTAMP(0)) + INTERVAL '300000 years' FROM a", true),
        ("SELECT CAST(at AS TIMESTAMP(3)) - INTERVAL '99000000' DAY FROM a", true),
        (format!("SELECT CAST({far} AS DATE) FROM a").as_str(), true),
        (format!("SELECT TRY_CAST({far} AS DATE) FROM a").as_str(), true),
    ] {
        assert_fails_as_in_datafusion(query, fails).await;
    }
}

/// Checks that a query fails, or that it does not, with gdf and with DataFusion. DataFusion does not run the islands.
async fn assert_fails_as_in_datafusion(query: &str, fails: bool) {
    let ctx = session(true);
    let checked = Checked::with(strict().with_verify(false), ctx.clone(), ctx);
    let found = checked.ctx.sql(query).await.unwrap().collect().await;
    assert_eq!(found.is_err(), fails, "{query} with gdf");
    assert_eq!(checked.expected(query).await.is_err(), fails, "{query} with DataFusion");
}

#[tokio::test]
async fn aggregates() {
    all_whole(&[
        "SELECT count(*), count(av), sum(av), min(av), max(av), avg(av) FROM a",
        "SELECT ak, count(*), count(av), sum(av), min(aw), max(ad), avg(am), sum(am) FROM a GROUP BY ak",
        "SELECT ak, aw, sum(au), avg(af) FROM a WHERE af < 100 GROUP BY ak, aw",
        "SELECT count(*), sum(nonev), avg(nonem), min(nonew) FROM none",
        "SELECT nonek, count(*), sum(nonev) FROM none GROUP BY nonek",
        "SELECT DISTINCT ak, ab FROM a",
        "SELECT ak, count(DISTINCT aw), count(DISTINCT av) FROM a GROUP BY ak",
        "SELECT count(DISTINCT aw) FROM a",
        "SELECT ak, count(*) FILTER (WHERE av > 0), sum(av) FILTER (WHERE ab) FROM a GROUP BY ak",
        "SELECT sum(av) FILTER (WHERE av > 100), count(*) FILTER (WHERE ab) FROM a",
        "SELECT ak, sum(av) AS total FROM a GROUP BY ak HAVING sum(av) > 0",
        "SELECT ak + 1, sum(av * 2) FROM a GROUP BY ak + 1",
        "SELECT ak, var_samp(av), stddev_pop(av), stddev(am), var_pop(av) FROM a GROUP BY ak",
        "SELECT stddev(av), var_pop(av) FROM a",
        "SELECT bool_and(ab), bool_or(ab) FROM a",
        "SELECT ak, bool_and(av > 0), bool_or(av > 990) FROM a GROUP BY ak",
        "SELECT ak, ab, sum(av) FROM a GROUP BY GROUPING SETS ((ak, ab), (ak), ())",
        "SELECT ak, ab, count(*) FROM a GROUP BY ROLLUP (ak, ab)",
        "SELECT ak, ab, min(av) FROM a GROUP BY CUBE (ak, ab)",
    ])
    .await;
}

#[tokio::test]
async fn joins() {
    all_whole(&[
        "SELECT aid, bid, bw FROM a JOIN b ON ak = bk",
        "SELECT aid, bid FROM a LEFT JOIN b ON ak = bk AND aw = bw",
        "SELECT aid, bid FROM a RIGHT JOIN b ON ak = bk AND av < bv",
        "SELECT aid, bid FROM a FULL JOIN b ON aw = bw",
        "SELECT aid, bid FROM a FULL JOIN b ON aw = bw AND av < bv",
        "SELECT aid, bid FROM a LEFT JOIN b ON ak = bk AND av < bv",
        "SELECT aid FROM a WHERE EXISTS (SELECT 1 FROM b WHERE bk = ak)",
        "SELECT aid FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE bk = ak AND bv > av)",
        "SELECT aid FROM a WHERE ak IN (SELECT bk FROM b WHERE bid < 5)",
        "SELECT aid FROM a WHERE ak NOT IN (SELECT bk FROM b)",
        "SELECT aid FROM a WHERE ak NOT IN (SELECT bk FROM b WHERE bk > 3)",
        "SELECT aid FROM a WHERE ak NOT IN (SELECT nonek FROM none)",
        "SELECT aid FROM a WHERE aid NOT IN (SELECT bid FROM b)",
        "SELECT aid FROM a WHERE ak IN (SELECT bk FROM b) OR av > 500",
        "SELECT aid, bid FROM a CROSS JOIN b",
        "SELECT aid, bid FROM a JOIN b ON av < bv",
        "SELECT aid, bid FROM a LEFT JOIN b ON av < bv AND av > 900",
        "SELECT aid, bid FROM a RIGHT JOIN b ON av < bv - 1500",
        "SELECT aid, bid FROM a FULL JOIN b ON av < bv - 1500",
        "SELECT aid FROM a WHERE EXISTS (SELECT 1 FROM b WHERE bv > av + 900)",
        "SELECT count(*) FROM a, b",
        "SELECT x.aid, y.aid FROM a x JOIN a y ON x.ak = y.ak + 1 AND x.aid <> y.aid",
        "SELECT aid, nonev FROM a LEFT JOIN none ON ak = nonek",
        "SELECT aid FROM a JOIN none ON ak = nonek",
        "SELECT aw FROM a INTERSECT SELECT bw FROM b",
        "SELECT ak, ab FROM a EXCEPT SELECT bk, bb FROM b",
    ])
    .await;
}

#[tokio::test]
async fn orders_limits_and_unions() {
    all_whole(&[
        "SELECT aid, av FROM a ORDER BY av, aid",
        "SELECT aid, aw FROM a ORDER BY aw DESC, aid LIMIT 7",
        "SELECT aid, ak FROM a ORDER BY ak DESC NULLS LAST, aid DESC OFFSET 5",
        "SELECT aid FROM a ORDER BY ak NULLS FIRST, av * -1, aid LIMIT 10 OFFSET 3",
        "SELECT aid + 1 AS next FROM a ORDER BY next LIMIT 5 OFFSET 58",
        "SELECT aid, ak FROM a WHERE av > 0 UNION ALL SELECT bid, bk FROM b WHERE bv > 0",
        "SELECT ak FROM a UNION SELECT bk FROM b",
        "SELECT count(*) FROM (SELECT 1 FROM a WHERE av > 0 UNION ALL SELECT 1 FROM b) AS both",
        "SELECT aid FROM a WHERE av > (SELECT avg(bv) FROM b)",
        "SELECT aid FROM a WHERE av > (SELECT bv FROM b WHERE bid = 1000)",
        "SELECT (SELECT max(bv) FROM b) + av, (SELECT min(bw) FROM b) FROM a WHERE aid < 10",
        "SELECT sum(x) FROM (SELECT av * (SELECT count(*) FROM b) AS x FROM a) AS products",
        "SELECT count(*) FROM (SELECT DISTINCT ak, aw FROM a LIMIT 3) AS some",
        "SELECT count(*) FROM (SELECT aid FROM a WHERE av > 0 LIMIT 3 OFFSET 2) AS some",
        "SELECT aid FROM a WHERE at < TIMESTAMP '2000-01-01 00:00:00' AND at IS NOT NULL",
        "SELECT aid, 'x' AS x FROM a WHERE ad = DATE '1970-01-02' OR am IN (1.5, 2)",
        "SELECT max(at), min(at), count(at) FROM a",
        "SELECT 1 + 1 AS two, 'x' AS x WHERE 1 = 1",
    ])
    .await;
}

/// Returns a session with a text for each character, and texts in which the case of a character depends on its
/// neighbors.
fn characters() -> datafusion::prelude::SessionContext {
    let single = ('\0'..=char::MAX).map(String::from);
    let words = ["ΑΣ", "ΑΣ.", "ΑΣΑ", "Σ", "STRASSE", "İI", "ŉ", "ﬃ", "ǅ", "aΣ b", "Σ'Σ", "I\u{307}"];
    let texts = arrow_array::StringArray::from_iter_values(single.chain(words.map(String::from)));
    let batch = arrow_array::RecordBatch::try_from_iter([("c", std::sync::Arc::new(texts) as _)]).unwrap();
    let ctx = datafusion::prelude::SessionContext::new();
    ctx.register_batch("characters", batch).unwrap();
    ctx
}

#[tokio::test]
async fn case_of_every_character() {
    let checked = Checked::new(characters());
    checked.whole("SELECT c, upper(c), lower(c) FROM characters").await;
}

#[tokio::test]
async fn recursive_queries_run_an_island_in_each_turn() {
    let checked = Checked::new(session(true));
    let query = "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 9) SELECT sum(n) FROM r";
    checked.any(query).await;
    assert!(checked.options.counts().islands > 5, "{:?}", checked.options.counts());
}
