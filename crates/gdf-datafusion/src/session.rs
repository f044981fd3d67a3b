//! Adds gdf to sessions of DataFusion.

use std::sync::Arc;

use datafusion::execution::FunctionRegistry;
use datafusion::execution::context::SessionContext;
use datafusion::execution::session_state::{SessionState, SessionStateBuilder};
use datafusion::optimizer::OptimizerRule;

use crate::copy::{self, Replaces};
use crate::exact;
use crate::join_order::JoinOrder;
use crate::mend;
use crate::options::GdfOptions;
use crate::planner::GdfPlanner;
use crate::window_filter::WindowFilter;

/// Adds gdf as an executor to a session.
pub trait GdfSession: Sized {
    /// Returns the session with gdf as an executor. Queries are planned with `target_partitions` set to 1, and gdf runs
    /// each maximal subtree that it supports. The session keeps its tables, functions and settings. Statements for which
    /// DataFusion plans wrong rows are rewritten or refused; [`PlanCache`](crate::PlanCache) rewrites more of them, because
    /// it sees their text.
    ///
    /// ```
    /// use arrow_array::Int64Array;
    /// use datafusion::prelude::SessionContext;
    /// use gdf_datafusion::{GdfOptions, GdfSession};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> datafusion::error::Result<()> {
    /// let options = GdfOptions::default();
    /// let ctx = SessionContext::new().with_gdf(options.clone());
    /// let query = "SELECT sum(x) AS total FROM (VALUES (1), (2), (39)) AS numbers (x) WHERE x > 1";
    /// let rows = ctx.sql(query).await?.collect().await?;
    /// assert_eq!(rows[0].column(0).as_ref(), &Int64Array::from(vec![41]));
    /// assert_eq!(options.counts().islands, 1);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    fn with_gdf(self, options: GdfOptions) -> Self;

    /// Returns the session with the rewrites of statements for which DataFusion plans wrong rows, and without islands.
    ///
    /// [`with_gdf`](Self::with_gdf) adds these rewrites too. This function is for sessions that plan for other processes, as
    /// those of distributed engines do. The plans have only functions and nodes of DataFusion.
    ///
    /// ```
    /// use datafusion::prelude::SessionContext;
    /// use gdf_datafusion::GdfSession;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> datafusion::error::Result<()> {
    /// let ctx = SessionContext::new().with_mends();
    /// let query = "SELECT cast(123456789 AS decimal(18, 2)) = 123456789e0 AS is_equal";
    /// let rows = ctx.sql(query).await?.collect().await?;
    /// assert_eq!(rows[0].column(0).as_ref(), &arrow_array::BooleanArray::from(vec![true]));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    fn with_mends(self) -> Self;
}

/// Adds the rules of the mends to a session that is being built.
fn add_mends(builder: SessionStateBuilder) -> SessionStateBuilder {
    let mut builder = builder;
    let mut rules = builder.optimizer().take().unwrap_or_default().rules;
    mend::add_optimizer_rules(&mut rules);
    mend::add_to(&mut builder);
    builder.with_optimizer_rules(rules)
}

impl GdfSession for SessionStateBuilder {
    fn with_gdf(self, options: GdfOptions) -> Self {
        let mut builder = self;
        // A builder without a planner uses the default planner when the session is built.
        let inner = match builder.query_planner() {
            Some(planner) => Arc::clone(planner),
            None => Arc::clone(SessionStateBuilder::new().build().query_planner()),
        };
        let mut rules = builder.optimizer().take().unwrap_or_default().rules;
        if !rules.iter().any(|rule| rule.name() == WindowFilter.name()) {
            rules.insert(0, Arc::new(WindowFilter));
        }
        if options.join_order() {
            JoinOrder::add_to(&mut rules);
        }
        builder = add_mends(builder.with_optimizer_rules(rules));
        exact::add_rules(&mut builder);
        builder.with_query_planner(Arc::new(GdfPlanner::new(inner, options)))
    }

    fn with_mends(self) -> Self {
        let mut builder = self;
        let rules = builder.physical_optimizers().take().unwrap_or_default().rules;
        add_mends(builder.with_physical_optimizer_rules(mend::with_moved_filters(&rules)))
    }
}

impl GdfSession for SessionState {
    fn with_gdf(self, options: GdfOptions) -> Self {
        let mut state = SessionStateBuilder::new_from_existing(self.clone()).with_gdf(options).build();
        // The builder sets this setting to `false` for sessions that have catalogs already.
        let creates_catalogs = self.config_options().catalog.create_default_catalog_and_schema;
        state.config_mut().options_mut().catalog.create_default_catalog_and_schema = creates_catalogs;
        keep_functions(&self, &mut state);
        exact::add_functions(&mut state);
        copy::register(&mut state, Replaces::None);
        state
    }

    fn with_mends(self) -> Self {
        let mut state = SessionStateBuilder::new_from_existing(self.clone()).with_mends().build();
        let creates_catalogs = self.config_options().catalog.create_default_catalog_and_schema;
        state.config_mut().options_mut().catalog.create_default_catalog_and_schema = creates_catalogs;
        keep_functions(&self, &mut state);
        state
    }
}

/// Gives each name the function that it has in `old`. The builder registers functions in any order, and an alias of a
/// later one may take the name of an earlier one.
fn keep_functions(old: &SessionState, new: &mut SessionState) {
    for (name, function) in old.scalar_functions() {
        if new.scalar_functions().get(name).is_none_or(|found| !Arc::ptr_eq(found, function)) {
            // The registration of a function cannot fail.
            let _ = new.register_udf(Arc::clone(function));
        }
    }
    for (name, function) in old.aggregate_functions() {
        if new.aggregate_functions().get(name).is_none_or(|found| !Arc::ptr_eq(found, function)) {
            let _ = new.register_udaf(Arc::clone(function));
        }
    }
    for (name, function) in old.window_functions() {
        if new.window_functions().get(name).is_none_or(|found| !Arc::ptr_eq(found, function)) {
            let _ = new.register_udwf(Arc::clone(function));
        }
    }
}

impl GdfSession for SessionContext {
    fn with_gdf(self, options: GdfOptions) -> Self {
        SessionContext::new_with_state(self.state().with_gdf(options))
    }

    fn with_mends(self) -> Self {
        SessionContext::new_with_state(self.state().with_mends())
    }
}
