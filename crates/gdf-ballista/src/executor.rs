//! Executors, which run the tasks of query stages.

use std::net::TcpListener;
use std::sync::Arc;

use ballista_core::error::{BallistaError, Result};
use ballista_core::ids::new_instance_id;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use gdf_datafusion::GdfOptions;
use url::Url;

use crate::engine::GdfEngine;

/// Returns the configuration of an executor of Ballista whose query stages contain islands.
///
/// `scheduler` is the URL of the scheduler, such as `http://10.0.0.1:50050`. The executor has one vcore and a name of
/// its own, and sends a heartbeat every 2 seconds. All other values are Ballista's defaults, and can be set before
/// [`start_executor_process`] takes the configuration. The scheduler must have the same `task_scheduling_policy`.
///
/// # Errors
/// * [`BallistaError::Configuration`]: `scheduler` has no host.
///
/// ```
/// use gdf_datafusion::GdfOptions;
///
/// # fn main() -> ballista_core::error::Result<()> {
/// let scheduler = "http://10.0.0.1:50050".parse().expect("a URL");
/// let mut config = gdf_ballista::executor(&scheduler, GdfOptions::default())?;
/// config.bind_host = "0.0.0.0".to_owned();
/// assert_eq!((config.vcores, config.scheduler_port), (1, 50050));
/// # Ok(())
/// # }
/// ```
pub fn executor(scheduler: &Url, options: GdfOptions) -> Result<ExecutorProcessConfig> {
    let Some((host, port)) = host_and_port(scheduler) else {
        return Err(BallistaError::Configuration(format!(
            "gdf_ballista::executor: `scheduler` is {scheduler}, which has no host; pass a URL such as http://10.0.0.1:50050"
        )));
    };
    Ok(ExecutorProcessConfig {
        executor_id: new_instance_id(),
        scheduler_host: host.to_owned(),
        scheduler_port: port,
        vcores: 1,
        executor_heartbeat_interval_seconds: 2,
        override_execution_engine: Some(Arc::new(GdfEngine::new(options))),
        ..ExecutorProcessConfig::default()
    })
}

/// Returns the host and the port of a scheduler. If the URL has no port, the result has the default port of schedulers.
pub(crate) fn host_and_port(scheduler: &Url) -> Option<(&str, u16)> {
    const DEFAULT_PORT: u16 = 50050;
    Some((scheduler.host_str()?, scheduler.port().unwrap_or(DEFAULT_PORT)))
}

/// Runs an executor at a free port of `host` until the process receives a signal to end. Other executors and clients
/// reach the executor by `host`. The rows between stages are kept in a temporary folder.
///
/// Connections are neither encrypted nor authenticated. Anyone who can reach the scheduler can read all files that the
/// process can read.
///
/// # Errors
/// * [`BallistaError::Configuration`]: `scheduler` has no host.
/// * [`BallistaError::IoError`]: no port of `host` is free, or the folder cannot be made.
/// * Other errors of [`start_executor_process`], such as no connection to the scheduler.
pub async fn serve(scheduler: &Url, host: &str, options: GdfOptions) -> Result<()> {
    let folder = tempfile::tempdir()?;
    // Ballista takes port numbers, not listeners. The two free ports are released before Ballista opens them, so
    // another process can take them in between.
    let ports = [TcpListener::bind((host, 0))?, TcpListener::bind((host, 0))?];
    let [port, grpc_port] = ports.each_ref().map(|listener| listener.local_addr().map(|address| address.port()));
    let config = ExecutorProcessConfig {
        bind_host: host.to_owned(),
        external_host: Some(host.to_owned()),
        port: port?,
        grpc_port: grpc_port?,
        work_dir: Some(folder.path().to_string_lossy().into_owned()),
        ..executor(scheduler, options)?
    };
    drop(ports);
    start_executor_process(Arc::new(config)).await
}
