//! Sessions of clients.

use ballista_core::config::BALLISTA_SCHEDULER_MAX_PARTITIONS_PER_TASK;
use ballista_core::extension::{SessionConfigExt, SessionStateExt};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use gdf_datafusion::GdfSession;
use url::Url;

use crate::executor::host_and_port;

/// Returns a session whose queries the scheduler at this URL plans and runs.
///
/// Two settings differ from those of Ballista's own sessions. A task has one partition, so that executors with several
/// vcores make islands, too. Plans are not changed while a query runs (`ballista.planner.adaptive.enabled`): a query
/// that Ballista 55.0 plans adaptively does not end if an executor ends during it.
///
/// Tables are files that all machines reach by the same path, such as those of
/// [`register_parquet`](SessionContext::register_parquet). Tables in the memory of this process cannot be part of a
/// query.
///
/// Statements for which DataFusion plans wrong rows are rewritten or refused before the scheduler sees them, as by
/// [`GdfSession::with_mends`].
///
/// The session contacts the scheduler when a query runs.
///
/// # Errors
/// * [`DataFusionError::Configuration`]: `scheduler` has no host.
///
/// ```
/// # fn main() -> datafusion::error::Result<()> {
/// let ctx = gdf_ballista::client(&"http://10.0.0.1:50050".parse().expect("a URL"))?;
/// assert!(gdf_ballista::client(&"data:text".parse().expect("a URL")).is_err());
/// # Ok(())
/// # }
/// ```
pub fn client(scheduler: &Url) -> Result<SessionContext> {
    let Some((host, port)) = host_and_port(scheduler) else {
        return Err(DataFusionError::Configuration(format!(
            "gdf_ballista::client: `scheduler` is {scheduler}, which has no host; pass a URL such as http://10.0.0.1:50050"
        )));
    };
    let config = SessionConfig::new_with_ballista()
        .with_ballista_adaptive_query_planner(false)
        .set_usize(BALLISTA_SCHEDULER_MAX_PARTITIONS_PER_TASK, 1);
    let state = SessionStateBuilder::new().with_default_features().with_config(config).with_mends().build();
    Ok(SessionContext::new_with_state(state.upgrade_for_ballista(format!("http://{host}:{port}"))?))
}
