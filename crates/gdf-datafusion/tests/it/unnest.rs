//! Lists become rows, and structs become columns.

use std::sync::Arc;

use arrow_array::builder::{
    FixedSizeListBuilder, Float64Builder, Int32Builder, Int64Builder, LargeListBuilder, ListBuilder, StringBuilder,
    StringViewBuilder, StructBuilder,
};
use arrow_array::{ArrayRef, Int32Array, RecordBatch};
use arrow_schema::{DataType, Field, Fields};
use datafusion::common::{NullHandling, RecursionUnnestOption, UnnestOptions};
use datafusion::datasource::MemTable;
use datafusion::physical_plan::collect;
use datafusion::prelude::{DataFrame, SessionContext};
use gdf_datafusion::{GdfTable, explain};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::kit::{Checked, device, is_whole, lines};

const ROWS: usize = 40;

/// Returns the number of elements of a list, or `None` for a null list.
fn length(rng: &mut SmallRng) -> Option<usize> {
    rng.random_range(0..6_usize).checked_sub(1)
}

fn number(rng: &mut SmallRng) -> Option<i64> {
    rng.random_range(0..9_i64).checked_sub(1).filter(|number| *number >= 0)
}

fn points() -> Fields {
    Fields::from(vec![Field::new("x", DataType::Int64, true), Field::new("name", DataType::Utf8, true)])
}

fn append_point(builder: &mut StructBuilder, rng: &mut SmallRng) {
    let (x, is_valid) = (number(rng), rng.random_ratio(4, 5));
    builder.field_builder::<Int64Builder>(0).unwrap().append_option(x.filter(|_| is_valid));
    let name = x.map(|x| format!("p{x}")).filter(|_| is_valid);
    builder.field_builder::<StringBuilder>(1).unwrap().append_option(name);
    builder.append(is_valid);
}

/// Returns columns of all kinds of lists and structs. There are null lists, empty lists and null elements.
fn batch(seed: u64) -> RecordBatch {
    let rng = &mut SmallRng::seed_from_u64(seed);
    let mut numbers = ListBuilder::new(Int64Builder::new());
    let mut texts = ListBuilder::new(StringBuilder::new());
    let mut views = ListBuilder::new(StringViewBuilder::new());
    let mut large = LargeListBuilder::new(Float64Builder::new());
    let mut pairs = FixedSizeListBuilder::new(Int32Builder::new(), 2);
    let mut nested = ListBuilder::new(ListBuilder::new(Int32Builder::new()));
    let mut point = StructBuilder::from_fields(points(), ROWS);
    let mut of_points = ListBuilder::new(StructBuilder::from_fields(points(), ROWS));
    for _ in 0..ROWS {
        let lengths: [Option<usize>; 7] = std::array::from_fn(|_| length(rng));
        (0..lengths[0].unwrap_or(0)).for_each(|_| numbers.values().append_option(number(rng)));
        numbers.append(lengths[0].is_some());
        (0..lengths[1].unwrap_or(0))
            .for_each(|_| texts.values().append_option(number(rng).map(|n| "é".repeat(n as usize))));
        texts.append(lengths[1].is_some());
        (0..lengths[2].unwrap_or(0)).for_each(|at| views.values().append_value(format!("a longer text, number {at}")));
        views.append(lengths[2].is_some());
        (0..lengths[3].unwrap_or(0)).for_each(|_| large.values().append_option(number(rng).map(|n| n as f64 / 4.0)));
        large.append(lengths[3].is_some());
        (0..2).for_each(|_| pairs.values().append_option(number(rng).map(|n| n as i32)));
        pairs.append(lengths[4].is_some());
        for _ in 0..lengths[5].unwrap_or(0) {
            let inner = length(rng);
            (0..inner.unwrap_or(0)).for_each(|_| nested.values().values().append_option(number(rng).map(|n| n as i32)));
            nested.values().append(inner.is_some());
        }
        nested.append(lengths[5].is_some());
        append_point(&mut point, rng);
        (0..lengths[6].unwrap_or(0)).for_each(|_| append_point(of_points.values(), rng));
        of_points.append(lengths[6].is_some());
    }
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int32Array::from_iter_values(0..ROWS as i32))),
        ("numbers", Arc::new(numbers.finish())),
        ("texts", Arc::new(texts.finish())),
        ("views", Arc::new(views.finish())),
        ("large", Arc::new(large.finish())),
        ("pairs", Arc::new(pairs.finish())),
        ("nested", Arc::new(nested.finish())),
        ("point", Arc::new(point.finish())),
        ("points", Arc::new(of_points.finish())),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true))).unwrap()
}

/// Registers the table `n`, and the table `no` without rows.
pub(crate) fn register(ctx: &SessionContext, is_resident: bool) {
    let rows = batch(7);
    let parts = vec![rows.slice(0, 13), rows.slice(13, 0), rows.slice(13, ROWS - 13)];
    for (name, batches) in [("n", parts), ("no", vec![rows.slice(5, 0)])] {
        if is_resident {
            ctx.register_table(name, Arc::new(GdfTable::from_batches(&batches, device()).unwrap())).unwrap();
        } else {
            ctx.register_table(name, Arc::new(MemTable::try_new(rows.schema(), vec![batches]).unwrap())).unwrap();
        }
    }
}

fn session(is_resident: bool) -> SessionContext {
    let ctx = SessionContext::new();
    register(&ctx, is_resident);
    ctx
}

async fn all_whole(queries: &[&str]) {
    for is_resident in [true, false] {
        let checked = Checked::new(session(is_resident));
        for query in queries {
            checked.whole(query).await;
            checked.whole(&query.replace("FROM n", "FROM no")).await;
        }
    }
}

#[tokio::test]
async fn lists_become_rows() {
    all_whole(&[
        "SELECT id, unnest(numbers) FROM n",
        "SELECT unnest(texts), id FROM n",
        "SELECT unnest(views) FROM n",
        "SELECT id, unnest(large) FROM n",
        "SELECT id, unnest(pairs) FROM n",
        "SELECT id, unnest(nested) FROM n",
        "SELECT numbers, unnest(numbers) FROM n",
        "SELECT id, point, pairs, unnest(numbers) FROM n WHERE id > 20",
    ])
    .await;
}

#[tokio::test]
async fn several_lists_are_walked_at_the_same_time() {
    all_whole(&[
        "SELECT id, unnest(numbers), unnest(texts) FROM n",
        "SELECT unnest(pairs), unnest(large), unnest(views), id FROM n",
        "SELECT unnest(nested), unnest(points) FROM n",
    ])
    .await;
}

#[tokio::test]
async fn lists_of_lists_become_rows() {
    all_whole(&[
        "SELECT id, unnest(unnest(nested)) FROM n",
        "SELECT id, unnest(unnest(nested)), unnest(nested) FROM n",
        "SELECT unnest(numbers), unnest(unnest(nested)), unnest(nested), id FROM n",
    ])
    .await;
}

#[tokio::test]
async fn structs_become_columns() {
    all_whole(&[
        "SELECT id, unnest(point) FROM n",
        "SELECT unnest(point), unnest(numbers), id FROM n",
        "SELECT id, unnest(points) FROM n",
        "SELECT id, unnest(unnest(points)) FROM n",
    ])
    .await;
}

#[tokio::test]
async fn nodes_above_and_below_an_unnest() {
    all_whole(&[
        "SELECT x, count(*), sum(id) FROM (SELECT id, unnest(numbers) AS x FROM n) AS u GROUP BY x",
        "SELECT id, x FROM (SELECT id, unnest(numbers) AS x FROM n WHERE id % 3 = 1) AS u WHERE x > 2 ORDER BY x, id DESC",
        "SELECT u.id, x, t FROM (SELECT id, unnest(numbers) AS x FROM n) AS u JOIN (SELECT id AS i, unnest(texts) AS t FROM n) AS v ON x = i",
        "SELECT id, x * 2 + id, sum(x) OVER (PARTITION BY id) FROM (SELECT id, unnest(numbers) AS x FROM n) AS u",
        "SELECT id FROM n WHERE id IN (SELECT unnest(numbers) FROM n)",
        "SELECT sum(y) FROM (SELECT unnest(x) AS y FROM (SELECT unnest(nested) AS x FROM n) AS u) AS v",
    ])
    .await;
}

/// With some options, a null list or an empty list also becomes a row.
#[tokio::test]
async fn lists_without_elements() {
    let cases: [&[&str]; 4] = [&["numbers"], &["numbers", "texts"], &["nested"], &["points", "large", "pairs"]];
    for is_resident in [true, false] {
        let checked = Checked::new(session(is_resident));
        for handling in [NullHandling::Drop, NullHandling::Preserve, NullHandling::PreserveAndExpandEmpty] {
            let options = UnnestOptions::new().with_null_handling(handling);
            for columns in cases {
                checked.same("n", columns, &options).await;
                checked.same("no", columns, &options).await;
            }
            let recursion = |name: &str, depth| RecursionUnnestOption {
                input_column: "nested".into(),
                output_column: name.into(),
                depth,
            };
            let options = options.with_recursions(recursion("deep", 2)).with_recursions(recursion("flat", 1));
            checked.same("n", &["nested", "numbers"], &options).await;
        }
    }
}

impl Checked {
    /// Compares the rows of an unnest with the rows of DataFusion alone.
    async fn same(&self, table: &str, columns: &[&str], options: &UnnestOptions) {
        let unnested = async |ctx: &SessionContext| -> DataFrame {
            let frame = ctx.table(table).await.unwrap();
            frame.unnest_columns_with_options(columns, options.clone()).unwrap()
        };
        let what = format!("{columns:?} of {table}, {options:?}");
        let expected = unnested(&self.plain()).await.collect().await.unwrap();
        let plan = unnested(&self.ctx).await.create_physical_plan().await.unwrap();
        assert!(is_whole(&plan), "{what}:\n{}", explain(&plan));
        let found = collect(plan, self.ctx.task_ctx()).await.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(lines(&found), lines(&expected), "{what}");
    }
}

/// The rows of a list stay in the order of its elements, and the rows of the input keep their order.
#[tokio::test]
async fn rows_keep_their_order() {
    let checked = Checked::new(session(true));
    for query in ["SELECT id, unnest(numbers) FROM n", "SELECT id, unnest(numbers), unnest(texts) FROM n"] {
        let text = |batches: &[RecordBatch]| {
            datafusion::arrow::util::pretty::pretty_format_batches(batches).unwrap().to_string()
        };
        let expected = checked.expected(query).await.unwrap();
        let plan = checked.plan(query).await.unwrap();
        assert_eq!(text(&checked.found(&plan).await.unwrap()), text(&expected), "{query}");
    }
}

/// Expressions over lists are left to DataFusion, also below an unnest.
#[tokio::test]
async fn expressions_over_lists_are_not_lowered() {
    let checked = Checked::new(session(false));
    checked.partly("SELECT id FROM n WHERE numbers IS NULL AND id > 3 ORDER BY id + 1").await;
    checked.partly("SELECT count(*) FROM (SELECT DISTINCT numbers FROM n) AS u").await;
    checked.any("SELECT nested FROM n ORDER BY id").await;
}
