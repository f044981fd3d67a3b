//! Keeps the plans of queries, so that a query is parsed and planned once.

mod normal;
mod parameter;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use arrow_array::RecordBatch;
use arrow_schema::DataType;
use datafusion::catalog::TableProvider;
use datafusion::common::TableReference;
use datafusion::config::ConfigOptions;
use datafusion::datasource::source_as_provider;
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::execution::context::SessionState;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::execution_plan::reset_plan_states;
use datafusion::physical_plan::scalar_subquery::ScalarSubqueryExec;
use datafusion::physical_plan::{ExecutionPlan, SendableRecordBatchStream, execute_stream};
use datafusion::prelude::SessionContext;
use datafusion::scalar::ScalarValue;
use futures::TryStreamExt;

use self::normal::{is_repeatable, normalized};
use self::parameter::{Bound, bound_types, with_subqueries};
use crate::copy::check_format;
use crate::deep::OnLargeStack;
use crate::exec::GdfExec;
use crate::files::GdfFiles;
use crate::mend::mended_statement;
use crate::table::GdfTable;

/// A cache of the plans of queries.
///
/// A query whose plan is in the cache runs without being parsed, optimized and planned. The key of a plan has two
/// parts:
/// * the text of the query, without comments, and with blanks and letter case normalized outside of quotes;
/// * the types of the parameters `$1`, `$2` and so on.
///
/// The plan keeps its parameters, so that it serves queries with other values. If a plan needs the value of a
/// parameter, as in `LIMIT $1` or `round(price, $1)`, there is a plan for each value. The result of a user's function
/// with parameters has the type that the function has for arguments that are not literals.
///
/// A plan is made again if a table of the query was registered again, if the size or the time of change of a file has
/// changed, or if a setting of the session has changed. Make a new cache after functions are registered again. Some
/// queries are planned each time, as without the cache:
/// * queries over other tables than [`GdfTable`] and [`GdfFiles`] of a single file;
/// * queries with variables such as `@name`, or with functions that may return other values each time;
/// * queries whose plan has a scalar subquery outside of islands.
///
/// Queries are planned on a stack of their own, which grows with the depth of their expressions. Chains of 50,000 `OR` and
/// sums of thousands of terms do not overflow it. [`SessionContext::sql`] plans on the stack of its caller.
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::{Int64Array, RecordBatch};
/// use datafusion::prelude::SessionContext;
/// use datafusion::scalar::ScalarValue;
/// use gdf_datafusion::{GdfOptions, GdfSession, GdfTable, PlanCache};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> datafusion::error::Result<()> {
/// let options = GdfOptions::default();
/// let ctx = SessionContext::new().with_gdf(options.clone());
/// let days = RecordBatch::try_from_iter([("day", Arc::new(Int64Array::from(vec![3, 1, 2])) as _)])?;
/// ctx.register_table("days", Arc::new(GdfTable::from_batches(&[days], options.device())?))?;
///
/// let cache = PlanCache::new(ctx, 100);
/// for (last, count) in [(2_i64, 2_i64), (1, 1)] {
///     let rows = cache.collect("SELECT count(*) FROM days WHERE day <= $1", &[ScalarValue::from(last)]).await?;
///     assert_eq!(rows[0].column(0).as_ref(), &Int64Array::from(vec![count]));
/// }
/// assert_eq!((cache.hits(), cache.misses()), (1, 1));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct PlanCache {
    ctx: CachedSession,
    capacity: usize,
    kept: Mutex<Kept>,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// A session, without the long text of its `Debug`.
struct CachedSession(SessionContext);

impl std::fmt::Debug for CachedSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "session {}", self.0.session_id())
    }
}

#[derive(Debug, Default)]
struct Kept {
    /// The normalized text of each text that was passed, under the settings `options`.
    texts: HashMap<String, Arc<str>>,
    options: Option<Arc<ConfigOptions>>,
    plans: HashMap<Key, Entry>,
    /// The number of look-ups so far. An entry stores the number of its last look-up.
    turn: u64,
}

/// The identity of a plan: the query, and the types or the values of its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    /// The normalized text of the query.
    text: Arc<str>,
    /// The types of the values of the parameters.
    types: Vec<DataType>,
    /// The values of the parameters, if the plan is for these values alone.
    values: Option<Vec<ScalarValue>>,
}

#[derive(Debug)]
struct Entry {
    plan: Arc<Cached>,
    last: u64,
}

#[derive(Debug)]
struct Cached {
    /// The plan, or `None` if there is a plan for each list of values of the parameters.
    plan: Option<Arc<dyn ExecutionPlan>>,
    /// The types of the parameters of the plan.
    parameters: Vec<DataType>,
    tables: Vec<(TableReference, Version)>,
    options: Arc<ConfigOptions>,
}

/// The identity of the contents of a table.
#[derive(Clone, Debug)]
enum Version {
    /// A table whose contents do not change.
    Resident(Arc<dyn TableProvider>),
    /// A file with its size and the time of its last change.
    File { table: Arc<dyn TableProvider>, size: u64, changed: Option<SystemTime> },
}

impl Version {
    /// Returns the version of a table, or `None` for tables whose plans are not kept.
    fn of(table: &Arc<dyn TableProvider>) -> Option<Version> {
        if table.downcast_ref::<GdfTable>().is_some() {
            return Some(Version::Resident(Arc::clone(table)));
        }
        let files = table.downcast_ref::<GdfFiles>()?;
        let [path] = files.paths() else { return None };
        let found = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
        Some(Version::File { table: Arc::clone(table), size: found.len(), changed: found.modified().ok() })
    }

    fn is(&self, table: &Arc<dyn TableProvider>) -> bool {
        match (self, Version::of(table)) {
            (Version::Resident(known), Some(Version::Resident(table))) => Arc::ptr_eq(known, &table),
            (Version::File { table: known, size, changed }, Some(Version::File { size: other, changed: at, .. })) => {
                Arc::ptr_eq(known, table) && *size == other && *changed == at
            }
            _ => false,
        }
    }
}

impl PlanCache {
    /// Makes a cache of at most `capacity` plans. A full cache drops the plan whose last use is longest ago.
    pub fn new(ctx: SessionContext, capacity: usize) -> PlanCache {
        let (hits, misses) = (AtomicU64::new(0), AtomicU64::new(0));
        PlanCache { ctx: CachedSession(ctx), capacity: capacity.max(1), kept: Mutex::default(), hits, misses }
    }

    /// Returns the session.
    pub fn session(&self) -> &SessionContext {
        &self.ctx.0
    }

    /// Returns the number of queries whose plan was in the cache.
    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }

    /// Returns the number of queries that were planned.
    pub fn misses(&self) -> u64 {
        self.misses.load(Ordering::Relaxed)
    }

    /// Runs a query, and returns all of its rows. `parameters` are the values of `$1`, `$2` and so on.
    ///
    /// # Errors
    /// * [`DataFusionError`](datafusion::error::DataFusionError): the query is not valid, `parameters` has too few
    ///   values, a value cannot be cast to the type of its parameter, or the query fails.
    pub async fn collect(&self, query: &str, parameters: &[ScalarValue]) -> Result<Vec<RecordBatch>> {
        self.execute(query, parameters).await?.try_collect().await
    }

    /// Starts a query, and returns a stream of its rows, as [`SessionContext`] does.
    ///
    /// # Errors
    /// * [`DataFusionError`](datafusion::error::DataFusionError): as for [`collect`](Self::collect).
    pub async fn execute(&self, query: &str, parameters: &[ScalarValue]) -> Result<SendableRecordBatchStream> {
        let types = parameters.iter().map(ScalarValue::data_type).collect();
        let mut key = Key { text: self.text(query), types, values: None };
        let mut cached = self.find(&key).await;
        let is_by_value = cached.as_ref().is_some_and(|cached| cached.plan.is_none());
        if is_by_value {
            key.values = Some(parameters.to_vec());
            cached = self.find(&key).await;
        }
        if let Some(Cached { plan: Some(plan), parameters: types, .. }) = cached.as_deref() {
            self.hits.fetch_add(1, Ordering::Relaxed);
            let (plan, values) = (again(plan)?, bound(parameters, types)?);
            return execute_stream(plan, self.context(values));
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
        OnLargeStack::new(self.planned(query, parameters, key, is_by_value)).await
    }

    /// Plans a query, keeps its plan if possible, and starts the query.
    async fn planned(
        &self,
        query: &str,
        parameters: &[ScalarValue],
        key: Key,
        is_by_value: bool,
    ) -> Result<SendableRecordBatchStream> {
        let state = self.session().state();
        let mut statement = state.sql_to_statement(query, &state.config_options().sql_parser.dialect)?;
        check_format(&statement, &state)?;
        mended_statement(&mut statement)?;
        let references = state.resolve_table_references(&statement)?;
        // The versions are read before the tables. If a table is changed in between, the next look-up finds another
        // version, and plans the query again.
        let versions = self.versions(references).await;
        let logical = state.statement_to_plan(statement).await?;
        let is_kept = is_repeatable(&logical)? && has_known_tables(&logical)?;
        let Some(tables) = versions.filter(|_| is_kept) else {
            let logical = with_values(logical, parameters)?;
            return self.session().execute_logical_plan(logical).await?.execute_stream().await;
        };
        let options = Arc::clone(state.config().options());
        let cached = |plan, parameters| Cached { plan, parameters, tables: tables.clone(), options: options.clone() };
        if !is_by_value {
            let types = bound_types(&logical, parameters)?;
            match with_general_plan(&state, &logical, &types).await? {
                Some(plan) if !shares_results(&plan) => {
                    self.keep(key, cached(Some(Arc::clone(&plan)), types.clone()));
                    return execute_stream(again(&plan)?, self.context(bound(parameters, &types)?));
                }
                // Later look-ups of this key find no plan for all values, and then look for a plan for their values.
                None => self.keep(key.clone(), cached(None, Vec::new())),
                Some(plan) => return execute_stream(plan, self.context(bound(parameters, &types)?)),
            }
        }
        let plan = state.create_physical_plan(&with_values(logical, parameters)?).await?;
        if shares_results(&plan) {
            return execute_stream(plan, self.context(Vec::new()));
        }
        self.keep(Key { values: Some(parameters.to_vec()), ..key }, cached(Some(Arc::clone(&plan)), Vec::new()));
        execute_stream(again(&plan)?, self.context(Vec::new()))
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // If another thread has panicked, the maps are still consistent.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn text(&self, query: &str) -> Arc<str> {
        let options = Arc::clone(self.session().state_ref().read().config().options());
        let are_known = |kept: &Kept| kept.options.as_ref().is_some_and(|known| Arc::ptr_eq(known, &options));
        {
            let kept = self.kept();
            if let Some(text) = kept.texts.get(query).filter(|_| are_known(&kept)) {
                return Arc::clone(text);
            }
        }
        let text: Arc<str> = normalized(query, &options.sql_parser).into();
        let mut kept = self.kept();
        if kept.texts.len() >= self.capacity || !are_known(&kept) {
            kept.texts.clear();
            kept.options = Some(Arc::clone(&options));
        }
        kept.texts.insert(query.to_owned(), Arc::clone(&text));
        text
    }

    /// Returns the entry of a key, unless a table or a setting of its plan has changed.
    async fn find(&self, key: &Key) -> Option<Arc<Cached>> {
        let cached = {
            let mut kept = self.kept();
            kept.turn += 1;
            let turn = kept.turn;
            let entry = kept.plans.get_mut(key)?;
            entry.last = turn;
            Arc::clone(&entry.plan)
        };
        if !Arc::ptr_eq(self.session().state_ref().read().config().options(), &cached.options) {
            return None;
        }
        for (reference, version) in &cached.tables {
            let table = self.session().table_provider(reference.clone()).await.ok()?;
            if !version.is(&table) {
                return None;
            }
        }
        Some(cached)
    }

    fn keep(&self, key: Key, cached: Cached) {
        let mut kept = self.kept();
        let last = kept.turn;
        if kept.plans.len() >= self.capacity && !kept.plans.contains_key(&key) {
            let oldest = kept.plans.iter().min_by_key(|(_, entry)| entry.last).map(|(key, _)| key.clone());
            oldest.and_then(|oldest| kept.plans.remove(&oldest));
        }
        kept.plans.insert(key, Entry { plan: Arc::new(cached), last });
    }

    /// Returns the versions of the tables, or `None` if one of them has no version.
    async fn versions(&self, references: Vec<TableReference>) -> Option<Vec<(TableReference, Version)>> {
        let mut versions = Vec::with_capacity(references.len());
        for reference in references {
            let table = self.session().table_provider(reference.clone()).await.ok()?;
            versions.push((reference, Version::of(&table)?));
        }
        Some(versions)
    }

    /// Makes the context of a run. The context has no functions, because they are in the plan.
    fn context(&self, values: Vec<ScalarValue>) -> Arc<TaskContext> {
        let state = self.session().state_ref();
        let state = state.read();
        let mut config = state.config().clone();
        if !values.is_empty() {
            config.set_extension(Arc::new(Bound(values)));
        }
        let session = state.session_id().to_owned();
        let runtime = Arc::clone(state.runtime_env());
        let context = TaskContext::new(
            None,
            session,
            config,
            HashMap::new(),
            HashMap::new(),
            HashMap::new(),
            HashMap::new(),
            runtime,
        );
        Arc::new(context)
    }
}

/// Plans a query for all values of its parameters. Returns `None` if DataFusion has no such plan.
async fn with_general_plan(
    state: &SessionState,
    logical: &LogicalPlan,
    types: &[DataType],
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if types.is_empty() {
        return state.create_physical_plan(logical).await.map(Some);
    }
    let Some(general) = with_subqueries(logical, types)? else { return Ok(None) };
    // If DataFusion does not allow a subquery in the place of a parameter, the plan for the values is made instead.
    // Planning it also returns the errors of the query.
    Ok(state.create_physical_plan(&general).await.ok())
}

fn with_values(logical: LogicalPlan, parameters: &[ScalarValue]) -> Result<LogicalPlan> {
    match parameters.is_empty() {
        true => Ok(logical),
        false => logical.with_param_values(parameters.to_vec()),
    }
}

fn bound(parameters: &[ScalarValue], types: &[DataType]) -> Result<Vec<ScalarValue>> {
    types.iter().zip(parameters).map(|(data_type, value)| value.cast_to(data_type)).collect()
}

/// Returns whether each scan is of a table that has a [`Version`]. These include the scans of views and subqueries.
fn has_known_tables(logical: &LogicalPlan) -> Result<bool> {
    use datafusion::common::tree_node::TreeNodeRecursion;
    let mut are_known = true;
    logical.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            are_known &= source_as_provider(&scan.source).is_ok_and(|table| Version::of(&table).is_some());
        }
        Ok(if are_known { TreeNodeRecursion::Continue } else { TreeNodeRecursion::Stop })
    })?;
    Ok(are_known)
}

/// Returns whether simultaneous runs of a plan would read each other's values of scalar subqueries, because all copies
/// of the plan share the places of these values. Inside of islands, [`GdfExec`] lets one run wait for the other.
fn shares_results(plan: &Arc<dyn ExecutionPlan>) -> bool {
    plan.is::<ScalarSubqueryExec>() || plan.children().into_iter().any(shares_results)
}

/// Returns a plan without the state of earlier runs.
fn again(plan: &Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let island = plan.downcast_ref::<GdfExec>();
    let has_no_state = |island: &&GdfExec| island.children().iter().all(|input| input.children().is_empty());
    match island.filter(has_no_state) {
        Some(island) => Ok(Arc::new(island.again())),
        None => reset_plan_states(Arc::clone(plan)),
    }
}
