//! Runs one file in a session, and returns the outcome of each record.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::error::Result;
use datafusion::execution::context::QueryPlanner;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionContext;
use datafusion::sql::parser::{DFParser, Statement};
use datafusion::sql::sqlparser::ast::Statement as SqlStatement;
use datafusion_sqllogictest::{
    DFColumnType, DFSqlLogicTestError, DataFusion, TestContext, df_value_validator, setup_scratch_dir, value_normalizer,
};
use futures::FutureExt;
use gdf_datafusion::{Counts, Fallback, GdfOptions, GdfSession};
use indicatif::ProgressBar;
use sqllogictest::{
    AsyncDB, DBOutput, Record, RecordOutput, Runner, TestErrorKind, parse_file, strict_column_validator,
};
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

/// The cause of records that show a plan, in which gdf shows islands.
pub(crate) const PLAN: &str = "the text of a plan";

/// The stack of each thread.
const STACK: usize = 64 << 20;
const LIMIT: Duration = Duration::from_secs(180);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// DataFusion with four partitions, as its own tests run it.
    Plain,
    /// Queries are planned with one partition, as gdf plans them.
    OnePartition,
    Gdf,
}

/// The cause and the message of a failed record.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) cause: &'static str,
    pub(crate) message: String,
}

/// The outcomes of a file by the place of each record.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    pub(crate) records: BTreeMap<(String, u32), Option<Failure>>,
    pub(crate) counts: Counts,
    /// The reason why the file did not run to its end.
    pub(crate) broken: Option<String>,
}

pub(crate) fn run_file(name: &Path, kind: Kind) -> Outcomes {
    let name = name.to_owned();
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(2).thread_stack_size(STACK).enable_all().build().unwrap();
        let outcomes = runtime.block_on(outcomes(&name, kind));
        runtime.shutdown_timeout(Duration::from_secs(5));
        outcomes
    });
    thread.unwrap().join().unwrap_or_else(|panic| Outcomes { broken: Some(text_of(&*panic)), ..Outcomes::default() })
}

async fn outcomes(name: &Path, kind: Kind) -> Outcomes {
    let mut outcomes = Outcomes::default();
    let Some(context) = TestContext::try_new_for_test_file(name).await else { return outcomes };
    setup_scratch_dir(name).unwrap();
    let fallback = match std::env::var_os("FORBID_FALLBACKS").is_some() {
        true => Fallback::Forbidden,
        false => Fallback::Warned,
    };
    let options = GdfOptions::default().with_fallback(fallback).with_verify(true);
    let plain = context.session_ctx().clone();
    let ctx = match kind {
        Kind::Plain => plain,
        Kind::OnePartition => {
            let builder = SessionStateBuilder::new_from_existing(plain.state());
            let inner = Arc::clone(plain.state().query_planner());
            SessionContext::new_with_state(builder.with_query_planner(Arc::new(OnePartition(inner))).build())
        }
        Kind::Gdf => plain.with_gdf(options.clone()),
    };
    let mut runner =
        Runner::new(|| async { Ok(Database(DataFusion::new(ctx.clone(), name.into(), ProgressBar::hidden()))) });
    runner.add_label("Datafusion");
    runner.with_column_validator(strict_column_validator);
    runner.with_normalizer(value_normalizer);
    runner.with_validator(df_value_validator);
    let path = PathBuf::from("test_files").join(name).canonicalize().unwrap();
    let records = match parse_file::<DFColumnType>(&path) {
        Ok(records) => records,
        Err(error) => {
            outcomes.broken = Some(error.to_string());
            return outcomes;
        }
    };
    for record in records {
        let place = match &record {
            Record::Halt { .. } => break,
            Record::Query { loc, .. } | Record::Statement { loc, .. } => (loc.file().to_owned(), loc.line()),
            _ => (String::new(), 0),
        };
        let outcome = match runner.run_async(record).await {
            Ok(RecordOutput::Nothing) => continue,
            Ok(_) => None,
            Err(error) => Some(Failure { cause: cause(&error.kind()), message: error.to_string() }),
        };
        if place.1 > 0 {
            outcomes.records.insert(place, outcome);
        }
    }
    outcomes.counts = options.counts();
    outcomes
}

fn cause(kind: &TestErrorKind) -> &'static str {
    let is_plan = |sql: &str| sql.trim_start().to_uppercase().starts_with("EXPLAIN");
    match kind {
        TestErrorKind::QueryResultMismatch { sql, .. } if is_plan(sql) => PLAN,
        TestErrorKind::QueryResultMismatch { sql, expected, actual, .. } => {
            let sorted = |text: &str| {
                let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                lines.sort();
                lines
            };
            match sorted(expected) == sorted(actual) {
                false => "other rows",
                true if is_ordered(sql) => "another order of rows, although the query ends with ORDER BY",
                true => "the order of rows that the query leaves open",
            }
        }
        TestErrorKind::Ok { .. } => "no error where DataFusion returns one",
        TestErrorKind::ErrorMismatch { .. } => "another error message",
        TestErrorKind::QueryResultColumnsMismatch { .. } => "other types",
        TestErrorKind::Fail { err, .. } => match err.to_string() {
            text if text.contains("returned different rows") => "an island differs from DataFusion",
            text if text.contains("panicked: ") => "a panic",
            text if text.contains("timed out") => "a query that does not end",
            _ => "an error where DataFusion returns rows",
        },
        _ => "another failure",
    }
}

/// Returns whether a query ends with ORDER BY.
fn is_ordered(sql: &str) -> bool {
    let first = DFParser::parse_sql(sql).ok().and_then(|mut statements| statements.pop_front());
    let Some(Statement::Statement(statement)) = first else { return false };
    matches!(&*statement, SqlStatement::Query(query) if query.order_by.is_some())
}

/// The runner of DataFusion, which returns panics and long runs as errors.
struct Database(DataFusion);

#[async_trait]
impl AsyncDB for Database {
    type Error = DFSqlLogicTestError;
    type ColumnType = DFColumnType;

    async fn run(&mut self, sql: &str) -> Result<DBOutput<DFColumnType>, DFSqlLogicTestError> {
        let query = AssertUnwindSafe(self.0.run(sql)).catch_unwind();
        match tokio::time::timeout(LIMIT, query).await {
            Ok(Ok(output)) => output,
            Ok(Err(panic)) => Err(DFSqlLogicTestError::Other(format!("panicked: {}", text_of(&*panic)))),
            Err(_) => Err(DFSqlLogicTestError::Other(format!("timed out after {LIMIT:?}"))),
        }
    }

    async fn shutdown(&mut self) {}

    fn engine_name(&self) -> &str {
        "DataFusion"
    }

    async fn sleep(duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

/// Plans with one partition, as the planner of gdf does.
#[derive(Debug)]
struct OnePartition(Arc<dyn QueryPlanner + Send + Sync>);

#[async_trait]
impl QueryPlanner for OnePartition {
    async fn create_physical_plan(&self, plan: &LogicalPlan, session: &dyn Session) -> Result<Arc<dyn ExecutionPlan>> {
        let mut state = session.as_any().downcast_ref::<SessionState>().expect("a session of DataFusion").clone();
        state.config_mut().options_mut().execution.target_partitions = 1;
        self.0.create_physical_plan(plan, &state).await
    }
}

/// Counts the errors with which islands fell back.
pub(crate) fn record_fallbacks() -> Arc<Mutex<BTreeMap<String, u64>>> {
    let reasons = Arc::new(Mutex::new(BTreeMap::new()));
    let subscriber = tracing_subscriber::registry().with(Fallbacks(Arc::clone(&reasons)));
    tracing::subscriber::set_global_default(subscriber).unwrap();
    reasons
}

struct Fallbacks(Arc<Mutex<BTreeMap<String, u64>>>);

impl<S: tracing::Subscriber> Layer<S> for Fallbacks {
    fn on_event(&self, event: &tracing::Event<'_>, _context: Context<'_, S>) {
        if !event.metadata().target().starts_with("gdf_datafusion") {
            return;
        }
        struct Reason(String);
        impl Visit for Reason {
            fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
                if field.name() == "error" {
                    self.0 = format!("{value:?}");
                }
            }
        }
        let mut reason = Reason(String::new());
        event.record(&mut reason);
        *self.0.lock().unwrap().entry(reason.0).or_default() += 1;
    }
}
