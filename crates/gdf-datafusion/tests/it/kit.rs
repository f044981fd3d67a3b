//! Runs a query with gdf and with DataFusion alone, and compares the rows.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::datasource::MemTable;
use datafusion::error::Result;
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
        let options = strict();
        Checked { ctx: plain.clone().with_gdf(options.clone()), plain, options }
    }

    /// Adds gdf to the session `other`. The session `plain` has the same tables, and its results are the expected
    /// results.
    pub(crate) fn beside(plain: SessionContext, other: SessionContext) -> Checked {
        Checked { plain, ..Checked::new(other) }
    }

    pub(crate) fn plain(&self) -> SessionContext {
        self.plain.clone()
    }

    pub(crate) async fn plan(&self, query: &str) -> Result<Arc<dyn ExecutionPlan>> {
        self.ctx.sql(query).await?.create_physical_plan().await
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
        assert_eq!(lines(&found), lines(&expected), "{query}\n{}", explain(plan));
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

/// Returns the rows as sorted lines of text. Floats are formatted with nine digits.
pub(crate) fn lines(batches: &[RecordBatch]) -> Vec<String> {
    let line = |batch: &RecordBatch, row: usize| {
        let cells: Vec<String> = batch.columns().iter().map(|column| cell(column, row)).collect();
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
