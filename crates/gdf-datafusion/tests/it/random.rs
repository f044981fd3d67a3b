//! Compares the rows of random queries with the rows of DataFusion. The number of a query is the seed of its generator.

mod shapes;

use arrow_schema::ArrowError;
use datafusion::error::DataFusionError;
use gdf_datafusion::{GdfOptions, GdfSession};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::kit::{Checked, assert_rows, is_whole, islands, strict};
use crate::small::{files, session};
use crate::unnest::register as lists;

/// The number of queries. The variable `GDF_SQL_QUERIES` overrides it.
const QUERIES: u64 = 600;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Integer,
    Decimal,
    Float,
    Text,
    Date,
    Boolean,
}

use Kind::*;

const KINDS: [Kind; 6] = [Integer, Decimal, Float, Text, Date, Boolean];

/// The kinds of keys. Rows are not distinguished by floats, because DataFusion returns NaN twice in some plans.
const KEYS: [Kind; 5] = [Integer, Decimal, Text, Date, Boolean];

/// The system that runs the statement. Statements of the same seed have the same meaning in both.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    DataFusion,
    DuckDb,
}

/// A generator of SQL text: expressions over the columns of tables, and queries.
pub(crate) struct Writer {
    rng: SmallRng,
    tables: Vec<&'static str>,
    dialect: Dialect,
}

impl Writer {
    pub(crate) fn new(rng: SmallRng, dialect: Dialect) -> Writer {
        Writer { rng, tables: Vec::new(), dialect }
    }

    fn one_of<T: Clone>(&mut self, values: &[T]) -> T {
        values[self.rng.random_range(0..values.len())].clone()
    }

    fn kind(&mut self) -> Kind {
        self.one_of(&KINDS)
    }

    fn column(&mut self, kind: Kind) -> String {
        let names: &[&str] = match kind {
            Integer => &["id", "k", "v", "u"],
            Decimal => &["m"],
            Float => &["f"],
            Text => &["s", "w"],
            Date => &["d"],
            Boolean => &["b"],
        };
        let tables = self.tables.clone();
        let (table, name) = (self.one_of(&tables), self.one_of(names));
        format!("\"{table}{name}\"")
    }

    fn literal(&mut self, kind: Kind) -> String {
        match kind {
            Integer => self.rng.random_range(-3..9).to_string(),
            Decimal => format!("{}.{}", self.rng.random_range(-30..30), self.rng.random_range(0..10)),
            Float => self.one_of(&["2.25e0", "-1.5e0", "1e9", "0.125e0"]).to_owned(),
            Text => self.one_of(&["''", "'a'", "'abc'", "'Oslo'", "'日本'"]).to_owned(),
            Date => format!("DATE '{}-0{}-11'", self.rng.random_range(1968..2024), self.rng.random_range(1..10)),
            Boolean => self.one_of(&["TRUE", "FALSE"]).to_owned(),
        }
    }

    fn leaf(&mut self, kind: Kind) -> String {
        if self.tables.is_empty() {
            // An expression without tables.
            return if self.rng.random_ratio(1, 6) { null(kind).to_owned() } else { self.literal(kind) };
        }
        if self.rng.random_ratio(2, 3) { self.column(kind) } else { self.literal(kind) }
    }

    fn value(&mut self, kind: Kind, depth: usize) -> String {
        if depth == 0 || self.rng.random_ratio(1, 5) {
            return self.leaf(kind);
        }
        let depth = depth - 1;
        match self.rng.random_range(0..10) {
            0 => {
                let (condition, a) = (self.value(Boolean, depth), self.value(kind, depth));
                let otherwise =
                    if self.rng.random_bool(0.5) { format!("ELSE {}", self.leaf(kind)) } else { String::new() };
                format!("CASE WHEN {condition} THEN {a} {otherwise} END")
            }
            1 => format!("coalesce({}, {})", self.value(kind, depth), self.leaf(kind)),
            // The README lists that −0.0 equals 0.0, so floats are left out.
            2 if kind != Float => format!("nullif({}, {})", self.value(kind, depth), self.leaf(kind)),
            3 => {
                let of = self.one_of(&[Integer, Text, Date]);
                let base = if self.tables.is_empty() { null(of).to_owned() } else { self.column(of) };
                let (first, second) = (self.literal(of), self.leaf(of));
                let (then, otherwise) = (self.value(kind, depth), self.leaf(kind));
                format!("CASE {base} WHEN {first} THEN NULL WHEN {second} THEN {then} ELSE {otherwise} END")
            }
            _ => self.operation(kind, depth),
        }
    }

    fn operation(&mut self, kind: Kind, depth: usize) -> String {
        match kind {
            Integer => match self.rng.random_range(0..8) {
                5 => format!("abs({})", self.value(Integer, depth)),
                6 => format!("strpos({}, {})", self.value(Text, depth), self.one_of(&["'a'", "'本'", "''", "'ab'"])),
                7 => format!("TRY_CAST({} AS {})", self.value(Text, depth), self.one_of(&["INT", "BIGINT"])),
                0 => format!("({} / {})", self.value(Integer, depth), self.leaf(Integer)),
                1 => format!("({} % {})", self.value(Integer, depth), self.one_of(&["3", "-7", "10"])),
                2 => format!("character_length({})", self.value(Text, depth)),
                3 => {
                    let part = self.one_of(&["year", "month", "day", "quarter", "doy", "week"]);
                    format!("date_part('{part}', {})", self.value(Date, depth))
                }
                _ => self.infix(&["+", "-", "*"], Integer, depth),
            },
            Decimal => match self.rng.random_range(0..4) {
                0 => format!("({} / {})", self.value(Decimal, depth), self.leaf(Decimal)),
                1 => format!("CAST({} AS DECIMAL(12, 3))", self.leaf(Integer)),
                2 => format!("(- {})", self.value(Decimal, depth)),
                _ => self.infix(&["+", "-"], Decimal, depth),
            },
            Float => match self.rng.random_range(0..4) {
                3 => format!("{}({})", self.one_of(&["abs", "ceil", "floor", "round"]), self.value(Float, depth)),
                0 => format!("CAST({} AS DOUBLE)", self.value(Integer, depth)),
                1 => format!("CAST({} AS DOUBLE)", self.value(Decimal, depth)),
                _ => self.infix(&["+", "-", "*"], Float, depth),
            },
            Text => match self.rng.random_range(0..9) {
                3 => format!("{}({})", self.one_of(&["reverse", "btrim", "ltrim", "rtrim"]), self.value(Text, depth)),
                4 => {
                    let (from, to) = (self.one_of(&["'a'", "'s'", "'日'"]), self.one_of(&["''", "'xy'", "'é'"]));
                    format!("replace({}, {from}, {to})", self.value(Text, depth))
                }
                5 => {
                    let (function, fill) = (self.one_of(&["lpad", "rpad"]), self.one_of(&["", ", '-'", ", '本'"]));
                    format!("{function}({}, {}{fill})", self.value(Text, depth), self.rng.random_range(-1..6))
                }
                6 => format!("split_part({}, 'a', {})", self.value(Text, depth), self.one_of(&["1", "2", "-1"])),
                7 => {
                    let kind = self.one_of(&[Integer, Decimal, Boolean, Date]);
                    format!("CAST({} AS VARCHAR)", self.value(kind, depth))
                }
                0 => format!("substr({}, {})", self.value(Text, depth), self.rng.random_range(-1..4)),
                1 => format!("left({}, {})", self.value(Text, depth), self.rng.random_range(-2..4)),
                2 => format!("right({}, {})", self.value(Text, depth), self.rng.random_range(-2..4)),
                _ => self.infix(&["||"], Text, depth),
            },
            Date => match self.rng.random_range(0..5) {
                0 => {
                    let unit = self.one_of(&["year", "quarter", "month", "week"]);
                    format!("CAST(date_trunc('{unit}', {}) AS DATE)", self.value(Date, depth))
                }
                1 => {
                    let sign = self.one_of(&["+", "-"]);
                    let interval = self.one_of(&["1 month 3 days", "2 years", "1 week", "13 months -31 days"]);
                    let moved = format!("({} {sign} INTERVAL '{interval}')", self.value(Date, depth));
                    self.date(moved)
                }
                _ => {
                    let unit = self.one_of(&["DAY", "DAY", "MONTH"]);
                    let (date, count) = (self.value(Date, depth), self.rng.random_range(-40..40));
                    self.date(format!("({date} + INTERVAL '{count}' {unit})"))
                }
            },
            Boolean => self.condition(depth),
        }
    }

    /// DuckDB makes a timestamp of a date that an interval moves.
    fn date(&self, moved: String) -> String {
        match self.dialect {
            Dialect::DataFusion => moved,
            Dialect::DuckDb => format!("CAST({moved} AS DATE)"),
        }
    }

    fn infix(&mut self, operators: &[&str], kind: Kind, depth: usize) -> String {
        let (left, right) = (self.value(kind, depth), self.value(kind, depth));
        format!("({left} {} {right})", self.one_of(operators))
    }

    fn condition(&mut self, depth: usize) -> String {
        let kind = self.kind();
        if !self.tables.is_empty() && self.rng.random_ratio(1, 12) {
            return self.subquery();
        }
        match self.rng.random_range(0..10) {
            0 => format!("({} IS NULL)", self.value(kind, depth)),
            1 => format!("({} IN ({}, {}))", self.value(kind, depth), self.literal(kind), self.literal(kind)),
            2 => {
                let between = self.one_of(&["BETWEEN", "BETWEEN", "NOT BETWEEN"]);
                format!("({} {between} {} AND {})", self.value(kind, depth), self.leaf(kind), self.leaf(kind))
            }
            3 => format!("(NOT {})", self.value(Boolean, depth)),
            4 => {
                let pattern = self.one_of(&["a%", "%b%", "_b_", "%o", "日%", r"b\%\_c", r"%\_%", ""]);
                let like = self.one_of(&["LIKE", "NOT LIKE", "ILIKE", "NOT ILIKE"]);
                // Texts have no escapes in DuckDB, unless the query states one.
                let escape = match self.dialect {
                    Dialect::DuckDb if pattern.contains('\\') => r" ESCAPE '\'",
                    _ => "",
                };
                format!("({} {like} '{pattern}'{escape})", self.value(Text, depth))
            }
            5 => self.infix(&["AND", "OR"], Boolean, depth),
            6 => {
                // DataFusion distinguishes the zeros of floats by their signs.
                let kind = self.one_of(&KEYS);
                self.infix(&["IS DISTINCT FROM", "IS NOT DISTINCT FROM"], kind, depth)
            }
            7 => format!(
                "({} IS {})",
                self.value(Boolean, depth),
                self.one_of(&["TRUE", "NOT TRUE", "FALSE", "UNKNOWN"])
            ),
            _ => self.infix(&["=", "<>", "<", "<=", ">", ">="], kind, depth),
        }
    }

    /// Writes a condition with a subquery over `b`.
    fn subquery(&mut self) -> String {
        let outer = std::mem::replace(&mut self.tables, vec!["b"]);
        let inner = if self.rng.random_bool(0.5) { self.condition(0) } else { "bid < 15".to_owned() };
        self.tables = outer;
        let not = self.one_of(&["", "NOT "]);
        match self.rng.random_range(0..7) {
            0 => format!("(ak {not}IN (SELECT bk FROM b WHERE {inner}))"),
            1 => format!("(aid {not}IN (SELECT bid FROM b WHERE {inner}))"),
            2 => format!("({not}EXISTS (SELECT 1 FROM b AS c WHERE c.bk = ak AND c.bv <> av))"),
            3 => format!("(av > (SELECT avg(bv) FROM b WHERE {inner}))"),
            4 => format!("(ak {not}IN (SELECT bk FROM b WHERE bv < (SELECT max(bv) FROM b WHERE {inner})))"),
            5 => format!("(aid {not}IN (SELECT bid FROM b WHERE bk IN (SELECT c.bk FROM b AS c WHERE c.bv > 0)))"),
            _ => "(am < (SELECT max(c.bm) FROM b AS c WHERE c.bk = ak))".to_owned(),
        }
    }

    /// Writes the FROM clause, and sets the tables whose columns expressions may use.
    fn source(&mut self) -> String {
        self.tables = vec!["a"];
        match self.rng.random_range(0..8) {
            0 => return "(SELECT * FROM a WHERE av > 0 UNION ALL SELECT * FROM b) AS u".to_owned(),
            1 => {
                let limit = self.one_of(&["LIMIT 30", "DESC LIMIT 30 OFFSET 7", "OFFSET 50", "LIMIT 0"]);
                return format!("(SELECT * FROM (SELECT * FROM a ORDER BY aid {limit}) AS t WHERE ak < 5) AS u");
            }
            2..5 => return "a".to_owned(),
            _ => {}
        }
        self.tables = vec!["a", "b"];
        let join = self.one_of(&["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"]);
        let key = self.one_of(&["ak = bk", "aid = bid", "aw = bw", "ak = bk AND ab = bb", "am = bm", "ad = bd"]);
        let further = match join {
            "FULL JOIN" => String::new(),
            _ if self.rng.random_bool(0.5) => String::new(),
            _ => format!(" AND {}", self.one_of(&["av < bv", "\"as\" <> bw", "af <= bf", "am > bm"])),
        };
        format!("a {join} b ON {key}{further}")
    }

    fn aggregate(&mut self) -> String {
        let of = self.one_of(&["sum", "min", "max", "avg", "count", "count_distinct", "count_all"]);
        let kind = match of {
            "sum" | "avg" => self.one_of(&[Integer, Decimal]),
            // DataFusion's smallest and largest floats of groups depend on the order of rows that are NaN.
            "min" | "max" => self.one_of(&[Integer, Decimal, Text, Date]),
            _ => self.kind(),
        };
        let filter = match self.rng.random_ratio(1, 5) {
            true => format!(" FILTER (WHERE {})", self.value(Boolean, 1)),
            false => String::new(),
        };
        match of {
            "count_all" => format!("count(*){filter}"),
            "count_distinct" if kind != Float => {
                let is_sum = matches!(kind, Integer | Decimal) && self.rng.random_ratio(1, 3);
                let function = if is_sum { "sum" } else { "count" };
                format!("{function}(DISTINCT {}){filter}", self.value(kind, 1))
            }
            "count_distinct" => "count(*)".to_owned(),
            of => format!("{of}({}){filter}", self.value(kind, 2)),
        }
    }

    /// Writes a window function. The keys of the rows are distinct, so the result is unique.
    fn window(&mut self) -> String {
        let kind = self.kind();
        // DataFusion's smallest and largest floats depend on the order of rows that are NaN.
        let ordered = self.one_of(&[Integer, Decimal, Text, Date]);
        let partition = match self.rng.random_range(0..3) {
            0 => String::new(),
            1 => format!("PARTITION BY {} ", self.column(ordered)),
            _ => format!("PARTITION BY {} ", self.value(Boolean, 1)),
        };
        let id = format!("{}id", self.tables[0]);
        let order = match self.rng.random_range(0..3) {
            0 => format!("ORDER BY {id}"),
            1 => format!("ORDER BY {} DESC NULLS LAST, {id}", self.column(ordered)),
            _ => format!("ORDER BY {}, {id} DESC", self.column(kind)),
        };
        let frame = self.one_of(&[
            "",
            " ROWS BETWEEN 2 PRECEDING AND CURRENT ROW",
            " ROWS BETWEEN 1 PRECEDING AND 3 FOLLOWING",
            " ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING",
            " ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
            " RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
            " RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
            " GROUPS BETWEEN 1 PRECEDING AND 2 FOLLOWING",
            " GROUPS BETWEEN 2 FOLLOWING AND UNBOUNDED FOLLOWING",
        ]);
        let function = match self.rng.random_range(0..9) {
            0 => self.one_of(&["row_number()", "rank()", "dense_rank()", "percent_rank()", "cume_dist()"]).to_owned(),
            1 => format!("ntile({})", self.rng.random_range(1..9)),
            2 => {
                format!("{}({}, {})", self.one_of(&["lag", "lead"]), self.value(kind, 1), self.rng.random_range(-2..4))
            }
            3 => format!("{}({})", self.one_of(&["first_value", "last_value"]), self.value(kind, 1)),
            4 => format!("nth_value({}, {})", self.value(kind, 1), self.rng.random_range(1..4)),
            5 => "count(*)".to_owned(),
            6 => format!("count({})", self.value(kind, 1)),
            7 => format!("{}({})", self.one_of(&["min", "max"]), self.value(ordered, 1)),
            _ => {
                let kind = self.one_of(&[Integer, Decimal]);
                format!("{}({})", self.one_of(&["sum", "avg"]), self.value(kind, 1))
            }
        };
        // A RANGE frame with a distance needs a single key, so the id cannot be a second key. The window function must
        // therefore not depend on the order of rows with equal keys.
        if self.rng.random_ratio(1, 5) {
            let function = self.one_of(&["count(*)", "sum(av)", "min(aw)", "max(am)", "count(ab)"]);
            let filter = self.one_of(&["", " FILTER (WHERE ab)", " FILTER (WHERE av > 3 OR ab IS NULL)"]);
            // The ends of frames leave the integers of keys of 8 bits.
            let (keys, most) = match self.rng.random_bool(0.5) {
                true => (["av", "ak DESC", "av NULLS FIRST", "ak"], 400),
                false => (["au", "au DESC", "CAST(au - 128 AS TINYINT)", "CAST(au - 128 AS TINYINT) DESC"], 120),
            };
            let key = self.one_of(&keys);
            let ends = [self.rng.random_range(0..4), self.rng.random_range(0..most)];
            let range = match self.rng.random_range(0..4) {
                0 => format!("{} PRECEDING AND {} FOLLOWING", ends[0], ends[1]),
                1 => format!("{} FOLLOWING AND UNBOUNDED FOLLOWING", ends[0]),
                2 => format!("{} PRECEDING AND {} PRECEDING", ends[0] + ends[1], ends[0]),
                _ => format!("UNBOUNDED PRECEDING AND {} PRECEDING", ends[0]),
            };
            let units = self.one_of(&["RANGE", "GROUPS"]);
            return format!("{function}{filter} OVER ({partition}ORDER BY {key} {units} BETWEEN {range})");
        }
        // DataFusion converts integers to floats for an average, and computes moving sums of floats by differences.
        let frame = if function.starts_with("avg") { "" } else { frame };
        format!("{function} OVER ({partition}{order}{frame})")
    }

    /// Writes a SELECT of some expressions without tables.
    pub(crate) fn scalars(&mut self) -> String {
        let kind = |at: usize| KINDS[at % KINDS.len()];
        let first = self.rng.random_range(0..KINDS.len());
        let outputs: Vec<String> = (0..3).map(|at| format!("{} AS c{at}", self.value(kind(first + at), 3))).collect();
        format!("SELECT {}", outputs.join(", "))
    }

    /// Writes a query over the tables `a` and `b` alone.
    pub(crate) fn query_without_lists(&mut self) -> String {
        loop {
            let query = self.query();
            if !query.contains("unnest(") {
                return query;
            }
        }
    }

    pub(crate) fn query(&mut self) -> String {
        match self.rng.random_range(0..18) {
            0 | 1 => return self.set_operation(),
            2 | 3 => return self.grouping_sets(),
            4 => return self.unnest(),
            5 | 6 => return self.window_of_groups(),
            _ => {}
        }
        if self.rng.random_ratio(1, 6) {
            self.tables = vec!["a"];
            let count = self.rng.random_range(1..3);
            let windows: Vec<String> = (0..count).map(|at| format!("{} AS w{at}", self.window())).collect();
            let condition =
                if self.rng.random_bool(0.5) { format!(" WHERE {}", self.value(Boolean, 1)) } else { String::new() };
            return format!("SELECT aid, {} FROM a{condition}", windows.join(", "));
        }
        let source = self.source();
        let condition = match self.rng.random_bool(0.6) {
            true => format!(" WHERE {}", self.value(Boolean, 2)),
            false => String::new(),
        };
        let count = self.rng.random_range(1..4);
        match self.rng.random_range(0..4) {
            0 => {
                let outputs: Vec<String> = (0..count).map(|at| format!("{} AS c{at}", self.aggregate())).collect();
                format!("SELECT {} FROM {source}{condition}", outputs.join(", "))
            }
            1 => {
                let mut outputs = Vec::new();
                let mut keys = Vec::new();
                for at in 0..self.rng.random_range(1..3) {
                    let kind = self.one_of(&[Integer, Decimal, Text, Date, Boolean]);
                    outputs.push(format!("{} AS k{at}", self.value(kind, 1)));
                    keys.push((at + 1).to_string());
                }
                outputs.extend((0..count).map(|at| format!("{} AS c{at}", self.aggregate())));
                let having = match self.rng.random_range(0..6) {
                    0 => " HAVING count(*) > 1".to_owned(),
                    1 => " HAVING NOT (sum(av) > 0) OR max(aw) >= 'a'".to_owned(),
                    2 => format!(" HAVING {} IS NOT NULL", self.aggregate()),
                    _ => String::new(),
                };
                format!("SELECT {} FROM {source}{condition} GROUP BY {}{having}", outputs.join(", "), keys.join(", "))
            }
            shape => {
                let distinct = if self.rng.random_ratio(1, 6) { "DISTINCT " } else { "" };
                let output = |at: usize| {
                    // The top-k aggregate of DataFusion returns NaN twice.
                    let kind = match self.kind() {
                        Float if !distinct.is_empty() => Integer,
                        kind => kind,
                    };
                    format!("{} AS c{at}", self.value(kind, 3))
                };
                let outputs: Vec<String> = (0..count).map(output).collect();
                let query = format!("SELECT {distinct}{} FROM {source}{condition}", outputs.join(", "));
                if shape == 2 {
                    return query;
                }
                // All columns are keys, so rows with equal keys are equal rows.
                let key = |at: usize| {
                    let order = self.one_of(&["", " DESC", " NULLS FIRST", " DESC NULLS LAST"]);
                    format!("{}{order}", at + 1)
                };
                let keys: Vec<String> = (0..count).map(key).collect();
                let limit = self.one_of(&["", " LIMIT 3", " LIMIT 20 OFFSET 4", " OFFSET 9", " LIMIT 5 OFFSET 100"]);
                format!("{query} ORDER BY {}{limit}", keys.join(", "))
            }
        }
    }
}

fn null(kind: Kind) -> &'static str {
    match kind {
        Integer => "CAST(NULL AS BIGINT)",
        Decimal => "CAST(NULL AS DECIMAL(10, 2))",
        Float => "CAST(NULL AS DOUBLE)",
        Text => "CAST(NULL AS VARCHAR)",
        Date => "CAST(NULL AS DATE)",
        Boolean => "CAST(NULL AS BOOLEAN)",
    }
}

/// Returns whether an error is a division by zero, which is the only error that the random queries may cause.
pub(crate) fn is_division_by_zero(error: &DataFusionError) -> bool {
    matches!(error.find_root(), DataFusionError::ArrowError(of, _) if matches!(**of, ArrowError::DivideByZero))
}

#[tokio::test]
async fn random_queries_have_the_rows_of_datafusion() {
    // With `verify`, the query would also fail with the errors of DataFusion.
    // Row groups of the files have 7 rows.
    compared(strict().with_verify(false).with_piece_rows(7), 0).await;
}

/// The same with other queries, whose islands work on parts of their rows.
#[tokio::test]
async fn random_queries_in_parts_have_the_rows_of_datafusion() {
    let options = strict().with_verify(false).with_parts(true).with_memory_limit(64 << 20);
    compared(options.clone(), 1 << 32).await;
    assert_eq!(options.counts().in_parts, options.counts().islands);
}

/// Compares queries whose numbers begin at `first`, or later by the number in `GDF_SQL_QUERIES_FROM`.
async fn compared(options: GdfOptions, first: u64) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let queries = number("GDF_SQL_QUERIES").unwrap_or(QUERIES);
    let first = first + number("GDF_SQL_QUERIES_FROM").unwrap_or(0);
    let folder = tempfile::tempdir().unwrap();
    // Files have no columns of lists.
    let (resident, plain, of_files) = (session(true), session(false), files(folder.path()));
    lists(&resident, true);
    lists(&plain, false);
    lists(&of_files, false);
    let options = || options.clone();
    // Statements that DataFusion plans wrongly are compared with DuckDB, and with the cases of `semantics.rs`.
    let mended = plain.clone().with_mends();
    let of_files = Checked::with(options(), mended.clone(), of_files);
    let resident = Checked::with(options(), mended.clone(), resident);
    let sessions = [resident, Checked::with(options(), mended, plain), of_files];
    let (mut whole, mut partial, mut failed, mut lenient) = (0, 0, 0, 0);
    for number in first..first + queries {
        let mut writer = Writer::new(SmallRng::seed_from_u64(number), Dialect::DataFusion);
        let query = writer.query();
        let checked = &sessions[number as usize % sessions.len()];
        // A query that DataFusion cannot plan is skipped.
        if checked.expected_plan(&query).await.is_err() {
            continue;
        }
        let expected = checked.expected(&query).await;
        let plan = checked.plan(&query).await.unwrap_or_else(|error| panic!("query {number}: {query}: {error}"));
        let found = checked.found(&plan).await;
        let text = || format!("query {number}: {query}\n{}", gdf_datafusion::explain(&plan));
        match (found, expected) {
            (Ok(found), Ok(expected)) => {
                assert_rows(&checked.plain(), &query, [&found, &expected], text).await;
                whole += u64::from(is_whole(&plan));
                partial += u64::from(!is_whole(&plan) && islands(&plan) > 0);
            }
            (Err(found), Err(expected)) if [&found, &expected].into_iter().all(is_division_by_zero) => failed += 1,
            // DataFusion computes both sides of AND and OR for whole batches, and may divide by zero for a row that
            // does not need the quotient.
            (Ok(_), Err(expected)) if is_division_by_zero(&expected) => lenient += 1,
            (found, expected) => {
                let [found, expected] = [found, expected].map(|rows| rows.err().map(|error| error.to_string()));
                panic!("{}\ngdf: {found:?}\nDataFusion: {expected:?}", text());
            }
        }
    }
    println!(
        "{queries} queries: {whole} whole, {partial} in part, {failed} failed in both, {lenient} in DataFusion alone"
    );
    assert!(whole > queries / 2, "{whole} of {queries} queries are one island");
}
