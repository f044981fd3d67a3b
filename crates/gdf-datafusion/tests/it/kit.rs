//! Runs a query with gdf and with DataFusion alone, and compares the rows.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use datafusion::arrow::array::make_comparator;
use datafusion::arrow::compute::{SortOptions, concat_batches};
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::datasource::MemTable;
use datafusion::error::Result;
use datafusion::logical_expr::{LogicalPlan, SortExpr};
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::SessionContext;
use gdf_datafusion::{Device, Fallback, GdfExec, GdfOptions, GdfSession, GdfTable, explain};

/// Returns the device of `GDF_TEST_DEVICE`, or else the CPU.
pub(crate) fn device() -> Device {
    let name = std::env::var("GDF_TEST_DEVICE").ok().filter(|name| !name.is_empty());
    name.map_or(Device::Cpu, |name| name.parse().unwrap())
}

/// Returns options with which each island is compared with DataFusion, and an error of gdf fails the query.
pub(crate) fn strict() -> GdfOptions {
    GdfOptions::on(device()).with_fallback(Fallback::Forbidden).with_verify(true)
}

/// Returns a session with tables. If `is_resident` is true, the tables are on the test's device. Otherwise, they are
/// tables of DataFusion.
pub(crate) fn session(
    tables: impl IntoIterator<Item = (&'static str, RecordBatch)>,
    is_resident: bool,
) -> SessionContext {
    let ctx = SessionContext::new();
    for (name, batch) in tables {
        if is_resident {
            ctx.register_table(name, Arc::new(GdfTable::from_batches(&[batch], device()).unwrap())).unwrap();
        } else {
            ctx.register_table(name, Arc::new(MemTable::try_new(batch.schema(), vec![vec![batch]]).unwrap())).unwrap();
        }
    }
    ctx
}

/// A session with gdf, the same session without gdf, and the options, whose counts include the islands.
pub(crate) struct Checked {
    plain: SessionContext,
    pub(crate) ctx: SessionContext,
    pub(crate) options: GdfOptions,
}

impl Checked {
    /// Adds gdf to a session. Each island is compared with DataFusion.
    pub(crate) fn new(plain: SessionContext) -> Checked {
        Checked::with(strict(), plain.clone(), plain)
    }

    /// Adds gdf to the session `other`. The session `plain` has the same tables, and its results are the expected
    /// results.
    pub(crate) fn beside(plain: SessionContext, other: SessionContext) -> Checked {
        Checked::with(strict(), plain, other)
    }

    /// Adds gdf with `options` to the session `other`, as [`beside`](Checked::beside) does.
    pub(crate) fn with(options: GdfOptions, plain: SessionContext, other: SessionContext) -> Checked {
        Checked { ctx: other.with_gdf(options.clone()), plain, options }
    }

    pub(crate) fn plain(&self) -> SessionContext {
        self.plain.clone()
    }

    pub(crate) async fn plan(&self, query: &str) -> Result<Arc<dyn ExecutionPlan>> {
        self.ctx.sql(query).await?.create_physical_plan().await
    }

    pub(crate) async fn expected_plan(&self, query: &str) -> Result<Arc<dyn ExecutionPlan>> {
        self.plain.sql(query).await?.create_physical_plan().await
    }

    pub(crate) async fn expected(&self, query: &str) -> Result<Vec<RecordBatch>> {
        self.plain.sql(query).await?.collect().await
    }

    pub(crate) async fn found(&self, plan: &Arc<dyn ExecutionPlan>) -> Result<Vec<RecordBatch>> {
        collect(Arc::clone(plan), self.ctx.task_ctx()).await
    }

    /// Runs a query, and compares its rows with the rows of DataFusion alone. The plan must be one island over scans.
    pub(crate) async fn whole(&self, query: &str) -> Vec<RecordBatch> {
        let plan = self.plan(query).await.unwrap_or_else(|error| panic!("{query}: {error}"));
        assert!(is_whole(&plan), "{query}:\n{}", explain(&plan));
        self.compared(query, &plan).await
    }

    /// Runs a query, and compares its rows with the rows of DataFusion alone. gdf must run a part of the plan.
    pub(crate) async fn partly(&self, query: &str) -> Vec<RecordBatch> {
        let plan = self.plan(query).await.unwrap_or_else(|error| panic!("{query}: {error}"));
        assert!(islands(&plan) > 0 && !is_whole(&plan), "{query}:\n{}", explain(&plan));
        self.compared(query, &plan).await
    }

    /// Runs a query, and compares its rows with the rows of DataFusion alone, whatever part gdf runs.
    pub(crate) async fn any(&self, query: &str) -> Vec<RecordBatch> {
        let plan = self.plan(query).await.unwrap_or_else(|error| panic!("{query}: {error}"));
        self.compared(query, &plan).await
    }

    async fn compared(&self, query: &str, plan: &Arc<dyn ExecutionPlan>) -> Vec<RecordBatch> {
        let expected = self.expected(query).await.unwrap_or_else(|error| panic!("{query}: {error}"));
        let found = self.found(plan).await.unwrap_or_else(|error| panic!("{query}: {error}\n{}", explain(plan)));
        found.iter().for_each(|batch| assert_eq!(batch.schema(), plan.schema(), "{query}"));
        assert_rows(&self.plain, query, [&found, &expected], || format!("{query}\n{}", explain(plan))).await;
        found
    }
}

/// Returns whether a plan is one island over scans.
pub(crate) fn is_whole(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let island = plan.downcast_ref::<GdfExec>();
    island.is_some_and(|island| island.children().iter().all(|input| input.children().is_empty()))
}

pub(crate) fn islands(plan: &Arc<dyn ExecutionPlan>) -> usize {
    usize::from(plan.is::<GdfExec>()) + plan.children().into_iter().map(islands).sum::<usize>()
}

/// Checks that the rows found with gdf are the expected rows of a query, and that they have the order of the query.
/// `ctx` is a session with the tables of the query.
pub(crate) async fn assert_rows(
    ctx: &SessionContext,
    query: &str,
    [found, expected]: [&[RecordBatch]; 2],
    text: impl Fn() -> String,
) {
    let order = Order::of(&ctx.state().create_logical_plan(query).await.unwrap());
    assert_eq!(lines(found), lines(expected), "{}", text());
    match order {
        Order::Any => {}
        Order::Keys(keys) => {
            let shown = || lines_in_order(found).join("\n");
            assert!(is_sorted(found, &keys), "the keys are not sorted:\n{}\n{}", shown(), text());
        }
        Order::Hidden => assert_eq!(lines_in_order(found), lines_in_order(expected), "{}", text()),
    }
}

/// The order of the rows of a query.
pub(crate) enum Order {
    /// The query does not end with ORDER BY.
    Any,
    /// The keys are these outputs. Rows with equal keys have any order.
    Keys(Vec<(usize, SortOptions)>),
    /// A key is not an output, so the rows are compared in their order. The keys of such a query must distinguish all
    /// rows.
    Hidden,
}

impl Order {
    /// Returns the order of a plan that is not optimized.
    pub(crate) fn of(plan: &LogicalPlan) -> Order {
        match plan {
            LogicalPlan::Limit(limit) => Order::of(&limit.input),
            LogicalPlan::Sort(sort) => {
                let output = |key: &SortExpr| {
                    let at = sort.input.schema().maybe_index_of_column(key.expr.try_as_col()?)?;
                    Some((at, SortOptions { descending: !key.asc, nulls_first: key.nulls_first }))
                };
                sort.expr.iter().map(output).collect::<Option<Vec<_>>>().map_or(Order::Hidden, Order::Keys)
            }
            // DataFusion adds a projection that drops the keys that are not outputs.
            LogicalPlan::Projection(outputs) if matches!(*outputs.input, LogicalPlan::Sort(_)) => Order::Hidden,
            _ => Order::Any,
        }
    }
}

fn is_sorted(batches: &[RecordBatch], keys: &[(usize, SortOptions)]) -> bool {
    let Some(first) = batches.first() else { return true };
    let rows = concat_batches(&first.schema(), batches).unwrap();
    let comparator = |(at, options): &(usize, SortOptions)| {
        let key = without_signs(rows.column(*at));
        make_comparator(&key, &key, *options).unwrap()
    };
    let comparators: Vec<_> = keys.iter().map(comparator).collect();
    (1..rows.num_rows()).all(|row| {
        let mut orders = comparators.iter().map(|compare| compare(row - 1, row));
        orders.find(|order| order.is_ne()).is_none_or(Ordering::is_lt)
    })
}

/// Removes the signs of zeros and of NaN. gdf ignores these signs in sorts, and DataFusion does not.
fn without_signs(column: &ArrayRef) -> ArrayRef {
    match column.data_type() {
        DataType::Float64 => {
            let without_sign = |value: f64| if value.is_nan() { f64::NAN } else { value + 0.0 };
            Arc::new(column.as_primitive::<Float64Type>().unary::<_, Float64Type>(without_sign))
        }
        DataType::Float32 => {
            let without_sign = |value: f32| if value.is_nan() { f32::NAN } else { value + 0.0 };
            Arc::new(column.as_primitive::<Float32Type>().unary::<_, Float32Type>(without_sign))
        }
        _ => Arc::clone(column),
    }
}

/// Returns the rows as sorted lines of text. Floats are formatted with nine digits.
pub(crate) fn lines(batches: &[RecordBatch]) -> Vec<String> {
    let mut lines = lines_in_order(batches);
    lines.sort();
    lines
}

/// Returns the rows as lines of text in the order of the rows.
pub(crate) fn lines_in_order(batches: &[RecordBatch]) -> Vec<String> {
    let line = |batch: &RecordBatch, row: usize| {
        let cells: Vec<String> = batch.columns().iter().map(|column| cell(column, row)).collect();
        cells.join("|")
    };
    let rows = |batch: &RecordBatch| (0..batch.num_rows()).map(|row| line(batch, row)).collect::<Vec<_>>();
    batches.iter().flat_map(rows).collect()
}

/// Returns the rows as sorted lines of the text of their values.
pub(crate) fn lines_of_values(batches: &[RecordBatch]) -> Vec<String> {
    let value = |column: &ArrayRef, row: usize| match column.is_null(row) {
        true => "null".to_owned(),
        false => array_value_to_string(column, row).unwrap(),
    };
    let line = |batch: &RecordBatch, row: usize| {
        let cells: Vec<String> = batch.columns().iter().map(|column| value(column, row)).collect();
        cells.join("|")
    };
    let rows = |batch: &RecordBatch| (0..batch.num_rows()).map(|row| line(batch, row)).collect::<Vec<_>>();
    let mut lines: Vec<String> = batches.iter().flat_map(rows).collect();
    lines.sort();
    lines
}

fn cell(column: &ArrayRef, row: usize) -> String {
    match column.data_type() {
        _ if column.is_null(row) => "null".to_owned(),
        DataType::Float64 => format!("{:.8e}", column.as_primitive::<Float64Type>().value(row)),
        DataType::Float32 => format!("{:.5e}", column.as_primitive::<Float32Type>().value(row)),
        _ => array_value_to_string(column, row).unwrap(),
    }
}

#[tokio::test]
async fn orders_of_queries_are_found_and_checked() {
    let ctx = SessionContext::new();
    let order = async |query: &str| Order::of(&ctx.state().create_logical_plan(query).await.unwrap());
    let query = "SELECT x, y FROM (VALUES (1, 2), (1, 1), (2, 0)) AS t (x, y)";
    let found = ctx.sql(query).await.unwrap().collect().await.unwrap();
    for (keys, expected) in [("x", true), ("x, y DESC LIMIT 9", true), ("x, y", false), ("2", false)] {
        let Order::Keys(outputs) = order(&format!("{query} ORDER BY {keys}")).await else { panic!("{keys}") };
        assert_eq!(is_sorted(&found, &outputs), expected, "{keys}");
    }
    for keys in ["x + 1", "x, y + 1 LIMIT 2"] {
        assert!(matches!(order(&format!("{query} ORDER BY {keys}")).await, Order::Hidden), "{keys}");
    }
    assert!(matches!(order("SELECT x FROM (VALUES (1, 2)) AS t (x, y) ORDER BY y").await, Order::Hidden));
    assert!(matches!(order(query).await, Order::Any));
    assert!(matches!(order(&format!("SELECT x FROM ({query} ORDER BY x LIMIT 2) AS u")).await, Order::Any));
}
