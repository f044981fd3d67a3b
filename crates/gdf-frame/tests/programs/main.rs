//! Tests that eager and lazy frames give the same rows as a naive interpreter, for random programs of verbs.

mod joins;
mod naive;
mod nested;
mod polars;
mod polars_types;
mod shapes;

use gdf::frame::{DuplicateKeepOption, Expr, Frame, Join, JoinKind, LazyFrame, all, col, len};
use gdf::io::{ParquetReader, ParquetWriter};
use gdf::memory::{SpillManager, SpillOptions};
use gdf::prelude::*;
use gdf_test::device::test_device;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use self::naive::{Aggregate, Kind, Node, Rows, Value};

const TEXTS: [&str; 5] = ["", "a", "ab", "Ünïcode", "zz top"];

/// Generates a table of columns `a`, `b`, … with at least one column of integers.
fn random_rows(rng: &mut SmallRng, count: usize) -> Rows {
    let mut columns = vec![("a".to_owned(), Kind::Int), ("b".to_owned(), Kind::Text), ("c".to_owned(), Kind::Int)];
    if rng.random_bool(0.5) {
        columns.push(("d".to_owned(), Kind::Bool));
    }
    let value = |rng: &mut SmallRng, kind: Kind| match kind {
        _ if rng.random_bool(0.2) => Value::Null,
        Kind::Int => Value::Int(rng.random_range(-3..=6)),
        Kind::Text => Value::Text((*TEXTS.choose(rng).expect("the list of texts is not empty")).to_owned()),
        Kind::Bool => Value::Bool(rng.random()),
    };
    let row = |_| columns.iter().map(|(_, kind)| value(rng, *kind)).collect();
    let rows = (0..count).map(row).collect();
    Rows { columns, rows, is_ordered: true }
}

fn frame_of(rows: &Rows) -> Frame {
    let column = |(at, (name, kind)): (usize, &(String, Kind))| {
        let values = rows.rows.iter().map(|row| &row[at]);
        let column = match kind {
            Kind::Int => Column::from_options(
                &values.map(|value| if let Value::Int(of) = value { Some(*of) } else { None }).collect::<Vec<_>>(),
            ),
            Kind::Bool => Column::from_options(
                &values.map(|value| if let Value::Bool(of) = value { Some(*of) } else { None }).collect::<Vec<_>>(),
            ),
            Kind::Text => Column::from_strs(
                values.map(|value| if let Value::Text(of) = value { Some(of.as_str()) } else { None }),
            ),
        };
        (name.clone(), column.unwrap())
    };
    Frame::try_new(rows.columns.iter().enumerate().map(column)).unwrap()
}

/// Returns the rows of a frame. Integers of every width are equal.
fn rows_of(frame: &Frame) -> Vec<Vec<Value>> {
    let columns = frame.columns().iter().map(|(_, column)| -> Vec<Value> {
        match column.data_type() {
            DataType::Boolean => {
                column.to_vec::<bool>().unwrap().into_iter().map(|of| of.map_or(Value::Null, Value::Bool)).collect()
            }
            DataType::Utf8 => {
                column.to_strings().unwrap().into_iter().map(|of| of.map_or(Value::Null, Value::Text)).collect()
            }
            _ => {
                let wide = gdf::unary::cast(column, &DataType::Int64).unwrap();
                wide.to_vec::<i64>().unwrap().into_iter().map(|of| of.map_or(Value::Null, Value::Int)).collect()
            }
        }
    });
    let columns: Vec<Vec<Value>> = columns.collect();
    (0..frame.num_rows()).map(|row| columns.iter().map(|column| column[row].clone()).collect()).collect()
}

fn assert_equal(frame: &Frame, expected: &Rows, what: &str) {
    let names: Vec<&str> = expected.columns.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(frame.names().collect::<Vec<_>>(), names, "{what}");
    let (mut found, mut rows) = (rows_of(frame), expected.rows.clone());
    if !expected.is_ordered {
        found.sort();
        rows.sort();
    }
    assert_eq!(found, rows, "{what}");
}

/// Generates an expression of this kind over the columns.
fn node(rng: &mut SmallRng, of: &Rows, kind: Kind, depth: u32) -> Node {
    let columns: Vec<&String> = of.columns.iter().filter(|(_, found)| *found == kind).map(|(name, _)| name).collect();
    if depth == 0 || rng.random_bool(0.2) {
        if let Some(name) = columns.choose(rng)
            && rng.random_bool(0.8)
        {
            return Node::Column((*name).clone());
        }
        return match kind {
            Kind::Int => Node::Int(rng.random_range(-2..=5)),
            Kind::Text => Node::Text(TEXTS.choose(rng).expect("the list of texts is not empty")),
            Kind::Bool => Node::Less(Box::new(node(rng, of, Kind::Int, 0)), Box::new(Node::Int(2))),
        };
    }
    let mut part = |kind| Box::new(node(rng, of, kind, depth - 1));
    let operands = [part(kind), part(kind)];
    let (number, other, text, truth) = (part(Kind::Int), part(Kind::Int), part(Kind::Text), part(Kind::Bool));
    let [a, b] = operands;
    match (kind, rng.random_range(0..6)) {
        (_, 0) => Node::When(truth, a, b),
        (_, 1) => Node::Coalesce(a, b),
        (Kind::Int, 2 | 3) => Node::Add(a, b),
        (Kind::Int, 4) => Node::Mul(a, b),
        (Kind::Int, _) => Node::Length(text),
        (Kind::Bool, 2) => Node::And(a, b),
        (Kind::Bool, 3) => Node::Or(a, b),
        (Kind::Bool, 4) => Node::Not(a),
        (Kind::Bool, _) if rng.random() => Node::IsNull(text),
        (Kind::Bool, _) if rng.random() => Node::Equal(text, part_text(of, rng)),
        (Kind::Bool, _) => Node::Less(number, other),
        (Kind::Text, _) => Node::Coalesce(a, b),
    }
}

fn part_text(of: &Rows, rng: &mut SmallRng) -> Box<Node> {
    Box::new(node(rng, of, Kind::Text, 0))
}

fn kind_of(rng: &mut SmallRng) -> Kind {
    *[Kind::Int, Kind::Int, Kind::Bool, Kind::Text].choose(rng).expect("the list of kinds is not empty")
}

fn aggregated(aggregate: Aggregate, node: &Node) -> Expr {
    match aggregate {
        Aggregate::Sum => node.expr().sum(),
        Aggregate::Min => node.expr().min(),
        Aggregate::Max => node.expr().max(),
        Aggregate::Count => node.expr().count(),
        Aggregate::Len => len(),
        Aggregate::NUnique => node.expr().n_unique(),
    }
}

/// Chooses an aggregation, and an expression that supports this aggregation.
fn aggregation(rng: &mut SmallRng, of: &Rows) -> (Kind, Aggregate, Node) {
    use Aggregate::{Count, Len, Max, Min, NUnique, Sum};
    let kind = *[Kind::Int, Kind::Int, Kind::Text].choose(rng).expect("the list of kinds is not empty");
    let choices: &[Aggregate] = match kind {
        Kind::Int => &[Sum, Sum, Min, Max, Count, Len, NUnique],
        _ => &[Count, Len, NUnique],
    };
    (kind, *choices.choose(rng).expect("the list of aggregations is not empty"), node(rng, of, kind, 2))
}

/// A program in five forms: an eager frame, a lazy frame, a lazy frame over batches, a lazy frame over a file, and the
/// rows of the naive interpreter. Each verb is applied to all five.
struct Program {
    lazy: LazyFrame,
    batches: LazyFrame,
    scan: LazyFrame,
    /// The folder of the file.
    folder: TempDir,
    eager: Frame,
    naive: Rows,
    verbs: Vec<String>,
    /// The verbs for polars.
    steps: Vec<Json>,
    /// The next verb for polars. Without it, polars gets the rows of the naive interpreter.
    step: Option<Json>,
}

impl Program {
    /// Returns a program without verbs, the state of the generator after its tables, and a table for joins.
    fn random(seed: u64) -> (Program, SmallRng, Rows) {
        let mut rng = SmallRng::seed_from_u64(seed);
        let count = [0, 1, 7, 32, 33, 100][seed as usize % 6];
        let (naive, other) = (random_rows(&mut rng, count), random_rows(&mut rng, 9));
        let eager = frame_of(&naive);
        let (lazy, batches) = (eager.lazy(), in_batches(&mut rng, &eager));
        let folder = tempfile::tempdir().unwrap();
        let scan = in_file(&mut rng, &eager, &folder);
        let (verbs, steps) = (Vec::new(), Vec::new());
        (Program { lazy, batches, scan, folder, eager, naive, verbs, steps, step: None }, rng, other)
    }

    /// Applies 5 to 10 verbs, and calls `check` after each.
    fn random_verbs(&mut self, rng: &mut SmallRng, other: &Rows, check: impl Fn(&Program)) {
        for _ in 0..rng.random_range(5..=10) {
            self.random_verb(rng, other);
            check(self);
        }
    }

    /// Sets the form for polars of the verb that is applied next.
    fn in_polars(&mut self, step: Json) -> &mut Program {
        self.step = Some(step);
        self
    }

    fn apply(&mut self, verb: String, naive: Rows, lazy: impl Fn(LazyFrame) -> LazyFrame) {
        self.steps.push(self.step.take().unwrap_or_else(|| json!({ "verb": "rows", "table": naive.json() })));
        self.verbs.push(verb);
        self.naive = naive;
        self.lazy = lazy(self.lazy.clone());
        self.batches = lazy(self.batches.clone());
        self.scan = lazy(self.scan.clone());
        self.eager = lazy(self.eager.lazy()).collect().unwrap_or_else(|error| panic!("{:?}: {error}", self.verbs));
    }

    fn random_verb(&mut self, rng: &mut SmallRng, other: &Rows) {
        let rows = self.naive.clone();
        let name = |rng: &mut SmallRng| rows.columns.choose(rng).expect("the table has columns").0.clone();
        if rng.random_bool(0.1) {
            return nested::apply(self, rng);
        }
        if rng.random_bool(0.1) {
            return joins::apply(self, rng, other);
        }
        if rng.random_bool(0.3) {
            return shapes::apply(self, rng, other);
        }
        match rng.random_range(0..14) {
            0 | 1 => {
                let condition = node(rng, &rows, Kind::Bool, 3);
                let step = json!({ "verb": "filter", "condition": condition.json() });
                self.in_polars(step).apply(format!("filter {}", condition.expr()), rows.filter(&condition), |lazy| {
                    lazy.filter(condition.expr())
                });
            }
            2 | 3 => {
                let kind = kind_of(rng);
                let (value, to) = (node(rng, &rows, kind, 3), if rng.random() { name(rng) } else { "new".into() });
                let naive = rows.with(&to, kind, rows.values(&value));
                let step = json!({ "verb": "with", "value": value.json(), "to": to });
                self.in_polars(step).apply(format!("with {} as {to}", value.expr()), naive, |lazy| {
                    lazy.with([value.expr().alias(to.as_str())])
                });
            }
            4 => {
                let mut outputs: Vec<(String, Kind, Node)> = Vec::new();
                for (at, kind) in [Kind::Int, Kind::Text, kind_of(rng)].into_iter().enumerate() {
                    // An expression without a column would return a single row.
                    let value =
                        Node::Coalesce(Box::new(node(rng, &rows, kind, 2)), Box::new(node(rng, &rows, kind, 1)));
                    outputs.push((["a", "b", "x"][at].to_owned(), kind, value));
                }
                outputs.push(("row".into(), rows.columns[0].1, Node::Column(rows.columns[0].0.clone())));
                let exprs =
                    || outputs.iter().map(|(name, _, node)| node.expr().alias(name.as_str())).collect::<Vec<_>>();
                let named: Vec<Json> = outputs.iter().map(|(name, _, node)| json!([name, node.json()])).collect();
                let step = json!({ "verb": "select", "outputs": named });
                self.in_polars(step)
                    .apply(format!("select {:?}", exprs()), rows.select(&outputs), |lazy| lazy.select(exprs()));
            }
            5 => {
                let descending: Vec<bool> = rows.columns.iter().map(|_| rng.random()).collect();
                let keys = || {
                    let key = |((name, _), descending): (&(String, Kind), &bool)| {
                        if *descending { col(name.as_str()).desc() } else { col(name.as_str()).asc() }
                    };
                    rows.columns.iter().zip(&descending).map(key).collect::<Vec<_>>()
                };
                let step = json!({ "verb": "sort", "descending": descending });
                self.in_polars(step)
                    .apply(format!("sort {:?}", keys()), rows.sort(&descending), |lazy| lazy.sort(keys()));
            }
            6 if rows.is_ordered => {
                let (offset, count) = (rng.random_range(0..4), rng.random_range(0..30));
                let kept = rows.rows.iter().skip(offset).take(count).cloned().collect();
                let naive = Rows { rows: kept, ..rows.clone() };
                let step = json!({ "verb": "slice", "offset": offset, "len": count });
                self.in_polars(step).apply(format!("slice {offset} {count}"), naive, |lazy| lazy.slice(offset, count));
            }
            7 => self
                .in_polars(json!({ "verb": "distinct" }))
                .apply("distinct".into(), rows.distinct(), |lazy| lazy.distinct(all(), DuplicateKeepOption::Any)),
            8 | 9 => {
                let mut keys = vec![name(rng)];
                keys.extend(Some(name(rng)).filter(|key| *key != keys[0]));
                let mut outputs = Vec::new();
                for at in 0..rng.random_range(1..4) {
                    let (kind, aggregate, node) = aggregation(rng, &rows);
                    outputs.push((format!("v{}_{at}", self.verbs.len()), kind, aggregate, node));
                }
                let naive = rows.group(&keys, &outputs);
                let exprs = || {
                    let of = |(name, _, aggregate, node): &(String, Kind, Aggregate, Node)| {
                        aggregated(*aggregate, node).alias(name.as_str())
                    };
                    outputs.iter().map(of).collect::<Vec<_>>()
                };
                let named = outputs.iter().map(|(name, _, aggregate, node)| json!([name, aggregate.json(node)]));
                let step = json!({ "verb": "group_by", "keys": keys, "outputs": named.collect::<Vec<_>>() });
                self.in_polars(step).apply(format!("group by {keys:?}: {:?}", exprs()), naive, |lazy| {
                    lazy.group_by(&keys).agg(exprs())
                });
            }
            10 => {
                let (kind, aggregate, node) = aggregation(rng, &rows);
                let keys = [name(rng)];
                let naive = rows.with("over", aggregate.kind(kind), rows.over(&keys, aggregate, &node));
                let value = || aggregated(aggregate, &node).over([keys[0].as_str()]).alias("over");
                let step = json!({ "verb": "over", "to": "over", "keys": keys, "of": aggregate.json(&node) });
                self.in_polars(step).apply(format!("with {}", value()), naive, |lazy| lazy.with([value()]));
            }
            12 if rows.is_ordered => {
                let (value_node, keys) = (node(rng, &rows, Kind::Int, 2), [name(rng)]);
                let (offset, is_sum) = (rng.random_range(-3..=3), rng.random());
                let in_order =
                    |values: &[Value]| if is_sum { naive::cum_sum(values) } else { naive::shift(values, offset) };
                let naive = rows.with("running", Kind::Int, rows.by_partition(&keys, &value_node, in_order));
                let value = || {
                    let value = value_node.expr();
                    let value = if is_sum { value.cum_sum() } else { value.shift(offset) };
                    value.over([keys[0].as_str()]).alias("running")
                };
                let of = json!([if is_sum { "cum_sum" } else { "shift" }, value_node.json(), offset]);
                let step = json!({ "verb": "over", "to": "running", "keys": keys, "of": of });
                self.in_polars(step).apply(format!("with {}", value()), naive, |lazy| lazy.with([value()]));
            }
            11 if rows.columns.iter().any(|column| *column == ("a".to_owned(), Kind::Int)) => {
                use JoinKind::{Anti, Full, Inner, Left, Right, Semi};
                let kind = *[Inner, Left, Right, Full, Semi, Anti].choose(rng).expect("the list of kinds is not empty");
                let naive = rows.join(other, "a", kind);
                let has_distinct_names =
                    naive.columns.iter().map(|(name, _)| name).collect::<std::collections::HashSet<_>>();
                // Repeated joins produce many rows, so joins with large results are left out.
                if has_distinct_names.len() < naive.columns.len() || naive.rows.len() > 2_000 {
                    return;
                }
                let right = frame_of(other);
                let columns: Vec<_> = naive.columns.iter().map(|(name, _)| name.clone()).collect();
                let how = format!("{kind:?}");
                let step = json!({ "verb": "join", "how": how, "right": other.json(), "columns": columns });
                self.in_polars(step)
                    .apply(format!("{kind:?} join"), naive, |lazy| lazy.join(right.lazy(), Join::new(kind, ["a"])));
            }
            _ => {
                let (old, new) = (name(rng), format!("n{}", self.verbs.len()));
                let mut naive = rows.clone();
                let position = naive.position(&old);
                naive.columns[position].0.clone_from(&new);
                let step = json!({ "verb": "rename", "old": old, "new": new });
                self.in_polars(step).apply(format!("rename {old} {new}"), naive, |lazy| lazy.rename([(&old, &new)]));
            }
        }
    }
}

/// Divides a frame into batches, some of which may have no rows.
fn in_batches(rng: &mut SmallRng, frame: &Frame) -> LazyFrame {
    let (mut batches, mut start) = (Vec::new(), 0);
    while start < frame.num_rows() || batches.is_empty() {
        let count = rng.random_range(0..=frame.num_rows() - start);
        batches.push(frame.slice(start, count).unwrap());
        start += count;
    }
    LazyFrame::from_batches(batches).unwrap()
}

/// Returns a scan of a file of the rows, in several row groups and batches.
fn in_file(rng: &mut SmallRng, frame: &Frame, folder: &TempDir) -> LazyFrame {
    let (path, batch) = (folder.path().join("rows.parquet"), frame.to_batch().unwrap());
    let mut writer = ParquetWriter::new(&path, batch.schema()).row_group_rows(rng.random_range(1..40));
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    ParquetReader::open(&path).unwrap().batch_rows(rng.random_range(1..60)).try_into().unwrap()
}

/// Runs `work` with a spill manager whose limit is soft. A limit of `usize::MAX` stands for no manager.
fn below_a_limit<R>(limit: usize, work: impl FnOnce() -> R) -> R {
    if limit == usize::MAX {
        return work();
    }
    let device = test_device();
    let resource = gdf::memory::current_resource(device).unwrap();
    let manager = SpillManager::new(resource, SpillOptions::new().with_device_limit(limit));
    gdf::scope::with_resource(&manager.resource(), work)
}

/// Calls `run` on the device of the tests with the seed of each program, and returns the results.
fn programs<T>(run: impl Fn(u64) -> T) -> Vec<T> {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    let first = number("GDF_TEST_FRAME_PROGRAMS_FROM").unwrap_or(0);
    let count = number("GDF_TEST_FRAME_PROGRAMS").unwrap_or(200);
    gdf::scope::with_device(test_device(), || (first..first + count).map(run).collect())
}

#[test]
fn random_programs_equal_a_naive_interpreter() {
    programs(|seed| {
        let (mut program, mut rng, other) = Program::random(seed);
        program.random_verbs(&mut rng, &other, |program| {
            assert_equal(&program.eager, &program.naive, &format!("seed {seed}, eager: {:#?}", program.verbs));
        });
        let lazy = program.lazy.collect();
        let lazy = lazy.unwrap_or_else(|error| panic!("seed {seed}, lazy: {error}: {:#?}", program.verbs));
        assert_equal(&lazy, &program.naive, &format!("seed {seed}, lazy: {:#?}", program.verbs));
        // With the smallest limits, every join, group-by and sort divides its rows, and divides them again.
        let limit = [usize::MAX, 64, 1000, 20_000][rng.random_range(0..4)];
        let found = below_a_limit(limit, || program.batches.collect());
        let found = found.unwrap_or_else(|error| panic!("seed {seed}, batches: {error}: {:#?}", program.verbs));
        let what = format!("seed {seed}, batches with a limit of {limit} bytes: {:#?}", program.verbs);
        assert_equal(&found, &program.naive, &what);
        let found = below_a_limit(limit, || program.scan.collect());
        let found = found.unwrap_or_else(|error| panic!("seed {seed}, scan: {error}: {:#?}", program.verbs));
        assert_equal(
            &found,
            &program.naive,
            &format!("seed {seed}, scan with a limit of {limit} bytes: {:#?}", program.verbs),
        );
        if !program.naive.columns.is_empty() {
            let path = program.folder.path().join("found.parquet");
            let sunk = below_a_limit(limit, || program.scan.sink_parquet(&path));
            sunk.unwrap_or_else(|error| panic!("seed {seed}, sink: {error}: {:#?}", program.verbs));
            let found = Frame::read_parquet(&path).unwrap();
            assert_equal(
                &found,
                &program.naive,
                &format!("seed {seed}, sink with a limit of {limit} bytes: {:#?}", program.verbs),
            );
        }
        // The plan may compute the first column only.
        let first = program.naive.columns[0].clone();
        let one = program.lazy.clone().select([col(first.0.as_str())]).collect().unwrap();
        let output = (first.0.clone(), first.1, Node::Column(first.0));
        assert_equal(&one, &program.naive.select(&[output]), &format!("seed {seed}, one column: {:#?}", program.verbs));
    });
}
